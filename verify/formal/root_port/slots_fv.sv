// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_slots with a user that takes, defers and frees slots whenever its contract lets it, while it reads the stack:
// the top is the one deferred last, what is free is the one freed last or, if none is, the lowest never used, and every
// slot is in one place: none is lost.

module slots_fv #(
  parameter int unsigned Depth = 4,
  localparam int unsigned StackBits = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [1:0]           step_i,     // of the reader of the stack: what it does next
  input logic                 take_i,
  input logic                 release_i,
  input logic [StackBits-1:0] rslot_i,
  input logic                 push_i,
  input logic [StackBits-1:0] pslot_i
);

  typedef logic [StackBits-1:0] slot_t;
  typedef logic [StackBits:0]   cnt_t;

  // Of the stack is read: nothing; its top, which is still there; that, which has left and counts yet
  typedef enum logic [1:0] {None, Top, Gone} reader_e;
  reader_e reader_q;

  logic             room, take, frees, push, top, unstack, pop, last;
  logic [Depth-1:0] hand_q;                      // slots that were taken or have left, by slot
  slot_t            free_slot, slot, gone_q;
  cnt_t             count, used, height_q, pool_q, fresh_q;
  slot_t [Depth-1:0] stack_q, free_q;            // the model's

  assign top     = reader_q == None && step_i == 2'd1 && height_q != '0;
  assign unstack = reader_q == Top && step_i[0];
  assign pop     = (reader_q == Top && step_i == 2'd3) || (reader_q == Gone && step_i == 2'd1);
  assign take    = take_i && room;
  assign frees   = release_i && hand_q[rslot_i];
  assign push    = push_i && hand_q[pslot_i] && !(frees && rslot_i == pslot_i) && !top && !pop && reader_q != Top;

  ds_slots #(.Depth(Depth)) u_slots (
    .clk_i, .rst_ni, .room_o(room), .free_slot_o(free_slot), .take_i(take), .release_i(frees), .rslot_i,
    .push_i(push), .pslot_i, .top_i(top), .slot_o(slot), .unstack_i(unstack), .pop_i(pop),
    .last_o(last), .count_o(count), .used_o(used));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reader_q <= None;
      hand_q   <= '0;
      height_q <= '0;
      pool_q   <= '0;
      fresh_q  <= '0;
    end else begin
      if (top)                   reader_q <= Top;
      if (unstack && !pop)       reader_q <= Gone;
      if (pop)                   reader_q <= None;
      if (reader_q == Top && step_i == 2'd2) reader_q <= None;
      if (take)  hand_q[free_slot] <= 1'b1;
      if (frees) hand_q[rslot_i]   <= 1'b0;
      if (push)  hand_q[pslot_i]   <= 1'b0;
      if (pop)   hand_q[slot]      <= 1'b1;
      height_q <= height_q + cnt_t'(push) - cnt_t'(unstack);
      pool_q   <= pool_q + cnt_t'(frees) - cnt_t'(take && pool_q != '0);
      fresh_q  <= fresh_q + cnt_t'(take && pool_q == '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (push)    stack_q[slot_t'(height_q)] <= pslot_i;
    if (unstack) gone_q <= stack_q[slot_t'(height_q - cnt_t'(1))];
    if (frees)   free_q[slot_t'(pool_q - cnt_t'(take && pool_q != '0))] <= rslot_i;
  end

  Top_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reader_q == Top |-> slot == stack_q[slot_t'(height_q - cnt_t'(1))]);
  Gone_A: assert property (@(posedge clk_i) disable iff (!rst_ni) reader_q == Gone |-> slot == gone_q);
  Free_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      room |-> free_slot == (pool_q == '0 ? slot_t'(fresh_q) : free_q[slot_t'(pool_q - cnt_t'(1))]));
  Last_A: assert property (@(posedge clk_i) disable iff (!rst_ni) last == (count == cnt_t'(1)));
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count == height_q + cnt_t'(reader_q == Gone));
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni) used == count + cnt_t'($countones(hand_q)));
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) room == (32'(used) < Depth));
  // Once each: in the stack, in the hand, having left, or free; those never used from fresh_q on
  logic [Depth-1:0] seen;
  logic             once;
  always_comb begin
    seen = hand_q;
    once = 1'b1;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (i < 32'(height_q)) begin
        once             = once && !seen[stack_q[i]];
        seen[stack_q[i]] = 1'b1;
      end
    end
    if (reader_q == Gone) begin
      once         = once && !seen[gone_q];
      seen[gone_q] = 1'b1;
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      if (i < 32'(pool_q)) begin
        once            = once && !seen[free_q[i]];
        seen[free_q[i]] = 1'b1;
      end
    end
    for (int unsigned s = 0; s < Depth; s++) once = once && seen[s] == (s < 32'(fresh_q));
  end
  Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni) once);

endmodule
