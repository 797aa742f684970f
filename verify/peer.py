#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""RTL against the standard peer, a knob at a time: `make peer`, or `--requests 20000` for a short look.

Each knob is a test of peer_rtl_host_test (root complex in RTL, strict device) or peer_rtl_device_test (endpoint in
RTL, strict host). docs/trust/peer.json gets each as it ends, so a run may be ended at any time; what did not run
keeps what it had. The next run goes on from there: a knob that has passed as many requests with the same seed on the
same sources is not run again (--again runs all); the sources are those that its program is built of. A knob that is no
longer there leaves the record.
`longest` of a knob: the most requests that it has ever passed, and the commit.
Exit code: 0 all passed, 1 something failed, 2 wrong usage.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

import records

PROGRAMS = ("peer_rtl_host_test", "peer_rtl_device_test")


def tests(program):
    """Names of its tests that are knobs, Peer/SUITE.TEST/KNOB."""
    listed = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=Peer/*"], capture_output=True,
                            text=True, check=True).stdout
    suite, names = "", []
    for line in listed.splitlines():
        if line.startswith(" "):
            names.append(suite + line.split("#")[0].strip())
        elif line.endswith("."):
            suite = line.strip()
    return names


def run(program, test, requests, seed, folder):
    """What the test says of itself, and how it ended."""
    report = pathlib.Path(folder) / (test.replace("/", "_") + ".xml")
    begun = time.monotonic()
    process = subprocess.Popen([program, f"--gtest_filter={test}", f"--gtest_output=xml:{report}"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={**os.environ, "CXLGPU_PEER_REQUESTS": str(requests), "CXLGPU_SEED": str(seed)})
    text = process.communicate()[0]
    entry = {"result": "passed" if process.returncode == 0 else "failed", "seed": seed,
             "seconds": round(time.monotonic() - begun, 1), "date": records.now(), "commit": records.commit()}
    if report.exists():
        for item in ElementTree.parse(report).getroot().iter("property"):
            value = item.get("value")
            entry[item.get("name")] = int(value) if item.get("name") in ("requests", "cycles") else value
    if process.returncode != 0:
        entry["said"] = next((line for line in text.splitlines() if "cycle" in line), "")[:300]
        print(text[-3000:], flush=True)
    return entry


def longest(entry, before):
    """Of this run and of those before: the most requests that passed. A wrong thing counts none."""
    kept = before.get("longest")
    if kept is None and before.get("result") == "passed" and "requests" in before:
        kept = {k: before[k] for k in ("requests", "commit", "date")}
    if entry["result"] != "passed" or "requests" not in entry:
        return kept
    if kept and kept["requests"] > entry["requests"]:
        return kept
    return {k: entry[k] for k in ("requests", "commit", "date", "seed", "content")}


def is_done(entry, requests, seed, digest):
    """Whether the record has this run, or a longer one, of the same sources."""
    run = entry if "reaction" in entry else entry.get("longest", {})
    same = entry["result"] == "passed" and run.get("content") == digest and run["seed"] == seed
    return same and ("reaction" in entry or run["requests"] >= requests)


def key(entry):
    return entry["under_test"], "reaction" in entry, entry["knob"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--record", type=pathlib.Path, default=records.ROOT / "docs/trust/peer.json")
    parser.add_argument("--requests", type=int, default=1000000, help="a legal knob (default: a million)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="*", help="knobs, a pattern of the shell")
    parser.add_argument("--again", action="store_true", help="what has passed on these sources too")
    parser.add_argument("--hours", type=float, default=0, help="begin no knob after so many; 0: no end")
    args = parser.parse_args()
    if args.requests <= 0 or args.jobs <= 0 or args.hours < 0:
        parser.error("--requests and --jobs must be above 0, --hours not below")
    jobs = []
    for name in PROGRAMS:
        program = args.build / "bin" / name
        if not program.exists():
            parser.error(f"{program} is not built; make peer builds it")
        jobs += [(program, test) for test in tests(program)]
    there = {(program.name, test.rsplit("/", 1)[1]) for program, test in jobs}
    chosen = [(program, test) for program, test in jobs if fnmatch.fnmatch(test.rsplit("/", 1)[1], args.only)]
    if not chosen:
        parser.error(f"no knob is called {args.only}")
    failed, left, begun = 0, 0, time.monotonic()
    empty = {"name": "peer", "knobs": []}
    try:
        digests = {name: records.program_digest(args.build, name) for name in PROGRAMS}
    except RuntimeError as error:
        parser.error(str(error))
    asked = len(chosen)
    if not args.again:
        done = {(e["program"], "reaction" in e, e["knob"]) for e in records.read(args.record, empty)["knobs"]
                if is_done(e, args.requests, args.seed, digests.get(e["program"]))}
        chosen = [(program, test) for program, test in chosen
                  if (program.name, "Wrongs." in test, test.rsplit("/", 1)[1]) not in done]
    if asked != len(chosen):
        print(f"{asked - len(chosen)} of {asked} knobs have passed on these sources", flush=True)
    with tempfile.TemporaryDirectory(prefix="cxlgpu_peer_") as folder:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            waiting = {pool.submit(run, program, test, args.requests, args.seed, folder): (program, test)
                       for program, test in chosen}
            for done in concurrent.futures.as_completed(waiting):
                if args.hours and time.monotonic() - begun >= 3600 * args.hours:
                    for future in waiting:
                        future.cancel()
                if done.cancelled():
                    left += 1
                    continue
                program, test = waiting[done]
                entry = done.result()
                failed += entry["result"] != "passed"
                said = f"{entry['result']}, {entry.get('requests', 0)} requests, {entry['seconds']} s"
                print(f"{test}: {said}", flush=True)
                if "knob" not in entry:
                    continue  # it ended before it said which it is
                entry["program"], entry["content"] = program.name, digests[program.name]
                with records.changing(args.record, empty) as data:
                    before = next((e for e in data["knobs"] if key(e) == key(entry)), {})
                    if most := longest(entry, before):
                        entry["longest"] = most
                    kept = [e for e in data["knobs"] if key(e) != key(entry) and (e["program"], e["knob"]) in there]
                    data["knobs"] = sorted([*kept, entry], key=key)
                    data["date"], data["commit"] = records.now(), entry["commit"]
                    data["tools"] = {"verilator": records.version("verilator", "--version")}
    print(f"{len(chosen) - left} knobs, {failed} failed" + (f", {left} not begun" if left else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
