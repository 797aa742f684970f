// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
//
// Virtual link state machine of one protocol (CXL.io or CXL.cachemem) at one end of a link:
// speaks ALMPs with its peer, follows the physical link up, down and through Recovery.
//
// Source: CXL 2.0, chapter 5.1 (vLSM, status synchronisation; 5.1.2.2: the host speaks first;
// 5.1.2.4.1: flits only in Active), ALMP rules of 5.2.
// The numbered rules are those of docs/blocks/controller/vlsm.md; all look at registers, one thing
// a cycle.
// Latency: 1 cycle from an event to the state; outputs are registered but where said otherwise.

module vlsm
  import cxl_pkg::*;
#(
  parameter bit IsHost = 1'b1  // 1 downstream port, 0 upstream port: 0 or 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,

  input  logic [3:0] req_i,          // level: state requested, a code of vlsm_e
                                     // but Reset; others request nothing

  // Physical link, from arb_mux
  input  logic       down_i,         // level: the link is down
  input  logic       go_down_i,      // pulse: it goes down at this edge
  input  logic       go_recovery_i,  // pulse: it enters Recovery at this edge
  input  logic       cold_up_i,      // pulse: it comes up from Detect
  input  logic       warm_up_i,      // pulse: it comes back from Recovery
  input  logic       run_i,          // level: L0, no Recovery requested; low with the four pulses

  input  logic       rx_valid_i,     // pulse: a well-formed ALMP; not with go_recovery_i,
                                     // with cold_up_i for an upstream port only
  input  logic       rx_request_i,   // with rx_valid_i: 1 a Request, 0 a Status
  input  logic [3:0] rx_code_i,      // with rx_valid_i: state that it names, any code

  output logic       tx_valid_o,     // an ALMP to send; may change or go away until taken
  output logic       tx_request_o,   // with tx_valid_o: 1 a Request, 0 a Status
  output logic [3:0] tx_code_o,      // with tx_valid_o: state that it names: 0, 1, 3..8 or B
  input  logic       tx_taken_i,     // pulse: it is taken; only with run_i, without rx_valid_i

  output vlsm_e      state_o,        // state reached
  output logic       tx_open_o,      // level: flits of the protocol may be sent
  output logic       rx_open_o,      // level: flits of the protocol may arrive
  output logic       link_up_o,      // level: the protocol's link is up, in Recovery and L1 too
  output logic       recovered_o,    // pulse: Active again after L1, Retrain or Recovery
  output logic       wake_o,         // level, comb: the physical link is needed in L0
  output logic       retrain_o,      // pulse, comb: Recovery is requested
  output logic       unexpected_o    // pulse, comb: the reason is the ALMP of this cycle
);

  // Registers; the next values are worked on rule by rule.
  typedef struct packed {
    vlsm_e      state;
    logic [3:0] snap;        // state before Recovery, as the Status says it
    logic       resync;      // Recovery came, the peer's Status has not yet
    logic       tx_act;      // own Active Request sent, Status received
    logic       rx_act;      // Active Request received, own Status sent
    logic       own_req;     // own Request is on its way
    logic       peer_req;    // the peer's Active Request was received
    logic       req_pend;    // a Request to hand over
    logic [3:0] req_code;    // last one asked for
    logic       stat_pend;   // a Status to hand over
    logic [3:0] stat_code;
    logic       stat_acts;   // handing it over changes the state
    logic       link_up;
  } regs_t;

  regs_t r_q, r_d;
  logic  recovered_d, recovered_q;

  function automatic logic is_low_power(logic [3:0] code);
    return is_l1(code) || code inside {VlsmDapm, VlsmL2};
  endfunction

  // Deepest state allowed by the request port of the accepting side.
  function automatic logic [3:0] depth(logic [3:0] req);
    return req == VlsmDapm ? VlsmL2 : req;
  endfunction

  // Status synchronisation after Recovery. What the table leaves open goes to Retrain.
  function automatic vlsm_e resolve(logic [3:0] sent, logic [3:0] received);
    vlsm_e outcome;
    outcome = VlsmRetrain;
    if (sent == VlsmReset) begin
      if (received == VlsmActive) outcome = VlsmActive;
      else if (received inside {VlsmReset, VlsmL2}) outcome = VlsmReset;
    end else if (sent == VlsmActive) begin
      if (received inside {VlsmReset, VlsmActive, VlsmRetrain}) outcome = VlsmActive;
      else if (received == VlsmL2 && !IsHost) outcome = VlsmReset;
    end else if (sent == VlsmRetrain) begin
      if (received == VlsmActive) outcome = VlsmActive;
    end else if (is_l1(sent)) begin
      if (is_l1(received) || received inside {VlsmActive, VlsmRetrain}) outcome = vlsm_e'(sent);
    end else begin
      if (received inside {VlsmReset, VlsmActive, VlsmL2}) outcome = VlsmL2;
    end
    return outcome;
  endfunction

  // Nothing of a conversation is left over.
  function automatic regs_t quiet(regs_t r);
    regs_t silent;
    silent           = r;
    silent.tx_act    = 1'b0;
    silent.rx_act    = 1'b0;
    silent.own_req   = 1'b0;
    silent.peer_req  = 1'b0;
    silent.req_pend  = 1'b0;
    silent.stat_pend = 1'b0;
    silent.stat_acts = 1'b0;
    return silent;
  endfunction

  logic  request_link, tearing, handshake, handed, local_turn, want;
  logic  rx_resync_ok, rx_active_req_ok, rx_low_req_ok, rx_active_ok, rx_low_ok, rx_early;
  logic  rx_accept, retrain_asked;
  vlsm_e resolved;

  // Active, wanted so, and nothing comes or goes: no rule applies and all rests (run_i excludes
  // every event of the physical link).
  logic calm;
  assign calm = r_q.state == VlsmActive && req_i == VlsmActive && run_i && !rx_valid_i &&
                !tx_taken_i;

  always_comb begin
    tearing      = 1'b0;
    handshake    = 1'b0;
    request_link = 1'b0;
    if (!calm) begin
      tearing      = r_q.state inside {VlsmLinkReset, VlsmLinkDisable, VlsmLinkError};
      handshake    = is_l1(r_q.state) || r_q.state inside {VlsmReset, VlsmRetrain};
      request_link = (req_i == VlsmLinkDisable && r_q.state != VlsmLinkDisable) ||
                     (req_i == VlsmLinkError &&
                      !(r_q.state inside {VlsmLinkDisable, VlsmLinkError})) ||
                     (req_i == VlsmLinkReset &&
                      !(r_q.state inside {VlsmLinkDisable, VlsmLinkReset}));
    end
  end

  assign handed     = run_i && tx_taken_i;
  assign local_turn = run_i && !rx_valid_i && !handed && !r_q.resync;

  // ---------------------------------------------------------------------------------------------
  // Is this ALMP expected
  // ---------------------------------------------------------------------------------------------
  always_comb begin
    rx_resync_ok     = 1'b0;
    rx_active_req_ok = 1'b0;
    rx_low_req_ok    = 1'b0;
    rx_active_ok     = 1'b0;
    rx_low_ok        = 1'b0;
    retrain_asked    = 1'b0;
    if (rx_valid_i && r_q.resync) begin
      rx_resync_ok = !rx_request_i &&
                     (is_l1(rx_code_i) ||
                      rx_code_i inside {VlsmReset, VlsmActive, VlsmL2, VlsmRetrain});
    end else if (rx_valid_i && rx_request_i) begin
      rx_active_req_ok = rx_code_i == VlsmActive && handshake && !r_q.peer_req;
      rx_low_req_ok    = is_low_power(rx_code_i) && IsHost && r_q.state == VlsmActive &&
                         !r_q.stat_pend;
      retrain_asked    = rx_code_i == VlsmRetrain;
    end else if (rx_valid_i) begin
      rx_active_ok = rx_code_i == VlsmActive && handshake && r_q.own_req && !r_q.tx_act;
      rx_low_ok    = (is_l1(rx_code_i) || rx_code_i == VlsmL2) && r_q.state == VlsmDapm &&
                     r_q.own_req && (r_q.req_code == rx_code_i || r_q.req_code == VlsmDapm);
    end
  end

  assign rx_early = rx_valid_i && rx_request_i && rx_code_i == VlsmActive;

  always_comb begin
    rx_accept    = 1'b0;
    unexpected_o = 1'b0;
    retrain_o    = 1'b0;
    if (!calm) begin
      rx_accept    = is_low_power(req_i) &&
                     (rx_code_i == VlsmDapm || rx_code_i <= depth(req_i));
      unexpected_o = rx_valid_i && !tearing && !request_link && !down_i &&
                     !(rx_resync_ok || rx_active_req_ok || rx_low_req_ok || rx_active_ok ||
                       rx_low_ok || retrain_asked);
      retrain_o    = unexpected_o ||
                     (retrain_asked && !tearing && !request_link && !down_i) ||
                     (local_turn && !request_link && r_q.state == VlsmActive &&
                      req_i == VlsmRetrain);
    end
  end

  always_comb begin
    resolved = VlsmRetrain;
    if (rx_resync_ok) resolved = resolve(r_q.snap, rx_code_i);
  end

  always_comb begin
    want = 1'b0;
    if (handshake) begin
      unique case (r_q.state)
        VlsmReset:   want = req_i == VlsmActive && (IsHost || r_q.peer_req);
        VlsmRetrain: want = 1'b1;
        default:     want = req_i == VlsmActive || r_q.peer_req;
      endcase
      if (r_q.own_req || r_q.req_pend) want = 1'b1;  // no way back
    end
  end

  always_comb begin
    r_d         = r_q;
    recovered_d = 1'b0;

    if (calm) begin
      r_d = r_q;
    end else if (request_link) begin
      // 1. LinkReset, LinkDisable, LinkError at the upper layer's word.
      r_d         = quiet(r_q);
      r_d.state   = vlsm_e'(req_i);
      r_d.resync  = 1'b0;
      r_d.link_up = 1'b0;
    end else if (tearing) begin
      // 2. They last until the link is down and the request gone; LinkError until LinkReset.
      if (down_i && r_q.state != VlsmLinkError && req_i != r_q.state) r_d.state = VlsmReset;
    end else if (go_down_i) begin
      // 3. Link down.
      r_d         = quiet(r_q);
      r_d.resync  = 1'b0;
      r_d.link_up = 1'b0;
      if (r_q.state != VlsmL2) r_d.state = VlsmReset;
    end else if (go_recovery_i) begin
      // 4. Recovery: remember the state unless the last one was not made up for.
      r_d        = quiet(r_q);
      r_d.resync = 1'b1;
      if (r_q.state inside {VlsmActive, VlsmDapm}) r_d.state = VlsmRetrain;
      if (!r_q.resync) r_d.snap = (r_q.state == VlsmDapm) ? VlsmActive : r_q.state;
    end else if (cold_up_i || down_i) begin
      // 5. Up from Detect: the host will ask. It may have been in L0 first.
      if (cold_up_i) r_d.state = VlsmReset;
      if (rx_early) r_d.peer_req = 1'b1;
    end else begin
      // 6. Back from Recovery: Status with the snapshot. The peer's may come in the same cycle.
      if (warm_up_i) begin
        r_d.stat_pend = 1'b1;
        r_d.stat_code = r_q.snap;
        r_d.stat_acts = 1'b0;
      end

      if (rx_valid_i) begin
        // 7. An ALMP arrives.
        if (rx_resync_ok) begin
          r_d.resync = 1'b0;
          r_d.state  = resolved;
          if (resolved == VlsmActive) begin
            r_d.tx_act  = 1'b1;
            r_d.rx_act  = 1'b1;
            r_d.link_up = 1'b1;
            recovered_d = 1'b1;
          end
          if (resolved inside {VlsmReset, VlsmL2}) r_d.link_up = 1'b0;
        end
        if (rx_active_req_ok) r_d.peer_req = 1'b1;
        if (rx_low_req_ok && rx_accept) begin  // refused without a word
          r_d.stat_pend = 1'b1;
          r_d.stat_code = (rx_code_i == VlsmDapm) ? depth(req_i) : rx_code_i;
          r_d.stat_acts = 1'b1;
        end
        if (rx_active_ok) begin
          r_d.tx_act  = 1'b1;
          r_d.link_up = 1'b1;
          if (r_q.rx_act) begin
            r_d.state    = VlsmActive;
            r_d.own_req  = 1'b0;
            r_d.peer_req = 1'b0;
            recovered_d  = r_q.state != VlsmReset;
          end
        end
        if (rx_low_ok) begin
          r_d       = quiet(r_q);
          r_d.state = vlsm_e'(rx_code_i);
          if (rx_code_i == VlsmL2) r_d.link_up = 1'b0;
        end
      end else if (handed && r_q.stat_pend) begin
        // 8. The Status is handed over.
        r_d.stat_pend = 1'b0;
        r_d.stat_acts = 1'b0;
        if (r_q.stat_acts && r_q.stat_code == VlsmActive) begin
          r_d.rx_act  = 1'b1;
          r_d.link_up = 1'b1;
          if (r_q.tx_act) begin
            r_d.state    = VlsmActive;
            r_d.own_req  = 1'b0;
            r_d.peer_req = 1'b0;
            recovered_d  = r_q.state != VlsmReset;
          end
        end else if (r_q.stat_acts) begin
          r_d       = quiet(r_q);
          r_d.state = vlsm_e'(r_q.stat_code);
          if (r_q.stat_code == VlsmL2) r_d.link_up = 1'b0;
        end
      end else if (handed) begin
        // 9. The Request is handed over.
        r_d.req_pend = 1'b0;
        r_d.own_req  = 1'b1;
      end else if (local_turn) begin
        // 10. What the upper layer wants.
        if (r_q.state == VlsmActive && !IsHost && is_low_power(req_i) && !r_q.stat_pend) begin
          r_d.state    = VlsmDapm;
          r_d.req_pend = 1'b1;
          r_d.req_code = req_i;
        end
        if (r_q.state == VlsmDapm && req_i != r_q.req_code) begin
          r_d.state    = VlsmActive;
          r_d.req_pend = 1'b0;
          r_d.own_req  = 1'b0;
        end
        if (handshake && want) begin
          if (!r_q.req_pend && !r_q.own_req) begin
            r_d.req_pend = 1'b1;
            r_d.req_code = VlsmActive;
          end
          if (r_q.peer_req && !r_q.stat_pend && !r_q.rx_act) begin
            r_d.stat_pend = 1'b1;
            r_d.stat_code = VlsmActive;
            r_d.stat_acts = 1'b1;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      r_q         <= '0;
      recovered_q <= 1'b0;
    end else begin
      if (!calm) r_q <= r_d;
      recovered_q <= recovered_d;
    end
  end

  assign tx_valid_o   = r_q.stat_pend || r_q.req_pend;
  assign tx_request_o = !r_q.stat_pend;
  assign tx_code_o    = r_q.stat_pend ? r_q.stat_code : r_q.req_code;

  assign state_o      = r_q.state;
  assign tx_open_o    = r_q.state == VlsmActive && !r_q.stat_pend;
  assign rx_open_o    = r_q.rx_act;
  assign link_up_o    = r_q.link_up;
  assign recovered_o  = recovered_q;

  always_comb begin
    wake_o = !tearing;
    if (is_l1(r_q.state) || r_q.state == VlsmL2) begin
      wake_o = req_i == VlsmActive || r_q.own_req || r_q.peer_req || r_q.resync || tx_valid_o;
    end
  end

  a_phy: assert property (@(posedge clk_i) disable iff (!rst_ni)
      $onehot0({go_down_i, go_recovery_i, cold_up_i, warm_up_i, run_i}))
    else $error("two events of the physical link in one cycle, or one while flits flow");
  a_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tx_taken_i |-> tx_valid_o && run_i && !rx_valid_i)
    else $error("an ALMP is taken that is not on offer, or in a cycle that is not for it");
  a_cold: assert property (@(posedge clk_i) disable iff (!rst_ni)
      cold_up_i |-> !r_q.own_req && !r_q.req_pend)
    else $error("a Request is left over when the link comes up from Detect");
  a_active: assert property (@(posedge clk_i) disable iff (!rst_ni)
      r_q.state inside {VlsmActive, VlsmDapm} |->
      r_q.tx_act && r_q.rx_act && r_q.link_up && !r_q.resync)
    else $error("Active or DAPM is reached without a complete handshake");
  a_open: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (tx_open_o || rx_open_o) |-> link_up_o &&
      (r_q.state inside {VlsmActive, VlsmDapm} || handshake))
    else $error("flits may pass on a link that is not up");
  a_flits_active: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tx_open_o |-> r_q.state == VlsmActive && r_q.tx_act && r_q.rx_act)
    else $error("flits may be sent outside Active or before the handshake");
  a_host_first: assert property (@(posedge clk_i) disable iff (!rst_ni)
      (!IsHost && r_q.state == VlsmReset && (r_q.req_pend || r_q.own_req)) |-> r_q.peer_req)
    else $error("an upstream port requests Active before its host does");
  a_idle: assert property (@(posedge clk_i) disable iff (!rst_ni)
      tearing |-> !tx_valid_o && !link_up_o && !r_q.resync)
    else $error("an ALMP or the link outlives LinkReset, LinkDisable or LinkError");
  a_dapm: assert property (@(posedge clk_i) disable iff (!rst_ni)
      r_q.state == VlsmDapm |-> !IsHost && (r_q.req_pend != r_q.own_req))
    else $error("DAPM at a downstream port, or without a Request that waits or was sent");

endmodule
