#!/usr/bin/env python3
"""Runs the fuzz targets and keeps account: processor hours, executions, findings.

  tests/fuzz/run.py --minutes 10                 # each target for ten minutes of its processor's time
  tests/fuzz/run.py --minutes 60 --target flits  # one

Needs build/fuzz (`make fuzz` builds it with clang). What a run finds new goes minimised into
tests/fuzz/corpus/TARGET; a crash is written to build/fuzz/found/TARGET-*, named in the record, and stays
there until the target no longer fails on it. Hours count for the target's source as it is: when it
changes, they begin anew.

Exit status: 0 nothing found; 1 a finding; 2 wrong usage or nothing built.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build/fuzz"
RECORD = ROOT / "docs/trust/fuzz.json"
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=1024", "-timeout=20"]


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(target, minutes, seed):
    program, corpus = BUILD / "bin" / f"fuzz_{target}", HERE / "corpus" / target
    work, found = BUILD / "corpus" / target, BUILD / "found"
    for folder in (corpus, work, found):
        folder.mkdir(parents=True, exist_ok=True)
    before = children_seconds()
    done = subprocess.run(
        [str(program), str(work), str(corpus), f"-max_total_time={round(minutes * 60)}", f"-seed={seed}",
         f"-artifact_prefix={found}/{target}-", "-print_final_stats=1", "-max_len=8192", *LIMITS],
        capture_output=True, text=True, errors="replace")
    (BUILD / f"{target}.log").write_text(done.stdout + done.stderr)
    count = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    seconds = children_seconds() - before
    subprocess.run([str(program), "-merge=1", str(corpus), str(work), *LIMITS], capture_output=True)
    return done.returncode, int(count[1]) if count else 0, seconds


def still_fails(target, file):
    program = BUILD / "bin" / f"fuzz_{target}"
    return subprocess.run([str(program), str(file), *LIMITS], capture_output=True).returncode != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--seed", type=int, default=0, help="0: libFuzzer draws one")
    options = parser.parse_args()
    targets = sorted(f.name.removesuffix("_fuzz.cpp") for f in HERE.glob("*_fuzz.cpp"))
    for target in options.target:
        if target not in targets:
            print(f"fuzz: --target {target}: there are {', '.join(targets)}", file=sys.stderr)
            return 2
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"targets": {}}
    worst = 0
    for target in options.target or targets:
        if not (BUILD / "bin" / f"fuzz_{target}").exists():
            print(f"fuzz: build/fuzz/bin/fuzz_{target} is not there; make fuzz builds it", file=sys.stderr)
            return 2
        source = hashlib.sha256((HERE / f"{target}_fuzz.cpp").read_bytes()).hexdigest()[:12]
        entry = record["targets"].get(target)
        if entry is None or entry["source"] != source:
            entry = {"source": source, "hours": 0.0, "executions": 0}
        status, executions, seconds = run(target, options.minutes, options.seed)
        findings = [f.name for f in sorted((BUILD / "found").glob(f"{target}-*")) if still_fails(target, f)]
        entry["hours"] = round(entry["hours"] + seconds / 3600, 4)
        entry["executions"] += executions
        entry["corpus"] = len(list((HERE / "corpus" / target).iterdir()))
        entry["findings"] = len(findings)
        record["targets"][target] = entry
        worst = max(worst, 1 if status or findings else 0)
        print(f"{target}: {seconds:.0f} s, {executions} executions, corpus {entry['corpus']}, in all "
              f"{entry['hours']:.2f} h; " + (f"build/fuzz/found: {', '.join(findings)}" if findings else "nothing found"),
              flush=True)
        git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        record |= {"date": datetime.date.today().isoformat(), "commit": git.stdout.strip()}
        RECORD.parent.mkdir(parents=True, exist_ok=True)
        temporary = RECORD.with_suffix(".tmp")
        temporary.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
        temporary.rename(RECORD)
    return worst


if __name__ == "__main__":
    sys.exit(main())
