#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Compiles regs/cxlgpu.rdl with the SystemRDL compiler and holds it against regs/*.yaml, field by field.

The YAML is read here by itself, without scripts/regs.py: address, width, bits, software's access and reset of each
field of each register, and of each set of a group. Needs systemrdl-compiler (scripts/venv.sh handover).
Exit status: 0 all alike, 1 with what differs.
"""

import pathlib
import sys

import systemrdl
import yaml
from systemrdl.node import AddrmapNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {
    "RO": (AccessType.r, None), "ROS": (AccessType.r, None), "HwInit": (AccessType.r, None),
    "RW": (AccessType.rw, None), "RWS": (AccessType.rw, None), "RWL": (AccessType.rw, None),
    "RW1C": (AccessType.rw, OnWriteType.woclr), "RW1CS": (AccessType.rw, OnWriteType.woclr),
    "RWO": (AccessType.rw, OnWriteType.woset),
}  # fmt: skip


def number(value):
    return int(value, 0)


def registers_of(items, base, prefix=""):
    """(path, address, width, fields) of each register of the YAML."""
    known = {}
    for item in items:
        offset = base + number(item["offset"])
        if "group" in item:
            for i in range(number(item["count"])):
                stride = i * number(item["stride"])
                yield from registers_of(item["registers"], offset + stride, f"{item['group']}[{i}].")
            continue
        fields = item.get("fields")
        if fields is None:
            like = known[item["like"]]
            fields = [{**f, "access": item["access"], "reset": item["reset"]} for f in like]
        known[item["name"]] = fields
        yield prefix + item["name"], offset, number(item.get("width", "32")), fields


def expected(block, side):
    out = {}
    for path, address, width, fields in registers_of(block["registers"], 0):
        for field in fields:
            if field.get("side", side) != side:
                continue
            msb, _, lsb = field["bits"].partition(":")
            reset = None if field["reset"] == "param" else number(field["reset"])
            bits = (int(msb), int(lsb or msb))
            out[f"{path}.{field['name']}"] = (address, width, *bits, *KINDS[field["access"]], reset, field["access"])
    return out


def compiled(top):
    out = {}
    for node in top.descendants(unroll=True):
        if not isinstance(node, RegNode):
            continue
        for field in node.fields():
            path = field.get_path().split(".", 1)[1]
            out[path] = (
                node.absolute_address, node.get_property("regwidth"), field.msb, field.lsb, field.get_property("sw"),
                field.get_property("onwrite"), field.get_property("reset"), field.get_property("access_kind"),
            )  # fmt: skip
    return out


def main():
    differences, fields, maps = [], 0, 0
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(ROOT / "regs/cxlgpu.rdl"))
    for file in sorted((ROOT / "regs").glob("*.yaml")):
        block = yaml.load(file.read_text(), Loader=yaml.BaseLoader)  # 31:20 is no time
        sided = "side: " in file.read_text()
        for side in ("host", "device") if sided else (None,):
            name = f"{block['block']}_{side}" if side else block["block"]
            top = compiler.elaborate(top_def_name=name).top
            assert isinstance(top, AddrmapNode)
            want, got = expected(block, side), compiled(top)
            maps, fields = maps + 1, fields + len(want)
            differences += [
                f"{file.name}: {name}.{path}: {want.get(path)} in YAML, {got.get(path)} in SystemRDL"
                for path in sorted(want.keys() | got.keys())
                if want.get(path) != got.get(path)
            ]
    for line in differences[:20]:
        print(line, file=sys.stderr)
    print(f"{maps} address maps, {fields} fields, {len(differences)} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
