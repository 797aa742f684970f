#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Runs every command of README.md, CONTRIBUTING.md, docs and examples as it is written there.

A command is a line of a fenced block without a language, or an inline `command` behind <!-- run -->. Comments before
a block say what does not run, or not now; PREFIX is how a line begins, without it the whole block is meant:

  <!-- docs-check: skip "PREFIX" REASON -->   is never run here
  <!-- docs-check: slow "PREFIX" -->          takes a minute or changes files: run by `make docs-check` alone
  <!-- docs-check: file NAME -->              the block (of any language) is that file
  <!-- docs-check: run COMMAND -->            a command that is not shown

All commands share one folder. Without --quick that is a fresh clone of the last commit, in which the first command
builds everything; with it, links to this tree and its build, which is taken as it is. Exit status: 0 all ended with
0, 1 one did not, 2 a page that cannot be read so.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIRECTIVE = re.compile(r"^<!-- docs-check: (skip|slow|file|run)(?: (.*?))? -->$")
PREFIXED = re.compile(r'^"([^"]+)" ?(.*)$')
INLINE = re.compile(r"<!-- run( slow)? -->`([^`]+)`")


class Bad(Exception):
    pass


class Step:
    """A command, or a file to be written (text is not None)."""

    def __init__(self, where, command, slow=False, text=None):
        self.where, self.command, self.slow, self.text = where, command, slow, text


def block_steps(where, language, lines, directives):
    steps, skips, slows, name = [], [], [], None
    for at, kind, argument in directives:
        prefixed = PREFIXED.match(argument or "")
        prefix, rest = prefixed.groups() if prefixed else ("", argument or "")
        if kind == "skip":
            if not rest:
                raise Bad(f"{at}: a skip without its reason")
            skips.append((at, prefix))
        elif kind == "slow":
            slows.append((at, prefix))
        elif kind == "file":
            name = rest
        else:
            steps.append(Step(at, argument))
    if name is not None:
        return [Step(where, name, text="\n".join(lines) + "\n")] + steps
    if language:
        return steps
    used = set()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        skipped = [at for at, prefix in skips if line.startswith(prefix)]
        slow = [at for at, prefix in slows if line.startswith(prefix)]
        used.update(skipped, slow)
        if not skipped:
            page, first = where.rsplit(":", 1)
            steps.append(Step(f"{page}:{int(first) + number}", line, bool(slow)))
    for at, _ in skips + slows:
        if at not in used:
            raise Bad(f"{at}: no line of the block begins so")
    return steps


def page_steps(page):
    steps, directives, fence = [], [], None
    name = page.relative_to(ROOT)
    for number, line in enumerate(page.read_text().split("\n"), 1):
        where = f"{name}:{number}"
        if fence is None:
            directive = DIRECTIVE.match(line)
            if directive:
                directives.append((where, *directive.groups()))
                continue
            if line.startswith("```"):
                fence = (where, line[3:].strip(), [])
                continue
            if "docs-check:" in line:
                raise Bad(f"{where}: is no comment that this knows")
            if directives and line.strip():
                if any(kind != "run" for _, kind, _ in directives):
                    raise Bad(f"{where}: a block must follow the comment before it")
                steps += [Step(at, argument) for at, _, argument in directives]
                directives = []
            steps += [Step(where, command, bool(slow)) for slow, command in INLINE.findall(line)]
        elif line.startswith("```"):
            steps += block_steps(fence[0], fence[1], fence[2], directives)
            directives, fence = [], None
        else:
            fence[2].append(line)
    if fence or directives:
        raise Bad(f"{name}: ends in a block, or in a comment without one")
    return steps


def all_steps():
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "examples").glob("*/*.md")),
    ]
    return [step for page in pages for step in page_steps(page)]


def lay_out(scratch, build):
    """This tree by links, without what commands write."""
    for entry in ROOT.iterdir():
        if entry.name not in ("build", "out", ".git"):
            (scratch / entry.name).symlink_to(entry)
    (scratch / "build").symlink_to(build)


def run(steps, before, scratch, environment, keep_going):
    failures = 0
    for step in steps:
        if step.text is not None:
            target = scratch / step.command
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step.text)
            continue
        begin = time.monotonic()
        done = subprocess.run(
            ["bash", "-c", before + step.command],
            cwd=scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        print(f"{time.monotonic() - begin:6.1f} s  {step.where}  {step.command}", flush=True)
        if done.returncode != 0:
            failures += 1
            print(f"{step.where}: exit status {done.returncode}: {step.command}\n{done.stdout[-3000:]}", flush=True)
            if not keep_going:
                break
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without the slow ones, on an existing build")
    parser.add_argument("--build", default=ROOT / "build", type=pathlib.Path, help="that build")
    parser.add_argument("--list", action="store_true", help="print the commands, run nothing")
    parser.add_argument("--keep-going", action="store_true", help="run the rest after one that failed")
    a = parser.parse_args()
    try:
        steps = [step for step in all_steps() if not (a.quick and step.slow)]
    except Bad as problem:
        print(problem, file=sys.stderr)
        return 2
    if a.list:
        for step in steps:
            print(f"{step.where}  {'writes ' if step.text is not None else ''}{step.command}")
        return 0
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="cxlgpu_docs_"))
    environment, before = dict(os.environ), ""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CXLGPU_CONFIGS"):
        environment.pop(name, None)
    try:
        if a.quick:
            lay_out(scratch, a.build.resolve())
            # The build is there: `make` does not bring it about again.
            before = 'make() { command make -o deps -o build -o configure "$@"; }; '
        else:
            subprocess.run(["git", "clone", "--quiet", ROOT, scratch / "clone"], check=True)
            scratch = scratch / "clone"
        environment["PATH"] = f"{scratch / 'build' / 'bin'}:{environment['PATH']}"
        failures = run(steps, before, scratch, environment, a.keep_going)
    finally:
        shutil.rmtree(scratch.parent if scratch.name == "clone" else scratch, ignore_errors=True)
    if failures:
        print(f"{failures} commands failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
