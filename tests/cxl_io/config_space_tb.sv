// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Three devices on the same accesses and events: 0 has the default parameters, 1 two ranges and
// every parameter changed, 2 no range. hot_reset_i is their rst_ni without the sticky one.

module config_space_tb
  import cxl_io_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             hot_reset_i,
  input  logic [47:0]      cfg_req_i,
  input  logic             mem_active_i,
  input  logic [6:0]       port_status_i,
  input  logic [23:0]      ts_data_i,
  input  logic [2:0]       id_error_i,
  input  logic [8:0]       io_err_i,
  input  logic [127:0]     io_err_hdr_i,
  input  logic [3:0]       event_i,
  input  logic             event_posted_i,
  input  logic [127:0]     event_hdr_i,
  input  logic [2:0]       ras_i,
  input  logic             viral_peer_i,
  input  logic             viral_own_i,
  output logic [2:0][31:0] cfg_rdata_o,
  output logic [2:0]       mem_space_en_o,
  output logic [2:0][63:0] bar0_o,
  output logic [2:0]       mem_enable_o,
  output logic [2:0][63:0] range1_base_o,
  output logic [2:0][63:0] range2_base_o,
  output logic [2:0]       viral_o,
  output logic [2:0]       viral_state_o
);

  logic rst_n;
  assign rst_n = rst_ni && !hot_reset_i;

  for (genvar g = 0; g < 3; g++) begin : gen_device
    logic [45:0] bar0;
    logic [35:0] range1_base, range2_base;

    assign bar0_o[g]        = 64'(bar0);
    assign range1_base_o[g] = 64'(range1_base);
    assign range2_base_o[g] = 64'(range2_base);
    config_space #(
      .VendorId       (g == 1 ? 16'hABCD : 16'h1234),
      .DeviceId       (g == 1 ? 16'h5A96 : 16'hC801),
      .RevisionId     (g == 1 ? 8'hE7 : 8'h01),
      .LinkSpeed      (g == 1 ? 4'd3 : 4'd5),
      .LinkWidth      (g == 1 ? 6'd16 : 6'd8),
      .Range1Size     (g == 1 ? 36'hA_9876_5432 : g == 2 ? 36'd0 : 36'd16),
      .Range2Size     (g == 1 ? 36'h5_0123_4567 : 36'd0),
      .SerialNumber   (g == 1 ? 64'h0123_4567_89AB_CDEF : 64'd1),
      .MaxSpecGranules(g == 1 ? 3'd3 : 3'd4)
    ) u_config_space (
      .clk_i,
      .rst_ni        (rst_n),
      .rst_sticky_ni (rst_ni),
      .cfg_req_i     (cfg_req_t'(cfg_req_i)),
      .cfg_rdata_o   (cfg_rdata_o[g]),
      .mem_active_i,
      .port_status_i,
      .ts_data_i,
      .id_error_i,
      .io_err_i,
      .io_err_hdr_i,
      .event_i,
      .event_posted_i,
      .event_hdr_i,
      .ras_i,
      .viral_peer_i,
      .viral_own_i,
      .mem_space_en_o(mem_space_en_o[g]),
      .bar0_o        (bar0),
      .mem_enable_o  (mem_enable_o[g]),
      .range1_base_o (range1_base),
      .range2_base_o (range2_base),
      .viral_o       (viral_o[g]),
      .viral_state_o (viral_state_o[g])
    );
  end

endmodule
