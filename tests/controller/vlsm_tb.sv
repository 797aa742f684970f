// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both machines behind one set of ports; is_host_i says whose turn it is (the other is in reset).

module vlsm_tb (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       is_host_i,
  input  logic [3:0] req_i,
  input  logic       down_i,
  input  logic       go_down_i,
  input  logic       go_recovery_i,
  input  logic       cold_up_i,
  input  logic       warm_up_i,
  input  logic       run_i,
  input  logic       rx_valid_i,
  input  logic       rx_request_i,
  input  logic [3:0] rx_code_i,
  input  logic       tx_taken_i,
  output logic       tx_valid_o,
  output logic       tx_request_o,
  output logic [3:0] tx_code_o,
  output logic [3:0] state_o,
  output logic       tx_open_o,
  output logic       rx_open_o,
  output logic       link_up_o,
  output logic       recovered_o,
  output logic       wake_o,
  output logic       retrain_o,
  output logic       unexpected_o
);

  logic [1:0] tx_valid, tx_request, tx_open, rx_open, link_up, recovered, wake, retrain, unexpected;
  logic [1:0][3:0] tx_code, state;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    vlsm #(.IsHost(i == 1)) i_dut (
      .clk_i,
      .rst_ni      (rst_ni && is_host_i == (i == 1)),
      .req_i, .down_i, .go_down_i, .go_recovery_i, .cold_up_i, .warm_up_i, .run_i,
      .rx_valid_i, .rx_request_i, .rx_code_i, .tx_taken_i,
      .tx_valid_o  (tx_valid[i]),
      .tx_request_o(tx_request[i]),
      .tx_code_o   (tx_code[i]),
      .state_o     (state[i]),
      .tx_open_o   (tx_open[i]),
      .rx_open_o   (rx_open[i]),
      .link_up_o   (link_up[i]),
      .recovered_o (recovered[i]),
      .wake_o      (wake[i]),
      .retrain_o   (retrain[i]),
      .unexpected_o(unexpected[i])
    );
  end

  assign tx_valid_o   = tx_valid[is_host_i];
  assign tx_request_o = tx_request[is_host_i];
  assign tx_code_o    = tx_code[is_host_i];
  assign state_o      = state[is_host_i];
  assign tx_open_o    = tx_open[is_host_i];
  assign rx_open_o    = rx_open[is_host_i];
  assign link_up_o    = link_up[is_host_i];
  assign recovered_o  = recovered[is_host_i];
  assign wake_o       = wake[is_host_i];
  assign retrain_o    = retrain[is_host_i];
  assign unexpected_o = unexpected[is_host_i];

endmodule
