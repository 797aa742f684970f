# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Hooks of the site (mkdocs.yml). They add two pages that no one writes twice: index.md is README.md, command.md is
`cxlgpu VERB --help` of every verb, by the command that CXLGPU names. They turn GitHub's Markdown into that of
Python-Markdown, and a link to a file outside of docs/ into its text and path.
"""

import os
import pathlib
import posixpath
import re
import subprocess

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from pymdownx.slugs import slugify

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^[ ]*```")
COMMENT = re.compile(r"^<!--.*-->$")
ITEM = re.compile(r"^( *)([*-]|\d+\.) ")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
NESTED = re.compile(r"^ {2,3}(?=([*-]|\d+\.) )")  # GitHub takes two, Python-Markdown four
SHIM = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
# Room for a line of 80 characters in a block; a name in the first column of a table is one word.
STYLE = (
    "<style>.md-grid{max-width:80rem}.md-typeset pre>code{font-size:.6rem}"
    "td:first-child code{white-space:nowrap}</style></head>"
)
VERB = re.compile(r"^  ([a-z][a-z-]*) ", re.M)


def help_of(command, verbs=()):
    """(verbs, help) of these and of all below them."""
    done = subprocess.run([command, *verbs, "--help"], capture_output=True, text=True)
    if done.returncode:
        raise PluginError(f"site: {command} {' '.join(verbs)} --help: exit status {done.returncode}")
    yield verbs, done.stdout.replace(str(command), "cxlgpu").strip()
    _, _, below = done.stdout.partition("\nSubcommands:\n")
    for verb in VERB.findall(below):
        if verb != "help":
            yield from help_of(command, (*verbs, verb))


def command_page():
    command = pathlib.Path(os.environ.get("CXLGPU", ROOT / "build/bin/cxlgpu")).resolve()
    if not command.is_file():
        raise PluginError(f"site: there is no {command}; make build")
    page = "# Command\n\nWhat `cxlgpu VERB --help` prints.\n"
    for verbs, text in help_of(command):
        page += f"\n## {' '.join(('cxlgpu', *verbs))}\n\n```text\n{text}\n```\n"
    return page


def tree(folder):
    """nav of a folder: its README.md, its pages, its folders."""
    docs = ROOT / "docs"
    pages = sorted(folder.glob("*.md"), key=lambda page: (page.name != "README.md", page.name))
    nav = [
        str(page.relative_to(docs)) if page.name == "README.md" else {page.stem: str(page.relative_to(docs))}
        for page in pages
    ]
    return nav + [{inner.name: tree(inner)} for inner in sorted(folder.iterdir()) if inner.is_dir()]


def filled(nav):
    if isinstance(nav, list):
        return [filled(entry) for entry in nav]
    if isinstance(nav, dict):
        return {name: filled(entry) for name, entry in nav.items()}
    return tree(ROOT / "docs" / nav) if nav.endswith("/") else nav


def on_config(config):
    config.nav = filled(config.nav)
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")  # anchors as GitHub has them
    return config


def on_files(files, config):
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text()))
    files.append(File.generated(config, "command.md", content=command_page()))
    return files


def inside(text, folder):
    """Of text that is in a folder of the repository: links that leave docs/ become text."""

    def plain(link):
        text, target, anchor = link[1], link[2], link[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        if "://" in target or not (ROOT / path).exists():  # strict mode says what is not there
            return link[0]
        if path.startswith("docs/"):
            return f"[{text}]({posixpath.relpath(path, folder if folder else 'docs')}{anchor})"
        return text if text.strip("`") == path else f"{text} (`{path}`)"

    return LINK.sub(plain, text)


def on_page_markdown(markdown, page, **_):
    source = page.file.src_uri
    folder = "" if source == "index.md" else posixpath.join("docs", posixpath.dirname(source)).rstrip("/")
    out, prose, fenced = [], [], False

    def flush():
        out.append(inside("\n".join(prose), folder))
        prose.clear()

    item = None
    for line in markdown.split("\n"):
        if FENCE.match(line):
            if not fenced:
                flush()
            fenced = not fenced
            out.append(line)
        elif fenced:
            out.append(line)
        elif not COMMENT.match(line):
            before, item = item, ITEM.match(line) or (item if line.strip() else None)
            if item and not before and prose and prose[-1].strip():
                prose.append("")  # a list begins behind an empty line
            line = NESTED.sub("    ", line).replace("<details>", '<details markdown="1">')
            prose.append(line)
    flush()
    return "\n".join(out)


def on_post_page(output, **_):
    """The theme would fetch from elsewhere what lets search run from files."""
    worker = (ROOT / "scripts/site_worker.js").read_text()
    return output.replace(SHIM, f"<script>{worker}</script>").replace("</head>", STYLE, 1)


def on_post_template(output_content, **_):
    return on_post_page(output_content)
