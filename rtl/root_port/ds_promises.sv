// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Promises of the DS engine: a store may be answered before it is in local memory while more slots
// are free than answered stores wait, so that one is left for each.
//
// What counts is kept as one number, the free slots that no answered store waits for, less one: its
// sign is the answer. It is never below -2: of the answered stores that wait all but the oldest
// have a free slot each, and the oldest has one, or took it.
//
// Latency: spare_o follows from state; what happens counts from the next cycle on.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_promises #(
  parameter  int unsigned Depth     = 256,  // slots; 2 or more, a power of two
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic take_i,     // pulse, only if one is free: a slot is no longer free
  input  logic release_i,  // pulse: one that was taken becomes free
  output logic spare_o,    // level: more slots are free than answered stores wait
  input  logic answer_i,   // pulse, only with spare_o: a store is answered that waits on
  input  logic leaves_i    // pulse: of the answered stores that wait the oldest leaves
);

  typedef logic [SlotWidth:0] cnt_t;

  cnt_t       surplus_q, surplus_d;  // two's complement
  logic [1:0] up, down;              // none, one or two: {two, one}

  assign spare_o = !surplus_q[SlotWidth];
  assign up      = {release_i && leaves_i, release_i != leaves_i};
  assign down    = {take_i && answer_i, take_i != answer_i};

  // The sums are ready before it is known which one it is to be.
  always_comb begin
    surplus_d = surplus_q;
    if ((up[1] && down[0]) || (up[0] && down == '0)) surplus_d = surplus_q + cnt_t'(1);
    if (up[1] && down == '0)                         surplus_d = surplus_q + cnt_t'(2);
    if ((down[1] && up[0]) || (down[0] && up == '0)) surplus_d = surplus_q - cnt_t'(1);
    if (down[1] && up == '0)                         surplus_d = surplus_q - cnt_t'(2);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) surplus_q <= cnt_t'(Depth - 1);
    else         surplus_q <= surplus_d;
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  // The two numbers themselves
  cnt_t free_q, waiting_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      free_q    <= cnt_t'(Depth);
      waiting_q <= '0;
    end else begin
      free_q    <= free_q + cnt_t'(release_i) - cnt_t'(take_i);
      waiting_q <= waiting_q + cnt_t'(answer_i) - cnt_t'(leaves_i);
    end
  end

  Surplus_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      surplus_q == free_q - waiting_q - cnt_t'(1))
    else $error("the slots that no answered store waits for are miscounted");
  Spare_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      spare_o == (free_q > waiting_q))
    else $error("a store may be answered without a slot, or may not although there is one");
  Answer_A: assert property (@(posedge clk_i) disable iff (!rst_ni) answer_i |-> spare_o)
    else $error("a store was answered that no slot is left for");
  Leaves_A: assert property (@(posedge clk_i) disable iff (!rst_ni) leaves_i |-> waiting_q != '0)
    else $error("an answered store left and none waits");
  Take_A: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> free_q != '0)
    else $error("a slot was taken and none is free");
  Release_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      release_i |-> 32'(free_q) < Depth)
    else $error("a slot became free and all are");
  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(waiting_q) <= 32'(free_q) + 1)
    else $error("fewer slots are free than answered stores wait, but for the oldest");

endmodule
