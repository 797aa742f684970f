// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Both ends of CXL.io, the wire between them left open: requester and data link of the root port
// (rp), data link, completer and registers of the endpoint (ep). Timers are short for the test.

module io_pair_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
#(
  parameter int unsigned ReplayTimeout = 300,
  parameter int unsigned FcRefresh     = 2000,
  parameter int unsigned CplTimeout    = 20000
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,
  input  logic         mem_active_i,
  // Requests
  input  logic         req_valid_i,
  output logic         req_ready_o,
  input  logic [102:0] req_i,
  output logic         rsp_valid_o,
  input  logic         rsp_ready_i,
  output logic [34:0]  rsp_o,
  output logic         unexpected_o,
  // The wire, each end's own side of it
  output logic         rp_tx_valid_o,
  input  logic         rp_tx_ready_i,
  output logic [511:0] rp_tx_data_o,
  input  logic         rp_rx_valid_i,
  input  logic [511:0] rp_rx_data_i,
  output logic         ep_tx_valid_o,
  input  logic         ep_tx_ready_i,
  output logic [511:0] ep_tx_data_o,
  input  logic         ep_rx_valid_i,
  input  logic [511:0] ep_rx_data_i,
  // State and events
  output logic         rp_dl_up_o,
  output logic         ep_dl_up_o,
  output logic [8:0]   rp_err_o,
  output logic [8:0]   ep_err_o,
  output logic [3:0]   event_o,
  output logic         mem_enable_o,
  // Decode port of the endpoint
  input  line_addr_t   hpa_line_i,
  output logic         hit_o,
  output line_addr_t   dpa_line_o
);

  // Root port
  logic rp_tlp_tx_valid, rp_tlp_tx_ready, rp_tlp_rx_valid, rp_tlp_rx_ready;
  tlp_t rp_tlp_tx, rp_tlp_rx;

  io_requester #(
    .RequesterId(16'h0008),  // 00:01.0
    .CplTimeout (CplTimeout)
  ) u_requester (
    .clk_i,
    .rst_ni,
    .link_up_i     (rp_dl_up_o),
    .req_valid_i,
    .req_ready_o,
    .req_i         (req_i),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o         (rsp_o),
    .tlp_tx_valid_o(rp_tlp_tx_valid),
    .tlp_tx_ready_i(rp_tlp_tx_ready),
    .tlp_tx_o      (rp_tlp_tx),
    .tlp_rx_valid_i(rp_tlp_rx_valid),
    .tlp_rx_ready_o(rp_tlp_rx_ready),
    .tlp_rx_i      (rp_tlp_rx),
    .unexpected_o
  );

  /* verilator lint_off PINCONNECTEMPTY */
  io_link #(
    .ReplayTimeout(ReplayTimeout),
    .FcRefresh    (FcRefresh)
  ) u_rp_link (
    .clk_i,
    .rst_ni,
    .link_up_i,
    .dl_up_o       (rp_dl_up_o),
    .io_tx_valid_o (rp_tx_valid_o),
    .io_tx_ready_i (rp_tx_ready_i),
    .io_tx_data_o  (rp_tx_data_o),
    .io_rx_valid_i (rp_rx_valid_i),
    .io_rx_data_i  (rp_rx_data_i),
    .tlp_tx_valid_i(rp_tlp_tx_valid),
    .tlp_tx_ready_o(rp_tlp_tx_ready),
    .tlp_tx_i      (rp_tlp_tx),
    .tlp_rx_valid_o(rp_tlp_rx_valid),
    .tlp_rx_ready_i(rp_tlp_rx_ready),
    .tlp_rx_o      (rp_tlp_rx),
    .err_o         (rp_err_o),
    .err_hdr_o     ()
  );

  // Endpoint
  logic [127:0] ep_err_hdr, event_hdr;
  logic        event_posted;
  logic        ep_tlp_tx_valid, ep_tlp_tx_ready, ep_tlp_rx_valid, ep_tlp_rx_ready;
  tlp_t        ep_tlp_tx, ep_tlp_rx;
  cfg_req_t    cfg_req;
  reg_req_t    reg_req, hdm_req, vendor_req, mailbox_req;
  logic [31:0] cfg_rdata, reg_rdata, hdm_rdata, vendor_rdata, mailbox_rdata;
  logic        mem_space_en, weight_io_we, weight_cm_we;
  logic [45:0] bar0;
  logic [35:0] range1_base, range2_base;
  logic [3:0]  weight, weight_io_q, weight_cm_q;

  io_link #(
    .ReplayTimeout(ReplayTimeout),
    .FcRefresh    (FcRefresh)
  ) u_ep_link (
    .clk_i,
    .rst_ni,
    .link_up_i,
    .dl_up_o       (ep_dl_up_o),
    .io_tx_valid_o (ep_tx_valid_o),
    .io_tx_ready_i (ep_tx_ready_i),
    .io_tx_data_o  (ep_tx_data_o),
    .io_rx_valid_i (ep_rx_valid_i),
    .io_rx_data_i  (ep_rx_data_i),
    .tlp_tx_valid_i(ep_tlp_tx_valid),
    .tlp_tx_ready_o(ep_tlp_tx_ready),
    .tlp_tx_i      (ep_tlp_tx),
    .tlp_rx_valid_o(ep_tlp_rx_valid),
    .tlp_rx_ready_i(ep_tlp_rx_ready),
    .tlp_rx_o      (ep_tlp_rx),
    .err_o         (ep_err_o),
    .err_hdr_o     (ep_err_hdr)
  );

  io_completer u_completer (
    .clk_i,
    .rst_ni,
    .link_up_i     (ep_dl_up_o),
    .tlp_rx_valid_i(ep_tlp_rx_valid),
    .tlp_rx_ready_o(ep_tlp_rx_ready),
    .tlp_rx_i      (ep_tlp_rx),
    .tlp_tx_valid_o(ep_tlp_tx_valid),
    .tlp_tx_ready_i(ep_tlp_tx_ready),
    .tlp_tx_o      (ep_tlp_tx),
    .cfg_req_o     (cfg_req),
    .cfg_rdata_i   (cfg_rdata),
    .mem_space_en_i(mem_space_en),
    .bar0_i        (bar0),
    .reg_req_o     (reg_req),
    .reg_rdata_i   (reg_rdata),
    .weight_io_we_o(weight_io_we),
    .weight_cm_we_o(weight_cm_we),
    .weight_o      (weight),
    .weight_io_i   (weight_io_q),
    .weight_cm_i   (weight_cm_q),
    .event_o,
    .event_posted_o(event_posted),
    .event_hdr_o   (event_hdr)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  localparam logic [35:0] Range1Size = 36'h008;  // 2 GiB
  localparam logic [35:0] Range2Size = 36'h012;  // 4.5 GiB, needs the high size register

  logic unused_viral, unused_viral_state;

  config_space #(
    .Range1Size(Range1Size),
    .Range2Size(Range2Size)
  ) u_config_space (
    .clk_i,
    .rst_ni,
    .rst_sticky_ni (rst_ni),
    .cfg_req_i     (cfg_req),
    .cfg_rdata_o   (cfg_rdata),
    .mem_active_i,
    .port_status_i (7'h2e),
    .ts_data_i     (24'h00_0436),
    .id_error_i    (3'b000),
    .io_err_i      (ep_err_o),
    .io_err_hdr_i  (ep_err_hdr),
    .event_i       (event_o),
    .event_posted_i(event_posted),
    .event_hdr_i   (event_hdr),
    .ras_i         (3'b000),
    .viral_peer_i  (1'b0),
    .viral_own_i   (1'b0),
    .mem_space_en_o(mem_space_en),
    .bar0_o        (bar0),
    .mem_enable_o,
    .range1_base_o (range1_base),
    .range2_base_o (range2_base),
    .viral_o       (unused_viral),
    .viral_state_o (unused_viral_state)
  );

  always_comb begin
    hdm_req           = reg_req;
    hdm_req.valid     = reg_req.valid && reg_req.addr[12:11] == 2'd0;
    vendor_req        = reg_req;
    vendor_req.valid  = reg_req.valid && reg_req.addr[12:11] == 2'd1;
    mailbox_req       = reg_req;
    mailbox_req.valid = reg_req.valid && reg_req.addr[12] && reg_req.addr[10];
  end
  // Blocks that were not read say 0.
  assign reg_rdata = hdm_rdata | vendor_rdata | mailbox_rdata;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      weight_io_q <= 4'd1;
      weight_cm_q <= 4'd1;
    end else begin
      if (weight_io_we) weight_io_q <= weight;
      if (weight_cm_we) weight_cm_q <= weight;
    end
  end

  logic [3:0] unused_decoder, unused_way;
  logic [7:0] unused_target;
  logic       hdm_enabled, hdm_hit;
  line_addr_t hdm_dpa_line;

  hdm_decoder #(
    .IsDevice(1'b1)
  ) u_hdm_decoder (
    .clk_i,
    .rst_ni,
    .reg_req_i  (hdm_req),
    .reg_rdata_o(hdm_rdata),
    .enabled_o  (hdm_enabled),
    .hpa_valid_i(1'b1),
    .hpa_line_i,
    .hit_o      (hdm_hit),
    .decoder_o  (unused_decoder),
    .way_o      (unused_way),
    .target_o   (unused_target),
    .dpa_line_o (hdm_dpa_line)
  );

  range_decoder #(
    .Range1Size(Range1Size),
    .Range2Size(Range2Size)
  ) u_range_decoder (
    .mem_enable_i  (mem_enable_o),
    .range1_base_i (range1_base),
    .range2_base_i (range2_base),
    .hpa_valid_i   (1'b1),
    .hpa_line_i,
    .hdm_enabled_i (hdm_enabled),
    .hdm_hit_i     (hdm_hit),
    .hdm_dpa_line_i(hdm_dpa_line),
    .hit_o,
    .dpa_line_o
  );

  logic unused_dirty;

  cxl_mailbox #(
    .Capacity(Range1Size + Range2Size)
  ) u_mailbox (
    .clk_i,
    .rst_ni,
    .reg_req_i       (mailbox_req),
    .reg_rdata_o     (mailbox_rdata),
    .media_ready_i   (mem_active_i),
    .viral_i         (1'b0),
    .shutdown_dirty_o(unused_dirty)
  );

  logic          unused_dram_enable, unused_len_enable;
  logic [3:0]    unused_sets_log2;
  logic [7:0]    unused_open_max;
  logic [23:0]   unused_persistent_from;
  durable_e      unused_durable;
  load_control_t unused_load_control;

  endpoint_regs u_endpoint_regs (
    .clk_i,
    .rst_ni,
    .reg_req_i        (vendor_req),
    .reg_rdata_o      (vendor_rdata),
    .write_back_done_i(1'b0),
    .event_i          ('0),
    .dram_enable_o    (unused_dram_enable),
    .len_enable_o     (unused_len_enable),
    .sets_log2_o      (unused_sets_log2),
    .open_max_o       (unused_open_max),
    .persistent_from_o(unused_persistent_from),
    .durable_o        (unused_durable),
    .load_control_o   (unused_load_control),
    .load_status_i    ('0)
  );

endmodule
