// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// memory_queue with its messages taken apart, for tests that write what they send field by field.

module memory_queue_rules_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic        in_write_i,
  input  logic [15:0] in_id_i,
  input  logic [45:0] in_line_i,
  input  logic        spec_valid_i,
  output logic        spec_ready_o,
  output logic        req_valid_o,
  input  logic        req_ready_i,
  output logic        req_spec_o,
  output logic [15:0] req_tag_o,
  output logic [45:0] req_line_o,
  output logic        rwd_valid_o,
  input  logic        rwd_ready_i,
  output logic [15:0] rwd_tag_o,
  input  logic        ndr_valid_i,
  output logic        ndr_ready_o,
  input  logic [15:0] ndr_tag_i,
  input  logic [2:0]  ndr_opcode_i,
  input  logic [3:0]  ndr_ld_id_i,
  input  logic        drs_valid_i,
  output logic        drs_ready_o,
  input  logic [15:0] drs_tag_i,
  input  logic [2:0]  drs_opcode_i,
  input  logic [3:0]  drs_ld_id_i,
  input  logic        drs_poison_i,
  input  logic [31:0] drs_data_i,     // in every word of the line
  output logic        rsp_valid_o,
  input  logic        rsp_ready_i,
  output logic [15:0] rsp_id_o,
  output logic        rsp_write_o,
  output logic        rsp_error_o,
  output logic [31:0] rsp_data_o,     // the lowest word
  output logic [31:0] unexpected_o,
  output logic        bad_rsp_o,
  input  logic        isolate_i,
  input  logic        down_i,
  output logic        refuse_o,
  input  logic        tick_i,
  output logic        timed_out_o,
  output logic        busy_o
);

  sys_req_t in_req;
  msg_hdr_t req_hdr, rwd_hdr;
  /* verilator lint_off UNUSEDSIGNAL */  // a test looks at few of the fields
  sys_rsp_t rsp;
  m2s_req_t req;
  m2s_rwd_t rwd;
  /* verilator lint_on UNUSEDSIGNAL */
  s2m_ndr_t ndr;
  s2m_drs_t drs;

  always_comb begin
    in_req          = '0;
    in_req.id       = in_id_i;
    in_req.is_write = in_write_i;
    in_req.line     = in_line_i;
    in_req.be       = '1;
    ndr             = '0;
    ndr.valid       = ndr_valid_i;
    ndr.tag         = ndr_tag_i;
    ndr.opcode      = ndr_opcode_i;
    ndr.ld_id       = ndr_ld_id_i;
    drs             = '0;
    drs.valid       = drs_valid_i;
    drs.tag         = drs_tag_i;
    drs.opcode      = drs_opcode_i;
    drs.ld_id       = drs_ld_id_i;
    drs.poison      = drs_poison_i;
  end

  assign req         = req_hdr[M2sReqBits-1:0];
  assign rwd         = m2s_rwd_t'(rwd_hdr);
  assign req_spec_o  = req.opcode == MemSpecRd;
  assign req_tag_o   = req.tag;
  assign req_line_o  = req.addr_51_5[46:1];
  assign rwd_tag_o   = rwd.tag;
  assign rsp_id_o    = rsp.id;
  assign rsp_write_o = rsp.is_write;
  assign rsp_error_o = rsp.error;
  assign rsp_data_o  = rsp.data[31:0];

  /* verilator lint_off PINCONNECTEMPTY */
  memory_queue u_memory_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_req_i      (in_req),
    .spec_valid_i,
    .spec_ready_o,
    .spec_first_i  ('0),
    .spec_len_i    ('0),
    .spec_line_i   ('0),
    .hint_valid_i  (1'b0),
    .hint_ready_o  (),
    .hint_first_i  ('0),
    .hint_len_i    ('0),
    .len_en_i      (1'b0),
    .req_valid_o,
    .req_ready_i,
    .req_hdr_o     (req_hdr),
    .rwd_valid_o,
    .rwd_ready_i,
    .rwd_hdr_o     (rwd_hdr),
    .rwd_data_o    (),
    .rwd_be_o      (),
    .ndr_valid_i,
    .ndr_ready_o,
    .ndr_hdr_i     (msg_hdr_t'(ndr)),
    .drs_valid_i,
    .drs_ready_o,
    .drs_hdr_i     (msg_hdr_t'(drs)),
    .drs_data_i    ({16{drs_data_i}}),
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o         (rsp),
    .mem_valid_o   (),
    .mem_line_o    (),
    .rsp_taken_o   (),
    .rsp_dev_load_o(),
    .unexpected_o,
    .bad_rsp_o,
    .isolate_i,
    .down_i,
    .refuse_o,
    .tick_i,
    .timed_out_o,
    .busy_o,
    .tr_alloc_o    (),
    .tr_req_o      (),
    .tr_rwd_o      (),
    .tr_spec_o     (),
    .tr_respond_o  ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
