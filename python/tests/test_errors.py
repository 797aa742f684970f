# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Whatever is given: a cxlgpu.Error of one line with its place, nothing else, and the process lives."""

import pathlib
import pickle
import random
from collections.abc import Callable
from typing import Any

import cxlgpu
import numpy
import pytest

EMPTY: dict[str, int] = {}
WRONG: list[Any] = [
    None,
    1.5,
    float("nan"),
    -1,
    2**64,
    10**30,
    True,
    "",
    "x",
    "nosuch-dram-cxl",
    "\0",
    "\udcff",
    "é" * 3000,
    "a\nb",
    b"",
    b"x" * 64,
    b"x" * 63,
    [],
    [None],
    ["x"],
    EMPTY,
    {"a": "b"},
    {None: 1},
    {"gpu.cores": None},
    {"gpu.cores": []},
    object(),
    print,
    numpy.float64(1),
    numpy.array([1.5]),
    numpy.zeros((2, 2), "u8"),
    numpy.array([-64]),
    memoryview(b"abc"),
    (x for x in "ab"),
    pathlib.Path("/nowhere"),
    complex(1, 1),
    range(3),
]


def machine() -> cxlgpu.Machine:
    return cxlgpu.Machine("trace-dram-cxl")


ONE = machine()
BASE = ONE.address_base

VADD = "vadd-dram-cxl"
SMALL = {"workload.size": 64}
FIGURES = cxlgpu.run(VADD, settings=SMALL)
CALLS: dict[str, Callable[[Any], object]] = {
    "Machine": lambda x: cxlgpu.Machine(x),
    "Machine settings": lambda x: cxlgpu.Machine("trace-dram-cxl", x),
    "Machine machine": lambda x: cxlgpu.Machine("trace-dram-cxl", machine=x),
    "Machine configs": lambda x: cxlgpu.Machine("trace-dram-cxl", configs=x),
    "Machine data_bytes": lambda x: cxlgpu.Machine("trace-dram-cxl", data_bytes=x),
    "submit": lambda x: ONE.submit(x),
    "submit address": lambda x: ONE.submit(cxlgpu.Request(x)),
    "submit data": lambda x: ONE.submit(cxlgpu.Request(BASE, x)),
    "submit tag": lambda x: ONE.submit(cxlgpu.Request(BASE, tag=x)),
    "submit byte_enable": lambda x: ONE.submit(cxlgpu.Request(BASE, byte_enable=x)),
    "hint": lambda x: ONE.hint(x, 1),
    "hint granules": lambda x: ONE.hint(BASE, x),
    "advance_to": lambda x: ONE.advance_to(x) if not isinstance(x, int) or not 0 <= x < 2**63 else None,
    "replay": lambda x: machine().replay(x),
    "replay writes": lambda x: machine().replay([BASE], writes=x),
    "replay data": lambda x: machine().replay([BASE], data=x),
    "replay byte_enable": lambda x: machine().replay([BASE], byte_enable=x),
    "replay at_ps": lambda x: machine().replay([BASE], at_ps=x),
    "replay outstanding": lambda x: machine().replay([BASE], outstanding=x),
    "poke": lambda x: machine().poke(x, b"a"),
    "poke data": lambda x: machine().poke(BASE, x),
    "peek": lambda x: ONE.peek(x, 1),
    "peek count": lambda x: ONE.peek(BASE, x),
    "responses data": lambda x: machine().replay([BASE]).data(x),
    "run": lambda x: cxlgpu.run(x),
    "run engine": lambda x: cxlgpu.run("vadd-dram-cxl", x),
    "run settings": lambda x: cxlgpu.run("vadd-dram-cxl", settings=x) if x is not None and x is not EMPTY else None,
    "run seed": lambda x: cxlgpu.run(VADD, settings=SMALL, seed=x),
    "run machine": lambda x: cxlgpu.run(VADD, settings=SMALL, machine=x),
    "run trace": lambda x: cxlgpu.run(VADD, settings=SMALL, trace=x),
    "run out": lambda x: cxlgpu.run(VADD, settings=SMALL, out=x),
    "run requests": lambda x: cxlgpu.run(VADD, settings=SMALL, requests=x),
    "run configs": lambda x: cxlgpu.run(VADD, settings=SMALL, configs=x),
    "run command": lambda x: cxlgpu.run(VADD, "rtl", SMALL, command=x) if x is not None else None,
    "flits.decode": lambda x: cxlgpu.flits.decode(x),
    "flits.decode direction": lambda x: cxlgpu.flits.decode(bytes(68), x),
    "flits.read": lambda x: list(cxlgpu.flits.read(x)),
    "figure": lambda x: FIGURES[x],
}


@pytest.mark.parametrize("call", CALLS)
def test_wrong_arguments(call: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = 0
    for value in WRONG:
        try:
            CALLS[call](value)
        except cxlgpu.Error as e:
            refused += 1
            assert "\n" not in str(e) and 0 < len(str(e)) < 8000, (call, value)
            assert e.wrong, (call, value)
    assert refused > len(WRONG) // 2, call
    while ONE.outstanding:
        ONE.advance()
        while ONE.take():
            pass


def test_at_random() -> None:
    draw = random.Random(45)
    calls = [name for name in CALLS if not name.startswith("run")]
    for _ in range(2000):
        value = draw.choice(WRONG)
        if draw.random() < 0.5:
            value = draw.choice([[value], [value] * 3, (value, 1), {"link.lanes": value}, bytes(draw.randrange(200))])
        try:
            CALLS[draw.choice(calls)](value)
        except cxlgpu.Error as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: cxlgpu.Machine("trace-drum-cxl"), "drum"),
        (lambda: cxlgpu.Machine("trace-dram-cxl", {"link.lane": 4}), "did you mean"),
        (lambda: cxlgpu.Machine("vadd-znand-uvm"), "is not cxl; the library has no other, run the command"),
        (lambda: cxlgpu.Machine("trace-dram-cxl", configs="/nowhere"), "/nowhere: has no media/ folder"),
        (lambda: ONE.submit(cxlgpu.Request(BASE + 1)), "is inside a line; give a multiple of 64"),
        (lambda: ONE.submit(cxlgpu.Request(BASE, bytes(63))), "data has 63 bytes; give 64"),
        (lambda: ONE.hint(BASE, 4097), "is not in 1..4096"),
        (lambda: machine().replay([BASE, BASE + 3]), r"addresses\[1\] \d+ is inside a line"),
        (lambda: machine().replay([BASE] * 2, writes=[1]), "writes has 1 rows, addresses 2; give as many"),
        (lambda: machine().replay([BASE], data=bytes(65)), "data has 65 bytes; give 64"),
        (lambda: machine().replay([BASE], outstanding=0), "outstanding 0 is not in 1..65472"),
        (lambda: cxlgpu.run("vadd-dram-cxl", "verilog"), "use one of model, rtl, cosim"),
        (lambda: cxlgpu.run("vadd-dram-cxl", settings={"workload.size": 2**60}), "workload.size"),
        (lambda: cxlgpu.run("vadd-dram-cxl", trace="/nowhere.csv"), "/nowhere.csv"),
    ],
)
def test_says_what_and_where(make: Callable[[], object], line: str) -> None:
    with pytest.raises(cxlgpu.Error, match=line):
        make()


def test_time_and_order() -> None:
    one = machine()
    assert one.submit(cxlgpu.Request(BASE))
    for call in (one.drain, one.clear_statistics, lambda: one.replay([BASE]), lambda: one.poke(BASE, b"a")):
        with pytest.raises(cxlgpu.Error):
            call()
    assert one.advance()
    with pytest.raises(cxlgpu.Error, match="is before now"):
        one.advance_to(0)


def test_an_error_is_taken_apart_and_survives_pickle() -> None:
    with pytest.raises(cxlgpu.Error) as caught:
        cxlgpu.Machine("trace-dram-cxl", {"link.lanes": 3})
    error = caught.value
    assert error.where and error.wrong and error.remedy
    assert str(error) == f"{error.where}: {error.wrong}; {error.remedy}"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.where) == (str(error), error.where)
