// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// CXL.io requests of software, made through four registers of the root port: address, data and a
// command that starts the request; the response is left in data and command.
//
// Source:  docs/blocks/cxl_io/io_access.md; registers: cxl_reg_types_pkg
//          (regs/io_access.yaml).
// Latency: request offered the cycle after the write of the command; a response is in the registers
//          the cycle after it came.

module io_access
  import cxlgpu_pkg::*;
  import cxl_io_pkg::*;
  import cxl_reg_pkg::*;
  import cxl_reg_types_pkg::*;
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

  ioa_addr_low_t  addr_low_q;
  ioa_addr_high_t addr_high_q;
  ioa_data_t      data_q;
  ioa_command_t   command_q, command_written;  // link_up: 0
  logic           offer_q, busy, wr, start;
  logic [11:0]    offset;

  assign busy            = command_q.busy;
  assign offset          = {reg_req_i.addr[11:2], 2'b00};
  assign wr              = reg_req_i.valid && reg_req_i.write && !busy;
  assign command_written = ioa_command_written(command_q, reg_req_i.wdata, busy);
  assign start           = wr && offset == IoaCommandOffset && command_written.op <= IoMemWr;

  assign req_valid_o = offer_q;
  assign req_o       = '{op: io_op_e'(command_q.op), addr: {addr_high_q, addr_low_q},
                         be: command_q.be, data: data_q};
  assign rsp_ready_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offer_q     <= 1'b0;
      addr_low_q  <= IoaAddrLowAtReset;
      addr_high_q <= IoaAddrHighAtReset;
      data_q      <= IoaDataAtReset;
      command_q   <= IoaCommandAtReset;
    end else if (wr || busy) begin
      if (wr) begin
        unique case (offset)
          IoaAddrLowOffset:  addr_low_q  <= ioa_addr_low_written(addr_low_q, reg_req_i.wdata, busy);
          IoaAddrHighOffset: addr_high_q <= ioa_addr_high_written(addr_high_q, reg_req_i.wdata,
                                                                  busy);
          IoaDataOffset:     data_q      <= ioa_data_written(data_q, reg_req_i.wdata, busy);
          default: ;
        endcase
      end
      if (start) begin
        command_q      <= command_written;
        command_q.busy <= 1'b1;
        offer_q        <= 1'b1;
      end else if (req_ready_i) begin
        offer_q <= 1'b0;
      end
      if (busy && rsp_valid_i) begin
        command_q.busy   <= 1'b0;
        command_q.status <= rsp_i.status;
        data_q           <= rsp_i.data;
      end
    end
  end

  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    if (reg_req_i.valid && !reg_req_i.write) begin
      rdata = ioa_word('{
        addr_low:  addr_low_q,
        addr_high: addr_high_q,
        data:      data_q,
        command:   command_q | ioa_command_t'{link_up: link_up_i, default: '0}
      }, reg_req_i.addr[11:2]);
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
  OfferIsBusy_A: assert property (@(posedge clk_i) disable iff (!rst_ni) offer_q |-> busy)
    else $error("a request is offered while software reads not busy");
  NoStrayResponse_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      rsp_valid_i |-> busy && !offer_q)
      else $error("a response without a request that was taken");

endmodule
