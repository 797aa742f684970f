// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Order and no loss of fifo, fifo_dual and fifo_multi: one word, chosen freely as it goes in, comes out
// unchanged after exactly those that were there before it, and nothing comes out of an empty queue.
//
// `before` counts what is ahead of the watched word. Kind: 0 fifo, 1 fifo_dual, 2 fifo_multi.

module fifo_fv #(
  parameter int unsigned Kind = 0,
  parameter int unsigned Width = 2,
  parameter int unsigned Depth = 4
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [1:0]            in_valid_i,
  input logic [1:0][Width-1:0] in_data_i,
  input logic [1:0]            take_i,    // what the reader would take
  input logic [1:0]            watch_i    // this word of those offered is the one, if it gets in
);

  localparam int unsigned CountBits = $clog2(Depth + 1);

  logic [1:0]            in_valid, in_ready, out_valid, out_take, pushed;
  logic [1:0][Width-1:0] out_data;
  logic [CountBits-1:0]  count;

  if (Kind == 0) begin : g_fifo
    assign in_valid     = {1'b0, in_valid_i[0]};
    assign in_ready[1]  = 1'b0;
    assign out_valid[1] = 1'b0;
    assign out_data[1]  = '0;
    assign out_take     = {1'b0, take_i[0] && out_valid[0]};
    fifo #(.Width(Width), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni,
      .in_valid_i (in_valid[0]), .in_ready_o (in_ready[0]), .in_data_i (in_data_i[0]),
      .out_valid_o(out_valid[0]), .out_ready_i(take_i[0]), .out_data_o(out_data[0]), .count_o(count));
  end else if (Kind == 1) begin : g_dual
    assign in_valid = {in_valid_i[1] && in_valid_i[0], in_valid_i[0]};
    assign out_take = !out_valid[0] ? 2'd0 : !out_valid[1] ? {1'b0, take_i != 2'd0}
                    : (take_i == 2'd3) ? 2'd2 : take_i;
    fifo_dual #(.Width(Width), .Depth(Depth)) u_fifo (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .in_valid_i (in_valid), .in_ready_o (in_ready),
      .in_data0_i (in_data_i[0]), .in_data1_i (in_data_i[1]),
      .out_valid_o(out_valid), .out_take_i(out_take),
      .out_data0_o(out_data[0]), .out_data1_o(out_data[1]), .count_o(count));
  end else begin : g_multi
    assign in_valid     = {in_valid_i[1] && in_valid_i[0], in_valid_i[0]};
    assign out_valid[1] = 1'b0;
    assign out_data[1]  = '0;
    assign out_take     = {1'b0, take_i[0] && out_valid[0]};
    fifo_multi #(.Width(Width), .Depth(Depth), .In(2)) u_fifo (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .in_valid_i (in_valid), .in_ready_o (in_ready), .in_data_i,
      .out_valid_o(out_valid[0]), .out_ready_i(take_i[0]), .out_data_o(out_data[0]), .count_o(count));
  end

  assign pushed = in_valid & in_ready;

  logic                 watching_q, seen_q;
  logic [Width-1:0]     word_q;
  logic [CountBits-1:0] before_q, before_new, held_q;

  assign before_new = held_q - CountBits'(out_take) + CountBits'(watch_i[1]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watching_q <= 1'b0;
      seen_q     <= 1'b0;
      word_q     <= '0;
      before_q   <= '0;
      held_q     <= '0;
    end else begin
      held_q <= held_q + CountBits'(pushed[0]) + CountBits'(pushed[1]) - CountBits'(out_take);
      if (!watching_q && !seen_q && (watch_i == 2'd1 && pushed[0] || watch_i == 2'd2 && pushed[1]))
      begin
        watching_q <= 1'b1;
        word_q     <= watch_i[1] ? in_data_i[1] : in_data_i[0];
        before_q   <= before_new;
      end else if (watching_q) begin
        if (before_q < CountBits'(out_take)) begin
          watching_q <= 1'b0;
          seen_q     <= 1'b1;
        end
        before_q <= before_q - CountBits'(out_take);
      end
    end
  end

  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count == held_q);
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_ready[0] == (32'(held_q) < Depth));
  There_A: assert property (@(posedge clk_i) disable iff (!rst_ni) out_valid[0] == (held_q != '0));
  First_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (watching_q && before_q == '0) |-> out_valid[0] && out_data[0] == word_q);
  Second_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (watching_q && before_q == CountBits'(1) && out_valid[1]) |-> out_data[1] == word_q);
  Ahead_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      watching_q |-> before_q < held_q);

endmodule
