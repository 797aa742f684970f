// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Drift buffer of one lane, for sync-header bypass: both ends have one reference clock, so only
// phase wander is to be taken up and no word is ever added or removed (CXL 2.0, chapter 6.7).
// Both sides run on one clock here; the phases are those of wr_valid_i and rd_en_i.
//
// Latency: 1 cycle; in service about Prime words wait in it.

module drift_buffer #(
  parameter int unsigned Depth = 4,  // a power of two
  parameter int unsigned Prime = 2   // words there before the first is read
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,

  input  logic        wr_valid_i,
  input  logic        wr_start_i,
  input  logic [1:0]  wr_sync_i,
  input  logic [31:0] wr_data_i,

  input  logic        rd_en_i,
  output logic        rd_valid_o,
  output logic        rd_start_o,
  output logic [1:0]  rd_sync_o,
  output logic [31:0] rd_data_o,

  output logic [$clog2(Depth+1)-1:0] count_o,
  output logic        overflow_o,    // pulses, the cycle after the event: a word was lost
  output logic        underflow_o    // there was no word to read
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
      count_q <= CountW'(Depth) && wr_q - rd_q == IndexW'(count_q));

endmodule
