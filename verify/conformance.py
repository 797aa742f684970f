#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Writes docs/conformance.md: which requirement is shown by which test, and how that test last ended.

A test names its requirement itself, by shows() of tests/common/requirement.hpp. This runs the tests
that do and takes their results from their XML reports. With --check nothing runs: the page must name
the requirements that the sources name. With --prove each row's fault (verify/faults/conformance) is put
into the RTL first, and the row's test must fail; the record is docs/trust/faults.json, which the page shows.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import page_blocks  # noqa: E402
import peer_page  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
PEER = ROOT / "docs" / "trust" / "peer.json"
FAULTS = ROOT / "docs" / "trust" / "faults.json"
SUITES = {
    "sr": "Speculative read",
    "ds": "Deterministic store",
    "qos": "Quality of service",
    "hdm": "HDM decode",
    "flit": "Flits and slots",
    "link": "Link",
    "order": "Order and data",
}
TEST = re.compile(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", re.M)
SHOWS = re.compile(r"test::shows\(((?:\s*\"(?:[^\"\\]|\\.)*\"\s*,?)+)\)")


def requirements():
    """Rows of suite, requirement, source, file, test in the order of the sources."""
    rows = []
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        file = str(path.relative_to(ROOT / "tests")).removesuffix("_test.cpp")
        text = path.read_text()
        tests = [(m.start(), f"{m[1]}.{m[2]}") for m in TEST.finditer(text)]
        for call in SHOWS.finditer(text):
            # Neighbouring literals are one; a comma ends an argument.
            parts = re.sub(r"\"\s*\"", "", call[1])
            suite, requirement, source = re.findall(r"\"([^\"]*)\"", parts)
            if suite not in SUITES:
                sys.exit(
                    f"conformance: {path.relative_to(ROOT)}: suite '{suite}' is not known; use one "
                    f"of {', '.join(SUITES)}"
                )
            test = [name for start, name in tests if start < call.start()][-1]
            rows.append((suite, requirement, source, file, test))
    return rows


def run(build):
    """Results by (requirement, test), from the XML reports."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        command = ["ctest", "--test-dir", build, "-L", f"^({'|'.join(SUITES)})$", "-j", "2"]
        done = subprocess.run(
            command, env={**os.environ, "GTEST_OUTPUT": f"xml:{folder}/"}, capture_output=True, text=True
        )
        reports = sorted(pathlib.Path(folder).glob("*.xml"))
        if not reports:
            sys.exit(f"conformance: no test ran; build first (make test)\n{done.stdout[-1000:]}")
        for report in reports:
            for case in ElementTree.parse(report).getroot().iter("testcase"):
                named = {p.get("name"): p.get("value") for p in case.iter("property")}
                if "requirement" not in named:
                    continue
                test = f"{case.get('classname').split('/')[-1]}.{case.get('name').split('/')[0]}"
                state = (
                    "failed"
                    if case.find("failure") is not None
                    else "passed"
                    if case.get("result") == "completed"
                    else "skipped"
                )
                results.setdefault((named["requirement"], test), []).append(state)
    return results


def result_of(states):
    if not states:
        return "not run"
    worst = next((s for s in ("failed", "skipped") if s in states), "passed")
    return worst if len(states) == 1 else f"{worst}, {len(states)} cases"


def faults():
    """Row -> its faults as last run, seen or not."""
    record = json.loads(FAULTS.read_text()).get("conformance", {}) if FAULTS.exists() else {}
    found = {}
    for verdict in record.get("faults", []):
        found.setdefault(verdict["row"], []).append(
            f"`{verdict['fault']}`" + ("" if verdict["by"] else " **not seen**")
        )
    later = [v["date"][:10] for v in record.get("faults", []) if "date" in v]
    since = f", {len(later)} of them by themselves on {max(later)}" if later else ""
    said = (
        f"Under the fault of its row each test was run last on {record['date'][:10]}, `{record['commit']}`{since}: "
        f"{record['seen']} of {record['count']} fail as they must (`make conformance ARGS=--prove`)."
        if record
        else "No row has been tried under its fault yet (`make conformance ARGS=--prove`)."
    )
    return found, said


def page(rows, results, date):
    broken, said = faults()
    lines = [
        "# Conformance",
        "",
        f"Made by `make conformance`, last on {date}. Each row is named by the test that shows it "
        "(`tests/common/requirement.hpp`);",
        "`ctest --test-dir build -L SUITE` runs those of one suite.",
        "",
        said,
        "",
    ]
    for suite, title in SUITES.items():
        mine = [row for row in rows if row[0] == suite]
        lines += [
            f"## {title} (`{suite}`)",
            "",
            "| requirement | source | test | last result | fails under |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {requirement} | {source} | `{file}` {test} | {result_of(results.get((requirement, test)))} | "
            f"{', '.join(broken.get(requirement, ['-']))} |"
            for _, requirement, source, file, test in mine
        ]
        lines.append("")
    lines += peer_page.conformance(json.loads(PEER.read_text()) if PEER.exists() else None)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare page and sources, run nothing")
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--prove", action="store_true", help="each row's fault first (half an hour and more)")
    args = parser.parse_args()
    if args.prove:
        venv = subprocess.run([ROOT / "scripts/venv.sh"], check=True, capture_output=True, text=True).stdout.strip()
        proved = subprocess.run(
            [ROOT / venv / "bin/python", ROOT / "verify/faults/faults.py", "--set", "conformance", "--record", FAULTS]
        ).returncode
        if proved == 2:
            sys.exit(2)
    rows = requirements()
    if args.check:
        if not PAGE.exists():
            sys.exit("conformance: docs/conformance.md is missing; run make conformance")
        have = [
            tuple(line.strip("| ").split(" | ")[:3])
            for line in PAGE.read_text().split(f"## {peer_page.TITLE}")[0].splitlines()
            if line.startswith("| ") and not line.startswith("| requirement")
        ]
        want = {(requirement, source, f"`{file}` {test}") for _, requirement, source, file, test in rows}
        wrong = want.symmetric_difference(have)
        if wrong or len(have) != len(rows):
            sys.exit(
                f"conformance: docs/conformance.md and the tests differ ({next(iter(wrong), 'a row twice')}); "
                "run make conformance"
            )
        return
    results = run(args.build)
    unseen = [f"{test}: {requirement}" for _, requirement, _, _, test in rows if (requirement, test) not in results]
    temporary = PAGE.with_suffix(".tmp")
    temporary.write_text(page_blocks.wrapped(page(rows, results, datetime.date.today())))
    temporary.replace(PAGE)
    bad = [f"{test}: {requirement}" for (requirement, test), states in results.items() if set(states) != {"passed"}]
    print(
        f"conformance: {len(rows)} requirements, {len(bad)} not passed, {len(unseen)} not run: {PAGE.relative_to(ROOT)}"
    )
    for line in bad + unseen:
        print(f"  {line}")
    sys.exit(1 if bad or unseen or (args.prove and proved) else 0)


if __name__ == "__main__":
    main()
