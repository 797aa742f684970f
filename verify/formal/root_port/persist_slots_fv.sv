// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_tracker with what deterministic store does to stores: they join a line's slot, the slot is sent to the
// endpoint, more stores join it meanwhile, and it is sent again once the write is answered. Sets of parities are kept by
// the rules of the page. One store, chosen freely, of line 0 is watched. With Left the slot keeps its set when it is
// sent, and the answer comes early: the rule is needed.
//
//   Durable_A a request is answered only if the endpoint has the watched store, which came before it
//
// The assertions of the tracker say that no more entries are done than there are.

module persist_slots_fv #(
  parameter bit          Left    = 1'b0,
  parameter int unsigned Lines   = 2,
  parameter int unsigned Entries = 2 * Lines + 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             store_i,
  input logic [Lines-1:0] line_i,    // one-hot: its line
  input logic             watch_i,
  input logic [Lines-1:0] send_i,    // the slot of the line is sent
  input logic [Lines-1:0] answer_i,  // the write is answered
  input logic             req_valid_i,
  input logic             rsp_ready_i
);

  logic                  store, parity, req_valid, req_ready, rsp_valid, rsp_error, error, waiting, take;
  logic                  given_back, watch, offered_q;
  logic [Lines-1:0]      send, answer;
  logic [Lines-1:0][1:0] slot_q, slot_d, write_q, write_d;
  logic [Lines-1:0]      going_q;                      // a write of the line is outstanding
  logic                  in_slot_q, in_write_q, before_q, was_q;

  assign store     = store_i && $onehot(line_i);
  assign watch     = store && line_i[0] && watch_i && !was_q;
  assign req_valid = req_valid_i || offered_q;
  assign take      = req_valid && req_ready;

  always_comb begin
    answer = '0;
    for (int unsigned l = Lines; l > 0; l--) begin  // one a cycle, as the memory queue gives
      if (answer_i[l-1] && going_q[l-1]) answer = Lines'(1) << (l - 1);
    end
    send       = send_i & ~going_q;
    slot_d     = slot_q;
    write_d    = write_q;
    given_back = 1'b0;
    for (int unsigned l = 0; l < Lines; l++) begin
      if (answer[l]) write_d[l] = '0;
      if (send[l]) begin
        write_d[l] = slot_q[l];
        if (!Left) slot_d[l] = '0;
      end
      if (Left && answer[l]) slot_d[l] = slot_q[l] & ~write_q[l];
      // A store that comes as its line is sent is of the next write.
      if (store && line_i[l]) begin
        given_back        = slot_d[l][parity];
        slot_d[l][parity] = 1'b1;
      end
    end
  end

  logic [1:0] answered_set;
  always_comb begin
    answered_set = '0;
    for (int unsigned l = 0; l < Lines; l++) if (answer[l]) answered_set |= write_q[l];
  end

  persist_tracker #(.Dones(2), .Entries(Entries)) u_tracker (
    .clk_i, .rst_ni, .store_i(store), .store_parity_o(parity), .done_i({given_back, answer != '0}),
    .done_set_i({2'b01 << parity, answered_set}), .done_error_i(2'b00), .fail_i(1'b0), .clear_error_i(1'b0),
    .error_o(error), .req_valid_i(req_valid), .req_ready_o(req_ready), .rsp_valid_o(rsp_valid), .rsp_ready_i,
    .rsp_error_o(rsp_error), .waiting_o(waiting));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q    <= '0;
      write_q   <= '0;
      going_q   <= '0;
      {in_slot_q, in_write_q, before_q, was_q, offered_q} <= '0;
    end else begin
      slot_q    <= slot_d;
      write_q   <= write_d;
      going_q   <= (going_q & ~answer) | send;
      offered_q <= req_valid && !req_ready;
      if (watch) was_q <= 1'b1;
      in_slot_q <= watch || (in_slot_q && !send[0]);
      if (send[0]) in_write_q <= in_slot_q;
      else if (answer[0]) in_write_q <= 1'b0;
      if (take) before_q <= watch || in_slot_q || in_write_q;
    end
  end

  Durable_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && before_q) |-> !in_slot_q && !in_write_q);
  NoError_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !error && !rsp_error);

endmodule
