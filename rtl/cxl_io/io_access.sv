// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.io requests of software, made through four registers of the root port: address, data and a
// command that starts the request; the response is left in data and command.
//
// Source:  docs/blocks/cxl_io/io_access.md; layout: cxl_reg_pkg (regs/io_access.yaml).
// Latency: request offered the cycle after the write of the command; a response is in the registers
//          the cycle after it came.

module io_access
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  reg_req_t    reg_req_i,    // an access each cycle, never stalled: 400h..40Ch; writes are
                                    // ignored while a request is in flight
  output logic [31:0] reg_rdata_o,  // the register read in the cycle before; else 0
  input  logic        link_up_i,    // level: io_link dl_up_o, for software to read

  // io_requester
  output logic        req_valid_o,  // the request that software has started, until it is taken
  input  logic        req_ready_i,  // takes it; may be low while one before is in flight
  output io_req_t     req_o,        // of any op in io_op_e; stable until it is taken
  input  logic        rsp_valid_i,  // response of the request taken; one each, none before
  output logic        rsp_ready_o,  // always 1
  input  io_rsp_t     rsp_i         // status and data for software to read
);

  logic        busy_q, offer_q;
  logic [31:0] addr_low_q, addr_high_q, data_q;
  logic [2:0]  op_q, status_q, wr_op;
  logic [3:0]  be_q;
  logic        wr, start;
  logic [11:0] offset;

  assign offset = {reg_req_i.addr[11:2], 2'b00};
  assign wr     = reg_req_i.valid && reg_req_i.write && !busy_q;
  assign wr_op  = reg_req_i.wdata[IoaCommandOpLsb +: IoaCommandOpWidth];
  assign start  = wr && offset == IoaCommandOffset && wr_op <= IoMemWr;

  assign req_valid_o = offer_q;
  assign req_o       = '{op: io_op_e'(op_q), addr: {addr_high_q, addr_low_q}, be: be_q,
                         data: data_q};
  assign rsp_ready_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q      <= 1'b0;
      offer_q     <= 1'b0;
      addr_low_q  <= '0;
      addr_high_q <= '0;
      data_q      <= '0;
      op_q        <= '0;
      be_q        <= '0;
      status_q    <= '0;
    end else if (wr || busy_q) begin
      if (wr && offset == IoaAddrLowOffset) addr_low_q <= reg_req_i.wdata;
      if (wr && offset == IoaAddrHighOffset) addr_high_q <= reg_req_i.wdata;
      if (wr && offset == IoaDataOffset) data_q <= reg_req_i.wdata;
      if (start) begin
        op_q    <= wr_op;
        be_q    <= reg_req_i.wdata[IoaCommandBeLsb +: IoaCommandBeWidth];
        busy_q  <= 1'b1;
        offer_q <= 1'b1;
      end else if (req_ready_i) begin
        offer_q <= 1'b0;
      end
      if (busy_q && rsp_valid_i) begin
        busy_q   <= 1'b0;
        data_q   <= rsp_i.data;
        status_q <= rsp_i.status;
      end
    end
  end

  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      unique case (offset)
        IoaAddrLowOffset:  rdata = addr_low_q;
        IoaAddrHighOffset: rdata = addr_high_q;
        IoaDataOffset:     rdata = data_q;
        IoaCommandOffset: begin
          rdata[IoaCommandOpLsb +: IoaCommandOpWidth]         = op_q;
          rdata[IoaCommandBeLsb +: IoaCommandBeWidth]         = be_q;
          rdata[IoaCommandStatusLsb +: IoaCommandStatusWidth] = status_q;
          rdata[IoaCommandLinkUpLsb]                          = link_up_i;
          rdata[IoaCommandBusyLsb]                            = busy_q;
        end
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reg_rdata_o <= '0;
    else         reg_rdata_o <= rdata;
  end

  logic unused_addr;
  assign unused_addr = ^{reg_req_i.addr[15:12], reg_req_i.addr[1:0]};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  RequestHeld_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (req_valid_o && !req_ready_i) |=> req_valid_o && $stable(req_o))
      else $error("a request changed or vanished before it was taken");
  OfferIsBusy_A: assert property (@(posedge clk_i) disable iff (!rst_ni) offer_q |-> busy_q)
      else $error("a request is offered while software reads not busy");
  NoStrayResponse_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_i |-> busy_q && !offer_q)
      else $error("a response without a request that was taken");

endmodule
