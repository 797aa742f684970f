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

  eval/policies.py --rows kernels --rows traces --trace a.csv.gz --policy sr --policy stream
  eval/policies.py --mixes 200 --of kernels
  eval/policies.py --mixes 200 --starts 5 --policy stream
"""

import argparse
import itertools
import math
import os
import pathlib
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import patterns
import runs

POLICIES = ["cxl", "naive", "dyn", "sr-paper", "sr", "stream"]
ROWS = ["named", "traces", "patterns", "kernels", "large"]
DRAM_KIB = (32, 64, 128, 256, 512, 1024)


def run(args, workload, policy, extra):
    stats = runs.stats(args.cxlgpu, f"{workload}-znand-{policy}", args.engine, *extra, *args.extra)
    spec = {key: figure["value"] for key, figure in stats["memspecrd"].items() if isinstance(figure, dict)}
    useless = 100 * spec["evicted_unused"] / spec["filled"] if spec["filled"] else 0
    return stats["end_to_end"]["value"], useless


def write(folder, args, name, streams, seed, start=0):
    path = pathlib.Path(folder) / f"{name}{streams}-{seed}-{start}.csv"
    header, *rows = patterns.trace(name, streams, args.loads, seed, args.cxlgpu)
    later = (row.split(",", 1) for row in rows)
    path.write_text("\n".join([header] + [f"{int(cycle) + start},{rest}" for cycle, rest in later]) + "\n")
    return path


def table(args, policies, rows):
    print("| workload | plain CXL, us | " + " | ".join(policies) + " |")
    print("|---" * (2 + len(policies)) + "|", flush=True)
    with ThreadPoolExecutor(args.jobs) as pool:
        for name, workload, extra in rows:
            plain, *others = pool.map(lambda policy: run(args, workload, policy, extra), ["cxl"] + policies)
            cells = [f"{plain[0] / time:.2f} ({useless:.0f} %)" for time, useless in others]
            print(f"| {name} | {plain[0] / 1e3:.1f} | " + " | ".join(cells) + " |", flush=True)


def times_of_mix(args, policies, folder, seed, start=0):
    path = write(folder, args, "mix" if args.of == "patterns" else args.of, 0, seed, start)
    kib = random.Random(seed).choice(DRAM_KIB)
    extra = ["--trace", str(path), "--set", f"endpoint.cache_bytes={kib}KiB"]
    times = [run(args, "vadd", policy, extra)[0] for policy in policies]
    path.unlink()
    return times, (seed, kib)


def over_starts(args, policies, folder):
    def best_over(seed):
        """Of each policy: the best time over each start's, and where."""
        starts = [times_of_mix(args, policies, folder, seed, start) for start in range(args.starts)]
        of_policy = zip(*(times for times, _ in starts))
        return [[min(times) / time for time in times] for times in of_policy], starts[0][1]

    with ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(best_over, range(args.seed, args.seed + args.mixes)))
    print("| policy | runs | below 0.98 of the mix's best start | least (seed, KiB) |")
    print("|---|---|---|---|")
    for i, policy in enumerate(policies):
        behind = sum(share < 0.98 for shares, _ in rows for share in shares[i])
        shares, (seed, kib) = min(rows, key=lambda row: min(row[0][i]))
        print(f"| {policy} | {len(rows) * args.starts} | {behind} | {min(shares[i]):.3f} ({seed}, {kib}) |")


def over_mixes(args, policies, folder):
    def speed_ups(seed):
        times, place = times_of_mix(args, ["cxl"] + policies, folder, seed)
        return [times[0] / time for time in times[1:]] + [place]

    with ThreadPoolExecutor(args.jobs) as pool:
        rows = list(pool.map(speed_ups, range(args.seed, args.seed + args.mixes)))
    print("| policy | mean speed-up (geometric) | least (seed, KiB) | rows below 0.98 | below 0.98 of the best |")
    print("|---|---|---|---|---|")
    for i, policy in enumerate(policies):
        least = min(rows, key=lambda row: row[i])
        mean = math.exp(sum(math.log(row[i]) for row in rows) / len(rows))
        loses = sum(row[i] < 0.98 for row in rows)
        behind = sum(row[i] < 0.98 * max(row[:-1]) for row in rows)
        print(f"| {policy} | {mean:.3f} | {least[i]:.3f} ({least[-1][0]}, {least[-1][1]}) | {loses} | {behind} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--engine", default="model", choices=["model", "rtl", "cosim"])
    parser.add_argument("--policy", action="append", choices=POLICIES[1:], help="default: all")
    parser.add_argument("--trace", action="append", type=pathlib.Path, default=[], help="a row for each, plain or gzip")
    parser.add_argument(
        "--rows", action="append", choices=ROWS, help="default: the first three; large: kernels, eight times the data"
    )
    parser.add_argument("--mixes", type=int, default=0, help="this many drawn mixes in place of the table")
    parser.add_argument("--starts", type=int, default=0, help="with --mixes: each policy with itself, by its start")
    parser.add_argument("--of", default="patterns", choices=["patterns", "kernels"], help="what a drawn mix is made of")
    parser.add_argument("--loads", type=int, default=24576, help="of a pattern or mix")
    parser.add_argument("--seed", type=int, default=1, help="of the patterns; of the first mix")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    policies = args.policy or POLICIES[1:]
    if args.starts < 0 or (args.starts and not args.mixes):
        print(f"--starts: {args.starts} starts of no mix; give 1 or more, and --mixes", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory() as folder:
        if args.mixes:
            (over_starts if args.starts else over_mixes)(args, policies, folder)
            return
        groups, rows = args.rows or ["named", "traces", "patterns"], []
        if "named" in groups:
            rows += [("vadd", "vadd", []), ("vadd, 131 072", "vadd", ["--set", "workload.size=131072"])]
            rows += [("bfs", "bfs", [])]
        if "kernels" in groups:
            rows += [(name, name, []) for name in patterns.KERNELS]
        if "large" in groups:
            rows += [(f"{name}, {n}", name, ["--set", f"workload.size={n}"]) for name, n in patterns.KERNELS.items()]
        if "traces" in groups:
            rows += [(trace.name.split(".")[0], "vadd", ["--trace", str(trace)]) for trace in args.trace]
        for kind, streams in itertools.product(patterns.NAMED if "patterns" in groups else (), (4, 16, 64, 128)):
            path = write(folder, args, kind, streams, args.seed)
            rows.append((f"{kind}, {streams}", "vadd", ["--trace", str(path)]))
        table(args, policies, rows)


if __name__ == "__main__":
    main()
