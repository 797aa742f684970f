// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// address_window in four sizes: 30 and 32 entries as in a root port, the least and the most of a
// root port, and one of each. size_i chooses whose outputs show; each takes the lowest entries.

module address_window_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic [1:0]                    size_i,
  input  logic                          valid_i,
  input  line_addr_t                    line_i,
  input  gran_e                         gran_i,
  input  logic                          directional_i,
  input  logic                          around_i,
  input  logic [3:0]                    clip_log2_i,
  input  logic [61:0]                   mem_valid_i,
  input  logic [61:0][LineAddrBits-1:0] mem_line_i,
  input  logic [63:0]                   sr_valid_i,
  input  logic [63:0][LineAddrBits-1:0] sr_line_i,
  output granule_t                      first_o,
  output logic [1:0]                    len_o
);

  granule_t [3:0]  first;
  logic [3:0][1:0] len;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    localparam int unsigned MemEntries = (g == 0) ? 30 : (g == 1) ? 2 : (g == 2) ? 62 : 1;
    localparam int unsigned SrEntries  = (g == 0) ? 32 : (g == 1) ? 4 : (g == 2) ? 64 : 1;
    address_window #(
      .MemEntries(MemEntries),
      .SrEntries (SrEntries)
    ) u_window (
      .valid_i      (valid_i && size_i == 2'(g)),
      .line_i,
      .gran_i,
      .directional_i,
      .around_i,
      .clip_log2_i,
      .mem_valid_i  (mem_valid_i[MemEntries-1:0]),
      .mem_line_i   (mem_line_i[MemEntries-1:0]),
      .sr_valid_i   (sr_valid_i[SrEntries-1:0]),
      .sr_line_i    (sr_line_i[SrEntries-1:0]),
      .first_o      (first[g]),
      .len_o        (len[g])
    );
  end

  assign first_o = first[size_i];
  assign len_o   = len[size_i];

endmodule
