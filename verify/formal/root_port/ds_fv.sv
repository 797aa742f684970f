// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store, switched on, with the two queues around it, a local memory that takes when it
// likes and an endpoint with a memory of its own: a load returns what the last store to its line before
// it left there, wherever that is by then: in the store FIFO, local memory, on its way, or partly each.
// Two lines; the loads and stores are any. All assertions of the engine's parts are proven here.

module ds_fv
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
#(
  parameter int unsigned Depth = 4,
  parameter int unsigned Writes = 2,
  parameter int unsigned SrDepth = 2,
  parameter int unsigned Loads = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic       is_write_i,
  input logic       line_i,
  input byte_en_t   be_i,
  input line_t      data_i,
  input logic       watch_i,     // the load that goes in now is the watched one
  input logic       rsp_ready_i,
  input logic       lm_ready_i,
  input logic       lm_answer_i, // local memory answers, if it owes one
  input logic       answer_i,    // the endpoint answers a load, if it owes one
  input logic       stored_i,    // and a store
  input logic [1:0] dev_load_i
);

  localparam sys_id_t     Watched = 16'h0001;
  localparam int unsigned MemDepth = Loads + 1;

  // ---------------------------------------------------------------------------------------------
  // GPU: what is offered stays until it is taken
  // ---------------------------------------------------------------------------------------------
  sys_req_t req, req_q;
  logic     kept_q, req_valid, req_ready, take, on, watching_q, done_q;

  always_comb begin
    req = req_q;
    if (!kept_q) begin
      req          = '0;
      req.is_write = is_write_i;
      req.line     = line_addr_t'(line_i);
      req.be       = be_i;
      req.data     = is_write_i ? data_i : '0;
      if (watch_i && !is_write_i && !watching_q && !done_q) req.id = Watched;
    end
  end
  assign req_valid = on && (valid_i || kept_q);
  assign take      = req_valid && req_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 1'b0;
    else         kept_q <= req_valid && !req_ready;
  end
  always_ff @(posedge clk_i) req_q <= req;

  // ---------------------------------------------------------------------------------------------
  // Switched on in the first cycles
  // ---------------------------------------------------------------------------------------------
  reg_req_t    reg_req;
  logic [31:0] rdata;
  logic [1:0]  count_q;
  always_comb begin
    reg_req = '0;
    if (count_q == 2'd0) begin
      reg_req.valid = 1'b1;
      reg_req.write = 1'b1;
      reg_req.addr  = 16'(RpDsControlOffset);
      reg_req.wdata = RpDsControlReset | 32'(1 << RpDsControlEnableLsb);
    end
  end
  assign on = count_q == 2'd3;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)    count_q <= '0;
    else if (!on) count_q <= count_q + 2'd1;
  end

  // ---------------------------------------------------------------------------------------------
  // Engine and queues
  // ---------------------------------------------------------------------------------------------
  logic     sr_valid, sr_ready, head_valid, head_ready, mq_valid, mq_ready, mq_rsp_valid, mq_rsp_ready;
  logic     rsp_valid, lm_valid, lm_rsp_ready, busy, rsp_taken, lm_owes_q;
  logic     lm_answer_q;  // local memory's answer is offered, and stays
  sys_req_t sr_req, head_req, mq_req;
  sys_rsp_t mq_rsp, rsp;
  lm_req_t  lm_req;
  lm_rsp_t  lm_rsp_q;
  logic [1:0] dev_load;
  logic [45:0] lm_line;
  trace_t   tr_ds, tr_alloc, tr_req, tr_rwd, tr_spec, tr_respond;
  logic [SrDepth-1:0]                   load_valid;
  logic [SrDepth-1:0][LineAddrBits-1:0] load_line;
  logic [Loads-1:0]                     mem_valid;
  logic [Loads-1:0][LineAddrBits-1:0]   mem_line;

  deterministic_store #(.Depth(Depth), .Writes(Writes), .SrDepth(SrDepth), .MemEntries(Loads)) u_ds (
    .clk_i, .rst_ni, .reg_req_i(reg_req), .reg_rdata_o(rdata), .busy_i(busy), .isolate_i(1'b0),
    .dev_valid_i(rsp_taken), .dev_load_i(dev_load), .req_valid_i(req_valid), .req_ready_o(req_ready),
    .req_i(req), .sr_valid_o(sr_valid), .sr_ready_i(sr_ready), .sr_req_o(sr_req),
    .head_valid_i(head_valid), .head_ready_o(head_ready), .head_req_i(head_req),
    .mq_valid_o(mq_valid), .mq_ready_i(mq_ready), .mq_req_o(mq_req), .load_valid_i(load_valid),
    .load_line_i(load_line), .mem_valid_i(mem_valid), .mem_line_i(mem_line),
    .mq_rsp_valid_i(mq_rsp_valid), .mq_rsp_ready_o(mq_rsp_ready), .mq_rsp_i(mq_rsp),
    .rsp_valid_o(rsp_valid), .rsp_ready_i, .rsp_o(rsp), .lm_valid_o(lm_valid),
    .lm_ready_i(lm_ready_i && !lm_owes_q), .lm_req_o(lm_req), .lm_line_o(lm_line),
    .lm_rsp_valid_i(lm_owes_q && lm_answer_q), .lm_rsp_ready_o(lm_rsp_ready), .lm_rsp_i(lm_rsp_q),
    .tr_ds_o(tr_ds));

  logic                          rd_valid, rd_is_load, rd_head;
  line_addr_t                    rd_line;
  logic [$clog2(SrDepth)-1:0]    rd_index;
  logic [$clog2(SrDepth+1)-1:0]  sr_count;
  sr_queue #(.Depth(SrDepth)) u_sr (
    .clk_i, .rst_ni, .in_valid_i(sr_valid), .in_ready_o(sr_ready), .in_req_i(sr_req),
    .beside_i(take && !sr_valid), .head_valid_o(head_valid), .head_ready_i(head_ready), .head_req_o(head_req),
    .rd_valid_o(rd_valid), .rd_is_load_o(rd_is_load), .rd_line_o(rd_line), .rd_index_o(rd_index),
    .rd_head_o(rd_head), .rd_next_i(1'b0), .load_valid_o(load_valid), .load_line_o(load_line),
    .count_o(sr_count));

  logic        spec_ready, hint_ready, mem_req_valid, rwd_valid, ndr_ready, drs_ready, timed_out;
  logic        refuse, bad_rsp;
  msg_hdr_t    req_hdr, rwd_hdr;
  line_t       rwd_data;
  byte_en_t    rwd_be;
  logic [31:0] unexpected;
  m2s_req_t    read;
  m2s_rwd_t    store;
  s2m_drs_t    drs;
  s2m_ndr_t    ndr;
  logic        owed_q, stored_q, drs_valid, ndr_valid;
  logic [15:0] tag_q, stored_tag_q;
  line_t       read_q;
  logic [1:0]  drs_level_q, ndr_level_q;

  memory_queue #(.Depth(MemDepth), .SpecEntries(1)) u_mem (
    .clk_i, .rst_ni, .in_valid_i(mq_valid), .in_ready_o(mq_ready), .in_req_i(mq_req),
    .spec_valid_i(1'b0), .spec_ready_o(spec_ready), .spec_first_i('0), .spec_len_i('0),
    .spec_line_i('0), .hint_valid_i(1'b0), .hint_ready_o(hint_ready), .hint_first_i('0), .hint_len_i('0),
    .len_en_i(1'b0), .req_valid_o(mem_req_valid), .req_ready_i(!owed_q),
    .req_hdr_o(req_hdr), .rwd_valid_o(rwd_valid), .rwd_ready_i(!stored_q), .rwd_hdr_o(rwd_hdr),
    .rwd_data_o(rwd_data), .rwd_be_o(rwd_be), .ndr_valid_i(ndr_valid), .ndr_ready_o(ndr_ready),
    .ndr_hdr_i(msg_hdr_t'(ndr)), .drs_valid_i(drs_valid), .drs_ready_o(drs_ready),
    .drs_hdr_i(msg_hdr_t'(drs)), .drs_data_i(read_q), .rsp_valid_o(mq_rsp_valid),
    .rsp_ready_i(mq_rsp_ready), .rsp_o(mq_rsp), .mem_valid_o(mem_valid), .mem_line_o(mem_line),
    .rsp_taken_o(rsp_taken), .rsp_dev_load_o(dev_load), .unexpected_o(unexpected),
    .bad_rsp_o(bad_rsp), .isolate_i(1'b0), .down_i(1'b0), .refuse_o(refuse), .tick_i(1'b0),
    .timed_out_o(timed_out), .busy_o(busy),
    .tr_alloc_o(tr_alloc), .tr_req_o(tr_req), .tr_rwd_o(tr_rwd), .tr_spec_o(tr_spec),
    .tr_respond_o(tr_respond));

  // ---------------------------------------------------------------------------------------------
  // Local memory: one read at a time, answered when it likes
  // ---------------------------------------------------------------------------------------------
  line_t local_q [Depth];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lm_owes_q   <= 1'b0;
      lm_answer_q <= 1'b0;
    end else if (!lm_owes_q) begin
      lm_owes_q   <= lm_valid && lm_ready_i && !lm_req.write;
      lm_answer_q <= lm_answer_i;
    end else if (lm_answer_q && lm_rsp_ready) begin
      lm_owes_q   <= 1'b0;
    end else begin
      lm_answer_q <= lm_answer_q || lm_answer_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (lm_valid && lm_ready_i && !lm_owes_q) begin
      lm_rsp_q <= '{error: 1'b0, kind: lm_req.kind, index: lm_req.index,
                    data: local_q[lm_req.slot[$clog2(Depth)-1:0]]};
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (lm_req.write && lm_req.be[b]) begin
          local_q[lm_req.slot[$clog2(Depth)-1:0]][8*b +: 8] <= lm_req.data[8*b +: 8];
        end
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Endpoint: one load and one store, done as they come, answered when it likes
  // ---------------------------------------------------------------------------------------------
  line_t [1:0] memory_q;
  logic        answer_q, stored_answer_q;
  assign read      = req_hdr[$bits(m2s_req_t)-1:0];
  assign store     = rwd_hdr[$bits(m2s_rwd_t)-1:0];
  assign drs_valid = owed_q && answer_q;
  assign ndr_valid = stored_q && stored_answer_q;
  always_comb begin
    drs          = '0;
    drs.valid    = drs_valid;
    drs.tag      = tag_q;
    drs.dev_load = drs_level_q;
    ndr          = '0;
    ndr.valid    = ndr_valid;
    ndr.tag      = stored_tag_q;
    ndr.dev_load = ndr_level_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owed_q          <= 1'b0;
      stored_q        <= 1'b0;
      answer_q        <= 1'b0;
      stored_answer_q <= 1'b0;
      memory_q        <= '0;
    end else begin
      if (!owed_q)                     owed_q <= mem_req_valid;
      else if (drs_valid && drs_ready) owed_q <= 1'b0;
      answer_q <= owed_q && (answer_q || answer_i) && !(drs_valid && drs_ready);
      if (!stored_q)                   stored_q <= rwd_valid;
      else if (ndr_valid && ndr_ready) stored_q <= 1'b0;
      stored_answer_q <= stored_q && (stored_answer_q || stored_i) && !(ndr_valid && ndr_ready);
      if (rwd_valid && !stored_q) begin
        for (int unsigned b = 0; b < LineBytes; b++) begin
          if (rwd_be[b]) memory_q[store.addr_51_6[0]][8*b +: 8] <= rwd_data[8*b +: 8];
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!owed_q) begin
      tag_q       <= read.tag;
      read_q      <= memory_q[read.addr_51_5[1]];
      drs_level_q <= dev_load_i;
    end
    if (!stored_q) begin
      stored_tag_q <= store.tag;
      ndr_level_q  <= dev_load_i;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What each line holds in the order of the GPU, and what the watched load must see
  // ---------------------------------------------------------------------------------------------
  line_t [1:0] truth_q;
  line_t       expected_q;
  logic        answered;
  assign answered = rsp_valid && rsp.id == Watched;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      truth_q    <= '0;
      watching_q <= 1'b0;
      done_q     <= 1'b0;
    end else begin
      for (int unsigned b = 0; b < LineBytes; b++) begin
        if (take && req.is_write && req.be[b]) begin
          truth_q[req.line[0]][8*b +: 8] <= req.data[8*b +: 8];
        end
      end
      if (take && req.id == Watched) watching_q <= 1'b1;
      if (answered && rsp_ready_i) begin
        watching_q <= 1'b0;
        done_q     <= 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (take && req.id == Watched) expected_q <= truth_q[req.line[0]];
  end

  Sees_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      answered |-> watching_q && !rsp.is_write && !rsp.error && rsp.data == expected_q);
  Expected_A: assert property (@(posedge clk_i) disable iff (!rst_ni) unexpected == '0);

endmodule
