# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Of every test: the command that the package is held against, the tree it is of, the wheel."""

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

CommandRun = Callable[..., dict[str, Any]]


def _interruptible() -> None:
    """In a child before it starts: a shell starts what is in the background with SIGINT ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begun(script: str) -> subprocess.Popen[str]:
    """A Python that runs the script, which has said that it begins, and that SIGINT interrupts."""
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_interruptible,
    )
    assert run.stdout is not None and run.stdout.readline() == "begun\n"
    return run


@pytest.fixture(scope="session")
def command() -> pathlib.Path:
    return pathlib.Path(os.environ["CXLGPU_COMMAND"])


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    return pathlib.Path(os.environ["CXLGPU_SOURCE"])


@pytest.fixture(scope="session")
def wheel() -> pathlib.Path:
    return pathlib.Path(os.environ["CXLGPU_WHEEL"])


@pytest.fixture
def command_run(command: pathlib.Path, tmp_path: pathlib.Path) -> CommandRun:
    """stats.json of `cxlgpu run` with these words."""

    def run(*words: object, status: int = 0) -> dict[str, Any]:
        out = tmp_path / "command_out"
        done = subprocess.run([command, "run", *map(str, words), "--out", out, "-q"], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        stats: dict[str, Any] = json.loads((out / "stats.json").read_text())
        return stats

    return run
