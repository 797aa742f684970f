// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Alternate protocol negotiation and entry into L0, one end of a link: both ends advertise in
// modified TS1, the downstream port decides and enables in modified TS2, the upstream port echoes;
// whatever does not fit falls back to PCIe (CXL 2.0, 6.3.1). Then the data stream
// starts, NULL flits are counted, and flits flow. Recovery repeats the last part.
//
// A training set is one word on a parallel port, sent every cycle of its state: lanes, speeds and
// equalization of the LTSSM are not modelled here.
//
// Latency: 1 cycle from a received word to the state it causes.

module apn
  import cxl_pkg::*;
#(
  parameter bit          IsDsp = 1'b1,      // 1 downstream port (host), 0 upstream port: 0 or 1
  parameter int unsigned TsReceived = 8,    // TS2 to receive: 1..255
  parameter int unsigned TsSent = 16,       // TS2 to send after the first received: 0..255
  parameter int unsigned NullReceived = 4,  // NULL flits to receive: 1..255
  parameter int unsigned NullSent = 8,      // NULL flits to send after the first received: 0..255
  parameter int unsigned Timeout = 4096     // cycles in a state until it is given up:
                                            // 1..2^32-2; over TsSent, else no link
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic       start_i,            // level or pulse, in ApnIdle: train; else ignored
  input  apn_caps_t  advertise_i,        // what this end offers; stable from start_i on
  input  logic       common_clock_i,     // level: common reference clock; stable from start_i on
  input  logic [1:0] retimer_present_i,  // level: [0] retimer 1, [1] retimer 2 is
                                         // on the link; ignored by an upstream port
  input  logic       speed_done_i,       // pulse, in ApnSpeed: the final data rate is reached
  input  logic       speed_ok_i,         // with speed_done_i: it is 8 GT/s or more
  input  logic       recovery_i,         // level or pulse: Recovery is requested;
                                         // ignored in ApnIdle, ApnTs1 and ApnRecoveryTs1

  output logic       ts_tx_valid_o,      // a training set is sent in this cycle; never stalled
  output apn_ts_t    ts_tx_o,            // with ts_tx_valid_o: the training set, with
                                         // advertise_i and common_clock_i of the cycle
  input  logic       ts_rx_valid_i,      // a training set was received; never stalled
  input  apn_ts_t    ts_rx_i,            // the training set, TS1 or TS2, of any content

  input  logic       null_sent_i,        // pulse: a NULL flit was sent, null_o of flex_bus_tx
  input  logic       null_rcvd_i,        // pulse: a NULL flit was received, null_o of flex_bus_rx

  output apn_state_e state_o,            // state of the negotiation
  output logic       done_o,             // level: negotiation is over, the next outputs stand
  output logic       cxl_o,              // with done_o: 1 CXL, 0 PCIe
  output apn_caps_t  caps_o,             // with done_o: what is enabled
  output logic       bypass_o,           // level: bypass_i of Flex Bus and lane_deskew
  output logic [3:0] expect_o,           // bit k: flits of kind k of flit_kind_e
                                         // may arrive; expect_i of flex_bus_rx
  output logic       rx_run_o,           // level: flex_bus_rx runs; low clears the buffers
  output logic       tx_run_o,           // level: run_i of flex_bus_tx
  output logic       l0_o,               // level: flits flow; flit_en_i, phy_up_i of arb_mux
  output logic       recovery_o          // level: Recovery or entry; phy_recovery_i of arb_mux
);

  localparam int unsigned CountW = 8;
  localparam int unsigned TimerW = $clog2(Timeout + 1);

  if (TsReceived == 0 || TsReceived > 255 || TsSent > 255 || NullReceived == 0 ||
      NullReceived > 255 || NullSent > 255) begin : g_counts
    $error("apn: counts");
  end

  apn_state_e        state_d, state_q;
  apn_caps_t         caps_d, caps_q;
  logic              cxl_d, cxl_q, done_d, done_q, mismatch_d, mismatch_q;
  logic              again_q;  // Recovery asked for while the receiver ran before ApnEntry
  logic [CountW-1:0] rcvd_q, sent_q;
  logic [TimerW-1:0] timer_q;

  logic              is_alternate, in_ts2, in_entry, counts_met, timeout, enables_ok;
  logic              count_rcvd, count_sent;
  logic [CountW-1:0] rcvd_goal, sent_goal;
  apn_caps_t         common, decision, pcie_only;

  // ---------------------------------------------------------------------------------------------
  // What was heard
  // ---------------------------------------------------------------------------------------------
  assign is_alternate = ts_rx_i.usage == ApnUsage && ts_rx_i.protocol == '0 &&
                        ts_rx_i.vendor == CxlVendorId;
  assign common       = advertise_i & ts_rx_i.caps;
  // The upstream port takes only what it offered, and only a set that makes a CXL link.
  assign enables_ok   = is_alternate && ts_rx_i.caps.io && (ts_rx_i.caps.mem || ts_rx_i.caps.cache)
                        && (ts_rx_i.caps & ~advertise_i) == '0;

  always_comb begin
    pcie_only      = '0;
    pcie_only.pcie = 1'b1;
    decision       = pcie_only;
    if (is_alternate && common.io && (common.mem || common.cache)) begin
      decision             = '0;
      decision.io          = 1'b1;
      decision.mem         = common.mem;
      decision.cache       = common.cache;
      decision.cxl20       = common.cxl20;
      decision.mld         = common.mld && common.cxl20;
      decision.sync_bypass = common.sync_bypass && common_clock_i && ts_rx_i.common_clock &&
                             (!retimer_present_i[0] || ts_rx_i.caps.retimer1_aware) &&
                             (!retimer_present_i[1] || ts_rx_i.caps.retimer2_aware);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // States
  // ---------------------------------------------------------------------------------------------
  assign in_ts2     = state_q == ApnTs2 || state_q == ApnRecoveryTs2;
  assign in_entry   = state_q == ApnEntry;
  assign rcvd_goal  = in_entry ? CountW'(NullReceived) : CountW'(TsReceived);
  assign sent_goal  = in_entry ? CountW'(NullSent) : CountW'(TsSent);
  assign counts_met = rcvd_q == rcvd_goal && sent_q == sent_goal;
  assign timeout    = timer_q == TimerW'(Timeout);
  assign count_rcvd = (in_ts2 && ts_rx_valid_i && ts_rx_i.is_ts2) || (in_entry && null_rcvd_i);
  assign count_sent = rcvd_q != '0 && (in_ts2 || (in_entry && null_sent_i));

  always_comb begin
    state_d    = state_q;
    caps_d     = caps_q;
    cxl_d      = cxl_q;
    done_d     = done_q;
    mismatch_d = mismatch_q;

    unique case (state_q)
      ApnIdle: begin
        if (start_i) begin
          state_d    = ApnTs1;
          caps_d     = '0;
          cxl_d      = 1'b0;
          done_d     = 1'b0;
          mismatch_d = 1'b0;
        end
      end
      ApnTs1: begin
        if (ts_rx_valid_i && ts_rx_i.is_ts2 != IsDsp) begin
          state_d = ApnTs2;
          caps_d  = IsDsp ? decision : enables_ok ? ts_rx_i.caps : pcie_only;
          cxl_d   = caps_d.io;
        end else if (timeout) begin
          state_d = ApnIdle;
          caps_d  = pcie_only;
          done_d  = 1'b1;
        end
      end
      ApnTs2: begin
        if (IsDsp && ts_rx_valid_i && ts_rx_i.is_ts2 &&
            !(is_alternate && ts_rx_i.caps == caps_q)) mismatch_d = 1'b1;
        if (counts_met && cxl_q && !mismatch_q) begin
          state_d = ApnSpeed;
        end else if (counts_met || timeout) begin
          state_d = ApnIdle;
          caps_d  = pcie_only;
          cxl_d   = 1'b0;
          done_d  = 1'b1;
        end
      end
      ApnSpeed: begin
        if (speed_done_i) begin
          done_d = 1'b1;
          if (speed_ok_i) begin
            state_d = ApnEntry;
          end else begin
            state_d = ApnIdle;
            caps_d  = pcie_only;
            cxl_d   = 1'b0;
          end
        end
      end
      ApnEntry: begin
        if (recovery_i || again_q || timeout || (ts_rx_valid_i && !ts_rx_i.is_ts2)) begin
          state_d = ApnRecoveryTs1;
        end else if (counts_met) begin
          state_d = ApnL0;
        end
      end
      ApnL0: begin
        if (recovery_i || (ts_rx_valid_i && !ts_rx_i.is_ts2)) state_d = ApnRecoveryTs1;
      end
      ApnRecoveryTs1: begin
        // Only a TS1 counts: a TS2 may be left from the last Recovery.
        if (ts_rx_valid_i && !ts_rx_i.is_ts2) begin
          state_d = ApnRecoveryTs2;
        end else if (timeout) begin
          state_d = ApnIdle;
          caps_d  = '0;
          cxl_d   = 1'b0;
          done_d  = 1'b0;
        end
      end
      ApnRecoveryTs2: begin
        if (counts_met) begin
          state_d = ApnEntry;
        end else if (timeout) begin
          state_d = ApnIdle;
          caps_d  = '0;
          cxl_d   = 1'b0;
          done_d  = 1'b0;
        end
      end
      default: state_d = ApnIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= ApnIdle;
      caps_q     <= '0;
      cxl_q      <= 1'b0;
      done_q     <= 1'b0;
      mismatch_q <= 1'b0;
      again_q    <= 1'b0;
      rcvd_q     <= '0;
      sent_q     <= '0;
      timer_q    <= '0;
    end else begin
      state_q    <= state_d;
      caps_q     <= caps_d;
      cxl_q      <= cxl_d;
      done_q     <= done_d;
      mismatch_q <= mismatch_d;
      again_q    <= (in_ts2 || state_q == ApnSpeed) && (again_q || recovery_i);
      if (state_d != state_q) begin
        rcvd_q  <= '0;
        sent_q  <= '0;
        timer_q <= '0;
      end else begin
        if (count_rcvd && rcvd_q != rcvd_goal) rcvd_q <= rcvd_q + 1'b1;
        if (count_sent && sent_q != sent_goal) sent_q <= sent_q + 1'b1;
        if (!timeout) timer_q <= timer_q + 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Outputs: state only
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    ts_tx_valid_o = state_q inside {ApnTs1, ApnTs2, ApnRecoveryTs1, ApnRecoveryTs2};
    ts_tx_o       = '0;
    ts_tx_o.is_ts2 = in_ts2;
    if (state_q == ApnTs1 || state_q == ApnTs2) begin
      ts_tx_o.usage        = ApnUsage;
      ts_tx_o.common_clock = common_clock_i;
      ts_tx_o.vendor       = CxlVendorId;
      ts_tx_o.caps         = in_ts2 ? caps_q : advertise_i;
    end
  end

  logic unused_bits;  // reserved fields, and capabilities this link never enables
  assign unused_bits = ^{ts_rx_i.rsvd, ts_rx_i.status, common};

  assign state_o  = state_q;
  assign done_o   = done_q;
  assign cxl_o    = cxl_q;
  assign caps_o   = caps_q;
  assign bypass_o = caps_q.sync_bypass;
  assign expect_o = {cxl_q, cxl_q, caps_q.mem || caps_q.cache, cxl_q};  // NULL, ALMP, cachemem, io
  assign rx_run_o = in_ts2 || state_q inside {ApnSpeed, ApnEntry, ApnL0};
  assign tx_run_o = in_entry || state_q == ApnL0;
  assign l0_o     = state_q == ApnL0;
  assign recovery_o = state_q inside {ApnEntry, ApnRecoveryTs1, ApnRecoveryTs2};

  a_cxl: assert property (@(posedge clk_i) disable iff (!rst_ni)
      cxl_q |-> caps_q.io && (caps_q.mem || caps_q.cache))
    else $error("a CXL link without CXL.io, or with neither CXL.mem nor CXL.cache");
  a_offered: assert property (@(posedge clk_i) disable iff (!rst_ni)
      cxl_q && state_q == ApnTs2 |-> (caps_q & ~advertise_i) == '0)
    else $error("a capability is enabled that this end does not offer");
  a_up: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tx_run_o |-> cxl_q && done_q && rx_run_o)
    else $error("the transmitter runs on a link that is not negotiated");

endmodule
