// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_receiver: the verdict on each packet is that of its own words, after docs/blocks/cxl_io/io_link.md and PCI Express
// Base 5.0, 2.2, 3.5 and 3.6.
//
//   Verdict_A  what acts is what the packet's words say; without the last piece of a packet nothing acts, so nothing
//              is handed up that is not whole
//   Good_A     a TLP is handed up if and only if its LCRC is right and no EDB follows; one that is nullified gives
//              nothing, any other is damaged
//   Tlp_A      sequence number, header, data and malformed are those of the packet's words, zeros behind them
//   Dllp_A     the DLLP is the packet's
//   Crc_A      io_crc32 is given every word of the packet, in order, once, and goes on from what it gave before
//   Whole_A    a packet ends with as many words as its token says
//   Forgets_A  with the link down nothing acts in the next cycle
//
// The flit in the hand of io_unframe is cut: any; what comes before it is in unframe_all_fv. The result of io_crc32 is
// cut: any; by Crc_A and crc32_fv it is the register over the packet, which has one value if the LCRC is right, another
// if it is inverted. The words are gathered here by a reader of its own, one cycle behind io_unframe. That both have
// the same is an invariant, so this is of packets of any length in flits of any layout.

module receiver_fv
  import cxl_io_pkg::*;
(
  input logic         clk_i,
  input logic         rst_ni,
  input logic         link_up_i,
  input logic         valid_i,
  input logic [511:0] flit_i
);

  io_rx_kind_e kind;
  logic [31:0] dllp;
  logic [11:0] sequence_number;
  logic        malformed, framing;
  tlp_t        tlp;
  io_receiver u_receiver (
    .clk_i, .rst_ni, .link_up_i, .valid_i, .flit_i, .kind_o(kind), .dllp_o(dllp), .sequence_o(sequence_number),
    .malformed_o(malformed), .tlp_o(tlp), .framing_o(framing));

  // The block's DWs are zero without a flit.
  Hand_A: assume property (@(posedge clk_i) disable iff (!rst_ni)
      u_receiver.u_unframe.here || u_receiver.u_unframe.dws == '0);

  // ---------------------------------------------------------------------------------------------
  // The reader: pieces one cycle later, words of the packet
  // ---------------------------------------------------------------------------------------------
  logic              valid_q, first_q, last_q, bad_q;
  io_tail_e          tail_q;
  logic [4:0]        count_q;
  logic [15:0][31:0] piece_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= u_receiver.piece_valid;
  end
  always_ff @(posedge clk_i) begin
    if (u_receiver.piece_valid) begin
      first_q <= u_receiver.piece_first;
      last_q  <= u_receiver.piece_last;
      bad_q   <= u_receiver.piece_bad;
      tail_q  <= u_receiver.piece_tail;
      count_q <= u_receiver.piece_count;
      piece_q <= u_receiver.piece_dws;
    end
  end

  logic             open_q;     // a packet has begun and not ended
  logic [10:0]      number_q, number_d;
  logic [6:0][31:0] word_q, word_d;
  logic [31:0]      crc_q;
  always_comb begin
    number_d = (first_q ? 11'd0 : number_q) + 11'(count_q);
    for (int unsigned w = 0; w < 7; w++) begin
      if (first_q)                word_d[w] = piece_q[w];
      else if (11'(w) < number_q) word_d[w] = word_q[w];
      else                        word_d[w] = piece_q[4'(w) - number_q[3:0]];
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= 1'b0;
      number_q <= '0;
    end else begin
      if (!link_up_i)   open_q <= 1'b0;
      else if (valid_q) open_q <= !last_q;
      if (valid_q) number_q <= number_d;
    end
  end
  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      word_q <= word_d;
      crc_q  <= u_receiver.crc_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What it is
  // ---------------------------------------------------------------------------------------------
  logic        is_dllp, is_tlp, has_data, four, ecrc, wrong_form;
  logic [10:0] length, data, due;  // of the token; the header's Length; what the header announces
  logic [31:0] body;
  logic [2:0]  up;                 // words handed up
  tlp_t        words;
  io_rx_kind_e says, says_q;
  logic [31:0] body_q;
  logic [11:0] number_of_tlp_q;
  logic        wrong_form_q, bad_last_q;
  tlp_t        words_q;

  assign is_dllp = word_d[0][7:0] == 8'hF0 && word_d[0][15:8] == 8'hAC;
  assign is_tlp  = !is_dllp && begins_tlp(word_d[0][3:0], word_d[0][14:4], {word_d[0][15], word_d[0][23:20]});
  assign length  = word_d[0][14:4];
  assign body    = {word_d[1][15:0], word_d[0][31:16]};

  // Of the header: byte 0 Fmt and Type, byte 2 TD and Length[9:8], byte 3 Length[7:0].
  assign four     = word_d[1][5];
  assign has_data = word_d[1][6];
  assign ecrc     = word_d[1][23];
  always_comb begin
    data = {1'b0, word_d[1][17:16], word_d[1][31:24]};
    if (data == '0) data = 11'd1024;
    if (!has_data) data = '0;
    // Token, header of 3 or 4, data, ECRC, LCRC
    due        = 11'd1 + 11'd3 + 11'(four) + data + 11'(ecrc) + 11'd1;
    wrong_form = word_d[1][7] || length != due || data > 11'd32;
    up         = 3'd3 + 3'(four) + ((data > 11'd2) ? 3'd2 : data[2:0]);
    words      = '0;
    for (int unsigned k = 0; k < 6; k++) begin
      // Neither more than there is between token and LCRC.
      if (3'(k) < up && 11'(k) + 11'd2 < length) words[32*k +: 32] = word_d[k + 1];
    end
  end

  always_comb begin
    says = RxNone;
    if (valid_q && last_q) begin
      if (is_dllp) begin
        if (word_d[1][31:16] != dllp_crc(body)) says = RxDllpBad;
        else if (body[7:0] == 8'h00)            says = RxAck;
        else if (body[7:0] == 8'h10)            says = RxNak;
        // InitFC1 01, InitFC2 11, UpdateFC 10; classes 0 to 2; virtual channel 0
        else if (body[7:6] != 2'd0 && body[5:4] != 2'd3 && body[3:0] == 4'd0) says = RxFc;
      end else if (is_tlp) begin
        if (u_receiver.crc_d == LcrcGood)          says = (tail_q == TailEdb) ? RxBad : RxTlp;
        else if (u_receiver.crc_d == LcrcInverted) says = (tail_q == TailOther) ? RxBad : RxNone;
        else                                       says = RxBad;
      end else begin
        says = RxBad;
      end
    end
  end

  logic up_q;  // a cycle has gone, with the link up
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      says_q <= RxNone;
      up_q   <= 1'b0;
    end else begin
      says_q <= link_up_i ? says : RxNone;
      up_q   <= link_up_i;
    end
  end
  always_ff @(posedge clk_i) begin
    body_q          <= body;
    number_of_tlp_q <= {word_d[0][19:16], word_d[0][31:24]};
    wrong_form_q    <= wrong_form;
    words_q         <= words;
    bad_last_q      <= bad_q;
  end

  Verdict_A: assert property (@(posedge clk_i) disable iff (!rst_ni) kind == says_q);
  Forgets_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !up_q |-> kind == RxNone);
  Tlp_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      kind == RxTlp |-> sequence_number == number_of_tlp_q && malformed == wrong_form_q && tlp == words_q);
  Dllp_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      kind inside {RxAck, RxNak, RxFc} |-> dllp == body_q);
  Framing_A: assert property (@(posedge clk_i) disable iff (!rst_ni) kind == RxBad |-> framing == bad_last_q);

  // ---------------------------------------------------------------------------------------------
  // Words and CRC
  // ---------------------------------------------------------------------------------------------
  logic [15:0][31:0] crc_words;
  always_comb begin
    crc_words = piece_q;
    if (first_q) crc_words[0] = piece_q[0] & {12'hFF0, 20'hF_0000};
  end
  // The token counts with its sequence number alone.
  Crc_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_q && is_tlp |-> u_receiver.u_crc.valid_i && u_receiver.u_crc.count_i == count_q &&
      u_receiver.u_crc.dws_i == crc_words && u_receiver.u_crc.crc_i == (first_q ? LcrcStart : crc_q));
  Whole_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_q |-> first_q == !open_q && last_q == (number_d == (is_dllp ? 11'd2 : is_tlp ? length : 11'd1)));
  Good_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_receiver.kind == RxTlp |-> valid_q && last_q && is_tlp && number_d == length &&
                                   u_receiver.crc_d == LcrcGood && tail_q != TailEdb);

  // ---------------------------------------------------------------------------------------------
  // Both have the same
  // ---------------------------------------------------------------------------------------------
  Piece_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      valid_q == u_receiver.r1_valid_q && (!valid_q ||
      (first_q == u_receiver.r1_first_q && last_q == u_receiver.r1_last_q && bad_q == u_receiver.r1_bad_q &&
       tail_q == u_receiver.r1_tail_q && count_q == u_receiver.r1_count_q && piece_q == u_receiver.r1_q &&
       count_q != '0 && count_q <= 5'd16 && (!bad_q || (first_q && last_q && !is_dllp && !is_tlp)))));
  function automatic logic [10:0] packet_length(logic [31:0] token);
    logic [10:0] words_of;
    words_of = 11'd1;
    if (token[15:0] == TokenSdp) words_of = 11'd2;
    else if (begins_tlp(token[3:0], token[14:4], {token[15], token[23:20]})) words_of = token[14:4];
    return words_of;
  endfunction
  logic [10:0] left;
  always_comb begin
    left = '0;
    if (valid_q)     left = packet_length(word_d[0]) - number_d;
    else if (open_q) left = packet_length(word_q[0]) - number_q;
  end
  Left_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      u_receiver.u_unframe.left_q == left && (valid_q || !open_q || left != '0) &&
      (!open_q || (number_q != '0 && number_q < packet_length(word_q[0]))) &&
      (!valid_q || number_d <= packet_length(word_d[0])));
  Same_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q |-> u_receiver.crc_q == crc_q && 11'(u_receiver.have_q) == ((number_q < 11'd7) ? number_q : 11'd7));
  for (genvar w = 0; w < 7; w++) begin : g_word
    Word_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        open_q && number_q > 11'(w) |-> u_receiver.head_q[w] == word_q[w]);
  end

endmodule
