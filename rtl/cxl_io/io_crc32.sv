// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CRC-32 of LCRC, 04C11DB7h reflected, over up to Dws words of 32 bits at once: the register after
// them from the register before, least significant bit of each word first, without the final
// inversion.
//
// The words are aligned to the end, with zeros in front, so one tree serves every count.
//
// Source:  PCI Express Base 5.0, 3.6.2.1.
// Latency: 0.

module io_crc32 #(
  parameter int unsigned Dws = 16  // 2..16: words of 32 bits taken at once
) (
  input  logic               valid_i,  // low: crc_o is 0, and simulation pays nothing
  input  logic [31:0]        crc_i,    // register before the first word; LcrcStart for a token
  input  logic [4:0]         count_i,  // words that count: 1..Dws
  input  logic [32*Dws-1:0]  dws_i,    // first word in the low bits; zeros behind the last
  output logic [31:0]        crc_o     // register after the last word, not inverted; comb
);

  localparam int unsigned Bits = 32 * Dws;
  // What leaves a one in this bit of the register.
  function automatic logic [Bits-1:0] mask(logic [4:0] place);
    logic [Bits-1:0] bits;
    logic [31:0]     power;
    bits  = '0;
    power = 32'hEDB8_8320;
    for (int unsigned i = 0; i < Bits; i++) begin
      bits[Bits - 1 - i] = power[place];
      power = {1'b0, power[31:1]} ^ (power[0] ? 32'hEDB8_8320 : 32'd0);
    end
    return bits;
  endfunction

  logic [Bits-1:0] message;

  always_comb begin
    message = '0;
    if (valid_i) begin
      message       = dws_i;
      message[31:0] = message[31:0] ^ crc_i;
      message       = message << {5'(Dws) - count_i, 5'd0};
    end
  end

  for (genvar b = 0; b < 32; b++) begin : gen_bit
    localparam logic [Bits-1:0] Mask = mask(5'(b));
    always_comb begin
      crc_o[b] = 1'b0;
      if (valid_i) crc_o[b] = ^(message & Mask);
    end
  end

  if (Dws < 2 || Dws > 16) begin : g_dws
    $error("io_crc32: Dws is 2 to 16");
  end

endmodule
