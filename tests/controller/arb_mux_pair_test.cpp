// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two RTL ARB/MUXes, host and device, with a link between them: nothing here knows how a block
// works, only what it owes. They reach Active; each protocol's flits arrive once and in order, and
// all of them while no Recovery happens; bandwidth is shared by weight; after any trouble both ends
// are Active again in bounded time.
#include <fmt/format.h>

#include "Varb_mux_pair.h"
#include "tests/controller/arb_link.hpp"

namespace cxlgpu::test {
namespace {

using enum VlsmCode;

class Pair {
 public:
  explicit Pair(const FlexLink::Options& options)
      : random_(options.seed + 77), link_(options), seed_(options.seed) {
    for (ArbPins& pins : pins_) drive(pins, {});
    rtl_.reset();
  }

  void cycle() {
    std::array<ArbMux::In, 2> in;
    for (unsigned e = 0; e < 2; ++e) {
      in[e] = inputs(e);
      drive(pins_[e], in[e]);
    }
    rtl_.settle();
    for (unsigned e = 0; e < 2; ++e) after(e, in[e], outputs(pins_[e]));
    link_.step({FlexLink::Ask{out_[0].retrain_req, out_[0].phy_state},
                FlexLink::Ask{out_[1].retrain_req, out_[1].phy_state}});
    rtl_.edge();
    ++now_;
  }
  void cycles(std::uint64_t n) {
    while (n-- > 0) cycle();
  }
  [[nodiscard]] bool active() const {
    const auto end = [](const ArbMux::Out& out) {
      return out.io_state == kActive && out.cm_state == kActive && !out.retrain_req;
    };
    return link_.settled() && end(out_[0]) && end(out_[1]);
  }
  // Cycles until both ends are Active and remain so for a while (not counted); empty if never.
  std::optional<std::uint64_t> settle(std::uint64_t limit) {
    std::uint64_t since = 0, in_l2 = 0;
    for (std::uint64_t n = 1; n <= limit; ++n) {
      cycle();
      if (!active()) since = n;
      if (n - since >= kStable) return since;
      in_l2 = stuck_in_l2() ? in_l2 + 1 : 0;
      if (in_l2 > kStable) {  // only Detect leads out of L2
        ++l2_detects;
        link_.take_down();
      }
    }
    return std::nullopt;
  }
  void drain() {
    const auto load = std::exchange(load_, {{{0, 0}, {0, 0}}});
    for (unsigned n = 0; n < 400; ++n) cycle();
    for (unsigned e = 0; e < 2; ++e) {
      for (Stream& stream : streams_[e]) stream.drained(link_.epoch(e));
    }
    load_ = load;
  }
  void require_clean() {
    EXPECT_EQ(unsteady, 0u) << "an offer to Flex Bus changed, seed " << seed_ << ", cycle " << now_;
    for (unsigned e = 0; e < 2; ++e) {
      for (Stream& stream : streams_[e]) {
        EXPECT_EQ(stream.problem(), "")
            << (e == 0 ? "host's " : "device's ") << (stream.is_io() ? "io" : "cachemem")
            << " flits, seed " << seed_ << ", cycle " << now_;
      }
    }
  }

  std::array<std::array<unsigned, 2>, 2> load_ = {{{40, 40}, {40, 40}}};  // [end][io, cachemem]
  std::array<unsigned, 2> ready_ = {80, 80};
  std::array<std::array<VlsmCode, 2>, 2> req_ = {{{kActive, kActive}, {kActive, kActive}}};
  std::array<bool, 2> reinit_{};
  std::array<std::optional<unsigned>, 2> weights_{};  // written into both ends in the next cycle
  unsigned damage_percent = 0, forge_permille = 0, swap_permille = 0, lose_percent = 0;
  std::uint64_t l2_detects = 0, damaged = 0;
  std::uint64_t errors = 0, unsteady = 0;

  QuickRandom& random() { return random_; }
  FlexLink& link() { return link_; }
  std::array<Stream, 2>& streams(unsigned e) { return streams_[e]; }
  [[nodiscard]] const ArbMux::Out& out(unsigned e) const { return out_[e]; }
  [[nodiscard]] std::uint64_t now() const { return now_; }

 private:
  static constexpr std::uint64_t kStable = 60;  // more than a round trip

  [[nodiscard]] bool stuck_in_l2() const {
    for (const ArbMux::Out& out : out_) {
      if (link_.settled() && (out.io_state == kL2 || out.cm_state == kL2)) return true;
    }
    return false;
  }

  ArbMux::In inputs(unsigned e) {
    ArbMux::In in{.tx_ready = link_.may_send(e) && random_.percent(ready_[e]),
                  .phy_up = link_.up(e),
                  .phy_recovery = link_.recovery(e)};
    for (unsigned p = 0; p < 2; ++p) streams_[e][p].offer(load_[e][p]);
    // In the first cycle of a new link the layers offer nothing, and the link layer nothing without
    // a link; but what is stalled on the wire stands.
    const ArbMux::Out& last = out_[e];
    const bool stalled = last.tx_valid && last.tx_kind == FlitKind::kCachemem && !last.cm_tx_ready;
    const bool io_first = pins_[e].io_link_up != 0 && !last.io_link_up;
    in.io_tx_valid = streams_[e][0].offered() && !io_first;
    in.io_tx_data = streams_[e][0].flit().payload;
    in.cm_tx_valid = streams_[e][1].offered() && (last.cm_link_up || stalled);
    in.cm_tx_flit = streams_[e][1].flit();
    in.cm_phy_reinit_req = reinit_[e];
    in.io_req = req_[e][0];
    in.cm_req = req_[e][1];
    in.weight_io = weights_[0];
    in.weight_cm = weights_[1];
    arrive(e, in);
    return in;
  }
  void arrive(unsigned e, ArbMux::In& in) {
    const auto flying = link_.arrival(e);
    if (!flying) {
      if (random_.below(1000) >= forge_permille || !link_.up(e)) return;
      in.rx_valid = true;
      in.rx_kind = FlitKind::kAlmp;
      in.rx_flit = forged_almp(random_);
      ++damaged;
      return;
    }
    in.rx_valid = true;
    in.rx_kind = flying->kind;
    in.rx_flit = flying->flit;
    if (in.rx_kind == FlitKind::kAlmp && random_.percent(damage_percent)) {
      damage(in.rx_flit, random_);
      ++damaged;
    } else if (in.rx_kind != FlitKind::kAlmp && random_.below(1000) < swap_permille) {
      in.rx_kind = FlitKind::kAlmp;
      ++damaged;
    } else if (in.rx_kind == FlitKind::kAlmp && random_.percent(lose_percent)) {
      in.rx_valid = false;  // no protocol ID can be made out: Flex Bus goes to Recovery
      link_.start_recovery();
      ++damaged;
    }
  }
  void after(unsigned e, const ArbMux::In& in, const ArbMux::Out& out) {
    // What Flex Bus is offered stands until it is taken or L0 is lost.
    const ArbMux::Out& last = out_[e];
    const bool l0 = in.phy_up && !in.phy_recovery;
    if (stalled_[e] && l0) {
      unsteady += !out.tx_valid || out.tx_kind != last.tx_kind || out.tx_flit != last.tx_flit;
    }
    stalled_[e] = out.tx_valid && !in.tx_ready;
    unsteady += out.tx_valid && (!l0 || out.tx_kind == FlitKind::kNull);
    out_[e] = out;
    errors += out.damaged + out.malformed + out.stray;
    if (out.io_tx_ready) streams_[e][0].taken(link_.epoch(e));
    if (out.cm_tx_ready) streams_[e][1].taken(link_.epoch(e));
    if (out.tx_valid && in.tx_ready) link_.send(e, out.tx_kind, out.tx_flit);
    CrcFlit io;
    io.payload = out.rx_flit.payload;
    if (out.io_rx_valid) streams_[1 - e][0].received(io, link_.spoilt());
    if (out.cm_rx_valid) streams_[1 - e][1].received(out.rx_flit, link_.spoilt());
    if (out.cm_phy_reinit_done) reinit_[e] = false;
    weights_ = e == 1 ? decltype(weights_){} : weights_;
  }

  Clocked<Varb_mux_pair> rtl_;
  std::array<ArbPins, 2> pins_ = {CXLGPU_ARB_PINS((*rtl_), host_), CXLGPU_ARB_PINS((*rtl_), dev_)};
  QuickRandom random_;
  FlexLink link_;
  std::uint64_t seed_;
  std::array<std::array<Stream, 2>, 2> streams_ = {
      {{Stream(seed_ + 1, true), Stream(seed_ + 2, false)},
       {Stream(seed_ + 3, true), Stream(seed_ + 4, false)}}};
  std::array<ArbMux::Out, 2> out_{};
  std::array<bool, 2> stalled_{};
  std::uint64_t now_ = 0;
};

std::uint64_t base_seed(std::uint64_t own) {
  return from_environment("CXLGPU_SEED", own);
}
std::uint64_t budget(std::uint64_t divisor) {
  return from_environment("CXLGPU_CYCLES", 200000) / divisor;
}

// Any flight time, any skew, any load: Active, and then nothing is lost.
TEST(ArbMuxPair, CleanLinkLosesNothing) {
  std::uint64_t flits = 0, slowest = 0;
  const std::uint64_t per_link = 2500;
  for (std::uint64_t n = 0; n < std::max<std::uint64_t>(budget(2) / per_link, 4); ++n) {
    QuickRandom random(base_seed(31) + n);
    Pair pair({.seed = base_seed(31) + n,
               .flight = {1 + unsigned(random.below(20)), 1 + unsigned(random.below(20))},
               .skew = unsigned(random.below(30))});
    for (auto& end : pair.load_) {
      for (unsigned& percent : end) percent = random.pick(std::array{0u, 5u, 50u, 100u});
    }
    for (unsigned& percent : pair.ready_) percent = random.pick(std::array{20u, 47u, 100u});
    const auto taken = pair.settle(1000);
    ASSERT_TRUE(taken) << "not Active, seed " << base_seed(31) + n;
    slowest = std::max(slowest, *taken);
    pair.cycles(per_link);
    pair.drain();
    pair.require_clean();
    EXPECT_EQ(pair.link().recoveries(), 0u) << "seed " << base_seed(31) + n;
    EXPECT_EQ(pair.errors, 0u);
    for (unsigned e = 0; e < 2; ++e) {
      for (unsigned p = 0; p < 2; ++p) {
        const Stream& stream = pair.streams(e)[p];
        EXPECT_EQ(stream.received_count(), stream.taken_count());
        if (pair.load_[e][p] > 0) {
          EXPECT_GT(stream.received_count(), 20u);
        }
        flits += stream.received_count();
      }
    }
  }
  fmt::print("clean: {} flits, Active after at most {} cycles\n", flits, slowest);
}

// Both protocols always offer: shares within 5 % of the weights; alone, a protocol has it all.
TEST(ArbMuxPair, SharesFollowTheWeights) {
  QuickRandom random(base_seed(32));
  for (unsigned n = 0; n < 24; ++n) {
    Pair pair({.seed = base_seed(32) + n});
    const std::array<unsigned, 2> weights = {unsigned(random.bits(4)), unsigned(random.bits(4))};
    pair.weights_ = {weights[0], weights[1]};
    pair.load_ = {{{100, 100}, {100, 100}}};
    pair.ready_ = {random.pick(std::array{30u, 100u}), 100};
    ASSERT_TRUE(pair.settle(1000));
    EXPECT_EQ(pair.out(0).weight_io, weights[0]);
    EXPECT_EQ(pair.out(1).weight_cm, weights[1]);
    std::array<std::array<std::uint64_t, 2>, 2> before{};
    const auto count = [&pair](unsigned e, unsigned p) { return pair.streams(e)[p].taken_count(); };
    for (unsigned e = 0; e < 2; ++e) before[e] = {count(e, 0), count(e, 1)};
    pair.cycles(3000);
    for (unsigned e = 0; e < 2; ++e) {
      const double io = static_cast<double>(count(e, 0) - before[e][0]);
      const double cm = static_cast<double>(count(e, 1) - before[e][1]);
      const double wio = std::max(weights[0], 1u), wcm = std::max(weights[1], 1u);
      EXPECT_NEAR(io / (io + cm), wio / (wio + wcm), 0.05 * wio / (wio + wcm));
      EXPECT_NEAR(cm / (io + cm), wcm / (wio + wcm), 0.05 * wcm / (wio + wcm));
      if (pair.ready_[e] == 100) {
        EXPECT_EQ(io + cm, 3000) << "the link was idle";
      }
    }
    pair.load_ = {{{100, 0}, {0, 100}}};
    pair.cycles(100);  // the last offers of the others leave
    for (unsigned e = 0; e < 2; ++e) before[e] = {count(e, 0), count(e, 1)};
    pair.cycles(500);
    EXPECT_EQ(count(0, 1), before[0][1]);
    EXPECT_EQ(count(1, 1) - before[1][1], 500u);
    if (pair.ready_[0] == 100) {
      EXPECT_EQ(count(0, 0) - before[0][0], 500u);
    }
    pair.drain();
    pair.require_clean();
  }
}

// Host first, then the device, want low power; both sleep, wake, and nothing is lost or in error.
TEST(ArbMuxPair, SleepLosesNothing) {
  const std::uint64_t rounds = std::max<std::uint64_t>(budget(2000), 20);
  std::uint64_t sleeps = 0, flits = 0;
  for (std::uint64_t n = 0; n < rounds; ++n) {
    const std::uint64_t seed = base_seed(34) + n;
    QuickRandom random(seed);
    Pair pair({.seed = seed,
               .flight = {1 + unsigned(random.below(12)), 1 + unsigned(random.below(12))},
               .skew = unsigned(random.below(16))});
    pair.load_ = {{{60, 60}, {60, 60}}};
    ASSERT_TRUE(pair.settle(1000)) << "seed " << seed;
    for (unsigned nap = 0; nap < 4; ++nap) {
      constexpr VlsmCode kL1[] = {kL1_0, kL1_1, kL1_2, kL1_3};
      const bool deep = random.percent(30);
      const std::array<VlsmCode, 2> want = {deep ? kL2 : random.pick(kL1),
                                            deep ? kL2 : random.pick(kL1)};
      pair.req_[0] = want;
      pair.cycles(2);
      pair.req_[1] = random.percent(30) ? std::array{kDapm, kDapm} : want;
      const std::uint64_t before = pair.link().sleeps();
      for (unsigned i = 0; i < 600 && pair.link().sleeps() == before; ++i) pair.cycle();
      EXPECT_EQ(pair.link().sleeps(), before + 1) << "awake, seed " << seed;
      pair.cycles(random.below(60));
      EXPECT_EQ(pair.out(0).io_state, want[0]) << "seed " << seed;
      EXPECT_EQ(pair.out(1).cm_state, want[1]) << "seed " << seed;
      pair.req_ = {{{kActive, kActive}, {kActive, kActive}}};
      ASSERT_TRUE(pair.settle(1000)) << "seed " << seed;
      pair.cycles(100);
    }
    pair.drain();
    pair.require_clean();
    EXPECT_EQ(pair.errors, 0u) << "seed " << seed;
    sleeps += pair.link().sleeps();
    for (unsigned e = 0; e < 2; ++e) {
      for (const Stream& stream : pair.streams(e)) {
        EXPECT_EQ(stream.lost_count(), 0u) << "seed " << seed;
        EXPECT_EQ(stream.received_count(), stream.taken_count()) << "seed " << seed;
        flits += stream.received_count();
      }
    }
  }
  fmt::print("sleep: {} times, {} flits\n", sleeps, flits);
}

// ----------------------------------------------------------------------------------------- trouble

enum class Trouble : unsigned {
  kRecovery,
  kDown,
  kDamage,
  kForged,
  kLost,
  kSwapped,
  kReinit,
  kPower,
  kPowerDamaged,
  kTear,
  kAll,
  kCount,
};
constexpr const char* kTroubleNames[] = {
    "Recovery",   "link down", "damaged ALMPs",     "forged ALMPs", "lost ALMPs", "kind swapped",
    "PHY reinit", "low power", "low power, damage", "link request", "all at once"};

bool is(Trouble trouble, Trouble one) {
  return trouble == one || trouble == Trouble::kAll;
}

void power_plan(Pair& pair) {
  QuickRandom& random = pair.random();
  constexpr VlsmCode kCodes[] = {kDapm, kL1_0, kL1_1, kL1_3, kL2};
  const VlsmCode io = random.pick(kCodes), cm = random.pick(kCodes);
  for (auto& end : pair.req_) {
    end = {random.percent(85) ? io : random.pick(kCodes),
           random.percent(85) ? cm : random.pick(kCodes)};
    if (random.percent(10)) end[random.bits(1)] = kActive;
  }
}

// A stretch of trouble of one kind.
void stir(Pair& pair, Trouble trouble) {
  QuickRandom& random = pair.random();
  const bool power = is(trouble, Trouble::kPower) || trouble == Trouble::kPowerDamaged;
  const bool hurt = is(trouble, Trouble::kDamage) || trouble == Trouble::kPowerDamaged;
  pair.damage_percent = hurt ? 30 : 0;
  pair.lose_percent = is(trouble, Trouble::kLost) ? 30 : 0;
  pair.forge_permille = is(trouble, Trouble::kForged) ? 20 : 0;
  pair.swap_permille = is(trouble, Trouble::kSwapped) ? 20 : 0;
  const bool needs_almps = hurt || trouble == Trouble::kLost;
  if (is(trouble, Trouble::kRecovery) || needs_almps) pair.link().start_recovery();
  if (is(trouble, Trouble::kDown)) pair.link().take_down();
  if (is(trouble, Trouble::kReinit)) pair.reinit_[random.bits(1)] = true;
  if (power) power_plan(pair);
  for (std::uint64_t n = 1 + random.below(300); n > 0; --n) {
    if (is(trouble, Trouble::kRecovery) && random.below(60) == 0) pair.link().start_recovery();
    if (power && random.below(100) == 0) power_plan(pair);
    if (is(trouble, Trouble::kTear) && random.below(80) == 0) {
      constexpr VlsmCode kTears[] = {kLinkReset, kLinkDisable, kLinkError, kRetrain};
      pair.req_[random.bits(1)][random.bits(1)] = random.pick(kTears);
    }
    pair.cycle();
  }
  pair.damage_percent = pair.lose_percent = pair.forge_permille = pair.swap_permille = 0;
}

// The upper layers want to be Active again; LinkError is left through LinkReset.
void calm(Pair& pair) {
  const auto in_error = [&pair](unsigned e) {
    return pair.out(e).io_state == kLinkError || pair.out(e).cm_state == kLinkError;
  };
  pair.req_ = {{{kActive, kActive}, {kActive, kActive}}};
  pair.cycle();  // a request of the last cycle shows now
  for (unsigned e = 0; e < 2; ++e) {
    if (in_error(e)) pair.req_[e] = {kLinkReset, kLinkReset};
  }
  if (in_error(0) || in_error(1)) pair.cycles(2);
  pair.req_ = {{{kActive, kActive}, {kActive, kActive}}};
}

TEST(ArbMuxPair, AlwaysComesBack) {
  constexpr unsigned kKinds = static_cast<unsigned>(Trouble::kCount);
  std::array<std::vector<std::uint64_t>, kKinds> times;
  std::uint64_t cycles = 0, round = 0, lost = 0, received = 0, excused = 0, l2 = 0, damaged = 0;
  const std::uint64_t limit = std::max<std::uint64_t>(budget(1), 20000);
  while (cycles < limit && !::testing::Test::HasFailure()) {
    const std::uint64_t seed = base_seed(33) + round++;
    QuickRandom random(seed);
    Pair pair({.seed = seed,
               .flight = {1 + unsigned(random.below(12)), 1 + unsigned(random.below(12))},
               .skew = unsigned(random.below(24))});
    ASSERT_TRUE(pair.settle(1000)) << "seed " << seed;
    if (random.percent(20)) pair.load_ = {};  // nobody speaks: only ALMPs tell
    for (unsigned n = 0; n < 2 * kKinds; ++n) {
      const auto trouble = static_cast<Trouble>(random.below(kKinds));
      stir(pair, trouble);
      calm(pair);
      const auto taken = pair.settle(1000);
      ASSERT_TRUE(taken) << "not Active again after " << kTroubleNames[unsigned(trouble)]
                         << ", seed " << seed << ", cycle " << pair.now();
      times[unsigned(trouble)].push_back(*taken);
      pair.drain();
      pair.require_clean();
    }
    for (unsigned e = 0; e < 2; ++e) {
      for (const Stream& stream : pair.streams(e)) {
        lost += stream.lost_count();
        received += stream.received_count();
        excused += stream.excused_count();
      }
    }
    l2 += pair.l2_detects;
    damaged += pair.damaged;
    cycles += pair.now();
  }
  fmt::print(
      "{} cycles, {} flits received, {} lost in Recoveries ({} gaps before a second one), {} ALMPs "
      "spoilt, {} times out of L2 through Detect\n",
      cycles, received, lost, excused, damaged, l2);
  fmt::print("{:<32} {:>8} {:>6} {:>6} {:>6}\n", "cycles to Active after the end of", "cases",
             "p50", "p99", "max");
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    std::vector<std::uint64_t>& t = times[kind];
    if (t.empty()) continue;
    std::sort(t.begin(), t.end());
    fmt::print("  {:<31} {:>8} {:>6} {:>6} {:>6}\n", kTroubleNames[kind], t.size(), t[t.size() / 2],
               t[t.size() * 99 / 100], t.back());
  }
}

}  // namespace
}  // namespace cxlgpu::test
