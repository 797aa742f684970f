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
  import cxl_reg_types_pkg::*;
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

  // ---------------------------------------------------------------------------------------------
  // Errors of this cycle
  // ---------------------------------------------------------------------------------------------
  aer_uncor_status_t   uncor_q, uncor, advisory, uncor_set, loggable, reported;
  aer_uncor_mask_t     uncor_mask_q;
  aer_uncor_severity_t severity_q;
  aer_cor_status_t     cor_q, cor;
  aer_cor_mask_t       cor_mask_q;
  aer_control_t        control_q;
  logic                held_q, log_here;
  logic [4:0]          first;
  logic [127:0]        log_q, log_d;   // as it came: byte n in 8n+7:8n

  // A status, its mask and its severity have their fields in one order.
  always_comb begin
    uncor = '{
      dllp:        io_err_i[5],
      poison:      event_i[2],
      abort:       event_i[1],
      completion:  event_i[3],
      overflow:    io_err_i[7],
      malformed:   io_err_i[6],
      // Of two errors of one TLP one is reported.
      unsupported: event_i[0] && !event_i[2],
      internal:    ras_i[1] || ras_i[2]
    };
    advisory = '{
      poison:      !event_posted_i,
      abort:       !event_posted_i,
      unsupported: !event_posted_i,
      completion:  1'b1,
      default:     1'b0
    };
    advisory = advisory & uncor & ~severity_q;
    cor = '{
      receiver:     io_err_i[8],
      bad_tlp:      io_err_i[0],
      bad_dllp:     io_err_i[1],
      rollover:     io_err_i[4],
      replay_timer: io_err_i[3],
      advisory:     advisory != '0,
      internal:     ras_i[0]
    };
    uncor_set = uncor;
    if (cor_mask_q.advisory) uncor_set = uncor & ~advisory;
    loggable = uncor_set & ~uncor_mask_q;
  end

  // A replay for a Nak is an error of the other end.
  logic unused_nak;
  assign unused_nak = io_err_i[2];

  // Whether an internal error is fatal the RAS structure says.
  always_comb begin
    reported          = uncor & ~advisory;
    reported.internal = 1'b0;
    found_o           = {uncor.unsupported, ras_i[2] || (reported & severity_q) != '0,
                         ras_i[1] || (reported & ~severity_q) != '0, cor != '0};
  end

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  aer_uncor_status_t uncor_kept;     // what a write leaves of the status
  aer_cor_status_t   cor_kept;
  logic [31:0]       loggable_bits;
  logic              release_first;

  function automatic logic bit_of(aer_uncor_status_t status, logic [4:0] n);
    return 1'(aer_uncor_status_word(status) >> n);
  endfunction

  always_comb begin
    uncor_kept    = uncor_q;
    cor_kept      = cor_q;
    release_first = 1'b0;
    if (write_i && word_i == 4'(AerUncorStatusOffset >> 2)) begin
      uncor_kept    = aer_uncor_status_written(uncor_q, clear_i, '1);
      release_first = !bit_of(uncor_kept, control_q.first_error);
    end
    if (write_i && word_i == 4'(AerCorStatusOffset >> 2)) begin
      cor_kept = aer_cor_status_written(cor_q, clear_i, '1);
    end
  end

  assign log_here = loggable != '0 && (!held_q || release_first);

  always_comb begin
    first         = '0;
    loggable_bits = '0;
    if (loggable != '0) begin
      loggable_bits = aer_uncor_status_word(loggable);
      for (int i = 31; i >= 0; i--) begin
        if (loggable_bits[i]) first = 5'(i);
      end
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
      uncor_q      <= AerUncorStatusAtReset;
      uncor_mask_q <= AerUncorMaskAtReset;
      severity_q   <= AerUncorSeverityAtReset;
      cor_q        <= AerCorStatusAtReset;
      cor_mask_q   <= AerCorMaskAtReset;
      control_q    <= AerControlAtReset;
      held_q       <= 1'b0;
      log_q        <= '0;
    end else begin
      uncor_q <= uncor_kept | uncor_set;
      cor_q   <= cor_kept | cor;
      held_q  <= log_here || (held_q && !release_first);
      if (log_here) begin
        control_q.first_error <= first;
        log_q                 <= log_d;
      end
      if (write_i) begin
        unique case (word_i)
          4'(AerUncorMaskOffset >> 2): begin
            uncor_mask_q <= aer_uncor_mask_written(uncor_mask_q, wdata_i, '1);
          end
          4'(AerUncorSeverityOffset >> 2): begin
            severity_q <= aer_uncor_severity_written(severity_q, wdata_i, '1);
          end
          4'(AerCorMaskOffset >> 2): cor_mask_q <= aer_cor_mask_written(cor_mask_q, wdata_i, '1);
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

  // The capability's header, word 0, is config_space's.
  always_comb begin
    rdata_o = '0;
    if (word_i != '0) begin
      rdata_o = aer_word('{
        cap_header:     '0,
        uncor_status:   uncor_q,
        uncor_mask:     uncor_mask_q,
        uncor_severity: severity_q,
        cor_status:     cor_q,
        cor_mask:       cor_mask_q,
        control:        control_q,
        header_log:     {header_word(log_q, 2'd3), header_word(log_q, 2'd2),
                         header_word(log_q, 2'd1), header_word(log_q, 2'd0)}
      }, 10'(word_i));
    end
  end


  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  UncorStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (uncor_kept | uncor_set) != '0 |=> uncor_q != '0)
      else $error("an uncorrectable error was lost without software clearing it");
  FirstStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (held_q && !release_first) |=> held_q && $stable({control_q.first_error, log_q}))
      else $error("first error or header log changed before software cleared the status");
  HeldStands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      held_q |-> bit_of(uncor_q, control_q.first_error))
      else $error("the status of the first error is clear");

endmodule
