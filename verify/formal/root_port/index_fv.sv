// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_index, one operation from any state that is a tree, or (Start) from reset.
//
// A tree: the root is black and has no parent; from it every slot in use is reached once, each in the interval
// of keys that the way down leaves it, with the parent it hangs under; a red node has no red child; all ways
// down to nothing pass equally many black nodes; the count is that of the slots in use.
//
//   Tree_A    the operation leaves a tree: with Start, in which reset leaves one, any number of them does
//   Found_A   the answer says whether the key was there, and Slot_A in which slot
//   Holds_A   then any key is there, in its slot, if and only if it should: one watched key is any
//
// Where an operation begins, only root, count and memory count: what the other registers hold is any, too.

module index_fv #(
  parameter int unsigned Depth = 8,
  parameter int unsigned KeyBits = 4,
  parameter int unsigned Op = 3,       // this operation alone: 0 find, 1 insert, 2 delete; 3: any
  parameter bit          Start = 1'b0, // the state is that of reset; else jobs.yaml frees it
  localparam int unsigned SlotBits = $clog2(Depth),
  localparam int unsigned NodeBits = 1 + 3 * (1 + SlotBits) + KeyBits
) (
  input logic                clk_i,
  input logic                rst_ni,
  input logic [1:0]          op_i,
  input logic [KeyBits-1:0]  key_i,
  input logic [SlotBits-1:0] slot_i,
  input logic [KeyBits-1:0]  watch_i
);

  localparam int unsigned Levels = 2 * $clog2(Depth + 1);  // no way down is longer

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [KeyBits-1:0]  key_t;
  typedef struct packed {
    logic  none;
    slot_t slot;
  } link_t;
  typedef struct packed {
    logic  red;
    link_t [1:0] kid;  // [1] left
    link_t parent;
    key_t  key;
  } node_t;

  logic                req_valid, req_ready, rsp_valid, found, node_we;
  slot_t               slot, node_slot;
  logic [SlotBits:0]   count, root;
  logic [NodeBits-1:0] word;
  link_t               root_link;
  logic                begun_q, done;
  logic [1:0]          op, op_q;
  key_t                key, key_q, watch, watch_q;
  slot_t               new_slot, new_q;

  ds_index #(.Depth(Depth), .KeyBits(KeyBits)) u_index (
    .clk_i, .rst_ni, .clear_i(1'b0), .req_valid_i(req_valid), .req_ready_o(req_ready),
    .op_i(op), .key_i(key), .slot_i(new_slot), .rsp_valid_o(rsp_valid), .found_o(found), .slot_o(slot),
    .count_o(count), .root_o(root), .node_we_o(node_we), .node_slot_o(node_slot), .node_o(word));
  assign root_link = root;

  // ---------------------------------------------------------------------------------------------
  // One operation, in the first cycle
  // ---------------------------------------------------------------------------------------------
  assign req_valid = !begun_q;
  assign op        = !begun_q ? ((Op == 3) ? op_i : 2'(Op)) : op_q;
  assign key       = !begun_q ? key_i : key_q;
  assign watch     = !begun_q ? watch_i : watch_q;
  assign new_slot  = !begun_q ? slot_i : new_q;
  assign done      = begun_q && rsp_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else         begun_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    op_q    <= op;
    key_q   <= key;
    watch_q <= watch;
    new_q   <= new_slot;
  end

  // ---------------------------------------------------------------------------------------------
  // The tree, from the root down, level by level
  // ---------------------------------------------------------------------------------------------
  // A key as a place between two bounds, which are outside; 0 and Last are those of the root.
  typedef logic [KeyBits:0] place_t;
  localparam place_t Last = {1'b1, key_t'(1)};
  node_t  [Depth-1:0]                         node;
  place_t [Depth-1:0]                         place;
  logic   [Depth-1:0]                         is_root, hangs, left;  // under its parent, on its left
  logic   [Levels-1:0][Depth-1:0]             reached;               // within so many levels
  place_t [Levels-1:0][Depth-1:0]             above, below;
  logic   [Levels-1:0][Depth-1:0][SlotBits:0] blacks;                // down to here
  logic   [Depth-1:0]                         in_use, right;
  logic   [SlotBits:0]                        all_blacks, number;
  logic                                       tree;

  for (genvar s = 0; s < Depth; s++) begin : g_node
    link_t parent;
    slot_t up;
    assign node[s]    = u_index.u_nodes.mem_q[s];
    assign place[s]   = place_t'(node[s].key) + place_t'(1);
    assign parent     = node[s].parent;
    assign up         = parent.slot;
    assign is_root[s] = root_link == {1'b0, slot_t'(s)};
    assign left[s]    = node[up].kid[1] == {1'b0, slot_t'(s)};
    assign hangs[s]   = !is_root[s] && !parent.none && up != slot_t'(s)
                        && (left[s] != (node[up].kid[0] == {1'b0, slot_t'(s)}));
    assign reached[0][s] = is_root[s];
    assign above[0][s]   = '0;
    assign below[0][s]   = Last;
    assign blacks[0][s]  = 1;
    for (genvar l = 1; l < Levels; l++) begin : g_level
      assign reached[l][s] = is_root[s] || (hangs[s] && reached[l-1][up]);
      assign above[l][s]   = !hangs[s] ? '0 : left[s] ? above[l-1][up] : place[up];
      assign below[l][s]   = !hangs[s] ? Last : left[s] ? place[up] : below[l-1][up];
      assign blacks[l][s]  = hangs[s] ? blacks[l-1][up] + (SlotBits + 1)'(!node[s].red) : 1;
    end
    // What is right of a node in use
    logic [1:0] kid_right;
    for (genvar side = 0; side < 2; side++) begin : g_kid
      link_t kid;
      assign kid = node[s].kid[side];
      assign kid_right[side] = kid.none ? kid.slot == '0 && blacks[Levels-1][s] == all_blacks
          : hangs[kid.slot] && node[kid.slot].parent == {1'b0, slot_t'(s)}
            && !(node[s].red && node[kid.slot].red);
    end
    assign right[s] = place[s] > above[Levels-1][s] && place[s] < below[Levels-1][s]
                      && (is_root[s] ? !node[s].red && parent == {1'b1, slot_t'(0)} : reached[Levels-2][up])
                      && &kid_right
                      // What the block's own assertions remember of it
                      && u_index.red_q[s] == node[s].red && u_index.top_q[s] == parent.none;
  end
  assign in_use = reached[Levels-1];

  always_comb begin
    number     = '0;
    all_blacks = '0;
    for (int unsigned s = 0; s < Depth; s++) begin
      number = number + (SlotBits + 1)'(in_use[s]);
      // Those of the node of the least key: one of its sides is free
      if (in_use[s] && above[Levels-1][s] == '0 && node[s].kid[1].none) all_blacks = blacks[Levels-1][s];
    end
    tree = number == count && (&(right | ~in_use)) && (!root_link.none || root_link.slot == '0);
  end

  // Where a key is
  function automatic link_t at(key_t k);
    link_t place;
    place = '{none: 1'b1, slot: '0};
    for (int unsigned s = 0; s < Depth; s++) begin
      if (in_use[s] && node[s].key == k) place = '{none: 1'b0, slot: slot_t'(s)};
    end
    return place;
  endfunction

  link_t key_at, watch_at, key_was_q, watch_was_q, watch_then;
  assign key_at   = at(key);
  assign watch_at = at(watch);
  always_ff @(posedge clk_i) begin
    if (!begun_q) begin
      key_was_q   <= key_at;
      watch_was_q <= watch_at;
    end
  end
  always_comb begin
    watch_then = watch_was_q;
    if (key == watch && op == 2'd1 && watch_was_q.none) watch_then = '{none: 1'b0, slot: new_slot};
    if (key == watch && op == 2'd2) watch_then = '{none: 1'b1, slot: '0};
  end

  if (Start) begin : g_start
    Tree_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !begun_q |-> tree);
  end else begin : g_step
    // A key comes with a slot that is no node's.
    Tree_M: assume property (@(posedge clk_i) disable iff (!rst_ni) !begun_q |-> tree);
    Slot_M: assume property (@(posedge clk_i) disable iff (!rst_ni)
        (!begun_q && op == 2'd1) |-> !in_use[new_slot]);
    Tree_A: assert property (@(posedge clk_i) disable iff (!rst_ni) done |-> tree);
    Found_A: assert property (@(posedge clk_i) disable iff (!rst_ni) done |-> found == !key_was_q.none);
    Slot_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        (done && (found || op == 2'd1)) |-> slot == (found ? key_was_q.slot : new_slot));
    Holds_A: assert property (@(posedge clk_i) disable iff (!rst_ni) done |-> watch_at == watch_then);
  end

endmodule
