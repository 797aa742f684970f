// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// io_crc32 against the CRC of PCI Express Base 5.0, 3.6.2.1, bit by bit. In two links, by Part:
//
//   0 Aligned_A  the message is that of the words: the register before XORed into the first, the last word at the
//                end, zeros in front, for any count
//   1 Serial_A   what comes out is the register after all bits of the message from a register of zero, with the
//                message cut: any. Zeros in front leave that register at zero, so both together, at one size, are
//                the CRC of the words from the register before.
//   0 Rest_A     without valid the register is 0

module crc32_fv #(
  parameter int unsigned Part = 0,
  parameter int unsigned Dws = 16
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              valid_i,
  input logic [31:0]       crc_i,
  input logic [4:0]        count_i,
  input logic [32*Dws-1:0] dws_i
);

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

  function automatic logic [31:0] serial(logic [32*Dws-1:0] message);
    logic [31:0] register;
    register = '0;
    for (int unsigned i = 0; i < 32 * Dws; i++) begin
      register = {1'b0, register[31:1]} ^ ((register[0] ^ message[i]) ? 32'hEDB8_8320 : 32'd0);
    end
    return register;
  endfunction

  if (Part == 0) begin : g_aligned
    Aligned_A: assert property (@(posedge clk_i) disable iff (!rst_ni) legal |-> u_crc.message == aligned);
    Rest_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !valid_i |-> crc == '0);
  end else begin : g_serial
    logic [31:0] expected;
    assign expected = serial(u_crc.message);
    for (genvar b = 0; b < 32; b++) begin : g_bit
      Serial_A: assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> crc[b] == expected[b]);
    end
  end

endmodule
