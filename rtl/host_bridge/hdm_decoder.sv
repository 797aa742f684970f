// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// HDM decoder set of a host bridge or of a device.
//
// The decode port is combinational: a line address in, the lowest committed decoder that covers
// it out, with the interleave way, the target port (host bridge) and the device line (device).
// The register port is one access a cycle with read data the cycle after. A write that raises
// Commit leaves the decoder pending for one cycle, in which its fields are frozen; the checks
// run on them there and the next edge sets Committed or Error Not Committed.
//
// Base and size are held in units of 256 MiB, all other arithmetic is in 64 B lines. A set of 3,
// 6 or 12 ways, which only a device has, is taken as three groups of 1, 2 or 4, so that one
// division by three serves the way and the translation alike.
//
// What follows from the fields alone is in registers, so that a decode neither subtracts Base nor
// divides the difference:
//   end, thirds     one cycle behind Base and Size; the commit comes by a later write, so they are
//                   right by the time the decoder is pending
//   origin          DPA - (the HPA's share of one way): DPABase less Base's share, computed again
//                   when the set of committed decoders changes
// The HPA itself is divided, while the bounds are compared: DPA = origin + share of the HPA, less
// one chunk where Base leaves the greater remainder of the two. The way is the difference of the
// remainders.
//
// Source: CXL 2.0, 8.2.5.12 (registers, commit, translation); ways codes 4, 8, 9, A are of CXL 3.x.
// Registers: cxl_reg_types_pkg (regs/hdm_decoder.yaml).

module hdm_decoder
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
#(
  parameter bit          IsDevice    = 1'b0,  // 0 or 1: 0 host bridge, 1 device
  parameter int unsigned NumDecoders = 4      // 1..16, 1 or even; in a host bridge at most 10
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Registers, addr[11:0] is the offset in the capability structure
  input  reg_req_t    reg_req_i,    // an access each cycle, never stalled
  output logic [31:0] reg_rdata_o,  // the register read in the cycle before; else 0
  output logic        enabled_o,    // level: HDM Decoder Enable of a device; 0 in a host bridge
  // Decode; without valid nothing is hit
  input  logic        hpa_valid_i,  // decode hpa_line_i in this cycle; low: nothing is hit
  input  line_addr_t  hpa_line_i,   // line of the host physical address, address[51:6]
  output logic        hit_o,        // a committed decoder has the line; comb as all of these
  output logic [3:0]  decoder_o,    // the lowest that has it; 0 without a hit
  output logic [3:0]  way_o,        // its way of the interleave set, 0..15; 0 without a hit
  output logic [7:0]  target_o,     // host bridge: port number from the target list; 0 in a device
                                    // and without a hit
  output line_addr_t  dpa_line_o    // device: the line in its own memory; hpa_line_i in a host
                                    // bridge and without a hit
);

  localparam int unsigned UnitBits   = 24;                       // address[51:28]
  localparam int unsigned UnitLine   = LineAddrBits - UnitBits;  // line bits below a unit
  localparam int unsigned NumTargets = 8;
  localparam int unsigned IdxBits    = (NumDecoders > 1) ? $clog2(NumDecoders) : 1;

  typedef logic [UnitBits-1:0] unit_t;
  typedef logic [UnitBits:0]   unit_sum_t;  // one bit more, for a sum
  typedef logic [IdxBits-1:0]  idx_t;

  localparam int unsigned Digits = LineAddrBits / 2;  // base 4
  typedef logic [1:0]           rem_t;                // 0..2, modulo 3
  typedef logic [Digits:0][1:0] rems_t;

  if (!(NumDecoders inside {1, 2, 4, 6, 8, 10, 12, 14, 16})) begin : g_bad_decoders
    $error("hdm_decoder: NumDecoders has no count code");
  end
  if (!IsDevice && NumDecoders > 10) begin : g_bad_host_decoders
    $error("hdm_decoder: a host bridge has at most 10 decoders");
  end

  // Count codes 0..8 stand for 1, 2, 4, 6, 8, 10, 12, 14 and 16 decoders.
  localparam logic [3:0]  CountCode  = (NumDecoders == 1) ? 4'd0 : 4'(NumDecoders / 2);
  localparam hdm_capability_t Capability = (IsDevice ? HdmCapabilityDeviceAtReset
                                                     : HdmCapabilityHostAtReset)
                                         | hdm_capability_t'{count_code: CountCode, default: '0};
  localparam int unsigned StrideBits   = $clog2(HdmDecStride);

  // ---------------------------------------------------------------------------------------------
  // Arithmetic of interleave sets
  // ---------------------------------------------------------------------------------------------
  function automatic logic ways_known(logic [3:0] iw);
    if (IsDevice) return (iw <= 4'd4) || (iw inside {4'd8, 4'd9, 4'd10});
    else          return iw <= 4'd3;
  endfunction

  // log2 of the ways of one group; iw[3] says that there are three
  function automatic logic [2:0] group_bits(logic [3:0] iw);
    return iw[3] ? {1'b0, iw[1:0]} : iw[2:0];
  endfunction

  // Modulo three. 4 = 1, so base-4 digits are added up; 2 = -1, so a shift by an odd number of bits
  // changes the sign.
  function automatic rem_t rem_add(rem_t a, rem_t b);
    if (a[1])      return {b == 2'd0, b[1]};
    else if (a[0]) return {b[0], b == 2'd0};
    else           return b;
  endfunction
  function automatic rem_t rem_negate(rem_t a);
    return {a[0], a[1]};
  endfunction

  // Remainders of a number and of all its upper parts: [i] that of x >> 2i. Sums of 1, 2, 4...
  // digits, each twice the one before.
  function automatic rems_t remainders(line_addr_t x);
    rems_t r;
    r = '0;
    for (int unsigned i = 0; i < Digits; i++) r[i] = (&x[2*i +: 2]) ? 2'd0 : x[2*i +: 2];
    for (int unsigned level = 0; level < $clog2(Digits); level++) begin
      for (int unsigned i = 0; i + (1 << level) < Digits; i++) begin
        r[i] = rem_add(r[i], r[i + (1 << level)]);
      end
    end
    return r;
  endfunction

  function automatic rem_t remainder(unit_t units);
    return rem_t'(remainders(line_addr_t'(units)));  // [0] of them
  endfunction

  // x / 3, rounded down, by its remainders: each digit after the remainder of those above it.
  function automatic line_addr_t third(line_addr_t x, rems_t r);
    line_addr_t q;
    for (int unsigned i = 0; i < Digits; i++) begin
      if (r[i+1][1])      q[2*i +: 2] = {1'b1, |x[2*i +: 2]};      // (8 + d) / 3
      else if (r[i+1][0]) q[2*i +: 2] = {x[2*i+1], !x[2*i+1]};     // (4 + d) / 3
      else                q[2*i +: 2] = {1'b0, &x[2*i +: 2]};      // d / 3
    end
    return q;
  endfunction

  // A size is whole when each way gets a multiple of 256 MiB.
  function automatic logic size_whole(unit_t size, rem_t size_rem, logic [3:0] iw);
    unit_t low;
    low = (unit_t'(1) << group_bits(iw)) - unit_t'(1);
    return ((size & low) == '0) && (!iw[3] || size_rem == '0);
  endfunction

  // No target stands twice in the first `ways` (1..8) bytes of the list.
  function automatic logic targets_distinct(logic [63:0] list, logic [3:0] ways);
    logic distinct;
    distinct = 1'b1;
    for (int unsigned i = 1; i < NumTargets; i++) begin
      for (int unsigned j = 0; j < i; j++) begin
        if (4'(i) < ways && list[8*i +: 8] == list[8*j +: 8]) distinct = 1'b0;
      end
    end
    return distinct;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  unit_t       [NumDecoders-1:0]       base_q;
  unit_t       [NumDecoders-1:0]       size_q;
  logic        [NumDecoders-1:0][63:0] list_q;  // target list; a device keeps its skip in [51:28]
  logic        [NumDecoders-1:0][3:0]  ig_q;
  logic        [NumDecoders-1:0][3:0]  iw_q;
  logic        [NumDecoders-1:0]       lock_q;
  logic        [NumDecoders-1:0]       type_q;
  logic        [NumDecoders-1:0]       commit_q;
  logic        [NumDecoders-1:0]       committed_q, committed_d;
  logic        [NumDecoders-1:0]       error_q;
  unit_sum_t   [NumDecoders-1:0]       end_q;       // Base + Size
  rem_t        [NumDecoders-1:0]       base_rem_q;  // modulo 3
  rem_t        [NumDecoders-1:0]       size_rem_q;
  logic                                enable_q;
  logic        [31:0]                  rdata_q, rdata_d;

  logic [NumDecoders-1:0] pending;
  assign pending = commit_q & ~committed_q & ~error_q;

  // Which register of which decoder is addressed.
  logic [11:0] offset;
  logic        sel_decoder;
  idx_t        sel;
  logic [StrideBits-1:2] sel_reg;
  assign offset      = reg_req_i.addr[11:0] - HdmDecOffset;
  assign sel_decoder = reg_req_i.addr[11:0] >= HdmDecOffset
                       && 32'(offset[11:StrideBits]) < NumDecoders;
  assign sel         = idx_t'(offset[11:StrideBits]);
  assign sel_reg     = offset[StrideBits-1:2];

  // That decoder's registers, and its control register after this write
  hdm_dec_t         dec;
  hdm_dec_control_t control_written;
  always_comb begin
    dec             = '0;
    control_written = '0;
    if (reg_req_i.valid && sel_decoder) begin
      dec.base_low  = base_q[sel][3:0];
      dec.base_high = base_q[sel][23:4];
      dec.size_low  = size_q[sel][3:0];
      dec.size_high = size_q[sel][23:4];
      dec.control   = '{ig: ig_q[sel], iw: iw_q[sel], lock: lock_q[sel], commit: commit_q[sel],
                        committed: committed_q[sel], error: error_q[sel],
                        host_only: type_q[sel]};
      if (IsDevice) begin
        dec.list_low.skip  = list_q[sel][31:28];
        dec.list_high.skip = list_q[sel][51:32];
      end else begin
        dec.list_low.targets  = list_q[sel][31:0];
        dec.list_high.targets = list_q[sel][63:32];
      end
      control_written = hdm_dec_control_written(dec.control, reg_req_i.wdata, 1'b0);
    end
  end

  logic wr, wr_decoder, wr_uncommit;
  assign wr          = reg_req_i.valid && reg_req_i.write;
  assign wr_decoder  = wr && sel_decoder && !pending[sel];
  assign wr_uncommit = wr_decoder && sel_reg == HdmDecControlOffset[StrideBits-1:2]
                       && !control_written.commit
                       && committed_q[sel] && !lock_q[sel];

  // Checks on the pending decoder (there is never more than one).
  logic [NumDecoders-1:0] passes;
  always_comb begin
    logic [3:0] ways;
    ways   = '0;
    passes = '0;
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (pending[n]) begin
        passes[n] = ways_known(iw_q[n]) && ig_q[n] <= 4'd6;
        if (lock_q[n]) begin
          if (end_q[n] > {1'b1, unit_t'(0)}) passes[n] = 1'b0;
          if (!size_whole(size_q[n], size_rem_q[n], iw_q[n])) passes[n] = 1'b0;
          if (!IsDevice) begin
            ways = 4'd1 << iw_q[n][1:0];
            if (!targets_distinct(list_q[n], ways)) passes[n] = 1'b0;
          end
          if (n > 0) begin
            if (!committed_q[n-1]) passes[n] = 1'b0;
            if (unit_sum_t'(base_q[n]) < end_q[n-1]) passes[n] = 1'b0;
          end
        end
      end
    end
  end

  always_comb begin
    committed_d = committed_q | passes;
    if (wr_uncommit) committed_d[sel] = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q      <= '0;
      size_q      <= '0;
      list_q      <= '0;
      ig_q        <= '0;
      iw_q        <= '0;
      lock_q      <= '0;
      type_q      <= '0;
      commit_q    <= '0;
      committed_q <= '0;
      error_q     <= '0;
      enable_q    <= 1'b0;
    end else if (wr || pending != '0) begin
      committed_q <= committed_d;
      error_q     <= error_q | (pending & ~passes);
      if (wr && reg_req_i.addr[11:2] == HdmGlobalControlOffset[11:2]) begin
        enable_q <= hdm_global_control_written('{enable: enable_q}, reg_req_i.wdata, IsDevice);
      end
      if (wr_decoder) begin
        if (committed_q[sel]) begin
          if (wr_uncommit) commit_q[sel] <= 1'b0;
        end else begin
          unique case (sel_reg)
            HdmDecBaseLowOffset[StrideBits-1:2]: begin
              base_q[sel][3:0] <= hdm_dec_base_low_written(dec.base_low, reg_req_i.wdata, 1'b0);
            end
            HdmDecBaseHighOffset[StrideBits-1:2]: begin
              base_q[sel][23:4] <= hdm_dec_base_high_written(dec.base_high, reg_req_i.wdata, 1'b0);
            end
            HdmDecSizeLowOffset[StrideBits-1:2]: begin
              size_q[sel][3:0] <= hdm_dec_size_low_written(dec.size_low, reg_req_i.wdata, 1'b0);
            end
            HdmDecSizeHighOffset[StrideBits-1:2]: begin
              size_q[sel][23:4] <= hdm_dec_size_high_written(dec.size_high, reg_req_i.wdata, 1'b0);
            end
            HdmDecControlOffset[StrideBits-1:2]: begin
              ig_q[sel]     <= control_written.ig;
              iw_q[sel]     <= control_written.iw;
              lock_q[sel]   <= control_written.lock;
              commit_q[sel] <= control_written.commit;
              type_q[sel]   <= control_written.host_only;
              if (!control_written.commit) error_q[sel] <= 1'b0;
            end
            HdmDecListLowOffset[StrideBits-1:2]: begin
              list_q[sel][31:0] <= hdm_dec_list_low_word(
                  hdm_dec_list_low_written(dec.list_low, reg_req_i.wdata, IsDevice, 1'b0));
            end
            HdmDecListHighOffset[StrideBits-1:2]: begin
              list_q[sel][63:32] <= hdm_dec_list_high_word(
                  hdm_dec_list_high_written(dec.list_high, reg_req_i.wdata, IsDevice, 1'b0));
            end
            default: ;
          endcase
        end
      end
    end
  end

  // A cycle behind the fields
  logic  settle_q;
  idx_t  settle_idx_q;
  unit_t settle_base, settle_size;
  assign settle_base = base_q[settle_idx_q];
  assign settle_size = size_q[settle_idx_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      settle_q     <= 1'b0;
      settle_idx_q <= '0;
      end_q        <= '0;
      base_rem_q   <= '0;
      size_rem_q   <= '0;
    end else begin
      settle_q <= wr_decoder;
      if (wr_decoder) settle_idx_q <= sel;
      if (settle_q) begin
        end_q[settle_idx_q]      <= unit_sum_t'(settle_base) + unit_sum_t'(settle_size);
        base_rem_q[settle_idx_q] <= remainder(settle_base);
        size_rem_q[settle_idx_q] <= remainder(settle_size);
      end
    end
  end

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      if (sel_decoder) begin
        rdata_d = hdm_dec_word(dec, sel_reg);
      end else begin
        rdata_d = hdm_word('{capability: Capability, global_control: '{enable: enable_q},
                             dec: '0}, reg_req_i.addr[11:2]);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end
  assign reg_rdata_o = rdata_q;

  // ---------------------------------------------------------------------------------------------
  // Decode
  // ---------------------------------------------------------------------------------------------
  logic [NumDecoders-1:0] live;
  assign enabled_o = enable_q;

  assign live = (hpa_valid_i && (!IsDevice || enable_q)) ? committed_q : '0;

  logic [NumDecoders-1:0] covers, wins;  // wins: the lowest that covers the line, one-hot
  logic                   hit;
  unit_t                  hpa_unit;
  assign hpa_unit = hpa_line_i[LineAddrBits-1:UnitLine];
  always_comb begin
    covers = '0;
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (live[n]) begin
        covers[n] = hpa_unit >= base_q[n] && unit_sum_t'(hpa_unit) < end_q[n];
      end
    end
  end
  assign wins = covers & (~covers + NumDecoders'(1));
  assign hit  = |covers;

  // Remainders of the HPA line, of use only to sets of three groups
  logic  three_live;
  rems_t hpa_rems;
  always_comb begin
    three_live = 1'b0;
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (IsDevice && live[n] && iw_q[n][3]) three_live = 1'b1;
    end
    hpa_rems = '0;
    if (three_live) hpa_rems = remainders(hpa_line_i);
  end

  // [c]: that of the HPA line without its lowest c bits
  rem_t [15:0] rem_above;
  always_comb begin
    rem_above = '0;
    if (three_live) begin
      for (int unsigned c = 0; c < 16; c += 2) begin
        rem_above[c]   = hpa_rems[c/2];
        rem_above[c+1] = rem_add({1'b0, hpa_line_i[c]}, rem_negate(hpa_rems[c/2]));
      end
    end
  end

  // Fields of the winner. They are chosen while the HPA is divided, and all else comes after.
  logic [3:0]  ig, iw;
  logic [3:0]  cut;       // log2 of the lines that a chunk takes in all ways of a group
  rem_t        base_rem;  // of Base without its lowest `cut` bits
  logic [63:0] list;
  always_comb begin
    logic [3:0] own_cut;
    own_cut   = '0;
    decoder_o = '0;
    ig        = '0;
    iw        = '0;
    cut       = '0;
    base_rem  = '0;
    list      = '0;
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (wins[n]) begin
        own_cut   = ig_q[n] + 4'd2 + {1'b0, group_bits(iw_q[n])};
        decoder_o = decoder_o | 4'(n);
        ig        = ig | ig_q[n];
        iw        = iw | iw_q[n];
        cut       = cut | own_cut;
        base_rem  = base_rem | (own_cut[0] ? rem_negate(base_rem_q[n]) : base_rem_q[n]);
        list      = list | list_q[n];
      end
    end
  end

  // Way: the low bits count within a group, the difference of the remainders is the group. Base is
  // a multiple of 256 MiB, so it has no part in the low bits.
  rem_t hpa_rem;
  assign hpa_rem = rem_above[cut];
  always_comb begin
    way_o    = '0;
    target_o = '0;
    if (hit) begin
      way_o = 4'(hpa_line_i[11:0] >> (ig + 4'd2)) & 4'((5'd1 << group_bits(iw)) - 5'd1);
      if (IsDevice && iw[3]) begin
        way_o = way_o | ({2'b00, rem_add(hpa_rem, rem_negate(base_rem))} << iw[1:0]);
      end
      if (!IsDevice) target_o = list[{way_o[2:0], 3'b000} +: 8];
    end
  end
  assign hit_o = hit;

  // Translation
  if (IsDevice) begin : g_dpa
    unit_t      [NumDecoders-1:0] base_third_q, size_third_q;
    line_addr_t [NumDecoders-1:0] origin_q, origin_d;

    function automatic unit_t third_units(unit_t units);
      line_addr_t x;
      x = line_addr_t'(units);
      return unit_t'(third(x, remainders(x)));
    endfunction

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        base_third_q <= '0;
        size_third_q <= '0;
      end else if (settle_q) begin
        base_third_q[settle_idx_q] <= third_units(settle_base);
        size_third_q[settle_idx_q] <= third_units(settle_size);
      end
    end

    // Lines / ways, rounded down. A third of a unit, 4^11 lines, is 4^10 + 4^9 + ... + 1, rest 1,
    // so the remainder goes on in every digit.
    function automatic line_addr_t share(unit_t units, unit_t units_third, rem_t rem,
                                         logic [3:0] iw_n);
      line_addr_t lines;
      lines = iw_n[3] ? {units_third, {(UnitLine / 2){rem}}} : {units, UnitLine'(0)};
      return lines >> group_bits(iw_n);
    endfunction

    function automatic line_addr_t chunk_mask(logic [3:0] ig_n);
      return (line_addr_t'(1) << (ig_n + 4'd2)) - line_addr_t'(1);
    endfunction

    // DPABase is the own skip after the skips and shares of the committed decoders before.
    always_comb begin
      line_addr_t [NumDecoders-1:0] skip, ways;
      skip     = '0;
      ways     = '0;
      origin_d = origin_q;
      if (pending != '0 || wr_uncommit) begin
        for (int unsigned n = 0; n < NumDecoders; n++) begin
          skip[n]     = {list_q[n][51:28], UnitLine'(0)};
          ways[n]     = share(size_q[n], size_third_q[n], size_rem_q[n], iw_q[n]);
          origin_d[n] = skip[n] - (share(base_q[n], base_third_q[n], base_rem_q[n], iw_q[n])
                                   & ~chunk_mask(ig_q[n]));
          for (int unsigned m = 0; m < n; m++) begin
            origin_d[n] = origin_d[n] + (committed_d[m] ? skip[m] : '0)
                                      + (committed_d[m] ? ways[m] : '0);
          end
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) origin_q <= '0;
      else         origin_q <= origin_d;
    end

    line_addr_t origin, hpa_third;
    always_comb begin
      origin = '0;
      for (int unsigned n = 0; n < NumDecoders; n++) begin
        origin = origin | (wins[n] ? origin_q[n] : '0);
      end
      hpa_third = '0;
      if (three_live) hpa_third = third(hpa_line_i, hpa_rems);
    end

    always_comb begin
      line_addr_t mask, hpa_share;
      mask       = '0;
      hpa_share  = '0;
      dpa_line_o = hpa_line_i;
      if (hit) begin
        mask       = chunk_mask(ig);
        hpa_share  = (iw[3] ? hpa_third : hpa_line_i) >> group_bits(iw);
        dpa_line_o = origin + ((hpa_share & ~mask) | (hpa_line_i & mask))
                   + ((iw[3] && hpa_rem < base_rem) ? ~mask : '0);  // one chunk less
      end
    end
  end else begin : g_no_dpa
    assign dpa_line_o = hpa_line_i;
  end

  // Register addresses are of the block: the bits above it and the byte lanes do not count.
  logic unused_addr;
  assign unused_addr = ^{reg_req_i.addr[15:12], reg_req_i.addr[1:0], offset[1:0],
                         control_written.committed, control_written.error};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OnePending_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(pending))
    else $error("two decoders wait for the verdict on their commit");
  CommittedOrError_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (committed_q & error_q) == '0)
    else $error("a decoder is both committed and in error");
  CommittedHasCommit_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (committed_q & ~commit_q) == '0)
    else $error("a decoder is committed with Commit 0");
  LockStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (|(committed_q & lock_q)) |=> ($past(committed_q & lock_q) & ~committed_q) == '0)
    else $error("a locked decoder is no longer committed");
  MissIsHpa_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    !hit_o |-> dpa_line_o == hpa_line_i)
    else $error("without a hit the device line is not the HPA");

endmodule
