// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ds_engine with its index and nothing else, in one of four sizes: 256 lines with 8 writes, the root
// port's 1024 lines with 32 writes, 4 lines with one entry in every table, and the most that a root
// port can be built with: 4096 lines, 64 writes and queues of 64. The others have queues of 32, the
// low elements of load_* and mem_*.
//
// state_o, ix_o, match_o, act_o, fast_o and tables_o show its inside, for functional coverage alone:
// the sequencer's state, the index, ds_act_t, what a fast store and the answers of writes do, and of
// each table {one goes, one comes, empty, full}.

module ds_alone_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Size = 0  // 0..3, in the order above
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              fence_i,
  input  logic              isolate_i,
  input  logic              clear_error_i,
  input  logic [6:0]        max_writes_i,
  input  logic              direct_i,
  input  logic              flush_i,
  input  logic              oldest_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [639:0]      req_i,
  output logic              sr_valid_o,
  input  logic              sr_ready_i,
  input  logic              head_valid_i,
  output logic              head_ready_o,
  input  logic [639:0]      head_req_i,
  output logic              mq_valid_o,
  input  logic              mq_ready_i,
  output logic [639:0]      mq_req_o,
  input  logic [63:0]       load_valid_i,
  input  logic [63:0][45:0] load_line_i,
  input  logic [61:0]       mem_valid_i,
  input  logic [61:0][45:0] mem_line_i,
  input  logic              mq_rsp_valid_i,
  output logic              mq_rsp_ready_o,
  input  logic [529:0]      mq_rsp_i,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [529:0]      rsp_o,
  output logic              lm_valid_o,
  input  logic              lm_ready_i,
  output logic [596:0]      lm_req_o,
  input  logic              lm_rsp_valid_i,
  output logic              lm_rsp_ready_o,
  input  logic [520:0]      lm_rsp_i,
  output logic              empty_o,
  output logic              error_o,
  output logic [12:0]       count_o,
  output logic [9:0]        ev_o,
  output logic [5:0]        state_o,
  output logic [5:0]        ix_o,     // from bit 0: valid, ready, operation, answer, found
  output logic              match_o,  // the endpoint's answer is a merge's
  output logic [19:0]       act_o,
  output logic [13:0]       fast_o,   // from bit 0: begins direct, begins deferred, taken by local
                                      // memory, by the memory queue, leaves direct, leaves deferred,
                                      // waits at local memory, at the memory queue, for the late
                                      // answer, for the sequencer, to begin for late lines; a
                                      // write's answer is held, is over at once, waits
  output logic [8:0][3:0]   tables_o  // from bit 0: store FIFO, reads, merges, writes, completions,
                                      // flushes, slots in use, deferred, late
);

  localparam bit          Least  = Size == 2;
  localparam bit          Most   = Size == 3;
  localparam int unsigned Depth  = Least ? 4 : Most ? 4096 : (Size == 0) ? 256 : 1024;
  localparam int unsigned Writes = Least ? 1 : Most ? 64 : (Size == 0) ? 8 : 32;
  localparam int unsigned Queue  = Most ? 64 : 32;
  localparam int unsigned Inserts = Least ? 1 : (Size == 0) ? 4 : 16;
  localparam int unsigned S      = $clog2(Depth);

  logic         ix_valid, ix_ready, ix_rsp_valid, ix_found;
  logic [1:0]   ix_op;
  line_addr_t   ix_key;
  logic [S-1:0] ix_slot, ix_rsp_slot;
  logic [S:0]   pending, unused_count;
  sys_req_t     unused_sr_req;
  logic         unused_queues;  // what is beyond the queues of the smaller sizes

  assign unused_queues = ^{load_valid_i, load_line_i, mem_valid_i, mem_line_i};

  ds_index #(
    .Depth  (Depth),
    .KeyBits(LineAddrBits)
  ) u_index (
    .clk_i,
    .rst_ni,
    .req_valid_i(ix_valid),
    .req_ready_o(ix_ready),
    .op_i       (ix_op),
    .key_i      (ix_key),
    .slot_i     (ix_slot),
    .rsp_valid_o(ix_rsp_valid),
    .found_o    (ix_found),
    .slot_o     (ix_rsp_slot),
    .count_o    (unused_count)
  );

  ds_engine #(
    .Depth     (Depth),
    .Writes    (Writes),
    .Stores    (Least ? 1 : 8),
    .Inserts   (Inserts),
    .Merges    (Least ? 1 : 2),
    .Reads     (Least ? 1 : 8),
    .Buckets   (Least ? 16 : 1024),
    .SrDepth   (Queue),
    .MemEntries(Queue - 2)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .enable_i      (1'b1),
    .fence_i,
    .isolate_i,
    .clear_error_i,
    .max_writes_i,
    .direct_i,
    .flush_i,
    .oldest_i,
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .sr_valid_o,
    .sr_ready_i,
    .sr_req_o      (unused_sr_req),
    .head_valid_i,
    .head_ready_o,
    .head_req_i,
    .mq_valid_o,
    .mq_ready_i,
    .mq_req_o,
    .load_valid_i  (load_valid_i[Queue-1:0]),
    .load_line_i   (load_line_i[Queue-1:0]),
    .mem_valid_i   (mem_valid_i[Queue-3:0]),
    .mem_line_i    (mem_line_i[Queue-3:0]),
    .mq_rsp_valid_i,
    .mq_rsp_ready_o,
    .mq_rsp_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .lm_valid_o,
    .lm_ready_i,
    .lm_req_o,
    .lm_rsp_valid_i,
    .lm_rsp_ready_o,
    .lm_rsp_i,
    .ix_valid_o    (ix_valid),
    .ix_ready_i    (ix_ready),
    .ix_op_o       (ix_op),
    .ix_key_o      (ix_key),
    .ix_slot_o     (ix_slot),
    .ix_rsp_valid_i(ix_rsp_valid),
    .ix_found_i    (ix_found),
    .ix_slot_i     (ix_rsp_slot),
    .empty_o,
    .error_o,
    .count_o       (pending),
    .ev_o
  );

  assign count_o = 13'(pending);

  assign state_o = u_engine.u_deferred.u_sequencer.state_q;
  assign ix_o    = {ix_found, ix_rsp_valid, ix_op, ix_ready, ix_valid};
  assign match_o = u_engine.u_returns.mq_load && u_engine.u_returns.match;
  assign act_o   = u_engine.act;
  // Local memory and, if direct, the memory queue have it.
  logic fast_taken;
  assign fast_taken = u_engine.u_deferred.u_fast.busy_q &&
      (!u_engine.u_deferred.u_fast.lm_q || u_engine.u_deferred.u_fast.lm_taken_i) &&
      (!u_engine.u_deferred.u_fast.mq_q || u_engine.u_deferred.u_fast.mq_taken_i);
  assign fast_o  = {
    u_engine.u_returns.mq_done && !u_engine.ans_over, u_engine.ans_over,
    u_engine.ans_valid && u_engine.ans_hold,
    u_engine.store_valid && !u_engine.u_deferred.fast_busy && u_engine.u_deferred.u_fast.alone_i &&
    !u_engine.u_deferred.bars_begin && !u_engine.u_deferred.late_room,
    fast_taken && !u_engine.late_answer && !u_engine.u_deferred.u_fast.leaves_o,
    fast_taken && u_engine.late_answer,
    u_engine.u_deferred.u_fast.mq_valid_o && !u_engine.u_deferred.u_fast.mq_taken_i,
    u_engine.u_deferred.u_fast.lm_valid_o && !u_engine.u_deferred.u_fast.lm_taken_i,
    u_engine.u_deferred.u_fast.leaves_o && !u_engine.u_deferred.u_fast.direct_q,
    u_engine.u_deferred.u_fast.leaves_o && u_engine.u_deferred.u_fast.direct_q,
    u_engine.u_deferred.u_fast.mq_taken_i, u_engine.u_deferred.u_fast.lm_taken_i,
    u_engine.u_deferred.u_fast.begins_o && !u_engine.u_deferred.u_fast.begins_direct_o,
    u_engine.u_deferred.u_fast.begins_o && u_engine.u_deferred.u_fast.begins_direct_o};
  assign tables_o = {
    {u_engine.u_deferred.inserted || u_engine.act.late_drop, u_engine.act.push,
     !u_engine.u_deferred.late, !u_engine.u_deferred.late_room},
    {u_engine.act.pop, u_engine.act.push, pending == '0, 32'(pending) == Depth},
    {u_engine.act.slot_release, u_engine.act.slot_take, u_engine.u_deferred.slots_used == '0,
     !u_engine.u_deferred.slot_room},
    {u_engine.u_issue.flush_taken, u_engine.flush_push, !u_engine.u_issue.flush_valid,
     !u_engine.u_issue.flush_room},
    {u_engine.act.done_pop, u_engine.u_returns.mq_done, !u_engine.done_valid,
     !u_engine.u_returns.done_room},
    {u_engine.act.write_free, u_engine.act.write_add, u_engine.u_deferred.writes_used == '0,
     32'(u_engine.u_deferred.writes_used) == Writes},
    {u_engine.u_returns.ready_take, u_engine.act.merge_add,
     u_engine.u_returns.u_merges.valid_q == '0, !u_engine.merge_room},
    {u_engine.u_returns.local_take, u_engine.act.head_local,
     u_engine.u_returns.u_answers.reading_q == '0, !u_engine.read_room},
    {u_engine.act.store_pop, u_engine.u_stores.push_i, !u_engine.store_valid,
     !u_engine.store_room}};

endmodule
