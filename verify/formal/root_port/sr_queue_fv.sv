// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sr_queue with requests that enter it and others that come beside it, whenever they like: one enters if and only if
// the queue is empty or fewer than Depth requests came since its head came, the head and those beside included.
//
// The harness numbers the requests and keeps the number of each that entered. The numbers are as many as come within
// the depth of the proof, so that none of them wraps.

module sr_queue_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Depth = 3
) (
  input logic clk_i,
  input logic rst_ni,
  input logic in_valid_i,
  input logic beside_i,     // comes if none enters
  input logic is_write_i,
  input logic head_ready_i,
  input logic rd_next_i
);

  typedef logic [7:0] number_t;

  sys_req_t                             req, head;
  logic                                 in_ready, head_valid, push, pop, beside, rd_valid, rd_is_load, rd_head;
  line_addr_t                           rd_line;
  logic [$clog2(Depth)-1:0]             rd_index;
  logic [Depth-1:0]                     load_valid;
  logic [Depth-1:0][LineAddrBits-1:0]   load_line;
  logic [$clog2(Depth+1)-1:0]           count;

  assign push   = in_valid_i && in_ready;
  assign beside = beside_i && !push;
  assign pop    = head_valid && head_ready_i;
  always_comb begin
    req          = '0;
    req.is_write = is_write_i;
  end

  sr_queue #(.Depth(Depth)) u_sr (
    .clk_i, .rst_ni, .in_valid_i, .in_ready_o(in_ready), .in_req_i(req), .beside_i(beside),
    .head_valid_o(head_valid), .head_ready_i, .head_req_o(head),
    .rd_valid_o(rd_valid), .rd_is_load_o(rd_is_load), .rd_line_o(rd_line), .rd_index_o(rd_index),
    .rd_head_o(rd_head), .rd_next_i, .load_valid_o(load_valid), .load_line_o(load_line),
    .count_o(count));

  number_t             number_q;   // of the next request
  number_t [Depth-1:0] numbers_q;  // of those in the queue, the head's first
  logic [7:0]          held_q, since;
  logic                pop_q;      // the head left in the cycle before
  assign since = number_q - numbers_q[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q  <= '0;
      numbers_q <= '0;
      held_q    <= '0;
      pop_q     <= 1'b0;
    end else begin
      pop_q <= pop;
      if (push || beside) number_q <= number_q + 8'd1;
      held_q <= held_q + 8'(push) - 8'(pop);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (pop && i + 1 < Depth) numbers_q[i] <= numbers_q[i+1];
        if (push && 8'(i) == held_q - 8'(pop)) numbers_q[i] <= number_q;
      end
    end
  end

  Enters_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_ready == (held_q == '0 || 32'(since) < Depth));
  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 8'(count) == held_q);

endmodule
