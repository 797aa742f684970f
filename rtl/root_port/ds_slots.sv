// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Slots of the DS stack: the stack of those that wait (pending) and the pool of free ones, in one
// memory, as a slot is in one of them at most:
//
//   0 .. pending-1          ...          Depth-pool .. Depth-1
//   pending, top last                    pool, the last one freed first
//
// Slots at or above fresh_q have never been used; the pool goes first. So nothing is to be written
// after reset.
//
// Latency: take_i and top_i read the memory; slot_o shows the slot from the next cycle on, until
// the next of them.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_slots #(
  parameter  int unsigned Depth    = 256,  // slots; 2 or more, a power of two
  localparam int unsigned StackBits = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // At most one of these a cycle
  input  logic                 take_i,     // pulse: a free slot, if there is one
  input  logic                 top_i,      // pulse, only if one is pending: its top; it stays
  input  logic                 release_i,  // pulse: wslot_i, taken or popped before, becomes free
  input  logic                 push_i,     // pulse: wslot_i, taken or popped before, becomes
                                           // pending
  input  logic                 pop_i,      // pulse: the top of pending leaves; only while slot_o
                                           // shows it

  input  logic [StackBits-1:0] wslot_i,    // with release_i and push_i, 0..Depth-1
  output logic [StackBits-1:0] slot_o,     // from the cycle after take_i (with room_o) or top_i
                                           // until the next of these
  output logic                 room_o,     // level: there is a free slot
  output logic                 last_o,     // level: exactly one is pending
  output logic [StackBits:0]   count_o,    // slots that are pending, 0..Depth
  output logic [StackBits:0]   used_o      // slots that are not free, 0..Depth
);

  typedef logic [StackBits-1:0] slot_t;
  typedef logic [StackBits:0]   cnt_t;

  cnt_t  pending_q, pool_q, fresh_q;
  logic  was_fresh_q;
  slot_t fresh_slot_q;
  logic  pooled, take_pool, take_fresh;
  slot_t addr, rdata;

  assign pooled     = pool_q != '0;
  assign room_o     = pooled || fresh_q != cnt_t'(Depth);
  assign take_pool  = take_i && pooled;
  assign take_fresh = take_i && !pooled && room_o;
  assign last_o     = pending_q == cnt_t'(1);
  assign count_o    = pending_q;
  assign used_o     = fresh_q - pool_q;

  // Addresses count modulo Depth.
  always_comb begin
    addr = slot_t'(pending_q);
    if (top_i)     addr = slot_t'(pending_q) - slot_t'(1);
    if (take_i)    addr = -slot_t'(pool_q);
    if (release_i) addr = ~slot_t'(pool_q);
  end

  ram_sp #(
    .Width(StackBits),
    .Depth(Depth)
  ) u_slots (
    .clk_i,
    .re_i   (top_i || take_pool),
    .we_i   (push_i || release_i),
    .addr_i (addr),
    .wdata_i(wslot_i),
    .rdata_o(rdata)
  );

  assign slot_o = was_fresh_q ? fresh_slot_q : rdata;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      pool_q    <= '0;
      fresh_q   <= '0;
    end else begin
      if (push_i)     pending_q <= pending_q + cnt_t'(1);
      if (pop_i)      pending_q <= pending_q - cnt_t'(1);
      if (release_i)  pool_q    <= pool_q + cnt_t'(1);
      if (take_pool)  pool_q    <= pool_q - cnt_t'(1);
      if (take_fresh) fresh_q   <= fresh_q + cnt_t'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i || top_i) was_fresh_q  <= take_fresh;
    if (take_fresh)      fresh_slot_q <= slot_t'(fresh_q);
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  // Where each slot is, in rows: what Verilator 5.006 makes of one wide vector does not compile.
  typedef enum logic [1:0] {Free, Hand, Pending} place_e;
  localparam int unsigned RowSlots = (Depth < 64) ? Depth : 64;
  localparam int unsigned Rows     = Depth / RowSlots;
  localparam int unsigned RowBits  = $clog2(RowSlots);
  place_e [RowSlots-1:0] place_q [Rows];
  place_e                slot_place, wslot_place;
  logic                  taken_q;

  function automatic int unsigned row(slot_t slot);
    return 32'(slot) >> RowBits;
  endfunction
  function automatic logic [RowBits-1:0] column(slot_t slot);
    return RowBits'(slot & slot_t'(RowSlots - 1));
  endfunction

  always_comb begin
    slot_place  = place_q[row(slot_o)][column(slot_o)];
    wslot_place = place_q[row(wslot_i)][column(wslot_i)];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= 1'b0;
      for (int unsigned r = 0; r < Rows; r++) place_q[r] <= {RowSlots{Free}};
    end else begin
      taken_q <= take_i && room_o;
      if (taken_q)   place_q[row(slot_o)][column(slot_o)]   <= Hand;
      if (release_i) place_q[row(wslot_i)][column(wslot_i)] <= Free;
      if (push_i)    place_q[row(wslot_i)][column(wslot_i)] <= Pending;
      if (pop_i)     place_q[row(slot_o)][column(slot_o)]   <= Hand;
    end
  end

  OneThing_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({take_i, top_i, release_i, push_i, pop_i}))
    else $error("more than one of take, top, release, push and pop in a cycle");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(fresh_q) <= Depth && 32'(pending_q) + 32'(pool_q) <= 32'(fresh_q))
    else $error("more slots pending and free again than were ever used, or than there are");
  Taken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      taken_q |-> slot_place == Free)
    else $error("a slot was taken that is not free");
  Released_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      release_i |-> wslot_place == Hand)
    else $error("a slot was released that is free or pending");
  Pushed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push_i |-> wslot_place == Hand)
    else $error("a slot was pushed that is free or pending already");
  Popped_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pop_i |-> pending_q != '0 && slot_place == Pending)
    else $error("pop of an empty stack, or of a slot that is not pending");
  Top_A: assert property (@(posedge clk_i) disable iff (!rst_ni) top_i |-> pending_q != '0)
    else $error("the top was read of an empty stack");

endmodule
