#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Idle costs of each stage, measured in the RTL, beside the model's.

Each probe is one request of each kind on a system at rest, once through the RTL and once through the
model; every stage's share is read from the events of the run. The last rows are streams back to back.
The model takes its costs from docs/blocks and never from the RTL, so this holds the two apart: exit 1
if any stage differs. The table goes into docs/results.md.
"""

import argparse
import csv
import pathlib
import sys
import tempfile

import runs

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import page_blocks  # noqa: E402

STAGES = [
    "port_enqueue",
    "memq_alloc",
    "ctrl_accept",
    "wire_m2s",
    "ep_accept",
    "ep_lookup",
    "media_issue",
    "media_done",
    "ep_respond",
    "wire_s2m",
    "port_respond",
    "sys_respond",
]
APART = 200_000  # cycles from request to request: all is at rest again
# name, scenario, requests (rw, line); the last is the one that is looked at
PROBES = [
    ("load, no internal DRAM", "vadd-dram-cxl", ["R0"]),
    ("store, no internal DRAM", "vadd-dram-cxl", ["W0"]),
    ("load, miss", "vadd-znand-cxl", ["R0"]),
    ("load, hit", "vadd-znand-cxl", ["R0", "R1"]),
    ("store, miss", "vadd-znand-cxl", ["W0"]),
    ("store, hit", "vadd-znand-cxl", ["R0", "W1"]),
    ("load, miss, with MemSpecRd", "vadd-znand-sr", ["R0"]),
    ("store, deterministic", "vadd-znand-ds", ["W0"]),
]
STREAMS = [("reads", "R"), ("writes", "W")]
STREAM_LINES = 4096


def trace(path, requests):
    rows = [f"{cycle},{word[0]},{int(word[1:]) * 64:#x},64" for cycle, word in requests]
    path.write_text("cycle,rw,addr,bytes\n" + "\n".join(rows) + "\n")


def stages_of_last(folder, args, engine, scenario, requests):
    """Time of each stage of the last request, in ns from the stage before; and of all."""
    file, events = folder / "probe.csv", folder / "events.csv"
    trace(file, [(APART * i, word) for i, word in enumerate(requests)])
    runs.call([args.cxlgpu, "run", scenario, "--engine", engine, "--trace", str(file), "--events", str(events)])
    start = 1000 * APART * (len(requests) - 1)
    at = {}
    for row in csv.DictReader(events.open()):
        if int(row["time_ps"]) > start and row["stage"] in ["sys_accept"] + STAGES:
            at.setdefault(row["stage"], int(row["time_ps"]))
    before, shares = at["sys_accept"], {}
    for stage in sorted((s for s in STAGES if s in at), key=lambda s: (at[s], STAGES.index(s))):
        shares[stage] = (at[stage] - before) / 1e3
        before = at[stage]
    return shares, (at["sys_respond"] - at["sys_accept"]) / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/results.md")
    parser.add_argument("--check", action="store_true", help="only compare, write nothing")
    args = parser.parse_args()
    rows, different = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for label, scenario, requests in PROBES:
            rtl, all_rtl = stages_of_last(folder, args, "rtl", scenario, requests)
            model, all_model = stages_of_last(folder, args, "model", scenario, requests)
            if (rtl, all_rtl) != (model, all_model):
                different.append(f"{label}: rtl {rtl}, {all_rtl} ns; model {model}, {all_model} ns")
            rows.append(
                [label] + [f"{rtl[s]:g}" if s in rtl else "" for s in STAGES] + [f"{all_rtl:g}", f"{all_model:g}"]
            )
        for label, rw in STREAMS:
            file = folder / "stream.csv"
            trace(file, [(0, f"{rw}{line}") for line in range(STREAM_LINES)])
            rate = {}
            for engine in ("rtl", "model"):
                stats = runs.stats(args.cxlgpu, "vadd-dram-cxl", engine, "--trace", str(file))
                rate[engine] = stats["end_to_end"]["value"] / STREAM_LINES
            if rate["rtl"] != rate["model"]:
                different.append(f"{label} back to back: {rate} ns a line")
            rows.append(
                [f"{STREAM_LINES} {label} back to back, DRAM, two ports; ns a line"]
                + [""] * len(STAGES)
                + [f"{rate['rtl']:.3f}", f"{rate['model']:.3f}"]
            )
    if not args.check:
        page_blocks.replace(
            args.page, {"idle": page_blocks.markdown(["ns"] + STAGES + ["all, rtl", "all, model"], rows)}
        )
    for line in different:
        print(line, file=sys.stderr)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
