// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Transaction table: the demand requests that the endpoint has accepted and not yet answered.
//
// An entry is taken (lowest free index) when the request leaves the lookup stage, and freed when
// its media answer became a response. Its index is the `id` of the media command. An entry may
// wait for an MSHR: when that MSHR's fill is answered the entry becomes ready, and ready entries
// are offered lowest index first. Ready is a bit vector, so that picking one is an encoder and
// only a fill's answer compares all entries. The entry offered is not held: while the offer stalls,
// a lower one that becomes ready takes its place.
//
// Latency:  a fill answered in cycle t offers its waiters from t + 1; alloc is visible at t + 1.
// Source:   docs/blocks/endpoint/endpoint.md.

module transaction_table
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Depth = 32,  // accesses outstanding, 2..64, a power of two
  localparam int unsigned IndexW = $clog2(Depth)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Allocation
  output logic              free_o,          // an entry is free
  output logic [IndexW-1:0] free_index_o,    // the lowest free one, which alloc_i takes; 0 if none
  input  logic              alloc_i,         // pulse: take free_index_o; only with free_o
  input  logic              alloc_wait_i,    // it waits for the fill of alloc_mshr_i
  input  logic              alloc_write_i,   // it is a write; this, slot, MSHR, enables, data and
                                             // poison count only if it waits
  input  logic [15:0]       alloc_tag_i,     // tag of the message
  input  line_addr_t        alloc_line_i,    // its line in device memory
  input  logic [15:0]       alloc_slot_i,    // its slot in the internal DRAM
  input  logic [7:0]        alloc_mshr_i,    // MSHR whose fill it waits for
  input  byte_en_t          alloc_be_i,      // byte enables of a write
  input  line_t             alloc_data_i,    // data of a write
  input  logic              alloc_poison_i,  // the data are known to be bad
  // Fills and the entries that they wake
  input  logic              fill_done_i,     // pulse: the fill of fill_mshr_i was answered
  input  logic [7:0]        fill_mshr_i,     // wakes every entry that waits for it, one allocated
                                             // now too
  output logic              wake_valid_o,    // a woken entry is offered; a lower one may replace it
                                             // while stalled
  input  logic              wake_ready_i,    // it is taken
  output logic [IndexW-1:0] wake_index_o,    // its index; all of the offer is 0 without
                                             // wake_valid_o
  output logic              wake_write_o,    // it is a write
  output line_addr_t        wake_line_o,     // its line in device memory
  output logic [15:0]       wake_slot_o,     // its slot in the internal DRAM
  output logic [7:0]        wake_mshr_o,     // MSHR that it waited for
  output byte_en_t          wake_be_o,       // byte enables; 0 for a read
  output line_t             wake_data_o,     // data; 0 for a read
  output logic              wake_poison_o,   // the data are known to be bad; 0 for a read
  output logic              busy_o,          // level: an entry is used
  // Look-up by index, comb: for the command that is issued, and for the answer
  input  logic [IndexW-1:0] issue_index_i,   // entry whose command is issued
  output logic [15:0]       issue_tag_o,     // its tag, same cycle
  input  logic [IndexW-1:0] answer_index_i,  // entry whose command is answered
  output logic [15:0]       answer_tag_o,    // its tag, same cycle
  output line_addr_t        answer_line_o,   // its line, same cycle
  input  logic              release_i        // pulse: frees answer_index_i; only a used entry that
                                             // does not wait
);

  typedef struct packed {
    logic        write;
    logic        poison;  // of a write
    logic [15:0] slot;
    logic [7:0]  mshr;
  } wait_info_t;

  logic [Depth-1:0] used_q, wait_q, ready_q;
  logic [15:0]      tag_q  [Depth];
  line_addr_t       line_q [Depth];
  wait_info_t       info_q [Depth];
  logic [7:0]       mshr_q [Depth];
  byte_en_t         be_q   [Depth];
  line_t            data_q [Depth];

  // Allocation
  logic [IndexW:0] count_q;  // used entries: whether one is free begins a long path

  assign free_o       = !count_q[IndexW];
  assign free_index_o = IndexW'(first_one(64'(Depth'(~used_q))));

  always_ff @(posedge clk_i) begin
    if (alloc_i) begin
      tag_q[free_index_o]  <= alloc_tag_i;
      line_q[free_index_o] <= alloc_line_i;
    end
    if (alloc_i && alloc_wait_i) begin
      info_q[free_index_o] <= '{write: alloc_write_i, poison: alloc_write_i && alloc_poison_i,
                                slot: alloc_slot_i, mshr: alloc_mshr_i};
      mshr_q[free_index_o] <= alloc_mshr_i;
    end
    if (alloc_i && alloc_wait_i && alloc_write_i) begin
      be_q[free_index_o]   <= alloc_be_i;
      data_q[free_index_o] <= alloc_data_i;
    end
  end

  // Entries made ready by a fill; one that joins the MSHR in this very cycle counts too.
  logic [Depth-1:0] woken;

  always_comb begin
    woken = '0;
    if (fill_done_i) begin
      for (int unsigned i = 0; i < Depth; i++) begin
        woken[i] = wait_q[i] && (mshr_q[i] == fill_mshr_i);
      end
      if (alloc_i && alloc_wait_i && (alloc_mshr_i == fill_mshr_i)) begin
        woken[free_index_o] = 1'b1;
      end
    end
  end

  logic wake;
  assign wake = wake_valid_o && wake_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      wait_q  <= '0;
      ready_q <= '0;
      count_q <= '0;
    end else if (alloc_i || release_i || fill_done_i || wake) begin
      if (alloc_i) begin
        used_q[free_index_o] <= 1'b1;
        wait_q[free_index_o] <= alloc_wait_i;
      end
      if (release_i) used_q[answer_index_i] <= 1'b0;
      if (alloc_i && !release_i)      count_q <= count_q + (IndexW + 1)'(1);
      else if (release_i && !alloc_i) count_q <= count_q - (IndexW + 1)'(1);
      ready_q <= ready_q | woken;
      if (wake) begin
        ready_q[wake_index_o] <= 1'b0;
        wait_q[wake_index_o]  <= 1'b0;
      end
    end
  end

  // The entry offered
  wait_info_t wake_info;

  assign wake_valid_o = |ready_q;

  always_comb begin
    wake_index_o = '0;
    wake_info    = '0;
    wake_line_o  = '0;
    wake_be_o    = '0;
    wake_data_o  = '0;
    if (wake_valid_o) begin
      wake_index_o = IndexW'(first_one(64'(ready_q)));
      wake_info    = info_q[wake_index_o];
      wake_line_o  = line_q[wake_index_o];
      if (wake_info.write) begin
        wake_be_o   = be_q[wake_index_o];
        wake_data_o = data_q[wake_index_o];
      end
    end
  end

  assign wake_write_o  = wake_info.write;
  assign wake_poison_o = wake_info.poison;
  assign wake_slot_o   = wake_info.slot;
  assign wake_mshr_o   = wake_info.mshr;
  assign busy_o        = |used_q;

  assign issue_tag_o   = tag_q[issue_index_i];
  assign answer_tag_o  = tag_q[answer_index_i];
  assign answer_line_o = line_q[answer_index_i];

  if ((2 ** IndexW != Depth) || (Depth > 64)) begin : gen_bad
    $error("transaction_table: Depth must be a power of two up to 64");
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  AllocFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni) alloc_i |-> free_o)
      else $error("an access is allocated in a full table");
  Count_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q == (IndexW + 1)'($countones(used_q)))
      else $error("the number of used entries is wrong");
  FreeIndex_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      free_o |-> !used_q[free_index_o])
      else $error("the entry named as free is in use");
  ReleaseUsed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      release_i |-> (used_q[answer_index_i] && !wait_q[answer_index_i]))
      else $error("an entry is released that is free or waits for a fill");
  WaitUsed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wait_q & ~used_q) == '0)
      else $error("a free entry waits for a fill");
  ReadyWaits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ready_q & ~(wait_q & used_q)) == '0)
      else $error("an entry is ready that does not wait for a fill");
  PoisonWrites_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wake_poison_o |-> (wake_valid_o && wake_write_o))
      else $error("a woken read has poison");
  WakeStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wake_valid_o && !wake_ready_i) |=>
      (wake_valid_o && (wake_index_o <= $past(wake_index_o))))
      else $error("a stalled offer is withdrawn, or replaced by a higher entry");

endmodule
