// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Hint walker: holds the ranges that kernels will load soon and walks them, a granule a cycle in
// which no request needs the HDM decoder.
//
//   hints -->+-- FIFO -->+--> hint being walked --> decoder --> granule that waits for its port
//            +-----------+
//
// The hint being walked is counted up in a register of its own, so the decoder's input is a
// register; a hint that comes to an idle walker passes the FIFO by. Granules go out in order: one
// whose port does not take it yet stops those behind it, of whatever port. Nothing here stalls the
// bus: a hint without room is lost.
//
// Latency: asked about the cycle after it came; at its port the cycle after that.
// Deadlock: none, ports take or drop a granule in bounded time, and requests wait for neither.
//
// Source: docs/blocks/host_bridge/hint_walker.md.

module hint_walker
  import cxlgpu_pkg::*;
#(
  parameter  int unsigned Depth    = 16,  // 1..64: hints held, the one being walked included
  parameter  int unsigned NumPorts = 2,   // 1..64: root ports
  localparam int unsigned PortBits = (NumPorts > 1) ? $clog2(NumPorts) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Hints; no ready: one without room is lost
  input  logic                in_valid_i,  // pulse: a hint comes
  input  granule_t            in_first_i,  // its first granule
  input  logic [11:0]         in_len_i,    // granules - 1
  // HDM decoder
  input  logic                free_i,      // no request needs the decoder in this cycle
  output logic                ask_o,       // decode granule_o; the same again until passed on
  output granule_t            granule_o,   // the granule that is next; 0 without ask_o
  input  logic                hit_i,       // with ask_o, comb: a root port serves it
  input  logic [PortBits-1:0] port_i,      // with hit_i: which one, 0..NumPorts-1
  // Root ports
  output logic [NumPorts-1:0] port_valid_o,    // [p]: a granule for port p; stays until taken
  input  logic [NumPorts-1:0] port_ready_i,    // port p takes it, in bounded time
  output granule_t            port_granule_o,  // the granule; 0 if none waits
  // To the counters
  output logic                lost_o,      // pulse: the hint that comes is lost
  output logic                miss_o       // pulse: no root port serves the granule passed on
);

  if (Depth < 1 || Depth > 64) begin : g_bad_depth
    $error("hint_walker: Depth of 1..64 is %0d", Depth);
  end
  if (NumPorts < 1 || NumPorts > 64) begin : g_bad_ports
    $error("hint_walker: NumPorts of 1..64 is %0d", NumPorts);
  end

  typedef struct packed {
    granule_t    first;  // next granule to pass on
    logic [11:0] len;    // granules left - 1
  } hint_t;

  // ---------------------------------------------------------------------------------------------
  // Hints behind the one being walked
  // ---------------------------------------------------------------------------------------------
  logic  walk_valid_q, passes, last, fresh, spare;
  hint_t walk_q, walk_next, in_hint, spare_hint;
  logic  push, room;

  assign in_hint = '{first: in_first_i, len: in_len_i};

  // The walker itself has room, or will have at this edge with nothing before the hint that comes;
  // a walker of one hint does not count on the latter.
  assign fresh  = !walk_valid_q || (last && !spare && Depth > 1);
  assign push   = in_valid_i && !fresh;
  assign lost_o = in_valid_i && walk_valid_q && !room;

  if (Depth > 1) begin : gen_fifo
    logic [$clog2(Depth)-1:0] unused_count;

    fifo #(
      .Width($bits(hint_t)),
      .Depth(Depth - 1)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .in_valid_i (push),
      .in_ready_o (room),
      .in_data_i  (in_hint),
      .out_valid_o(spare),
      .out_ready_i(last),
      .out_data_o (spare_hint),
      .count_o    (unused_count)
    );
  end else begin : gen_no_fifo
    logic unused_push;
    assign unused_push = push;
    assign room        = 1'b0;
    assign spare       = 1'b0;
    assign spare_hint  = '0;
  end

  // ---------------------------------------------------------------------------------------------
  // The hint being walked
  // ---------------------------------------------------------------------------------------------
  logic [NumPorts-1:0] wait_q;  // by port: a granule waits for it, one-hot or 0
  granule_t            wait_granule_q;
  logic                wait_free;

  assign wait_free = (wait_q & ~port_ready_i) == '0;
  assign ask_o     = walk_valid_q && free_i;
  assign granule_o = ask_o ? walk_q.first : '0;
  assign passes    = ask_o && wait_free;
  assign last      = passes && walk_q.len == '0;
  assign miss_o    = passes && !hit_i;

  // The next granule, or with the last one gone the oldest of the FIFO, or the hint that comes.
  always_comb begin
    walk_next = '{first: walk_q.first + granule_t'(1), len: walk_q.len - 12'd1};
    if (fresh)     walk_next = in_hint;
    else if (last) walk_next = spare_hint;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                    walk_valid_q <= 1'b0;
    else if (!walk_valid_q || last) walk_valid_q <= spare || (in_valid_i && fresh);
  end

  // Payload: no reset, it counts only with its valid.
  always_ff @(posedge clk_i) begin
    if (fresh ? in_valid_i : passes) walk_q <= walk_next;
  end

  // ---------------------------------------------------------------------------------------------
  // The granule that waits for its port
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q         <= '0;
      wait_granule_q <= '0;
    end else if (wait_free) begin
      wait_q <= '0;
      if (passes && hit_i) wait_q[port_i] <= 1'b1;
      wait_granule_q <= (passes && hit_i) ? walk_q.first : '0;
    end
  end

  assign port_valid_o   = wait_q;
  assign port_granule_o = wait_granule_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneWaits_A: assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(port_valid_o))
    else $error("granules of two ports wait at once");
  WaitStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    ((port_valid_o & ~port_ready_i) != '0) |=> $stable(port_valid_o) && $stable(port_granule_o))
    else $error("a granule changed or vanished before its port took it");
  WaitZero_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    port_valid_o == '0 |-> port_granule_o == '0)
    else $error("a granule is shown to the ports though none waits");
  AskFree_A: assert property (@(posedge clk_i) disable iff (!rst_ni) ask_o |-> free_i)
    else $error("a hint takes the decoder from a request");
  PassedOn_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (passes && hit_i) |=> port_valid_o[$past(port_i)] && port_granule_o == $past(granule_o))
    else $error("a granule that a port serves is not offered to it");
  MissGoes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    miss_o |=> port_valid_o == '0)
    else $error("a granule that no port serves is offered to one");
  InOrder_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (passes && !last) |=> walk_valid_q && walk_q.first == $past(walk_q.first) + granule_t'(1))
    else $error("a hint's granules are not walked one after the other");
  AsksAgain_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (walk_valid_q && !passes) |=> walk_valid_q && $stable(walk_q))
    else $error("a granule was left out though it was not passed on");
  OldestFirst_A: assert property (@(posedge clk_i) disable iff (!rst_ni) spare |-> walk_valid_q)
    else $error("hints are held but none is walked");
  LostFull_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    lost_o |-> in_valid_i && !room && !fresh)
    else $error("a hint is lost though there is room");
  NotLost_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (in_valid_i && !lost_o) |=> walk_valid_q)
    else $error("a hint that has room is not held");
  PortIsOne_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
    (ask_o && hit_i) |-> 32'(port_i) < NumPorts)
    else $error("the port named for a granule is none");

endmodule
