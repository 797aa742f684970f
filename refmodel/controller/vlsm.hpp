// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Virtual link state machine: whether one protocol may use the shared link.
//
// Purpose: twin of rtl/controller/vlsm.sv.
// Units:   none; an Event is an edge of the link's life, shared by the machines of all protocols.
// Errors:  an unexpected ALMP changes nothing and asks for Recovery (Out::unexpected, retrain).
// Source:  CXL 2.0 5.1, docs/blocks/controller/vlsm.md.
#pragma once

#include <optional>

#include "refmodel/controller/almp_codec.hpp"

namespace cxlgpu {

class Vlsm {
 public:
  enum class Event : std::uint8_t { kNone, kGoDown, kGoRecovery, kColdUp, kWarmUp, kRun };
  struct Message {
    bool request = false;  // else Status
    VlsmCode code = VlsmCode::kReset;
    bool operator==(const Message&) const = default;
  };
  struct In {
    VlsmCode req = VlsmCode::kReset;  // level: what the upper layer wants
    bool down = false;
    Event event = Event::kNone;
    bool rx_valid = false;  // a good ALMP for this machine
    Message rx = {};
    bool tx_taken = false;
  };
  struct Out {
    std::optional<Message> tx = std::nullopt;
    VlsmCode state = VlsmCode::kReset;
    bool tx_open = false, rx_open = false;
    bool link_up = false, recovered = false;
    bool wake = false, retrain = false, unexpected = false;  // comb
  };

  explicit Vlsm(bool is_host) : is_host_(is_host) {}
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);
  [[nodiscard]] VlsmCode state() const { return state_; }
  [[nodiscard]] bool rx_open() const { return rx_act_; }
  [[nodiscard]] std::optional<Message> tx() const;

 private:
  // The rows of the table of expected ALMPs.
  enum class Meaning : std::uint8_t {
    kUnexpected,
    kSynchronise,
    kPeerWantsActive,
    kPeerWantsLowPower,
    kPeerWantsRetrain,
    kActiveGranted,
    kLowPowerGranted,
  };
  [[nodiscard]] Meaning meaning(const Message& rx) const;
  [[nodiscard]] Meaning request_meaning(VlsmCode code) const;
  [[nodiscard]] Meaning status_meaning(VlsmCode code) const;
  [[nodiscard]] bool link_request(VlsmCode req) const;
  [[nodiscard]] bool handshake() const;
  [[nodiscard]] bool want(const In& in) const;
  [[nodiscard]] bool wake(VlsmCode req) const;

  void begin(const In& in);
  void receive(const In& in, Meaning what);
  void synchronise(VlsmCode received);
  void status_left();
  void act(const In& in);
  void shake_hands();
  void answer(VlsmCode code, bool acts);
  void enter_active();
  void sleep(VlsmCode code);
  void quiet();

  bool is_host_;
  VlsmCode state_ = VlsmCode::kReset;
  VlsmCode snap_ = VlsmCode::kReset;  // the state Recovery found
  bool resync_ = false;               // the peer's Status after Recovery is still to come
  bool tx_act_ = false, rx_act_ = false;
  bool own_req_ = false, peer_req_ = false;  // Requests on their way, or in hand
  bool req_pend_ = false, stat_pend_ = false;
  VlsmCode req_code_ = VlsmCode::kReset, stat_code_ = VlsmCode::kReset;
  bool stat_acts_ = false;  // sending the pending Status changes the state
  bool link_up_ = false, recovered_ = false;
};

}  // namespace cxlgpu
