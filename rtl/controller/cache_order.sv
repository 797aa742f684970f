// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Keeps the messages of one queue from overtaking older ones of another: for each waiting message,
// how many of the other queue's have to leave first. Stands beside the queue and follows it.
//
// Source: CXL 2.0, chapter 3.2.2: a snoop (H2D Req) must not pass the GO (H2D Rsp) before it.
//
// Latency: outputs show the registered state; a message that leaves counts from the next cycle on.

module cache_order #(
  parameter int unsigned Depth = 4,       // 3..127: messages that the queue holds
  parameter int unsigned OtherDepth = 4,  // 2..127: messages that the other one holds
  localparam int unsigned OlderBits = $clog2(OtherDepth + 1),
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      clear_i,       // pulse: empties the queue; wins over all else

  input  logic [1:0]                push_i,        // messages that enter, bit 0 first: 0, 1 or 3
  input  logic [1:0][OlderBits-1:0] older_i,       // 0..OtherDepth, with push_i: others before it
                                                   // that are there after this cycle
  input  logic [1:0]                take_i,        // 0..2: messages that leave; only free ones
  input  logic [1:0]                other_left_i,  // 0..2: others that leave in this cycle
  output logic [1:0]                free_o         // bit 0 the head, bit 1 the second: it is there
                                                   // and waits for no other
);

  logic [Depth-1:0][OlderBits-1:0] older_q, older_d, stay;  // oldest message first
  logic [CountBits-1:0]            count_q, staying;
  logic [OlderBits-1:0]            left;

  assign free_o  = {count_q > CountBits'(1) && older_q[1] == '0, count_q != '0 && older_q[0] == '0};
  assign staying = count_q - CountBits'(take_i);
  assign left    = OlderBits'(other_left_i);

  always_comb begin
    unique case (take_i)
      2'd0:    stay = older_q;
      2'd1:    stay = {OlderBits'(0), older_q[Depth-1:1]};
      default: stay = {OlderBits'(0), OlderBits'(0), older_q[Depth-1:2]};
    endcase
    for (int unsigned i = 0; i < Depth; i++) begin
      if (CountBits'(i) < staying)       older_d[i] = (stay[i] > left) ? stay[i] - left : '0;
      else if (CountBits'(i) == staying) older_d[i] = older_i[0];
      else                               older_d[i] = older_i[1];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      count_q <= '0;
    else if (clear_i) count_q <= '0;
    else              count_q <= count_q + CountBits'(push_i[0]) + CountBits'(push_i[1]) -
                                 CountBits'(take_i);
  end

  always_ff @(posedge clk_i) begin
    older_q <= older_d;
  end

  a_push: assert property (@(posedge clk_i) disable iff (!rst_ni) push_i != 2'b10)
    else $error("a second message enters without a first");
  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
      take_i != 2'd3 && (take_i == 2'd0 || free_o[take_i[1]]))
    else $error("a message leaves that is not there or waits for another, or three leave");
  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= CountBits'(Depth))
    else $error("more messages are counted than the queue holds");
  a_monotone: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q > CountBits'(1) |-> older_q[1] >= older_q[0])
    else $error("a message waits for fewer others than the one before it");

endmodule
