// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_join beside the bus: a register in front of the host bridge and one in front of each port, as axi_adapter and
// host_bridge have them, with any traffic and any stalls. One store and one persist request that comes after it, or in
// the cycle in which it is accepted, are chosen freely.
//
//   Behind_A   when the request's round asks the store's port, the store is in the port, or enters it in this cycle
//   All_A      the request is answered only if every port was asked in its round, and answered
//   Told_A     and with error, if one of them answered so
//   Bound_A    with a bus that moves, ports that answer at once and a requester that takes: within Bound cycles. Only
//              with Prompt

module persist_join_fv
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts = 2,
  parameter int unsigned Depth    = 3,
  parameter bit          Prompt   = 1'b0,
  parameter int unsigned Bound    = 8
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                in_valid_i,      // a request of the bus
  input logic                in_port_i,       // of port 0 or 1
  input logic                in_watch_i,      // it is the watched store
  input logic                bus_stall_i,
  input logic [NumPorts-1:0] way_ready_i,
  input logic                persist_valid_i,
  input logic                persist_watch_i, // it is the watched request
  input logic                persist_rsp_ready_i,
  input logic                lost_i,
  input logic                clear_error_i,
  input logic [NumPorts-1:0] port_req_ready_i,
  input logic [NumPorts-1:0] port_rsp_valid_i,
  input logic [NumPorts-1:0] port_rsp_error_i
);

  localparam sys_id_t Watched = 16'h0001;

  logic                bus_valid_q, bus_port_q, bus_watch_q, bus_ready, in_take, watch;
  logic [NumPorts-1:0] way_valid_q, way_watch_q, way_ready;
  logic                persist_valid, persist_ready, rsp_valid, rsp_ready, rsp_error, clear, error, ask, offered_q;
  logic [NumPorts-1:0] req_valid, req_ready, answer_valid, answer_ready, asked, answers;
  logic [NumPorts-1:0] owed_q, offers_q, asked_q, answered_q;
  logic                was_store_q, was_ask_q, waits_q, mine_q, error_q;
  sys_id_t             rsp_id;
  logic [7:0]          age_q;

  // The bus
  assign way_ready = Prompt ? '1 : way_ready_i;
  assign bus_ready = (Prompt || !bus_stall_i) && (!way_valid_q[bus_port_q] || way_ready[bus_port_q]);
  assign in_take   = in_valid_i && (!bus_valid_q || bus_ready);
  assign watch     = in_take && in_watch_i && !was_store_q && !was_ask_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {bus_valid_q, bus_port_q, bus_watch_q, was_store_q} <= '0;
      way_valid_q <= '0;
      way_watch_q <= '0;
    end else begin
      if (in_take) begin
        bus_valid_q <= 1'b1;
        bus_port_q  <= in_port_i;
        bus_watch_q <= watch;
      end else if (bus_ready) begin
        bus_valid_q <= 1'b0;
      end
      if (watch) was_store_q <= 1'b1;
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (bus_valid_q && bus_ready && bus_port_q == 1'(p)) begin
          way_valid_q[p] <= 1'b1;
          way_watch_q[p] <= bus_watch_q;
        end else if (way_ready[p]) begin
          way_valid_q[p] <= 1'b0;
        end
      end
    end
  end

  // The requester, and the ports: each answers what it was asked, once.
  assign persist_valid = persist_valid_i || offered_q;
  assign ask           = persist_valid && persist_ready && persist_watch_i && !was_ask_q && (was_store_q || watch);
  assign rsp_ready     = Prompt || persist_rsp_ready_i;
  assign req_ready     = Prompt ? '1 : port_req_ready_i;
  assign answer_valid  = owed_q & (Prompt ? '1 : (port_rsp_valid_i | offers_q));
  assign asked         = req_valid & req_ready;
  assign answers       = answer_valid & answer_ready;

  persist_join #(.NumPorts(NumPorts), .Depth(Depth)) u_join (
    .clk_i, .rst_ni, .persist_valid_i(persist_valid), .persist_ready_o(persist_ready),
    .persist_id_i(ask ? Watched : '0), .persist_rsp_valid_o(rsp_valid), .persist_rsp_ready_i(rsp_ready),
    .persist_rsp_id_o(rsp_id), .persist_rsp_error_o(rsp_error), .bus_valid_i(bus_valid_q), .bus_ready_i(bus_ready),
    .way_valid_i(way_valid_q), .way_ready_i(way_ready), .lost_i, .clear_error_i, .clear_o(clear), .error_o(error),
    .port_req_valid_o(req_valid), .port_req_ready_i(req_ready), .port_rsp_valid_i(answer_valid),
    .port_rsp_ready_o(answer_ready), .port_rsp_error_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {offered_q, was_ask_q, waits_q, mine_q, error_q} <= '0;
      {owed_q, offers_q, asked_q, answered_q} <= '0;
      age_q <= '0;
    end else begin
      offered_q  <= persist_valid && !persist_ready;
      owed_q     <= (owed_q | asked) & ~answers;
      offers_q   <= answer_valid & ~answers;
      if (ask) was_ask_q <= 1'b1;
      if (ask) waits_q <= 1'b1;
      else if (rsp_valid && rsp_ready && rsp_id == Watched) waits_q <= 1'b0;
      if (u_join.begins && waits_q && answered_q == '0) mine_q <= 1'b1;
      else if (u_join.ends) mine_q <= 1'b0;
      if (mine_q) begin
        asked_q    <= asked_q | asked;
        answered_q <= answered_q | answers;
      end
      if (mine_q && ((answers & port_rsp_error_i) != '0 || (u_join.ends && error))) error_q <= 1'b1;
      if (waits_q) age_q <= age_q + 8'd1;
    end
  end

  Behind_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      mine_q |-> !((bus_valid_q && bus_watch_q && asked[bus_port_q])
                   || (asked & way_valid_q & way_watch_q & ~way_ready) != '0));
  All_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && rsp_id == Watched) |-> waits_q && (&asked_q) && (&answered_q));
  Told_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && rsp_id == Watched) |-> rsp_error == error_q);
  if (Prompt) begin : g_prompt
    Bound_A: assert property (@(posedge clk_i) disable iff (!rst_ni) waits_q |-> 32'(age_q) < Bound);
  end

endmodule
