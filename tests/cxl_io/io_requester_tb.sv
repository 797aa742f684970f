// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// One requester with an ID of its own and a time-out that a test can wait for.

module io_requester_tb
  import cxl_io_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [102:0] req_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output logic [34:0]  rsp_o,
  output logic         tlp_tx_valid_o,
  input  logic         tlp_tx_ready_i,
  output tlp_t         tlp_tx_o,
  input  logic         tlp_rx_valid_i,
  output logic         tlp_rx_ready_o,
  input  tlp_t         tlp_rx_i,
  output logic         unexpected_o
);

  io_req_t req;
  io_rsp_t rsp;

  assign req = io_req_t'(req_i);
  assign rsp_o = rsp;
  io_requester #(.RequesterId(16'h5AC3), .CplTimeout(40)) u_requester (
    .clk_i,
    .rst_ni,
    .link_up_i,
    .req_valid_i,
    .req_ready_o,
    .req_i(req),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o(rsp),
    .tlp_tx_valid_o,
    .tlp_tx_ready_i,
    .tlp_tx_o,
    .tlp_rx_valid_i,
    .tlp_rx_ready_o,
    .tlp_rx_i,
    .unexpected_o
  );

endmodule
