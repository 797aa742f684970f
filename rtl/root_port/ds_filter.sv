// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Filter in front of the DS engine's index: a line that it does not know is surely not there, so
// most loads need no search. A counting Bloom filter with one hash: a two-bit counter a bucket, and
// a counter that has once been full stays full until all is cleared (it no longer knows how many).
//
// The bucket of a key is the XOR of the key's pieces, each rotated by another amount. Lookups are
// combinational; inc, dec and clear act on the state of the next cycle. upd_maybe_o is a lookup of
// upd_key_i: its counter is read there anyway.
//
// Source: L. Fan et al., Summary Cache (counting Bloom filter); docs/blocks/root_port/ds_filter.md.

module ds_filter #(
  parameter int unsigned Buckets = 1024,  // counters; 16 or more, a power of two
  parameter int unsigned KeyBits = 46     // bits of a key; 1 or more
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,     // pulse: no key is there after this edge; wins over inc_i
                                          // and dec_i

  input  logic [KeyBits-1:0] key_i,       // key to look up
  output logic               maybe_o,     // comb from key_i: it may be there; 0: it surely is not

  input  logic [KeyBits-1:0] also_key_i,  // another key to look up
  output logic               also_maybe_o, // comb from also_key_i: likewise

  input  logic               inc_i,       // pulse: upd_key_i was inserted; never with dec_i
  input  logic               dec_i,       // pulse: upd_key_i was deleted; only a key that was
                                          // inserted
  input  logic [KeyBits-1:0] upd_key_i,   // key that is counted, and second key to look up
  output logic               upd_maybe_o  // comb from upd_key_i: it may be there; 0: it surely is
                                          // not
);

  if (Buckets < 16 || (Buckets & (Buckets - 1)) != 0) begin : g_check_buckets
    $error("ds_filter: Buckets must be a power of two, at least 16");
  end

  localparam int unsigned BucketBits = $clog2(Buckets);
  localparam int unsigned Pieces     = (KeyBits + BucketBits - 1) / BucketBits;
  typedef logic [BucketBits-1:0] bucket_t;

  function automatic bucket_t fold(logic [KeyBits-1:0] key);
    logic [Pieces*BucketBits-1:0] padded;
    bucket_t bucket, piece;
    padded = (Pieces * BucketBits)'(key);
    bucket = '0;
    for (int unsigned p = 0; p < Pieces; p++) begin
      piece  = padded[p*BucketBits +: BucketBits];
      bucket = bucket ^ bucket_t'({piece, piece} >> (BucketBits - 3 * p % BucketBits));
    end
    return bucket;
  endfunction

  // In rows, which a simulator updates one at a time
  localparam int unsigned Rows    = 16;
  localparam int unsigned Columns = Buckets / Rows;
  localparam int unsigned ColBits = (Columns > 1) ? $clog2(Columns) : 1;
  typedef logic [3:0]         row_t;
  typedef logic [ColBits-1:0] column_t;

  logic [Columns-1:0][1:0] counts_q [Rows];
  bucket_t                 bucket, also_bucket, upd_bucket;
  logic [1:0]              count, also_count, upd_count;

  assign bucket      = fold(key_i);
  assign also_bucket = fold(also_key_i);
  assign upd_bucket  = fold(upd_key_i);
  assign count       = counts_q[row_t'(bucket)][column_t'(bucket >> 4)];
  assign also_count  = counts_q[row_t'(also_bucket)][column_t'(also_bucket >> 4)];
  assign upd_count   = counts_q[row_t'(upd_bucket)][column_t'(upd_bucket >> 4)];
  assign maybe_o     = count != 2'd0;
  assign also_maybe_o = also_count != 2'd0;
  assign upd_maybe_o = upd_count != 2'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned r = 0; r < Rows; r++) counts_q[r] <= '0;
    end else if (clear_i) begin
      for (int unsigned r = 0; r < Rows; r++) counts_q[r] <= '0;
    end else if (inc_i) begin
      if (upd_count != 2'd3) begin
        counts_q[row_t'(upd_bucket)][column_t'(upd_bucket >> 4)] <= upd_count + 2'd1;
      end
    end else if (dec_i) begin
      if (upd_count != 2'd0 && upd_count != 2'd3) begin
        counts_q[row_t'(upd_bucket)][column_t'(upd_bucket >> 4)] <= upd_count - 2'd1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  logic    added_q;
  bucket_t added_bucket_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) added_q <= 1'b0;
    else         added_q <= inc_i && !clear_i;
  end
  always_ff @(posedge clk_i) begin
    added_bucket_q <= upd_bucket;
  end

  OneUpdate_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(inc_i && dec_i))
    else $error("an insert and a delete were counted at once");
  Added_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (added_q && bucket == added_bucket_q) |-> maybe_o)
    else $error("a key that was just inserted is said not to be there");
  Cleared_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      clear_i |=> !maybe_o && !upd_maybe_o)
    else $error("a key may be there in the cycle after a clear");
  SameLookup_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      key_i == upd_key_i |-> maybe_o == upd_maybe_o)
    else $error("the two lookups of one key differ");
  AlsoLookup_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (key_i != also_key_i || maybe_o == also_maybe_o) &&
      (upd_key_i != also_key_i || upd_maybe_o == also_maybe_o))
    else $error("the lookups of one key by two users differ");
  Steady_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!inc_i && !dec_i && !clear_i) |=> !$stable(bucket) || $stable(count))
    else $error("a count changed without insert, delete or clear");
  Counted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (added_q && bucket == added_bucket_q) |->
      count == (($past(upd_count) == 2'd3) ? 2'd3 : $past(upd_count) + 2'd1))
    else $error("an insert did not add one to its count, up to 3");

endmodule
