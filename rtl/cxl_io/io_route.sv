// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Root port: where a CXL.io request of software goes. One request at a time is answered by the
// port's own configuration space, by its own registers behind BAR0, or handed to the link below.
//
//   io_access -- io_route -- io_requester
//                   +- port_config_space
//                   +- RAS, link, time-out and isolation of the port's register page
//
// BAR0, 64 KiB: component registers at 1000h, as in an endpoint.
//
// Source:  PCI Express Base 5.0, chapters 7.3 (configuration routing), 7.5.1.3 (windows of a
//          bridge); CXL 2.0, 8.1.5 (alternate ranges), 8.2.5.1; docs/blocks/cxl_io/io_route.md.
// Latency: request taken in cycle n, access in n+1, response in n+3; n+2 if there is no access;
//          handed down in n+2, and a response from below is offered the cycle after it came.

module io_route
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_types_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [4:0]  device_i,          // level: device number of the port on bus 0

  // io_access
  input  logic        req_valid_i,       // a request of software; stays until taken
  output logic        req_ready_o,       // low from then on until the response has been taken
  input  io_req_t     req_i,             // any op of io_op_e; the type of a configuration op is
                                         // ignored
  output logic        rsp_valid_o,       // its response, until taken; one for each request
  input  logic        rsp_ready_i,       // takes the response; may be low for any time
  output io_rsp_t     rsp_o,             // status and data; all ones for a read refused here

  // io_requester
  output logic        down_valid_o,      // a request for the link below; stays until taken
  input  logic        down_ready_i,      // takes it; may be low
  output io_req_t     down_o,            // as it came, a configuration op with the type for its bus
  input  logic        down_rsp_valid_i,  // response of the request handed down, until taken
  output logic        down_rsp_ready_o,  // low but between a request handed down and its response
  input  io_rsp_t     down_rsp_i,        // status and data, passed on as they are

  // port_config_space
  output cfg_req_t    cfg_req_o,         // access of one cycle; all 0 without valid
  input  logic [31:0] cfg_rdata_i,       // the cycle after: the register read
  input  bridge_t     bridge_i,          // level: windows and buses of the port

  // Register page of the port: time-out and isolation at 000h, RAS at 100h, link at 200h
  output reg_req_t    reg_req_o,         // access of one cycle, all four bytes; all 0 without valid
  input  logic        reg_busy_i,        // software has the page in this cycle: no access is made
  input  logic [31:0] reg_rdata_i        // the cycle after: the register read
);

  // Capability array: RAS, link, and time-out and isolation, 200h, 300h and 400h after it. Security
  // and snoop filter read 0: without CXL.cache there is no trust level to set and no device's lines
  // to track.
  localparam cmp_regs_t Array = '{
    header: CmpHeaderAtReset | cmp_header_t'{array_size: 8'd5, default: '0},
    entry:  {cmp_entry_header_t'{id: 16'd8, version: 4'd1, offset: 12'h420},
             cmp_entry_header_t'{id: 16'd6, version: 4'd1, offset: 12'h410},
             cmp_entry_header_t'{id: 16'd9, version: 4'd1, offset: 12'h400},
             cmp_entry_header_t'{id: 16'd4, version: 4'd2, offset: 12'h300},
             cmp_entry_header_t'{id: 16'd2, version: 4'd2, offset: 12'h200}}
  };

  typedef enum logic [2:0] {
    Idle = 3'd0, Route = 3'd1, Data = 3'd2, Down = 3'd3, Wait = 3'd4, Respond = 3'd5
  } state_e;
  // Who answers
  typedef enum logic [1:0] {Here = 2'd0, Config = 2'd1, Registers = 2'd2, Below = 2'd3} way_e;

  state_e      state_q;
  io_req_t     req_q;
  logic [2:0]  status_q;
  logic [31:0] data_q;

  assign req_ready_o      = state_q == Idle;
  assign down_valid_o     = state_q == Down;
  assign down_o           = req_q;
  assign down_rsp_ready_o = state_q == Wait;
  assign rsp_valid_o      = state_q == Respond;
  assign rsp_o            = '{status: status_q, data: data_q};

  // ---------------------------------------------------------------------------------------------
  // Buses and windows
  // ---------------------------------------------------------------------------------------------
  logic       is_write, is_mem, ours, in_alt_bus, link_bus, beyond_bus, in_bar, in_window;
  logic [7:0] bus;

  assign is_write = req_q.op[0];
  assign is_mem   = req_q.op[2];
  assign bus      = req_q.addr[27:20];

  assign in_alt_bus = bridge_i.alt && bridge_i.alt_bus_base <= bus && bus <= bridge_i.alt_bus_limit;

  always_comb begin
    ours       = 1'b0;
    link_bus   = 1'b0;
    beyond_bus = 1'b0;
    if (state_q == Route && !is_mem) begin
      ours       = req_q.addr[19:15] == device_i && req_q.addr[14:12] == '0;
      link_bus   = bus == bridge_i.secondary || (in_alt_bus && bus == bridge_i.alt_bus_base);
      beyond_bus = (bridge_i.secondary < bus && bus <= bridge_i.subordinate) || in_alt_bus;
    end
  end

  logic [43:0] mib;
  assign mib = req_q.addr[63:20];

  function automatic logic in_low(logic [43:0] at, logic [11:0] first, logic [11:0] last);
    return at[43:12] == '0 && first <= at[11:0] && at[11:0] <= last;
  endfunction

  function automatic logic in_high(logic [43:0] at, logic [43:0] first, logic [43:0] last);
    return first <= at && at <= last;
  endfunction

  // The alternates decode irrespective of memory space: they have a switch of their own.
  always_comb begin
    in_bar    = 1'b0;
    in_window = 1'b0;
    if (state_q == Route && is_mem) begin
      if (bridge_i.mem_space) begin
        in_bar    = req_q.addr[63:16] == bridge_i.bar0;
        in_window = in_low(mib, bridge_i.mem_base, bridge_i.mem_limit)
                    || in_high(mib, bridge_i.pre_base, bridge_i.pre_limit);
      end
      if (bridge_i.alt) begin
        in_window |= in_low(mib, bridge_i.alt_mem_base, bridge_i.alt_mem_limit)
                     || in_high(mib, bridge_i.alt_pre_base, bridge_i.alt_pre_limit);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Own registers
  // ---------------------------------------------------------------------------------------------
  logic [15:0] offset;
  logic        hit_ras, hit_link, hit_timeout, hit_reg;
  logic [15:0] page_addr;

  assign offset      = {req_q.addr[15:2], 2'b00};
  assign hit_ras     = offset[15:7] == 9'h024;   // 1200h to 127Fh
  assign hit_link    = offset[15:6] == 10'h04C;  // 1300h to 133Fh
  assign hit_timeout = offset[15:4] == 12'h140;  // 1400h to 140Fh
  assign hit_reg     = hit_ras || hit_link || hit_timeout;

  always_comb begin
    page_addr = {12'h000, offset[3:0]};
    if (hit_ras) page_addr = {9'h002, offset[6:0]};
    if (hit_link) page_addr = {10'h008, offset[5:0]};
  end

  // ---------------------------------------------------------------------------------------------
  // The way of the request
  // ---------------------------------------------------------------------------------------------
  way_e        way;
  logic [2:0]  status;  // what is answered here
  logic [31:0] data;

  always_comb begin
    way    = Here;
    status = CplSc;
    data   = '0;
    if (state_q != Route) begin
      // nothing is asked
    end else if (!is_mem) begin
      if (bus == '0) begin
        if (ours) way = Config;
        else      status = CplUr;
      end else if (link_bus || beyond_bus) begin
        way = Below;
      end else begin
        status = CplUr;
      end
    end else if (in_bar) begin
      if (is_write && req_q.be != 4'hF) begin
        if (req_q.be != '0) status = CplCa;
      end else if (hit_reg) begin
        way = Registers;
      end else begin
        data = (offset[15:13] == '0) ? cmp_word(Array, offset[12:2]) : '0;
      end
    end else if (in_window) begin
      way = Below;
    end else begin
      status = CplUr;
    end
    if (status != CplSc) data = '1;
    if (is_write) data = '0;
  end

  always_comb begin
    cfg_req_o = '0;
    if (way == Config) begin
      cfg_req_o.valid = 1'b1;
      cfg_req_o.write = is_write;
      cfg_req_o.word  = req_q.addr[11:2];
      if (is_write) begin
        cfg_req_o.be    = req_q.be;
        cfg_req_o.wdata = req_q.data;
      end
    end
  end

  always_comb begin
    reg_req_o = '0;
    if (way == Registers && !reg_busy_i) begin
      reg_req_o.valid = 1'b1;
      reg_req_o.write = is_write;
      reg_req_o.addr  = page_addr;
      if (is_write) reg_req_o.wdata = req_q.data;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // One request at a time
  // ---------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: begin
          if (req_valid_i) state_q <= Route;
        end
        Route: begin
          unique case (way)
            Here:      state_q <= Respond;
            Config:    state_q <= Data;
            Registers: state_q <= reg_busy_i ? Route : Data;
            default:   state_q <= Down;
          endcase
        end
        Data: state_q <= Respond;
        Down: begin
          if (down_ready_i) state_q <= Wait;
        end
        Wait: begin
          if (down_rsp_valid_i) state_q <= Respond;
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
        if (req_valid_i) req_q <= req_i;
      end
      Route: begin
        status_q <= status;
        data_q   <= data;
        // On the bus at the other end of the link it is type 0, beyond it type 1.
        if (!is_mem) req_q.op <= io_op_e'({1'b0, !link_bus, is_write});
      end
      Data: begin
        if (!is_write) data_q <= is_mem ? reg_rdata_i : cfg_rdata_i;
      end
      Wait: begin
        status_q <= down_rsp_i.status;
        data_q   <= down_rsp_i.data;
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
  DownHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (down_valid_o && !down_ready_i) |=> down_valid_o && $stable(down_o))
      else $error("a request for the link below changed or vanished before it was taken");
  OneWay_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({req_ready_o, cfg_req_o.valid, reg_req_o.valid, down_valid_o, down_rsp_ready_o,
                rsp_valid_o}))
      else $error("a request goes more than one way");
  PageShared_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      reg_busy_i |-> reg_req_o == '0)
      else $error("an access to the register page while software has it");
  AccessOnce_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cfg_req_o.valid || reg_req_o.valid) |=> state_q == Data)
      else $error("an access was made without waiting for its data");
  DownType_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Route && way == Below && !is_mem) |=>
      down_valid_o && bus != '0 && $past(link_bus) == (req_q.op inside {IoCfgRd0, IoCfgWr0}))
      else $error("a configuration request went down to bus 0, or with the wrong type");
  MemorySwitchedOff_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Route && is_mem && !bridge_i.mem_space && !bridge_i.alt) |->
      way == Here && status == CplUr)
      else $error("a memory request was not refused with memory space and alternates off");
  OwnNeedsMemorySpace_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      way == Registers |-> bridge_i.mem_space)
      else $error("the port's own registers were reached with memory space off");
  RefusedReadAllOnes_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (state_q == Route && way == Here && status != CplSc) |=>
      rsp_valid_o && data_q == (is_write ? 32'd0 : '1))
      else $error("a refused read without all ones, or a refused write with data");

endmodule
