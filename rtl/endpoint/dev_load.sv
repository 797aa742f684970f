// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Device load: how loaded the endpoint tells the host that it is.
//
// Two measures, the level of the receive FIFOs and the number of live MSHRs, are each held
// against three thresholds; the number of thresholds reached is that measure's load (light,
// optimal, moderate, severe), and the larger of the two is reported.
//
// Latency:  one register.
// Source:   CXL 2.0, 3.3.2 (QoS telemetry): the worst of the internal load states is reported.

module dev_load
  import cxl_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [6:0]      ingress_i,
  input  logic [7:0]      mshr_i,
  input  logic [2:0][6:0] ingress_th_i,
  input  logic [2:0][6:0] mshr_th_i,
  output dev_load_e       dev_load_o
);

  function automatic logic [1:0] reached(logic [7:0] value, logic [2:0][6:0] threshold);
    return {1'b0, value >= 8'(threshold[0])} + {1'b0, value >= 8'(threshold[1])} +
           {1'b0, value >= 8'(threshold[2])};
  endfunction

  logic [1:0] ingress_load, mshr_load;
  dev_load_e  dev_load_d, dev_load_q;

  assign ingress_load = reached(8'(ingress_i), ingress_th_i);
  assign mshr_load    = reached(mshr_i, mshr_th_i);
  assign dev_load_d   = dev_load_e'((ingress_load > mshr_load) ? ingress_load : mshr_load);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dev_load_q <= LoadLight;
    end else begin
      dev_load_q <= dev_load_d;
    end
  end

  assign dev_load_o = dev_load_q;

  // One more reached threshold of either measure never lowers the report.
  NotBelowEither_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (dev_load_d >= ingress_load) && (dev_load_d >= mshr_load));

endmodule
