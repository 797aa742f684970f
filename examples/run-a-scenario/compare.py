#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Prints a few figures of two or more runs side by side: compare.py FOLDER FOLDER..."""

import json
import pathlib
import sys

FIGURES = [  # path in stats.json; each entry there is a value with its unit
    ("end_to_end",),
    ("loads", "mean"),
    ("memspecrd", "sent"),
    ("internal_dram_lookups", "hit_rate"),
]


def entry(stats, path):
    for key in path:
        stats = stats[key]
    return stats


runs = [json.loads((pathlib.Path(folder) / "stats.json").read_text()) for folder in sys.argv[1:]]
print("\t".join(["", *sys.argv[1:]]))
for path in FIGURES:
    found = [entry(stats, path) for stats in runs]
    print("\t".join([f"{' '.join(path)}, {found[0]['unit']}", *(f"{f['value']:g}" for f in found)]))
