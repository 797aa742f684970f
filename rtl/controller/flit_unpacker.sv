// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Takes accepted flits apart: messages without data come out in the cycle of their flit, messages
// with data in the cycle of the flit that brings their last chunk. Outputs are combinational.
//
// Source: CXL 2.0, chapter 4.2: slot formats, packing and rollover.
//
// R chunks are owed and collected by chunk_rx. Messages that wait for data started in one slot:
// three header places are enough (one MDH slot).
//
// A DRS of 32 bytes is half of a line, the lower one first and the other next (chapter 3.3): the
// line comes out when both are here. A RwD of 32 bytes does not exist; its data is passed over.

module flit_unpacker
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1  // 0 or 1: it is in a device or in a host
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           start_i,        // pulse: the link starts; nothing is owed, no half waits

  input  logic           mdh_disable_i,  // level: several data headers in a slot are an error

  input  logic           valid_i,        // one flit that the link layer accepted; without it all
                                         // outputs but owed_o report nothing
  input  flit_payload_t  flit_i,         // its payload

  output logic [1:0]     nd_valid_o,     // messages without data in it (host NDR, device Req), in
                                         // order from bit 0: 0, 1 or 3
  output msg_hdr_t [1:0] nd_hdr_o,       // the messages in wire layout from bit 0
  output logic           wd_valid_o,     // the message with data that it completes (DRS, RwD)
  output msg_hdr_t       wd_hdr_o,       // its header in wire layout from bit 0
  output line_t          wd_data_o,      // its line, byte 0 in bits 7:0
  output byte_en_t       wd_be_o,        // its byte enables; all ones if none were sent
  output logic           wd_half_o,      // at a host: a first half of a line starts; a credit of
                                         // the peer is used, no message

  output logic           is_protocol_o,  // it is a protocol flit: its Ak and credits count
  output logic           is_control_o,   // it is a control flit
  output logic           err_o,          // it breaks a rule of format, packing or halves
  output logic [3:0]     owed_o          // 0..12: chunks owed before it (R), without valid_i too
);

  localparam int unsigned DhBits = IsHost ? S2mDrsBits : M2sRwdBits;
  localparam int unsigned DrsPoisonBit = 24;
  typedef logic [DhBits-1:0] data_hdr_t;

  data_hdr_t  hdr0_q, hdr1_q, hdr2_q;   // waiting headers, oldest first

  flit_header_t header;
  logic         is_adf;

  assign header        = flit_i[31:0];
  assign is_control_o  = valid_i && !is_adf && header.is_control;
  assign is_protocol_o = valid_i && !is_adf && !header.is_control;

  // ---------------------------------------------------------------------------------------------
  // Scan of a protocol flit: messages, new data headers, first slot of their data
  // ---------------------------------------------------------------------------------------------
  logic [1:0] nd_count;
  logic       dh_found;
  logic [1:0] dh_count;                 // headers started (MDH: up to 3)
  logic [1:0] dh_slot;                  // slot they came in
  data_hdr_t  dh0, dh1, dh2;
  data_hdr_t  dh_line;                  // dh0 as the message shows it
  logic       dh_be;
  logic       dh_mdh;
  logic [2:0] dh_slots;                 // slots that its data may still take; 7: all of the flit
  logic       err;

  // Opcodes that CXL 2.0 reserves, or has only for devices with CXL.cache: the flit of such a
  // message is the one to be logged. Opcodes have 3 bits from the device, 4 from the host.
  function automatic logic nd_reserved(logic [3:0] opcode);
    if (IsHost) return !(opcode[2:0] inside {Cmp, CmpS, CmpE});
    return !(opcode inside {MemInv, MemRd, MemRdData, MemSpecRd, MemInvNT});
  endfunction
  function automatic logic dh_reserved(logic [3:0] opcode);
    if (IsHost) return opcode[2:0] != MemData;
    return !(opcode inside {MemWr, MemWrPtl});
  endfunction

  // The slot under the loop's eye.
  slot_t      slot;
  logic [2:0] code;

  // Ak and credits are the link layer's; the last byte of a slot is never more than data.
  logic unused;
  assign unused = ^{header, slot[127:120]};

  logic [1:0] ndv;                      // its messages without data
  msg_hdr_t   nd0, nd1;
  logic [2:0] dhv;                      // its data headers
  data_hdr_t  h0, h1, h2;
  logic       mdh;

  always_comb begin
    slot     = '0;
    code     = '0;
    ndv      = '0;
    nd0      = '0;
    nd1      = '0;
    dhv      = '0;
    h0       = '0;
    h1       = '0;
    h2       = '0;
    mdh      = 1'b0;
    nd_count = 2'd0;
    nd_hdr_o = '0;
    dh_found = 1'b0;
    dh_count = 2'd0;
    dh_slot  = 2'd0;
    dh0      = '0;
    dh1      = '0;
    dh2      = '0;
    dh_be    = 1'b0;
    dh_mdh   = 1'b0;
    dh_slots = 3'd0;
    err      = 1'b0;
    if (is_protocol_o) begin
      for (int unsigned s = 0; s < 4; s++) begin
        slot = flit_i[SlotBits*s +: SlotBits];
        code = (s == 0) ? header.slot0 : (s == 1) ? header.slot1 :
               (s == 2) ? header.slot2 : header.slot3;
        ndv  = 2'b00;
        nd0  = '0;
        nd1  = '0;
        dhv  = 3'b000;
        mdh  = 1'b0;
        h0   = '0;
        h1   = '0;
        h2   = '0;
        if (s != 0 && (dh_slots != 3'd0 || 4'(s) <= owed_o)) begin
          if (code != SlotG0) err = 1'b1;      // a data chunk
          if (4'(s) > owed_o && dh_slots != 3'd7) dh_slots = dh_slots - 3'd1;
        end else if (IsHost) begin
          if (s == 0) begin
            unique case (code)
              SlotH0: begin
                ndv = {1'b0, slot[89]};
                nd0 = MsgHdrBits'(slot[118:89]);
                err |= slot[32] | slot[49] | slot[69];
              end
              SlotH1: err |= slot[32] | slot[111];
              SlotH2: err |= slot[32] | slot[49] | slot[66] | slot[83] | slot[100];
              SlotH3: begin
                dhv = {2'b00, slot[32]};
                h0  = DhBits'(slot[71:32]);
                ndv = {1'b0, slot[72]};
                nd0 = MsgHdrBits'(slot[101:72]);
              end
              SlotH4: begin
                ndv = {slot[60], slot[32]};
                nd0 = MsgHdrBits'({slot[91:90], slot[59:32]});
                nd1 = MsgHdrBits'(slot[89:60]);
              end
              SlotH5: begin
                dhv = {1'b0, slot[72], slot[32]};
                mdh = 1'b1;
                h0  = DhBits'(slot[71:32]);
                h1  = DhBits'(slot[111:72]);
              end
              default: err = 1'b1;
            endcase
          end else begin
            unique case (code)
              SlotG0: ;
              SlotG1: err |= slot[0] | slot[79] | slot[99];
              SlotG2: err |= slot[0] | slot[79] | slot[96];
              SlotG3: err |= slot[0] | slot[17] | slot[34] | slot[51];
              SlotG4: begin
                dhv = {2'b00, slot[0]};
                h0  = DhBits'(slot[39:0]);
                ndv = {slot[68], slot[40]};
                nd0 = MsgHdrBits'({slot[99:98], slot[67:40]});
                nd1 = MsgHdrBits'(slot[97:68]);
              end
              SlotG5: begin
                ndv = {slot[28], slot[0]};
                nd0 = MsgHdrBits'({slot[59:58], slot[27:0]});
                nd1 = MsgHdrBits'(slot[57:28]);
              end
              SlotG6: begin
                dhv = {slot[80], slot[40], slot[0]};
                mdh = 1'b1;
                h0  = DhBits'(slot[39:0]);
                h1  = DhBits'(slot[79:40]);
                h2  = DhBits'(slot[119:80]);
              end
              default: err = 1'b1;
            endcase
          end
        end else begin
          if (s == 0) begin
            unique case (code)
              SlotH0: err |= slot[32] | slot[96];
              SlotH1: err |= slot[32] | slot[56] | slot[88];
              SlotH2: err |= slot[32] | slot[96];
              SlotH3: err |= slot[32] | slot[56] | slot[80] | slot[104];
              SlotH4: begin
                dhv = {2'b00, slot[32]};
                h0  = DhBits'(slot[118:32]);
              end
              SlotH5: begin
                ndv = {1'b0, slot[32]};
                nd0 = slot[118:32];
              end
              default: err = 1'b1;
            endcase
          end else begin
            unique case (code)
              SlotG0: ;
              SlotG1: err |= slot[0] | slot[32] | slot[64] | slot[96];
              SlotG2: err |= slot[0] | slot[64] | slot[88];
              SlotG3: err |= slot[0] | slot[24] | slot[48] | slot[72] | slot[96];
              SlotG4: begin
                ndv = {1'b0, slot[0]};
                nd0 = slot[86:0];
                err |= slot[88];
              end
              SlotG5: begin
                dhv = {2'b00, slot[0]};
                h0  = DhBits'(slot[86:0]);
                err |= slot[88];
              end
              default: err = 1'b1;
            endcase
          end
        end

        err |= (ndv[0] && nd_reserved(nd0[4:1])) || (ndv[1] && nd_reserved(nd1[4:1])) ||
               (dhv[0] && dh_reserved(h0[4:1])) || (dhv[1] && dh_reserved(h1[4:1])) ||
               (dhv[2] && dh_reserved(h2[4:1]));

        // Messages without data, in order; a third one is too many.
        if (ndv[0]) begin
          if (nd_count[1]) err = 1'b1;
          else begin
            nd_hdr_o[nd_count[0]] = nd0;
            nd_count = nd_count + 2'd1;
          end
        end
        if (ndv[1]) begin
          if (nd_count[1]) err = 1'b1;
          else begin
            nd_hdr_o[nd_count[0]] = nd1;
            nd_count = nd_count + 2'd1;
          end
        end

        // Data headers; slots after them are data, so there is one such slot a flit. Only after a
        // short message there could be another, which is not allowed.
        if (dhv != 3'b000 && dh_found) begin
          err = 1'b1;
        end else if (dhv != 3'b000) begin
          dh_found = 1'b1;
          dh_slot  = 2'(s);
          dh_count = 2'(dhv[0]) + 2'(dhv[1]) + 2'(dhv[2]);
          dh0      = dhv[0] ? h0 : dhv[1] ? h1 : h2;
          dh1      = (dhv[0] && dhv[1]) ? h1 : h2;
          dh2      = h2;
          dh_be    = header.be && !mdh;
          dh_mdh   = mdh;
          dh_slots = (header.sz || mdh) ? 3'd7 : 3'd2 + 3'(header.be);
          // Halves of a line are the device's to send, byte enables the host's.
          if (!header.sz && (mdh || !IsHost)) err = 1'b1;
          if (header.be && (mdh || IsHost))   err = 1'b1;
          if (mdh && mdh_disable_i)           err = 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Halves of a line. What waits is decided with the header; no data header may come between.
  // ---------------------------------------------------------------------------------------------
  logic dh_short, dh_first, dh_second, half_err;

  assign dh_short = dh_found && !header.sz && !dh_mdh;

  if (IsHost) begin : g_half
    s2m_drs_t drs, half_hdr_q;
    logic     half_q;                    // a first half has come, the second has not

    assign drs       = s2m_drs_t'(dh0);
    assign dh_second = dh_short && half_q && drs.tag == half_hdr_q.tag &&
                       drs.ld_id == half_hdr_q.ld_id;
    assign dh_first  = dh_short && !dh_second;
    assign half_err  = dh_found && half_q && !dh_second;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)       half_q <= 1'b0;
      else if (start_i)  half_q <= 1'b0;
      else if (dh_found) half_q <= dh_first;
    end

    always_ff @(posedge clk_i) begin
      if (dh_first) half_hdr_q <= drs;
    end

    // A line is as bad as its worse half.
    always_comb begin
      dh_line = dh0;
      if (dh_second && half_hdr_q.poison) dh_line[DrsPoisonBit] = 1'b1;
    end

    logic unused_half;
    assign unused_half = ^{half_hdr_q, drs};
  end else begin : g_whole
    assign dh_first  = 1'b0;
    assign dh_second = 1'b0;
    assign half_err  = 1'b0;
    assign dh_line   = dh0;
  end

  assign nd_valid_o = {nd_count[1], nd_count != 2'd0};
  assign wd_half_o  = dh_first;
  assign err_o      = err || half_err;

  // ---------------------------------------------------------------------------------------------
  // Data and the headers that wait for it
  // ---------------------------------------------------------------------------------------------
  logic here;

  chunk_rx u_data (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .start_i   (start_i),
    .valid_i   (valid_i),
    .protocol_i(is_protocol_o),
    .flit_i    (flit_i),
    .found_i   (dh_found),
    .slot_i    (dh_slot),
    .count_i   (dh_count),
    .be_i      (dh_be),
    .short_i   (dh_short),
    .first_i   (dh_first),
    .second_i  (dh_second),
    .half_be_i (1'b0),                 // DRS and RwD halves have none
    .owed_o    (owed_o),
    .is_adf_o  (is_adf),
    .complete_o(wd_valid_o),
    .here_o    (here),
    .line_o    (wd_data_o),
    .be_o      (wd_be_o)
  );

  assign wd_hdr_o = here ? MsgHdrBits'(dh_line) : MsgHdrBits'(hdr0_q);

  always_ff @(posedge clk_i) begin
    if (is_protocol_o && dh_found) begin
      hdr0_q <= dh_line;
      hdr1_q <= dh1;
      hdr2_q <= dh2;
    end else if (wd_valid_o) begin
      hdr0_q <= hdr1_q;
      hdr1_q <= hdr2_q;
    end
  end

  a_nd: assert property (@(posedge clk_i) disable iff (!rst_ni) nd_valid_o != 2'b10)
    else $error("a second message without data came without a first");
  a_adf: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (valid_i && is_adf) |-> nd_valid_o == 2'b00 && !err_o)
    else $error("an all-data flit brought a message without data or an error");

endmodule
