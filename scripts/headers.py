#!/usr/bin/env python3
"""Every source file says whose it is and under which licence, in its first lines.

Usage: scripts/headers.py [--fix]; with --fix it is written where it is missing.
Exit status: 0 all have it, 1 some have not.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXT = "Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0"
COMMENT = {
    ".sv": "//",
    ".cpp": "//",
    ".hpp": "//",
    ".in": "//",
    ".inc": "//",
    ".py": "#",
    ".sh": "#",
    ".cmake": "#",
    ".yaml": "#",
    ".yml": "#",
    ".toml": "#",
}
NAMES = {"Makefile": "#", "CMakeLists.txt": "#", "Snakefile": "#", "Containerfile": "#", "run": "#", "nightly": "#"}
FOLDERS_OF_OTHERS = ("third_party/", "verify/fuzz/corpus/")


def main():
    fix = sys.argv[1:] == ["--fix"]
    # Without git (a source archive) the folders are walked; build and out are no sources.
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    names = (
        listed.stdout.split("\n")
        if listed.returncode == 0
        else [str(f.relative_to(ROOT)) for f in ROOT.rglob("*") if f.relative_to(ROOT).parts[0] not in ("build", "out")]
    )
    missing = []
    for name in names:
        path = ROOT / name
        mark = COMMENT.get(path.suffix) or NAMES.get(path.name)
        if not mark or name.startswith(FOLDERS_OF_OTHERS) or not path.is_file():
            continue
        text = path.read_text()
        if "SPDX-License-Identifier" in text[:400]:
            continue
        missing.append(name)
        if fix:
            first, rest = (text.split("\n", 1) + [""])[:2] if text.startswith("#!") else ("", text)
            path.write_text((first + "\n" if first else "") + f"{mark} {TEXT}\n" + rest)
    if not fix:
        for name in missing:
            print(f"{name}: no licence in its first lines; run scripts/headers.py --fix", file=sys.stderr)
    return 1 if missing and not fix else 0


if __name__ == "__main__":
    sys.exit(main())
