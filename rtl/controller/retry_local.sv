// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Local retry state machine (LRSM): what this receiver does about a bad flit.
//
// Source: CXL 2.0, chapter 4.2, link-layer retry, table 56. Works on stage R2: accept_o is
// combinational, all else is registered (one cycle).
//
//   NORMAL --bad flit--> LLRREQ --RETRY.Req sent--> LOCAL_IDLE --RETRY.Ack matches--> NORMAL
//                          ^ |                        |
//                          | +--too many--> PHY_REINIT, then ABORT
//                          +--------- timeout --------+
//
// When the PHY leaves Recovery, asked for from here or not, the next flit counts as bad: LLRREQ.

module retry_local
  import cxl_pkg::*;
#(
  parameter bit          LlrWrapInclusive = 1'b0,        // wrap_i: 0 count of sequence
                                                         // numbers, 1 last of them: 0 or 1
  parameter int unsigned Timeout = RetryTimeout,         // flits sent until a RETRY.Ack
                                                         // is given up: 2..2^32-1; in
                                                         // the standard 4096 at least
  parameter int unsigned MaxRetry = MaxNumRetry,         // RETRY.Req in a row until Recovery:
                                                         // 1..31; in the standard 10 at least
  parameter int unsigned MaxPhyReinit = MaxNumPhyReinit  // Recoveries in a row until the end:
                                                         // 1..31; in the standard 10 at least
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,           // pulse: the link starts, all as after reset; wins

  input  logic       flit_valid_i,      // pulse: a flit was received, of any kind
  input  logic       flit_bad_i,        // with flit_valid_i: its CRC is wrong
  input  logic       flit_retryable_i,  // with flit_valid_i: it is good and has a sequence number
  input  logic       ack_seq_i,         // pulse: a good framed RETRY.Ack was received
  input  logic [4:0] ack_num_retry_i,   // with ack_seq_i: its NUM_RETRY
  input  logic       ack_empty_i,       // with ack_seq_i: its Empty, nothing will be replayed
  input  logic       tx_flit_i,         // pulse: any flit is sent; the clock of Timeout
  input  logic       req_sent_i,        // pulse: the RETRY.Req of a sequence is sent
  input  logic       phy_done_i,        // pulse: the PHY has left Recovery, whoever requested it
  input  logic [7:0] wrap_i,            // wrap value of the peer's INIT.Param, 9 until it comes

  output logic       accept_o,          // comb: the flit of flit_valid_i counts
  output lrsm_e      state_o,           // LRSM; in LrsmLlrReq the caller sends a RETRY.Req
  output logic [7:0] eseq_o,            // ESeq, number of the next retryable flit
  output logic [4:0] num_retry_o,       // RETRY.Req sent in a row, the next one more: 0..MaxRetry
  output logic [4:0] num_phy_reinit_o,  // Recoveries requested in a row: 0..MaxPhyReinit
  output logic       phy_reinit_req_o   // level: Recovery is requested, until phy_done_i
);

  if (MaxRetry < 1 || MaxRetry > 31) begin : g_bad_retry
    $error("retry_local: MaxRetry of 1..31 is %0d", MaxRetry);
  end
  if (MaxPhyReinit < 1 || MaxPhyReinit > 31) begin : g_bad_reinit
    $error("retry_local: MaxPhyReinit of 1..31 is %0d", MaxPhyReinit);
  end

  localparam int unsigned TimeoutBits = $clog2(Timeout);

  lrsm_e                  state_q, state_d;
  logic [7:0]             eseq_q, eseq_d, eseq_next;
  logic                   eseq_last;
  logic [4:0]             num_retry_q, num_retry_d;
  logic [4:0]             num_phy_reinit_q, num_phy_reinit_d;
  logic [TimeoutBits-1:0] timeout_q, timeout_d;

  assign accept_o         = (state_q == LrsmNormal) && flit_valid_i && !flit_bad_i;
  assign state_o          = state_q;
  assign eseq_o           = eseq_q;
  assign num_retry_o      = num_retry_q;
  assign num_phy_reinit_o = num_phy_reinit_q;
  assign phy_reinit_req_o = state_q == LrsmPhyReinit;
  assign eseq_next        = eseq_q + 8'd1;
  assign eseq_last        = (LlrWrapInclusive ? eseq_q : eseq_next) == wrap_i;

  // In normal operation all rests between flits.
  logic acts;
  assign acts = flit_valid_i || state_q != LrsmNormal || phy_done_i || start_i;

  always_comb begin
    state_d          = state_q;
    eseq_d           = eseq_q;
    num_retry_d      = num_retry_q;
    num_phy_reinit_d = num_phy_reinit_q;
    timeout_d        = timeout_q;

    if (acts) begin
      unique case (state_q)
        LrsmNormal: begin
          if (flit_valid_i && flit_bad_i) begin
            state_d = LrsmLlrReq;
          end else if (flit_valid_i && flit_retryable_i) begin
            eseq_d           = eseq_last ? 8'd0 : eseq_next;
            num_retry_d      = '0;
            num_phy_reinit_d = '0;
          end
        end

        LrsmLlrReq: begin
          if (num_retry_q == 5'(MaxRetry)) begin
            if (num_phy_reinit_q == 5'(MaxPhyReinit)) begin
              state_d = LrsmAbort;
            end else begin
              state_d          = LrsmPhyReinit;
              num_phy_reinit_d = num_phy_reinit_q + 5'd1;
            end
          end else if (req_sent_i) begin
            state_d     = LrsmLocalIdle;
            num_retry_d = num_retry_q + 5'd1;
            timeout_d   = '0;
          end
        end

        LrsmLocalIdle: begin
          if (ack_seq_i && ack_num_retry_i == num_retry_q) begin
            state_d = LrsmNormal;
            if (ack_empty_i) begin
              num_retry_d      = '0;
              num_phy_reinit_d = '0;
            end
          end else if (tx_flit_i) begin
            timeout_d = timeout_q + 1'b1;
            if (timeout_q == TimeoutBits'(Timeout - 1)) state_d = LrsmLlrReq;
          end
        end

        default: ;  // LrsmPhyReinit waits for the PHY; only a link start leaves LrsmAbort
      endcase

      if (phy_done_i && state_q != LrsmAbort) begin
        state_d     = LrsmLlrReq;
        num_retry_d = '0;
      end
    end

    if (start_i) begin
      state_d          = LrsmNormal;
      eseq_d           = '0;
      num_retry_d      = '0;
      num_phy_reinit_d = '0;
      timeout_d        = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q          <= LrsmNormal;
      eseq_q           <= '0;
      num_retry_q      <= '0;
      num_phy_reinit_q <= '0;
      timeout_q        <= '0;
    end else if (acts) begin
      state_q          <= state_d;
      eseq_q           <= eseq_d;
      num_retry_q      <= num_retry_d;
      num_phy_reinit_q <= num_phy_reinit_d;
      timeout_q        <= timeout_d;
    end
  end

  // ESeq is frozen from an error until the matching RETRY.Ack; a sequence never outruns its limits.
  logic frozen_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) frozen_q <= 1'b0;
    else         frozen_q <= (state_q != LrsmNormal) && !start_i;
  end
  a_frozen: assert property (@(posedge clk_i) disable iff (!rst_ni) frozen_q |-> $stable(eseq_q))
    else $error("the expected sequence number moves during a retry");
  a_limits: assert property (@(posedge clk_i) disable iff (!rst_ni)
      num_retry_q <= 5'(MaxRetry) && num_phy_reinit_q <= 5'(MaxPhyReinit))
    else $error("more retries or Recoveries are counted than allowed");

endmodule
