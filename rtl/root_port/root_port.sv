// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Root port: queue logic of the SR engine in front of one CXL controller.
//
//   req --> DS --> SR queue --> DS --> memory queue --> controller --> link
//                     |  reader view    ^  |   ^            |
//                     +--> SR reader ---+  |   +------------+--> DS --> rsp
//                 window, ring, streams ^  |lines      DevLoad   |
//                                       +--+              |      +-- local memory
//                                       +- load control <-+ profiler
//
// Hints of kernels come beside the requests: hint_queue makes MemSpecRd of them, which the memory
// queue takes when it has nothing else to do.
//
// DS is deterministic_store: three places on the way, wires while it is off.
//
// isolation counts the time-out and, enabled, makes the memory queue answer by itself when a
// request timed out or the link went down; it can hold the link down, and so can Link Disable. With
// the link down the memory queue answers by itself in any case. ras keeps what went wrong on the
// link, and poison. Viral: the port is so by its device, by another port, by a fatal error or by
// software, until reset; the controller tells the device.
//
// CXL.io shares the link: io_access (registers) -- io_route -- io_requester -- io_link -- ARB/MUX.
// io_route keeps what is for the port itself: port_config_space, and behind its BAR0 the time-out,
// RAS and link structures of the register page. A non-posted request of the device is answered with
// Unsupported Request and may wait for that: credits are finite unless the device makes none.
//
// Latency, idle, controller excluded: request accepted in cycle t, at the head of the SR queue in
// t + 1, in the memory queue and offered to the controller in t + 2; a response at the head of the
// controller's receive FIFO in cycle t is offered in t + 1.
//
// Registers (addr[11:0]): docs/blocks/root_port/root_port.md; cxl_reg_types_pkg
// (regs/root_port.yaml, regs/timeout.yaml, regs/ras.yaml, regs/link.yaml, regs/io_access.yaml).
//
// Source: the SR engine's parts as docs/blocks/root_port describes them; CXL 2.0 for the messages.

module root_port
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned SrDepth     = DefaultSizes.sr_queue_entries,  // entries of the SR queue,
                                                   // 4..64
  parameter int unsigned MemDepth    = DefaultSizes.memory_queue_entries,  // entries of the memory
                                                   // queue, 4..64
  parameter int unsigned RingEntries = DefaultSizes.ring_entries,  // granules that the ring keeps,
                                                   // 16..4096, a power of two
  parameter int unsigned NdRxDepth   = 32,         // NDR that the controller can store, the credits
                                                   // of the device, 2..127
  parameter int unsigned WdRxDepth   = 32,         // DRS that the controller can store, the credits
                                                   // of the device, 2..127
  parameter int unsigned LlrbDepth   = 128,        // flits in the retry buffer of the controller,
                                                   // 22..255
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                   // numbers; the same at both ends
  parameter bit          HasDs       = 1'b1,       // 0 or 1: deterministic store; without, wires in
                                                   // its place
  parameter int unsigned DsDepth     = DefaultSizes.ds_lines,   // lines of its region in local
                                                   // memory, 16..4096, a power of two
  parameter int unsigned DsWrites    = DefaultSizes.ds_writes,  // its writes to the endpoint
                                                   // outstanding, 1..64
  parameter bit          IoInfinite  = 1'b0        // 0 or 1: infinite credits on CXL.io; 1 only for
                                                   // a device that makes no requests
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4:0]  device_i,  // device number on bus 0, which is the port number; constant
  // Host bridge
  input  logic        req_valid_i,  // a load or store of the host bridge is offered; stays until
                                    // taken
  output logic        req_ready_o,  // low without room in the SR queue, or while deterministic
                                    // store cannot take it
  input  sys_req_t    req_i,        // the request; its id comes back with the response
  output logic        rsp_valid_o,  // a response is offered; any order between lines
  input  logic        rsp_ready_i,  // low stalls the responses
  output sys_rsp_t    rsp_o,        // id and kind of the request, data of a read, error
  // Hints of the host bridge
  input  logic        hint_valid_i,    // a granule that will be loaded soon; stays until taken
  output logic        hint_ready_o,    // low while a run of granules waits that it does not join
  input  granule_t    hint_granule_i,  // the granule
  // Local memory: the region of deterministic store
  output logic        lm_valid_o,      // a read or write of local memory is offered; stays until
                                       // taken
  input  logic        lm_ready_i,      // low stalls; a write is done when taken
  output lm_req_t     lm_req_o,        // the request with its tag, slot in the region, and data of
                                       // a write
  output line_addr_t  lm_line_o,       // line address of the slot in local memory
  input  logic        lm_rsp_valid_i,  // a read is answered; in any order
  output logic        lm_rsp_ready_o,  // low stalls the answers
  input  lm_rsp_t     lm_rsp_i,        // kind and index of the read, its line, and whether the line
                                       // is corrupt
  // Registers: time-out and isolation at 000h, RAS at 100h, CXL.io access at 400h, vendor block at
  // 800h
  input  reg_req_t    reg_req_i,    // register access; addr[11:0] counts
  output logic [31:0] reg_rdata_o,  // read data a cycle after the request; 0 after any other cycle
  // Link
  output logic        link_tx_valid_o,  // a flit is offered; stays until taken while the physical
                                        // link is in L0
  input  logic        link_tx_ready_i,  // Flex Bus takes it
  output flit_kind_e  link_tx_kind_o,   // CXL.io, CXL.cachemem or ALMP; never FlitNull with valid
  output flit_t       link_tx_flit_o,   // the flit, CRC in [527:512]
  input  logic        link_rx_valid_i,  // pulse: a flit came; cannot be stalled
  input  flit_kind_e  link_rx_kind_i,   // its protocol; FlitNull carries nothing
  input  flit_t       link_rx_flit_i,   // the flit, CRC in [527:512]
  input  logic        phy_up_i,         // level: the physical link is in L0
  input  logic        phy_recovery_i,   // level: it is in Recovery; wins over phy_up_i
  output logic        retrain_req_o,    // level: take the physical link through Recovery
  output vlsm_e       phy_state_o,      // state in which the physical link should be
  output logic        init_done_o,      // level: INIT.Param went both ways; in a link's first cycle
                                        // still of the one before
  output logic        abort_o,          // level: retry of the link gave up
  output logic [7:0]  err_o,            // pulses: 0 CRC, 1 reserved encoding, 2 flit before
                                        // INIT.Param, 3 second INIT.Param, 4 unexpected RETRY.Ack,
                                        // 5 receive overflow, 6 retry started, 7 time-out
  output logic [2:0]  arb_err_o,        // pulses: 0 damaged ALMP, 1 malformed or unexpected ALMP, 2
                                        // stray protocol flit
  // Viral
  input  logic        viral_i,  // level: a port of this host is viral; then this one becomes so
                                // until reset
  output logic        viral_o,  // level: this port is viral
  // Trace
  output rp_trace_t   trace_o   // events of this port
);

  localparam int unsigned SpecEntries = 2;  // of the memory queue, for MemSpecRd alone
  localparam int unsigned MaxSpec     = 4;  // granules of a MemSpecRd
  localparam int unsigned RingWays    = 4;
  localparam int unsigned RingSets    = RingEntries / (4 * RingWays);  // in each of four banks
  localparam int unsigned MemEntries = MemDepth - SpecEntries;
  localparam int unsigned SrIdxBits  = $clog2(SrDepth);
  localparam int unsigned SrCntBits  = $clog2(SrDepth + 1);
  if (SrDepth < 4 || SrDepth > 64) begin : g_bad_sr
    $error("root_port: SrDepth of 4..64 is %0d", SrDepth);
  end
  if (MemDepth < 4 || MemDepth > 64) begin : g_bad_mem
    $error("root_port: MemDepth of 4..64 is %0d", MemDepth);
  end
  if (RingEntries < 16 || RingEntries > 4096 || 2 ** $clog2(RingEntries) != RingEntries)
  begin : g_bad_ring
    $error("root_port: RingEntries of 16..4096, a power of two, is %0d", RingEntries);
  end
  if (DsDepth < 16 || DsDepth > 4096 || 2 ** $clog2(DsDepth) != DsDepth) begin : g_bad_lines
    $error("root_port: DsDepth of 16..4096, a power of two, is %0d", DsDepth);
  end
  if (DsWrites < 1 || DsWrites > 64) begin : g_bad_writes
    $error("root_port: DsWrites of 1..64 is %0d", DsWrites);
  end

  // What was trained outside: CXL 2.0, io, mem, sync-header bypass.
  localparam logic [23:0] TrainedCaps = 24'h00_0416;

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  rp_policy_t       policy_q;
  rp_hint_control_t hint_control_q;
  rp_viral_t        viral_q, viral_d;
  logic [31:0]      rdata_q, rdata_d, rdata_isolation, rdata_ras, rdata_link, rdata_io;
  logic [31:0]      rdata_page;
  logic             route_q;
  reg_req_t         reg_req_route, reg_req_page;
  reg_req_t         reg_req_isolation, reg_req_ras, reg_req_link, reg_req_io, reg_req_ds;
  logic             wr_policy, wr_viral, wr_hint_control;
  logic             device_viral, ras_fatal;
  gran_e            state;
  logic [1:0]       level;
  logic [31:0]      loads, stores, specs, loads_seen, issued;
  logic [31:0]      ring_suppressed, halt_suppressed, score_suppressed;
  logic [31:0]      spec_requested, spec_lines_used, spec_issued_late;
  logic [31:0]      spec_useful_granules, spec_useless_granules;
  logic [31:0]      unexpected;
  logic [31:0]      hint_granules, hint_issued, hint_dropped;
  logic [3:0][31:0] rsp_count;
  logic [31:0]      rdata_ds;

  assign wr_policy = reg_req_i.valid && reg_req_i.write
                     && reg_req_i.addr[11:2] == RpPolicyOffset[11:2];

  assign wr_viral  = reg_req_i.valid && reg_req_i.write
                     && reg_req_i.addr[11:2] == RpViralOffset[11:2];

  assign wr_hint_control = reg_req_i.valid && reg_req_i.write
                           && reg_req_i.addr[11:2] == RpHintControlOffset[11:2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      policy_q       <= RpPolicyAtReset;
      viral_q        <= RpViralAtReset;
      hint_control_q <= RpHintControlAtReset;
    end else begin
      if (wr_policy) policy_q <= rp_policy_written(policy_q, reg_req_i.wdata);
      viral_q <= viral_d;
      if (wr_hint_control) begin
        hint_control_q <= rp_hint_control_written(hint_control_q, reg_req_i.wdata);
      end
    end
  end

  // CXL 2.0, 12.4: a host that is told of viral tells every device, and only reset takes it back.
  always_comb begin
    viral_d = wr_viral ? rp_viral_written(viral_q, reg_req_i.wdata) : viral_q;
    if (device_viral || viral_i || (ras_fatal && viral_q.on_fatal)) viral_d.port = 1'b1;
    if (device_viral) viral_d.device = 1'b1;
  end
  assign viral_o = viral_q.port;

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      // Those of deterministic store are its own.
      rdata_d = rp_word('{
        policy:                policy_q,
        state:                 '{gran: state},
        loads:                 loads,
        stores:                stores,
        specs:                 specs,
        light:                 rsp_count[LoadLight],
        optimal:               rsp_count[LoadOptimal],
        moderate:              rsp_count[LoadModerate],
        severe:                rsp_count[LoadSevere],
        loads_seen:            loads_seen,
        issued:                issued,
        ring_suppressed:       ring_suppressed,
        halt_suppressed:       halt_suppressed,
        unexpected:            unexpected,
        viral:                 viral_q,
        sr_cap:                '{sr_queue:      RpSrCapSrQueueWidth'(SrDepth),
                                 memory_queue:  RpSrCapMemoryQueueWidth'(MemDepth),
                                 ring:          RpSrCapRingWidth'(RingEntries),
                                 spec_granules: RpSrCapSpecGranulesWidth'(MaxSpec)},
        spec_requested:        spec_requested,
        spec_lines_used:       spec_lines_used,
        spec_useful_granules:  spec_useful_granules,
        spec_useless_granules: spec_useless_granules,
        spec_issued_late:      spec_issued_late,
        score_suppressed:      score_suppressed,
        hint_control:          hint_control_q,
        hint_granules:         hint_granules,
        hint_issued:           hint_issued,
        hint_dropped:          hint_dropped,
        default:               '0
      }, reg_req_i.addr[11:2]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_q <= '0;
      route_q <= 1'b0;
    end else begin
      rdata_q <= rdata_d;
      route_q <= reg_req_route.valid;
    end
  end

  // io_route waits while software is at the structures below 400h, the only ones it may ask for.
  // Polling io_access does not count: a request would wait forever for its own end to be seen.
  assign reg_req_page = reg_req_route.valid ? reg_req_route : reg_req_i;

  always_comb begin
    reg_req_isolation       = reg_req_page;
    reg_req_ras             = reg_req_page;
    reg_req_link            = reg_req_page;
    reg_req_io              = reg_req_i;
    reg_req_ds              = reg_req_i;
    reg_req_isolation.valid = reg_req_page.valid && reg_req_page.addr[11:10] == 2'b00
                              && !(reg_req_page.addr[9:8] inside {2'b01, 2'b10});
    reg_req_ras.valid       = reg_req_page.valid && reg_req_page.addr[11:8] == 4'h1;
    reg_req_link.valid      = reg_req_page.valid && reg_req_page.addr[11:8] == 4'h2;
    reg_req_io.valid        = reg_req_i.valid && reg_req_i.addr[11:10] == 2'b01;
    reg_req_ds.valid        = reg_req_i.valid && reg_req_i.addr[11];
  end

  // A block that was not read in the cycle before says 0; what io_route read is not software's.
  assign rdata_page  = rdata_isolation | rdata_ras | rdata_link;
  assign reg_rdata_o = (route_q ? '0 : rdata_page) | rdata_io | rdata_q | rdata_ds;

  // ---------------------------------------------------------------------------------------------
  // Deterministic store
  // ---------------------------------------------------------------------------------------------
  logic                                    sr_valid, sr_ready, head_valid, head_ready;
  logic                                    mq_valid, mq_ready, mq_rsp_valid, mq_rsp_ready;
  sys_req_t                                sr_req, head_req, mq_req;
  sys_rsp_t                                mq_rsp;
  logic [SrDepth-1:0]                      load_valid;
  logic [SrDepth-1:0][LineAddrBits-1:0]    load_line;
  logic [MemEntries-1:0]                   mem_valid;
  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line;
  logic                                    rsp_taken;
  logic [1:0]                              rsp_dev_load;
  logic                                    busy, refuse;
  trace_t                                  tr_ds;

  if (HasDs) begin : gen_ds
    deterministic_store #(
      .Depth     (DsDepth),
      .Writes    (DsWrites),
      .SrDepth   (SrDepth),
      .MemEntries(MemEntries)
    ) u_deterministic_store (
      .clk_i,
      .rst_ni,
      .reg_req_i     (reg_req_ds),
      .reg_rdata_o   (rdata_ds),
      .busy_i        (busy),
      .isolate_i     (refuse),
      .dev_valid_i   (rsp_taken),
      .dev_load_i    (rsp_dev_load),
      .req_valid_i,
      .req_ready_o,
      .req_i,
      .sr_valid_o    (sr_valid),
      .sr_ready_i    (sr_ready),
      .sr_req_o      (sr_req),
      .head_valid_i  (head_valid),
      .head_ready_o  (head_ready),
      .head_req_i    (head_req),
      .mq_valid_o    (mq_valid),
      .mq_ready_i    (mq_ready),
      .mq_req_o      (mq_req),
      .load_valid_i  (load_valid),
      .load_line_i   (load_line),
      .mem_valid_i   (mem_valid),
      .mem_line_i    (mem_line),
      .mq_rsp_valid_i(mq_rsp_valid),
      .mq_rsp_ready_o(mq_rsp_ready),
      .mq_rsp_i      (mq_rsp),
      .rsp_valid_o,
      .rsp_ready_i,
      .rsp_o,
      .lm_valid_o,
      .lm_ready_i,
      .lm_req_o,
      .lm_line_o,
      .lm_rsp_valid_i,
      .lm_rsp_ready_o,
      .lm_rsp_i,
      .tr_ds_o       (tr_ds)
    );
  end else begin : gen_no_ds
    assign sr_valid       = req_valid_i;
    assign req_ready_o    = sr_ready;
    assign sr_req         = req_i;
    assign mq_valid       = head_valid;
    assign head_ready     = mq_ready;
    assign mq_req         = head_req;
    assign rsp_valid_o    = mq_rsp_valid;
    assign mq_rsp_ready   = rsp_ready_i;
    assign rsp_o          = mq_rsp;
    assign rdata_ds       = '0;
    assign lm_valid_o     = 1'b0;
    assign lm_req_o       = '0;
    assign lm_line_o      = '0;
    assign lm_rsp_ready_o = 1'b0;
    assign tr_ds          = '0;

    logic unused_ds;
    assign unused_ds = ^{reg_req_ds, lm_ready_i, lm_rsp_valid_i, lm_rsp_i};
  end

  // ---------------------------------------------------------------------------------------------
  // SR queue
  // ---------------------------------------------------------------------------------------------
  logic                 rd_valid, rd_is_load, rd_head, rd_next;
  line_addr_t           rd_line;
  logic [SrIdxBits-1:0] rd_index;
  logic [SrCntBits-1:0] sr_count;
  logic                 enqueue;

  sr_queue #(
    .Depth(SrDepth)
  ) u_sr_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i  (sr_valid),
    .in_ready_o  (sr_ready),
    .in_req_i    (sr_req),
    .beside_i    (enqueue && !sr_valid),  // with deterministic store, a store
    .head_valid_o(head_valid),
    .head_ready_i(head_ready),
    .head_req_o  (head_req),
    .rd_valid_o  (rd_valid),
    .rd_is_load_o(rd_is_load),
    .rd_line_o   (rd_line),
    .rd_index_o  (rd_index),
    .rd_head_o   (rd_head),
    .rd_next_i   (rd_next),
    .load_valid_o(load_valid),
    .load_line_o (load_line),
    .count_o     (sr_count)
  );
  assign enqueue = req_valid_i && req_ready_o;

  // ---------------------------------------------------------------------------------------------
  // SR reader
  // ---------------------------------------------------------------------------------------------
  logic       spec_valid, spec_ready;
  granule_t   spec_first;
  logic [1:0] spec_len;
  line_addr_t spec_line;

  sr_reader #(
    .SrDepth   (SrDepth),
    .MemEntries(MemEntries),
    .RingSets  (RingSets),
    .RingWays  (RingWays)
  ) u_sr_reader (
    .clk_i,
    .rst_ni,
    .policy_i          (sr_policy_e'(policy_q.select)),
    .len_en_i          (policy_q.len_enable),
    .match_start_i     (policy_q.match_start),
    .spec_64b_i        (policy_q.spec_64b),
    .around_i          (policy_q.around),
    .clip_log2_i       (policy_q.clip_log2),
    .ways_i            (policy_q.ways),
    .sets_log2_i       (policy_q.stream_sets),
    .state_i           (state),
    .level_i           (level),
    .flush_i           (wr_policy),
    .rd_valid_i        (rd_valid),
    .rd_is_load_i      (rd_is_load),
    .rd_line_i         (rd_line),
    .rd_index_i        (rd_index),
    .rd_head_i         (rd_head),
    .rd_next_o         (rd_next),
    .load_valid_i      (load_valid),
    .load_line_i       (load_line),
    .mem_valid_i       (mem_valid),
    .mem_line_i        (mem_line),
    .spec_valid_o      (spec_valid),
    .spec_ready_i      (spec_ready),
    .spec_first_o      (spec_first),
    .spec_len_o        (spec_len),
    .spec_line_o       (spec_line),
    .loads_seen_o      (loads_seen),
    .issued_o          (issued),
    .ring_suppressed_o (ring_suppressed),
    .halt_suppressed_o (halt_suppressed),
    .score_suppressed_o(score_suppressed),
    .requested_o       (spec_requested),
    .lines_used_o      (spec_lines_used),
    .useful_granules_o (spec_useful_granules),
    .useless_granules_o(spec_useless_granules),
    .issued_late_o     (spec_issued_late)
  );

  // ---------------------------------------------------------------------------------------------
  // Hints
  // ---------------------------------------------------------------------------------------------
  logic       mq_hint_valid, mq_hint_ready, mq_len_en;
  granule_t   mq_hint_first;
  logic [1:0] mq_hint_len;

  assign mq_len_en = policy_q.len_enable && !policy_q.spec_64b;

  hint_queue u_hint_queue (
    .clk_i,
    .rst_ni,
    .enable_i    (hint_control_q.enable),
    .len_en_i    (mq_len_en),
    .interval_i  ({hint_control_q.severe, hint_control_q.moderate, hint_control_q.optimal,
                   hint_control_q.light}),
    .level_i     (level),
    .in_valid_i  (hint_valid_i),
    .in_ready_o  (hint_ready_o),
    .in_granule_i(hint_granule_i),
    .hint_valid_o(mq_hint_valid),
    .hint_ready_i(mq_hint_ready),
    .hint_first_o(mq_hint_first),
    .hint_len_o  (mq_hint_len),
    .granules_o  (hint_granules),
    .issued_o    (hint_issued),
    .dropped_o   (hint_dropped)
  );

  // ---------------------------------------------------------------------------------------------
  // Memory queue
  // ---------------------------------------------------------------------------------------------
  logic       req_msg_valid, req_msg_ready, rwd_msg_valid, rwd_msg_ready;
  msg_hdr_t   req_msg_hdr, rwd_msg_hdr;
  line_t      rwd_data;
  byte_en_t   rwd_be;
  logic       ndr_valid, ndr_ready, drs_valid, drs_ready;
  msg_hdr_t   ndr_hdr, drs_hdr;
  line_t      drs_data;
  trace_t     tr_alloc, tr_req, tr_rwd, tr_spec, tr_respond;
  logic       tick, timed_out, isolated, force_down, cm_link_up, cm_up_q, init, down, bad_rsp;

  // No link that requests could use: not trained yet, gone, or given up. In the first cycle of a
  // link init_done_o still speaks of the one before.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cm_up_q <= 1'b0;
    else         cm_up_q <= cm_link_up;
  end
  assign init = cm_link_up && cm_up_q && init_done_o;
  assign down = !init || abort_o;

  memory_queue #(
    .Depth      (MemDepth),
    .SpecEntries(SpecEntries)
  ) u_memory_queue (
    .clk_i,
    .rst_ni,
    .in_valid_i    (mq_valid),
    .in_ready_o    (mq_ready),
    .in_req_i      (mq_req),
    .spec_valid_i  (spec_valid),
    .spec_ready_o  (spec_ready),
    .spec_first_i  (spec_first),
    .spec_len_i    (spec_len),
    .spec_line_i   (spec_line),
    .hint_valid_i  (mq_hint_valid),
    .hint_ready_o  (mq_hint_ready),
    .hint_first_i  (mq_hint_first),
    .hint_len_i    (mq_hint_len),
    .len_en_i      (mq_len_en),
    .req_valid_o   (req_msg_valid),
    .req_ready_i   (req_msg_ready),
    .req_hdr_o     (req_msg_hdr),
    .rwd_valid_o   (rwd_msg_valid),
    .rwd_ready_i   (rwd_msg_ready),
    .rwd_hdr_o     (rwd_msg_hdr),
    .rwd_data_o    (rwd_data),
    .rwd_be_o      (rwd_be),
    .ndr_valid_i   (ndr_valid),
    .ndr_ready_o   (ndr_ready),
    .ndr_hdr_i     (ndr_hdr),
    .drs_valid_i   (drs_valid),
    .drs_ready_o   (drs_ready),
    .drs_hdr_i     (drs_hdr),
    .drs_data_i    (drs_data),
    .rsp_valid_o   (mq_rsp_valid),
    .rsp_ready_i   (mq_rsp_ready),
    .rsp_o         (mq_rsp),
    .mem_valid_o   (mem_valid),
    .mem_line_o    (mem_line),
    .rsp_taken_o   (rsp_taken),
    .rsp_dev_load_o(rsp_dev_load),
    .unexpected_o  (unexpected),
    .bad_rsp_o     (bad_rsp),
    .isolate_i     (isolated),
    .down_i        (down),
    .refuse_o      (refuse),
    .tick_i        (tick),
    .timed_out_o   (timed_out),
    .busy_o        (busy),
    .tr_alloc_o    (tr_alloc),
    .tr_req_o      (tr_req),
    .tr_rwd_o      (tr_rwd),
    .tr_spec_o     (tr_spec),
    .tr_respond_o  (tr_respond)
  );

  // ---------------------------------------------------------------------------------------------
  // Time-out and isolation
  // ---------------------------------------------------------------------------------------------
  isolation u_isolation (
    .clk_i,
    .rst_ni,
    .reg_req_i   (reg_req_isolation),
    .reg_rdata_o (rdata_isolation),
    .link_up_i   (init),
    .abort_i     (abort_o),
    .timed_out_i (timed_out),
    .busy_i      (busy),
    .tick_o      (tick),
    .isolated_o  (isolated),
    .force_down_o(force_down)
  );

  // ---------------------------------------------------------------------------------------------
  // RAS. Of its reports only the fatal ones count here: software reads the status.
  // ---------------------------------------------------------------------------------------------
  s2m_drs_t drs;
  logic     drs_poison, unused_drs, unused_ras_cor, unused_ras_nonfatal;

  assign drs        = s2m_drs_t'(drs_hdr[$bits(s2m_drs_t)-1:0]);
  assign drs_poison = drs_valid && drs_ready && drs.poison;
  assign unused_drs = ^drs;

  flit_payload_t err_flit;
  logic [2:0]    err_overflow;

  ras u_ras (
    .clk_i,
    .rst_ni,
    .reg_req_i  (reg_req_ras),
    .reg_rdata_o(rdata_ras),
    .uncor_i    (17'(abort_o) << RasUncorStatusReinitThresholdLsb
                 | 17'((err_o[4:1] != '0) || bad_rsp) << RasUncorStatusEncodingLsb
                 | 17'(err_o[5]) << RasUncorStatusOverflowLsb),
    .log_flit_i    (err_flit),
    .log_header_i  (drs_poison ? 128'(drs_hdr) : '0),
    .log_overflow_i(err_overflow),
    .cor_i      (7'(arb_err_o != '0) << RasCorStatusPhyLsb),
    .poison_i   (drs_poison),
    .crc_i      (err_o[0]),
    .retry_i    (err_o[6]),
    .cor_o      (unused_ras_cor),
    .nonfatal_o (unused_ras_nonfatal),
    .fatal_o    (ras_fatal)
  );

  // ---------------------------------------------------------------------------------------------
  // Profiler and load control
  // ---------------------------------------------------------------------------------------------
  logic       lc_rsp_valid;
  logic [1:0] lc_dev_load;

  profiler u_profiler (
    .clk_i,
    .rst_ni,
    .load_i        (enqueue && !req_i.is_write),
    .store_i       (enqueue && req_i.is_write),
    .spec_i        (tr_spec.valid),
    .rsp_valid_i   (rsp_taken),
    .dev_load_i    (rsp_dev_load),
    .lc_rsp_valid_o(lc_rsp_valid),
    .lc_dev_load_o (lc_dev_load),
    .loads_o       (loads),
    .stores_o      (stores),
    .specs_o       (specs),
    .rsp_count_o   (rsp_count)
  );

  load_control u_load_control (
    .clk_i,
    .rst_ni,
    .clear_i    (wr_policy),
    .rsp_valid_i(lc_rsp_valid),
    .dev_load_i (lc_dev_load),
    .state_o    (state),
    .level_o    (level)
  );

  // ---------------------------------------------------------------------------------------------
  // CXL.io
  // ---------------------------------------------------------------------------------------------
  logic         io_link_up, io_dl_up, io_tx_valid, io_tx_ready, io_rx_valid;
  logic [511:0] io_tx_data, io_rx_data;
  logic         io_req_valid, io_req_ready, io_rsp_valid, io_rsp_ready;
  logic         down_valid, down_ready, down_rsp_valid, down_rsp_ready;
  io_req_t      io_req, down_req;
  io_rsp_t      io_rsp, down_rsp;
  cfg_req_t     cfg_req;
  logic [31:0]  cfg_rdata;
  bridge_t      bridge;
  logic         link_disable;
  logic         tlp_tx_valid, tlp_tx_ready, tlp_rx_valid, tlp_rx_ready;
  tlp_t         tlp_tx, tlp_rx;
  logic [8:0]   io_err;
  logic [127:0] io_err_hdr;
  logic         unused_io_unexpected;

  io_access u_io_access (
    .clk_i,
    .rst_ni,
    .reg_req_i  (reg_req_io),
    .reg_rdata_o(rdata_io),
    .link_up_i  (io_dl_up),
    .req_valid_o(io_req_valid),
    .req_ready_i(io_req_ready),
    .req_o      (io_req),
    .rsp_valid_i(io_rsp_valid),
    .rsp_ready_o(io_rsp_ready),
    .rsp_i      (io_rsp)
  );

  io_route u_io_route (
    .clk_i,
    .rst_ni,
    .device_i,
    .req_valid_i     (io_req_valid),
    .req_ready_o     (io_req_ready),
    .req_i           (io_req),
    .rsp_valid_o     (io_rsp_valid),
    .rsp_ready_i     (io_rsp_ready),
    .rsp_o           (io_rsp),
    .down_valid_o    (down_valid),
    .down_ready_i    (down_ready),
    .down_o          (down_req),
    .down_rsp_valid_i(down_rsp_valid),
    .down_rsp_ready_o(down_rsp_ready),
    .down_rsp_i      (down_rsp),
    .cfg_req_o       (cfg_req),
    .cfg_rdata_i     (cfg_rdata),
    .bridge_i        (bridge),
    .reg_req_o       (reg_req_route),
    .reg_busy_i      (reg_req_i.valid && reg_req_i.addr[11:10] == 2'b00),
    .reg_rdata_i     (rdata_page)
  );

  // There is no Flex Bus to tell what was negotiated; io and mem are so while their vLSMs are up.
  port_config_space u_port_config_space (
    .clk_i,
    .rst_ni,
    .cfg_req_i     (cfg_req),
    .cfg_rdata_o   (cfg_rdata),
    .device_i,
    .link_up_i     (io_dl_up),
    .port_status_i ({4'b0111, cm_link_up, io_link_up, 1'b0}),
    .ts_data_i     (TrainedCaps),
    .id_error_i    (3'b000),
    .bridge_o      (bridge),
    .link_disable_o(link_disable)
  );

  io_requester u_io_requester (
    .clk_i,
    .rst_ni,
    .link_up_i     (io_dl_up),
    .req_valid_i   (down_valid),
    .req_ready_o   (down_ready),
    .req_i         (down_req),
    .rsp_valid_o   (down_rsp_valid),
    .rsp_ready_i   (down_rsp_ready),
    .rsp_o         (down_rsp),
    .tlp_tx_valid_o(tlp_tx_valid),
    .tlp_tx_ready_i(tlp_tx_ready),
    .tlp_tx_o      (tlp_tx),
    .tlp_rx_valid_i(tlp_rx_valid),
    .tlp_rx_ready_o(tlp_rx_ready),
    .tlp_rx_i      (tlp_rx),
    .unexpected_o  (unused_io_unexpected)
  );

  io_link #(
    .Infinite(IoInfinite)
  ) u_io_link (
    .clk_i,
    .rst_ni,
    .link_up_i     (io_link_up),
    .dl_up_o       (io_dl_up),
    .io_tx_valid_o (io_tx_valid),
    .io_tx_ready_i (io_tx_ready),
    .io_tx_data_o  (io_tx_data),
    .io_rx_valid_i (io_rx_valid),
    .io_rx_data_i  (io_rx_data),
    .tlp_tx_valid_i(tlp_tx_valid),
    .tlp_tx_ready_o(tlp_tx_ready),
    .tlp_tx_i      (tlp_tx),
    .tlp_rx_valid_o(tlp_rx_valid),
    .tlp_rx_ready_i(tlp_rx_ready),
    .tlp_rx_o      (tlp_rx),
    .err_o         (io_err),
    .err_hdr_o     (io_err_hdr)
  );

  // Four failed replays and a framing error ask for Recovery; the other errors mend themselves.
  logic unused_io_err;
  assign unused_io_err = ^{io_err[7:5], io_err[3:0], io_err_hdr};

  // ---------------------------------------------------------------------------------------------
  // Controller and ARB/MUX, and the link structure. The host sends no multi-data headers: their
  // disable is of what it receives.
  // ---------------------------------------------------------------------------------------------
  logic [6:0] unused_rx_nd_count, unused_rx_wd_count;
  logic [3:0] unused_weight_io, unused_weight_cm;
  byte_en_t   unused_rx_wd_be;
  vlsm_e      unused_io_state, unused_cm_state;

  link_control_t link_control;
  link_status_t  link_status;

  // A cycle of error asks for Recovery until it is on its way or the link is down: the vLSM does
  // not listen in a cycle in which an ALMP comes or goes.
  logic io_retrain, io_retrain_kept_q;

  assign io_retrain = io_err[4] || io_err[8] || io_retrain_kept_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) io_retrain_kept_q <= 1'b0;
    else         io_retrain_kept_q <= io_retrain && !retrain_req_o && !phy_recovery_i && phy_up_i;
  end

  // What is requested of the vLSMs. Held down they tell the PHY so, and train once it is over.
  logic       hold_down;
  logic [3:0] io_want, cm_want;

  assign hold_down = link_disable || force_down;
  always_comb begin
    io_want = io_retrain ? VlsmRetrain : VlsmActive;
    cm_want = VlsmActive;
    if (hold_down) begin
      io_want = VlsmLinkDisable;
      cm_want = VlsmLinkDisable;
    end
  end

  link_regs #(
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth)
  ) u_link_regs (
    .clk_i,
    .rst_ni,
    .reg_req_i     (reg_req_link),
    .reg_rdata_o   (rdata_link),
    .link_up_i     (cm_link_up),
    .link_status_i (link_status),
    .link_control_o(link_control)
  );

  cxl_port #(
    .IsHost   (1'b1),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth),
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive)
  ) u_port (
    .clk_i,
    .rst_ni,
    .link_control_i(link_control),
    .link_status_o (link_status),
    .tx_flush_i    (down),
    .viral_i       (viral_q.port),
    .viral_o       (device_viral),
    .tx_nd_valid_i (req_msg_valid),
    .tx_nd_ready_o (req_msg_ready),
    .tx_nd_hdr_i   (req_msg_hdr),
    .tx_wd_valid_i (rwd_msg_valid),
    .tx_wd_ready_o (rwd_msg_ready),
    .tx_wd_hdr_i   (rwd_msg_hdr),
    .tx_wd_data_i  (rwd_data),
    .tx_wd_be_i    (rwd_be),
    .rx_nd_valid_o (ndr_valid),
    .rx_nd_ready_i (ndr_ready),
    .rx_nd_hdr_o   (ndr_hdr),
    .rx_wd_valid_o (drs_valid),
    .rx_wd_ready_i (drs_ready),
    .rx_wd_hdr_o   (drs_hdr),
    .rx_wd_data_o  (drs_data),
    .rx_wd_be_o    (unused_rx_wd_be),
    .rx_nd_count_o (unused_rx_nd_count),
    .rx_wd_count_o (unused_rx_wd_count),
    .io_tx_valid_i (io_tx_valid),
    .io_tx_ready_o (io_tx_ready),
    .io_tx_data_i  (io_tx_data),
    .io_rx_valid_o (io_rx_valid),
    .io_rx_data_o  (io_rx_data),
    .io_link_up_o  (io_link_up),
    .io_req_i      (io_want),
    .cm_req_i      (cm_want),
    .io_state_o    (unused_io_state),
    .cm_state_o    (unused_cm_state),
    .weight_io_we_i(1'b0),
    .weight_io_i   (4'd0),
    .weight_cm_we_i(1'b0),
    .weight_cm_i   (4'd0),
    .weight_io_o   (unused_weight_io),
    .weight_cm_o   (unused_weight_cm),
    .link_tx_valid_o,
    .link_tx_ready_i,
    .link_tx_kind_o,
    .link_tx_flit_o,
    .link_rx_valid_i,
    .link_rx_kind_i,
    .link_rx_flit_i,
    .phy_up_i,
    .phy_recovery_i,
    .retrain_req_o,
    .phy_state_o,
    .cm_link_up_o  (cm_link_up),
    .init_done_o,
    .abort_o,
    .err_o,
    .err_flit_o    (err_flit),
    .err_overflow_o(err_overflow),
    .arb_err_o
  );

  // ---------------------------------------------------------------------------------------------
  // Trace
  // ---------------------------------------------------------------------------------------------
  gran_e  state_last_q;
  trace_t tr_enqueue, tr_load_control;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_last_q <= Gran256;
    else         state_last_q <= state;
  end

  always_comb begin
    tr_enqueue      = '0;
    tr_load_control = '0;
    if (enqueue) begin
      tr_enqueue.valid = 1'b1;
      tr_enqueue.id    = req_i.id;
      tr_enqueue.line  = req_i.line;
      tr_enqueue.info  = 8'(sr_count);
    end
    if (state != state_last_q) begin
      tr_load_control.valid = 1'b1;
      tr_load_control.info  = 8'(state);
    end
  end

  assign trace_o = '{port_enqueue: tr_enqueue, memq_alloc: tr_alloc, ctrl_accept: tr_req,
                     ctrl_store: tr_rwd, spec_issue: tr_spec, port_respond: tr_respond,
                     ds: tr_ds, load_control: tr_load_control};

  logic unused_reg;
  assign unused_reg = ^{reg_req_i.addr[15:12], reg_req_i.addr[1:0], reg_req_i.wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  RetrainKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (io_retrain && !retrain_req_o && !phy_recovery_i && phy_up_i) |=> io_retrain)
      else $error("the data link's request for Recovery is lost");
  RetrainEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (retrain_req_o || phy_recovery_i || !phy_up_i) |=> !io_retrain_kept_q)
      else $error("the data link's request for Recovery outlasts Recovery");
  PolicyRestarts_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      wr_policy |=> state == Gran256)
      else $error("load control does not restart after a write of the policy");
  ViralCause_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (device_viral || viral_i || (ras_fatal && viral_q.on_fatal)) |=> viral_o)
    else $error("a cause of viral does not make the port viral");
  ViralStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni) viral_o |=> viral_o)
    else $error("the port stops being viral without reset");
  ViralDevice_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    device_viral |=> viral_q.device)
    else $error("a viral device is not shown in the viral register");
  HeldDown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hold_down |=> phy_state_o == VlsmLinkDisable || !$past(hold_down))
      else $error("the port holds its link down but phy_state_o does not say so");
  DownRefuses_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (down || isolated) |-> refuse && !req_msg_valid && !rwd_msg_valid)
      else $error("requests go out while the link is down or the port isolated");
  RequestStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_i && !req_ready_o) |=> req_valid_i)
      else $error("the host bridge withdraws a stalled request");
  RouteAlone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_req_route.valid |-> reg_req_route.addr[15:10] == 6'd0
                              && !(reg_req_i.valid && reg_req_i.addr[11:10] == 2'b00))
      else $error("io_route accesses a foreign register, or while software does");

endmodule
