// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Persist join: persist requests of the system, sent to all root ports at once behind the stores
// that were accepted before them, and answered when all ports have answered.
//
//   requests --> FIFO of ids, oldest first
//                 | being answered | of the round in progress | wait for the next round |
//
//   round:  bus  ->  the way to each port  ->  request to it  ->  its answer  ->  end
//           (what waits there when the round comes leaves first: it may be a store of before)
//
// Rounds do not overlap, but the answers of one go out while the next is in progress. Requests that
// come during a round share the next one.
//
// Latency:  idle, five cycles with trackers that answer a cycle after the request.
// Deadlock: the round waits for requests to leave the bus and the ways, which they do as the ports
//           take them, and for stores to be done; nothing of these waits for the round. Only its
//           end waits for the requester, to take the answers of the round before.
//
// Source: docs/blocks/host_bridge/persist_join.md.

module persist_join
  import cxlgpu_pkg::*;
#(
  parameter int unsigned NumPorts = 2,  // 1..64: root ports
  parameter int unsigned Depth    = 16  // 1..64: requests held
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Persist requests of the system
  input  logic                persist_valid_i,      // one is offered; stays until taken
  output logic                persist_ready_o,      // low with Depth held
  input  sys_id_t             persist_id_i,         // comes back with the answer
  output logic                persist_rsp_valid_o,  // one is answered; stays until taken
  input  logic                persist_rsp_ready_i,  // the answer is taken; low stalls the answers
  output sys_id_t             persist_rsp_id_o,     // its id; 0 without valid
  output logic                persist_rsp_error_o,  // not all is durable; 0 without valid
  // What passes: the host bridge's request port, and its ways to the root ports
  input  logic                bus_valid_i,          // a request waits in front of the host bridge
  input  logic                bus_ready_i,          // the host bridge accepts it
  input  logic [NumPorts-1:0] way_valid_i,          // [p]: a request waits for port p
  input  logic [NumPorts-1:0] way_ready_i,          // [p]: the port takes it
  // Errors
  input  logic                lost_i,               // pulse: a store that no root port serves was
                                                    // accepted; in that cycle or the next
  input  logic                clear_error_i,        // pulse: errors are to be cleared
  output logic                clear_o,              // pulse: clear_error_i of all trackers
  output logic                error_o,              // a store was lost since the last clear
  // Persist trackers, [p] of root port p
  output logic [NumPorts-1:0] port_req_valid_o,     // a request; stays until taken
  input  logic [NumPorts-1:0] port_req_ready_i,     // the tracker takes it
  input  logic [NumPorts-1:0] port_rsp_valid_i,     // it is answered; stays until taken
  output logic [NumPorts-1:0] port_rsp_ready_o,     // from the request to its answer
  input  logic [NumPorts-1:0] port_rsp_error_i      // with the answer: not all is durable
);

  localparam int unsigned CntBits = $clog2(Depth + 1);

  typedef logic [CntBits-1:0] cnt_t;

  if (NumPorts < 1 || NumPorts > 64) begin : g_bad_ports
    $error("persist_join: NumPorts of 1..64 is %0d", NumPorts);
  end
  if (Depth < 1 || Depth > 64) begin : g_bad_depth
    $error("persist_join: Depth of 1..64 is %0d", Depth);
  end

  // ---------------------------------------------------------------------------------------------
  // Requests held
  // ---------------------------------------------------------------------------------------------
  logic    pop, id_valid;
  sys_id_t id;
  cnt_t    held;
  cnt_t    round_q;   // requests of the round in progress, 0 without one
  cnt_t    answer_q;  // requests that are being answered

  assign pop = persist_rsp_valid_o && persist_rsp_ready_i;

  fifo #(
    .Width($bits(sys_id_t)),
    .Depth(Depth)
  ) u_ids (
    .clk_i,
    .rst_ni,
    .in_valid_i (persist_valid_i),
    .in_ready_o (persist_ready_o),
    .in_data_i  (persist_id_i),
    .out_valid_o(id_valid),
    .out_ready_i(pop),
    .out_data_o (id),
    .count_o    (held)
  );

  // ---------------------------------------------------------------------------------------------
  // The round
  // ---------------------------------------------------------------------------------------------
  logic                in_round_q, begins, ends, passed;
  logic                bus_q;        // the bus has been waited for
  logic [NumPorts-1:0] way_q;        // so has the way to the port
  logic [NumPorts-1:0] taken_q;      // the port has taken the request
  logic [NumPorts-1:0] answered_q;   // and has answered
  logic [NumPorts-1:0] answers;
  logic                round_error_q, round_error;

  assign begins  = !in_round_q && held != answer_q;
  assign passed  = (begins || in_round_q) && (!bus_valid_i || bus_ready_i);
  assign answers = port_rsp_valid_i & port_rsp_ready_o;
  assign ends    = (&(answered_q | answers)) && answer_q == '0;

  assign port_req_valid_o = way_q & ~taken_q;
  assign port_rsp_ready_o = taken_q & ~answered_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_round_q <= 1'b0;
      bus_q      <= 1'b0;
      way_q      <= '0;
      taken_q    <= '0;
      answered_q <= '0;
    end else if (ends) begin
      in_round_q <= 1'b0;
      bus_q      <= 1'b0;
      way_q      <= '0;
      taken_q    <= '0;
      answered_q <= '0;
    end else begin
      if (begins) in_round_q <= 1'b1;
      if (passed) bus_q <= 1'b1;
      if (bus_q) way_q <= way_q | ~way_valid_i | way_ready_i;
      taken_q    <= taken_q | (port_req_valid_o & port_req_ready_i);
      answered_q <= answered_q | answers;
    end
  end

  assign round_error = round_error_q || (answers & port_rsp_error_i) != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)   round_error_q <= 1'b0;
    else if (ends) round_error_q <= 1'b0;
    else           round_error_q <= round_error;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      round_q  <= '0;
      answer_q <= '0;
    end else begin
      if (begins)    round_q <= held - answer_q;
      else if (ends) round_q <= '0;
      if (ends)     answer_q <= round_q;
      else if (pop) answer_q <= answer_q - cnt_t'(1);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Answers, errors
  // ---------------------------------------------------------------------------------------------
  logic error_q, answer_error_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else         error_q <= lost_i || (error_q && !clear_o);
  end

  // Payload: no reset, it counts only with requests to answer.
  always_ff @(posedge clk_i) begin
    if (ends) answer_error_q <= round_error || error_q;
  end

  assign persist_rsp_valid_o = answer_q != '0;
  assign persist_rsp_id_o    = persist_rsp_valid_o ? id : '0;
  assign persist_rsp_error_o = persist_rsp_valid_o && answer_error_q;
  assign error_o             = error_q;
  assign clear_o             = clear_error_i && held == '0 && !persist_valid_i;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  HeldParts_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      8'(round_q) + 8'(answer_q) <= 8'(held) && in_round_q == (round_q != '0))
      else $error("more requests are served than are held");
  HasId_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      persist_rsp_valid_o |-> id_valid)
      else $error("an answer without a request");
  AnswerStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (persist_rsp_valid_o && !persist_rsp_ready_i) |=>
          persist_rsp_valid_o && $stable(persist_rsp_id_o) && $stable(persist_rsp_error_o))
      else $error("an answer changed or vanished before it was taken");
  EachOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (taken_q & ~way_q) == '0 && (answered_q & ~taken_q) == '0 && (way_q == '0 || bus_q)
      && (!bus_q || in_round_q))
      else $error(
          "a port is asked before what waits for it has left, or counts without its answer");
  PortRequestStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (port_req_valid_o & ~port_req_ready_i) != '0 |=>
          ($past(port_req_valid_o & ~port_req_ready_i) & ~port_req_valid_o) == '0)
      else $error("a request to a port is withdrawn");
  PortAnswerOwed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (port_rsp_valid_i & ~port_rsp_ready_o) == '0)
      else $error("a port answers what was not asked");
  EndsWhole_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ends |=> persist_rsp_valid_o && !in_round_q)
      else $error("a round ends without an answer");
  ErrorTold_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ends && (error_o || (answers & port_rsp_error_i) != '0)) |=> persist_rsp_error_o)
      else $error("an error is not told");
  ClearAtRest_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      clear_o |-> held == '0 && !persist_valid_i && port_req_valid_o == '0)
      else $error("errors are cleared while a request may not have seen them");
  RequestStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (persist_valid_i && !persist_ready_o) |=> persist_valid_i)
      else $error("a persist request is withdrawn");
  LostPasses_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (lost_i && !clear_o) |=> error_o)
      else $error("a lost store is forgotten");

endmodule
