// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Memory queue: everything a root port has outstanding at its controller.
//
//   entry   0 .. Loads-1                      Loads .. Depth-1
//   holds   a load or a store; entry = tag    a MemSpecRd
//   frees   with its response                 when handed to the controller
//
// One allocation a cycle, MemSpecRd first, so that neither kind can starve the other: they use
// different entries. A MemSpecRd of a hint comes last, and only while no other is here, so that it
// delays a load by a slot of the link at most. Allocation appends the entry to the Req order
// (MemRd, MemSpecRd) or to the RwD order; the two heads are offered to the controller
// independently. A line is held by one load or store at a time, which keeps accesses to a line in
// order.
//
// Responses: DRS and NDR by turns, one a cycle, into one register. sent[tag] says that the far end
// owes an answer under a tag, whatever became of the entry. What no tag owes is dropped and
// counted, so a faulty device cannot upset the queue; an answer with a reserved opcode ends its
// request with an error.
//
// Refusing (isolation, link down, or something owed that no entry waits for): nothing goes out, the
// orders are emptied, the entries are answered with an error, one a cycle, round robin. What is
// accepted meanwhile is born refused (own) and never goes out, so that refusing can end under
// traffic: with the orders empty and the older entries gone.
//
// Age: `late` marks an entry that was there at a tick. One that is late at a tick has timed out.
//
// Latency: one cycle from acceptance to the offer to the controller; one from the controller's
// receive FIFO to the response register.
//
// Source: CXL 2.0, CXL.mem messages of a Type 3 device; CXL 3.x, 8.2.4.24 (isolation);
// docs/blocks/root_port/memory_queue.md.

module memory_queue
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter  int unsigned Depth       = DefaultSizes.memory_queue_entries,  // entries in all, 2..64
  parameter  int unsigned SpecEntries = 2,  // entries for MemSpecRd alone, 1..Depth-1
  localparam int unsigned Loads       = Depth - SpecEntries
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // Head of the SR queue
  input  logic                               in_valid_i,  // a load or store is offered
  output logic                               in_ready_o,  // low: no entry free, a request of the
                                                          // line is outstanding, or a MemSpecRd is
                                                          // taken
  input  sys_req_t                           in_req_i,    // the request
  // SR reader
  input  logic                               spec_valid_i,  // a MemSpecRd is offered; not in the
                                                            // cycle after one was taken
  output logic                               spec_ready_o,  // low: no entry for MemSpecRd free
  input  granule_t                           spec_first_i,  // first granule; sent with len_en_i
  input  logic [1:0]                         spec_len_i,    // granules - 1; sent with len_en_i
  input  line_addr_t                         spec_line_i,   // line of the load; sent without
                                                            // len_en_i
  // Hints
  input  logic                               hint_valid_i,  // a MemSpecRd of a hint is offered
  output logic                               hint_ready_o,  // low: a MemSpecRd is here or offered
                                                            // above, or a load or store is taken
  input  granule_t                           hint_first_i,  // first granule; without len_en_i its
                                                            // first line is sent
  input  logic [1:0]                         hint_len_i,    // granules - 1; sent with len_en_i
  // Of both
  input  logic                               len_en_i,      // level: a MemSpecRd taken now has a
                                                            // length
  // To the controller
  output logic                               req_valid_o,  // MemRd or MemSpecRd; withdrawn by
                                                           // refuse_o
  input  logic                               req_ready_i,  // the controller takes it
  output msg_hdr_t                           req_hdr_o,    // M2S Req; 0 without req_valid_o
  output logic                               rwd_valid_o,  // MemWr or MemWrPtl; withdrawn by
                                                           // refuse_o
  input  logic                               rwd_ready_i,  // the controller takes it
  output msg_hdr_t                           rwd_hdr_o,    // M2S RwD; 0 without rwd_valid_o
  output line_t                              rwd_data_o,   // its line; 0 without rwd_valid_o
  output byte_en_t                           rwd_be_o,     // its enables; 0 without rwd_valid_o
  // From the controller
  input  logic                               ndr_valid_i,  // an NDR was received
  output logic                               ndr_ready_o,  // low: rsp_o stalls, a refusal is
                                                           // answered, or DRS has its turn
  input  msg_hdr_t                           ndr_hdr_i,    // S2M NDR
  input  logic                               drs_valid_i,  // a DRS was received
  output logic                               drs_ready_o,  // low: rsp_o stalls, a refusal is
                                                           // answered, or NDR has its turn
  input  msg_hdr_t                           drs_hdr_i,    // S2M DRS
  input  line_t                              drs_data_i,   // its line
  // Responses
  output logic                               rsp_valid_o,  // a response; stays until taken
  input  logic                               rsp_ready_i,  // low stalls the responses
  output sys_rsp_t                           rsp_o,        // the response; data all ones if refused
  // To the address window
  output logic [Loads-1:0]                   mem_valid_o,  // by tag: a request is outstanding
  output logic [Loads-1:0][LineAddrBits-1:0] mem_line_o,   // its line, valid with mem_valid_o
  // To load control, and faults of the device
  output logic                               rsp_taken_o,     // pulse: an answer to a request is
                                                              // consumed
  output logic [1:0]                         rsp_dev_load_o,  // its DevLoad; 0 without rsp_taken_o
  output logic [31:0]                        unexpected_o,    // stray and bad responses since
                                                              // reset; wraps
  output logic                               bad_rsp_o,       // pulse: foreign LD-ID or reserved
                                                              // opcode
  // Isolation, link down, time-out
  input  logic                               isolate_i,    // level: refuse everything
  input  logic                               down_i,       // level: no link, nothing is owed
  output logic                               refuse_o,     // level: requests are answered with an
                                                           // error, nothing goes out
  input  logic                               tick_i,       // pulse: a time-out period is over
  output logic                               timed_out_o,  // pulse, with tick_i: a request has
                                                           // waited for a whole period
  output logic                               busy_o,       // level: a request from before refusing
                                                           // has no response, or is to be handed
                                                           // over
  // Trace
  output trace_t                             tr_alloc_o,   // a load or store is taken; id of the
                                                           // system, info tag
  output trace_t                             tr_req_o,     // a load is handed over; id tag, info
                                                           // opcode
  output trace_t                             tr_rwd_o,     // a store is handed over; id tag, info
                                                           // opcode
  output trace_t                             tr_spec_o,    // a MemSpecRd is handed over; info
                                                           // granules, id 1 of a hint
  output trace_t                             tr_respond_o  // answered or refused; id of the system,
                                                           // info {DevLoad, tag[5:0]}
);

  if (Depth < 2 || Depth > 64) begin : g_bad_depth
    $error("memory_queue: Depth of 2..64 is %0d", Depth);  // a tag has six bits in the trace
  end
  if (SpecEntries < 1 || SpecEntries >= Depth) begin : g_bad_spec
    $error("memory_queue: SpecEntries must be 1..Depth-1");
  end

  localparam int unsigned IdxBits  = $clog2(Depth);
  localparam int unsigned TagBits  = (Loads > 1) ? $clog2(Loads) : 1;
  localparam int unsigned SpecBits = (SpecEntries > 1) ? $clog2(SpecEntries) : 1;
  typedef logic [IdxBits-1:0]  idx_t;
  typedef logic [TagBits-1:0]  tag_t;  // an entry of a load or store
  typedef logic [SpecBits-1:0] spec_idx_t;

  // ---------------------------------------------------------------------------------------------
  // Entries. Keys and state bits in flops seen in parallel, the rest in memories.
  // ---------------------------------------------------------------------------------------------
  logic [Loads-1:0]                   valid_q;
  logic [Loads-1:0]                   own_q;       // born refused: never handed over
  logic [Loads-1:0]                   late_q;      // was there at a tick
  logic [Loads-1:0]                   sent_q;      // by tag: handed over, an answer is owed
  logic [Loads-1:0]                   sent_write_q;  // by tag: and it is an NDR
  logic [Loads-1:0]                   is_write_q;
  logic [Loads-1:0][LineAddrBits-1:0] line_q;
  sys_id_t                            id_q [Loads];
  byte_en_t                           be_q [Loads];
  line_t                              data_q [Loads];
  logic                               poison_q [Loads];

  logic [SpecEntries-1:0]             spec_valid_q;
  line_addr_t                         spec_addr_q [SpecEntries];  // address[51:6] as sent
  logic                               spec_len_en_q [SpecEntries];
  logic                               spec_hint_q [SpecEntries];

  // ---------------------------------------------------------------------------------------------
  // Allocation
  // ---------------------------------------------------------------------------------------------
  logic      alloc, alloc_spec, alloc_hint, hint_may, held, refuse, closing_q;
  tag_t      free_idx;
  spec_idx_t spec_free_idx;

  always_comb begin
    free_idx = '0;
    if (in_valid_i) begin
      for (int unsigned i = 0; i < Loads; i++) begin
        if (!valid_q[Loads-1-i]) free_idx = tag_t'(Loads - 1 - i);
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
  assign hint_may     = spec_valid_q == '0 && !spec_valid_i;
  assign hint_ready_o = hint_may && !alloc;
  assign alloc_hint   = hint_valid_i && hint_ready_o;

  // ---------------------------------------------------------------------------------------------
  // Order of hand-over
  // ---------------------------------------------------------------------------------------------
  logic req_push, req_pop, req_room, req_valid, req_sent;
  logic rwd_push, rwd_pop, rwd_room, rwd_valid, rwd_sent;
  idx_t req_in, req_head;
  tag_t req_idx, rwd_idx;
  logic [$clog2(Depth+1)-1:0] unused_req_count;
  logic [$clog2(Loads+1)-1:0] unused_rwd_count;

  // A load or store is late: its lookup is the last choice.
  assign req_push = (alloc ? !in_req_i.is_write : (alloc_spec || (hint_may && hint_valid_i)))
                    && !refuse;
  assign req_in   = alloc ? idx_t'(free_idx) : idx_t'(Loads) + idx_t'(spec_free_idx);
  assign rwd_push = alloc && in_req_i.is_write && !refuse;

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
    .out_data_o (req_head),
    .count_o    (unused_req_count)
  );

  fifo #(
    .Width(TagBits),
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

  // While refusing an order empties by itself; the entry it names may be free or another's by then.
  assign req_valid_o = req_valid && !refuse;
  assign rwd_valid_o = rwd_valid && !refuse;
  assign req_sent    = req_valid_o && req_ready_i;
  assign rwd_sent    = rwd_valid_o && rwd_ready_i;
  assign req_pop     = req_sent || (req_valid && refuse);
  assign rwd_pop     = rwd_sent || (rwd_valid && refuse);

  // Messages
  logic      req_is_spec;
  spec_idx_t req_spec;
  m2s_req_t  req_msg;
  m2s_rwd_t  rwd_msg;
  assign req_is_spec = req_head >= idx_t'(Loads);
  assign req_spec    = spec_idx_t'(req_head - idx_t'(Loads));
  assign req_idx     = tag_t'(req_head);

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
  s2m_ndr_t         ndr;
  s2m_drs_t         drs;
  tag_t             drs_idx, ndr_idx, rsp_idx, own_idx, own_start_q;
  logic             drs_is_answer, ndr_is_answer, drs_good, ndr_good, drs_known, ndr_known;
  logic             can_take, take_drs, take_ndr, ndr_turn_q, match, good, give_up;
  logic [Loads-1:0] to_refuse, answered;
  logic             rsp_valid_q;
  sys_rsp_t         rsp_q;
  logic [31:0]      unexpected_q;

  assign ndr = ndr_hdr_i[S2mNdrBits-1:0];
  assign drs = drs_hdr_i[S2mDrsBits-1:0];

  // What is an answer, and which is good. Opcodes above Cmp-E and MemData are reserved in CXL 2.0;
  // BI-ConflictAck of 3.x is no completion.
  localparam logic [2:0] BiConflictAck = 3'd4;

  assign drs_idx   = tag_t'(drs.tag);
  assign ndr_idx   = tag_t'(ndr.tag);
  assign drs_good  = drs.opcode == MemData;
  assign ndr_good  = ndr.opcode inside {Cmp, CmpS, CmpE};
  assign drs_known = drs_good && drs.ld_id == '0;
  assign ndr_known = ndr_good && ndr.ld_id == '0;

  always_comb begin
    drs_is_answer = 1'b0;
    ndr_is_answer = 1'b0;
    if (drs_valid_i && drs.tag < 16'(Loads) && drs.ld_id == '0) begin
      drs_is_answer = sent_q[drs_idx] && !sent_write_q[drs_idx];
    end
    if (ndr_valid_i && ndr.tag < 16'(Loads) && ndr.ld_id == '0 &&
        ndr.opcode != BiConflictAck) begin
      ndr_is_answer = sent_q[ndr_idx] && sent_write_q[ndr_idx];
    end
  end

  // Something is owed that no entry waits for: a later answer would pass for another's.
  logic stale;
  assign stale    = (sent_q & ~(valid_q & ~own_q)) != '0;
  assign refuse   = isolate_i || down_i || closing_q || stale;
  assign refuse_o = refuse;

  // Entries to be answered here, the first at or after own_start_q, going round.
  assign can_take  = !rsp_valid_q || rsp_ready_i;
  assign to_refuse = refuse ? valid_q : (valid_q & own_q);
  assign give_up   = to_refuse != '0 && can_take;

  always_comb begin
    logic found;
    found   = 1'b0;
    own_idx = '0;
    if (to_refuse != '0) begin
      for (int unsigned i = 0; i < Loads; i++) begin
        if (!found && to_refuse[i] && tag_t'(i) >= own_start_q) begin
          found   = 1'b1;
          own_idx = tag_t'(i);
        end
      end
      if (!found) own_idx = tag_t'(first_one(64'(to_refuse)));
    end
  end

  // The response register takes one: an entry of the above, or what comes, by turns.
  logic open;
  assign open        = can_take && to_refuse == '0 && !refuse;
  assign take_drs    = open && drs_valid_i && !(ndr_valid_i && ndr_turn_q);
  assign take_ndr    = open && ndr_valid_i && !(drs_valid_i && !ndr_turn_q);
  assign drs_ready_o = refuse || (open && !(ndr_valid_i && ndr_turn_q));
  assign ndr_ready_o = refuse || (open && !(drs_valid_i && !ndr_turn_q));
  assign match       = (take_drs && drs_is_answer) || (take_ndr && ndr_is_answer);
  assign good        = take_drs ? drs_good : ndr_good;
  assign bad_rsp_o   = (take_drs && !drs_known) || (take_ndr && !ndr_known);

  always_comb begin
    rsp_idx = take_drs ? drs_idx : ndr_idx;
    if (give_up) rsp_idx = own_idx;
  end

  // Owed no more, whether its entry still waits or not.
  always_comb begin
    answered = '0;
    if (drs_is_answer && drs_ready_o) answered[drs_idx] = 1'b1;
    if (ndr_is_answer && ndr_ready_o) answered[ndr_idx] = 1'b1;
  end

  assign rsp_taken_o    = match;
  assign rsp_dev_load_o = match ? (take_drs ? drs.dev_load : ndr.dev_load) : '0;

  always_ff @(posedge clk_i) begin
    if (match || give_up) begin
      rsp_q.id       <= id_q[rsp_idx];
      rsp_q.is_write <= is_write_q[rsp_idx];
    end
    if (give_up || (match && !good)) begin
      rsp_q.error <= 1'b1;
      rsp_q.data  <= '1;
    end else if (match) begin
      rsp_q.error <= take_drs && drs.poison;
      if (take_drs) rsp_q.data <= drs_data_i;
    end
  end

  assign rsp_valid_o  = rsp_valid_q;
  assign rsp_o        = rsp_q;
  assign unexpected_o = unexpected_q;

  assign busy_o      = (valid_q & ~own_q) != '0 || spec_valid_q != '0 || req_valid || rwd_valid;
  assign timed_out_o = tick_i && !refuse && (valid_q & ~own_q & late_q) != '0;

  // ---------------------------------------------------------------------------------------------
  // State
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q      <= '0;
      own_q        <= '0;
      late_q       <= '0;
      sent_q       <= '0;
      sent_write_q <= '0;
      spec_valid_q <= '0;
      closing_q    <= 1'b0;
      own_start_q  <= '0;
      ndr_turn_q   <= 1'b0;
      rsp_valid_q  <= 1'b0;
      unexpected_q <= '0;
    end else begin
      closing_q <= refuse && busy_o;
      if (tick_i) late_q <= valid_q;
      if (alloc) begin
        valid_q[free_idx] <= 1'b1;
        own_q[free_idx]   <= refuse;
        late_q[free_idx]  <= 1'b0;
      end
      if ((alloc_spec || alloc_hint) && !refuse) spec_valid_q[spec_free_idx] <= 1'b1;
      if (req_pop && req_is_spec) spec_valid_q[req_spec] <= 1'b0;
      if (match || give_up) valid_q[rsp_idx] <= 1'b0;
      if (give_up) own_start_q <= (own_idx == tag_t'(Loads - 1)) ? '0 : own_idx + tag_t'(1);

      for (int unsigned i = 0; i < Loads; i++) begin
        if (answered[i]) sent_q[i] <= 1'b0;
      end
      if (req_sent && !req_is_spec) begin
        sent_q[req_idx]       <= 1'b1;
        sent_write_q[req_idx] <= 1'b0;
      end
      if (rwd_sent) begin
        sent_q[rwd_idx]       <= 1'b1;
        sent_write_q[rwd_idx] <= 1'b1;
      end
      if (down_i) sent_q <= '0;

      if (take_drs || take_ndr) ndr_turn_q <= take_drs;
      if (can_take) rsp_valid_q <= match || give_up;
      if ((take_drs || take_ndr) && !(match && good)) unexpected_q <= unexpected_q + 32'd1;
    end
  end

  // address[51:6] of the MemSpecRd that is taken
  line_addr_t spec_addr;
  always_comb begin
    spec_addr = {hint_first_i, len_en_i ? hint_len_i : 2'd0};
    if (spec_valid_i) spec_addr = len_en_i ? {spec_first_i, spec_len_i} : spec_line_i;
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
    if (alloc_spec || alloc_hint) begin
      spec_addr_q[spec_free_idx]   <= spec_addr;
      spec_len_en_q[spec_free_idx] <= len_en_i;
      spec_hint_q[spec_free_idx]   <= !spec_valid_i;
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
        tr_spec_o.id    = 16'(spec_hint_q[req_spec]);
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

  // Metadata and what else a response has do not matter to a host without.
  logic unused_rsp;
  assign unused_rsp = ^{ndr, drs, ndr_hdr_i[MsgHdrBits-1:S2mNdrBits],
                        drs_hdr_i[MsgHdrBits-1:S2mDrsBits]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  ReqRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) req_push |-> req_room)
      else $error("a load or MemSpecRd is accepted without room in the order of Req");
  RwdRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) rwd_push |-> rwd_room)
      else $error("a store is accepted without room in the order of RwD");
  OneAccepted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({alloc, alloc_spec, alloc_hint}))
      else $error("two of MemSpecRd, hint, and load or store are accepted in one cycle");
  HintAlone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      alloc_hint |-> spec_valid_q == '0 && !spec_valid_i)
      else $error("a MemSpecRd of a hint is accepted beside another MemSpecRd");
  HintYields_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hint_ready_o |-> !(in_valid_i && in_ready_o))
      else $error("a MemSpecRd of a hint is accepted in the cycle of a load or store");
  AllocFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni) alloc |-> !valid_q[free_idx])
      else $error("a load or store takes an entry in use");
  SpecAllocFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (alloc_spec || alloc_hint) |-> !spec_valid_q[spec_free_idx])
      else $error("a MemSpecRd takes an entry in use");
  ReqSentOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_sent && !req_is_spec) |-> valid_q[req_idx] && !sent_q[req_idx] && !is_write_q[req_idx])
      else $error("a MemRd is sent twice, for a store, or under a tag still owed");
  SpecSentValid_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_pop && req_is_spec) |-> spec_valid_q[req_spec])
      else $error("a MemSpecRd is handed over from an empty entry");
  RwdSentOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rwd_sent |-> valid_q[rwd_idx] && !sent_q[rwd_idx] && is_write_q[rwd_idx])
      else $error("a MemWr is sent twice, for a load, or under a tag still owed");
  ReqStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_o && !req_ready_i) |=> refuse || (req_valid_o && $stable(req_hdr_o)))
      else $error("a stalled Req is withdrawn or changes, without refusing");
  RwdStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rwd_valid_o && !rwd_ready_i) |=> refuse || (rwd_valid_o && $stable(rwd_hdr_o)))
      else $error("a stalled RwD is withdrawn or changes, without refusing");
  RwdDataStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rwd_valid_o && !rwd_ready_i) |=> refuse || ($stable(rwd_data_o) && $stable(rwd_be_o)))
      else $error("data or enables of a stalled RwD change");
  RspStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o && $stable(rsp_o))
      else $error("a stalled response is withdrawn or changes");
  RefuseIsSilent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      refuse |-> !req_valid_o && !rwd_valid_o && !rsp_taken_o && ndr_ready_o && drs_ready_o)
      else $error("a message is sent, or an answer stalled or used, while refusing");
  RefuseAnswers_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (refuse && valid_q != '0 && can_take) |=> rsp_valid_o && rsp_o.error)
      else $error("a request gets no error response while refusing");
  // It begins with its causes and ends with nothing owed and no order left: an order left over
  // would name entries that are others' by then.
  RefuseReason_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (isolate_i || down_i) |-> refuse_o)
      else $error("isolated or without a link, but requests are not refused");
  RefuseEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (refuse && busy_o) |=> refuse)
      else $error("refusing ends with older requests unanswered or still to be sent");
  OwnIsNotSent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_sent && !req_is_spec) |-> !own_q[req_idx])
      else $error("a load accepted while refusing is sent");
  OwnWriteIsNotSent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rwd_sent |-> !own_q[rwd_idx])
      else $error("a store accepted while refusing is sent");
  TagNotOwed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (alloc && !refuse) |-> !sent_q[free_idx])
      else $error("a tag is used again while an answer is owed under it");
  MatchWaits_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      match |-> valid_q[rsp_idx] && !own_q[rsp_idx] && is_write_q[rsp_idx] == take_ndr)
      else $error("an answer is matched to a request that does not wait for it");
  NdrHasItsTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (take_drs && ndr_valid_i) |=> !take_drs || !ndr_valid_i)
      else $error("an NDR waits for more than one DRS");
  DrsHasItsTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (take_ndr && drs_valid_i) |=> !take_ndr || !drs_valid_i)
      else $error("a DRS waits for more than one NDR");
  OneTaken_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(take_drs && take_ndr) && !(give_up && (take_drs || take_ndr)))
      else $error("two responses are made in one cycle");
  TimedOutAtTick_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      timed_out_o |-> tick_i && busy_o)
      else $error("a time-out without a tick or without a request");

endmodule
