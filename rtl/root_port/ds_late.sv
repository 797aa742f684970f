// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Late lines of the DS engine: those deferred that are not in the index yet. They stand in
// registers with their slots, so that they are found here without it.
//
//   0 lowest | .. | top      what becomes late comes on top; the lowest one goes into the index and
//                            the others move down; what is flushed is the top one
//
// low_line_o, low_slot_o and the levels are from registers; a lookup is combinational.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_late
  import cxl_pkg::*;
#(
  parameter  int unsigned Inserts   = 16,  // late lines from which on no more stores begin; 1 or
                                           // more
  parameter  int unsigned StackBits = 8,   // log2 of the slots; 2..12
  localparam int unsigned Lines     = Inserts + 2  // what has begun by then: a fast store and a
                                                   // completion more
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 push_i,       // pulse: line_i, which is not late, becomes late, at
                                             // most Lines
  input  line_addr_t           line_i,       // with push_i: address[51:6]
  input  logic [StackBits-1:0] slot_i,       // with push_i: its slot
  input  logic                 inserted_i,   // pulse, only with late_o: the lowest is late no longer
  input  logic                 drop_i,       // pulse, only with late_o: the top one is late no
                                             // longer; never with push_i or inserted_i
  output logic                 late_o,       // level: a line is late
  output logic                 room_o,       // level: fewer than Inserts are late
  output logic                 few_o,        // level: at most Inserts are late
  output line_addr_t           low_line_o,   // with late_o: the lowest, address[51:6]
  output logic [StackBits-1:0] low_slot_o,   // with late_o: its slot
  input  line_addr_t           look_line_i,  // line to look up, address[51:6]
  output logic                 hit_o,        // comb: it is late
  output logic [StackBits-1:0] hit_slot_o    // comb: its slot, 0 without hit_o
);

  if (Inserts < 1) begin : g_check_inserts
    $error("ds_late: Inserts of 1 or more is %0d", Inserts);
  end

  typedef logic [StackBits-1:0] slot_t;

  logic [Lines-1:0] valid_q, push_at, hit;
  line_addr_t       line_q [Lines];
  slot_t            slot_q [Lines];

  assign late_o     = valid_q[0];
  assign room_o     = !valid_q[Inserts-1];
  assign few_o      = !valid_q[Inserts];
  assign low_line_o = line_q[0];
  assign low_slot_o = slot_q[0];

  always_comb begin
    hit_slot_o = '0;
    for (int unsigned i = 0; i < Lines; i++) begin
      hit[i] = valid_q[i] && line_q[i] == look_line_i;
      if (hit[i]) hit_slot_o = hit_slot_o | slot_q[i];
    end
  end
  assign hit_o = |hit;

  // The first place without a line, once the others have moved down
  assign push_at = inserted_i ? valid_q & ~(valid_q >> 1)
                              : ~valid_q & {valid_q[Lines-2:0], 1'b1};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (push_i != (inserted_i || drop_i)) begin
      valid_q <= push_i ? {valid_q[Lines-2:0], 1'b1} : valid_q >> 1;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 1; i < Lines; i++) begin
      if (inserted_i) begin
        line_q[i-1] <= line_q[i];
        slot_q[i-1] <= slot_q[i];
      end
    end
    for (int unsigned i = 0; i < Lines; i++) begin
      if (push_i && push_at[i]) begin
        line_q[i] <= line_i;
        slot_q[i] <= slot_i;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      push_i |-> !valid_q[Lines-1] || inserted_i)
    else $error("more lines late than there are places");
  Leaves_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (inserted_i || drop_i) |-> late_o)
    else $error("a late line was inserted or flushed and there is none");
  OneChange_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      drop_i |-> !push_i && !inserted_i)
    else $error("the top late line left while one came or another left");
  Packed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (valid_q & ~{valid_q[Lines-2:0], 1'b1}) == '0)
    else $error("a gap between late lines");
  Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(hit))
    else $error("a line is late twice");

endmodule
