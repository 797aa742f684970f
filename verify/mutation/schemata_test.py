#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""The generator of mutants by itself, on a module small enough to be seen through.

Shows: with number 0 the rewritten module does what the original does; every mutant of a module
without redundancy is seen; the mutants of redundant logic (a & a) are not; `alone` (what proofs read)
and the schemata (what tests run) are the same mutant.

  verify/mutation/schemata_test.py

Exit status: 0 passed; 1 not (unittest).
"""

import pathlib
import subprocess
import tempfile
import unittest

import schemata

BLOCK = """module block (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [3:0] a_i,
  input  logic [3:0] b_i,
  output logic [3:0] sum_o,
  output logic       less_o,
  output logic       both_o,
  output logic [3:0] redundant_o,
  output logic [3:0] held_q
);
  assign sum_o       = a_i + b_i;
  assign less_o      = a_i < b_i;
  assign both_o      = a_i[0] && !b_i[0];
  assign redundant_o = a_i & a_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_q <= 4'd5;
    else if (less_o) held_q <= both_o ? a_i : {b_i[1:0], a_i[3:2]};
  end
endmodule
"""
# Every input, with a reset in the middle; one line an edge.
BENCH = """module bench;
  logic clk = 0, rst_n = 0; logic [3:0] a, b;
  wire [3:0] sum, redundant, held; wire less, both;
  block dut (.clk_i(clk), .rst_ni(rst_n), .a_i(a), .b_i(b), .sum_o(sum), .less_o(less), .both_o(both),
             .redundant_o(redundant), .held_q(held));
  initial begin
    for (int i = 0; i < 512; i++) begin
      rst_n = i % 100 != 0; {a, b} = 8'(i * 7);
      #1 clk = 1; #1 clk = 0;
      $display("%h %b %b %h %h", sum, less, both, redundant, held);
    end
    $finish;
  end
endmodule
"""


def build(folder, name, text):
    out = folder / name
    out.mkdir()
    (out / "block.sv").write_text(text)
    (out / "bench.sv").write_text(BENCH)
    (out / "mutant_pkg.sv").write_text(schemata.PACKAGE)
    (out / "choice.cpp").write_text(schemata.CHOICE)
    done = subprocess.run(
        [
            "verilator",
            "--binary",
            "-Wno-fatal",
            "-Wno-lint",
            "-Wno-style",
            "--top-module",
            "bench",
            "-o",
            "run",
            "-CFLAGS",
            "-O0",
            "mutant_pkg.sv",
            "block.sv",
            "bench.sv",
            "choice.cpp",
        ],
        cwd=out,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return lambda number: subprocess.run(
        [str(out / "obj_dir/run")], env={"CXLGPU_MUTANT": str(number)}, capture_output=True, text=True, check=True
    ).stdout


class SchemataTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        (cls.folder / "block.sv").write_text(BLOCK)
        cls.block = schemata.Schemata(cls.folder, "block.sv")
        cls.original = build(cls.folder, "original", BLOCK)(0)
        cls.all = staticmethod(
            build(cls.folder, "all", cls.block.rewrite({i: i + 1 for i in range(len(cls.block.candidates))}))
        )

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_without_a_mutant_nothing_changes(self):
        self.assertEqual(self.all(0), self.original)

    def test_every_fault_is_seen_and_no_equivalent_is(self):
        for index, mutant in enumerate(self.block.candidates):
            equivalent = mutant.old == "a_i & a_i" and mutant.operator == "logic"
            with self.subTest(mutant=f"{mutant.operator}: {mutant.old} -> {mutant.new}"):
                self.assertEqual(self.all(index + 1) == self.original, equivalent)

    def test_operators_are_there(self):
        self.assertEqual(
            {m.operator for m in self.block.candidates},
            {
                "boundary",
                "relation",
                "logic",
                "operand",
                "arithmetic",
                "negation",
                "stuck",
                "arms",
                "constant",
                "dropped",
            },
        )

    def test_alone_is_the_same_mutant(self):
        for index in range(0, len(self.block.candidates), 6):
            with self.subTest(index=index):
                alone = build(self.folder, f"alone{index}", self.block.alone(index))(0)
                self.assertEqual(alone, self.all(index + 1))


if __name__ == "__main__":
    unittest.main()
