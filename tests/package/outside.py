#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Installs a build, and builds and runs examples/library and examples/flits-library from the package alone.

The package is moved after it was installed, and no file of it names this tree. The flits are taken from a prefix that
has nothing else. The latencies of `requests` are those of `cxlgpu run` on the trace that it leaves, to the picosecond;
the other programs judge themselves.

Usage: outside.py [--no-rtl] BUILD   --no-rtl: a build with -DCXLGPU_RTL=OFF, whose command refuses --engine rtl
Exit status: 0, or 1 with what differs.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Differs(Exception):
    pass


def run(*command, status=0, **options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CXLGPU")}
    done = subprocess.run(
        [str(word) for word in command], env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, **options
    )  # fmt: skip
    if done.returncode != status:
        raise Differs(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def install(build, prefix, *components):
    for component in components:
        run("cmake", "--install", build, "--prefix", prefix.with_name("first"), "--component", component)
    prefix.with_name("first").rename(prefix)  # a package may be moved
    for file in [*prefix.rglob("*.cmake"), *prefix.rglob("*.hpp")]:
        if str(ROOT) in file.read_text():
            raise Differs(f"{file}: names {ROOT}")


def build_outside(example, prefix, folder):
    """A copy of the example, built where nothing but the package is."""
    shutil.copytree(ROOT / "examples" / example, folder)
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_CXX_FLAGS=-O0 -g0")  # fmt: skip
    if str(ROOT) in (folder / "build/compile_commands.json").read_text():
        raise Differs(f"{folder}: its commands name {ROOT}")
    run("cmake", "--build", folder / "build")
    return folder / "build"


def compare_with_command(programs, prefix, folder):
    """`requests`, and the command on the same requests."""
    said = run(programs / "requests", "machine.yaml", "trace.csv", cwd=folder)
    found = re.match(r"loads (\d+), mean (\d+) ps, p99 (\d+) ps; stores (\d+), mean (\d+) ps", said)
    run(prefix / "bin/cxlgpu", "run", "machine.yaml", "--set", "workload.name=trace", "--trace", "trace.csv",
        "--engine", "model", "--out", "out", cwd=folder)  # fmt: skip
    stats = json.loads((folder / "out/stats.json").read_text())
    loads, stores = stats["loads"], stats["stores"]

    def ps(figure):
        return round(figure["value"] * 1000)

    command = [loads["count"]["value"], ps(loads["mean"]), ps(loads["p99"])]
    command += [stores["count"]["value"], ps(stores["mean"])]
    library = [int(figure) for figure in found.groups()]
    if library != command:
        raise Differs(f"loads, mean, p99, stores, mean: library {library}, command {command}")
    print(said, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--no-rtl", action="store_true")
    options = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="cxlgpu_package_"))
    try:
        flits, whole = scratch / "flits/prefix", scratch / "whole/prefix"
        flits.parent.mkdir()
        whole.parent.mkdir()
        install(options.build, flits, "flits")
        install(options.build, whole, "flits", "library", "command")
        decode = build_outside("flits-library", flits, scratch / "decode") / "decode_flit"
        said = run(decode)
        if "tag 2a, address 12345640" not in said:
            raise Differs(f"decode_flit: {said}")
        print(said, end="")
        # Of flits/vectors/flits.json, "MemRd"; a bit of it the other way.
        vectors = json.loads((ROOT / "flits/vectors/flits.json").read_text())["vectors"]
        vector = next(one["flit"] for one in vectors if one["name"] == "MemRd")
        print(run(decode, vector), end="")
        run(decode, vector[:20] + f"{int(vector[20], 16) ^ 1:x}" + vector[21:], status=1)
        run(decode, "12", status=2)

        programs = build_outside("library", whole, scratch / "library")
        compare_with_command(programs, whole, scratch / "library")
        for program in ("own_medium", "own_policy"):
            print(run(programs / program), end="")
        (scratch / "wrong.yaml").write_text("media:\n  part: drum\n")
        said = run(programs / "requests", scratch / "wrong.yaml", scratch / "t.csv", status=2)
        if said.count("\n") != 1 or "wrong.yaml" not in said or "'drum' is not known" not in said:
            raise Differs(f"a medium that there is not: {said}")
        if options.no_rtl:
            command = whole / "bin/cxlgpu"
            for engine in (["--engine", "rtl"], ["--engine", "cosim"], ["--set", "run.engine=rtl"]):
                said = run(command, "run", "vadd-dram-cxl", *engine, status=2)
                if said.count("\n") != 1 or "has none (-DCXLGPU_RTL=OFF)" not in said:
                    raise Differs(f"{engine}: {said}")
            run(command, "run", "vadd-dram-cxl", "--set", "workload.size=256")
    except Differs as what:
        print(what, file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
