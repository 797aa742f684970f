#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Holds documents to 120 columns, and what cites a document to those that there are.

Prose is broken at 120 columns. A line may be longer where it cannot be broken:

* a row of a table, and what stands in a fenced block (a command, a picture, a file);
* a comment that steers a tool, <!-- ... -->, on a line of its own;
* one word, `code` or word](target) that reaches beyond it, if nothing else but a list's mark stands on its line.

What a link in a document names, and a docs/*.md in any source, must be there. Pages of the block template have a
narrower rule (scripts/block_pages.py).
Usage: scripts/pages.py [FILE...]   (without files: every document and source of the repository)
Exit status: 0 none, 1 some findings, each with its place.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 120
FENCE = re.compile(r"\s*(```|~~~)")
MARK = re.compile(r"\s*(?:[-*]|\d+\.)?\s*")
UNIT = re.compile(r"(?:`[^`]*`|\]\([^)]*\)|\S)+")  # between two of them a line may be broken
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
CITED = re.compile(r"(?<![\w/])docs/[\w./-]+\.md\b")
LEFT_OUT = ("third_party/", "verify/fuzz/corpus/", "tests/scripts/pages_test.cpp")


def too_long(line):
    """Over the limit, and there is a place to break it."""
    if len(line) <= COLUMNS or line.startswith("|") or re.fullmatch(r"\s*<!--.*-->", line):
        return False
    mark = MARK.match(line).end()
    units = [found.span() for found in UNIT.finditer(line, mark)]
    return len(units) > 1


def column_findings(text):
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if found and fence in (None, found[1]):
            fence = None if fence else found[1]
        elif fence is None and too_long(line):
            yield number, f"{len(line)} columns; break it at {COLUMNS}"


def link_findings(page, text):
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists():
                yield number, f"there is no {target}"


def cited_findings(text):
    for found in CITED.finditer(text):
        if not (ROOT / found[0]).exists():
            yield text.count("\n", 0, found.start()) + 1, f"there is no {found[0]}"


def findings(path):
    try:
        text = path.read_text()
    except UnicodeDecodeError:
        return
    if path.suffix == ".md":
        yield from column_findings(text)
        yield from link_findings(path, text)
    if path.name != "CHANGELOG.md":  # which also tells what was
        yield from cited_findings(text)


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\n") if name and not name.startswith(LEFT_OUT)]
    return [
        str(file.relative_to(ROOT))
        for file in sorted(ROOT.rglob("*"))
        if file.is_file() and file.relative_to(ROOT).parts[0] not in ("build", "out")
        if not str(file.relative_to(ROOT)).startswith(LEFT_OUT)
    ]


def main():
    count = 0
    for name in sys.argv[1:] or files():
        path = ROOT / name
        if path.is_file():
            for line, what in findings(path):
                print(f"{name}:{line}: {what}", file=sys.stderr)
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
