# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Types: the package and these tests are clean under mypy --strict, and a wrong use is seen."""

import pathlib
import subprocess
import sys

import cxlgpu
import pytest


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("mypy")


def mypy(*words: object, cache: pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *map(str, words)],
        capture_output=True, text=True, cwd=pathlib.Path(__file__).parent,
    )  # fmt: skip


def test_the_package(cache: pathlib.Path) -> None:
    done = mypy("-p", "cxlgpu", cache=cache)
    # Of the package, not of what it imports.
    lines = [line for line in done.stdout.splitlines() if "pyarrow" not in line]
    assert done.returncode == 0, "\n".join(lines)


def test_these_tests(tmp_path: pathlib.Path, cache: pathlib.Path) -> None:
    files = sorted(pathlib.Path(__file__).parent.glob("*.py"))
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-pyarrow.*]\nignore_missing_imports = True\n")
    done = mypy("--config-file", tmp_path / "mypy.ini", *files, cache=cache)
    assert done.returncode == 0, done.stdout


def test_a_wrong_use_is_seen(tmp_path: pathlib.Path, cache: pathlib.Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import cxlgpu\n"
        "machine = cxlgpu.Machine(3)\n"
        "machine.submit(7)\n"
        "latency: str = cxlgpu.run('vadd-dram-cxl')['loads.mean']\n"
        "response = machine.take()\n"
        "print(response.latency_ps)\n"
        "print(machine.statistics().loads.median)\n"
        "cxlgpu.flits.decode(b'', 'UP')\n"
        "reveal_type(machine.statistics().loads.mean_ps)\n"
        "reveal_type(cxlgpu.sweep([]).frame())\n"
    )
    said = mypy(wrong, cache=cache).stdout
    for line in range(2, 9):
        assert (f"wrong.py:{line}: error" in said) == (line != 5), said
    assert 'wrong.py:9: note: Revealed type is "int"' in said.replace("builtins.", "")
    assert 'wrong.py:10: note: Revealed type is "pandas' in said


def test_every_name_has_its_words() -> None:
    for name in cxlgpu.__all__:
        thing = getattr(cxlgpu, name)
        if callable(thing) and getattr(thing, "__module__", "").startswith("cxlgpu"):
            assert thing.__doc__ and len(thing.__doc__) > 10, name
