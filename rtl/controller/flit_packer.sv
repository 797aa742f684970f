// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Packs CXL.mem messages and their data into 68-byte flits, one flit a cycle, combinationally from
// the heads of the transmit queues and the data still owed.
//
// Source: CXL 2.0, chapter 4.2: flit header, slot formats, packing rules.
//
// R chunks (16 B) are owed by messages whose header has left. With R >= 4 the flit is an all-data
// flit (ADF). Otherwise all R are sent in slots 1..R, so that what is owed afterwards belongs to
// the messages started in this flit alone: their whole data is stored at fixed places and rd_q says
// which chunk is next. No data is ever shifted.
//
//   chunk   0 1 2 3   4 5 6 7
//   host    RwD data  byte enables (4)
//   device  DRS 0     DRS 1

module flit_packer
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           start_i,         // link (re)start: nothing owed

  input  logic           take_i,          // the offered flit leaves
  input  logic           hold_new_i,      // no new message may start
  input  logic           mdh_disable_i,

  input  logic [1:0]     nd_valid_i,
  input  msg_hdr_t [1:0] nd_hdr_i,
  input  logic [1:0]     wd_valid_i,
  input  msg_hdr_t [1:0] wd_hdr_i,
  input  line_t [1:0]    wd_data_i,
  input  byte_en_t [1:0] wd_be_i,

  input  logic           ak_i,
  input  logic [3:0]     rsp_crd_i,
  input  logic [3:0]     req_crd_i,
  input  logic [3:0]     data_crd_i,

  output flit_payload_t  flit_o,
  output logic           is_adf_o,
  output logic           has_content_o,
  output logic [1:0]     nd_take_o,
  output logic [1:0]     wd_take_o,
  output logic [3:0]     owed_o,
  output logic [3:0]     owed_next_o
);

  logic [3:0] owed_q;
  logic [2:0] rd_q;            // first owed chunk
  line_t      line0_q;         // chunks 0..3
  line_t      line1;           // chunks 4..7

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
  logic [3:0] free_chunks;     // slots of this flit their data may take
  logic [1:0] nd_take, wd_take;

  assign is_adf    = owed_q >= 4'd4;
  assign last_free = owed_q == 4'd3;
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

  assign free_chunks = 4'd3 - owed_q - 4'(gen_is_msg);

  assign is_adf_o      = is_adf;
  assign has_content_o = (owed_q != 4'd0) || (nd_take != 2'd0) || (wd_take != 2'd0);
  assign nd_take_o     = nd_take;
  assign wd_take_o     = wd_take;
  assign owed_o        = owed_q;

  always_comb begin
    if (is_adf)               owed_next_o = owed_q - 4'd4;
    else if (wd_take != 2'd0) owed_next_o = new_chunks - free_chunks;
    else                      owed_next_o = 4'd0;
  end

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
    unique case (owed_q)
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

  logic [383:0] own;           // owed chunks, oldest lowest
  logic [383:0] add;           // what goes to the free slots of 1..3

  always_comb begin
    flit_o = '0;
    own    = '0;
    add    = '0;
    if (is_adf) begin
      unique case (rd_q)
        3'd0:    flit_o = line0_q;
        3'd1:    flit_o = {line1[127:0], line0_q[511:128]};
        3'd2:    flit_o = {line1[255:0], line0_q[511:256]};
        3'd3:    flit_o = {line1[383:0], line0_q[511:384]};
        default: flit_o = line1;
      endcase
    end else begin
      flit_o[127:0] = {head_slot, header};
      if (has_content_o) begin
        if (owed_q != 4'd0) begin
          unique case (rd_q)
            3'd1:    own = line0_q[511:128];
            3'd2:    own = {line1[127:0], line0_q[511:256]};
            3'd3:    own = {line1[255:0], line0_q[511:384]};
            3'd4:    own = line1[383:0];
            3'd5:    own = line1[511:128];
            3'd6:    own = {128'd0, line1[511:256]};
            default: own = {256'd0, line1[511:384]};
          endcase
        end
        if (wd_take != 2'd0) begin
          add = gen_is_msg ? {wd_data_i[0][255:0], gen_slot} : wd_data_i[0][383:0];
        end else if (gen_is_msg) begin
          add = {256'd0, gen_slot};
        end
        unique case (owed_q)
          4'd0:    flit_o[511:128] = add;
          4'd1:    flit_o[511:128] = {add[255:0], own[127:0]};
          4'd2:    flit_o[511:128] = {add[127:0], own[255:0]};
          default: flit_o[511:128] = own;
        endcase
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= '0;
      rd_q   <= '0;
    end else if (start_i) begin
      owed_q <= '0;
      rd_q   <= '0;
    end else if (take_i) begin
      owed_q <= owed_next_o;
      if (is_adf)               rd_q <= rd_q + 3'd4;
      else if (wd_take != 2'd0) rd_q <= {1'b0, free_chunks[1:0]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && wd_take != 2'd0) line0_q <= wd_data_i[0];
  end

  if (IsHost) begin : g_line1_host
    byte_en_t be_q;
    always_ff @(posedge clk_i) begin
      if (take_i && has_be) be_q <= wd_be_i[0];
    end
    assign line1 = 512'(be_q);
  end else begin : g_line1_device
    line_t line1_q;
    always_ff @(posedge clk_i) begin
      if (take_i && wd_take[1]) line1_q <= wd_data_i[1];
    end
    assign line1 = line1_q;
  end

  a_owed: assert property (@(posedge clk_i) disable iff (!rst_ni) owed_q <= 4'd8);
  a_take: assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> has_content_o);
  a_adf_takes_nothing: assert property (@(posedge clk_i) disable iff (!rst_ni)
      is_adf_o |-> nd_take_o == 2'd0 && wd_take_o == 2'd0);
  a_order: assert property (@(posedge clk_i) disable iff (!rst_ni)
      nd_valid_i != 2'b10 && wd_valid_i != 2'b10);
  // What is owed ends with the last chunk of what was started: the store is never overrun.
  a_end: assert property (@(posedge clk_i) disable iff (!rst_ni)
      owed_q != 4'd0 |-> {1'b0, rd_q} + owed_q <= 4'd8);

endmodule
