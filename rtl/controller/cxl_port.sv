// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// One end of a CXL link above Flex Bus: the CXL.mem controller and the ARB/MUX that lets it share
// the link with CXL.io.
//
//   messages <--> cxl_controller <--> arb_mux <--> Flex Bus: flit and its kind
//                  CXL.io flits  <------+
//
// The controller's link starts when the ALMPs have made the cachemem vLSM ready to talk. A retry
// that ends in PHY_REINIT becomes a Recovery of the physical link, and every Recovery a retry.
//
// Source:  CXL 2.0, chapters 4.2, 5.1; docs/blocks/controller/cxl_port.md.
// Latency: that of the controller; the ARB/MUX adds none.

module cxl_port
  import cxl_pkg::*;
#(
  parameter bit          IsHost = 1'b1,            // 0 or 1: the end of a device or of a host
  parameter int unsigned NdRxDepth = 32,           // 2..127: entries for ND, all granted as credits
  parameter int unsigned WdRxDepth = 32,           // 2..127: entries for WD, likewise
  parameter int unsigned LlrbDepth = 128,          // 22..255: flits in the retry buffer
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: the wrap value of INIT.Param is a
                                                   // count or a last number; the same at both ends
  parameter logic [3:0]  WeightIo = 4'd1,          // 0..15: flits of a turn of CXL.io, 0 as 1; the
                                                   // value after reset and after link down
  parameter logic [3:0]  WeightCm = 4'd1           // 0..15: of a turn of CXL.mem, likewise
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Settings and state of the link layer, for link_regs
  input  link_control_t link_control_i,  // settings, of link_regs; nd_held and wd_held count when
                                         // cm_link_up_o rises, at most NdRxDepth, WdRxDepth
  output link_status_t link_status_o,    // state of link and credits, for link_regs; always valid

  // CXL.mem messages
  input  logic         tx_flush_i,       // level: discards what waits in the transmit queues or is
                                         // offered to them; a flit being packed still leaves
  input  logic         viral_i,          // level: this end is viral; announced to the peer after
                                         // init_done_o
  output logic         viral_o,          // pulse: the peer announces that it is viral
  input  logic         tx_nd_valid_i,    // a message without data to send (host M2S Req, device S2M
                                         // NDR); may be withdrawn while it waits, not changed
  output logic         tx_nd_ready_o,    // low while 4 messages wait in the transmit queue
  input  msg_hdr_t     tx_nd_hdr_i,      // the message in wire layout from bit 0, Valid set; bits
                                         // beyond its end are ignored
  input  logic         tx_wd_valid_i,    // a message with data to send (host M2S RwD, device S2M
                                         // DRS); may be withdrawn while it waits, not changed
  output logic         tx_wd_ready_o,    // low while 4 messages wait in the transmit queue
  input  msg_hdr_t     tx_wd_hdr_i,      // the header, as tx_nd_hdr_i
  input  line_t        tx_wd_data_i,     // the line, byte 0 in bits 7:0
  input  byte_en_t     tx_wd_be_i,       // byte enables, bit k for byte k; a device ignores them
  output logic         rx_nd_valid_o,    // a message without data received (host S2M NDR, device
                                         // M2S Req); stays until taken or cm_link_up_o rises
  input  logic         rx_nd_ready_i,    // takes it, and its credit returns; a host must not make
                                         // it wait for another channel
  output msg_hdr_t     rx_nd_hdr_o,      // the message in wire layout from bit 0, then 0
  output logic         rx_wd_valid_o,    // a message with data received (host S2M DRS, device M2S
                                         // RwD); stays until taken or cm_link_up_o rises
  input  logic         rx_wd_ready_i,    // takes it, as rx_nd_ready_i
  output msg_hdr_t     rx_wd_hdr_o,      // the header, as rx_nd_hdr_o
  output line_t        rx_wd_data_o,     // the line, byte 0 in bits 7:0
  output byte_en_t     rx_wd_be_o,       // byte enables; all ones if none were sent
  output logic [6:0]   rx_nd_count_o,    // 0..NdRxDepth: messages in the receive queue
  output logic [6:0]   rx_wd_count_o,    // 0..WdRxDepth: messages in the receive queue

  // CXL.io flits
  input  logic         io_tx_valid_i,    // a CXL.io flit to send; once offered it must stay,
                                         // unchanged, until taken while the physical link is in L0
  output logic         io_tx_ready_o,    // it leaves in this cycle; never without io_tx_valid_i
  input  logic [511:0] io_tx_data_i,     // its payload; flit bits [527:512] are sent as 0
  output logic         io_rx_valid_o,    // a CXL.io flit received, which cannot be stalled
  output logic [511:0] io_rx_data_o,     // its payload
  output logic         io_link_up_o,     // level: the link layer of CXL.io is up; a Recovery alone
                                         // does not end it

  // Link state requested and reached
  input  logic [3:0]   io_req_i,         // level, of CXL.io: 1 or 3..12 (vlsm_e); any other
                                         // requests nothing
  input  logic [3:0]   cm_req_i,         // level, of CXL.mem: likewise
  output vlsm_e        io_state_o,       // state of CXL.io
  output vlsm_e        cm_state_o,       // state of CXL.mem

  // Weight registers of the ARB/MUX
  input  logic         weight_io_we_i,   // pulse: writes weight_io_i; lost as the link goes down
  input  logic [3:0]   weight_io_i,      // 0..15, 0 as 1; valid with weight_io_we_i
  input  logic         weight_cm_we_i,   // pulse: writes weight_cm_i, likewise
  input  logic [3:0]   weight_cm_i,      // 0..15, 0 as 1; valid with weight_cm_we_i
  output logic [3:0]   weight_io_o,      // 0..15: the weight of CXL.io in use
  output logic [3:0]   weight_cm_o,      // 0..15: the weight of CXL.mem in use

  // Flex Bus
  output logic         link_tx_valid_o,  // a flit to send; stays, unchanged, until taken while the
                                         // link is in L0
  input  logic         link_tx_ready_i,  // Flex Bus takes it; low stalls it
  output flit_kind_e   link_tx_kind_o,   // FlitIo, FlitCachemem, FlitAlmp; FlitNull if none is sent
  output flit_t        link_tx_flit_o,   // payload [511:0]; [527:512] CRC of a CXL.mem flit, else 0
  input  logic         link_rx_valid_i,  // a flit received, which cannot be stalled
  input  flit_kind_e   link_rx_kind_i,   // its protocol; FlitNull is dropped
  input  flit_t        link_rx_flit_i,   // as link_tx_flit_o; valid with link_rx_valid_i
  input  logic         phy_up_i,         // level: the physical link is in L0; phy_recovery_i wins
  input  logic         phy_recovery_i,   // level: it is in Recovery; no flit from before comes
                                         // after its first cycle
  output logic         retrain_req_o,    // level: requests Recovery, until in it or link down
  output vlsm_e        phy_state_o,      // the state that the physical link should be in

  output logic         cm_link_up_o,     // level: the link layer of CXL.mem is up; a Recovery alone
                                         // does not end it
  output logic         init_done_o,      // level: INIT.Param has been sent and received
  output logic         abort_o,          // level: retry has failed; ends with the next link-up
  output logic [7:0]   err_o,            // pulses: 0 CRC, 1 protocol or reserved encoding, 2 flit
                                         // before INIT.Param, 3 second INIT.Param, 4 unexpected
                                         // RETRY.Ack, 5 receive overflow, 6 retry started,
                                         // 7 time-out
  output flit_payload_t err_flit_o,      // valid with one of err_o[4:1]: the payload of the flit
  output logic [2:0]   err_overflow_o,   // valid with err_o[5], the queue that was full: 0 Creq,
                                         // 1 Crsp, 2 Cdat, 4 ND, 5 WD
  output logic [2:0]   arb_err_o         // pulses of the ARB/MUX: 0 damaged ALMP, 1 malformed or
                                         // unexpected ALMP, 2 stray flit
);

  logic  cm_link_up, cm_tx_valid, cm_tx_ready, cm_rx_valid, cm_reinit_req, cm_reinit_done;
  flit_t cm_tx_flit, cm_rx_flit;

  // No CXL.cache on this link.
  logic       unused_tx_creq_ready;
  logic       unused_tx_crsp_ready;
  logic       unused_tx_cdat_ready;
  logic       unused_rx_creq_valid;
  cache_req_t unused_rx_creq_hdr;
  logic       unused_rx_crsp_valid;
  cache_rsp_t unused_rx_crsp_hdr;
  logic       unused_rx_cdat_valid;
  cache_dh_t  unused_rx_cdat_hdr;
  line_t      unused_rx_cdat_data;
  byte_en_t   unused_rx_cdat_be;

  cxl_controller #(
    .IsHost   (IsHost),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth),
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive)
  ) u_controller (
    .clk_i,
    .rst_ni,
    .link_up_i        (cm_link_up),
    .link_control_i,
    .link_status_o,
    .tx_flush_i,
    .viral_i,
    .viral_o,
    .tx_nd_valid_i,
    .tx_nd_ready_o,
    .tx_nd_hdr_i,
    .tx_wd_valid_i,
    .tx_wd_ready_o,
    .tx_wd_hdr_i,
    .tx_wd_data_i,
    .tx_wd_be_i,
    .rx_nd_valid_o,
    .rx_nd_ready_i,
    .rx_nd_hdr_o,
    .rx_wd_valid_o,
    .rx_wd_ready_i,
    .rx_wd_hdr_o,
    .rx_wd_data_o,
    .rx_wd_be_o,
    .rx_nd_count_o,
    .rx_wd_count_o,
    .tx_creq_valid_i  (1'b0),
    .tx_creq_ready_o  (unused_tx_creq_ready),
    .tx_creq_hdr_i    ('0),
    .tx_crsp_valid_i  (1'b0),
    .tx_crsp_ready_o  (unused_tx_crsp_ready),
    .tx_crsp_hdr_i    ('0),
    .tx_cdat_valid_i  (1'b0),
    .tx_cdat_ready_o  (unused_tx_cdat_ready),
    .tx_cdat_hdr_i    ('0),
    .tx_cdat_data_i   ('0),
    .tx_cdat_be_i     ('0),
    .rx_creq_valid_o  (unused_rx_creq_valid),
    .rx_creq_ready_i  (1'b0),
    .rx_creq_hdr_o    (unused_rx_creq_hdr),
    .rx_crsp_valid_o  (unused_rx_crsp_valid),
    .rx_crsp_ready_i  (1'b0),
    .rx_crsp_hdr_o    (unused_rx_crsp_hdr),
    .rx_cdat_valid_o  (unused_rx_cdat_valid),
    .rx_cdat_ready_i  (1'b0),
    .rx_cdat_hdr_o    (unused_rx_cdat_hdr),
    .rx_cdat_data_o   (unused_rx_cdat_data),
    .rx_cdat_be_o     (unused_rx_cdat_be),
    .link_tx_valid_o  (cm_tx_valid),
    .link_tx_ready_i  (cm_tx_ready),
    .link_tx_flit_o   (cm_tx_flit),
    .link_rx_valid_i  (cm_rx_valid),
    .link_rx_flit_i   (cm_rx_flit),
    .phy_reinit_req_o (cm_reinit_req),
    .phy_reinit_done_i(cm_reinit_done),
    .init_done_o,
    .abort_o,
    .err_o,
    .err_flit_o,
    .err_overflow_o
  );

  assign cm_link_up_o = cm_link_up;

  arb_mux #(
    .IsHost  (IsHost),
    .WeightIo(WeightIo),
    .WeightCm(WeightCm)
  ) u_arb_mux (
    .clk_i,
    .rst_ni,
    .tx_valid_o          (link_tx_valid_o),
    .tx_ready_i          (link_tx_ready_i),
    .tx_kind_o           (link_tx_kind_o),
    .tx_flit_o           (link_tx_flit_o),
    .rx_valid_i          (link_rx_valid_i),
    .rx_kind_i           (link_rx_kind_i),
    .rx_flit_i           (link_rx_flit_i),
    .phy_up_i,
    .phy_recovery_i,
    .retrain_req_o,
    .phy_state_o,
    .cm_tx_valid_i       (cm_tx_valid),
    .cm_tx_ready_o       (cm_tx_ready),
    .cm_tx_flit_i        (cm_tx_flit),
    .cm_rx_valid_o       (cm_rx_valid),
    .cm_rx_flit_o        (cm_rx_flit),
    .cm_link_up_o        (cm_link_up),
    .cm_phy_reinit_req_i (cm_reinit_req),
    .cm_phy_reinit_done_o(cm_reinit_done),
    .io_tx_valid_i,
    .io_tx_ready_o,
    .io_tx_data_i,
    .io_rx_valid_o,
    .io_rx_data_o,
    .io_link_up_o,
    .io_req_i,
    .cm_req_i,
    .io_state_o,
    .cm_state_o,
    .weight_io_we_i,
    .weight_io_i,
    .weight_cm_we_i,
    .weight_cm_i,
    .weight_io_o,
    .weight_cm_o,
    .err_o               (arb_err_o)
  );

  a_quiet_down: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !cm_link_up |-> !cm_rx_valid)
    else $error("a CXL.mem flit was received while its link is down");
  a_ready_down: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!cm_link_up && cm_tx_ready) |->
      $past(link_tx_valid_o && !link_tx_ready_i && link_tx_kind_o == FlitCachemem))
    else $error("a CXL.mem flit that was not stalled left while its link is down");
  a_done_up: assert property (@(posedge clk_i) disable iff (!rst_ni) cm_reinit_done |-> cm_link_up)
    else $error("the end of a Recovery was reported while the CXL.mem link is down");

endmodule
