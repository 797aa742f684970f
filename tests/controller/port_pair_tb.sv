// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// link_pair_tb with the ARB/MUX at both ends: a host and a device cxl_port with the sizes of both
// as parameters; Flex Bus and the link between them are the test bench's. One port for each signal
// of each end, so that every wide one starts on a word.

module port_pair_tb
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
  output logic [1:0] host_link_tx_kind_o,
  input  logic [1:0] host_link_rx_kind_i,
  input  logic       host_phy_up_i,
  input  logic       host_phy_recovery_i,
  output logic       host_retrain_req_o,
  output logic [3:0] host_phy_state_o,
  input  logic       host_io_tx_valid_i,
  output logic       host_io_tx_ready_o,
  input  line_t      host_io_tx_data_i,
  output logic       host_io_rx_valid_o,
  output line_t      host_io_rx_data_o,
  input  logic [3:0] host_io_req_i,
  input  logic [3:0] host_cm_req_i,
  output logic [3:0] host_io_state_o,
  output logic [3:0] host_cm_state_o,
  input  logic       host_weight_we_i,
  input  logic [3:0] host_weight_io_i,
  input  logic [3:0] host_weight_cm_i,
  output logic [2:0] host_arb_err_o,
  output logic       host_init_done_o,
  output logic       host_abort_o,
  output logic [7:0] host_err_o,

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
  output logic [1:0] dev_link_tx_kind_o,
  input  logic [1:0] dev_link_rx_kind_i,
  input  logic       dev_phy_up_i,
  input  logic       dev_phy_recovery_i,
  output logic       dev_retrain_req_o,
  output logic [3:0] dev_phy_state_o,
  input  logic       dev_io_tx_valid_i,
  output logic       dev_io_tx_ready_o,
  input  line_t      dev_io_tx_data_i,
  output logic       dev_io_rx_valid_o,
  output line_t      dev_io_rx_data_o,
  input  logic [3:0] dev_io_req_i,
  input  logic [3:0] dev_cm_req_i,
  output logic [3:0] dev_io_state_o,
  output logic [3:0] dev_cm_state_o,
  input  logic       dev_weight_we_i,
  input  logic [3:0] dev_weight_io_i,
  input  logic [3:0] dev_weight_cm_i,
  output logic [2:0] dev_arb_err_o,
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

  logic       unused_host_viral, unused_dev_viral;
  flit_payload_t unused_host_err_flit, unused_dev_err_flit;
  logic [2:0] unused_host_err_overflow, unused_dev_err_overflow;
  logic       unused_host_io_up, unused_host_cm_up;
  logic [3:0] unused_host_weight_io, unused_host_weight_cm;
  vlsm_e      host_io_state, host_cm_state, host_phy_state;
  flit_kind_e host_tx_kind;
  logic       unused_dev_io_up, unused_dev_cm_up;
  logic [3:0] unused_dev_weight_io, unused_dev_weight_cm;
  vlsm_e      dev_io_state, dev_cm_state, dev_phy_state;
  flit_kind_e dev_tx_kind;

  assign host_io_state_o = host_io_state;
  assign host_cm_state_o = host_cm_state;
  assign host_phy_state_o = host_phy_state;
  assign host_link_tx_kind_o = host_tx_kind;
  assign dev_io_state_o = dev_io_state;
  assign dev_cm_state_o = dev_cm_state;
  assign dev_phy_state_o = dev_phy_state;
  assign dev_link_tx_kind_o = dev_tx_kind;

  cxl_port #(
    .IsHost   (1'b1),
    .NdRxDepth(HostNdRx),
    .WdRxDepth(HostWdRx),
    .LlrbDepth(HostLlrb)
  ) i_host (
    .clk_i,
    .rst_ni,
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
    .io_tx_valid_i    (host_io_tx_valid_i),
    .io_tx_ready_o    (host_io_tx_ready_o),
    .io_tx_data_i     (host_io_tx_data_i),
    .io_rx_valid_o    (host_io_rx_valid_o),
    .io_rx_data_o     (host_io_rx_data_o),
    .io_link_up_o     (unused_host_io_up),
    .io_req_i         (host_io_req_i),
    .cm_req_i         (host_cm_req_i),
    .io_state_o       (host_io_state),
    .cm_state_o       (host_cm_state),
    .weight_io_we_i   (host_weight_we_i),
    .weight_io_i      (host_weight_io_i),
    .weight_cm_we_i   (host_weight_we_i),
    .weight_cm_i      (host_weight_cm_i),
    .weight_io_o      (unused_host_weight_io),
    .weight_cm_o      (unused_host_weight_cm),
    .link_tx_valid_o  (host_link_tx_valid_o),
    .link_tx_ready_i  (host_link_tx_ready_i),
    .link_tx_kind_o   (host_tx_kind),
    .link_tx_flit_o   (host_link_tx_flit_o),
    .link_rx_valid_i  (host_link_rx_valid_i),
    .link_rx_kind_i   (flit_kind_e'(host_link_rx_kind_i)),
    .link_rx_flit_i   (host_link_rx_flit_i),
    .phy_up_i         (host_phy_up_i),
    .phy_recovery_i   (host_phy_recovery_i),
    .retrain_req_o    (host_retrain_req_o),
    .phy_state_o      (host_phy_state),
    .cm_link_up_o     (unused_host_cm_up),
    .init_done_o      (host_init_done_o),
    .abort_o          (host_abort_o),
    .err_o            (host_err_o),
    .err_flit_o       (unused_host_err_flit),
    .err_overflow_o   (unused_host_err_overflow),
    .arb_err_o        (host_arb_err_o)
  );

  cxl_port #(
    .IsHost   (1'b0),
    .NdRxDepth(DevNdRx),
    .WdRxDepth(DevWdRx),
    .LlrbDepth(DevLlrb)
  ) i_dev (
    .clk_i,
    .rst_ni,
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
    .io_tx_valid_i    (dev_io_tx_valid_i),
    .io_tx_ready_o    (dev_io_tx_ready_o),
    .io_tx_data_i     (dev_io_tx_data_i),
    .io_rx_valid_o    (dev_io_rx_valid_o),
    .io_rx_data_o     (dev_io_rx_data_o),
    .io_link_up_o     (unused_dev_io_up),
    .io_req_i         (dev_io_req_i),
    .cm_req_i         (dev_cm_req_i),
    .io_state_o       (dev_io_state),
    .cm_state_o       (dev_cm_state),
    .weight_io_we_i   (dev_weight_we_i),
    .weight_io_i      (dev_weight_io_i),
    .weight_cm_we_i   (dev_weight_we_i),
    .weight_cm_i      (dev_weight_cm_i),
    .weight_io_o      (unused_dev_weight_io),
    .weight_cm_o      (unused_dev_weight_cm),
    .link_tx_valid_o  (dev_link_tx_valid_o),
    .link_tx_ready_i  (dev_link_tx_ready_i),
    .link_tx_kind_o   (dev_tx_kind),
    .link_tx_flit_o   (dev_link_tx_flit_o),
    .link_rx_valid_i  (dev_link_rx_valid_i),
    .link_rx_kind_i   (flit_kind_e'(dev_link_rx_kind_i)),
    .link_rx_flit_i   (dev_link_rx_flit_i),
    .phy_up_i         (dev_phy_up_i),
    .phy_recovery_i   (dev_phy_recovery_i),
    .retrain_req_o    (dev_retrain_req_o),
    .phy_state_o      (dev_phy_state),
    .cm_link_up_o     (unused_dev_cm_up),
    .init_done_o      (dev_init_done_o),
    .abort_o          (dev_abort_o),
    .err_o            (dev_err_o),
    .err_flit_o       (unused_dev_err_flit),
    .err_overflow_o   (unused_dev_err_overflow),
    .arb_err_o        (dev_arb_err_o)
  );

endmodule
