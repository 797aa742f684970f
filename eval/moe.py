#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Hints of kernels against speculation: moe and kvdecode, time by what the root complex does.

Rows are media, what a layer's chosen experts (or what the sequences have named ahead) take of the internal DRAM,
arithmetic for a line, and the hints' accuracy; columns are plain CXL, policy sr, policy stream, hints alone, and hints
with stream. A cell: speed-up over plain CXL, MiB that the internal DRAM read from media, and of hints the granules
useful / late / wasted. Media busy: the bytes a second that the run without speculation reads from media, over the most
that any run of this sweep does; so it depends on the rows that were swept. Gain is hint over the best without hints.
The bound on it is an estimate, with perfect hints: time of the best over that in which the media alone give every byte
that it reads at that rate, or of the same run on media dram with hints, whichever is longer.

  eval/moe.py --workload moe --media znand --share 0.25 --compute 0 --compute 100 --accuracy 80
"""

import argparse
import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import runs

SHARES = (0.1, 0.25, 0.5, 1, 2, 5, 10)
COMPUTES = (0, 40, 160)
ACCURACIES = (40, 60, 80, 100)
COLUMNS = {"off": ("cxl", False), "sr": ("sr", False), "stream": ("stream", False)}
COLUMNS |= {"hint": ("cxl", True), "hint + stream": ("stream", True)}
ROW_BYTES, PORTS, TOP_K = 192, 2, 2
FILL_BYTES = 256  # endpoint.line_bytes


class Run:
    def __init__(self, args, workload, media, column, options):
        policy, hints = COLUMNS[column]
        options = [*options, f"workload.hints={str(hints).lower()}", f"root_port.hints={str(hints).lower()}"]
        sets = [word for option in options for word in ("--set", option)]
        stats = runs.stats(args.cxlgpu, f"{workload}-{media}-{policy}", "model", *sets, *args.extra)
        self.time = stats["end_to_end"]["value"]
        ports = [port for port in stats["internal_dram_counters"] if port]
        fills = sum(port[kind]["value"] for port in ports for kind in ("demand_fills", "spec_fills"))
        self.bytes = FILL_BYTES * fills
        self.hints = [stats["hints"][f"hint_{what}"]["value"] for what in ("useful", "late", "wasted")]


def moe(args, share, compute, accuracy):
    rows = max(1, round(share * PORTS * args.dram_kib * 1024 / (TOP_K * ROW_BYTES)))
    return [
        f"workload.size={rows}",
        f"workload.iterations={args.tokens}",
        f"workload.layers={args.layers}",
        f"workload.top_k={TOP_K}",
        f"workload.compute_per_line={compute}",
        f"workload.hint_accuracy={accuracy}",
    ]


# Llama 3 8B's heads, a byte a number: a page of 32 KiB, as many named as take the share.
def kvdecode(args, share, compute, _):
    ahead = max(1, round(share * PORTS * args.dram_kib / 32 / args.sequences))
    return [
        f"workload.size={args.pages}",
        f"workload.iterations={args.sequences}",
        "workload.kv_heads=8",
        "workload.head_size=128",
        f"workload.hint_ahead={ahead}",
        f"workload.compute_per_line={compute}",
    ]


def cell(run, plain):
    text = f"{plain.time / run.time:.2f}, {run.bytes / 2**20:.1f}"
    return text + (f" ({' / '.join(f'{n:.0f}' for n in run.hints)})" if any(run.hints) else "")


# GB/s of the media, as many reads as the engines keep in flight: the fastest that any run read.
def peak(found, media):
    return max(run.bytes / run.time for (which, _), runs_ in found.items() if which == media for run in runs_.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--workload", default="moe", choices=["moe", "kvdecode"])
    parser.add_argument(
        "--media", action="append", choices=["znand", "nand", "pram", "dram"], help="default: znand, nand"
    )
    parser.add_argument("--share", action="append", type=float, help=f"of the internal DRAM; default: {SHARES}")
    parser.add_argument("--compute", action="append", type=int, help=f"instructions a line; default: {COMPUTES}")
    parser.add_argument("--accuracy", action="append", type=int, help=f"per cent, of moe; default: {ACCURACIES}")
    parser.add_argument("--dram-kib", type=int, default=256, help="internal DRAM of each of the two ports")
    parser.add_argument("--tokens", type=int, default=1)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--pages", type=int, default=256)
    parser.add_argument("--sequences", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    accuracies = (args.accuracy or ACCURACIES) if args.workload == "moe" else (100,)
    points = list(itertools.product(args.share or SHARES, args.compute or COMPUTES, accuracies))
    options = {"moe": moe, "kvdecode": kvdecode}[args.workload]
    common = [f"endpoint.cache_bytes={args.dram_kib}KiB", "local_memory.percent_of_data=1"]

    def measure(media, point):
        sets = options(args, *point) + common
        found = {column: Run(args, args.workload, media, column, sets) for column in COLUMNS}
        found["all there"] = Run(args, args.workload, "dram", "hint", sets)
        return found

    keys = [(media, point) for media in args.media or ("znand", "nand") for point in points]
    with ThreadPoolExecutor(args.jobs) as pool:
        found = dict(zip(keys, pool.map(lambda key: measure(*key), keys), strict=True))
    heads = ["media", "share", "instr./line", "accuracy", "off, us", "media busy, off", *COLUMNS, "gain", "bound"]
    print("| " + " | ".join(heads) + " |")
    print("|---" * len(heads) + "|")
    for (media, point), of in found.items():
        off, most = of["off"], peak(found, media)
        best = min(of[column].time for column in ("off", "sr", "stream"))
        bound = best / max(of["hint"].bytes / most, of["all there"].time)
        row = [media, *(f"{x:g}" for x in point), f"{off.time / 1e3:.1f}", f"{100 * off.bytes / off.time / most:.0f} %"]
        row += [cell(of[column], off) for column in COLUMNS]
        row += [f"{best / of['hint'].time:.2f}", f"{bound:.2f}"]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
