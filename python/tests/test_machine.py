# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The machine request by request: the latencies of the C++ library and of the command, to the picosecond."""

import array
import pathlib
import re
import shutil
import subprocess
import threading
from typing import Any

import cxlgpu
import numpy
import pandas
import pytest
from conftest import CommandRun


@pytest.fixture(scope="module")
def cycle_ps(source: pathlib.Path) -> int:
    text = (source / "common/time.hpp").read_text()
    found = re.search(r"kCycle\{(\d+)\}", text)
    assert found
    return int(found[1])


@pytest.fixture(scope="module")
def requests_of_cpp(command: pathlib.Path, source: pathlib.Path, tmp_path_factory: Any) -> tuple[str, pathlib.Path]:
    """What examples/library/requests says, built from the installed C++ package, and the trace it leaves."""
    folder = tmp_path_factory.mktemp("cpp")
    build = command.parents[1]
    for component in ("flits", "library"):
        words = ["cmake", "--install", str(build), "--prefix", str(folder / "prefix"), "--component", component]
        subprocess.run(words, check=True, capture_output=True)
    shutil.copytree(source / "examples/library", folder / "example")
    words = ["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={folder}/prefix", "-DCMAKE_CXX_FLAGS=-O0 -g0"]
    subprocess.run(words, cwd=folder / "example", check=True, capture_output=True)
    words = ["cmake", "--build", "build", "--target", "requests"]
    subprocess.run(words, cwd=folder / "example", check=True, capture_output=True)
    words = ["build/requests", "machine.yaml", "trace.csv"]
    said = subprocess.run(words, cwd=folder / "example", check=True, capture_output=True, text=True).stdout
    return said, folder / "example"


def stream(base: int, cycle_ps: int) -> list[tuple[int, int, bool]]:
    """Time, address, store: as examples/library/requests.cpp draws them."""
    drawn, random = [], 1
    for i in range(2000):
        random = (random * 6364136223846793005 + 1442695040888963407) % 2**64
        drawn.append((7 * i * cycle_ps, base + (random >> 33) % 4096 * 64, random >> 62 == 0))
    return drawn


def test_as_the_library_of_cpp_and_as_the_command(
    requests_of_cpp: tuple[str, pathlib.Path], cycle_ps: int, command_run: CommandRun
) -> None:
    said, folder = requests_of_cpp
    machine = cxlgpu.Machine(folder / "machine.yaml")
    latencies: list[int] = []
    answers: list[cxlgpu.Response] = []

    def take() -> None:
        while (response := machine.take()) is not None:
            answers.append(response)
            if not response.is_write:
                latencies.append(response.latency_ps)

    for tag, (at, address, store) in enumerate(stream(machine.address_base, cycle_ps)):
        while machine.now_ps < at:
            machine.advance_to(at)
            take()
        while not machine.submit(cxlgpu.Request(address, bytes(64) if store else None, tag=tag)):
            machine.advance()
            take()
    while machine.outstanding:
        machine.advance()
        take()
    s = machine.statistics()
    assert said.split("\n")[0] == (
        f"loads {s.loads.count}, mean {s.loads.mean_ps} ps, p99 {s.loads.p99_ps} ps; "
        f"stores {s.stores.count}, mean {s.stores.mean_ps} ps"
    )
    assert sum(latencies) // len(latencies) == s.loads.mean_ps
    assert all(sum(a.stages_ps.values()) == a.latency_ps and not a.error for a in answers)
    assert sorted(a.tag for a in answers) == list(range(2000))
    stats = command_run(
        folder / "machine.yaml", "--set", "workload.name=trace", "--trace", folder / "trace.csv", "--engine", "model"
    )
    assert round(stats["loads"]["mean"]["value"] * 1000) == s.loads.mean_ps
    assert round(stats["loads"]["p99"]["value"] * 1000) == s.loads.p99_ps
    assert round(stats["stores"]["mean"]["value"] * 1000) == s.stores.mean_ps

    # The same in one call.
    other = cxlgpu.Machine(folder / "machine.yaml")
    drawn = stream(other.address_base, cycle_ps)
    batch = other.replay(
        [address for _, address, _ in drawn],
        writes=[store for _, _, store in drawn],
        at_ps=[at for at, _, _ in drawn],
        outstanding=65472,
    )
    by_tag = sorted(answers, key=lambda a: a.tag)
    assert list(batch.latency_ps) == [a.latency_ps for a in by_tag]
    assert list(batch.answered_ps) == [a.answered_ps for a in by_tag]
    frame = batch.frame()
    for stage in cxlgpu.STAGES:
        assert list(frame[f"{stage}_ps"]) == [a.stages_ps[stage] for a in by_tag]
    assert list(frame.dev_load) == [a.dev_load for a in by_tag]
    t = other.statistics()
    assert (t.loads.p50_ps, t.loads.p999_ps, t.stores.max_ps) == (s.loads.p50_ps, s.loads.p999_ps, s.stores.max_ps)
    assert t.dev_loads == s.dev_loads and t.loads.stage_mean_ns == s.loads.stage_mean_ns


def test_data_come_back() -> None:
    machine = cxlgpu.Machine("trace-znand-sr", {"root_port.ds": False})
    base = machine.address_base
    machine.poke(base + 64, bytes(range(64)))
    assert machine.peek(base + 60, 8) == bytes([0, 0, 0, 0, 0, 1, 2, 3])
    written = bytes(reversed(range(64)))

    def answer(request: cxlgpu.Request) -> cxlgpu.Response:
        assert machine.submit(request)
        assert machine.outstanding == 1
        while (response := machine.take()) is None:
            assert machine.advance()
        return response

    assert answer(cxlgpu.Request(base + 64)).data == bytes(range(64))
    assert answer(cxlgpu.Request(base + 64, memoryview(written), byte_enable=0xFF)).is_write
    load = answer(cxlgpu.Request(base + 64, tag=2**64 - 1))
    assert load.data == written[:8] + bytes(range(8, 64))
    assert load.tag == 2**64 - 1 and load.address == base + 64 and not load.is_write
    assert load.dev_load in ("light", "optimal", "moderate", "severe")
    assert load.answered_ps - load.submitted_ps == load.latency_ps > 0
    assert "latency_ps=" in repr(load)
    assert answer(cxlgpu.Request(base + machine.address_bytes)).error
    assert not machine.advance()


def test_replay_takes_lists_arrays_numpy_and_pandas() -> None:
    def machine() -> cxlgpu.Machine:
        return cxlgpu.Machine("trace-dram-cxl")

    base = machine().address_base
    plain = [base + 64 * (i * 31 % 256) for i in range(500)]
    expected = list(machine().replay(plain).answered_ps)
    for same in (
        tuple(plain),
        array.array("Q", plain),
        numpy.array(plain, "u8"),
        pandas.Series(plain),
        numpy.array(plain),
    ):
        assert list(machine().replay(same).answered_ps) == expected, type(same)
    one_by_one = machine().replay(plain, outstanding=1)
    assert list(one_by_one.answered_ps) == sorted(one_by_one.answered_ps) != expected
    assert len(machine().replay([])) == 0 and len(machine().replay([]).frame()) == 0


def test_replay_writes_what_it_is_given(tmp_path: pathlib.Path) -> None:
    machine = cxlgpu.Machine("trace-znand-cxl")
    lines = numpy.random.default_rng(1).integers(0, 256, (100, 64), dtype="u1")
    addresses = machine.address_base + 64 * numpy.arange(100, dtype="u8")
    machine.replay(addresses, writes=numpy.ones(100, "?"), data=lines.tobytes())
    loaded = machine.replay(addresses)
    assert [loaded.data(i) for i in range(100)] == [bytes(line) for line in lines]
    half = machine.replay(addresses, writes=[1] * 100, data=bytes(6400), byte_enable=[0xFFFFFFFF] * 100)
    assert half.errors == 0
    assert machine.peek(machine.address_base, 64) != b""
    again = machine.replay(addresses)
    assert [again.data(i) for i in range(100)] == [bytes(32) + bytes(line[32:]) for line in lines]
    again.to_parquet(tmp_path / "a.parquet")
    assert list(pandas.read_parquet(tmp_path / "a.parquet").latency_ps) == list(again.latency_ps)
    assert machine.replay([machine.address_base + machine.address_bytes]).errors == 1


def test_settings_and_statistics() -> None:
    slow = cxlgpu.Machine("trace-znand-cxl", {"link.lanes": 4}, data_bytes=1 << 20)
    fast = cxlgpu.Machine("trace-znand-sr", data_bytes=1 << 20)
    lines = [slow.address_base + 64 * i for i in range(4096)]
    for machine in (slow, fast):
        machine.replay(lines)
        machine.replay(lines[-64:])
    a, b = slow.statistics(), fast.statistics()
    assert a.loads.count == b.loads.count == 4160 and a.stores.count == 0
    assert a.loads.mean_ps > b.loads.mean_ps and a.now_ps == slow.now_ps
    assert b.speculation.sent > 0 == a.speculation.sent and b.speculation.granules >= b.speculation.filled > 0
    assert sum(b.dev_loads.values()) == 4160
    assert b.internal_dram.hits + b.internal_dram.misses + b.internal_dram.merges == 4160
    assert 0 < b.internal_dram.hit_rate <= 1
    assert len(b.ports) == 2 and all(port.flits_to_host > 0 and port.media_fills > 0 for port in b.ports)
    assert set(b.loads.stage_mean_ns) == set(cxlgpu.STAGES)
    fast.clear_statistics()
    assert fast.statistics().loads.count == 0
    assert fast.hint(fast.address_base, 4)


def test_deterministic_store_is_drained() -> None:
    machine = cxlgpu.Machine("trace-znand-ds")
    machine.replay([machine.address_base + 64 * i for i in range(64)], writes=[1] * 64, data=bytes([7]) * 4096)
    machine.drain()
    assert machine.peek(machine.address_base, 4096) == bytes([7]) * 4096


def test_machines_run_at_the_same_time_in_threads() -> None:
    results: dict[int, list[int]] = {}

    def drive(number: int) -> None:
        machine = cxlgpu.Machine("trace-znand-sr")
        results[number] = list(
            machine.replay([machine.address_base + 64 * (i * 7 % 9999) for i in range(20000)]).answered_ps
        )

    threads = [threading.Thread(target=drive, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0] == results[1] == results[2]


def test_a_machine_in_two_threads_is_an_error() -> None:
    machine = cxlgpu.Machine("trace-znand-cxl")
    lines = [machine.address_base + 64 * (i * 7919 % 100003) for i in range(300000)]
    thread = threading.Thread(target=machine.replay, args=(lines,))
    thread.start()
    refused = ""
    while thread.is_alive() and not refused:
        try:
            machine.statistics()
        except cxlgpu.Error as e:
            refused = str(e)
    thread.join()
    assert refused.endswith("another thread is in it; give each thread a machine of its own")
    assert machine.statistics().loads.count == 300000
