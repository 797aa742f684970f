#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Values by key from inside kernels: latency by memory mode, medium and batch, with where the time goes.

Every run compares each byte with the published pattern, in GPU or host memory and in the store. Times are of the model:
links, host memory and media by configs/, nothing fitted; no RTL stands behind them.

  eval/key_value.py --table modes
  eval/key_value.py --page docs/results/kv.md
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import runs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402

TABLES = ("modes", "media", "batches", "stages", "published", "sizes")
MEDIA = ("dram", "pram", "znand", "nand")
BATCHES = (1, 4, 32, 256, 1023)
GPU, HOST = 15, 0
# A kernel and a CPU thread with a queue between them and nothing behind it, H100, measured for this project.
BARE = {1: 4.07, 4: 7.98, 32: 40.2, 256: 330, 1023: 1244}
STAGES = ("submit", "doorbell", "fetch", "decode", "data_in", "medium", "post", "seen")
PLACES = ("SQ", "CQ", "doorbell", "data")


def us(figure):
    return figure["value"] / 1000


def text(number):
    return f"{number:.3f}" if number < 10 else f"{number:.1f}" if number < 1000 else f"{number:.0f}"


class Study:
    def __init__(self, made):
        self.runs, self.blocks = made, {}

    def one(self, workload="kvget", media="znand", kind="kv", batch=1, keys=None, **more):
        """A future of the object `kv`, of as many keys as make three batches."""
        count = keys or (3 * batch if batch < 256 else batch)
        return self.runs.run(
            f"{workload}-{media}-{kind}", "kv", workload__size=count, workload__kv_batch=batch, **more
        )  # fmt: skip

    def modes(self):
        made = [
            (mode, self.one(kv__memory_mode=mode), self.one("kvput", kv__memory_mode=mode),
             self.one(kv__memory_mode=mode, kv__poll_interval_ps=10_000_000))
            for mode in range(16)
        ]  # fmt: skip
        rows = []
        for mode, *three in made:
            where = ["GPU" if mode >> bit & 1 else "host" for bit in range(4)]
            rows.append([mode, *where, *(text(us(one.result()["latency"]["p50"])) for one in three)])
        header = ["mode", *PLACES, "Retrieve, us", "Store, us", "Retrieve, bridge of 10 us"]
        self.blocks["modes"] = page_blocks.markdown(header, rows)

    def media(self):
        made = [
            (media, [self.one(workload, media, kind) for kind in ("kv", "kv-block") for workload in ("kvget", "kvput")])
            for media in MEDIA
        ]
        rows = [[media, *(text(us(one.result()["latency"]["p50"])) for one in four)] for media, four in made]
        header = ["medium", "Retrieve, us", "Store, us", "block read, us", "block write, us"]
        self.blocks["media"] = page_blocks.markdown(header, rows)

    def batches(self):
        kinds = [("dram", GPU), ("dram", HOST), ("znand", GPU), ("znand", HOST)]
        made = {
            (batch, media, mode): self.one(media=media, batch=batch, keys=batch, kv__memory_mode=mode)
            for batch in BATCHES
            for media, mode in kinds
        }
        rows = []
        for batch in BATCHES:
            row = [batch, BARE[batch]]
            for media, mode in kinds:
                kv = made[batch, media, mode].result()
                row.append(f"{text(us(kv['span']))} / {text(us(kv['a_command']))}")
            rows.append(row)
        header = ["batch", "bare queue, H100", *(f"{m}, {'GPU' if mode else 'host'}" for m, mode in kinds)]
        self.blocks["batches"] = page_blocks.markdown(header, rows)

    def stages(self):
        kinds = [(media, mode) for media in ("dram", "znand") for mode in (GPU, 8, HOST)]
        made = [self.one(media=media, kv__memory_mode=mode) for media, mode in kinds]
        done = [{entry["stage"]: us(entry["mean"]) for entry in one.result()["stages"]} for one in made]
        rows = [[stage.replace("_", " "), *(text(one[stage]) for one in done)] for stage in STAGES]
        rows.append(["all", *(text(sum(one.values())) for one in done)])
        header = ["stage, us", *(f"{media}, mode {mode}" for media, mode in kinds)]
        self.blocks["stages"] = page_blocks.markdown(header, rows)

    def published(self):
        """Rows of the article; ours has no cluster behind it, so that the bridge alone is comparable."""
        ms, ten_us = 10**9, 10_000_000
        wanted = [
            ("block, host, bridge of 1 ms", "987", "kv-block", HOST, ms),
            ("block, host, bridge of 10 us", "210 (105 to 367)", "kv-block", HOST, ten_us),
            ("block, data in GPU memory, 10 us", "136.24", "kv-block", 8, ten_us),
            ("key, data in GPU memory, 1 ms", "991", "kv", 8, ms),
            ("key, data in GPU memory, 10 us", "140.21", "kv", 8, ten_us),
            ("key, data in GPU memory, no bridge", "", "kv", 8, 0),
            ("key, all in GPU memory, no bridge", "", "kv", GPU, 0),
        ]
        made = [
            self.one(kind=kind, keys=50, kv__memory_mode=mode, kv__poll_interval_ps=poll)
            for _, _, kind, mode, poll in wanted
        ]
        rows = []
        for (what, theirs, *_), one in zip(wanted, made):
            kv = one.result()
            bell = next(us(entry["mean"]) for entry in kv["stages"] if entry["stage"] == "doorbell")
            mean = us(kv["latency"]["mean"])
            rows.append([what, theirs, text(mean), text(bell), text(mean - bell)])
        header = ["run of 50", "theirs, us", "here, us", "of it the bridge or doorbell", "the rest"]
        self.blocks["published"] = page_blocks.markdown(header, rows)

    def sizes(self):
        """Values of other sizes."""
        values = (64, 4096, 65536, 1 << 20)
        made = [
            (size, [self.one(workload, workload__kv_value_bytes=size) for workload in ("kvget", "kvput")])
            for size in values
        ]
        rows = []
        for size, both in made:
            name = f"{size} B" if size < 1024 else f"{size >> 10} KiB"
            times = [us(one.result()["latency"]["p50"]) for one in both]
            rows.append([name, *(x for t in times for x in (text(t), f"{size / t / 1000:.2f}"))])
        header = ["value", "Retrieve, us", "GB/s", "Store, us", "GB/s"]
        self.blocks["sizes"] = page_blocks.markdown(header, rows)


def main():
    args = runs.study_options(__doc__, "table", TABLES).parse_args()
    with ThreadPoolExecutor(args.jobs) as pool:
        study = Study(runs.Pool(pool, args.cxlgpu, args.extra))
        for table in args.table or TABLES:
            getattr(study, table)()
    page_blocks.show(study.blocks, args.page)


if __name__ == "__main__":
    main()
