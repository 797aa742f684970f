# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Records of measurements, docs/trust/NAME.json, for the scripts beside this file.

What a verdict stands on is told by digests of content: digest() of files has neither their paths nor, where they
are C++, SystemVerilog or Python, their comments, white space and the messages of assertions, so a verdict outlives a
move and a remark. sources() says what a built program is made of, included() what a source includes, renamed() what a
test is called today.
"""

import contextlib
import datetime
import fcntl
import functools
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent


def now():
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def commit():
    """Of the sources measured, with -dirty if they differ from it; records and what fuzzing keeps do not
    count."""
    if shutil.which("git") is None:  # tests run without it
        return "unknown"
    head = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    if not head:  # not a clone
        return "unknown"
    changed = subprocess.run(
        ["git", "-C", ROOT, "status", "--porcelain", "-uno", "--", ".", ":!docs", ":!verify/fuzz/corpus"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    return head + ("-dirty" if changed else "")


def version(*command):
    """First line of what a tool says of its version."""
    if shutil.which(command[0]) is None:
        return "unknown"
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0].strip()


def read(path, empty):
    return json.loads(path.read_text()) if path.exists() else empty


def replace(path, data):
    """Writes the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(data, indent=1) + "\n")
    part.replace(path)


@contextlib.contextmanager
def changing(path, empty):
    """The record, written when the block is left; who else changes it waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        data = read(path, empty)
        yield data
        replace(path, data)
    finally:
        os.close(folder)


# Tests that have another name than older records say; those that only moved into a room of a room need no entry.
_TESTS = {
    "controller/link_direction": "model/link",
    "endpoint/endpoint_choice": "model/endpoint_choice",
    "system/model_engine": "model/engine",
}


# A room that was divided: its tests have these rooms now, those of the command lost what they were called by.
_ROOMS = {"tools": ("cli", "eval", "verify", "scripts")}


@functools.cache
def _today(root=ROOT):
    return {str(f.relative_to(root / "tests")).removesuffix("_test.cpp") for f in root.glob("tests/**/*_test.cpp")}


def renamed(test):
    """A test of a record by the name that it has today: of its label (room/name) or its program (room_name_test)."""
    mark, end = ("_", "_test") if test.endswith("_test") else ("/", "")
    today = {label.replace("/", mark) + end for label in _today()}
    if test in today:
        return test
    room, _, name = test.partition(mark)
    divided = [f"{one}{mark}{name.removeprefix('cli_')}" for one in _ROOMS.get(room, ())]
    moved = [label for label in today if label.endswith(mark + test) or label in divided]
    table = {before.replace("/", mark) + end: now.replace("/", mark) + end for before, now in _TESTS.items()}
    return moved[0] if len(moved) == 1 else table.get(test, test)


def with_todays_names(record):
    """A record whose tests have the names of today. `by` may be a test and one of its cases."""
    if isinstance(record, list):
        return [with_todays_names(item) for item in record]
    if not isinstance(record, dict):
        return record
    out = {}
    for name, value in record.items():
        if name in ("by", "killed_by", "last", "test") and isinstance(value, str):
            test, blank, case = value.partition(" ")
            out[name] = renamed(test) + blank + case
        elif name in ("names", "left_out", "all_cycles", "failed", "tests_not_alike_or_failing"):
            out[name] = sorted(map(renamed, value))
        else:
            out[name] = with_todays_names(value)
    return out


# Longest first, of C++ and SystemVerilog together: an operator of the other one alone parts nothing.
_OPERATORS = sorted(
    "<<<= >>>= |-> |=> <-> ->> <=> ->* ... <<= >>= <<< >>> === !== ==? !=? :: ++ -- && || == != <= >= << >> += -= *= "
    "/= %= &= |= ^= -> .* ## ** +: -: ~& ~| ~^ ^~ '{ (* *) #= := :/ ?:".split(),
    key=lambda operator: -len(operator),
)
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\\\r?\n)+)
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<text>(?:\b(?:u8|[uUL])?R"(?P<end>[^(\s]*)\(.*?\)(?P=end)")|"(?:\\.|[^"\\])*")
    | (?P<char>(?:\b(?:u8|[uUL])|(?<!\w))'(?:\\[^'\n]+|\\'|[^'\\\n])')
    | (?P<other>\w+|"""
    + "|".join(map(re.escape, _OPERATORS))
    + r"""|.)""",
    re.S | re.X,
)
_NO_CHAR = re.compile(_TOKEN.pattern.replace(r"(?P<char>", r"(?P<char>(?!)"), re.S | re.X)  # '0 is a number there
_TOLD = re.compile(r"(?://|/\*)\s*(?:verilator|synopsys|synthesis|pragma|slang)\b")  # comments that tools obey
# What an assertion says when it is broken: `assert property (...) else $error("...")`.
_MESSAGE = re.compile(r'(?<=\))\0else\0\$\0error\0\(\0"[^\0]*"\0\)(?=\0;)')
CPP, SV = (".cpp", ".hpp", ".h", ".cc"), (".sv", ".svh", ".v")


def _code(text, systemverilog):
    tokens, directive, first = [], False, True
    for found in (_NO_CHAR if systemverilog else _TOKEN).finditer(text):
        kind, token = found.lastgroup if found.lastgroup != "end" else "text", found.group()
        if kind == "comment" and not _TOLD.match(token):
            continue
        if kind == "space":
            if "\n" in re.sub(r"\\\r?\n", "", token):
                if directive:
                    tokens.append("\n")  # where it ends
                directive, first = False, True
            continue
        if first and token == ("`" if systemverilog else "#"):
            directive = True
        if directive and kind == "text" and tokens[-1] == "include":
            token = '"' + token.rpartition("/")[2].lstrip('"')  # the file has a folder, what it says has none
        first = False
        tokens.append(token)
    code = "\0".join(tokens)
    return _MESSAGE.sub("", code) if systemverilog else code


def _python(text):
    """Without comments and empty lines."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())


@functools.lru_cache(maxsize=4096)
def essence(text, suffix):
    """What of a source text a verdict can depend on."""
    if suffix in CPP or suffix in SV:
        return _code(text, suffix in SV)
    return _python(text) if suffix == ".py" else text


@functools.cache
def _of_file(path, _changed):
    try:
        text = essence(path.read_text(), path.suffix)
    except UnicodeDecodeError:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return hashlib.sha256(text.encode()).hexdigest()


def digest(files, *more):
    """Of the content of files, in no order, and of `more` that JSON can say."""
    whole = hashlib.sha256()
    for one in sorted(_of_file(path, path.stat().st_mtime_ns) for path in set(map(pathlib.Path, files))):
        whole.update(one.encode())
    whole.update(json.dumps(more, sort_keys=True).encode())
    return whole.hexdigest()[:16]


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def included(files, root=ROOT):
    """These sources and, as far as they are of this tree, what they include."""
    found, ahead = set(), [pathlib.Path(file) for file in files]
    while ahead:
        path = ahead.pop()
        if path in found:
            continue
        found.add(path)
        for name in _INCLUDE.findall(path.read_text()):
            ahead += [place for place in (root / name, path.parent / name) if place.is_file()][:1]
    return found


def _ninja(build, *words):
    done = subprocess.run(["ninja", "-C", str(build), "-t", *words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{build}: ninja -t {words[0]}: {(done.stderr or done.stdout).strip()[:200]}")
    return [line for line in done.stdout.splitlines() if not line.startswith("ninja: Entering")]


def _linked(build, program, objects):
    """Those of the objects that are in the program: of a library not all are. Told by the names of sources in its
    symbol table, and, as two may have one name, by its functions."""
    names = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True, cwd=build).stdout
    names = set(re.findall(r" FILE +LOCAL +DEFAULT +ABS +(\S+)$", names, re.M))
    if not names:
        return objects

    def functions(*files):
        told = subprocess.run(["nm", "-P", "--defined-only", *files], capture_output=True, text=True, cwd=build).stdout
        return {line.split()[0] for line in told.splitlines() if " T " in line}

    there = functions(program)
    named = [one for one in objects if pathlib.PurePath(one).name.removesuffix(".o") in names]
    return [one for one in named if functions(one) <= there]


def sources(build, name, root=ROOT):
    """(files of this tree that build/bin/NAME is made of, what its verilated tops were made with), from the build's own
    dependencies: of a library only the objects that are linked."""
    build = pathlib.Path(build).resolve()
    objects = [line.strip() for line in _ninja(build, "inputs", f"bin/{name}") if line.endswith(".o")]
    objects = _linked(build, f"bin/{name}", objects)
    files, options = set(), set()
    for line in _ninja(build, "deps", *objects) if objects else []:
        if not line.startswith("    "):
            continue
        path = (build / line.strip()).resolve()  # rooms are seen through links
        if path.is_relative_to(root) and not path.is_relative_to(build):
            files.add(path)
    for folder in sorted({found[1] for found in (re.match(r"(.*?_v\.dir)/", one) for one in objects) if found}):
        for made in sorted((build / folder).glob("V*.dir/*__verFiles.dat")):
            text = made.read_text()
            command = re.search(r'^C "(.*)"$', text, re.M)[1].split()
            options.add(" ".join(w for w in command if not w.startswith("/") and w not in ("-y", "--Mdir")))
            for path in map(pathlib.Path, re.findall(r'^S .*"(/[^"]+)"$', text, re.M)):
                if path.is_relative_to(root) and not path.is_relative_to(build):
                    files.add(path)
    if not files:
        raise RuntimeError(f"{build}/bin/{name}: the build says nothing of its sources; build it again")
    return sorted(files), sorted(options)


def program_digest(build, name):
    files, options = sources(build, name)
    return digest(files, options)
