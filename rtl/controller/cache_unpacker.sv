// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// flit_unpacker for a link with CXL.cache: takes accepted flits of either direction apart, in every
// slot format there is. Messages without data come out in the cycle of their flit, messages with
// data in the cycle of the flit that brings their last chunk. Outputs are combinational.
//
// Source: CXL 2.0, chapter 4.2: slot formats, packing and rollover.
//
// R chunks are owed and collected by chunk_rx. Messages that wait for data started in one slot,
// thus are all mem or all cache data: four header places are enough (one MDH slot). A line may come
// in two halves of 32 bytes: D2H and H2D data by ChunkValid, DRS by their order.

module cache_unpacker
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1  // 0 or 1: it is in a device or in a host
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,        // pulse: the link starts; nothing is owed, no half waits

  input  logic             mdh_disable_i,  // level: several data headers in a slot are an error

  input  logic             valid_i,        // one flit that the link layer accepted; without it all
                                           // outputs but owed_o report nothing
  input  flit_payload_t    flit_i,         // its payload

  output logic [1:0]       nd_valid_o,     // messages without data in it (host NDR, device Req), in
                                           // order from bit 0: 0, 1 or 3
  output msg_hdr_t [1:0]   nd_hdr_o,       // the messages in wire layout from bit 0
  output logic             wd_valid_o,     // the message with data that it completes (DRS, RwD)
  output msg_hdr_t         wd_hdr_o,       // its header in wire layout from bit 0
  output line_t            wd_data_o,      // the line of wd or cdat, byte 0 in bits 7:0
  output byte_en_t         wd_be_o,        // byte enables of wd or cdat; all ones if none were sent
  output logic             wd_half_o,      // at a host: a first half of a line starts; a credit of
                                           // the peer is used, no message

  output logic [3:0]       creq_valid_o,   // Req of CXL.cache in it, in order from bit 0: up to 4
                                           // at a host, up to 2 at a device
  output cache_req_t [3:0] creq_hdr_o,     // the messages in wire layout from bit 0
  output logic [1:0][2:0]  creq_older_o,   // 0..4, device: Rsp in it before Req 0, 1; host: 0
  output logic [3:0]       crsp_valid_o,   // Rsp, likewise: host up to 2, device up to 4
  output cache_rsp_t [3:0] crsp_hdr_o,     // the messages, likewise
  output logic             cdat_valid_o,   // the Data that it completes; never with wd_valid_o
  output cache_dh_t        cdat_hdr_o,     // its header in wire layout from bit 0
  output logic             cdat_half_o,    // as wd_half_o, of a line of Data; at both ends

  output logic             is_protocol_o,  // it is a protocol flit: its Ak and credits count
  output logic             is_control_o,   // it is a control flit
  output logic             err_o,          // it breaks a rule of format, packing or halves
  output logic [4:0]       owed_o          // 0..16: chunks owed before it (R), without valid_i too
);

  localparam int unsigned DhBits = IsHost ? S2mDrsBits : M2sRwdBits;  // at least cache's
  localparam int unsigned DrsPoisonBit = 24;
  // Data headers of CXL.cache, in either direction: {Bogus or GO-Err, Poison}, ChunkValid, ID.
  localparam int unsigned CdatMarksLsb = 14;
  localparam int unsigned CdatChunkBit = 13;
  localparam int unsigned CdatIdLsb = 1;
  localparam int unsigned CdatIdBits = 12;
  localparam logic [2:0] CreqMax = IsHost ? 3'd4 : 3'd2;
  localparam logic [2:0] CrspMax = IsHost ? 3'd2 : 3'd4;
  typedef logic [DhBits-1:0] data_hdr_t;

  data_hdr_t [3:0] hdr_q;                // waiting headers, oldest first
  logic            cache_q;              // what waits is CXL.cache's

  flit_header_t header;
  logic         is_adf;

  assign header        = flit_i[31:0];
  assign is_control_o  = valid_i && !is_adf && header.is_control;
  assign is_protocol_o = valid_i && !is_adf && !header.is_control;

  // ---------------------------------------------------------------------------------------------
  // Scan of a protocol flit: messages, new data headers, first slot of their data
  // ---------------------------------------------------------------------------------------------
  logic            dh_found;
  logic [2:0]      dh_count;             // headers started (MDH: up to 4)
  logic [1:0]      dh_slot;              // slot they came in
  data_hdr_t [3:0] dh;
  logic            dh_be, dh_cache, dh_mdh;
  logic [2:0]      dh_slots;             // slots that its data may still take; 7: all of the flit
  data_hdr_t       dh_line;              // the first as the message shows it
  logic [1:0]      nd_count;
  logic [2:0]      creq_count, crsp_count;
  logic            err;

  // The slot under the loop's eye.
  slot_t            slot;
  logic [2:0]       code;
  logic [1:0]       ndv;                 // its messages
  msg_hdr_t [1:0]   ndm;
  logic             cqv;
  cache_req_t       cqm;
  logic [3:0]       cpv;
  cache_rsp_t [3:0] cpm;
  logic [3:0]       dhv;                 // its data headers
  data_hdr_t [3:0]  dhm;
  logic             mdh, cache;

  // Ak and credits are the link layer's.
  logic unused;
  assign unused = ^header;

  always_comb begin
    slot         = '0;
    code         = '0;
    ndv          = '0;
    ndm          = '0;
    cqv          = 1'b0;
    cqm          = '0;
    cpv          = '0;
    cpm          = '0;
    dhv          = '0;
    dhm          = '0;
    mdh          = 1'b0;
    cache        = 1'b0;
    nd_count     = '0;
    nd_hdr_o     = '0;
    creq_count   = '0;
    creq_hdr_o   = '0;
    creq_older_o = '0;
    crsp_count   = '0;
    crsp_hdr_o   = '0;
    dh_found     = 1'b0;
    dh_count     = '0;
    dh_slot      = '0;
    dh           = '0;
    dh_be        = 1'b0;
    dh_cache     = 1'b0;
    dh_mdh       = 1'b0;
    dh_slots     = '0;
    err          = 1'b0;
    if (is_protocol_o) begin
      for (int unsigned s = 0; s < 4; s++) begin
        slot  = flit_i[SlotBits*s +: SlotBits];
        code  = (s == 0) ? header.slot0 : (s == 1) ? header.slot1 :
                (s == 2) ? header.slot2 : header.slot3;
        ndv   = '0;
        ndm   = '0;
        cqv   = 1'b0;
        cqm   = '0;
        cpv   = '0;
        cpm   = '0;
        dhv   = '0;
        dhm   = '0;
        mdh   = 1'b0;
        cache = 1'b1;
        if (s != 0 && (dh_slots != 3'd0 || 5'(s) <= owed_o)) begin
          if (code != SlotG0) err = 1'b1;      // a data chunk
          if (5'(s) > owed_o && dh_slots != 3'd7) dh_slots = dh_slots - 3'd1;
        end else if (IsHost) begin
          if (s == 0) begin
            unique case (code)
              SlotH0: begin
                dhv[0] = slot[32];
                dhm[0] = DhBits'(slot[48:32]);
                cpv    = {2'b00, slot[69], slot[49]};
                cpm[0] = H2dRspBits'(slot[68:49]);
                cpm[1] = H2dRspBits'(slot[88:69]);
                ndv[0] = slot[89];
                ndm[0] = MsgHdrBits'(slot[118:89]);
              end
              SlotH1: begin
                cqv    = slot[32];
                cqm    = slot[110:32];
                dhv[0] = slot[111];
                dhm[0] = DhBits'(slot[127:111]);
              end
              SlotH2: begin
                mdh    = 1'b1;
                dhv    = {slot[83], slot[66], slot[49], slot[32]};
                dhm[0] = DhBits'(slot[48:32]);
                dhm[1] = DhBits'(slot[65:49]);
                dhm[2] = DhBits'(slot[82:66]);
                dhm[3] = DhBits'(slot[99:83]);
                cpv[0] = slot[100];
                cpm[0] = H2dRspBits'(slot[119:100]);
              end
              SlotH3: begin
                cache  = 1'b0;
                dhv[0] = slot[32];
                dhm[0] = DhBits'(slot[71:32]);
                ndv[0] = slot[72];
                ndm[0] = MsgHdrBits'(slot[101:72]);
              end
              SlotH4: begin
                ndv    = {slot[60], slot[32]};
                ndm[0] = MsgHdrBits'({slot[91:90], slot[59:32]});
                ndm[1] = MsgHdrBits'(slot[89:60]);
              end
              SlotH5: begin
                cache  = 1'b0;
                mdh    = 1'b1;
                dhv    = {2'b00, slot[72], slot[32]};
                dhm[0] = DhBits'(slot[71:32]);
                dhm[1] = DhBits'(slot[111:72]);
              end
              default: err = 1'b1;
            endcase
          end else begin
            unique case (code)
              SlotG0: ;
              SlotG1: begin
                cqv    = slot[0];
                cqm    = slot[78:0];
                cpv    = {2'b00, slot[99], slot[79]};
                cpm[0] = H2dRspBits'(slot[98:79]);
                cpm[1] = H2dRspBits'(slot[118:99]);
              end
              SlotG2: begin
                cqv    = slot[0];
                cqm    = slot[78:0];
                dhv[0] = slot[79];
                dhm[0] = DhBits'(slot[95:79]);
                cpv[0] = slot[96];
                cpm[0] = H2dRspBits'(slot[115:96]);
              end
              SlotG3: begin
                mdh    = 1'b1;
                dhv    = {slot[51], slot[34], slot[17], slot[0]};
                dhm[0] = DhBits'(slot[16:0]);
                dhm[1] = DhBits'(slot[33:17]);
                dhm[2] = DhBits'(slot[50:34]);
                dhm[3] = DhBits'(slot[67:51]);
              end
              SlotG4: begin
                cache  = 1'b0;
                dhv[0] = slot[0];
                dhm[0] = DhBits'(slot[39:0]);
                ndv    = {slot[68], slot[40]};
                ndm[0] = MsgHdrBits'({slot[99:98], slot[67:40]});
                ndm[1] = MsgHdrBits'(slot[97:68]);
              end
              SlotG5: begin
                ndv    = {slot[28], slot[0]};
                ndm[0] = MsgHdrBits'({slot[59:58], slot[27:0]});
                ndm[1] = MsgHdrBits'(slot[57:28]);
              end
              SlotG6: begin
                cache  = 1'b0;
                mdh    = 1'b1;
                dhv    = {1'b0, slot[80], slot[40], slot[0]};
                dhm[0] = DhBits'(slot[39:0]);
                dhm[1] = DhBits'(slot[79:40]);
                dhm[2] = DhBits'(slot[119:80]);
              end
              default: err = 1'b1;
            endcase
          end
        end else begin
          if (s == 0) begin
            unique case (code)
              SlotH0: begin
                cqv    = slot[32];
                cqm    = D2hReqBits'(slot[95:32]);
                cpv[0] = slot[96];
                cpm[0] = slot[127:96];
              end
              SlotH1: begin
                dhv[0] = slot[32];
                dhm[0] = DhBits'(slot[55:32]);
                cpv    = {2'b00, slot[88], slot[56]};
                cpm[0] = slot[87:56];
                cpm[1] = slot[119:88];
              end
              SlotH2: begin
                cqv    = slot[32];
                cqm    = D2hReqBits'(slot[95:32]);
                dhv[0] = slot[96];
                dhm[0] = DhBits'(slot[119:96]);
              end
              SlotH3: begin
                mdh    = 1'b1;
                dhv    = {slot[104], slot[80], slot[56], slot[32]};
                dhm[0] = DhBits'(slot[55:32]);
                dhm[1] = DhBits'(slot[79:56]);
                dhm[2] = DhBits'(slot[103:80]);
                dhm[3] = DhBits'(slot[127:104]);
              end
              SlotH4: begin
                cache  = 1'b0;
                dhv[0] = slot[32];
                dhm[0] = DhBits'(slot[118:32]);
              end
              SlotH5: begin
                ndv[0] = slot[32];
                ndm[0] = slot[118:32];
              end
              default: err = 1'b1;
            endcase
          end else begin
            unique case (code)
              SlotG0: ;
              SlotG1: begin
                cpv = {slot[96], slot[64], slot[32], slot[0]};
                cpm = slot;
              end
              SlotG2: begin
                cqv    = slot[0];
                cqm    = D2hReqBits'(slot[63:0]);
                dhv[0] = slot[64];
                dhm[0] = DhBits'(slot[87:64]);
                cpv[0] = slot[88];
                cpm[0] = slot[119:88];
              end
              SlotG3: begin
                mdh    = 1'b1;
                dhv    = {slot[72], slot[48], slot[24], slot[0]};
                dhm[0] = DhBits'(slot[23:0]);
                dhm[1] = DhBits'(slot[47:24]);
                dhm[2] = DhBits'(slot[71:48]);
                dhm[3] = DhBits'(slot[95:72]);
                cpv[0] = slot[96];
                cpm[0] = slot[127:96];
              end
              SlotG4: begin
                ndv[0] = slot[0];
                ndm[0] = slot[86:0];
                dhv[0] = slot[88];
                dhm[0] = DhBits'(slot[111:88]);
              end
              SlotG5: begin
                cache  = 1'b0;
                dhv[0] = slot[0];
                dhm[0] = DhBits'(slot[86:0]);
                cpv[0] = slot[88];
                cpm[0] = slot[119:88];
              end
              default: err = 1'b1;
            endcase
          end
        end

        // Messages without data, in order (no slot has a response before a request); one too many
        // is dropped.
        for (int unsigned k = 0; k < 2; k++) begin
          if (ndv[k]) begin
            if (nd_count[1]) err = 1'b1;
            else begin
              nd_hdr_o[nd_count[0]] = ndm[k];
              nd_count = nd_count + 2'd1;
            end
          end
        end
        if (cqv) begin
          if (creq_count == CreqMax) err = 1'b1;
          else begin
            creq_hdr_o[creq_count[1:0]] = cqm;
            if (!IsHost) creq_older_o[creq_count[0]] = crsp_count;
            creq_count = creq_count + 3'd1;
          end
        end
        for (int unsigned k = 0; k < 4; k++) begin
          if (cpv[k]) begin
            if (crsp_count == CrspMax) err = 1'b1;
            else begin
              crsp_hdr_o[crsp_count[1:0]] = cpm[k];
              crsp_count = crsp_count + 3'd1;
            end
          end
        end

        // Data headers; slots after them are data, so there is one such slot a flit. Only after a
        // short message there could be another, which is not allowed.
        if (dhv != '0 && dh_found) begin
          err = 1'b1;
        end else if (dhv != '0) begin
          dh_found = 1'b1;
          dh_slot  = 2'(s);
          dh_be    = header.be && !mdh;
          dh_cache = cache;
          dh_mdh   = mdh;
          dh_slots = (header.sz || mdh) ? 3'd7 : 3'd2 + 3'(header.be);
          for (int unsigned k = 0; k < 4; k++) begin
            if (dhv[k]) begin
              dh[dh_count[1:0]] = dhm[k];
              dh_count = dh_count + 3'd1;
            end
          end
          // Byte enables come with D2H data and RwD alone; RwD alone has no halves.
          if (!header.sz && (mdh || !(IsHost || cache))) err = 1'b1;
          if (header.be && (mdh || IsHost != cache))     err = 1'b1;
          if (mdh && mdh_disable_i)                      err = 1'b1;
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Halves of a line. What waits is decided with the header; no data header may come between. One
  // of CXL.cache is told by its ID and ChunkValid, a DRS as in flit_unpacker. A RwD is none.
  // ---------------------------------------------------------------------------------------------
  logic                  dh_short, dh_first, dh_second, half_err;
  logic                  half_q;         // a first half has come, the second has not
  logic                  half_cache_q;   // it is CXL.cache's
  logic [CdatIdBits-1:0] cdat_id, half_id_q;
  logic [1:0]            half_marks_q;
  logic                  cdat_upper, mem_second, mem_first, half_poison;

  assign dh_short   = dh_found && !header.sz && !dh_mdh;
  assign cdat_id    = dh[0][CdatIdLsb +: CdatIdBits];
  assign cdat_upper = dh[0][CdatChunkBit];
  assign dh_second  = dh_cache ? dh_short && cdat_upper && half_q && half_cache_q &&
                                 cdat_id == half_id_q
                               : mem_second;
  assign dh_first   = dh_cache ? dh_short && !cdat_upper : mem_first;
  assign half_err   = dh_found && half_q && !dh_second ||
                      dh_short && dh_cache && !dh_first && !dh_second;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       half_q <= 1'b0;
    else if (start_i)  half_q <= 1'b0;
    else if (dh_found) half_q <= dh_first;
  end

  always_ff @(posedge clk_i) begin
    if (dh_first) begin
      half_cache_q <= dh_cache;
      half_id_q    <= cdat_id;
      half_marks_q <= dh[0][CdatMarksLsb +: 2];
    end
  end

  if (IsHost) begin : g_drs
    s2m_drs_t drs, half_hdr_q;

    assign drs        = s2m_drs_t'(dh[0]);
    assign mem_second = dh_short && half_q && !half_cache_q && drs.tag == half_hdr_q.tag &&
                        drs.ld_id == half_hdr_q.ld_id;
    assign mem_first  = dh_short && !mem_second;

    always_ff @(posedge clk_i) begin
      if (dh_first) half_hdr_q <= drs;
    end

    assign half_poison = half_hdr_q.poison;

    logic unused_half;
    assign unused_half = ^{half_hdr_q, drs};
  end else begin : g_rwd
    assign mem_second  = 1'b0;
    assign mem_first   = 1'b0;
    assign half_poison = 1'b0;
  end

  // A line is as bad as its worse half.
  always_comb begin
    dh_line = dh[0];
    if (dh_second && dh_cache) begin
      dh_line[CdatMarksLsb +: 2] = dh[0][CdatMarksLsb +: 2] | half_marks_q;
    end else if (dh_second && half_poison) begin
      dh_line[DrsPoisonBit] = 1'b1;
    end
  end

  assign nd_valid_o  = {nd_count[1], nd_count != 2'd0};
  assign wd_half_o   = dh_first && !dh_cache;
  assign cdat_half_o = dh_first && dh_cache;
  assign err_o       = err || half_err;

  always_comb begin
    for (int unsigned k = 0; k < 4; k++) begin
      creq_valid_o[k] = 3'(k) < creq_count;
      crsp_valid_o[k] = 3'(k) < crsp_count;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Data and the headers that wait for it
  // ---------------------------------------------------------------------------------------------
  logic complete, here;

  chunk_rx #(
    .OwedW(5)
  ) u_data (
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
    .half_be_i (IsHost && dh_cache && dh_short && dh_be),
    .owed_o    (owed_o),
    .is_adf_o  (is_adf),
    .complete_o(complete),
    .here_o    (here),
    .line_o    (wd_data_o),
    .be_o      (wd_be_o)
  );

  data_hdr_t complete_hdr;
  logic      complete_cache;

  assign complete_hdr   = here ? dh_line : hdr_q[0];
  assign complete_cache = here ? dh_cache : cache_q;
  assign wd_valid_o     = complete && !complete_cache;
  assign cdat_valid_o   = complete && complete_cache;
  assign wd_hdr_o       = MsgHdrBits'(complete_hdr);
  assign cdat_hdr_o     = complete_hdr[H2dDhBits-1:0];

  always_ff @(posedge clk_i) begin
    if (is_protocol_o && dh_found) begin
      hdr_q   <= {dh[3:1], dh_line};
      cache_q <= dh_cache;
    end else if (complete) begin
      hdr_q[2:0] <= hdr_q[3:1];
    end
  end

  a_owed: assert property (@(posedge clk_i) disable iff (!rst_ni) owed_o <= 5'd16)
    else $error("more than 16 chunks are owed");
  a_nd: assert property (@(posedge clk_i) disable iff (!rst_ni) nd_valid_o != 2'b10)
    else $error("a second message without data came without a first");
  a_one_line: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(wd_valid_o && cdat_valid_o))
    else $error("a flit completes a line for both CXL.mem and CXL.cache");
  a_half: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wd_half_o || cdat_half_o) |-> is_protocol_o && !(wd_half_o && cdat_half_o))
    else $error("a first half starts outside a protocol flit, or for both protocols");
  a_half_waits: assert property (@(posedge clk_i) disable iff (!rst_ni)
      half_q && !dh_found && !start_i |=> half_q)
    else $error("a waiting half was dropped without a data header or a start");
  a_adf: assert property (@(posedge clk_i) disable iff (!rst_ni) (valid_i && is_adf) |->
      nd_valid_o == '0 && creq_valid_o == '0 && crsp_valid_o == '0 && !err_o)
    else $error("an all-data flit brought a message without data or an error");

endmodule
