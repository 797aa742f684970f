# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""Mutants of SystemVerilog modules, all of them in one text.

Purpose: a mutant costs no compilation of its own. Every module is rewritten once so that it holds
         each of its chosen mutants beside the original, chosen at run time by a number:

             a < b        ->  (mutant_pkg::Sel == 17 ? (a <= b) : (a < b))
             q <= d;      ->  if (mutant_pkg::Sel != 18) q <= d;

         With number 0 the module is what it was. (Yosys' mutate changes a net list instead: a build for
         each mutant, and a survivor has no place in the text to look at.)
What is mutated: behaviour (always_comb, always_ff, assign, functions, port connections). Not
         declarations, parameters, generate conditions, loop headers, dimensions, assertions, resets.
Operators: see OPERATORS.
Source:  the ranges come from slang's syntax tree (PyPI pyslang), so that nothing is guessed by
         pattern.
"""

import dataclasses
import functools
import hashlib
import pathlib
import re
import sys

from pyslang.syntax import SyntaxTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from records import essence  # noqa: E402

OPERATORS = {
    "boundary": "< becomes <=, > becomes >=, and back",
    "relation": "< becomes >=, == becomes !=, and back",
    "logic": "&& becomes ||, & becomes |, ^ becomes |, and back",
    "operand": "one operand of && or || alone; operands of a - b, a << b exchanged by the inverse operator",
    "arithmetic": "+ becomes -, << becomes >>, and back",
    "negation": "a condition negated; ! or ~ left out",
    "stuck": "a condition always true or always false; a value always 0",
    "arms": "the two arms of ?: exchanged",
    "constant": "a number one more, or with its lowest bit inverted; '0 becomes '1 and back",
    "slice": "the start of x[a +: w] one more",
    "dropped": "an assignment left out",
}

_BINARY = {
    "LessThanExpression": [("boundary", "<="), ("relation", ">=")],
    "LessThanEqualExpression": [("boundary", "<"), ("relation", ">")],
    "GreaterThanExpression": [("boundary", ">="), ("relation", "<=")],
    "GreaterThanEqualExpression": [("boundary", ">"), ("relation", "<")],
    "EqualityExpression": [("relation", "!=")],
    "InequalityExpression": [("relation", "==")],
    "LogicalAndExpression": [("logic", "||")],
    "LogicalOrExpression": [("logic", "&&")],
    "BinaryAndExpression": [("logic", "|")],
    "BinaryOrExpression": [("logic", "&")],
    "BinaryXorExpression": [("logic", "|")],
    "AddExpression": [("arithmetic", "-")],
    "SubtractExpression": [("arithmetic", "+")],
    "LogicalShiftLeftExpression": [("arithmetic", ">>")],
    "LogicalShiftRightExpression": [("arithmetic", "<<")],
}
_UNARY = {"UnaryLogicalNotExpression", "UnaryBitwiseNotExpression"}
_RESET = re.compile(r"\brst_(?:\w+_)?ni\b")  # no test runs without one
# Subtrees that are constant, declare, or check.
_LEFT_ALONE = re.compile(
    r"Parameter|Dimension|Assert|Assum|Cover|Property(Spec|Declaration)|PackageImport|DataType|"
    r"NamedType|Typedef|EventControl|ImplicitType|Genvar|Modport|OpenRange|ValueRange|RangeList|"
    r"FunctionPrototype|EnumType|StructType|LocalVariableDeclaration"
)


def _kind(node):
    return str(node.kind).rsplit(".", 1)[-1]


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str  # rtl/<room>/<name>.sv
    line: int  # where it stands today
    operator: str
    old: str
    new: str
    context: str  # its line, blanks squeezed
    nth: int  # of those that are the same in all of the above

    @property
    def module(self):
        return self.file.rsplit("/", 1)[-1].removesuffix(".sv")

    @functools.cached_property
    def key(self):
        """Stays the same when lines or the file move, and when comments or white space change."""
        return _key(self.module, *_same(self.operator, self.old, self.new, self.context), self.nth)


def _one_line(text):
    return " ".join(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).split())


def _same(operator, *texts):
    return operator, *(essence(text, ".sv") for text in texts)


def _key(*parts):
    return hashlib.sha256("\0\0".join(map(str, parts)).encode()).hexdigest()[:12]


class Schemata:
    """One source file: its candidates, and its text with some of them built in."""

    def __init__(self, root, file):
        self.file = file
        self.text = (root / file).read_text()
        self._tree = SyntaxTree.fromFile(str(root / file))
        self._raw = []  # of each candidate: what takes the place, as written
        self._sites = []  # (start, end, form, [index of candidate])
        self.candidates = []
        self._seen = {}
        self.instances = set()
        self._visit(self._tree.root, False)

    # -- what can be mutated ----------------------------------------------------------------------

    def _span(self, node):
        r = node.sourceRange
        return r.start.offset, r.end.offset

    def _source(self, node):
        start, end = self._span(node)
        return self.text[start:end]

    def _add(self, node, form, variants):
        """form: 'value' (an expression) or 'statement'."""
        start, end = self._span(node)
        indices = []
        for operator, new in variants:
            old = self.text[start:end]
            line = self.text.count("\n", 0, start) + 1
            begin = self.text.rfind("\n", 0, start) + 1
            stop = self.text.find("\n", start)
            context = " ".join(self.text[begin:stop].split())
            old, raw, new = _one_line(old), new, _one_line(new)
            same = _same(operator, old, new, context)
            nth = self._seen[same] = self._seen.get(same, -1) + 1
            indices.append(len(self.candidates))
            self.candidates.append(Mutant(self.file, line, operator, old, new, context, nth))
            self._raw.append(raw)
        self._sites.append((start, end, form, indices))

    def _children(self, node):
        return [c for c in node if c is not None and hasattr(c, "sourceRange")]

    def _visit(self, node, alive):
        kind = _kind(node)
        if _LEFT_ALONE.search(kind):
            return
        if kind == "HierarchyInstantiation":
            self.instances.add(self.text[self._span(node)[0] :].split(None, 1)[0])
        if kind in (
            "AlwaysCombBlock",
            "AlwaysFFBlock",
            "ContinuousAssign",
            "FunctionDeclaration",
            "HierarchyInstantiation",
        ):
            alive = True
        children = self._children(node)
        if kind in ("IfGenerate", "LoopGenerate"):
            for child in children:  # their bodies alone
                if (
                    "Generate" in _kind(child)
                    or "Block" in _kind(child)
                    or "Clause" in _kind(child)
                    or _kind(child) in ("ContinuousAssign", "HierarchyInstantiation")
                ):
                    self._visit(child, alive)
            return
        if kind == "ForLoopStatement":
            self._visit(children[-1], alive)
            return
        if alive:
            skip = self._mutate(node, kind, children)
            children = [c for c in children if not any(c is s for s in skip)]
        for child in children:
            self._visit(child, alive)

    def _mutate(self, node, kind, children):
        """Adds the mutants of one node; returns the children that stay as they are."""
        source = self._source(node)
        if kind in _BINARY and len(children) >= 2:
            left, right = self._source(children[0]), self._source(children[-1])
            variants = [(op, f"({left}) {new} ({right})") for op, new in _BINARY[kind]]
            if kind in ("LogicalAndExpression", "LogicalOrExpression"):
                variants += [("operand", left), ("operand", right)]
            self._add(node, "value", variants)
        elif kind in _UNARY and not _RESET.search(source):
            self._add(node, "value", [("negation", self._source(children[-1]))])
        elif kind == "ConditionalExpression" and len(children) >= 3:
            test = self._source(children[0])
            yes, no = self._source(children[-2]), self._source(children[-1])
            self._add(node, "value", [("arms", f"{test} ? ({no}) : ({yes})")])
        elif (kind == "ConditionalPredicate" and not _RESET.search(source)
              and _kind(node.parent) == "ConditionalStatement"):
            self._add(node, "value", [("negation", f"!({source})"), ("stuck", "1'b1"), ("stuck", "1'b0")])
        elif kind == "IntegerVectorExpression":
            width = source.split("'")[0]
            if width.strip() and not re.search("[xz?]", source.split("'")[1][2:].lower()):
                self._add(
                    node, "value", [("constant", f"{source} + {width}'d1"), ("constant", f"{source} ^ {width}'d1")]
                )
        elif kind == "IntegerLiteralExpression":
            self._add(node, "value", [("constant", f"{int(source.replace('_', '')) + 1}")])
        elif kind == "UnbasedUnsizedLiteralExpression" and source in ("'0", "'1"):
            self._add(node, "value", [("constant", "'1" if source == "'0" else "'0")])
        elif kind in ("AscendingRangeSelect", "DescendingRangeSelect"):
            if not re.fullmatch(r"[\d']*", self._source(children[0])):
                self._add(children[0], "value", [("slice", f"({self._source(children[0])}) + 1")])
            return children
        elif kind in ("SimpleRangeSelect",):
            return children
        elif kind == "ElementSelect" or kind == "BitSelect":
            return [c for c in children if "Literal" in _kind(c)]
        elif kind == "MultipleConcatenationExpression":
            return children[:1]
        elif kind == "CastExpression":
            return children[:1]
        elif (
            kind == "ExpressionStatement"
            and children
            and _kind(children[0]) in ("AssignmentExpression", "NonblockingAssignmentExpression")
        ):
            self._add(node, "statement", [("dropped", "")])
        elif kind in ("AssignmentExpression", "NonblockingAssignmentExpression"):
            value = children[-1]
            text = self._source(value)
            if kind == "AssignmentExpression" and text not in ("'0", "1'b0") and not text.lstrip().startswith("'{"):
                self._add(value, "value", [("stuck", "'0")])
            return children[:1]
        elif kind in ("StandardCaseItem",):
            return children[:-1]
        return []

    def site(self, index):
        """Where in the text a mutant stands: (start, end)."""
        return next((s, e) for s, e, _, indices in self._sites if index in indices)

    def alone(self, index):
        """The text with one mutant in place of the original."""
        start, end = self.site(index)
        new = f"({self._raw[index]})" if self._raw[index] else ";"
        return self.text[:start] + new + self.text[end:]

    # -- the text with chosen mutants ---------------------------------------------------------------

    def rewrite(self, numbers):
        """The text with mutants built in. numbers: index of candidate -> its number, from 1."""
        inserts = []  # (position, order, text)
        for start, end, form, indices in self._sites:
            chosen = [(i, numbers[i]) for i in indices if i in numbers]
            for i, number in chosen:
                new = self._raw[i]
                if form == "value":
                    before = f"(mutant_pkg::Sel == {number} ? ({new}) : ("
                    after = "))"
                else:
                    before = f"begin if (mutant_pkg::Sel != {number}) "
                    after = " end"
                inserts.append((start, end, before, after))
        # Nested sites: the outer opens first and closes last.
        opens, closes = {}, {}
        for start, end, before, after in sorted(inserts, key=lambda s: (s[0], -s[1])):
            opens.setdefault(start, []).append((end, before))
            closes.setdefault(end, []).append((start, after))
        out, at = [], 0
        for position in sorted(set(opens) | set(closes)):
            out.append(self.text[at:position])
            at = position
            for _, text in sorted(closes.get(position, []), key=lambda c: -c[0]):
                out.append(text)
            for _, text in sorted(opens.get(position, []), key=lambda o: -o[0]):
                out.append(text)
        out.append(self.text[at:])
        return "".join(out)


PACKAGE = """// What runs: 0 the original, else the mutant of that number.
package mutant_pkg;
  import "DPI-C" context function int cxlgpu_mutant();
  int Sel = cxlgpu_mutant();
endpackage
"""
CHOICE = """#include <cstdlib>
extern "C" int cxlgpu_mutant() {
  const char* text = std::getenv("CXLGPU_MUTANT");
  return text != nullptr ? std::atoi(text) : 0;
}
"""
