// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Send side of data: owes the 16-byte chunks of the messages whose header has left and fills the
// slots of the flits with them. The packer decides what starts in a flit; all is combinational from
// its plan and what is owed.
//
// Source: CXL 2.0, chapter 4.2: packing and rollover.
//
// R chunks are owed. With R >= 4 the flit is an all-data flit (ADF). Otherwise all R are sent in
// slots 1..R, so that what is owed afterwards belongs to the messages started in this flit alone:
// their whole data is stored at fixed places and rd_q says which chunk is next. No data is ever
// shifted.
//
//   chunk   0 1 2 3      4 5 6 7
//           first line   second line, or byte enables (4)

module chunk_tx
  import cxl_pkg::*;
#(
  parameter bit OnlyEnables = 1'b1  // 0 or 1: line1_i may be a line, or is byte enables only
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          start_i,         // pulse: the link starts, nothing is owed; wins over all
  input  logic          take_i,          // the flit leaves, and what starts in it is owed

  // What starts in this flit; not in an ADF
  input  logic          message_i,       // the first free slot of 1..3 has a message; with owed_o
                                         // below 3 only
  input  slot_t         message_slot_i,  // that slot; valid with message_i
  input  logic          new_i,           // data of a message starts
  input  logic [3:0]    new_chunks_i,    // 4, 5 or 8: its chunks; valid with new_i
  input  line_t         line0_i,         // chunks 0..3, valid with new_i
  input  logic          second_i,        // chunks 4 and following are given; with new_i only
  input  line_t         line1_i,         // chunks 4 and following: a line, or byte enables in 63:0
                                         // and 0 above; valid with second_i

  output logic [3:0]    owed_o,          // 0..8: R, the chunks owed before this flit
  output logic          is_adf_o,        // R >= 4: this flit is an ADF
  output logic [3:0]    owed_next_o,     // 0..8: R when the flit has left
  output flit_payload_t adf_o,           // the payload if it is an ADF, else 0
  output logic [383:0]  slots_o          // slots 1..3 if it is none
);

  logic [3:0] owed_q;
  logic [2:0] rd_q;                      // first owed chunk
  line_t      line0_q, line1;
  logic [3:0] free_chunks;               // slots of this flit the new data may take

  assign owed_o      = owed_q;
  assign is_adf_o    = owed_q >= 4'd4;
  assign free_chunks = 4'd3 - owed_q - 4'(message_i);

  always_comb begin
    if (is_adf_o)   owed_next_o = owed_q - 4'd4;
    else if (new_i) owed_next_o = new_chunks_i - free_chunks;
    else            owed_next_o = 4'd0;
  end

  always_comb begin
    adf_o = '0;
    if (is_adf_o) begin
      unique case (rd_q)
        3'd0:    adf_o = line0_q;
        3'd1:    adf_o = {line1[127:0], line0_q[511:128]};
        3'd2:    adf_o = {line1[255:0], line0_q[511:256]};
        3'd3:    adf_o = {line1[383:0], line0_q[511:384]};
        default: adf_o = line1;
      endcase
    end
  end

  logic [383:0] own;                     // owed chunks, oldest lowest
  logic [383:0] add;                     // what goes to the free slots of 1..3

  always_comb begin
    own = '0;
    add = '0;
    if (!is_adf_o && owed_q != 4'd0) begin
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
    if (message_i)  add = {new_i ? line0_i[255:0] : 256'd0, message_slot_i};
    else if (new_i) add = line0_i[383:0];
    unique case (owed_q)
      4'd0:    slots_o = add;
      4'd1:    slots_o = {add[255:0], own[127:0]};
      4'd2:    slots_o = {add[127:0], own[255:0]};
      default: slots_o = own;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q <= '0;
      rd_q   <= '0;
    end else if (start_i) begin
      owed_q <= '0;
      rd_q   <= '0;
    end else if (take_i) begin
      owed_q <= owed_next_o;
      if (is_adf_o)   rd_q <= rd_q + 3'd4;
      else if (new_i) rd_q <= {1'b0, free_chunks[1:0]};
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_i && new_i) line0_q <= line0_i;
  end

  if (OnlyEnables) begin : g_enables
    byte_en_t be_q;
    always_ff @(posedge clk_i) begin
      if (take_i && second_i) be_q <= line1_i[63:0];
    end
    assign line1 = 512'(be_q);
    logic unused;
    assign unused = ^line1_i[511:64];
  end else begin : g_line
    line_t line1_q;
    always_ff @(posedge clk_i) begin
      if (take_i && second_i) line1_q <= line1_i;
    end
    assign line1 = line1_q;
  end

  a_owed: assert property (@(posedge clk_i) disable iff (!rst_ni) owed_q <= 4'd8)
    else $error("more than eight chunks are owed");
  a_adf: assert property (@(posedge clk_i) disable iff (!rst_ni)
      is_adf_o |-> !message_i && !new_i && !second_i)
    else $error("a message or data starts in an all-data flit");
  a_second: assert property (@(posedge clk_i) disable iff (!rst_ni) second_i |-> new_i)
    else $error("a second line is given without data that starts");
  a_end: assert property (@(posedge clk_i) disable iff (!rst_ni)
      owed_q != 4'd0 |-> {1'b0, rd_q} + owed_q <= 4'd8)
    else $error("chunks are owed beyond the last one that was started");

endmodule
