// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// A Type 2 device's cache agent and its host, each behind a controller with CXL.cache; the link
// between the controllers is the test bench's. CXL.mem is idle. Index 0 is the host.

module cache_agents_tb
  import cxl_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            cmd_valid_i,
  output logic            cmd_ready_o,
  input  logic [4:0]      cmd_op_i,
  input  line_addr_t      cmd_addr_i,
  input  line_t           cmd_data_i,
  input  byte_en_t        cmd_be_i,
  output logic            done_valid_o,
  output logic [1:0]      done_err_o,
  output logic [1:0]      done_state_o,
  output line_t           done_data_o,
  output logic            agent_err_o,

  input  logic            snp_valid_i,
  output logic            snp_ready_o,
  input  logic [2:0]      snp_op_i,
  input  line_addr_t      snp_addr_i,
  output logic            snp_done_o,
  output logic [4:0]      snp_rsp_o,
  output line_t           snp_data_o,
  output logic            snp_poison_o,
  input  logic            drop_i,
  input  logic            any_shared_i,
  input  logic            own_modified_i,
  input  logic            data_first_i,
  input  logic            error_i,
  output logic            host_err_o,

  output logic [1:0]      link_tx_valid_o,
  input  logic [1:0]      link_tx_ready_i,
  output flit_t [1:0]     link_tx_flit_o,
  input  logic [1:0]      link_rx_valid_i,
  input  flit_t [1:0]     link_rx_flit_i,
  output logic [1:0]      init_done_o,
  output logic [1:0][7:0] err_o
);

  // tx: into the controller, rx: out of it
  logic [1:0]       tx_creq_valid, tx_creq_ready, tx_crsp_valid, tx_crsp_ready;
  logic [1:0]       tx_cdat_valid, tx_cdat_ready;
  logic [1:0]       rx_creq_valid, rx_creq_ready, rx_crsp_valid, rx_crsp_ready;
  logic [1:0]       rx_cdat_valid, rx_cdat_ready;
  cache_req_t [1:0] tx_creq_hdr, rx_creq_hdr;
  cache_rsp_t [1:0] tx_crsp_hdr, rx_crsp_hdr;
  cache_dh_t [1:0]  tx_cdat_hdr, rx_cdat_hdr;
  line_t [1:0]      tx_cdat_data, rx_cdat_data;
  byte_en_t [1:0]   tx_cdat_be, rx_cdat_be;

  host_responder u_host (
    .clk_i,
    .rst_ni,
    .snp_valid_i,
    .snp_ready_o,
    .snp_op_i,
    .snp_addr_i,
    .snp_done_o,
    .snp_rsp_o,
    .snp_data_o,
    .snp_poison_o,
    .drop_i,
    .any_shared_i,
    .own_modified_i,
    .data_first_i,
    .error_i,
    .err_o           (host_err_o),
    .tx_creq_valid_o (tx_creq_valid[0]),
    .tx_creq_ready_i (tx_creq_ready[0]),
    .tx_creq_hdr_o   (tx_creq_hdr[0]),
    .tx_crsp_valid_o (tx_crsp_valid[0]),
    .tx_crsp_ready_i (tx_crsp_ready[0]),
    .tx_crsp_hdr_o   (tx_crsp_hdr[0]),
    .tx_cdat_valid_o (tx_cdat_valid[0]),
    .tx_cdat_ready_i (tx_cdat_ready[0]),
    .tx_cdat_hdr_o   (tx_cdat_hdr[0]),
    .tx_cdat_data_o  (tx_cdat_data[0]),
    .rx_creq_valid_i (rx_creq_valid[0]),
    .rx_creq_ready_o (rx_creq_ready[0]),
    .rx_creq_hdr_i   (rx_creq_hdr[0]),
    .rx_crsp_valid_i (rx_crsp_valid[0]),
    .rx_crsp_ready_o (rx_crsp_ready[0]),
    .rx_crsp_hdr_i   (rx_crsp_hdr[0]),
    .rx_cdat_valid_i (rx_cdat_valid[0]),
    .rx_cdat_ready_o (rx_cdat_ready[0]),
    .rx_cdat_hdr_i   (rx_cdat_hdr[0]),
    .rx_cdat_data_i  (rx_cdat_data[0]),
    .rx_cdat_be_i    (rx_cdat_be[0])
  );

  device_agent u_device (
    .clk_i,
    .rst_ni,
    .cmd_valid_i,
    .cmd_ready_o,
    .cmd_op_i,
    .cmd_addr_i,
    .cmd_data_i,
    .cmd_be_i,
    .done_valid_o,
    .done_err_o,
    .done_state_o,
    .done_data_o,
    .err_o           (agent_err_o),
    .tx_creq_valid_o (tx_creq_valid[1]),
    .tx_creq_ready_i (tx_creq_ready[1]),
    .tx_creq_hdr_o   (tx_creq_hdr[1]),
    .tx_crsp_valid_o (tx_crsp_valid[1]),
    .tx_crsp_ready_i (tx_crsp_ready[1]),
    .tx_crsp_hdr_o   (tx_crsp_hdr[1]),
    .tx_cdat_valid_o (tx_cdat_valid[1]),
    .tx_cdat_ready_i (tx_cdat_ready[1]),
    .tx_cdat_hdr_o   (tx_cdat_hdr[1]),
    .tx_cdat_data_o  (tx_cdat_data[1]),
    .tx_cdat_be_o    (tx_cdat_be[1]),
    .rx_creq_valid_i (rx_creq_valid[1]),
    .rx_creq_ready_o (rx_creq_ready[1]),
    .rx_creq_hdr_i   (rx_creq_hdr[1]),
    .rx_crsp_valid_i (rx_crsp_valid[1]),
    .rx_crsp_ready_o (rx_crsp_ready[1]),
    .rx_crsp_hdr_i   (rx_crsp_hdr[1]),
    .rx_cdat_valid_i (rx_cdat_valid[1]),
    .rx_cdat_ready_o (rx_cdat_ready[1]),
    .rx_cdat_hdr_i   (rx_cdat_hdr[1]),
    .rx_cdat_data_i  (rx_cdat_data[1])
  );

  assign tx_cdat_be[0] = '1;

  logic [1:0]           unused_nd_ready, unused_wd_ready, unused_nd_valid, unused_wd_valid;
  msg_hdr_t [1:0]       unused_nd_hdr, unused_wd_hdr;
  line_t [1:0]          unused_wd_data;
  byte_en_t [1:0]       unused_wd_be;
  logic [1:0][6:0]      unused_nd_count, unused_wd_count;
  logic [1:0]           unused_reinit, unused_abort, unused_viral;
  flit_payload_t [1:0] unused_err_flit;
  logic [1:0][2:0] unused_err_overflow;
  link_status_t [1:0]   unused_link_status;
  logic                 unused;
  assign unused = ^rx_cdat_be[1];

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cxl_controller #(
      .IsHost   (i == 0),
      .HasCache (1'b1)
    ) i_controller (
      .clk_i,
      .rst_ni,
      .link_up_i         (1'b1),
      .link_control_i    (LinkControlReset),
      .link_status_o     (unused_link_status[i]),
      .tx_flush_i        (1'b0),
      .viral_i           (1'b0),
      .viral_o           (unused_viral[i]),
      .tx_nd_valid_i     (1'b0),
      .tx_nd_ready_o     (unused_nd_ready[i]),
      .tx_nd_hdr_i       ('0),
      .tx_wd_valid_i     (1'b0),
      .tx_wd_ready_o     (unused_wd_ready[i]),
      .tx_wd_hdr_i       ('0),
      .tx_wd_data_i      ('0),
      .tx_wd_be_i        ('0),
      .rx_nd_valid_o     (unused_nd_valid[i]),
      .rx_nd_ready_i     (1'b0),
      .rx_nd_hdr_o       (unused_nd_hdr[i]),
      .rx_wd_valid_o     (unused_wd_valid[i]),
      .rx_wd_ready_i     (1'b0),
      .rx_wd_hdr_o       (unused_wd_hdr[i]),
      .rx_wd_data_o      (unused_wd_data[i]),
      .rx_wd_be_o        (unused_wd_be[i]),
      .rx_nd_count_o     (unused_nd_count[i]),
      .rx_wd_count_o     (unused_wd_count[i]),
      .tx_creq_valid_i   (tx_creq_valid[i]),
      .tx_creq_ready_o   (tx_creq_ready[i]),
      .tx_creq_hdr_i     (tx_creq_hdr[i]),
      .tx_crsp_valid_i   (tx_crsp_valid[i]),
      .tx_crsp_ready_o   (tx_crsp_ready[i]),
      .tx_crsp_hdr_i     (tx_crsp_hdr[i]),
      .tx_cdat_valid_i   (tx_cdat_valid[i]),
      .tx_cdat_ready_o   (tx_cdat_ready[i]),
      .tx_cdat_hdr_i     (tx_cdat_hdr[i]),
      .tx_cdat_data_i    (tx_cdat_data[i]),
      .tx_cdat_be_i      (tx_cdat_be[i]),
      .rx_creq_valid_o   (rx_creq_valid[i]),
      .rx_creq_ready_i   (rx_creq_ready[i]),
      .rx_creq_hdr_o     (rx_creq_hdr[i]),
      .rx_crsp_valid_o   (rx_crsp_valid[i]),
      .rx_crsp_ready_i   (rx_crsp_ready[i]),
      .rx_crsp_hdr_o     (rx_crsp_hdr[i]),
      .rx_cdat_valid_o   (rx_cdat_valid[i]),
      .rx_cdat_ready_i   (rx_cdat_ready[i]),
      .rx_cdat_hdr_o     (rx_cdat_hdr[i]),
      .rx_cdat_data_o    (rx_cdat_data[i]),
      .rx_cdat_be_o      (rx_cdat_be[i]),
      .link_tx_valid_o   (link_tx_valid_o[i]),
      .link_tx_ready_i   (link_tx_ready_i[i]),
      .link_tx_flit_o    (link_tx_flit_o[i]),
      .link_rx_valid_i   (link_rx_valid_i[i]),
      .link_rx_flit_i    (link_rx_flit_i[i]),
      .phy_reinit_req_o  (unused_reinit[i]),
      .phy_reinit_done_i (1'b0),
      .init_done_o       (init_done_o[i]),
      .abort_o           (unused_abort[i]),
      .err_o             (err_o[i]),
      .err_flit_o        (unused_err_flit[i]),
      .err_overflow_o    (unused_err_overflow[i])
    );
  end

endmodule
