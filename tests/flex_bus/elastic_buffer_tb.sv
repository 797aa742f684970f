// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// elastic_buffer with three sets of sizes, side by side; the first is the default. The last one
// adds only when empty and removes only when full.

module elastic_buffer_tb (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [2:0]       clear_i,
  input  logic [2:0]       wr_valid_i,
  input  logic [2:0]       wr_start_i,
  input  logic [2:0][1:0]  wr_sync_i,
  input  logic [2:0][31:0] wr_data_i,
  input  logic [2:0]       rd_en_i,
  output logic [2:0]       rd_valid_o,
  output logic [2:0]       rd_start_o,
  output logic [2:0][1:0]  rd_sync_o,
  output logic [2:0][31:0] rd_data_o,
  output logic [2:0][4:0]  count_o,
  output logic [2:0]       added_o,
  output logic [2:0]       removed_o,
  output logic [2:0]       overflow_o,
  output logic [2:0]       underflow_o
);

  localparam int unsigned DepthOf[3] = '{8, 16, 4};
  localparam int unsigned PrimeOf[3] = '{4, 8, 2};
  localparam int unsigned LowOf[3] = '{3, 7, 1};
  localparam int unsigned HighOf[3] = '{5, 9, 3};

  for (genvar g = 0; g < 3; g++) begin : gen_buffer
    logic [$clog2(DepthOf[g]+1)-1:0] count;

    assign count_o[g] = 5'(count);
    elastic_buffer #(
      .Depth(DepthOf[g]),
      .Prime(PrimeOf[g]),
      .Low  (LowOf[g]),
      .High (HighOf[g])
    ) u_elastic_buffer (
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
      .added_o    (added_o[g]),
      .removed_o  (removed_o[g]),
      .overflow_o (overflow_o[g]),
      .underflow_o(underflow_o[g])
    );
  end

endmodule
