// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// deterministic_store as small as it may be, with nobody around it: for its counters.

module deterministic_store_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  reg_req_t    reg_req_i,
  output logic [31:0] reg_rdata_o
);

  logic         unused_req_ready, unused_sr_valid, unused_head_ready, unused_mq_valid;
  logic         unused_mq_rsp_ready, unused_rsp_valid, unused_lm_valid, unused_lm_rsp_ready;
  sys_req_t     unused_sr_req, unused_mq_req;
  sys_rsp_t     unused_rsp;
  lm_req_t      unused_lm_req;
  line_addr_t   unused_lm_line;
  trace_t       unused_trace;

  deterministic_store #(
    .Depth (4),
    .Writes(1)
  ) u_store (
    .clk_i,
    .rst_ni,
    .reg_req_i,
    .reg_rdata_o,
    .busy_i        (1'b0),
    .isolate_i     (1'b0),
    .dev_valid_i   (1'b0),
    .dev_load_i    ('0),
    .req_valid_i   (1'b0),
    .req_ready_o   (unused_req_ready),
    .req_i         ('0),
    .sr_valid_o    (unused_sr_valid),
    .sr_ready_i    (1'b0),
    .sr_req_o      (unused_sr_req),
    .head_valid_i  (1'b0),
    .head_ready_o  (unused_head_ready),
    .head_req_i    ('0),
    .mq_valid_o    (unused_mq_valid),
    .mq_ready_i    (1'b0),
    .mq_req_o      (unused_mq_req),
    .load_valid_i  ('0),
    .load_line_i   ('0),
    .mem_valid_i   ('0),
    .mem_line_i    ('0),
    .mq_rsp_valid_i(1'b0),
    .mq_rsp_ready_o(unused_mq_rsp_ready),
    .mq_rsp_i      ('0),
    .rsp_valid_o   (unused_rsp_valid),
    .rsp_ready_i   (1'b0),
    .rsp_o         (unused_rsp),
    .lm_valid_o    (unused_lm_valid),
    .lm_ready_i    (1'b0),
    .lm_req_o      (unused_lm_req),
    .lm_line_o     (unused_lm_line),
    .lm_rsp_valid_i(1'b0),
    .lm_rsp_ready_o(unused_lm_rsp_ready),
    .lm_rsp_i      ('0),
    .tr_ds_o       (unused_trace)
  );

endmodule
