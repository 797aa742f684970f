// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Two controllers with CXL.cache; the link between them is the test bench's. Index 0 is the host.
// The depths differ at the two ends and are small enough to run out of credits.

module cache_pair_tb
  import cxl_pkg::*;
#(
  parameter int unsigned HostRx = 16,
  parameter int unsigned DevRx = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [1:0]       link_up_i,
  input  logic [1:0]       mdh_disable_i,
  input  logic [1:0]       init_stall_i,
  input  logic [1:0]       crd_stall_i,
  input  logic [1:0][7:0]  ack_force_i,
  input  logic [1:0][9:0]  flush_i,
  output logic [1:0][95:0] link_status_o,  // link_status_t
  input  logic [1:0]       tx_flush_i,
  input  logic [1:0]       tx_nd_valid_i,
  output logic [1:0]       tx_nd_ready_o,
  input  msg_hdr_t [1:0]   tx_nd_hdr_i,
  input  logic [1:0]       tx_wd_valid_i,
  output logic [1:0]       tx_wd_ready_o,
  input  msg_hdr_t [1:0]   tx_wd_hdr_i,
  input  line_t [1:0]      tx_wd_data_i,
  input  byte_en_t [1:0]   tx_wd_be_i,
  output logic [1:0]       rx_nd_valid_o,
  input  logic [1:0]       rx_nd_ready_i,
  output msg_hdr_t [1:0]   rx_nd_hdr_o,
  output logic [1:0]       rx_wd_valid_o,
  input  logic [1:0]       rx_wd_ready_i,
  output msg_hdr_t [1:0]   rx_wd_hdr_o,
  output line_t [1:0]      rx_wd_data_o,
  output byte_en_t [1:0]   rx_wd_be_o,
  output logic [1:0][6:0]  rx_nd_count_o,
  output logic [1:0][6:0]  rx_wd_count_o,
  input  logic [1:0]       tx_creq_valid_i,
  output logic [1:0]       tx_creq_ready_o,
  input  cache_req_t [1:0] tx_creq_hdr_i,
  input  logic [1:0]       tx_crsp_valid_i,
  output logic [1:0]       tx_crsp_ready_o,
  input  cache_rsp_t [1:0] tx_crsp_hdr_i,
  input  logic [1:0]       tx_cdat_valid_i,
  output logic [1:0]       tx_cdat_ready_o,
  input  cache_dh_t [1:0]  tx_cdat_hdr_i,
  input  line_t [1:0]      tx_cdat_data_i,
  input  byte_en_t [1:0]   tx_cdat_be_i,
  output logic [1:0]       rx_creq_valid_o,
  input  logic [1:0]       rx_creq_ready_i,
  output cache_req_t [1:0] rx_creq_hdr_o,
  output logic [1:0]       rx_crsp_valid_o,
  input  logic [1:0]       rx_crsp_ready_i,
  output cache_rsp_t [1:0] rx_crsp_hdr_o,
  output logic [1:0]       rx_cdat_valid_o,
  input  logic [1:0]       rx_cdat_ready_i,
  output cache_dh_t [1:0]  rx_cdat_hdr_o,
  output line_t [1:0]      rx_cdat_data_o,
  output byte_en_t [1:0]   rx_cdat_be_o,
  output logic [1:0]       link_tx_valid_o,
  input  logic [1:0]       link_tx_ready_i,
  output flit_t [1:0]      link_tx_flit_o,
  input  logic [1:0]       link_rx_valid_i,
  input  flit_t [1:0]      link_rx_flit_i,
  output logic [1:0]       phy_reinit_req_o,
  input  logic [1:0]       phy_reinit_done_i,
  output logic [1:0]       init_done_o,
  output logic [1:0]       abort_o,
  output logic [1:0][7:0]  err_o
);

  link_control_t [1:0] link_control_q;
  logic [1:0]          unused_viral;
  flit_payload_t [1:0] unused_err_flit;
  logic [1:0][2:0] unused_err_overflow;

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      link_control_q[i] <= {14'd0, flush_i[i], ack_force_i[i], crd_stall_i[i], init_stall_i[i],
                            mdh_disable_i[i]};
    end
  end

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cxl_controller #(
      .IsHost      (i == 0),
      .NdRxDepth   (i == 0 ? HostRx : DevRx + 4),
      .WdRxDepth   (i == 0 ? HostRx : DevRx + 4),
      .LlrbDepth   (i == 0 ? 128 : 40),
      .HasCache    (1'b1),
      .CreqRxDepth (i == 0 ? HostRx : DevRx),
      .CrspRxDepth (i == 0 ? HostRx : DevRx + 1),
      .CdatRxDepth (i == 0 ? HostRx : DevRx - 3)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .link_up_i         (link_up_i[i]),
      .link_control_i    (link_control_q[i]),
      .link_status_o     (link_status_o[i]),
      .tx_flush_i        (tx_flush_i[i]),
      .viral_i           (1'b0),
      .viral_o           (unused_viral[i]),
      .tx_nd_valid_i     (tx_nd_valid_i[i]),
      .tx_nd_ready_o     (tx_nd_ready_o[i]),
      .tx_nd_hdr_i       (tx_nd_hdr_i[i]),
      .tx_wd_valid_i     (tx_wd_valid_i[i]),
      .tx_wd_ready_o     (tx_wd_ready_o[i]),
      .tx_wd_hdr_i       (tx_wd_hdr_i[i]),
      .tx_wd_data_i      (tx_wd_data_i[i]),
      .tx_wd_be_i        (tx_wd_be_i[i]),
      .rx_nd_valid_o     (rx_nd_valid_o[i]),
      .rx_nd_ready_i     (rx_nd_ready_i[i]),
      .rx_nd_hdr_o       (rx_nd_hdr_o[i]),
      .rx_wd_valid_o     (rx_wd_valid_o[i]),
      .rx_wd_ready_i     (rx_wd_ready_i[i]),
      .rx_wd_hdr_o       (rx_wd_hdr_o[i]),
      .rx_wd_data_o      (rx_wd_data_o[i]),
      .rx_wd_be_o        (rx_wd_be_o[i]),
      .rx_nd_count_o     (rx_nd_count_o[i]),
      .rx_wd_count_o     (rx_wd_count_o[i]),
      .tx_creq_valid_i   (tx_creq_valid_i[i]),
      .tx_creq_ready_o   (tx_creq_ready_o[i]),
      .tx_creq_hdr_i     (tx_creq_hdr_i[i]),
      .tx_crsp_valid_i   (tx_crsp_valid_i[i]),
      .tx_crsp_ready_o   (tx_crsp_ready_o[i]),
      .tx_crsp_hdr_i     (tx_crsp_hdr_i[i]),
      .tx_cdat_valid_i   (tx_cdat_valid_i[i]),
      .tx_cdat_ready_o   (tx_cdat_ready_o[i]),
      .tx_cdat_hdr_i     (tx_cdat_hdr_i[i]),
      .tx_cdat_data_i    (tx_cdat_data_i[i]),
      .tx_cdat_be_i      (tx_cdat_be_i[i]),
      .rx_creq_valid_o   (rx_creq_valid_o[i]),
      .rx_creq_ready_i   (rx_creq_ready_i[i]),
      .rx_creq_hdr_o     (rx_creq_hdr_o[i]),
      .rx_crsp_valid_o   (rx_crsp_valid_o[i]),
      .rx_crsp_ready_i   (rx_crsp_ready_i[i]),
      .rx_crsp_hdr_o     (rx_crsp_hdr_o[i]),
      .rx_cdat_valid_o   (rx_cdat_valid_o[i]),
      .rx_cdat_ready_i   (rx_cdat_ready_i[i]),
      .rx_cdat_hdr_o     (rx_cdat_hdr_o[i]),
      .rx_cdat_data_o    (rx_cdat_data_o[i]),
      .rx_cdat_be_o      (rx_cdat_be_o[i]),
      .link_tx_valid_o   (link_tx_valid_o[i]),
      .link_tx_ready_i   (link_tx_ready_i[i]),
      .link_tx_flit_o    (link_tx_flit_o[i]),
      .link_rx_valid_i   (link_rx_valid_i[i]),
      .link_rx_flit_i    (link_rx_flit_i[i]),
      .phy_reinit_req_o  (phy_reinit_req_o[i]),
      .phy_reinit_done_i (phy_reinit_done_i[i]),
      .init_done_o       (init_done_o[i]),
      .abort_o           (abort_o[i]),
      .err_o             (err_o[i]),
      .err_flit_o        (unused_err_flit[i]),
      .err_overflow_o    (unused_err_overflow[i])
    );
  end

endmodule
