#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Sizes of the RTL from one place: configs/rtl/default.yaml, a row each; its head says what a row has.

Writes what is made from the rows:

  rtl/pkg/cxlgpu_size_pkg.sv    the sizes as a struct, and those of `default`
  common/rtl_sizes.hpp          the same for C++, with ranges, keys and the registers that report them
  docs/sizes.md                 rows and named configurations as a table

  scripts/rtl_sizes.py                    write
  scripts/rtl_sizes.py --check            write nothing; fail if a file is not current
  scripts/rtl_sizes.py --arguments CONFIG the arguments of Verilator (and slang) for a top with parameter Sizes
  scripts/rtl_sizes.py --value NAME CONFIG  one size
  scripts/rtl_sizes.py --bounds           MODULE PARAMETER LEAST GREATEST a line, for what checks each range; the number
                                          beyond, on either side, follows (- : none)
  --set NAME=VALUE   another value, may be repeated; --root DIR: another tree than the one this script is in

CONFIG is a name (a file of configs/rtl without .yaml) or a file.
Exit status: 0 done; 1 --check found a file that is not current; 2 an error (one line: file, line, what).
"""

import argparse
import dataclasses
import pathlib
import re
import sys

from page_blocks import markdown

import regs

DEFAULT = "configs/rtl/default.yaml"
NAMED = ("default", "small", "large")
GENERATED = f"Made by scripts/rtl_sizes.py from {DEFAULT}: do not edit."


@dataclasses.dataclass
class Size:
    node: object
    name: str
    value: int
    unit: str
    least: int
    greatest: int
    power: bool
    module: str
    parameter: str
    register: str  # block.register.field, empty: none
    scale: int
    key: str
    meaning: str

    def refused(self, value):
        """Why a value is not legal; empty: it is."""
        if not self.least <= value <= self.greatest or (self.power and value & (value - 1)):
            return f"{self.name}: {value} is not in {self.range()}"
        return ""

    def range(self):
        return f"{self.least}..{self.greatest}" + (", a power of two" if self.power else "")

    def beyond(self):
        """The next numbers of the kind on either side; None: there is none."""
        below = self.least // 2 if self.power else self.least - 1
        above = self.greatest * 2 if self.power else self.greatest + 1
        return [below if below >= 0 and below != self.least else None, above]


def read_row(name, node):
    key = node.mapping(("value", "unit", "range", "meaning"), ("parameter", "register", "key"))
    bounds = re.fullmatch(r"(\d+)\.\.(\d+)(, a power of two)?", key["range"].text("range"))
    if not bounds or int(bounds[1]) > int(bounds[2]):
        key["range"].fail("range: A..B, or A..B, a power of two, is wanted")
    module, parameter = "", ""
    if "parameter" in key:
        place = re.fullmatch(r"([a-z][a-z0-9_]*)\.([A-Z][A-Za-z0-9]*)", key["parameter"].text("parameter"))
        if not place:
            key["parameter"].fail("parameter: module.Parameter is wanted")
        module, parameter = place.groups()
    register, scale = "", 1
    if "register" in key:
        place = re.fullmatch(r"([a-z]+\.[a-z_0-9]+\.[a-z_0-9]+)(?: \* (\d+))?", key["register"].text("register"))
        if not place:
            key["register"].fail("register: block.register.field, or with * N, is wanted")
        register, scale = place[1], int(place[2] or 1)
    size = Size(
        node,
        name,
        key["value"].number("value"),
        key["unit"].text("unit"),
        int(bounds[1]),
        int(bounds[2]),
        bounds[3] is not None,
        module,
        parameter,
        register,
        scale,
        key["key"].text("key") if "key" in key else "",
        key["meaning"].text("meaning"),
    )
    if size.refused(size.value):
        key["value"].fail(size.refused(size.value))
    return size


def top(path, shown):
    """The mapping of a file, as (name, node) in its order."""
    try:
        root = regs.yaml.compose(path.read_text(encoding="utf-8"))
    except regs.yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise regs.RegsError(f"{shown}:{line}: {error.problem}") from error
    if root is None:
        return []
    node = regs.Node(shown, root)
    if not isinstance(root, regs.yaml.MappingNode):
        node.fail("a mapping is wanted here")
    return [(regs.Node(shown, key).text("name"), regs.Node(shown, value)) for key, value in root.value]


def read_sizes(root):
    sizes = []
    for name, node in top(root / DEFAULT, DEFAULT):
        if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
            node.fail(f"'{name}' is not a name")
        if any(size.name == name for size in sizes):
            node.fail(f"{name}: stands here twice")
        sizes.append(read_row(name, node))
    if not sizes:
        raise regs.RegsError(f"{DEFAULT}:1: no size here")
    return sizes


def configuration(root, sizes, which):
    """{name: value} of a configuration, by name or file."""
    values = {size.name: size.value for size in sizes}
    path = pathlib.Path(which)
    if not which.endswith((".yaml", ".yml")):
        path = root / "configs" / "rtl" / f"{which}.yaml"
        if not path.is_file():
            known = ", ".join(sorted(p.stem for p in path.parent.glob("*.yaml")))
            raise regs.RegsError(f"'{which}' is no configuration of the RTL; use {known}, or a file")
    if path.resolve() == (root / DEFAULT).resolve():
        return values
    seen = set()
    for name, node in top(path, str(path)):
        size = next((size for size in sizes if size.name == name), None)
        if size is None:
            node.fail(f"{name}: no such size (known: {', '.join(values)})")
        if name in seen:
            node.fail(f"{name}: stands here twice")
        seen.add(name)
        value = node.number(name)
        if size.refused(value):
            node.fail(size.refused(value))
        values[name] = value
    return values


def arguments(sizes, values):
    """The struct as one number: Verilator takes no other value for a parameter of such a type."""
    return f"-GSizes={32 * len(sizes)}'h{''.join(f'{values[size.name]:08x}' for size in sizes)}"


def sv_package(sizes, _):
    width = max(len(size.name) for size in sizes)
    lines = [
        "// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0",
        "//",
        f"// {GENERATED}",
        "//",
        "// Sizes of the machine, which its tops hand down to the blocks.",
        "",
        "package cxlgpu_size_pkg;",
        "",
        "  typedef struct packed {",
    ]
    for size in sizes:
        lines.append(f"    int unsigned {size.name + ';':<{width + 1}}  // {size.unit}, {size.range()}")
    lines += ["  } rtl_sizes_t;", "", "  parameter rtl_sizes_t DefaultSizes = '{"]
    lines += [f"    {size.name + ':':<{width + 1}} {size.value}," for size in sizes]
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "  };", "", "endpackage", ""])


def cpp_header(sizes, blocks):
    def place(size):
        if not size.register:
            return "RtlSize::Page::None, 0, {}"
        block, register, field = size.register.split(".")
        page = {"rp": "RootPort", "ep": "Endpoint"}.get(block)
        found = next((b for b in blocks if b.name == block), None)
        item = found and next((r for r in found.items if r.name == register), None)
        bits = item and next((f for f in item.fields if f.name == field), None)
        if not page or not bits:
            size.node.fail(f"register: {size.register} is not in regs/")
        if size.greatest // size.scale >= 1 << bits.width:
            size.node.fail(f"register: {size.register} is too narrow for {size.greatest}")
        name = f"regs::{block}::k{regs.camel(register)}"
        return f"RtlSize::Page::{page}, {name}, {name}{regs.camel(field)}"

    def row(size):
        return (
            f'    {{"{size.name}", "{size.key}", {size.least}, {size.greatest}, {str(size.power).lower()},\n'
            f"     {place(size)}, {size.scale}}},"
        )

    return "\n".join(
        [
            "// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0",
            "// Sizes of the RTL: what it can be built with, and where it reports what it has.",
            "//",
            f"// {GENERATED}",
            "//",
            "// Purpose: one table for configuration, firmware and bench. kDefaultRtl is the machine of",
            "//          configs/rtl/default.yaml, from which every configuration starts.",
            "// Units:   as the row says; a register's field counts `scale` of them.",
            "// Errors:  none.",
            f"// Source:  {DEFAULT}.",
            "#pragma once",
            "",
            "#include <array>",
            "#include <cstdint>",
            "#include <string_view>",
            "",
            '#include "common/registers.hpp"',
            "",
            "namespace cxlgpu {",
            "",
            "struct RtlSizes {",
            *(f"  unsigned {size.name} = {size.value};  // {size.unit}" for size in sizes),
            "};",
            "inline constexpr RtlSizes kDefaultRtl;",
            "",
            "struct RtlSize {",
            "  enum class Page : std::uint8_t { None, RootPort, Endpoint };",
            "  std::string_view name, key;  // in configs/rtl, of a run",
            "  std::uint64_t least, greatest;",
            "  bool power_of_two;",
            "  Page page;  // of the register that reports it",
            "  std::uint32_t offset;",
            "  regs::Field field;",
            "  std::uint64_t scale;",
            "};",
            "",
            "// clang-format off",
            f"inline constexpr std::array<RtlSize, {len(sizes)}> kRtlSizes = {{{{",
            *(row(size) for size in sizes),
            "}};",
            "// clang-format on",
            "",
            "}  // namespace cxlgpu",
            "",
        ]
    )


def page(sizes, root):
    named = {name: configuration(root, sizes, name) for name in NAMED}
    rows = [
        (
            f"`{size.name}`",
            size.unit,
            size.range(),
            *(named[name][size.name] for name in NAMED),
            f"`{size.module}.{size.parameter}`" if size.parameter else "",
            f"`{size.register}`" + (f", times {size.scale}" if size.scale != 1 else "") if size.register else "",
            f"`{size.key}`" if size.key else "",
            size.meaning,
        )
        for size in sizes
    ]
    header = ["size", "unit", "range", *NAMED, "parameter", "register", "key", "meaning"]
    return f"""# Sizes of the RTL

{GENERATED}

A build has one configuration of the RTL: `make sim RTL=small`, or `cmake -D CXLGPU_RTL_CONFIG=` with a name below or a
file of the same form. The *parameter* is what the size becomes, the *register* ([registers](registers.md)) is where the
RTL reports it; firmware compares it at start-up with the *key* of the run, whose value is the build's if the run says
nothing else. `--engine model` takes what the key allows ([keys](guide/keys.md)). To add a size:
[CONTRIBUTING](../CONTRIBUTING.md#a-size-of-the-rtl).

{markdown(header, rows)}
"""


def outputs(root, sizes):
    blocks = regs.read_all(root)
    return {
        "rtl/pkg/cxlgpu_size_pkg.sv": sv_package(sizes, blocks),
        "common/rtl_sizes.hpp": regs_formatted(cpp_header(sizes, blocks)),
        "docs/sizes.md": page(sizes, root),
    }


def regs_formatted(text):
    """Members with their comments in columns, as clang-format has them."""
    lines = text.split("\n")
    start = lines.index("struct RtlSizes {") + 1
    end = lines.index("};", start)
    width = max(len(line.split("  //")[0]) for line in lines[start:end])
    for i in range(start, end):
        code, comment = lines[i].split("  //")
        lines[i] = f"{code:<{width}}  //{comment}"
    return "\n".join(lines)


def generate(root, sizes, check):
    stale = []
    for name, text in outputs(root, sizes).items():
        path = root / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                regs.write(path, text)
    if check:
        for name in stale:
            print(f"rtl_sizes: {name} is not current (scripts/rtl_sizes.py)", file=sys.stderr)
        return 1 if stale else 0
    print(f"rtl_sizes: {len(sizes)} sizes, written: {', '.join(stale) if stale else 'nothing new'}")
    return 0


def run(options):
    sizes = read_sizes(options.root)
    which = options.arguments or (options.value and options.value[1])
    if which:
        values = configuration(options.root, sizes, which)
        for text in options.set:
            name, _, number = text.partition("=")
            size = next((size for size in sizes if size.name == name), None)
            if size is None or not number.isdigit():
                raise regs.RegsError(f"--set {text}: NAME=VALUE of a size is wanted")
            values[name] = int(number)  # not checked: the RTL has to refuse what it cannot be
        if options.arguments:
            print(arguments(sizes, values))
            return 0
        if options.value[0] not in values:
            raise regs.RegsError(f"--value {options.value[0]}: no such size")
        print(values[options.value[0]])
        return 0
    if options.bounds:
        for size in sizes:
            if size.parameter:
                beyond = " ".join("-" if b is None else str(b) for b in size.beyond())
                print(size.name, size.module, size.parameter, size.least, size.greatest, beyond)
        return 0
    for name in NAMED:
        configuration(options.root, sizes, name)
    return generate(options.root, sizes, options.check)


def main():
    parser = argparse.ArgumentParser(description="sizes of the RTL from configs/rtl; see the head of this file")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if not current")
    parser.add_argument("--arguments", metavar="CONFIG")
    parser.add_argument("--value", nargs=2, metavar=("NAME", "CONFIG"))
    parser.add_argument("--bounds", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    try:
        return run(parser.parse_args())
    except regs.RegsError as error:
        print(f"rtl_sizes: {error}", file=sys.stderr)
    except (OSError, UnicodeDecodeError) as error:
        print(f"rtl_sizes: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
