// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Four root ports' CXL.io, configuration space included, and the four unlike endpoints behind them,
// with the HDM decoders of the host bridge and of each endpoint; the register space is that of
// root_complex, but the structures behind a root port's BAR0 are left out and read 0. A link is a
// few registers each way: CXL.io alone, nothing damaged.

module io_quad_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [3:0]       link_up_i,
  input  logic [49:0]      reg_req_i,
  output logic [31:0]      reg_rdata_o,
  // Decode: host bridge and endpoints
  input  line_addr_t       hpa_line_i,
  output logic             hit_o,
  output logic [7:0]       target_o,
  output logic [3:0]       ep_hit_o,
  output line_addr_t [3:0] ep_dpa_line_o,
  // Settings that came through
  output logic [3:0]       mem_enable_o,
  output logic [3:0]       dram_enable_o,
  output logic [3:0][3:0]  sets_log2_o,
  output logic [3:0]       error_o          // io_link or io_completer complains
);

  localparam int unsigned Flight = 5;

  reg_req_t        reg_req, host_req;
  reg_req_t [3:0]  port_req;
  logic [31:0]     host_rdata;
  logic [3:0][31:0] port_rdata;
  logic [3:0]      page_q;

  assign reg_req = reg_req_t'(reg_req_i);

  always_comb begin
    host_req       = reg_req;
    host_req.valid = reg_req.valid && reg_req.addr[15:12] == 4'd0;
    for (int unsigned p = 0; p < 4; p++) begin
      port_req[p]       = reg_req;
      port_req[p].valid = reg_req.valid && reg_req.addr[15:12] == 4'(p + 1)
                          && reg_req.addr[11:10] == 2'b01;
    end
    reg_rdata_o = (page_q == 4'd0) ? host_rdata : '0;
    for (int unsigned p = 0; p < 4; p++) begin
      if (page_q == 4'(p + 1)) reg_rdata_o = port_rdata[p];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            page_q <= '0;
    else if (reg_req.valid) page_q <= reg_req.addr[15:12];
  end

  logic [3:0] unused_host_decoder, unused_host_way;
  line_addr_t unused_host_dpa;
  logic       unused_host_enabled;

  hdm_decoder #(
    .IsDevice   (1'b0),
    .NumDecoders(4)
  ) u_host_decoder (
    .clk_i,
    .rst_ni,
    .reg_req_i  (host_req),
    .reg_rdata_o(host_rdata),
    .enabled_o  (unused_host_enabled),
    .hpa_valid_i(1'b1),
    .hpa_line_i,
    .hit_o,
    .decoder_o  (unused_host_decoder),
    .way_o      (unused_host_way),
    .target_o,
    .dpa_line_o (unused_host_dpa)
  );

  for (genvar p = 0; p < 4; p++) begin : gen_port
    // Root port
    logic         rp_dl_up, rp_tx_valid, rp_rx_valid, req_valid, req_ready, rsp_valid, rsp_ready;
    logic [511:0] rp_tx_data, rp_rx_data;
    io_req_t      req, down;
    io_rsp_t      rsp, down_rsp;
    logic         down_valid, down_ready, down_rsp_valid, down_rsp_ready, unused_disable;
    cfg_req_t     rp_cfg_req;
    logic [31:0]  rp_cfg_rdata;
    bridge_t      bridge;
    reg_req_t     unused_page_req;
    logic         rp_tlp_tx_valid, rp_tlp_tx_ready, rp_tlp_rx_valid, rp_tlp_rx_ready, unexpected;
    tlp_t         rp_tlp_tx, rp_tlp_rx;
    logic [8:0]   rp_err, ep_err;
    // Endpoint
    logic         ep_dl_up, ep_tx_valid, ep_rx_valid;
    logic [511:0] ep_tx_data, ep_rx_data;
    logic         ep_tlp_tx_valid, ep_tlp_tx_ready, ep_tlp_rx_valid, ep_tlp_rx_ready;
    tlp_t         ep_tlp_tx, ep_tlp_rx;
    cfg_req_t     cfg_req;
    reg_req_t     ep_req, hdm_req, vendor_req, mailbox_req;
    logic [31:0]  cfg_rdata, ep_rdata, hdm_rdata, vendor_rdata, mailbox_rdata;
    logic         mem_space_en, unused_enabled;
    logic [45:0]  bar0;
    logic [3:0]   io_event;

    io_access u_access (
      .clk_i,
      .rst_ni,
      .reg_req_i  (port_req[p]),
      .reg_rdata_o(port_rdata[p]),
      .link_up_i  (rp_dl_up),
      .req_valid_o(req_valid),
      .req_ready_i(req_ready),
      .req_o      (req),
      .rsp_valid_i(rsp_valid),
      .rsp_ready_o(rsp_ready),
      .rsp_i      (rsp)
    );

    io_route u_route (
      .clk_i,
      .rst_ni,
      .device_i        (5'(p)),
      .req_valid_i     (req_valid),
      .req_ready_o     (req_ready),
      .req_i           (req),
      .rsp_valid_o     (rsp_valid),
      .rsp_ready_i     (rsp_ready),
      .rsp_o           (rsp),
      .down_valid_o    (down_valid),
      .down_ready_i    (down_ready),
      .down_o          (down),
      .down_rsp_valid_i(down_rsp_valid),
      .down_rsp_ready_o(down_rsp_ready),
      .down_rsp_i      (down_rsp),
      .cfg_req_o       (rp_cfg_req),
      .cfg_rdata_i     (rp_cfg_rdata),
      .bridge_i        (bridge),
      .reg_req_o       (unused_page_req),
      .reg_busy_i      (1'b0),
      .reg_rdata_i     (32'd0)
    );

    port_config_space u_port_config_space (
      .clk_i,
      .rst_ni,
      .cfg_req_i     (rp_cfg_req),
      .cfg_rdata_o   (rp_cfg_rdata),
      .device_i      (5'(p)),
      .link_up_i     (rp_dl_up),
      .port_status_i (7'h3E),
      .ts_data_i     (24'h00_0416),
      .id_error_i    (3'b000),
      .bridge_o      (bridge),
      .link_disable_o(unused_disable)
    );

    io_requester #(
      .CplTimeout(20000)
    ) u_requester (
      .clk_i,
      .rst_ni,
      .link_up_i     (rp_dl_up),
      .req_valid_i   (down_valid),
      .req_ready_o   (down_ready),
      .req_i         (down),
      .rsp_valid_o   (down_rsp_valid),
      .rsp_ready_i   (down_rsp_ready),
      .rsp_o         (down_rsp),
      .tlp_tx_valid_o(rp_tlp_tx_valid),
      .tlp_tx_ready_i(rp_tlp_tx_ready),
      .tlp_tx_o      (rp_tlp_tx),
      .tlp_rx_valid_i(rp_tlp_rx_valid),
      .tlp_rx_ready_o(rp_tlp_rx_ready),
      .tlp_rx_i      (rp_tlp_rx),
      .unexpected_o  (unexpected)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    io_link #(
      .Infinite(1'b1)
    ) u_rp_link (
      .clk_i,
      .rst_ni,
      .link_up_i     (link_up_i[p]),
      .dl_up_o       (rp_dl_up),
      .io_tx_valid_o (rp_tx_valid),
      .io_tx_ready_i (1'b1),
      .io_tx_data_o  (rp_tx_data),
      .io_rx_valid_i (rp_rx_valid),
      .io_rx_data_i  (rp_rx_data),
      .tlp_tx_valid_i(rp_tlp_tx_valid),
      .tlp_tx_ready_o(rp_tlp_tx_ready),
      .tlp_tx_i      (rp_tlp_tx),
      .tlp_rx_valid_o(rp_tlp_rx_valid),
      .tlp_rx_ready_i(rp_tlp_rx_ready),
      .tlp_rx_o      (rp_tlp_rx),
      .err_o         (rp_err),
      .err_hdr_o     ()
    );

    // Odd endpoints grant finite credits: either kind of end goes with our root port.
    io_link #(
      .Infinite (p % 2 == 0),
      .FcRefresh(500)
    ) u_ep_link (
      .clk_i,
      .rst_ni,
      .link_up_i     (link_up_i[p]),
      .dl_up_o       (ep_dl_up),
      .io_tx_valid_o (ep_tx_valid),
      .io_tx_ready_i (1'b1),
      .io_tx_data_o  (ep_tx_data),
      .io_rx_valid_i (ep_rx_valid),
      .io_rx_data_i  (ep_rx_data),
      .tlp_tx_valid_i(ep_tlp_tx_valid),
      .tlp_tx_ready_o(ep_tlp_tx_ready),
      .tlp_tx_i      (ep_tlp_tx),
      .tlp_rx_valid_o(ep_tlp_rx_valid),
      .tlp_rx_ready_i(ep_tlp_rx_ready),
      .tlp_rx_o      (ep_tlp_rx),
      .err_o         (ep_err),
      .err_hdr_o     ()
    );

    // The wires
    logic [Flight-1:0]        down_valid_q, up_valid_q;
    logic [Flight-1:0][511:0] down_q, up_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        down_valid_q <= '0;
        up_valid_q   <= '0;
      end else begin
        down_valid_q <= {down_valid_q[Flight-2:0], rp_tx_valid && link_up_i[p]};
        up_valid_q   <= {up_valid_q[Flight-2:0], ep_tx_valid && link_up_i[p]};
      end
    end

    always_ff @(posedge clk_i) begin
      down_q <= {down_q[Flight-2:0], rp_tx_data};
      up_q   <= {up_q[Flight-2:0], ep_tx_data};
    end

    assign ep_rx_valid = down_valid_q[Flight-1];
    assign ep_rx_data  = down_q[Flight-1];
    assign rp_rx_valid = up_valid_q[Flight-1];
    assign rp_rx_data  = up_q[Flight-1];

    logic       unused_weight_io_we, unused_weight_cm_we;
    logic [3:0] unused_weight;

    io_completer u_completer (
      .clk_i,
      .rst_ni,
      .link_up_i     (ep_dl_up),
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
      .reg_req_o     (ep_req),
      .reg_rdata_i   (ep_rdata),
      .weight_io_we_o(unused_weight_io_we),
      .weight_cm_we_o(unused_weight_cm_we),
      .weight_o      (unused_weight),
      .weight_io_i   (4'd1),
      .weight_cm_i   (4'd1),
      .event_o       (io_event),
      .event_posted_o(),
      .event_hdr_o   ()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    localparam logic [35:0] Range1Size = p == 3 ? 36'd5 : p == 2 ? 36'd8 : 36'd4;
    localparam logic [35:0] Range2Size = p == 3 ? 36'd3 : 36'd0;

    logic        unused_viral, unused_viral_state;
    logic [35:0] unused_base1, unused_base2;

    // 1, 1, 2 and 2 GiB; the last in two ranges.
    config_space #(
      .DeviceId  (16'hC801 + 16'(p)),
      .Range1Size(Range1Size),
      .Range2Size(Range2Size)
    ) u_config_space (
      .clk_i,
      .rst_ni,
      .rst_sticky_ni (rst_ni),
      .cfg_req_i     (cfg_req),
      .cfg_rdata_o   (cfg_rdata),
      .mem_active_i  (1'b1),
      .port_status_i (7'h3E),
      .ts_data_i     (24'h00_0416),
      .id_error_i    (3'b000),
      .io_err_i      (9'd0),
      .io_err_hdr_i  ('0),
      .event_i       (4'd0),
      .event_posted_i(1'b0),
      .event_hdr_i   ('0),
      .ras_i         (3'b000),
      .viral_peer_i  (1'b0),
      .viral_own_i   (1'b0),
      .mem_space_en_o(mem_space_en),
      .bar0_o        (bar0),
      .mem_enable_o  (mem_enable_o[p]),
      .range1_base_o (unused_base1),
      .range2_base_o (unused_base2),
      .viral_o       (unused_viral),
      .viral_state_o (unused_viral_state)
    );

    always_comb begin
      hdm_req           = ep_req;
      hdm_req.valid     = ep_req.valid && ep_req.addr[12:11] == 2'd0;
      vendor_req        = ep_req;
      vendor_req.valid  = ep_req.valid && ep_req.addr[12:11] == 2'd1;
      mailbox_req       = ep_req;
      mailbox_req.valid = ep_req.valid && ep_req.addr[12] && ep_req.addr[10];
    end
    // Blocks that were not read say 0.
    assign ep_rdata = hdm_rdata | vendor_rdata | mailbox_rdata;

    logic unused_dirty;

    cxl_mailbox #(
      .Capacity(Range1Size + Range2Size)
    ) u_mailbox (
      .clk_i,
      .rst_ni,
      .reg_req_i       (mailbox_req),
      .reg_rdata_o     (mailbox_rdata),
      .media_ready_i   (1'b1),
      .viral_i         (1'b0),
      .shutdown_dirty_o(unused_dirty)
    );

    logic [3:0] unused_decoder, unused_way;
    logic [7:0] unused_target;

    hdm_decoder #(
      .IsDevice   (1'b1),
      .NumDecoders(p == 0 ? 1 : p == 1 ? 2 : p == 2 ? 10 : 4)
    ) u_decoder (
      .clk_i,
      .rst_ni,
      .reg_req_i  (hdm_req),
      .reg_rdata_o(hdm_rdata),
      .hpa_valid_i(1'b1),
      .hpa_line_i,
      .enabled_o  (unused_enabled),
      .hit_o      (ep_hit_o[p]),
      .decoder_o  (unused_decoder),
      .way_o      (unused_way),
      .target_o   (unused_target),
      .dpa_line_o (ep_dpa_line_o[p])
    );

    logic          unused_len_enable;
    load_control_t unused_load_control;
    logic [7:0]    unused_open_max;
    logic [23:0]   unused_persistent_from;
    durable_e      unused_durable;

    endpoint_regs u_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i        (vendor_req),
      .reg_rdata_o      (vendor_rdata),
      .write_back_done_i(1'b0),
      .event_i          ('0),
      .dram_enable_o    (dram_enable_o[p]),
      .len_enable_o     (unused_len_enable),
      .sets_log2_o      (sets_log2_o[p]),
      .open_max_o       (unused_open_max),
      .persistent_from_o(unused_persistent_from),
      .durable_o        (unused_durable),
      .load_control_o   (unused_load_control),
      .load_status_i    ('0)
    );

    logic unused_dl_up;
    assign unused_dl_up = ep_dl_up;
    assign error_o[p] = (rp_err != '0) || (ep_err != '0) || (io_event != '0) || unexpected;
  end

endmodule
