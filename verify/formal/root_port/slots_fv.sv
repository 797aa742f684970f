// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_slots with a user that takes, defers and frees slots whenever its contract lets it, while it reads the queue:
// the first is the one deferred first, what is free is the one freed last or, if none is, the lowest never used, and
// every slot is in one place: none is lost.

module slots_fv #(
  parameter int unsigned Depth = 4,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [1:0]           step_i,     // of the reader of the queue: what it does next
  input logic                 take_i,
  input logic                 release_i,
  input logic [SlotWidth-1:0] rslot_i,
  input logic                 push_i,
  input logic [SlotWidth-1:0] pslot_i
);

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0]   cnt_t;

  logic             shown_q;                     // the first was read, and is still there
  logic             room, take, frees, push, first, pop, last;
  logic [Depth-1:0] hand_q;                      // slots that were taken or have left, by slot
  slot_t            free_slot, slot;
  cnt_t             count, used, count_q, pool_q, fresh_q;
  slot_t [Depth-1:0] queue_q, free_q;            // the model's; the first at 0

  assign first = step_i == 2'd1 && count_q != '0;
  assign pop   = step_i == 2'd3 && shown_q;
  assign take  = take_i && room;
  assign frees = release_i && hand_q[rslot_i];
  assign push  = push_i && hand_q[pslot_i] && !(frees && rslot_i == pslot_i) && !first && !pop;

  ds_slots #(.Depth(Depth)) u_slots (
    .clk_i, .rst_ni, .room_o(room), .free_slot_o(free_slot), .take_i(take), .release_i(frees), .rslot_i,
    .push_i(push), .pslot_i, .first_i(first), .slot_o(slot), .pop_i(pop),
    .last_o(last), .count_o(count), .used_o(used));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_q <= 1'b0;
      hand_q  <= '0;
      count_q <= '0;
      pool_q  <= '0;
      fresh_q <= '0;
    end else begin
      shown_q <= first || (shown_q && !pop);
      if (take)  hand_q[free_slot] <= 1'b1;
      if (frees) hand_q[rslot_i]   <= 1'b0;
      if (push)  hand_q[pslot_i]   <= 1'b0;
      if (pop)   hand_q[slot]      <= 1'b1;
      count_q <= count_q + cnt_t'(push) - cnt_t'(pop);
      pool_q  <= pool_q + cnt_t'(frees) - cnt_t'(take && pool_q != '0);
      fresh_q <= fresh_q + cnt_t'(take && pool_q == '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (push)  queue_q[slot_t'(count_q)] <= pslot_i;
    if (pop)   queue_q <= queue_q >> SlotWidth;
    if (frees) free_q[slot_t'(pool_q - cnt_t'(take && pool_q != '0))] <= rslot_i;
  end

  First_A: assert property (@(posedge clk_i) disable iff (!rst_ni) shown_q |-> slot == queue_q[0]);
  Free_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      room |-> free_slot == (pool_q == '0 ? slot_t'(fresh_q) : free_q[slot_t'(pool_q - cnt_t'(1))]));
  Last_A: assert property (@(posedge clk_i) disable iff (!rst_ni) last == (count == cnt_t'(1)));
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count == count_q);
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni) used == count + cnt_t'($countones(hand_q)));
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) room == (32'(used) < Depth));
  // Once each: deferred, in the hand, or free; those never used from fresh_q on
  logic [Depth-1:0] seen;
  logic             once;
  always_comb begin
    seen = hand_q;
    once = 1'b1;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (i < 32'(count_q)) begin
        once             = once && !seen[queue_q[i]];
        seen[queue_q[i]] = 1'b1;
      end
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
