// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ring_buffer in four sizes: a root port's 64 sets of 4 ways, one set of one way, 256 sets of 4
// ways, and one set of 4. size_i chooses the one that is clocked and whose outputs show; it changes
// in reset only.

module ring_buffer_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [1:0] size_i,
  input  logic       flush_i,
  input  granule_t   granule_i,
  output logic       hit_o,
  output logic       line_hit_o,
  input  logic       use_i,
  input  logic [1:0] line_i,
  output logic       first_use_o,
  input  logic       record_i,
  input  granule_t   first_i,
  input  logic [1:0] len_i,
  input  granule_t   own_granule_i,
  input  logic [1:0] own_i,
  output logic       own_use_o,
  output logic [2:0] useful_o,
  output logic [2:0] useless_o
);

  logic [3:0]      hit;
  logic [3:0]      line_hit;
  logic [3:0]      first_use;
  logic [3:0]      own_use;
  logic [3:0][2:0] useful;
  logic [3:0][2:0] useless;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    ring_buffer #(
      .Sets((g == 0) ? 64 : (g == 2) ? 256 : 1),
      .Ways((g == 1) ? 1 : 4)
    ) u_ring (
      .clk_i        (clk_i && size_i == 2'(g)),
      .rst_ni,
      .flush_i,
      .granule_i,
      .hit_o        (hit[g]),
      .line_hit_o   (line_hit[g]),
      .use_i,
      .line_i,
      .first_use_o  (first_use[g]),
      .record_i,
      .first_i,
      .len_i,
      .own_granule_i,
      .own_i,
      .own_use_o    (own_use[g]),
      .useful_o     (useful[g]),
      .useless_o    (useless[g])
    );
  end

  assign hit_o       = hit[size_i];
  assign line_hit_o  = line_hit[size_i];
  assign first_use_o = first_use[size_i];
  assign own_use_o   = own_use[size_i];
  assign useful_o    = useful[size_i];
  assign useless_o   = useless[size_i];

endmodule
