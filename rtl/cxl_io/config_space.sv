// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Configuration space of the endpoint's function 0: type 0 header, PCI Express and power
// management capabilities, the DVSECs of a CXL 2.0 memory device, its number and its errors.
//
// | offset | what |
// |---|---|
// | 000h | type 0 header, class 050210h, BAR0 64-bit of 256 KiB |
// | 040h | PCI Express capability |
// | 080h | power management capability |
// | 100h | DVSEC 0, CXL device; viral, once software allows it |
// | 140h | DVSEC 7, Flex Bus port |
// | 160h | DVSEC 8, register locator: component registers at BAR0 + 0, CXL device ones at 20000h |
// | 180h | vendor DVSEC: MemSpecRd with a length, vendor registers at BAR0 + 10000h |
// | 1A0h | DVSEC 5, GPF for CXL device: volatile media has nothing to flush |
// | 1B0h | device serial number |
// | 1C0h | advanced error reporting |
//
// Source:  PCI Express Base 5.0, chapter 7.5; CXL 2.0, chapter 8.1.
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.

module config_space
  import cxl_io_pkg::*;
  import cxl_pkg::CxlVendorId;
  import cxl_reg_pkg::SerialCapHeaderReset;
  import cxl_reg_pkg::AerCapHeaderReset;
#(
  parameter logic [15:0] VendorId = 16'h1234,    // 0..FFFEh; the default is no assigned number
  parameter logic [15:0] DeviceId = 16'hC801,    // 0..FFFFh; the subsystem ID too
  parameter logic [7:0]  RevisionId = 8'h01,     // 0..FFh
  parameter logic [3:0]  LinkSpeed = 4'd5,       // 1..5: highest speed of the link, 5 is 32 GT/s
  parameter logic [5:0]  LinkWidth = 6'd8,       // 1..16, a power of two: lanes
  parameter logic [35:0] Range1Size = 36'd16,    // 0..2^36-1, units of 256 MiB: size that range
                                                 // 1 of DVSEC 0 reports; 0: no range
  parameter logic [35:0] Range2Size = 36'd0,     // 0..2^36-1, the same of range 2; 0: one range
  parameter logic [63:0] SerialNumber = 64'd1,   // 0..2^64-1, an EUI-64; the default is no assigned
                                                 // number
  parameter logic [2:0]  MaxSpecGranules = 3'd4  // 1..4: granules of the longest MemSpecRd
) (
  input  logic        clk_i,
  input  logic        rst_ni,          // low alone: a hot reset, what is sticky stays
  input  logic        rst_sticky_ni,   // resets all registers; low only while rst_ni is low
  input  cfg_req_t    cfg_req_i,       // an access each cycle, never stalled; enabled bytes only
  output logic [31:0] cfg_rdata_o,     // the register read in the cycle before; else 0

  input  logic        mem_active_i,    // level: the media is ready
  input  logic [6:0]  port_status_i,   // level: what was negotiated: 0 cache, 1 io, 2 mem, 3 sync
                                       // bypass, 4 drift buffer, 5 CXL 2.0, 6 MLD
  input  logic [23:0] ts_data_i,       // level: the received modified TS, symbols 12 to 14
  input  logic [2:0]  id_error_i,      // pulses: protocol ID error, 0 correctable, 1 uncorrectable,
                                       // 2 unexpected
  // Errors, pulses
  input  logic [8:0]  io_err_i,        // err_o of io_link, which says what each is
  input  logic [127:0] io_err_hdr_i,   // with io_err_i[6]: header of the malformed TLP, byte n in
                                       // bits 8n+7:8n
  input  logic [3:0]  event_i,         // event_o of io_completer: 0 unsupported request,
                                       // 1 completer abort, 2 poison, 3 unexpected completion
  input  logic        event_posted_i,  // with event_i: its TLP gets no completion
  input  logic [127:0] event_hdr_i,    // with event_i: header of its TLP, byte n in bits 8n+7:8n
  input  logic [2:0]  ras_i,           // of the RAS structure: 0 correctable, 1 non-fatal, 2 fatal
  input  logic        viral_peer_i,    // the host has announced that it is viral
  input  logic        viral_own_i,     // a fatal error here: the device becomes viral, if enabled

  output logic        mem_space_en_o,  // level: Memory Space Enable, and D0: BAR0 decodes
  output logic [45:0] bar0_o,          // base of BAR0, address[63:18]
  output logic        mem_enable_o,    // level: Mem_Enable of CXL.mem; 0: nothing is decoded
  output logic [35:0] range1_base_o,   // base of DVSEC range 1, address[63:28]
  output logic [35:0] range2_base_o,   // the same of range 2; 0 if there is one range
  output logic        viral_o,         // level until reset: announce viral to the host
  output logic        viral_state_o    // level until reset: viral, from whatever cause
);

  localparam logic        TwoRanges = Range2Size != '0;

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  logic [15:0] command_q;        // only the writable bits are ever set
  logic        abort_q, poison_q;
  logic [7:0]  cache_line_q, int_line_q;
  logic [45:0] bar0_q;
  logic [3:0]  dev_ctl_q, dev_sta_q;
  logic [7:0]  link_ctl_q;
  logic        d3_q;
  logic        mem_enable_q, lock_q;
  logic [35:0] base1_q, base2_q;
  logic [2:0]  id_error_q;
  logic        viral_enable_q, viral_status_q, viral_q, announce_q, viral_set;

  localparam logic [15:0] CommandMask = 16'h0546;  // memory, master, parity, SERR#, INTx disable
  localparam logic [7:0]  LinkCtlMask = 8'hC8;     // RCB, common clock, extended synch

  logic        wr;
  logic [11:0] offset;
  logic [31:0] rdata, wdata, clear;  // register as it is, as written, ones written
  assign wr     = cfg_req_i.valid && cfg_req_i.write;
  assign offset = {cfg_req_i.word, 2'b00};
  always_comb begin
    wdata = '0;
    clear = '0;
    if (wr) begin
      wdata = merge_enabled(rdata, cfg_req_i.wdata, cfg_req_i.be);
      clear = merge_enabled('0, cfg_req_i.wdata, cfg_req_i.be);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Errors
  // ---------------------------------------------------------------------------------------------
  localparam logic [11:0] AerOffset = 12'h1C0;
  logic        here_aer;               // behind the header
  logic [31:0] rdata_aer;
  logic [3:0]  error_found;

  assign here_aer = offset > AerOffset && offset[11:6] == AerOffset[11:6];

  // All of it is sticky; what comes during a hot reset is lost.
  logic awake;
  assign awake = rst_ni;

  aer u_aer (
    .clk_i,
    .rst_ni        (rst_sticky_ni),
    .write_i       (awake && wr && here_aer),
    .word_i        (offset[5:2]),
    .wdata_i       (wdata),
    .clear_i       (clear),
    .rdata_o       (rdata_aer),
    .io_err_i      (awake ? io_err_i : '0),
    .io_err_hdr_i,
    .event_i       (awake ? event_i : '0),
    .event_posted_i,
    .event_hdr_i,
    .ras_i         (awake ? ras_i : '0),
    .found_o       (error_found)
  );

  // Most registers have nothing to clear.
  logic unused_clear;
  assign unused_clear = ^clear;

  // Software clears the status; viral itself ends with a reset alone.
  assign viral_set = viral_enable_q && (viral_peer_i || viral_own_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q      <= '0;
      abort_q        <= 1'b0;
      poison_q       <= 1'b0;
      cache_line_q   <= '0;
      int_line_q     <= '0;
      bar0_q         <= '0;
      dev_ctl_q      <= '0;
      dev_sta_q      <= '0;
      link_ctl_q     <= '0;
      d3_q           <= 1'b0;
      mem_enable_q   <= 1'b0;
      lock_q         <= 1'b0;
      base1_q        <= '0;
      base2_q        <= '0;
      viral_enable_q <= 1'b0;
      viral_q        <= 1'b0;
      announce_q     <= 1'b0;
    end else begin
      if (wr) begin
        unique case (offset)
          12'h004: begin
            command_q <= wdata[15:0] & CommandMask;
            if (clear[27]) abort_q <= 1'b0;
            if (clear[31]) poison_q <= 1'b0;
          end
          12'h00C: cache_line_q  <= wdata[7:0];
          12'h010: bar0_q[13:0]  <= wdata[31:18];
          12'h014: bar0_q[45:14] <= wdata;
          12'h03C: int_line_q    <= wdata[7:0];
          12'h048: begin
            dev_ctl_q <= wdata[3:0];
            dev_sta_q <= dev_sta_q & ~clear[19:16];
          end
          12'h050: link_ctl_q <= wdata[7:0] & LinkCtlMask;
          12'h084: begin
            // D1 and D2 are not there: writing them changes nothing.
            if (wdata[1] == wdata[0]) d3_q <= wdata[0];
          end
          12'h10C: begin
            if (!lock_q) begin
              mem_enable_q   <= wdata[2];
              viral_enable_q <= wdata[14];
            end
          end
          12'h114: lock_q <= lock_q || wdata[0];
          12'h120: if (!lock_q) base1_q[35:4]  <= wdata;
          12'h124: if (!lock_q) base1_q[3:0]   <= wdata[31:28];
          12'h130: if (!lock_q && TwoRanges) base2_q[35:4] <= wdata;
          12'h134: if (!lock_q && TwoRanges) base2_q[3:0]  <= wdata[31:28];
          default: ;
        endcase
      end
      // An error in the cycle of its clearing stays.
      if (event_i[1]) abort_q <= 1'b1;
      if (event_i[2]) poison_q <= 1'b1;
      for (int unsigned i = 0; i < 4; i++) begin
        if (error_found[i]) dev_sta_q[i] <= 1'b1;
      end
      if (viral_set) begin
        viral_q <= 1'b1;
        if (viral_own_i) announce_q <= 1'b1;
      end
    end
  end

  // What is sticky, beside the errors above.
  logic       viral_status_d;
  logic [2:0] id_error_d;

  always_comb begin
    viral_status_d = viral_status_q;
    id_error_d     = id_error_q;
    if (awake) begin
      if (wr && offset == 12'h10C && clear[30]) viral_status_d = 1'b0;
      if (wr && offset == 12'h14C)              id_error_d     = id_error_q & ~clear[26:24];
      if (viral_set)                            viral_status_d = 1'b1;
      id_error_d = id_error_d | id_error_i;
    end
  end

  always_ff @(posedge clk_i or negedge rst_sticky_ni) begin
    if (!rst_sticky_ni) begin
      viral_status_q <= 1'b0;
      id_error_q     <= '0;
    end else begin
      viral_status_q <= viral_status_d;
      id_error_q     <= id_error_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  // Media type and class of a CXL 2.0 device are 2: not reported here.
  function automatic logic [31:0] range_low(logic [35:0] size, logic active);
    return (size == '0) ? 32'd0 : {size[3:0], 20'd0, 3'd2, 3'd2, active, 1'b1};
  endfunction

  always_comb begin
    unique case (offset)
      // Header
      12'h000: rdata = {DeviceId, VendorId};
      12'h004: rdata = {poison_q, 3'd0, abort_q, 11'h010, command_q};
      12'h008: rdata = {24'h050210, RevisionId};
      12'h00C: rdata = {24'd0, cache_line_q};
      12'h010: rdata = {bar0_q[13:0], 18'h0_0004};
      12'h014: rdata = bar0_q[45:14];
      12'h02C: rdata = {DeviceId, VendorId};
      12'h034: rdata = 32'h0000_0040;
      12'h03C: rdata = {24'd0, int_line_q};
      // PCI Express, endpoint, version 2
      12'h040: rdata = 32'h0002_8010;
      12'h044: rdata = 32'h0000_8000;                          // payload 128 B, role-based errors
      12'h048: rdata = {12'd0, dev_sta_q, 12'd0, dev_ctl_q};
      12'h04C: rdata = {16'h0040, 6'd0, LinkWidth, LinkSpeed};
      12'h050: rdata = {6'b000100, LinkWidth, LinkSpeed, 8'd0, link_ctl_q};
      12'h064: rdata = 32'h0001_0000;                          // completes 10-bit tags
      12'h06C: rdata = {24'd0, 8'((32'd2 << LinkSpeed) - 32'd2)};
      12'h070: rdata = {28'd0, LinkSpeed};
      // Power management: D0 and D3hot, no soft reset
      12'h080: rdata = 32'h0003_0001;
      12'h084: rdata = {28'd0, 2'b10, d3_q, d3_q};
      // DVSEC 0: io, mem, memory initialised by hardware, viral, PM initialisation reported
      12'h100: rdata = dvsec_header(12'h140);
      12'h104: rdata = {12'h038, 4'h1, CxlVendorId};
      12'h108: rdata = {10'h300, TwoRanges, !TwoRanges, 4'hE, 16'h0000};
      12'h10C: rdata = {1'b0, viral_status_q, 15'd0, viral_enable_q, 11'd0, mem_enable_q, 2'b10};
      12'h110: rdata = 32'h8000_0000;                          // no PM messages to wait for
      12'h114: rdata = {31'd0, lock_q};
      12'h118: rdata = Range1Size[35:4];
      12'h11C: rdata = range_low(Range1Size, mem_active_i);
      12'h120: rdata = base1_q[35:4];
      12'h124: rdata = {base1_q[3:0], 28'd0};
      12'h128: rdata = Range2Size[35:4];
      12'h12C: rdata = range_low(Range2Size, mem_active_i);
      12'h130: rdata = base2_q[35:4];
      12'h134: rdata = {base2_q[3:0], 28'd0};
      // DVSEC 7: io, mem, CXL 2.0
      12'h140: rdata = dvsec_header(12'h160);
      12'h144: rdata = {12'h014, 4'h1, CxlVendorId};
      12'h148: rdata = 32'h0026_0007;
      12'h14C: rdata = {5'd0, id_error_q, 1'b0, port_status_i, 16'h0000};
      12'h150: rdata = {8'd0, ts_data_i};
      // DVSEC 8
      12'h160: rdata = dvsec_header(12'h180);
      12'h164: rdata = {12'h01C, 4'h0, CxlVendorId};
      12'h168: rdata = 32'h0000_0008;
      12'h16C: rdata = 32'h0000_0100;                          // component registers, BAR0 + 0
      12'h174: rdata = 32'h0002_0300;                          // device registers, BAR0 + 20000h
      // Vendor DVSEC
      12'h180: rdata = dvsec_header(12'h1A0);
      12'h184: rdata = {12'h014, 4'h0, VendorId};
      12'h188: rdata = {5'd0, MaxSpecGranules, 8'h81, 16'h0001};
      12'h18C: rdata = 32'h0001_0000;                          // vendor registers, BAR0 + 10000h
      // DVSEC 5: phase 2 takes no time and no power
      12'h1A0: rdata = dvsec_header(12'h1B0);
      12'h1A4: rdata = {12'h010, 4'h0, CxlVendorId};
      12'h1A8: rdata = 32'h0000_0005;
      // Device serial number
      12'h1B0: rdata = {AerOffset, SerialCapHeaderReset[19:0]};
      12'h1B4: rdata = SerialNumber[31:0];
      12'h1B8: rdata = SerialNumber[63:32];
      // Advanced error reporting, the last
      AerOffset: rdata = AerCapHeaderReset;
      default: rdata = here_aer ? rdata_aer : '0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_rdata_o <= '0;
    else         cfg_rdata_o <= (cfg_req_i.valid && !cfg_req_i.write) ? rdata : '0;
  end

  assign mem_space_en_o = command_q[1] && !d3_q;
  assign bar0_o         = bar0_q;
  assign mem_enable_o   = mem_enable_q;
  assign range1_base_o  = base1_q;
  assign range2_base_o  = base2_q;
  assign viral_o        = announce_q;
  assign viral_state_o  = viral_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  ResetHolds_A: assert property (@(posedge clk_i) rst_sticky_ni || !rst_ni)
      else $error("the sticky reset is low without the other reset");
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(cfg_req_i.valid && !cfg_req_i.write) |=> cfg_rdata_o == '0)
      else $error("read data without a read");
  LockStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      lock_q |=> lock_q && $stable({mem_enable_q, viral_enable_q, base1_q, base2_q}))
      else $error("a register changed after CONFIG_LOCK");
  CommandMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (command_q & ~CommandMask) == '0)
      else $error("the command register has a bit that cannot be written");
  ViralStatus_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      announce_q |-> viral_q && $past(announce_q || (viral_own_i && viral_enable_q)))
      else $error("viral is announced to the host without an enabled error of this device");
  ViralSetting_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (viral_enable_q && (viral_peer_i || viral_own_i)) |=> viral_q && viral_status_q)
      else $error("an enabled viral event left no status");
  ViralStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      viral_q |=> viral_q && (announce_q || !$past(announce_q)))
      else $error("the device is no longer viral, without a reset");

endmodule
