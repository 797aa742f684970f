#!/usr/bin/env python3
"""Speculation policies side by side: speed-up over plain CXL and what of the speculation was useless.

Each row is a workload on Z-NAND: vadd, bfs, traces given with --trace, and streams of loads made here:
Seq (each stream takes line after line), Around (lines within eight of a place that moves on by a line in
four loads), Rand (any line of the stream's part). Streams take turns in an order drawn anew each round, a
load every eight cycles, each in its own part of 2 MiB. Useless: of the granules that MemSpecRd brought into
the internal DRAM, those displaced before a load wanted one of their lines.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

LINES = 32768    # 2 MiB
CYCLES = 8       # from load to load
POLICIES = ["cxl", "naive", "dyn", "sr-paper", "sr", "stream"]


def pattern(path, kind, streams, loads, seed):
    rnd = random.Random(seed)
    part = LINES // streams
    order, steps = list(range(streams)), [0] * streams
    rows = ["cycle,rw,addr,bytes"]
    for i in range(loads):
        if i % streams == 0:
            rnd.shuffle(order)
        stream = order[i % streams]
        step = steps[stream]
        steps[stream] += 1
        if kind == "Seq":
            line = step % part
        elif kind == "Around":
            line = min(part - 1, max(0, step // 4 % part + rnd.randint(-8, 8)))
        else:
            line = rnd.randrange(part)
        rows.append(f"{CYCLES * (i + 1)},R,{(stream * part + line) * 64:#x},64")
    path.write_text("\n".join(rows) + "\n")


def run(args, workload, policy, extra):
    name, settings = (policy, []) if policy != "sr-paper" else ("sr", ["--set", "root_port.policy=sr-paper"])
    with tempfile.TemporaryDirectory() as out:
        command = [args.cxlgpu, "run", f"{workload}-znand-{name}", "--engine", args.engine, "--out", out,
                   *settings, *extra, *args.extra]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return json.loads((pathlib.Path(out) / "stats.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--engine", default="model", choices=["model", "rtl", "cosim"])
    parser.add_argument("--policy", action="append", choices=POLICIES[1:], help="default: all")
    parser.add_argument("--trace", action="append", type=pathlib.Path, default=[])
    parser.add_argument("--loads", type=int, default=24576, help="of a pattern")
    parser.add_argument("--seed", type=int, default=1, help="of the patterns")
    parser.add_argument("extra", nargs="*", help="passed to cxlgpu run, after --")
    args = parser.parse_args()
    policies = args.policy or POLICIES[1:]
    with tempfile.TemporaryDirectory() as folder:
        rows = [("vadd", "vadd", []), ("vadd, 131 072", "vadd", ["--set", "workload.size=131072"]),
                ("bfs", "bfs", [])]
        rows += [(trace.name.split(".")[0], "vadd", ["--trace", str(trace)]) for trace in args.trace]
        for kind in ("Seq", "Around", "Rand"):
            for streams in (4, 16, 64, 128):
                path = pathlib.Path(folder) / f"{kind}{streams}.csv"
                pattern(path, kind, streams, args.loads, args.seed)
                rows.append((f"{kind}, {streams}", "vadd", ["--trace", str(path)]))
        print("| workload | plain CXL, us | " + " | ".join(policies) + " |")
        print("|---" * (2 + len(policies)) + "|", flush=True)
        for name, workload, extra in rows:
            plain = run(args, workload, "cxl", extra)["end_to_end"]["value"]
            cells = []
            for policy in policies:
                stats = run(args, workload, policy, extra)
                spec = {key: figure["value"] for key, figure in stats["memspecrd"].items()
                        if isinstance(figure, dict)}
                useless = 100 * spec["evicted_unused"] / spec["filled"] if spec["filled"] else 0
                cells.append(f"{plain / stats['end_to_end']['value']:.2f} ({useless:.0f} %)")
            print(f"| {name} | {plain / 1e3:.1f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
