// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// RAS capability structure of a CXL.cachemem end: what went wrong, what is reported of it, and the
// header of the first uncorrectable error.
//
// An event shows in its status bit and in the report pulses the cycle after it; a masked one shows
// nowhere (8.2.5.9.2, 8.2.5.9.4: not the rule of AER). CRC failures and retries count to a
// threshold before they are an event of their own. The log keeps LogWords words; software reads
// zeros for the others.
//
// Source: CXL 2.0, 8.2.5.9; docs/blocks/controller/ras.md; regs/ras.yaml.

module ras
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned CrcThreshold   = 256,  // pulses of crc_i that make an error: 1..2^32-2
  parameter int unsigned RetryThreshold = 16,   // pulses of retry_i that make an error: 1..2^32-2
  parameter int unsigned LogWords       = 16,   // words of the header log; others read 0: 1..16
  parameter bit          PoisonFixed    = 1'b0  // Poison_Enabled stays 1, as in a device: 0 or 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  reg_req_t               reg_req_i,       // register access, one a cycle; addr[6:2]: word
  output logic [31:0]            reg_rdata_o,     // word read in the cycle before; else 0
  // Events, numbered as the status bits
  input  logic [16:0]            uncor_i,         // pulses: uncorrectable; 12 and 13 are ignored
  input  logic [511:0]           log_flit_i,      // with uncor_i[9]: payload of the flit
  input  logic [127:0]           log_header_i,    // with poison_i: header of the data
  input  logic [2:0]             log_overflow_i,  // with uncor_i[11]: the channel, 0
                                                  // Req, 1 Rsp, 2 Data of CXL.cache, 4
                                                  // NDR or Req, 5 DRS or RwD of CXL.mem
  input  logic [6:0]             cor_i,           // pulses: correctable
  input  logic                   poison_i,        // pulse: CXL.mem data were received with poison
  input  logic                   crc_i,           // pulse: a flit failed its CRC
  input  logic                   retry_i,         // pulse: a retry began
  // Reports, one cycle each
  output logic                   cor_o,           // pulse: a new unmasked correctable error
  output logic                   nonfatal_o,      // pulse: a new unmasked error of severity 0
  output logic                   fatal_o          // pulse: a new unmasked error of severity 1
);

  if (CrcThreshold < 1 || RetryThreshold < 1 || LogWords < 1 || LogWords > 16) begin : g_bad
    $error("ras: thresholds of at least 1, LogWords 1..16");
  end

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  ras_uncor_status_t      uncor_status_q, uncor_kept, uncor_event;
  ras_uncor_mask_t        uncor_mask_q;
  ras_uncor_severity_t    uncor_severity_q;
  ras_cor_status_t        cor_status_q, cor_kept, cor_event;
  ras_cor_mask_t          cor_mask_q;
  ras_control_t           control_q;
  logic                   held_q, poison_enabled;
  logic [32*LogWords-1:0] log_q;

  assign poison_enabled = control_q.poison_enabled || control_q.poison_fixed;

  logic       write;
  logic [6:2] word;
  assign write = reg_req_i.valid && reg_req_i.write;
  assign word  = reg_req_i.addr[6:2];

  // ---------------------------------------------------------------------------------------------
  // Events
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned CrcBits   = $clog2(CrcThreshold + 1);
  localparam int unsigned RetryBits = $clog2(RetryThreshold + 1);
  logic [CrcBits-1:0]   crc_count_q;
  logic [RetryBits-1:0] retry_count_q;
  logic                 crc_full, retry_full;

  assign crc_full   = crc_i && crc_count_q == CrcBits'(CrcThreshold - 1);
  assign retry_full = retry_i && retry_count_q == RetryBits'(RetryThreshold - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      crc_count_q   <= '0;
      retry_count_q <= '0;
    end else begin
      if (crc_i) crc_count_q <= crc_full ? '0 : crc_count_q + CrcBits'(1);
      if (retry_i) retry_count_q <= retry_full ? '0 : retry_count_q + RetryBits'(1);
    end
  end

  // Without an event and with nothing to take back, all rests.
  logic   happens;
  assign happens = uncor_i != '0 || cor_i != '0 || poison_i || crc_full || retry_full;

  // A status, its mask and its severity have their fields in one order.
  always_comb begin
    uncor_event = '0;
    cor_event   = '0;
    if (happens) begin
      uncor_event = ras_uncor_status_from(32'(uncor_i));
      if (poison_i && !poison_enabled) uncor_event.poison = 1'b1;
      uncor_event = uncor_event & ~uncor_mask_q;
      cor_event   = ras_cor_status_from(32'(cor_i));
      if (poison_i && poison_enabled) cor_event.mem_poison = 1'b1;
      if (crc_full) cor_event.crc_threshold = 1'b1;
      if (retry_full) cor_event.retry_threshold = 1'b1;
      cor_event = cor_event & ~cor_mask_q;
    end
  end

  function automatic logic bit_of(ras_uncor_status_t status, logic [5:0] n);
    return 1'(ras_uncor_status_word(status) >> n);
  endfunction

  // What a write leaves of the status
  logic release_first;

  always_comb begin
    uncor_kept    = uncor_status_q;
    cor_kept      = cor_status_q;
    release_first = 1'b0;
    if (write && word == RasUncorStatusOffset[6:2]) begin
      uncor_kept    = ras_uncor_status_written(uncor_status_q, reg_req_i.wdata);
      release_first = !bit_of(uncor_kept, control_q.first_error);
    end
    if (write && word == RasCorStatusOffset[6:2]) begin
      cor_kept = ras_cor_status_written(cor_status_q, reg_req_i.wdata);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uncor_status_q   <= RasUncorStatusAtReset;
      cor_status_q     <= RasCorStatusAtReset;
      uncor_mask_q     <= RasUncorMaskAtReset;
      uncor_severity_q <= RasUncorSeverityAtReset;
      cor_mask_q       <= RasCorMaskAtReset;
      cor_o            <= 1'b0;
      nonfatal_o       <= 1'b0;
      fatal_o          <= 1'b0;
    end else if (happens || write || cor_o || nonfatal_o || fatal_o) begin
      uncor_status_q <= uncor_kept | uncor_event;
      cor_status_q   <= cor_kept | cor_event;
      if (write) begin
        unique case (word)
          RasUncorMaskOffset[6:2]: begin
            uncor_mask_q <= ras_uncor_mask_written(uncor_mask_q, reg_req_i.wdata);
          end
          RasUncorSeverityOffset[6:2]: begin
            uncor_severity_q <= ras_uncor_severity_written(uncor_severity_q, reg_req_i.wdata);
          end
          RasCorMaskOffset[6:2]: cor_mask_q <= ras_cor_mask_written(cor_mask_q, reg_req_i.wdata);
          default: ;
        endcase
      end
      cor_o      <= (cor_event & ~cor_status_q) != '0;
      nonfatal_o <= (uncor_event & ~uncor_status_q & ~uncor_severity_q) != '0;
      fatal_o    <= (uncor_event & ~uncor_status_q & uncor_severity_q) != '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // First error
  // ---------------------------------------------------------------------------------------------
  logic        still_held;
  logic [31:0] events;
  logic [5:0]  lowest;
  assign still_held = held_q && !release_first;

  always_comb begin
    events = '0;
    lowest = '0;
    if (happens) begin
      events = ras_uncor_status_word(uncor_event);
      for (int unsigned i = 17; i > 0; i--) begin
        if (events[i-1]) lowest = 6'(i - 1);
      end
    end
  end

  // What is told of it.
  logic [511:0] log_d;

  always_comb begin
    log_d = '0;
    if (happens) begin
      unique case (lowest)
        6'(RasUncorStatusEncodingLsb): log_d = log_flit_i;
        6'(RasUncorStatusPoisonLsb):   log_d = 512'(log_header_i);
        6'(RasUncorStatusOverflowLsb): log_d = 512'(log_overflow_i);
        default: ;
      endcase
    end
  end

  if (LogWords < 16) begin : g_short
    logic unused_log;
    assign unused_log = ^log_d[511:32*LogWords];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q    <= 1'b0;
      control_q <= PoisonFixed ? RasControlDeviceAtReset : RasControlHostAtReset;
      log_q     <= '0;
    end else if (happens || write) begin
      held_q <= still_held || uncor_event != '0;
      if (write && word == RasControlOffset[6:2]) begin
        control_q <= ras_control_written(control_q, reg_req_i.wdata, PoisonFixed);
      end
      if (!still_held && uncor_event != '0) begin
        control_q.first_error <= lowest;
        log_q                 <= log_d[32*LogWords-1:0];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Reads
  // ---------------------------------------------------------------------------------------------
  logic [31:0] rdata_q, rdata_d;

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_d = ras_word('{
        uncor_status:   uncor_status_q,
        uncor_mask:     uncor_mask_q,
        uncor_severity: uncor_severity_q,
        cor_status:     cor_status_q,
        cor_mask:       cor_mask_q,
        control:        control_q,
        header_log:     512'(log_q)
      }, 10'(word));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end
  assign reg_rdata_o = rdata_q;

  // The caller found this block by the bits above; not every bit of a register exists.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr, reg_req_i.wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  SettingWins_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      uncor_event != '0 |=> (uncor_status_q & $past(uncor_event)) == $past(uncor_event))
    else $error("an error is lost to a clear of its bit in the same cycle");
  MaskedIsSilent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (uncor_event & uncor_mask_q) == '0 && (cor_event & cor_mask_q) == '0)
    else $error("a masked error counts");
  HeldIsSet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      held_q |-> bit_of(uncor_status_q, control_q.first_error))
    else $error("the first error is one whose status bit is clear");
  PoisonFixed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !PoisonFixed || poison_enabled)
    else $error("Poison_Enabled is 0 though it is hardwired to 1");
  KeepsTheFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      still_held |=> $stable(control_q.first_error) && $stable(log_q))
    else $error("the first error is overwritten by a later one");

endmodule
