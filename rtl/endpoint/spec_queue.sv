// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Side queue of speculative reads: holds MemSpecRd messages and splits the oldest in granules.
//
// A message is a first granule (already in device addresses) and a length; it is offered as
// granules, one after the other, and leaves with its last one. A message offered without room is
// lost: the writer sees in_ready_o and need not offer it again. Where the internal DRAM has other
// lines than of 256 B, these take the place of granules.
//
// Latency:  a message pushed in cycle t offers its first granule in t + 1.
// Source:   docs/blocks/endpoint/endpoint.md.

module spec_queue
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Depth   = 128,              // MemSpecRd that can wait, 2..65536
  parameter int unsigned KeyBits = GranuleAddrBits,  // bits of a granule's address, 42..46
  parameter int unsigned LenBits = 2                 // bits of a length, 2..4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       in_valid_i,            // a MemSpecRd comes
  output logic       in_ready_o,            // low: it is dropped and need not be offered again
  input  logic [KeyBits-1:0] in_first_i,    // its first granule, in device memory
  input  logic [LenBits-1:0] in_len_i,      // granules - 1
  output logic       out_valid_o,           // a granule is offered; stays until taken
  input  logic       out_ready_i,           // it is taken
  output logic [KeyBits-1:0] out_granule_o  // granule to look up
);

  typedef struct packed {
    logic [KeyBits-1:0] first;
    logic [LenBits-1:0] len;
  } spec_t;

  spec_t      in_spec, head;
  logic [LenBits-1:0] step_q;
  logic [KeyBits-1:0] next_q;  // the granule behind the one taken last
  logic       step, last;

  assign in_spec = '{first: in_first_i, len: in_len_i};

  assign step          = out_valid_o && out_ready_i;
  assign last          = (step_q == head.len);
  // The sum is made a step ahead: a long path begins with this granule.
  assign out_granule_o = (step_q == '0) ? head.first : next_q;

  logic [$clog2(Depth+1)-1:0] unused_count;

  fifo #(
    .Width($bits(spec_t)),
    .Depth(Depth)
  ) u_fifo (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (in_valid_i),
    .in_ready_o (in_ready_o),
    .in_data_i  (in_spec),
    .out_valid_o(out_valid_o),
    .out_ready_i(out_ready_i && last),
    .out_data_o (head),
    .count_o    (unused_count)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= '0;
    end else if (step) begin
      step_q <= last ? '0 : step_q + LenBits'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (step) next_q <= out_granule_o + KeyBits'(1);
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OfferHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (out_valid_o && !out_ready_i) |=> (out_valid_o && $stable(out_granule_o)))
      else $error("a stalled granule is withdrawn or changes");
  StepIdle_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !out_valid_o |-> (step_q == '0))
      else $error("an empty queue is in the middle of a MemSpecRd");
  Granule_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o |-> (out_granule_o == head.first + KeyBits'(step_q)))
      else $error("the granule offered is not the next one of its MemSpecRd");
  StepInLen_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      out_valid_o |-> (step_q <= head.len))
      else $error("a granule beyond the length of its MemSpecRd is offered");

endmodule
