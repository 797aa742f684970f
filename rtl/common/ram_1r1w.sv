// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Synchronous memory with a port to read and a port to write. Read data the cycle after, and held
// until the next read. A module of its own so that a macro can take its place; it has no reset, and
// a word means nothing until it has been written.

module ram_1r1w #(
  parameter int unsigned Width = 8,  // bits of a word: 1..2^16
  parameter int unsigned Depth = 4,  // words: 2..2^24
  localparam int unsigned AddrBits = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                re_i,     // read the word of raddr_i, in rdata_o the cycle after
  input  logic [AddrBits-1:0] raddr_i,  // with re_i: the word, 0..Depth-1
  output logic [Width-1:0]    rdata_o,  // the word last read, until the cycle after the next re_i
  input  logic                we_i,     // write wdata_i to waddr_i at this edge; never the word
                                        // that is read
  input  logic [AddrBits-1:0] waddr_i,  // with we_i: the word, 0..Depth-1
  input  logic [Width-1:0]    wdata_i   // with we_i: what is written
);

  if (Depth < 2) begin : g_check_depth
    $error("ram_1r1w: Depth must be at least 2");
  end

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rdata_q;

  always_ff @(posedge clk_i) begin
    if (we_i) mem_q[waddr_i] <= wdata_i;
    if (re_i) rdata_q        <= mem_q[raddr_i];
  end

  assign rdata_o = rdata_q;

  OneWord_A: assert property (@(posedge clk_i) !(re_i && we_i && raddr_i == waddr_i))
    else $error("a word was read and written in one cycle");

endmodule
