// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a link with ARB/MUXes has that one of two bare controllers has not, a cycle at a time.
//
// Purpose: keeps for both ends of a pair of cxl_ports what Flex Bus owes (FlexLink: L0, Recovery,
//          L1, with skew between the ends), offers CXL.io flits, asks for L1 and for Recovery as
//          upper layers do, and accounts for every Recovery that an end asks for: a fault in an
//          ALMP, a retry that has tried ten times, an upper layer.
//          A CXL.io flit passes a port in the cycle in which it comes, so that is checked at each
//          end by itself; the wire between keeps order. What Recovery loses is not made up for here
//          (that is io_link's business).
// Units:   cycles. End 0 is the host, end 1 the device.
// Errors:  on_problem is called with one line.
// Source:  docs/blocks/controller/arb_mux.md.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "tests/controller/arb_link.hpp"
#include "tests/controller/faults.hpp"

namespace cxlgpu::test {

// What a cxl_port has beside messages and wire. Wide ports are pointers to their words.
struct PortPins {
  std::uint8_t &phy_up, &phy_recovery, &retrain_req, &phy_state;
  std::uint8_t &tx_kind, &rx_kind;
  std::uint8_t &io_tx_valid, &io_tx_ready;
  std::uint32_t* io_tx_data;
  std::uint8_t& io_rx_valid;
  std::uint32_t* io_rx_data;
  std::uint8_t &io_req, &cm_req, &io_state, &cm_state;
  std::uint8_t &weight_we, &weight_io, &weight_cm;
  std::uint8_t& arb_err;
};

// Why an end asks for Recovery, or the physical layer goes there.
enum class Cause : unsigned { kPhy, kLost, kDamaged, kMalformed, kRequest, kRetry, kWake, kCount };
inline constexpr unsigned kCauses = static_cast<unsigned>(Cause::kCount);
inline constexpr std::array<const char*, kCauses> kCauseNames{
    "PHY", "flit lost", "ALMP damaged", "ALMP malformed", "asked for", "ten retries", "out of L1"};

struct PortCounts {
  std::uint64_t almps = 0, io_sent = 0, io_received = 0, io_lost = 0;
  std::uint64_t naps = 0;    // times a vLSM of the host entered L1
  std::uint64_t sleeps = 0;  // times the physical link did
  std::array<std::uint64_t, kCauses> causes{};

  PortCounts& operator+=(const PortCounts& other) { return each(other, std::plus<>()); }
  PortCounts& operator-=(const PortCounts& other) { return each(other, std::minus<>()); }

 private:
  template <typename Op>
  PortCounts& each(const PortCounts& o, Op op) {
    const auto apply = [&op](std::uint64_t& a, std::uint64_t b) { a = op(a, b); };
    apply(almps, o.almps);
    apply(io_sent, o.io_sent);
    apply(io_received, o.io_received);
    apply(io_lost, o.io_lost);
    apply(naps, o.naps);
    apply(sleeps, o.sleeps);
    for (unsigned c = 0; c < kCauses; ++c) apply(causes[c], o.causes[c]);
    return *this;
  }
};

class PortSide {
 public:
  using OnProblem = std::function<void(std::string)>;

  PortSide(std::array<PortPins, 2>& pins, std::uint64_t seed, unsigned recovery,
           OnProblem on_problem)
      : pins_(pins),
        random_(seed * 13 + 7),
        link_({.seed = seed * 17 + 11, .skew = 24, .recovery = recovery}),
        on_problem_(std::move(on_problem)) {
    for (PortPins& p : pins_) p.io_req = p.cm_req = code(VlsmCode::kActive);
  }

  // The start of a cycle: the state of the link, and what the upper layers want.
  void drive() {
    for (unsigned e = 0; e < 2; ++e) {
      PortPins& p = pins_[e];
      End& end = ends_[e];
      end.was_l0 = end.l0;
      end.was_recovery = p.phy_recovery != 0;
      end.was_down = end.is_down;
      end.is_down = link_.down(e);
      p.phy_up = link_.up(e) ? 1 : 0;
      p.phy_recovery = link_.recovery(e) ? 1 : 0;
      end.l0 = p.phy_up != 0;
      p.weight_we = end.new_weights ? 1 : 0;
      end.new_weights = false;
      if (end.muted && end.muted_in != link_.epoch(e)) end.muted = false;
      if (p.io_tx_valid == 0 && io_load_ != 0 && random_.percent(io_load_)) offer_io(p);
    }
    if (--plan_left_ == 0) plan();
  }

  // Whether both ends have entered a Recovery since the last question.
  [[nodiscard]] bool entered_recovery() {
    if (link_.recoveries() == told_recoveries_) return false;
    if (!link_.recovery(0) || !link_.recovery(1) || link_.epoch(0) != link_.epoch(1)) return false;
    told_recoveries_ = link_.recoveries();
    return true;
  }

  // The wire, by the end that sends or receives.
  [[nodiscard]] bool may_send(unsigned e) const { return link_.may_send(e); }
  [[nodiscard]] unsigned epoch(unsigned e) const { return link_.epoch(e); }
  // A flit of that epoch is handed over.
  [[nodiscard]] bool takes(unsigned e, unsigned epoch) const {
    return epoch == link_.epoch(e) && link_.listens(e) && !ends_[e].muted;
  }
  // From the moment it asks for Recovery an end hears nothing. What it asks for before L0 shows in
  // L0.
  [[nodiscard]] bool deaf(unsigned e) const {
    return pins_[e].retrain_req != 0 || ends_[e].owed.has_value();
  }
  // It hears ALMPs; it hears everything. The host may be in L0 first, so the device listens before.
  [[nodiscard]] bool hears_almps(unsigned e) const {
    const End& end = ends_[e];
    const bool early = e == 1 && end.was_down;
    return !deaf(e) && ((end.was_l0 && end.l0) || end.was_recovery || early);
  }
  [[nodiscard]] bool hears_all(unsigned e) const {
    const End& end = ends_[e];
    return !deaf(e) && end.was_l0 && end.l0;
  }

  // A flit that arrives: what the end must make of it.
  void present(unsigned e, FlitKind kind, FaultInjector::Fate fate, const FlitWords& flit) {
    pins_[e].rx_kind = static_cast<std::uint8_t>(kind);
    End& end = ends_[e];
    if (kind == FlitKind::kIo) {
      end.io_due = hears_all(e);
      if (end.io_due) end.io_flit = flit;
      if (!end.io_due) ++counts_.io_lost;
    }
    if (!hears_almps(e)) return;
    if (fate == FaultInjector::Fate::kDamaged) end.errors_due = 1;
    if (fate == FaultInjector::Fate::kMalformed) end.errors_due = 2;
    if (end.errors_due != 0 && end.was_down) {
      end.owed = end.errors_due == 1 ? Cause::kDamaged : Cause::kMalformed;
    }
  }
  // Flex Bus at this end cannot make out whose flit it is.
  void lost(unsigned e) {
    start_recovery(Cause::kLost);
    mute(e);
  }
  void io_lost() { ++counts_.io_lost; }
  void phy_recovery() { start_recovery(Cause::kPhy); }
  // The upper layer of a protocol of this end asks for Recovery until it gets it.
  void request(unsigned e) {
    if (!awake() || ends_[e].asks) return;
    ends_[e].asks = true;
    (random_.bits(1) != 0 ? pins_[e].io_req : pins_[e].cm_req) = code(VlsmCode::kRetrain);
  }

  // What an end sends, before the edge: true if it takes a CXL.io flit from the layer above.
  void sent(unsigned e, FlitKind kind, const FlitWords& flit) {
    if (kind == FlitKind::kAlmp) ++counts_.almps;
    if (kind == FlitKind::kNull) problem(e, "sends a NULL flit");
    if (kind != FlitKind::kIo) return;
    ends_[e].io_left = true;
    ++counts_.io_sent;
    if (std::memcmp(flit.word.data(), pins_[e].io_tx_data, 64) != 0) {
      problem(e, "CXL.io flit sent is not the one offered");
    }
  }

  // The transfers of this cycle, before its edge.
  void sample() {
    std::array<FlexLink::Ask, 2> asks;
    for (unsigned e = 0; e < 2; ++e) {
      PortPins& p = pins_[e];
      End& end = ends_[e];
      asks[e] = {p.retrain_req != 0, static_cast<VlsmCode>(p.phy_state)};
      // Asked for in Recovery, not before: the next one makes up for what is missed until then.
      if (deaf(e) && link_.recovery(e) && end.was_recovery) mute(e);
      const bool taken = p.io_tx_valid != 0 && p.io_tx_ready != 0;
      if (taken != end.io_left) problem(e, "CXL.io flit taken and not sent, or sent and not taken");
      if ((p.io_rx_valid != 0) != end.io_due)
        problem(e, "CXL.io flit withheld, or one that nobody sent");
      if (end.io_due) {
        ++counts_.io_received;
        if (std::memcmp(end.io_flit.word.data(), p.io_rx_data, 64) != 0) {
          problem(e, "CXL.io flit changed on its way up");
        }
      }
      end.took_io = taken;
      end.io_left = end.io_due = false;
    }
    const std::uint64_t before = link_.sleeps(), recoveries = link_.recoveries();
    const bool asleep = !link_.up(0) && !link_.recovery(0);
    link_.step(asks);
    if (asleep && link_.recoveries() != recoveries) {
      ++counts_.causes[static_cast<unsigned>(Cause::kWake)];
    }
    counts_.sleeps += link_.sleeps() - before;  // a sleep called off counts back
  }

  // After the edge. Returns by end whether its link layer has just been told of a Recovery: then
  // the next edge makes it ask for a retry. `tries` since the last success, by end.
  std::array<bool, 2> check(const std::array<unsigned, 2>& tries) {
    std::array<bool, 2> told{};
    for (unsigned e = 0; e < 2; ++e) {
      PortPins& p = pins_[e];
      End& end = ends_[e];
      if (end.took_io) p.io_tx_valid = 0;
      end.took_io = false;
      if (p.arb_err != end.errors_due) {
        problem(e,
                fmt::format("errors {:#x} of the ARB/MUX, not {:#x}", p.arb_err, end.errors_due));
      }
      end.errors_due = 0;
      const bool asks = p.retrain_req != 0;
      if (asks && !end.asked) note_retrain(e, tries[e]);
      if (asks && !end.asked && end.asks) withdraw(e);
      end.asked = asks;
      const auto cm = static_cast<VlsmCode>(p.cm_state);
      if (cm != end.cm) {
        told[e] = cm == VlsmCode::kActive && end.cm != VlsmCode::kDapm;
        if (e == 0 && is_l1(cm)) ++counts_.naps;
        end.cm = cm;
      }
      const auto io = static_cast<VlsmCode>(p.io_state);
      if (io != end.io) {
        if (e == 0 && is_l1(io)) ++counts_.naps;
        end.io = io;
      }
    }
    return told;
  }

  // Loads and plans.
  void set_io_load(unsigned percent) { io_load_ = percent; }
  void set_weights(unsigned e, unsigned io, unsigned cm) {
    pins_[e].weight_io = static_cast<std::uint8_t>(io);
    pins_[e].weight_cm = static_cast<std::uint8_t>(cm);
    ends_[e].new_weights = true;
  }
  void set_naps(double rate) {
    nap_rate_ = rate;
    if (plan_ == Plan::kAwake) wait_for_nap();
  }
  [[nodiscard]] bool awake() const { return plan_ == Plan::kAwake; }
  [[nodiscard]] std::uint64_t plans() const { return plans_; }
  // Both protocols may talk and nothing is asked for.
  [[nodiscard]] bool active() const {
    bool yes = awake() && link_.settled();
    for (const PortPins& p : pins_) {
      yes = yes && p.io_state == code(VlsmCode::kActive) && p.cm_state == code(VlsmCode::kActive) &&
            p.retrain_req == 0;
    }
    return yes;
  }
  [[nodiscard]] std::string states() const {
    std::string text = "vLSM states (io, cachemem)";
    for (unsigned e = 0; e < 2; ++e) {
      text += fmt::format(" {} {:x} {:x}", e == 0 ? "host" : "device", pins_[e].io_state,
                          pins_[e].cm_state);
    }
    return text;
  }

  [[nodiscard]] std::uint64_t recoveries() const { return link_.recoveries(); }
  [[nodiscard]] const PortCounts& counts() const { return counts_; }

 private:
  // A nap: the host's layers allow L1, the device's ask for it, both get there, both want Active
  // again. Or the host does not allow it, and the device gives up.
  enum class Plan : std::uint8_t { kAwake, kAllowed, kAsked, kAsleep, kOneAwake, kRefused };
  struct End {
    bool l0 = false, was_l0 = false, was_recovery = false, is_down = true, was_down = true;
    std::optional<Cause> owed;  // a Recovery to ask for in L0
    bool muted = false;
    unsigned muted_in = 0;
    bool asks = false;  // the bench's upper layer
    bool asked = false;
    bool io_left = false, io_due = false, took_io = false, new_weights = false;
    unsigned errors_due = 0;
    VlsmCode cm = VlsmCode::kReset, io = VlsmCode::kReset;
    FlitWords io_flit;
  };

  static constexpr std::uint8_t code(VlsmCode c) { return static_cast<std::uint8_t>(c); }
  void problem(unsigned e, const std::string& text) {
    on_problem_(fmt::format("{}: {}", e == 0 ? "host" : "device", text));
  }

  void offer_io(PortPins& p) {
    for (unsigned i = 0; i < 16; i += 2) {
      const std::uint64_t word = random_.next();
      std::memcpy(p.io_tx_data + i, &word, 8);
    }
    p.io_tx_valid = 1;
  }
  void mute(unsigned e) {
    ends_[e].muted = true;
    ends_[e].muted_in = link_.epoch(e);
  }
  void start_recovery(Cause cause) {
    ++counts_.causes[static_cast<unsigned>(cause)];
    link_.start_recovery();
  }
  void note_retrain(unsigned e, unsigned tries) {
    Cause cause = Cause::kRetry;
    if (ends_[e].owed) {
      cause = *ends_[e].owed;
      ends_[e].owed.reset();
    } else if (pins_[e].arb_err != 0) {
      cause = (pins_[e].arb_err & 1) != 0 ? Cause::kDamaged : Cause::kMalformed;
    } else if (ends_[e].asks) {
      cause = Cause::kRequest;
    } else if (tries < kMaxTries) {
      problem(e, "asks for Recovery without a fault");
    }
    ++counts_.causes[static_cast<unsigned>(cause)];
  }
  void withdraw(unsigned e) {
    ends_[e].asks = false;
    pins_[e].io_req = pins_[e].cm_req = code(VlsmCode::kActive);
  }

  void wait_for_nap() {
    plan_ = Plan::kAwake;
    plan_left_ = kForgotten + random_.gap(nap_rate_);
  }
  void want(unsigned e, VlsmCode what) {
    if ((nappers_ & 1) != 0) pins_[e].io_req = code(what);
    if ((nappers_ & 2) != 0) pins_[e].cm_req = code(what);
  }
  [[nodiscard]] bool napping(unsigned e) const {
    const auto l1 = [](std::uint8_t state) { return is_l1(static_cast<VlsmCode>(state)); };
    return ((nappers_ & 1) == 0 || l1(pins_[e].io_state)) &&
           ((nappers_ & 2) == 0 || l1(pins_[e].cm_state));
  }
  void next(Plan plan, std::uint64_t most) {
    plan_ = plan;
    plan_left_ = 1 + random_.below(most);
  }
  void plan() {
    constexpr std::array kL1{VlsmCode::kL1_0, VlsmCode::kL1_1, VlsmCode::kL1_2, VlsmCode::kL1_3};
    switch (plan_) {
      case Plan::kAwake:
        // Out of Reset the way to L1 leads over Active.
        if (!active() || ends_[0].asks || ends_[1].asks) return wait_for_nap();
        ++plans_;
        nappers_ = random_.pick(std::array{1u, 2u, 3u, 3u, 3u, 3u});
        depth_ = random_.below(4);
        if (random_.below(8) == 0) {
          want(1, kL1[depth_]);
          return next(Plan::kRefused, 300);
        }
        want(0, kL1[depth_]);
        return next(Plan::kAllowed, 40);
      case Plan::kAllowed:
        want(1, random_.bits(2) == 0 ? VlsmCode::kDapm : kL1[random_.below(depth_ + 1)]);
        return next(Plan::kAsked, 16);
      case Plan::kAsked:
        // Whoever changes its mind while an answer is in flight would not expect that.
        if (!napping(0) || !napping(1)) return next(Plan::kAsked, 16);
        return next(Plan::kAsleep, random_.bits(2) == 0 ? 4 : 600);
      case Plan::kAsleep:
        first_awake_ = static_cast<unsigned>(random_.bits(1));
        want(first_awake_, VlsmCode::kActive);
        return next(Plan::kOneAwake, 200);
      case Plan::kOneAwake:
        want(1 - first_awake_, VlsmCode::kActive);
        return wait_for_nap();
      case Plan::kRefused:
        want(1, VlsmCode::kActive);
        return wait_for_nap();
    }
  }

  static constexpr unsigned kMaxTries = 10;
  // Longer than a Request is in flight: of a device that has given up, a host that allows L1
  // meanwhile would accept it, and go where nobody follows.
  static constexpr std::uint64_t kForgotten = 1000;

  std::array<PortPins, 2>& pins_;
  QuickRandom random_;
  FlexLink link_;
  OnProblem on_problem_;
  std::array<End, 2> ends_{};
  std::uint64_t told_recoveries_ = 0;
  unsigned io_load_ = 0;
  Plan plan_ = Plan::kAwake;
  double nap_rate_ = 0;
  std::uint64_t plan_left_ = ~std::uint64_t{0}, plans_ = 0, depth_ = 0;
  unsigned nappers_ = 0, first_awake_ = 0;
  PortCounts counts_;
};

}  // namespace cxlgpu::test
