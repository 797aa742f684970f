#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What hands the RTL over, from the modules themselves: each names the packages it uses and the modules it holds.

  rtl/lists/TOP.f     all of a top in compile order, paths from the list's own folder (-F, not -f)
  cxlgpu.core         FuseSoC: a target lint_TOP for each, of blocks apart lint_MODULE for those that no other holds
  Bender.yml          Bender: the machine; blocks apart by the targets cxlgpu_flex_bus, cxlgpu_cache,
                      cxlgpu_persist

  scripts/manifests.py            write
  scripts/manifests.py --check    write nothing; fail if a file is not current

Exit status: 0 done; 1 --check found a file that is not current; 2 a module that cannot be read so.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = """\
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
# Made by scripts/manifests.py: do not edit.
"""
# What a list is of: one top, or blocks that no top of ours holds.
TOPS = {
    "root_port": ["root_port"],
    "root_complex": ["root_complex"],
    "endpoint": ["endpoint"],
    "cxl_controller": ["cxl_controller"],
    "cxlgpu_top": ["cxlgpu_top"],
    "flex_bus": ["apn", "drift_buffer", "elastic_buffer", "flex_bus_rx", "flex_bus_tx", "lane_deskew"],
    "cache": ["device_agent", "host_responder"],
    "persist": ["persist_join", "persist_tracker"],
}
APART = ("flex_bus", "cache", "persist")
INSTANCE = re.compile(r"^[ \t]*([a-z]\w*)[ \t\n]*(?:#[ \t\n]*\(|u_\w+)", re.M)
PACKAGE = re.compile(r"\b(\w+_pkg)::")


class Tree:
    """Modules and packages with what each needs."""

    def __init__(self, root):
        files = {file.stem: file for file in sorted((root / "rtl").glob("*/*.sv"))}
        self.path = {name: file.relative_to(root).as_posix() for name, file in files.items()}
        self.packages = {name for name in files if files[name].parent.name == "pkg"}
        self.needs = {}
        for name, file in files.items():
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(), flags=re.S)
            found = set(PACKAGE.findall(text)) | set(INSTANCE.findall(text))
            self.needs[name] = sorted((found & files.keys()) - {name})

    def ordered(self, tops):
        """All that the tops need, each after what it needs itself; packages first."""
        done, open_ = [], []

        def visit(name):
            if name in open_:
                raise ValueError(f"{self.path[name]}: needs itself by way of {', '.join(open_)}")
            if name in done:
                return
            open_.append(name)
            for other in self.needs[name]:
                visit(other)
            open_.pop()
            done.append(name)

        for top in tops:
            visit(top)
        return sorted(done, key=lambda name: name not in self.packages)

    def sources(self, tops):
        return [self.path[name] for name in self.ordered(tops)]


def version(root):
    return re.search(r"project\(cxlgpu VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]


def file_list(tree, name, tops):
    said = f"// {name} in compile order. Made by scripts/manifests.py: do not edit."
    return "\n".join([said, *(f"../{path.removeprefix('rtl/')}" for path in tree.sources(tops)), ""])


def parts(tree):
    """Sources by name, none twice: packages, root complex, what the endpoint adds, ..."""
    found, seen = {}, set()
    found["packages"] = [tree.path[name] for name in tree.ordered(sorted(tree.packages))]
    seen.update(found["packages"])
    for name in ("root_complex", "endpoint", "cxlgpu_top", *APART):
        found[name] = [path for path in tree.sources(TOPS[name]) if path not in seen]
        seen.update(found[name])
    left = sorted(set(tree.path.values()) - seen)
    if left:
        raise ValueError(f"{left[0]}: is in no list; give it a top in scripts/manifests.py")
    return found


def core(tree, root):
    lines = ["CAPI=2:", *MADE.splitlines(), f"name: cxlgpu:rtl:cxlgpu:{version(root)}"]
    lines += ["description: CXL root complex for GPUs, its endpoint; apart Flex Bus, CXL.cache, persist requests"]
    lines += ["", "filesets:"]
    for name, files in parts(tree).items():
        lines += [f"  {name}:", "    file_type: systemVerilogSource", "    files:"]
        lines += [f"      - {path}" for path in files]
    lines += ["  waivers:", "    file_type: vlt", "    files: [rtl/cxlgpu.vlt]"]
    lines += ["  constraints:", "    file_type: SDC", "    files: [rtl/cxlgpu.sdc]"]
    lines += ["", "targets:"]
    filesets = ["packages", "root_complex", "endpoint", "cxlgpu_top", *APART]
    lines += ["  default:", "    filesets: [packages, root_complex, constraints]", "    toplevel: root_complex"]
    for top in (top for tops in TOPS.values() for top in tops):
        lines += [f"  lint_{top}:", f"    filesets: [{', '.join(filesets)}, waivers]", "    default_tool: verilator"]
        lines += ["    tools:", "      verilator:", "        mode: lint-only", "        verilator_options: [-Wall]"]
        lines += [f"    toplevel: {top}"]
    return "\n".join([*lines, ""])


def bender(tree):
    lines = [*MADE.splitlines(), "package:", "  name: cxlgpu", "  authors: [cxlgpu contributors]", "", "sources:"]
    for name, files in parts(tree).items():
        lines += [f"  # {name}" + (": a block apart, in no top" if name in APART else "")]
        lines += [f"  - target: cxlgpu_{name}", "    files:"] if name in APART else ["  - files:"]
        lines += [f"      - {path}" for path in files]
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    root = options.root
    try:
        tree = Tree(root)
        files = {f"rtl/lists/{name}.f": file_list(tree, name, tops) for name, tops in TOPS.items()}
        files |= {"cxlgpu.core": core(tree, root), "Bender.yml": bender(tree)}
    except (ValueError, KeyError) as problem:
        print(f"manifests: {problem}", file=sys.stderr)
        return 2
    status = 0
    for name, text in files.items():
        path = root / name
        if path.exists() and path.read_text() == text:
            continue
        if options.check:
            print(f"manifests: {name} is not current; run scripts/manifests.py", file=sys.stderr)
            status = 1
            continue
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
