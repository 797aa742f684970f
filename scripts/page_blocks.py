# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What scripts write into pages: tables between `<!-- figures: NAME -->` and `<!-- end -->`; prose at 120 columns."""

import os
import re
import sys


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def wrapped(text, columns=120):
    """Lines over `columns`, wrapped; tables, fences and comments stay. No line begins like a list, heading or table."""
    out, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.startswith("```")
        if fenced or len(line) <= columns or line.startswith(("|", "#", "<!--", "```")):
            out.append(line)
            continue
        indent = " " * len(re.match(r"\s*(?:[*+-] )?", line)[0])
        while len(line) > columns:
            at = line.rfind(" ", len(indent) + 1, columns + 1)
            while at > 0 and re.match(r"(?:[*+=-]+|\d+[.)])(?: |$)|[|#>]", line[at + 1 :]):
                at = line.rfind(" ", len(indent) + 1, at)
            if at < 0:
                break
            out.append(line[:at])
            line = indent + line[at + 1 :]
        out.append(line)
    return "\n".join(out)


def replace(page, blocks):
    """Writes the blocks into the file `page` (a path), whole, then renamed."""
    text = page.read_text()
    for name, block in blocks.items():
        pattern = re.compile(rf"(<!-- figures: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
        text, found = pattern.subn(lambda match: f"{match[1]}{block}\n{match[2]}", text)
        if found != 1:
            sys.exit(f"{page}: {found} blocks `<!-- figures: {name} -->` ... `<!-- end -->`; there must be one")
    new = page.with_suffix(".new")
    new.write_text(text)
    os.replace(new, page)


def show(blocks, page=None):
    """Prints them, and writes them into `page` if there is one."""
    print("\n\n".join(f"{name}\n\n{block}" for name, block in blocks.items()))
    if page:
        replace(page, blocks)
