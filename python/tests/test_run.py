# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""run(): the figures of the command, all of them; tables, files, engines, failures."""

import json
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import cxlgpu
import pandas
import pyarrow.parquet
import pytest
from conftest import CommandRun, begun

SMALL = {"workload.size": 512}


def same(stats: dict[str, Any]) -> dict[str, Any]:
    """Without what two runs of the same differ in: how long they took, the words, the commit."""
    kept = {key: value for key, value in stats.items() if key not in ("wall", "command", "version")}
    kept["version"] = stats["version"]["project"]
    return kept


@pytest.mark.parametrize(
    "scenario",
    ["vadd-znand-sr", "bfs-dram-cxl", "vadd-znand-ds", "vadd-znand-uvm", "vadd-znand-gds", "vadd-dram-gpu-dram"],
)
def test_every_figure_is_the_commands(scenario: str, command_run: CommandRun) -> None:
    result = cxlgpu.run(scenario, settings=SMALL, seed=7)
    stats = command_run(scenario, "--engine", "model", "--seed", 7, "--set", "workload.size=512")
    assert same(result.stats) == same(stats)
    assert result.status == "clean" and not result.problems
    assert (result.scenario, result.engine, result.seed) == (scenario, "model", 7)


def test_the_seed_and_the_settings_count() -> None:
    a = cxlgpu.run("vadd-znand-sr", settings=SMALL)
    b = cxlgpu.run("vadd-znand-sr", settings={**SMALL, "link.lanes": 4, "root_port.ds": True})
    assert a["end_to_end"] != b["end_to_end"]
    assert b.stats["config"]["link"]["lanes"] == 4 and b.stats["config"]["root_port"]["ds"] is True
    walks = [cxlgpu.run("btree-dram-cxl", settings=SMALL, seed=seed)["end_to_end"] for seed in (1, 1, 2)]
    assert walks[0] == walks[1] != walks[2]


def test_a_yaml_file_a_machine_and_a_trace(tmp_path: pathlib.Path, command_run: CommandRun) -> None:
    yaml, trace = tmp_path / "own.yaml", tmp_path / "own.csv"
    yaml.write_text("media:\n  part: znand\nworkload:\n  name: trace\n")
    trace.write_text(
        "cycle,rw,addr,bytes\n" + "".join(f"{9 * i},{'RW'[i % 3 == 0]},{64 * (i * 37 % 512)},64\n" for i in range(900))
    )
    result = cxlgpu.run(yaml, trace=trace, requests=True)
    stats = command_run(yaml, "--trace", trace, "--engine", "model")
    assert same(result.stats) == same(stats)
    assert len(result.requests()) == 900
    other = cxlgpu.run("vadd-dram-cxl", settings=SMALL, machine="scaled")
    assert other.stats["machine"]["name"] == "scaled"


def test_requests_are_a_row_each_and_add_up() -> None:
    result = cxlgpu.run("vadd-znand-sr", settings={"workload.size": 4096}, requests=True)
    rows = result.requests()
    loads, stores = rows[~rows.is_write], rows[rows.is_write]
    assert len(loads) == result["loads.count"] > 100
    assert len(stores) == result["stores.count"] > 10
    assert round(result["loads.mean"] * 1000) == pytest.approx(loads.latency_ps.mean(), abs=1)
    assert result["loads.max"] * 1000 == pytest.approx(loads.latency_ps.max())
    assert result["loads.p50"] * 1000 == pytest.approx(loads.latency_ps.quantile(0.5, "nearest"), rel=0.01)
    stages = [f"{stage}_ps" for stage in cxlgpu.STAGES]
    assert (rows[stages].sum(axis=1) == rows.latency_ps).all()
    assert (rows.latency_ps == rows.answered_ps - rows.submitted_ps).all()
    assert set(rows.port) == {0, 1} and not rows.error.any()
    assert set(rows.lookup.dropna()) <= {"bypass", "hit", "miss", "merge"}
    assert rows.answered_ps.is_monotonic_increasing


def test_requests_are_the_commands_events(command: pathlib.Path, tmp_path: pathlib.Path) -> None:
    rows = cxlgpu.run("vadd-znand-sr", settings=SMALL, requests=True).requests()
    events = tmp_path / "events.csv"
    words: list[str | pathlib.Path] = [
        command,
        "run",
        "vadd-znand-sr",
        "--engine",
        "model",
        "--set",
        "workload.size=512",
        "--events",
        events,
        "-q",
    ]
    subprocess.run(words, check=True)
    told = pandas.read_csv(events)
    told["time_ps"] = told["time_ps"].astype("uint64")
    assert sorted(told[told.stage == "sys_respond"].time_ps) == sorted(rows.answered_ps)
    assert sorted(told[told.stage == "sys_accept"].time_ps) == sorted(rows.submitted_ps)


def test_without_requests_there_is_no_table_of_them() -> None:
    with pytest.raises(cxlgpu.Error, match="requests=True"):
        cxlgpu.run("vadd-dram-cxl", settings=SMALL).requests()


def test_frame_has_a_row_a_figure() -> None:
    result = cxlgpu.run("vadd-znand-sr", settings=SMALL)
    frame = result.frame()
    assert list(frame.columns) == ["name", "value", "unit"] and frame.name.is_unique
    by_name = frame.set_index("name")
    assert by_name.value["loads.mean"] == result.stats["loads"]["mean"]["value"] == result["loads.mean"]
    assert by_name.unit["loads.mean"] == "ns" and by_name.unit["loads.count"] == "requests"
    assert len(frame) > 100
    with pytest.raises(cxlgpu.Error, match="did you mean 'loads.mean'"):
        result["load.mean"]


def test_parquet(tmp_path: pathlib.Path) -> None:
    result = cxlgpu.run("vadd-znand-sr", settings=SMALL)
    file = tmp_path / "run.parquet"
    result.to_parquet(file)
    pandas.testing.assert_frame_equal(pandas.read_parquet(file), result.frame())
    metadata = pyarrow.parquet.read_schema(file).metadata
    assert json.loads(metadata[b"cxlgpu"]) == result.stats
    with pytest.raises(cxlgpu.Error, match="cannot be written"):
        result.to_parquet(tmp_path / "no" / "such.parquet")


def test_out_leaves_what_the_command_leaves(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    result = cxlgpu.run("vadd-dram-cxl", settings=SMALL, out=out)
    assert json.loads((out / "stats.json").read_text()) == result.stats
    assert "<html" in (out / "report.html").read_text()
    assert result.stats["command"].startswith("cxlgpu run vadd-dram-cxl --engine model --set workload.size=512")


def test_a_run_at_its_limit_is_told() -> None:
    limit = {"workload.size": 65536, "run.limit_us": 1}
    with pytest.raises(cxlgpu.RunFailed) as failed:
        cxlgpu.run("vadd-znand-cxl", settings=limit)
    assert failed.value.result.status == "limit" and "run.limit_us" in str(failed.value)
    result = cxlgpu.run("vadd-znand-cxl", settings=limit, check=False)
    assert result.status == "limit" and "raise run.limit_us" in result.problems[0]


def test_the_rtl_is_the_commands(command: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_path = cxlgpu.run("vadd-dram-cxl", "rtl", SMALL, command=command)
    assert by_path.engine == "rtl" and by_path["rtl_cycles"] > 0
    model = cxlgpu.run("vadd-dram-cxl", "model", SMALL)
    assert by_path["loads.count"] == model["loads.count"]
    monkeypatch.setenv("PATH", str(command.parent))
    assert cxlgpu.run("vadd-dram-cxl", "cosim", SMALL).status == "clean"
    with pytest.raises(cxlgpu.Error, match="is not a workload|is not known|no such|nosuch"):
        cxlgpu.run("nosuch-dram-cxl", "rtl")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(cxlgpu.Error, match="takes the RTL, which the wheel has not"):
        cxlgpu.run("vadd-dram-cxl", "cosim", SMALL)


def test_ctrl_c_ends_a_run() -> None:
    script = "import cxlgpu\nprint('begun', flush=True)\ncxlgpu.run('gemm-znand-cxl', settings={'run.limit_us': 10**9})"
    with begun(script) as run:
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        at = time.monotonic()
        _, said = run.communicate(timeout=20)
        assert time.monotonic() - at < 10
    assert "KeyboardInterrupt" in said and run.returncode != 0


def test_other_threads_go_on_while_it_runs() -> None:
    script = """
import threading, cxlgpu
turns = 0
ended = False
def count():
    global turns
    while not ended:
        turns += 1
thread = threading.Thread(target=count)
thread.start()
before = turns
cxlgpu.run('vadd-znand-sr', settings={'workload.size': 65536})
print(turns - before)
ended = True
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout) > 100_000
