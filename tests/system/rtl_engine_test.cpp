// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The RTL and the cosim as whole systems: random traffic, every load checked, every flit checked,
// under every policy and fault, the same again from the same seed.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <memory>

#include "common/input_error.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "tb/system_engine.hpp"
#include "tests/common/environment.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/ask.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/recorder.hpp"
#include "tests/system/simple_media.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;
constexpr std::uint64_t kSize = 512 << 20;
constexpr Time kLimit{4'000'000'000};  // 4 ms: far beyond any run here

// Media whose every n-th read comes back with one bit wrong: what a broken side looks like.
class FlippingMedia : public SimpleMedia {
 public:
  FlippingMedia(std::uint64_t seed, Time low, Time high, unsigned every)
      : SimpleMedia(seed, low, high), every_(every) {}
  std::optional<MediaResponse> take(Time now) override {
    auto response = SimpleMedia::take(now);
    const bool read = response && response->op == MediaOp::Read;
    if (read && every_ != 0 && ++reads_ % every_ == 0) response->data[5] ^= 0x10;
    return response;
  }

 private:
  unsigned every_;
  std::uint64_t reads_ = 0;
};

class EventCounter : public TraceSink {
 public:
  void on_event(const TraceEvent& event) override {
    ++count_[static_cast<std::size_t>(event.stage)];
  }
  [[nodiscard]] std::uint64_t operator[](Stage stage) const {
    return count_[static_cast<std::size_t>(stage)];
  }

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Stage::Count)> count_{};
};

struct Scenario {
  RunConfig config;
  RandomTraffic::Options traffic;
  bool cached = false;
  unsigned sets_log2 = 3;           // of the internal DRAM
  Time low{500000}, high{3000000};  // media latency
  unsigned flip_rtl_every = 0, flip_model_every = 0;
};

struct Outcome {
  RunStatus status = RunStatus::Deadlock;
  Time end;
  std::uint64_t answered = 0, mismatches = 0, cycles = 0;
  bool clean = false;
  std::string first_mismatch;
  std::vector<std::string> problems;
  std::vector<Line> answers;
  std::array<LinkTotals, 2> link;
  EventCounter events;
  std::optional<CosimReport> cosim;
};

std::uint64_t seed() {
  return test::from_environment("CXLGPU_SEED", 1);
}

Scenario make_scenario(const std::string& engine, SrPolicy policy) {
  Scenario scenario;
  scenario.config.engine = engine;
  scenario.config.ports = 2;
  scenario.config.hdm = {{kBase, kSize, 1024, {0, 1}}};
  scenario.config.root_port.policy = policy;
  scenario.config.seed = seed();
  scenario.traffic.seed = seed();
  scenario.traffic.base = kBase;
  scenario.traffic.requests = 3000;
  return scenario;
}

// The link decides how fast this goes, and the requests do not depend on how fast it goes.
Scenario link_bound(const std::string& engine, SrPolicy policy) {
  Scenario scenario = make_scenario(engine, policy);
  scenario.low = Time{20000};
  scenario.high = Time{60000};
  scenario.traffic.lines = 256;
  scenario.traffic.idle_share = 0;
  return scenario;
}

Outcome run_system(const Scenario& scenario) {
  std::cout << "engine " << scenario.config.engine << " policy "
            << static_cast<int>(scenario.config.root_port.policy)
            << (scenario.cached ? " cached" : "") << " CXLGPU_SEED=" << scenario.traffic.seed
            << std::endl;
  Outcome outcome;
  std::vector<std::unique_ptr<Media>> media;
  EngineParts parts{{scenario.cached, scenario.sets_log2}, {}, {}, &outcome.events};
  const auto add_part = [&](std::vector<Media*>& side, unsigned port, unsigned flip) {
    media.push_back(std::make_unique<FlippingMedia>(scenario.traffic.seed + port, scenario.low,
                                                    scenario.high, flip));
    side.push_back(media.back().get());
  };
  for (unsigned port = 0; port < scenario.config.ports; ++port) {
    add_part(parts.media, port, scenario.flip_rtl_every);
    if (scenario.config.engine == "cosim")
      add_part(parts.model_media, port, scenario.flip_model_every);
  }
  const auto engine = make_engine(scenario.config, parts, {});
  Recorder recorder(*engine);
  CheckedEngine checked(recorder);
  RandomTraffic traffic(scenario.traffic);
  const RunResult result = run(traffic, checked, kLimit);
  engine->finish();
  outcome.status = result.status;
  outcome.end = result.end;
  outcome.answered = traffic.answered();
  outcome.mismatches = checked.mismatches();
  outcome.clean = checked.clean() && checked.outstanding() == 0;
  if (!checked.records().empty()) outcome.first_mismatch = to_string(checked.records()[0]);
  outcome.problems = engine->problems();
  outcome.cycles = engine->cycles();
  outcome.answers = recorder.answers();
  outcome.link = {engine->link(0), engine->link(1)};
  if (engine->cosim() != nullptr) outcome.cosim = *engine->cosim();
  return outcome;
}

void expect_clean(const Scenario& scenario, const Outcome& outcome) {
  EXPECT_EQ(outcome.status, RunStatus::Done) << to_string(outcome.status);
  EXPECT_EQ(outcome.answered, scenario.traffic.requests);
  EXPECT_EQ(outcome.mismatches, 0u) << outcome.first_mismatch;
  EXPECT_TRUE(outcome.clean);
  EXPECT_TRUE(outcome.problems.empty()) << outcome.problems[0];
  EXPECT_GE(outcome.cycles * kCycle.ps, outcome.end.ps);
  EXPECT_EQ(outcome.cosim.has_value(), scenario.config.engine == "cosim");
  if (!outcome.cosim) return;
  EXPECT_EQ(outcome.cosim->compared, scenario.traffic.requests);
  EXPECT_EQ(outcome.cosim->data_mismatches, 0u);
  EXPECT_EQ(outcome.cosim->path_mismatches, 0u);
}

class RtlEngineTiming : public ::testing::TestWithParam<SrPolicy> {};
INSTANTIATE_TEST_SUITE_P(Policies, RtlEngineTiming,
                         ::testing::Values(SrPolicy::Off, SrPolicy::Naive, SrPolicy::Dyn,
                                           SrPolicy::SrPaper, SrPolicy::Sr, SrPolicy::Stream));

// On a clean link the model passes every stage in the RTL's cycle, also where the internal DRAM is
// too small, MSHRs and ways run out and the endpoint's queue of MemSpecRd overflows.
TEST_P(RtlEngineTiming, EveryStageIsPassedInTheSameCycle) {
  test::shows("order", "RTL and model pass every request through every stage in the same cycle",
              "docs/results.md, RTL against model");
  for (const unsigned sets_log2 : {1u, 2u, 3u}) {
    for (const unsigned outstanding : {64u, 256u}) {
      Scenario scenario = make_scenario("cosim", GetParam());
      scenario.cached = true;
      scenario.sets_log2 = sets_log2;
      scenario.traffic.outstanding = outstanding;
      scenario.traffic.requests = 1500 * test::volume();
      scenario.traffic.idle_share = 0;
      const Outcome outcome = run_system(scenario);
      expect_clean(scenario, outcome);
      EXPECT_EQ(outcome.cosim->time_differences, 0u) << "sets 2^" << sets_log2;
    }
  }
}

struct Case {
  const char* engine;
  SrPolicy policy;
  bool cached;
};

std::string name_of(const Case& c) {
  constexpr std::array<const char*, 6> kPolicies = {"off",   "naive",       "dyn",
                                                    "paper", "directional", "stream"};
  return std::string(c.engine) + "_" + kPolicies[static_cast<std::size_t>(c.policy)] +
         (c.cached ? "_cached" : "_uncached");
}

// GoogleTest prints the bytes of what it cannot print, padding as well.
void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c);
}

class RtlEngineTest : public ::testing::TestWithParam<Case> {};

TEST_P(RtlEngineTest, RandomTrafficIsAnsweredWithItsData) {
  test::shows("order",
              "Every load returns the bytes last written, partial writes merged, under random "
              "traffic on both ports",
              "docs/blocks/root_port/memory_queue.md");
  Scenario scenario = make_scenario(GetParam().engine, GetParam().policy);
  scenario.cached = GetParam().cached;
  if (!scenario.cached) {
    scenario.traffic.lines = 64;  // requests meet each other all the time, which takes its time
    scenario.traffic.requests = 1500;
  }
  const Outcome outcome = run_system(scenario);
  expect_clean(scenario, outcome);
  EXPECT_EQ(outcome.events[Stage::SysRespond], scenario.traffic.requests);
  const bool speculates = scenario.cached && GetParam().policy != SrPolicy::Off;
  EXPECT_EQ(outcome.events[Stage::SpecIssue] > 0, GetParam().policy != SrPolicy::Off);
  EXPECT_EQ(outcome.events[Stage::SpecFill] > 0, speculates);
  for (const LinkTotals& link : outcome.link) {
    EXPECT_GT(link.m2s.all, 0u);
    EXPECT_GT(link.s2m.all, 0u);
    EXPECT_EQ(link.m2s.damaged + link.s2m.damaged, 0u);
  }
}

// cosim has the RTL in it, too; `rtl` by itself with each policy is the night's.
std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* engine : {"rtl", "cosim"}) {
    for (const SrPolicy policy : {SrPolicy::Off, SrPolicy::Naive, SrPolicy::Dyn, SrPolicy::SrPaper,
                                  SrPolicy::Sr, SrPolicy::Stream}) {
      const bool by_night = engine == std::string("rtl") && policy != SrPolicy::Sr;
      if (by_night && test::volume() == 1) continue;
      for (const bool cached : {false, true}) cases.push_back({engine, policy, cached});
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, RtlEngineTest, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return name_of(info.param); });

class RtlEngineKind : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RtlEngineKind, ::testing::Values("rtl", "cosim"));

TEST_P(RtlEngineKind, BitErrorsCostTimeNotData) {
  struct Noise {
    double rate;
    std::uint64_t requests;  // at 1e-4 whole retry sequences are lost, and a timeout is 4096 flits
  };
  for (const Noise noise : {Noise{1e-5, 2000}, Noise{1e-4, 300}}) {
    SCOPED_TRACE(noise.rate);
    Scenario scenario = link_bound(GetParam(), SrPolicy::Off);
    scenario.traffic.requests = noise.requests;
    const Outcome clean = run_system(scenario);
    expect_clean(scenario, clean);
    scenario.config.link.bit_error_rate_m2s = noise.rate;
    scenario.config.link.bit_error_rate_s2m = noise.rate;
    const Outcome noisy = run_system(scenario);
    expect_clean(scenario, noisy);
    std::cout << "bit error rate " << noise.rate << ": " << clean.end.ns() << " -> "
              << noisy.end.ns() << " ns" << std::endl;
    EXPECT_EQ(noisy.answers, clean.answers);
    EXPECT_GT(noisy.end, clean.end);
    LinkCounters m2s, s2m;
    for (const LinkTotals& link : noisy.link) {
      m2s.damaged += link.m2s.damaged;
      m2s.retry += link.m2s.retry;
      s2m.damaged += link.s2m.damaged;
      s2m.retry += link.s2m.retry;
    }
    EXPECT_GT(m2s.damaged, 0u);
    EXPECT_GT(s2m.damaged, 0u);
    // At least one RETRY.Req or Ack with its five frames each way.
    EXPECT_GE(m2s.retry, 6u);
    EXPECT_GE(s2m.retry, 6u);
  }
}

TEST_P(RtlEngineKind, BitErrorsWithSpeculationKeepTheData) {
  test::shows("link", "Bit errors under speculation cost time and no data",
              "CXL 2.0, 4.2.8 (retry)");
  Scenario scenario = make_scenario(GetParam(), SrPolicy::Sr);
  scenario.cached = true;
  scenario.traffic.requests = 300;
  scenario.config.link.bit_error_rate_m2s = scenario.config.link.bit_error_rate_s2m = 1e-4;
  const Outcome outcome = run_system(scenario);
  expect_clean(scenario, outcome);
  EXPECT_GT(outcome.link[0].m2s.damaged + outcome.link[1].m2s.damaged, 0u);
}

// A lost retry sequence during training costs a timeout of 4096 flits, and may be lost again.
TEST(RtlEngineTraining, NoisyLinksTrainWithEverySeed) {
  for (std::uint64_t link_seed = 1; link_seed <= 8; ++link_seed) {
    SCOPED_TRACE(link_seed);
    Scenario scenario = link_bound("rtl", SrPolicy::Off);
    scenario.config.seed = link_seed;
    scenario.config.link.bit_error_rate_m2s = scenario.config.link.bit_error_rate_s2m = 1e-4;
    scenario.traffic.requests = 20;
    EXPECT_NO_THROW(expect_clean(scenario, run_system(scenario)));
  }
}

TEST_P(RtlEngineKind, LostMemSpecRdChangesNoData) {
  test::shows("sr", "A lost MemSpecRd changes no data, in any engine",
              "CXL 2.0, CXL.mem (MemSpecRd)");
  Scenario scenario = make_scenario(GetParam(), SrPolicy::Sr);
  scenario.cached = true;
  scenario.traffic.idle_share = 0;  // the same requests whatever the time
  const Outcome whole = run_system(scenario);
  expect_clean(scenario, whole);
  ASSERT_GT(whole.events[Stage::SpecFill], 0u);

  scenario.config.link.drop_spec_every = 4;
  const Outcome lossy = run_system(scenario);
  expect_clean(scenario, lossy);
  EXPECT_EQ(lossy.answers, whole.answers);
  EXPECT_GT(lossy.events[Stage::SpecFill], 0u);

  scenario.config.link.drop_spec_every = 1;  // none arrives
  const Outcome none = run_system(scenario);
  expect_clean(scenario, none);
  EXPECT_EQ(none.answers, whole.answers);
  EXPECT_GT(none.events[Stage::SpecIssue], 0u);
  EXPECT_EQ(none.events[Stage::SpecFill], 0u);
}

TEST_P(RtlEngineKind, SameSeedGivesTheSameRun) {
  Scenario scenario = make_scenario(GetParam(), SrPolicy::Sr);
  scenario.cached = true;
  scenario.config.link.bit_error_rate_s2m = 1e-5;
  const Outcome first = run_system(scenario);
  const Outcome second = run_system(scenario);
  EXPECT_EQ(first.end, second.end);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.answers, second.answers);
  for (std::size_t port = 0; port < first.link.size(); ++port) {
    EXPECT_EQ(first.link[port].m2s.all, second.link[port].m2s.all);
    EXPECT_EQ(first.link[port].s2m.all, second.link[port].s2m.all);
    EXPECT_EQ(first.link[port].s2m.damaged, second.link[port].s2m.damaged);
  }
  scenario.traffic.seed += 1000;
  EXPECT_NE(run_system(scenario).end, first.end);
}

TEST_P(RtlEngineKind, UnmappedAddressIsAnsweredWithAnError) {
  const Scenario scenario = make_scenario(GetParam(), SrPolicy::Off);
  std::vector<SimpleMedia> media(4, SimpleMedia(1, Time{1000}, Time{1000}));
  EngineParts parts{{false, 0}, {&media[0], &media[1]}, {}, nullptr};
  if (scenario.config.engine == "cosim") parts.model_media = {&media[2], &media[3]};
  const auto engine = make_engine(scenario.config, parts, {});
  for (const std::uint64_t addr : {std::uint64_t{0x1000}, kBase - 64, kBase + kSize}) {
    const MemResponse read = ask(*engine, addr, false);
    EXPECT_EQ(read.id, 5u);
    EXPECT_TRUE(read.error);
    EXPECT_EQ(read.data[0], 0xff);
    const MemResponse write = ask(*engine, addr, true);
    EXPECT_TRUE(write.is_write);
    EXPECT_TRUE(write.error);
  }
  // The first and the last line of the range are there, and hold what is written.
  for (const std::uint64_t addr : {kBase, kBase + kSize - 64}) {
    EXPECT_FALSE(ask(*engine, addr, true).error);
    const MemResponse read = ask(*engine, addr, false);
    EXPECT_FALSE(read.error);
    EXPECT_EQ(read.data[63], 0x5a);
  }
  engine->finish();
  EXPECT_TRUE(engine->problems().empty()) << engine->problems()[0];
}

TEST_P(RtlEngineKind, RefusesAnotherNumberOfPorts) {
  Scenario scenario = make_scenario(GetParam(), SrPolicy::Off);
  scenario.config.ports = 4;
  EXPECT_THROW(run_system(scenario), InputError);
}

// The checks themselves: a wrong bit has to be seen.
TEST(RtlEngineChecks, WrongDataFromTheMediaIsSeen) {
  for (const char* engine : {"rtl", "cosim"}) {
    Scenario scenario = make_scenario(engine, SrPolicy::Off);
    scenario.flip_rtl_every = 50;
    EXPECT_GT(run_system(scenario).mismatches, 0u);
  }
}

// A part whose time must not go back; it stands still until the run begins.
class ClockedMedia : public SimpleMedia {
 public:
  ClockedMedia() : SimpleMedia(1, Time{20000}, Time{60000}) {}
  std::optional<MediaResponse> take(Time now) override {
    EXPECT_GE(now, last_);
    last_ = now;
    return SimpleMedia::take(now);
  }
  [[nodiscard]] Time last() const { return last_; }

 private:
  Time last_{0};
};

TEST(RtlEngineChecks, TheMediasClockStartsWithTheRun) {
  std::array<ClockedMedia, 2> media;
  const auto engine = make_engine(make_scenario("rtl", SrPolicy::Off).config,
                                  {{false, 0}, {&media[0], &media[1]}, {}, nullptr}, {});
  EXPECT_EQ(engine->now(), Time{0});
  EXPECT_EQ(media[0].last(), Time{0});
  EXPECT_FALSE(ask(*engine, kBase, true).error);
  EXPECT_GT(media[0].last(), Time{0});
  EXPECT_LE(media[0].last(), engine->now());
}

TEST(RtlEngineChecks, ModelThatDiffersIsSeen) {
  Scenario scenario = make_scenario("cosim", SrPolicy::Off);
  scenario.flip_model_every = 50;
  const Outcome outcome = run_system(scenario);
  EXPECT_EQ(outcome.mismatches, 0u);  // the RTL's data is right
  EXPECT_GT(outcome.cosim->data_mismatches, 0u);
  EXPECT_EQ(outcome.cosim->path_mismatches, 0u);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_NE(outcome.problems[0].find("response differs"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
