// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Loads and stores through sr_queue and memory_queue: each is answered once, within a stated number of
// cycles, if the endpoint answers and the GPU takes. The watched one is any; the queues may be full
// of others, and MemSpecRd may go before them in every second cycle, which is what sr_reader does.
//
// The endpoint holds one load and one store and answers them the cycle after they came, or when they
// are taken. Nothing stands between: the bound is that of the queues and of their arbitration.

module loads_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned SrDepth = 2,
  parameter int unsigned MemDepth = 3,
  parameter int unsigned SpecEntries = 1,
  parameter bit          Stores = 1'b1,
  parameter bit          Specs = 1'b1,
  parameter int unsigned Bound = 10
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input line_addr_t line_i,
  input logic       is_write_i,
  input logic       spec_i,
  input logic       watch_i   // the access that goes in now is the watched one
);

  localparam sys_id_t Watched = 16'h0001;

  sys_req_t   req;
  sys_req_t   head;
  logic       in_ready, head_valid, head_ready, take;
  logic       watching_q, done_q;
  logic [7:0] waited_q;

  assign take = valid_i && in_ready;
  always_comb begin
    req      = '0;
    req.line = line_i;
    req.is_write = Stores && is_write_i;
    req.be   = '1;
    req.id   = (watch_i && !watching_q && !done_q) ? Watched : '0;
  end

  logic                                          rd_valid, rd_is_load, rd_head;
  line_addr_t                                    rd_line;
  logic [$clog2(SrDepth)-1:0]                    rd_index;
  logic [SrDepth-1:0]                            load_valid;
  logic [SrDepth-1:0][LineAddrBits-1:0]          load_line;
  logic [$clog2(SrDepth+1)-1:0]                  sr_count;

  sr_queue #(.Depth(SrDepth)) u_sr (
    .clk_i, .rst_ni, .in_valid_i(valid_i), .in_ready_o(in_ready), .in_req_i(req), .beside_i(1'b0),
    .head_valid_o(head_valid), .head_ready_i(head_ready), .head_req_o(head),
    .rd_valid_o(rd_valid), .rd_is_load_o(rd_is_load), .rd_line_o(rd_line), .rd_index_o(rd_index),
    .rd_head_o(rd_head), .rd_next_i(1'b0), .load_valid_o(load_valid), .load_line_o(load_line),
    .count_o(sr_count));

  logic        spec_ready, hint_ready, req_valid, rwd_valid, ndr_ready, drs_ready, rsp_valid, rsp_taken;
  logic        timed_out, busy, refuse, bad_rsp;
  msg_hdr_t    req_hdr, rwd_hdr;
  line_t       rwd_data;
  byte_en_t    rwd_be;
  sys_rsp_t    rsp;
  logic [1:0]  dev_load;
  logic [31:0] unexpected;
  trace_t      tr_alloc, tr_req, tr_rwd, tr_spec, tr_respond;
  logic [MemDepth-SpecEntries-1:0]                   mem_valid;
  logic [MemDepth-SpecEntries-1:0][LineAddrBits-1:0] mem_line;

  // The endpoint's answers, with the tag of the request, a cycle later
  m2s_req_t msg;
  s2m_drs_t drs;
  logic     owed_q;
  logic [15:0] tag_q;
  m2s_rwd_t store;
  s2m_ndr_t ndr;
  logic     stored_q, spec_valid, spec_taken_q;
  logic [15:0] stored_tag_q;
  assign msg        = req_hdr[$bits(m2s_req_t)-1:0];
  assign store      = rwd_hdr[$bits(m2s_rwd_t)-1:0];
  assign spec_valid = Specs && spec_i && !spec_taken_q;
  always_comb begin
    drs       = '0;
    drs.valid = owed_q;
    drs.tag   = tag_q;
    ndr       = '0;
    ndr.valid = stored_q;
    ndr.tag   = stored_tag_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q       <= 1'b0;
      stored_q     <= 1'b0;
      spec_taken_q <= 1'b0;
    end else begin
      if (!owed_q || drs_ready)   owed_q   <= req_valid && msg.opcode == MemRd;
      if (!stored_q || ndr_ready) stored_q <= rwd_valid;
      spec_taken_q <= spec_valid && spec_ready;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!owed_q || drs_ready)   tag_q        <= msg.tag;
    if (!stored_q || ndr_ready) stored_tag_q <= store.tag;
  end

  memory_queue #(.Depth(MemDepth), .SpecEntries(SpecEntries)) u_mem (
    .clk_i, .rst_ni, .in_valid_i(head_valid), .in_ready_o(head_ready), .in_req_i(head),
    .spec_valid_i(spec_valid), .spec_ready_o(spec_ready), .spec_first_i('0), .spec_len_i('0),
    .spec_line_i('0), .hint_valid_i(1'b0), .hint_ready_o(hint_ready), .hint_first_i('0), .hint_len_i('0),
    .len_en_i(1'b0), .req_valid_o(req_valid),
    .req_ready_i(!owed_q || drs_ready), .req_hdr_o(req_hdr), .rwd_valid_o(rwd_valid),
    .rwd_ready_i(!stored_q || ndr_ready), .rwd_hdr_o(rwd_hdr), .rwd_data_o(rwd_data), .rwd_be_o(rwd_be),
    .ndr_valid_i(stored_q), .ndr_ready_o(ndr_ready), .ndr_hdr_i(msg_hdr_t'(ndr)), .drs_valid_i(owed_q),
    .drs_ready_o(drs_ready), .drs_hdr_i(msg_hdr_t'(drs)), .drs_data_i('0),
    .rsp_valid_o(rsp_valid), .rsp_ready_i(1'b1), .rsp_o(rsp), .mem_valid_o(mem_valid),
    .mem_line_o(mem_line), .rsp_taken_o(rsp_taken), .rsp_dev_load_o(dev_load),
    .unexpected_o(unexpected), .bad_rsp_o(bad_rsp), .isolate_i(1'b0), .down_i(1'b0),
    .refuse_o(refuse), .tick_i(1'b0), .timed_out_o(timed_out), .busy_o(busy), .tr_alloc_o(tr_alloc), .tr_req_o(tr_req), .tr_rwd_o(tr_rwd),
    .tr_spec_o(tr_spec), .tr_respond_o(tr_respond));

  logic answered;
  assign answered = rsp_valid && rsp.id == Watched;

  logic is_write_q;
  always_ff @(posedge clk_i) if (take && req.id == Watched) is_write_q <= req.is_write;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watching_q <= 1'b0;
      done_q     <= 1'b0;
      waited_q   <= '0;
    end else begin
      if (take && req.id == Watched) watching_q <= 1'b1;
      if (watching_q) waited_q <= waited_q + 8'd1;
      if (answered) begin
        watching_q <= 1'b0;
        done_q     <= 1'b1;
      end
    end
  end

  Bound_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      watching_q |-> 32'(waited_q) < Bound);
  Once_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      answered |-> watching_q && !rsp.error && rsp.is_write == is_write_q);
  Expected_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      unexpected == '0 && !bad_rsp && !refuse);

endmodule
