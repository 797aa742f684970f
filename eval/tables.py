#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The tables of docs/results.md and docs/results/ that come from single runs, as markdown.

runs         the six scenarios: rtl and model end to end, cosim's differences, latencies, speculation
ds           store latencies with and without deterministic store, and with a scripted collection
collections  the same scripted collection of no, a quarter of and all dies
recurring    stores of deterministic store, idle and while all dies collect 60 of every 200 us
nand         the same on NAND, over nine starts: all stores, and those before the LLC is flushed at the kernel's end
full         stores while the translation layer of a full drive collects, with and without suspension
faults       bit errors and lost MemSpecRd
workloads    instruction mix of every workload beside the published one, data set, LLC misses; times on Z-NAND
patterns     seq, around and rand of 6 MiB: hit rate of the internal DRAM and time by policy
paging       machine h100-uvm beside an H100 on managed memory: faults, bandwidth, over-subscription
traces       captured traffic (--trace FILE): first 20 000 requests in cosim, all in model and rtl
"""

import argparse
import contextlib
import csv
import math
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import runs

SCENARIOS = ["vadd-znand-cxl", "vadd-znand-sr", "bfs-znand-cxl", "bfs-znand-sr", "vadd-dram-cxl", "bfs-dram-cxl"]
PERCENTILES = ("p50", "p99", "p99.9", "max")


def run(args, scenario, engine, *sets):
    return runs.stats(args.cxlgpu, scenario, engine, *(word for item in sets for word in ("--set", item)))


def us(stats):
    return f"{stats['end_to_end']['value'] / 1e3:.1f}"


def thousands(number):
    return f"{number:,.0f}".replace(",", " ")


def latencies(part, names=PERCENTILES):
    return " / ".join(thousands(part[name]["value"]) for name in names)


def differences(stats):
    return " / ".join(
        str(stats["cosim"][name]["value"]) for name in ("data_mismatches", "path_mismatches", "time_differences")
    )


def scenarios(args):
    print(
        "| scenario | rtl | model | loads checked, mismatches | cosim: data / path / time differ "
        "|\n|---|---|---|---|---|"
    )
    seen = {}
    for name in SCENARIOS:
        rtl, model = (run(args, name, engine) for engine in ("rtl", "model"))
        seen[name] = cosim = run(args, name, "cosim")
        checks = cosim["checks"]
        print(
            f"| {name} | {us(rtl)} us | {us(model)} us | {thousands(checks['reads_checked']['value'])}, "
            f"{checks['mismatches']['value']} | {thousands(cosim['cosim']['compared']['value'])}: "
            f"{differences(cosim)} |",
            flush=True,
        )
    print(
        "\n| scenario | load p50 / p99 / max | internal-DRAM hit rate | MemSpecRd sent | filled: useful / late lines | "
        "flits M2S / S2M |\n"
        "|---|---|---|---|---|---|"
    )
    for name, stats in seen.items():
        spec = {key: figure["value"] for key, figure in stats["memspecrd"].items() if isinstance(figure, dict)}
        rate = f"{stats['internal_dram_lookups']['hit_rate']['value']:.1f} %" if "znand" in name else "direct"
        of_filled = f"{spec['useful_lines']} / {spec['late_lines']}"
        filled = f"{thousands(spec['filled'])}: {of_filled}" if spec["filled"] else "0"
        flits = " / ".join(thousands(stats["flits"][way]["all"]["value"]) for way in ("m2s", "s2m"))
        print(
            f"| {name} | {latencies(stats['loads'], ('p50', 'p99', 'max'))} ns | {rate} | {spec['sent']} | {filled} "
            f"| {flits} |"
        )


def ds(args):
    print("| scenario | end to end | stores | with a collection |\n|---|---|---|---|")
    for name in [
        "vadd-znand-cxl",
        "vadd-znand-sr",
        "vadd-znand-ds",
        "bfs-znand-sr",
        "bfs-znand-ds",
        "vadd-dram-cxl",
        "vadd-dram-ds",
    ]:
        clean = run(args, name, "cosim")
        if differences(clean) != "0 / 0 / 0":
            sys.exit(f"{name}: cosim differs: {differences(clean)}")
        stalled = ""
        if "znand" in name:
            first = "130" if name.startswith("bfs") else "50"
            stalled = latencies(
                run(args, name, "model", f"endpoint.gc_first_us={first}", "endpoint.gc_busy_us=60")["stores"]
            )
        print(f"| {name} | {us(clean)} us | {latencies(clean['stores'])} | {stalled} |", flush=True)


COLLECTION = ("endpoint.gc_first_us=20", "endpoint.gc_busy_us=60", "endpoint.gc_every_us=200")
COLLECTED = ["vadd", "saxpy", "path", "bfs", "cfd", "gauss", "stencil", "conv3", "gnn"]


def recurring(args):
    print(
        "| scenario | sr, idle | ds, idle | sr, 60 of 200 us | ds, 60 of 200 us | p99.9 of ds over idle "
        "| from GPU memory | region full |\n|---|---|---|---|---|---|---|---|"
    )
    for workload in COLLECTED:
        cells, last = [], {}
        for sets in ((), COLLECTION):
            for configuration in ("sr", "ds"):
                stats = last[configuration, sets] = run(args, f"{workload}-znand-{configuration}", "model", *sets)
                cells.append(f"{us(stats)} us: {latencies(stats['stores'], ('p50', 'p99', 'p99.9'))}")
        idle, busy = last["ds", ()], last["ds", COLLECTION]
        grown = busy["stores"]["p99.9"]["value"] / idle["stores"]["p99.9"]["value"]
        ports = busy["deterministic_store"]
        here = sum(port[kind]["value"] for port in ports for kind in ("direct", "deferred", "in_place"))
        share = 100 * here / busy["stores"]["count"]["value"]
        full = sum(port["no_slot"]["value"] for port in ports)
        print(f"| {workload} | {' | '.join(cells)} | {grown:.1f} | {share:.0f} % | {full} |", flush=True)


STARTS = range(9)


def rare_stores(args, workload, sets):
    """p99.9 of a run's stores in ns: of all, and of those before the LLC's last flush. The mean over the starts."""
    found = []
    for start in STARTS:
        with tempfile.TemporaryDirectory() as folder:
            requests = pathlib.Path(folder) / "requests.csv"
            words = (word for item in (*sets, f"gpu.start_cycles={start}") for word in ("--set", item))
            stats = runs.stats(args.cxlgpu, f"{workload}-nand-ds", "model", "--requests", str(requests), *words)
            flushed = stats["end_to_end"]["value"] - stats["gpu"]["flush_cycles"]["value"]  # at 1 GHz
            with requests.open() as file:
                stores = [
                    (int(row["submitted_ps"]) / 1e3 < flushed, int(row["latency_ps"]) / 1e3)
                    for row in csv.DictReader(file)
                    if row["is_write"] == "1"
                ]
        for values in ([ns for _, ns in stores], [ns for kernel, ns in stores if kernel]):
            found.append(sorted(values)[math.ceil(0.999 * len(values)) - 1])
    return [sum(found[i::2]) / len(STARTS) for i in range(2)]


def nand(args):
    print("| scenario | all stores: idle, 60 of 200 us | | before the flush: idle, 60 of 200 us | |")
    print("|---|---|---|---|---|")
    for workload in COLLECTED:
        idle, busy = (rare_stores(args, workload, sets) for sets in ((), COLLECTION))
        cells = [f"{a:.1f}, {b:.1f} | {b / a:.1f}" for a, b in zip(idle, busy)]
        print(f"| {workload} | {' | '.join(cells)} |", flush=True)


CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
# znand small enough that a run of some 17 ms erases hundreds of blocks, every page of it written before.
FULL = {"pages_per_block": 16, "pages_per_die": 2560, "pages": 48, "high_pages": 32, "low_pages": 16}
FULL |= {"over_provisioning_percent": 7, "free_low_blocks": 2, "free_high_blocks": 4, "prefilled_percent": 100}


@contextlib.contextmanager
def full_drive():
    """Within it the command's znand is that drive."""
    before = os.environ.get("CXLGPU_CONFIGS")
    with tempfile.TemporaryDirectory() as folder:
        configs = pathlib.Path(folder) / "configs"
        shutil.copytree(before or CONFIGS, configs)
        part = configs / "media/znand.yaml"
        text = part.read_text()
        for key, value in FULL.items():
            text, count = re.subn(rf"(?m)^(  {key}: )\S+", rf"\g<1>{value}", text)
            if count != 1:
                sys.exit(f"{part}: {key} stands there {count} times")
        part.write_text(text)
        os.environ["CXLGPU_CONFIGS"] = str(configs)
        try:
            yield
        finally:
            del os.environ["CXLGPU_CONFIGS"]
            if before:
                os.environ["CXLGPU_CONFIGS"] = before


def full(args):
    print(
        "| drive | scenario | end to end | stores, p50 / p99 / p99.9 / max | loads, p50 / p99 / max "
        "| erases | region full |\n|---|---|---|---|---|---|---|"
    )

    def row(drive, configuration, *sets):
        stats = run(args, f"vadd-znand-{configuration}", "model", "workload.size=262144", *sets)
        erases = sum(port["erases"]["value"] for port in stats["media_counters"])
        region = sum(port["no_slot"]["value"] for port in stats["deterministic_store"])
        print(
            f"| {drive} | {configuration} | {us(stats)} us | {latencies(stats['stores'])} | "
            f"{latencies(stats['loads'], ('p50', 'p99', 'max'))} | {erases} | {region} |",
            flush=True,
        )

    for configuration in ("sr", "ds"):
        row("new", configuration)
    with full_drive():
        for configuration in ("sr", "ds"):
            row("full", configuration)
        for configuration in ("sr", "ds"):
            row("full, reads suspend", configuration, "media.suspend=both")


def collections(args):
    print("| scenario | dies | end to end | loads | stores |\n|---|---|---|---|---|")
    for name in ["vadd-znand-sr", "vadd-znand-cxl", "bfs-znand-sr", "bfs-znand-cxl"]:
        for dies in (0, 25, 100):
            sets = (
                ("endpoint.gc_first_us=50", "endpoint.gc_busy_us=60", f"endpoint.gc_dies_percent={dies}")
                if dies
                else ()
            )
            stats = run(args, name, "model", *sets)
            print(
                f"| {name} | {dies} % | {us(stats)} us | {latencies(stats['loads'])} | {latencies(stats['stores'])} |",
                flush=True,
            )


def faults(args):
    both = ("link.bit_error_rate_m2s=1e-5", "link.bit_error_rate_s2m=1e-5")
    print("| run | loads checked, wrong | end to end | model | damaged flits M2S / S2M |\n|---|---|---|---|---|")
    for name, engine, sets in [
        ("vadd-znand-sr", "rtl", both),
        ("vadd-dram-cxl", "rtl", both),
        ("vadd-znand-sr", "cosim", ("link.drop_spec_every=4",)),
    ]:
        stats, model = run(args, name, engine, *sets), run(args, name, "model", *sets)
        damaged = " / ".join(str(stats["flits"][way]["damaged"]["value"]) for way in ("m2s", "s2m"))
        cosim = f" (cosim {differences(stats)})" if engine == "cosim" else ""
        print(
            f"| {name}, {', '.join(sets)}{cosim} | {stats['checks']['reads_checked']['value']}, "
            f"{stats['checks']['mismatches']['value']} | {us(stats)} us | {us(model)} us | {damaged} |",
            flush=True,
        )


def traces(args):
    print(
        "| trace | scenario | cosim, first 20 000: data / path / time differ | model, all | rtl, all "
        "|\n|---|---|---|---|---|"
    )
    for trace in args.trace:
        for name in ["vadd-znand-sr", "vadd-znand-stream", "vadd-dram-cxl"]:
            replay = ("--trace", trace)
            part = runs.stats(args.cxlgpu, name, "cosim", *replay, "--set", "trace.max_requests=20000")
            model, rtl = (runs.stats(args.cxlgpu, name, engine, *replay) for engine in ("model", "rtl"))
            checks = rtl["checks"]
            print(
                f"| {pathlib.Path(trace).name} | {name} | {differences(part)} | {us(model)} us | "
                f"{thousands(checks['reads_checked']['value'] + checks['writes_sent']['value'])} requests, {us(rtl)} "
                f"us, "
                f"{checks['mismatches']['value']} wrong |",
                flush=True,
            )


# Class, share of arithmetic and of loads: CXL-GPU, table 1b.
PUBLISHED = {
    "rsum": ("compute intensive", 31.4, 53.3),
    "stencil": ("compute intensive", 37.5, 72.5),
    "sort": ("compute intensive", 38.1, 98.7),
    "gemm": ("load intensive", 11.6, 99.9),
    "vadd": ("load intensive", 15.6, 69.1),
    "saxpy": ("load intensive", 16.2, 69.2),
    "conv3": ("load intensive", 21.8, 78.6),
    "path": ("load intensive", 27.0, 92.7),
    "cfd": ("store intensive", 20.9, 42.6),
    "gauss": ("store intensive", 23.5, 48.5),
    "bfs": ("store intensive", 29.3, 43.2),
    "gnn": ("real world", 27.4, 73.8),
    "mri": ("real world", 29.2, 53.3),
}


def workloads(args):
    listed = runs.call([args.cxlgpu, "list"]).splitlines()
    others = next(line.split()[1:] for line in listed if line.startswith("workloads:"))
    names = [name for name in PUBLISHED if name in others]
    names += [name for name in others if name not in PUBLISHED]
    configurations = ("cxl", "sr", "stream", "ds")
    seen = {name: [run(args, f"{name}-znand-{kind}", "model") for kind in configurations] for name in names}
    print(
        "| workload | class | arithmetic / loads, theirs | ours | data set | LLC load misses "
        "|\n|---|---|---|---|---|---|"
    )
    for name in names:
        gpu, data = seen[name][0]["gpu"], seen[name][0]["data_set"]["value"]
        kind, *theirs = PUBLISHED.get(name, ("",))
        theirs = " / ".join(f"{ratio} %" for ratio in theirs)
        ours = " / ".join(f"{gpu[ratio]['value']:.1f} %" for ratio in ("compute_ratio", "load_ratio"))
        print(
            f"| {name} | {kind} | {theirs} | {ours} | {data / 1024:.0f} KiB | "
            f"{thousands(gpu['llc_load_misses']['value'])} |"
        )
    print(
        "\n| workload | "
        + " | ".join(f"{kind}, us" for kind in configurations)
        + " |\n|---"
        + "|---" * len(configurations)
        + "|"
    )
    for name in names:
        print(f"| {name} | " + " | ".join(us(stats) for stats in seen[name]) + " |")


def patterns(args):
    policies = ("cxl", "naive", "dyn", "sr", "stream")
    print("| pattern | " + " | ".join(policies) + " |\n|---" + "|---" * len(policies) + "|")
    for name in ("seq", "around", "rand"):
        cells = []
        for policy in policies:
            stats = run(args, f"{name}-znand-{policy}", "model", "workload.size=98304")
            cells.append(f"{stats['internal_dram_lookups']['hit_rate']['value']:.1f} %, {us(stats)} us")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


KIB, MIB, LINE = 1 << 10, 1 << 20, 64
# vadd on managed memory: elements; by the data's share of GPU memory, per cent of the data that GPU memory holds.
PAGED_SIZE = 12 * MIB
HELD = {"0.5": 100, "1.5": 67, "5": 20}
# Of a chunk a warp: 2.7 warps for each block of 2 MiB of an array, as 8 448 are for 19 GB there.
CHUNKED = ("gpu.cores=64", "gpu.warps=1", "gpu.distribution=chunked")
# An H100's figures (docs/results/paging.md): what is compared, and as it is said.
H100 = {
    "fault": (35, "25..50 us"),
    "own": (10, "10 %"),
    "none": (90, "90 %"),
    "resident": (2734, "2 734 GB/s"),
    "0.5": ((7.45, "7.45 GB/s"), (2636, "2 636 GB/s")),
    "1.5": ((6.2, "6.0..6.4 GB/s"), (7.95, "6.9..9.0 GB/s")),
    "5": ((6.7, "6.7 GB/s"), (8.6, "8.6 GB/s")),
    "random": (26, "26 us"),
}


def paging(args):
    """Theirs, ours and the factor between them, larger over smaller."""
    print("| what | theirs | ours | factor |\n|---|---|---|---|")
    machine = ("--machine", "h100-uvm")

    def row(what, theirs, ours, text):
        figure, said = theirs
        factor = max(figure, ours) / min(figure, ours)
        print(f"| {what} | {said} | {text} | {factor:.2f} |", flush=True)

    def paged(scenario, *sets, held=100, more=(), fails=()):
        settings = (*sets, f"local_memory.percent_of_data={held}")
        words = (word for item in settings for word in ("--set", item))
        return runs.stats(args.cxlgpu, scenario, "model", *machine, *words, *more, fails=fails)

    def reads(addresses, held):
        """One thread, each load behind the one before; without a GPU's caches."""
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "reads.csv"
            trace.write_text("".join(f"0,R,{address},{LINE}\n" for address in addresses))
            return paged("seq-dram-uvm", "trace.max_reads=1", held=held, more=("--trace", str(trace)))

    def us_a_load(stats):
        return stats["loads"]["mean"]["value"] / 1e3

    apart = reads(range(0, 128 * MIB, 2 * MIB), 100)
    row("first touch, 2 MiB apart: a fault (put in)", H100["fault"], us_a_load(apart), f"{us_a_load(apart):.1f} us")
    touches = reads(range(0, 128 * MIB, 64 * KIB), 100)
    own = 100 * touches["paging"]["faults"]["value"] / touches["paging"]["accesses"]["value"]
    row("first touch, 64 KiB apart: touches without a fault", H100["none"], 100 - own, f"{100 - own:.1f} %")
    row("the same: touches with one", H100["own"], own, f"{own:.1f} %")
    draw = random.Random(1)
    for times, held in list(HELD.items())[1:]:
        lines = 256 * 2 * MIB * 100 // held // LINE  # GPU memory holds a block for each load
        loads = reads([draw.randrange(lines) * LINE for _ in range(255)] + [(lines - 1) * LINE], held)
        row(f"256 random loads, data {times} x", H100["random"], us_a_load(loads), f"{us_a_load(loads):.1f} us each")

    def gb_s(ns):
        return 12 * PAGED_SIZE / ns

    def passes(scenario, *sets, held=100):
        """First pass and the next, ns, without what is written back when all is done."""
        times = []
        for n in (1, 2):
            stats = paged(scenario, f"workload.size={PAGED_SIZE}", f"workload.iterations={n}", *sets, held=held)
            written = stats["paging"]["time"]["draining"]["value"] if stats["paging"] else 0
            times.append(stats["end_to_end"]["value"] - written)
        return times[0], times[1] - times[0]

    stride = "gpu.distribution=interleaved"
    resident, _ = passes("vadd-dram-gpu-dram", stride)
    row("vadd, resident (put in)", H100["resident"], gb_s(resident), f"{thousands(gb_s(resident))} GB/s")
    for times, held in HELD.items():
        seen = passes("vadd-dram-uvm", stride, held=held)
        for name, theirs, ns in zip(("first pass", "again"), H100[times], seen):
            digits = f"{gb_s(ns):.1f}" if gb_s(ns) < 100 else thousands(gb_s(ns))
            row(f"vadd, data {times} x, {name}", theirs, gb_s(ns), f"{digits} GB/s")
            if gb_s(ns) > 100:
                continue
            slower = (H100["resident"][0] / theirs[0], f"{H100['resident'][0] / theirs[0]:.0f}x")
            row("  times slower than resident", slower, ns / resident, f"{ns / resident:.0f}x")

    few = (f"workload.size={PAGED_SIZE}", *CHUNKED)
    grid = paged("vadd-dram-uvm", *few, stride, held=HELD["1.5"])["end_to_end"]["value"]
    chunks = paged("vadd-dram-uvm", *few, f"run.limit_us={round(20 * grid / 1000)}", held=HELD["1.5"], fails=(3,))
    slower = f"{chunks['end_to_end']['value'] / grid:.1f}x grid-stride"
    if chunks["status"] != "clean":
        slower = "over " + slower
    each = chunks["paging"]["bytes_in"]["value"] / chunks["data_set"]["value"]
    print(f"| vadd, a chunk a warp, data 1.5 x | no end in 100 s | {slower}; a page comes {each:.1f} times | |")


TABLES = {
    "workloads": workloads,
    "patterns": patterns,
    "runs": scenarios,
    "ds": ds,
    "collections": collections,
    "recurring": recurring,
    "nand": nand,
    "full": full,
    "faults": faults,
    "paging": paging,
    "traces": traces,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", help="default: all but traces")
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu")
    parser.add_argument("--trace", action="append", default=[])
    args = parser.parse_args()
    for name in args.table:
        if name not in TABLES:
            parser.error(f"there is no table '{name}'; use {', '.join(TABLES)}")
    for name in args.table or [name for name in TABLES if name != "traces"]:
        TABLES[name](args)
        print()


if __name__ == "__main__":
    main()
