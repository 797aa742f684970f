// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both ends of two links and one more, side by side: elements 0 (downstream port) and 1 (upstream
// port) of each port have the default goals and a Timeout of 100, 2 and 3 have small goals and a
// Timeout of 20; 4 is a downstream port with the defaults.

module apn_tb
  import cxl_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [4:0]       start_i,
  input  logic [4:0][31:0] advertise_i,
  input  logic [4:0]       common_clock_i,
  input  logic [4:0][1:0]  retimer_present_i,
  input  logic [4:0]       speed_done_i,
  input  logic [4:0]       speed_ok_i,
  input  logic [4:0]       recovery_i,
  input  logic [4:0]       ts_rx_valid_i,
  input  logic [4:0][63:0] ts_rx_i,
  input  logic [4:0]       null_sent_i,
  input  logic [4:0]       null_rcvd_i,
  output logic [4:0]       ts_tx_valid_o,
  output logic [4:0][63:0] ts_tx_o,
  output logic [4:0][2:0]  state_o,
  output logic [4:0]       done_o,
  output logic [4:0]       cxl_o,
  output logic [4:0][31:0] caps_o,
  output logic [4:0]       bypass_o,
  output logic [4:0][3:0]  expect_o,
  output logic [4:0]       rx_run_o,
  output logic [4:0]       tx_run_o,
  output logic [4:0]       l0_o,
  output logic [4:0]       recovery_o
);

  for (genvar g = 0; g < 5; g++) begin : gen_apn
    localparam bit Small = g == 2 || g == 3;
    apn_ts_t ts_tx;
    apn_caps_t caps;
    apn_state_e state;
    logic [31:24] unused_advertise;
    logic [63:57] unused_ts;

    assign unused_advertise = advertise_i[g][31:24];
    assign unused_ts = ts_rx_i[g][63:57];
    assign ts_tx_o[g] = 64'(ts_tx);
    assign caps_o[g] = 32'(caps);
    assign state_o[g] = state;
    apn #(
      .IsDsp       (g % 2 == 0),
      .TsReceived  (Small ? 2 : 8),
      .TsSent      (Small ? 3 : 16),
      .NullReceived(Small ? 1 : 4),
      .NullSent    (Small ? 1 : 8),
      .Timeout     (g < 2 ? 100 : g < 4 ? 20 : 4096)
    ) u_apn (
      .clk_i,
      .rst_ni,
      .start_i          (start_i[g]),
      .advertise_i      (advertise_i[g][23:0]),
      .common_clock_i   (common_clock_i[g]),
      .retimer_present_i(retimer_present_i[g]),
      .speed_done_i     (speed_done_i[g]),
      .speed_ok_i       (speed_ok_i[g]),
      .recovery_i       (recovery_i[g]),
      .ts_rx_valid_i    (ts_rx_valid_i[g]),
      .ts_rx_i          (ts_rx_i[g][56:0]),
      .null_sent_i      (null_sent_i[g]),
      .null_rcvd_i      (null_rcvd_i[g]),
      .ts_tx_valid_o    (ts_tx_valid_o[g]),
      .ts_tx_o          (ts_tx),
      .state_o          (state),
      .done_o           (done_o[g]),
      .cxl_o            (cxl_o[g]),
      .caps_o           (caps),
      .bypass_o         (bypass_o[g]),
      .expect_o         (expect_o[g]),
      .rx_run_o         (rx_run_o[g]),
      .tx_run_o         (tx_run_o[g]),
      .l0_o             (l0_o[g]),
      .recovery_o       (recovery_o[g])
    );
  end

endmodule
