#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""A sweep on a Slurm of one node, which this starts on loopback and ends: as on the local cores, to the last figure.

Looks at: the same database as a local run of the same file, by --snakemake and by --cluster slurm; hostile names in the
points; a failed point that is kept with its log; a stop by SIGTERM and by the end of a job, after which the next start
goes on; a folder that Snakemake cannot take.
Usage: tests/cli/sweep_slurm.py --cxlgpu build/bin/cxlgpu [--work DIR]
Needs slurmctld, slurmd, sbatch, munged and snakemake of the distribution, and root. Its Slurm has sockets, keys, ports
and state of its own in a temporary folder: one that the machine has is not touched.
Exit status: 0 passed, 1 failed, 2 something needed is not there.
"""

import argparse
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

TOOLS = ("slurmctld", "slurmd", "sbatch", "scontrol", "scancel", "squeue", "munged", "snakemake")
HOSTILE = "a'\"<script>alert(1)<img src=x onerror=alert(2)>=cmd;& $(touch hacked).csv"
TRACE = "cycle,rw,addr,bytes\n" + "".join(f"{40 * n},R,{64 * n:#x},64\n" for n in range(50))
CONF = """ClusterName=sweeptest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={run}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={run}/state
SlurmdSpoolDir={run}/spool
SlurmctldPidFile={run}/slurmctld.pid
SlurmdPidFile={run}/slurmd.pid
SlurmctldLogFile={run}/slurmctld.log
SlurmdLogFile={run}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MinJobAge=600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=10 State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Slurm:
    """A cluster of this machine; its processes end with the block."""

    def __init__(self, folder):
        self.run, self.host, self.children = folder, socket.gethostname().split(".")[0], []
        for part in ("state", "spool"):
            (self.run / part).mkdir()
        (self.run / "munge.key").write_bytes(os.urandom(128))
        (self.run / "munge.key").chmod(0o600)
        conf = self.run / "slurm.conf"
        cpus = len(os.sched_getaffinity(0))
        ports = {"port": free_port(), "node_port": free_port()}
        conf.write_text(CONF.format(run=self.run, host=self.host, cpus=cpus, **ports))
        self.environment = os.environ | {"SLURM_CONF": str(conf), "TMPDIR": str(self.run)}

    def start(self, *command):
        with (self.run / f"{command[0]}.out").open("w") as out:
            child = subprocess.Popen(command, env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        self.children.append(child)

    def __enter__(self):
        files = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid", "seed-file": "munge.seed"}
        options = [f"--{name}={self.run / file}" for name, file in files.items()]
        self.start(
            "munged", "--foreground", "--force", "--num-threads=2", *options, f"--log-file={self.run}/munged.log"
        )
        self.wait(lambda: (self.run / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", self.host)
        self.wait(lambda: "idle" in self.said("sinfo", "-h", "-o", "%t"), "an idle node")
        return self

    def __exit__(self, *_):
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def said(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True).stdout

    def wait(self, ready, what, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > end:
                logs = "".join(f"{f.name}: {f.read_text(errors='replace')[-600:]}\n" for f in self.run.glob("*.log"))
                raise SystemExit(f"no {what} after {seconds} s\n{logs}")
            time.sleep(0.2)


class Test:
    def __init__(self, cxlgpu, work, environment):
        self.cxlgpu, self.work, self.environment, self.failed = cxlgpu, work, environment, 0

    def expect(self, what, true, more=""):
        if not true:
            self.failed += 1
            print(f"FAILED: {what} {more}", flush=True)

    def sweep(self, file, out, *options, status=0):
        command = [self.cxlgpu, "sweep", file, "--out", out, *options]
        done = subprocess.run(command, cwd=self.work, env=self.environment, capture_output=True, text=True)
        log = self.work / out / "cluster" / "snakemake.log"
        more = log.read_text(errors="replace")[-1500:] if done.returncode != status and log.exists() else ""
        self.expect(f"{file} {options}: exit {done.returncode}", done.returncode == status, done.stderr + more)
        return done

    def rows(self, out, sql):
        with sqlite3.connect(self.work / out / "sweep.sqlite") as database:
            return database.execute(sql).fetchall()

    def results(self, out):
        """Everything but times of this machine."""
        points = self.rows(out, "select id, number, status, exit, command, message from points order by number")
        numbers = self.rows(out, "select point, path, value from results where path != 'wall' order by point, path")
        return points, numbers


def same_as_local(t):
    (t.work / HOSTILE).write_text(TRACE)
    quoted = HOSTILE.replace('"', '\\"')
    (t.work / "same.yaml").write_text(
        f'scenario: [vadd-znand-cxl, vadd-znand-sr]\nset: {{run.limit_us: 100}}\ntrace: ["{quoted}"]\n'
        "grid: {link.lanes: [2, 4, 8], endpoint.cache_bytes: [64KiB, 256KiB]}\n"
    )
    t.sweep("same.yaml", "local")
    t.sweep("same.yaml", "snakemake", "--snakemake", "--per-job", "5", "--no-reports")
    begun = time.monotonic()
    t.sweep("same.yaml", "slurm", "--cluster", "slurm", "--sbatch=--partition=short", "--per-job", "3", "--jobs", "2")
    took = time.monotonic() - begun
    points, numbers = t.results("local")
    t.expect("12 clean points", [row[2] for row in points] == ["clean"] * 12)
    t.expect("figures", len(numbers) > 12 * 200)
    for out in ("snakemake", "slurm"):
        t.expect(f"{out}: is as on the local cores", t.results(out) == (points, numbers))
    t.expect("four jobs", len(list((t.work / "slurm/cluster/log").iterdir())) == 4)
    t.expect("a name was run by a shell", not list(t.work.rglob("hacked")))
    for script in (t.work / "slurm/cluster").rglob("*"):
        t.expect(f"{script}: has a name of a point", not script.is_file() or "<script>" not in script.read_text())
    before = (t.work / "slurm/cluster/command").stat().st_mtime
    t.sweep("same.yaml", "slurm", "--cluster", "slurm")
    t.expect("nothing is run again", (t.work / "slurm/cluster/command").stat().st_mtime == before)
    print(f"same as local: 12 points in 4 jobs, {took:.1f} s", flush=True)


def failed_points(t):
    (t.work / "bad.yaml").write_text(
        "scenario: vadd-znand-sr\ngrid: {run.limit_us: [1, 1000], workload.size: [0, 7]}\n"
    )
    t.sweep("bad.yaml", "bad", "--cluster", "slurm", status=1)
    found = dict(t.rows("bad", "select number, status from points"))
    local = t.sweep("bad.yaml", "bad-local", status=1)
    t.expect("as local", t.results("bad") == t.results("bad-local"), local.stderr)
    t.expect("statuses", set(found.values()) >= {"clean", "limit"}, found)
    for (log,) in t.rows("bad", "select log from points where status != 'clean'"):
        t.expect(f"no log {log}", (t.work / "bad" / log).stat().st_size > 0)
    print("failed points", flush=True)


def goes_on(t, slurm):
    """After a signal to the sweep, and after a job that Slurm ended."""
    (t.work / "long.yaml").write_text(
        "scenario: vadd-znand-sr\nset: {workload.size: 262144}\ngrid: {gpu.cores: [1, 2, 3, 4, 5, 6]}\n"
    )
    command = [t.cxlgpu, "sweep", "long.yaml", "--out", "stop", "--cluster", "slurm", "--jobs", "2"]
    child = subprocess.Popen(command, cwd=t.work, env=t.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    slurm.wait(lambda: list((t.work / "stop/points").glob("*/exit.json")), "point that ended")
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=120)
    t.expect(f"stopped: exit {child.returncode}", child.returncode == 143)
    slurm.wait(lambda: not slurm.said("squeue", "-h").strip(), "empty queue")
    ended = t.rows("stop", "select id from points where status = 'clean'")
    t.expect("some points have ended, not all", 0 < len(ended) < 6, ended)
    child = subprocess.Popen(command, cwd=t.work, env=t.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    slurm.wait(lambda: slurm.said("squeue", "-h", "-t", "R", "-o", "%i").split(), "running job")
    slurm.said("scancel", slurm.said("squeue", "-h", "-t", "R", "-o", "%i").split()[0])
    said = child.communicate(timeout=300)[1].decode()
    t.expect(f"a job was ended: exit {child.returncode}", child.returncode == 1 and "have no result" in said, said)
    last = t.sweep("long.yaml", "stop", "--cluster", "slurm", "--jobs", "2")
    t.expect("all is there", [row[2] for row in t.results("stop")[0]] == ["clean"] * 6, last.stderr)
    print("goes on after a stop and after an ended job", flush=True)


def refusals(t):
    done = t.sweep("same.yaml", "a b;c'd", "--cluster", "slurm", status=2)
    t.expect("one line", done.stderr.count("\n") == 1 and "choose another --out" in done.stderr, done.stderr)
    t.expect("nothing is left", not (t.work / "a b;c'd").exists())
    for option in ("--partition=a;b", "partition", "--x=$(touch hacked)"):
        done = t.sweep("same.yaml", "no", "--cluster", "slurm", "--sbatch", option, status=2)
        t.expect("one line", done.stderr.count("\n") == 1, done.stderr)
    print("refusals", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cxlgpu", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, help="left there; a new folder")
    a = parser.parse_args()
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin")]
    if missing or os.geteuid() != 0:
        print(f"sweep-test: {', '.join(missing) or 'root'} is needed; see scripts/deps.sh sweep-test", file=sys.stderr)
        return 2
    os.environ["PATH"] += ":/usr/sbin"
    work = a.work or pathlib.Path(tempfile.mkdtemp(prefix="sweep_slurm_"))
    work.mkdir(parents=True, exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm_"))
    try:
        with Slurm(folder) as slurm:
            t = Test(a.cxlgpu.resolve(), work.resolve(), slurm.environment)
            same_as_local(t)
            failed_points(t)
            goes_on(t, slurm)
            refusals(t)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not a.work:
            shutil.rmtree(work, ignore_errors=True)
    print(f"{t.failed} failed" if t.failed else "passed")
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
