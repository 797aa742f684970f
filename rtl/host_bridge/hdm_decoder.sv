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
// 6 or 12 ways is taken as three groups of 1, 2 or 4, so that one division by three serves the
// way and the translation alike. The device base of each decoder is kept in a register and
// worked out again only when the set of committed decoders changes.
//
// Source: CXL 2.0, 8.2.5.12 (registers, commit, translation); ways codes 4, 8, 9, A are of CXL 3.x.

module hdm_decoder
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter bit          IsDevice    = 1'b0,
  parameter int unsigned NumDecoders = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // Registers, addr[11:0] is the offset in the capability structure
  input  reg_req_t    reg_req_i,
  output logic [31:0] reg_rdata_o,
  // Decode
  input  line_addr_t  hpa_line_i,
  output logic        hit_o,
  output logic [3:0]  decoder_o,
  output logic [3:0]  way_o,
  output logic [7:0]  target_o,
  output line_addr_t  dpa_line_o
);

  localparam int unsigned UnitBits   = 24;                       // address[51:28]
  localparam int unsigned UnitLine   = LineAddrBits - UnitBits;  // line bits below a unit
  localparam int unsigned NumTargets = 8;
  localparam int unsigned IdxBits    = (NumDecoders > 1) ? $clog2(NumDecoders) : 1;

  typedef logic [UnitBits-1:0] unit_t;
  typedef logic [UnitBits:0]   unit_sum_t;  // one bit more, for a sum
  typedef logic [IdxBits-1:0]  idx_t;

  if (!(NumDecoders inside {1, 2, 4, 6, 8, 10, 12, 14, 16})) begin : g_bad_decoders
    $error("hdm_decoder: NumDecoders has no count code");
  end
  if (!IsDevice && NumDecoders > 10) begin : g_bad_host_decoders
    $error("hdm_decoder: a host bridge has at most 10 decoders");
  end

  // Count codes 0..8 stand for 1, 2, 4, 6, 8, 10, 12, 14 and 16 decoders.
  localparam logic [3:0]  CountCode  = (NumDecoders == 1) ? 4'd0 : 4'(NumDecoders / 2);
  localparam logic [31:0] Capability = 32'h0000_1B00 | (IsDevice ? 32'h0 : 32'h80)
                                     | {28'h0, CountCode};

  // ---------------------------------------------------------------------------------------------
  // Arithmetic of interleave sets
  // ---------------------------------------------------------------------------------------------
  function automatic logic ways_known(logic [3:0] iw);
    if (IsDevice) return (iw <= 4'd4) || (iw inside {4'd8, 4'd9, 4'd10});
    else          return (iw <= 4'd3) || (iw inside {4'd8, 4'd9});
  endfunction

  // Lines of one way: size / ways, rounded down.
  function automatic line_addr_t lines_per_way(unit_t size, logic [3:0] iw);
    line_addr_t lines;
    lines = {size, UnitLine'(0)};
    if (iw[3]) return (lines / 46'd3) >> iw[1:0];
    else       return lines >> iw[2:0];
  endfunction

  // A size is whole when each way gets a multiple of 256 MiB.
  function automatic logic size_whole(unit_t size, logic [3:0] iw);
    unit_t low;
    low = (unit_t'(1) << (iw[3] ? {1'b0, iw[1:0]} : iw[2:0])) - unit_t'(1);
    return ((size & low) == '0) && (!iw[3] || (size % 24'd3) == '0);
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
  line_addr_t  [NumDecoders-1:0]       dpa_base_q, dpa_base_d;
  logic                                enable_q;
  logic        [31:0]                  rdata_q, rdata_d;

  logic [NumDecoders-1:0] pending;
  assign pending = commit_q & ~committed_q & ~error_q;

  // Which register of which decoder is addressed.
  logic [11:0] offset;
  logic        sel_decoder;
  idx_t        sel;
  logic [2:0]  sel_reg;
  assign offset      = reg_req_i.addr[11:0] - 12'h010;
  assign sel_decoder = reg_req_i.addr[11:0] >= 12'h010 && 32'(offset[11:5]) < NumDecoders;
  assign sel         = idx_t'(offset[11:5]);
  assign sel_reg     = offset[4:2];

  logic wr, wr_decoder, wr_uncommit;
  assign wr          = reg_req_i.valid && reg_req_i.write;
  assign wr_decoder  = wr && sel_decoder && !pending[sel];
  assign wr_uncommit = wr_decoder && sel_reg == 3'd4 && !reg_req_i.wdata[9]
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
          if (unit_sum_t'(base_q[n]) + unit_sum_t'(size_q[n]) > {1'b1, unit_t'(0)}) begin
            passes[n] = 1'b0;
          end
          if (!size_whole(size_q[n], iw_q[n])) passes[n] = 1'b0;
          if (!IsDevice) begin
            ways = (iw_q[n][3] ? 4'd3 : 4'd1) << iw_q[n][1:0];
            if (!targets_distinct(list_q[n], ways)) passes[n] = 1'b0;
          end
          if (n > 0) begin
            if (!committed_q[n-1]) passes[n] = 1'b0;
            if (unit_sum_t'(base_q[n])
                < unit_sum_t'(base_q[n-1]) + unit_sum_t'(size_q[n-1])) begin
              passes[n] = 1'b0;
            end
          end
        end
      end
    end
  end

  always_comb begin
    committed_d = committed_q | passes;
    if (wr_uncommit) committed_d[sel] = 1'b0;
  end

  // Device base: own skip, after the skips and way sizes of the committed decoders before.
  if (IsDevice) begin : g_dpa_base
    always_comb begin
      line_addr_t sum;
      dpa_base_d = dpa_base_q;
      sum = '0;
      if (pending != '0 || wr_uncommit) begin
        for (int unsigned n = 0; n < NumDecoders; n++) begin
          dpa_base_d[n] = sum + {list_q[n][51:28], UnitLine'(0)};
          if (committed_d[n]) begin
            sum = dpa_base_d[n] + lines_per_way(size_q[n], iw_q[n]);
          end
        end
      end
    end
  end else begin : g_no_dpa_base
    assign dpa_base_d = '0;
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
      dpa_base_q  <= '0;
      enable_q    <= 1'b0;
    end else if (wr || pending != '0) begin
      committed_q <= committed_d;
      dpa_base_q  <= dpa_base_d;
      error_q     <= error_q | (pending & ~passes);
      if (IsDevice && wr && reg_req_i.addr[11:2] == 10'h001) enable_q <= reg_req_i.wdata[1];
      if (wr_decoder) begin
        if (committed_q[sel]) begin
          if (wr_uncommit) commit_q[sel] <= 1'b0;
        end else begin
          unique case (sel_reg)
            3'd0: base_q[sel][3:0]  <= reg_req_i.wdata[31:28];
            3'd1: base_q[sel][23:4] <= reg_req_i.wdata[19:0];
            3'd2: size_q[sel][3:0]  <= reg_req_i.wdata[31:28];
            3'd3: size_q[sel][23:4] <= reg_req_i.wdata[19:0];
            3'd4: begin
              ig_q[sel]     <= reg_req_i.wdata[3:0];
              iw_q[sel]     <= reg_req_i.wdata[7:4];
              lock_q[sel]   <= reg_req_i.wdata[8];
              commit_q[sel] <= reg_req_i.wdata[9];
              type_q[sel]   <= reg_req_i.wdata[12];
              if (!reg_req_i.wdata[9]) error_q[sel] <= 1'b0;
            end
            3'd5: begin
              list_q[sel][31:0] <= IsDevice ? (reg_req_i.wdata & 32'hF000_0000)
                                            : reg_req_i.wdata;
            end
            3'd6: begin
              list_q[sel][63:32] <= IsDevice ? (reg_req_i.wdata & 32'h000F_FFFF)
                                             : reg_req_i.wdata;
            end
            default: ;
          endcase
        end
      end
    end
  end

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      if (sel_decoder) begin
        unique case (sel_reg)
          3'd0: rdata_d = {base_q[sel][3:0], 28'h0};
          3'd1: rdata_d = {12'h0, base_q[sel][23:4]};
          3'd2: rdata_d = {size_q[sel][3:0], 28'h0};
          3'd3: rdata_d = {12'h0, size_q[sel][23:4]};
          3'd4: begin
            rdata_d = {19'h0, type_q[sel], error_q[sel], committed_q[sel], commit_q[sel],
                       lock_q[sel], iw_q[sel], ig_q[sel]};
          end
          3'd5: rdata_d = list_q[sel][31:0];
          3'd6: rdata_d = list_q[sel][63:32];
          default: rdata_d = '0;
        endcase
      end else if (reg_req_i.addr[11:2] == 10'h000) begin
        rdata_d = Capability;
      end else if (reg_req_i.addr[11:2] == 10'h001) begin
        rdata_d = {30'h0, enable_q, 1'b0};
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
  assign live = (IsDevice && !enable_q) ? '0 : committed_q;

  logic  hit;
  idx_t  hit_idx;
  unit_t hit_off;
  always_comb begin
    hit     = 1'b0;
    hit_idx = '0;
    hit_off = '0;
    for (int unsigned n = 0; n < NumDecoders; n++) begin
      if (!hit && live[n] && hpa_line_i[LineAddrBits-1:UnitLine] >= base_q[n]) begin
        hit_off = hpa_line_i[LineAddrBits-1:UnitLine] - base_q[n];
        if (hit_off < size_q[n]) begin
          hit     = 1'b1;
          hit_idx = idx_t'(n);
        end
      end
    end
  end

  always_comb begin
    logic [3:0] iw;
    logic [3:0] shift;        // lines of a chunk, log2
    logic [1:0] group_bits;   // log2 of ways within a group of three
    line_addr_t off, chunk, group, upper;
    logic [1:0] third;

    iw         = '0;
    shift      = '0;
    group_bits = '0;
    off        = '0;
    chunk      = '0;
    group      = '0;
    upper      = '0;
    third      = '0;
    decoder_o  = '0;
    way_o      = '0;
    target_o   = '0;
    dpa_line_o = hpa_line_i;
    if (hit) begin
      decoder_o  = 4'(hit_idx);
      iw         = iw_q[hit_idx];
      shift      = ig_q[hit_idx] + 4'd2;
      group_bits = iw[1:0];
      off        = {hit_off, hpa_line_i[UnitLine-1:0]};
      chunk      = off >> shift;
      if (iw[3]) begin
        group = chunk >> group_bits;
        upper = group / 46'd3;
        third = 2'(group - (upper + (upper << 1)));
        way_o = ({2'b00, third} << group_bits) | (chunk[3:0] & ((4'd1 << group_bits) - 4'd1));
      end else begin
        upper = chunk >> iw[2:0];
        way_o = chunk[3:0] & 4'((5'd1 << iw[2:0]) - 5'd1);
      end
      if (IsDevice) begin
        dpa_line_o = dpa_base_q[hit_idx]
                   + ((upper << shift) | (off & ((line_addr_t'(1) << shift) - line_addr_t'(1))));
      end else begin
        target_o = list_q[hit_idx][{way_o[2:0], 3'b000} +: 8];
      end
    end
  end
  assign hit_o = hit;

  // Register addresses are of the block: the bits above it and the byte lanes do not count.
  logic unused_addr;
  assign unused_addr = ^{reg_req_i.addr[15:12], reg_req_i.addr[1:0], offset[1:0]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(pending));
  assert property (@(posedge clk_i) disable iff (!rst_ni) (committed_q & error_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni) (committed_q & ~commit_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (|(committed_q & lock_q)) |=> ($past(committed_q & lock_q) & ~committed_q) == '0);
  assert property (@(posedge clk_i) disable iff (!rst_ni) !hit_o |-> dpa_line_o == hpa_line_i);

endmodule
