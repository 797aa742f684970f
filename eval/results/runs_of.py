# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The runs that `make results` left, by what they are of."""

import csv
import math
import pathlib
import sys

import points

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import runs  # noqa: E402

NOT_RUN = math.nan  # a figure of a run that is missing, if one may be


class MissingRun(Exception):
    pass


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else NOT_RUN


def arithmetic_mean(values):
    values = list(values)
    return sum(values) / len(values) if values else NOT_RUN


def hit_rate(stats):
    """Of demand accesses at the internal DRAM, percent, over all endpoints."""
    ports = stats["internal_dram_counters"]
    hits = sum(port["demand_hits"]["value"] for port in ports)
    misses = ("demand_merges", "demand_fills", "opened")  # `opened` is younger than the others
    others = sum(port[k]["value"] for port in ports for k in misses if k in port)
    return 100 * hits / (hits + others) if hits + others else 0.0


def answered_here(stats):
    """Stores that deterministic store answered from GPU memory, percent of all."""
    ports, stores = stats["deterministic_store"], stats["stores"]["count"]["value"]
    here = sum(port[kind]["value"] for port in ports for kind in ("direct", "deferred", "in_place"))
    return 100 * here / stores if stores else 100.0


class Folder:
    """stats.json of runs by their path, read once. The script ends with a line if one is not clean, or is missing; if
    `partial`, it raises MissingRun instead and keeps what was missing."""

    def __init__(self, folder, partial=False):
        self.folder, self.partial, self.kept, self.missing = pathlib.Path(folder), partial, {}, set()

    def read(self, path):
        if path not in self.kept:
            self.kept[path] = self._load(path)
        return self.kept[path]

    def _load(self, path):
        file = self.folder / path / "stats.json"
        if not file.exists():
            if self.partial:
                self.missing.add(path)
                raise MissingRun(path)
            sys.exit(f"{file}: no such run; `make results` makes it")
        stats = runs.read(file)
        if stats["status"] != "clean":
            sys.exit(f"{file}: the run is {stats['status']}")
        return stats

    def time(self, path):
        """End to end, in us; NOT_RUN if it is missing and may be."""
        try:
            return self.read(path)["end_to_end"]["value"] / 1e3
        except MissingRun:
            return NOT_RUN


class Runs:
    """Those of one machine of the matrix, under one of its ranges. `part` says which: main, media or pattern."""

    def __init__(self, folder, matrix, machine, variant=()):
        self.folder, self.matrix, self.variant = folder, matrix, variant
        self.machine = points.Machine(matrix, machine)

    def path(self, workload, media, configuration, part="main"):
        settings = {
            "main": lambda: self.machine.main(workload, configuration, self.variant),
            "media": lambda: self.machine.by_media(workload, configuration, self.variant),
            "pattern": lambda: self.machine.pattern(configuration, self.variant),
            "collection": lambda: self.machine.collection(configuration, self.variant),
        }[part]()
        return points.run("model", workload, media, configuration, settings)

    def stats(self, *what, **more):
        return self.folder.read(self.path(*what, **more))

    def time(self, *what, **more):
        return self.folder.time(self.path(*what, **more))

    def ratio(self, workload, media, of, over, part="main"):
        """Time with configuration `of` over that with `over`."""
        return self.time(workload, media, of, part) / self.time(workload, media, over, part)

    def speed_up(self, workload, media, configuration, over, part="main"):
        return self.ratio(workload, media, over, configuration, part)

    def hit_rate(self, *what, **more):
        try:
            return hit_rate(self.stats(*what, **more))
        except MissingRun:
            return NOT_RUN

    def variants(self, media):
        """The same machine at each point of its ranges; itself first."""
        return [self] + [Runs(self.folder, self.matrix, self.machine.name, v) for v in self.machine.variants(media)]

    def range(self, media, value):
        """Least and greatest of value(runs) over the ranges; None without ranges, or if none was run."""
        found = [value(one) for one in self.variants(media)]
        known = [one for one in found if not math.isnan(one)]
        return (min(known), max(known)) if len(found) > 1 and known else None


def plain_cxl(file):
    """End to end of plain CXL as it was, in us, by workload and size (0: reduced). Columns: workload, size, us."""
    found = {}
    with open(file, encoding="utf-8") as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            try:
                key = row["workload"], 0 if row["size"] in ("", "reduced") else int(row["size"])
                value = float(row["us"])
            except (KeyError, TypeError, ValueError):
                sys.exit(f"{file}: '{row}' has no workload, size and us")
            if key in found:
                sys.exit(f"{file}: {key[0]} of size {key[1]} is there twice")
            found[key] = value
    return found
