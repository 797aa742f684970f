#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Loses power at random points of each workload that persists, at its own size, and recovers each: `cxlgpu crash`.

A run that has fewer events than there are to be points has every one of them, in more states, until there are as many
losses of power. A row a workload: events, points, states, what came of them. Exit status: 0 each was recovered, 1 one
was not, 2 something was refused.

  verify/crash_points.py --points 100 ps blk
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WORKLOADS = (
    "ps", "gpkvs", "gpkvs95", "gpdb-insert", "gpdb-update", "bfsp", "srad", "blk", "cfdcp", "dnn", "hs", "persist",
    "hcl",
)  # fmt: skip
SAID = re.compile(r": (\d+) events, (\d+) points, (\d+) states, at most (\d+) writes in flight: (.*)")
MOST_STATES = 256  # of a point: what `cxlgpu crash` tries at most


class Walks:
    def __init__(self, args):
        self.args = args

    def crash(self, workload, points, states):
        sets = [word for one in self.args.set for word in ("--set", one)]
        command = [self.args.cxlgpu, "crash", f"{workload}-{self.args.media}-gpm", *sets]
        command += ["--points", str(points), "--states", str(states), "--seed", str(self.args.seed)]
        return subprocess.run(command, capture_output=True, text=True)

    def walk(self, workload):
        """Status, and the row or what went wrong."""
        states = 1
        while True:
            done = self.crash(workload, self.args.points, states)
            said = SAID.search(done.stdout)
            if done.returncode != 0 or not said:
                return done.returncode or 1, (done.stderr or done.stdout).strip()
            events, points, made, most, text = said.groups()
            if int(made) >= self.args.points or states >= MOST_STATES:
                return 0, f"| `{workload}` | {events} | {points} | {made} | {most} | {text} |"
            states *= max(2, -(-self.args.points // int(made)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--points", type=int, default=10000)
    parser.add_argument("--media", default="pram")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("workload", nargs="*", help=f"default: {', '.join(WORKLOADS)}")
    args = parser.parse_args()
    print("| workload | events | points | states | most in flight | |\n|---|---|---|---|---|---|", flush=True)
    worst = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for status, text in pool.map(Walks(args).walk, args.workload or WORKLOADS):
            print(text, file=sys.stderr if status else sys.stdout, flush=True)
            worst = max(worst, min(status, 2))
    return worst


if __name__ == "__main__":
    sys.exit(main())
