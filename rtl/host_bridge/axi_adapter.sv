// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// AXI4 subordinate of the root complex: one 64 B line a transaction.
//
// A write needs its address and its data in the same cycle and goes before a read. One register
// stage towards the host bridge (1 cycle); responses pass to B or R combinationally from the
// register that holds them. Ready may depend on valid (a read's on those of a write), never the
// reverse.
//
// Only aligned single-beat 64 B transfers below 2^52 exist here, and a channel holds what it offers
// until it is taken; anything else is a fault of the manager (or of the host bridge, for responses)
// and is asserted. Ids of outstanding requests differ: nothing here keeps an order per id.
//
// Source: AMBA AXI4 (handshake rules); line requests of rtl/pkg/cxlgpu_pkg.sv.

module axi_adapter
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // Write address
  input  logic         awvalid_i,
  output logic         awready_o,
  input  sys_id_t      awid_i,
  input  logic [63:0]  awaddr_i,
  input  logic [7:0]   awlen_i,
  input  logic [2:0]   awsize_i,
  input  logic [1:0]   awburst_i,
  // Write data
  input  logic         wvalid_i,
  output logic         wready_o,
  input  line_t        wdata_i,
  input  byte_en_t     wstrb_i,
  input  logic         wlast_i,
  // Write response
  output logic         bvalid_o,
  input  logic         bready_i,
  output sys_id_t      bid_o,
  output logic [1:0]   bresp_o,
  // Read address
  input  logic         arvalid_i,
  output logic         arready_o,
  input  sys_id_t      arid_i,
  input  logic [63:0]  araddr_i,
  input  logic [7:0]   arlen_i,
  input  logic [2:0]   arsize_i,
  input  logic [1:0]   arburst_i,
  // Read data
  output logic         rvalid_o,
  input  logic         rready_i,
  output sys_id_t      rid_o,
  output line_t        rdata_o,
  output logic [1:0]   rresp_o,
  output logic         rlast_o,
  // Host bridge side
  output logic         req_valid_o,
  input  logic         req_ready_i,
  output sys_req_t     req_o,
  input  logic         rsp_valid_i,
  output logic         rsp_ready_o,
  input  sys_rsp_t     rsp_i,
  // Trace
  output trace_t       tr_sys_respond_o
);

  localparam logic [2:0] Size64B   = 3'd6;
  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [1:0] RespOkay  = 2'b00;
  localparam logic [1:0] RespError = 2'b10;  // SLVERR

  // ---------------------------------------------------------------------------------------------
  // Requests
  // ---------------------------------------------------------------------------------------------
  logic     stage_valid_q;
  sys_req_t stage_q;
  logic     can, write_offered, take_write, take_read;

  assign can           = !stage_valid_q || req_ready_i;
  assign write_offered = awvalid_i && wvalid_i;
  assign take_write    = can && write_offered;
  assign take_read     = can && !write_offered && arvalid_i;
  assign awready_o     = take_write;
  assign wready_o      = take_write;
  assign arready_o     = can && !write_offered;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)  stage_valid_q <= 1'b0;
    else if (can) stage_valid_q <= write_offered || arvalid_i;
  end

  // Payload: no reset, it counts only with its valid. A read leaves data and enables as they are.
  always_ff @(posedge clk_i) begin
    stage_q.poison <= 1'b0;  // AXI4 carries none
    if (take_write) begin
      stage_q.id       <= awid_i;
      stage_q.is_write <= 1'b1;
      stage_q.line     <= awaddr_i[51:6];
      stage_q.be       <= wstrb_i;
      stage_q.data     <= wdata_i;
    end else if (take_read) begin
      stage_q.id       <= arid_i;
      stage_q.is_write <= 1'b0;
      stage_q.line     <= araddr_i[51:6];
    end
  end

  assign req_valid_o = stage_valid_q;
  assign req_o       = stage_q;

  // ---------------------------------------------------------------------------------------------
  // Responses
  // ---------------------------------------------------------------------------------------------
  assign bvalid_o    = rsp_valid_i && rsp_i.is_write;
  assign rvalid_o    = rsp_valid_i && !rsp_i.is_write;
  assign rsp_ready_o = rsp_valid_i && (rsp_i.is_write ? bready_i : rready_i);
  assign bid_o       = rsp_i.id;
  assign rid_o       = rsp_i.id;
  assign bresp_o     = rsp_i.error ? RespError : RespOkay;
  assign rresp_o     = rsp_i.error ? RespError : RespOkay;
  assign rdata_o     = rsp_i.data;
  assign rlast_o     = 1'b1;

  always_comb begin
    tr_sys_respond_o = '0;
    if (rsp_ready_o) begin
      tr_sys_respond_o.valid = 1'b1;
      tr_sys_respond_o.id    = rsp_i.id;
      tr_sys_respond_o.info  = {7'h0, rsp_i.error};
    end
  end

  // The address bits outside a line address only matter to the assertions below.
  logic unused_axi;
  assign unused_axi = ^{awaddr_i[63:52], awaddr_i[5:0], awlen_i, awsize_i, awburst_i, wlast_i,
                        araddr_i[63:52], araddr_i[5:0], arlen_i, arsize_i, arburst_i};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    awvalid_i |-> awaddr_i[63:52] == '0 && awaddr_i[5:0] == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    awvalid_i |-> awlen_i == '0 && awsize_i == Size64B && awburst_i == BurstIncr);
  assert property (@(posedge clk_i) disable iff (!rst_ni) wvalid_i |-> wlast_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    arvalid_i |-> araddr_i[63:52] == '0 && araddr_i[5:0] == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    arvalid_i |-> arlen_i == '0 && arsize_i == Size64B && arburst_i == BurstIncr);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (awvalid_i && !awready_o) |=> (awvalid_i && $stable(awid_i) && $stable(awaddr_i)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (wvalid_i && !wready_o) |=> (wvalid_i && $stable(wdata_i) && $stable(wstrb_i)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (arvalid_i && !arready_o) |=> (arvalid_i && $stable(arid_i) && $stable(araddr_i)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (bvalid_o && !bready_i) |=> (bvalid_o && $stable(bid_o) && $stable(bresp_o)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rvalid_o && !rready_i) |=>
    (rvalid_o && $stable(rid_o) && $stable(rdata_o) && $stable(rresp_o)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    awready_o == wready_o && !(awready_o && arready_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_o && !req_ready_i) |=> req_valid_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_o && !req_ready_i) |=> $stable(req_o));

endmodule
