// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// AXI4 subordinate of the root complex: one 64 B line a transaction.
//
// A write needs its address and its data in the same cycle. Reads and writes take turns when both
// are offered. One register stage towards the host bridge (1 cycle); responses pass to B and R
// combinationally from the registers that hold them, one each, so neither waits for the other.
// Hints, which AXI4 has not, pass combinationally and wait for nothing.
// Ready may depend on valid (a read's on those of a write and the reverse), never the reverse.
//
// Only aligned single-beat 64 B transfers below 2^52 exist here, and a channel holds what it offers
// until it is taken; anything else is a fault of the manager (or of the host bridge, for responses)
// and is asserted. Ids of outstanding requests differ: nothing here keeps an order per id.
//
// Source: AMBA AXI4 (handshake rules); ports of rtl/pkg/cxlgpu_port_pkg.sv.

module axi_adapter
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  // System side: AXI4, one 64 B line a transaction
  input  axi_req_t     axi_req_i,        // from the manager; each channel's valid, payload and
                                         // ready as in AXI4
  output axi_rsp_t     axi_rsp_o,        // to the manager, likewise
  // Host bridge side
  output logic         req_valid_o,      // a request, in the order taken; stays until req_ready_i
  input  logic         req_ready_i,      // takes the request; may depend on req_o
  output sys_req_t     req_o,            // poison is 0; be and data of a read mean nothing
  output logic         hint_valid_o,     // pulse: a hint, taken or lost
  output granule_t     hint_first_o,     // its first granule
  output logic [11:0]  hint_len_o,       // granules - 1
  input  logic         r_valid_i,        // a read is answered; r_* stay until r_ready_o
  output logic         r_ready_o,        // r_ready in the same cycle
  input  sys_id_t      r_id_i,           // id of the request
  input  logic         r_error_i,        // the data are missing or corrupt
  input  line_t        r_data_i,         // byte n in bits 8n+7:8n
  input  logic         b_valid_i,        // a write is answered; b_* stay until b_ready_o
  output logic         b_ready_o,        // b_ready in the same cycle
  input  sys_id_t      b_id_i,           // id of the request
  input  logic         b_error_i,        // the write failed
  // Trace: [0] R, [1] B
  output trace_t [1:0] tr_sys_respond_o  // an answer is taken; info 0 is error
);

  // ---------------------------------------------------------------------------------------------
  // Requests
  // ---------------------------------------------------------------------------------------------
  logic     stage_valid_q;
  sys_req_t stage_q;
  logic     can, write_offered, write_turn_q, ar_ready, take_write, take_read;

  assign can           = !stage_valid_q || req_ready_i;
  assign write_offered = axi_req_i.aw_valid && axi_req_i.w_valid;
  assign take_write    = can && write_offered && (write_turn_q || !axi_req_i.ar_valid);
  assign ar_ready      = can && (!write_turn_q || !write_offered);
  assign take_read     = ar_ready && axi_req_i.ar_valid;

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
      stage_q.id       <= axi_req_i.aw.id;
      stage_q.is_write <= 1'b1;
      stage_q.line     <= axi_req_i.aw.addr[51:6];
      stage_q.be       <= axi_req_i.w.strb;
      stage_q.data     <= axi_req_i.w.data;
    end else if (take_read) begin
      stage_q.id       <= axi_req_i.ar.id;
      stage_q.is_write <= 1'b0;
      stage_q.line     <= axi_req_i.ar.addr[51:6];
    end
  end

  assign req_valid_o = stage_valid_q;
  assign req_o       = stage_q;

  // ---------------------------------------------------------------------------------------------
  // Responses
  // ---------------------------------------------------------------------------------------------
  assign b_ready_o = axi_req_i.b_ready;
  assign r_ready_o = axi_req_i.r_ready;

  assign axi_rsp_o.aw_ready = take_write;
  assign axi_rsp_o.w_ready  = take_write;
  assign axi_rsp_o.ar_ready = ar_ready;
  assign axi_rsp_o.b_valid  = b_valid_i;
  assign axi_rsp_o.b        = '{id: b_id_i, resp: b_error_i ? AxiRespError : AxiRespOkay};
  assign axi_rsp_o.r_valid  = r_valid_i;
  assign axi_rsp_o.r        = '{id: r_id_i, resp: r_error_i ? AxiRespError : AxiRespOkay,
                                last: 1'b1, data: r_data_i};

  always_comb begin
    tr_sys_respond_o = '0;
    if (r_valid_i && r_ready_o) begin
      tr_sys_respond_o[0].valid = 1'b1;
      tr_sys_respond_o[0].id    = r_id_i;
      tr_sys_respond_o[0].info  = {7'h0, r_error_i};
    end
    if (b_valid_i && b_ready_o) begin
      tr_sys_respond_o[1].valid = 1'b1;
      tr_sys_respond_o[1].id    = b_id_i;
      tr_sys_respond_o[1].info  = {7'h0, b_error_i};
    end
  end

  assign hint_valid_o = axi_req_i.hint_valid;
  assign hint_first_o = axi_req_i.hint.addr[51:8];
  assign hint_len_o   = axi_req_i.hint.granules;

  // The address bits outside a line address only matter to the assertions below.
  logic unused_axi;
  assign unused_axi = ^axi_req_i;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  WriteAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.aw_valid |-> axi_req_i.aw.addr[63:52] == '0 && axi_req_i.aw.addr[5:0] == '0)
    else $error("a write to an address that is no line below 2^52");
  WriteBurst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.aw_valid |->
    axi_req_i.aw.len == '0 && axi_req_i.aw.size == AxiSize64B && axi_req_i.aw.burst == AxiBurstIncr)
    else $error("a write that is not one beat of 64 bytes");
  WriteLast_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.w_valid |-> axi_req_i.w.last)
    else $error("write data without WLAST");
  ReadAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.ar_valid |-> axi_req_i.ar.addr[63:52] == '0 && axi_req_i.ar.addr[5:0] == '0)
    else $error("a read of an address that is no line below 2^52");
  ReadBurst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.ar_valid |->
    axi_req_i.ar.len == '0 && axi_req_i.ar.size == AxiSize64B && axi_req_i.ar.burst == AxiBurstIncr)
    else $error("a read that is not one beat of 64 bytes");
  HintAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_req_i.hint_valid |-> axi_req_i.hint.addr[63:52] == '0 && axi_req_i.hint.addr[7:0] == '0)
    else $error("a hint of an address that is no granule below 2^52");
  AwHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (axi_req_i.aw_valid && !axi_rsp_o.aw_ready) |=>
    (axi_req_i.aw_valid && $stable(axi_req_i.aw.id) && $stable(axi_req_i.aw.addr)))
    else $error("a write address changed or vanished before it was taken");
  WHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (axi_req_i.w_valid && !axi_rsp_o.w_ready) |=>
    (axi_req_i.w_valid && $stable(axi_req_i.w.data) && $stable(axi_req_i.w.strb)))
    else $error("write data changed or vanished before they were taken");
  ArHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (axi_req_i.ar_valid && !axi_rsp_o.ar_ready) |=>
    (axi_req_i.ar_valid && $stable(axi_req_i.ar.id) && $stable(axi_req_i.ar.addr)))
    else $error("a read address changed or vanished before it was taken");
  BHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (axi_rsp_o.b_valid && !axi_req_i.b_ready) |=>
    (axi_rsp_o.b_valid && $stable(axi_rsp_o.b.id) && $stable(axi_rsp_o.b.resp)))
    else $error("a write response changed or vanished before it was taken");
  RHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (axi_rsp_o.r_valid && !axi_req_i.r_ready) |=>
    (axi_rsp_o.r_valid && $stable(axi_rsp_o.r.id) && $stable(axi_rsp_o.r.data)
     && $stable(axi_rsp_o.r.resp)))
    else $error("read data changed or vanished before they were taken");
  OneTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    axi_rsp_o.aw_ready == axi_rsp_o.w_ready
    && !(axi_rsp_o.aw_ready && axi_rsp_o.ar_ready && axi_req_i.ar_valid))
    else $error("a write address without its data, or a write and a read, were taken in a cycle");
  ReadHasItsTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (take_write && axi_req_i.ar_valid) |=> !take_write)
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
