#!/usr/bin/python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Tables and figures of docs/results.md and docs/results/paper.md from the runs of `make results`.

Tables are replaced where page_blocks.py finds their marks; what stands outside is written by people.
Figures go to docs/figures. (The distribution's Python: it has the distribution's matplotlib.)
--partial: a table or a figure that lacks a run is left as it is, and a line of the paper's figures says `not run`;
what was left is named on standard error. --only NAME: of the tables and figures these alone.
"""

import argparse
import json
import math
import pathlib
import sys

import points
import yaml
from rows import all_rows, factor, of_experiment, shown, theirs
from runs_of import (
    Folder,
    MissingRun,
    Runs,
    arithmetic_mean,
    geometric_mean,
    hit_rate,
    plain_cxl,
)

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
import page_blocks  # noqa: E402
from page_blocks import markdown  # noqa: E402

FLIT_NS = 2.125  # 68 bytes at x8, 32 GT/s
PLAIN_CXL = HERE / "plain-cxl-881f1af.csv"
FAR = 1.5  # from here on a row's cause must be shown by an experiment


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "none"


def over_gpu_dram(runs, media):
    others = [c for c in runs.machine.has["configurations"][media] if c != "gpu-dram"]
    rows = []
    for of_class, names in runs.matrix["classes"].items():
        for name in names:
            data = runs.stats(name, media, "cxl")["data_set"]["value"]
            data = f"{data / 2**20:.1f} MiB" if data >= 2**20 else f"{data / 2**10:.0f} KiB"
            gpu_dram = runs.stats(name, media, "gpu-dram")["end_to_end"]["value"] / 1e3
            cells = [factor(runs.stats(name, media, c)["end_to_end"]["value"] / 1e3 / gpu_dram) for c in others]
            rows.append([name, of_class, data, f"{gpu_dram:.0f} us", *cells])
    for kind, mean in (("geometric", geometric_mean), ("arithmetic", arithmetic_mean)):
        means = [
            factor(mean(runs.ratio(name, media, c, "gpu-dram") for name in points.workloads(runs.matrix)))
            for c in others
        ]
        rows.append([f"**mean** ({kind})", "", "", "", *means])
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
                " / ".join(f"{hit_rate(stats[c]):.1f}" for c in ("cxl", "sr", "stream")) + " %",
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


def the_range(row, runs):
    """Least and greatest of the row over what the paper leaves open, as it is written."""
    found = runs.range(row.media, row.value)
    if found is None:
        return ""
    least, greatest = (shown(row.form, value) for value in found)
    return f" ({least} to {greatest})" if least != greatest else ""


def theirs_and_ours(paper_runs, ours, paper):
    rows = []
    for row in all_rows(ours.matrix, paper):
        on_paper, by_default = row.value(paper_runs), row.value(ours)
        why = cause(paper["why"], row.name())
        away = row.away(on_paper) if not math.isnan(on_paper) else 1.0
        if away > FAR and "](" not in why and "--" not in why:
            sys.exit(f"paper.yaml: '{row.name()}' is {away:.2f} away, and its cause under `why` names no experiment")
        rows.append(
            [
                row.figure,
                row.what,
                theirs(row),
                shown(row.form, on_paper) + the_range(row, paper_runs),
                shown(row.form, by_default),
                f"{why} (x {away:.1f})" if away > FAR else why,
            ]
        )
    return markdown(["figure", "what", "paper", "its machine (range)", "default machine", "why ours differs"], rows)


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
            theirs_is = paper["9d"]["hit rate"].get(c, {}).get(pattern, "")
            ours = hit_rate(runs.stats(pattern, part["media"], c, part="pattern"))
            cells.append(f"{theirs_is} / {ours:.1f}")
        cells += [factor(runs.speed_up(pattern, part["media"], c, "cxl", "pattern")) for pattern in part["workloads"]]
        cells += [factor(runs.ratio(pattern, part["media"], c, "gpu-dram", "pattern")) for pattern in part["workloads"]]
        rows.append([c] + cells)
    header = [f"{p}, paper / ours" for p in part["workloads"]]
    header += [f"{p}, over cxl" for p in part["workloads"]] + [f"{p}, times gpu-dram" for p in part["workloads"]]
    return markdown(["hits, %"] + header, rows)


def stores_by_class(runs):
    """ds over sr where stores wait and where they do not."""
    kinds = {"stores do not wait": runs, "stores wait": None}
    kinds["stores wait"] = Runs(runs.folder, runs.matrix, runs.machine.name, ["endpoint.open_lines=0"])
    rows = []
    for of_class, names in runs.matrix["classes"].items():
        cells = [
            shown("percent", geometric_mean(one.ratio(n, "znand", "sr", "ds") for n in names)) for one in kinds.values()
        ]
        if "not run" in cells:
            raise MissingRun(of_class)
        rows.append([of_class, *cells])
    return markdown(["ds over sr", *kinds], rows)


def of_cell(what, value):
    if what.startswith(("hits", "here")):
        return f"{value:.0f}"
    if what.startswith("error"):
        return f"± {100 * value:.1f}"
    return shown("percent", value) if " after " in what else factor(value)


def experiment(one, folder):
    """Its table; the settings of a row are those of the command."""
    rows = []
    for row in one.rows:
        cells, values = [], {}
        for workload in one.workloads:
            starts = [
                {c: folder.read(one.path(workload, c, row, start)) for c in one.configurations} for start in one.starts
            ]
            said = []
            for what in one.has["show"]:
                value = of_experiment(what, *starts)
                values.setdefault(what, []).append(value)
                said.append(of_cell(what, value))
            cells.append(" / ".join(said))
        if one.has.get("mean"):
            cells.append(" / ".join(of_cell(what, geometric_mean(values[what])) for what in one.has["show"]))
        settings = row.get("set", []) + [s for own in row.get("for", {}).values() for s in own]
        shown_settings = " ".join(f"`{setting}`" for setting in settings) or "-"
        rows.append([*([row["is"]] if "is" in row else []), shown_settings, *cells])
    header = (["machine"] if "is" in one.rows[0] else []) + ["--set"]
    header += list(one.workloads) + (["mean (geometric)"] if one.has.get("mean") else [])
    return f"In each cell: {', '.join(one.has['show'])}.\n\n" + markdown(header, rows)


def cosim(runs):
    part = runs.machine.has["cosim"]
    engine = runs.machine.cosim_engine()
    rows, worst, all_compared, differ = [], 0.0, 0, 0
    for name in points.workloads(runs.matrix):
        cells = []
        for media in part["media"]:
            for c in part["configurations"]:
                settings = runs.machine.reduced(name, c)
                stats = runs.folder.read(points.run(engine, name, media, c, settings))
                found, end = stats["cosim"], stats["end_to_end"]["value"]
                model, rtl = found["model_end"]["value"], found["rtl_end"]["value"]
                counts = [found[k]["value"] for k in ("data_mismatches", "path_mismatches", "time_differences")]
                alone = runs.folder.read(points.run("model", name, media, c, settings))["end_to_end"]["value"]
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
        f"for {differ}.\n"
        f"End to end `model`, alone and beside the RTL, is at most {100 * worst:.2f} % away from the RTL."
    )


def repeats(runs):
    part = runs.matrix["repeats"]
    has = runs.machine.has["repeats"]
    count = len(has["seeds"])
    rows = []
    for name in points.workloads(runs.matrix):
        cells = []
        for of, over in (("sr", "cxl"), ("stream", "cxl"), ("stream", "sr"), ("ds", "sr")):
            times = {
                c: [
                    runs.folder.read(points.run("model", name, part["media"], c, settings))["end_to_end"]["value"]
                    for settings in runs.machine.repeats(name, c)
                ]
                for c in (of, over)
            }
            gains = [slow / fast for slow, fast in zip(times[over], times[of])]
            seeds, other = gains[:count], gains[count:]
            cells.append(f"{min(seeds):.2f} to {max(seeds):.2f}" + "".join(f"; {gain:.2f}" for gain in other))
        rows.append([name] + cells)
    header = [
        "least to most of the seeds; other size",
        "sr over cxl",
        "stream over cxl",
        "stream over sr",
        "ds over sr",
    ]
    return markdown(header, rows)


def gain(folder, matrix):
    """Our best on the default machine against plain CXL as it was, and as it is on the same machine."""
    part = matrix["gain"]
    media, best = part["media"], part["configurations"][-1]
    before = plain_cxl(PLAIN_CXL)
    machine = points.Machine(matrix, part["machine"])
    settings = points.gain(matrix)
    rows, all_main, all_reduced = [], [], []

    def time(name, c, point):
        return folder.read(points.run("model", name, media, c, point))["end_to_end"]["value"] / 1e3

    for name in points.workloads(matrix):
        main, *seeds = [time(name, best, point) for point in settings[name, best]]
        plain_main, *plain_seeds = [time(name, "cxl", point) for point in settings[name, "cxl"]]
        size = machine.has["sizes"][name]
        for key in ((name, size), (name, 0)):
            if key not in before:
                raise MissingRun(f"{PLAIN_CXL.name}: {key[0]}, {key[1] or 'reduced'}")
        reduced = [before[name, 0] / one for one in seeds]
        all_main.append(before[name, size] / main)
        all_reduced.append(before[name, 0] / seeds[0])
        rows.append(
            [
                name,
                f"{before[name, size]:.0f} us",
                f"{main:.0f} us",
                f"{all_main[-1]:.2f}",
                f"{plain_main / main:.2f}",
                f"{min(reduced):.2f} to {max(reduced):.2f}",
                f"{min(a / b for a, b in zip(plain_seeds, seeds)):.2f}",
            ]
        )
    rows.append(
        [
            "**mean** (geometric)",
            "",
            "",
            f"{geometric_mean(all_main):.2f}",
            "",
            f"{geometric_mean(all_reduced):.2f}",
            "",
        ]
    )
    return markdown(
        [
            "workload",
            "cxl, 881f1af",
            best,
            "gain",
            "of that over cxl of today",
            "reduced size, three seeds: gain",
            "over cxl of today, least",
        ],
        rows,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="out/results")
    parser.add_argument("--matrix", help="another matrix than matrix.yaml")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs", help="folder of the pages")
    parser.add_argument("--partial", action="store_true", help="not all runs need be there")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="may be repeated")
    args = parser.parse_args()
    import figures  # matplotlib, which the tables do not need

    matrix, paper = points.load(args.matrix), yaml.safe_load((HERE / "paper.yaml").read_text())
    folder = Folder(args.runs, args.partial)
    ours, on_paper = Runs(folder, matrix, "scaled"), Runs(folder, matrix, "paper")
    tables = {
        "theirs": lambda: theirs_and_ours(on_paper, ours, paper),
        "gain": lambda: gain(folder, matrix),
        "dram": lambda: over_gpu_dram(ours, "dram"),
        "znand": lambda: over_gpu_dram(ours, "znand"),
        "paper dram": lambda: over_gpu_dram(on_paper, "dram"),
        "paper znand": lambda: over_gpu_dram(on_paper, "znand"),
        "counters": lambda: counters(ours),
        "paper counters": lambda: counters(on_paper),
        "patterns": lambda: patterns(ours, paper),
        "paper patterns": lambda: patterns(on_paper, paper),
        "paper stores": lambda: stores_by_class(on_paper),
        "cosim": lambda: cosim(ours),
        "paper cosim": lambda: cosim(on_paper),
        "repeats": lambda: repeats(ours),
        "paper repeats": lambda: repeats(on_paper),
    }
    for one in points.experiments(matrix):
        tables[f"experiment {one.name}"] = lambda one=one: experiment(one, folder)
    drawn = figures.all_figures(on_paper, ours, folder, matrix, paper)
    unknown = [name for name in args.only if name not in tables and name not in drawn]
    if unknown:
        parser.error(f"there is no '{unknown[0]}'; use {', '.join([*tables, *drawn])}")

    def made(makers):
        for name, maker in makers.items():
            if args.only and name not in args.only:
                continue
            try:
                yield name, maker()
            except MissingRun as missing:
                print(f"{name}: left as it is, without {missing}", file=sys.stderr)

    (args.docs / "figures").mkdir(parents=True, exist_ok=True)
    for name, figure in made(drawn):
        figures.save(figure, args.docs / f"figures/{name}.svg")
    for name, draw in {"sensitivity": figures.sensitivity, "hints": figures.hints}.items():
        curves = pathlib.Path(args.runs) / f"{name}.json"
        if curves.exists():
            figures.save(draw(json.loads(curves.read_text())), args.docs / f"figures/{name}.svg")
    blocks = dict(made(tables))
    entry = {name: blocks.pop(name) for name in ("theirs", "gain") if name in blocks}
    page_blocks.replace(args.docs / "results.md", entry)
    page_blocks.replace(args.docs / "results/paper.md", blocks)


if __name__ == "__main__":
    main()
