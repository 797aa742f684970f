# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Runs of the cxlgpu command, for the scripts beside this file."""

import json
import pathlib
import subprocess
import sys
import tempfile


def call(command):
    """Runs it and gives what it printed; ends the script with the command and that if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def stats(cxlgpu, scenario, engine, *options):
    """stats.json of `cxlgpu run`."""
    with tempfile.TemporaryDirectory() as out:
        call([cxlgpu, "run", scenario, "--engine", engine, "--out", out, *options])
        return json.loads((pathlib.Path(out) / "stats.json").read_text())
