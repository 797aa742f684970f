#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Functional coverage: runs the suites that feed it, merges what they counted, shows the holes.

What there is to hit is declared in tests/coverage/functional_groups.hpp and printed by
BUILD/bin/functional_bins; what was hit is counted by the test programs (CXLGPU_COVERAGE_DIR).

  verify/coverage/functional.py                 run all suites, print holes, write page and record
  verify/coverage/functional.py --no-run        only merge what lies in BUILD/coverage/functional: CTest ran the suites
                                                with CXLGPU_COVERAGE_DIR
  verify/coverage/functional.py --without S     leave suite S out: its bins become holes
  verify/coverage/functional.py --only S        run these alone, and judge the groups that nobody else feeds
  verify/coverage/functional.py --list          the suites, for a build of them

Writes BUILD/coverage/functional.html and, if all suites ran, docs/trust/functional.json.
A bin is declared impossible by the standard or only by what our blocks and benches do; both are counted apart.
Exit: 0 every bin is hit or declared impossible; 1 a hole, or a bin declared impossible was hit, or a
suite failed; 2 something is missing or unreadable (one line says what).
"""

import argparse
import concurrent.futures
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "verify"))
import records  # noqa: E402


def stop(text):
    print(f"functional.py: {text}", file=sys.stderr)
    sys.exit(2)


def declared(build):
    program = build / "bin" / "functional_bins"
    if not program.exists():
        stop(f"{program} is missing: cmake --build {build} --target functional_bins")
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def run_suites(build, suites, counts, jobs):
    """Runs the test programs as CTest does. Those that failed, and the seconds of each."""
    for suite in suites:
        if not (build / "bin" / suite).exists():
            stop(f"{build}/bin/{suite} is missing: cmake --build {build} --target {suite}")
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir(parents=True)
    environment = dict(os.environ, CXLGPU_COVERAGE_DIR=str(counts.resolve()), RC_PARAMS="seed=1")

    def run(suite):
        began = time.monotonic()
        with open(counts / f"{suite}.log", "w", encoding="utf-8") as log:
            code = subprocess.run([build.resolve() / "bin" / suite], env=environment, stdout=log,
                                  stderr=subprocess.STDOUT, cwd=build, check=False).returncode
        seconds = time.monotonic() - began
        print(f"{suite}: {'ok' if code == 0 else f'FAILED, see {counts}/{suite}.log'}, "
              f"{seconds:.0f} s", flush=True)
        return suite, code, round(seconds, 1)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(run, suites))
    return [s for s, code, _ in results if code != 0], {s: t for s, _, t in results}


def merge(groups, counts):
    """Hits by group and bin over the files of the suites; PROGRAM-PID.json of another program is passed over."""
    if not counts.is_dir():
        stop(f"{counts} is missing: run without --no-run")
    hits = {g["name"]: dict.fromkeys(g["bins"], 0) for g in groups}
    suites = {s for g in groups for s in g["suites"]}
    for file in sorted(counts.glob("*.json")):
        if file.stem.rsplit("-", 1)[0] not in suites:
            continue
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            stop(f"{file}: {error}; remove it")
        for group, bins in content.items():
            for name, n in bins.items():
                if name not in hits.get(group, {}):
                    stop(f"{file}: {group}: {name} is not declared; build functional_bins and the "
                         f"suites from one source")
                hits[group][name] += n
    return hits


def judge(group, hits):
    holes, wrong, least = [], [], None
    hit = impossible = by_standard = 0
    for name, reason in group["bins"].items():
        n = hits[name]
        if reason:
            impossible += 1
            by_standard += group["by"][reason] == "standard"
            if n:
                wrong.append(name)
        elif n == 0:
            holes.append(name)
        else:
            hit += 1
            if least is None or n < least[1]:
                least = (name, n)
    return {"bins": len(group["bins"]), "hit": hit, "impossible": impossible,
            "impossible_by_standard": by_standard, "holes": holes,
            "impossible_but_hit": wrong,
            "least_hit": {"bin": least[0], "times": least[1]} if least else None}


STYLE = """body{font:14px/1.4 sans-serif;margin:2em;max-width:110em}table{border-collapse:collapse}
td,th{border:1px solid #ccc;padding:1px 6px;text-align:right;font-weight:normal}
th{text-align:left;background:#f4f4f4}td.no{background:#e8e8e8;color:#999;text-align:center}
td.hole,td.wrong{background:#c00;color:#fff}details{margin:.5em 0}code{background:#f4f4f4}"""


WHO = {"standard": "forbidden by the standard", "ours": "not done by our blocks and benches"}


def cell(n, reason):
    if reason:
        kind = "wrong" if n else "no"
        return f'<td class="{kind}" title="{html.escape(reason)}">{n if n else "&middot;"}</td>'
    if n == 0:
        return '<td class="hole">0</td>'
    shade = 92 - 5 * min(len(str(n)), 8)
    return f'<td style="background:hsl(130,45%,{shade}%)">{n}</td>'


def table(group, hits):
    """Rows are all axes but the last; rows in which nothing is possible are left out."""
    columns = group["axes"][-1]["values"]
    rows, order = {}, []
    for name, reason in group["bins"].items():
        row, column = name.rsplit("/", 1)
        if row not in rows:
            rows[row] = {}
            order.append(row)
        rows[row][column] = (hits[name], reason)
    head = "".join(f"<th>{html.escape(a['name'])}</th>" for a in group["axes"][:-1])
    out = [f"<table><tr>{head}" + "".join(f"<th>{html.escape(c)}</th>" for c in columns) + "</tr>"]
    for row in order:
        cells = rows[row]
        if all(reason and not n for n, reason in cells.values()):
            continue
        names = "".join(f"<th>{html.escape(part)}</th>" for part in row.split("/"))
        out.append(f"<tr>{names}" + "".join(cell(*cells[c]) for c in columns) + "</tr>")
    return "".join(out) + "</table>"


def impossible_list(group):
    by_reason = {}
    for name, reason in group["bins"].items():
        if reason:
            by_reason.setdefault(reason, []).append(name)
    out = []
    for reason, names in by_reason.items():
        out.append(f"<details><summary>{len(names)}, {WHO[group['by'][reason]]}: {html.escape(reason)}</summary>"
                   f"<code>{html.escape(', '.join(names))}</code></details>")
    return "".join(out)


def page(groups, hits, verdicts, record):
    parts = [f"<!doctype html><meta charset=utf-8><title>Functional coverage</title>"
             f"<style>{STYLE}</style><h1>Functional coverage</h1>"
             f"<p>{record['date']}, commit {record['commit']}. Each number is how often a bin was "
             f"hit; red: a hole, or impossible but hit; grey: declared impossible (the reason "
             f"under the pointer and below the table).</p>",
             "<table><tr><th>group<th>bins<th>hit<th>impossible<th>of these by the standard<th>holes<th>least hit</tr>"]
    for g in groups:
        v = verdicts[g["name"]]
        least = v["least_hit"]
        text = f"{least['bin']}: {least['times']}" if least else "-"
        parts.append(f"<tr><th><a href='#{g['name']}'>{html.escape(g['title'])}</a>"
                     f"<td>{v['bins']}<td>{v['hit']}<td>{v['impossible']}"
                     f"<td>{v['impossible_by_standard']}<td>{len(v['holes'])}"
                     f"<th>{html.escape(text)}</tr>")
    parts.append("</table>")
    for g in groups:
        parts.append(f"<h2 id='{g['name']}'>{html.escape(g['title'])}</h2>"
                     f"<p>Seen: {html.escape(g['seen'])}. Fed by {', '.join(g['suites'])}.</p>"
                     + table(g, hits[g["name"]]) + impossible_list(g))
    return "\n".join(parts)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--counts", type=pathlib.Path, help="default BUILD/coverage/functional")
    parser.add_argument("--page", type=pathlib.Path,
                        help="default BUILD/coverage/functional.html")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--without", action="append", default=[], metavar="SUITE")
    parser.add_argument("--only", action="append", default=[], metavar="SUITE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, default=20, help="holes printed a group")
    parser.add_argument("--record", type=pathlib.Path,
                        default=ROOT / "docs" / "trust" / "functional.json")
    return parser.parse_args()


def main():
    args = arguments()
    counts = args.counts or args.build / "coverage" / "functional"
    groups = declared(args.build)
    suites = sorted({s for g in groups for s in g["suites"]})
    for name in args.without + args.only:
        if name not in suites:
            stop(f"{name}: no such suite; there are {', '.join(suites)}")
    if args.list:
        print("\n".join(suites))
        return 0
    failed, seconds = [], {}
    if not args.no_run:
        wanted = [s for s in args.only or suites if s not in args.without]
        failed, seconds = run_suites(args.build, wanted, counts, args.jobs)
    hits = merge(groups, counts)
    if args.only:
        groups = [g for g in groups if set(g["suites"]) <= set(args.only)]
    verdicts = {g["name"]: judge(g, hits[g["name"]]) for g in groups}

    record = {
        "date": records.now(),
        "commit": records.commit(),
        "command": "verify/coverage/functional.py",
        "tools": {"verilator": records.version("verilator", "--version"),
                  "c++": records.version("c++", "--version"),
                  "python": sys.version.split()[0]},
        "suites": seconds,
        "suites_failed": failed,
        "total": {k: sum(v[k] if isinstance(v[k], int) else len(v[k]) for v in verdicts.values())
                  for k in ("bins", "hit", "impossible", "impossible_by_standard", "holes",
                            "impossible_but_hit")},
        "groups": {g["name"]: {"title": g["title"], **verdicts[g["name"]]} for g in groups},
    }
    out = args.page or args.build / "coverage" / "functional.html"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(groups, hits, verdicts, record), encoding="utf-8")

    for g in groups:
        v = verdicts[g["name"]]
        print(f"{g['name']}: {v['hit']} of {v['bins'] - v['impossible']} hit, "
              f"{v['impossible']} impossible, {v['impossible_by_standard']} of these by the standard")
        for what in ("holes", "impossible_but_hit"):
            for name in v[what][:args.show]:
                print(f"  {what.replace('_', ' ')}: {name}")
            if len(v[what]) > args.show:
                print(f"  ... and {len(v[what]) - args.show} more")
    total = record["total"]
    print(f"total: {total['hit']} of {total['bins'] - total['impossible']} hit, "
          f"{total['impossible']} impossible, {total['impossible_by_standard']} of these by the standard; {out}")
    if not args.without and not args.only and not args.no_run:
        records.replace(args.record, record)
    return 1 if failed or total["holes"] or total["impossible_but_hit"] else 0


if __name__ == "__main__":
    sys.exit(main())
