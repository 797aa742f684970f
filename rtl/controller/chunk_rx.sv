// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Receive side of data: puts the 16-byte chunks of the flits together to lines. The unpacker scans
// a protocol flit and tells of the messages with data that start in it; a line comes out in the
// cycle of the flit that brings its last chunk. Outputs are combinational.
//
// Source: CXL 2.0, chapter 4.2: slot formats, packing and rollover.
//
// R chunks are owed. With R >= 4 a flit is an all-data flit (ADF). With R < 4 all of them belong to
// one message, and a protocol flit carries them all in slots 1..R: it always completes that
// message, and what waits afterwards was started in this flit.
//
//   owed slots:      ADF 0 1 2 3        protocol flit 1 .. R, and those after a data header
//   arrived chunks:  chunk*_q of the oldest message (arrived_q of them), the rest from this flit
//
// A short message has two chunks (32 bytes), and a byte-enable chunk after them if it has one, so
// it may end in the flit that starts it. It is a first half, which is kept here; or the second,
// which makes a line with the first; or neither, and comes to nothing. The unpacker says which, and
// whether the enables count: those of its half alone, in their place in the line.

module chunk_rx
  import cxl_pkg::*;
#(
  parameter int unsigned OwedW = 4  // 3..5 bits: a flit may start 1, 3 or 4 lines
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             start_i,     // pulse: the link starts, nothing is owed; wins over all

  input  logic             valid_i,     // one accepted flit; is_adf_o and owed_o do not need it
  input  logic             protocol_i,  // it is a protocol flit, not an ADF, not a control flit
  input  flit_payload_t    flit_i,      // its payload

  // What starts in a protocol flit
  input  logic             found_i,     // it has data headers, all in one slot; with protocol_i
  input  logic [1:0]       slot_i,      // 0..3: that slot; 0 or above owed_o
  input  logic [OwedW-3:0] count_i,     // 1..1, 1..3 or 1..4 for OwedW of 3, 4 or 5: how many
  input  logic             be_i,        // a byte-enable chunk follows the line; one header only
  input  logic             short_i,     // a short message; one header only
  input  logic             first_i,     // it is a first half; with short_i only
  input  logic             second_i,    // it is the second half of the one that came last; likewise
  input  logic             half_be_i,   // the enables of a half count; with short_i and be_i only

  output logic [OwedW-1:0] owed_o,      // R: 0..5, 0..12 or 0..16 for OwedW of 3, 4 or 5
  output logic             is_adf_o,    // R >= 4: the flit, if any, is an ADF
  output logic             complete_o,  // a line ends in this flit
  output logic             here_o,      // it is the one whose header came in this flit
  output line_t            line_o,      // that line, byte 0 in bits 7:0; 0 without complete_o
  output byte_en_t         be_o         // its byte enables; all ones if none count
);

  typedef logic [OwedW-1:0] owed_t;
  typedef logic [255:0]     half_t;

  owed_t      owed_q, owed_d;
  logic [2:0] arrived_q;                // chunks of the oldest message already here, 0..4
  logic       be_q;                     // the waiting message has a byte-enable chunk
  logic       short_q, first_q, second_q, half_be_q;
  half_t      low_q;                    // the first half
  logic [31:0] low_be_q;                // and its enables
  slot_t      chunk0_q, chunk1_q, chunk2_q, chunk3_q;

  logic [2:0] missing;                  // chunks it still needs, 1..5
  logic       is_adf;
  slot_t      in0, in1, in2, in3;       // data slots of this flit, in order
  logic [1:0] first;                    // slot of the first new chunk, 1..3; 0: not in this flit
  logic [1:0] short_chunks;             // of a short message
  logic       fits;                     // it ends in this flit

  assign is_adf     = owed_q >= owed_t'(4);
  assign missing    = (short_q ? 3'd2 : 3'd4) + 3'(be_q) - arrived_q;
  assign owed_o     = owed_q;
  assign is_adf_o   = is_adf;
  assign here_o     = protocol_i && found_i && fits && second_i;
  assign complete_o = protocol_i ? (owed_q != '0 && (!short_q || second_q)) || here_o
                                 : (valid_i && is_adf && missing != 3'd5);

  assign in0 = is_adf ? flit_i[127:0]   : flit_i[255:128];
  assign in1 = is_adf ? flit_i[255:128] : flit_i[383:256];
  assign in2 = is_adf ? flit_i[383:256] : flit_i[511:384];
  assign in3 = flit_i[511:384];         // ADF only

  // Short messages: the one that waits, and the one that starts in this flit and ends in it, in
  // slots 1 to 3 if it has enables.
  half_t       waiting, started, low;
  byte_en_t    waiting_be, started_be;
  logic [31:0] low_be;
  logic        low_here;                // the first half ends in this flit

  always_comb begin
    unique case (arrived_q)
      3'd0: begin
        waiting    = {in1, in0};
        waiting_be = in2[63:0];
      end
      3'd1: begin
        waiting    = {in0, chunk0_q};
        waiting_be = in1[63:0];
      end
      default: begin
        waiting    = {chunk1_q, chunk0_q};
        waiting_be = in0[63:0];
      end
    endcase
    if (!half_be_q) waiting_be = '1;
    started    = (first == 2'd1) ? flit_i[383:128] : flit_i[511:256];
    started_be = half_be_i ? flit_i[447:384] : '1;
    low_here   = owed_q != '0 && short_q && first_q;
    low        = low_here ? waiting : low_q;
    low_be     = low_here ? waiting_be[31:0] : low_be_q;
  end

  always_comb begin
    line_o = '0;
    be_o   = '1;
    if (here_o) begin
      line_o = {started, low};
      be_o   = {started_be[63:32], low_be};
    end else if (complete_o && short_q) begin
      line_o = {waiting, low_q};
      be_o   = {waiting_be[63:32], low_be_q};
    end else if (complete_o) begin
      unique case (arrived_q)
        3'd0:    line_o = {in3, in2, in1, in0};
        3'd1:    line_o = {in2, in1, in0, chunk0_q};
        3'd2:    line_o = {in1, in0, chunk1_q, chunk0_q};
        3'd3:    line_o = {in0, chunk2_q, chunk1_q, chunk0_q};
        default: line_o = {chunk3_q, chunk2_q, chunk1_q, chunk0_q};
      endcase
      if (be_q) begin
        unique case (arrived_q)
          3'd1:    be_o = in3[63:0];
          3'd2:    be_o = in2[63:0];
          3'd3:    be_o = in1[63:0];
          default: be_o = in0[63:0];
        endcase
      end
    end
  end

  always_comb begin
    first = slot_i + 2'd1;
    if (slot_i == 2'd0) first = owed_q[1:0] + 2'd1;
    short_chunks = 2'd2 + 2'(be_i);
    fits         = short_i && first != 2'd0 && 3'd4 - 3'(first) >= 3'(short_chunks);
    owed_d       = owed_q;
    if (valid_i && is_adf) begin
      owed_d = owed_q - owed_t'(4);
    end else if (protocol_i) begin
      owed_d = '0;
      if (found_i) begin
        if (fits)         owed_d = '0;
        else if (short_i) owed_d = owed_t'(short_chunks);
        else              owed_d = {count_i, 2'b00} + owed_t'(be_i);
        if (first != 2'd0 && !fits) owed_d = owed_d + owed_t'(first) - owed_t'(4);
      end
    end
    if (start_i) owed_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= '0;
    else         owed_q <= owed_d;
  end

  always_ff @(posedge clk_i) begin
    if (protocol_i && low_here) begin
      low_q    <= waiting;
      low_be_q <= waiting_be[31:0];
    end
    if (protocol_i && found_i && fits && first_i) begin
      low_q    <= started;
      low_be_q <= started_be[31:0];
    end
    if (protocol_i && found_i) begin
      be_q      <= be_i;
      short_q   <= short_i;
      first_q   <= first_i;
      second_q  <= second_i;
      half_be_q <= half_be_i;
      arrived_q <= (first == 2'd0) ? 3'd0 : 3'd4 - 3'(first);
      unique case (first)
        2'd1: begin
          chunk0_q <= flit_i[255:128];
          chunk1_q <= flit_i[383:256];
          chunk2_q <= flit_i[511:384];
        end
        2'd2: begin
          chunk0_q <= flit_i[383:256];
          chunk1_q <= flit_i[511:384];
        end
        default: chunk0_q <= flit_i[511:384];
      endcase
    end else if (valid_i && is_adf) begin
      unique case (missing)
        3'd5: begin                     // five chunks of one message, four of them here
          chunk0_q  <= in0;
          chunk1_q  <= in1;
          chunk2_q  <= in2;
          chunk3_q  <= in3;
          arrived_q <= 3'd4;
        end
        3'd4: arrived_q <= 3'd0;
        3'd3: begin
          chunk0_q  <= in3;
          arrived_q <= 3'd1;
        end
        3'd2: begin
          chunk0_q  <= in2;
          chunk1_q  <= in3;
          arrived_q <= 3'd2;
        end
        default: begin
          chunk0_q  <= in1;
          chunk1_q  <= in2;
          chunk2_q  <= in3;
          arrived_q <= 3'd3;
        end
      endcase
      if (complete_o) be_q <= 1'b0;     // only a message alone in its flit has one
    end
  end

  a_protocol: assert property (@(posedge clk_i) disable iff (!rst_ni)
      protocol_i |-> valid_i && !is_adf)
    else $error("a protocol flit is reported without valid, or where an all-data flit is due");
  a_found: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (protocol_i && found_i) |-> count_i != '0 && (slot_i == '0 || owed_t'(slot_i) > owed_q))
    else $error("data headers are found with a count of 0, or in a slot of owed data");
  a_rollover: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (owed_q != '0 && !is_adf) |-> owed_t'(missing) == owed_q)
    else $error("the chunks owed are not those that the oldest message lacks");
  a_short: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (protocol_i && found_i && (short_i || first_i || second_i)) |->
      short_i && count_i == 1 && !(first_i && second_i))
    else $error("a half is not short, not alone in its flit, or both first and second");
  a_half_be: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (protocol_i && found_i && half_be_i) |-> short_i && be_i)
    else $error("enables of a half count without a chunk of them");
  a_short_adf: assert property (@(posedge clk_i) disable iff (!rst_ni)
      is_adf |-> !short_q)
    else $error("an all-data flit is due for a short message");
  a_one_line: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (here_o && owed_q != '0) |-> short_q && !second_q)
    else $error("a flit completes two lines");

endmodule
