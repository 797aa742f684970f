#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Whoever connects a module finds in its header what each port and parameter is, and in a log what was broken.

Looked at are modules of SystemVerilog, one port or parameter a line:
  port                    a comment behind it on its line; clk_i and rst_ni need none
  parameter of a header   the same, and in it, or in the comment lines that go on below, the legal range: `A..B`, of
                          numbers or constants, `2, 4 or 8`, or `1 or more`; a localparam needs none, a type no range
  assert, assume, cover   a name; an assert also `else $error("what is wrong")`. Concurrent or immediate.

Usage: scripts/rtl_words.py [FILE...]   (without files: rtl/*/*.sv)
Exit status: 0 none, 1 some, each with its place and what to do; 2 a file that is not there.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEED_NONE = {"clk_i", "rst_ni"}
HIDDEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
NUMBER = r"(?:[a-z]\w*::)?(?:\d[\w'^]*|[A-Z]\w*)"  # 4096, 16'hFFFF, FFFFh, 2^36, NumPorts, cxl_pkg::LineBits
RANGE = re.compile(rf"(?<![\w'^.]){NUMBER}\)? ?\.\. ?[-(]?{NUMBER}|\b\d+(?:, \d+)* or (?:\d+|more)\b")
CHECK = re.compile(
    r"(?:(\w+)\s*:(?!:)\s*)?\b(assert|assume|cover|restrict)\b\s*(?:property\b|sequence\b|final\b|#0)?\s*"
)
TEXT = re.compile(r"\s*(?:[^;]*;)?\s*else\s*\$error\s*\(")
SAID = re.compile(r'\s*"[^"\n]*\w[^"\n]*"')
ENDS = {"assert": "A", "cover": "C"}  # of names; M is an assumption's


class Source:
    """Text of a file: as it is, and as code, in which comments and strings are blank and all stands where it stood."""

    def __init__(self, text):
        self.text = text
        self.code = HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
        self.lines, self.code_lines = text.split("\n"), self.code.split("\n")
        # Of each line where its comment begins, or None.
        self.comment_at = [None] * len(self.lines)
        for found in HIDDEN.finditer(text):
            if found[0].startswith("//"):
                self.comment_at[self.line(found.start()) - 1] = found.start() - (text.rfind("\n", 0, found.start()) + 1)

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def comment(self, first, last):
        """What is said behind the code of these lines and in the comment lines that go on below, further right."""
        said = [self.lines[n - 1][self.comment_at[n - 1] :] for n in range(first, last + 1) if self.comment_at[n - 1]]
        indent = len(self.code_lines[first - 1]) - len(self.code_lines[first - 1].lstrip())
        for n in range(last, len(self.lines)):
            if self.code_lines[n].strip() or (self.comment_at[n] or 0) <= indent:
                break
            said.append(self.lines[n][self.comment_at[n] :])
        return " ".join(part.strip("/ ") for part in said)

    def close(self, at):
        """Behind the bracket that closes the one at this place; None without one."""
        depth = 0
        for place in range(at, len(self.code)):
            depth += (self.code[place] in "([{") - (self.code[place] in ")]}")
            if depth == 0:
                return place + 1
        return None

    def declarations(self, first, last):
        """(text, where it begins) of what the commas of this list separate."""
        depth, start = 0, first
        for place in range(first, last):
            depth += (self.code[place] in "([{") - (self.code[place] in ")]}")
            if self.code[place] == "," and depth == 0:
                yield self.code[start:place], start
                start = place + 1
        if self.code[start:last].strip():
            yield self.code[start:last], start


def named(text):
    """Where the name of a declaration begins and ends: before its value and its unpacked dimensions."""
    left = re.split(r"(?<![=!<>])=(?!=)", text, maxsplit=1)[0]
    left = re.sub(r"(?:\[[^\]]*\]\s*)+$", "", left.rstrip())
    return re.search(r"\w+$", left.rstrip())


def header(source, at):
    """The places of the lists of parameters and of ports behind a module's name; None for one that it has not."""
    while found := re.compile(r"\s*import\b[^;]*;").match(source.code, at):
        at = found.end()
    lists = []
    for opens in (r"\s*#\s*\(", r"\s*\("):
        found = re.compile(opens).match(source.code, at)
        end = source.close(found.end() - 1) if found else None
        lists.append((found.end(), end - 1) if end else None)
        at = end or at
    return lists


def of_headers(source):
    for module in re.finditer(r"\bmodule\s+(?:automatic\s+|static\s+)?\w+", source.code):
        parameters, ports = header(source, module.end())
        kind = "parameter"
        for text, start in source.declarations(*parameters) if parameters else ():
            kind = found[1] if (found := re.match(r"\s*(parameter|localparam)\b", text)) else kind
            name = named(text)
            if kind == "localparam" or not name:
                continue
            line = source.line(start + name.start())
            if source.comment_at[line - 1] is None:
                yield line, f"parameter {name[0]}: say behind it what it sizes, its unit and its range"
            elif not re.match(r"\s*(?:parameter\s+)?type\b", text) and not RANGE.search(
                source.comment(line, source.line(start + len(text.rstrip())))
            ):
                yield line, f"parameter {name[0]}: say its range in the comment: A..B, or 0 or 1, or 1 or more"
        for text, start in source.declarations(*ports) if ports else ():
            name = named(text)
            line = source.line(start + name.start()) if name else 0
            if name and name[0] not in NEED_NONE and source.comment_at[line - 1] is None:
                yield line, f"port {name[0]}: say behind it what it is to whoever connects it, and when it is valid"


def of_assertions(source):
    for found in CHECK.finditer(source.code):
        if found.end() >= len(source.code) or source.code[found.end()] != "(":
            continue
        name, kind = found[1], found[2]
        line = source.line(found.start(2))
        if name is None or name == "default":
            yield line, f"{kind}: give it a name: Name_{ENDS.get(kind, 'M')}: {kind} ..."
        end = source.close(found.end())
        text = TEXT.match(source.code, end) if end else None
        if kind == "assert" and not (text and SAID.match(source.text, text.end())):
            yield line, f'{name or kind}: say what is wrong: else $error("...")'


def findings(text):
    source = Source(text)
    return sorted([*of_headers(source), *of_assertions(source)])


def main():
    names = sys.argv[1:] or [str(f.relative_to(ROOT)) for f in sorted((ROOT / "rtl").glob("*/*.sv"))]
    count = 0
    for name in names:
        path = ROOT / name
        if not path.is_file():
            print(f"{name}: no such file", file=sys.stderr)
            return 2
        for line, what in findings(path.read_text()):
            print(f"{name}:{line}: {what}", file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
