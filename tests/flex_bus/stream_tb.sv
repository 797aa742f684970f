// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// One direction of a link with 2, 4, 8 and 16 lanes, side by side: element g of each port is the
// one with 2 << g lanes. The transmitter's lanes come out and the lanes of the far end go in, so
// that the test can delay each of them; behind them elastic or drift buffers (by bypass_i),
// lane_deskew and the receiver. With direct_i the receiver hears the transmitter without anything
// between.

module stream_tb
  import cxl_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              bypass_i,
  input  logic              direct_i,
  input  logic              tx_run_i,
  input  logic              rx_run_i,
  input  logic              flit_en_i,
  input  logic              rd_en_i,

  input  logic [3:0]        tx_valid_i,
  output logic [3:0]        tx_ready_o,
  input  logic [3:0][1:0]   tx_kind_i,
  input  logic [3:0][543:0] tx_flit_i,
  output logic [3:0]        tx_null_o,

  output logic [3:0]        lane_valid_o,
  output logic [3:0]        lane_start_o,
  output logic [3:0][1:0]   lane_sync_o,
  output logic [3:0][511:0] lane_data_o,
  input  logic [3:0][15:0]  lane_valid_i,
  input  logic [3:0][15:0]  lane_start_i,
  input  logic [3:0][31:0]  lane_sync_i,
  input  logic [3:0][511:0] lane_data_i,

  output logic [3:0]        rx_valid_o,
  output logic [3:0][1:0]   rx_kind_o,
  output logic [3:0][543:0] rx_flit_o,
  output logic [3:0]        rx_null_o,
  output logic [3:0]        synced_o,
  output logic [3:0][2:0]   status_o,
  output logic [3:0]        recovery_o,
  output logic [3:0]        added_o,
  output logic [3:0]        removed_o,
  output logic [3:0]        slip_o,  // an over- or underflow in the buffers in use
  output logic [3:0]        lost_o
);

  for (genvar g = 0; g < 4; g++) begin : gen_link
    localparam int unsigned Lanes = 2 << g;
    logic [Lanes-1:0][31:0] tx_data, deskew_data;
    logic deskew_valid, deskew_start, unused_aligned;
    logic [1:0] deskew_sync;
    logic [543:528] unused_pad;
    flit_kind_e rx_kind;
    flit_t rx_flit;

    logic [Lanes-1:0] elastic_valid, elastic_start, elastic_slip;
    logic [Lanes-1:0] drift_valid, drift_start, drift_slip;
    logic [Lanes-1:0][1:0] elastic_sync, drift_sync;
    logic [Lanes-1:0][31:0] elastic_data, drift_data;
    logic [Lanes-1:0] added, removed;

    if (Lanes < 16) begin : gen_unused
      logic [15:Lanes] unused_valid, unused_start;
      logic [31:2*Lanes] unused_sync;
      logic [511:32*Lanes] unused_data;
      assign unused_valid = lane_valid_i[g][15:Lanes];
      assign unused_start = lane_start_i[g][15:Lanes];
      assign unused_sync = lane_sync_i[g][31:2*Lanes];
      assign unused_data = lane_data_i[g][511:32*Lanes];
    end
    assign unused_pad = tx_flit_i[g][543:528];
    assign lane_data_o[g] = 512'(tx_data);
    assign rx_kind_o[g] = rx_kind;
    assign rx_flit_o[g] = 544'(rx_flit);
    assign added_o[g] = |added;
    assign removed_o[g] = |removed;
    assign slip_o[g] = bypass_i ? |drift_slip : |elastic_slip;

    flex_bus_tx #(
      .Lanes(Lanes)
    ) u_flex_bus_tx (
      .clk_i,
      .rst_ni,
      .run_i       (tx_run_i),
      .bypass_i,
      .flit_en_i,
      .tx_valid_i  (tx_valid_i[g]),
      .tx_ready_o  (tx_ready_o[g]),
      .tx_kind_i   (flit_kind_e'(tx_kind_i[g])),
      .tx_flit_i   (tx_flit_i[g][527:0]),
      .null_o      (tx_null_o[g]),
      .lane_valid_o(lane_valid_o[g]),
      .lane_start_o(lane_start_o[g]),
      .lane_sync_o (lane_sync_o[g]),
      .lane_data_o (tx_data)
    );

    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      logic elastic_overflow, elastic_underflow, drift_overflow, drift_underflow;
      logic [3:0] unused_elastic_count;
      logic [2:0] unused_drift_count;

      assign elastic_slip[l] = elastic_overflow || elastic_underflow;
      assign drift_slip[l] = drift_overflow || drift_underflow;
      elastic_buffer u_elastic_buffer (
        .clk_i,
        .rst_ni,
        .clear_i    (!rx_run_i || bypass_i),
        .wr_valid_i (lane_valid_i[g][l]),
        .wr_start_i (lane_start_i[g][l]),
        .wr_sync_i  (lane_sync_i[g][2*l+:2]),
        .wr_data_i  (lane_data_i[g][32*l+:32]),
        .rd_en_i,
        .rd_valid_o (elastic_valid[l]),
        .rd_start_o (elastic_start[l]),
        .rd_sync_o  (elastic_sync[l]),
        .rd_data_o  (elastic_data[l]),
        .count_o    (unused_elastic_count),
        .added_o    (added[l]),
        .removed_o  (removed[l]),
        .overflow_o (elastic_overflow),
        .underflow_o(elastic_underflow)
      );
      drift_buffer u_drift_buffer (
        .clk_i,
        .rst_ni,
        .clear_i    (!rx_run_i || !bypass_i),
        .wr_valid_i (lane_valid_i[g][l]),
        .wr_start_i (lane_start_i[g][l]),
        .wr_sync_i  (lane_sync_i[g][2*l+:2]),
        .wr_data_i  (lane_data_i[g][32*l+:32]),
        .rd_en_i,
        .rd_valid_o (drift_valid[l]),
        .rd_start_o (drift_start[l]),
        .rd_sync_o  (drift_sync[l]),
        .rd_data_o  (drift_data[l]),
        .count_o    (unused_drift_count),
        .overflow_o (drift_overflow),
        .underflow_o(drift_underflow)
      );
    end

    lane_deskew #(
      .Lanes(Lanes)
    ) u_lane_deskew (
      .clk_i,
      .rst_ni,
      .clear_i    (!rx_run_i),
      .bypass_i,
      .in_valid_i (bypass_i ? drift_valid : elastic_valid),
      .in_start_i (bypass_i ? drift_start : elastic_start),
      .in_sync_i  (bypass_i ? drift_sync : elastic_sync),
      .in_data_i  (bypass_i ? drift_data : elastic_data),
      .out_valid_o(deskew_valid),
      .out_start_o(deskew_start),
      .out_sync_o (deskew_sync),
      .out_data_o (deskew_data),
      .aligned_o  (unused_aligned),
      .lost_o     (lost_o[g])
    );

    flex_bus_rx #(
      .Lanes(Lanes)
    ) u_flex_bus_rx (
      .clk_i,
      .rst_ni,
      .run_i       (rx_run_i),
      .bypass_i,
      .expect_i    (4'hF),
      .lane_valid_i(direct_i ? lane_valid_o[g] : deskew_valid),
      .lane_start_i(direct_i ? lane_start_o[g] : deskew_start),
      .lane_sync_i (direct_i ? lane_sync_o[g] : deskew_sync),
      .lane_data_i (direct_i ? tx_data : deskew_data),
      .rx_valid_o  (rx_valid_o[g]),
      .rx_kind_o   (rx_kind),
      .rx_flit_o   (rx_flit),
      .null_o      (rx_null_o[g]),
      .synced_o    (synced_o[g]),
      .status_o    (status_o[g]),
      .recovery_o  (recovery_o[g])
    );
  end

endmodule
