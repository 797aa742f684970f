// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// drift_buffer with two sets of sizes, side by side; the first is the default.

module drift_buffer_tb (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       clear_i,
  input  logic [1:0]       wr_valid_i,
  input  logic [1:0]       wr_start_i,
  input  logic [1:0][1:0]  wr_sync_i,
  input  logic [1:0][31:0] wr_data_i,
  input  logic [1:0]       rd_en_i,
  output logic [1:0]       rd_valid_o,
  output logic [1:0]       rd_start_o,
  output logic [1:0][1:0]  rd_sync_o,
  output logic [1:0][31:0] rd_data_o,
  output logic [1:0][3:0]  count_o,
  output logic [1:0]       overflow_o,
  output logic [1:0]       underflow_o
);

  for (genvar g = 0; g < 2; g++) begin : gen_buffer
    localparam int unsigned Depth = 4 << g;
    logic [$clog2(Depth+1)-1:0] count;

    assign count_o[g] = 4'(count);
    drift_buffer #(
      .Depth(Depth),
      .Prime(2 + g)
    ) u_drift_buffer (
      .clk_i,
      .rst_ni,
      .clear_i    (clear_i[g]),
      .wr_valid_i (wr_valid_i[g]),
      .wr_start_i (wr_start_i[g]),
      .wr_sync_i  (wr_sync_i[g]),
      .wr_data_i  (wr_data_i[g]),
      .rd_en_i    (rd_en_i[g]),
      .rd_valid_o (rd_valid_o[g]),
      .rd_start_o (rd_start_o[g]),
      .rd_sync_o  (rd_sync_o[g]),
      .rd_data_o  (rd_data_o[g]),
      .count_o    (count),
      .overflow_o (overflow_o[g]),
      .underflow_o(underflow_o[g])
    );
  end

endmodule
