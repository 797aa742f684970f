// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// The packers of both ends with every channel of mem_i and cache_i always offering messages, a flit
// leaving each cycle. Index 0 is the host's.

module cache_turns_tb
  import cxl_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                mem_i,
  input  logic [2:0]          cache_i,     // Creq, Crsp, Cdat
  output flit_payload_t [1:0] flit_o,
  output logic [1:0][1:0]     nd_take_o,
  output logic [1:0][1:0]     wd_take_o,
  output logic [1:0][1:0]     creq_take_o,
  output logic [1:0][1:0]     crsp_take_o,
  output logic [1:0]          cdat_take_o
);

  logic [1:0]      unused_adf, unused_content;
  logic [1:0][3:0] unused_owed, unused_owed_next;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cache_packer #(
      .IsHost (i == 0)
    ) i_dut (
      .clk_i,
      .rst_ni,
      .start_i       (1'b0),
      .take_i        (mem_i || cache_i != '0),
      .hold_new_i    (1'b0),
      .mdh_disable_i (1'b0),
      .nd_valid_i    ({2{mem_i}}),
      .nd_hdr_i      ({2{msg_hdr_t'(87'd1)}}),
      .wd_valid_i    ({2{mem_i}}),
      .wd_hdr_i      ({2{msg_hdr_t'((i == 0) ? 87'd3 : 87'd1)}}),
      .wd_data_i     ('0),
      .wd_be_i       ('1),
      .creq_valid_i  ({2{cache_i[0]}}),
      .creq_hdr_i    ({2{cache_req_t'(79'd3)}}),
      .crsp_valid_i  ({2{cache_i[1]}}),
      .crsp_hdr_i    ({2{cache_rsp_t'((i == 0) ? 32'd9 : 32'd3)}}),
      .cdat_valid_i  (cache_i[2]),
      .cdat_hdr_i    (24'd1),
      .cdat_data_i   ('0),
      .cdat_be_i     ('1),
      .ak_i          (1'b0),
      .rsp_crd_i     (4'd0),
      .req_crd_i     (4'd0),
      .data_crd_i    (4'd0),
      .flit_o        (flit_o[i]),
      .is_adf_o      (unused_adf[i]),
      .has_content_o (unused_content[i]),
      .nd_take_o     (nd_take_o[i]),
      .wd_take_o     (wd_take_o[i]),
      .creq_take_o   (creq_take_o[i]),
      .crsp_take_o   (crsp_take_o[i]),
      .cdat_take_o   (cdat_take_o[i]),
      .owed_o        (unused_owed[i]),
      .owed_next_o   (unused_owed_next[i])
    );
  end

endmodule
