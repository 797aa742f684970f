#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Finds words of this project's old dialect in pages and in comments; the field has words for these.

Only words that are wrong in every sense stand here. The CHANGELOG, code, names and messages are not looked at.
Usage: scripts/words.py [FILE...]   (without files: every page and source of the repository)
Exit status: 0 none, 1 some, each with its place and the word to take.
"""

import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRONG = {
    r"foretold": "predicted",
    r"foretell\w*": "predict",
    r"in vain": "wasted, useless, failed",
    r"anew": "again",
    r"for ever": "forever",
    r"under ?way": "in flight, in progress, outstanding",
    r"kept back": "suppressed, reserved",
    r"lets go": "releases",
    r"lately": "recently",
    r"design page": "the page of docs/ that says it: the design page is not in the tree",
}
PATTERN = re.compile(r"\b(" + "|".join(word.replace(" ", r"\s+") for word in WRONG) + r")\b", re.I)
ALL_TEXT = {".md"}
SLASHES = {".sv", ".cpp", ".hpp", ".in", ".inc"}
HASHES = {".sh", ".yaml", ".yml", ".cmake", ".toml"}
HASH_NAMES = {"Makefile", "CMakeLists.txt", "Snakefile", "Containerfile", "run", "nightly"}
LEFT_OUT = ("CHANGELOG.md", "third_party/", "verify/fuzz/corpus/", "scripts/words.py")
SLASH_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])'|//[^\n]*|/\*.*?\*/", re.S)
HASH_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|(?:^|(?<=\s))#[^\n]*", re.M)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def only(pattern, text, is_comment):
    """The text with all but its comments blanked, so that places stay as they are."""
    out, at = [], 0
    for found in pattern.finditer(text):
        out += [blank(text[at : found.start()]), found[0] if is_comment(found[0]) else blank(found[0])]
        at = found.end()
    return "".join([*out, blank(text[at:])])


def python_comments(text):
    """Comments, and strings that are statements (docstrings)."""
    lines = [blank(line) for line in text.split("\n")]
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        statement = token.type == tokenize.STRING and begins
        if token.type == tokenize.COMMENT or statement:
            (first, left), last = token.start, token.end[0]
            pieces = token.string.split("\n")
            for number, piece in zip(range(first - 1, last), pieces):
                start = left if number == first - 1 else 0
                lines[number] = lines[number][:start] + piece + lines[number][start + len(piece) :]
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            begins = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            begins = False
    return "\n".join(lines)


def prose(path, text):
    """What people read of a file; None if it is neither a page nor a source."""
    if path.suffix in ALL_TEXT:
        return text
    if path.suffix in SLASHES:
        return only(SLASH_COMMENT, text, lambda found: found[0] == "/")
    if path.suffix == ".py":
        return python_comments(text)
    if path.suffix in HASHES or path.name in HASH_NAMES:
        return only(HASH_COMMENT, text, lambda found: found[0] == "#")
    return None


def findings(path, text):
    """(line, the word, the words to take); a phrase may go over the end of a comment's line."""
    read = prose(path, text)
    if read is None:
        return
    # What begins a comment's next line is no word of it.
    joined = re.sub(r"(?<=\n)[ \t]*(?://+|#+|\*+)", lambda found: " " * len(found[0]), read)
    for found in PATTERN.finditer(joined):
        word = re.sub(r"\s+", " ", found[0])
        take = next(use for wrong, use in WRONG.items() if re.fullmatch(wrong, word, re.I))
        yield text.count("\n", 0, found.start()) + 1, word, take


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.split("\n") if name]
    return [
        str(file.relative_to(ROOT))
        for file in sorted(ROOT.rglob("*"))
        if file.is_file() and file.relative_to(ROOT).parts[0] not in ("build", "out")
    ]


def main():
    count = 0
    for name in sys.argv[1:] or files():
        path = ROOT / name
        if name.startswith(LEFT_OUT) or not path.is_file() or prose(path, "") is None:
            continue
        for line, word, take in findings(path, path.read_text()):
            print(f"{name}:{line}: '{word}': {take}", file=sys.stderr)
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
