// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Structs of ports, each field with a value of its own.

module layout_tb
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
(
  output reg_req_t    reg_req_o,
  output lm_req_t     lm_req_o,
  output lm_rsp_t     lm_rsp_o,
  output axi_req_t    axi_req_o,
  output axi_rsp_t    axi_rsp_o,
  output to_media_t   to_media_o,
  output from_media_t from_media_o,
  output sys_trace_t  sys_trace_o,
  output rp_trace_t   rp_trace_o,
  output ep_trace_t   ep_trace_o
);

  function automatic trace_t event_of(logic [7:0] number);
    return '{valid: 1'b1, zero: '0, id: {8'ha5, number}, line: {38'h2a_5a5a_5a5a, number},
             info: ~number};
  endfunction

  assign reg_req_o = '{valid: 1'b1, write: 1'b0, addr: 16'h8421, wdata: 32'h0123_4567};
  assign lm_req_o = '{write: 1'b1, kind: LmMerge, index: 6'h2a, slot: 12'h35c,
                      be: 64'hfedc_ba98_7654_3210, data: {8{64'h0f1e_2d3c_4b5a_6978}}};
  assign lm_rsp_o = '{error: 1'b1, kind: LmFlush, index: 6'h15, data: {8{64'h1122_3344_5566_7788}}};

  assign axi_req_o = '{
    hint_valid: 1'b1,
    hint: '{addr: 64'h8765_4321_0fed_cba9, granules: 12'h9c3},
    aw_valid: 1'b1,
    aw: '{id: 16'h1a2b, addr: 64'h0123_4567_89ab_cdef, len: 8'h5c, size: 3'd5, burst: 2'd2},
    ar_valid: 1'b0,
    ar: '{id: 16'h3c4d, addr: 64'hfedc_ba98_7654_3210, len: 8'ha3, size: 3'd2, burst: 2'd1},
    b_ready: 1'b1,
    r_ready: 1'b0,
    w_valid: 1'b1,
    w: '{last: 1'b0, strb: 64'h8000_0000_0000_0001, data: {8{64'h0011_2233_4455_6677}}}};
  assign axi_rsp_o = '{
    aw_ready: 1'b1,
    w_ready: 1'b0,
    ar_ready: 1'b1,
    b_valid: 1'b0,
    b: '{id: 16'h5e6f, resp: 2'd2},
    r_valid: 1'b1,
    r: '{id: 16'h7081, resp: 2'd1, last: 1'b0, data: {8{64'h8899_aabb_ccdd_eeff}}}};

  assign to_media_o = '{
    cmd_valid: 1'b1,
    rsp_ready: 1'b0,
    zero: '0,
    cmd: '{durable: DurableProgrammed, partial: 1'b0, poison: 1'b1, op: MediaWriteBack, id: 8'h9c,
           dpa: 46'h2bad_cafe_f00d, slot: 16'hbeef, offset: 4'd10, be: 64'h7fff_ffff_ffff_fffe,
           data: {8{64'h0246_8ace_1357_9bdf}}}};
  assign from_media_o = '{
    cmd_ready: 1'b0,
    status: '{tasks: 7'h2a, backlog: 7'h55},
    rsp_valid: 1'b1,
    rsp: '{poison: 1'b0, op: MediaFill, id: 8'h6d, error: 1'b1,
           data: {8{64'h1f2f_3f4f_5f6f_7f8f}}}};

  assign sys_trace_o = '{sys_accept: event_of(8'd1), sys_respond: {event_of(8'd3), event_of(8'd2)}};
  assign rp_trace_o = '{
    port_enqueue: event_of(8'd4),
    memq_alloc: event_of(8'd5),
    ctrl_accept: event_of(8'd6),
    ctrl_store: event_of(8'd7),
    spec_issue: event_of(8'd8),
    port_respond: event_of(8'd9),
    ds: event_of(8'd10),
    load_control: event_of(8'd11)};
  assign ep_trace_o = '{
    ep_accept: event_of(8'd12),
    ep_lookup: event_of(8'd13),
    media_issue: event_of(8'd14),
    media_done: event_of(8'd15),
    ep_respond: event_of(8'd16),
    spec_fill: event_of(8'd17),
    spec_drop: event_of(8'd18),
    spec_lost: event_of(8'd19)};

endmodule
