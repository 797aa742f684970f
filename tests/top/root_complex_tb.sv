// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A root complex with four ports for its test: the AXI bus cut down to what single lines need.

module root_complex_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
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

  axi_req_t axi_req;
  /* verilator lint_off UNUSEDSIGNAL */  // w_ready is aw_ready, the last beat is each
  axi_rsp_t axi_rsp;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    axi_req          = '0;
    axi_req.aw_valid = awvalid_i;
    axi_req.aw       = axi_line(awid_i, awaddr_i);
    axi_req.w_valid  = awvalid_i;
    axi_req.w        = '{last: 1'b1, strb: wstrb_i, data: wdata_i};
    axi_req.b_ready  = 1'b1;
    axi_req.ar_valid = arvalid_i;
    axi_req.ar       = axi_line(arid_i, araddr_i);
    axi_req.r_ready  = 1'b1;
  end
  assign awready_o = axi_rsp.aw_ready;
  assign bvalid_o  = axi_rsp.b_valid;
  assign bid_o     = axi_rsp.b.id;
  assign bresp_o   = axi_rsp.b.resp;
  assign arready_o = axi_rsp.ar_ready;
  assign rvalid_o  = axi_rsp.r_valid;
  assign rid_o     = axi_rsp.r.id;
  assign rdata_o   = axi_rsp.r.data;
  assign rresp_o   = axi_rsp.r.resp;

  function automatic rtl_sizes_t sizes();
    sizes          = DefaultSizes;
    sizes.ports    = NumPorts;
    sizes.ds_lines = 64;  // deterministic store stays off
  endfunction

  // Outputs that the test does not look at stay open.
  /* verilator lint_off PINCONNECTEMPTY */
  root_complex #(
    .Sizes(sizes())
  ) u_root_complex (
    .*,
    .axi_req_i        (axi_req),
    .axi_rsp_o        (axi_rsp),
    .lm_valid_o       (),
    .lm_ready_i       ('0),
    .lm_req_o         (),
    .lm_line_o        (),
    .lm_rsp_valid_i   ('0),
    .lm_rsp_ready_o   (),
    .lm_rsp_i         ('0),
    .err_o            (),
    .arb_err_o        (),
    .sys_trace_o      (),
    .rp_trace_o       ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
