// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Host bridge: sends each request to the root port that its HDM decoder names, and answers what no
// root port serves.
//
//   H1  one register a way out: each port, and the local answer
//   R   answers of reads    one register each, round robin over the ports and the local answer
//   B   answers of writes
//
// Requests of one way out stay in order; those of different ways out do not wait for each other,
// but one that finds its register occupied holds the bus in front. A miss (no decoder, or a target
// that is no port here) is answered with error: reads give all ones, writes complete.
// A request has the HDM decoder in its first cycle only; its way out is kept while it waits. In all
// other cycles hint_walker may ask the decoder, so hints delay no request, and starve on no bus
// whose requests wait.
// Latency: one cycle each way.
//
// Source: CXL 2.0, 8.2.5.12 and the rules for unmapped addresses; AMBA AXI4 (R and B are
// independent channels).

module host_bridge
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
#(
  parameter int unsigned NumPorts       = 2,      // 1..64: root ports
  parameter logic [7:0]  PortNumberBase = 8'h10,  // 0..256-NumPorts: number of root port 0 in
                                                  // target lists; port i has it + i
  parameter int unsigned NumDecoders    = 4,      // 1..10, 1 or even: HDM decoders
  parameter int unsigned HintDepth      = 16      // 1..64: hints held
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // System side
  input  logic                    req_valid_i,       // a request; decoded in its first cycle;
                                                     // stays until req_ready_o
  output logic                    req_ready_o,       // takes it; comb from req_i; low while one
                                                     // before waits for the same root port
  input  sys_req_t                req_i,             // one line; be and data of a read mean nothing
  output logic                    r_valid_o,         // a read is answered; stays until r_ready_i
  input  logic                    r_ready_i,         // may be low; writes go on
  output sys_id_t                 r_id_o,            // id of the read answered
  output logic                    r_error_o,         // the root port's, or no root port serves it
  output line_t                   r_data_o,          // all ones if no root port serves it
  output logic                    b_valid_o,         // a write is answered; stays until b_ready_i
  input  logic                    b_ready_i,         // may be low; reads go on
  output sys_id_t                 b_id_o,            // id of the write answered
  output logic                    b_error_o,         // the root port's, or no root port serves it
  // Hints
  input  logic                    hint_valid_i,      // pulse: a hint, taken or lost
  input  granule_t                hint_first_i,      // its first granule
  input  logic [11:0]             hint_len_i,        // granules - 1
  // HDM decoder capability structure, and the counters of hints
  input  reg_req_t                reg_req_i,         // an access each cycle, never stalled
  output logic [31:0]             reg_rdata_o,       // the register read in the cycle before; else
                                                     // 0
  // Root ports, [p] is port p
  output logic [NumPorts-1:0]     port_req_valid_o,  // a request for it; stays until taken
  input  logic [NumPorts-1:0]     port_req_ready_i,  // takes it; low stalls requests behind
  output sys_req_t [NumPorts-1:0] port_req_o,        // the request as it came
  input  logic [NumPorts-1:0]     port_rsp_valid_i,  // an answer; stays until taken
  output logic [NumPorts-1:0]     port_rsp_ready_o,  // takes it; low in another's turn, or while
                                                     // answers of its kind stall
  input  sys_rsp_t [NumPorts-1:0] port_rsp_i,        // answers come in any order
  output logic [NumPorts-1:0]     port_hint_valid_o,    // a granule of a hint for it; stays until
                                                        // taken
  input  logic [NumPorts-1:0]     port_hint_ready_i,    // takes it; low stalls all hints behind
  output granule_t                port_hint_granule_o,  // the granule, of the port with valid
  // Trace
  output trace_t                  tr_sys_accept_o    // a request is taken; info 0 is write
);

  localparam int unsigned NumSources = NumPorts + 1;  // the last one is the local answer
  localparam int unsigned SrcBits    = $clog2(NumSources);
  typedef logic [SrcBits-1:0] src_t;
  localparam src_t Local = src_t'(NumPorts);
  localparam int unsigned PortBits = (NumPorts > 1) ? $clog2(NumPorts) : 1;

  if (NumPorts < 1 || NumPorts > 64) begin : g_bad_ports
    $error("host_bridge: NumPorts must be 1..64");
  end
  if (int'(PortNumberBase) + NumPorts > 256) begin : g_bad_base
    $error("host_bridge: port numbers do not fit eight bits");
  end

  // ---------------------------------------------------------------------------------------------
  // Decode of the arriving request, or of a hint's granule
  // ---------------------------------------------------------------------------------------------
  logic       hit, is_port;
  line_addr_t hpa_line;
  logic [7:0] target, port_idx;
  logic [3:0] unused_decoder, unused_way;
  logic       unused_enabled;
  line_addr_t unused_dpa;

  // Of the request that is offered.
  logic waits_q;  // it was offered and not taken in the cycle before
  logic decodes;  // this is its first cycle, in which it has the decoder

  logic        hint_ask, hint_lost, hint_miss;
  granule_t    hint_granule;
  logic [31:0] rdata_hdm;

  hdm_decoder #(
    .IsDevice   (1'b0),
    .NumDecoders(NumDecoders)
  ) u_hdm_decoder (
    .clk_i,
    .rst_ni,
    .reg_req_i,
    .reg_rdata_o(rdata_hdm),
    .enabled_o  (unused_enabled),
    .hpa_valid_i(decodes || hint_ask),
    .hpa_line_i (hpa_line),
    .hit_o      (hit),
    .decoder_o  (unused_decoder),
    .way_o      (unused_way),
    .target_o   (target),
    .dpa_line_o (unused_dpa)
  );

  assign decodes  = req_valid_i && !waits_q;
  assign hpa_line = decodes ? req_i.line : {hint_granule, 2'b00};
  assign port_idx = target - PortNumberBase;
  assign is_port  = hit && 32'(port_idx) < NumPorts;

  // ---------------------------------------------------------------------------------------------
  // Hints
  // ---------------------------------------------------------------------------------------------
  hint_walker #(
    .Depth   (HintDepth),
    .NumPorts(NumPorts)
  ) u_hint_walker (
    .clk_i,
    .rst_ni,
    .in_valid_i    (hint_valid_i),
    .in_first_i    (hint_first_i),
    .in_len_i      (hint_len_i),
    .free_i        (!decodes),
    .ask_o         (hint_ask),
    .granule_o     (hint_granule),
    .hit_i         (is_port),
    .port_i        (PortBits'(port_idx)),
    .port_valid_o  (port_hint_valid_o),
    .port_ready_i  (port_hint_ready_i),
    .port_granule_o(port_hint_granule_o),
    .lost_o        (hint_lost),
    .miss_o        (hint_miss)
  );

  logic [31:0] hints_q, hints_lost_q, hint_misses_q, rdata_hints_q, rdata_hints_d;

  always_comb begin
    rdata_hints_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_hints_d = hb_word('{hints: hints_q, hints_lost: hints_lost_q,
                                hint_misses: hint_misses_q}, reg_req_i.addr[11:2]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hints_q       <= '0;
      hints_lost_q  <= '0;
      hint_misses_q <= '0;
      rdata_hints_q <= '0;
    end else begin
      if (hint_valid_i) hints_q       <= hints_q + 32'd1;
      if (hint_lost)    hints_lost_q  <= hints_lost_q + 32'd1;
      if (hint_miss)    hint_misses_q <= hint_misses_q + 32'd1;
      rdata_hints_q <= rdata_hints_d;
    end
  end

  // Of the two at most one was read; the other says 0.
  assign reg_rdata_o = rdata_hdm | rdata_hints_q;

  // ---------------------------------------------------------------------------------------------
  // H1: a register for each way out
  // ---------------------------------------------------------------------------------------------
  logic [NumSources-1:0] h1_valid_q, h1_leaves, h1_free;
  logic                  accept;
  src_t                  decoded, kept, dest, dest_q;
  sys_id_t               local_id_q;
  logic                  local_write_q, local_taken;

  // The decode comes last. Without a request the local answer is spoken of.
  assign decoded     = is_port ? src_t'(port_idx) : Local;
  assign kept        = waits_q ? dest_q : Local;
  assign dest        = decodes ? decoded : kept;
  assign h1_leaves   = {local_taken, h1_valid_q[NumPorts-1:0] & port_req_ready_i};
  assign h1_free     = ~h1_valid_q | h1_leaves;
  assign req_ready_o = h1_free[dest];
  assign accept      = req_valid_i && req_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q    <= 1'b0;
      h1_valid_q <= '0;
    end else begin
      waits_q <= req_valid_i && !req_ready_o;
      for (int unsigned s = 0; s < NumSources; s++) begin
        if (h1_leaves[s]) h1_valid_q[s] <= 1'b0;
        if (accept && dest == src_t'(s)) h1_valid_q[s] <= 1'b1;
      end
    end
  end

  // Payload: no reset, it counts only with its valid. The way out of a request that waits is the
  // one before, so dest_q may follow in every cycle.
  always_ff @(posedge clk_i) begin
    dest_q <= dest;
    if (accept && dest == Local) begin
      local_id_q    <= req_i.id;
      local_write_q <= req_i.is_write;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : g_h1
    sys_req_t req_q;

    always_ff @(posedge clk_i) begin
      if (accept && dest == src_t'(p)) req_q <= req_i;
    end
    assign port_req_o[p] = req_q;

    OfferStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (port_req_valid_o[p] && !port_req_ready_i[p]) |=> port_req_valid_o[p] && $stable(req_q))
      else $error("a request for a root port changed or vanished before it was taken");
  end
  assign port_req_valid_o = h1_valid_q[NumPorts-1:0];

  // ---------------------------------------------------------------------------------------------
  // Responses: each source offers one, and the offer's kind says which register it is for
  // ---------------------------------------------------------------------------------------------
  sys_rsp_t [NumSources-1:0] offer;
  logic     [NumSources-1:0] offer_valid, offer_write, taken;

  assign offer_valid = {h1_valid_q[Local], port_rsp_valid_i};
  always_comb begin
    for (int unsigned p = 0; p < NumPorts; p++) offer[p] = port_rsp_i[p];
    offer[Local].id       = local_id_q;
    offer[Local].is_write = local_write_q;
    offer[Local].error    = 1'b1;
    offer[Local].data     = '1;
    for (int unsigned s = 0; s < NumSources; s++) offer_write[s] = offer[s].is_write;
  end

  // [0] R, [1] B
  logic [1:0]                 rsp_valid_q, rsp_ready, take;
  logic [1:0][NumSources-1:0] offers, grant;
  src_t [1:0]                 start_q, winner;

  assign rsp_ready = {b_ready_i, r_ready_i};
  assign offers    = {offer_valid & offer_write, offer_valid & ~offer_write};

  // The first offer at or after start_q, going round.
  function automatic src_t first_from(logic [NumSources-1:0] offered, src_t start);
    logic found;
    src_t first;
    found = 1'b0;
    first = '0;
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (!found && offered[s] && src_t'(s) >= start) begin
        found = 1'b1;
        first = src_t'(s);
      end
    end
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (!found && offered[s]) begin
        found = 1'b1;
        first = src_t'(s);
      end
    end
    return first;
  endfunction

  always_comb begin
    winner = '0;
    grant  = '0;
    take   = '0;
    for (int unsigned k = 0; k < 2; k++) begin
      if (offers[k] != '0) begin
        winner[k]           = first_from(offers[k], start_q[k]);
        take[k]             = !rsp_valid_q[k] || rsp_ready[k];
        grant[k][winner[k]] = take[k];
      end
    end
  end

  assign taken            = grant[0] | grant[1];
  assign port_rsp_ready_o = taken[NumPorts-1:0];
  assign local_taken      = taken[Local];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_valid_q <= '0;
      start_q     <= '0;
    end else begin
      for (int unsigned k = 0; k < 2; k++) begin
        if (!rsp_valid_q[k] || rsp_ready[k]) rsp_valid_q[k] <= take[k];
        if (take[k]) start_q[k] <= (winner[k] == Local) ? '0 : winner[k] + src_t'(1);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumSources; s++) begin
      if (take[0] && winner[0] == src_t'(s)) begin
        r_id_o    <= offer[s].id;
        r_error_o <= offer[s].error;
        r_data_o  <= offer[s].data;
      end
      if (take[1] && winner[1] == src_t'(s)) begin
        b_id_o    <= offer[s].id;
        b_error_o <= offer[s].error;
      end
    end
  end

  assign r_valid_o = rsp_valid_q[0];
  assign b_valid_o = rsp_valid_q[1];

  // ---------------------------------------------------------------------------------------------
  // Trace
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    tr_sys_accept_o = '0;
    if (accept) begin
      tr_sys_accept_o.valid = 1'b1;
      tr_sys_accept_o.id    = req_i.id;
      tr_sys_accept_o.line  = req_i.line;
      tr_sys_accept_o.info  = {7'h0, req_i.is_write};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneOfAKind_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    $onehot0(grant[0]) && $onehot0(grant[1]) && (grant[0] & grant[1]) == '0)
    else $error("two answers of a kind, or one answer as both kinds, were taken in a cycle");
  OtherPortsGoOn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_i && !req_ready_o) |-> h1_valid_q[dest] && !h1_leaves[dest])
    else $error("a request waits though its way out is free");
  WayOutStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_i && !req_ready_o) |=> dest == $past(dest))
    else $error("a request that waits lost the way out of its first cycle");
  FirstIsDecoded_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (!req_valid_i || req_ready_o) |=> !req_valid_i || (!hint_ask && hpa_line == req_i.line
                                      && dest == (is_port ? src_t'(port_idx) : Local)))
    else $error("a request is not decoded in its first cycle");
  WaitYields_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (req_valid_i && !req_ready_o) |=> !decodes)
    else $error("a request that waits keeps the decoder from hints");
  HintYields_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    hint_ask |-> !decodes)
    else $error("a hint is decoded in the first cycle of a request");
  HintStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    ((port_hint_valid_o & ~port_hint_ready_i) != '0) |=>
    $stable(port_hint_valid_o) && $stable(port_hint_granule_o))
    else $error("a granule of a hint changed or vanished before it was taken");
  ReadStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (r_valid_o && !r_ready_i) |=>
    r_valid_o && $stable(r_id_o) && $stable(r_error_o) && $stable(r_data_o))
    else $error("the answer of a read changed or vanished before it was taken");
  WriteStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (b_valid_o && !b_ready_i) |=> b_valid_o && $stable(b_id_o) && $stable(b_error_o))
    else $error("the answer of a write changed or vanished before it was taken");

endmodule
