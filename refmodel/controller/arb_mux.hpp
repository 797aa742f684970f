// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ARB/MUX: CXL.io and CXL.cachemem on one link, flit by flit.
//
// Purpose: twin of rtl/controller/arb_mux.sv.
// Units:   weights in flits; a CrcFlit is the 528 bits of a flit (io uses the payload only).
// Errors:  Out::damaged, malformed, stray; each asks for Recovery.
// Source:  CXL 2.0 5.1 to 5.3, docs/blocks/controller/arb_mux.md.
#pragma once

#include <array>
#include <optional>

#include "refmodel/controller/vlsm.hpp"

namespace cxlgpu {

enum class FlitKind : std::uint8_t { kIo, kCachemem, kAlmp, kNull };

class ArbMux {
 public:
  struct In {
    bool tx_ready = false;
    bool rx_valid = false;
    FlitKind rx_kind = FlitKind::kNull;
    CrcFlit rx_flit = {};
    bool phy_up = false, phy_recovery = false;
    bool cm_tx_valid = false;
    CrcFlit cm_tx_flit = {};
    bool cm_phy_reinit_req = false;
    bool io_tx_valid = false;
    Payload io_tx_data{};
    VlsmCode io_req = VlsmCode::kReset, cm_req = VlsmCode::kReset;
    std::optional<unsigned> weight_io = std::nullopt, weight_cm = std::nullopt;  // written
  };
  struct Out {
    bool tx_valid = false;
    FlitKind tx_kind = FlitKind::kNull;
    CrcFlit tx_flit = {};
    bool retrain_req = false;
    VlsmCode phy_state = VlsmCode::kReset;
    bool cm_tx_ready = false, cm_rx_valid = false;
    bool cm_link_up = false, cm_phy_reinit_done = false;
    bool io_tx_ready = false, io_rx_valid = false;
    bool io_link_up = false;
    CrcFlit rx_flit = {};  // for both: io takes the payload
    VlsmCode io_state = VlsmCode::kReset, cm_state = VlsmCode::kReset;
    unsigned weight_io = 1, weight_cm = 1;
    bool damaged = false, malformed = false, stray = false;  // pulses, the cycle after
  };

  explicit ArbMux(bool is_host, unsigned weight_io = 1, unsigned weight_cm = 1)
      : is_host_(is_host),
        vlsm_{Vlsm(is_host), Vlsm(is_host)},
        reset_weight_{weight_io, weight_cm} {}
  enum class Phase : std::uint8_t { kDown, kUp, kRecovery, kSleep };
  // What meets in one cycle, by the registers before its edge. For functional coverage.
  struct Moment {
    Phase phase = Phase::kDown;
    Vlsm::Event event = Vlsm::Event::kNone;
    bool loads = false;  // an ALMP of a machine goes into the register
    bool holds = false;  // what was offered in the cycle before and not taken
  };

  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] Moment moment(const In& in) const;

 private:
  // The twin is to be written anew.
};

}  // namespace cxlgpu
