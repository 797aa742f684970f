// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ras as a device has it: Poison_Enabled is hardwired.

module ras_device_tb
  import cxlgpu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  reg_req_t     reg_req_i,
  output logic [31:0]  reg_rdata_o,
  input  logic [16:0]  uncor_i,
  input  logic [6:0]   cor_i,
  input  logic         poison_i,
  input  logic         crc_i,
  input  logic         retry_i,
  input  logic [511:0] log_flit_i,
  input  logic [127:0] log_header_i,
  input  logic [2:0]   log_overflow_i,
  output logic         cor_o,
  output logic         nonfatal_o,
  output logic         fatal_o
);

  ras #(.PoisonFixed(1)) i_dut (.*);

endmodule
