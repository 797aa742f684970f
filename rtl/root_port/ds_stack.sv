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
  parameter  int unsigned Depth     = 256,
  parameter  int unsigned Writes    = 8,
  parameter  int unsigned Buckets   = 1024,
  parameter  int unsigned MergeBits = 1,
  localparam int unsigned StackBits = $clog2(Depth),
  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,
  input  logic                 isolate_i,
  input  logic                 clear_error_i,
  output logic                 error_o,
  output ds_event_t            ev_o,
  output ds_act_t              act_o,
  output logic [StackBits:0]   count_o,         // pending
  output logic                 quiet_o,         // nothing is pending or on its way
  // Head load
  input  logic                 head_valid_i,
  input  logic                 head_passes_i,
  input  line_addr_t           head_line_i,
  output logic                 may_pass_o,      // nothing of its line is here
  // Oldest store, if its response has room
  input  logic                 store_valid_i,
  input  line_addr_t           store_line_i,
  input  byte_en_t             store_be_i,
  // Line of the operation, and who else has it: a load in the SR queue, an entry of the memory
  // queue, a merge whose local read is not on its way
  output line_addr_t           key_o,
  output logic [StackBits-1:0] slot_o,
  output byte_en_t             mask_o,
  input  logic                 sr_is_i,
  input  logic                 mem_is_i,
  input  logic                 merge_is_i,
  // Endpoint writes
  input  logic [4:0]           max_writes_i,
  input  logic                 may_flush_i,
  input  logic                 may_direct_i,
  output logic                 direct_o,
  input  logic                 direct_taken_i,
  output logic [WriteBits-1:0] write_next_o,    // the next entry
  output logic [WriteBits-1:0] write_index_o,   // the entry at work
  input  logic [WriteBits-1:0] flush_index_i,
  output line_addr_t           flush_line_o,
  output byte_en_t             flush_be_o,
  input  logic                 done_valid_i,
  input  logic [WriteBits-1:0] done_index_i,
  input  logic                 done_error_i,
  // Merges
  input  logic                 merge_room_i,
  input  logic                 merge_arrived_i,
  input  logic [MergeBits-1:0] merge_next_i,
  input  logic [StackBits-1:0] merge_slot_i,
  output logic [MergeBits-1:0] merge_index_o,
  // Local memory
  input  logic                 read_room_i,
  output logic                 lm_valid_o,
  input  logic                 lm_ready_i,
  output logic                 lm_write_o,
  output lm_kind_e             lm_kind_o,
  // Index; its key and slot are key_o and slot_o
  output logic                 ix_valid_o,
  input  logic                 ix_ready_i,
  output logic [1:0]           ix_op_o,
  input  logic                 ix_rsp_valid_i,
  input  logic                 ix_found_i,
  input  logic [StackBits-1:0] ix_slot_i
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
  logic [4:0] writes_used;
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
  // A slot is pending, on its way, free, or in the sequencer's hand.
  Slots_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(slots_used) - 32'(count_o) - 32'(writes_used) <= 1);
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_o) <= Depth);
  // What is counted down has been counted up.
  Filter_A: assert property (@(posedge clk_i) disable iff (!rst_ni) act_o.pop |-> key_maybe);
  // What goes out or comes in again is in one of the two only.
  OnePlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (act_o.pop || act_o.store_pop && act_o.push) |-> !write_is);
  HeadHere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act_o.head_local |-> !head_passes_i);

endmodule
