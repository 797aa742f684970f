#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Host instructions a request of short runs of the model, and that they stay within 3 % of a record. What a run may
write on the way (INSTRUMENTS) takes no more of the run without it than stands there.

Counted by callgrind inside the run alone: no start-up, no report. The count is the same on every machine and at every
load, but not of every compiler: the record is of one, and a build of another is not held to it. What a run of
`cxlgpu` takes is of the seed and of one thread; the environment is emptied, since the stack begins after it.

Exit status 1 if a run is over its record. `--renew` writes the record: in the commit that is meant to cost more, or to
cost less.
"""

import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "eval" / "bench.json"
OVER = 0.03
NAMED = 0.02  # of a run's instructions: what has fewer is not in the record
LEFT = ("CXLGPU_ASAN", "CXLGPU_COVERAGE")  # of a build that is not the record's
RENEW = "make budget ARGS=--renew"

TRACE_LINES = 512  # a line of two arrays read, one of a third written, as vadd's caches let it through
PACES = {"stream": 0, "stream-paced": 9}  # cycles from request to request; 0: as fast as they are taken

# Run: scenario, elements (vadd), nodes (bfs), edge (gemm). A run of a trace is the memory system alone.
RUNS = {
    "trace dram-cxl": ("vadd-dram-cxl", None),
    "trace znand-sr": ("vadd-znand-sr", None),
    "vadd-dram-cxl": ("vadd-dram-cxl", 16384),
    "vadd-znand-ds": ("vadd-znand-ds", 4096),
    "bfs-dram-cxl": ("bfs-dram-cxl", 1024),
    "gemm-dram-cxl": ("gemm-dram-cxl", 32),
}


# Of a run above, with what writes a file: its options, and what it may take of the run without.
INSTRUMENTS = {
    "timeline, 1 in 100": ("vadd-znand-ds", ["--timeline", "t.pftrace", "--timeline-every", "100"], 0.02),
    "timeline, all": ("vadd-znand-ds", ["--timeline", "t.pftrace", "--timeline-every", "1"], 0.07),
    "requests": ("vadd-znand-ds", ["--requests", "r.csv"], 0.05),
    "events": ("vadd-znand-ds", ["--events", "e.csv"], 0.07),
}


def stream_trace(folder, name, lines):
    path = pathlib.Path(folder) / f"{name}.csv"
    rows = ["cycle,rw,addr,bytes"]
    for line in range(lines):
        for array, rw in enumerate("RRW"):
            cycle = PACES[name] * (3 * line + array)
            rows.append(f"{cycle},{rw},{(array * lines + line) * 64:#x},64")
    path.write_text("\n".join(rows) + "\n")
    return path


def options(run, folder):
    run, instrument, _ = INSTRUMENTS.get(run, (run, [], None))
    scenario, size = RUNS[run]
    if size is None:
        return scenario, ["--trace", str(stream_trace(folder, "stream-paced", TRACE_LINES))]
    return scenario, ["--set", f"workload.size={size}", *instrument]


def requests(stats):
    return sum(stats[kind]["count"]["value"] for kind in ("loads", "stores"))


PART = re.compile(r"cxlgpu::(?:\(anonymous namespace\)::)?([A-Za-z_]\w*)")


def by_part(profile):
    """Instructions of each class, or function outside of one, of a callgrind file."""
    names, parts, part, skip = {}, {}, None, False
    for line in profile.splitlines():
        called = re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line)
        if called:
            if called[3]:
                names[called[2]] = called[3]
            if not called[1]:
                found = PART.search(names[called[2]])
                part = found[1] if found else "libraries"
        elif line.startswith("calls="):
            skip = True  # the next line is what the call took, counted where it was taken
        elif line[:1] in set("0123456789+-*"):
            if not skip:
                parts[part] = parts.get(part, 0) + int(line.split()[1])
            skip = False
    return parts


def measure(run, cxlgpu, valgrind="valgrind"):
    """Host instructions a request of a run, in all and by part."""
    with tempfile.TemporaryDirectory() as folder:
        scenario, extra = options(run, folder)
        profile = pathlib.Path(folder) / "callgrind.out"
        run_it = [str(cxlgpu), "run", scenario, "--engine", "model", "--seed", "1", *extra]
        # Without --out: what the report page samples is not part of the model.
        command = [
            *(valgrind, "--tool=callgrind", f"--callgrind-out-file={profile}", "--toggle-collect=cxlgpu::run(*"),
            *run_it,
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env={"PATH": "/usr/bin:/bin"})
        except OSError as error:
            sys.exit(f"budget: {valgrind}: {error.strerror}; install valgrind (scripts/deps.sh budget)")
        if done.returncode != 0:
            sys.exit(f"budget: {' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        parts = by_part(profile.read_text())
        subprocess.run([*run_it, "--out", folder], capture_output=True, cwd=folder, check=True)
        stats = runs.read(pathlib.Path(folder) / "stats.json")
    if not parts:
        sys.exit("budget: no instruction was counted inside cxlgpu::run(); if it has another name, change it here")
    n = requests(stats)
    return sum(parts.values()) / n, {name: count / n for name, count in parts.items()}


def compilers(binary):
    """Who compiled what is in it."""
    text = subprocess.run(["readelf", "-p", ".comment", str(binary)], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"\[ *[0-9a-f]+\]  (.*)", text))) or ["unknown"]


def is_records(text, record):
    return text.startswith(record["compiler"])


def not_the_records(binary, record):
    """Why this build is not held to the record; None if it is."""
    if platform.machine() != record["machine"]:
        return f"the record is of {record['machine']}, this machine is {platform.machine()}"
    others = [text for text in compilers(binary) if not is_records(text, record)]
    if others:
        return f'the record is of "{record["compiler"]}...", this build is of "{others[0]}"'
    return None


def check_options(binary):
    """Ends the script if the build has others than the record's."""
    cache = binary.parent.parent / "CMakeCache.txt"
    if not cache.exists():
        return
    values = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.MULTILINE))
    if values.get("CMAKE_BUILD_TYPE") != "Release":
        wrong = f"CMAKE_BUILD_TYPE={values.get('CMAKE_BUILD_TYPE')}"
    else:
        wrong = next((f"{name}=ON" for name in LEFT if values.get(name) == "ON"), None)
    if wrong:
        print(f"budget: {cache.parent} has {wrong}; give the cxlgpu of `make build`", file=sys.stderr)
        sys.exit(2)


def read_record(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        print(f"budget: {path}: {error}; write it: {RENEW}", file=sys.stderr)
        sys.exit(2)


def grown_most(parts, recorded, total):
    """The part that grew most; what the record does not name had less than NAMED."""
    growth = {name: now - recorded.get(name, NAMED * total) for name, now in parts.items()}
    name = max(growth, key=growth.get)
    return f", most of it in {name} ({growth[name]:+.0f})" if growth[name] > 0 else ""


def verdict(run, now, parts, recorded, name):
    """A line if a run is over its record or far under it, and whether it is over."""
    if recorded is None:
        return f"budget: {run}: not in {name}; {RENEW}", True
    was = recorded["instructions"]
    change = now / was - 1
    text = f"budget: {run}: {now:.0f} host instructions a request, {100 * abs(change):.1f} %"
    if change > OVER:
        most = grown_most(parts, recorded["in"], was)
        todo = f"make them fewer, or, if they are meant, renew the record in the same commit: {RENEW}"
        return f"{text} over the {was:.0f} of {name}{most}; {todo}", True
    if change < -OVER:
        return f"{text} under the {was:.0f} of {name}; let the record have them: {RENEW}", False
    return None, False


def taken_by(instrument, measured):
    """A line of what the instrument takes of its run, and whether that is too much; None without that run."""
    run, _, within = INSTRUMENTS[instrument]
    if run not in measured:
        return None, False
    share = measured[instrument][0] / measured[run][0] - 1
    text = f"{100 * share:.1f} % of the instructions of {run}"
    if share <= within:
        return f"{instrument:18} takes {text}", False
    return f"budget: {instrument} takes {text}, more than {100 * within:.0f} %; let it do less for a request", True


def renew(path, measured, binary):
    record = {
        "what": "host instructions a request by callgrind, in all and in what has 2 % of them; eval/budget.py",
        "compiler": "GCC: (Debian 12.",
        "machine": "x86_64",
        "runs": {
            run: {
                "instructions": round(total, 1),
                "in": {name: round(n, 1) for name, n in sorted(parts.items()) if n >= NAMED * total},
            }
            for run, (total, parts) in measured.items()
            if run in RUNS
        },
    }
    reason = not_the_records(binary, record)
    if reason:
        print(f"budget: {reason}; renew it there", file=sys.stderr)
        sys.exit(2)
    path.write_text(json.dumps(record, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cxlgpu", type=pathlib.Path, default=ROOT / "build" / "bin" / "cxlgpu")
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    parser.add_argument("--renew", action="store_true", help="write the record")
    parser.add_argument("--run", action="append", choices=[*RUNS, *INSTRUMENTS], help="this one alone; may be repeated")
    parser.add_argument("--valgrind", default="valgrind")
    args = parser.parse_args()
    binary = args.cxlgpu.resolve()
    if not binary.exists():
        print(f"budget: {args.cxlgpu} is not there; build it: make build", file=sys.stderr)
        sys.exit(2)
    if args.renew and args.run:
        parser.error("--renew writes all runs: leave out --run")
    check_options(binary)
    record = None if args.renew else read_record(args.record)
    reason = record and not_the_records(binary, record)
    if reason:
        print(f"budget: skipped: {reason}")
        return
    measured, over = {}, False
    for run in args.run or [*RUNS, *INSTRUMENTS]:
        measured[run] = now, parts = measure(run, binary, args.valgrind)
        if run in INSTRUMENTS:
            line, failed = taken_by(run, measured)
            over = over or failed
            print(line or f"{run:18} {now:9.1f} host instructions a request", file=sys.stderr if failed else sys.stdout)
            continue
        if args.renew:
            print(f"{run:16} {now:9.1f} host instructions a request", flush=True)
            continue
        recorded = record["runs"].get(run)
        line, failed = verdict(run, now, parts, recorded, args.record.name)
        over = over or failed
        if line:
            print(line, file=sys.stderr if failed else sys.stdout, flush=True)
        else:
            was = recorded["instructions"]
            print(f"{run:16} {now:9.1f} host instructions a request, record {was:9.1f}, {100 * (now / was - 1):+.2f} %")
    if args.renew:
        renew(args.record, measured, binary)
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
