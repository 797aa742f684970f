// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Sequencer of the DS engine: one operation at a time on index, slots, write table and local
// memory.
//
//   L  a load at the head that may be here   LLook LFind LSlot LMask LRead
//   S  the oldest store                      SLook SFind SNew SWrite, then
//                                            in place (SMask) or deferred (SPut)
//   F  a deferred line goes out              FPick FSlot FMask FDelete FRead
//   C  a write's answer that has to wait     CTake, then CFree, or CPut if the line stays
//   M  a merge reads its slot                MRead
//
// Idle chooses, unless a fast store begins: C, M, S up to eight times, else L and F in turn, or S.
// A state lasts a cycle unless it waits: for the index or for local memory.
//
// Insertions of late lines (ds_late) go on beside: while one stands a step asks the index nothing.
// A flush of the first late line waits in FMask for the answer to its insertion, which says where
// it is.
//
// Fast stores (ds_fast) pass beside. bars_begin_o and bars_defer_o keep them away where both would
// take a place of the write table, count in the filter or use the memories of the slots.
//
// A flush whose line is busy makes it the wanted line: its loads that have not begun wait, so that
// the flush gets its turn when those on their way have come back. Wanted only as long as a flush
// may go at all and until one has gone: loads wait for a bounded time as well.
//
// key_o is the line of the operation, mask_o what is to be its mask, slot_o its slot; what a state
// does with them is an output of one cycle, and happens at its edge. What is offered (lm_valid_o,
// ix_valid_o) follows from state alone, but for the room in the read table.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_sequencer
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned SlotWidth = 8,  // log2 of the slots; 2..12
  parameter int unsigned WriteBits = 3,  // bits of a write's index; 1..6
  parameter int unsigned MergeBits = 1   // bits of a merge's index; 1..4
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,           // level: operations may begin; changes only with
                                                   // nothing in flight
  input  logic                 isolate_i,          // level: the endpoint is gone; a store without a
                                                   // free slot is refused
  input  logic                 clear_error_i,      // pulse, while on: error_o falls, unless a write
                                                   // fails just then
  output logic                 error_o,            // level: a write failed; no more are begun until
                                                   // clear_error_i
  output ds_event_t            ev_o,               // pulses, a bit each, in the cycle of the event
  output ds_act_t              act_o,              // pulses, a bit each: what is done at the edge
                                                   // of this cycle
  // Head load
  input  logic                 head_want_i,        // level: a load at the head needs an operation;
                                                   // low for one that passes or has to wait
  input  line_addr_t           head_line_i,        // its line, address[51:6]; stable until its
                                                   // operation ends
  input  logic                 head_hit_i,         // comb from head_line_i: a write of it is in
                                                   // flight
  input  logic [SlotWidth-1:0] head_slot_i,        // the slot of that write, 0 without head_hit_i
  // Oldest store
  input  logic                 store_want_i,       // level: the oldest store may begin; low behind
                                                   // an older load of its line
  input  line_addr_t           store_line_i,       // its line, address[51:6]; stays until
                                                   // act_o.store_pop
  input  byte_en_t             store_be_i,         // its byte enables; stay likewise
  // Endpoint writes
  input  logic                 may_write_i,        // level: one more write to the endpoint may
                                                   // begin
  input  logic                 may_flush_i,        // level: a deferred line may go to the endpoint
  // Fast stores
  input  logic                 fast_begins_i,      // pulse: one begins, nothing is chosen
  output logic                 bars_begin_o,       // comb: none may begin in this cycle
  output logic                 bars_defer_o,       // comb: none may become deferred in this cycle
  output logic                 flushing_o,         // level: a flush has begun, its line does not go
                                                   // yet
  output logic                 completes_o,        // level: the second step of a completion
  output logic                 load_runs_o,        // level: an operation of the head load
  output logic                 store_runs_o,       // level: an operation of the oldest store
  // Line of the operation
  output line_addr_t           key_o,              // line of the operation, between two that of the
                                                   // oldest store
  output logic [SlotWidth-1:0] slot_o,             // its slot, with act_o, with lm_valid_o and with
                                                   // an insert
  output byte_en_t             mask_o,             // valid bytes of that slot, with act_o
  output logic                 look_flush_o,       // level: the lookups are to be of the line of a
                                                   // flush, else of the oldest store's
  input  logic                 look_maybe_i,       // comb from that line, filter: it may be
                                                   // deferred; 0: it surely is not
  input  logic                 look_busy_i,        // comb from it: the memory queue has an entry of
                                                   // it, or a merge of it has not read its slot
  output logic                 wanted_o,           // level: a flush waits for the loads of
                                                   // wanted_line_o; for these head_want_i has to be
                                                   // low
  output line_addr_t           wanted_line_o,      // line of that flush, with wanted_o
  // Write table
  input  logic                 write_hit_i,        // comb from the oldest store's line, while
                                                   // store_runs_o: a write of it is in flight
  input  logic [SlotWidth-1:0] write_slot_i,       // the slot of that write, 0 without write_hit_i
  input  logic [WriteBits-1:0] write_next_i,       // index of the write that act_o.write_add begins
  output logic [WriteBits-1:0] write_index_o,      // index of the write to look up, that
                                                   // act_o.write_free ends, or whose read (LmFlush)
                                                   // is offered
  input  line_addr_t           write_line_i,       // comb from write_index_o: its line
  input  logic [SlotWidth-1:0] write_done_slot_i,  // comb from write_index_o: its slot
  input  byte_en_t             write_mask_i,       // comb from write_index_o: valid bytes of its
                                                   // slot
  input  logic                 write_dirty_i,      // comb from write_index_o: a store changed the
                                                   // slot after the write had begun
  // Completions
  input  logic                 done_valid_i,       // an answer of a write waits; stays until
                                                   // act_o.done_pop
  input  logic [WriteBits-1:0] done_index_i,       // its index
  input  logic                 done_error_i,       // it was answered with an error: the line is
                                                   // deferred again
  // Merges
  input  logic                 merge_room_i,       // level: one more merge can begin
  input  logic                 merge_arrived_i,    // a merge has the endpoint's data and is to read
                                                   // its slot; stays until act_o.merge_sent
  input  logic [MergeBits-1:0] merge_next_i,       // its index; may change to another that waits
                                                   // until the read is offered
  input  logic [SlotWidth-1:0] merge_slot_i,       // its slot
  output logic [MergeBits-1:0] merge_index_o,      // index of the merge whose read is offered, and
                                                   // with act_o.merge_sent
  // Slots
  input  logic                 pending_i,          // level: a line is deferred
  input  logic                 slot_room_i,        // level: a slot is free
  input  logic [SlotWidth-1:0] free_slot_i,        // with slot_room_i: that slot
  input  logic [SlotWidth-1:0] end_slot_i,         // slot that act_o.order_read gave, from the
                                                   // cycle after until the next
  // Late lines
  input  logic                 late_first_i,       // level: the line of end_slot_i is the first
                                                   // late one
  input  logic                 late_other_i,       // level: it is late, and not that
  input  logic                 late_few_i,         // level: one more may be late for a completion
  input  logic                 late_flush_i,       // level: so few are late that a flush may begin
  input  logic                 late_hit_i,         // comb from the head load's line while
                                                   // load_runs_o, else the oldest store's: it is
                                                   // late
  input  logic [SlotWidth-1:0] late_hit_slot_i,    // its slot, 0 without late_hit_i
  // Insertions
  output logic                 asks_o,             // level: a step asks the index, or waits for
                                                   // that
  input  logic                 insert_stands_i,    // level: an insertion is at the index: nothing
                                                   // is offered
  input  logic                 insert_done_i,      // pulse, with ix_found_i: it is answered
  // Slot memory {line, mask}
  input  line_addr_t           word_line_i,        // line in the slot memory, from the cycle after
                                                   // act_o.word_read until the next
  input  byte_en_t             word_mask_i,        // valid bytes there; likewise
  // Local memory
  input  logic                 read_room_i,        // level: one more load can read local memory;
                                                   // stays until act_o.head_local
  output logic                 lm_valid_o,         // a read or write of slot_o; stays until taken
  input  logic                 lm_ready_i,         // low to stall
  output logic                 lm_write_o,         // 1 a write of the oldest store, 0 a read; stays
                                                   // until taken
  output lm_kind_e             lm_kind_o,          // of a read: for the head load, a merge or a
                                                   // write to the endpoint; stays until taken
  // Index
  output logic                 ix_valid_o,         // an operation for the index on key_o; stays
                                                   // until taken
  input  logic                 ix_ready_i,         // low while it has one
  output logic                 ix_delete_o,        // 1 delete, 0 find; stays until taken
  input  logic                 ix_rsp_valid_i,     // pulse: the answer, from the cycle after the
                                                   // operation was taken on
  input  logic                 ix_found_i,         // with the answer: the line was there; to an
                                                   // insertion: there is no place for it
  input  logic [SlotWidth-1:0] ix_slot_i           // with the answer: its slot
);

  // The upper two bits say whose line it is: so the line is there early in the cycle. The upper
  // three tell the operations apart, but for M.
  typedef enum logic [5:0] {
    Idle   = 6'h00, MRead,
    SLook  = 6'h08, SFind, SNew, SWrite, SMask, SPut,
    LLook  = 6'h10, LFind, LSlot, LMask, LRead,
    FPick  = 6'h20, FSlot, FMask, FDelete, FRead,
    CTake  = 6'h30, CFree, CPut
  } state_e;
  localparam logic [3:0] MostStores = 4'd8;

  state_e               state_q, state_d, chosen;
  logic [3:0]           stores_q, stores_d;  // S since the last L or F, up to MostStores
  logic                 turn_f_q, turn_f_d;  // L was the last of L and F
  logic [SlotWidth-1:0] slot_q, slot_d;
  logic                 new_q, new_d;      // the store's slot was free before
  logic [WriteBits-1:0] write_q, write_d;
  logic [MergeBits-1:0] merge_q, merge_d;
  logic                 asked_q;           // the index has the operation
  logic                 error_q, error_set;
  logic                 wanted_q, wanted_set;
  line_addr_t           wanted_line_q;
  ds_event_t            ev_d;

  logic asks, ix_done, lm_taken, flush_want, may_complete;

  // ---------------------------------------------------------------------------------------------
  // What stands at index and local memory
  // ---------------------------------------------------------------------------------------------
  assign asks        = state_q inside {LFind, SFind, FDelete};
  assign asks_o      = asks;
  assign ix_valid_o  = asks && !asked_q && !insert_stands_i;
  assign ix_done     = asked_q && ix_rsp_valid_i;
  assign ix_delete_o = state_q == FDelete;

  assign lm_valid_o = state_q inside {LRead, SWrite, FRead, MRead};
  assign lm_write_o = state_q == SWrite;
  assign lm_taken   = lm_valid_o && lm_ready_i;
  always_comb begin
    unique case (state_q)
      FRead:   lm_kind_o = LmFlush;
      MRead:   lm_kind_o = LmMerge;
      default: lm_kind_o = LmLoad;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Line, slot and mask of the operation
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    unique case (state_q[5:4])
      2'd1:    key_o = head_line_i;
      2'd2:    key_o = word_line_i;
      2'd3:    key_o = write_line_i;
      default: key_o = store_line_i;
    endcase
    unique case (state_q)
      SMask:                 mask_o = word_mask_i | store_be_i;
      LMask, FMask, FDelete: mask_o = word_mask_i;
      CPut:                  mask_o = write_mask_i;
      default:               mask_o = store_be_i;
    endcase
  end
  // F has the slot that the memory of their order gave.
  assign slot_o        = (state_q[5:4] == 2'd2) ? end_slot_i : slot_q;
  assign write_index_o = write_q;
  assign merge_index_o = merge_q;
  assign look_flush_o  = state_q == FMask;

  // ---------------------------------------------------------------------------------------------
  // Fast stores
  // ---------------------------------------------------------------------------------------------
  logic deletes;    // in this cycle
  logic goes_late;  // the line of a flush in its last cycle of FMask
  assign deletes      = state_q == FDelete && ix_done;
  assign goes_late    = late_first_i ? ix_found_i : late_other_i;
  assign load_runs_o  = state_q[5:3] == 3'd2;
  assign store_runs_o = state_q[5:3] == 3'd1;
  assign flushing_o   = state_q inside {FPick, FSlot, FMask, FDelete};
  assign completes_o  = state_q inside {CFree, CPut};
  assign bars_begin_o = store_runs_o || state_q == FMask || deletes ||
                        (state_q == Idle && (may_complete || merge_arrived_i));
  assign bars_defer_o = state_q inside {FPick, FSlot, FMask} || completes_o || deletes;

  // ---------------------------------------------------------------------------------------------
  // Choice
  // ---------------------------------------------------------------------------------------------
  assign may_complete = done_valid_i && late_few_i;
  assign flush_want   = pending_i && late_flush_i && may_write_i && !error_q && may_flush_i;

  always_comb begin
    chosen = Idle;
    if (store_want_i && stores_q != MostStores)        chosen = SLook;
    else if (head_want_i && !(turn_f_q && flush_want)) chosen = LLook;
    else if (flush_want)                               chosen = FPick;
    else if (store_want_i)                             chosen = SLook;
    if (merge_arrived_i) chosen = MRead;
    if (may_complete)    chosen = CTake;
    // Never together with the two above: bars_begin_o.
    if (fast_begins_i || !enable_i) chosen = Idle;
  end

  // ---------------------------------------------------------------------------------------------
  // State machine
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    state_d    = state_q;
    stores_d   = stores_q;
    turn_f_d   = turn_f_q;
    slot_d     = slot_q;
    new_d      = new_q;
    write_d    = write_q;
    merge_d    = merge_q;
    error_set  = 1'b0;
    wanted_set = 1'b0;
    ev_d       = '0;
    act_o      = '0;

    unique case (state_q)
      Idle: begin
        state_d = chosen;
        new_d   = 1'b0;
        slot_d  = merge_slot_i;
        merge_d = merge_next_i;
        write_d = done_index_i;
        if (chosen == SLook && stores_q != MostStores) stores_d = stores_q + 4'd1;
        if (chosen inside {LLook, FPick}) begin
          stores_d = '0;
          turn_f_d = chosen == LLook;
        end
      end

      LLook: begin
        slot_d = head_slot_i | late_hit_slot_i;
        if (head_hit_i)      state_d = LRead;
        else if (late_hit_i) state_d = LSlot;
        else                 state_d = LFind;
      end
      LFind: if (ix_done) begin
        slot_d         = ix_slot_i;
        act_o.set_pass = !ix_found_i;
        ev_d.false_hit = !ix_found_i;
        state_d        = ix_found_i ? LSlot : Idle;
      end
      LSlot: begin
        act_o.word_read = 1'b1;
        state_d         = LMask;
      end
      LMask: begin
        if (&word_mask_i) begin
          state_d = LRead;
        end else begin
          act_o.merge_add = merge_room_i;
          act_o.set_pass  = merge_room_i;
          ev_d.merge      = merge_room_i;
          state_d         = Idle;
        end
      end
      LRead: if (lm_taken) begin
        act_o.head_local = 1'b1;
        ev_d.hit         = 1'b1;
        state_d          = Idle;
      end

      SLook: begin
        slot_d = write_slot_i | late_hit_slot_i;
        if (write_hit_i || late_hit_i) state_d = SWrite;
        else if (look_maybe_i)         state_d = SFind;
        else                           state_d = SNew;
      end
      SFind: if (ix_done) begin
        slot_d         = ix_slot_i;
        ev_d.false_hit = !ix_found_i;
        state_d        = ix_found_i ? SWrite : SNew;
      end
      SNew: begin
        act_o.slot_take = slot_room_i;
        slot_d          = free_slot_i;
        new_d           = 1'b1;
        ev_d.full       = !slot_room_i;
        // Nothing goes out, so no slot becomes free: the host shall not wait for one.
        if (!slot_room_i && (isolate_i || error_q)) begin
          act_o.refused   = 1'b1;
          act_o.store_pop = 1'b1;
          ev_d.refused    = 1'b1;
        end
        state_d         = slot_room_i ? SWrite : Idle;
      end
      SWrite: begin
        act_o.word_read = !new_q;
        if (lm_taken) begin
          act_o.stored = 1'b1;
          state_d      = new_q ? SPut : SMask;
          if (write_hit_i) begin
            act_o.write_mark = 1'b1;
            act_o.store_pop  = 1'b1;
            ev_d.in_place    = 1'b1;
            state_d          = Idle;
          end
        end
      end
      SMask: begin
        act_o.word_write = 1'b1;
        act_o.store_pop  = 1'b1;
        ev_d.in_place    = 1'b1;
        state_d          = Idle;
      end
      SPut: begin
        act_o.word_write = 1'b1;
        act_o.push       = 1'b1;
        act_o.store_pop  = 1'b1;
        ev_d.deferred    = 1'b1;
        state_d          = Idle;
      end

      FPick: begin
        act_o.order_read = 1'b1;
        state_d          = FSlot;
      end
      FSlot: begin
        act_o.word_read = 1'b1;
        state_d         = FMask;
      end
      FMask: begin
        write_d = write_next_i;
        if (late_first_i && !insert_done_i) begin
          state_d = FMask;
        end else if (look_busy_i) begin
          wanted_set = 1'b1;
          state_d    = Idle;
        end else begin
          act_o.order_leave = 1'b1;
          act_o.late_drop   = goes_late;
          act_o.pop         = goes_late;
          act_o.write_add   = goes_late;
          state_d           = goes_late ? FRead : FDelete;
        end
      end
      FDelete: if (ix_done) begin
        act_o.pop       = 1'b1;
        act_o.write_add = 1'b1;
        write_d         = write_next_i;
        state_d         = FRead;
      end
      FRead: if (lm_taken) begin
        ev_d.flushed = 1'b1;
        state_d      = Idle;
      end

      CTake: begin
        act_o.done_pop = 1'b1;
        slot_d         = write_done_slot_i;
        error_set      = done_error_i;
        ev_d.error     = done_error_i;
        state_d        = (done_error_i || write_dirty_i) ? CPut : CFree;
      end
      CFree: begin
        act_o.slot_release = 1'b1;
        act_o.write_free   = 1'b1;
        state_d            = Idle;
      end
      CPut: begin
        act_o.word_write = 1'b1;
        act_o.push       = 1'b1;
        act_o.write_free = 1'b1;
        state_d          = Idle;
      end

      MRead: if (lm_taken) begin
        act_o.merge_sent = 1'b1;
        state_d          = Idle;
      end

      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      stores_q <= '0;
      turn_f_q <= 1'b0;
      asked_q  <= 1'b0;
      error_q  <= 1'b0;
      wanted_q <= 1'b0;
    end else begin
      state_q  <= state_d;
      stores_q <= stores_d;
      turn_f_q <= turn_f_d;
      asked_q  <= (ix_valid_o && ix_ready_i) || (asked_q && !ix_rsp_valid_i);
      error_q  <= error_set || (error_q && !(clear_error_i && enable_i));
      wanted_q <= (wanted_set || wanted_q) && flush_want && !act_o.pop;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wanted_set) wanted_line_q <= key_o;
    slot_q  <= slot_d;
    new_q   <= new_d;
    write_q <= write_d;
    merge_q <= merge_d;
  end

  assign error_o       = error_q;
  assign wanted_o      = wanted_q;
  assign wanted_line_o = wanted_line_q;
  assign ev_o          = ev_d;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Known_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q inside {Idle, MRead, SLook, SFind, SNew, SWrite, SMask, SPut, LLook, LFind, LSlot,
                      LMask, LRead, FPick, FSlot, FMask, FDelete, FRead, CTake, CFree, CPut})
    else $error("a code that is no state");
  Off_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!enable_i && state_q == Idle) |-> state_d == Idle && ev_d == '0)
    else $error("switched off, an operation began or an event was counted");
  Family_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q != Idle && state_d != Idle) |->
      state_q[5:3] == state_d[5:3] && (state_q == MRead) == (state_d == MRead))
    else $error("an operation turned into another one before its end");
  Waits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q != Idle && state_d == state_q) |->
      asks || lm_valid_o || (state_q == FMask && late_first_i && !insert_done_i))
    else $error("an operation stalls in a step that waits for nobody");
  OneOffer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({lm_valid_o, ix_valid_o}))
    else $error("an operation offers to local memory and to the index at once");
  // A refused store counts as one without a slot, too.
  ds_event_t ev_but_refused;
  always_comb begin
    ev_but_refused         = ev_d;
    ev_but_refused.refused = 1'b0;
  end
  OneEvent_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(ev_but_refused))
    else $error("more than one event in a cycle");
  Refused_A: assert property (@(posedge clk_i) disable iff (!rst_ni) ev_d.refused |-> ev_d.full)
    else $error("a store was refused although there was a slot");
  NoHope_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ev_d.full && !ev_d.refused) |-> !isolate_i && !error_o)
    else $error("a store waits for a slot although none can become free");
  Answered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act_o.refused |-> act_o.store_pop && !act_o.stored && !act_o.slot_take)
    else $error("a refused store did not leave, or was stored or got a slot as well");
  StoreWanted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Idle && state_d == SLook) |-> store_want_i)
    else $error("a store began that has to wait for an older load of its line");
  DeleteFound_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ix_done && ix_delete_o) |-> ix_found_i && ix_slot_i == slot_o)
    else $error("a line that leaves was not in the index under its slot");
  IndexStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ix_valid_o && !ix_ready_i) |=> ix_valid_o && $stable(ix_delete_o) && $stable(key_o))
    else $error("an operation for the index changed or went away before it was taken");
  WantedEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!flush_want || act_o.pop) |=> !wanted_o)
    else $error("loads still wait for a flush that may not go or has gone");
  WantedStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wanted_o && flush_want && !act_o.pop) |=> wanted_o)
    else $error("loads no longer wait for a flush that may go and has not");
  // A load chosen while its line is wanted would starve the flush.
  LoadWaits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Idle && state_d == LLook && wanted_o) |-> head_line_i != wanted_line_o)
    else $error("a load began although a flush waits for the loads of its line");
  FastAlone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Idle && fast_begins_i) |=> state_q == Idle)
    else $error("an operation was chosen in a cycle in which a fast store began");
  FastBarred_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fast_begins_i |-> !bars_begin_o)
    else $error("a fast store began in a cycle in which none may");
  CompletionFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && state_q == Idle && (may_complete || merge_arrived_i)) |=>
      state_q inside {CTake, MRead})
    else $error("a completion or a merge waits and another operation was chosen");
  CompletionRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Idle && state_d == CTake) |-> late_few_i)
    else $error("a completion began that may make more lines late than there are places for");
  Stores_A: assert property (@(posedge clk_i) disable iff (!rst_ni) stores_q <= MostStores)
    else $error("more stores in a row counted than go before a load or a flush");
  LateDeletes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == FMask && late_other_i) |=> state_q inside {Idle, FRead})
    else $error("a late line was looked for in the index to delete it");
  LateDrops_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (act_o.late_drop && late_first_i) |-> insert_done_i && ix_found_i)
    else $error("the first late line went as a late one, and was not refused in that cycle");
  InsertStands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      insert_stands_i |-> !asked_q)
    else $error("an insertion stands while a step has the index");
  ReadRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      load_runs_o |-> read_room_i)
    else $error("a load began without a place for its read");
  LookOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (late_hit_i && state_q inside {LLook, SLook}) |->
      !(state_q == LLook ? head_hit_i : write_hit_i))
    else $error("a line is late and in flight at once");
  LateMaybe_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (late_hit_i && state_q == SLook) |-> look_maybe_i)
    else $error("a line is late that the filter does not know");
  ErrorStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (error_o && !clear_error_i) |=> error_o)
    else $error("the error of a write went away before it was cleared");

endmodule
