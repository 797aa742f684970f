// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Transmit credits of one message channel: what the peer's receiver can still take. One credit is
// one message with all its data (CXL 2.0, chapter 4.2, flit header credits). Starts at 0, saturates
// at 1023.
//
// Latency: credits received in a cycle can be used in the next.

module credit_tx
  import cxl_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,      // pulse: the link starts without credits; wins over all else

  input  logic       add_valid_i,  // pulse: credits for this channel were received
  input  logic [2:0] add_code_i,   // with add_valid_i: 0..7 for 0, 1, 2, 4 .. 64 credits
  input  logic [1:0] use_i,        // messages sent in this cycle: 0..3, at most avail_o
  output logic [9:0] avail_o       // messages that the peer can still take: 0..1023
);

  logic [9:0]  avail_q, avail_d;
  logic [10:0] sum;

  always_comb begin
    sum = {1'b0, avail_q} - {9'd0, use_i};
    if (add_valid_i) sum = sum + {4'd0, credit_count(add_code_i)};
    avail_d = sum[10] ? 10'h3FF : sum[9:0];
    if (start_i) avail_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) avail_q <= '0;
    else         avail_q <= avail_d;
  end

  assign avail_o = avail_q;

  a_no_overdraft: assert property (@(posedge clk_i) disable iff (!rst_ni)
      {8'd0, use_i} <= avail_q)
    else $error("more messages are sent than there are credits");

endmodule
