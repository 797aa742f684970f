# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Many runs, several at a time, each in a process of its own kind."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from cxlgpu import _check, _frames
from cxlgpu._error import Error
from cxlgpu._run import Result, Value

if TYPE_CHECKING:
    import pandas

Point: TypeAlias = "dict[str, Value]"
"""Arguments of a run: scenario, engine, seed, machine, trace; any other name is a configuration key."""

_ARGUMENTS = ("scenario", "engine", "seed", "machine", "trace", "command", "configs")


class Sweep:
    """What came of a sweep: `points`, and of each its result or its error (a line; of a run that is not clean, too)."""

    def __init__(self, points: list[Point], results: list[Result | None], errors: list[str | None]) -> None:
        self.points, self.results, self.errors = points, results, errors

    def __len__(self) -> int:
        return len(self.points)

    @property
    def failed(self) -> int:
        """Points that have an error."""
        return sum(error is not None for error in self.errors)

    def frame(self, figures: Iterable[str] | None = None) -> pandas.DataFrame:
        """A row a point: its arguments, `status`, `error`, and its figures or those named.

        frame.attrs["units"] has the unit of each. A point without a result has status "error" and no figures.
        """
        values = [{} if r is None else {name: value for name, value, _ in r.figures()} for r in self.results]
        names = list(dict.fromkeys(itertools.chain.from_iterable(values)))
        if figures is not None:
            wanted = list(figures)
            for name in wanted:
                if name not in names and any(values):
                    raise Error("Sweep.frame", f"no run has a figure {_check.shown(name)}", "see frame().columns")
            names = wanted
        keys = dict.fromkeys(itertools.chain.from_iterable(self.points))
        columns: dict[str, Any] = {key: [point.get(key) for point in self.points] for key in keys}
        columns["status"] = ["error" if r is None else r.status for r in self.results]
        columns["error"] = self.errors
        columns.update({name: [float(row[name]) if name in row else None for row in values] for name in names})
        made = _frames.frame(columns)
        for name in names:
            made[name] = made[name].astype("float64")
        units = {name: unit for r in self.results if r is not None for name, _, unit in r.figures()}
        made.attrs["units"] = {name: units[name] for name in names if name in units}
        return made

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """frame() as Parquet; units and points stand in its metadata, under "cxlgpu"."""
        table = self.frame()
        about = {"units": table.attrs["units"], "points": self.points}
        for key in {key for point in self.points for key in point}:
            if len({type(point.get(key)) for point in self.points}) > 1:  # a column has one type
                table[key] = table[key].map(lambda value: None if value is None else str(value))
        _frames.write("Sweep.to_parquet", table, path, about)


def grid(points: Mapping[str, Any]) -> list[Point]:
    """Every combination, the last name fastest. A value that is no list is the same in all."""
    axes = []
    for name, values in points.items():
        listed = isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping))
        axes.append([(name, value) for value in (values if listed else [values])])
    return [dict(point) for point in itertools.product(*axes)]


def _checked(at: int, given: object) -> Point:
    where = f"sweep: point {at}"
    if not isinstance(given, Mapping):
        raise Error(where, f"{_check.shown(given)} is no dict", "give {'scenario': 'vadd-znand-sr', 'gpu.cores': 2}")
    point: Point = {}
    for key, value in given.items():
        name = _check.text(where, "key", key)
        if isinstance(value, os.PathLike):
            value = _check.path(where, name, value)
        elif not isinstance(value, (str, bool, int, float)):
            try:
                value = value.item()  # numpy's
            except (AttributeError, TypeError, ValueError):
                wrong = f"'{name}': {_check.shown(value)} is no value"
                raise Error(where, wrong, "give a str, a number or a bool") from None
        point[name] = value
    if "scenario" not in point:
        raise Error(where, "has no scenario", "give one")
    return point


class _Worker:
    """A process that runs one point after the other."""

    def __init__(self) -> None:
        package = str(pathlib.Path(__file__).parents[1])
        before = os.environ.get("PYTHONPATH")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cxlgpu._worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": package + (os.pathsep + before if before else "")},
            text=True,
            start_new_session=True,  # Ctrl-C is for the sweep, which ends them
        )

    def run(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """None: the process has gone."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(arguments) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            return dict(json.loads(line)) if line else None
        except (OSError, ValueError):
            return None

    def end(self) -> str:
        """How it ended."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        status = self._process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def ended(self) -> str:
        """Of one that has gone."""
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            pass
        return self.end()


def sweep(
    points: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    *,
    jobs: int | None = None,
) -> Sweep:
    """Runs every point: a dict each, or one dict of lists whose combinations are the points.

    scenario, engine, seed, machine, trace, command and configs of a point are those of run(); any other name is a
    configuration key. `jobs`: how many at a time, each in a process of its own; left out: one a core. A point that
    fails, or whose process dies, keeps its message, and the sweep goes on.
    """
    most = len(os.sched_getaffinity(0)) if jobs is None else _check.number("sweep", "jobs", jobs, 1, 4096)
    if isinstance(points, Mapping):
        points = grid(points)
    elif isinstance(points, (str, bytes)) or not isinstance(points, Iterable):
        raise Error("sweep", f"points {_check.shown(points)} are no list", "give a list of dicts, or a dict of lists")
    all_points = [_checked(at, point) for at, point in enumerate(points)]
    results: list[Result | None] = [None] * len(all_points)
    errors: list[str | None] = [None] * len(all_points)
    idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
    workers: list[_Worker] = []

    def one(at: int) -> None:
        arguments: dict[str, Any] = {"settings": {}}
        for name, value in all_points[at].items():
            (arguments if name in _ARGUMENTS else arguments["settings"])[name] = value
        try:
            worker = idle.get_nowait()
        except queue.Empty:
            worker = _Worker()
            workers.append(worker)
        said = worker.run(arguments)
        if said is None:
            errors[at] = str(Error(f"sweep: point {at}", f"its process ended with {worker.ended()}", "run it alone"))
            return
        idle.put(worker)
        if "error" in said:
            errors[at] = said["error"]
            return
        results[at] = Result(said["stats"], said["status"], tuple(said["problems"]), tuple(said["notes"]))
        if said["status"] != "clean":
            errors[at] = said["problems"][0] if said["problems"] else said["status"]

    pool = concurrent.futures.ThreadPoolExecutor(max(1, min(most, len(all_points))))
    try:
        for done in [pool.submit(one, at) for at in range(len(all_points))]:
            done.result()
    finally:
        for worker in list(workers):
            worker.end()
        pool.shutdown(cancel_futures=True)
    return Sweep(all_points, results, errors)
