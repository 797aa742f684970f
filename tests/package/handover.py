#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Takes the RTL as somebody else does: rtl/ alone, copied elsewhere, by its file lists and manifests.

  * chip_top of examples/own-axi-master, a master and a top that are not ours, around the root complex by
    rtl/lists/root_complex.f and rtl/cxlgpu.vlt: Verilator's -Wall says nothing
  * each list, Bender.yml and cxlgpu.core: every file there and once, everything before what needs it; the manifests
    have all of rtl/, and Flex Bus and CXL.cache as blocks apart
  * the ports that rtl/cxlgpu.sdc names are those of every top
  * scripts/manifests.py --check sees a list that is not current

--tools (scripts/venv.sh handover; minutes): besides, every list and its assertions by Verilator, every target of
cxlgpu.core by FuseSoC, regs/cxlgpu.rdl by the SystemRDL compiler, Bender.yml by bender if there is one.

Usage: handover.py [--tools]     Exit status: 0, or 1 with what is wrong.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERILATOR = os.environ.get("VERILATOR", "verilator")
TOPS = {"root_port", "root_complex", "endpoint", "cxl_controller", "cxlgpu_top"}
APART = {"flex_bus": "rtl/flex_bus/", "cache": "rtl/cache/", "persist": "/persist_"}  # in the path of each file


class Wrong(Exception):
    pass


def run(*command, status=0, **options):
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode != status:
        raise Wrong(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def lint(rtl, name, top, *more):
    said = run(VERILATOR, "--lint-only", "-Wall", rtl / "cxlgpu.vlt", "-F", rtl / f"lists/{name}.f",
               "--top-module", top, *more)  # fmt: skip
    if said.strip():
        raise Wrong(f"{name}: Verilator says\n{said[:2000]}")


def foreign_top(scratch):
    """As an engineer does in the first hour: two files of his own beside a copy of rtl/."""
    shutil.copytree(ROOT / "rtl", scratch / "vendor/rtl")
    own = [shutil.copy(file, scratch) for file in sorted((ROOT / "examples/own-axi-master").glob("*.sv"))]
    lint(scratch / "vendor/rtl", "root_complex", "chip_top", *own)


def of_list(name):
    folder = ROOT / "rtl/lists"
    lines = [line for line in (folder / f"{name}.f").read_text().split("\n") if line and not line.startswith("//")]
    return [(folder / line).resolve().relative_to(ROOT).as_posix() for line in lines]


def check_order(what, files):
    """Every file there and once; a module or package after all that it uses."""
    if len(set(files)) != len(files):
        raise Wrong(f"{what}: names a file twice")
    known = {file.stem for file in (ROOT / "rtl").glob("*/*.sv")}
    seen = set()
    for file in files:
        path = ROOT / file
        if not path.is_file():
            raise Wrong(f"{what}: {file} is not there")
        text = re.sub(r"//.*", "", path.read_text())
        words = set(re.findall(r"^ *(\w+)(?: +#\(| +u_)", text, re.M)) | set(re.findall(r"\b(\w+)::", text))
        for word in sorted((words & known) - seen - {path.stem}):
            raise Wrong(f"{what}: {file} comes before {word}, which it uses")
        seen.add(path.stem)


def check_manifests():
    everything = {file.relative_to(ROOT).as_posix() for file in (ROOT / "rtl").glob("*/*.sv")}
    names = {file.stem for file in (ROOT / "rtl/lists").glob("*.f")}
    if names != TOPS | APART.keys():
        raise Wrong(f"rtl/lists: has {sorted(names)}")
    for name in names:
        files = of_list(name)
        check_order(f"rtl/lists/{name}.f", files)
        if name in TOPS and files[-1].rsplit("/", 1)[1] != f"{name}.sv":
            raise Wrong(f"rtl/lists/{name}.f: ends with {files[-1]}")
    core = yaml.safe_load((ROOT / "cxlgpu.core").read_text().removeprefix("CAPI=2:"))
    sets = {name: of["files"] for name, of in core["filesets"].items() if of["file_type"] == "systemVerilogSource"}
    bender = yaml.safe_load((ROOT / "Bender.yml").read_text())["sources"]
    for what, groups in (("cxlgpu.core", list(sets.values())), ("Bender.yml", [group["files"] for group in bender])):
        files = [file for group in groups for file in group]
        check_order(what, files)
        if set(files) != everything:
            raise Wrong(f"{what}: has not all of rtl/, or more: {sorted(set(files) ^ everything)}")
    for name, place in APART.items():
        group = next((g["files"] for g in bender if g.get("target") == f"cxlgpu_{name}"), [])
        if sets.get(name) != group or not group or any(place not in file for file in group):
            raise Wrong(f"{name}: is no block apart in both manifests")
    for of in core["filesets"].values():
        for file in of["files"]:
            if not (ROOT / file).is_file():
                raise Wrong(f"cxlgpu.core: {file} is not there")
    last = {pathlib.Path(of_list(name)[-1]).stem for name in names}
    if not {f"lint_{top}" for top in last} <= core["targets"].keys():
        raise Wrong("cxlgpu.core: not every list has its target")


def check_constraints():
    text = (ROOT / "rtl/cxlgpu.sdc").read_text()
    ports = set(re.findall(r"get_ports (\w+)", text))
    for name in TOPS | {"flex_bus_tx", "flex_bus_rx", "device_agent", "host_responder"}:
        module = next((ROOT / "rtl").glob(f"*/{name}.sv")).read_text()
        for port in ports:
            if not re.search(rf"^ +input +logic +{port},", module, re.M):
                raise Wrong(f"rtl/cxlgpu.sdc: {name} has no input {port}")


def check_currency(scratch):
    run(ROOT / "scripts/manifests.py", "--check")
    tree = scratch / "tree"
    shutil.copytree(ROOT / "rtl", tree / "rtl")
    for name in ("CMakeLists.txt", "cxlgpu.core", "Bender.yml"):
        shutil.copy(ROOT / name, tree)
    listed = tree / "rtl/lists/root_port.f"
    listed.write_text(listed.read_text().replace("../common/fifo.sv\n", ""))
    said = run(ROOT / "scripts/manifests.py", "--check", "--root", tree, status=1)
    if "rtl/lists/root_port.f is not current" not in said:
        raise Wrong(f"scripts/manifests.py: {said}")


def with_tools(scratch):
    for name in sorted(TOPS):
        lint(ROOT / "rtl", name, name, "--assert")
    for name in sorted(APART):
        lint(ROOT / "rtl", name, pathlib.Path(of_list(name)[-1]).stem, "-Wno-MULTITOP")
    venv = run(ROOT / "scripts/venv.sh", "handover").strip()
    tools = ROOT / venv / "bin"
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    targets = yaml.safe_load((ROOT / "cxlgpu.core").read_text().removeprefix("CAPI=2:"))["targets"]
    for target in sorted(name for name in targets if name.startswith("lint_")):
        # The shell of a venv that was made under another path may not find its Python.
        run(tools / "python", tools / "fusesoc", "--cores-root", ROOT, "run", "--build-root", scratch / target,
            f"--target={target}", "cxlgpu:rtl:cxlgpu", env=environment, cwd=scratch)  # fmt: skip
        print(f"fusesoc: {target}")
    print(run(tools / "python", ROOT / "tests/package/rdl.py"), end="")
    if bender := shutil.which("bender"):
        for targets in ([], ["-t", "cxlgpu_flex_bus", "-t", "cxlgpu_cache", "-t", "cxlgpu_persist"]):
            said = run(bender, "-d", ROOT, "script", "flist", *targets)
            files = [pathlib.Path(line).relative_to(ROOT).as_posix() for line in said.split()]
            check_order("bender", files)
            print(f"bender: {len(files)} files")
    else:
        print("bender: there is none")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tools", action="store_true")
    options = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="cxlgpu_handover_"))
    try:
        check_manifests()
        check_constraints()
        check_currency(scratch)
        foreign_top(scratch)
        if options.tools:
            with_tools(scratch)
    except Wrong as what:
        print(what, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
