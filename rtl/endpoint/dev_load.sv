// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Device load: how loaded the endpoint tells the host that it is.
//
//   ingress, MSHRs, media backlog --> level each --> internal load ----+
//   media tasks (with ttr_enable) --> level --> announced reduction ---+--> the worst
//   stalled --> history of 100 samples --> per cent --> egress level --+
//
// A level rises at once to the number of thresholds that its measure has reached. It falls below a
// threshold only when the measure is more than a margin under it: a load that swings about a
// threshold would else have the host swing too.
//
// History: a sample every `interval` cycles, and none while nothing waited in the last hundred; so
// an endpoint that never waits leaves these registers alone.
//
// Latency:  one register from a measure to the report; none from the settings of the egress level.
// Source:   CXL 2.0, 3.3.2 (QoS telemetry: internal load, temporary throughput reduction, egress
//           port congestion); docs/blocks/endpoint/dev_load.md.

module dev_load
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [7:0]    ingress_i,   // messages in both receive queues, 0..254
  input  logic [7:0]    mshr_i,      // live MSHRs of the internal DRAM
  input  media_status_t media_i,     // load as the media's own controller reports it
  input  logic          stalled_i,   // level: a response is offered and not taken in this cycle
  input  load_control_t control_i,   // thresholds, margins, enables; the margin of the tasks is 0
  output dev_load_e     dev_load_o,  // load to report with a response that is offered now
  output load_status_t  status_o     // the same, with what it is made of
);

  localparam int unsigned NumMeasures = 4;
  localparam int unsigned Tasks       = 3;    // the measure that is an announcement
  localparam int unsigned Samples     = 100;  // so that their sum is per cent

  // ---------------------------------------------------------------------------------------------
  // Measures
  // ---------------------------------------------------------------------------------------------
  logic [NumMeasures-1:0][6:0] value;
  logic [NumMeasures-1:0][1:0] up, down, level_d, level_q;

  function automatic logic [6:0] at_most_127(logic [7:0] of);
    return of[7] ? 7'h7F : of[6:0];
  endfunction

  assign value = {media_i.tasks, media_i.backlog, at_most_127(mshr_i), at_most_127(ingress_i)};

  function automatic logic [1:0] reached(logic [7:0] of, logic [2:0][6:0] threshold);
    return {1'b0, of >= 8'(threshold[0])} + {1'b0, of >= 8'(threshold[1])} +
           {1'b0, of >= 8'(threshold[2])};
  endfunction

  always_comb begin
    for (int unsigned m = 0; m < NumMeasures; m++) begin
      up[m]   = reached(8'(value[m]), control_i.measure[m].th);
      down[m] = reached(8'(value[m]) + 8'(control_i.measure[m].margin), control_i.measure[m].th);
      level_d[m] = (level_q[m] > down[m]) ? down[m] : level_q[m];
      if (level_d[m] < up[m]) level_d[m] = up[m];
    end
    if (!control_i.ttr_enable) level_d[Tasks] = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= '0;
    end else begin
      level_q <= level_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Egress port
  // ---------------------------------------------------------------------------------------------
  logic [Samples-1:0] history_q;  // the latest is bit 0
  logic [6:0]         count_q;    // ones of the history
  logic [4:0]         timer_q;    // cycles in which no sample is taken
  logic               egress_on, sample;
  logic [1:0]         egress;

  assign egress_on = control_i.egress_enable && (control_i.interval != '0);
  assign sample    = (timer_q == '0) && (stalled_i || (count_q != '0));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      history_q <= '0;
      count_q   <= '0;
      timer_q   <= '0;
    end else if (!egress_on) begin
      history_q <= '0;
      count_q   <= '0;
      timer_q   <= '0;
    end else if (sample) begin
      history_q <= {history_q[Samples-2:0], stalled_i};
      count_q   <= count_q + 7'(stalled_i) - 7'(history_q[Samples-1]);
      timer_q   <= control_i.interval - 5'd1;
    end else if (timer_q != '0) begin
      timer_q <= timer_q - 5'd1;
    end
  end

  always_comb begin
    egress = LoadLight;  // without a sample, whatever the thresholds are
    if (count_q != '0) begin
      if (count_q >= control_i.egress_severe)        egress = LoadSevere;
      else if (count_q >= control_i.egress_moderate) egress = LoadModerate;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The worst
  // ---------------------------------------------------------------------------------------------
  // One bit for each load reached: so the worst is an OR.
  function automatic logic [2:0] one_each(logic [1:0] level);
    return {level == 2'd3, level >= 2'd2, level >= 2'd1};
  endfunction

  logic [2:0] worst;
  logic [1:0] load;

  always_comb begin
    worst = one_each(egress);
    for (int unsigned m = 0; m < NumMeasures; m++) worst |= one_each(level_q[m]);
    load = {worst[1], worst[2] || (worst[0] && !worst[1])};
  end

  assign dev_load_o = dev_load_e'(load);
  assign status_o   = '{dev_load: load, egress: egress, level: level_q, backpressure: count_q};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  for (genvar m = 0; m < NumMeasures; m++) begin : gen_measure
    Between_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (m != Tasks || control_i.ttr_enable) |->
            (up[m] <= level_d[m]) && (level_d[m] <= down[m]))
        else $error("a level below what its measure reaches, or above what the margin keeps");
    RisesToReached_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (level_d[m] > level_q[m]) |-> (level_d[m] == up[m]))
        else $error("a level rises to something else than its measure reaches");
    FallsToKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        ((m != Tasks || control_i.ttr_enable) && (level_d[m] < level_q[m])) |->
            (level_d[m] == down[m]))
        else $error("a level falls to something else than the margin keeps");
    NotBelow_A: assert property (@(posedge clk_i) disable iff (!rst_ni) load >= level_q[m])
        else $error("the reported load is lower than a level");
  end
  // An announcement lasts only as long as needed.
  TasksMargin_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      control_i.measure[Tasks].margin == '0)
      else $error("a margin of the tasks that is not 0");
  TtrOff_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !control_i.ttr_enable |=> level_q[Tasks] == '0)
      else $error("a level of the tasks while their reduction is off");
  NotBelowEgress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (load >= egress) && (egress != LoadOptimal))
      else $error("the reported load is lower than that of the egress port");
  // Looked at when it changes: to count a hundred bits takes longer than all else here.
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sample |-> (count_q == 7'($countones(history_q))) && (count_q <= 7'(Samples)))
      else $error("backpressure is not the number of stalls in the last hundred samples");
  NoneIsNone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (count_q == '0) |-> (history_q == '0))
      else $error("no backpressure, but a stall among the samples");
  Interval_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (egress_on && sample) |=> timer_q < $past(control_i.interval))
      else $error("the wait for the next sample is longer than the interval");
  EgressOff_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !egress_on |=> (history_q == '0) && (count_q == '0) && (timer_q == '0))
      else $error("samples are left although the egress level is off");

endmodule
