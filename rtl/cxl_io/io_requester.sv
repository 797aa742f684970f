// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Register accesses of the root port: one request at a time becomes a TLP; its completion, or the
// lack of one, becomes the response. A memory write is posted and answered when it is handed over.
//
// A request of the device is none of ours to serve: a non-posted one gets a completion with
// Unsupported Request (UR), the others are dropped. One UR completion waits at a time, and nothing
// is received meanwhile.
//
//   req --> one request --+--> TLP out
//   rsp <--     |         |
//            completion   +--- UR completion <-- non-posted
//               |                                 |
//               +------------------ TLP in -------+
//
// No deadlock: a UR completion needs no credit that a device could withhold, and has at most one
// request of ours before it, whose credit came back with the request before. So the TLPs behind a
// request of the device, our completion among them, are reached.
//
// Source:  PCI Express Base 5.0, chapters 2.2 (headers), 2.2.9 and 2.3.1 (Unsupported Request),
//          2.3.2 (completions), 2.4.1 (deadlock), 2.8 (timeout), 7.2.2 (configuration addresses).
// Latency: request to TLP offered 1 cycle; completion to response 1 cycle; non-posted TLP received
//          to UR completion offered 1 cycle.

module io_requester
  import cxl_io_pkg::*;
#(
  parameter logic [15:0] RequesterId = 16'h0000,  // 0..FFFFh: bus, device, function; completer ID
  parameter int unsigned CplTimeout = 10_000_000  // 1..2^32-2, cycles until a request is given up
                                                  // (PCIe: 50 us to 50 ms)
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    link_up_i,       // level: io_link dl_up_o; low: requests are answered with 7

  input  logic    req_valid_i,     // a request of software; stays until taken
  output logic    req_ready_o,     // low from then on until the response has been taken
  input  io_req_t req_i,           // any op of io_op_e; addr[1:0] does not matter; be of reads too
  output logic    rsp_valid_o,     // its response, until taken; one for each request
  input  logic    rsp_ready_i,     // takes the response; may be low for any time
  output io_rsp_t rsp_o,           // status CplSc, CplUr, CplCrs, CplCa, or 7: no answer came

  output logic    tlp_tx_valid_o,  // a request or a UR completion; stays until taken with link_up_i
  input  logic    tlp_tx_ready_i,  // takes the TLP; may be low for as long as credits are missing
  output tlp_t    tlp_tx_o,        // at most 1 DW of data, zeros behind; nothing without valid
  input  logic    tlp_rx_valid_i,  // a TLP of any class; stays until taken with link_up_i
  output logic    tlp_rx_ready_o,  // low while link_up_i is 0 or a UR completion waits to be sent
  input  tlp_t    tlp_rx_i,        // header, first two DW of data, zeros behind; no prefix

  output logic    unexpected_o     // pulse, a cycle late: a TLP was received that answers nothing
);

  localparam int unsigned TimerBits = $clog2(CplTimeout + 1);

  typedef enum logic [1:0] {Idle = 2'd0, Send = 2'd1, Wait = 2'd2, Respond = 2'd3} state_e;

  state_e               state_q;
  io_req_t              req_q;
  logic [4:0]           tag_q;
  logic [TimerBits-1:0] timer_q;
  logic [2:0]           status_q;
  logic [31:0]          data_q;
  logic                 is_write, is_posted, is_mem, long_addr;
  logic [95:0]          ur_q, ur_d;      // header of the UR completion

  assign is_write  = req_q.op inside {IoCfgWr0, IoCfgWr1, IoMemWr};
  assign is_mem    = req_q.op inside {IoMemRd, IoMemWr};
  assign is_posted = req_q.op == IoMemWr;
  assign long_addr = is_mem && req_q.addr[63:32] != '0;

  assign req_ready_o    = state_q == Idle;
  // What was offered stays; else the request goes first, which cannot be so twice in a row.
  logic  ur_valid_q, ur_stalled_q, offer_ur;
  logic  rx_taken;
  assign offer_ur       = ur_valid_q && (ur_stalled_q || state_q != Send);
  assign tlp_tx_valid_o = state_q == Send || ur_valid_q;
  // What comes before the data link is up will be acknowledged: it waits, so as not to be lost.
  assign tlp_rx_ready_o = link_up_i && !ur_valid_q;
  assign rx_taken       = tlp_rx_valid_i && tlp_rx_ready_o;
  assign rsp_valid_o    = state_q == Respond;
  assign rsp_o          = {status_q, data_q};

  // ---------------------------------------------------------------------------------------------
  // Request TLP, byte 0 in the low bits
  // ---------------------------------------------------------------------------------------------
  logic [4:0]  tlp_type;
  logic [31:0] address, address_high;

  always_comb begin
    unique case (req_q.op)
      IoCfgRd0, IoCfgWr0: tlp_type = TypeCfg0;
      IoCfgRd1, IoCfgWr1: tlp_type = TypeCfg1;
      default:            tlp_type = TypeMem;
    endcase
  end

  // Fields are big-endian: the first byte on the wire is the most significant.
  always_comb begin
    address      = '0;
    address_high = '0;
    tlp_tx_o     = '0;
    if (offer_ur) begin
      tlp_tx_o[95:0] = ur_q;
    end else if (tlp_tx_valid_o) begin
      address_high = {req_q.addr[39:32], req_q.addr[47:40], req_q.addr[55:48], req_q.addr[63:56]};
      if (is_mem) begin
        address = {req_q.addr[7:2], 2'b00, req_q.addr[15:8], req_q.addr[23:16], req_q.addr[31:24]};
      end else begin
        address = {req_q.addr[7:2], 2'b00, 4'h0, req_q.addr[11:8], req_q.addr[19:12],
                   req_q.addr[27:20]};
      end

      tlp_tx_o[31:0]  = {8'h01, 16'h0000, 1'b0, is_write, long_addr, tlp_type};
      tlp_tx_o[63:32] = {4'h0, req_q.be, 3'b000, tag_q, RequesterId[7:0], RequesterId[15:8]};
      if (long_addr) begin
        tlp_tx_o[127:64] = {address, address_high};
        if (is_write) tlp_tx_o[159:128] = req_q.data;
      end else begin
        tlp_tx_o[95:64] = address;
        if (is_write) tlp_tx_o[127:96] = req_q.data;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Completion
  // ---------------------------------------------------------------------------------------------
  logic [2:0]  cpl_status, status;
  logic        cpl_match, cpl_data, cpl_poisoned;
  logic [31:0] data;

  assign cpl_status   = tlp_rx_i[55:53];
  assign cpl_data     = tlp_rx_i[6];
  assign cpl_poisoned = tlp_rx_i[22];

  // Ours: type, requester, 10-bit tag; and a successful one has 1 DW of data exactly if a read
  // asked.
  always_comb begin
    cpl_match = 1'b0;
    status    = CplUr;
    data      = '0;
    if (rx_taken && state_q == Wait) begin
      cpl_match = tlp_rx_i[5:0] == {1'b0, TypeCpl} &&
                  tlp_rx_i[79:64] == {RequesterId[7:0], RequesterId[15:8]} &&
                  {tlp_rx_i[15], tlp_rx_i[11], tlp_rx_i[87:80]} == {5'd0, tag_q} &&
                  (cpl_status != CplSc || cpl_data == !is_write) &&
                  (cpl_status != CplSc || !cpl_data ||
                   {tlp_rx_i[17:16], tlp_rx_i[31:24]} == 10'd1);
      unique case (cpl_status)
        CplSc:         status = (cpl_data && cpl_poisoned) ? CplCa : CplSc;
        CplCrs, CplCa: status = cpl_status;
        default:       status = CplUr;
      endcase
      if (!is_write) data = (status == CplSc) ? tlp_rx_i[127:96] : '1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // UR completion of a non-posted request, as received
  // ---------------------------------------------------------------------------------------------
  logic        rx_nonposted, rx_locked, rx_read;
  logic [9:0]  rx_length;
  logic [3:0]  rx_first, rx_last;
  logic [1:0]  skip, rest;
  logic [11:0] byte_count;
  logic [6:0]  lower;

  assign rx_nonposted = rx_taken && fc_class(tlp_rx_i[6], tlp_rx_i[4:0]) == FcNonPosted;
  assign rx_locked    = tlp_rx_i[4:0] == TypeMemLocked;
  assign rx_read      = (tlp_rx_i[4:0] == TypeMem || rx_locked) && !tlp_rx_i[6];
  assign rx_length    = {tlp_rx_i[17:16], tlp_rx_i[31:24]};
  assign rx_first     = tlp_rx_i[59:56];
  assign rx_last      = (rx_length == 10'd1) ? rx_first : tlp_rx_i[63:60];

  // Bytes and address as if the request had succeeded.
  always_comb begin
    skip       = '0;
    rest       = '0;
    byte_count = 12'd4;
    lower      = '0;
    if (rx_nonposted) begin
      if (rx_read) begin
        if (rx_first[0] || rx_first == 4'h0) skip = 2'd0;
        else if (rx_first[1])                skip = 2'd1;
        else if (rx_first[2])                skip = 2'd2;
        else                                 skip = 2'd3;
        if (rx_last[3] || rx_last == 4'h0)   rest = 2'd0;
        else if (rx_last[2])                 rest = 2'd1;
        else if (rx_last[1])                 rest = 2'd2;
        else                                 rest = 2'd3;
        byte_count = {rx_length, 2'b00} - 12'(skip) - 12'(rest);
        if (rx_length == 10'd1 && rx_first == 4'h0) byte_count = 12'd1;
        lower = {tlp_rx_i[5] ? tlp_rx_i[126:122] : tlp_rx_i[94:90], skip};
      end else if (tlp_rx_i[4:0] inside {TypeFetchAdd, TypeSwap}) begin
        byte_count = {rx_length, 2'b00};
      end else if (tlp_rx_i[4:0] == TypeCas) begin
        byte_count = {1'b0, rx_length, 1'b0};  // of two operands one is answered
      end
    end
  end

  // Traffic class, attributes and the tag's upper bits come back as they went.
  always_comb begin
    ur_d        = '0;
    ur_d[7:0]   = {3'b000, rx_locked ? TypeCplLocked : TypeCpl};
    ur_d[15:8]  = {tlp_rx_i[15:10], 2'b00};
    ur_d[23:16] = {2'b00, tlp_rx_i[21:20], 4'h0};
    ur_d[47:32] = {RequesterId[7:0], RequesterId[15:8]};
    ur_d[63:48] = {byte_count[7:0], CplUr, 1'b0, byte_count[11:8]};
    ur_d[79:64] = tlp_rx_i[47:32];  // requester
    ur_d[87:80] = tlp_rx_i[55:48];  // tag
    ur_d[95:88] = {1'b0, lower};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ur_valid_q   <= 1'b0;
      ur_stalled_q <= 1'b0;
    end else begin
      if (!link_up_i)                      ur_valid_q <= 1'b0;
      else if (rx_nonposted)               ur_valid_q <= 1'b1;
      else if (offer_ur && tlp_tx_ready_i) ur_valid_q <= 1'b0;
      ur_stalled_q <= offer_ur && !tlp_tx_ready_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rx_nonposted) ur_q <= ur_d;
  end

  // What the header says beyond that makes no difference to one register.
  logic unused_fields;
  assign unused_fields = ^{req_q.addr[1:0], tlp_rx_i};

  // ---------------------------------------------------------------------------------------------
  // One request at a time
  // ---------------------------------------------------------------------------------------------
  logic ghost, timeout, own_taken;
  // Only device 0 is on the far end of a link; the others are answered here.
  assign ghost     = req_i.op inside {IoCfgRd0, IoCfgWr0} && req_i.addr[19:15] != '0;
  assign own_taken = tlp_tx_ready_i && !offer_ur;
  assign timeout   = timer_q == TimerBits'(CplTimeout - 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      tag_q        <= '0;
      timer_q      <= '0;
      unexpected_o <= 1'b0;
    end else begin
      unexpected_o <= rx_taken && !cpl_match;
      unique case (state_q)
        Idle: begin
          if (req_valid_i) state_q <= (!link_up_i || ghost) ? Respond : Send;
        end
        Send: begin
          timer_q <= '0;
          if (!link_up_i)     state_q <= Respond;
          else if (own_taken) state_q <= is_posted ? Respond : Wait;
        end
        Wait: begin
          timer_q <= timer_q + 1'b1;
          if (cpl_match || !link_up_i || timeout) begin
            state_q <= Respond;
            tag_q   <= tag_q + 5'd1;
          end
        end
        default: begin
          if (rsp_ready_i) state_q <= Idle;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        if (req_valid_i) begin
          req_q    <= req_i;
          status_q <= link_up_i ? CplUr : CplNoAnswer;
          data_q   <= (req_i.op inside {IoCfgRd0, IoCfgRd1, IoMemRd}) ? '1 : '0;
        end
      end
      Send: begin
        status_q <= link_up_i ? CplSc : CplNoAnswer;  // a write that is posted
        data_q   <= is_write ? '0 : '1;
      end
      Wait: begin
        status_q <= cpl_match ? status : CplNoAnswer;
        data_q   <= cpl_match ? data : (is_write ? '0 : '1);
      end
      default: ;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  KnownOp_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      req_valid_i |-> req_i.op <= IoMemWr)
      else $error("a request with an op that does not exist");
  RequestHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_i && !req_ready_o) |=> req_valid_i && $stable(req_i))
      else $error("a request changed or vanished before it was taken");
  ResponseHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && !rsp_ready_i) |=> rsp_valid_o && $stable(rsp_o))
      else $error("a response changed or vanished before it was taken");
  TlpHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_tx_valid_o && !tlp_tx_ready_i && link_up_i) |=> tlp_tx_valid_o && $stable(tlp_tx_o))
      else $error("a TLP to send changed or vanished before it was taken");
  RxHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tlp_rx_valid_i && !tlp_rx_ready_o && link_up_i) |=>
      !link_up_i || (tlp_rx_valid_i && $stable(tlp_rx_i)))
      else $error("a received TLP changed or vanished before it was taken");
  UrOwed_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rx_nonposted |=> ur_valid_q && tlp_tx_valid_o)
      else $error("a non-posted request of the device got no UR completion");
  UrStays_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ur_valid_q && link_up_i && !(offer_ur && tlp_tx_ready_i)) |=>
      ur_valid_q && $stable(ur_q))
      else $error("a UR completion changed or vanished before it was taken");
  UrNext_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (ur_valid_q && link_up_i && !offer_ur && tlp_tx_ready_i) |=> offer_ur)
      else $error("a UR completion waits for more than one request");
  OneTaker_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(cpl_match && rx_nonposted))
      else $error("a TLP was taken both as a completion and as a request");
  FailedReadAllOnes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (rsp_valid_o && status_q != CplSc) |-> data_q == (is_write ? 32'd0 : '1))
      else $error("a failed read without all ones, or a failed write with data");

endmodule
