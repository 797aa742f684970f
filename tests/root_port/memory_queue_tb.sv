// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// memory_queue in three sizes: a root port's 32 entries, the least, one for loads and stores and
// one for MemSpecRd, and the greatest, 64. size_i chooses the one that is clocked and whose outputs
// show, 0..2; it changes in reset only.

module memory_queue_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [1:0]                    size_i,
  input  logic                          in_valid_i,
  output logic                          in_ready_o,
  input  sys_req_t                      in_req_i,
  input  logic                          spec_valid_i,
  output logic                          spec_ready_o,
  input  granule_t                      spec_first_i,
  input  logic [1:0]                    spec_len_i,
  input  line_addr_t                    spec_line_i,
  input  logic                          hint_valid_i,
  output logic                          hint_ready_o,
  input  granule_t                      hint_first_i,
  input  logic [1:0]                    hint_len_i,
  input  logic                          len_en_i,
  output logic                          req_valid_o,
  input  logic                          req_ready_i,
  output msg_hdr_t                      req_hdr_o,
  output logic                          rwd_valid_o,
  input  logic                          rwd_ready_i,
  output msg_hdr_t                      rwd_hdr_o,
  output line_t                         rwd_data_o,
  output byte_en_t                      rwd_be_o,
  input  logic                          ndr_valid_i,
  output logic                          ndr_ready_o,
  input  msg_hdr_t                      ndr_hdr_i,
  input  logic                          drs_valid_i,
  output logic                          drs_ready_o,
  input  msg_hdr_t                      drs_hdr_i,
  input  line_t                         drs_data_i,
  output logic                          rsp_valid_o,
  input  logic                          rsp_ready_i,
  output sys_rsp_t                      rsp_o,
  output logic [61:0]                   mem_valid_o,
  output logic [61:0][LineAddrBits-1:0] mem_line_o,
  output logic                          rsp_taken_o,
  output logic [1:0]                    rsp_dev_load_o,
  output logic [31:0]                   unexpected_o,
  output logic                          bad_rsp_o,
  input  logic                          isolate_i,
  input  logic                          down_i,
  output logic                          refuse_o,
  input  logic                          tick_i,
  output logic                          timed_out_o,
  output logic                          busy_o,
  output trace_t                        tr_alloc_o,
  output trace_t                        tr_req_o,
  output trace_t                        tr_rwd_o,
  output trace_t                        tr_spec_o,
  output trace_t                        tr_respond_o
);

  logic [2:0]                         in_ready;
  logic [2:0]                         spec_ready;
  logic [2:0]                         hint_ready;
  logic [2:0]                         req_valid;
  msg_hdr_t [2:0]                     req_hdr;
  logic [2:0]                         rwd_valid;
  msg_hdr_t [2:0]                     rwd_hdr;
  line_t [2:0]                        rwd_data;
  byte_en_t [2:0]                     rwd_be;
  logic [2:0]                         ndr_ready;
  logic [2:0]                         drs_ready;
  logic [2:0]                         rsp_valid;
  sys_rsp_t [2:0]                     rsp;
  logic [2:0][61:0]                   mem_valid;
  logic [2:0][61:0][LineAddrBits-1:0] mem_line;
  logic [2:0]                         rsp_taken;
  logic [2:0][1:0]                    rsp_dev_load;
  logic [2:0][31:0]                   unexpected;
  logic [2:0]                         bad_rsp;
  logic [2:0]                         refuse;
  logic [2:0]                         timed_out;
  logic [2:0]                         busy;
  trace_t [2:0]                       tr_alloc;
  trace_t [2:0]                       tr_req;
  trace_t [2:0]                       tr_rwd;
  trace_t [2:0]                       tr_spec;
  trace_t [2:0]                       tr_respond;

  for (genvar g = 0; g < 3; g++) begin : gen_size
    localparam int unsigned Depth = (g == 0) ? 32 : (g == 1) ? 2 : 64;
    localparam int unsigned Specs = (g == 1) ? 1 : 2;

    logic [Depth-Specs-1:0]                   mem_valid_part;
    logic [Depth-Specs-1:0][LineAddrBits-1:0] mem_line_part;

    memory_queue #(
      .Depth      (Depth),
      .SpecEntries(Specs)
    ) u_queue (
      .clk_i         (clk_i && size_i == 2'(g)),
      .rst_ni,
      .in_valid_i,
      .in_ready_o    (in_ready[g]),
      .in_req_i,
      .spec_valid_i,
      .spec_ready_o  (spec_ready[g]),
      .spec_first_i,
      .spec_len_i,
      .spec_line_i,
      .hint_valid_i,
      .hint_ready_o  (hint_ready[g]),
      .hint_first_i,
      .hint_len_i,
      .len_en_i,
      .req_valid_o   (req_valid[g]),
      .req_ready_i,
      .req_hdr_o     (req_hdr[g]),
      .rwd_valid_o   (rwd_valid[g]),
      .rwd_ready_i,
      .rwd_hdr_o     (rwd_hdr[g]),
      .rwd_data_o    (rwd_data[g]),
      .rwd_be_o      (rwd_be[g]),
      .ndr_valid_i,
      .ndr_ready_o   (ndr_ready[g]),
      .ndr_hdr_i,
      .drs_valid_i,
      .drs_ready_o   (drs_ready[g]),
      .drs_hdr_i,
      .drs_data_i,
      .rsp_valid_o   (rsp_valid[g]),
      .rsp_ready_i,
      .rsp_o         (rsp[g]),
      .mem_valid_o   (mem_valid_part),
      .mem_line_o    (mem_line_part),
      .rsp_taken_o   (rsp_taken[g]),
      .rsp_dev_load_o(rsp_dev_load[g]),
      .unexpected_o  (unexpected[g]),
      .bad_rsp_o     (bad_rsp[g]),
      .isolate_i,
      .down_i,
      .refuse_o      (refuse[g]),
      .tick_i,
      .timed_out_o   (timed_out[g]),
      .busy_o        (busy[g]),
      .tr_alloc_o    (tr_alloc[g]),
      .tr_req_o      (tr_req[g]),
      .tr_rwd_o      (tr_rwd[g]),
      .tr_spec_o     (tr_spec[g]),
      .tr_respond_o  (tr_respond[g])
    );

    assign mem_valid[g] = $bits(mem_valid[g])'(mem_valid_part);
    assign mem_line[g]  = $bits(mem_line[g])'(mem_line_part);
  end

  assign in_ready_o     = in_ready[size_i];
  assign spec_ready_o   = spec_ready[size_i];
  assign hint_ready_o   = hint_ready[size_i];
  assign req_valid_o    = req_valid[size_i];
  assign req_hdr_o      = req_hdr[size_i];
  assign rwd_valid_o    = rwd_valid[size_i];
  assign rwd_hdr_o      = rwd_hdr[size_i];
  assign rwd_data_o     = rwd_data[size_i];
  assign rwd_be_o       = rwd_be[size_i];
  assign ndr_ready_o    = ndr_ready[size_i];
  assign drs_ready_o    = drs_ready[size_i];
  assign rsp_valid_o    = rsp_valid[size_i];
  assign rsp_o          = rsp[size_i];
  assign mem_valid_o    = mem_valid[size_i];
  assign mem_line_o     = mem_line[size_i];
  assign rsp_taken_o    = rsp_taken[size_i];
  assign rsp_dev_load_o = rsp_dev_load[size_i];
  assign unexpected_o   = unexpected[size_i];
  assign bad_rsp_o      = bad_rsp[size_i];
  assign refuse_o       = refuse[size_i];
  assign timed_out_o    = timed_out[size_i];
  assign busy_o         = busy[size_i];
  assign tr_alloc_o     = tr_alloc[size_i];
  assign tr_req_o       = tr_req[size_i];
  assign tr_rwd_o       = tr_rwd[size_i];
  assign tr_spec_o      = tr_spec[size_i];
  assign tr_respond_o   = tr_respond[size_i];

endmodule
