// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Address window of one MemSpecRd: which 1 to 4 granules of 256 B around a load to ask for.
//
// Combinational. The window begins one granularity before and ends one after the load; work
// already in the memory queue (the past) moves the start up, loads waiting in the SR queue (the
// future) move the end down, 64 B each. The result is rounded to granules, kept around the load,
// cut at four, and clipped to the load's interleave chunk, because what lies beyond belongs to
// another port.
//
// Source: the SR engine's rule, with its readings in docs/blocks.md.

module address_window
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned MemEntries = 30,
  parameter int unsigned SrEntries  = 32
) (
  input  line_addr_t                              line_i,
  input  gran_e                                   gran_i,
  input  logic                                    directional_i,
  input  logic [3:0]                              clip_log2_i,  // chunk in granules; 15: none
  input  logic [MemEntries-1:0]                   mem_valid_i,
  input  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line_i,
  input  logic [SrEntries-1:0]                    sr_valid_i,
  input  logic [SrEntries-1:0][LineAddrBits-1:0]  sr_line_i,
  output granule_t                                first_o,
  output logic [1:0]                              len_o    // granules - 1
);

  if (MemEntries < 1 || MemEntries > 255 || SrEntries < 1 || SrEntries > 255) begin : g_bad_entries
    $error("address_window: entry counts must be 1..255");
  end

  localparam int unsigned EdgeBits = LineAddrBits + 1;  // one past the last line fits
  typedef logic [EdgeBits-1:0]      edge_t;
  typedef logic [GranuleAddrBits:0] granule_edge_t;

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

  // Unrounded window [low, high)
  edge_t at, low, high;
  always_comb begin
    at   = edge_t'(line_i);
    low  = (at < edge_t'(reach)) ? '0 : at - edge_t'(reach);
    high = at + edge_t'(reach);
    if (high > {1'b1, line_addr_t'(0)}) high = {1'b1, line_addr_t'(0)};
  end

  logic [7:0] mem_count, sr_count;
  always_comb begin
    mem_count = '0;
    if (mem_valid_i != '0) begin
      for (int unsigned i = 0; i < MemEntries; i++) begin
        if (mem_valid_i[i]) begin
          if (!directional_i || (edge_t'(mem_line_i[i]) >= low && mem_line_i[i] < line_i)) begin
            mem_count = mem_count + 8'd1;
          end
        end
      end
    end
  end
  always_comb begin
    sr_count = '0;
    if (sr_valid_i != '0) begin
      for (int unsigned i = 0; i < SrEntries; i++) begin
        if (sr_valid_i[i]) begin
          if (!directional_i || (edge_t'(sr_line_i[i]) < high && sr_line_i[i] > line_i)) begin
            sr_count = sr_count + 8'd1;
          end
        end
      end
    end
  end

  // Shrink, round to the nearest granule, keep the load inside, cut at four granules, clip.
  edge_t         start_line, end_line;
  granule_edge_t load_granule, first, last;  // last is exclusive
  granule_edge_t chunk_first, chunk_last;    // both inclusive
  always_comb begin
    granule_edge_t chunk_mask;
    start_line = low + edge_t'(mem_count);
    if (start_line > at) start_line = at;
    end_line = at + edge_t'(1);
    if (high > end_line + edge_t'(sr_count)) end_line = high - edge_t'(sr_count);

    load_granule = granule_edge_t'(at >> 2);
    first        = granule_edge_t'((start_line + edge_t'(2)) >> 2);
    last         = granule_edge_t'((end_line + edge_t'(2)) >> 2);
    if (first > load_granule) first = load_granule;
    if (last <= load_granule) last = load_granule + granule_edge_t'(1);
    if (last - first > granule_edge_t'(4)) begin
      first = last - granule_edge_t'(4);
      if (first > load_granule) first = load_granule;
      if (last - first > granule_edge_t'(4)) last = first + granule_edge_t'(4);
    end

    chunk_mask  = (granule_edge_t'(1) << clip_log2_i) - granule_edge_t'(1);
    chunk_first = load_granule & ~chunk_mask;
    chunk_last  = load_granule | chunk_mask;
    if (clip_log2_i != 4'd15) begin
      if (first < chunk_first) first = chunk_first;
      if (last > chunk_last) last = chunk_last + granule_edge_t'(1);
    end
  end

  assign first_o = first[GranuleAddrBits-1:0];
  assign len_o   = 2'(last - first - granule_edge_t'(1));

  // ---------------------------------------------------------------------------------------------
  // Contract: one to four granules, the load's among them
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    assert (first <= load_granule && load_granule < last);
    assert (last - first <= granule_edge_t'(4));
  end

endmodule
