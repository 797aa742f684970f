# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What docs/trust/peer.json says, for docs/trust.md and docs/conformance.md."""
from page_blocks import markdown

TITLE = "Standard peer"
SIDES = {"root complex": "strict device", "endpoint": "strict host"}


def ended(entry):
    """How it ended, in the cell of a table."""
    if entry["result"] != "passed":
        return f"**failed**: {entry.get('said', 'see its log')}"
    return f"passed, {entry['date'][:10]}"


def summary(record):
    allowed = [e for e in record["knobs"] if "reaction" not in e]
    wrong = [e for e in record["knobs"] if "reaction" in e]
    parts = []
    for side, peer in SIDES.items():
        mine = [e for e in allowed if e["under_test"] == side]
        theirs = [e for e in wrong if e["under_test"] == side]
        parts.append(f"{side} against a {peer}: {len(mine)} knobs, {sum(e.get('requests', 0) for e in mine) / 1e6:.2f} "
                     f"million requests, and {len(theirs)} wrong things")
    failed = sum(e["result"] != "passed" for e in record["knobs"])
    return "; ".join(parts) + f"; {failed} failed"


def tables(record):
    """Lines of Markdown: what is allowed, then what is forbidden, for both sides."""
    lines = []
    for side, peer in SIDES.items():
        rows = [[f"`{e['knob']}`", e["what"], e["clause"], e.get("requests", 0), e.get("cycles", 0), ended(e)]
                for e in record["knobs"] if e["under_test"] == side and "reaction" not in e]
        lines += [f"### The {side} in RTL against a {peer}", "",
                  markdown(["knob", "what the peer does", "clause", "requests", "cycles", "result"], rows), ""]
        rows = [[f"`{e['knob']}`", e["what"], e["clause"], e["reaction"], ended(e)]
                for e in record["knobs"] if e["under_test"] == side and "reaction" in e]
        lines += [f"### What a {peer} must not do, and what the {side} shows", "",
                  markdown(["wrong", "what the peer does", "clause", "what the standard asks for", "result"], rows), ""]
    return lines


def conformance(record):
    """The section of docs/conformance.md."""
    head = [f"## {TITLE}", "",
            "RTL against a peer that was written from the standard alone (`tests/peer/`): a strict device and a strict "
            "host. `make test` runs the root", "complex with 20 000 requests a knob; the numbers here are those of "
            "`make peer` (`docs/trust/peer.json`). Clauses are of", "CXL 2.0 if not said otherwise.", ""]
    if record is None:
        return [*head, "Not recorded yet.", ""]
    return head + tables(record)
