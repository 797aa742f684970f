// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Persist tracker: answers a persist request when all stores that came before it are done.
//
//   stores --tagged--> entries of the port --done--> two counters, one a parity
//                                                       |  0: answered
//   persist request --> parity flips -------------------+
//
// Stores are tagged with the parity of their time. A request flips it, so that its own stores and
// younger ones are counted apart, and is answered when the count of the parity before is 0. Only
// one request is held, hence at its flip the other parity has no store left.
//
// Latency:  answered the cycle after the last store is done, at the earliest the cycle after the
//           request is taken. All outputs from registers alone.
// Deadlock: a request waits for stores that came before it, and for no other; nothing waits for the
//           request.
//
// Source: docs/blocks/root_port/persist_tracker.md.

module persist_tracker
#(
  parameter  int unsigned Dones   = 2,    // 1..4: entries that can be done in one cycle
  parameter  int unsigned Entries = 255,  // 1..65535: most entries of one parity outstanding
  localparam int unsigned CntBits = $clog2(Entries + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Stores
  input  logic                  store_i,         // pulse: a store to memory that persists enters
  output logic                  store_parity_o,  // the parity that one has that enters now
  input  logic [Dones-1:0]      done_i,          // pulses: an entry is done
  input  logic [Dones-1:0][1:0] done_set_i,      // [d][p]: it has stores of parity p
  input  logic [Dones-1:0]      done_error_i,    // it failed
  // Errors
  input  logic                  fail_i,          // level: what is done now cannot be relied upon
  input  logic                  clear_error_i,   // pulse: error_o is to fall; in no cycle in which
                                                 // a request is offered or held
  output logic                  error_o,         // something failed since the last clear
  // Persist requests
  input  logic                  req_valid_i,     // one is offered; stays until taken
  output logic                  req_ready_o,     // low while one is held
  output logic                  rsp_valid_o,     // it is answered; stays until taken
  input  logic                  rsp_ready_i,     // the answer is taken; may be low
  output logic                  rsp_error_o,     // not all is durable; 0 without rsp_valid_o
  output logic                  waiting_o        // level: stores of the parity that is not
                                                 // store_parity_o should go first
);

  if (Dones < 1 || Dones > 4) begin : g_bad_dones
    $error("persist_tracker: Dones of 1..4 is %0d", Dones);
  end
  if (Entries < 1 || Entries > 65535) begin : g_bad_entries
    $error("persist_tracker: Entries of 1..65535 is %0d", Entries);
  end

  // ---------------------------------------------------------------------------------------------
  // Entries outstanding, by parity
  // ---------------------------------------------------------------------------------------------
  logic                    parity_q;
  logic [1:0][CntBits-1:0] count_q, count_d;
  logic [1:0][2:0]         num_done;

  always_comb begin
    num_done = '0;
    for (int unsigned p = 0; p < 2; p++) begin
      for (int unsigned d = 0; d < Dones; d++) begin
        num_done[p] += 3'(done_i[d] && done_set_i[d][p]);
      end
      count_d[p] = count_q[p] + CntBits'(store_i && parity_q == 1'(p)) - CntBits'(num_done[p]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else         count_q <= count_d;
  end

  // ---------------------------------------------------------------------------------------------
  // The request
  // ---------------------------------------------------------------------------------------------
  logic held_q, take, answered;

  assign take     = req_valid_i && !held_q;
  assign answered = rsp_valid_o && rsp_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      parity_q <= 1'b0;
    end else begin
      if (take)          held_q <= 1'b1;
      else if (answered) held_q <= 1'b0;
      if (take) parity_q <= !parity_q;
    end
  end

  logic old_left;

  assign old_left       = count_q[!parity_q] != '0;
  assign store_parity_o = parity_q;
  assign req_ready_o    = !held_q;
  assign rsp_valid_o    = held_q && !old_left;
  assign waiting_o      = old_left;  // without a request nothing is left

  // ---------------------------------------------------------------------------------------------
  // Errors. One that the next request alone is told is lost for whoever stored and asks later, so
  // it stays. The answer's own is that of its first cycle: one that is offered does not change.
  // ---------------------------------------------------------------------------------------------
  logic error_q, error_d, rsp_error_q, failed;

  always_comb begin
    failed = fail_i;
    for (int unsigned d = 0; d < Dones; d++) begin
      if (done_i[d] && done_error_i[d] && done_set_i[d] != 2'b00) failed = 1'b1;
    end
  end
  assign error_d = failed || (error_q && !clear_error_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else         error_q <= error_d;
  end

  // Payload: no reset, it counts only with rsp_valid_o.
  always_ff @(posedge clk_i) begin
    if (!rsp_valid_o) rsp_error_q <= error_d;
  end

  assign error_o     = error_q;
  assign rsp_error_o = rsp_valid_o && rsp_error_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  for (genvar p = 0; p < 2; p++) begin : gen_parity
    DoneWasIn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        32'(num_done[p]) <= 32'(count_q[p]))
        else $error("more entries of parity %0d are done than there are", p);
    Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (store_i && store_parity_o == 1'(p)) |->
            32'(count_q[p]) < Entries || num_done[p] != '0)
        else $error("more than %0d entries of parity %0d", Entries, p);
  end
  ClearAtRest_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      clear_error_i |-> !req_valid_i && !held_q)
      else $error("errors are cleared while a request may not have seen them");
  RequestStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_i && !req_ready_o) |=> req_valid_i)
      else $error("a persist request is withdrawn");
  OldIsLeft_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !held_q |-> !old_left)
      else $error("stores of both parities are outstanding without a request");
  OldOnlyFalls_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (waiting_o && num_done[!parity_q] == '0) |=> waiting_o && $stable(count_q[!parity_q]))
      else $error("a younger store counts for the request");
  AnswerStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o && $stable(rsp_error_o))
      else $error("an answer changed or vanished before it was taken");
  AnsweredOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && rsp_ready_i) |=> !rsp_valid_o && req_ready_o)
      else $error("an answer that was taken is offered again");
  ParityStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(req_valid_i && req_ready_o) |=> $stable(store_parity_o))
      else $error("the parity changes without a request");
  TakenFlips_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_i && req_ready_o) |=> store_parity_o != $past(store_parity_o) && !req_ready_o)
      else $error("a request that is taken does not change the parity, or is not held");
  ErrorKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (failed || (error_o && !clear_error_i)) |=> error_o)
      else $error("an error is lost");
  ErrorTold_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (waiting_o && (failed || error_o)) |=> waiting_o || rsp_error_o)
      else $error("a request is answered without an error that came before");

endmodule
