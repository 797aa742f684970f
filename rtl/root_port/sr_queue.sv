// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// SR queue: the root port's in-order queue of loads and stores, with a second read pointer that
// runs ahead of the head for the SR reader.
//
//        head            reader          tail
//   ...   | L  S  L  L  S | L  L  S  ...  |
//         |<-- passed --->|<-- unread --->|
//
// The slots form a circle; what a slot holds is shown to the address window (loads only).
//
// Requests that go another way (beside_i) fill the queue as if they were in it, as long as the head
// is one that came before them: since_q counts the requests that came since the head came, it
// included, gap_q of an entry those beside between the one before and it, and last_q those beside
// since the last one entered. So since_q is the entries, the gaps behind the head and last_q.
// last_q stops at Depth - 1: then nothing enters until all have left, whatever more comes beside.
//
// Latency: one cycle from push to head and reader view.
//
// Source: the load path of the SR engine, docs/blocks/root_port/sr_queue.md.

module sr_queue
  import cxl_pkg::*;
  import cxlgpu_pkg::*;
  import cxlgpu_size_pkg::DefaultSizes;
#(
  parameter  int unsigned Depth   = DefaultSizes.sr_queue_entries,  // requests that can wait, 2..64
  localparam int unsigned IdxBits = $clog2(Depth),
  localparam int unsigned CntBits = $clog2(Depth + 1)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  // Tail
  input  logic                                 in_valid_i,  // a load or store is offered
  output logic                                 in_ready_o,  // low while full, with those beside;
                                                            // one that leaves makes room a cycle
                                                            // later
  input  sys_req_t                             in_req_i,    // the request
  input  logic                                 beside_i,    // pulse: a request came that does not
                                                            // enter; never with one that does
  // Head
  output logic                                 head_valid_o,  // the oldest request; stays until
                                                              // taken
  input  logic                                 head_ready_i,  // the request is taken
  output sys_req_t                             head_req_o,    // the request; a load has be, data
                                                              // and poison 0
  // Reader
  output logic                                 rd_valid_o,    // the reader is at an entry
  output logic                                 rd_is_load_o,  // it is a load; 0 without rd_valid_o
  output line_addr_t                           rd_line_o,     // its line; 0 without rd_valid_o
  output logic [IdxBits-1:0]                   rd_index_o,    // its slot, 0..Depth-1
  output logic                                 rd_head_o,     // it is the head; 0 without
                                                              // rd_valid_o
  input  logic                                 rd_next_i,     // pulse: move on; ignored without
                                                              // rd_valid_o
  // Every stored load, by slot
  output logic [Depth-1:0]                     load_valid_o,  // the slot has a load
  output logic [Depth-1:0][LineAddrBits-1:0]   load_line_o,   // its line, valid with load_valid_o
  output logic [CntBits-1:0]                   count_o        // requests that wait, 0..Depth
);

  localparam int unsigned SumBits = $clog2(2 * Depth);

  typedef logic [IdxBits-1:0] idx_t;
  typedef logic [CntBits-1:0] cnt_t;
  typedef logic [SumBits-1:0] sum_t;

  if (Depth < 2 || Depth > 64) begin : g_bad_depth
    $error("sr_queue: Depth of 2..64 is %0d", Depth);
  end

  function automatic idx_t next_slot(idx_t slot);
    return (slot == idx_t'(Depth - 1)) ? '0 : slot + idx_t'(1);
  endfunction

  idx_t tail_q, head_q, reader_q;
  cnt_t count_q, unread_q;
  // What fills the queue
  sum_t since_q, since_d;              // 0..2 * Depth - 1, 0 only while empty
  idx_t last_q;                        // 0..Depth - 1
  idx_t gap_q [Depth];                 // 0..Depth - 2; that of the head counts no more

  // Keys, seen in parallel
  logic [Depth-1:0]                   load_valid_q;
  logic [Depth-1:0][LineAddrBits-1:0] line_q;
  // The rest, one entry at a time
  sys_id_t  id_q [Depth];
  logic     is_write_q [Depth];
  byte_en_t be_q [Depth];
  line_t    data_q [Depth];
  logic     poison_q [Depth];

  logic push, pop, step, at_head, beside, more;
  sum_t gap, stays, left;  // since_d without pop and with it
  assign in_ready_o   = since_q < sum_t'(Depth);
  assign head_valid_o = count_q != '0;
  assign rd_valid_o   = unread_q != '0;
  assign push         = in_valid_i && in_ready_o;
  assign pop          = head_valid_o && head_ready_i;
  // The reader moves when told to, and when the head takes the entry it stands on.
  assign at_head      = unread_q == count_q;
  assign step         = rd_valid_o && (rd_next_i || (pop && at_head));

  // The request that comes, or none; with the head leaves what came before the next one. Nothing
  // counts without a head. pop comes last: it is late in the cycle.
  assign beside = beside_i && last_q != idx_t'(Depth - 1);
  assign more   = push || beside;
  assign gap    = sum_t'(gap_q[next_slot(head_q)]);
  always_comb begin
    stays = (push || (beside && head_valid_o)) ? since_q + sum_t'(1) : since_q;
    left  = more ? since_q - gap : since_q + ~gap;
    if (count_q == cnt_t'(1)) left = sum_t'(push);
    since_d = pop ? left : stays;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      since_q      <= '0;
      tail_q       <= '0;
      head_q       <= '0;
      reader_q     <= '0;
      count_q      <= '0;
      unread_q     <= '0;
      load_valid_q <= '0;
    end else begin
      since_q <= since_d;
      if (push) begin
        tail_q               <= next_slot(tail_q);
        load_valid_q[tail_q] <= !in_req_i.is_write;
      end
      if (pop) begin
        head_q               <= next_slot(head_q);
        load_valid_q[head_q] <= 1'b0;
      end
      if (step) reader_q <= next_slot(reader_q);
      if (push != pop)  count_q  <= push ? count_q + cnt_t'(1) : count_q - cnt_t'(1);
      if (push != step) unread_q <= push ? unread_q + cnt_t'(1) : unread_q - cnt_t'(1);
    end
  end

  // No reset: of an empty queue last_q means nothing.
  always_ff @(posedge clk_i) begin
    if (push)        last_q <= '0;
    else if (beside) last_q <= last_q + idx_t'(1);
  end

  // Payload: no reset, it counts only while its slot is occupied.
  always_ff @(posedge clk_i) begin
    if (push) begin
      gap_q[tail_q]      <= last_q;
      line_q[tail_q]     <= in_req_i.line;
      id_q[tail_q]       <= in_req_i.id;
      is_write_q[tail_q] <= in_req_i.is_write;
      if (in_req_i.is_write) begin
        be_q[tail_q]     <= in_req_i.be;
        data_q[tail_q]   <= in_req_i.data;
        poison_q[tail_q] <= in_req_i.poison;
      end
    end
  end

  always_comb begin
    head_req_o = '0;
    if (head_valid_o) begin
      head_req_o.id       = id_q[head_q];
      head_req_o.is_write = is_write_q[head_q];
      head_req_o.line     = line_q[head_q];
      if (is_write_q[head_q]) begin
        head_req_o.be     = be_q[head_q];
        head_req_o.data   = data_q[head_q];
        head_req_o.poison = poison_q[head_q];
      end
    end
  end

  always_comb begin
    rd_is_load_o = 1'b0;
    rd_line_o    = '0;
    if (rd_valid_o) begin
      rd_is_load_o = load_valid_q[reader_q];
      rd_line_o    = line_q[reader_q];
    end
  end

  assign rd_index_o   = reader_q;
  assign rd_head_o    = rd_valid_o && at_head;
  assign load_valid_o = load_valid_q;
  assign load_line_o  = line_q;
  assign count_o      = count_q;

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  Beside_A: assert property (@(posedge clk_i) disable iff (!rst_ni) !(beside_i && push))
      else $error("a request came beside the queue in the cycle in which another one enters");
  SinceEmpty_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (since_q == '0) == (count_q == '0))
      else $error("requests are counted since the head came without a head, or the head is not");
  SinceCount_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(since_q) >= 32'(count_q))
      else $error("fewer requests came since the head came than are in the queue");
  SinceLast_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      count_q != '0 |-> 32'(last_q) < Depth && 32'(since_q) >= 32'(last_q) + 32'(count_q)
                        && 32'(since_q) - 32'(last_q) <= Depth)
      else $error("not as many requests came since the head came as since the last one entered");
  GapExact_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (push && count_q != '0) |-> 32'(last_q) < Depth - 1)
      else $error("a request enters after more beside than are counted before it");
  CountInDepth_A: assert property (@(posedge clk_i) disable iff (!rst_ni) count_q <= cnt_t'(Depth))
      else $error("more requests than the queue has entries");
  UnreadInCount_A: assert property (@(posedge clk_i) disable iff (!rst_ni) unread_q <= count_q)
      else $error("more requests unread than in the queue");
  ReaderAtHead_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      unread_q == count_q |-> reader_q == head_q)
      else $error("nothing was read, but the reader is not at the head");
  ReaderAtTail_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      unread_q == '0 |-> reader_q == tail_q)
      else $error("everything was read, but the reader is not at the tail");
  HeadStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (head_valid_o && !head_ready_i) |=> head_valid_o && $stable(head_req_o))
      else $error("a stalled head is withdrawn or changes");
  ReaderStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rd_valid_o && !step) |=> rd_valid_o && $stable(rd_line_o) && $stable(rd_is_load_o)
                                && $stable(rd_index_o))
      else $error("the entry in front of the reader changes without a step");

endmodule
