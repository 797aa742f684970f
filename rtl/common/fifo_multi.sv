// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Queue that takes up to In words and gives one word a cycle; clear_i empties it and wins.
//
// in_valid_i is filled from bit 0, word 0 is the oldest. in_ready_o[k]: word k has room. A word
// offered without room is dropped (the writer sees in_ready_o).
//
// Latency: as fifo (visible the cycle after the push, room from state only).

module fifo_multi #(
  parameter int unsigned Width = 8,  // bits of a word: 1..2^16
  parameter int unsigned Depth = 8,  // words that it holds: 2..2^24, at least In
  parameter int unsigned In = 4,     // words that may come in a cycle: 1..Depth
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,      // level: empty after this edge; wins over all

  input  logic [In-1:0]            in_valid_i,   // words offered, from bit 0 on, oldest first
  output logic [In-1:0]            in_ready_o,   // [k] room for word k, before one leaves
  input  logic [In-1:0][Width-1:0] in_data_i,    // with in_valid_i[k]: word k; lost without room

  output logic                     out_valid_o,  // a word is on offer; stays until taken
  input  logic                     out_ready_i,  // out_data_o is taken in this cycle
  output logic [Width-1:0]         out_data_o,   // with out_valid_o: the oldest word

  output logic [CountBits-1:0]     count_o       // words held: 0..Depth
);

  localparam int unsigned PtrBits = $clog2(Depth);

  if (Depth < In || Depth < 2) begin : g_check_depth
    $error("fifo_multi holds at least what it takes in a cycle");
  end

  // ptr + k, k at most Depth
  function automatic logic [PtrBits-1:0] ahead(logic [PtrBits-1:0] ptr, logic [CountBits-1:0] k);
    logic [CountBits:0] sum;
    sum = (CountBits + 1)'(ptr) + (CountBits + 1)'(k);
    return PtrBits'((sum >= (CountBits + 1)'(Depth)) ? sum - (CountBits + 1)'(Depth) : sum);
  endfunction

  logic [Width-1:0]     mem_q [Depth];
  logic [PtrBits-1:0]   rd_q, wr_q;
  logic [CountBits-1:0] count_q, taken;
  logic [In-1:0]        push;
  logic                 pop;

  assign out_valid_o = count_q != '0;
  assign out_data_o  = mem_q[rd_q];
  assign count_o     = count_q;
  assign pop         = out_valid_o && out_ready_i;
  assign push        = in_valid_i & in_ready_o;

  always_comb begin
    taken = '0;
    for (int unsigned k = 0; k < In; k++) begin
      in_ready_o[k] = count_q < CountBits'(Depth - k);
      if (in_valid_i[k] && in_ready_o[k]) taken = CountBits'(k + 1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
    end else if (clear_i) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
    end else begin
      wr_q <= ahead(wr_q, taken);
      if (pop) rd_q <= ahead(rd_q, CountBits'(1));
      count_q <= count_q + taken - CountBits'(pop);
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned k = 0; k < In; k++) begin
      if (push[k]) mem_q[ahead(wr_q, CountBits'(k))] <= in_data_i[k];
    end
  end

  a_order: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (in_valid_i & (in_valid_i + 1'b1)) == '0)
    else $error("a word is offered behind a gap");
  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= CountBits'(Depth))
    else $error("more words are held than fit");

endmodule
