// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_tracker with any holder of entries that keeps to the page: one store, chosen freely, is watched, of all others
// it is known how many are outstanding, by parity. Any number of entries may be done in a cycle, with any set.
//
//   Answered_A a request is answered only if the watched store, which came before it, is done
//   Told_A     and with error, if the watched store failed
//   Error_A    error_o says that something failed since the last clear, and nothing else
//   Owed_A     a request is held, or answered, from when it is taken until its answer is
//   Falls_A    fairness: while a request waits, an entry of its parity is done every Patience cycles at the latest. Then
//              what is left, entries and cycles of patience, falls in every cycle: it is answered, whatever comes
//
// Count_A and Parity_A say what the registers hold.

module persist_fv #(
  parameter int unsigned Dones    = 2,
  parameter int unsigned Entries  = 255,
  parameter int unsigned Patience = 3
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  store_i,
  input logic                  watch_i,       // the store that comes is the watched one
  input logic [Dones-1:0]      done_i,
  input logic [Dones-1:0][1:0] done_set_i,
  input logic [Dones-1:0]      done_error_i,
  input logic                  watch_done_i,  // the first of them is of the watched store's entry
  input logic                  fail_i,
  input logic                  clear_error_i,
  input logic                  req_valid_i,
  input logic                  rsp_ready_i
);

  typedef logic [11:0] cnt_t;

  logic                  store, watch, watch_done, req_valid, req_ready, rsp_valid, rsp_error, clear, error;
  logic                  parity, waiting, take;
  logic [Dones-1:0]      done;
  logic [Dones-1:0][1:0] done_set;
  logic [1:0][2:0]       num_done;
  cnt_t [1:0]            others_q, left, all;  // outstanding but for the watched one; as far as not done yet; with it
  cnt_t                  patience_q, rank, rank_last_q;
  logic                  held_q, parity_q, before_q, failed_q, was_q, offered_q, waited_q, asked_q, error_q, failed;

  // The holder's part of the contract.
  assign store = store_i && 32'(all[parity]) < Entries;
  assign watch = store && watch_i && !was_q;
  always_comb begin
    for (int unsigned p = 0; p < 2; p++) all[p] = others_q[p] + cnt_t'(held_q && parity_q == 1'(p));
    left       = others_q;
    done       = '0;
    done_set   = done_set_i;
    watch_done = held_q && watch_done_i && done_i[0];
    if (waiting && patience_q == '0) begin  // fairness
      watch_done  = held_q && parity_q != parity && others_q[!parity] == '0;
      done_set[0] = 2'b01 << !parity;
      done[0]     = 1'b1;
    end
    if (watch_done) done_set[0][parity_q] = 1'b1;
    num_done = '0;
    for (int unsigned d = 0; d < Dones; d++) begin
      logic fits;
      fits = 1'b1;
      for (int unsigned p = 0; p < 2; p++) begin
        if (done_set[d][p] && left[p] == '0 && !(watch_done && d == 0 && parity_q == 1'(p))) fits = 1'b0;
      end
      done[d] = (done[d] || done_i[d]) && fits;
      if (d == 0) watch_done = watch_done && fits;
      for (int unsigned p = 0; p < 2; p++) begin
        if (done[d] && done_set[d][p]) begin
          num_done[p] += 3'd1;
          if (!(watch_done && d == 0 && parity_q == 1'(p))) left[p] -= cnt_t'(1);
        end
      end
    end
  end
  // The requester's.
  assign req_valid = req_valid_i || offered_q;
  assign clear     = clear_error_i && !req_valid && req_ready;
  assign take      = req_valid && req_ready;

  always_comb begin
    failed = fail_i;
    for (int unsigned d = 0; d < Dones; d++) failed |= done[d] && (|done_set[d]) && done_error_i[d];
  end

  persist_tracker #(.Dones(Dones), .Entries(Entries)) u_tracker (
    .clk_i, .rst_ni, .store_i(store), .store_parity_o(parity), .done_i(done), .done_set_i(done_set),
    .done_error_i(done_error_i), .fail_i, .clear_error_i(clear), .error_o(error), .req_valid_i(req_valid),
    .req_ready_o(req_ready), .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_error_o(rsp_error), .waiting_o(waiting));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      others_q    <= '0;
      patience_q  <= cnt_t'(Patience - 1);
      {held_q, before_q, failed_q, was_q, offered_q, waited_q, asked_q, error_q} <= '0;
      parity_q    <= 1'b0;
      rank_last_q <= '0;
    end else begin
      for (int unsigned p = 0; p < 2; p++) others_q[p] <= left[p] + cnt_t'(store && !watch && parity == 1'(p));
      offered_q <= req_valid && !req_ready;
      if (watch) begin
        held_q   <= 1'b1;
        was_q    <= 1'b1;
        parity_q <= parity;
      end else if (watch_done) begin
        held_q <= 1'b0;
      end
      // The request held is one that the watched store came before, or whose failure it is to tell.
      if (take) before_q <= held_q || watch || failed_q || (watch_done && done_error_i[0]);
      if (watch_done && done_error_i[0]) failed_q <= 1'b1;
      else if (clear) failed_q <= 1'b0;
      if (!waiting || num_done[!parity] != '0) patience_q <= cnt_t'(Patience - 1);
      else patience_q <= patience_q - cnt_t'(1);
      asked_q     <= take || (asked_q && !(rsp_valid && rsp_ready_i));
      error_q     <= failed || (error_q && !clear);
      waited_q    <= waiting;
      rank_last_q <= rank;
    end
  end

  assign rank = cnt_t'(32'(all[!parity]) * Patience) + patience_q;

  Answered_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (rsp_valid && before_q) |-> !held_q);
  Told_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (rsp_valid && before_q && failed_q) |-> rsp_error);
  Error_A: assert property (@(posedge clk_i) disable iff (!rst_ni) error == error_q);
  Owed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      asked_q == !req_ready && asked_q == (rsp_valid || waiting));
  Falls_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (waiting && waited_q) |-> rank < rank_last_q);

  // What the registers hold
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      cnt_t'(u_tracker.count_q[0]) == all[0] && cnt_t'(u_tracker.count_q[1]) == all[1]
      && 32'(all[0]) <= Entries && 32'(all[1]) <= Entries
      && 32'(others_q[0]) <= Entries && 32'(others_q[1]) <= Entries && 32'(patience_q) < Patience);
  Parity_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !u_tracker.held_q |-> u_tracker.count_q[!parity] == '0);
  Was_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (held_q || before_q || failed_q) |-> was_q);
  Before_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (u_tracker.held_q && before_q && held_q) |-> parity_q != parity);
  Failed_A: assert property (@(posedge clk_i) disable iff (!rst_ni) failed_q |-> error);
  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && before_q && failed_q) |-> u_tracker.rsp_error_q);

endmodule
