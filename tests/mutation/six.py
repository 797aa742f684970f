#!/usr/bin/env python3
"""Six one-line mutants of the RTL, each of which its block test must catch.

Copies the tree (without build output) to a folder of its own, builds the block tests there once, sees them
pass, then for each mutant: one line changed, its test built and run, the line put back. Prints
which test failed and its first message. The tree it is called from is not touched.

Exit status: 0 every mutant caught; 1 one survived, did not build, or a test fails without a mutant;
2 an old text is not found exactly once.

  tests/mutation/six.py [--work DIR] [--only NAME]... [--jobs N]

--work keeps DIR and its build for the next time; without it a temporary folder is used.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 300


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str  # in rtl/
    old: str   # stands in the file exactly once
    new: str
    test: str  # room/name, as CTest has it

    @property
    def target(self):
        return self.test.replace("/", "_") + "_test"


MUTANTS = [
    Mutant("HDM interleave", "host_bridge/hdm_decoder.sv",
           "way_o = 4'(hpa_line_i[11:0] >> (ig + 4'd2))",
           "way_o = 4'(hpa_line_i[11:0] >> (ig + 4'd3))",
           "host_bridge/hdm_decoder"),
    Mutant("credit return", "controller/credit_return.sv",
           "pending_q <= pending_q + 10'(freed_i) -",
           "pending_q <= pending_q + 10'(freed_i && !sent_i) -",
           "controller/credit_return"),
    Mutant("CRC", "controller/crc16.sv",
           "^ (power[15] ? CrcPoly : 16'd0);",
           "^ (power[14] ? CrcPoly : 16'd0);",
           "controller/crc16"),
    Mutant("load control", "root_port/load_control.sv",
           "LoadModerate: state_d = narrower(state_q);",
           "LoadModerate: state_d = wider(state_q);",
           "root_port/load_control"),
    Mutant("window rounding", "root_port/address_window.sv",
           "down_room = room_t'(back) + room_t'(1) -",
           "down_room = room_t'(back) + room_t'(2) -",
           "root_port/address_window"),
    Mutant("retry replay pointer", "controller/retry_buffer.sv",
           "assign rd_next          = (rd_ptr_q == Last) ?",
           "assign rd_next          = (rd_ptr_q == Last - 8'd1) ?",
           "controller/retry_buffer"),
]


def mutated(mutant, text):
    """The file's text with the mutant in it; None unless the old text stands there exactly once."""
    if text.count(mutant.old) != 1:
        return None
    return text.replace(mutant.old, mutant.new)


def copy_tree(work):
    """Brings work/tree up to date; unchanged files keep their time, so that nothing is built again."""
    tree = work / "tree"
    skip = {".git", "out"}
    wanted = set()
    for folder, folders, files in os.walk(ROOT):
        relative = pathlib.Path(folder).relative_to(ROOT)
        folders[:] = [f for f in folders
                      if f not in skip and not (relative == pathlib.Path(".") and f.startswith("build"))]
        for name in files:
            source, target = ROOT / relative / name, tree / relative / name
            if not source.is_file():
                continue
            wanted.add(relative / name)
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
    for path in list(tree.rglob("*")):
        if path.is_file() and path.relative_to(tree) not in wanted:
            path.unlink()
    return tree


class Builder:
    def __init__(self, tree, build, jobs):
        self.tree, self.build, self.jobs = tree, build, jobs
        # Objects are shared with other trees through ccache, whatever their folder is called.
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(tree.parent), CCACHE_NOHASHDIR="1")

    def run(self, *command, timeout=None):
        return subprocess.run(command, env=self.environment, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)

    def configure(self):
        return self.run("cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release")

    def make(self, *targets):
        return self.run("ninja", "-C", str(self.build), f"-j{self.jobs}", *targets)

    def test(self, mutant):
        """(passed, output) of the block test."""
        try:
            done = self.run(str(self.build / "bin" / mutant.target), timeout=TIMEOUT_S)
            return done.returncode == 0, done.stdout
        except subprocess.TimeoutExpired:
            return False, f"[  FAILED  ] {mutant.target}: no end after {TIMEOUT_S} s"


def first_failure(output):
    """The test that failed first and what it said first, in one line."""
    test, message = "", ""
    for line in output.splitlines():
        match = re.match(r"\[ RUN +\] (\S+)", line)
        if match:
            test = match.group(1)
        elif re.search(r": Failure$|Assertion failed|%Error|Falsifiable", line):
            message = line
            break
    lines = output.splitlines()
    if message:
        at = lines.index(message)
        tail = []
        for line in lines[at + 1:at + 6]:
            if not line.strip() or line.startswith("["):
                break
            if line.strip() != "Failed":
                tail.append(line.strip())
        place = re.sub(r"^.*?(tests/\S+?): Failure$", r"\1", message)
        message = " | ".join([place, *tail]) if message.endswith("Failure") else message
    else:
        message = lines[-1] if lines else "no output"
    return test or "(start)", message


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, help="folder for the copy and its build; kept")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        choices=[m.name for m in MUTANTS], help="only this mutant; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def run_mutants(mutants, work, jobs):
    tree = copy_tree(work)
    texts = {}
    for mutant in mutants:
        text = (tree / "rtl" / mutant.file).read_text()
        texts[mutant.name] = mutated(mutant, text)
        if texts[mutant.name] is None:
            print(f"rtl/{mutant.file}: old text of '{mutant.name}' stands there {text.count(mutant.old)} "
                  f"times, not once; correct tests/mutation/six.py: {mutant.old}", file=sys.stderr)
            return 2
    builder = Builder(tree, work / "build", jobs)
    for step in (builder.configure(), builder.make(*[m.target for m in mutants])):
        if step.returncode != 0:
            print(step.stdout[-4000:], "the tree does not build without a mutant", sep="\n", file=sys.stderr)
            return 1
    bad = 0
    for mutant in mutants:
        passed, output = builder.test(mutant)
        if not passed:
            print(f"{mutant.test}: fails without a mutant: {' '.join(first_failure(output))}", file=sys.stderr)
            return 1
    for mutant in mutants:
        path = tree / "rtl" / mutant.file
        original = path.read_text()
        try:
            path.write_text(texts[mutant.name])
            built = builder.make(mutant.target)
            if built.returncode != 0:
                reason = next((l for l in built.stdout.splitlines() if "%Error" in l or "%Warning" in l),
                              built.stdout.splitlines()[-1])
                result, test, message = "NO BUILD", mutant.test, reason
            else:
                passed, output = builder.test(mutant)
                test, message = (mutant.test, "passes") if passed else first_failure(output)
                result = "SURVIVED" if passed else "caught"
        finally:
            path.write_text(original)
        bad += result != "caught"
        print(f"{result:<9} {mutant.name:<21} rtl/{mutant.file}\n"
              f"          by {mutant.test}: {test}\n          {message}", flush=True)
    print(f"{len(mutants) - bad} of {len(mutants)} mutants caught")
    return 1 if bad else 0


def main():
    arguments = parse_arguments()
    mutants = [m for m in MUTANTS if not arguments.only or m.name in arguments.only]
    if arguments.work:
        work = arguments.work.resolve()
        if work == ROOT or ROOT in work.parents:
            print(f"--work {work}: lies in the tree; give a folder outside it", file=sys.stderr)
            return 2
        work.mkdir(parents=True, exist_ok=True)
        return run_mutants(mutants, work, arguments.jobs)
    with tempfile.TemporaryDirectory(prefix="cxlgpu_six_") as folder:
        return run_mutants(mutants, pathlib.Path(folder), arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
