// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "arb_mux.hpp"

#include <algorithm>

namespace peer {
namespace {

constexpr uint8_t kStateAlmp = 8;
constexpr uint8_t kRequestBit = 0x80;
constexpr unsigned kCopies = 4;

bool protocol_of(FlitKind kind, VlsmId id) {
  return kind == (id == VlsmId::Io ? FlitKind::Io : FlitKind::CacheMem);
}

}  // namespace

Flit make_almp(const Almp& almp) {
  Flit flit{};
  for (unsigned copy = 0; copy < kCopies; ++copy) {
    uint8_t* word = flit.data() + 4 * copy;
    word[1] = almp.message;
    word[2] = static_cast<uint8_t>((almp.request ? kRequestBit : 0) | almp.state);
    word[3] = almp.instance;
  }
  return flit;
}

std::optional<Almp> read_almp(const Flit& flit) {
  for (unsigned copy = 1; copy < kCopies; ++copy) {
    if (!std::equal(flit.begin(), flit.begin() + 4, flit.begin() + 4 * copy)) return std::nullopt;
  }
  Almp almp;
  almp.message = flit[1];
  almp.request = (flit[2] & kRequestBit) != 0;
  almp.state = flit[2] & 0xf;
  almp.instance = flit[3] & 0xf;
  return almp;
}

ArbMux::ArbMux(const ArbMuxConfig& config, LinkLayer& link, IoSide& io, Violations& violations)
    : config_(config), link_(link), io_(io), violations_(violations), random_(config.seed) {}

VlsmState ArbMux::state(VlsmId id) const {
  const Vlsm& v = vlsm(id);
  return v.sync_pending ? VlsmState::Retrain : v.state;
}

void ArbMux::reset() {
  if (up_) {
    link_.link_down();
    io_.link_down();
  }
  vlsms_ = {};
  almps_.clear();
  raw_.clear();
  held_.reset();
  up_ = recovery_ = sync_due_ = heard_ = cachemem_was_active_ = io_active_told_ = retrain_ = false;
}

LinkOut ArbMux::cycle(const LinkIn& in) {
  follow_phy(in);
  io_.tick();
  link_.tick();
  LinkOut out;
  if (!up_) return out;
  if (in.rx) receive(*in.rx);
  if (link_.take_retrain_request()) retrain_ = true;
  out.retrain = std::exchange(retrain_, false);
  if (recovery_) return out;
  step(vlsm(VlsmId::Io), static_cast<uint8_t>(VlsmId::Io));
  step(vlsm(VlsmId::CacheMem), static_cast<uint8_t>(VlsmId::CacheMem));
  if (!held_) held_ = next();
  out.tx = held_;
  if (in.tx_ready) held_.reset();
  return out;
}

// ---- physical layer ------------------------------------------------------------------------

void ArbMux::follow_phy(const LinkIn& in) {
  if (!in.phy_up) {
    if (up_) reset();
    return;
  }
  up_ = true;
  if (in.phy_recovery != recovery_) {
    recovery_ = in.phy_recovery;
    recovery_ ? enter_recovery() : leave_recovery();
  }
}

void ArbMux::enter_recovery() {
  ++recoveries_;
  held_.reset();  // what was on its way is lost
  almps_.clear();
  for (Vlsm& v : vlsms_) {
    if (!v.sync_pending) v.snapshot = v.state;
    v.sync_pending = true;
    v.sync_sent = false;
    v.sync_received.reset();
  }
  if (io_active_told_) {
    io_active_told_ = false;
    io_.active(false);
  }
  if (cachemem_was_active_) link_.recovery_begin();
}

// S20 5.1.2.3: each side sends the snapshot of each vLSM; the upstream port only when it has heard
// a flit at all (5.1.2.2).
void ArbMux::leave_recovery() {
  sync_due_ = config_.role == PortRole::Upstream && !heard_;
  if (sync_due_) return;
  for (uint8_t instance = 1; instance <= 2; ++instance) {
    Vlsm& v = vlsms_[instance - 1];
    Almp almp;
    almp.instance = instance;
    almp.state = static_cast<uint8_t>(v.snapshot);
    if (request_in_sync_) {
      almp.request = true;
      almp.state = static_cast<uint8_t>(VlsmState::Active);
    }
    almps_.push_back(almp);
    v.sync_sent = !request_in_sync_;
    v.request_sent = v.status_received = v.request_received = v.status_sent = false;
  }
  request_in_sync_ = false;
  for (Vlsm& v : vlsms_) resolve(v);
}

// ---- receive -------------------------------------------------------------------------------

void ArbMux::unexpected(const char* clause, const char* what) {
  violations_.add(clause, what);
  retrain_ = true;
}

void ArbMux::receive(const TaggedFlit& tagged) {
  if (tagged.first == FlitKind::Null) return;
  heard_ = true;
  if (sync_due_) leave_recovery();
  if (tagged.first == FlitKind::Almp) return receive_almp(tagged.second);
  const VlsmId id = tagged.first == FlitKind::Io ? VlsmId::Io : VlsmId::CacheMem;
  Vlsm& v = vlsm(id);
  if (recovery_ || v.sync_pending) {
    violations_.add("5.1.2.3", "a protocol flit before the status synchronisation is complete");
    return;
  }
  if (v.state != VlsmState::Active) {
    violations_.add("5.1.2.4.1", "a protocol flit before the vLSM is Active");
    return;
  }
  if (protocol_of(tagged.first, VlsmId::Io)) {
    io_.rx(tagged.second);
  } else {
    link_.rx(tagged.second);
  }
}

void ArbMux::receive_almp(const Flit& flit) {
  const std::optional<Almp> almp = read_almp(flit);
  if (!almp) {  // an ALMP error, which may be of the line (5.1.3.2)
    retrain_ = true;
    return;
  }
  if (std::any_of(flit.begin() + 4 * kCopies, flit.end(), [](uint8_t byte) { return byte != 0; })) {
    violations_.add("5.2", "reserved bytes of an ALMP are not zero");
  }
  if (almp->message != kStateAlmp || flit[0] != 0)
    return unexpected("5.2, Table 62", "an ALMP with a reserved message code");
  if (almp->instance != 1 && almp->instance != 2)
    return unexpected("5.2, Table 62", "an ALMP of a reserved vLSM instance");
  Vlsm& v = vlsms_[almp->instance - 1U];
  if (v.sync_pending) {
    if (almp->request) return unexpected("5.1.2.6", "a Request where a Status has to synchronise");
    v.sync_received = static_cast<VlsmState>(almp->state);
    return resolve(v);
  }
  almp->request ? receive_request(v, *almp) : receive_status(v, *almp);
}

void ArbMux::receive_request(Vlsm& v, const Almp& almp) {
  if (almp.state == static_cast<uint8_t>(VlsmState::Active)) {
    v.request_received = true;
    v.status_sent = false;
    v.status_due = config_.status_delay;
    return;
  }
  const bool power = almp.state == 3 || (almp.state >= 4 && almp.state <= 8);
  if (!power) return unexpected("5.2, Table 62", "a Request for a reserved state");
  if (config_.role == PortRole::Upstream) {
    return unexpected("5.1.2.4.2", "a downstream port asks for a low power state");
  }
  if (v.request_sent && !v.status_received)
    return unexpected("5.1.2.6", "another ALMP than Active after a Request{Active}");
  // Entry to a low power state is not accepted: no Status (5.1.2.5.1).
}

void ArbMux::receive_status(Vlsm& v, const Almp& almp) {
  if (!v.request_sent || v.status_received)
    return unexpected("5.1.2.5.2", "a Status that answers no Request");
  if (almp.state != static_cast<uint8_t>(VlsmState::Active)) {
    return unexpected("5.1.2.6", "a Request{Active} answered with another state");
  }
  v.status_received = true;
}

// Table 61, the rows without a low power state, which neither end enters.
void ArbMux::resolve(Vlsm& v) {
  if (!v.sync_pending || !v.sync_sent || !v.sync_received || recovery_) return;
  const VlsmState theirs = *v.sync_received;
  v.sync_pending = false;
  v.sync_received.reset();
  const bool known =
      theirs == VlsmState::Reset || theirs == VlsmState::Active || theirs == VlsmState::Retrain;
  if (!known)
    violations_.add("5.1.2.3, Table 61", "a Status of a low power state that was never entered");
  const bool active = v.snapshot == VlsmState::Active || theirs == VlsmState::Active;
  settle(v, active ? VlsmState::Active : VlsmState::Reset);
}

void ArbMux::settle(Vlsm& v, VlsmState state) {
  v.state = state;
  if (state != VlsmState::Active) return;
  if (&v == &vlsm(VlsmId::Io)) {
    io_active_told_ = true;
    io_.active(true);
  } else if (!cachemem_was_active_) {
    cachemem_was_active_ = true;
    link_.link_up();
  } else {
    link_.recovery_end();
  }
}

// ---- transmit ------------------------------------------------------------------------------

void ArbMux::step(Vlsm& v, uint8_t instance) {
  if (v.sync_pending) return;
  const auto active = static_cast<uint8_t>(VlsmState::Active);
  // The upstream port is silent until a flit has come that the physical layer did not make
  // (5.1.2.2).
  const bool may_speak = config_.role == PortRole::Downstream || heard_ || speak_first_;
  if (v.state == VlsmState::Reset && !v.request_sent && may_speak) {
    v.request_sent = true;
    if (!heard_) speak_first_ = false;
    almps_.push_back({.request = true, .state = active, .instance = instance});
  }
  if (v.request_received && !v.status_sent) {
    if (v.status_due != 0) {
      --v.status_due;
    } else {
      v.status_sent = true;
      almps_.push_back(
          {.request = false, .state = wrong_status_.value_or(active), .instance = instance});
      wrong_status_.reset();
    }
  }
  // The Status has to be on its way before any protocol flit: ALMPs leave first.
  if (v.state == VlsmState::Reset && v.request_sent && v.status_received && v.request_received &&
      v.status_sent) {
    settle(v, VlsmState::Active);
  }
}

std::optional<TaggedFlit> ArbMux::next() {
  if (!almps_.empty()) {
    const Almp almp = almps_.front();
    almps_.pop_front();
    return TaggedFlit{FlitKind::Almp, make_almp(almp)};
  }
  if (!raw_.empty()) {
    const TaggedFlit raw = raw_.front();
    raw_.pop_front();
    return raw;
  }
  const auto open = [&](VlsmId id) {
    return ignore_vlsm_ || (vlsm(id).state == VlsmState::Active && !vlsm(id).sync_pending);
  };
  const auto from_io = [&]() -> std::optional<TaggedFlit> {
    if (!open(VlsmId::Io)) return std::nullopt;
    if (const auto flit = io_.tx()) return TaggedFlit{FlitKind::Io, *flit};
    return std::nullopt;
  };
  const auto from_cachemem = [&]() -> std::optional<TaggedFlit> {
    if (!open(VlsmId::CacheMem)) return std::nullopt;
    if (const auto flit = link_.tx()) return TaggedFlit{FlitKind::CacheMem, *flit};
    return std::nullopt;
  };
  const bool io_first =
      random_() % (config_.weight_io + config_.weight_cachemem) < config_.weight_io;
  auto first = io_first ? from_io() : from_cachemem();
  if (first) return first;
  return io_first ? from_cachemem() : from_io();
}

}  // namespace peer
