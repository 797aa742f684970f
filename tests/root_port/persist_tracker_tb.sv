// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// persist_tracker in four sizes: two dones and 255 entries, one and one, four and five, two and
// 1112, which is what a root port with deterministic store holds. size_i chooses the one that is
// clocked and whose outputs show, 0..3; it changes in reset only.

module persist_tracker_tb (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [1:0]      size_i,
  input  logic            store_i,
  output logic            store_parity_o,
  input  logic [3:0]      done_i,
  input  logic [3:0][1:0] done_set_i,
  input  logic [3:0]      done_error_i,
  input  logic            fail_i,
  input  logic            clear_error_i,
  output logic            error_o,
  input  logic            req_valid_i,
  output logic            req_ready_o,
  output logic            rsp_valid_o,
  input  logic            rsp_ready_i,
  output logic            rsp_error_o,
  output logic            waiting_o
);

  logic [3:0] store_parity, error, req_ready, rsp_valid, rsp_error, waiting;

  for (genvar g = 0; g < 4; g++) begin : gen_size
    localparam int unsigned Dones   = (g == 1) ? 1 : (g == 2) ? 4 : 2;
    localparam int unsigned Entries = (g == 0) ? 255 : (g == 1) ? 1 : (g == 2) ? 5 : 1112;

    persist_tracker #(
      .Dones  (Dones),
      .Entries(Entries)
    ) u_tracker (
      .clk_i         (clk_i && size_i == 2'(g)),
      .rst_ni,
      .store_i,
      .store_parity_o(store_parity[g]),
      .done_i        (done_i[Dones-1:0]),
      .done_set_i    (done_set_i[Dones-1:0]),
      .done_error_i  (done_error_i[Dones-1:0]),
      .fail_i,
      .clear_error_i,
      .error_o       (error[g]),
      .req_valid_i,
      .req_ready_o   (req_ready[g]),
      .rsp_valid_o   (rsp_valid[g]),
      .rsp_ready_i,
      .rsp_error_o   (rsp_error[g]),
      .waiting_o     (waiting[g])
    );
  end

  assign store_parity_o = store_parity[size_i];
  assign error_o        = error[size_i];
  assign req_ready_o    = req_ready[size_i];
  assign rsp_valid_o    = rsp_valid[size_i];
  assign rsp_error_o    = rsp_error[size_i];
  assign waiting_o      = waiting[size_i];

endmodule
