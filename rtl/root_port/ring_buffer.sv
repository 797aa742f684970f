// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Ring buffer: the granules that were lately asked for by MemSpecRd.
//
// Four banks by the granule's low bits, so that a MemSpecRd of up to four consecutive granules is
// recorded in one cycle; each bank is a small set-associative memory whose sets are rings (the
// oldest granule of a set is overwritten). The set number folds the granule address.
// Lookup is combinational, a record is seen by lookups from the next cycle on.
//
// Source: the SR engine's ring, made set-associative; docs/blocks.md.

module ring_buffer
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Sets = 64,
  parameter int unsigned Ways = 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       flush_i,
  // Lookup
  input  granule_t   granule_i,
  output logic       hit_o,
  // Record len_i + 1 granules from first_i on
  input  logic       record_i,
  input  granule_t   first_i,
  input  logic [1:0] len_i
);

  localparam int unsigned Banks   = 4;
  localparam int unsigned SetBits = (Sets > 1) ? $clog2(Sets) : 1;
  localparam int unsigned WayBits = (Ways > 1) ? $clog2(Ways) : 1;
  localparam int unsigned TagBits = GranuleAddrBits - 2;

  if (Sets < 1 || Sets > 64 || (Sets & (Sets - 1)) != 0) begin : g_bad_sets
    $error("ring_buffer: Sets must be a power of two up to 64");
  end
  if (Ways < 1) begin : g_bad_ways
    $error("ring_buffer: Ways must be at least 1");
  end

  typedef logic [SetBits-1:0] set_t;
  typedef logic [WayBits-1:0] way_t;
  typedef logic [TagBits-1:0] tag_t;  // granule without its bank

  function automatic set_t set_of(logic [17:0] tag);
    return set_t'((tag[5:0] ^ tag[11:6] ^ tag[17:12]) & 6'(Sets - 1));
  endfunction

  logic [Banks-1:0] bank_hit;

  for (genvar b = 0; b < Banks; b++) begin : g_bank
    tag_t [Ways-1:0]            tag_q [Sets];
    logic [Sets-1:0][Ways-1:0]  valid_q;
    logic [Sets-1:0][WayBits-1:0] next_q;

    // Lookup
    tag_t look_tag;
    set_t look_set;
    assign look_tag = granule_i[GranuleAddrBits-1:2];
    assign look_set = set_of(look_tag[17:0]);
    always_comb begin
      logic [Ways-1:0] row;
      row         = '0;
      bank_hit[b] = 1'b0;
      if (granule_i[1:0] == 2'(b)) begin
        row = valid_q[look_set];
        if (row != '0) begin
          for (int unsigned w = 0; w < Ways; w++) begin
            if (row[w] && tag_q[look_set][w] == look_tag) bank_hit[b] = 1'b1;
          end
        end
      end
    end

    // Record: the granule of this bank is `distance` after the first one.
    logic     write;
    way_t     way;
    tag_t     tag;
    set_t     set;
    always_comb begin
      logic [1:0] distance;
      distance = '0;
      tag      = '0;
      set      = '0;
      write    = 1'b0;
      way      = '0;
      if (record_i) begin
        distance = 2'(b) - first_i[1:0];
        write    = distance <= len_i;
      end
      if (write) begin
        tag = tag_t'((first_i + granule_t'(distance)) >> 2);
        set = set_of(tag[17:0]);
        way = next_q[set];
        for (int unsigned w = 0; w < Ways; w++) begin
          if (valid_q[set][w] && tag_q[set][w] == tag) write = 1'b0;
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
      if (write) tag_q[set][way] <= tag;
    end
  end

  assign hit_o = |bank_hit;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  logic     recorded_q;
  granule_t recorded_first_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) recorded_q <= 1'b0;
    else         recorded_q <= record_i && !flush_i;
  end
  always_ff @(posedge clk_i) begin
    if (record_i) recorded_first_q <= first_i;
  end
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (recorded_q && granule_i == recorded_first_q) |-> hit_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) flush_i |=> !hit_o);

endmodule
