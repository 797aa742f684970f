// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Packets out of the flits of CXL.io. The 64 bytes of a flit are a piece of PCIe's symbol stream:
// packets begin in any DW, several stand in one flit, and one may go on in the next flits. Each
// cycle gives what one flit has of one packet, from bit 0 on.
//
// The packet that comes first leaves in the cycle of its flit; a flit with more of them waits in a
// queue. The queue has room for what a peer may send before it hears from this end; a flit that
// finds it full, since DLLPs came that nothing called for, is lost: sequence numbers and LCRC then
// see to it.
//
// Latency: 0 for the first packet of a flit while the queue is empty.
// Source:  PCI Express Base 5.0, 4.2.2.3 (tokens), 3.6; docs/blocks/cxl_io/io_unframe.md.

module io_unframe
  import cxl_io_pkg::*;
#(
  parameter int unsigned Depth = 16  // 2..2^31, a power of two: flits that may wait
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,  // level; low: what has been received is forgotten
  input  logic         valid_i,    // a received flit, never stalled
  input  logic [511:0] flit_i,     // 16 DW of the symbol stream; packets begin in any of them
  // A piece of a packet; all 0 without valid_o
  output logic         valid_o,    // a piece of a packet, for one cycle, in the order of the stream
  output logic         first_o,    // the piece begins with the token
  output logic         last_o,     // the packet ends with the piece
  output io_tail_e     tail_o,     // with last_o: what follows a TLP
  output logic [4:0]   count_o,    // DWs of the piece: 1..16
  output logic [511:0] dws_o,      // first DW in the low bits; zeros behind the last
  output logic         bad_o       // no piece but a DW that is no token where one is due
);

  localparam int unsigned Dws = 16;  // of a flit
  localparam int unsigned PtrBits = $clog2(Depth);

  typedef logic [31:0] dw_t;

  logic [511:0]       flit_q [Depth];
  logic [PtrBits-1:0] rd_q, wr_q;
  logic [PtrBits:0]   count_q;
  logic [4:0]         pos_q, pos_d;      // first DW of the flit in hand that has not been looked at
  logic [10:0]        left_q, left_d;    // DWs of the packet that goes on in the next flit
  logic               is_tlp_q, is_tlp;  // that packet is a TLP
  logic               ended_q, ended_d;  // a TLP ended with the flit before

  logic               here, done;
  dw_t [Dws-1:0]      dws;

  assign here = link_up_i && (count_q != '0 || valid_i);

  always_comb begin
    dws = '0;
    if (here) dws = (count_q != '0) ? flit_q[rd_q] : flit_i;
  end

  // ---------------------------------------------------------------------------------------------
  // The next piece
  // ---------------------------------------------------------------------------------------------
  logic [4:0]     first;     // where it begins; Dws: only idle symbols
  dw_t            token;
  logic           is_sdp, is_stp, is_edb, known, at_end, edb_behind;
  logic [10:0]    length;    // DWs of the packet from here on
  logic [4:0]     room;      // DWs from its first one to the end of the flit
  logic [4:0]     count, behind;

  always_comb begin
    first = 5'(Dws);
    for (int signed i = Dws - 1; i >= 0; i--) begin
      if (5'(i) >= pos_q && dws[i] != '0) first = 5'(i);
    end
    if (left_q != '0) first = '0;  // the rest of a packet
    token  = (first == 5'(Dws)) ? '0 : dws[first[3:0]];
    room   = 5'(Dws) - first;
    is_sdp = token[15:0] == TokenSdp;
    is_stp = begins_tlp(token[3:0], token[14:4], {token[15], token[23:20]});
    is_edb = token == TokenEdb && ended_q && first == '0;
    known  = is_sdp || is_stp;
    if (left_q != '0) begin
      length = left_q;
      is_tlp = is_tlp_q;
    end else begin
      length = is_sdp ? 11'd2 : (is_stp ? token[14:4] : 11'd1);
      is_tlp = is_stp && !is_sdp;
    end
    at_end     = length <= 11'(room);
    count      = at_end ? length[4:0] : room;
    behind     = first + count;
    edb_behind = behind < 5'(Dws) && dws[behind[3:0]] == TokenEdb;
  end

  always_comb begin
    valid_o = 1'b0;
    first_o = 1'b0;
    last_o  = 1'b0;
    tail_o  = TailOther;
    count_o = '0;
    dws_o   = '0;
    bad_o   = 1'b0;
    pos_d   = pos_q;
    left_d  = left_q;
    ended_d = 1'b0;
    if (here) begin
      if (first == 5'(Dws)) begin
        pos_d = 5'(Dws);
      end else if (left_q == '0 && !known && is_edb) begin
        pos_d = 5'd1;
      end else begin
        valid_o = 1'b1;
        first_o = left_q == '0;
        last_o  = at_end;
        count_o = count;
        for (int unsigned k = 0; k < Dws; k++) begin
          if (5'(k) < count) dws_o[32*k +: 32] = dws[4'(first + 5'(k))];
        end
        left_d = at_end ? '0 : length - 11'(room);
        if (left_q == '0 && !known) begin
          bad_o = 1'b1;     // what no token is: where the next packet begins is not known
          pos_d = 5'(Dws);
        end else begin
          pos_d = behind;
          if (at_end && is_tlp) begin
            if (edb_behind) begin
              tail_o = TailEdb;
              pos_d  = behind + 5'd1;
            end else if (behind == 5'(Dws)) begin
              tail_o  = TailUnknown;
              ended_d = 1'b1;
            end
          end
        end
      end
    end
  end

  // Nothing but idle symbols behind it: the flit is done.
  always_comb begin
    done = here;
    for (int unsigned i = 0; i < Dws; i++) begin
      if (5'(i) >= pos_d && dws[i] != '0) done = 1'b0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Flits that wait
  // ---------------------------------------------------------------------------------------------
  logic push, pop;
  assign pop  = done && count_q != '0;
  assign push = link_up_i && valid_i && !(done && count_q == '0) &&
                count_q != (PtrBits + 1)'(Depth);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q     <= '0;
      wr_q     <= '0;
      count_q  <= '0;
      pos_q    <= '0;
      left_q   <= '0;
      is_tlp_q <= 1'b0;
      ended_q  <= 1'b0;
    end else if (!link_up_i) begin
      rd_q     <= '0;
      wr_q     <= '0;
      count_q  <= '0;
      pos_q    <= '0;
      left_q   <= '0;
      is_tlp_q <= 1'b0;
      ended_q  <= 1'b0;
    end else begin
      if (pop)  rd_q <= rd_q + 1'b1;
      if (push) wr_q <= wr_q + 1'b1;
      count_q <= count_q + (PtrBits + 1)'(push) - (PtrBits + 1)'(pop);
      if (here) begin
        pos_q    <= done ? '0 : pos_d;
        left_q   <= left_d;
        is_tlp_q <= is_tlp;
        ended_q  <= ended_d;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) flit_q[wr_q] <= flit_i;
  end

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $error("io_unframe: Depth is a power of two, at least 2");
  end

  Left_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      left_q != '0 |-> pos_q == '0 && left_q < 11'(LongestTlp))
      else $error("a packet goes on inside a flit, or is longer than any TLP");
  Pos_A: assert property (@(posedge clk_i) disable iff (!rst_ni) pos_q < 5'(Dws))
      else $error("the next packet begins behind the flit");
  Piece_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_o |-> count_o inside {[5'd1 : 5'(Dws)]} && (last_o || left_d != '0))
      else $error("a piece has no DW or too many, or its packet ends without a last piece");
  Bad_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      bad_o |-> valid_o && first_o && last_o && count_o == 5'd1)
      else $error("a DW that is no token was given as more than itself");

endmodule
