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
// Registers: cxl_reg_types_pkg (regs/pci_header0.yaml, pcie.yaml, pci_pm.yaml, dvsec_*.yaml,
// serial_number.yaml, aer.yaml).
//
// Source:  PCI Express Base 5.0, chapter 7.5; CXL 2.0, chapter 8.1.
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.

module config_space
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
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

  if (LinkSpeed < 1 || LinkSpeed > 5) begin : g_bad_speed
    $error("config_space: LinkSpeed of 1..5 is %0d", LinkSpeed);
  end
  if (!(LinkWidth inside {1, 2, 4, 8, 16})) begin : g_bad_width
    $error("config_space: LinkWidth of 1..16, a power of two, is %0d", LinkWidth);
  end
  if (MaxSpecGranules < 1 || MaxSpecGranules > 4) begin : g_bad_granules
    $error("config_space: MaxSpecGranules of 1..4 is %0d", MaxSpecGranules);
  end

  localparam logic        TwoRanges = Range2Size != '0;

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  // Where the blocks are
  localparam logic [11:0] PcieAt   = 12'h040;
  localparam logic [11:0] PmAt     = 12'h080;
  localparam logic [11:0] DeviceAt = 12'h100;
  localparam logic [11:0] FlexAt   = 12'h140;
  localparam logic [11:0] LocAt    = 12'h160;
  localparam logic [11:0] VendorAt = 12'h180;
  localparam logic [11:0] GpfAt    = 12'h1A0;
  localparam logic [11:0] SerialAt = 12'h1B0;
  localparam logic [11:0] AerAt    = 12'h1C0;

  pci_dev_command_t        command_q;
  pci_dev_status_t         status_q;
  pci_dev_cache_line_t     cache_line_q;
  pci_dev_interrupt_line_t interrupt_line_q;
  pci_dev_bar0_low_t       bar0_low_q;
  pci_dev_bar0_high_t      bar0_high_q;
  pcie_device_control_t    device_control_q;
  pcie_device_status_t     device_status_q;
  pcie_link_control_t      link_control_q;
  pci_pm_control_t         pm_control_q, pm_control_written;
  dv_dev_control_t         cxl_control_q;
  dv_dev_lock_t            cxl_lock_q;
  dv_dev_range_base_high_t base1_high_q, base2_high_q;
  dv_dev_range_base_low_t  base1_low_q, base2_low_q;
  logic                    viral_q, announce_q, viral_set;
  // Sticky, and what is negotiated: 0
  dv_dev_status_t          cxl_status_q, cxl_status_d;
  dv_flex_status_t         flex_status_q, flex_status_d;

  logic        wr, locked;
  logic [11:0] offset;
  logic [31:0] wdata;
  logic [3:0]  be;
  assign wr     = cfg_req_i.valid && cfg_req_i.write;
  assign offset = {cfg_req_i.word, 2'b00};
  assign wdata  = cfg_req_i.wdata;
  assign be     = cfg_req_i.be;
  assign locked = cxl_lock_q.config_lock;

  // ---------------------------------------------------------------------------------------------
  // Errors
  // ---------------------------------------------------------------------------------------------
  logic        here_aer;               // behind the header
  logic [31:0] rdata_aer;
  logic [3:0]  error_found;

  assign here_aer = offset > AerAt && offset[11:6] == AerAt[11:6];

  // A register there as it is to be, and the ones written
  logic [31:0] aer_wdata, aer_clear;
  always_comb begin
    aer_wdata = '0;
    aer_clear = '0;
    if (wr && here_aer) begin
      aer_wdata = merge_enabled(rdata_aer, wdata, be);
      aer_clear = merge_enabled('0, wdata, be);
    end
  end

  // All of it is sticky; what comes during a hot reset is lost.
  logic awake;
  assign awake = rst_ni;

  aer u_aer (
    .clk_i,
    .rst_ni        (rst_sticky_ni),
    .write_i       (awake && wr && here_aer),
    .word_i        (offset[5:2]),
    .wdata_i       (aer_wdata),
    .clear_i       (aer_clear),
    .rdata_o       (rdata_aer),
    .io_err_i      (awake ? io_err_i : '0),
    .io_err_hdr_i,
    .event_i       (awake ? event_i : '0),
    .event_posted_i,
    .event_hdr_i,
    .ras_i         (awake ? ras_i : '0),
    .found_o       (error_found)
  );

  // Software clears the status; viral itself ends with a reset alone.
  assign viral_set = cxl_control_q.viral && (viral_peer_i || viral_own_i);

  assign pm_control_written = pci_pm_control_written(pm_control_q, wdata[15:0], be[1:0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q        <= PciDevCommandAtReset;
      status_q         <= PciDevStatusAtReset;
      cache_line_q     <= PciDevCacheLineAtReset;
      interrupt_line_q <= PciDevInterruptLineAtReset;
      bar0_low_q       <= PciDevBar0LowAtReset;
      bar0_high_q      <= PciDevBar0HighAtReset;
      device_control_q <= PcieDeviceControlAtReset;
      device_status_q  <= PcieDeviceStatusDeviceAtReset;
      link_control_q   <= PcieLinkControlDeviceAtReset;
      pm_control_q     <= PciPmControlAtReset;
      cxl_control_q    <= DvDevControlAtReset;
      cxl_lock_q       <= DvDevLockAtReset;
      base1_high_q     <= DvDevRangeBaseHighAtReset;
      base1_low_q      <= DvDevRangeBaseLowAtReset;
      base2_high_q     <= DvDevRangeBaseHighAtReset;
      base2_low_q      <= DvDevRangeBaseLowAtReset;
      viral_q          <= 1'b0;
      announce_q       <= 1'b0;
    end else begin
      if (wr) begin
        unique case (offset)
          PciDevCommandOffset: begin
            command_q <= pci_dev_command_written(command_q, wdata[15:0], be[1:0]);
            status_q  <= pci_dev_status_written(status_q, wdata[31:16], be[3:2]);
          end
          PciDevCacheLineOffset: begin
            cache_line_q <= pci_dev_cache_line_written(cache_line_q, wdata[7:0], be[0]);
          end
          PciDevBar0LowOffset: bar0_low_q <= pci_dev_bar0_low_written(bar0_low_q, wdata, be);
          PciDevBar0HighOffset: bar0_high_q <= pci_dev_bar0_high_written(bar0_high_q, wdata, be);
          PciDevInterruptLineOffset: begin
            interrupt_line_q <= pci_dev_interrupt_line_written(interrupt_line_q, wdata[7:0], be[0]);
          end
          PcieAt + PcieDeviceControlOffset: begin
            device_control_q <=
                pcie_device_control_written(device_control_q, wdata[15:0], be[1:0]);
            device_status_q <=
                pcie_device_status_written(device_status_q, wdata[31:16], be[3:2], 1'b1);
          end
          PcieAt + PcieLinkControlOffset: begin
            link_control_q <=
                pcie_link_control_written(link_control_q, wdata[15:0], be[1:0], 1'b1);
          end
          PmAt + PciPmControlOffset: begin
            // D1 and D2 are not there: writing them changes nothing.
            if (pm_control_written.power_state inside {2'd0, 2'd3}) begin
              pm_control_q <= pm_control_written;
            end
          end
          DeviceAt + DvDevControlOffset: begin
            cxl_control_q <=
                dv_dev_control_written(cxl_control_q, wdata[15:0], be[1:0], locked);
          end
          DeviceAt + DvDevLockOffset: begin
            cxl_lock_q <= dv_dev_lock_written(cxl_lock_q, wdata[15:0], be[1:0]);
          end
          DeviceAt + DvDevRangeOffset + DvDevRangeBaseHighOffset: begin
            base1_high_q <= dv_dev_range_base_high_written(base1_high_q, wdata, be, locked);
          end
          DeviceAt + DvDevRangeOffset + DvDevRangeBaseLowOffset: begin
            base1_low_q <= dv_dev_range_base_low_written(base1_low_q, wdata, be, locked);
          end
          // A range that is not there has no base.
          DeviceAt + DvDevRangeOffset + 12'(DvDevRangeStride) + DvDevRangeBaseHighOffset: begin
            base2_high_q <= dv_dev_range_base_high_written(base2_high_q, wdata, be,
                                                           locked || !TwoRanges);
          end
          DeviceAt + DvDevRangeOffset + 12'(DvDevRangeStride) + DvDevRangeBaseLowOffset: begin
            base2_low_q <= dv_dev_range_base_low_written(base2_low_q, wdata, be,
                                                         locked || !TwoRanges);
          end
          default: ;
        endcase
      end
      // An error in the cycle of its clearing stays.
      if (event_i[1]) status_q.signaled_target_abort <= 1'b1;
      if (event_i[2]) status_q.detected_parity_error <= 1'b1;
      if (error_found[0]) device_status_q.correctable <= 1'b1;
      if (error_found[1]) device_status_q.nonfatal <= 1'b1;
      if (error_found[2]) device_status_q.fatal <= 1'b1;
      if (error_found[3]) device_status_q.unsupported <= 1'b1;
      if (viral_set) begin
        viral_q <= 1'b1;
        if (viral_own_i) announce_q <= 1'b1;
      end
    end
  end

  // What is sticky, beside the errors above.
  always_comb begin
    cxl_status_d  = cxl_status_q;
    flex_status_d = flex_status_q;
    if (awake) begin
      if (wr && offset == DeviceAt + DvDevControlOffset) begin
        cxl_status_d = dv_dev_status_written(cxl_status_q, wdata[31:16], be[3:2]);
      end
      if (wr && offset == FlexAt + DvFlexControlOffset) begin
        flex_status_d = dv_flex_status_written(flex_status_q, wdata[31:16], be[3:2]);
      end
      if (viral_set) cxl_status_d.viral = 1'b1;
      if (id_error_i[0]) flex_status_d.id_correctable = 1'b1;
      if (id_error_i[1]) flex_status_d.id_uncorrectable = 1'b1;
      if (id_error_i[2]) flex_status_d.id_unexpected = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_sticky_ni) begin
    if (!rst_sticky_ni) begin
      cxl_status_q  <= DvDevStatusAtReset;
      flex_status_q <= DvFlexStatusAtReset;
    end else begin
      cxl_status_q  <= cxl_status_d;
      flex_status_q <= flex_status_d;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  // Media type and class of a CXL 2.0 device are 2: not reported here.
  function automatic dv_dev_range_t range_of(logic [35:0] size, logic active,
                                             dv_dev_range_base_high_t base_high,
                                             dv_dev_range_base_low_t base_low);
    dv_dev_range_t range;
    range           = '0;
    range.base_high = base_high;
    range.base_low  = base_low;
    if (size != '0) begin
      range.size_high = size[35:4];
      range.size_low  = '{info_valid: 1'b1, active: active, media_type: 3'd2, memory_class: 3'd2,
                          size: size[3:0], default: '0};
    end
    return range;
  endfunction

  logic [31:0] rdata;

  always_comb begin
    rdata = '0;
    if (cfg_req_i.valid && !cfg_req_i.write) begin
      if (offset < PcieAt) begin
        rdata = pci_dev_word(PciDevRegsAtReset | pci_dev_regs_t'{
          vendor:           VendorId,
          device:           DeviceId,
          command:          command_q,
          status:           status_q,
          revision:         RevisionId,
          cache_line:       cache_line_q,
          bar0_low:         bar0_low_q,
          bar0_high:        bar0_high_q,
          subsystem_vendor: VendorId,
          subsystem:        DeviceId,
          interrupt_line:   interrupt_line_q,
          default:          '0
        }, cfg_req_i.word);
      end else if (offset < PmAt) begin
        rdata = pcie_word(PcieRegsDeviceAtReset | pcie_regs_t'{
          cap_header:         '{next: PmAt[7:0], default: '0},
          device_control:     device_control_q,
          device_status:      device_status_q,
          link_capabilities:  '{speed: LinkSpeed, width: LinkWidth, default: '0},
          link_control:       link_control_q,
          link_status:        '{speed: LinkSpeed, width: LinkWidth, default: '0},
          link_capabilities2: '{speeds: 7'((32'd1 << LinkSpeed) - 32'd1)},
          link_control2:      '{target_speed: LinkSpeed},
          default:            '0
        }, cfg_req_i.word - PcieAt[11:2]);
      end else if (offset < DeviceAt) begin
        rdata = pci_pm_word(PciPmRegsAtReset | pci_pm_regs_t'{control: pm_control_q, default: '0},
                            cfg_req_i.word - PmAt[11:2]);
      end else if (offset < FlexAt) begin
        rdata = dv_dev_word(DvDevRegsAtReset | dv_dev_regs_t'{
          cap_header: '{next: FlexAt, default: '0},
          capability: '{hdm_count: TwoRanges ? 2'd2 : 2'd1, default: '0},
          control:    cxl_control_q,
          status:     cxl_status_q,
          lock:       cxl_lock_q,
          range:      {range_of(Range2Size, mem_active_i, base2_high_q, base2_low_q),
                       range_of(Range1Size, mem_active_i, base1_high_q, base1_low_q)},
          default:    '0
        }, cfg_req_i.word - DeviceAt[11:2]);
      end else if (offset < LocAt) begin
        rdata = dv_flex_word(DvFlexRegsDeviceAtReset | dv_flex_regs_t'{
          cap_header: '{next: LocAt, default: '0},
          status:     flex_status_q | dv_flex_status_t'{
                        cache:        port_status_i[0],
                        io:           port_status_i[1],
                        mem:          port_status_i[2],
                        sync_bypass:  port_status_i[3],
                        drift_buffer: port_status_i[4],
                        cxl2:         port_status_i[5],
                        mld:          port_status_i[6],
                        default:      '0
                      },
          ts_data:    '{received: ts_data_i},
          default:    '0
        }, cfg_req_i.word - FlexAt[11:2]);
      end else if (offset < VendorAt) begin
        rdata = dv_loc_word(DvLocRegsDeviceAtReset | dv_loc_regs_t'{
          cap_header:   '{next: VendorAt, default: '0},
          dvsec_header: '{length: 12'h01C, default: '0},
          default:      '0
        }, cfg_req_i.word - LocAt[11:2]);
      end else if (offset < GpfAt) begin
        rdata = dv_vendor_word(DvVendorRegsAtReset | dv_vendor_regs_t'{
          cap_header:   '{next: GpfAt, default: '0},
          dvsec_header: '{vendor: VendorId, default: '0},
          capability:   '{max: MaxSpecGranules, default: '0},
          default:      '0
        }, cfg_req_i.word - VendorAt[11:2]);
      end else if (offset < SerialAt) begin
        // Phase 2 takes no time and no power.
        rdata = dv_gpf_dev_word(DvGpfDevRegsAtReset, cfg_req_i.word - GpfAt[11:2]);
      end else if (offset < AerAt) begin
        rdata = serial_word(SerialRegsAtReset | serial_regs_t'{
          cap_header: '{next: AerAt, default: '0},
          low:        SerialNumber[31:0],
          high:       SerialNumber[63:32]
        }, cfg_req_i.word - SerialAt[11:2]);
      end else if (offset == AerAt) begin
        rdata = aer_cap_header_word(AerCapHeaderAtReset);  // the last
      end else if (here_aer) begin
        rdata = rdata_aer;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_rdata_o <= '0;
    else         cfg_rdata_o <= rdata;
  end

  assign mem_space_en_o = command_q.memory_space && pm_control_q.power_state == 2'd0;
  assign bar0_o         = {bar0_high_q.base, bar0_low_q.base};
  assign mem_enable_o   = cxl_control_q.mem;
  assign range1_base_o  = {base1_high_q.base, base1_low_q.base};
  assign range2_base_o  = {base2_high_q.base, base2_low_q.base};
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
      locked |=> locked && $stable({mem_enable_o, cxl_control_q.viral, range1_base_o,
                                    range2_base_o}))
    else $error("a register changed after CONFIG_LOCK");
  ViralStatus_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      announce_q |-> viral_q && $past(announce_q || (viral_own_i && cxl_control_q.viral)))
      else $error("viral is announced to the host without an enabled error of this device");
  ViralSetting_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cxl_control_q.viral && (viral_peer_i || viral_own_i)) |=> viral_q && cxl_status_q.viral)
      else $error("an enabled viral event left no status");
  ViralStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      viral_q |=> viral_q && (announce_q || !$past(announce_q)))
      else $error("the device is no longer viral, without a reset");

endmodule
