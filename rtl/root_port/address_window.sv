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
  localparam int unsigned RoomBits  = $clog2(MemEntries + SrEntries + 32) + 1;

  typedef logic [BlockBits-1:0]       block_t;
  typedef logic signed [RoomBits-1:0] room_t;
  typedef logic [3:1]                 reach_t;  // bit k: reaches k granules beyond the load's

  // b is the block after a. Where b = a + 1, the carry into bit i is a[i-1] & ~b[i-1], so no adder
  // is needed. The last block is followed by the first.
  function automatic logic follows(block_t b, block_t a);
    return (a ^ b) == {a[BlockBits-2:0] & ~b[BlockBits-2:0], 1'b1};
  endfunction

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
    at_or_after = '0;
    after       = '0;
    near_before = '0;
    near_after  = '0;
    if (valid_i) begin
      for (int unsigned i = 0; i < 16; i++) at_or_after[i] = in_block <= 4'(i);
      after       = {at_or_after[14:0], 1'b0};
      near_before = 32'({16'hFFFF, at_or_after, 16'h0} >> reach) & ~{at_or_after, 16'h0};
      near_after  = {16'hFFFF, after} & ~({16'hFFFF, at_or_after} << reach);
    end
  end

  // Is it before the load in the window, is it after? Of any entry; `around` asks both.
  logic [MemEntries-1:0] mem_before, mem_after;
  logic [SrEntries-1:0]  sr_before, sr_after;
  logic                  around;
  assign around = directional_i && around_i;

  always_comb begin
    block_t     entry;
    logic [3:0] line;
    mem_before = '0;
    mem_after  = '0;
    entry      = '0;
    line       = '0;
    if (valid_i) begin
      for (int unsigned i = 0; i < MemEntries; i++) begin
        if (mem_valid_i[i]) begin
          {entry, line} = mem_line_i[i];
          mem_before[i] = !directional_i
              || (entry == block && near_before[{1'b1, line}])
              || (follows(block, entry) && !first_block && near_before[{1'b0, line}]);
          mem_after[i]  = around
              && ((entry == block && near_after[{1'b0, line}])
                  || (follows(entry, block) && !last_block && near_after[{1'b1, line}]));
        end
      end
    end
  end

  always_comb begin
    block_t     entry;
    logic [3:0] line;
    sr_before = '0;
    sr_after  = '0;
    entry     = '0;
    line      = '0;
    if (valid_i) begin
      for (int unsigned i = 0; i < SrEntries; i++) begin
        if (sr_valid_i[i]) begin
          {entry, line} = sr_line_i[i];
          sr_after[i]  = !directional_i
              || (entry == block && near_after[{1'b0, line}])
              || (follows(entry, block) && !last_block && near_after[{1'b1, line}]);
          sr_before[i] = around
              && ((entry == block && near_before[{1'b1, line}])
                  || (follows(block, entry) && !first_block && near_before[{1'b0, line}]));
        end
      end
    end
  end

  // Which granules are kept of more than four; known long before the sums below.
  logic keep_ahead, keep_behind, keep_middle;
  always_comb begin
    logic rises, falls;
    rises       = mem_before != '0 || sr_after != '0;
    falls       = mem_after != '0 || sr_before != '0;
    keep_middle = around && rises == falls;
    keep_behind = around && !rises && falls;
    keep_ahead  = !keep_middle && !keep_behind;
  end

  // Shrunk, rounded to the nearest granule, load kept inside. With o the load's line of its
  // granule, the window begins k granules down if back - entries >= o - 1 + 4k, and ends k up if
  // ahead - entries >= 2 - o + 4k. Each side is one sum of many terms for each queue, which
  // synthesis makes a carry-save tree; what does not count is added, so that no term has a sign. Of
  // rising loads no SR queue entry is below and no memory queue entry above, of falling ones the
  // other way round: so on each side one queue at most counts, and the least of both sums holds.
  // Without a direction neither counts.
  reach_t down, up;
  always_comb begin
    room_t  down_full, up_full;  // nothing counts; sums of their own, so that all are one tree each
    room_t  down_mem, down_sr, up_mem, up_sr;
    reach_t down_none, up_none;
    down_full = '0;
    up_full   = '0;
    down_mem  = '0;
    down_sr   = '0;
    up_mem    = '0;
    up_sr     = '0;
    down_none = '0;
    up_none   = '0;
    down      = '0;
    up        = '0;
    if (valid_i) begin
      down_full = room_t'(1) + room_t'(back) - room_t'(line_i[1:0]);
      up_full   = room_t'(-2) + room_t'(ahead) + room_t'(line_i[1:0]);
      down_mem  = (room_t'(1) - room_t'(MemEntries)) + room_t'(back) - room_t'(line_i[1:0]);
      up_mem    = (room_t'(-2) - room_t'(MemEntries)) + room_t'(ahead) + room_t'(line_i[1:0]);
      down_sr   = (room_t'(1) - room_t'(SrEntries)) + room_t'(back) - room_t'(line_i[1:0]);
      up_sr     = (room_t'(-2) - room_t'(SrEntries)) + room_t'(ahead) + room_t'(line_i[1:0]);
      for (int unsigned i = 0; i < MemEntries; i++) begin
        down_mem = down_mem + room_t'(!mem_before[i]);
        up_mem   = up_mem + room_t'(!mem_after[i]);
      end
      for (int unsigned i = 0; i < SrEntries; i++) begin
        down_sr = down_sr + room_t'(!sr_before[i]);
        up_sr   = up_sr + room_t'(!sr_after[i]);
      end
      for (int k = 1; k <= 3; k++) begin
        down_none[k] = down_full >= room_t'(4 * k);
        up_none[k]   = up_full >= room_t'(4 * k);
        down_none[k] = down_none[k] && keep_middle;
        up_none[k]   = up_none[k] && keep_middle;
        down[k]      = (down_mem >= room_t'(4 * k) || down_none[k])
                       && (down_sr >= room_t'(4 * k) || down_none[k]);
        up[k]        = (up_sr >= room_t'(4 * k) || up_none[k])
                       && (up_mem >= room_t'(4 * k) || up_none[k]);
      end
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

  // Cut at four granules in all, in favour of those ahead, of those behind or of two on either
  // side; then clipped to the chunk. k granules on one side leave room for 3 - k on the other.
  function automatic logic [1:0] granules_of(reach_t r);
    return {r[2], r[3] || (r[1] && !r[2])};
  endfunction

  reach_t     down_cut, up_cut;  // granules that give way to the other side
  reach_t     down_kept, up_kept;
  logic [1:0] down_len, up_len;
  granule_t   first;
  logic       borrow;
  always_comb begin
    borrow    = 1'b0;
    down_kept = '0;
    up_kept   = '0;
    down_len  = '0;
    up_len    = '0;
    first     = granule;
    down_cut  = {keep_ahead || keep_middle, keep_ahead, keep_ahead};
    up_cut    = {keep_behind || keep_middle, keep_behind || keep_middle, keep_behind};
    if (valid_i) begin
      down_kept = down & ~(down_cut & {up[1], up[2], up[3]}) & down_chunk;
      up_kept   = up & ~(up_cut & {down[1], down[2], down[3]}) & up_chunk;
      down_len  = granules_of(down_kept);
      up_len    = granules_of(up_kept);

      // granule - down_len; all that it can be is there before it is known which
      if (down_kept[2]) first[1:0] = granule[1:0] - (down_kept[3] ? 2'd3 : 2'd2);
      else              first[1:0] = granule[1:0] - {1'b0, down_kept[1]};
      unique case (granule[1:0])
        2'd0:    borrow = down_kept[1];
        2'd1:    borrow = down_kept[2];
        2'd2:    borrow = down_kept[3];
        default: borrow = 1'b0;
      endcase
      if (borrow) begin
        first[GranuleAddrBits-1:2] = granule[GranuleAddrBits-1:2] - (GranuleAddrBits - 2)'(1);
      end
    end
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
