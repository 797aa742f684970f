#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Digests of verify/records.py: what keeps a verdict, and what ends it. Run by records_test.cpp.

Exit status: 0 passed; 1 not (unittest).
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "verify"))
import records  # noqa: E402

BLOCK = """// Purpose: counts.
`include "pkg/sizes.svh"
module count (input logic clk_i, output logic [3:0] n_q);  // free running
  /* no reset */
  always_ff @(posedge clk_i) n_q <= n_q == '1 ? 4'd0 : n_q + 4'd1;
  initial $display("// not a comment", '{'{n_q}});
endmodule
"""
SOURCE = """// Purpose: a number.
#include "room/other.hpp"
#include <string>

#define TWICE(x) \\
  ((x) + (x))
int number() { return TWICE(1'000) - -1; }  // why
char quote() { return '"'; }
std::string text() { return R"x(/* "text" */)x"; }
"""


class Digests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def of(self, name, text):
        return records.digest([self.write(name, text)])

    def test_a_moved_file_keeps_it(self):
        one, two = self.write("a/count.sv", BLOCK), self.write("a/number.cpp", SOURCE)
        before = records.digest([one, two])
        moved = [path.rename(self.folder / path.name) for path in (two, one)]
        self.assertEqual(records.digest(moved), before)
        self.assertNotEqual(records.digest(moved[:1]), before)

    def test_a_moved_include_keeps_it(self):
        self.assertEqual(
            self.of("a.cpp", SOURCE), self.of("a.cpp", SOURCE.replace("room/other.hpp", "sim/room/other.hpp"))
        )
        self.assertNotEqual(self.of("a.cpp", SOURCE), self.of("a.cpp", SOURCE.replace("other.hpp", "another.hpp")))
        self.assertEqual(self.of("a.sv", BLOCK), self.of("a.sv", BLOCK.replace("pkg/sizes", "sizes")))

    def test_comments_and_white_space_keep_it(self):
        block = BLOCK.replace("counts", "counts up").replace("  // free running", "").replace("/* no reset */", "")
        block = block.replace("n_q == '1 ? 4'd0", "n_q=='1 ?\n      4'd0").replace("[3:0] n_q", "[3 : 0]  n_q")
        block = block.replace("'{'{n_q}}", "'{ '{n_q} }")
        self.assertEqual(self.of("a.sv", BLOCK), self.of("a.sv", block))
        source = SOURCE.replace("a number", "one").replace("  // why", "\n// because\n").replace("(x) + (x)", "(x)+(x)")
        self.assertEqual(self.of("a.cpp", SOURCE), self.of("a.cpp", source))
        self.assertEqual(self.of("a.py", "a = '#'  # one\n\nb = 2\n"), self.of("a.py", "# two\na = '#'\nb = 2\n"))

    def test_what_an_assertion_says_keeps_it(self):
        said = "module m;\n  A_A: assert property (@(posedge c) a |-> b)\n      else $error(\"too many\");\nendmodule\n"
        self.assertEqual(self.of("a.sv", said), self.of("a.sv", said.replace('\n      else $error("too many")', "")))
        for old, new in (("A_A", "B_A"), ("a |->", "b |->"), ("$error", "$fatal"), (" else", " b else")):
            self.assertNotEqual(self.of("a.sv", said), self.of("a.sv", said.replace(old, new)), old)
        bad = 'if (N > 4) begin end else $error("m: N of 1..4");'  # of a parameter: that is the design
        self.assertNotEqual(self.of("a.sv", bad), self.of("a.sv", bad.replace("1..4", "1..5")))

    def test_a_token_changes_it(self):
        for name, text, changes in (
            (
                "a.sv",
                BLOCK,
                (("'1", "'0"), ("<=", "="), ("4'd1", "4'd2"), ("n_q +", "n_q -"), ("// not", "/* not"), ("==", "!=")),
            ),
            (
                "a.cpp",
                SOURCE,
                (("- -1", "--1"), ("1'000", "1'001"), ("/* \"text", "/*  \"text"), ("'\"'", "'x'"), ("\\\n", "\n")),
            ),
            ("a.py", "if a:\n  b()\n  c()\n", (("  c", "c"), ("b", "d"))),
        ):
            for old, new in changes:
                self.assertIn(old, text)
                self.assertNotEqual(self.of(name, text), self.of(name, text.replace(old, new, 1)), f"{old} {new}")

    def test_a_comment_that_a_tool_obeys_changes_it(self):
        told = BLOCK.replace("/* no reset */", "/* verilator no_inline_module */")
        self.assertNotEqual(self.of("a.sv", BLOCK), self.of("a.sv", told))

    def test_other_files_and_words_count_whole(self):
        self.assertNotEqual(self.of("a.yaml", "a: 1\n"), self.of("a.yaml", "a: 1  # one\n"))
        file = self.write("a.sv", BLOCK)
        self.assertNotEqual(records.digest([file], {"depth": 1}), records.digest([file], {"depth": 2}))

    def test_included(self):
        self.write("a/one.hpp", '#include "a/two.hpp"\n#include <vector>\n')
        self.write("a/two.hpp", "// #include none\n")
        self.write("a/three.hpp", "")
        top = self.write("b/top.cpp", '#include "a/one.hpp"\n#include "beside.hpp"\n#include "fmt/core.h"\n')
        self.write("b/beside.hpp", "")
        found = {str(path.relative_to(self.folder)) for path in records.included([top], self.folder)}
        self.assertEqual(found, {"a/one.hpp", "a/two.hpp", "b/top.cpp", "b/beside.hpp"})


class Programs(unittest.TestCase):
    """A program of three objects, of which a library holds two and one is not linked."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        for name, text in {
            "src/main.cpp": '#include "shared.hpp"\nint main() { return used() - Zero; }\n',
            "src/shared.hpp": "constexpr int Zero = 0;\nint used();\n",
            "src/used.cpp": '#include "shared.hpp"\nint used() { return 0; }\n',
            "src/other.cpp": "int other() { return 1; }\n",
            "src/same/used.cpp": "int used_by_none() { return 2; }\n",
            "build/build.ninja": """rule cxx
  command = g++ -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
rule ar
  command = rm -f $out; ar qc $out $in
rule link
  command = g++ $in -o $out
build main.cpp.o: cxx ../src/main.cpp
build used.cpp.o: cxx ../src/used.cpp
build other.cpp.o: cxx ../src/other.cpp
build same/used.cpp.o: cxx ../src/same/used.cpp
build liball.a: ar used.cpp.o other.cpp.o same/used.cpp.o
build bin/program: link main.cpp.o liball.a
""",
        }.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.make()

    def make(self):
        subprocess.run(["ninja", "-C", self.root / "build"], check=True, capture_output=True)

    def test_sources_are_what_is_linked(self):
        files, options = records.sources(self.root / "build", "program", self.root)
        names = {str(file.relative_to(self.root / "src")) for file in files}
        self.assertEqual(names, {"main.cpp", "shared.hpp", "used.cpp"})
        self.assertEqual(options, [])

    def test_a_program_without_a_build_is_an_error(self):
        with self.assertRaises(RuntimeError):
            records.sources(self.root / "build", "nothing", self.root)


class Names(unittest.TestCase):
    def test_tests_have_the_names_of_today(self):
        for before, now in {
            "media/ftl": "sim/media/ftl",
            "media_ftl_test": "sim_media_ftl_test",
            "host_bridge_hdm_decoder_test": "host_bridge_hdm_decoder_test",
            "system/model_engine": "model/engine",
            "endpoint_endpoint_choice_test": "model_endpoint_choice_test",
            "system/bring_up": "system/bring_up",
            "firmware/bring_up": "sim/firmware/bring_up",
            "gone/away": "gone/away",
            "tools/replay": "cli/replay",
            "tools/cli_trace": "cli/trace",
            "tools_cli_sparse_test": "cli_sparse_test",
            "tools_soak_test": "verify_soak_test",
        }.items():
            self.assertEqual(records.renamed(before), now)

    def test_every_renamed_test_is_there(self):
        for now in records._TESTS.values():
            self.assertTrue((records.ROOT / f"tests/{now}_test.cpp").exists(), now)

    def test_of_a_record(self):
        record = {"faults": [{"by": "media/ftl Ftl.Fills", "what": "media/ftl"}], "left_out": ["media_ftl_test"]}
        self.assertEqual(
            records.with_todays_names(record),
            {"faults": [{"by": "sim/media/ftl Ftl.Fills", "what": "media/ftl"}], "left_out": ["sim_media_ftl_test"]},
        )


if __name__ == "__main__":
    unittest.main()
