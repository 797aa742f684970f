# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What docs/trust/peer.json says, for docs/trust.md and docs/conformance.md."""
from page_blocks import markdown

TITLE = "Standard peer"
SIDES = {"root complex": "strict device", "endpoint": "strict host"}

# What a standard peer may choose: the knobs that do it to the root complex (a device's choice) and to the endpoint (a
# host's choice), or the clause that leaves that end no such choice.
CHOICES = [
    ("silent until the first ALMP", ["silent"], "a downstream port speaks first (5.1.2.2)"),
    ("one credit at a time", ["one_credit"], ["one_credit"]),
    ("smallest buffers", ["one_buffer", "io_smallest_credits"], ["smallest_buffers", "io_one_completion"]),
    ("DRS out of order", ["any_order"], "a host sends no DRS (3.3.6)"),
    ("DRS in halves of 32 bytes", ["half_lines", "half_lines_any_packing", "halves_apart"],
     "M2S data comes in whole lines (4.2.2, Table 47)"),
    ("DevLoad constant", ["always_light", "always_optimal", "always_moderate", "always_severe"],
     "M2S messages have no DevLoad (3.3.3)"),
    ("MemSpecRd dropped", ["drops_speculation", "serves_speculation"], ["speculation"]),
    ("every legal NDR and DRS", ["every_answer", "keeps_metadata"], "a host sends no NDR and no DRS (3.3.5, 3.3.6)"),
    ("messages of CXL 3.x", ["cmp_m_for_write", "mem_data_nxm"], ["mem_cln_evct", "bi_conflict"]),
    ("every legal packing", ["one_message_a_flit", "generic_slots", "any_packing", "no_mdh", "plain"],
     ["pack_one", "pack_densest", "pack_generic", "pack_random"]),
    ("LLR wrap either way", ["wire_damage", "wrap_inclusive"], ["damage", "wrap_inclusive"]),
    ("retries at any moment", ["bad_crc", "needless_retry", "wire_damage"], ["bad_crc", "retries", "damage"]),
    ("reset at any moment", ["device_reset", "host_reset"], ["device_reset", "host_reset"]),
    ("link down at any moment", ["link_down", "link_down_isolated", "link_down_lost"], ["link_down"]),
    ("poison", ["poison"], ["poison", "conflicts_poison"]),
    ("one half of a line poisoned", ["half_lines_poison", "halves_apart"],
     "M2S data comes in whole lines (4.2.2, Table 47)"),
    ("requests of one line overlap", "a device makes no requests (3.3.3)",
     ["conflicts", "conflicts_poison", "conflicts_slow_media", "few_lines", "one_line"]),
    ("lines of one set, with their neighbours", "a device makes no requests (3.3.3)",
     ["strides", "strides_slow_media", "dram_strides", "dram_one_set"]),
    ("all credits used, then all answers", "a device makes no requests (3.3.3)", ["bursts", "bursts_stalled"]),
    ("tags reused at once", "the requester owns the tag (3.3.3)", ["tags_at_once"]),
    ("MemSpecRd around the read", "a device sends no MemSpecRd (3.3.3)", ["speculation_near"]),
    ("viral", ["viral"], ["viral"]),
]


def choices(record):
    """Lines of Markdown: each choice of a standard peer, and how the knobs that make it ended on either side."""
    ends = {(e["under_test"], e["knob"]): e["result"] for e in record["knobs"]}

    def cell(side, knobs):
        if isinstance(knobs, str):
            return f"none: {knobs}"
        return ", ".join(f"`{k}` {ends.get((side, k), '**not run**')}" for k in knobs)
    rows = [[what, cell("root complex", device), cell("endpoint", host)] for what, device, host in CHOICES]
    return ["### Choices of a standard peer", "",
            markdown(["choice", "a device's, at the root complex", "a host's, at the endpoint"], rows), ""]


def ended(entry):
    """How it ended, in the cell of a table."""
    if entry["result"] != "passed":
        return f"**failed**: {entry.get('said', 'see its log')}"
    return f"passed, {entry['date'][:10]}"


def longest(entry):
    """The most requests that it ever passed, and the commit."""
    most = entry.get("longest") or (entry if entry["result"] == "passed" else None)
    return f"{most.get('requests', 0)}, {most['commit']}" if most else "none"


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
        rows = [[f"`{e['knob']}`", e["what"], e["clause"], e.get("requests", 0), e.get("cycles", 0), longest(e),
                 ended(e)]
                for e in record["knobs"] if e["under_test"] == side and "reaction" not in e]
        lines += [f"### The {side} in RTL against a {peer}", "",
                  markdown(["knob", "what the peer does", "clause", "requests", "cycles", "longest run", "result"],
                           rows), ""]
        rows = [[f"`{e['knob']}`", e["what"], e["clause"], e["reaction"], ended(e)]
                for e in record["knobs"] if e["under_test"] == side and "reaction" in e]
        lines += [f"### What a {peer} must not do, and what the {side} shows", "",
                  markdown(["wrong", "what the peer does", "clause", "what the standard asks for", "result"], rows), ""]
    return lines


def conformance(record):
    """The section of docs/conformance.md."""
    head = [f"## {TITLE}", "",
            "RTL against a peer that was written from the standard alone (`tests/peer/`): a strict device and a strict "
            "host.",
            "`make test` runs both sides with 20 000 requests a knob, without what failed here; the numbers are those "
            "of the last",
            "`make peer` (`docs/trust/peer.json`); *longest run* has the most requests that passed, and their commit. "
            "Clauses are",
            "of CXL 2.0 if not said otherwise.", ""]
    if record is None:
        return [*head, "Not recorded yet.", ""]
    return head + choices(record) + tables(record)
