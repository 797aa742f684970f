// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A root complex of the product's sizes with one port, for the standard device: the AXI bus cut down
// to single lines. Deterministic store is there and stays off.

module rtl_host_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter bit LlrWrapInclusive = 1'b0  // wrap values of INIT.Param are last numbers
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        awvalid_i,  // address and data together
  output logic        awready_o,
  input  sys_id_t     awid_i,
  input  logic [63:0] awaddr_i,
  input  line_t       wdata_i,
  input  byte_en_t    wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output sys_id_t     bid_o,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  sys_id_t     arid_i,
  input  logic [63:0] araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output sys_id_t     rid_o,
  output line_t       rdata_o,
  output logic [1:0]  rresp_o,
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
  output logic [7:0]  err_o,      // of cxl_controller
  output logic [2:0]  arb_err_o   // of arb_mux
);

  // Outputs that the test does not look at stay open.
  /* verilator lint_off PINCONNECTEMPTY */
  root_complex #(
    .NumPorts        (1),
    .LlrWrapInclusive(LlrWrapInclusive)
  ) u_root_complex (
    .*,
    .awlen_i          ('0),
    .awsize_i         (3'd6),
    .awburst_i        (2'b01),
    .wvalid_i         (awvalid_i),
    .wready_o         (),
    .wlast_i          (1'b1),
    .arlen_i          ('0),
    .arsize_i         (3'd6),
    .arburst_i        (2'b01),
    .rlast_o          (),
    .lm_valid_o       (),
    .lm_ready_i       ('0),
    .lm_req_o         (),
    .lm_line_o        (),
    .lm_rsp_valid_i   ('0),
    .lm_rsp_ready_o   (),
    .lm_rsp_i         ('0),
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
