// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// lane_deskew with 2, 4, 8 and 16 lanes, side by side: element g of each port is the one with
// 2 << g lanes. The one with 4 lanes has queues of 4 words, the others the default 8.

module lane_deskew_tb (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [3:0]        clear_i,
  input  logic [3:0]        bypass_i,
  input  logic [3:0][15:0]  in_valid_i,
  input  logic [3:0][15:0]  in_start_i,
  input  logic [3:0][31:0]  in_sync_i,
  input  logic [3:0][511:0] in_data_i,
  output logic [3:0]        out_valid_o,
  output logic [3:0]        out_start_o,
  output logic [3:0][1:0]   out_sync_o,
  output logic [3:0][511:0] out_data_o,
  output logic [3:0]        aligned_o,
  output logic [3:0]        lost_o
);

  for (genvar g = 0; g < 4; g++) begin : gen_deskew
    localparam int unsigned Lanes = 2 << g;
    logic [Lanes-1:0][31:0] data;

    if (Lanes < 16) begin : gen_unused
      logic [15:Lanes] unused_valid, unused_start;
      logic [31:2*Lanes] unused_sync;
      logic [511:32*Lanes] unused_data;
      assign unused_valid = in_valid_i[g][15:Lanes];
      assign unused_start = in_start_i[g][15:Lanes];
      assign unused_sync = in_sync_i[g][31:2*Lanes];
      assign unused_data = in_data_i[g][511:32*Lanes];
    end
    assign out_data_o[g] = 512'(data);
    lane_deskew #(
      .Lanes(Lanes),
      .Depth(g == 1 ? 4 : 8)
    ) u_lane_deskew (
      .clk_i,
      .rst_ni,
      .clear_i    (clear_i[g]),
      .bypass_i   (bypass_i[g]),
      .in_valid_i (in_valid_i[g][Lanes-1:0]),
      .in_start_i (in_start_i[g][Lanes-1:0]),
      .in_sync_i  (in_sync_i[g][2*Lanes-1:0]),
      .in_data_i  (in_data_i[g][32*Lanes-1:0]),
      .out_valid_o(out_valid_o[g]),
      .out_start_o(out_start_o[g]),
      .out_sync_o (out_sync_o[g]),
      .out_data_o (data),
      .aligned_o  (aligned_o[g]),
      .lost_o     (lost_o[g])
    );
  end

endmodule
