#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Builds and runs the tests of one block, and says the seconds: `make block BLOCK=io_link`.

Its tests: those of its name (tests/**/BLOCK_test.cpp). If there is none, those of the nearest that hold it, by the
modules in between; --all takes every test whose top holds it.
They have a build of their own, build/block, with no other test in it: in the build of all tests a change of RTL
verilates each top that holds the block before anything else is done.
Exit status: 0 all passed; 1 one failed or does not build; 2 no such block.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NO_NAMES = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
INSTANCE = re.compile(r"^[ \t]*(\w+)\s+(?:#\s*\(|\w+\s*\()", re.M)


def instances(names):
    """Module -> modules that its text has instances of."""
    texts = [*ROOT.glob("rtl/*/*.sv"), *ROOT.glob("tests/**/*_tb.sv")]
    words = {f: set(INSTANCE.findall(NO_NAMES.sub(" ", f.read_text()))) for f in texts}
    return {f: {names[w] for w in found & names.keys()} - {f} for f, found in words.items()}


def holders(block):
    """Test -> how many modules lie between its bench and the block, of those that hold it."""
    names = {f.stem: f for f in ROOT.glob("rtl/*/*.sv")}
    inside, found = instances(names), {}
    for test in ROOT.glob("tests/**/*_test.cpp"):
        label = str(test.relative_to(ROOT / "tests")).removesuffix("_test.cpp")
        bench, own = test.with_name(f"{test.stem.removesuffix('_test')}_tb.sv"), ROOT / f"rtl/{label}.sv"
        level = inside[bench] if bench.exists() else {own} if own.exists() else set()
        seen, depth = set(), 0
        while level:
            if names[block] in level:
                found[label] = depth
                break
            seen |= level
            level, depth = {below for f in level for below in inside[f]} - seen, depth + 1
    return found


def tests_of(block, every):
    files = ROOT.glob(f"tests/**/{block}_test.cpp")
    found = {str(f.relative_to(ROOT / "tests")).removesuffix("_test.cpp") for f in files}
    if any(ROOT.glob(f"rtl/*/{block}.sv")) and (every or not found):
        depths = holders(block)
        found |= {test for test, depth in depths.items() if every or depth == min(depths.values())}
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("block", help="a module of rtl/ or the name of a test")
    parser.add_argument("--all", action="store_true", help="every test whose top holds the block")
    parser.add_argument("--list", action="store_true", help="name the tests; run nothing")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/block")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    tests = tests_of(args.block, args.all)
    if not tests:
        parser.error(f"no test of {args.block}: it is no module of rtl/, and tests/ has no {args.block}_test.cpp")
    if args.list:
        print("\n".join(tests))
        return 0
    # A test that shares another one's verilated top needs that one.
    needed = [*tests, *(["endpoint/endpoint"] if "peer/rtl_device" in tests else [])]
    only = f"^({'|'.join(needed)})$"
    cache = args.build / "CMakeCache.txt"
    kept = re.search(r"^CXLGPU_ONLY:STRING=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    start = time.monotonic()
    if kept is None or kept[1] != only:
        configured = subprocess.run(
            ["cmake", "--preset", "release", "-B", str(args.build), f"-DCXLGPU_ONLY={only}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        if configured.returncode:
            sys.stderr.write(configured.stdout[-2000:] + configured.stderr[-3000:])
            return 1
    targets = [test.replace("/", "_") + "_test" for test in tests]
    if subprocess.run(["cmake", "--build", str(args.build), "-j", str(args.jobs), "--target", *targets]).returncode:
        return 1
    built = time.monotonic()
    chosen = f"^({'|'.join(tests)})$"
    words = ["ctest", "--test-dir", str(args.build), "--output-on-failure", "-j", str(args.jobs), "-R", chosen]
    status = subprocess.run(words).returncode
    seconds = f"built in {built - start:.1f} s, run in {time.monotonic() - built:.1f} s"
    print(f"{args.block}: {', '.join(tests)}: {seconds}" + (", FAILED" if status else ""))
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
