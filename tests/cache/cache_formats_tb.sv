// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// The unpackers of both ends side by side, fed by the test bench, each with the receive queues of
// CXL.cache behind it. Index 0 is the host's.

module cache_formats_tb
  import cxl_pkg::*;
(
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [1:0]            start_i,
  input  logic [1:0]            valid_i,
  input  flit_payload_t [1:0]   flit_i,
  output logic [1:0][1:0]       nd_valid_o,
  output msg_hdr_t [1:0][1:0]   nd_hdr_o,
  output logic [1:0]            wd_valid_o,
  output msg_hdr_t [1:0]        wd_hdr_o,
  output line_t [1:0]           wd_data_o,
  output byte_en_t [1:0]        wd_be_o,
  output logic [1:0]            wd_half_o,
  output logic [1:0][3:0]       creq_valid_o,
  output cache_req_t [1:0][3:0] creq_hdr_o,
  output logic [1:0][1:0][2:0]  creq_older_o,
  output logic [1:0][3:0]       crsp_valid_o,
  output cache_rsp_t [1:0][3:0] crsp_hdr_o,
  output logic [1:0]            cdat_valid_o,
  output cache_dh_t [1:0]       cdat_hdr_o,
  output logic [1:0]            cdat_half_o,
  output logic [1:0]            is_protocol_o,
  output logic [1:0]            is_control_o,
  output logic [1:0]            err_o,
  output logic [1:0][4:0]       owed_o,

  input  logic [1:0]            rx_creq_ready_i,
  input  logic [1:0]            rx_crsp_ready_i,
  input  logic [1:0]            rx_cdat_ready_i,
  output logic [1:0]            rx_creq_valid_o,
  output logic [1:0]            rx_crsp_valid_o,
  output logic [1:0]            rx_cdat_valid_o,
  output cache_req_t [1:0]      rx_creq_hdr_o,
  output cache_rsp_t [1:0]      rx_crsp_hdr_o,
  output cache_dh_t [1:0]       rx_cdat_hdr_o,
  output line_t [1:0]           rx_cdat_data_o,
  output byte_en_t [1:0]        rx_cdat_be_o,
  output logic [1:0]            overflow_o
);

  logic [1:0]            unused_creq_ready, unused_crsp_ready, unused_cdat_ready, unused_pending;
  logic [1:0][1:0]       unused_creq_valid, unused_crsp_valid;
  logic [1:0]            unused_cdat_valid;
  cache_req_t [1:0][1:0] unused_creq_hdr;
  cache_rsp_t [1:0][1:0] unused_crsp_hdr;
  cache_dh_t [1:0]       unused_cdat_hdr;
  line_t [1:0]           unused_cdat_data;
  byte_en_t [1:0]        unused_cdat_be;
  logic [1:0][2:0][3:0]  unused_crd;
  logic [1:0][2:0]       unused_sent;
  logic [1:0][2:0]       overflow;

  assign overflow_o = {|overflow[1], |overflow[0]};

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cache_unpacker #(
      .IsHost (i == 0)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .start_i       (start_i[i]),
      .mdh_disable_i (1'b0),
      .valid_i       (valid_i[i]),
      .flit_i        (flit_i[i]),
      .nd_valid_o    (nd_valid_o[i]),
      .nd_hdr_o      (nd_hdr_o[i]),
      .wd_valid_o    (wd_valid_o[i]),
      .wd_hdr_o      (wd_hdr_o[i]),
      .wd_data_o     (wd_data_o[i]),
      .wd_be_o       (wd_be_o[i]),
      .wd_half_o     (wd_half_o[i]),
      .creq_valid_o  (creq_valid_o[i]),
      .creq_hdr_o    (creq_hdr_o[i]),
      .creq_older_o  (creq_older_o[i]),
      .crsp_valid_o  (crsp_valid_o[i]),
      .crsp_hdr_o    (crsp_hdr_o[i]),
      .cdat_valid_o  (cdat_valid_o[i]),
      .cdat_hdr_o    (cdat_hdr_o[i]),
      .cdat_half_o   (cdat_half_o[i]),
      .is_protocol_o (is_protocol_o[i]),
      .is_control_o  (is_control_o[i]),
      .err_o         (err_o[i]),
      .owed_o        (owed_o[i])
    );

    cache_channels #(
      .IsHost (i == 0)
    ) i_channels (
      .clk_i,
      .rst_ni,
      .start_i         (start_i[i]),
      .tx_flush_i      (1'b0),
      .tx_creq_valid_i (1'b0),
      .tx_creq_ready_o (unused_creq_ready[i]),
      .tx_creq_hdr_i   ('0),
      .tx_crsp_valid_i (1'b0),
      .tx_crsp_ready_o (unused_crsp_ready[i]),
      .tx_crsp_hdr_i   ('0),
      .tx_cdat_valid_i (1'b0),
      .tx_cdat_ready_o (unused_cdat_ready[i]),
      .tx_cdat_hdr_i   ('0),
      .tx_cdat_data_i  ('0),
      .tx_cdat_be_i    ('0),
      .rx_creq_valid_o (rx_creq_valid_o[i]),
      .rx_creq_ready_i (rx_creq_ready_i[i]),
      .rx_creq_hdr_o   (rx_creq_hdr_o[i]),
      .rx_crsp_valid_o (rx_crsp_valid_o[i]),
      .rx_crsp_ready_i (rx_crsp_ready_i[i]),
      .rx_crsp_hdr_o   (rx_crsp_hdr_o[i]),
      .rx_cdat_valid_o (rx_cdat_valid_o[i]),
      .rx_cdat_ready_i (rx_cdat_ready_i[i]),
      .rx_cdat_hdr_o   (rx_cdat_hdr_o[i]),
      .rx_cdat_data_o  (rx_cdat_data_o[i]),
      .rx_cdat_be_o    (rx_cdat_be_o[i]),
      .pk_creq_valid_o (unused_creq_valid[i]),
      .pk_creq_hdr_o   (unused_creq_hdr[i]),
      .pk_crsp_valid_o (unused_crsp_valid[i]),
      .pk_crsp_hdr_o   (unused_crsp_hdr[i]),
      .pk_cdat_valid_o (unused_cdat_valid[i]),
      .pk_cdat_hdr_o   (unused_cdat_hdr[i]),
      .pk_cdat_data_o  (unused_cdat_data[i]),
      .pk_cdat_be_o    (unused_cdat_be[i]),
      .creq_taken_i    (2'd0),
      .crsp_taken_i    (2'd0),
      .cdat_taken_i    (1'b0),
      .up_creq_valid_i (creq_valid_o[i]),
      .up_creq_hdr_i   (creq_hdr_o[i]),
      .up_creq_older_i (creq_older_o[i]),
      .up_crsp_valid_i (crsp_valid_o[i]),
      .up_crsp_hdr_i   (crsp_hdr_o[i]),
      .up_cdat_valid_i (cdat_valid_o[i]),
      .up_cdat_hdr_i   (cdat_hdr_o[i]),
      .up_cdat_half_i  (cdat_half_o[i]),
      .up_data_i       (wd_data_o[i]),
      .up_be_i         (wd_be_o[i]),
      .overflow_o      (overflow[i]),
      .rx_crd_valid_i  (1'b0),
      .rx_rsp_crd_i    (4'd0),
      .rx_req_crd_i    (4'd0),
      .rx_data_crd_i   (4'd0),
      .mem_crd_i       ('0),
      .crd_o           (unused_crd[i]),
      .crd_sent_i      (1'b0),
      .mem_sent_o      (unused_sent[i]),
      .crd_pending_o   (unused_pending[i])
    );
  end

endmodule
