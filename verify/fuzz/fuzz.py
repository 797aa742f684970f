#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Fuzzing of every target, or of one, for some minutes each: `make fuzz MINUTES= TARGET=`.

A target is a fuzzer build/fuzz/bin/fuzz_NAME of verify/fuzz/NAME_fuzz.cpp (clang, address and
undefined-behaviour sanitizers). It starts from its kept corpus, verify/fuzz/corpus/NAME; afterwards what
adds coverage is merged into it, minimised, within --most-kib. An input that ends a target goes into the
corpus as crash-HASH (rename it to what it was when it is mended), where the replay test fails until then.
docs/trust/fuzz.json adds up executions and hours by target; hours count for a target's sources as they are
(a digest of what the fuzzer is built of), those of former sources are kept beside them.
Exit code: 0 nothing found, 1 something found, 2 wrong usage.
"""

import argparse
import hashlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import records  # noqa: E402

# One input: memory and time above which it is a finding (bad input must not exhaust the machine).
RSS_MIB, SECONDS, BYTES = 2048, 20, 16384


def digests(build, target):
    """Of what the hours were spent on: the target's own source, and all that its fuzzer is built of."""
    own = records.ROOT / f"verify/fuzz/{target}_fuzz.cpp"
    return records.digest([own]), records.program_digest(build, f"fuzz_{target}")


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compiler(build):
    """The one the fuzzers are built with, by its first line."""
    cache = (build / "CMakeCache.txt").read_text()
    return records.version(re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", cache, re.M).group(1), "--version")


def executions(text):
    found = re.findall(r"stat::number_of_executed_units: (\d+)", text)
    if found:
        return sum(map(int, found))
    found = re.findall(r"^#(\d+)\b", text, re.M)  # it ended before its statistics
    return int(found[-1]) if found else 0


def what_of(text):
    found = re.search(r"^(SUMMARY: .*|.*runtime error: .*|==\d+== ERROR: libFuzzer: .*)$", text, re.M)
    return found.group(1).strip()[:300] if found else "ended without a word"


def fuzz(args, target, scratch):
    """(executions, processor seconds, finding or None) of one run."""
    corpus = records.ROOT / "verify/fuzz/corpus" / target
    work = scratch / target
    crashes = scratch / f"{target}-crashes"
    for folder in (corpus, work, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    program = args.build / "bin" / f"fuzz_{target}"
    known = [p for p in corpus.iterdir() if p.name.startswith("crash-")]
    if known:
        return 0, 0.0, {"input": str(known[0].relative_to(records.ROOT)), "what": "still open"}
    limits = [f"-rss_limit_mb={RSS_MIB}", f"-malloc_limit_mb={RSS_MIB}", f"-timeout={SECONDS}", f"-max_len={BYTES}"]
    before = processor_seconds()
    done = subprocess.run(
        [
            program,
            *limits,
            f"-max_total_time={round(args.minutes * 60)}",
            "-print_final_stats=1",
            f"-artifact_prefix={crashes}/",
            work,
            corpus,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    seconds = processor_seconds() - before
    if done.returncode != 0:
        inputs = sorted(crashes.iterdir())
        if not inputs:
            sys.exit(f"fuzz: {program} ended with {done.returncode}: {done.stdout[-500:]}")
        name = f"crash-{hashlib.sha256(inputs[0].read_bytes()).hexdigest()[:12]}"
        shutil.copy(inputs[0], corpus / name)
        return (
            executions(done.stdout),
            seconds,
            {
                "input": f"verify/fuzz/corpus/{target}/{name}",
                "what": what_of(done.stdout),
                "replay": f"{program} verify/fuzz/corpus/{target}/{name}",
            },
        )
    merge(program, corpus, work, scratch / f"{target}-merged", args.most_kib * 1024)
    return executions(done.stdout), seconds, None


def merge(program, corpus, work, merged, most):
    """The corpus becomes the least set of inputs with the coverage of old and new; named inputs (those
    that once were findings) stay whatever they cover."""
    merged.mkdir()
    done = subprocess.run(
        [program, "-merge=1", f"-max_len={BYTES}", merged, corpus, work],
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        print(f"fuzz: {program.name}: the corpus stays as it was, merging ended with {done.returncode}")
        return
    for old in corpus.iterdir():
        if re.fullmatch(r"[0-9a-f]{40}", old.name):
            old.unlink()
    size = sum(p.stat().st_size for p in corpus.iterdir())
    for new in sorted(merged.iterdir(), key=lambda p: p.stat().st_size):
        size += new.stat().st_size
        if size > most:
            break
        name = hashlib.sha1(new.read_bytes()).hexdigest()
        if not any(p.read_bytes() == new.read_bytes() for p in corpus.iterdir()):
            shutil.copy(new, corpus / name)


def add(data, target, sources, count, seconds, finding):
    own, all_sources = sources
    entry = data["targets"].setdefault(target, {"former": []})
    if entry.get("target_hash", own) != own:  # hours of another target do not count for this one
        entry["former"].append({k: v for k, v in entry.items() if k != "former"})
        entry = data["targets"][target] = {"former": entry["former"]}
    entry["target_hash"] = own
    entry["executions"] = entry.get("executions", 0) + count
    entry["processor_hours"] = round(entry.get("processor_hours", 0) + seconds / 3600, 4)
    by = entry.setdefault("hours_by_sources", {})  # of the target and the libraries
    by[all_sources] = round(by.get(all_sources, 0) + seconds / 3600, 4)
    entry["sources"] = all_sources  # those of the last run
    corpus = records.ROOT / "verify/fuzz/corpus" / target
    files = [p for p in corpus.iterdir() if p.is_file()]
    entry["corpus"] = {"inputs": len(files), "bytes": sum(p.stat().st_size for p in files)}
    entry["open"] = [finding] if finding else []
    if finding and finding["what"] != "still open":
        entry.setdefault("findings", []).append({**finding, "date": records.now(), "commit": records.commit()})
    data["date"], data["commit"] = records.now(), records.commit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/fuzz"))
    parser.add_argument("--minutes", type=float, default=10, help="of each target")
    parser.add_argument("--target", action="append", help="may be repeated; default: all that are built")
    parser.add_argument("--most-kib", type=int, default=32, help="of a target's corpus")
    parser.add_argument("--record", type=pathlib.Path, default=records.ROOT / "docs/trust/fuzz.json")
    args = parser.parse_args()
    args.build = args.build.resolve()
    built = sorted(p.name.removeprefix("fuzz_") for p in (args.build / "bin").glob("fuzz_*"))
    targets = args.target or built
    if not built or not set(targets) <= set(built) or args.minutes <= 0:
        parser.error(f"targets built: {', '.join(built) or 'none'}; --minutes above 0")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.nice(19)
    found = 0
    for target in targets:
        sources = digests(args.build, target)
        with tempfile.TemporaryDirectory(prefix="cxlgpu_fuzz_") as scratch:
            count, seconds, finding = fuzz(args, target, pathlib.Path(scratch))
        with records.changing(args.record, {"name": "fuzz", "targets": {}}) as data:
            data["tools"] = {"compiler": compiler(args.build)}
            data["limits"] = {"MiB": RSS_MIB, "seconds_an_input": SECONDS, "bytes_an_input": BYTES}
            add(data, target, sources, count, seconds, finding)
        found += finding is not None
        entry = data["targets"][target]
        print(
            f"{target}: {count} inputs, {seconds:.0f} s; in all {entry['processor_hours']} h"
            + (f"; FOUND {finding['what']}: {finding['input']}" if finding else ""),
            flush=True,
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
