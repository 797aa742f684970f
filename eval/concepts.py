#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Pictures of docs/concepts.md and the figures of its text, from the runs whose commands stand in that page.

  eval/concepts.py [--cxlgpu build/bin/cxlgpu]   runs, draws docs/figures/concept-*.svg, writes the page's figures
  eval/concepts.py --check                       runs and draws elsewhere, and names each file that would differ

Exit status: 0; 1 with --check if a file differs; 2 for a command that failed by its input.
"""

import argparse
import csv
import os
import pathlib
import re
import shlex
import shutil
import statistics
import sys
import tempfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import page_blocks  # noqa: E402

matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "cxlgpu",
        "font.size": 9,
        "font.family": "sans-serif",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
)
# Okabe and Ito's, told apart by all kinds of colour vision; the ground is white in a light page and in a dark one.
BLUE, ORANGE, GREEN, RED, PINK, SKY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"
GREY = "#8a939c"
# The stage that ends at an event, as the report page names it, and the colour of its place.
STAGES = {
    "port_enqueue": ("host bridge", BLUE),
    "memq_alloc": ("SR queue of the root port", BLUE),
    "ctrl_accept": ("memory queue", BLUE),
    "wire_m2s": ("request on the link", ORANGE),
    "ep_accept": ("endpoint's receive queue", GREEN),
    "ep_lookup": ("internal DRAM lookup", GREEN),
    "media_issue": ("wait for the medium", GREEN),
    "media_done": ("medium", PINK),
    "ep_respond": ("endpoint's response queue", GREEN),
    "wire_s2m": ("response on the link", ORANGE),
    "port_respond": ("root port takes the response", BLUE),
    "sys_respond": ("response on the system bus", BLUE),
}
BASE, WARP = 1 << 32, 0x4000  # of the HDM range; of the lines of one warp in the first array
PORTS, INTERLEAVE = 2, 1024  # of the HDM range
FLIT_BYTES = 68
GRANULES = ["64 B", "256 B", "512 B", "768 B", "1024 B", "halted"]


def number(value):
    """Three digits, thousands separated by a space at which no line ends."""
    return f"{value:,.0f}".replace(",", "\u00a0") if value >= 100 else f"{value:.3g}"


class Runs:
    """Files that the page's commands left in `folder`."""

    def __init__(self, folder):
        self.folder = folder

    def rows(self, name):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def loads(self, name):
        return [row for row in self.rows(name) if row["is_write"] == "0" and row["error"] == "0"]

    def stats(self, name):
        return runs.read(self.folder / name / "stats.json")


def run_commands(page, cxlgpu, folder):
    """Every command of the page that begins with cxlgpu, as it stands there."""
    for line in re.findall(r"^cxlgpu .*$", page.read_text(), re.M):
        here = os.getcwd()
        os.chdir(folder)
        try:
            runs.call([cxlgpu, *shlex.split(line)[1:]])
        finally:
            os.chdir(here)


def time_us(row, column="submitted_ps"):
    return int(row[column]) / 1e6


def life(made):
    """The load whose time with speculative read is the middle one of those that a MemSpecRd made hits of misses."""
    plain = {row["address"]: row for row in made.loads("cxl.csv") if row["lookup"] == "miss"}
    fills = {
        (row["port"], int(row["addr"], 16) // 256): int(row["time_ps"])
        for row in made.rows("sr-events.csv")
        if row["stage"] == "spec_fill"
    }

    def filled_ahead(row):
        """A MemSpecRd had started the fill of its line before the load came."""
        offset = int(row["address"]) - BASE
        dpa = offset // (PORTS * INTERLEAVE) * INTERLEAVE + offset % INTERLEAVE
        return fills.get((row["port"], dpa // 256), int(row["submitted_ps"])) < int(row["submitted_ps"])

    served = [row for row in made.loads("sr.csv") if row["lookup"] == "hit" and row["address"] in plain]
    served = [row for row in served if filled_ahead(row)]
    served.sort(key=lambda row: (int(row["latency_ps"]), row["address"]))
    hit = served[len(served) // 2]
    miss = plain[hit["address"]]
    figure, panels = plt.subplots(2, 1, figsize=(8, 6.2))
    titles = ("cxl: misses", "sr: hits a line brought by MemSpecRd")
    for axes, row, title in zip(panels, (miss, hit), titles):
        total, at, place = int(row["latency_ps"]) / 1e3, 0, 0
        for stage, (name, colour) in STAGES.items():
            span = int(row[f"{stage}_ps"]) / 1e3
            if span == 0:
                continue
            axes.barh(place, span, left=at, color=colour, height=0.75)
            at += span
            ink = "black"
            if span > 0.4 * total:
                x, side = at - span / 2, "center"
                ink = "white" if colour == BLUE else "black"
            elif at > 0.6 * total:
                x, side = at - span - 0.01 * total, "right"
            else:
                x, side = at + 0.01 * total, "left"
            axes.text(x, place, f"{name}: {number(span)} ns", va="center", ha=side, color=ink, fontsize=8)
            place += 1
        axes.set_ylim(place - 0.4, -0.6)
        axes.set_xlim(0, total * 1.02)
        axes.set_yticks([])
        axes.set_title(f"{title}, {number(total)} ns", loc="left", fontsize=9, fontweight="bold")
        axes.set_xlabel("ns since the system bus gave the load")
    waits = int(miss["media_issue_ps"]) / 1e3
    text = (
        f"Address {int(miss['address']):#x} takes {number(int(miss['latency_ps']) / 1e3)} ns in plain CXL; "
        f"{number(waits)} ns of them it waits for its fill from flash. With speculative read the same load takes "
        f"{number(int(hit['latency_ps']) / 1e3)} ns. The time axes differ."
    )
    return figure, text


def ahead(made):
    """Lines of one warp in one array: when it loads them and when MemSpecRd asks for them."""

    def inside(address):
        return 0 <= address - BASE - WARP < 4096

    loads = [row for row in made.loads("ahead.csv") if inside(int(row["address"]))]
    specs = [
        row
        for row in made.rows("ahead-events.csv")
        if row["stage"] == "spec_issue" and inside(int(row["addr"], 16)) and int(row["id"]) == 0
    ]
    figure, axes = plt.subplots(figsize=(8, 4))
    looks = {"hit": ("o", BLUE), "merge": ("^", ORANGE), "miss": ("X", RED)}
    names = {"hit": "load, hits", "merge": "load, waits for the fill", "miss": "load, misses"}
    for row in specs:
        start, size = (int(row["addr"], 16) - BASE - WARP) / 1024, int(row["info"]) / 4
        axes.vlines(time_us(row, "time_ps"), start, start + size, color=GREEN, linewidth=3.5)
    axes.plot([], [], color=GREEN, linewidth=3.5, label="MemSpecRd, its bytes")
    for lookup, (marker, colour) in looks.items():
        of = [row for row in loads if row["lookup"] == lookup]
        places = [(int(row["address"]) - BASE - WARP) / 1024 for row in of]
        axes.plot([time_us(row) for row in of], places, marker, color=colour, markersize=4.5, label=names[lookup])
    axes.set_xlabel("us")
    axes.set_ylabel("KiB into the warp's part of the array")
    axes.set_yticks(range(5))
    axes.grid(axis="y", linewidth=0.4)
    axes.legend(loc="upper left")
    count = {lookup: sum(row["lookup"] == lookup for row in loads) for lookup in looks}
    text = (
        f"The warp loads {len(loads)} lines of 64 B. {len(specs)} MemSpecRd begin among them. {count['hit']} loads "
        f"hit, {count['merge']} come while the fill is in flight, {count['miss']} miss."
    )
    return figure, text


def store(made):
    """The slowest store of every 5 us, while the flash collects."""
    figure, axes = plt.subplots(figsize=(8, 3.4))
    script = made.stats("store-sr")["scripted_collection"]
    first, busy = float(script["first"]["value"]), float(script["busy"]["value"])
    axes.axvspan(first, first + busy, color="#dddddd", label="flash collects", linewidth=0)
    slowest, middle, ends = {}, {}, {}
    for name, colour, line in (("sr", RED, "-"), ("ds", BLUE, "--")):
        bins = {}
        writes = [row for row in made.rows(f"store-{name}.csv") if row["is_write"] == "1"]
        for row in writes:
            bins.setdefault(int(time_us(row) // 5), []).append(int(row["latency_ps"]) / 1e3)
        times = range(max(bins) + 1)
        heights = [max(bins.get(at, [float("nan")])) for at in times]
        axes.plot([5 * at + 2.5 for at in times], heights, line, color=colour, marker=".", label=name)
        slowest[name] = max(heights[at] for at in bins)
        ends[name] = made.stats(f"store-{name}")["end_to_end"]["value"] / 1e3
        middle[name] = statistics.median(int(row["latency_ps"]) / 1e3 for row in writes)
    axes.set_yscale("log")
    axes.set_xlabel("us; a bin is 5 us, a gap one without a store")
    axes.set_ylabel("slowest store, ns")
    axes.legend(loc="upper right")
    text = (
        f"All dies collect from {number(first)} to {number(first + busy)} us. The slowest store takes "
        f"{number(slowest['sr'])} ns with `sr` and {number(slowest['ds'])} ns with `ds`; "
        f"the median is {number(middle['sr'])} and {number(middle['ds'])} ns. The kernel takes {number(ends['sr'])} "
        f"and {number(ends['ds'])} us: its loads wait for the flash all the same."
    )
    return figure, text


def served(made):
    """Distribution of load latency by what the lookup in the internal DRAM found."""
    figure, axes = plt.subplots(figsize=(8, 3.6))
    looks = {"hit": ("hit", BLUE), "merge": ("waits for a fill", ORANGE), "miss": ("miss", RED)}
    shares, medians = {}, {}
    for name, line in (("cxl", "--"), ("sr", "-")):
        loads = made.loads(f"{name}.csv")
        for lookup, (label, colour) in looks.items():
            values = sorted(int(row["latency_ps"]) / 1e3 for row in loads if row["lookup"] == lookup)
            shares[name, lookup] = 100 * len(values) / len(loads)
            if not values:
                continue
            medians[name, lookup] = statistics.median(values)
            step = max(1, len(values) // 200)
            places = range(0, len(values), step)
            axes.plot(
                [values[at] for at in places],
                [100 * (at + 1) / len(values) for at in places],
                line,
                color=colour,
                label=f"{name}, {label}: {shares[name, lookup]:.1f} % of loads",
            )
    axes.set_xscale("log")
    axes.set_xlabel("ns")
    axes.set_ylabel("answered within, %")
    axes.legend(loc="upper left", fontsize=8)
    axes.set_xlim(left=20)
    media = made.stats("cxl")["media_counters"]
    fills, reads = (sum(port[name]["value"] for port in media) for name in ("fills", "page_reads"))
    text = (
        f"Of `sr`, the median load takes {number(medians['sr', 'hit'])} ns if it hits and "
        f"{number(medians['sr', 'miss'])} ns if it misses. Of all loads, {shares['cxl', 'miss']:.1f} % miss in plain "
        f"CXL and {shares['sr', 'miss']:.1f} % with speculative read, where {shares['sr', 'merge']:.1f} % wait for a "
        f"fill in flight. The median miss of `cxl` takes {number(medians['cxl', 'miss'])} ns: {number(fills)} fills "
        f"take {number(reads)} reads of a flash page, so most find their page in a page register."
    )
    return figure, text


def paging(made):
    """Time and bytes of one kernel, over CXL and by pages."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.6))
    names, times, moved = ["cxl", "sr", "uvm", "gds"], [], []
    for name in names:
        stats = made.stats(f"moved-{name}")
        times.append(stats["end_to_end"]["value"] / 1e3)
        if stats["paging"]:
            moved.append(sum(stats["paging"][way]["value"] for way in ("bytes_in", "bytes_out")))
        else:
            moved.append(FLIT_BYTES * sum(stats["flits"][way]["all"]["value"] for way in ("m2s", "s2m")))
    size = stats["data_set"]["value"]
    colours = [BLUE, SKY, RED, ORANGE]
    panels = ((left, times, "end to end, us"), (right, [value / 2**20 for value in moved], "bytes moved, MiB"))
    for axes, values, title in panels:
        axes.barh(names, values, color=colours)
        for place, value in enumerate(values):
            axes.text(value * 1.1, place, number(value), va="center", fontsize=8)
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 5, max(values) * 8)
        axes.invert_yaxis()
        axes.set_title(title, loc="left", fontsize=9, fontweight="bold")
    text = (
        f"The data set is {number(size / 2**10)} KiB. `uvm` moves {number(moved[2] / 2**20)} MiB in pages, `cxl` "
        f"{number(moved[0] / 2**20)} MiB in flits, headers included. `uvm` takes {number(times[2] / times[0])} times "
        f"as long as `cxl`, `gds` {number(times[3] / times[0])} times."
    )
    return figure, text


def devload(made):
    """DevLoad of the responses, and how much a MemSpecRd of each port may prefetch."""
    stats = made.stats("devload")
    series = stats["series"]
    width = series["bin"]["value"] / 1e3
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 4.8), sharex=True)
    colours = {"light": SKY, "optimal": BLUE, "moderate": ORANGE, "severe": RED}
    count = len(series["dev_load"]["light"]["values"])
    edges = [at * width for at in range(count + 1)]
    floor = [0] * count
    for level, colour in colours.items():
        sums = [below + value for below, value in zip(floor, series["dev_load"][level]["values"])]
        top.stairs(sums, edges, baseline=floor, fill=True, color=colour, label=level, linewidth=0)
        floor = sums
    top.set_ylabel(f"responses in {number(width)} us")
    order = [GRANULES.index("halted"), *range(5)]
    end = stats["end_to_end"]["value"] / 1e3
    for port, (colour, line) in enumerate(((GREEN, "-"), (PINK, "--"))):
        steps = [(at / 1e3, state) for at, of, state in stats["load_control"] if of == port]
        times = [0, *[at for at, _ in steps], end]
        states = [1, *[state for _, state in steps]]
        places = [order.index(state) for state in states]
        bottom.step(times, [*places, places[-1]], line, where="post", color=colour, label=f"port {port}")
    bottom.set_yticks(range(6), [GRANULES[state] for state in order])
    bottom.set_ylabel("MemSpecRd at most")
    bottom.set_xlabel("us")
    first = stats["scripted_collection"]["first"]["value"]
    last = first + stats["scripted_collection"]["busy"]["value"]
    for axes in (top, bottom):
        axes.axvspan(first, last, color="#dddddd", linewidth=0, zorder=0, label="flash collects")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    severe = sum(series["dev_load"]["severe"]["values"])
    halts = [at / 1e3 for at, _, state in stats["load_control"] if GRANULES[state] == "halted"]
    text = (
        f"{number(severe)} of {number(sum(floor))} responses say severe. The ports halt at "
        f"{' and '.join(f'{at:.2f}' for at in halts)} us, the collection begins at {number(first)} us: "
        "a device announces it with DevLoad."
    )
    return figure, text


PICTURES = {"life": life, "ahead": ahead, "store": store, "served": served, "paging": paging, "devload": devload}


def draw(made, page, figures):
    """Draws into `figures` and writes the text of each picture into `page`."""
    texts = {}
    for name, picture in PICTURES.items():
        figure, text = picture(made)
        figure.tight_layout()
        path = figures / f"concept-{name}.svg"
        figure.savefig(path.with_suffix(".new"), format="svg", metadata={"Date": None})
        os.replace(path.with_suffix(".new"), path)
        plt.close(figure)
        texts[name] = page_blocks.wrapped(text)
    page_blocks.replace(page, texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    page, figures = args.docs / "concepts.md", args.docs / "figures"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run_commands(page, os.path.abspath(args.cxlgpu), folder)
        if not args.check:
            draw(Runs(folder), page, figures)
            return 0
        shutil.copy(page, folder / page.name)
        draw(Runs(folder), folder / page.name, folder)
        old = [page, *(figures / f"concept-{name}.svg" for name in PICTURES)]
        differ = [path for path in old if not path.exists() or path.read_bytes() != (folder / path.name).read_bytes()]
        for path in differ:
            print(f"{path}: not what its runs give; run `make concepts`", file=sys.stderr)
        return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
