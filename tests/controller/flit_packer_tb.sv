// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both packers behind one set of ports; is_host_i says whose turn it is (the other holds).

module flit_packer_tb
  import cxl_pkg::*;
(
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           is_host_i,
  input  logic           start_i,
  input  logic           take_i,
  input  logic           hold_new_i,
  input  logic           mdh_disable_i,
  input  logic [1:0]     nd_valid_i,
  input  msg_hdr_t [1:0] nd_hdr_i,
  input  logic [1:0]     wd_valid_i,
  input  msg_hdr_t [1:0] wd_hdr_i,
  input  line_t [1:0]    wd_data_i,
  input  byte_en_t [1:0] wd_be_i,
  input  logic           ak_i,
  input  logic [3:0]     rsp_crd_i,
  input  logic [3:0]     req_crd_i,
  input  logic [3:0]     data_crd_i,
  output flit_payload_t  flit_o,
  output logic           is_adf_o,
  output logic           has_content_o,
  output logic [1:0]     nd_take_o,
  output logic [1:0]     wd_take_o,
  output logic [3:0]     owed_o,
  output logic [3:0]     owed_next_o
);

  flit_payload_t [1:0] flit;
  logic [1:0] is_adf, has_content;
  logic [1:0][1:0] nd_take, wd_take;
  logic [1:0][3:0] owed, owed_next;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    flit_packer #(.IsHost(i == 1)) i_dut (
      .clk_i, .rst_ni, .start_i,
      .take_i       (take_i && is_host_i == (i == 1)),
      .hold_new_i, .mdh_disable_i, .nd_valid_i, .nd_hdr_i, .wd_valid_i, .wd_hdr_i, .wd_data_i,
      .wd_be_i, .ak_i, .rsp_crd_i, .req_crd_i, .data_crd_i,
      .flit_o       (flit[i]),
      .is_adf_o     (is_adf[i]),
      .has_content_o(has_content[i]),
      .nd_take_o    (nd_take[i]),
      .wd_take_o    (wd_take[i]),
      .owed_o       (owed[i]),
      .owed_next_o  (owed_next[i])
    );
  end

  assign flit_o        = flit[is_host_i];
  assign is_adf_o      = is_adf[is_host_i];
  assign has_content_o = has_content[is_host_i];
  assign nd_take_o     = nd_take[is_host_i];
  assign wd_take_o     = wd_take[is_host_i];
  assign owed_o        = owed[is_host_i];
  assign owed_next_o   = owed_next[is_host_i];

endmodule
