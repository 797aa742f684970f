// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// One io_route with its structs as plain vectors.

module io_route_tb
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [4:0]   device_i,
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [102:0] req_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output logic [34:0]  rsp_o,
  output logic         down_valid_o,
  input  logic         down_ready_i,
  output logic [102:0] down_o,
  input  logic         down_rsp_valid_i,
  output logic         down_rsp_ready_o,
  input  logic [34:0]  down_rsp_i,
  output logic [47:0]  cfg_req_o,
  input  logic [31:0]  cfg_rdata_i,
  input  logic [305:0] bridge_i,
  output logic [49:0]  reg_req_o,
  input  logic         reg_busy_i,
  input  logic [31:0]  reg_rdata_i
);

  io_rsp_t  rsp;
  io_req_t  down;
  cfg_req_t cfg_req;
  reg_req_t reg_req;

  assign rsp_o     = rsp;
  assign down_o    = down;
  assign cfg_req_o = cfg_req;
  assign reg_req_o = reg_req;

  io_route u_route (
    .clk_i,
    .rst_ni,
    .device_i,
    .req_valid_i,
    .req_ready_o,
    .req_i           (io_req_t'(req_i)),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o           (rsp),
    .down_valid_o,
    .down_ready_i,
    .down_o          (down),
    .down_rsp_valid_i,
    .down_rsp_ready_o,
    .down_rsp_i      (io_rsp_t'(down_rsp_i)),
    .cfg_req_o       (cfg_req),
    .cfg_rdata_i,
    .bridge_i        (bridge_t'(bridge_i)),
    .reg_req_o       (reg_req),
    .reg_busy_i,
    .reg_rdata_i
  );

endmodule
