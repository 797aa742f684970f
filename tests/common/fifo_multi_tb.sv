// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// fifo_multi with a depth that is no power of two.

module fifo_multi_tb (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic [3:0]      in_valid_i,
  output logic [3:0]      in_ready_o,
  input  logic [3:0][7:0] in_data_i,
  output logic            out_valid_o,
  input  logic            out_ready_i,
  output logic [7:0]      out_data_o,
  output logic [31:0]     count_o
);

  logic [2:0] count;
  assign count_o = 32'(count);

  fifo_multi #(.Width(8), .Depth(7), .In(4)) i_dut (
    .clk_i, .rst_ni, .clear_i, .in_valid_i, .in_ready_o, .in_data_i,
    .out_valid_o, .out_ready_i, .out_data_o,
    .count_o(count)
  );

endmodule
