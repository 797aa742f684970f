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
  import cxl_reg_types_pkg::*;
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

  lnk_capability_t capability_q;       // of these two what the link layer reports: 0
  lnk_control_t    control_q;
  lnk_rx_credit_t  rx_credit_q;
  lnk_ack_timer_t  ack_timer_q;
  lnk_defeature_t  defeature_q;
  logic            write, read, high;
  logic [5:3]      pair;               // 64-bit register, or a 32-bit one and nothing after it
  logic [31:0]     wdata;

  assign write = reg_req_i.valid && reg_req_i.write;
  assign read  = reg_req_i.valid && !reg_req_i.write;
  assign pair  = reg_req_i.addr[5:3];
  assign high  = reg_req_i.addr[2];
  assign wdata = reg_req_i.wdata;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      capability_q                <= LnkCapabilityAtReset;
      capability_q.wrap_supported <= WrapReset;
      control_q                   <= LnkControlAtReset;
      rx_credit_q                 <= LnkRxCreditAtReset;
      rx_credit_q.mem_nd          <= 10'(NdRxDepth);
      rx_credit_q.mem_data        <= 10'(WdRxDepth);
      ack_timer_q                 <= LnkAckTimerAtReset;
      defeature_q                 <= LnkDefeatureAtReset;
    end else if (write) begin
      unique case (pair)
        LnkCapabilityOffset[5:3]: begin
          capability_q <= lnk_capability_written(capability_q, wdata, high);
        end
        LnkControlOffset[5:3]:  control_q   <= lnk_control_written(control_q, wdata, high);
        LnkRxCreditOffset[5:3]: rx_credit_q <= lnk_rx_credit_written(rx_credit_q, wdata, high);
        LnkAckTimerOffset[5:3]: begin
          if (!high) ack_timer_q <= lnk_ack_timer_written(ack_timer_q, wdata);
        end
        LnkDefeatureOffset[5:3]: begin
          if (!high) defeature_q <= lnk_defeature_written(defeature_q, wdata);
        end
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
      effect_q.wd_held     <= held(rx_credit_q.mem_data, 7'(WdRxDepth));
      effect_q.nd_held     <= held(rx_credit_q.mem_nd, 7'(NdRxDepth));
      effect_q.flush       <= ack_timer_q.flush;
      effect_q.ack_force   <= ack_timer_q.ack_force;
      effect_q.mdh_disable <= defeature_q.mdh_disable;
    end
  end

  always_comb begin
    link_control_o            = effect_q;
    link_control_o.crd_stall  = control_q.crd_stall;
    link_control_o.init_stall = control_q.init_stall;
  end

  // ---------------------------------------------------------------------------------------------
  // Reads
  // ---------------------------------------------------------------------------------------------
  logic [31:0] rdata_q, rdata_d;

  always_comb begin
    rdata_d = '0;
    if (read) begin
      rdata_d = lnk_word('{
        capability:       capability_q | lnk_capability_t'{
                            version_received: link_status_i.version,
                            wrap_received:    link_status_i.wrap,
                            num_retry:        link_status_i.num_retry,
                            num_phy_reinit:   link_status_i.num_phy_reinit,
                            wr_ptr:           link_status_i.wr_ptr,
                            eseq_echo:        link_status_i.eseq_echo,
                            num_free_buf:     link_status_i.num_free,
                            default:          '0
                          },
        control:          control_q | lnk_control_t'{
                            init_state:    link_status_i.init_state,
                            llrb_consumed: link_status_i.llrb_used,
                            default:       '0
                          },
        rx_credit:        rx_credit_q,
        rx_credit_return: '{mem_nd: link_status_i.nd_return, mem_data: link_status_i.wd_return,
                            default: '0},
        tx_credit:        '{mem_nd: link_status_i.nd_credit, mem_data: link_status_i.wd_credit,
                            default: '0},
        ack_timer:        ack_timer_q,
        defeature:        defeature_q
      }, 10'(reg_req_i.addr[5:2]));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rdata_q <= '0;
    else         rdata_q <= rdata_d;
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
      !write |=> $stable({capability_q, control_q, rx_credit_q, ack_timer_q, defeature_q}))
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
