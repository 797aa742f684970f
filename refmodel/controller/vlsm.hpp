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
  [[nodiscard]] bool rx_open() const { return since_.receiver_active; }
  [[nodiscard]] std::optional<Message> tx() const;

 private:
  struct Request {
    VlsmCode code;
    bool left = false;
  };
  struct Status {
    VlsmCode code;
    bool answer;  // else the snapshot
  };
  // What has passed at the ports since the last silence.
  struct Since {
    bool transmitter_active = false, receiver_active = false;
    bool called = false;             // the peer's Active Request came
    std::optional<Request> request;  // an own one, until it is accepted or given up
    std::optional<Status> status;    // one that waits
  };
  enum class Sense : std::uint8_t { kUnexpected, kCall, kSleep, kRetrain, kAccept, kResolve };

  [[nodiscard]] bool asked() const { return since_.request && since_.request->left; }
  [[nodiscard]] bool wakes() const;  // in a state that is left for Active by Requests
  [[nodiscard]] bool active_wanted(VlsmCode req) const;
  [[nodiscard]] bool tears(VlsmCode req) const;
  [[nodiscard]] Sense sense(const Message& rx) const;
  [[nodiscard]] VlsmCode resolved(VlsmCode status) const;
  void receive(Sense sense, const In& in);
  void send();
  void follow(VlsmCode req);
  void be_silent_in(VlsmCode state);
  void enter_active();
  void sleep_in(VlsmCode code);

  bool is_host_;
  VlsmCode state_ = VlsmCode::kReset;
  Since since_;
  bool pending_ = false;  // the peer's Status of after Recovery has not come
  VlsmCode snapshot_ = VlsmCode::kReset;
  bool link_up_ = false, recovered_ = false;
};

}  // namespace cxlgpu
