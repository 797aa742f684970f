// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Two root ports on the same accesses and events: 0 has the default parameters, 1 every parameter
// changed.

module port_config_space_tb
  import cxl_io_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [47:0]       cfg_req_i,
  input  logic [4:0]        device_i,
  input  logic              link_up_i,
  input  logic [6:0]        port_status_i,
  input  logic [23:0]       ts_data_i,
  input  logic [2:0]        id_error_i,
  output logic [1:0][31:0]  cfg_rdata_o,
  output logic [1:0][305:0] bridge_o,
  output logic [1:0]        link_disable_o
);

  for (genvar g = 0; g < 2; g++) begin : gen_device
    bridge_t bridge;

    assign bridge_o[g] = bridge;
    port_config_space #(
      .VendorId  (g == 1 ? 16'hABCD : 16'h1234),
      .DeviceId  (g == 1 ? 16'h5A96 : 16'hC800),
      .RevisionId(g == 1 ? 8'hE7 : 8'h01),
      .LinkSpeed (g == 1 ? 4'd3 : 4'd5),
      .LinkWidth (g == 1 ? 6'd16 : 6'd8)
    ) u_config_space (
      .clk_i,
      .rst_ni,
      .cfg_req_i     (cfg_req_t'(cfg_req_i)),
      .cfg_rdata_o   (cfg_rdata_o[g]),
      .device_i,
      .link_up_i,
      .port_status_i,
      .ts_data_i,
      .id_error_i,
      .bridge_o      (bridge),
      .link_disable_o(link_disable_o[g])
    );
  end

endmodule
