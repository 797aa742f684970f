// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Flex Bus transmitter of 68-byte flits: puts the protocol ID in front, packs flits without gaps,
// stripes bytes over the lanes and inserts SKP ordered sets, each announced by a flit whose ID
// says end of data stream (CXL 2.0, chapter 6.2). When nothing is offered a NULL flit goes out.
//
// A word is four symbols on every lane, a block four words. Without sync-header bypass the first
// word of a block is flagged with its sync header, and one cycle after every 64 words carries
// nothing: the 2 x 16 sync-header bits that those words cost on the wire.
//
// Latency: 1 cycle from an accepted flit to the word with its first byte.

module flex_bus_tx
  import cxl_pkg::*;
#(
  parameter int unsigned Lanes = 8,                       // lanes of the link: 2, 4, 8 or 16
  parameter int unsigned BypassBlocks = SkpBlocksBypass,  // with bypass, data blocks to an SKP:
                                                          // 17..67108860, a multiple of 17
  parameter int unsigned SyncBlocks = SkpBlocksSync       // without, likewise: 1..67108863;
                                                          // the standard has 370..375
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       run_i,      // level: its rise starts a data stream with an SDS; low: silent
  input  logic       bypass_i,   // level: no sync headers behind the SDS; stable while run_i
  input  logic       flit_en_i,  // level: flits offered may go; low: NULL flits only

  input  logic       tx_valid_i,  // a flit is offered; kind and flit stay while it waits
  output logic       tx_ready_o,  // comb: a flit may begin in this word; low also
                                  // without run_i or flit_en_i, and when no word is made
  input  flit_kind_e tx_kind_i,   // its kind; FlitNull is sent as a NULL flit
  input  flit_t      tx_flit_i,   // the flit; all 528 bits go as given, 0 for FlitNull

  output logic       null_o,  // pulse: the word on the lanes begins a NULL flit

  output logic                   lane_valid_o,  // a word on all lanes; never stalled
  output logic                   lane_start_o,  // with lane_valid_o: begins a block with a header
  output logic [1:0]             lane_sync_o,   // with lane_start_o: 01 ordered set, 10 data
  output logic [Lanes-1:0][31:0] lane_data_o    // with lane_valid_o: four symbols, first in [7:0]
);

  localparam int unsigned MaxBlocks = (BypassBlocks > SyncBlocks) ? BypassBlocks : SyncBlocks;
  localparam int unsigned WordsW = $clog2(4 * MaxBlocks + 1);
  localparam int unsigned DwsW = WordsW + 5;
  localparam int unsigned StallWords = 64;  // 16 blocks: 32 sync-header bits are one word
  localparam int unsigned RestDws = WireFlitDws - 1;  // never more is left over after a word
  localparam int unsigned RestBits = 32 * RestDws;
  localparam int unsigned CatBits = RestBits + 32 * Lanes;

  if (Lanes != 2 && Lanes != 4 && Lanes != 8 && Lanes != 16) begin : g_lanes
    $error("Lanes must be 2, 4, 8 or 16");
  end
  if (BypassBlocks % 17 != 0 || BypassBlocks == 0 || SyncBlocks == 0) begin : g_blocks
    $error("with bypass a flit must end where the data stream ends");
  end

  typedef enum logic [1:0] {
    PhaseSds = 2'd0, PhaseData = 2'd1, PhaseSkp = 2'd2
  } phase_e;

  phase_e                  phase_d, phase_q;
  logic [1:0]              word_q;            // word in block
  logic [WordsW-1:0]       left_d, left_q;    // data words to the next SKP ordered set
  logic [DwsW-1:0]         room_d, room_q;    // DWs of the data stream not given to a flit yet
  logic                    last_q, padding_q; // what room_q means for the next flit
  logic [6:0]              gear_d, gear_q;
  logic [RestBits-1:0]     rest_d, rest_q;    // begun flit, what is still to be sent
  logic [4:0]              level_d, level_q;  // DWs in it

  logic                    stall, advance, in_data, first;
  logic                    take;
  flit_kind_e              kind;
  logic [15:0]             id;
  logic [4:0]              length;
  logic [32*WireFlitDws-1:0] wire_flit;
  logic [CatBits-1:0]      cat;
  logic [32*Lanes-1:0]     stream;             // in wire order
  logic [Lanes-1:0][31:0]  striped, word_data;
  logic [WordsW-1:0]       interval;
  logic [DwsW-1:0]         interval_dws;

  assign interval     = bypass_i ? WordsW'(4 * BypassBlocks) : WordsW'(4 * SyncBlocks);
  assign interval_dws = bypass_i ? DwsW'(4 * BypassBlocks * Lanes) : DwsW'(4 * SyncBlocks * Lanes);
  assign stall        = !bypass_i && gear_q == 7'(StallWords);
  assign advance      = run_i && !stall;
  assign in_data      = phase_q == PhaseData;

  // ---------------------------------------------------------------------------------------------
  // Which flit starts in this word: at most one, since a flit is longer than a word.
  // ---------------------------------------------------------------------------------------------
  assign first   = in_data && level_q < 5'(Lanes);

  // No whole flit fits: a short NULL flit with EDS fills the stream's end.
  assign tx_ready_o = advance && first && !padding_q && flit_en_i;
  assign take       = tx_ready_o && tx_valid_i;
  assign kind       = take ? tx_kind_i : FlitNull;
  assign length     = padding_q ? room_q[4:0] : 5'(WireFlitDws);
  assign wire_flit  = {take && tx_kind_i != FlitNull ? tx_flit_i : '0, id};

  id_verdict_e unused_verdict;
  flit_kind_e  unused_kind;
  logic        unused_eds;
  protocol_id u_id (
    .kind_i    (kind),
    .eds_i     (last_q),
    .id_o      (id),
    .byte_a_i  ('0),
    .byte_b_i  ('0),
    .expect_i  ('0),
    .verdict_o (unused_verdict),
    .kind_o    (unused_kind),
    .eds_o     (unused_eds)
  );

  // ---------------------------------------------------------------------------------------------
  // Packing and striping
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    cat = CatBits'(rest_q);
    if (first) cat = cat | (CatBits'(wire_flit) << {level_q[3:0], 5'b0});
    stream = cat[32*Lanes-1:0];
    rest_d = cat[CatBits-1:32*Lanes];

    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      for (int unsigned symbol = 0; symbol < 4; symbol++) begin
        striped[lane][8*symbol+:8] = stream[8*(symbol*Lanes+lane)+:8];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Sequence of blocks
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    phase_d   = phase_q;
    left_d    = left_q;
    level_d   = level_q;
    room_d    = room_q;
    word_data = {Lanes{SkpWord}};
    gear_d    = stall ? '0 : gear_q + 7'd1;

    unique case (phase_q)
      PhaseSds: begin
        word_data = {Lanes{word_q == 2'd0 ? SdsFirstWord : SdsWord}};
        if (word_q == 2'd3) phase_d = PhaseData;
        left_d  = interval;
        room_d  = interval_dws;
        level_d = '0;
      end
      PhaseData: begin
        word_data = striped;
        left_d    = left_q - 1'b1;
        level_d   = level_q + (first ? length : 5'd0) - 5'(Lanes);
        if (first) room_d = padding_q ? '0 : room_q - DwsW'(WireFlitDws);
        if (left_q == WordsW'(1)) phase_d = PhaseSkp;
      end
      PhaseSkp: begin
        if (word_q == 2'd3) begin
          word_data = {Lanes{SkpEndWord}};
          phase_d   = PhaseData;
        end
        left_d = interval;
        room_d = interval_dws;
      end
      default: phase_d = PhaseSds;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q      <= PhaseSds;
      word_q       <= '0;
      left_q       <= '0;
      room_q       <= '0;
      last_q       <= 1'b0;
      padding_q    <= 1'b0;
      level_q      <= '0;
      gear_q       <= '0;
      lane_valid_o <= 1'b0;
      null_o       <= 1'b0;
    end else begin
      lane_valid_o <= advance;
      null_o       <= advance && first && kind == FlitNull;
      if (!run_i) begin
        phase_q <= PhaseSds;
        word_q  <= '0;
        level_q <= '0;
        gear_q  <= '0;
      end else begin
        gear_q <= bypass_i ? '0 : gear_d;
        if (advance) begin
          phase_q   <= phase_d;
          word_q    <= word_q + 2'd1;
          left_q    <= left_d;
          room_q    <= room_d;
          last_q    <= room_d <= DwsW'(WireFlitDws);
          padding_q <= room_d < DwsW'(WireFlitDws);
          level_q   <= level_d;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (advance) begin
      // Nothing stale may remain: what is above the level is or'ed with the next flit.
      rest_q       <= in_data ? rest_d : '0;
      lane_data_o  <= word_data;
      lane_start_o <= word_q == 2'd0 && (phase_q == PhaseSds || !bypass_i);
      lane_sync_o  <= (word_q != 2'd0 || (phase_q != PhaseSds && bypass_i)) ? 2'b00 :
                      in_data ? SyncData : SyncOrderedSet;
    end
  end

  a_boundary: assert property (@(posedge clk_i) disable iff (!rst_ni)
      phase_q == PhaseSkp |-> level_q == '0)
    else $error("a flit goes on behind the end of its data stream");
  a_whole: assert property (@(posedge clk_i) disable iff (!rst_ni)
      run_i && in_data && bypass_i && first |-> !padding_q)
    else $error("a short NULL flit is sent with sync-header bypass");
  a_block: assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_data |-> word_q == 2'd0 - left_q[1:0])
    else $error("an interval does not consist of whole blocks");
  a_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      in_data |-> room_q + DwsW'(level_q) == DwsW'(left_q) * DwsW'(Lanes) &&
      level_q <= 5'(RestDws))
    else $error("flits do not fill an interval exactly");
  a_hold: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $past(rst_ni && run_i && tx_valid_i && !tx_ready_o) && run_i && tx_valid_i |->
      $stable(tx_kind_i) && $stable(tx_flit_i))
    else $error("an offered flit changes while it waits");

endmodule
