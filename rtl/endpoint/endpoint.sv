// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Endpoint: a Type 3 device. CXL controller, HDM decoder, internal DRAM lookup, media port.
//
//        receive FIFOs                 E1          E2              E3
//   link --> ctrl --- RwD --+--> HDM decode --> lookup ----> command FIFO --> media port
//             |  \--- Req --+          \--> spec queue -^        ^
//             |                                    \--> table ---+ woken waiters
//             +<-- NDR, DRS <---------- E4: answer, tag from the table <------ media answers
//
// | stage | what |
// |---|---|
// | E1 | a message leaves a receive FIFO, its address is decoded, registered |
// | E2 | lookup (or bypass), table entry taken, command pushed |
// | E3 | command offered on the media port |
// | E4 | media answer becomes a response (comb), entry freed |
//
// Latency, controller excluded: message at the head of its receive FIFO in cycle t, command on the
// media port in t + 2; a media answer is offered to the transmit FIFO in its own cycle.
//
// Order. One command FIFO leads to the media, which takes effect in that order: a hit pushes its
// array command when it is looked up; a miss pushes WriteBack (dirty victim) and Fill in two
// cycles with nothing between; a waiter pushes its array command once its fill was answered. A way
// is pinned until its last waiter has pushed, so no command ever meets a slot that has been given
// to another line.
//
// No deadlock. (1) Answers are always sunk in the end: Fill and WriteBack answers are taken at
// once; data answers need only a transmit FIFO entry, and those drain because the host takes every
// NDR and DRS unconditionally (it pre-allocates). (2) The media port accepts commands without
// waiting for answers to be taken, so the command FIFO drains. (3) The lookup stage waits for a
// table entry (freed by answers: 1), for an MSHR or an unpinned way (freed by fills and by
// waiters' pushes, which have priority over it and need only the command FIFO: 2), or for the
// transmit FIFO (1). Nothing among these waits for the lookup stage. (4) MemSpecRd never blocks:
// it is dropped when its queue is full.
//
// Registers are reached over the link (endpoint_io, which also logs errors). The media is volatile:
// a viral device serves as before.
//
// Durable completion: a write to what survives a loss of power has its level on the media port, and
// the media, which have its way to the internal DRAM and to the medium, answer it when it is safe.
// Nothing else answers a write that was decoded, so its Cmp never comes before.
//
// Poison of a write goes with it to the media or to the internal DRAM, which keep it beside the
// data; here it is a bit of the command and of the answer.
//
// When the link of CXL.mem falls, what E1 has taken is performed and its answers are swallowed; E1
// takes nothing of the next session before all of it is done. So no answer meets a request that
// uses its tag again, and no write of the old session follows one of the new.
//
// Source: CXL 2.0 (Type 3 responses, QoS telemetry); docs/blocks/endpoint/endpoint.md,
//         cxl_io/README.md.

module endpoint
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_port_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned MaxSets     = 1024,       // sets of the internal DRAM, 2..1024, a power of
                                                   // two
  parameter int unsigned Ways        = 8,          // its lines in a set, 2..64, a power of two;
                                                   // MaxSets * Ways at most 65536
  parameter int unsigned Mshrs       = DefaultSizes.mshrs,  // its fills outstanding, 16..256, a
                                                   // power of two; an eighth is for demand alone
  parameter int unsigned DramLineBytes = DefaultSizes.line_bytes,  // bytes of its lines, 64..1024,
                                                   // a power of two
  parameter int unsigned NumDecoders = 4,          // HDM decoders, 1..16: 1 or an even number
  parameter int unsigned TableDepth  = 32,         // demand accesses outstanding, 2..64, a power of
                                                   // two
  parameter int unsigned SpecDepth   = 128,        // MemSpecRd that can wait, 2..65536
  parameter int unsigned NdRxDepth   = 32,         // Req that the controller can store, the credits
                                                   // of the host, 2..127
  parameter int unsigned WdRxDepth   = 32,         // RwD that the controller can store, the credits
                                                   // of the host, 2..127
  parameter int unsigned LlrbDepth   = 128,        // flits in the retry buffer of the controller,
                                                   // 22..255
  parameter bit          LlrWrapInclusive = 1'b0,  // 0 or 1: wrap values of INIT.Param are last
                                                   // numbers; the same at both ends
  parameter logic [35:0] MediaSize   = 36'd128,    // size that is reported of the media, in 256
                                                   // MiB, 0..2^36-1
  parameter logic [63:0] SerialNumber = 64'd1,     // EUI-64 of the device, 0..2^64-1; the default
                                                   // is no assigned number
  parameter bit          IoInfinite  = 1'b0        // 0 or 1: infinite credits on CXL.io and so no
                                                   // UpdateFC; 1 only behind a root port that has
                                                   // one non-posted request outstanding at a time
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  // Link
  output logic          link_tx_valid_o,  // a flit is offered; stays until taken while the physical
                                          // link is in L0
  input  logic          link_tx_ready_i,  // Flex Bus takes it
  output flit_kind_e    link_tx_kind_o,   // CXL.io, CXL.cachemem or ALMP; never FlitNull with valid
  output flit_t         link_tx_flit_o,   // the flit, CRC in [527:512]
  input  logic          link_rx_valid_i,  // pulse: a flit came; cannot be stalled
  input  flit_kind_e    link_rx_kind_i,   // its protocol; FlitNull carries nothing
  input  flit_t         link_rx_flit_i,   // the flit, CRC in [527:512]
  input  logic          phy_up_i,         // level: the physical link is in L0
  input  logic          phy_recovery_i,   // level: it is in Recovery; wins over phy_up_i
  output logic          retrain_req_o,    // level: take the physical link through Recovery
  output vlsm_e         phy_state_o,      // state in which the physical link should be
  output logic          init_done_o,      // level: INIT.Param went both ways
  output logic          abort_o,          // level: retry of the link gave up
  output logic [7:0]    err_o,            // pulses: 0 CRC, 1 reserved encoding, 2 flit before
                                          // INIT.Param, 3 second INIT.Param, 4 unexpected
                                          // RETRY.Ack, 5 receive overflow, 6 retry started, 7
                                          // time-out
  output logic [2:0]    arb_err_o,        // pulses: 0 damaged ALMP, 1 malformed or unexpected ALMP,
                                          // 2 stray protocol flit
  // Media
  output to_media_t     media_o,          // commands; whether an answer is taken
  input  from_media_t   media_i,          // answers; load of the media; whether a command is taken
  // Trace
  output ep_trace_t     trace_o           // events of this endpoint
);

  localparam int unsigned IndexW      = $clog2(TableDepth);
  localparam int unsigned SpecReserve = Mshrs / 8;  // MSHRs that MemSpecRd leaves to demand
  // Lines of the internal DRAM; below, a line is of 64 B and a key the address of one of these.
  localparam int unsigned OffsetBits  = $clog2(DramLineBytes / 64);
  localparam int unsigned KeyBits     = LineAddrBits - OffsetBits;
  localparam logic [3:0]  OffsetMask  = 4'(DramLineBytes / 64 - 1);
  localparam int unsigned UnitLineBits = $clog2(256 * 1024 * 1024 / 64);  // of 256 MiB, in lines
  // A MemSpecRd of 1024 B, in keys.
  localparam int unsigned SpecLenBits = (DramLineBytes < 256) ? $clog2(1024 / DramLineBytes) : 2;

  typedef logic [KeyBits-1:0] key_t;

  // The first line of a line of the internal DRAM
  function automatic line_addr_t line_of(key_t key);
    return line_addr_t'(key) << OffsetBits;
  endfunction

  if (Mshrs < 16 || Mshrs > 256 || 2 ** $clog2(Mshrs) != Mshrs) begin : g_bad_mshrs
    $error("endpoint: Mshrs of 16..256, a power of two, is %0d", Mshrs);
  end
  if (DramLineBytes < 64 || DramLineBytes > 1024 || 2 ** $clog2(DramLineBytes) != DramLineBytes)
  begin : g_bad_line
    $error("endpoint: DramLineBytes of 64..1024, a power of two, is %0d", DramLineBytes);
  end

  // ---------------------------------------------------------------------------------------------
  // CXL.io
  // ---------------------------------------------------------------------------------------------
  logic         io_link_up, cm_link_up, io_tx_valid, io_tx_ready, io_rx_valid;
  logic         io_retrain_error;
  logic [511:0] io_tx_data, io_rx_data;
  logic         weight_io_we, weight_cm_we;
  logic [3:0]   weight, weight_io, weight_cm;
  logic         host_viral, viral, rwd_poison;
  logic         opcode_bad;  // a message is discarded for its opcode: a reserved encoding
  logic         between;     // between sessions of the CXL.mem link
  m2s_rwd_t     rx_rwd;
  reg_req_t     reg_req;
  logic [31:0]  reg_rdata;
  logic         mem_enable;
  logic         dev_rst_n;   // rst_ni, or CXL.io's link went down
  logic [35:0]  range1_base, range2_base;

  link_control_t link_control;
  link_status_t  link_status;
  flit_payload_t err_flit;
  logic [2:0]    err_overflow;

  endpoint_io #(
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth),
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive),
    .MediaSize(MediaSize),
    .SerialNumber(SerialNumber),
    .Infinite (IoInfinite)
  ) u_io (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .dev_rst_no    (dev_rst_n),
    .io_link_up_i  (io_link_up),
    .cm_link_up_i  (cm_link_up),
    .io_tx_valid_o (io_tx_valid),
    .io_tx_ready_i (io_tx_ready),
    .io_tx_data_o  (io_tx_data),
    .io_rx_valid_i (io_rx_valid),
    .io_rx_data_i  (io_rx_data),
    .io_retrain_o  (io_retrain_error),
    .weight_io_we_o(weight_io_we),
    .weight_cm_we_o(weight_cm_we),
    .weight_o      (weight),
    .weight_io_i   (weight_io),
    .weight_cm_i   (weight_cm),
    .link_control_o(link_control),
    .link_status_i (link_status),
    .abort_i       (abort_o),
    .err_i         (err_o | {6'd0, opcode_bad, 1'b0}),
    .err_flit_i    (err_flit),
    .err_overflow_i(err_overflow),
    .arb_err_i     (arb_err_o),
    .rwd_poison_i  (rwd_poison),
    .rwd_i         (rx_rwd),
    .viral_i       (host_viral),
    .viral_o       (viral),
    .mem_enable_o  (mem_enable),
    .range1_base_o (range1_base),
    .range2_base_o (range2_base),
    .reg_req_o     (reg_req),
    .reg_rdata_i   (reg_rdata)
  );

  // ---------------------------------------------------------------------------------------------
  // Controller and ARB/MUX
  // ---------------------------------------------------------------------------------------------
  logic       tx_nd_valid, tx_nd_ready, tx_wd_valid, tx_wd_ready;
  s2m_ndr_t   tx_ndr;
  s2m_drs_t   tx_drs;
  line_t      tx_wd_data;
  logic       rx_nd_valid, rx_nd_ready, rx_wd_valid, rx_wd_ready;
  m2s_req_t   rx_req;
  line_t      rx_wd_data;
  byte_en_t   rx_wd_be;
  logic [6:0] rx_nd_count, rx_wd_count;
  vlsm_e      unused_io_state, unused_cm_state;

  // A cycle of error asks for Recovery until it is on its way or the link is down: the vLSM does
  // not listen in a cycle in which an ALMP comes or goes.
  logic io_retrain, io_retrain_kept_q;

  assign io_retrain = io_retrain_error || io_retrain_kept_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) io_retrain_kept_q <= 1'b0;
    else         io_retrain_kept_q <= io_retrain && !retrain_req_o && !phy_recovery_i && phy_up_i;
  end

  cxl_port #(
    .IsHost   (1'b0),
    .NdRxDepth(NdRxDepth),
    .WdRxDepth(WdRxDepth),
    .LlrbDepth(LlrbDepth),
    .LlrWrapInclusive(LlrWrapInclusive)
  ) u_port (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .link_control_i   (link_control),
    .link_status_o    (link_status),
    .tx_flush_i       (between),
    .viral_i          (viral),
    .viral_o          (host_viral),
    .tx_nd_valid_i    (tx_nd_valid),
    .tx_nd_ready_o    (tx_nd_ready),
    .tx_nd_hdr_i      (msg_hdr_t'(tx_ndr)),
    .tx_wd_valid_i    (tx_wd_valid),
    .tx_wd_ready_o    (tx_wd_ready),
    .tx_wd_hdr_i      (msg_hdr_t'(tx_drs)),
    .tx_wd_data_i     (tx_wd_data),
    .tx_wd_be_i       ('1),
    .rx_nd_valid_o    (rx_nd_valid),
    .rx_nd_ready_i    (rx_nd_ready),
    .rx_nd_hdr_o      (rx_req),
    .rx_wd_valid_o    (rx_wd_valid),
    .rx_wd_ready_i    (rx_wd_ready),
    .rx_wd_hdr_o      (rx_rwd),
    .rx_wd_data_o     (rx_wd_data),
    .rx_wd_be_o       (rx_wd_be),
    .rx_nd_count_o    (rx_nd_count),
    .rx_wd_count_o    (rx_wd_count),
    .io_tx_valid_i    (io_tx_valid),
    .io_tx_ready_o    (io_tx_ready),
    .io_tx_data_i     (io_tx_data),
    .io_rx_valid_o    (io_rx_valid),
    .io_rx_data_o     (io_rx_data),
    .io_link_up_o     (io_link_up),
    .io_req_i         (io_retrain ? VlsmRetrain : VlsmActive),
    .cm_req_i         (VlsmActive),
    .io_state_o       (unused_io_state),
    .cm_state_o       (unused_cm_state),
    .weight_io_we_i   (weight_io_we),
    .weight_io_i      (weight),
    .weight_cm_we_i   (weight_cm_we),
    .weight_cm_i      (weight),
    .weight_io_o      (weight_io),
    .weight_cm_o      (weight_cm),
    .link_tx_valid_o  (link_tx_valid_o),
    .link_tx_ready_i  (link_tx_ready_i),
    .link_tx_kind_o   (link_tx_kind_o),
    .link_tx_flit_o   (link_tx_flit_o),
    .link_rx_valid_i  (link_rx_valid_i),
    .link_rx_kind_i   (link_rx_kind_i),
    .link_rx_flit_i   (link_rx_flit_i),
    .phy_up_i         (phy_up_i),
    .phy_recovery_i   (phy_recovery_i),
    .retrain_req_o    (retrain_req_o),
    .phy_state_o      (phy_state_o),
    .cm_link_up_o     (cm_link_up),
    .init_done_o      (init_done_o),
    .abort_o          (abort_o),
    .err_o            (err_o),
    .err_flit_o       (err_flit),
    .err_overflow_o   (err_overflow),
    .arb_err_o        (arb_err_o)
  );

  // ---------------------------------------------------------------------------------------------
  // Registers and device load
  // ---------------------------------------------------------------------------------------------
  reg_req_t      reg_req_hdm, reg_req_vendor;
  logic [31:0]   rdata_hdm, rdata_vendor;
  logic          reg_vendor_q;
  logic          dram_enable, len_enable, write_back_done;
  logic [3:0]    sets_log2;
  logic [7:0]    open_max;
  logic [23:0]   persistent_from;  // in units of 256 MiB
  durable_e      durable;
  logic [8:0]    mshr_used, open_count, mshr_busy;
  logic          rsp_stalled;
  dram_event_t   dram_event;
  load_control_t load_control;
  load_status_t  load_status;
  dev_load_e     dev_load;

  always_comb begin
    reg_req_hdm          = reg_req;
    reg_req_hdm.valid    = reg_req.valid && !reg_req.addr[11];
    reg_req_vendor       = reg_req;
    reg_req_vendor.valid = reg_req.valid && reg_req.addr[11];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            reg_vendor_q <= 1'b0;
    else if (reg_req.valid) reg_vendor_q <= reg_req.addr[11];
  end

  assign reg_rdata  = reg_vendor_q ? rdata_vendor : rdata_hdm;
  assign rwd_poison = rx_wd_valid && rx_wd_ready && rx_rwd.poison;

  endpoint_regs #(
    .MaxSets(MaxSets),
    .Mshrs  (Mshrs),
    .DramLineBytes(DramLineBytes)
  ) u_regs (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .reg_req_i        (reg_req_vendor),
    .reg_rdata_o      (rdata_vendor),
    .write_back_done_i(write_back_done),
    .event_i          (dram_event),
    .dram_enable_o    (dram_enable),
    .len_enable_o     (len_enable),
    .open_max_o       (open_max),
    .sets_log2_o      (sets_log2),
    .persistent_from_o(persistent_from),
    .durable_o        (durable),
    .load_control_o   (load_control),
    .load_status_i    (load_status)
  );

  // Open lines wait for nobody.
  assign mshr_busy = mshr_used - open_count;

  dev_load u_dev_load (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .ingress_i (8'(rx_nd_count) + 8'(rx_wd_count)),
    .mshr_i    (mshr_busy[8] ? 8'hFF : mshr_busy[7:0]),  // thresholds have seven bits
    .media_i   (media_i.status),
    .stalled_i (rsp_stalled),
    .control_i (load_control),
    .dev_load_o(dev_load),
    .status_o  (load_status)
  );

  // ---------------------------------------------------------------------------------------------
  // E1: choose a message, decode it
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic        write;   // RwD
    logic        access;  // goes to the media: decoded, and a read or a write
    logic        poison;  // of a write
    logic [15:0] tag;
    line_addr_t  line;    // DPA; HPA if the decoder missed
  } demand_t;

  logic        e2_valid_q, e2_done;
  logic        cmd_ready;     // room for a command
  logic        open_pend;     // an ArrayWrite comes behind a WriteBack
  logic        demand_go;     // a demand access is looked up, or bypasses the DRAM
  logic        demand_stays;  // and is not done with it
  logic        local_offer, rsp_taken;
  demand_t     e1, e2_q;
  line_t       e2_data_q;
  byte_en_t    e2_be_q;

  logic        nd_spec, nd_bad, wd_bad, choose_wd, take_nd, take_wd, take_demand, last_wd_q;
  logic        try_wd, try_nd;   // this channel's message is taken when it can be
  logic        e2_ready;         // E2 is free for a message, whatever the lookup says
  logic        e2_free, spec_go, spec_visit;
  line_addr_t  hpa, hdm_dpa, dpa;
  logic        hdm_enabled, hdm_hit, decode_hit;

  // What is decoded does not depend on e2_free, which comes late: the lookup of the message before.
  // An opcode that is not known here is discarded: neither performed nor answered.
  assign choose_wd   = rx_wd_valid && !(rx_nd_valid && last_wd_q);
  assign nd_spec     = (rx_req.opcode == MemSpecRd);
  assign nd_bad      = !(rx_req.opcode inside {MemInv, MemRd, MemRdData, MemSpecRd, MemInvNT});
  assign wd_bad      = !(rx_rwd.opcode inside {MemWr, MemWrPtl});
  // The lookup comes last of all, and credits are counted behind it: two levels.
  assign try_wd      = choose_wd && !between;
  assign try_nd      = rx_nd_valid && !choose_wd && !between;
  assign e2_ready    = !e2_valid_q || (local_offer && rsp_taken) || (open_pend && cmd_ready);
  assign e2_free     = e2_ready || (demand_go && !demand_stays);
  assign take_wd     = (try_wd && (wd_bad || e2_ready)) ||
                       (try_wd && demand_go && !demand_stays);
  assign take_nd     = (try_nd && (nd_spec || nd_bad || e2_ready)) ||
                       (try_nd && demand_go && !demand_stays);
  assign take_demand = (take_wd && !wd_bad) || (take_nd && !nd_spec && !nd_bad);
  assign opcode_bad  = (take_wd && wd_bad) || (take_nd && nd_bad);
  assign rx_wd_ready = take_wd;
  assign rx_nd_ready = take_nd;

  // By choose_wd, but for no message at all: both are then 0. The decode is long, and the register
  // chooses last, of what is chosen by one channel alone.
  assign hpa = last_wd_q ? (rx_nd_valid ? rx_req.addr_51_5[46:1] : rx_rwd.addr_51_6)
                         : (rx_wd_valid ? rx_rwd.addr_51_6 : rx_req.addr_51_5[46:1]);

  logic [3:0] unused_decoder, unused_way;
  logic [7:0] unused_target;

  hdm_decoder #(
    .IsDevice   (1'b1),
    .NumDecoders(NumDecoders)
  ) u_decoder (
    .clk_i      (clk_i),
    .rst_ni     (dev_rst_n),
    .reg_req_i  (reg_req_hdm),
    .reg_rdata_o(rdata_hdm),
    .enabled_o  (hdm_enabled),
    .hpa_valid_i(rx_nd_valid || rx_wd_valid),
    .hpa_line_i (hpa),
    .hit_o      (hdm_hit),
    .decoder_o  (unused_decoder),
    .way_o      (unused_way),
    .target_o   (unused_target),
    .dpa_line_o (hdm_dpa)
  );

  range_decoder #(
    .Range1Size(MediaSize)
  ) u_range_decoder (
    .mem_enable_i  (mem_enable),
    .hdm_enabled_i (hdm_enabled),
    .range1_base_i (range1_base),
    .range2_base_i (range2_base),
    .hpa_valid_i   (rx_nd_valid || rx_wd_valid),
    .hpa_line_i    (hpa),
    .hdm_hit_i     (hdm_hit),
    .hdm_dpa_line_i(hdm_dpa),
    .hit_o         (decode_hit),
    .dpa_line_o    (dpa)
  );

  always_comb begin
    e1 = '{write: choose_wd, access: decode_hit, poison: rx_rwd.poison, tag: rx_rwd.tag,
           line: dpa};
    if (!choose_wd) begin
      e1.access = decode_hit && ((rx_req.opcode == MemRd) || (rx_req.opcode == MemRdData));
      e1.tag    = rx_req.tag;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      e2_valid_q <= 1'b0;
      last_wd_q  <= 1'b0;
    end else begin
      if (e2_free) e2_valid_q <= take_demand;
      if (take_wd || take_nd) last_wd_q <= take_wd;
    end
  end

  // A read that the decoder missed is answered with data, MemInv without: told apart in E2.
  logic e2_read_q;

  always_ff @(posedge clk_i) begin
    if (take_demand) begin
      e2_q      <= e1;
      e2_read_q <= !choose_wd && ((rx_req.opcode == MemRd) || (rx_req.opcode == MemRdData));
    end
    if (take_wd && !wd_bad) begin
      e2_data_q <= rx_wd_data;
      e2_be_q   <= rx_wd_be;
    end
  end

  // MemSpecRd: to its queue, or dropped. Without a length it asks for its own line.
  logic       spec_in, spec_room, spec_valid;
  key_t       spec_key;
  logic [4:0] spec_end;  // last line, from the beginning of the first line of the internal DRAM

  assign spec_in  = take_nd && nd_spec && decode_hit && dram_enable;
  assign spec_end = {1'b0, {dpa[3:2], 2'b00} & OffsetMask} + {1'b0, hpa[1:0], 2'b11};

  spec_queue #(
    .Depth  (SpecDepth),
    .KeyBits(KeyBits),
    .LenBits(SpecLenBits)
  ) u_spec_queue (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .in_valid_i   (spec_in),
    .in_ready_o   (spec_room),
    .in_first_i   (key_t'((len_enable ? {dpa[LineAddrBits-1:2], 2'b00} : dpa) >> OffsetBits)),
    .in_len_i     (len_enable ? SpecLenBits'(spec_end >> OffsetBits) : '0),
    .out_valid_o  (spec_valid),
    .out_ready_i  (spec_visit),
    .out_granule_o(spec_key)
  );

  // One dropped whole is reported a cycle later, on a trace port of its own: the lookup stage may
  // drop a granule in any cycle, and what is reported must not slow what happens.
  logic       lost_q;
  line_addr_t lost_line_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lost_q <= 1'b0;
    else         lost_q <= take_nd && nd_spec && !(spec_in && spec_room);
  end

  always_ff @(posedge clk_i) begin
    if (take_nd && nd_spec) lost_line_q <= {dpa[LineAddrBits-1:2], 2'b00};
  end

  // ---------------------------------------------------------------------------------------------
  // E2: lookup
  // ---------------------------------------------------------------------------------------------
  logic              push_free, fill_pend_q, wake_valid;
  logic              table_free, try_demand, try_lookup, demand_done, alloc_wait;
  logic [IndexW-1:0] table_index;
  key_t              lookup_key, victim;
  logic [2:0]        result;
  logic [15:0]       slot;
  logic [7:0]        mshr;
  logic              victim_dirty;
  logic              fill_done;
  logic              wake_push;
  logic [7:0]        wake_mshr;
  logic              is_hit, is_miss, is_start, is_open, spec_miss, spec_drop;
  logic              early;         // stores do not wait for fills
  logic              second_write_q;  // behind a WriteBack comes an ArrayWrite
  logic              behind_valid, behind_want, behind_go, blocked_q;
  logic [7:0]        behind_mshr;
  logic [15:0]       behind_slot;
  key_t              behind_key;

  // The push slot belongs to what follows a WriteBack, then to woken waiters, then to the fill of
  // an open line.
  // push_free comes late, from the waiters: it decides whether a lookup counts, not which it is.
  assign push_free  = cmd_ready && !fill_pend_q && !wake_valid && !behind_want;
  assign open_pend  = fill_pend_q && second_write_q;
  assign early      = (open_max != '0);
  // A demand that is BLOCKED may have a set full of open lines before it.
  assign behind_want = dram_enable && behind_valid && ((open_count > 9'(open_max)) || blocked_q);
  assign behind_go   = behind_want && cmd_ready && !fill_pend_q && !wake_valid;
  assign try_demand = e2_valid_q && e2_q.access && table_free;
  // A granule asked for ahead of need waits rather than be dropped for want of an MSHR.
  assign spec_go    = spec_valid && mshr_used <= 9'(Mshrs - SpecReserve);
  assign try_lookup = (try_demand || spec_go) && dram_enable;
  assign demand_go  = try_demand && push_free;
  assign spec_visit = spec_go && push_free && !try_demand;

  assign lookup_key = try_demand ? e2_q.line[LineAddrBits-1:OffsetBits] : spec_key;

  dram_cache #(
    .MaxSets(MaxSets),
    .Ways   (Ways),
    .Mshrs  (Mshrs),
    .DramLineBytes(DramLineBytes)
  ) u_dram_cache (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .sets_log2_i     (sets_log2),
    .lookup_valid_i  (try_lookup),
    .lookup_granule_i(lookup_key),
    .lookup_write_i  (try_demand && e2_q.write),
    .lookup_spec_i   (!try_demand),
    .lookup_offset_i (e2_q.line[3:0] & OffsetMask),
    .lookup_be_i     (e2_be_q),
    .early_i         (early),
    .lookup_commit_i (push_free),
    .result_o        (result),
    .slot_o          (slot),
    .mshr_o          (mshr),
    .victim_o        (victim),
    .victim_dirty_o  (victim_dirty),
    .event_o         (dram_event),
    .fill_done_i     (fill_done),
    .fill_mshr_i     (media_i.rsp.id),
    .wait_dec_i      (wake_push),
    .wait_mshr_i     (wake_mshr),
    .mshr_used_o     (mshr_used),
    .open_count_o    (open_count),
    .behind_valid_o  (behind_valid),
    .behind_mshr_o   (behind_mshr),
    .behind_slot_o   (behind_slot),
    .behind_granule_o(behind_key),
    .behind_take_i   (behind_go)
  );

  assign is_hit      = try_lookup && push_free && ((result == CacheHit) || (result == CacheHeld));
  assign is_miss     = try_lookup && push_free && (result == CacheMiss);
  assign is_start    = try_lookup && push_free && (result == CacheStart);
  assign is_open     = try_lookup && push_free && (result == CacheOpen);
  // A store that opens a line behind a WriteBack stays in E2 until its own command goes. While
  // stores do not wait, a write with a dirty victim is an OPEN: the result, late, is not needed.
  // With the DRAM off nothing is looked up, and both are 0.
  assign demand_stays = (result == CacheBlocked) || (victim_dirty && early && e2_q.write);
  assign demand_done  = (demand_go && !demand_stays) || (open_pend && cmd_ready);
  assign alloc_wait  = dram_enable && !open_pend && ((result == CacheMerge) ||
                       (result == CacheMiss) || (result == CacheStart));
  assign spec_miss   = spec_visit && (is_miss || is_start);
  assign spec_drop   = spec_visit && (!dram_enable || (result == CacheDrop));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blocked_q <= 1'b0;
    end else if (fill_done || wake_push || dram_event.whole) begin
      blocked_q <= 1'b0;
    end else if (demand_go && dram_enable && (result == CacheBlocked)) begin
      blocked_q <= 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Transaction table
  // ---------------------------------------------------------------------------------------------
  logic              wake_write;
  logic [IndexW-1:0] wake_index;
  line_addr_t        wake_line, answer_line;
  logic [15:0]       wake_slot, issue_tag, answer_tag;
  byte_en_t          wake_be;
  line_t             wake_data;
  logic              wake_poison, table_busy;
  logic              media_release;
  media_cmd_t        queued_cmd;  // at the head of its queue
  media_cmd_t        media_cmd;   // on offer to the media
  logic              media_cmd_valid;

  assign wake_push = wake_valid && cmd_ready && !fill_pend_q;

  transaction_table #(
    .Depth(TableDepth)
  ) u_table (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .free_o        (table_free),
    .free_index_o  (table_index),
    .alloc_i       (demand_done),
    .alloc_wait_i  (alloc_wait),
    .alloc_write_i (e2_q.write),
    .alloc_tag_i   (e2_q.tag),
    .alloc_line_i  (e2_q.line),
    .alloc_slot_i  (slot),
    .alloc_mshr_i  (mshr),
    .alloc_be_i    (e2_be_q),
    .alloc_data_i  (e2_data_q),
    .alloc_poison_i(e2_q.poison),
    .fill_done_i   (fill_done),
    .fill_mshr_i   (media_i.rsp.id),
    .wake_valid_o  (wake_valid),
    .wake_ready_i  (wake_push),
    .wake_index_o  (wake_index),
    .wake_write_o  (wake_write),
    .wake_line_o   (wake_line),
    .wake_slot_o   (wake_slot),
    .wake_mshr_o   (wake_mshr),
    .wake_be_o     (wake_be),
    .wake_data_o   (wake_data),
    .wake_poison_o (wake_poison),
    .busy_o        (table_busy),
    .issue_index_i (media_cmd.id[IndexW-1:0]),
    .issue_tag_o   (issue_tag),
    .answer_index_i(media_i.rsp.id[IndexW-1:0]),
    .answer_tag_o  (answer_tag),
    .answer_line_o (answer_line),
    .release_i     (media_release)
  );

  // ---------------------------------------------------------------------------------------------
  // Command FIFO, E3
  // ---------------------------------------------------------------------------------------------
  logic        cmd_push;
  media_cmd_t  cmd;
  logic [7:0]  fill_mshr_q;
  logic [15:0] fill_slot_q;
  key_t        fill_key_q;

  assign cmd_push = fill_pend_q || wake_valid || behind_want || is_miss || is_start || is_open ||
                    (demand_go && (!dram_enable || is_hit));

  always_comb begin
    cmd = '0;
    if (open_pend) begin
      cmd.partial = 1'b1;
      cmd.op      = MediaArrayWrite;
      cmd.id      = 8'(table_index);
      cmd.dpa     = e2_q.line;
      cmd.slot    = fill_slot_q;
      cmd.offset  = e2_q.line[3:0] & OffsetMask;
      cmd.be      = e2_be_q;
      cmd.data    = e2_data_q;
      cmd.poison  = e2_q.poison;
    end else if (fill_pend_q) begin
      cmd.op   = MediaFill;
      cmd.id   = fill_mshr_q;
      cmd.dpa  = line_of(fill_key_q);
      cmd.slot = fill_slot_q;
    end else if (wake_valid) begin
      cmd.op     = wake_write ? MediaArrayWrite : MediaArrayRead;
      cmd.id     = 8'(wake_index);
      cmd.dpa    = wake_line;
      cmd.slot   = wake_slot;
      cmd.offset = wake_line[3:0] & OffsetMask;
      cmd.be     = wake_be;
      cmd.data   = wake_data;
      cmd.poison = wake_poison;
    end else if (behind_want) begin
      cmd.partial = 1'b1;
      cmd.op      = MediaFill;
      cmd.id      = behind_mshr;
      cmd.dpa     = line_of(behind_key);
      cmd.slot    = behind_slot;
    end else if (is_miss || is_start || (is_open && victim_dirty)) begin
      cmd.partial = is_start;
      cmd.op      = victim_dirty ? MediaWriteBack : MediaFill;
      cmd.id      = mshr;
      cmd.dpa     = line_of(victim_dirty ? victim : lookup_key);
      cmd.slot    = slot;
    end else if (demand_go) begin
      cmd.id  = 8'(table_index);
      cmd.dpa = e2_q.line;
      if (dram_enable) begin
        cmd.partial = is_open;
        cmd.op      = e2_q.write ? MediaArrayWrite : MediaArrayRead;
        cmd.slot    = slot;
        cmd.offset  = e2_q.line[3:0] & OffsetMask;
      end else begin
        cmd.op = e2_q.write ? MediaWrite : MediaRead;
      end
      if (e2_q.write) begin
        cmd.be     = e2_be_q;
        cmd.data   = e2_data_q;
        cmd.poison = e2_q.poison;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_pend_q <= 1'b0;
    end else if (fill_pend_q) begin
      fill_pend_q <= !cmd_ready;
    end else begin
      fill_pend_q <= (is_miss || is_open) && victim_dirty;
    end
  end

  always_ff @(posedge clk_i) begin
    if ((is_miss || is_open) && victim_dirty) begin
      second_write_q <= is_open;
      fill_mshr_q    <= mshr;
      fill_slot_q    <= slot;
      fill_key_q     <= lookup_key;
    end
  end

  logic [2:0] unused_cmd_count;

  fifo #(
    .Width($bits(media_cmd_t)),
    .Depth(4)
  ) u_cmd_fifo (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .in_valid_i (cmd_push),
    .in_ready_o (cmd_ready),
    .in_data_i  (cmd),
    .out_valid_o(media_cmd_valid),
    .out_ready_i(media_i.cmd_ready),
    .out_data_o (queued_cmd),
    .count_o    (unused_cmd_count)
  );

  // Durable completion. Every write comes by here once, whether it hit, waited for a fill or opened
  // a line, so here alone it is seen whether it persists. Behind the queue it costs the lookup no
  // time and the queue no bits.
  logic is_write, persists;

  assign is_write = (queued_cmd.op == MediaWrite) || (queued_cmd.op == MediaArrayWrite);
  assign persists = (queued_cmd.dpa[LineAddrBits-1:UnitLineBits] >= persistent_from);

  always_comb begin
    media_cmd         = queued_cmd;
    media_cmd.durable = (is_write && persists) ? durable : DurableOff;
  end

  // ---------------------------------------------------------------------------------------------
  // Sessions of the CXL.mem link
  // ---------------------------------------------------------------------------------------------
  logic between_q;

  // In the first cycle of a link its receive FIFOs still show what the one before left.
  assign between = !cm_link_up || between_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) between_q <= 1'b1;
    else         between_q <= !cm_link_up || (between_q && (e2_valid_q || table_busy));
  end

  // ---------------------------------------------------------------------------------------------
  // E4: responses, one a cycle, from the media or (no media access) from E2
  // ---------------------------------------------------------------------------------------------
  logic      rsp_data_op, rsp_read, media_offer, local_lock_q;
  logic      offer, offer_drs, nd_room, wd_room, stall_q;
  dev_load_e rsp_load, stall_load_q;
  logic [15:0] rsp_tag;
  logic        media_rsp_ready;

  assign rsp_data_op = (media_i.rsp.op != MediaFill) && (media_i.rsp.op != MediaWriteBack);
  assign rsp_read    = (media_i.rsp.op == MediaRead) || (media_i.rsp.op == MediaArrayRead);
  assign media_offer = media_i.rsp_valid && rsp_data_op && !local_lock_q;
  assign local_offer = e2_valid_q && !e2_q.access && !media_offer;

  assign offer       = media_offer || local_offer;
  assign offer_drs   = media_offer ? rsp_read : e2_read_q;
  assign rsp_tag     = media_offer ? answer_tag : e2_q.tag;
  assign tx_nd_valid = offer && !offer_drs && !between;
  assign tx_wd_valid = offer && offer_drs && !between;
  // Between sessions answers are taken and go nowhere.
  assign nd_room     = between || tx_nd_ready;
  assign wd_room     = between || tx_wd_ready;
  assign rsp_taken   = offer && (offer_drs ? wd_room : nd_room);
  assign rsp_stalled = offer && !rsp_taken;
  assign e2_done     = demand_done || (local_offer && rsp_taken);

  // Comb from op alone: valid must not be needed.
  assign media_rsp_ready = !rsp_data_op || (!local_lock_q && (rsp_read ? wd_room : nd_room));
  assign media_o = '{cmd_valid: media_cmd_valid, rsp_ready: media_rsp_ready, zero: '0,
                    cmd: media_cmd};
  assign media_release   = media_offer && rsp_taken;
  assign fill_done       = media_i.rsp_valid && (media_i.rsp.op == MediaFill);
  assign write_back_done = media_i.rsp_valid && (media_i.rsp.op == MediaWriteBack);

  // What was offered stays offered, DevLoad included, until it is taken.
  assign rsp_load = stall_q ? stall_load_q : dev_load;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stall_q      <= 1'b0;
      local_lock_q <= 1'b0;
    end else begin
      stall_q      <= rsp_stalled;
      local_lock_q <= local_offer && !rsp_taken;
    end
  end

  always_ff @(posedge clk_i) begin
    if (offer) stall_load_q <= rsp_load;
  end

  always_comb begin
    tx_ndr     = '0;
    tx_drs     = '0;
    tx_wd_data = '1;
    if (tx_nd_valid) begin
      tx_ndr = '{valid: 1'b1, opcode: Cmp, meta_field: MetaFieldNoOp,
                 meta_value: MetaValueInvalid, tag: rsp_tag, ld_id: '0, dev_load: rsp_load};
    end
    if (tx_wd_valid) begin
      tx_drs = '{valid: 1'b1, opcode: MemData, meta_field: MetaFieldNoOp,
                 meta_value: MetaValueInvalid, tag: rsp_tag,
                 poison: media_offer && (media_i.rsp.error || media_i.rsp.poison),
                 ld_id: '0, dev_load: rsp_load, rsvd: '0};
      if (media_offer) tx_wd_data = media_i.rsp.data;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Trace
  // ---------------------------------------------------------------------------------------------
  logic media_data_issue;
  assign media_data_issue = media_cmd_valid && media_i.cmd_ready &&
                            (media_cmd.op != MediaFill) && (media_cmd.op != MediaWriteBack);

  logic [1:0] lookup_info;
  always_comb begin
    lookup_info = 2'd0;
    if (open_pend) begin
      lookup_info = 2'd2;
    end else if (demand_go && dram_enable) begin
      unique case (result)
        CacheHit, CacheHeld:              lookup_info = 2'd1;
        CacheMiss, CacheStart, CacheOpen: lookup_info = 2'd2;
        CacheMerge:                       lookup_info = 2'd3;
        default:                          lookup_info = 2'd0;
      endcase
    end
  end

  // Silent points cost next to nothing: all of an event hangs on its valid.
  always_comb begin
    trace_o = '0;
    if (take_demand) begin
      trace_o.ep_accept = '{valid: 1'b1, zero: '0, id: e1.tag, line: hpa,
                            info: {4'd0, take_wd ? rx_rwd.opcode : rx_req.opcode}};
    end
    if (e2_done) begin
      trace_o.ep_lookup = '{valid: 1'b1, zero: '0, id: e2_q.tag, line: e2_q.line,
                            info: 8'(lookup_info)};
    end
    if (media_data_issue) begin
      trace_o.media_issue = '{valid: 1'b1, zero: '0, id: issue_tag, line: media_cmd.dpa,
                              info: 8'(media_cmd.op)};
    end
    if (media_release) begin
      trace_o.media_done = '{valid: 1'b1, zero: '0, id: answer_tag, line: answer_line,
                             info: 8'(media_i.rsp.op)};
    end
    if (rsp_taken && !between) begin
      trace_o.ep_respond = '{valid: 1'b1, zero: '0, id: rsp_tag,
                             line: media_offer ? answer_line : e2_q.line, info: 8'(rsp_load)};
    end
    if (spec_miss) begin
      trace_o.spec_fill = '{valid: 1'b1, zero: '0, id: '0, line: line_of(spec_key), info: '0};
    end
    if (spec_drop) begin
      trace_o.spec_drop = '{valid: 1'b1, zero: '0, id: '0, line: line_of(spec_key), info: '0};
    end
    if (lost_q) trace_o.spec_lost = '{valid: 1'b1, zero: '0, id: '0, line: lost_line_q, info: '0};
  end

  // Header fields that a Type 3 device without metadata does not look at.
  logic unused_fields;
  assign unused_fields = ^{rx_req, rx_rwd};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  RetrainKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (io_retrain && !retrain_req_o && !phy_recovery_i && phy_up_i) |=> io_retrain)
      else $error("the data link's request for Recovery is lost");
  RetrainEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (retrain_req_o || phy_recovery_i || !phy_up_i) |=> !io_retrain_kept_q)
      else $error("the data link's request for Recovery outlasts Recovery");

  logic cmd_stalled_q, nd_stalled_q, wd_stalled_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cmd_stalled_q <= 1'b0;
      nd_stalled_q  <= 1'b0;
      wd_stalled_q  <= 1'b0;
    end else begin
      cmd_stalled_q <= media_cmd_valid && !media_i.cmd_ready;
      nd_stalled_q  <= tx_nd_valid && !tx_nd_ready;
      wd_stalled_q  <= tx_wd_valid && !tx_wd_ready;
    end
  end
  CmdHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      cmd_stalled_q |-> (media_cmd_valid && $stable(media_cmd.id)))
      else $error("a stalled media command is withdrawn or changes");
  // A session may be over before its offers are taken.
  NdrHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (nd_stalled_q && !between) |-> (tx_nd_valid && $stable(tx_ndr)))
      else $error("a stalled NDR is withdrawn or changes within a session");
  DrsHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wd_stalled_q && !between) |-> (tx_wd_valid && $stable(tx_drs)))
      else $error("a stalled DRS is withdrawn or changes within a session");
  Stalled_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_stalled == ((tx_nd_valid && !tx_nd_ready) || (tx_wd_valid && !tx_wd_ready)))
      else $error("DevLoad counts a stall that is none, or misses one");
  OneResponse_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(tx_nd_valid && tx_wd_valid))
      else $error("an NDR and a DRS are sent in one cycle");
  QuietBetween_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      between |-> !(rx_nd_valid && rx_nd_ready) && !(rx_wd_valid && rx_wd_ready) &&
                  !tx_nd_valid && !tx_wd_valid)
      else $error("a message is taken or answered between sessions");
  OldIsDone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (between && !e2_valid_q && !table_busy) |=>
          between_q == !$past(cm_link_up) && !e2_valid_q && !table_busy)
      else $error("a new session does not begin although the old one is done");
  DownIsBetween_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !cm_link_up |=> between)
      else $error("a session goes on after its link went down");
  BadOpcode_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      opcode_bad |-> !take_demand && !spec_in)
      else $error("a message with an unknown opcode is performed");
  PoisonWrites_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (media_cmd_valid && media_cmd.poison) |->
          media_cmd.op inside {MediaWrite, MediaArrayWrite})
      else $error("a media command other than a write has poison");
  DurableWrites_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (media_o.cmd_valid && media_o.cmd.durable != DurableOff) |->
          media_o.cmd.op inside {MediaWrite, MediaArrayWrite})
      else $error("a media command other than a write waits until it is durable");
  DurableLevel_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (media_o.cmd_valid && media_o.cmd.op inside {MediaWrite, MediaArrayWrite} &&
       64'(media_o.cmd.dpa) * 64'd64 >= 64'(persistent_from) * 64'd268435456) |->
          media_o.cmd.durable == durable)
      else $error("a write to what persists goes to the media as one that does not");
  DurableAlone_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (media_o.cmd_valid &&
       64'(media_o.cmd.dpa) * 64'd64 < 64'(persistent_from) * 64'd268435456) |->
          media_o.cmd.durable == DurableOff)
      else $error("a write to what does not persist is made durable");
  CmpOfMedia_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_nd_valid && !local_offer) |->
          (media_i.rsp_valid && media_i.rsp.op inside {MediaWrite, MediaArrayWrite}))
      else $error("a write that goes to the media is completed without their answer");
  MissPushes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (is_miss || is_start || is_open) |->
          (cmd_ready && !fill_pend_q && !wake_valid && !behind_want))
      else $error("a miss is looked up without room for its commands");
  OpenKept_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_pend |-> (e2_valid_q && e2_q.write && e2_q.access && table_free))
      else $error("a store whose line is open has left the lookup without its command");
  TakenFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (e2_free == (!e2_valid_q || e2_done)) &&
      (take_wd == (try_wd && (wd_bad || e2_free))) &&
      (take_nd == (try_nd && (nd_spec || nd_bad || e2_free))))
      else $error("a message is taken without room for it, or is not though there is room");
  Stays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      demand_go |-> (demand_stays == (dram_enable && ((result == CacheBlocked) ||
                                                      ((result == CacheOpen) && victim_dirty)))))
      else $error("a demand leaves the lookup that has to stay, or stays");
  DecodeChosen_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hpa == (choose_wd ? rx_rwd.addr_51_6 : rx_req.addr_51_5[46:1]))
      else $error("the address that is decoded is not that of the message chosen");
  OpenNoWait_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (open_max != '0 && $past(open_max) != '0 && alloc_wait && demand_done) |-> !e2_q.write)
      else $error("a store waits for a fill");
  PartialOps_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (media_cmd_valid && media_cmd.partial) |->
          media_cmd.op inside {MediaFill, MediaArrayWrite})
      else $error("a media command other than Fill and ArrayWrite is of a line in part");

endmodule
