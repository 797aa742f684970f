// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// root_port whose region of local memory is so small that it is often full, with few writes in
// flight: all else as by default.

module root_port_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4:0]  device_i,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  sys_req_t    req_i,
  input  logic        hint_valid_i,
  output logic        hint_ready_o,
  input  granule_t    hint_granule_i,
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output sys_rsp_t    rsp_o,
  output logic        lm_valid_o,
  input  logic        lm_ready_i,
  output lm_req_t     lm_req_o,
  output line_addr_t  lm_line_o,
  input  logic        lm_rsp_valid_i,
  output logic        lm_rsp_ready_o,
  input  lm_rsp_t     lm_rsp_i,
  input  reg_req_t    reg_req_i,
  output logic [31:0] reg_rdata_o,
  output logic        link_tx_valid_o,
  input  logic        link_tx_ready_i,
  output flit_kind_e  link_tx_kind_o,
  output flit_t       link_tx_flit_o,
  input  logic        link_rx_valid_i,
  input  flit_kind_e  link_rx_kind_i,
  input  flit_t       link_rx_flit_i,
  input  logic        phy_up_i,
  input  logic        phy_recovery_i,
  output logic        retrain_req_o,
  output vlsm_e       phy_state_o,
  output logic        init_done_o,
  output logic        abort_o,
  output logic [7:0]  err_o,
  output logic [2:0]  arb_err_o,
  input  logic        viral_i,
  output logic        viral_o,
  output rp_trace_t   trace_o
);

  root_port #(
    .DsDepth (16),
    .DsWrites(3)
  ) u_root_port (
    .*
  );

endmodule
