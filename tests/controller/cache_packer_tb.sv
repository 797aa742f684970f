// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both packers behind one set of ports; is_host_i says whose turn it is (the other holds).
module cache_packer_tb (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic is_host_i,
  input  logic start_i,
  input  logic take_i,
  input  logic hold_new_i,
  input  logic mdh_disable_i,
  input  logic [1:0] nd_valid_i,
  input  logic [1:0][86:0] nd_hdr_i,
  input  logic [1:0] wd_valid_i,
  input  logic [1:0][86:0] wd_hdr_i,
  input  logic [1:0][511:0] wd_data_i,
  input  logic [1:0][63:0] wd_be_i,
  input  logic [1:0] creq_valid_i,
  input  logic [1:0][78:0] creq_hdr_i,
  input  logic [1:0] crsp_valid_i,
  input  logic [1:0][31:0] crsp_hdr_i,
  input  logic cdat_valid_i,
  input  logic [23:0] cdat_hdr_i,
  input  logic [511:0] cdat_data_i,
  input  logic [63:0] cdat_be_i,
  input  logic ak_i,
  input  logic [3:0] rsp_crd_i,
  input  logic [3:0] req_crd_i,
  input  logic [3:0] data_crd_i,
  output logic [511:0] flit_o,
  output logic is_adf_o,
  output logic has_content_o,
  output logic [1:0] nd_take_o,
  output logic [1:0] wd_take_o,
  output logic [1:0] creq_take_o,
  output logic [1:0] crsp_take_o,
  output logic cdat_take_o,
  output logic [3:0] owed_o,
  output logic [3:0] owed_next_o
);

  logic [1:0][511:0] flit;
  logic [1:0] is_adf;
  logic [1:0] has_content;
  logic [1:0][1:0] nd_take;
  logic [1:0][1:0] wd_take;
  logic [1:0][1:0] creq_take;
  logic [1:0][1:0] crsp_take;
  logic [1:0] cdat_take;
  logic [1:0][3:0] owed;
  logic [1:0][3:0] owed_next;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cache_packer #(.IsHost(i == 1)) i_dut (
      .clk_i,
      .rst_ni,
      .start_i,
      .take_i(take_i && is_host_i == (i == 1)),
      .hold_new_i,
      .mdh_disable_i,
      .nd_valid_i,
      .nd_hdr_i,
      .wd_valid_i,
      .wd_hdr_i,
      .wd_data_i,
      .wd_be_i,
      .creq_valid_i,
      .creq_hdr_i,
      .crsp_valid_i,
      .crsp_hdr_i,
      .cdat_valid_i,
      .cdat_hdr_i,
      .cdat_data_i,
      .cdat_be_i,
      .ak_i,
      .rsp_crd_i,
      .req_crd_i,
      .data_crd_i,
      .flit_o(flit[i]),
      .is_adf_o(is_adf[i]),
      .has_content_o(has_content[i]),
      .nd_take_o(nd_take[i]),
      .wd_take_o(wd_take[i]),
      .creq_take_o(creq_take[i]),
      .crsp_take_o(crsp_take[i]),
      .cdat_take_o(cdat_take[i]),
      .owed_o(owed[i]),
      .owed_next_o(owed_next[i])
    );
  end

  assign flit_o = flit[is_host_i];
  assign is_adf_o = is_adf[is_host_i];
  assign has_content_o = has_content[is_host_i];
  assign nd_take_o = nd_take[is_host_i];
  assign wd_take_o = wd_take[is_host_i];
  assign creq_take_o = creq_take[is_host_i];
  assign crsp_take_o = crsp_take[is_host_i];
  assign cdat_take_o = cdat_take[is_host_i];
  assign owed_o = owed[is_host_i];
  assign owed_next_o = owed_next[is_host_i];

endmodule
