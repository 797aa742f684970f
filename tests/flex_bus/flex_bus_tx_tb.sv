// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// flex_bus_tx at every width and with several interval lengths, side by side. Element g of each
// port belongs to transmitter g; a lane or flit port is padded to whole 32-bit words.
// SyncBlocks leaves short NULL flits of 1, 15, 16, 14, 5, 0, 1, 7 and 0 DWs.

module flex_bus_tx_tb
  import cxl_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [8:0]        run_i,
  input  logic [8:0]        bypass_i,
  input  logic [8:0]        flit_en_i,
  input  logic [8:0]        tx_valid_i,
  output logic [8:0]        tx_ready_o,
  input  logic [8:0][1:0]   tx_kind_i,
  input  logic [8:0][543:0] tx_flit_i,
  output logic [8:0]        null_o,
  output logic [8:0]        lane_valid_o,
  output logic [8:0]        lane_start_o,
  output logic [8:0][1:0]   lane_sync_o,
  output logic [8:0][511:0] lane_data_o
);

  localparam int unsigned LanesOf[9] = '{2, 2, 4, 4, 8, 8, 16, 16, 8};
  localparam int unsigned BypassOf[9] = '{17, 34, 17, 34, 17, 34, 17, 34, 340};
  localparam int unsigned SyncOf[9] = '{15, 4, 18, 3, 6, 17, 4, 11, 374};

  for (genvar g = 0; g < 9; g++) begin : gen_tx
    localparam int unsigned Lanes = LanesOf[g];
    logic [Lanes-1:0][31:0] lanes;
    logic [543:528] unused_pad;

    assign unused_pad = tx_flit_i[g][543:528];
    assign lane_data_o[g] = 512'(lanes);
    flex_bus_tx #(
      .Lanes       (Lanes),
      .BypassBlocks(BypassOf[g]),
      .SyncBlocks  (SyncOf[g])
    ) u_flex_bus_tx (
      .clk_i,
      .rst_ni,
      .run_i       (run_i[g]),
      .bypass_i    (bypass_i[g]),
      .flit_en_i   (flit_en_i[g]),
      .tx_valid_i  (tx_valid_i[g]),
      .tx_ready_o  (tx_ready_o[g]),
      .tx_kind_i   (flit_kind_e'(tx_kind_i[g])),
      .tx_flit_i   (tx_flit_i[g][527:0]),
      .null_o      (null_o[g]),
      .lane_valid_o(lane_valid_o[g]),
      .lane_start_o(lane_start_o[g]),
      .lane_sync_o (lane_sync_o[g]),
      .lane_data_o (lanes)
    );
  end

endmodule
