// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.io of the endpoint alone: endpoint_io with its ARB/MUX side open, no controller behind it.
// Each register behind reg_req_o that is not in it reads as its address.

module rtl_io_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,
  output logic         tx_valid_o,
  input  logic         tx_ready_i,
  output logic [511:0] tx_data_o,
  input  logic         rx_valid_i,
  input  logic [511:0] rx_data_i,
  output logic         retrain_o,
  output logic         mem_enable_o
);

  reg_req_t      reg_req;
  logic [31:0]   reg_rdata_q;
  logic [3:0]    unused_weight;
  logic          unused_we_io, unused_we_cm, unused_viral, unused_dev_rst_n;
  logic [35:0]   unused_range1, unused_range2;
  link_control_t unused_link_control;

  logic unused_write;
  assign unused_write = ^{reg_req.write, reg_req.wdata};

  always_ff @(posedge clk_i) begin
    if (reg_req.valid) reg_rdata_q <= 32'(reg_req.addr);
  end

  endpoint_io #(
    .Infinite(1'b0)
  ) u_io (
    .clk_i,
    .rst_ni,
    .dev_rst_no    (unused_dev_rst_n),
    .io_link_up_i  (link_up_i),
    .cm_link_up_i  (link_up_i),
    .io_tx_valid_o (tx_valid_o),
    .io_tx_ready_i (tx_ready_i),
    .io_tx_data_o  (tx_data_o),
    .io_rx_valid_i (rx_valid_i),
    .io_rx_data_i  (rx_data_i),
    .io_retrain_o  (retrain_o),
    .weight_io_we_o(unused_we_io),
    .weight_cm_we_o(unused_we_cm),
    .weight_o      (unused_weight),
    .weight_io_i   (4'd1),
    .weight_cm_i   (4'd1),
    .link_control_o(unused_link_control),
    .link_status_i ('0),
    .abort_i       (1'b0),
    .err_i         ('0),
    .err_flit_i    ('0),
    .err_overflow_i('0),
    .arb_err_i     ('0),
    .rwd_poison_i  (1'b0),
    .rwd_i         ('0),
    .viral_i       (1'b0),
    .viral_o       (unused_viral),
    .mem_enable_o,
    .range1_base_o (unused_range1),
    .range2_base_o (unused_range2),
    .reg_req_o     (reg_req),
    .reg_rdata_i   (reg_rdata_q)
  );

endmodule
