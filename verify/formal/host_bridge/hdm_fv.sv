// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// HDM decoders, two addresses at a time: two decoders with the same registers, each asked for one
// address of its own. Every commit locks (without it nothing is checked, CXL 2.0, 8.2.5.12).
//
//   Order_A   a higher address never falls to a lower decoder
//   Locked_A  once an address is decoded, no write changes where it goes

module hdm_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
#(
  parameter bit          IsDevice = 1'b1,
  parameter int unsigned NumDecoders = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input reg_req_t   reg_req_i,
  input line_addr_t a_i,
  input line_addr_t b_i
);

  reg_req_t   req;
  logic       is_control;
  line_addr_t a, b, a_q, b_q;
  logic       seen_q;

  assign is_control = reg_req_i.addr[4:2] == HdmDecControlOffset[4:2] + HdmDecOffset[4:2]
                      && reg_req_i.addr[11:0] >= HdmDecOffset;
  always_comb begin
    req = reg_req_i;
    if (is_control) req.wdata[HdmDecControlLockLsb] = 1'b1;
    // The global enable stays once it is set.
    if (reg_req_i.addr[11:2] == HdmGlobalControlOffset[11:2]) begin
      req.wdata[HdmGlobalControlEnableLsb] = 1'b1;
    end
  end

  // The two addresses: those of the first cycle
  assign a = seen_q ? a_q : a_i;
  assign b = seen_q ? b_q : b_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= 1'b0;
    else         seen_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    a_q <= a;
    b_q <= b;
  end

  logic        a_hit, b_hit;
  logic [3:0]  a_decoder, b_decoder, a_way, b_way;
  logic [7:0]  a_target, b_target;
  logic [31:0] a_rdata, b_rdata;
  line_addr_t  a_dpa, b_dpa;

  hdm_decoder #(.IsDevice(IsDevice), .NumDecoders(NumDecoders)) u_a (
    .clk_i, .rst_ni, .reg_req_i(req), .reg_rdata_o(a_rdata), .enabled_o(),
    .hpa_valid_i(1'b1), .hpa_line_i(a), .hit_o(a_hit), .decoder_o(a_decoder),
    .way_o(a_way), .target_o(a_target), .dpa_line_o(a_dpa));
  hdm_decoder #(.IsDevice(IsDevice), .NumDecoders(NumDecoders)) u_b (
    .clk_i, .rst_ni, .reg_req_i(req), .reg_rdata_o(b_rdata), .enabled_o(),
    .hpa_valid_i(1'b1), .hpa_line_i(b), .hit_o(b_hit), .decoder_o(b_decoder),
    .way_o(b_way), .target_o(b_target), .dpa_line_o(b_dpa));

  Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (a_hit && b_hit && a < b) |-> a_decoder <= b_decoder);
  Locked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (seen_q && a_hit) |=> a_hit && a_decoder == $past(a_decoder) && a_way == $past(a_way)
      && a_target == $past(a_target) && a_dpa == $past(a_dpa));

endmodule
