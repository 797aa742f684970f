// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Address window of one MemSpecRd: which 1 to 4 granules of 256 B around a load to ask for.
//
// Combinational. The window begins one granularity before and ends one after the load; work
// already in the memory queue (the past) moves the start up, loads waiting in the SR queue (the
// future) move the end down, 64 B each. The result is rounded to granules, kept around the load,
// cut at four, and clipped to the load's interleave chunk, because what lies beyond belongs to
// another port.
// Around: both queues count on both sides. Where the past is below or the future above, the loads
// rise; the other way round they fall, and all is mirrored; else the window keeps to the middle.
//
// All arithmetic is on small numbers counted from the load: nothing reaches further than 16 lines,
// or four granules, from it. An address only meets another in an equality: entries inside the
// window lie in the load's block of 16 lines or in the one next to it. How many granules the
// window has on either side is kept as one bit a granule, so that minima are ANDs.
//
// Source: the SR engine's rule, with its readings in docs/blocks/root_port/address_window.md.

module address_window
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned MemEntries = DefaultSizes.memory_queue_entries - 2,  // load and store
                                              // entries of the memory queue, 1..255
  parameter int unsigned SrEntries  = DefaultSizes.sr_queue_entries  // entries of the SR queue,
                                              // 1..255
) (
  input  logic                                    valid_i,        // 0: the granule of line_i alone
  input  line_addr_t                              line_i,         // line of the load
  input  gran_e                                   gran_i,         // 64 B and halted count as 256 B
  input  logic                                    directional_i,  // 1 policy sr: entries count on
                                                                  // their side only; 0 policy
                                                                  // sr-paper: all count
  input  logic                                    around_i,       // with directional_i: the window
                                                                  // may aim backwards
  input  logic [3:0]                              clip_log2_i,    // log2 of the chunk in granules,
                                                                  // 0..14; 15: no interleave
  input  logic [MemEntries-1:0]                   mem_valid_i,    // a load or store in the memory
                                                                  // queue
  input  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line_i,     // line, valid with mem_valid_i
  input  logic [SrEntries-1:0]                    sr_valid_i,     // a load in the SR queue, not
                                                                  // that of line_i
  input  logic [SrEntries-1:0][LineAddrBits-1:0]  sr_line_i,      // line, valid with sr_valid_i
  output granule_t                                first_o,        // first granule; same cycle
  output logic [1:0]                              len_o           // granules - 1
);

  if (MemEntries < 1 || MemEntries > 255 || SrEntries < 1 || SrEntries > 255) begin : g_bad_entries
    $error("address_window: entries of 1..255 are %0d and %0d", MemEntries, SrEntries);
  end

  localparam int unsigned BlockBits = LineAddrBits - 4;  // a block is 16 lines
  localparam int unsigned RoomBits  = 7;  // -44 to 17
  localparam int unsigned Most      = (MemEntries > SrEntries) ? MemEntries : SrEntries;
  localparam int unsigned Bits      = (Most > 2) ? Most : 2;
  localparam int unsigned Weights   = 4;  // more than 15 are as good as 16: no window is longer

  typedef logic [BlockBits-1:0]       block_t;
  typedef logic signed [RoomBits-1:0] room_t;
  typedef struct packed {
    logic                    many;  // 16 or more
    logic [1:0][Weights-1:0] rows;  // else two numbers that are one sum
  } count_t;
  typedef logic [3:1]                 reach_t;  // bit k: reaches k granules beyond the load's

  // b is the block after a. Where b = a + 1, the carry into bit i is a[i-1] & ~b[i-1], so no adder
  // is needed. The last block is followed by the first.
  function automatic logic follows(block_t b, block_t a);
    return (a ^ b) == {a[BlockBits-2:0] & ~b[BlockBits-2:0], 1'b1};
  endfunction

  // Bits of each weight before each layer of full adders, and the layers, at least one, until no
  // weight has three.
  localparam int unsigned MaxLayers = 16;
  typedef logic [MaxLayers-1:0][Weights-1:0][7:0] heights_t;
  function automatic heights_t column_heights();
    heights_t heights;
    heights       = '0;
    heights[0][0] = 8'(Bits);
    for (int unsigned l = 1; l < MaxLayers; l++) begin
      for (int unsigned w = 0; w < Weights; w++) begin
        heights[l][w] = heights[l-1][w] - heights[l-1][w] / 8'd3 * 8'd2;
        if (w > 0) heights[l][w] += heights[l-1][w-1] / 8'd3;
      end
    end
    return heights;
  endfunction
  localparam heights_t Heights = column_heights();

  function automatic int unsigned layers_of(heights_t heights);
    int unsigned layers;
    layers = 1;
    for (int unsigned l = 0; l < MaxLayers; l++) begin
      for (int unsigned w = 0; w < Weights; w++) if (heights[l][w] > 8'd2) layers = l + 1;
    end
    return layers;
  endfunction
  localparam int unsigned Layers = layers_of(Heights);

  // Granularity in lines
  logic [4:0] reach;
  always_comb begin
    unique case (gran_i)
      Gran512:  reach = 5'd8;
      Gran768:  reach = 5'd12;
      Gran1024: reach = 5'd16;
      default:  reach = 5'd4;
    endcase
  end

  // The unrounded window: lines [load - back, load + ahead), within the address space. Down to the
  // clip all rests without a load.
  block_t     block;
  logic [3:0] in_block;
  logic       first_block, last_block;
  logic [4:0] back, ahead, to_top;
  always_comb begin
    block       = '0;
    in_block    = '0;
    first_block = 1'b0;
    last_block  = 1'b0;
    to_top      = '0;
    back        = '0;
    ahead       = '0;
    if (valid_i) begin
      block       = line_i[LineAddrBits-1:4];
      in_block    = line_i[3:0];
      first_block = block == '0;
      last_block  = block == '1;
      to_top      = 5'd16 - 5'(in_block);
      back        = (first_block && 5'(in_block) < reach) ? 5'(in_block) : reach;
      ahead       = (last_block && to_top < reach) ? to_top : reach;
    end
  end

  // The same as a set of lines, for the entries: before the load in its block and the one before
  // that, and after it in its block and the next.
  logic [15:0] at_or_after, after;  // the load, lines of its block
  logic [31:0] near_before;         // {its block, the one before}
  logic [31:0] near_after;          // {the next block, its block}
  always_comb begin
    for (int unsigned i = 0; i < 16; i++) at_or_after[i] = in_block <= 4'(i);
    after       = {at_or_after[14:0], 1'b0};
    near_before = 32'({16'hFFFF, at_or_after, 16'h0} >> reach) & ~{at_or_after, 16'h0};
    near_after  = {16'hFFFF, after} & ~({16'hFFFF, at_or_after} << reach);
  end

  // Entries that count, and of the same whether any is below or above the load: for the direction.
  // In `around` those on either side count: of loads that rise no memory queue entry is above and
  // no SR queue entry below, of falling ones the other way round: all of a queue are on one side.
  logic                  around;
  logic [15:0]           mem_own, mem_prev, mem_next;  // lines that count by block
  logic [15:0]           sr_own, sr_prev, sr_next;
  logic [MemEntries-1:0] mem_counts, mem_below, mem_above;
  logic [SrEntries-1:0]  sr_counts, sr_below, sr_above;
  assign around = directional_i && around_i;

  always_comb begin
    {mem_own, mem_prev} = near_before;
    mem_next            = '0;
    {sr_next, sr_own}   = near_after;
    sr_prev             = '0;
    if (around) begin
      mem_own  |= near_after[15:0];
      mem_next  = near_after[31:16];
      sr_own   |= near_before[31:16];
      sr_prev   = near_before[15:0];
    end
  end

  always_comb begin
    block_t     entry;
    logic [3:0] line;
    logic       own, prev, next;
    mem_counts = '0;
    mem_below  = '0;
    mem_above  = '0;
    sr_counts  = '0;
    sr_below   = '0;
    sr_above   = '0;
    entry      = '0;
    line       = '0;
    own        = 1'b0;
    prev       = 1'b0;
    next       = 1'b0;
    for (int unsigned i = 0; i < MemEntries; i++) begin
      if (valid_i && mem_valid_i[i]) begin
        {entry, line} = mem_line_i[i];
        own           = entry == block && mem_own[line];
        prev          = (follows(block, entry) && !first_block) && mem_prev[line];
        next          = (follows(entry, block) && !last_block) && mem_next[line];
        mem_counts[i] = (!directional_i || own) || (prev || next);
        mem_below[i]  = prev || (own && line < in_block);
        mem_above[i]  = next || (own && line > in_block);
      end
    end
    for (int unsigned i = 0; i < SrEntries; i++) begin
      if (valid_i && sr_valid_i[i]) begin
        {entry, line} = sr_line_i[i];
        own           = entry == block && sr_own[line];
        prev          = (follows(block, entry) && !first_block) && sr_prev[line];
        next          = (follows(entry, block) && !last_block) && sr_next[line];
        sr_counts[i]  = (!directional_i || own) || (prev || next);
        sr_below[i]   = prev || (own && line < in_block);
        sr_above[i]   = next || (own && line > in_block);
      end
    end
  end

  logic rises, falls, falling, undirected;
  assign rises      = {mem_below, sr_above} != '0;
  assign falls      = {mem_above, sr_below} != '0;
  assign falling    = around && falls && !rises;
  assign undirected = around && falls == rises;

  // How many count, as a sum of two numbers: the bits of each weight go through full adders, three
  // by three, until no weight has more than two. A chain of additions would become a tree of whole
  // numbers instead, twice as deep.
  function automatic count_t carry_save(logic [Bits-1:0] ones);
    logic [Weights-1:0][Bits-1:0] column;  // of each weight its bits, from the lowest on
    logic [Bits-1:0]              a, b, c, mask, carry;
    count_t                       count;
    count     = '0;
    column    = '0;
    column[0] = ones;
    for (int unsigned l = 0; l < Layers; l++) begin
      for (int w = int'(Weights) - 1; w >= 0; w--) begin
        a         = column[w];
        b         = a >> (Heights[l][w] / 3);
        c         = b >> (Heights[l][w] / 3);
        mask      = ~({Bits{1'b1}} << (Heights[l][w] / 3));
        column[w] = ((a ^ b ^ c) & mask)
                    | ((a >> (Heights[l][w] / 3 * 3)) << (Heights[l][w] / 3));
        carry     = ((a ^ b) & c | ~(a ^ b) & a) & mask;
        if (w + 1 == int'(Weights)) count.many |= carry != '0;
        else column[w+1] |= carry << (Heights[l][w+1] - Heights[l][w+1] / 3 * 2);
      end
    end
    for (int unsigned w = 0; w < Weights; w++) begin
      count.rows[0][w] = column[w][0];
      count.rows[1][w] = column[w][1];
    end
    return count;
  endfunction

  count_t past_count, future_count;
  assign past_count   = carry_save(Bits'(mem_counts));
  assign future_count = carry_save(Bits'(sr_counts));

  // limit - what is counted >= 0, with limit less two for the complement of two numbers. One more
  // full adder a bit, so that a late limit costs no addition of its own.
  function automatic logic reached(room_t limit, count_t count);
    room_t x, y, half, carry, sum;
    x     = ~room_t'(count.rows[0]);
    y     = ~room_t'(count.rows[1]);
    half  = x ^ y;
    carry = (half & limit) | (~half & x);
    sum   = (half ^ limit) + (carry << 1);
    return !count.many && !sum[RoomBits-1];
  endfunction

  // Shrunk, rounded to the nearest granule, load kept inside. With o the load's line of its
  // granule, the window begins k granules down if back - entries >= o - 1 + 4k, and ends k up if
  // ahead - entries >= 2 - o + 4k. The memory queue, the past, counts below a load that rises and
  // above one that falls; the SR queue, the future, on the other side.
  reach_t down_all, up_all;  // nothing counts
  reach_t past, future;
  always_comb begin
    room_t down_room, up_room;
    down_room = room_t'(back) + room_t'(1) - room_t'(in_block[1:0]);
    up_room   = room_t'(ahead) - room_t'(2) + room_t'(in_block[1:0]);
    for (int k = 1; k <= 3; k++) begin
      down_all[k] = down_room >= room_t'(4 * k);
      up_all[k]   = up_room >= room_t'(4 * k);
      past[k]     = reached((falling ? up_room : down_room) + room_t'(2 - 4 * k), past_count);
      future[k]   = reached((falling ? down_room : up_room) + room_t'(2 - 4 * k), future_count);
    end
  end

  // What the chunk has on either side of the load's granule
  function automatic reach_t reaches(logic [13:0] granules);
    return {granules >= 14'd3, granules >= 14'd2, granules != '0};
  endfunction

  granule_t granule;
  reach_t   down_chunk, up_chunk;
  always_comb begin
    logic [13:0] chunk_mask;
    granule    = line_i[LineAddrBits-1:2];
    chunk_mask = 14'((15'd1 << clip_log2_i) - 15'd1);
    down_chunk = '1;
    up_chunk   = '1;
    if (valid_i && clip_log2_i != 4'd15) begin
      down_chunk = reaches(granule[13:0] & chunk_mask);
      up_chunk   = reaches(~granule[13:0] & chunk_mask);
    end
  end

  // Cut at four granules in all: k on one side leave room for 3 - k on the other. The side of the
  // future comes first; without a direction two granules on either side do. Then clipped to the
  // chunk. What each case allows is known before past and future are, so it is one mask of each.
  reach_t down_fixed, up_fixed;    // without a direction
  reach_t down_future, up_future;  // may go as far as the future
  reach_t down_past, up_past;      // may go as far as the past, and the future on the other side
  reach_t down_kept, up_kept;
  always_comb begin
    down_fixed  = undirected ? down_all & ~{up_all[1], 2'b00} & down_chunk : '0;
    up_fixed    = undirected ? up_all & ~{down_all[1], down_all[2], 1'b0} & up_chunk : '0;
    down_future = falling ? down_chunk : '0;
    up_past     = falling ? up_chunk : '0;
    down_past   = (falling || undirected) ? '0 : down_chunk;
    up_future   = (falling || undirected) ? '0 : up_chunk;
    for (int k = 1; k <= 3; k++) begin
      down_kept[k] = (down_past[k] & past[k] & ~future[4-k])
                     | (down_fixed[k] | (down_future[k] & future[k]));
      up_kept[k]   = (up_past[k] & past[k] & ~future[4-k])
                     | (up_fixed[k] | (up_future[k] & future[k]));
    end
  end

  // granule - down_len; all that it can be is there before it is known which
  function automatic logic [1:0] granules_of(reach_t r);
    return {r[2], r[3] || (r[1] && !r[2])};
  endfunction

  logic [1:0] down_len, up_len;
  logic       borrow;
  granule_t   first;
  always_comb begin
    logic [3:0][1:0] low;
    for (int k = 0; k < 4; k++) low[k] = granule[1:0] - 2'(k);
    first[1:0] = down_kept[2] ? (down_kept[3] ? low[3] : low[2]) : (down_kept[1] ? low[1] : low[0]);
    borrow     = ((granule[1:0] == 2'd0) && down_kept[1])
                 || (((granule[1:0] == 2'd1) && down_kept[2])
                     || ((granule[1:0] == 2'd2) && down_kept[3]));
    first[GranuleAddrBits-1:2] = borrow ? granule[GranuleAddrBits-1:2] - (GranuleAddrBits - 2)'(1)
                                        : granule[GranuleAddrBits-1:2];
    down_len   = granules_of(down_kept);
    up_len     = granules_of(up_kept);
  end

  assign first_o = first;
  assign len_o   = down_len + up_len;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    FourGranules_A: assert (3'(down_len) + 3'(up_len) <= 3'd3)
        else $error("a window of more than four granules");
    LoadInside_A: assert (first <= granule && granule - first <= granule_t'(len_o))
        else $error("a window without the granule of its load");
  end

endmodule
