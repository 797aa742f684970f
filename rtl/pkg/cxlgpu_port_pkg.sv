// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Ports at the edge of the design, each a struct a direction: AXI4, media, trace. Wide fields come
// last, so that their bit 0 is the struct's.

package cxlgpu_port_pkg;

  import cxl_pkg::*;
  import cxlgpu_pkg::*;

  // -----------------------------------------------------------------------------------------------
  // AXI4 of the system side, one 64 B line a transaction. What a channel shows with its valid stays
  // until its ready; without valid it means nothing.
  // -----------------------------------------------------------------------------------------------
  parameter logic [2:0] AxiSize64B   = 3'd6;
  parameter logic [1:0] AxiBurstIncr = 2'b01;
  parameter logic [1:0] AxiRespOkay  = 2'b00;
  parameter logic [1:0] AxiRespError = 2'b10;  // SLVERR

  typedef struct packed {
    sys_id_t     id;     // 0..FFBFh, no id outstanding
    logic [63:0] addr;   // of a line; 63:52 and 5:0 are 0
    logic [7:0]  len;    // 0: one beat
    logic [2:0]  size;   // AxiSize64B
    logic [1:0]  burst;  // AxiBurstIncr
  } axi_addr_t;

  typedef struct packed {
    logic     last;  // 1: the only beat
    byte_en_t strb;  // bytes to write, any set
    line_t    data;  // byte n in bits 8n+7:8n
  } axi_w_t;

  typedef struct packed {
    sys_id_t    id;    // of the write answered
    logic [1:0] resp;  // AxiRespOkay; AxiRespError: failed, or no port serves it
  } axi_b_t;

  typedef struct packed {
    sys_id_t    id;    // of the read answered
    logic [1:0] resp;  // as of a write
    logic       last;  // 1: the only beat
    line_t      data;  // byte n in bits 8n+7:8n
  } axi_r_t;

  // No channel of AXI4: a range that will be read soon. It has no ready and no answer.
  typedef struct packed {
    logic [63:0] addr;      // of a granule of 256 B; 63:52 and 7:0 are 0
    logic [11:0] granules;  // granules - 1
  } axi_hint_t;

  // From the manager.
  typedef struct packed {
    logic      hint_valid;  // a hint, taken in this cycle or lost
    axi_hint_t hint;
    logic      aw_valid;    // a write's address
    axi_addr_t aw;
    logic      ar_valid;    // a read's address
    axi_addr_t ar;
    logic      b_ready;     // may be low; reads go on
    logic      r_ready;     // may be low; writes go on
    logic      w_valid;     // a write's data
    axi_w_t    w;
  } axi_req_t;

  // To the manager.
  typedef struct packed {
    logic   aw_ready;  // takes address and data; low without both, in a read's turn or while the
                       // request before waits
    logic   w_ready;   // the same as aw_ready
    logic   ar_ready;  // takes it; low in a write's turn or while the request before waits
    logic   b_valid;   // a write's answer
    axi_b_t b;
    logic   r_valid;   // a read's answer
    axi_r_t r;
  } axi_rsp_t;

  // The address of a transaction: all but id and line is fixed.
  function automatic axi_addr_t axi_line(sys_id_t id, logic [63:0] addr);
    return '{id: id, addr: addr, len: '0, size: AxiSize64B, burst: AxiBurstIncr};
  endfunction

  // -----------------------------------------------------------------------------------------------
  // Media of an endpoint
  // -----------------------------------------------------------------------------------------------
  // To the media.
  typedef struct packed {
    logic        cmd_valid;  // a command is offered; stays until taken
    logic        rsp_ready;  // comb from rsp.op; low: no room for the response; never for Fill and
                             // WriteBack
    logic [12:0] zero;       // makes an element whole words of 32 bits, as in trace_t
    media_cmd_t  cmd;        // the media act in the order of the commands
  } to_media_t;

  // From the media.
  typedef struct packed {
    logic          cmd_ready;  // room before this cycle's answer leaves; not to wait for answers to
                               // be taken
    media_status_t status;     // level: load of the media, for DevLoad
    logic          rsp_valid;  // a command is answered, in any order; stays until taken
    media_rsp_t    rsp;        // op and id of the command; data and poison of a read
  } from_media_t;

  // -----------------------------------------------------------------------------------------------
  // Trace: one trace_t an event, valid in its cycle, all 0 in the others. id is of the system where
  // nothing else is said; line: docs/blocks/top/cxlgpu_top.md.
  // -----------------------------------------------------------------------------------------------
  typedef struct packed {
    trace_t [1:0] sys_respond;  // an answer is taken, [0] R, [1] B; info 0 is error
    trace_t       sys_accept;   // the host bridge takes a request; info 0 is write
  } sys_trace_t;

  typedef struct packed {
    trace_t load_control;  // the granularity has changed; id 0, info gran_e
    trace_t ds;            // deterministic store did something; id ds_event_t, line lines deferred
    trace_t port_respond;  // a response is taken from the controller; info {DevLoad, tag[5:0]}
    trace_t spec_issue;    // a MemSpecRd is handed to the controller; id 1 of a hint, else 0, info
                           // granules
    trace_t ctrl_store;    // a store is handed to it; id tag, info opcode
    trace_t ctrl_accept;   // a load is handed to it, in the same cycle or not; id tag, info opcode
    trace_t memq_alloc;    // the memory queue takes a load or store; info tag
    trace_t port_enqueue;  // the port takes a request; info level of the SR queue
  } rp_trace_t;

  typedef struct packed {
    trace_t spec_lost;    // a MemSpecRd was dropped whole a cycle before; id 0
    trace_t spec_drop;    // a granule of a MemSpecRd is dropped at its lookup; id 0
    trace_t spec_fill;    // a MemSpecRd begins a fill; id 0
    trace_t ep_respond;   // a response is taken by the controller; id tag, info DevLoad
    trace_t media_done;   // the answer to a data command is taken; id tag, info media_op_e
    trace_t media_issue;  // a data command is taken by the media; id tag, info media_op_e
    trace_t ep_lookup;    // a demand message was looked up; id tag, info 0 bypass, 1 hit, 2 miss,
                          // 3 merge
    trace_t ep_accept;    // a demand message is taken; id tag, info opcode
  } ep_trace_t;

endpackage
