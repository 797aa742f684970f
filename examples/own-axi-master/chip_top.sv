// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A chip that is not ours: a master with flat AXI4 ports before a root complex with one root port.
// All that it takes of cxlgpu is rtl/, by rtl/lists/root_complex.f. Registers and link are its own
// pins, as a management processor and a Flex Bus physical layer would have them.

module chip_top
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         reg_valid_i,
  input  logic         reg_write_i,
  input  logic [15:0]  reg_addr_i,
  input  logic [31:0]  reg_wdata_i,
  output logic [31:0]  reg_rdata_o,
  input  logic         phy_up_i,
  output logic         link_tx_valid_o,
  output logic [1:0]   link_tx_kind_o,
  output logic [527:0] link_tx_flit_o,
  input  logic         link_rx_valid_i,
  input  logic [1:0]   link_rx_kind_i,
  input  logic [527:0] link_rx_flit_i,
  output logic         done_o,
  output logic [9:0]   errors_o
);

  axi_req_t axi_req;
  axi_rsp_t axi_rsp;

  assign axi_req.hint_valid = 1'b0;  // this master gives no hints
  assign axi_req.hint       = '0;

  axi_tester u_tester (
    .aclk    (clk_i),
    .aresetn (rst_ni),
    .awid    (axi_req.aw.id),
    .awaddr  (axi_req.aw.addr),
    .awlen   (axi_req.aw.len),
    .awsize  (axi_req.aw.size),
    .awburst (axi_req.aw.burst),
    .awvalid (axi_req.aw_valid),
    .awready (axi_rsp.aw_ready),
    .wdata   (axi_req.w.data),
    .wstrb   (axi_req.w.strb),
    .wlast   (axi_req.w.last),
    .wvalid  (axi_req.w_valid),
    .wready  (axi_rsp.w_ready),
    .bid     (axi_rsp.b.id),
    .bresp   (axi_rsp.b.resp),
    .bvalid  (axi_rsp.b_valid),
    .bready  (axi_req.b_ready),
    .arid    (axi_req.ar.id),
    .araddr  (axi_req.ar.addr),
    .arlen   (axi_req.ar.len),
    .arsize  (axi_req.ar.size),
    .arburst (axi_req.ar.burst),
    .arvalid (axi_req.ar_valid),
    .arready (axi_rsp.ar_ready),
    .rid     (axi_rsp.r.id),
    .rdata   (axi_rsp.r.data),
    .rresp   (axi_rsp.r.resp),
    .rlast   (axi_rsp.r.last),
    .rvalid  (axi_rsp.r_valid),
    .rready  (axi_req.r_ready),
    .done    (done_o),
    .errors  (errors_o)
  );

  function automatic rtl_sizes_t sizes();
    sizes                  = DefaultSizes;
    sizes.ports            = 1;
    sizes.sr_queue_entries = 16;
  endfunction

  flit_kind_e [0:0] tx_kind;
  assign link_tx_kind_o = tx_kind[0];

  /* verilator lint_off PINCONNECTEMPTY */  // outputs that this chip has no use for
  root_complex #(
    .Sizes(sizes()),
    .HasDs(1'b0)
  ) u_root_complex (
    .clk_i,
    .rst_ni,
    .axi_req_i       (axi_req),
    .axi_rsp_o       (axi_rsp),
    .lm_valid_o      (),
    .lm_ready_i      ('0),
    .lm_req_o        (),
    .lm_line_o       (),
    .lm_rsp_valid_i  ('0),
    .lm_rsp_ready_o  (),
    .lm_rsp_i        ('0),
    .reg_req_i       ('{valid: reg_valid_i, write: reg_write_i, addr: reg_addr_i,
                        wdata: reg_wdata_i}),
    .reg_rdata_o,
    .link_tx_valid_o,
    .link_tx_ready_i (1'b1),
    .link_tx_kind_o  (tx_kind),
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
    .sys_trace_o     (),
    .rp_trace_o      ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
