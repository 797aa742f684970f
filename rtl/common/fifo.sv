// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// First-in first-out queue with valid/ready on both sides.
//
// Latency: a word is visible at the output the cycle after it was pushed (no bypass), and a full
// queue takes nothing in the cycle in which it is popped (in_ready_o depends on state only).

module fifo #(
  parameter int unsigned Width = 8,  // bits of a word: 1..2^16
  parameter int unsigned Depth = 4,  // words that it holds: 1..2^24
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 in_valid_i,   // a word is offered; ignored when in_ready_o is low
  output logic                 in_ready_o,   // low: full, even if a word leaves in this cycle
  input  logic [Width-1:0]     in_data_i,    // with in_valid_i: the word

  output logic                 out_valid_o,  // a word is on offer; stays until taken
  input  logic                 out_ready_i,  // out_data_o is taken in this cycle
  output logic [Width-1:0]     out_data_o,   // with out_valid_o: the oldest word

  output logic [CountBits-1:0] count_o       // words held: 0..Depth
);

  localparam int unsigned PtrBits = (Depth > 1) ? $clog2(Depth) : 1;
  localparam logic [PtrBits-1:0] Last = PtrBits'(Depth - 1);

  logic [Width-1:0]     mem_q [Depth];
  logic [PtrBits-1:0]   rd_q, wr_q;
  logic [CountBits-1:0] count_q;
  logic                 push, pop;

  assign in_ready_o  = count_q < CountBits'(Depth);
  assign out_valid_o = count_q != '0;
  assign out_data_o  = mem_q[rd_q];
  assign count_o     = count_q;
  assign push        = in_valid_i && in_ready_o;
  assign pop         = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
    end else begin
      if (push) wr_q <= (wr_q == Last) ? '0 : wr_q + 1'b1;
      if (pop)  rd_q <= (rd_q == Last) ? '0 : rd_q + 1'b1;
      if (push && !pop) count_q <= count_q + 1'b1;
      if (pop && !push) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) mem_q[wr_q] <= in_data_i;
  end

  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= CountBits'(Depth))
    else $error("more words are held than fit");

endmodule
