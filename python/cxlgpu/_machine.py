# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The machine of the event-driven model, request by request."""

from __future__ import annotations

import array
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxlgpu import _check, _core, _frames
from cxlgpu._core import Response, Statistics
from cxlgpu._error import Error
from cxlgpu._run import Value, config_folder

if TYPE_CHECKING:
    import pandas

LINE_BYTES = 64
ALL_BYTES = 2**64 - 1
STAGES: tuple[str, ...] = _core.stage_names()[1:]
"""Stages of a request's way, in order; the last is its response."""

_DEV_LOADS = ("light", "optimal", "moderate", "severe")


@dataclass(frozen=True, slots=True)
class Request:
    """A line that is loaded, or stored if there are `data`: 64 bytes, those of `byte_enable`'s bits."""

    address: int
    data: bytes | bytearray | memoryview | None = None
    tag: int = 0
    byte_enable: int = ALL_BYTES


class Responses:
    """What came back of Machine.replay: row i is request i."""

    def __init__(self, addresses: bytes, writes: bytes, columns: dict[str, bytes]) -> None:
        self._addresses, self._writes, self._columns = addresses, writes, columns

    def __len__(self) -> int:
        return len(self._addresses) // 8

    def _ps(self, name: str) -> array.array[int]:
        return array.array("Q", self._columns[name])

    @property
    def submitted_ps(self) -> array.array[int]:
        return self._ps("submitted_ps")

    @property
    def answered_ps(self) -> array.array[int]:
        return self._ps("answered_ps")

    @property
    def latency_ps(self) -> array.array[int]:
        return array.array("Q", (b - a for a, b in zip(self.submitted_ps, self.answered_ps, strict=True)))

    @property
    def errors(self) -> int:
        """How many memory answered with an error."""
        return sum(self._columns["error"])

    def data(self, row: int) -> bytes:
        """The line that request `row` loaded."""
        at = LINE_BYTES * _check.number("Responses.data", "row", row, 0, len(self) - 1)
        return self._columns["data"][at : at + LINE_BYTES]

    def frame(self) -> pandas.DataFrame:
        """A row a request; times in picoseconds, `sys_respond` and so on: time in each stage."""
        of, columns = _frames.numbers, self._columns
        submitted, answered = of(columns["submitted_ps"], "u8"), of(columns["answered_ps"], "u8")
        made: dict[str, Any] = {
            "address": of(self._addresses, "u8"),
            "is_write": of(self._writes, "u1") != 0 if self._writes else [False] * len(self),
            "error": of(columns["error"], "u1") != 0,
            "submitted_ps": submitted,
            "answered_ps": answered,
            "latency_ps": answered - submitted,
            "dev_load": _frames.names(columns["dev_load"], _DEV_LOADS),
        }
        for stage in STAGES:
            made[f"{stage}_ps"] = of(columns[stage], "u8")
        return _frames.frame(made)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        _frames.write("Responses.to_parquet", self.frame(), path, {"requests": len(self)})


class Machine:
    """Host bridge, root ports, links, endpoints and media, brought up and at time 0.

    `scenario`: a YAML file of the command, or a name such as trace-znand-sr; what makes requests is the caller.
    `settings`: configuration keys over it. `machine`: of configs/machines, or a file. `configs`: a folder of
    configurations instead of the package's. `data_bytes`: size of the caller's data, for endpoint.cache_percent.

    Time moves in advance(), advance_to() and replay() alone. A machine is used by one thread at a time; several share
    nothing, and run at the same time in threads.
    """

    def __init__(
        self,
        scenario: str | os.PathLike[str],
        settings: Mapping[str, Value] | None = None,
        *,
        machine: str | os.PathLike[str] | None = None,
        configs: str | os.PathLike[str] | None = None,
        data_bytes: int = 0,
    ) -> None:
        where = "Machine"
        self._machine = _core.Machine(
            _check.path(where, "scenario", scenario),
            _check.settings(where, settings),
            _check.path(where, "machine", machine),
            config_folder(where, configs),
            _check.number(where, "data_bytes", data_bytes),
        )

    @property
    def address_base(self) -> int:
        """The addresses that HDM decoders map begin here."""
        return self._machine.address_base

    @property
    def address_bytes(self) -> int:
        """... and are so many."""
        return self._machine.address_bytes

    @property
    def now_ps(self) -> int:
        return self._machine.now_ps

    @property
    def outstanding(self) -> int:
        """Requests whose response was not yet taken."""
        return self._machine.outstanding

    def submit(self, request: Request) -> bool:
        """Puts it on the system bus, at most one a cycle. False: the one before is still there; let time pass first."""
        where = "Machine.submit"
        if not isinstance(request, Request):
            raise Error(where, f"{_check.shown(request)} is no request", "give a cxlgpu.Request")
        data = b"" if request.data is None else _check.buffer(where, "data", request.data, LINE_BYTES)
        return self._machine.submit(
            _check.number(where, "tag", request.tag),
            _check.number(where, "address", request.address),
            data,
            _check.number(where, "byte_enable", request.byte_enable),
        )

    def hint(self, address: int, granules: int) -> bool:
        """Says what will be loaded soon, in granules of 256 B. False: once more later."""
        where = "Machine.hint"
        return self._machine.hint(
            _check.number(where, "address", address), _check.number(where, "granules", granules, 1, 4096)
        )

    def take(self) -> Response | None:
        """What was answered up to now, in order; None: nothing more."""
        return self._machine.take()

    def advance(self) -> bool:
        """Time passes to the next response, or to where a request that was not taken may be. False: there is none."""
        return self._machine.advance()

    def advance_to(self, ps: int) -> None:
        """... but not beyond `ps`."""
        self._machine.advance_to(_check.number("Machine.advance_to", "ps", ps, 0, 2**63 - 1))

    def replay(
        self,
        addresses: Iterable[int],
        *,
        writes: Iterable[int] | None = None,
        data: bytes | bytearray | memoryview | None = None,
        byte_enable: Iterable[int] | None = None,
        at_ps: Iterable[int] | None = None,
        outstanding: int = 64,
    ) -> Responses:
        """Submits a request an address and waits for all answers, with at most `outstanding` in flight.

        Each column has a row a request: a list, an array.array, a numpy array, a pandas column. `writes`: true where
        it is a store, left out: none. `data`: the lines, 64 bytes a row, of loads too, left out: zeros. `at_ps`: not
        before, left out: as soon as there is room. Precondition: nothing is outstanding.
        """
        where = "Machine.replay"
        rows = _check.columns_of(where, "addresses", addresses, "Q", None)
        n = len(rows) // 8

        def column(name: str, values: Iterable[int] | None, code: str) -> bytes:
            return b"" if values is None else _check.columns_of(where, name, values, code, n)

        for row, address in enumerate(memoryview(rows).cast("Q")):
            if address % LINE_BYTES != 0:
                raise Error(where, f"addresses[{row}] {address} is inside a line", "give a multiple of 64")
        stores = column("writes", writes, "B")
        if self._machine.outstanding != 0:
            raise Error(where, f"{self._machine.outstanding} requests are outstanding", "take their responses first")
        columns = self._machine.replay(
            rows,
            stores,
            b"" if data is None else _check.buffer(where, "data", data, LINE_BYTES * n),
            column("byte_enable", byte_enable, "Q"),
            column("at_ps", at_ps, "Q"),
            _check.number(where, "outstanding", outstanding, 1, 65472),
        )
        return Responses(rows, stores, columns)

    def drain(self) -> None:
        """Stores that deterministic store has put off are written. Precondition: nothing is outstanding."""
        self._machine.drain()

    def poke(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Contents before the first request, without simulated time. Addresses that no range has are ignored."""
        where = "Machine.poke"
        self._machine.poke(_check.number(where, "address", address), _check.buffer(where, "data", data))

    def peek(self, address: int, count: int) -> bytes:
        """Contents, without simulated time; 0 where no range has the address."""
        where = "Machine.peek"
        at = _check.number(where, "address", address)
        return self._machine.peek(at, _check.number(where, "count", count, 0, self.address_bytes))

    def statistics(self) -> Statistics:
        """Of all requests answered so far, or since clear_statistics()."""
        return self._machine.statistics()

    def clear_statistics(self) -> None:
        """Latencies, DevLoad, internal DRAM and speculation begin again at 0. Precondition: nothing is outstanding."""
        self._machine.clear_statistics()
