// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// What software reaches in an endpoint over CXL.io: configuration space, and behind BAR0 the
// weights of the ARB/MUX, the RAS and link structures of its controller, the CXL device registers
// with their mailbox and, outside of this module, the HDM decoders and the vendor block. Errors of
// the controller are logged here; a fatal one makes the device viral, if software wants that.
//
// When the data link goes down, the device is reset as by a hot reset (PCI Express 5.0, 2.9.1): for
// a cycle dev_rst_n is low. What is sticky, ras and link_regs among it, knows rst_ni alone.
//
//   ARB/MUX -- io_link -- io_completer -- config_space
//                                      +- ras, link_regs      reg_req 1000h, 1080h
//                                      +- cxl_mailbox         1400h
//                                      +- reg_req_o           000h HDM decoders, 800h vendor block
//
// Source: docs/blocks/cxl_io/io_completer.md, cxl_io/config_space.md, controller/ras.md,
//         controller/link_regs.md, endpoint/cxl_mailbox.md,
//         endpoint/endpoint.md (reset by link down).

module endpoint_io
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
#(
  parameter int unsigned NdRxDepth = 32,           // Req that the controller can store, 2..127;
                                                   // link_regs reports it
  parameter int unsigned WdRxDepth = 32,           // RwD that the controller can store, 2..127;
                                                   // likewise
  parameter int unsigned LlrbDepth = 128,          // flits in the retry buffer of the controller,
                                                   // 22..255; likewise
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                   // numbers; the same at both ends
  parameter logic [35:0] MediaSize = 36'd128,      // size that is reported of the media, in 256
                                                   // MiB, 0..2^36-1
  parameter logic [63:0] SerialNumber = 64'd1,     // EUI-64 of the device, 0..2^64-1
  parameter bit          Infinite  = 1'b0          // 0 or 1: infinite credits on CXL.io
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic          dev_rst_no,  // rst_ni, and low for a cycle when the data link goes down;
                                     // free of glitches

  // ARB/MUX
  input  logic          io_link_up_i,    // level: the CXL.io link is up
  input  logic          cm_link_up_i,    // level: the CXL.mem link is up
  output logic          io_tx_valid_o,   // a flit of CXL.io is offered
  input  logic          io_tx_ready_i,   // the ARB/MUX takes it
  output logic [511:0]  io_tx_data_o,    // the flit
  input  logic          io_rx_valid_i,   // pulse: a flit of CXL.io came; cannot be stalled
  input  logic [511:0]  io_rx_data_i,    // the flit
  output logic          io_retrain_o,    // pulse: the data link requests Recovery
  output logic          weight_io_we_o,  // pulse: weight_o becomes the weight of CXL.io
  output logic          weight_cm_we_o,  // pulse: weight_o becomes the weight of CXL.cachemem
  output logic [3:0]    weight_o,        // weight to write, in flits; 0 counts as 1
  input  logic [3:0]    weight_io_i,     // weight of CXL.io as it is
  input  logic [3:0]    weight_cm_i,     // weight of CXL.cachemem as it is

  // Controller
  output link_control_t link_control_o,  // settings of the link layer
  input  link_status_t  link_status_i,   // its state, for software to read
  input  logic          abort_i,         // level: retry of the link gave up
  input  logic [7:0]    err_i,           // pulses: err_o of the controller, and bit 1 for a
                                         // reserved opcode
  input  flit_payload_t err_flit_i,      // payload of the flit; valid with err_i[4:1]
  input  logic [2:0]    err_overflow_i,  // queue that was full; valid with err_i[5]
  input  logic [2:0]    arb_err_i,       // pulses: errors of the ARB/MUX
  input  logic          rwd_poison_i,    // pulse: a RwD with Poison is taken
  input  m2s_rwd_t      rwd_i,           // its header
  input  logic          viral_i,         // pulse: the host says that it is viral
  output logic          viral_o,         // level: announce viral to the host

  // What DVSEC 0 says of CXL.mem
  output logic          mem_enable_o,   // level: Mem_Enable; 0: nothing is decoded
  output logic [35:0]   range1_base_o,  // address[63:28] of the base of range 1
  output logic [35:0]   range2_base_o,  // address[63:28] of the base of range 2

  // HDM decoders and vendor block
  output reg_req_t      reg_req_o,   // access to the HDM decoders (addr[11] = 0) or the vendor
                                     // block (addr[11] = 1)
  input  logic [31:0]   reg_rdata_i  // read data in the cycle after reg_req_o
);

  // What was trained outside: CXL 2.0, io, mem, sync-header bypass.
  localparam logic [23:0] TrainedCaps = 24'h00_0416;
  localparam logic        MediaReady = 1'b1;

  logic        io_dl_up;
  logic        tlp_tx_valid, tlp_tx_ready, tlp_rx_valid, tlp_rx_ready;
  tlp_t        tlp_tx, tlp_rx;
  logic [8:0]  io_err;
  logic [127:0] io_err_hdr, io_event_hdr;
  logic        io_event_posted;
  cfg_req_t    cfg_req;
  logic [31:0] cfg_rdata;
  logic        mem_space_en;
  logic [45:0] bar0;
  reg_req_t    reg_req;
  logic [31:0] reg_rdata;
  logic [3:0]  io_event;

  io_link #(
    .Infinite(Infinite)
  ) u_io_link (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .link_up_i     (io_link_up_i),
    .dl_up_o       (io_dl_up),
    .io_tx_valid_o (io_tx_valid_o),
    .io_tx_ready_i (io_tx_ready_i),
    .io_tx_data_o  (io_tx_data_o),
    .io_rx_valid_i (io_rx_valid_i),
    .io_rx_data_i  (io_rx_data_i),
    .tlp_tx_valid_i(tlp_tx_valid),
    .tlp_tx_ready_o(tlp_tx_ready),
    .tlp_tx_i      (tlp_tx),
    .tlp_rx_valid_o(tlp_rx_valid),
    .tlp_rx_ready_i(tlp_rx_ready),
    .tlp_rx_o      (tlp_rx),
    .err_o         (io_err),
    .err_hdr_o     (io_err_hdr)
  );

  // ---------------------------------------------------------------------------------------------
  // Reset by link down: keep_q is low for the cycle after dl_up_o fell. A flop of its own, so that
  // the reset has no glitches.
  // ---------------------------------------------------------------------------------------------
  logic dl_up_q, keep_q, dev_rst_n;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dl_up_q <= 1'b0;
      keep_q  <= 1'b1;
    end else begin
      dl_up_q <= io_dl_up;
      keep_q  <= io_dl_up || !dl_up_q;
    end
  end

  assign dev_rst_n  = rst_ni && keep_q;
  assign dev_rst_no = dev_rst_n;

  io_completer u_io_completer (
    .clk_i         (clk_i),
    .rst_ni        (dev_rst_n),
    .link_up_i     (io_dl_up),
    .tlp_rx_valid_i(tlp_rx_valid),
    .tlp_rx_ready_o(tlp_rx_ready),
    .tlp_rx_i      (tlp_rx),
    .tlp_tx_valid_o(tlp_tx_valid),
    .tlp_tx_ready_i(tlp_tx_ready),
    .tlp_tx_o      (tlp_tx),
    .cfg_req_o     (cfg_req),
    .cfg_rdata_i   (cfg_rdata),
    .mem_space_en_i(mem_space_en),
    .bar0_i        (bar0),
    .reg_req_o     (reg_req),
    .reg_rdata_i   (reg_rdata),
    .weight_io_we_o(weight_io_we_o),
    .weight_cm_we_o(weight_cm_we_o),
    .weight_o      (weight_o),
    .weight_io_i   (weight_io_i),
    .weight_cm_i   (weight_cm_i),
    .event_o       (io_event),
    .event_posted_o(io_event_posted),
    .event_hdr_o   (io_event_hdr)
  );

  logic ras_cor, ras_nonfatal, ras_fatal, viral_state;

  config_space #(
    .Range1Size(MediaSize),
    .SerialNumber(SerialNumber)
  ) u_config_space (
    .clk_i         (clk_i),
    .rst_ni        (dev_rst_n),
    .rst_sticky_ni (rst_ni),
    .cfg_req_i     (cfg_req),
    .cfg_rdata_o   (cfg_rdata),
    .mem_active_i  (MediaReady),
    .port_status_i ({4'b0111, cm_link_up_i, io_link_up_i, 1'b0}),
    .ts_data_i     (TrainedCaps),
    .id_error_i    (3'b000),
    .io_err_i      (io_err),
    .io_err_hdr_i  (io_err_hdr),
    .event_i       (io_event),
    .event_posted_i(io_event_posted),
    .event_hdr_i   (io_event_hdr),
    .ras_i         ({ras_fatal, ras_nonfatal, ras_cor}),
    .viral_peer_i  (viral_i),
    .viral_own_i   (ras_fatal),
    .mem_space_en_o(mem_space_en),
    .bar0_o        (bar0),
    .mem_enable_o  (mem_enable_o),
    .range1_base_o (range1_base_o),
    .range2_base_o (range2_base_o),
    .viral_o       (viral_o),
    .viral_state_o (viral_state)
  );

  assign io_retrain_o = io_err[4] || io_err[8];

  // That a retry took too long is no error of the RAS structure.
  logic unused_err;
  assign unused_err = err_i[7];

  // ---------------------------------------------------------------------------------------------
  // Registers behind BAR0
  // ---------------------------------------------------------------------------------------------
  reg_req_t    reg_req_ras, reg_req_link, reg_req_mailbox;
  logic [31:0] rdata_ras, rdata_link, rdata_mailbox;
  logic        here_q;                   // the read in flight is of a block in this module

  always_comb begin
    reg_req_o          = reg_req;
    reg_req_o.valid    = reg_req.valid && !reg_req.addr[12];
    reg_req_ras        = reg_req;
    reg_req_ras.valid  = reg_req.valid && reg_req.addr[12] && !reg_req.addr[10] && !reg_req.addr[7];
    reg_req_link       = reg_req;
    reg_req_link.valid = reg_req.valid && reg_req.addr[12] && !reg_req.addr[10] && reg_req.addr[7];
    reg_req_mailbox       = reg_req;
    reg_req_mailbox.valid = reg_req.valid && reg_req.addr[12] && reg_req.addr[10];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            here_q <= 1'b0;
    else if (reg_req.valid) here_q <= reg_req.addr[12];
  end

  // Of these blocks those that were not read say 0.
  assign reg_rdata = here_q ? rdata_ras | rdata_link | rdata_mailbox : reg_rdata_i;

  logic unused_shutdown;  // volatile media: nothing to keep it for

  cxl_mailbox #(
    .Capacity(MediaSize)
  ) u_mailbox (
    .clk_i           (clk_i),
    .rst_ni          (dev_rst_n),
    .reg_req_i       (reg_req_mailbox),
    .reg_rdata_o     (rdata_mailbox),
    .media_ready_i   (MediaReady),
    .viral_i         (viral_state),
    .shutdown_dirty_o(unused_shutdown)
  );

  ras #(
    .PoisonFixed(1'b1)
  ) u_ras (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .reg_req_i  (reg_req_ras),
    .reg_rdata_o(rdata_ras),
    .uncor_i    (17'(abort_i) << RasUncorStatusReinitThresholdLsb
                 | 17'(err_i[4:1] != '0) << RasUncorStatusEncodingLsb
                 | 17'(err_i[5]) << RasUncorStatusOverflowLsb),
    .log_flit_i    (err_flit_i),
    .log_header_i  (rwd_poison_i ? 128'(rwd_i) : '0),
    .log_overflow_i(err_overflow_i),
    .cor_i      (7'(arb_err_i != '0) << RasCorStatusPhyLsb),
    .poison_i   (rwd_poison_i),
    .crc_i      (err_i[0]),
    .retry_i    (err_i[6]),
    .cor_o      (ras_cor),
    .nonfatal_o (ras_nonfatal),
    .fatal_o    (ras_fatal)
  );

  link_regs #(
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth)
  ) u_link_regs (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .reg_req_i     (reg_req_link),
    .reg_rdata_o   (rdata_link),
    .link_up_i     (cm_link_up_i),
    .link_status_i (link_status_i),
    .link_control_o(link_control_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneCycle_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !dev_rst_n |=> dev_rst_n)
      else $error("a reset by link down lasts longer than a cycle");
  DownResets_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      dl_up_q && !io_dl_up |=> !dev_rst_n)
      else $error("the data link went down without a reset");
  OnlyDownResets_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !dev_rst_n |-> $past(dl_up_q && !io_dl_up))
      else $error("a reset although the data link did not go down");

endmodule
