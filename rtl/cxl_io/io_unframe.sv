// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Packets out of the flits of CXL.io. The 64 bytes of a flit are a piece of PCIe's symbol stream:
// packets begin in any DW, several stand in one flit, and one may go on in the next. One packet a
// cycle leaves, at bit 0.
//
// The packet that comes first leaves in the cycle of its flit; a flit with more of them waits in a
// queue. A flit that finds it full is lost: sequence numbers and LCRC then see to it. A packet
// longer than 7 DW is none of this subset: its token leaves alone, the rest of it is passed over.
//
// Latency: 0 for the first packet of a flit while the queue is empty.
// Source:  PCI Express Base 5.0, 4.2.2.3 (tokens), 3.6; docs/blocks.md, "io_unframe".

module io_unframe
  import cxl_io_pkg::*;
#(
  parameter int unsigned Depth = 4  // flits that wait, a power of two
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,   // low: everything is forgotten
  input  logic         valid_i,
  input  logic [511:0] flit_i,
  output logic         valid_o,
  output logic [223:0] packet_o     // behind its last DW zeros
);

  localparam int unsigned Dws = 16;  // of a flit
  localparam int unsigned Most = 7;  // of a packet
  // Token, header of 4, data of the Max_Payload_Size of 128 bytes, ECRC, LCRC: no peer may send
  // more.
  localparam int unsigned Longest = 1 + 4 + 32 + 1 + 1;
  localparam int unsigned PtrBits = $clog2(Depth);

  typedef logic [31:0] dw_t;

  logic [511:0]       flit_q [Depth];
  logic [PtrBits-1:0] rd_q, wr_q;
  logic [PtrBits:0]   count_q;
  logic [4:0]         pos_q, pos_d;    // first DW of the flit in hand that has not been looked at
  logic [2:0]         have_q, have_d;  // DWs of a packet that goes on in the next flit
  logic [2:0]         need_q, need_d;  // all of its DWs
  logic [10:0]        skip_q, skip_d;  // DWs of a long packet still to come
  dw_t [Most-1:0]     part_q, part_d;

  logic               here, done;
  dw_t [Dws-1:0]      dws;

  assign here = link_up_i && (count_q != '0 || valid_i);

  always_comb begin
    dws = '0;
    if (here) dws = (count_q != '0) ? flit_q[rd_q] : flit_i;
  end

  // ---------------------------------------------------------------------------------------------
  // The next packet
  // ---------------------------------------------------------------------------------------------
  logic [4:0]     first;     // where it begins; Dws: only idle symbols
  dw_t            token;
  logic           is_sdp, is_stp;
  logic [10:0]    length;    // DWs, token included
  logic [4:0]     room;      // DWs from its first one to the end of the flit
  dw_t [Most-1:0] window;    // from `first` on
  logic           idle_after;

  always_comb begin
    first = 5'(Dws);
    for (int signed i = Dws - 1; i >= 0; i--) begin
      if (5'(i) >= pos_q && dws[i] != '0) first = 5'(i);
    end
    if (have_q != '0) first = '0;  // the rest of a packet
    token = (first == 5'(Dws)) ? '0 : dws[first[3:0]];
    window = '0;
    for (int unsigned k = 0; k < Most; k++) begin
      if (first + 5'(k) < 5'(Dws)) window[k] = dws[4'(first + 5'(k))];
    end
    room   = 5'(Dws) - first;
    is_sdp = token[15:0] == TokenSdp;
    length = is_sdp ? 11'd2 : token[14:4];
    is_stp = token[3:0] == TokenStp && {token[15], token[23:20]} == frame_check(token[14:4]) &&
             token[14:4] >= 11'd5 && token[14:4] <= 11'(Longest);
  end

  always_comb begin
    valid_o  = 1'b0;
    packet_o = '0;
    pos_d    = pos_q;
    have_d   = have_q;
    need_d   = need_q;
    skip_d   = skip_q;
    part_d   = part_q;
    if (here) begin
      if (skip_q != '0) begin
        skip_d = (skip_q >= 11'(Dws)) ? skip_q - 11'(Dws) : '0;
        pos_d  = (skip_q >= 11'(Dws)) ? 5'(Dws) : skip_q[4:0];
      end else if (have_q != '0) begin
        valid_o = 1'b1;
        for (int unsigned k = 0; k < Most; k++) begin
          if (3'(k) < have_q)      packet_o[32*k +: 32] = part_q[k];
          else if (3'(k) < need_q) packet_o[32*k +: 32] = window[3'(3'(k) - have_q)];
        end
        pos_d  = {2'b00, need_q} - {2'b00, have_q};
        have_d = '0;
      end else if (first == 5'(Dws)) begin
        pos_d = 5'(Dws);
      end else if (!is_sdp && !is_stp) begin
        valid_o        = 1'b1;  // what no token is: where the next packet begins is not known
        packet_o[31:0] = token;
        pos_d          = 5'(Dws);
      end else if (length > 11'(Most)) begin
        valid_o        = 1'b1;
        packet_o[31:0] = token;
        skip_d         = (length > 11'(room)) ? length - 11'(room) : '0;
        pos_d          = (length > 11'(room)) ? 5'(Dws) : first + length[4:0];
      end else if (length[4:0] > room) begin
        for (int unsigned k = 0; k < Most; k++) part_d[k] = window[k];
        have_d = room[2:0];
        need_d = length[2:0];
        pos_d  = 5'(Dws);
      end else begin
        valid_o = 1'b1;
        for (int unsigned k = 0; k < Most; k++) begin
          if (3'(k) < length[2:0]) packet_o[32*k +: 32] = window[k];
        end
        pos_d = first + length[4:0];
      end
    end
  end

  // Nothing but idle symbols behind it: the flit is done.
  always_comb begin
    idle_after = 1'b1;
    for (int unsigned i = 0; i < Dws; i++) begin
      if (5'(i) >= pos_d && dws[i] != '0) idle_after = 1'b0;
    end
  end
  assign done = here && idle_after;

  // ---------------------------------------------------------------------------------------------
  // Flits that wait
  // ---------------------------------------------------------------------------------------------
  logic push, pop;
  assign pop  = done && count_q != '0;
  assign push = link_up_i && valid_i && !(done && count_q == '0) &&
                count_q != (PtrBits + 1)'(Depth);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
      pos_q   <= '0;
      have_q  <= '0;
      need_q  <= '0;
      skip_q  <= '0;
    end else if (!link_up_i) begin
      rd_q    <= '0;
      wr_q    <= '0;
      count_q <= '0;
      pos_q   <= '0;
      have_q  <= '0;
      need_q  <= '0;
      skip_q  <= '0;
    end else begin
      if (pop)  rd_q <= rd_q + 1'b1;
      if (push) wr_q <= wr_q + 1'b1;
      count_q <= count_q + (PtrBits + 1)'(push) - (PtrBits + 1)'(pop);
      if (here) begin
        pos_q  <= done ? '0 : pos_d;
        have_q <= have_d;
        need_q <= need_d;
        skip_q <= skip_d;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) flit_q[wr_q] <= flit_i;
    if (here) part_q <= part_d;
  end

  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : g_depth
    $error("io_unframe: Depth is a power of two, at least 2");
  end

  Part_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      have_q != '0 |-> (have_q < need_q && need_q <= 3'(Most) && pos_q == '0 && skip_q == '0));
  Pos_A: assert property (@(posedge clk_i) disable iff (!rst_ni) pos_q < 5'(Dws));

endmodule
