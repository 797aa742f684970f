// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The hazards of docs/architecture.md, one by one, in the whole system: two accesses that meet, at
// every distance, on both engines, with deterministic store off and on.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "sim/host/trace_initiator.hpp"
#include "tests/common/requirement.hpp"
#include "tests/system/test_system.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x100000000;
constexpr std::uint64_t kChunk = 16;   // lines of the interleave granularity
constexpr std::uint64_t kGranule = 4;  // lines of one of internal DRAM
constexpr std::uint64_t kHalf = 0x00000000ffffffff;

// A program: accesses at their cycles.
class Script {
 public:
  void store(std::uint64_t cycle, std::uint64_t line, std::uint64_t enable = kAllBytes) {
    records_.push_back({cycle, line * kLineBytes, enable, true});
  }
  void load(std::uint64_t cycle, std::uint64_t line) {
    records_.push_back({cycle, line * kLineBytes, kAllBytes, false});
  }
  void access(std::uint64_t cycle, std::uint64_t line, bool is_write, std::uint64_t enable) {
    is_write ? store(cycle, line, enable) : load(cycle, line);
  }
  void run_on(TestSystem& system) {
    TraceReplayParams params;
    params.offset = kBase;
    params.max_outstanding_writes = 64;
    params.seed = ++runs_;
    TraceInitiator initiator(std::move(records_), params);
    system.run_all(initiator);
    records_.clear();
  }

 private:
  std::vector<TraceRecord> records_;
  std::uint64_t runs_ = 0;
};

// Engine, deterministic store, internal DRAM.
class Hazards : public ::testing::TestWithParam<std::tuple<const char*, bool, bool>> {
 protected:
  [[nodiscard]] static bool ds() { return std::get<1>(GetParam()); }
  [[nodiscard]] static TestSystemOptions options() {
    TestSystemOptions all;
    all.config.engine = std::get<0>(GetParam());
    all.config.hdm = {{kBase, 512ull << 20, kChunk * kLineBytes, {0, 1}}};
    all.config.root_port.ds = ds();
    all.cached = std::get<2>(GetParam());
    all.sets_log2 = 1;
    return all;
  }
  // Pairs of accesses to a line, 0 to 47 cycles apart, each on a line that nobody has touched, with
  // traffic around them that keeps the channels and the endpoint's entries busy and shuffled. Then
  // a load of each, long after.
  static void pairs(bool first_writes, bool second_writes) {
    TestSystem system(options());
    Script script;
    std::mt19937_64 rng(7);
    std::vector<std::uint64_t> lines;
    std::uint64_t cycle = 0;
    for (std::uint64_t n = 0; n < 96; ++n, cycle += 60) {
      const std::uint64_t chunk = 2 * kChunk * n + (n % 3 == 0 ? kChunk : 0);
      const std::uint64_t line = chunk + n % kChunk;
      for (std::uint64_t other = 1; other < 8; ++other) {
        script.access(cycle, chunk + (n + other) % kChunk, other % 3 != 0, kAllBytes);
      }
      if (n % 2 != 0) script.store(cycle, line, ~kHalf);  // there is something to keep
      script.access(cycle + 8, line, first_writes, n % 4 < 2 ? kAllBytes : kHalf);
      script.access(cycle + 8 + n / 2, line, second_writes, n % 4 == 1 ? kAllBytes : rng());
      lines.push_back(line);
    }
    for (const std::uint64_t line : lines) script.load(cycle + 10'000, line);
    script.run_on(system);
    system.drain_and_compare();
    system.finish();
  }
};

std::string name_of(const ::testing::TestParamInfo<Hazards::ParamType>& info) {
  return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) ? "Ds" : "") +
         (std::get<2>(info.param) ? "Cached" : "");
}
INSTANTIATE_TEST_SUITE_P(Model, Hazards,
                         ::testing::Combine(::testing::Values("model"), ::testing::Bool(),
                                            ::testing::Bool()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Rtl, Hazards,
                         ::testing::Combine(::testing::Values("rtl"), ::testing::Bool(),
                                            ::testing::Values(true)),
                         name_of);

TEST_P(Hazards, ReadAfterWrite) {
  test::shows("order", "A load sees the older store to its line, however short before it",
              "docs/blocks/root_port/memory_queue.md, root_port/ds_engine.md");
  pairs(true, false);
}

TEST_P(Hazards, WriteAfterRead) {
  test::shows("order", "A load does not see the younger store to its line, however short after it",
              "docs/blocks/root_port/memory_queue.md, root_port/ds_engine.md");
  pairs(false, true);
}

TEST_P(Hazards, WriteAfterWrite) {
  test::shows("order", "Of two stores to a line the younger one's bytes stay, whole or in part",
              "docs/blocks/root_port/memory_queue.md, root_port/ds_engine.md");
  pairs(true, true);
}

// A store to a line whose write is in flight is sent again, and the fence waits for that too.
TEST_P(Hazards, FenceAgainstFlush) {
  test::shows("order",
              "A fence ends only when a line that was stored to while it was flushed is at its "
              "endpoint as last written",
              "docs/blocks/root_port/ds_engine.md, Fence; docs/blocks/root_port/root_port.md");
  TestSystemOptions slow = options();
  slow.low = Time{1'000'000};
  slow.high = Time{2'000'000};
  TestSystem system(slow);
  Script script;
  for (std::uint64_t n = 0; n < 24; ++n) {
    const std::uint64_t line = 2 * kChunk * n;
    for (std::uint64_t other = 1; other <= n % 8; ++other) script.store(0, line + other);
    script.store(0, line);
    script.store(20 * n, line, kHalf);
    for (std::uint64_t other = 1; other <= n % 5; ++other) script.store(20 * n, line + other, 0xf0);
    script.run_on(system);
    system.drain_and_compare();  // the fence is set as soon as the last store is answered
  }
  system.finish();
}

// What is prefetched meets stores to the same and to the next granules: not fetched over what is
// dirty, written back when displaced, and dirty when stored to while it is filled.
TEST_P(Hazards, MemSpecRdAgainstStore) {
  test::shows("order",
              "A store into the range of a MemSpecRd, before it or while it is filled, is "
              "kept, and so is what the fill displaces",
              "docs/blocks/endpoint/dram_cache.md");
  for (const SrPolicy policy : {SrPolicy::Naive, SrPolicy::Sr, SrPolicy::Stream}) {
    TestSystemOptions speculative = options();
    speculative.config.root_port.policy = policy;
    TestSystem system(speculative);
    Script script;
    std::uint64_t cycle = 0;
    for (std::uint64_t n = 0; n < 64; ++n, cycle += 200) {
      const std::uint64_t line = 2 * kChunk * (n % 16) + kGranule * (n / 16);
      script.store(cycle, line + 1);  // dirty, as the MemSpecRd comes
      script.load(cycle + 1 + n / 2, line);
      script.store(cycle + 2 + n, line + 2, n % 2 == 0 ? kAllBytes : kHalf);
      script.store(cycle + 2 + n, line + kGranule + n % kGranule);
      script.load(cycle + 3 + 2 * n, line + 1);
      // Others of the same few sets displace them.
      for (std::uint64_t other = 0; other < 6; ++other) {
        script.load(cycle + 60 + 20 * other, 2 * kChunk * (20 + (5 * n + other) % 40));
      }
    }
    for (std::uint64_t n = 0; n < 64; ++n) {
      for (std::uint64_t at = 0; at < kGranule; ++at) {
        script.load(cycle + 5 * n, 2 * kChunk * (n % 16) + kGranule * (n / 16) + at);
      }
    }
    script.run_on(system);
    system.drain_and_compare();
    system.finish();
    EXPECT_GT(system.stats().spec().sent, 40u);
  }
}

// Lines to both sides of every boundary between the ports, in turn and at once.
TEST_P(Hazards, NeighboursOnDifferentPorts) {
  test::shows("order",
              "Neighbouring lines on different ports do not meet: each is where the ranges "
              "say and holds what was last stored to it",
              "docs/blocks/host_bridge/host_bridge.md, host_bridge/hdm_decoder.md");
  for (const std::uint64_t granularity : {256u, 4096u}) {
    TestSystemOptions chunks = options();
    chunks.config.hdm[0].granularity = granularity;
    chunks.config.root_port.policy = SrPolicy::Sr;
    TestSystem system(chunks);
    Script script;
    std::uint64_t cycle = 0;
    for (std::uint64_t n = 1; n <= 40; ++n, cycle += 30) {
      const std::uint64_t after = n * granularity / kLineBytes;
      for (const std::uint64_t line : {after - 1, after, after + 1, after - 2}) {
        script.store(cycle, line, n % 2 == 0 ? kAllBytes : kHalf);
      }
      for (const std::uint64_t line : {after, after - 1}) {
        script.load(cycle + n % 20, line);
        script.store(cycle + n % 20, line, ~kHalf);
      }
    }
    script.run_on(system);
    system.drain_and_compare();
    system.finish();
  }
}

}  // namespace
}  // namespace cxlgpu
