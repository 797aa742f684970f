# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of a page that scripts write: what stands between `<!-- figures: NAME -->` and `<!-- end -->`."""

import os
import re
import sys


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


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
