#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Every media part: what `cxlgpu media` measures against what is published, and 64 B loads through CXL.

Prints as markdown the tables of docs/results.md (published figures) and docs/results/media.md (drives). The loads:
random lines of 512 MiB over the default two ports, each seldom in the same 256 B as one before (the
internal DRAM is cold), one outstanding, model engine.
"""

import argparse
import json
import pathlib
import random
import tempfile

import runs

SPACE = 512 << 20
UNITS = {"ns": (("us", 1e3, 1000), ("ns", 1, 0)), "IOPS": (("kIOPS", 1e3, 0),), "GB/s": (("GB/s", 1, 0),)}


def text(figure):
    if figure is None:
        return ""
    unit, scale, _ = next(u for u in UNITS[figure["unit"]] if figure["value"] >= u[2])
    digits = 1 if unit in ("ns", "kIOPS") else 2
    return f"{figure['value'] / scale:.{digits}f} {unit}"


def measure(args, part, trace, folder):
    out = pathlib.Path(folder) / part
    runs.call([args.cxlgpu, "media", part, "--out", str(out), "--seed", str(args.seed)])
    return (
        json.loads((out / "media.json").read_text()),
        runs.stats(args.cxlgpu, f"vadd-{part}-cxl", "model", "--trace", str(trace), "--set", "trace.max_reads=1"),
    )


def published(name, media, loads):
    print(f"\n`{name}`, {media['part']}:\n\n| figure | published | ours | difference | source |\n|---|---|---|---|---|")
    far = []
    for row in media["published"]:
        ours, difference = row["ours"], row["difference"]
        if row["figure"] == "read_64b_cxl":
            ours = loads["p50"]
            difference = {"value": 100 * (ours["value"] / row["published"]["value"] - 1)}
        print(
            f"| {row['figure']} | {text(row['published'])} | {text(ours)} | {difference['value']:+.0f} % "
            f"| {row['source']} |"
        )
        if abs(difference["value"]) > 10:
            far.append(f"* {row['figure']}: {row['why'] or '**not explained**'}")
    print("\n" + "\n".join(far) if far else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--configs", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "configs")
    parser.add_argument("--part", action="append", help="default: all of configs/media")
    parser.add_argument("--loads", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    parts = args.part or sorted(p.stem for p in (args.configs / "media").glob("*.yaml"))
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "loads.csv"
        lines = random.Random(args.seed).sample(range(SPACE // 64), args.loads)
        trace.write_text("cycle,rw,addr,bytes\n" + "".join(f"0,R,{line * 64:#x},64\n" for line in lines))
        for part in parts:
            measured[part] = measure(args, part, trace, folder)

    print(
        "| part | 64 B at the media port, read / write | 64 B load through CXL, median | mean | p99 "
        "|\n|---|---|---|---|---|"
    )
    for part, (media, stats) in measured.items():
        idle = " / ".join(text(media["figures"][f"{op}_64b_idle"]["media"]) for op in ("read", "write"))
        loads = stats["loads"]
        print(f"| `{part}` | {idle} | {text(loads['p50'])} | {text(loads['mean'])} | {text(loads['p99'])} |")

    flash = {part: m for part, (m, _) in measured.items() if "read_4k_idle" in m["figures"]}
    if flash:
        names = dict.fromkeys(n for m in flash.values() for n, f in m["figures"].items() if "drive" in f)
        print("\n| media / drive | " + " | ".join(f"`{p}`" for p in flash) + " |\n" + "|---" * (1 + len(flash)) + "|")
        for name in sorted(names):
            cells = []
            for media in flash.values():
                f = media["figures"].get(name)
                cells.append(f"{text(f['media'])} / {text(f.get('drive'))}" if f else "")
                if f and "media_latency" in f:
                    cells[-1] += f" ({text(f['media_latency'])} / {text(f.get('drive_latency'))})"
            print(f"| {name} | " + " | ".join(cells) + " |")
    for part, (media, stats) in measured.items():
        if media["published"]:
            published(part, media, stats["loads"])


if __name__ == "__main__":
    main()
