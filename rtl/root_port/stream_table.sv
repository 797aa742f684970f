// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Stream table: which streams the loads of a port are made of, and what to ask for ahead of them.
//
// A region is 1 KiB: four granules, which is what one MemSpecRd can ask for. An entry knows its
// region's last load, the direction in which loads went, how sure that is, which granules need not
// be requested any more, and which are predicted. A set is four ways; a tree of three bits says who
// goes.
//
//   look (a load)  set --> four entries --> compare --> entry --> direction --> run, or next region
//                   \--> victim                   |                             |
//                                  edge: entry, tree, score     edge: the region that follows
//   next           the kept region: is it there?     add: it is predicted, and gets an entry
//
// A run stays within the load's region, in the direction of its stream. At this port's last granule
// the region that follows is predicted whole, once; on a port that is not the next one, where the
// interleave chunk ends. Where a MemSpecRd has no length, or a region is several ports', a single
// granule is requested: the load's, else the nearest ahead of it that is this port's.
//
// Two scores say what predicting was good for recently, one for the rest of a region, one for the
// region after: it rises with a load of a predicted one and falls with one that leaves the table
// unwanted. What is predicted is requested while its score is in the upper half, but counts in it
// either way: a score that fell comes back when it would have been right. So that the table forgets
// when the internal DRAM behind the port does, software says how many of its sets are in use.
//
// Size: Sets x 4 x (region 42 + entry 20 bits), and 7 bits a set; two scores of 6 bits.
//
// Cycles: a look is answered in its own cycle and seen by all that follows from the next on. The
// table is read once a cycle, for a look or for next, never both. The region that follows is worked
// out at the edge of the look and kept, so that next begins at a register.
//
// Source: docs/blocks/root_port/stream_table.md.

module stream_table
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Sets = 64,  // sets of four regions, 1..64, a power of two
  parameter int unsigned Ways = 4    // regions in a set; 4..4, replacement is built for four
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,       // pulse: forget all regions and set both scores to the top
  input  logic [3:0] sets_log2_i,   // log2 of the sets in use, 0..log2 Sets; changes with flush_i
                                    // or a cycle later
  // Lookup of a load
  input  logic       look_i,        // pulse: a load is met; not with next_i
  input  line_addr_t line_i,        // its line
  input  logic       at_head_i,     // the load is about to be issued itself: its own granule is not
                                    // requested
  input  logic [1:0] level_i,       // DevLoad of the last response, 0 light .. 3 severe
  input  logic       len_en_i,      // level: a MemSpecRd carries a length; without, it is for a
                                    // single granule
  input  logic [3:0] clip_log2_i,   // log2 of the interleave chunk in granules, 0..14; 15: none
  input  logic [3:0] ways_i,        // ways of the interleave set - 1
  output logic       ask_o,         // with look_i: request a MemSpecRd; else 0
  output logic       kind_o,        // 0 run: first_o and len_o; 1 the region that follows, by
                                    // next_i
  output granule_t   first_o,       // first granule of the run; 0 without a run
  output logic [1:0] len_o,         // granules of the run - 1; 0 without a run
  output logic       suppressed_o,  // with look_i: something new was predicted and not requested
  // The region that follows
  input  logic       next_i,        // level: look up the region of the last kind_o = 1
  output logic       next_hit_o,    // with next_i: the region is known already
  output logic       next_send_o,   // with next_i: it is to be requested
  output granule_t   next_first_o,  // with next_i: its first granule that is predicted
  output logic [1:0] next_len_o,    // with next_i: granules of it that are - 1
  input  logic       add_i          // pulse: it was requested or suppressed; with next_i, not with
                                    // next_hit_o
);

  localparam int unsigned SetBits    = (Sets > 1) ? $clog2(Sets) : 1;
  localparam int unsigned RegionBits = GranuleAddrBits - 2;

  if (Sets < 1 || Sets > 64 || (Sets & (Sets - 1)) != 0) begin : g_bad_sets
    $error("stream_table: Sets must be a power of two up to 64");
  end
  if (Ways != 4) begin : g_bad_ways
    $error("stream_table: the tree is one of four ways");
  end

  typedef logic [SetBits-1:0]    set_t;
  typedef logic [RegionBits-1:0] region_t;

  typedef struct packed {
    logic       seen;
    logic [3:0] last;       // line in the region
    logic       dir_known;
    logic       up;
    logic       by_next;    // made by add_i: its score is that of next
    logic [2:0] conf;
    logic [3:0] mask;       // granules requested or loaded
    logic [3:0] spec;       // granules predicted and not loaded since, requested or not
    logic       asked;      // for the region that follows
  } entry_t;

  typedef struct packed {
    granule_t   granule;    // of the region that follows, the nearest of this port
    logic       single;     // it alone is predicted, not its region
    logic       up;
    logic [2:0] conf;
  } next_t;

  typedef logic [5:0] score_t;

  function automatic set_t set_of(logic [23:0] region, logic [3:0] sets_log2);
    return set_t'((region[5:0] ^ region[11:6] ^ region[17:12] ^ region[23:18])
                  & 6'(Sets - 1) & ~(6'h3f << sets_log2));
  endfunction

  // What a way or a tree holds counts only in a set touched since the flush. The tree is asked when
  // all ways are valid, and by then all its bits were written.
  logic [Sets-1:0] touched_q;
  logic [Ways-1:0] valid_q [Sets];
  logic [2:0]      tree_q [Sets];
  next_t           next_q;
  score_t          score_ext_q, score_next_q;
  logic            ext_sends;  // at least 32
  assign ext_sends = score_ext_q[5];

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  logic              access;
  region_t           region;
  set_t              set;
  logic [Ways-1:0]   valid, match;
  logic [2:0]        tree;
  entry_t [Ways-1:0] row;

  assign access = look_i || next_i;

  always_comb begin
    region = '0;
    set    = '0;
    valid  = '0;
    tree   = '0;
    if (access) begin
      region = look_i ? line_i[LineAddrBits-1:4] : next_q.granule[GranuleAddrBits-1:2];
      set    = set_of(region[23:0], sets_log2_i);
      tree   = tree_q[set];
      if (touched_q[set]) valid = valid_q[set];
    end
  end

  logic              write, write_region;
  logic [Ways-1:0]   way;  // one-hot
  entry_t            entry_d;

  for (genvar w = 0; w < Ways; w++) begin : g_way
    region_t region_q [Sets];
    entry_t  entry_q [Sets];

    always_comb begin
      match[w] = 1'b0;
      row[w]   = '0;
      if (valid[w]) begin
        match[w] = region_q[set] == region;
        row[w]   = entry_q[set];
      end
    end

    always_ff @(posedge clk_i) begin
      if (write && way[w])        entry_q[set]  <= entry_d;
      if (write_region && way[w]) region_q[set] <= region;
    end
  end

  // Beside the compare: who goes, and which of its predictions were useless
  logic [Ways-1:0] victim;  // one-hot
  logic [2:0]      lost;
  logic            lost_next;  // of the score next
  always_comb begin
    logic [3:0] victim_spec;
    victim      = '0;
    victim_spec = '0;
    lost_next   = 1'b0;
    if (access) begin
      if (valid != '1)  victim = ~valid & (valid + Ways'(1));  // the lowest that is not valid
      else if (tree[0]) victim = tree[2] ? 4'b1000 : 4'b0100;
      else              victim = tree[1] ? 4'b0010 : 4'b0001;
      for (int unsigned w = 0; w < Ways; w++) begin
        if (victim[w]) begin
          victim_spec = victim_spec | row[w].spec;
          lost_next   = lost_next || row[w].by_next;
        end
      end
    end
    lost = count4(victim_spec);
  end

  logic   hit;
  entry_t was;  // 0 without a hit, which is what a new entry begins with
  always_comb begin
    hit = match != '0;
    was = '0;
    if (hit) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        if (match[w]) was = was | row[w];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Look
  // ---------------------------------------------------------------------------------------------
  logic [3:0] place, here;  // here: the load's granule, one-hot
  logic [1:0] granule;
  assign place   = line_i[3:0];
  assign granule = line_i[3:2];
  assign here    = look_i ? 4'b0001 << granule : '0;

  // A run as long as a region, or granule by granule
  logic whole, own;
  assign whole = len_en_i && clip_log2_i >= 4'd2;
  assign own   = look_i && (was.mask & here) == '0 && !at_head_i;

  // This port's granules of the region. The ways of an interleave set need not be a power of two,
  // so what counts is how many chunks are between a granule and the load's.
  logic [3:0] mine;
  always_comb begin
    logic [1:0] chunks;
    chunks = '0;
    mine   = '0;
    for (int unsigned g = 0; g < 4; g++) begin
      chunks = (granule > 2'(g)) ? granule - 2'(g) : 2'(g) - granule;
      if (clip_log2_i == 4'd1) chunks = {1'b0, granule[1] != (g >= 2)};
      unique case (chunks)
        2'd1:    mine[g] = ways_i == 4'd0;
        2'd2:    mine[g] = ways_i <= 4'd1;
        2'd3:    mine[g] = ways_i inside {4'd0, 4'd2};
        default: mine[g] = 1'b1;
      endcase
    end
    if (clip_log2_i >= 4'd2) mine = '1;
  end

  // What follows the load's granule, for either direction: without a bit in mask, all up to the
  // first with one, or the nearest one alone, which waits for the load's own; and whether there is
  // any granule of this port
  logic [3:0] free_up, free_down;
  logic       last_up, last_down;
  always_comb begin
    logic       going;
    logic [3:0] missing;
    going     = 1'b0;
    free_up   = '0;
    free_down = '0;
    last_up   = 1'b1;
    last_down = 1'b1;
    missing   = mine & ~was.mask;
    if (look_i) begin
      for (int unsigned g = 0; g < 4; g++) begin
        free_up[g] = going && missing[g];
        going      = here[g] || (going && whole == missing[g]);
        if (2'(g) > granule && mine[g]) last_up = 1'b0;
        if (2'(g) < granule && mine[g]) last_down = 1'b0;
      end
      going = 1'b0;
      for (int unsigned g = 0; g < 4; g++) begin
        free_down[3 - g] = going && missing[3 - g];
        going            = here[3 - g] || (going && whole == missing[3 - g]);
      end
      if (!whole && own) begin
        free_up   = '0;
        free_down = '0;
      end
    end
  end

  logic [3:0] run, ahead;
  logic       rewarded;  // the load is of a granule that was predicted
  logic       ask_run, ask_next;
  entry_t     looked;
  always_comb begin
    logic climbs, follows, streams;
    climbs   = 1'b0;
    follows  = 1'b0;
    streams  = 1'b0;
    run      = '0;
    ahead    = '0;
    suppressed_o = 1'b0;
    rewarded = 1'b0;
    ask_run  = 1'b0;
    ask_next = 1'b0;
    looked   = was;
    if (look_i) begin
      looked.seen = 1'b1;
      looked.last = place;
      climbs      = place > was.last;
      follows     = was.dir_known && climbs == was.up;
      if (was.seen && place != was.last) begin
        if (follows) begin
          if (was.conf != '1) looked.conf = was.conf + 3'd1;
        end else if (!was.dir_known || was.conf <= 3'd1) begin
          looked.dir_known = 1'b1;
          looked.up        = climbs;
          looked.conf      = 3'd1;
        end else begin
          looked.conf = was.conf - 3'd1;
        end
      end

      rewarded    = (was.spec & here) != '0;
      looked.spec = was.spec & ~here;

      if (level_i != LoadSevere) begin
        streams = looked.dir_known && looked.conf != '0;
        if (streams)   ahead = looked.up ? free_up : free_down;
        if (own)       run = here;
        if (ext_sends) run = run | ahead;
        // ahead is without the load's granule
        suppressed_o = !ext_sends && (ahead & ~was.spec) != '0;
        ask_run  = run != '0;
        // With this confidence the direction is none that the load gave.
        ask_next = !ask_run && streams && looked.conf >= 3'd2 && !was.asked
                   && (was.up ? last_up : last_down);

        looked.mask  = was.mask | run | here;
        looked.spec  = looked.spec | ahead;
        looked.asked = was.asked || ask_next;
      end
    end
  end

  always_comb begin
    ask_o   = ask_run || ask_next;
    kind_o  = ask_next;
    first_o = '0;
    len_o   = '0;
    if (ask_run) begin
      first_o = {region, run[0] ? 2'd0 : run[1] ? 2'd1 : run[2] ? 2'd2 : 2'd3};
      len_o   = 2'(count4(run) - 3'd1);
    end
  end

  // The granule that follows on this port, for the direction that the entry has. g - 1 - jump
  // = g + ~jump.
  granule_t following;
  always_comb begin
    logic        ends_up, ends_down;
    logic [13:0] chunk_mask;
    logic [17:0] jump, jump_up, jump_down;
    ends_up    = 1'b0;
    ends_down  = 1'b0;
    chunk_mask = '0;
    jump       = '0;
    jump_up    = '0;
    jump_down  = '0;
    following  = '0;
    if (look_i) begin
      chunk_mask = 14'((15'd1 << clip_log2_i) - 15'd1);
      ends_up    = (~line_i[15:2] & chunk_mask) == '0;
      ends_down  = (line_i[15:2] & chunk_mask) == '0;
      if (clip_log2_i != 4'd15) jump = 18'(ways_i) << clip_log2_i;
      if (ends_up)   jump_up = jump;
      if (ends_down) jump_down = jump;
      following = line_i[LineAddrBits-1:2]
                  + (was.up ? granule_t'(jump_up) : ~granule_t'(jump_down)) + granule_t'(was.up);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Next
  // ---------------------------------------------------------------------------------------------
  assign next_hit_o  = next_i && hit;
  assign next_send_o = next_i && score_next_q[5];

  logic [3:0] next_run;
  always_comb begin
    next_run     = '1;
    next_first_o = '0;
    next_len_o   = '0;
    if (next_q.single) begin
      next_run = '0;
      next_run[next_q.granule[1:0]] = 1'b1;
    end
    if (next_i) begin
      next_first_o = next_q.granule;
      if (!next_q.single) begin
        next_first_o[1:0] = 2'd0;
        next_len_o        = 2'd3;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Edge
  // ---------------------------------------------------------------------------------------------
  logic [2:0] tree_d;
  assign write        = look_i || add_i;
  assign write_region = write && !hit;

  always_comb begin
    way     = '0;
    tree_d  = tree;
    entry_d = looked;
    if (access) begin
      way       = hit ? match : victim;
      tree_d[0] = way[0] || way[1];
      if (tree_d[0]) tree_d[1] = way[0];
      else           tree_d[2] = way[2];
      if (!look_i) begin
        entry_d = '{seen: 1'b0, last: '0, dir_known: 1'b1, up: next_q.up, by_next: 1'b1,
                    conf: next_q.conf, mask: next_run & {4{next_send_o}}, spec: next_run,
                    asked: 1'b0};
      end
    end
  end

  // A new entry displaces one, which costs its score two for each useless prediction; a hit
  // may be rewarded. Both are worked out beside the compare.
  logic   to_next;
  score_t score_d;
  always_comb begin
    score_t     charged, paid;
    logic [6:0] less;
    charged = '0;
    paid    = '0;
    less    = '0;
    to_next = 1'b0;
    score_d = '0;
    if (write) begin
      charged = lost_next ? score_next_q : score_ext_q;
      less    = 7'(charged) - 7'({lost, 1'b0});
      charged = less[6] ? '0 : less[5:0];
      paid    = was.by_next ? score_next_q : score_ext_q;
      if (paid != '1) paid = paid + 6'd1;
      to_next = hit ? was.by_next : lost_next;
      score_d = hit ? paid : charged;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      valid_q[set] <= valid | way;
      tree_q[set]  <= tree_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      touched_q    <= '0;
      score_ext_q  <= '1;
      score_next_q <= '1;
    end else if (flush_i) begin
      touched_q    <= '0;
      score_ext_q  <= '1;
      score_next_q <= '1;
    end else if (write) begin
      touched_q[set] <= 1'b1;
      if (rewarded || !hit) begin
        if (to_next) score_next_q <= score_d;
        else         score_ext_q  <= score_d;
      end
    end
  end

  // A flush leaves it: the reader may be on its way with it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
    end else if (ask_next) begin
      next_q <= '{granule: following, single: !whole, up: looked.up, conf: looked.conf};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  LookOrNext_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(look_i && next_i))
      else $error("a lookup of a load and of the next region in one cycle");
  AddNew_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      add_i |-> next_i && !next_hit_o)
      else $error("a region is added that is known, or that is not looked up");
  AskWhen_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ask_o |-> look_i && level_i != LoadSevere)
      else $error("a prefetch is requested without a load, or at severe load");
  AskNothing_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!ask_o || kind_o) |-> first_o == '0 && len_o == '0)
      else $error("a run is named although none is requested");
  OneWay_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(match))
      else $error("a region has two entries");
  InRegion_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ask_run |-> first_o[GranuleAddrBits-1:2] == line_i[LineAddrBits-1:4]
                  && 3'(first_o[1:0]) + 3'(len_o) <= 3'd3)
      else $error("a run leaves the region of its load");
  Single_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ask_run && !whole) |-> len_o == '0 && mine[first_o[1:0]])
      else $error("a run is longer than what a MemSpecRd can ask for, or another port's");
  NextElsewhere_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ask_next |-> following[GranuleAddrBits-1:2] != region)
      else $error("what follows is still of the load's region");
  NextDirection_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ask_next |-> looked.up == was.up)
      else $error("a load that turns its stream asks for the region that follows");
  AskOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (run & was.mask) == '0)
      else $error("a granule is requested again that is covered already");
  Foretold_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      look_i |-> (run & ~here & ~entry_d.spec) == '0 && (here & entry_d.spec) == '0)
      else $error("a granule requested ahead is not predicted, or a loaded one still is");
  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      suppressed_o |-> look_i && level_i != LoadSevere && !ext_sends && !ask_next
                 && (run & ~here) == '0 && (ahead & ~entry_d.spec) == '0)
      else $error("a suppressed prediction is requested, or not marked as predicted");
  AddHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      add_i |-> entry_d.mask == (next_send_o ? entry_d.spec : 4'b0000)
                && 3'(count4(entry_d.spec)) == 3'(next_len_o) + 3'd1
                && entry_d.spec[next_first_o[1:0]])
      else $error("an added region is covered though not sent, or sent and not covered");
  DirectionKnown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (write && entry_d.conf != '0) |-> entry_d.dir_known)
      else $error("an entry has confidence in a direction that it does not know");
  score_t score_was;
  assign score_was = to_next ? score_next_q : score_ext_q;
  ScoreFalls_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (write && !hit) |-> score_d <= score_was && 7'(score_d) + 7'd8 >= 7'(score_was))
      else $error("a score rises with a new entry, or falls by more than eight");
  ScoreRises_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rewarded |-> hit && (score_was == '1 ? score_d == '1 : score_d == score_was + 6'd1))
      else $error("a useful prediction does not raise its score by one");
  SetsKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$stable(sets_log2_i) |-> flush_i || touched_q == '0)
      else $error("the sets in use change while entries exist, without a flush");
  NextKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(ask_o && kind_o) |=> $stable(next_q))
      else $error("the region that follows changes without a new prediction");
  Added_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (add_i && !flush_i) |=> (!next_i || next_hit_o || !$stable(sets_log2_i)))
      else $error("a region that was added is not found in the next cycle");
  Flushed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      flush_i |=> !hit && score_ext_q == '1 && score_next_q == '1)
      else $error("a flush leaves an entry, or a score below its top");

endmodule
