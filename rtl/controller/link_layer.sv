// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Link layer of one end: chooses what each flit is, adds and checks CRC, keeps the link going over
// errors (link-layer retry), exchanges INIT.Param, returns acknowledgements and credits.
//
// Source: CXL 2.0, chapter 4.2: control flits, initialisation, LLCRD forcing, link-layer retry,
// viral (told to the peer in the RETRY.Ack that a damaged flit makes it ask for).
//
// Stages (docs/blocks/controller/link_layer.md): T2 select into sel_q, T3 CRC into out_q; R1 CRC
// checked as the flit comes, R2 acted upon. Select and R2 look at registered state only: what one
// does in a cycle the other sees in the next.
//
//   packer --> select --> sel_q --> CRC --> out_q --> wire
//                | push     ^ replay
//                +-> retry_buffer <-- RETRY.Req, acknowledgements --+
//   unpacker <-- R2 <-- r1_q <-- CRC <-- wire                       |
//                +-- retry_local, framed sequences -----------------+

module link_layer
  import cxl_pkg::*;
#(
  parameter int unsigned LlrbDepth        = 128,  // entries of the retry buffer: 22..255
  parameter bit          LlrWrapInclusive = 1'b0  // wrap value sent: 0 count of sequence numbers,
                                                  // 1 last of them; as the peer's: 0 or 1
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          link_up_i,          // level: the link is up; its rise starts everything
  output logic          start_o,            // comb, first cycle of link_up_i:
                                            // packer, unpacker and credits start too
  input  logic          viral_i,            // level: this end is viral; sent to the peer
  output logic          viral_o,            // pulse: the peer says that it is viral

  // Settings and state, fields of link_control_t and link_status_t
  input  logic          init_stall_i,       // level: INIT.Param is not sent yet
  input  logic          crd_stall_i,        // level: the caller offers no credits; for the status
  input  logic [7:0]    ack_force_i,        // flits to acknowledge that force
                                            // an LLCRD: 1..255, 0 counts as 16
  input  logic [9:0]    flush_i,            // flit times with something to return until
                                            // an LLCRD is forced: 1..1023, 0 counts as 32
  output link_status_t  link_status_o,      // state for software; its four credit counts are 0

  // Packer
  output logic          pk_hold_new_o,      // level: pk_flit_i starts no new message; an ADF may go
  output logic          pk_ak_o,            // level: Ak of the header of pk_flit_i
  output logic          pk_take_o,          // comb: pk_flit_i of this cycle is sent; low: not now
  input  flit_payload_t pk_flit_i,          // payload of the next flit; may change until sent
  input  logic          pk_is_adf_i,        // pk_flit_i is an ADF: four chunks, no header
  input  logic          pk_has_content_i,   // pk_flit_i holds a message or data, so it may be sent
  input  logic [3:0]    pk_owed_i,          // chunks still to send before pk_flit_i; from 4 an ADF

  // Credits to return, as header fields
  input  logic [3:0]    rsp_crd_i,          // RspCrd on offer: [3] CXL.mem, else CXL.cache,
                                            // [2:0] credit code; may grow until crd_sent_o
  input  logic [3:0]    req_crd_i,          // ReqCrd on offer, likewise
  input  logic [3:0]    data_crd_i,         // DataCrd on offer, likewise
  input  logic          crd_pending_i,      // level: credits wait to be returned, flush_i at most
  output logic          crd_sent_o,         // comb: the fields of this cycle leave, in
                                            // an LLCRD or in the header of pk_flit_i

  // Unpacker: a flit received, stage R2
  output logic          rx_accept_o,        // comb, the cycle after link_rx_valid_i: a
                                            // good flit for the unpacker; never stalled
  output flit_payload_t rx_payload_o,       // with rx_accept_o: its payload
  output logic          rx_crd_valid_o,     // with rx_accept_o: its credit fields count
  input  logic [3:0]    rx_owed_i,          // chunks still to come before this flit; from 4 an ADF
  input  logic          rx_err_i,           // with rx_accept_o: the unpacker objects to the flit
  input  logic          rx_overflow_i,      // pulse: a message received found its queue full

  // Wire and PHY
  output logic          link_tx_valid_o,    // a flit to send; kept until taken while link_up_i
  input  logic          link_tx_ready_i,    // low: the wire takes no flit in this cycle
  output flit_t         link_tx_flit_o,     // [511:0] payload, [527:512] CRC; stable while it waits
  input  logic          link_rx_valid_i,    // a flit received; never stalled, lost unless
                                            // link_up_i was high in the cycle before
  input  flit_t         link_rx_flit_i,     // [511:0] payload, [527:512] CRC as received
  output logic          phy_reinit_req_o,   // level until phy_reinit_done_i: Recovery is requested
  input  logic          phy_reinit_done_i,  // pulse: the PHY has left Recovery, for whatever reason

  output logic          init_done_o,        // level: INIT.Param went both ways
  output logic          abort_o,            // level until start_o: retry failed, the link is lost
  output logic [7:0]    err_o,              // pulses: [0] CRC, [1] illegal flit, [2] not
                                            // RETRY before INIT.Param, [3] second INIT.Param,
                                            // [4] RETRY.Ack not awaited, [5] rx_overflow_i,
                                            // [6] retry begins, [7] time-out of a retry
  output flit_payload_t err_flit_o          // with err_o[4:1]: payload of that flit
);

  // ---------------------------------------------------------------------------------------------
  // Start
  // ---------------------------------------------------------------------------------------------
  // What the peer is told: how many sequence numbers there are, or the last of them.
  localparam logic [7:0] WrapSent = 8'(LlrbDepth - 32'(LlrWrapInclusive));

  logic up_q, start;

  assign start   = link_up_i && !up_q;
  assign start_o = start;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) up_q <= 1'b0;
    else         up_q <= link_up_i;
  end

  // ---------------------------------------------------------------------------------------------
  // R1: CRC checked as the flit comes from the wire (from the register of the Flex Bus receiver)
  // ---------------------------------------------------------------------------------------------
  logic          r1_valid_q, r1_bad_q;
  flit_payload_t r1_payload_q;
  logic [15:0]   rx_crc;

  crc16 u_crc_rx (
    .valid_i   (link_rx_valid_i),
    .payload_i (link_rx_flit_i[511:0]),
    .crc_o     (rx_crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r1_valid_q <= 1'b0;
    else         r1_valid_q <= link_rx_valid_i && up_q;
  end

  always_ff @(posedge clk_i) begin
    if (link_rx_valid_i) begin
      r1_payload_q <= link_rx_flit_i[511:0];
      r1_bad_q     <= rx_crc != link_rx_flit_i[527:512];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // R2: what is this flit
  // ---------------------------------------------------------------------------------------------
  lrsm_e       lrsm;
  logic        rx_good, rx_adf, rx_protocol;
  logic        rx_control, rx_llcrd, rx_param, rx_idle, rx_frame, rx_req, rx_ack;
  logic        rx_retryable, accept;
  logic [63:0] rx_ctl;                 // payload of a control flit

  assign rx_good     = r1_valid_q && !r1_bad_q;
  assign rx_adf      = rx_good && lrsm == LrsmNormal && rx_owed_i >= 4'd4;
  assign rx_control  = rx_good && !rx_adf && r1_payload_q[0];
  assign rx_protocol = rx_good && !rx_adf && !r1_payload_q[0];
  assign rx_ctl      = r1_payload_q[127:64];

  always_comb begin
    rx_llcrd = 1'b0;
    rx_param = 1'b0;
    rx_idle  = 1'b0;
    rx_frame = 1'b0;
    rx_req   = 1'b0;
    rx_ack   = 1'b0;
    if (rx_control && r1_payload_q[7:5] == 3'b000) begin
      unique case (r1_payload_q[35:32])
        LlctrlLlcrd: rx_llcrd = r1_payload_q[39:36] == SubLlcrdAck;
        LlctrlInit:  rx_param = r1_payload_q[39:36] == SubInitParam;
        LlctrlRetry: begin
          // Every constant bit has to be right.
          if (r1_payload_q[31:0] == 32'd1 && r1_payload_q[63:40] == 24'd0 &&
              r1_payload_q[511:128] == 384'd0) begin
            unique case (r1_payload_q[39:36])
              SubRetryIdle:  rx_idle  = rx_ctl == 64'd0;
              SubRetryFrame: rx_frame = rx_ctl == 64'd0;
              SubRetryReq:   rx_req   = {rx_ctl[63:26], rx_ctl[15:8]} == 46'd0;
              SubRetryAck:   rx_ack   = {rx_ctl[63:48], rx_ctl[2]} == 17'd0;
              default: ;
            endcase
          end
        end
        default: ;
      endcase
    end
  end

  assign rx_retryable = rx_adf || rx_protocol || rx_llcrd || rx_param;

  // Framed sequences count in any state of the local machine.
  logic [2:0] frames_q;
  logic       req_seq, ack_seq;

  assign req_seq = rx_req && frames_q == 3'(RetryFrames);
  assign ack_seq = rx_ack && frames_q == 3'(RetryFrames);

  // Acknowledgements for our retry buffer.
  logic [8:0] rx_acks;

  always_comb begin
    rx_acks = '0;
    if (rx_accept_o) begin
      if (rx_protocol && r1_payload_q[2]) rx_acks = 9'(AkUnit);
      if (rx_llcrd) rx_acks = {1'b0, rx_ctl[7:4], r1_payload_q[2], rx_ctl[2:0]};
    end
  end

  // Initialisation.
  logic       seen_good_q, param_sent_q, param_seen_q;
  logic [7:0] wrap_q;

  // Nothing before INIT.Param is acted upon, though it counts (chapter 4.2.7).
  assign rx_accept_o    = accept && param_seen_q;
  assign rx_payload_o   = r1_payload_q;
  assign rx_crd_valid_o = rx_accept_o && (rx_protocol || rx_llcrd);
  assign init_done_o    = param_sent_q && param_seen_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      frames_q     <= '0;
      seen_good_q  <= 1'b0;
      param_seen_q <= 1'b0;
      wrap_q       <= 8'(InitialWrap);
    end else if (start) begin
      frames_q     <= '0;
      seen_good_q  <= 1'b0;
      param_seen_q <= 1'b0;
      wrap_q       <= 8'(InitialWrap);
    end else begin
      if (r1_valid_q) begin
        if (!rx_frame)                           frames_q <= '0;
        else if (frames_q != 3'(RetryFrames))    frames_q <= frames_q + 3'd1;
        if (rx_good) seen_good_q <= 1'b1;
        if (accept && rx_param) begin
          param_seen_q <= 1'b1;
          if (!param_seen_q) wrap_q <= rx_ctl[31:24];
        end
      end
      if (phy_reinit_done_i) frames_q <= '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Retry machines
  // ---------------------------------------------------------------------------------------------
  logic          tx_flit, req_sent, ack_sent;
  logic [7:0]    eseq;
  logic [4:0]    num_retry, num_phy_reinit;

  retry_local #(
    .LlrWrapInclusive (LlrWrapInclusive)
  ) u_retry_local (
    .clk_i,
    .rst_ni,
    .start_i          (start),
    .flit_valid_i     (r1_valid_q),
    .flit_bad_i       (r1_bad_q),
    .flit_retryable_i (rx_retryable),
    .ack_seq_i        (ack_seq),
    .ack_num_retry_i  (rx_ctl[7:3]),
    .ack_empty_i      (rx_ctl[0]),
    .tx_flit_i        (tx_flit),
    .req_sent_i       (req_sent),
    .phy_done_i       (phy_reinit_done_i),
    .wrap_i           (wrap_q),
    .accept_o         (accept),
    .state_o          (lrsm),
    .eseq_o           (eseq),
    .num_retry_o      (num_retry),
    .num_phy_reinit_o (num_phy_reinit),
    .phy_reinit_req_o
  );

  logic          push, replay_take, llrack, replaying, replay_is_adf;
  flit_payload_t sel_payload, replay_payload;
  logic [7:0]    wr_ptr, eseq_echo, unused_rd_ptr;
  logic [8:0]    num_free;
  logic          over_ack, bad_req;
  logic [4:0]    num_retry_echo;

  retry_buffer #(
    .Depth (LlrbDepth)
  ) u_retry_buffer (
    .clk_i,
    .rst_ni,
    .start_i          (start),
    .push_i           (push),
    .push_payload_i   (sel_payload),
    .push_is_adf_i    (pk_take_o && pk_is_adf_i),
    .ack_i            (rx_acks),
    .req_seq_i        (req_seq),
    .req_eseq_i       (rx_ctl[7:0]),
    .req_num_retry_i  (rx_ctl[20:16]),
    .ack_sent_i       (ack_sent),
    .replay_take_i    (replay_take),
    .phy_done_i       (phy_reinit_done_i),
    .wr_ptr_o         (wr_ptr),
    .rd_ptr_o         (unused_rd_ptr),
    .num_free_o       (num_free),
    .over_ack_o       (over_ack),
    .bad_req_o        (bad_req),
    .llrack_o         (llrack),
    .eseq_echo_o      (eseq_echo),
    .num_retry_echo_o (num_retry_echo),
    .replaying_o      (replaying),
    .replay_payload_o (replay_payload),
    .replay_is_adf_o  (replay_is_adf)
  );

  // ---------------------------------------------------------------------------------------------
  // T2: select
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [3:0] {
    SelNone, SelFrame, SelReq, SelAck, SelReplay, SelIdle, SelParam, SelLlcrd, SelPack
  } sel_e;

  logic          sel_valid_q, out_valid_q, sel_load, sel_ready, out_ready;
  flit_payload_t sel_payload_q;
  flit_t         out_flit_q;
  sel_e          sel;
  logic [2:0]    seq_count_q;           // Frames already selected; 0: no sequence in progress
  logic          seq_is_ack_q, seq_is_ack;
  logic [9:0]    num_ack_q;             // accepted flits not yet acknowledged
  logic [9:0]    timer_q, flush;
  logic [7:0]    ack_force;
  logic          timer_due, force_llcrd, bearing, llcrd_room;
  logic          viral_sent_q;          // a damaged flit has left: the peer will ask
  logic          announce, damage, sel_damaged_q;
  logic [7:0]    full_ack;

  assign out_ready   = !out_valid_q || link_tx_ready_i;
  assign sel_ready   = !sel_valid_q || out_ready;
  assign sel_load    = up_q && sel_ready;
  assign announce    = viral_i && init_done_o && !viral_sent_q;
  assign flush       = (flush_i == '0) ? 10'(FlushRetimer) : flush_i;
  assign ack_force   = (ack_force_i == '0) ? 8'(AckForce) : ack_force_i;
  assign timer_due   = timer_q >= flush;
  assign force_llcrd = timer_due || num_ack_q >= 10'(ack_force) || announce;
  assign full_ack    = (num_ack_q > 10'd255) ? 8'd255 : num_ack_q[7:0];
  assign llcrd_room  = num_free >= ((full_ack != 8'd0) ? 9'd2 : 9'd3);

  // A protocol flit needs room for its whole run of ADFs and leaves one entry free.
  assign pk_hold_new_o = num_free < 9'd6;
  assign pk_ak_o       = num_ack_q >= 10'(AkUnit);

  // The choice itself looks at registers only; whether it is taken depends on the wire (tx_flit).
  always_comb begin
    sel        = SelNone;
    seq_is_ack = seq_is_ack_q;
    if (seq_count_q == 3'(RetryFrames)) begin
      sel = seq_is_ack_q ? SelAck : SelReq;
    end else if (seq_count_q != 3'd0) begin
      sel = SelFrame;
    end else if (replaying && replay_is_adf) begin
      // A run of ADFs is not split, and no sequence comes before its first replayed one either: the
      // peer would take a RETRY.Frame for data.
      sel = SelReplay;
    end else if (pk_owed_i >= 4'd4) begin
      sel = SelPack;
    end else if (llrack) begin
      sel        = SelFrame;
      seq_is_ack = 1'b1;
    end else if (lrsm == LrsmLlrReq && num_retry < 5'(MaxNumRetry)) begin
      sel        = SelFrame;
      seq_is_ack = 1'b0;
    end else if (replaying) begin
      sel = SelReplay;
    end else if (!seen_good_q) begin
      sel = SelIdle;
    end else if (!param_sent_q) begin
      sel = init_stall_i ? SelIdle : SelParam;
    end else if (!param_seen_q) begin
      sel = SelIdle;
    end else if (force_llcrd && llcrd_room) begin
      sel = SelLlcrd;
    end else if (pk_has_content_i && !pk_hold_new_o) begin
      sel = SelPack;
    end else if (lrsm == LrsmLocalIdle) begin
      sel = SelIdle;
    end
  end

  assign tx_flit     = sel_load && sel != SelNone;
  assign req_sent    = sel_load && sel == SelReq;
  assign ack_sent    = sel_load && sel == SelAck;
  assign replay_take = sel_load && sel == SelReplay;
  assign pk_take_o   = sel_load && sel == SelPack;
  assign push        = sel_load && (sel == SelParam || sel == SelLlcrd || sel == SelPack);
  assign bearing     = sel_load && (sel == SelLlcrd || (sel == SelPack && !pk_is_adf_i));
  assign crd_sent_o  = bearing;
  assign damage      = announce && sel_load &&
                       (sel == SelReplay || sel == SelLlcrd || sel == SelPack);

  // A control flit is its first 128 bits.
  function automatic slot_t control_slot(logic [31:0] header, logic [3:0] sub, logic [3:0] llctrl,
                                         logic [63:0] payload);
    return {payload, 24'd0, sub, llctrl, header};
  endfunction

  always_comb begin
    sel_payload = '0;
    unique case (sel)
      SelPack:   sel_payload = pk_flit_i;
      SelReplay: sel_payload = replay_payload;
      SelFrame:  sel_payload[127:0] = control_slot(32'd1, SubRetryFrame, LlctrlRetry, 64'd0);
      SelIdle:   sel_payload[127:0] = control_slot(32'd1, SubRetryIdle, LlctrlRetry, 64'd0);
      SelReq: begin
        sel_payload[127:0] = control_slot(32'd1, SubRetryReq, LlctrlRetry,
            {38'd0, num_phy_reinit, num_retry + 5'd1, 8'd0, eseq});
      end
      SelAck: begin
        sel_payload[127:0] = control_slot(32'd1, SubRetryAck, LlctrlRetry,
            {32'd0, num_free[7:0], eseq_echo, wr_ptr, num_retry_echo, 1'b0, viral_sent_q,
             eseq_echo == wr_ptr});
      end
      SelParam: begin
        sel_payload[127:0] = control_slot(32'd1, SubInitParam, LlctrlInit,
            {32'd0, WrapSent, 20'd0, LinkVersion20});
      end
      SelLlcrd: begin
        sel_payload[127:0] = control_slot(
            {data_crd_i, req_crd_i, rsp_crd_i, 17'd0, full_ack[3], 2'b01}, SubLlcrdAck, LlctrlLlcrd,
            {56'd0, full_ack[7:4], 1'b0, full_ack[2:0]});
      end
      default: ;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // T3 and the wire
  // ---------------------------------------------------------------------------------------------
  logic [15:0] sel_crc;

  crc16 u_crc_tx (
    .valid_i   (sel_valid_q && out_ready),
    .payload_i (sel_payload_q),
    .crc_o     (sel_crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sel_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else if (start) begin
      sel_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
    end else begin
      if (sel_ready) sel_valid_q <= tx_flit;
      if (out_ready) out_valid_q <= sel_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tx_flit) begin
      sel_payload_q <= sel_payload;
      sel_damaged_q <= damage;
    end
    // Viral is announced by a flit that the peer has to ask for again.
    if (sel_valid_q && out_ready) out_flit_q <= {sel_crc ^ {16{sel_damaged_q}}, sel_payload_q};
  end

  // A flit left over from before the link went down is not offered while it starts again.
  assign link_tx_valid_o = out_valid_q && up_q;
  assign link_tx_flit_o  = out_flit_q;

  // ---------------------------------------------------------------------------------------------
  // Counters of the transmitter
  // ---------------------------------------------------------------------------------------------
  logic [9:0]  num_ack_sent;
  logic [10:0] num_ack_sum;

  always_comb begin
    num_ack_sent = '0;
    if (bearing) begin
      if (sel == SelLlcrd) num_ack_sent = 10'(full_ack);
      else if (pk_ak_o)    num_ack_sent = 10'(AkUnit);
    end
    // A peer that goes on past its retry buffer must not make it wrap: what was counted stays owed.
    num_ack_sum = {1'b0, num_ack_q} + 11'(accept && rx_retryable) - {1'b0, num_ack_sent};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      param_sent_q <= 1'b0;
      seq_count_q  <= '0;
      seq_is_ack_q <= 1'b0;
      num_ack_q    <= '0;
      timer_q      <= '0;
      viral_sent_q <= 1'b0;
    end else if (start) begin
      param_sent_q <= 1'b0;
      seq_count_q  <= '0;
      seq_is_ack_q <= 1'b0;
      num_ack_q    <= '0;
      timer_q      <= '0;
      viral_sent_q <= 1'b0;
    end else begin
      if (tx_flit) begin
        if (sel == SelParam) param_sent_q <= 1'b1;
        if (sel == SelFrame) seq_count_q <= seq_count_q + 3'd1;
        else                 seq_count_q <= '0;
        seq_is_ack_q <= seq_is_ack;
      end
      // What Recovery interrupted is void, a sequence begun too.
      if (phy_reinit_done_i) seq_count_q <= '0;
      viral_sent_q <= viral_i && (viral_sent_q || damage);
      num_ack_q    <= num_ack_sum[10] ? '1 : num_ack_sum[9:0];
      // Acknowledging one flit alone is not worth an LLCRD, which wants one itself. The clock of
      // this timer is a flit that could leave: cycles on an idle link, flit times on a busy one.
      if (bearing || !(num_ack_q > 10'd1 || crd_pending_i)) timer_q <= '0;
      else if (sel_load && !timer_due)                      timer_q <= timer_q + 10'd1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Status
  // ---------------------------------------------------------------------------------------------
  logic [5:0] err_q;
  logic       rx_violation;            // a reserved encoding, or what the peer must not say
  logic [3:0] violation;               // err_o[4:1] of the next cycle
  lrsm_e      lrsm_last_q;

  assign rx_violation = bad_req || (accept && (rx_err_i || over_ack || (rx_control &&
      !(rx_llcrd || rx_param || rx_idle || rx_frame || rx_req || rx_ack))));

  assign violation = {ack_seq && lrsm != LrsmLocalIdle,
                      accept && rx_param && param_seen_q,
                      accept && rx_retryable && !rx_param && !param_seen_q,
                      rx_violation};

  always_ff @(posedge clk_i) begin
    if (violation != '0) err_flit_o <= r1_payload_q;
  end

  logic       phy_done_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      err_q       <= '0;
      lrsm_last_q <= LrsmNormal;
      phy_done_q  <= 1'b0;
      viral_o     <= 1'b0;
    end else begin
      lrsm_last_q <= lrsm;
      phy_done_q  <= phy_reinit_done_i;
      err_q       <= '0;
      viral_o     <= 1'b0;
      if (r1_valid_q || rx_overflow_i) begin
        err_q <= {rx_overflow_i,
                  violation,
                  r1_valid_q && r1_bad_q};
        viral_o <= ack_seq && rx_ctl[1] && rx_ctl[7:3] == num_retry && lrsm == LrsmLocalIdle;
      end
    end
  end

  assign err_o   = {lrsm == LrsmLlrReq && lrsm_last_q == LrsmLocalIdle && !phy_done_q,
                    lrsm == LrsmLlrReq && lrsm_last_q == LrsmNormal, err_q};
  assign abort_o = lrsm == LrsmAbort;

  // For software, loaded only when what they tell of comes.
  logic [3:0] version_q;
  logic [4:0] req_num_retry_q, req_num_phy_reinit_q;
  logic [7:0] ack_wr_ptr_q, ack_eseq_echo_q, ack_num_free_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      version_q            <= '0;
      req_num_retry_q      <= '0;
      req_num_phy_reinit_q <= '0;
      ack_wr_ptr_q         <= '0;
      ack_eseq_echo_q      <= '0;
      ack_num_free_q       <= '0;
    end else if (start) begin
      version_q            <= '0;
      req_num_retry_q      <= '0;
      req_num_phy_reinit_q <= '0;
      ack_wr_ptr_q         <= '0;
      ack_eseq_echo_q      <= '0;
      ack_num_free_q       <= '0;
    end else begin
      if (accept && rx_param && !param_seen_q) version_q <= rx_ctl[3:0];
      if (req_seq) begin
        req_num_retry_q      <= rx_ctl[20:16];
        req_num_phy_reinit_q <= rx_ctl[25:21];
      end
      if (ack_seq) begin
        ack_wr_ptr_q    <= rx_ctl[15:8];
        ack_eseq_echo_q <= rx_ctl[23:16];
        ack_num_free_q  <= rx_ctl[31:24];
      end
    end
  end

  logic [1:0] init_state;

  always_comb begin
    if (!up_q || (init_stall_i && !param_sent_q)) init_state = LinkInitNot;
    else if (!init_done_o)                        init_state = LinkInitParam;
    else if (crd_stall_i)                         init_state = LinkInitCrdStall;
    else                                          init_state = LinkInitDone;
  end

  // In one piece: simulation pays for each field set apart, in every cycle.
  assign link_status_o = '{
    wd_credit: '0, nd_credit: '0, wd_return: '0, nd_return: '0,
    num_free: ack_num_free_q, eseq_echo: ack_eseq_echo_q, wr_ptr: ack_wr_ptr_q,
    num_phy_reinit: req_num_phy_reinit_q, num_retry: req_num_retry_q,
    wrap: param_seen_q ? wrap_q : 8'd0, version: version_q,
    llrb_used: 8'(9'(LlrbDepth) - num_free), init_state: init_state};

  a_stable: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (link_tx_valid_o && !link_tx_ready_i && link_up_i) |=>
      link_tx_valid_o && $stable(link_tx_flit_o))
    else $error("a flit offered to the wire changes or goes away before it is taken");
  a_push_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (push && sel != SelParam) |-> num_free > 9'd1)
    else $error("a flit is sent that takes the last entry of the retry buffer");
  a_no_new_in_replay: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push |-> !replaying)
    else $error("a new flit is sent among replayed ones");
  a_run_unbroken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (pk_owed_i >= 4'd4 && tx_flit) |-> sel == SelPack)
    else $error("a run of ADFs is split by another flit");
  a_param_first: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_flit && (sel == SelLlcrd || sel == SelPack)) |-> init_done_o)
    else $error("an LLCRD or a message is sent before INIT.Param went both ways");
  a_req_state: assert property (@(posedge clk_i) disable iff (!rst_ni)
      req_sent |-> lrsm == LrsmLlrReq)
    else $error("a RETRY.Req is sent outside LLRREQ");
  a_damage: assert property (@(posedge clk_i) disable iff (!rst_ni)
      damage |-> viral_i && init_done_o && (push || replay_take))
    else $error("a flit is damaged that is not retryable, or without viral to announce");
  a_damage_once: assert property (@(posedge clk_i) disable iff (!rst_ni)
      damage |=> viral_sent_q && !damage)
    else $error("viral is announced by a second damaged flit");
  a_viral_sent: assert property (@(posedge clk_i) disable iff (!rst_ni)
      viral_sent_q |-> $past(viral_i) && $past(viral_sent_q || damage))
    else $error("viral counts as announced without a damaged flit, or when it is over");
  a_viral_heard: assert property (@(posedge clk_i) disable iff (!rst_ni)
      viral_o |-> $past(lrsm) == LrsmLocalIdle && $past(rx_ack))
    else $error("the peer counts as viral without a RETRY.Ack awaited");
  a_num_ack: assert property (@(posedge clk_i) disable iff (!rst_ni) num_ack_sent <= num_ack_q)
    else $error("more flits are acknowledged than were received");
  a_num_ack_kept: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (num_ack_sent == '0 && !start) |=> num_ack_q >= $past(num_ack_q))
    else $error("flits to acknowledge are forgotten");
  a_before_param: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !param_seen_q |-> !rx_accept_o && !rx_crd_valid_o && rx_acks == '0)
    else $error("a flit counts before the INIT.Param of the peer");
  a_init_stall: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_flit && sel == SelParam) |-> !init_stall_i)
    else $error("INIT.Param is sent though init_stall_i forbids it");
  // A shorter FLUSH finds the timer above it, but it never runs on from there.
  a_timer: assert property (@(posedge clk_i) disable iff (!rst_ni)
      timer_due |=> timer_q <= $past(timer_q))
    else $error("the timer of acknowledgements runs on above FLUSH");
  a_init_state: assert property (@(posedge clk_i) disable iff (!rst_ni)
      init_state[1] |-> init_done_o && up_q)
    else $error("the status says initialised before the link is");

endmodule
