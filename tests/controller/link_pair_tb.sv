// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A host and a device controller with the sizes of both as parameters; the link between them is the
// test bench's. One port for each signal of each end, so that every wide one starts on a word.

module link_pair_tb
  import cxl_pkg::*;
#(
  parameter int unsigned HostNdRx = 32,
  parameter int unsigned HostWdRx = 32,
  parameter int unsigned HostLlrb = 128,
  parameter int unsigned DevNdRx = 24,
  parameter int unsigned DevWdRx = 12,
  parameter int unsigned DevLlrb = 40
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       host_link_up_i,
  input  logic       host_mdh_disable_i,
  input  logic       host_init_stall_i,
  input  logic       host_crd_stall_i,
  input  logic [7:0] host_ack_force_i,
  input  logic [9:0] host_flush_i,
  output link_status_t host_link_status_o,
  input  logic       host_tx_nd_valid_i,
  output logic       host_tx_nd_ready_o,
  input  msg_hdr_t   host_tx_nd_hdr_i,
  input  logic       host_tx_wd_valid_i,
  output logic       host_tx_wd_ready_o,
  input  msg_hdr_t   host_tx_wd_hdr_i,
  input  line_t      host_tx_wd_data_i,
  input  byte_en_t   host_tx_wd_be_i,
  output logic       host_rx_nd_valid_o,
  input  logic       host_rx_nd_ready_i,
  output msg_hdr_t   host_rx_nd_hdr_o,
  output logic       host_rx_wd_valid_o,
  input  logic       host_rx_wd_ready_i,
  output msg_hdr_t   host_rx_wd_hdr_o,
  output line_t      host_rx_wd_data_o,
  output byte_en_t   host_rx_wd_be_o,
  output logic [6:0] host_rx_nd_count_o,
  output logic [6:0] host_rx_wd_count_o,
  output logic       host_link_tx_valid_o,
  input  logic       host_link_tx_ready_i,
  output flit_t      host_link_tx_flit_o,
  input  logic       host_link_rx_valid_i,
  input  flit_t      host_link_rx_flit_i,
  output logic       host_phy_reinit_req_o,
  input  logic       host_phy_reinit_done_i,
  output logic       host_init_done_o,
  output logic       host_abort_o,
  output logic [7:0] host_err_o,

  input  logic       dev_link_up_i,
  input  logic       dev_mdh_disable_i,
  input  logic       dev_init_stall_i,
  input  logic       dev_crd_stall_i,
  input  logic [7:0] dev_ack_force_i,
  input  logic [9:0] dev_flush_i,
  output link_status_t dev_link_status_o,
  input  logic       dev_tx_nd_valid_i,
  output logic       dev_tx_nd_ready_o,
  input  msg_hdr_t   dev_tx_nd_hdr_i,
  input  logic       dev_tx_wd_valid_i,
  output logic       dev_tx_wd_ready_o,
  input  msg_hdr_t   dev_tx_wd_hdr_i,
  input  line_t      dev_tx_wd_data_i,
  input  byte_en_t   dev_tx_wd_be_i,
  output logic       dev_rx_nd_valid_o,
  input  logic       dev_rx_nd_ready_i,
  output msg_hdr_t   dev_rx_nd_hdr_o,
  output logic       dev_rx_wd_valid_o,
  input  logic       dev_rx_wd_ready_i,
  output msg_hdr_t   dev_rx_wd_hdr_o,
  output line_t      dev_rx_wd_data_o,
  output byte_en_t   dev_rx_wd_be_o,
  output logic [6:0] dev_rx_nd_count_o,
  output logic [6:0] dev_rx_wd_count_o,
  output logic       dev_link_tx_valid_o,
  input  logic       dev_link_tx_ready_i,
  output flit_t      dev_link_tx_flit_o,
  input  logic       dev_link_rx_valid_i,
  input  flit_t      dev_link_rx_flit_i,
  output logic       dev_phy_reinit_req_o,
  input  logic       dev_phy_reinit_done_i,
  output logic       dev_init_done_o,
  output logic       dev_abort_o,
  output logic [7:0] dev_err_o
);

  link_control_t host_link_control_q, dev_link_control_q;

  always_ff @(posedge clk_i) begin
    host_link_control_q <= {14'd0, host_flush_i, host_ack_force_i, host_crd_stall_i,
                            host_init_stall_i, host_mdh_disable_i};
    dev_link_control_q  <= {14'd0, dev_flush_i, dev_ack_force_i, dev_crd_stall_i,
                            dev_init_stall_i, dev_mdh_disable_i};
  end

  logic unused_host_viral, unused_dev_viral;
  flit_payload_t unused_host_err_flit, unused_dev_err_flit;
  logic [2:0] unused_host_err_overflow, unused_dev_err_overflow;

  // No CXL.cache on this link.
  logic       unused_host_tx_creq_ready;
  logic       unused_host_tx_crsp_ready;
  logic       unused_host_tx_cdat_ready;
  logic       unused_host_rx_creq_valid;
  cache_req_t unused_host_rx_creq_hdr;
  logic       unused_host_rx_crsp_valid;
  cache_rsp_t unused_host_rx_crsp_hdr;
  logic       unused_host_rx_cdat_valid;
  cache_dh_t  unused_host_rx_cdat_hdr;
  line_t      unused_host_rx_cdat_data;
  byte_en_t   unused_host_rx_cdat_be;
  logic       unused_dev_tx_creq_ready;
  logic       unused_dev_tx_crsp_ready;
  logic       unused_dev_tx_cdat_ready;
  logic       unused_dev_rx_creq_valid;
  cache_req_t unused_dev_rx_creq_hdr;
  logic       unused_dev_rx_crsp_valid;
  cache_rsp_t unused_dev_rx_crsp_hdr;
  logic       unused_dev_rx_cdat_valid;
  cache_dh_t  unused_dev_rx_cdat_hdr;
  line_t      unused_dev_rx_cdat_data;
  byte_en_t   unused_dev_rx_cdat_be;

  cxl_controller #(
    .IsHost   (1'b1),
    .NdRxDepth(HostNdRx),
    .WdRxDepth(HostWdRx),
    .LlrbDepth(HostLlrb)
  ) i_host (
    .clk_i,
    .rst_ni,
    .link_up_i        (host_link_up_i),
    .link_control_i   (host_link_control_q),
    .link_status_o    (host_link_status_o),
    .tx_flush_i       (1'b0),
    .viral_i          (1'b0),
    .viral_o          (unused_host_viral),
    .tx_nd_valid_i    (host_tx_nd_valid_i),
    .tx_nd_ready_o    (host_tx_nd_ready_o),
    .tx_nd_hdr_i      (host_tx_nd_hdr_i),
    .tx_wd_valid_i    (host_tx_wd_valid_i),
    .tx_wd_ready_o    (host_tx_wd_ready_o),
    .tx_wd_hdr_i      (host_tx_wd_hdr_i),
    .tx_wd_data_i     (host_tx_wd_data_i),
    .tx_wd_be_i       (host_tx_wd_be_i),
    .rx_nd_valid_o    (host_rx_nd_valid_o),
    .rx_nd_ready_i    (host_rx_nd_ready_i),
    .rx_nd_hdr_o      (host_rx_nd_hdr_o),
    .rx_wd_valid_o    (host_rx_wd_valid_o),
    .rx_wd_ready_i    (host_rx_wd_ready_i),
    .rx_wd_hdr_o      (host_rx_wd_hdr_o),
    .rx_wd_data_o     (host_rx_wd_data_o),
    .rx_wd_be_o       (host_rx_wd_be_o),
    .rx_nd_count_o    (host_rx_nd_count_o),
    .rx_wd_count_o    (host_rx_wd_count_o),
    .tx_creq_valid_i  (1'b0),
    .tx_creq_ready_o  (unused_host_tx_creq_ready),
    .tx_creq_hdr_i    ('0),
    .tx_crsp_valid_i  (1'b0),
    .tx_crsp_ready_o  (unused_host_tx_crsp_ready),
    .tx_crsp_hdr_i    ('0),
    .tx_cdat_valid_i  (1'b0),
    .tx_cdat_ready_o  (unused_host_tx_cdat_ready),
    .tx_cdat_hdr_i    ('0),
    .tx_cdat_data_i   ('0),
    .tx_cdat_be_i     ('0),
    .rx_creq_valid_o  (unused_host_rx_creq_valid),
    .rx_creq_ready_i  (1'b0),
    .rx_creq_hdr_o    (unused_host_rx_creq_hdr),
    .rx_crsp_valid_o  (unused_host_rx_crsp_valid),
    .rx_crsp_ready_i  (1'b0),
    .rx_crsp_hdr_o    (unused_host_rx_crsp_hdr),
    .rx_cdat_valid_o  (unused_host_rx_cdat_valid),
    .rx_cdat_ready_i  (1'b0),
    .rx_cdat_hdr_o    (unused_host_rx_cdat_hdr),
    .rx_cdat_data_o   (unused_host_rx_cdat_data),
    .rx_cdat_be_o     (unused_host_rx_cdat_be),
    .link_tx_valid_o  (host_link_tx_valid_o),
    .link_tx_ready_i  (host_link_tx_ready_i),
    .link_tx_flit_o   (host_link_tx_flit_o),
    .link_rx_valid_i  (host_link_rx_valid_i),
    .link_rx_flit_i   (host_link_rx_flit_i),
    .phy_reinit_req_o (host_phy_reinit_req_o),
    .phy_reinit_done_i(host_phy_reinit_done_i),
    .init_done_o      (host_init_done_o),
    .abort_o          (host_abort_o),
    .err_o            (host_err_o),
    .err_flit_o       (unused_host_err_flit),
    .err_overflow_o   (unused_host_err_overflow)
  );

  cxl_controller #(
    .IsHost   (1'b0),
    .NdRxDepth(DevNdRx),
    .WdRxDepth(DevWdRx),
    .LlrbDepth(DevLlrb)
  ) i_dev (
    .clk_i,
    .rst_ni,
    .link_up_i        (dev_link_up_i),
    .link_control_i   (dev_link_control_q),
    .link_status_o    (dev_link_status_o),
    .tx_flush_i       (1'b0),
    .viral_i          (1'b0),
    .viral_o          (unused_dev_viral),
    .tx_nd_valid_i    (dev_tx_nd_valid_i),
    .tx_nd_ready_o    (dev_tx_nd_ready_o),
    .tx_nd_hdr_i      (dev_tx_nd_hdr_i),
    .tx_wd_valid_i    (dev_tx_wd_valid_i),
    .tx_wd_ready_o    (dev_tx_wd_ready_o),
    .tx_wd_hdr_i      (dev_tx_wd_hdr_i),
    .tx_wd_data_i     (dev_tx_wd_data_i),
    .tx_wd_be_i       (dev_tx_wd_be_i),
    .rx_nd_valid_o    (dev_rx_nd_valid_o),
    .rx_nd_ready_i    (dev_rx_nd_ready_i),
    .rx_nd_hdr_o      (dev_rx_nd_hdr_o),
    .rx_wd_valid_o    (dev_rx_wd_valid_o),
    .rx_wd_ready_i    (dev_rx_wd_ready_i),
    .rx_wd_hdr_o      (dev_rx_wd_hdr_o),
    .rx_wd_data_o     (dev_rx_wd_data_o),
    .rx_wd_be_o       (dev_rx_wd_be_o),
    .rx_nd_count_o    (dev_rx_nd_count_o),
    .rx_wd_count_o    (dev_rx_wd_count_o),
    .tx_creq_valid_i  (1'b0),
    .tx_creq_ready_o  (unused_dev_tx_creq_ready),
    .tx_creq_hdr_i    ('0),
    .tx_crsp_valid_i  (1'b0),
    .tx_crsp_ready_o  (unused_dev_tx_crsp_ready),
    .tx_crsp_hdr_i    ('0),
    .tx_cdat_valid_i  (1'b0),
    .tx_cdat_ready_o  (unused_dev_tx_cdat_ready),
    .tx_cdat_hdr_i    ('0),
    .tx_cdat_data_i   ('0),
    .tx_cdat_be_i     ('0),
    .rx_creq_valid_o  (unused_dev_rx_creq_valid),
    .rx_creq_ready_i  (1'b0),
    .rx_creq_hdr_o    (unused_dev_rx_creq_hdr),
    .rx_crsp_valid_o  (unused_dev_rx_crsp_valid),
    .rx_crsp_ready_i  (1'b0),
    .rx_crsp_hdr_o    (unused_dev_rx_crsp_hdr),
    .rx_cdat_valid_o  (unused_dev_rx_cdat_valid),
    .rx_cdat_ready_i  (1'b0),
    .rx_cdat_hdr_o    (unused_dev_rx_cdat_hdr),
    .rx_cdat_data_o   (unused_dev_rx_cdat_data),
    .rx_cdat_be_o     (unused_dev_rx_cdat_be),
    .link_tx_valid_o  (dev_link_tx_valid_o),
    .link_tx_ready_i  (dev_link_tx_ready_i),
    .link_tx_flit_o   (dev_link_tx_flit_o),
    .link_rx_valid_i  (dev_link_rx_valid_i),
    .link_rx_flit_i   (dev_link_rx_flit_i),
    .phy_reinit_req_o (dev_phy_reinit_req_o),
    .phy_reinit_done_i(dev_phy_reinit_done_i),
    .init_done_o      (dev_init_done_o),
    .abort_o          (dev_abort_o),
    .err_o            (dev_err_o),
    .err_flit_o       (unused_dev_err_flit),
    .err_overflow_o   (unused_dev_err_overflow)
  );

endmodule
