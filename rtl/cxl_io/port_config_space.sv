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
// Registers: cxl_reg_types_pkg (regs/pci_header1.yaml, pcie.yaml, dvsec_*.yaml).
//
// Source:  PCI Express Base 5.0, chapter 7.5; CXL 2.0, chapter 8.1;
//          docs/blocks/cxl_io/port_config_space.md.
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.

module port_config_space
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
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

  if (LinkSpeed < 1 || LinkSpeed > 5) begin : g_bad_speed
    $error("port_config_space: LinkSpeed of 1..5 is %0d", LinkSpeed);
  end
  if (!(LinkWidth inside {1, 2, 4, 8, 16})) begin : g_bad_width
    $error("port_config_space: LinkWidth of 1..16, a power of two, is %0d", LinkWidth);
  end

  // Where the blocks are
  localparam logic [11:0] PcieAt = 12'h040;
  localparam logic [11:0] PortAt = 12'h100;
  localparam logic [11:0] FlexAt = 12'h130;
  localparam logic [11:0] LocAt  = 12'h150;
  localparam logic [11:0] GpfAt  = 12'h170;

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  pci_port_command_t           command_q;
  pci_port_cache_line_t        cache_line_q;
  pci_port_interrupt_line_t    interrupt_line_q;
  pci_port_bridge_control_t    bridge_control_q;
  pci_port_bar0_low_t          bar0_low_q;
  pci_port_bar0_high_t         bar0_high_q;
  pci_port_primary_t           primary_q;
  pci_port_secondary_t         secondary_q;
  pci_port_subordinate_t       subordinate_q;
  pci_port_mem_base_t          mem_base_q;
  pci_port_mem_limit_t         mem_limit_q;
  pci_port_pre_base_t          pre_base_q;
  pci_port_pre_limit_t         pre_limit_q;
  pci_port_pre_base_high_t     pre_base_high_q;
  pci_port_pre_limit_high_t    pre_limit_high_q;
  pcie_device_control_t        device_control_q;
  pcie_link_control_t          link_control_q;
  dv_port_control_t            port_control_q;  // acts but for unmask_sbr and alt_bme
  dv_port_alt_bus_base_t       alt_bus_base_q;
  dv_port_alt_bus_limit_t      alt_bus_limit_q;
  dv_port_alt_mem_base_t       alt_mem_base_q;
  dv_port_alt_mem_limit_t      alt_mem_limit_q;
  dv_port_alt_pre_base_t       alt_pre_base_q;
  dv_port_alt_pre_limit_t      alt_pre_limit_q;
  dv_port_alt_pre_base_high_t  alt_pre_base_high_q;
  dv_port_alt_pre_limit_high_t alt_pre_limit_high_q;
  dv_flex_control_t            flex_control_q;
  dv_flex_status_t             flex_status_q;  // what is negotiated: 0
  dv_gpf_port_phase_1_t        phase_1_q;
  dv_gpf_port_phase_2_t        phase_2_q;

  logic        wr;
  logic [11:0] offset;
  logic [31:0] wdata;
  logic [3:0]  be;
  assign wr     = cfg_req_i.valid && cfg_req_i.write;
  assign offset = {cfg_req_i.word, 2'b00};
  assign wdata  = cfg_req_i.wdata;
  assign be     = cfg_req_i.be;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q            <= PciPortCommandAtReset;
      cache_line_q         <= PciPortCacheLineAtReset;
      interrupt_line_q     <= PciPortInterruptLineAtReset;
      bridge_control_q     <= PciPortBridgeControlAtReset;
      bar0_low_q           <= PciPortBar0LowAtReset;
      bar0_high_q          <= PciPortBar0HighAtReset;
      primary_q            <= PciPortPrimaryAtReset;
      secondary_q          <= PciPortSecondaryAtReset;
      subordinate_q        <= PciPortSubordinateAtReset;
      mem_base_q           <= PciPortMemBaseAtReset;
      mem_limit_q          <= PciPortMemLimitAtReset;
      pre_base_q           <= PciPortPreBaseAtReset;
      pre_limit_q          <= PciPortPreLimitAtReset;
      pre_base_high_q      <= PciPortPreBaseHighAtReset;
      pre_limit_high_q     <= PciPortPreLimitHighAtReset;
      device_control_q     <= PcieDeviceControlAtReset;
      link_control_q       <= PcieLinkControlHostAtReset;
      port_control_q       <= DvPortControlAtReset;
      alt_bus_base_q       <= DvPortAltBusBaseAtReset;
      alt_bus_limit_q      <= DvPortAltBusLimitAtReset;
      alt_mem_base_q       <= DvPortAltMemBaseAtReset;
      alt_mem_limit_q      <= DvPortAltMemLimitAtReset;
      alt_pre_base_q       <= DvPortAltPreBaseAtReset;
      alt_pre_limit_q      <= DvPortAltPreLimitAtReset;
      alt_pre_base_high_q  <= DvPortAltPreBaseHighAtReset;
      alt_pre_limit_high_q <= DvPortAltPreLimitHighAtReset;
      flex_control_q       <= DvFlexControlHostAtReset;
      flex_status_q        <= DvFlexStatusAtReset;
      phase_1_q            <= DvGpfPortPhase1AtReset;
      phase_2_q            <= DvGpfPortPhase2AtReset;
    end else begin
      if (wr) begin
        unique case (offset)
          PciPortCommandOffset: begin
            command_q <= pci_port_command_written(command_q, wdata[15:0], be[1:0]);
          end
          PciPortCacheLineOffset: begin
            cache_line_q <= pci_port_cache_line_written(cache_line_q, wdata[7:0], be[0]);
          end
          PciPortBar0LowOffset: begin
            bar0_low_q <= pci_port_bar0_low_written(bar0_low_q, wdata, be);
          end
          PciPortBar0HighOffset: begin
            bar0_high_q <= pci_port_bar0_high_written(bar0_high_q, wdata, be);
          end
          PciPortPrimaryOffset: begin
            primary_q <= pci_port_primary_written(primary_q, wdata[7:0], be[0]);
            secondary_q <= pci_port_secondary_written(secondary_q, wdata[15:8], be[1]);
            subordinate_q <= pci_port_subordinate_written(subordinate_q, wdata[23:16], be[2]);
          end
          PciPortMemBaseOffset: begin
            mem_base_q <= pci_port_mem_base_written(mem_base_q, wdata[15:0], be[1:0]);
            mem_limit_q <= pci_port_mem_limit_written(mem_limit_q, wdata[31:16], be[3:2]);
          end
          PciPortPreBaseOffset: begin
            pre_base_q <= pci_port_pre_base_written(pre_base_q, wdata[15:0], be[1:0]);
            pre_limit_q <= pci_port_pre_limit_written(pre_limit_q, wdata[31:16], be[3:2]);
          end
          PciPortPreBaseHighOffset: begin
            pre_base_high_q <= pci_port_pre_base_high_written(pre_base_high_q, wdata, be);
          end
          PciPortPreLimitHighOffset: begin
            pre_limit_high_q <= pci_port_pre_limit_high_written(pre_limit_high_q, wdata, be);
          end
          PciPortInterruptLineOffset: begin
            interrupt_line_q <=
                pci_port_interrupt_line_written(interrupt_line_q, wdata[7:0], be[0]);
            bridge_control_q <=
                pci_port_bridge_control_written(bridge_control_q, wdata[31:16], be[3:2]);
          end
          PcieAt + PcieDeviceControlOffset: begin
            device_control_q <= pcie_device_control_written(device_control_q, wdata[15:0], be[1:0]);
          end
          PcieAt + PcieLinkControlOffset: begin
            link_control_q <= pcie_link_control_written(link_control_q, wdata[15:0], be[1:0], 1'b0);
          end
          PortAt + DvPortControlOffset: begin
            port_control_q <= dv_port_control_written(port_control_q, wdata[15:0], be[1:0]);
            alt_bus_base_q <= dv_port_alt_bus_base_written(alt_bus_base_q, wdata[23:16], be[2]);
            alt_bus_limit_q <= dv_port_alt_bus_limit_written(alt_bus_limit_q, wdata[31:24], be[3]);
          end
          PortAt + DvPortAltMemBaseOffset: begin
            alt_mem_base_q <= dv_port_alt_mem_base_written(alt_mem_base_q, wdata[15:0], be[1:0]);
            alt_mem_limit_q <=
                dv_port_alt_mem_limit_written(alt_mem_limit_q, wdata[31:16], be[3:2]);
          end
          PortAt + DvPortAltPreBaseOffset: begin
            alt_pre_base_q <= dv_port_alt_pre_base_written(alt_pre_base_q, wdata[15:0], be[1:0]);
            alt_pre_limit_q <=
                dv_port_alt_pre_limit_written(alt_pre_limit_q, wdata[31:16], be[3:2]);
          end
          PortAt + DvPortAltPreBaseHighOffset: begin
            alt_pre_base_high_q <=
                dv_port_alt_pre_base_high_written(alt_pre_base_high_q, wdata, be);
          end
          PortAt + DvPortAltPreLimitHighOffset: begin
            alt_pre_limit_high_q <=
                dv_port_alt_pre_limit_high_written(alt_pre_limit_high_q, wdata, be);
          end
          FlexAt + DvFlexControlOffset: begin
            flex_control_q <= dv_flex_control_written(flex_control_q, wdata[15:0], be[1:0], 1'b0);
            flex_status_q <= dv_flex_status_written(flex_status_q, wdata[31:16], be[3:2]);
          end
          GpfAt + DvGpfPortPhase1Offset: begin
            phase_1_q <= dv_gpf_port_phase_1_written(phase_1_q, wdata[15:0], be[1:0]);
            phase_2_q <= dv_gpf_port_phase_2_written(phase_2_q, wdata[31:16], be[3:2]);
          end
          default: ;
        endcase
      end
      // An error in the cycle of its clearing stays.
      if (id_error_i[0]) flex_status_q.id_correctable <= 1'b1;
      if (id_error_i[1]) flex_status_q.id_uncorrectable <= 1'b1;
      if (id_error_i[2]) flex_status_q.id_unexpected <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  logic [31:0] rdata;

  always_comb begin
    rdata = '0;
    if (cfg_req_i.valid && !cfg_req_i.write) begin
      if (offset < PcieAt) begin
        rdata = pci_port_word(PciPortRegsAtReset | pci_port_regs_t'{
          vendor:         VendorId,
          device:         DeviceId,
          command:        command_q,
          revision:       RevisionId,
          cache_line:     cache_line_q,
          bar0_low:       bar0_low_q,
          bar0_high:      bar0_high_q,
          primary:        primary_q,
          secondary:      secondary_q,
          subordinate:    subordinate_q,
          mem_base:       mem_base_q,
          mem_limit:      mem_limit_q,
          pre_base:       pre_base_q,
          pre_limit:      pre_limit_q,
          pre_base_high:  pre_base_high_q,
          pre_limit_high: pre_limit_high_q,
          interrupt_line: interrupt_line_q,
          bridge_control: bridge_control_q,
          default:        '0
        }, cfg_req_i.word);
      end else if (offset < PortAt) begin
        rdata = pcie_word(PcieRegsHostAtReset | pcie_regs_t'{
          capabilities:       '{port_kind: 4'd4, default: '0},
          device_control:     device_control_q,
          link_capabilities:  '{speed: LinkSpeed, width: LinkWidth, port: {3'd0, device_i},
                                default: '0},
          link_control:       link_control_q,
          link_status:        '{speed: LinkSpeed, width: LinkWidth, active: link_up_i,
                                default: '0},
          link_capabilities2: '{speeds: 7'((32'd1 << LinkSpeed) - 32'd1)},
          link_control2:      '{target_speed: LinkSpeed},
          default:            '0
        }, cfg_req_i.word - PcieAt[11:2]);
      end else if (offset < FlexAt) begin
        rdata = dv_port_word(DvPortRegsAtReset | dv_port_regs_t'{
          cap_header:         '{next: FlexAt, default: '0},
          control:            port_control_q,
          alt_bus_base:       alt_bus_base_q,
          alt_bus_limit:      alt_bus_limit_q,
          alt_mem_base:       alt_mem_base_q,
          alt_mem_limit:      alt_mem_limit_q,
          alt_pre_base:       alt_pre_base_q,
          alt_pre_limit:      alt_pre_limit_q,
          alt_pre_base_high:  alt_pre_base_high_q,
          alt_pre_limit_high: alt_pre_limit_high_q,
          default:            '0
        }, cfg_req_i.word - PortAt[11:2]);
      end else if (offset < LocAt) begin
        // Not on top of the reset values: software can clear those of its control.
        rdata = dv_flex_word('{
          cap_header:   DvFlexCapHeaderAtReset | dv_flex_cap_header_t'{next: LocAt, default: '0},
          dvsec_header: DvFlexDvsecHeaderAtReset,
          dvsec_id:     DvFlexDvsecIdAtReset,
          capability:   DvFlexCapabilityAtReset,
          control:      flex_control_q,
          status:       flex_status_q | dv_flex_status_t'{
                          cache:        port_status_i[0],
                          io:           port_status_i[1],
                          mem:          port_status_i[2],
                          sync_bypass:  port_status_i[3],
                          drift_buffer: port_status_i[4],
                          cxl2:         port_status_i[5],
                          mld:          port_status_i[6],
                          default:      '0
                        },
          ts_data:      '{received: ts_data_i}
        }, cfg_req_i.word - FlexAt[11:2]);
      end else if (offset < GpfAt) begin
        // Component registers alone
        rdata = dv_loc_word(DvLocRegsHostAtReset | dv_loc_regs_t'{
          cap_header:   '{next: GpfAt, default: '0},
          dvsec_header: '{length: 12'h014, default: '0},
          default:      '0
        }, cfg_req_i.word - LocAt[11:2]);
      end else begin
        rdata = dv_gpf_port_word(DvGpfPortRegsAtReset | dv_gpf_port_regs_t'{
          phase_1: phase_1_q,
          phase_2: phase_2_q,
          default: '0
        }, cfg_req_i.word - GpfAt[11:2]);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_rdata_o <= '0;
    else         cfg_rdata_o <= rdata;
  end

  assign bridge_o = '{
    mem_space:     command_q.memory_space,
    bar0:          {bar0_high_q.base, bar0_low_q.base},
    secondary:     secondary_q.bus,
    subordinate:   subordinate_q.bus,
    mem_base:      mem_base_q.base,
    mem_limit:     mem_limit_q.limit,
    pre_base:      {pre_base_high_q.base, pre_base_q.base},
    pre_limit:     {pre_limit_high_q.limit, pre_limit_q.limit},
    alt:           port_control_q.alt_memory,
    alt_bus_base:  alt_bus_base_q.bus,
    alt_bus_limit: alt_bus_limit_q.bus,
    alt_mem_base:  alt_mem_base_q.base,
    alt_mem_limit: alt_mem_limit_q.limit,
    alt_pre_base:  {alt_pre_base_high_q.base, alt_pre_base_q.base},
    alt_pre_limit: {alt_pre_limit_high_q.limit, alt_pre_limit_q.limit}
  };
  // A CXL port's Link Disable acts only unmasked.
  assign link_disable_o = link_control_q.link_disable && port_control_q.unmask_link_disable;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(cfg_req_i.valid && !cfg_req_i.write) |=> cfg_rdata_o == '0)
      else $error("read data without a read");
  BridgeStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable(bridge_o))
      else $error("windows or buses changed without a write");
  DisableStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable(link_disable_o))
      else $error("Link Disable changed without a write");
  ControlStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !wr |=> $stable({port_control_q.unmask_sbr, port_control_q.alt_bme}))
      else $error("Unmask SBR or Alt BME changed without a write");

endmodule
