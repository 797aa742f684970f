// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_route: a request taken is answered after at most so many cycles of its own, which are those in
// which nobody it needs keeps it waiting: not the register page, not the link below. One at a time.

module route_fv
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
#(
  parameter int unsigned Bound = 3
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4:0]  device_i,
  input  logic        req_valid_i,
  input  io_req_t     req_i,
  input  logic        rsp_ready_i,
  input  logic        down_ready_i,
  input  logic        down_rsp_valid_i,
  input  io_rsp_t     down_rsp_i,
  input  logic [31:0] cfg_rdata_i,
  input  bridge_t     bridge_i,
  input  logic        reg_busy_i,
  input  logic [31:0] reg_rdata_i
);

  logic     req_ready_o, rsp_valid_o, down_valid_o, down_rsp_ready_o;
  io_rsp_t  rsp_o;
  io_req_t  down_o;
  cfg_req_t cfg_req_o;
  reg_req_t reg_req_o;

  // What is offered stays while it is not taken.
  io_req_t req, req_q;
  logic    kept_q;
  always_comb begin
    req = kept_q ? req_q : req_i;
    if (req.op > IoMemWr) req.op = IoMemWr;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else         kept_q <= (req_valid_i || kept_q) && !req_ready_o;
  end
  always_ff @(posedge clk_i) req_q <= req;

  io_route u_route (.*, .req_valid_i(req_valid_i || kept_q), .req_i(req));

  logic       under_way_q;
  logic [3:0] own_q;  // cycles of its own since it was taken
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      under_way_q <= 1'b0;
      own_q       <= '0;
    end else if (!under_way_q) begin
      under_way_q <= (req_valid_i || kept_q) && req_ready_o;
      own_q       <= '0;
    end else begin
      if (rsp_valid_o) under_way_q <= !rsp_ready_i;
      else if (!reg_busy_i && down_ready_i && down_rsp_valid_i) own_q <= own_q + 4'd1;
    end
  end

  Bound_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (under_way_q && !rsp_valid_o) |-> 32'(own_q) < Bound);
  OneAtATime_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      req_ready_o == !under_way_q);
  Asked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o |-> under_way_q);

endmodule
