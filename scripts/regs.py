#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The register map from one place: regs/*.yaml, one file a register block.

Checks the files and writes what is made from them:

  rtl/pkg/cxl_reg_pkg.sv         offsets, fields, reset values (blocks with `status: built`)
  rtl/pkg/cxl_reg_types_pkg.sv   registers as structs, and what a read and a write make of them
  common/registers.hpp           the first for C++
  common/register_types.hpp      the second for C++
  common/register_table.hpp      every field as a row of one table, for tests
  docs/registers.md              tables of all blocks
  regs/cxlgpu.rdl                the same as SystemRDL 2.0, for RAL, IP-XACT, HTML

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
  [byte_enables]  true: configuration space, where a write may change single bytes
A register: name, offset, meaning, fields, [width] 8 16 32 64 (32), [source], [reserved] bit ranges.
  Instead of its own fields it may have `like` (a register before it), access and reset.
  Every bit is in a field or reserved.
A group of `count` equal sets of registers, `stride` (a power of two) bytes apart: group, offset, stride,
  count, meaning, registers (offsets within the set), [reserved]. Every byte of the stride is used or reserved.
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
    "RO": "read-only: constant, or set by hardware; a write changes nothing",
    "HwInit": "read-only for software: set once, by hardware or by a parameter, before software can read it",
    "RW": "read and write: holds what was written last",
    "RW1C": "set by hardware; a 1 written clears it, a 0 written leaves it",
    "RWO": "write-once: the first 1 written stays until reset",
    "RWL": "RW while not locked; what locks it is said at the register",
    "ROS": "RO, sticky: kept over a hot reset",
    "RWS": "RW, sticky: kept over a hot reset",
    "RW1CS": "RW1C, sticky: kept over a hot reset",
}
READ_ONLY = ("RO", "ROS", "HwInit")
SIDES = ("host", "device")
# Members of structs: no name that either language keeps for itself.
KEYWORDS = frozenset(
    """
    accept_on alias always and assert assign assume automatic before begin bind bins binsof bit break buf bufif0
    bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue
    cover covergroup coverpoint cross deassign default defparam design disable dist do edge else end endcase
    endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprogram
    endproperty endsequence endspecify endtable endtask enum event eventually expect export extends extern final
    first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone
    ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int
    integer interconnect interface intersect join join_any join_none large let liblist library local localparam
    logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority
    program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc
    randcase randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran
    rtranif0 rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
    showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct super
    supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit
    tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until
    until_with untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while wildcard
    wire with within wor xnor xor
    alignas alignof asm auto bool catch char char8_t char16_t char32_t co_await co_return co_yield compl concept
    consteval constexpr constinit const_cast decltype delete double dynamic_cast explicit false float friend goto
    inline long mutable namespace noexcept nullptr operator private public register reinterpret_cast requires
    short sizeof static_assert static_cast switch template thread_local throw true try typeid typename using
    volatile wchar_t
    """.split()
)
# Of a field: what its register's members and arguments are called in C++.
TAKEN = frozenset("word write from whole fields value written ones bits put enables locked side half".split())
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

    def member(self, key, taken=frozenset()):
        value = self.name(key)
        if value in KEYWORDS or value in taken:
            self.fail(f"{key}: '{value}' is a word of SystemVerilog, of C++ or of what is generated")
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

    @property
    def writable(self):
        return any(f.access not in READ_ONLY for f in self.fields)

    @property
    def locked(self):
        return any(f.access == "RWL" for f in self.fields)

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
    byte_enables: bool

    @property
    def snake(self):
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.prefix).lower()

    @property
    def sided(self):
        return any(register.sided for _, register in walk(self))

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
        key["name"].member("name", TAKEN),
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
        key["name"].member("name"),
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
        key["group"].member("group"),
        key["offset"].number("offset"),
        key["stride"].number("stride"),
        key["count"].number("count"),
        key["meaning"].text("meaning"),
        registers,
    )
    if group.count == 0 or group.stride == 0:
        node.fail("count, stride: 0 is none")
    if group.stride & (group.stride - 1) or group.stride % 4 or group.offset % 4:
        key["stride"].fail("stride: a power of two, at least 4, is wanted, and an offset of whole words")
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
        ("block", "prefix", "title", "status", "where", "source", "first", "size", "registers"),
        ("rtl", "reserved", "byte_enables"),
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
        "byte_enables" in key and key["byte_enables"].one_of("byte_enables", ("true", "false")) == "true",
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


# Types and functions, SystemVerilog

SV_TYPES_HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// {generated}
//
// Every register as a struct of its fields, without what is reserved, and what software makes of
// it:
//
//   <reg>_word(f)             the register as a read gives it
//   <reg>_from(word)          its fields in such a word (not of registers that differ by side)
//   <reg>_written(f, wdata)   its fields after a write, by their access kinds; what hardware does
//                             to them is its module's. Further arguments, where they matter: high,
//                             the upper half of 64 bits is written; be, the bytes of the register
//                             that are (configuration space); device, the side that has it;
//                             locked, fields with RWL stay. Not there: a write changes nothing.
//   <set>_word, <block>_word  the word at an address of a set of registers or of a block: of
//                             registers of less than 32 bits all that share it
//
// A value ...AtReset has 0 in fields that a parameter sets. First in a struct, and so in its most
// significant bits, is the most significant field of a register, the first register of a block.

package cxl_reg_types_pkg;

  // A function takes the whole word and uses the bits that its register has; a top does not call
  // every function.
  // verilator lint_off UNUSEDSIGNAL
  // Members of a packed struct are no names in C++.
  // verilator lint_off SYMRSVDWORD
  // verilator coverage_off
"""


def sv_vector(width):
    return f"logic [{width - 1}:0]" if width > 1 else "logic"


def sv_slice(text, width, msb, lsb):
    if width == 1:
        return text
    return f"{text}[{msb}:{lsb}]" if msb > lsb else f"{text}[{lsb}]"


def descending(register):
    return sorted(register.fields, key=lambda f: (f.msb, f.lsb), reverse=True)


def sv_struct(name, members):
    width = max(len(kind) for kind, _ in members)
    lines = ["  typedef struct packed {"]
    lines += [f"    {kind:{width}} {member};" for kind, member in members]
    return [*lines, f"  }} {name};", ""]


def sv_assignment(head, parts, tail=";"):
    """head '{a: x, b: y}; in one line if it fits."""
    line = f"{head}'{{{', '.join(parts)}}}{tail}"
    if len(line) <= 100:
        return [line]
    indent = " " * (len(head) - len(head.lstrip()))
    lines = [f"{head}'{{"]
    current = f"{indent}  "
    for i, part in enumerate(parts):
        text = part + ("," if i + 1 < len(parts) else "")
        if len(current.strip()) and len(current) + len(text) + 1 > 100:
            lines.append(current.rstrip())
            current = f"{indent}  "
        current += text + " "
    return [*lines, current.rstrip(), f"{indent}}}{tail}"]


def sv_concat(parts):
    return parts[0] if len(parts) == 1 else "{" + ", ".join(parts) + "}"


def sv_word_of(fields, width):
    """Fields of one side, reserved bits as 0, as one concatenation."""
    parts, at = [], width
    for field in fields:
        if field.msb + 1 < at:
            parts.append(f"{at - field.msb - 1}'d0")
        parts.append(f"f.{field.name}")
        at = field.lsb
    if at:
        parts.append(f"{at}'d0")
    return sv_concat(parts)


def sv_written_of(field, register, block):
    """The field after a write: piece by piece, where parts of the register can be written alone."""
    unit = 8 if block.byte_enables else 32
    pieces = []
    top = field.msb
    while top >= field.lsb:
        low = max(field.lsb, top // unit * unit)
        old = sv_slice(f"f.{field.name}", field.width, top - field.lsb, low - field.lsb)
        if field.width == top - low + 1:
            old = f"f.{field.name}"
        source = top - (32 * (top // 32) if register.width == 64 else 0)
        new = sv_slice("wdata", register.width, source, source - (top - low))
        if field.access in ("RW1C", "RW1CS"):
            new = f"{old} & ~{new}"
        elif field.access == "RWO":
            new = f"{old} | {new}"
        if block.byte_enables:
            enable = f"be[{top // 8}]" if register.width > 8 else "be"
            new = f"{enable} ? {new} : {old}"
        elif register.width == 64:
            new = f"high ? {new} : {old}" if top >= 32 else f"high ? {old} : {new}"
        pieces.append(new)
        top = low - 1
    value = sv_concat(pieces)
    conditional = " ? " in value and len(pieces) == 1
    guards = []
    if field.access == "RWL":
        guards.append("locked")
    if field.side:
        guards.append("device" if field.side == "host" else "!device")
    if guards:
        value = f"{' || '.join(guards)} ? f.{field.name} : {f'({value})' if conditional else value}"
    return value


def sv_register(block, front, register):
    """Type, reset value and functions of one register."""
    name = "_".join((block.snake, *front, register.name))
    members = [(sv_vector(f.width), f.name) for f in descending(register)]
    lines = sv_struct(f"{name}_t", members)
    camels = block.prefix + camel(*front, register.name)
    for suffix, side in (("Host", "host"), ("Device", "device")) if register.sided else (("", None),):
        here = [(f, f.reset or 0 if side is None or f.of(side) else 0) for f in descending(register)]
        values = [f"{f.name}: {f.width}'h{value:X}" for f, value in here]
        lines += sv_assignment(f"  parameter {name}_t {camels}{suffix}AtReset = ", values)
    lines += [""]
    words = [sv_word_of([f for f in descending(register) if f.of(s)], register.width) for s in SIDES]
    vector = sv_vector(max(register.width, 32) if not block.byte_enables else register.width)
    lines += [f"  function automatic {vector} {name}_word({name}_t f);"]
    lines += sv_wrapped("    return ", words[0] if words[0] == words[1] else " | ".join(words))
    lines += ["  endfunction", ""]
    if not register.sided:
        lines += sv_head(f"{name}_t {name}_from", [f"{vector} word"])
        values = [f"{f.name}: {sv_slice('word', 32, f.msb, f.lsb)}" for f in descending(register)]
        lines += [*sv_assignment("    return ", values), "  endfunction", ""]
    if not register.writable:
        return lines
    width = register.width if block.byte_enables else 32
    arguments = [f"{name}_t f", f"{sv_vector(width)} wdata"]
    if block.byte_enables:
        arguments.append(f"{sv_vector(register.width // 8)} be")
    if register.width == 64:
        arguments.append("logic high")
    if register.sided:
        arguments.append("logic device")
    if register.locked:
        arguments.append("logic locked")
    lines += sv_head(f"{name}_t {name}_written", arguments)
    lines += [f"    {name}_t d;", "    d = f;"]
    for field in descending(register):
        if field.access not in READ_ONLY:
            lines += sv_wrapped(f"    d.{field.name} = ", sv_written_of(field, register, block))
    lines += ["    return d;", "  endfunction", ""]
    return lines


def sv_head(head, arguments):
    """The first line of a function, or two."""
    line = f"  function automatic {head}({', '.join(arguments)});"
    if len(line) <= 100:
        return [line]
    return [f"  function automatic {head}(", *sv_wrapped("      ", f"{', '.join(arguments)})")]


def sv_wrapped(head, text):
    """A statement, broken after commas and in front of operators where it is too long."""
    text += ";"
    lines, current = [], head
    indent = " " * (len(head) - len(head.lstrip()) + 4)
    for token in re.split(r"(?<=,) | (?=[|?:] )", text):
        if current not in (head, indent):
            if len(current) + 1 + len(token) > 100:
                lines.append(current)
                current = indent
            else:
                current += " "
        current += token
    return [*lines, current]


def word_parts(registers, first):
    """{word address: [(register, its lowest bit in the word, half of 64 bits)]}"""
    words = {}
    for register in registers:
        at = first + register.offset
        for half in range(2 if register.width == 64 else 1):
            words.setdefault(at // 4 + half, []).append((register, at % 4 * 8, half))
    return dict(sorted(words.items()))


def sv_word_at(name, parts, struct):
    """Registers of one word."""
    register = parts[0][0]
    if register.width >= 32:
        call = f"{name}_{register.name}_word({struct}.{register.name})"
        return call if register.width == 32 else (call, parts[0][2])
    out, at = [], 32
    for register, lsb, _ in sorted(parts, key=lambda part: part[1], reverse=True):
        if lsb + register.width < at:
            out.append(f"{at - lsb - register.width}'d0")
        out.append(f"{name}_{register.name}_word({struct}.{register.name})")
        at = lsb
    if at:
        out.append(f"{at}'d0")
    return sv_concat(out)


def sv_word_function(name, kind, registers, first, bits, groups):
    """Words of a set or block by word address."""
    words = word_parts(registers, first)
    address = [f"logic [{bits - 1}:2] word"] if bits > 2 else []
    lines = sv_head(f"logic [31:0] {name}_word", [f"{kind} r", *address])
    if bits == 2:
        (parts,) = words.values()
        return [*lines, *sv_wrapped("    return ", sv_word_at(name, parts, "r")), "  endfunction", ""]
    size = bits - 2
    digits = (size + 3) // 4
    lines += ["    logic [31:0] data;"]
    if any(isinstance(part, tuple) for part in (sv_word_at(name, parts, "r") for parts in words.values())):
        lines += ["    logic [63:0] wide;"]
    for group in groups:
        lines += [f"    logic [{bits - 1}:2] {group.name}_at;  // words from the first {group.name}"]
    lines += ["    data = '0;"]
    if "    logic [63:0] wide;" in lines:
        lines += ["    wide = '0;"]
    for group in groups:
        lines += [f"    {group.name}_at = word - {size}'h{group.offset // 4:0{digits}X};"]
    full = len(words) == 1 << size
    lines += ["    unique case (word)"]
    for i, (at, parts) in enumerate(words.items()):
        label = "default" if full and i + 1 == len(words) else f"{size}'h{at:0{digits}X}"
        value = sv_word_at(name, parts, "r")
        if isinstance(value, tuple):
            call, half = value
            lines += [f"      {label}: begin"]
            lines += sv_wrapped("        wide = ", call)
            lines += [f"        data = wide[{32 * half + 31}:{32 * half}];", "      end"]
        else:
            lines += sv_wrapped(f"      {label}: data = ", value)
    if groups:
        lines += ["      default: begin"]
        for group in groups:
            step = group.stride.bit_length() - 1  # address bits within a set
            index_bits = (group.count - 1).bit_length()
            index = f"{group.name}_at[{step + index_bits - 1}:{step}]" if index_bits > 1 else f"{group.name}_at[{step}]"
            if index_bits == 0:
                index = "0"
            inner = f", {group.name}_at[{step - 1}:2]" if step > 2 else ""
            lines += [f"        if ({group.name}_at < {size}'d{group.size // 4}) begin"]
            lines += sv_wrapped("          data = ", f"{name}_{group.name}_word(r.{group.name}[{index}]{inner})")
            lines += ["        end"]
        lines += ["      end"]
    elif not full:
        lines += ["      default: ;"]
    return [*lines, "    endcase", "    return data;", "  endfunction", ""]


def sv_types_package(blocks):
    lines = SV_TYPES_HEAD.format(generated=GENERATED).splitlines()
    for block in built(blocks):
        name = block.snake
        bar = f"  // {'-' * 93}"
        lines += ["", bar, f"  // {block.title}", bar]
        groups = [item for item in block.items if isinstance(item, Group)]
        for front, register in walk(block):
            lines += sv_register(block, front, register)
        members = []
        for item in block.items:
            if isinstance(item, Group):
                inner = f"{name}_{item.name}"
                lines += sv_struct(f"{inner}_t", [(f"{inner}_{r.name}_t", r.name) for r in item.registers])
                lines += sv_resets(block, f"{inner}_t", block.prefix + camel(item.name), item.registers)
                lines += sv_word_function(inner, f"{inner}_t", item.registers, 0, item.stride.bit_length() - 1, [])
                members.append((f"{inner}_t [{item.count - 1}:0]", item.name))
            else:
                members.append((f"{name}_{item.name}_t", item.name))
        lines += sv_struct(f"{name}_regs_t", members)
        lines += sv_resets(block, f"{name}_regs_t", f"{block.prefix}Regs", block.items)
        registers = [item for item in block.items if isinstance(item, Register)]
        lines += sv_word_function(name, f"{name}_regs_t", registers, 0, block.offset_bits, groups)
        lines.pop()
        typed = [line.split()[-1] for line in lines if line.startswith("  } ")]
        unique(block, typed)
    lines += [
        "",
        *(f"  // verilator {what}" for what in ("coverage_on", "lint_on SYMRSVDWORD", "lint_on UNUSEDSIGNAL")),
    ]
    return "\n".join([*lines, "", "endpackage", ""])


def item_sided(item):
    return any(r.sided for r in item.registers) if isinstance(item, Group) else item.sided


def sv_resets(block, kind, constant, items):
    """The reset value of a set or block, one a side where they differ."""
    lines = []
    front = constant if constant != f"{block.prefix}Regs" else block.prefix
    for suffix in [s.capitalize() for s in SIDES] if any(item_sided(item) for item in items) else [""]:
        values = []
        for item in items:
            value = f"{front}{camel(item.name)}{suffix if item_sided(item) else ''}AtReset"
            if isinstance(item, Group):
                value = f"{{{item.count}{{{value}}}}}"
            values.append(f"{item.name}: {value}")
        lines += sv_assignment(f"  parameter {kind} {constant}{suffix}AtReset = ", values)
    return [*lines, ""]


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


# Types and table, C++

CPP_TYPES_HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Registers as structs of their fields.
//
// {generated}
//
// Purpose: what software makes of a register: word() is what a read gives, from() the fields of a
//          word, write() what a write of software leaves in them, by their access kinds. What
//          hardware does to them is its block's. A struct begins with the reset values, 0 in what a
//          parameter sets.
//          Regs is a whole block, a set ...Set one of a group of equal registers: word_at() and
//          write_at() go by the offset in the block or set, of a word; what is reserved reads 0.
//          A write_at() of no register, or of one that is read-only, changes nothing.
// Units:   words of 32 bits; of a register of 64 bits half 0 is the lower one. enables: the bytes
//          of the register that are written (configuration space). locked: fields with RWL stay.
//          side: who has the register, where host and device differ; at_reset() is then what it
//          begins with, and a struct made without it has 0 in the fields of one side.
// Errors:  none.
// Source:  regs/*.yaml, each with its source.
#pragma once

#include <array>
#include <cstdint>

#include "common/registers.hpp"

namespace cxlgpu::regs {{

enum class Side : std::uint8_t {{ Host, Device }};

// The bits of the bytes that are enabled.
[[nodiscard]] constexpr std::uint32_t enabled_bits(unsigned enables) {{
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i) bits |= (enables >> i & 1u) * (0xffu << 8 * i);
  return bits;
}}
"""


def cpp_wrapped(head, parts, tail, joiner):
    """head part joiner part ... tail, as clang-format breaks it: at the joiners, under the first part."""
    line = head + f"{joiner} ".join(parts) + tail
    if len(line) <= 100:
        return [line]
    lines, current = [], head
    for i, part in enumerate(parts):
        text = part + (joiner if i + 1 < len(parts) else tail)
        if current != head and len(current) + len(text) > 100:
            lines.append(current.rstrip())
            current = " " * len(head)
        current += text + (" " if i + 1 < len(parts) else "")
    return [*lines, current]


def cpp_function(head, body):
    """In one line, if there is one statement and it fits, as clang-format has it."""
    if len(head) == 1 and len(body) == 1:
        line = f"{head[0]} {body[0].strip()} }}"
        if len(line) <= 100:
            return [line]
    return [*head, *body, "  }"]


def cpp_arguments(block, register, first):
    """Declarations and names of what a write needs to know, beside the offset."""
    out = [("std::uint32_t value", "value")] if first else []
    if block.byte_enables:
        out.append(("unsigned enables", "enables"))
    if register.width == 64:
        out.append(("unsigned half", "half"))
    if register.sided:
        out.append(("Side side", "side"))
    if register.locked:
        out.append(("bool locked", "locked"))
    return out


def cpp_value(field):
    if field.width == 1:
        return "true" if field.reset else "false"
    return f"0x{field.reset or 0:x}"


def resets_differ(register):
    return any(f.side and f.reset for f in register.fields)


def cpp_member(field):
    kind = "bool" if field.width == 1 else "std::uint64_t" if field.width > 32 else "std::uint32_t"
    value = cpp_value(dataclasses.replace(field, reset=0) if field.side else field)
    return f"  {kind} {field.name} = {value};"


def cpp_register(block, front, register):
    constant = "k" + camel(*front, register.name)
    name = camel(*front, register.name) + "Reg"
    lines = [f"// {'.'.join((*front, register.name))}", f"struct {name} {{"]
    fields = sorted(register.fields, key=lambda f: (f.lsb, f.msb))
    lines += [cpp_member(f) for f in fields]
    lines += ["", f"  bool operator==(const {name}&) const = default;"]
    if resets_differ(register):
        # Of two fields in one place each side has its own reset value, and they are no one word.
        lines += [f"  [[nodiscard]] static constexpr {name} at_reset(Side side) {{", f"    {name} fields;"]
        for f in fields:
            if f.side and f.reset:
                lines += [f"    if (side == Side::{f.side.capitalize()}) fields.{f.name} = {cpp_value(f)};"]
        lines += ["    return fields;", "  }"]
    puts = [f"{constant}{camel(f.name)}.put({f.name})" for f in fields]
    body = cpp_wrapped("    return ", puts, ";", " |")
    wide = "64" if register.width == 64 else "32"
    lines += [f"  [[nodiscard]] static constexpr {name} from(std::uint{wide}_t word) {{", f"    {name} fields;"]
    for field in fields:
        text = f"{constant}{camel(field.name)}.{'is_set' if field.width == 1 else 'get'}(word)"
        cast = register.width == 64 and 1 < field.width <= 32
        lines += [f"    fields.{field.name} = {f'static_cast<std::uint32_t>({text})' if cast else text};"]
    lines += ["    return fields;", "  }"]
    if register.width == 64:
        lines += cpp_function(["  [[nodiscard]] constexpr std::uint64_t whole() const {"], body)
        half = ["    return static_cast<std::uint32_t>(whole() >> 32 * half);"]
        lines += cpp_function(["  [[nodiscard]] constexpr std::uint32_t word(unsigned half) const {"], half)
    else:
        lines += cpp_function(["  [[nodiscard]] constexpr std::uint32_t word() const {"], body)
    if not register.writable:
        return [*lines, "};"]
    arguments = ", ".join(kind for kind, _ in cpp_arguments(block, register, True))
    head = cpp_signature(f"  constexpr void write({arguments}) {{")
    body = []
    source = ones = "value"
    accesses = {f.access for f in fields}
    clears = accesses & {"RW1C", "RW1CS", "RWO"}
    sets = accesses - clears - set(READ_ONLY)
    if block.byte_enables:
        body += ["    const std::uint32_t bits = enabled_bits(enables);"]
        if sets:
            body += ["    const std::uint32_t written = (word() & ~bits) | (value & bits);"]
        if clears:
            body += ["    const std::uint32_t ones = value & bits;"]
        source, ones = "written", "ones"
    elif register.width == 64:
        body += ["    const std::uint64_t bits = std::uint64_t{0xffffffff} << 32 * half;"]
        body += ["    const std::uint64_t put = (std::uint64_t{value} << 32 * half) & bits;"]
        if sets:
            body += ["    const std::uint64_t written = (whole() & ~bits) | put;"]
        source, ones = "written", "put"
    for field in fields:
        if field.access in READ_ONLY:
            continue
        place = f"{constant}{camel(field.name)}"
        one = field.width == 1
        if field.access in ("RW1C", "RW1CS"):
            text = f"= {field.name} && !{place}.is_set({ones});" if one else f"&= ~{place}.get({ones});"
            text = f"{field.name} {text}"
        elif field.access == "RWO":
            text = f"= {field.name} || {place}.is_set({ones});" if one else f"|= {place}.get({ones});"
            text = f"{field.name} {text}"
        else:
            text = f"{place}.{'is_set' if one else 'get'}({source})"
            cast = register.width == 64 and not one and field.width <= 32
            text = f"{field.name} = {f'static_cast<std::uint32_t>({text})' if cast else text};"
        guards = []
        if field.side:
            guards.append(f"side == Side::{field.side.capitalize()}")
        if field.access == "RWL":
            guards.append("!locked")
        if guards:
            text = f"if ({' && '.join(guards)}) {text}"
        body += [f"    {text}"]
    return [*lines, *cpp_function(head, body), "};"]


def cpp_signature(text):
    """Broken after the bracket's arguments where it is too long."""
    if len(text) <= 100:
        return [text]
    head, rest = text.split("(", 1)
    return cpp_wrapped(head + "(", rest.split(", "), "", ",")


def cpp_items(block, items, front):
    """Members word_at and write_at of a set or of the block."""
    constant = "k" + "".join(camel(n) for n in front)
    registers = [item for item in items if isinstance(item, Register)]
    groups = [item for item in items if isinstance(item, Group)]
    head = ["  [[nodiscard]] constexpr std::uint32_t word_at(std::uint32_t offset) const {"]
    lines = []
    words = word_parts(registers, 0)
    if words:
        lines += ["    switch (offset & ~3u) {"]
    for at, parts in words.items():
        reads = []
        for register, lsb, half in parts:
            text = f"{register.name}.word({half if register.width == 64 else ''})"
            reads.append(f"{text} << {lsb}" if lsb else text)
        lines += [f"      case 0x{4 * at:03x}:"]
        lines += cpp_wrapped("        return ", reads, ";", " |")
    if words:
        lines += ["      default:", "        break;", "    }"]
    for group in groups:
        name = constant + camel(group.name)
        lines += [f"    if (offset >= {name} && offset - {name} < {name}Stride * {name}Count) {{"]
        lines += [f"      const std::uint32_t at = offset - {name};"]
        lines += [f"      return {group.name}[at / {name}Stride].word_at(at % {name}Stride);", "    }"]
    lines = [*head, *lines, "    return 0;", "  }"]
    everything = [r for item in items for r in (item.registers if isinstance(item, Group) else [item])]
    writable = [r for r in everything if r.writable]
    if not writable:
        return lines
    arguments = [("std::uint32_t offset", "offset"), ("std::uint32_t value", "value")]
    arguments += [("unsigned enables", "enables")] if block.byte_enables else []
    arguments += [("Side side", "side")] if any(r.sided for r in writable) else []
    arguments += [("bool locked", "locked")] if any(r.locked for r in writable) else []
    lines += cpp_signature(f"  constexpr void write_at({', '.join(kind for kind, _ in arguments)}) {{")
    cases = []
    for at, parts in words.items():
        calls = []
        for register, lsb, half in parts:
            if not register.writable:
                continue
            given = []
            for _, name in cpp_arguments(block, register, True):
                if name == "value":
                    given.append(f"value >> {lsb}" if lsb else "value")
                elif name == "enables":
                    given.append(f"enables >> {lsb // 8}" if lsb else "enables")
                else:
                    given.append(str(half) if name == "half" else name)
            calls.append(f"        {register.name}.write({', '.join(given)});")
        if calls:
            cases += [f"      case 0x{4 * at:03x}:", *calls, "        break;"]
    if cases:
        lines += ["    switch (offset & ~3u) {", *cases, "      default:", "        break;", "    }"]
    for group in groups:
        inner = [r for r in group.registers if r.writable]
        if not inner:
            continue
        name = constant + camel(group.name)
        given = ["at % " + name + "Stride", "value"]
        given += ["enables"] if block.byte_enables else []
        given += ["side"] if any(r.sided for r in inner) else []
        given += ["locked"] if any(r.locked for r in inner) else []
        lines += [f"    if (offset >= {name} && offset - {name} < {name}Stride * {name}Count) {{"]
        lines += [f"      const std::uint32_t at = offset - {name};"]
        lines += cpp_wrapped(f"      {group.name}[at / {name}Stride].write_at(", given, ");", ",")
        lines += ["    }"]
    return [*lines, "  }"]


def cpp_at_reset(block):
    """Of a whole block whose registers differ by side."""
    if not any(resets_differ(register) for _, register in walk(block)):
        return []
    lines = ["  [[nodiscard]] static constexpr Regs at_reset(Side side) {", "    Regs regs;"]
    for item in block.items:
        if isinstance(item, Group):
            for register in item.registers:
                if resets_differ(register):
                    kind = camel(item.name, register.name) + "Reg"
                    lines += [f"    for (auto& set : regs.{item.name}) set.{register.name} = {kind}::at_reset(side);"]
        elif resets_differ(item):
            lines += [f"    regs.{item.name} = {camel(item.name)}Reg::at_reset(side);"]
    return [*lines, "    return regs;", "  }"]


def cpp_types(blocks):
    lines = CPP_TYPES_HEAD.format(generated=GENERATED).splitlines()
    for block in built(blocks):
        lines += ["", f"// {block.title}", f"namespace {block.name} {{"]
        names, members = ["Regs"], []
        for front, register in walk(block):
            names.append(camel(*front, register.name) + "Reg")
            lines += ["", *cpp_register(block, front, register)]
        for item in block.items:
            name = camel(item.name)
            if not isinstance(item, Group):
                members.append(f"  {name}Reg {item.name};")
                continue
            names.append(f"{name}Set")
            lines += ["", f"struct {name}Set {{"]
            lines += [f"  {name}{camel(r.name)}Reg {r.name};" for r in item.registers]
            lines += ["", f"  bool operator==(const {name}Set&) const = default;"]
            lines += [*cpp_items(block, item.registers, (item.name,)), "};"]
            members.append(f"  std::array<{name}Set, k{name}Count> {item.name};")
        unique(block, names)
        lines += ["", "struct Regs {", *members, "", "  bool operator==(const Regs&) const = default;"]
        lines += cpp_at_reset(block)
        lines += [*cpp_items(block, block.items, ()), "};"]
        lines += ["", f"}}  // namespace {block.name}"]
    return "\n".join([*lines, "", "}  // namespace cxlgpu::regs", ""])


CPP_TABLE_HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Every field of every register block in the RTL, as rows of one table.
//
// {generated}
//
// Purpose: tests of all registers go by it.
// Units:   offset in bytes, as the block counts them: of a register in a group that of the first
//          set, of which there are `count`, `stride` bytes apart; lsb and widths in bits.
// Errors:  none.
// Source:  regs/*.yaml, each with its source.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cxlgpu::regs {{

// What software can do to a field: docs/registers.md.
enum class Access : std::uint8_t {{ {kinds} }};
enum class Owner : std::uint8_t {{ Both, Host, Device }};

struct FieldRow {{
  std::string_view block;
  std::string_view group;  // empty: the register stands alone
  std::string_view reg;
  std::uint32_t offset;
  std::uint32_t stride;
  unsigned count;
  unsigned width;  // of the register
  std::string_view field;
  unsigned lsb;
  unsigned field_width;
  Access access;
  std::uint64_t reset;
  bool parameter;  // a parameter or the place gives the reset value, and `reset` is 0
  Owner owner;     // of a field that only one side has
}};

// clang-format off
inline constexpr std::array<FieldRow, {count}> kFields{{{{
"""


def cpp_table(blocks):
    rows_ = []
    for block in built(blocks):
        for item in block.items:
            group = item if isinstance(item, Group) else None
            for register in group.registers if group else [item]:
                first = (group.offset if group else 0) + register.offset
                for field in sorted(register.fields, key=lambda f: (f.lsb, f.msb)):
                    owner = field.side.capitalize() if field.side else "Both"
                    rows_.append(
                        f'  {{"{block.name}", "{group.name if group else ""}", "{register.name}", 0x{first:x}, '
                        f"{group.stride if group else 0}, {group.count if group else 1}, {register.width}, "
                        f'"{field.name}", {field.lsb}, {field.width}, Access::{field.access}, '
                        f"0x{field.reset or 0:x}, {'true' if field.reset is None else 'false'}, Owner::{owner}}},"
                    )
    head = CPP_TABLE_HEAD.format(generated=GENERATED, kinds=", ".join(ACCESS), count=len(rows_))
    return "\n".join([*head.splitlines(), *rows_, "}};", "// clang-format on", "", "}  // namespace cxlgpu::regs", ""])


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
        "`rtl/pkg/cxl_reg_pkg.sv` and `common/registers.hpp`, "
        "the registers as structs, with what a read and a write make of",
        "them, into `rtl/pkg/cxl_reg_types_pkg.sv` and `common/register_types.hpp`. "
        "*Planned* ones are laid out, with no code",
        "yet. Bits and bytes not named are reserved: they read 0, and a write changes nothing. "
        "Reset *param*: set by a parameter or",
        "by the place. Behaviour: [blocks](blocks/README.md).",
        "",
        "Access kinds are those of the specifications. `tests/system/register_access_test.cpp` tests every field "
        "by its kind, through",
        "`common/register_table.hpp`. What hardware does to a field, and a write that starts something, "
        "is said at the field.",
        "",
        "| access | what software can do |",
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


# SystemRDL: an addrmap a block, two if its sides differ

RDL_WORDS = frozenset(
    """
    abstract accesstype addressingtype addrmap alias all arbiter bit boolean bothedge bridge clock component
    componentwidth compact constraint count cpuif_reset default desc encode enable enum errextbus exact external
    false field fieldwidth fullalign halt hw hwclr hwenable hwmask hwset incr inside internal interrupt intr level
    littleendian longint lsb0 mask mem mode msb0 na name negedge next nonsticky number onread onreadtype onwrite
    onwritetype overflow posedge precedencetype property rclr ref reg regalign regfile regwidth reset resetsignal
    rset rsvdset ruser saturate shared sharedextbus signal singlepulse sticky stickybit string struct sw swacc swmod
    swwe swwel sync this threshold true type underflow unsigned w1 wclr we wel width woclr woset wot wr wset wuser
    wzc wzs wzt xored
    """.split()
)
RDL_HEAD = """\
// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// {generated}
//
// A block is an addrmap; its offsets count from where regs/*.yaml (`where`) says that it lies. One whose
// registers differ by side is two: NAME_host, NAME_device. What SystemRDL has no word for is in access_kind,
// the kind of docs/registers.md: what locks a field, and what a hot reset leaves.

property access_kind {{ component = field; type = string; }};
"""
RDL_WRITES = {"RW1C": "woclr", "RW1CS": "woclr", "RWO": "woset"}


def rdl_name(name):
    return "\\" + name if name in RDL_WORDS else name


def rdl_register(register, side, indent):
    fields = sorted((f for f in register.fields if f.of(side)), key=lambda f: f.lsb)
    if not fields:
        return []
    at = f"@{register.offset:#x};"
    width = [f"{indent}  regwidth = {register.width};"] if register.width != 32 else []
    width += [f"{indent}  accesswidth = 32;"] if register.width == 64 else []
    lines = [f"{indent}reg {{", f"{indent}  desc = {rdl_text(register.meaning)};", *width]
    for field in fields:
        sw = "sw = r" if field.access in READ_ONLY else "sw = rw"
        if field.access in RDL_WRITES:
            sw += f"; onwrite = {RDL_WRITES[field.access]}"
        reset = "" if field.reset is None else f" = {field.width}'h{field.reset:x}"
        lines.append(
            f'{indent}  field {{ {sw}; hw = rw; access_kind = "{field.access}"; desc = {rdl_text(field.meaning)}; }} '
            f"{rdl_name(field.name)}[{field.msb}:{field.lsb}]{reset};"
        )
    return [*lines, f"{indent}}} {rdl_name(register.name)} {at}"]


def rdl_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def rdl(blocks):
    lines = [RDL_HEAD.format(generated=GENERATED)]
    for block in built(blocks):
        for side in SIDES if block.sided else (None,):
            name = f"{block.name}_{side}" if side else block.name
            lines += [f"addrmap {rdl_name(name)} {{", f"  name = {rdl_text(block.title)};"]
            lines += [f"  desc = {rdl_text(f'{block.where}. Source: {block.source}')};", "  lsb0;"]
            for item in block.items:
                if not isinstance(item, Group):
                    lines += rdl_register(item, side, "  ")
                    continue
                inner = [line for register in item.registers for line in rdl_register(register, side, "    ")]
                if inner:
                    lines += ["  regfile {", f"    desc = {rdl_text(item.meaning)};", *inner]
                    lines += [f"  }} {rdl_name(item.name)}[{item.count}] @{item.offset:#x} += {item.stride:#x};"]
            lines += ["};", ""]
    return "\n".join(lines)


OUTPUTS = {
    "rtl/pkg/cxl_reg_pkg.sv": sv_package,
    "rtl/pkg/cxl_reg_types_pkg.sv": sv_types_package,
    "common/registers.hpp": cpp_header,
    "common/register_types.hpp": cpp_types,
    "common/register_table.hpp": cpp_table,
    "docs/registers.md": document,
    "regs/cxlgpu.rdl": rdl,
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
