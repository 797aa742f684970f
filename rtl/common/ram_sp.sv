// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Synchronous memory with a single port: one read or one write a cycle. Read data the cycle after,
// and held until the next read. A module of its own so that a macro can take its place; it has no
// reset, and a word means nothing until it has been written.

module ram_sp #(
  parameter int unsigned Width = 8,  // bits of a word: 1..2^16
  parameter int unsigned Depth = 4,  // words: 2..2^24
  localparam int unsigned AddrBits = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                re_i,     // read the word of addr_i, in rdata_o the cycle after
  input  logic                we_i,     // write wdata_i to addr_i at this edge; never with re_i
  input  logic [AddrBits-1:0] addr_i,   // with re_i or we_i: the word, 0..Depth-1
  input  logic [Width-1:0]    wdata_i,  // with we_i: what is written
  output logic [Width-1:0]    rdata_o   // the word last read, until the cycle after the next re_i
);

  if (Depth < 2) begin : g_check_depth
    $error("ram_sp: Depth must be at least 2");
  end

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (we_i)      mem_q[addr_i] <= wdata_i;
    else if (re_i) rdata_q       <= mem_q[addr_i];
  end

  assign rdata_o = rdata_q;

  SinglePort_A: assert property (@(posedge clk_i) !(re_i && we_i))
    else $error("a read and a write in one cycle");

endmodule
