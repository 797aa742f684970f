// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Flex Bus receiver of 68-byte flits: finds the start of the data stream (SDS ordered set, later
// the end of each SKP ordered set), takes the bytes off the lanes, cuts the flits out and judges
// their protocol IDs; NULL flits end here (CXL 2.0, chapter 6.2). Lane words come aligned.
//
// A flit that cannot be trusted, or a block that is not what the stream announced, ends the stream:
// the receiver asks for Recovery and waits for the next SDS.
//
// Latency: 1 cycle from the word with the last byte to the flit.

module flex_bus_rx
  import cxl_pkg::*;
#(
  parameter int unsigned Lanes = 8  // lanes of the link: 2, 4, 8 or 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       run_i,     // level: low forgets all; then an SDS is searched for
  input  logic       bypass_i,  // level: no sync headers behind the SDS; stable while run_i
  input  logic [3:0] expect_i,  // level, bit k: flits of kind k of flit_kind_e may arrive

  input  logic                   lane_valid_i,  // a word on all lanes; never stalled
  input  logic                   lane_start_i,  // with lane_valid_i: begins a block with a header
  input  logic [1:0]             lane_sync_i,   // with lane_start_i: 01 ordered set, 10 data
  input  logic [Lanes-1:0][31:0] lane_data_i,   // with lane_valid_i: four symbols, first in [7:0]

  output logic       rx_valid_o,  // pulse: a flit was received, no NULL flit; never stalled
  output flit_kind_e rx_kind_o,   // with rx_valid_o: its kind, one of expect_i
  output flit_t      rx_flit_o,   // with rx_valid_o: the flit, its CRC not yet checked
  output logic       null_o,      // pulse: a NULL flit was received

  output logic       synced_o,   // level: in a data stream, behind the SDS
  output logic [2:0] status_o,   // pulses: [0] ID correctable, [1] ID uncorrectable
                                 // or stream broken, [2] ID unexpected
  output logic       recovery_o  // pulse, with status_o[2:1]: the stream is lost
);

  localparam int unsigned FlitDwBits = 32 * WireFlitDws;
  localparam int unsigned RestBits = 32 * (WireFlitDws - 1);
  localparam int unsigned CatBits = RestBits + 32 * Lanes;
  localparam int unsigned LastDws = WireFlitDws - Lanes;  // from here a word completes the flit
  localparam int unsigned MaxSkpWords = 5;  // an ordered set has at most 20 SKP symbols

  if (Lanes != 2 && Lanes != 4 && Lanes != 8 && Lanes != 16) begin : g_lanes
    $error("Lanes must be 2, 4, 8 or 16");
  end

  typedef enum logic [1:0] {
    PhaseHunt = 2'd0, PhaseSds = 2'd1, PhaseData = 2'd2, PhaseSkp = 2'd3
  } phase_e;

  phase_e              phase_d, phase_q;
  logic [2:0]          count_d, count_q;   // word in block; in an SKP ordered set, SKP words so far
  logic                ended_d, ended_q;   // the last flit said end of data stream
  logic [RestBits-1:0] rest_d, rest_q;     // begun flit
  logic [4:0]          level_d, level_q;   // DWs in it

  logic [Lanes-1:0]    is_sds_first, is_sds, is_skp, is_skp_end;
  logic                set_start;          // an ordered set begins
  logic [32*Lanes-1:0] stream;             // in wire order
  logic [CatBits-1:0]  cat;
  logic                whole;
  id_verdict_e         verdict;
  flit_kind_e          kind;
  logic                eds, usable;
  logic                done;               // a flit is complete
  logic                broken;             // not the block that was announced

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      is_sds_first[lane] = lane_data_i[lane] == SdsFirstWord;
      is_sds[lane]       = lane_data_i[lane] == SdsWord;
      is_skp[lane]       = lane_data_i[lane] == SkpWord;
      is_skp_end[lane]   = lane_data_i[lane][7:0] == SkpEndSymbol;
      for (int unsigned symbol = 0; symbol < 4; symbol++) begin
        stream[8*(symbol*Lanes+lane)+:8] = lane_data_i[lane][8*symbol+:8];
      end
    end
  end

  assign set_start = lane_start_i && lane_sync_i == SyncOrderedSet;

  // ---------------------------------------------------------------------------------------------
  // Cutting flits: at most one ends in a word, and its ID came in an earlier one
  // ---------------------------------------------------------------------------------------------
  assign cat   = CatBits'(rest_q) | (CatBits'(stream) << {level_q, 5'b0});
  assign whole = level_q >= 5'(LastDws);

  logic [15:0] unused_id;
  protocol_id u_id (
    .kind_i    (FlitNull),
    .eds_i     (1'b0),
    .id_o      (unused_id),
    .byte_a_i  (rest_q[7:0]),
    .byte_b_i  (rest_q[15:8]),
    .expect_i  (expect_i),
    .verdict_o (verdict),
    .kind_o    (kind),
    .eds_o     (eds)
  );
  assign usable = verdict == IdNormal || verdict == IdCorrectable;

  // ---------------------------------------------------------------------------------------------
  // Blocks
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    phase_d = phase_q;
    count_d = count_q;
    ended_d = ended_q;
    level_d = level_q;
    rest_d  = rest_q;
    done    = 1'b0;
    broken  = 1'b0;

    if (lane_valid_i) begin
      unique case (phase_q)
        PhaseHunt: begin
          count_d = 3'd1;
          if (set_start && &is_sds_first) phase_d = PhaseSds;
        end
        PhaseSds: begin
          broken  = !(&is_sds) || lane_start_i;
          count_d = count_q + 3'd1;
          ended_d = 1'b0;
          level_d = '0;
          rest_d  = '0;
          if (count_q == 3'd3) begin
            phase_d = PhaseData;
            count_d = 3'd0;
          end
        end
        PhaseData: begin
          count_d = {1'b0, count_q[1:0] + 2'd1};
          if (!bypass_i && lane_start_i != (count_q == 3'd0)) begin
            broken = 1'b1;
          end else if (bypass_i ? ended_q : (lane_start_i && lane_sync_i != SyncData)) begin
            // The stream ends: after a flit that said so, or inside a short NULL flit.
            done   = level_q != '0 && usable && eds && kind == FlitNull;
            broken = !(&is_skp && (bypass_i || set_start) && (done || ended_q));
            phase_d = PhaseSkp;
            count_d = 3'd1;
            ended_d = 1'b0;
            level_d = '0;
            rest_d  = '0;
          end else if (ended_q) begin
            broken = 1'b1;
          end else begin
            done    = whole;
            level_d = whole ? level_q - 5'(LastDws) : level_q + 5'(Lanes);
            rest_d  = whole ? RestBits'(cat[CatBits-1:FlitDwBits]) : cat[RestBits-1:0];
            if (whole) begin
              ended_d = eds && usable;
              // A stream ends at a block's end only.
              broken  = ended_d && (level_q != 5'(LastDws) || count_q != 3'd3);
            end
          end
        end
        PhaseSkp: begin
          count_d = count_q + 3'd1;
          broken  = lane_start_i ||
                    !(&is_skp_end || (&is_skp && count_q != 3'(MaxSkpWords)));
          if (&is_skp_end) begin
            phase_d = PhaseData;
            count_d = 3'd0;
          end
        end
        default: phase_d = PhaseHunt;
      endcase
    end

    if (broken || (done && !usable)) phase_d = PhaseHunt;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q    <= PhaseHunt;
      count_q    <= '0;
      ended_q    <= 1'b0;
      level_q    <= '0;
      rx_valid_o <= 1'b0;
      null_o     <= 1'b0;
      status_o   <= '0;
      recovery_o <= 1'b0;
    end else begin
      rx_valid_o <= run_i && done && !broken && usable && kind != FlitNull;
      null_o     <= run_i && done && !broken && usable && kind == FlitNull;
      status_o   <= '0;
      if (run_i) begin
        status_o[0] <= done && !broken && verdict == IdCorrectable;
        status_o[1] <= broken || (done && verdict == IdUncorrectable);
        status_o[2] <= done && !broken && verdict == IdUnexpected;
      end
      recovery_o <= run_i && (broken || (done && !usable));
      phase_q    <= run_i ? phase_d : PhaseHunt;
      count_q    <= count_d;
      ended_q    <= ended_d;
      level_q    <= level_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (lane_valid_i) rest_q <= rest_d;
    if (done) begin
      rx_kind_o <= kind;
      rx_flit_o <= cat[FlitDwBits-1:16];
    end
  end

  assign synced_o = phase_q == PhaseData || phase_q == PhaseSkp;

  a_level: assert property (@(posedge clk_i) disable iff (!rst_ni)
      phase_q == PhaseData |-> level_q < 5'(WireFlitDws))
    else $error("more is collected than a whole flit");
  a_one: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(rx_valid_o && null_o) && (recovery_o == (status_o[2:1] != '0)))
    else $error("a flit is also a NULL flit, or Recovery and its status bits disagree");
  a_drop: assert property (@(posedge clk_i) disable iff (!rst_ni)
      recovery_o |-> !rx_valid_o && !null_o && !synced_o)
    else $error("a flit is given in the cycle that reports the stream as lost");

endmodule
