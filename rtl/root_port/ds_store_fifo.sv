// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Store FIFO of the DS engine: stores in the order of their arrival, and a comparison of a line
// with all of theirs, so that a load does not pass an older store to its line.
//
// They are answered in the same order, while they wait or as they leave: one that leaves without
// takes its turn to be answered along.
//
// Latency: a store is visible at the head, as the next to be answered and to the comparison the
// cycle after it was pushed; room is known from state only. The head stays until pop_i, the end of
// its operation.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_store_fifo
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth   = 8,  // stores that can wait; 1 or more
  localparam int unsigned CntBits = $clog2(Depth + 1)
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // Tail
  input  logic       push_i,       // pulse, only with room_o: req_i is a store to keep
  output logic       room_o,       // level: a place is free; one that leaves in this cycle does not
                                   // count
  input  sys_req_t   req_i,        // is_write 1, no poison; with push_i
  // Head
  output logic       valid_o,      // level: a store waits; the oldest stays until pop_i
  output logic       answered_o,   // level: it is answered
  output line_addr_t line_o,       // its line, address[51:6]
  output byte_en_t   be_o,         // its byte enables
  output line_t      data_o,       // its data
  input  logic       pop_i,        // pulse, only with valid_o: it leaves
  // Answers
  output logic       open_o,       // level: a store waits that is not answered
  output sys_id_t    open_id_o,    // id of the oldest such store; without answered_o it is the head
  input  logic       answer_i,     // pulse, only with open_o: it is answered
  // Lookup by line
  input  line_addr_t look_line_i,  // line to look up, address[51:6]
  output logic       look_hit_o    // comb from look_line_i: a store to it waits
);

  if (Depth < 1) begin : g_check_depth
    $error("ds_store_fifo: Depth must be at least 1");
  end

  localparam int unsigned PtrBits = (Depth > 1) ? $clog2(Depth) : 1;
  typedef logic [PtrBits-1:0] ptr_t;
  typedef logic [CntBits-1:0] cnt_t;

  function automatic ptr_t next_slot(ptr_t slot);
    return (slot == ptr_t'(Depth - 1)) ? '0 : slot + ptr_t'(1);
  endfunction

  ptr_t head_q, tail_q, next_q;  // next_q: the oldest store that is not answered
  cnt_t count_q, open_q;         // open_q: those that are not answered
  logic turn;                    // next_q's is answered or leaves

  // Keys, seen in parallel
  logic [Depth-1:0] valid_q;
  line_addr_t       line_q [Depth];
  // The rest, one entry at a time
  sys_id_t  id_q [Depth];
  byte_en_t be_q [Depth];
  line_t    data_q [Depth];

  assign room_o     = count_q < cnt_t'(Depth);
  assign valid_o    = count_q != '0;
  assign answered_o = count_q != open_q;
  assign line_o     = line_q[head_q];
  assign be_o       = be_q[head_q];
  assign data_o     = data_q[head_q];
  assign open_o     = open_q != '0;
  assign open_id_o  = id_q[next_q];
  assign turn       = answer_i || (pop_i && !answered_o);

  always_comb begin
    look_hit_o = 1'b0;
    for (int unsigned i = 0; i < Depth; i++) begin
      if (valid_q[i] && line_q[i] == look_line_i) look_hit_o = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      next_q  <= '0;
      count_q <= '0;
      open_q  <= '0;
      valid_q <= '0;
    end else begin
      if (push_i) begin
        tail_q          <= next_slot(tail_q);
        valid_q[tail_q] <= 1'b1;
      end
      if (pop_i) begin
        head_q          <= next_slot(head_q);
        valid_q[head_q] <= 1'b0;
      end
      if (turn)            next_q  <= next_slot(next_q);
      if (push_i != pop_i) count_q <= push_i ? count_q + cnt_t'(1) : count_q - cnt_t'(1);
      if (push_i != turn)  open_q  <= push_i ? open_q + cnt_t'(1) : open_q - cnt_t'(1);
    end
  end

  // Payload: no reset, it counts only while its entry is valid.
  always_ff @(posedge clk_i) begin
    if (push_i) begin
      line_q[tail_q] <= req_i.line;
      id_q[tail_q]   <= req_i.id;
      be_q[tail_q]   <= req_i.be;
      data_q[tail_q] <= req_i.data;
    end
  end

  logic unused_poison;  // a host's store has none
  assign unused_poison = req_i.poison;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Room_A: assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> room_o)
    else $error("a store was pushed without room");
  Store_A: assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> req_i.is_write)
    else $error("a load was pushed");
  Taken_A: assert property (@(posedge clk_i) disable iff (!rst_ni) pop_i |-> valid_o)
    else $error("a store was popped from an empty FIFO");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= cnt_t'(Depth))
    else $error("more stores than places");
  CountsValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(count_q) == 32'($countones(valid_q)))
    else $error("the count of stores is not that of the valid places");
  HeadValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_q[head_q] == valid_o)
    else $error("the oldest place is valid without a store, or not valid with one");
  HeadStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (valid_o && !pop_i) |=> valid_o && $stable(line_o) && $stable(be_o))
    else $error("the oldest store changed or went away before it was popped");
  Answer_A: assert property (@(posedge clk_i) disable iff (!rst_ni) answer_i |-> open_o)
    else $error("a store was answered and all that wait are");
  Open_A: assert property (@(posedge clk_i) disable iff (!rst_ni) open_q <= count_q)
    else $error("more stores are not answered than wait");
  // In the order of their entry: those answered are the oldest.
  logic [CntBits:0] past_head;
  assign past_head = (CntBits + 1)'(head_q) + (CntBits + 1)'(count_q - open_q);
  InOrder_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(next_q) == (32'(past_head) < Depth ? 32'(past_head) : 32'(past_head) - Depth))
    else $error("a store was answered before an older one, or twice");
  AnsweredStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (answered_o && !pop_i) |=> answered_o)
    else $error("the oldest store was answered and is no longer");

endmodule
