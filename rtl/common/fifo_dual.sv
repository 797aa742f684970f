// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Queue that takes up to two words and gives up to two words a cycle; clear_i empties it and wins.
//
// in_valid_i[1] implies in_valid_i[0]; word 0 is the older. in_ready_o = {room for two, room for
// one}; a word offered without room is dropped (the writer sees in_ready_o). out_valid_o = {two
// words are there, one is}; out_data0_o is the oldest; a word that is not there is zero; out_take_i
// is the number that leaves.
//
// Latency: as fifo (visible the cycle after the push, room from state only). The two words are
// separate ports, so that fields aligned in a word stay aligned for the simulator.

module fifo_dual #(
  parameter int unsigned Width = 8,  // bits of a word: 1..2^16
  parameter int unsigned Depth = 4,  // words that it holds: 2..2^24
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,      // level: empty after this edge; wins over all else

  input  logic [1:0]           in_valid_i,   // words offered: [0] older, [1] second, never alone
  output logic [1:0]           in_ready_o,   // room for one, for two, before words leave
  input  logic [Width-1:0]     in_data0_i,   // with in_valid_i[0]: the older; lost without room
  input  logic [Width-1:0]     in_data1_i,   // with in_valid_i[1]: the younger; lost without room

  output logic [1:0]           out_valid_o,  // out_data0_o is there, out_data1_o too; until taken
  input  logic [1:0]           out_take_i,   // words that leave now: 0..2, at most count_o
  output logic [Width-1:0]     out_data0_o,  // the oldest word; 0 without out_valid_o[0]
  output logic [Width-1:0]     out_data1_o,  // the one behind it; 0 without out_valid_o[1]

  output logic [CountBits-1:0] count_o       // words held: 0..Depth
);

  localparam int unsigned PtrBits = $clog2(Depth);
  localparam logic [PtrBits-1:0] Last = PtrBits'(Depth - 1);

  if (Depth < 2) begin : g_check_depth
    $error("fifo_dual needs two entries at least");
  end

  function automatic logic [PtrBits-1:0] next(logic [PtrBits-1:0] ptr);
    return (ptr == Last) ? '0 : ptr + 1'b1;
  endfunction

  logic [Width-1:0]     mem_q [Depth];
  logic [PtrBits-1:0]   rd_q, wr_q, rd_next, wr_next;
  logic [CountBits-1:0] count_q;
  logic [1:0]           push;

  assign in_ready_o  = {count_q < CountBits'(Depth - 1), count_q < CountBits'(Depth)};
  assign out_valid_o = {count_q > CountBits'(1), count_q != '0};
  assign rd_next     = next(rd_q);
  assign wr_next     = next(wr_q);
  assign count_o     = count_q;
  assign push        = in_valid_i & in_ready_o;

  // Wide words rest at zero while nothing is there: what they feed does not toggle.
  always_comb begin
    out_data0_o = '0;
    out_data1_o = '0;
    if (out_valid_o[0]) out_data0_o = mem_q[rd_q];
    if (out_valid_o[1]) out_data1_o = mem_q[rd_next];
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
      if (push[1])      wr_q <= next(wr_next);
      else if (push[0]) wr_q <= wr_next;
      if (out_take_i[1])      rd_q <= next(rd_next);
      else if (out_take_i[0]) rd_q <= rd_next;
      count_q <= count_q + CountBits'(push[0]) + CountBits'(push[1]) - CountBits'(out_take_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push[0]) mem_q[wr_q] <= in_data0_i;
    if (push[1]) mem_q[wr_next] <= in_data1_i;
  end

  a_order: assert property (@(posedge clk_i) disable iff (!rst_ni) in_valid_i != 2'b10)
    else $error("a second word is offered without a first");
  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_take_i != 2'd3 && CountBits'(out_take_i) <= count_q)
    else $error("more words are taken than are there");
  a_clear: assert property (@(posedge clk_i) disable iff (!rst_ni) clear_i |=> count_q == '0)
    else $error("a word is left after a clear");
  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= CountBits'(Depth))
    else $error("more words are held than fit");

endmodule
