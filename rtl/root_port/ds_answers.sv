// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Answers of the DS engine to the host bridge: late register, read table and the response register.
//
//   store             one that waits may be answered; or, first, the late register has the one that
//                     left without, or that was refused
//   merge             a load is complete in the merge table
//   local load        read data of local memory; the read table knows whose
//   mq load           from the memory queue
//
// The response register, empty or leaving, takes from one of the four in turn; *_take_o says from
// which. Latency: one cycle from the taking to rsp_valid_o.
//
// The read table's next entry is the lowest free one; once offered to local memory it stays.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_answers
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Reads     = 8,  // most reads for loads from local memory in flight; 1..16
  localparam int unsigned IndexBits = (Reads > 1) ? $clog2(Reads) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Stores
  input  logic                 store_valid_i,  // level: the oldest store without an answer waits
                                               // and may have it
  output logic                 store_take_o,   // pulse, only with store_valid_i: it is answered
  input  sys_id_t              store_id_i,     // its id; with leaves_i as well
  input  logic                 leaves_i,       // pulse, never with late_o: that store leaves
  input  logic                 refused_i,      // with leaves_i, without store_valid_i: it is lost,
                                               // and answered with an error
  output logic                 late_o,         // level: a store has left and is not answered
  // Read table
  output logic                 read_room_o,    // level: one more read can begin
  output logic [IndexBits-1:0] read_index_o,   // index for it; stays while read_offer_i waits
  input  logic                 read_offer_i,   // level, only with read_room_o: a read with this
                                               // index is offered to local memory until read_add_i
  input  logic                 read_add_i,     // pulse, only with read_offer_i: it is taken
  input  sys_id_t              read_id_i,      // id of its load, with read_add_i
  // Sources
  input  logic                 merge_valid_i,  // a merged load is to be answered; stays until taken
  output logic                 merge_take_o,   // pulse: it is taken
  input  sys_id_t              merge_id_i,     // its id
  input  logic                 merge_error_i,  // answered with an error
  input  line_t                merge_data_i,   // its line
  input  logic                 local_valid_i,  // data of a read that was taken; stays until taken
  output logic                 local_take_o,   // pulse: they are taken, the index is free
  input  logic [IndexBits-1:0] local_index_i,  // index of the read, 0..Reads-1
  input  logic                 local_error_i,  // they are corrupt; answered with an error
  input  line_t                local_data_i,   // the line read
  input  logic                 mq_valid_i,     // a load's response from the memory queue; stays
                                               // until taken
  output logic                 mq_take_o,      // pulse: it is taken
  input  sys_id_t              mq_id_i,        // its id
  input  logic                 mq_error_i,     // answered with an error
  input  line_t                mq_data_i,      // its line
  // Responses
  output logic                 rsp_valid_o,    // a response for the host bridge; stays until taken
  input  logic                 rsp_ready_i,    // low to stall
  output sys_rsp_t             rsp_o           // of a load or store; a store's has no data; stays
                                               // until taken
);

  if (Reads < 1 || Reads > 16) begin : g_check_reads
    $error("ds_answers: Reads must be 1..16");
  end

  typedef logic [IndexBits-1:0] index_t;
  localparam int unsigned Sources = 4;  // in the order of their turns

  // ---------------------------------------------------------------------------------------------
  // Late register and read table
  // ---------------------------------------------------------------------------------------------
  logic             late_q, late_error_q;
  sys_id_t          late_id_q;
  logic [Reads-1:0] reading_q;
  sys_id_t          read_id_q [Reads];
  logic             offered_q;
  index_t           offered_index_q, free_index;

  assign free_index = index_t'(first_one(64'(Reads'(~reading_q))));
  assign late_o       = late_q;
  assign read_room_o  = !(&reading_q);
  assign read_index_o = offered_q ? offered_index_q : free_index;

  // ---------------------------------------------------------------------------------------------
  // Turns
  // ---------------------------------------------------------------------------------------------
  logic [Sources-1:0] want, later, first, take, last_q;  // last_q: one-hot
  logic               free;
  logic               rsp_valid_q;
  sys_rsp_t           rsp_q;

  assign want = {mq_valid_i, local_valid_i, merge_valid_i, late_q || store_valid_i};
  assign free = !rsp_valid_q || rsp_ready_i;
  // Those after the last one go before those up to it.
  always_comb begin
    later = (last_q << 1) | (last_q << 2) | (last_q << 3);
    first = ((want & later) != '0) ? want & later : want;
    take  = '0;
    if (free) take = first & (~first + 4'd1);
  end
  assign store_take_o = take[0] && !late_q;
  assign merge_take_o = take[1];
  assign local_take_o = take[2];
  assign mq_take_o    = take[3];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      late_q      <= 1'b0;
      reading_q   <= '0;
      offered_q   <= 1'b0;
      rsp_valid_q <= 1'b0;
      last_q      <= 4'b1000;
    end else begin
      if (leaves_i)     late_q <= !take[0];
      else if (take[0]) late_q <= 1'b0;
      if (take[2])    reading_q[local_index_i] <= 1'b0;
      if (read_add_i) reading_q[read_index_o]  <= 1'b1;
      offered_q <= read_offer_i && !read_add_i;
      if (free)       rsp_valid_q <= take != '0;
      if (take != '0) last_q      <= take;
    end
  end

  always_ff @(posedge clk_i) begin
    if (leaves_i) begin
      late_id_q    <= store_id_i;
      late_error_q <= refused_i;
    end
    if (read_add_i)   read_id_q[read_index_o] <= read_id_i;
    if (read_offer_i) offered_index_q <= read_index_o;
    if (take != '0) begin
      rsp_q.is_write <= take[0];
      rsp_q.error    <= (take[0] && late_q && late_error_q) || (take[1] && merge_error_i) ||
                        (take[2] && local_error_i) || (take[3] && mq_error_i);
      unique case (1'b1)
        take[1]: begin
          rsp_q.id   <= merge_id_i;
          rsp_q.data <= merge_data_i;
        end
        take[2]: begin
          rsp_q.id   <= read_id_q[local_index_i];
          rsp_q.data <= local_data_i;
        end
        take[3]: begin
          rsp_q.id   <= mq_id_i;
          rsp_q.data <= mq_data_i;
        end
        default: rsp_q.id <= late_q ? late_id_q : store_id_i;  // a store's response has no data
      endcase
    end
  end

  assign rsp_valid_o = rsp_valid_q;
  assign rsp_o       = rsp_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  LateOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni) leaves_i |-> !late_q)
    else $error("a store left before the one before it was answered");
  Refused_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      refused_i |-> leaves_i && !store_valid_i)
    else $error("a store was refused that stays, or that has a slot left for it");
  // In their order: the late one, which is older, first.
  StoreTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      store_take_o |-> store_valid_i && !late_q)
    else $error("a store was answered that may not be, or before an older one");
  Store_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      take[0] |=> rsp_valid_o && rsp_o.is_write &&
                  rsp_o.error == ($past(late_q) && $past(late_error_q)) &&
                  rsp_o.id == ($past(late_q) ? $past(late_id_q) : $past(store_id_i)))
    else $error("the answer of a store is not a write's, has a wrong id or a wrong error");
  LeftAnswered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      leaves_i |=> late_q != $past(store_take_o))
    else $error("a store left and is answered twice or never");
  LoadError_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      take[3:1] != '0 |=> rsp_o.error == $past(take[1] && merge_error_i || take[2] && local_error_i
                                               || take[3] && mq_error_i))
    else $error("the answer of a load has another error than its source");
  ReadRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_offer_i |-> read_room_o && !reading_q[read_index_o])
    else $error("a read was offered without a free index");
  ReadOffered_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_add_i |-> read_offer_i)
    else $error("a read was taken that was not offered");
  ReadStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (read_offer_i && !read_add_i) |=> read_offer_i && $stable(read_index_o))
    else $error("a read's index changed or its offer went away before it was taken");
  LocalKnown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      local_valid_i |-> reading_q[local_index_i])
    else $error("data from local memory for a read that is not in flight");
  OneTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0(take) && (take & ~want) == '0)
    else $error("more than one source was taken, or one that had nothing");
  LastOneHot_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot(last_q))
    else $error("the last turn is of no source or of several");
  WorkTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (free && want != '0) |-> take != '0)
    else $error("the response register is free and no source that has something was taken");
  RspStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o && $stable(rsp_o))
    else $error("a response changed or went away before it was taken");

endmodule
