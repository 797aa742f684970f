// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The strict host against the strict device, no RTL between: each must find the other right with
// every legal knob, and each illegal thing must be seen by the other side.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/peer/host.hpp"
#include "tests/peer/standard_device.hpp"

namespace peer {

// GoogleTest finds these by the namespace of the type.
void PrintTo(const DeviceKnob& knob, std::ostream* out) {
  *out << knob.name;
}
void PrintTo(const WrongEntry& entry, std::ostream* out) {
  *out << entry.name;
}

namespace {

struct LineKnobs {
  uint64_t seed = 1;
  unsigned flight = 12;         // cycles of a flit
  unsigned damage_per_64k = 0;  // of CXL.cachemem flits: a bit is turned
  unsigned recovery_every = 0;  // cycles, about
  unsigned down_every = 0;
  unsigned slow_percent = 0;  // of cycles in which no flit is taken
};

// A link of two ends: it trains, carries flits, recovers when asked, and falls.
class LinkLine {
 public:
  LinkLine(LinkEnd& host, LinkEnd& device, const LineKnobs& knobs)
      : ends_{&host, &device}, knobs_(knobs), random_(knobs.seed) {}

  void cycle() {
    ++now_;
    if (state_ == State::Up) {
      if (chance(knobs_.recovery_every))
        begin(State::Recovery, 60);
      else if (chance(knobs_.down_every))
        begin(State::Down, 200);
    } else if (--left_ == 0) {
      state_ = State::Up;
    }
    bool retrain = false;
    for (size_t end = 0; end < 2; ++end) {
      LinkIn in;
      in.phy_up = state_ != State::Down;
      in.phy_recovery = state_ == State::Recovery;
      in.tx_ready = state_ == State::Up && random_() % 100 >= knobs_.slow_percent;
      auto& arrives = way_[1 - end];
      if (state_ == State::Up && !arrives.empty() && arrives.front().first <= now_) {
        in.rx = arrives.front().second;
        arrives.pop_front();
      }
      const LinkOut out = ends_[end]->cycle(in);
      retrain = retrain || (out.retrain && state_ == State::Up);
      if (!out.tx || !in.tx_ready) continue;
      TaggedFlit flit = *out.tx;
      if (flit.first == FlitKind::CacheMem && random_() % 65536 < knobs_.damage_per_64k) {
        flit.second[random_() % flit.second.size()] ^= static_cast<uint8_t>(1U << random_() % 8);
      }
      way_[end].emplace_back(now_ + knobs_.flight, flit);
    }
    if (retrain && state_ == State::Up) begin(State::Recovery, 60);
  }
  uint64_t recoveries() const { return recoveries_; }
  uint64_t downs() const { return downs_; }

 private:
  enum class State : uint8_t { Down, Up, Recovery };
  bool chance(unsigned every) { return every != 0 && random_() % every == 0; }
  void begin(State state, unsigned cycles) {
    state_ = state;
    left_ = cycles;
    ++(state == State::Recovery ? recoveries_ : downs_);
    for (auto& way : way_) way.clear();
  }

  LinkEnd* ends_[2];
  LineKnobs knobs_;
  std::mt19937_64 random_;
  State state_ = State::Down;
  unsigned left_ = 20;
  uint64_t now_ = 0, recoveries_ = 0, downs_ = 0;
  std::deque<std::pair<uint64_t, TaggedFlit>> way_[2];
};

struct Setting {
  HostKnobs host;
  DeviceKnobs device;
  IoDeviceKnobs io;
  LineKnobs line;
};

struct Bench {
  explicit Bench(const Setting& setting)
      : device(setting.device, setting.io), host(setting.host), line(host, device, setting.line) {}
  bool run(uint64_t limit) {
    while (!host.done() && cycles < limit) {
      line.cycle();
      ++cycles;
    }
    return host.done();
  }
  StandardDevice device;
  Host host;
  LinkLine line;
  uint64_t cycles = 0;
};

std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (size_t n = 0; n < lines.size() && n < 6; ++n) text += "\n  " + lines[n];
  return text;
}

void expect_both_right(const Setting& setting) {
  Bench bench(setting);
  EXPECT_TRUE(bench.run(3'000'000)) << bench.host.where();
  EXPECT_TRUE(bench.host.violations().empty())
      << "of the device:" << lines_of(bench.host.violations());
  EXPECT_TRUE(bench.host.findings().empty())
      << "registers of the device:" << lines_of(bench.host.findings());
  EXPECT_TRUE(bench.device.mem().violations().empty())
      << "of the host:" << lines_of(bench.device.mem().violations());
  const auto io = bench.device.io().violations();
  EXPECT_TRUE(io.empty()) << "of the host, CXL.io:" << lines_of(io);
  EXPECT_GE(bench.host.counts().answered, setting.host.requests);
}

Setting usual() {
  Setting s;
  s.host.requests = 1500;
  s.host.lines = 128;
  return s;
}

// ---- the device's choices --------------------------------------------------------------------

class PairDeviceKnobs : public ::testing::TestWithParam<DeviceKnob> {};
TEST_P(PairDeviceKnobs, BothAreRight) {
  Setting s = usual();
  s.device = GetParam().set;
  s.host.device_may_poison = s.device.poison_per_64k != 0;
  expect_both_right(s);
}
INSTANTIATE_TEST_SUITE_P(Peer, PairDeviceKnobs,
                         ::testing::ValuesIn(legal_device_knobs().begin(),
                                             legal_device_knobs().end()),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- the host's choices ----------------------------------------------------------------------

struct HostCase {
  const char* name;
  void (*set)(Setting&);
};
void PrintTo(const HostCase& one, std::ostream* out) {
  *out << one.name;
}
const HostCase kHostCases[] = {
    {"one_credit", [](Setting& s) { s.host.one_credit_at_a_time = true; }},
    {"smallest_buffers", [](Setting& s) { s.host.drs_buffer = s.host.ndr_buffer = 1; }},
    {"late_acceptance",
     [](Setting& s) {
       s.host.accept_latency_max = 200;
       s.host.drs_buffer = s.host.ndr_buffer = 4;
     }},
    {"packing_0", [](Setting& s) { s.host.packing = 0; }},
    {"packing_1", [](Setting& s) { s.host.packing = 1; }},
    {"packing_2", [](Setting& s) { s.host.packing = 2; }},
    {"packing_3", [](Setting& s) { s.host.packing = 3; }},
    {"smallest_llrb", [](Setting& s) { s.host.llrb_depth = 22; }},
    {"largest_llrb", [](Setting& s) { s.host.llrb_depth = 255; }},
    {"wrap_inclusive",
     [](Setting& s) {
       s.host.llr_wrap_inclusive = s.device.wrap_inclusive = true;
       s.host.retry_rate = s.device.retry_per_64k = 600;
     }},
    {"retries", [](Setting& s) { s.host.retry_rate = 600; }},
    {"bad_crc", [](Setting& s) { s.host.damage_rate = 600; }},
    {"damage", [](Setting& s) { s.line.damage_per_64k = 600; }},
    {"retrains", [](Setting& s) { s.host.retrain_rate = 20; }},
    {"recovery", [](Setting& s) { s.line.recovery_every = 2000; }},
    {"recovery_and_damage",
     [](Setting& s) {
       s.line.recovery_every = 1500;
       s.line.damage_per_64k = 300;
       s.host.io_background = true;
     }},
    {"late_init_param", [](Setting& s) { s.host.hold_init_param = true; }},
    {"slow_line", [](Setting& s) { s.line.slow_percent = 80; }},
    {"far_away", [](Setting& s) { s.line.flight = 200; }},
    {"one_line_overlap",
     [](Setting& s) {
       s.host.lines = 1;
       s.host.same_line_overlap = true;
     }},
    {"conflicts",
     [](Setting& s) {
       s.host.conflict_rate = 30000;
       s.host.poison_rate = 3000;
       s.device.out_of_order = true;
       s.device.latency_max = 200;
     }},
    {"conflicts_late_writes",
     [](Setting& s) {
       s.host.lines = 8;
       s.host.conflict_rate = 60000;
       s.host.poison_rate = 3000;
       s.device.writes_late = s.device.out_of_order = s.device.half_lines = true;
       s.device.latency_max = 200;
       s.device.half_gap_max = 30;
     }},
    {"tags_at_once", [](Setting& s) { s.host.tags_at_once = true; }},
    {"strides", [](Setting& s) { s.host.strides = true; }},
    {"bursts",
     [](Setting& s) {
       s.host.burst = 200;
       s.host.conflict_rate = 10000;
       s.host.spec_near_rate = 30000;
     }},
    {"one_at_a_time", [](Setting& s) { s.host.outstanding = 1; }},
    {"poison", [](Setting& s) { s.host.poison_rate = 6000; }},
    {"viral", [](Setting& s) { s.host.viral_at = 1000; }},
    {"ranges", [](Setting& s) { s.host.use_ranges = true; }},
    {"config_lock", [](Setting& s) { s.host.config_lock = s.host.lock_on_commit = true; }},
    {"late_acks", [](Setting& s) { s.host.flush_retimer = 500; }},
    {"cache_credits", [](Setting& s) { s.host.cache_credits = true; }},
    {"late_status", [](Setting& s) { s.host.status_delay = 300; }},
    {"no_power_management", [](Setting& s) { s.host.power_management = false; }},
    {"io_background", [](Setting& s) { s.host.io_background = true; }},
    {"io_high_bar", [](Setting& s) { s.host.io_bar_above_4g = s.host.io_background = true; }},
    {"io_one_completion",
     [](Setting& s) {
       s.host.io_completion_credits = 1;
       s.host.io_background = true;
     }},
    {"io_bad_crc",
     [](Setting& s) {
       s.host.io_tlp_damage_rate = s.host.io_dllp_damage_rate = 3000;
       s.host.io_background = true;
       s.io.clean_line = false;
     }},
    {"io_no_feature", [](Setting& s) { s.host.io_data_link_feature = false; }},
    {"io_device_smallest_credits",
     [](Setting& s) {
       s.io.smallest_credits = true;
       s.host.io_background = true;
     }},
    {"io_device_infinite_credits",
     [](Setting& s) { s.io.infinite_credits = s.host.io_background = true; }},
    {"io_retry_status", [](Setting& s) { s.io.retry_status_cycles = 8000; }},
    {"io_slow_device",
     [](Setting& s) {
       s.io.latency_max = 300;
       s.io.ack_delay_max = 500;
       s.host.io_background = true;
     }},
    {"link_down",
     [](Setting& s) {
       s.line.down_every = 20000;
       s.host.survives_reset = true;
       s.host.requests = 6000;
     }},
};
class PairHostKnobs : public ::testing::TestWithParam<HostCase> {};
TEST_P(PairHostKnobs, BothAreRight) {
  Setting s = usual();
  GetParam().set(s);
  expect_both_right(s);
}
INSTANTIATE_TEST_SUITE_P(Peer, PairHostKnobs, ::testing::ValuesIn(kHostCases),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- what neither may do ---------------------------------------------------------------------

// The device of this directory notes what a host does wrong in its list; it has no RAS logic for
// it. So the list has to grow, or, where the standard asks for an answer, the answer has to be
// right.
class PairHostWrongs : public ::testing::TestWithParam<Rule> {};
TEST_P(PairHostWrongs, DeviceSees) {
  Setting s = usual();
  s.host.illegal = GetParam().what;
  s.host.illegal_at = 200;
  s.host.requests = 600;
  s.io.clean_line = true;
  Bench bench(s);
  bench.run(2'000'000);
  const bool legal_to_see =
      GetParam().reaction == Reaction::AllOnes || GetParam().reaction == Reaction::Dropped ||
      GetParam().reaction == Reaction::UnsupportedRequest ||
      GetParam().reaction == Reaction::NotExecuted || GetParam().reaction == Reaction::AckAgain ||
      GetParam().reaction == Reaction::Completes ||
      GetParam().reaction == Reaction::AdvisoryOrLogged;
  if (legal_to_see) {
    EXPECT_TRUE(bench.host.reaction_seen())
        << bench.host.where() << lines_of(bench.host.violations());
  } else {
    const bool seen = !bench.device.mem().violations().empty() ||
                      !bench.device.io().violations().empty() || bench.line.recoveries() != 0;
    EXPECT_TRUE(seen) << bench.host.where();
  }
}
INSTANTIATE_TEST_SUITE_P(Peer, PairHostWrongs, ::testing::ValuesIn(rules().begin(), rules().end()),
                         [](const auto& info) { return std::string(info.param.name); });

class PairDeviceWrongs : public ::testing::TestWithParam<WrongEntry> {};
TEST_P(PairDeviceWrongs, HostSees) {
  const Wrong wrong = GetParam().wrong;
  Setting s = usual();
  s.host.requests = 3000;
  s.host.patience = 30'000;
  Bench bench(s);
  const bool early = begins_a_link(wrong);
  if (early) bench.device.mem().do_wrong(wrong);
  bool done = early;
  while (!bench.host.done() && bench.cycles < 400'000) {
    if (!done && bench.host.counts().answered > 300) {
      bench.device.mem().do_wrong(wrong);
      done = true;
    }
    bench.line.cycle();
    ++bench.cycles;
  }
  // Two cannot be told from what is right: a slot that a link without the defeature bit allows, and
  // a first ALMP of the device that was on its way when the host sent its own.
  const bool legal = wrong == Wrong::MdhAnyway || wrong == Wrong::SpeaksFirst;
  const bool seen = !bench.host.violations().empty() || bench.line.recoveries() != 0;
  EXPECT_EQ(seen, !legal) << bench.host.where() << lines_of(bench.host.violations());
}
INSTANTIATE_TEST_SUITE_P(Peer, PairDeviceWrongs,
                         ::testing::ValuesIn(device_wrongs().begin(), device_wrongs().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace peer
