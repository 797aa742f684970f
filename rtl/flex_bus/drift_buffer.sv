// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Drift buffer of one lane, for sync-header bypass: both ends have one reference clock, so only
// phase wander is to be taken up and no word is ever added or removed (CXL 2.0, chapter 6.7).
// Both sides run on one clock here; the phases are those of wr_valid_i and rd_en_i.
//
// Latency: 1 cycle; in service about Prime words wait in it.

module drift_buffer #(
  parameter int unsigned Depth = 4,  // words that it holds: 2..2^24, a power of two
  parameter int unsigned Prime = 2   // words there before the first is read: 1..Depth
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
  output logic        overflow_o,              // pulse, the cycle after: a word was lost, no room
  output logic        underflow_o              // pulse, the cycle after: there was no word to read
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam int unsigned IndexW = $clog2(Depth);

  if ((1 << IndexW) != Depth || Prime == 0 || Prime > Depth) begin : g_levels
    $error("drift_buffer: levels");
  end

  logic [34:0]       words [Depth];
  logic [IndexW-1:0] wr_q, rd_q;
  logic [CountW-1:0] count_q;
  logic              primed_q;
  logic              go, full, push, pop;

  assign full = count_q == CountW'(Depth);
  assign push = wr_valid_i && !full;
  assign go   = primed_q || count_q >= CountW'(Prime);
  assign pop  = rd_en_i && go && count_q != '0;

  assign rd_valid_o = pop;
  assign {rd_start_o, rd_sync_o, rd_data_o} = words[rd_q];
  assign count_o    = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {wr_q, rd_q, count_q, primed_q, overflow_o, underflow_o} <= '0;
    end else if (clear_i) begin
      {wr_q, rd_q, count_q, primed_q, overflow_o, underflow_o} <= '0;
    end else begin
      primed_q    <= go;
      wr_q        <= wr_q + IndexW'(push);
      rd_q        <= rd_q + IndexW'(pop);
      count_q     <= count_q + CountW'(push) - CountW'(pop);
      overflow_o  <= wr_valid_i && full;
      underflow_o <= rd_en_i && go && count_q == '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) words[wr_q] <= {wr_start_i, wr_sync_i, wr_data_i};
  end

  a_count: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q <= CountW'(Depth) && wr_q - rd_q == IndexW'(count_q))
    else $error("the count of words held is wrong");

endmodule
