#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What GTKWave shows of a save file: opened on a virtual screen, every trace read at some times.

Every trace must be found. Where it has names, it must show one of them: those of the dump for enumerated variables,
those of the translate files for the rest; and text for flits, the same as in the FST.
Usage: tests/cli/waves_gtkwave.py --cxlgpu FILE   (make waves-test)
Exit status: 0, or 1 with what is wrong.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ASK = """
puts "window [gtkwave::getWindowStartTime] [gtkwave::getMarker]"
foreach time {%s} {
  gtkwave::setMarker $time
  for {set i 0} {$i < [gtkwave::getTotalNumTraces]} {incr i} {
    puts "trace|$time|[gtkwave::getTraceNameFromIndex $i]|[gtkwave::getTraceValueAtMarkerFromIndex $i]"
  }
}
exit
"""


def texts(fst, track):
    """Times and texts of a track of characters, by the library's own converter to VCD."""
    vcd = subprocess.run(["fst2vcd", fst], capture_output=True, check=True, text=True).stdout
    scope, code, at, found = [], None, 0, []
    for line in vcd.splitlines():
        word = line.split()
        if line.startswith("$scope"):
            scope.append(word[2])
        elif line.startswith("$upscope"):
            scope.pop()
        elif line.startswith("$var") and ".".join([*scope, word[4]]) == track:
            code = word[3]
        elif line.startswith("#"):
            at = int(line[1:])
        elif line.startswith("b") and word[1] == code:
            value = int(word[0][1:], 2)
            text = value.to_bytes(160, "big").lstrip(b"\0").decode()
            if text:
                found.append((at, text))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxlgpu", required=True)
    cxlgpu = str(pathlib.Path(parser.parse_args().cxlgpu).resolve())
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        run = [cxlgpu, "run", "vadd-dram-cxl", "--engine", "rtl", "-q", "--waves", "w.fst"]
        run += ["--set", "run.limit_us=2", "--waves-around-mismatch", "500"]
        subprocess.run(run, cwd=folder, capture_output=True, check=False)
        flits = texts(pathlib.Path(folder) / "w.fst", "flits.link0.m2s")
        if len(flits) < 10:
            wrong.append(f"the FST has {len(flits)} flits")
        times = [at for at, _ in flits[:: max(1, len(flits) // 8)]]
        script = pathlib.Path(folder) / "ask.tcl"
        script.write_text(ASK % " ".join(map(str, times)))
        shown = subprocess.run(
            ["xvfb-run", "-a", "gtkwave", "-S", str(script), "w.gtkw"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        ).stdout
        save = (pathlib.Path(folder) / "w.gtkw").read_text()
        window = re.search(r"^window (\d+) (\d+)$", shown, re.M)
        marker = re.search(r"^\*-[0-9.]+ (\d+)$", save, re.M).group(1)
        if not window or window.group(2) != marker:
            wrong.append(f"the marker is at {window and window.group(2)}, the save file says {marker}")
        values = {}
        for _, time, name, value in re.findall(r"^(trace)\|(\d+)\|([^|]*)\|(.*)$", shown, re.M):
            values.setdefault(name, []).append((int(time), value))
        kinds = {}
        flags = ""
        for line in save.splitlines():
            if line.startswith("@"):
                flags = line[1:]
            elif re.match(r"(TOP|flits)\.", line):
                kinds.setdefault(flags, []).append(re.search(r"[^.]*$", line).group())
        # GTKWave shows a trace by its own name, without scopes.
        for flags, names in kinds.items():
            for name in names:
                if name not in values:
                    wrong.append(f"{name} is not shown")
                elif flags in ("20", "2022") and any(re.fullmatch(r"[0-9A-Fa-f]*", v) for _, v in values[name]):
                    wrong.append(f"{name} shows a number: {values[name]}")
        for at, text in flits:
            if at in times and (at, text) not in values.get("m2s[1279:0]", []):
                wrong.append(f"at {at} there is no {text!r} among {values.get('m2s[1279:0]')}")
        print(f"gtkwave: {sum(map(len, kinds.values()))} traces at {len(times)} times, {len(wrong)} wrong")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
