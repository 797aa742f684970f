# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The figures of docs/results.md and docs/results/paper.md, after 9a to 9e of the CXL-GPU paper, theirs beside ours."""

import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import points

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


def grouped_bars(axes, groups, series, value, baseline=None):
    """One group of bars for each of `groups`, a bar for each of `series`; returns each group's span."""
    width = 0.84 / len(series)
    for i, name in enumerate(series):
        at = [g - 0.42 + (i + 0.5) * width for g in range(len(groups))]
        axes.bar(at, [value(group, name) for group in groups], width, color=COLOURS[name], label=name)
    axes.set_xticks(range(len(groups)), groups)
    if baseline is not None:
        axes.axhline(baseline, color="#666", linewidth=0.6)
    return {group: (g - 0.46, g + 0.46) for g, group in enumerate(groups)}


def theirs(axes, spans, value, label=None):
    axes.hlines(value, spans[0], spans[1], label=label, **THEIRS)


def figure_9a(runs, paper, path):
    figure, axes = plt.subplots(figsize=(9, 3))
    names = points.workloads(runs.matrix)
    series = ["uvm", "cxl"]
    spans = grouped_bars(axes, names, series, lambda w, c: runs.ratio(w, "dram", c, "gpu-dram"), 1)
    label = "paper: uvm, mean; cxl, by class"
    theirs(axes, (spans[names[0]][0], spans[names[-1]][1]), paper["9a"]["uvm over gpu-dram, mean"], label)
    for name, percent in paper["9a"]["cxl over gpu-dram, percent"].items():
        of_class = runs.matrix["classes"][name]
        theirs(axes, (spans[of_class[0]][0], spans[of_class[-1]][1]), 1 + percent / 100)
    axes.set_yscale("log")
    axes.set_ylabel("time, gpu-dram = 1")
    axes.set_title("9a: DRAM endpoint")
    axes.legend(ncol=3, frameon=False)
    save(figure, path)


def figure_9b(runs, paper, path):
    figure, (left, right) = plt.subplots(2, 1, figsize=(9, 5.4))
    names = points.workloads(runs.matrix)
    grouped_bars(
        left,
        names,
        ["uvm", "gds", "phoenix", "cxl", "sr", "stream", "ds"],
        lambda w, c: runs.ratio(w, "znand", c, "gpu-dram"),
        1,
    )
    left.set_yscale("log")
    left.set_ylabel("time, gpu-dram = 1")
    left.set_title("9b: Z-NAND endpoint")
    left.legend(ncol=7, frameon=False)
    spans = grouped_bars(right, names, ["sr", "stream", "ds"], lambda w, c: runs.speed_up(w, "znand", c, "cxl"), 1)
    theirs(
        right,
        (spans[names[0]][0], spans[names[-1]][1]),
        paper["9b"]["sr over cxl, mean"],
        "paper: sr, mean and by workload",
    )
    for name, factor in paper["9b"]["sr over cxl"].items():
        theirs(right, spans[name], factor)
    right.set_yscale("log")
    right.set_ylabel("speed-up over cxl")
    right.legend(ncol=4, frameon=False)
    save(figure, path)


def figure_9c(runs, paper, path):
    part = runs.matrix["by_media"]
    figure, axes = plt.subplots(1, len(part["media"]), figsize=(9, 2.8), sharey=True)
    for axis, media in zip(axes, part["media"]):
        spans = grouped_bars(
            axis,
            part["workloads"],
            ["sr", "stream", "ds"],
            lambda w, c: runs.speed_up(w, media, c, "cxl", points.media_settings(runs.matrix, w)),
            1,
        )
        theirs(
            axis,
            (spans[part["workloads"][0]][0], spans[part["workloads"][-1]][1]),
            paper["9c"]["sr over cxl, mean of vadd path bfs"][media],
            "paper: sr, mean",
        )
        axis.set_title(media)
    axes[0].set_yscale("log")
    axes[0].set_ylabel("speed-up over cxl")
    axes[0].legend(frameon=False)
    figure.suptitle("9c: gain by media")
    save(figure, path)


def figure_9d(runs, paper, path):
    part = runs.matrix["patterns"]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.8))
    series = [c for c in part["configurations"] if c != "gpu-dram"]
    grouped_bars(left, part["workloads"], series, lambda w, c: runs.hit_rate(w, part["media"], c, part["settings"]))
    width = 0.84 / len(series)
    label = "paper"
    for name, rates in paper["9d"]["hit rate"].items():
        for workload, rate in rates.items():
            at = part["workloads"].index(workload) - 0.42 + series.index(name) * width
            theirs(left, (at, at + width), rate, label)
            label = None
    left.set_ylabel("internal-DRAM hits, %")
    left.set_ylim(0, 118)
    left.legend(ncol=6, frameon=False, fontsize=6.5, loc="upper center")
    grouped_bars(
        right,
        part["workloads"],
        series[1:],
        lambda w, c: runs.speed_up(w, part["media"], c, "cxl", part["settings"]),
        1,
    )
    right.set_ylabel("speed-up over cxl")
    figure.suptitle("9d: speculative read by pattern")
    save(figure, path)


def figure_9e(runs, path):
    part = runs.matrix["collection"]
    figure, rows = plt.subplots(3, len(part["configurations"]), figsize=(9, 5), sharex=True, sharey="row")
    for column, configuration in enumerate(part["configurations"]):
        stats = runs.stats(part["workload"], part["media"], configuration, part["settings"])
        series = stats["series"]
        width = series["bin"]["value"] / 1e3
        latency = {curve["kind"]: curve for curve in series["latency"]}
        script = stats["scripted_collection"]
        for row, kind in enumerate(("load", "store")):
            axis = rows[row][column]
            for which, colour in (("max", "#e45756"), ("p50", "#4c78a8")):
                shown = [
                    (i * width, value) for i, value in enumerate(latency[kind][which]["values"]) if value is not None
                ]
                axis.plot(
                    [x for x, _ in shown],
                    [y / 1e3 for _, y in shown],
                    ".-",
                    markersize=3,
                    linewidth=0.8,
                    color=colour,
                    label=which,
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
        rows[0][column].set_title(configuration)
    rows[0][0].legend(frameon=False)
    figure.suptitle(f"9e: {part['workload']} while all dies collect (grey)")
    save(figure, path)


def sensitivity(curves, path):
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
    save(figure, path)


def draw_all(runs, paper, folder):
    folder.mkdir(parents=True, exist_ok=True)
    figure_9a(runs, paper, folder / "9a.svg")
    figure_9b(runs, paper, folder / "9b.svg")
    figure_9c(runs, paper, folder / "9c.svg")
    figure_9d(runs, paper, folder / "9d.svg")
    figure_9e(runs, folder / "9e.svg")
