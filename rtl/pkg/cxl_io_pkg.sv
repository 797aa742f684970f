// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.io: encodings of the PCIe packets that carry register accesses, and the types between the
// blocks of rtl/cxl_io.
//
// A packet is a vector whose byte n is bits [8n+7:8n]; byte 0 is first on the wire. Source: PCI
// Express Base 5.0, chapters 2 (TLP), 3 (DLLP, LCRC) and 4.2.2 (framing tokens of 128b/130b).

package cxl_io_pkg;

  // ---------------------------------------------------------------------------------------------
  // TLPs: a header of 3 or 4 DW and the first 2 DW of the data, 12 to 24 bytes; unused bytes are 0
  // ---------------------------------------------------------------------------------------------
  parameter int unsigned TlpBits = 192;
  typedef logic [TlpBits-1:0] tlp_t;

  parameter logic [4:0] TypeMem = 5'b00000;
  parameter logic [4:0] TypeMemLocked = 5'b00001;
  parameter logic [4:0] TypeCfg0 = 5'b00100;
  parameter logic [4:0] TypeCfg1 = 5'b00101;
  parameter logic [4:0] TypeCpl = 5'b01010;
  parameter logic [4:0] TypeCplLocked = 5'b01011;
  parameter logic [4:0] TypeFetchAdd = 5'b01100;
  parameter logic [4:0] TypeSwap = 5'b01101;
  parameter logic [4:0] TypeCas = 5'b01110;

  // Message codes: vendor-defined, type 0 and 1; the PM message of CXL is one of type 0.
  parameter logic [7:0]  MsgVendor0 = 8'h7E;
  parameter logic [7:0]  MsgVendor1 = 8'h7F;
  parameter logic [15:0] CxlVendorId = 16'h1E98;
  parameter logic [7:0]  CxlPmCode = 8'h68;

  parameter logic [2:0] CplSc = 3'b000;       // successful
  parameter logic [2:0] CplUr = 3'b001;       // unsupported request
  parameter logic [2:0] CplCrs = 3'b010;      // configuration request retry
  parameter logic [2:0] CplCa = 3'b100;       // completer abort
  parameter logic [2:0] CplNoAnswer = 3'b111;  // not on the wire: timeout, or the link went down

  // Flow control class, also the code in an FC DLLP.
  typedef enum logic [1:0] {
    FcPosted = 2'd0, FcNonPosted = 2'd1, FcCompletion = 2'd2
  } fc_class_e;

  function automatic fc_class_e fc_class(logic has_data, logic [4:0] tlp_type);
    fc_class_e kind;
    kind = FcNonPosted;
    if (tlp_type[4:1] == 4'b0101) begin
      kind = FcCompletion;
    end else if (tlp_type[4:3] == 2'b10 || (tlp_type == TypeMem && has_data)) begin
      kind = FcPosted;  // messages, memory writes
    end
    return kind;
  endfunction

  parameter int unsigned MaxPayloadDws = 32;  // Max_Payload_Size, 128 bytes

  // DW of a Length field: 0 stands for 1024.
  function automatic logic [10:0] tlp_length(logic [9:0] field);
    return {field == '0, field};
  endfunction

  // DW of a TLP that a tlp_t holds; Fmt[1:0] is byte 0 [6:5].
  function automatic logic [2:0] tlp_dws(logic [1:0] fmt, logic [9:0] field);
    logic [2:0] data;
    data = (field == 10'd1) ? 3'd1 : 3'd2;
    return 3'd3 + 3'(fmt[0]) + (fmt[1] ? data : 3'd0);
  endfunction

  // Data credits of a TLP: one holds 4 DW.
  function automatic logic [11:0] data_credits(logic has_data, logic [9:0] field);
    logic [8:0] units;
    units = 9'(field[9:2]) + 9'(field[1:0] != '0);
    if (field == '0) units = 9'd256;
    return has_data ? 12'(units) : '0;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // DLLPs: 4 bytes and CRC-16
  // ---------------------------------------------------------------------------------------------
  parameter logic [7:0] DllpAck = 8'h00;
  parameter logic [7:0] DllpNak = 8'h10;
  parameter logic [1:0] DllpInitFc1 = 2'b01;   // byte 0 [7:6]; [5:4] is the class, [2:0] the VC
  parameter logic [1:0] DllpUpdateFc = 2'b10;
  parameter logic [1:0] DllpInitFc2 = 2'b11;

  function automatic logic [31:0] ack_dllp(logic nak, logic [11:0] seq);
    return {seq[7:0], 4'h0, seq[11:8], 8'h00, nak ? DllpNak : DllpAck};
  endfunction

  function automatic logic [31:0] fc_dllp(logic [1:0] kind, logic [1:0] fc, logic [7:0] hdr,
                                          logic [11:0] data);
    return {data[7:0], hdr[1:0], 2'b00, data[11:8], 2'b00, hdr[7:2], kind, fc, 4'h0};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Framing tokens
  // ---------------------------------------------------------------------------------------------
  parameter logic [15:0] TokenSdp = 16'hACF0;  // bytes F0, AC
  parameter logic [3:0]  TokenStp = 4'hF;      // byte 0 [3:0]
  parameter logic [31:0] TokenEdb = 32'hC0C0_C0C0;
  // Token, header of 4 DW, 4096 bytes of data, ECRC, LCRC.
  parameter int unsigned LongestTlp = 1 + 4 + 1024 + 1 + 1;

  // What follows a TLP in its flit: something else, nothing as the flit is over, or EDB.
  typedef enum logic [1:0] {
    TailOther = 2'd0, TailUnknown = 2'd1, TailEdb = 2'd2
  } io_tail_e;

  // {parity, CRC-4} over the length in DW, token and LCRC included.
  function automatic logic [4:0] frame_check(logic [10:0] l);
    logic [3:0] c;
    c[0] = ^(l & 11'b100_1101_0111);
    c[1] = ^(l & 11'b110_1011_1100);
    c[2] = ^(l & 11'b011_0101_1110);
    c[3] = ^(l & 11'b001_1010_1111);
    return {^{l, c}, c};
  endfunction

  function automatic logic [31:0] stp_token(logic [10:0] length, logic [11:0] seq);
    logic [4:0] check;
    check = frame_check(length);
    return {seq[7:0], check[3:0], seq[11:8], check[4], length[10:4], length[3:0], TokenStp};
  endfunction

  // check: parity and CRC-4 of the token.
  function automatic logic begins_tlp(logic [3:0] code, logic [10:0] l, logic [4:0] check);
    return code == TokenStp && check == frame_check(l) && l >= 11'd5 && l <= 11'(LongestTlp);
  endfunction

  // ---------------------------------------------------------------------------------------------
  // CRCs, least significant bit of byte 0 first; the result is sent least significant byte first
  // ---------------------------------------------------------------------------------------------
  // LCRC: CRC-32 of the sequence number (two bytes, upper nibble 0) and the TLP. The number stands
  // in the upper half of the token, so the CRC goes over the token without its other bits: from
  // this register, two bytes of zeros lead to the initial value of all ones.
  function automatic logic [31:0] lcrc_start();
    logic [31:0] crc;
    crc = '1;
    for (int unsigned i = 0; i < 16; i++) begin  // one bit back at a time
      crc = crc[31] ? {crc[30:0] ^ 31'h6DB8_8320, 1'b1} : {crc[30:0], 1'b0};
    end
    return crc;
  endfunction

  parameter logic [31:0] LcrcStart = lcrc_start();
  parameter logic [31:0] LcrcTokenMask = 32'hFF0F_0000;
  // The register after the LCRC as well: if that is right, and if it is inverted.
  parameter logic [31:0] LcrcGood = 32'hDEBB_20E3;
  parameter logic [31:0] LcrcInverted = 32'h0000_0000;

  // CRC-16 of a DLLP: 100Bh.
  typedef logic [15:0][31:0] dllp_masks_t;

  function automatic dllp_masks_t dllp_masks();
    dllp_masks_t masks;
    logic [15:0] power;
    masks = '0;
    power = 16'hD008;
    for (int unsigned i = 0; i < 32; i++) begin
      for (int unsigned b = 0; b < 16; b++) masks[b][31 - i] = power[b];
      power = {1'b0, power[15:1]} ^ (power[0] ? 16'hD008 : 16'd0);
    end
    return masks;
  endfunction

  parameter dllp_masks_t DllpMasks = dllp_masks();

  function automatic logic [15:0] dllp_crc(logic [31:0] dllp);
    logic [31:0] message;
    logic [15:0] crc;
    message = {dllp[31:16], ~dllp[15:0]};
    for (int unsigned b = 0; b < 16; b++) crc[b] = ~^(message & DllpMasks[b]);
    return crc;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Between the blocks
  // ---------------------------------------------------------------------------------------------
  // What was received: nothing that acts, a damaged packet or TLP, a good TLP, DLLPs.
  typedef enum logic [2:0] {
    RxNone = 3'd0, RxBad = 3'd1, RxTlp = 3'd2, RxDllpBad = 3'd3, RxAck = 3'd4, RxNak = 3'd5,
    RxFc = 3'd6
  } io_rx_kind_e;

  typedef enum logic [2:0] {
    IoCfgRd0 = 3'd0, IoCfgWr0 = 3'd1, IoCfgRd1 = 3'd2, IoCfgWr1 = 3'd3, IoMemRd = 3'd4,
    IoMemWr = 3'd5
  } io_op_e;  // bit 0: write

  typedef struct packed {
    io_op_e      op;    // 102:100
    logic [63:0] addr;  // 99:36; configuration: [27:20] bus, [19:15] device, [14:12] function,
                        // [11:0] offset
    logic [3:0]  be;    // 35:32
    logic [31:0] data;  // 31:0, writes only
  } io_req_t;

  typedef struct packed {
    logic [2:0]  status;  // 34:32, Cpl*
    logic [31:0] data;    // 31:0: writes 0, failed reads all ones
  } io_rsp_t;

  // Configuration register access: as reg_req_t, with byte enables.
  typedef struct packed {
    logic        valid;  // 47
    logic        write;  // 46
    logic [9:0]  word;   // 45:36, offset / 4
    logic [3:0]  be;     // 35:32, writes only
    logic [31:0] wdata;  // 31:0, writes only
  } cfg_req_t;

  // What a root port sends on or keeps, from its type 1 configuration header and DVSEC 3. Bases
  // and limits are the address bits above 1 MiB, each end included.
  typedef struct packed {
    logic        mem_space;      // 305: memory requests are answered at all
    logic [47:0] bar0;           // 304:257, address[63:16]
    logic [7:0]  secondary;      // 256:249, buses below
    logic [7:0]  subordinate;    // 248:241
    logic [11:0] mem_base;       // 240:229, address[31:20]
    logic [11:0] mem_limit;      // 228:217
    logic [43:0] pre_base;       // 216:173, address[63:20]
    logic [43:0] pre_limit;      // 172:129
    logic        alt;            // 128: the alternates count too
    logic [7:0]  alt_bus_base;   // 127:120
    logic [7:0]  alt_bus_limit;  // 119:112
    logic [11:0] alt_mem_base;   // 111:100
    logic [11:0] alt_mem_limit;  // 99:88
    logic [43:0] alt_pre_base;   // 87:44
    logic [43:0] alt_pre_limit;  // 43:0
  } bridge_t;

  // A configuration register after a write: enabled bytes new, the others as they were.
  function automatic logic [31:0] merge_enabled(logic [31:0] old_value, logic [31:0] new_value,
                                                logic [3:0] be);
    logic [31:0] mask;
    mask = {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
    return (new_value & mask) | (old_value & ~mask);
  endfunction

  // First register of a DVSEC: version 1, offset of the next extended capability (0: none).
  function automatic logic [31:0] dvsec_header(logic [11:0] next);
    return {next, 4'h1, 16'h0023};
  endfunction

endpackage
