#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Speed of the engines: simulated cycles/s of rtl and cosim, requests/s of model, and what a request of the model
takes of the host: instructions, by callgrind, and with --against the processor time beside another build's, in turns.

Each scenario runs on every engine, --runs times in turn; the best wall time of each counts, so that a
noisy neighbour does not. Wall time is the run itself, without start-up. The data sets are larger than
the scenarios' own, whose model runs end in a few hundredths of a second and time cold caches. A kernel's
run holds the GPU model, which all engines share; the rows named after a trace are the memory system alone.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import budget
import runs

SCENARIOS = {
    "vadd-znand-cxl": 262144,
    "vadd-znand-sr": 262144,
    "vadd-dram-cxl": 262144,  # elements
    "bfs-znand-cxl": 32768,
    "bfs-znand-sr": 32768,
    "bfs-dram-cxl": 32768,  # nodes
}
IN_TURNS = {  # model alone
    **SCENARIOS,
    "vadd-znand-ds": 32768,
    "gemm-dram-cxl": 128,  # edge
}
STREAM_LINES = {"table": 8192, "turns": 65536}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--scenario",
        action="append",
        help="with its own data set; default: " + ", ".join(f"{name} {size}" for name, size in SCENARIOS.items()),
    )
    parser.add_argument(
        "--trace",
        action="append",
        type=pathlib.Path,
        default=[],
        help="replayed too; default: generated streams, one back to back and one "
        "at the pace of a GPU's saxpy (a request in nine cycles)",
    )
    parser.add_argument(
        "--against",
        metavar="BUILD",
        help="no table of the engines: processor time of the model beside another cxlgpu's, in turns; "
        "a program, or a revision, which is built in build/against",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of the build of a revision")
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    other = build_of(args.against, args.jobs) if args.against else None
    with tempfile.TemporaryDirectory() as folder:
        sizes = IN_TURNS if other else SCENARIOS
        rows = [(name, name, []) for name in args.scenario or []]
        if not args.scenario:
            rows = [(f"{name} {n}", name, ["--set", f"workload.size={n}"]) for name, n in sizes.items()]
        if not args.scenario or args.trace:
            lines = STREAM_LINES["turns" if other else "table"]
            streams = [budget.stream_trace(folder, name, lines) for name in budget.PACES]
            for trace in args.trace or streams:
                rows += [
                    (f"{trace.name.split('.')[0]} {name.split('-', 1)[1]}", name, ["--trace", str(trace)])
                    for name in ("vadd-znand-sr", "vadd-dram-cxl")
                ]
        if other:
            turns(args, rows, other)
        else:
            table(args, rows)
    if not args.scenario and not args.trace:
        instructions(args.cxlgpu)


def build_of(build, jobs):
    """The cxlgpu of this name, or the one that the release preset of this revision makes."""
    if os.access(build, os.X_OK) and not os.path.isdir(build):
        return os.path.abspath(build)
    git = ["git", "-C", str(budget.ROOT)]
    found = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", f"{build}^{{commit}}"], capture_output=True, text=True
    )
    if found.returncode != 0:
        print(f"bench: --against {build}: no program and no revision; give one of the two", file=sys.stderr)
        sys.exit(2)
    folder = budget.ROOT / "build" / "against" / found.stdout.strip()
    program = folder / "build" / "bin" / "cxlgpu"
    if not program.exists():
        print(f"bench: building {build} in {folder}", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run([*git, "archive", found.stdout.strip()], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
        runs.call(
            ["cmake", "-S", str(folder), "--preset", "release", "-B", str(folder / "build"), "-DCXLGPU_TESTS=OFF"]
        )
        runs.call(["cmake", "--build", str(folder / "build"), "--target", "cxlgpu", "-j", str(jobs)])
    return str(program)


def processor_time(cxlgpu, scenario, more):
    """Seconds of a run of the model, start-up and report in it, and its stats.json."""

    def so_far():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime  # the sum is exact, its parts are sampled

    with tempfile.TemporaryDirectory() as out:
        started = so_far()
        runs.call([cxlgpu, "run", scenario, "--engine", "model", "--out", out, *more])
        return so_far() - started, runs.read(pathlib.Path(out) / "stats.json")


def turns(args, rows, other):
    print(f"processor time of the model, best of {args.runs} in turns with {args.against}")
    print(f"{'run':28} {'s':>8} {'other s':>8} {'ratio':>6} {'krequests/s':>12} {'other':>8}  same end")
    for label, scenario, more in rows:
        best, stats = {}, {}
        for _ in range(args.runs):
            for cxlgpu in (args.cxlgpu, other):
                seconds, stats[cxlgpu] = processor_time(cxlgpu, scenario, [*more, *args.extra])
                best[cxlgpu] = min(best.get(cxlgpu, seconds), seconds)
        here, there = best[args.cxlgpu], best[other]
        requests = budget.requests(stats[args.cxlgpu]) / 1e3
        same = stats[args.cxlgpu]["end_to_end"]["value"] == stats[other]["end_to_end"]["value"]
        rates = f"{there / here:5.2f}x {requests / here:12.0f} {requests / there:8.0f}"
        print(f"{label:28} {here:8.3f} {there:8.3f} {rates}  {'yes' if same else 'NO'}", flush=True)


def instructions(cxlgpu):
    """What a request takes of the host in the short runs of the budget."""
    recorded = budget.read_record(budget.RECORD)["runs"]
    print(f"\n{'host instructions a request':28} {'here':>8} {'record':>8}")
    for run in budget.RUNS:
        now, _ = budget.measure(run, pathlib.Path(cxlgpu).resolve())
        print(f"{run:28} {now:8.0f} {recorded[run]['instructions']:8.0f}", flush=True)


def table(args, rows):
    print(
        f"{'run':28} {'rtl':>10} {'cosim':>10} {'cosim/rtl':>9} {'model':>12} {'model/rtl':>9} "
        f"{'end rtl':>10} {'end model':>10} {'differ':>8}"
    )
    print(
        f"{'':28} {'kcycles/s':>10} {'kcycles/s':>10} {'':>9} {'krequests/s':>12} {'':>9} {'us':>10} {'us':>10} {'':>8}"
    )
    for label, scenario, options in rows:
        best = {}
        stats = {}
        for _ in range(args.runs):
            for engine in ("rtl", "cosim", "model"):
                s = runs.stats(args.cxlgpu, scenario, engine, *options, *args.extra)
                wall = s["wall"]["value"]
                if engine not in best or wall < best[engine]:
                    best[engine] = wall
                    stats[engine] = s
        cycles = {e: stats[e]["rtl_cycles"]["value"] / best[e] / 1e3 for e in ("rtl", "cosim")}
        requests = budget.requests(stats["model"])
        ends = {e: stats[e]["end_to_end"]["value"] / 1e3 for e in ("rtl", "model")}
        print(
            f"{label:28} {cycles['rtl']:10.0f} {cycles['cosim']:10.0f} "
            f"{cycles['cosim'] / cycles['rtl']:9.2f} {requests / best['model'] / 1e3:12.0f} "
            f"{best['rtl'] / best['model']:9.1f} {ends['rtl']:10.1f} {ends['model']:10.1f} "
            f"{100 * (ends['model'] / ends['rtl'] - 1):+7.2f}%",
            flush=True,
        )


if __name__ == "__main__":
    main()
