// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ds_engine with its index and nothing else, in two sizes: 256 lines with 8 writes, and the root
// port's 1024 lines with 16 writes. large_i chooses the one that is clocked and whose outputs show;
// it changes in reset only.

module ds_alone_tb
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
(
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              large_i,
  input  logic              fence_i,
  input  logic              isolate_i,
  input  logic              clear_error_i,
  input  logic [4:0]        max_writes_i,
  input  logic              direct_i,
  input  logic              flush_i,
  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic [639:0]      req_i,
  output logic              sr_valid_o,
  input  logic              sr_ready_i,
  input  logic              head_valid_i,
  output logic              head_ready_o,
  input  logic [639:0]      head_req_i,
  output logic              mq_valid_o,
  input  logic              mq_ready_i,
  output logic [639:0]      mq_req_o,
  input  logic [31:0]       load_valid_i,
  input  logic [31:0][45:0] load_line_i,
  input  logic [29:0]       mem_valid_i,
  input  logic [29:0][45:0] mem_line_i,
  input  logic              mq_rsp_valid_i,
  output logic              mq_rsp_ready_o,
  input  logic [529:0]      mq_rsp_i,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [529:0]      rsp_o,
  output logic              lm_valid_o,
  input  logic              lm_ready_i,
  output logic [594:0]      lm_req_o,
  input  logic              lm_rsp_valid_i,
  output logic              lm_rsp_ready_o,
  input  logic [518:0]      lm_rsp_i,
  output logic              empty_o,
  output logic              error_o,
  output logic [12:0]       count_o,
  output logic [9:0]        ev_o
);

  logic [1:0]        req_ready, sr_valid, head_ready, mq_valid, mq_rsp_ready, rsp_valid;
  logic [1:0]        lm_valid, lm_rsp_ready, empty, error;
  logic [1:0][639:0] mq_req;
  logic [1:0][529:0] rsp;
  logic [1:0][594:0] lm_req;
  logic [1:0][12:0]  count;
  logic [1:0][9:0]   ev;

  for (genvar g = 0; g < 2; g++) begin : gen_size
    localparam int unsigned Depth = (g == 0) ? 256 : 1024;
    localparam int unsigned S     = $clog2(Depth);

    logic         clk, ix_valid, ix_ready, ix_rsp_valid, ix_found, unused_we;
    logic [1:0]   ix_op;
    line_addr_t   ix_key;
    logic [S-1:0] ix_slot, ix_rsp_slot, unused_slot;
    logic [S:0]   pending, unused_count, unused_root;
    sys_req_t     unused_sr_req;
    logic [1+3*(1+S)+LineAddrBits-1:0] unused_node;

    assign clk = clk_i && large_i == 1'(g);

    ds_index #(
      .Depth  (Depth),
      .KeyBits(LineAddrBits)
    ) u_index (
      .clk_i      (clk),
      .rst_ni,
      .clear_i    (1'b0),
      .req_valid_i(ix_valid),
      .req_ready_o(ix_ready),
      .op_i       (ix_op),
      .key_i      (ix_key),
      .slot_i     (ix_slot),
      .rsp_valid_o(ix_rsp_valid),
      .found_o    (ix_found),
      .slot_o     (ix_rsp_slot),
      .count_o    (unused_count),
      .root_o     (unused_root),
      .node_we_o  (unused_we),
      .node_slot_o(unused_slot),
      .node_o     (unused_node)
    );

    ds_engine #(
      .Depth (Depth),
      .Writes((g == 0) ? 8 : 16)
    ) u_engine (
      .clk_i         (clk),
      .rst_ni,
      .enable_i      (1'b1),
      .fence_i,
      .isolate_i,
      .clear_error_i,
      .max_writes_i,
      .direct_i,
      .flush_i,
      .req_valid_i,
      .req_ready_o   (req_ready[g]),
      .req_i,
      .sr_valid_o    (sr_valid[g]),
      .sr_ready_i,
      .sr_req_o      (unused_sr_req),
      .head_valid_i,
      .head_ready_o  (head_ready[g]),
      .head_req_i,
      .mq_valid_o    (mq_valid[g]),
      .mq_ready_i,
      .mq_req_o      (mq_req[g]),
      .load_valid_i,
      .load_line_i,
      .mem_valid_i,
      .mem_line_i,
      .mq_rsp_valid_i,
      .mq_rsp_ready_o(mq_rsp_ready[g]),
      .mq_rsp_i,
      .rsp_valid_o   (rsp_valid[g]),
      .rsp_ready_i,
      .rsp_o         (rsp[g]),
      .lm_valid_o    (lm_valid[g]),
      .lm_ready_i,
      .lm_req_o      (lm_req[g]),
      .lm_rsp_valid_i,
      .lm_rsp_ready_o(lm_rsp_ready[g]),
      .lm_rsp_i,
      .ix_valid_o    (ix_valid),
      .ix_ready_i    (ix_ready),
      .ix_op_o       (ix_op),
      .ix_key_o      (ix_key),
      .ix_slot_o     (ix_slot),
      .ix_rsp_valid_i(ix_rsp_valid),
      .ix_found_i    (ix_found),
      .ix_slot_i     (ix_rsp_slot),
      .empty_o       (empty[g]),
      .error_o       (error[g]),
      .count_o       (pending),
      .ev_o          (ev[g])
    );

    assign count[g] = 13'(pending);
  end

  assign req_ready_o    = req_ready[large_i];
  assign sr_valid_o     = sr_valid[large_i];
  assign head_ready_o   = head_ready[large_i];
  assign mq_valid_o     = mq_valid[large_i];
  assign mq_req_o       = mq_req[large_i];
  assign mq_rsp_ready_o = mq_rsp_ready[large_i];
  assign rsp_valid_o    = rsp_valid[large_i];
  assign rsp_o          = rsp[large_i];
  assign lm_valid_o     = lm_valid[large_i];
  assign lm_req_o       = lm_req[large_i];
  assign lm_rsp_ready_o = lm_rsp_ready[large_i];
  assign empty_o        = empty[large_i];
  assign error_o        = error[large_i];
  assign count_o        = count[large_i];
  assign ev_o           = ev[large_i];

endmodule
