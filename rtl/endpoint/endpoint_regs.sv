// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Vendor registers of the endpoint: internal DRAM control, what DevLoad is made of, counters.
//
// Offsets, fields and reset values: cxl_reg_pkg (regs/endpoint.yaml). A sets value above log2
// MaxSets becomes that; it and the enables are to be written before traffic: nothing is flushed.
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
#(
  parameter int unsigned MaxSets = 1024  // sets of the internal DRAM, 2..1024, a power of two
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
  output logic [3:0]    sets_log2_o,        // log2 of the sets in use, 0..log2 MaxSets; set before
                                            // traffic
  output load_control_t load_control_o,     // settings of DevLoad
  // To show
  input  load_status_t  load_status_i       // state of DevLoad, for software to read
);

  typedef logic [EpSetsLog2Width-1:0] sets_log2_t;
  localparam sets_log2_t MaxSetsLog2 = sets_log2_t'($clog2(MaxSets));

  localparam int unsigned NumEvents = $bits(dram_event_t);  // a counter each, 830h + 4 i
  localparam logic [8:0]  Counters  = EpDemandHitsOffset[10:2];

  localparam load_control_t LoadControlReset = '{
    measure: {
      {7'd0, EpTasksThTh2Reset, EpTasksThTh1Reset, EpTasksThTh0Reset},
      {EpBacklogThMarginReset, EpBacklogThTh2Reset, EpBacklogThTh1Reset, EpBacklogThTh0Reset},
      {EpMshrThMarginReset, EpMshrThTh2Reset, EpMshrThTh1Reset, EpMshrThTh0Reset},
      {EpIngressThMarginReset, EpIngressThTh2Reset, EpIngressThTh1Reset, EpIngressThTh0Reset}
    },
    ttr_enable:      EpQosControlTtrEnableReset,
    egress_enable:   EpQosControlEgressEnableReset,
    egress_moderate: EpQosControlEgressModerateReset,
    egress_severe:   EpQosControlEgressSevereReset,
    interval:        EpQosControlIntervalReset
  };

  // Thresholds and margin of a measure have the same places in every register that holds them.
  function automatic logic [31:0] word_of(load_measure_t measure);
    logic [31:0] word;
    word = '0;
    word[EpIngressThMarginLsb +: EpIngressThMarginWidth] = measure.margin;
    word[EpIngressThTh2Lsb +: EpIngressThTh2Width]       = measure.th[2];
    word[EpIngressThTh1Lsb +: EpIngressThTh1Width]       = measure.th[1];
    word[EpIngressThTh0Lsb +: EpIngressThTh0Width]       = measure.th[0];
    return word;
  endfunction

  logic          dram_enable_q, len_enable_q;
  sets_log2_t    sets_log2_q, sets_wdata;
  load_control_t load_control_q;
  load_measure_t measure_wdata;
  logic [31:0]   write_backs_q, rdata_q, rdata_d;

  assign sets_wdata = reg_req_i.wdata[EpSetsLog2Lsb +: EpSetsLog2Width];
  assign measure_wdata = '{margin: reg_req_i.wdata[EpIngressThMarginLsb +: EpIngressThMarginWidth],
                           th: {reg_req_i.wdata[EpIngressThTh2Lsb +: EpIngressThTh2Width],
                                reg_req_i.wdata[EpIngressThTh1Lsb +: EpIngressThTh1Width],
                                reg_req_i.wdata[EpIngressThTh0Lsb +: EpIngressThTh0Width]}};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dram_enable_q  <= EpControlDramEnableReset;
      len_enable_q   <= EpControlLenEnableReset;
      sets_log2_q    <= MaxSetsLog2;
      load_control_q <= LoadControlReset;
    end else if (reg_req_i.valid && reg_req_i.write) begin
      unique case (reg_req_i.addr[10:2])
        EpControlOffset[10:2]: begin
          dram_enable_q <= reg_req_i.wdata[EpControlDramEnableLsb];
          len_enable_q  <= reg_req_i.wdata[EpControlLenEnableLsb];
        end
        EpSetsOffset[10:2]: begin
          sets_log2_q <= (sets_wdata > MaxSetsLog2) ? MaxSetsLog2 : sets_wdata;
        end
        EpIngressThOffset[10:2]: load_control_q.measure[0] <= measure_wdata;
        EpMshrThOffset[10:2]:    load_control_q.measure[1] <= measure_wdata;
        EpBacklogThOffset[10:2]: load_control_q.measure[2] <= measure_wdata;
        EpTasksThOffset[10:2]: begin
          load_control_q.measure[3] <= '{margin: '0, th: measure_wdata.th};
        end
        EpQosControlOffset[10:2]: begin
          load_control_q.ttr_enable    <= reg_req_i.wdata[EpQosControlTtrEnableLsb];
          load_control_q.egress_enable <= reg_req_i.wdata[EpQosControlEgressEnableLsb];
          load_control_q.egress_moderate <=
              reg_req_i.wdata[EpQosControlEgressModerateLsb +: EpQosControlEgressModerateWidth];
          load_control_q.egress_severe <=
              reg_req_i.wdata[EpQosControlEgressSevereLsb +: EpQosControlEgressSevereWidth];
          load_control_q.interval <=
              reg_req_i.wdata[EpQosControlIntervalLsb +: EpQosControlIntervalWidth];
        end
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
  logic [NumEvents-1:0]         event_q;  // not yet in its counter
  logic [NumEvents-1:0][31:0]   count_q;
  logic [8:0]                   counter;  // the one that is read, if it is one
  logic [$clog2(NumEvents)-1:0] index;

  assign counter = reg_req_i.addr[10:2] - Counters;
  assign index   = counter[$clog2(NumEvents)-1:0];

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
      unique case (reg_req_i.addr[10:2])
        EpControlOffset[10:2]: begin
          rdata_d[EpControlDramEnableLsb] = dram_enable_q;
          rdata_d[EpControlLenEnableLsb]  = len_enable_q;
        end
        EpSetsOffset[10:2]: rdata_d[EpSetsLog2Lsb +: EpSetsLog2Width] = sets_log2_q;
        EpIngressThOffset[10:2]: rdata_d = word_of(load_control_q.measure[0]);
        EpMshrThOffset[10:2]:    rdata_d = word_of(load_control_q.measure[1]);
        EpBacklogThOffset[10:2]: rdata_d = word_of(load_control_q.measure[2]);
        EpTasksThOffset[10:2]:   rdata_d = word_of(load_control_q.measure[3]);
        EpQosControlOffset[10:2]: begin
          rdata_d[EpQosControlTtrEnableLsb]    = load_control_q.ttr_enable;
          rdata_d[EpQosControlEgressEnableLsb] = load_control_q.egress_enable;
          rdata_d[EpQosControlEgressModerateLsb +: EpQosControlEgressModerateWidth] =
              load_control_q.egress_moderate;
          rdata_d[EpQosControlEgressSevereLsb +: EpQosControlEgressSevereWidth] =
              load_control_q.egress_severe;
          rdata_d[EpQosControlIntervalLsb +: EpQosControlIntervalWidth] = load_control_q.interval;
        end
        EpQosStatusOffset[10:2]: begin
          rdata_d[EpQosStatusBackpressureLsb +: EpQosStatusBackpressureWidth] =
              load_status_i.backpressure;
          rdata_d[EpQosStatusIngressLsb +: EpQosStatusIngressWidth] = load_status_i.level[0];
          rdata_d[EpQosStatusMshrLsb +: EpQosStatusMshrWidth]       = load_status_i.level[1];
          rdata_d[EpQosStatusBacklogLsb +: EpQosStatusBacklogWidth] = load_status_i.level[2];
          rdata_d[EpQosStatusTasksLsb +: EpQosStatusTasksWidth]     = load_status_i.level[3];
          rdata_d[EpQosStatusEgressLsb +: EpQosStatusEgressWidth]   = load_status_i.egress;
          rdata_d[EpQosStatusDevLoadLsb +: EpQosStatusDevLoadWidth] = load_status_i.dev_load;
        end
        EpWriteBacksOffset[10:2]: rdata_d = write_backs_q;
        default: begin
          if (counter < 9'(NumEvents)) rdata_d = count_q[index] + 32'(event_q[index]);
        end
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end

  assign reg_rdata_o    = rdata_q;
  assign dram_enable_o  = dram_enable_q;
  assign len_enable_o   = len_enable_q;
  assign sets_log2_o    = sets_log2_q;
  assign load_control_o = load_control_q;

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
      sets_log2_q <= MaxSetsLog2)
      else $error("more sets in use than there are");
  TasksMargin_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      load_control_q.measure[3].margin == '0)
      else $error("a margin of the tasks that is not 0");
  for (genvar i = 0; i < NumEvents; i++) begin : gen_counter
    Counted_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        event_i[i] |=> count_q[i] + 32'(event_q[i]) ==
                       $past(count_q[i]) + 32'($past(event_q[i])) + 32'd1)
        else $error("an event is not counted, or twice");
    Stands_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
        !(event_i[i] || event_q[i]) |=> $stable(count_q[i]))
        else $error("a counter changes without an event");
  end

  localparam logic [127:0] Places = {EpIngressThMarginMask, EpIngressThTh2Mask,
                                     EpIngressThTh1Mask, EpIngressThTh0Mask};
  if (({EpMshrThMarginMask, EpMshrThTh2Mask, EpMshrThTh1Mask, EpMshrThTh0Mask} != Places) ||
      ({EpBacklogThMarginMask, EpBacklogThTh2Mask, EpBacklogThTh1Mask, EpBacklogThTh0Mask} !=
       Places) ||
      ({EpIngressThMarginMask, EpTasksThTh2Mask, EpTasksThTh1Mask, EpTasksThTh0Mask} != Places) ||
      (EpSpecDisplacedOffset - EpDemandHitsOffset != 12'(4 * (NumEvents - 1)))) begin : gen_bad
    $error("endpoint_regs: the registers lie otherwise than this block takes them to");
  end

endmodule
