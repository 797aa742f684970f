#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The register map from one place: regs/*.yaml, one file a register block.

Checks the files and writes what is made from them:

  rtl/pkg/cxl_reg_pkg.sv           offsets, fields, reset values (blocks with `status: built`)
  common/registers.hpp    the same for C++
  docs/registers.md                tables of all blocks

A file that would not change is not touched; one that does is written whole and renamed.

  scripts/regs.py            write
  scripts/regs.py --check    write nothing; fail if a file is not current
  --root DIR               another tree than the one this script is in

Exit status: 0 done; 1 --check found a file that is not current; 2 an error in regs/ (one line: file,
line, what) or a file that cannot be read or written.

Keys of a file, all required but those in brackets:
  block       name, C++ namespace            prefix   of SystemVerilog names
  title, where, source                       [rtl]    the module that has it
  status      built | planned                first, size   bytes the block covers
  registers   list of registers and groups   [reserved]    byte ranges left free between them
A register: name, offset, meaning, fields, [width] 8 16 32 64 (32), [source], [reserved] bit ranges.
  Instead of its own fields it may have `like` (a register before it), access and reset.
  Every bit is in a field or reserved.
A group of `count` equal sets of registers, `stride` bytes apart: group, offset, stride, count, meaning,
  registers (offsets within the set), [reserved]. Every byte of the stride is used or reserved.
A field: name, bits (7:4 or 3), access, reset, meaning, [side] host | device if only that side has it.
  reset is a number or `param` (a parameter of the module or the place sets it; 0 in constants).
Numbers are decimal or 0x hexadecimal.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import sys

try:
    import yaml
except ImportError:
    print("regs: PyYAML is missing (make deps)", file=sys.stderr)
    sys.exit(2)

from page_blocks import wrapped

ACCESS = {
    "RO": "read-only",
    "RW": "read and write",
    "RW1C": "a 1 written clears it",
    "RWO": "the first 1 written stays until reset",
    "RWL": "read and write until locked, as the block says",
    "ROS": "RO, kept over a hot reset",
    "RWS": "RW, kept over a hot reset",
    "RW1CS": "RW1C, kept over a hot reset",
}
SIDES = ("host", "device")
GENERATED = "Made by scripts/regs.py from regs/: do not edit."


class RegsError(Exception):
    pass


# ------------------------------------------------------------------------------------------- reading


class Node:
    """A YAML node that knows its file and line. Scalars are plain strings."""

    def __init__(self, path, node):
        self.path, self.node = path, node

    def fail(self, text):
        raise RegsError(f"{self.path}:{self.node.start_mark.line + 1}: {text}")

    def mapping(self, required, optional=()):
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("a mapping is wanted here")
        found = {}
        for key, value in self.node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            here = Node(self.path, key)
            if name in found:
                here.fail(f"{name}: stands here twice")
            if name not in required and name not in optional:
                here.fail(f"{name}: no such key (known: {', '.join((*required, *optional))})")
            found[name] = Node(self.path, value)
        for name in required:
            if name not in found:
                self.fail(f"{name}: key is missing")
        return found

    def items(self, key):
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            self.fail(f"{key}: a list with at least one entry is wanted")
        return [Node(self.path, n) for n in self.node.value]

    def keys(self):
        if not isinstance(self.node, yaml.MappingNode):
            return set()
        return {key.value for key, _ in self.node.value if isinstance(key, yaml.ScalarNode)}

    def text(self, key):
        if not isinstance(self.node, yaml.ScalarNode) or not self.node.value.strip():
            self.fail(f"{key}: a text is wanted")
        value = " ".join(self.node.value.split())
        if not value.isascii() or "|" in value:
            self.fail(f"{key}: ASCII without | is wanted")
        return value

    def name(self, key, pattern=r"[a-z][a-z0-9]*(_[a-z0-9]+)*"):
        value = self.text(key)
        if not re.fullmatch(pattern, value):
            self.fail(f"{key}: '{value}' is not a name ({pattern})")
        return value

    def one_of(self, key, values):
        value = self.text(key)
        if value not in values:
            self.fail(f"{key}: '{value}' is none of {', '.join(values)}")
        return value

    def number(self, key):
        value = self.text(key)
        if not re.fullmatch(r"0x[0-9a-fA-F]+|0|[1-9][0-9]*", value):
            self.fail(f"{key}: '{value}' is not a number")
        return int(value, 0)

    def bit_range(self, key, text, width):
        match = re.fullmatch(r"([0-9]+)(?::([0-9]+))?", text)
        if not match:
            self.fail(f"{key}: '{text}' is not a bit or msb:lsb")
        msb = int(match[1])
        lsb = msb if match[2] is None else int(match[2])
        if match[2] is not None and msb <= lsb:
            self.fail(f"{key}: '{text}' is not msb:lsb")
        if msb >= width:
            self.fail(f"{key}: '{text}' is beyond the register's {width} bits")
        return msb, lsb


@dataclasses.dataclass
class Field:
    name: str
    msb: int
    lsb: int
    access: str
    reset: int | None  # None: a parameter
    meaning: str
    side: str | None

    @property
    def width(self):
        return self.msb - self.lsb + 1

    def of(self, side):
        return self.side in (None, side)


@dataclasses.dataclass
class Register:
    node: Node
    name: str
    offset: int
    width: int
    meaning: str
    source: str | None
    fields: list

    @property
    def size(self):
        return self.width // 8

    @property
    def sided(self):
        return any(f.side for f in self.fields)

    def reset(self, side=None):
        return sum((f.reset or 0) << f.lsb for f in self.fields if f.of(side) or side is None)


@dataclasses.dataclass
class Group:
    node: Node
    name: str
    offset: int
    stride: int
    count: int
    meaning: str
    registers: list

    @property
    def size(self):
        return self.stride * self.count


@dataclasses.dataclass
class Block:
    node: Node
    file: str
    name: str
    prefix: str
    title: str
    status: str
    where: str
    rtl: str | None
    source: str
    first: int
    size: int
    items: list

    @property
    def offset_bits(self):
        return max(12, (self.first + self.size - 1).bit_length())


def read_field(node, width):
    key = node.mapping(("name", "bits", "access", "reset", "meaning"), ("side",))
    msb, lsb = key["bits"].bit_range("bits", key["bits"].text("bits"), width)
    reset = None
    if key["reset"].text("reset") != "param":
        reset = key["reset"].number("reset")
        if reset >> (msb - lsb + 1):
            key["reset"].fail(f"reset: {reset:#x} does not fit in {msb - lsb + 1} bits")
    side = key["side"].one_of("side", SIDES) if "side" in key else None
    return Field(
        key["name"].name("name"),
        msb,
        lsb,
        key["access"].one_of("access", tuple(ACCESS)),
        reset,
        key["meaning"].text("meaning"),
        side,
    )


def like_fields(key, before, width):
    name = key["like"].name("like")
    if name not in before:
        key["like"].fail(f"like: no register '{name}' before this one")
    if before[name].width != width:
        key["like"].fail(f"like: '{name}' has another width")
    access = key["access"].one_of("access", tuple(ACCESS))
    reset = key["reset"].number("reset")
    fields = [dataclasses.replace(f, access=access, reset=reset) for f in before[name].fields]
    for field in fields:
        if reset >> field.width:
            key["reset"].fail(f"reset: {reset:#x} does not fit in field '{field.name}'")
    return fields


def check_bits(node, fields, reserved, width):
    """Every bit in a field or reserved; two fields share one only on different sides."""
    names, owner = set(), {}
    for field_node, field in fields:
        if field.name in names:
            field_node.fail(f"name: field '{field.name}' stands here twice")
        names.add(field.name)
        for bit in range(field.lsb, field.msb + 1):
            for other in owner.setdefault(bit, []):
                if None in (field.side, other.side) or field.side == other.side:
                    field_node.fail(f"bits: bit {bit} is in '{other.name}' too")
            owner[bit].append(field)
    for msb, lsb in reserved:
        for bit in range(lsb, msb + 1):
            if bit in owner:
                what = owner[bit][0]
                node.fail(f"reserved: bit {bit} is {f'in {what.name!r}' if what else 'reserved twice'}")
            owner[bit] = [None]
    for bit in range(width):
        if bit not in owner:
            node.fail(f"fields: bit {bit} is neither in a field nor reserved")


def read_register(node, before):
    common = ("name", "offset", "meaning")
    optional = ("width", "source", "reserved")
    like = "like" in node.keys()
    key = node.mapping((*common, "like", "access", "reset") if like else (*common, "fields"), optional)
    width = int(key["width"].one_of("width", ("8", "16", "32", "64"))) if "width" in key else 32
    reserved = []
    if "reserved" in key:
        text = key["reserved"].text("reserved")
        reserved = [key["reserved"].bit_range("reserved", part, width) for part in text.split()]
    if like:
        fields = [(node, field) for field in like_fields(key, before, width)]
    else:
        fields = [(n, read_field(n, width)) for n in key["fields"].items("fields")]
    check_bits(node, fields, reserved, width)
    offset = key["offset"].number("offset")
    if offset % (width // 8):
        key["offset"].fail(f"offset: {offset:#x} is not aligned to {width} bits")
    return Register(
        node,
        key["name"].name("name"),
        offset,
        width,
        key["meaning"].text("meaning"),
        key["source"].text("source") if "source" in key else None,
        [field for _, field in fields],
    )


def read_group(node):
    key = node.mapping(("group", "offset", "stride", "count", "meaning", "registers"), ("reserved",))
    registers = read_items(key["registers"], groups=False)
    group = Group(
        node,
        key["group"].name("group"),
        key["offset"].number("offset"),
        key["stride"].number("stride"),
        key["count"].number("count"),
        key["meaning"].text("meaning"),
        registers,
    )
    if group.count == 0 or group.stride == 0:
        node.fail("count, stride: 0 is none")
    free = byte_ranges(key["reserved"]) if "reserved" in key else []
    check_bytes(node, registers, free, 0, group.stride, whole=True)
    return group


def read_items(node, groups):
    items, before = [], {}
    for entry in node.items("registers"):
        if groups and "group" in entry.keys():
            item = read_group(entry)
        else:
            item = read_register(entry, before)
        if item.name in before:
            entry.fail(f"name: '{item.name}' stands in this list twice")
        before[item.name] = item
        items.append(item)
    return items


def byte_ranges(node):
    ranges = []
    for part in node.text("reserved").split():
        match = re.fullmatch(r"(0x[0-9a-f]+)-(0x[0-9a-f]+)", part)
        if not match or int(match[1], 0) > int(match[2], 0):
            node.fail(f"reserved: '{part}' is not 0xfirst-0xlast")
        ranges.append((node, int(match[1], 0), int(match[2], 0) + 1))
    return ranges


def check_bytes(node, items, free, first, end, whole):
    """No overlaps, nothing outside, and no hole: up to the end if `whole`, else up to the last."""
    spans = [(i.offset, i.offset + i.size, f"'{i.name}'", i.node) for i in items]
    spans += [(low, high, "a reserved range", n) for n, low, high in free]
    last = first
    for low, high, what, here in sorted(spans, key=lambda span: span[:2]):
        if low < first or high > end:
            here.fail(f"offset: {what} ({low:#x}-{high - 1:#x}) is outside {first:#x}-{end - 1:#x}")
        if low < last:
            here.fail(f"offset: {what} ({low:#x}) overlaps what ends at {last - 1:#x}")
        if low > last and (last > first or whole):
            here.fail(f"offset: {last:#x}-{low - 1:#x} in front of {what} is neither used nor reserved")
        last = high
    if whole and last < end:
        node.fail(f"registers: {last:#x}-{end - 1:#x} is neither used nor reserved")


def read_block(path, name):
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RegsError(f"{name}: cannot be read: {error}") from error
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark or error.context_mark).line + 1
        raise RegsError(f"{name}:{line}: {error.problem}") from error
    except yaml.YAMLError as error:
        raise RegsError(f"{name}: {' '.join(str(error).split())}") from error
    if root is None:
        raise RegsError(f"{name}:1: the file is empty")
    node = Node(name, root)
    key = node.mapping(
        ("block", "prefix", "title", "status", "where", "source", "first", "size", "registers"), ("rtl", "reserved")
    )
    block = Block(
        node,
        name,
        key["block"].name("block"),
        key["prefix"].name("prefix", r"[A-Z][A-Za-z0-9]*"),
        key["title"].text("title"),
        key["status"].one_of("status", ("built", "planned")),
        key["where"].text("where"),
        key["rtl"].text("rtl") if "rtl" in key else None,
        key["source"].text("source"),
        key["first"].number("first"),
        key["size"].number("size"),
        read_items(key["registers"], groups=True),
    )
    if block.size == 0:
        key["size"].fail("size: 0 is none")
    if block.status == "built" and block.rtl is None:
        key["status"].fail("status: a built block names its module (rtl)")
    free = byte_ranges(key["reserved"]) if "reserved" in key else []
    check_bytes(node, block.items, free, block.first, block.first + block.size, whole=False)
    return block


def read_all(root):
    folder = root / "regs"
    paths = sorted(folder.glob("*.yaml"))
    if not paths:
        raise RegsError("regs: no *.yaml here")
    blocks = []
    for path in paths:
        block = read_block(path, f"regs/{path.name}")
        for other in blocks:
            if other.name == block.name or other.prefix == block.prefix:
                block.node.fail(f"block, prefix: {other.file} has the same")
        if block.rtl and not (root / block.rtl).is_file():
            block.node.fail(f"rtl: {block.rtl} is not there")
        blocks.append(block)
    return blocks


# ------------------------------------------------------------------------------------------- writing


def camel(*names):
    return "".join(part.capitalize() for name in names for part in name.split("_"))


def built(blocks):
    return [block for block in blocks if block.status == "built"]


def walk(block):
    """Registers with the names in front of them and where their offset counts from."""
    for item in block.items:
        if isinstance(item, Group):
            for register in item.registers:
                yield (item.name,), register
        else:
            yield (), item


def unique(block, names):
    seen = set()
    for name in names:
        if name in seen:
            block.node.fail(f"name: '{name}' would be generated twice")
        seen.add(name)


def resets(register):
    """(name suffix, value) of the whole register's reset values; none if parameters set them all."""
    if all(field.reset is None for field in register.fields):
        return []
    if not register.sided:
        return [("", register.reset())]
    return [(side.capitalize(), register.reset(side)) for side in SIDES]


def sv_package(blocks):
    lines = [
        "// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0",
        "//",
        f"// {GENERATED}",
        "//",
        "// Register offsets, fields and reset values. Offsets of registers in a group (Offset and",
        "// Stride of its own) count from their set. A Reset of a whole register has 0 in fields",
        "// that a parameter sets.",
        "",
        "package cxl_reg_pkg;",
        "",
    ]
    for block in built(blocks):
        bits, out = block.offset_bits, []

        def offset(name, value):
            digits = (bits + 3) // 4
            out.append((name, f"logic [{bits - 1}:0]", f"{bits}'h{value:0{digits}X}"))

        def integer(name, value):
            out.append((name, "int unsigned", str(value)))

        offset(f"{block.prefix}BlockOffset", block.first)
        integer(f"{block.prefix}BlockBytes", block.size)
        for item in block.items:
            if isinstance(item, Group):
                name = block.prefix + camel(item.name)
                offset(f"{name}Offset", item.offset)
                integer(f"{name}Stride", item.stride)
                integer(f"{name}Count", item.count)
        for front, register in walk(block):
            name = block.prefix + camel(*front, register.name)
            offset(f"{name}Offset", register.offset)
            for field in register.fields:
                inner = name + camel(field.name)
                integer(f"{inner}Lsb", field.lsb)
                integer(f"{inner}Width", field.width)
                mask = (1 << field.width) - 1 << field.lsb
                out.append(
                    (
                        f"{inner}Mask",
                        f"logic [{register.width - 1}:0]",
                        f"{register.width}'h{mask:0{register.width // 4}X}",
                    )
                )
                if field.reset is not None:
                    kind = f"logic [{field.width - 1}:0]" if field.width > 1 else "logic"
                    out.append((f"{inner}Reset", kind, f"{field.width}'h{field.reset:X}"))
            for suffix, value in resets(register):
                out.append(
                    (
                        f"{name}{suffix}Reset",
                        f"logic [{register.width - 1}:0]",
                        f"{register.width}'h{value:0{register.width // 4}X}",
                    )
                )
        unique(block, [name for name, _, _ in out])
        lines += [f"  // {block.title}"]
        lines += [f"  parameter {kind} {name} = {value};" for name, kind, value in out]
        lines += [""]
    return "\n".join([*lines, "endpackage", ""])


CPP_HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Register offsets, fields and reset values.
//
// {generated}
//
// Purpose: names for what the register map says. The offset of a register in a group counts from
//          its set; the group has the offset of the first set, the stride and the count.
// Units:   offsets in bytes, fields in bits; the reset value of a whole register has 0 in fields
//          that a parameter sets.
// Errors:  none.
// Source:  regs/*.yaml, each with its source.
#pragma once

#include <concepts>
#include <cstdint>

namespace cxlgpu::regs {{

template <std::unsigned_integral T>
struct BasicField {{
  unsigned lsb = 0;
  unsigned width = 0;
  T reset = 0;

  [[nodiscard]] constexpr T ones() const {{ return ~T{{0}} >> (8 * sizeof(T) - width); }}
  [[nodiscard]] constexpr T mask() const {{ return ones() << lsb; }}
  [[nodiscard]] constexpr T get(T value) const {{ return (value >> lsb) & ones(); }}
  [[nodiscard]] constexpr T put(T field) const {{ return (field & ones()) << lsb; }}
  [[nodiscard]] constexpr bool is_set(T value) const {{ return get(value) != 0; }}
}};
using Field = BasicField<std::uint32_t>;
using Field64 = BasicField<std::uint64_t>;
"""


def cpp_header(blocks):
    lines = [CPP_HEAD.format(generated=GENERATED)]
    for block in built(blocks):
        out = []

        def constant(name, value, kind="std::uint32_t"):
            out.append((name, f"inline constexpr {kind} {name} = {value};"))

        constant("kBlock", f"0x{block.first:03x}")
        constant("kBlockBytes", f"0x{block.size:x}")
        for item in block.items:
            if isinstance(item, Group):
                name = "k" + camel(item.name)
                constant(name, f"0x{item.offset:03x}")
                constant(f"{name}Stride", f"0x{item.stride:x}")
                constant(f"{name}Count", item.count, "unsigned")
        for front, register in walk(block):
            name = "k" + camel(*front, register.name)
            wide = register.width == 64
            constant(name, f"0x{register.offset:03x}")
            for field in register.fields:
                inner = name + camel(field.name)
                out.append(
                    (
                        inner,
                        f"inline constexpr {'Field64' if wide else 'Field'} {inner}"
                        f"{{{field.lsb}, {field.width}, 0x{field.reset or 0:x}}};",
                    )
                )
            for suffix, value in resets(register):
                constant(
                    f"{name}{suffix}Reset",
                    f"0x{value:0{register.width // 4}x}",
                    "std::uint64_t" if wide else "std::uint32_t",
                )
        unique(block, [name for name, _ in out])
        lines += [f"// {block.title}", f"namespace {block.name} {{"]
        lines += [line for _, line in out]
        lines += [f"}}  // namespace {block.name}", ""]
    return "\n".join([*lines, "}  // namespace cxlgpu::regs", ""])


def rows(register, offset):
    first = True
    for field in sorted(register.fields, key=lambda f: (f.lsb, f.msb)):
        bits = str(field.lsb) if field.width == 1 else f"{field.msb}:{field.lsb}"
        reset = "param" if field.reset is None else f"{field.reset:X}h" if field.reset > 9 else str(field.reset)
        name = f"**{register.name}**" + (f" ({register.width} bit)" if register.width != 32 else "")
        meaning = field.meaning + (f" ({field.side} only)" if field.side else "")
        yield "| {} | {} | {} | {} | {} | {} | {} |".format(
            offset if first else "",
            f"{name}: {register.meaning}" if first else "",
            bits,
            field.name,
            field.access,
            reset,
            meaning,
        )
        first = False


def document(blocks):
    lines = [
        "# Registers",
        "",
        f"<!-- {GENERATED} -->",
        "",
        "Every register block, from `regs/*.yaml`. *Built* blocks are in the RTL; their offsets and "
        "fields are generated into",
        "`rtl/pkg/cxl_reg_pkg.sv` and `common/registers.hpp`. "
        "*Planned* ones are laid out, with no code yet. Bits and bytes not",
        "named are reserved and "
        "read 0. Reset *param*: set by a parameter or by the place. Behaviour: "
        "[blocks](blocks/README.md).",
        "",
        "| access | |",
        "|---|---|",
        *(f"| {k} | {v} |" for k, v in ACCESS.items()),
        "",
        "| block | status | file |",
        "|---|---|---|",
        *(f"| {b.title} | {b.status} | `{b.file}` |" for b in blocks),
        "",
    ]
    for block in sorted(blocks, key=lambda b: b.status):
        lines += [
            f"## {block.title}",
            "",
            f"{block.status.capitalize()}"
            + (f" (`{block.rtl}`)" if block.rtl else "")
            + f". Where: {block.where}. Source: {block.source}.",
            "",
            "| offset | register | bits | field | access | reset | meaning |",
            "|---|---|---|---|---|---|---|",
        ]
        for item in block.items:
            if isinstance(item, Group):
                lines += [
                    f"| {item.offset:03X}h + {item.stride:X}h n | **{item.name}**[n], "
                    f"n < {item.count}: {item.meaning} | | | | | |"
                ]
                for register in item.registers:
                    lines += rows(register, f"+{register.offset:02X}h")
            else:
                lines += rows(item, f"{item.offset:03X}h")
        lines += [""]
    return wrapped("\n".join(lines).rstrip()) + "\n"


OUTPUTS = {
    "rtl/pkg/cxl_reg_pkg.sv": sv_package,
    "common/registers.hpp": cpp_header,
    "docs/registers.md": document,
}


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description="registers from regs/*.yaml; see the head of this file")
    parser.add_argument("--check", action="store_true", help="write nothing, fail if not current")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    options = parser.parse_args()
    try:
        blocks = read_all(options.root)
        texts = {name: make(blocks) for name, make in OUTPUTS.items()}
        stale = []
        for name, text in texts.items():
            path = options.root / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
                if not options.check:
                    write(path, text)
    except RegsError as error:
        print(f"regs: {error}", file=sys.stderr)
        return 2
    except (OSError, UnicodeDecodeError) as error:
        print(f"regs: {error}", file=sys.stderr)
        return 2
    if options.check:
        for name in stale:
            print(f"regs: {name} is not current (scripts/regs.py)", file=sys.stderr)
        return 1 if stale else 0
    print(f"regs: {len(blocks)} blocks, written: {', '.join(stale) if stale else 'nothing new'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
