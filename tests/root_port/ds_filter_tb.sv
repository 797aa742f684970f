// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ds_filter with 1024 buckets (element 0 of each port) and with 16 (element 1), side by side.

module ds_filter_tb (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0][45:0] key_i,
  output logic [1:0]       maybe_o,
  input  logic [1:0]       inc_i,
  input  logic [1:0]       dec_i,
  input  logic [1:0][45:0] upd_key_i,
  output logic [1:0]       upd_maybe_o,
  input  logic [1:0]       clear_i
);

  for (genvar g = 0; g < 2; g++) begin : gen_filter
    logic also_maybe;  // its assertions compare it with the other lookups
    logic unused_also;
    assign unused_also = also_maybe;

    ds_filter #(
      .Buckets((g == 0) ? 1024 : 16),
      .KeyBits(46)
    ) u_ds_filter (
      .clk_i,
      .rst_ni,
      .key_i      (key_i[g]),
      .maybe_o    (maybe_o[g]),
      .also_key_i (upd_key_i[g]),
      .also_maybe_o(also_maybe),
      .inc_i      (inc_i[g]),
      .dec_i      (dec_i[g]),
      .upd_key_i  (upd_key_i[g]),
      .upd_maybe_o(upd_maybe_o[g]),
      .clear_i    (clear_i[g])
    );
  end

endmodule
