// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The check sums of CXL.io against PCI Express Base 5.0, bit by bit: LCRC of packets of any length. In links, by Part:
//
//   0 Aligned_A  io_crc32: the message is that of the words: the register before XORed into the first, the last word
//                at the end, zeros in front, for any count
//     Rest_A     without valid the register is 0
//   1 Word_A     with the message cut, any: what comes out is what came out without the last word, and then that word
//                bit by bit
//     Zero_A     of a message of zeros it is 0
//   2 Start_A    the register after the token is that after the sequence number in two bytes, from all ones (3.6.2.1)
//     Good_A, Inverted_A
//                the register has one value after the right LCRC, and after it alone; one after its complement
//     Dllp_A     the CRC-16 of a DLLP (3.5.1)
//
// Zero_A is the start and Word_A the step of an induction: what comes out is the register bit by bit after all words of
// the message. By Aligned_A those are the words handed in, from the register before. So what io_crc32 leaves after one
// call is where the next one goes on, and a packet of any number of flits has the CRC of its words.

module crc32_fv
  import cxl_io_pkg::*;
#(
  parameter int unsigned Part = 0,
  parameter int unsigned Dws = 16
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              valid_i,
  input logic [31:0]       crc_i,
  input logic [4:0]        count_i,
  input logic [32*Dws-1:0] dws_i,
  input logic [31:0]       word_i,
  input logic [11:0]       seq_i,
  input logic [10:0]       length_i
);

  // 32 bits, or so many, into the register; least significant first.
  function automatic logic [31:0] serial(logic [31:0] start, logic [31:0] bits, int unsigned number);
    logic [31:0] register;
    register = start;
    for (int unsigned i = 0; i < number; i++) begin
      register = {1'b0, register[31:1]} ^ ((register[0] ^ bits[i]) ? 32'hEDB8_8320 : 32'd0);
    end
    return register;
  endfunction

  if (Part == 0) begin : g_aligned
    logic [31:0]          crc;
    logic [Dws-1:0][31:0] words, aligned;
    logic                 legal;  // the contract: 1 to Dws words

    io_crc32 #(.Dws(Dws)) u_crc (.valid_i, .crc_i, .count_i, .dws_i, .crc_o(crc));

    assign words = dws_i;
    assign legal = valid_i && count_i >= 5'd1 && count_i <= 5'(Dws);
    always_comb begin
      aligned = '0;
      for (int unsigned c = 1; c <= Dws; c++) begin
        if (count_i == 5'(c)) begin
          for (int unsigned k = 0; k < c; k++) aligned[Dws - c + k] = words[k] ^ ((k == 0) ? crc_i : 32'd0);
        end
      end
    end

    Aligned_A: assert property (@(posedge clk_i) disable iff (!rst_ni) legal |-> u_crc.message == aligned);
    Rest_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i |-> crc == '0);
  end else if (Part == 1) begin : g_word
    logic [31:0]          crc, prior, expected;
    logic [Dws-1:0][31:0] message;

    io_crc32 #(.Dws(Dws)) u_crc (.valid_i, .crc_i, .count_i, .dws_i, .crc_o(crc));
    assign message = u_crc.message;
    io_crc32 #(.Dws(Dws)) u_before (
      .valid_i(1'b1), .crc_i('0), .count_i(5'(Dws)), .dws_i({message[Dws-2:0], 32'd0}), .crc_o(prior));

    assign expected = serial(prior, message[Dws-1], 32);
    for (genvar b = 0; b < 32; b++) begin : g_bit
      Word_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> crc[b] == expected[b]);
    end
    Zero_A: assert property (@(posedge clk_i) disable iff (!rst_ni) message == '0 |-> crc == '0);
  end else begin : g_lcrc
    logic [31:0] token, started, numbered, after, back;
    assign token    = stp_token(length_i, seq_i) & LcrcTokenMask;
    assign started  = serial(LcrcStart, token, 32);
    assign numbered = serial('1, {16'd0, seq_i[7:0], 4'd0, seq_i[11:8]}, 16);
    for (genvar b = 0; b < 32; b++) begin : g_start
      Start_A: assert property (@(posedge clk_i) disable iff (!rst_ni) started[b] == numbered[b]);
    end

    // After the word that follows, the LCRC: as it is without that register, and back again.
    assign after = serial(crc_i, word_i, 32);
    always_comb begin
      back = after;
      for (int unsigned i = 0; i < 32; i++) begin
        back = back[31] ? {back[30:0] ^ 31'h6DB8_8320, 1'b1} : {back[30:0], 1'b0};
      end
    end
    for (genvar b = 0; b < 32; b++) begin : g_bit
      Back_A: assert property (@(posedge clk_i) disable iff (!rst_ni) back[b] == crc_i[b] ^ word_i[b]);
    end
    Good_A: assert property (@(posedge clk_i) disable iff (!rst_ni) serial('0, '1, 32) == LcrcGood);
    Inverted_A: assert property (@(posedge clk_i) disable iff (!rst_ni) serial('0, '0, 32) == LcrcInverted);

    logic [15:0] dllp, sent;
    always_comb begin
      dllp = '1;
      for (int unsigned i = 0; i < 32; i++) dllp = {1'b0, dllp[15:1]} ^ ((dllp[0] ^ word_i[i]) ? 16'hD008 : 16'd0);
    end
    assign sent = dllp_crc(word_i);
    for (genvar b = 0; b < 16; b++) begin : g_dllp
      Dllp_A: assert property (@(posedge clk_i) disable iff (!rst_ni) sent[b] == !dllp[b]);
    end
  end

endmodule
