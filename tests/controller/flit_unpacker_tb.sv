// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both unpackers behind one set of ports; is_host_i says whose turn it is (the other holds).

module flit_unpacker_tb
  import cxl_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           is_host_i,
  input  logic           start_i,
  input  logic           mdh_disable_i,
  input  logic           valid_i,
  input  flit_payload_t  flit_i,
  output logic [1:0]     nd_valid_o,
  output msg_hdr_t [1:0] nd_hdr_o,
  output logic           wd_valid_o,
  output msg_hdr_t       wd_hdr_o,
  output line_t          wd_data_o,
  output byte_en_t       wd_be_o,
  output logic           wd_half_o,
  output logic           is_protocol_o,
  output logic           is_control_o,
  output logic           err_o,
  output logic [3:0]     owed_o
);

  logic [1:0][1:0] nd_valid;
  msg_hdr_t [1:0][1:0] nd_hdr;
  logic [1:0] wd_valid, wd_half, is_protocol, is_control, err;
  msg_hdr_t [1:0] wd_hdr;
  line_t [1:0] wd_data;
  byte_en_t [1:0] wd_be;
  logic [1:0][3:0] owed;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    flit_unpacker #(.IsHost(i == 1)) i_dut (
      .clk_i, .rst_ni, .start_i, .mdh_disable_i,
      .valid_i      (valid_i && is_host_i == (i == 1)),
      .flit_i,
      .nd_valid_o   (nd_valid[i]),
      .nd_hdr_o     (nd_hdr[i]),
      .wd_valid_o   (wd_valid[i]),
      .wd_hdr_o     (wd_hdr[i]),
      .wd_data_o    (wd_data[i]),
      .wd_be_o      (wd_be[i]),
      .wd_half_o    (wd_half[i]),
      .is_protocol_o(is_protocol[i]),
      .is_control_o (is_control[i]),
      .err_o        (err[i]),
      .owed_o       (owed[i])
    );
  end

  assign nd_valid_o    = nd_valid[is_host_i];
  assign nd_hdr_o      = nd_hdr[is_host_i];
  assign wd_valid_o    = wd_valid[is_host_i];
  assign wd_hdr_o      = wd_hdr[is_host_i];
  assign wd_data_o     = wd_data[is_host_i];
  assign wd_be_o         = wd_be[is_host_i];
  assign wd_half_o     = wd_half[is_host_i];
  assign is_protocol_o = is_protocol[is_host_i];
  assign is_control_o  = is_control[is_host_i];
  assign err_o         = err[is_host_i];
  assign owed_o        = owed[is_host_i];

endmodule
