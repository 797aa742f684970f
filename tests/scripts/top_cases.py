#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What a test's top is compiled of (cmake/top.cmake), with a stand-in for Verilator. Run by top_test.cpp.

Exit status: 0 passed; 1 not (unittest).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "VL_MODULE(Vt) {\n  VL_IN8(&clk_i,0,0);\n  VL_INW(&line_i,511,0,16);\n  VL_OUT8(&ready_o,0,0);\n};\n"
VERILATOR = """
import pathlib, shutil, sys
folder = pathlib.Path(sys.argv[sys.argv.index("--Mdir") + 1])
for file in pathlib.Path(sys.argv[1]).iterdir():
    shutil.copy(file, folder)
names = sorted(file.name for file in folder.glob("*.cpp"))
lists = {"SLOW": [n for n in names if "Slow" in n], "FAST": [n for n in names if "Slow" not in n]}
text = "".join('set(Vt_CLASSES_%s %s)\\n' % (k, " ".join('"%s/%s"' % (folder, n) for n in v)) for k, v in lists.items())
(folder / "Vt.cmake").write_text(text + 'set(Vt_DEPS "/rtl/a.sv" "/rtl/pkg/b.sv")\\n')
"""


class Tops(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.made = self.folder / "made"  # what "Verilator" writes
        self.made.mkdir()
        self.write(**{"Vt.h": HEADER, "Vt.cpp": "1" * 50, "Vt_a.cpp": "2" * 400, "Vt_b.cpp": "3" * 300})
        self.write(**{"Vt_a__Slow.cpp": "4" * 200, "Vt__Slow.cpp": "5" * 100})
        (self.folder / "verilator.py").write_text(VERILATOR)
        (self.folder / "units").mkdir()
        self.write_arguments(self.made)

    def write(self, **files):
        for name, text in files.items():
            (self.made / name).write_text(text)

    def write_arguments(self, made):
        lines = [sys.executable, self.folder / "verilator.py", made]
        (self.folder / "arguments.txt").write_text("".join(f"{line}\n" for line in lines))

    def verilate(self, often=2, once=1):
        """Unit -> its text; their times are of the first run that wrote them."""
        units = [self.folder / f"units/often_{n}.cpp" for n in range(often)]
        units += [self.folder / f"units/once_{n}.cpp" for n in range(once)]
        done = subprocess.run(
            [
                "cmake",
                *("-D", f"ARGUMENTS={self.folder}/arguments.txt", "-D", "PREFIX=Vt", "-D", f"FOLDER={self.folder}/top"),
                *("-D", f"FAST={often}", "-D", f"UNITS={';'.join(map(str, units))}"),
                *("-D", f"DEPFILE={self.folder}/depends.d", "-P", f"{ROOT}/cmake/top.cmake"),
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return {unit.stem: unit.read_text() for unit in units}

    @staticmethod
    def included(text):
        return re.findall(r'#include ".*/(.*\.cpp)"', text)

    def changed(self, before, after):
        return sorted(unit for unit in after if before[unit] != after[unit])

    def test_the_longest_goes_where_there_is_least(self):
        units = self.verilate()
        self.assertEqual(self.included(units["often_0"]), ["Vt_a.cpp"])
        self.assertEqual(self.included(units["often_1"]), ["Vt_b.cpp", "Vt.cpp"])
        self.assertEqual(self.included(units["once_0"]), ["Vt_a__Slow.cpp", "Vt__Slow.cpp"])

    def test_one_unit_has_all(self):
        every = ["Vt_a.cpp", "Vt_b.cpp", "Vt_a__Slow.cpp", "Vt__Slow.cpp", "Vt.cpp"]
        self.assertEqual(self.included(self.verilate(often=1, once=0)["often_0"]), every)

    def test_inputs_are_cleared_once(self):
        units = self.verilate()
        self.assertEqual(re.findall(r"clear_port\(top\.(\w+)\)", units["often_0"]), ["clk_i", "line_i"])
        self.assertNotIn("clear_port", units["often_1"] + units["once_0"])

    def test_a_change_ends_the_unit_that_has_it(self):
        before = self.verilate()
        self.write(**{"Vt_b.cpp": "6" * 300})
        self.assertEqual(self.changed(before, self.verilate()), ["often_1"])

    def test_a_header_ends_all(self):
        before = self.verilate()
        self.write(**{"Vt___024root.h": "class Root;\n"})
        self.assertEqual(self.changed(before, self.verilate()), sorted(before))

    def test_what_is_the_same_keeps_its_time(self):
        self.verilate()
        kept = [*(self.folder / "units").glob("*.cpp"), *(self.folder / "top").glob("Vt*.[ch]*")]
        kept = [file for file in kept if file.suffix in (".cpp", ".h")]
        before = {file: file.stat().st_mtime_ns for file in kept}
        self.write(**{"Vt_a.cpp": "7" * 400})
        self.verilate()
        later = {file.name for file in kept if file.stat().st_mtime_ns != before[file]}
        self.assertEqual(later, {"Vt_a.cpp", "often_0.cpp"})

    def test_what_is_not_written_any_more_goes(self):
        self.verilate()
        (self.made / "Vt_b.cpp").unlink()
        units = self.verilate()
        self.assertNotIn("Vt_b.cpp", "".join(units.values()))
        self.assertFalse((self.folder / "top/Vt_b.cpp").exists())

    def test_ninja_is_told_what_was_read(self):
        self.verilate()
        told = (self.folder / "depends.d").read_text().replace("\\\n", "").split()
        self.assertEqual(told, [f"{self.folder}/units/often_0.cpp:", "/rtl/a.sv", "/rtl/pkg/b.sv"])

    def test_what_does_not_verilate_is_an_error(self):
        self.write_arguments(self.folder / "nowhere")
        with self.assertRaises(AssertionError):
            self.verilate()


if __name__ == "__main__":
    unittest.main()
