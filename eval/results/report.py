#!/usr/bin/python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Tables and figures of docs/results.md and docs/results/paper.md from the runs of `make results`.

Tables are replaced where page_blocks.py finds their marks; what stands outside is written by people.
Figures go to docs/figures. (The distribution's Python: it has the distribution's matplotlib.)
"""

import argparse
import json
import pathlib
import sys

import figures
import points
import yaml
from runs_of import Runs, geometric_mean

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import page_blocks  # noqa: E402
from page_blocks import markdown  # noqa: E402

FLIT_NS = 2.125  # 68 bytes at x8, 32 GT/s


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "none"


def factor(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def over_gpu_dram(runs, media):
    others = [c for c in runs.matrix["configurations"] if c != "gpu-dram"]
    rows = []
    for of_class, names in runs.matrix["classes"].items():
        for name in names:
            data = runs.stats(name, media, "cxl")["data_set"]["value"]
            rows.append(
                [name, of_class, f"{data / 2**20:.1f} MiB", f"{runs.time(name, media, 'gpu-dram'):.0f} us"]
                + [factor(runs.ratio(name, media, c, "gpu-dram")) for c in others]
            )
    means = [
        factor(geometric_mean(runs.ratio(name, media, c, "gpu-dram") for name in points.workloads(runs.matrix)))
        for c in others
    ]
    rows.append(["**mean** (geometric)", "", "", ""] + means)
    return markdown(["workload", "class", "data", "gpu-dram"] + others, rows)


def counters(runs):
    """What explains the Z-NAND rows: how much reaches CXL, how it is served, what waits."""
    rows = []
    for name in points.workloads(runs.matrix):
        stats = {c: runs.stats(name, "znand", c) for c in ("cxl", "sr", "stream", "ds")}
        plain = stats["cxl"]
        gpu = {
            key: figure["value"]
            for key, figure in plain["gpu"].items()
            if isinstance(figure, dict) and "value" in figure
        }
        instructions = gpu["loads"] + gpu["stores"] + gpu["atomics"] + gpu["compute"]
        end = plain["end_to_end"]["value"]
        loads, stores = (plain[kind]["count"]["value"] for kind in ("loads", "stores"))
        rows.append(
            [
                name,
                f"{plain['data_set']['value'] / 1024:.0f} KiB",
                f"{1000 * (loads + stores) / instructions:.0f}",
                percent(loads, loads + stores),
                f"{loads * plain['loads']['mean']['value'] / end:.1f}",
                f"{plain['loads']['mean']['value']:.0f} / {stats['sr']['loads']['mean']['value']:.0f} / "
                f"{stats['stream']['loads']['mean']['value']:.0f} ns",
                " / ".join(f"{runs.hit_rate(name, 'znand', c):.1f}" for c in ("cxl", "sr", "stream")) + " %",
                percent(plain["flits"]["s2m"]["all"]["value"] * FLIT_NS / 2, end),
                f"{plain['stores'].get('mean', {'value': 0})['value']:.0f} / "
                f"{stats['ds']['stores'].get('mean', {'value': 0})['value']:.0f} ns",
            ]
        )
    return markdown(
        [
            "workload",
            "data",
            "CXL lines per 1 000 warp instructions",
            "of them loads",
            "loads in flight, mean (cxl)",
            "load mean: cxl / sr / stream",
            "internal-DRAM hits: cxl / sr / stream",
            "S2M links busy (cxl)",
            "store mean: cxl / ds",
        ],
        rows,
    )


def theirs_and_ours(runs, paper):
    names = points.workloads(runs.matrix)

    def mean(media, of, over, among=names):
        return geometric_mean(runs.ratio(n, media, of, over) for n in among)

    def more(ratio):
        return f"{100 * (ratio - 1):+.1f} %"

    rows = []
    a, b, c, d = paper["9a"], paper["9b"], paper["9c"], paper["9d"]["time"]
    rows.append(
        ["9a", "uvm, times gpu-dram, mean", f"{a['uvm over gpu-dram, mean']}", factor(mean("dram", "uvm", "gpu-dram"))]
    )
    rows.append(["9a", "cxl over uvm, mean", f"{a['uvm over cxl, mean']}x", factor(mean("dram", "uvm", "cxl")) + "x"])
    for of_class, theirs in a["cxl over gpu-dram, percent"].items():
        ours = mean("dram", "cxl", "gpu-dram", runs.matrix["classes"][of_class])
        rows.append(["9a", f"cxl over gpu-dram, {of_class}", f"{theirs:+.1f} %", more(ours)])
    for of in ("sr", "stream"):
        rows.append(
            [
                "9b",
                f"{of} over cxl, mean",
                f"{b['sr over cxl, mean']}x" if of == "sr" else "",
                factor(mean("znand", "cxl", of)) + "x",
            ]
        )
        for pair in (("vadd", "saxpy"), ("path", "bfs")):
            ours = " / ".join(factor(runs.speed_up(n, "znand", of, "cxl")) + "x" for n in pair)
            rows.append(
                [
                    "9b",
                    f"{of} over cxl, {pair[0]} / {pair[1]}",
                    f"{b['sr over cxl'][pair[0]]}x" if of == "sr" else "",
                    ours,
                ]
            )
    for of_class, theirs in b["ds over sr, percent"].items():
        ours = mean("znand", "sr", "ds", runs.matrix["classes"][of_class])
        rows.append(["9b", f"ds over sr, {of_class}", f"{theirs:+.1f} %", more(ours)])
    part = runs.matrix["by_media"]

    def on(name, media, of, over):
        return runs.ratio(name, media, of, over, points.media_settings(runs.matrix, name))

    for media in part["media"]:
        ours = " / ".join(
            factor(geometric_mean(on(n, media, "cxl", of) for n in part["workloads"])) + "x" for of in ("sr", "stream")
        )
        rows.append(
            [
                "9c",
                f"sr / stream over cxl, mean of {', '.join(part['workloads'])}, {media}",
                f"{c['sr over cxl, mean of vadd path bfs'][media]}x",
                ours,
            ]
        )
    rows.append(
        [
            "9c",
            "vadd on nand, sr / stream, times gpu-dram",
            f"{c['sr over gpu-dram, vadd on nand']}",
            " / ".join(factor(on("vadd", "nand", of, "gpu-dram")) for of in ("sr", "stream")),
        ]
    )
    rows.append(
        [
            "9c",
            "ds over sr, bfs, best medium",
            f"{c['ds over sr, bfs, best']}x",
            factor(max(on("bfs", media, "sr", "ds") for media in part["media"])) + "x",
        ]
    )
    media, settings = (runs.matrix["patterns"][key] for key in ("media", "settings"))
    for key, by_pattern in d.items():
        of, over = key.split(" over ")
        for pattern, theirs in by_pattern.items():
            rows.append(
                [
                    "9d",
                    f"{key}, {pattern}",
                    f"{theirs}x",
                    factor(runs.speed_up(pattern, media, of, over, settings)) + "x",
                ]
            )
    for row in rows:
        row.append(cause(paper["why"], f"{row[0]} {row[1]}"))
    return markdown(["figure", "what", "theirs", "ours", "why ours differs"], rows)


def cause(why, row):
    """Of the longest beginning of the row that paper.yaml has a cause for."""
    beginnings = [beginning for beginning in why if row.startswith(beginning)]
    if not beginnings:
        sys.exit(f"paper.yaml: no cause under `why` for the row '{row}'")
    return why[max(beginnings, key=len)]


def patterns(runs, paper):
    part = runs.matrix["patterns"]
    rows = []
    for c in part["configurations"]:
        if c == "gpu-dram":
            continue
        cells = []
        for pattern in part["workloads"]:
            theirs = paper["9d"]["hit rate"].get(c, {}).get(pattern)
            ours = f"{runs.hit_rate(pattern, part['media'], c, part['settings']):.1f}"
            cells.append(f"{theirs} / {ours}" if theirs is not None else f" / {ours}")
        cells += [
            factor(runs.speed_up(pattern, part["media"], c, "cxl", part["settings"])) for pattern in part["workloads"]
        ]
        rows.append([c] + cells)
    header = [f"{p}, theirs / ours" for p in part["workloads"]] + [f"{p}, time over cxl" for p in part["workloads"]]
    return markdown(["hits, %"] + header, rows)


def cosim(runs):
    part = runs.matrix["cosim"]
    rows, worst, all_compared, differ = [], 0.0, 0, 0
    for name in points.workloads(runs.matrix):
        cells = []
        for media in part["media"]:
            for c in part["configurations"]:
                stats = runs.stats(name, media, c, (), engine="cosim")
                found, end = stats["cosim"], stats["end_to_end"]["value"]
                model, rtl = found["model_end"]["value"], found["rtl_end"]["value"]
                counts = [found[k]["value"] for k in ("data_mismatches", "path_mismatches", "time_differences")]
                alone = runs.stats(name, media, c, ())["end_to_end"]["value"]
                off = max(abs(model / rtl - 1), abs(alone / end - 1))  # of the last answer; of the GPU
                worst, differ = max(worst, off), differ + sum(counts)
                all_compared += found["compared"]["value"]
                note = "" if not any(counts) and off == 0 else f" ({' / '.join(map(str, counts))}, {100 * off:.2f} %)"
                cells.append(f"{end / 1e3:.1f}{note}")
        rows.append([name] + cells)
    header = [f"{media} {c}" for media in part["media"] for c in part["configurations"]]
    text = markdown(["end to end in RTL, us"] + header, rows)
    return (
        f"{text}\n\n{all_compared} requests compared in {len(rows) * len(header)} runs; data, path or time differ "
        f"for {differ}. "
        f"End to end `model`, alone and beside the RTL, is at most {100 * worst:.2f} % away from the RTL."
    )


def repeats(runs):
    rows = []
    for name in points.workloads(runs.matrix):
        cells = []
        for of, over in (("sr", "cxl"), ("stream", "cxl"), ("stream", "sr"), ("ds", "sr")):
            *seeds, large = [
                runs.speed_up(name, runs.matrix["repeats"]["media"], of, over, settings)
                for settings in points.repeats(runs.matrix, name)
            ]
            cells.append(f"{min(seeds):.2f} to {max(seeds):.2f}; {large:.2f}")
        rows.append([name] + cells)
    return markdown(
        ["reduced size, three seeds; main size", "sr over cxl", "stream over cxl", "stream over sr", "ds over sr"], rows
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="out/results")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs", help="folder of the pages")
    args = parser.parse_args()
    matrix, paper = (yaml.safe_load((HERE / name).read_text()) for name in ("matrix.yaml", "paper.yaml"))
    runs = Runs(args.runs, matrix)
    blocks = {
        "dram": over_gpu_dram(runs, "dram"),
        "znand": over_gpu_dram(runs, "znand"),
        "counters": counters(runs),
        "patterns": patterns(runs, paper),
        "cosim": cosim(runs),
        "repeats": repeats(runs),
    }
    figures.draw_all(runs, paper, args.docs / "figures")
    curves = pathlib.Path(args.runs) / "sensitivity.json"
    if curves.exists():
        figures.sensitivity(json.loads(curves.read_text()), args.docs / "figures/sensitivity.svg")
    page_blocks.replace(args.docs / "results.md", {"theirs": theirs_and_ours(runs, paper)})
    page_blocks.replace(args.docs / "results/paper.md", blocks)


if __name__ == "__main__":
    main()
