// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_engine with its neighbours: a load returns what the last store to its line before it left there, wherever
// that is by then. Isolation, errors of the endpoint, fence, pace and the number of writes are any in every cycle.
//
// Around the engine stand stand-ins for its neighbours, each as free as their contracts allow:
//   index        a table by key that answers when it likes, and has a place for a new key when it likes
//                (index_table shows that ds_index is one)
//   SR queue     one load
//   memory queue two accesses, never two to a line; done in any order and answered in any, when it
//                likes; with an error it is done or not
//   local memory takes when it likes and answers one read at a time, when it likes, with an error or without
//
//   Sees_A   the watched load's data; an error only if the endpoint or local memory gave it one
//   Stored_A no store is answered with an error: two lines always find a slot
//
// The other assertions of this module say what the registers hold, so that all of them together go from any
// cycle to the next (method `step`): then they hold in every cycle. The central one is Truth_A: what the GPU has
// stored is, byte by byte, what the store FIFO has, else the slot of the line where its mask says so, else the
// endpoint. So it does not matter where the line is; what a load is to see is said of each of its stages (*Sees_A).

module ds_loads_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Place   = 0,     // place of the line watched_q at the start of a step; 0: any
  parameter int unsigned Script  = 0,     // from reset: cycles of one store's way to Place, for the covers
  parameter bit          Collide = 1'b0   // the two lines have one counter of the filter
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
  input logic [4:0] max_writes_i,
  input logic       direct_i,
  input logic       flush_i,
  input logic       oldest_i,
  // Neighbours: take, answer
  input logic       lm_ready_i,
  input logic       lm_answer_i,
  input logic       lm_error_i,
  input logic       ix_ready_i,
  input logic       ix_answer_i,
  input logic       ix_full_i,     // no place for a line that is not there
  input logic       mq_ready_i,
  input logic [1:0] mq_do_i,
  input logic       mq_answer_i,
  input logic       mq_pick_i,
  input logic [1:0] mq_error_i,
  input logic [1:0] mq_lost_i      // with an error: the access was not done
);

  localparam sys_id_t     Watched   = 16'h0001;
  localparam int unsigned Depth     = 4;
  localparam int unsigned SlotWidth = $clog2(Depth);
  localparam int unsigned Writes    = 2;
  localparam int unsigned Merges    = 2;

  // The filter's bucket of a line of five bits: the lower four, and the fifth folded onto the fourth
  localparam line_addr_t [1:0] Lines   = Collide ? {5'b10000, 5'b01000} : {5'b00001, 5'b00000};
  localparam logic [1:0][3:0]  Buckets = Collide ? {4'd8, 4'd8} : {4'd1, 4'd0};

  typedef logic [SlotWidth-1:0] slot_t;

  function automatic logic known(line_addr_t line);
    return line == Lines[0] || line == Lines[1];
  endfunction
  function automatic logic which(line_addr_t line);
    return line == Lines[1];
  endfunction

  // Place. Not exclusive; every line is in one of Index, Late, Write, Second, or not here.
  localparam int unsigned Anywhere = 0, Fifo = 1, Index = 2, Merge = 3, Flush = 4, Write = 5, Second = 6,
                          Endpoint = 7, Error = 8, Fast = 9, Late = 10;

  // ---------------------------------------------------------------------------------------------
  // Script, from reset
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned Again = 16;  // cycle of the second store
  logic [5:0] step_q;
  logic       scripted;
  assign scripted = 32'(step_q) < Script;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       step_q <= '0;
    else if (scripted) step_q <= step_q + 6'd1;
  end

  // ---------------------------------------------------------------------------------------------
  // GPU: what is offered stays until it is taken; at most two loads at a time, one of them watched
  // ---------------------------------------------------------------------------------------------
  sys_req_t req, req_q;
  sys_rsp_t rsp;
  logic     kept_q, req_valid, req_ready, take, watching_q, done_q, other_q, answered, rsp_valid;
  logic     rsp_ready, offer;

  always_comb begin
    req   = req_q;
    offer = valid_i;
    if (!kept_q) begin
      req          = '0;
      req.is_write = is_write_i;
      req.line     = Lines[line_i];
      req.be       = be_i;
      req.data     = is_write_i ? data_i : '0;
      if (!is_write_i && watch_i && !watching_q && !done_q) req.id = Watched;
      else if (!is_write_i) offer = offer && !other_q;
      if (scripted) begin
        offer        = step_q == '0 || (Place == Second && 32'(step_q) == Again);
        req.is_write = 1'b1;
        req.line     = Lines[0];
        req.data     = data_i;
        req.id       = '0;
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
  ds_act_t  act;
  logic     at_merge;           // the sequencer's merge
  sys_id_t [Merges-1:0]     merge_id;
  logic [1:0]               ix_op;
  line_addr_t               ix_key;
  slot_t                    ix_slot, ix_rsp_slot;
  logic [SlotWidth:0]       count;
  ds_event_t                ev;
  logic [1:0]               mem_valid_q;
  logic [1:0][LineAddrBits-1:0] mem_line;

  ds_engine #(.Depth(Depth), .Writes(Writes), .Stores(2), .Inserts(2), .Merges(Merges), .Reads(2), .Buckets(16),
              .SrDepth(1), .MemEntries(2)) u_engine (
    .clk_i, .rst_ni, .enable_i(1'b1), .fence_i(fence_i && !scripted), .isolate_i(isolate_i && !scripted),
    .clear_error_i(clear_error_i && !scripted), .max_writes_i(scripted ? 7'd2 : 7'(max_writes_i)),
    .direct_i(direct_i && !scripted), .flush_i(scripted ? Place inside {Write, Second, Endpoint, Error} : flush_i),
    .oldest_i,
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
  logic        ix_owes_q, was_q, ix_line, ix_full;
  slot_t       was_at_q;
  assign ix_line      = which(ix_key);
  assign ix_full      = ix_op == 2'd1 && !there_q[ix_line] && ix_full_i && !scripted;
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
      if (ix_valid && ix_ready && ix_op == 2'd1 && !ix_full) there_q[ix_line] <= 1'b1;
      if (ix_valid && ix_ready && ix_op == 2'd2) there_q[ix_line] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (ix_valid && ix_ready) begin
      was_q    <= there_q[ix_line] || ix_full;
      was_at_q <= there_q[ix_line] ? at_q[ix_line] : (ix_op == 2'd1) ? ix_slot : '0;
      if (ix_op == 2'd1 && !there_q[ix_line]) at_q[ix_line] <= ix_slot;
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
      lm_rsp_q <= '{error: lm_error_i && !scripted, kind: lm_req.kind, index: lm_req.index,
                    data: local_q[lm_req.slot[SlotWidth-1:0]]};
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (lm_req.write && lm_req.be[b]) local_q[lm_req.slot[SlotWidth-1:0]][8*b +: 8] <= lm_req.data[8*b +: 8];
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
  assign does     = mem_valid_q & ~did_q & (scripted ? {2{Place inside {Endpoint, Error}}} : mq_do_i);
  assign fails    = scripted ? {2{Place == Error}} : mq_error_i;
  // The answer that is offered stays.
  assign pick         = answer_q ? pick_q : scripted ? !mem_valid_q[0] : mq_pick_i;
  assign mq_rsp_valid = (answer_q || scripted || mq_answer_i) && mem_valid_q[pick] && did_q[pick];
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
          wrote_q[which(mem_q[e].line)] <= 1'b1;
          for (int unsigned b = 0; b < LineBytes; b++) begin
            if (mem_q[e].be[b]) memory_q[which(mem_q[e].line)][8*b +: 8] <= mem_q[e].data[8*b +: 8];
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
        read_q[e]   <= memory_q[which(mem_q[e].line)];
        failed_q[e] <= fails[e];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What each line holds in the order of the GPU, and what the watched load must see
  // ---------------------------------------------------------------------------------------------
  line_t [1:0] truth_q;
  line_t       expected_q;
  logic        watched_q;      // the watched load's line
  logic        load_failed_q;  // at the endpoint or in local memory
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      truth_q       <= '0;
      load_failed_q <= 1'b0;
    end else begin
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (take && req.is_write && req.be[b]) truth_q[which(req.line)][8*b +: 8] <= req.data[8*b +: 8];
      end
      if (mq_rsp_valid && !mq_rsp.is_write && mq_rsp.id == Watched && mq_rsp.error) load_failed_q <= 1'b1;
      if (lm_error_i && act.head_local && head_q.id == Watched)                     load_failed_q <= 1'b1;
      if (lm_error_i && act.merge_sent && merge_id[at_merge] == Watched)            load_failed_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take && req.id == Watched) begin
      expected_q <= truth_q[which(req.line)];
      watched_q  <= which(req.line);
    end
  end

  Sees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (answered && rsp.id == Watched) |->
      watching_q && !rsp.is_write && (rsp.error ? load_failed_q : rsp.data == expected_q));
  Stored_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (answered && rsp.is_write) |-> !rsp.error);

  // ---------------------------------------------------------------------------------------------
  // What the registers hold
  // ---------------------------------------------------------------------------------------------
  localparam logic [5:0] Idle = 6'h00, MRead = 6'h01;
  localparam logic [5:0] SLook = 6'h08, SFind = 6'h09, SNew = 6'h0a, SWrite = 6'h0b, SMask = 6'h0c, SPut = 6'h0d;
  localparam logic [5:0] LLook = 6'h10, LFind = 6'h11, LSlot = 6'h12, LMask = 6'h13, LRead = 6'h14;
  localparam logic [5:0] FPick = 6'h20, FSlot = 6'h21, FMask = 6'h22, FDelete = 6'h23, FRead = 6'h24;
  localparam logic [5:0] CTake = 6'h30, CFree = 6'h31, CPut = 6'h32;

  // The sequencer
  logic [5:0] state;
  logic       asked, fresh, op_s, op_l, op_f, key_line;
  slot_t      held_slot, end_slot, slot;
  logic       end_first;  // it stood first, not last
  logic       at_write;  // its write entry
  line_addr_t key;
  assign act        = u_engine.act;
  assign state      = u_engine.u_deferred.u_sequencer.state_q;
  assign asked      = u_engine.u_deferred.u_sequencer.asked_q;
  assign fresh      = u_engine.u_deferred.u_sequencer.new_q;
  assign held_slot  = u_engine.u_deferred.u_sequencer.slot_q;
  assign at_write   = u_engine.u_deferred.u_sequencer.write_q;
  assign end_slot   = u_engine.u_deferred.end_slot;
  assign end_first  = u_engine.u_deferred.end_first;
  assign slot       = u_engine.slot;
  assign key        = u_engine.key;
  assign key_line   = which(key);
  assign op_s       = state[5:3] == 3'd1;
  assign op_l       = state[5:3] == 3'd2;
  assign op_f       = state[5:3] == 3'd4;

  // The store FIFO: head first
  logic           [1:0] store_valid, store_line, store_known;
  byte_en_t       [1:0] store_be;
  line_t          [1:0] store_data;
  logic                 store_at;
  assign store_at = u_engine.u_stores.head_q;
  for (genvar e = 0; e < 2; e++) begin : g_store
    logic entry;
    assign entry          = store_at ^ 1'(e);
    assign store_valid[e] = 32'(u_engine.u_stores.count_q) > e;
    assign store_line[e]  = which(u_engine.u_stores.line_q[entry]);
    assign store_known[e] = known(u_engine.u_stores.line_q[entry]) && u_engine.u_stores.id_q[entry] == '0;
    assign store_be[e]    = u_engine.u_stores.be_q[entry];
    assign store_data[e]  = u_engine.u_stores.data_q[entry];
  end

  // The fast store: the oldest one
  logic  fast, fast_direct, fast_lm, fast_mq, fast_goes, fast_place;
  slot_t fast_slot;
  assign fast        = u_engine.u_deferred.u_fast.busy_q;
  assign fast_direct = u_engine.u_deferred.u_fast.direct_q;
  assign fast_lm     = u_engine.u_deferred.u_fast.lm_q;
  assign fast_mq     = u_engine.u_deferred.u_fast.mq_q;
  assign fast_slot   = u_engine.u_deferred.u_fast.slot_q;
  assign fast_place  = u_engine.u_deferred.u_fast.place_q;
  assign fast_goes   = fast_direct && !fast_mq;

  // The write table
  logic     [1:0] write_used, write_valid, write_line, write_known, write_dirty;
  slot_t    [1:0] write_slot;
  byte_en_t [1:0] write_mask, write_sent;
  assign write_used  = u_engine.u_deferred.u_writes.used_vec_q;
  assign write_valid = u_engine.u_deferred.u_writes.valid_q;
  assign write_dirty = u_engine.u_deferred.u_writes.dirty_q;
  for (genvar w = 0; w < 2; w++) begin : g_write
    assign write_line[w]  = which(u_engine.u_deferred.u_writes.line_q[w]);
    assign write_known[w] = known(u_engine.u_deferred.u_writes.line_q[w]);
    assign write_slot[w]  = u_engine.u_deferred.u_writes.slot_q[w];
    assign write_mask[w]  = u_engine.u_deferred.u_writes.mask_q[w];
    assign write_sent[w]  = u_engine.u_deferred.u_writes.smask_q[w];
  end

  // Slot memory
  line_addr_t [Depth-1:0] word_line;
  byte_en_t   [Depth-1:0] word_mask;
  line_addr_t             read_line;
  byte_en_t               read_mask;
  for (genvar s = 0; s < Depth; s++) begin : g_word
    assign {word_line[s], word_mask[s]} = u_engine.u_deferred.u_words.mem_q[s];
  end
  assign {read_line, read_mask} = u_engine.u_deferred.u_words.rdata_q;

  // Late lines: as many as are valid. The first is inserted.
  line_addr_t [3:0] late_line;
  slot_t      [3:0] late_slot;
  logic             insert_stands, insert_asked, insert_line, inserted;
  for (genvar i = 0; i < 4; i++) begin : g_late
    assign late_line[i] = u_engine.u_deferred.u_late.line_q[i];
    assign late_slot[i] = u_engine.u_deferred.u_late.slot_q[i];
  end
  assign insert_stands = u_engine.u_deferred.u_late.stands_q;
  assign insert_asked  = u_engine.u_deferred.u_late.asked_q;
  assign insert_line   = which(late_line[0]);
  assign inserted      = u_engine.u_deferred.inserted;

  // Where each line is: deferred, on its way, or not here
  logic           pushed_line;
  logic     [1:0] deferred_q, late_q, on_way, way_entry, here;
  slot_t    [1:0] deferred_at_q, slot_of;
  byte_en_t [1:0] mask_of;
  line_t    [1:0] base, visible;  // what is stored, without and with the FIFO's
  assign pushed_line = which(u_engine.u_deferred.counted_line);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      deferred_q <= '0;
      late_q     <= '0;
    end else begin
      if (act.push)                deferred_q[pushed_line] <= 1'b1;
      if (act.push)                late_q[pushed_line]     <= 1'b1;
      if (act.pop)                 deferred_q[key_line]    <= 1'b0;
      if (act.pop)                 late_q[key_line]        <= 1'b0;
      if (inserted)                late_q[insert_line]     <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) if (act.push) deferred_at_q[pushed_line] <= u_engine.u_deferred.u_slots.pslot_i;
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) begin
      way_entry[l] = write_valid[1] && write_line[1] == 1'(l);
      on_way[l]    = way_entry[l] || (write_valid[0] && write_line[0] == 1'(l));
      here[l]      = deferred_q[l] || on_way[l];
      slot_of[l]   = deferred_q[l] ? deferred_at_q[l] : write_slot[way_entry[l]];
      mask_of[l]   = deferred_q[l] ? word_mask[deferred_at_q[l]] : write_mask[way_entry[l]];
      base[l]      = memory_q[l];
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (here[l] && mask_of[l][b]) base[l][8*b +: 8] = local_q[slot_of[l]][8*b +: 8];
      end
      visible[l] = base[l];
      for (int unsigned e = 0; e < 2; e++) begin
        for (int unsigned b = 0; b < LineBytes; b++) begin
          if (store_valid[e] && store_line[e] == 1'(l) && store_be[e][b]) begin
            visible[l][8*b +: 8] = store_data[e][8*b +: 8];
          end
        end
      end
    end
  end
  Truth_A: assert property (@(posedge clk_i) disable iff (!rst_ni) truth_q == visible);

  // Two lines' bytes are the same where the mask has them
  function automatic logic alike(line_t a, line_t b, byte_en_t mask);
    for (int unsigned i = 0; i < LineBytes; i++) begin
      if (mask[i] && a[8*i +: 8] != b[8*i +: 8]) return 1'b0;
    end
    return 1'b1;
  endfunction

  // GPU
  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni) kept_q |->
      known(req_q.line) && !req_q.poison && (req_q.is_write ? req_q.id == '0
      : req_q.id == Watched ? !watching_q && !done_q : req_q.id == '0 && !other_q));
  Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(watching_q && done_q));

  // Store FIFO
  Fifo_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (u_engine.u_stores.tail_q == (store_at ^ u_engine.u_stores.count_q[0])) && u_engine.u_stores.count_q <= 2
      && u_engine.u_stores.valid_q[store_at] == store_valid[0]
      && u_engine.u_stores.valid_q[!store_at] == store_valid[1]
      && u_engine.u_stores.open_q <= u_engine.u_stores.count_q
      && u_engine.u_stores.next_q == (store_at ^ u_engine.u_stores.count_q[0] ^ u_engine.u_stores.open_q[0])
      && (!store_valid[0] || store_known[0]) && (!store_valid[1] || store_known[1]));

  // Index, filter and order of deferred slots agree.
  logic [1:0] changed;  // the index is a step ahead
  logic [1:0][1:0] counter, number;
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) begin
      changed[l] = (asked && state == FDelete && key_line == 1'(l))
                   || (insert_asked && !was_q && insert_line == 1'(l));
      number[l]  = 2'(deferred_q[l]) + 2'(deferred_q[!l[0]] && Buckets[0] == Buckets[1]);
    end
  end
  for (genvar l = 0; l < 2; l++) begin : g_counter
    assign counter[l] = u_engine.u_deferred.u_filter.counts_q[Buckets[l]][0];
    IndexAt_A: assert property (@(posedge clk_i) disable iff (!rst_ni) there_q[l] |-> at_q[l] == deferred_at_q[l]);
  end
  Index_A: assert property (@(posedge clk_i) disable iff (!rst_ni) there_q == ((deferred_q & ~late_q) ^ changed));
  Late_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (late_q & ~deferred_q) == '0);
  Filter_A: assert property (@(posedge clk_i) disable iff (!rst_ni) counter == number);
  Asked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (asked || insert_asked) == ix_owes_q && (!asked || state inside {LFind, SFind, FDelete}));
  AskedFind_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (asked && state inside {LFind, SFind}) |->
      was_q == there_q[key_line] && (!was_q || was_at_q == at_q[key_line]));
  AskedInsert_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      insert_asked |-> was_at_q == late_slot[0] && (was_q || at_q[insert_line] == late_slot[0]));
  AskedDelete_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (asked && state == FDelete) |-> was_q && was_at_q == slot);
  OnePlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (deferred_q & on_way) == '0);

  // Slots: each is at a line, in the hand of a store, free or has never been used.
  logic             hand;
  logic [Depth-1:0] used, pooled, at_deferred;
  logic [SlotWidth:0] pool, fresh_at, num_deferred, num_ordered, num_late, num_used;
  logic             slots_right, order_right, places_right;
  slot_t            head_at;
  slot_t [Depth-1:0] ring, order, pool_slots;  // order: the first at 0
  logic [Depth-1:0][1:0] place;
  assign hand         = state inside {SWrite, SPut} && fresh;
  assign pool         = u_engine.u_deferred.u_slots.pool_q;
  assign fresh_at     = u_engine.u_deferred.u_slots.fresh_q;
  assign head_at      = u_engine.u_deferred.u_slots.head_q;
  assign num_deferred = u_engine.u_deferred.u_slots.count_q;
  assign num_ordered  = num_deferred - (SlotWidth + 1)'(state == FDelete);
  assign num_late = (SlotWidth + 1)'($countones(u_engine.u_deferred.u_late.valid_q));
  for (genvar s = 0; s < Depth; s++) begin : g_slot
    assign ring[s]       = u_engine.u_deferred.u_slots.u_order.mem_q[s];
    assign order[s]      = ring[slot_t'(head_at + slot_t'(s))];
    assign pool_slots[s] = u_engine.u_deferred.u_slots.u_pool.mem_q[s];
    assign place[s]      = u_engine.u_deferred.u_slots.place_q[0][s];
  end
  always_comb begin
    used        = '0;
    pooled      = '0;
    at_deferred = '0;
    num_used    = (SlotWidth + 1)'(hand) + (SlotWidth + 1)'(fast && !fast_goes);
    slots_right = pool <= fresh_at && 32'(fresh_at) <= Depth && !(hand && fast);
    if (hand)               used[held_slot] = 1'b1;
    if (fast && !fast_goes) used[fast_slot] = 1'b1;
    for (int unsigned l = 0; l < 2; l++) begin
      if (here[l]) begin
        if (used[slot_of[l]]) slots_right = 1'b0;
        used[slot_of[l]] = 1'b1;
        num_used         = num_used + (SlotWidth + 1)'(1);
      end
      if (deferred_q[l]) at_deferred[deferred_at_q[l]] = 1'b1;
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      if (i < 32'(pool)) begin
        if (used[pool_slots[i]] || pooled[pool_slots[i]]) slots_right = 1'b0;
        pooled[pool_slots[i]] = 1'b1;
      end
    end
    if (pool != '0 && u_engine.u_deferred.free_slot != pool_slots[slot_t'(pool - 1)]) slots_right = 1'b0;
    for (int unsigned s = 0; s < Depth; s++) begin
      if ((used[s] || pooled[s]) && s >= 32'(fresh_at)) slots_right = 1'b0;
    end
    if (fresh_at != pool + num_used) slots_right = 1'b0;
    // The deferred lines, without the one that a flush deletes; the late ones are the last, in the same order.
    order_right = num_deferred == (SlotWidth + 1)'(deferred_q[0]) + (SlotWidth + 1)'(deferred_q[1])
                  && num_late == (SlotWidth + 1)'(late_q[0]) + (SlotWidth + 1)'(late_q[1])
                  && u_engine.u_deferred.u_late.valid_q == (num_late == 2 ? 4'b0011 : num_late == 1 ? 4'b0001 : 4'b0000)
                  && u_engine.u_deferred.u_slots.tail_q == slot_t'(head_at + slot_t'(num_ordered))
                  && u_engine.u_deferred.u_slots.left_q == (state == FDelete)
                  && num_late <= num_ordered && !(num_ordered == 2 && order[0] == order[1]);
    for (int unsigned i = 0; i < 2; i++) begin
      if (i < 32'(num_ordered)
          && !(deferred_q[0] && deferred_at_q[0] == order[i] && !(state == FDelete && !key_line)
               && late_q[0] == (i + 32'(num_late) >= 32'(num_ordered)))
          && !(deferred_q[1] && deferred_at_q[1] == order[i] && !(state == FDelete && key_line)
               && late_q[1] == (i + 32'(num_late) >= 32'(num_ordered)))) order_right = 1'b0;
    end
    for (int unsigned i = 0; i < 2; i++) begin
      if (i < 32'(num_late)
          && !(known(late_line[i]) && late_q[which(late_line[i])]
               && late_slot[i] == deferred_at_q[which(late_line[i])]
               && late_slot[i] == order[slot_t'(num_ordered - num_late + (SlotWidth + 1)'(i))])) order_right = 1'b0;
    end
    places_right = 1'b1;
    for (int unsigned s = 0; s < Depth; s++) begin
      if (place[s] != (at_deferred[s] ? 2'd2 : used[s] ? 2'd1 : 2'd0)) places_right = 1'b0;
    end
  end
  Slots_A: assert property (@(posedge clk_i) disable iff (!rst_ni) slots_right);
  Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni) order_right);
  Places_A: assert property (@(posedge clk_i) disable iff (!rst_ni) places_right);
  // What ds_promises counts
  Promises_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_engine.u_deferred.u_promises.free_q == (SlotWidth + 1)'(Depth) - fresh_at + pool
      && u_engine.u_deferred.u_promises.waiting_q
         == (SlotWidth + 1)'(u_engine.u_stores.count_q - u_engine.u_stores.open_q));
  for (genvar l = 0; l < 2; l++) begin : g_words
    Word_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        deferred_q[l] |-> word_line[deferred_at_q[l]] == Lines[l]);
  end

  // Merges
  logic       [Merges-1:0]      merge_valid, merge_known, merge_waits, merge_line, merge_failed, merge_first;
  logic       [Merges-1:0][1:0] merge_stage;
  slot_t      [Merges-1:0]      merge_slot;
  byte_en_t   [Merges-1:0]      merge_mask;
  line_t      [Merges-1:0]      merge_data;
  assign at_merge = u_engine.u_deferred.u_sequencer.merge_q;
  for (genvar m = 0; m < Merges; m++) begin : g_merge
    assign merge_valid[m]  = u_engine.u_returns.u_merges.valid_q[m];
    assign merge_stage[m]  = u_engine.u_returns.u_merges.stage_q[m];
    assign merge_id[m]     = u_engine.u_returns.u_merges.id_q[m];
    assign merge_slot[m]   = u_engine.u_returns.u_merges.slot_q[m];
    assign merge_mask[m]   = u_engine.u_returns.u_merges.mask_q[m];
    assign merge_data[m]   = u_engine.u_returns.u_merges.data_q[m];
    assign merge_failed[m] = u_engine.u_returns.u_merges.error_q[m];
    assign merge_known[m]  = known(u_engine.u_returns.u_merges.line_q[m]);
    assign merge_line[m]   = which(u_engine.u_returns.u_merges.line_q[m]);
    assign merge_first[m]  = merge_valid[m] && merge_stage[m] == 2'd0;
    assign merge_waits[m]  = merge_valid[m] && !merge_stage[m][1];
    Merge_A: assert property (@(posedge clk_i) disable iff (!rst_ni) merge_waits[m] |->
        merge_known[m] && deferred_q[merge_line[m]] && merge_slot[m] == deferred_at_q[merge_line[m]]
        && merge_mask[m] == word_mask[merge_slot[m]]);
  end
  MergeRead_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (state == MRead) |->
      merge_valid[at_merge] && merge_stage[at_merge] == 2'd1 && held_slot == merge_slot[at_merge]);

  logic [1:0] reading;  // local memory reads for a load
  assign reading = u_engine.u_returns.u_answers.reading_q;

  // The operation: a store's
  logic key_mem, key_merge;  // an access to its line, a merge before its local read
  assign key_mem   = (mem_valid_q[0] && mem_q[0].line == key) || (mem_valid_q[1] && mem_q[1].line == key);
  assign key_merge = (merge_waits[0] && merge_line[0] == key_line) || (merge_waits[1] && merge_line[1] == key_line);
  Store_A: assert property (@(posedge clk_i) disable iff (!rst_ni) op_s |->
      store_valid[0] && !fast && !(head_valid_q && head_q.line == key) && !key_merge
      && (!key_mem || on_way[key_line]) && !u_engine.late_answer);
  StoreNew_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fresh ? state inside {Idle, SWrite, SPut} : state != SPut);
  StoreSlot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == SWrite && !fresh) |-> here[key_line] && held_slot == slot_of[key_line]);
  StoreNowhere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == SNew || hand) |-> !here[key_line]);
  StoreFind_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == SFind) |-> !on_way[key_line] && !late_q[key_line]);
  StoreWait_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == SMask) |-> deferred_q[key_line] && held_slot == deferred_at_q[key_line]);
  StoreDone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {SMask, SPut} |-> alike(local_q[slot], store_data[0], store_be[0]));
  StoreMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == SMask) |-> {read_line, read_mask} == {word_line[held_slot], word_mask[held_slot]});

  // A load's
  Load_A: assert property (@(posedge clk_i) disable iff (!rst_ni) op_l |->
      head_valid_q && !u_engine.passes && !(u_engine.u_deferred.head_hit && !u_engine.u_deferred.head_full));
  LoadFind_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {LFind, LSlot, LMask} |-> !on_way[key_line] && !(state == LFind && late_q[key_line]));
  LoadSlot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {LSlot, LMask, LRead} |-> here[key_line] && held_slot == slot_of[key_line]);
  LoadMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == LMask) |-> read_mask == word_mask[held_slot]);
  LoadRead_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (state == LRead) |-> &mask_of[key_line]);
  LoadRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) op_l |-> !(&reading));

  // A flush's
  Flush_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {FPick, FSlot, FMask, FDelete} |-> !(&write_used) && num_deferred != '0);
  FlushSlot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {FSlot, FMask} |-> u_engine.u_deferred.u_slots.shown_q
                                      && end_slot == order[end_first ? slot_t'(0) : slot_t'(num_ordered - 1)]);
  FlushMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {FMask, FDelete} |-> {read_line, read_mask} == {word_line[slot], word_mask[slot]});
  FlushDelete_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (state == FDelete) |->
      !key_mem && !key_merge && deferred_q[key_line] && !late_q[key_line] && slot == deferred_at_q[key_line]);
  FlushRead_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (state == FRead) |->
      end_slot == write_slot[at_write] && !write_dirty[at_write]);

  // An insertion's
  Insert_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      insert_stands ? num_late != '0 && !asked : !insert_asked);

  // A completion's, a merge's
  Done_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state inside {CFree, CPut} |-> held_slot == write_slot[at_write]);
  DoneTake_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == CTake) |-> u_engine.done_valid && u_engine.done_index == at_write);

  // The two queues
  logic [1:0] done_there, done_entry, done_failed, flush_there, flush_entry;
  line_t [1:0] flush_data;
  always_comb begin
    for (int unsigned e = 0; e < 2; e++) begin
      done_there[e]  = u_engine.u_returns.u_done.count_q == 2
                       || (u_engine.u_returns.u_done.count_q == 1 && u_engine.u_returns.u_done.rd_q == 1'(e));
      flush_there[e] = u_engine.u_issue.u_flush.count_q == 2
                       || (u_engine.u_issue.u_flush.count_q == 1 && u_engine.u_issue.u_flush.rd_q == 1'(e));
    end
  end
  for (genvar e = 0; e < 2; e++) begin : g_queue
    logic unused;
    assign {done_entry[e], done_failed[e]} = u_engine.u_returns.u_done.mem_q[e];
    assign {flush_entry[e], unused, flush_data[e]} = u_engine.u_issue.u_flush.mem_q[e];
  end
  Queues_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_engine.u_returns.u_done.count_q <= 2 && u_engine.u_issue.u_flush.count_q <= 2
      && u_engine.u_returns.u_done.wr_q == (u_engine.u_returns.u_done.rd_q ^ u_engine.u_returns.u_done.count_q[0])
      && u_engine.u_issue.u_flush.wr_q == (u_engine.u_issue.u_flush.rd_q ^ u_engine.u_issue.u_flush.count_q[0]));

  // A write entry is in one stage, and what it has sent is what its slot holds, or is about to, unless a store came
  // after.
  logic [1:0]      write_right, read_flush;
  logic            fast_at_mq;
  line_t [1:0]     slot_data;
  logic [1:0][3:0] stages;
  logic [1:0]      mem_right;
  always_comb begin
    fast_at_mq = 1'b0;
    for (int unsigned w = 0; w < 2; w++) begin
      logic same_as;
      slot_data[w] = local_q[write_slot[w]];
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (fast_direct && fast_lm && fast_place == 1'(w) && store_be[0][b]) begin
          slot_data[w][8*b +: 8] = store_data[0][8*b +: 8];
        end
      end
      same_as = !write_dirty[w];
      write_right[w] = write_known[w] && (write_dirty[w] || write_mask[w] == write_sent[w]);
      read_flush[w]  = lm_owes_q && lm_rsp_q.kind == LmFlush && lm_rsp_q.index == 4'(w);
      stages[w]      = 4'(state == FRead && at_write == 1'(w)) + 4'(read_flush[w])
                       + 4'(state inside {CFree, CPut} && at_write == 1'(w));
      if (read_flush[w] && same_as && !alike(lm_rsp_q.data, slot_data[w], write_sent[w])) begin
        write_right[w] = 1'b0;
      end
      if (state == CFree && at_write == 1'(w) && (write_dirty[w]
          || !alike(memory_q[write_line[w]], slot_data[w], write_sent[w]))) write_right[w] = 1'b0;
      for (int unsigned e = 0; e < 2; e++) begin
        if (flush_there[e] && flush_entry[e] == 1'(w)) begin
          stages[w] = stages[w] + 4'd1;
          if (same_as && !alike(flush_data[e], slot_data[w], write_sent[w])) write_right[w] = 1'b0;
        end
        if (mem_valid_q[e] && mem_q[e].is_write && mem_q[e].id == (OwnIds | sys_id_t'(w))) begin
          stages[w] = stages[w] + 4'd1;
          if (fast_goes && fast_place == 1'(w)) fast_at_mq = 1'b1;
          if (mem_q[e].line != Lines[write_line[w]] || mem_q[e].be != write_sent[w]
              || (same_as && !alike(mem_q[e].data, slot_data[w], write_sent[w]))
              || (same_as && did_q[e] && !failed_q[e]
                  && !alike(memory_q[write_line[w]], slot_data[w], write_sent[w]))) write_right[w] = 1'b0;
        end
        if (done_there[e] && done_entry[e] == 1'(w)) begin
          stages[w] = stages[w] + 4'd1;
          if (same_as && !done_failed[e]
              && !alike(memory_q[write_line[w]], slot_data[w], write_sent[w])) write_right[w] = 1'b0;
        end
      end
      if (!write_valid[w]) write_right[w] = 1'b1;
    end
    for (int unsigned e = 0; e < 2; e++) begin
      mem_right[e] = !mem_valid_q[e] || (known(mem_q[e].line)
          && (mem_q[e].is_write ? mem_q[e].id inside {OwnIds, OwnIds | 16'h1} : mem_q[e].id inside {16'h0, Watched}));
    end
  end
  for (genvar w = 0; w < 2; w++) begin : g_stage
    Stage_A: assert property (@(posedge clk_i) disable iff (!rst_ni) stages[w] == 4'(write_valid[w]));
    Write_A: assert property (@(posedge clk_i) disable iff (!rst_ni) write_right[w]);
    Mem_A: assert property (@(posedge clk_i) disable iff (!rst_ni) mem_right[w]);
  end
  // A fast store: nothing of its line is here but what it brings.
  logic fast_line, fast_mem, fast_merge;  // an access to its line, a merge before its local read
  assign fast_line = store_line[0];
  always_comb begin
    fast_mem   = 1'b0;
    fast_merge = 1'b0;
    for (int unsigned e = 0; e < 2; e++) begin
      if (mem_valid_q[e] && mem_q[e].line == Lines[fast_line]) fast_mem = 1'b1;
      if (merge_waits[e] && merge_line[e] == fast_line)        fast_merge = 1'b1;
    end
  end
  Fast_A: assert property (@(posedge clk_i) disable iff (!rst_ni) fast |->
      store_valid[0] && !op_s && !deferred_q[fast_line] && on_way[fast_line] == fast_goes
      && !(head_valid_q && head_q.line == Lines[fast_line]) && !fast_merge && fast_mem == fast_goes);
  FastDone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (fast && !fast_lm) |-> alike(local_q[fast_slot], store_data[0], store_be[0]));
  FastPlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni) fast_direct |->
      fast && write_known[fast_place] && write_line[fast_place] == fast_line && write_slot[fast_place] == fast_slot
      && write_mask[fast_place] == store_be[0] && write_sent[fast_place] == store_be[0] && !write_dirty[fast_place]);
  FastUsed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (write_used & ~write_valid) == ((fast_direct && fast_mq) ? 2'(1) << fast_place : 2'd0));
  FastGoes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fast_goes |-> write_valid[fast_place] && fast_at_mq);
  FastStands_A: assert property (@(posedge clk_i) disable iff (!rst_ni) u_engine.u_deferred.lm_stands_q |-> fast_lm);

  MemLines_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (&mem_valid_q) |-> mem_q[0].line != mem_q[1].line);
  MemAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      answer_q |-> mem_valid_q[pick_q] && did_q[pick_q]);

  // Local memory's answer
  Local_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reading == ((lm_owes_q && lm_rsp_q.kind == LmLoad) ? 2'(1) << lm_rsp_q.index[0] : 2'd0));
  for (genvar m = 0; m < Merges; m++) begin : g_reading
    LocalMerge_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (merge_valid[m] && merge_stage[m] == 2'd2)
        == (lm_owes_q && lm_rsp_q.kind == LmMerge && lm_rsp_q.index == 4'(m)));
  end
  LocalTag_A: assert property (@(posedge clk_i) disable iff (!rst_ni) lm_owes_q |->
      lm_rsp_q.index < 4'd2 && lm_rsp_q.kind inside {LmLoad, LmMerge, LmFlush});
  Offered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_engine.u_returns.u_answers.offered_q |-> state == LRead);

  // The head of the SR queue, and who may pass
  logic head_line, merges_head;
  assign head_line   = which(head_q.line);
  always_comb begin
    merges_head = 1'b0;
    for (int unsigned m = 0; m < Merges; m++) begin
      if (merge_first[m] && merge_id[m] == head_q.id && merge_line[m] == head_line) merges_head = 1'b1;
    end
  end
  Head_A: assert property (@(posedge clk_i) disable iff (!rst_ni) head_valid_q |->
      known(head_q.line) && !head_q.is_write && !head_q.poison && head_q.id inside {16'h0, Watched});
  Passes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (u_engine.u_issue.pass_q || u_engine.u_issue.stands_q == 2'd1) |->
      head_valid_q && (!here[head_line] || merges_head));
  HeadHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (head_valid_q && store_valid[0]) |-> !(store_line[0] == head_line && op_s));

  // A load is in one stage.
  logic [1:0][3:0]   load_stages;
  logic [Merges-1:0] merge_right;
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      load_stages[i] = 4'(head_valid_q && head_q.id == sys_id_t'(i))
                       + 4'(rsp_valid && !rsp.is_write && rsp.id == sys_id_t'(i));
      for (int unsigned m = 0; m < Merges; m++) begin
        load_stages[i] = load_stages[i]
                         + 4'(merge_valid[m] && !merge_first[m] && merge_id[m] == sys_id_t'(i));
      end
      for (int unsigned e = 0; e < 2; e++) begin
        load_stages[i] = load_stages[i]
                         + 4'(mem_valid_q[e] && !mem_q[e].is_write && mem_q[e].id == sys_id_t'(i));
      end
    end
    for (int unsigned m = 0; m < Merges; m++) begin
      merge_right[m] = !merge_first[m] || (head_valid_q && head_q.id == merge_id[m] && merge_line[m] == head_line
                                           && u_engine.u_issue.pass_q);
      for (int unsigned e = 0; e < 2; e++) begin
        if (mem_valid_q[e] && mem_q[e].id == merge_id[m] && merge_line[m] == which(mem_q[e].line)) begin
          merge_right[m] = 1'b1;
        end
      end
      if (merge_valid[m] && !(merge_id[m] inside {16'h0, Watched})) merge_right[m] = 1'b0;
    end
  end
  logic [1:0][3:0] load_reads;
  logic [1:0]      read_id, read_known;
  for (genvar r = 0; r < 2; r++) begin : g_read
    assign read_id[r]    = u_engine.u_returns.u_answers.read_id_q[r] == Watched;
    assign read_known[r] = read_id[r] || u_engine.u_returns.u_answers.read_id_q[r] == '0;
  end
  Read_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (reading & ~read_known) == '0);
  always_comb begin
    for (int unsigned i = 0; i < 2; i++) begin
      load_reads[i] = 4'(reading[0] && read_id[0] == 1'(i)) + 4'(reading[1] && read_id[1] == 1'(i));
    end
  end
  Watched_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      load_stages[1] + load_reads[1] == 4'(watching_q));
  Other_A: assert property (@(posedge clk_i) disable iff (!rst_ni) load_stages[0] + load_reads[0] == 4'(other_q));
  MergeLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      &merge_right);
  Answer_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_valid |->
      (rsp.is_write ? rsp.id == '0 && !rsp.error : rsp.id inside {16'h0, Watched}));
  // The answer of a store that left is before those of the FIFO.
  LateAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_engine.late_answer |-> u_engine.u_returns.u_answers.late_id_q == '0
                               && !u_engine.u_returns.u_answers.late_error_q
                               && u_engine.u_stores.open_q == u_engine.u_stores.count_q);

  // A load in the memory queue, and no merge of it: nothing of its line is here.
  for (genvar e = 0; e < 2; e++) begin : g_mem
    logic merged;
    always_comb begin
      merged = 1'b0;
      for (int unsigned m = 0; m < Merges; m++) begin
        if (merge_first[m] && merge_id[m] == mem_q[e].id) merged = 1'b1;
      end
    end
    MemLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (mem_valid_q[e] && !mem_q[e].is_write) |->
        !here[which(mem_q[e].line)] || merged);
    MemSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (mem_valid_q[e] && mem_q[e].id == Watched) |-> which(mem_q[e].line) == watched_q
        && base[watched_q] == expected_q && (!did_q[e] || read_q[e] == memory_q[watched_q]));
  end

  // The watched load's data
  HeadSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (head_valid_q && head_q.id == Watched) |-> head_line == watched_q && base[watched_q] == expected_q);
  ReadSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (reading[lm_rsp_q.index[0]] && lm_owes_q && lm_rsp_q.kind == LmLoad && read_id[lm_rsp_q.index[0]]) |->
      lm_rsp_q.data == expected_q && (!lm_rsp_q.error || load_failed_q));
  for (genvar m = 0; m < Merges; m++) begin : g_sees
    logic watched;
    assign watched = merge_valid[m] && merge_id[m] == Watched;
    ArrivedSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (watched && merge_stage[m] == 2'd1) |->
        merge_line[m] == watched_q && base[watched_q] == expected_q && merge_data[m] == memory_q[watched_q]);
    ReadingSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (watched && merge_stage[m] == 2'd2) |->
        alike(lm_rsp_q.data, expected_q, merge_mask[m]) && alike(merge_data[m], expected_q, ~merge_mask[m])
        && (!lm_rsp_q.error || load_failed_q));
    ReadySees_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (watched && merge_stage[m] == 2'd3) |->
        merge_data[m] == expected_q);
    MergeError_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (watched && !merge_first[m] && merge_failed[m]) |-> load_failed_q);
  end
  AnswerSees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && rsp.id == Watched) |-> (rsp.error ? load_failed_q : rsp.data == expected_q));

  // ---------------------------------------------------------------------------------------------
  // Where a step begins
  // ---------------------------------------------------------------------------------------------
  logic [10:0] places;
  logic       begun_q = 1'b0;
  always_ff @(posedge clk_i) begun_q <= 1'b1;
  always_comb begin
    places           = '0;
    places[Anywhere] = 1'b1;
    places[Fifo]     = (store_valid[0] && store_line[0] == watched_q) || (store_valid[1] && store_line[1] == watched_q);
    places[Index]    = deferred_q[watched_q] && !late_q[watched_q];
    places[Merge]    = (merge_valid[0] && merge_line[0] == watched_q) || (merge_valid[1] && merge_line[1] == watched_q);
    places[Flush]    = op_f && state != FPick && key_line == watched_q;
    places[Write]    = on_way[watched_q] && !write_dirty[way_entry[watched_q]];
    places[Second]   = on_way[watched_q] && write_dirty[way_entry[watched_q]];
    places[Endpoint] = !here[watched_q] && wrote_q[watched_q];
    places[Error]    = here[watched_q] && (error || (u_engine.done_valid && u_engine.done_error));
    places[Fast]     = fast && fast_line == watched_q;
    places[Late]     = late_q[watched_q];
  end
  Place_M: assume property (@(posedge clk_i) disable iff (!rst_ni) !begun_q |-> places[Place]);

  // ---------------------------------------------------------------------------------------------
  // Where the watched load found its line, for the covers
  // ---------------------------------------------------------------------------------------------
  logic head_is, held_q, index_q, merged_q, flush_q, write_q, second_q, waited_q, passed_q, missed_q, back_q, good;
  assign head_is = head_valid_q && head_q.id == Watched;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {held_q, index_q, merged_q, flush_q, write_q, second_q, waited_q, passed_q, missed_q, back_q} <= '0;
    end else begin
      if (req_valid && req.id == Watched && u_engine.load_held)                        held_q   <= 1'b1;
      if (head_is && act.head_local && deferred_q[watched_q])                           index_q  <= 1'b1;
      if (head_is && act.merge_add)                                                    merged_q <= 1'b1;
      if (head_is && state == FRead && key_line == watched_q)                          flush_q  <= 1'b1;
      if (head_is && act.head_local && places[Write])                                  write_q  <= 1'b1;
      if (head_is && act.head_local && places[Second])                                 second_q <= 1'b1;
      if (head_is && on_way[watched_q] && !(&mask_of[watched_q]))                      waited_q <= 1'b1;
      if (head_is && head_ready && places[Endpoint])                                   passed_q <= 1'b1;
      if (head_is && act.set_pass && !act.merge_add)                                   missed_q <= 1'b1;
      if (act.push && act.write_free && u_engine.error_o)                              back_q   <= 1'b1;
    end
  end
  // Answered, with something to see
  assign good = answered && rsp.id == Watched && !rsp.error && expected_q != '0;

endmodule
