// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Elastic buffer of one lane, for links with sync headers: lets the recovered and the local clock
// differ by +-300 ppm each by making an SKP ordered set one word (four SKP symbols) longer or
// shorter (PCIe 5.0, chapter 4.2, clock compensation). Both sides run on one clock here; the two
// rates are those of wr_valid_i and rd_en_i.
//
// Latency: 1 cycle; in service about Prime words wait in it.

module elastic_buffer
  import cxl_pkg::*;
#(
  parameter int unsigned Depth = 8,  // words that it holds: 4..2^24, a power of two
  parameter int unsigned Prime = 4,  // words there before the first is read: 1..Depth
  parameter int unsigned Low = 3,    // with fewer words an SKP word is added: 1..High-1
  parameter int unsigned High = 5    // with more words an SKP word is removed: Low+1..Depth-1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,  // level: the buffer is empty after this edge; wins over all else

  input  logic        wr_valid_i,  // a lane word comes, at the far end's rate; never stalled
  input  logic        wr_start_i,  // with wr_valid_i: begins a block with a sync header
  input  logic [1:0]  wr_sync_i,   // with wr_start_i: 01 ordered set, 10 data; else 0
  input  logic [31:0] wr_data_i,   // with wr_valid_i: four symbols, the first in [7:0]

  input  logic        rd_en_i,     // low: no word is read; the local rate
  output logic        rd_valid_o,  // comb: a word is read; first when Prime words have come
  output logic        rd_start_o,  // with rd_valid_o: as wr_start_i
  output logic [1:0]  rd_sync_o,   // with rd_valid_o: as wr_sync_i
  output logic [31:0] rd_data_o,   // with rd_valid_o: as wr_data_i

  output logic [$clog2(Depth+1)-1:0] count_o,  // words held: 0..Depth
  output logic        added_o,                 // pulse, the cycle after: an SKP word was added
  output logic        removed_o,               // pulse, the cycle after: an SKP word was removed
  output logic        overflow_o,              // pulse, the cycle after: a word was lost, no room
  output logic        underflow_o              // pulse, the cycle after: there was no word to read
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam int unsigned IndexW = $clog2(Depth);

  if (Depth < 4 || Depth > 2 ** 24 || (1 << IndexW) != Depth) begin : g_depth
    $error("elastic_buffer: Depth of 4..2^24, a power of two, is %0d", Depth);
  end
  if (Low == 0 || Low >= High || High >= Depth || Prime == 0 || Prime > Depth) begin : g_levels
    $error("elastic_buffer: 0 < Low < High < Depth and Prime of 1..Depth are not kept");
  end

  typedef struct packed {
    logic        start;
    logic [1:0]  sync;
    logic [31:0] data;
  } word_t;

  word_t             words [Depth];
  word_t             in, head;
  logic [IndexW-1:0] wr_q, rd_q;
  logic [CountW-1:0] count_q;
  logic              primed_q;
  logic              wr_skp_q, rd_skp_q;  // the last word began an SKP ordered set
  logic              go, full, remove, push, add, pop;

  function automatic logic begins_skp(word_t w);
    return w.start && w.sync == SyncOrderedSet && w.data == SkpWord;
  endfunction

  assign in     = '{start: wr_start_i, sync: wr_sync_i, data: wr_data_i};
  assign head   = words[rd_q];
  assign full   = count_q == CountW'(Depth);
  assign remove = wr_valid_i && wr_skp_q && !wr_start_i && wr_data_i == SkpWord &&
                  count_q > CountW'(High);
  assign push   = wr_valid_i && !remove && !full;

  assign go  = primed_q || count_q >= CountW'(Prime);
  assign add = rd_en_i && go && rd_skp_q && count_q < CountW'(Low);
  assign pop = rd_en_i && go && !add && count_q != '0;

  assign rd_valid_o = add || pop;
  assign rd_start_o = !add && head.start;
  assign rd_sync_o  = add ? 2'b00 : head.sync;
  assign rd_data_o  = add ? SkpWord : head.data;
  assign count_o    = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {wr_q, rd_q, count_q}                            <= '0;
      {primed_q, wr_skp_q, rd_skp_q}                   <= '0;
      {added_o, removed_o, overflow_o, underflow_o}    <= '0;
    end else if (clear_i) begin
      {wr_q, rd_q, count_q}                            <= '0;
      {primed_q, wr_skp_q, rd_skp_q}                   <= '0;
      {added_o, removed_o, overflow_o, underflow_o}    <= '0;
    end else begin
      primed_q    <= go;
      wr_q        <= wr_q + IndexW'(push);
      rd_q        <= rd_q + IndexW'(pop);
      count_q     <= count_q + CountW'(push) - CountW'(pop);
      if (wr_valid_i) wr_skp_q <= begins_skp(in);
      if (rd_valid_o) rd_skp_q <= !add && begins_skp(head);
      added_o     <= add;
      removed_o   <= remove;
      overflow_o  <= wr_valid_i && !remove && full;
      underflow_o <= rd_en_i && go && !add && count_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) words[wr_q] <= in;
  end

  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q <= CountW'(Depth) && wr_q - rd_q == IndexW'(count_q))
    else $error("the count of words held is wrong");
  a_one_a_set: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(added_o && rd_skp_q) && !(removed_o && wr_skp_q))
    else $error("an SKP ordered set is lengthened or shortened twice");

endmodule
