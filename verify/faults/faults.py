#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Faults made by hand against the tests: which test sees each, and which faults nobody sees.

Two sets, lists of faults in YAML files beside this one:
  by_hand/ROOM.yaml      faults of several lines, made by someone who had not read the tests; run against every test
                         that contains the block, until one fails
  conformance/ROOM.yaml  a fault for each row of docs/conformance.md; run against the very test that the row names,
                         with the RTL's assertions off, so that the test itself must see it

A fault: `fault` (its name), `what` (what the RTL does wrong), `sees` or `breaks` (what a user sees; the rows that it
breaks, as test::shows() has them), `edits`: each a `file`, an `old` text that stands there once, and its `new` text,
in which FAULT is true when the fault is on. All faults of a set stand in one copy of the RTL (build/faults/SET/tree),
which is built once; CXLGPU_MUTANT chooses.

  verify/faults/faults.py --set by_hand                        # all of the set
  verify/faults/faults.py --set conformance --only NAME        # some of it
  verify/faults/faults.py --check                              # both sets: edits fit, no two overlap, every row has one

Those of by_hand that no test saw at first stand in found.yaml, with what the tests lacked.
Verdicts are kept (build/faults/SET/results.json) and taken again while the fault's files, the tests and what these
include say the same (verify/records.py).
Exit status: 0 every fault seen; 1 a fault that no test sees, or with --check something that does not fit; 2 wrong
usage, or what does not build.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "verify"), str(ROOT / "verify/mutation")]
import conformance  # noqa: E402
import records  # noqa: E402
import schemata  # noqa: E402
import yaml  # noqa: E402
from rtl_bench import SYSTEM_TESTS, Bench, blocks, lay_tree, test_sources, tests_of, usage, write_if_new  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SETS = ("by_hand", "conformance")
PATIENCE, PATIENCE_S = 6, 15  # a run hangs after so many times the test's own time and so many seconds more
FIELDS = {"by_hand": {"fault", "what", "sees", "edits"}, "conformance": {"fault", "what", "breaks", "edits"}}


@dataclasses.dataclass
class Fault:
    room: str
    name: str
    what: str
    extra: object  # what a user sees, or the rows broken
    edits: list  # (file, start, end, new)
    number: int = 0

    @property
    def files(self):
        return sorted({file for file, *_ in self.edits})


class Faults:
    """A set as its files say it; `wrong` lists what does not fit."""

    def __init__(self, kind):
        self.kind, self.list, self.wrong, self.texts = kind, [], [], {}
        for path in sorted((HERE / kind).glob("*.yaml")):
            where = path.relative_to(ROOT)
            try:
                entries = yaml.safe_load(path.read_text()) or []
            except yaml.YAMLError as error:
                self.wrong.append(f"{where}: {' '.join(str(error).split())}")
                continue
            for entry in entries:
                self._add(where, path.stem, entry)
        names = [f.name for f in self.list]
        self.wrong += [f"{self.kind}: {n}: two faults of this name" for n in sorted(set(names)) if names.count(n) > 1]
        for fault in self.list:  # of the name, so that a new fault changes no other file
            fault.number = zlib.crc32(fault.name.encode()) & 0x3FFFFFFF | 1
        self._overlaps()

    def text(self, file):
        if file not in self.texts:
            path = ROOT / file
            self.texts[file] = path.read_text() if path.is_file() else None
        return self.texts[file]

    def _add(self, where, room, entry):
        name = entry.get("fault", "?")
        if set(entry) != FIELDS[self.kind] or not re.fullmatch(r"[a-z0-9_]+", name):
            self.wrong.append(f"{where}: {name}: needs {', '.join(sorted(FIELDS[self.kind]))}")
            return
        edits = []
        for edit in entry["edits"]:
            old, new = (str(edit[k]).removesuffix("\n") for k in ("old", "new"))
            text = self.text(edit["file"])
            found = text.count(old) if text is not None and old else 0
            if found != 1:
                said = "no such file" if text is None else f"stands {found} times: {old.splitlines()[:1]}"
                self.wrong.append(f"{where}: {name}: {edit['file']}: {said}")
                continue
            start = text.index(old)
            edits.append((edit["file"], start, start + len(old), new))
        if not any(re.search(r"\bFAULT\b", e[3]) for e in edits):
            self.wrong.append(f"{where}: {name}: no edit says FAULT")
        self.list.append(
            Fault(
                room,
                name,
                " ".join(entry["what"].split()),
                entry["sees" if self.kind == "by_hand" else "breaks"],
                edits,
            )
        )

    def _overlaps(self):
        spans = sorted((file, start, end, f.name) for f in self.list for file, start, end, _ in f.edits)
        for one, two in zip(spans, spans[1:]):
            if one[0] == two[0] and two[1] < one[2]:
                line = self.texts[one[0]].count("\n", 0, two[1]) + 1
                self.wrong.append(f"{self.kind}: {one[3]} and {two[3]} change the same text: {one[0]}:{line}")

    def woven(self, file, chosen):
        text = self.text(file)
        edits = sorted(
            ((start, end, new, f) for f in chosen for name, start, end, new in f.edits if name == file),
            key=lambda e: e[0],
            reverse=True,
        )
        for start, end, new, fault in edits:
            text = text[:start] + re.sub(r"\bFAULT\b", f"(mutant_pkg::Sel == {fault.number})", new) + text[end:]
        return text


def lint(tree, files):
    """What the simulator does not read of the woven files, its first complaints: all in one run, each module once,
    those that no other instantiates as tops."""
    folders = [a for d in sorted((tree / "rtl").iterdir()) if d.is_dir() for a in ("-y", str(d))]
    packages = [str(p) for p in sorted((tree / "rtl/pkg").glob("*.sv"))]
    modules = [str(tree / file) for file in files if str(tree / file) not in packages]
    done = subprocess.run(
        ["verilator", "--lint-only", "--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MULTITOP"]
        + [*folders, *packages, *modules],
        capture_output=True,
        text=True,
    )
    return done.stderr.replace(f"{tree}/", "").strip().splitlines()[:4] if done.returncode else []


def lay(faults, chosen):
    """The copy of the tree, with the chosen faults in its RTL."""
    tree = ROOT / "build/faults" / faults.kind / "tree"
    lay_tree(tree)
    for name in blocks():
        write_if_new(tree / name, faults.woven(name, chosen))
    return tree


def rows_without(faults):
    """Rows of the page that no fault breaks, and broken rows that the page does not have."""
    rows = {row[1] for row in conformance.requirements()}
    broken = {row for fault in faults.list for row in fault.extra}
    return sorted(rows - broken), sorted(broken - rows)


def found():
    return yaml.safe_load((HERE / "found.yaml").read_text()) or []


def check():
    wrong = []
    for kind in SETS:
        faults = Faults(kind)
        wrong += faults.wrong
        if not faults.wrong:
            files = sorted({file for f in faults.list for file in f.files})
            wrong += [f"{kind}: {line}" for line in lint(lay(faults, faults.list), files)]
        if kind == "by_hand":
            names = {f.name for f in faults.list}
            wrong += [f"found.yaml: no such fault: {f['fault']}" for f in found() if f["fault"] not in names]
        if kind == "conformance":
            missing, unknown = rows_without(faults)
            wrong += [f"conformance: no fault for the row: {row}" for row in missing]
            wrong += [f"conformance: no such row: {row}" for row in unknown]
        print(f"{kind}: {len(faults.list)} faults")
    for line in wrong:
        print(f"faults: {line}", file=sys.stderr)
    return 1 if wrong else 0


class Judge:
    """Runs faults against tests, and keeps the verdicts."""

    def __init__(self, faults, tree):
        self.faults, self.tree, self.bench = faults, tree, Bench(tree, 0)
        self.path = tree.parent / "results.json"
        self.kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.rows = {}
        for _, requirement, _, test, case in conformance.requirements():
            self.rows.setdefault(requirement, []).append((test, case))

    def tasks(self, chosen):
        """(fault, row or None, [(test, case)...]) of each fault."""
        if self.faults.kind == "conformance":
            return [(f, row, self.rows[row]) for f in chosen for row in f.extra if row in self.rows]
        owners = tests_of({name: schemata.Schemata(ROOT, name) for name in blocks()})
        every = sorted({t for tests in owners.values() for t in tests})
        return [
            (f, None, [(t, None) for t in dict.fromkeys(t for file in f.files for t in owners.get(file, every))])
            for f in chosen
        ]

    def digest(self, fault, tests):
        """Of the fault where it stands, and of the tests; neither of its name nor of its words."""
        one = dataclasses.replace(fault, number=1)
        faulty = sorted(records.essence(self.faults.woven(file, [one]), ".sv") for file in fault.files)
        cases = sorted(case or "" for _, case in tests)
        return records.digest(test_sources(t for t, _ in tests), faulty, cases)

    def run(self, chosen, jobs):
        tasks = self.tasks(chosen)
        tests = sorted({t for _, _, where in tasks for t, _ in where})
        print(f"{len(chosen)} faults, {len(tests)} test programs", flush=True)
        self.bench.configure(self.tree)
        self.bench.make(tests, jobs)
        if failed := self.bench.time_all(tests):
            usage("; ".join(failed))
        verdicts = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            running = [pool.submit(self.one, *task) for task in tasks]
            for future in concurrent.futures.as_completed(running):
                verdict = future.result()
                verdicts.append(verdict)
                self.kept[verdict["key"]] = verdict
                records.replace(self.path, self.kept)
                seen = f"seen by {verdict['by']}" if verdict["seen"] else "NOT SEEN"
                print(f"{verdict['fault']}: {seen}" + (f" ({verdict['row']})" if verdict["row"] else ""), flush=True)
        return sorted(verdicts, key=lambda v: (v["room"], v["fault"], v["row"] or ""))

    def one(self, fault, row, tests):
        key = f"{fault.name}: {row or ''}"
        digest = self.digest(fault, tests)
        if (kept := self.kept.get(key)) and kept["digest"] == digest and kept["seen"]:
            return kept
        block = {f"{pathlib.Path(f).parent.name}/{pathlib.Path(f).stem}" for f in fault.files}
        by_itself = self.faults.kind == "conformance"
        order = sorted(tests, key=lambda t: (t[0] in SYSTEM_TESTS, t[0] not in block, self.bench.seconds[t[0]]))
        verdict = {
            "key": key,
            "digest": digest,
            "room": fault.room,
            "fault": fault.name,
            "what": fault.what,
            "row": row,
            "seen": False,
            "by": None,
            "said": "",
            "tests": len(order),
        }
        for test, case in order:
            limit = PATIENCE * self.bench.seconds[test] + PATIENCE_S
            passed, said, _ = self.bench.run(test, fault.number, limit, case=case, assertions=not by_itself)
            if not passed:
                return verdict | {"seen": True, "by": f"{test} {case or ''}".strip(), "said": said}
        return verdict


def write_record(path, faults, chosen, verdicts):
    """Of the whole set, or of some of it: those keep their own date, the others what is recorded of them."""
    with records.changing(path, {}) as record:
        said = [{k: v[k] for k in ("room", "fault", "what", "row", "by")} for v in verdicts]
        if len(chosen) == len(faults.list):
            record[faults.kind] = {"date": records.now(), "commit": records.commit()}
        else:
            others = {f.name for f in faults.list} - {f.name for f in chosen}
            said = [v | {"date": records.now()} for v in said]
            said += [v for v in record[faults.kind]["faults"] if v["fault"] in others]
        said.sort(key=lambda v: (v["room"], v["fault"], v["row"] or ""))
        record[faults.kind] |= {"seen": sum(v["by"] is not None for v in said), "count": len(said), "faults": said}
        if faults.kind == "by_hand":
            by = {v["fault"]: v["by"] for v in said}
            record[faults.kind]["found"] = [f | {"killed_by": by.get(f["fault"])} for f in found()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, help="which faults")
    parser.add_argument("--check", action="store_true", help="run nothing; what does not fit?")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these faults")
    parser.add_argument("--room", help="the faults of this file alone (ROOM.yaml)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument(
        "--record",
        type=pathlib.Path,
        metavar="FILE",
        help="write the verdicts here; other faults of the set keep what is recorded of them",
    )
    options = parser.parse_args()
    if options.check:
        return check()
    if not options.set:
        usage("say --set by_hand, --set conformance or --check")
    faults = Faults(options.set)
    if faults.wrong:
        usage("; ".join(faults.wrong[:3]) + "; see --check")
    chosen = [f for f in faults.list if (not options.only or f.name in options.only) and options.room in (None, f.room)]
    if unknown := set(options.only) - {f.name for f in faults.list}:
        usage(f"--only {sorted(unknown)[0]}: no such fault in verify/faults/{options.set}")
    if not chosen:
        usage(f"no faults in verify/faults/{options.set}" + (f" of room {options.room}" if options.room else ""))
    verdicts = Judge(faults, lay(faults, chosen)).run(chosen, options.jobs)
    unseen = [v for v in verdicts if not v["seen"]]
    print(f"{options.set}: {len(verdicts) - len(unseen)} of {len(verdicts)} seen")
    for v in unseen:
        print(f"  not seen: {v['fault']}: {v['what']}" + (f" [{v['row']}]" if v["row"] else ""))
    if options.record:
        write_record(options.record, faults, chosen, verdicts)
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
