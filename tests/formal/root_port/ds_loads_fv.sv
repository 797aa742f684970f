// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_engine from a state in which a store is kept, and all that may happen from there: a load returns what
// the last store to its line before it left there, wherever that is by then. Isolation, errors of the
// endpoint, fence, pace and the number of writes are any in every cycle.
//
// The first `Script` cycles bring one store of any bytes and data to its place, by Place:
//   0  nowhere: from reset
//   1  deferred: its line is in the index
//   2  on its way: its line is in the write table, the endpoint has not done it
//   3  on its way, and a second store to the line has been added meanwhile
//   4  at the endpoint: written back, nothing of it is here
//   5  back in the index, as the endpoint answered with an error
// With Load the last two of them give the watched load of the line as well.
//
// Around the engine stand stand-ins for its neighbours, each as free as their contracts allow:
//   index        a table by key that answers when it likes (index_table shows that ds_index is one)
//   SR queue     one load
//   memory queue two accesses, never two to a line; done in any order and answered in any, when it
//                likes; with an error it is done or not
//   local memory takes when it likes and answers one read at a time, when it likes
//
//   Sees_A   the watched load's data; an error only if its access to the endpoint had one
//   Stored_A no store is answered with an error: two lines always find a slot

module ds_loads_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Place = 0,
  parameter int unsigned Script = 0,
  parameter bit          Load = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  // GPU
  input logic       valid_i,
  input logic       is_write_i,
  input logic       line_i,
  input byte_en_t   be_i,
  input line_t      data_i,
  input logic       watch_i,      // the load that goes in now is the watched one
  input logic       rsp_ready_i,
  // Engine
  input logic       isolate_i,
  input logic       clear_error_i,
  input logic       fence_i,
  input logic [1:0] max_writes_i,
  input logic       direct_i,
  input logic       flush_i,
  // Neighbours: take, answer
  input logic       lm_ready_i,
  input logic       lm_answer_i,
  input logic       ix_ready_i,
  input logic       ix_answer_i,
  input logic       mq_ready_i,
  input logic [1:0] mq_do_i,
  input logic       mq_answer_i,
  input logic       mq_pick_i,
  input logic [1:0] mq_error_i,
  input logic [1:0] mq_lost_i      // with an error: the access was not done
);

  localparam sys_id_t     Watched   = 16'h0001;
  localparam int unsigned Depth     = 4;
  localparam int unsigned StackBits = $clog2(Depth);
  localparam int unsigned Writes    = 2;

  typedef logic [StackBits-1:0] slot_t;

  // ---------------------------------------------------------------------------------------------
  // Script
  // ---------------------------------------------------------------------------------------------
  logic [5:0] step_q;
  logic       scripted, first, second, load;
  assign scripted = 32'(step_q) < Script;
  assign first    = scripted && Place != 0 && step_q == '0;
  assign second   = scripted && Place == 3 && step_q == 6'd22;
  assign load     = scripted && Load && 32'(step_q) == Script - 2;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       step_q <= '0;
    else if (scripted) step_q <= step_q + 6'd1;
  end

  // ---------------------------------------------------------------------------------------------
  // GPU: what is offered stays until it is taken; at most two loads at a time, one of them watched
  // ---------------------------------------------------------------------------------------------
  sys_req_t req, req_q;
  sys_rsp_t rsp;
  logic     kept_q, req_valid, req_ready, take, watching_q, done_q, other_q, answered, rsp_valid, rsp_ready;
  logic     offer;

  always_comb begin
    req   = req_q;
    offer = valid_i && !scripted;
    if (!kept_q) begin
      req          = '0;
      req.is_write = is_write_i;
      req.line     = line_addr_t'(line_i);
      req.be       = be_i;
      req.data     = is_write_i ? data_i : '0;
      if (!is_write_i && watch_i && !watching_q && !done_q) req.id = Watched;
      else if (!is_write_i) offer = offer && !other_q;
      if (scripted) begin
        offer        = first || second || load;
        req.is_write = !load;
        req.line     = '0;
        req.data     = load ? '0 : data_i;
        req.id       = load ? Watched : '0;
      end
    end
  end
  assign req_valid = offer || kept_q;
  assign take      = req_valid && req_ready;
  assign rsp_ready = scripted || rsp_ready_i;
  assign answered  = rsp_valid && rsp_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kept_q     <= 1'b0;
      watching_q <= 1'b0;
      done_q     <= 1'b0;
      other_q    <= 1'b0;
    end else begin
      kept_q <= req_valid && !req_ready;
      if (take && req.id == Watched)     watching_q <= 1'b1;
      if (answered && rsp.id == Watched) begin
        watching_q <= 1'b0;
        done_q     <= 1'b1;
      end
      if (take && !req.is_write && req.id != Watched)          other_q <= 1'b1;
      else if (answered && !rsp.is_write && rsp.id != Watched) other_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) req_q <= req;

  // ---------------------------------------------------------------------------------------------
  // Engine
  // ---------------------------------------------------------------------------------------------
  logic     sr_valid, head_valid_q, head_ready, mq_valid, mq_ready, mq_rsp_valid, mq_rsp_ready;
  logic     lm_valid, lm_ready, lm_rsp_valid, lm_rsp_ready, ix_valid, ix_ready, ix_rsp_valid, ix_found;
  logic     empty, error;
  sys_req_t sr_req, head_q, mq_req;
  sys_rsp_t mq_rsp;
  lm_req_t  lm_req;
  lm_rsp_t  lm_rsp_q;
  logic [1:0]               ix_op;
  line_addr_t               ix_key;
  slot_t                    ix_slot, ix_rsp_slot;
  logic [StackBits:0]       count;
  ds_event_t                ev;
  logic [1:0]               mem_valid_q;
  logic [1:0][LineAddrBits-1:0] mem_line;

  ds_engine #(.Depth(Depth), .Writes(Writes), .Stores(2), .Merges(1), .Reads(2), .Buckets(16), .SrDepth(1),
              .MemEntries(2)) u_engine (
    .clk_i, .rst_ni, .enable_i(1'b1), .fence_i(fence_i && !scripted), .isolate_i(isolate_i && !scripted),
    .clear_error_i(clear_error_i && !scripted), .max_writes_i(scripted ? 5'd2 : 5'(max_writes_i)),
    .direct_i(direct_i && !scripted), .flush_i(scripted ? Place > 1 : flush_i),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_i(req),
    .sr_valid_o(sr_valid), .sr_ready_i(!head_valid_q), .sr_req_o(sr_req),
    .head_valid_i(head_valid_q), .head_ready_o(head_ready), .head_req_i(head_q),
    .mq_valid_o(mq_valid), .mq_ready_i(mq_ready), .mq_req_o(mq_req),
    .load_valid_i(head_valid_q), .load_line_i(head_q.line), .mem_valid_i(mem_valid_q), .mem_line_i(mem_line),
    .mq_rsp_valid_i(mq_rsp_valid), .mq_rsp_ready_o(mq_rsp_ready), .mq_rsp_i(mq_rsp),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(rsp_ready), .rsp_o(rsp),
    .lm_valid_o(lm_valid), .lm_ready_i(lm_ready), .lm_req_o(lm_req), .lm_rsp_valid_i(lm_rsp_valid),
    .lm_rsp_ready_o(lm_rsp_ready), .lm_rsp_i(lm_rsp_q),
    .ix_valid_o(ix_valid), .ix_ready_i(ix_ready), .ix_op_o(ix_op), .ix_key_o(ix_key), .ix_slot_o(ix_slot),
    .ix_rsp_valid_i(ix_rsp_valid), .ix_found_i(ix_found), .ix_slot_i(ix_rsp_slot),
    .empty_o(empty), .error_o(error), .count_o(count), .ev_o(ev));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            head_valid_q <= 1'b0;
    else if (!head_valid_q) head_valid_q <= sr_valid;
    else if (head_ready)    head_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) if (!head_valid_q) head_q <= sr_req;

  // ---------------------------------------------------------------------------------------------
  // Index: a table of the two lines
  // ---------------------------------------------------------------------------------------------
  logic [1:0]  there_q;
  slot_t [1:0] at_q;
  logic        ix_owes_q, was_q;
  slot_t       was_at_q;
  assign ix_ready     = !ix_owes_q && (scripted || ix_ready_i);
  assign ix_rsp_valid = ix_owes_q && (scripted || ix_answer_i);
  assign ix_found     = ix_rsp_valid && was_q;
  assign ix_rsp_slot  = ix_rsp_valid ? was_at_q : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q   <= '0;
      ix_owes_q <= 1'b0;
    end else begin
      if (ix_valid && ix_ready)  ix_owes_q <= 1'b1;
      else if (ix_rsp_valid)     ix_owes_q <= 1'b0;
      if (ix_valid && ix_ready && ix_op == 2'd1) there_q[ix_key[0]] <= 1'b1;
      if (ix_valid && ix_ready && ix_op == 2'd2) there_q[ix_key[0]] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ix_valid && ix_ready) begin
      was_q    <= there_q[ix_key[0]];
      was_at_q <= there_q[ix_key[0]] ? at_q[ix_key[0]] : (ix_op == 2'd1) ? ix_slot : '0;
      if (ix_op == 2'd1 && !there_q[ix_key[0]]) at_q[ix_key[0]] <= ix_slot;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Local memory
  // ---------------------------------------------------------------------------------------------
  line_t [Depth-1:0] local_q;
  logic              lm_owes_q, lm_answer_q;
  assign lm_ready     = !lm_owes_q && (scripted || lm_ready_i);
  assign lm_rsp_valid = lm_owes_q && lm_answer_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lm_owes_q   <= 1'b0;
      lm_answer_q <= 1'b0;
    end else if (!lm_owes_q) begin
      lm_owes_q   <= lm_valid && lm_ready && !lm_req.write;
      lm_answer_q <= scripted || lm_answer_i;
    end else if (lm_rsp_valid && lm_rsp_ready) begin
      lm_owes_q   <= 1'b0;
    end else begin
      lm_answer_q <= lm_answer_q || lm_answer_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (lm_valid && lm_ready) begin
      lm_rsp_q <= '{error: 1'b0, kind: lm_req.kind, index: lm_req.index, data: local_q[lm_req.slot[StackBits-1:0]]};
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (lm_req.write && lm_req.be[b]) local_q[lm_req.slot[StackBits-1:0]][8*b +: 8] <= lm_req.data[8*b +: 8];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Memory queue and endpoint
  // ---------------------------------------------------------------------------------------------
  sys_req_t [1:0] mem_q;
  line_t    [1:0] read_q, memory_q;   // memory_q: by line
  logic     [1:0] did_q, failed_q, does, fails, wrote_q;
  logic           same, answer_q, pick_q, pick, free_at;
  assign same     = (mem_valid_q[0] && mem_q[0].line == mq_req.line)
                    || (mem_valid_q[1] && mem_q[1].line == mq_req.line);
  assign mq_ready = !(&mem_valid_q) && !same && (scripted || mq_ready_i);
  assign free_at  = mem_valid_q[0];
  assign mem_line = {mem_q[1].line, mem_q[0].line};
  assign does     = mem_valid_q & ~did_q & (scripted ? {2{Place > 3}} : mq_do_i);
  assign fails    = scripted ? {2{Place == 5}} : mq_error_i;
  // The answer that is offered stays.
  assign pick         = scripted ? !mem_valid_q[0] : answer_q ? pick_q : mq_pick_i;
  assign mq_rsp_valid = (scripted || answer_q || mq_answer_i) && mem_valid_q[pick] && did_q[pick];
  always_comb begin
    mq_rsp          = '0;
    mq_rsp.id       = mem_q[pick].id;
    mq_rsp.is_write = mem_q[pick].is_write;
    mq_rsp.error    = failed_q[pick];
    mq_rsp.data     = mem_q[pick].is_write ? '0 : read_q[pick];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mem_valid_q <= '0;
      did_q       <= '0;
      answer_q    <= 1'b0;
      memory_q    <= '0;
      wrote_q     <= '0;
    end else begin
      answer_q <= mq_rsp_valid && !mq_rsp_ready;
      did_q    <= did_q | does;
      for (int unsigned e = 0; e < 2; e++) begin
        if (does[e] && mem_q[e].is_write && !(fails[e] && mq_lost_i[e])) begin
          wrote_q[mem_q[e].line[0]] <= 1'b1;
          for (int unsigned b = 0; b < LineBytes; b++) begin
            if (mem_q[e].be[b]) memory_q[mem_q[e].line[0]][8*b +: 8] <= mem_q[e].data[8*b +: 8];
          end
        end
      end
      if (mq_valid && mq_ready) begin
        mem_valid_q[free_at] <= 1'b1;
        did_q[free_at]       <= 1'b0;
      end
      if (mq_rsp_valid && mq_rsp_ready) mem_valid_q[pick] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    pick_q <= pick;
    if (mq_valid && mq_ready) mem_q[free_at] <= mq_req;
    for (int unsigned e = 0; e < 2; e++) begin
      if (does[e]) begin
        read_q[e]   <= memory_q[mem_q[e].line[0]];
        failed_q[e] <= fails[e];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What each line holds in the order of the GPU, and what the watched load must see
  // ---------------------------------------------------------------------------------------------
  line_t [1:0] truth_q;
  line_t       expected_q;
  logic        load_failed_q;  // at the endpoint
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      truth_q       <= '0;
      load_failed_q <= 1'b0;
    end else begin
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (take && req.is_write && req.be[b]) truth_q[req.line[0]][8*b +: 8] <= req.data[8*b +: 8];
      end
      if (mq_rsp_valid && !mq_rsp.is_write && mq_rsp.id == Watched && mq_rsp.error) load_failed_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (take && req.id == Watched) expected_q <= truth_q[req.line[0]];

  // Where the watched load found its line, for the covers
  logic head_is, held_q, index_q, write_q, merged_q, passed_q, waited_q, back_q, marked_q, good;
  ds_act_t act;
  assign act     = u_engine.act;
  assign head_is = head_valid_q && head_q.id == Watched;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      index_q  <= 1'b0;
      write_q  <= 1'b0;
      merged_q <= 1'b0;
      passed_q <= 1'b0;
      waited_q <= 1'b0;
      back_q   <= 1'b0;
      marked_q <= 1'b0;
    end else begin
      if (req_valid && req.id == Watched && u_engine.load_held)                   held_q   <= 1'b1;
      if (head_is && act.head_local && !u_engine.u_stack.head_hit)                index_q  <= 1'b1;
      if (head_is && act.head_local && u_engine.u_stack.head_hit)                 write_q  <= 1'b1;
      if (head_is && act.merge_add)                                               merged_q <= 1'b1;
      if (head_is && head_ready && !act.head_local && wrote_q[head_q.line[0]])    passed_q <= 1'b1;
      if (head_is && u_engine.u_stack.head_hit && !u_engine.u_stack.head_full)    waited_q <= 1'b1;
      if (act.push && act.write_free)                                             back_q   <= 1'b1;
      if (act.write_mark)                                                         marked_q <= 1'b1;
    end
  end
  logic idle;
  assign idle = u_engine.u_stack.u_sequencer.state_q == '0;
  // Answered, with something to see
  assign good = answered && rsp.id == Watched && !rsp.error && expected_q != '0;

  Sees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (answered && rsp.id == Watched) |->
      watching_q && !rsp.is_write && (rsp.error ? load_failed_q : rsp.data == expected_q));
  Stored_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (answered && rsp.is_write) |-> !rsp.error);

endmodule
