#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Memory traffic made by rule, as traces: the named patterns of the results, and mixes drawn by a seed.

Seq (each stream takes line after line), Around (lines within eight of a place that moves on by a line in
four loads), Rand (any line of the stream's part): streams take turns in an order drawn again each round.
A drawn mix is one to three kinds of traffic over 2 MiB, interleaved or one after another, with a share of
stores and a pace, all by its seed: streams with strides up and down, runs of a few lines at random
places, columns and tiles of a matrix, a hot set, a stencil, and lines without any order.

A mix of kernels is the same of one to three of KERNELS: what their caches leave, as the model's GPU
sends it to DRAM behind CXL, from a drawn place in it on, with its own loads and stores, each kernel's
data in a MiB of its own.

  eval/patterns.py Seq --streams 16 > seq.csv        eval/patterns.py mix --seed 7 > mix.csv
  eval/patterns.py kernels --seed 7 > kernels.csv
"""

import argparse
import functools
import itertools
import pathlib
import random
import tempfile

import runs
import sweeps

LINES = 32768  # 2 MiB
NAMED = ("Seq", "Around", "Rand")
# Workloads on which no policy was made (docs/results/policies.md).
KERNELS = [row["workload.name"] for row in sweeps.load("policies-kernels")["list"]]
KERNEL_SEEDS = 3  # of which a mix draws one for each of its kernels
HDM, PART = 1 << 32, (1 << 20) // 64  # where the CXL range begins, bytes; a kernel's share of a mix, lines


def named(kind, streams, rnd):
    part = LINES // streams
    order, steps = list(range(streams)), [0] * streams
    while True:
        rnd.shuffle(order)
        for stream in order:
            step = steps[stream]
            steps[stream] += 1
            if kind == "Seq":
                line = step % part
            elif kind == "Around":
                line = min(part - 1, max(0, step // 4 % part + rnd.randint(-8, 8)))
            else:
                line = rnd.randrange(part)
            yield stream * part + line


def strided(rnd):
    count, step = rnd.choice((1, 3, 8, 24, 64, 100, 250)), rnd.choice((1, 1, 1, 2, 3, 4, 5, 8, 16, 33))
    step *= rnd.choice((1, 1, -1))
    part = LINES // count
    for i in itertools.count():
        for stream in range(count):
            yield stream * part + i * step % part


def runs_of_lines(rnd):
    count, longest = rnd.choice((1, 6, 32, 120)), rnd.choice((2, 3, 4, 5, 8, 16, 30, 70))
    step, align = rnd.choice((1, 1, -1)), rnd.choice((1, 1, 4, 16))
    left, at = [0] * count, [0] * count
    while True:
        for stream in range(count):
            if left[stream] == 0:
                at[stream] = rnd.randrange(LINES) // align * align
                left[stream] = rnd.randint(1, longest)
            yield at[stream] % LINES
            at[stream] += step
            left[stream] -= 1


def column(rnd):
    pitch = rnd.choice((16, 20, 64, 100, 256))
    for i in itertools.count():
        for row in range(LINES // pitch):
            yield row * pitch + i % pitch


def tiles(rnd):
    pitch, high, wide = rnd.choice((64, 96, 128)), rnd.choice((4, 8, 16)), rnd.choice((2, 4, 8, 16))
    count = rnd.choice((4, 16, 64))
    while True:
        corners = [
            rnd.randrange(LINES // pitch - high) * pitch + rnd.randrange(pitch - wide) // 4 * 4 for _ in range(count)
        ]
        for y, x in itertools.product(range(high), range(wide)):
            for corner in corners:
                yield corner + y * pitch + x


def hot(rnd):
    places = list(range(LINES))
    rnd.shuffle(places)
    while True:
        yield places[int(LINES ** rnd.random()) % LINES]


def stencil(rnd):
    pitch, rows = rnd.choice((256, 512)), rnd.choice((16, 60))
    for i in itertools.count():
        for row in range(1, rows - 1):
            for up in (-1, 0, 1):
                yield (row + up) * pitch + i % pitch


def scattered(rnd):
    while True:
        yield rnd.randrange(LINES)


def interleaved(rnd, parts):
    period = rnd.choice((1, 1, 40, 3000))
    while True:
        for part in parts:
            yield from itertools.islice(part, period if period > 1 else rnd.randint(1, 6))


def mix(rnd):
    parts = [
        kind(rnd)
        for kind in rnd.choices(
            (strided, runs_of_lines, column, tiles, hot, stencil, scattered),
            weights=(4, 4, 1, 2, 2, 1, 2),
            k=rnd.randint(1, 3),
        )
    ]
    yield from interleaved(rnd, parts)


@functools.cache
def recorded(cxlgpu, kernel, seed):
    """Requests of a workload behind the GPU's caches, in their order: (line, is it a store)."""
    with tempfile.TemporaryDirectory() as folder:
        events = pathlib.Path(folder) / "events.csv"
        runs.stats(cxlgpu, f"{kernel}-dram-cxl", "model", "--seed", str(seed), "--events", str(events))
        with events.open() as rows:
            fields = (row.split(",") for row in rows)
            sent = [((int(row[4], 16) - HDM) // 64, row[5].strip() == "1") for row in fields if row[1] == "sys_accept"]
    beyond = max(line for line, _ in sent)
    if beyond >= PART:
        raise ValueError(f"{kernel}: line {beyond} is beyond its part of a mix, {PART} lines")
    return sent


def kernels(rnd, cxlgpu):
    parts = []
    for place, kernel in enumerate(rnd.sample(KERNELS, rnd.randint(1, 3))):
        sent = recorded(cxlgpu, kernel, rnd.randint(1, KERNEL_SEEDS))
        first = rnd.randrange(len(sent))
        moved = [(place * PART + line, store) for line, store in sent]
        parts.append(itertools.cycle(moved[first:] + moved[:first]))
    yield from interleaved(rnd, parts)


def trace(name, streams, loads, seed, cxlgpu="build/bin/cxlgpu"):
    """Lines of a trace; `loads` requests."""
    rnd = random.Random(seed)
    yield "cycle,rw,addr,bytes"
    if name == "kernels":
        cycles, sent = rnd.choice((2, 8, 30, 90)), kernels(rnd, cxlgpu)
        for i, (line, store) in enumerate(itertools.islice(sent, loads)):
            yield f"{cycles * (i + 1)},{'W' if store else 'R'},{line * 64:#x},64"
        return
    lines = mix(rnd) if name == "mix" else named(name, streams, rnd)
    cycles, stores = (rnd.choice((2, 8, 30, 90)), rnd.choice((0, 0, 10, 40))) if name == "mix" else (8, 0)
    for i, line in enumerate(itertools.islice(lines, loads)):
        kind = "W" if stores and rnd.randrange(100) < stores else "R"
        yield f"{cycles * (i + 1)},{kind},{line * 64:#x},64"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NAMED + ("mix", "kernels"))
    parser.add_argument("--streams", type=int, default=16, help="of a named pattern")
    parser.add_argument("--loads", type=int, default=24576)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cxlgpu", default="build/bin/cxlgpu", help="runs the kernels of a mix of kernels")
    args = parser.parse_args()
    for row in trace(args.name, args.streams, args.loads, args.seed, args.cxlgpu):
        print(row)


if __name__ == "__main__":
    main()
