// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Four controllers, each with its wire open: 0 host, 1 device; 2 and 3 the same with the wrap value
// of INIT.Param read as the last sequence number. Small queues and the least retry buffer.

module link_rules_tb
  import cxl_pkg::*;
(
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [3:0]           link_up_i,
  input  logic [3:0]           mdh_disable_i,
  input  logic [3:0]           tx_nd_valid_i,
  output logic [3:0]           tx_nd_ready_o,
  input  msg_hdr_t [3:0]       tx_nd_hdr_i,
  input  logic [3:0]           tx_wd_valid_i,
  output logic [3:0]           tx_wd_ready_o,
  input  msg_hdr_t [3:0]       tx_wd_hdr_i,
  input  line_t                tx_wd_data_i,  // of all: a wider port is too much for Verilator 5.006
  output logic [3:0]           rx_nd_valid_o,
  input  logic [3:0]           rx_nd_ready_i,
  output msg_hdr_t [3:0]       rx_nd_hdr_o,
  output logic [3:0]           rx_wd_valid_o,
  input  logic [3:0]           rx_wd_ready_i,
  output msg_hdr_t [3:0]       rx_wd_hdr_o,
  output line_t [3:0]          rx_wd_data_o,
  output byte_en_t [3:0]       rx_wd_be_o,
  output logic [3:0]           link_tx_valid_o,
  input  logic [3:0]           link_tx_ready_i,
  output flit_t [3:0]          link_tx_flit_o,
  input  logic [3:0]           link_rx_valid_i,
  input  flit_t [3:0]          link_rx_flit_i,
  output logic [3:0]           init_done_o,
  output logic [3:0]           abort_o,
  output logic [3:0][7:0]      err_o,
  output flit_payload_t [3:0]  err_flit_o,
  output logic [3:0][2:0]      err_overflow_o
);

  for (genvar i = 0; i < 4; i++) begin : gen_end
    link_status_t unused_status;
    logic         unused_viral, unused_reinit;
    logic [6:0]   unused_nd_count, unused_wd_count;
    logic         unused_creq_ready, unused_crsp_ready, unused_cdat_ready;
    logic         unused_creq_valid, unused_crsp_valid, unused_cdat_valid;
    cache_req_t   unused_creq_hdr;
    cache_rsp_t   unused_crsp_hdr;
    cache_dh_t    unused_cdat_hdr;
    line_t        unused_cdat_data;
    byte_en_t     unused_cdat_be;

    cxl_controller #(
      .IsHost          (i % 2 == 0),
      .NdRxDepth       (4),
      .WdRxDepth       (4),
      .LlrbDepth       (22),
      .LlrWrapInclusive(i >= 2)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .link_up_i        (link_up_i[i]),
      .link_control_i   ({32'd0, 1'b0, 1'b0, mdh_disable_i[i]}),
      .link_status_o    (unused_status),
      .tx_flush_i       (1'b0),
      .viral_i          (1'b0),
      .viral_o          (unused_viral),
      .tx_nd_valid_i    (tx_nd_valid_i[i]),
      .tx_nd_ready_o    (tx_nd_ready_o[i]),
      .tx_nd_hdr_i      (tx_nd_hdr_i[i]),
      .tx_wd_valid_i    (tx_wd_valid_i[i]),
      .tx_wd_ready_o    (tx_wd_ready_o[i]),
      .tx_wd_hdr_i      (tx_wd_hdr_i[i]),
      .tx_wd_data_i     (tx_wd_data_i),
      .tx_wd_be_i       ('1),
      .rx_nd_valid_o    (rx_nd_valid_o[i]),
      .rx_nd_ready_i    (rx_nd_ready_i[i]),
      .rx_nd_hdr_o      (rx_nd_hdr_o[i]),
      .rx_wd_valid_o    (rx_wd_valid_o[i]),
      .rx_wd_ready_i    (rx_wd_ready_i[i]),
      .rx_wd_hdr_o      (rx_wd_hdr_o[i]),
      .rx_wd_data_o     (rx_wd_data_o[i]),
      .rx_wd_be_o       (rx_wd_be_o[i]),
      .rx_nd_count_o    (unused_nd_count),
      .rx_wd_count_o    (unused_wd_count),
      .tx_creq_valid_i  (1'b0),
      .tx_creq_ready_o  (unused_creq_ready),
      .tx_creq_hdr_i    ('0),
      .tx_crsp_valid_i  (1'b0),
      .tx_crsp_ready_o  (unused_crsp_ready),
      .tx_crsp_hdr_i    ('0),
      .tx_cdat_valid_i  (1'b0),
      .tx_cdat_ready_o  (unused_cdat_ready),
      .tx_cdat_hdr_i    ('0),
      .tx_cdat_data_i   ('0),
      .tx_cdat_be_i     ('0),
      .rx_creq_valid_o  (unused_creq_valid),
      .rx_creq_ready_i  (1'b0),
      .rx_creq_hdr_o    (unused_creq_hdr),
      .rx_crsp_valid_o  (unused_crsp_valid),
      .rx_crsp_ready_i  (1'b0),
      .rx_crsp_hdr_o    (unused_crsp_hdr),
      .rx_cdat_valid_o  (unused_cdat_valid),
      .rx_cdat_ready_i  (1'b0),
      .rx_cdat_hdr_o    (unused_cdat_hdr),
      .rx_cdat_data_o   (unused_cdat_data),
      .rx_cdat_be_o     (unused_cdat_be),
      .link_tx_valid_o  (link_tx_valid_o[i]),
      .link_tx_ready_i  (link_tx_ready_i[i]),
      .link_tx_flit_o   (link_tx_flit_o[i]),
      .link_rx_valid_i  (link_rx_valid_i[i]),
      .link_rx_flit_i   (link_rx_flit_i[i]),
      .phy_reinit_req_o (unused_reinit),
      .phy_reinit_done_i(1'b0),
      .init_done_o      (init_done_o[i]),
      .abort_o          (abort_o[i]),
      .err_o            (err_o[i]),
      .err_flit_o       (err_flit_o[i]),
      .err_overflow_o   (err_overflow_o[i])
    );
  end

endmodule
