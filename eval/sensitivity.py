#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Sensitivity curves: end-to-end time while one part of the machine is made larger and smaller.

Event-driven model, one table a curve: a row is a workload under a configuration in us, a column a
value of the key, the default's in bold. Below a workload's rows stand counters of stats.json that
tell the cause. --json FILE writes every point as {curve, workload, config, x, unit, end_to_end_us}.

A miss fills one line of the internal DRAM, so the fill granule and the line are one curve, `line`.
The work distribution is two curves over the number of warps, `chunked` (each warp has streams of its
own) and `interleaved` (all warps walk along together).
"""

import argparse
import functools
import json
import operator
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import runs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402


def figure(*path):
    return lambda stats: functools.reduce(operator.getitem, path, stats)["value"]


def over_ports(name, *path):
    """Sum over the ports of a list in stats.json."""
    return lambda stats: sum(port[name]["value"] for port in functools.reduce(operator.getitem, path, stats) if port)


def stage(name):
    """Mean time of a load in this stage."""
    return lambda stats: next(s["mean"]["value"] for s in stats["loads"]["stages"] if s["stage"] == name)


def evicted_unused(stats):
    fills = FILLS(stats)
    return 100 * over_ports("spec_evicted_unused", "internal_dram_counters")(stats) / fills if fills else 0


FILLS = over_ports("fills", "media_counters")
LATE = ("late lines", "sr", figure("memspecrd", "late_lines"))


@dataclass
class Curve:
    name: str
    key: str
    unit: str
    values: list
    default: object
    configs: list
    counters: list  # (what, of which configuration, how it comes of stats.json)
    also: tuple = ()  # settings of all points

    def settings(self, value):
        text = f"{value}KiB" if self.unit == "KiB" else value
        return (*self.also, f"{self.key}={text}")


def warps(distribution):
    also = () if distribution == "chunked" else (f"gpu.distribution={distribution}",)
    return Curve(
        distribution,
        "gpu.warps",
        "warps a core",
        [1, 2, 4, 8, 16, 32],
        None if also else 8,
        ["cxl", "sr", "stream"],
        [
            ("mean wait for the fill, ns", "cxl", stage("media_issue")),
            ("accesses that hit, %", "cxl", figure("internal_dram_lookups", "hit_rate")),
        ],
        also,
    )


CURVES = [
    warps("chunked"),
    warps("interleaved"),
    Curve(
        "ring",
        "root_port.ring_entries",
        "granules",
        [16, 32, 64, 128, 256, 512, 1024, 4096],
        1024,
        ["dyn", "sr"],
        [("ring suppressed, loads", "sr", over_ports("ring_suppressed", "memspecrd", "root_ports")), LATE],
    ),
    Curve(
        "sr_queue",
        "root_port.sr_queue_entries",
        "entries",
        [1, 2, 4, 8, 16, 32, 64],
        32,
        ["cxl", "sr", "stream"],
        [("issued late, MemSpecRd", "sr", over_ports("issued_late", "memspecrd", "root_ports"))],
    ),
    Curve(
        "memory_queue",
        "root_port.memory_queue_entries",
        "entries",
        [4, 8, 16, 32, 64],
        32,
        ["cxl", "sr", "stream"],
        [
            ("mean wait in the SR queue, ns", "cxl", stage("memq_alloc")),
            ("halt suppressed, loads", "sr", over_ports("halt_suppressed", "memspecrd", "root_ports")),
        ],
    ),
    Curve(
        "line",
        "endpoint.line_bytes",
        "B",
        [256, 512, 1024, 2048, 4096],
        256,
        ["cxl", "sr", "stream"],
        [("fills", "cxl", FILLS), ("mean wait for the fill, ns", "cxl", stage("media_issue"))],
    ),
    Curve(
        "internal_dram",
        "endpoint.cache_bytes",
        "KiB",
        [32, 64, 128, 256, 512, 1024, 2048],
        256,
        ["cxl", "naive", "sr", "stream"],
        [("fills", "sr", FILLS), ("of them evicted unused, %", "sr", evicted_unused)],
    ),
    Curve(
        "cap",
        "root_port.spec_cap_bytes",
        "B",
        [256, 512, 768, 1024],
        1024,
        ["dyn", "sr", "stream"],
        [("MemSpecRd", "sr", figure("memspecrd", "sent")), LATE],
    ),
    Curve(
        "ds_lines",
        "root_port.ds_lines",
        "lines",
        [16, 32, 64, 128, 256, 512, 1024, 4096],
        1024,
        ["ds"],
        [
            ("stores deferred", "ds", over_ports("deferred", "deterministic_store")),
            ("no slot, cycles", "ds", over_ports("no_slot", "deterministic_store")),
        ],
    ),
    Curve(
        "lanes",
        "link.lanes",
        "lanes",
        [1, 2, 4, 8, 16],
        8,
        ["cxl", "sr", "stream", "ds"],
        [("mean time of the answer on the wire, ns", "cxl", stage("wire_s2m"))],
    ),
    Curve(
        "gpu_memory",
        "local_memory.percent_of_data",
        "% of the data",
        [0, 1, 5, 10, 25, 50, 75, 100],
        10,
        ["cxl", "sr", "stream", "ds"],
        [("lines read over CXL", "cxl", figure("gpu", "hdm_reads"))],
    ),
]


def number(value):
    return f"{value:,.1f}".replace(",", " ") if isinstance(value, float) else f"{value:,}".replace(",", " ")


def header(curve):
    cells = (f"**{number(x)}**" if x == curve.default else number(x) for x in curve.values)
    return (
        f"| {curve.name}: `{curve.key}`, {curve.unit} | {' | '.join(cells)} |\n"
        + "|---" * (len(curve.values) + 1)
        + "|"
    )


class Runner:
    """stats.json of runs; what two curves share is run once."""

    def __init__(self, args, pool):
        self.args, self.pool, self.done = args, pool, {}

    def start(self, workload, config, settings):
        key = (workload, config, settings)
        if key not in self.done:
            options = [word for setting in settings for word in ("--set", setting)]
            scenario = f"{workload}-{self.args.media}-{config}"
            self.done[key] = self.pool.submit(
                runs.stats, self.args.cxlgpu, scenario, "model", *options, *self.args.extra
            )
        return self.done[key]


def us(stats):
    return stats["end_to_end"]["value"] / 1e3


def show(curve, workloads, runner):
    """Its points, and the rows of its table."""
    points, rows, found = [], [header(curve)], {}
    for workload in workloads:
        for config in curve.configs:
            found[workload, config] = [runner.start(workload, config, curve.settings(x)) for x in curve.values]
    for workload in workloads:
        for config in curve.configs:
            seen = [future.result() for future in found[workload, config]]
            if curve.default is not None:
                plain = runner.start(workload, config, ()).result()
                if us(plain) != us(seen[curve.values.index(curve.default)]):
                    sys.exit(
                        f"{curve.key}: {curve.default} is not the default any more; mend it in eval/sensitivity.py"
                    )
            rows.append(f"| {workload}, {config} | {' | '.join(number(us(stats)) for stats in seen)} |")
            points += [
                {
                    "curve": curve.name,
                    "workload": workload,
                    "config": config,
                    "x": x,
                    "unit": curve.unit,
                    "end_to_end_us": us(stats),
                }
                for x, stats in zip(curve.values, seen)
            ]
        for what, config, value in curve.counters:
            cells = (number(value(future.result())) for future in found[workload, config])
            rows.append(f"| *{workload}, {config}: {what}* | {' | '.join(cells)} |")
    return points, "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curve", nargs="*", help=f"default: all of {', '.join(curve.name for curve in CURVES)}")
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--workload", action="append", help="may be repeated; default: vadd and bfs")
    parser.add_argument("--media", default="znand")
    parser.add_argument("--json", help="file for the points")
    parser.add_argument("--page", type=pathlib.Path, help="page in which to renew the tables")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--extra", action="append", default=[], metavar="KEY=VALUE", help="--set of every run")
    args = parser.parse_args()
    args.extra = [word for setting in args.extra for word in ("--set", setting)]
    names = {curve.name for curve in CURVES}
    for name in args.curve:
        if name not in names:
            parser.error(f"there is no curve '{name}'; use {', '.join(curve.name for curve in CURVES)}")
    points, tables = [], {}
    with ThreadPoolExecutor(args.jobs) as pool:
        runner = Runner(args, pool)
        try:
            for curve in CURVES:
                if not args.curve or curve.name in args.curve:
                    of_curve, table = show(curve, args.workload or ["vadd", "bfs"], runner)
                    points += of_curve
                    tables[f"curve {curve.name}"] = table
                    print(table, end="\n\n", flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if args.page:
        page_blocks.replace(args.page, tables)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(points, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
