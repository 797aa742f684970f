# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The one exception of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cxlgpu._run import Result


class Error(Exception):
    """What the caller gave is wrong: where, what is wrong, what to do about it. str() is one line."""

    def __init__(self, where: str, wrong: str, remedy: str = "") -> None:
        super().__init__(where, wrong, remedy)
        self.where = where
        self.wrong = wrong
        self.remedy = remedy

    def __str__(self) -> str:
        line = f"{self.where}: {self.wrong}" if self.where else self.wrong
        if self.remedy:
            line += f"; {self.remedy}"
        return " ".join(line.split())


class RunFailed(Error):
    """A run that ended and is not clean: wrong data, or run.limit_us was reached. `result`: what it measured."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.scenario, result.problems[0] if result.problems else result.status)
        self.result = result
        self.args = (result,)
