// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CRC-16 of a 68-byte flit: sixteen XOR trees over the 512 payload bits. Combinational.
//
// Payload bit 511 is the highest power; initial value 0, no reflection, no final XOR (CXL 2.0,
// chapter 4.2, flit CRC). The masks are the powers x^(16+i) mod P, computed at elaboration.
//
// Zero without a flit, so that the trees rest: in silicon, and in simulation, where they would
// otherwise take a tenth of all the time there is.

module crc16
  import cxl_pkg::*;
(
  input  logic          valid_i,    // payload_i is a flit; low makes crc_o 0
  input  flit_payload_t payload_i,  // bits 511:0 of the flit
  output logic [15:0]   crc_o       // comb: the CRC for them, bits 527:512 of the flit
);

  typedef logic [15:0][FlitPayloadBits-1:0] masks_t;

  function automatic masks_t crc_masks();
    masks_t masks;
    logic [15:0] power;
    masks = '0;
    power = CrcPoly;
    for (int unsigned i = 0; i < FlitPayloadBits; i++) begin
      for (int unsigned b = 0; b < 16; b++) masks[b][i] = power[b];
      power = {power[14:0], 1'b0} ^ (power[15] ? CrcPoly : 16'd0);
    end
    return masks;
  endfunction

  localparam masks_t Masks = crc_masks();

  // In pieces of 64 bits, which a simulator folds in half the steps of one wide AND.
  logic [63:0] p0, p1, p2, p3, p4, p5, p6, p7;

  always_comb begin
    {p7, p6, p5, p4, p3, p2, p1, p0} = '0;
    crc_o = '0;
    if (valid_i) begin
      {p7, p6, p5, p4, p3, p2, p1, p0} = payload_i;
      for (int unsigned b = 0; b < 16; b++) begin
        crc_o[b] = ^((p0 & Masks[b][63:0]) ^ (p1 & Masks[b][127:64]) ^
                     (p2 & Masks[b][191:128]) ^ (p3 & Masks[b][255:192]) ^
                     (p4 & Masks[b][319:256]) ^ (p5 & Masks[b][383:320]) ^
                     (p6 & Masks[b][447:384]) ^ (p7 & Masks[b][511:448]));
      end
    end
  end

endmodule
