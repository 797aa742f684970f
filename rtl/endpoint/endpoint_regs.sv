// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Vendor registers of the endpoint: internal DRAM control, what DevLoad is made of, counters.
//
// Registers: cxl_reg_types_pkg (regs/endpoint.yaml). A sets value above log2 MaxSets becomes that;
// it and the enables are to be written before traffic: nothing is flushed.
//
// Events of the internal DRAM come late in their cycle, after its lookup: they go to a register and
// are counted an edge later; a read adds what is still in that register.
//
// Latency:  write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:   docs/blocks/endpoint/endpoint_regs.md; QoS fields after CXL 2.0 (SLD QoS control and
//           status).

module endpoint_regs
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter int unsigned MaxSets = 1024,  // sets of the internal DRAM, 2..1024, a power of two
  parameter int unsigned Mshrs   = DefaultSizes.mshrs,  // its fills outstanding, 16..256, a power
                                                        // of two
  parameter int unsigned DramLineBytes = DefaultSizes.line_bytes  // bytes of its lines, 64..1024, a
                                                                  // power of two
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  reg_req_t      reg_req_i,          // register access, addr[10:2]; only with addr[11] = 1
  output logic [31:0]   reg_rdata_o,        // read data a cycle after the request; 0 after any
                                            // other cycle
  // To count
  input  logic          write_back_done_i,  // pulse: a write-back was answered
  input  dram_event_t   event_i,            // pulses: what the internal DRAM did in this cycle
  // Settings
  output logic          dram_enable_o,      // level: the internal DRAM is on; set before traffic
  output logic          len_enable_o,       // level: a MemSpecRd may carry a length; set before
                                            // traffic
  output logic [7:0]    open_max_o,         // lines of it that may be open, 0..Mshrs/2; 0: stores
                                            // wait for fills; set before traffic
  output logic [3:0]    sets_log2_o,        // log2 of the sets in use, 0..log2 MaxSets; set before
                                            // traffic
  output logic [23:0]   persistent_from_o,  // DPA from which on memory persists, in units of 256
                                            // MiB; set before traffic
  output durable_e      durable_o,          // when a write to it is answered; never 3; set before
                                            // traffic
  output load_control_t load_control_o,     // settings of DevLoad
  // To show
  input  load_status_t  load_status_i       // state of DevLoad, for software to read
);

  localparam ep_open_t    MostOpen = '{max: EpOpenMaxWidth'(Mshrs / 2)};
  localparam ep_durable_t MostDurable = '{level: DurableProgrammed};
  localparam ep_sets_t    MaxSetsLog2 = '{log2: EpSetsLog2Width'($clog2(MaxSets))};
  localparam int unsigned NumEvents = $bits(dram_event_t);  // a counter each

  ep_control_t     control_q;
  ep_sets_t        sets_q, sets_written;
  ep_ingress_th_t  ingress_th_q;
  ep_mshr_th_t     mshr_th_q;
  ep_backlog_th_t  backlog_th_q;
  ep_tasks_th_t    tasks_th_q;
  ep_qos_control_t qos_control_q;
  ep_open_t        open_q, open_written;
  ep_persistent_from_t persistent_from_q;
  ep_durable_t     durable_q, durable_written;
  logic [31:0]     write_backs_q, rdata_q, rdata_d, wdata;

  assign wdata        = reg_req_i.wdata;
  assign sets_written = ep_sets_written(sets_q, wdata);
  assign open_written = ep_open_written(open_q, wdata);
  assign durable_written = ep_durable_written(durable_q, wdata);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q     <= EpControlAtReset;
      sets_q        <= MaxSetsLog2;
      ingress_th_q  <= EpIngressThAtReset;
      mshr_th_q     <= EpMshrThAtReset;
      backlog_th_q  <= EpBacklogThAtReset;
      tasks_th_q    <= EpTasksThAtReset;
      qos_control_q <= EpQosControlAtReset;
      open_q        <= EpOpenAtReset;
      persistent_from_q <= EpPersistentFromAtReset;
      durable_q     <= EpDurableAtReset;
    end else if (reg_req_i.valid && reg_req_i.write) begin
      unique case (reg_req_i.addr[10:2])
        EpControlOffset[10:2]: control_q <= ep_control_written(control_q, wdata);
        EpSetsOffset[10:2]: begin
          sets_q <= (sets_written.log2 > MaxSetsLog2.log2) ? MaxSetsLog2 : sets_written;
        end
        EpOpenOffset[10:2]: open_q <= (open_written.max > MostOpen.max) ? MostOpen : open_written;
        EpPersistentFromOffset[10:2]: begin
          persistent_from_q <= ep_persistent_from_written(persistent_from_q, wdata);
        end
        EpDurableOffset[10:2]: begin
          durable_q <= (durable_written.level > MostDurable.level) ? MostDurable : durable_written;
        end
        EpIngressThOffset[10:2]:  ingress_th_q  <= ep_ingress_th_written(ingress_th_q, wdata);
        EpMshrThOffset[10:2]:     mshr_th_q     <= ep_mshr_th_written(mshr_th_q, wdata);
        EpBacklogThOffset[10:2]:  backlog_th_q  <= ep_backlog_th_written(backlog_th_q, wdata);
        EpTasksThOffset[10:2]:    tasks_th_q    <= ep_tasks_th_written(tasks_th_q, wdata);
        EpQosControlOffset[10:2]: qos_control_q <= ep_qos_control_written(qos_control_q, wdata);
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_backs_q <= '0;
    end else if (write_back_done_i) begin
      write_backs_q <= write_backs_q + 32'd1;
    end
  end

  // Events
  logic [NumEvents-1:0]       event_q;  // not yet in its counter
  logic [NumEvents-1:0][31:0] count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      event_q <= '0;
      count_q <= '0;
    end else begin
      event_q <= event_i;
      if (event_q != '0) begin
        for (int unsigned i = 0; i < NumEvents; i++) begin
          if (event_q[i]) count_q[i] <= count_q[i] + 32'd1;
        end
      end
    end
  end

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_d = ep_word('{
        control:             control_q,
        sets:                sets_q,
        ingress_th:          ingress_th_q,
        mshr_th:             mshr_th_q,
        write_backs:         write_backs_q,
        backlog_th:          backlog_th_q,
        tasks_th:            tasks_th_q,
        qos_control:         qos_control_q,
        qos_status:          '{dev_load:     load_status_i.dev_load,
                               egress:       load_status_i.egress,
                               tasks:        load_status_i.level[3],
                               backlog:      load_status_i.level[2],
                               mshr:         load_status_i.level[1],
                               ingress:      load_status_i.level[0],
                               backpressure: load_status_i.backpressure},
        cap:                 '{mshrs:      EpCapMshrsWidth'(Mshrs),
                               line_bytes: EpCapLineBytesWidth'(DramLineBytes)},
        open:                open_q,
        demand_hits:         count_q[0] + 32'(event_q[0]),
        demand_merges:       count_q[1] + 32'(event_q[1]),
        demand_fills:        count_q[2] + 32'(event_q[2]),
        spec_fills:          count_q[3] + 32'(event_q[3]),
        spec_needless:       count_q[4] + 32'(event_q[4]),
        spec_dropped:        count_q[5] + 32'(event_q[5]),
        spec_evicted_unused: count_q[6] + 32'(event_q[6]),
        spec_displaced:      count_q[7] + 32'(event_q[7]),
        opened:              count_q[8] + 32'(event_q[8]),
        filled_behind:       count_q[9] + 32'(event_q[9]),
        made_whole:          count_q[10] + 32'(event_q[10]),
        persistent_from:     persistent_from_q,
        durable:             durable_q
      }, {1'b1, reg_req_i.addr[10:2]});
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end

  assign reg_rdata_o    = rdata_q;
  assign dram_enable_o  = control_q.dram_enable;
  assign len_enable_o   = control_q.len_enable;
  assign sets_log2_o    = sets_q.log2;
  assign open_max_o     = open_q.max;
  assign persistent_from_o = persistent_from_q.units;
  assign durable_o      = durable_e'(durable_q.level);
  assign load_control_o = '{
    measure: {
      {7'd0, tasks_th_q.th2, tasks_th_q.th1, tasks_th_q.th0},
      {backlog_th_q.margin, backlog_th_q.th2, backlog_th_q.th1, backlog_th_q.th0},
      {mshr_th_q.margin, mshr_th_q.th2, mshr_th_q.th1, mshr_th_q.th0},
      {ingress_th_q.margin, ingress_th_q.th2, ingress_th_q.th1, ingress_th_q.th0}
    },
    ttr_enable:      qos_control_q.ttr_enable,
    egress_enable:   qos_control_q.egress_enable,
    egress_moderate: qos_control_q.egress_moderate,
    egress_severe:   qos_control_q.egress_severe,
    interval:        qos_control_q.interval
  };

  // Registers are words; bit 11 of the address found this block, the bits above do not count.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr, reg_req_i.wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OwnAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_req_i.valid |-> reg_req_i.addr[11])
      else $error("a register access with addr[11] clear, which belongs to another block");
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(reg_req_i.valid && !reg_req_i.write) |=> reg_rdata_o == '0)
      else $error("read data in a cycle after no read");
  SetsInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sets_q.log2 <= MaxSetsLog2.log2)
      else $error("more sets in use than there are");
  OpenInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      open_q.max <= MostOpen.max)
      else $error("more lines may be open than half of the MSHRs");
  DurableInRange_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      durable_q.level <= MostDurable.level)
      else $error("a level of durable completion that there is not");
  TasksMargin_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      load_control_o.measure[3].margin == '0)
      else $error("a margin of the tasks that is not 0");
  // Every event was counted or is about to be: none is lost on its way.
  for (genvar i = 0; i < NumEvents; i++) begin : gen_counter
    Counted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        event_i[i] |=> count_q[i] + 32'(event_q[i]) ==
                       $past(count_q[i]) + 32'($past(event_q[i])) + 32'd1)
        else $error("an event is not counted, or twice");
    Stands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(event_i[i] || event_q[i]) |=> $stable(count_q[i]))
        else $error("a counter changes without an event");
  end

  if (NumEvents != 11) begin : gen_bad
    $error("endpoint_regs: an event without a register");
  end

endmodule
