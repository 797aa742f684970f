// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Profiler of a root port: counts what passes and hands the DevLoad of each response to load
// control (combinational). Counters are 32 bits and wrap.
//
// Source: docs/blocks/root_port/profiler.md.

module profiler
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  // Events
  input  logic             load_i,          // pulse: the port takes a load; not with store_i
  input  logic             store_i,         // pulse: the port takes a store
  input  logic             spec_i,          // pulse: a MemSpecRd is handed to the controller
  input  logic             rsp_valid_i,     // pulse: a response is matched
  input  logic [1:0]       dev_load_i,      // its DevLoad, 0 light .. 3 severe
  // Load control
  output logic             lc_rsp_valid_o,  // pulse: a response is matched, same cycle
  output logic [1:0]       lc_dev_load_o,   // its DevLoad
  // Counters since reset; they wrap
  output logic [31:0]      loads_o,         // loads
  output logic [31:0]      stores_o,        // stores
  output logic [31:0]      specs_o,         // MemSpecRd
  output logic [3:0][31:0] rsp_count_o      // responses by DevLoad, [0] light .. [3] severe
);

  logic [31:0]      loads_q, stores_q, specs_q;
  logic [3:0][31:0] rsp_count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q     <= '0;
      stores_q    <= '0;
      specs_q     <= '0;
      rsp_count_q <= '0;
    end else begin
      if (load_i)      loads_q                 <= loads_q + 32'd1;
      if (store_i)     stores_q                <= stores_q + 32'd1;
      if (spec_i)      specs_q                 <= specs_q + 32'd1;
      if (rsp_valid_i) rsp_count_q[dev_load_i] <= rsp_count_q[dev_load_i] + 32'd1;
    end
  end

  assign lc_rsp_valid_o = rsp_valid_i;
  assign lc_dev_load_o  = dev_load_i;
  assign loads_o        = loads_q;
  assign stores_o       = stores_q;
  assign specs_o        = specs_q;
  assign rsp_count_o    = rsp_count_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneRequest_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(load_i && store_i))
      else $error("a load and a store are taken in one cycle");

endmodule
