// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_index against a table by key: each answer is the table's, so no entry is lost, doubled or in a
// wrong slot; any order of operations.

module index_fv #(
  parameter int unsigned Depth = 4,
  parameter int unsigned KeyBits = 2,
  localparam int unsigned SlotBits = $clog2(Depth)
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic                valid_i,
  input logic [1:0]          op_i,
  input logic [KeyBits-1:0]  key_i,
  input logic [SlotBits-1:0] slot_i
);

  localparam int unsigned Keys = 1 << KeyBits;

  logic                             req_valid, req_ready, rsp_valid, found, node_we;
  logic [SlotBits-1:0]              slot, node_slot;
  logic [SlotBits:0]                count, root;
  logic [3*(1+SlotBits)+KeyBits:0]  node;

  logic [Keys-1:0]                  there_q;   // by key
  logic [Keys-1:0][SlotBits-1:0]    slot_q;
  logic [Depth-1:0]                 used_q;    // by slot
  logic                             asked_q;
  logic [1:0]                       op_q;
  logic [KeyBits-1:0]               key_q;
  logic [SlotBits-1:0]              new_q;
  logic [SlotBits:0]                held;

  // A key comes with a slot that is no node's; a full index gets no insert.
  assign req_valid = valid_i && !(op_i == 2'd1 && used_q[slot_i]);

  ds_index #(.Depth(Depth), .KeyBits(KeyBits)) u_index (
    .clk_i, .rst_ni, .clear_i(1'b0), .req_valid_i(req_valid), .req_ready_o(req_ready),
    .op_i, .key_i, .slot_i, .rsp_valid_o(rsp_valid), .found_o(found), .slot_o(slot),
    .count_o(count), .root_o(root), .node_we_o(node_we), .node_slot_o(node_slot), .node_o(node));

  // What the answer does to the table; a request may come in the same cycle, so it is seen first.
  logic [Keys-1:0]               there_now;
  logic [Keys-1:0][SlotBits-1:0] slot_now;
  logic [Depth-1:0]              used_now;
  always_comb begin
    there_now = there_q;
    slot_now  = slot_q;
    used_now  = used_q;
    if (req_valid && req_ready && op_i == 2'd1 && !there_q[key_i]) begin
      there_now[key_i] = 1'b1;
      slot_now[key_i]  = slot_i;
      used_now[slot_i] = 1'b1;
    end
    if (req_valid && req_ready && op_i == 2'd2 && there_q[key_i]) begin
      there_now[key_i]        = 1'b0;
      used_now[slot_q[key_i]] = 1'b0;
    end
    held = '0;
    for (int unsigned k = 0; k < Keys; k++) held = held + (SlotBits + 1)'(there_q[k]);
  end

  logic                was_q;      // the key was there when asked for
  logic [SlotBits-1:0] was_slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
      slot_q  <= '0;
      used_q  <= '0;
      asked_q <= 1'b0;
      was_q   <= 1'b0;
    end else begin
      there_q <= there_now;
      slot_q  <= slot_now;
      used_q  <= used_now;
      if (req_valid && req_ready) begin
        asked_q <= 1'b1;
        was_q   <= there_q[key_i];
      end else if (rsp_valid) begin
        asked_q <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (req_valid && req_ready) begin
      op_q       <= op_i;
      key_q      <= key_i;
      new_q      <= slot_i;
      was_slot_q <= slot_q[key_i];
    end
  end

  Found_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid |-> asked_q && found == was_q);
  Slot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid && was_q) |-> slot == was_slot_q);
  Number_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid |-> count == held);

endmodule
