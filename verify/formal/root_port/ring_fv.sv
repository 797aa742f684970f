// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ring_buffer, one granule chosen freely: it is found only if it was recorded after the last flush,
// and it is found for sure until Ways records of later granules may have pushed it out; recorded again
// after that, until the next record.

module ring_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Sets = 2,
  parameter int unsigned Ways = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input granule_t   watch_i,
  input logic       flush_i,
  input granule_t   granule_i,
  input logic       look_i,     // at the watched one
  input logic       use_i,
  input logic [1:0] line_i,
  input logic       record_i,
  input granule_t   first_i,
  input logic [1:0] len_i,
  input granule_t   own_granule_i,
  input logic [1:0] own_i
);

  granule_t   watch_q, look;
  logic       seen_q, known_q, recorded, hit, line_hit, first_use, own_use;
  logic [1:0] distance;
  logic [2:0] useful, useless, later_q;  // records since that may have taken its set

  assign look     = look_i ? watch_q : granule_i;
  assign distance = watch_q[1:0] - first_i[1:0];  // of the only granule of the run in its bank
  assign recorded = record_i && distance <= len_i && first_i + granule_t'(distance) == watch_q;

  ring_buffer #(.Sets(Sets), .Ways(Ways)) u_ring (
    .clk_i, .rst_ni, .flush_i, .granule_i(look), .hit_o(hit), .line_i,
    .line_hit_o(line_hit), .use_i(use_i && !record_i), .first_use_o(first_use), .record_i,
    .first_i, .len_i, .own_granule_i, .own_i, .own_use_o(own_use),
    .useful_o(useful), .useless_o(useless));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_q  <= 1'b0;
      known_q <= 1'b0;
      later_q <= '0;
    end else begin
      seen_q <= 1'b1;
      if (flush_i) known_q <= 1'b0;
      else if (seen_q && recorded) begin
        known_q <= 1'b1;
        // There already: it keeps its place in the ring, which after Ways others may be the oldest.
        if (!known_q)                    later_q <= '0;
        else if (32'(later_q) >= Ways)   later_q <= 3'(Ways - 1);
      end else if (record_i && later_q != '1) later_q <= later_q + 3'd1;
    end
  end
  always_ff @(posedge clk_i) if (!seen_q) watch_q <= watch_i;

  // Nothing is known of the first cycle: its record may hold the granule.
  logic clean_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      clean_q <= 1'b0;
    else if (flush_i) clean_q <= seen_q;
  end

  OnlyKnown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (clean_q && look_i && hit) |-> known_q);
  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (clean_q && look_i && known_q && 32'(later_q) < Ways) |-> hit);

endmodule
