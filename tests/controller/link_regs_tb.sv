// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// link_regs with both readings of the wrap value, side by side; inclusive_i chooses the outputs.

module link_regs_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          inclusive_i,
  input  reg_req_t      reg_req_i,
  output logic [31:0]   reg_rdata_o,
  input  logic          link_up_i,
  input  link_status_t  link_status_i,
  output link_control_t link_control_o
);

  logic [1:0][31:0]    rdata;
  link_control_t [1:0] control;

  for (genvar i = 0; i < 2; i++) begin : gen_reading
    link_regs #(.LlrWrapInclusive(i == 1)) i_dut (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rdata_o   (rdata[i]),
      .link_up_i,
      .link_status_i,
      .link_control_o(control[i])
    );
  end

  assign reg_rdata_o    = rdata[inclusive_i];
  assign link_control_o = control[inclusive_i];

endmodule
