# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""68-byte flits: what they hold, as `cxlgpu flit decode --json` says it."""

from __future__ import annotations

import json
import os
import string
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias

from cxlgpu import _check, _core
from cxlgpu._error import Error

FLIT_BYTES = 68
Direction: TypeAlias = Literal["M2S", "S2M"]
Decoded: TypeAlias = "dict[str, Any]"

__all__ = ["FLIT_BYTES", "Decoded", "Direction", "decode", "read"]


def _lines(file: str, direction: str, link: str = "", from_ps: int = 0, to_ps: int = _check.MOST) -> Iterator[Decoded]:
    lines = _core.FlitLines(file, direction, link, from_ps, to_ps)
    while (line := lines.next()) is not None:
        yield json.loads(line)


def _direction(where: str, given: object) -> str:
    if not isinstance(given, str) or given not in ("M2S", "S2M"):
        raise Error(where, f"direction {_check.shown(given)} is not known", "use M2S or S2M")
    return given


def _hex(where: str, flit: object) -> str:
    if not isinstance(flit, str):
        return _check.buffer(where, "flit", flit, FLIT_BYTES).hex()
    if len(flit) != 2 * FLIT_BYTES or not set(flit) <= set(string.hexdigits):
        raise Error(where, f"{_check.shown(flit)} is no flit", "give 68 bytes, or their 136 hex digits")
    return flit


def decode(
    flits: bytes | bytearray | memoryview | str | Iterable[bytes | bytearray | memoryview | str],
    direction: Direction = "M2S",
) -> list[Decoded]:
    """A dict a flit. A flit is 68 bytes in transmit order, or 136 hex digits; bytes may be several flits.

    They are one stream: data slots that one flit owes are read from the next. A damaged flit is no error:
    "crc_ok" is False.
    """
    where = "flits.decode"
    way = _direction(where, direction)
    if isinstance(flits, str):
        listed: Iterable[object] = [flits]
    elif isinstance(flits, (bytes, bytearray, memoryview)):
        whole = _check.buffer(where, "flits", flits)
        if len(whole) % FLIT_BYTES != 0:
            raise Error(where, f"flits have {len(whole)} bytes", "give 68 a flit")
        listed = [whole[at : at + FLIT_BYTES] for at in range(0, len(whole), FLIT_BYTES)]
    elif isinstance(flits, Iterable):
        listed = flits
    else:
        raise Error(where, f"{_check.shown(flits)} are no flits", "give bytes, or a list of them")
    text = "".join(_hex(f"{where}: flit {at}", flit) + "\n" for at, flit in enumerate(listed))
    if not text:
        return []
    file = os.memfd_create("flits")
    try:
        with open(file, "w", closefd=False) as stream:
            stream.write(text)
        return list(_lines(f"/proc/self/fd/{file}", way))
    finally:
        os.close(file)


def read(
    path: str | os.PathLike[str],
    *,
    direction: Direction = "M2S",
    link: str = "",
    from_ps: int = 0,
    to_ps: int | None = None,
) -> Iterator[Decoded]:
    """A dict a flit of a flit log or of a file of hex flits, plain or gzip, read as the caller takes them.

    `direction`: of hex flits; a log says it itself. `link`, `from_ps`, `to_ps`: of a log, these alone. A Recovery, or
    a link that went down, is a dict with "event".
    """
    where = "flits.read"
    file = _check.path(where, "path", path)
    if file in ("", "-"):
        raise Error(where, f"path {_check.shown(path)} is no file", "name one")
    return _lines(
        file,
        _direction(where, direction),
        _check.text(where, "link", link),
        _check.number(where, "from_ps", from_ps),
        _check.MOST if to_ps is None else _check.number(where, "to_ps", to_ps),
    )
