// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both parameterisations of hdm_decoder side by side: [0] host bridge, [1] device.

module hdm_decoder_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  reg_req_t   [1:0] reg_req_i,
  output logic [1:0][31:0] reg_rdata_o,
  output logic [1:0]       enabled_o,
  input  logic       [1:0] hpa_valid_i,
  input  line_addr_t [1:0] hpa_line_i,
  output logic [1:0]       hit_o,
  output logic [1:0][3:0]  decoder_o,
  output logic [1:0][3:0]  way_o,
  output logic [1:0][7:0]  target_o,
  output line_addr_t [1:0] dpa_line_o
);

  for (genvar i = 0; i < 2; i++) begin : gen_role
    hdm_decoder #(
      .IsDevice   (i == 1),
      .NumDecoders(4)
    ) u_decoder (
      .clk_i,
      .rst_ni,
      .reg_req_i  (reg_req_i[i]),
      .reg_rdata_o(reg_rdata_o[i]),
      .enabled_o  (enabled_o[i]),
      .hpa_valid_i(hpa_valid_i[i]),
      .hpa_line_i (hpa_line_i[i]),
      .hit_o      (hit_o[i]),
      .decoder_o  (decoder_o[i]),
      .way_o      (way_o[i]),
      .target_o   (target_o[i]),
      .dpa_line_o (dpa_line_o[i])
    );
  end

endmodule
