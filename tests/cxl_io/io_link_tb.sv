// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Five ends side by side, each with a peer of its own in the test: 0 has the default credits and a
// replay memory of 4, 1 other credits and a replay memory of 8, 2 grants infinite credits; their
// times are short. 3 and 4 are as the product has them, with and without limits to their credits.

module io_link_tb
  import cxl_io_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [4:0]        link_up_i,
  output logic [4:0]        dl_up_o,
  output logic [4:0]        io_tx_valid_o,
  input  logic [4:0]        io_tx_ready_i,
  output logic [4:0][511:0] io_tx_data_o,
  input  logic [4:0]        io_rx_valid_i,
  input  logic [4:0][511:0] io_rx_data_i,
  input  logic [4:0]        tlp_tx_valid_i,
  output logic [4:0]        tlp_tx_ready_o,
  input  tlp_t [4:0]        tlp_tx_i,
  output logic [4:0]        tlp_rx_valid_o,
  input  logic [4:0]        tlp_rx_ready_i,
  output tlp_t [4:0]        tlp_rx_o,
  output logic [4:0][8:0]   err_o,
  output logic [4:0][127:0] err_hdr_o
);

  for (genvar g = 0; g < 5; g++) begin : gen_end
    io_link #(
      .PHdr         (g == 1 ? 2 : 4),
      .PData        (g == 1 ? 3 : 8),
      .NpHdr        (g == 1 ? 1 : 4),
      .NpData       (g == 1 ? 2 : 4),
      .CplRoom      (g == 1 ? 2 : 4),
      .Infinite     (g == 2 || g == 4),
      .ReplayDepth  (g == 1 ? 8 : 4),
      .ReplayTimeout(g == 1 ? 61 : g < 3 ? 150 : 6144),
      .FcRefresh    (g == 1 ? 37 : g < 3 ? 400 : 30000)
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
      .err_o         (err_o[g]),
      .err_hdr_o     (err_hdr_o[g])
    );
  end

endmodule
