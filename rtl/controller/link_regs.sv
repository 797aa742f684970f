// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Link capability structure of a CXL.cachemem end: what the link layer has heard from its peer, the
// credits it holds and owes, and the few things that software may set of it.
//
// The controls are registers here and act from the cycle after the write. There is no reset of the
// link layer alone, and the receive credits are the depths of the queues: both fields only read.
//
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:  CXL 2.0, 8.2.5.11; docs/blocks/controller/link_regs.md; regs/link.yaml.

module link_regs
  import cxl_pkg::*;
  import cxl_reg_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned LlrbDepth = 128,
  parameter bit          LlrWrapInclusive = 1'b0,  // wrap values are last numbers
  parameter int unsigned NdRxDepth = 32,
  parameter int unsigned WdRxDepth = 32
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  reg_req_t      reg_req_i,
  output logic [31:0]   reg_rdata_o,
  input  link_status_t  link_status_i,
  output link_control_t link_control_o
);

  // ---------------------------------------------------------------------------------------------
  // Controls
  // ---------------------------------------------------------------------------------------------
  link_control_t control_q;
  logic          write, read, high;
  logic [5:3]    pair;                 // 64-bit register, or a 32-bit one and nothing after it
  logic [31:0]   wdata;

  assign write = reg_req_i.valid && reg_req_i.write;
  assign read  = reg_req_i.valid && !reg_req_i.write;
  assign pair  = reg_req_i.addr[5:3];
  assign high  = reg_req_i.addr[2];
  assign wdata = reg_req_i.wdata;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q.init_stall  <= LnkControlInitStallReset;
      control_q.crd_stall   <= LnkControlCrdStallReset;
      control_q.ack_force   <= LnkAckTimerAckForceReset;
      control_q.flush       <= LnkAckTimerFlushReset;
      control_q.mdh_disable <= LnkDefeatureMdhDisableReset;
    end else if (write && !high) begin
      unique case (pair)
        LnkControlOffset[5:3]: begin
          control_q.init_stall <= wdata[LnkControlInitStallLsb];
          control_q.crd_stall  <= wdata[LnkControlCrdStallLsb];
        end
        LnkAckTimerOffset[5:3]: begin
          control_q.ack_force <= wdata[LnkAckTimerAckForceLsb +: LnkAckTimerAckForceWidth];
          control_q.flush     <= wdata[LnkAckTimerFlushLsb +: LnkAckTimerFlushWidth];
        end
        LnkDefeatureOffset[5:3]: control_q.mdh_disable <= wdata[LnkDefeatureMdhDisableLsb];
        default: ;
      endcase
    end
  end

  assign link_control_o = control_q;

  // ---------------------------------------------------------------------------------------------
  // Reads
  // ---------------------------------------------------------------------------------------------
  // Three registers share this layout; the fields of CXL.cache are 0.
  function automatic logic [63:0] credits(logic [9:0] nd, logic [9:0] data);
    return 64'(nd) << LnkRxCreditMemNdLsb | 64'(data) << LnkRxCreditMemDataLsb;
  endfunction

  logic [63:0] value;
  logic [31:0] rdata_q;

  always_comb begin
    value = '0;
    if (read) begin
      unique case (pair)
        LnkCapabilityOffset[5:3]: begin
          value = 64'(LinkVersion20) << LnkCapabilityVersionSupportedLsb
                  | 64'(link_status_i.version) << LnkCapabilityVersionReceivedLsb
                  | 64'(8'(LlrbDepth - 32'(LlrWrapInclusive))) << LnkCapabilityWrapSupportedLsb
                  | 64'(link_status_i.wrap) << LnkCapabilityWrapReceivedLsb
                  | 64'(link_status_i.num_retry) << LnkCapabilityNumRetryLsb
                  | 64'(link_status_i.num_phy_reinit) << LnkCapabilityNumPhyReinitLsb
                  | 64'(link_status_i.wr_ptr) << LnkCapabilityWrPtrLsb
                  | 64'(link_status_i.eseq_echo) << LnkCapabilityEseqEchoLsb
                  | 64'(link_status_i.num_free) << LnkCapabilityNumFreeBufLsb
                  | LnkCapabilityNoLlResetMask;
        end
        LnkControlOffset[5:3]: begin
          value = 64'(control_q.init_stall) << LnkControlInitStallLsb
                  | 64'(control_q.crd_stall) << LnkControlCrdStallLsb
                  | 64'(link_status_i.init_state) << LnkControlInitStateLsb
                  | 64'(link_status_i.llrb_used) << LnkControlLlrbConsumedLsb;
        end
        LnkRxCreditOffset[5:3]: value = credits(10'(NdRxDepth), 10'(WdRxDepth));
        LnkRxCreditReturnOffset[5:3]: begin
          value = credits(link_status_i.nd_return, link_status_i.wd_return);
        end
        LnkTxCreditOffset[5:3]: begin
          value = credits(link_status_i.nd_credit, link_status_i.wd_credit);
        end
        LnkAckTimerOffset[5:3]: begin
          value = 64'(control_q.ack_force) << LnkAckTimerAckForceLsb
                  | 64'(control_q.flush) << LnkAckTimerFlushLsb;
        end
        LnkDefeatureOffset[5:3]: value = 64'(control_q.mdh_disable) << LnkDefeatureMdhDisableLsb;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= high ? value[63:32] : value[31:0];
  end

  assign reg_rdata_o = rdata_q;

  // The caller found this block by the bits above; not every bit of a register exists.
  logic unused_bits;
  assign unused_bits = ^{reg_req_i.addr, wdata};

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  OnlyReadsAnswer_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !read |=> reg_rdata_o == '0);
  OnlyWritesSet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !(write && !high) |=> $stable(link_control_o));
  // Both come from the register description and from the protocol's own constants.
  SameReset_A: assert property (@(posedge clk_i) !rst_ni |=> link_control_o == LinkControlReset);

endmodule
