// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Deterministic store of a root port: a store is answered when the GPU's local memory is sure to
// take it, and goes to its endpoint when that has time for it.
//
//   req -+- stores -> store FIFO -> fast, or sequencer -- local memory: data of each slot
//        |                          |  |  |
//        +- loads  -> (SR queue) -> |  |  +- index (outside), late lines, filter, slots, slot
//                         |         |  |     memory: waiting
//                         |         |  +---- write table: what is on its way
//                         |         v
//                         +------> issue -> (memory queue) -> completions, merges, answers -> rsp
//
// A load whose line is here is answered from local memory; one whose line is here in part is merged
// with the endpoint's data; all others pass. The order of accesses to a line is kept by holding: a
// load at the entry by an older store, a store by an older load, a flush by loads on their way, and
// then further loads of that line by the flush.
//
// A store is answered while it waits in the FIFO, as soon as a slot is left for it: its place in
// the order is that of its entry, and no load of its line passes it. Else it is answered as it
// leaves.
//
// While the endpoint is gone (isolate_i) or refuses (error_o) nothing goes out; a store that is not
// answered and finds no slot is then answered with an error.
//
// Off (enable_i 0): req, head and mq_rsp are wired through. enable_i changes only while nothing is
// in flight.
//
// Cycles until a store is answered (rsp_valid_o): FIFO 1, response register 1. One leaves every
// other cycle at best, a fast one. A head load that is not here costs none.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_engine
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth      = 256,   // slots, lines of local memory; 4..4096, a power of
                                              // two
  parameter  int unsigned Writes     = 8,     // most writes to the endpoint in flight; 1..64
  parameter  int unsigned Stores     = 8,     // stores that can wait at the entry; 1 or more
  parameter  int unsigned Inserts    = 16,    // lines not in the index yet, from which on no more
                                              // stores begin; 1 or more
  parameter  int unsigned Merges     = 2,     // most loads in flight of a line partly in local
                                              // memory; 1..16
  parameter  int unsigned Reads      = 8,     // most loads in flight from local memory alone; 1..16
  parameter  int unsigned Buckets    = 1024,  // buckets of the filter; 16 or more, a power of two
  parameter  int unsigned SrDepth    = 32,    // slots of the SR queue; 1 or more
  parameter  int unsigned MemEntries = 30,    // entries of the memory queue for loads and stores; 1
                                              // or more, of which a direct store needs two
  localparam int unsigned SlotWidth  = $clog2(Depth)
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  input  logic                                    enable_i,        // level: on; changes only with
                                                                   // nothing in flight
  input  logic                                    fence_i,         // level: takes no store, sends
                                                                   // all deferred lines
  input  logic                                    isolate_i,       // level: the endpoint is gone; a
                                                                   // store without a slot gets an
                                                                   // error
  input  logic                                    clear_error_i,   // pulse, on: error_o falls,
                                                                   // unless a write fails just then
  input  logic [6:0]                              max_writes_i,    // most writes in flight, 0..127,
                                                                   // and at most Writes
  input  logic                                    direct_i,        // level: a store may go at once
  input  logic                                    flush_i,         // level: a deferred line may go
  input  logic                                    oldest_i,        // level: that one is the first,
                                                                   // else the last
  // Host bridge, to the SR queue. Here and below, what is valid stays until taken.
  input  logic                                    req_valid_i,     // a load or store of the host
  output logic                                    req_ready_o,     // comb from req_i; on, low for a
                                                                   // store without a place or under
                                                                   // a fence, for a load of a
                                                                   // waiting store's line; else
                                                                   // sr_ready_i
  input  sys_req_t                                req_i,           // on: no poison, id below FFC0h
  output logic                                    sr_valid_o,      // for the SR queue; on, a load
  input  logic                                    sr_ready_i,      // low while the SR queue is full
  output sys_req_t                                sr_req_o,        // req_i as it is
  // Head of the SR queue, to the memory queue
  input  logic                                    head_valid_i,    // SR queue's oldest; on, a load
  output logic                                    head_ready_o,    // low until mq or, on, local
                                                                   // memory takes it
  input  sys_req_t                                head_req_i,      // that request
  output logic                                    mq_valid_o,      // for the memory queue
  input  logic                                    mq_ready_i,      // low: no entry is free, or one
                                                                   // has the line
  output sys_req_t                                mq_req_o,        // the head, or a write of its
                                                                   // own with id FFC0h..FFFFh
  // Lines in the two queues
  input  logic [SrDepth-1:0]                      load_valid_i,    // by SR queue slot: has a load
  input  logic [SrDepth-1:0][LineAddrBits-1:0]    load_line_i,     // its line, address[51:6]
  input  logic [MemEntries-1:0]                   mem_valid_i,     // by entry: has a load or store
  input  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line_i,      // its line, address[51:6]
  // Responses
  input  logic                                    mq_rsp_valid_i,  // from the memory queue
  output logic                                    mq_rsp_ready_o,  // low while rsp stalls or has
                                                                   // others, and for a write of its
                                                                   // own until its store has left
  input  sys_rsp_t                                mq_rsp_i,        // under the id of its mq_req_o
  output logic                                    rsp_valid_o,     // for the host
  input  logic                                    rsp_ready_i,     // low to stall
  output sys_rsp_t                                rsp_o,           // error: bad data, or store lost
  // Local memory
  output logic                                    lm_valid_o,      // a read or write of the region
  input  logic                                    lm_ready_i,      // low to stall
  output lm_req_t                                 lm_req_o,        // slot 0..Depth-1; in order for
                                                                   // each slot
  input  logic                                    lm_rsp_valid_i,  // answer of a read, in any
                                                                   // order, from the next cycle on
  output logic                                    lm_rsp_ready_o,  // low only for kind LmLoad
  input  lm_rsp_t                                 lm_rsp_i,        // kind and index of the read
  // Index
  output logic                                    ix_valid_o,      // an operation for the index
  input  logic                                    ix_ready_i,      // low while it is busy
  output logic [1:0]                              ix_op_o,         // 0 find, 1 insert, 2 delete
  output line_addr_t                              ix_key_o,        // line, address[51:6]
  output logic [SlotWidth-1:0]                    ix_slot_o,       // insert: slot for the line
  input  logic                                    ix_rsp_valid_i,  // pulse: the answer, from the
                                                                   // next cycle on
  input  logic                                    ix_found_i,      // with it: the line was there
  input  logic [SlotWidth-1:0]                    ix_slot_i,       // with it: slot of the line

  output logic                                    empty_o,         // level: all stores are answered
                                                                   // and at the endpoint
  output logic                                    error_o,         // level: a write failed, none
                                                                   // goes until clear_error_i
  output logic [SlotWidth:0]                      count_o,         // lines deferred, 0..Depth
  output ds_event_t                               ev_o             // pulses, a cycle after each
);

  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1;
  localparam int unsigned MergeBits = (Merges > 1) ? $clog2(Merges) : 1;
  localparam int unsigned ReadBits  = (Reads > 1) ? $clog2(Reads) : 1;

  // Two bits of these are set: pairs, pairs of pairs, ... as a heap, its leaves the bits
  function automatic logic two_of(logic [MemEntries-1:0] bits);
    logic [2*MemEntries-1:0] one, two;
    one = {bits, MemEntries'(0)};
    two = '0;
    for (int unsigned i = MemEntries - 1; i >= 1; i--) begin
      one[i] = one[2*i] || one[2*i+1];
      two[i] = two[2*i] || two[2*i+1] || (one[2*i] && one[2*i+1]);
    end
    return two[1];
  endfunction

  ds_act_t act;  // what the sequencer does; some of it is ds_deferred's own affair
  logic    unused_act;
  assign unused_act = ^act;

  // ---------------------------------------------------------------------------------------------
  // Entry
  // ---------------------------------------------------------------------------------------------
  logic       store_room, store_takes, store_valid, load_held;
  logic       store_answered, store_open, store_answers, store_leaves, spare;
  sys_id_t    open_id;
  line_addr_t store_line;
  byte_en_t   store_be;
  line_t      store_data;

  assign store_takes = store_room && !fence_i;
  assign sr_req_o    = req_i;
  assign sr_valid_o  = req_valid_i && !(enable_i && (req_i.is_write || load_held));
  always_comb begin
    req_ready_o = sr_ready_i;
    if (enable_i) req_ready_o = req_i.is_write ? store_takes : sr_ready_i && !load_held;
  end

  // One that leaves and is not answered before
  assign store_leaves = act.store_pop && !store_answered;

  ds_store_fifo #(
    .Depth(Stores)
  ) u_stores (
    .clk_i,
    .rst_ni,
    .push_i     (enable_i && req_valid_i && req_i.is_write && store_takes),
    .room_o     (store_room),
    .req_i,
    .valid_o    (store_valid),
    .answered_o (store_answered),
    .line_o     (store_line),
    .be_o       (store_be),
    .data_o     (store_data),
    .pop_i      (act.store_pop),
    .open_o     (store_open),
    .open_id_o  (open_id),
    .answer_i   (store_answers),
    .look_line_i(req_i.line),
    .look_hit_o (load_held)
  );

  // ---------------------------------------------------------------------------------------------
  // To the memory queue
  // ---------------------------------------------------------------------------------------------
  logic                 may_pass, load_runs, passes, head_held, direct, direct_taken, flush_push;
  logic [WriteBits-1:0] direct_index, write_index, flush_index;
  logic                 stands;
  line_addr_t           flush_line;
  byte_en_t             flush_be;

  // The memory queue's own test of the line, in the same cycle
  always_comb begin
    head_held = 1'b0;
    if (enable_i) begin  // off, nothing is compared
      for (int unsigned i = 0; i < MemEntries; i++) begin
        if (mem_valid_i[i] && mem_line_i[i] == head_req_i.line) head_held = 1'b1;
      end
    end
  end

  ds_issue #(
    .Writes(Writes)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .enable_i,
    .head_valid_i,
    .head_ready_o,
    .head_req_i,
    .may_pass_i        (may_pass),
    .load_runs_i       (load_runs),
    .passes_o          (passes),
    .head_held_i       (head_held),
    .set_pass_i        (act.set_pass),
    .head_local_i      (act.head_local),
    .stands_o          (stands),
    .direct_i          (direct),
    .direct_taken_o    (direct_taken),
    .direct_index_i    (direct_index),
    .direct_line_i     (store_line),
    .direct_be_i       (store_be),
    .direct_data_i     (store_data),
    .flush_push_i      (flush_push),
    .flush_push_index_i(lm_rsp_i.index[WriteBits-1:0]),
    .flush_push_data_i (lm_rsp_i.data),
    .flush_push_error_i(lm_rsp_i.error),
    .flush_index_o     (flush_index),
    .flush_line_i      (flush_line),
    .flush_be_i        (flush_be),
    .mq_valid_o,
    .mq_ready_i,
    .mq_req_o
  );

  // ---------------------------------------------------------------------------------------------
  // What comes back
  // ---------------------------------------------------------------------------------------------
  line_addr_t           key, look_line;
  logic [SlotWidth-1:0] slot, lm_slot, merge_slot;
  logic                 ans_valid, ans_error, ans_hold, ans_over;
  logic [WriteBits-1:0] ans_index;
  byte_en_t             mask;
  logic                 done_valid, done_error, late_answer, read_room;
  logic [WriteBits-1:0] done_index;
  logic [ReadBits-1:0]  read_index;
  logic                 merge_room, merge_arrived, merge_is;
  logic [MergeBits-1:0] merge_next, merge_index;
  logic                 lm_write;
  lm_kind_e             lm_kind;

  ds_returns #(
    .Writes   (Writes),
    .Merges   (Merges),
    .Reads    (Reads),
    .SlotWidth(SlotWidth)
  ) u_returns (
    .clk_i,
    .rst_ni,
    .enable_i,
    .mq_rsp_valid_i,
    .mq_rsp_ready_o,
    .mq_rsp_i,
    .lm_rsp_valid_i,
    .lm_rsp_ready_o,
    .lm_rsp_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .ans_valid_o    (ans_valid),
    .ans_index_o    (ans_index),
    .ans_error_o    (ans_error),
    .ans_hold_i     (ans_hold),
    .ans_over_i     (ans_over),
    .done_valid_o   (done_valid),
    .done_index_o   (done_index),
    .done_error_o   (done_error),
    .done_pop_i     (act.done_pop),
    .flush_push_o   (flush_push),
    .store_valid_i  (store_open && spare),
    .store_take_o   (store_answers),
    .store_id_i     (open_id),
    .store_leaves_i (store_leaves),
    .refused_i      (act.refused),
    .late_o         (late_answer),
    .read_room_o    (read_room),
    .read_index_o   (read_index),
    .read_offer_i   (lm_valid_o && !lm_write && lm_kind == LmLoad),
    .read_add_i     (act.head_local),
    .head_id_i      (head_req_i.id),
    .head_line_i    (head_req_i.line),
    .merge_room_o   (merge_room),
    .merge_add_i    (act.merge_add),
    .merge_slot_i   (slot),
    .merge_mask_i   (mask),
    .arrived_o      (merge_arrived),
    .arrived_index_o(merge_next),
    .arrived_slot_o (merge_slot),
    .merge_sent_i   (act.merge_sent),
    .merge_index_i  (merge_index),
    .line_i         (look_line),
    .line_busy_o    (merge_is)
  );

  // ---------------------------------------------------------------------------------------------
  // Lines that are here
  // ---------------------------------------------------------------------------------------------
  logic [SrDepth-1:0]    sr_is;
  logic [MemEntries-1:0] mem_is;
  logic                  quiet, two_free;

  always_comb begin
    sr_is    = '0;
    mem_is   = '0;
    two_free = 1'b0;
    if (enable_i) begin  // off, nothing is compared
      for (int unsigned i = 0; i < SrDepth; i++) begin
        sr_is[i] = load_valid_i[i] && load_line_i[i] == store_line;
      end
      for (int unsigned i = 0; i < MemEntries; i++) begin
        mem_is[i] = mem_valid_i[i] && mem_line_i[i] == look_line;
      end
      two_free = two_of(~mem_valid_i);
    end
  end

  ds_deferred #(
    .Depth    (Depth),
    .Writes   (Writes),
    .Inserts  (Inserts),
    .Buckets  (Buckets),
    .MergeBits(MergeBits)
  ) u_deferred (
    .clk_i,
    .rst_ni,
    .enable_i,
    .isolate_i,
    .clear_error_i,
    .error_o,
    .ev_o,
    .act_o          (act),
    .count_o,
    .quiet_o        (quiet),
    .head_valid_i,
    .head_passes_i  (passes),
    .head_line_i    (head_req_i.line),
    .load_runs_o    (load_runs),
    .may_pass_o     (may_pass),
    .store_valid_i  (store_valid),
    .answered_i     (store_answered),
    .late_answer_i  (late_answer),
    .spare_o        (spare),
    .answer_i       (store_answers && !store_leaves),
    .store_line_i   (store_line),
    .store_be_i     (store_be),
    .key_o          (key),
    .slot_o         (slot),
    .mask_o         (mask),
    .look_line_o    (look_line),
    .sr_is_i        (sr_is != '0),
    .mem_is_i       (mem_is != '0),
    .merge_is_i     (merge_is),
    .max_writes_i,
    .may_flush_i    (flush_i || fence_i),
    .oldest_i,
    // With two entries free and nothing before it the store finds its place in the memory queue.
    .may_direct_i   (direct_i && two_free && !stands),
    .direct_o       (direct),
    .direct_taken_i (direct_taken),
    .direct_index_o (direct_index),
    .write_index_o  (write_index),
    .flush_index_i  (flush_index),
    .flush_line_o   (flush_line),
    .flush_be_o     (flush_be),
    .ans_valid_i    (ans_valid),
    .ans_index_i    (ans_index),
    .ans_error_i    (ans_error),
    .ans_hold_o     (ans_hold),
    .ans_over_o     (ans_over),
    .done_valid_i   (done_valid),
    .done_index_i   (done_index),
    .done_error_i   (done_error),
    .merge_room_i   (merge_room),
    .merge_arrived_i(merge_arrived),
    .merge_next_i   (merge_next),
    .merge_slot_i   (merge_slot),
    .merge_index_o  (merge_index),
    .read_room_i    (read_room),
    .lm_valid_o,
    .lm_ready_i,
    .lm_slot_o      (lm_slot),
    .lm_write_o     (lm_write),
    .lm_kind_o      (lm_kind),
    .ix_valid_o,
    .ix_ready_i,
    .ix_op_o,
    .ix_key_o,
    .ix_slot_o,
    .ix_rsp_valid_i,
    .ix_found_i,
    .ix_slot_i
  );

  assign empty_o = !store_valid && !late_answer && quiet;

  always_comb begin
    lm_req_o       = '0;
    lm_req_o.write = lm_write;
    lm_req_o.slot  = 12'(lm_slot);
    if (lm_write) begin
      lm_req_o.be   = store_be;
      lm_req_o.data = store_data;
    end else begin
      lm_req_o.kind = lm_kind;
      unique case (lm_kind)
        LmFlush: lm_req_o.index = 6'(write_index);
        LmMerge: lm_req_o.index = 6'(merge_index);
        default: lm_req_o.index = 6'(read_index);
      endcase
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Off_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !enable_i |-> !lm_valid_o && !ix_valid_o && sr_valid_o == req_valid_i &&
                    mq_valid_o == head_valid_i)
    else $error("switched off, local memory or index is used, or requests are not wired through");
  NoPoison_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && req_valid_i) |-> !req_i.poison)
    else $error("a host's request with poison");
  EnableQuiet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i != $past(enable_i) |-> empty_o || $past(!enable_i))
    else $error("switched off with stores unanswered or lines not at the endpoint");
  SrStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (sr_valid_o && !sr_ready_i) |=> sr_valid_o && $stable(sr_req_o))
    else $error("a request for the SR queue changed or went away before it was taken");
  LmStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (lm_valid_o && !lm_ready_i) |=> lm_valid_o && $stable(lm_req_o))
    else $error("a request to local memory changed or went away before it was taken");
  IxStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ix_valid_o && !ix_ready_i) |=> ix_valid_o && $stable(ix_op_o) && $stable(ix_key_o) &&
                                      (ix_op_o != 2'd1 || $stable(ix_slot_o)))
    else $error("an operation for the index changed or went away before it was taken");
  logic flushed_is;  // of a line that goes, from the sequencer: a load of it is in the memory queue
  always_comb begin
    flushed_is = 1'b0;
    for (int unsigned i = 0; i < MemEntries; i++) begin
      if (mem_valid_i[i] && mem_line_i[i] == key) flushed_is = 1'b1;
    end
  end
  StoreAfterLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act.stored |-> sr_is == '0 && !(merge_is && look_line == store_line))
    else $error("a store was done before an older load of its line had its data");
  DirectAfterLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (act.write_add && !act.pop) |-> mem_is == '0 && !merge_is && sr_is == '0)
    else $error("a direct store began while a load of its line was on its way to the endpoint");
  FlushAfterLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (act.write_add && act.pop) |-> !flushed_is)
    else $error("a write to the endpoint began while a load of its line was on its way there");
  Refused_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act.refused |-> store_valid && !late_answer && !lm_valid_o &&
                      !(ix_valid_o && ix_op_o != 2'd1))
    else $error("a store was refused that does not wait, or beside a use of local memory or index");
  RefusedAnswered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act.refused |=> late_answer && $stable(count_o))
    else $error("a refused store has no answer, or changed the lines deferred");
  AnsweredLost_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      act.refused |-> !store_answered)
    else $error("a store was refused that is answered");
  LateFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      late_answer |-> !store_answered && !store_answers && !act.store_pop)
    else $error("a store was answered or left while the answer of an older one waits");
  Fence_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && fence_i && empty_o) |=> !enable_i || !fence_i || empty_o)
    else $error("a store was taken under a fence");

endmodule
