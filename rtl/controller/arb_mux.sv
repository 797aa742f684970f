// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// ARB/MUX of one end: CXL.io and CXL.cachemem share the link flit by flit. Two virtual link state
// machines say which protocol may talk; their ALMPs go first, then weighted round robin.
//
// Source: CXL 2.0, chapter 5.1, 5.2; weights: ARB/MUX registers, 8.2.5.
// Latency: none for a protocol flit in either direction. An ALMP received acts at the next edge;
// one to send waits a cycle in a register of its own.

module arb_mux
  import cxl_pkg::*;
#(
  parameter bit         IsHost = 1'b1,    // 1 downstream port, 0 upstream port: 0 or 1
  parameter logic [3:0] WeightIo = 4'd1,  // CXL.io flits a turn, at reset and
                                          // link down: 0..15, 0 counts as 1
  parameter logic [3:0] WeightCm = 4'd1   // CXL.cachemem flits a turn, likewise: 0..15
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // Flex Bus
  output logic         tx_valid_o,            // a flit to send; stays until taken while L0 lasts
  input  logic         tx_ready_i,            // low: no flit begins on the wire now
  output flit_kind_e   tx_kind_o,             // what it is; FlitNull without tx_valid_o
  output flit_t        tx_flit_o,             // [511:0] payload, [527:512] CRC of cachemem, else 0
  input  logic         rx_valid_i,            // a flit received; never stalled
  input  flit_kind_e   rx_kind_i,             // what it is; FlitNull is ignored
  input  flit_t        rx_flit_i,             // the flit, its CRC not yet checked
  input  logic         phy_up_i,              // level: the physical link is in L0
  input  logic         phy_recovery_i,        // level: it is in Recovery, which wins over phy_up_i
  output logic         retrain_req_o,         // level: Recovery is requested, until phy_recovery_i
  output vlsm_e        phy_state_o,           // where the physical link should be; follows
                                              // io_req_i and cm_req_i in their cycle

  // CXL.cachemem link layer
  input  logic         cm_tx_valid_i,         // a flit to send; once stalled it
                                              // stays while L0 and cm_link_up_o last
  output logic         cm_tx_ready_o,         // low: not Active, another goes first, or stalled
  input  flit_t        cm_tx_flit_i,          // the flit with its CRC; stable while it waits
  output logic         cm_rx_valid_o,         // comb: a flit received; never stalled
  output flit_t        cm_rx_flit_o,          // the flit with its CRC, not yet checked
  output logic         cm_link_up_o,          // level: its link is up, in Recovery and L1 too
  input  logic         cm_phy_reinit_req_i,   // level: Recovery is requested; counts in Active only
  output logic         cm_phy_reinit_done_o,  // pulse: Active again after L1, Retrain
                                              // or Recovery, whoever requested it

  // CXL.io
  input  logic         io_tx_valid_i,         // a flit to send; once stalled it stays while in L0
  output logic         io_tx_ready_o,         // low: not Active, another goes first, or stalled
  input  logic [511:0] io_tx_data_i,          // its 64 bytes, first in [7:0]; stable while it waits
  output logic         io_rx_valid_o,         // comb: a flit received; never stalled
  output logic [511:0] io_rx_data_o,          // its 64 bytes, first in [7:0]
  output logic         io_link_up_o,          // level: its link is up, in Recovery and L1 too

  // Link state requested and reached
  input  logic [3:0]   io_req_i,              // level: CXL.io should be in this state; a code
                                              // of vlsm_e but Reset, others request nothing
  input  logic [3:0]   cm_req_i,              // for CXL.cachemem, likewise
  output vlsm_e        io_state_o,            // state reached by CXL.io
  output vlsm_e        cm_state_o,            // state reached by CXL.cachemem

  // Weight registers, bits 7:4 of E180h and E1C0h
  input  logic         weight_io_we_i,        // pulse: write weight_io_i; loses against link down
  input  logic [3:0]   weight_io_i,           // flits of CXL.io a turn: 0..15, 0 counts as 1
  input  logic         weight_cm_we_i,        // pulse: write weight_cm_i; loses against link down
  input  logic [3:0]   weight_cm_i,           // flits of CXL.cachemem a turn: 0..15, 0 counts as 1
  output logic [3:0]   weight_io_o,           // weight of CXL.io in effect, as written
  output logic [3:0]   weight_cm_o,           // weight of CXL.cachemem in effect, as written

  output logic [2:0]   err_o                  // pulses, the cycle after: [0] damaged
                                              // ALMP, [1] malformed or unexpected
                                              // ALMP, [2] stray protocol flit
);

  // ---------------------------------------------------------------------------------------------
  // Physical link
  // ---------------------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    PhyDown = 2'd0, PhyUp = 2'd1, PhyRecovery = 2'd2, PhySleep = 2'd3
  } phase_e;

  phase_e phase_q, phase_d;
  logic   l0, all_asleep, link_teardown;
  logic   run, rx_run, go_down, go_recovery, cold_up, warm_up;
  logic   retrain_q, retrain;

  assign l0 = phy_up_i && !phy_recovery_i;

  always_comb begin
    phase_d = phase_q;
    unique case (phase_q)
      PhyDown: begin
        if (l0) phase_d = PhyUp;
      end
      PhyUp: begin
        if (phy_recovery_i) phase_d = PhyRecovery;
        else if (!phy_up_i) phase_d = all_asleep ? PhySleep : PhyDown;
      end
      PhyRecovery: begin
        if (l0)                   phase_d = PhyUp;
        else if (!phy_recovery_i) phase_d = PhyDown;
      end
      PhySleep: begin
        if (link_teardown)                   phase_d = PhyDown;
        else if (phy_recovery_i || phy_up_i) phase_d = PhyRecovery;
      end
      default: phase_d = PhyDown;
    endcase
  end

  assign go_down     = phase_d == PhyDown && phase_q != PhyDown;
  assign go_recovery = phase_d == PhyRecovery && phase_q != PhyRecovery;
  assign cold_up     = phase_q == PhyDown && l0;
  assign warm_up     = phase_q == PhyRecovery && l0;
  assign run         = phase_q == PhyUp && l0 && !retrain_q;
  // The peer may reach L0 first: its Status then arrives at the end of Recovery.
  assign rx_run      = ((phase_q == PhyUp && l0) || phase_q == PhyRecovery) && !retrain_q;

  // ---------------------------------------------------------------------------------------------
  // Receive: protocol flits pass, ALMPs stay
  // ---------------------------------------------------------------------------------------------
  logic       rx_almp, rx_damaged, rx_malformed, rx_good;
  logic       almp_rx_damaged, almp_rx_malformed, almp_rx_request;
  logic [3:0] almp_rx_link, almp_rx_code;
  logic       io_rx_open, cm_rx_open, io_stray, cm_stray, peer_seen_q;
  logic       io_tearing, cm_tearing, rx_early;

  // The host may be in L0 first: what it asks for then must not be lost.
  assign rx_early     = !IsHost && phase_q == PhyDown && !retrain_q;
  assign rx_almp      = (rx_run || rx_early) && rx_valid_i && rx_kind_i == FlitAlmp;
  assign rx_damaged   = rx_almp && almp_rx_damaged;
  assign rx_malformed = rx_almp && !almp_rx_damaged && almp_rx_malformed;
  assign rx_good      = rx_almp && !almp_rx_damaged && !almp_rx_malformed;

  assign io_rx_valid_o = run && rx_valid_i && rx_kind_i == FlitIo && io_rx_open;
  assign cm_rx_valid_o = run && rx_valid_i && rx_kind_i == FlitCachemem && cm_rx_open;
  assign io_rx_data_o  = rx_flit_i[511:0];
  assign cm_rx_flit_o  = rx_flit_i;

  assign io_stray = rx_run && rx_valid_i && rx_kind_i == FlitIo && !io_rx_valid_o && !io_tearing;
  assign cm_stray = rx_run && rx_valid_i && rx_kind_i == FlitCachemem && !cm_rx_valid_o &&
                    !cm_tearing;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                                   peer_seen_q <= 1'b0;
    else if (go_down)                              peer_seen_q <= 1'b0;
    else if (rx_valid_i && rx_kind_i != FlitNull)  peer_seen_q <= 1'b1;
  end

  // ---------------------------------------------------------------------------------------------
  // Virtual link state machines
  // ---------------------------------------------------------------------------------------------
  logic       io_almp_valid, io_almp_request, io_almp_taken;
  logic       cm_almp_valid, cm_almp_request, cm_almp_taken;
  logic [3:0] io_almp_code, cm_almp_code;
  logic       io_tx_open, cm_tx_open, io_recovered, cm_recovered, io_wake, cm_wake;
  logic       io_retrain, cm_retrain, io_unexpected, cm_unexpected;

  vlsm #(.IsHost(IsHost)) u_vlsm_io (
    .clk_i,
    .rst_ni,
    .req_i         (io_req_i),
    .down_i        (phase_q == PhyDown),
    .go_down_i     (go_down),
    .go_recovery_i (go_recovery),
    .cold_up_i     (cold_up),
    .warm_up_i     (warm_up),
    .run_i         (run),
    .rx_valid_i    (rx_good && almp_rx_link == AlmpIo),
    .rx_request_i  (almp_rx_request),
    .rx_code_i     (almp_rx_code),
    .tx_valid_o    (io_almp_valid),
    .tx_request_o  (io_almp_request),
    .tx_code_o     (io_almp_code),
    .tx_taken_i    (io_almp_taken),
    .state_o       (io_state_o),
    .tx_open_o     (io_tx_open),
    .rx_open_o     (io_rx_open),
    .link_up_o     (io_link_up_o),
    .recovered_o   (io_recovered),
    .wake_o        (io_wake),
    .retrain_o     (io_retrain),
    .unexpected_o  (io_unexpected)
  );

  vlsm #(.IsHost(IsHost)) u_vlsm_cm (
    .clk_i,
    .rst_ni,
    .req_i         (cm_req_i),
    .down_i        (phase_q == PhyDown),
    .go_down_i     (go_down),
    .go_recovery_i (go_recovery),
    .cold_up_i     (cold_up),
    .warm_up_i     (warm_up),
    .run_i         (run),
    .rx_valid_i    (rx_good && almp_rx_link == AlmpCachemem),
    .rx_request_i  (almp_rx_request),
    .rx_code_i     (almp_rx_code),
    .tx_valid_o    (cm_almp_valid),
    .tx_request_o  (cm_almp_request),
    .tx_code_o     (cm_almp_code),
    .tx_taken_i    (cm_almp_taken),
    .state_o       (cm_state_o),
    .tx_open_o     (cm_tx_open),
    .rx_open_o     (cm_rx_open),
    .link_up_o     (cm_link_up_o),
    .recovered_o   (cm_recovered),
    .wake_o        (cm_wake),
    .retrain_o     (cm_retrain),
    .unexpected_o  (cm_unexpected)
  );

  assign cm_phy_reinit_done_o = cm_recovered;

  logic unused_recovered;
  assign unused_recovered = io_recovered;

  // ---------------------------------------------------------------------------------------------
  // Recovery: from the moment it is asked for nothing new is sent and nothing received
  // ---------------------------------------------------------------------------------------------
  assign retrain = rx_damaged || rx_malformed || io_stray || cm_stray || io_retrain || cm_retrain ||
                   (run && cm_phy_reinit_req_i && cm_state_o == VlsmActive && !cm_recovered);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q   <= PhyDown;
      retrain_q <= 1'b0;
      err_o     <= '0;
    end else begin
      phase_q   <= phase_d;
      err_o     <= {io_stray || cm_stray, rx_malformed || io_unexpected || cm_unexpected,
                    rx_damaged};
      if (go_down)                                   retrain_q <= 1'b0;
      else if (retrain)                              retrain_q <= 1'b1;
      else if (phy_recovery_i && phase_q != PhyDown) retrain_q <= 1'b0;
    end
  end

  // What a first flit gave cause for before this end was in L0 waits for L0.
  assign retrain_req_o = retrain_q && phase_q != PhyDown;

  // ---------------------------------------------------------------------------------------------
  // ALMP to send: io before cachemem
  // ---------------------------------------------------------------------------------------------
  logic       almp_valid_q, almp_request_q, almp_sent, almp_room;
  logic [3:0] almp_link_q, almp_code_q;
  flit_t      almp_flit;

  // Not in the cycle in which one arrives: the machines do one thing a cycle. The device is silent
  // until it has heard its host (CXL 2.0, 5.1.2.2).
  assign almp_room     = run && !almp_valid_q && !(rx_valid_i && rx_kind_i == FlitAlmp) &&
                         (IsHost || peer_seen_q);
  assign io_almp_taken = almp_room && io_almp_valid;
  assign cm_almp_taken = almp_room && cm_almp_valid && !io_almp_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                             almp_valid_q <= 1'b0;
    else if (go_down || go_recovery)         almp_valid_q <= 1'b0;
    else if (io_almp_taken || cm_almp_taken) almp_valid_q <= 1'b1;
    else if (almp_sent)                      almp_valid_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (io_almp_taken) begin
      almp_link_q    <= AlmpIo;
      almp_request_q <= io_almp_request;
      almp_code_q    <= io_almp_code;
    end else if (cm_almp_taken) begin
      almp_link_q    <= AlmpCachemem;
      almp_request_q <= cm_almp_request;
      almp_code_q    <= cm_almp_code;
    end
  end

  almp_codec u_codec (
    .enc_link_i      (almp_link_q),
    .enc_request_i   (almp_request_q),
    .enc_code_i      (almp_code_q),
    .enc_flit_o      (almp_flit),
    .dec_flit_i      (rx_flit_i),
    .dec_damaged_o   (almp_rx_damaged),
    .dec_malformed_o (almp_rx_malformed),
    .dec_link_o      (almp_rx_link),
    .dec_request_o   (almp_rx_request),
    .dec_code_o      (almp_rx_code)
  );

  // ---------------------------------------------------------------------------------------------
  // Transmit: a flit held up stays the choice; else ALMP; else weighted round robin
  // ---------------------------------------------------------------------------------------------
  logic       hold_q, turn_cm_q, cm_up_q, io_offer, cm_offer, sent;
  flit_kind_e hold_kind_q, sel;
  logic [3:0] weight_io_q, weight_cm_q, used_q, used, weight;

  // cm_up_q: in the cycle in which its link comes up the link layer still offers what it is about
  // to throw away.
  assign io_offer = run && io_tx_valid_i && io_tx_open;
  assign cm_offer = run && cm_tx_valid_i && cm_tx_open && cm_up_q;

  always_comb begin
    sel = FlitNull;
    if (hold_q)                                        sel = hold_kind_q;
    else if (run && almp_valid_q)                      sel = FlitAlmp;
    else if (cm_offer && (turn_cm_q || !io_offer))     sel = FlitCachemem;
    else if (io_offer)                                 sel = FlitIo;
  end

  assign tx_valid_o = l0 && sel != FlitNull;
  assign tx_kind_o  = tx_valid_o ? sel : FlitNull;

  always_comb begin
    unique case (sel)
      FlitAlmp: tx_flit_o = almp_flit;
      FlitIo:   tx_flit_o = {16'd0, io_tx_data_i};
      default:  tx_flit_o = cm_tx_flit_i;
    endcase
  end

  assign sent          = tx_valid_o && tx_ready_i;
  assign almp_sent     = sent && sel == FlitAlmp;
  assign io_tx_ready_o = sent && sel == FlitIo;
  assign cm_tx_ready_o = sent && sel == FlitCachemem;

  // A protocol whose turn it is and that offers nothing loses the rest of its turn to the other.
  assign used   = (((sel == FlitCachemem) == turn_cm_q) ? used_q : 4'd0) + 4'd1;
  assign weight = (sel == FlitCachemem) ? weight_cm_q : weight_io_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      hold_q      <= 1'b0;
      turn_cm_q   <= 1'b1;
      used_q      <= '0;
      cm_up_q     <= 1'b0;
      weight_io_q <= WeightIo;
      weight_cm_q <= WeightCm;
    end else begin
      hold_q  <= tx_valid_o && !tx_ready_i;
      cm_up_q <= cm_link_up_o;
      if (io_tx_ready_o || cm_tx_ready_o) begin
        if (used >= weight) begin  // also a weight of 0
          turn_cm_q <= sel != FlitCachemem;
          used_q    <= '0;
        end else begin
          turn_cm_q <= sel == FlitCachemem;
          used_q    <= used;
        end
      end
      // A link that goes down resets what is written over it.
      if (go_down)             weight_io_q <= WeightIo;
      else if (weight_io_we_i) weight_io_q <= weight_io_i;
      if (go_down)             weight_cm_q <= WeightCm;
      else if (weight_cm_we_i) weight_cm_q <= weight_cm_i;
    end
  end

  always_ff @(posedge clk_i) begin
    hold_kind_q <= sel;
  end

  assign weight_io_o = weight_io_q;
  assign weight_cm_o = weight_cm_q;

  // ---------------------------------------------------------------------------------------------
  // State for the physical link
  // ---------------------------------------------------------------------------------------------
  logic both_active;  // nothing to work out
  assign both_active   = io_state_o == VlsmActive && cm_state_o == VlsmActive;
  assign link_teardown = io_tearing || cm_tearing;

  always_comb begin
    io_tearing = 1'b0;
    cm_tearing = 1'b0;
    all_asleep = 1'b0;
    if (!both_active) begin
      io_tearing = io_state_o inside {VlsmLinkReset, VlsmLinkDisable, VlsmLinkError};
      cm_tearing = cm_state_o inside {VlsmLinkReset, VlsmLinkDisable, VlsmLinkError};
      // Wishes left out: a wake-up that comes too late must not look like a lost link.
      all_asleep = (is_l1(io_state_o) || io_state_o == VlsmL2) &&
                   (is_l1(cm_state_o) || cm_state_o == VlsmL2) &&
                   (is_l1(io_state_o) || is_l1(cm_state_o));
    end
  end

  always_comb begin
    if (both_active) begin
      phy_state_o = VlsmActive;
    end else if (io_state_o == VlsmLinkDisable || cm_state_o == VlsmLinkDisable) begin
      phy_state_o = VlsmLinkDisable;
    end else if (io_state_o == VlsmLinkError || cm_state_o == VlsmLinkError) begin
      phy_state_o = VlsmLinkError;
    end else if (link_teardown) begin
      phy_state_o = VlsmLinkReset;
    end else if (io_wake || cm_wake || almp_valid_q) begin
      phy_state_o = VlsmActive;
    end else begin
      phy_state_o = (io_state_o < cm_state_o) ? io_state_o : cm_state_o;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Contract
  // ---------------------------------------------------------------------------------------------
  a_choice: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (hold_q && l0) |-> tx_valid_o && tx_kind_o == hold_kind_q)
    else $error("a stalled flit gives way to another while L0 lasts");
  // A link layer whose link has gone down while L0 lasts shows valid no longer; the flit stays.
  a_cm_stable: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_valid_o && !tx_ready_i && sel == FlitCachemem) |=>
      !l0 || ((cm_tx_valid_i || !cm_up_q) && $stable(cm_tx_flit_i)))
    else $error("the link layer withdraws or changes a stalled flit");
  a_io_stable: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_valid_o && !tx_ready_i && sel == FlitIo) |=>
      !l0 || (io_tx_valid_i && $stable(io_tx_data_i)))
    else $error("CXL.io withdraws or changes a stalled flit");
  a_almp_kept: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (hold_q && hold_kind_q == FlitAlmp) |-> almp_valid_q || !l0)
    else $error("a stalled ALMP is lost while L0 lasts");
  a_one_sent: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({almp_sent, io_tx_ready_o, cm_tx_ready_o}))
    else $error("two flits are sent in one cycle");
  a_cm_active: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cm_tx_ready_o && !hold_q) |-> cm_tx_open && cm_link_up_o)
    else $error("a CXL.cachemem flit is sent while its link is down or closed");
  a_one_received: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({io_rx_valid_o, cm_rx_valid_o, rx_almp}))
    else $error("one flit is received by two");
  a_host_first: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tx_valid_o |-> IsHost || peer_seen_q)
    else $error("a device sends before it has heard its host");
  a_only_active: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (io_tx_ready_o && !hold_q) |-> io_state_o == VlsmActive)
    else $error("a CXL.io flit is sent outside Active");
  a_only_active_cm: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (cm_tx_ready_o && !hold_q) |-> cm_state_o == VlsmActive)
    else $error("a CXL.cachemem flit is sent outside Active");
  a_closed: assert property (@(posedge clk_i) disable iff (!rst_ni)
      retrain_q |-> !io_rx_valid_o && !cm_rx_valid_o && (!tx_valid_o || hold_q))
    else $error("a flit passes after Recovery was requested");

endmodule
