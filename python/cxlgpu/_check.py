# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What callers give, held to what it must be. Each function names the call in its Error."""

from __future__ import annotations

import array
import operator
import os
from collections.abc import Iterable, Mapping
from typing import Any

from cxlgpu._error import Error

MOST = 2**64 - 1


def shown(value: object) -> str:
    """A value in a message: short, one line."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def number(where: str, name: str, value: object, least: int = 0, most: int = MOST) -> int:
    """An int, of Python or numpy; no bool, no float."""
    whole = _index(value)
    if whole is None:
        raise Error(where, f"{name} {shown(value)} is no whole number", f"give one of {least}..{most}")
    if not least <= whole <= most:
        raise Error(where, f"{name} {shown(whole)} is not in {least}..{most}", "give one of them")
    return whole


def _index(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def text(where: str, name: str, value: object) -> str:
    """A str without NUL that has UTF-8."""
    if not isinstance(value, str):
        raise Error(where, f"{name} {shown(value)} is no text", "give a str")
    if "\0" in value:
        raise Error(where, f"{name} {shown(value)} has a NUL in it", "leave it out")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Error(where, f"{name} {shown(value)} is no UTF-8", "use another name") from None
    return value


def path(where: str, name: str, value: object) -> str:
    """A str or os.PathLike; None is empty."""
    if value is None:
        return ""
    try:
        value = os.fspath(value)  # type: ignore[call-overload]
    except TypeError:
        raise Error(where, f"{name} {shown(value)} is no path", "give a str or a pathlib.Path") from None
    return text(where, name, value)


def buffer(where: str, name: str, value: object, length: int | None = None) -> bytes:
    """bytes, or what has a buffer."""
    if not isinstance(value, bytes):
        try:
            value = memoryview(value).tobytes()  # type: ignore[arg-type]
        except (TypeError, ValueError, BufferError, NotImplementedError):
            raise Error(where, f"{name} {shown(value)} has no bytes", "give bytes or a memoryview") from None
    if length is not None and len(value) != length:
        raise Error(where, f"{name} has {len(value)} bytes", f"give {length}")
    return value


def flag(where: str, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise Error(where, f"{name} {shown(value)} is neither True nor False", "give one of them")
    return value


def settings(where: str, value: object) -> list[str]:
    """Configuration keys as key=value."""
    if value is None:
        return []
    if not isinstance(value, Mapping):
        raise Error(where, f"settings {shown(value)} is no dict", "give {'link.lanes': 4}")
    return [setting(where, key, item) for key, item in value.items()]


def setting(where: str, key: object, value: object) -> str:
    name = text(where, "key", key)
    if isinstance(value, bool):
        return f"{name}={'true' if value else 'false'}"
    if isinstance(value, (str, int, float)):
        return text(where, f"value of {name}", f"{name}={value}")
    if (whole := _index(value)) is not None:  # numpy's
        return f"{name}={whole}"
    raise Error(where, f"key '{name}': {shown(value)} is no value", "give a str, a number or a bool")


def columns_of(where: str, name: str, values: object, code: str, rows: int | None) -> bytes:
    """Whole numbers one behind the other: of a list, an array.array, numpy, pandas. `code`: 'Q' or 'B'."""
    size = array.array(code).itemsize
    most = 2 ** (8 * size) - 1
    if isinstance(values, array.array) and values.typecode == code:
        made = values.tobytes()
    elif hasattr(values, "dtype"):
        made = _of_numpy(where, name, values, size, most)
    elif isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise Error(where, f"{name} {shown(values)} is no list of numbers", "give a list or an array")
    else:
        made = array.array(
            code, (number(where, f"{name}[{i}]", _bit(v), 0, most) for i, v in enumerate(values))
        ).tobytes()
    if rows is not None and len(made) != rows * size:
        raise Error(where, f"{name} has {len(made) // size} rows, addresses {rows}", "give as many")
    return made


def _bit(value: object) -> object:
    return int(value) if isinstance(value, bool) else value


def _of_numpy(where: str, name: str, values: Any, size: int, most: int) -> bytes:
    try:
        import numpy

        given = numpy.asarray(values)
    except (ImportError, TypeError, ValueError):
        raise Error(where, f"{name} is no array of numbers", "give whole numbers") from None
    if given.ndim != 1 or given.dtype.kind not in "uib":
        raise Error(where, f"{name} is of {given.dtype} with {given.ndim} dimensions", "give whole numbers, in one")
    if given.size and (int(given.min()) < 0 or int(given.max()) > most):
        raise Error(where, f"{name} has numbers that are not in 0..{most}", "give only such")
    made: bytes = given.astype(f"<u{size}").tobytes()
    return made
