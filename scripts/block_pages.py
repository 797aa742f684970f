#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Holds the pages of docs/blocks to their template, and their index to the RTL.

A page says what a user of the block sees. So that RTL and twin are not two copies of one text, it has the headings
of the template in order, at most 80 lines of 120 columns, and names nothing that only the block knows: no
identifier in _q, _d or _n that rtl/ROOM/NAME.sv declares. The index (docs/blocks/README.md) has a row for every RTL
module, and every path in it exists. docs/independence.md names modules, and witnesses that exist: files, tests,
proof jobs. Exit status: 0, or 1 with a line for each finding.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "blocks"
INDEX = PAGES / "README.md"
INDEPENDENCE = ROOT / "docs" / "independence.md"
JOBS = ROOT / "verify" / "formal" / "jobs.yaml"
HEADINGS = ["Purpose", "Parameters", "Ports", "Behaviour", "Cycles", "Order and stalls", "Errors"]
LINES, COLUMNS = 80, 120
INTERNAL = re.compile(r"\b[a-z]\w*_[qdn]\b")
LINK = re.compile(r"\]\(([^)#\s]+)\)")
NAMED = re.compile(r"`([^`]+)`")


def comments_out(source):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.S)


def page_findings(page, text, module):
    """What is wrong with a page of the template; module: its RTL, or None."""
    lines = text.rstrip("\n").split("\n")
    if lines[0] != f"# {page.stem}":
        yield 1, f"the first line is not '# {page.stem}'"
    headings = [line[3:] for line in lines if line.startswith("## ")]
    if headings != HEADINGS:
        yield 1, f"the headings are {', '.join(headings) or 'none'}; they must be {', '.join(HEADINGS)}"
    if len(lines) > LINES:
        yield len(lines), f"{len(lines)} lines; at most {LINES}"
    declared = set(INTERNAL.findall(comments_out(module))) if module else set()
    if module is None:
        yield 1, f"no module {page.stem} in rtl/{page.parent.name}"
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns; at most {COLUMNS}"
        for name in sorted(set(INTERNAL.findall(line)) & declared):
            yield number, f"{name} is known inside the block only"


def index_findings(text, modules):
    rows = re.findall(r"^\| `(\w+)` \|(.*)$", text, re.M)
    named = [name for name, _ in rows]
    for name in sorted(set(modules) - set(named)):
        yield f"no row for module {name}"
    for name in sorted(set(named) - set(modules)):
        yield f"there is no module {name}"
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield f"two rows for {name}"
    for target in sorted({path for _, row in rows for path in NAMED.findall(row) if not (ROOT / path).exists()}):
        yield f"there is no {target}"


def independence_findings(text, modules):
    jobs = JOBS.read_text()
    proofs = set(re.findall(r"^  name: (\w+)$", jobs, re.M))
    for line in text[text.index("| blocks |") :].split("\n")[2:]:
        cells = line.split("|")
        if len(cells) != 6:
            continue
        for name in NAMED.findall(cells[1]):
            if name not in modules:
                yield f"there is no module {name}"
        for name in NAMED.findall(cells[3]):
            there = (ROOT / name).exists() or (ROOT / "tests" / f"{name}_test.cpp").exists() or name in proofs
            if not there and not name.startswith("std::"):
                yield f"{name} is no file, test or proof"


def link_findings(page):
    for target in sorted(set(LINK.findall(page.read_text()))):
        if "://" not in target and not (page.parent / target).exists():
            yield f"there is no {target}"


def main():
    findings = []
    for page in sorted([*PAGES.rglob("*.md"), INDEPENDENCE]):
        findings += [f"{page.relative_to(ROOT)}: {what}" for what in link_findings(page)]
    pages = {f"{page.parent.name}/{page.stem}": page for page in sorted(PAGES.glob("*/*.md")) if page.stem != "README"}
    for name, page in pages.items():
        where, text = page.relative_to(ROOT), page.read_text()
        source = ROOT / "rtl" / f"{name}.sv"
        module = source.read_text() if source.exists() else None
        findings += [f"{where}:{line}: {what}" for line, what in page_findings(page, text, module)]
    modules = [source.stem for source in (ROOT / "rtl").glob("*/*.sv") if source.parent.name != "pkg"]
    findings += [f"{INDEX.relative_to(ROOT)}: {what}" for what in index_findings(INDEX.read_text(), modules)]
    independent = independence_findings(INDEPENDENCE.read_text(), modules)
    findings += [f"{INDEPENDENCE.relative_to(ROOT)}: {what}" for what in independent]
    for finding in findings:
        print(f"block pages: {finding}", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
