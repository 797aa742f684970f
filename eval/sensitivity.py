#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Sensitivity curves: end-to-end time while one part of the machine is made larger and smaller.

Event-driven model, one table a curve, which is the sweep of eval/sweeps/CURVE.yaml: a row is a workload
under a configuration in us, a column a value of the key, the default's in bold. Below a workload's rows
stand counters of stats.json that tell the cause. --json FILE writes every point as {curve, workload,
config, x, unit, end_to_end_us}.

A miss fills one line of the internal DRAM, so the fill granule and the line are one curve, `line`.
The work distribution is two curves over the number of warps, `chunked` (each warp has streams of its
own) and `interleaved` (all warps walk along together).
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
from dataclasses import dataclass

import sweeps

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402


def over_ports(path):
    return lambda point: point.over_ports(path)


def stage(name):
    """Mean time of a load in this stage."""
    return f"loads.stages.{name}.mean"


def evicted_unused(point):
    fills = point.over_ports("media_counters.fills")
    return 100 * point.over_ports("internal_dram_counters.spec_evicted_unused") / fills if fills else 0


FILLS = over_ports("media_counters.fills")
LATE = ("late lines", "sr", "memspecrd.late_lines")


@dataclass
class Curve:
    """What is shown of eval/sweeps/NAME.yaml."""

    name: str
    unit: str
    default: object  # None: another setting of the file is not the default
    counters: list  # (what, of which configuration, a figure or how it comes of a point)

    def __post_init__(self):
        self.sweep = sweeps.load(self.name)
        ((self.key, texts),) = self.sweep["grid"].items()
        self.values = [int(str(text).removesuffix("KiB")) for text in texts]
        self.configs = list(dict.fromkeys(name.split("-", 2)[2] for name in self.sweep["scenario"]))


WARPS = [("mean wait for the fill, ns", "cxl", stage("media_issue"))]
WARPS += [("accesses that hit, %", "cxl", "internal_dram_lookups.hit_rate")]
CURVES = [
    Curve("chunked", "warps a core", 8, WARPS),
    Curve("interleaved", "warps a core", None, WARPS),
    Curve(
        "ring",
        "granules",
        1024,
        [("ring suppressed, loads", "sr", over_ports("memspecrd.root_ports.ring_suppressed")), LATE],
    ),
    Curve(
        "sr_queue",
        "entries",
        32,
        [("issued late, MemSpecRd", "sr", over_ports("memspecrd.root_ports.issued_late"))],
    ),
    Curve(
        "memory_queue",
        "entries",
        32,
        [
            ("mean wait in the SR queue, ns", "cxl", stage("memq_alloc")),
            ("halt suppressed, loads", "sr", over_ports("memspecrd.root_ports.halt_suppressed")),
        ],
    ),
    Curve("line", "B", 256, [("fills", "cxl", FILLS), ("mean wait for the fill, ns", "cxl", stage("media_issue"))]),
    Curve("internal_dram", "KiB", 256, [("fills", "sr", FILLS), ("of them evicted unused, %", "sr", evicted_unused)]),
    Curve("cap", "B", 1024, [("MemSpecRd", "sr", "memspecrd.sent"), LATE]),
    Curve(
        "ds_lines",
        "lines",
        1024,
        [
            ("stores deferred", "ds", over_ports("deterministic_store.deferred")),
            ("no slot, cycles", "ds", over_ports("deterministic_store.no_slot")),
        ],
    ),
    Curve("lanes", "lanes", 8, [("mean time of the answer on the wire, ns", "cxl", stage("wire_s2m"))]),
    Curve("gpu_memory", "% of the data", 10, [("lines read over CXL", "cxl", "gpu.hdm_reads")]),
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


def us(point):
    return point["end_to_end"] / 1e3


class Runner:
    def __init__(self, args):
        self.args = args

    def names(self, curve):
        """Of workloads under configurations, the scenarios."""
        of = {}
        for workload in self.args.workload or ["vadd", "bfs"]:
            of |= {(workload, config): f"{workload}-{self.args.media}-{config}" for config in curve.configs}
        return of

    def run(self, name, sweep, scenarios):
        changed = {**sweep, "scenario": scenarios, "set": {**sweep.get("set", {}), **self.args.extra}}
        points = sweeps.run(self.args.cxlgpu, self.args.out / name, changed, self.args.jobs)
        return sweeps.by_scenario(points)

    def defaults(self, curves):
        """Times without the curves' keys, by scenario."""
        names = [name for curve in curves if curve.default is not None for name in self.names(curve).values()]
        points = self.run("defaults", {}, list(dict.fromkeys(names))) if names else {}
        return {name: us(of[0]) for name, of in points.items()}


def show(curve, runner, defaults):
    """Its points, and the rows of its table."""
    points, rows, names = [], [header(curve)], runner.names(curve)
    found = runner.run(curve.name, curve.sweep, list(names.values()))
    for workload in dict.fromkeys(workload for workload, _ in names):
        for config in curve.configs:
            seen = [us(point) for point in found[names[workload, config]]]
            if (
                curve.default is not None
                and defaults[names[workload, config]] != seen[curve.values.index(curve.default)]
            ):
                sys.exit(f"{curve.key}: {curve.default} is not the default any more; mend it in eval/sensitivity.py")
            rows.append(f"| {workload}, {config} | {' | '.join(map(number, seen))} |")
            points += [
                {
                    "curve": curve.name,
                    "workload": workload,
                    "config": config,
                    "x": x,
                    "unit": curve.unit,
                    "end_to_end_us": time,
                }
                for x, time in zip(curve.values, seen)
            ]
        for what, config, how in curve.counters:
            cells = (number(how(point) if callable(how) else point[how]) for point in found[names[workload, config]])
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
    parser.add_argument("--out", type=pathlib.Path, help="folder for the sweeps, which go on; default: none is kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--extra", action="append", default=[], metavar="KEY=VALUE", help="of every run")
    args = parser.parse_args()
    settings = [setting.partition("=") for setting in args.extra]
    if not all(equals for _, equals, _ in settings):
        parser.error("--extra is KEY=VALUE")
    args.extra = {key: value for key, _, value in settings}
    names = {curve.name for curve in CURVES}
    for name in args.curve:
        if name not in names:
            parser.error(f"there is no curve '{name}'; use {', '.join(curve.name for curve in CURVES)}")
    points, tables = [], {}
    with tempfile.TemporaryDirectory() as folder:
        args.out = args.out or pathlib.Path(folder)
        runner, curves = Runner(args), [curve for curve in CURVES if not args.curve or curve.name in args.curve]
        defaults = runner.defaults(curves)
        for curve in curves:
            of_curve, table = show(curve, runner, defaults)
            points += of_curve
            tables[f"curve {curve.name}"] = table
            print(table, end="\n\n", flush=True)
    if args.page:
        page_blocks.replace(args.page, tables)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(points, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
