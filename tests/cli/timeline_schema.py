#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""A timeline of a run, parsed by the schema that the Perfetto project publishes on PyPI (package perfetto).

Every field of the file must be known to that schema and have its type; tracks, slices and flows must be what Perfetto
asks for; the slices of each request must add up to its latency in --requests. The trace processor itself is on no
registry: with --trace-processor FILE the same file is opened in that one too, and its own counts must agree.
Usage: tests/cli/timeline_schema.py --cxlgpu FILE [--trace-processor FILE]   (make timeline-test)
Exit status: 0, or 1 with what is wrong.
"""

import argparse
import collections
import csv
import pathlib
import subprocess
import sys
import tempfile

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema


def unknown(message, where):
    """Fields that the schema has not, anywhere in the message: they are lost when it is written again without them."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return [] if known.ByteSize() == message.ByteSize() else [f"{where}: a field that the schema has not"]


def check(trace, rows):
    wrong = unknown(trace, "trace")
    tracks, names, open_slices = {}, {}, {}
    flows = collections.defaultdict(list)
    slices = 0
    events = []
    for n, packet in enumerate(trace.packet):
        kind = packet.WhichOneof("data")
        if packet.trusted_packet_sequence_id == 0:
            wrong.append(f"packet {n}: no sequence")
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        if kind == "track_descriptor":
            descriptor = packet.track_descriptor
            if descriptor.HasField("parent_uuid") and descriptor.parent_uuid not in tracks:
                wrong.append(f"packet {n}: a track before its parent")
            tracks[descriptor.uuid] = descriptor
        elif kind == "track_event":
            events.append((packet.timestamp, n, packet.track_event))
    for at, n, event in sorted(events, key=lambda one: one[:2]):
        if event.track_uuid not in tracks:
            wrong.append(f"packet {n}: no such track")
        elif event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            if event.track_uuid in open_slices:
                wrong.append(f"packet {n}: two slices at a time on {tracks[event.track_uuid].name}")
            open_slices[event.track_uuid] = (at, event)
            slices += 1
        elif event.type == schema.TrackEvent.TYPE_SLICE_END:
            begin, opened = open_slices.pop(event.track_uuid, (0, None))
            if opened is None:
                wrong.append(f"packet {n}: an end without a begin")
                continue
            if opened.name_iid not in names:
                wrong.append(f"packet {n}: a slice without a name")
            for flow in [*opened.flow_ids, *opened.terminating_flow_ids]:
                flows[flow].append((begin, at, bool(opened.terminating_flow_ids)))
        elif event.type != schema.TrackEvent.TYPE_INSTANT:
            wrong.append(f"packet {n}: an event of type {event.type}")
    latencies = sorted((int(row["submitted_ps"]), int(row["latency_ps"])) for row in rows)
    drawn = []
    for flow in flows.values():
        flow.sort()
        if any(one[1] != other[0] for one, other in zip(flow, flow[1:], strict=False)):
            wrong.append(f"flow at {flow[0][0]}: its slices do not meet")
        if [one[2] for one in flow] != [False] * (len(flow) - 1) + [True]:
            wrong.append(f"flow at {flow[0][0]}: does not end with its last slice")
        drawn.append((flow[0][0] * 1000, sum(end - begin for begin, end, _ in flow) * 1000))
    if sorted(drawn) != latencies:
        wrong.append("the requests are not those of --requests")
    return wrong, len(tracks), slices, len(flows)


def processed(shell, file):
    """Slices and flows as the trace processor counts them."""
    query = "select (select count(*) from slice where dur > -1), (select count(*) from flow)"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as sql:
        sql.write(query)
        sql.flush()
        done = subprocess.run([shell, "-q", sql.name, file], capture_output=True, text=True, check=True)
    return [int(cell) for cell in done.stdout.strip().splitlines()[-1].split(",")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cxlgpu", required=True)
    parser.add_argument("--trace-processor")
    args = parser.parse_args()
    failed = False
    for scenario, engine in (("vadd-znand-sr", "model"), ("vadd-znand-ds", "rtl"), ("vadd-znand-uvm", "model")):
        with tempfile.TemporaryDirectory() as scratch:
            file, requests = pathlib.Path(scratch) / "t.pftrace", pathlib.Path(scratch) / "r.csv"
            command = [args.cxlgpu, "run", scenario, "--engine", engine, "--set", "workload.size=2048", "-q"]
            subprocess.run([*command, "--timeline", file, "--requests", requests], check=True)
            trace = schema.Trace()
            trace.ParseFromString(file.read_bytes())
            with requests.open() as rows:
                wrong, tracks, slices, flows = check(trace, csv.DictReader(rows))
            said = f"{scenario}, {engine}: {tracks} tracks, {slices} slices, {flows} requests"
            if args.trace_processor:
                counted = processed(args.trace_processor, file)
                said += f"; trace processor: {counted[0]} slices, {counted[1]} arrows"
        print(said)
        for line in wrong[:10]:
            print(f"{scenario}: {line}", file=sys.stderr)
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
