// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ARB/MUX link management packets of the 68-byte flit: builds the flit of an ALMP and judges a
// received one.
//
// Source: CXL 2.0, chapter 5.2 (ALMP). Combinational.

module almp_codec
  import cxl_pkg::*;
(
  input  logic [3:0] enc_link_i,       // link named by the ALMP to send: 1 CXL.io, 2 CXL.cachemem
  input  logic       enc_request_i,    // 1 a Request, 0 a Status
  input  logic [3:0] enc_code_i,       // state that it names: 0, 1, 3..8 or B, as vlsm_e
  output flit_t      enc_flit_o,       // comb: its flit, four copies in [127:0], the rest 0

  input  flit_t      dec_flit_i,       // an ALMP flit received; [527:128] are ignored
  output logic       dec_damaged_o,    // comb: the four copies differ, nothing else counts
  output logic       dec_malformed_o,  // comb: the first copy is not a valid ALMP
  output logic [3:0] dec_link_o,       // link of the first copy; 1 or 2 unless malformed
  output logic       dec_request_o,    // of the first copy: 1 a Request, 0 a Status
  output logic [3:0] dec_code_o        // state of the first copy; any code can come
);

  almp_t sent, rcvd;

  always_comb begin
    sent            = '0;
    sent.link       = enc_link_i;
    sent.is_request = enc_request_i;
    sent.code       = enc_code_i;
    sent.kind       = AlmpVlsmState;
  end

  assign enc_flit_o = {400'd0, {4{sent}}};

  assign rcvd            = dec_flit_i[31:0];
  assign dec_damaged_o   = dec_flit_i[127:0] != {4{rcvd}};
  assign dec_malformed_o = rcvd.rsvd0 != '0 || rcvd.kind != AlmpVlsmState || rcvd.rsvd2 != '0 ||
                           rcvd.rsvd3 != '0 ||
                           (rcvd.link != AlmpIo && rcvd.link != AlmpCachemem);
  assign dec_link_o      = rcvd.link;
  assign dec_request_o   = rcvd.is_request;
  assign dec_code_o      = rcvd.code;

  // The rest of an ALMP flit is zero when sent and not looked at when received.
  logic unused_rest;
  assign unused_rest = ^dec_flit_i[FlitBits-1:128];

  always_comb begin
    a_copies: assert (enc_flit_o[127:64] == enc_flit_o[63:0] && enc_flit_o[63:32] == sent)
      else $error("the four copies of an ALMP to send differ");
  end

endmodule
