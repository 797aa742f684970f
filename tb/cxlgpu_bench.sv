// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Bench around cxlgpu_top: what the bench drives changes at the falling edge of the clock.
//
// The simulator then works out what follows from an input once a cycle, at that edge; an input
// without a clock it would have to follow at every step, at the rising edge again for nothing.
// Between the falling and the rising edge everything is as if cxlgpu_top was driven itself. What
// the top takes into a register of its own goes straight through. Wide values are taken only while
// valid. Not for synthesis.
//
// Source: docs/architecture.md; used by tb/rtl_engine.

module cxlgpu_bench
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter bit          HasDs    = 1'b1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  logic                         awvalid_i,
  output logic                         awready_o,
  input  sys_id_t                      awid_i,
  input  logic [63:0]                  awaddr_i,
  input  logic [7:0]                   awlen_i,
  input  logic [2:0]                   awsize_i,
  input  logic [1:0]                   awburst_i,
  input  logic                         wvalid_i,
  output logic                         wready_o,
  input  line_t                        wdata_i,
  input  byte_en_t                     wstrb_i,
  input  logic                         wlast_i,
  output logic                         bvalid_o,
  input  logic                         bready_i,
  output sys_id_t                      bid_o,
  output logic [1:0]                   bresp_o,
  input  logic                         arvalid_i,
  output logic                         arready_o,
  input  sys_id_t                      arid_i,
  input  logic [63:0]                  araddr_i,
  input  logic [7:0]                   arlen_i,
  input  logic [2:0]                   arsize_i,
  input  logic [1:0]                   arburst_i,
  output logic                         rvalid_o,
  input  logic                         rready_i,
  output sys_id_t                      rid_o,
  output line_t                        rdata_o,
  output logic [1:0]                   rresp_o,
  output logic                         rlast_o,
  // Local memory
  output logic [NumPorts-1:0]          lm_valid_o,
  input  logic [NumPorts-1:0]          lm_ready_i,
  output lm_req_t [NumPorts-1:0]       lm_req_o,
  output line_addr_t [NumPorts-1:0]    lm_line_o,
  input  logic [NumPorts-1:0]          lm_rsp_valid_i,
  output logic [NumPorts-1:0]          lm_rsp_ready_o,
  input  lm_rsp_t [NumPorts-1:0]       lm_rsp_i,
  // Registers of the root complex
  input  reg_req_t                     rc_reg_req_i,
  output logic [31:0]                  rc_reg_rdata_o,
  // Links, root port end
  output logic [NumPorts-1:0]          rp_link_tx_valid_o,
  input  logic [NumPorts-1:0]          rp_link_tx_ready_i,
  output flit_kind_e [NumPorts-1:0]    rp_link_tx_kind_o,
  output flit_t [NumPorts-1:0]         rp_link_tx_flit_o,
  input  logic [NumPorts-1:0]          rp_link_rx_valid_i,
  input  flit_kind_e [NumPorts-1:0]    rp_link_rx_kind_i,
  input  flit_t [NumPorts-1:0]         rp_link_rx_flit_i,
  input  logic [NumPorts-1:0]          rp_phy_up_i,
  input  logic [NumPorts-1:0]          rp_phy_recovery_i,
  output logic [NumPorts-1:0]          rp_retrain_req_o,
  output vlsm_e [NumPorts-1:0]         rp_phy_state_o,
  output logic [NumPorts-1:0]          rp_init_done_o,
  output logic [NumPorts-1:0]          rp_abort_o,
  output logic [NumPorts-1:0][7:0]     rp_err_o,
  output logic [NumPorts-1:0][2:0]     rp_arb_err_o,
  // Links, endpoint end
  output logic [NumPorts-1:0]          ep_link_tx_valid_o,
  input  logic [NumPorts-1:0]          ep_link_tx_ready_i,
  output flit_kind_e [NumPorts-1:0]    ep_link_tx_kind_o,
  output flit_t [NumPorts-1:0]         ep_link_tx_flit_o,
  input  logic [NumPorts-1:0]          ep_link_rx_valid_i,
  input  flit_kind_e [NumPorts-1:0]    ep_link_rx_kind_i,
  input  flit_t [NumPorts-1:0]         ep_link_rx_flit_i,
  input  logic [NumPorts-1:0]          ep_phy_up_i,
  input  logic [NumPorts-1:0]          ep_phy_recovery_i,
  output logic [NumPorts-1:0]          ep_retrain_req_o,
  output vlsm_e [NumPorts-1:0]         ep_phy_state_o,
  output logic [NumPorts-1:0]          ep_init_done_o,
  output logic [NumPorts-1:0]          ep_abort_o,
  output logic [NumPorts-1:0][7:0]     ep_err_o,
  output logic [NumPorts-1:0][2:0]     ep_arb_err_o,
  // Media
  output logic [NumPorts-1:0]          media_cmd_valid_o,
  input  logic [NumPorts-1:0]          media_cmd_ready_i,
  output media_cmd_t [NumPorts-1:0]    media_cmd_o,
  input  logic [NumPorts-1:0]          media_rsp_valid_i,
  output logic [NumPorts-1:0]          media_rsp_ready_o,
  input  media_rsp_t [NumPorts-1:0]    media_rsp_i,
  input  media_status_t [NumPorts-1:0] media_status_i,
  // Trace
  output trace_t                       tr_sys_accept_o,
  output trace_t [NumPorts-1:0]        tr_port_enqueue_o,
  output trace_t [NumPorts-1:0]        tr_memq_alloc_o,
  output trace_t [NumPorts-1:0]        tr_ctrl_accept_o,
  output trace_t [NumPorts-1:0]        tr_ctrl_store_o,
  output trace_t [NumPorts-1:0]        tr_spec_issue_o,
  output trace_t [NumPorts-1:0]        tr_port_respond_o,
  output trace_t [NumPorts-1:0]        tr_ds_o,
  output trace_t [NumPorts-1:0]        tr_load_control_o,
  output trace_t [1:0]                 tr_sys_respond_o,  // R, B
  output trace_t [NumPorts-1:0]        tr_ep_accept_o,
  output trace_t [NumPorts-1:0]        tr_ep_lookup_o,
  output trace_t [NumPorts-1:0]        tr_media_issue_o,
  output trace_t [NumPorts-1:0]        tr_media_done_o,
  output trace_t [NumPorts-1:0]        tr_ep_respond_o,
  output trace_t [NumPorts-1:0]        tr_spec_fill_o,
  output trace_t [NumPorts-1:0]        tr_spec_drop_o,
  output trace_t [NumPorts-1:0]        tr_spec_lost_o
);

  logic                         awvalid, wvalid, wlast, bready, arvalid, rready;
  sys_id_t                      awid, arid;
  logic [63:0]                  awaddr, araddr;
  logic [7:0]                   awlen, arlen;
  logic [2:0]                   awsize, arsize;
  logic [1:0]                   awburst, arburst;
  line_t                        wdata;
  byte_en_t                     wstrb;
  logic [NumPorts-1:0]          media_cmd_ready, media_rsp_valid;
  media_rsp_t [NumPorts-1:0]    media_rsp;
  media_status_t [NumPorts-1:0] media_status;
  logic [NumPorts-1:0]          lm_ready, lm_rsp_valid;
  lm_rsp_t [NumPorts-1:0]       lm_rsp;

  always_ff @(negedge clk_i) begin
    awvalid         <= awvalid_i;
    wvalid          <= wvalid_i;
    bready          <= bready_i;
    arvalid         <= arvalid_i;
    rready          <= rready_i;
    media_cmd_ready <= media_cmd_ready_i;
    media_rsp_valid <= media_rsp_valid_i;
    media_status    <= media_status_i;
    lm_ready        <= lm_ready_i;
    lm_rsp_valid    <= lm_rsp_valid_i;
    if (awvalid_i) begin
      awid    <= awid_i;
      awaddr  <= awaddr_i;
      awlen   <= awlen_i;
      awsize  <= awsize_i;
      awburst <= awburst_i;
    end
    if (wvalid_i) begin
      wdata <= wdata_i;
      wstrb <= wstrb_i;
      wlast <= wlast_i;
    end
    if (arvalid_i) begin
      arid    <= arid_i;
      araddr  <= araddr_i;
      arlen   <= arlen_i;
      arsize  <= arsize_i;
      arburst <= arburst_i;
    end
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (media_rsp_valid_i[p]) media_rsp[p] <= media_rsp_i[p];
      if (lm_rsp_valid_i[p]) lm_rsp[p] <= lm_rsp_i[p];
    end
  end

  cxlgpu_top #(
    .NumPorts(NumPorts),
    .HasDs   (HasDs)
  ) u_top (
    .awvalid_i        (awvalid),
    .awid_i           (awid),
    .awaddr_i         (awaddr),
    .awlen_i          (awlen),
    .awsize_i         (awsize),
    .awburst_i        (awburst),
    .wvalid_i         (wvalid),
    .wdata_i          (wdata),
    .wstrb_i          (wstrb),
    .wlast_i          (wlast),
    .bready_i         (bready),
    .arvalid_i        (arvalid),
    .arid_i           (arid),
    .araddr_i         (araddr),
    .arlen_i          (arlen),
    .arsize_i         (arsize),
    .arburst_i        (arburst),
    .rready_i         (rready),
    .media_cmd_ready_i(media_cmd_ready),
    .media_rsp_valid_i(media_rsp_valid),
    .media_rsp_i      (media_rsp),
    .media_status_i   (media_status),
    .lm_ready_i       (lm_ready),
    .lm_rsp_valid_i   (lm_rsp_valid),
    .lm_rsp_i         (lm_rsp),
    .*
  );

endmodule
