// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// AXI4 subordinate of the root complex: one 64 B line a transaction.
//
// A write needs its address and its data in the same cycle. Reads and writes take turns when both
// are offered. One register stage towards the host bridge (1 cycle); responses pass to B and R
// combinationally from the registers that hold them, one each, so neither waits for the other.
// Ready may depend on valid (a read's on those of a write and the reverse), never the reverse.
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
  input  logic         awvalid_i,        // a write's address; aw* stay until awready_o
  output logic         awready_o,        // takes both; low without wvalid_i, in a read's turn or
                                         // while req_ready_i stalls
  input  sys_id_t      awid_i,           // differs from those of all requests outstanding
  input  logic [63:0]  awaddr_i,         // of a line; 63:52 and 5:0 are 0
  input  logic [7:0]   awlen_i,          // 0: one beat
  input  logic [2:0]   awsize_i,         // 6: 64 bytes
  input  logic [1:0]   awburst_i,        // 1: INCR
  // Write data
  input  logic         wvalid_i,         // a write's data; w* stay until wready_o
  output logic         wready_o,         // the same as awready_o
  input  line_t        wdata_i,          // byte n in bits 8n+7:8n
  input  byte_en_t     wstrb_i,          // bytes to write, any set
  input  logic         wlast_i,          // 1: the only beat
  // Write response
  output logic         bvalid_o,         // a write's answer; stays until bready_i
  input  logic         bready_i,         // may be low; reads go on
  output sys_id_t      bid_o,            // awid_i of the write answered
  output logic [1:0]   bresp_o,          // 0 OKAY, 2 SLVERR: with b_error_i
  // Read address
  input  logic         arvalid_i,        // a read's address; ar* stay until arready_o
  output logic         arready_o,        // takes it; low in a write's turn or while req_ready_i
                                         // stalls
  input  sys_id_t      arid_i,           // differs from those of all requests outstanding
  input  logic [63:0]  araddr_i,         // of a line; 63:52 and 5:0 are 0
  input  logic [7:0]   arlen_i,          // 0: one beat
  input  logic [2:0]   arsize_i,         // 6: 64 bytes
  input  logic [1:0]   arburst_i,        // 1: INCR
  // Read data
  output logic         rvalid_o,         // a read's answer; stays until rready_i
  input  logic         rready_i,         // may be low; writes go on
  output sys_id_t      rid_o,            // arid_i of the read answered
  output line_t        rdata_o,          // byte n in bits 8n+7:8n
  output logic [1:0]   rresp_o,          // 0 OKAY, 2 SLVERR: with r_error_i
  output logic         rlast_o,          // always 1
  // Host bridge side
  output logic         req_valid_o,      // a request, in the order taken; stays until req_ready_i
  input  logic         req_ready_i,      // takes the request; may depend on req_o
  output sys_req_t     req_o,            // poison is 0; be and data of a read mean nothing
  input  logic         r_valid_i,        // a read is answered; r_* stay until r_ready_o
  output logic         r_ready_o,        // rready_i in the same cycle
  input  sys_id_t      r_id_i,           // id of the request
  input  logic         r_error_i,        // the data are missing or corrupt
  input  line_t        r_data_i,         // byte n in bits 8n+7:8n
  input  logic         b_valid_i,        // a write is answered; b_* stay until b_ready_o
  output logic         b_ready_o,        // bready_i in the same cycle
  input  sys_id_t      b_id_i,           // id of the request
  input  logic         b_error_i,        // the write failed
  // Trace: [0] R, [1] B
  output trace_t [1:0] tr_sys_respond_o  // an answer is taken; info 0 is error
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
  logic     can, write_offered, write_turn_q, take_write, take_read;

  assign can           = !stage_valid_q || req_ready_i;
  assign write_offered = awvalid_i && wvalid_i;
  assign awready_o     = can && write_offered && (write_turn_q || !arvalid_i);
  assign wready_o      = awready_o;
  assign arready_o     = can && (!write_turn_q || !write_offered);
  assign take_write    = awready_o;
  assign take_read     = arready_o && arvalid_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stage_valid_q <= 1'b0;
      write_turn_q  <= 1'b1;
    end else begin
      if (can) stage_valid_q <= take_write || take_read;
      if (take_write || take_read) write_turn_q <= take_read;
    end
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
  assign bvalid_o  = b_valid_i;
  assign b_ready_o = bready_i;
  assign bid_o     = b_id_i;
  assign bresp_o   = b_error_i ? RespError : RespOkay;
  assign rvalid_o  = r_valid_i;
  assign r_ready_o = rready_i;
  assign rid_o     = r_id_i;
  assign rresp_o   = r_error_i ? RespError : RespOkay;
  assign rdata_o   = r_data_i;
  assign rlast_o   = 1'b1;

  always_comb begin
    tr_sys_respond_o = '0;
    if (rvalid_o && rready_i) begin
      tr_sys_respond_o[0].valid = 1'b1;
      tr_sys_respond_o[0].id    = r_id_i;
      tr_sys_respond_o[0].info  = {7'h0, r_error_i};
    end
    if (bvalid_o && bready_i) begin
      tr_sys_respond_o[1].valid = 1'b1;
      tr_sys_respond_o[1].id    = b_id_i;
      tr_sys_respond_o[1].info  = {7'h0, b_error_i};
    end
  end

  // The address bits outside a line address only matter to the assertions below.
  logic unused_axi;
  assign unused_axi = ^{awaddr_i[63:52], awaddr_i[5:0], awlen_i, awsize_i, awburst_i, wlast_i,
                        araddr_i[63:52], araddr_i[5:0], arlen_i, arsize_i, arburst_i};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  WriteAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    awvalid_i |-> awaddr_i[63:52] == '0 && awaddr_i[5:0] == '0)
    else $error("a write to an address that is no line below 2^52");
  WriteBurst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    awvalid_i |-> awlen_i == '0 && awsize_i == Size64B && awburst_i == BurstIncr)
    else $error("a write that is not one beat of 64 bytes");
  WriteLast_A: assert property (@(posedge clk_i) disable iff (!rst_ni) wvalid_i |-> wlast_i)
    else $error("write data without WLAST");
  ReadAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    arvalid_i |-> araddr_i[63:52] == '0 && araddr_i[5:0] == '0)
    else $error("a read of an address that is no line below 2^52");
  ReadBurst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    arvalid_i |-> arlen_i == '0 && arsize_i == Size64B && arburst_i == BurstIncr)
    else $error("a read that is not one beat of 64 bytes");
  AwHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (awvalid_i && !awready_o) |=> (awvalid_i && $stable(awid_i) && $stable(awaddr_i)))
    else $error("a write address changed or vanished before it was taken");
  WHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (wvalid_i && !wready_o) |=> (wvalid_i && $stable(wdata_i) && $stable(wstrb_i)))
    else $error("write data changed or vanished before they were taken");
  ArHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (arvalid_i && !arready_o) |=> (arvalid_i && $stable(arid_i) && $stable(araddr_i)))
    else $error("a read address changed or vanished before it was taken");
  BHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (bvalid_o && !bready_i) |=> (bvalid_o && $stable(bid_o) && $stable(bresp_o)))
    else $error("a write response changed or vanished before it was taken");
  RHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rvalid_o && !rready_i) |=>
    (rvalid_o && $stable(rid_o) && $stable(rdata_o) && $stable(rresp_o)))
    else $error("read data changed or vanished before they were taken");
  OneTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    awready_o == wready_o && !(awready_o && arready_o && arvalid_i))
    else $error("a write address without its data, or a write and a read, were taken in a cycle");
  ReadHasItsTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (take_write && arvalid_i) |=> !take_write)
    else $error("two writes were taken while a read waited");
  WriteHasItsTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (take_read && write_offered) |=> !take_read)
    else $error("two reads were taken while a write waited");
  RequestStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_o && !req_ready_i) |=> req_valid_o)
    else $error("a request to the host bridge vanished before it was taken");
  RequestStable_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_o && !req_ready_i) |=> $stable(req_o))
    else $error("a request to the host bridge changed before it was taken");

endmodule
