#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Phoenix against GPUDirect Storage: figures 4 to 12 of Phoenix (SC '25) by workloads io, kvload and modelload,
beside what the paper says.

Inputs are its tables 1 and 2 (configs/host/io.yaml); all that is printed here comes out of runs. Of table 1 that is the
drive's own time, and what it makes of a whole read (figure 1). A figure's table has
our rows. The table `judged` has each number of the paper's text beside ours: the factor is the greater of two ratios of
times over the smaller, so that +76 % and +48 % are 1.76 / 1.48. The experiments change a key or two, and show what a
row hangs on that is further than a factor of 1.3.

Of figure 8b 1 GiB is run; each further GiB is the transfer again and, of Phoenix, the registration of a mapping, which
are the rules of sim/io (tests/sim/io).

Figure 11 loads the KV-cache traces that Phoenix' authors publish: --traces names a folder that has those of
github.com/nicexlab/phoenix, benchmarks/kvcache/traces, plain or gzip. Without it the figure is left out.

  eval/direct_storage.py --figure 7
  eval/direct_storage.py --figure 11 --traces phoenix/benchmarks/kvcache/traces
  eval/direct_storage.py --page docs/results/io.md
"""

import pathlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import runs
import safetensors_header

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import page_blocks  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
MOST = 64 * MIB  # bytes of a run, so that it takes a second
SIZES = [4 * KIB << 2 * i for i in range(8)]  # 4 KiB to 64 MiB
SMALL = [4 * KIB << i for i in range(7)]  # to 256 KiB
THREADS = [1 << i for i in range(8)]
BATCHES = [1 << i for i in range(9)]
GROUP = 16
FIGURES = ("1", "4", "5", "6", "7", "8a", "8b", "9", "10", "11", "12")
# Of its table 3: file, name, sequences, blocks.
TRACES = (
    ("paper_assit", "Paper Assistant", 23, 15708),
    ("gsm100", "GSM-100", 100, 33600),
    ("quality", "QuALITY", 15, 6428),
    ("sharegpt-sample-200", "ShareGPT", 197, 20195),
)
# Of figure 11: a layer's part of a block in KiB, bits of a number, per cent that latent attention leaves, gain.
BLOCKS = ((8, 8, 25, 246), (16, 16, 25, 101), (64, 16, 100, 5))
PART = 32  # of the models of figure 12, a 32nd: a layer, and as many rows of the vocabulary
LIMIT = 1.3  # factor from which on a row needs its reason


class Runs(runs.Pool):
    """Runs of workload io on PRAM."""

    def io(self, stack, **keys):
        """A future of the object `io` of stats.json."""
        return self.run(f"io-pram-{stack}", "io", **keys)

    def kvload(self, stack, **keys):
        return self.run(f"kvload-pram-{stack}", "io", **keys)

    def modelload(self, stack, **keys):
        return self.run(f"modelload-pram-{stack}", "io", **keys)


def value(made, *names):
    """Of an object of stats.json, one in another."""
    entry = made.result()
    for name in names:
        entry = entry[name]
    return entry["value"]


def step(made, name):
    """Mean time of a step, in us."""
    entry = made.result()["steps"][name]
    count = entry["count"]["value"]
    return entry["time"]["value"] / count / 1000 if count else 0.0


def size_text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def gain(slow, fast):
    """Per cent that the second has more."""
    return 100 * (fast / slow - 1)


def percent(number):
    return f"{number:+.1f} %" if abs(number) < 9.95 else f"{number:+.0f} %"


def factor(theirs, ours):
    return max(theirs, ours) / min(theirs, ours)


def trace_files(folder):
    """Of each of TRACES its file, plain or gzip; ends the script with one line if one is missing."""
    found = {}
    for file, *_ in TRACES:
        both = [folder / f"{file}.txt", folder / f"{file}.txt.gz"]
        found[file] = next((path for path in both if path.is_file()), None)
        if found[file] is None:
            print(f"{folder}: has no {file}.txt or {file}.txt.gz; name the folder of Phoenix' traces", file=sys.stderr)
            sys.exit(2)
    return found


def factor_text(by):
    return f"{by:.2f}" + ("" if by <= LIMIT else " *")


class Study:
    def __init__(self, made, traces=None):
        self.runs, self.blocks, self.traces = made, {}, traces
        self.judged = []  # figure, what, theirs, ours, factor

    def judge(self, figure, what, theirs, ours, ratios):
        self.judged.append((figure, what, theirs, ours, factor(*ratios)))

    def judge_gain(self, figure, what, theirs, ours):
        """Both in per cent more, or less."""
        self.judge(figure, what, percent(theirs), percent(ours), (1 + theirs / 100, 1 + ours / 100))

    def sync(self, stack, size, operation="read", **keys):
        count = max(1, min(256, MOST // size))
        return self.runs.io(
            stack, workload__io_bytes=size, workload__size=count, workload__io_operation=operation, **keys
        )

    def group(self, stack, size, mode, **keys):
        count = GROUP * max(1, min(16, MOST // size // GROUP))
        return self.runs.io(
            stack, workload__io_bytes=size, workload__size=count, workload__io_mode=mode, workload__io_group=GROUP,
            **keys,
        )  # fmt: skip

    def batch(self, stack, number, **keys):
        return self.runs.io(
            stack, workload__io_bytes=4 * KIB, workload__size=max(512, number), workload__io_mode="batch",
            workload__io_group=number, **keys,
        )  # fmt: skip

    def threads(self, stack, number, **keys):
        return self.runs.io(
            stack, workload__io_bytes=4 * KIB, workload__size=64 * number, workload__io_threads=number, **keys
        )

    def small(self, stack, size, **keys):
        return self.runs.io(stack, workload__io_bytes=size, workload__size=16, workload__io_registration="each", **keys)

    def figure_1(self):
        """Of table 1 what is no input: the drive."""
        gds, phoenix = (self.small(stack, 64 * KIB) for stack in ("gds", "phoenix"))
        read, drive = self.io_time(gds), self.io_time(phoenix)
        buffers = step(gds, "register") + step(gds, "deregister")
        share = 100 * buffers / (buffers + read)
        self.judge("table 1", "64 KiB: plain read, us", "25", f"{drive:.1f}", (25, drive))
        self.judge("table 1", "cuFileRead, us", "28.4", f"{read:.1f}", (28.4, read))
        self.judge("table 1", "buffers' share of a read", "82.5 %", f"{share:.1f} %", (82.5, share))

    def figure_4(self):
        pairs = {
            (size, operation): [self.sync(stack, size, operation) for stack in ("gds", "phoenix")]
            for size in SIZES
            for operation in ("read", "write")
        }
        rows, gains = [], {"read": [], "write": []}
        for size in SIZES:
            row = [size_text(size)]
            for operation, all_gains in gains.items():
                gds, phoenix = (value(made, "bandwidth") for made in pairs[size, operation])
                all_gains.append(gain(gds, phoenix))
                row += [f"{gds:.3f}", f"{phoenix:.3f}", percent(all_gains[-1])]
            rows.append(row)
        header = ["size", "read: GDS", "Phoenix", "gain", "write: GDS", "Phoenix", "gain"]
        self.blocks["figure 4"] = page_blocks.markdown(header, rows)
        self.judge_gain("4a", "read, most", 76, max(gains["read"]))
        self.judge_gain("4a", "read, least", 1, min(gains["read"]))
        self.judge_gain("4b", "write, most", 65, max(gains["write"]))

    def side_by_side(self, name, of, unit, pairs, figure, digits):
        """Table `name`: a row for each of `pairs`, what it is and the runs of both stacks. Returns the gains."""
        rows, gains = [], []
        for what, made in pairs:
            gds, phoenix = (value(one, figure) for one in made)
            gains.append(gain(gds, phoenix))
            rows.append([what, f"{gds:.{digits}f}", f"{phoenix:.{digits}f}", percent(gains[-1])])
        self.blocks[name] = page_blocks.markdown([of, f"GDS, {unit}", f"Phoenix, {unit}", "gain"], rows)
        return gains

    def by_threads(self, name, **keys):
        pairs = [(n, [self.threads(stack, n, **keys) for stack in ("gds", "phoenix")]) for n in THREADS]
        return self.side_by_side(name, "threads", "kIOPS", pairs, "rate", 0)

    def figure_5(self, name="figure 5", **keys):
        gains = self.by_threads(name, **keys)
        self.judge_gain("5", "most", 442, max(gains))

    def figure_6(self):
        made = [
            (size, self.group("gds", size, "stream"), self.group("phoenix", size, "stream"),
             self.group("phoenix", size, "async"))
            for size in SIZES
        ]  # fmt: skip
        rows, over_gds, to_direct = [], [], []
        for size, *three in made:
            gds, stream, direct = (value(one, "bandwidth") for one in three)
            over_gds.append(gain(gds, stream))
            to_direct.append(gain(direct, stream))
            rows.append(
                [size_text(size), f"{gds:.3f}", f"{stream:.3f}", f"{direct:.3f}", percent(over_gds[-1]),
                 percent(to_direct[-1])]
            )  # fmt: skip
        header = ["size", "GDS, stream", "Phoenix, stream", "Phoenix, direct", "stream over GDS", "stream to direct"]
        self.blocks["figure 6"] = page_blocks.markdown(header, rows)
        self.judge_gain("6", "stream over GDS, most", 467, max(over_gds))
        self.judge_gain("6", "stream over GDS, least", 2, min(over_gds))
        self.judge_gain("6", "stream to direct, most", -80, min(to_direct))
        self.judge_gain("6", "stream to direct, least", -3, max(to_direct))

    def figure_7(self):
        pairs = [(n, [self.batch(stack, n) for stack in ("gds", "phoenix")]) for n in BATCHES]
        rows, less = [], []
        for number, made in pairs:
            gds, phoenix = (value(one, "mean_latency") / 1000 for one in made)
            less.append(gain(gds, phoenix))
            rows.append([number, f"{gds:.1f}", f"{phoenix:.1f}", percent(less[-1])])
        self.blocks["figure 7"] = page_blocks.markdown(["batch", "GDS, us", "Phoenix, us", "latency"], rows)
        self.judge_gain("7", "latency, most", -76, min(less))

    def figure_8a(self):
        pairs = [(size, [self.small(stack, size) for stack in ("gds", "phoenix")]) for size in SMALL]
        rows, less, shares, crossing = [], [], [], None
        for size, made in pairs:
            gds, phoenix = ((step(one, "register"), self.io_time(one)) for one in made)
            less.append(gain(sum(gds), sum(phoenix)))
            shares.append(gds[0] / gds[1])
            if crossing is None and phoenix[1] > phoenix[0]:
                crossing = size
            rows.append(
                [size_text(size), f"{gds[0]:.1f} + {gds[1]:.1f}", f"{phoenix[0]:.1f} + {phoenix[1]:.1f}",
                 percent(less[-1]), f"{shares[-1]:.2f}", f"{phoenix[0] / phoenix[1]:.2f}"]
            )  # fmt: skip
        header = ["size", "GDS, us", "Phoenix, us", "latency", "GDS: registration over I/O", "Phoenix: likewise"]
        self.blocks["figure 8a"] = page_blocks.markdown(header, rows)
        self.judge_gain("8a", "latency, most", -60.8, min(less))
        self.judge_gain("8a", "latency, least", -47.4, max(less))
        self.judge("8a", "GDS: registration over I/O, most", "5.71", f"{max(shares):.2f}", (5.71, max(shares)))
        self.judge("8a", "GDS: registration over I/O, least", "1.3", f"{min(shares):.2f}", (1.3, min(shares)))
        if crossing:
            ratio = (128 * KIB, crossing)
            self.judge("8a", "Phoenix: the I/O takes longer from", "128 KiB", size_text(crossing), ratio)

    @staticmethod
    def io_time(made):
        """An I/O's own time in us: the call less registration and deregistration."""
        return value(made, "mean_latency") / 1000 - step(made, "register") - step(made, "deregister")

    def large(self, **keys):
        """Rows of figure 8b, and gain and share of what is no transfer, by GiB."""
        made = [
            self.runs.io(stack, workload__io_bytes=GIB, workload__size=1, workload__io_registration="each", **keys)
            for stack in ("gds", "phoenix")
        ]
        rows, gains, others = [], [], []
        for number in (1, 2, 4):
            row, total, rest = [f"{number} GiB"], [], []
            for one, again in zip(made, (False, True)):
                buffers = (step(one, "register") + step(one, "deregister")) * (number if again else 1)
                rest.append((value(one, "outside") / 1000 + buffers) / 1000)
                total.append(rest[-1] + self.io_time(one) * number / 1000)
                row += [f"{total[-1]:.0f}", f"{rest[-1]:.1f}"]
            gains.append(total[0] / total[1])
            others.append(gain(rest[0], rest[1]))
            rows.append([*row, f"{gains[-1]:.2f}x", percent(others[-1])])
        return rows, sum(gains) / len(gains), sum(others) / len(others)

    def figure_8b(self):
        rows, times, rest = self.large()
        header = ["file", "GDS, ms", "no transfer", "Phoenix, ms", "no transfer", "faster", "no transfer"]
        self.blocks["figure 8b"] = page_blocks.markdown(header, rows)
        self.judge("8b", "faster, mean", "4.11x", f"{times:.2f}x", (4.11, times))
        self.judge("8b", "no transfer, mean", "-93.3 %", percent(rest), (1 - 0.933, 1 + rest / 100))

    def figure_9(self):
        keys = {"io__remote": "nfs"}
        pairs = [(size_text(s), [self.sync(stack, s, **keys) for stack in ("gds", "phoenix")]) for s in SIZES]
        gains = self.side_by_side("figure 9", "size", "GB/s", pairs, "bandwidth", 3)
        self.judge_gain("9", "NFS, most", 23, max(gains))
        self.judge_gain("9", "NFS, least", 2, min(gains))

    def figure_10(self):
        gains = self.by_threads("figure 10", io__remote="nvmeof")
        self.judge_gain("10", "NVMe-oF, least", 10, min(gains))

    def kv(self, stack, file, block, merged, **keys):
        """A run that loads a trace; each block an I/O of its own unless merged."""
        _, bits, latent, _ = block
        if not merged:
            keys["workload__kvload_merge_bytes"] = 0
        return self.runs.kvload(
            stack, workload__file=self.traces[file], workload__kvload_bits=bits, workload__kvload_latent_percent=latent,
            **keys,
        )  # fmt: skip

    def kv_gains(self, made):
        return [gain(*(value(one, "bandwidth") for one in made[name][:2])) for name, *_ in TRACES]

    def figure_11(self):
        if self.traces is None:
            return
        none, in_flight, bare = {}, {"io__gds_batch_in_flight": 256}, {"io__file_system_ps": 0}

        def all_of(block, merged, gds, keys, more=()):
            """Of each trace its runs: gds with `gds` and `keys`, phoenix and `more` with `keys`."""
            return {
                file: [self.kv("gds", file, block, merged, **gds, **keys),
                       *(self.kv(stack, file, block, merged, **keys) for stack in ("phoenix", *more))]
                for file, *_ in TRACES
            }  # fmt: skip

        both = [(b, merged) for b in BLOCKS for merged in (True, False)]
        made = {case: all_of(*case, none, none, ("posix",)) for case in both}
        overlapped = {case: all_of(*case, in_flight, none) for case in both}
        without = {case: all_of(*case, in_flight, bare) for case in both}
        rows = []
        for file, name, sequences, blocks in TRACES:
            one = made[BLOCKS[0], True][file][0]
            here = [value(one, "kv", what) for what in ("requests", "references")]
            same = "yes" if here == [sequences, blocks] else "no"
            rows.append([name, f"{sequences}, {blocks}", f"{here[0]}, {here[1]}", same, value(one, "kv", "ios")])
        header = ["trace", "sequences, blocks", "here", "the same", "I/Os with neighbours merged, 8 KiB"]
        self.blocks["table 3"] = page_blocks.markdown(header, rows)
        rows = []
        for file, name, *_ in TRACES:
            for b in BLOCKS:
                row = [name, f"{b[0]} KiB"]
                for merged in (True, False):
                    posix, gds, phoenix = (value(made[b, merged][file][i], "bandwidth") for i in (2, 0, 1))
                    row += [f"{posix:.2f}", f"{gds:.2f}", f"{phoenix:.2f}", percent(gain(gds, phoenix))]
                rows.append(row)
        header = ["trace", "block", "merged: posix", "GDS", "Phoenix", "gain", "each: posix", "GDS", "Phoenix", "gain"]
        self.blocks["figure 11"] = page_blocks.markdown(header, rows)
        rows = []
        for more, of in (("", made), (", GDS's batch in flight", overlapped),
                         (", likewise, and no file system", without)):  # fmt: skip
            for name, merged in ((f"merged{more}", True), (f"each block{more}", False)):
                rows.append([name])
                for b in BLOCKS:
                    gains = self.kv_gains(of[b, merged])
                    mean = sum(gains) / len(gains)
                    by = factor(1 + b[3] / 100, 1 + mean / 100)
                    rows[-1] += [percent(mean), factor_text(by)]
        header = ["mean gain over the traces"]
        for size, _, _, theirs in BLOCKS:
            header += [f"{size} KiB (Phoenix {percent(theirs)})", "factor"]
        self.blocks["figure 11 judged"] = page_blocks.markdown(header, rows)

    def figure_12(self):
        """Less time, in per cent, of GDS and Phoenix against posix, and of Phoenix against GDS: means over models."""
        flat = {"io__phoenix_register_page_ps": 0, "io__phoenix_deregister_page_ps": 0}
        names = list(safetensors_header.models())
        with tempfile.TemporaryDirectory() as folder:
            made = {}
            for name in names:
                file = pathlib.Path(folder) / f"{name}.safetensors"
                safetensors_header.write(name, file, PART)
                keys = {"workload__file": file}
                made[name] = [self.runs.modelload(stack, **keys) for stack in ("posix", "gds", "phoenix")]
                made[name].append(self.runs.modelload("phoenix", **keys, **flat))
            rows, less = [], []
            for name in names:
                one = made[name][0]
                tensors, size = value(one, "model", "tensors"), value(one, "model", "bytes")
                posix, gds, phoenix, even = (value(each, "measured") for each in made[name])
                less.append([gain(posix, gds), gain(posix, phoenix), gain(gds, phoenix), gain(posix, even),
                             gain(gds, even)])  # fmt: skip
                rows.append([name, tensors, f"{size / 1e6:.0f}", *(f"{size / ns:.2f}" for ns in (posix, gds, phoenix)),
                             percent(less[-1][2]), f"{size / even:.2f}", percent(less[-1][4])])  # fmt: skip
        header = ["model", "tensors", "MB", "mmap and copy, GB/s", "GDS", "Phoenix", "time to GDS",
                  "Phoenix, by buffer alone", "time to GDS"]  # fmt: skip
        self.blocks["figure 12"] = page_blocks.markdown(header, rows)
        means = [sum(of) / len(of) for of in zip(*less)]
        rows = []
        for what, theirs, ours in (
            ("GDS to mmap and copy", -39, means[0]),
            ("Phoenix to mmap and copy", -54, means[1]),
            ("Phoenix to GDS", -23, means[2]),
            ("Phoenix to mmap and copy, by buffer alone", -54, means[3]),
            ("Phoenix to GDS, by buffer alone", -23, means[4]),
        ):
            by = factor(1 + theirs / 100, 1 + ours / 100)
            rows.append([what, f"{theirs} %", percent(ours), factor_text(by)])
        self.blocks["figure 12 judged"] = page_blocks.markdown(["time, mean", "Phoenix", "here", "factor"], rows)

    def experiments(self):
        """What the rows hang on that have no source, or are further than LIMIT."""
        streams = [
            (callback, more, [self.group(stack, 4 * KIB, mode, io__callback_ps=callback, io__gds_stream_ps=more)
                              for stack, mode in (("gds", "stream"), ("phoenix", "stream"), ("phoenix", "async"))])
            for callback in (0, 3_000_000, 6_000_000, 13_300_000)
            for more in (0, 20_000_000, 46_400_000)
        ]  # fmt: skip
        locks = [
            (lock, [[self.threads(stack, n, io__gds_lock_ps=lock) for stack in ("gds", "phoenix")] for n in THREADS])
            for lock in (0, 500_000, 1_700_000, 3_400_000)
        ]
        systems = [
            (cost, [self.sync(stack, 4 * KIB, io__file_system_ps=cost) for stack in ("gds", "phoenix")],
             [self.batch(stack, 256, io__file_system_ps=cost) for stack in ("gds", "phoenix")])
            for cost in (0, 1_003_000, 2_006_000)
        ]  # fmt: skip
        trips = [(trip, [self.sync(stack, 4 * KIB, io__remote="nfs", io__network_round_trip_ps=trip)
                         for stack in ("gds", "phoenix")],
                  [self.threads(stack, 1, io__remote="nvmeof", io__network_round_trip_ps=trip)
                   for stack in ("gds", "phoenix")])
                 for trip in (2_000_000, 5_000_000, 10_000_000)]  # fmt: skip
        rows = []
        for callback, more, made in streams:
            gds, stream, direct = (value(one, "bandwidth") for one in made)
            rows.append([f"{callback / 1e6:.1f}", f"{more / 1e6:.1f}", percent(gain(gds, stream)),
                         percent(gain(direct, stream))])  # fmt: skip
        header = ["`io.callback_ps`, us", "`io.gds_stream_ps`, us", "stream over GDS", "stream to direct"]
        self.blocks["stream experiment"] = page_blocks.markdown(header, rows)
        rows = []
        for lock, pairs in locks:
            gains = [gain(*(value(one, "rate") for one in made)) for made in pairs]
            most = max(value(made[0], "rate") for made in pairs)
            rows.append([f"{lock / 1e6:.1f}", f"{most:.0f}", percent(max(gains)), percent(gains[-1])])
        header = ["`io.gds_lock_ps`, us", "GDS at most, kIOPS", "gain, most", "gain, 128 threads"]
        self.blocks["lock experiment"] = page_blocks.markdown(header, rows)
        rows = []
        for cost, sync, batch in systems:
            rows.append([f"{cost / 1e6:.1f}", percent(gain(*(value(one, "bandwidth") for one in sync))),
                         percent(gain(*(value(one, "mean_latency") for one in batch)))])  # fmt: skip
        header = ["`io.file_system_ps`, us", "figure 4a, 4 KiB", "figure 7, 256"]
        self.blocks["file system experiment"] = page_blocks.markdown(header, rows)
        rows = []
        for trip, nfs, over in trips:
            rows.append([f"{trip / 1e6:.0f}", percent(gain(*(value(one, "bandwidth") for one in nfs))),
                         percent(gain(*(value(one, "rate") for one in over)))])  # fmt: skip
        header = ["`io.network_round_trip_ps`, us", "figure 9, 4 KiB", "figure 10, one thread"]
        self.blocks["network experiment"] = page_blocks.markdown(header, rows)
        self.link_experiment()
        self.registration_experiment()

    def link_experiment(self):
        rows = []
        for link in ("pcie4x4", "pcie3x4"):
            for load in (0, 150):
                keys = {"io__drive_link": link}
                small = self.small("phoenix", 64 * KIB, **keys)
                if load:  # as if each run did it
                    keys["io__phoenix_open_ps"] = load * 10**9 + 2_300_000
                _, times, rest = self.large(**keys)
                rows.append([f"`{link}`", f"{self.io_time(small):.1f}", load, f"{times:.2f}x", percent(rest)])
        header = ["`io.drive_link`", "64 KiB read, us", "module, ms", "8b: faster", "8b: no transfer"]
        self.blocks["link experiment"] = page_blocks.markdown(header, rows)

    def registration_experiment(self):
        rows = []
        for less in (63, 70.3, 90):
            keys = {
                "io__phoenix_register_ps": round(71_576_000 * (1 - less / 100)),
                "io__phoenix_register_page_ps": round(139_000 * (1 - less / 100)),
            }
            gains, crossing = [], None
            for size in SMALL:
                gds, phoenix = self.small("gds", size), self.small("phoenix", size, **keys)
                gds, phoenix = ((step(one, "register"), self.io_time(one)) for one in (gds, phoenix))
                gains.append(gain(sum(gds), sum(phoenix)))
                if crossing is None and phoenix[1] > phoenix[0]:
                    crossing = size
            rows.append([f"-{less} %", percent(min(gains)), percent(max(gains)), size_text(crossing)])
        header = ["Phoenix' registration", "latency, most", "latency, least", "the I/O takes longer from"]
        self.blocks["registration experiment"] = page_blocks.markdown(header, rows)

    def judgement(self):
        if self.judged:
            rows = [[*row, factor_text(by)] for *row, by in self.judged]
            self.blocks["judged"] = page_blocks.markdown(["figure", "what", "Phoenix", "here", "factor"], rows)


def main():
    parser = runs.study_options(__doc__, "figure", FIGURES)
    parser.add_argument("--traces", type=pathlib.Path, help="folder of Phoenix' KV-cache traces, for figure 11")
    args = parser.parse_args()
    if args.traces is None and args.figure and "11" in args.figure:
        parser.error("figure 11 needs --traces")
    traces = trace_files(args.traces) if args.traces else None
    with ThreadPoolExecutor(args.jobs) as pool:
        study = Study(Runs(pool, args.cxlgpu, args.extra), traces)
        for figure in args.figure or FIGURES:
            getattr(study, f"figure_{figure}")()
        if not args.figure:
            study.experiments()
    study.judgement()
    page_blocks.show(study.blocks, args.page)


if __name__ == "__main__":
    main()
