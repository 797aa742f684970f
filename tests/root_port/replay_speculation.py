#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Works out again, from a run's event log alone, what every root port speculated, and compares.

Load control, window and ring are those of docs/blocks/root_port (load_control, address_window, ring_buffer),
written from those pages; the cycles are those of sr_queue, sr_reader and memory_queue there. Exit 1 and
one line at the first thing that the log (`cxlgpu run --events`) has otherwise. Not for runs with
deterministic store, whose loads take other ways, nor for policy stream.
"""

import argparse
import collections
import csv
import pathlib
import sys

HALTED = 5  # states: 0 is 64 B, 1 to 4 are 256 to 1024 B
MEM_ENTRIES, SPEC_ENTRIES = 30, 2
STAGES = {"sys_accept", "port_enqueue", "memq_alloc", "ctrl_accept", "port_respond", "spec_issue", "load_control", "ds"}
Event = collections.namedtuple("Event", "id store line info")


def load_control(state, dev_load):
    if dev_load == 0:  # light
        return 0 if state == HALTED else min(state + 1, 4)
    if dev_load == 2:  # moderate
        return HALTED if state == HALTED else max(state - 1, 0)
    return HALTED if dev_load == 3 else state  # severe, optimal


def window(run, line, state, mem, loads):
    """First granule and number of granules; mem, loads: lines in the queues."""
    own = line // 4
    keep = "ahead"  # of more than four granules
    if run.policy == "naive" or run.no_length:
        return own, 1
    if run.policy == "dyn":
        s, e = own, own + max(state, 1)
    else:
        g = 4 * max(state, 1)
        from_start, from_end = list(mem), loads  # what moves either end
        if run.policy == "sr":
            from_start = [m for m in mem if line - g <= m < line]
            from_end = [load for load in loads if line < load < line + g]
        if run.policy == "sr" and run.around:
            start_down = [load for load in loads if line - g <= load < line]
            end_down = [m for m in mem if line < m < line + g]
            rises, falls = bool(from_start or from_end), bool(start_down or end_down)
            if rises == falls:
                keep, from_start, from_end = "middle", [], []
            elif falls:
                keep, from_start, from_end = "behind", start_down, end_down
        start = min(max(line - g, 0) + len(from_start), line)
        end = max(min(line + g, 2**46) - len(from_end), line + 1)
        s, e = min((start + 2) // 4, own), max((end + 2) // 4, own + 1)
        if e - s > 4:
            if keep == "behind":
                e = max(min(e, s + 4), own + 1)
                s = max(s, e - 4)
            elif keep == "middle":
                s = min(max(s, own - 2), e - 4)
                e = s + 4
        s = min(max(s, e - 4), own)
        e = min(e, s + 4)
    if run.clip < 15:
        chunk = own >> run.clip << run.clip
        s, e = max(s, chunk), min(e, chunk + 2**run.clip)
    return s, e - s


class Ring:
    def __init__(self, sets):
        self.kept = collections.defaultdict(list)  # (bank, set) -> four granules, oldest first
        self.used = collections.defaultdict(set)  # granule that is kept -> its lines that were needed
        self.sets = sets

    def ways(self, granule):
        return self.kept[granule % 4, (granule >> 2 ^ granule >> 8 ^ granule >> 14) % self.sets]

    def record(self, first, count, line):
        for granule in range(first, first + count):
            ways = self.ways(granule)
            if granule not in ways:
                self.used.pop(granule, None)
                ways.append(granule)
                del ways[:-4]
        self.use(line)

    def use(self, line):
        if line // 4 in self.ways(line // 4):
            self.used[line // 4].add(line)

    def covers(self, line, by_line):
        return line // 4 in self.ways(line // 4) and (not by_line or line in self.used[line // 4])


def read_log(path):
    """Events of each port by cycle: {port: {cycle: {stage: [row]}}}; loads and stores told apart."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row[1] in STAGES]
    ports, is_store = {}, {}
    for time, stage, port, key, addr, info in sorted(rows, key=lambda row: int(row[0])):
        if stage == "sys_accept":
            is_store[key] = info == "1"
        elif stage == "ds":
            sys.exit(f"{path}: a run with deterministic store; it cannot be replayed")
        else:
            cycles = ports.setdefault(int(port), {})
            at = cycles.setdefault(int(time) // 1000, collections.defaultdict(list))
            at[stage].append(Event(key, is_store.get(key), int(addr, 16) // 64, int(info)))
    return ports


def replay(run, port, cycles, count):
    def compare(what, log, ours):
        count[what] += 1
        if log != ours:
            sys.exit(f"{run.log}: port {port}, cycle {now}: {what}: the log has {log}, the replay has {ours}")

    ring, state, shown = Ring(run.sets), 1, 1
    sr, reader, latched = [], 0, None  # SR queue, where the reader stands, what is in ISSUE
    mem, order = {}, collections.deque()  # tag -> line; what waits for the controller
    nothing = collections.defaultdict(list)
    for now in range(min(cycles), max(cycles) + 1):
        if now not in cycles and not sr and not latched and state == shown:
            continue
        event = cycles.get(now, nothing)
        # All of a cycle sees the state before its edge.
        if state != shown or event["load_control"]:
            log = [e.info for e in event["load_control"]]
            compare("load-control changes", log, [state] if state != shown else [])
        shown, taken = state, None
        if latched:
            waiting = sum(kind == "MemSpecRd" for kind, *_ in order)
            if waiting < SPEC_ENTRIES:
                load, state_then = latched
                loads = [e.line for e in sr if e is not load and not e.store]
                first, granules = window(run, load.line, state_then, mem.values(), loads)
                own_only = run.match_start and run.policy != "naive"
                ring.record(*((load.line // 4, 1) if own_only else (first, granules)), load.line)
                line = load.line if run.no_length else 4 * first
                taken, latched = ("MemSpecRd", line, granules), None
                count["granules asked for", port] += granules
        elif reader < len(sr):
            load, reader = sr[reader], reader + 1
            if load.store:
                verdict = "store"
            elif run.policy != "naive" and state == HALTED:
                verdict = "halted"
            elif run.policy != "naive" and ring.covers(load.line, run.spec_64b):
                verdict = "ring hit"
            else:
                verdict, latched = "issue", (load, state)
            if not load.store:
                ring.use(load.line)
            count[verdict, port] += 1
        # The memory queue takes the head if it can and nothing is before it: says when a MemSpecRd
        # was taken, which has no event of its own.
        goes = bool(sr) and len(mem) < MEM_ENTRIES and sr[0].line not in mem.values() and not taken
        log = [(e.id, e.line) for e in event["memq_alloc"]]
        if goes or log:
            compare("heads leaving", log, [(sr[0].id, sr[0].line)] if goes else [])
        # The edge.
        for e in event["ctrl_accept"]:
            if not e.store:
                compare("loads handed over", ("load", e.id), order.popleft() if order else None)
        for e in event["spec_issue"]:
            compare("MemSpecRd", ("MemSpecRd", e.line, e.info), order.popleft() if order else None)
        for e in event["port_respond"]:
            compare("responses", e.line, mem.pop(e.info & 63, None))
            state = load_control(state, e.info >> 6)
        if taken:
            order.append(taken)
        for e in event["memq_alloc"]:
            mem[e.info] = e.line
            if not e.store:
                order.append(("load", e.id))
            del sr[0]
            reader = max(reader - 1, 0)
        sr += event["port_enqueue"]
    compare("queues empty at the end", [], [*order, *sr, *mem.values()] + [latched] * bool(latched))


def policy(name):
    if name != "sr-directional":
        return name
    print("--policy: 'sr-directional' is an old name; write 'sr'", file=sys.stderr)
    return "sr"


def counters_of(file):
    """What a stats.json has of each root port."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "eval"))
    import runs

    return runs.read(file)["memspecrd"]["root_ports"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", help="what `cxlgpu run --events` wrote")
    parser.add_argument("--policy", required=True, type=policy, choices=["naive", "dyn", "sr", "sr-paper"])
    parser.add_argument(
        "--clip", type=int, default=15, help="log2 of the interleave chunk in granules; 15: not interleaved"
    )
    parser.add_argument("--no-length", action="store_true", help="MemSpecRd without length")
    parser.add_argument("--match-start", action="store_true", help="root_port.ring_match start")
    parser.add_argument("--spec-64b", action="store_true", help="root_port.spec_64b; without length then")
    parser.add_argument("--around", action="store_true", help="root_port.window around")
    parser.add_argument("--sets", type=int, default=64, help="of the ring")
    parser.add_argument("--stats", help="stats.json of the run: its counters are compared too")
    run = parser.parse_args()
    run.no_length |= run.spec_64b
    count = collections.Counter()
    ports = read_log(run.log)
    if not ports:
        sys.exit(f"{run.log}: no event of a root port; nothing can be compared")
    for port in sorted(ports):
        replay(run, port, ports[port], count)
    if run.stats:
        for port, log in enumerate(counters_of(run.stats)):
            for name, ours in (
                ("ring_suppressed", count["ring hit", port]),
                ("halt_suppressed", count["halted", port]),
                ("requested", count["granules asked for", port]),
            ):
                count["counters"] += 1
                if log[name]["value"] != ours:
                    sys.exit(
                        f"{run.stats}: port {port}: {name}: the run has {log[name]['value']}, the replay has {ours}"
                    )
    total = collections.Counter()
    for name, n in count.items():
        total[name if isinstance(name, str) else name[0]] += n
    print("equal: " + ", ".join(f"{name} {n}" for name, n in sorted(total.items())))


if __name__ == "__main__":
    main()
