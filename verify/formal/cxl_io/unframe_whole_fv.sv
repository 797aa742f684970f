// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_unframe: packets leave whole. A packet is as long as its first DW says, which is decoded here again.
//
//   First_A  a piece begins a packet if and only if none is open
//   Whole_A  no piece is longer than what is left of its packet, and the last one is what is left
//   Rest_A   without a piece the data are zero, as behind its last DW

module unframe_whole_fv
  import cxl_io_pkg::*;
#(
  parameter int unsigned Depth = 2
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         link_up_i,
  input logic         valid_i,
  input logic [511:0] flit_i
);

  logic              valid, first, last;
  io_tail_e          tail;
  logic [4:0]        count;
  logic [511:0]      out;
  logic [15:0][31:0] dws;
  io_unframe #(.Depth(Depth)) u_unframe (
    .clk_i, .rst_ni, .link_up_i, .valid_i, .flit_i, .valid_o(valid), .first_o(first), .last_o(last), .tail_o(tail),
    .count_o(count), .dws_o(out));
  assign dws = out;

  // ---------------------------------------------------------------------------------------------
  // Packets
  // ---------------------------------------------------------------------------------------------
  logic [10:0] left_q, length;
  logic        sdp, stp;
  assign sdp    = dws[0][15:0] == 16'hACF0;
  assign stp    = !sdp && begins_tlp(dws[0][3:0], dws[0][14:4], {dws[0][15], dws[0][23:20]});
  assign length = (left_q != '0) ? left_q : sdp ? 11'd2 : stp ? dws[0][14:4] : 11'd1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         left_q <= '0;
    else if (!link_up_i) left_q <= '0;
    else if (valid)      left_q <= length - 11'(count);
  end

  First_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid |-> first == (left_q == '0));
  Whole_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid |-> 11'(count) <= length && last == (11'(count) == length));
  logic zero;
  always_comb begin
    zero = 1'b1;
    for (int unsigned k = 0; k < 16; k++) begin
      if ((!valid || 5'(k) >= count) && dws[k] != '0) zero = 1'b0;
    end
  end
  Rest_A: assert property (@(posedge clk_i) disable iff (!rst_ni) zero);

  logic unused_tail;
  assign unused_tail = ^tail;

endmodule
