#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Where the fields of the packed structs are, for C++ that reads and drives verilated ports.

Verilator says it of the packages in rtl/pkg; written is tb/layout.hpp: of each struct of PACKAGES its width and its
fields, of each other type its width. Structs of messages and registers are left out: of those the standard says where
a field is, and tests say it by hand.

  scripts/layout.py            write
  scripts/layout.py --check    write nothing; fail if the file is not current

Exit status: 0 done; 1 --check found that it is not current; 2 Verilator failed or says something unknown.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tb/layout.hpp"
PACKAGES = ("cxlgpu_pkg", "cxlgpu_port_pkg")
WIDTHS_ONLY = ("cxl_pkg",)

HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Written by scripts/layout.py from rtl/pkg: do not edit.
//
// Purpose: widths of types and places of fields in packed structs, by their names in rtl/pkg.
// Units:   bits; bit 0 of a struct is the lowest of its last field.
#pragma once

#include <cstddef>

namespace cxlgpu::layout {

struct Field {
  std::size_t lo, width;
  // A field of this one, which is a struct.
  constexpr Field operator[](Field inner) const { return {lo + inner.lo, inner.width}; }
  // Element i of this one, which is an array of elements of so many bits.
  [[nodiscard]] constexpr Field element(std::size_t i, std::size_t bits) const {
    return {lo + i * bits, bits};
  }
};
"""


def netlist(folder):
    packages = sorted(map(str, (ROOT / "rtl/pkg").glob("*.sv")))
    command = ["verilator", "--xml-only", "-Wno-fatal", "-Wno-lint", "--Mdir", folder, "--prefix", "V", *packages]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip().split("\n")[0])
    return ElementTree.parse(pathlib.Path(folder) / "V.xml").getroot()


class Types:
    def __init__(self, root):
        self.by_id = {node.get("id"): node for node in root.find(".//typetable")}

    def width(self, id_):
        node = self.by_id[id_]
        if node.tag == "basicdtype":
            return abs(int(node.get("left", 0)) - int(node.get("right", 0))) + 1
        if node.tag == "structdtype":
            return sum(self.width(member.get("sub_dtype_id")) for member in node)
        if node.tag == "packarraydtype":
            left, right = (int(bound.get("name").split("h")[1], 16) for bound in node.find("range"))
            return (abs(left - right) + 1) * self.width(node.get("sub_dtype_id"))
        if node.tag in ("refdtype", "enumdtype"):
            return self.width(node.get("sub_dtype_id"))
        raise RuntimeError(f"{node.tag}: unknown")

    def fields(self, node):
        """(name, lowest bit, width), the highest first."""
        at = self.width(node.get("id"))
        for member in node:
            width = self.width(member.get("sub_dtype_id"))
            at -= width
            yield member.get("name"), at, width


def cpp_name(name):
    return "".join(word.capitalize() for word in name.rpartition("_")[0].split("_"))


def header(root):
    types = Types(root)
    widths, structs = [], []
    packages = {package.get("name"): package for package in root.iter("package")}
    for package in (*WIDTHS_ONLY, *PACKAGES):
        for typedef in packages[package].iter("typedef"):
            name, node = cpp_name(typedef.get("name")), types.by_id[typedef.get("dtype_id")]
            if node.tag != "structdtype":
                widths.append(f"inline constexpr std::size_t k{name}Bits = {types.width(node.get('id'))};\n")
            elif package in PACKAGES:
                lines = [
                    f"  static constexpr Field {field}{{{at}, {width}}};\n" for field, at, width in types.fields(node)
                ]
                bits = f"  static constexpr std::size_t kBits = {types.width(node.get('id'))};\n"
                structs.append(f"\nstruct {name} {{\n{bits}{''.join(lines)}}};\n")
    return f"{HEAD}\n{''.join(widths)}{''.join(structs)}\n}}  // namespace cxlgpu::layout\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is not current")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            text = header(netlist(folder))
    except (RuntimeError, OSError, KeyError) as error:
        print(f"layout: {error}", file=sys.stderr)
        sys.exit(2)
    if OUT.exists() and OUT.read_text() == text:
        return
    if options.check:
        print(f"layout: {OUT.relative_to(ROOT)} is not current: scripts/layout.py", file=sys.stderr)
        sys.exit(1)
    OUT.write_text(text)


if __name__ == "__main__":
    main()
