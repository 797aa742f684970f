// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Ring buffer: the granules that MemSpecRd recently requested.
//
// Four banks by the granule's low bits, so that a MemSpecRd of up to four consecutive granules is
// recorded in one cycle; each bank is a small set-associative memory whose sets are rings (the
// oldest granule of a set is overwritten). The set number folds the granule address.
// Lookup is combinational, a record is seen by lookups from the next cycle on.
//
// Each granule has a used bit for each of its lines, which says what asking for it was good for. A
// lookup that is a use sets one, and so does a record for the line that it was made for; as the two
// never come together, the used bits of a bank have one read port and one write port.
//
// Source: the SR engine's ring, made set-associative; docs/blocks/root_port/ring_buffer.md.

module ring_buffer
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned Sets = DefaultSizes.ring_entries / 16,  // sets in each of the four banks,
                                     // 1..256, a power of two
  parameter int unsigned Ways = 4    // granules in a set, 1..1024
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,        // pulse: forget every granule; a use or record of the same
                                     // cycle is lost
  // Lookup
  input  granule_t   granule_i,      // granule that is looked up
  output logic       hit_o,          // it was requested recently; same cycle
  input  logic [1:0] line_i,         // line in granule_i
  output logic       line_hit_o,     // granule_i hits and this line was used; same cycle
  // Use
  input  logic       use_i,          // pulse: a load needs line line_i of granule_i; not with
                                     // record_i
  output logic       first_use_o,    // with use_i: granule_i hits and this line was not used
                                     // before; else 0
  // Record of a MemSpecRd
  input  logic       record_i,       // pulse: the run first_i, len_i was requested
  input  granule_t   first_i,        // first granule of the run
  input  logic [1:0] len_i,          // granules of the run - 1
  input  granule_t   own_granule_i,  // granule of the load that caused the run; may lie outside the
                                     // run
  input  logic [1:0] own_i,          // line in own_granule_i that the load needs
  output logic       own_use_o,      // with record_i: that line lies in the run and was not used
                                     // before; else 0
  output logic [2:0] useful_o,       // granules that the record evicts with a used line, 0..4
  output logic [2:0] useless_o       // granules that the record evicts with none used, 0..4
);

  localparam int unsigned Banks   = 4;
  localparam int unsigned SetBits = (Sets > 1) ? $clog2(Sets) : 1;
  localparam int unsigned WayBits = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned TagBits = GranuleAddrBits - 2;

  if (Sets < 1 || Sets > 256 || (Sets & (Sets - 1)) != 0) begin : g_bad_sets
    $error("ring_buffer: Sets of 1..256, a power of two, is %0d", Sets);
  end
  if (Ways < 1) begin : g_bad_ways
    $error("ring_buffer: Ways must be at least 1");
  end

  typedef logic [SetBits-1:0] set_t;
  typedef logic [WayBits-1:0] way_t;
  typedef logic [TagBits-1:0] tag_t;  // granule without its bank
  typedef logic [3:0]         used_t; // a bit a line

  // Six bits further up each time, whatever the number of sets.
  function automatic set_t set_of(logic [19:0] tag);
    return set_t'((tag[7:0] ^ tag[13:6] ^ tag[19:12]) & 8'(Sets - 1));
  endfunction

  logic [Banks-1:0] bank_hit, line_hit, first_use, own_use, useful, useless;

  // Tag of the granule `distance` after the record's first one
  function automatic tag_t tag_after(granule_t first, logic [1:0] distance);
    return tag_t'((first + granule_t'(distance)) >> 2);
  endfunction

  // Is the granule that the record is made for in the run?
  logic own_in_run;
  always_comb begin
    logic [1:0] distance;
    distance   = '0;
    own_in_run = 1'b0;
    if (record_i) begin
      distance   = own_granule_i[1:0] - first_i[1:0];
      own_in_run = distance <= len_i
                   && own_granule_i[GranuleAddrBits-1:2] == tag_after(first_i, distance);
    end
  end

  for (genvar b = 0; b < Banks; b++) begin : g_bank
    tag_t [Ways-1:0]            tag_q [Sets];
    used_t [Ways-1:0]           used_q [Sets];
    logic [Sets-1:0][Ways-1:0]  valid_q;
    logic [Sets-1:0][WayBits-1:0] next_q;

    // Lookup
    tag_t            look_tag;
    set_t            look_set;
    logic [Ways-1:0] look_way;  // one-hot, 0: not there
    assign look_tag = granule_i[GranuleAddrBits-1:2];
    assign look_set = set_of(look_tag[19:0]);
    always_comb begin
      logic [Ways-1:0] look_row;
      look_row = '0;
      look_way = '0;
      if (granule_i[1:0] == 2'(b)) begin
        look_row = valid_q[look_set];
        if (look_row != '0) begin
          for (int unsigned w = 0; w < Ways; w++) begin
            if (look_row[w] && tag_q[look_set][w] == look_tag) look_way[w] = 1'b1;
          end
        end
      end
    end
    assign bank_hit[b] = |look_way;

    // The row that a use writes, before it: the lookup asks it of every line.
    used_t [Ways-1:0] look_used;
    logic [Ways-1:0]  look_line;
    always_comb begin
      look_used = '0;
      look_line = '0;
      if (granule_i[1:0] == 2'(b)) look_used = used_q[look_set];
      for (int unsigned w = 0; w < Ways; w++) look_line[w] = look_used[w][line_i];
    end
    assign line_hit[b] = (look_way & look_line) != '0;

    // Record: the granule of this bank is `distance` after the first one.
    logic            in_run, write;
    way_t            way;
    tag_t            tag;
    set_t            set;
    logic [Ways-1:0] row;
    logic [Ways-1:0] there;  // one-hot, 0: it is new
    always_comb begin
      logic [1:0] distance;
      distance = '0;
      tag      = '0;
      set      = '0;
      in_run   = 1'b0;
      row      = '0;
      there    = '0;
      way      = '0;
      if (record_i) begin
        distance = 2'(b) - first_i[1:0];
        in_run   = distance <= len_i;
      end
      if (in_run) begin
        tag = tag_after(first_i, distance);
        set = set_of(tag[19:0]);
        way = next_q[set];
        row = valid_q[set];
        for (int unsigned w = 0; w < Ways; w++) begin
          there[w] = row[w] && tag_q[set][w] == tag;
        end
      end
    end
    assign write = in_run && there == '0;

    // Used bits: a set of them is read and written, that of the record or that of the use. Ways are
    // taken side by side: which it is comes late. A flush makes all of it void, and uncounted.
    logic             own_here, used_we;
    set_t             used_set;
    used_t            own_line;
    used_t [Ways-1:0] used_row;
    logic [Ways-1:0]  oldest, used_any, own_was;
    assign own_here = own_in_run && own_granule_i[1:0] == 2'(b);
    always_comb begin
      used_set     = '0;
      used_row     = '0;
      used_we      = 1'b0;
      own_line     = '0;
      oldest       = '0;
      used_any     = '0;
      own_was      = '0;
      first_use[b] = 1'b0;
      own_use[b]   = 1'b0;
      useful[b]    = 1'b0;
      useless[b]   = 1'b0;
      if (flush_i) begin
        used_we = 1'b0;
      end else if (in_run) begin
        used_set = set;
        used_row = used_q[set];
        used_we  = 1'b1;
        if (own_here) own_line = used_t'(1) << own_i;
        for (int unsigned w = 0; w < Ways; w++) begin
          oldest[w]   = way == way_t'(w);
          used_any[w] = used_row[w] != '0;
          own_was[w]  = there[w] && used_row[w][own_i];
          if (there[w])           used_row[w] = used_row[w] | own_line;
          if (write && oldest[w]) used_row[w] = own_line;
        end
        useful[b]  = write && (oldest & row & used_any) != '0;
        useless[b] = write && (oldest & row & ~used_any) != '0;
        own_use[b] = own_here && own_was == '0;
      end else if (use_i && look_way != '0) begin
        used_set = look_set;
        used_row = used_q[look_set];
        used_we  = 1'b1;
        for (int unsigned w = 0; w < Ways; w++) begin
          if (look_way[w]) begin
            first_use[b]        = !used_row[w][line_i];
            used_row[w][line_i] = 1'b1;
          end
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q <= '0;
        next_q  <= '0;
      end else if (flush_i) begin
        valid_q <= '0;
      end else if (write) begin
        valid_q[set][way] <= 1'b1;
        next_q[set]       <= (way == way_t'(Ways - 1)) ? '0 : way + way_t'(1);
      end
    end
    always_ff @(posedge clk_i) begin
      if (write)   tag_q[set][way]  <= tag;
      if (used_we) used_q[used_set] <= used_row;
    end
  end

  assign hit_o      = |bank_hit;
  assign line_hit_o = |line_hit;

  assign first_use_o = |first_use;
  assign own_use_o   = |own_use;
  assign useful_o    = count4(useful);
  assign useless_o   = count4(useless);

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  logic       recorded_q, wanted_q;
  granule_t   recorded_first_q, wanted_granule_q;
  logic [1:0] wanted_line_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      recorded_q <= 1'b0;
      wanted_q   <= 1'b0;
    end else begin
      recorded_q <= record_i && !flush_i;
      wanted_q   <= first_use_o || own_use_o;  // a line was used, for the first time
    end
  end
  always_ff @(posedge clk_i) begin
    if (record_i) recorded_first_q <= first_i;
    wanted_granule_q <= record_i ? own_granule_i : granule_i;
    wanted_line_q    <= record_i ? own_i : line_i;
  end
  RecordedHits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (recorded_q && granule_i == recorded_first_q) |-> hit_o)
      else $error("a granule misses the cycle after it was recorded");
  FlushedMisses_A: assert property (@(posedge clk_i) disable iff (!rst_ni) flush_i |=> !hit_o)
      else $error("a granule hits the cycle after a flush");
  // The used bits have one port.
  UseOrRecord_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(use_i && record_i))
      else $error("a use and a record in one cycle");
  LineHit_A: assert property (@(posedge clk_i) disable iff (!rst_ni) line_hit_o |-> hit_o)
      else $error("a line hits without its granule");
  FirstUse_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      first_use_o == (use_i && hit_o && !line_hit_o && !flush_i))
      else $error("a first use that is none, or one that is missed");
  OwnUse_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      own_use_o |-> own_in_run)
      else $error("a first use of an own line outside the recorded run");
  UseOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wanted_q && use_i && granule_i == wanted_granule_q && line_i == wanted_line_q) |->
      hit_o && !first_use_o)
      else $error("a line that was used counts as first used again");
  OwnOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wanted_q && own_granule_i == wanted_granule_q && own_i == wanted_line_q) |->
      !own_use_o)
      else $error("an own line that was used counts as first used again");
  Overwritten_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      useful_o + useless_o <= (record_i ? 3'(len_i) + 3'd1 : 3'd0))
      else $error("more granules are evicted than recorded");
  FlushUncounted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      flush_i |-> !first_use_o && !own_use_o && useful_o == '0 && useless_o == '0)
      else $error("uses or evictions are counted in the cycle of a flush");

endmodule
