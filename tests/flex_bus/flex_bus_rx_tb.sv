// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// flex_bus_rx with 2, 4, 8 and 16 lanes, side by side: element g of each port is the one with
// 2 << g lanes; flits are padded to whole 32-bit words.

module flex_bus_rx_tb
  import cxl_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [3:0]        run_i,
  input  logic [3:0]        bypass_i,
  input  logic [3:0][3:0]   expect_i,
  input  logic [3:0]        lane_valid_i,
  input  logic [3:0]        lane_start_i,
  input  logic [3:0][1:0]   lane_sync_i,
  input  logic [3:0][511:0] lane_data_i,
  output logic [3:0]        rx_valid_o,
  output logic [3:0][1:0]   rx_kind_o,
  output logic [3:0][543:0] rx_flit_o,
  output logic [3:0]        null_o,
  output logic [3:0]        synced_o,
  output logic [3:0][2:0]   status_o,
  output logic [3:0]        recovery_o
);

  for (genvar g = 0; g < 4; g++) begin : gen_rx
    localparam int unsigned Lanes = 2 << g;
    flit_kind_e kind;
    flit_t flit;

    if (Lanes < 16) begin : gen_unused
      logic [511:32*Lanes] unused_lanes;
      assign unused_lanes = lane_data_i[g][511:32*Lanes];
    end
    assign rx_kind_o[g] = kind;
    assign rx_flit_o[g] = 544'(flit);
    flex_bus_rx #(
      .Lanes(Lanes)
    ) u_flex_bus_rx (
      .clk_i,
      .rst_ni,
      .run_i       (run_i[g]),
      .bypass_i    (bypass_i[g]),
      .expect_i    (expect_i[g]),
      .lane_valid_i(lane_valid_i[g]),
      .lane_start_i(lane_start_i[g]),
      .lane_sync_i (lane_sync_i[g]),
      .lane_data_i (lane_data_i[g][32*Lanes-1:0]),
      .rx_valid_o  (rx_valid_o[g]),
      .rx_kind_o   (kind),
      .rx_flit_o   (flit),
      .null_o      (null_o[g]),
      .synced_o    (synced_o[g]),
      .status_o    (status_o[g]),
      .recovery_o  (recovery_o[g])
    );
  end

endmodule
