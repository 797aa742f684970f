// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// fifo at depths 1 to 5 and 32, side by side: element g of each port is the one of depth g + 1, the
// last is that of the orders in memory_queue.

module fifo_tb (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [5:0]      in_valid_i,
  output logic [5:0]      in_ready_o,
  input  logic [5:0][7:0] in_data_i,
  output logic [5:0]      out_valid_o,
  input  logic [5:0]      out_ready_i,
  output logic [5:0][7:0] out_data_o,
  output logic [5:0][5:0] count_o
);

  for (genvar g = 0; g < 6; g++) begin : gen_fifo
    localparam int unsigned Depth = g == 5 ? 32 : g + 1;
    logic [$clog2(Depth+1)-1:0] count;

    fifo #(
      .Width(8),
      .Depth(Depth)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid_i[g]),
      .in_ready_o (in_ready_o[g]),
      .in_data_i  (in_data_i[g]),
      .out_valid_o(out_valid_o[g]),
      .out_ready_i(out_ready_i[g]),
      .out_data_o (out_data_o[g]),
      .count_o    (count)
    );
    assign count_o[g] = 6'(count);
  end

endmodule
