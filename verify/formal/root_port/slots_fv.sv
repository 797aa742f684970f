// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_slots with a user that has one slot in its hand: the stack gives back the slots that were put
// there, the last first, and every slot is in one place: none is lost.

module slots_fv #(
  parameter int unsigned Depth = 4,
  localparam int unsigned StackBits = $clog2(Depth)
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [1:0] op_i
);

  // Hand: empty; slot_o is the slot from a take; slot_o is the top, still pending
  typedef enum logic [1:0] {Empty, Taken, Top, Popped} hand_e;
  hand_e hand_q;

  logic                           take, top, release_hand, push, pop, room, last;
  logic [StackBits-1:0]           slot, depth_top;
  logic [StackBits:0]             count, used, model_q;
  logic [Depth-1:0][StackBits-1:0] stack_q;  // the model's

  assign take         = hand_q == Empty && op_i == 2'd1 && room;
  assign top          = hand_q == Empty && op_i == 2'd2 && count != '0;
  assign pop          = hand_q == Top && op_i == 2'd1;
  assign push         = (hand_q == Taken || hand_q == Popped) && op_i == 2'd1;
  assign release_hand = (hand_q == Taken || hand_q == Popped) && op_i == 2'd2;
  assign depth_top    = StackBits'(model_q - (StackBits + 1)'(1));

  // A slot is taken for good only in the cycle after it is shown: ds_slots marks it there.
  logic settled_q;

  ds_slots #(.Depth(Depth)) u_slots (
    .clk_i, .rst_ni, .take_i(take), .top_i(top), .release_i(release_hand && settled_q),
    .push_i(push && settled_q), .pop_i(pop), .wslot_i(slot), .slot_o(slot), .room_o(room),
    .last_o(last), .count_o(count), .used_o(used));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hand_q    <= Empty;
      model_q   <= '0;
      stack_q   <= '0;
      settled_q <= 1'b0;
    end else begin
      settled_q <= hand_q == Taken || hand_q == Popped;
      if (take) hand_q <= Taken;
      if (top)  hand_q <= Top;
      if (pop) begin
        hand_q  <= Popped;
        model_q <= model_q - (StackBits + 1)'(1);
      end
      if (push && settled_q) begin
        hand_q                      <= Empty;
        stack_q[StackBits'(model_q)] <= slot;
        model_q                     <= model_q + (StackBits + 1)'(1);
      end
      if (release_hand && settled_q) hand_q <= Empty;
      if (hand_q == Top && op_i == 2'd3) hand_q <= Empty;
    end
  end

  Top_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hand_q == Top |-> slot == stack_q[depth_top]);
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count == model_q);
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      used == model_q + (StackBits + 1)'(hand_q == Taken || hand_q == Popped));
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      room == (32'(used) < Depth));

endmodule
