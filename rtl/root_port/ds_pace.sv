// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Pace of the deferred stores, by the DevLoad that the endpoint reports: how long to wait after one
// was sent, and which goes next. An interval is a power of two of cycles, so the timer has passed
// it when one of its upper bits is set, and it is never endless: an endpoint that overloads is
// still asked now and then how it is. Of the responses above light load the latest counts, by how
// many light ones have come since.
//
// All outputs follow the state and interval_i only.
//
// Source: DevLoad of CXL 2.0 (QoS telemetry); docs/blocks/root_port/ds_pace.md.

module ds_pace
  import cxl_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            rsp_valid_i,  // pulse: an answer of the endpoint
  input  logic [1:0]      dev_load_i,   // with it: 0 light, 1 optimal, 2 moderate, 3 severe
                                        // overload
  input  logic            sent_i,       // pulse: a write goes to the endpoint, deferred or not
  input  logic [3:0][3:0] interval_i,   // by DevLoad: 0 none, else log2 of the cycles, 1..15
  output logic            direct_o,     // level: a new store may go straight to the endpoint
  output logic            flush_o,      // level: a deferred line may go to the endpoint
  output logic            oldest_o      // level: the oldest goes first, else the newest
);

  localparam int unsigned TimerBits = 16;
  localparam int unsigned CalmBits  = 7;  // its top bit: 64 light responses

  logic [1:0]           level_q;
  logic [CalmBits-1:0]  calm_q;
  logic [TimerBits-1:0] timer_q, above;
  logic [3:0]           interval;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= LoadLight;
      timer_q <= '1;
      calm_q  <= {1'b1, {CalmBits-1{1'b0}}};
    end else begin
      if (rsp_valid_i) level_q <= dev_load_i;
      if (rsp_valid_i && dev_load_i != LoadLight)  calm_q <= '0;
      else if (rsp_valid_i && !calm_q[CalmBits-1]) calm_q <= calm_q + 1'b1;
      if (sent_i)             timer_q <= '0;
      else if (timer_q != '1) timer_q <= timer_q + 1'b1;
    end
  end

  assign interval = interval_i[level_q];
  assign above    = timer_q >> interval;
  assign direct_o = level_q == LoadLight || level_q == LoadOptimal;
  assign flush_o  = interval == '0 || above != '0;
  assign oldest_o = !calm_q[CalmBits-1];

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Sent_A: assert property (@(posedge clk_i) disable iff (!rst_ni) sent_i |=> timer_q == '0)
    else $error("the timer did not begin again at a write");
  Grows_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !sent_i |=> timer_q == $past(timer_q) + TimerBits'($past(timer_q) != '1))
    else $error("the timer did not count a cycle, or went on beyond its end");
  NotBefore_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      flush_o == (interval == '0 || 32'(timer_q) >= (32'd1 << interval)))
    else $error("deferred lines may go before their interval is over, or may not after it");
  Direct_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_i |=> direct_o == !$past(dev_load_i[1]))
    else $error("direct stores do not follow the DevLoad just reported");
  Oldest_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_i && dev_load_i != LoadLight) |=> oldest_o)
    else $error("the newest deferred line goes first just after a response above light load");
  Calm_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!rsp_valid_i || dev_load_i == LoadLight) |=> !(oldest_o && $past(!oldest_o)))
    else $error("the oldest deferred line goes first without a response above light load");

endmodule
