# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""A scenario from its configuration to its figures."""

from __future__ import annotations

import difflib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from cxlgpu import _check, _core, _frames
from cxlgpu._error import Error, RunFailed

if TYPE_CHECKING:
    import pandas

Value: TypeAlias = "str | int | float | bool"
"""Of a configuration key."""
Status: TypeAlias = Literal["clean", "wrong", "limit"]

_STATUS: dict[int, Status] = {0: "clean", 1: "wrong", 2: "wrong", 3: "limit"}
ENGINES = ("model", "rtl", "cosim")


def configs() -> pathlib.Path:
    """The package's own configurations: system/, machines/, gpu/, media/, scenarios/."""
    return pathlib.Path(__file__).parent / "configs"


def config_folder(where: str, given: object) -> str:
    folder = _check.path(where, "configs", given) or os.environ.get("CXLGPU_CONFIGS") or str(configs())
    try:
        there = (pathlib.Path(folder) / "media").is_dir()
    except OSError:
        there = False
    if not there:
        raise Error(folder, "has no media/ folder", "give the configuration folder as configs")
    return folder


def _figures(name: str, node: Any) -> Iterator[tuple[str, float, str]]:
    if isinstance(node, dict):
        if node.keys() == {"value", "unit"}:
            if isinstance(node["value"], (int, float)):
                yield name, node["value"], node["unit"]
            return
        for key, child in node.items():
            yield from _figures(f"{name}.{key}" if name else key, child)
    elif isinstance(node, list):
        for at, child in enumerate(node):
            yield from _figures(f"{name}.{at}", child)


class Result:
    """What a run came to.

    `stats`: stats.json. `status`: clean, wrong (a mismatch, wrong data) or limit (run.limit_us was reached).
    `problems`, `notes`: a line each. result["loads.mean"] is the value of a figure.
    """

    def __init__(
        self,
        stats: dict[str, Any],
        status: Status,
        problems: tuple[str, ...] = (),
        notes: tuple[str, ...] = (),
        requests: dict[str, bytes] | None = None,
    ) -> None:
        self.stats, self.status, self.problems, self.notes = stats, status, problems, notes
        self._requests = requests

    def __repr__(self) -> str:
        return f"Result({self.scenario!r}, engine={self.engine!r}, status={self.status!r})"

    @property
    def scenario(self) -> str:
        return str(self.stats["scenario"])

    @property
    def engine(self) -> str:
        return str(self.stats["engine"])

    @property
    def seed(self) -> int:
        return int(self.stats["seed"])

    def figures(self) -> list[tuple[str, float, str]]:
        """Every figure of stats.json: its name with dots, value, unit."""
        return list(_figures("", self.stats))

    def __getitem__(self, name: str) -> float:
        values = {figure: value for figure, value, _ in self.figures()}
        if not isinstance(name, str) or name not in values:
            near = difflib.get_close_matches(str(name)[:80], values, 1)
            remedy = f"did you mean '{near[0]}'?" if near else "figures() has their names"
            raise Error(self.scenario, f"has no figure {_check.shown(name)}", remedy)
        return values[name]

    def frame(self) -> pandas.DataFrame:
        """A row a figure: name, value, unit."""
        rows = self.figures()
        return _frames.frame(
            {
                "name": [name for name, _, _ in rows],
                "value": [float(value) for _, value, _ in rows],
                "unit": [unit for _, _, unit in rows],
            }
        )

    def requests(self) -> pandas.DataFrame:
        """A row a request behind the GPU's caches, in the order of the answers; times in picoseconds.

        `lookup`: of the endpoint's internal DRAM. `sys_respond_ps` and so on: time in each stage, which add up to
        `latency_ps`; 0 for one that was not passed.
        """
        if self._requests is None:
            raise Error("Result.requests", "requests were not recorded", "run(..., requests=True)")
        made: dict[str, Any] = {}
        for name, shape in _core.request_columns():
            column = self._requests[name]
            if shape == "number":
                made[name] = _frames.numbers(column, "u8")
            elif shape == "flag":
                made[name] = _frames.numbers(column, "i1") != 0
            elif shape == "lookup":
                made[name] = _frames.names(column, _core.lookup_names())
            else:
                made[name] = _frames.numbers(column, "i1")
        return _frames.frame(made)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """frame() as Parquet; stats.json as a whole stands in its metadata, under "cxlgpu"."""
        _frames.write("Result.to_parquet", self.frame(), path, self.stats)


def run(
    scenario: str | os.PathLike[str],
    engine: str = "model",
    settings: Mapping[str, Value] | None = None,
    *,
    seed: int | None = None,
    machine: str | os.PathLike[str] | None = None,
    trace: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    requests: bool = False,
    check: bool = True,
    configs: str | os.PathLike[str] | None = None,
    command: str | os.PathLike[str] | None = None,
) -> Result:
    """Runs a scenario, as `cxlgpu run` does: <workload>-<media>-<configuration>, or a YAML file.

    `settings`: configuration keys over it. `machine`: the hardware, by name or file. `trace`: replayed instead of the
    workload. `out`: folder for stats.json and report.html. `requests`: kept, a row each, for Result.requests().
    `check`: a run that is not clean raises RunFailed, which has the result.

    Engine model runs in this process, without the interpreter's lock. The wheel has no RTL: engines rtl and cosim run
    `command`, or the `cxlgpu` on PATH.
    """
    where = "run"
    if not isinstance(engine, str) or engine not in ENGINES:
        raise Error(where, f"engine {_check.shown(engine)} is not known", f"use one of {', '.join(ENGINES)}")
    name = _check.path(where, "scenario", scenario)
    sets = _check.settings(where, settings)
    seed_text = "" if seed is None else str(_check.number(where, "seed", seed))
    files = {
        "--machine": _check.path(where, "machine", machine),
        "--trace": _check.path(where, "trace", trace),
        "--seed": seed_text,
    }
    folder = _check.path(where, "out", out)
    keep = _check.flag(where, "requests", requests)
    raise_failed = _check.flag(where, "check", check)
    words = ["run", name, "--engine", engine]
    for one in sets:
        words += ["--set", one]
    for option, value in files.items():
        words += [option, value] if value else []
    if engine == "model":
        made = _core.run(
            name,
            sets,
            seed_text,
            files["--machine"],
            files["--trace"],
            config_folder(where, configs),
            folder,
            shlex.join(["cxlgpu", *words, *(["--out", folder] if folder else [])]),
            keep,
        )
        result = Result(
            json.loads(made["stats"]),
            _STATUS[made["status"]],
            tuple(made["problems"]),
            tuple(made["notes"]),
            made["requests"],
        )
    else:
        if keep:
            raise Error(where, f"requests are not recorded of engine {engine}", "leave it out, or use engine model")
        if configs is not None:
            words = ["--configs", _check.path(where, "configs", configs), *words]
        result = _by_command(engine, _check.path(where, "command", command), words, folder)
    if raise_failed and result.status != "clean":
        raise RunFailed(result)
    return result


def _by_command(engine: str, given: str, words: list[str], out: str) -> Result:
    program = shutil.which(given or "cxlgpu")
    if program is None:
        raise Error(
            "run",
            f"engine {engine} takes the RTL, which the wheel has not, and there is no command {given or 'cxlgpu'}",
            "build it, and give its path as command, or put it on PATH",
        )
    with tempfile.TemporaryDirectory(prefix="cxlgpu_") as scratch:
        folder = out or scratch
        done = subprocess.run([program, *words, "--quiet", "--out", folder], capture_output=True, text=True)
        lines = tuple(line for line in done.stderr.splitlines() if line)
        if done.returncode not in (0, 1, 3):
            raise Error(*_parts(lines[-1] if lines else f"{program}: ended with exit status {done.returncode}"))
        stats = json.loads((pathlib.Path(folder) / "stats.json").read_text())
    return Result(stats, _STATUS[done.returncode], lines)


def _parts(line: str) -> tuple[str, str, str]:
    """WHERE: WRONG; REMEDY, taken apart."""
    where, colon, rest = line.partition(": ")
    if not colon:
        where, rest = "", line
    wrong, semicolon, remedy = rest.rpartition("; ")
    return (where, wrong, remedy) if semicolon else (where, rest, "")
