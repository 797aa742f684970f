#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Mutants of the RTL against its tests: who sees a fault, and which faults nobody sees.

Takes a sample of all mutants of all blocks (schemata.py), builds the tests once with the whole sample
in the RTL, sees them pass without a mutant, then runs each mutant against the tests that contain
its block, fastest first, until one fails. A test that takes far longer than without the mutant has
failed too. What is left when --budget is spent meets all of its tests, and then all of them once more
with random values in whatever has no reset. What was found is kept (build/mutants/results.jsonl) and
not done again while block, tests and what these include say the same (verify/records.py).

  verify/mutation/mutants.py --sample 1200 --seed 1           # the numbers of docs/trust.md
  verify/mutation/mutants.py --sample 0                       # every mutant there is (days)
  verify/mutation/mutants.py --only rtl/root_port/sr_queue.sv # one block
  verify/mutation/mutants.py --mutant 1f03c2a9b4d1            # one mutant, tests' output shown

Survivors that led to a test stand in found.yaml with the test that kills them now. Those that are
known to be equivalent stand in equivalent.yaml with the reason; proven ones with how, and these meet
their blocks' own tests only. An entry there that a test kills, or that no mutant matches, is an error.

Exit status: 0 all killed or in equivalent.yaml; 1 survivors; 2 wrong usage, or what cannot be built.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time
import typing

import schemata
import yaml
from rtl_bench import SYSTEM_TESTS, Bench, blocks, lay_tree, test_sources, tests_of, usage, write_if_new

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "verify"))
import records  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "mutants"
PATIENCE = 6  # times the test's own time, and
PATIENCE_S = 15  # seconds more, before a run counts as hung
LEAST = 10  # mutants of a block


def choose(files, sample, seed, only):
    """The sample: LEAST of each block, the rest in proportion to what a block has."""
    every = {name: f.candidates for name, f in files.items() if not only or name in only}
    if sample == 0:
        return {name: list(range(len(c))) for name, c in every.items()}
    total = sum(len(c) for c in every.values())
    rest = max(0, sample - sum(min(LEAST, len(c)) for c in every.values()))
    chosen = {}
    for name, candidates in every.items():
        size = min(len(candidates), min(LEAST, len(candidates)) + round(rest * len(candidates) / total))
        order = list(range(len(candidates)))
        random.Random(f"{seed} {name}").shuffle(order)
        chosen[name] = sorted(order[:size])
    return chosen


def lint(tree, text_of, numbers):
    """Drops the mutants that the simulator cannot read: constants where only a constant may stand."""
    dropped = []
    dirs = [a for d in sorted((tree / "rtl").iterdir()) if d.is_dir() for a in ("-y", str(d))]
    packages = [str(p) for p in sorted((tree / "rtl/pkg").glob("*.sv"))]
    for name in sorted(numbers):
        path = tree / name
        while True:
            path.write_text(text_of(name))
            done = subprocess.run(
                [
                    "verilator",
                    "--lint-only",
                    "--assert",
                    "-Wno-fatal",
                    "-Wno-lint",
                    "-Wno-style",
                    *dirs,
                    *packages,
                    str(path),
                    "--top-module",
                    path.stem,
                ],
                capture_output=True,
                text=True,
            )
            if done.returncode == 0:
                break
            faults = {
                (m[1], int(m[2]))
                for m in re.finditer(rf"%Error[^:]*: {re.escape(str(tree))}/([^:]+):(\d+):", done.stderr)
            }
            before = len(dropped)
            for file, line in faults:  # below this block too
                where = {}
                for at, source in enumerate((tree / file).read_text().split("\n"), 1):
                    for m in re.finditer(r"mutant_pkg::Sel [!=]= (\d+)", source):
                        where[int(m[1])] = at
                near = max((at for at in where.values() if at <= line), default=None)
                for index in [i for i, n in numbers[file].items() if where.get(n) == near]:
                    del numbers[file][index]
                    dropped.append((file, index))
                if file != name:
                    (tree / file).write_text(text_of(file))
            if len(dropped) == before:
                usage(f"{name}: {done.stderr.strip().splitlines()[0]}")
    return dropped


def readable(files, numbers, text_of, tree):
    """Leaves in `numbers` what the simulator reads; kept for the next run of the same sample."""
    kept = WORK / "dropped.json"
    chosen = {n: sorted(v.items()) for n, v in sorted(numbers.items())}
    digest = records.digest([HERE / "schemata.py", *(ROOT / n for n in files), *ROOT.glob("rtl/pkg/*.sv")], chosen)
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["hash"] == digest:
            for name, index in known["dropped"]:
                del numbers[name][index]
            for name in files:
                text_of(name)
            return known["dropped"]
    # In a tree of its own, so that a file that has not changed keeps its time.
    lint_tree = WORK / "lint"
    shutil.rmtree(lint_tree, ignore_errors=True)
    shutil.copytree(tree / "rtl/pkg", lint_tree / "rtl/pkg")
    for name in files:
        write_if_new(lint_tree / name, files[name].text)
    dropped = lint(lint_tree, text_of, numbers)
    kept.write_text(json.dumps({"hash": digest, "dropped": dropped}))
    return dropped


def judge(bench, number, tests, budget, x_seed):
    spent, tried = 0.0, []
    for test in tests:
        if tried and spent + bench.seconds[test] > budget:
            break
        passed, said, seconds = bench.run(test, number, PATIENCE * bench.seconds[test] + PATIENCE_S, x_seed)
        spent += seconds
        tried.append(test)
        if not passed:
            return {"killed": True, "by": test, "said": said, "seconds": round(spent, 2), "tried": len(tried)}
    return {"killed": False, "seconds": round(spent, 2), "tried": len(tried), "last": tried[-1] if tried else ""}


class Work(typing.NamedTuple):
    """A mutant, its number, the tests that contain its block, what both were made of, and how many to leave out."""

    mutant: schemata.Mutant
    number: int
    tests: list
    base: str
    skip: int = 0


class Results:
    """Runs mutants and keeps what is found."""

    def __init__(self, path, known, options):
        self.path, self.known, self.options = path, known, options

    def run(self, bench, work, budget, x_seed, only=None):
        print(f"{len(work)} to run" + (f", random start values {x_seed}" if x_seed else ""), flush=True)
        with (
            open(self.path, "a", encoding="utf-8") as out,
            concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool,
        ):
            running = {}
            for item in work:
                tests = [t for t in item.tests[item.skip :] if only is None or t in only]
                running[pool.submit(judge, bench, item.number, tests, budget, x_seed)] = item
            for count, future in enumerate(concurrent.futures.as_completed(running), 1):
                item, mutant = running[future], running[future].mutant
                entry = record_of(mutant, future.result())
                entry["tried"] += item.skip
                entry["base"], entry["cycles"], entry["x_seed"] = item.base, self.options.cycles, x_seed
                entry["tests"] = records.digest(test_sources([entry["by"]] if entry["killed"] else item.tests))
                self.known[mutant.key] = entry
                out.write(json.dumps(entry) + "\n")
                out.flush()
                if not entry["killed"] or self.options.mutant:
                    print(
                        f"[{count}/{len(work)}] {'killed' if entry['killed'] else 'SURVIVES'} {mutant.key} "
                        f"{mutant.file}:{mutant.line} {mutant.operator}: {mutant.old} -> "
                        f"{mutant.new or '(none)'} {entry.get('said', '')}",
                        flush=True,
                    )


def record_of(mutant, verdict):
    return {
        "key": mutant.key,
        "file": mutant.file,
        "line": mutant.line,
        "operator": mutant.operator,
        "old": mutant.old,
        "new": mutant.new,
        "context": mutant.context,
        **verdict,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=1200, help="how many; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="FILE", help="blocks (rtl/...)")
    parser.add_argument("--mutant", metavar="KEY", help="this one alone; what its tests say is shown")
    parser.add_argument("--survivors", action="store_true", help="run again what survived so far")
    parser.add_argument(
        "--block-tests",
        action="store_true",
        help="not the tests of the whole RTL: a quick first pass, then --survivors",
    )
    parser.add_argument("--test", action="append", default=[], metavar="NAME", help="these tests alone")
    parser.add_argument("--summary", action="store_true", help="what is known of the sample; runs nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--cycles", type=int, default=0, help="of each lockstep; 0: the tests' own")
    parser.add_argument(
        "--x-seed",
        type=int,
        default=1,
        metavar="SEED",
        help="of the values of what has no reset, for those that nothing else kills",
    )
    parser.add_argument(
        "--budget", type=float, default=90, help="seconds of tests for one mutant, until only survivors are left"
    )
    parser.add_argument("--record", type=pathlib.Path, help="write the numbers here")
    options = parser.parse_args()

    files = {name: schemata.Schemata(ROOT, name) for name in blocks()}
    for name in options.only:
        if name not in files:
            usage(f"--only {name}: no such block; give a file of rtl/, as rtl/root_port/sr_queue.sv")
    chosen = choose(files, options.sample, options.seed, set(options.only))
    numbers, number = {}, 0
    for name in sorted(chosen):
        numbers[name] = {}
        for index in chosen[name]:
            number += 1
            numbers[name][index] = number

    tree = WORK / "tree"
    lay_tree(tree)
    texts = {}

    def text_of(name):
        texts[name] = files[name].rewrite(numbers.get(name, {}))
        return texts[name]

    for name in files:
        if name not in numbers:
            numbers[name] = {}
    dropped = readable(files, numbers, text_of, tree)
    for name in files:
        write_if_new(tree / name, texts[name])
    print(
        f"{sum(len(n) for n in numbers.values())} mutants in {sum(bool(n) for n in numbers.values())} blocks "
        f"of {sum(len(f.candidates) for f in files.values())} there are; {len(dropped)} not readable",
        flush=True,
    )

    results_file = WORK / "results.jsonl"
    known = {}
    if results_file.exists():
        for line in results_file.read_text().splitlines():
            entry = json.loads(line)
            known[entry["key"]] = entry
    if options.summary:
        return summarise(options, files, numbers, known)

    owners = tests_of(files)
    if options.block_tests:
        owners = {name: [t for t in tests if t not in SYSTEM_TESTS] for name, tests in owners.items()}
    if options.test:
        owners = {name: [t for t in tests if t in options.test] for name, tests in owners.items()}
    wanted = sorted({t for name, n in numbers.items() if n for t in owners[name]})
    bench = Bench(tree, options.cycles)
    bench.configure(tree)
    start = time.monotonic()
    bench.make(wanted, options.jobs)
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)
    failed = bench.time_all(wanted)
    if failed:
        usage("; ".join(failed))
    print(f"{len(wanted)} test programs pass without a mutant, {sum(bench.seconds.values()):.0f} s", flush=True)

    equivalent = {e["mutant"]: e for e in equivalents()}
    work = []
    for name in sorted(name for name, chosen in numbers.items() if chosen):
        tests = sorted(owners[name], key=lambda t: (t in SYSTEM_TESTS, f"rtl/{t}.sv" != name, bench.seconds[t]))
        base = records.digest([ROOT / name])
        for index, n in numbers[name].items():
            mutant = files[name].candidates[index]
            entry = known.get(mutant.key)
            item = Work(mutant, n, tests, base)
            if "proof" in equivalent.get(mutant.key, {}):
                item = item._replace(tests=[t for t in tests if t not in SYSTEM_TESTS] or tests)
            if options.mutant:
                if mutant.key == options.mutant:
                    work.append(item)
                continue
            if options.survivors and (mutant.key in equivalent or entry and entry["killed"]):
                continue
            if entry and entry["base"] == base:
                seen_by = [entry["by"]] if entry["killed"] else item.tests
                # What survived all passes, not one that a run ended after.
                done = entry["killed"] or mutant.key in equivalent or entry["x_seed"]
                same = entry["tests"] == records.digest(test_sources(seen_by))
                if same and done and (entry["killed"] or not options.survivors):
                    continue
            work.append(item)
    random.Random(options.seed).shuffle(work)
    if options.survivors:
        work.sort(key=lambda w: min(bench.seconds[t] for t in w.tests) if w.tests else 0)
    results = Results(results_file, known, options)
    results.run(bench, work, options.budget, 0)

    def survived():
        return [w for w in work if not known[w.mutant.key]["killed"] and w.mutant.key not in equivalent]

    results.run(
        bench,
        [
            w._replace(skip=known[w.mutant.key]["tried"])
            for w in survived()
            if known[w.mutant.key]["tried"] < len(w.tests)
        ],
        float("inf"),
        0,
    )
    if left := survived():
        # A test that fails with these values by itself kills nothing.
        sound = {
            t
            for t in {t for w in left for t in w.tests}
            if bench.run(t, 0, PATIENCE * bench.seconds[t] + PATIENCE_S, options.x_seed)[0]
        }
        results.run(bench, left, float("inf"), options.x_seed, sound)
    return summarise(options, files, numbers, known)


def equivalents():
    return yaml.safe_load((HERE / "equivalent.yaml").read_text()) or []


def summarise(options, files, numbers, known):
    equivalent = {e["mutant"]: e for e in equivalents()}
    found = yaml.safe_load((HERE / "found.yaml").read_text()) or []
    keys = {m.key for f in files.values() for m in f.candidates}
    wrong = [f"equivalent.yaml: {k}: no such mutant; the block has changed" for k in equivalent if k not in keys]
    by_block = collections.defaultdict(collections.Counter)
    by_operator = collections.defaultdict(collections.Counter)
    survivors, seconds, missing = [], 0.0, 0
    for name, chosen in numbers.items():
        for index in chosen:
            mutant = files[name].candidates[index]
            entry = known.get(mutant.key)
            if entry is None:
                missing += 1
                continue
            seconds += entry["seconds"]
            if entry["killed"]:
                verdict = "killed"
                if mutant.key in equivalent:
                    wrong.append(f"equivalent.yaml: {mutant.key} was killed by {entry['by']}")
            elif mutant.key in equivalent:
                verdict = "proven" if "proof" in equivalent[mutant.key] else "argued"
            else:
                verdict = "survived"
                survivors.append(entry)
            by_block[name][verdict] += 1
            by_operator[mutant.operator][verdict] += 1
    total = sum((c for c in by_block.values()), collections.Counter())
    for name in sorted(by_block):
        print(f"{name:40} " + "  ".join(f"{k} {v}" for k, v in sorted(by_block[name].items())))
    print("all " + ", ".join(f"{k} {v}" for k, v in sorted(total.items())))
    if options.record:
        record = {
            "date": records.now(),
            "commit": records.commit(),
            "verilator": records.version("verilator", "--version"),
            "seed": options.seed,
            "candidates": sum(len(f.candidates) for f in files.values()),
            "mutants": sum(total.values()),
            "not_run": missing,
            "total": dict(total),
            "seconds": round(seconds),
            "after_whole_system_tests": sum(
                known[m.key].get("last") in SYSTEM_TESTS or known[m.key].get("by") in SYSTEM_TESTS
                for f in files.values()
                for m in f.candidates
                if m.key in known
            ),
            "blocks": {k: dict(v) for k, v in sorted(by_block.items())},
            "operators": {k: dict(v) for k, v in sorted(by_operator.items())},
            "found": [f | {"killed_by": known[f["mutant"]].get("by")} for f in found if f["mutant"] in known],
            "survivors": [
                {k: s.get(k) for k in ("key", "file", "line", "operator", "old", "new", "tried", "last", "cycles")}
                for s in survivors
            ],
        }
        records.replace(options.record, record)
    for message in wrong:
        print(f"mutants: {message}", file=sys.stderr)
    return 1 if survivors or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
