// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Puts the words of all lanes side by side again: lanes arrive with skew, and their elastic buffers
// lengthen or shorten SKP ordered sets each for itself. Aligns at the SDS ordered set and, with
// sync headers, at the end of every SKP ordered set (PCIe 5.0, chapter 4.2, lane-to-lane
// de-skew). Lane words come block-aligned, so skew is in whole words: six symbols are two words.
//
// Latency: 1 cycle after the last lane's word.

module lane_deskew
  import cxl_pkg::*;
#(
  parameter int unsigned Lanes = 8,  // lanes of the link: 1..16; flex_bus_rx takes 2, 4, 8 or 16
  parameter int unsigned Depth = 8   // words held a lane, skew is less: 2..2^24, a power of two
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,      // level: all is as after reset; wins over all else
  input  logic                   bypass_i,     // level: no sync headers behind the
                                               // SDS; changes only with clear_i

  input  logic [Lanes-1:0]       in_valid_i,   // by lane: a word comes; never stalled
  input  logic [Lanes-1:0]       in_start_i,   // with in_valid_i: begins a block with a header
  input  logic [Lanes-1:0][1:0]  in_sync_i,    // with in_start_i: 01 ordered set, 10 data; else 0
  input  logic [Lanes-1:0][31:0] in_data_i,    // with in_valid_i: four symbols, the first in [7:0]

  output logic                   out_valid_o,  // comb: a word of all lanes leaves; never stalled
  output logic                   out_start_o,  // with out_valid_o: as in_start_i
  output logic [1:0]             out_sync_o,   // with out_valid_o: as in_sync_i
  output logic [Lanes-1:0][31:0] out_data_o,   // with out_valid_o: by lane, as in_data_i

  output logic                   aligned_o,    // level: the lanes are aligned
  output logic                   lost_o        // pulse, the cycle after: a word or alignment lost
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam int unsigned IndexW = $clog2(Depth);

  if (Lanes < 1 || Lanes > 16) begin : g_lanes
    $error("lane_deskew: Lanes of 1..16 is %0d", Lanes);
  end
  if (Depth < 2 || Depth > 2 ** 24 || (1 << IndexW) != Depth) begin : g_depth
    $error("lane_deskew: Depth of 2..2^24, a power of two, is %0d", Depth);
  end

  // What a word is to the alignment is found when it is written: the heads decide in one cycle.
  typedef struct packed {
    logic        begins_sds;
    logic        is_skp;     // SKP word
    logic        is_end;     // SKP_END word
    logic        start;
    logic [1:0]  sync;
    logic [31:0] data;
  } entry_t;

  entry_t            words [Lanes][Depth];
  entry_t            in    [Lanes];
  entry_t            head  [Lanes];
  logic [Lanes-1:0][IndexW-1:0] wr_q, rd_q;
  logic [Lanes-1:0][CountW-1:0] count_q;
  logic [Lanes-1:0]  there, full, begins_sds, head_skp, is_skp, is_end, differs;
  logic [Lanes-1:0]  push, pop;
  logic              aligned_d, aligned_q;
  logic              skp_d, skp_q;      // inside an SKP ordered set with sync headers
  logic              lost;

  always_comb begin
    for (int unsigned l = 0; l < Lanes; l++) begin
      in[l].begins_sds = in_start_i[l] && in_sync_i[l] == SyncOrderedSet &&
                         in_data_i[l] == SdsFirstWord;
      in[l].is_skp     = in_data_i[l] == SkpWord;
      in[l].is_end     = in_data_i[l][7:0] == SkpEndSymbol;
      in[l].start      = in_start_i[l];
      in[l].sync       = in_sync_i[l];
      in[l].data       = in_data_i[l];
      head[l]          = words[l][rd_q[l]];
      there[l]         = count_q[l] != '0;
      full[l]          = count_q[l] == CountW'(Depth);
      begins_sds[l]    = there[l] && head[l].begins_sds;
      head_skp[l]      = head[l].is_skp;
      is_skp[l]        = there[l] && head[l].is_skp && !head[l].start;
      is_end[l]        = there[l] && head[l].is_end && !head[l].start;
      differs[l]       = head[l].start != head[0].start || head[l].sync != head[0].sync;
      out_data_o[l]    = head[l].data;
    end
  end

  assign push        = in_valid_i & ~full;
  assign out_start_o = head[0].start;
  assign out_sync_o  = head[0].sync;
  assign aligned_o   = aligned_q;

  always_comb begin
    aligned_d   = aligned_q;
    skp_d       = skp_q;
    lost        = 1'b0;
    out_valid_o = 1'b0;
    pop         = '0;
    if (!aligned_q) begin
      skp_d = 1'b0;
      if (&begins_sds) begin
        aligned_d   = 1'b1;
        out_valid_o = 1'b1;
      end else begin
        pop = there & ~begins_sds;
      end
    end else if (skp_q) begin
      if ((there & ~is_skp & ~is_end) != '0) begin
        lost = 1'b1;
      end else if (&is_end) begin
        skp_d       = 1'b0;
        out_valid_o = 1'b1;
      end else begin
        pop = is_skp;  // a lane at its end waits for the others
      end
    end else if (&there) begin
      if (differs != '0) begin
        lost = 1'b1;
      end else begin
        out_valid_o = 1'b1;
        skp_d = !bypass_i && head[0].start && head[0].sync == SyncOrderedSet && &head_skp;
      end
    end
    if (out_valid_o) pop = '1;
    if (aligned_q && (in_valid_i & full) != '0) lost = 1'b1;
    if (lost) aligned_d = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {wr_q, rd_q, count_q, aligned_q, skp_q, lost_o} <= '0;
    end else if (clear_i) begin
      {wr_q, rd_q, count_q, aligned_q, skp_q, lost_o} <= '0;
    end else begin
      aligned_q <= aligned_d;
      skp_q     <= skp_d;
      lost_o    <= lost;
      for (int unsigned l = 0; l < Lanes; l++) begin
        wr_q[l]    <= wr_q[l] + IndexW'(push[l]);
        rd_q[l]    <= rd_q[l] + IndexW'(pop[l]);
        count_q[l] <= count_q[l] + CountW'(push[l]) - CountW'(pop[l]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned l = 0; l < Lanes; l++) if (push[l]) words[l][wr_q[l]] <= in[l];
  end

  a_pop: assert property (@(posedge clk_i) disable iff (!rst_ni) (pop & ~there) == '0)
    else $error("a word is taken from a lane that has none");
  a_first: assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o && !aligned_q |-> &begins_sds)
    else $error("lanes are aligned at another word than the start of an SDS");
  a_bypass: assert property (@(posedge clk_i) disable iff (!rst_ni) bypass_i |-> !skp_q || clear_i)
    else $error("bypass begins inside an SKP ordered set");

endmodule
