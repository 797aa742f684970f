// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Lines of the DS engine: which are in local memory, in which slot, with which bytes, and the
// sequencer and the fast stores that move them.
//
//   deferred             waits: slots in their order, slot memory {line, mask}, filter, and index
//                        (outside) or, the last of them, late
//   in the write table   on its way to the endpoint
//
// A line is in one of the two at most. What is done goes to the engine's other parts as act_o;
// key_o, slot_o and mask_o are the line, slot and mask of the sequencer's operation.
//
// may_pass_o and the flush's line and bytes are combinational from state; for the rest see
// ds_sequencer.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_deferred
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth     = 256,   // slots; 4..4096, a power of two
  parameter  int unsigned Writes    = 8,     // most writes to the endpoint in flight; 1..64
  parameter  int unsigned Inserts   = 16,    // late lines from which on no more stores begin; 1 or
                                             // more
  parameter  int unsigned Buckets   = 1024,  // buckets of the filter; 16 or more, a power of two
  parameter  int unsigned MergeBits = 1,     // bits of a merge's index; 1..4
  localparam int unsigned SlotWidth = $clog2(Depth),
  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,         // level: operations may begin; changes only with
                                                 // nothing in flight
  input  logic                 isolate_i,        // level: the endpoint is gone; a store without a
                                                 // free slot is refused
  input  logic                 clear_error_i,    // pulse, while on: error_o falls, unless a write
                                                 // fails just then
  output logic                 error_o,          // level: a write failed; no more are begun until
                                                 // clear_error_i
  output ds_event_t            ev_o,             // pulses, a bit each, in the cycle after the event
  output ds_act_t              act_o,            // pulses, a bit each: what is done at the edge of
                                                 // this cycle
  output logic [SlotWidth:0]   count_o,          // lines deferred, 0..Depth
  output logic                 quiet_o,          // level: no line is deferred or in flight
  // Head load
  input  logic                 head_valid_i,     // a load is at the head of the SR queue; stays
                                                 // until it has left
  input  logic                 head_passes_i,    // level: it passes to the memory queue and needs
                                                 // no operation
  input  line_addr_t           head_line_i,      // its line, address[51:6]; stable with it
  output logic                 load_runs_o,      // level: an operation of the head load
  output logic                 may_pass_o,       // comb: head_line_i is surely neither deferred nor
                                                 // in flight
  // Oldest store
  input  logic                 store_valid_i,    // a store waits; stays until act_o.store_pop
  input  logic                 answered_i,       // level: the oldest store is answered
  input  logic                 late_answer_i,    // level: the answer of a store that left waits
  output logic                 spare_o,          // level: one more store that waits may be
                                                 // answered, a slot is left for it
  input  logic                 answer_i,         // pulse, only with spare_o: one is, and waits on
  input  line_addr_t           store_line_i,     // line of the oldest store; stays until
                                                 // act_o.store_pop
  input  byte_en_t             store_be_i,       // its byte enables; stay likewise
  // Line of the operation, and who has a line
  output line_addr_t           key_o,            // line of the operation, between two that of the
                                                 // oldest store
  output logic [SlotWidth-1:0] slot_o,           // its slot, with act_o.merge_add
  output byte_en_t             mask_o,           // valid bytes of that slot, with act_o.merge_add
  output line_addr_t           look_line_o,      // line to look up for: the oldest store's, or that
                                                 // of a flush
  input  logic                 sr_is_i,          // level: a load of the oldest store's line is in
                                                 // the SR queue
  input  logic                 mem_is_i,         // comb from look_line_o: the memory queue has an
                                                 // entry of it
  input  logic                 merge_is_i,       // comb from look_line_o: a merge of it has not
                                                 // read its slot
  // Endpoint writes
  input  logic [6:0]           max_writes_i,     // most writes to the endpoint in flight, 0..127,
                                                 // and at most Writes
  input  logic                 may_flush_i,      // level: a deferred line may go to the endpoint
  input  logic                 oldest_i,         // level: a flush that begins takes the first one,
                                                 // else the last
  input  logic                 may_direct_i,     // level: a new store may go straight to the
                                                 // endpoint and finds room in the memory queue
  output logic                 direct_o,         // the oldest store is for the memory queue; stays
                                                 // until direct_taken_i
  output logic [WriteBits-1:0] direct_index_o,   // with direct_o: index of its write, 0..Writes-1
  input  logic                 direct_taken_i,   // pulse, only with direct_o: it is taken there
  output logic [WriteBits-1:0] write_index_o,    // index of the write whose read (LmFlush) is
                                                 // offered to local memory
  input  logic [WriteBits-1:0] flush_index_i,    // index of a write in flight, 0..Writes-1
  output line_addr_t           flush_line_o,     // comb from flush_index_i: its line
  output byte_en_t             flush_be_o,       // comb from flush_index_i: the bytes that it sends
  input  logic                 ans_valid_i,      // level: a write is answered
  input  logic [WriteBits-1:0] ans_index_i,      // with it: its index, 0..Writes-1
  input  logic                 ans_error_i,      // with it: it was answered with an error
  output logic                 ans_hold_o,       // comb from ans_index_i: the answer may not be
                                                 // taken yet
  output logic                 ans_over_o,       // comb from these: the write is over, its answer
                                                 // need not wait
  input  logic                 done_valid_i,     // an answer of a write waits; stays until
                                                 // act_o.done_pop
  input  logic [WriteBits-1:0] done_index_i,     // its index, 0..Writes-1
  input  logic                 done_error_i,     // it was answered with an error: the line is
                                                 // deferred again
  // Merges
  input  logic                 merge_room_i,     // level: one more merge can begin
  input  logic                 merge_arrived_i,  // a merge has the endpoint's data and is to read
                                                 // its slot; stays until act_o.merge_sent
  input  logic [MergeBits-1:0] merge_next_i,     // its index; may change to another that waits
                                                 // until the read is offered
  input  logic [SlotWidth-1:0] merge_slot_i,     // its slot
  output logic [MergeBits-1:0] merge_index_o,    // index of the merge whose read is offered, and
                                                 // with act_o.merge_sent
  // Local memory
  input  logic                 read_room_i,      // level: one more load can read local memory;
                                                 // stays until act_o.head_local
  output logic                 lm_valid_o,       // a read or write of lm_slot_o; stays until taken
  input  logic                 lm_ready_i,       // low to stall
  output logic [SlotWidth-1:0] lm_slot_o,        // its slot; stays until taken
  output logic                 lm_write_o,       // 1 a write of the oldest store, 0 a read; stays
                                                 // until taken
  output lm_kind_e             lm_kind_o,        // of a read: for the head load, a merge or a write
                                                 // to the endpoint; stays until taken
  // Index
  output logic                 ix_valid_o,       // an operation for the index; stays until taken
  input  logic                 ix_ready_i,       // low while it has one
  output logic [1:0]           ix_op_o,          // 0 find, 1 insert, 2 delete; stays until taken
  output line_addr_t           ix_key_o,         // its line, address[51:6]; stays until taken
  output logic [SlotWidth-1:0] ix_slot_o,        // of an insert: its slot; stays until taken
  input  logic                 ix_rsp_valid_i,   // pulse: the answer, from the cycle after the
                                                 // operation was taken on
  input  logic                 ix_found_i,       // with the answer: the line was there
  input  logic [SlotWidth-1:0] ix_slot_i         // with the answer: its slot
);

  typedef logic [SlotWidth-1:0] slot_t;

  // What the sequencer does, and what a fast store does beside it
  ds_act_t    op;
  ds_event_t  op_ev;
  logic       fast_begins, fast_begins_direct, fast_busy, fast_direct, fast_leaves, fast_defers;
  slot_t      fast_slot;
  logic       looks_flush;
  line_addr_t going_line;  // of a write that begins
  logic       place_add;
  line_addr_t word_line;   // what the slot memory gave
  byte_en_t   word_mask;

  assign fast_defers = fast_leaves && !fast_direct;
  assign place_add   = fast_begins && fast_begins_direct;
  always_comb begin
    act_o           = op;
    act_o.stored    = op.stored || fast_leaves;
    act_o.store_pop = op.store_pop || fast_leaves;
    act_o.slot_take = op.slot_take || fast_begins;
    act_o.push      = op.push || fast_defers;
    act_o.write_add = op.write_add || place_add;
    act_o.write_free = op.write_free || ans_over_o;
    act_o.word_write = op.word_write || fast_defers;
    act_o.slot_release = op.slot_release || ans_over_o;
  end

  assign look_line_o = looks_flush ? word_line : store_line_i;
  assign going_line  = place_add ? store_line_i : word_line;

  // ---------------------------------------------------------------------------------------------
  // Filter: the head load, the line that is looked up, and what is counted
  // ---------------------------------------------------------------------------------------------
  logic       head_maybe, look_maybe, last_deferred, counted_maybe;
  line_addr_t counted_line;

  // A fast store is never counted with another line: the sequencer bars it then.
  assign counted_line = fast_defers ? store_line_i : key_o;

  ds_filter #(
    .Buckets(Buckets),
    .KeyBits(LineAddrBits)
  ) u_filter (
    .clk_i,
    .rst_ni,
    .clear_i     (act_o.pop && last_deferred),
    .key_i       (head_line_i),
    .maybe_o     (head_maybe),
    .also_key_i  (look_line_o),
    .also_maybe_o(look_maybe),
    .inc_i       (act_o.push),
    .dec_i       (act_o.pop),
    .upd_key_i   (counted_line),
    .upd_maybe_o (counted_maybe)
  );

  // ---------------------------------------------------------------------------------------------
  // Slots, and what each holds
  // ---------------------------------------------------------------------------------------------
  logic               slot_room;
  logic               end_first;
  slot_t              end_slot, free_slot, freed_slot, pushed_slot;
  logic [SlotWidth:0] slots_used;

  assign pushed_slot = fast_defers ? fast_slot : slot_o;

  ds_slots #(
    .Depth(Depth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .room_o     (slot_room),
    .free_slot_o(free_slot),
    .take_i     (act_o.slot_take),
    .release_i  (act_o.slot_release),
    .rslot_i    (freed_slot),
    .push_i     (act_o.push),
    .pslot_i    (pushed_slot),
    .read_i     (act_o.order_read),
    .first_i    (oldest_i),
    .slot_o     (end_slot),
    .first_o    (end_first),
    .leave_i    (act_o.order_leave),
    .pop_i      (act_o.pop),
    .last_o     (last_deferred),
    .count_o,
    .used_o     (slots_used)
  );

  ds_promises #(
    .Depth(Depth)
  ) u_promises (
    .clk_i,
    .rst_ni,
    .take_i   (act_o.slot_take),
    .release_i(act_o.slot_release),
    .spare_o,
    .answer_i,
    .leaves_i (act_o.store_pop && answered_i)
  );

  ram_1r1w #(
    .Width(LineAddrBits + LineBytes),
    .Depth(Depth)
  ) u_words (
    .clk_i,
    .re_i   (act_o.word_read),
    .raddr_i(slot_o),
    .rdata_o({word_line, word_mask}),
    .we_i   (act_o.word_write),
    .waddr_i(pushed_slot),
    .wdata_i(fast_defers ? {store_line_i, store_be_i} : {key_o, mask_o})
  );

  // ---------------------------------------------------------------------------------------------
  // Late lines: the line that an operation looks for is the head load's or the oldest store's
  // ---------------------------------------------------------------------------------------------
  logic       late, late_first, late_room, late_few, late_flush, late_hit, load_runs, store_runs;
  logic       op_asks, op_ix, op_deletes, insert_stands, insert_done, inserted, insert_ix;
  slot_t      late_hit_slot;
  line_addr_t insert_line;

  ds_late #(
    .Inserts  (Inserts),
    .SlotWidth(SlotWidth)
  ) u_late (
    .clk_i,
    .rst_ni,
    .push_i       (act_o.push),
    .line_i       (counted_line),
    .slot_i       (pushed_slot),
    .drop_i       (act_o.late_drop),
    .late_o       (late),
    .room_o       (late_room),
    .few_o        (late_few),
    .flush_o      (late_flush),
    .flush_slot_i (end_slot),
    .flush_first_o(late_first),
    .look_line_i  (load_runs ? head_line_i : store_line_i),
    .hit_o        (late_hit),
    .hit_slot_o   (late_hit_slot),
    .asks_i       (op_asks),
    .stands_o     (insert_stands),
    .done_o       (insert_done),
    .inserted_o   (inserted),
    .ix_valid_o   (insert_ix),
    .ix_ready_i,
    .ix_key_o     (insert_line),
    .ix_slot_o,
    .ix_rsp_valid_i,
    .ix_found_i
  );

  assign ix_valid_o = insert_ix || op_ix;
  assign ix_op_o    = insert_ix ? 2'd1 : {op_deletes, 1'b0};
  assign ix_key_o   = insert_ix ? insert_line : key_o;

  // ---------------------------------------------------------------------------------------------
  // Writes in flight
  // ---------------------------------------------------------------------------------------------
  logic                 head_hit, head_full, write_is, write_room, write_room_two, write_dirty;
  logic                 ans_dirty, ans_head, ans_line, completes;
  logic [6:0]           writes_used;
  logic [WriteBits-1:0] write_next, fast_place;
  slot_t                head_slot, write_slot, write_done_slot, ans_slot;
  line_addr_t           write_line;
  byte_en_t             write_mask;

  // The answer of a fast store that has not left waits outside.
  assign ans_hold_o = fast_direct && fast_place == ans_index_i;
  assign ans_over_o = ans_valid_i && !ans_error_i && !ans_dirty && !(load_runs && ans_head) &&
                      !(store_runs && ans_line) && !completes && !ans_hold_o;
  assign freed_slot = completes ? slot_o : ans_slot;

  ds_writes #(
    .Writes   (Writes),
    .SlotWidth(SlotWidth)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .head_line_i,
    .head_hit_o  (head_hit),
    .head_full_o (head_full),
    .head_slot_o (head_slot),
    .line_i      (look_line_o),
    .hit_o       (write_is),
    .slot_o      (write_slot),
    .mark_i      (act_o.write_mark),
    .mark_be_i   (store_be_i),
    .flush_index_i,
    .flush_line_o,
    .flush_be_o,
    .ans_index_i,
    .ans_slot_o  (ans_slot),
    .ans_dirty_o (ans_dirty),
    .ans_head_o  (ans_head),
    .ans_line_o  (ans_line),
    .done_index_i(write_index_o),
    .done_line_o (write_line),
    .done_slot_o (write_done_slot),
    .done_mask_o (write_mask),
    .done_dirty_o(write_dirty),
    .free_i      (act_o.write_free),
    .free_index_i(completes ? write_index_o : ans_index_i),
    .max_writes_i,
    .room_o      (write_room),
    .room_two_o  (write_room_two),
    .add_index_o (write_next),
    .add_i       (act_o.write_add),
    .add_going_i (!place_add),
    .add_line_i  (going_line),
    .add_slot_i  (place_add ? free_slot : slot_o),
    .add_mask_i  (place_add ? store_be_i : mask_o),
    .go_i        (direct_taken_i),
    .go_index_i  (fast_place),
    .used_o      (writes_used)
  );

  assign load_runs_o = load_runs;
  assign may_pass_o = !head_hit && !head_maybe;
  assign quiet_o    = count_o == '0 && writes_used == '0;

  // ---------------------------------------------------------------------------------------------
  // Fast stores, and local memory: there an operation is first, but what is offered stays
  // ---------------------------------------------------------------------------------------------
  logic  bars_begin, bars_defer, flushing, fast_lm, lm_fast, lm_stands_q, op_lm, op_lm_write;
  ds_event_t ev_q, ev_d;

  ds_fast #(
    .SlotWidth(SlotWidth),
    .WriteBits(WriteBits)
  ) u_fast (
    .clk_i,
    .rst_ni,
    .store_valid_i,
    .alone_i        (!write_is && !sr_is_i && !mem_is_i && !merge_is_i && !look_maybe &&
                     slot_room),
    .bars_begin_i   (bars_begin || !late_room),
    // A flush that has begun counts as a write.
    .may_direct_i   (may_direct_i && !error_o && (flushing ? write_room_two : write_room)),
    .begins_o       (fast_begins),
    .begins_direct_o(fast_begins_direct),
    .late_answer_i,
    .bars_defer_i   (bars_defer),
    .slot_i         (free_slot),
    .place_i        (write_next),
    .busy_o         (fast_busy),
    .direct_o       (fast_direct),
    .slot_o         (fast_slot),
    .place_o        (fast_place),
    .lm_valid_o     (fast_lm),
    .lm_taken_i     (lm_fast && lm_ready_i),
    .mq_valid_o     (direct_o),
    .mq_taken_i     (direct_taken_i),
    .leaves_o       (fast_leaves)
  );

  assign direct_index_o = fast_place;
  assign lm_fast        = fast_lm && (lm_stands_q || !op_lm);
  assign lm_valid_o     = fast_lm || op_lm;
  assign lm_write_o     = lm_fast || op_lm_write;
  assign lm_slot_o      = lm_fast ? fast_slot : slot_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lm_stands_q <= 1'b0;
      ev_q        <= '0;
    end else begin
      lm_stands_q <= lm_fast && !lm_ready_i;
      ev_q        <= ev_d;
    end
  end
  always_comb begin
    ev_d          = op_ev;
    ev_d.direct   = fast_leaves && fast_direct;
    ev_d.deferred = op_ev.deferred || fast_defers;
  end
  assign ev_o = ev_q;

  // ---------------------------------------------------------------------------------------------
  // Sequencer
  // ---------------------------------------------------------------------------------------------
  logic       head_want, store_want, wanted;
  line_addr_t wanted_line;

  assign head_want  = head_valid_i && !head_passes_i && !(head_hit && !head_full) && read_room_i &&
                      !(wanted && head_line_i == wanted_line);
  // Stalled by an older load. A write of the line in flight does no harm: its data is read already.
  assign store_want = store_valid_i && !late_answer_i && !fast_busy && !sr_is_i && !merge_is_i &&
                      late_room && (write_is || !mem_is_i);

  ds_sequencer #(
    .SlotWidth(SlotWidth),
    .WriteBits(WriteBits),
    .MergeBits(MergeBits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .enable_i,
    .isolate_i,
    .clear_error_i,
    .error_o,
    .ev_o             (op_ev),
    .act_o            (op),
    .head_want_i      (head_want),
    .head_line_i,
    .head_hit_i       (head_hit),
    .head_slot_i      (head_slot),
    .store_want_i     (store_want),
    .store_line_i,
    .store_be_i,
    .may_write_i      (write_room),
    .may_flush_i,
    .fast_begins_i    (fast_begins),
    .bars_begin_o     (bars_begin),
    .bars_defer_o     (bars_defer),
    .flushing_o       (flushing),
    .completes_o      (completes),
    .load_runs_o      (load_runs),
    .store_runs_o     (store_runs),
    .key_o,
    .slot_o,
    .mask_o,
    .look_flush_o     (looks_flush),
    .look_maybe_i     (look_maybe),
    .look_busy_i      (mem_is_i || merge_is_i),
    .wanted_o         (wanted),
    .wanted_line_o    (wanted_line),
    .write_hit_i      (write_is),
    .write_slot_i     (write_slot),
    .write_next_i     (write_next),
    .write_index_o,
    .write_line_i     (write_line),
    .write_done_slot_i(write_done_slot),
    .write_mask_i     (write_mask),
    .write_dirty_i    (write_dirty),
    .done_valid_i,
    .done_index_i,
    .done_error_i,
    .merge_room_i,
    .merge_arrived_i,
    .merge_next_i,
    .merge_slot_i,
    .merge_index_o,
    .pending_i        (count_o != '0),
    .slot_room_i      (slot_room),
    .free_slot_i      (free_slot),
    .end_slot_i       (end_slot),
    .late_first_i     (late_first),
    .late_other_i     (late && !late_first && !end_first),
    .late_few_i       (late_few),
    .late_flush_i     (late_flush),
    .late_hit_i       (late_hit),
    .late_hit_slot_i  (late_hit_slot),
    .asks_o           (op_asks),
    .insert_stands_i  (insert_stands),
    .insert_done_i    (insert_done),
    .word_line_i      (word_line),
    .word_mask_i      (word_mask),
    .read_room_i,
    .lm_valid_o       (op_lm),
    .lm_ready_i       (lm_ready_i && !lm_fast),
    .lm_write_o       (op_lm_write),
    .lm_kind_o,
    .ix_valid_o       (op_ix),
    .ix_ready_i,
    .ix_delete_o      (op_deletes),
    .ix_rsp_valid_i,
    .ix_found_i,
    .ix_slot_i
  );

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Slots_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(slots_used) - 32'(count_o) - 32'(writes_used) <= 1)
    else $error("more than one slot is neither free, deferred nor in flight");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_o) <= Depth)
    else $error("more lines deferred than there are slots");
  Filter_A: assert property (@(posedge clk_i) disable iff (!rst_ni) act_o.pop |-> counted_maybe)
    else $error("a line leaves that the filter does not know");
  OneAsks_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(insert_ix && op_ix))
    else $error("an insertion and a step of an operation are offered to the index at once");
  InsertNew_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      insert_done |-> ix_slot_i == ix_slot_o)
    else $error("a line was inserted that the index has already");
  Inserted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      inserted |-> !(act_o.late_drop && late_first))
    else $error("a line was inserted and left as a late one");
  LateLast_A: assert property (@(posedge clk_i) disable iff (!rst_ni) late |-> count_o != '0)
    else $error("a line is late and none is deferred");
  // A direct store may leave in the cycle in which a completion defers its own line.
  OnePlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (fast_defers || (op.push && !completes)) |-> act_o.store_pop && look_line_o == store_line_i &&
                                                   !write_is)
    else $error("a line is deferred and in flight at once");
  StaysHere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (op.push && completes) |-> op.write_free && !ans_over_o && key_o == write_line &&
                                 slot_o == write_done_slot)
    else $error("a completion deferred a line whose place stays taken, or is another's");
  OneCounted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fast_defers |-> !op.push && !op.pop && !op.word_write && !op.order_read)
    else $error("a fast store was deferred together with what the sequencer does to the slots");
  OneTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(fast_begins && (op.slot_take || op.write_add)) &&
      !(fast_leaves && (op.stored || op.store_pop)))
    else $error("a fast store and an operation took a slot or place, or answered a store, at once");
  AnsweredSlot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      op_ev.full |-> !answered_i)
    else $error("a store was answered before it left and finds no slot");
  AnsweredKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      op.refused |-> !answered_i && !spare_o)
    else $error("a store was refused that is answered, or that a slot is left for");
  Promised_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      spare_o |-> 32'(slots_used) < Depth)
    else $error("a store may be answered although no slot is free");
  OneReleased_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ans_over_o |-> !op.slot_release && !op.write_free)
    else $error("two writes were over in a cycle");
  HeadHere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act_o.head_local |-> !head_passes_i)
    else $error("a load that passes to the memory queue was answered from local memory");

endmodule
