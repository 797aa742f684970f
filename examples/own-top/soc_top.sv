// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A top to copy: the root complex with one root port and without deterministic store. Its AXI side is cut
// down to what a master of single lines needs, its link side is what a Flex Bus physical layer connects to,
// its registers are reached over the register bus.

module soc_top
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  // Loads of one line
  input  logic        arvalid_i,
  output logic        arready_o,
  input  sys_id_t     arid_i,
  input  logic [63:0] araddr_i,
  output logic        rvalid_o,
  output logic [1:0]  rresp_o,
  output line_t       rdata_o,
  // Registers: host bridge at 0000h, root port 0 at 1000h
  input  logic        reg_valid_i,
  input  logic        reg_write_i,
  input  logic [15:0] reg_addr_i,
  input  logic [31:0] reg_wdata_i,
  output logic [31:0] reg_rdata_o,
  // Link
  input  logic        phy_up_i,
  output logic        link_tx_valid_o,
  output flit_kind_e  link_tx_kind_o,
  output flit_t       link_tx_flit_o,
  input  logic        link_rx_valid_i,
  input  flit_kind_e  link_rx_kind_i,
  input  flit_t       link_rx_flit_i
);

  /* verilator lint_off PINCONNECTEMPTY */  // outputs that this top has no use for
  root_complex #(
    .NumPorts(1),
    .HasDs   (1'b0)
  ) u_root_complex (
    .clk_i,
    .rst_ni,
    // No stores in this top
    .awvalid_i       (1'b0),
    .awready_o       (),
    .awid_i          ('0),
    .awaddr_i        ('0),
    .awlen_i         ('0),
    .awsize_i        (3'd6),
    .awburst_i       (2'b01),
    .wvalid_i        (1'b0),
    .wready_o        (),
    .wdata_i         ('0),
    .wstrb_i         ('0),
    .wlast_i         (1'b1),
    .bvalid_o        (),
    .bready_i        (1'b1),
    .bid_o           (),
    .bresp_o         (),
    .arvalid_i,
    .arready_o,
    .arid_i,
    .araddr_i,
    .arlen_i         ('0),
    .arsize_i        (3'd6),
    .arburst_i       (2'b01),
    .rvalid_o,
    .rready_i        (1'b1),
    .rid_o           (),
    .rdata_o,
    .rresp_o,
    .rlast_o         (),
    // Local memory serves deterministic store alone
    .lm_valid_o      (),
    .lm_ready_i      ('0),
    .lm_req_o        (),
    .lm_line_o       (),
    .lm_rsp_valid_i  ('0),
    .lm_rsp_ready_o  (),
    .lm_rsp_i        ('0),
    .reg_req_i       ('{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i, wdata: reg_wdata_i}),
    .reg_rdata_o,
    .link_tx_valid_o,
    .link_tx_ready_i (1'b1),
    .link_tx_kind_o,
    .link_tx_flit_o,
    .link_rx_valid_i,
    .link_rx_kind_i,
    .link_rx_flit_i,
    .phy_up_i,
    .phy_recovery_i  (1'b0),
    .retrain_req_o   (),
    .phy_state_o     (),
    .init_done_o     (),
    .abort_o         (),
    .err_o           (),
    .arb_err_o       (),
    .tr_sys_accept_o (),
    .tr_port_enqueue_o(),
    .tr_memq_alloc_o (),
    .tr_ctrl_accept_o(),
    .tr_ctrl_store_o (),
    .tr_spec_issue_o (),
    .tr_port_respond_o(),
    .tr_ds_o         (),
    .tr_load_control_o(),
    .tr_sys_respond_o()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
