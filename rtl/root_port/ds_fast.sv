// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Fast stores of the DS engine: the oldest store, whose line is nowhere, passes beside the
// operations of the sequencer.
//
//   begins   it gets a slot, and a place of the write table if it goes to its endpoint at once
//   offered  from the next cycle on to local memory, and to the memory queue if direct
//   leaves   in the cycle in which the last of them takes it, or later, as a late answer of the
//            store before it has to be gone and a deferred one has to be let by the sequencer
//
// One at a time, so one leaves every other cycle at best. Nothing here waits for an operation that
// waits for it: bars_defer_i lasts three cycles, and what is offered needs no index.
//
// begins_o is combinational from all that is asked of a store; what is offered follows from state.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_fast #(
  parameter int unsigned SlotWidth = 8,  // log2 of the slots; 2..12
  parameter int unsigned WriteBits = 3   // bits of a write's index; 1..6
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Begin
  input  logic                 store_valid_i,   // a store waits, the oldest stays until leaves_o
  input  logic                 alone_i,         // level: its line is nowhere, and a slot is free
  input  logic                 bars_begin_i,    // level: not in this cycle
  input  logic                 may_direct_i,    // level: it may go at once, a place is free
  output logic                 begins_o,        // pulse: it takes slot_i, and place_i if direct
  output logic                 begins_direct_o, // with begins_o: it goes at once
  input  logic                 late_answer_i,   // level: the answer of a store that left waits
  input  logic                 bars_defer_i,    // level: none may become deferred in this cycle
  input  logic [SlotWidth-1:0] slot_i,          // the free slot, with begins_o
  input  logic [WriteBits-1:0] place_i,         // the free place, with begins_o
  // On its way
  output logic                 busy_o,          // level: one is on its way
  output logic                 direct_o,        // with busy_o: a direct one
  output logic [SlotWidth-1:0] slot_o,          // with busy_o: its slot
  output logic [WriteBits-1:0] place_o,         // with direct_o: its place
  output logic                 lm_valid_o,      // its write for local memory; stays until taken
  input  logic                 lm_taken_i,      // pulse, only with lm_valid_o
  output logic                 mq_valid_o,      // its write for the endpoint; stays until taken
  input  logic                 mq_taken_i,      // pulse, only with mq_valid_o: its line is going
  output logic                 leaves_o         // pulse: it leaves
);

  logic                 busy_q, direct_q, lm_q, mq_q;  // lm_q, mq_q: still to be taken there
  logic [SlotWidth-1:0] slot_q;
  logic [WriteBits-1:0] place_q;

  assign begins_o        = store_valid_i && !busy_q && alone_i && !bars_begin_i;
  assign begins_direct_o = may_direct_i;
  assign leaves_o        = busy_q && (!lm_q || lm_taken_i) && (!mq_q || mq_taken_i) &&
                           !late_answer_i && (direct_q || !bars_defer_i);

  assign busy_o     = busy_q;
  assign direct_o   = direct_q;
  assign slot_o     = slot_q;
  assign place_o    = place_q;
  assign lm_valid_o = lm_q;
  assign mq_valid_o = mq_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      direct_q <= 1'b0;
      lm_q     <= 1'b0;
      mq_q     <= 1'b0;
    end else begin
      if (begins_o) begin
        busy_q   <= 1'b1;
        direct_q <= begins_direct_o;
        lm_q     <= 1'b1;
        mq_q     <= begins_direct_o;
      end else begin
        if (lm_taken_i) lm_q <= 1'b0;
        if (mq_taken_i) mq_q <= 1'b0;
        if (leaves_o) begin
          busy_q   <= 1'b0;
          direct_q <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (begins_o) begin
      slot_q  <= slot_i;
      place_q <= place_i;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneAtATime_A: assert property (@(posedge clk_i) disable iff (!rst_ni) begins_o |-> !busy_q)
    else $error("a fast store began before the one before it had left");
  OffersNext_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      begins_o |=> lm_valid_o && mq_valid_o == direct_o)
    else $error("a fast store that began is not offered in the next cycle");
  Taken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(lm_taken_i && !lm_valid_o) && !(mq_taken_i && !mq_valid_o))
    else $error("a fast store was taken that was not offered");
  Offered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (lm_valid_o || mq_valid_o) |-> busy_o && (!mq_valid_o || direct_o))
    else $error("an offer of no fast store, or one to the endpoint of a store that is not direct");
  LeavesDone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaves_o |=> !busy_o && !lm_valid_o && !mq_valid_o)
    else $error("a fast store left and is still offered");
  LeavesBarred_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (leaves_o && !direct_o) |-> !bars_defer_i)
    else $error("a fast store was deferred in a cycle in which none may");
  LeavesAnswered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaves_o |-> !late_answer_i)
    else $error("a fast store left before the store before it was answered");
  StoreStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni) busy_o |-> store_valid_i)
    else $error("a fast store is on its way and none waits");

endmodule
