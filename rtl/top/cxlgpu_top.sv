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
  parameter int unsigned NumPorts    = 2,          // 1..15: root ports, and endpoints
  parameter int unsigned NumDecoders = 4,          // 1..10, 1 or even: HDM decoders of each end
  parameter int unsigned MaxSets     = 1024,       // 2..1024, a power of two: sets of internal DRAM
  parameter int unsigned Ways        = 8,          // 2..64, a power of two: granules in a set
  parameter int unsigned Mshrs       = 128,        // 4..128, a power of two: fills in flight
  parameter bit          HasDs       = 1'b1,       // 0 or 1: deterministic store
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                   // numbers; the same at both ends
  parameter int unsigned DsDepth     = 1024        // 4..4096, a power of two: lines a port can
                                                   // defer
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  logic                         awvalid_i,           // a write's address; aw* stay until
                                                            // awready_o
  output logic                         awready_o,           // takes both; low without wvalid_i, in
                                                            // a read's turn or while the one before
                                                            // waits
  input  sys_id_t                      awid_i,              // 0..FFEFh, no id outstanding
  input  logic [63:0]                  awaddr_i,            // of a line; 63:52 and 5:0 are 0
  input  logic [7:0]                   awlen_i,             // 0: one beat
  input  logic [2:0]                   awsize_i,            // 6: 64 bytes
  input  logic [1:0]                   awburst_i,           // 1: INCR
  input  logic                         wvalid_i,            // a write's data; w* stay until
                                                            // wready_o
  output logic                         wready_o,            // the same as awready_o
  input  line_t                        wdata_i,             // byte n in bits 8n+7:8n
  input  byte_en_t                     wstrb_i,             // bytes to write, any set
  input  logic                         wlast_i,             // 1: the only beat
  output logic                         bvalid_o,            // a write's answer; stays until
                                                            // bready_i
  input  logic                         bready_i,            // may be low; reads go on
  output sys_id_t                      bid_o,               // awid_i of the write answered
  output logic [1:0]                   bresp_o,             // 0 OKAY, 2 SLVERR: failed, or no port
                                                            // serves it
  input  logic                         arvalid_i,           // a read's address; ar* stay until
                                                            // arready_o
  output logic                         arready_o,           // takes it; low in a write's turn or
                                                            // while the one before waits
  input  sys_id_t                      arid_i,              // 0..FFEFh, no id outstanding
  input  logic [63:0]                  araddr_i,            // of a line; 63:52 and 5:0 are 0
  input  logic [7:0]                   arlen_i,             // 0: one beat
  input  logic [2:0]                   arsize_i,            // 6: 64 bytes
  input  logic [1:0]                   arburst_i,           // 1: INCR
  output logic                         rvalid_o,            // a read's answer; stays until rready_i
  input  logic                         rready_i,            // may be low; writes go on
  output sys_id_t                      rid_o,               // arid_i of the read answered
  output line_t                        rdata_o,             // byte n in bits 8n+7:8n
  output logic [1:0]                   rresp_o,             // 0 OKAY, 2 SLVERR: failed, or no port
                                                            // serves it
  output logic                         rlast_o,             // always 1
  // Local memory, [p] of root port p: its region of deterministic store
  output logic [NumPorts-1:0]          lm_valid_o,          // a request; stays until taken
  input  logic [NumPorts-1:0]          lm_ready_i,          // takes it, in bounded time
  output lm_req_t [NumPorts-1:0]       lm_req_o,            // one line; a write has no answer
  output line_addr_t [NumPorts-1:0]    lm_line_o,           // address[51:6] of the line
  input  logic [NumPorts-1:0]          lm_rsp_valid_i,      // a read's answer, in any order, a
                                                            // cycle after it was taken or later
  output logic [NumPorts-1:0]          lm_rsp_ready_o,      // low while a load's answer waits
  input  lm_rsp_t [NumPorts-1:0]       lm_rsp_i,            // data, kind and index of the read
  // Registers of the root complex
  input  reg_req_t                     rc_reg_req_i,        // an access each cycle, never stalled;
                                                            // addr[15:12] 0 host bridge, i + 1 root
                                                            // port i
  output logic [31:0]                  rc_reg_rdata_o,      // the register read two cycles before;
                                                            // 0 of a page that no block has
  // Links, end of root port p; inputs act a cycle later
  output logic [NumPorts-1:0]          rp_link_tx_valid_o,  // a flit; stays until taken while in L0
  input  logic [NumPorts-1:0]          rp_link_tx_ready_i,  // takes a flit in the next cycle
  output flit_kind_e [NumPorts-1:0]    rp_link_tx_kind_o,   // whose flit; FlitNull without valid
  output flit_t [NumPorts-1:0]         rp_link_tx_flit_o,   // 527:512 is the CRC of CXL.cachemem
  input  logic [NumPorts-1:0]          rp_link_rx_valid_i,  // a received flit, never stalled
  input  flit_kind_e [NumPorts-1:0]    rp_link_rx_kind_i,   // whose flit; never FlitNull
  input  flit_t [NumPorts-1:0]         rp_link_rx_flit_i,   // as link_tx_flit_o
  input  logic [NumPorts-1:0]          rp_phy_up_i,         // level: physical link in L0
  input  logic [NumPorts-1:0]          rp_phy_recovery_i,   // level: in Recovery, which wins
  output logic [NumPorts-1:0]          rp_retrain_req_o,    // level: Recovery is requested
  output vlsm_e [NumPorts-1:0]         rp_phy_state_o,      // level: where it should be
  output logic [NumPorts-1:0]          rp_init_done_o,      // level: INIT.Param went both ways
  output logic [NumPorts-1:0]          rp_abort_o,          // level: retry has given up
  output logic [NumPorts-1:0][7:0]     rp_err_o,            // pulses: 0 CRC, 1 encoding, 2 flit
                                                            // before INIT.Param, 3 second
                                                            // INIT.Param, 4 unexpected RETRY.Ack,
                                                            // 5 overflow, 6 retry, 7 time-out
  output logic [NumPorts-1:0][2:0]     rp_arb_err_o,        // pulses: 0 damaged ALMP, 1 malformed
                                                            // or unexpected one, 2 stray flit
  // Links, end of endpoint p, likewise
  output logic [NumPorts-1:0]          ep_link_tx_valid_o,  // a flit; stays until taken while in L0
  input  logic [NumPorts-1:0]          ep_link_tx_ready_i,  // takes a flit in the next cycle
  output flit_kind_e [NumPorts-1:0]    ep_link_tx_kind_o,   // whose flit; FlitNull without valid
  output flit_t [NumPorts-1:0]         ep_link_tx_flit_o,   // 527:512 is the CRC of CXL.cachemem
  input  logic [NumPorts-1:0]          ep_link_rx_valid_i,  // a received flit, never stalled
  input  flit_kind_e [NumPorts-1:0]    ep_link_rx_kind_i,   // whose flit; never FlitNull
  input  flit_t [NumPorts-1:0]         ep_link_rx_flit_i,   // as link_tx_flit_o
  input  logic [NumPorts-1:0]          ep_phy_up_i,         // level: physical link in L0
  input  logic [NumPorts-1:0]          ep_phy_recovery_i,   // level: in Recovery, which wins
  output logic [NumPorts-1:0]          ep_retrain_req_o,    // level: Recovery is requested
  output vlsm_e [NumPorts-1:0]         ep_phy_state_o,      // level: where it should be
  output logic [NumPorts-1:0]          ep_init_done_o,      // level: INIT.Param went both ways
  output logic [NumPorts-1:0]          ep_abort_o,          // level: retry has given up
  output logic [NumPorts-1:0][7:0]     ep_err_o,            // pulses, as rp_err_o
  output logic [NumPorts-1:0][2:0]     ep_arb_err_o,        // pulses, as rp_arb_err_o
  // Media, [p] of endpoint p
  output logic [NumPorts-1:0]          media_cmd_valid_o,   // a command; stays until taken
  input  logic [NumPorts-1:0]          media_cmd_ready_i,   // takes it; may be low
  output media_cmd_t [NumPorts-1:0]    media_cmd_o,         // one line, or four in Fill and
                                                            // WriteBack
  input  logic [NumPorts-1:0]          media_rsp_valid_i,   // an answer, in any order; stays until
                                                            // taken
  output logic [NumPorts-1:0]          media_rsp_ready_o,   // takes it; always 1 for Fill and
                                                            // WriteBack
  input  media_rsp_t [NumPorts-1:0]    media_rsp_i,         // op and id of the command; data
  input  media_status_t [NumPorts-1:0] media_status_i,      // level: load of the media
  // Trace, [p] of root port p; id of the system where nothing else is said
  output trace_t                       tr_sys_accept_o,     // the host bridge takes it; info 0 is
                                                            // write
  output trace_t [NumPorts-1:0]        tr_port_enqueue_o,   // root port p takes it; info: SR queue
                                                            // level
  output trace_t [NumPorts-1:0]        tr_memq_alloc_o,     // the memory queue takes it; info: tag
  output trace_t [NumPorts-1:0]        tr_ctrl_accept_o,    // a load goes out; id: tag, info:
                                                            // opcode
  output trace_t [NumPorts-1:0]        tr_ctrl_store_o,     // a store goes out, likewise
  output trace_t [NumPorts-1:0]        tr_spec_issue_o,     // a MemSpecRd goes out; info: granules
  output trace_t [NumPorts-1:0]        tr_port_respond_o,   // a response comes; info: {DevLoad,
                                                            // tag[5:0]}
  output trace_t [NumPorts-1:0]        tr_ds_o,             // id: ds_event_t, line: lines deferred
  output trace_t [NumPorts-1:0]        tr_load_control_o,   // load control changes; info: new state
  output trace_t [1:0]                 tr_sys_respond_o,    // [0] R, [1] B; info 0 is error
  output trace_t [NumPorts-1:0]        tr_ep_accept_o,      // a demand message; id: tag, info:
                                                            // opcode
  output trace_t [NumPorts-1:0]        tr_ep_lookup_o,      // info: 0 bypass, 1 hit, 2 miss,
                                                            // 3 merge
  output trace_t [NumPorts-1:0]        tr_media_issue_o,    // a data command leaves; info: op
  output trace_t [NumPorts-1:0]        tr_media_done_o,     // its answer is taken; info: op
  output trace_t [NumPorts-1:0]        tr_ep_respond_o,     // a response leaves; info: DevLoad
  output trace_t [NumPorts-1:0]        tr_spec_fill_o,      // a fill begins for MemSpecRd
  output trace_t [NumPorts-1:0]        tr_spec_drop_o,      // a granule of MemSpecRd is dropped
  output trace_t [NumPorts-1:0]        tr_spec_lost_o       // a MemSpecRd was dropped whole
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
