// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.mem controller of one end of a link, 68-byte flits; HasCache adds CXL.cache: queues, packing
// and unpacking, credits, link layer with retry. Host and device differ in the messages they send.
//
//   channel        host sends    device sends
//   ND (no data)   M2S Req       S2M NDR
//   WD (with data) M2S RwD       S2M DRS
//   Creq           H2D Req       D2H Req      CXL.cache, with HasCache only
//   Crsp           H2D Rsp       D2H Rsp
//   Cdat           H2D Data      D2H Data
//
// Source: CXL 2.0, chapters 3.3 (CXL.mem) and 4.2 (link layer);
//         docs/blocks/controller/cxl_controller.md gives the cycles.
// Latency, idle: 3 cycles from a message accepted to link_tx_valid_o (T1 queue, T2 pack and select,
// T3 CRC), 2 cycles from link_rx_valid_i to rx_*_valid_o (R1 CRC, R2 unpack and queue).

module cxl_controller
  import cxl_pkg::*;
#(
  parameter bit          IsHost = 1'b1,            // 0 or 1: device or host, whose messages differ
  parameter int unsigned NdRxDepth = 32,           // 2..127: entries for ND, all granted as credits
  parameter int unsigned WdRxDepth = 32,           // 2..127: entries for WD, likewise
  parameter int unsigned LlrbDepth = 128,          // 22..255: flits in the retry buffer
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: the wrap value of INIT.Param is a
                                                   // count or a last number; the same at both ends
  parameter bit          HasCache = 1'b0,          // 0 or 1: CXL.mem alone, or CXL.cache too
  parameter int unsigned CreqRxDepth = 16,         // 4..127 with HasCache, else unused: entries for
                                                   // Creq, all granted as credits
  parameter int unsigned CrspRxDepth = 16,         // 4..127, likewise: entries for Crsp
  parameter int unsigned CdatRxDepth = 16          // 4..127, likewise: entries for Cdat
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       link_up_i,          // level: the link below is up; its rise restarts all but
                                         // the transmit queues
  input  link_control_t link_control_i,  // settings, of link_regs; nd_held and wd_held count when
                                         // link_up_i rises, at most NdRxDepth, WdRxDepth
  output link_status_t  link_status_o,   // state of link and credits, for link_regs; always valid
  input  logic       tx_flush_i,         // level: discards what waits in the transmit queues or is
                                         // offered to them; a flit being packed still leaves
  input  logic       viral_i,            // level: this end is viral; announced to the peer after
                                         // init_done_o
  output logic       viral_o,            // pulse: the peer announces that it is viral

  input  logic       tx_nd_valid_i,      // a message without data to send (host M2S Req, device S2M
                                         // NDR); may be withdrawn while it waits, not changed
  output logic       tx_nd_ready_o,      // low while 4 messages wait in the transmit queue
  input  msg_hdr_t   tx_nd_hdr_i,        // the message in wire layout from bit 0, Valid set; bits
                                         // beyond its end are ignored
  input  logic       tx_wd_valid_i,      // a message with data to send (host M2S RwD, device S2M
                                         // DRS); may be withdrawn while it waits, not changed
  output logic       tx_wd_ready_o,      // low while 4 messages wait in the transmit queue
  input  msg_hdr_t   tx_wd_hdr_i,        // the header, as tx_nd_hdr_i
  input  line_t      tx_wd_data_i,       // the line, byte 0 in bits 7:0
  input  byte_en_t   tx_wd_be_i,         // byte enables, bit k for byte k; a device ignores them

  output logic       rx_nd_valid_o,      // a message without data received (host S2M NDR, device
                                         // M2S Req); stays until taken or link_up_i rises
  input  logic       rx_nd_ready_i,      // takes it, and its credit returns; a host must not make
                                         // it wait for another channel
  output msg_hdr_t   rx_nd_hdr_o,        // the message in wire layout from bit 0, then 0
  output logic       rx_wd_valid_o,      // a message with data received (host S2M DRS, device M2S
                                         // RwD); stays until taken or link_up_i rises
  input  logic       rx_wd_ready_i,      // takes it, as rx_nd_ready_i
  output msg_hdr_t   rx_wd_hdr_o,        // the header, as rx_nd_hdr_o
  output line_t      rx_wd_data_o,       // the line, byte 0 in bits 7:0
  output byte_en_t   rx_wd_be_o,         // byte enables; all ones if none were sent
  output logic [6:0] rx_nd_count_o,      // 0..NdRxDepth: messages in the receive queue
  output logic [6:0] rx_wd_count_o,      // 0..WdRxDepth: messages in the receive queue

  // CXL.cache; ignored and 0 without HasCache
  input  logic       tx_creq_valid_i,    // a request to send (host H2D Req, device D2H Req); may be
                                         // withdrawn while it waits, not changed
  output logic       tx_creq_ready_o,    // low while 4 messages wait in the transmit queue
  input  cache_req_t tx_creq_hdr_i,      // the message in wire layout from bit 0, Valid set; bits
                                         // beyond its end are ignored
  input  logic       tx_crsp_valid_i,    // a response to send (H2D Rsp, D2H Rsp), likewise
  output logic       tx_crsp_ready_o,    // low while 4 messages wait in the transmit queue
  input  cache_rsp_t tx_crsp_hdr_i,      // the message, as tx_creq_hdr_i
  input  logic       tx_cdat_valid_i,    // a line to send (H2D Data, D2H Data), likewise
  output logic       tx_cdat_ready_o,    // low while 4 messages wait in the transmit queue
  input  cache_dh_t  tx_cdat_hdr_i,      // the header, as tx_creq_hdr_i
  input  line_t      tx_cdat_data_i,     // the line, byte 0 in bits 7:0
  input  byte_en_t   tx_cdat_be_i,       // byte enables, bit k for byte k; a host ignores them
  output logic       rx_creq_valid_o,    // a request received (host D2H Req, device H2D Req, not
                                         // before the Rsp sent ahead of it are taken); stays until
                                         // taken or link_up_i rises
  input  logic       rx_creq_ready_i,    // takes it, and its credit returns
  output cache_req_t rx_creq_hdr_o,      // the message in wire layout from bit 0, then 0
  output logic       rx_crsp_valid_o,    // a response received (D2H Rsp, H2D Rsp), likewise
  input  logic       rx_crsp_ready_i,    // takes it, and its credit returns
  output cache_rsp_t rx_crsp_hdr_o,      // the message, as rx_creq_hdr_o
  output logic       rx_cdat_valid_o,    // a line received (D2H Data, H2D Data), likewise
  input  logic       rx_cdat_ready_i,    // takes it, and its credit returns
  output cache_dh_t  rx_cdat_hdr_o,      // the header, as rx_creq_hdr_o
  output line_t      rx_cdat_data_o,     // the line, byte 0 in bits 7:0
  output byte_en_t   rx_cdat_be_o,       // byte enables; all ones if none were sent

  output logic       link_tx_valid_o,    // a flit for the link; stays, unchanged, until taken or
                                         // link_up_i falls
  input  logic       link_tx_ready_i,    // the link takes it; low stalls it
  output flit_t      link_tx_flit_o,     // its payload in [511:0], CRC in [527:512]
  input  logic       link_rx_valid_i,    // a flit from the link, which cannot be stalled; dropped
                                         // if link_up_i was low in the cycle before
  input  flit_t      link_rx_flit_i,     // as link_tx_flit_o; a wrong CRC starts a retry
  output logic       phy_reinit_req_o,   // level: retry requests a Recovery of the physical link
  input  logic       phy_reinit_done_i,  // pulse: the physical link has left Recovery, whoever
                                         // requested it

  output logic       init_done_o,        // level: INIT.Param has been sent and received
  output logic       abort_o,            // level: retry has failed; ends with the next link-up
  output logic [7:0] err_o,              // pulses: 0 CRC, 1 protocol or reserved encoding, 2 flit
                                         // before INIT.Param, 3 second INIT.Param, 4 unexpected
                                         // RETRY.Ack, 5 receive overflow, 6 retry started,
                                         // 7 time-out
  output flit_payload_t err_flit_o,      // valid with one of err_o[4:1]: the payload of the flit
  output logic [2:0] err_overflow_o      // valid with err_o[5], the queue that was full: 0 Creq,
                                         // 1 Crsp, 2 Cdat, 4 ND, 5 WD
);

  if (NdRxDepth < 2 || NdRxDepth > 127 || WdRxDepth < 2 || WdRxDepth > 127) begin : g_check_depth
    $error("receive queues hold 2 to 127 messages");
  end

  localparam int unsigned TxDepth = 4;

  // A message with data as one queue word; the data is lowest, so that it stays word aligned.
  typedef struct packed {
    msg_hdr_t hdr;
    byte_en_t be;
    line_t    data;
  } wd_t;

  logic start;

  // Not needed here: counts and second words of queues, duplicate facts of packer and unpacker.
  logic [2:0] unused_txq_nd_count, unused_txq_wd_count;
  msg_hdr_t   unused_rxq_nd1;
  wd_t        unused_rxq_wd1;
  // ---------------------------------------------------------------------------------------------
  // T1: transmit queues
  // ---------------------------------------------------------------------------------------------
  logic [1:0] txq_nd_ready, txq_wd_ready, txq_nd_valid, txq_wd_valid;
  msg_hdr_t   txq_nd0, txq_nd1;
  wd_t        txq_wd0, txq_wd1;
  logic [1:0] nd_taken, wd_taken;      // messages that leave in this cycle's flit

  fifo_dual #(
    .Width ($bits(msg_hdr_t)),
    .Depth (TxDepth)
  ) u_txq_nd (
    .clk_i,
    .rst_ni,
    .clear_i     (tx_flush_i),
    .in_valid_i  ({1'b0, tx_nd_valid_i}),
    .in_ready_o  (txq_nd_ready),
    .in_data0_i  (tx_nd_hdr_i),
    .in_data1_i  ('0),
    .out_valid_o (txq_nd_valid),
    .out_take_i  (nd_taken),
    .out_data0_o (txq_nd0),
    .out_data1_o (txq_nd1),
    .count_o     (unused_txq_nd_count)
  );

  fifo_dual #(
    .Width ($bits(wd_t)),
    .Depth (TxDepth)
  ) u_txq_wd (
    .clk_i,
    .rst_ni,
    .clear_i     (tx_flush_i),
    .in_valid_i  ({1'b0, tx_wd_valid_i}),
    .in_ready_o  (txq_wd_ready),
    .in_data0_i  ({tx_wd_hdr_i, tx_wd_be_i, tx_wd_data_i}),
    .in_data1_i  ('0),
    .out_valid_o (txq_wd_valid),
    .out_take_i  (wd_taken),
    .out_data0_o (txq_wd0),
    .out_data1_o (txq_wd1),
    .count_o     (unused_txq_wd_count)
  );

  assign tx_nd_ready_o = txq_nd_ready[0];
  assign tx_wd_ready_o = txq_wd_ready[0];

  // ---------------------------------------------------------------------------------------------
  // Credits: what the peer granted, and what goes back to it
  // ---------------------------------------------------------------------------------------------
  flit_payload_t rx_payload;
  flit_header_t  rx_header;
  logic          rx_crd_valid, crd_sent;
  logic [3:0]    nd_grant;             // field that refills our ND channel
  logic [9:0]    nd_avail, wd_avail, nd_pending, wd_pending;
  logic [2:0]    nd_code, wd_code;
  logic [3:0]    nd_field, wd_field;
  logic [3:0]    rsp_crd, req_crd, data_crd;     // of the flit that leaves
  logic          nd_sent, wd_sent, cache_pending;
  logic          crd_stall, crd_given;   // the fields left, and were not empty by the stall
  logic          rx_nd_pop, rx_wd_pop;

  assign rx_header = rx_payload[31:0];
  assign nd_grant  = IsHost ? rx_header.req_crd : rx_header.rsp_crd;

  credit_tx u_credit_nd (
    .clk_i,
    .rst_ni,
    .start_i     (start),
    .add_valid_i (rx_crd_valid && nd_grant[3]),
    .add_code_i  (nd_grant[2:0]),
    .use_i       (nd_taken),
    .avail_o     (nd_avail)
  );

  credit_tx u_credit_wd (
    .clk_i,
    .rst_ni,
    .start_i     (start),
    .add_valid_i (rx_crd_valid && rx_header.data_crd[3]),
    .add_code_i  (rx_header.data_crd[2:0]),
    .use_i       (wd_taken),
    .avail_o     (wd_avail)
  );

  credit_return #(
    .Init (NdRxDepth)
  ) u_return_nd (
    .clk_i,
    .rst_ni,
    .start_i   (start),
    .held_i    (link_control_i.nd_held),
    .freed_i   ({1'b0, rx_nd_pop}),
    .sent_i    (nd_sent),
    .code_o    (nd_code),
    .pending_o (nd_pending)
  );

  // Of the unpacker, below: a half gives its credit back at once.
  logic up_wd_valid, up_wd_half;

  credit_return #(
    .Init (WdRxDepth)
  ) u_return_wd (
    .clk_i,
    .rst_ni,
    .start_i   (start),
    .held_i    (link_control_i.wd_held),
    .freed_i   ({1'b0, rx_wd_pop} + 2'(up_wd_half)),
    .sent_i    (wd_sent),
    .code_o    (wd_code),
    .pending_o (wd_pending)
  );

  // While stalled nothing is offered and so nothing leaves the pools; they count on.
  assign crd_stall = link_control_i.crd_stall;
  assign crd_given = crd_sent && !crd_stall;

  // Bit 3 says CXL.mem. The host grants NDR by RspCrd, the device Req by ReqCrd.
  assign nd_field = crd_stall ? 4'd0 : {nd_code != 3'd0, nd_code};
  assign wd_field = crd_stall ? 4'd0 : {wd_code != 3'd0, wd_code};

  // ---------------------------------------------------------------------------------------------
  // T2: packer. R2: unpacker
  // ---------------------------------------------------------------------------------------------
  flit_payload_t  pk_flit;
  logic           pk_hold_new, pk_ak, pk_take, pk_is_adf, pk_has_content;
  logic [1:0]     pk_nd_valid, pk_wd_valid, pk_nd_take, pk_wd_take;
  logic [3:0]     pk_owed;
  logic [1:0]     up_nd_valid;
  msg_hdr_t [1:0] up_nd_hdr;
  wd_t            up_wd;
  logic           rx_accept, rx_err;
  logic [2:0]     cache_overflow;        // Cdat, Crsp, Creq
  logic [3:0]     rx_owed;

  assign pk_nd_valid = txq_nd_valid & {nd_avail > 10'd1, nd_avail != 10'd0};
  assign pk_wd_valid = txq_wd_valid & {wd_avail > 10'd1, wd_avail != 10'd0};

  if (!HasCache) begin : g_mem
    logic [3:0] unused_owed_next;
    logic       unused_is_protocol, unused_is_control, unused_cache;

    flit_packer #(
      .IsHost (IsHost)
    ) u_packer (
      .clk_i,
      .rst_ni,
      .start_i       (start),
      .take_i        (pk_take),
      .hold_new_i    (pk_hold_new),
      .mdh_disable_i (link_control_i.mdh_disable),
      .nd_valid_i    (pk_nd_valid),
      .nd_hdr_i      ({txq_nd1, txq_nd0}),
      .wd_valid_i    (pk_wd_valid),
      .wd_hdr_i      ({txq_wd1.hdr, txq_wd0.hdr}),
      .wd_data_i     ({txq_wd1.data, txq_wd0.data}),
      .wd_be_i       ({txq_wd1.be, txq_wd0.be}),
      .ak_i          (pk_ak),
      .rsp_crd_i     (rsp_crd),
      .req_crd_i     (req_crd),
      .data_crd_i    (data_crd),
      .flit_o        (pk_flit),
      .is_adf_o      (pk_is_adf),
      .has_content_o (pk_has_content),
      .nd_take_o     (pk_nd_take),
      .wd_take_o     (pk_wd_take),
      .owed_o        (pk_owed),
      .owed_next_o   (unused_owed_next)
    );

    flit_unpacker #(
      .IsHost (IsHost)
    ) u_unpacker (
      .clk_i,
      .rst_ni,
      .start_i       (start),
      .mdh_disable_i (link_control_i.mdh_disable),
      .valid_i       (rx_accept),
      .flit_i        (rx_payload),
      .nd_valid_o    (up_nd_valid),
      .nd_hdr_o      (up_nd_hdr),
      .wd_valid_o    (up_wd_valid),
      .wd_hdr_o      (up_wd.hdr),
      .wd_data_o     (up_wd.data),
      .wd_be_o       (up_wd.be),
      .wd_half_o     (up_wd_half),
      .is_protocol_o (unused_is_protocol),
      .is_control_o  (unused_is_control),
      .err_o         (rx_err),
      .owed_o        (rx_owed)
    );

    assign rsp_crd         = IsHost ? nd_field : 4'd0;
    assign req_crd         = IsHost ? 4'd0 : nd_field;
    assign data_crd        = wd_field;
    assign nd_sent         = crd_given;
    assign wd_sent         = crd_given;
    assign cache_pending   = 1'b0;
    assign cache_overflow  = '0;
    assign tx_creq_ready_o = 1'b0;
    assign tx_crsp_ready_o = 1'b0;
    assign tx_cdat_ready_o = 1'b0;
    assign rx_creq_valid_o = 1'b0;
    assign rx_creq_hdr_o   = '0;
    assign rx_crsp_valid_o = 1'b0;
    assign rx_crsp_hdr_o   = '0;
    assign rx_cdat_valid_o = 1'b0;
    assign rx_cdat_hdr_o   = '0;
    assign rx_cdat_data_o  = '0;
    assign rx_cdat_be_o    = '0;

    assign unused_cache = ^{tx_creq_valid_i, tx_creq_hdr_i, tx_crsp_valid_i, tx_crsp_hdr_i,
        tx_cdat_valid_i, tx_cdat_hdr_i, tx_cdat_data_i, tx_cdat_be_i, rx_creq_ready_i,
        rx_crsp_ready_i, rx_cdat_ready_i};
  end else begin : g_cache
    logic [1:0]       pk_creq_valid, pk_crsp_valid, pk_creq_take, pk_crsp_take;
    cache_req_t [1:0] pk_creq_hdr;
    cache_rsp_t [1:0] pk_crsp_hdr;
    logic             pk_cdat_valid, pk_cdat_take;
    cache_dh_t        pk_cdat_hdr;
    line_t            pk_cdat_data;
    byte_en_t         pk_cdat_be;
    logic [3:0]       up_creq_valid, up_crsp_valid;
    cache_req_t [3:0] up_creq_hdr;
    logic [1:0][2:0]  up_creq_older;
    cache_rsp_t [3:0] up_crsp_hdr;
    logic             up_cdat_valid, up_cdat_half;
    cache_dh_t        up_cdat_hdr;
    logic [4:0]       up_owed;
    logic [2:0]       mem_sent;
    logic [2:0][3:0]  shared_crd;
    logic [3:0]       unused_owed_next;
    logic             unused_is_protocol, unused_is_control;

    cache_packer #(
      .IsHost (IsHost)
    ) u_packer (
      .clk_i,
      .rst_ni,
      .start_i       (start),
      .take_i        (pk_take),
      .hold_new_i    (pk_hold_new),
      .mdh_disable_i (link_control_i.mdh_disable),
      .nd_valid_i    (pk_nd_valid),
      .nd_hdr_i      ({txq_nd1, txq_nd0}),
      .wd_valid_i    (pk_wd_valid),
      .wd_hdr_i      ({txq_wd1.hdr, txq_wd0.hdr}),
      .wd_data_i     ({txq_wd1.data, txq_wd0.data}),
      .wd_be_i       ({txq_wd1.be, txq_wd0.be}),
      .creq_valid_i  (pk_creq_valid),
      .creq_hdr_i    (pk_creq_hdr),
      .crsp_valid_i  (pk_crsp_valid),
      .crsp_hdr_i    (pk_crsp_hdr),
      .cdat_valid_i  (pk_cdat_valid),
      .cdat_hdr_i    (pk_cdat_hdr),
      .cdat_data_i   (pk_cdat_data),
      .cdat_be_i     (pk_cdat_be),
      .ak_i          (pk_ak),
      .rsp_crd_i     (rsp_crd),
      .req_crd_i     (req_crd),
      .data_crd_i    (data_crd),
      .flit_o        (pk_flit),
      .is_adf_o      (pk_is_adf),
      .has_content_o (pk_has_content),
      .nd_take_o     (pk_nd_take),
      .wd_take_o     (pk_wd_take),
      .creq_take_o   (pk_creq_take),
      .crsp_take_o   (pk_crsp_take),
      .cdat_take_o   (pk_cdat_take),
      .owed_o        (pk_owed),
      .owed_next_o   (unused_owed_next)
    );

    cache_unpacker #(
      .IsHost (IsHost)
    ) u_unpacker (
      .clk_i,
      .rst_ni,
      .start_i       (start),
      .mdh_disable_i (link_control_i.mdh_disable),
      .valid_i       (rx_accept),
      .flit_i        (rx_payload),
      .nd_valid_o    (up_nd_valid),
      .nd_hdr_o      (up_nd_hdr),
      .wd_valid_o    (up_wd_valid),
      .wd_hdr_o      (up_wd.hdr),
      .wd_data_o     (up_wd.data),
      .wd_be_o       (up_wd.be),
      .wd_half_o     (up_wd_half),
      .creq_valid_o  (up_creq_valid),
      .creq_hdr_o    (up_creq_hdr),
      .creq_older_o  (up_creq_older),
      .crsp_valid_o  (up_crsp_valid),
      .crsp_hdr_o    (up_crsp_hdr),
      .cdat_valid_o  (up_cdat_valid),
      .cdat_hdr_o    (up_cdat_hdr),
      .cdat_half_o   (up_cdat_half),
      .is_protocol_o (unused_is_protocol),
      .is_control_o  (unused_is_control),
      .err_o         (rx_err),
      .owed_o        (up_owed)
    );

    cache_channels #(
      .IsHost      (IsHost),
      .CreqRxDepth (CreqRxDepth),
      .CrspRxDepth (CrspRxDepth),
      .CdatRxDepth (CdatRxDepth)
    ) u_channels (
      .clk_i,
      .rst_ni,
      .start_i         (start),
      .tx_flush_i,
      .tx_creq_valid_i,
      .tx_creq_ready_o,
      .tx_creq_hdr_i,
      .tx_crsp_valid_i,
      .tx_crsp_ready_o,
      .tx_crsp_hdr_i,
      .tx_cdat_valid_i,
      .tx_cdat_ready_o,
      .tx_cdat_hdr_i,
      .tx_cdat_data_i,
      .tx_cdat_be_i,
      .rx_creq_valid_o,
      .rx_creq_ready_i,
      .rx_creq_hdr_o,
      .rx_crsp_valid_o,
      .rx_crsp_ready_i,
      .rx_crsp_hdr_o,
      .rx_cdat_valid_o,
      .rx_cdat_ready_i,
      .rx_cdat_hdr_o,
      .rx_cdat_data_o,
      .rx_cdat_be_o,
      .pk_creq_valid_o (pk_creq_valid),
      .pk_creq_hdr_o   (pk_creq_hdr),
      .pk_crsp_valid_o (pk_crsp_valid),
      .pk_crsp_hdr_o   (pk_crsp_hdr),
      .pk_cdat_valid_o (pk_cdat_valid),
      .pk_cdat_hdr_o   (pk_cdat_hdr),
      .pk_cdat_data_o  (pk_cdat_data),
      .pk_cdat_be_o    (pk_cdat_be),
      .creq_taken_i    (pk_take ? pk_creq_take : 2'd0),
      .crsp_taken_i    (pk_take ? pk_crsp_take : 2'd0),
      .cdat_taken_i    (pk_take && pk_cdat_take),
      .up_creq_valid_i (up_creq_valid),
      .up_creq_hdr_i   (up_creq_hdr),
      .up_creq_older_i (up_creq_older),
      .up_crsp_valid_i (up_crsp_valid),
      .up_crsp_hdr_i   (up_crsp_hdr),
      .up_cdat_valid_i (up_cdat_valid),
      .up_cdat_hdr_i   (up_cdat_hdr),
      .up_cdat_half_i  (up_cdat_half),
      .up_data_i       (up_wd.data),
      .up_be_i         (up_wd.be),
      .overflow_o      (cache_overflow),
      .rx_crd_valid_i  (rx_crd_valid),
      .rx_rsp_crd_i    (rx_header.rsp_crd),
      .rx_req_crd_i    (rx_header.req_crd),
      .rx_data_crd_i   (rx_header.data_crd),
      .mem_crd_i       ({wd_field, IsHost ? 4'd0 : nd_field, IsHost ? nd_field : 4'd0}),
      .crd_o           (shared_crd),
      .crd_sent_i      (crd_given),
      .mem_sent_o      (mem_sent),
      .crd_pending_o   (cache_pending)
    );

    assign {data_crd, req_crd, rsp_crd} = crd_stall ? 12'd0 : shared_crd;

    // The link layer asks only whether four chunks or more are owed.
    assign rx_owed = up_owed[4] ? 4'd15 : up_owed[3:0];
    assign nd_sent = IsHost ? mem_sent[0] : mem_sent[1];
    assign wd_sent = mem_sent[2];

    logic unused_mem_sent;
    assign unused_mem_sent = ^mem_sent;
  end

  assign nd_taken = pk_take ? pk_nd_take : 2'd0;
  assign wd_taken = pk_take ? pk_wd_take : 2'd0;

  // ---------------------------------------------------------------------------------------------
  // Link layer: T2 select, T3, R1, R2
  // ---------------------------------------------------------------------------------------------
  logic         rx_overflow;
  link_status_t layer_status;

  link_layer #(
    .LlrbDepth        (LlrbDepth),
    .LlrWrapInclusive (LlrWrapInclusive)
  ) u_link (
    .clk_i,
    .rst_ni,
    .link_up_i,
    .start_o          (start),
    .viral_i,
    .viral_o,
    .init_stall_i     (link_control_i.init_stall),
    .crd_stall_i      (crd_stall),
    .ack_force_i      (link_control_i.ack_force),
    .flush_i          (link_control_i.flush),
    .link_status_o    (layer_status),
    .pk_hold_new_o    (pk_hold_new),
    .pk_ak_o          (pk_ak),
    .pk_take_o        (pk_take),
    .pk_flit_i        (pk_flit),
    .pk_is_adf_i      (pk_is_adf),
    .pk_has_content_i (pk_has_content),
    .pk_owed_i        (pk_owed),
    .rsp_crd_i        (rsp_crd),
    .req_crd_i        (req_crd),
    .data_crd_i       (data_crd),
    .crd_pending_i    (!crd_stall &&
                       (nd_pending != 10'd0 || wd_pending != 10'd0 || cache_pending)),
    .crd_sent_o       (crd_sent),
    .rx_accept_o      (rx_accept),
    .rx_payload_o     (rx_payload),
    .rx_crd_valid_o   (rx_crd_valid),
    .rx_owed_i        (rx_owed),
    .rx_err_i         (rx_err),
    .rx_overflow_i    (rx_overflow),
    .link_tx_valid_o,
    .link_tx_ready_i,
    .link_tx_flit_o,
    .link_rx_valid_i,
    .link_rx_flit_i,
    .phy_reinit_req_o,
    .phy_reinit_done_i,
    .init_done_o,
    .abort_o,
    .err_o,
    .err_flit_o
  );

  // The link layer leaves these four 0.
  assign link_status_o = layer_status |
      {wd_avail, nd_avail, wd_pending, nd_pending, 56'd0};

  // ---------------------------------------------------------------------------------------------
  // R2: receive queues
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned NdCountBits = $clog2(NdRxDepth + 1);
  localparam int unsigned WdCountBits = $clog2(WdRxDepth + 1);

  // CXL 2.0, 8.2.5.9: what the header log says of a receiver overflow.
  localparam logic [2:0] OverflowReq  = 3'd0;
  localparam logic [2:0] OverflowRsp  = 3'd1;
  localparam logic [2:0] OverflowData = 3'd2;
  localparam logic [2:0] OverflowNd   = 3'd4;
  localparam logic [2:0] OverflowWd   = 3'd5;

  logic                   nd_overflow, wd_overflow;

  logic [1:0]             rxq_nd_ready, rxq_nd_valid;
  wd_t                    rxq_wd;
  logic [1:0]             rxq_wd_ready, rxq_wd_valid;
  logic [NdCountBits-1:0] rxq_nd_count;
  logic [WdCountBits-1:0] rxq_wd_count;

  fifo_dual #(
    .Width ($bits(msg_hdr_t)),
    .Depth (NdRxDepth)
  ) u_rxq_nd (
    .clk_i,
    .rst_ni,
    .clear_i     (start),
    .in_valid_i  (up_nd_valid),
    .in_ready_o  (rxq_nd_ready),
    .in_data0_i  (up_nd_hdr[0]),
    .in_data1_i  (up_nd_hdr[1]),
    .out_valid_o (rxq_nd_valid),
    .out_take_i  ({1'b0, rx_nd_pop}),
    .out_data0_o (rx_nd_hdr_o),
    .out_data1_o (unused_rxq_nd1),
    .count_o     (rxq_nd_count)
  );

  fifo_dual #(
    .Width ($bits(wd_t)),
    .Depth (WdRxDepth)
  ) u_rxq_wd (
    .clk_i,
    .rst_ni,
    .clear_i     (start),
    .in_valid_i  ({1'b0, up_wd_valid}),
    .in_ready_o  (rxq_wd_ready),
    .in_data0_i  (up_wd),
    .in_data1_i  ('0),
    .out_valid_o (rxq_wd_valid),
    .out_take_i  ({1'b0, rx_wd_pop}),
    .out_data0_o (rxq_wd),
    .out_data1_o (unused_rxq_wd1),
    .count_o     (rxq_wd_count)
  );

  assign nd_overflow   = |(up_nd_valid & ~rxq_nd_ready);
  assign wd_overflow   = up_wd_valid && !rxq_wd_ready[0];
  assign rx_overflow   = nd_overflow || wd_overflow || cache_overflow != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                err_overflow_o <= '0;
    else if (cache_overflow[0]) err_overflow_o <= OverflowReq;
    else if (cache_overflow[1]) err_overflow_o <= OverflowRsp;
    else if (cache_overflow[2]) err_overflow_o <= OverflowData;
    else if (nd_overflow)       err_overflow_o <= OverflowNd;
    else if (wd_overflow)       err_overflow_o <= OverflowWd;
  end

  assign rx_nd_valid_o = rxq_nd_valid[0];
  assign rx_wd_valid_o = rxq_wd_valid[0];
  assign rx_wd_hdr_o   = rxq_wd.hdr;
  assign rx_wd_data_o  = rxq_wd.data;
  assign rx_wd_be_o    = rxq_wd.be;
  assign rx_nd_pop     = rx_nd_valid_o && rx_nd_ready_i;
  assign rx_wd_pop     = rx_wd_valid_o && rx_wd_ready_i;
  assign rx_nd_count_o = 7'(rxq_nd_count);
  assign rx_wd_count_o = 7'(rxq_wd_count);

  logic       unused;
  assign unused = ^{txq_nd_ready[1], txq_wd_ready[1], rxq_nd_valid[1], rxq_wd_valid[1],
      rxq_wd_ready[1], rx_header[19:0]};

  a_tx_nd: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_nd_valid_i && !tx_nd_ready_o) |=> !tx_nd_valid_i || $stable(tx_nd_hdr_i))
    else $error("a waiting message without data was changed");
  a_tx_wd: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_wd_valid_i && !tx_wd_ready_o) |=> !tx_wd_valid_i || $stable(tx_wd_data_i))
    else $error("the data of a waiting message was changed");
  a_crd_stall: assert property (@(posedge clk_i) disable iff (!rst_ni)
      crd_stall |-> {data_crd, req_crd, rsp_crd} == 12'd0 && !nd_sent && !wd_sent)
    else $error("credits left while they are stalled");
  a_tx_valid: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!tx_nd_valid_i || tx_nd_hdr_i[0]) && (!tx_wd_valid_i || tx_wd_hdr_i[0]))
    else $error("a message to send has its Valid bit clear");

endmodule
