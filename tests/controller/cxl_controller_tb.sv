// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A host controller (index 0) and a device controller (index 1); the test is the link between them.
// The depths differ so that neither end can lean on its own. There is no CXL.cache on this link:
// its inputs are wiggled and must change nothing, `cache_zero_o` says that its outputs are all 0.

module cxl_controller_tb
  import cxl_pkg::*;
#(
  parameter int unsigned HostNdRx = 32,
  parameter int unsigned HostWdRx = 32,
  parameter int unsigned HostLlrb = 128,
  parameter int unsigned DevNdRx = 24,
  parameter int unsigned DevWdRx = 12,
  parameter int unsigned DevLlrb = 40
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [1:0]      link_up_i,
  input  logic [1:0]      mdh_disable_i,
  input  logic [1:0]      init_stall_i,
  input  logic [1:0]      crd_stall_i,
  input  logic [1:0][7:0] ack_force_i,
  input  logic [1:0][9:0] flush_i,
  input  logic [1:0][6:0] nd_held_i,
  input  logic [1:0][6:0] wd_held_i,
  output logic [1:0][95:0] link_status_o,  // link_status_t
  input  logic [1:0]      tx_flush_i,
  input  logic [1:0]      viral_i,
  output logic [1:0]      viral_o,

  input  logic [1:0]      tx_nd_valid_i,
  output logic [1:0]      tx_nd_ready_o,
  input  msg_hdr_t [1:0]  tx_nd_hdr_i,
  input  logic [1:0]      tx_wd_valid_i,
  output logic [1:0]      tx_wd_ready_o,
  input  msg_hdr_t [1:0]  tx_wd_hdr_i,
  input  line_t [1:0]     tx_wd_data_i,
  input  byte_en_t [1:0]  tx_wd_be_i,

  output logic [1:0]      rx_nd_valid_o,
  input  logic [1:0]      rx_nd_ready_i,
  output msg_hdr_t [1:0]  rx_nd_hdr_o,
  output logic [1:0]      rx_wd_valid_o,
  input  logic [1:0]      rx_wd_ready_i,
  output msg_hdr_t [1:0]  rx_wd_hdr_o,
  output line_t [1:0]     rx_wd_data_o,
  output byte_en_t [1:0]  rx_wd_be_o,
  output logic [1:0][6:0] rx_nd_count_o,
  output logic [1:0][6:0] rx_wd_count_o,

  input  logic [127:0]    cache_noise_i,
  output logic [1:0]      cache_zero_o,

  output logic [1:0]      link_tx_valid_o,
  input  logic [1:0]      link_tx_ready_i,
  output flit_t [1:0]     link_tx_flit_o,
  input  logic [1:0]      link_rx_valid_i,
  input  flit_t [1:0]     link_rx_flit_i,
  output logic [1:0]      phy_reinit_req_o,
  input  logic [1:0]      phy_reinit_done_i,

  output logic [1:0]      init_done_o,
  output logic [1:0]      abort_o,
  output logic [1:0][7:0] err_o,
  output flit_payload_t [1:0] err_flit_o,
  output logic [1:0][2:0] err_overflow_o
);

  for (genvar i = 0; i < 2; i++) begin : gen_end
    logic         tx_creq_ready, tx_crsp_ready, tx_cdat_ready;
    logic         rx_creq_valid, rx_crsp_valid, rx_cdat_valid;
    cache_req_t   rx_creq_hdr;
    cache_rsp_t   rx_crsp_hdr;
    cache_dh_t    rx_cdat_hdr;
    line_t        rx_cdat_data;
    byte_en_t     rx_cdat_be;

    assign cache_zero_o[i] =
        ~|{tx_creq_ready, tx_crsp_ready, tx_cdat_ready, rx_creq_valid, rx_creq_hdr, rx_crsp_valid,
           rx_crsp_hdr, rx_cdat_valid, rx_cdat_hdr, rx_cdat_data, rx_cdat_be};

    cxl_controller #(
      .IsHost   (i == 0),
      .NdRxDepth(i == 0 ? HostNdRx : DevNdRx),
      .WdRxDepth(i == 0 ? HostWdRx : DevWdRx),
      .LlrbDepth(i == 0 ? HostLlrb : DevLlrb)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .link_up_i        (link_up_i[i]),
      .link_control_i   ({wd_held_i[i], nd_held_i[i], flush_i[i], ack_force_i[i], crd_stall_i[i],
                          init_stall_i[i], mdh_disable_i[i]}),
      .link_status_o    (link_status_o[i]),
      .tx_flush_i       (tx_flush_i[i]),
      .viral_i          (viral_i[i]),
      .viral_o          (viral_o[i]),
      .tx_nd_valid_i    (tx_nd_valid_i[i]),
      .tx_nd_ready_o    (tx_nd_ready_o[i]),
      .tx_nd_hdr_i      (tx_nd_hdr_i[i]),
      .tx_wd_valid_i    (tx_wd_valid_i[i]),
      .tx_wd_ready_o    (tx_wd_ready_o[i]),
      .tx_wd_hdr_i      (tx_wd_hdr_i[i]),
      .tx_wd_data_i     (tx_wd_data_i[i]),
      .tx_wd_be_i       (tx_wd_be_i[i]),
      .rx_nd_valid_o    (rx_nd_valid_o[i]),
      .rx_nd_ready_i    (rx_nd_ready_i[i]),
      .rx_nd_hdr_o      (rx_nd_hdr_o[i]),
      .rx_wd_valid_o    (rx_wd_valid_o[i]),
      .rx_wd_ready_i    (rx_wd_ready_i[i]),
      .rx_wd_hdr_o      (rx_wd_hdr_o[i]),
      .rx_wd_data_o     (rx_wd_data_o[i]),
      .rx_wd_be_o       (rx_wd_be_o[i]),
      .rx_nd_count_o    (rx_nd_count_o[i]),
      .rx_wd_count_o    (rx_wd_count_o[i]),
      .tx_creq_valid_i  (cache_noise_i[0]),
      .tx_creq_ready_o  (tx_creq_ready),
      .tx_creq_hdr_i    (cache_noise_i[78:0]),
      .tx_crsp_valid_i  (cache_noise_i[1]),
      .tx_crsp_ready_o  (tx_crsp_ready),
      .tx_crsp_hdr_i    (cache_noise_i[31:0]),
      .tx_cdat_valid_i  (cache_noise_i[2]),
      .tx_cdat_ready_o  (tx_cdat_ready),
      .tx_cdat_hdr_i    (cache_noise_i[23:0]),
      .tx_cdat_data_i   ({4{cache_noise_i}}),
      .tx_cdat_be_i     (cache_noise_i[63:0]),
      .rx_creq_valid_o  (rx_creq_valid),
      .rx_creq_ready_i  (cache_noise_i[3]),
      .rx_creq_hdr_o    (rx_creq_hdr),
      .rx_crsp_valid_o  (rx_crsp_valid),
      .rx_crsp_ready_i  (cache_noise_i[4]),
      .rx_crsp_hdr_o    (rx_crsp_hdr),
      .rx_cdat_valid_o  (rx_cdat_valid),
      .rx_cdat_ready_i  (cache_noise_i[5]),
      .rx_cdat_hdr_o    (rx_cdat_hdr),
      .rx_cdat_data_o   (rx_cdat_data),
      .rx_cdat_be_o     (rx_cdat_be),
      .link_tx_valid_o  (link_tx_valid_o[i]),
      .link_tx_ready_i  (link_tx_ready_i[i]),
      .link_tx_flit_o   (link_tx_flit_o[i]),
      .link_rx_valid_i  (link_rx_valid_i[i]),
      .link_rx_flit_i   (link_rx_flit_i[i]),
      .phy_reinit_req_o (phy_reinit_req_o[i]),
      .phy_reinit_done_i(phy_reinit_done_i[i]),
      .init_done_o      (init_done_o[i]),
      .abort_o          (abort_o[i]),
      .err_o            (err_o[i]),
      .err_flit_o       (err_flit_o[i]),
      .err_overflow_o   (err_overflow_o[i])
    );
  end

endmodule
