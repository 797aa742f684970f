// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_unframe: nothing is lost. A reader takes the stream one DW after the other, as PCI Express Base 5.0, 4.2.2.3 has
// it, and what leaves is what it reads: each DW of each packet once, in order, unchanged, with the packet's ends where
// they are; behind what is no token nothing, and bad_o says so. In two links, by Part:
//
//   0 with the flit in hand cut: any
//     Piece_A  a piece leaves if and only if the reader meets a packet, and is what it reads up to the packet's or the
//              flit's end; ends, EDB and bad_o as it reads them
//     State_A  where the reader stops the block goes on, in the same packet
//     Done_A   the flit leaves the hand if and only if the reader has no more of it
//     Moves_A  otherwise the block has come further in it: a flit is in hand for 16 cycles at most
//   1 with `done` cut: any
//     Order_A  the flit in hand is the oldest of those that came, unchanged
//     Held_A   a flit is in hand if and only if one came that has not left
//
// A flit that comes while Depth wait is lost: the page says so.
// State_A and Held_A are invariants, so this is of any number of flits and a TLP of any length.

module unframe_all_fv
  import cxl_io_pkg::*;
#(
  parameter int unsigned Part = 0,
  parameter int unsigned Depth = 4
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic         link_up_i,
  input logic         valid_i,
  input logic [511:0] flit_i,
  input logic         watch_i,
  input logic [8:0]   bit_i     // of the flit that is watched
);

  logic              valid, first, last, bad;
  io_tail_e          tail;
  logic [4:0]        count;
  logic [511:0]      out_flat;
  logic [15:0][31:0] hand, out;
  logic              here, done;
  io_unframe #(.Depth(Depth)) u_unframe (
    .clk_i, .rst_ni, .link_up_i, .valid_i, .flit_i, .valid_o(valid), .first_o(first), .last_o(last), .tail_o(tail),
    .count_o(count), .dws_o(out_flat), .bad_o(bad));
  assign out  = out_flat;
  assign here = u_unframe.here;
  assign done = u_unframe.done;
  assign hand = u_unframe.dws;

  if (Part == 0) begin : g_reader
    // The block's DWs are zero without a flit.
    Hand_A: assume property (@(posedge clk_i) disable iff (!rst_ni) here || hand == '0);

    // -------------------------------------------------------------------------------------------
    // The reader: it stops behind a packet, behind an EDB, and behind the flit
    // -------------------------------------------------------------------------------------------
    typedef struct packed {
      logic [4:0]  pos;    // DW of the flit in hand
      logic [10:0] left;   // DWs of the packet that are still to come
      logic        tlp;    // it is one
      logic        after;  // the DW before ended a TLP
    } reader_t;

    reader_t     reader_q, reader_d;
    logic        reads, from_token, sdp, stp, wrong, carried, ended, edb, after, done_read;
    logic [4:0]  begins, at, number, stops;
    logic [11:0] ends;  // the DW behind the packet, from DW 0 on
    logic [31:0] token;

    // Where it meets a packet: past idle symbols and an EDB that ends the TLP of the flit before.
    always_comb begin
      begins  = 5'd16;
      carried = 1'b0;
      after   = reader_q.after;
      for (int unsigned i = 0; i < 16; i++) begin
        if (5'(i) >= reader_q.pos && begins == 5'd16) begin
          if (reader_q.left != '0 || hand[i] != '0) begin
            begins  = 5'(i);
            carried = reader_q.left == '0 && after && hand[i] == TokenEdb;
          end
          after = 1'b0;
        end
      end
    end

    // The packet from there on. By At_A the block is at the same DW.
    assign at = u_unframe.first;
    always_comb begin
      reads      = at != 5'd16 && !carried;
      from_token = reader_q.left == '0;
      token      = hand[at[3:0]];
      sdp        = token[15:0] == TokenSdp;
      stp        = !sdp && begins_tlp(token[3:0], token[14:4], {token[15], token[23:20]});
      wrong      = from_token && !sdp && !stp;
      reader_d   = reader_q;
      ends       = 12'(at) + 12'(reader_q.left);
      if (from_token) begin
        ends         = 12'(at) + (sdp ? 12'd2 : stp ? 12'(token[14:4]) : 12'd1);
        reader_d.tlp = stp;
      end
      ended  = ends <= 12'd16;
      number = ended ? 5'(ends - 12'(at)) : 5'd16 - at;
      // Behind a TLP an EDB belongs to it; behind what is no token nothing is known.
      edb    = reads && reader_d.tlp && ends < 12'd16 && hand[ends[3:0]] == TokenEdb;
      stops  = (ended && !wrong) ? 5'(ends) + 5'(edb) : 5'd16;
      if (carried) stops = at + 5'd1;
      if (at == 5'd16) stops = 5'd16;

      reader_d.left  = (reads && !ended) ? 11'(ends - 12'd16) : '0;
      reader_d.after = reads && reader_d.tlp && ends == 12'd16;
      reader_d.pos   = stops;
      done_read      = 1'b1;
      for (int unsigned i = 0; i < 16; i++) begin
        if (5'(i) >= stops && hand[i] != '0) done_read = 1'b0;
      end
      if (done_read) reader_d.pos = '0;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)         reader_q <= '0;
      else if (!link_up_i) reader_q <= '0;
      else if (here)       reader_q <= reader_d;
    end

    logic same;
    always_comb begin
      same = 1'b1;
      for (int unsigned k = 0; k < 16; k++) begin
        if (5'(k) < number && out[k] != hand[4'(at + 5'(k))]) same = 1'b0;
      end
    end

    // What follows a TLP: an EDB, not known at the flit's end, anything else.
    io_tail_e follows;
    always_comb begin
      follows = TailOther;
      if (reads && ended && edb)                 follows = TailEdb;
      else if (reads && ended && reader_d.after) follows = TailUnknown;
    end

    At_A: assert property (@(posedge clk_i) disable iff (!rst_ni) here |-> at == begins);
    Piece_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        valid == (here && reads) &&
        (!valid || (count == number && first == from_token && last == ended && bad == wrong && tail == follows &&
                    same)));
    State_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        u_unframe.pos_q == reader_q.pos && u_unframe.left_q == reader_q.left &&
        u_unframe.ended_q == reader_q.after &&
        (reader_q.left == '0 || (u_unframe.is_tlp_q == reader_q.tlp && !reader_q.after)) &&
        (!reader_q.after || reader_q.pos == '0));
    Done_A: assert property (@(posedge clk_i) disable iff (!rst_ni) here |-> done == done_read);
    Moves_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        here && !done |=> reader_q.pos > $past(reader_q.pos));
  end else begin : g_order
    // What Part 0 has of the net that is cut: only a flit leaves, and it does at its end.
    Cut_A: assume property (@(posedge clk_i) disable iff (!rst_ni)
        here ? done || u_unframe.pos_d < 5'd16 : !done);

    // -------------------------------------------------------------------------------------------
    // One bit of one flit, any, among those that came
    // -------------------------------------------------------------------------------------------
    typedef logic [$clog2(Depth + 2)-1:0] ahead_t;
    logic   comes, leaves, watching_q, value_q, right;
    ahead_t held_q, ahead_q;  // flits that came and have not left; those before the one that is watched
    logic [8:0] bit_q;

    assign comes  = link_up_i && valid_i && 32'(held_q) != Depth;
    assign leaves = here && done;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        held_q     <= '0;
        ahead_q    <= '0;
        watching_q <= 1'b0;
      end else if (!link_up_i) begin
        held_q     <= '0;
        ahead_q    <= '0;
        watching_q <= 1'b0;
      end else begin
        held_q <= held_q + ahead_t'(comes) - ahead_t'(leaves);
        if (watching_q) begin
          ahead_q <= ahead_q - ahead_t'(leaves);
          if (leaves && ahead_q == '0) watching_q <= 1'b0;
        end else if (comes && watch_i && !(held_q == '0 && leaves)) begin
          watching_q <= 1'b1;
          ahead_q    <= held_q - ahead_t'(leaves);
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (!watching_q) begin
        bit_q   <= bit_i;
        value_q <= flit_i[bit_i];
      end
    end

    assign right = u_unframe.dws[bit_q[8:5]][bit_q[4:0]] == value_q;
    Order_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        here && watching_q && ahead_q == '0 |-> right);
    // The flit that comes to an empty queue is in hand in its own cycle.
    AtOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        here && held_q == '0 |-> valid_i && hand == flit_i);
    Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        here == (link_up_i && (held_q != '0 || valid_i)) && 32'(u_unframe.count_q) == 32'(held_q) &&
        32'(held_q) <= Depth &&
        u_unframe.wr_q == u_unframe.rd_q + $clog2(Depth)'(held_q));
    // What is watched stands where its turn will be.
    logic [$clog2(Depth)-1:0] place;
    assign place = u_unframe.rd_q + $clog2(Depth)'(ahead_q);
    Place_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        watching_q |-> ahead_q < held_q && u_unframe.flit_q[place][bit_q] == value_q);
  end

endmodule
