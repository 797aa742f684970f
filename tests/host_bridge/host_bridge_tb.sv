// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// host_bridge with three ports, so that the round robin has something to go round.

module host_bridge_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           req_valid_i,
  output logic           req_ready_o,
  input  sys_req_t       req_i,
  output logic           r_valid_o,
  input  logic           r_ready_i,
  output sys_id_t        r_id_o,
  output logic           r_error_o,
  output line_t          r_data_o,
  output logic           b_valid_o,
  input  logic           b_ready_i,
  output sys_id_t        b_id_o,
  output logic           b_error_o,
  input  reg_req_t       reg_req_i,
  output logic [31:0]    reg_rdata_o,
  input  logic           hint_valid_i,
  input  granule_t       hint_first_i,
  input  logic [11:0]    hint_len_i,
  output logic [2:0]     port_hint_valid_o,
  input  logic [2:0]     port_hint_ready_i,
  output granule_t       port_hint_granule_o,
  output logic [2:0]     port_req_valid_o,
  input  logic [2:0]     port_req_ready_i,
  output sys_req_t [2:0] port_req_o,
  input  logic [2:0]     port_rsp_valid_i,
  output logic [2:0]     port_rsp_ready_o,
  input  sys_rsp_t [2:0] port_rsp_i,
  output trace_t         tr_sys_accept_o
);

  host_bridge #(
    .NumPorts(3)
  ) u_host_bridge (.*);

endmodule
