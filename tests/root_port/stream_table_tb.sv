// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// stream_table in two sizes: a root port's 64 sets, and one. small_i chooses the one that is
// clocked and whose outputs show; it changes in reset only.

module stream_table_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       small_i,
  input  logic       flush_i,
  input  logic [3:0] sets_log2_i,
  input  logic       look_i,
  input  line_addr_t line_i,
  input  logic       at_head_i,
  input  logic [1:0] level_i,
  input  logic       len_en_i,
  input  logic [3:0] clip_log2_i,
  input  logic [3:0] ways_i,
  output logic       ask_o,
  output logic       kind_o,
  output granule_t   first_o,
  output logic [1:0] len_o,
  output logic       suppressed_o,
  input  logic       next_i,
  output logic       next_hit_o,
  output logic       next_send_o,
  output granule_t   next_first_o,
  output logic [1:0] next_len_o,
  input  logic       add_i
);

  logic [1:0]      ask;
  logic [1:0]      kind;
  granule_t [1:0]  first;
  logic [1:0][1:0] len;
  logic [1:0]      held;
  logic [1:0]      next_hit;
  logic [1:0]      next_send;
  granule_t [1:0]  next_first;
  logic [1:0][1:0] next_len;

  for (genvar g = 0; g < 2; g++) begin : gen_size
    stream_table #(
      .Sets((g == 0) ? 64 : 1)
    ) u_table (
      .clk_i       (clk_i && small_i == 1'(g)),
      .rst_ni,
      .flush_i,
      .sets_log2_i,
      .look_i,
      .line_i,
      .at_head_i,
      .level_i,
      .len_en_i,
      .clip_log2_i,
      .ways_i,
      .ask_o       (ask[g]),
      .kind_o      (kind[g]),
      .first_o     (first[g]),
      .len_o       (len[g]),
      .suppressed_o(held[g]),
      .next_i,
      .next_hit_o  (next_hit[g]),
      .next_send_o (next_send[g]),
      .next_first_o(next_first[g]),
      .next_len_o  (next_len[g]),
      .add_i
    );
  end

  assign ask_o        = ask[small_i];
  assign kind_o       = kind[small_i];
  assign first_o      = first[small_i];
  assign len_o        = len[small_i];
  assign suppressed_o = held[small_i];
  assign next_hit_o   = next_hit[small_i];
  assign next_send_o  = next_send[small_i];
  assign next_first_o = next_first[small_i];
  assign next_len_o   = next_len[small_i];

endmodule
