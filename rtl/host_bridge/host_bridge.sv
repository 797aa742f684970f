// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Host bridge: sends each request to the root port that its HDM decoder names, and answers what no
// root port serves.
//
//   H1  request registered together with the outcome of the decode
//   H2  offered from that register to its port, or, on a miss, to the response arbiter
//
// Requests stay in order and a blocked one holds those behind it. A miss (no decoder, or a target
// that is no port here) is answered with error: reads give all ones, writes complete. Responses of
// the ports and the local answer share one output register, round robin.
// Latency: one cycle each way.
//
// Source: CXL 2.0, 8.2.5.12 and the rules for unmapped addresses.

module host_bridge
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts       = 2,
  parameter logic [7:0]  PortNumberBase = 8'h10,
  parameter int unsigned NumDecoders    = 4
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // System side
  input  logic                    req_valid_i,
  output logic                    req_ready_o,
  input  sys_req_t                req_i,
  output logic                    rsp_valid_o,
  input  logic                    rsp_ready_i,
  output sys_rsp_t                rsp_o,
  // HDM decoder capability structure
  input  reg_req_t                reg_req_i,
  output logic [31:0]             reg_rdata_o,
  // Root ports; the request is shared
  output logic [NumPorts-1:0]     port_req_valid_o,
  input  logic [NumPorts-1:0]     port_req_ready_i,
  output sys_req_t                port_req_o,
  input  logic [NumPorts-1:0]     port_rsp_valid_i,
  output logic [NumPorts-1:0]     port_rsp_ready_o,
  input  sys_rsp_t [NumPorts-1:0] port_rsp_i,
  // Trace
  output trace_t                  tr_sys_accept_o
);

  localparam int unsigned NumSources = NumPorts + 1;  // the last one is the local answer
  localparam int unsigned SrcBits    = $clog2(NumSources);
  typedef logic [SrcBits-1:0] src_t;
  localparam src_t Local = src_t'(NumPorts);

  if (NumPorts < 1 || NumPorts > 64) begin : g_bad_ports
    $error("host_bridge: NumPorts must be 1..64");
  end
  if (int'(PortNumberBase) + NumPorts > 256) begin : g_bad_base
    $error("host_bridge: port numbers do not fit eight bits");
  end

  // ---------------------------------------------------------------------------------------------
  // Decode of the arriving request
  // ---------------------------------------------------------------------------------------------
  logic       hit;
  logic [7:0] target, port_idx;
  logic [3:0] unused_decoder, unused_way;
  logic       unused_enabled;
  line_addr_t unused_dpa;

  hdm_decoder #(
    .IsDevice   (1'b0),
    .NumDecoders(NumDecoders)
  ) u_hdm_decoder (
    .clk_i,
    .rst_ni,
    .reg_req_i,
    .reg_rdata_o,
    .enabled_o  (unused_enabled),
    .hpa_valid_i(req_valid_i),
    .hpa_line_i (req_i.line),
    .hit_o      (hit),
    .decoder_o  (unused_decoder),
    .way_o      (unused_way),
    .target_o   (target),
    .dpa_line_o (unused_dpa)
  );

  assign port_idx = target - PortNumberBase;

  // ---------------------------------------------------------------------------------------------
  // H1
  // ---------------------------------------------------------------------------------------------
  logic     h1_valid_q;
  src_t     h1_dest_q;  // a port, or Local
  sys_req_t h1_req_q;
  logic     h1_leaves, accept;

  assign req_ready_o = !h1_valid_q || h1_leaves;
  assign accept      = req_valid_i && req_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      h1_valid_q <= 1'b0;
      h1_dest_q  <= '0;
    end else begin
      if (req_ready_o) h1_valid_q <= req_valid_i;
      if (accept) begin
        h1_dest_q <= (hit && 32'(port_idx) < NumPorts) ? src_t'(port_idx) : Local;
      end
    end
  end

  // Payload: no reset, it counts only with its valid.
  always_ff @(posedge clk_i) begin
    if (accept) h1_req_q <= req_i;
  end

  // ---------------------------------------------------------------------------------------------
  // H2
  // ---------------------------------------------------------------------------------------------
  logic local_valid, local_ready;

  assign port_req_o = h1_req_q;
  always_comb begin
    port_req_valid_o = '0;
    h1_leaves        = h1_valid_q && h1_dest_q == Local && local_ready;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (h1_valid_q && h1_dest_q == src_t'(p)) begin
        port_req_valid_o[p] = 1'b1;
        h1_leaves           = port_req_ready_i[p];
      end
    end
  end
  assign local_valid = h1_valid_q && h1_dest_q == Local;

  // ---------------------------------------------------------------------------------------------
  // Responses
  // ---------------------------------------------------------------------------------------------
  logic [NumSources-1:0] offers, grant;
  logic                  can_take, take;
  src_t                  start_q, winner;
  logic                  rsp_valid_q;
  sys_rsp_t              rsp_q;

  assign offers   = {local_valid, port_rsp_valid_i};
  assign can_take = !rsp_valid_q || rsp_ready_i;

  // The first offer at or after start_q, going round.
  always_comb begin
    logic found;
    found  = 1'b0;
    winner = '0;
    grant  = '0;
    if (offers != '0) begin
      for (int unsigned s = 0; s < NumSources; s++) begin
        if (!found && offers[s] && src_t'(s) >= start_q) begin
          found  = 1'b1;
          winner = src_t'(s);
        end
      end
      for (int unsigned s = 0; s < NumSources; s++) begin
        if (!found && offers[s]) begin
          found  = 1'b1;
          winner = src_t'(s);
        end
      end
      grant[winner] = can_take;
    end
  end

  assign take             = offers != '0 && can_take;
  assign port_rsp_ready_o = grant[NumPorts-1:0];
  assign local_ready      = grant[NumPorts];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_valid_q <= 1'b0;
      start_q     <= '0;
    end else begin
      if (can_take) rsp_valid_q <= take;
      if (take) start_q <= (winner == Local) ? '0 : winner + src_t'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      if (winner == Local) begin
        rsp_q.id       <= h1_req_q.id;
        rsp_q.is_write <= h1_req_q.is_write;
        rsp_q.error    <= 1'b1;
        rsp_q.data     <= '1;
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (winner == src_t'(p)) rsp_q <= port_rsp_i[p];
      end
    end
  end

  assign rsp_valid_o = rsp_valid_q;
  assign rsp_o       = rsp_q;

  // ---------------------------------------------------------------------------------------------
  // Trace
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    tr_sys_accept_o = '0;
    if (accept) begin
      tr_sys_accept_o.valid = 1'b1;
      tr_sys_accept_o.id    = req_i.id;
      tr_sys_accept_o.line  = req_i.line;
      tr_sys_accept_o.info  = {7'h0, req_i.is_write};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(port_req_valid_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(port_rsp_ready_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    ((port_req_valid_o & ~port_req_ready_i) != '0) |=> $stable(port_req_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    ((port_req_valid_o & ~port_req_ready_i) != '0) |=> $stable(port_req_valid_o));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rsp_valid_o && !rsp_ready_i) |=> $stable(rsp_o));

endmodule
