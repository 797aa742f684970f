// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What must not change data: for programs that look for hazards (soak_trace.hpp), every load's data
// and the endpoints' contents at the end are those of plain CXL whatever happens to a MemSpecRd,
// whatever the policy and whatever is hinted, and with deterministic store on or off. On the model,
// and shorter on the RTL.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "sim/host/trace_initiator.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/recorder.hpp"
#include "tests/system/soak_trace.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;
constexpr std::array kPolicies = {SrPolicy::Off,      SrPolicy::Naive,      SrPolicy::Dyn,
                                  SrPolicy::SrPaper,  SrPolicy::Sr,         SrPolicy::Stream,
                                  SrPolicy::Stride,   SrPolicy::BestOffset, SrPolicy::AccessMap,
                                  SrPolicy::Footprint};

// One program and the system it runs on as plain CXL.
struct Program {
  std::uint64_t seed = 1;
  std::size_t requests = 3000;
  std::string engine = "model";
  bool cached = true;

  [[nodiscard]] bool on_rtl() const { return engine == "rtl"; }  // fewer runs
  [[nodiscard]] TestSystemOptions plain() const {
    TestSystemOptions options;
    options.config.engine = engine;
    options.config.ports = engine == "model" ? 4 : 2;  // the RTL of the tests has two
    std::vector<unsigned> ports = {0, 1, 2, 3};
    ports.resize(options.config.ports);
    options.config.hdm = {{kBase, (256ull << 20) * ports.size(), 1024, ports}};
    options.cached = cached;
    options.sets_log2 = 2;
    options.seed = seed;
    // MemSpecRd go on whatever the media says of itself: they are what is varied.
    options.config.endpoint.backlog_thresholds = {127, 127, 127};
    options.config.endpoint.task_thresholds = {127, 127, 127};
    return options;
  }
  // Lines of few granules: what is displaced, prefetched and stored to is the same.
  [[nodiscard]] std::vector<TraceRecord> records() const {
    return SoakTrace(seed, {{0}, 2048, 16}).next(requests);
  }
};

struct Result {
  std::vector<Line> answers;  // of the loads
  std::uint64_t specs = 0, deferred = 0;
  Time end;
};

Result run_program(const Program& program, const TestSystemOptions& options) {
  TestSystem system(options);
  TraceReplayParams params;
  params.offset = kBase;
  params.max_outstanding_writes = 64;
  params.seed = program.seed;
  TraceInitiator initiator(program.records(), params);
  Recorder recorder(system.checked());
  EXPECT_TRUE(system.run_on(initiator, recorder));
  const Time end = system.engine().now();
  // The flat memory is the same for every run of a program, so contents are too.
  EXPECT_TRUE(system.drain_and_compare());
  system.finish();
  Result result{recorder.answers(), system.stats().spec().sent, 0, end};
  for (const DsStats& port : system.stats().deterministic_store()) result.deferred += port.count[1];
  return result;
}

std::vector<Program> programs() {
  const std::uint64_t first = test::from_environment("CXLGPU_SEED", 1);
  std::vector<Program> all;
  for (std::uint64_t n = 0; n < 5; ++n) {
    Program program;
    program.seed = first + n;
    program.cached = n % 3 != 2;
    all.push_back(program);
  }
  Program rtl;
  rtl.seed = first + 1;
  rtl.engine = "rtl";
  rtl.requests = 500;
  all.push_back(rtl);
  return all;
}

using Change = std::function<void(RunConfig&)>;
struct Fault {
  const char* name;
  Change make;
  bool on_rtl = false;  // one of each kind
};
const std::vector<Fault>& faults() {
  static const std::vector<Fault> all = {
      {"every third lost", [](RunConfig& c) { c.link.drop_spec_every = 3; }, true},
      {"all lost", [](RunConfig& c) { c.link.drop_spec_every = 1; }},
      {"every second twice", [](RunConfig& c) { c.link.duplicate_spec_every = 2; }, true},
      {"every fifth twice", [](RunConfig& c) { c.link.duplicate_spec_every = 5; }},
      {"one late", [](RunConfig& c) { c.link.delay_spec_by = 1; }},
      {"forty late", [](RunConfig& c) { c.link.delay_spec_by = 40; }, true},
  };
  return all;
}

TEST(Metamorphic, FaultsOfMemSpecRdChangeNoData) {
  test::shows("sr", "MemSpecRd lost, doubled or late change no load's data and no contents",
              "CXL 2.0, CXL.mem (MemSpecRd)");
  std::map<std::string, unsigned> changed;  // by fault: runs that took another time
  for (const Program& program : programs()) {
    const Result plain = run_program(program, program.plain());
    for (const SrPolicy policy :
         {SrPolicy::Naive, SrPolicy::Sr, SrPolicy::Stream, SrPolicy::BestOffset}) {
      if (program.on_rtl() && policy != SrPolicy::Sr) continue;
      TestSystemOptions options = program.plain();
      options.config.root_port.policy = policy;
      options.config.root_port.ds = program.seed % 2 == 0;
      const Result whole = run_program(program, options);
      EXPECT_GT(whole.specs, program.on_rtl() ? 20u : 50u);
      EXPECT_EQ(whole.answers, plain.answers);
      for (const Fault& fault : faults()) {
        if (program.on_rtl() && !fault.on_rtl) continue;
        SCOPED_TRACE(program.engine + ", " + fault.name + ", seed " + std::to_string(program.seed));
        TestSystemOptions faulty = options;
        fault.make(faulty.config);
        const Result result = run_program(program, faulty);
        EXPECT_EQ(result.answers, plain.answers);
        changed[fault.name] += result.end != whole.end ? 1 : 0;
      }
    }
  }
  for (const Fault& fault : faults()) EXPECT_GT(changed[fault.name], 4u) << fault.name;
}

TEST(Metamorphic, ThePolicyChangesNoData) {
  test::shows("sr", "Whatever the policy, loads give the same data and the same contents are left",
              "docs/blocks/root_port/sr_reader.md");
  for (const Program& program : programs()) {
    const Result plain = run_program(program, program.plain());
    for (const SrPolicy policy : kPolicies) {
      for (const bool length : {false, true}) {
        if (program.on_rtl() && (length || is_model_only(policy))) continue;
        SCOPED_TRACE(program.engine + ", policy " + std::to_string(static_cast<int>(policy)) +
                     ", seed " + std::to_string(program.seed));
        TestSystemOptions options = program.plain();
        options.config.root_port.policy = policy;
        options.config.root_port.spec_length = length;
        const Result result = run_program(program, options);
        EXPECT_EQ(result.specs == 0, policy == SrPolicy::Off);
        EXPECT_EQ(result.answers, plain.answers);
      }
    }
  }
}

TEST(Metamorphic, DeterministicStoreChangesNoData) {
  test::shows("ds",
              "With deterministic store loads give the same data as without, and the same contents "
              "are left once it is drained",
              "docs/blocks/root_port/ds_engine.md");
  for (const Program& program : programs()) {
    const Result plain = run_program(program, program.plain());
    for (const SrPolicy policy : kPolicies) {
      for (const unsigned writes : {1u, 16u}) {
        if (program.on_rtl() && policy != SrPolicy::Off && policy != SrPolicy::Stream) continue;
        SCOPED_TRACE(program.engine + ", policy " + std::to_string(static_cast<int>(policy)) +
                     ", " + std::to_string(writes) + " writes, seed " +
                     std::to_string(program.seed));
        TestSystemOptions options = program.plain();
        options.config.root_port.policy = policy;
        options.config.root_port.ds = true;
        options.config.root_port.ds_max_writes = writes;
        if (writes == 1) options.config.root_port.ds_interval = {5, 7, 9, 11};
        const Result result = run_program(program, options);
        EXPECT_TRUE(result.deferred > 0 || (program.on_rtl() && writes == 16));  // all at once
        EXPECT_EQ(result.answers, plain.answers);
      }
    }
  }
}

// A kernel that knows its program: a hint, now and then, of what comes so many requests later.
// What becomes of each is varied.
class Hinting : public Engine {
 public:
  enum class Fate : std::uint8_t { None, Given, Dropped, Doubled, Late };
  static constexpr std::size_t kEvery = 7, kAhead = 60, kLate = 90;  // requests

  Hinting(Engine& inner, std::vector<TraceRecord> records, Fate fate)
      : inner_(inner), records_(std::move(records)), fate_(fate) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  std::optional<MemResponse> take() override { return inner_.take(); }
  void advance_to(Time t) override {
    inner_.advance_to(t);
    // One a cycle; those that are lost are varied too.
    if (!waiting_.empty() && inner_.hint(waiting_.front())) waiting_.pop_front();
  }
  bool submit(const MemRequest& request) override {
    if (!inner_.submit(request)) return false;
    const std::size_t at = sent_++;
    const std::size_t of = fate_ == Fate::Late ? at - kLate : at;
    if (fate_ == Fate::None || of >= records_.size() || of % kEvery != 0) return true;
    if (fate_ == Fate::Dropped && of % 3 == 0) return true;
    const std::size_t named = of + kAhead;
    if (named >= records_.size()) return true;
    const Hint hint{kBase + records_[named].addr / 256 * 256, 1 + static_cast<unsigned>(of % 9)};
    waiting_.push_back(hint);
    if (fate_ == Fate::Doubled) waiting_.push_back(hint);
    return true;
  }

 private:
  Engine& inner_;
  std::vector<TraceRecord> records_;
  Fate fate_;
  std::deque<Hint> waiting_;
  std::size_t sent_ = 0;
};

// Loads' data, end, and granules that hints requested.
Result run_hinted(const Program& program, const TestSystemOptions& options, Hinting::Fate fate) {
  TestSystem system(options);
  TraceReplayParams params;
  params.offset = kBase;
  // Few, so that the bus is not full all the time: a request that waits there has the decoder.
  params.max_outstanding_reads = params.max_outstanding_writes = 8;
  params.seed = program.seed;
  TraceInitiator initiator(program.records(), params);
  Recorder recorder(system.checked());
  Hinting hinting(recorder, program.records(), fate);
  EXPECT_TRUE(system.run_on(initiator, hinting));
  const Time end = system.engine().now();
  EXPECT_TRUE(system.drain_and_compare());
  system.finish();
  return {recorder.answers(), system.stats().hints().granules, 0, end};
}

TEST(Metamorphic, HintsChangeNoData) {
  test::shows("sr", "Hints given, lost, doubled or late change no load's data and no contents",
              "docs/blocks/root_port/hint_queue.md");
  using Fate = Hinting::Fate;
  std::map<Fate, unsigned> changed;  // runs that took another time than with the hints as they are
  for (const Program& program : programs()) {
    TestSystemOptions options = program.plain();
    const Result plain = run_hinted(program, options, Fate::None);
    EXPECT_EQ(plain.specs, 0u);
    options.config.root_port.policy = program.seed % 2 == 0 ? SrPolicy::Sr : SrPolicy::Off;
    options.config.root_port.hint_interval = {0, 2, 4, 6};
    for (const bool ds : {false, true}) {
      options.config.root_port.ds = ds;
      const Result given = run_hinted(program, options, Fate::Given);
      EXPECT_GT(given.specs, program.on_rtl() ? 100u : 500u);
      EXPECT_EQ(given.answers, plain.answers);
      for (const Fate fate : {Fate::Dropped, Fate::Doubled, Fate::Late}) {
        SCOPED_TRACE(program.engine + ", fate " + std::to_string(static_cast<int>(fate)) +
                     ", seed " + std::to_string(program.seed));
        const Result result = run_hinted(program, options, fate);
        EXPECT_EQ(result.answers, plain.answers);
        changed[fate] += result.end != given.end ? 1 : 0;
      }
    }
  }
  for (const Fate fate : {Fate::Dropped, Fate::Doubled, Fate::Late}) EXPECT_GT(changed[fate], 4u);
}

// The same on both engines side by side, which stay in step under every fault.
TEST(MetamorphicRtl, FaultsChangeNoDataAndTheEnginesStayInStep) {
  test::shows("sr", "Under faults of MemSpecRd, RTL and model answer with the same data in step",
              "CXL 2.0, CXL.mem (MemSpecRd)");
  Program program;
  program.engine = "cosim";
  program.requests = 1000;
  const Result plain = run_program(program, program.plain());
  for (const bool ds : {false, true}) {
    TestSystemOptions options = program.plain();
    options.config.root_port.policy = SrPolicy::Sr;
    options.config.root_port.ds = ds;
    for (const Fault& fault : faults()) {
      if (ds && fault.name != std::string("forty late")) continue;  // time
      SCOPED_TRACE(fault.name);
      TestSystemOptions faulty = options;
      fault.make(faulty.config);
      const Result result = run_program(program, faulty);
      EXPECT_GT(result.specs, 30u);
      EXPECT_EQ(result.answers, plain.answers);
    }
  }
}

}  // namespace
}  // namespace cxlgpu
