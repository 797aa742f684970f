#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Every block beside its twin: lines of RTL, twin and tests, names that both use, who else says so.

  scripts/twins.py           the table
  scripts/twins.py --page    writes it into docs/blocks/twins.md
  scripts/twins.py --check   every block has a row there and a witness; each twin that is longer than the RTL of its
                             block has the reason on its page, in a sentence that begins "The twin is longer"

Lines are those of code: no comment, no blank line, no include; of RTL without the contract (assertions). To a block's
RTL count the modules inside it that have no twin of their own. A name is shared if a private member of the twin (name_)
is also a register of that RTL (name_q). Witnesses are those of docs/independence.md.
Exit status: 0, or 1 with a line for each finding.
"""

import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import page_blocks  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = ROOT / "docs" / "blocks"
PAGE = BLOCKS / "twins.md"
REASON = "The twin is longer"
CONTRACT = re.compile(r"^\s*// -+\n\s*// Contract\n", re.M)


def code(text):
    """Lines that say something: not blank, no comment alone, no include and no frame of a namespace."""
    frame = ("//", "#", "namespace ", "}  // namespace")
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith(frame))


class Block:
    """A row of the index of blocks."""

    def __init__(self, row):
        self.name, _, self.page, rtl, twin, tests = row
        self.rtl = ROOT / rtl.strip("`")
        twin = ROOT / twin.strip("`")
        self.twin = twin if twin.stem == self.name and twin.parts[-3] == "refmodel" else None  # else of more than it
        self.tests = [ROOT / name for name in re.findall(r"`([^`]+)`", tests)]
        self.source = self.rtl.read_text()
        self.logic = CONTRACT.split(self.source)[0]

    def twin_text(self):
        files = [self.twin, self.twin.with_suffix(".cpp")]
        return "\n".join(file.read_text() for file in files if file.exists())


def blocks():
    rows = re.findall(
        r"^\| `(\w+)` \| (.*?) \| \[.*?\]\((.*?)\) \| (.*?) \| (.*?) \| (.*?) \|$",
        (BLOCKS / "README.md").read_text(),
        re.M,
    )
    return {row[0]: Block(row) for row in rows}


def inside(block, every):
    """The block, and the modules within it that have no twin."""
    found = [block]
    for part in found:  # grows
        used = set(re.findall(r"^  (\w+) (?:#\(|u_\w+ \()", part.source, re.M))
        found += [b for b in every.values() if b.name in used and b.twin is None and b not in found]
    return found


def witnesses(every):
    """By block, what independence.md names beside RTL and twin; of a part without a row that of its block."""
    text = (ROOT / "docs" / "independence.md").read_text()
    found = {}
    for line in text[text.index("| blocks |") :].split("\n")[2:]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 6:
            found |= dict.fromkeys(re.findall(r"`([^`]+)`", cells[1]), cells[3])
    for block in every.values():
        for part in inside(block, every)[1:]:
            found.setdefault(part.name, f"that of `{block.name}`")
    return found


def row(block, every):
    """Lines of RTL, twin and tests, the twin's private members, and those that are registers."""
    parts = inside(block, every)
    text = block.twin_text()
    members = set(re.findall(r"[\s&*>]([a-z][a-z0-9_]*)_\s*(?:=|;|\{|\[|,)", text))
    registers = set(re.findall(r"\b([a-z][a-z0-9_]*)_q\b", "\n".join(part.source for part in parts)))
    tests = sum(code(test.read_text()) for test in block.tests)
    return sum(code(part.logic) for part in parts), code(text), tests, members, sorted(members & registers)


def from_page_alone():
    """Blocks that the page names so."""
    text = PAGE.read_text()
    start = text.index("Written from page and standard alone")
    return set(re.findall(r"`(\w+)`", text[start : text.index(". Their", start)]))


def table():
    every = blocks()
    seen = witnesses(every)
    lines = ["| block | RTL | twin | tests | names shared | witness beside both |", "|---|---|---|---|---|---|"]
    names = {True: [0, 0], False: [0, 0]}  # by whether it was written from its page alone: members, shared
    alone = from_page_alone()
    for block in every.values():
        witness = seen.get(block.name, "**none**")
        if block.twin is None:
            lines.append(
                f"| `{block.name}` | {code(block.logic)} | - | "
                f"{sum(code(test.read_text()) for test in block.tests)} | - | {witness} |"
            )
            continue
        rtl, twin, tests, own, common = row(block, every)
        count = names[block.name in alone]
        count[0], count[1] = count[0] + len(own), count[1] + len(common)
        text = f"{len(common)} of {len(own)}" + (f": {', '.join(common)}" if common else "")
        lines.append(f"| `{block.name}` | {rtl} | {twin} | {tests} | {text} | {witness} |")
    (mine, mine_shared), (others, others_shared) = names[True], names[False]
    return lines, (
        f"Names shared: {mine_shared} of {mine} in twins written from page and standard alone, "
        f"{100 * mine_shared / mine:.0f} %; {others_shared} of {others} in the others, "
        f"{100 * others_shared / others:.0f} %."
    )


def findings():
    every = blocks()
    seen = witnesses(every)
    written = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.M))
    for block in every.values():
        if block.name not in written:
            yield f"{PAGE.relative_to(ROOT)}: no row for {block.name}; run scripts/twins.py --page"
        if block.name not in seen:
            yield f"docs/independence.md: no witness for {block.name}"
        if block.twin is None:
            continue
        rtl, twin, *_ = row(block, every)
        page = BLOCKS / block.page
        if twin > rtl and REASON not in " ".join(page.read_text().split()):
            yield (
                f"{page.relative_to(ROOT)}: the twin has {twin} lines and the RTL {rtl}; "
                f"say why, in a sentence that begins '{REASON}'"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--page", action="store_true", help="write docs/blocks/twins.md")
    parser.add_argument("--check", action="store_true", help="rows, witnesses, reasons")
    options = parser.parse_args()
    if options.check:
        found = list(findings())
        for finding in found:
            print(f"twins: {finding}", file=sys.stderr)
        return 1 if found else 0
    lines, total = table()
    if options.page:
        page_blocks.replace(PAGE, {"twins": "\n".join([*lines, "", total])})
    else:
        print("\n".join([*lines, "", total]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
