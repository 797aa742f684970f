# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The tests with faulty RTL: a copy of the tree whose RTL holds every fault beside the original, built once.

lay_tree() makes the copy, where the environment variable CXLGPU_MUTANT chooses the fault by its number (0: none);
Bench builds and runs its tests; tests_of() says which tests contain a block. Used by mutants.py and verify/faults.
"""

import collections
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import schemata

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "verify"))
import records  # noqa: E402

SOURCES = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "cmake",
    "configs",
    "docs/guide.md", "examples",
    "flits",
    "common",
    "model",
    "refmodel",
    "sim",
    "regs",
    "rtl",
    "tb",
    "tests",
    "cli",
    "eval",
    "scripts",
    "third_party",
    "verify",
]
# Tests that run the whole RTL, in order of what they cost; tried when the blocks' own tests see nothing.
SYSTEM_TESTS = [
    "system/phy_ready",
    "system/rtl_engine",
    "system/register_storm",
    "system/hazards",
    "system/io_access",
    "system/deterministic_store",
    "system/dev_load",
    "system/bring_up",
    "system/viral",
    "system/link_down",
    "system/poison",
    "system/metamorphic",
]


def usage(message):
    print(f"{pathlib.Path(sys.argv[0]).stem}: {message}", file=sys.stderr)
    sys.exit(2)


def blocks():
    return [str(f.relative_to(ROOT)) for f in sorted(ROOT.glob("rtl/*/*.sv")) if f.parent.name != "pkg"]


def lay_tree(tree):
    """The sources without the RTL's blocks, which the caller writes; a file that the sources no longer have goes."""
    own = {tree / "cmake/empty.cpp", tree / "cmake/verilate.cmake"}
    for name in SOURCES:
        source = ROOT / name
        for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
            if not file.is_file() or file.suffix == ".pyc" or (name == "rtl" and file.suffix == ".sv"):
                continue
            target = tree / file.relative_to(ROOT)
            if target not in own and not (target.exists() and filecmp.cmp(file, target, shallow=False)):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target)
    write_if_new(tree / "cmake/empty.cpp", (ROOT / "cmake/empty.cpp").read_text() + schemata.CHOICE)
    text = (ROOT / "cmake/verilate.cmake").read_text()
    text = text.replace("-Wall -Wno-UNUSEDPARAM", "-Wno-fatal -Wno-lint -Wno-style")
    write_if_new(tree / "cmake/verilate.cmake", text)
    write_if_new(tree / "rtl/pkg/a_mutant_pkg.sv", schemata.PACKAGE)  # before those that import it
    for file in sorted(ROOT.glob("rtl/pkg/*.sv")):
        write_if_new(tree / "rtl/pkg" / file.name, file.read_text())
    made = tree / "rtl/pkg/a_mutant_pkg.sv"
    for folder in sorted(p for p in tree.glob("*") if p.is_dir() and p.name != "build"):
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file != made and not (ROOT / file.relative_to(tree)).exists():
                file.unlink()


def write_if_new(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def tests_of(files):
    """Block -> tests whose top contains it; test -> its top."""
    below = {}

    def inside(name):
        if name not in below:
            below[name] = set()
            for instance in files[name].instances:
                child = next((f for f in files if f.endswith(f"/{instance}.sv")), None)
                if child:
                    below[name] |= {child} | inside(child)
        return below[name]

    owners = collections.defaultdict(list)
    for test in sorted(ROOT.glob("tests/*/*_test.cpp")):
        name = f"{test.parent.name}/{test.name.removesuffix('_test.cpp')}"
        top = test.with_name(test.name.replace("_test.cpp", "_tb.sv"))
        block = f"rtl/{name}.sv"
        if top.exists():
            tb = schemata.Schemata(ROOT, str(top.relative_to(ROOT)))
            for instance in tb.instances:
                child = next((f for f in files if f.endswith(f"/{instance}.sv")), None)
                if child:
                    for held in {child} | inside(child):
                        owners[held].append(name)
        elif block in files:
            for held in {block} | inside(block):
                owners[held].append(name)
    whole = inside("rtl/top/cxlgpu_top.sv") | {"rtl/top/cxlgpu_top.sv"}
    for held in whole:
        owners[held] += SYSTEM_TESTS
    return owners


def test_sources(tests):
    """What of tests/ the verdicts of these tests stand on: each, its top and what it includes."""
    files = [ROOT / f"tests/{test}_test.cpp" for test in tests]
    tops = [f.with_name(f.name.replace("_test.cpp", "_tb.sv")) for f in files]
    inside = {f for f in records.included(files) if f.is_relative_to(ROOT / "tests")}
    return sorted(inside | {top for top in tops if top.exists()})


class Bench:
    """The built tests, and what they take without a mutant."""

    def __init__(self, tree, cycles):
        self.work, self.build = tree.parent, tree / "build"
        # Ours alone: a variable of the caller's shell may make a test fail without any mutant.
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("CXLGPU_", "GTEST_"))}
        self.environment |= {"RC_PARAMS": "seed=1", "GTEST_FAIL_FAST": "1", "GTEST_BRIEF": "1"}
        self.cycles = cycles
        self.full = set()  # tests that need all their cycles
        self.seconds = {}
        self.arguments = {}  # of each program, as CTest has them

    def configure(self, tree):
        if not (self.build / "build.ninja").exists():
            self._do(
                [
                    "cmake",
                    "-S",
                    str(tree),
                    "-B",
                    str(self.build),
                    "-G",
                    "Ninja",
                    "-DCMAKE_BUILD_TYPE=Release",
                    "-DCXLGPU_TESTS=ON",
                ]
            )

        listed = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--show-only=json-v1"], capture_output=True, text=True, check=True
        ).stdout
        for test in json.loads(listed)["tests"]:
            self.arguments[test["name"]] = test.get("command", [])[1:]

    def make(self, tests, jobs):
        self._do(["ninja", "-C", str(self.build), "-j", str(jobs), *(self._target(t) for t in tests)])

    def _do(self, command):
        with open(self.work / "build.log", "a", encoding="utf-8") as log:
            if subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode:
                usage(f"does not build: see {self.work}/build.log")

    @staticmethod
    def _target(test):
        return test.replace("/", "_") + "_test"

    def run(self, test, number, limit, x_seed=0, case=None, assertions=True):
        """(passed, first complaint, seconds) of a test program, or of one case of it (Suite.Name)."""
        start = time.monotonic()
        environment = dict(self.environment, CXLGPU_MUTANT=str(number), CXLGPU_X_SEED=str(x_seed))
        if case:  # with parameters or types too
            environment["GTEST_FILTER"] = f"{case}:{case}/*:*/{case}:*/{case}/*"
        if not assertions:
            environment["CXLGPU_ASSERTIONS"] = "0"
        if self.cycles and test not in self.full:
            environment["CXLGPU_CYCLES"] = str(self.cycles)
        scratch = (
            self.work / "scratch" / f"{number}-{test.replace('/', '_')}-{threading.get_ident()}"
        )  # tests write beside themselves
        scratch.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(
                [str(self.build / "bin" / self._target(test)), *([] if case else self.arguments.get(test, []))],
                cwd=scratch,
                env=environment,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return False, "does not end", time.monotonic() - start
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        seconds = time.monotonic() - start
        if done.returncode == 0:
            return True, "", seconds
        text = done.stdout + done.stderr
        said = re.search(r"(%Error[^\n]*|[^\n]*Failure\n[^\n]*|terminate[^\n]*)", text)
        return False, " ".join((said[0] if said else f"exit {done.returncode}").split())[:200], seconds

    def time_all(self, tests):
        failed = []
        kept = self.work / f"seconds-{self.cycles}.json"  # of programs that were not built again since
        before = json.loads(kept.read_text()) if kept.exists() else {}
        for test in tests:
            built = (self.build / "bin" / self._target(test)).stat().st_mtime
            if test in before and before[test]["built"] == built:
                self.seconds[test] = before[test]["seconds"]
                if before[test]["full"]:
                    self.full.add(test)
                continue
            passed, said, seconds = self.run(test, 0, 600)
            if not passed and self.cycles:
                self.full.add(test)
                passed, said, seconds = self.run(test, 0, 600)
            self.seconds[test] = seconds
            if passed:
                before[test] = {"built": built, "seconds": seconds, "full": test in self.full}
            else:
                failed.append(f"{test} fails without a mutant: {said}")
        kept.write_text(json.dumps(before))
        return failed
