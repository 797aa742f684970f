// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.cache side of a controller: transmit and receive queues of the three channels each way,
// their credits, the order of snoops after GOs, and the credit fields that cache and mem share.
//
//   channel   host sends   device sends   granted by the receiver in
//   Creq      H2D Req      D2H Req        ReqCrd
//   Crsp      H2D Rsp      D2H Rsp        RspCrd
//   Cdat      H2D Data     D2H Data       DataCrd
//
// Source: CXL 2.0, chapters 3.2 (CXL.cache) and 4.2 (link layer);
//         docs/blocks/controller/cache_channels.md gives the cycles.

module cache_channels
  import cxl_pkg::*;
#(
  parameter bit          IsHost = 1'b1,     // 0 or 1: device or host, whose messages differ
  parameter int unsigned CreqRxDepth = 16,  // 4..127: entries for Creq, all granted as credits
  parameter int unsigned CrspRxDepth = 16,  // 4..127: entries for Crsp, likewise
  parameter int unsigned CdatRxDepth = 16   // 4..127: entries for Cdat, likewise
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,          // pulse: the link starts; receive queues are emptied,
                                             // there are no credits to send with, all depths to
                                             // return
  input  logic             tx_flush_i,       // level: discards what waits in the transmit queues or
                                             // is offered to them

  input  logic             tx_creq_valid_i,  // a request to send (host H2D Req, device D2H Req);
                                             // may be withdrawn while it waits, not changed
  output logic             tx_creq_ready_o,  // low while 4 messages wait in the transmit queue
  input  cache_req_t       tx_creq_hdr_i,    // the message in wire layout from bit 0, Valid set;
                                             // bits beyond its end are ignored
  input  logic             tx_crsp_valid_i,  // a response to send (H2D Rsp, D2H Rsp), likewise
  output logic             tx_crsp_ready_o,  // low while 4 messages wait in the transmit queue
  input  cache_rsp_t       tx_crsp_hdr_i,    // the message, as tx_creq_hdr_i
  input  logic             tx_cdat_valid_i,  // a line to send (H2D Data, D2H Data), likewise
  output logic             tx_cdat_ready_o,  // low while 4 messages wait in the transmit queue
  input  cache_dh_t        tx_cdat_hdr_i,    // the header, as tx_creq_hdr_i
  input  line_t            tx_cdat_data_i,   // the line, byte 0 in bits 7:0
  input  byte_en_t         tx_cdat_be_i,     // byte enables, bit k for byte k; a host ignores them

  output logic             rx_creq_valid_o,  // a request received (host D2H Req, device H2D Req,
                                             // not before the Rsp sent ahead of it are taken);
                                             // stays until taken or start_i
  input  logic             rx_creq_ready_i,  // takes it, and its credit returns
  output cache_req_t       rx_creq_hdr_o,    // the message in wire layout from bit 0, then 0
  output logic             rx_crsp_valid_o,  // a response received (D2H Rsp, H2D Rsp), likewise
  input  logic             rx_crsp_ready_i,  // takes it, and its credit returns
  output cache_rsp_t       rx_crsp_hdr_o,    // the message, as rx_creq_hdr_o
  output logic             rx_cdat_valid_o,  // a line received (D2H Data, H2D Data), likewise
  input  logic             rx_cdat_ready_i,  // takes it, and its credit returns
  output cache_dh_t        rx_cdat_hdr_o,    // the header, as rx_creq_hdr_o
  output line_t            rx_cdat_data_o,   // the line, byte 0 in bits 7:0
  output byte_en_t         rx_cdat_be_o,     // byte enables; all ones if none were sent

  // Packer: what may be sent, and what is
  output logic [1:0]       pk_creq_valid_o,  // the oldest two Creq that may leave now, bit 0 the
                                             // oldest: 0, 1 or 3
  output cache_req_t [1:0] pk_creq_hdr_o,    // the messages in wire layout from bit 0
  output logic [1:0]       pk_crsp_valid_o,  // the oldest two Crsp, likewise
  output cache_rsp_t [1:0] pk_crsp_hdr_o,    // the messages, likewise
  output logic             pk_cdat_valid_o,  // the oldest Cdat may leave now
  output cache_dh_t        pk_cdat_hdr_o,    // its header, valid with pk_cdat_valid_o
  output line_t            pk_cdat_data_o,   // its line, likewise
  output byte_en_t         pk_cdat_be_o,     // its byte enables, likewise
  input  logic [1:0]       creq_taken_i,     // 0..2: Creq that leave now, at most those offered
  input  logic [1:0]       crsp_taken_i,     // 0..2: Crsp, likewise
  input  logic             cdat_taken_i,     // the Cdat leaves now; only with pk_cdat_valid_o

  // Unpacker
  input  logic [3:0]       up_creq_valid_i,  // Creq in a flit received, from bit 0: up to 4 at a
                                             // host, up to 2 at a device; one without room is lost
  input  cache_req_t [3:0] up_creq_hdr_i,    // the messages in wire layout from bit 0
  input  logic [1:0][2:0]  up_creq_older_i,  // 0..4, device: Crsp in the flit before Creq 0, 1
  input  logic [3:0]       up_crsp_valid_i,  // Crsp in it, likewise: host up to 2, device up to 4
  input  cache_rsp_t [3:0] up_crsp_hdr_i,    // the messages, likewise
  input  logic             up_cdat_valid_i,  // a Cdat that it completes; lost without room
  input  cache_dh_t        up_cdat_hdr_i,    // its header, valid with up_cdat_valid_i
  input  logic             up_cdat_half_i,   // pulse: a first half starts, and its credit returns
  input  line_t            up_data_i,        // its line, valid with up_cdat_valid_i
  input  byte_en_t         up_be_i,          // its byte enables, all ones if none were sent
  output logic [2:0]       overflow_o,       // pulses: 0 Creq, 1 Crsp, 2 Cdat found its queue full

  // Credits: fields received; mem's fields in, shared fields out
  input  logic             rx_crd_valid_i,   // pulse: the three fields below were received
  input  logic [3:0]       rx_rsp_crd_i,     // credits for Crsp by the code in 2:0, if bit 3 is 0
  input  logic [3:0]       rx_req_crd_i,     // credits for Creq, likewise
  input  logic [3:0]       rx_data_crd_i,    // credits for Cdat, likewise
  input  logic [2:0][3:0]  mem_crd_i,        // CXL.mem's fields, 0 Rsp, 1 Req, 2 Data, here and
                                             // below: bit 3 set and a code, or 0 for none
  output logic [2:0][3:0]  crd_o,            // fields to send: a code, bit 3 set for CXL.mem; or 0
  input  logic             crd_sent_i,       // pulse: the fields of crd_o leave
  output logic [2:0]       mem_sent_o,       // with crd_sent_i: the field that leaves is CXL.mem's
  output logic             crd_pending_o     // level: a pool of CXL.cache has credits to return
);

  if (CreqRxDepth < 4 || CreqRxDepth > 127 || CrspRxDepth < 4 || CrspRxDepth > 127 ||
      CdatRxDepth < 4 || CdatRxDepth > 127) begin : g_check_depth
    $error("CXL.cache receive queues hold 4 to 127 messages");
  end

  localparam int unsigned TxDepth = 4;
  localparam int unsigned TxCountBits = $clog2(TxDepth + 1);
  localparam int unsigned CrspCountBits = $clog2(CrspRxDepth + 1);
  localparam int unsigned CreqMax = IsHost ? 4 : 2;   // a flit
  localparam int unsigned CrspMax = IsHost ? 2 : 4;

  typedef struct packed {
    cache_dh_t hdr;
    byte_en_t  be;
    line_t     data;
  } cdat_t;

  // Not needed here: counts, room for more than there is.
  logic [2:0]                         unused_creq_count, unused_cdat_count;
  logic [$clog2(CreqRxDepth + 1)-1:0] unused_rxq_creq_count;
  logic [$clog2(CdatRxDepth + 1)-1:0] unused_rxq_cdat_count;
  logic                               unused;

  // ---------------------------------------------------------------------------------------------
  // T1: transmit queues
  // ---------------------------------------------------------------------------------------------
  logic [1:0]             creq_ready, crsp_ready, creq_waits, crsp_waits, creq_free;
  logic [TxCountBits-1:0] crsp_count;
  logic                   cdat_waits;
  cdat_t                  cdat_head;
  logic [9:0]             creq_avail, crsp_avail, cdat_avail;

  fifo_dual #(
    .Width (D2hReqBits),
    .Depth (TxDepth)
  ) u_txq_creq (
    .clk_i,
    .rst_ni,
    .clear_i     (tx_flush_i),
    .in_valid_i  ({1'b0, tx_creq_valid_i}),
    .in_ready_o  (creq_ready),
    .in_data0_i  (tx_creq_hdr_i),
    .in_data1_i  ('0),
    .out_valid_o (creq_waits),
    .out_take_i  (creq_taken_i),
    .out_data0_o (pk_creq_hdr_o[0]),
    .out_data1_o (pk_creq_hdr_o[1]),
    .count_o     (unused_creq_count)
  );

  fifo_dual #(
    .Width (H2dRspBits),
    .Depth (TxDepth)
  ) u_txq_crsp (
    .clk_i,
    .rst_ni,
    .clear_i     (tx_flush_i),
    .in_valid_i  ({1'b0, tx_crsp_valid_i}),
    .in_ready_o  (crsp_ready),
    .in_data0_i  (tx_crsp_hdr_i),
    .in_data1_i  ('0),
    .out_valid_o (crsp_waits),
    .out_take_i  (crsp_taken_i),
    .out_data0_o (pk_crsp_hdr_o[0]),
    .out_data1_o (pk_crsp_hdr_o[1]),
    .count_o     (crsp_count)
  );

  fifo_multi #(
    .Width ($bits(cdat_t)),
    .Depth (TxDepth),
    .In    (1)
  ) u_txq_cdat (
    .clk_i,
    .rst_ni,
    .clear_i     (tx_flush_i),
    .in_valid_i  (tx_cdat_valid_i),
    .in_ready_o  (tx_cdat_ready_o),
    .in_data_i   ({tx_cdat_hdr_i, tx_cdat_be_i, tx_cdat_data_i}),
    .out_valid_o (cdat_waits),
    .out_ready_i (cdat_taken_i),
    .out_data_o  (cdat_head),
    .count_o     (unused_cdat_count)
  );

  assign unused          = ^{creq_ready[1], crsp_ready[1]};
  assign tx_creq_ready_o = creq_ready[0];
  assign tx_crsp_ready_o = crsp_ready[0];
  assign pk_cdat_hdr_o   = cdat_head.hdr;
  assign pk_cdat_data_o  = cdat_head.data;
  assign pk_cdat_be_o    = cdat_head.be;

  assign pk_creq_valid_o = creq_waits & creq_free & {creq_avail > 10'd1, creq_avail != 10'd0};
  assign pk_crsp_valid_o = crsp_waits & {crsp_avail > 10'd1, crsp_avail != 10'd0};
  assign pk_cdat_valid_o = cdat_waits && cdat_avail != 10'd0;

  // ---------------------------------------------------------------------------------------------
  // R2: receive queues
  // ---------------------------------------------------------------------------------------------
  logic [CreqMax-1:0]       rxq_creq_ready;
  logic [CrspMax-1:0]       rxq_crsp_ready;
  logic                     rxq_creq_valid, rxq_creq_free, rxq_cdat_ready;
  logic [CrspCountBits-1:0] rxq_crsp_count;
  logic                     creq_pop, crsp_pop, cdat_pop;
  cdat_t                    rxq_cdat;

  fifo_multi #(
    .Width (D2hReqBits),
    .Depth (CreqRxDepth),
    .In    (CreqMax)
  ) u_rxq_creq (
    .clk_i,
    .rst_ni,
    .clear_i     (start_i),
    .in_valid_i  (up_creq_valid_i[CreqMax-1:0]),
    .in_ready_o  (rxq_creq_ready),
    .in_data_i   (up_creq_hdr_i[CreqMax-1:0]),
    .out_valid_o (rxq_creq_valid),
    .out_ready_i (creq_pop),
    .out_data_o  (rx_creq_hdr_o),
    .count_o     (unused_rxq_creq_count)
  );

  fifo_multi #(
    .Width (H2dRspBits),
    .Depth (CrspRxDepth),
    .In    (CrspMax)
  ) u_rxq_crsp (
    .clk_i,
    .rst_ni,
    .clear_i     (start_i),
    .in_valid_i  (up_crsp_valid_i[CrspMax-1:0]),
    .in_ready_o  (rxq_crsp_ready),
    .in_data_i   (up_crsp_hdr_i[CrspMax-1:0]),
    .out_valid_o (rx_crsp_valid_o),
    .out_ready_i (rx_crsp_ready_i),
    .out_data_o  (rx_crsp_hdr_o),
    .count_o     (rxq_crsp_count)
  );

  fifo_multi #(
    .Width ($bits(cdat_t)),
    .Depth (CdatRxDepth),
    .In    (1)
  ) u_rxq_cdat (
    .clk_i,
    .rst_ni,
    .clear_i     (start_i),
    .in_valid_i  (up_cdat_valid_i),
    .in_ready_o  (rxq_cdat_ready),
    .in_data_i   ({up_cdat_hdr_i, up_be_i, up_data_i}),
    .out_valid_o (rx_cdat_valid_o),
    .out_ready_i (rx_cdat_ready_i),
    .out_data_o  (rxq_cdat),
    .count_o     (unused_rxq_cdat_count)
  );

  assign rx_creq_valid_o = rxq_creq_valid && rxq_creq_free;
  assign rx_cdat_hdr_o   = rxq_cdat.hdr;
  assign rx_cdat_data_o  = rxq_cdat.data;
  assign rx_cdat_be_o    = rxq_cdat.be;
  assign creq_pop        = rx_creq_valid_o && rx_creq_ready_i;
  assign crsp_pop        = rx_crsp_valid_o && rx_crsp_ready_i;
  assign cdat_pop        = rx_cdat_valid_o && rx_cdat_ready_i;
  assign overflow_o      = {up_cdat_valid_i && !rxq_cdat_ready,
                            |(up_crsp_valid_i[CrspMax-1:0] & ~rxq_crsp_ready),
                            |(up_creq_valid_i[CreqMax-1:0] & ~rxq_creq_ready)};

  // ---------------------------------------------------------------------------------------------
  // H2D: no snoop before the GO that was sent before it
  // ---------------------------------------------------------------------------------------------
  if (IsHost) begin : g_order_tx
    logic [1:0][TxCountBits-1:0] older;

    always_comb begin
      older[0] = crsp_count + TxCountBits'(tx_crsp_valid_i && tx_crsp_ready_o) -
                 TxCountBits'(crsp_taken_i);
      older[1] = '0;
    end

    cache_order #(
      .Depth      (TxDepth),
      .OtherDepth (TxDepth)
    ) u_order (
      .clk_i,
      .rst_ni,
      .clear_i      (tx_flush_i),
      .push_i       ({1'b0, tx_creq_valid_i && tx_creq_ready_o}),
      .older_i      (older),
      .take_i       (creq_taken_i),
      .other_left_i (crsp_taken_i),
      .free_o       (creq_free)
    );

    logic unused_host;
    assign unused_host   = ^{up_creq_older_i, up_crsp_valid_i[3:CrspMax], up_crsp_hdr_i[3:CrspMax],
        rxq_crsp_count};
    assign rxq_creq_free = 1'b1;
  end else begin : g_order_rx
    logic [1:0][CrspCountBits-1:0] older;
    logic [7:0]                    ahead;
    logic [1:0]                    unused_free;

    always_comb begin
      ahead = '0;
      older  = '0;
      for (int unsigned k = 0; k < 2; k++) begin
        ahead = 8'(rxq_crsp_count) + 8'(up_creq_older_i[k]);
        if (ahead > 8'(CrspRxDepth)) ahead = 8'(CrspRxDepth);
        older[k] = CrspCountBits'(ahead - 8'(crsp_pop));
      end
    end

    cache_order #(
      .Depth      (CreqRxDepth),
      .OtherDepth (CrspRxDepth)
    ) u_order (
      .clk_i,
      .rst_ni,
      .clear_i      (start_i),
      .push_i       (up_creq_valid_i[1:0] & rxq_creq_ready),
      .older_i      (older),
      .take_i       ({1'b0, creq_pop}),
      .other_left_i ({1'b0, crsp_pop}),
      .free_o       ({unused_free[0], rxq_creq_free})
    );

    logic unused_device;
    assign unused_free[1] = 1'b0;
    assign unused_device  = ^{up_creq_valid_i[3:CreqMax], up_creq_hdr_i[3:CreqMax],
        unused_free, crsp_count};
    assign creq_free      = 2'b11;
  end

  // ---------------------------------------------------------------------------------------------
  // Credits
  // ---------------------------------------------------------------------------------------------
  logic [2:0][2:0] code;
  logic [2:0][9:0] pending;
  logic [2:0]      cache_sent, prefer_q, both, use_cache;

  credit_tx u_credit_crsp (
    .clk_i,
    .rst_ni,
    .start_i,
    .add_valid_i (rx_crd_valid_i && !rx_rsp_crd_i[3]),
    .add_code_i  (rx_rsp_crd_i[2:0]),
    .use_i       (crsp_taken_i),
    .avail_o     (crsp_avail)
  );

  credit_tx u_credit_creq (
    .clk_i,
    .rst_ni,
    .start_i,
    .add_valid_i (rx_crd_valid_i && !rx_req_crd_i[3]),
    .add_code_i  (rx_req_crd_i[2:0]),
    .use_i       (creq_taken_i),
    .avail_o     (creq_avail)
  );

  credit_tx u_credit_cdat (
    .clk_i,
    .rst_ni,
    .start_i,
    .add_valid_i (rx_crd_valid_i && !rx_data_crd_i[3]),
    .add_code_i  (rx_data_crd_i[2:0]),
    .use_i       ({1'b0, cdat_taken_i}),
    .avail_o     (cdat_avail)
  );

  credit_return #(
    .Init (CrspRxDepth)
  ) u_return_crsp (
    .clk_i,
    .rst_ni,
    .start_i,
    .held_i    ('0),
    .freed_i   ({1'b0, crsp_pop}),
    .sent_i    (cache_sent[0]),
    .code_o    (code[0]),
    .pending_o (pending[0])
  );

  credit_return #(
    .Init (CreqRxDepth)
  ) u_return_creq (
    .clk_i,
    .rst_ni,
    .start_i,
    .held_i    ('0),
    .freed_i   ({1'b0, creq_pop}),
    .sent_i    (cache_sent[1]),
    .code_o    (code[1]),
    .pending_o (pending[1])
  );

  credit_return #(
    .Init (CdatRxDepth)
  ) u_return_cdat (
    .clk_i,
    .rst_ni,
    .start_i,
    .held_i    ('0),
    .freed_i   ({1'b0, cdat_pop} + 2'(up_cdat_half_i)),
    .sent_i    (cache_sent[2]),
    .code_o    (code[2]),
    .pending_o (pending[2])
  );

  // A field names one pool; the one it named last waits if both have something to return.
  always_comb begin
    for (int unsigned f = 0; f < 3; f++) begin
      both[f]       = code[f] != 3'd0 && mem_crd_i[f] != 4'd0;
      use_cache[f]  = both[f] ? prefer_q[f] : code[f] != 3'd0;
      crd_o[f]      = use_cache[f] ? {1'b0, code[f]} : mem_crd_i[f];
      cache_sent[f] = crd_sent_i && use_cache[f];
      mem_sent_o[f] = crd_sent_i && !use_cache[f] && mem_crd_i[f] != 4'd0;
    end
  end

  assign crd_pending_o = pending != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      prefer_q <= '0;
    else if (start_i) prefer_q <= '0;
    else              prefer_q <= (prefer_q | mem_sent_o) & ~cache_sent;
  end

  a_tx_creq: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_creq_valid_i && !tx_creq_ready_o) |=> !tx_creq_valid_i || $stable(tx_creq_hdr_i))
    else $error("a waiting request of CXL.cache was changed");
  a_tx_crsp: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_crsp_valid_i && !tx_crsp_ready_o) |=> !tx_crsp_valid_i || $stable(tx_crsp_hdr_i))
    else $error("a waiting response of CXL.cache was changed");
  a_tx_cdat: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_cdat_valid_i && !tx_cdat_ready_o) |=> !tx_cdat_valid_i || $stable(tx_cdat_data_i))
    else $error("the data of a waiting CXL.cache message was changed");
  a_tx_valid: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!tx_creq_valid_i || tx_creq_hdr_i[0]) && (!tx_crsp_valid_i || tx_crsp_hdr_i[0]) &&
      (!tx_cdat_valid_i || tx_cdat_hdr_i[0]))
    else $error("a CXL.cache message to send has its Valid bit clear");
  a_field: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cache_sent & mem_sent_o) == '0)
    else $error("a credit field counts as sent for both CXL.cache and CXL.mem");

endmodule
