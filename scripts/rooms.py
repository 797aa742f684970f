#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Who includes whom among the rooms: no two folders include each other, and no room another that it does not use.

What a room uses is what its `cxlgpu_room(NAME USES ...)` in CMake says; the command, cli/, may use all, and no room
but python/, the Python package, uses it. The folders of refmodel/ are those of rtl/.
A header is named from the root of the tree, so that the include root of its room (build/rooms/NAME) decides.
Of the rooms of Python, eval/ and verify/ import from scripts/, and scripts/ from no other.

Usage: scripts/rooms.py [--root TREE] [--folders ...]; prints each offence and the number of two-way pairs.
Exit status: 0 none, 1 some, 2 no rooms found.
"""

import argparse
import ast
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)
ROOM = re.compile(r"^cxlgpu_room\((\w+)([^)]*)\)", re.M)
COMMAND = "cli"
EXTENSION = "python"  # of the Python package: the command's sessions, the library
PYTHON = {"eval": {"scripts"}, "verify": {"scripts"}, "scripts": set()}


def rooms_of(root):
    """Of each room, the rooms that it uses."""
    found = {}
    for file in (root / "CMakeLists.txt", root / "tb/CMakeLists.txt"):
        for name, rest in ROOM.findall(file.read_text()) if file.exists() else ():
            uses = re.search(r"\bUSES((?:\s+[a-z]\w*)*)", rest)
            found[name] = set(uses[1].split()) if uses else set()
    return found


def includes_of(root, folders):
    """(file, line, header as it is written) of each include with a folder in its name."""
    for folder in folders:
        for file in sorted((root / folder).rglob("*.[ch]pp")):
            text = file.read_text()
            for match in INCLUDE.finditer(text):
                if "/" in match[1]:
                    yield file.relative_to(root), text.count("\n", 0, match.start()) + 1, match[1]


def import_offences(root):
    """Imports of a module that only another room of Python has, unless that room may be used."""
    modules = collections.defaultdict(set)
    files = [(room, file) for room in PYTHON for file in sorted((root / room).rglob("*.py"))]
    for room, file in files:
        modules[file.parent.name if file.stem == "__init__" else file.stem].add(room)
    for room, file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                owners = modules.get(name.split(".")[0], {room})
                if room not in owners and not owners & PYTHON[room]:
                    yield f"{file.relative_to(root)}:{node.lineno}: {name}: {room} does not use {min(owners)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--folders", nargs="+", help="instead of the rooms: two-way pairs among these alone")
    options = parser.parse_args()
    rooms = rooms_of(options.root)
    if rooms:
        rooms[COMMAND] = set(rooms)
        rooms[EXTENSION] = {*rooms[COMMAND], COMMAND}
    if not rooms and not options.folders:
        print("rooms: no cxlgpu_room() in CMakeLists.txt; use --folders", file=sys.stderr)
        sys.exit(2)
    offences = []
    pairs = collections.defaultdict(list)
    for file, line, header in includes_of(options.root, options.folders or [*rooms, *PYTHON]):
        place = f"{file}:{line}"
        if ".." in pathlib.PurePosixPath(header).parts:
            offences.append(f"{place}: {header}: name it from the root of the tree")
        room, other = file.parts[0], header.split("/")[0]
        if not options.folders and room in rooms and other in rooms and other not in {room, *rooms[room]}:
            offences.append(f"{place}: {header}: {room} does not use {other}")
        own, of = str(file.parent), str(pathlib.PurePosixPath(header).parent)
        if own != of:
            pairs[own, of].append(f"{place}: {header}")
    two_way = sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)
    for a, b in two_way:
        offences.append(f"{a} and {b} include each other:")
        offences += [f"  {use}" for use in pairs[a, b] + pairs[b, a]]
    if not options.folders:
        rtl = {f.name for f in (options.root / "rtl").iterdir()}
        twins = {f.parent.name for f in (options.root / "refmodel").rglob("*.[ch]pp")}
        offences += [f"refmodel/{name}: no such folder in rtl/" for name in sorted(twins - rtl)]
        offences += import_offences(options.root)
    for offence in offences:
        print(f"rooms: {offence}", file=sys.stderr)
    print(f"rooms: {len(two_way)} pairs of folders include each other")
    sys.exit(1 if offences else 0)


if __name__ == "__main__":
    main()
