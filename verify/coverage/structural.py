#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Structural coverage: of rtl/ lines, branches and toggles, of the C++ rooms' lines.

Builds the tests with counters (CMake preset `coverage`), runs them, merges what they counted by place
in the source (so that tops, instances and parameter sets add up) and holds it against
verify/coverage/waivers.yaml. Leaves build/coverage/index.html, a page for each RTL file, gcovr's pages of
the C++, and docs/trust/coverage.json.

Exit 0: no line and no branch of rtl/ without hit or waiver, toggles and C++ lines above their bounds.
Exit 1: a hole is left, or tests failed. Exit 2: bad waivers, or nothing to report on.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from coverage_report import pages, points, waivers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "verify"))
import records  # noqa: E402

BOUNDS = {"lines": 100.0, "branches": 100.0, "toggles": 98.0, "cpp": 95.0}
CPP = ("flits", "common", "refmodel", "model", "sim")
# Tests that are run once more, with so many cycles: for the upper bits of counters.
LONG = {"root_port/sr_reader": 3_000_000, "root_port/root_port": 3_000_000}
WHOLE = "whole_run"  # as old as the last counts of a run of all tests


def of_one_run(build):
    """No program was run since all were."""
    whole = build / WHOLE
    counts = [*(build / "counts").glob("*.dat"), *build.rglob("*.gcda")]
    return whole.exists() and all(c.stat().st_mtime <= whole.stat().st_mtime for c in counts)


def run(command, log, **more):
    """Runs a command with its output in a file; True if it ended with 0."""
    with open(log, "a") as out:
        return subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, **more).returncode == 0


def build_and_run(build, jobs, tests):
    """Builds and runs; the names of failed tests."""
    log = build / "coverage.log"
    build.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    (build / WHOLE).unlink(missing_ok=True)
    steps = [["cmake", "--preset", "coverage", "-B", str(build)], ["cmake", "--build", str(build), "-j", str(jobs)]]
    for step in steps:
        if not run(step, log):
            sys.exit(f"coverage: '{' '.join(step)}' failed; see {log}")
    counts = build / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    for stale in build.rglob("*.gcda"):
        stale.unlink()
    report = build / "tests.xml"
    report.unlink(missing_ok=True)
    run(
        [
            "ctest",
            "--test-dir",
            str(build),
            "-j",
            str(jobs),
            "--output-junit",
            str(report),
            *(["-R", tests] if tests else []),
        ],
        log,
        env={**os.environ, "CXLGPU_COVERAGE_DIR": str(counts)},
    )
    for name, cycles in LONG.items():
        program = build / "bin" / f"{name.replace('/', '_')}_test"
        if re.search(tests, name) and not run(
            [str(program)], log, env={**os.environ, "CXLGPU_COVERAGE_DIR": str(counts), "CXLGPU_CYCLES": str(cycles)}
        ):
            sys.exit(f"coverage: {name} failed with CXLGPU_CYCLES={cycles}; see {log}")
    if not tests:
        (build / WHOLE).touch()


def test_results(build):
    """(number of tests, names of those that failed) of the last run; None for what was not run by this."""
    report = build / "tests.xml"
    if not report.exists():
        return None, None
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    return len(cases), sorted(c.get("name") for c in cases if c.get("status") not in ("run", "disabled"))


def cpp_lines(build):
    """Of each folder of the C++ rooms: lines hit and total. Writes gcovr's pages."""
    if shutil.which("gcovr") is None:
        sys.exit("coverage: gcovr is missing (scripts/deps.sh coverage)")
    pages_at = build / "cpp"
    shutil.rmtree(pages_at, ignore_errors=True)
    pages_at.mkdir(parents=True)
    command = [
        "gcovr",
        "--root",
        str(ROOT),
        "--object-directory",
        str(build),
        str(build),
        "-j",
        "1",  # workers of gcov write files of the same names over one another
        "--exclude-throw-branches",
        "--exclude-unreachable-branches",
        "--json-summary",
        str(build / "cpp.json"),
        "--html-details",
        str(pages_at / "index.html"),
    ]
    for folder in CPP:
        command += ["--filter", f"{ROOT}/{folder}/"]
    if not run(command, build / "coverage.log"):
        sys.exit(f"coverage: gcovr failed; see {build}/coverage.log")
    blocks = {}
    for row in json.loads((build / "cpp.json").read_text())["files"]:
        parts = pathlib.PurePath(row["filename"]).parts
        block = "/".join(parts[:-1])
        hit, total = blocks.get(block, (0, 0))
        blocks[block] = (hit + row["line_covered"], total + row["line_total"])
    return blocks


def percent(hit, total):
    return round(100.0 * hit / total, 2) if total else 100.0


def figures(kinds):
    """Of each kind: hit, total, waived, holes, percent of what is not waived."""
    out = {}
    for kind, found in kinds.items():
        total, waived = len(found), sum(1 for p in found if p.waiver and not p.hits)
        hit = sum(1 for p in found if p.hits)
        out[kind] = {
            "hit": hit,
            "total": total,
            "waived": waived,
            "holes": total - hit - waived,
            "percent": percent(hit, total - waived),
        }
    return out


def by_room(files):
    rooms = {}
    for name, source in sorted(files.items()):
        room = rooms.setdefault(name.split("/")[1], {})
        room[pathlib.PurePath(name).stem] = figures(source.kinds())
    return rooms


def total_of(rows):
    out = {}
    for kind in ("lines", "branches", "toggles"):
        sums = {key: sum(row[kind][key] for row in rows) for key in ("hit", "total", "waived", "holes")}
        out[kind] = {**sums, "percent": percent(sums["hit"], sums["total"] - sums["waived"])}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "coverage")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", default="", help="only tests whose name matches (regular expression)")
    parser.add_argument("--no-run", action="store_true", help="report on what the last run counted")
    parser.add_argument("--rtl", default="", help="only rtl/ files whose name matches; changes no record")
    parser.add_argument("--holes", action="store_true", help="list every hole")
    options = parser.parse_args()
    build = options.build.resolve()

    if not options.no_run:
        build_and_run(build, options.jobs, options.tests)
        if not (build / "tests.xml").exists():
            sys.exit(f"coverage: no test ran; see {build}/coverage.log")
    tests, failed = test_results(build)
    counts = sorted((build / "counts").glob("*.dat"))
    programs = sorted({path.stem.rpartition("-")[0] for path in counts})
    files = points.read(ROOT, counts)
    if not files:
        sys.exit(f"coverage: {build}/counts holds no counts of rtl/; run without --no-run")
    problems, rules = waivers.apply(ROOT, files)
    if options.rtl:
        files = {name: source for name, source in files.items() if re.search(options.rtl, name)}

    rooms = by_room(files)
    room_totals = {room: total_of(blocks.values()) for room, blocks in rooms.items()}
    total = total_of(room_totals.values())
    cpp = {} if options.rtl else cpp_lines(build)
    cpp_totals = {}
    for folder in () if options.rtl else CPP:
        hit = sum(h for block, (h, _) in cpp.items() if block.split("/")[0] == folder)
        lines = sum(t for block, (_, t) in cpp.items() if block.split("/")[0] == folder)
        cpp_totals[folder] = {"hit": hit, "total": lines, "percent": percent(hit, lines)}

    for room, row in room_totals.items():
        print(
            f"{room:12}",
            "  ".join(
                f"{kind} {row[kind]['percent']:6.2f} % ({row[kind]['holes']} holes, {row[kind]['waived']} waived)"
                for kind in row
            ),
        )
    print(
        f"{'rtl':12}",
        "  ".join(
            f"{kind} {total[kind]['percent']:6.2f} % ({total[kind]['holes']} holes, {total[kind]['waived']} waived)"
            for kind in total
        ),
    )
    for folder, row in cpp_totals.items():
        print(f"{folder:12} lines {row['percent']:6.2f} %")
    if options.holes:
        for _, source in sorted(files.items()):
            for line in source.list_holes():
                print(line)
    for problem in problems:
        print(f"coverage: {problem}", file=sys.stderr)
    if failed:
        print(f"coverage: failed tests: {', '.join(failed)}", file=sys.stderr)
    if options.rtl:
        sys.exit(2 if problems else 0)

    low = [kind for kind in ("lines", "branches", "toggles") if total[kind]["percent"] < BOUNDS[kind]]
    low += [folder for folder in CPP if cpp_totals[folder]["percent"] < BOUNDS["cpp"]]
    record = {
        "date": records.now(),
        "commit": records.commit(),
        "tools": {
            "verilator": records.version("verilator", "--version"),
            "gcc": records.version("g++", "--version"),
            "gcovr": records.version("gcovr", "--version"),
        },
        "command": " ".join(["verify/coverage/structural.py", *sys.argv[1:]]),
        "one_run": of_one_run(build),
        "tests": {"run": tests, "failed": failed, "filter": options.tests, "with_counts": len(programs)},
        "toggle_max_width": points.MAX_WIDTH,
        "bounds_percent": BOUNDS,
        "below_bound": low,
        "waivers": len(rules),
        "waiver_problems": len(problems),
        "uncounted_arms": sum(len(source.uncounted) for source in files.values()),
        "rtl": {"total": total, "rooms": {room: {"total": room_totals[room], "blocks": rooms[room]} for room in rooms}},
        "cpp": {
            "total": cpp_totals,
            "folders": {
                block: {"hit": h, "total": t, "percent": percent(h, t)} for block, (h, t) in sorted(cpp.items())
            },
        },
    }
    pages.write(build, ROOT, files, record, rules)
    target = ROOT / "docs" / "trust" / "coverage.json"
    if not options.tests:
        records.replace(target, record)
    print(f"coverage: {build}/index.html" + ("" if options.tests else f", {target.relative_to(ROOT)}"))
    if problems:
        sys.exit(2)
    if low or failed:
        print(f"coverage: below its bound: {', '.join(low) or 'nothing, but tests failed'}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
