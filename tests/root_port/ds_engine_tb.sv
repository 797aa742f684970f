// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Four ds_engine side by side: the default one (element 0 of each port), a small one whose region is
// often full, one of 16 lines with a single endpoint write, the least of a root port, and one of 4096
// lines with 64 writes and queues of 64, the most. most_i, which changes in reset only, chooses
// whether the last is clocked or the other three; it has ports of its own for the lines of its
// queues. Structs that come out stand in elements whose width is a multiple of 32 bits, slots and
// counts in those of the largest; what is above is not used. Structs that go in have a port each:
// assertions sample them, and Verilator 5.006 makes code that does not compile of the sampling of
// very wide ports.

module ds_engine_tb
  import cxlgpu_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   most_i,
  input  logic [3:0]             enable_i,
  input  logic [3:0]             fence_i,
  input  logic [3:0]             isolate_i,
  input  logic [3:0]             clear_error_i,
  input  logic [3:0][6:0]        max_writes_i,
  input  logic [3:0]             direct_i,
  input  logic [3:0]             flush_i,
  input  logic [3:0]             oldest_i,
  input  logic [3:0]             req_valid_i,
  output logic [3:0]             req_ready_o,
  input  logic [639:0]           req0_i,
  input  logic [639:0]           req1_i,
  input  logic [639:0]           req2_i,
  input  logic [639:0]           req3_i,
  output logic [3:0]             sr_valid_o,
  input  logic [3:0]             sr_ready_i,
  output logic [3:0][639:0]      sr_req_o,
  input  logic [3:0]             head_valid_i,
  output logic [3:0]             head_ready_o,
  input  logic [639:0]           head_req0_i,
  input  logic [639:0]           head_req1_i,
  input  logic [639:0]           head_req2_i,
  input  logic [639:0]           head_req3_i,
  output logic [3:0]             mq_valid_o,
  input  logic [3:0]             mq_ready_i,
  output logic [3:0][639:0]      mq_req_o,
  input  logic [2:0][31:0]       load_valid_i,
  input  logic [2:0][31:0][45:0] load_line_i,
  input  logic [2:0][29:0]       mem_valid_i,
  input  logic [2:0][29:0][45:0] mem_line_i,
  input  logic [63:0]            load_valid3_i,
  input  logic [63:0][45:0]      load_line3_i,
  input  logic [61:0]            mem_valid3_i,
  input  logic [61:0][45:0]      mem_line3_i,
  input  logic [3:0]             mq_rsp_valid_i,
  output logic [3:0]             mq_rsp_ready_o,
  input  logic [529:0]           mq_rsp0_i,
  input  logic [529:0]           mq_rsp1_i,
  input  logic [529:0]           mq_rsp2_i,
  input  logic [529:0]           mq_rsp3_i,
  output logic [3:0]             rsp_valid_o,
  input  logic [3:0]             rsp_ready_i,
  output logic [3:0][543:0]      rsp_o,
  output logic [3:0]             lm_valid_o,
  input  logic [3:0]             lm_ready_i,
  output logic [3:0][607:0]      lm_req_o,
  input  logic [3:0]             lm_rsp_valid_i,
  output logic [3:0]             lm_rsp_ready_o,
  input  logic [520:0]           lm_rsp0_i,
  input  logic [520:0]           lm_rsp1_i,
  input  logic [520:0]           lm_rsp2_i,
  input  logic [520:0]           lm_rsp3_i,
  output logic [3:0]             ix_valid_o,
  input  logic [3:0]             ix_ready_i,
  output logic [3:0][1:0]        ix_op_o,
  output logic [3:0][45:0]       ix_key_o,
  output logic [3:0][11:0]       ix_slot_o,
  input  logic [3:0]             ix_rsp_valid_i,
  input  logic [3:0]             ix_found_i,
  input  logic [3:0][11:0]       ix_slot_i,
  output logic [3:0]             empty_o,
  output logic [3:0]             error_o,
  output logic [3:0][12:0]       count_o,
  output logic [3:0][9:0]        ev_o
);

  for (genvar g = 0; g < 4; g++) begin : gen_engine
    localparam int unsigned Depth   = (g == 0) ? 256 : (g == 1) ? 8 : (g == 2) ? 16 : 4096;
    localparam int unsigned Writes  = (g == 0) ? 8 : (g == 1) ? 3 : (g == 2) ? 1 : 64;
    localparam int unsigned Stores  = (g == 1) ? 4 : (g == 2) ? 2 : 8;
    localparam int unsigned Inserts = (g == 1) ? 2 : (g == 2) ? 1 : 16;
    localparam int unsigned Merges  = (g == 1) ? 1 : (g == 2) ? 3 : 2;
    localparam int unsigned Reads   = (g == 1) ? 2 : (g == 2) ? 4 : 8;
    localparam int unsigned Buckets = (g == 1) ? 16 : (g == 2) ? 32 : 1024;
    localparam int unsigned Queue   = (g == 3) ? 64 : 32;
    localparam int unsigned S       = $clog2(Depth);

    sys_req_t     req, head_req, sr_req, mq_req;
    sys_rsp_t     mq_rsp, rsp;
    lm_req_t      lm_req;
    lm_rsp_t      lm_rsp;
    logic [S-1:0] ix_slot;
    logic [S:0]   count;
    logic         clk;

    logic [Queue-1:0]       load_valid;
    logic [Queue-1:0][45:0] load_line;
    logic [Queue-3:0]       mem_valid;
    logic [Queue-3:0][45:0] mem_line;

    assign clk = clk_i && most_i == (g == 3);

    if (g == 0) begin : gen_in
      assign {req, head_req, mq_rsp, lm_rsp} = {req0_i, head_req0_i, mq_rsp0_i, lm_rsp0_i};
    end else if (g == 1) begin : gen_in
      assign {req, head_req, mq_rsp, lm_rsp} = {req1_i, head_req1_i, mq_rsp1_i, lm_rsp1_i};
    end else if (g == 2) begin : gen_in
      assign {req, head_req, mq_rsp, lm_rsp} = {req2_i, head_req2_i, mq_rsp2_i, lm_rsp2_i};
    end else begin : gen_in
      assign {req, head_req, mq_rsp, lm_rsp} = {req3_i, head_req3_i, mq_rsp3_i, lm_rsp3_i};
    end
    if (g < 3) begin : gen_lines
      assign {load_valid, load_line} = {load_valid_i[g], load_line_i[g]};
      assign {mem_valid, mem_line}   = {mem_valid_i[g], mem_line_i[g]};
    end else begin : gen_lines
      assign {load_valid, load_line} = {load_valid3_i, load_line3_i};
      assign {mem_valid, mem_line}   = {mem_valid3_i, mem_line3_i};
    end

    ds_engine #(
      .Depth     (Depth),
      .Writes    (Writes),
      .Stores    (Stores),
      .Inserts   (Inserts),
      .Merges    (Merges),
      .Reads     (Reads),
      .Buckets   (Buckets),
      .SrDepth   (Queue),
      .MemEntries(Queue - 2)
    ) u_ds_engine (
      .clk_i         (clk),
      .rst_ni,
      .enable_i      (enable_i[g]),
      .fence_i       (fence_i[g]),
      .isolate_i     (isolate_i[g]),
      .clear_error_i (clear_error_i[g]),
      .max_writes_i  (max_writes_i[g]),
      .direct_i      (direct_i[g]),
      .flush_i       (flush_i[g]),
      .oldest_i      (oldest_i[g]),
      .req_valid_i   (req_valid_i[g]),
      .req_ready_o   (req_ready_o[g]),
      .req_i         (req),
      .sr_valid_o    (sr_valid_o[g]),
      .sr_ready_i    (sr_ready_i[g]),
      .sr_req_o      (sr_req),
      .head_valid_i  (head_valid_i[g]),
      .head_ready_o  (head_ready_o[g]),
      .head_req_i    (head_req),
      .mq_valid_o    (mq_valid_o[g]),
      .mq_ready_i    (mq_ready_i[g]),
      .mq_req_o      (mq_req),
      .load_valid_i  (load_valid),
      .load_line_i   (load_line),
      .mem_valid_i   (mem_valid),
      .mem_line_i    (mem_line),
      .mq_rsp_valid_i(mq_rsp_valid_i[g]),
      .mq_rsp_ready_o(mq_rsp_ready_o[g]),
      .mq_rsp_i      (mq_rsp),
      .rsp_valid_o   (rsp_valid_o[g]),
      .rsp_ready_i   (rsp_ready_i[g]),
      .rsp_o         (rsp),
      .lm_valid_o    (lm_valid_o[g]),
      .lm_ready_i    (lm_ready_i[g]),
      .lm_req_o      (lm_req),
      .lm_rsp_valid_i(lm_rsp_valid_i[g]),
      .lm_rsp_ready_o(lm_rsp_ready_o[g]),
      .lm_rsp_i      (lm_rsp),
      .ix_valid_o    (ix_valid_o[g]),
      .ix_ready_i    (ix_ready_i[g]),
      .ix_op_o       (ix_op_o[g]),
      .ix_key_o      (ix_key_o[g]),
      .ix_slot_o     (ix_slot),
      .ix_rsp_valid_i(ix_rsp_valid_i[g]),
      .ix_found_i    (ix_found_i[g]),
      .ix_slot_i     (ix_slot_i[g][S-1:0]),
      .empty_o       (empty_o[g]),
      .error_o       (error_o[g]),
      .count_o       (count),
      .ev_o          (ev_o[g])
    );

    assign sr_req_o[g]  = 640'(sr_req);
    assign mq_req_o[g]  = 640'(mq_req);
    assign rsp_o[g]     = 544'(rsp);
    assign lm_req_o[g]  = 608'(lm_req);
    assign ix_slot_o[g] = 12'(ix_slot);
    assign count_o[g]   = 13'(count);
  end

  logic unused_bits;
  assign unused_bits = ^ix_slot_i;

endmodule
