// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ds_engine with its index and nothing else, in four sizes: 256 lines with 8 writes, the root
// port's 1024 lines with 32 writes, 4 lines with one entry in every table, and the most that a root
// port can be built with: 4096 lines, 64 writes and queues of 64. size_i (0..3) chooses the one that
// is clocked and whose outputs show; it changes in reset only. The others have queues of 32, the low
// elements of load_* and mem_*.
//
// state_o, ix_o, match_o, act_o, fast_o and tables_o show its inside, for functional coverage alone:
// the sequencer's state, the index, ds_act_t, what a fast store and the answers of writes do, and of
// each table {one goes, one comes, empty, full}.

module ds_alone_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        size_i,
  input  logic              fence_i,
  input  logic              isolate_i,
  input  logic              clear_error_i,
  input  logic [6:0]        max_writes_i,
  input  logic              direct_i,
  input  logic              flush_i,
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
  output logic [18:0]       act_o,
  output logic [13:0]       fast_o,   // from bit 0: begins direct, begins deferred, taken by local
                                      // memory, by the memory queue, leaves direct, leaves deferred,
                                      // waits at local memory, at the memory queue, for the late
                                      // answer, for the sequencer, to begin for late lines; a
                                      // write's answer is held, is over at once, waits
  output logic [8:0][3:0]   tables_o  // from bit 0: store FIFO, reads, merges, writes, completions,
                                      // flushes, slots in use, deferred, late
);

  logic [3:0]        req_ready, sr_valid, head_ready, mq_valid, mq_rsp_ready, rsp_valid;
  logic [3:0]        lm_valid, lm_rsp_ready, empty, error;
  logic [3:0][639:0] mq_req;
  logic [3:0][529:0] rsp;
  logic [3:0][596:0] lm_req;
  logic [3:0][12:0]  count;
  logic [3:0][9:0]   ev;
  logic [3:0][5:0]   state;
  logic [3:0]        match;
  logic [3:0][18:0]  act;
  logic [3:0][5:0]   ix;
  logic [3:0][13:0]  fast;
  logic [3:0][8:0][3:0] tables;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    localparam bit          Least  = g == 2;
    localparam bit          Most   = g == 3;
    localparam int unsigned Depth  = Least ? 4 : Most ? 4096 : (g == 0) ? 256 : 1024;
    localparam int unsigned Writes = Least ? 1 : Most ? 64 : (g == 0) ? 8 : 32;
    localparam int unsigned Queue  = Most ? 64 : 32;
    localparam int unsigned Inserts = Least ? 1 : (g == 0) ? 4 : 16;
    localparam int unsigned S      = $clog2(Depth);

    logic         clk, ix_valid, ix_ready, ix_rsp_valid, ix_found;
    logic [1:0]   ix_op;
    line_addr_t   ix_key;
    logic [S-1:0] ix_slot, ix_rsp_slot;
    logic [S:0]   pending, unused_count;
    sys_req_t     unused_sr_req;

    assign clk = clk_i && size_i == 2'(g);

    ds_index #(
      .Depth  (Depth),
      .KeyBits(LineAddrBits)
    ) u_index (
      .clk_i      (clk),
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
      .clk_i         (clk),
      .rst_ni,
      .enable_i      (1'b1),
      .fence_i,
      .isolate_i,
      .clear_error_i,
      .max_writes_i,
      .direct_i,
      .flush_i,
      .req_valid_i,
      .req_ready_o   (req_ready[g]),
      .req_i,
      .sr_valid_o    (sr_valid[g]),
      .sr_ready_i,
      .sr_req_o      (unused_sr_req),
      .head_valid_i,
      .head_ready_o  (head_ready[g]),
      .head_req_i,
      .mq_valid_o    (mq_valid[g]),
      .mq_ready_i,
      .mq_req_o      (mq_req[g]),
      .load_valid_i  (load_valid_i[Queue-1:0]),
      .load_line_i   (load_line_i[Queue-1:0]),
      .mem_valid_i   (mem_valid_i[Queue-3:0]),
      .mem_line_i    (mem_line_i[Queue-3:0]),
      .mq_rsp_valid_i,
      .mq_rsp_ready_o(mq_rsp_ready[g]),
      .mq_rsp_i,
      .rsp_valid_o   (rsp_valid[g]),
      .rsp_ready_i,
      .rsp_o         (rsp[g]),
      .lm_valid_o    (lm_valid[g]),
      .lm_ready_i,
      .lm_req_o      (lm_req[g]),
      .lm_rsp_valid_i,
      .lm_rsp_ready_o(lm_rsp_ready[g]),
      .lm_rsp_i,
      .ix_valid_o    (ix_valid),
      .ix_ready_i    (ix_ready),
      .ix_op_o       (ix_op),
      .ix_key_o      (ix_key),
      .ix_slot_o     (ix_slot),
      .ix_rsp_valid_i(ix_rsp_valid),
      .ix_found_i    (ix_found),
      .ix_slot_i     (ix_rsp_slot),
      .empty_o       (empty[g]),
      .error_o       (error[g]),
      .count_o       (pending),
      .ev_o          (ev[g])
    );

    assign count[g] = 13'(pending);

    assign state[g] = u_engine.u_stack.u_sequencer.state_q;
    assign ix[g]    = {ix_found, ix_rsp_valid, ix_op, ix_ready, ix_valid};
    assign match[g] = u_engine.u_returns.mq_load && u_engine.u_returns.match;
    assign act[g]   = u_engine.act;
    // Local memory and, if direct, the memory queue have it.
    logic fast_taken;
    assign fast_taken = u_engine.u_stack.u_fast.busy_q &&
        (!u_engine.u_stack.u_fast.lm_q || u_engine.u_stack.u_fast.lm_taken_i) &&
        (!u_engine.u_stack.u_fast.mq_q || u_engine.u_stack.u_fast.mq_taken_i);
    assign fast[g]  = {
      u_engine.u_returns.mq_done && !u_engine.ans_over, u_engine.ans_over,
      u_engine.ans_valid && u_engine.ans_hold,
      u_engine.store_valid && !u_engine.u_stack.fast_busy && u_engine.u_stack.u_fast.alone_i &&
      !u_engine.u_stack.bars_begin && !u_engine.u_stack.late_room,
      fast_taken && !u_engine.late_answer && !u_engine.u_stack.u_fast.leaves_o,
      fast_taken && u_engine.late_answer,
      u_engine.u_stack.u_fast.mq_valid_o && !u_engine.u_stack.u_fast.mq_taken_i,
      u_engine.u_stack.u_fast.lm_valid_o && !u_engine.u_stack.u_fast.lm_taken_i,
      u_engine.u_stack.u_fast.leaves_o && !u_engine.u_stack.u_fast.direct_q,
      u_engine.u_stack.u_fast.leaves_o && u_engine.u_stack.u_fast.direct_q,
      u_engine.u_stack.u_fast.mq_taken_i, u_engine.u_stack.u_fast.lm_taken_i,
      u_engine.u_stack.u_fast.begins_o && !u_engine.u_stack.u_fast.begins_direct_o,
      u_engine.u_stack.u_fast.begins_o && u_engine.u_stack.u_fast.begins_direct_o};
    assign tables[g] = {
      {u_engine.u_stack.inserted || (u_engine.act.unstack && u_engine.act.pop), u_engine.act.push,
       !u_engine.u_stack.late, !u_engine.u_stack.late_room},
      {u_engine.act.pop, u_engine.act.push, pending == '0, 32'(pending) == Depth},
      {u_engine.act.slot_release, u_engine.act.slot_take, u_engine.u_stack.slots_used == '0,
       !u_engine.u_stack.slot_room},
      {u_engine.u_issue.flush_taken, u_engine.flush_push, !u_engine.u_issue.flush_valid,
       !u_engine.u_issue.flush_room},
      {u_engine.act.done_pop, u_engine.u_returns.mq_done, !u_engine.done_valid,
       !u_engine.u_returns.done_room},
      {u_engine.act.write_free, u_engine.act.write_add, u_engine.u_stack.writes_used == '0,
       32'(u_engine.u_stack.writes_used) == Writes},
      {u_engine.u_returns.ready_take, u_engine.act.merge_add,
       u_engine.u_returns.u_merges.valid_q == '0, !u_engine.merge_room},
      {u_engine.u_returns.local_take, u_engine.act.head_local,
       u_engine.u_returns.u_answers.reading_q == '0, !u_engine.read_room},
      {u_engine.act.store_pop, u_engine.u_stores.push_i, !u_engine.store_valid,
       !u_engine.store_room}};
  end

  assign req_ready_o    = req_ready[size_i];
  assign sr_valid_o     = sr_valid[size_i];
  assign head_ready_o   = head_ready[size_i];
  assign mq_valid_o     = mq_valid[size_i];
  assign mq_req_o       = mq_req[size_i];
  assign mq_rsp_ready_o = mq_rsp_ready[size_i];
  assign rsp_valid_o    = rsp_valid[size_i];
  assign rsp_o          = rsp[size_i];
  assign lm_valid_o     = lm_valid[size_i];
  assign lm_req_o       = lm_req[size_i];
  assign lm_rsp_ready_o = lm_rsp_ready[size_i];
  assign empty_o        = empty[size_i];
  assign error_o        = error[size_i];
  assign count_o        = count[size_i];
  assign ev_o           = ev[size_i];
  assign state_o        = state[size_i];
  assign ix_o           = ix[size_i];
  assign match_o        = match[size_i];
  assign act_o          = act[size_i];
  assign fast_o         = fast[size_i];
  assign tables_o       = tables[size_i];

endmodule
