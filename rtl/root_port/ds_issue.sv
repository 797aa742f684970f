// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What the DS engine hands to the memory queue: the head of the SR queue when it passes, a store
// that goes straight to the endpoint, and a deferred one whose data has been read. What stands at
// the memory queue stays there until it is taken; else the direct store goes first, as all later
// stores wait for it, and the other two in turn.
//
// The memory queue takes one access of a line at a time. A head whose line it has (head_held_i) is
// not offered: it would keep the other two waiting until the older load has come back.
//
// A head passes when nothing of its line is here (may_pass_i), or when the sequencer has said so
// (pass), but not by may_pass_i during its operation: its line may leave in the cycle in which that
// is chosen, and what the operation finds would then be of another head. may_pass_i can fall while
// the head stands, as the filter forgets nothing but mixes lines: such a head has passed for good.
//
// All outputs are combinational.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_issue
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Writes    = 8,  // most writes to the endpoint in flight; 1..64
  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,            // 0: the head alone, as it is; changes only
                                                    // with nothing in flight
  // Head of the SR queue
  input  logic                 head_valid_i,        // a request is at the head, on only loads;
                                                    // stays until taken
  output logic                 head_ready_o,        // low until the memory queue takes it or
                                                    // head_local_i
  input  sys_req_t             head_req_i,          // stays until taken
  input  logic                 may_pass_i,          // level: nothing of its line is deferred or in
                                                    // flight; may fall at any time
  input  logic                 load_runs_i,         // level: an operation of the head, which stays
                                                    // until its end
  output logic                 passes_o,            // level: the head is for the memory queue; may
                                                    // fall until it is offered
  input  logic                 head_held_i,         // level: the memory queue has an entry of its
                                                    // line
  input  logic                 set_pass_i,          // pulse, for a head without passes_o: it is to
                                                    // pass
  input  logic                 head_local_i,        // pulse, for a head without passes_o: it
                                                    // leaves, local memory takes its read
  output logic                 stands_o,            // level: what was offered in the cycle before
                                                    // was not taken
  // Direct store
  input  logic                 direct_i,            // a store for the endpoint; stays until
                                                    // direct_taken_o
  output logic                 direct_taken_o,      // pulse: the memory queue takes it
  input  logic [WriteBits-1:0] direct_index_i,      // index of its write, 0..Writes-1; stays
  input  line_addr_t           direct_line_i,       // its line, address[51:6]; stays
  input  byte_en_t             direct_be_i,         // its byte enables; stay
  input  line_t                direct_data_i,       // its line's data; stay
  // Flush: data from local memory, the rest from the write table
  input  logic                 flush_push_i,        // pulse: data of a deferred line arrive, at
                                                    // most Writes of these before they are sent
  input  logic [WriteBits-1:0] flush_push_index_i,  // index of its write, 0..Writes-1
  input  line_t                flush_push_data_i,   // data of the line
  input  logic                 flush_push_error_i,  // the data are corrupt: they go out with poison
  output logic [WriteBits-1:0] flush_index_o,       // index of the oldest of these, to look up its
                                                    // line and bytes
  input  line_addr_t           flush_line_i,        // comb from flush_index_o: its line,
                                                    // address[51:6]
  input  byte_en_t             flush_be_i,          // comb from flush_index_o: bytes to send
  // Memory queue
  output logic                 mq_valid_o,          // a load or store for the memory queue; on,
                                                    // stays until taken
  input  logic                 mq_ready_i,          // low while it has no free entry or has the
                                                    // line
  output sys_req_t             mq_req_o             // the head as it is, or a write: id FFC0h + its
                                                    // index
);

  typedef enum logic [1:0] {None, Head, Direct, Flush} source_e;

  source_e source, stands_q;  // stands_q: offered before and not taken
  logic    pass_q, head_last_q;
  logic    head_taken, flush_taken;
  logic    flush_room, flush_valid, flush_error, head_wants;
  line_t   flush_data;
  logic [$clog2(Writes+1)-1:0] unused_flush_count;

  fifo #(
    .Width(WriteBits + 1 + LineBits),
    .Depth(Writes)
  ) u_flush (
    .clk_i,
    .rst_ni,
    .in_valid_i (flush_push_i),
    .in_ready_o (flush_room),
    .in_data_i  ({flush_push_index_i, flush_push_error_i, flush_push_data_i}),
    .out_valid_o(flush_valid),
    .out_ready_i(flush_taken),
    .out_data_o ({flush_index_o, flush_error, flush_data}),
    .count_o    (unused_flush_count)
  );

  assign passes_o   = head_valid_i && (pass_q || (may_pass_i && !load_runs_i) ||
                                         stands_q == Head);
  assign stands_o   = stands_q != None;
  assign head_wants = passes_o && !head_held_i;

  always_comb begin
    source = None;
    if (!enable_i)             source = head_valid_i ? Head : None;
    else if (stands_q != None) source = stands_q;
    else if (direct_i)   source = Direct;
    else if (head_wants && !(flush_valid && head_last_q)) source = Head;
    else if (flush_valid)    source = Flush;
  end

  assign mq_valid_o     = source != None;
  assign head_taken     = source == Head && mq_ready_i;
  assign direct_taken_o = source == Direct && mq_ready_i;
  assign flush_taken    = source == Flush && mq_ready_i;
  assign head_ready_o   = head_taken || head_local_i;

  always_comb begin
    unique case (source)
      Direct:  mq_req_o = '{poison: 1'b0, id: OwnIds | sys_id_t'(direct_index_i), is_write: 1'b1,
                            line: direct_line_i, be: direct_be_i, data: direct_data_i};
      Flush:   mq_req_o = '{poison: flush_error, id: OwnIds | sys_id_t'(flush_index_o),
                            is_write: 1'b1, line: flush_line_i, be: flush_be_i, data: flush_data};
      default: mq_req_o = head_req_i;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stands_q    <= None;
      pass_q      <= 1'b0;
      head_last_q <= 1'b0;
    end else if (enable_i) begin
      stands_q <= mq_ready_i ? None : source;
      if (head_taken || head_local_i) pass_q <= 1'b0;
      else if (set_pass_i)            pass_q <= 1'b1;
      if (head_taken)         head_last_q <= 1'b1;
      else if (flush_taken) head_last_q <= 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  FlushRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      flush_push_i |-> flush_room)
    else $error("data of more deferred lines than writes can be in flight");
  Stands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && mq_valid_o && !mq_ready_i) |=>
      !enable_i || (mq_valid_o && $stable(source) && $stable(mq_req_o)))
    else $error("a request for the memory queue changed or went away before it was taken");
  // A head that stands cannot be refused for its line: nobody else could have brought it there.
  StandsFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && stands_q == Head) |-> !head_held_i)
    else $error("the memory queue got the line of a head that was offered to it");
  Poison_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && mq_valid_o && mq_req_o.poison) |-> source == Flush && flush_error)
    else $error("poison on a request that is no flush of corrupt data");
  StandsValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      enable_i |-> !(stands_q == Head && !head_valid_i) &&
                   !(stands_q == Direct && !direct_i) &&
                   !(stands_q == Flush && !flush_valid))
    else $error("the source of a request that was offered went away before it was taken");
  HeadIsLoad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && head_valid_i) |-> !head_req_i.is_write)
    else $error("switched on, a store at the head of the SR queue");
  HeadOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(head_taken && head_local_i))
    else $error("the head was taken by the memory queue and by local memory at once");
  SetPass_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      set_pass_i |-> head_valid_i && !passes_o)
    else $error("no head, or one that passes already, was to pass");
  LocalNotPassing_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      head_local_i |-> head_valid_i && !passes_o)
    else $error("no head, or one that passes, was answered from local memory");
  HeadStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && load_runs_i) |-> head_valid_i && !head_taken)
    else $error("the head left during its operation");
  PassNeedsHead_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pass_q |-> head_valid_i)
    else $error("the head that was to pass went away without being taken");

endmodule
