// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Write table of the DS engine: the lines on their way to the endpoint. The data stays in its slot
// of local memory until the endpoint has it.
//
//   mask   bytes of the slot that are valid
//   smask  bytes that were sent
//   dirty  a store came after that: the line goes once more
//
// A direct store takes its place before the memory queue takes it: used, but not going yet, and
// found by no lookup by line.
//
// Lookups by the head load's line, by another line, and by entry, all combinational from state;
// what is added, marked or freed shows in the next cycle. The lowest free entry is the next one.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_writes
  import cxl_pkg::*;
  import cxlgpu_pkg::first_one;
#(
  parameter  int unsigned Writes    = 8,  // entries, most writes in flight; 1..64
  parameter  int unsigned SlotWidth = 8,  // log2 of the slots; 2..12
  localparam int unsigned IndexBits = (Writes > 1) ? $clog2(Writes) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // By line: the head load's
  input  line_addr_t           head_line_i,    // line to look up, address[51:6]
  output logic                 head_hit_o,     // comb: a write of it is in flight
  output logic                 head_full_o,    // with head_hit_o: every byte of the slot is valid
  output logic [SlotWidth-1:0] head_slot_o,    // its slot, 0 without head_hit_o
  // By line: the oldest store's
  input  line_addr_t           line_i,         // line to look up or mark, address[51:6]
  output logic                 hit_o,          // comb: a write of it is in flight
  output logic [SlotWidth-1:0] slot_o,         // its slot, 0 without hit_o
  input  logic                 mark_i,         // pulse, only with hit_o: a store changed the slot,
                                               // the line has to be sent once more
  input  byte_en_t             mark_be_i,      // bytes of that store, valid from now on
  // By entry: the flush that goes out
  input  logic [IndexBits-1:0] flush_index_i,  // index of a write in flight, 0..Writes-1
  output line_addr_t           flush_line_o,   // comb: its line
  output byte_en_t             flush_be_o,     // comb: bytes that were valid as it began
  // By entry: the write whose answer has just come
  input  logic [IndexBits-1:0] ans_index_i,    // index of a write in flight, 0..Writes-1
  output logic [SlotWidth-1:0] ans_slot_o,     // comb: its slot
  output logic                 ans_dirty_o,    // comb: the slot was changed after it began
  output logic                 ans_head_o,     // comb: it has head_line_i
  output logic                 ans_line_o,     // comb: it has line_i
  // By entry: the write whose answer has waited
  input  logic [IndexBits-1:0] done_index_i,   // index of a write in flight, 0..Writes-1
  output line_addr_t           done_line_o,    // comb: its line
  output logic [SlotWidth-1:0] done_slot_o,    // comb: its slot
  output byte_en_t             done_mask_o,    // comb: valid bytes of the slot
  output logic                 done_dirty_o,   // comb: the slot was changed after it began
  // End
  input  logic                 free_i,         // pulse: the write at free_index_i is over; never
                                               // with a mark of it
  input  logic [IndexBits-1:0] free_index_i,   // index of a write in flight, 0..Writes-1
  // Next entry
  input  logic [6:0]           max_writes_i,   // most writes, 0..127
  output logic                 room_o,         // level: one more can begin, by that as well
  output logic                 room_two_o,     // level: two more can
  output logic [IndexBits-1:0] add_index_o,    // index that it gets
  input  logic                 add_i,          // pulse, with room_o now or before: a write of
                                               // add_line_i begins, of which there is none; never
                                               // with mark_i
  input  logic                 add_going_i,    // with add_i: it is in flight; else from go_i on
  input  line_addr_t           add_line_i,     // its line, address[51:6]
  input  logic [SlotWidth-1:0] add_slot_i,     // its slot, that of no other write
  input  byte_en_t             add_mask_i,     // bytes that are valid and sent
  input  logic                 go_i,           // pulse: the write at go_index_i is in flight
  input  logic [IndexBits-1:0] go_index_i,     // index of a write added without add_going_i

  output logic [6:0]           used_o          // writes that have begun, 0..Writes
);

  if (Writes < 1 || Writes > 64) begin : g_check_writes
    $error("ds_writes: Writes of 1..64 is %0d", Writes);
  end

  typedef logic [IndexBits-1:0] index_t;
  typedef logic [SlotWidth-1:0] slot_t;

  logic [Writes-1:0] used_vec_q, valid_q, dirty_q;  // valid: in flight
  line_addr_t        line_q [Writes];
  slot_t             slot_q [Writes];
  byte_en_t          mask_q [Writes];
  byte_en_t          smask_q [Writes];
  logic [6:0]        used_q;

  logic [Writes-1:0] head_is, line_is;

  always_comb begin
    head_full_o = 1'b0;
    head_slot_o = '0;
    slot_o      = '0;
    for (int unsigned i = 0; i < Writes; i++) begin
      head_is[i] = valid_q[i] && line_q[i] == head_line_i;
      line_is[i] = valid_q[i] && line_q[i] == line_i;
      if (head_is[i]) begin
        head_full_o = &mask_q[i];
        head_slot_o = head_slot_o | slot_q[i];
      end
      if (line_is[i]) slot_o = slot_o | slot_q[i];
    end
  end
  assign head_hit_o = |head_is;
  assign hit_o      = |line_is;

  assign add_index_o = index_t'(first_one(64'(Writes'(~used_vec_q))));
  assign room_o      = 32'(used_q) < Writes && used_q < max_writes_i;
  assign room_two_o  = 32'(used_q) + 1 < Writes && {1'b0, used_q} + 8'd1 < {1'b0, max_writes_i};
  assign used_o      = used_q;

  assign flush_line_o = line_q[flush_index_i];
  assign flush_be_o   = smask_q[flush_index_i];
  assign ans_slot_o   = slot_q[ans_index_i];
  assign ans_dirty_o  = dirty_q[ans_index_i];
  assign ans_head_o   = head_is[ans_index_i];
  assign ans_line_o   = line_is[ans_index_i];
  assign done_line_o  = line_q[done_index_i];
  assign done_slot_o  = slot_q[done_index_i];
  assign done_mask_o  = mask_q[done_index_i];
  assign done_dirty_o = dirty_q[done_index_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_vec_q <= '0;
      valid_q    <= '0;
      used_q     <= '0;
    end else begin
      if (add_i) begin
        used_vec_q[add_index_o] <= 1'b1;
        valid_q[add_index_o]    <= add_going_i;
      end
      if (go_i) valid_q[go_index_i] <= 1'b1;
      if (free_i) begin
        used_vec_q[free_index_i] <= 1'b0;
        valid_q[free_index_i]    <= 1'b0;
      end
      if (add_i != free_i) used_q <= add_i ? used_q + 7'd1 : used_q - 7'd1;
    end
  end

  // Payload: no reset, it counts only while its entry is valid.
  always_ff @(posedge clk_i) begin
    if (add_i) begin
      line_q[add_index_o]  <= add_line_i;
      slot_q[add_index_o]  <= add_slot_i;
      mask_q[add_index_o]  <= add_mask_i;
      smask_q[add_index_o] <= add_mask_i;
      dirty_q[add_index_o] <= 1'b0;
    end
    if (mark_i) begin
      for (int unsigned i = 0; i < Writes; i++) begin
        if (line_is[i]) begin
          mask_q[i]  <= mask_q[i] | mark_be_i;
          dirty_q[i] <= 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) add_i |-> !(&used_vec_q))
    else $error("a write was added without a free entry");
  AddMark_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(add_i && mark_i))
    else $error("a write was added and one marked in a cycle");
  FreeMark_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (free_i && mark_i) |-> !line_is[free_index_i])
    else $error("a write was freed in the cycle in which a store changed its line");
  Go_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      go_i |-> used_vec_q[go_index_i] && !valid_q[go_index_i])
    else $error("a write went that has no place or is in flight already");
  NewLine_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (add_i && add_line_i == line_i) |-> !hit_o)
    else $error("a write was added of a line that is in flight already");
  HeadOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(head_is))
    else $error("the head load's line is in flight more than once");
  LineOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(line_is))
    else $error("the operation's line is in flight more than once");
  MarkHit_A: assert property (@(posedge clk_i) disable iff (!rst_ni) mark_i |-> hit_o)
    else $error("a store was marked on a line that is not in flight");
  FreeUsed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_i |-> valid_q[free_index_i])
    else $error("a write was freed that is not in flight");
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(used_q) == 32'($countones(used_vec_q)) && (valid_q & ~used_vec_q) == '0)
    else $error("the count of writes in flight is wrong");
  logic doubled, sent_invalid;
  always_comb begin
    doubled      = 1'b0;
    sent_invalid = 1'b0;
    for (int unsigned i = 0; i < Writes; i++) begin
      if (used_vec_q[i] && (smask_q[i] & ~mask_q[i]) != '0) sent_invalid = 1'b1;
      for (int unsigned j = 0; j < i; j++) begin
        if (used_vec_q[i] && used_vec_q[j] &&
            (line_q[i] == line_q[j] || slot_q[i] == slot_q[j])) begin
          doubled = 1'b1;
        end
      end
    end
  end
  Distinct_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !doubled)
    else $error("two writes in flight have the same line or the same slot");
  SentIsValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !sent_invalid)
    else $error("bytes were sent that are not valid in the slot");

endmodule
