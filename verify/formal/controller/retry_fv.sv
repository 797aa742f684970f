// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Link-layer retry, one direction: the sender's retry_buffer and the receiver's retry_local with the
// wires between them. Whatever the wires spoil, the receiver takes the sender's flits in their
// order, each once: none is lost, none comes twice.
//
// Each flit carries its number. Both ways are two flits long; any flit forth is spoilt, and any
// RETRY.Req lost, as the inputs please. Acknowledgements come at any time after what they stand for.
// The PHY does not leave Recovery here: a receiver that has used up its tries rests.

module retry_fv
  import cxl_pkg::*;
#(
  parameter int unsigned Depth = 3,     // fewer than the standard's 22: the numbers wrap within the depth
  parameter int unsigned Timeout = 4,
  parameter int unsigned MaxRetry = 3
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       push_i,     // a new flit, if it may go
  input logic       replay_i,   // the offered replay flit goes
  input logic       ack_go_i,   // a RETRY.Ack goes, if one is due
  input logic       spoil_i,    // what arrives is bad
  input logic       lose_i,     // the RETRY.Req that arrives is not seen
  input logic       req_go_i,   // a RETRY.Req goes, if one is due
  input logic       tx_flit_i,  // the receiver sends some flit: its time-out counts them
  input logic [1:0] acks_i      // so many are acknowledged, if as many were taken
);

  typedef enum logic [1:0] {Nothing, Data, Ack} kind_e;
  typedef struct packed {
    kind_e      kind;
    logic [5:0] number;
    logic [4:0] num_retry;
    logic       empty;
  } forth_t;
  typedef struct packed {
    logic       valid;
    logic [7:0] eseq;
    logic [4:0] num_retry;
  } back_t;

  forth_t [1:0] forth_q;
  back_t  [1:0] back_q;
  forth_t       sent;
  back_t        asked;

  logic          push, replay, ack_sent, req_sent, llrack, replaying, over_ack, bad_req;
  logic          accept, got;
  flit_payload_t replay_payload;
  logic [7:0]    wr_ptr, rd_ptr, eseq_echo, eseq;
  logic [8:0]    num_free, acks;
  logic [4:0]    num_retry_echo, num_retry, num_phy_reinit;
  lrsm_e         state;
  logic          phy_reinit_req, replay_is_adf;
  logic [5:0]    sent_q, taken_q, acked_q;  // flits, modulo 64: more than can be in flight

  assign ack_sent = ack_go_i && llrack;
  assign replay   = replay_i && replaying && !ack_sent;
  assign push     = push_i && !replaying && !llrack && num_free != '0;
  assign acks     = (6'(acks_i) <= taken_q - acked_q) ? 9'(acks_i) : '0;

  retry_buffer #(.Depth(Depth), .MinDepth(1)) u_buffer (
    .clk_i, .rst_ni, .start_i(1'b0),
    .push_i(push), .push_payload_i(flit_payload_t'(sent_q)), .push_is_adf_i(1'b0), .ack_i(acks),
    .req_seq_i(back_q[1].valid && !lose_i), .req_eseq_i(back_q[1].eseq),
    .req_num_retry_i(back_q[1].num_retry), .ack_sent_i(ack_sent), .replay_take_i(replay),
    .phy_done_i(1'b0), .wr_ptr_o(wr_ptr), .rd_ptr_o(rd_ptr), .num_free_o(num_free),
    .over_ack_o(over_ack), .bad_req_o(bad_req), .llrack_o(llrack), .eseq_echo_o(eseq_echo),
    .num_retry_echo_o(num_retry_echo), .replaying_o(replaying), .replay_payload_o(replay_payload),
    .replay_is_adf_o(replay_is_adf));

  always_comb begin
    sent = '0;
    if (push) begin
      sent.kind   = Data;
      sent.number = sent_q;
    end else if (replay) begin
      sent.kind   = Data;
      sent.number = replay_payload[5:0];
    end else if (ack_sent) begin
      sent.kind      = Ack;
      sent.num_retry = num_retry_echo;
      sent.empty     = eseq_echo == wr_ptr;
    end
  end

  assign req_sent = req_go_i && state == LrsmLlrReq && num_retry != 5'(MaxRetry);
  assign asked    = '{valid: req_sent, eseq: eseq, num_retry: num_retry + 5'd1};

  logic there, bad;
  assign there = forth_q[1].kind != Nothing;
  assign bad   = there && spoil_i;

  retry_local #(.Timeout(Timeout), .MaxRetry(MaxRetry), .MaxPhyReinit(1)) u_local (
    .clk_i, .rst_ni, .start_i(1'b0), .flit_valid_i(there), .flit_bad_i(bad),
    .flit_retryable_i(forth_q[1].kind == Data && !bad),
    .ack_seq_i(forth_q[1].kind == Ack && !bad), .ack_num_retry_i(forth_q[1].num_retry),
    .ack_empty_i(forth_q[1].empty), .tx_flit_i, .req_sent_i(req_sent), .phy_done_i(1'b0),
    .wrap_i(8'(Depth)), .accept_o(accept), .state_o(state), .eseq_o(eseq),
    .num_retry_o(num_retry), .num_phy_reinit_o(num_phy_reinit), .phy_reinit_req_o(phy_reinit_req));

  assign got = accept && forth_q[1].kind == Data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      forth_q <= '0;
      back_q  <= '0;
      sent_q  <= '0;
      taken_q <= '0;
      acked_q <= '0;
    end else begin
      forth_q <= {forth_q[0], sent};
      back_q  <= {back_q[0], asked};
      sent_q  <= sent_q + 6'(push);
      taken_q <= taken_q + 6'(got);
      acked_q <= acked_q + acks[5:0];
    end
  end

  Next_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      got |-> forth_q[1].number == taken_q);
  Sent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sent_q - taken_q <= 6'(Depth));
  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      9'(sent_q - acked_q) == 9'(Depth) - num_free);
  OverAck_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !over_ack);
  // A receiver that counts right never asks for what is not held.
  BadReq_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !bad_req);

endmodule
