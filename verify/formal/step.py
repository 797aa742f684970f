# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The assertions of a module for a step of induction: taken as right in the first cycle, shown in those after it.

Purpose: an assertion that follows from all of them, a cycle before, holds in every cycle after reset.
Shapes:  as immediate.py's; the first cycle is that of the solver, whatever the registers hold in it.
Errors:  as immediate.py's.
"""

import re

from immediate import Immediate


class Step(Immediate):
    def rewritten(self):
        for number, (start, end, new) in enumerate(self._edits):
            split = re.fullmatch(r"(.*)always_comb if \((.*)\) assert (\(.*\));(\n*)", new, re.S)
            if split:
                before, on, said, pad = split.groups()
                self._edits[number] = (start, end, (
                    f"{before}logic fv_after{number} = 1'b0; always_ff @(posedge clk_i) fv_after{number} <= 1'b1; "
                    f"always_comb if ({on}) begin if (fv_after{number}) assert {said}; else assume {said}; end{pad}"))
        return super().rewritten()
