// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Configuration space of a root port's function 0: type 1 header, PCI Express capability, and the
// DVSECs of a CXL 2.0 port.
//
// | offset | what |
// |---|---|
// | 000h | type 1 header, class 060400h, BAR0 64-bit of 64 KiB, buses, windows |
// | 040h | PCI Express capability, root port |
// | 100h | DVSEC 3, CXL extensions for ports: Unmask Link Disable, alternate buses and windows;
// |      | Unmask SBR and Alt BME are kept only |
// | 130h | DVSEC 7, Flex Bus port |
// | 150h | DVSEC 8, register locator: component registers at BAR0 + 0 |
// | 170h | DVSEC 4, GPF for ports |
//
// Source:  PCI Express Base 5.0, chapter 7.5; CXL 2.0, chapter 8.1;
//          docs/blocks/cxl_io/port_config_space.md.
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.

module port_config_space
  import cxl_io_pkg::*;
  import cxl_pkg::CxlVendorId;
#(
  parameter logic [15:0] VendorId = 16'h1234,  // 0..FFFEh; the default is no assigned number
  parameter logic [15:0] DeviceId = 16'hC800,  // 0..FFFFh
  parameter logic [7:0]  RevisionId = 8'h01,   // 0..FFh
  parameter logic [3:0]  LinkSpeed = 4'd5,     // 1..5: highest speed of the link, 5 is 32 GT/s
  parameter logic [5:0]  LinkWidth = 6'd8      // 1..16, a power of two: lanes
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  cfg_req_t    cfg_req_i,      // an access each cycle, never stalled; enabled bytes only
  output logic [31:0] cfg_rdata_o,    // the register read in the cycle before; else 0

  input  logic [4:0]  device_i,       // level: device number on bus 0, shown as the port number
  input  logic        link_up_i,      // level: io_link dl_up_o, shown in the link status
  input  logic [6:0]  port_status_i,  // level: what was negotiated: 0 cache, 1 io, 2 mem, 3 sync
                                      // bypass, 4 drift buffer, 5 CXL 2.0, 6 MLD
  input  logic [23:0] ts_data_i,      // level: the received modified TS, symbols 12 to 14
  input  logic [2:0]  id_error_i,     // pulses: protocol ID error, 0 correctable, 1 uncorrectable,
                                      // 2 unexpected

  output bridge_t     bridge_o,       // level: windows and buses, for io_route
  output logic        link_disable_o  // level: keep the link down (Link Disable, unmasked)
);

  localparam logic [15:0] CommandMask = 16'h0546;  // memory, master, parity, SERR#, INTx disable
  localparam logic [7:0]  LinkCtlMask = 8'hD8;     // RCB, link disable, common clock, ext. synch
  localparam logic [15:0] GpfMask = 16'h0F0F;      // time-out scale and base of a phase

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  logic [15:0] command_q;  // only the writable bits are ever set
  logic [7:0]  cache_line_q, int_line_q, primary_q;
  logic [1:0]  bridge_ctl_q;
  bridge_t     bridge_q;   // its mem_space is not used: that is in command_q
  logic [3:0]  dev_ctl_q;
  logic [7:0]  link_ctl_q;
  logic        unmask_disable_q;
  logic        unmask_sbr_q, alt_bme_q;  // nothing to unmask, no request of the device passed up
  logic [15:0] gpf_1_q, gpf_2_q;  // only the writable bits are ever set
  logic        flex_mem_q, flex_cxl2_q;
  logic [2:0]  id_error_q;

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

  // Most registers have nothing to clear.
  logic unused_clear;
  assign unused_clear = ^clear;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q        <= '0;
      cache_line_q     <= '0;
      int_line_q       <= '0;
      primary_q        <= '0;
      bridge_ctl_q     <= '0;
      bridge_q         <= '0;
      dev_ctl_q        <= '0;
      link_ctl_q       <= '0;
      unmask_disable_q <= 1'b0;
      unmask_sbr_q     <= 1'b0;
      alt_bme_q        <= 1'b0;
      flex_mem_q       <= 1'b1;
      flex_cxl2_q      <= 1'b1;
      id_error_q       <= '0;
      gpf_1_q          <= '0;
      gpf_2_q          <= '0;
    end else begin
      if (wr) begin
        unique case (offset)
          12'h004: command_q            <= wdata[15:0] & CommandMask;
          12'h00C: cache_line_q         <= wdata[7:0];
          12'h010: bridge_q.bar0[15:0]  <= wdata[31:16];
          12'h014: bridge_q.bar0[47:16] <= wdata;
          12'h018: begin
            primary_q            <= wdata[7:0];
            bridge_q.secondary   <= wdata[15:8];
            bridge_q.subordinate <= wdata[23:16];
          end
          12'h020: begin
            bridge_q.mem_base  <= wdata[15:4];
            bridge_q.mem_limit <= wdata[31:20];
          end
          12'h024: begin
            bridge_q.pre_base[11:0]  <= wdata[15:4];
            bridge_q.pre_limit[11:0] <= wdata[31:20];
          end
          12'h028: bridge_q.pre_base[43:12]  <= wdata;
          12'h02C: bridge_q.pre_limit[43:12] <= wdata;
          12'h03C: begin
            int_line_q   <= wdata[7:0];
            bridge_ctl_q <= wdata[17:16];
          end
          12'h048: dev_ctl_q  <= wdata[3:0];
          12'h050: link_ctl_q <= wdata[7:0] & LinkCtlMask;
          12'h10C: begin
            unmask_sbr_q           <= wdata[0];
            unmask_disable_q       <= wdata[1];
            bridge_q.alt           <= wdata[2];
            alt_bme_q              <= wdata[3];
            bridge_q.alt_bus_base  <= wdata[23:16];
            bridge_q.alt_bus_limit <= wdata[31:24];
          end
          12'h110: begin
            bridge_q.alt_mem_base  <= wdata[15:4];
            bridge_q.alt_mem_limit <= wdata[31:20];
          end
          12'h114: begin
            bridge_q.alt_pre_base[11:0]  <= wdata[15:4];
            bridge_q.alt_pre_limit[11:0] <= wdata[31:20];
          end
          12'h118: bridge_q.alt_pre_base[43:12]  <= wdata;
          12'h11C: bridge_q.alt_pre_limit[43:12] <= wdata;
          12'h13C: begin
            flex_mem_q  <= wdata[2];
            flex_cxl2_q <= wdata[5];
            id_error_q  <= id_error_q & ~clear[26:24];
          end
          12'h17C: begin
            gpf_1_q <= wdata[15:0] & GpfMask;
            gpf_2_q <= wdata[31:16] & GpfMask;
          end
          default: ;
        endcase
      end
      // An error in the cycle of its clearing stays.
      for (int unsigned i = 0; i < 3; i++) begin
        if (id_error_i[i]) id_error_q[i] <= 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  // Base and limit of a window, address[31:20] each; low nibbles 1 if the upper halves follow.
  function automatic logic [31:0] window(logic [11:0] first, logic [11:0] last, logic wide);
    return {last, 3'd0, wide, first, 3'd0, wide};
  endfunction

  always_comb begin
    rdata = '0;
    if (cfg_req_i.valid) begin
      unique case (offset)
        // Header
        12'h000: rdata = {DeviceId, VendorId};
        12'h004: rdata = {16'h0010, command_q};
        12'h008: rdata = {24'h060400, RevisionId};
        12'h00C: rdata = {24'h00_0100, cache_line_q};
        12'h010: rdata = {bridge_q.bar0[15:0], 16'h0004};
        12'h014: rdata = bridge_q.bar0[47:16];
        12'h018: rdata = {8'h00, bridge_q.subordinate, bridge_q.secondary, primary_q};
        12'h020: rdata = window(bridge_q.mem_base, bridge_q.mem_limit, 1'b0);
        12'h024: rdata = window(bridge_q.pre_base[11:0], bridge_q.pre_limit[11:0], 1'b1);
        12'h028: rdata = bridge_q.pre_base[43:12];
        12'h02C: rdata = bridge_q.pre_limit[43:12];
        12'h034: rdata = 32'h0000_0040;
        12'h03C: rdata = {14'd0, bridge_ctl_q, 8'h00, int_line_q};
        // PCI Express, root port, version 2
        12'h040: rdata = 32'h0042_0010;
        12'h044: rdata = 32'h0000_8000;           // payload 128 B, role-based errors
        12'h048: rdata = {28'd0, dev_ctl_q};
        12'h04C: rdata = {3'd0, device_i, 8'h50, 6'd0, LinkWidth, LinkSpeed};
        12'h050: rdata = {2'b00, link_up_i, 3'b100, LinkWidth, LinkSpeed, 8'd0, link_ctl_q};
        12'h06C: rdata = {24'd0, 8'((32'd2 << LinkSpeed) - 32'd2)};
        12'h070: rdata = {28'd0, LinkSpeed};
        // DVSEC 3
        12'h100: rdata = dvsec_header(12'h130);
        12'h104: rdata = {12'h028, 4'h0, CxlVendorId};
        12'h108: rdata = 32'h0000_0003;
        12'h10C: rdata = {bridge_q.alt_bus_limit, bridge_q.alt_bus_base, 12'd0, alt_bme_q,
                          bridge_q.alt, unmask_disable_q, unmask_sbr_q};
        12'h110: rdata = window(bridge_q.alt_mem_base, bridge_q.alt_mem_limit, 1'b0);
        12'h114: rdata = window(bridge_q.alt_pre_base[11:0], bridge_q.alt_pre_limit[11:0], 1'b1);
        12'h118: rdata = bridge_q.alt_pre_base[43:12];
        12'h11C: rdata = bridge_q.alt_pre_limit[43:12];
        // DVSEC 7: io, mem, CXL 2.0
        12'h130: rdata = dvsec_header(12'h150);
        12'h134: rdata = {12'h014, 4'h1, CxlVendorId};
        12'h138: rdata = 32'h0026_0007;
        12'h13C: rdata = {5'd0, id_error_q, 1'b0, port_status_i, 10'd0, flex_cxl2_q, 2'b00,
                          flex_mem_q, 2'b10};
        12'h140: rdata = {8'd0, ts_data_i};
        // DVSEC 8
        12'h150: rdata = dvsec_header(12'h170);
        12'h154: rdata = {12'h014, 4'h0, CxlVendorId};
        12'h158: rdata = 32'h0000_0008;
        12'h15C: rdata = 32'h0000_0100;           // component registers, BAR0 + 0
        // DVSEC 4
        12'h170: rdata = dvsec_header(12'h000);
        12'h174: rdata = {12'h010, 4'h0, CxlVendorId};
        12'h178: rdata = 32'h0000_0004;
        12'h17C: rdata = {gpf_2_q, gpf_1_q};
        default: rdata = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_rdata_o <= '0;
    else         cfg_rdata_o <= (cfg_req_i.valid && !cfg_req_i.write) ? rdata : '0;
  end

  always_comb begin
    bridge_o           = bridge_q;
    bridge_o.mem_space = command_q[1];
  end
  // A CXL port's Link Disable acts only unmasked.
  assign link_disable_o = link_ctl_q[4] && unmask_disable_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(cfg_req_i.valid && !cfg_req_i.write) |=> cfg_rdata_o == '0)
      else $error("read data without a read");
  CommandMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (command_q & ~CommandMask) == '0)
      else $error("the command register has a bit that cannot be written");
  BridgeStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable(bridge_o))
      else $error("windows or buses changed without a write");
  DisableStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable(link_disable_o))
      else $error("Link Disable changed without a write");
  ControlStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable({unmask_sbr_q, alt_bme_q}))
      else $error("Unmask SBR or Alt BME changed without a write");
  GpfMask_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((gpf_1_q | gpf_2_q) & ~GpfMask) == '0)
      else $error("a GPF control register has a bit that cannot be written");

endmodule
