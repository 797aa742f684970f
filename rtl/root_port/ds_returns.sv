// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What comes back to the DS engine, from the memory queue and from local memory, and where it goes:
//
//   memory queue   write                    completion FIFO, for the sequencer
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
  parameter  int unsigned Writes    = 8,
  parameter  int unsigned Merges    = 2,
  parameter  int unsigned Reads     = 8,
  parameter  int unsigned StackBits = 8,
  localparam int unsigned WriteBits = (Writes > 1) ? $clog2(Writes) : 1,
  localparam int unsigned MergeBits = (Merges > 1) ? $clog2(Merges) : 1,
  localparam int unsigned ReadBits  = (Reads > 1) ? $clog2(Reads) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 enable_i,  // 0: from the memory queue to the host bridge, as it is
  // From the memory queue and from local memory
  input  logic                 mq_rsp_valid_i,
  output logic                 mq_rsp_ready_o,
  input  sys_rsp_t             mq_rsp_i,
  input  logic                 lm_rsp_valid_i,
  output logic                 lm_rsp_ready_o,
  input  lm_rsp_t              lm_rsp_i,
  // To the host bridge
  output logic                 rsp_valid_o,
  input  logic                 rsp_ready_i,
  output sys_rsp_t             rsp_o,
  // Endpoint writes that are done
  output logic                 done_valid_o,
  output logic [WriteBits-1:0] done_index_o,
  output logic                 done_error_o,
  input  logic                 done_pop_i,
  // Data of a flush; index and error are in lm_rsp_i
  output logic                 flush_push_o,
  // A store is in local memory, or refused
  output logic                 store_room_o,
  input  logic                 stored_i,
  input  logic                 refused_i,
  input  sys_id_t              store_id_i,
  // A head load's read of local memory
  output logic                 read_room_o,
  output logic [ReadBits-1:0]  read_index_o,
  input  logic                 read_offer_i,
  input  logic                 read_add_i,
  // The head load, and its merge
  input  sys_id_t              head_id_i,
  input  line_addr_t           head_line_i,
  output logic                 merge_room_o,
  input  logic                 merge_add_i,
  input  logic [StackBits-1:0] merge_slot_i,
  input  byte_en_t             merge_mask_i,
  // Merges that wait for their slot
  output logic                 arrived_o,
  output logic [MergeBits-1:0] arrived_index_o,
  output logic [StackBits-1:0] arrived_slot_o,
  input  logic                 merge_sent_i,
  input  logic [MergeBits-1:0] merge_index_i,
  // Is a merge of this line without its part from the slot?
  input  line_addr_t           line_i,
  output logic                 line_busy_o
);

  logic     mq_load, mq_done, lm_answer, lm_load, lm_merge;
  logic     match, mq_take, local_take, ready, ready_take, ready_error, rsp_valid, done_room;
  sys_id_t  ready_id;
  line_t    ready_data;
  sys_rsp_t rsp;
  logic [$clog2(Writes+1)-1:0] unused_done_count;

  assign mq_load      = enable_i && mq_rsp_valid_i && !mq_rsp_i.is_write;
  assign mq_done      = enable_i && mq_rsp_valid_i && mq_rsp_i.is_write;
  assign lm_answer    = enable_i && lm_rsp_valid_i;
  assign lm_load      = lm_answer && lm_rsp_i.kind == LmLoad;
  assign lm_merge     = lm_answer && lm_rsp_i.kind == LmMerge;
  assign flush_push_o = lm_answer && lm_rsp_i.kind == LmFlush;

  assign lm_rsp_ready_o = lm_rsp_i.kind != LmLoad || local_take;
  always_comb begin
    if (enable_i) begin
      mq_rsp_ready_o = mq_rsp_i.is_write || match || mq_take;
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
    .in_valid_i (mq_done),
    .in_ready_o (done_room),
    .in_data_i  ({mq_rsp_i.id[WriteBits-1:0], mq_rsp_i.error}),
    .out_valid_o(done_valid_o),
    .out_ready_i(done_pop_i),
    .out_data_o ({done_index_o, done_error_o}),
    .count_o    (unused_done_count)
  );

  ds_merges #(
    .Merges  (Merges),
    .StackBits(StackBits)
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
    .done_empty_o (store_room_o),
    .done_set_i   (stored_i || refused_i),
    .done_id_i    (store_id_i),
    .done_error_i (refused_i),
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
  DoneRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) mq_done |-> done_room);
  DoneIndex_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      mq_done |-> mq_rsp_i.id >= OwnIds && 32'(mq_rsp_i.id[3:0]) < Writes);
  LocalIndex_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      lm_answer |-> (lm_load && 32'(lm_rsp_i.index) < Reads) ||
                    (lm_merge && 32'(lm_rsp_i.index) < Merges) ||
                    (flush_push_o && 32'(lm_rsp_i.index) < Writes));
  // Only what goes to the host bridge waits, and that in one stream.
  NotStalled_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (mq_done || flush_push_o || lm_merge) |->
      (!mq_done || mq_rsp_ready_o) && (!(flush_push_o || lm_merge) || lm_rsp_ready_o));
  Off_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !enable_i |-> rsp_valid_o == mq_rsp_valid_i && mq_rsp_ready_o == rsp_ready_i);
  RspStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && rsp_valid_o && !rsp_ready_i) |=>
      !enable_i || (rsp_valid_o && $stable(rsp_o)));

endmodule
