// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Deterministic store in a root port: the engine with its index and its pace, and their registers.
//
//   req --+--> sr                  head --+--> mq                 mq_rsp --+--> rsp
//         |                               |                                |
//         +------------- ds_engine -------+--------------------------------+
//                        |    |    |
//               ds_index +    |    +- ds_pace <- DevLoad
//                             +- lm: a region of local memory
//
// Off, req, head and mq_rsp are wires. On and off change only while the port is quiet: nothing
// in flight, nothing offered, nothing deferred.
//
// Cycles: those of ds_engine. Registers: one access a cycle, data in the cycle after.
//
// Source: docs/blocks/root_port/deterministic_store.md; registers: cxl_reg_types_pkg
//         (regs/root_port.yaml).

module deterministic_store
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned Depth      = DefaultSizes.ds_lines,   // lines of the region; 4..4096, a
                                             // power of two
  parameter int unsigned Writes     = DefaultSizes.ds_writes,  // most writes to the endpoint in
                                             // flight; 1..64
  parameter int unsigned SrDepth    = DefaultSizes.sr_queue_entries,  // slots of the SR queue;
                                             // 1..170: 255 requests may be outstanding
  parameter int unsigned MemEntries = DefaultSizes.memory_queue_entries - 2  // entries of the
                                             // memory queue for loads and stores; 1..63
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  // Registers 850h..894h of the port's page
  input  reg_req_t                                reg_req_i,       // one access a cycle; other
                                                                   // offsets read 0
  output logic [31:0]                             reg_rdata_o,     // the cycle after a read, else 0
  // Memory queue and endpoint
  input  logic                                    busy_i,          // level: the memory queue has
                                                                   // something; on and off wait
  input  logic                                    isolate_i,       // level: the endpoint is gone; a
                                                                   // store without a slot gets an
                                                                   // error
  input  logic                                    dev_valid_i,     // pulse: the endpoint answered
  input  logic [1:0]                              dev_load_i,      // its DevLoad, 0 light..3 severe
  // Host bridge, to the SR queue. Here and below, what is valid stays until taken.
  input  logic                                    req_valid_i,     // a load or store of the host
  output logic                                    req_ready_o,     // comb from req_i; on, low for a
                                                                   // store without a place or under
                                                                   // a fence, for a load of a
                                                                   // waiting store's line; else
                                                                   // sr_ready_i
  input  sys_req_t                                req_i,           // on: no poison, id below FFC0h
  output logic                                    sr_valid_o,      // for the SR queue; on, a load
  input  logic                                    sr_ready_i,      // low while the SR queue is full
  output sys_req_t                                sr_req_o,        // req_i as it is
  // Head of the SR queue, to the memory queue
  input  logic                                    head_valid_i,    // SR queue's oldest; on, a load
  output logic                                    head_ready_o,    // low until mq or, on, local
                                                                   // memory takes it
  input  sys_req_t                                head_req_i,      // that request
  output logic                                    mq_valid_o,      // for the memory queue
  input  logic                                    mq_ready_i,      // low: no entry is free, or one
                                                                   // has the line
  output sys_req_t                                mq_req_o,        // the head, or a write of its
                                                                   // own with id FFC0h..FFFFh
  // Lines in the two queues
  input  logic [SrDepth-1:0]                      load_valid_i,    // by SR queue slot: has a load
  input  logic [SrDepth-1:0][LineAddrBits-1:0]    load_line_i,     // its line, address[51:6]
  input  logic [MemEntries-1:0]                   mem_valid_i,     // by entry: has a load or store
  input  logic [MemEntries-1:0][LineAddrBits-1:0] mem_line_i,      // its line, address[51:6]
  // Responses
  input  logic                                    mq_rsp_valid_i,  // from the memory queue
  output logic                                    mq_rsp_ready_o,  // low while rsp stalls or has
                                                                   // others, and for a write of its
                                                                   // own until its store has left
  input  sys_rsp_t                                mq_rsp_i,        // under the id of its mq_req_o
  output logic                                    rsp_valid_o,     // for the host
  input  logic                                    rsp_ready_i,     // low to stall
  output sys_rsp_t                                rsp_o,           // error: bad data, or store lost
  // Local memory
  output logic                                    lm_valid_o,      // a read or write of the region
  input  logic                                    lm_ready_i,      // low to stall
  output lm_req_t                                 lm_req_o,        // slot 0..Depth-1; in order for
                                                                   // each slot
  output line_addr_t                              lm_line_o,       // its line, address[51:6]
  input  logic                                    lm_rsp_valid_i,  // answer of a read, in any
                                                                   // order, from the next cycle on
  output logic                                    lm_rsp_ready_o,  // low only for kind LmLoad
  input  lm_rsp_t                                 lm_rsp_i,        // kind and index of the read
  // Trace
  output trace_t                                  tr_ds_o          // id: events, line: number of
                                                                   // lines deferred, info: 0
);

  localparam int unsigned SlotWidth = $clog2(Depth);
  localparam int unsigned Events    = $bits(ds_event_t);

  if (Events != 10) begin : g_check_events
    $error("deterministic_store: as many counters as events");
  end

  // ---------------------------------------------------------------------------------------------
  // Registers
  // ---------------------------------------------------------------------------------------------
  rp_ds_control_t          control_q;
  rp_ds_interval_t         interval_q;
  rp_ds_base_low_t         base_low_q;
  rp_ds_base_high_t        base_high_q;
  logic                    on_q, quiet, wr_status;
  logic [Events-1:0][31:0] count_q;
  logic [31:0]             rdata_q, rdata_d;
  logic [11:0]             offset;
  logic                    empty, error;
  logic [SlotWidth:0]      pending;
  ds_event_t               ev;

  assign offset    = {reg_req_i.addr[11:2], 2'b00};
  assign wr_status = reg_req_i.valid && reg_req_i.write && offset == RpDsStatusOffset;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q   <= RpDsControlAtReset;
      interval_q  <= RpDsIntervalAtReset;
      base_low_q  <= RpDsBaseLowAtReset;
      base_high_q <= RpDsBaseHighAtReset;
    end else if (reg_req_i.valid && reg_req_i.write) begin
      unique case (offset)
        RpDsControlOffset:  control_q  <= rp_ds_control_written(control_q, reg_req_i.wdata);
        RpDsIntervalOffset: interval_q <= rp_ds_interval_written(interval_q, reg_req_i.wdata);
        // Locked while on: a request to local memory may stand with its address.
        RpDsBaseLowOffset: begin
          base_low_q <= rp_ds_base_low_written(base_low_q, reg_req_i.wdata, on_q);
        end
        RpDsBaseHighOffset: begin
          base_high_q <= rp_ds_base_high_written(base_high_q, reg_req_i.wdata, on_q);
        end
        default: ;
      endcase
    end
  end

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_d = rp_word('{
        ds_control:      control_q,
        ds_status:       '{on: on_q, empty: empty, error: error,
                           count: RpDsStatusCountWidth'(pending)},
        ds_interval:     interval_q,
        ds_base_low:     base_low_q,
        ds_base_high:    base_high_q,
        ds_cap:          '{slots: RpDsCapSlotsWidth'(Depth), writes: RpDsCapWritesWidth'(Writes)},
        ds_direct:       count_q[0],
        ds_deferred:     count_q[1],
        ds_in_place:     count_q[2],
        ds_flushed:      count_q[3],
        ds_load_hit:     count_q[4],
        ds_load_merged:  count_q[5],
        ds_filter_false: count_q[6],
        ds_no_slot:      count_q[7],
        ds_write_errors: count_q[8],
        ds_refused:      count_q[9],
        default:         '0
      }, offset[11:2]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_q <= '0;
      count_q <= '0;
    end else begin
      rdata_q <= rdata_d;
      for (int unsigned i = 0; i < Events; i++) begin
        if (ev[i]) count_q[i] <= count_q[i] + 32'd1;
      end
    end
  end
  assign reg_rdata_o = rdata_q;

  // ---------------------------------------------------------------------------------------------
  // On and off
  // ---------------------------------------------------------------------------------------------
  logic       taken, answered;
  logic [7:0] open_q;  // taken from the host bridge and not answered

  assign taken    = req_valid_i && req_ready_o;
  assign answered = rsp_valid_o && rsp_ready_i;
  assign quiet    = !req_valid_i && empty && !busy_i && open_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      on_q   <= 1'b0;
      open_q <= '0;
    end else begin
      if (quiet) on_q <= control_q.enable;
      if (taken && !answered)      open_q <= open_q + 8'd1;
      else if (answered && !taken) open_q <= open_q - 8'd1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Pace
  // ---------------------------------------------------------------------------------------------
  logic direct, flush, oldest;

  ds_pace u_pace (
    .clk_i,
    .rst_ni,
    .rsp_valid_i(dev_valid_i),
    .dev_load_i,
    .sent_i     (on_q && mq_valid_o && mq_ready_i && mq_req_o.is_write),
    .interval_i ({interval_q.severe, interval_q.moderate, interval_q.optimal,
                  interval_q.light}),
    .direct_o   (direct),
    .flush_o    (flush),
    .oldest_o   (oldest)
  );

  // ---------------------------------------------------------------------------------------------
  // Index: its count is for checkers
  // ---------------------------------------------------------------------------------------------
  logic                 ix_valid, ix_ready, ix_rsp_valid, ix_found;
  logic [1:0]           ix_op;
  line_addr_t           ix_key;
  logic [SlotWidth-1:0] ix_slot, ix_rsp_slot;
  logic [SlotWidth:0]   unused_count;

  ds_index #(
    .Depth  (Depth),
    .KeyBits(LineAddrBits)
  ) u_index (
    .clk_i,
    .rst_ni,
    .req_valid_i(ix_valid),
    .req_ready_o(ix_ready),
    .op_i       (ix_op),
    .key_i      (ix_key),
    .slot_i     (ix_slot),
    .rsp_valid_o(ix_rsp_valid),
    .found_o    (ix_found),
    .slot_o     (ix_rsp_slot),
    .count_o    (unused_count)
  );

  // ---------------------------------------------------------------------------------------------
  // Engine
  // ---------------------------------------------------------------------------------------------
  ds_engine #(
    .Depth     (Depth),
    .Writes    (Writes),
    .SrDepth   (SrDepth),
    .MemEntries(MemEntries)
  ) u_engine (
    .clk_i,
    .rst_ni,
    .enable_i      (on_q),
    .fence_i       (control_q.fence),
    .isolate_i,
    .clear_error_i (wr_status && reg_req_i.wdata[RpDsStatusErrorLsb]),
    .max_writes_i  (control_q.max_writes),
    .direct_i      (direct),
    .flush_i       (flush),
    .oldest_i      (oldest),
    .req_valid_i,
    .req_ready_o,
    .req_i,
    .sr_valid_o,
    .sr_ready_i,
    .sr_req_o,
    .head_valid_i,
    .head_ready_o,
    .head_req_i,
    .mq_valid_o,
    .mq_ready_i,
    .mq_req_o,
    .load_valid_i,
    .load_line_i,
    .mem_valid_i,
    .mem_line_i,
    .mq_rsp_valid_i,
    .mq_rsp_ready_o,
    .mq_rsp_i,
    .rsp_valid_o,
    .rsp_ready_i,
    .rsp_o,
    .lm_valid_o,
    .lm_ready_i,
    .lm_req_o,
    .lm_rsp_valid_i,
    .lm_rsp_ready_o,
    .lm_rsp_i,
    .ix_valid_o    (ix_valid),
    .ix_ready_i    (ix_ready),
    .ix_op_o       (ix_op),
    .ix_key_o      (ix_key),
    .ix_slot_o     (ix_slot),
    .ix_rsp_valid_i(ix_rsp_valid),
    .ix_found_i    (ix_found),
    .ix_slot_i     (ix_rsp_slot),
    .empty_o       (empty),
    .error_o       (error),
    .count_o       (pending),
    .ev_o          (ev)
  );

  assign lm_line_o = {base_high_q.addr, base_low_q.addr, lm_req_o.slot};

  always_comb begin
    tr_ds_o = '0;
    if (ev != '0) begin
      tr_ds_o.valid = 1'b1;
      tr_ds_o.id    = 16'(ev);
      tr_ds_o.line  = LineAddrBits'(pending);
    end
  end

  logic unused_reg;
  assign unused_reg = ^{reg_req_i.addr[15:12], reg_req_i.addr[1:0]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  QuietTurn_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !quiet |=> $stable(on_q))
    else $error("deterministic store went on or off while the port was not quiet");
  Open_A: assert property (@(posedge clk_i) disable iff (!rst_ni) answered |-> open_q != '0)
    else $error("a response without a request that is outstanding");
  OpenMax_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      taken && !answered |-> open_q != '1)
    else $error("more than 255 requests outstanding");
  BaseStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (on_q || !empty || lm_valid_o) |=> $stable({base_high_q, base_low_q}))
    else $error("the region's base changed while on or with lines in it");
  LmHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (lm_valid_o && !lm_ready_i) |=> lm_valid_o && $stable({lm_req_o, lm_line_o}))
    else $error("a request to local memory changed or went away before it was taken");
  OwnIds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (on_q && req_valid_i) |-> req_i.id < OwnIds)
    else $error("a host's request with one of the root port's own ids, FFC0h to FFFFh");

endmodule
