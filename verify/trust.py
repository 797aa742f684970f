#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Writes docs/trust.md: what the tests would catch, as far as it has been measured.

Each kind of evidence has a tool of its own, which leaves its numbers in docs/trust/KIND.json; nothing
here measures. What has no record is said to have none. Usage: verify/trust.py (`make trust`).

Exit status: 0 written; 2 a record cannot be read.
"""

import json
import pathlib
import sys

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import peer_page  # noqa: E402
from page_blocks import markdown, wrapped  # noqa: E402

RECORDS = ROOT / "docs/trust"


def load(kind):
    path = RECORDS / f"{kind}.json"
    if not path.exists():
        return None
    try:
        return records.with_todays_names(json.loads(path.read_text()))
    except ValueError as error:
        print(f"{path}: {error}; run its tool again", file=sys.stderr)
        sys.exit(2)


def day(record):
    """Date and commit; of several parts the last."""
    if "date" not in record:
        record = max((p for p in record.values() if isinstance(p, dict) and "date" in p), key=lambda p: p["date"])
    return f"{record['date'][:10]}, `{record['commit']}`"


def versions(record):
    """What measured it, as far as the record says: {tool: version}."""
    found = dict(record.get("tools", {}))
    for part in (record, *(p for p in record.values() if isinstance(p, dict))):
        found |= {k: v for k, v in part.items() if k in ("verilator", "valgrind", "compiler") and isinstance(v, str)}
    return found


# Each section returns (what the summary says, the text), from its record.


def mutants(r):
    total = r["total"]
    count = sum(total.values())
    said = (
        f"{count} mutants: {total.get('killed', 0)} killed, {total.get('proven', 0)} proven equivalent, "
        f"{total.get('argued', 0)} argued, {total.get('survived', 0)} survive"
    )
    kinds = ["killed", "proven", "argued", "survived"]
    rows = [[f"`{name.removeprefix('rtl/')}`", *(c.get(k, 0) for k in kinds)] for name, c in r["blocks"].items()]
    operators = [[name, *(c.get(k, 0) for k in kinds)] for name, c in r["operators"].items()]
    text = (
        f"A sample of {r['candidates']} possible mutants of all blocks, seed {r['seed']}; "
        "`proven`: the mutant is the same circuit, by a proof; `argued`: in words only "
        "(`verify/mutation/equivalent.yaml`).\n\n"
        + markdown(["operator", *kinds], operators)
        + "\n\n<details><summary>by block</summary>\n\n"
        + markdown(["block", *kinds], rows)
        + "\n\n</details>\n"
    )
    if r["survivors"]:
        text += (
            "\nNobody sees these yet:\n\n"
            + markdown(
                ["mutant", "where", "operator", "original", "mutant's"],
                [
                    [
                        f"`{s['key']}`",
                        f"`{s['file'].removeprefix('rtl/')}:{s['line']}`",
                        s["operator"],
                        code(s["old"]),
                        code(s["new"] or "(left out)"),
                    ]
                    for s in r["survivors"]
                ],
            )
            + "\n"
        )
    text += (
        "\nSurvivors on the way, what the tests lacked, and the test that kills each now:\n\n"
        + markdown(
            ["mutant", "where", "fault", "missing", "killed by"],
            [
                [
                    f"`{f['mutant']}`",
                    f"`{f['file'].removeprefix('rtl/')}`",
                    code(f["fault"]),
                    f["missing"],
                    f"`{f['killed_by']}`",
                ]
                for f in r["found"]
            ],
        )
        + "\n"
    )
    return said, text


def code(text):
    text = text.replace("|", "\\|")
    return f"`{text[:60]}{'…' if len(text) > 60 else ''}`"


def proofs(r):
    jobs = r["jobs"]
    proven = [j for j in jobs if j["verdict"] == "proven"]
    unbounded = [j for j in proven if j["depth"] is None]
    faulty = [j for j in proven if j.get("mutant_fails_at") is not None]
    covers = [at for j in jobs for at in j.get("covers", {}).values()]
    unreached = [f"`{j['name']}`: {', '.join(j['unreached'])}" for j in jobs if j.get("unreached")]
    said = (
        f"{len(proven)} of {len(jobs)} jobs proven, {len(unbounded)} of them for any number of cycles; "
        f"{len(faulty)} with a mutant that makes them fail; {len(covers)} named states reached"
    )
    seconds = [j["smt"] for j in jobs if "smt" in j]
    if seconds:
        asked = sum(
            "smt" in j and (j["smt"].get("induction") is not None or j["smt"]["depth"] >= (j["depth"] or 30))
            for j in jobs
        )
        said += (
            f"; an SMT solver contradicts {sum(not o['agrees'] for o in seconds)} of {len(seconds)}: it came as far "
            f"as asked in {asked}, {sum(o.get('induction') is not None for o in seconds)} of them by induction"
        )
    rows = []
    for j in jobs:
        depth = "any" if j["verdict"] == "proven" and j["depth"] is None else j["depth"]
        sizes = ", ".join(f"{k}={v}" for k, v in j.get("parameters", {}).items())
        sizes += "".join(f"; {code(given)}" for given in j.get("given", []))
        if j.get("free"):
            sizes += f"; any start of {', '.join(code(register) for register in j['free'])}"
        if j.get("cut"):
            sizes += f"; cut {', '.join(code(net) for net in j['cut'])}"
        reached = [f"{name} {at}" for name, at in j.get("covers", {}).items()]
        if "tight" in j:
            reached.append(", ".join(f"{k}={v}" for k, v in j["tight"].items()) + f" fails {j['tight_fails_at']}")
        rows.append(
            [
                f"`{j['name']}`",
                j.get("shows") or "its own assertions and those below",
                sizes,
                j["verdict"],
                depth,
                j["seconds"],
                j.get("properties", "-"),
                len(j.get("assume", [])),
                code(j["mutant"].split(": ", 1)[1]) if "mutant" in j else "none",
                j.get("mutant_fails_at", "-"),
                ", ".join(reached),
                second_opinion(j.get("smt")),
            ]
        )
    return said, (
        "`depth`: cycles, `any`: without bound. `SMT`: what yosys-smtbmc with another solver says of the same "
        "sources, word by word: cycles without a counterexample, `k=`: induction over so many cycles, and the "
        "cycle in which the mutant fails; `-`: no answer in its time.\n\n"
    ) + markdown(
        [
            "job",
            "shows",
            "sizes",
            "verdict",
            "depth",
            "s",
            "assertions of the top",
            "assumed",
            "mutant",
            "fails at cycle",
            "reached in cycle",
            "SMT",
        ],
        rows,
    ) + (f"\n\nNever true within the depth, so shown by nothing: {'; '.join(unreached)}.\n" if unreached else "") + "\n"


def second_opinion(o):
    if o is None:
        return "none"
    if not o["agrees"]:
        return "DISAGREES"
    k = f", k={o['induction']}" if o.get("induction") is not None else ""
    mutant = o.get("mutant_fails_at")
    return f"{o['depth']}{k}; mutant {'-' if mutant is None else mutant}"


def functional(r):
    t = r["total"]
    said = (
        f"{t['hit']} of {t['bins'] - t['impossible']} bins hit ({t['impossible']} more cannot be, each with its reason)"
    )
    rows = [
        [
            g["title"],
            g["bins"] - g["impossible"],
            g["hit"],
            len(g["holes"]),
            g["impossible"],
            g.get("impossible_by_standard", "-"),
        ]
        for g in r["groups"].values()
    ]
    return said, markdown(["group", "bins", "hit", "holes", "impossible", "of these by the standard"], rows) + "\n"


def soak(r):
    c, every = r["cosim"], r["kinds"].values()
    said = (
        f"{c['cycles'] / 1e6:.1f} million cycles of RTL and model side by side, {c['seeds']} seeds "
        f"({r['runs'][-1]['cosim_cycles'] / 1e6:.1f} million in the last run); of all kinds "
        f"{sum(k['seeds'] for k in every)} runs, {sum(k['failures'] for k in every)} failed, "
        f"{sum('mended' not in f for f in r['failures'])} of them open, {r['processor_hours']:.2f} processor hours"
    )
    rows = [
        [name, k["seeds"], k.get("cycles", "-"), k.get("flits", "-"), round(k["processor_s"]), k["failures"]]
        for name, k in r["kinds"].items()
    ]
    text = markdown(["kind", "seeds", "cycles", "flits", "processor s", "failures"], rows) + "\n"
    for f in r["failures"]:  # `mended`, by hand: the commit, and what was wrong
        text += f"\n* {f['date'][:10]}, `{f['commit']}`: {f['what']} (`{f['replay']}`). "
        text += f"Mended by {f['mended']}\n" if "mended" in f else "Open.\n"
    return said, text


def peer(r):
    text = (
        "An independent witness: a device and a host in C++ (`tests/peer/`), written from the standard and public "
        "texts by engineers who had not read RTL, model or block pages. RTL, model and their pages may share a "
        "misreading; the peer does not. A knob is one thing that the standard allows a peer, a wrong thing one that it "
        "forbids, with the reaction that it asks for; each runs alone. `make test` runs both sides with 20 000 "
        "requests a knob, `make peer` with a million, "
        "`make peer ARGS=\"--only poison\"` one knob. The list: [docs/conformance.md](conformance.md#standard-peer).\n"
    )
    return peer_page.summary(r), text


def fuzz(r):
    def of_last(target):
        return target["hours_by_sources"][target["sources"]]

    def ever(target, what):
        return sum(what(t) for t in (target, *target["former"]))

    targets = r["targets"].values()
    rows = [
        [
            f"`{name}`",
            f"{of_last(t):.2f}",
            f"{ever(t, lambda p: p['processor_hours']):.2f}",
            ever(t, lambda p: p["executions"]),
            t["corpus"]["inputs"],
            len(t["open"]),
            ever(t, lambda p: len(p.get("findings", []))),
        ]
        for name, t in sorted(r["targets"].items())
    ]
    left = sum(len(t["open"]) for t in targets)
    said = (
        f"{len(targets)} targets, each {min(map(of_last, targets), default=0):.2f} processor hours at least on "
        f"the sources of its last run, {left} findings open"
    )
    text = (
        "Sources: what is linked into the fuzzer (`verify/records.py`); a change of it begins its hours again. "
        f"An input that takes more than {r['limits']['MiB']} MiB or {r['limits']['seconds_an_input']} s is a "
        "finding as well.\n\n"
    )
    return said, text + markdown(
        ["target", "hours on the last sources", "hours in all", "executions in all", "corpus", "open", "found in all"],
        rows,
    ) + "\n"


def coverage(r):
    total, cpp = r["rtl"]["total"], r["cpp"]["total"]
    said = ", ".join(
        [f"RTL {kind} {total[kind]['percent']} %" for kind in ("lines", "branches", "toggles")]
        + [f"{name}/ lines {c['percent']} %" for name, c in cpp.items()]
    )
    said += f" (asked: {r['bounds_percent']['lines']:g}, {r['bounds_percent']['branches']:g}, "
    said += f"{r['bounds_percent']['toggles']:g}, {r['bounds_percent']['cpp']:g} and {r['bounds_percent']['cpp']:g} %)"
    rows = [
        [
            f"`rtl/{room}`",
            *(
                f"{c['percent']} % ({c['holes']}, {c['waived']})"
                for c in (figures["total"][k] for k in ("lines", "branches", "toggles"))
            ),
        ]
        for room, figures in r["rtl"]["rooms"].items()
    ]
    text = (
        f"Of what is not waived; in brackets holes and waived points. Toggles of nets up to "
        f"{r['toggle_max_width']} bits; {r['waivers']} waivers, each with its reason, in "
        "`verify/coverage/waivers.yaml`.\n\n" + markdown(["room", "lines", "branches", "toggles"], rows) + "\n"
    )
    if not r["one_run"] and r["tests"]["run"] is not None:
        text += (
            f"\nNot of one run (`{r['command']}`): {r['tests']['run']} tests were run together, and programs "
            "that changed since were built and run again; their counts are added up.\n"
        )
    if r["tests"]["run"] is None:
        text += (
            f"\nNot of one run: test programs were run one by one, {r['tests']['with_counts']} left counts; "
            "most tests of the whole system are not among them.\n"
        )
    return said, text


def sanitizers(r):
    rows = []
    names = {
        "x": "random state without reset, {seeds} seeds",
        "asan": "address and undefined behaviour",
        "valgrind": "valgrind, {cycles} cycles",
        "threads": "threads in our libraries: none to be found",
    }
    for kind, title in names.items():
        if kind not in r:
            rows.append([title.split(",")[0], "not measured yet", "", ""])
            continue
        part = r[kind]
        rows.append(
            [title.format(**part), part.get("tests", "-"), part.get("cases_passed", "-"), len(part["findings"])]
        )
    said = ", ".join(f"{k} {r[k]['tests']} programs" for k in ("x", "asan", "valgrind") if k in r)
    text = markdown(["what", "test programs", "cases passed", "findings"], rows) + "\n"
    if whole := r.get("valgrind", {}).get("all_cycles"):
        text += f"\nUnder valgrind with all their cycles: {', '.join(f'`{t}`' for t in whole)}.\n"
    for kind in ("asan", "valgrind"):
        if left := r.get(kind, {}).get("left_out"):
            text += f"\n{kind} leaves out {', '.join(f'`{t}`' for t in left)} (`verify/sanitize.py` says why).\n"
    return f"{said}; {sum(len(p['findings']) for p in r.values() if isinstance(p, dict))} findings", text


def faults(r):
    """Two sets: made by hand, and one for each conformance row."""
    said, text = [], ""
    if hand := r.get("by_hand"):
        said.append(f"{hand['count']} made by hand: {hand['seen']} seen, {hand['count'] - hand['seen']} survive")
        text += (
            f"Faults of several lines, made by someone who had not read the tests (`verify/faults/by_hand`), "
            f"{day(hand)}.\n\n"
            + markdown(
                ["fault", "what", "seen by"],
                [[f"`{v['fault']}`", v["what"], f"`{v['by']}`" if v["by"] else "-"] for v in hand["faults"]],
            )
            + "\n"
        )
        if hand.get("found"):
            text += (
                "\nOf these no test saw at first; what the tests lacked, and the test that sees each now:\n\n"
                + markdown(
                    ["fault", "missing", "seen by"],
                    [[f"`{f['fault']}`", f["missing"], f"`{f['killed_by']}`"] for f in hand["found"]],
                )
                + "\n"
            )
    if rows := r.get("conformance"):
        every = {v["row"] for v in rows["faults"]}
        green = {v["row"] for v in rows["faults"] if not v["by"]}
        said.append(f"{len(every - green)} of {len(every)} conformance rows fail under their own faults")
        text += (
            f"\nFaults of the rows of [conformance.md](conformance.md), {day(rows)}: the row's own test, with the "
            f"RTL's "
            f"assertions off, fails for {rows['seen']} of {rows['count']}.\n"
        )
    return "; ".join(said), text


SECTIONS = [
    ("coverage", "Structural coverage", "make coverage", coverage),
    ("functional", "Functional coverage", "make functional-coverage", functional),
    ("mutants", "Mutants", "make mutants", mutants),
    ("faults", "Faults by hand", "make faults; make conformance ARGS=--prove", faults),
    ("proofs", "Proofs", "make formal", proofs),
    ("fuzz", "Fuzzing", "make fuzz", fuzz),
    ("sanitizers", "Sanitizers", "make xprop sanitize valgrind", sanitizers),
    ("soak", "Soak", "make soak", soak),
    ("peer", "Standard peer", "make peer", peer),
]


def main():
    summary, parts = [], []
    for kind, title, command, section in SECTIONS:
        record = load(kind)
        if record is None:
            summary.append([title, "not measured yet", "", f"`{command}`"])
            continue
        said, text = section(record)
        summary.append([f"[{title}](#{title.lower().replace(' ', '-')})", said, day(record), f"`{command}`"])
        tools = ", ".join(f"{name}: {text}" for name, text in versions(record).items())
        parts.append(
            f"## {title}\n\n`{command}`, {day(record)}: {said}.\n\n" + (f"With {tools}.\n\n" if tools else "") + text
        )
    page = (
        "# Trust\n\nWhat the tests would catch. Written by `make trust` from the records in `docs/trust/`, which "
        "the tools named here leave.\n\n"
        + markdown(["evidence", "measured", "when", "by"], summary)
        + "\n\n"
        + "\n".join(parts)
    )
    new = ROOT / "docs/trust.new"
    new.write_text(wrapped(page))
    new.rename(ROOT / "docs/trust.md")


if __name__ == "__main__":
    main()
