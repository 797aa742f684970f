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
  input  logic          valid_i,
  input  flit_payload_t payload_i,
  output logic [15:0]   crc_o
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

  always_comb begin
    crc_o = '0;
    if (valid_i) begin
      crc_o = {
        ^(payload_i & Masks[15]), ^(payload_i & Masks[14]), ^(payload_i & Masks[13]),
        ^(payload_i & Masks[12]), ^(payload_i & Masks[11]), ^(payload_i & Masks[10]),
        ^(payload_i & Masks[9]),  ^(payload_i & Masks[8]),  ^(payload_i & Masks[7]),
        ^(payload_i & Masks[6]),  ^(payload_i & Masks[5]),  ^(payload_i & Masks[4]),
        ^(payload_i & Masks[3]),  ^(payload_i & Masks[2]),  ^(payload_i & Masks[1]),
        ^(payload_i & Masks[0])
      };
    end
  end

endmodule
