// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// persist_join in four sizes: two ports and 16 requests, one and one, four and three, 15 and 64.
// size_i chooses the one that is clocked and whose outputs show, 0..3; it changes in reset only.

module persist_join_tb
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  size_i,
  input  logic        persist_valid_i,
  output logic        persist_ready_o,
  input  sys_id_t     persist_id_i,
  output logic        persist_rsp_valid_o,
  input  logic        persist_rsp_ready_i,
  output sys_id_t     persist_rsp_id_o,
  output logic        persist_rsp_error_o,
  input  logic        bus_valid_i,
  input  logic        bus_ready_i,
  input  logic [14:0] way_valid_i,
  input  logic [14:0] way_ready_i,
  input  logic        lost_i,
  input  logic        clear_error_i,
  output logic        clear_o,
  output logic        error_o,
  output logic [14:0] port_req_valid_o,
  input  logic [14:0] port_req_ready_i,
  input  logic [14:0] port_rsp_valid_i,
  output logic [14:0] port_rsp_ready_o,
  input  logic [14:0] port_rsp_error_i
);

  logic [3:0]       ready, rsp_valid, rsp_error, clear, error;
  sys_id_t [3:0]    rsp_id;
  logic [3:0][14:0] port_req_valid, port_rsp_ready;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    localparam int unsigned NumPorts = (g == 0) ? 2 : (g == 1) ? 1 : (g == 2) ? 4 : 15;
    localparam int unsigned Depth    = (g == 0) ? 16 : (g == 1) ? 1 : (g == 2) ? 3 : 64;

    logic [NumPorts-1:0] req_valid_part, rsp_ready_part;

    persist_join #(
      .NumPorts(NumPorts),
      .Depth   (Depth)
    ) u_join (
      .clk_i              (clk_i && size_i == 2'(g)),
      .rst_ni,
      .persist_valid_i,
      .persist_ready_o    (ready[g]),
      .persist_id_i,
      .persist_rsp_valid_o(rsp_valid[g]),
      .persist_rsp_ready_i,
      .persist_rsp_id_o   (rsp_id[g]),
      .persist_rsp_error_o(rsp_error[g]),
      .bus_valid_i,
      .bus_ready_i,
      .way_valid_i        (way_valid_i[NumPorts-1:0]),
      .way_ready_i        (way_ready_i[NumPorts-1:0]),
      .lost_i,
      .clear_error_i,
      .clear_o            (clear[g]),
      .error_o            (error[g]),
      .port_req_valid_o   (req_valid_part),
      .port_req_ready_i   (port_req_ready_i[NumPorts-1:0]),
      .port_rsp_valid_i   (port_rsp_valid_i[NumPorts-1:0]),
      .port_rsp_ready_o   (rsp_ready_part),
      .port_rsp_error_i   (port_rsp_error_i[NumPorts-1:0])
    );

    assign port_req_valid[g] = 15'(req_valid_part);
    assign port_rsp_ready[g] = 15'(rsp_ready_part);
  end

  assign persist_ready_o     = ready[size_i];
  assign persist_rsp_valid_o = rsp_valid[size_i];
  assign persist_rsp_id_o    = rsp_id[size_i];
  assign persist_rsp_error_o = rsp_error[size_i];
  assign clear_o             = clear[size_i];
  assign error_o             = error[size_i];
  assign port_req_valid_o    = port_req_valid[size_i];
  assign port_rsp_ready_o    = port_rsp_ready[size_i];

endmodule
