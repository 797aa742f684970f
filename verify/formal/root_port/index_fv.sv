// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_index, any operations in any cycles: a key is found if and only if it was inserted and not deleted, in its
// slot. One key is watched, any; what becomes of it is followed at the ports alone.
//
//   Find_A    a find or delete of the watched key says whether it is there, and in which slot
//   Insert_A  an insert of it puts it there, or says where it is, or that a key is aside and there is no place
//   Number_A  as many keys are in the table as count_o says
//
// The other assertions of this module say what the registers hold, so that all of them together go from any cycle to
// the next (method `step`): then they hold in every cycle. What is written in this cycle counts as in the table, and
// the key that it puts aside as aside.

module index_fv #(
  parameter int unsigned Depth = 16,
  parameter int unsigned KeyBits = 8,
  parameter bit          Script = 1'b0,  // the operations that lead to the covers, from reset
  localparam int unsigned SlotBits = $clog2(Depth)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic [1:0]          op_i,
  input logic [KeyBits-1:0]  key_i,
  input logic [SlotBits-1:0] slot_i,
  input logic [KeyBits-1:0]  watch_i
);

  localparam int unsigned Buckets  = Depth / 4;
  localparam int unsigned HashBits = $clog2(Buckets);
  localparam int unsigned Moves    = 16;

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [KeyBits-1:0]  key_t;
  typedef logic [HashBits-1:0] bucket_t;
  typedef struct packed {
    logic  valid;
    slot_t slot;
    key_t  key;
  } place_t;
  typedef place_t [3:0] word_t;
  typedef enum logic [2:0] {Sweep, Idle, Next, Read, Match} state_e;  // as in ds_index

  // The page's buckets: x(n) in turn, and what of them counts for the key
  function automatic bucket_t home(logic side, key_t key);
    logic [31:0] x;
    bucket_t     bucket;
    logic [4*((KeyBits+3)/4)-1:0] digits;
    x      = 32'd3;
    bucket = '0;
    digits = (4 * ((KeyBits + 3) / 4))'(key);
    for (int unsigned n = 1; n <= 32 * ((KeyBits + 3) / 4); n++) begin
      int unsigned p, v;
      p = (n - 1) / 32;
      v = (n - 1) / 2 % 16;
      x = 32'd1664525 * x + 32'd1013904223;
      if (v != 0 && 32'(digits[4*p+:4]) == v && side == 1'((n - 1) % 2)) bucket ^= x[31-:HashBits];
    end
    return bucket;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Operations
  // ---------------------------------------------------------------------------------------------
  logic              req_valid, req_ready, accept, rsp_valid, found;
  logic [1:0]        op, op_q;
  key_t              key, key_q, watch_q;
  slot_t             slot, slot_q, rsp_slot;
  logic [SlotBits:0] count;

  // Ten keys of one pair of buckets, the first found: eight fill them, the ninth leaves one aside, the tenth finds no
  // place; with one deleted, the one aside comes in.
  localparam int unsigned Steps = 14;
  localparam logic [Steps-1:0][1:0]       Ops   = {2'd1, 2'd2, {10{2'd1}}, 2'd0, 2'd1};
  localparam logic [Steps-1:0][3:0]       Named = {4'd9, 4'd5, 4'd9, 4'd8, 4'd7, 4'd6, 4'd5, 4'd4, 4'd3, 4'd2, 4'd1,
                                                   4'd0, 4'd0, 4'd0};
  localparam logic [9:0][7:0]             Keys  = {8'd164, 8'd150, 8'd124, 8'd91, 8'd89, 8'd66, 8'd58, 8'd31, 8'd24,
                                                   8'd0};
  logic [3:0] step_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)     step_q <= '0;
    else if (accept) step_q <= step_q + 4'(32'(step_q) != Steps - 1);
  end

  assign req_valid = Script || valid_i;
  assign op        = Script ? Ops[step_q] : op_i;
  assign key       = Script ? key_t'(Keys[Named[step_q]]) : key_i;
  assign slot      = Script ? slot_t'(Named[step_q]) : slot_i;
  assign accept    = req_valid && req_ready;

  ds_index #(.Depth(Depth), .KeyBits(KeyBits)) u_index (
    .clk_i, .rst_ni, .req_valid_i(req_valid), .req_ready_o(req_ready), .op_i(op), .key_i(key), .slot_i(slot),
    .rsp_valid_o(rsp_valid), .found_o(found), .slot_o(rsp_slot), .count_o(count));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) watch_q <= Script ? key_t'(Keys[0]) : watch_i;
    if (accept) begin
      op_q   <= op;
      key_q  <= key;
      slot_q <= slot;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The watched key, as the answers have it
  // ---------------------------------------------------------------------------------------------
  logic  there, there_q, inserts, deletes;
  slot_t at, at_q;

  assign inserts = op_q == 2'd1;
  assign deletes = op_q == 2'd2;
  always_comb begin
    there = there_q;
    at    = at_q;
    if (rsp_valid && key_q == watch_q) begin
      if (deletes) there = 1'b0;
      if (inserts && !found) begin
        there = 1'b1;
        at    = slot_q;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) there_q <= 1'b0;
    else         there_q <= there;
  end
  always_ff @(posedge clk_i) at_q <= at;

  // ---------------------------------------------------------------------------------------------
  // The table
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned All = 2 * Depth + 1;  // places, the last is the one aside
  state_e               state;
  logic                 busy, swept;
  word_t  [1:0]         word;
  place_t               old_place;
  place_t [All-1:0]     place;
  logic   [All-1:0]     own;     // empty, or in its bucket
  logic   [1:0]         read;    // what was read is the bucket in the memory
  logic   [SlotBits+1:0] number;
  logic                 unique_keys;

  assign state     = state_e'(u_index.state_q);
  assign busy      = state inside {Next, Read, Match};
  assign swept     = state != Sweep;
  assign word      = u_index.word;
  assign old_place = u_index.old_place;

  for (genvar s = 0; s < 2; s++) begin : g_side
    word_t [Buckets-1:0] bucket;
    for (genvar b = 0; b < Buckets; b++) begin : g_bucket
      logic here;
      word_t now;
      assign here = u_index.bucket_q[s] == bucket_t'(b);
      assign bucket[b] = u_index.gen_side[s].u_places.mem_q[b];
      assign now = (u_index.wr_q && u_index.wr_side_q == 1'(s) && here) ? u_index.new_word[s]
                   : (swept || bucket_t'(b) < u_index.bucket_q[s]) ? bucket[b] : '0;
      for (genvar p = 0; p < 4; p++) begin : g_place
        assign place[(s*Buckets+b)*4+p] = now[p];
        assign own[(s*Buckets+b)*4+p] = !now[p].valid || home(1'(s), now[p].key) == bucket_t'(b);
      end
    end
    assign read[s] = word[s] == bucket[u_index.bucket_q[s]];
  end
  always_comb begin
    place[All-1] = '{valid: u_index.aside_valid_q, slot: u_index.aside_slot_q, key: u_index.aside_key_q};
    if (state == Next && u_index.aside_valid_q) place[All-1] = old_place;
  end
  assign own[All-1] = 1'b1;

  always_comb begin
    number      = '0;
    unique_keys = 1'b1;
    for (int unsigned a = 0; a < All; a++) begin
      number = number + (SlotBits + 2)'(place[a].valid);
      for (int unsigned b = 0; b < a; b++) begin
        if (place[a].valid && place[b].valid && place[a].key == place[b].key) unique_keys = 1'b0;
      end
    end
  end

  // Where a key is
  function automatic place_t where(key_t k);
    place_t w;
    w = '0;
    for (int unsigned a = 0; a < All; a++) begin
      if (place[a].valid && place[a].key == k) w |= place[a];
    end
    return w;
  endfunction

  place_t watch_at, key_at, own_at;
  assign watch_at = where(watch_q);
  assign key_at   = where(key);
  assign own_at   = where(key_q);

  // ---------------------------------------------------------------------------------------------
  // What is to be shown
  // ---------------------------------------------------------------------------------------------
  // A new key comes with a slot that is no other's.
  Slot_M: assume property (@(posedge clk_i) disable iff (!rst_ni)
      (accept && op == 2'd1 && 32'(count) == Depth) |-> key_at.valid);

  Find_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && key_q == watch_q && !inserts) |->
      found == there_q && rsp_slot == (found ? at_q : slot_t'(0)));
  Insert_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && key_q == watch_q && inserts) |->
      found ? ((there_q && rsp_slot == at_q) || (u_index.aside_valid_q && rsp_slot == slot_q))
            : (!there_q && rsp_slot == slot_q));
  Number_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(number) == 32'(count) + 32'(busy && u_index.inserted_q));

  // ---------------------------------------------------------------------------------------------
  // What the registers hold
  // ---------------------------------------------------------------------------------------------
  Watched_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy && u_index.inserted_q && key_q == watch_q)
      ? !there_q && watch_at.valid && watch_at.slot == slot_q
      : watch_at.valid == there && (!there || watch_at.slot == at));
  Unique_A: assert property (@(posedge clk_i) disable iff (!rst_ni) unique_keys);
  Own_A: assert property (@(posedge clk_i) disable iff (!rst_ni) &own);
  Read_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state == Match || u_index.wr_q) |-> &read);
  Home_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state == Match |-> u_index.bucket_q == {home(1'b1, u_index.look_key), home(1'b0, u_index.look_key)});
  Sweep_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !swept |-> u_index.bucket_q[0] == u_index.bucket_q[1] && !u_index.aside_valid_q && !rsp_valid &&
                 !u_index.wr_q && !u_index.pending_q && count == '0);
  Pending_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_index.pending_q == (busy || rsp_valid));
  Idle_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid ? state == Idle : !(state == Idle && u_index.wr_q));
  Op_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy || rsp_valid) |-> u_index.insert_q == inserts && u_index.delete_q == deletes &&
                              u_index.key_q == key_q && u_index.slot_q == slot_q);
  Next_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state == Next |-> u_index.wr_q && inserts);
  Cycle_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy || rsp_valid) |->
      32'(u_index.cycle_q) == 3 * 32'(u_index.keys_q) + 32'(state == Read) + 2 * 32'(state == Match));
  Both_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      busy |-> u_index.both_q == (u_index.moves_q == '0));
  Before_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      busy |-> u_index.count_before_q == count &&
               (inserts || (u_index.own_q && u_index.aside_before_q == u_index.aside_valid_q)) &&
               (u_index.keys_q != '0 || !u_index.wrote_q));
  // First the one aside and those it moves, then the operation's key, then those it moves
  First_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy && !u_index.own_q && !u_index.inserted_q) |->
      u_index.aside_valid_q && u_index.aside_before_q && u_index.keys_q == 8'(u_index.moves_q) &&
      32'(u_index.moves_q) <= Moves);
  Then_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy && u_index.own_q) |->
      !u_index.inserted_q && u_index.moves_q == '0 && 32'(u_index.keys_q) <= 1 + Moves &&
      (!inserts || !u_index.aside_valid_q) &&
      (u_index.keys_q != '0 ? inserts && u_index.aside_before_q : !(inserts && u_index.aside_before_q)));
  Last_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy && !u_index.own_q && u_index.inserted_q) |->
      u_index.aside_valid_q && u_index.moves_q != '0 && 32'(u_index.moves_q) <= Moves &&
      u_index.keys_q >= 8'(u_index.moves_q) && 32'(u_index.keys_q) - 32'(u_index.moves_q) <= 1 + Moves);
  Free_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (busy && inserts && 32'(count) == Depth) |-> !u_index.inserted_q && own_at.valid);

endmodule
