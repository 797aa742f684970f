#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Counts messages by direction and opcode in what `cxlgpu flit decode --json` prints."""

import collections
import json
import sys

counts = collections.Counter()
for line in sys.stdin:
    flit = json.loads(line)
    for slot in flit.get("slots", []):
        for message in slot.get("messages", []):
            counts[flit["direction"], message["kind"], message.get("opcode", "")] += 1
for (direction, kind, opcode), count in sorted(counts.items()):
    print(f"{count:8} {direction} {kind} {opcode}")
