// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Late lines of the DS engine: those deferred that are not in the index yet. They stand in
// registers with their slots, so that they are found here without it, and go into the index beside
// the operations.
//
//   0 first | .. | last      what becomes late comes last; the first goes into the index and the
//                            others move down; what is flushed is the last, or the first
//
// The first line is offered to the index while no step of an operation asks that (asks_i), and
// stands until the answer. If the index has no place for it, it stays late and is offered again,
// unless it is flushed in the cycle of that answer: it is in no other.
//
// A flush asks the index to delete its line, which keeps insertions away and so stores, once
// Inserts are late. flush_o leaves the index to the insertions until half of that is left. One that
// has no place gets it by a flush alone.
//
// The late lines are the last of those deferred. So the first deferred line is late only if all
// are, and then it is the first of these: it has its slot.
//
// The levels and what is offered are from registers, but for asks_i; a lookup is combinational.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_late
  import cxl_pkg::*;
#(
  parameter  int unsigned Inserts   = 16,  // late lines from which on no more stores begin; 1 or
                                           // more
  parameter  int unsigned SlotWidth = 8,   // log2 of the slots; 2..12
  localparam int unsigned Lines     = Inserts + 2  // what has begun by then: a fast store and a
                                                   // completion more
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 push_i,          // pulse: line_i, which is not late, becomes late,
                                                // as the last; at most Lines are
  input  line_addr_t           line_i,          // with push_i: address[51:6]
  input  logic [SlotWidth-1:0] slot_i,          // with push_i: its slot
  input  logic                 drop_i,          // pulse: one is late no longer, the first with
                                                // flush_first_o, only with done_o and not
                                                // inserted_o, else the last; never with push_i
  output logic                 late_o,          // level: a line is late
  output logic                 room_o,          // level: fewer than Inserts are late
  output logic                 few_o,           // level: at most Inserts are late
  output logic                 flush_o,         // level: a flush may begin: at most half of Inserts
                                                // are late, or the index refused the last one
  // Lookup
  input  logic [SlotWidth-1:0] flush_slot_i,    // slot of a line that is to be flushed
  output logic                 flush_first_o,   // comb: that line is the first late one
  input  line_addr_t           look_line_i,     // line to look up, address[51:6]
  output logic                 hit_o,           // comb: it is late
  output logic [SlotWidth-1:0] hit_slot_o,      // comb: its slot, 0 without hit_o
  // Insertion
  input  logic                 asks_i,          // level: a step asks the index, or waits for that
  output logic                 stands_o,        // level: an insertion was offered before this cycle
                                                // and is not answered: a step offers nothing
  output logic                 done_o,          // pulse: it is answered
  output logic                 inserted_o,      // with done_o: the first line is late no longer
  output logic                 ix_valid_o,      // an insertion; stays until taken
  input  logic                 ix_ready_i,      // low while the index has an operation
  output line_addr_t           ix_key_o,        // with ix_valid_o: the first line, address[51:6]
  output logic [SlotWidth-1:0] ix_slot_o,       // with ix_valid_o: its slot
  input  logic                 ix_rsp_valid_i,  // pulse: the answer, from the cycle after it was
                                                // taken on
  input  logic                 ix_found_i       // with the answer: there is no place for it
);

  if (Inserts < 1) begin : g_check_inserts
    $error("ds_late: Inserts of 1 or more is %0d", Inserts);
  end

  typedef logic [SlotWidth-1:0] slot_t;

  logic [Lines-1:0] valid_q, valid_d, push_at, hit;
  line_addr_t       line_q [Lines];
  slot_t            slot_q [Lines];
  logic             stands_q, asked_q;  // asked_q: the index has it
  logic             refused_q;          // the last one answered
  logic             first_leaves, last_leaves;

  assign late_o = valid_q[0];
  assign room_o = !valid_q[Inserts-1];
  assign few_o  = !valid_q[Inserts];

  assign flush_o = !valid_q[Inserts/2] || refused_q;

  assign flush_first_o = valid_q[0] && slot_q[0] == flush_slot_i;

  always_comb begin
    hit_slot_o = '0;
    for (int unsigned i = 0; i < Lines; i++) begin
      hit[i] = valid_q[i] && line_q[i] == look_line_i;
      if (hit[i]) hit_slot_o = hit_slot_o | slot_q[i];
    end
  end
  assign hit_o = |hit;

  // ---------------------------------------------------------------------------------------------
  // Insertion
  // ---------------------------------------------------------------------------------------------
  assign stands_o   = stands_q;
  assign ix_valid_o = late_o && !asked_q && (stands_q || !asks_i);
  assign ix_key_o   = line_q[0];
  assign ix_slot_o  = slot_q[0];
  assign done_o     = asked_q && ix_rsp_valid_i;
  assign inserted_o = done_o && !ix_found_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stands_q  <= 1'b0;
      asked_q   <= 1'b0;
      refused_q <= 1'b0;
    end else begin
      stands_q  <= ix_valid_o || (asked_q && !ix_rsp_valid_i);
      asked_q   <= (ix_valid_o && ix_ready_i) || (asked_q && !ix_rsp_valid_i);
      refused_q <= done_o ? ix_found_i : refused_q;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Lines
  // ---------------------------------------------------------------------------------------------
  assign first_leaves = inserted_o || (drop_i && flush_first_o);
  assign last_leaves  = drop_i && !flush_first_o;

  // The first place without a line, once the others have moved down
  assign push_at = inserted_o ? valid_q & ~(valid_q >> 1)
                              : ~valid_q & {valid_q[Lines-2:0], 1'b1};

  always_comb begin
    valid_d = valid_q;
    if (first_leaves) valid_d = valid_d >> 1;
    if (last_leaves)  valid_d = valid_d >> 1;
    if (push_i)       valid_d = {valid_d[Lines-2:0], 1'b1};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 1; i < Lines; i++) begin
      if (first_leaves) begin
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
      push_i |-> !valid_q[Lines-1] || inserted_o)
    else $error("more lines late than there are places");
  Drop_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      drop_i |-> !push_i && (flush_first_o ? done_o && !inserted_o : valid_q[1]))
    else $error("a late line left while one came or there is none, or the first unless refused");
  Stands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      stands_q |-> late_o && (asked_q || ix_valid_o))
    else $error("an insertion stands and no line is late, or it is neither offered nor taken");
  Asked_A: assert property (@(posedge clk_i) disable iff (!rst_ni) asked_q |-> stands_q)
    else $error("the index has an insertion that does not stand");
  Offers_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (late_o && !asks_i) |-> stands_q || ix_valid_o)
    else $error("a line is late, no step asks the index, and it is not offered");
  IndexStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ix_valid_o && !ix_ready_i) |=> ix_valid_o && $stable(ix_key_o) && $stable(ix_slot_o))
    else $error("an insertion changed or went away before it was taken");
  RefusedFlush_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (done_o && ix_found_i) |=> flush_o)
    else $error("the index refused a line and no flush may begin that would make room");
  Packed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (valid_q & ~{valid_q[Lines-2:0], 1'b1}) == '0)
    else $error("a gap between late lines");
  Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(hit))
    else $error("a line is late twice");

endmodule
