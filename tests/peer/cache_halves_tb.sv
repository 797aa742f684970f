// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A host controller (index 0) and a device controller (index 1) with CXL.cache, each for a standard
// link layer at its other end. They send nothing of their own; data of CXL.cache are what is
// received.

module cache_halves_tb
  import cxl_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        link_up_i,
  output logic [1:0]        rx_cdat_valid_o,
  input  logic [1:0]        rx_cdat_ready_i,
  output logic [1:0][23:0]  rx_cdat_hdr_o,
  output logic [1:0][511:0] rx_cdat_data_o,
  output logic [1:0][63:0]  rx_cdat_be_o,
  output logic [1:0]        link_tx_valid_o,
  output flit_t [1:0]       link_tx_flit_o,
  input  logic [1:0]        link_rx_valid_i,
  input  flit_t [1:0]       link_rx_flit_i,
  output logic [1:0]        init_done_o,
  output logic [1:0][7:0]   err_o
);

  link_control_t control;
  assign control = '{ack_force: 8'h10, flush: 10'h20, default: '0};

  for (genvar i = 0; i < 2; i++) begin : gen_end
    // Outputs that the test does not look at stay open.
    /* verilator lint_off PINCONNECTEMPTY */
    cxl_controller #(
      .IsHost  (i == 0),
      .HasCache(1)
    ) u_dut (
      .clk_i,
      .rst_ni,
      .link_up_i        (link_up_i[i]),
      .link_control_i   (control),
      .link_status_o    (),
      .tx_flush_i       (1'b0),
      .viral_i          (1'b0),
      .viral_o          (),
      .tx_nd_valid_i    (1'b0),
      .tx_nd_ready_o    (),
      .tx_nd_hdr_i      ('0),
      .tx_wd_valid_i    (1'b0),
      .tx_wd_ready_o    (),
      .tx_wd_hdr_i      ('0),
      .tx_wd_data_i     ('0),
      .tx_wd_be_i       ('0),
      .rx_nd_valid_o    (),
      .rx_nd_ready_i    (1'b1),
      .rx_nd_hdr_o      (),
      .rx_wd_valid_o    (),
      .rx_wd_ready_i    (1'b1),
      .rx_wd_hdr_o      (),
      .rx_wd_data_o     (),
      .rx_wd_be_o       (),
      .rx_nd_count_o    (),
      .rx_wd_count_o    (),
      .tx_creq_valid_i  (1'b0),
      .tx_creq_ready_o  (),
      .tx_creq_hdr_i    ('0),
      .tx_crsp_valid_i  (1'b0),
      .tx_crsp_ready_o  (),
      .tx_crsp_hdr_i    ('0),
      .tx_cdat_valid_i  (1'b0),
      .tx_cdat_ready_o  (),
      .tx_cdat_hdr_i    ('0),
      .tx_cdat_data_i   ('0),
      .tx_cdat_be_i     ('0),
      .rx_creq_valid_o  (),
      .rx_creq_ready_i  (1'b1),
      .rx_creq_hdr_o    (),
      .rx_crsp_valid_o  (),
      .rx_crsp_ready_i  (1'b1),
      .rx_crsp_hdr_o    (),
      .rx_cdat_valid_o  (rx_cdat_valid_o[i]),
      .rx_cdat_ready_i  (rx_cdat_ready_i[i]),
      .rx_cdat_hdr_o    (rx_cdat_hdr_o[i]),
      .rx_cdat_data_o   (rx_cdat_data_o[i]),
      .rx_cdat_be_o     (rx_cdat_be_o[i]),
      .link_tx_valid_o  (link_tx_valid_o[i]),
      .link_tx_ready_i  (1'b1),
      .link_tx_flit_o   (link_tx_flit_o[i]),
      .link_rx_valid_i  (link_rx_valid_i[i]),
      .link_rx_flit_i   (link_rx_flit_i[i]),
      .phy_reinit_req_o (),
      .phy_reinit_done_i(1'b0),
      .init_done_o      (init_done_o[i]),
      .abort_o          (),
      .err_o            (err_o[i]),
      .err_flit_o       (),
      .err_overflow_o   ()
    );
    /* verilator lint_on PINCONNECTEMPTY */
  end

endmodule
