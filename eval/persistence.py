#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Persistence from a kernel against persistence by way of the host: tables 4 and 5, figures 3, 9, 10 and 12 of GPM
(ASPLOS 2022) beside what its paper says of them.

Inputs are the host's costs (configs/host/cap.yaml, pcie.yaml, io.yaml) and the workloads; none is fitted to a figure.
What is shown of a workload is what comes on top once its piece is there: of batches and steps half of the difference
between a run with three and one with one; of checkpoints the difference between a run with them and one without; of ps,
bfsp and persist, which have neither, the whole run. Bytes likewise.

The table `judged` has each number of the paper's text beside ours, and the factor between them; `*`: over 2.

  eval/persistence.py --part table4
  eval/persistence.py --page docs/results/persistence.md
"""

import pathlib
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import runs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402

BATCHES = ("gpkvs", "gpkvs95", "gpdb-insert", "gpdb-update")
CHECKPOINTS = ("dnn", "cfdcp", "blk", "hs")
NATIVE = ("bfsp", "srad", "ps")
WORKLOADS = (*BATCHES, *CHECKPOINTS, *NATIVE)
CONFIGURATIONS = ("cap-fs", "cap-mm", "gpm", "gpm-ndp", "gpm-eadr", "cap-eadr")
PARTS = ("figure3", "table4", "table5", "figure9", "figure10", "figure12", "experiment", "copies", "longer")
NEVER = 10000  # workload.checkpoint_every that no run reaches
LIMIT = 2.0
RATES = (17, 12.5, 3.13, 0.72)  # GB/s; but the first what GPM measured of Optane (figure 12, text)
# What costs the host time whatever the bytes, all but none.
FREE = (
    "cap.sync_ps=0", "cap.launch_ps=1000", "cap.bounce_ps=0", "cap.commit_ps=0", "cap.journal_bytes=4KiB",
    "pcie.from_gpu_setup_ps=0", "io.syscall_ps=0", "io.file_system_ps=0",
)  # fmt: skip


class Runs(runs.Pool):
    """Runs on PRAM."""

    def run(self, workload, configuration, *sets):
        """A future of {"time": ns, "bytes": to memory that persists}."""
        scenario = f"{workload}-pram-{configuration}"
        return self.once((scenario, *sets), self.figures, scenario, sets)

    def figures(self, scenario, sets):
        options = [word for one in sets for word in ("--set", one)]
        stats = runs.stats(self.cxlgpu, scenario, "model", "--no-report", "-q", *self.extra, *options)
        host = stats.get("host_persist")
        gpu = stats["gpu"].get("persist")
        written = host["written"]["value"] + host["journal"]["value"] if host else gpu["bytes"]["value"]
        return {"time": stats["end_to_end"]["value"], "bytes": written}

    def pair(self, workload, configuration, *sets):
        """Two futures and what half the difference is worth, or one."""
        if workload in CHECKPOINTS:
            return (
                self.run(workload, configuration, *sets),
                self.run(workload, configuration, *sets, f"workload.checkpoint_every={NEVER}"),
                1,
            )
        if workload in BATCHES or workload == "srad":
            three, one = (self.run(workload, configuration, *sets, f"workload.iterations={n}") for n in (3, 1))
            return three, one, 2
        return self.run(workload, configuration, *sets), None, 1

    @staticmethod
    def difference(pair, what):
        more, less, parts = pair
        return (more.result()[what] - (less.result()[what] if less else 0)) / parts


def factor(theirs, ours):
    return max(theirs, ours) / min(theirs, ours) if min(theirs, ours) > 0 else float("inf")


class Study:
    def __init__(self, made):
        self.runs, self.blocks, self.judged = made, {}, []

    def judge(self, place, what, theirs, ours, unit="x", low=None):
        """`low`: theirs is a range from it on; what is within has factor 1."""
        least = theirs if low is None else low
        text = f"{theirs:g}{unit}" if low is None else f"{low:g} to {theirs:g}{unit}"
        by = 1.0 if least <= ours <= theirs else min(factor(least, ours), factor(theirs, ours))
        self.judged.append([place, what, text, f"{ours:.2f}{unit}", f"{by:.2f}" + ("" if by <= LIMIT else " *")])

    def all(self, configurations, *sets):
        """By configuration and workload, time in ns and bytes."""
        pairs = {(c, w): self.runs.pair(w, c, *sets) for c in configurations for w in WORKLOADS}
        return {key: {what: Runs.difference(pair, what) for what in ("time", "bytes")} for key, pair in pairs.items()}

    def figure3(self):
        threads = (1, 2, 4, 8, 16)
        host = [(n, self.runs.run("persist", "cap-mm", f"cap.threads={n}")) for n in threads]
        lanes = ((1, 1, 1), (1, 1, 8), (8, 1, 8), (8, 2, 8), (8, 4, 8), (8, 8, 8))
        gpu = [
            (c * w * t, self.runs.run("persist", "gpm", f"gpu.cores={c}", f"gpu.warps={w}", f"gpu.threads={t}"))
            for c, w, t in lanes
        ]
        base = host[0][1].result()["time"]
        rows = [["host", n, f"{one.result()['time'] / 1000:.1f}", f"{base / one.result()['time']:.2f}x"]
                for n, one in host]  # fmt: skip
        rows += [["GPU", n, f"{one.result()['time'] / 1000:.1f}", f"{base / one.result()['time']:.2f}x"]
                 for n, one in gpu]  # fmt: skip
        self.blocks["figure 3"] = page_blocks.markdown(["threads of", "number", "us", "over one of the host"], rows)
        self.judge("3a", "CAP-mm, most threads over one", 1.47, base / min(one.result()["time"] for _, one in host))
        self.judge("3b", "GPM over CAP-mm with one thread", 4, base / min(one.result()["time"] for _, one in gpu))

    def table4(self):
        theirs = {"gpkvs": 39.38, "gpdb-insert": 1.27, "gpdb-update": 19.88} | dict.fromkeys(CHECKPOINTS + NATIVE, 1.0)
        made, rows = self.all(("cap-mm", "gpm")), []
        for w in WORKLOADS:
            cap, gpm = (made[c, w]["bytes"] for c in ("cap-mm", "gpm"))
            rows.append([f"`{w}`", f"{cap:.0f}", f"{gpm:.0f}", f"{cap / gpm:.2f}x",
                         f"{theirs[w]:.2f}x" if w in theirs else "-"])  # fmt: skip
            if w in theirs:
                self.judge("table 4", w, theirs[w], cap / gpm)
        header = ["workload", "CAP, bytes", "GPM, bytes", "CAP over GPM", "the paper"]
        self.blocks["table 4"] = page_blocks.markdown(header, rows)

    def restoration(self, workload, *sets):
        """In ns, of a run that lost power just before its last batch was said to be done, or after a checkpoint."""
        scenario = f"{workload}-pram-gpm"
        extra = [*self.runs.extra, *(word for one in sets for word in ("--set", one))]
        walk = runs.call([self.runs.cxlgpu, "crash", scenario, *extra, "--points", "2", "--states", "1"])
        events = int(re.search(r": (\d+) events", walk)[1])
        at = events - 3 if workload in BATCHES else events
        with tempfile.TemporaryDirectory() as left:
            images = ["--set", f"endpoint.image_out={left}"]
            runs.call([self.runs.cxlgpu, "run", scenario, "--engine", "model", *extra, "--crash-at", str(at), *images])
            stats = runs.stats(
                self.runs.cxlgpu, scenario, "model", "--no-report", "-q", *extra, "--recover", "--set",
                f"endpoint.image_in={left}",
            )  # fmt: skip
        return stats["gpu"]["recovery"]["value"]

    def table5(self):
        theirs = {"gpkvs": 18.96, "gpdb-insert": 0.01, "gpdb-update": 10.43, "dnn": 0.12, "cfdcp": 0.30, "blk": 0.80,
                  "hs": 1.65}  # fmt: skip
        made = {w: (self.runs.pool.submit(self.restoration, w), self.runs.run(w, "gpm")) for w in theirs}
        rows = []
        for w, (restored, whole) in made.items():
            restored, whole = restored.result(), whole.result()["time"]
            share = 100 * restored / whole
            rows.append([f"`{w}`", f"{restored / 1000:.2f}", f"{whole / 1000:.1f}", f"{share:.2f} %", f"{theirs[w]} %"])
            self.judge("table 5", w, theirs[w], share, " %")
        header = ["workload", "restoration, us", "run, us", "share", "the paper"]
        self.blocks["table 5"] = page_blocks.markdown(header, rows)

    def over(self, name, made, shown):
        rows = []
        for w in WORKLOADS:
            base = made["cap-fs", w]["time"]
            rows.append([f"`{w}`", f"{base / 1000:.1f}", *(f"{base / made[c, w]['time']:.2f}x" for c in shown)])
        self.blocks[name] = page_blocks.markdown(["workload", "CAP-fs, us", *shown], rows)

    def figure9(self):
        made = self.all(("cap-fs", "cap-mm", "gpm"))
        self.over("figure 9", made, ("cap-mm", "gpm"))

        def ratio(slow, fast, w):
            return made[slow, w]["time"] / made[fast, w]["time"]

        self.judge("9", "gpkvs: CAP-mm over CAP-fs", 2, ratio("cap-fs", "cap-mm", "gpkvs"))
        self.judge("9", "gpkvs: GPM over CAP-fs", 8, ratio("cap-fs", "gpm", "gpkvs"), low=7)
        self.judge("9", "gpkvs: GPM over CAP-mm", 4, ratio("cap-mm", "gpm", "gpkvs"))
        self.judge("9", "gpdb-insert: GPM over CAP-mm", 3.6, ratio("cap-mm", "gpm", "gpdb-insert"))
        self.judge("9", "gpdb-update: GPM over CAP-mm", 2.6, ratio("cap-mm", "gpm", "gpdb-update"))
        gains = [ratio("cap-fs", "gpm", w) for w in CHECKPOINTS]
        self.judge("9", "checkpoints, least", 11, min(gains))
        self.judge("9", "checkpoints, most", 18, max(gains))
        gains = [ratio("cap-fs", "gpm", w) for w in NATIVE]
        self.judge("9", "native, least", 5, min(gains))
        self.judge("9", "native, most (bfsp)", 85, ratio("cap-fs", "gpm", "bfsp"))

    def figure10(self):
        made = self.all(CONFIGURATIONS)
        self.over("figure 10", made, ("gpm-ndp", "gpm", "gpm-eadr", "cap-eadr"))

        def ratios(slow, fast):
            return [made[slow, w]["time"] / made[fast, w]["time"] for w in WORKLOADS]

        kvs = made["gpm-ndp", "gpkvs"]["time"] / made["gpm", "gpkvs"]["time"]
        self.judge("10", "GPM over GPM-NDP, most", 6, max(ratios("gpm-ndp", "gpm")))
        self.judge("10", "gpkvs: GPM over GPM-NDP", 1.6, kvs, low=1.4)
        self.judge("10", "GPM-eADR over GPM, most", 13, max(ratios("gpm", "gpm-eadr")))
        gains = ratios("cap-eadr", "gpm-eadr")
        self.judge("10", "GPM-eADR over CAP-eADR, mean", 24, sum(gains) / len(gains))

    def figure12(self):
        made = self.all(("gpm",))
        order = sorted(WORKLOADS, key=lambda w: -made["gpm", w]["bytes"] / made["gpm", w]["time"])
        rows = [[f"`{w}`", f"{made['gpm', w]['bytes'] / made['gpm', w]['time']:.3f}"] for w in order]
        self.blocks["figure 12"] = page_blocks.markdown(["workload", "GB/s"], rows)

    def experiment(self):
        """What the host costs whatever the bytes, taken away."""
        usual, free = (self.all(("cap-fs", "cap-mm", "gpm"), *sets) for sets in ((), FREE))
        rows = []
        for w in WORKLOADS:
            row = [f"`{w}`"]
            for made in (usual, free):
                row += [f"{made[c, w]['time'] / made['gpm', w]['time']:.2f}x" for c in ("cap-fs", "cap-mm")]
            rows.append(row)
        header = ["workload", "GPM over CAP-fs", "over CAP-mm", "over CAP-fs, bytes alone", "over CAP-mm, bytes alone"]
        self.blocks["experiment"] = page_blocks.markdown(header, rows)

    def copies(self):
        """How fast a thread of the host writes, which decides what a checkpoint costs there."""
        made = {rate: self.all(("cap-fs", "gpm"), f"cap.copy_gb_s={rate}") for rate in RATES}
        rows = [
            [f"`{w}`", *(f"{made[r]['cap-fs', w]['time'] / made[r]['gpm', w]['time']:.2f}x" for r in RATES)]
            for w in (*CHECKPOINTS, "gpkvs", "bfsp")
        ]
        header = ["GPM over CAP-fs, at `cap.copy_gb_s`", *map(str, RATES)]
        self.blocks["copy experiment"] = page_blocks.markdown(header, rows)

    def longer(self):
        """Restoration of a run with ten times the steps."""
        steps = {"blk": 100, "hs": 100, "gpkvs": 16, "gpdb-update": 30}
        made = {
            w: (self.runs.pool.submit(self.restoration, w, f"workload.iterations={n}"),
                self.runs.run(w, "gpm", f"workload.iterations={n}"))
            for w, n in steps.items()
        }  # fmt: skip
        rows = []
        for w, (restored, whole) in made.items():
            restored, whole = restored.result(), whole.result()["time"]
            rows.append([f"`{w}`", steps[w], f"{restored / 1000:.2f}", f"{whole / 1000:.1f}",
                         f"{100 * restored / whole:.2f} %"])  # fmt: skip
        header = ["workload", "`workload.iterations`", "restoration, us", "run, us", "share"]
        self.blocks["restoration experiment"] = page_blocks.markdown(header, rows)

    def judgement(self):
        self.blocks["judged"] = page_blocks.markdown(["of", "what", "the paper", "here", "factor"], self.judged)


def main():
    args = runs.study_options(__doc__, "part", PARTS).parse_args()
    with ThreadPoolExecutor(args.jobs) as pool:
        study = Study(Runs(pool, args.cxlgpu, args.extra))
        for part in args.part or PARTS:
            getattr(study, part)()
    if study.judged:
        study.judgement()
    page_blocks.show(study.blocks, args.page)


if __name__ == "__main__":
    main()
