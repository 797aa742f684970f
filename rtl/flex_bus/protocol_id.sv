// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// The 16-bit protocol ID in front of every 68-byte flit: both bytes carry the same 8-bit code, any
// two codes differ in at least four bits. Encodes a kind, and judges two received bytes (CXL 2.0,
// chapter 6.2, protocol ID encodings and framing errors).
//
// Latency: combinational.

module protocol_id
  import cxl_pkg::*;
(
  input  flit_kind_e  kind_i,     // kind of the flit to send
  input  logic        eds_i,      // the data stream ends with this flit
  output logic [15:0] id_o,       // comb: its ID, [7:0] first on the wire

  input  logic [7:0]  byte_a_i,   // ID[7:0] received, first on the wire
  input  logic [7:0]  byte_b_i,   // ID[15:8] received
  input  logic [3:0]  expect_i,   // bit k: flits of kind k of flit_kind_e may arrive
  output id_verdict_e verdict_o,  // comb: whether the ID received is to be trusted
  output flit_kind_e  kind_o,     // comb: kind that it names, if not IdUncorrectable
  output logic        eds_o       // comb: the data stream ends with that flit; likewise
);

  function automatic logic codes_far_apart();
    logic ok;
    ok = 1'b1;
    for (int i = 0; i < 8; i++) begin
      for (int j = 0; j < i; j++) begin
        if ($countones(ProtocolIdCodes[i] ^ ProtocolIdCodes[j]) < 4) ok = 1'b0;
      end
    end
    return ok;
  endfunction

  if (!codes_far_apart()) begin : g_codes
    $error("protocol ID codes closer than four bits");
  end

  logic       a_valid, b_valid;
  logic [2:0] a_index, b_index;

  assign id_o = {2{ProtocolIdCodes[{eds_i, kind_i}]}};

  always_comb begin
    a_valid = 1'b0;
    b_valid = 1'b0;
    a_index = '0;
    b_index = '0;
    for (int unsigned i = 0; i < 8; i++) begin
      if (byte_a_i == ProtocolIdCodes[i]) begin
        a_valid = 1'b1;
        a_index = a_index | 3'(i);
      end
      if (byte_b_i == ProtocolIdCodes[i]) begin
        b_valid = 1'b1;
        b_index = b_index | 3'(i);
      end
    end

    {eds_o, kind_o} = {a_valid ? a_index[2] : b_index[2],
                       flit_kind_e'(a_valid ? a_index[1:0] : b_index[1:0])};
    if ((!a_valid && !b_valid) || (a_valid && b_valid && a_index != b_index)) begin
      verdict_o = IdUncorrectable;
    end else if (!expect_i[kind_o]) begin
      verdict_o = IdUnexpected;
    end else if (a_valid && b_valid) begin
      verdict_o = IdNormal;
    end else begin
      verdict_o = IdCorrectable;
    end
  end

  always_comb begin
    a_equal: assert (verdict_o != IdNormal || byte_a_i == byte_b_i)
      else $error("an ID counts as normal though its bytes differ");
    a_no_invention: assert (verdict_o == IdUncorrectable || {2{ProtocolIdCodes[{eds_o, kind_o}]}} ==
        {byte_a_i, byte_a_i} || {2{ProtocolIdCodes[{eds_o, kind_o}]}} == {byte_b_i, byte_b_i})
      else $error("an ID is trusted that neither byte carries");
  end

endmodule
