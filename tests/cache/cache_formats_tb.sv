// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// The unpackers of both ends side by side, fed by the test bench. Index 0 is the host's.

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
  output logic [1:0][3:0]       creq_valid_o,
  output cache_req_t [1:0][3:0] creq_hdr_o,
  output logic [1:0][1:0][2:0]  creq_older_o,
  output logic [1:0][3:0]       crsp_valid_o,
  output cache_rsp_t [1:0][3:0] crsp_hdr_o,
  output logic [1:0]            cdat_valid_o,
  output cache_dh_t [1:0]       cdat_hdr_o,
  output logic [1:0]            is_protocol_o,
  output logic [1:0]            is_control_o,
  output logic [1:0]            err_o,
  output logic [1:0][4:0]       owed_o
);

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cache_unpacker #(
      .IsHost (i == 0)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .start_i       (start_i[i]),
      .valid_i       (valid_i[i]),
      .flit_i        (flit_i[i]),
      .nd_valid_o    (nd_valid_o[i]),
      .nd_hdr_o      (nd_hdr_o[i]),
      .wd_valid_o    (wd_valid_o[i]),
      .wd_hdr_o      (wd_hdr_o[i]),
      .wd_data_o     (wd_data_o[i]),
      .wd_be_o       (wd_be_o[i]),
      .creq_valid_o  (creq_valid_o[i]),
      .creq_hdr_o    (creq_hdr_o[i]),
      .creq_older_o  (creq_older_o[i]),
      .crsp_valid_o  (crsp_valid_o[i]),
      .crsp_hdr_o    (crsp_hdr_o[i]),
      .cdat_valid_o  (cdat_valid_o[i]),
      .cdat_hdr_o    (cdat_hdr_o[i]),
      .is_protocol_o (is_protocol_o[i]),
      .is_control_o  (is_control_o[i]),
      .err_o         (err_o[i]),
      .owed_o        (owed_o[i])
    );
  end

endmodule
