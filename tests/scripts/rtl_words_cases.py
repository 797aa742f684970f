#!/usr/bin/env python3
# Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
"""What scripts/rtl_words.py finds in small modules, a rule at a time, and what it leaves alone. Run by rtl_words_test.

Exit status: 0 passed; 1 not (unittest).
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import rtl_words  # noqa: E402

GOOD = """// A module: module (, assert property, "else"
module good
  import cxl_pkg::*;
  import cxl_io_pkg::tlp_t;
#(
  parameter int unsigned Depth = 4,              // 2..64, a power of two: flits that may wait (of
                                                 // any kind)
  parameter bit          IsHost = 1'b0,          // 0 or 1: 1 downstream port
  parameter logic [15:0] Id = 16'h0,             // bus, device and function of the requests that this
                                                 // end sends: 0..FFFFh
  parameter int unsigned Size = Depth * (2 + 1),  // Depth..2^31 - 1 lines
  parameter type         data_t = logic [7:0],   // what is kept
  localparam int unsigned Bits = $clog2(Depth),
  parameter int unsigned Width = 8               // 1..cxl_pkg::LineBits
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // To the controller
  input  logic [Depth-1:0] valid_i,  // [d]: a flit for it; stays until ready_o
  output logic             ready_o,  // low while full
  input  data_t            data_i [Depth],  // with valid_i
  output logic [1:0]       kind_o    /* no */ // 0..2
);

  parameter int unsigned Inside = 4;  // a text "// in" a string
  localparam string Text = "assert property (";
  cover_t cover_q;

  Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (valid_i[0] && !ready_o) |=> valid_i[0])  // assert (
      else $error("a flit vanished before it was taken");
  a_old : assert property (@(posedge clk_i) ready_o) else $error(
      "full");
  Input_M: assume property (@(posedge clk_i) valid_i != '1);
  Full_C: cover property (@(posedge clk_i) !ready_o);
  always_comb begin
    Kind_A: assert (kind_o != 2'd3) else $error("a kind that does not exist");
    Now_A: assert #0 (1'b1); else $error("never");
    Seen_C: cover (ready_o);
  end

endmodule
"""
HEADER = "module m (\n  input logic clk_i\n);\n"


class RtlWords(unittest.TestCase):
    def said(self, text):
        return [f"{line}: {what}" for line, what in rtl_words.findings(text)]

    def run_on(self, *texts):
        """Exit status for files with these texts, and what is said of them."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"{n}.sv" for n in range(len(texts))]
            for file, text in zip(files, texts):
                file.write_text(text)
            done = subprocess.run([ROOT / "scripts/rtl_words.py", *files], capture_output=True, text=True)
        return done.returncode, done.stderr.replace(f"{folder}/", "")

    def finds(self, text, *findings):
        said = self.said(text)
        self.assertEqual(len(said), len(findings), said)
        for line, finding in zip(said, findings):
            self.assertIn(finding, line)

    def changed(self, old, new):
        self.assertEqual(GOOD.count(old), 1, old)
        return GOOD.replace(old, new)

    def test_a_good_module(self):
        self.assertEqual(self.said(GOOD), [])

    def test_a_package_has_no_ports(self):
        self.assertEqual(self.said("package p;\n  parameter int A = 1;\nendpackage\n"), [])

    def test_a_port_without_a_comment(self):
        self.finds(self.changed("  // low while full", ""), "20: port ready_o: say behind it")
        self.finds(self.changed("  // with valid_i", ""), "21: port data_i: say behind it")
        self.finds(self.changed("    /* no */ // 0..2", "    /* no */"), "22: port kind_o: say behind it")

    def test_a_comment_above_is_none(self):
        self.finds("module m (\n  // what it is\n  input logic a_i\n);\nendmodule\n", "3: port a_i: say behind it")

    def test_only_clock_and_reset_need_none(self):
        text = "module m (\n  input logic clk_i,\n  input logic rst_ni,\n  input logic rst_sticky_ni);\nendmodule\n"
        self.finds(text, "4: port rst_sticky_ni")

    def test_ports_of_one_line(self):
        self.assertEqual(self.said("module m (input logic a_i, b_i);  // both\nendmodule\n"), [])
        self.finds("module m (input logic a_i, b_i);\nendmodule\n", "1: port a_i", "1: port b_i")

    def test_the_second_module_too(self):
        self.finds(GOOD + "module n #(parameter int A = 1) ();\nendmodule\n", "43: parameter A: say behind it what")

    def test_a_parameter_without_a_comment(self):
        self.finds(self.changed("// what is kept", ""), "12: parameter data_t: say behind it what it sizes")
        self.finds(self.changed("// 0 or 1: 1 downstream port", ""), "8: parameter IsHost: say behind it")

    def test_a_parameter_without_a_range(self):
        for words in ("downstream port", "0, or else 1", "at least 2", "flits...or DWs", "of a..b", "some or more"):
            with self.subTest(words):
                text = self.changed("0 or 1: 1 downstream port", words)
                self.finds(text, "8: parameter IsHost: say its range in the comment: A..B, or 0 or 1")

    def test_the_forms_of_a_range(self):
        forms = ("1..127", "0 .. 4_096", "0..16'hFFFF", "0..2^36-1", "Depth..2047", "lines: (1)..(4)", "-1..1")
        for words in (*forms, "1 or more", "2, 4 or 8"):
            with self.subTest(words):
                self.assertEqual(self.said(self.changed("0 or 1: 1 downstream port", words)), [])

    def test_a_range_goes_on_below_only_beside_the_code(self):
        self.finds(self.changed("end sends: 0..FFFFh", "end sends"), "9: parameter Id: say its range")
        text = "module m #(\n  parameter int A = 1  // lines\n  // 1..2\n) ();\nendmodule\n"
        self.finds(text, "2: parameter A: say its range")

    def test_a_localparam_needs_none_until_the_next_parameter(self):
        text = "module m #(\n  localparam int A = 1,\n  int B = 2,\n  parameter int C = 3\n) ();\nendmodule\n"
        self.finds(text, "4: parameter C")

    def test_an_assertion_without_a_name(self):
        for name, kind, line in (
            ("Order_A: ", "assert", 29),
            ("Input_M: ", "assume", 34),
            ("Full_C: ", "cover", 35),
            ("Kind_A: ", "assert", 37),
            ("Seen_C: ", "cover", 39),
        ):
            with self.subTest(name):
                self.finds(self.changed(name, ""), f"{line}: {kind}: give it a name: Name_{name[-3]}")
        text = f"{HEADER}  always_comb case (a)\n    default: assume (b);\n  endcase\nendmodule\n"
        self.finds(text, "5: assume: give it a name")

    def test_an_assertion_without_a_text(self):
        self.finds(
            self.changed('\n      else $error("a flit vanished before it was taken")', ""), "29: Order_A: say what"
        )
        self.finds(self.changed(' else $error(\n      "full")', ""), "32: a_old: say what")
        self.finds(self.changed(' else $error("a kind that does not exist")', ""), "37: Kind_A: say what")
        for other in ("$display", "$warning"):
            self.finds(self.changed('else $error("a kind', f'else {other}("a kind'), "37: Kind_A: say what is wrong")
        self.finds(self.changed('"a kind that does not exist"', ""), "37: Kind_A: say what")
        self.finds(self.changed('"a kind that does not exist"', '" "'), "37: Kind_A: say what")

    def test_the_text_is_its_own(self):
        text = f'{HEADER}  A_A: assert property (a);\n  B_A: assert property (b) else $error("b");\nendmodule\n'
        self.finds(text, "4: A_A: say what is wrong")

    def test_neither_name_nor_text(self):
        self.finds(f"{HEADER}  assert property (a);\nendmodule\n", "4: assert: give it a name", "4: assert: say what")

    def test_what_is_a_comment_is_no_assertion(self):
        self.assertEqual(self.said(f"{HEADER}  // assert property (a);\n  /* cover (\n b); */\nendmodule\n"), [])

    def test_files_and_exit_status(self):
        self.assertEqual(self.run_on(GOOD, GOOD), (0, ""))
        status, said = self.run_on(GOOD, "module m (\n  input logic a_i\n);\nendmodule\n", HEADER + "  cover (a);\n")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"\A1.sv:2: port a_i: say .*\n2.sv:4: cover: give it a name: Name_C: cover \.\.\.\n\Z")
        done = subprocess.run([ROOT / "scripts/rtl_words.py", "rtl/nowhere.sv"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (2, "rtl/nowhere.sv: no such file\n"))


if __name__ == "__main__":
    unittest.main()
