# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""verify/coverage/waivers.yaml: holes that are none, each with its reason.

A rule names a file and, by text and never by number, what in it is excused:
  - file: rtl/room/block.sv
    line: "text of the line"           # lines and branch arms that begin there
    arm: else                          # optional: this arm alone
    after: "text of a line above it"   # optional: the first match below it
    reason: why no test can reach it
  - file: rtl/room/block.sv
    signals: ["net", "net[15:8]", "bus.field", "regs_q[3][7:0]"]   # "*" stands for anything but a dot
    reason: ...
A rule that matches nothing is an error, and so is one of which a match is hit.
"""

import dataclasses
import re

import yaml

FILE = "verify/coverage/waivers.yaml"
KEYS = {"file", "line", "arm", "after", "signals", "reason"}


@dataclasses.dataclass
class Rule:
    file: str
    what: str
    reason: str
    points: int = 0


def range_pattern(pattern):
    """A regular expression for a net; "[hi:lo]" is any index between, "*" anything but a dot."""
    out = ""
    for part in re.split(r"(\[\d+:\d+\]|\*)", pattern):
        span = re.fullmatch(r"\[(\d+):(\d+)\]", part)
        if span:
            high, low = int(span[1]), int(span[2])
            out += r"\[(?:" + "|".join(str(n) for n in range(low, high + 1)) + r")\]"
        else:
            out += r"[^.]*" if part == "*" else re.escape(part)
    # A net without indices means all of its bits.
    return re.compile(out + r"(?:\[\d+\])*$")


def of_lines(source, entry):
    """Points of lines and branches that a rule names."""
    start = 0
    if "after" in entry:
        above = [n for n, text in enumerate(source.text, 1) if entry["after"] in text]
        if not above:
            return []
        start = above[0]
    at = [n for n, text in enumerate(source.text, 1) if n > start and entry["line"] in text]
    if "after" in entry:
        at = at[:1]
    arms = [p for p in source.branches.values() if p.line in at and entry.get("arm", p.name) == p.name]
    lines = [p for p in source.lines.values() if p.line in at]
    # "if (...) x;" on one line: without its arm that line is a hole too.
    return arms + [p for p in lines if "arm" not in entry or not p.hits]


def apply(root, sources):
    """Marks what is waived; (problems, rules)."""
    path = root / FILE
    entries = (yaml.safe_load(path.read_text()) or []) if path.exists() else []
    problems, rules = [], []
    for number, entry in enumerate(entries, 1):
        where = f"{FILE}: entry {number}"
        if not isinstance(entry, dict) or "file" not in entry or not entry.get("reason"):
            problems.append(f"{where}: needs 'file' and 'reason'")
            continue
        where += f" ({entry['file']})"
        if set(entry) - KEYS or ("line" in entry) == ("signals" in entry):
            problems.append(f"{where}: keys are {', '.join(sorted(KEYS))}; either 'line' or 'signals'")
            continue
        source = sources.get(entry["file"])
        if source is None:
            problems.append(f"{where}: no such file was counted; mend 'file'")
            continue
        if "line" in entry:
            rule = Rule(
                entry["file"], entry["line"] + (f" [{entry['arm']}]" if "arm" in entry else ""), entry["reason"]
            )
            groups = [(entry["line"], of_lines(source, entry))]
        else:
            rule = Rule(entry["file"], ", ".join(entry["signals"]), entry["reason"])
            patterns = [(signal, range_pattern(signal)) for signal in entry["signals"]]
            groups = [
                (signal, [p for name, p in source.toggles.items() if pattern.match(name)])
                for signal, pattern in patterns
            ]
        for text, found in groups:
            if not found:
                problems.append(f"{where}: '{text}' matches nothing; remove it or mend it")
            hit = [p for p in found if p.hits]
            if hit:
                problems.append(f"{where}: '{text}' is hit (line {hit[0].line} {hit[0].name}); remove it")
            for point in found:
                point.waiver = rule
                rule.points += 1
        rules.append(rule)
    return problems, rules
