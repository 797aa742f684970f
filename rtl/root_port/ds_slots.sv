// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Slots of the DS engine: those of deferred lines, in their order, and the pool of free ones.
//
//   order   a ring: what is deferred comes last, what leaves is the first or the last
//   pool    the last one freed first, then those never used (from fresh_q on)
//
// So nothing is to be written after reset. The pool's top stands in a register, or is what its
// memory gave last: a slot is taken in the cycle in which it is wanted, and one that comes back at
// the same time takes its place.
//
// What leaves the order (leave_i) counts as deferred until pop_i.
//
// Latency: read_i reads the order; slot_o shows the slot from the next cycle on, until the next of
// them. free_slot_o follows from state.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_slots #(
  parameter  int unsigned Depth     = 256,  // slots; 2 or more, a power of two
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Pool
  output logic                 room_o,       // level: there is a free slot
  output logic [SlotWidth-1:0] free_slot_o,  // with room_o: that slot
  input  logic                 take_i,       // pulse, only with room_o: it is no longer free
  input  logic                 release_i,    // pulse: rslot_i, taken or popped before, becomes free
  input  logic [SlotWidth-1:0] rslot_i,      // with release_i, 0..Depth-1
  // Order
  input  logic                 push_i,       // pulse: pslot_i, taken or popped before, becomes
                                             // deferred, as the last; never with read_i, leave_i
                                             // or pop_i
  input  logic [SlotWidth-1:0] pslot_i,      // with push_i, 0..Depth-1
  input  logic                 read_i,       // pulse, only if one is deferred: an end is read
  input  logic                 first_i,      // with read_i: 1 the first, 0 the last
  output logic [SlotWidth-1:0] slot_o,       // from the cycle after read_i until the next
  output logic                 first_o,      // first_i of that read, 0 before the first one
  input  logic                 leave_i,      // pulse, only while slot_o shows what stands at that
                                             // end: it leaves
  input  logic                 pop_i,        // pulse, with leave_i or later: it is not deferred any
                                             // more
  output logic                 last_o,       // level: exactly one is deferred
  output logic [SlotWidth:0]   count_o,      // slots that are deferred, 0..Depth
  output logic [SlotWidth:0]   used_o        // slots that are not free, 0..Depth
);

  typedef logic [SlotWidth-1:0] slot_t;
  typedef logic [SlotWidth:0]   cnt_t;

  // ---------------------------------------------------------------------------------------------
  // Pool
  // ---------------------------------------------------------------------------------------------
  cnt_t  pool_q, fresh_q;
  logic  pooled, take_pool, next_read, from_memory_q;
  slot_t next_slot, top_slot_q, pool_addr;

  assign pooled      = pool_q != '0;
  assign room_o      = pooled || fresh_q != cnt_t'(Depth);
  assign free_slot_o = pooled ? (from_memory_q ? next_slot : top_slot_q) : slot_t'(fresh_q);
  assign take_pool   = take_i && pooled;
  assign next_read   = take_pool && !release_i;  // the one below the top, if there is one

  // Place of the top is pool_q - 1; addresses count modulo Depth.
  always_comb begin
    pool_addr = slot_t'(pool_q) - slot_t'(2);
    if (release_i) pool_addr = take_pool ? slot_t'(pool_q) - slot_t'(1) : slot_t'(pool_q);
  end

  ram_sp #(
    .Width(SlotWidth),
    .Depth(Depth)
  ) u_pool (
    .clk_i,
    .re_i   (next_read),
    .we_i   (release_i),
    .addr_i (pool_addr),
    .wdata_i(rslot_i),
    .rdata_o(next_slot)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pool_q        <= '0;
      fresh_q       <= '0;
      from_memory_q <= 1'b0;
    end else begin
      if (release_i && !take_pool) pool_q <= pool_q + cnt_t'(1);
      if (take_pool && !release_i) pool_q <= pool_q - cnt_t'(1);
      if (take_i && !pooled)       fresh_q <= fresh_q + cnt_t'(1);
      if (release_i)      from_memory_q <= 1'b0;
      else if (next_read) from_memory_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (release_i) top_slot_q <= rslot_i;
  end

  // ---------------------------------------------------------------------------------------------
  // Order
  // ---------------------------------------------------------------------------------------------
  slot_t head_q, tail_q;  // places of the first, and of the next one that comes
  logic  first_q;
  cnt_t  count_q;

  assign first_o = first_q;

  assign last_o  = count_q == cnt_t'(1);
  assign count_o = count_q;
  assign used_o  = fresh_q - pool_q;

  ram_1r1w #(
    .Width(SlotWidth),
    .Depth(Depth)
  ) u_order (
    .clk_i,
    .re_i   (read_i),
    .raddr_i(first_i ? head_q : tail_q - slot_t'(1)),
    .rdata_o(slot_o),
    .we_i   (push_i),
    .waddr_i(tail_q),
    .wdata_i(pslot_i)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      first_q <= 1'b0;
      count_q <= '0;
    end else begin
      if (read_i)              first_q <= first_i;
      if (push_i)              tail_q  <= tail_q + slot_t'(1);
      if (leave_i && !first_q) tail_q  <= tail_q - slot_t'(1);
      if (leave_i && first_q)  head_q  <= head_q + slot_t'(1);
      if (push_i)              count_q <= count_q + cnt_t'(1);
      if (pop_i)               count_q <= count_q - cnt_t'(1);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  // Where each slot is, in rows: what Verilator 5.006 makes of one wide vector does not compile.
  typedef enum logic [1:0] {Free, Hand, Deferred} place_e;
  localparam int unsigned RowSlots = (Depth < 64) ? Depth : 64;
  localparam int unsigned Rows     = Depth / RowSlots;
  localparam int unsigned RowBits  = $clog2(RowSlots);
  place_e [RowSlots-1:0] place_q [Rows];
  place_e                free_place, released_place, pushed_place, slot_place;
  logic                  shown_q;  // slot_o shows what stands at its end of the order
  logic                  left_q;   // one has left that and was not popped

  function automatic int unsigned row(slot_t slot);
    return 32'(slot) >> RowBits;
  endfunction
  function automatic logic [RowBits-1:0] column(slot_t slot);
    return RowBits'(slot & slot_t'(RowSlots - 1));
  endfunction

  always_comb begin
    free_place     = place_q[row(free_slot_o)][column(free_slot_o)];
    released_place = place_q[row(rslot_i)][column(rslot_i)];
    pushed_place   = place_q[row(pslot_i)][column(pslot_i)];
    slot_place     = place_q[row(slot_o)][column(slot_o)];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < Rows; r++) place_q[r] <= {RowSlots{Free}};
      shown_q <= 1'b0;
      left_q  <= 1'b0;
    end else begin
      shown_q <= read_i || (shown_q && !leave_i && !(push_i && !first_q));
      left_q  <= (leave_i || left_q) && !pop_i;
      if (take_i)    place_q[row(free_slot_o)][column(free_slot_o)] <= Hand;
      if (release_i) place_q[row(rslot_i)][column(rslot_i)]         <= Free;
      if (push_i)    place_q[row(pslot_i)][column(pslot_i)]         <= Deferred;
      if (pop_i)     place_q[row(slot_o)][column(slot_o)]           <= Hand;
    end
  end

  Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({push_i, read_i, leave_i || pop_i}))
    else $error("accesses to the order that must not meet");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(fresh_q) <= Depth && 32'(count_q) + 32'(pool_q) <= 32'(fresh_q))
    else $error("more slots deferred and free again than were ever used, or than there are");
  Ring_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      slot_t'(tail_q - head_q) == slot_t'(count_q - cnt_t'(left_q)))
    else $error("from the first deferred slot to the next to come are not as many as are deferred");
  Taken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      take_i |-> room_o && free_place == Free)
    else $error("a slot was taken that is not free");
  Released_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      release_i |-> released_place == Hand)
    else $error("a slot was released that is free or deferred");
  Pushed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push_i |-> pushed_place == Hand)
    else $error("a slot was pushed that is free or deferred already");
  Popped_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pop_i |-> count_q != '0 && slot_place == Deferred)
    else $error("pop with none deferred, or of a slot that is not deferred");
  Shown_A: assert property (@(posedge clk_i) disable iff (!rst_ni) leave_i |-> shown_q && !left_q)
    else $error("a slot leaves the order that does not stand at its end, or before another's pop");
  Left_A: assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> leave_i || left_q)
    else $error("pop of a slot that stands in the order");
  Read_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_i |-> count_q != '0 && !left_q)
    else $error("an end of the order was read with none deferred, or before a pop");
  LastFreed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      release_i |=> room_o && free_slot_o == $past(rslot_i))
    else $error("the slot freed last is not the next one");

endmodule
