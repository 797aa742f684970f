// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What comes back to the DS engine, from the memory queue and from local memory, and where it goes:
//
//   memory queue   write                    over at once, or completion FIFO, for the sequencer
//                  load with a merge entry  merge table
//                  other load               host bridge
//   local memory   flush                    to ds_issue
//                  merge                    merge table
//                  load                     host bridge
//
// The first, second, fourth and fifth always find room, as each has an entry of its own.
//
// Source: docs/blocks/root_port/ds_engine.md.

module ds_returns
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Writes    = 8,  // most writes to the endpoint in flight; 1..64
  parameter  int unsigned Merges    = 2,  // most merges in flight; 1..16
  parameter  int unsigned Reads     = 8,  // most reads for loads from local memory in flight; 1..16
  parameter  int unsigned SlotWidth = 8,  // log2 of the slots; 2..12
  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1,
  localparam int unsigned MergeBits = (Merges > 1) ? $clog2(Merges) : 1,
  localparam int unsigned ReadBits  = (Reads > 1) ? $clog2(Reads) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,         // 0: from the memory queue to the host bridge, as
                                                 // it is; changes only with nothing in flight
  // From the memory queue and from local memory
  input  logic                 mq_rsp_valid_i,   // a response of the memory queue; stays until
                                                 // taken
  output logic                 mq_rsp_ready_o,   // on, low only for a load that goes to the host
                                                 // bridge, and with ans_hold_i; off, rsp_ready_i
  input  sys_rsp_t             mq_rsp_i,         // of a write: id FFC0h + its index; stays until
                                                 // taken
  input  logic                 lm_rsp_valid_i,   // an answer of local memory; stays until taken
  output logic                 lm_rsp_ready_o,   // low only for LmLoad, while other responses have
                                                 // their turn or the host bridge stalls
  input  lm_rsp_t              lm_rsp_i,         // kind and index of the read; index is below
                                                 // Reads, Merges or Writes; stays until taken
  // To the host bridge
  output logic                 rsp_valid_o,      // a response for the host bridge; stays until
                                                 // taken
  input  logic                 rsp_ready_i,      // low to stall
  output sys_rsp_t             rsp_o,            // with the id of the request; stays until taken
  // Endpoint writes that are done
  output logic                 ans_valid_o,      // level: mq_rsp_i answers a write; it is taken but
                                                 // for ans_hold_i
  output logic [WriteBits-1:0] ans_index_o,      // with it: its index, 0..Writes-1
  output logic                 ans_error_o,      // with it: it was answered with an error
  input  logic                 ans_hold_i,       // comb from these: it is not taken yet
  input  logic                 ans_over_i,       // comb from these, without ans_hold_i: the write
                                                 // is over, and its answer need not wait
  output logic                 done_valid_o,     // such an answer waits; stays until done_pop_i
  output logic [WriteBits-1:0] done_index_o,     // its index, 0..Writes-1
  output logic                 done_error_o,     // it was answered with an error
  input  logic                 done_pop_i,       // pulse, only with done_valid_o: that answer
                                                 // leaves
  // Data of a flush
  output logic                 flush_push_o,     // pulse: lm_rsp_i has the data of a write to the
                                                 // endpoint; must be taken in this cycle
  // Stores
  input  logic                 store_valid_i,    // level: the oldest store without an answer waits
                                                 // and may have it
  output logic                 store_take_o,     // pulse, only with store_valid_i: it is answered
  input  sys_id_t              store_id_i,       // its id; with store_leaves_i as well
  input  logic                 store_leaves_i,   // pulse, never with late_o: that store leaves
  input  logic                 refused_i,        // with store_leaves_i, without store_valid_i: it
                                                 // is lost, and answered with an error
  output logic                 late_o,           // level: a store has left and is not answered
  // A head load's read of local memory
  output logic                 read_room_o,      // level: one more load can read local memory
  output logic [ReadBits-1:0]  read_index_o,     // index for that read; stays while read_offer_i
                                                 // waits
  input  logic                 read_offer_i,     // level, only with read_room_o: a read with this
                                                 // index is offered to local memory until
                                                 // read_add_i
  input  logic                 read_add_i,       // pulse, only with read_offer_i: it is taken; the
                                                 // head load is answered with its data
  // The head load, and its merge
  input  sys_id_t              head_id_i,        // id of the head load, with read_add_i and
                                                 // merge_add_i
  input  line_addr_t           head_line_i,      // its line, address[51:6], with merge_add_i
  output logic                 merge_room_o,     // level: one more merge can begin
  input  logic                 merge_add_i,      // pulse, only with merge_room_o: the head load
                                                 // becomes a merge and has to go to the memory
                                                 // queue
  input  logic [SlotWidth-1:0] merge_slot_i,     // slot of its line, with merge_add_i
  input  byte_en_t             merge_mask_i,     // bytes to take from the slot, with merge_add_i
  // Merges that wait for their slot
  output logic                 arrived_o,        // level: a merge has the endpoint's data and is to
                                                 // read its slot
  output logic [MergeBits-1:0] arrived_index_o,  // index of the lowest such merge; another one may
                                                 // take its place meanwhile
  output logic [SlotWidth-1:0] arrived_slot_o,   // its slot
  input  logic                 merge_sent_i,     // pulse: local memory takes the read of
                                                 // merge_index_i, a merge that had arrived
  input  logic [MergeBits-1:0] merge_index_i,    // index of that merge, with merge_sent_i
  // Lookup by line
  input  line_addr_t           line_i,           // line to look up, address[51:6]
  output logic                 line_busy_o       // comb from line_i: a merge of it has not read its
                                                 // slot
);

  logic     mq_load, mq_done, lm_answer, lm_load, lm_merge;
  logic     match, mq_take, local_take, ready, ready_take, ready_error, rsp_valid, done_room;
  sys_id_t  ready_id;
  line_t    ready_data;
  sys_rsp_t rsp;
  logic [$clog2(Writes+1)-1:0] unused_done_count;

  assign mq_load      = enable_i && mq_rsp_valid_i && !mq_rsp_i.is_write;
  assign ans_valid_o  = enable_i && mq_rsp_valid_i && mq_rsp_i.is_write;
  assign ans_index_o  = mq_rsp_i.id[WriteBits-1:0];
  assign ans_error_o  = mq_rsp_i.error;
  assign mq_done      = ans_valid_o && !ans_hold_i;
  assign lm_answer    = enable_i && lm_rsp_valid_i;
  assign lm_load      = lm_answer && lm_rsp_i.kind == LmLoad;
  assign lm_merge     = lm_answer && lm_rsp_i.kind == LmMerge;
  assign flush_push_o = lm_answer && lm_rsp_i.kind == LmFlush;

  assign lm_rsp_ready_o = lm_rsp_i.kind != LmLoad || local_take;
  always_comb begin
    if (enable_i) begin
      mq_rsp_ready_o = mq_rsp_i.is_write ? !ans_hold_i : match || mq_take;
      rsp_valid_o    = rsp_valid;
      rsp_o          = rsp;
    end else begin
      mq_rsp_ready_o = rsp_ready_i;
      rsp_valid_o    = mq_rsp_valid_i;
      rsp_o          = mq_rsp_i;
    end
  end

  fifo #(
    .Width(WriteBits + 1),
    .Depth(Writes)
  ) u_done (
    .clk_i,
    .rst_ni,
    .in_valid_i (mq_done && !ans_over_i),
    .in_ready_o (done_room),
    .in_data_i  ({mq_rsp_i.id[WriteBits-1:0], mq_rsp_i.error}),
    .out_valid_o(done_valid_o),
    .out_ready_i(done_pop_i),
    .out_data_o ({done_index_o, done_error_o}),
    .count_o    (unused_done_count)
  );

  ds_merges #(
    .Merges  (Merges),
    .SlotWidth(SlotWidth)
  ) u_merges (
    .clk_i,
    .rst_ni,
    .room_o         (merge_room_o),
    .add_i          (merge_add_i),
    .add_id_i       (head_id_i),
    .add_line_i     (head_line_i),
    .add_slot_i     (merge_slot_i),
    .add_mask_i     (merge_mask_i),
    .line_i,
    .busy_o         (line_busy_o),
    .rsp_id_i       (mq_rsp_i.id),
    .rsp_match_o    (match),
    .rsp_take_i     (mq_load && match),
    .rsp_error_i    (mq_rsp_i.error),
    .rsp_data_i     (mq_rsp_i.data),
    .arrived_o,
    .arrived_index_o,
    .arrived_slot_o,
    .sent_i         (merge_sent_i),
    .sent_index_i   (merge_index_i),
    .slot_take_i    (lm_merge),
    .slot_index_i   (lm_rsp_i.index[MergeBits-1:0]),
    .slot_error_i   (lm_rsp_i.error),
    .slot_data_i    (lm_rsp_i.data),
    .ready_o        (ready),
    .ready_id_o     (ready_id),
    .ready_error_o  (ready_error),
    .ready_data_o   (ready_data),
    .ready_take_i   (ready_take)
  );

  ds_answers #(
    .Reads(Reads)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .store_valid_i,
    .store_take_o,
    .store_id_i,
    .leaves_i     (store_leaves_i),
    .refused_i,
    .late_o,
    .read_room_o,
    .read_index_o,
    .read_offer_i,
    .read_add_i,
    .read_id_i    (head_id_i),
    .merge_valid_i(ready),
    .merge_take_o (ready_take),
    .merge_id_i   (ready_id),
    .merge_error_i(ready_error),
    .merge_data_i (ready_data),
    .local_valid_i(lm_load),
    .local_take_o (local_take),
    .local_index_i(lm_rsp_i.index[ReadBits-1:0]),
    .local_error_i(lm_rsp_i.error),
    .local_data_i (lm_rsp_i.data),
    .mq_valid_i   (mq_load && !match),
    .mq_take_o    (mq_take),
    .mq_id_i      (mq_rsp_i.id),
    .mq_error_i   (mq_rsp_i.error),
    .mq_data_i    (mq_rsp_i.data),
    .rsp_valid_o  (rsp_valid),
    .rsp_ready_i,
    .rsp_o        (rsp)
  );

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  DoneRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) mq_done |-> done_room)
    else $error("more answers of writes than writes can be in flight");
  DoneIndex_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      mq_done |-> mq_rsp_i.id >= OwnIds && 32'(mq_rsp_i.id[5:0]) < Writes)
    else $error("the answer of a write under an id that no write can have");
  LocalIndex_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      lm_answer |-> (lm_load && 32'(lm_rsp_i.index) < Reads) ||
                    (lm_merge && 32'(lm_rsp_i.index) < Merges) ||
                    (flush_push_o && 32'(lm_rsp_i.index) < Writes))
    else $error("an answer of local memory with a kind or index that no read can have");
  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ans_valid_o && ans_hold_i) |-> !ans_over_i && !mq_rsp_ready_o)
    else $error("the answer of a write was taken that is to wait outside");
  NotStalled_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (mq_done || flush_push_o || lm_merge) |->
      (!mq_done || mq_rsp_ready_o) && (!(flush_push_o || lm_merge) || lm_rsp_ready_o))
    else $error("an answer was stalled that does not go to the host bridge");
  Off_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !enable_i |-> rsp_valid_o == mq_rsp_valid_i && mq_rsp_ready_o == rsp_ready_i)
    else $error("switched off, responses are not wired through");
  RspStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && rsp_valid_o && !rsp_ready_i) |=>
      !enable_i || (rsp_valid_o && $stable(rsp_o)))
    else $error("a response changed or went away before it was taken");

endmodule
