// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_store_fifo and ds_promises with a user that keeps to what ds_engine does with them: stores come when there is
// room; the oldest one without an answer is answered when that may be; the oldest begins at any time, needs a slot or
// not, waits for one or is refused if none is free, and leaves at any time after; slots become free at any time.
//
//   Slot_A    a store that is answered and needs a slot finds one
//   Refused_A a store that is answered is not refused
//   Order_A   stores are answered in the order of their entry, each once, or leave without
//
// The other assertions say what the registers hold, so that all of them go from any cycle to the next.

module promises_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth     = 4096,
  parameter  int unsigned Stores    = 8,
  localparam int unsigned SlotWidth = $clog2(Depth)
) (
  input logic clk_i,
  input logic rst_ni,
  input logic push_i,
  input logic answer_i,
  input logic begin_i,    // the oldest store begins
  input logic needs_i,    // with it: its line has no slot
  input logic hopeless_i, // no slot will become free
  input logic leaves_i,
  input logic release_i
);

  typedef logic [SlotWidth:0] cnt_t;
  typedef logic [3:0]         few_t;

  logic     room, valid, answered, open, spare, push, answer, begins, refused, leaves, pop, release_one, hit;
  logic     busy_q, has_q;     // the oldest store has begun; it took a slot
  sys_req_t req;
  sys_id_t  open_id;
  line_addr_t line;
  byte_en_t be;
  line_t    data;
  cnt_t     free_q;
  sys_id_t  enters_q, turn_q;  // id of the next store that enters, of the next one to be answered or to leave without
  few_t     waiting, count, num_open;

  assign push        = push_i && room;
  assign answer      = answer_i && open && spare;
  assign begins      = begin_i && valid && !busy_q && (!needs_i || free_q != '0);
  assign refused     = begin_i && valid && !busy_q && needs_i && free_q == '0 && hopeless_i && !answered;
  assign leaves      = busy_q && leaves_i;
  assign pop         = leaves || refused;
  assign release_one = release_i && 32'(free_q) + 32'(has_q) < Depth;
  always_comb begin
    req          = '0;
    req.is_write = 1'b1;
    req.id       = enters_q;
  end

  ds_store_fifo #(.Depth(Stores)) u_fifo (
    .clk_i, .rst_ni, .push_i(push), .room_o(room), .req_i(req), .valid_o(valid), .answered_o(answered), .line_o(line),
    .be_o(be), .data_o(data), .pop_i(pop), .open_o(open), .open_id_o(open_id), .answer_i(answer),
    .look_line_i('0), .look_hit_o(hit));

  ds_promises #(.Depth(Depth)) u_promises (
    .clk_i, .rst_ni, .take_i(begins && needs_i), .release_i(release_one), .spare_o(spare),
    .answer_i(answer && !(pop && !answered)), .leaves_i(pop && answered));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      has_q    <= 1'b0;
      free_q   <= cnt_t'(Depth);
      enters_q <= '0;
      turn_q   <= '0;
    end else begin
      if (begins) busy_q <= 1'b1;
      else if (leaves) busy_q <= 1'b0;
      if (begins) has_q <= needs_i;
      else if (leaves) has_q <= 1'b0;
      free_q   <= free_q + cnt_t'(release_one) - cnt_t'(begins && needs_i);
      enters_q <= enters_q + sys_id_t'(push);
      turn_q   <= turn_q + sys_id_t'(answer || (pop && !answered));
    end
  end

  assign count    = few_t'(u_fifo.count_q);
  assign num_open = few_t'(u_fifo.open_q);
  assign waiting  = count - num_open;

  Slot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (begin_i && valid && !busy_q && needs_i && answered) |-> free_q != '0);
  Refused_A: assert property (@(posedge clk_i) disable iff (!rst_ni) refused |-> !answered && !spare);
  Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni) open |-> open_id == turn_q);

  // What the registers hold
  Busy_A: assert property (@(posedge clk_i) disable iff (!rst_ni) (!busy_q || valid) && (!has_q || busy_q));
  Free_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_q == u_promises.free_q && 32'(free_q) + 32'(has_q) <= Depth);
  Waiting_A: assert property (@(posedge clk_i) disable iff (!rst_ni) u_promises.waiting_q == cnt_t'(waiting));
  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(waiting) <= 32'(free_q) + 32'(has_q && answered));
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count <= few_t'(Stores) && num_open <= count && 32'(u_fifo.head_q) < Stores
      && turn_q == enters_q - sys_id_t'(num_open)
      && 32'(u_fifo.tail_q) == (32'(u_fifo.head_q) + 32'(count)) % Stores);
  for (genvar i = 0; i < Stores; i++) begin : g_entry
    logic [31:0] back;  // from the head
    assign back = (i + Stores - 32'(u_fifo.head_q)) % Stores;
    Entry_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_fifo.valid_q[i] == (back < 32'(count)));
    Id_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (back < 32'(count)) |-> u_fifo.id_q[i] == enters_q - sys_id_t'(count) + sys_id_t'(back));
  end

endmodule
