// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What a device decodes: nothing before Mem_Enable, the ranges of DVSEC 0 until HDM Decoder Enable,
// the HDM decoders from then on. The ranges lie one after the other in the device, from DPA 0.
//
// Latency: combinational.
// Source:  CXL 2.0, 8.1.3.2 (Mem_Enable), 8.1.3.8 (ranges), 8.2.5.12.2 (HDM Decoder Enable).

module range_decoder
  import cxl_pkg::*;
#(
  parameter logic [35:0] Range1Size = 36'd128,  // size of range 1 in 256 MiB, 0..2^36-1; 0: none
  parameter logic [35:0] Range2Size = 36'd0     // size of range 2, likewise 0..2^36-1
) (
  // DVSEC 0
  input  logic        mem_enable_i,   // level: Mem_Enable; 0: everything misses
  input  logic [35:0] range1_base_i,  // address[63:28] of the base of range 1
  input  logic [35:0] range2_base_i,  // address[63:28] of the base of range 2
  // The address
  input  logic        hpa_valid_i,  // there is an address to decode
  input  line_addr_t  hpa_line_i,   // line in host physical addresses
  // From the HDM decoders, of this address
  input  logic        hdm_enabled_i,   // level: HDM Decoder Enable: they decide, not the ranges
  input  logic        hdm_hit_i,       // an HDM decoder has the address
  input  line_addr_t  hdm_dpa_line_i,  // what it decodes to
  // Decode
  output logic        hit_o,      // the device has the address; same cycle
  output line_addr_t  dpa_line_o  // line in the device; on a miss the HPA or hdm_dpa_line_i
);

  localparam int unsigned UnitBits = 24;                       // address[51:28]
  localparam int unsigned UnitLine = LineAddrBits - UnitBits;  // line bits below a unit

  typedef logic [UnitBits-1:0] unit_t;

  function automatic logic inside_of(logic [35:0] unit, logic [35:0] base, logic [35:0] size);
    return unit >= base && {1'b0, unit} < {1'b0, base} + {1'b0, size};
  endfunction

  logic [35:0] unit;
  logic        in_range1, in_range2;
  unit_t       range_unit;

  assign unit       = {12'd0, hpa_line_i[LineAddrBits-1:UnitLine]};
  assign in_range1  = inside_of(unit, range1_base_i, Range1Size);
  assign in_range2  = inside_of(unit, range2_base_i, Range2Size);
  assign range_unit = in_range1
      ? unit[UnitBits-1:0] - range1_base_i[UnitBits-1:0]
      : unit[UnitBits-1:0] - range2_base_i[UnitBits-1:0] + Range1Size[UnitBits-1:0];

  // What the HDM decoders say comes late: its choice is the last.
  logic       valid, range_hit, use_hdm;
  line_addr_t range_line;

  assign valid      = hpa_valid_i && mem_enable_i;
  assign use_hdm    = valid && hdm_enabled_i;
  assign range_hit  = valid && (in_range1 || in_range2);
  assign range_line = range_hit ? {range_unit, hpa_line_i[UnitLine-1:0]} : hpa_line_i;
  assign hit_o      = use_hdm ? hdm_hit_i : range_hit;
  assign dpa_line_o = use_hdm ? hdm_dpa_line_i : range_line;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  // Sampled by whoever clocks the decode; combinational here.
  always_comb begin
    OffIsMiss_A: assert (mem_enable_i || !hit_o)
        else $error("an address hits although Mem_Enable is off");
    MissKeepsAddress_A: assert (hit_o || hdm_enabled_i || dpa_line_o == hpa_line_i)
        else $error("an address that misses is changed");
  end

endmodule
