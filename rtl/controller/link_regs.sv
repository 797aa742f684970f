// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Link capability structure of a CXL.cachemem end: what the link layer has heard from its peer, the
// credits it holds and owes, and the few things that software may set of it.
//
// What software writes is sticky: rst_ni is the power-on reset at both ends. The stalls act from
// the cycle after the write. The rest takes effect at the next hot reset, which takes the link
// down: while it is, what is in effect follows what is programmed. There is no reset of the link
// layer alone.
//
// Latency: write at the edge, read data the cycle after the request; 0 after any other cycle.
// Source:  CXL 2.0, 8.2.5.11; docs/blocks/controller/link_regs.md; regs/link.yaml.

module link_regs
  import cxl_pkg::*;
  import cxl_reg_pkg::*;
  import cxlgpu_pkg::*;
#(
  parameter int unsigned LlrbDepth = 128,          // entries, as link_layer's: 22..255
  parameter bit          LlrWrapInclusive = 1'b0,  // wrap value, as link_layer's: 0 or 1
  parameter int unsigned NdRxDepth = 32,           // receive queue without data: 2..127
  parameter int unsigned WdRxDepth = 32            // receive queue with data: 2..127
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  reg_req_t      reg_req_i,      // register access, one a cycle; addr[5:2]: word
  output logic [31:0]   reg_rdata_o,    // word read in the cycle before; else 0
  input  logic          link_up_i,      // level: CXL.mem is up; all settings but the stalls stay
  input  link_status_t  link_status_i,  // what the controller reports, read as of the access
  output link_control_t link_control_o  // settings in effect; stalls act the cycle after a write
);

  // ---------------------------------------------------------------------------------------------
  // What is programmed
  // ---------------------------------------------------------------------------------------------
  localparam logic [7:0] WrapReset = 8'(LlrbDepth - 32'(LlrWrapInclusive));

  logic [3:0]  version_q;
  logic [7:0]  wrap_q, ack_force_q;
  logic [9:0]  nd_credit_q, wd_credit_q, flush_q;
  logic        init_stall_q, crd_stall_q, mdh_disable_q;
  logic        write, read, high;
  logic [5:3]  pair;                   // 64-bit register, or a 32-bit one and nothing after it
  logic [31:0] wdata;
  logic [63:0] programmed, written;    // receive credits: as they are, and after this write

  assign write = reg_req_i.valid && reg_req_i.write;
  assign read  = reg_req_i.valid && !reg_req_i.write;
  assign pair  = reg_req_i.addr[5:3];
  assign high  = reg_req_i.addr[2];
  assign wdata = reg_req_i.wdata;

  // Three registers share this layout; the fields of CXL.cache are 0.
  function automatic logic [63:0] credits(logic [9:0] nd, logic [9:0] data);
    return 64'(nd) << LnkRxCreditMemNdLsb | 64'(data) << LnkRxCreditMemDataLsb;
  endfunction

  assign programmed = credits(nd_credit_q, wd_credit_q);
  assign written    = high ? {wdata, programmed[31:0]} : {programmed[63:32], wdata};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      version_q     <= LinkVersion20;
      wrap_q        <= WrapReset;
      init_stall_q  <= LnkControlInitStallReset;
      crd_stall_q   <= LnkControlCrdStallReset;
      nd_credit_q   <= 10'(NdRxDepth);
      wd_credit_q   <= 10'(WdRxDepth);
      ack_force_q   <= LnkAckTimerAckForceReset;
      flush_q       <= LnkAckTimerFlushReset;
      mdh_disable_q <= LnkDefeatureMdhDisableReset;
    end else if (write && pair == LnkRxCreditOffset[5:3]) begin
      nd_credit_q <= 10'(written >> LnkRxCreditMemNdLsb);
      wd_credit_q <= 10'(written >> LnkRxCreditMemDataLsb);
    end else if (write && !high) begin
      unique case (pair)
        LnkCapabilityOffset[5:3]: begin
          version_q <= 4'(wdata >> LnkCapabilityVersionSupportedLsb);
          wrap_q    <= 8'(wdata >> LnkCapabilityWrapSupportedLsb);
        end
        LnkControlOffset[5:3]: begin
          init_stall_q <= wdata[LnkControlInitStallLsb];
          crd_stall_q  <= wdata[LnkControlCrdStallLsb];
        end
        LnkAckTimerOffset[5:3]: begin
          ack_force_q <= wdata[LnkAckTimerAckForceLsb +: LnkAckTimerAckForceWidth];
          flush_q     <= wdata[LnkAckTimerFlushLsb +: LnkAckTimerFlushWidth];
        end
        LnkDefeatureOffset[5:3]: mdh_disable_q <= wdata[LnkDefeatureMdhDisableLsb];
        default: ;
      endcase
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What is in effect
  // ---------------------------------------------------------------------------------------------
  link_control_t effect_q;             // but for the stalls

  // Credits of a queue that are held back; there are no more than its depth.
  function automatic logic [6:0] held(logic [9:0] credit, logic [6:0] depth);
    return (credit < 10'(depth)) ? depth - 7'(credit) : 7'd0;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      effect_q <= LinkControlReset;
    end else if (!link_up_i) begin
      effect_q.wd_held     <= held(wd_credit_q, 7'(WdRxDepth));
      effect_q.nd_held     <= held(nd_credit_q, 7'(NdRxDepth));
      effect_q.flush       <= flush_q;
      effect_q.ack_force   <= ack_force_q;
      effect_q.mdh_disable <= mdh_disable_q;
    end
  end

  always_comb begin
    link_control_o            = effect_q;
    link_control_o.crd_stall  = crd_stall_q;
    link_control_o.init_stall = init_stall_q;
  end

  // ---------------------------------------------------------------------------------------------
  // Reads
  // ---------------------------------------------------------------------------------------------
  logic [63:0] value;
  logic [31:0] rdata_q;

  always_comb begin
    value = '0;
    if (read) begin
      unique case (pair)
        LnkCapabilityOffset[5:3]: begin
          value = 64'(version_q) << LnkCapabilityVersionSupportedLsb
                  | 64'(link_status_i.version) << LnkCapabilityVersionReceivedLsb
                  | 64'(wrap_q) << LnkCapabilityWrapSupportedLsb
                  | 64'(link_status_i.wrap) << LnkCapabilityWrapReceivedLsb
                  | 64'(link_status_i.num_retry) << LnkCapabilityNumRetryLsb
                  | 64'(link_status_i.num_phy_reinit) << LnkCapabilityNumPhyReinitLsb
                  | 64'(link_status_i.wr_ptr) << LnkCapabilityWrPtrLsb
                  | 64'(link_status_i.eseq_echo) << LnkCapabilityEseqEchoLsb
                  | 64'(link_status_i.num_free) << LnkCapabilityNumFreeBufLsb
                  | LnkCapabilityNoLlResetMask;
        end
        LnkControlOffset[5:3]: begin
          value = 64'(init_stall_q) << LnkControlInitStallLsb
                  | 64'(crd_stall_q) << LnkControlCrdStallLsb
                  | 64'(link_status_i.init_state) << LnkControlInitStateLsb
                  | 64'(link_status_i.llrb_used) << LnkControlLlrbConsumedLsb;
        end
        LnkRxCreditOffset[5:3]: value = programmed;
        LnkRxCreditReturnOffset[5:3]: begin
          value = credits(link_status_i.nd_return, link_status_i.wd_return);
        end
        LnkTxCreditOffset[5:3]: begin
          value = credits(link_status_i.nd_credit, link_status_i.wd_credit);
        end
        LnkAckTimerOffset[5:3]: begin
          value = 64'(ack_force_q) << LnkAckTimerAckForceLsb
                  | 64'(flush_q) << LnkAckTimerFlushLsb;
        end
        LnkDefeatureOffset[5:3]: value = 64'(mdh_disable_q) << LnkDefeatureMdhDisableLsb;
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
      !read |=> reg_rdata_o == '0)
    else $error("read data without a read");
  OnlyWritesSet_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      !write |=> $stable({version_q, wrap_q, init_stall_q, crd_stall_q, programmed, ack_force_q,
                          flush_q, mdh_disable_q}))
    else $error("a register changes without a write");
  InEffectUntilDown_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      link_up_i |=> $stable(effect_q))
    else $error("a setting other than a stall takes effect while the link is up");
  FewerThanTheDepth_A: assert property (@(posedge clk_i) disable iff (!rst_ni)
      32'(link_control_o.nd_held) <= NdRxDepth && 32'(link_control_o.wd_held) <= WdRxDepth)
    else $error("more credits are withheld than the receive queue has entries");
  // Both come from the register description and from the protocol's own constants.
  SameReset_A: assert property (@(posedge clk_i) !rst_ni |=> link_control_o == LinkControlReset)
    else $error("the settings after reset are not the defaults of the protocol");

endmodule
