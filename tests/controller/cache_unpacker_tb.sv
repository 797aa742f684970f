// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both unpackers behind one set of ports; is_host_i says whose turn it is (the other holds).
module cache_unpacker_tb (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic is_host_i,
  input  logic start_i,
  input  logic mdh_disable_i,
  input  logic valid_i,
  input  logic [511:0] flit_i,
  output logic [1:0] nd_valid_o,
  output logic [1:0][86:0] nd_hdr_o,
  output logic wd_valid_o,
  output logic [86:0] wd_hdr_o,
  output logic [511:0] wd_data_o,
  output logic [63:0] wd_be_o,
  output logic wd_half_o,
  output logic [3:0] creq_valid_o,
  output logic [3:0][78:0] creq_hdr_o,
  output logic [1:0][2:0] creq_older_o,
  output logic [3:0] crsp_valid_o,
  output logic [3:0][31:0] crsp_hdr_o,
  output logic cdat_valid_o,
  output logic [23:0] cdat_hdr_o,
  output logic cdat_half_o,
  output logic is_protocol_o,
  output logic is_control_o,
  output logic err_o,
  output logic [4:0] owed_o
);

  logic [1:0][1:0] nd_valid;
  logic [1:0][1:0][86:0] nd_hdr;
  logic [1:0] wd_valid;
  logic [1:0] wd_half;
  logic [1:0][86:0] wd_hdr;
  logic [1:0][511:0] wd_data;
  logic [1:0][63:0] wd_be;
  logic [1:0][3:0] creq_valid;
  logic [1:0][3:0][78:0] creq_hdr;
  logic [1:0][1:0][2:0] creq_older;
  logic [1:0][3:0] crsp_valid;
  logic [1:0][3:0][31:0] crsp_hdr;
  logic [1:0] cdat_valid;
  logic [1:0][23:0] cdat_hdr;
  logic [1:0] cdat_half;
  logic [1:0] is_protocol;
  logic [1:0] is_control;
  logic [1:0] err;
  logic [1:0][4:0] owed;

  for (genvar i = 0; i < 2; i++) begin : gen_end
    cache_unpacker #(.IsHost(i == 1)) i_dut (
      .clk_i,
      .rst_ni,
      .start_i,
      .mdh_disable_i,
      .valid_i(valid_i && is_host_i == (i == 1)),
      .flit_i,
      .nd_valid_o(nd_valid[i]),
      .nd_hdr_o(nd_hdr[i]),
      .wd_valid_o(wd_valid[i]),
      .wd_hdr_o(wd_hdr[i]),
      .wd_data_o(wd_data[i]),
      .wd_be_o(wd_be[i]),
      .wd_half_o(wd_half[i]),
      .creq_valid_o(creq_valid[i]),
      .creq_hdr_o(creq_hdr[i]),
      .creq_older_o(creq_older[i]),
      .crsp_valid_o(crsp_valid[i]),
      .crsp_hdr_o(crsp_hdr[i]),
      .cdat_valid_o(cdat_valid[i]),
      .cdat_hdr_o(cdat_hdr[i]),
      .cdat_half_o(cdat_half[i]),
      .is_protocol_o(is_protocol[i]),
      .is_control_o(is_control[i]),
      .err_o(err[i]),
      .owed_o(owed[i])
    );
  end

  assign nd_valid_o = nd_valid[is_host_i];
  assign nd_hdr_o = nd_hdr[is_host_i];
  assign wd_valid_o = wd_valid[is_host_i];
  assign wd_hdr_o = wd_hdr[is_host_i];
  assign wd_data_o = wd_data[is_host_i];
  assign wd_be_o = wd_be[is_host_i];
  assign wd_half_o = wd_half[is_host_i];
  assign creq_valid_o = creq_valid[is_host_i];
  assign creq_hdr_o = creq_hdr[is_host_i];
  assign creq_older_o = creq_older[is_host_i];
  assign crsp_valid_o = crsp_valid[is_host_i];
  assign crsp_hdr_o = crsp_hdr[is_host_i];
  assign cdat_valid_o = cdat_valid[is_host_i];
  assign cdat_hdr_o = cdat_hdr[is_host_i];
  assign cdat_half_o = cdat_half[is_host_i];
  assign is_protocol_o = is_protocol[is_host_i];
  assign is_control_o = is_control[is_host_i];
  assign err_o = err[is_host_i];
  assign owed_o = owed[is_host_i];

endmodule
