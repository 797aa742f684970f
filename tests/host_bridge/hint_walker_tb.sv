// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// hint_walker in four sizes: 16 hints and two ports, one and four, 64 and one, 16 and four. size_i
// chooses the one that is clocked and whose outputs show, 0..3; it changes in reset only.

module hint_walker_tb
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  size_i,
  input  logic        in_valid_i,
  input  granule_t    in_first_i,
  input  logic [11:0] in_len_i,
  input  logic        free_i,
  output logic        ask_o,
  output granule_t    granule_o,
  input  logic        hit_i,
  input  logic [1:0]  port_i,
  output logic [3:0]  port_valid_o,
  input  logic [3:0]  port_ready_i,
  output granule_t    port_granule_o,
  output logic        lost_o,
  output logic        miss_o
);

  logic [3:0]      ask;
  granule_t [3:0]  granule;
  logic [3:0][3:0] port_valid;
  granule_t [3:0]  port_granule;
  logic [3:0]      lost;
  logic [3:0]      miss;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    localparam int unsigned Depth    = (g == 1) ? 1 : (g == 2) ? 64 : 16;
    localparam int unsigned NumPorts = (g == 0) ? 2 : (g == 2) ? 1 : 4;
    localparam int unsigned PortBits = (NumPorts > 1) ? $clog2(NumPorts) : 1;

    logic [NumPorts-1:0] port_valid_part;

    hint_walker #(
      .Depth   (Depth),
      .NumPorts(NumPorts)
    ) u_walker (
      .clk_i         (clk_i && size_i == 2'(g)),
      .rst_ni,
      .in_valid_i,
      .in_first_i,
      .in_len_i,
      .free_i,
      .ask_o         (ask[g]),
      .granule_o     (granule[g]),
      .hit_i,
      .port_i        (port_i[PortBits-1:0]),
      .port_valid_o  (port_valid_part),
      .port_ready_i  (port_ready_i[NumPorts-1:0]),
      .port_granule_o(port_granule[g]),
      .lost_o        (lost[g]),
      .miss_o        (miss[g])
    );

    assign port_valid[g] = 4'(port_valid_part);
  end

  assign ask_o          = ask[size_i];
  assign granule_o      = granule[size_i];
  assign port_valid_o   = port_valid[size_i];
  assign port_granule_o = port_granule[size_i];
  assign lost_o         = lost[size_i];
  assign miss_o         = miss[size_i];

endmodule
