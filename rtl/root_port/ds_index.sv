// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Index of the DS engine: which lines are deferred, in which slot. Each key has two buckets of four
// places, one on either side; a key that finds both full takes another's place, which then goes to
// its bucket on the other side (cuckoo hashing).
//
//   key_q ---+--> hash --> side 0 --+--> compare --> answer
//            |    hash --> side 1 --+       |
//   aside ---+                              v
//     ^                                 write back <- key_q, aside
//     +------- the key that was there ------+
//
// A state is a cycle. Each key that is looked at takes three:
//
//   Idle, Next   what Match decided is written; Idle: its answer shows, and a request is accepted;
//                Next: the key that was at the place written goes aside
//   Read         both buckets of the key are read
//   Match        compare; what to write, the answer, and who is next: Idle or Next
//
// There is no other register for a key that is moved than the one in which a key stays aside: a
// move puts it there, and if it finds no place after the last move there it is. So with a key aside
// an insert first goes on where the one before it ended.
//
// Latency: accepted in n, read in n + 1, compared in n + 2, answered in n + 3; 3 more for each
// further key, at most 102 (insert: the one aside and 16 moved, the new one and 16 moved).
// Sweep, after reset: one bucket of each side is emptied a cycle.
//
// Source: R. Pagh, F. Rodler, Cuckoo hashing; docs/blocks/root_port/ds_index.md.

module ds_index #(
  parameter int unsigned Depth   = 256,  // slots; 4..4096, a power of two
  parameter int unsigned KeyBits = 46,   // bits of a key; 1 or more
  localparam int unsigned SlotBits = $clog2(Depth)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                req_valid_i,  // an operation; taken with req_ready_o
  output logic                req_ready_o,  // low after reset for Depth / 4 cycles and during an
                                            // operation; high in the cycle of its answer
  input  logic [1:0]          op_i,         // 0 find, 1 insert, 2 delete, 3 find
  input  logic [KeyBits-1:0]  key_i,        // key of the operation
  input  logic [SlotBits-1:0] slot_i,       // insert: a slot that is no key's, 0..Depth-1

  output logic                rsp_valid_o,  // pulse: the answer, 3 cycles after the operation was
                                            // taken or later
  output logic                found_o,      // with the answer: the key was there, or insert found
                                            // no place; else 0
  output logic [SlotBits-1:0] slot_o,       // with the answer: its slot, or slot_i of insert;
                                            // else 0

  output logic [SlotBits:0]   count_o       // keys, 0..Depth; changes with the answer
);

  if (Depth < 4 || Depth > 4096 || (Depth & (Depth - 1)) != 0) begin : g_check_depth
    $error("ds_index: Depth must be a power of two, 4 to 4096");
  end

  localparam int unsigned Buckets    = Depth / 4;  // of a side
  localparam int unsigned Places     = 4;          // of a bucket
  localparam int unsigned MostMoves  = 16;
  localparam int unsigned HashBits   = $clog2(Buckets);
  localparam int unsigned BucketBits = (HashBits == 0) ? 1 : HashBits;
  localparam int unsigned Digits     = (KeyBits + 3) / 4;

  typedef logic [SlotBits-1:0]   slot_t;
  typedef logic [KeyBits-1:0]    key_t;
  typedef logic [SlotBits:0]     count_t;
  typedef logic [BucketBits-1:0] bucket_t;
  typedef logic [Places-1:0]     places_t;
  typedef struct packed {
    logic  valid;
    slot_t slot;
    key_t  key;
  } place_t;
  typedef place_t [Places-1:0] word_t;
  typedef enum logic [2:0] {Sweep, Idle, Next, Read, Match} state_e;

  // A number for each side, digit of a key and value of that digit (simple tabulation).
  typedef bucket_t [1:0][Digits-1:0][15:0] numbers_t;

  function automatic numbers_t make_numbers();
    logic [31:0] x;
    numbers_t    numbers;
    x = 32'd3;
    for (int unsigned p = 0; p < Digits; p++) begin
      for (int unsigned v = 0; v < 16; v++) begin
        for (int unsigned side = 0; side < 2; side++) begin
          x = 32'd1664525 * x + 32'd1013904223;
          numbers[side][p][v] = (v == 0 || HashBits == 0) ? '0 : x[31-:BucketBits];
        end
      end
    end
    return numbers;
  endfunction

  localparam numbers_t Numbers = make_numbers();

  function automatic bucket_t bucket_of(logic side, key_t key);
    logic [Digits*4-1:0] padded;
    bucket_t bucket;
    padded = (Digits * 4)'(key);
    bucket = '0;
    for (int unsigned p = 0; p < Digits; p++) bucket = bucket ^ Numbers[side][p][padded[p*4+:4]];
    return bucket;
  endfunction

  state_e  state_q, state_d;
  logic    insert_q, delete_q;
  key_t    key_q;                  // the operation's
  slot_t   slot_q;
  logic    aside_valid_q;          // a key is aside, or being moved
  key_t    aside_key_q;            // that key
  slot_t   aside_slot_q;           // its slot
  logic    aside_set, aside_clear;
  logic    own_q, own_d;           // the key that is looked at is the operation's, else that one
  logic    both_q, both_d;         // it may go to either side, else to side_q
  logic    side_q, side_d;
  logic    inserted_q, inserted_d; // the operation's key has its place
  logic [$clog2(MostMoves+1)-1:0] moves_q, moves_d;
  logic [$clog2(Places)-1:0]      turn_q;
  count_t  count_q, count_d;
  logic    rsp_d, rsp_q, found_d, found_q;
  slot_t   rsp_slot_d, rsp_slot_q;

  bucket_t [1:0] bucket_q;         // of the key that is looked at; Sweep: that is emptied
  logic          wr_d, wr_q;       // in this cycle a place is written
  logic          wr_side_d, wr_side_q, wr_own_q;
  places_t       wr_place_d, wr_place_q;

  // ---------------------------------------------------------------------------------------------
  // Sides
  // ---------------------------------------------------------------------------------------------
  bucket_t [1:0] bucket;
  word_t   [1:0] word, new_word;
  key_t          look_key;
  place_t        new_place, old_place;

  assign look_key = own_q ? key_q : aside_key_q;

  for (genvar s = 0; s < 2; s++) begin : gen_side
    assign bucket[s] = bucket_of(1'(s), look_key);

    ram_sp #(
      .Width($bits(word_t)),
      .Depth(Buckets < 2 ? 2 : Buckets)
    ) u_places (
      .clk_i,
      .re_i   (state_q == Read),
      .we_i   (state_q == Sweep || (wr_q && wr_side_q == 1'(s))),
      .addr_i ((state_q == Read) ? bucket[s] : bucket_q[s]),
      .wdata_i(new_word[s]),
      .rdata_o(word[s])
    );

    always_comb begin
      new_word[s] = word[s];
      for (int unsigned p = 0; p < Places; p++) begin
        if (wr_place_q[p]) new_word[s][p] = new_place;
      end
      if (state_q == Sweep) new_word[s] = '0;
    end
  end

  always_comb begin
    new_place = wr_own_q ? '{valid: 1'b1, slot: slot_q, key: key_q}
                         : '{valid: 1'b1, slot: aside_slot_q, key: aside_key_q};
    if (delete_q) new_place = '0;

    old_place = '0;
    for (int unsigned p = 0; p < Places; p++) begin
      if (wr_place_q[p]) old_place |= word[wr_side_q][p];
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Compare
  // ---------------------------------------------------------------------------------------------
  places_t [1:0] hit, free;
  logic          hit_aside, hits, more, room;
  slot_t         hit_slot;
  places_t       target, lowest;

  function automatic logic [2:0] number(places_t places);
    return 3'(places[0]) + 3'(places[1]) + 3'(places[2]) + 3'(places[3]);
  endfunction

  always_comb begin
    hit_aside = aside_valid_q && aside_key_q == key_q;
    hit_slot  = hit_aside ? aside_slot_q : '0;
    for (int unsigned s = 0; s < 2; s++) begin
      for (int unsigned p = 0; p < Places; p++) begin
        free[s][p] = !word[s][p].valid;
        hit[s][p]  = word[s][p].valid && word[s][p].key == key_q;
        if (hit[s][p]) hit_slot |= word[s][p].slot;
      end
    end
    hits = hit != '0 || hit_aside;
  end

  assign more   = number(free[1]) > number(free[0]);
  assign side_d = both_q ? more : side_q;  // where the key goes
  assign target = free[side_d];
  assign room   = target != '0;
  assign lowest = target & (~target + 4'd1);

  // ---------------------------------------------------------------------------------------------
  // State machine
  // ---------------------------------------------------------------------------------------------
  assign req_ready_o = state_q == Idle;

  always_comb begin
    state_d     = state_q;
    own_d       = own_q;
    both_d      = both_q;
    inserted_d  = inserted_q;
    moves_d     = moves_q;
    count_d     = count_q;
    rsp_d       = 1'b0;
    found_d     = 1'b0;
    rsp_slot_d  = '0;
    aside_set   = 1'b0;
    aside_clear = 1'b0;
    wr_d        = 1'b0;
    wr_side_d   = side_d;
    wr_place_d  = room ? lowest : places_t'(4'd1 << turn_q);

    unique case (state_q)
      Sweep: if (32'(bucket_q[0]) == Buckets - 1) state_d = Idle;

      Idle: if (req_valid_i) begin
        own_d      = op_i != 2'd1 || !aside_valid_q;
        both_d     = 1'b1;
        inserted_d = 1'b0;
        moves_d    = '0;
        state_d    = Read;
      end

      Next: state_d = Read;

      Read: state_d = Match;

      Match: begin
        if (own_q && (hits || !insert_q)) begin
          rsp_d      = 1'b1;
          found_d    = hits;
          rsp_slot_d = hit_slot;
          if (delete_q) begin
            wr_d        = hit != '0;
            wr_side_d   = hit[1] != '0;
            wr_place_d  = hit[0] | hit[1];
            aside_clear = hit_aside;
            count_d     = count_q - count_t'(hits);
          end
          state_d = Idle;
        end else begin
          inserted_d = inserted_q || own_q;
          wr_d       = room || 32'(moves_q) != MostMoves;
          if (wr_d && !room) begin  // a move
            aside_set = 1'b1;
            own_d     = 1'b0;
            both_d    = 1'b0;
            moves_d   = moves_q + 1'b1;
            state_d   = Next;
          end else if (room && !inserted_d) begin
            // The one aside has come in: the operation goes on.
            aside_clear = 1'b1;
            own_d       = 1'b1;
            moves_d     = '0;
            both_d      = 1'b1;
            state_d     = Next;
          end else begin
            aside_clear = room;
            rsp_d       = 1'b1;
            found_d     = !inserted_d;
            rsp_slot_d  = slot_q;
            count_d     = count_q + count_t'(inserted_d);
            state_d     = Idle;
          end
        end
      end

      default: state_d = Sweep;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= Sweep;
      aside_valid_q <= 1'b0;
      turn_q        <= '0;
      count_q       <= '0;
      rsp_q         <= 1'b0;
      found_q       <= 1'b0;
      rsp_slot_q    <= '0;
      wr_q          <= 1'b0;
      bucket_q      <= '0;
    end else begin
      state_q       <= state_d;
      aside_valid_q <= aside_set || (aside_valid_q && !aside_clear);
      turn_q        <= turn_q + 2'(aside_set);
      count_q       <= count_d;
      rsp_q         <= rsp_d;
      found_q       <= found_d;
      rsp_slot_q    <= rsp_slot_d;
      wr_q          <= wr_d;
      if (state_q == Read) begin
        bucket_q <= bucket;
      end else if (state_q == Sweep) begin
        bucket_q[0] <= bucket_q[0] + 1'b1;
        bucket_q[1] <= bucket_q[1] + 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    own_q      <= own_d;
    both_q     <= both_d;
    inserted_q <= inserted_d;
    moves_q    <= moves_d;
    wr_side_q  <= wr_side_d;
    wr_place_q <= wr_place_d;
    wr_own_q   <= own_q;
    if (state_q == Match) side_q <= !side_d;
    if (state_q == Next) begin  // after a move it counts; else none is aside
      aside_slot_q <= old_place.slot;
      aside_key_q  <= old_place.key;
    end
    if (req_valid_i && req_ready_o) begin
      insert_q <= op_i == 2'd1;
      delete_q <= op_i == 2'd2;
      key_q    <= key_i;
      slot_q   <= slot_i;
    end
  end

  assign rsp_valid_o = rsp_q;
  assign found_o     = found_q;
  assign slot_o      = rsp_slot_q;
  assign count_o     = count_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned MostKeys = 2 * (1 + MostMoves);  // that one operation looks at

  logic       accept, pending_q, wrote_q, aside_before_q;
  logic [7:0] cycle_q, keys_q;  // since acceptance; keys looked at
  count_t     count_before_q;

  assign accept = req_valid_i && req_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)          pending_q <= 1'b0;
    else if (accept)      pending_q <= 1'b1;
    else if (rsp_valid_o) pending_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    cycle_q <= accept ? 8'd1 : cycle_q + 8'd1;
    keys_q  <= accept ? 8'd0 : keys_q + 8'(state_q == Match);
    wrote_q <= !accept && (wrote_q || wr_d);
    if (accept) begin
      count_before_q <= count_q;
      aside_before_q <= aside_valid_q;
    end
  end

  Known_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q inside {Sweep, Idle, Next, Read, Match})
    else $error("a code that is no state");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_q) <= Depth)
    else $error("more keys than slots: one was inserted in a slot that is another's");

  // Answers: one for each request, in time, and nothing changed where nothing was to be
  Asked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o |-> pending_q && req_ready_o)
    else $error("an answer without an operation, or before its end");
  InTime_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o |-> cycle_q == 8'd3 * keys_q && keys_q != 8'd0 && 32'(keys_q) <= MostKeys)
    else $error("an answer that is not 3 cycles after acceptance for each key looked at");
  Ends_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pending_q |-> 32'(cycle_q) <= 3 * MostKeys)
    else $error("an operation takes longer than with 16 moves for each key");
  OneKey_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !insert_q) |-> keys_q == 8'd1)
    else $error("a find or delete looked at another key");
  Unchanged_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && (delete_q ? !found_o : !insert_q || (found_o && !aside_before_q)))
      |-> !wrote_q && aside_valid_q == aside_before_q)
    else $error("an operation that was to change nothing changed the table");
  Counted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o |-> count_q == count_before_q + count_t'(insert_q && !found_o)
                                                - count_t'(delete_q && found_o))
    else $error("the count is not that before, one more when inserted, one less when deleted");
  CountStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      1'b1 |=> $stable(count_q) || rsp_valid_o)
    else $error("the count changed without an answer");
  QuietAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !rsp_valid_o |-> !found_o && slot_o == '0)
    else $error("found or a slot without an answer");
  NoPlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && insert_q && !inserted_q && !own_q) |->
      found_o && aside_before_q && aside_valid_q && slot_o == slot_q)
    else $error("an insert that did not go on is answered as if it had, or no key is aside");

  // The table
  OnePlace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Match && own_q) |-> $onehot0({hit, hit_aside}))
    else $error("a key is there twice");
  OnlyFull_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      aside_set |-> (both_q ? free == '0 : free[side_q] == '0))
    else $error("a key was moved although a place was free");
  MoveHasKey_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Next && aside_valid_q) |->
      wr_q && old_place.valid && bucket_of(wr_side_q, old_place.key) == bucket_q[wr_side_q])
    else $error("a key was moved from a bucket that is not its own, or from an empty place");
  OnePlaceWritten_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wr_q |-> $onehot(wr_place_q) && state_q inside {Idle, Next})
    else $error("not one place is written, or not between two keys");

endmodule
