#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Hints of kernels against speculation: moe and kvdecode, time and bytes by what the root complex does.

Two tables. A row: media; share of the internal DRAM that a layer's chosen experts take (kvdecode: that the pages named
ahead take); further instructions for each line. By the router's accuracy in per cent: hints without a policy, and hints
with policy stream.

The first has gains: the time of the best of plain CXL (off), policy sr and policy stream, none of them with hints, over
that with hints; and how busy the media are in that best run. Busy: of the media's channels or their dies, what is more
so: the share of the time in which they move commands and data, or sense; from the counters of stats.json and the times
of configs/media. The second has speed-ups over off and, in brackets, the bytes that the media were read, over those
that the kernel loads at least. With several seeds a figure is the least and the most. A seed's draws are few, so that
another share than the accuracy may be right: the file of --json has it (named).

Bound of a gain: the best without hints over a time that no hints go below. That is the longest of
* media (m): the bytes that the kernel loads at least, over the rate of all channels, or over what the fills in flight
  bring where even a page that is sensed already takes long;
* there (t): the first layer, which nothing names, as without hints, and the others as if all data were in a DRAM behind
  CXL (runs of their own); each of them of which an expert is not named takes a read's idle latency at least;
* early (e): the first layer, then that latency for each two layers, since a layer is named when the one before begins.
The letter stands behind it; where the accuracies have several bounds, all are there. An idle latency counts only where
an expert is longer than a page of flash, which could be open for a neighbour.

  eval/moe.py --media znand --share 0.1 --share 0.5 --compute 0 --accuracy 80
  eval/moe.py --workload kvdecode --seed 1 --seed 2 --seed 3
"""

import argparse
import collections
import json
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import runs
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402

CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
SHARES = (0.1, 0.25, 0.5, 1)
COMPUTES = (0, 40, 160)
ACCURACIES = (40, 60, 80, 100)
POLICIES = {"off": "cxl", "sr": "sr", "stream": "stream"}
HINTED = {"hint": "off", "hint + stream": "stream"}
PORTS, LINE_BYTES = 2, 64
FILL_BYTES, FILLS = 256, 128  # endpoint.line_bytes and mshrs
LEAST_LAYERS = 4
SEED = 231  # so few draws are seldom as right as the key says; these are within three per cent with 16 layers, top 2
EXPERT_ROW_BYTES = 3 * LINE_BYTES
PAGE_TOKENS, KV_HEADS, HEAD_SIZE = 16, 8, 128  # Llama 3 8B's, a byte a number
PAGE_BYTES = 2 * PAGE_TOKENS * KV_HEADS * HEAD_SIZE


class Part:
    """A flash part by its file: what moves and senses, and how long it takes."""

    def __init__(self, name):
        of = yaml.safe_load((CONFIGS / "media" / f"{name}.yaml").read_text())
        shape, timing, controller = of["organisation"], of["timing"], of["controller"]
        self.channels = PORTS * shape["channels"]
        self.dies = self.channels * shape["dies_per_channel"]
        self.command, self.sense = timing["command_ps"] / 1e3, timing["tR_ps"] / 1e3
        self.byte = 1e3 / timing["channel_MTps"] / (timing["channel_bits"] / 8)  # ns on a channel
        self.page_bytes = shape["page_bytes"]
        self.sensed = (controller["lookup_ps"] + controller["ecc_ps"]) / 1e3 + FILL_BYTES * self.byte
        self.latency = self.command + self.sense + self.sensed

    def least(self, read_bytes):
        """ns for so many bytes."""
        return max(read_bytes * self.byte / self.channels, read_bytes / FILL_BYTES * self.sensed / (PORTS * FILLS))

    def busy(self, run):
        moved = run.page_reads * self.command + run.bytes * self.byte
        sensed = run.page_reads * (self.command + self.sense)
        return max(moved / self.channels, sensed / self.dies) / run.time


class Run:
    def __init__(self, args, scenario, options):
        sets = [word for option in options for word in ("--set", option)]
        stats = runs.stats(args.cxlgpu, scenario, "model", *sets, *args.extra)
        self.time = stats["end_to_end"]["value"]
        media = [port for port in stats["media_counters"] if port]
        self.page_reads = sum(port["page_reads"]["value"] for port in media)
        line = stats["config"]["endpoint"]["line_bytes"]
        self.bytes = sum(line * port["fills"]["value"] + LINE_BYTES * port["reads"]["value"] for port in media)
        self.dram = stats["internal_dram"]["value"]
        self.hints = {what: stats["hints"][f"hint_{what}"]["value"] for what in ("useful", "late", "lost", "wasted")}


class Moe:
    name = "moe"

    def __init__(self, args, share, compute):
        self.args = args
        self.rows = max(1, round(share * PORTS * args.dram_kib * 1024 / (args.top_k * EXPERT_ROW_BYTES)))
        self.share = self.rows * args.top_k * EXPERT_ROW_BYTES / (PORTS * args.dram_kib * 1024)
        self.compute, self.dram_kib = compute, args.dram_kib
        self.layers = max(min(args.layers, LEAST_LAYERS), round(args.layers / max(1, self.share)))
        self.least_bytes = self.layers * args.top_k * self.rows * EXPERT_ROW_BYTES  # of one token

    def options(self, layers=None, tokens=None):
        args = self.args
        return [
            f"workload.size={self.rows}",
            f"workload.iterations={tokens or args.tokens}",
            f"workload.layers={layers or self.layers}",
            f"workload.experts={args.experts}",
            f"workload.top_k={args.top_k}",
            f"workload.compute_per_line={self.compute}",
        ]


class KvDecode:
    name = "kvdecode"

    def __init__(self, args, share, compute):
        named = args.sequences * PAGE_BYTES  # by one page ahead
        self.args, self.compute = args, compute
        # The internal DRAM is a power of two; larger where one page ahead is more than the share.
        self.dram_kib = args.dram_kib
        while named > 1.01 * share * PORTS * self.dram_kib * 1024:
            self.dram_kib *= 2
        self.ahead = round(share * PORTS * self.dram_kib * 1024 / named)
        self.share = self.ahead * named / (PORTS * self.dram_kib * 1024)
        self.least_bytes = (args.pages * PAGE_TOKENS - args.sequences * (PAGE_TOKENS - 1)) * PAGE_BYTES / PAGE_TOKENS

    def options(self):
        return [
            f"workload.size={self.args.pages}",
            f"workload.iterations={self.args.sequences}",
            f"workload.kv_heads={KV_HEADS}",
            f"workload.head_size={HEAD_SIZE}",
            f"workload.hint_ahead={self.ahead}",
            f"workload.compute_per_line={self.compute}",
        ]


def draws(seed, place):
    """The workloads' random numbers: Random(seed, place) of sim/workloads/data.hpp."""
    mask, step = 2**64 - 1, 0x9E3779B97F4A7C15
    state = ((seed + place) * step + 1) & mask
    while True:
        state = z = (state + step) & mask
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        yield z ^ (z >> 31)


def named_rightly(layers, top_k, accuracy, seed):
    """Of each layer of the first token, but its first, for each choice whether moe names it."""

    def right(choice):
        return next(draws(seed, (3 << 48) + 64 * choice)) % 100 < accuracy

    return [[right(layer * top_k + k) for k in range(top_k)] for layer in range(1, layers)]


class Point:
    """What is run for a row, under one seed; and what comes of it."""

    def __init__(self, pool, args, media, share, compute, seed):
        self.args, self.media, self.seed = args, media, seed
        self.of = of = {"moe": Moe, "kvdecode": KvDecode}[args.workload](args, share, compute)
        self.part = Part(media)
        self.accuracies = args.accuracy if args.workload == "moe" else [100]
        common = [f"endpoint.cache_bytes={of.dram_kib}KiB", "local_memory.percent_of_data=1", f"run.seed={seed}"]

        def begin(policy, hints, options, behind=media, accuracy=100):
            options = [*options, *common, f"workload.hints={hints}", f"root_port.hints={hints}"]
            options += [f"workload.hint_accuracy={accuracy}"] if hints == "true" else []
            return pool.submit(Run, args, f"{of.name}-{behind}-{POLICIES[policy]}", options)

        self.runs = {policy: begin(policy, "false", of.options()) for policy in POLICIES}
        for name, policy in HINTED.items():
            for a in self.accuracies:
                self.runs[name, a] = begin(policy, "true", of.options(), accuracy=a)
        self.runs["there"] = begin("off", "true", of.options(), "dram")
        if args.workload == "moe":
            for policy in set(HINTED.values()):
                self.runs["first", policy] = begin(policy, "false", of.options(layers=1, tokens=1))
            self.runs["first there"] = begin("off", "false", of.options(layers=1, tokens=1), "dram")

    def done(self):
        self.runs = {name: run.result() for name, run in self.runs.items()}
        return self

    def time(self, *name):
        return self.runs[name if len(name) > 1 else name[0]].time

    def names(self, accuracy):
        return named_rightly(self.of.layers, self.args.top_k, accuracy, self.seed)

    def best_policy(self):
        return min(POLICIES, key=lambda policy: self.runs[policy].time)

    def gain(self, name, accuracy):
        return self.time(self.best_policy()) / self.time(name, accuracy)

    def floor(self, name, accuracy):
        """The time that no hints go below, and by what."""
        there, policy, args, of = self.time("there"), HINTED[name], self.args, self.of
        terms = {"m": self.part.least(of.least_bytes), "t": there}
        if args.workload == "moe":
            first, rest = self.time("first", policy), there - self.time("first there")
            layer = rest / max(1, args.tokens * of.layers - 1)
            own_page = of.rows * EXPERT_ROW_BYTES > PORTS * self.part.page_bytes
            latency = self.part.latency if own_page else 0
            unnamed = sum(not all(names) for names in self.names(accuracy))
            terms["t"] = first + rest + unnamed * max(0, latency - layer)
            terms["e"] = first + (of.layers - 1) // 2 * latency
        return max((time, term) for term, time in terms.items())

    def bound(self, name, accuracy):
        time, term = self.floor(name, accuracy)
        return self.time(self.best_policy()) / time, term

    def ratio(self, run):
        return run.bytes / self.of.least_bytes


def over_seeds(values, digits=2):
    """One value, or the least and the most of several."""
    values = [f"{value:.{digits}f}" for value in (min(values), max(values))]
    return values[0] if values[0] == values[1] else "..".join(values)


def row_head(points):
    of = points[0].of
    return [points[0].media, of.compute, f"{of.share:.2g}", of.layers if of.name == "moe" else of.ahead]


def terms(bounds):
    return "".join(sorted({term for _, term in bounds}))


def gains(points, accuracies):
    """Where hints win: the best without them, then of each kind of hints the gain, and its bound."""
    best = collections.Counter(p.best_policy() for p in points).most_common(1)[0][0]
    busy = [100 * p.part.busy(p.runs[p.best_policy()]) for p in points]
    row = [*row_head(points), f"{best}, {over_seeds(busy, 0)} %"]
    for name in HINTED:
        row += [over_seeds([p.gain(name, a) for p in points]) for a in accuracies]
        bounds = [[p.bound(name, a) for p in points] for a in accuracies]
        texts = [f"{over_seeds([n for n, _ in of])} {terms(of)}" for of in bounds]
        row.append(texts[0] if len(set(texts)) == 1 else " / ".join(texts))
    return row


def times(points, accuracies):
    """Time and bytes of all."""

    def cell(name):
        speed = over_seeds([p.time("off") / p.runs[name].time for p in points])
        return f"{speed} ({over_seeds([p.ratio(p.runs[name]) for p in points])})"

    off = [p.runs["off"] for p in points]
    busy, read = [100 * p.part.busy(p.runs["off"]) for p in points], [p.ratio(run) for p, run in zip(points, off)]
    row = [*row_head(points), over_seeds([run.time / 1e3 for run in off], 1), f"{over_seeds(busy, 0)} %"]
    row += [over_seeds(read), cell("sr"), cell("stream")]
    return row + [cell((name, a)) for name in HINTED for a in accuracies]


def tables(rows, args):
    accuracies = rows[0][0].accuracies
    of = [(name, f" {a} %" if args.workload == "moe" else "") for name in HINTED for a in accuracies]
    head = ["media", "instr./line", "share", "layers" if args.workload == "moe" else "pages ahead"]
    columns = [[name + a for name, a in of if name == which] + ["bound"] for which in HINTED]
    yield (
        args.workload,
        page_blocks.markdown(
            [*head, "best without, busy", *columns[0], *columns[1]], [gains(row, accuracies) for row in rows]
        ),
    )
    yield (
        f"{args.workload} bytes",
        page_blocks.markdown(
            [*head, "off, us", "busy", "bytes", "sr", "stream", *(name + a for name, a in of)],
            [times(row, accuracies) for row in rows],
        ),
    )


def as_json(p):
    def of(run):
        return {"ns": run.time, "bytes": run.bytes, "busy": p.part.busy(run)}

    entry = {"workload": p.of.name, "media": p.media, "share": p.of.share, "compute": p.of.compute, "seed": p.seed}
    entry |= {"least_bytes": p.of.least_bytes, "best": p.best_policy()}
    entry |= {policy: of(p.runs[policy]) for policy in POLICIES}
    for name in HINTED:
        entry[name] = {}
        for a in p.accuracies:
            bound, term = p.bound(name, a)
            found = {"gain": p.gain(name, a), "bound": bound, "by": term}
            if p.of.name == "moe":
                found["named"] = sum(map(sum, p.names(a))) / max(1, sum(map(len, p.names(a))))
            entry[name][a] = of(p.runs[name, a]) | found | {"hints": p.runs[name, a].hints}
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--workload", default="moe", choices=["moe", "kvdecode"])
    parser.add_argument("--media", action="append", choices=["znand", "nand"], help="default: both")
    parser.add_argument("--share", action="append", type=float, help=f"of the internal DRAM; default: {SHARES}")
    parser.add_argument("--compute", action="append", type=int, help=f"instructions a line; default: {COMPUTES}")
    parser.add_argument("--accuracy", action="append", type=int, help=f"per cent, of moe; default: {ACCURACIES}")
    parser.add_argument("--seed", action="append", type=int, help=f"default: {SEED}; of several the least and the most")
    parser.add_argument("--dram-kib", type=int, default=256, help="internal DRAM of each of the two ports")
    parser.add_argument("--tokens", type=int, default=1)
    parser.add_argument("--layers", type=int, default=16, help="fewer, but 4, where the share is over 1; default: 16")
    parser.add_argument("--experts", type=int, default=8)
    parser.add_argument("--top-k", type=int, default=2)
    parser.add_argument("--pages", type=int, default=256)
    parser.add_argument("--sequences", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", help="file for every figure of every row")
    parser.add_argument("--page", type=pathlib.Path, help="page in which to renew both tables")
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    args.accuracy = args.accuracy or list(ACCURACIES)
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = [
            [Point(pool, args, media, share, compute, seed) for seed in args.seed or [SEED]]
            for media in args.media or ("znand", "nand")
            for compute in args.compute or COMPUTES
            for share in args.share or SHARES
        ]
        for row in rows:
            for point in row:
                point.done()
    made = dict(tables(rows, args))
    print("\n\n".join(made.values()))
    if args.page:
        page_blocks.replace(args.page, made)
    if args.json:
        points = [as_json(point) for row in rows for point in row]
        pathlib.Path(args.json).write_text(json.dumps(points, indent=1) + "\n")


if __name__ == "__main__":
    main()
