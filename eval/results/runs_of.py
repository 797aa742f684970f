# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The runs that `make results` left, by what they are of."""

import math
import pathlib
import sys

import points

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import runs  # noqa: E402


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class Runs:
    """stats.json of the matrix' runs; the script ends with a line if one is missing or not clean."""

    def __init__(self, folder, matrix):
        self.folder, self.matrix, self.kept = pathlib.Path(folder), matrix, {}

    def _read(self, path):
        if path not in self.kept:
            self.kept[path] = self._load(path)
        return self.kept[path]

    def _load(self, path):
        file = self.folder / path / "stats.json"
        if not file.exists():
            sys.exit(f"{file}: no such run; `make results` makes it")
        stats = runs.read(file)
        if stats["status"] != "clean":
            sys.exit(f"{file}: the run is {stats['status']}")
        return stats

    def stats(self, workload, media, configuration, settings=None, engine="model"):
        """Of the main matrix' run, unless `settings` are given."""
        if settings is None:
            settings = points.main_settings(self.matrix, workload)
        return self._read(points.run(engine, workload, media, configuration, settings))

    def time(self, *what, **more):
        """End to end, in us."""
        return self.stats(*what, **more)["end_to_end"]["value"] / 1e3

    def ratio(self, workload, media, of, over, settings=None):
        """Time with configuration `of` over that with `over`."""
        return self.time(workload, media, of, settings) / self.time(workload, media, over, settings)

    def speed_up(self, workload, media, configuration, over, settings=None):
        return self.ratio(workload, media, over, configuration, settings)

    def hit_rate(self, workload, media, configuration, settings=None):
        """Of demand accesses at the internal DRAM, percent, over all endpoints."""
        ports = self.stats(workload, media, configuration, settings)["internal_dram_counters"]
        hits = sum(port["demand_hits"]["value"] for port in ports)
        others = sum(port[k]["value"] for port in ports for k in ("demand_merges", "demand_fills"))
        return 100 * hits / (hits + others) if hits + others else 0.0
