// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// flit_packer for a link with CXL.cache: packs CXL.mem and CXL.cache messages and their data into
// 68-byte flits, one flit a cycle, combinationally from the heads of the transmit queues and the
// data still owed. With no cache message offered it makes the flits of flit_packer.
//
// Source: CXL 2.0, chapter 4.2: flit header, slot formats, packing rules.
//
// A protocol flit has up to two places for messages: slot 0, for which mem and cache take turns,
// and, unless a data header went there, the first of slots 1..3 that owes no data. What is owed
// chunk_tx keeps:
//
//   chunk   0 1 2 3                 4 5 6 7
//   host    RwD or H2D data         RwD byte enables (4)
//   device  DRS 0 or D2H data       DRS 1, or D2H byte enables (4)

module cache_packer
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1  // 0 or 1: packs D2H and S2M, or H2D and M2S
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,        // pulse: the link starts, nothing is owed; wins over all

  input  logic             take_i,         // the offered flit leaves; only with has_content_o
  input  logic             hold_new_i,     // level: no message may start; owed data still leaves
  input  logic             mdh_disable_i,  // level: no slot with two data headers; at a device

  input  logic [1:0]       nd_valid_i,     // messages without data that may leave (host Req, device
                                           // NDR), bit 0 the oldest: 0, 1 or 3
  input  msg_hdr_t [1:0]   nd_hdr_i,       // the messages in wire layout from bit 0, Valid set
  input  logic [1:0]       wd_valid_i,     // messages with data that may leave (RwD, DRS), likewise
  input  msg_hdr_t [1:0]   wd_hdr_i,       // the headers, likewise
  input  line_t [1:0]      wd_data_i,      // the lines, byte 0 in bits 7:0
  input  byte_en_t [1:0]   wd_be_i,        // byte enables, bit k for byte k; a device ignores them

  input  logic [1:0]       creq_valid_i,   // Req of CXL.cache that may leave, bit 0 the oldest:
                                           // 0, 1 or 3
  input  cache_req_t [1:0] creq_hdr_i,     // the messages in wire layout from bit 0, Valid set
  input  logic [1:0]       crsp_valid_i,   // Rsp of CXL.cache, likewise
  input  cache_rsp_t [1:0] crsp_hdr_i,     // the messages, likewise
  input  logic             cdat_valid_i,   // Data of CXL.cache that may leave
  input  cache_dh_t        cdat_hdr_i,     // its header in wire layout from bit 0, Valid set
  input  line_t            cdat_data_i,    // its line, byte 0 in bits 7:0
  input  byte_en_t         cdat_be_i,      // byte enables, bit k for byte k; a host ignores them

  input  logic             ak_i,           // bit Ak of the flit header
  input  logic [3:0]       rsp_crd_i,      // RspCrd of the flit header, as it is
  input  logic [3:0]       req_crd_i,      // ReqCrd, likewise
  input  logic [3:0]       data_crd_i,     // DataCrd, likewise

  output flit_payload_t    flit_o,         // the flit on offer, for the inputs of this cycle
  output logic             is_adf_o,       // it is an all-data flit: no header, no message
  output logic             has_content_o,  // it has data or a message
  output logic [1:0]       nd_take_o,      // 0..2: messages of nd_valid_i that leave with it
  output logic [1:0]       wd_take_o,      // 0..2, host 0..1: messages of wd_valid_i, likewise
  output logic [1:0]       creq_take_o,    // 0..2: messages of creq_valid_i that leave with it
  output logic [1:0]       crsp_take_o,    // 0..2: messages of crsp_valid_i, likewise
  output logic             cdat_take_o,    // the message of cdat_valid_i leaves with it
  output logic [3:0]       owed_o,         // 0..8: chunks of 16 bytes owed before it (R)
  output logic [3:0]       owed_next_o     // 0..8: chunks owed when it has left
);

  logic       turn_q;          // slot 0 is cache's if both want it
  logic       alt_q;           // Creq before Crsp if slot 0 cannot hold both

  // ---------------------------------------------------------------------------------------------
  // Plan: which messages go where. nd0 etc.: how many slot 0 takes, nd1: the second place.
  // ---------------------------------------------------------------------------------------------
  logic       is_adf, blocked;
  logic [1:0] nd, wd, creq, crsp;                  // offered
  logic       cdat;
  logic       mem_any, cache_any, cache_slot0;
  header_slot_e  slot0;
  generic_slot_e slot_gen;
  logic       second;                              // there is a second place
  logic       gen_is_msg;                          // and it is used
  logic [1:0] nd0, wd0, crsp0, nd1, crsp1;
  logic       creq0, cdat0, wd1, creq1, cdat1;
  logic [1:0] nd_left, crsp_left, creq_left;       // not placed in slot 0, from bit 0
  logic       has_be, data_new;
  logic [3:0] new_chunks;                          // chunks the new messages bring

  assign blocked = is_adf || hold_new_i;
  assign nd      = blocked ? 2'b00 : nd_valid_i;
  assign wd      = blocked ? 2'b00 : wd_valid_i;
  assign creq    = blocked ? 2'b00 : creq_valid_i;
  assign crsp    = blocked ? 2'b00 : crsp_valid_i;
  assign cdat    = !blocked && cdat_valid_i;

  assign mem_any     = nd[0] || wd[0];
  assign cache_any   = creq[0] || crsp[0] || cdat;
  assign cache_slot0 = cache_any && (turn_q || !mem_any);

  // Heads left over by slot 0.
  function automatic logic [1:0] left(logic [1:0] valid, logic [1:0] taken);
    unique case (taken)
      2'd0:    return valid;
      2'd1:    return {1'b0, valid[1]};
      default: return 2'b00;
    endcase
  endfunction

  function automatic logic [1:0] number(logic [1:0] valid);
    return 2'(valid[0]) + 2'(valid[1]);
  endfunction

  assign nd_left   = left(nd, nd0);
  assign creq_left = left(creq, 2'(creq0));
  assign crsp_left = left(crsp, crsp0);
  assign second    = owed_o < 4'd3 && wd0 == 2'd0 && !cdat0;

  if (IsHost) begin : g_plan_host
    always_comb begin
      slot0 = SlotH0;
      nd0   = 2'd0;
      wd0   = 2'd0;
      creq0 = 1'b0;
      crsp0 = 2'd0;
      cdat0 = 1'b0;
      if (cache_slot0) begin
        cdat0 = cdat;
        if (!cdat) begin
          creq0 = creq[0];
          crsp0 = {1'b0, crsp[0]};
        end else if (creq[0] && (!crsp[0] || alt_q)) begin
          slot0 = SlotH2;
          creq0 = 1'b1;
        end else begin
          slot0 = SlotH1;
          crsp0 = number(crsp);
        end
      end else if (nd[0]) begin
        slot0 = SlotH5;
        nd0   = 2'd1;
      end else if (wd[0]) begin
        slot0 = SlotH4;
        wd0   = 2'd1;
      end
    end

    always_comb begin
      slot_gen = SlotG0;
      nd1      = 2'd0;
      wd1      = 1'b0;
      creq1    = 1'b0;
      crsp1    = 2'd0;
      cdat1    = 1'b0;
      if (second) begin
        if (wd[0]) begin
          slot_gen = SlotG5;
          wd1      = 1'b1;
          crsp1    = {1'b0, crsp_left[0]};
        end else if (cdat) begin
          slot_gen = SlotG2;
          cdat1    = 1'b1;
          creq1    = creq_left[0];
          crsp1    = {1'b0, crsp_left[0]};
        end else if (nd_left[0]) begin
          slot_gen = SlotG4;
          nd1      = 2'd1;
        end else if (creq_left[0]) begin
          slot_gen = SlotG2;
          creq1    = 1'b1;
          crsp1    = {1'b0, crsp_left[0]};
        end else if (crsp_left[0]) begin
          slot_gen = SlotG1;
          crsp1    = number(crsp_left);
        end
      end
    end
    assign has_be     = (wd0[0] || wd1) && wd_be_i[0] != '1;
    assign new_chunks = has_be ? 4'd5 : 4'd4;

    // A host takes one message with data a flit; its cache data never has byte enables.
    logic unused_host;
    assign unused_host = ^{wd[1], nd_left[1], creq_left[1], mdh_disable_i, wd_hdr_i[1],
        wd_data_i[1], wd_be_i[1], cdat_be_i, creq_hdr_i[0][D2hReqBits-1:H2dReqBits],
        creq_hdr_i[1][D2hReqBits-1:H2dReqBits]};
  end else begin : g_plan_device
    always_comb begin
      slot0 = SlotH0;
      nd0   = 2'd0;
      wd0   = 2'd0;
      creq0 = 1'b0;
      crsp0 = 2'd0;
      cdat0 = 1'b0;
      if (cache_slot0) begin
        cdat0 = cdat;
        if (creq[0] && (!crsp[0] || alt_q)) begin
          slot0 = SlotH1;
          creq0 = 1'b1;
        end else begin
          crsp0 = number(crsp);
          nd0   = {1'b0, nd[0]};
        end
      end else if (wd[0] && nd[0]) begin
        slot0 = SlotH3;
        nd0   = 2'd1;
        wd0   = 2'd1;
      end else if (wd[1] && !mdh_disable_i) begin
        slot0 = SlotH5;
        wd0   = 2'd2;
      end else if (wd[0]) begin
        slot0 = SlotH3;
        wd0   = 2'd1;
      end else if (nd[0]) begin
        slot0 = SlotH4;
        nd0   = number(nd);
      end
    end

    always_comb begin
      slot_gen = SlotG0;
      nd1      = 2'd0;
      wd1      = 1'b0;
      creq1    = 1'b0;
      crsp1    = 2'd0;
      cdat1    = 1'b0;
      if (second) begin
        if (wd[0]) begin
          slot_gen = SlotG4;
          wd1      = 1'b1;
          nd1      = number(nd_left);
        end else if (cdat) begin
          slot_gen = SlotG2;
          cdat1    = 1'b1;
          creq1    = creq_left[0];
          crsp1    = {1'b0, crsp_left[0]};
        end else if (nd_left[0]) begin
          slot_gen = SlotG5;
          nd1      = number(nd_left);
        end else if (creq_left[0] || crsp_left[0]) begin
          slot_gen = SlotG1;
          creq1    = creq_left[0];
          crsp1    = number(crsp_left);
        end
      end
    end
    assign has_be     = (cdat0 || cdat1) && cdat_be_i != '1;
    assign new_chunks = has_be ? 4'd5 : {wd0[1], !wd0[1], 2'b00};

    logic unused_device;
    assign unused_device = ^{creq_left[1], wd_be_i, nd_hdr_i[0][MsgHdrBits-1:S2mNdrBits],
        nd_hdr_i[1][MsgHdrBits-1:S2mNdrBits], wd_hdr_i[0][MsgHdrBits-1:S2mDrsBits],
        wd_hdr_i[1][MsgHdrBits-1:S2mDrsBits], crsp_hdr_i[0][H2dRspBits-1:D2hRspBits],
        crsp_hdr_i[1][H2dRspBits-1:D2hRspBits], cdat_hdr_i[H2dDhBits-1:D2hDhBits]};
  end

  assign gen_is_msg = slot_gen != SlotG0;

  assign is_adf_o      = is_adf;
  assign nd_take_o     = nd0 + nd1;
  assign wd_take_o     = wd0 + 2'(wd1);
  assign creq_take_o   = 2'(creq0) + 2'(creq1);
  assign crsp_take_o   = crsp0 + crsp1;
  assign cdat_take_o   = cdat0 || cdat1;
  assign data_new      = wd_take_o != 2'd0 || cdat_take_o;
  assign has_content_o = owed_o != 4'd0 || mem_any || cache_any;

  // ---------------------------------------------------------------------------------------------
  // Build: the flit itself
  // ---------------------------------------------------------------------------------------------
  flit_header_t header;
  logic [95:0]  head_slot;     // slot 0 above the header
  slot_t        gen_slot;      // the second place

  always_comb begin
    header          = '0;
    header.slot0    = slot0;
    header.sz       = data_new;
    header.be       = has_be;
    header.ak       = ak_i;
    header.rsp_crd  = rsp_crd_i;
    header.req_crd  = req_crd_i;
    header.data_crd = data_crd_i;
    unique case (owed_o)
      4'd0:    header.slot1 = slot_gen;
      4'd1:    header.slot2 = slot_gen;
      4'd2:    header.slot3 = slot_gen;
      default: ;
    endcase
  end

  if (IsHost) begin : g_build_host
    logic [H2dReqBits-1:0] req_a, req_b;           // slot 0, second place
    logic [H2dRspBits-1:0] rsp_a, rsp_b, rsp_c, rsp_d;
    logic [H2dDhBits-1:0]  dh_b;
    msg_hdr_t              nd_b;
    assign req_a = creq0 ? creq_hdr_i[0][H2dReqBits-1:0] : '0;
    assign rsp_a = (crsp0 != 2'd0) ? crsp_hdr_i[0] : '0;
    assign rsp_b = crsp0[1] ? crsp_hdr_i[1] : '0;
    assign req_b = !creq1 ? '0 : creq_hdr_i[creq0][H2dReqBits-1:0];
    assign rsp_c = (crsp1 == 2'd0) ? '0 : crsp_hdr_i[crsp0[0]];
    assign rsp_d = crsp1[1] ? crsp_hdr_i[1] : '0;
    assign dh_b  = cdat1 ? cdat_hdr_i : '0;
    assign nd_b  = nd_hdr_i[nd0[0]];
    always_comb begin
      unique case (slot0)
        SlotH0:  head_slot = {rsp_a, req_a};
        SlotH1:  head_slot = {8'd0, rsp_b, rsp_a, cdat_hdr_i};
        SlotH2:  head_slot = {8'd0, cdat_hdr_i, req_a};
        SlotH4:  head_slot = 96'(wd_hdr_i[0]);
        default: head_slot = 96'(nd_hdr_i[0]);
      endcase
      unique case (slot_gen)
        SlotG1:  gen_slot = {64'd0, rsp_d, rsp_c};
        SlotG2:  gen_slot = {8'd0, rsp_c, dh_b, req_b};
        SlotG4:  gen_slot = 128'(nd_b);
        default: gen_slot = {8'd0, rsp_c, 1'b0, wd_hdr_i[0]};
      endcase
    end
  end else begin : g_build_device
    logic [D2hReqBits-1:0] req_b;
    logic [D2hRspBits-1:0] rsp_a, rsp_b, rsp_c, rsp_d;
    logic [D2hDhBits-1:0]  dh_a, dh_b;
    logic [S2mNdrBits-1:0] ndr_a, ndr_b, ndr_c, ndr_d;
    logic [S2mDrsBits-1:0] drs0, drs1;
    logic [59:0]           pair_a, pair_b;         // the first of two keeps its DevLoad last
    assign rsp_a  = (crsp0 != 2'd0) ? crsp_hdr_i[0][D2hRspBits-1:0] : '0;
    assign rsp_b  = crsp0[1] ? crsp_hdr_i[1][D2hRspBits-1:0] : '0;
    assign rsp_c  = (crsp1 == 2'd0) ? '0 : crsp_hdr_i[crsp0[0]][D2hRspBits-1:0];
    assign rsp_d  = crsp1[1] ? crsp_hdr_i[1][D2hRspBits-1:0] : '0;
    assign req_b  = !creq1 ? '0 : creq_hdr_i[creq0];
    assign dh_a   = cdat0 ? cdat_hdr_i[D2hDhBits-1:0] : '0;
    assign dh_b   = cdat1 ? cdat_hdr_i[D2hDhBits-1:0] : '0;
    assign ndr_a  = (nd0 != 2'd0) ? nd_hdr_i[0][S2mNdrBits-1:0] : '0;
    assign ndr_b  = nd0[1] ? nd_hdr_i[1][S2mNdrBits-1:0] : '0;
    assign ndr_c  = (nd1 == 2'd0) ? '0 : nd_hdr_i[nd0[0]][S2mNdrBits-1:0];
    assign ndr_d  = nd1[1] ? nd_hdr_i[1][S2mNdrBits-1:0] : '0;
    assign drs0   = wd_hdr_i[0][S2mDrsBits-1:0];
    assign drs1   = wd_hdr_i[1][S2mDrsBits-1:0];
    assign pair_a = {ndr_a[29:28], ndr_b, ndr_a[27:0]};
    assign pair_b = {ndr_c[29:28], ndr_d, ndr_c[27:0]};
    always_comb begin
      unique case (slot0)
        SlotH0:  head_slot = {9'd0, ndr_a, rsp_b, rsp_a, dh_a};
        SlotH1:  head_slot = {dh_a, creq_hdr_i[0]};
        SlotH3:  head_slot = {26'd0, ndr_a, drs0};
        SlotH4:  head_slot = {36'd0, pair_a};
        default: head_slot = {16'd0, drs1, drs0};
      endcase
      unique case (slot_gen)
        SlotG1:  gen_slot = {9'd0, rsp_d, rsp_c, req_b};
        SlotG2:  gen_slot = {12'd0, rsp_c, dh_b, req_b};
        SlotG4:  gen_slot = {28'd0, pair_b, drs0};
        default: gen_slot = {68'd0, pair_b};
      endcase
    end
  end

  flit_payload_t adf;
  logic [383:0]  slots;
  line_t         line0, line1;

  assign line0  = cdat_take_o ? cdat_data_i : wd_data_i[0];
  assign line1  = !has_be ? wd_data_i[1] : {448'd0, IsHost ? wd_be_i[0] : cdat_be_i};
  assign flit_o = is_adf ? adf : {slots, head_slot, header};

  chunk_tx #(
    .OnlyEnables(IsHost)
  ) u_data (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .start_i       (start_i),
    .take_i        (take_i),
    .message_i     (gen_is_msg),
    .message_slot_i(gen_slot),
    .new_i         (data_new),
    .new_chunks_i  (new_chunks),
    .line0_i       (line0),
    .second_i      (has_be || wd0[1]),
    .line1_i       (line1),
    .owed_o        (owed_o),
    .is_adf_o      (is_adf),
    .owed_next_o   (owed_next_o),
    .adf_o         (adf),
    .slots_o       (slots)
  );

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= 1'b0;
      alt_q  <= 1'b0;
    end else if (start_i) begin
      turn_q <= 1'b0;
      alt_q  <= 1'b0;
    end else if (take_i) begin
      if (cache_slot0)   turn_q <= 1'b0;
      else if (mem_any)  turn_q <= 1'b1;
      if (cache_slot0 && creq[0] && crsp[0]) alt_q <= !alt_q;
    end
  end

  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> has_content_o)
    else $error("a flit left that has neither data nor a message");
  a_adf_takes_nothing: assert property (@(posedge clk_i) disable iff (!rst_ni) is_adf_o |->
      {nd_take_o, wd_take_o, creq_take_o, crsp_take_o, cdat_take_o} == '0)
    else $error("an all-data flit takes a message");
  a_order: assert property (@(posedge clk_i) disable iff (!rst_ni) nd_valid_i != 2'b10 &&
      wd_valid_i != 2'b10 && creq_valid_i != 2'b10 && crsp_valid_i != 2'b10)
    else $error("a second message is offered without a first");
  a_one_data: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(cdat_take_o && wd_take_o != 2'd0) && !(wd1 && wd0 != 2'd0) && !(cdat0 && cdat1))
    else $error("a flit has data headers of two messages that are not a pair of DRS");
  a_offered: assert property (@(posedge clk_i) disable iff (!rst_ni)
      nd_take_o <= number(nd) && wd_take_o <= number(wd) && creq_take_o <= number(creq) &&
      crsp_take_o <= number(crsp) && cdat_take_o <= cdat)
    else $error("a flit takes more messages than are offered");
  a_moves: assert property (@(posedge clk_i) disable iff (!rst_ni) (mem_any || cache_any) |->
      {nd_take_o, wd_take_o, creq_take_o, crsp_take_o, cdat_take_o} != '0)
    else $error("a flit takes none of the messages offered");

endmodule
