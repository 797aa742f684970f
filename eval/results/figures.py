# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The figures of docs/results.md and docs/results/paper.md, after 9a to 9e of the CXL-GPU paper, with three marks:

a bar is ours on the default machine, a diamond ours on the paper's machine with what the paper leaves open as the line
through it, a dashed line the paper's. And two for users: what speculative read and deterministic store gain by what
the GPU has in flight.
"""

import math
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import points
from rows import of_experiment
from runs_of import NOT_RUN, MissingRun, arithmetic_mean

matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "cxlgpu",
        "font.size": 8,
        "font.family": "sans-serif",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
)
COLOURS = {
    "gpu-dram": "#9aa5b1",
    "uvm": "#b07aa1",
    "gds": "#9c755f",
    "phoenix": "#edc948",
    "cxl": "#4c78a8",
    "naive": "#a0cbe8",
    "dyn": "#72b7b2",
    "sr": "#f28e2b",
    "stream": "#59a14f",
    "ds": "#e45756",
}
THEIRS = {"color": "black", "linewidth": 1.2, "linestyle": (0, (3, 1.5))}


def save(figure, path):
    """Whole, then renamed."""
    figure.tight_layout()
    figure.savefig(path.with_suffix(".new"), format="svg", metadata={"Date": None})
    os.replace(path.with_suffix(".new"), path)
    plt.close(figure)


class Bars:
    """Groups of bars, one for each of `series`; the marks of the paper's machine and the paper's lines over them."""

    def __init__(self, axes, groups, series, baseline=None):
        self.axes, self.groups, self.series = axes, list(groups), list(series)
        self.width = 0.84 / len(self.series)
        self.said = set()
        axes.set_xticks(range(len(self.groups)), self.groups)
        if baseline is not None:
            axes.axhline(baseline, color="#666", linewidth=0.6)

    def once(self, label):
        new = label not in self.said
        self.said.add(label)
        return label if new else None

    def at(self, group, name):
        """Middle of a bar."""
        return self.groups.index(group) - 0.42 + (self.series.index(name) + 0.5) * self.width

    def ours(self, value):
        for name in self.series:
            heights = [value(group, name) for group in self.groups]
            places = [self.at(group, name) for group in self.groups]
            self.axes.bar(places, heights, self.width, color=COLOURS[name], label=name)

    def on_paper(self, runs, media, value, medium=None):
        """Diamonds of `value(runs, group, name)`, with the range over what the paper leaves open on this medium."""
        for group in self.groups:
            for name in self.series:
                at, middle = self.at(group, name), value(runs, group, name)
                found = runs.range(medium or media, lambda one: value(one, group, name))
                if found:
                    self.axes.vlines(at, *found, color="black", linewidth=0.9)
                if not math.isnan(middle):
                    label = self.once("paper's machine, range")
                    self.axes.plot(
                        [at], [middle], "D", color="white", markeredgecolor="black", markersize=3, label=label
                    )

    def theirs(self, first, last, value, label="paper"):
        """A line over the groups from `first` to `last`."""
        start, end = self.groups.index(first) - 0.46, self.groups.index(last) + 0.46
        self.axes.hlines(value, start, end, label=self.once(label), **THEIRS)

    def theirs_of(self, group, name, value, label="paper"):
        at = self.at(group, name)
        self.axes.hlines(value, at - self.width / 2, at + self.width / 2, label=self.once(label), **THEIRS)


def figure_9a(on_paper, ours, paper):
    figure, axes = plt.subplots(figsize=(9, 3.2))
    names = points.workloads(ours.matrix)
    bars = Bars(axes, names, ["uvm", "cxl"], 1)
    bars.ours(lambda w, c: ours.ratio(w, "dram", c, "gpu-dram"))
    bars.on_paper(on_paper, "dram", lambda runs, w, c: runs.ratio(w, "dram", c, "gpu-dram"))
    label = "paper: uvm, mean; cxl, by class"
    bars.theirs(names[0], names[-1], paper["9a"]["uvm over gpu-dram, mean"], label)
    for name, percent in paper["9a"]["cxl over gpu-dram, percent"].items():
        of_class = ours.matrix["classes"][name]
        bars.theirs(of_class[0], of_class[-1], 1 + percent / 100, label)
    axes.set_yscale("log")
    axes.set_ylabel("time, gpu-dram = 1")
    axes.set_title("9a: DRAM endpoint")
    axes.legend(ncol=4, frameon=False)
    return figure


def figure_9b(on_paper, ours, paper):
    figure, (left, right) = plt.subplots(2, 1, figsize=(9, 6))
    names = points.workloads(ours.matrix)
    bars = Bars(left, names, ["uvm", "gds", "phoenix", "cxl", "sr", "stream", "ds"], 1)
    bars.ours(lambda w, c: ours.ratio(w, "znand", c, "gpu-dram"))
    of_paper = [c for c in bars.series if c in on_paper.machine.has["configurations"]["znand"]]
    bars.on_paper(
        on_paper,
        "znand",
        lambda runs, w, c: runs.ratio(w, "znand", c, "gpu-dram") if c in of_paper else math.nan,
    )
    left.set_yscale("log")
    left.set_ylabel("time, gpu-dram = 1")
    left.set_title("9b: Z-NAND endpoint")
    left.legend(ncol=8, frameon=False, fontsize=7)
    bars = Bars(right, names, ["sr", "stream", "ds"], 1)
    bars.ours(lambda w, c: ours.speed_up(w, "znand", c, "cxl"))
    bars.on_paper(on_paper, "znand", lambda runs, w, c: runs.speed_up(w, "znand", c, "cxl"))
    label = "paper: sr, mean and by workload"
    bars.theirs(names[0], names[-1], paper["9b"]["sr over cxl, mean"], label)
    for name, gain in paper["9b"]["sr over cxl"].items():
        bars.theirs(name, name, gain, label)
    right.set_yscale("log")
    right.set_ylabel("speed-up over cxl")
    right.legend(ncol=5, frameon=False, fontsize=7)
    return figure


def figure_9c(on_paper, ours, paper):
    part = ours.matrix["by_media"]
    figure, axes = plt.subplots(1, len(part["media"]), figsize=(9, 3), sharey=True)
    for axis, media in zip(axes, part["media"]):
        bars = Bars(axis, part["workloads"], ["sr", "stream", "ds"], 1)
        bars.ours(lambda w, c: ours.speed_up(w, media, c, "cxl", "media"))
        bars.on_paper(on_paper, media, lambda runs, w, c: runs.speed_up(w, media, c, "cxl", "media"))
        mean = paper["9c"]["sr over cxl, mean of vadd path bfs"][media]
        bars.theirs(part["workloads"][0], part["workloads"][-1], mean, "paper: sr, mean")
        axis.set_title(media)
    axes[0].set_yscale("log")
    axes[0].set_ylabel("speed-up over cxl")
    axes[0].legend(frameon=False, fontsize=6.5)
    figure.suptitle("9c: gain by media")
    return figure


def figure_9d(on_paper, ours, paper):
    part = ours.matrix["patterns"]
    media = part["media"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    series = [c for c in part["configurations"] if c != "gpu-dram"]
    bars = Bars(left, part["workloads"], series)
    bars.ours(lambda w, c: ours.hit_rate(w, media, c, part="pattern"))
    bars.on_paper(on_paper, media, lambda runs, w, c: runs.hit_rate(w, media, c, part="pattern"))
    for name, rates in paper["9d"]["hit rate"].items():
        for workload, rate in rates.items():
            bars.theirs_of(workload, name, rate)
    left.set_ylabel("internal-DRAM hits, %")
    left.set_ylim(0, 125)
    left.legend(ncol=4, frameon=False, fontsize=6.5, loc="upper center")
    bars = Bars(right, part["workloads"], series[1:], 1)
    bars.ours(lambda w, c: ours.speed_up(w, media, c, "cxl", "pattern"))
    bars.on_paper(on_paper, media, lambda runs, w, c: runs.speed_up(w, media, c, "cxl", "pattern"))
    gains = {}  # over cxl, of those that the text tells one after the other
    for key, by_pattern in paper["9d"]["time"].items():
        of, over = key.split(" over ")
        for workload, gain in by_pattern.items():
            below = 1.0 if over == "cxl" else gains.get((workload, over))
            if below is not None:
                gains[workload, of] = below * gain
                bars.theirs_of(workload, of, gains[workload, of])
    right.set_yscale("log")
    right.set_ylabel("speed-up over cxl")
    figure.suptitle("9d: speculative read by pattern")
    return figure


def shown_of(curve):
    """Bins of a series that have a value: (bin, ns)."""
    return [(i, value) for i, value in enumerate(curve["values"]) if value is not None]


def worst_range(runs, configuration, kind):
    """Least and greatest of the worst latency under collection over what the paper leaves open, in ns."""
    part = runs.matrix["collection"]

    def worst(one):
        try:
            series = one.stats(part["workload"], part["media"], configuration, part="collection")["series"]
        except MissingRun:
            return NOT_RUN
        curve = next(c for c in series["latency"] if c["kind"] == kind)["max"]
        return max(value for _, value in shown_of(curve))

    return runs.range(part["media"], worst)


def figure_9e(on_paper, ours, paper):
    part = ours.matrix["collection"]
    columns = [(runs, c) for runs in (on_paper, ours) for c in part["configurations"]]
    figure, rows = plt.subplots(3, len(columns), figsize=(11, 5), sharex="col", sharey="row")
    for column, (runs, configuration) in enumerate(columns):
        stats = runs.stats(part["workload"], part["media"], configuration, part="collection")
        series = stats["series"]
        width = series["bin"]["value"] / 1e3
        latency = {curve["kind"]: curve for curve in series["latency"]}
        script = stats["scripted_collection"]
        for row, kind in enumerate(("load", "store")):
            axis = rows[row][column]
            for which, colour in (("max", "#e45756"), ("p50", "#4c78a8")):
                shown = shown_of(latency[kind][which])
                axis.plot(
                    [x * width for x, _ in shown],
                    [y / 1e3 for _, y in shown],
                    ".-",
                    markersize=3,
                    linewidth=0.8,
                    color=colour,
                    label=which,
                )
            worst = max(shown_of(latency[kind]["max"]), key=lambda point: point[1])
            least, most = worst_range(runs, configuration, kind) or (worst[1], worst[1])
            axis.errorbar(
                [worst[0] * width],
                [worst[1] / 1e3],
                yerr=[[(worst[1] - least) / 1e3], [(most - worst[1]) / 1e3]],
                fmt="D",
                markersize=4,
                color="#333333",
                capsize=3,
                linewidth=1,
                label="worst, range",
            )
            axis.set_yscale("log")
            axis.set_ylabel(f"{kind} latency, us" if column == 0 else "")
        waiting = series["ingress"]["values"]
        rows[2][column].step(
            [i * width for i in range(len(waiting))], waiting, where="post", color="#4c78a8", linewidth=0.9
        )
        rows[2][column].set_ylabel("waiting at endpoints" if column == 0 else "")
        rows[2][column].set_xlabel("us")
        for axis in rows[:, column]:
            start = script["starts"]["values"][0] / 1e3
            axis.axvspan(start, start + script["busy"]["value"], color="#dddddd", zorder=0)
        rows[0][column].set_title(f"{'paper' if runs is on_paper else 'default'} machine, {configuration}")
    rows[0][0].legend(frameon=False)
    figure.suptitle(f"9e: {part['workload']} while all dies collect (grey)")
    return figure


def gain_curves(experiments, folder, title, note):
    """A panel for each (name, experiment, what): the gain of each workload against the experiment's x."""
    figure, axes = plt.subplots(1, len(experiments), figsize=(9, 3.4), sharey=True)
    for axis, (name, one, what) in zip(axes, experiments):
        for number, workload in enumerate(one.workloads):
            curve = {}
            for row in one.rows:
                stats = {c: folder.read(one.path(workload, c, row)) for c in one.configurations}
                curve.setdefault(row["x"], []).append(of_experiment(what, stats))
            colour = f"C{number}"
            xs = sorted(curve)
            axis.plot(xs, [arithmetic_mean(curve[x]) for x in xs], "-", linewidth=1, color=colour, label=workload)
            for x in xs:  # other ways to the same x
                axis.plot([x] * len(curve[x]), curve[x], ".", markersize=3, color=colour)
        axis.axhline(1, color="#666", linewidth=0.6)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(xs, [str(x) for x in xs])
        axis.minorticks_off()
        ticks = [0.8, 1, 1.5, 2, 3, 5, 8, 12]
        axis.set_yticks(ticks, [str(tick) for tick in ticks])
        axis.set_xlabel(one.has["x"])
        axis.set_title(name)
    axes[0].set_ylabel(note)
    axes[0].legend(frameon=False, fontsize=6.5)
    figure.suptitle(title)
    return figure


def gain_by_loads(experiments, folder):
    machines = [
        (f"{machine}, {of}", experiments[key], f"{of} over cxl")
        for machine, key in (("paper's machine", "loads_paper"), ("default machine", "loads_scaled"))
        for of in ("sr", "stream")
    ]
    return gain_curves(machines, folder, "Speculative read by loads in flight, Z-NAND", "speed-up over cxl")


def gain_by_writes(experiments, folder):
    machines = [
        ("paper's machine", experiments["write_buffer_paper"], "ds over sr"),
        ("default machine", experiments["write_buffer_scaled"], "ds over sr"),
        ("default, stores wait", experiments["write_buffer_scaled_wait"], "ds over sr"),
    ]
    return gain_curves(
        machines, folder, "Deterministic store by the LLC's write buffer, Z-NAND", "speed-up of ds over sr"
    )


def sensitivity(curves):
    """Small multiples of eval/sensitivity.py's points: end to end over the least of the picture."""
    names = list(dict.fromkeys(point["curve"] for point in curves))
    columns = 4
    figure, axes = plt.subplots(-(-len(names) // columns), columns, figsize=(9, 2.1 * -(-len(names) // columns)))
    for axis in axes.flat[len(names) :]:
        axis.set_axis_off()
    for axis, name in zip(axes.flat, names):
        of_curve = [point for point in curves if point["curve"] == name]
        xs = sorted({point["x"] for point in of_curve})
        for workload, style in zip(dict.fromkeys(point["workload"] for point in of_curve), ("-", "--", ":", "-.")):
            for config in dict.fromkeys(point["config"] for point in of_curve):
                line = {
                    p["x"]: p["end_to_end_us"] for p in of_curve if (p["workload"], p["config"]) == (workload, config)
                }
                axis.plot(
                    range(len(xs)),
                    [line[x] for x in xs],
                    style,
                    marker=".",
                    markersize=3,
                    linewidth=0.9,
                    color=COLOURS[config],
                    label=f"{workload}, {config}",
                )
        axis.set_xticks(range(len(xs)), xs, fontsize=6)
        axis.set_yscale("log")
        axis.set_title(f"{name}, {of_curve[0]['unit']}", fontsize=7)
        axis.tick_params(axis="y", labelsize=6, which="both")
    axes.flat[0].set_ylabel("us")
    handles = {}
    for axis in axes.flat:
        handles.update({label: handle for handle, label in zip(*axis.get_legend_handles_labels())})
    figure.legend(handles.values(), handles.keys(), loc="lower right", ncol=2, frameon=False, fontsize=6)
    return figure


def hints(points):
    """Of eval/moe.py's points: gain over the best without hints, a panel for media and arithmetic."""
    media, computes = (list(dict.fromkeys(point[key] for point in points)) for key in ("media", "compute"))
    figure, axes = plt.subplots(
        len(media), len(computes), figsize=(9, 2.4 * len(media)), sharex=True, sharey=True, squeeze=False
    )
    shades = ("#c6dbef", "#9ecae1", "#4292c6", "#08306b")
    for which, row in zip(media, axes):
        for compute, axis in zip(computes, row):
            of = sorted(
                (p for p in points if (p["media"], p["compute"]) == (which, compute)), key=lambda point: point["share"]
            )
            shares = [point["share"] for point in of]
            for name, style in (("hint", "-"), ("hint + stream", "--")):
                for accuracy, colour in zip(of[0][name], shades):
                    axis.plot(
                        shares,
                        [point[name][accuracy]["gain"] for point in of],
                        style,
                        marker=".",
                        markersize=3,
                        linewidth=0.9,
                        color=colour,
                        label=f"{name}, {accuracy} %",
                    )
            for level in (1, 1.5):
                axis.axhline(level, color="#9aa5b1", linewidth=0.6)
            axis.set_xscale("log")
            axis.set_xticks(shares, [f"{share:.2g}" for share in shares], fontsize=6)
            axis.minorticks_off()
            axis.set_title(f"{which}, {compute} instructions a line", fontsize=7)
    for axis in axes[-1]:
        axis.set_xlabel("chosen experts of a layer over internal DRAM", fontsize=7)
    for row in axes:
        row[0].set_ylabel("gain")
    axes[0][-1].legend(frameon=False, fontsize=6, loc="lower left", ncol=2)
    return figure


def all_figures(on_paper, ours, folder, matrix, paper):
    """Of each file of docs/figures, what draws it."""
    drawn = {
        name: lambda draw=draw: draw(on_paper, ours, paper)
        for name, draw in {
            "9a": figure_9a,
            "9b": figure_9b,
            "9c": figure_9c,
            "9d": figure_9d,
            "9e": figure_9e,
        }.items()
    }
    experiments = {one.name: one for one in points.experiments(matrix)}
    if "loads_paper" in experiments:
        drawn["gain-by-loads"] = lambda: gain_by_loads(experiments, folder)
    if "write_buffer_paper" in experiments:
        drawn["gain-by-writes"] = lambda: gain_by_writes(experiments, folder)
    return drawn
