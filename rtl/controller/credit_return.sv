// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Credits of one receive channel that wait to be returned to the peer. Starts with Init (the depth
// of the receive queue) less what software holds back, one more for each entry the consumer frees,
// saturates at 1023; the largest count code not above what is pending is offered (CXL 2.0, chapter
// 4.2, flit header credits).
//
// Latency: an entry freed in a cycle is in code_o the next.

module credit_return
  import cxl_pkg::*;
#(
  parameter int unsigned Init = 32  // credits at start, the entries of the receive queue: 1..1023
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,   // pulse: the link starts; wins over freed_i and sent_i
  input  logic [6:0] held_i,    // with start_i: credits that are not handed out, 0..Init

  input  logic [1:0] freed_i,   // credits to return of this cycle: 0..2
  input  logic       sent_i,    // pulse: code_o of this cycle left in a flit
  output logic [2:0] code_o,    // credits on offer: 0..7 for 0, 1, 2, 4 .. 64; may grow meanwhile
  output logic [9:0] pending_o  // credits to return, code_o's included: 0..1023
);

  logic [9:0] pending_q, pending_d;

  assign code_o    = credit_code(pending_q);
  assign pending_o = pending_q;

  // freed_i ends a long path: it only chooses among what is there.
  logic [9:0] left;
  logic [9:0] with_one, with_two;
  assign left     = pending_q - (sent_i ? 10'(credit_count(code_o)) : 10'd0);
  // A peer that sends without credits must not make it wrap.
  assign with_one = (left == '1) ? left : left + 10'd1;
  assign with_two = (left[9:1] == '1) ? '1 : left + 10'd2;

  always_comb begin
    unique case (freed_i)
      2'd0:    pending_d = left;
      2'd1:    pending_d = with_one;
      default: pending_d = with_two;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
    end else if (start_i) begin
      pending_q <= 10'(Init) - 10'(held_i);
    end else begin
      pending_q <= pending_d;
    end
  end

  a_offer: assert property (@(posedge clk_i) disable iff (!rst_ni)
      10'(credit_count(code_o)) <= pending_q)
    else $error("more credits are on offer than there are to return");
  a_held: assert property (@(posedge clk_i) disable iff (!rst_ni)
      start_i |-> 32'(held_i) <= Init)
    else $error("held_i is above the entries of the receive queue");
  a_kept: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!sent_i && !start_i) |=> pending_q >= $past(pending_q))
    else $error("credits to return are lost");

endmodule
