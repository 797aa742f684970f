# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The concurrent assertions of a module as immediate ones, for a front end that takes only those.

Purpose: what is proven is what simulation sees: the assertions in the module itself.
Shapes:  assert / assume / cover property (@(posedge C) disable iff (!R) [A |-> | A |=>] B), with $past,
         $stable, $rose and $fell in A and B. Each becomes a check of every cycle; past values become
         registers; |=> remembers A for a cycle.
Errors:  ValueError with file and line for any other form.
Source:  IEEE 1800-2017, 16.12 and 16.9.3; ranges from slang's syntax tree (PyPI pyslang).
"""

from pyslang.syntax import SyntaxTree


def _kind(node):
    return str(node.kind).rsplit(".", 1)[-1]


def _children(node):
    return [c for c in node if c is not None and hasattr(c, "sourceRange")]


class Immediate:
    """assumed(text) says whether an assertion is the caller's to keep: it becomes an assumption.
    text: taken in place of the file's. covers: asserts instead that no implication's left side ever
    holds and no cover is reached, each of which should fail; assumptions stay."""

    def __init__(self, path, assumed=lambda text: False, text=None, covers=False):
        self.path = path
        self._covers = covers
        self.text = path.read_text() if text is None else text
        self._tree = SyntaxTree.fromText(self.text)
        self._assumed = assumed
        self._edits = []
        self.properties = []  # (line, kind, text)
        self._walk(self._tree.root)

    def _source(self, node):
        r = node.sourceRange
        return self.text[r.start.offset:r.end.offset]

    def _walk(self, node):
        if _kind(node) == "ConcurrentAssertionMember":
            self._member(node)
            return
        for child in _children(node):
            self._walk(child)

    def _find(self, node, kind):
        if _kind(node) == kind:
            return node
        for child in _children(node):
            found = self._find(child, kind)
            if found is not None:
                return found
        return None

    def _past(self, node, number, registers):
        """The source of an expression with sampled-value functions replaced by registers."""
        out, at = [], node.sourceRange.start.offset
        calls = []

        def collect(n):
            if _kind(n) == "InvocationExpression" and self._source(n).split("(")[0].strip() in (
                    "$past", "$stable", "$rose", "$fell"):
                calls.append(n)
                return
            for c in _children(n):
                collect(c)

        collect(node)
        for call in calls:
            start, end = call.sourceRange.start.offset, call.sourceRange.end.offset
            name, rest = self._source(call).split("(", 1)
            value = rest.rsplit(")", 1)[0]
            register = f"fv_{number}_{len(registers)}"
            registers.append((register, value))
            new = {"$past": register, "$stable": f"(({value}) == {register})",
                   "$rose": f"(({value}) && !{register})", "$fell": f"(!({value}) && {register})"}
            out += [self.text[at:start], new[name.strip()]]
            at = end
        out.append(self.text[at:node.sourceRange.end.offset])
        return " ".join("".join(out).split())

    def _member(self, node):
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        line = self.text.count("\n", 0, start) + 1
        where = f"{self.path}:{line}"
        spec = self._find(node, "PropertySpec")
        if spec is None:
            raise ValueError(f"{where}: not an assertion of a property")
        whole = " ".join(self.text[start:end].split())
        kind = next((k for k in ("assert", "assume", "cover") if f"{k} property" in whole), None)
        parts = _children(spec)
        clock = self._find(parts[0], "SignalEventExpression")
        disable = next((p for p in parts if _kind(p) == "DisableIff"), None)
        body = parts[-1]
        if kind is None or clock is None:
            raise ValueError(f"{where}: not a form this knows")
        off = self._source(_children(disable)[0]) if disable is not None else "1'b0"
        number, registers = len(self.properties), []
        later = False
        if _kind(body) == "ImplicationPropertyExpr":
            left, right = _children(body)
            later = "|=>" in self.text[left.sourceRange.end.offset:right.sourceRange.start.offset]
            if_part = self._past(left, number, registers)
            then = self._past(right, number, registers)
        else:
            if_part, then = "1'b1", self._past(body, number, registers)
        clocked = self._source(clock)
        lines = []
        for register, value in registers:
            lines += [f"var type({value}) {register};",
                      f"always_ff @({clocked}) {register} <= {value};"]
        if later:
            lines += [f"logic fv_{number}_if;",
                      f"always_ff @({clocked}) fv_{number}_if <= !({off}) && ({if_part});"]
            if_part = f"fv_{number}_if"
        if registers:  # a cycle must have gone before
            lines += [f"logic fv_{number}_past;",
                      f"always_ff @({clocked}) fv_{number}_past <= !({off});"]
            if_part = f"fv_{number}_past && ({if_part})"
        if kind == "assert" and self._assumed(whole):
            kind = "assume"
        said = f"({if_part}) && ({then})" if kind == "cover" else f"!({if_part}) || ({then})"
        if self._covers and kind == "assert":
            kind, said = "cover", if_part if if_part != "1'b1" else ""
        if self._covers and kind == "cover":
            kind, said = "assert", f"!({said})" if said else ""
        if said:
            lines.append(f"always_comb if (!({off})) {kind} ({said});")
        # One line, so that every other line keeps its number.
        pad = "\n" * self.text.count("\n", start, end)
        self._edits.append((start, end, " ".join(lines) + pad))
        self.properties.append((line, kind, whole))

    def rewritten(self):
        out, at = [], 0
        for start, end, new in self._edits:
            out += [self.text[at:start], new]
            at = end
        return "".join(out) + self.text[at:]
