// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Whole system without what lies outside of it: one root complex and NumPorts endpoints.
//
//   AXI4 --> root_complex --> rp_link_tx[p] .. (link, outside) .. ep_link_rx[p] --> endpoint[p]
//                         <-- rp_link_rx[p] .. (link, outside) .. ep_link_tx[p] <--     |
//                                                                         media[p] (outside)
//
// Links and media are ports, so that a test bench or a PHY and a memory controller stand behind
// them; element p of every array belongs to port p. Wiring, but for one register at the edge: what
// a PHY says (received flits, link up, Recovery, that it takes a flit) and register requests count
// in the cycle after. Endpoints have no registers but over their link.
//
// Source: docs/blocks/top/cxlgpu_top.md.

module cxlgpu_top
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts    = 2,     // 1..15
  parameter int unsigned NumDecoders = 4,     // of the host bridge and of each endpoint
  parameter int unsigned MaxSets     = 1024,  // internal DRAM of an endpoint
  parameter int unsigned Ways        = 8,
  parameter int unsigned Mshrs       = 128,
  parameter bit          HasDs       = 1'b1,  // deterministic store in the root ports
  parameter bit          LlrWrapInclusive = 1'b0,  // wrap values of INIT.Param are last numbers
  parameter int unsigned DsDepth     = 1024   // lines that each root port can defer
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
  // Local memory: a region of each root port for deterministic store
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

  reg_req_t rc_reg_req_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rc_reg_req_q <= '0;
    else         rc_reg_req_q <= rc_reg_req_i;
  end

  // What the PHYs say; a received flit is looked at only while valid.
  logic [NumPorts-1:0]       rp_tx_ready_q, ep_tx_ready_q;
  logic [NumPorts-1:0]       rp_phy_up_q, ep_phy_up_q;
  logic [NumPorts-1:0]       rp_phy_recovery_q, ep_phy_recovery_q;
  logic [NumPorts-1:0]       rp_rx_valid_q, ep_rx_valid_q;
  flit_kind_e [NumPorts-1:0] rp_rx_kind_q, ep_rx_kind_q;
  flit_t [NumPorts-1:0]      rp_rx_flit_q, ep_rx_flit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rp_tx_ready_q     <= '0;
      rp_phy_up_q       <= '0;
      rp_phy_recovery_q <= '0;
      rp_rx_valid_q     <= '0;
      ep_tx_ready_q     <= '0;
      ep_phy_up_q       <= '0;
      ep_phy_recovery_q <= '0;
      ep_rx_valid_q     <= '0;
    end else begin
      rp_tx_ready_q     <= rp_link_tx_ready_i;
      rp_phy_up_q       <= rp_phy_up_i;
      rp_phy_recovery_q <= rp_phy_recovery_i;
      rp_rx_valid_q     <= rp_link_rx_valid_i;
      ep_tx_ready_q     <= ep_link_tx_ready_i;
      ep_phy_up_q       <= ep_phy_up_i;
      ep_phy_recovery_q <= ep_phy_recovery_i;
      ep_rx_valid_q     <= ep_link_rx_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (rp_link_rx_valid_i[p]) begin
        rp_rx_kind_q[p] <= rp_link_rx_kind_i[p];
        rp_rx_flit_q[p] <= rp_link_rx_flit_i[p];
      end
      if (ep_link_rx_valid_i[p]) begin
        ep_rx_kind_q[p] <= ep_link_rx_kind_i[p];
        ep_rx_flit_q[p] <= ep_link_rx_flit_i[p];
      end
    end
  end

  root_complex #(
    .NumPorts   (NumPorts),
    .NumDecoders(NumDecoders),
    .HasDs      (HasDs),
    .LlrWrapInclusive(LlrWrapInclusive),
    .DsDepth    (DsDepth),
    .IoInfinite (1'b1)  // the endpoints make no requests
  ) u_root_complex (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .awvalid_i        (awvalid_i),
    .awready_o        (awready_o),
    .awid_i           (awid_i),
    .awaddr_i         (awaddr_i),
    .awlen_i          (awlen_i),
    .awsize_i         (awsize_i),
    .awburst_i        (awburst_i),
    .wvalid_i         (wvalid_i),
    .wready_o         (wready_o),
    .wdata_i          (wdata_i),
    .wstrb_i          (wstrb_i),
    .wlast_i          (wlast_i),
    .bvalid_o         (bvalid_o),
    .bready_i         (bready_i),
    .bid_o            (bid_o),
    .bresp_o          (bresp_o),
    .arvalid_i        (arvalid_i),
    .arready_o        (arready_o),
    .arid_i           (arid_i),
    .araddr_i         (araddr_i),
    .arlen_i          (arlen_i),
    .arsize_i         (arsize_i),
    .arburst_i        (arburst_i),
    .rvalid_o         (rvalid_o),
    .rready_i         (rready_i),
    .rid_o            (rid_o),
    .rdata_o          (rdata_o),
    .rresp_o          (rresp_o),
    .rlast_o          (rlast_o),
    .lm_valid_o       (lm_valid_o),
    .lm_ready_i       (lm_ready_i),
    .lm_req_o         (lm_req_o),
    .lm_line_o        (lm_line_o),
    .lm_rsp_valid_i   (lm_rsp_valid_i),
    .lm_rsp_ready_o   (lm_rsp_ready_o),
    .lm_rsp_i         (lm_rsp_i),
    .reg_req_i        (rc_reg_req_q),
    .reg_rdata_o      (rc_reg_rdata_o),
    .link_tx_valid_o  (rp_link_tx_valid_o),
    .link_tx_ready_i  (rp_tx_ready_q),
    .link_tx_kind_o   (rp_link_tx_kind_o),
    .link_tx_flit_o   (rp_link_tx_flit_o),
    .link_rx_valid_i  (rp_rx_valid_q),
    .link_rx_kind_i   (rp_rx_kind_q),
    .link_rx_flit_i   (rp_rx_flit_q),
    .phy_up_i         (rp_phy_up_q),
    .phy_recovery_i   (rp_phy_recovery_q),
    .retrain_req_o    (rp_retrain_req_o),
    .phy_state_o      (rp_phy_state_o),
    .init_done_o      (rp_init_done_o),
    .abort_o          (rp_abort_o),
    .err_o            (rp_err_o),
    .arb_err_o        (rp_arb_err_o),
    .tr_sys_accept_o  (tr_sys_accept_o),
    .tr_port_enqueue_o(tr_port_enqueue_o),
    .tr_memq_alloc_o  (tr_memq_alloc_o),
    .tr_ctrl_accept_o (tr_ctrl_accept_o),
    .tr_ctrl_store_o  (tr_ctrl_store_o),
    .tr_spec_issue_o  (tr_spec_issue_o),
    .tr_port_respond_o(tr_port_respond_o),
    .tr_ds_o          (tr_ds_o),
    .tr_load_control_o(tr_load_control_o),
    .tr_sys_respond_o (tr_sys_respond_o)
  );

  for (genvar p = 0; p < NumPorts; p++) begin : gen_endpoint
    endpoint #(
      .MaxSets    (MaxSets),
      .Ways       (Ways),
      .Mshrs      (Mshrs),
      .LlrWrapInclusive(LlrWrapInclusive),
      .NumDecoders(NumDecoders),
      .SerialNumber(64'(p) + 64'd1),
      .IoInfinite (1'b1)  // the root port at the other end is ours
    ) u_endpoint (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .link_tx_valid_o  (ep_link_tx_valid_o[p]),
      .link_tx_ready_i  (ep_tx_ready_q[p]),
      .link_tx_kind_o   (ep_link_tx_kind_o[p]),
      .link_tx_flit_o   (ep_link_tx_flit_o[p]),
      .link_rx_valid_i  (ep_rx_valid_q[p]),
      .link_rx_kind_i   (ep_rx_kind_q[p]),
      .link_rx_flit_i   (ep_rx_flit_q[p]),
      .phy_up_i         (ep_phy_up_q[p]),
      .phy_recovery_i   (ep_phy_recovery_q[p]),
      .retrain_req_o    (ep_retrain_req_o[p]),
      .phy_state_o      (ep_phy_state_o[p]),
      .init_done_o      (ep_init_done_o[p]),
      .abort_o          (ep_abort_o[p]),
      .err_o            (ep_err_o[p]),
      .arb_err_o        (ep_arb_err_o[p]),
      .media_cmd_valid_o(media_cmd_valid_o[p]),
      .media_cmd_ready_i(media_cmd_ready_i[p]),
      .media_cmd_o      (media_cmd_o[p]),
      .media_rsp_valid_i(media_rsp_valid_i[p]),
      .media_rsp_ready_o(media_rsp_ready_o[p]),
      .media_rsp_i      (media_rsp_i[p]),
      .media_status_i   (media_status_i[p]),
      .tr_ep_accept_o   (tr_ep_accept_o[p]),
      .tr_ep_lookup_o   (tr_ep_lookup_o[p]),
      .tr_media_issue_o (tr_media_issue_o[p]),
      .tr_media_done_o  (tr_media_done_o[p]),
      .tr_ep_respond_o  (tr_ep_respond_o[p]),
      .tr_spec_fill_o   (tr_spec_fill_o[p]),
      .tr_spec_drop_o   (tr_spec_drop_o[p]),
      .tr_spec_lost_o   (tr_spec_lost_o[p])
    );
  end

endmodule
