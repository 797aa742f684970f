# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""sweep(): every combination, several at a time; a point that fails is kept, and the others go on."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import cxlgpu
import numpy
import pandas
import pyarrow.parquet
import pytest
from conftest import begun

SMALL = {"workload.size": 256}


def test_a_grid_is_every_combination() -> None:
    done = cxlgpu.sweep(
        {"scenario": ["vadd-dram-cxl", "vadd-znand-sr"], "gpu.cores": [1, 4], "workload.size": 256, "seed": (3,)},
        jobs=2,
    )
    assert [(p["scenario"], p["gpu.cores"]) for p in done.points] == [
        ("vadd-dram-cxl", 1),
        ("vadd-dram-cxl", 4),
        ("vadd-znand-sr", 1),
        ("vadd-znand-sr", 4),
    ]
    assert len(done) == 4 and done.failed == 0
    for point, result in zip(done.points, done.results, strict=True):
        assert result is not None
        alone = cxlgpu.run(str(point["scenario"]), settings={"gpu.cores": point["gpu.cores"], **SMALL}, seed=3)
        assert result.figures()[1:] and result["end_to_end"] == alone["end_to_end"]
        assert [f for f in result.figures() if f[0] != "wall"] == [f for f in alone.figures() if f[0] != "wall"]
    frame = done.frame()
    assert list(frame["gpu.cores"]) == [1, 4, 1, 4] and set(frame.status) == {"clean"}
    assert frame.attrs["units"]["loads.mean"] == "ns"
    assert list(done.frame(["loads.mean"]).columns) == [
        "scenario",
        "gpu.cores",
        "workload.size",
        "seed",
        "status",
        "error",
        "loads.mean",
    ]


def test_a_point_that_fails_is_kept() -> None:
    points: list[dict[str, object]] = [
        {"scenario": "vadd-dram-cxl", **SMALL},
        {"scenario": "nosuch-dram-cxl"},
        {"scenario": "vadd-dram-cxl", "gpu.core": 4},
        {"scenario": "vadd-znand-cxl", "run.limit_us": 1, "workload.size": 65536},
        {"scenario": "vadd-dram-cxl", "engine": "nosuch"},
        {"scenario": "vadd-dram-cxl", "gpu.cores": numpy.int64(2), **SMALL},
    ]
    done = cxlgpu.sweep(points, jobs=2)
    frame = done.frame()
    assert list(frame.status) == ["clean", "error", "error", "limit", "error", "clean"]
    assert done.failed == 4
    assert "nosuch" in str(done.errors[1]) and "gpu.core" in str(done.errors[2])
    assert "run.limit_us" in str(done.errors[3]) and "nosuch" in str(done.errors[4])
    assert all(error is None or "\n" not in error for error in done.errors)
    assert frame["loads.mean"].notna().tolist() == [True, False, False, True, False, True]
    assert frame["loads.mean"].dtype == "float64"


def test_a_process_that_dies_costs_its_point_alone() -> None:
    ended: list[int] = []

    def end_one() -> None:
        for _ in range(400):
            children = subprocess.run(
                ["pgrep", "-P", str(os.getpid()), "-f", "cxlgpu._worker"], capture_output=True, text=True
            )
            time.sleep(0.05)
            if children.stdout.split():
                time.sleep(0.5)
                os.kill(int(children.stdout.split()[0]), signal.SIGKILL)
                ended.append(1)
                return

    thread = threading.Thread(target=end_one)
    thread.start()
    long = {"scenario": "gemm-znand-cxl"}
    short = {"scenario": "vadd-dram-cxl", **SMALL}
    done = cxlgpu.sweep([long, short, short], jobs=1)
    thread.join()
    assert ended and done.errors[0] == "sweep: point 0: its process ended with SIGKILL; run it alone"
    assert done.errors[1:] == [None, None] and done.frame().status.tolist() == ["error", "clean", "clean"]


def test_parquet(tmp_path: pathlib.Path) -> None:
    done = cxlgpu.sweep(
        [{"scenario": "vadd-dram-cxl", "gpu.cores": 2, **SMALL}, {"scenario": "none-dram-cxl", "seed": 4}]
    )
    done.to_parquet(tmp_path / "sweep.parquet")
    read = pandas.read_parquet(tmp_path / "sweep.parquet")
    assert read["loads.mean"].tolist()[0] == done.frame()["loads.mean"].tolist()[0]
    assert read.status.tolist() == ["clean", "error"] and "none" in read.error[1]
    about = json.loads(pyarrow.parquet.read_schema(tmp_path / "sweep.parquet").metadata[b"cxlgpu"])
    assert about["units"]["end_to_end"] == "ns" and about["points"] == done.points
    mixed = cxlgpu.sweep({"scenario": "vadd-dram-cxl", "workload.size": [256, "256"]})
    mixed.to_parquet(tmp_path / "mixed.parquet")
    assert mixed.failed == 0


def test_an_empty_sweep() -> None:
    done = cxlgpu.sweep([])
    assert len(done) == 0 and done.frame().empty
    assert len(cxlgpu.sweep({"scenario": []})) == 0


def test_from_a_script_without_a_guard_and_from_another_folder(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cxlgpu.py").write_text("raise RuntimeError('not the package')\n")
    script = "import cxlgpu\nprint(cxlgpu.sweep({'scenario': 'vadd-dram-cxl', 'workload.size': [256, 512]}).failed)\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n" and done.stderr == ""


def test_ctrl_c_ends_it_and_its_processes() -> None:
    script = "import cxlgpu\nprint('begun', flush=True)\ncxlgpu.sweep([{'scenario': 'gemm-znand-cxl'}] * 9, jobs=2)"
    with begun(script) as run:
        time.sleep(1)
        children = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
        assert len(children) == 2
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert not any(pathlib.Path(f"/proc/{child}").exists() for child in children)


@pytest.mark.parametrize(
    ("points", "wrong"),
    [
        (None, "are no list"),
        ("vadd", "are no list"),
        (7, "are no list"),
        ([None], "is no dict"),
        ([{}], "has no scenario"),
        ([{"scenario": None}], "is no value"),
        ([{"scenario": "vadd-dram-cxl", 3: 4}], "is no text"),
        ([{"scenario": "vadd-dram-cxl", "gpu.cores": [1]}], "is no value"),
        ({"gpu.cores": [1]}, "has no scenario"),
    ],
)
def test_bad_points(points: object, wrong: str) -> None:
    with pytest.raises(cxlgpu.Error, match=wrong):
        cxlgpu.sweep(points)  # type: ignore[arg-type]
    with pytest.raises(cxlgpu.Error, match="jobs"):
        cxlgpu.sweep([], jobs=0)
