// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// fifo_dual at depths 2 to 5 and 32, side by side: element g of each port is the one of depth g + 2, the
// last is that of the receive queues of a product.

module fifo_dual_tb (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [4:0]       clear_i,
  input  logic [4:0][1:0]  in_valid_i,
  output logic [4:0][1:0]  in_ready_o,
  input  logic [4:0][31:0] in_data0_i,
  input  logic [4:0][31:0] in_data1_i,
  output logic [4:0][1:0]  out_valid_o,
  input  logic [4:0][1:0]  out_take_i,
  output logic [4:0][31:0] out_data0_o,
  output logic [4:0][31:0] out_data1_o,
  output logic [4:0][5:0]  count_o
);

  for (genvar g = 0; g < 5; g++) begin : gen_fifo
    localparam int unsigned Depth = g == 4 ? 32 : g + 2;
    logic [$clog2(Depth+1)-1:0] count;

    fifo_dual #(
      .Width(32),
      .Depth(Depth)
    ) u_fifo_dual (
      .clk_i,
      .rst_ni,
      .clear_i    (clear_i[g]),
      .in_valid_i (in_valid_i[g]),
      .in_ready_o (in_ready_o[g]),
      .in_data0_i (in_data0_i[g]),
      .in_data1_i (in_data1_i[g]),
      .out_valid_o(out_valid_o[g]),
      .out_take_i (out_take_i[g]),
      .out_data0_o(out_data0_o[g]),
      .out_data1_o(out_data1_o[g]),
      .count_o    (count)
    );
    assign count_o[g] = 6'(count);
  end

endmodule
