// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Packs CXL.mem messages and their data into 68-byte flits, one flit a cycle, combinationally from
// the heads of the transmit queues and the data still owed.
//
// Source: CXL 2.0, chapter 4.2: flit header, slot formats, packing rules.
//
// R chunks (16 B) of data are owed by messages whose header has left; chunk_tx keeps them and fills
// the slots. With R >= 4 the flit is an all-data flit (ADF).
//
//   chunks 0..3, 4..7 of chunk_tx   host: RwD data, byte enables   device: DRS 0, DRS 1

module flit_packer
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1  // 0 or 1: packs S2M or M2S
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           start_i,        // pulse: the link starts, nothing is owed; wins over all

  input  logic           take_i,         // the offered flit leaves; only with has_content_o
  input  logic           hold_new_i,     // level: no message may start; owed data still leaves
  input  logic           mdh_disable_i,  // level: no slot with two data headers; at a device

  input  logic [1:0]     nd_valid_i,     // messages without data that may leave (host Req, device
                                         // NDR), bit 0 the oldest: 0, 1 or 3
  input  msg_hdr_t [1:0] nd_hdr_i,       // the messages in wire layout from bit 0, Valid set
  input  logic [1:0]     wd_valid_i,     // messages with data that may leave (RwD, DRS), likewise
  input  msg_hdr_t [1:0] wd_hdr_i,       // the headers, likewise
  input  line_t [1:0]    wd_data_i,      // the lines, byte 0 in bits 7:0
  input  byte_en_t [1:0] wd_be_i,        // byte enables, bit k for byte k; a device ignores them

  input  logic           ak_i,           // bit Ak of the flit header
  input  logic [3:0]     rsp_crd_i,      // RspCrd of the flit header, as it is
  input  logic [3:0]     req_crd_i,      // ReqCrd, likewise
  input  logic [3:0]     data_crd_i,     // DataCrd, likewise

  output flit_payload_t  flit_o,         // the flit on offer, for the inputs of this cycle
  output logic           is_adf_o,       // it is an all-data flit: no header, no message
  output logic           has_content_o,  // it has data or a message
  output logic [1:0]     nd_take_o,      // 0..2: messages of nd_valid_i that leave with it
  output logic [1:0]     wd_take_o,      // 0..2, host 0..1: messages of wd_valid_i, likewise
  output logic [3:0]     owed_o,         // 0..8: chunks of 16 bytes owed before it (R)
  output logic [3:0]     owed_next_o     // 0..8: chunks owed when it has left
);

  // ---------------------------------------------------------------------------------------------
  // Plan: which messages go where. Small signals only.
  // ---------------------------------------------------------------------------------------------
  logic [1:0] nd_valid, wd_valid;
  logic       is_adf;
  logic       last_free;       // R = 3: slot 0 is the only free slot
  header_slot_e  slot0;
  generic_slot_e slot_gen;     // format of the first free slot of 1..3, G0 if data or empty
  logic       gen_is_msg;      // that slot carries a message header
  logic       has_be;
  logic [3:0] new_chunks;      // chunks the new messages bring
  logic [1:0] nd_take, wd_take;

  assign last_free = owed_o == 4'd3;
  assign nd_valid  = (is_adf || hold_new_i) ? 2'b00 : nd_valid_i;
  assign wd_valid  = (is_adf || hold_new_i) ? 2'b00 : wd_valid_i;

  if (IsHost) begin : g_plan_host
    always_comb begin
      slot0      = SlotH0;
      slot_gen   = SlotG0;
      gen_is_msg = 1'b0;
      nd_take    = 2'd0;
      wd_take    = 2'd0;
      if (nd_valid[0]) begin
        slot0   = SlotH5;
        nd_take = 2'd1;
        if (!last_free && wd_valid[0]) begin
          slot_gen   = SlotG5;
          gen_is_msg = 1'b1;
          wd_take    = 2'd1;
        end else if (!last_free && nd_valid[1]) begin
          slot_gen   = SlotG4;
          gen_is_msg = 1'b1;
          nd_take    = 2'd2;
        end
      end else if (wd_valid[0]) begin
        slot0   = SlotH4;
        wd_take = 2'd1;
      end
    end
    assign has_be     = wd_take[0] && wd_be_i[0] != '1;
    assign new_chunks = wd_take[0] ? (has_be ? 4'd5 : 4'd4) : 4'd0;

    // A host takes one message with data a flit and needs no MDH.
    logic unused_host;
    assign unused_host = ^{wd_valid[1], mdh_disable_i, wd_hdr_i[1], wd_data_i[1], wd_be_i[1]};
  end else begin : g_plan_device
    always_comb begin
      slot0      = SlotH0;
      slot_gen   = SlotG0;
      gen_is_msg = 1'b0;
      nd_take    = 2'd0;
      wd_take    = 2'd0;
      if (wd_valid[0] && nd_valid[0]) begin
        slot0   = SlotH3;
        nd_take = 2'd1;
        wd_take = 2'd1;
      end else if (wd_valid[1] && !mdh_disable_i) begin
        slot0   = SlotH5;
        wd_take = 2'd2;
      end else if (wd_valid[0]) begin
        slot0   = SlotH3;
        wd_take = 2'd1;
      end else if (nd_valid[0]) begin
        slot0   = SlotH4;
        nd_take = nd_valid[1] ? 2'd2 : 2'd1;
      end
    end
    assign has_be     = 1'b0;
    assign new_chunks = {wd_take, 2'b00};

    logic unused_device;
    assign unused_device = ^{last_free, wd_be_i, nd_hdr_i[0][MsgHdrBits-1:S2mNdrBits],
        nd_hdr_i[1][MsgHdrBits-1:S2mNdrBits], wd_hdr_i[0][MsgHdrBits-1:S2mDrsBits],
        wd_hdr_i[1][MsgHdrBits-1:S2mDrsBits]};
  end

  assign is_adf_o      = is_adf;
  assign has_content_o = (owed_o != 4'd0) || (nd_take != 2'd0) || (wd_take != 2'd0);
  assign nd_take_o     = nd_take;
  assign wd_take_o     = wd_take;

  // ---------------------------------------------------------------------------------------------
  // Build: the flit itself.
  // ---------------------------------------------------------------------------------------------
  flit_header_t header;
  logic [95:0]  head_slot;     // slot 0 above the header
  slot_t        gen_slot;      // the message of gen_is_msg

  always_comb begin
    header          = '0;
    header.slot0    = slot0;
    header.sz       = wd_take != 2'd0;
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
    assign head_slot = (slot0 == SlotH5) ? 96'(nd_hdr_i[0]) :
                       (slot0 == SlotH4) ? 96'(wd_hdr_i[0]) : 96'd0;
    assign gen_slot  = (slot_gen == SlotG5) ? 128'(wd_hdr_i[0]) : 128'(nd_hdr_i[1]);
  end else begin : g_build_device
    logic [S2mNdrBits-1:0] ndr0, ndr1;
    logic [S2mDrsBits-1:0] drs0, drs1;
    assign ndr0 = nd_hdr_i[0][S2mNdrBits-1:0];
    assign ndr1 = nd_hdr_i[1][S2mNdrBits-1:0];
    assign drs0 = wd_hdr_i[0][S2mDrsBits-1:0];
    assign drs1 = wd_hdr_i[1][S2mDrsBits-1:0];
    always_comb begin
      unique case (slot0)
        SlotH3:  head_slot = {26'd0, nd_take[0] ? ndr0 : 30'd0, drs0};
        // The first of two NDRs keeps its DevLoad behind the second.
        SlotH4:  head_slot = {36'd0, ndr0[29:28], nd_take[1] ? ndr1 : 30'd0, ndr0[27:0]};
        SlotH5:  head_slot = {16'd0, drs1, drs0};
        default: head_slot = '0;
      endcase
    end
    assign gen_slot = '0;
  end

  flit_payload_t adf;
  logic [383:0]  slots;
  logic          second;
  line_t         line1;

  assign second = IsHost ? has_be : wd_take[1];
  assign line1  = IsHost ? 512'(wd_be_i[0]) : wd_data_i[1];
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
    .new_i         (wd_take != 2'd0),
    .new_chunks_i  (new_chunks),
    .line0_i       (wd_data_i[0]),
    .second_i      (second),
    .line1_i       (line1),
    .owed_o        (owed_o),
    .is_adf_o      (is_adf),
    .owed_next_o   (owed_next_o),
    .adf_o         (adf),
    .slots_o       (slots)
  );

  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> has_content_o)
    else $error("a flit left that has neither data nor a message");
  a_adf_takes_nothing: assert property (@(posedge clk_i) disable iff (!rst_ni)
      is_adf_o |-> nd_take_o == 2'd0 && wd_take_o == 2'd0)
    else $error("an all-data flit takes a message");
  a_order: assert property (@(posedge clk_i) disable iff (!rst_ni)
      nd_valid_i != 2'b10 && wd_valid_i != 2'b10)
    else $error("a second message is offered without a first");

endmodule
