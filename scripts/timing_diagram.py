#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Timing diagram (WaveDrom's WaveJSON) of the slowest load of a run, from its stats.json.

  printf '0,R,0x0,64\\n' > one.csv
  build/bin/cxlgpu run vadd-dram-cxl --engine rtl --trace one.csv --out out/one
  scripts/timing_diagram.py out/one/stats.json > docs/idle-load.json
  pip install wavedrom && wavedrompy --input docs/idle-load.json --svg docs/idle-load.svg

One lane a stage, one column a cycle; what happens between two clock edges counts from the next. Stages of more than
--longest cycles are cut, with a gap drawn; the figure beside a lane is its cycles. Exit status: 0; 2 if the file has
no load.
"""

import argparse
import json
import math
import sys

# The stage that ends at an event of the trace; its lane.
LANES = {
    "port_enqueue": "H1",
    "memq_alloc": "SR queue",
    "ctrl_accept": "memory queue",
    "wire_m2s": "T1-T3, M2S",
    "ep_accept": "R1, R2",
    "ep_lookup": "E1",
    "media_issue": "E2",
    "media_done": "media",
    "ep_respond": "E4",
    "wire_s2m": "T1-T3, S2M",
    "port_respond": "R1, R2",
    "sys_respond": "responses",
}


def diagram(load, longest):
    spans = []
    columns = 0
    last = None
    for stage in load["stages"]:
        at = math.ceil(stage["at"]["value"])
        if last is not None and at > last:
            cycles = at - last
            shown = min(cycles, longest)
            spans.append((stage["stage"], columns, shown, cycles))
            columns += shown
        last = at
    signals = [{"name": "clk", "wave": "P" + "." * columns}]
    for stage, start, shown, cycles in spans:
        body = "=" + "." * (shown - 1)
        if shown < cycles:
            body = body[:-2] + "|."
        signals.append(
            {
                "name": f"{LANES[stage]}: {cycles}",
                "wave": ("0" + "." * (start - 1) if start else "") + body + "0" + "." * (columns - start - shown),
            }
        )
    return {
        "signal": signals,
        "head": {"text": f"A load of {load['latency']['value']:g} ns, from the host bridge to the response"},
        "config": {"hscale": 1},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stats")
    parser.add_argument("--longest", type=int, default=12)
    args = parser.parse_args()
    try:
        with open(args.stats, encoding="utf-8") as file:
            loads = json.load(file)["slowest_loads"]
    except (OSError, ValueError, KeyError) as error:
        print(f"timing_diagram: {args.stats}: {error}; give the stats.json of a run", file=sys.stderr)
        return 2
    if not loads:
        print(f"timing_diagram: {args.stats}: no load in it", file=sys.stderr)
        return 2
    print(json.dumps(diagram(loads[0], args.longest), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
