# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Sweep files of eval/sweeps, and others, run by `cxlgpu sweep`; their points as its database has them.

A study may change a file before it is run: other scenarios, more keys. What was run is OUT/sweep.yaml.
"""

import collections
import json
import pathlib
import shlex
import sqlite3
import subprocess
import sys

import yaml

FILES = pathlib.Path(__file__).resolve().parent / "sweeps"


def load(name):
    """The sweep file of this name."""
    return yaml.safe_load((FILES / f"{name}.yaml").read_text())


class Point:
    """A point: `settings` by key, as written, and point["loads.mean"], the value of a figure."""

    def __init__(self, folder, scenario):
        self.folder, self.scenario, self.settings, self.figures = folder, scenario, {}, {}

    def __getitem__(self, path):
        return self.figures[path]

    def over_ports(self, path):
        """Sum over the ports of a list in stats.json: path is its name, then that of the figure."""
        of, name = path.rsplit(".", 1)
        parts = (figure.rsplit(".", 2) for figure in self.figures)
        return sum(
            self.figures[".".join(part)]
            for part in parts
            if len(part) == 3 and part[0] == of and part[1].isdigit() and part[2] == name
        )

    def config(self):
        """The whole configuration of its run."""
        return json.loads((self.folder / "stats.json").read_text())["config"]


def end(text, status):
    print(text.strip().split("\n")[-1], file=sys.stderr)
    sys.exit(status)


def run(cxlgpu, out, sweep, jobs):
    """Runs the points that `out` has not yet; all of them in the file's order. Ends the script by one line and exit 2
    if something given was wrong, and if a run was not clean."""
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    file = out / "sweep.yaml"
    file.write_text(yaml.safe_dump(sweep, sort_keys=False))
    command = [cxlgpu, "sweep", str(file), "--out", str(out), "--jobs", str(jobs), "--no-reports", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        end(done.stderr or f"{shlex.join(command)}: exit {done.returncode}", 2)
    with sqlite3.connect(out / "sweep.sqlite") as database:
        bad = database.execute(
            "select message, exit, command from points where number is not null and status != 'clean' order by number"
        ).fetchone()
        if bad:
            message, status, replay = bad
            end(message if status == 2 else f"{replay}: exit {status}: {message}", 2 if status == 2 else 1)
        points = {}
        for row, scenario, folder in database.execute(
            "select row, scenario, folder from points where number is not null order by number"
        ):
            points[row] = Point(out / folder, scenario)
        for row, key, value, number in database.execute("select point, key, value, number from settings"):
            points[row].settings[key] = value if number is None else number
        for row, path, value in database.execute(
            "select point, path, value from numbers join figures on figures.row = figure"
        ):
            if row in points:
                points[row].figures[path] = value
    return list(points.values())


def by_scenario(points):
    """Points of each scenario, in their order."""
    of = collections.defaultdict(list)
    for point in points:
        of[point.scenario].append(point)
    return of
