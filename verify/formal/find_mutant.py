#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Finds for each proof without a mutant one that makes it fail, and writes it into jobs.yaml.

Tries mutants of the job's block (verify/mutation/schemata.py) in an order drawn from the seed, each
with a short bounded check, until one has a counterexample. A harness names the block to put it in:
`mutant: {file: rtl/...}`. What makes a proof fail shows that it can.

  verify/formal/find_mutant.py [--only NAME]... [--seed N] [--tries N]

Exit status: 0 every chosen job has one; 1 none found for some; 2 wrong usage.
"""

import argparse
import pathlib
import random
import sys

import yaml
from run import HERE, ROOT, Job, Schemata

SECONDS = 20  # of a try


def search(job, seed, tries):
    file = job.faulty or job.block
    candidates = [c.key for c in Schemata(ROOT, file).candidates]
    random.Random(f"{seed} {job.name}").shuffle(candidates)
    folder = job.folder / "mutant"
    for count, key in enumerate(candidates[:tries], 1):
        try:
            job.write(folder, {"file": file, "key": key})
            job.netlist(folder, "net")
        except (RuntimeError, ValueError):
            continue
        found, frame = job.prove(folder, "net", "step" if job.method == "step" else "bmc", max(job.depth, 30), SECONDS)
        if found == "fails":
            print(f"{job.name}: {job.mutant_text} fails at {frame} (try {count})", flush=True)
            return {"file": file, "key": key}
    print(f"{job.name}: none of {min(tries, len(candidates))} fails", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=25)
    options = parser.parse_args()
    path = HERE / "jobs.yaml"
    missing = 0
    for entry in yaml.safe_load(path.read_text()):
        job = Job(entry)
        if job.mutant or (options.only and not any(o in job.name for o in options.only)):
            continue
        mutant = search(job, options.seed, options.tries)
        if mutant is None:
            missing += 1
            continue
        insert(path, job.name, mutant)
    return 1 if missing else 0


def insert(path, name, mutant):
    """After the last line of the job's entry, so that comments and order stay."""
    lines = path.read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("- ")] + [len(lines)]
    for start, end in zip(starts, starts[1:]):
        if Job(yaml.safe_load("\n".join(lines[start:end]))[0]).name == name:
            while end > start and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
                end -= 1
            entry = [x for x in lines[start:end] if not x.startswith("  mutant:")]
            key = mutant["key"]  # some keys read as numbers
            key = key if isinstance(yaml.safe_load(key), str) else f"'{key}'"
            entry.append(f"  mutant: {{file: {mutant['file']}, key: {key}}}")
            lines[start:end] = entry
            break
    temporary = pathlib.Path(f"{path}.tmp")
    temporary.write_text("\n".join(lines) + "\n")
    temporary.rename(path)


if __name__ == "__main__":
    sys.exit(main())
