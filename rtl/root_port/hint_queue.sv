// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Hint queue: makes MemSpecRd of the granules that kernels' hints name.
//
//   granules --> run, open --> run, closed --> pause over --> MemSpecRd to the memory queue
//                  joined by what follows        by DevLoad
//
// One run is held. What does not join it waits at the host bridge, where it stops other hints but
// no request. The pause behind a MemSpecRd of n granules is n * 2^c cycles: the time since then is
// shifted down by c and compared with n. It is counted a cycle ahead, so that the offer comes from
// a register. It is never endless, whatever the load: 2^17 cycles at most.
//
// Latency: a granule that closes its run is offered the cycle after it came.
// Deadlock: none; a closed run waits for the pause and for room for a MemSpecRd, both bounded.
//
// Source: DevLoad of CXL 2.0 (QoS telemetry); docs/blocks/root_port/hint_queue.md.

module hint_queue
  import cxlgpu_pkg::*;
(
  input  logic            clk_i,
  input  logic            rst_ni,
  // Configuration and state
  input  logic            enable_i,    // level: hints are used; 0: they are taken and dropped
  input  logic            len_en_i,    // level: a MemSpecRd may have a length
  input  logic [3:0][3:0] interval_i,  // by DevLoad: log2 of the pause after a granule, in cycles
  input  logic [1:0]      level_i,     // DevLoad of the last response, 0..3
  // Granules of the host bridge
  input  logic            in_valid_i,    // a granule; stays until taken
  output logic            in_ready_o,    // takes it, comb from in_granule_i; low: a run is held and
                                         // it does not join
  input  granule_t        in_granule_i,  // any order
  // MemSpecRd to the memory queue
  output logic            hint_valid_o,  // a MemSpecRd; stays until taken while enabled
  input  logic            hint_ready_i,  // the memory queue takes it
  output granule_t        hint_first_o,  // first granule; 0 without hint_valid_o
  output logic [1:0]      hint_len_o,    // granules - 1; 0 without hint_valid_o
  // Counters since reset; they wrap
  output logic [31:0]     granules_o,    // granules taken, dropped ones too
  output logic [31:0]     issued_o,      // MemSpecRd taken
  output logic [31:0]     dropped_o      // granules dropped: they came, or were held, while not
                                         // enabled
);

  localparam int unsigned TimeBits = 18;  // 4 * 2^15 cycles, the longest pause
  typedef logic [TimeBits-1:0] pause_t;

  logic       taken, offered;

  // ---------------------------------------------------------------------------------------------
  // Run
  // ---------------------------------------------------------------------------------------------
  logic       held_q, closed_q;  // closed: held, and nothing joins it
  granule_t   first_q;
  logic [1:0] next_q;            // low bits of the granule that joins; 0 behind the last of a KiB
  logic [3:0] idle_q;            // cycles in which the run was open and nothing came
  logic [1:0] len;
  logic       open, joins, begins, accept, full;

  assign open   = held_q && !closed_q;
  assign joins  = open && len_en_i && in_granule_i == {first_q[GranuleAddrBits-1:2], next_q};
  assign accept = in_valid_i && in_ready_o;
  assign begins = !held_q && in_valid_i;
  assign full   = in_granule_i[1:0] == 2'd3;
  assign len    = next_q - first_q[1:0] - 2'd1;

  assign in_ready_o = !enable_i || !held_q || joins;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q   <= 1'b0;
      closed_q <= 1'b0;
      idle_q   <= '0;
    end else if (!enable_i || taken) begin
      held_q   <= 1'b0;
      closed_q <= 1'b0;
      idle_q   <= '0;
    end else if (begins) begin
      held_q   <= 1'b1;
      closed_q <= full || !len_en_i;
    end else if (open) begin
      idle_q   <= in_valid_i ? '0 : idle_q + 4'd1;
      closed_q <= in_valid_i ? (full || !joins) : idle_q == '1;
    end
  end

  // Payload: no reset, it counts only while held.
  always_ff @(posedge clk_i) begin
    if (begins) first_q <= in_granule_i;
    if (begins || (in_valid_i && joins)) next_q <= in_granule_i[1:0] + 2'd1;
  end

  // ---------------------------------------------------------------------------------------------
  // Pause: over in the next cycle or not, from the time that will have passed by then
  // ---------------------------------------------------------------------------------------------
  pause_t     time_q, above;   // cycles since the take, plus one; stops at 2^17
  logic [1:0] pause_len_q;     // granules - 1 of what was taken
  logic       over_q, over;

  assign above = time_q >> interval_i[level_i];
  assign over  = above[TimeBits-1:2] != '0 || above[1:0] > pause_len_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q      <= {1'b1, (TimeBits-1)'(0)};
      pause_len_q <= '0;
      over_q      <= 1'b0;
    end else begin
      over_q <= over || offered;  // what is offered stays so, whatever the load
      if (taken) begin
        time_q      <= pause_t'(2);
        pause_len_q <= len;
      end else if (!time_q[TimeBits-1]) begin
        time_q <= time_q + pause_t'(1);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // MemSpecRd
  // ---------------------------------------------------------------------------------------------
  assign offered      = enable_i && closed_q && over_q;
  assign taken        = offered && hint_ready_i;
  assign hint_valid_o = offered;
  assign hint_first_o = offered ? first_q : '0;
  assign hint_len_o   = offered ? len : '0;

  // ---------------------------------------------------------------------------------------------
  // Counters
  // ---------------------------------------------------------------------------------------------
  logic [31:0] granules_q, issued_q, dropped_q;
  logic [2:0]  drops;

  // The run held, and what comes.
  assign drops = (held_q ? 3'(len) + 3'd1 : 3'd0) + 3'(in_valid_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granules_q <= '0;
      issued_q   <= '0;
      dropped_q  <= '0;
    end else begin
      if (accept)    granules_q <= granules_q + 32'd1;
      if (taken)     issued_q   <= issued_q + 32'd1;
      if (!enable_i) dropped_q  <= dropped_q + 32'(drops);
    end
  end
  assign granules_o = granules_q;
  assign issued_o   = issued_q;
  assign dropped_o  = dropped_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  GranuleStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (in_valid_i && !in_ready_o) |=> in_valid_i && $stable(in_granule_i))
      else $error("the host bridge withdraws or changes a granule that waits");
  OfferStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (hint_valid_o && !hint_ready_i) |=>
          !enable_i || (hint_valid_o && $stable(hint_first_o) && $stable(hint_len_o)))
      else $error("a stalled MemSpecRd of a hint is withdrawn or changes while enabled");
  OfferZero_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !hint_valid_o |-> hint_first_o == '0 && hint_len_o == '0)
      else $error("a granule is shown to the memory queue without an offer");
  OfferEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (hint_valid_o && hint_ready_i) |=> !hint_valid_o)
      else $error("a MemSpecRd of a hint is offered in the cycle after one was taken");
  DisabledSilent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !enable_i |-> !hint_valid_o && in_ready_o)
      else $error("not enabled, but a hint is offered or not dropped");
  DisabledEmpty_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !enable_i |=> !held_q)
      else $error("a run is kept though hints are not enabled");
  ClosedIsHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni) closed_q |-> held_q)
      else $error("nothing is held, but it is closed");
  OpenHasRoom_A: assert property (@(posedge clk_i) disable iff (!rst_ni) open |-> next_q != '0)
      else $error("a run that ends with its KiB is open");
  ClosedStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (closed_q && enable_i && !hint_ready_i) |=> closed_q && $stable(first_q) && $stable(next_q))
      else $error("a granule joins a closed run, or the run opens");
  InOneKib_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hint_valid_o |-> 3'(hint_first_o[1:0]) + 3'(hint_len_o) <= 3'd3)
      else $error("a MemSpecRd of a hint goes beyond its KiB");
  JoinsNext_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (enable_i && accept && held_q) |-> open && len_en_i
          && in_granule_i == first_q + granule_t'(len) + granule_t'(1))
      else $error("a granule joins a run that it does not follow");
  OpenEnds_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (open && !in_valid_i && idle_q == '1) |=> !open)
      else $error("a run stays open though nothing came for sixteen cycles");
  PauseBefore_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      over == (32'(time_q) >= (32'(pause_len_q) + 32'd1) << interval_i[level_i]))
      else $error("the pause ends before its time, or not at it");

endmodule
