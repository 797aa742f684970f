// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Advanced Error Reporting of a function that sends no error messages: which errors it has seen,
// of the first uncorrectable one the header, and what Device Status is to say of them.
//
// An advisory error is uncorrectable for its requester, which its completion informs, not here.
// Status takes what is masked too; the first error and the header log do not.
//
// Source:  PCI Express Base 5.0, chapters 6.2 and 7.8.4; CXL 2.0, 12.2; docs/blocks/cxl_io/aer.md;
//          regs/aer.yaml.
// Latency: status the cycle after the error; register data comb.

module aer
  import cxl_reg_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,          // the sticky reset: a hot reset leaves all of this as it is

  // Register access: the registers behind the capability's header
  input  logic         write_i,         // the register at word_i is written in this cycle
  input  logic [3:0]   word_i,          // offset / 4 in the capability, 1..10; others read 0
  input  logic [31:0]  wdata_i,         // with write_i: the register as it is to be
  input  logic [31:0]  clear_i,         // with write_i: ones written, which clear a status
  output logic [31:0]  rdata_o,         // the register at word_i, in the same cycle

  // Pulses, as io_link and io_completer give them
  input  logic [8:0]   io_err_i,        // err_o of io_link, which says what each is
  input  logic [127:0] io_err_hdr_i,    // with io_err_i[6]: header of the malformed TLP, byte n in
                                        // bits 8n+7:8n
  input  logic [3:0]   event_i,         // 0 unsupported request, 1 completer abort, 2 poison,
                                        // 3 unexpected completion
  input  logic         event_posted_i,  // with event_i: its TLP gets no completion
  input  logic [127:0] event_hdr_i,     // with event_i: header of its TLP, byte n in bits 8n+7:8n
  input  logic [2:0]   ras_i,           // of the RAS structure: 0 correctable, 1 non-fatal, 2 fatal

  output logic [3:0]   found_o          // errors of this cycle, for Device Status, whatever the
                                        // masks: 0 correctable, 1 non-fatal, 2 fatal, 3 unsupported
                                        // request
);

  typedef logic [31:0] bits_t;
  localparam bits_t UncorBits = AerUncorStatusDllpMask | AerUncorStatusPoisonMask
                                | AerUncorStatusAbortMask | AerUncorStatusCompletionMask
                                | AerUncorStatusOverflowMask | AerUncorStatusMalformedMask
                                | AerUncorStatusUnsupportedMask | AerUncorStatusInternalMask;
  localparam bits_t CorBits   = AerCorStatusReceiverMask | AerCorStatusBadTlpMask
                                | AerCorStatusBadDllpMask | AerCorStatusRolloverMask
                                | AerCorStatusReplayTimerMask | AerCorStatusAdvisoryMask
                                | AerCorStatusInternalMask;

  // ---------------------------------------------------------------------------------------------
  // Errors of this cycle
  // ---------------------------------------------------------------------------------------------
  bits_t        uncor_q, uncor_mask_q, severity_q, cor_q, cor_mask_q;
  bits_t        uncor, cor, advisory, uncor_set, loggable;
  logic         held_q, log_here;
  logic [4:0]   first_q, first;
  logic [127:0] log_q, log_d;          // as it came: byte n in 8n+7:8n

  always_comb begin
    uncor                                = '0;
    uncor[AerUncorStatusDllpLsb]         = io_err_i[5];
    uncor[AerUncorStatusPoisonLsb]       = event_i[2];
    uncor[AerUncorStatusAbortLsb]        = event_i[1];
    uncor[AerUncorStatusCompletionLsb]   = event_i[3];
    uncor[AerUncorStatusOverflowLsb]     = io_err_i[7];
    uncor[AerUncorStatusMalformedLsb]    = io_err_i[6];
    // Of two errors of one TLP one is reported.
    uncor[AerUncorStatusUnsupportedLsb]  = event_i[0] && !event_i[2];
    uncor[AerUncorStatusInternalLsb]     = ras_i[1] || ras_i[2];

    advisory                               = '0;
    advisory[AerUncorStatusPoisonLsb]      = !event_posted_i;
    advisory[AerUncorStatusAbortLsb]       = !event_posted_i;
    advisory[AerUncorStatusUnsupportedLsb] = !event_posted_i;
    advisory[AerUncorStatusCompletionLsb]  = 1'b1;
    advisory                               = advisory & uncor & ~severity_q;

    cor                               = '0;
    cor[AerCorStatusReceiverLsb]      = io_err_i[8];
    cor[AerCorStatusBadTlpLsb]        = io_err_i[0];
    cor[AerCorStatusBadDllpLsb]       = io_err_i[1];
    cor[AerCorStatusRolloverLsb]      = io_err_i[4];
    cor[AerCorStatusReplayTimerLsb]   = io_err_i[3];
    cor[AerCorStatusAdvisoryLsb]      = advisory != '0;
    cor[AerCorStatusInternalLsb]      = ras_i[0];

    uncor_set = uncor;
    if (cor_mask_q[AerCorStatusAdvisoryLsb]) uncor_set = uncor & ~advisory;
    loggable  = uncor_set & ~uncor_mask_q;
  end

  // A replay for a Nak is an error of the other end.
  logic unused_nak;
  assign unused_nak = io_err_i[2];

  // Whether an internal error is fatal the RAS structure says.
  always_comb begin
    found_o    = '0;
    found_o[0] = cor != '0;
    found_o[1] = ras_i[1] || (uncor & ~advisory & ~severity_q & ~AerUncorStatusInternalMask) != '0;
    found_o[2] = ras_i[2] || (uncor & severity_q & ~AerUncorStatusInternalMask) != '0;
    found_o[3] = uncor[AerUncorStatusUnsupportedLsb];
  end

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  logic  wr_uncor, wr_cor;
  bits_t uncor_clear, cor_clear;
  logic  release_first;

  assign wr_uncor      = write_i && word_i == 4'(AerUncorStatusOffset >> 2);
  assign wr_cor        = write_i && word_i == 4'(AerCorStatusOffset >> 2);
  assign uncor_clear   = wr_uncor ? clear_i : '0;
  assign cor_clear     = wr_cor ? clear_i : '0;
  assign release_first = uncor_clear[first_q];
  assign log_here      = loggable != '0 && (!held_q || release_first);

  always_comb begin
    first = '0;
    for (int i = 31; i >= 0; i--) begin
      if (loggable[i]) first = 5'(i);
    end
    unique case (first)
      5'(AerUncorStatusMalformedLsb): log_d = io_err_hdr_i;
      5'(AerUncorStatusPoisonLsb), 5'(AerUncorStatusAbortLsb), 5'(AerUncorStatusCompletionLsb),
      5'(AerUncorStatusUnsupportedLsb): log_d = event_hdr_i;
      default: log_d = '0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      uncor_q      <= '0;
      uncor_mask_q <= AerUncorMaskReset;
      severity_q   <= AerUncorSeverityReset;
      cor_q        <= '0;
      cor_mask_q   <= AerCorMaskReset;
      held_q       <= 1'b0;
      first_q      <= '0;
      log_q        <= '0;
    end else begin
      uncor_q <= (uncor_q & ~uncor_clear) | uncor_set;
      cor_q   <= (cor_q & ~cor_clear) | cor;
      held_q  <= log_here || (held_q && !release_first);
      if (log_here) begin
        first_q <= first;
        log_q   <= log_d;
      end
      if (write_i) begin
        unique case (word_i)
          4'(AerUncorMaskOffset >> 2):     uncor_mask_q <= wdata_i & UncorBits;
          4'(AerUncorSeverityOffset >> 2): severity_q   <= wdata_i & UncorBits;
          4'(AerCorMaskOffset >> 2):       cor_mask_q   <= wdata_i & CorBits;
          default: ;
        endcase
      end
    end
  end

  // The header log shows byte 0 of a word first, that is highest.
  function automatic logic [31:0] header_word(logic [127:0] header, logic [1:0] n);
    logic [31:0] word;
    word = header[32*n +: 32];
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  always_comb begin
    unique case (word_i)
      4'(AerUncorStatusOffset >> 2):       rdata_o = uncor_q;
      4'(AerUncorMaskOffset >> 2):         rdata_o = uncor_mask_q;
      4'(AerUncorSeverityOffset >> 2):     rdata_o = severity_q;
      4'(AerCorStatusOffset >> 2):         rdata_o = cor_q;
      4'(AerCorMaskOffset >> 2):           rdata_o = cor_mask_q;
      4'(AerControlOffset >> 2):           rdata_o = {27'd0, first_q};
      4'(AerHeaderLogOffset >> 2):         rdata_o = header_word(log_q, 2'd0);
      4'(AerHeaderLogOffset >> 2) + 4'd1:  rdata_o = header_word(log_q, 2'd1);
      4'(AerHeaderLogOffset >> 2) + 4'd2:  rdata_o = header_word(log_q, 2'd2);
      4'(AerHeaderLogOffset >> 2) + 4'd3:  rdata_o = header_word(log_q, 2'd3);
      default:                             rdata_o = '0;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  UncorBits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((uncor_q | uncor_mask_q | severity_q) & ~UncorBits) == '0)
      else $error("a register of uncorrectable errors has a bit that the capability lacks");
  CorBits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((cor_q | cor_mask_q) & ~CorBits) == '0)
      else $error("a register of correctable errors has a bit that the capability lacks");
  UncorStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((uncor_q & ~uncor_clear) | uncor_set) != '0 |=> uncor_q != '0)
      else $error("an uncorrectable error was lost without software clearing it");
  FirstStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (held_q && !release_first) |=> held_q && $stable({first_q, log_q}))
      else $error("first error or header log changed before software cleared the status");
  HeldStands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      held_q |-> uncor_q[first_q])
      else $error("the status of the first error is clear");

endmodule
