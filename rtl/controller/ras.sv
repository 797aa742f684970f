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

  typedef logic [16:0] uncor_t;
  typedef logic [6:0]  cor_t;
  localparam uncor_t UncorBits = uncor_t'(RasUncorMaskReset);  // the bits that exist
  localparam cor_t   CorBits   = cor_t'(RasCorMaskReset);

  if (CrcThreshold < 1 || RetryThreshold < 1 || LogWords < 1 || LogWords > 16) begin : g_bad
    $error("ras: thresholds of at least 1, LogWords 1..16");
  end

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  uncor_t                 uncor_status_q, uncor_mask_q, uncor_severity_q;
  cor_t                   cor_status_q, cor_mask_q;
  logic                   poison_enabled_q, held_q;
  logic [4:0]             first_q;
  logic [32*LogWords-1:0] log_q;

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

  uncor_t uncor_event, uncor_clear;
  cor_t   cor_event, cor_clear;

  always_comb begin
    uncor_event = '0;
    cor_event   = '0;
    if (happens) begin
      uncor_event = uncor_i;
      if (poison_i && !poison_enabled_q) uncor_event[RasUncorStatusPoisonLsb] = 1'b1;
      uncor_event &= UncorBits & ~uncor_mask_q;
      cor_event = cor_i;
      if (poison_i && poison_enabled_q) cor_event[RasCorStatusMemPoisonLsb] = 1'b1;
      if (crc_full) cor_event[RasCorStatusCrcThresholdLsb] = 1'b1;
      if (retry_full) cor_event[RasCorStatusRetryThresholdLsb] = 1'b1;
      cor_event &= ~cor_mask_q;
    end
  end

  assign uncor_clear = (write && word == RasUncorStatusOffset[6:2]) ? uncor_t'(reg_req_i.wdata)
                                                                    : '0;
  assign cor_clear   = (write && word == RasCorStatusOffset[6:2]) ? cor_t'(reg_req_i.wdata) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uncor_status_q   <= '0;
      cor_status_q     <= '0;
      uncor_mask_q     <= UncorBits;
      uncor_severity_q <= UncorBits;
      cor_mask_q       <= CorBits;
      poison_enabled_q <= RasControlPoisonEnabledReset;
      cor_o            <= 1'b0;
      nonfatal_o       <= 1'b0;
      fatal_o          <= 1'b0;
    end else if (happens || write || cor_o || nonfatal_o || fatal_o) begin
      uncor_status_q <= (uncor_status_q & ~uncor_clear) | uncor_event;
      cor_status_q   <= (cor_status_q & ~cor_clear) | cor_event;
      if (write) begin
        unique case (word)
          RasUncorMaskOffset[6:2]:     uncor_mask_q <= uncor_t'(reg_req_i.wdata) & UncorBits;
          RasUncorSeverityOffset[6:2]: uncor_severity_q <= uncor_t'(reg_req_i.wdata) & UncorBits;
          RasCorMaskOffset[6:2]:       cor_mask_q <= cor_t'(reg_req_i.wdata);
          RasControlOffset[6:2]: begin
            poison_enabled_q <= PoisonFixed || reg_req_i.wdata[RasControlPoisonEnabledLsb];
          end
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
  logic       still_held;
  logic [4:0] lowest;
  assign still_held = held_q && !uncor_clear[first_q];

  always_comb begin
    lowest = '0;
    if (happens) begin
      for (int unsigned i = 17; i > 0; i--) begin
        if (uncor_event[i-1]) lowest = 5'(i - 1);
      end
    end
  end

  // What is told of it.
  logic [511:0] log_d;

  always_comb begin
    log_d = '0;
    if (happens) begin
      unique case (lowest)
        5'(RasUncorStatusEncodingLsb): log_d = log_flit_i;
        5'(RasUncorStatusPoisonLsb):   log_d = 512'(log_header_i);
        5'(RasUncorStatusOverflowLsb): log_d = 512'(log_overflow_i);
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
      held_q  <= 1'b0;
      first_q <= '0;
      log_q   <= '0;
    end else if (happens || write) begin
      held_q <= still_held || uncor_event != '0;
      if (!still_held && uncor_event != '0) begin
        first_q <= lowest;
        log_q   <= log_d[32*LogWords-1:0];
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
      unique case (word)
        RasUncorStatusOffset[6:2]:   rdata_d = 32'(uncor_status_q);
        RasUncorMaskOffset[6:2]:     rdata_d = 32'(uncor_mask_q);
        RasUncorSeverityOffset[6:2]: rdata_d = 32'(uncor_severity_q);
        RasCorStatusOffset[6:2]:     rdata_d = 32'(cor_status_q);
        RasCorMaskOffset[6:2]:       rdata_d = 32'(cor_mask_q);
        RasControlOffset[6:2]: begin
          rdata_d[RasControlFirstErrorLsb +: RasControlFirstErrorWidth] = 6'(first_q);
          rdata_d[RasControlPoisonEnabledLsb]                          = poison_enabled_q;
        end
        default: begin
          for (int unsigned i = 0; i < LogWords; i++) begin
            if (word == 5'(32'(RasHeaderLogOffset[6:2]) + i)) rdata_d = log_q[32*i +: 32];
          end
        end
      endcase
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
  Exists_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((uncor_status_q | uncor_mask_q | uncor_severity_q) & ~UncorBits) == '0)
    else $error("a bit is set that the register does not have");
  SettingWins_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      uncor_event != '0 |=> (uncor_status_q & $past(uncor_event)) == $past(uncor_event))
    else $error("an error is lost to a clear of its bit in the same cycle");
  MaskedIsSilent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (uncor_event & uncor_mask_q) == '0 && (cor_event & cor_mask_q) == '0)
    else $error("a masked error counts");
  HeldIsSet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      held_q |-> uncor_status_q[first_q])
    else $error("the first error is one whose status bit is clear");
  PoisonFixed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !PoisonFixed || poison_enabled_q)
    else $error("Poison_Enabled is 0 though it is hardwired to 1");
  KeepsTheFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      still_held |=> $stable(first_q) && $stable(log_q))
    else $error("the first error is overwritten by a later one");

endmodule
