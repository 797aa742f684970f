// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A top to copy: the root complex with one root port and without deterministic store. Its AXI side is cut
// down to what a master of single lines needs, its link side is what a Flex Bus physical layer connects to,
// its registers are reached over the register bus.

module soc_top
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
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

  flit_kind_e [0:0] link_tx_kind;

  // An array of enumerations, one a root port
  assign link_tx_kind_o = link_tx_kind[0];

  axi_req_t axi_req;
  /* verilator lint_off UNUSEDSIGNAL */  // the channels of stores, and ids
  axi_rsp_t axi_rsp;
  /* verilator lint_on UNUSEDSIGNAL */

  // No stores in this top
  always_comb begin
    axi_req          = '0;
    axi_req.ar_valid = arvalid_i;
    axi_req.ar       = axi_line(arid_i, araddr_i);
    axi_req.b_ready  = 1'b1;
    axi_req.r_ready  = 1'b1;
  end
  assign arready_o = axi_rsp.ar_ready;
  assign rvalid_o  = axi_rsp.r_valid;
  assign rresp_o   = axi_rsp.r.resp;
  assign rdata_o   = axi_rsp.r.data;

  // All sizes are in configs/rtl/default.yaml, with their ranges.
  function automatic rtl_sizes_t sizes();
    sizes                  = DefaultSizes;
    sizes.ports            = 1;
    sizes.sr_queue_entries = 16;
  endfunction

  /* verilator lint_off PINCONNECTEMPTY */  // outputs that this top has no use for
  root_complex #(
    .Sizes(sizes()),
    .HasDs(1'b0)
  ) u_root_complex (
    .clk_i,
    .rst_ni,
    .axi_req_i       (axi_req),
    .axi_rsp_o       (axi_rsp),
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
    .link_tx_kind_o  (link_tx_kind),
    .link_tx_flit_o,
    .link_rx_valid_i,
    .link_rx_kind_i  ({link_rx_kind_i}),
    .link_rx_flit_i,
    .phy_up_i,
    .phy_recovery_i  (1'b0),
    .retrain_req_o   (),
    .phy_state_o     (),
    .init_done_o     (),
    .abort_o         (),
    .err_o           (),
    .arb_err_o       (),
    .sys_trace_o     (),
    .rp_trace_o      ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
