# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The pages of a coverage run: index.html and one page for each RTL file."""

import html

from coverage_report.points import nets

STYLE = """<style>
body { font: 14px sans-serif; margin: 2em; color: #222 } table { border-collapse: collapse }
td, th { padding: 2px 10px; border-bottom: 1px solid #ddd; text-align: right } td:first-child, th:first-child,
td.t { text-align: left } pre { line-height: 1.35 } .hit { background: #e3f4e3 } .hole { background: #f8c9c4 }
.waived { background: #e8e3f6 } .part { background: #fbeabf } .n { color: #999 } tr.room { font-weight: bold }
</style>"""


def cells(row):
    out = ""
    for kind in ("lines", "branches", "toggles"):
        r = row[kind]
        colour = "hole" if r["holes"] else "hit"
        out += (
            f"<td class={colour}>{r['percent']:.2f} %</td><td>{r['hit']}/{r['total']}</td>"
            f"<td>{r['waived']}</td><td>{r['holes']}</td>"
        )
    return out


def page(title, body):
    return f"<!doctype html><meta charset=utf-8><title>{title}</title>{STYLE}<h1>{title}</h1>{body}\n"


def link_of(name):
    return name.replace("/", "-").removesuffix(".sv") + ".html"


def source_page(source):
    """The text with its colours; the nets without a toggle; the waivers."""
    arms = {}
    for point in source.branches.values():
        arms.setdefault(point.line, []).append(point)
    rows = []
    for number, text in enumerate(source.text, 1):
        line = source.lines.get(number)
        found = ([line] if line else []) + sorted(arms.get(number, []), key=lambda p: p.column)
        holes = [p for p in found if not p.hits and not p.waiver]
        colour = ""
        if found:
            colour = "hit" if all(p.hits for p in found) else "waived"
            if holes:
                colour = "part" if any(p.hits for p in found) else "hole"
        note = "  // never: " + ", ".join(p.name or "line" for p in holes) if holes else ""
        count = line.hits if line else ""
        rows.append(
            f"<span class=n>{number:5} {count:>10}</span> <span class='{colour}'>{html.escape(text)}"
            f"</span><b>{note}</b>"
        )
    body = "<p>Green: hit. Red: never. Yellow: in part. Violet: waived. Second column: how often.</p>"
    held = nets(source.toggles.values())
    if held:
        body += (
            "<h2>Bits that never changed</h2><table><tr><th>net<th>bits<th>line</tr>"
            + "".join(
                f"<tr><td>{html.escape(net)}<td class=t>{html.escape(' '.join(bits))} ({len(bits)} of {total})"
                f"<td>{line}</tr>"
                for net, (bits, total, line) in held.items()
            )
            + "</table>"
        )
    waived = {id(p.waiver): p.waiver for kind in source.kinds().values() for p in kind if p.waiver}
    if waived:
        body += (
            "<h2>Waivers</h2><table><tr><th>what<th>reason</tr>"
            + "".join(
                f"<tr><td>{html.escape(rule.what)}<td class=t>{html.escape(rule.reason)}</tr>"
                for rule in waived.values()
            )
            + "</table>"
        )
    return page(source.name, body + "<pre>" + "\n".join(rows) + "</pre>")


def write(folder, root, files, record, rules):
    for name, source in files.items():
        (folder / link_of(name)).write_text(source_page(source))
    head = (
        "<tr><th><th colspan=4>lines<th colspan=4>branches<th colspan=4>toggles</tr><tr><th>block"
        + "<th>hit<th><th>waived<th>holes" * 3
        + "</tr>"
    )
    rows = f"<tr class=room><td>rtl{cells(record['rtl']['total'])}</tr>"
    for room, found in record["rtl"]["rooms"].items():
        rows += f"<tr class=room><td>{room}{cells(found['total'])}</tr>"
        for block, row in found["blocks"].items():
            rows += f"<tr><td><a href={link_of(f'rtl/{room}/{block}.sv')}>{block}</a>{cells(row)}</tr>"
    cpp = "".join(
        f"<tr><td>{name}<td>{row['percent']:.2f} %<td>{row['hit']}/{row['total']}</tr>"
        for name, row in {**record["cpp"]["total"], **record["cpp"]["folders"]}.items()
    )
    waived = "".join(
        f"<tr><td>{html.escape(rule.file)}<td class=t>{html.escape(rule.what)}<td>{rule.points}"
        f"<td class=t>{html.escape(rule.reason)}</tr>"
        for rule in rules
    )
    done = record["tests"]
    tests = (
        f"{done['with_counts']} programs with counts"
        if done["run"] is None
        else f"{done['run']} tests ({len(done['failed'])} failed)"
    )
    (folder / "index.html").write_text(
        page(
            "cxlgpu: structural coverage",
            f"""
<p>{record["date"]}, commit {record["commit"]}, {tests}, {html.escape(record["tools"]["verilator"])}. Toggles: nets of
up to {record["toggle_max_width"]} bits. The percentage is of what is not waived.</p>
<table>{head}{rows}</table>
<h2>C++</h2><p><a href=cpp/index.html>Files and lines</a></p>
<table><tr><th>folder<th>lines<th></tr>{cpp}</table>
<h2>Waivers</h2><table><tr><th>file<th>what<th>points<th>reason</tr>{waived}</table>""",
        )
    )
