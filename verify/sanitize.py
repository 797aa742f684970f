#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Tests under other eyes; each writes its section of docs/trust/sanitizers.json.

  x         tests with a verilated top, with --seeds values of all state without reset (CXLGPU_X_SEED;
            0 is all zero): what passes with some seeds only depends on state that nothing set
  asan      tests of the build with address and undefined-behaviour sanitizers (preset asan)
  valgrind  the tests that run for less than --most seconds without it, with fewer CXLGPU_CYCLES
  threads   which of our libraries make threads (none: there is nothing for a thread sanitizer)

--test PATTERN chooses tests by name (a regular expression); only built tests run. --again runs the tests
that have findings in the record, and leaves what the record says of the others. A failure prints one line
with its command. Exit code: 0 nothing found, 1 something found, 2 wrong usage.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

import records


def tests_of(build, pattern):
    """(name of the target, has a verilated top) of every test built that the pattern names."""
    found = []
    for source in sorted((records.ROOT / "tests").rglob("*_test.cpp")):
        room = "_".join(source.relative_to(records.ROOT / "tests").parent.parts)
        name = source.stem.removesuffix("_test")
        target = f"{room}_{source.stem}"
        if not (build / "bin" / target).exists() or not re.search(pattern, target):
            continue
        verilated = source.with_name(f"{name}_tb.sv").exists() or (records.ROOT / f"rtl/{room}/{name}.sv").exists()
        found.append((target, verilated))
    return found


def run(command, env, limit):
    """(seconds, exit code or "timeout", what was printed)"""
    begun = time.monotonic()
    try:
        done = subprocess.run(
            [str(c) for c in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=limit,
            env={**os.environ, "RC_PARAMS": "seed=1", **{k: str(v) for k, v in env.items()}},
        )
    except subprocess.TimeoutExpired as error:
        return time.monotonic() - begun, "timeout", (error.stdout or b"").decode(errors="replace")
    return time.monotonic() - begun, done.returncode, done.stdout


def passed(text):
    found = re.search(r"\[  PASSED  \] (\d+) test", text)
    return int(found.group(1)) if found else 0


def first_wrong(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next(
        (
            line
            for line in lines
            if re.search(
                r"runtime error|ERROR: AddressSanitizer|Failure|Assertion failed|%Error|== Invalid|== Conditional", line
            )
        ),
        lines[-1] if lines else "nothing printed",
    )[:300]


class Runs:
    """Runs of tests, and what they add up to."""

    def __init__(self, args):
        self.args, self.tests, self.cases, self.runs, self.findings = args, set(), 0, 0, []
        self.seconds = {}

    def one(self, target, env, prefix=(), limit=None):
        seconds, status, text = run([*prefix, self.args.build / "bin" / target], env, limit or self.args.limit)
        self.tests.add(target)
        self.runs += 1
        self.cases += passed(text)
        self.seconds[target] = round(self.seconds.get(target, 0) + seconds, 2)
        if status != 0 or passed(text) == 0:
            words = [f"{k}={v}" for k, v in env.items()] + [str(p) for p in prefix]
            replay = " ".join([*words, f"bin/{target}"])
            self.findings.append(
                {"test": target, "exit": status, "what": first_wrong(text), "passed": passed(text), "replay": replay}
            )
            print(f"FOUND {target}: exit {status}: {first_wrong(text)}; again: {replay}", flush=True)
        return status

    def all(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for job in [pool.submit(self.one, *job) for job in jobs]:
                job.result()

    def section(self, **more):
        return {
            "tests": len(self.tests),
            "runs": self.runs,
            "cases_passed": self.cases,
            "seconds": round(sum(self.seconds.values()), 1),
            "findings": self.findings,
            **more,
            "names": sorted(self.tests),
        }


def x_propagation(args):
    tests = [t for t, verilated in tests_of(args.build, args.test) if verilated]
    deaf = [t for t in tests if run([args.build / "bin" / t], {"CXLGPU_X_SEED": "none"}, 60)[1] != 2]
    if deaf:  # built before there was a seed, they would pass alike
        sys.exit(f"sanitize: built without CXLGPU_X_SEED, build again: {', '.join(deaf)}")
    runs = Runs(args)
    runs.all([(t, {"CXLGPU_X_SEED": seed}) for t in tests for seed in range(args.seeds)])
    differ = sorted({f["test"] for f in runs.findings})
    return runs.section(
        seeds=args.seeds, tests_not_alike_or_failing=differ, verilator=records.version("verilator", "--version")
    )


NO_SHADOW = {"cli_sparse_test"}  # limits its address space, of which the sanitizer wants terabytes


def asan(args):
    symbols = subprocess.run(["nm", "-C", *args.build.glob("lib*.a")], capture_output=True, text=True).stdout
    if "__asan_report" not in symbols:
        sys.exit(f"sanitize: {args.build} is no build with sanitizers: cmake --preset asan")
    runs = Runs(args)
    every = tests_of(args.build, args.test)
    tests = [(t, v) for t, v in every if t not in NO_SHADOW]
    runs.all([(t, {"CXLGPU_CYCLES": args.cycles} if args.cycles else {}) for t, _ in tests])
    tops = [p for t, v in tests_of(args.build, "") if v for p in args.build.glob(f"tests/lib{t}_v.a")]
    bare = [
        p.name for p in tops if "__asan_report" not in subprocess.run(["nm", p], capture_output=True, text=True).stdout
    ]
    return runs.section(
        cycles=args.cycles,
        verilated_libraries=len(tops),
        not_instrumented=bare,
        left_out=[t for t, _ in every if t in NO_SHADOW],
        compiler=records.version("c++", "--version"),
    )


def valgrind(args):
    """A test's time without valgrind decides whether it is in. Those that need all their cycles to show
    what they are to show get them; one that fails even so fails under valgrind too, and is found."""
    runs, left, whole = Runs(args), [], []
    for target, _ in tests_of(args.build, args.test):
        for env in ({"CXLGPU_CYCLES": args.cycles}, {}):
            used, status, _ = run([args.build / "bin" / target], env, 30 * args.most)
            if status == 0:
                break
        if used > args.most:
            left.append(target)
            continue
        if not env:
            whole.append(target)
        runs.one(
            target,
            env,
            ("valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite"),
        )
    return runs.section(
        cycles=args.cycles,
        all_cycles=whole,
        most_plain_seconds=args.most,
        left_out=left,
        valgrind=records.version("valgrind", "--version"),
    )


def threads(args):
    """What can start a thread, by undefined symbols of each object; Verilator's own runtime apart."""
    pattern = r"^(.*?):(.*?): .*(pthread_create|thrd_create|_ZNSt6thread15_M_start_thread)"
    libraries = sorted(
        p
        for room in (".", "cli", "tb", "tests")
        for p in args.build.glob(f"{room}/lib*.a")
        if not p.name.endswith("_v.a") and p.name != "libverilated_runtime.a"
    )
    if not libraries:
        sys.exit(f"sanitize: no library in {args.build}")
    symbols = subprocess.run(["nm", "-A", "-u", *libraries], capture_output=True, text=True).stdout
    users = {(pathlib.Path(m[0]).name, m[1]): m[2] for m in re.findall(pattern, symbols, re.M)}
    verilator = sorted({o for _, o in users if o.startswith("verilated")})
    found = [
        {"test": library, "exit": 0, "what": f"{o} uses {symbol}", "replay": f"nm -A -u {library}"}
        for (library, o), symbol in sorted(users.items())
        if o not in verilator
    ]
    for f in found:
        print(f"FOUND {f['test']}: {f['what']}")
    return {"libraries": [p.name for p in libraries], "of_verilators_runtime": verilator, "findings": found}


KINDS = {"x": x_propagation, "asan": asan, "valgrind": valgrind, "threads": threads}


def united(before, section):
    """What the record said, without the tests that ran again, and what these say now."""
    again = {f["test"] for f in before["findings"]}
    gone = again - set(section["names"])
    return (
        before
        | section
        | {
            "tests": before["tests"] - len(gone),
            "runs": before["runs"] - len(gone),
            "cases_passed": (
                before["cases_passed"] - sum(f["passed"] for f in before["findings"]) + section["cases_passed"]
            ),
            "seconds": round(before["seconds"] + section["seconds"], 1),
            "processor_s": round(before["processor_s"] + section["processor_s"], 1),
            "names": sorted(set(before["names"]) - gone),
            "left_out": sorted({*before.get("left_out", []), *section.get("left_out", [])}),
        }
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--build", type=pathlib.Path, help="default: build, asan: build/asan")
    parser.add_argument("--test", default="", help="regular expression; default: every test built")
    parser.add_argument("--again", action="store_true", help="asan: those of the record that have findings")
    parser.add_argument("--seeds", type=int, default=10, help="x")
    parser.add_argument("--cycles", type=int, help="CXLGPU_CYCLES; asan: the tests' own, valgrind 2000")
    parser.add_argument("--most", type=float, default=2.0, help="valgrind: seconds of a test without it")
    parser.add_argument("--limit", type=float, default=900, help="seconds of one run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", type=pathlib.Path, default=records.ROOT / "docs/trust/sanitizers.json")
    args = parser.parse_args()
    args.build = args.build or pathlib.Path("build/asan" if args.kind == "asan" else "build")
    if args.kind == "valgrind":
        args.cycles = args.cycles or 2000
    data = records.read(args.record, {"name": "sanitizers"})
    before = records.with_todays_names(data.get(args.kind, {}))
    if args.again:
        if args.kind != "asan" or not before.get("findings"):
            parser.error("--again: the record has no findings of asan")
        args.test = "|".join(f"^{f['test']}$" for f in before["findings"])
    section = KINDS[args.kind](args)
    if section.get("tests") == 0:
        parser.error(f"no test in {args.build}/bin that --test names")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    section |= {
        "date": records.now(),
        "commit": records.commit(),
        "processor_s": round(usage.ru_utime + usage.ru_stime, 1),
    }
    if args.again:
        section = united(before, section)
    data[args.kind] = section
    records.replace(args.record, data)
    print(
        f"{args.kind}: {section.get('tests', len(section.get('libraries', [])))} looked at, "
        f"{len(section['findings'])} findings"
    )
    return 1 if section["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
