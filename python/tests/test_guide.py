# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The blocks of docs/guide/python.md, in their order, in one interpreter, as a reader would type them."""

import pathlib
import re

import cxlgpu
import pytest


def test_the_page_runs(
    source: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (source / "docs/guide/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) >= 5
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flits.log").write_text("100 link0 M2S " + "0" * 136 + "\n")
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)
    for name in cxlgpu.__all__:  # nothing of the package is unsaid
        if name not in (
            "__version__",
            "Value",
            "Point",
            "InternalDram",
            "Latencies",
            "Port",
            "Speculation",
            "Statistics",
        ):
            assert name in page, name
