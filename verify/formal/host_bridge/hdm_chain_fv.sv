// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// HDM decoder of a device: two addresses never give the same way and device line, over all bits of the address.
// A flat proof does not end where three divide; this one has three links, by Part. They stand on the nets of the
// decoder itself, in the last link of two of them with the same registers, each asked for one address of its own.
//
//   0 Registers_A  what any writes leave in the registers that a decode reads: committed means legal ways and
//                  granularity, Base's remainder is one
//   1 Steps_A      the division, digit by digit (base 4): 4 * (remainder above) + digit of the address
//                  = 3 * (digit of the quotient) + remainder, for each of the digits and any address
//   2 One_A        from any registers that 0 allows, with remainders and quotient cut and bound by 1 alone
//
// Of 1 follows that equal quotients and remainders have equal addresses behind them: from the last digit that the
// ways share upwards each step has one solution.

module hdm_chain_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned Part = 0,
  parameter int unsigned NumDecoders = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input reg_req_t   reg_req_i,
  input line_addr_t a_i,
  input line_addr_t b_i
);

  localparam int unsigned Digits = LineAddrBits / 2;
  typedef logic [Digits:0][1:0] rems_t;

  logic        a_hit, b_hit;
  logic [3:0]  a_decoder, b_decoder, a_way, b_way;
  logic [7:0]  a_target, b_target;
  logic [31:0] a_rdata, b_rdata;
  line_addr_t  a_dpa, b_dpa;

  hdm_decoder #(.IsDevice(1'b1), .NumDecoders(NumDecoders)) u_a (
    .clk_i, .rst_ni, .reg_req_i, .reg_rdata_o(a_rdata), .enabled_o(),
    .hpa_valid_i(1'b1), .hpa_line_i(a_i), .hit_o(a_hit), .decoder_o(a_decoder),
    .way_o(a_way), .target_o(a_target), .dpa_line_o(a_dpa));
  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  logic legal;
  always_comb begin
    legal = $onehot0(u_a.commit_q & ~u_a.committed_q & ~u_a.error_q);
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (u_a.base_rem_q[n] == 2'd3) legal = 1'b0;
      if (u_a.committed_q[n]) begin
        if (u_a.ig_q[n] > 4'd6 || !(u_a.iw_q[n] inside {[4'd0:4'd4], [4'd8:4'd10]})) legal = 1'b0;
        if (!u_a.commit_q[n] || u_a.error_q[n]) legal = 1'b0;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Division
  // ---------------------------------------------------------------------------------------------
  function automatic logic steps(line_addr_t x, rems_t rem, line_addr_t third);
    logic right;
    right = rem[Digits] == 2'd0;
    for (int unsigned i = 0; i < Digits; i++) begin
      if (rem[i] == 2'd3) right = 1'b0;
      if ({rem[i+1], x[2*i +: 2]}
          != {2'b00, third[2*i +: 2]} + {1'b0, third[2*i +: 2], 1'b0} + {2'b00, rem[i]}) right = 1'b0;
    end
    return right;
  endfunction

  logic a_steps;
  assign a_steps = steps(a_i, u_a.hpa_rems, u_a.g_dpa.hpa_third);

  if (Part == 0) begin : g_registers
    Registers_A: assert property (@(posedge clk_i) disable iff (!rst_ni) legal);
  end else if (Part == 1) begin : g_steps
    Steps_A: assert property (@(posedge clk_i) disable iff (!rst_ni) u_a.three_live |-> a_steps);
  end else begin : g_one
    logic same, b_steps, pair;  // pair: two addresses of one decoder
    hdm_decoder #(.IsDevice(1'b1), .NumDecoders(NumDecoders)) u_b (
      .clk_i, .rst_ni, .reg_req_i, .reg_rdata_o(b_rdata), .enabled_o(),
      .hpa_valid_i(1'b1), .hpa_line_i(b_i), .hit_o(b_hit), .decoder_o(b_decoder),
      .way_o(b_way), .target_o(b_target), .dpa_line_o(b_dpa));
    // The same writes, so the same registers
    assign same = u_a.base_q == u_b.base_q && u_a.end_q == u_b.end_q && u_a.ig_q == u_b.ig_q && u_a.iw_q == u_b.iw_q
                  && u_a.commit_q == u_b.commit_q && u_a.committed_q == u_b.committed_q
                  && u_a.error_q == u_b.error_q && u_a.enable_q == u_b.enable_q
                  && u_a.base_rem_q == u_b.base_rem_q && u_a.g_dpa.origin_q == u_b.g_dpa.origin_q;
    assign b_steps = steps(b_i, u_b.hpa_rems, u_b.g_dpa.hpa_third);
    assign pair    = a_hit && b_hit && a_i != b_i && a_decoder == b_decoder;
    Registers_M: assume property (@(posedge clk_i) disable iff (!rst_ni) legal && same);
    Steps_M: assume property (@(posedge clk_i) disable iff (!rst_ni) u_a.three_live |-> a_steps);
    StepsB_M: assume property (@(posedge clk_i) disable iff (!rst_ni) u_b.three_live |-> b_steps);
    One_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        pair |-> a_way != b_way || a_dpa != b_dpa);
  end

endmodule
