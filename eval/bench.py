#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Speed of the engines: simulated cycles/s of rtl and cosim, requests/s of model.

Each scenario runs on every engine, --runs times in turn; the best wall time of each counts, so that a
noisy neighbour does not. Wall time is the run itself, without start-up. The data sets are larger than
the scenarios' own, whose model runs end in a few hundredths of a second and time cold caches. A kernel's
run holds the GPU model, which all engines share; the rows named after a trace are the memory system alone.
"""

import argparse
import pathlib
import tempfile

import runs

SCENARIOS = {
    "vadd-znand-cxl": 262144,
    "vadd-znand-sr": 262144,
    "vadd-dram-cxl": 262144,  # elements
    "bfs-znand-cxl": 32768,
    "bfs-znand-sr": 32768,
    "bfs-dram-cxl": 32768,  # nodes
}


STREAM_LINES = 8192  # a line of two arrays read, one of a third written, as vadd's caches let it through
PACES = {"stream": 0, "stream-paced": 9}  # cycles from request to request; 0: as fast as they are taken


def stream_trace(folder, name):
    path = pathlib.Path(folder) / f"{name}.csv"
    rows = ["cycle,rw,addr,bytes"]
    for line in range(STREAM_LINES):
        for array, rw in enumerate("RRW"):
            cycle = PACES[name] * (3 * line + array)
            rows.append(f"{cycle},{rw},{(array * STREAM_LINES + line) * 64:#x},64")
    path.write_text("\n".join(rows) + "\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
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
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [(name, name, []) for name in args.scenario or []]
        if not args.scenario:
            rows = [(name, name, ["--set", f"workload.size={n}"]) for name, n in SCENARIOS.items()]
        if not args.scenario or args.trace:
            for trace in args.trace or [stream_trace(folder, name) for name in PACES]:
                rows += [
                    (f"{trace.name.split('.')[0]} {name.split('-', 1)[1]}", name, ["--trace", str(trace)])
                    for name in ("vadd-znand-sr", "vadd-dram-cxl")
                ]
        table(args, rows)


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
        requests = stats["model"]["loads"]["count"]["value"] + stats["model"]["stores"]["count"]["value"]
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
