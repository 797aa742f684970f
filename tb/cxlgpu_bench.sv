// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Bench around cxlgpu_top: what the bench drives changes at the falling edge of the clock.
//
// The simulator then works out what follows from an input once a cycle, at that edge; an input
// without a clock it would have to follow at every step, at the rising edge again for nothing.
// Between the falling and the rising edge everything is as if cxlgpu_top was driven itself. What
// the top takes into a register of its own goes straight through. Wide values are taken only while
// valid. For waves the bus is here by its signals, too: a struct is one number there. Not for
// synthesis.
//
// Source: docs/architecture.md; used by tb/rtl_engine.

module cxlgpu_bench
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxlgpu_size_pkg::*;
#(
  parameter  rtl_sizes_t  Sizes    = DefaultSizes,  // configs/rtl
  parameter  bit          HasDs    = 1'b1,          // 0 or 1: deterministic store in the root ports
  localparam int unsigned NumPorts = Sizes.ports
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  axi_req_t                     axi_req_i,
  output axi_rsp_t                     axi_rsp_o,
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
  output to_media_t [NumPorts-1:0]     media_o,
  input  from_media_t [NumPorts-1:0]   media_i,
  // Trace
  output sys_trace_t                   sys_trace_o,
  output rp_trace_t [NumPorts-1:0]     rp_trace_o,
  output ep_trace_t [NumPorts-1:0]     ep_trace_o
);

  axi_req_t                   axi_req;
  from_media_t [NumPorts-1:0] media;
  logic [NumPorts-1:0]        lm_ready, lm_rsp_valid;
  lm_rsp_t [NumPorts-1:0]     lm_rsp;

  always_ff @(negedge clk_i) begin
    axi_req.hint_valid <= axi_req_i.hint_valid;
    axi_req.aw_valid   <= axi_req_i.aw_valid;
    axi_req.ar_valid   <= axi_req_i.ar_valid;
    axi_req.b_ready    <= axi_req_i.b_ready;
    axi_req.r_ready    <= axi_req_i.r_ready;
    axi_req.w_valid    <= axi_req_i.w_valid;
    if (axi_req_i.hint_valid) axi_req.hint <= axi_req_i.hint;
    if (axi_req_i.aw_valid) axi_req.aw <= axi_req_i.aw;
    if (axi_req_i.ar_valid) axi_req.ar <= axi_req_i.ar;
    if (axi_req_i.w_valid) axi_req.w <= axi_req_i.w;
    lm_ready     <= lm_ready_i;
    lm_rsp_valid <= lm_rsp_valid_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      media[p].cmd_ready <= media_i[p].cmd_ready;
      media[p].status    <= media_i[p].status;
      media[p].rsp_valid <= media_i[p].rsp_valid;
      if (media_i[p].rsp_valid) media[p].rsp <= media_i[p].rsp;
      if (lm_rsp_valid_i[p]) lm_rsp[p] <= lm_rsp_i[p];
    end
  end

  cxlgpu_top #(
    .Sizes(Sizes),
    .HasDs(HasDs)
  ) u_top (
    .axi_req_i     (axi_req),
    .media_i       (media),
    .lm_ready_i    (lm_ready),
    .lm_rsp_valid_i(lm_rsp_valid),
    .lm_rsp_i      (lm_rsp),
    .*
  );

  /* verilator lint_off UNUSEDSIGNAL */  // for waves alone
  logic        ar_valid, ar_ready, aw_valid, aw_ready, r_valid, b_valid;
  sys_id_t     ar_id, aw_id, r_id, b_id;
  logic [63:0] ar_addr, aw_addr;
  byte_en_t    w_strb;
  /* verilator lint_on UNUSEDSIGNAL */
  assign {ar_valid, ar_id, ar_addr} = {axi_req.ar_valid, axi_req.ar.id, axi_req.ar.addr};
  assign {aw_valid, aw_id, aw_addr} = {axi_req.aw_valid, axi_req.aw.id, axi_req.aw.addr};
  assign w_strb                     = axi_req.w.strb;
  assign {ar_ready, aw_ready}       = {axi_rsp_o.ar_ready, axi_rsp_o.aw_ready};
  assign {r_valid, r_id}            = {axi_rsp_o.r_valid, axi_rsp_o.r.id};
  assign {b_valid, b_id}            = {axi_rsp_o.b_valid, axi_rsp_o.b.id};

endmodule
