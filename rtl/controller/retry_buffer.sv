// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Link-layer retry buffer (LLRB) and remote retry state machine (RRSM): keeps every retryable flit
// until the peer acknowledges it, and replays from the sequence number the peer asks for.
//
// Source: CXL 2.0, chapter 4.2, link-layer retry. Pointers, counts and RRSM are registered; the
// entry at RdPtr is read combinationally. A flit selected in a cycle is in the buffer the next.

module retry_buffer
  import cxl_pkg::*;
#(
  parameter int unsigned Depth    = 128,  // flits that it holds: MinDepth..255, and 2 at least
  parameter int unsigned MinDepth = 22    // least Depth: 1..22; proofs alone take less than 22
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          start_i,           // pulse: the link starts, all as after reset; wins

  input  logic          push_i,            // pulse: a new retryable flit is sent; not when full
  input  flit_payload_t push_payload_i,    // with push_i: its payload
  input  logic          push_is_adf_i,     // with push_i: it is an ADF
  input  logic [8:0]    ack_i,             // flits that the peer acknowledges in this cycle

  input  logic          req_seq_i,         // pulse: a good framed RETRY.Req was received
  input  logic [7:0]    req_eseq_i,        // with req_seq_i: its Eseq, the flit requested
  input  logic [4:0]    req_num_retry_i,   // with req_seq_i: its NUM_RETRY
  input  logic          ack_sent_i,        // pulse: the RETRY.Ack is sent; never with push_i
  input  logic          replay_take_i,     // pulse: the flit on replay is sent; only if replaying_o
  input  logic          phy_done_i,        // pulse: the PHY has left Recovery

  output logic [7:0]    wr_ptr_o,          // WrPtr, number of the next push_i: 0..Depth-1
  output logic [7:0]    rd_ptr_o,          // RdPtr, number of the flit to replay: 0..Depth-1
  output logic [8:0]    num_free_o,        // NumFreeBuf, entries free: 0..Depth
  output logic          over_ack_o,        // comb: ack_i is more than is held
  output logic          bad_req_o,         // comb: req_seq_i requests a flit that is not held
  output logic          llrack_o,          // level: RETRY.Ack is due, until
                                           // ack_sent_i or phy_done_i
  output logic [7:0]    eseq_echo_o,       // Eseq for that RETRY.Ack
  output logic [4:0]    num_retry_echo_o,  // NUM_RETRY for that RETRY.Ack
  output logic          replaying_o,       // level: there is a flit to replay, before any new one
  output flit_payload_t replay_payload_o,  // that flit, until replay_take_i or ack_sent_i; else 0
  output logic          replay_is_adf_o    // it is an ADF
);

  // CXL 2.0 wants 22 at least.
  if (Depth < MinDepth || Depth < 2 || Depth > 255) begin : g_check_depth
    $error("retry_buffer: Depth of %0d..255 is %0d", (MinDepth < 2) ? 2 : MinDepth, Depth);
  end

  localparam logic [7:0] Last = 8'(Depth - 1);
  localparam int unsigned IndexBits = $clog2(Depth);

  flit_payload_t payload_q [Depth];
  logic          is_adf_q [Depth];

  logic [7:0] wr_ptr_q, rd_ptr_q, wr_next, rd_next, eseq_echo_q;
  logic [8:0] num_free_q, num_free_acked;
  logic [4:0] num_retry_echo_q;
  logic       llrack_q;

  assign wr_ptr_o         = wr_ptr_q;
  assign rd_ptr_o         = rd_ptr_q;
  assign num_free_o       = num_free_q;
  assign over_ack_o       = ack_i > 9'(Depth) - num_free_q;
  assign num_free_acked   = over_ack_o ? 9'(Depth) : num_free_q + ack_i;
  assign llrack_o         = llrack_q;

  // What may be requested: a flit held, or the next one.
  logic [8:0] held, behind;
  assign held      = 9'(Depth) - num_free_q;
  assign behind    = {1'b0, wr_ptr_q} - {1'b0, req_eseq_i} +
                     ((req_eseq_i > wr_ptr_q) ? 9'(Depth) : 9'd0);
  assign bad_req_o = req_seq_i && (req_eseq_i > Last || behind > held);
  assign eseq_echo_o      = eseq_echo_q;
  assign num_retry_echo_o = num_retry_echo_q;
  assign replaying_o      = rd_ptr_q != wr_ptr_q;
  assign wr_next          = (wr_ptr_q == Last) ? 8'd0 : wr_ptr_q + 8'd1;
  assign rd_next          = (rd_ptr_q == Last) ? 8'd0 : rd_ptr_q + 8'd1;

  always_comb begin
    replay_payload_o = '0;
    replay_is_adf_o  = 1'b0;
    if (replaying_o) begin
      replay_payload_o = payload_q[rd_ptr_q[IndexBits-1:0]];
      replay_is_adf_o  = is_adf_q[rd_ptr_q[IndexBits-1:0]];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_ptr_q         <= '0;
      rd_ptr_q         <= '0;
      num_free_q       <= 9'(Depth);
      llrack_q         <= 1'b0;
      eseq_echo_q      <= '0;
      num_retry_echo_q <= '0;
    end else if (start_i) begin
      wr_ptr_q         <= '0;
      rd_ptr_q         <= '0;
      num_free_q       <= 9'(Depth);
      llrack_q         <= 1'b0;
      eseq_echo_q      <= '0;
      num_retry_echo_q <= '0;
    end else begin
      if (push_i) wr_ptr_q <= wr_next;

      if (ack_sent_i)                      rd_ptr_q <= eseq_echo_q;
      else if (replay_take_i)              rd_ptr_q <= rd_next;
      else if (push_i && !replaying_o)     rd_ptr_q <= wr_next;

      num_free_q <= num_free_acked - 9'(push_i);

      if (req_seq_i && !bad_req_o) begin
        llrack_q         <= 1'b1;
        eseq_echo_q      <= req_eseq_i;
        num_retry_echo_q <= req_num_retry_i;
      end else if (ack_sent_i) begin
        llrack_q <= 1'b0;
      end
      // Recovery voids what was asked before it: the peer requests again.
      if (phy_done_i) llrack_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      payload_q[wr_ptr_q[IndexBits-1:0]] <= push_payload_i;
      is_adf_q[wr_ptr_q[IndexBits-1:0]]  <= push_is_adf_i;
    end
  end

  a_no_overflow: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push_i |-> num_free_q != 9'd0)
    else $error("a flit is pushed into a full retry buffer");
  a_no_push_with_ack: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ack_sent_i |-> !push_i)
    else $error("a new flit is pushed in the cycle of a RETRY.Ack");
  a_free: assert property (@(posedge clk_i) disable iff (!rst_ni) num_free_q <= 9'(Depth))
    else $error("more entries are free than there are");
  a_echo: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_seq_i && bad_req_o && !start_i) |=> $stable(eseq_echo_o) && !$rose(llrack_o))
    else $error("a RETRY.Req out of range gets a RETRY.Ack");
  a_replay: assert property (@(posedge clk_i) disable iff (!rst_ni)
      replay_take_i |-> replaying_o)
    else $error("a replayed flit is taken outside a replay");

endmodule
