#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Wireshark's dissector against `cxlgpu flit decode --json`, every field of every flit.

usage: wireshark_compare.py --cxlgpu BINARY --lua cxl68.lua [--least N] [--reach WORD ...] CAPTURE.pcapng

Reads the capture by both: tshark in one pass and in two, sharkd in random order. Prints what differs
first, and what was seen; exit status 1 if anything differs, if there were fewer flits than --least, or
if one of the words --reach was not seen: opcodes, formats, types of packets, control flits.
"""

import argparse
import collections
import json
import os
import random
import subprocess
import sys

MAX_SHOWN = 10
RANDOM_FRAMES = 150
TWICE_FLITS = 5000


def tshark(lua, capture, *options):
    command = ["tshark", "-r", capture, "-X", f"lua_script:{lua}", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    """Its complaints, but for those about the user it runs as."""
    said = [
        line for line in process.stderr.read().splitlines() if line.strip() and not line.startswith("Running as user")
    ]
    process.stdout.close()
    if process.wait() != 0 or said:
        sys.exit(f"tshark: exit status {process.returncode}: {said[:3]}")


def packets(lines):
    """The objects of a JSON array one by one, each as pairs: keys come again."""
    chunk = []
    for line in lines:
        if line.startswith("  }"):
            yield json.loads("".join(chunk) + "}", object_pairs_hook=list)
            chunk = []
        elif line.startswith("  "):
            chunk.append(line)


def value_of(pairs, key):
    return next((v for k, v in pairs if k == key), None)


def nodes(pairs, key):
    """(value, children) of every field `key` here, in order."""
    for i, (k, v) in enumerate(pairs):
        if k == key:
            below = pairs[i + 1][1] if i + 1 < len(pairs) and pairs[i + 1][0] == key + "_tree" else []
            yield v, below


def below(pairs, key):
    return next(nodes(pairs, key), ("", []))[1]


def fields(pairs, prefix, leave_out=()):
    """{name: value} of the fields PREFIX.NAME."""
    return {
        k[len(prefix) + 1 :]: v
        for k, v in pairs
        if k.startswith(prefix + ".") and not isinstance(v, list) and k[len(prefix) + 1 :] not in leave_out
    }


def plain(value):
    """A value of either as one that can be compared."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if value in ("True", "False"):
        return int(value == "True")
    try:
        return int(value, 0)
    except ValueError:
        return value


BYTES = ("data", "header", "mac", "vendor")  # hex without 0x


def alike(ours, theirs):
    return tuple(
        {k: v.replace(":", "") if k in BYTES else plain(v) for k, v in side.items()} for side in (ours, theirs)
    )


def named(value):
    """A reserved code is a number in our JSON."""
    return f"reserved {value}" if isinstance(value, int) and not isinstance(value, bool) else value


NAMED = ("opcode", "snp_type", "meta_field", "meta_value", "dev_load")
KINDS = {"CXL.io": "io", "CXL.io+EDS": "io", "NULL": "null", "NULL+EDS": "null", "damaged": None}


class Comparison:
    def __init__(self):
        self.wrong = []
        self.seen = collections.Counter()

    def same(self, where, what, ours, theirs):
        if ours != theirs:
            self.wrong.append(f"{where}: {what}: decode has {ours!r}, Wireshark {theirs!r}")

    def message(self, where, ours, theirs):
        ours = {k: named(v) if k in NAMED else v for k, v in ours.items()}
        self.seen[ours["kind"]] += 1
        if "opcode" in ours:
            self.seen[ours["opcode"]] += 1
        self.same(where, "message", *alike(ours, fields(theirs, "cxl68.message")))

    def slots(self, where, ours, tree):
        theirs = list(nodes(tree, "cxl68.slot"))
        self.same(where, "slots", len(ours), len(theirs))
        for s, (slot, (_, below)) in enumerate(zip(ours, theirs)):
            here = f"{where}, slot {s}"
            self.seen[slot["format"]] += 1
            self.same(here, "format", slot["format"], value_of(below, "cxl68.slot.format"))
            data = value_of(below, "cxl68.slot.data") or value_of(below, "cxl68.slot.mac")
            if "data" in slot:
                self.same(here, "data", slot["data"], (data or "").replace(":", ""))
                self.seen["byte enables"] += value_of(below, "cxl68.slot.byte_enables") is not None
            messages = list(nodes(below, "cxl68.message"))
            self.same(here, "messages", len(slot.get("messages", [])), len(messages))
            for message, (_, fields_below) in zip(slot.get("messages", []), messages):
                self.message(here, message, fields_below)

    def packets(self, where, ours, tree):
        theirs = list(nodes(tree, "cxl68.packet"))
        self.same(where, "packets", len(ours), len(theirs))
        for i, (packet, (_, below)) in enumerate(zip(ours, theirs)):
            self.seen[packet["kind"]] += 1
            self.seen[packet.get("part", "whole")] += 1
            self.seen[packet.get("type", "no type")] += 1
            self.seen["packet with a CRC error"] += packet.get("crc_ok") is False
            self.seen["nullified"] += packet.get("nullified") is True
            self.same(f"{where}, packet {i}", "fields", *alike(packet, fields(below, "cxl68.packet")))

    def flit(self, number, ours, tree, frame):
        where = f"flit {number}"
        self.same(where, "link", ours["link"], value_of(tree, "cxl68.link"))
        # Wireshark keeps nanoseconds.
        seconds, _, fraction = value_of(frame, "frame.time_epoch").partition(".")
        ns = int(seconds) * 10**9 + int(fraction[:9].ljust(9, "0"))
        self.same(where, "time in ns", ours["time_ps"] // 1000, ns)
        if "event" in ours:
            self.seen[ours["event"]] += 1
            self.same(where, "event", ours["event"], value_of(tree, "cxl68.event"))
            return

        def get(name):
            return value_of(tree, "cxl68." + name)

        self.same(where, "direction", ours["direction"], get("direction"))
        self.same(where, "protocol", ours["protocol"], (get("protocol") or "").replace("unknown", "damaged"))
        self.seen[ours["protocol"]] += 1
        kind = KINDS.get(ours["protocol"], ours["kind"])
        self.same(where, "kind", kind, get("kind"))
        self.seen[kind or "damaged"] += 1
        self.same(where, "id_corrected", int(ours.get("id_corrected", False)), plain(get("id_corrected") or 0))
        self.same(where, "discarded", int(ours["discarded"]), plain(get("discarded") or "-1"))
        self.seen["discarded"] += ours["discarded"]
        if ours["crc_ok"] is None:
            self.same(where, "CRC", None, get("crc_ok"))
        else:
            self.same(where, "crc_ok", int(ours["crc_ok"]), plain(get("crc_ok") or "-1"))
            self.seen["CRC error"] += not ours["crc_ok"]
            self.same(where, "owed", ours["owed"], plain(get("owed") or "-1"))
        if kind == "protocol":
            header = dict(ours["header"])
            header.pop("credits")
            theirs = fields(below(tree, "cxl68.header"), "cxl68.header")
            codes = [plain(theirs.pop(f"slot{s}", "-1")) for s in range(4)]
            self.same(where, "header", *alike(header, theirs))
            self.same(where, "formats", [int(s["format"][1]) for s in ours["slots"]], codes)
            self.slots(where, ours["slots"], tree)
        elif kind == "all-data":
            chunks = [v.replace(":", "") for v, _ in nodes(tree, "cxl68.chunk")]
            self.same(where, "chunks", ours["chunks"], chunks)
        elif kind == "control":
            control = dict(ours["control"])
            control.pop("credits", None)
            self.seen[control["type"]] += 1
            theirs = fields(below(tree, "cxl68.control"), "cxl68.control")
            theirs["type"] = get("control")
            self.same(where, "control", *alike(control, theirs))
        elif kind == "almp":
            theirs = fields(below(tree, "cxl68.almp"), "cxl68.almp")
            almp = dict(ours.get("almp", {}))
            if "fault" in ours:
                almp["fault"] = ours["fault"]
                self.seen["ALMP with a fault"] += 1
            self.same(where, "almp", *alike(almp, theirs))
        elif kind == "io":
            self.packets(where, ours["packets"], tree)


def compare(cxlgpu, lua, capture, comparison):
    """Number of flits."""
    ours = subprocess.Popen([cxlgpu, "flit", "decode", "--json", capture], stdout=subprocess.PIPE, text=True)
    theirs = tshark(lua, capture, "-T", "json", "-J", "frame cxl68")
    number = 0
    for number, packet in enumerate(packets(theirs.stdout), 1):
        line = ours.stdout.readline()
        if not line:
            comparison.wrong.append(f"decode has {number - 1} flits, Wireshark more")
            break
        layers = value_of(value_of(packet, "_source"), "layers")
        tree = value_of(layers, "cxl68")
        if tree is None:
            comparison.wrong.append(f"flit {number}: Wireshark makes nothing of it")
        else:
            comparison.flit(number, json.loads(line), tree, value_of(layers, "frame"))
        if len(comparison.wrong) >= MAX_SHOWN:
            ours.kill()
            theirs.kill()
            return number
    if ours.stdout.readline():
        comparison.wrong.append(f"Wireshark has {number} flits, decode more")
    ours.stdout.close()
    if ours.wait() != 0:
        comparison.wrong.append(f"cxlgpu flit decode: exit status {ours.returncode}")
    finished(theirs)
    return number


STATE = ["frame.number", "cxl68.owed", "cxl68.discarded", "cxl68.slot.of", "cxl68.packet.part", "_ws.col.Info"]


def in_two_passes(lua, capture, comparison):
    """The first pass of tshark -2 builds no tree; the second must come to the same."""
    options = ["-c", str(TWICE_FLITS), "-T", "fields"]
    for name in STATE:
        options += ["-e", name]
    once, twice = tshark(lua, capture, *options), tshark(lua, capture, "-2", *options)
    for one, two in zip(once.stdout, twice.stdout):
        comparison.same("tshark -2", "fields", one, two)
        if len(comparison.wrong) >= MAX_SHOWN:
            once.kill(), twice.kill()
            return
    finished(once)
    finished(twice)


def labels(tree, out):
    for node in tree:
        out.append(node["l"].strip())
        labels(node.get("n", []), out)
    return out


def in_random_order(lua, capture, count, seed, comparison):
    """sharkd is Wireshark without its window: one pass, then any packet in any order."""
    chosen = random.Random(seed).sample(range(1, count + 1), min(count, RANDOM_FRAMES))
    requests = [{"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"file": os.path.abspath(capture)}}]
    requests += [
        {"jsonrpc": "2.0", "id": i + 2, "method": "frame", "params": {"frame": n, "proto": True}}
        for i, n in enumerate(chosen)
    ]
    # sharkd takes no -X; a personal plugin folder it reads.
    home = os.path.join(os.path.dirname(os.path.abspath(capture)), "home")
    plugins = os.path.join(home, ".local/lib/wireshark/plugins")
    os.makedirs(plugins, exist_ok=True)
    with open(lua, encoding="utf-8") as source, open(os.path.join(plugins, "cxl68.lua"), "w") as out:
        out.write(source.read())
    answer = subprocess.run(
        ["sharkd", "-"],
        input="".join(json.dumps(r) + "\n" for r in requests),
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": home, "XDG_CONFIG_HOME": os.path.join(home, ".config")},
        check=False,
    )
    answers = {}
    for line in answer.stdout.splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        answers[one.get("id")] = one.get("result", {})
    wanted = tshark(
        lua, capture, "-V", "-O", "cxl68", "-Y", f"frame.number in {{{','.join(map(str, sorted(chosen)))}}}"
    )
    frames, frame = {}, None
    for line in wanted.stdout:
        if line.startswith("Frame "):
            frame = frames.setdefault(int(line.split()[1].rstrip(":")), [])
        elif line.strip() and frame is not None:
            frame.append(line.strip())
    finished(wanted)
    # sharkd does not put what is generated in brackets.
    for number, lines in frames.items():
        frames[number] = [line[1:-1] if line[0] == "[" and line[-1] == "]" else line for line in lines]
    for i, number in enumerate(chosen):
        tree = answers.get(i + 2, {}).get("tree", [])
        shown = [line for node in tree if node["l"].startswith("CXL 68") for line in labels([node], [])]
        comparison.same(f"flit {number} in random order", "lines", frames.get(number), shown)
        if len(comparison.wrong) >= MAX_SHOWN:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxlgpu", required=True)
    parser.add_argument("--lua", required=True)
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--reach", nargs="*", default=[])
    parser.add_argument("--in-order", action="store_true", help="more links than there are link types")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("capture")
    a = parser.parse_args()
    comparison = Comparison()
    count = compare(a.cxlgpu, a.lua, a.capture, comparison)
    if not comparison.wrong:
        in_two_passes(a.lua, a.capture, comparison)
        if not a.in_order:
            in_random_order(a.lua, a.capture, count, a.seed, comparison)
    for line in comparison.wrong[:MAX_SHOWN]:
        print(line)
    missing = [word for word in a.reach if not comparison.seen[word]]
    if missing:
        print("never seen:", ", ".join(missing))
    if count < a.least:
        print(f"{count} flits, fewer than {a.least}")
    print(f"{count} flits:", ", ".join(f"{k} {v}" for k, v in sorted(comparison.seen.items()) if v))
    return 1 if comparison.wrong or missing or count < a.least else 0


if __name__ == "__main__":
    sys.exit(main())
