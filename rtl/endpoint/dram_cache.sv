// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Tags, state, replacement and miss-status registers (MSHRs) of the endpoint's internal DRAM.
// The data array itself lies behind the media port; this block says which slot holds a line.
//
//   lookup (comb) --+-> tag compare in one set --> HIT (filled) or MERGE (fill pending)
//                   +-> no way matches ---------> victim --> MISS, or BLOCKED / DROP
//   edge, if committed: the set's state word, and for a MISS its tag, pointer and MSHR
//
// A way carries a pointer to the MSHR that last filled it. The way is pinned while that MSHR is
// live and still names this slot; so no search over all MSHRs is needed, only one pointer a way.
// A pinned way is never a victim: a slot cannot be used again under a waiting transaction.
//
// A line is fresh while only MemSpecRd has asked for it. A fresh line lives twice: where the tree
// would have it go, it is passed over once and goes to the tree's back, if another can go. It is
// unwanted until a demand asks for it, passed over or not: that is counted, and decides nothing.
//
// A line may be open: its bytes come by stores, and no fill is asked for. Which bytes there are is
// kept by MSHR, in words of 64 bits: `held_q`, whose word `some_q` says to have been written, and
// `full_q`, that all of it is held. A store's enables go into `held_q` in the cycle after its
// lookup (`late_q`), out of the lookup's way; only all 64 at once are in `full_q` before.
//
// Memories (tag, pointer, state) need no reset: a set counts as empty until its bit in
// `touched_q` is set by the first MISS in it.
//
// Latency:  lookup comb, state registered. At most one lookup a cycle.
// Size:     MaxSets x (Ways x (tag 44, pointer 7, valid, dirty, fresh, unwanted) + tree 7) bits; an
//           MSHR is a slot, six bits of waiters, three flags, its line's address, and of each 64
//           bytes of the line a mask of 64 bits (a memory, one read and one write) and two flags.
// Source:   set-associative cache with miss-status registers (Kroft 1981); tree-PLRU;
//           write-validate (Jouppi 1993); docs/blocks/endpoint/README.md, Lines in part.

module dram_cache
  import cxl_pkg::LineAddrBits;
  import cxl_pkg::byte_en_t;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter  int unsigned MaxSets = 1024,  // sets, 2..1024, a power of two
  parameter  int unsigned Ways    = 8,     // lines in a set, 2..64, a power of two; MaxSets * Ways
                                           // at most 65536
  parameter  int unsigned Mshrs   = DefaultSizes.mshrs,  // fills outstanding at a time, 4..256, a
                                                         // power of two
  parameter  int unsigned DramLineBytes = DefaultSizes.line_bytes,  // bytes of a line, 64..1024, a
                                                                    // power of two
  localparam int unsigned KeyBits = LineAddrBits - $clog2(DramLineBytes / 64)  // address of a line
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [3:0]  sets_log2_i,       // log2 of the sets in use; more than MaxSets counts as
                                         // MaxSets; constant once used
  // Lookup
  input  logic        lookup_valid_i,    // look up lookup_granule_i
  input  logic [KeyBits-1:0] lookup_granule_i,  // line of DramLineBytes in device memory
  input  logic        lookup_write_i,    // a demand write; not with lookup_spec_i
  input  logic        lookup_spec_i,     // a MemSpecRd; 0: a demand access
  input  logic [3:0]  lookup_offset_i,   // which 64 bytes of the line, 0..DramLineBytes/64-1
  input  byte_en_t    lookup_be_i,       // enables of a write
  input  logic        early_i,           // level: stores do not wait for fills; constant once used
  input  logic        lookup_commit_i,   // the answer is acted upon; without, nothing changes
  output logic [2:0]  result_o,          // cache_result_e: 0 hit, 1 merge, 2 miss, 3 blocked, 4
                                         // drop, 5 held, 6 start, 7 open; same cycle
  output logic [15:0] slot_o,            // not blocked or drop: slot of the line, set * Ways + way;
                                         // else 0
  output logic [7:0]  mshr_o,            // merge, miss, start, open: MSHR of the line; else 0
  output logic [KeyBits-1:0] victim_o,   // with victim_dirty_o: the line to write back; else 0
  output logic        victim_dirty_o,    // miss, open: a dirty line is to be written back first
  output dram_event_t event_o,           // what to count, with lookup_commit_i; else 0
  // A fill is done; a waiter was woken
  input  logic        fill_done_i,       // pulse: the fill of an MSHR was answered
  input  logic [7:0]  fill_mshr_i,       // that MSHR, 0..Mshrs-1; live and not filled yet
  input  logic        wait_dec_i,        // pulse: an access that waited was woken
  input  logic [7:0]  wait_mshr_i,       // its MSHR, 0..Mshrs-1; filled, with an access that waits
  output logic [8:0]  mshr_used_o,       // live MSHRs, 0..Mshrs
  // Open lines
  output logic [8:0]  open_count_o,      // of the live MSHRs, those of open lines
  output logic        behind_valid_o,    // level: there is an open line
  output logic [7:0]  behind_mshr_o,     // MSHR of the one to be filled next; 0 without
  output logic [15:0] behind_slot_o,     // its slot; 0 without
  output logic [KeyBits-1:0] behind_granule_o,  // the line; 0 without
  input  logic        behind_take_i      // pulse: its fill is asked for; only with behind_valid_o,
                                         // never with lookup_commit_i
);

  localparam int unsigned SetW   = $clog2(MaxSets);
  localparam int unsigned WayW   = $clog2(Ways);
  localparam int unsigned MshrW  = $clog2(Mshrs);
  localparam int unsigned SlotW  = SetW + WayW;
  localparam int unsigned TagW   = KeyBits;          // the whole address: any set count works
  localparam int unsigned CountW = 6;                // waiters of one MSHR, at most 63
  // Live MSHRs, in words short enough to simulate well and for first_one.
  localparam int unsigned WordBits = (Mshrs > 128) ? 64 : Mshrs / 2;
  localparam int unsigned Words    = Mshrs / WordBits;
  localparam int unsigned PlaceW   = $clog2(WordBits);
  localparam int unsigned WordW    = $clog2(Words);
  localparam int unsigned Lines    = DramLineBytes / 64;
  localparam int unsigned OffW     = (Lines > 1) ? $clog2(Lines) : 1;

  typedef struct packed {
    logic [Ways-1:0] valid;
    logic [Ways-1:0] dirty;
    logic [Ways-1:0] fresh;     // of MemSpecRd, neither wanted nor passed over since
    logic [Ways-1:0] unwanted;  // of MemSpecRd, not wanted since
    logic [Ways-2:0] plru;      // heap order; 0: victim on the left
  } set_state_t;

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  logic [Ways*TagW-1:0]  tag_mem_q   [MaxSets];
  logic [Ways*MshrW-1:0] ptr_mem_q   [MaxSets];
  set_state_t            state_mem_q [MaxSets];
  logic [MaxSets-1:0]    touched_q;

  logic [WordBits-1:0] live_q      [Words];  // allocated
  logic               filled_q     [Mshrs];  // fill answered, waiters drain; of a live one
  logic [SlotW-1:0]   mshr_slot_q  [Mshrs];
  logic [CountW-1:0]  mshr_waits_q [Mshrs];
  logic [8:0]         used_q;

  logic [WordBits-1:0] open_q    [Words];  // of a live one: no fill is asked for yet
  logic [8:0]          open_count_q;
  logic [MshrW-1:0]    behind_q;           // the one taken last by behind_take_i
  logic [KeyBits-1:0]  mshr_key_q [Mshrs];
  byte_en_t            held_q     [Mshrs*Lines];
  logic [Lines-1:0]    some_q     [Mshrs];
  logic [Lines-1:0]    full_q     [Mshrs];

  typedef struct packed {
    logic [MshrW-1:0] mshr;
    logic [OffW-1:0]  offset;
    byte_en_t         be;
  } late_t;
  logic  late_valid_q;  // the store of the cycle before
  late_t late_q;
  logic  late_frees;    // it has made its line whole
  logic [MshrW-1:0] behind_mshr;  // of the open line to be filled next

  // ---------------------------------------------------------------------------------------------
  // Lookup, comb; does nothing in cycles without one
  // ---------------------------------------------------------------------------------------------
  function automatic logic [WayW-1:0] plru_victim(logic [Ways-2:0] tree);
    logic [WayW-1:0] way;
    logic [WayW:0]   node;  // 1-based heap index: children of n are 2n and 2n + 1
    node = (WayW + 1)'(1);
    for (int unsigned level = 0; level < WayW; level++) begin
      way[WayW-1-level] = tree[node - 1];
      node = {node[WayW-1:0], tree[node - 1]};
    end
    return way;
  endfunction

  function automatic logic [Ways-2:0] plru_touch(logic [Ways-2:0] tree, logic [WayW-1:0] way);
    logic [Ways-2:0] next;
    logic [WayW:0]   node;
    next = tree;
    node = (WayW + 1)'(1);
    for (int unsigned level = 0; level < WayW; level++) begin
      next[node - 1] = ~way[WayW-1-level];
      node = {node[WayW-1:0], way[WayW-1-level]};
    end
    return next;
  endfunction

  // The lowest of some ways alone, and the number of one way: as a way is chosen late, shorter than
  // a number by first_one().
  function automatic logic [Ways-1:0] lowest_of(logic [Ways-1:0] ways);
    logic [Ways-1:0] lowest;
    for (int unsigned w = 0; w < Ways; w++) begin
      lowest[w] = ways[w] && ((ways & ~({Ways{1'b1}} << w)) == '0);
    end
    return lowest;
  endfunction

  // A flag of the lowest of some ways, half by half: no longer than a look at one way.
  function automatic logic flag_of_lowest(logic [Ways-1:0] ways, logic [Ways-1:0] flags);
    logic [Ways-1:0] any, flag;
    any  = ways;
    flag = flags;
    for (int unsigned level = 0; level < WayW; level++) begin
      for (int unsigned w = 0; w < (Ways >> (level + 1)); w++) begin
        flag[w] = any[2*w] ? flag[2*w] : flag[2*w+1];
        any[w]  = any[2*w] || any[2*w+1];
      end
    end
    return flag[0];
  endfunction

  function automatic logic [WayW-1:0] way_of(logic [Ways-1:0] one);
    logic [WayW-1:0] number;
    number = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      number = number | (one[w] ? WayW'(w) : '0);
    end
    return number;
  endfunction

  // The set is folded from higher address bits too: arrays a power of two apart do not share it.
  logic [SetW-1:0] set;  // of any granule: that it counts comes as late
  assign set = SetW'(lookup_granule_i ^ (lookup_granule_i >> 5) ^ (lookup_granule_i >> 10) ^
                     (lookup_granule_i >> 15)) & ~({SetW{1'b1}} << sets_log2_i);

  // The look at touched_q is as long as those at tags and MSHRs, so these do not wait for it: what
  // they make of a set never touched counts for nothing.
  logic                  known;    // a lookup, in a set that was touched
  set_state_t            stored;   // of the set; means something in a known one
  set_state_t            state;    // of the set, empty if never touched
  logic [Ways-1:0]       match;    // means something in a known one
  logic [Ways*MshrW-1:0] ptrs;     // mean something in a valid way only
  logic                  hit;
  logic [WayW-1:0]       hit_way;

  assign known  = lookup_valid_i && touched_q[set];
  assign stored = state_mem_q[set];
  assign ptrs   = ptr_mem_q[set];
  assign state  = known ? stored : '0;
  assign hit    = known && (match != '0);

  always_comb begin
    match   = '0;
    hit_way = '0;
    if (lookup_valid_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        match[w] = stored.valid[w] && (tag_mem_q[set][w*TagW+:TagW] == lookup_granule_i);
      end
      hit_way = way_of(match);
    end
  end

  // Ways whose MSHR is live, and those of them whose fill is still pending; found beside the tag
  // compare, for hit and victim alike.
  logic [Ways-1:0]  pinned, filling, opened, covered;
  logic             hit_pending, hit_open, hit_covered;
  logic [OffW-1:0]  offset;

  assign offset = OffW'(lookup_offset_i);

  logic [MshrW-1:0] hit_ptr, pin_ptr;

  always_comb begin
    pinned  = '0;
    filling = '0;
    opened  = '0;
    covered = '0;
    hit_ptr = '0;
    pin_ptr = '0;
    if (lookup_valid_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        pin_ptr    = ptrs[w*MshrW+:MshrW];
        pinned[w]  = stored.valid[w] && live_q[pin_ptr[PlaceW+:WordW]][pin_ptr[PlaceW-1:0]] &&
                     (mshr_slot_q[pin_ptr] == {set, WayW'(w)});
        filling[w] = pinned[w] && !filled_q[pin_ptr];
        opened[w]  = open_q[pin_ptr[PlaceW+:WordW]][pin_ptr[PlaceW-1:0]];
        covered[w] = full_q[pin_ptr][offset];
        hit_ptr    = hit_ptr | (match[w] ? pin_ptr : '0);  // one at most
      end
    end
    hit_pending = |(match & filling);
    hit_open    = |(match & filling & opened);
    hit_covered = |(match & filling & covered);
  end

  // No hit: the victim, as a bit for each way
  logic [WayW-1:0] plru_way, victim_way;
  logic [Ways-1:0] victim;
  logic            all_pinned, passed;  // passed: over plru_way, if it is a MISS
  logic            victim_dirty;        // what is known of it without its number

  always_comb begin
    logic [Ways-1:0] tree, stale;  // the tree's choice; neither pinned nor fresh
    tree         = '0;
    stale        = '0;
    plru_way     = '0;
    victim       = Ways'(1);  // of a set never touched
    all_pinned   = 1'b0;
    passed       = 1'b0;
    victim_dirty = 1'b0;
    if (known) begin
      all_pinned = &pinned;
      plru_way   = plru_victim(stored.plru);
      tree       = Ways'(1) << plru_way;
      stale      = ~pinned & ~stored.fresh;
      if (!(&stored.valid)) begin
        victim = lowest_of(~stored.valid);
      end else if (stale != '0) begin
        victim       = stale[plru_way] ? tree : lowest_of(stale);
        victim_dirty = stale[plru_way] ? stored.dirty[plru_way]
                                       : flag_of_lowest(stale, stored.dirty);
        passed       = stored.fresh[plru_way] && !pinned[plru_way];
      end else begin
        victim       = pinned[plru_way] ? lowest_of(~pinned) : tree;
        victim_dirty = pinned[plru_way] ? flag_of_lowest(~pinned, stored.dirty)
                                        : stored.dirty[plru_way];
      end
    end
  end

  assign victim_way = way_of(victim);

  // The answer
  logic [MshrW-1:0] free_mshr;
  cache_result_e    result;
  logic [WayW-1:0]  way;

  always_comb begin
    free_mshr = '0;
    if (lookup_valid_i) begin
      for (int unsigned k = Words; k > 0; k--) begin
        if (!(&live_q[k-1])) begin
          free_mshr = {WordW'(k - 1), PlaceW'(first_one(64'(WordBits'(~live_q[k-1]))))};
        end
      end
    end
  end

  always_comb begin
    result         = CacheHit;
    way            = hit_way;
    slot_o         = '0;
    mshr_o         = '0;
    victim_o       = '0;
    victim_dirty_o = 1'b0;
    if (lookup_valid_i) begin
      if (hit) begin
        slot_o = 16'({set, hit_way});
        if (lookup_write_i ? (hit_open || (hit_pending && early_i))
                           : (hit_covered && !lookup_spec_i)) begin
          result = CacheHeld;
        end else if (hit_pending) begin
          result = hit_open ? CacheStart : CacheMerge;
          mshr_o = 8'(hit_ptr);
        end
      end else if (all_pinned || (used_q == 9'(Mshrs))) begin
        result = lookup_spec_i ? CacheDrop : CacheBlocked;
      end else begin
        result = (lookup_write_i && early_i) ? CacheOpen : CacheMiss;
        way    = victim_way;
        slot_o = 16'({set, victim_way});
        mshr_o = 8'(free_mshr);
        if (victim_dirty) begin
          victim_dirty_o = 1'b1;
          for (int unsigned w = 0; w < Ways; w++) begin
            victim_o = victim_o | (victim[w] ? tag_mem_q[set][w*TagW+:TagW] : '0);
          end
        end
      end
    end
  end

  assign result_o    = result;
  assign mshr_used_o = used_q;

  // A way without a line goes first: a MISS displaces something in a full set only.
  always_comb begin
    event_o = '0;
    if (lookup_valid_i && lookup_commit_i) begin
      event_o.demand_hit    = !lookup_spec_i && ((result == CacheHit) || (result == CacheHeld));
      event_o.demand_merge  = !lookup_spec_i && (result == CacheMerge);
      event_o.demand_fill   = !lookup_spec_i && ((result == CacheMiss) || (result == CacheStart));
      event_o.spec_fill     = lookup_spec_i && ((result == CacheMiss) || (result == CacheStart));
      event_o.spec_needless = lookup_spec_i && ((result == CacheHit) || (result == CacheMerge));
      event_o.spec_drop     = (result == CacheDrop);
      event_o.unwanted      = ((result == CacheMiss) || (result == CacheOpen)) &&
                              state.unwanted[victim_way];
      event_o.displaced     = lookup_spec_i && (result == CacheMiss) && (&state.valid) &&
                              !state.unwanted[victim_way];
      event_o.opened        = (result == CacheOpen);
    end
    event_o.behind = behind_take_i;
    event_o.whole  = late_frees;
  end

  // ---------------------------------------------------------------------------------------------
  // Edge: the set
  // ---------------------------------------------------------------------------------------------
  logic       commit, allocate, add_wait, start, opens, hold;
  set_state_t state_d;

  assign commit = lookup_valid_i && lookup_commit_i && (result != CacheBlocked) &&
                  (result != CacheDrop);
  assign opens    = commit && (result == CacheOpen);
  assign allocate = (commit && (result == CacheMiss)) || opens;
  assign start    = commit && (result == CacheStart);
  assign add_wait = !lookup_spec_i && ((commit && ((result == CacheMerge) ||
                    (result == CacheMiss))) || start);
  assign hold     = commit && lookup_write_i && ((result == CacheHeld) || (result == CacheOpen));

  always_comb begin
    state_d = state;
    if (commit) begin
      if (allocate && passed) begin
        state_d.fresh[plru_way] = 1'b0;
        state_d.plru            = plru_touch(state.plru, plru_way);
      end
      // What stays as it was is not read again: the way comes late.
      state_d.valid[way] = 1'b1;
      if (lookup_write_i) begin
        state_d.dirty[way] = 1'b1;
      end else if (result == CacheMiss) begin
        state_d.dirty[way] = 1'b0;
      end
      if (!lookup_spec_i) begin
        state_d.fresh[way]    = 1'b0;
        state_d.unwanted[way] = 1'b0;
      end else if (result == CacheMiss) begin
        state_d.fresh[way]    = 1'b1;
        state_d.unwanted[way] = 1'b1;
      end
      state_d.plru = plru_touch(state_d.plru, way);
    end
  end

  // Memories: one write port each, no reset.
  always_ff @(posedge clk_i) begin
    if (commit) begin
      state_mem_q[set] <= state_d;
    end
    if (allocate) begin
      tag_mem_q[set][way*TagW+:TagW]   <= lookup_granule_i;
      ptr_mem_q[set][way*MshrW+:MshrW] <= free_mshr;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      touched_q <= '0;
    end else if (allocate) begin
      touched_q[set] <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Edge: the MSHRs
  // ---------------------------------------------------------------------------------------------
  logic [MshrW-1:0]  fill_mshr, wake_mshr;
  logic [CountW-1:0] fill_waits, wake_waits, hit_waits;
  logic              fill_frees, wake_frees, fill_held;

  assign fill_mshr = MshrW'(fill_mshr_i);
  assign wake_mshr = MshrW'(wait_mshr_i);
  assign fill_held = !allocate && (hit_ptr == fill_mshr);  // a free one is not being filled

  assign fill_waits = mshr_waits_q[fill_mshr];
  assign wake_waits = mshr_waits_q[wake_mshr];
  assign hit_waits  = mshr_waits_q[hit_ptr];

  // A MERGE in the cycle of the fill's answer becomes a waiter of it.
  // What a store of the cycle before makes of its 64 bytes and of its line.
  byte_en_t         late_held;
  logic [Lines-1:0] late_full;
  logic             late_open, late_live;

  always_comb begin
    late_held = '0;
    late_full = '0;
    late_live = 1'b0;
    late_open = 1'b0;
    if (late_valid_q) begin
      late_held = late_q.be | (some_q[late_q.mshr][late_q.offset] ?
                               held_q[$clog2(Mshrs*Lines)'(late_q.mshr * Lines) +
                                      $clog2(Mshrs*Lines)'(late_q.offset)] : '0);
      late_full = full_q[late_q.mshr];
      late_full[late_q.offset] = &late_held;
      late_open = open_q[late_q.mshr[PlaceW+:WordW]][late_q.mshr[PlaceW-1:0]];
      late_live = live_q[late_q.mshr[PlaceW+:WordW]][late_q.mshr[PlaceW-1:0]] &&
                  !filled_q[late_q.mshr];
    end
  end
  assign late_frees = late_open && (&late_full) && !(start && (hit_ptr == late_q.mshr)) &&
                      !(behind_take_i && (behind_mshr == late_q.mshr));

  // The open line to be filled next: the lowest above the one taken last, else the lowest.
  logic [MshrW-1:0] above_mshr, lowest_mshr;
  logic             above_any;

  always_comb begin
    logic [WordBits-1:0] above;
    above_mshr  = '0;
    lowest_mshr = '0;
    above_any   = 1'b0;
    above       = '0;
    if (open_count_q != '0) begin
      for (int unsigned k = Words; k > 0; k--) begin
        above = '0;
        if (WordW'(k - 1) > behind_q[PlaceW+:WordW]) begin
          above = open_q[k-1];
        end else if (WordW'(k - 1) == behind_q[PlaceW+:WordW]) begin
          above = open_q[k-1] & ({WordBits{1'b1}} << behind_q[PlaceW-1:0] << 1);
        end
        if (above != '0) begin
          above_any  = 1'b1;
          above_mshr = {WordW'(k - 1), PlaceW'(first_one(64'(above)))};
        end
        if (open_q[k-1] != '0) begin
          lowest_mshr = {WordW'(k - 1), PlaceW'(first_one(64'(open_q[k-1])))};
        end
      end
    end
  end

  assign behind_mshr      = above_any ? above_mshr : lowest_mshr;
  assign behind_valid_o   = (open_count_q != '0);
  assign behind_mshr_o    = 8'(behind_mshr);
  assign behind_slot_o    = behind_valid_o ? 16'(mshr_slot_q[behind_mshr]) : '0;
  assign behind_granule_o = behind_valid_o ? mshr_key_q[behind_mshr] : '0;
  assign open_count_o     = open_count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned w = 0; w < Words; w++) open_q[w] <= '0;
      open_count_q <= '0;
      behind_q     <= '1;
      late_valid_q <= 1'b0;
    end else begin
      late_valid_q <= hold;
      if (start)         open_q[hit_ptr[PlaceW+:WordW]][hit_ptr[PlaceW-1:0]] <= 1'b0;
      if (behind_take_i) open_q[behind_mshr[PlaceW+:WordW]][behind_mshr[PlaceW-1:0]] <= 1'b0;
      if (late_frees)    open_q[late_q.mshr[PlaceW+:WordW]][late_q.mshr[PlaceW-1:0]] <= 1'b0;
      if (opens)         open_q[free_mshr[PlaceW+:WordW]][free_mshr[PlaceW-1:0]] <= 1'b1;
      if (behind_take_i) behind_q <= behind_mshr;
      // What comes late only chooses among sums that are there.
      if (late_frees) begin
        open_count_q <= (start || behind_take_i) ? open_count_q - 9'd2 :
                        opens ? open_count_q : open_count_q - 9'd1;
      end else if (start || behind_take_i) begin
        open_count_q <= open_count_q - 9'd1;
      end else if (opens) begin
        open_count_q <= open_count_q + 9'd1;
      end
    end
  end

  // An MSHR that is taken starts with nothing; only free ones are, so nothing late meets it.
  always_ff @(posedge clk_i) begin
    if (hold) begin
      late_q.mshr   <= opens ? free_mshr : hit_ptr;
      late_q.offset <= offset;
      late_q.be     <= lookup_be_i;
    end
    if (late_live) begin
      held_q[$clog2(Mshrs*Lines)'(late_q.mshr * Lines) + $clog2(Mshrs*Lines)'(late_q.offset)] <=
          late_held;
      some_q[late_q.mshr][late_q.offset] <= 1'b1;
      if (&late_held) full_q[late_q.mshr][late_q.offset] <= 1'b1;
    end
    if (allocate) begin
      mshr_key_q[free_mshr] <= lookup_granule_i;
      some_q[free_mshr]     <= '0;
      full_q[free_mshr]     <= '0;
      if (opens && (&lookup_be_i)) full_q[free_mshr][offset] <= 1'b1;
    end else if (hold && (&lookup_be_i)) begin
      full_q[hit_ptr][offset] <= 1'b1;
    end
  end

  assign fill_frees = fill_done_i && (fill_waits == '0) && !(add_wait && fill_held);
  assign wake_frees = wait_dec_i && (wake_waits == CountW'(1));

  // Live MSHRs: what comes late only chooses among sums that are there.
  logic [1:0] frees;
  logic [8:0] used_d;
  assign frees = 2'(fill_frees) + 2'(wake_frees) + 2'(late_frees);

  always_comb begin
    unique case (frees)
      2'd0: used_d = allocate ? used_q + 9'd1 : used_q;
      2'd1: used_d = allocate ? used_q        : used_q - 9'd1;
      2'd2: used_d = allocate ? used_q - 9'd1 : used_q - 9'd2;
      2'd3: used_d = allocate ? used_q - 9'd2 : used_q - 9'd3;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned w = 0; w < Words; w++) live_q[w] <= '0;
      used_q <= '0;
    end else if (fill_frees || wake_frees || late_frees || allocate) begin
      if (late_frees) live_q[late_q.mshr[PlaceW+:WordW]][late_q.mshr[PlaceW-1:0]] <= 1'b0;
      if (fill_frees) live_q[fill_mshr[PlaceW+:WordW]][fill_mshr[PlaceW-1:0]] <= 1'b0;
      if (wake_frees) live_q[wake_mshr[PlaceW+:WordW]][wake_mshr[PlaceW-1:0]] <= 1'b0;
      if (allocate)   live_q[free_mshr[PlaceW+:WordW]][free_mshr[PlaceW-1:0]] <= 1'b1;
      used_q <= used_d;
    end
  end

  // An allocation takes none that a fill is in flight for.
  always_ff @(posedge clk_i) begin
    if (fill_done_i) filled_q[fill_mshr] <= 1'b1;
    if (allocate)    filled_q[free_mshr] <= 1'b0;
  end

  // Waiters: an allocation writes, so no reset. A MERGE finds its MSHR not filled and a waiter is
  // woken only from a filled one, so both never count on the same MSHR in one cycle.
  always_ff @(posedge clk_i) begin
    if (wait_dec_i) mshr_waits_q[wake_mshr] <= wake_waits - CountW'(1);
    if (allocate) begin
      mshr_waits_q[free_mshr] <= CountW'(add_wait);
      mshr_slot_q[free_mshr]  <= {set, way};
    end else if (add_wait) begin
      mshr_waits_q[hit_ptr] <= hit_waits + CountW'(1);
    end
  end

  if ((Mshrs < 4) || (Mshrs > 256) || (2 ** MshrW != Mshrs)) begin : g_bad_mshrs
    $error("dram_cache: Mshrs of 4..256, a power of two, is %0d", Mshrs);
  end
  if ((MaxSets < 2) || (MaxSets > 1024) || (2 ** SetW != MaxSets)) begin : g_bad_sets
    $error("dram_cache: MaxSets of 2..1024, a power of two, is %0d", MaxSets);
  end
  if ((Ways < 2) || (Ways > 64) || (2 ** WayW != Ways)) begin : g_bad_ways
    $error("dram_cache: Ways of 2..64, a power of two, is %0d", Ways);
  end
  if ((DramLineBytes < 64) || (DramLineBytes > 1024) ||
      (2 ** $clog2(DramLineBytes) != DramLineBytes)) begin : g_bad_line
    $error("dram_cache: DramLineBytes of 64..1024, a power of two, is %0d", DramLineBytes);
  end

  // MSHR numbers are 8 bits wide on every port, offsets 4.
  logic unused_mshr;
  assign unused_mshr = ^{fill_mshr_i, wait_mshr_i, lookup_offset_i};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  logic [Mshrs-1:0] live, open;
  logic             fill_filled, wake_filled, hit_full;
  logic [CountW-1:0] late_waits;
  for (genvar w = 0; w < Words; w++) begin : g_live
    assign live[w*WordBits+:WordBits] = live_q[w];
    assign open[w*WordBits+:WordBits] = open_q[w];
  end
  assign fill_filled = filled_q[fill_mshr];
  assign wake_filled = filled_q[wake_mshr];
  assign late_waits  = mshr_waits_q[late_q.mshr];
  assign hit_full    = full_q[hit_ptr][offset];
  OneWay_A: assert property (@(posedge clk_i) disable iff (!rst_ni) known |-> $onehot0(match))
      else $error("a granule is in two ways of its set");
  UsedCount_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (allocate || fill_done_i || wait_dec_i) |-> (used_q == 9'($countones(live))))
      else $error("the number of live MSHRs is wrong");
  VictimFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      allocate |-> $onehot(victim) && !(known && pinned[victim_way]))
      else $error("a pinned way is the victim, or more than one");
  VictimDirty_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      allocate |-> (victim_dirty == state.dirty[victim_way]))
      else $error("a dirty victim counts as clean, or a clean one as dirty");
  Passed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      passed |-> state.fresh[plru_way] && !pinned[plru_way] && (plru_way != victim_way) &&
                 !state.fresh[victim_way])
      else $error("a way is spared that may not be, or for a victim that is no better");
  PassedOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (allocate && passed) |-> !state_d.fresh[plru_way] && state_d.valid[plru_way])
      else $error("a way that was spared stays protected, or is lost");
  FreshValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      commit |-> (state_d.fresh & ~state_d.valid) == '0)
      else $error("a way without a line is protected");
  UnwantedFresh_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      commit |-> ((state_d.fresh & ~state_d.unwanted) == '0) &&
                 ((state_d.unwanted & ~state_d.valid) == '0))
      else $error("a protected line counts as used, or a way without a line as unused");
  OneEvent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $countones({event_o.opened, event_o[5:0]}) ==
          32'(lookup_valid_i && lookup_commit_i && (result != CacheBlocked)))
      else $error("a lookup counts as no event, or as two");
  Displaces_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (event_o.unwanted || event_o.displaced) |-> allocate && state.valid[victim_way])
      else $error("an eviction is counted without one");
  UnwantedOrNot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (event_o.spec_fill && allocate) |->
          ((event_o.unwanted ^ event_o.displaced) == state.valid[victim_way]))
      else $error("a line evicted by a MemSpecRd counts as both or neither");
  DisplacedBySpec_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      event_o.displaced |-> event_o.spec_fill && allocate && !event_o.unwanted)
      else $error("a demand access counts as evicting against a MemSpecRd");
  FreshVictim_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (allocate && state.fresh[victim_way]) |-> ((pinned | state.fresh) == '1))
      else $error("a protected line is evicted while another could be");
  FreeMshr_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      allocate |-> !live[free_mshr])
      else $error("a miss takes a live MSHR");
  FillLive_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      fill_done_i |-> (live[fill_mshr] && !open[fill_mshr] && !fill_filled))
      else $error("a fill is answered that no MSHR waits for");
  WakeFilled_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wait_dec_i |-> (live[wake_mshr] && wake_filled && (wake_waits != '0)))
      else $error("an access is woken from an MSHR without a waiter or not filled");
  WaitersFit_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (add_wait && !allocate) |-> (hit_waits != '1))
      else $error("more accesses wait for an MSHR than it can count");
  OpenCount_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (opens || start || behind_take_i || late_frees) |-> (open_count_q == 9'($countones(open))))
      else $error("the number of open lines is wrong");
  OpenLive_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (open & ~live) == '0)
      else $error("a line without an MSHR is open");
  OpenIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      late_frees |-> (late_waits == '0) && late_live)
      else $error("an access waits for an open line, or it is filled");
  OpenIsMissing_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (start && !lookup_spec_i) |-> !hit_full)
      else $error("a fill is asked for on behalf of a load whose bytes are held");
  OpenEarly_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      opens |-> early_i && lookup_write_i)
      else $error("a line is opened though stores wait, or by a load");
  OpenNotVictim_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (allocate && state.valid[victim_way]) |-> !(pinned[victim_way] && opened[victim_way]))
      else $error("an open line is evicted");
  BehindOpen_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      behind_valid_o |-> open[behind_mshr])
      else $error("the line to be filled next is not open");
  BehindAlone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      behind_take_i |-> behind_valid_o && !(lookup_valid_i && lookup_commit_i))
      else $error("a line is filled behind in the cycle of a lookup, or without one");
  SpecNeverWrites_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (lookup_valid_i && lookup_spec_i) |-> !lookup_write_i)
      else $error("a MemSpecRd that writes");

endmodule
