// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// axi_adapter and host_bridge with three ports, whose requests and responses are taken apart.

module bridge_rules_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             write_valid_i,     // AW and W together
  output logic             write_ready_o,
  input  logic [15:0]      write_id_i,
  input  logic [51:0]      write_addr_i,
  input  logic             read_valid_i,
  output logic             read_ready_o,
  input  logic [15:0]      read_id_i,
  input  logic [51:0]      read_addr_i,
  output logic             bvalid_o,
  input  logic             bready_i,
  output logic [15:0]      bid_o,
  output logic             berror_o,
  output logic             rvalid_o,
  input  logic             rready_i,
  output logic [15:0]      rid_o,
  output logic             rerror_o,
  output logic [31:0]      rdata_o,           // the lowest word
  input  logic             reg_valid_i,
  input  logic             reg_write_i,
  input  logic [15:0]      reg_addr_i,
  input  logic [31:0]      reg_wdata_i,
  output logic [31:0]      reg_rdata_o,
  input  logic             hint_valid_i,
  input  logic [43:0]      hint_first_i,
  input  logic [11:0]      hint_len_i,
  output logic [2:0]       port_hint_valid_o,
  output logic [43:0]      port_hint_granule_o,
  output logic             req_valid_o,       // a request at the host bridge
  output logic             req_ready_o,       // which takes it
  output logic [2:0]       port_valid_o,
  input  logic [2:0]       port_ready_i,
  output logic [2:0][15:0] port_id_o,
  output logic [2:0]       port_write_o,
  input  logic [2:0]       answer_valid_i,
  output logic [2:0]       answer_ready_o,
  input  logic [2:0][15:0] answer_id_i,
  input  logic [2:0]       answer_write_i
);

  logic           req_valid, req_ready, r_valid, r_ready, r_error, b_valid, b_ready, b_error;
  sys_req_t       req;
  sys_id_t        r_id, b_id;
  line_t          r_data;
  reg_req_t       reg_req;
  sys_rsp_t [2:0] answer;
  axi_req_t       axi_req;
  /* verilator lint_off UNUSEDSIGNAL */  // a test looks at few of the fields
  sys_req_t [2:0] port_req;
  axi_rsp_t       axi_rsp;
  /* verilator lint_on UNUSEDSIGNAL */

  always_comb begin
    reg_req       = '0;
    reg_req.valid = reg_valid_i;
    reg_req.write = reg_write_i;
    reg_req.addr  = reg_addr_i;
    reg_req.wdata = reg_wdata_i;
    answer        = '0;
    for (int unsigned p = 0; p < 3; p++) begin
      answer[p].id       = answer_id_i[p];
      answer[p].is_write = answer_write_i[p];
      answer[p].data     = {32{answer_id_i[p]}};
      port_id_o[p]       = port_req[p].id;
      port_write_o[p]    = port_req[p].is_write;
    end
  end
  always_comb begin
    axi_req          = '0;
    axi_req.aw_valid = write_valid_i;
    axi_req.aw       = axi_line(write_id_i, 64'(write_addr_i));
    axi_req.w_valid  = write_valid_i;
    axi_req.w        = '{last: 1'b1, strb: '1, data: '0};
    axi_req.b_ready  = bready_i;
    axi_req.ar_valid = read_valid_i;
    axi_req.ar       = axi_line(read_id_i, 64'(read_addr_i));
    axi_req.r_ready  = rready_i;
  end
  assign req_valid_o   = req_valid;
  assign req_ready_o   = req_ready;
  assign write_ready_o = axi_rsp.aw_ready;
  assign read_ready_o  = axi_rsp.ar_ready;
  assign bvalid_o      = axi_rsp.b_valid;
  assign bid_o         = axi_rsp.b.id;
  assign berror_o      = axi_rsp.b.resp != AxiRespOkay;
  assign rvalid_o      = axi_rsp.r_valid;
  assign rid_o         = axi_rsp.r.id;
  assign rerror_o      = axi_rsp.r.resp != AxiRespOkay;
  assign rdata_o       = axi_rsp.r.data[31:0];

  /* verilator lint_off PINCONNECTEMPTY */
  axi_adapter u_axi_adapter (
    .clk_i,
    .rst_ni,
    .axi_req_i       (axi_req),
    .axi_rsp_o       (axi_rsp),
    .req_valid_o     (req_valid),
    .req_ready_i     (req_ready),
    .req_o           (req),
    .hint_valid_o    (),
    .hint_first_o    (),
    .hint_len_o      (),
    .r_valid_i       (r_valid),
    .r_ready_o       (r_ready),
    .r_id_i          (r_id),
    .r_error_i       (r_error),
    .r_data_i        (r_data),
    .b_valid_i       (b_valid),
    .b_ready_o       (b_ready),
    .b_id_i          (b_id),
    .b_error_i       (b_error),
    .tr_sys_respond_o()
  );

  host_bridge #(
    .NumPorts(3)
  ) u_host_bridge (
    .clk_i,
    .rst_ni,
    .req_valid_i     (req_valid),
    .req_ready_o     (req_ready),
    .req_i           (req),
    .r_valid_o       (r_valid),
    .r_ready_i       (r_ready),
    .r_id_o          (r_id),
    .r_error_o       (r_error),
    .r_data_o        (r_data),
    .b_valid_o       (b_valid),
    .b_ready_i       (b_ready),
    .b_id_o          (b_id),
    .b_error_o       (b_error),
    .reg_req_i       (reg_req),
    .reg_rdata_o,
    .hint_valid_i,
    .hint_first_i,
    .hint_len_i,
    .port_hint_valid_o,
    .port_hint_ready_i('1),
    .port_hint_granule_o,
    .port_req_valid_o(port_valid_o),
    .port_req_ready_i(port_ready_i),
    .port_req_o      (port_req),
    .port_rsp_valid_i(answer_valid_i),
    .port_rsp_ready_o(answer_ready_o),
    .port_rsp_i      (answer),
    .tr_sys_accept_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
