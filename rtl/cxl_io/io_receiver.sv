// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Receive side of io_link up to the verdict: flits into packets, the check sums of each, and what
// it is. Of a TLP of any length it keeps the header and two DW of data.
//
// R1: a piece of a packet. R2: the verdict on the packet that ended with it.
//
// Latency: a packet that ends with the flit of cycle n is at the output in n+2.
// Source:  PCI Express Base 5.0, 2.2 (what is malformed), 3.5.2, 3.6.3.1;
//          docs/blocks/cxl_io/io_link.md.

module io_receiver
  import cxl_io_pkg::*;
#(
  parameter int unsigned Depth = 16  // 2..2^31, a power of two: flits that may wait
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,    // level; low: what has been received is forgotten
  input  logic         valid_i,      // a received flit, never stalled
  input  logic [511:0] flit_i,       // 16 DW of the symbol stream; packets begin in any of them

  output io_rx_kind_e  kind_o,       // pulse: the verdict on a packet, for one cycle; else RxNone
  output logic [31:0]  dllp_o,       // with RxAck, RxNak, RxFc: the bytes before the CRC-16
  output logic [11:0]  sequence_o,   // with RxTlp: sequence number of the TLP
  output logic         malformed_o,  // with RxTlp: the header is not allowed or not of its length
  output tlp_t         tlp_o,        // with RxTlp: header, first two DW of data, zeros behind
  output logic         framing_o     // with RxBad: a DW that is no token where one is due
);

  localparam int unsigned HeadDws = 7;  // token, header of 4, 2 of data

  // ---------------------------------------------------------------------------------------------
  // R1: a piece
  // ---------------------------------------------------------------------------------------------
  logic         piece_valid, piece_first, piece_last, piece_bad;
  io_tail_e     piece_tail;
  logic [4:0]   piece_count;
  logic [511:0] piece_dws;

  io_unframe #(
    .Depth(Depth)
  ) u_unframe (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .link_up_i(link_up_i),
    .valid_i  (valid_i),
    .flit_i   (flit_i),
    .valid_o  (piece_valid),
    .first_o  (piece_first),
    .last_o   (piece_last),
    .tail_o   (piece_tail),
    .count_o  (piece_count),
    .dws_o    (piece_dws),
    .bad_o    (piece_bad)
  );

  logic         r1_valid_q, r1_first_q, r1_last_q, r1_bad_q;
  io_tail_e     r1_tail_q;
  logic [4:0]   r1_count_q;
  logic [511:0] r1_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) r1_valid_q <= 1'b0;
    else         r1_valid_q <= piece_valid;
  end

  always_ff @(posedge clk_i) begin
    if (piece_valid) begin
      r1_first_q <= piece_first;
      r1_last_q  <= piece_last;
      r1_bad_q   <= piece_bad;
      r1_tail_q  <= piece_tail;
      r1_count_q <= piece_count;
      r1_q       <= piece_dws;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The packet so far: its first DWs, how many of them there are, and the CRC
  // ---------------------------------------------------------------------------------------------
  logic [HeadDws-1:0][31:0] head_q, head_d;
  logic [2:0]               have_q, have_d;
  logic [31:0]              crc_q, crc_d;
  logic [511:0]             crc_dws;
  logic [5:0]               so_far;
  logic                     is_sdp, is_stp;

  assign so_far = (r1_first_q ? 6'd0 : 6'(have_q)) + 6'(r1_count_q);

  always_comb begin
    head_d = '0;
    have_d = '0;
    if (r1_valid_q) begin
      for (int unsigned k = 0; k < HeadDws; k++) begin
        if (r1_first_q)           head_d[k] = r1_q[32*k +: 32];
        else if (3'(k) < have_q)  head_d[k] = head_q[k];
        else                      head_d[k] = r1_q[{4'(k) - 4'(have_q), 5'd0} +: 32];
      end
      have_d = (so_far < 6'(HeadDws)) ? so_far[2:0] : HeadDws[2:0];
    end
  end

  assign is_sdp = head_d[0][15:0] == TokenSdp;
  assign is_stp = !is_sdp && begins_tlp(head_d[0][3:0], head_d[0][14:4],
                                        {head_d[0][15], head_d[0][23:20]});

  always_comb begin
    crc_dws = r1_q;
    if (r1_first_q) crc_dws[31:0] = r1_q[31:0] & LcrcTokenMask;
  end

  io_crc32 u_crc (
    .valid_i(r1_valid_q && is_stp),
    .crc_i  (r1_first_q ? LcrcStart : crc_q),
    .count_i(r1_count_q),
    .dws_i  (crc_dws),
    .crc_o  (crc_d)
  );

  always_ff @(posedge clk_i) begin
    if (r1_valid_q && !r1_last_q) begin
      head_q <= head_d;
      have_q <= have_d;
      crc_q  <= crc_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // R2: the verdict
  // ---------------------------------------------------------------------------------------------
  io_rx_kind_e kind;
  logic        malformed;
  tlp_t        tlp, whole;
  logic [9:0]  field;         // Length of the header
  logic [10:0] length, dws;   // that of the token; what the header asks for
  logic [31:0] dllp;

  assign whole  = head_d[HeadDws-1:1];
  assign field  = {whole[17:16], whole[31:24]};
  assign length = head_d[0][14:4];
  assign dllp   = {head_d[1][15:0], head_d[0][31:16]};

  // The verdict rests without a packet, as the CRC.
  always_comb begin
    tlp       = '0;
    dws       = '0;
    malformed = 1'b0;
    if (r1_valid_q && is_stp) begin
      for (int unsigned k = 0; k < HeadDws - 1; k++) begin
        // A malformed one may be shorter than its header says.
        if (3'(k) < tlp_dws(whole[6:5], field) && 11'(k) + 11'd2 < length) begin
          tlp[32*k +: 32] = whole[32*k +: 32];
        end
      end
      // Token, LCRC, header and what it announces; a prefix is none of this subset.
      dws = 11'd5 + 11'(whole[5]) + 11'(whole[23]);
      if (whole[6]) dws = dws + tlp_length(field);
      malformed = whole[7] || length != dws ||
                  (whole[6] && tlp_length(field) > 11'(MaxPayloadDws));
    end
  end

  always_comb begin
    kind = RxNone;
    if (r1_valid_q && r1_last_q) begin
      if (is_sdp) begin
        if (head_d[1][31:16] != dllp_crc(dllp)) begin
          kind = RxDllpBad;
        end else if (dllp[7:0] == DllpAck) begin
          kind = RxAck;
        end else if (dllp[7:0] == DllpNak) begin
          kind = RxNak;
        end else if (dllp[7:6] != 2'b00 && dllp[5:4] != 2'd3 && dllp[3:0] == 4'd0) begin
          kind = RxFc;
        end
      end else if (is_stp && crc_d == LcrcGood && r1_tail_q != TailEdb) begin
        kind = RxTlp;
      end else if (!(is_stp && crc_d == LcrcInverted && r1_tail_q != TailOther)) begin
        kind = RxBad;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kind_o <= RxNone;
    else         kind_o <= link_up_i ? kind : RxNone;
  end

  always_ff @(posedge clk_i) begin
    if (kind != RxNone) begin
      dllp_o      <= dllp;
      sequence_o  <= {head_d[0][19:16], head_d[0][31:24]};
      malformed_o <= malformed;
      framing_o   <= r1_bad_q;
      tlp_o       <= tlp;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  WholeHeader_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      kind == RxTlp |-> have_d >= 3'd5 || length <= 11'd6)
      else $error("a TLP was judged before its header was there");
  NoToken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      r1_valid_q && r1_bad_q |-> kind == RxBad)
      else $error("a DW that is no token was not judged damaged");
  InOrder_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      r1_valid_q && r1_last_q && piece_valid |-> piece_first)
      else $error("what follows the end of a packet does not begin one");

endmodule
