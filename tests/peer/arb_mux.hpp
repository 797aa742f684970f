// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The ARB/MUX of one end (CXL 2.0, chapter 5): a vLSM for CXL.io and one for CXL.cachemem, ALMPs,
// multiplexing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>

#include "io_side.hpp"
#include "link_end.hpp"
#include "link_layer.hpp"
#include "violations.hpp"

namespace peer {

enum class PortRole : uint8_t { Downstream, Upstream };  // the host's port looks downstream

// The codes of Table 62.
enum class VlsmState : uint8_t { Reset = 0, Active = 1, L1 = 4, L2 = 8, Retrain = 11 };
enum class VlsmId : uint8_t { Io = 1, CacheMem = 2 };

// An ALMP as the peer would send it; a test may send one that the standard does not know.
struct Almp {
  uint8_t message = 8;
  bool request = false;
  uint8_t state = 0;
  uint8_t instance = 1;
};
Flit make_almp(const Almp& almp);
std::optional<Almp> read_almp(const Flit& flit);  // none: the four copies differ

struct ArbMuxConfig {
  PortRole role = PortRole::Upstream;
  uint64_t seed = 1;
  // Cycles between a request of the other side and the answer to it (the link layer is not ready
  // before).
  unsigned status_delay = 0;
  unsigned weight_io = 1;
  unsigned weight_cachemem = 1;
};

class ArbMux {
 public:
  ArbMux(const ArbMuxConfig& config, LinkLayer& link, IoSide& io, Violations& violations);

  LinkOut cycle(const LinkIn& in);  // one clock of ARB/MUX, link layer and CXL.io together
  void reset();

  VlsmState state(VlsmId id) const;
  void retrain() { retrain_ = true; }  // ask the physical layer for Recovery
  void send_raw(FlitKind kind, const Flit& flit) { raw_.emplace_back(kind, flit); }
  // Send protocol flits although the vLSM is not Active: the fault of 5.1.2.4.1.
  void ignore_vlsm(bool ignore) { ignore_vlsm_ = ignore; }
  // Speak before the downstream port has: the fault of 5.1.2.2.
  void speak_first() { speak_first_ = true; }
  // The next answer to a Request{Active} names this state instead.
  void answer_with(uint8_t state) { wrong_status_ = state; }
  // After the next Recovery a Request{Active} leaves where a Status is due.
  void request_in_sync() { request_in_sync_ = true; }
  // One of the three above has not had its chance yet.
  bool wrong_pending() const { return speak_first_ || request_in_sync_ || wrong_status_; }
  uint64_t recoveries() const { return recoveries_; }

 private:
  struct Vlsm {
    VlsmState state = VlsmState::Reset;
    bool request_sent = false;
    bool status_received = false;
    bool request_received = false;
    bool status_sent = false;
    bool sync_pending = false;  // STATUS_EXCHANGE_PENDING (5.1.2.3.1)
    bool sync_sent = false;
    std::optional<VlsmState> sync_received;
    VlsmState snapshot = VlsmState::Reset;
    unsigned status_due = 0;  // cycles until the status that answers a request may leave
  };

  void follow_phy(const LinkIn& in);
  void enter_recovery();
  void leave_recovery();
  void receive(const TaggedFlit& tagged);
  void receive_almp(const Flit& flit);
  void receive_request(Vlsm& vlsm, const Almp& almp);
  void receive_status(Vlsm& vlsm, const Almp& almp);
  void resolve(Vlsm& vlsm);
  void step(Vlsm& vlsm, uint8_t instance);
  void settle(Vlsm& vlsm, VlsmState state);
  void unexpected(const char* clause, const char* what);
  std::optional<TaggedFlit> next();
  Vlsm& vlsm(VlsmId id) { return vlsms_[static_cast<size_t>(id) - 1]; }
  const Vlsm& vlsm(VlsmId id) const { return vlsms_[static_cast<size_t>(id) - 1]; }

  ArbMuxConfig config_;
  LinkLayer& link_;
  IoSide& io_;
  Violations& violations_;
  std::mt19937_64 random_;
  std::array<Vlsm, 2> vlsms_{};
  std::deque<Almp> almps_;
  std::deque<TaggedFlit> raw_;
  std::optional<TaggedFlit> held_;  // offered, not taken yet
  bool up_ = false;
  bool recovery_ = false;
  bool sync_due_ = false;  // synchronisation waits for the first flit of the downstream port
  bool heard_ = false;     // a flit that the physical layer did not make has come
  bool cachemem_was_active_ = false;
  bool io_active_told_ = false;
  bool retrain_ = false;
  bool ignore_vlsm_ = false;
  bool speak_first_ = false;
  bool request_in_sync_ = false;
  std::optional<uint8_t> wrong_status_;
  uint64_t recoveries_ = 0;
};

}  // namespace peer
