// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Data link of CXL.io, one end: carries TLPs over 512-bit flits. It sends TLPs of at most 2 DW of
// data, one TLP or DLLP a flit, and takes any that a peer may send (io_receiver). LCRC and sequence
// numbers, Ack and Nak, replay, credit initialisation and update for virtual channel 0.
//
// Source:  PCI Express Base 5.0, chapters 2.6 (flow control), 3 (data link), 4.2.2 (tokens).
// Latency: a TLP taken in cycle n is offered as a flit in n+3; a flit received in n is at the TLP
//          output in n+3.

module io_link
  import cxl_io_pkg::*;
#(
  parameter int unsigned PHdr = 4,              // 1..127: posted header credits granted
  parameter int unsigned PData = 8,             // PHdr..2047: posted data credits, 16 bytes each
  parameter int unsigned NpHdr = 4,             // 1..127: non-posted header credits granted
  parameter int unsigned NpData = 4,            // NpHdr..2047: non-posted data credits
  parameter int unsigned CplRoom = 4,           // 1..2^31: room for completions, credits infinite
  parameter bit          Infinite = 1'b0,       // 0 or 1: infinite credits for all, no UpdateFC;
                                                // the peer keeps within PHdr + NpHdr + CplRoom TLPs
  parameter int unsigned ReplayDepth = 4,       // 2..64, a power of two: TLPs unacknowledged
  parameter int unsigned ReplayTimeout = 6144,  // 1..2^32-2, cycles without progress until a replay
                                                // (PCIe: 24,000 to 31,000 symbol times)
  parameter int unsigned FcRefresh = 30000      // 1..2^32-2, cycles between UpdateFC that are sent
                                                // in any case (PCIe: 30 to 45 us)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,       // level: link of the ARB/MUX; low: all is as after reset
  output logic         dl_up_o,         // level: DL_Active, TLPs go both ways

  // ARB/MUX
  output logic         io_tx_valid_o,   // a flit; stays until taken, or until the next link is up
  input  logic         io_tx_ready_i,   // takes the flit; may be low for any time
  output logic [511:0] io_tx_data_o,    // one TLP or DLLP from byte 0 on, zeros behind
  input  logic         io_rx_valid_i,   // a received flit, never stalled
  input  logic [511:0] io_rx_data_i,    // 16 DW of the symbol stream; packets begin in any of them

  // TLPs
  input  logic         tlp_tx_valid_i,  // a TLP; stays until taken with dl_up_o and link_up_i
  output logic         tlp_tx_ready_o,  // low without dl_up_o, and while the TLP before waits
  input  tlp_t         tlp_tx_i,        // no prefix, no ECRC, 0 to 2 DW of data, zeros behind
  output logic         tlp_rx_valid_o,  // a good TLP, all classes in order; may come before dl_up_o
  input  logic         tlp_rx_ready_i,  // takes the TLP; its credits are returned then
  output tlp_t         tlp_rx_o,        // header, first two DW of data, zeros behind

  output logic [8:0]   err_o,           // pulses: 0 damaged TLP, 1 damaged DLLP, 2 replay for a
                                        // Nak, 3 replay for a timeout, 4 four failed replays, 5 Ack
                                        // or Nak out of range, 6 malformed TLP, 7 no room for a
                                        // TLP, 8 framing error (with 0)
  output logic [127:0] err_hdr_o        // header of the TLP of err_o[7:6], as in tlp_t; else 0
);

  if (ReplayDepth < 2 || ReplayDepth > 64 || (ReplayDepth & (ReplayDepth - 1)) != 0) begin : g_depth
    $error("io_link: ReplayDepth is a power of two, 2 to 64");
  end
  if (PHdr < 1 || PHdr > 127 || NpHdr < 1 || NpHdr > 127 || PData < PHdr || PData > 2047 ||
      NpData < NpHdr || NpData > 2047 || CplRoom < 1) begin : g_credits
    $error("io_link: credits out of range");
  end

  localparam int unsigned RxDepth = PHdr + NpHdr + CplRoom;
  localparam int unsigned RxBits = $clog2(RxDepth);
  // As many flits may wait as a peer may send packets before it hears from this end: requests, an
  // Ack and an UpdateFC for each of our TLPs.
  localparam int unsigned RxFlits = 1 << $clog2(PHdr + NpHdr + 2 * ReplayDepth);
  localparam int unsigned ReplayBits = $clog2(ReplayDepth);
  localparam int unsigned CountBits = $clog2(ReplayDepth + 1);
  localparam int unsigned PacketBits = 256;  // 32 bytes: token, TLP, LCRC
  localparam int unsigned TimerBits = $clog2(ReplayTimeout + 1);
  localparam int unsigned RefreshBits = $clog2(FcRefresh + 1);

  typedef enum logic [1:0] {Init1 = 2'd0, Init2 = 2'd1, Active = 2'd2} state_e;
  typedef logic [11:0] seq_t;
  typedef logic [CountBits-1:0] count_t;

  // What is granted at first; 0 in an InitFC means infinite.
  localparam logic [1:0][7:0]  AllocHdr  = Infinite ? '0 : {8'(NpHdr), 8'(PHdr)};
  localparam logic [1:0][11:0] AllocData = Infinite ? '0 : {12'(NpData), 12'(PData)};

  state_e state_q;
  logic   up_q;

  assign dl_up_o = state_q == Active;

  // ---------------------------------------------------------------------------------------------
  // Receive: the verdict, then it acts
  // ---------------------------------------------------------------------------------------------
  io_rx_kind_e r2_kind_q;
  logic        r2_malformed_q, r2_framing_q;
  logic [31:0] r2_dllp_q;
  seq_t        r2_seq_q;
  tlp_t        r2_tlp_q;

  io_receiver #(
    .Depth(RxFlits)
  ) u_receiver (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .link_up_i  (link_up_i),
    .valid_i    (io_rx_valid_i),
    .flit_i     (io_rx_data_i),
    .kind_o     (r2_kind_q),
    .dllp_o     (r2_dllp_q),
    .sequence_o (r2_seq_q),
    .malformed_o(r2_malformed_q),
    .tlp_o      (r2_tlp_q),
    .framing_o  (r2_framing_q)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) up_q <= 1'b0;
    else         up_q <= link_up_i;
  end

  logic rx_live, rx_ack, rx_nak, rx_bad, rx_good, rx_in_order, rx_duplicate;
  seq_t nrs_q, rx_behind;

  logic r2_any;  // else nothing below acts
  assign r2_any  = r2_kind_q != RxNone;
  assign rx_live = state_q != Init1;

  always_comb begin
    rx_good      = 1'b0;
    rx_behind    = '0;
    rx_in_order  = 1'b0;
    rx_duplicate = 1'b0;
    rx_bad       = 1'b0;
    if (r2_any) begin
      rx_good      = rx_live && r2_kind_q == RxTlp;
      rx_behind    = nrs_q - r2_seq_q;
      rx_in_order  = rx_good && rx_behind == 12'd0;
      rx_duplicate = rx_good && rx_behind != 12'd0 && rx_behind <= 12'd2048;
      rx_bad       = rx_live && (r2_kind_q == RxBad ||
                                 (r2_kind_q == RxTlp && rx_behind > 12'd2048));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Received TLPs, in order, all classes in one queue; credits go back as they leave
  // ---------------------------------------------------------------------------------------------
  tlp_t              rx_mem_q [RxDepth];
  logic [RxBits-1:0] rx_rd_q, rx_wr_q;
  logic [RxBits:0]   rx_count_q;
  logic              rx_push, rx_pop, rx_full;
  fc_class_e         rx_pop_class;
  logic [11:0]       rx_pop_data;

  assign rx_full        = rx_count_q == (RxBits + 1)'(RxDepth);
  assign rx_push        = rx_in_order && !r2_malformed_q && !rx_full;
  assign tlp_rx_valid_o = rx_count_q != '0;
  assign tlp_rx_o       = rx_mem_q[rx_rd_q];
  assign rx_pop         = tlp_rx_valid_o && tlp_rx_ready_i;
  always_comb begin
    rx_pop_class = FcPosted;
    rx_pop_data  = '0;
    if (rx_pop) begin
      rx_pop_class = fc_class(tlp_rx_o[6], tlp_rx_o[4:0]);
      rx_pop_data  = data_credits(tlp_rx_o[6], {tlp_rx_o[17:16], tlp_rx_o[31:24]});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_rd_q    <= '0;
      rx_wr_q    <= '0;
      rx_count_q <= '0;
    end else if (!link_up_i) begin
      rx_rd_q    <= '0;
      rx_wr_q    <= '0;
      rx_count_q <= '0;
    end else begin
      if (rx_push) rx_wr_q <= (rx_wr_q == RxBits'(RxDepth - 1)) ? '0 : rx_wr_q + 1'b1;
      if (rx_pop)  rx_rd_q <= (rx_rd_q == RxBits'(RxDepth - 1)) ? '0 : rx_rd_q + 1'b1;
      if (rx_push && !rx_pop) rx_count_q <= rx_count_q + 1'b1;
      if (rx_pop && !rx_push) rx_count_q <= rx_count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rx_push) rx_mem_q[rx_wr_q] <= r2_tlp_q;
  end

  // ---------------------------------------------------------------------------------------------
  // Transmit: a waiting TLP, SEL what goes next, OUT with its CRC
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    SelNone = 3'd0, SelInitFc = 3'd1, SelNak = 3'd2, SelAck = 3'd3, SelUpdateP = 3'd4,
    SelUpdateNp = 3'd5, SelReplay = 3'd6, SelNew = 3'd7
  } sel_e;

  sel_e        sel;
  logic        out_free, sel_free, pend_valid_q;
  logic        sel_valid_q, sel_is_tlp_q, out_valid_q;
  tlp_t        pend_q, sel_tlp_q, replay_tlp;  // a DLLP is in the low 32 bits
  fc_class_e   pend_class_q;
  seq_t        sel_seq_q;
  logic [31:0] sel_dllp;

  logic [PacketBits-1:0] out_q, out_d;

  logic        ack_pend_q, nak_pend_q, nak_sched_q, room, credit, replaying_q;
  logic [1:0]  update_q, fc_next_q;  // fc_next_q: class of the next InitFC
  seq_t        nts_q, ackd_q, replay_seq;

  logic [1:0][7:0]  alloc_hdr_q;   // posted, non-posted
  logic [1:0][11:0] alloc_data_q;

  // What a dead link left behind is not offered to its successor.
  assign io_tx_valid_o  = out_valid_q && (up_q || !link_up_i);
  assign io_tx_data_o   = {{(512 - PacketBits){1'b0}}, out_q};
  assign out_free       = !io_tx_valid_o || io_tx_ready_i;
  assign sel_free       = !sel_valid_q || out_free;
  assign tlp_tx_ready_o = dl_up_o && !pend_valid_q;

  always_comb begin
    sel = SelNone;
    if (sel_free) begin
      if (state_q != Active)                    sel = SelInitFc;
      else if (nak_pend_q)                      sel = SelNak;
      else if (ack_pend_q)                      sel = SelAck;
      else if (update_q[0])                     sel = SelUpdateP;
      else if (update_q[1])                     sel = SelUpdateNp;
      else if (replaying_q)                     sel = SelReplay;
      else if (pend_valid_q && room && credit)  sel = SelNew;
    end
  end

  always_comb begin
    unique case (sel)
      SelNone:     sel_dllp = '0;
      SelNak:      sel_dllp = ack_dllp(1'b1, nrs_q - 12'd1);
      SelAck:      sel_dllp = ack_dllp(1'b0, nrs_q - 12'd1);
      SelUpdateP:  sel_dllp = fc_dllp(DllpUpdateFc, FcPosted, alloc_hdr_q[0], alloc_data_q[0]);
      SelUpdateNp: sel_dllp = fc_dllp(DllpUpdateFc, FcNonPosted, alloc_hdr_q[1], alloc_data_q[1]);
      default: begin
        sel_dllp = fc_dllp((state_q == Init1) ? DllpInitFc1 : DllpInitFc2, fc_next_q,
                           fc_next_q[1] ? 8'd0 : alloc_hdr_q[fc_next_q[0]],
                           fc_next_q[1] ? 12'd0 : alloc_data_q[fc_next_q[0]]);
      end
    endcase
  end

  logic [2:0]            sel_dws, sel_end;  // DW of the TLP, of the packet before the LCRC
  logic [PacketBits-1:0] sel_packet;  // without the LCRC
  logic [31:0]           sel_crc;
  logic                  sel_tlp_valid;
  assign sel_dws       = tlp_dws(sel_tlp_q[6:5], {sel_tlp_q[17:16], sel_tlp_q[31:24]});
  assign sel_end       = sel_dws + 3'd1;
  assign sel_packet    = {32'd0, sel_tlp_q, stp_token({8'd0, sel_dws} + 11'd2, sel_seq_q)};
  assign sel_tlp_valid = sel_valid_q && sel_is_tlp_q;

  io_crc32 #(
    .Dws(7)  // token, TLP
  ) u_crc (
    .valid_i(sel_tlp_valid),
    .crc_i  (LcrcStart),
    .count_i({2'd0, sel_end}),
    .dws_i  ({sel_packet[223:32], sel_packet[31:0] & LcrcTokenMask}),
    .crc_o  (sel_crc)
  );

  // Rests without a packet: simulation pays for the CRCs otherwise.
  always_comb begin
    out_d = '0;
    if (sel_tlp_valid) begin
      out_d = sel_packet;
      out_d[{sel_end, 5'd0} +: 32] = ~sel_crc;
    end else if (sel_valid_q) begin
      out_d = {{(PacketBits - 64){1'b0}}, dllp_crc(sel_tlp_q[31:0]), sel_tlp_q[31:0], TokenSdp};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_valid_q <= 1'b0;
      sel_valid_q  <= 1'b0;
      out_valid_q  <= 1'b0;
    end else begin
      if (!link_up_i) begin
        pend_valid_q <= 1'b0;
        sel_valid_q  <= 1'b0;
      end else begin
        if (tlp_tx_valid_i && tlp_tx_ready_o) pend_valid_q <= 1'b1;
        else if (sel == SelNew)               pend_valid_q <= 1'b0;
        if (sel_free) sel_valid_q <= sel != SelNone;
      end
      if (out_free) out_valid_q <= link_up_i && sel_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tlp_tx_valid_i && tlp_tx_ready_o) begin
      pend_q       <= tlp_tx_i;
      pend_class_q <= fc_class(tlp_tx_i[6], tlp_tx_i[4:0]);
    end
    if (sel != SelNone) begin
      sel_is_tlp_q <= sel inside {SelReplay, SelNew};
      sel_seq_q    <= (sel == SelNew) ? nts_q : replay_seq;
      unique case (sel)
        SelNew:    sel_tlp_q <= pend_q;
        SelReplay: sel_tlp_q <= replay_tlp;
        default:   sel_tlp_q <= {{(TlpBits - 32){1'b0}}, sel_dllp};
      endcase
    end
    if (out_free && sel_valid_q) out_q <= out_d;
  end

  // ---------------------------------------------------------------------------------------------
  // Credits
  // ---------------------------------------------------------------------------------------------
  logic [2:0][7:0]  limit_hdr_q, used_hdr_q;
  logic [2:0][11:0] limit_data_q, used_data_q;
  logic [2:0]       free_hdr_q, free_data_q;  // infinite
  logic [2:0]       seen_q;                   // InitFC of this class received
  logic             seen2_q;
  logic [RefreshBits-1:0] refresh_q;
  logic [2:0]       hdr_ok_q, data_ok_q;      // one more fits, as of the cycle before
  logic [1:0]       fc_kind, fc_of;
  logic [7:0]       fc_hdr;
  logic [11:0]      fc_data;
  logic             rx_init, rx_update, init_done, refresh;
  logic             credit_moved_q;           // by the cycle before

  // The flags lag by a cycle; two new TLPs are at least two cycles apart.
  assign credit = hdr_ok_q[pend_class_q] && (!pend_q[6] || data_ok_q[pend_class_q]);

  // Whether anything here can change; infinite credits need no refresh.
  logic fc_acts;
  assign fc_acts = sel != SelNone || r2_any || rx_pop || (dl_up_o && !Infinite);

  assign fc_kind   = r2_dllp_q[7:6];
  assign fc_of     = r2_dllp_q[5:4];
  assign fc_hdr    = {r2_dllp_q[13:8], r2_dllp_q[23:22]};
  assign fc_data   = {r2_dllp_q[19:16], r2_dllp_q[31:24]};
  assign rx_init   = state_q == Init1 && r2_kind_q == RxFc && fc_kind != DllpUpdateFc;
  assign rx_update = rx_live && r2_kind_q == RxFc && fc_kind == DllpUpdateFc;
  assign init_done = sel == SelInitFc && fc_next_q == 2'd2;
  assign refresh   = refresh_q == RefreshBits'(FcRefresh - 1);

  // Scaled flow control is not negotiated.
  logic unused_scale;
  assign unused_scale = ^{r2_dllp_q[15:14], r2_dllp_q[21:20], r2_dllp_q[3:0]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Init1;
      fc_next_q    <= '0;
      seen_q       <= '0;
      seen2_q      <= 1'b0;
      used_hdr_q   <= '0;
      used_data_q  <= '0;
      alloc_hdr_q  <= AllocHdr;
      alloc_data_q <= AllocData;
      update_q     <= {2{!Infinite}};
      refresh_q    <= '0;
    end else if (!link_up_i) begin
      state_q      <= Init1;
      fc_next_q    <= '0;
      seen_q       <= '0;
      seen2_q      <= 1'b0;
      used_hdr_q   <= '0;
      used_data_q  <= '0;
      alloc_hdr_q  <= AllocHdr;
      alloc_data_q <= AllocData;
      update_q     <= {2{!Infinite}};
      refresh_q    <= '0;
    end else if (fc_acts) begin
      // Only between two sets of three: P, NP and Cpl go together.
      if (sel == SelInitFc) fc_next_q <= init_done ? 2'd0 : fc_next_q + 2'd1;
      if (init_done && state_q == Init1 && (&seen_q)) state_q <= Init2;
      if (init_done && state_q == Init2 && seen2_q)   state_q <= Active;

      if (rx_init) seen_q[fc_of] <= 1'b1;
      if (state_q == Init2 && (r2_kind_q == RxTlp ||
          (r2_kind_q == RxFc && fc_kind != DllpInitFc1))) seen2_q <= 1'b1;

      if (sel == SelNew) begin
        used_hdr_q[pend_class_q]  <= used_hdr_q[pend_class_q] + 8'd1;
        used_data_q[pend_class_q] <= used_data_q[pend_class_q] + 12'(pend_q[6]);
      end

      if (sel == SelUpdateP)  update_q[0] <= 1'b0;
      if (sel == SelUpdateNp) update_q[1] <= 1'b0;
      if (rx_pop && rx_pop_class != FcCompletion && !Infinite) begin
        alloc_hdr_q[rx_pop_class[0]]  <= alloc_hdr_q[rx_pop_class[0]] + 8'd1;
        alloc_data_q[rx_pop_class[0]] <= alloc_data_q[rx_pop_class[0]] + rx_pop_data;
        update_q[rx_pop_class[0]]     <= 1'b1;
      end
      if (dl_up_o && !Infinite) refresh_q <= refresh ? '0 : refresh_q + 1'b1;
      if (dl_up_o && refresh) update_q <= {2{!Infinite}};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         credit_moved_q <= 1'b1;
    else if (!link_up_i) credit_moved_q <= 1'b1;
    else                 credit_moved_q <= r2_any || sel == SelNew;
  end

  always_ff @(posedge clk_i) begin
    if (credit_moved_q) begin
      for (int unsigned c = 0; c < 3; c++) begin
        hdr_ok_q[c]  <= free_hdr_q[c] || limit_hdr_q[c] - used_hdr_q[c] - 8'd1 <= 8'd128;
        data_ok_q[c] <= free_data_q[c] || limit_data_q[c] - used_data_q[c] - 12'd1 <= 12'd2048;
      end
    end
    if (rx_init || rx_update) begin
      limit_hdr_q[fc_of]  <= fc_hdr;
      limit_data_q[fc_of] <= fc_data;
    end
    if (rx_init) begin
      free_hdr_q[fc_of]  <= fc_hdr == '0;
      free_data_q[fc_of] <= fc_data == '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Sequence numbers, Ack and Nak, replay
  // ---------------------------------------------------------------------------------------------
  tlp_t       replay_mem_q [ReplayDepth];
  seq_t       ack_seq, ack_gain;
  count_t     count_q, count_d;  // TLPs sent and not acknowledged
  count_t     again_q, again_d;  // of these, the ones already sent again
  count_t     gain;
  logic       ack_ok, progress, nak_replay, timeout, replaying_d;
  logic [1:0] replay_num_q;
  logic [TimerBits-1:0] timer_q;

  assign room       = count_q != count_t'(ReplayDepth);
  assign replay_seq = ackd_q + 12'(again_q) + 12'd1;
  assign replay_tlp = replay_mem_q[replay_seq[ReplayBits-1:0]];

  always_comb begin
    rx_ack     = 1'b0;
    rx_nak     = 1'b0;
    ack_seq    = '0;
    ack_gain   = '0;
    ack_ok     = 1'b0;
    gain       = '0;
    progress   = 1'b0;
    nak_replay = 1'b0;
    if (r2_any) begin
      rx_ack     = rx_live && r2_kind_q == RxAck;
      rx_nak     = rx_live && r2_kind_q == RxNak;
      ack_seq    = {r2_dllp_q[19:16], r2_dllp_q[31:24]};
      ack_gain   = ack_seq - ackd_q;
      ack_ok     = (rx_ack || rx_nak) && (ack_gain >> CountBits) == '0 &&
                   ack_gain[CountBits-1:0] <= count_q;
      gain       = ack_ok ? ack_gain[CountBits-1:0] : '0;
      progress   = ack_ok && ack_gain[CountBits-1:0] != '0;
      nak_replay = ack_ok && rx_nak && gain != count_q;
    end
  end

  assign timeout = count_q != '0 && !replaying_q && !progress && !nak_replay &&
                   timer_q == TimerBits'(ReplayTimeout - 1);

  // Nothing in flight, come or chosen: all stays as it is.
  logic replay_acts;
  assign replay_acts = r2_any || sel != SelNone || count_q != '0 || replaying_q || timer_q != '0;

  always_comb begin
    count_d     = count_q;
    again_d     = again_q;
    replaying_d = replaying_q;
    if (replay_acts) begin
      count_d = count_q - gain + count_t'(sel == SelNew);
      again_d = again_q + count_t'(sel == SelReplay);
    end
    if (nak_replay || timeout) begin
      again_d     = '0;
      replaying_d = 1'b1;
    end else if (replaying_q) begin
      // What is acknowledged meanwhile need not go again.
      again_d     = (gain > again_d) ? '0 : again_d - gain;
      replaying_d = again_d != count_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      nts_q        <= '0;
      ackd_q       <= '1;
      count_q      <= '0;
      replaying_q  <= 1'b0;
      again_q      <= '0;
      replay_num_q <= '0;
      timer_q      <= '0;
      nrs_q        <= '0;
      nak_sched_q  <= 1'b0;
      nak_pend_q   <= 1'b0;
      ack_pend_q   <= 1'b0;
    end else if (!link_up_i) begin
      nts_q        <= '0;
      ackd_q       <= '1;
      count_q      <= '0;
      replaying_q  <= 1'b0;
      again_q      <= '0;
      replay_num_q <= '0;
      timer_q      <= '0;
      nrs_q        <= '0;
      nak_sched_q  <= 1'b0;
      nak_pend_q   <= 1'b0;
      ack_pend_q   <= 1'b0;
    end else if (replay_acts) begin
      if (sel == SelNew) nts_q <= nts_q + 12'd1;
      if (progress) ackd_q <= ack_seq;
      count_q      <= count_d;
      replaying_q  <= replaying_d;
      again_q      <= again_d;
      replay_num_q <= (progress ? 2'd0 : replay_num_q) + 2'(nak_replay || timeout);
      if (count_q == '0 || replaying_q || progress || nak_replay || timeout) begin
        timer_q <= '0;
      end else begin
        timer_q <= timer_q + 1'b1;
      end

      if (sel == SelNak) nak_pend_q <= 1'b0;
      if (sel inside {SelNak, SelAck}) ack_pend_q <= 1'b0;
      if (rx_in_order) begin
        nrs_q       <= nrs_q + 12'd1;
        nak_sched_q <= 1'b0;
      end
      if (rx_in_order || rx_duplicate) ack_pend_q <= 1'b1;
      if (rx_bad && !nak_sched_q) begin
        nak_sched_q <= 1'b1;
        nak_pend_q  <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (sel == SelNew) replay_mem_q[nts_q[ReplayBits-1:0]] <= pend_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      err_o <= '0;
    end else if (!link_up_i) begin
      err_o <= '0;
    end else if (r2_any || timeout || err_o != '0) begin
      err_o <= {rx_bad && r2_framing_q,
                rx_in_order && !r2_malformed_q && rx_full,
                rx_in_order && r2_malformed_q,
                (rx_ack || rx_nak) && !ack_ok,
                (nak_replay || timeout) && !progress && replay_num_q == 2'd3,
                timeout,
                nak_replay,
                rx_live && r2_kind_q == RxDllpBad,
                rx_bad};
    end
  end

  logic rx_refused;
  assign rx_refused = rx_in_order && (r2_malformed_q || rx_full);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         err_hdr_o <= '0;
    else if (!link_up_i) err_hdr_o <= '0;
    else if (rx_refused) err_hdr_o <= {r2_tlp_q[5] ? r2_tlp_q[127:96] : 32'd0, r2_tlp_q[95:0]};
    else                 err_hdr_o <= '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  TlpInSubset_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_i && tlp_tx_ready_o) |->
      !tlp_tx_i[7] && !tlp_tx_i[23] &&
      (!tlp_tx_i[6] || {tlp_tx_i[17:16], tlp_tx_i[31:24]} inside {10'd1, 10'd2}) &&
      (tlp_tx_i >> (32 * tlp_dws(tlp_tx_i[6:5], {tlp_tx_i[17:16], tlp_tx_i[31:24]}))) == '0)
      else $error("a TLP to send with a prefix, an ECRC, too much data or bits behind its end");
  TlpHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_i && !tlp_tx_ready_o && dl_up_o && link_up_i) |=>
      tlp_tx_valid_i && $stable(tlp_tx_i))
      else $error("a TLP to send changed or vanished before it was taken");
  FlitHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (io_tx_valid_o && !io_tx_ready_i) |=>
      (io_tx_valid_o && $stable(io_tx_data_o)) || (link_up_i && !up_q))
      else $error("a flit changed or vanished before it was taken");
  ReplayFits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q <= count_t'(ReplayDepth) && 12'(count_q) == nts_q - ackd_q - 12'd1)
      else $error("more TLPs are unacknowledged than can be replayed, or they are miscounted");
  ReplayInside_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      replaying_q |-> again_q < count_q)
      else $error("a replay goes on with nothing left to send again");
  NoNewWhileReplaying_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (sel == SelNew) |-> !replaying_q && room)
      else $error("a new TLP was sent during a replay, or without room to keep it");
  QueueFits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rx_count_q <= (RxBits + 1)'(RxDepth))
      else $error("more TLPs are in the receive queue than it has room for");
  SilentIfInfinite_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      Infinite |-> update_q == '0 && !(sel inside {SelUpdateP, SelUpdateNp}))
      else $error("an UpdateFC with infinite credits");
  NakOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      nak_pend_q |-> state_q != Init1)
      else $error("a Nak is due in FC_INIT1");

endmodule
