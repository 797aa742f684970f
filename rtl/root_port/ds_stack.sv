// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// The stack of the DS engine: which lines are in local memory, in which slot, with which bytes, and
// the sequencer that moves them.
//
//   in the index (outside)   pending: slots, slot memory {line, mask}, filter
//   in the write table       on its way to the endpoint
//
// A line is in one of the two at most. What the sequencer does goes to the engine's other parts as
// act_o; key_o, slot_o and mask_o are the line, slot and mask that it does it with.
//
// may_pass_o and the flush's line and bytes are combinational from state; for the rest see
// ds_sequencer.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_stack
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth     = 256,   // slots; 4..4096, a power of two
  parameter  int unsigned Writes    = 8,     // most writes to the endpoint in flight; 1..64
  parameter  int unsigned Buckets   = 1024,  // buckets of the filter; 16 or more, a power of two
  parameter  int unsigned MergeBits = 1,     // bits of a merge's index; 1..4
  localparam int unsigned StackBits = $clog2(Depth),
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
  output logic [StackBits:0]   count_o,          // lines deferred, 0..Depth
  output logic                 quiet_o,          // level: no line is deferred or in flight
  // Head load
  input  logic                 head_valid_i,     // a load is at the head of the SR queue; stays
                                                 // until it has left
  input  logic                 head_passes_i,    // level: it passes to the memory queue and needs
                                                 // no operation
  input  line_addr_t           head_line_i,      // its line, address[51:6]; stable with it
  output logic                 may_pass_o,       // comb: head_line_i is surely neither deferred nor
                                                 // in flight
  // Oldest store
  input  logic                 store_valid_i,    // a store waits and its answer has room; stays
                                                 // until act_o.stored or refused
  input  line_addr_t           store_line_i,     // line of the oldest store; stays until
                                                 // act_o.store_pop
  input  byte_en_t             store_be_i,       // its byte enables; stay likewise
  // Line of the operation, and who else has it
  output line_addr_t           key_o,            // line of the operation, between two that of the
                                                 // oldest store
  output logic [StackBits-1:0] slot_o,           // its slot, with act_o, with lm_valid_o and with
                                                 // an insert
  output byte_en_t             mask_o,           // valid bytes of that slot, with act_o
  input  logic                 sr_is_i,          // comb from key_o: a load of it is in the SR queue
  input  logic                 mem_is_i,         // comb from key_o: the memory queue has an entry
                                                 // of it
  input  logic                 merge_is_i,       // comb from key_o: a merge of it has not read its
                                                 // slot
  // Endpoint writes
  input  logic [6:0]           max_writes_i,     // most writes to the endpoint in flight, 0..127,
                                                 // and at most Writes
  input  logic                 may_flush_i,      // level: a deferred line may go to the endpoint
  input  logic                 may_direct_i,     // level: a new store may go straight to the
                                                 // endpoint and finds room in the memory queue
  output logic                 direct_o,         // the oldest store is for the memory queue; stays
                                                 // until direct_taken_i
  input  logic                 direct_taken_i,   // pulse, only with direct_o: it is taken there
  output logic [WriteBits-1:0] write_next_o,     // index of the next write, 0..Writes-1; with
                                                 // direct_o it is the store's
  output logic [WriteBits-1:0] write_index_o,    // index of the write whose read (LmFlush) is
                                                 // offered to local memory
  input  logic [WriteBits-1:0] flush_index_i,    // index of a write in flight, 0..Writes-1
  output line_addr_t           flush_line_o,     // comb from flush_index_i: its line
  output byte_en_t             flush_be_o,       // comb from flush_index_i: the bytes that it sends
  input  logic                 done_valid_i,     // a write was answered; stays until act_o.done_pop
  input  logic [WriteBits-1:0] done_index_i,     // its index, 0..Writes-1
  input  logic                 done_error_i,     // it was answered with an error: the line is
                                                 // deferred again
  // Merges
  input  logic                 merge_room_i,     // level: one more merge can begin
  input  logic                 merge_arrived_i,  // a merge has the endpoint's data and is to read
                                                 // its slot; stays until act_o.merge_sent
  input  logic [MergeBits-1:0] merge_next_i,     // its index; may change to another that waits
                                                 // until the read is offered
  input  logic [StackBits-1:0] merge_slot_i,     // its slot
  output logic [MergeBits-1:0] merge_index_o,    // index of the merge whose read is offered, and
                                                 // with act_o.merge_sent
  // Local memory
  input  logic                 read_room_i,      // level: one more load can read local memory; must
                                                 // not fall while one is offered
  output logic                 lm_valid_o,       // a read or write of slot_o; stays until taken
  input  logic                 lm_ready_i,       // low to stall
  output logic                 lm_write_o,       // 1 a write of the oldest store, 0 a read; stays
                                                 // until taken
  output lm_kind_e             lm_kind_o,        // of a read: for the head load, a merge or a write
                                                 // to the endpoint; stays until taken
  // Index; its key and slot are key_o and slot_o
  output logic                 ix_valid_o,       // an operation for the index; stays until taken
  input  logic                 ix_ready_i,       // low while it has one
  output logic [1:0]           ix_op_o,          // 0 find, 1 insert, 2 delete; stays until taken
  input  logic                 ix_rsp_valid_i,   // pulse: the answer, from the cycle after the
                                                 // operation was taken on
  input  logic                 ix_found_i,       // with the answer: the line was there
  input  logic [StackBits-1:0] ix_slot_i         // with the answer: its slot
);

  typedef logic [StackBits-1:0] slot_t;

  // ---------------------------------------------------------------------------------------------
  // Filter: the head load and the line of the operation
  // ---------------------------------------------------------------------------------------------
  logic head_maybe, key_maybe, last_pending;

  ds_filter #(
    .Buckets(Buckets),
    .KeyBits(LineAddrBits)
  ) u_filter (
    .clk_i,
    .rst_ni,
    .clear_i    (act_o.pop && last_pending),
    .key_i      (head_line_i),
    .maybe_o    (head_maybe),
    .inc_i      (act_o.push),
    .dec_i      (act_o.pop),
    .upd_key_i  (key_o),
    .upd_maybe_o(key_maybe)
  );

  // ---------------------------------------------------------------------------------------------
  // Slots, and what each holds
  // ---------------------------------------------------------------------------------------------
  logic               slot_room;
  slot_t              stack_slot;
  logic [StackBits:0] slots_used;
  line_addr_t         word_line;
  byte_en_t           word_mask;

  ds_slots #(
    .Depth(Depth)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .take_i   (act_o.slot_take),
    .top_i    (act_o.slot_top),
    .release_i(act_o.slot_release),
    .push_i   (act_o.push),
    .pop_i    (act_o.pop),
    .wslot_i  (slot_o),
    .slot_o   (stack_slot),
    .room_o   (slot_room),
    .last_o   (last_pending),
    .count_o,
    .used_o   (slots_used)
  );

  ram_sp #(
    .Width(LineAddrBits + LineBytes),
    .Depth(Depth)
  ) u_words (
    .clk_i,
    .re_i   (act_o.word_read),
    .we_i   (act_o.word_write),
    .addr_i (slot_o),
    .wdata_i({key_o, mask_o}),
    .rdata_o({word_line, word_mask})
  );

  // ---------------------------------------------------------------------------------------------
  // Writes in flight
  // ---------------------------------------------------------------------------------------------
  logic       head_hit, head_full, write_is, write_room, write_dirty;
  logic [6:0] writes_used;
  slot_t      head_slot, write_slot, write_done_slot;
  line_addr_t write_line;
  byte_en_t   write_mask;

  ds_writes #(
    .Writes   (Writes),
    .StackBits(StackBits)
  ) u_writes (
    .clk_i,
    .rst_ni,
    .head_line_i,
    .head_hit_o  (head_hit),
    .head_full_o (head_full),
    .head_slot_o (head_slot),
    .line_i      (key_o),
    .hit_o       (write_is),
    .slot_o      (write_slot),
    .mark_i      (act_o.write_mark),
    .mark_be_i   (store_be_i),
    .flush_index_i,
    .flush_line_o,
    .flush_be_o,
    .done_index_i(write_index_o),
    .done_line_o (write_line),
    .done_slot_o (write_done_slot),
    .done_mask_o (write_mask),
    .done_dirty_o(write_dirty),
    .free_i      (act_o.write_free),
    .room_o      (write_room),
    .add_index_o (write_next_o),
    .add_i       (act_o.write_add),
    .add_slot_i  (slot_o),
    .add_mask_i  (mask_o),
    .used_o      (writes_used)
  );

  assign may_pass_o = !head_hit && !head_maybe;
  assign quiet_o    = count_o == '0 && writes_used == '0;

  // ---------------------------------------------------------------------------------------------
  // Sequencer
  // ---------------------------------------------------------------------------------------------
  logic       head_want, store_want, may_write, wanted;
  line_addr_t wanted_line;

  assign head_want  = head_valid_i && !head_passes_i && !(head_hit && !head_full) &&
                      !(wanted && head_line_i == wanted_line);
  // Held by an older load. A write of the line in flight does no harm: its data is read already.
  assign store_want = store_valid_i && !sr_is_i && !(mem_is_i && !write_is) && !merge_is_i;
  assign may_write  = write_room && writes_used < max_writes_i;

  ds_sequencer #(
    .StackBits(StackBits),
    .WriteBits(WriteBits),
    .MergeBits(MergeBits)
  ) u_sequencer (
    .clk_i,
    .rst_ni,
    .enable_i,
    .isolate_i,
    .clear_error_i,
    .error_o,
    .ev_o,
    .act_o,
    .head_want_i      (head_want),
    .head_line_i,
    .head_hit_i       (head_hit),
    .head_slot_i      (head_slot),
    .store_want_i     (store_want),
    .store_line_i,
    .store_be_i,
    .may_write_i      (may_write),
    .may_flush_i,
    .may_direct_i,
    .direct_o,
    .direct_taken_i,
    .key_o,
    .slot_o,
    .mask_o,
    .key_maybe_i      (key_maybe),
    .key_busy_i       (mem_is_i || merge_is_i),
    .wanted_o         (wanted),
    .wanted_line_o    (wanted_line),
    .write_hit_i      (write_is),
    .write_slot_i     (write_slot),
    .write_next_i     (write_next_o),
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
    .stack_slot_i     (stack_slot),
    .word_line_i      (word_line),
    .word_mask_i      (word_mask),
    .read_room_i,
    .lm_valid_o,
    .lm_ready_i,
    .lm_write_o,
    .lm_kind_o,
    .ix_valid_o,
    .ix_ready_i,
    .ix_op_o,
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
  Filter_A: assert property (@(posedge clk_i) disable iff (!rst_ni) act_o.pop |-> key_maybe)
    else $error("a line leaves that the filter does not know");
  OnePlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (act_o.pop || act_o.store_pop && act_o.push) |-> !write_is)
    else $error("a line is deferred and in flight at once");
  HeadHere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act_o.head_local |-> !head_passes_i)
    else $error("a load that passes to the memory queue was answered from local memory");

endmodule
