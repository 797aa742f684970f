// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Two ends side by side, each with a peer of its own in the test: 0 has the default credits and a
// replay memory of 4, 1 other credits and a replay memory of 8. Times are short.

module io_link_tb
  import cxl_io_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        link_up_i,
  output logic [1:0]        dl_up_o,
  output logic [1:0]        io_tx_valid_o,
  input  logic [1:0]        io_tx_ready_i,
  output logic [1:0][511:0] io_tx_data_o,
  input  logic [1:0]        io_rx_valid_i,
  input  logic [1:0][511:0] io_rx_data_i,
  input  logic [1:0]        tlp_tx_valid_i,
  output logic [1:0]        tlp_tx_ready_o,
  input  tlp_t [1:0]        tlp_tx_i,
  output logic [1:0]        tlp_rx_valid_o,
  input  logic [1:0]        tlp_rx_ready_i,
  output tlp_t [1:0]        tlp_rx_o,
  output logic [1:0][7:0]   err_o
);

  for (genvar g = 0; g < 2; g++) begin : gen_end
    io_link #(
      .PHdr         (g == 0 ? 4 : 2),
      .PData        (g == 0 ? 8 : 3),
      .NpHdr        (g == 0 ? 4 : 1),
      .NpData       (g == 0 ? 4 : 2),
      .CplRoom      (g == 0 ? 4 : 2),
      .ReplayDepth  (g == 0 ? 4 : 8),
      .ReplayTimeout(g == 0 ? 150 : 61),
      .FcRefresh    (g == 0 ? 400 : 37)
    ) u_io_link (
      .clk_i,
      .rst_ni,
      .link_up_i     (link_up_i[g]),
      .dl_up_o       (dl_up_o[g]),
      .io_tx_valid_o (io_tx_valid_o[g]),
      .io_tx_ready_i (io_tx_ready_i[g]),
      .io_tx_data_o  (io_tx_data_o[g]),
      .io_rx_valid_i (io_rx_valid_i[g]),
      .io_rx_data_i  (io_rx_data_i[g]),
      .tlp_tx_valid_i(tlp_tx_valid_i[g]),
      .tlp_tx_ready_o(tlp_tx_ready_o[g]),
      .tlp_tx_i      (tlp_tx_i[g]),
      .tlp_rx_valid_o(tlp_rx_valid_o[g]),
      .tlp_rx_ready_i(tlp_rx_ready_i[g]),
      .tlp_rx_o      (tlp_rx_o[g]),
      .err_o         (err_o[g])
    );
  end

endmodule
