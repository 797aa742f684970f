// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// range_decoder with two ranges, of 1.25 GiB and 768 MiB.

module range_decoder_tb
  import cxl_pkg::*;
(
  input  logic        mem_enable_i,
  input  logic [35:0] range1_base_i,
  input  logic [35:0] range2_base_i,
  input  logic        hpa_valid_i,
  input  line_addr_t  hpa_line_i,
  input  logic        hdm_enabled_i,
  input  logic        hdm_hit_i,
  input  line_addr_t  hdm_dpa_line_i,
  output logic        hit_o,
  output line_addr_t  dpa_line_o
);

  range_decoder #(
    .Range1Size(36'd5),
    .Range2Size(36'd3)
  ) u_range_decoder (
    .mem_enable_i,
    .range1_base_i,
    .range2_base_i,
    .hpa_valid_i,
    .hpa_line_i,
    .hdm_enabled_i,
    .hdm_hit_i,
    .hdm_dpa_line_i,
    .hit_o,
    .dpa_line_o
  );

endmodule
