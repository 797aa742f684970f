# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of the cxlgpu command and the stats.json that they leave, for the scripts of this project.

stats.json has schema 2. For one release (0.2) a file of schema 1 is read with the names of schema 2, and a script
may use an old name; both say so in one line on standard error. What has another unit as well has no old name.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

SCHEMAS = (1, 2)

# Schema 1 had the number.
POLICIES = ("off", "naive", "dyn", "sr-paper", "sr", "stream")

KINDS = {"load, fill under way": "load, merged with a fill"}

# By object of stats.json: names of schema 1 and of schema 2, of the same meaning and unit.
RENAMED = {
    "memspecrd": {"asked": "requested", "useful": "useful_lines", "late": "late_lines"},
    "memspecrd.root_ports": {
        "suppressed_by_ring": "ring_suppressed",
        "suppressed_by_halt": "halt_suppressed",
        "suppressed_by_score": "score_suppressed",
        "useful": "useful_granules",
        "useless": "useless_granules",
        "late": "issued_late",
    },
    "internal_dram_lookups": {"fill_under_way": "merge"},
    "internal_dram_counters": {"unwanted": "spec_evicted_unused", "displaced": "spec_displaced"},
    "deterministic_store": {
        "hit": "load_hit",
        "merge": "load_merged",
        "false": "filter_false",
        "full": "no_slot",
        "error": "write_errors",
        "peak_pending": "peak_deferred",
    },
}

# Old name, in bytes; new name and its unit. Schema 2 has no bytes, and a file of schema 1 no other unit.
OTHER_UNIT = {
    "memspecrd.root_ports": {
        "asked": ("requested", "granules of 256 B"),
        "used": ("lines_used", "lines of 64 B"),
    }
}

said, saying = set(), threading.Lock()


def note(line):
    """On standard error, each line once."""
    with saying:
        if line not in said:
            said.add(line)
            print(line, file=sys.stderr)


class Counters(dict):
    """An object of stats.json. A name that it lacks is looked up among the old ones."""

    def __init__(self, values, where, file):
        super().__init__(values)
        self.where, self.file = where, file

    def __missing__(self, name):
        new = RENAMED.get(self.where, {}).get(name)
        if new in self:
            note(f"{self.file}: {self.where}: '{name}' is an old name; write '{new}'")
            return self[new]
        for old, (new, unit) in OTHER_UNIT.get(self.where, {}).items():
            if name == old:
                sys.exit(f"{self.file}: {self.where}: '{old}' was in bytes; use '{new}', {unit}")
            if name == new and old in self:
                sys.exit(f"{self.file}: {self.where}: '{new}' ({unit}) is '{old}' in bytes in schema 1; run again")
        raise KeyError(name)


def with_names(stats, file):
    """What a stats.json holds, by the names of schema 2."""
    schema = stats.get("schema") if isinstance(stats, dict) else None
    if schema not in SCHEMAS:
        sys.exit(f"{file}: schema {schema} is not known; use a stats.json of schema {' or '.join(map(str, SCHEMAS))}")
    old = schema == 1
    if old:
        note(f"{file}: schema 1, read with the names of schema 2; a new run writes them")
        stats["policy"] = POLICIES[stats["policy"]]
        for entry in stats.get("kinds", []) + stats.get("series", {}).get("latency", []):
            entry["kind"] = KINDS.get(entry["kind"], entry["kind"])

    def named(part, where):
        if isinstance(part, list):
            return [named(entry, where) for entry in part]
        if part is None:
            return None
        renamed = RENAMED[where] if old else {}
        return Counters({renamed.get(name, name): value for name, value in part.items()}, where, file)

    for where in sorted(RENAMED):  # an object before what is in it
        *path, last = where.split(".")
        parent = stats
        for name in path:
            parent = parent.get(name, {})
        if last in parent:
            parent[last] = named(parent[last], where)
    return stats


def read(file):
    """stats.json of this path; ends the script with one line if it is none."""
    try:
        stats = json.loads(pathlib.Path(file).read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{file}: {error}; give the stats.json of a run")
    return with_names(stats, file)


def call(command, fails=()):
    """Runs it and gives what it printed. If it fails, but by `fails`, ends the script: with the command and what it
    printed, or as the command itself does, by its line and exit 2, if it was given something wrong."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2 and 2 not in fails:
        note(done.stderr.rstrip("\n"))  # once, if several runs at a time are given it
        sys.exit(2)
    if done.returncode != 0 and done.returncode not in fails:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def stats(cxlgpu, scenario, engine, *options, fails=()):
    """stats.json of `cxlgpu run`. `fails`: exit statuses that leave one too, 3 at run.limit_us."""
    with tempfile.TemporaryDirectory() as out:
        call([cxlgpu, "run", scenario, "--engine", engine, "--out", out, *options], fails)
        return read(pathlib.Path(out) / "stats.json")


class Pool:
    """Runs of the model by their keys, each once, as many at a time as `pool`, an executor, has workers."""

    def __init__(self, pool, cxlgpu, extra):
        self.pool, self.cxlgpu, self.extra, self.made = pool, cxlgpu, extra, {}

    def once(self, key, make, *arguments):
        """A future of make(*arguments), the one of before for the same key."""
        if key not in self.made:
            self.made[key] = self.pool.submit(make, *arguments)
        return self.made[key]

    def run(self, scenario, part, fails=(), **keys):
        """A future of the object `part` of stats.json. A key's dot is two underscores; `fails` as of stats()."""
        sets = sorted((name.replace("__", "."), str(value)) for name, value in keys.items())
        options = [word for name, value in sets for word in ("--set", f"{name}={value}")]
        return self.once((scenario, part, *options), self.one, scenario, part, fails, [*self.extra, *options])

    def one(self, scenario, part, fails, options):
        return stats(self.cxlgpu, scenario, "model", "--no-report", "-q", *options, fails=fails)[part]


def study_options(doc, part, parts):
    """The parser of a study that writes a page: --`part` names some of its `parts`."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument(f"--{part}", action="append", choices=parts, help="may be repeated; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--page", type=pathlib.Path, help="page in which to renew the tables")
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    return parser
