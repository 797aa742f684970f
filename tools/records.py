# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Records of measurements, docs/trust/NAME.json, for the scripts beside this file."""

import contextlib
import datetime
import fcntl
import json
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def commit():
    """Of the sources measured, with -dirty if they differ from it; records and what fuzzing keeps do not
    count."""
    if shutil.which("git") is None:  # tests run without it
        return "unknown"
    head = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    if not head:  # not a clone
        return "unknown"
    changed = subprocess.run(
        ["git", "-C", ROOT, "status", "--porcelain", "-uno", "--", ".", ":!docs", ":!tests/fuzz/corpus"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    return head + ("-dirty" if changed else "")


def version(*command):
    """First line of what a tool says of its version."""
    if shutil.which(command[0]) is None:
        return "unknown"
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0].strip()


def read(path, empty):
    return json.loads(path.read_text()) if path.exists() else empty


def replace(path, data):
    """Writes the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data, indent=1) + "\n")
    part.replace(path)


@contextlib.contextmanager
def changing(path, empty):
    """The record, written when the block is left; who else changes it waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        data = read(path, empty)
        yield data
        replace(path, data)
    finally:
        os.close(folder)
