// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Machines other than the RTL's: sizes of queues, ring, MemSpecRd, internal DRAM lines and
// deterministic store. Whatever they are, no byte is lost or stale; each does what it is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "common/opcodes.hpp"
#include "model/engine.hpp"
#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/host/trace_initiator.hpp"
#include "sim/machine/endpoint_media.hpp"
#include "sim/media/media_config.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/system/random_traffic.hpp"
#include "tests/system/soak_trace.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;
constexpr Time kLimit{1'000'000'000'000};

RunConfig two_ports(SrPolicy policy) {
  RunConfig config;
  config.engine = "model";
  config.ports = 2;
  config.hdm = {{kBase, 512ull << 20, 1024, {0, 1}}};
  config.root_port.policy = policy;
  return config;
}

std::uint64_t seed() {
  return test::from_environment("CXLGPU_SEED", 1);
}

// ---- no byte lost or stale ---------------------------------------------------------------------

using Change = std::function<void(RunConfig&)>;
struct Machine {
  std::string name;
  Change make;
};

template <typename Member>
void add(std::vector<Machine>& all, const std::string& name, Member member,
         const std::vector<unsigned>& values) {
  for (const unsigned value : values) {
    all.push_back(
        {name + std::to_string(value), [member, value](RunConfig& c) { member(c) = value; }});
  }
}

const std::vector<Machine>& machines() {
  static const std::vector<Machine> all = [] {
    std::vector<Machine> list;
    add(list, "SrQueue", [](RunConfig & c) -> auto& { return c.root_port.sr_queue_entries; },
        {1, 2, 7, 33, 64});
    add(list, "MemoryQueue",
        [](RunConfig & c) -> auto& { return c.root_port.memory_queue_entries; }, {3, 4, 17, 64});
    add(list, "Ring", [](RunConfig & c) -> auto& { return c.root_port.ring_entries; },
        {16, 32, 256, 4096});
    add(list, "SpecCap", [](RunConfig & c) -> auto& { return c.root_port.spec_cap_bytes; },
        {256, 512, 768});
    add(list, "DsLines", [](RunConfig & c) -> auto& { return c.root_port.ds_lines; },
        {16, 64, 512, 4096});
    add(list, "Line", [](RunConfig & c) -> auto& { return c.endpoint.line_bytes; },
        {64, 128, 256, 512, 1024, 2048, 4096, 16384});
    add(list, "DsWrites", [](RunConfig & c) -> auto& { return c.root_port.ds_writes; }, {33, 64});
    add(list, "Mshrs", [](RunConfig & c) -> auto& { return c.endpoint.mshrs; }, {16, 64, 256});
    add(list, "Lanes", [](RunConfig & c) -> auto& { return c.link.lanes; }, {1, 16});
    for (unsigned n = 0; n < 12; ++n) {
      list.push_back({"Mixed" + std::to_string(n), [n](RunConfig& c) {
                        std::mt19937_64 rng(seed() * 100 + n);
                        c.root_port.sr_queue_entries = 1 + rng() % 64;
                        c.root_port.memory_queue_entries = 3 + rng() % 62;
                        c.root_port.ring_entries = 16u << rng() % 9;
                        c.root_port.spec_cap_bytes = 256 * (1 + rng() % 4);
                        c.root_port.ds_lines = 16u << rng() % 9;
                        c.endpoint.line_bytes = 64u << rng() % 9;
                        c.root_port.ds_writes = 32 + rng() % 33;
                        c.endpoint.mshrs = 16u << rng() % 5;
                        c.link.lanes = 1u << rng() % 5;
                      }});
    }
    return list;
  }();
  return all;
}

class MachineTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static const Machine& machine() { return machines()[GetParam()]; }

  // With and without speculation and deterministic store, against a flat memory: each load, and
  // the endpoints' contents once all is drained.
  template <typename MakeInitiator>
  void run_everywhere(std::uint64_t lines_a_slot, MakeInitiator make) {
    for (const SrPolicy policy : {SrPolicy::Off, SrPolicy::Sr, SrPolicy::Stream}) {
      for (const bool ds : {false, true}) {
        SCOPED_TRACE(machine().name + ", policy " + std::to_string(static_cast<int>(policy)) +
                     (ds ? ", ds" : "") + ", CXLGPU_SEED=" + std::to_string(seed()));
        TestSystemOptions options;
        options.config = two_ports(policy);
        options.config.root_port.ds = ds;
        machine().make(options.config);
        options.cached = true;
        options.sets_log2 = 1;
        options.seed = seed();
        // Of both ports' slots, several times: lines come and go.
        const std::uint64_t lines = 2 * 16 * options.config.endpoint.line_bytes / kLineBytes;
        TestSystem system(options);
        const auto initiator = make(lines * lines_a_slot);
        ASSERT_TRUE(system.run_all(*initiator));
        EXPECT_TRUE(system.drain_and_compare());
        system.finish();
        std::uint64_t fills = 0;
        for (unsigned port = 0; port < 2; ++port) {
          const auto dram = system.engine().internal_dram(port);
          ASSERT_TRUE(dram);
          fills += dram->demand_fills + dram->spec_fills;
        }
        EXPECT_GT(fills, 2 * 2 * 16u) << "lines were displaced";
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Sizes, MachineTest, ::testing::Range<std::size_t>(0, machines().size()),
                         [](const auto& info) { return machines()[info.param].name; });

TEST_P(MachineTest, RandomTrafficKeepsItsData) {
  run_everywhere(3, [](std::uint64_t lines) {
    RandomTraffic::Options traffic;
    traffic.seed = seed();
    traffic.base = kBase;
    traffic.requests = 1500;
    traffic.lines = lines;
    traffic.write_share = 0.45;
    traffic.outstanding = 128;
    return std::make_unique<RandomTraffic>(traffic);
  });
}

// Programs that look for hazards: the same few lines again, at every distance.
TEST_P(MachineTest, HazardsKeepTheirData) {
  run_everywhere(3, [](std::uint64_t lines) {
    TraceReplayParams params;
    params.offset = kBase;
    params.max_outstanding_writes = 64;
    params.seed = seed();
    return std::make_unique<TraceInitiator>(SoakTrace(seed(), {{0}, lines, 16}).next(1500), params);
  });
}

// With the parts themselves, whose lines go through write buffer, translation and internal DRAM.
TEST(Machine, RealPartsKeepTheirDataWithEveryLine) {
  for (const auto& [name, longest] : {std::pair{"znand", 4096u}, {"nand", 16384u}}) {
    const MediaConfig part =
        load_media_config(std::string(CXLGPU_SOURCE_DIR "/configs/media/") + name + ".yaml");
    for (std::uint32_t line = 256; line <= longest; line *= 2) {
      SCOPED_TRACE(std::string(name) + ", lines of " + std::to_string(line));
      RunConfig config = two_ports(SrPolicy::Sr);
      config.root_port.ds = true;
      config.endpoint.line_bytes = line;
      config.endpoint.cache_bytes = 128 * 1024;
      const unsigned sets_log2 = EndpointMedia::sets_log2(config, 0);
      EXPECT_EQ(EndpointMedia::cache_bytes(config, sets_log2), config.endpoint.cache_bytes);
      EndpointMedia media(config, part, sets_log2);
      ModelEngine engine(config, {true, sets_log2}, media.media(), nullptr);
      CheckedEngine checked(engine);
      RandomTraffic::Options traffic;
      traffic.base = kBase;
      traffic.seed = seed();
      traffic.requests = 6000;
      traffic.lines = 16384;  // 1 MiB
      traffic.write_share = 0.4;
      RandomTraffic initiator(traffic);
      ASSERT_EQ(run(initiator, checked, kLimit).status, RunStatus::Done);
      EXPECT_TRUE(checked.clean());
      EXPECT_EQ(drain_stores(engine, engine, 2), std::nullopt);
      const auto wrong = media.map().differences(checked.shadow());
      EXPECT_TRUE(wrong.empty()) << wrong[0];
      EXPECT_GT(media.media()[0]->counters().write_backs, 20u);
      // As an orderly shutdown leaves it: lines that differ are written back whole.
      EXPECT_EQ(media.shut_down(engine.now()).size(), 2u);
      const auto after = media.map().differences(checked.shadow());
      EXPECT_TRUE(after.empty()) << after[0];
    }
  }
}

// ---- what each is for --------------------------------------------------------------------------

struct Seen : TraceSink {
  std::uint32_t most_queued = 0, most_tag = 0, longest = 0, most_deferred = 0;
  std::uint64_t specs = 0, direct_stores = 0;
  void on_event(const TraceEvent& event) override {
    switch (event.stage) {
      case Stage::PortEnqueue:
        most_queued = std::max(most_queued, event.info);
        break;
      case Stage::MemqAlloc:
        most_tag = std::max(most_tag, event.info);
        break;
      case Stage::SpecIssue:
        ++specs;
        longest = std::max(longest, event.info);
        break;
      case Stage::DsEvent:
        direct_stores += event.info & 1;
        most_deferred = std::max(most_deferred, event.info >> 16);
        break;
      default:
        break;
    }
  }
};

// Media that remembers what it filled, and the largest offset within a slot.
class Watched : public SimpleMedia {
 public:
  explicit Watched(const RunConfig& config)
      : SimpleMedia(1, Time{500'000}, Time{3'000'000}, config.endpoint.line_bytes) {}
  void submit(const MediaCommand& command, Time now) override {
    if (command.op == MediaOp::Fill) fills.push_back(command.dpa);
    if (command.op == MediaOp::ArrayRead) farthest = std::max(farthest, command.offset);
    SimpleMedia::submit(command, now);
  }
  std::vector<std::uint64_t> fills;
  std::uint32_t farthest = 0;
};

struct Watch {
  Seen seen;
  std::vector<std::uint64_t> fills;  // of both ports, rising
  std::uint32_t farthest = 0;
  std::uint64_t covered = 0, spec_fills = 0, needless = 0;
  Time end;
};

Watch watch(const RunConfig& config, RandomTraffic::Options traffic, unsigned sets_log2 = 6) {
  Watch out;
  Watched media0(config), media1(config);
  EngineParts parts{{true, sets_log2}, {&media0, &media1}, {}, &out.seen};
  const auto engine = make_engine(config, parts, {});
  CheckedEngine checked(*engine);
  traffic.base = kBase;
  RandomTraffic initiator(traffic);
  const RunResult result = run(initiator, checked, kLimit);
  EXPECT_EQ(result.status, RunStatus::Done);
  EXPECT_TRUE(checked.clean());
  EXPECT_EQ(engine->drain(), std::nullopt);
  engine->finish();
  out.end = result.end;
  out.fills = media0.fills;
  out.fills.insert(out.fills.end(), media1.fills.begin(), media1.fills.end());
  std::sort(out.fills.begin(), out.fills.end());
  out.farthest = std::max(media0.farthest, media1.farthest);
  for (unsigned port = 0; port < 2; ++port) {
    out.covered += engine->speculation(port).ring_suppressed;
    out.spec_fills += engine->internal_dram(port)->spec_fills;
    out.needless += engine->internal_dram(port)->spec_needless;
  }
  return out;
}

// As many loads as there can be, in sixteen streams.
RandomTraffic::Options streams() {
  RandomTraffic::Options traffic;
  traffic.requests = 6000;
  traffic.write_share = 0;
  traffic.stream_share = 1;
  traffic.idle_share = 0;
  traffic.outstanding = 256;
  traffic.lines = 1 << 15;
  return traffic;
}

TEST(Machine, QueuesHoldWhatTheyAreGiven) {
  for (const unsigned entries : {1u, 8u, 32u, 64u}) {
    RunConfig config = two_ports(SrPolicy::Off);
    config.root_port.sr_queue_entries = entries;
    EXPECT_EQ(watch(config, streams()).seen.most_queued, entries - 1) << "found before the last";
  }
  for (const unsigned entries : {3u, 8u, 32u, 64u}) {
    RunConfig config = two_ports(SrPolicy::Off);
    config.root_port.memory_queue_entries = entries;
    EXPECT_EQ(watch(config, streams()).seen.most_tag, entries - 3) << "two are for MemSpecRd";
  }
}

TEST(Machine, ALargerRingKeepsBackMore) {
  std::uint64_t before = 0;
  for (const unsigned entries : {16u, 64u, 256u, 1024u, 4096u}) {
    RunConfig config = two_ports(SrPolicy::Dyn);
    config.root_port.ring_entries = entries;
    // Loads alone decide, not what the media says of itself.
    config.endpoint.mshr_thresholds = config.endpoint.ingress_thresholds = {127, 127, 127};
    config.endpoint.backlog_thresholds = config.endpoint.task_thresholds = {127, 127, 127};
    // Sixteen streams and loads here and there, which push them out of a small ring.
    RandomTraffic::Options traffic = streams();
    traffic.requests = 30000;
    traffic.stream_share = 0.5;
    const std::uint64_t covered = watch(config, traffic).covered;
    EXPECT_GT(covered, before + before / 20) << entries;
    before = covered;
  }
}

TEST(Machine, NoMemSpecRdIsLongerThanTheCap) {
  for (const SrPolicy policy : {SrPolicy::Dyn, SrPolicy::SrPaper, SrPolicy::Sr, SrPolicy::Stream}) {
    for (const unsigned cap : {256u, 512u, 768u, 1024u}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(policy)) + ", " + std::to_string(cap));
      RunConfig config = two_ports(policy);
      config.root_port.spec_cap_bytes = cap;
      const Watch out = watch(config, streams());
      EXPECT_EQ(out.seen.longest, cap / 256);
      EXPECT_GT(out.seen.specs, 50u);
    }
  }
}

TEST(Machine, AShortenedRunKeepsTheLoadsOwnGranule) {
  for (unsigned len = 0; len < 4; ++len) {
    for (unsigned own = 0; own <= len; ++own) {
      for (unsigned cap = 1; cap <= 4; ++cap) {
        const GranuleRun run = shorten({100, len}, 100 + own, cap);
        EXPECT_EQ(run.len, std::min(len, cap - 1));
        EXPECT_LE(run.first, 100 + own);
        EXPECT_LE(100 + own, run.first + run.len);
        EXPECT_GE(run.first, 100u);
        EXPECT_LE(run.first + run.len, 100 + len);
        // Towards the upper end as far as that goes.
        if (own == 0) {
          EXPECT_EQ(run.first, 100u);
        }
        if (len - own < cap) {
          EXPECT_EQ(run.first + run.len, 100 + len);
        }
      }
    }
  }
}

// A stream through regions, line by line: what is asked for, as granules from the first.
std::vector<GranuleRun> asks_of_stream(unsigned cap, bool up) {
  StreamTable table(64, cap);
  std::vector<GranuleRun> asked;
  constexpr std::uint64_t kLines = 48, kFirst = 16 * 100;  // of three regions
  for (std::uint64_t i = 0; i < kLines; ++i) {
    const std::uint64_t line = kFirst + (up ? i : kLines - 1 - i);
    const StreamTable::Ask ask = table.look(line, {.length_enabled = true});
    if (ask.kind == StreamTable::Ask::Kind::Run) asked.push_back(ask.run);
    if (ask.kind == StreamTable::Ask::Kind::Next && !table.next_known()) {
      asked.push_back(table.next());
      table.add();
    }
    EXPECT_FALSE(ask.held);
  }
  for (GranuleRun& run : asked) run.first -= kFirst / 4;
  return asked;
}

TEST(Machine, AStreamAsksForACapAtATime) {
  using Runs = std::vector<GranuleRun>;
  EXPECT_EQ(asks_of_stream(4, true), (Runs{{0, 0}, {1, 2}, {4, 3}, {8, 3}, {12, 3}}));
  // The second of a region when a load has shown the direction; the rest from what was asked for.
  EXPECT_EQ(asks_of_stream(2, true),
            (Runs{{0, 0}, {1, 1}, {3, 0}, {4, 1}, {6, 1}, {8, 1}, {10, 1}, {12, 1}}));
  EXPECT_EQ(asks_of_stream(1, true), (Runs{{0, 0},
                                           {1, 0},
                                           {2, 0},
                                           {3, 0},
                                           {4, 0},
                                           {5, 0},
                                           {6, 0},
                                           {7, 0},
                                           {8, 0},
                                           {9, 0},
                                           {10, 0},
                                           {11, 0},
                                           {12, 0}}));
  // Down: of the region before, the upper ones.
  EXPECT_EQ(asks_of_stream(2, false),
            (Runs{{11, 0}, {9, 1}, {8, 0}, {6, 1}, {4, 1}, {2, 1}, {0, 1}, {~0ull - 1, 1}}));
}

TEST(Machine, AMissFillsAWholeLineOnce) {
  for (const SrPolicy policy : {SrPolicy::Off, SrPolicy::Dyn}) {
    for (const std::uint32_t line : {256u, 512u, 1024u, 4096u, 16384u}) {
      SCOPED_TRACE(std::to_string(line) + ", policy " + std::to_string(static_cast<int>(policy)));
      RunConfig config = two_ports(policy);
      config.endpoint.line_bytes = line;
      // Every line of 512 KiB is in some load's reach, and none is displaced.
      RandomTraffic::Options traffic = streams();
      traffic.requests = 40000;
      traffic.stream_share = 0.5;
      traffic.lines = 8192;
      const Watch out = watch(config, traffic, 10);
      EXPECT_EQ(out.fills.size(), 8192 * kLineBytes / line);
      // Both ports have the same addresses of their own, so each stands twice.
      for (std::size_t i = 0; i < out.fills.size(); ++i) ASSERT_EQ(out.fills[i], i / 2 * line);
      EXPECT_EQ(out.farthest, line - kLineBytes);
    }
  }
}

// A MemSpecRd of 1 KiB is four look-ups of 256 B lines and one of a longer line.
TEST(Machine, GranulesOfOneLineAreOneLookUp) {
  const auto look_ups = [](std::uint32_t line) {
    RunConfig config = two_ports(SrPolicy::Stream);
    config.endpoint.line_bytes = line;
    RandomTraffic::Options traffic = streams();
    traffic.outstanding = 32;
    const Watch out = watch(config, traffic, 4);
    EXPECT_GT(out.seen.specs, 100u);
    return static_cast<double>(out.spec_fills + out.needless) / static_cast<double>(out.seen.specs);
  };
  EXPECT_GT(look_ups(256), 2);
  EXPECT_EQ(look_ups(1024), 1);
  EXPECT_EQ(look_ups(4096), 1);
}

TEST(Machine, DeterministicStoreDefersAsManyLinesAsItHas) {
  for (const unsigned lines : {16u, 128u, 1024u, 4096u}) {
    RunConfig config = two_ports(SrPolicy::Off);
    config.endpoint.open_lines = 0;  // stores wait for fills, so that many are deferred
    config.root_port.ds = true;
    config.root_port.ds_lines = lines;
    config.root_port.ds_max_writes = 1;
    config.root_port.ds_interval = {10, 10, 10, 10};
    config.endpoint.backlog_thresholds = {127, 127, 127};  // stores are always sent
    config.endpoint.task_thresholds = {127, 127, 127};
    RandomTraffic::Options traffic = streams();
    traffic.requests = 3 * lines + 200;
    traffic.write_share = 1;
    traffic.stream_share = 0;
    EXPECT_EQ(watch(config, traffic).seen.most_deferred, lines);
  }
}

// A store goes to its endpoint at once if that leaves a place in the memory queue; the smallest has
// one place and nothing to leave.
TEST(Machine, DirectStoresLeaveAPlaceInTheMemoryQueue) {
  for (const unsigned entries : {3u, 4u, 32u}) {
    RunConfig config = two_ports(SrPolicy::Off);
    config.root_port.ds = true;
    config.root_port.memory_queue_entries = entries;
    RandomTraffic::Options traffic = streams();
    traffic.requests = 1000;
    traffic.write_share = 0.5;
    EXPECT_EQ(watch(config, traffic).seen.direct_stores == 0, entries == 3) << entries;
  }
}

TEST(Machine, FewerLanesTakeLonger) {
  Time before = Time::never();
  for (const unsigned lanes : {1u, 2u, 4u, 8u}) {
    RunConfig config = two_ports(SrPolicy::Off);
    config.link.lanes = lanes;
    EXPECT_EQ(config.link.flit_time(), Time{17000 / lanes});
    RandomTraffic::Options traffic = streams();
    traffic.lines = 512;  // of the internal DRAM: the link bounds
    const Time end = watch(config, traffic).end;
    EXPECT_LT(end, before) << lanes;
    before = end;
  }
}

// ---- engines with RTL --------------------------------------------------------------------------

TEST(Machine, TheRtlIsOneMachine) {
  for (const Machine& machine : machines()) {
    if (machine.name.starts_with("Lanes")) continue;
    RunConfig config = two_ports(SrPolicy::Off);
    config.root_port.ds = true;  // its sizes are looked at where it is
    machine.make(config);
    if (machine.name == "Line256") {
      EXPECT_NO_THROW(check_build(config));
      continue;
    }
    for (const char* engine : {"rtl", "cosim"}) {
      config.engine = engine;
      Watched media0(config), media1(config), media2(config), media3(config);
      const EngineParts parts{{true, 3}, {&media0, &media1}, {&media2, &media3}, nullptr};
      EXPECT_THROW((void)make_engine(config, parts, {}), InputError) << machine.name;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
