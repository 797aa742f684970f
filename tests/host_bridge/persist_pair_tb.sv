// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// persist_join with a persist_tracker for each of two root ports, wired as a root complex would.

module persist_pair_tb
  import cxlgpu_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            persist_valid_i,
  output logic            persist_ready_o,
  input  sys_id_t         persist_id_i,
  output logic            persist_rsp_valid_o,
  output sys_id_t         persist_rsp_id_o,
  output logic            persist_rsp_error_o,
  input  logic            bus_valid_i,
  input  logic            bus_ready_i,
  input  logic [1:0]      way_valid_i,
  input  logic [1:0]      way_ready_i,
  input  logic            lost_i,
  input  logic            clear_error_i,
  output logic [2:0]      error_o,         // 2: of the join
  output logic [1:0]      store_parity_o,
  input  logic [1:0]      done_i,
  input  logic [1:0][1:0] done_set_i,
  input  logic [1:0]      done_error_i,
  input  logic [1:0]      fail_i
);

  logic       clear;
  logic [1:0] req_valid, req_ready, rsp_valid, rsp_ready, rsp_error, unused_waiting;

  persist_join #(
    .NumPorts(2),
    .Depth   (4)
  ) u_join (
    .clk_i,
    .rst_ni,
    .persist_valid_i,
    .persist_ready_o,
    .persist_id_i,
    .persist_rsp_valid_o,
    .persist_rsp_ready_i(1'b1),
    .persist_rsp_id_o,
    .persist_rsp_error_o,
    .bus_valid_i,
    .bus_ready_i,
    .way_valid_i,
    .way_ready_i,
    .lost_i,
    .clear_error_i,
    .clear_o         (clear),
    .error_o         (error_o[2]),
    .port_req_valid_o(req_valid),
    .port_req_ready_i(req_ready),
    .port_rsp_valid_i(rsp_valid),
    .port_rsp_ready_o(rsp_ready),
    .port_rsp_error_i(rsp_error)
  );

  for (genvar p = 0; p < 2; p++) begin : gen_port
    // A store enters the port as the port takes it; there are no loads here.
    persist_tracker #(
      .Dones  (1),
      .Entries(64)
    ) u_tracker (
      .clk_i,
      .rst_ni,
      .store_i       (way_valid_i[p] && way_ready_i[p]),
      .store_parity_o(store_parity_o[p]),
      .done_i        (done_i[p]),
      .done_set_i    (done_set_i[p]),
      .done_error_i  (done_error_i[p]),
      .fail_i        (fail_i[p]),
      .clear_error_i (clear),
      .error_o       (error_o[p]),
      .req_valid_i   (req_valid[p]),
      .req_ready_o   (req_ready[p]),
      .rsp_valid_o   (rsp_valid[p]),
      .rsp_ready_i   (rsp_ready[p]),
      .rsp_error_o   (rsp_error[p]),
      .waiting_o     (unused_waiting[p])
    );
  end

endmodule
