# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""pandas and pyarrow, which are there if the caller wants tables (the extra `frames`)."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

from cxlgpu import _check
from cxlgpu._error import Error

if TYPE_CHECKING:
    import os

    import pandas


def module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise Error("cxlgpu", f"{name} cannot be imported ({e})", "pip install 'cxlgpu[frames]'") from None


def frame(columns: dict[str, Any]) -> pandas.DataFrame:
    made: pandas.DataFrame = module("pandas").DataFrame(columns)
    return made


def numbers(column: bytes, dtype: str) -> Any:
    """A column of the extension module, as numpy has it."""
    return module("numpy").frombuffer(column, dtype=dtype)


def names(codes: bytes, of: tuple[str, ...]) -> Any:
    """A categorical; -1 is missing."""
    pandas_ = module("pandas")
    return pandas_.Categorical.from_codes(numbers(codes, "i1"), categories=list(of))


def write(where: str, table: pandas.DataFrame, path: str | os.PathLike[str], about: dict[str, Any]) -> None:
    """Parquet; `about` goes beside the schema, as JSON under "cxlgpu"."""
    name = _check.path(where, "path", path)
    arrow, parquet = module("pyarrow"), module("pyarrow.parquet")
    made = arrow.Table.from_pandas(table, preserve_index=False)
    meta = dict(made.schema.metadata or {})
    meta[b"cxlgpu"] = json.dumps(about).encode()
    try:
        parquet.write_table(made.replace_schema_metadata(meta), name)
    except OSError as e:
        raise Error(name or where, f"cannot be written: {e.strerror or e}", "name another place") from None
