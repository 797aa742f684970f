// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// vlsm in lockstep with its twin, as host and as device: every event a link can make, every ALMP
// expected or not, every request; and the specification's tables by hand.
#include "refmodel/controller/vlsm.hpp"

#include <set>

#include "Vvlsm.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_link.hpp"

namespace cxlgpu::test {
namespace {

using enum VlsmCode;
using Event = Vlsm::Event;

void drive(Vvlsm& rtl, const Vlsm::In& in, bool is_host) {
  rtl.is_host_i = is_host;
  rtl.req_i = static_cast<unsigned>(in.req);
  rtl.down_i = in.down;
  rtl.go_down_i = in.event == Event::kGoDown;
  rtl.go_recovery_i = in.event == Event::kGoRecovery;
  rtl.cold_up_i = in.event == Event::kColdUp;
  rtl.warm_up_i = in.event == Event::kWarmUp;
  rtl.run_i = in.event == Event::kRun;
  rtl.rx_valid_i = in.rx_valid;
  rtl.rx_request_i = in.rx.request;
  rtl.rx_code_i = static_cast<unsigned>(in.rx.code);
  rtl.tx_taken_i = in.tx_taken;
}

void compare(Lockstep& run, const Vvlsm& rtl, const Vlsm::Out& out) {
  run.check("state_o", rtl.state_o, static_cast<unsigned>(out.state));
  run.check("tx_valid_o", rtl.tx_valid_o, out.tx.has_value());
  if (out.tx) {
    run.check("tx_request_o", rtl.tx_request_o, out.tx->request);
    run.check("tx_code_o", rtl.tx_code_o, static_cast<unsigned>(out.tx->code));
  }
  run.check("tx_open_o", rtl.tx_open_o, out.tx_open);
  run.check("rx_open_o", rtl.rx_open_o, out.rx_open);
  run.check("link_up_o", rtl.link_up_o, out.link_up);
  run.check("recovered_o", rtl.recovered_o, out.recovered);
  run.check("wake_o", rtl.wake_o, out.wake);
  run.check("retrain_o", rtl.retrain_o, out.retrain);
  run.check("unexpected_o", rtl.unexpected_o, out.unexpected);
}

struct Mix {
  unsigned rx, expected, taken, run, event, up;  // percent; event: permille
  bool power;                                    // low power and link requests too
};
constexpr Mix kMixes[] = {
    {10, 90, 60, 95, 2, 40, false},  // bring-up, long life
    {20, 90, 80, 95, 5, 60, true},   // power management
    {20, 80, 50, 90, 40, 60, true},  // one Recovery after another
    {60, 30, 30, 70, 20, 30, true},  // noise
};

// The link below: its phase, and only the sequences it can make.
class Life {
 public:
  explicit Life(Random& random) : random_(random) {}
  Vlsm::In next(const Mix& mix, const Vlsm::Out& now, bool is_host) {
    Vlsm::In in{.req = request(mix), .down = phase_ == Phase::kDown, .event = event(mix)};
    // A device may hear its host before its own L0.
    const bool may_receive = in.event == Event::kRun || in.event == Event::kWarmUp ||
                             (phase_ == Phase::kRecovery && in.event != Event::kGoRecovery) ||
                             (phase_ == Phase::kDown && !is_host && random_.percent(10));
    in.rx_valid = may_receive && random_.percent(mix.rx);
    if (in.rx_valid) in.rx = almp(mix, now, is_host);
    in.tx_taken = in.event == Event::kRun && !in.rx_valid && now.tx && random_.percent(mix.taken);
    advance(in.event);
    return in;
  }
  void reset() { phase_ = Phase::kDown; }

 private:
  enum class Phase { kDown, kUp, kRecovery };

  VlsmCode request(const Mix& mix) {
    if (dwell_ > 0) {
      --dwell_;
      return req_;
    }
    dwell_ = random_.below(random_.percent(30) ? 200 : 30);
    req_ = kActive;
    if (mix.power && random_.percent(50)) {
      req_ = static_cast<VlsmCode>(random_.percent(65) ? 3 + random_.below(6) : random_.bits(4));
    }
    return req_;
  }
  Event event(const Mix& mix) {
    switch (phase_) {
      case Phase::kDown:
        return random_.percent(mix.up) ? Event::kColdUp : Event::kNone;
      case Phase::kRecovery:
        if (random_.below(1000) < 30) return Event::kGoDown;
        return random_.percent(mix.up / 2) ? Event::kWarmUp : Event::kNone;
      default:
        if (random_.below(1000) < mix.event) return Event::kGoRecovery;
        if (random_.below(4000) < mix.event) return Event::kGoDown;
        return random_.percent(mix.run) ? Event::kRun : Event::kNone;
    }
  }
  Vlsm::Message almp(const Mix& mix, const Vlsm::Out& now, bool is_host) {
    Vlsm::Message any{random_.bits(1) != 0, static_cast<VlsmCode>(random_.bits(4))};
    if (!random_.percent(mix.expected)) return any;
    constexpr VlsmCode kCodes[] = {kReset, kActive, kL1_0, kL1_1, kL1_2, kL1_3, kL2, kRetrain};
    any.code = random_.pick(kCodes);
    if (now.state == kActive && is_host) return {true, static_cast<VlsmCode>(3 + random_.below(6))};
    if (now.state == kDapm) return {false, random_.percent(50) ? req_ : any.code};
    const bool shakes = now.state == kReset || now.state == kRetrain || is_l1(now.state);
    if (shakes && random_.percent(70)) any.code = kActive;
    return any;
  }
  void advance(Event event) {
    if (event == Event::kGoDown) phase_ = Phase::kDown;
    if (event == Event::kGoRecovery) phase_ = Phase::kRecovery;
    if (event == Event::kColdUp || event == Event::kWarmUp) phase_ = Phase::kUp;
  }

  Random& random_;
  Phase phase_ = Phase::kDown;
  VlsmCode req_ = kActive;
  std::uint64_t dwell_ = 0;
};

class Meets {
 public:
  void look(bool is_host, VlsmCode state, const Vlsm::In& in, const Vlsm::Out& out) {
    using coverage::VlsmLink;
    const unsigned end = is_host ? 0 : 1;
    const unsigned comes = !in.rx_valid ? 0 : in.rx.request ? 1 : 2;
    const unsigned waits = !out.tx ? 0 : out.tx->request ? 1 : 2;
    meetings_.look(
        7 * end + number(state),
        {in.rx_valid, in.req != req_, in.event == Event::kGoDown, in.event == Event::kGoRecovery,
         in.event == Event::kColdUp || in.event == Event::kWarmUp, in.tx_taken});
    req_ = in.req;
    if (in.event == Event::kRun) {
      runs_.hit({end, number(state), comes, waits});
      return;
    }
    const VlsmLink link = in.event == Event::kGoRecovery ? VlsmLink::Recovery
                          : in.event == Event::kGoDown   ? VlsmLink::Down
                          : in.event == Event::kColdUp   ? VlsmLink::Up
                          : in.event == Event::kWarmUp   ? VlsmLink::Back
                                                         : VlsmLink::Stands;
    links_.hit({end, static_cast<unsigned>(link), comes, waits});
  }

 private:
  static unsigned number(VlsmCode state) {
    if (state == kReset) return 0;
    if (state == kActive) return 1;
    if (state == kDapm) return 2;
    if (is_l1(state)) return 3;
    if (state == kL2) return 4;
    return state == kRetrain ? 5 : 6;
  }
  TestCoverage runs_{coverage::vlsm_crossings()}, links_{coverage::vlsm_links()};
  PairBins meetings_{coverage::vlsm_meetings()};
  VlsmCode req_ = kActive;
};

void lockstep(bool is_host, std::uint64_t seed) {
  Meets meets;
  Lockstep run("controller/vlsm", seed, 1'000'000);
  Random random(run.seed());
  Clocked<Vvlsm> rtl;
  Vlsm twin(is_host);
  drive(*rtl, {}, is_host);
  rtl.reset();
  Life life(random);
  Mix mix = kMixes[0];
  std::set<std::pair<VlsmCode, VlsmCode>> edges;
  while (run.next()) {
    if (run.cycle() % 512 == 0) mix = random.pick(kMixes);
    if (random.below(3000) == 0) {
      drive(*rtl, {.down = true}, is_host);
      rtl.reset();
      twin = Vlsm(is_host);
      life.reset();
    }
    const VlsmCode before = twin.state();
    const Vlsm::In in = life.next(mix, twin.eval({}), is_host);
    drive(*rtl, in, is_host);
    rtl.settle();
    compare(run, *rtl, twin.eval(in));
    meets.look(is_host, before, in, twin.eval(in));
    rtl.edge();
    twin.clock(in);
    if (twin.state() != before) edges.insert({before, twin.state()});
  }
  if (run.cycle() > 100000) {
    std::set<VlsmCode> states;
    for (const auto& edge : edges) states.insert(edge.second);
    EXPECT_EQ(states.size(), is_host ? 11u : 12u) << "not every state was reached";  // no host DAPM
    EXPECT_GE(edges.size(), 40u) << "too few changes of state were seen";
  }
}

TEST(Vlsm, Host) {
  lockstep(true, 22);
}
TEST(Vlsm, Device) {
  lockstep(false, 23);
}

// ------------------------------------------------------------------------------- by hand, RTL only

class Hand {
 public:
  explicit Hand(bool is_host) : is_host_(is_host) {
    drive(*rtl_, {.down = true}, is_host_);
    rtl_.reset();
  }
  void step(Vlsm::In in) {
    in.req = req;
    in.down = down_;
    drive(*rtl_, in, is_host_);
    rtl_.settle();
    unexpected = rtl_->unexpected_o != 0;
    retrain = rtl_->retrain_o != 0;
    rtl_.edge();
    if (in.event == Event::kColdUp) down_ = false;
    if (in.event == Event::kGoDown) down_ = true;
  }
  void run() { step({.event = Event::kRun}); }
  void receive(bool request, VlsmCode code) {
    step({.event = Event::kRun, .rx_valid = true, .rx = {request, code}});
  }
  // The next ALMP leaves; empty if there is none after a few cycles.
  std::optional<Vlsm::Message> take() {
    for (unsigned i = 0; i < 4; ++i) {
      if (rtl_->tx_valid_o != 0) {
        const Vlsm::Message sent{rtl_->tx_request_o != 0, static_cast<VlsmCode>(rtl_->tx_code_o)};
        step({.event = Event::kRun, .tx_taken = true});
        return sent;
      }
      run();
    }
    return std::nullopt;
  }
  void to_active() {
    step({.event = Event::kColdUp});
    EXPECT_EQ(take(), is_host_ ? std::optional(Vlsm::Message{true, kActive}) : std::nullopt);
    receive(true, kActive);
    receive_rest();
  }
  [[nodiscard]] VlsmCode state() { return static_cast<VlsmCode>(rtl_->state_o); }
  [[nodiscard]] bool tx_open() { return rtl_->tx_open_o != 0; }
  [[nodiscard]] bool rx_open() { return rtl_->rx_open_o != 0; }

  VlsmCode req = kActive;
  bool unexpected = false, retrain = false;

 private:
  void receive_rest() {
    if (is_host_) {
      EXPECT_EQ(take(), (Vlsm::Message{false, kActive}));
    } else {
      EXPECT_EQ(take(), (Vlsm::Message{false, kActive}));
      EXPECT_EQ(take(), (Vlsm::Message{true, kActive}));
    }
    EXPECT_TRUE(rx_open());
    EXPECT_FALSE(tx_open());
    receive(false, kActive);
    EXPECT_EQ(state(), kActive);
    EXPECT_TRUE(tx_open());
  }

  bool is_host_;
  Clocked<Vvlsm> rtl_;
  bool down_ = true;
};

// Brings a machine into the state whose snapshot it is to send.
void prepare(Hand& hand, bool is_host, VlsmCode snapshot) {
  if (snapshot == kReset) {
    hand.req = kReset;
    hand.step({.event = Event::kColdUp});
    return;
  }
  hand.to_active();
  if (snapshot == kActive) return;
  if (snapshot == kRetrain) {  // Active against L1
    hand.step({.event = Event::kGoRecovery});
    hand.step({.event = Event::kWarmUp});
    hand.receive(false, kL1_0);
  } else {
    hand.req = snapshot;
    if (is_host) hand.receive(true, snapshot);
    EXPECT_EQ(hand.take(), (Vlsm::Message{!is_host, snapshot}));
    if (!is_host) hand.receive(false, snapshot);
  }
  EXPECT_EQ(hand.state(), snapshot);
}

class VlsmByHand : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Ends, VlsmByHand, ::testing::Values(true, false),
                         [](const auto& info) { return info.param ? "Host" : "Device"; });

// The specification's table; what it leaves undefined goes to Retrain.
TEST_P(VlsmByHand, StatusSynchronisation) {
  const bool host = GetParam();
  constexpr VlsmCode kCodes[] = {kReset, kActive, kRetrain, kL1_2, kL2};
  constexpr VlsmCode kHost[5][5] = {{kReset, kActive, kRetrain, kRetrain, kReset},
                                    {kActive, kActive, kActive, kRetrain, kRetrain},
                                    {kRetrain, kActive, kRetrain, kRetrain, kRetrain},
                                    {kRetrain, kL1_2, kL1_2, kL1_2, kRetrain},
                                    {kL2, kL2, kRetrain, kRetrain, kL2}};
  for (unsigned sent = 0; sent < 5; ++sent) {
    for (unsigned received = 0; received < 5; ++received) {
      SCOPED_TRACE(::testing::Message() << "sent " << sent << " received " << received);
      Hand hand(host);
      prepare(hand, host, kCodes[sent]);
      hand.step({.event = Event::kGoRecovery});
      hand.step({.event = Event::kWarmUp});
      EXPECT_EQ(hand.take(), (Vlsm::Message{false, kCodes[sent]}));
      hand.receive(false, kCodes[received]);
      EXPECT_FALSE(hand.unexpected);
      const bool device_resets = sent == 1 && received == 4 && !host;
      EXPECT_EQ(hand.state(), device_resets ? kReset : kHost[sent][received]);
      EXPECT_EQ(hand.tx_open(), hand.state() == kActive);
    }
  }
}

// Out of Retrain nothing is sent before both directions are agreed: the peer listens from its own
// Status on, but its link layer is told of the Recovery only when it is Active.
TEST_P(VlsmByHand, OutOfRetrainSilentUntilActive) {
  const bool host = GetParam();
  Hand hand(host);
  prepare(hand, host, kRetrain);
  EXPECT_EQ(hand.take(), (Vlsm::Message{false, kActive}));  // its state before Recovery
  EXPECT_EQ(hand.take(), (Vlsm::Message{true, kActive}));
  hand.receive(false, kActive);  // the own Request is answered, the peer's not yet made
  EXPECT_EQ(hand.state(), kRetrain);
  EXPECT_FALSE(hand.tx_open());
  hand.receive(true, kActive);
  EXPECT_EQ(hand.take(), (Vlsm::Message{false, kActive}));
  EXPECT_EQ(hand.state(), kActive);
  EXPECT_TRUE(hand.tx_open());
}

// A host takes what is no deeper than it wants itself, and is silent otherwise.
TEST(VlsmOneEnd, LowPowerDepth) {
  constexpr VlsmCode kAll[] = {kDapm, kL1_0, kL1_1, kL1_2, kL1_3, kL2};
  for (const VlsmCode own : kAll) {
    for (const VlsmCode asked : kAll) {
      Hand hand(true);
      hand.to_active();
      hand.req = own;
      hand.receive(true, asked);
      EXPECT_FALSE(hand.unexpected);
      const VlsmCode depth = own == kDapm ? kL2 : own;
      const auto answer = hand.take();
      if (asked == kDapm || asked <= depth) {
        const VlsmCode granted = asked == kDapm ? depth : asked;
        EXPECT_EQ(answer, (Vlsm::Message{false, granted}));
        EXPECT_EQ(hand.state(), granted);
      } else {
        EXPECT_EQ(answer, std::nullopt);
        EXPECT_EQ(hand.state(), kActive);
      }
    }
  }
}

// Only the upstream port starts: a host's wish sends nothing, a device does not answer one.
TEST(VlsmOneEnd, LowPowerStartsAtTheDevice) {
  Hand host(true);
  host.to_active();
  host.req = kL1_0;
  EXPECT_EQ(host.take(), std::nullopt);
  Hand device(false);
  device.to_active();
  device.receive(true, kL1_0);
  EXPECT_TRUE(device.unexpected);
  device.req = kL1_1;
  EXPECT_EQ(device.take(), (Vlsm::Message{true, kL1_1}));
  EXPECT_FALSE(device.tx_open());
  EXPECT_TRUE(device.rx_open());
  device.receive(false, kL1_0);
  EXPECT_TRUE(device.unexpected);
  device.receive(false, kL1_1);
  EXPECT_EQ(device.state(), kL1_1);
  EXPECT_FALSE(device.rx_open());
}

// CXL 2.0, 5.1.2.2: the host asks as soon as the link is up and its layer wants it, whatever it has
// heard; the device has nothing to say before its host has asked.
TEST(VlsmOneEnd, HostSpeaksFirst) {
  test::shows("link", "The downstream port sends the first ALMP, unasked", "CXL 2.0, 5.1.2.2");
  Hand host(true);
  host.req = kReset;
  host.step({.event = Event::kColdUp});
  EXPECT_EQ(host.take(), std::nullopt) << "nobody wants it";
  host.req = kActive;
  EXPECT_EQ(host.take(), (Vlsm::Message{true, kActive}));
  EXPECT_EQ(host.take(), std::nullopt) << "it asks once";
  EXPECT_EQ(host.state(), kReset);
}
TEST(VlsmOneEnd, DeviceWaitsForItsHost) {
  test::shows("link", "The upstream port sends nothing before it has heard the downstream port",
              "CXL 2.0, 5.1.2.2");
  Hand device(false);
  device.step({.event = Event::kColdUp});
  for (unsigned i = 0; i < 5000; ++i) EXPECT_EQ(device.take(), std::nullopt);
  device.receive(true, kActive);
  EXPECT_FALSE(device.unexpected);
  EXPECT_EQ(device.take(), (Vlsm::Message{false, kActive}));
  EXPECT_EQ(device.take(), (Vlsm::Message{true, kActive}));
}

// The host may be in L0 first: its Request arrives in Detect, in L2 too, or in the cycle of L0.
TEST(VlsmOneEnd, DeviceHearsItsHostBeforeL0) {
  for (const bool l2 : {false, true}) {
    for (const bool late : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "L2 " << l2 << " in the cycle of L0 " << late);
      Hand device(false);
      if (l2) {
        prepare(device, false, kL2);
        device.step({.event = Event::kGoDown});
        EXPECT_EQ(device.state(), kL2);
        device.req = kActive;
      }
      const Vlsm::Message almp{true, kActive};
      if (late) {
        device.step({.event = Event::kColdUp, .rx_valid = true, .rx = almp});
      } else {
        device.step({.rx_valid = true, .rx = almp});
        EXPECT_FALSE(device.unexpected);
        device.step({.event = Event::kColdUp});
      }
      EXPECT_EQ(device.state(), kReset);
      EXPECT_EQ(device.take(), (Vlsm::Message{false, kActive}));
      EXPECT_EQ(device.take(), (Vlsm::Message{true, kActive}));
    }
  }
  // Anything else is dropped there without a word.
  Hand device(false);
  for (unsigned code = 0; code < 16; ++code) {
    for (const bool request : {false, true}) {
      if (request && code == unsigned(kActive)) continue;
      device.step({.rx_valid = true, .rx = {request, static_cast<VlsmCode>(code)}});
      EXPECT_FALSE(device.unexpected || device.retrain);
    }
  }
  device.step({.event = Event::kColdUp});
  EXPECT_EQ(device.take(), std::nullopt);
}

// CXL 2.0, 5.1.2.5.2: an unrequested Status, also one of Reset at a cold start, is Recovery.
TEST_P(VlsmByHand, UnaskedStatusIsRecovery) {
  for (unsigned code = 0; code < 16; ++code) {
    Hand hand(GetParam());
    hand.req = kReset;
    hand.step({.event = Event::kColdUp});
    hand.receive(false, static_cast<VlsmCode>(code));
    EXPECT_TRUE(hand.unexpected) << code;
    EXPECT_TRUE(hand.retrain) << code;
    EXPECT_EQ(hand.state(), kReset);
  }
}

// CXL 2.0, 5.1.2.4.1: flits of the protocol leave only in Active, not once the own Request is
// answered: the peer's half is still open.
TEST_P(VlsmByHand, FlitsOnlyInActive) {
  test::shows("link", "Protocol flits leave only in Active", "CXL 2.0, 5.1.2.4.1");
  const bool host = GetParam();
  Hand hand(host);
  hand.step({.event = Event::kColdUp});
  if (!host) {
    hand.receive(true, kActive);
    EXPECT_EQ(hand.take(), (Vlsm::Message{false, kActive}));
  }
  EXPECT_EQ(hand.take(), (Vlsm::Message{true, kActive}));
  if (host) {
    hand.receive(false, kActive);  // the device answers and is slow to ask
    for (unsigned i = 0; i < 400; ++i) {
      hand.run();
      EXPECT_FALSE(hand.tx_open());
    }
    hand.receive(true, kActive);
    EXPECT_FALSE(hand.tx_open());
    EXPECT_EQ(hand.take(), (Vlsm::Message{false, kActive}));
  } else {
    for (unsigned i = 0; i < 400; ++i) {
      hand.run();
      EXPECT_FALSE(hand.tx_open());
      EXPECT_TRUE(hand.rx_open());
    }
    hand.receive(false, kActive);
  }
  EXPECT_EQ(hand.state(), kActive);
  EXPECT_TRUE(hand.tx_open());
}

}  // namespace
}  // namespace cxlgpu::test
