#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Speculation policies side by side: speed-up over plain CXL and what of the speculation was useless.

Each row is a workload on Z-NAND: vadd, bfs, traces given with --trace, and the patterns of
eval/patterns.py at 4, 16, 64 and 128 streams; --rows chooses among them, and has those workloads on
which no policy was made. Useless: of the granules that MemSpecRd brought into the internal DRAM, those
evicted before a load used one of their lines. With --mixes N the rows are N mixes drawn by seeds from
--seed on, with an internal DRAM (a port) drawn too, and the end is how each policy did over all of
them; --of says what of: patterns made by rule, or the requests of workloads. --starts N compares each
policy with itself: the same mix begun 0 to N-1 cycles later. What that changes no policy is to blame for.

--figures tells what the speculation of each policy was, over all rows:
  coverage   granules that a demand access found filled by a MemSpecRd, or being filled, of those and the
             ones that were filled for a demand access
  accuracy   of the granules that MemSpecRd requested, those found so
  in time    of those found so, the ones that were there already
  media      bytes that the internal DRAM read, and over those of plain CXL
  state      bits that a port keeps for the policy
In the table of workloads it puts coverage / accuracy / in time (%) in the place of the useless ones. An
internal DRAM with lines of 256 B is taken for granted.

  eval/policies.py --rows kernels --rows traces --trace a.csv.gz --policy sr --policy stream
  eval/policies.py --mixes 200 --of kernels
  eval/policies.py --mixes 200 --starts 5 --policy stream
  eval/policies.py --rows kernels --figures --policy stream --policy stride --policy best-offset
"""

import argparse
import collections
import gzip
import itertools
import math
import os
import pathlib
import random
import sys
import tempfile

import patterns
import sweeps

POLICIES = ["cxl", "naive", "dyn", "sr-paper", "sr", "stream"]
PUBLISHED = ["stride", "best-offset", "access-map", "footprint"]  # engine model alone
# Bits of a port, at default sizes: docs/results/policies.md (area of ring_buffer and stream_table), and
# kStateBits in model/prefetch.
RING = 48640
STATE = {"naive": (0, False), "dyn": (0, True), "sr-paper": (0, True), "sr": (0, True), "stream": (16442, False)}
STATE |= {"stride": (3456, True), "best-offset": (8312, True), "access-map": (11072, True), "footprint": (5824, True)}
ROWS = ["named", "traces", "patterns", "kernels", "large"]
DRAM_KIB = (32, 64, 128, 256, 512, 1024)


class Figures(collections.Counter):
    """Of a run, or of several together: granules, lines and bytes."""

    @classmethod
    def sum(cls, runs_of):
        total = cls()
        for of in runs_of:
            total.update(of)
        return total

    def percent(self, part, *whole):
        of = sum(self[name] for name in whole)
        return 100 * self[part] / of if of else 0

    def useless(self):
        return self.percent("evicted_unused", "filled")

    def coverage(self):
        return self.percent("used", "used", "demand_fills")

    def accuracy(self):
        return self.percent("used", "requested")

    def in_time(self):
        return self.percent("useful_lines", "used")


def figures_of(point):
    """Of a run."""
    of = Figures()
    for path, value in point.figures.items():
        part = path.split(".")
        if part[0] == "memspecrd" and len(part) == 2:
            of[part[1]] = value
    of["used"] = of["useful_lines"] + of["late_lines"]
    ports = [
        point.over_ports(f"internal_dram_counters.{name}") for name in ("demand_fills", "spec_fills", "filled_behind")
    ]
    of["demand_fills"] = ports[0]
    of["bytes"] = sum(ports) * point.config()["endpoint"]["line_bytes"]
    return of


def run(args, policies, name, sweep):
    """Of a sweep of rows, by row: of each policy the time that it took, in ns, and its figures."""
    sweep = {
        **sweep,
        **args.extra,
        "engine": args.engine,
        "scenario": [f"vadd-znand-{policy}" for policy in policies],
        "set": {**sweep.get("set", {}), **args.extra.get("set", {})},
    }
    points = sweeps.by_scenario(sweeps.run(args.cxlgpu, args.out / name, sweep, args.jobs))
    of_policy = [[(p["end_to_end"], figures_of(p)) for p in points[scenario]] for scenario in sweep["scenario"]]
    return list(zip(*of_policy))


def mean_of(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_figures(policies, plain, speed_ups, figures):
    """Of all rows: the figures of plain CXL; by policy, the speed-up of each row and the figures of all."""
    columns = ["policy", "mean speed-up (geometric)", "coverage, %", "accuracy, %", "in time, %"]
    columns += ["media, MiB", "bits of state"]
    print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for policy in policies:
        of, (bits, ring) = figures[policy], STATE[policy]
        state = " + ".join(filter(None, [f"{bits:,}".replace(",", " ") if bits or not ring else "", "ring" * ring]))
        print(
            f"| {policy} | {mean_of(speed_ups[policy]):.3f} | {of.coverage():.1f} | {of.accuracy():.1f} "
            f"| {of.in_time():.1f} | {of['bytes'] / 2**20:.1f} ({of['bytes'] / max(1, plain['bytes']):.2f}) | {state} |"
        )
    print(f"\nThe ring has {RING:,} bits. Plain CXL read {plain['bytes'] / 2**20:.1f} MiB.".replace(",", " "))


def write(args, name, streams, seed, start=0):
    """A trace; the same bytes each time, so that a sweep goes on."""
    path = args.out / "traces" / f"{name}{streams}-{seed}-{start}-{args.loads}.csv.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    header, *rows = patterns.trace(name, streams, args.loads, seed, args.cxlgpu)
    later = (row.split(",", 1) for row in rows)
    text = "\n".join([header] + [f"{int(cycle) + start},{rest}" for cycle, rest in later]) + "\n"
    path.write_bytes(gzip.compress(text.encode(), compresslevel=1, mtime=0))
    return str(path)


def groups(args):
    """Of each group of rows: its name, its sweep, and how its rows are called."""
    named, large = sweeps.load("policies-named"), sweeps.load("policies-large")
    kernels = sweeps.load("policies-kernels")
    chosen = args.rows or ["named", "traces", "patterns"]
    sizes = [f"{row['workload.size']:,}".replace(",", " ") if "workload.size" in row else "" for row in named["list"]]
    names = [", ".join(filter(None, (row["workload.name"], size))) for row, size in zip(named["list"], sizes)]
    yield "named", named, names
    yield "kernels", kernels, [row["workload.name"] for row in kernels["list"]]
    yield "large", large, [f"{row['workload.name']}, {row['workload.size']}" for row in large["list"]]
    if args.trace:
        traces = [str(trace) for trace in args.trace]
        yield "traces", {"list": [{"trace": trace} for trace in traces]}, [t.name.split(".")[0] for t in args.trace]
    if "patterns" in chosen:
        kinds = list(itertools.product(patterns.NAMED, (4, 16, 64, 128)))
        traces = [write(args, kind, streams, args.seed) for kind, streams in kinds]
        yield "patterns", {"list": [{"trace": trace} for trace in traces]}, [f"{kind}, {n}" for kind, n in kinds]


def table(args, policies):
    print("| workload | plain CXL, us | " + " | ".join(policies) + " |")
    print("|---" * (2 + len(policies)) + "|", flush=True)
    of_plain, figures, speed_ups = [], {policy: [] for policy in policies}, {policy: [] for policy in policies}
    chosen = args.rows or ["named", "traces", "patterns"]
    for group, sweep, names in groups(args):
        if group not in chosen:
            continue
        for name, (plain, *others) in zip(names, run(args, ["cxl"] + policies, group, sweep)):
            cells = []
            of_plain.append(plain[1])
            for policy, (time, of) in zip(policies, others):
                speed_ups[policy].append(plain[0] / time)
                figures[policy].append(of)
                useless = f"{of.useless():.0f} %"
                if args.figures:
                    useless = f"{of.coverage():.0f} / {of.accuracy():.0f} / {of.in_time():.0f}"
                cells.append(f"{plain[0] / time:.2f} ({useless})")
            print(f"| {name} | {plain[0] / 1e3:.1f} | " + " | ".join(cells) + " |", flush=True)
    if args.figures:
        print_figures(policies, Figures.sum(of_plain), speed_ups, {p: Figures.sum(figures[p]) for p in policies})


def runs_of_mixes(args, policies, starts=(0,)):
    """Of each mix, of each start: the runs of the policies, and (seed, KiB)."""
    kind = "mix" if args.of == "patterns" else args.of
    places = [(seed, random.Random(seed).choice(DRAM_KIB)) for seed in range(args.seed, args.seed + args.mixes)]
    rows = [
        {"trace": write(args, kind, 0, seed, start), "endpoint.cache_bytes": f"{kib}KiB"}
        for seed, kib in places
        for start in starts
    ]
    done = run(args, policies, "mixes", {"list": rows})
    for at, place in enumerate(places):
        yield done[at * len(starts) : (at + 1) * len(starts)], place


def over_starts(args, policies):
    rows = []  # of each mix: of each policy the best time over each start's, and where
    for starts, place in runs_of_mixes(args, policies, range(args.starts)):
        of_policy = zip(*([time for time, _ in done] for done in starts))
        rows.append(([[min(times) / time for time in times] for times in of_policy], place))
    print("| policy | runs | below 0.98 of the mix's best start | least (seed, KiB) |")
    print("|---|---|---|---|")
    for i, policy in enumerate(policies):
        behind = sum(share < 0.98 for shares, _ in rows for share in shares[i])
        shares, (seed, kib) = min(rows, key=lambda row: min(row[0][i]))
        print(f"| {policy} | {len(rows) * args.starts} | {behind} | {min(shares[i]):.3f} ({seed}, {kib}) |")


def over_mixes(args, policies):
    rows, figures = [], []
    for (done,), place in runs_of_mixes(args, ["cxl"] + policies):
        rows.append([done[0][0] / time for time, _ in done[1:]] + [place])
        figures.append([of for _, of in done])
    print("| policy | mean speed-up (geometric) | least (seed, KiB) | rows below 0.98 | below 0.98 of the best |")
    print("|---|---|---|---|---|")
    for i, policy in enumerate(policies):
        least = min(rows, key=lambda row: row[i])
        mean = mean_of([row[i] for row in rows])
        loses = sum(row[i] < 0.98 for row in rows)
        behind = sum(row[i] < 0.98 * max(row[:-1]) for row in rows)
        print(f"| {policy} | {mean:.3f} | {least[i]:.3f} ({least[-1][0]}, {least[-1][1]}) | {loses} | {behind} |")
    if args.figures:
        plain, *others = [Figures.sum(of) for of in zip(*figures)]
        speed_ups = {policy: [row[i] for row in rows] for i, policy in enumerate(policies)}
        print_figures(policies, plain, speed_ups, dict(zip(policies, others)))


def extra_of(words):
    """Options of `cxlgpu run` as words of a sweep."""
    parser = argparse.ArgumentParser(prog="after --", usage="-- [--set KEY=VALUE] [--machine M] [--seed N]")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--machine")
    parser.add_argument("--seed")
    options = parser.parse_args(words)
    settings = [setting.partition("=") for setting in options.set]
    given = {"set": {key: value for key, _, value in settings}, "machine": options.machine, "seed": options.seed}
    return {name: value for name, value in given.items() if value}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--engine", default="model", choices=["model", "rtl", "cosim"])
    chosen = POLICIES[1:] + PUBLISHED
    parser.add_argument("--policy", action="append", choices=chosen, help="default: those that the RTL has")
    parser.add_argument("--trace", action="append", type=pathlib.Path, default=[], help="a row for each, plain or gzip")
    parser.add_argument(
        "--rows", action="append", choices=ROWS, help="default: the first three; large: kernels, eight times the data"
    )
    parser.add_argument("--mixes", type=int, default=0, help="this many drawn mixes in place of the table")
    parser.add_argument("--starts", type=int, default=0, help="with --mixes: each policy with itself, by its start")
    parser.add_argument("--of", default="patterns", choices=["patterns", "kernels"], help="what a drawn mix is made of")
    parser.add_argument("--figures", action="store_true", help="coverage, accuracy and so on, see above")
    parser.add_argument("--loads", type=int, default=24576, help="of a pattern or mix")
    parser.add_argument("--seed", type=int, default=1, help="of the patterns; of the first mix")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the sweeps, which go on; default: none is kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="--set, --machine, --seed of cxlgpu run, after --")
    args = parser.parse_args()
    policies = args.policy or POLICIES[1:]
    if args.starts < 0 or (args.starts and not args.mixes):
        print(f"--starts: {args.starts} starts of no mix; give 1 or more, and --mixes", file=sys.stderr)
        sys.exit(2)
    args.extra = extra_of(args.extra)
    with tempfile.TemporaryDirectory() as folder:
        args.out = (args.out or pathlib.Path(folder)).resolve()
        if args.mixes:
            (over_starts if args.starts else over_mixes)(args, policies)
        else:
            table(args, policies)


if __name__ == "__main__":
    main()
