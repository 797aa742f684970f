// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_slots with a user that takes, defers and frees slots whenever its contract lets it, while it reads either end of
// the order: the first is the one deferred first, the last the one deferred last of those that stand there, what is free is the one freed last or, if none is, the lowest never used, and
// every slot is in one place: none is lost.

module slots_fv #(
  parameter int unsigned Depth = 4,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [1:0]           step_i,     // of the reader of the order: what it does next
  input logic                 first_i,    // the end that it reads
  input logic                 take_i,
  input logic                 release_i,
  input logic [SlotWidth-1:0] rslot_i,
  input logic                 push_i,
  input logic [SlotWidth-1:0] pslot_i
);

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0]   cnt_t;

  typedef enum logic [1:0] {Away, Shown, Gone} reader_e;

  reader_e          reader_q;                    // Shown: an end was read, and is still there
  logic             first_q;                     // the first
  logic             room, take, frees, push, read, leave, pop, last, first;
  logic [Depth-1:0] hand_q;                      // slots that were taken or have left, by slot
  slot_t            free_slot, slot;
  cnt_t             count, used, count_q, pool_q, fresh_q;  // count_q: of order_q
  slot_t [Depth-1:0] order_q, free_q;            // the model's; the first at 0

  assign read  = step_i == 2'd1 && count_q != '0 && reader_q != Gone;
  assign leave = step_i[1] && reader_q == Shown;
  assign pop   = step_i == 2'd3 && reader_q != Away;
  assign take  = take_i && room;
  assign frees = release_i && hand_q[rslot_i];
  assign push  = push_i && hand_q[pslot_i] && !(frees && rslot_i == pslot_i) && !read && !leave && !pop;

  ds_slots #(.Depth(Depth)) u_slots (
    .clk_i, .rst_ni, .room_o(room), .free_slot_o(free_slot), .take_i(take), .release_i(frees), .rslot_i,
    .push_i(push), .pslot_i, .read_i(read), .first_i, .slot_o(slot), .first_o(first), .leave_i(leave), .pop_i(pop),
    .last_o(last), .count_o(count), .used_o(used));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reader_q <= Away;
      first_q <= 1'b0;
      hand_q  <= '0;
      count_q <= '0;
      pool_q  <= '0;
      fresh_q <= '0;
    end else begin
      if (read) first_q <= first_i;
      if (pop)        reader_q <= Away;
      else if (leave) reader_q <= Gone;
      else if (read)  reader_q <= Shown;
      else if (push && reader_q == Shown && !first_q) reader_q <= Away;  // the last is another one
      if (take)  hand_q[free_slot] <= 1'b1;
      if (frees) hand_q[rslot_i]   <= 1'b0;
      if (push)  hand_q[pslot_i]   <= 1'b0;
      if (pop)   hand_q[slot]      <= 1'b1;
      count_q <= count_q + cnt_t'(push) - cnt_t'(leave);
      pool_q  <= pool_q + cnt_t'(frees) - cnt_t'(take && pool_q != '0);
      fresh_q <= fresh_q + cnt_t'(take && pool_q == '0);
    end
  end
  always_ff @(posedge clk_i) begin
    if (push)             order_q[slot_t'(count_q)] <= pslot_i;
    if (leave && first_q) order_q <= order_q >> SlotWidth;
    if (frees) free_q[slot_t'(pool_q - cnt_t'(take && pool_q != '0))] <= rslot_i;
  end

  End_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reader_q == Shown |-> first == first_q && slot == order_q[first_q ? slot_t'(0) : slot_t'(count_q - cnt_t'(1))]);
  Free_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      room |-> free_slot == (pool_q == '0 ? slot_t'(fresh_q) : free_q[slot_t'(pool_q - cnt_t'(1))]));
  Last_A: assert property (@(posedge clk_i) disable iff (!rst_ni) last == (count == cnt_t'(1)));
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count == count_q + cnt_t'(reader_q == Gone));
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni) used == count + cnt_t'($countones(hand_q)));
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) room == (32'(used) < Depth));
  // Once each: deferred, just gone, in the hand, or free; those never used from fresh_q on
  logic [Depth-1:0] seen;
  logic             once;
  always_comb begin
    seen = hand_q;
    once = 1'b1;
    if (reader_q == Gone) begin
      once       = !seen[slot];
      seen[slot] = 1'b1;
    end
    for (int unsigned i = 0; i < Depth; i++) begin
      if (i < 32'(count_q)) begin
        once             = once && !seen[order_q[i]];
        seen[order_q[i]] = 1'b1;
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
