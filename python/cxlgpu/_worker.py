# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""A process of a sweep: a line of JSON in, the arguments of a run; a line out, what came of it."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from cxlgpu import Error, run


def answer(arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        result = run(**arguments, check=False)
    except Error as e:
        return {"error": str(e)}
    except Exception as e:  # the sweep goes on
        return {"error": " ".join(f"{type(e).__name__}: {e}".split())}
    return {
        "stats": result.stats,
        "status": result.status,
        "problems": result.problems,
        "notes": result.notes,
    }


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is no answer
    for line in sys.stdin:
        out.write(json.dumps(answer(json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
