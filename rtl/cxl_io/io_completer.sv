// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Endpoint side of CXL.io: takes TLPs one at a time, makes the configuration or register access
// that each asks for, and returns a completion to every non-posted one; Unsupported Request for
// what it does not know.
//
// BAR0, 256 KiB: the component register block, vendor registers, the CXL device registers. An
// aligned access of 8 bytes, which 64-bit registers are asked with, becomes two of 4: a pair.
//
// Messages are consumed; those that this device does not know are Unsupported Requests, but the
// vendor-defined ones of type 1.
//
// No TLP is taken before the data link is up: the peer may send its first one earlier, and one that
// was acknowledged must not be lost.
//
// Source:  PCI Express Base 5.0, chapters 2.2.8 (messages), 2.2.9 (completions), 2.3.1 (request
//          handling); CXL 2.0, 3.1.2 (PM messages), 8.2.4, 8.2.5 (component registers).
// Latency: TLP taken in cycle n, access in n+1, completion offered in n+3, that of a pair in n+5.

module io_completer
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         link_up_i,       // level: io_link dl_up_o; low: the TLP in work is dropped

  input  logic         tlp_rx_valid_i,  // a TLP of any class; stays until taken with link_up_i
  output logic         tlp_rx_ready_o,  // low while a TLP is in work or the data link is down
  input  tlp_t         tlp_rx_i,        // header, first two DW of data, zeros behind; no prefix
  output logic         tlp_tx_valid_o,  // a completion; stays until taken with link_up_i
  input  logic         tlp_tx_ready_i,  // takes the completion; the next TLP is received only then
  output tlp_t         tlp_tx_o,        // at most 2 DW of data, zeros behind; 0 without valid

  // Configuration space
  output cfg_req_t     cfg_req_o,       // access of one cycle; all 0 without valid
  input  logic [31:0]  cfg_rdata_i,     // the cycle after: the register read
  input  logic         mem_space_en_i,  // level: memory requests in BAR0 are served
  input  logic [45:0]  bar0_i,          // base of BAR0, address[63:18]

  // Registers of the endpoint: HDM decoders at 000h, vendor block at 800h, RAS at 1000h, link at
  // 1080h, device registers at 1400h
  output reg_req_t     reg_req_o,       // access of one cycle, all four bytes; all 0 without valid
  input  logic [31:0]  reg_rdata_i,     // the cycle after: the register read

  // Weight registers of the endpoint's ARB/MUX
  output logic         weight_io_we_o,  // pulse: weight_o is the new weight of CXL.io
  output logic         weight_cm_we_o,  // pulse: weight_o is the new weight of CXL.cachemem
  output logic [3:0]   weight_o,        // 0..15, 0 acts as 1; 0 without a write
  input  logic [3:0]   weight_io_i,     // level: the weight of CXL.io, for software to read
  input  logic [3:0]   weight_cm_i,     // level: the weight of CXL.cachemem, for software to read

  output logic [3:0]   event_o,         // pulses: 0 unsupported request, 1 completer abort,
                                        // 2 poisoned write, 3 unexpected completion
  output logic         event_posted_o,  // with event_o: its TLP gets no completion; else 0
  output logic [127:0] event_hdr_o      // with event_o: header of its TLP, byte n in bits 8n+7:8n;
                                        // else 0
);

  // Capability array: HDM decoders, RAS and link, 800h, 200h and 300h after it
  localparam cmp_regs_t Array = '{
    header: CmpHeaderAtReset | cmp_header_t'{array_size: 8'd3, default: '0},
    entry:  {64'd0, cmp_entry_header_t'{id: 16'd4, version: 4'd2, offset: 12'h300},
             cmp_entry_header_t'{id: 16'd2, version: 4'd2, offset: 12'h200},
             cmp_entry_header_t'{id: 16'd5, version: 4'd1, offset: 12'h800}}
  };

  typedef enum logic [1:0] {Idle = 2'd0, Access = 2'd1, Data = 2'd2, Reply = 2'd3} state_e;

  state_e      state_q;
  tlp_t        tlp_q;
  logic        pair_q;    // judged with the first access
  logic        second_q;  // the other 4 bytes of a pair
  logic [2:0]  status_q;
  logic [31:0] data_q, data_low_q;  // data_low_q: of the first access of a pair
  logic [7:0]  bus_q;     // captured from configuration writes
  logic [4:0]  device_q;

  assign tlp_rx_ready_o = state_q == Idle && link_up_i;
  assign tlp_tx_valid_o = state_q == Reply;

  // ---------------------------------------------------------------------------------------------
  // What is asked for
  // ---------------------------------------------------------------------------------------------
  logic        has_data, four_dw, poisoned, one_dw, is_mem, is_locked, mem_read, is_cfg;
  logic [4:0]  tlp_type;
  logic [3:0]  be, be_last, be_now;
  logic [9:0]  length;
  logic [63:2] address;
  logic [63:0] wdata_all;
  logic [31:0] wdata;
  logic [17:0] offset;
  logic        in_bar, hit_hdm, hit_ras, hit_link, hit_vendor, hit_device, hit_reg, write_reg;
  logic        aligned_two, be_ok, read_ok, write_ok, pair;
  logic        posted, completion, cfg_ok;
  fc_class_e   kind;

  assign tlp_type   = tlp_q[4:0];
  assign four_dw    = tlp_q[5];
  assign has_data   = tlp_q[6];
  assign poisoned   = tlp_q[22];
  assign length     = {tlp_q[17:16], tlp_q[31:24]};
  assign one_dw     = length == 10'd1;
  assign be         = tlp_q[59:56];
  assign be_last    = tlp_q[63:60];
  assign be_now     = second_q ? be_last : be;
  assign is_mem     = tlp_type == TypeMem;
  assign is_locked  = tlp_type == TypeMemLocked;
  assign mem_read   = is_mem && !has_data;
  assign kind       = fc_class(tlp_q[6], tlp_q[4:0]);
  assign posted     = kind == FcPosted;
  assign completion = kind == FcCompletion;

  always_comb begin
    address   = '0;
    wdata_all = '0;
    if (state_q == Idle) begin
      // nothing is asked
    end else if (four_dw) begin
      address = {tlp_q[71:64], tlp_q[79:72], tlp_q[87:80], tlp_q[95:88],
                 tlp_q[103:96], tlp_q[111:104], tlp_q[119:112], tlp_q[127:122]};
      wdata_all = tlp_q[191:128];
    end else begin
      address = {32'd0, tlp_q[71:64], tlp_q[79:72], tlp_q[87:80], tlp_q[95:90]};
      wdata_all = tlp_q[159:96];
    end
  end
  assign wdata = second_q ? wdata_all[63:32] : wdata_all[31:0];

  // Type 0, function 0; a device answers whatever device number it is called by.
  assign is_cfg = tlp_type == TypeCfg0 && !four_dw;
  assign cfg_ok = is_cfg && one_dw && tlp_q[74:72] == 3'd0 && !(has_data && poisoned);

  assign offset     = {address[17:3], address[2] || second_q, 2'b00};
  always_comb begin
    in_bar = second_q;
    if (state_q != Idle && is_mem && mem_space_en_i && address[63:18] == bar0_i) in_bar = 1'b1;
  end

  // A register takes 4 bytes, or leaves them alone.
  assign aligned_two = length == 10'd2 && !address[2];
  assign be_ok       = be inside {4'h0, 4'hF} && (one_dw || be_last inside {4'h0, 4'hF});
  assign read_ok     = in_bar && mem_read && (one_dw || aligned_two);
  assign write_ok    = in_bar && is_mem && has_data && !poisoned && be_ok &&
                       (one_dw || aligned_two);
  assign pair        = (read_ok || write_ok) && !one_dw;
  assign hit_hdm    = offset[17:11] == 7'h03;  // 1800h to 1FFFh
  assign hit_ras    = offset[17:7] == 11'h024;  // 1200h to 127Fh
  assign hit_link   = offset[17:6] == 12'h04C;  // 1300h to 133Fh
  assign hit_vendor = offset[17:11] == 7'h20;  // 10000h to 107FFh
  assign hit_device = offset[17:10] == 8'h80;  // 20000h to 203FFh
  assign hit_reg    = hit_hdm || hit_ras || hit_link || hit_vendor || hit_device;
  assign write_reg  = state_q == Access && write_ok && be_now == 4'hF;

  always_comb begin
    cfg_req_o       = '0;
    cfg_req_o.valid = state_q == Access && cfg_ok;
    if (cfg_req_o.valid) begin
      cfg_req_o.write = has_data;
      cfg_req_o.word  = {tlp_q[83:80], tlp_q[95:90]};
      if (has_data) begin
        cfg_req_o.be    = be;
        cfg_req_o.wdata = wdata;
      end
    end

    reg_req_o       = '0;
    reg_req_o.valid = hit_reg && (write_reg || (state_q == Access && read_ok));
    if (reg_req_o.valid) begin
      reg_req_o.write = has_data;
      if (hit_ras)         reg_req_o.addr = {9'h020, offset[6:0]};
      else if (hit_link)   reg_req_o.addr = {10'h042, offset[5:0]};
      else if (hit_device) reg_req_o.addr = {6'h05, offset[9:0]};
      else                 reg_req_o.addr = {4'h0, hit_vendor, offset[10:0]};
      if (has_data) reg_req_o.wdata = wdata;
    end
  end

  assign weight_io_we_o = write_reg && offset == 18'(ArbIoWeightOffset);
  assign weight_cm_we_o = write_reg && offset == 18'(ArbCmWeightOffset);
  assign weight_o       = (weight_io_we_o || weight_cm_we_o)
                          ? wdata[ArbIoWeightWeightLsb +: ArbIoWeightWeightWidth] : 4'd0;

  logic [2:0] status;
  always_comb begin
    status = CplUr;
    if (cfg_ok)                  status = CplSc;
    else if (in_bar && mem_read) status = read_ok ? CplSc : CplCa;
  end

  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    if (state_q != Data) begin
      rdata = '0;
    end else if (is_cfg) begin
      rdata = cfg_rdata_i;
    end else if (hit_reg) begin
      rdata = reg_rdata_i;
    end else if (offset[17:13] == '0) begin
      rdata = cmp_word(Array, offset[12:2]);
    end else if (offset[17:16] == '0) begin
      rdata = arb_word('{io_weight: '{weight: weight_io_i}, cm_weight: '{weight: weight_cm_i}},
                       offset[15:2]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Messages
  // ---------------------------------------------------------------------------------------------
  logic is_msg, msg_taken;
  assign is_msg = tlp_type[4:3] == 2'b10;

  // 00h Unlock, 14h PM_Active_State_Nak, 19h PME_Turn_Off, 4xh those that are ignored, 50h
  // Set_Slot_Power_Limit. Of the vendor-defined ones of type 0 the PM message of CXL.
  always_comb begin
    unique case (tlp_q[63:56])
      8'h00, 8'h14, 8'h19, 8'h40, 8'h41, 8'h43, 8'h44, 8'h45, 8'h47, 8'h48, 8'h50,
      MsgVendor1: msg_taken = 1'b1;
      MsgVendor0: msg_taken = {tlp_q[87:80], tlp_q[95:88], tlp_q[127:120]} ==
                              {CxlVendorId, CxlPmCode};
      default:    msg_taken = 1'b0;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Completion
  // ---------------------------------------------------------------------------------------------
  // Bytes from the first enabled one to the last of a memory read; the operand of an AtomicOp.
  logic [1:0]  skip, rest;
  logic [3:0]  last;
  logic [11:0] byte_count;
  logic [6:0]  lower;
  logic        reply_data;

  always_comb begin
    last       = '0;
    skip       = '0;
    rest       = '0;
    byte_count = 12'd4;
    lower      = '0;
    if (tlp_tx_valid_o && (mem_read || (is_locked && !has_data))) begin
      last = one_dw ? be : tlp_q[63:60];
      if (be[0] || be == 4'h0) skip = 2'd0;
      else if (be[1])          skip = 2'd1;
      else if (be[2])          skip = 2'd2;
      else                     skip = 2'd3;
      if (last[3] || last == 4'h0) rest = 2'd0;
      else if (last[2])            rest = 2'd1;
      else if (last[1])            rest = 2'd2;
      else                         rest = 2'd3;

      byte_count = {length, 2'b00} - 12'(skip) - 12'(rest);
      if (one_dw && be == 4'h0) byte_count = 12'd1;  // a read of nothing counts as one byte
      lower = {address[6:2], skip};
    end else if (tlp_tx_valid_o && tlp_type inside {TypeFetchAdd, TypeSwap}) begin
      byte_count = {length, 2'b00};
    end else if (tlp_tx_valid_o && tlp_type == TypeCas) begin
      byte_count = {1'b0, length, 1'b0};  // of two operands one would be answered
    end
  end

  assign reply_data = status_q == CplSc && !has_data;

  // Traffic class, attributes and the tag's upper bits come back as they went.
  always_comb begin
    tlp_tx_o = '0;
    if (tlp_tx_valid_o) begin
      tlp_tx_o[7:0]     = {1'b0, reply_data, 1'b0, is_locked ? TypeCplLocked : TypeCpl};
      tlp_tx_o[15:8]    = {tlp_q[15:10], 2'b00};
      tlp_tx_o[23:16]   = {2'b00, tlp_q[21:20], 4'h0};
      tlp_tx_o[31:24]   = {6'd0, reply_data && second_q, reply_data && !second_q};
      tlp_tx_o[47:32]   = {device_q, 3'd0, bus_q};
      tlp_tx_o[63:48]   = {byte_count[7:0], status_q, 1'b0, byte_count[11:8]};
      tlp_tx_o[79:64]   = tlp_q[47:32];  // requester
      tlp_tx_o[87:80]   = tlp_q[55:48];  // tag
      tlp_tx_o[95:88]   = {1'b0, lower};
      if (reply_data) tlp_tx_o[159:96] = second_q ? {data_q, data_low_q} : {32'd0, data_q};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One TLP at a time
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Idle;
      second_q <= 1'b0;
      bus_q    <= '0;
      device_q <= '0;
      event_o  <= '0;
    end else begin
      event_o <= '0;
      unique case (state_q)
        Idle: begin
          second_q <= 1'b0;
          if (tlp_rx_valid_i && tlp_rx_ready_o) state_q <= Access;
        end
        Access: begin
          if (pair && posted && !second_q) second_q <= 1'b1;  // another Access
          else                             state_q  <= (posted || completion) ? Idle : Data;
          event_o[3] <= completion;
          if (second_q) begin
            event_o <= '0;
          end else if (is_mem && has_data) begin
            event_o[0] <= !in_bar;
            event_o[1] <= in_bar && !poisoned && !write_ok;
            event_o[2] <= in_bar && poisoned;
          end else if (is_msg) begin
            event_o[0] <= !msg_taken;
          end else if (!completion) begin
            event_o[0] <= status == CplUr;
            event_o[1] <= status == CplCa;
            event_o[2] <= is_cfg && has_data && poisoned;
          end
          if (cfg_ok && has_data) begin
            bus_q    <= tlp_q[71:64];
            device_q <= tlp_q[79:75];
          end
        end
        Data: begin
          if (pair_q) second_q <= 1'b1;
          state_q <= (pair_q && !second_q) ? Access : Reply;
        end
        default: begin
          if (tlp_tx_ready_i) state_q <= Idle;
        end
      endcase
      if (!link_up_i) state_q <= Idle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tlp_rx_valid_i && tlp_rx_ready_o) tlp_q <= tlp_rx_i;
    if (state_q == Access && !second_q) begin
      status_q <= status;
      pair_q   <= pair;
    end
    if (state_q == Data) data_q <= rdata;
    if (state_q == Data && !second_q) data_low_q <= rdata;
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OneAccess_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({cfg_req_o.valid, reg_req_o.valid, weight_io_we_o, weight_cm_we_o}))
      else $error("more than one access in a cycle");
  PostedSilent_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tlp_tx_valid_o |-> !posted && !completion)
      else $error("a completion for a posted request or for a completion");
  TlpHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_o && !tlp_tx_ready_i && link_up_i) |=> tlp_tx_valid_o && $stable(tlp_tx_o))
      else $error("a completion changed or vanished before it was taken");
  TakenIsWorked_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_rx_valid_i && tlp_rx_ready_o) |=> state_q == Access)
      else $error("a TLP was taken and nothing came of it");
  RxHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_rx_valid_i && !tlp_rx_ready_o && link_up_i) |=>
      !link_up_i || (tlp_rx_valid_i && $stable(tlp_rx_i)))
      else $error("a received TLP changed or vanished before it was taken");

  // The TLP is still held in the cycle of its event.
  always_comb begin
    event_posted_o = 1'b0;
    event_hdr_o    = '0;
    if (event_o != '0) begin
      event_posted_o = posted || completion;
      event_hdr_o    = {four_dw ? tlp_q[127:96] : 32'd0, tlp_q[95:0]};
    end
  end

  // Address type, hints and the last byte enables of a single DW do not matter to a register.
  logic unused_fields;
  assign unused_fields = ^tlp_q;

endmodule
