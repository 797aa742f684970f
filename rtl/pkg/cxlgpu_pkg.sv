// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Types shared between the blocks of cxlgpu. Protocol encodings live in cxl_pkg.

package cxlgpu_pkg;

  import cxl_pkg::*;

  parameter int unsigned SysIdBits = 16;
  parameter int unsigned GranuleAddrBits = 44;  // address[51:8], 256 B granules

  typedef logic [SysIdBits-1:0]       sys_id_t;
  typedef logic [GranuleAddrBits-1:0] granule_t;

  // One line request inside the root complex (after the AXI adapter).
  typedef struct packed {
    logic       poison;  // writes only: the data are corrupt; a host's request has 0
    sys_id_t    id;
    logic       is_write;
    line_addr_t line;
    byte_en_t   be;    // writes only
    line_t      data;  // writes only
  } sys_req_t;

  typedef struct packed {
    sys_id_t id;
    logic    is_write;
    logic    error;
    line_t   data;  // reads only
  } sys_rsp_t;

  // Ids of a root port's own requests, the writes of its ds_engine: FFC0h to FFFFh.
  parameter int unsigned MaxOwnIds = 64;
  parameter sys_id_t OwnIds = 16'hFFC0;

  // Register access: one 32-bit register a cycle; read data is valid the cycle after.
  typedef struct packed {
    logic        valid;
    logic        write;
    logic [15:0] addr;
    logic [31:0] wdata;
  } reg_req_t;

  // Speculative-read policy of a root port (vendor register RpPolicy).
  typedef enum logic [2:0] {
    PolicyOff = 3'd0,            // plain CXL
    PolicyNaive = 3'd1,          // 64 B for every load, no ring
    PolicyDyn = 3'd2,            // DevLoad sets the size, window starts at the load
    PolicySrPaper = 3'd3,        // address window, every queue entry counts
    PolicySr = 3'd4,             // address window, only entries inside it and on their side
    PolicyStream = 3'd5          // stream table: regions and directions of the loads
  } sr_policy_e;

  // Granularity of speculation, one state a root port.
  typedef enum logic [2:0] {
    Gran64 = 3'd0, Gran256 = 3'd1, Gran512 = 3'd2, Gran768 = 3'd3, Gran1024 = 3'd4,
    GranHalted = 3'd5
  } gran_e;

  // Media port of an endpoint.
  typedef enum logic [2:0] {
    MediaRead = 3'd0, MediaWrite = 3'd1, MediaArrayRead = 3'd2, MediaArrayWrite = 3'd3,
    MediaFill = 3'd4, MediaWriteBack = 3'd5
  } media_op_e;

  // When the media answer a write.
  typedef enum logic [1:0] {
    DurableOff = 2'd0,         // as they do any
    DurableBuffered = 2'd1,    // when their write buffer has it
    DurableProgrammed = 2'd2   // when its page is programmed
  } durable_e;

  typedef struct packed {
    durable_e    durable; // Write, ArrayWrite: it goes to the media too, and when it is answered
    logic        partial; // ArrayWrite: the slot is new, it holds these bytes alone; Fill: what of
                          // the slot is held stays
    logic        poison;  // Write, ArrayWrite: the data is known to be bad
    media_op_e   op;
    logic [7:0]  id;      // transaction-table index (data ops) or MSHR index (Fill, WriteBack)
    line_addr_t  dpa;     // address[51:6]; Fill, WriteBack: of the first 64 B of the line
    logic [15:0] slot;    // internal DRAM line
    logic [3:0]  offset;  // 64 B line inside the slot
    byte_en_t    be;
    line_t       data;
  } media_cmd_t;

  typedef struct packed {
    logic       poison;  // Read, ArrayRead: the line is marked as bad
    media_op_e  op;
    logic [7:0] id;
    logic       error;
    line_t      data;
  } media_rsp_t;

  // A root port's part of GPU local memory, where stores to its endpoint wait (ds_engine).
  typedef enum logic [1:0] {
    LmLoad = 2'd0, LmMerge = 2'd1, LmFlush = 2'd2
  } lm_kind_e;

  typedef struct packed {
    logic        write;  // done when taken; a read is answered with its tag
    lm_kind_e    kind;   // reads only: tag
    logic [5:0]  index;  // reads only: tag
    logic [11:0] slot;   // line of the region
    byte_en_t    be;     // writes only
    line_t       data;   // writes only
  } lm_req_t;

  typedef struct packed {
    logic       error;  // the data are corrupt
    lm_kind_e   kind;
    logic [5:0] index;
    line_t      data;
  } lm_rsp_t;

  // What the media's own controller says of itself.
  typedef struct packed {
    logic [6:0] tasks;    // dies with work of their own, in sixty-fourths of all
    logic [6:0] backlog;  // commands not begun, in sixteenths of one per die or bank
  } media_status_t;

  // DevLoad: settings and state (dev_load).
  typedef struct packed {
    logic [6:0]      margin;  // the load falls only when the value is this far below a threshold
    logic [2:0][6:0] th;      // from here optimal, moderate, severe
  } load_measure_t;

  typedef struct packed {
    load_measure_t [3:0] measure;  // ingress, mshr, backlog, tasks
    logic                ttr_enable;
    logic                egress_enable;
    logic [6:0]          egress_moderate;  // per cent
    logic [6:0]          egress_severe;
    logic [4:0]          interval;         // cycles, 0 takes no samples
  } load_control_t;

  typedef struct packed {
    logic [1:0]      dev_load;
    logic [1:0]      egress;
    logic [3:0][1:0] level;  // of the measures
    logic [6:0]      backpressure;  // per cent
  } load_status_t;

  // What a dram_cache did, one bit a counter.
  typedef struct packed {
    logic whole;         // an open line has all its bytes, by stores alone
    logic behind;        // an open line's fill was requested without a load
    logic opened;        // a store opened a line
    logic displaced;     // by a MemSpecRd, a line that is not unwanted
    logic unwanted;      // a line of a MemSpecRd was displaced before any demand access
    logic spec_drop;
    logic spec_needless; // MemSpecRd: hit or merge
    logic spec_fill;
    logic demand_fill;
    logic demand_merge;
    logic demand_hit;
  } dram_event_t;

  // What a ds_engine did, one bit a counter.
  typedef struct packed {
    logic refused;   // a store was answered with an error: no free slot, and none to come
    logic error;     // an endpoint write failed; its data is kept
    logic full;      // a store found no free slot
    logic false_hit; // the filter said maybe, the index no
    logic merge;     // load of a line that is partly in the region
    logic hit;       // load answered from the region
    logic flushed;   // deferred store on its way to the endpoint
    logic in_place;  // store to a line that is in the region
    logic deferred;
    logic direct;    // store sent to the endpoint at once
  } ds_event_t;

  // What the sequencer of a ds_engine does at the edge of this cycle.
  typedef struct packed {
    logic set_pass;      // the head load: nothing of its line is here, or it has a merge entry
    logic head_local;    // it leaves, its local read is taken
    logic stored;        // the oldest store is in local memory
    logic refused;       // the oldest store is answered with an error; it leaves
    logic store_pop;     // the oldest store leaves
    logic write_mark;    // write table: the store's bytes are added to its line's entry
    logic write_add;     // write table: a line goes, or a direct store takes its place
    logic write_free;
    logic done_pop;      // completion FIFO
    logic merge_add;
    logic merge_sent;    // the merge's local read is taken
    logic slot_take;     // a free slot
    logic slot_release;  // to the pool
    logic order_read;    // the slot of the first or of the last deferred line is read
    logic push;          // a line becomes deferred, as the last, late, and into the filter
    logic order_leave;   // the line that was read leaves its end, and is deferred until pop
    logic late_drop;     // with pop: it is late, and is so no longer
    logic pop;           // it is no longer deferred, and leaves the filter
    logic word_read;     // slot memory
    logic word_write;
  } ds_act_t;

  // Answer of an internal-DRAM lookup.
  typedef enum logic [2:0] {
    CacheHit = 3'd0, CacheMerge = 3'd1, CacheMiss = 3'd2, CacheBlocked = 3'd3, CacheDrop = 3'd4,
    CacheHeld = 3'd5, CacheStart = 3'd6, CacheOpen = 3'd7
  } cache_result_e;

  // Index of the lowest bit set (0 if none): halves are chosen one after the other, six levels.
  function automatic logic [5:0] first_one(logic [63:0] bits);
    logic [5:0]  index;
    logic [31:0] b32;
    logic [15:0] b16;
    logic [7:0]  b8;
    logic [3:0]  b4;
    index[5] = ~|bits[31:0];
    b32 = index[5] ? bits[63:32] : bits[31:0];
    index[4] = ~|b32[15:0];
    b16 = index[4] ? b32[31:16] : b32[15:0];
    index[3] = ~|b16[7:0];
    b8 = index[3] ? b16[15:8] : b16[7:0];
    index[2] = ~|b8[3:0];
    b4 = index[2] ? b8[7:4] : b8[3:0];
    index[1] = ~|b4[1:0];
    index[0] = index[1] ? ~b4[2] : ~b4[0];
    return ((&index) && !b4[3]) ? 6'd0 : index;  // 63 without bit 63: nothing was set
  endfunction

  // Bits set of four, in as few levels as it takes: it ends long paths.
  function automatic logic [2:0] count4(logic [3:0] bits);
    logic two;
    two = (bits[0] && bits[1]) || (bits[2] && bits[3]) ||
          ((bits[0] || bits[1]) && (bits[2] || bits[3]));
    return {&bits, two && !(&bits), ^bits};
  endfunction

  // Trace ports: one struct an observation point; `id` is the system id in the root complex and
  // the link tag in the endpoint.
  typedef struct packed {
    logic        valid;
    logic [24:0] zero;  // makes it three words of 32 bits, which simulators move without a shift
    logic [15:0] id;
    line_addr_t  line;
    logic [7:0]  info;
  } trace_t;

endpackage
