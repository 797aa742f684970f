// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// aer: which status bit each error sets, and that software alone takes it back. One watched bit, any, of each
// status register; the errors' places are written out here again (PCI Express Base 5.0, 7.8.4).
//
//   Kept_A, CorKept_A  a bit that is set stays until a one is written to it
//   Set_A, CorSet_A    an error sets its bit, also in the cycle of such a write
//   Only_A, CorOnly_A  no bit is set without its error
//   First_A            the first error that is not masked is the one that the pointer names, with its header
//   Held_A             pointer and header log stay until a one is written to the bit they are of
//   Masked_A           an error that is masked is not the first
//   Read_A, CorRead_A  what a read shows of the watched bits

module aer_fv
  import cxl_reg_types_pkg::*;
(
  input logic         clk_i,
  input logic         rst_ni,
  input logic         write_i,
  input logic [3:0]   word_i,
  input logic [31:0]  wdata_i,
  input logic [31:0]  clear_i,
  input logic [8:0]   io_err_i,
  input logic [127:0] io_err_hdr_i,
  input logic [3:0]   event_i,
  input logic         event_posted_i,
  input logic [127:0] event_hdr_i,
  input logic [2:0]   ras_i,
  input logic [4:0]   bit_i           // watched: that of the first cycle
);

  logic [31:0] rdata;
  aer u_aer (
    .clk_i, .rst_ni, .write_i, .word_i, .wdata_i, .clear_i, .rdata_o(rdata), .io_err_i(io_err_i), .io_err_hdr_i,
    .event_i, .event_posted_i, .event_hdr_i, .ras_i, .found_o());

  logic       begun_q;
  logic [4:0] watch, watch_q;
  assign watch = begun_q ? watch_q : bit_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begun_q <= 1'b0;
    else         begun_q <= 1'b1;
  end
  always_ff @(posedge clk_i) watch_q <= watch;

  // Registers of the block as words: a bit there has its number.
  logic [31:0] uncor_is, cor_is, severity, cor_mask, uncor_mask;
  assign uncor_is   = aer_uncor_status_word(u_aer.uncor_q);
  assign uncor_mask = aer_uncor_mask_word(u_aer.uncor_mask_q);
  assign severity   = aer_uncor_severity_word(u_aer.severity_q);
  assign cor_is     = aer_cor_status_word(u_aer.cor_q);
  assign cor_mask   = aer_cor_mask_word(u_aer.cor_mask_q);

  // The errors of this cycle, by bit; lenient: one that is the requester's to report, so that the mask of advisory
  // errors keeps it out.
  logic [31:0] uncor, lenient, cor;
  logic        here, kept_out, cor_here, clears, cor_clears;
  logic [8:0]  taken;
  assign taken = 9'(u_aer.io_err_i);
  always_comb begin
    uncor     = '0;
    uncor[4]  = io_err_i[5];                   // data link protocol
    uncor[12] = event_i[2];                    // poison
    uncor[15] = event_i[1];                    // completer abort
    uncor[16] = event_i[3];                    // unexpected completion
    uncor[17] = io_err_i[7];                   // receiver overflow
    uncor[18] = io_err_i[6];                   // malformed
    uncor[20] = event_i[0] && !event_i[2];     // unsupported request
    uncor[22] = ras_i[2:1] != 2'b00;           // internal
    lenient   = uncor & ~severity & {15'd0, 1'b1, 16'd0};
    if (!event_posted_i) lenient = uncor & ~severity & 32'h0011_9000;
    cor       = '0;
    cor[0]    = taken[8];                      // receiver error, where the port has one
    cor[6]    = io_err_i[0];                   // bad TLP
    cor[7]    = io_err_i[1];                   // bad DLLP
    cor[8]    = io_err_i[4];                   // replay number rollover
    cor[12]   = io_err_i[3];                   // replay timer
    cor[13]   = lenient != '0;                    // advisory
    cor[14]   = ras_i[0];                      // corrected internal
  end
  assign kept_out   = lenient[watch] && cor_mask[13];
  assign here       = uncor[watch] && !kept_out;
  assign cor_here   = cor[watch];
  assign clears     = write_i && word_i == 4'd1 && clear_i[watch];
  assign cor_clears = write_i && word_i == 4'd4 && clear_i[watch];

  Kept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (uncor_is[watch] && !clears) |=> uncor_is[watch]);
  Set_A: assert property (@(posedge clk_i) disable iff (!rst_ni) here |=> uncor_is[watch]);
  Only_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!here && (!uncor_is[watch] || clears)) |=> !uncor_is[watch]);
  CorKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cor_is[watch] && !cor_clears) |=> cor_is[watch]);
  CorSet_A: assert property (@(posedge clk_i) disable iff (!rst_ni) cor_here |=> cor_is[watch]);
  CorOnly_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!cor_here && (!cor_is[watch] || cor_clears)) |=> !cor_is[watch]);

  // The first error: the watched one, alone, with nothing held or what is held being cleared
  logic         open, alone, from_event;
  logic [4:0]   first;
  logic [127:0] log;
  assign first      = u_aer.control_q.first_error;
  assign log        = u_aer.log_q;
  assign open       = !u_aer.held_q || (write_i && word_i == 4'd1 && clear_i[u_aer.control_q.first_error]);
  assign alone      = here && !uncor_mask[watch] && uncor == (32'd1 << watch);
  assign from_event = watch inside {5'd12, 5'd15, 5'd16, 5'd20};
  First_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (open && alone) |=> u_aer.held_q && u_aer.control_q.first_error == $past(watch)
      && u_aer.log_q == ($past(watch == 5'd18) ? $past(io_err_hdr_i) : $past(from_event) ? $past(event_hdr_i) : '0));
  Held_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !open |=> u_aer.held_q && $stable(first) && $stable(log));
  // Masked, it is in the status alone.
  Masked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!u_aer.held_q && (uncor & ~uncor_mask) == '0) |=> !u_aer.held_q);
  Read_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      word_i == 4'd1 |-> rdata[watch] == uncor_is[watch]);
  CorRead_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      word_i == 4'd4 |-> rdata[watch] == cor_is[watch]);

endmodule
