// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL 2.0 encodings and message layouts of the 68-byte flit: the one place in the RTL where a
// protocol constant is written. flits/ holds the C++ side; tests/pkg compares the two.
//
// All message structs are packed with the wire's first bit at bit 0 (last field of the struct).

package cxl_pkg;

  // ---------------------------------------------------------------------------------------------
  // Flit geometry
  // ---------------------------------------------------------------------------------------------
  parameter int unsigned FlitPayloadBits = 512;  // four slots
  parameter int unsigned FlitBits = 528;         // with CRC-16
  parameter int unsigned SlotBits = 128;
  parameter int unsigned LineBits = 512;
  parameter int unsigned LineBytes = 64;
  parameter int unsigned LineAddrBits = 46;      // address[51:6]

  typedef logic [FlitPayloadBits-1:0] flit_payload_t;
  typedef logic [FlitBits-1:0]        flit_t;
  typedef logic [SlotBits-1:0]        slot_t;
  typedef logic [LineBits-1:0]        line_t;
  typedef logic [LineBytes-1:0]       byte_en_t;
  typedef logic [LineAddrBits-1:0]    line_addr_t;

  parameter logic [15:0] ProtocolIdCacheMem = 16'h5555;
  parameter logic [15:0] CrcPoly = 16'hF053;  // x^16 is implied

  // ---------------------------------------------------------------------------------------------
  // Flit header, slot 0 bits 31:0
  // ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic [3:0] data_crd;    // 31:28
    logic [3:0] req_crd;     // 27:24
    logic [3:0] rsp_crd;     // 23:20
    logic [2:0] rsvd;        // 19:17
    logic [2:0] slot3;       // 16:14
    logic [2:0] slot2;       // 13:11
    logic [2:0] slot1;       // 10:8
    logic [2:0] slot0;       // 7:5; CTL_FMT in a control flit
    logic       sz;          // 4
    logic       be;          // 3
    logic       ak;          // 2
    logic       rsvd1;       // 1
    logic       is_control;  // 0
  } flit_header_t;

  // Slot format codes. The same code names different contents in the two directions.
  typedef enum logic [2:0] {
    SlotH0 = 3'd0, SlotH1 = 3'd1, SlotH2 = 3'd2, SlotH3 = 3'd3,
    SlotH4 = 3'd4, SlotH5 = 3'd5, SlotH6 = 3'd6, SlotHRsvd = 3'd7
  } header_slot_e;
  typedef enum logic [2:0] {
    SlotG0 = 3'd0, SlotG1 = 3'd1, SlotG2 = 3'd2, SlotG3 = 3'd3,
    SlotG4 = 3'd4, SlotG5 = 3'd5, SlotG6 = 3'd6, SlotGRsvd = 3'd7
  } generic_slot_e;

  // ---------------------------------------------------------------------------------------------
  // CXL.mem messages, 68-byte mode
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [3:0] {
    MemInv = 4'h0, MemRd = 4'h1, MemRdData = 4'h2, MemRdFwd = 4'h3, MemWrFwd = 4'h4,
    MemSpecRd = 4'h8, MemInvNT = 4'h9
  } m2s_req_op_e;
  typedef enum logic [3:0] {
    MemWr = 4'h1, MemWrPtl = 4'h2
  } m2s_rwd_op_e;
  typedef enum logic [2:0] {
    Cmp = 3'h0, CmpS = 3'h1, CmpE = 3'h2
  } s2m_ndr_op_e;
  typedef enum logic [2:0] {
    MemData = 3'h0
  } s2m_drs_op_e;

  parameter logic [2:0] SnpNoOp = 3'b000;
  parameter logic [1:0] MetaFieldState = 2'b00;
  parameter logic [1:0] MetaFieldNoOp = 2'b11;
  parameter logic [1:0] MetaValueInvalid = 2'b00;
  parameter logic [1:0] MetaValueAny = 2'b10;

  typedef enum logic [1:0] {
    LoadLight = 2'b00, LoadOptimal = 2'b01, LoadModerate = 2'b10, LoadSevere = 2'b11
  } dev_load_e;

  typedef struct packed {
    logic [5:0]  rsvd;        // 86:81
    logic [3:0]  ld_id;       // 80:77
    logic [1:0]  tc;          // 76:75
    logic [46:0] addr_51_5;   // 74:28
    logic [15:0] tag;         // 27:12
    logic [1:0]  meta_value;  // 11:10
    logic [1:0]  meta_field;  // 9:8
    logic [2:0]  snp_type;    // 7:5
    logic [3:0]  opcode;      // 4:1
    logic        valid;       // 0
  } m2s_req_t;                // 87 bits

  typedef struct packed {
    logic [5:0]  rsvd;        // 86:81
    logic [3:0]  ld_id;       // 80:77
    logic [1:0]  tc;          // 76:75
    logic        poison;      // 74
    logic [45:0] addr_51_6;   // 73:28
    logic [15:0] tag;         // 27:12
    logic [1:0]  meta_value;  // 11:10
    logic [1:0]  meta_field;  // 9:8
    logic [2:0]  snp_type;    // 7:5
    logic [3:0]  opcode;      // 4:1
    logic        valid;       // 0
  } m2s_rwd_t;                // 87 bits

  typedef struct packed {
    logic [1:0]  dev_load;    // 29:28
    logic [3:0]  ld_id;       // 27:24
    logic [15:0] tag;         // 23:8
    logic [1:0]  meta_value;  // 7:6
    logic [1:0]  meta_field;  // 5:4
    logic [2:0]  opcode;      // 3:1
    logic        valid;       // 0
  } s2m_ndr_t;                // 30 bits

  typedef struct packed {
    logic [8:0]  rsvd;        // 39:31
    logic [1:0]  dev_load;    // 30:29
    logic [3:0]  ld_id;       // 28:25
    logic        poison;      // 24
    logic [15:0] tag;         // 23:8
    logic [1:0]  meta_value;  // 7:6
    logic [1:0]  meta_field;  // 5:4
    logic [2:0]  opcode;      // 3:1
    logic        valid;       // 0
  } s2m_drs_t;                // 40 bits

  parameter int unsigned M2sReqBits = 87;
  parameter int unsigned M2sRwdBits = 87;
  parameter int unsigned S2mNdrBits = 30;
  parameter int unsigned S2mDrsBits = 40;

  // A controller carries one no-data channel and one with-data channel each way; which messages
  // they are depends on the end (host sends Req and RwD, device sends NDR and DRS). A header
  // travels in the wire layout, in the low bits of this vector.
  parameter int unsigned MsgHdrBits = 87;
  typedef logic [MsgHdrBits-1:0] msg_hdr_t;

  // ---------------------------------------------------------------------------------------------
  // CXL.cache messages, 68-byte mode
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [4:0] {
    RdCurr = 5'h01, RdOwn = 5'h02, RdShared = 5'h03, RdAny = 5'h04, RdOwnNoData = 5'h05,
    ItoMWr = 5'h06, WrCur = 5'h07, CLFlush = 5'h08, CleanEvict = 5'h09, DirtyEvict = 5'h0A,
    CleanEvictNoData = 5'h0B, WOWrInv = 5'h0C, WOWrInvF = 5'h0D, WrInv = 5'h0E,
    CacheFlushed = 5'h10
  } d2h_req_op_e;
  typedef enum logic [4:0] {
    RspSHitSE = 5'h01, RspIHitI = 5'h04, RspIHitSE = 5'h05, RspVHitV = 5'h06, RspSFwdM = 5'h07,
    RspIFwdM = 5'h0F, RspVFwdV = 5'h16
  } d2h_rsp_op_e;
  typedef enum logic [2:0] {
    SnpData = 3'h1, SnpInv = 3'h2, SnpCur = 3'h3
  } h2d_req_op_e;
  typedef enum logic [3:0] {
    WritePull = 4'h1, Go = 4'h4, GoWritePull = 4'h5, ExtCmp = 4'h6, GoWritePullDrop = 4'h8,
    FastGo = 4'hC, FastGoWritePull = 4'hD, GoErrWritePull = 4'hF
  } h2d_rsp_op_e;

  // State granted by a GO, in RspData[3:0].
  parameter logic [3:0] GoShared = 4'h1;
  parameter logic [3:0] GoExclusive = 4'h2;
  parameter logic [3:0] GoInvalid = 4'h3;
  parameter logic [3:0] GoError = 4'h4;
  parameter logic [3:0] GoModified = 4'h6;

  typedef struct packed {
    logic [1:0]  rsvd;         // 63:62
    logic [11:0] uqid;         // 61:50
    logic [45:0] addr_51_6;    // 49:4
    logic [2:0]  opcode;       // 3:1
    logic        valid;        // 0
  } h2d_req_t;                 // 64 bits

  typedef struct packed {
    logic        rsvd;         // 31
    logic [11:0] cqid;         // 30:19
    logic [1:0]  rsp_pre;      // 18:17
    logic [11:0] rsp_data;     // 16:5
    logic [3:0]  opcode;       // 4:1
    logic        valid;        // 0
  } h2d_rsp_t;                 // 32 bits

  typedef struct packed {
    logic [7:0]  rsvd;         // 23:16
    logic        go_err;       // 15
    logic        poison;       // 14
    logic        chunk_valid;  // 13
    logic [11:0] cqid;         // 12:1
    logic        valid;        // 0
  } h2d_dh_t;                  // 24 bits

  typedef struct packed {
    logic [6:0]  rsvd1;        // 78:72
    logic [45:0] addr_51_6;    // 71:26
    logic [6:0]  rsvd0;        // 25:19
    logic        nt;           // 18
    logic [11:0] cqid;         // 17:6
    logic [4:0]  opcode;       // 5:1
    logic        valid;        // 0
  } d2h_req_t;                 // 79 bits

  typedef struct packed {
    logic [1:0]  rsvd;         // 19:18
    logic [11:0] uqid;         // 17:6
    logic [4:0]  opcode;       // 5:1
    logic        valid;        // 0
  } d2h_rsp_t;                 // 20 bits

  typedef struct packed {
    logic        rsvd;         // 16
    logic        poison;       // 15
    logic        bogus;        // 14
    logic        chunk_valid;  // 13
    logic [11:0] uqid;         // 12:1
    logic        valid;        // 0
  } d2h_dh_t;                  // 17 bits

  parameter int unsigned H2dReqBits = 64;
  parameter int unsigned H2dRspBits = 32;
  parameter int unsigned H2dDhBits = 24;
  parameter int unsigned D2hReqBits = 79;
  parameter int unsigned D2hRspBits = 20;
  parameter int unsigned D2hDhBits = 17;

  // Either direction's message, in the wire layout, in the low bits.
  typedef logic [D2hReqBits-1:0] cache_req_t;
  typedef logic [H2dRspBits-1:0] cache_rsp_t;
  typedef logic [H2dDhBits-1:0]  cache_dh_t;

  // ---------------------------------------------------------------------------------------------
  // Link-layer control flits, slot 0
  // ---------------------------------------------------------------------------------------------
  parameter logic [3:0] LlctrlLlcrd = 4'h0;
  parameter logic [3:0] LlctrlRetry = 4'h1;
  parameter logic [3:0] LlctrlIde = 4'h2;
  parameter logic [3:0] LlctrlInit = 4'hC;
  parameter logic [3:0] SubLlcrdAck = 4'h1;
  parameter logic [3:0] SubRetryIdle = 4'h0;
  parameter logic [3:0] SubRetryReq = 4'h1;
  parameter logic [3:0] SubRetryAck = 4'h2;
  parameter logic [3:0] SubRetryFrame = 4'h3;
  parameter logic [3:0] SubInitParam = 4'h8;
  parameter logic [3:0] LinkVersion20 = 4'h2;

  parameter int unsigned RetryFrames = 5;       // RETRY.Frame flits before a Req or an Ack
  parameter int unsigned AkUnit = 8;            // flits acknowledged by header bit Ak
  parameter int unsigned InitialWrap = 9;       // wrap assumed until INIT.Param arrives

  parameter int unsigned FlushRetimer = 32;     // cycles with something to return until an LLCRD
  parameter int unsigned AckForce = 16;         // flits to acknowledge that force an LLCRD
  parameter int unsigned RetryTimeout = 4096;   // flits sent while waiting for a RETRY.Ack
  parameter int unsigned MaxNumRetry = 10;
  parameter int unsigned MaxNumPhyReinit = 10;

  // What software sets of a link layer (link_regs) and what it reads of it; bit 0 is the last field.
  typedef struct packed {
    logic [6:0] wd_held;         // 34:28, credits of the receive queues that are not
    logic [6:0] nd_held;         // 27:21  handed out
    logic [9:0] flush;           // 20:11, as FlushRetimer; 0 counts as that
    logic [7:0] ack_force;       // 10:3, as AckForce; 0 counts as that
    logic       crd_stall;       // 2, no credits go back
    logic       init_stall;      // 1, no INIT.Param
    logic       mdh_disable;     // 0, no multi-data headers
  } link_control_t;              // 35 bits

  parameter link_control_t LinkControlReset = {14'd0, 10'(FlushRetimer), 8'(AckForce), 3'b000};

  typedef struct packed {
    logic [9:0] wd_credit;       // 95:86
    logic [9:0] nd_credit;       // 85:76, to send with
    logic [9:0] wd_return;       // 75:66
    logic [9:0] nd_return;       // 65:56, not yet given back
    logic [7:0] num_free;        // 55:48, these three of the last framed RETRY.Ack
    logic [7:0] eseq_echo;       // 47:40
    logic [7:0] wr_ptr;          // 39:32
    logic [4:0] num_phy_reinit;  // 31:27, these two of the last framed RETRY.Req
    logic [4:0] num_retry;       // 26:22
    logic [7:0] wrap;            // 21:14, these two of the peer's INIT.Param
    logic [3:0] version;         // 13:10
    logic [7:0] llrb_used;       // 9:2
    logic [1:0] init_state;      // 1:0
  } link_status_t;               // 96 bits

  // init_state
  parameter logic [1:0] LinkInitNot = 2'd0;
  parameter logic [1:0] LinkInitParam = 2'd1;
  parameter logic [1:0] LinkInitCrdStall = 2'd2;
  parameter logic [1:0] LinkInitDone = 2'd3;

  // Local retry state machine.
  typedef enum logic [2:0] {
    LrsmNormal = 3'd0, LrsmLlrReq = 3'd1, LrsmLocalIdle = 3'd2, LrsmPhyReinit = 3'd3,
    LrsmAbort = 3'd4
  } lrsm_e;

  // Credit codes: bit 3 selects CXL.mem, bits 2:0 count 0,1,2,4,..,64.
  function automatic logic [6:0] credit_count(logic [2:0] code);
    return (code == 3'd0) ? 7'd0 : (7'd1 << (code - 3'd1));
  endfunction

  // Largest code whose count does not exceed n.
  function automatic logic [2:0] credit_code(logic [9:0] n);
    logic [2:0] code;
    code = 3'd0;
    for (int unsigned i = 0; i < 7; i++) begin
      if (n >= (10'd1 << i)) code = 3'(i + 1);
    end
    return code;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Flit kinds, as ARB/MUX and Flex Bus name them to each other
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    FlitIo = 2'd0, FlitCachemem = 2'd1, FlitAlmp = 2'd2, FlitNull = 2'd3
  } flit_kind_e;

  // ---------------------------------------------------------------------------------------------
  // Flex Bus: protocol IDs, ordered sets, alternate protocol negotiation
  // ---------------------------------------------------------------------------------------------
  parameter int unsigned WireFlitDws = 17;  // 16-bit protocol ID and 528-bit flit: 68 bytes

  // Index: {end of data stream, kind}. Any two codes differ in at least four bits.
  parameter logic [7:0][7:0] ProtocolIdCodes = {
    8'h4B, 8'h1E, 8'h87, 8'hD2,  // with EDS: NULL, ALMP, cachemem, io
    8'h99, 8'hCC, 8'h55, 8'hFF   // without
  };

  // What the receiver makes of a protocol ID.
  typedef enum logic [1:0] {
    IdNormal = 2'd0,         // both bytes agree
    IdCorrectable = 2'd1,    // one byte is damaged, the other is used: status bit 8
    IdUncorrectable = 2'd2,  // no byte can be trusted: status bit 9
    IdUnexpected = 2'd3      // a code that is not enabled on this link: status bit 10
  } id_verdict_e;

  // Ordered sets at 32 GT/s, one lane's 32-bit words; symbol 0 of a word in bits 7:0.
  parameter logic [1:0] SyncOrderedSet = 2'b01;
  parameter logic [1:0] SyncData = 2'b10;
  parameter logic [31:0] SdsFirstWord = 32'h8787_87E1;
  parameter logic [31:0] SdsWord = 32'h8787_8787;
  parameter logic [31:0] SkpWord = 32'h9999_9999;
  parameter logic [31:0] SkpEndWord = 32'h0000_00E1;  // parity and LFSR symbols are sent as 0
  parameter logic [7:0] SkpEndSymbol = 8'hE1;

  parameter int unsigned SkpBlocksBypass = 340;  // data blocks between SKP ordered sets
  parameter int unsigned SkpBlocksSync = 374;    // with sync headers: 370..375; 374 = 22 * 17

  typedef struct packed {
    logic [5:0] rsvd3;           // 23:18
    logic [1:0] nop_hint;        // 17:16
    logic       io_throttle;     // 15
    logic       retimer2_aware;  // 14
    logic       rsvd2;           // 13
    logic       retimer1_aware;  // 12
    logic       lopt_256;        // 11
    logic       sync_bypass;     // 10
    logic       rsvd1;           // 9
    logic       mld;             // 8
    logic [2:0] rsvd0;           // 7:5
    logic       cxl20;           // 4
    logic       cache;           // 3
    logic       mem;             // 2
    logic       io;              // 1
    logic       pcie;            // 0
  } apn_caps_t;                  // symbols 12..14 of a modified TS1 or TS2

  typedef struct packed {
    logic        is_ts2;         // 56
    apn_caps_t   caps;           // 55:32, symbols 12..14
    logic [15:0] vendor;         // 31:16, symbols 10..11
    logic [6:0]  rsvd;           // 15:9
    logic        common_clock;   // 8
    logic [2:0]  protocol;       // 7:5, 000 = Flex Bus
    logic [1:0]  status;         // 4:3
    logic [2:0]  usage;          // 2:0, 010 = alternate protocol
  } apn_ts_t;                    // 57 bits

  parameter logic [2:0] ApnUsage = 3'b010;
  parameter logic [15:0] CxlVendorId = 16'h1E98;

  typedef enum logic [2:0] {
    ApnIdle = 3'd0, ApnTs1 = 3'd1, ApnTs2 = 3'd2, ApnSpeed = 3'd3, ApnEntry = 3'd4, ApnL0 = 3'd5,
    ApnRecoveryTs1 = 3'd6, ApnRecoveryTs2 = 3'd7
  } apn_state_e;

  // ---------------------------------------------------------------------------------------------
  // ARB/MUX: link management packets (ALMP) and virtual link state machines
  // ---------------------------------------------------------------------------------------------
  // Values on the wire where an ALMP can name the state; 9, A and C exist inside only.
  typedef enum logic [3:0] {
    VlsmReset = 4'h0, VlsmActive = 4'h1, VlsmDapm = 4'h3, VlsmL10 = 4'h4, VlsmL11 = 4'h5,
    VlsmL12 = 4'h6, VlsmL13 = 4'h7, VlsmL2 = 4'h8, VlsmLinkReset = 4'h9, VlsmLinkDisable = 4'hA,
    VlsmRetrain = 4'hB, VlsmLinkError = 4'hC
  } vlsm_e;

  parameter logic [7:0] AlmpVlsmState = 8'h08;
  parameter logic [3:0] AlmpIo = 4'h1;
  parameter logic [3:0] AlmpCachemem = 4'h2;

  typedef struct packed {
    logic [3:0] rsvd3;       // 31:28
    logic [3:0] link;        // 27:24, AlmpIo or AlmpCachemem
    logic       is_request;  // 23, else Status
    logic [2:0] rsvd2;       // 22:20
    logic [3:0] code;        // 19:16
    logic [7:0] kind;        // 15:8, AlmpVlsmState
    logic [7:0] rsvd0;       // 7:0
  } almp_t;                  // four copies in the first 16 bytes of the flit, the rest zero

  function automatic logic is_l1(logic [3:0] state);
    return state inside {VlsmL10, VlsmL11, VlsmL12, VlsmL13};
  endfunction

endpackage
