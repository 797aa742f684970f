// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A root complex with four ports for its test: the AXI bus cut down to what single lines need.

module root_complex_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  localparam int unsigned NumPorts = 4
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  logic                      awvalid_i,  // address and data together
  output logic                      awready_o,
  input  sys_id_t                   awid_i,
  input  logic [63:0]               awaddr_i,
  input  line_t                     wdata_i,
  input  byte_en_t                  wstrb_i,
  output logic                      bvalid_o,
  output sys_id_t                   bid_o,
  output logic [1:0]                bresp_o,
  input  logic                      arvalid_i,
  output logic                      arready_o,
  input  sys_id_t                   arid_i,
  input  logic [63:0]               araddr_i,
  output logic                      rvalid_o,
  output sys_id_t                   rid_o,
  output line_t                     rdata_o,
  output logic [1:0]                rresp_o,
  input  reg_req_t                  reg_req_i,
  output logic [31:0]               reg_rdata_o,
  output logic [NumPorts-1:0]       link_tx_valid_o,
  input  logic [NumPorts-1:0]       link_tx_ready_i,
  output flit_kind_e [NumPorts-1:0] link_tx_kind_o,
  output flit_t [NumPorts-1:0]      link_tx_flit_o,
  input  logic [NumPorts-1:0]       link_rx_valid_i,
  input  flit_kind_e [NumPorts-1:0] link_rx_kind_i,
  input  flit_t [NumPorts-1:0]      link_rx_flit_i,
  input  logic [NumPorts-1:0]       phy_up_i,
  input  logic [NumPorts-1:0]       phy_recovery_i,
  output logic [NumPorts-1:0]       retrain_req_o,
  output vlsm_e [NumPorts-1:0]      phy_state_o,
  output logic [NumPorts-1:0]       init_done_o,
  output logic [NumPorts-1:0]       abort_o
);

  // Outputs that the test does not look at stay open.
  /* verilator lint_off PINCONNECTEMPTY */
  root_complex #(
    .NumPorts(NumPorts),
    .DsDepth (64)  // deterministic store stays off
  ) u_root_complex (
    .*,
    .awlen_i          ('0),
    .awsize_i         (3'd6),
    .awburst_i        (2'b01),
    .wvalid_i         (awvalid_i),
    .wready_o         (),
    .wlast_i          (1'b1),
    .bready_i         (1'b1),
    .arlen_i          ('0),
    .arsize_i         (3'd6),
    .arburst_i        (2'b01),
    .rready_i         (1'b1),
    .rlast_o          (),
    .lm_valid_o       (),
    .lm_ready_i       ('0),
    .lm_req_o         (),
    .lm_line_o        (),
    .lm_rsp_valid_i   ('0),
    .lm_rsp_ready_o   (),
    .lm_rsp_i         ('0),
    .err_o            (),
    .arb_err_o        (),
    .tr_sys_accept_o  (),
    .tr_port_enqueue_o(),
    .tr_memq_alloc_o  (),
    .tr_ctrl_accept_o (),
    .tr_ctrl_store_o  (),
    .tr_spec_issue_o  (),
    .tr_port_respond_o(),
    .tr_ds_o          (),
    .tr_load_control_o(),
    .tr_sys_respond_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
