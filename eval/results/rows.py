# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The rows in which the paper's figures stand beside ours: what each is, and how it comes of the runs of a machine."""

import math
import statistics
from dataclasses import dataclass

import points
from runs_of import answered_here, arithmetic_mean, geometric_mean, hit_rate


@dataclass
class Row:
    figure: str
    what: str
    theirs: object  # a number, or None: the paper has none
    form: str  # x, times or percent
    media: str  # whose ranges count
    value: object  # of Runs; a factor, or a percentage less the sign

    def name(self):
        return f"{self.figure} {self.what}"

    def away(self, ours):
        """By which factor ours is away from theirs, 1 or more."""
        if self.theirs is None:
            return 1.0
        theirs = 1 + self.theirs / 100 if self.form == "percent" else self.theirs
        return max(ours / theirs, theirs / ours)


def factor(value):
    if value != value:
        return "not run"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def shown(form, value):
    if value != value:
        return "not run"
    if form == "percent":
        return f"{100 * (value - 1):+.1f} %"
    if form == "rate":
        return f"{value:.1f} %"
    return factor(value) + ("x" if form == "x" else "")


def theirs(row):
    if row.theirs is None:
        return ""
    if row.form == "percent":
        return f"{row.theirs:+.1f} %"
    return f"{row.theirs} %" if row.form == "rate" else f"{row.theirs}{'x' if row.form == 'x' else ''}"


def all_rows(matrix, paper):
    names = points.workloads(matrix)
    a, b, c, d = paper["9a"], paper["9b"], paper["9c"], paper["9d"]
    rows = []

    def mean(media, of, over, among=names, average=geometric_mean):
        return lambda runs: average(runs.ratio(n, media, of, over) for n in among)

    def add(figure, what, theirs, form, media, value):
        rows.append(Row(figure, what, theirs, form, media, value))

    add(
        "9a",
        "uvm, times gpu-dram, mean",
        a["uvm over gpu-dram, mean"],
        "times",
        "dram",
        mean("dram", "uvm", "gpu-dram"),
    )
    add("9a", "cxl over uvm, mean", a["uvm over cxl, mean"], "x", "dram", mean("dram", "uvm", "cxl"))
    for of_class, percent in a["cxl over gpu-dram, percent"].items():
        add("9a", f"cxl over gpu-dram, {of_class}", percent, "percent", "dram",
            mean("dram", "cxl", "gpu-dram", matrix["classes"][of_class]))  # fmt: skip
    for of in ("sr", "stream"):
        theirs = b["sr over cxl, mean"] if of == "sr" else None
        add(
            "9b",
            f"{of} over cxl, mean, arithmetic",
            theirs,
            "x",
            "znand",
            mean("znand", "cxl", of, names, arithmetic_mean),
        )
        add("9b", f"{of} over cxl, mean, geometric", theirs, "x", "znand", mean("znand", "cxl", of))
        for name, gain in b["sr over cxl"].items():
            add(
                "9b",
                f"{of} over cxl, {name}",
                gain if of == "sr" else None,
                "x",
                "znand",
                mean("znand", "cxl", of, [name]),
            )
    for of_class, percent in b["ds over sr, percent"].items():
        add("9b", f"ds over sr, {of_class}", percent, "percent", "znand",
            mean("znand", "sr", "ds", matrix["classes"][of_class]))  # fmt: skip
    if "by_media" in matrix:
        part = matrix["by_media"]

        def on(media, of, over, among=part["workloads"], average=arithmetic_mean):
            return lambda runs: average(runs.ratio(n, media, of, over, "media") for n in among)

        for of in ("sr", "stream"):
            for media, gain in c["sr over cxl, mean of vadd path bfs"].items():
                add("9c", f"{of} over cxl, mean of {', '.join(part['workloads'])}, {media}",
                    gain if of == "sr" else None, "x", media, on(media, "cxl", of))  # fmt: skip
        add("9c", "sr, vadd on nand, times gpu-dram", c["sr over gpu-dram, vadd on nand"], "times", "nand",
            on("nand", "sr", "gpu-dram", ["vadd"]))  # fmt: skip
        add("9c", "ds over sr, bfs, best medium", c["ds over sr, bfs, best"], "x", "znand",
            lambda runs: max(on(media, "sr", "ds", ["bfs"])(runs) for media in part["media"]))  # fmt: skip
    if "patterns" in matrix:
        media = matrix["patterns"]["media"]

        def pattern(of, over, name):
            return lambda runs: runs.speed_up(name, media, of, over, "pattern")

        for key, by_pattern in d["time"].items():
            of, over = key.split(" over ")
            for name, gain in by_pattern.items():
                add("9d", f"{key}, {name}", gain, "x", media, pattern(of, over, name))
        for key, by_pattern in d["times"].items():
            of, over = key.split(" times ")
            for name, times in by_pattern.items():
                add("9d", f"{key}, {name}", times, "times", media, pattern(over, of, name))
        for of, rates in d["hit rate"].items():
            for name, rate in rates.items():
                add("9d", f"hits of {of}, {name}", rate, "rate", media,
                    lambda runs, of=of, name=name: runs.hit_rate(name, media, of, part="pattern"))  # fmt: skip
    return rows


def of_experiment(what, *starts):
    """What a cell of an experiment shows, of the runs of one workload under one row: for each start of the GPU, from 0
    cycles on, {configuration: stats}."""
    words = what.split()
    if words[0] == "hits":
        return arithmetic_mean(hit_rate(stats[words[1]]) for stats in starts)
    if words[0] == "here":
        return arithmetic_mean(answered_here(stats[words[1]]) for stats in starts)

    def times(configuration):  # GPU and its waiting at 1 GHz
        return [stats[configuration]["end_to_end"]["value"] - start for start, stats in enumerate(starts)]

    if words[0] == "starts":
        return max(times(words[1])) / min(times(words[1]))
    of, how, over = words[-3:]
    longer, shorter = (over, of) if how == "over" else (of, over)  # else times, or after
    ratios = [a / b for a, b in zip(times(longer), times(shorter))]
    if words[0] == "error":
        return statistics.stdev(map(math.log, ratios)) / math.sqrt(len(ratios))
    return geometric_mean(ratios)
