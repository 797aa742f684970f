// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Completion time-out and CXL.mem isolation of a root port.
//
//   time-out   tick_o once a period; the memory queue says with it whether an entry was there at
//              the tick before as well, that is, has waited between one and two periods
//   isolation  begun by a time-out or by the link going down, if enabled; isolated_o makes the
//              memory queue answer by itself; ended by software once the queue is done with what
//              was there when it began, whatever the link does
//   link down  if enabled, isolation holds the link down
//
// What the far end may still answer after isolation is the memory queue's business: it refuses
// until nothing is owed.
//
// Latency: a cause acts on isolated_o in the next cycle; register writes at the edge, read data the
//          cycle after the request, 0 after any other cycle.
// Clock:   the periods are those of a 1 GHz clock.
//
// Source:  CXL 3.x, 8.2.4.24; registers: cxl_reg_types_pkg
//          (regs/timeout.yaml); docs/blocks/root_port/isolation.md.

module isolation
  import cxlgpu_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  reg_req_t    reg_req_i,    // register access; only with addr[11] = 0, addr[10:2] counts
  output logic [31:0] reg_rdata_o,  // read data a cycle after the request; 0 after any other cycle
  input  logic        link_up_i,    // level: CXL.mem link layer is up and initialised
  input  logic        abort_i,      // level: retry of the link gave up
  input  logic        timed_out_i,  // pulse: a request in the memory queue is too old; ignored with
                                    // the time-out off
  input  logic        busy_i,       // level: the memory queue has requests of before isolation;
                                    // keeps software from ending it
  output logic        tick_o,       // pulse: a time-out period is over; never with the time-out off
  output logic        isolated_o,   // level: answer every request with an error
  output logic        force_down_o  // level: hold the link down
);

  // ---------------------------------------------------------------------------------------------
  // Register access
  // ---------------------------------------------------------------------------------------------
  logic [11:0] reg_addr;
  logic        wr_control, wr_status;

  assign reg_addr   = {reg_req_i.addr[11:2], 2'b00};
  assign wr_control = reg_req_i.valid && reg_req_i.write && reg_addr == TmoControlOffset;
  assign wr_status  = reg_req_i.valid && reg_req_i.write && reg_addr == TmoStatusOffset;

  tmo_control_t control_q;
  tmo_status_t  status_q, status_d;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         control_q <= TmoControlAtReset;
    else if (wr_control) control_q <= tmo_control_written(control_q, reg_req_i.wdata);
  end

  // ---------------------------------------------------------------------------------------------
  // Period
  // ---------------------------------------------------------------------------------------------
  localparam int unsigned CountBits = 35;  // 30 s
  typedef logic [CountBits-1:0] count_t;

  count_t count_q, last;
  logic   tick_q, period_ends;

  always_comb begin
    unique case (control_q.mem_value)
      4'h1:    last = count_t'(50_000 - 1);
      4'h5:    last = count_t'(20_000_000 - 1);
      4'h6:    last = count_t'(100_000_000 - 1);
      4'h9:    last = count_t'(400_000_000 - 1);
      4'hA:    last = count_t'(1_500_000_000 - 1);
      4'hD:    last = 35'd5_999_999_999;
      4'hE:    last = 35'd29_999_999_999;
      default: last = count_t'(5_000_000 - 1);  // 0, 2 and what is reserved
    endcase
  end

  assign period_ends = control_q.mem_enable && count_q == last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      tick_q  <= 1'b0;
    end else if (wr_control) begin
      count_q <= '0;
      tick_q  <= 1'b0;
    end else begin
      if (control_q.mem_enable) count_q <= period_ends ? '0 : count_q + count_t'(1);
      tick_q <= period_ends;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Isolation
  // ---------------------------------------------------------------------------------------------
  logic usable, usable_q;        // the link; in the cycle before
  logic isolated, timed_out, went_down, begins;

  assign usable    = link_up_i && !abort_i;
  assign went_down = usable_q && !usable;
  assign isolated  = status_q.mem_isolation;
  assign timed_out = timed_out_i && control_q.mem_enable;
  assign begins    = (timed_out || went_down) && control_q.mem_isolation;

  always_comb begin
    status_d = status_q;
    if (wr_status) begin
      status_d = tmo_status_written(status_q, reg_req_i.wdata);
      if (busy_i) status_d.mem_isolation = isolated;
    end
    // What happens wins over the write.
    if (timed_out) status_d.mem_timeout = 1'b1;
    if (begins) begin
      if (went_down && !status_d.mem_isolation) status_d.mem_link_down = 1'b1;
      status_d.mem_isolation = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      usable_q <= 1'b0;
      status_q <= TmoStatusAtReset;
    end else begin
      usable_q <= usable;
      status_q <= status_d;
    end
  end

  assign tick_o       = tick_q;
  assign isolated_o   = isolated;
  assign force_down_o = isolated && control_q.mem_link_down;

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------
  logic [31:0] rdata_q, rdata_d;

  always_comb begin
    rdata_d = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata_d = tmo_word('{
        capability: TmoCapabilityAtReset,
        control:    control_q,
        status:     status_q | tmo_status_t'{busy: isolated && busy_i, default: '0}
      }, reg_req_i.addr[11:2]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
  end
  assign reg_rdata_o = rdata_q;

  // Registers are words; the bits above 11 do not count.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr, reg_req_i.wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OwnAddress_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_req_i.valid |-> !reg_req_i.addr[11])
      else $error("a register access with addr[11] set, which belongs to another block");
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(reg_req_i.valid && !reg_req_i.write) |=> reg_rdata_o == '0)
      else $error("read data in a cycle after no read");
  TickEnabled_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tick_o |-> control_q.mem_enable && count_q == '0)
      else $error("a tick while the time-out is off, or in the middle of a period");
  InPeriod_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= last)
    else $error("a period that lasts longer than software set it");
  EndsByWrite_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (isolated_o && !(wr_status && !busy_i)) |=> isolated_o)
      else $error("isolation ends without a write, or with older requests unanswered");
  // It always can: no other bit and no state of the link stands in its way.
  WriteEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (wr_status && reg_req_i.wdata[TmoStatusMemIsolationLsb] && !busy_i && !begins)
      |=> !isolated_o)
      else $error("isolation goes on after software ended it");
  CauseIsolates_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      ((timed_out || went_down) && control_q.mem_isolation) |=> isolated_o)
      else $error("a time-out or a lost link without isolation");
  ForceIsolated_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      force_down_o |-> isolated_o)
      else $error("the link is held down without isolation");

endmodule
