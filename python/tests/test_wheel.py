# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The wheel by itself: what is in it, what it needs, and that no tree is."""

import os
import pathlib
import re
import subprocess
import sys
import zipfile

import cxlgpu


def test_the_package_is_the_wheels(wheel: pathlib.Path, source: pathlib.Path) -> None:
    place = pathlib.Path(cxlgpu.__file__).parent
    assert place.is_relative_to(sys.prefix) and not place.is_relative_to(source)
    with zipfile.ZipFile(wheel) as files:
        names = set(files.namelist())
    for name in ("__init__.py", "_core.pyi", "py.typed", "configs/media/znand.yaml", "licenses/libfmt-dev.txt"):
        assert f"cxlgpu/{name}" in names
    assert not any("tests" in name or name.endswith((".cpp", ".hpp", ".sv")) for name in names)
    assert re.fullmatch(r"cxlgpu-[0-9.]+-cp311-cp311-manylinux_2_\d+_x86_64\.whl", wheel.name)
    version = re.search(r"VERSION ([0-9.]+)", (source / "CMakeLists.txt").read_text().split("project(cxlgpu")[1])
    assert version and cxlgpu.__version__ == version[1] == wheel.name.split("-")[1]


def test_the_configurations_are_the_trees(source: pathlib.Path) -> None:
    own = {f.relative_to(cxlgpu.configs()): f.read_bytes() for f in cxlgpu.configs().rglob("*.yaml")}
    assert own == {f.relative_to(source / "configs"): f.read_bytes() for f in (source / "configs").rglob("*.yaml")}


def test_no_library_of_the_machine_is_needed_but_glibcs_and_cpps(source: pathlib.Path) -> None:
    place = pathlib.Path(cxlgpu.__file__).parent
    (core,) = place.glob("_core*.so")
    assert str(source).encode() not in core.read_bytes()
    linked = subprocess.run(["ldd", core], capture_output=True, text=True, check=True).stdout
    for line in linked.splitlines():
        name, _, path = line.strip().partition(" => ")
        known = re.match(r"linux-vdso|/lib64/ld-linux|lib(c|m|dl|pthread|stdc\+\+|gcc_s|z)\.so", name)
        assert known or path.startswith(sys.prefix), line


def test_it_opens_no_file_of_the_tree(source: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """In an empty environment, and with the folders of the tree empty."""
    script = "import cxlgpu; print(cxlgpu.run('vadd-znand-sr').status, cxlgpu.Machine('trace-znand-sr').now_ps)"
    clean = {"PATH": os.environ["PATH"]}
    words: list[str] = [sys.executable, "-I", "-c", script]
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
        words = [
            "unshare",
            "-m",
            "sh",
            "-c",
            'mount -t tmpfs none "$1" && shift && exec "$@"',
            "sh",
            str(source),
            *words,
        ]
    done = subprocess.run(words, env=clean, cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("clean 0\n", 0), done.stderr


def test_without_pandas_and_numpy_only_tables_are_refused() -> None:
    script = """
import sys
for name in ("pandas", "numpy", "pyarrow"):
    sys.modules[name] = None
import cxlgpu
result = cxlgpu.run("vadd-dram-cxl", settings={"workload.size": 256}, requests=True)
machine = cxlgpu.Machine("trace-dram-cxl")
responses = machine.replay([machine.address_base])
assert result["end_to_end"] > 0 and len(responses.latency_ps) == 1
for call in (result.frame, result.requests, responses.frame, cxlgpu.sweep([]).frame, lambda: result.to_parquet("x")):
    try:
        call()
    except cxlgpu.Error as e:
        assert "pip install 'cxlgpu[frames]'" in str(e), e
    else:
        raise SystemExit("no error")
print("done")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_another_folder_of_configurations(tmp_path: pathlib.Path) -> None:
    script = "import cxlgpu; cxlgpu.run('vadd-dram-cxl')"
    environment = {**os.environ, "CXLGPU_CONFIGS": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert "has no media/ folder" in done.stderr
