# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Memory and flash behind a GPU over CXL: run scenarios, sweep them, drive the machine request by request.

    result = cxlgpu.run("vadd-znand-sr")
    table = cxlgpu.sweep({"scenario": "vadd-znand-sr", "gpu.cores": [1, 2, 4]}).frame()
    machine = cxlgpu.Machine("trace-znand-sr")

All times are picoseconds (`_ps`) or say their unit. What a caller gave wrong is a cxlgpu.Error of one line.
"""

from cxlgpu import flits
from cxlgpu._core import InternalDram, Latencies, Port, Response, Speculation, Statistics
from cxlgpu._core import version as __version__
from cxlgpu._error import Error, RunFailed
from cxlgpu._machine import ALL_BYTES, LINE_BYTES, STAGES, Machine, Request, Responses
from cxlgpu._run import Result, Value, configs, run
from cxlgpu._sweep import Point, Sweep, sweep

__all__ = [
    "ALL_BYTES",
    "LINE_BYTES",
    "STAGES",
    "Error",
    "InternalDram",
    "Latencies",
    "Machine",
    "Point",
    "Port",
    "Request",
    "Response",
    "Responses",
    "Result",
    "RunFailed",
    "Speculation",
    "Statistics",
    "Sweep",
    "Value",
    "__version__",
    "configs",
    "flits",
    "run",
    "sweep",
]
