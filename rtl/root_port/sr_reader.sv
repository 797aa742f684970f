// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// SR reader: walks the SR queue ahead of the head, once per load, and asks the endpoint for what
// the load will want by MemSpecRd.
//
//   LOOKUP  one entry a cycle: stores, and loads that need nothing, are passed
//   ISSUE   the MemSpecRd of one load is offered until the memory queue takes it
//
// What was asked for is recorded in the ring; a load whose granule the ring shows is passed. The
// window is worked out in ISSUE from the queues as they stand, without the load itself.
// Policy stream asks the stream table instead: in LOOKUP for a run in the load's region, offered
// from registers in ISSUE, or for the region that follows, which ISSUE first looks up: known, or
// suppressed for its score, it is over in one cycle. What is ahead of the load goes out with a line
// of its own: without a length that line is all that a MemSpecRd says.
// MemSpecRd of 64 B: a load is passed if the ring shows its line as used.
// The ring tells what became of it all: which lines loads wanted, and which granules left unused.
// Throughput: a MemSpecRd every two cycles; latency one cycle from the reader view to the offer.
//
// Source: the load path of the SR engine, docs/blocks/root_port/sr_reader.md.

module sr_reader
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter  int unsigned SrDepth    = DefaultSizes.sr_queue_entries,  // entries of the SR queue,
                                            // 2..255
  parameter  int unsigned MemEntries = DefaultSizes.memory_queue_entries - 2,  // load and store
                                            // entries of the memory queue, 1..255
  parameter  int unsigned RingSets   = DefaultSizes.ring_entries / 16,  // sets in each bank of the
                                            // ring, 1..256, a power of two
  parameter  int unsigned RingWays   = 4,   // granules in a set of the ring, 1..1024
  parameter  int unsigned StreamSets = 64,  // sets of the stream table, 1..64, a power of two
  localparam int unsigned IdxBits    = $clog2(SrDepth)
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // Configuration and state
  input  sr_policy_e                              policy_i,     // of loads met now, 0..5; 6, 7: off
  input  logic                                    len_en_i,     // level: a MemSpecRd has a length
  input  logic                                    match_start_i,  // level: the ring records of a
                                                                  // run the load's granule alone
  input  logic                                    spec_64b_i,   // level: MemSpecRd of 64 B, without
                                                                // a length
  input  logic                                    around_i,     // level: windows of policy sr may
                                                                // aim backwards
  input  logic [3:0]                              clip_log2_i,  // log2 of the interleave chunk in
                                                                // granules, 0..14; 15: none
  input  logic [3:0]                              ways_i,       // ways of the interleave set - 1
  input  logic [3:0]                              sets_log2_i,  // log2 of sets in use, 0..log2
                                                                // StreamSets; changes with flush_i
                                                                // or a cycle later
  input  gran_e                                   state_i,      // granularity of speculation
  input  logic [1:0]                              level_i,      // DevLoad of the last response,
                                                                // 0..3
  input  logic                                    flush_i,      // pulse: empty ring and stream
                                                                // table
  // SR queue, reader view
  input  logic                                    rd_valid_i,    // the reader is at an entry
  input  logic                                    rd_is_load_i,  // it is a load
  input  line_addr_t                              rd_line_i,     // its line
  input  logic [IdxBits-1:0]                      rd_index_i,    // its slot, 0..SrDepth-1
  input  logic                                    rd_head_i,     // it is the head, about to be
                                                                 // issued
  output logic                                    rd_next_o,     // pulse: move to the next entry
  // Queue contents for the window
  input  logic [SrDepth-1:0]                      load_valid_i,  // by slot: a load in the SR queue
  input  logic [SrDepth-1:0][LineAddrBits-1:0]    load_line_i,   // its line, valid with
                                                                 // load_valid_i
  input  logic [MemEntries-1:0]                   mem_valid_i,   // by entry: a load or store in the
                                                                 // memory queue
  input  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line_i,    // its line, valid with mem_valid_i
  // MemSpecRd to the memory queue
  output logic                                    spec_valid_o,  // a MemSpecRd; stays until taken
  input  logic                                    spec_ready_i,  // the memory queue takes it
  output granule_t                                spec_first_o,  // first granule; with sr and
                                                                 // sr-paper follows the queues
                                                                 // until taken
  output logic [1:0]                              spec_len_o,    // granules - 1; likewise
  output line_addr_t                              spec_line_o,   // line of the load; the run's
                                                                 // first if it is ahead of that
  // Counters since reset; they wrap
  output logic [31:0]                             loads_seen_o,        // loads met
  output logic [31:0]                             issued_o,            // MemSpecRd taken
  output logic [31:0]                             ring_suppressed_o,   // loads passed: ring hit, or
                                                                       // nothing to request
  output logic [31:0]                             halt_suppressed_o,   // loads passed: halt, or
                                                                       // stream at severe load
  output logic [31:0]                             score_suppressed_o,  // predictions with a low
                                                                       // score
  output logic [31:0]                             requested_o,         // granules requested
  output logic [31:0]                             lines_used_o,        // their lines that loads
                                                                       // needed
  output logic [31:0]                             useful_granules_o,   // granules evicted, a line
                                                                       // used
  output logic [31:0]                             useless_granules_o,  // granules evicted, none
                                                                       // used
  output logic [31:0]                             issued_late_o        // MemSpecRd taken after
                                                                       // their load was issued
);

  typedef enum logic {
    StLookup,
    StIssue
  } state_e;

  typedef logic [IdxBits-1:0] idx_t;

  state_e     state_q, state_d;
  line_addr_t line_q;
  sr_policy_e policy_q;
  gran_e      gran_q;
  idx_t       mask_idx_q;
  logic       mask_q;   // the latched load may still be in the SR queue
  logic       fresh_q;  // first cycle of ISSUE
  // Policy stream: the region that follows; else a run in the load's region, from granule place_q
  logic       kind_q;
  logic [1:0] place_q, len_q;

  // ---------------------------------------------------------------------------------------------
  // LOOKUP
  // ---------------------------------------------------------------------------------------------
  logic       ring_hit, line_hit;
  logic       with_length;            // a MemSpecRd has one
  logic       off, watches, streams;  // watches: the policy minds the halt and the ring
  logic       load_here, pass, halt_skip, ring_skip, latch, taken, late;
  logic       ask, ask_kind, look;    // what the stream table says of the load
  granule_t   ask_first;
  logic [1:0] ask_len;
  logic       streamed, next;         // ISSUE for the table
  logic       next_hit, next_send;
  logic       known, unsent;          // seen in the first cycle, then there is no offer
  logic       held;                   // a run, or a part of it, that is not requested
  logic       asks_own;               // for the load's granule
  granule_t   next_first;
  logic [1:0] next_len;

  assign with_length = len_en_i && !spec_64b_i;

  assign watches   = policy_i inside {PolicyDyn, PolicySrPaper, PolicySr};
  assign streams   = policy_i == PolicyStream;
  assign off       = !watches && !streams && policy_i != PolicyNaive;
  assign load_here = state_q == StLookup && rd_valid_i && rd_is_load_i;
  assign look      = load_here && streams;

  always_comb begin
    logic halted;
    halted = 1'b0;
    pass   = off;
    if (watches) begin
      halted = state_i == GranHalted;
      pass   = halted || (spec_64b_i ? line_hit : ring_hit);
    end else if (streams) begin
      halted = level_i == LoadSevere;
      pass   = !ask;
    end
    halt_skip = load_here && !off && pass && halted;
    ring_skip = load_here && !off && pass && !halted;
  end

  assign latch     = load_here && !pass;
  assign rd_next_o = state_q == StLookup && rd_valid_i;
  assign taken     = spec_valid_o && spec_ready_i;
  assign late      = taken && asks_own && !(mask_q && load_valid_i[mask_idx_q]);

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StLookup: if (latch) state_d = StIssue;
      StIssue:  if (taken || known || unsent) state_d = StLookup;
      default:  state_d = StLookup;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StLookup;
      policy_q   <= PolicyOff;
      gran_q     <= Gran256;
      mask_q     <= 1'b0;
      mask_idx_q <= '0;
      fresh_q    <= 1'b0;
    end else begin
      state_q <= state_d;
      fresh_q <= latch;
      if (latch) begin
        policy_q   <= policy_i;
        gran_q     <= state_i;
        mask_q     <= 1'b1;
        mask_idx_q <= rd_index_i;
      end else if (mask_q && !load_valid_i[mask_idx_q]) begin
        mask_q <= 1'b0;  // it left: a later load in the same slot counts again
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (latch) line_q <= rd_line_i;
    if (latch && streams) begin
      kind_q  <= ask_kind;
      place_q <= ask_first[1:0];
      len_q   <= ask_len;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // ISSUE
  // ---------------------------------------------------------------------------------------------
  logic windowed;
  assign windowed = state_q == StIssue && with_length
                    && policy_q inside {PolicySrPaper, PolicySr};

  logic [SrDepth-1:0] sr_others;
  always_comb begin
    sr_others = load_valid_i;
    if (mask_q) sr_others[mask_idx_q] = 1'b0;
  end

  granule_t   window_first;
  logic [1:0] window_len;

  address_window #(
    .MemEntries(MemEntries),
    .SrEntries (SrDepth)
  ) u_address_window (
    .valid_i      (windowed),
    .line_i       (line_q),
    .gran_i       (gran_q),
    .directional_i(policy_q == PolicySr),
    .around_i,
    .clip_log2_i,
    .mem_valid_i,
    .mem_line_i,
    .sr_valid_i   (sr_others),
    .sr_line_i    (load_line_i),
    .first_o      (window_first),
    .len_o        (window_len)
  );

  // A run does not wrap in its region.
  assign streamed = state_q == StIssue && policy_q == PolicyStream;
  assign next     = streamed && kind_q;
  assign known    = fresh_q && next_hit;
  assign unsent   = fresh_q && next && !next_hit && !next_send;
  assign asks_own = !streamed || (!kind_q && line_q[3:2] - place_q <= len_q);

  always_comb begin
    logic [14:0] chunk_left;  // granules of the chunk behind the load's
    chunk_left   = '0;
    spec_valid_o = 1'b0;
    spec_first_o = '0;
    spec_len_o   = '0;
    if (state_q == StIssue && !known && !unsent) begin
      spec_valid_o = 1'b1;
      spec_first_o = line_q[LineAddrBits-1:2];
      if (windowed) begin
        spec_first_o = window_first;
        spec_len_o   = window_len;
      end else if (next) begin
        spec_first_o = next_first;
        spec_len_o   = next_len;
      end else if (streamed) begin
        spec_first_o[1:0] = place_q;
        spec_len_o        = len_q;
      end else if (with_length && policy_q == PolicyDyn) begin
        unique case (gran_q)
          Gran512:  spec_len_o = 2'd1;
          Gran768:  spec_len_o = 2'd2;
          Gran1024: spec_len_o = 2'd3;
          default:  spec_len_o = 2'd0;
        endcase
        if (clip_log2_i != 4'd15) begin
          chunk_left = ~line_q[16:2] & ((15'd1 << clip_log2_i) - 15'd1);
          if (15'(spec_len_o) > chunk_left) spec_len_o = chunk_left[1:0];
        end
      end
    end
  end

  always_comb begin
    spec_line_o = '0;
    if (spec_valid_o) begin
      spec_line_o = line_q;
      if (next)           spec_line_o = {next_first, 2'b00};
      else if (!asks_own) spec_line_o[3:0] = {place_q, 2'b00};
    end
  end

  stream_table #(
    .Sets(StreamSets)
  ) u_stream_table (
    .clk_i,
    .rst_ni,
    .flush_i,
    .sets_log2_i,
    .look_i      (look),
    .line_i      (rd_line_i),
    .at_head_i   (rd_head_i),
    .level_i,
    .len_en_i    (with_length),
    .clip_log2_i,
    .ways_i,
    .ask_o       (ask),
    .kind_o      (ask_kind),
    .first_o     (ask_first),
    .len_o       (ask_len),
    .suppressed_o(held),
    .next_i      (next),
    .next_hit_o  (next_hit),
    .next_send_o (next_send),
    .next_first_o(next_first),
    .next_len_o  (next_len),
    .add_i       ((next && taken) || unsent)
  );

  // A run is of the load's region.
  logic unused_ask_first;
  assign unused_ask_first = ^ask_first[GranuleAddrBits-1:2];

  // What is recorded: the run, or of it the load's granule. Policies that read the ring only; the
  // others' run may be without that granule.
  logic       record_own;
  granule_t   record_first;
  logic [1:0] record_len;
  assign record_own   = match_start_i && policy_q inside {PolicyDyn, PolicySrPaper, PolicySr};
  assign record_first = record_own ? line_q[LineAddrBits-1:2] : spec_first_o;
  assign record_len   = record_own ? 2'd0 : spec_len_o;

  logic       first_use, own_use;
  logic [2:0] useful, useless;

  ring_buffer #(
    .Sets(RingSets),
    .Ways(RingWays)
  ) u_ring_buffer (
    .clk_i,
    .rst_ni,
    .flush_i,
    .granule_i    (rd_line_i[LineAddrBits-1:2]),
    .hit_o        (ring_hit),
    .line_i       (rd_line_i[1:0]),
    .line_hit_o   (line_hit),
    .use_i        (load_here && !off),
    .first_use_o  (first_use),
    .record_i     (taken),
    .first_i      (record_first),
    .len_i        (record_len),
    .own_granule_i(line_q[LineAddrBits-1:2]),
    .own_i        (line_q[1:0]),
    .own_use_o    (own_use),
    .useful_o     (useful),
    .useless_o    (useless)
  );

  // ---------------------------------------------------------------------------------------------
  // Counters
  // ---------------------------------------------------------------------------------------------
  logic [31:0] seen_q, issued_q, ring_suppressed_q, halt_suppressed_q, score_suppressed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q             <= '0;
      issued_q           <= '0;
      ring_suppressed_q  <= '0;
      halt_suppressed_q  <= '0;
      score_suppressed_q <= '0;
    end else begin
      if (load_here)      seen_q             <= seen_q + 32'd1;
      if (taken)          issued_q           <= issued_q + 32'd1;
      if (ring_skip)      ring_suppressed_q  <= ring_suppressed_q + 32'd1;
      if (halt_skip)      halt_suppressed_q  <= halt_suppressed_q + 32'd1;
      if (held || unsent) score_suppressed_q <= score_suppressed_q + 32'd1;
    end
  end
  assign loads_seen_o       = seen_q;
  assign issued_o           = issued_q;
  assign ring_suppressed_o  = ring_suppressed_q;
  assign halt_suppressed_o  = halt_suppressed_q;
  assign score_suppressed_o = score_suppressed_q;

  // Events at the end of the path through window and ring wait here a cycle for their adder; the
  // outputs include them.
  typedef struct packed {
    logic [2:0] asked;
    logic       used;
    logic [2:0] useful;
    logic [2:0] useless;
    logic       late;
  } worth_t;

  worth_t      worth_q, worth_d;
  logic [31:0] asked_q, used_q, useful_q, useless_q, late_q;

  always_comb begin
    worth_d      = '0;
    worth_d.used = first_use || own_use;
    if (taken) begin
      worth_d.asked   = 3'(spec_len_o) + 3'd1;
      worth_d.useful  = useful;
      worth_d.useless = useless;
      worth_d.late    = late;
    end
  end

  assign requested_o        = asked_q + 32'(worth_q.asked);
  assign lines_used_o       = used_q + 32'(worth_q.used);
  assign useful_granules_o  = useful_q + 32'(worth_q.useful);
  assign useless_granules_o = useless_q + 32'(worth_q.useless);
  assign issued_late_o      = late_q + 32'(worth_q.late);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      worth_q   <= '0;
      asked_q   <= '0;
      used_q    <= '0;
      useful_q  <= '0;
      useless_q <= '0;
      late_q    <= '0;
    end else begin
      worth_q <= worth_d;
      if (worth_q != '0) begin
        asked_q   <= requested_o;
        used_q    <= lines_used_o;
        useful_q  <= useful_granules_o;
        useless_q <= useless_granules_o;
        late_q    <= issued_late_o;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  SpecStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (spec_valid_o && !spec_ready_i) |=> spec_valid_o && $stable(spec_line_o))
      else $error("a stalled MemSpecRd is withdrawn or its load changes");
  SpecOrNext_A: assert property (@(posedge clk_i) disable iff (!rst_ni) spec_valid_o |-> !rd_next_o)
      else $error("the reader moves on while a MemSpecRd is offered");
  SpecTakenEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni) taken |=> !spec_valid_o)
      else $error("a MemSpecRd is offered in the cycle after one was taken");
  OwnInRun_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (spec_valid_o && asks_own) |->
          spec_line_o == line_q
          && line_q[LineAddrBits-1:2] - spec_first_o <= granule_t'(spec_len_o))
      else $error("a run for its load is without the load's granule");
  AheadWithoutOwn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (spec_valid_o && !asks_own) |->
          spec_line_o == {spec_first_o, 2'b00}
          && line_q[LineAddrBits-1:2] - spec_first_o > granule_t'(spec_len_o))
      else $error("a run ahead of its load contains the load's granule");
  // An offer stays until it is taken; a window's run follows the queues, and length and chunk are
  // not latched.
  OfferStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (spec_valid_o && !spec_ready_i && !(policy_q inside {PolicySrPaper, PolicySr})) |=>
          !$stable(with_length) || !$stable(clip_log2_i)
          || ($stable(spec_first_o) && $stable(spec_len_o)))
      else $error("the run of a stalled MemSpecRd changes without a cause");
  StreamHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (streamed && spec_valid_o && !spec_ready_i) |=>
          $stable(spec_first_o) && $stable(spec_len_o))
      else $error("the run of a stalled stream prefetch changes");
  Known_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (known || unsent) |-> !spec_valid_o)
      else $error("a region that is known or suppressed is offered");
  KnownOver_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (known || unsent) |=> state_q == StLookup)
      else $error("the reader stays busy with a region that is known or suppressed");
  // What is offered for a score is sent: nothing but a flush, which raises it, comes between.
  NextSent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (next && spec_valid_o) |-> next_send)
      else $error("a region is offered although its score is low");
  HeldInLookup_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      held |-> load_here && streams)
      else $error("a suppressed prediction without a lookup of the stream table");

  Own_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      taken |=> requested_o == $past(requested_o) + 32'($past(spec_len_o)) + 32'd1)
      else $error("the granules of a MemSpecRd are not all counted");
  Used_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      lines_used_o - $past(lines_used_o) <= 32'd1)
      else $error("two lines are counted as used in one cycle");
  UsedWhen_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      lines_used_o != $past(lines_used_o) |-> $past(taken || (load_here && !off)))
      else $error("a line is counted as used without a load or a record");
  // Its caller's: entries are not looked for elsewhere while they are there.
  SetsAfterFlush_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !$stable(sets_log2_i) |-> flush_i || $past(flush_i))
      else $error("the sets in use change without a flush");
  Left_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      useful_granules_o - $past(useful_granules_o) + useless_granules_o - $past(useless_granules_o)
      <= requested_o - $past(requested_o))
      else $error("more granules leave the ring than were put there");
  Late_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      issued_late_o - $past(issued_late_o) <= issued_o - $past(issued_o))
      else $error("more MemSpecRd are late than were issued");

endmodule
