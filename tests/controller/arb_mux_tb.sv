// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both ARB/MUXes behind one set of ports; is_host_i says whose turn it is (the other is in reset).
// Their weights after reset differ from each other and from the default.

module arb_mux_tb
  import cxl_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         is_host_i,
  input  logic         tx_ready_i,
  output logic         tx_valid_o,
  output logic [1:0]   tx_kind_o,
  output flit_t        tx_flit_o,
  input  logic         rx_valid_i,
  input  logic [1:0]   rx_kind_i,
  input  flit_t        rx_flit_i,
  input  logic         phy_up_i,
  input  logic         phy_recovery_i,
  output logic         retrain_req_o,
  output logic [3:0]   phy_state_o,
  input  logic         cm_tx_valid_i,
  output logic         cm_tx_ready_o,
  input  flit_t        cm_tx_flit_i,
  output logic         cm_rx_valid_o,
  output flit_t        cm_rx_flit_o,
  output logic         cm_link_up_o,
  input  logic         cm_phy_reinit_req_i,
  output logic         cm_phy_reinit_done_o,
  input  logic         io_tx_valid_i,
  output logic         io_tx_ready_o,
  input  logic [511:0] io_tx_data_i,
  output logic         io_rx_valid_o,
  output logic [511:0] io_rx_data_o,
  output logic         io_link_up_o,
  input  logic [3:0]   io_req_i,
  input  logic [3:0]   cm_req_i,
  output logic [3:0]   io_state_o,
  output logic [3:0]   cm_state_o,
  input  logic         weight_io_we_i,
  input  logic [3:0]   weight_io_i,
  input  logic         weight_cm_we_i,
  input  logic [3:0]   weight_cm_i,
  output logic [3:0]   weight_io_o,
  output logic [3:0]   weight_cm_o,
  output logic [2:0]   err_o
);

  logic [1:0] tx_valid;
  logic [1:0][1:0] tx_kind;
  flit_t [1:0] tx_flit;
  logic [1:0] retrain_req;
  logic [1:0][3:0] phy_state;
  logic [1:0] cm_tx_ready;
  logic [1:0] cm_rx_valid;
  flit_t [1:0] cm_rx_flit;
  logic [1:0] cm_link_up;
  logic [1:0] cm_phy_reinit_done;
  logic [1:0] io_tx_ready;
  logic [1:0] io_rx_valid;
  logic [1:0][511:0] io_rx_data;
  logic [1:0] io_link_up;
  logic [1:0][3:0] io_state;
  logic [1:0][3:0] cm_state;
  logic [1:0][3:0] weight_io;
  logic [1:0][3:0] weight_cm;
  logic [1:0][2:0] err;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    arb_mux #(
      .IsHost  (i == 1),
      .WeightIo(i == 1 ? 4'd3 : 4'd0),
      .WeightCm(i == 1 ? 4'd2 : 4'd6)
    ) i_dut (
      .clk_i,
      .rst_ni(rst_ni && is_host_i == (i == 1)),
      .tx_ready_i,
      .tx_valid_o(tx_valid[i]),
      .tx_kind_o(tx_kind[i]),
      .tx_flit_o(tx_flit[i]),
      .rx_valid_i,
      .rx_kind_i,
      .rx_flit_i,
      .phy_up_i,
      .phy_recovery_i,
      .retrain_req_o(retrain_req[i]),
      .phy_state_o(phy_state[i]),
      .cm_tx_valid_i,
      .cm_tx_ready_o(cm_tx_ready[i]),
      .cm_tx_flit_i,
      .cm_rx_valid_o(cm_rx_valid[i]),
      .cm_rx_flit_o(cm_rx_flit[i]),
      .cm_link_up_o(cm_link_up[i]),
      .cm_phy_reinit_req_i,
      .cm_phy_reinit_done_o(cm_phy_reinit_done[i]),
      .io_tx_valid_i,
      .io_tx_ready_o(io_tx_ready[i]),
      .io_tx_data_i,
      .io_rx_valid_o(io_rx_valid[i]),
      .io_rx_data_o(io_rx_data[i]),
      .io_link_up_o(io_link_up[i]),
      .io_req_i,
      .cm_req_i,
      .io_state_o(io_state[i]),
      .cm_state_o(cm_state[i]),
      .weight_io_we_i,
      .weight_io_i,
      .weight_cm_we_i,
      .weight_cm_i,
      .weight_io_o(weight_io[i]),
      .weight_cm_o(weight_cm[i]),
      .err_o(err[i])
    );
  end

  assign tx_valid_o = tx_valid[is_host_i];
  assign tx_kind_o = tx_kind[is_host_i];
  assign tx_flit_o = tx_flit[is_host_i];
  assign retrain_req_o = retrain_req[is_host_i];
  assign phy_state_o = phy_state[is_host_i];
  assign cm_tx_ready_o = cm_tx_ready[is_host_i];
  assign cm_rx_valid_o = cm_rx_valid[is_host_i];
  assign cm_rx_flit_o = cm_rx_flit[is_host_i];
  assign cm_link_up_o = cm_link_up[is_host_i];
  assign cm_phy_reinit_done_o = cm_phy_reinit_done[is_host_i];
  assign io_tx_ready_o = io_tx_ready[is_host_i];
  assign io_rx_valid_o = io_rx_valid[is_host_i];
  assign io_rx_data_o = io_rx_data[is_host_i];
  assign io_link_up_o = io_link_up[is_host_i];
  assign io_state_o = io_state[is_host_i];
  assign cm_state_o = cm_state[is_host_i];
  assign weight_io_o = weight_io[is_host_i];
  assign weight_cm_o = weight_cm[is_host_i];
  assign err_o = err[is_host_i];

endmodule
