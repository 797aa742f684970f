// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Index of the DS stack: which lines it holds and in which slot, as a red-black tree. A node is a
// stack slot and keeps its key, so nodes are relinked, never copied.
//
// The node words are in a synchronous memory with one port: every cycle is one read or one write of
// it, and an operation costs what it must read and write. The address of the next node is
// combinational from the word just read, so a search passes one node a cycle. Three registers hold
// the nodes at work, new links included, each with its slot:
//   up     the parent of mid; d = the side of mid under it
//   mid    the last node passed on the way down; e = the side of the next node (or of low) under it
//   low    insert: the new node, later what has become red on the way up; delete: the key's node,
//          then the one that takes its place; before that only its key counts, the one searched for
// Insert repairs with up = grandparent, mid = parent, low = the red node. Delete repairs with
// up = the parent of the side that is one black node short, mid = the sibling, low = the sibling's
// near child. Either way one rotation does: mid (low, if it is on the inner side) rises to up's
// place and takes up's colour, and up takes mid's.
//
// A state is named after the word that is there to be looked at (rdata = node cur).
//
//   state    reads, writes            what
//   Idle     R root                   accept
//   Search   R child                  compare: down; hit or end:
//              insert, black parent   W low; Relink the parent
//              insert, red parent     R uncle, or with none of it R above up: -> Uncle, Rotate
//              delete, two children   R right child: -> Min
//              delete, one child      R child (red: takes the place and becomes black): -> Patch
//              delete, red leaf       W parent; done
//              delete, black leaf     R sibling: -> Sib
//   Min      R left child             down to the successor; there W it with the place and colour
//                                     of low; Relink the neighbours
//   Relink   W low, mid, up;          all that is in todo, one a cycle; then on to goal
//            R child of them: Patch
//   Patch    W cur                    its new parent; black, if its place lost a black node
//   Above    R parent of up           for goal: Parent, Rotate or Rise
//   Uncle    red: W it black          colours change, Relink; a red node above up: two levels up
//            black: R above up        -> Rotate
//   Parent   R its parent             insert, two levels up: low is red, and this node too
//   Grand    R uncle
//   Fetch    R sibling                mid, the parent of the short side, becomes up
//   Sib      red: R above up          -> Rotate, which gives a black sibling: Fetch
//            black: R far child, or near child, or with none of them W it red
//   Far      red: W it black          -> Above, Rotate
//            black: R near child
//   Near     red: R above up          -> Rotate with it as low
//            black: W mid red         black up: the short side is now the whole of up: -> Above
//   Rise     R sibling                up one level (delete)
//   Rotate   W above up               its child; the words of up, mid and low: Relink
//
// Cycles, acceptance in cycle 0. With B = black nodes on each way down, n >= 2^B - 1, and as no red
// node has a red child no way is longer than h = 2B, B <= floor(log2(n + 1)). The last of d nodes
// of a search is looked at in cycle d; the answer is there the cycle after the last state.
//   find    d + 1                                                                  <= h + 1
//   insert  d, then for each two levels up at most Uncle, W mid, W up, Above, Parent, Grand (6) and
//           once W low (1), then at most Uncle, Rotate, W low, mid and up and twice R and W of a
//           child (9), then the answer (1). The last rotation has an up, so there are at most
//           (d - 2) / 2 times two levels: d + 3 (d - 2) + 11 = 4 d + 5             <= 4 h + 5
//           (an empty tree: Idle, W low, 2 cycles; without repair d + 2)
//   delete  d, then after Min W up and twice R and W of a child (5) and Fetch (1); each level up
//           at most Sib, Far, Near, Above, Rise (5), the lowest of them Sib, W up, Above, Rise (4),
//           as the sibling of nothing that is black is a leaf; at last a red sibling, Sib, Rotate,
//           W, Fetch (4), and Sib, Far, Near, Rotate, W low, mid, up and twice R and W of a child
//           (11), then the answer (1). The k levels and the node gone are k + 1 black nodes one
//           above the other, at least one more is above them, and the B - k - 1 above have each at
//           most one red child on the way: d <= 2 B - k - 1, k <= B - 2:
//           d + 6 + (5 k - 1) + 15 + 1 = d + 5 k + 21 <= 2 B + 4 k + 20            <= 3 h + 12
//           (k = 0: all of it is at the leaves, at most d + 6 + 4 + 8 + 1 <= h + 18, with
//           h >= 4, as there is a sibling; nothing to repair: at most d + 9)
//
// Source: T. Cormen et al., Introduction to Algorithms, chapter 13 (red-black trees);
// docs/blocks/root_port/ds_index.md.

module ds_index #(
  parameter int unsigned Depth   = 256,  // slots; 4..4096, a power of two
  parameter int unsigned KeyBits = 46,   // bits of a key, unsigned; 1 or more
  localparam int unsigned SlotBits = $clog2(Depth),
  localparam int unsigned NodeBits = 1 + 3 * (1 + SlotBits) + KeyBits
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,      // pulse: empties the tree; only with req_ready_o,
                                            // without req_valid_i

  input  logic                req_valid_i,  // an operation; taken with req_ready_o
  output logic                req_ready_o,  // low during an operation; high in the cycle of its
                                            // answer
  input  logic [1:0]          op_i,         // 0 find, 1 insert, 2 delete, 3 find
  input  logic [KeyBits-1:0]  key_i,        // key of the operation
  input  logic [SlotBits-1:0] slot_i,       // insert: a slot that is no node's, 0..Depth-1

  output logic                rsp_valid_o,  // pulse: the answer, from the cycle after the operation
                                            // was taken on
  output logic                found_o,      // with the answer: the key was there; else 0
  output logic [SlotBits-1:0] slot_o,       // with the answer: its slot, or the new one; else 0

  output logic [SlotBits:0]   count_o,      // nodes, 0..Depth; steady but during an operation
  output logic [SlotBits:0]   root_o,       // {none, slot}; steady but during an operation

  // Write port of the node memory, for a checker
  output logic                node_we_o,    // pulse: a node's word is written
  output logic [SlotBits-1:0] node_slot_o,  // its slot, with node_we_o
  output logic [NodeBits-1:0] node_o        // {red, left, right, parent, key}, the links {none,
                                            // slot}
);

  if (Depth < 4 || Depth > 4096 || (Depth & (Depth - 1)) != 0) begin : g_check_depth
    $error("ds_index: Depth must be a power of two, 4 to 4096");
  end

  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [KeyBits-1:0]  key_t;
  typedef logic [SlotBits:0]   count_t;
  typedef logic [2*SlotBits-1:0] reds_t;  // longer than any way down
  typedef struct packed {
    logic  none;
    slot_t slot;  // 0 with none
  } link_t;
  typedef struct packed {
    logic  red;
    link_t [1:0] kid;  // [Left], [Right]
    link_t parent;
    key_t  key;
  } node_t;
  typedef enum logic [3:0] {
    Idle, Search, Min, Relink, Patch, Above, Uncle, Parent, Grand, Fetch, Sib, Far, Near, Rise,
    Rotate
  } state_e;
  typedef struct packed {  // what is still to be written; the first goes first
    logic write_low;
    logic write_mid;
    logic write_up;
    logic kid_up;     // the parent of up's child on side d
    logic kid_mid;    // the parent of mid's child on the other side, which is black
    logic kid_left;   // the parents of low's children
    logic kid_right;
  } todo_t;

  localparam logic  Left  = 1'b1;  // sides, as in the word
  localparam logic  Right = 1'b0;
  localparam link_t None  = '{none: 1'b1, slot: '0};

  function automatic link_t to_slot(slot_t slot);
    return '{none: 1'b0, slot: slot};
  endfunction
  function automatic node_t with_child(node_t node, logic side, link_t to);
    node_t n;
    n           = node;
    n.kid[side] = to;
    return n;
  endfunction
  function automatic node_t with_red(node_t node, logic red);
    node_t n;
    n     = node;
    n.red = red;
    return n;
  endfunction
  function automatic node_t with_parent(node_t node, link_t to);
    node_t n;
    n        = node;
    n.parent = to;
    return n;
  endfunction

  state_e state_q, state_d;
  state_e goal_q, goal_d;        // what follows Relink (or Above)
  logic   insert_q, insert_d, delete_q, delete_d;
  link_t  root_q, root_d;
  count_t count_q, count_d;
  logic   rsp_q, found_q, found_d;
  slot_t  slot_q, slot_d;

  node_t  up_q, up_d, mid_q, mid_d, low_q, low_d;
  link_t  up_at_q, up_at_d, mid_at_q, mid_at_d;  // their slots
  slot_t  low_at_q, low_at_d;
  logic   d_q, d_d, e_q, e_d;
  reds_t  reds_q, reds_d;        // insert: colours on the way down, [0] up's, [1] its parent's, ...
  logic   dirty_q, dirty_d;      // insert: low is not in memory yet; delete: up is not as in memory
  todo_t  todo_q, todo_d;
  link_t  owner_q, owner_d;      // Patch: the new parent
  logic   paint_q, paint_d;      // Patch: becomes black

  // ---------------------------------------------------------------------------------------------
  // Node memory
  // ---------------------------------------------------------------------------------------------
  link_t  rd;                    // read this node
  logic   wr;
  slot_t  wr_slot;
  node_t  wr_node, rdata;
  slot_t  cur_q;                 // rdata is this node
  slot_t  mem_addr;

  assign mem_addr = wr ? wr_slot : rd.slot;

  ram_sp #(
    .Width(NodeBits),
    .Depth(Depth)
  ) u_nodes (
    .clk_i,
    .re_i   (!rd.none),
    .we_i   (wr),
    .addr_i (mem_addr),
    .wdata_i(wr_node),
    .rdata_o(rdata)
  );

  always_ff @(posedge clk_i) begin
    if (!rd.none) cur_q <= rd.slot;
  end

  assign node_we_o   = wr;
  assign node_slot_o = wr_slot;
  assign node_o      = wr_node;

  // ---------------------------------------------------------------------------------------------
  // Rotation of up, mid and low; up's place is that of the one that rises
  // ---------------------------------------------------------------------------------------------
  logic  inner;                  // low rises
  link_t top;
  node_t up_turned, mid_turned, low_turned;

  assign inner = e_q != d_q;
  assign top   = inner ? to_slot(low_at_q) : mid_at_q;

  always_comb begin
    up_turned        = with_child(up_q, d_q, inner ? low_q.kid[!d_q] : mid_q.kid[!d_q]);
    up_turned.red    = mid_q.red;
    up_turned.parent = top;
    low_turned       = low_q;
    if (inner) begin
      mid_turned        = with_child(mid_q, !d_q, low_q.kid[d_q]);
      mid_turned.parent = top;
      low_turned        = with_child(with_child(low_q, d_q, mid_at_q), !d_q, up_at_q);
      low_turned.red    = up_q.red;
      low_turned.parent = up_q.parent;
    end else begin
      mid_turned        = with_child(mid_q, !d_q, up_at_q);
      mid_turned.red    = up_q.red;
      mid_turned.parent = up_q.parent;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // State machine
  // ---------------------------------------------------------------------------------------------
  logic  hit, side;              // Search: the key is cur's, is on this side of it
  link_t next;                   // Search: the child on that side
  link_t only;                   // a child of a node with at most one
  logic  direct;                 // Min: the successor is the child of the node that goes
  logic  finish;                 // the answer is there in the next cycle
  logic  leave;                  // on to goal
  logic  redden;                 // delete: mid becomes red, which makes up's whole subtree short

  assign hit    = rdata.key == low_q.key;
  assign side   = (low_q.key < rdata.key) ? Left : Right;
  assign next   = rdata.kid[side];
  assign only   = rdata.kid[Left].none ? rdata.kid[Right] : rdata.kid[Left];
  assign direct = mid_at_q.slot == low_at_q;

  assign req_ready_o = state_q == Idle;

  always_comb begin
    state_d  = state_q;
    goal_d   = goal_q;
    insert_d = insert_q;
    delete_d = delete_q;
    root_d   = root_q;
    count_d  = count_q;
    found_d  = found_q;
    slot_d   = slot_q;
    up_d     = up_q;
    mid_d    = mid_q;
    low_d    = low_q;
    up_at_d  = up_at_q;
    mid_at_d = mid_at_q;
    low_at_d = low_at_q;
    d_d      = d_q;
    e_d      = e_q;
    reds_d   = reds_q;
    dirty_d  = dirty_q;
    todo_d   = todo_q;
    owner_d  = owner_q;
    paint_d  = paint_q;
    rd       = None;
    wr       = 1'b0;
    wr_slot  = cur_q;
    wr_node  = rdata;
    finish   = 1'b0;
    leave    = 1'b0;
    redden   = 1'b0;

    unique case (state_q)
      Idle: begin
        rd.slot = root_q.slot;
        if (req_valid_i) begin
          rd.none  = root_q.none;
          insert_d = op_i == 2'd1;
          delete_d = op_i == 2'd2;
          low_d    = '{red: 1'b1, kid: {None, None}, parent: None, key: key_i};
          low_at_d = slot_i;
          mid_at_d = None;
          reds_d   = '0;
          found_d  = 1'b0;
          slot_d   = (op_i == 2'd1) ? slot_i : '0;
          dirty_d  = 1'b0;
          todo_d   = '0;
          goal_d   = Idle;
          if (!root_q.none) begin
            state_d = Search;
          end else if (op_i == 2'd1) begin
            low_d.red        = 1'b0;
            root_d           = to_slot(slot_i);
            count_d          = count_t'(1);
            todo_d.write_low = 1'b1;
            state_d          = Relink;
          end else begin
            finish = 1'b1;
          end
        end else if (clear_i) begin
          root_d  = None;
          count_d = '0;
        end
      end

      Search: begin
        if (hit && !delete_q) begin
          found_d = 1'b1;
          slot_d  = cur_q;
          finish  = 1'b1;
        end else if (hit) begin
          found_d = 1'b1;
          slot_d  = cur_q;
          count_d = count_q - count_t'(1);
          if (!rdata.kid[Left].none && !rdata.kid[Right].none) begin
            rd       = rdata.kid[Right];
            up_d     = mid_q;
            up_at_d  = mid_at_q;
            mid_d    = rdata;
            mid_at_d = to_slot(cur_q);
            low_d    = rdata;
            low_at_d = cur_q;
            d_d      = e_q;
            state_d  = Min;
          end else begin
            mid_d = with_child(mid_q, e_q, only);
            d_d   = !e_q;
            if (mid_at_q.none) root_d = only;
            if (!only.none) begin
              rd               = only;
              owner_d          = mid_at_q;
              paint_d          = 1'b1;
              todo_d.write_mid = !mid_at_q.none;
              state_d          = Patch;
            end else if (mid_at_q.none) begin
              finish = 1'b1;
            end else if (rdata.red) begin
              wr      = 1'b1;
              wr_slot = mid_at_q.slot;
              wr_node = with_child(mid_q, e_q, None);
              finish  = 1'b1;
            end else begin
              rd      = mid_q.kid[!e_q];
              up_d    = with_child(mid_q, e_q, None);
              up_at_d = mid_at_q;
              dirty_d = 1'b1;
              state_d = Sib;
            end
          end
        end else if (!next.none) begin
          rd       = next;
          mid_d    = rdata;
          mid_at_d = to_slot(cur_q);
          up_d     = mid_q;
          up_at_d  = mid_at_q;
          e_d      = side;
          reds_d   = reds_t'({reds_q, rdata.red});
        end else if (insert_q) begin
          count_d      = count_q + count_t'(1);
          low_d.parent = to_slot(cur_q);
          mid_d        = with_child(rdata, side, to_slot(low_at_q));
          mid_at_d     = to_slot(cur_q);
          up_d         = mid_q;
          up_at_d      = mid_at_q;
          d_d          = e_q;
          e_d          = side;
          if (!rdata.red) begin
            wr               = 1'b1;
            wr_slot          = low_at_q;
            wr_node          = with_parent(low_q, to_slot(cur_q));
            todo_d.write_mid = 1'b1;
            state_d          = Relink;
          end else begin
            dirty_d = 1'b1;
            if (!mid_q.kid[!e_q].none) begin
              rd      = mid_q.kid[!e_q];
              state_d = Uncle;
            end else begin
              rd      = mid_q.parent;
              state_d = Rotate;
            end
          end
        end else begin
          finish = 1'b1;
        end
      end

      Min: begin
        if (!rdata.kid[Left].none) begin
          rd       = rdata.kid[Left];
          mid_d    = rdata;
          mid_at_d = to_slot(cur_q);
        end else begin
          low_d            = low_q;
          low_d.key        = rdata.key;
          if (direct) low_d.kid[Right] = rdata.kid[Right];
          low_at_d         = cur_q;
          wr               = 1'b1;
          wr_node          = low_d;
          up_d             = with_child(up_q, d_q, to_slot(cur_q));
          todo_d.write_up  = !up_at_q.none;
          todo_d.kid_left  = 1'b1;
          todo_d.kid_mid   = !rdata.kid[Right].none;
          if (up_at_q.none) root_d = to_slot(cur_q);
          if (direct) begin
            mid_d    = low_d;
            mid_at_d = to_slot(cur_q);
          end else begin
            mid_d.kid[Left] = rdata.kid[Right];
            if (mid_at_q == low_q.kid[Right]) mid_d.parent     = to_slot(cur_q);
            else                         todo_d.kid_right = 1'b1;
          end
          d_d     = direct ? Left : Right;
          dirty_d = !direct;
          if (!rdata.red && rdata.kid[Right].none) begin
            goal_d = Fetch;
          end else begin
            todo_d.write_mid = !direct;
          end
          state_d = Relink;
        end
      end

      Relink: begin
        if (todo_q.write_low) begin
          wr               = 1'b1;
          wr_slot          = low_at_q;
          wr_node          = low_q;
          todo_d.write_low = 1'b0;
        end else if (todo_q.write_mid) begin
          wr               = 1'b1;
          wr_slot          = mid_at_q.slot;
          wr_node          = mid_q;
          todo_d.write_mid = 1'b0;
        end else if (todo_q.write_up) begin
          wr              = 1'b1;
          wr_slot         = up_at_q.slot;
          wr_node         = up_q;
          todo_d.write_up = 1'b0;
        end else begin
          state_d = Patch;
          paint_d = 1'b0;
          if (todo_q.kid_up) begin
            rd            = up_q.kid[d_q];
            owner_d       = up_at_q;
            todo_d.kid_up = 1'b0;
          end else if (todo_q.kid_mid) begin
            rd             = mid_q.kid[!d_q];
            owner_d        = mid_at_q;
            paint_d        = 1'b1;
            todo_d.kid_mid = 1'b0;
          end else if (todo_q.kid_left) begin
            rd              = low_q.kid[Left];
            owner_d         = to_slot(low_at_q);
            todo_d.kid_left = 1'b0;
          end else begin
            rd               = low_q.kid[Right];
            owner_d          = to_slot(low_at_q);
            todo_d.kid_right = 1'b0;
          end
        end
        leave = wr && todo_d == '0;
      end

      Patch: begin
        wr      = 1'b1;
        wr_node = with_parent(with_red(rdata, rdata.red && !paint_q), owner_q);
        state_d = Relink;
        leave   = todo_q == '0;
      end

      Above: begin
        rd      = up_q.parent;
        state_d = goal_q;
        if (goal_q == Parent) begin
          low_d    = up_q;
          low_at_d = up_at_q.slot;
        end
      end

      // Insert: low and mid are red
      Uncle: begin
        if (rdata.red) begin
          wr               = 1'b1;
          wr_node          = with_red(rdata, 1'b0);
          mid_d.red        = 1'b0;
          up_d.red         = 1'b1;
          todo_d.write_low = dirty_q;
          todo_d.write_mid = 1'b1;
          todo_d.write_up  = !up_q.parent.none;  // the root stays black
          goal_d           = reds_q[1] ? Parent : Idle;
          reds_d           = reds_q >> 2;
          dirty_d          = 1'b0;
          state_d          = Relink;
        end else begin
          rd      = up_q.parent;
          state_d = Rotate;
        end
      end

      Parent: begin
        rd       = rdata.parent;
        mid_d    = rdata;
        mid_at_d = to_slot(cur_q);
        e_d      = (rdata.kid[Left] == to_slot(low_at_q)) ? Left : Right;
        state_d  = Grand;
      end

      Grand: begin
        d_d     = (rdata.kid[Left] == mid_at_q) ? Left : Right;
        rd      = rdata.kid[!d_d];
        up_d    = rdata;
        up_at_d = to_slot(cur_q);
        state_d = Uncle;
      end

      // Delete: up is one black node short on the side that is not d
      Fetch: begin
        rd      = mid_q.kid[d_q];
        up_d    = mid_q;
        up_at_d = mid_at_q;
        state_d = Sib;
      end

      Sib: begin
        mid_d    = with_parent(rdata, up_at_q);  // after a rotation the word names the old one
        mid_at_d = to_slot(cur_q);
        e_d      = d_q;
        if (rdata.red) begin
          rd      = up_q.parent;
          state_d = Rotate;
        end else if (!rdata.kid[d_q].none) begin
          rd      = rdata.kid[d_q];
          state_d = Far;
        end else if (!rdata.kid[!d_q].none) begin
          rd      = rdata.kid[!d_q];
          state_d = Near;
        end else begin
          redden = 1'b1;
        end
      end

      Far: begin
        if (rdata.red) begin
          wr      = 1'b1;
          wr_node = with_red(rdata, 1'b0);
          goal_d  = Rotate;
          state_d = Above;
        end else begin
          rd      = mid_q.kid[!d_q];
          state_d = Near;
        end
      end

      Near: begin
        if (rdata.red) begin
          rd       = up_q.parent;
          low_d    = rdata;
          low_at_d = cur_q;
          e_d      = !d_q;
          state_d  = Rotate;
        end else begin
          redden = 1'b1;
        end
      end

      Rise: begin
        d_d     = (rdata.kid[Left] == up_at_q) ? Right : Left;
        rd      = rdata.kid[d_d];
        up_d    = rdata;
        up_at_d = to_slot(cur_q);
        dirty_d = 1'b0;
        state_d = Sib;
      end

      Rotate: begin
        if (up_q.parent.none) root_d = top;
        wr      = !up_q.parent.none;
        wr_node = with_child(rdata, (rdata.kid[Left] == up_at_q) ? Left : Right, top);
        low_d   = low_turned;
        state_d = Relink;
        if (delete_q && mid_q.red) begin
          // The sibling was red and is now the parent of up, which goes on with another sibling.
          up_d            = mid_turned;
          up_at_d         = mid_at_q;
          mid_d           = up_turned;
          mid_at_d        = up_at_q;
          todo_d.write_up = 1'b1;
          goal_d          = Fetch;
        end else begin
          up_d             = up_turned;
          mid_d            = mid_turned;
          todo_d.write_low = inner || (insert_q && dirty_q);
          todo_d.write_mid = 1'b1;
          todo_d.write_up  = 1'b1;
          todo_d.kid_up    = !up_turned.kid[d_q].none;
          todo_d.kid_mid   = inner && !mid_turned.kid[!d_q].none;
          goal_d           = Idle;
        end
      end

      default: state_d = Idle;
    endcase

    if (redden) begin
      wr              = 1'b1;
      wr_slot         = mid_at_d.slot;
      wr_node         = with_red(mid_d, 1'b1);
      up_d.red        = 1'b0;
      todo_d.write_up = up_q.red || dirty_q;
      goal_d          = (up_q.red || up_q.parent.none) ? Idle : Rise;
      state_d         = Relink;
      leave           = !todo_d.write_up;
    end
    if (leave) begin
      state_d = (goal_d == Parent || goal_d == Rise) ? Above : goal_d;
      finish  = goal_d == Idle;
    end
    if (finish) state_d = Idle;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      root_q  <= None;
      count_q <= '0;
      rsp_q   <= 1'b0;
    end else begin
      state_q <= state_d;
      root_q  <= root_d;
      count_q <= count_d;
      rsp_q   <= finish;
    end
  end

  always_ff @(posedge clk_i) begin
    goal_q   <= goal_d;
    insert_q <= insert_d;
    delete_q <= delete_d;
    found_q  <= found_d;
    slot_q   <= slot_d;
    up_q     <= up_d;
    mid_q    <= mid_d;
    low_q    <= low_d;
    up_at_q  <= up_at_d;
    mid_at_q <= mid_at_d;
    low_at_q <= low_at_d;
    d_q      <= d_d;
    e_q      <= e_d;
    reds_q   <= reds_d;
    dirty_q  <= dirty_d;
    todo_q   <= todo_d;
    owner_q  <= owner_d;
    paint_q  <= paint_d;
  end

  assign rsp_valid_o = rsp_q;
  assign found_o     = rsp_q && found_q;
  assign slot_o      = rsp_q ? slot_q : '0;
  assign count_o     = count_q;
  assign root_o      = root_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  typedef logic [7:0] cycle_t;

  // The bounds derived above
  function automatic cycle_t bound(count_t n, logic [1:0] op);
    cycle_t h;
    h = '0;
    for (int unsigned b = 1; b <= SlotBits; b++) begin
      if (32'(n) + 32'd1 >= (32'd1 << b)) h = cycle_t'(2 * b);
    end
    unique case (op)
      2'd1:    return cycle_t'(4) * h + cycle_t'(5);
      2'd2:    return cycle_t'(3) * h + cycle_t'(12);
      default: return h + cycle_t'(1);
    endcase
  endfunction

  logic   accept, pending_q, wrote_q;
  cycle_t cycle_q, bound_q;
  count_t count_before_q;
  link_t  root_before_q;
  logic [Depth-1:0] red_q, top_q;  // of each word: red, without a parent

  assign accept = req_valid_i && req_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)          pending_q <= 1'b0;
    else if (accept)      pending_q <= 1'b1;
    else if (rsp_valid_o) pending_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    cycle_q <= accept ? cycle_t'(1) : cycle_q + cycle_t'(1);
    if (accept) begin
      bound_q        <= bound(count_q, op_i);
      count_before_q <= count_q;
      root_before_q  <= root_q;
    end
    wrote_q <= !accept && (wrote_q || wr);
    if (wr) begin
      red_q[wr_slot] <= wr_node.red;
      top_q[wr_slot] <= wr_node.parent.none;
    end
  end

  ClearIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      clear_i |-> req_ready_o && !req_valid_i)
    else $error("cleared during an operation or together with a request");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(count_q) <= Depth)
    else $error("more nodes than slots");
  Empty_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      req_ready_o |-> (count_q == '0) == root_q.none)
    else $error("the count of nodes and the root do not agree on whether the tree is empty");
  SinglePort_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(wr && !rd.none))
    else $error("a node was read and another written in one cycle");
  IdleQuiet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      req_ready_o |-> !wr && (accept || rd.none))
    else $error("the node memory was accessed without an operation");

  // Answers: one for each request, in time, and nothing changed where nothing was to be
  Asked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_o |-> pending_q && req_ready_o)
    else $error("an answer without an operation, or before its end");
  InTime_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      pending_q |-> cycle_q <= bound_q)
    else $error("an operation takes longer than its bound");
  Unchanged_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !(insert_q && !found_o) && !(delete_q && found_o)) |->
      !wrote_q && count_q == count_before_q && root_q == root_before_q)
    else $error("an operation that was to change nothing changed the tree");
  Inserted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && insert_q && !found_o) |-> count_q == count_before_q + count_t'(1))
    else $error("an insert of a new key did not add one node");
  Deleted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && delete_q && found_o) |-> count_q == count_before_q - count_t'(1))
    else $error("a delete of a key did not remove one node");
  QuietAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !rsp_valid_o |-> !found_o && slot_o == '0)
    else $error("found or a slot without an answer");

  // The tree
  Root_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_ready_o && !root_q.none) |-> !red_q[root_q.slot] && top_q[root_q.slot])
    else $error("the root is red or has a parent");
  CameDown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q inside {Search, Min}) |-> rdata.parent == mid_at_q)
    else $error("a node on the way down has another parent than the node above it");
  RedPair_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Uncle || (state_q == Rotate && insert_q)) |->
      low_q.red && mid_q.red && !up_q.red)
    else $error("a repair after an insert without a red node under a red one under a black one");
  RedParent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == Parent |-> rdata.red)
    else $error("a repair after an insert goes on two levels up under a black parent");
  RedSibling_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Sib && rdata.red) |-> !up_q.red)
    else $error("a red node has a red child");
  ReadBefore_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_d inside {Search, Min, Patch, Uncle, Parent, Grand, Sib, Far, Near, Rise}) |->
      !rd.none)
    else $error("a node is looked at that was not read in the cycle before");
  ReadAbove_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_d == Rotate && state_q != Above |-> rd == up_d.parent)
    else $error("a rotation without the node above it read");
  RelinkHasWork_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      state_q == Relink |-> todo_q != '0)
    else $error("no node is left to relink");

endmodule
