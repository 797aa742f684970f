#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Random runs of RTL against model with ever new seeds, for hours: `make soak HOURS= SEED=`.

Kinds, in turn: `system` (system_soak, four ports), `kernels` (a random kernel, medium, configuration and
size by cxlgpu in cosim), `registers` (register_storm: random registers between bursts of traffic), `link`
(link_soak: two ports over a faulty link) and `blocks` (a lockstep test of a block with a new seed and more
cycles). Seeds count up from SEED or from where the last run of this build
stopped (state.json in --state); each is counted once it has ended, so a run may be ended at any time. The
record adds up over all runs. A failure prints one line, its command with it, and the soak goes on; once it is
understood its entry in the record gets `mended`: the commit, and what was wrong.
Exit code: 0 nothing failed, 1 something failed, 2 wrong usage.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import records

HANG = 3600  # seconds: what runs longer is a failure
KINDS = ("system", "kernels", "registers", "link", "blocks")
# Sizes that run for seconds in cosim. Workloads by what workload.size counts (cxlgpu list).
WORKLOADS = {
    "vadd": (1024, 65536),
    "saxpy": (1024, 98304),
    "rsum": (1024, 131072),
    "bfs": (256, 16384),
    "sort": (128, 2048),
    "stencil": (6, 40),
    "conv3": (16, 256),
    "gemm": (16, 128),
    "gauss": (16, 128),
    "path": (256, 8192),
    "gnn": (128, 2048),
    "cfd": (256, 6144),
    "mri": (16, 128),
    "seq": (1024, 12288),
    "rand": (1024, 12288),
    "around": (1024, 12288),
}
MEDIA = ("dram", "dram-46", "hbm3", "nand", "pram", "znand")
CONFIGURATIONS = ("cxl", "naive", "dyn", "sr", "stream", "ds")


class Job:
    """One seed of one kind: its command, and how much of what it ran in lockstep."""

    def __init__(self, kind, seed, command, env=None, out=None):
        self.kind, self.seed, self.command, self.env, self.out = kind, seed, command, env or {}, out

    def replay(self):
        words = [f"{k}={v}" for k, v in self.env.items()] + [str(c) for c in self.command]
        if self.out:  # the folder is gone by then
            words = [w if w != str(self.out) else "out/soak" for w in words]
        return " ".join(shlex.quote(w) for w in words)


def system_job(build, seed, _):
    return Job("system", seed, [build / "bin/system_soak", "--first-seed", seed, "--seeds", 1])


def link_job(build, seed, _):
    return Job(
        "link",
        seed,
        [
            build / "bin/link_soak",
            "--first-seed",
            seed,
            "--seeds",
            1,
            "--jobs",
            1,
            "--flits",
            "1e6",
            "--ends",
            "bare" if seed % 4 == 0 else "ports",
        ],
    )


def kernels_job(build, seed, scratch):
    rng = random.Random(seed)
    workload = rng.choice(sorted(WORKLOADS))
    low, high = WORKLOADS[workload]
    size = round(low * (high / low) ** rng.random())
    scenario = f"{workload}-{rng.choice(MEDIA)}-{rng.choice(CONFIGURATIONS)}"
    out = scratch / f"kernels-{seed}"
    return Job(
        "kernels",
        seed,
        [
            build / "bin/cxlgpu",
            "run",
            scenario,
            "--engine",
            "cosim",
            "--seed",
            seed,
            "--set",
            f"workload.size={size}",
            "--out",
            out,
        ],
        out=out,
    )


def registers_job(build, seed, _):
    return Job(
        "registers",
        seed,
        [build / "bin/system_register_storm_test", "--gtest_filter=*/0"],
        {"CXLGPU_SEED": seed, "CXLGPU_ROUNDS": 100},
    )


def lockstep_tests(build):
    """Tests that step a twin beside its block: those that take CXLGPU_SEED, and are built."""
    found = []
    for source in sorted((records.ROOT / "tests").rglob("*_test.cpp")):
        target = "_".join(source.relative_to(records.ROOT / "tests").with_suffix("").parts)
        text = source.read_text()
        if re.search(r"\bLockstep \w+\(", text) and '#include "V' in text:
            if (build / "bin" / target).exists():
                found.append(target)
    return found


def blocks_job(build, seed, _):
    tests = lockstep_tests(build)
    env = {"CXLGPU_SEED": seed, "CXLGPU_CYCLES": 1000000, "CXLGPU_X_SEED": seed}
    return Job("blocks", seed, [build / "bin" / tests[seed % len(tests)]], env)


MAKERS = {
    "system": system_job,
    "kernels": kernels_job,
    "registers": registers_job,
    "link": link_job,
    "blocks": blocks_job,
}
PARTS = {
    "system": "system, cosim",
    "kernels": "kernels, cosim",
    "registers": "registers, cosim",
    "link": "link, faults",
    "blocks": "blocks, lockstep",
}  # of the record


def measured(job, text):
    """(part of the record, numbers) of a job that went well; raises ValueError if it says nothing."""
    if job.kind == "system":
        found = re.search(r"seed \d+: (\w+) .*?(\d+) loads, (\d+) stores .*?(\d+) cycles", text)
        if not found:
            raise ValueError("no line of the seed")
        engine, loads, stores, cycles = found.groups()
        part = "system, cosim" if engine == "cosim" else "system, RTL with bit errors and drains"
        return part, {"cycles": int(cycles), "requests": int(loads) + int(stores)}
    if job.kind == "kernels":
        stats = json.loads((job.out / "stats.json").read_text())
        cosim = stats["cosim"]
        differ = {
            k: cosim[k]
            for k in (
                "data_mismatches",
                "path_mismatches",
                "time_differences",
                "lookup_differences",
                "speculation_differences",
            )
        }
        differ = {k: v["value"] if isinstance(v, dict) else v for k, v in differ.items()}
        if any(differ.values()) or stats["status"] != "clean":
            raise AssertionError(f"{stats['status']}: {differ}")
        compared = cosim["compared"]
        return "kernels, cosim", {
            "cycles": stats["rtl_cycles"]["value"],
            "requests": compared["value"] if isinstance(compared, dict) else compared,
        }
    if job.kind == "registers":
        found = re.search(r"seed \d+: (\d+) registers, (\d+) answers, \d+ events, (\d+) cycles", text)
        if not found:
            raise ValueError("no line of the seed")
        registers, answers, cycles = found.groups()
        return "registers, cosim", {"cycles": int(cycles), "requests": int(answers), "registers": int(registers)}
    if job.kind == "link":
        if "0 of 1 seeds failed" not in text:
            raise ValueError("no line of the seed")
        rows = re.findall(r"^ *\de-\d\d +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+) +(\d+) ", text, re.M)
        return "link, faults", {
            "flits": round(1e6 * sum(float(r[0]) + float(r[1]) for r in rows)),
            "bad_flits": sum(int(r[3]) for r in rows),
        }
    found = re.search(r"\[  PASSED  \] (\d+) test", text)
    if not found:
        raise ValueError("no test ran")
    return "blocks, lockstep", {"tests": int(found.group(1))}


class Record:
    """docs/trust/soak.json and the seeds that come next; both are written after each seed."""

    def __init__(self, path, state, seed):
        self.path, self.state_path, self.lock = path, state / "state.json", threading.Lock()
        self.data = {"name": "soak", "kinds": {}, "failures": [], "runs": []}
        self.data = records.read(path, self.data)
        state.mkdir(parents=True, exist_ok=True)
        self.next = {kind: 1 for kind in KINDS}
        # Seeds the record has are not run again, not even with a new build directory.
        for kind, seed_ in self.data.get("next_seed", {}).items():
            self.next[kind] = seed_
        if self.state_path.exists():
            for kind, seed_ in json.loads(self.state_path.read_text()).items():
                self.next[kind] = max(self.next[kind], seed_)
        if seed is not None:
            self.next = {kind: seed for kind in KINDS}
        self.left = []  # begun and not ended
        self.data["tools"] = {"verilator": records.version("verilator", "--version")}
        commit = records.commit()
        self.run = {"date": records.now(), "commit": commit, "seeds": 0, "processor_s": 0.0, "cosim_cycles": 0}
        self.data["runs"].append(self.run)

    def take(self, kind):
        with self.lock:
            seed = self.next[kind]
            self.next[kind] += 1
            return seed

    def add(self, job, part, numbers, seconds, wrong):
        with self.lock:
            kind = self.data["kinds"].setdefault(part, {"seeds": 0, "processor_s": 0.0, "failures": 0})
            kind["seeds"] += 1
            kind["processor_s"] = round(kind["processor_s"] + seconds, 1)
            for name, number in numbers.items():
                kind[name] = kind.get(name, 0) + number
            self.run["seeds"] += 1
            self.run["processor_s"] = round(self.run["processor_s"] + seconds, 1)
            if part.endswith("cosim"):
                self.run["cosim_cycles"] += numbers.get("cycles", 0)
            if wrong:
                kind["failures"] += 1
                self.data["failures"].append(
                    {"date": records.now(), "commit": self.run["commit"], "what": wrong, "replay": job.replay()}
                )
            self.write()

    def write(self):
        cosim = [k for part, k in self.data["kinds"].items() if part.endswith("cosim")]
        self.data["date"] = records.now()
        self.data["commit"] = self.run["commit"]
        self.data["cosim"] = {
            "cycles": sum(k.get("cycles", 0) for k in cosim),
            "seeds": sum(k["seeds"] for k in cosim),
            "failures": sum(k["failures"] for k in cosim),
        }
        self.data["processor_hours"] = round(sum(k["processor_s"] for k in self.data["kinds"].values()) / 3600, 3)
        seeds = dict(self.next)
        for kind, seed in self.left:
            seeds[kind] = min(seeds[kind], seed)
        self.data["next_seed"] = seeds
        records.replace(self.state_path, seeds)
        records.replace(self.path, self.data)


class Soak:
    def __init__(self, args, record):
        self.args, self.record, self.stop = args, record, threading.Event()
        self.processes, self.lock, self.failed = set(), threading.Lock(), False

    def end(self, *_):
        """Ends what runs now; its seeds are not counted and come again."""
        self.stop.set()
        with self.lock:
            for process in self.processes:  # terminate() may reap it, and wait4() would find nothing
                os.kill(process.pid, signal.SIGTERM)

    def one(self, kind, scratch):
        seed = self.record.take(kind)
        with self.record.lock:
            self.record.left.append((kind, seed))
        job = MAKERS[kind](self.args.build, seed, scratch)
        if job.out:
            job.out.mkdir(parents=True)
        log = self.args.state / f"{kind}-{seed}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [str(c) for c in job.command],
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **{k: str(v) for k, v in job.env.items()}},
                start_new_session=True,
            )  # ctrl-C is for us
            with self.lock:
                self.processes.add(process)
            if self.stop.is_set():
                os.kill(process.pid, signal.SIGTERM)
            killer = threading.Timer(HANG, os.kill, (process.pid, signal.SIGKILL))
            killer.daemon = True
            killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            killer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            with self.lock:
                self.processes.discard(process)
        if self.stop.is_set() and process.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM):
            return
        text = log.read_text(errors="replace")
        part, numbers, wrong = PARTS[kind], {}, ""
        if process.returncode != 0:
            lines = [line for line in text.splitlines() if line.strip()]
            said = next(
                (line for line in lines if re.match("WRONG|.*differs|.*error", line)), lines[-1] if lines else ""
            )
            wrong = f"exit {process.returncode}: {said.strip()[:300]}"
        else:
            try:
                part, numbers = measured(job, text)
            except (ValueError, KeyError, AssertionError, OSError) as error:
                wrong = f"{type(error).__name__}: {error}"
        with self.record.lock:
            self.record.left.remove((kind, seed))
        self.record.add(job, part, numbers, usage.ru_utime + usage.ru_stime, wrong)
        said = ", ".join(f"{v} {k}" for k, v in numbers.items())
        if wrong:
            self.failed = True
            print(f"FAILED {kind} seed {seed}: {wrong}; again: {job.replay()}", flush=True)
        else:
            print(f"{kind} seed {seed}: {said}", flush=True)
            log.unlink()
        if job.out:
            subprocess.run(["rm", "-rf", job.out], check=False)

    def work(self, kinds, scratch):
        while not self.stop.is_set():
            with self.lock:
                kind = next(kinds, None)
            if kind is None:
                return
            self.one(kind, scratch)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--state", type=pathlib.Path, help="default: BUILD/soak")
    parser.add_argument("--record", type=pathlib.Path, default=records.ROOT / "docs/trust/soak.json")
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--turns", type=int, help="so many seeds of each kind at most")
    parser.add_argument("--seed", type=int, help="first seed of each kind; default: the next")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kind", action="append", choices=KINDS, help="may be repeated; default: all")
    args = parser.parse_args()
    if args.hours <= 0 or args.jobs <= 0 or (args.turns is not None and args.turns <= 0):
        parser.error("--hours, --jobs and --turns must be above 0")
    args.state = args.state or args.build / "soak"
    kinds = args.kind or list(KINDS)
    programs = {
        "system": "system_soak",
        "link": "link_soak",
        "kernels": "cxlgpu",
        "registers": "system_register_storm_test",
    }
    for kind in kinds:
        if kind in programs and not (args.build / "bin" / programs[kind]).exists():
            parser.error(f"{args.build}/bin/{programs[kind]} is not built; make soak builds it")
    if "blocks" in kinds and not lockstep_tests(args.build):
        parser.error(f"no lockstep test is built in {args.build}/bin; make soak builds them")
    soak = Soak(args, Record(args.record, args.state, args.seed))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, soak.end)
    clock = threading.Timer(args.hours * 3600, soak.end)
    clock.daemon = True
    clock.start()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cxlgpu_soak_") as scratch:
        turns = itertools.cycle(kinds) if args.turns is None else iter(kinds * args.turns)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            workers = [pool.submit(soak.work, turns, pathlib.Path(scratch)) for _ in range(args.jobs)]
            # wait() by parts: a signal reaches the main thread in between.
            while any(not w.done() for w in workers):
                concurrent.futures.wait(workers, timeout=1)
                if any(w.done() and w.exception() for w in workers):
                    soak.end()
    clock.cancel()
    for worker in workers:
        worker.result()
    run, cosim = soak.record.run, soak.record.data["cosim"] if "cosim" in soak.record.data else {}
    print(
        f"{run['seeds']} seeds in {(time.monotonic() - begun) / 60:.1f} min, "
        f"{run['cosim_cycles']} cycles in cosim; in all {cosim}"
    )
    return 1 if soak.failed else 0


if __name__ == "__main__":
    sys.exit(main())
