# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Coverage points of Verilator, added by place in the source.

The same module is seen in many tops, under many instances and with many sets of parameters; a point is
its file, line, column and what it names. Only rtl/ counts: tops of the tests do not.

What is left out:
- toggles of nets named `unused_*`, which only tell lint that a net is unused on purpose;
- an arm that ends in `return` and has no hit: Verilator 5.006 puts its counter behind the return, where it
  is dropped, so that it stays 0 whatever runs.
"""

import dataclasses
import re

MAX_WIDTH = 64  # nets above it count no toggles (--coverage-max-width in cmake/verilate.cmake)

NOT_THE_PLACE = re.compile(r"\x01(h|page)\x02(v_[a-z]*)?[^\x01']*")
UNUSED = re.compile(r"(^|[.\]])unused_")
RETURN = re.compile(r"\breturn\b")
FIELD = re.compile(r"\x01([^\x02]+)\x02([^\x01']*)")


@dataclasses.dataclass
class Point:
    line: int
    name: str  # of a toggle the net's bit; of a branch its arm; of a line nothing
    hits: int = 0
    waiver: object = None
    column: int = 0


@dataclasses.dataclass
class Source:
    """One file of rtl/."""

    name: str
    text: list  # lines; text[0] is line 1
    lines: dict = dataclasses.field(default_factory=dict)  # number -> Point
    branches: dict = dataclasses.field(default_factory=dict)  # (line, column, arm) -> Point
    toggles: dict = dataclasses.field(default_factory=dict)  # bit -> Point
    uncounted: set = dataclasses.field(default_factory=set)  # arms that Verilator cannot count

    def kinds(self):
        return {"lines": self.lines.values(), "branches": self.branches.values(), "toggles": self.toggles.values()}

    def at(self, line):
        return self.text[line - 1].strip() if 0 < line <= len(self.text) else ""

    def list_holes(self):
        """One row each for lines and branches, one for each net for toggles."""
        for kind, found in (("line", self.lines), ("branch", self.branches)):
            for point in sorted(found.values(), key=lambda p: (p.line, p.column)):
                if not point.hits and not point.waiver:
                    arm = f" [{point.name}]" if point.name else ""
                    yield f"{self.name}:{point.line}: {kind}{arm}: {self.at(point.line)}"
        for net, (bits, total, line) in nets(self.toggles.values()).items():
            yield f"{self.name}:{line}: toggle {net}: {len(bits)} of {total} bits: {' '.join(bits)}"


def nets(toggles):
    """Holes by net: its bits without a toggle, how many bits it has, its line."""
    found = {}
    for point in toggles:
        net = re.match(r"[^\[]*", point.name)[0]
        if "." in point.name:
            net = re.sub(r"\[\d+\]", "", point.name)
        bits, total, line = found.get(net, ([], 0, point.line))
        if not point.hits and not point.waiver:
            bits = bits + [point.name[len(net) :] if point.name.startswith(net) else point.name]
        found[net] = (bits, total + 1, line)
    return {net: row for net, row in found.items() if row[0]}


def numbers(ranges):
    """ "85,152-163" -> 85, 152, 153 ... 163."""
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def read(root, counts):
    """Sources by name ("rtl/room/block.sv") of all the files of counts."""
    prefix = f"{root}/rtl/"
    merged = {}
    for path in counts:
        with open(path) as lines:
            for row in lines:
                if prefix not in row:
                    continue
                key, _, count = row.rpartition(" ")
                # The instance and the parameter set are the only parts that do not name the place.
                merged_key = NOT_THE_PLACE.sub("\x01\\1\x02\\2", key)
                merged[merged_key] = merged.get(merged_key, 0) + int(count)
    sources = {}
    for key, hits in merged.items():
        field = dict(FIELD.findall(key))
        name = field["f"][len(prefix) - len("rtl/") :]
        if name not in sources:
            sources[name] = Source(name, (root / name).read_text().splitlines())
        source = sources[name]
        line, column, what = int(field["l"]), int(field["n"]), field["o"]
        numbered = list(numbers(field.get("S", "")))
        if field["page"] == "v_toggle":
            if UNUSED.search(what):
                continue
            source.toggles.setdefault(what, Point(line, what, column=column)).hits += hits
            continue
        if not hits and what != "block" and any(RETURN.search(source.at(n)) for n in numbered):
            source.uncounted |= {(line, column, what)}
            continue
        if what != "block":
            source.branches.setdefault((line, column, what), Point(line, what, column=column)).hits += hits
        for number in numbered:
            source.lines.setdefault(number, Point(number, "")).hits += hits
    return sources
