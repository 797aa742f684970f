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
      : is_host_(is_host), first_weights_{weight_io, weight_cm} {}
  enum class Phase : std::uint8_t { kDown, kUp, kRecovery, kSleep };
  // What meets in one cycle, by what was before its edge. For functional coverage.
  struct Moment {
    Phase phase = Phase::kDown;
    Vlsm::Event event = Vlsm::Event::kNone;
    bool loads = false;  // an ALMP is taken from a vlsm, to be sent
    bool holds = false;  // what was offered in the cycle before and not taken
  };

  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] Moment moment(const In& in) const;

 private:
  // By protocol: 0 CXL.io, 1 CXL.cachemem, as in FlitKind.
  template <typename T>
  using Each = std::array<T, 2>;
  struct Step {
    Phase next;
    Vlsm::Event event;
  };
  struct Arrival {
    std::optional<Almp> almp;  // a good one
    bool damaged = false, malformed = false, stray = false;
    bool passed_up = false;
  };
  [[nodiscard]] Step step(const In& in) const;
  [[nodiscard]] bool running(const In& in) const { return step(in).event == Vlsm::Event::kRun; }
  [[nodiscard]] Arrival arrival(const In& in) const;
  [[nodiscard]] std::optional<unsigned> source_of_almp(const In& in) const;
  [[nodiscard]] Each<Vlsm::In> to_vlsm(const In& in) const;
  [[nodiscard]] FlitKind kind_to_send(const In& in) const;
  void count(unsigned protocol);

  bool is_host_;
  Each<unsigned> first_weights_, weights_ = first_weights_;
  Each<Vlsm> vlsm_{Vlsm(is_host_), Vlsm(is_host_)};
  Phase phase_ = Phase::kDown;
  bool recovery_requested_ = false;
  bool spoken_to_ = false;  // a flit other than NULL came since the link was down
  bool cm_was_up_ = false;  // in the cycle before
  std::optional<Almp> almp_to_send_;
  std::optional<FlitKind> stalled_;
  unsigned turn_ = 1, sent_in_turn_ = 0;
  bool damaged_ = false, malformed_ = false, stray_ = false;
};

}  // namespace cxlgpu
