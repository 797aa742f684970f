// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// sr_queue in three sizes: a root port's 32 requests, the least, 2, and the greatest, 64. size_i
// chooses the one that is clocked and whose outputs show, 0..2; it changes in reset only.

module sr_queue_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [1:0]                    size_i,
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  sys_req_t                      in_req_i,
  input  logic                          beside_i,
  output logic                          head_valid_o,
  input  logic                          head_ready_i,
  output sys_req_t                      head_req_o,
  output logic                          rd_valid_o,
  output logic                          rd_is_load_o,
  output line_addr_t                    rd_line_o,
  output logic [5:0]                    rd_index_o,
  output logic                          rd_head_o,
  input  logic                          rd_next_i,
  output logic [63:0]                   load_valid_o,
  output logic [63:0][LineAddrBits-1:0] load_line_o,
  output logic [6:0]                    count_o
);

  logic [2:0]                         in_ready;
  logic [2:0]                         head_valid;
  sys_req_t [2:0]                     head_req;
  logic [2:0]                         rd_valid;
  logic [2:0]                         rd_is_load;
  line_addr_t [2:0]                   rd_line;
  logic [2:0][5:0]                    rd_index;
  logic [2:0]                         rd_head;
  logic [2:0][63:0]                   load_valid;
  logic [2:0][63:0][LineAddrBits-1:0] load_line;
  logic [2:0][6:0]                    count;

  for (genvar g = 0; g < 3; g++) begin : gen_size
    localparam int unsigned Depth = (g == 0) ? 32 : (g == 1) ? 2 : 64;

    logic [$clog2(Depth)-1:0]           rd_index_part;
    logic [Depth-1:0]                   load_valid_part;
    logic [Depth-1:0][LineAddrBits-1:0] load_line_part;
    logic [$clog2(Depth+1)-1:0]         count_part;

    sr_queue #(
      .Depth(Depth)
    ) u_queue (
      .clk_i       (clk_i && size_i == 2'(g)),
      .rst_ni,
      .in_valid_i,
      .in_ready_o  (in_ready[g]),
      .in_req_i,
      .beside_i,
      .head_valid_o(head_valid[g]),
      .head_ready_i,
      .head_req_o  (head_req[g]),
      .rd_valid_o  (rd_valid[g]),
      .rd_is_load_o(rd_is_load[g]),
      .rd_line_o   (rd_line[g]),
      .rd_index_o  (rd_index_part),
      .rd_head_o   (rd_head[g]),
      .rd_next_i,
      .load_valid_o(load_valid_part),
      .load_line_o (load_line_part),
      .count_o     (count_part)
    );

    assign rd_index[g]   = $bits(rd_index[g])'(rd_index_part);
    assign load_valid[g] = $bits(load_valid[g])'(load_valid_part);
    assign load_line[g]  = $bits(load_line[g])'(load_line_part);
    assign count[g]      = $bits(count[g])'(count_part);
  end

  assign in_ready_o   = in_ready[size_i];
  assign head_valid_o = head_valid[size_i];
  assign head_req_o   = head_req[size_i];
  assign rd_valid_o   = rd_valid[size_i];
  assign rd_is_load_o = rd_is_load[size_i];
  assign rd_line_o    = rd_line[size_i];
  assign rd_index_o   = rd_index[size_i];
  assign rd_head_o    = rd_head[size_i];
  assign load_valid_o = load_valid[size_i];
  assign load_line_o  = load_line[size_i];
  assign count_o      = count[size_i];

endmodule
