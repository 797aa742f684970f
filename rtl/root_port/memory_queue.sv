// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Memory queue: everything a root port has outstanding at its controller.
//
//   entry   0 .. Loads-1                      Loads .. Depth-1
//   holds   a load or a store; entry = tag    a MemSpecRd
//   frees   with its response                 when handed to the controller
//
// One allocation a cycle, MemSpecRd first, so that neither kind can starve the other: they use
// different entries. Allocation appends the entry to the Req order (MemRd, MemSpecRd) or to the RwD
// order; the two heads are offered to the controller independently. A line is held by one load or
// store at a time, which keeps accesses to a line in order.
//
// Responses: DRS before NDR, one a cycle, into one register. One that answers no entry is dropped
// and counted, so a faulty device cannot upset the queue.
//
// In isolation nothing goes out and nothing that comes counts: the orders are emptied, and the
// entries are answered with an error, lowest first, one a cycle.
//
// Age: `late` marks an entry that was there at a tick. One that is late at a tick has timed out.
//
// Latency: one cycle from acceptance to the offer to the controller; one from the controller's
// receive FIFO to the response register.
//
// Source: CXL 2.0, CXL.mem messages of a Type 3 device; CXL 3.0, 8.2.4.23 (isolation);
// docs/blocks.md.

module memory_queue
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth       = 32,
  parameter  int unsigned SpecEntries = 2,
  localparam int unsigned Loads       = Depth - SpecEntries
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // Head of the SR queue
  input  logic                               in_valid_i,
  output logic                               in_ready_o,
  input  sys_req_t                           in_req_i,
  // SR reader
  input  logic                               spec_valid_i,
  output logic                               spec_ready_o,
  input  granule_t                           spec_first_i,
  input  logic [1:0]                         spec_len_i,
  input  line_addr_t                         spec_line_i,
  input  logic                               len_en_i,
  // To the controller
  output logic                               req_valid_o,
  input  logic                               req_ready_i,
  output msg_hdr_t                           req_hdr_o,
  output logic                               rwd_valid_o,
  input  logic                               rwd_ready_i,
  output msg_hdr_t                           rwd_hdr_o,
  output line_t                              rwd_data_o,
  output byte_en_t                           rwd_be_o,
  // From the controller
  input  logic                               ndr_valid_i,
  output logic                               ndr_ready_o,
  input  msg_hdr_t                           ndr_hdr_i,
  input  logic                               drs_valid_i,
  output logic                               drs_ready_o,
  input  msg_hdr_t                           drs_hdr_i,
  input  line_t                              drs_data_i,
  // Responses
  output logic                               rsp_valid_o,
  input  logic                               rsp_ready_i,
  output sys_rsp_t                           rsp_o,
  // Lines of the loads and stores held
  output logic [Loads-1:0]                   mem_valid_o,
  output logic [Loads-1:0][LineAddrBits-1:0] mem_line_o,
  // A response was matched this cycle
  output logic                               rsp_taken_o,
  output logic [1:0]                         rsp_dev_load_o,
  output logic [31:0]                        unexpected_o,
  // Isolation and time-out. isolate_i falls only after a cycle without busy_o.
  input  logic                               isolate_i,
  input  logic                               tick_i,
  output logic                               timed_out_o,
  output logic                               busy_o,
  // Trace
  output trace_t                             tr_alloc_o,
  output trace_t                             tr_req_o,
  output trace_t                             tr_rwd_o,
  output trace_t                             tr_spec_o,
  output trace_t                             tr_respond_o
);

  if (Depth < 2 || Depth > 64) begin : g_bad_depth
    $error("memory_queue: Depth must be 2..64, the tag has six bits in the trace");
  end
  if (SpecEntries < 1 || SpecEntries >= Depth) begin : g_bad_spec
    $error("memory_queue: SpecEntries must be 1..Depth-1");
  end

  localparam int unsigned IdxBits  = $clog2(Depth);
  localparam int unsigned SpecBits = (SpecEntries > 1) ? $clog2(SpecEntries) : 1;
  typedef logic [IdxBits-1:0]  idx_t;
  typedef logic [SpecBits-1:0] spec_idx_t;

  // ---------------------------------------------------------------------------------------------
  // Entries. Keys and state bits in flops seen in parallel, the rest in memories.
  // ---------------------------------------------------------------------------------------------
  logic [Loads-1:0]                   valid_q;
  logic [Loads-1:0]                   sent_q;      // handed over, the answer may come
  logic [Loads-1:0]                   late_q;      // was there at a tick
  logic [Loads-1:0]                   is_write_q;
  logic [Loads-1:0][LineAddrBits-1:0] line_q;
  sys_id_t                            id_q [Loads];
  byte_en_t                           be_q [Loads];
  line_t                              data_q [Loads];
  logic                               poison_q [Loads];

  logic [SpecEntries-1:0]             spec_valid_q;
  line_addr_t                         spec_addr_q [SpecEntries];  // address[51:6] as sent
  logic                               spec_len_en_q [SpecEntries];

  // ---------------------------------------------------------------------------------------------
  // Allocation
  // ---------------------------------------------------------------------------------------------
  logic      alloc, alloc_spec, held;
  idx_t      free_idx;
  spec_idx_t spec_free_idx;

  always_comb begin
    free_idx = '0;
    if (in_valid_i) begin
      for (int unsigned i = 0; i < Loads; i++) begin
        if (!valid_q[Loads-1-i]) free_idx = idx_t'(Loads - 1 - i);
      end
    end
  end
  always_comb begin
    spec_free_idx = '0;
    for (int unsigned i = 0; i < SpecEntries; i++) begin
      if (!spec_valid_q[SpecEntries-1-i]) spec_free_idx = spec_idx_t'(SpecEntries - 1 - i);
    end
  end
  always_comb begin
    held = 1'b0;
    if (in_valid_i && !(&valid_q)) begin  // a full queue takes nothing anyway
      for (int unsigned i = 0; i < Loads; i++) begin
        if (valid_q[i]) begin
          if (line_q[i] == in_req_i.line) held = 1'b1;
        end
      end
    end
  end

  assign spec_ready_o = !(&spec_valid_q);
  assign alloc_spec   = spec_valid_i && spec_ready_o;
  assign in_ready_o   = !(&valid_q) && !held && !alloc_spec;
  assign alloc        = in_valid_i && in_ready_o;

  // ---------------------------------------------------------------------------------------------
  // Order of hand-over
  // ---------------------------------------------------------------------------------------------
  logic req_push, req_pop, req_room, req_valid, req_sent;
  logic rwd_push, rwd_pop, rwd_room, rwd_valid, rwd_sent;
  idx_t req_in, req_idx, rwd_idx;
  logic [$clog2(Depth+1)-1:0] unused_req_count;
  logic [$clog2(Loads+1)-1:0] unused_rwd_count;

  assign req_push = alloc_spec || (alloc && !in_req_i.is_write);
  assign req_in   = alloc_spec ? idx_t'(Loads) + idx_t'(spec_free_idx) : free_idx;
  assign rwd_push = alloc && in_req_i.is_write;

  fifo #(
    .Width(IdxBits),
    .Depth(Depth)
  ) u_req_order (
    .clk_i,
    .rst_ni,
    .in_valid_i (req_push),
    .in_ready_o (req_room),
    .in_data_i  (req_in),
    .out_valid_o(req_valid),
    .out_ready_i(req_pop),
    .out_data_o (req_idx),
    .count_o    (unused_req_count)
  );

  fifo #(
    .Width(IdxBits),
    .Depth(Loads)
  ) u_rwd_order (
    .clk_i,
    .rst_ni,
    .in_valid_i (rwd_push),
    .in_ready_o (rwd_room),
    .in_data_i  (free_idx),
    .out_valid_o(rwd_valid),
    .out_ready_i(rwd_pop),
    .out_data_o (rwd_idx),
    .count_o    (unused_rwd_count)
  );

  // In isolation an order empties by itself; the entry it names may be free or another's by then.
  assign req_valid_o = req_valid && !isolate_i;
  assign rwd_valid_o = rwd_valid && !isolate_i;
  assign req_sent    = req_valid_o && req_ready_i;
  assign rwd_sent    = rwd_valid_o && rwd_ready_i;
  assign req_pop     = req_sent || (req_valid && isolate_i);
  assign rwd_pop     = rwd_sent || (rwd_valid && isolate_i);

  // Messages
  logic      req_is_spec;
  spec_idx_t req_spec;
  m2s_req_t  req_msg;
  m2s_rwd_t  rwd_msg;
  assign req_is_spec = req_idx >= idx_t'(Loads);
  assign req_spec    = spec_idx_t'(req_idx - idx_t'(Loads));

  always_comb begin
    req_msg = '0;
    if (req_valid_o) begin
      req_msg.valid      = 1'b1;
      req_msg.snp_type   = SnpNoOp;
      req_msg.meta_field = MetaFieldNoOp;
      req_msg.meta_value = MetaValueInvalid;
      if (req_is_spec) begin
        req_msg.opcode    = MemSpecRd;
        req_msg.addr_51_5 = {spec_addr_q[req_spec], 1'b0};
      end else begin
        req_msg.opcode    = MemRd;
        req_msg.tag       = 16'(req_idx);
        req_msg.addr_51_5 = {line_q[req_idx], 1'b0};
      end
    end
  end
  always_comb begin
    rwd_msg    = '0;
    rwd_data_o = '0;
    rwd_be_o   = '0;
    if (rwd_valid_o) begin
      rwd_data_o         = data_q[rwd_idx];
      rwd_be_o           = be_q[rwd_idx];
      rwd_msg.valid      = 1'b1;
      rwd_msg.opcode     = (&rwd_be_o) ? MemWr : MemWrPtl;
      rwd_msg.snp_type   = SnpNoOp;
      rwd_msg.meta_field = MetaFieldState;
      rwd_msg.meta_value = MetaValueAny;
      rwd_msg.tag        = 16'(rwd_idx);
      rwd_msg.addr_51_6  = line_q[rwd_idx];
      rwd_msg.poison     = poison_q[rwd_idx];
    end
  end
  assign req_hdr_o = req_msg;
  assign rwd_hdr_o = rwd_msg;

  // ---------------------------------------------------------------------------------------------
  // Responses
  // ---------------------------------------------------------------------------------------------
  s2m_ndr_t    ndr;
  s2m_drs_t    drs;
  logic        can_take, consume, match, give_up;
  logic [15:0] rsp_tag;
  logic [1:0]  rsp_dev_load;
  idx_t        tag_idx, rsp_idx;
  logic        rsp_valid_q;
  sys_rsp_t    rsp_q;
  logic [31:0] unexpected_q;

  assign ndr          = ndr_hdr_i[S2mNdrBits-1:0];
  assign drs          = drs_hdr_i[S2mDrsBits-1:0];
  assign can_take     = !rsp_valid_q || rsp_ready_i;
  assign drs_ready_o  = can_take || isolate_i;
  assign ndr_ready_o  = (can_take && !drs_valid_i) || isolate_i;
  assign consume      = can_take && (drs_valid_i || ndr_valid_i) && !isolate_i;
  assign rsp_tag      = drs_valid_i ? drs.tag : ndr.tag;
  assign rsp_dev_load = drs_valid_i ? drs.dev_load : ndr.dev_load;
  assign tag_idx      = idx_t'(rsp_tag);

  always_comb begin
    match = 1'b0;
    if (consume && rsp_tag < 16'(Loads)) begin
      match = valid_q[tag_idx] && sent_q[tag_idx] && is_write_q[tag_idx] != drs_valid_i;
    end
  end

  // In isolation the lowest entry is answered here. rsp_idx is the entry that leaves, either way.
  assign give_up = isolate_i && can_take && valid_q != '0;
  always_comb begin
    rsp_idx = tag_idx;
    if (isolate_i) rsp_idx = idx_t'(first_one(64'(valid_q)));
  end

  assign rsp_taken_o    = match;
  assign rsp_dev_load_o = match ? rsp_dev_load : '0;

  always_ff @(posedge clk_i) begin
    if (match || give_up) begin
      rsp_q.id       <= id_q[rsp_idx];
      rsp_q.is_write <= is_write_q[rsp_idx];
    end
    if (give_up) begin
      rsp_q.error <= 1'b1;
      rsp_q.data  <= '1;
    end else if (match) begin
      rsp_q.error <= drs_valid_i && drs.poison;
      if (drs_valid_i) rsp_q.data <= drs_data_i;
    end
  end

  assign rsp_valid_o  = rsp_valid_q;
  assign rsp_o        = rsp_q;
  assign unexpected_o = unexpected_q;

  assign busy_o      = valid_q != '0 || spec_valid_q != '0 || req_valid || rwd_valid;
  assign timed_out_o = tick_i && !isolate_i && (valid_q & late_q) != '0;

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q      <= '0;
      sent_q       <= '0;
      late_q       <= '0;
      spec_valid_q <= '0;
      rsp_valid_q  <= 1'b0;
      unexpected_q <= '0;
    end else begin
      if (tick_i) late_q <= valid_q;
      if (alloc) begin
        valid_q[free_idx] <= 1'b1;
        sent_q[free_idx]  <= 1'b0;
        late_q[free_idx]  <= 1'b0;
      end
      if (alloc_spec) spec_valid_q[spec_free_idx] <= 1'b1;
      if (req_pop && req_is_spec) spec_valid_q[req_spec] <= 1'b0;
      if (req_sent && !req_is_spec) sent_q[req_idx] <= 1'b1;
      if (rwd_sent) sent_q[rwd_idx] <= 1'b1;
      if (match || give_up) valid_q[rsp_idx] <= 1'b0;
      if (can_take) rsp_valid_q <= match || give_up;
      if (consume && !match) unexpected_q <= unexpected_q + 32'd1;
    end
  end

  // Payload: no reset, it counts only while its entry is valid.
  always_ff @(posedge clk_i) begin
    if (alloc) begin
      line_q[free_idx]     <= in_req_i.line;
      is_write_q[free_idx] <= in_req_i.is_write;
      id_q[free_idx]       <= in_req_i.id;
      if (in_req_i.is_write) begin
        be_q[free_idx]     <= in_req_i.be;
        data_q[free_idx]   <= in_req_i.data;
        poison_q[free_idx] <= in_req_i.poison;
      end
    end
    if (alloc_spec) begin
      spec_addr_q[spec_free_idx]   <= len_en_i ? {spec_first_i, spec_len_i} : spec_line_i;
      spec_len_en_q[spec_free_idx] <= len_en_i;
    end
  end

  assign mem_valid_o = valid_q;
  assign mem_line_o  = line_q;

  // ---------------------------------------------------------------------------------------------
  // Trace
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    tr_alloc_o   = '0;
    tr_req_o     = '0;
    tr_rwd_o     = '0;
    tr_spec_o    = '0;
    tr_respond_o = '0;
    if (alloc) begin
      tr_alloc_o.valid = 1'b1;
      tr_alloc_o.id    = in_req_i.id;
      tr_alloc_o.line  = in_req_i.line;
      tr_alloc_o.info  = 8'(free_idx);
    end
    if (req_sent) begin
      if (req_is_spec) begin
        tr_spec_o.valid = 1'b1;
        tr_spec_o.line  = spec_addr_q[req_spec];
        tr_spec_o.info  = 8'd1;
        if (spec_len_en_q[req_spec]) begin
          tr_spec_o.line[1:0] = 2'b00;
          tr_spec_o.info      = 8'(spec_addr_q[req_spec][1:0]) + 8'd1;
        end
      end else begin
        tr_req_o.valid = 1'b1;
        tr_req_o.id    = 16'(req_idx);
        tr_req_o.line  = line_q[req_idx];
        tr_req_o.info  = 8'(req_msg.opcode);
      end
    end
    if (rwd_sent) begin
      tr_rwd_o.valid = 1'b1;
      tr_rwd_o.id    = 16'(rwd_idx);
      tr_rwd_o.line  = line_q[rwd_idx];
      tr_rwd_o.info  = 8'(rwd_msg.opcode);
    end
    if (match || give_up) begin
      tr_respond_o.valid = 1'b1;
      tr_respond_o.id    = id_q[rsp_idx];
      tr_respond_o.line  = line_q[rsp_idx];
      tr_respond_o.info  = {rsp_dev_load_o, 6'(rsp_idx)};
    end
  end

  // Of a response only tag, poison and DevLoad matter to a host without metadata or LD-ID.
  logic unused_rsp;
  assign unused_rsp = ^{ndr, drs, ndr_hdr_i[MsgHdrBits-1:S2mNdrBits],
                        drs_hdr_i[MsgHdrBits-1:S2mDrsBits]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_push |-> req_room);
  assert property (@(posedge clk_i) disable iff (!rst_ni) rwd_push |-> rwd_room);
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(alloc && alloc_spec));
  assert property (@(posedge clk_i) disable iff (!rst_ni) alloc |-> !valid_q[free_idx]);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    alloc_spec |-> !spec_valid_q[spec_free_idx]);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_sent && !req_is_spec) |-> valid_q[req_idx] && !sent_q[req_idx] && !is_write_q[req_idx]);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_pop && req_is_spec) |-> spec_valid_q[req_spec]);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    rwd_sent |-> valid_q[rwd_idx] && !sent_q[rwd_idx] && is_write_q[rwd_idx]);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_o && !req_ready_i) |=> isolate_i || (req_valid_o && $stable(req_hdr_o)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rwd_valid_o && !rwd_ready_i) |=> isolate_i || (rwd_valid_o && $stable(rwd_hdr_o)));
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o && $stable(rsp_o.id));
  // Isolation: silent outward, no response counted, and the caller ends it on an empty queue only
  // (an order left over would name entries that are others' by then).
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    isolate_i |-> !req_valid_o && !rwd_valid_o && !rsp_taken_o && ndr_ready_o && drs_ready_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) (isolate_i && busy_o) |=> isolate_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni)
    (isolate_i && valid_q != '0 && (!rsp_valid_o || rsp_ready_i)) |=> rsp_valid_o && rsp_o.error);
  assert property (@(posedge clk_i) disable iff (!rst_ni) timed_out_o |-> tick_i && busy_o);

endmodule
