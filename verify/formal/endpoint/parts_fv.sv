// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// dram_cache with lines in part, one byte of one line chosen freely: it is followed through the slot of its line, in
// media that keep the rules of docs/blocks/endpoint/README.md. A load that is answered at once finds the byte there:
// written since the line was opened, or filled. No slot is given to another line while the byte in it may be missing,
// no line is opened, or filled as a MISS, over bytes that stores brought, and only lines without a missing byte are
// written back.
// Around it is an endpoint that answers fills and wakes waiters in any order, but only those that there are.

module parts_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned MaxSets = 2,
  parameter int unsigned Ways    = 2,
  parameter int unsigned Mshrs   = 4,
  parameter int unsigned Lines   = 2,  // of 64 bytes, in a line of the internal DRAM
  localparam int unsigned KeyBits = LineAddrBits - $clog2(Lines)
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               early_i,    // of the first cycle, as the watched byte
  input logic [KeyBits-1:0] watch_i,
  input logic [3:0]         offset_i,
  input byte_en_t           byte_i,
  input logic               lookup_i,
  input logic               here_i,     // look up the watched line
  input logic [KeyBits-1:0] key_i,      // else this
  input logic               write_i,
  input logic               spec_i,
  input logic [3:0]         at_i,
  input byte_en_t           be_i,
  input logic               commit_i,
  input logic               fill_i,
  input logic [1:0]         fill_mshr_i,
  input logic               wake_i,
  input logic [1:0]         wake_mshr_i,
  input logic               behind_i
);

  logic               seen_q, early_q, early;
  logic [KeyBits-1:0] watch_q, watch, key, victim, behind_key;
  logic [3:0]         offset_q, offset, at;
  byte_en_t           byte_q, the_byte;  // one bit
  logic [2:0]         result;
  logic [15:0]        slot, behind_slot;
  logic [7:0]         mshr, behind_mshr;
  logic               victim_dirty, behind_valid, spec, write, commit, fill, wake, take;
  logic [8:0]         used, open_count;
  dram_event_t        event_seen;

  // What is watched is drawn in the first cycle and stays.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) seen_q <= 1'b0;
    else         seen_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (!seen_q) begin
      early_q  <= early_i;
      watch_q  <= watch_i;
      offset_q <= offset_i & 4'(Lines - 1);
      byte_q   <= byte_i & (~byte_i + byte_en_t'(1));
    end
  end
  assign early    = early_q;
  assign watch    = watch_q;
  assign offset   = offset_q;
  assign the_byte = byte_q;

  // What is in flight, and who waits
  logic [Mshrs-1:0]      asked_q, filled_q;  // its fill is requested; is answered
  logic [Mshrs-1:0][1:0] waits_q;

  assign key    = here_i ? watch : key_i;
  assign spec   = spec_i;
  assign write  = write_i && !spec_i;
  assign at     = at_i & 4'(Lines - 1);
  assign fill   = seen_q && fill_i && asked_q[fill_mshr_i];
  assign wake   = seen_q && wake_i && filled_q[wake_mshr_i] && waits_q[wake_mshr_i] != '0;
  assign take   = seen_q && behind_i && behind_valid;
  // No more waiters than are counted here
  assign commit = seen_q && lookup_i && commit_i && !take &&
                  !(result == CacheMerge && waits_q[mshr[1:0]] == '1);

  dram_cache #(.MaxSets(MaxSets), .Ways(Ways), .Mshrs(Mshrs), .DramLineBytes(64 * Lines)) u_cache (
    .clk_i, .rst_ni, .sets_log2_i(4'd10), .lookup_valid_i(seen_q && lookup_i), .lookup_granule_i(key),
    .lookup_write_i(write), .lookup_spec_i(spec), .lookup_offset_i(at), .lookup_be_i(be_i), .early_i(early),
    .lookup_commit_i(commit), .result_o(result), .slot_o(slot), .mshr_o(mshr), .victim_o(victim),
    .victim_dirty_o(victim_dirty), .event_o(event_seen), .fill_done_i(fill), .fill_mshr_i(8'(fill_mshr_i)),
    .wait_dec_i(wake), .wait_mshr_i(8'(wake_mshr_i)), .mshr_used_o(used), .open_count_o(open_count),
    .behind_valid_o(behind_valid), .behind_mshr_o(behind_mshr), .behind_slot_o(behind_slot),
    .behind_granule_o(behind_key), .behind_take_i(take));

  logic is_miss, is_open, is_start, is_merge, is_now;
  assign is_miss  = commit && (result == CacheMiss);
  assign is_open  = commit && (result == CacheOpen);
  assign is_start = commit && (result == CacheStart);
  assign is_merge = commit && (result == CacheMerge);
  assign is_now   = (result == CacheHit) || (result == CacheHeld);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q  <= '0;
      filled_q <= '0;
      waits_q  <= '0;
    end else begin
      if (wake) waits_q[wake_mshr_i] <= waits_q[wake_mshr_i] - 2'd1;
      if (fill) begin
        asked_q[fill_mshr_i]  <= 1'b0;
        filled_q[fill_mshr_i] <= 1'b1;
      end
      if (take) asked_q[behind_mshr[1:0]] <= 1'b1;
      if (is_miss || is_open) begin
        asked_q[mshr[1:0]]  <= is_miss;
        filled_q[mshr[1:0]] <= 1'b0;
        waits_q[mshr[1:0]]  <= 2'(is_miss && !spec);
      end
      if (is_start) begin
        asked_q[mshr[1:0]] <= 1'b1;
        waits_q[mshr[1:0]] <= 2'(!spec);
      end
      if (is_merge && !spec) waits_q[mshr[1:0]] <= waits_q[mshr[1:0]] + 2'd1;
    end
  end

  // The byte, in the slot that its line was given last
  logic        there_q;    // the slot is the line's
  logic        right_q;    // the byte in it is: a store brought it, or a fill
  logic        written_q;  // a store brought it, to a line that was opened, and no fill has ended since
  logic        filling_q;  // its fill is in flight
  logic [15:0] slot_q;
  logic [7:0]  mshr_q;
  logic        hits, ends;  // a store is at the byte; the line's fill ends

  assign hits = commit && key == watch && write && at == offset && (be_i & the_byte) != '0;
  assign ends = fill && there_q && filling_q && fill_mshr_i == mshr_q[1:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q   <= 1'b0;
      right_q   <= 1'b0;
      written_q <= 1'b0;
      filling_q <= 1'b0;
    end else begin
      if (ends) begin
        right_q   <= 1'b1;
        written_q <= 1'b0;
        filling_q <= 1'b0;
      end
      if (take && there_q && behind_slot == slot_q) filling_q <= 1'b1;
      if (commit && key == watch) begin
        if (is_miss || is_open) begin
          there_q   <= 1'b1;
          right_q   <= is_open && hits;
          written_q <= is_open && hits;
          filling_q <= is_miss;
          slot_q    <= slot;
          mshr_q    <= mshr;
        end else if (is_start) begin
          filling_q <= 1'b1;
        end else if (result == CacheHeld && hits) begin
          right_q   <= 1'b1;
          written_q <= !ends;
        end
      end else if ((is_miss || is_open) && slot == slot_q) begin
        there_q <= 1'b0;
      end
    end
  end

  LoadComplete_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (commit && key == watch && !write && !spec && at == offset && is_now && byte_q != '0) |->
          there_q && right_q && slot == slot_q);
  NotOver_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (commit && key == watch && there_q && (written_q || !right_q) && byte_q != '0) |->
          result != CacheMiss && result != CacheOpen);
  SlotStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((is_miss || is_open) && key != watch && there_q && byte_q != '0) |-> slot != slot_q || right_q);
  FillBehindOwn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (take && behind_key == watch) |-> there_q && !filling_q && behind_slot == slot_q && behind_mshr == mshr_q);
  BackWhole_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (commit && victim_dirty && victim == watch && byte_q != '0) |-> right_q && !filling_q && slot == slot_q);

  logic unused;
  assign unused = ^{used, open_count, event_seen, slot, mshr, behind_mshr};

endmodule
