// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Prefetches of a kernel: what they cost, the hints that they make, and that nothing waits for
// them.
#include <numeric>

#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
constexpr std::uint64_t kKiB = 1024, kBase = 1ULL << 32;

std::uint64_t cycle(Time t) {
  return t.ps / kCycle.ps;
}

std::vector<Hint> hints_of(const Rig& rig) {
  std::vector<Hint> all;
  for (const auto& [at, hint] : rig.recorder.hints) all.push_back(hint);
  return all;
}

// The hints of one prefetch, from offset `at` of HDM; local memory lies right below it.
std::vector<Hint> hints_for(std::int64_t at, std::uint64_t bytes) {
  Rig rig(one_warp(), {}, 64 * kKiB);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.prefetch(kBase + static_cast<std::uint64_t>(at), bytes);
    w.compute(2000);
    co_await w.drain();
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().hints, rig.recorder.hints.size());
  EXPECT_EQ(rig.gpu.stats().hints_dropped, 0U);
  EXPECT_EQ(rig.recorder.log.size(), 0U);
  return hints_of(rig);
}

TEST(Prefetch, BytesAreRoundedOutwardToGranules) {
  EXPECT_EQ(hints_for(0, 1), (std::vector<Hint>{{kBase, 1}}));
  EXPECT_EQ(hints_for(0x100, 256), (std::vector<Hint>{{kBase + 0x100, 1}}));
  EXPECT_EQ(hints_for(0x1ff, 2), (std::vector<Hint>{{kBase + 0x100, 2}}));
  EXPECT_EQ(hints_for(0x1ff, 258), (std::vector<Hint>{{kBase + 0x100, 3}}));
  EXPECT_EQ(hints_for(0x1ff, 0), std::vector<Hint>{});
}

TEST(Prefetch, MoreThan4096GranulesAreSeveralHints) {
  EXPECT_EQ(hints_for(0, 1024 * kKiB), (std::vector<Hint>{{kBase, 4096}}));
  EXPECT_EQ(
      hints_for(0xff, 2048 * kKiB),
      (std::vector<Hint>{{kBase, 4096}, {kBase + 1024 * kKiB, 4096}, {kBase + 2048 * kKiB, 1}}));
}

TEST(Prefetch, LocalMemoryMakesNoHint) {
  EXPECT_EQ(hints_for(-512, 512), std::vector<Hint>{});
  EXPECT_EQ(hints_for(-512, 513), (std::vector<Hint>{{kBase, 1}}));
}

TEST(Prefetch, AnArrayIsNamedByElements) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(1024));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.prefetch(x, 63, 2);
    w.prefetch(x, 512, 512);
    w.prefetch(x, 1024, 0);
    w.compute(2000);
    co_await w.drain();
  });
  rig.run_clean();
  EXPECT_EQ(hints_of(rig), (std::vector<Hint>{{kBase, 2}, {kBase + 2 * kKiB, 8}}));
  EXPECT_EQ(rig.gpu.stats().prefetches, 2U);
  EXPECT_EQ(rig.gpu.stats().thread_instructions, 2000U * 8 + 2);
}

// One cycle to issue, one in the load/store unit, the fabric's way there.
TEST(Prefetch, ReachesTheBusBehindTheFabricOneACycle) {
  for (const U32 fabric : {0U, 1U, 217U}) {
    GpuParams p = one_warp();
    p.fabric_cycles = fabric;
    Rig rig(p);
    std::uint64_t begin = 0;
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      begin = cycle(rig.engine.now());
      w.prefetch(kBase, 2048 * kKiB);
      w.prefetch(kBase + 4096 * kKiB, 256);
      w.compute(2000);
      co_await w.drain();
    });
    rig.run_clean();
    ASSERT_EQ(rig.recorder.hints.size(), 3U);
    for (std::uint64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(cycle(rig.recorder.hints[i].at), begin + 2 + (fabric + 1) / 2 + i) << fabric;
    }
  }
}

TEST(Prefetch, ARefusedHintIsOfferedAgainAndNoRequestWaits) {
  const auto run = [](unsigned refuse) {
    GpuParams p = one_warp();
    p.fabric_cycles = 40;
    Rig rig(p);
    rig.recorder.refuse_hints = refuse;
    const auto x = rig.array(iota<U32>(4096));
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      for (std::uint64_t i = 0; i < 4096; i += 64) {
        w.prefetch(x, i, 64);
        (void)co_await w.load(x, w.consecutive(i), w.full_mask());
      }
    });
    rig.run_clean();
    std::vector<Time> times;
    for (const auto& record : rig.recorder.log) times.push_back(record.at);
    EXPECT_EQ(rig.gpu.stats().hints, 64U);
    EXPECT_EQ(rig.gpu.stats().hints_dropped, 0U);
    for (std::uint64_t i = 0; i < rig.recorder.hints.size(); ++i) {
      EXPECT_EQ(rig.recorder.hints[i].hint, (Hint{kBase + i * 256, 1}));
    }
    EXPECT_EQ(rig.recorder.hints.size(), 64U);
    return times;
  };
  EXPECT_EQ(run(0), run(7));
}

// Of the load/store unit one place and one cycle, as a store to a line of its own has them.
TEST(Prefetch, TakesASlotAndACycleOfTheLoadStoreUnit) {
  GpuParams p = one_warp();
  p.lsu_queue = 1;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(16));
  std::uint64_t begin = 0, end = 0;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    begin = cycle(rig.engine.now());
    for (unsigned i = 0; i < 10; ++i) w.prefetch(x, 0, 16);
    co_await w.drain();
    end = cycle(rig.engine.now());
  });
  rig.run_clean();
  EXPECT_EQ(end - begin, 10U);  // in each cycle one issues and the one before leaves the unit
  EXPECT_EQ(rig.gpu.stats().issue_cycles, 10U);
}

TEST(Prefetch, PassesTheUnitInOrder) {
  // The unit's head is blocked by a full queue to the LLC: what stands behind it is not hinted.
  GpuParams p = one_warp();
  p.llc_queue = 1;
  p.l1.mshrs = 1;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(1024));
  std::uint64_t answered = 0;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    auto first = w.load(x, w.consecutive(0), w.full_mask());
    auto second = w.load(x, w.consecutive(64), w.full_mask());  // waits for the only MSHR
    w.prefetch(x, 512, 16);
    (void)co_await first;
    answered = cycle(rig.engine.now());
    (void)co_await second;
  });
  rig.run_clean();
  ASSERT_EQ(rig.recorder.hints.size(), 1U);
  EXPECT_GE(cycle(rig.recorder.hints[0].at), answered);
}

TEST(Prefetch, AFullQueueDropsAndCounts) {
  GpuParams p = one_warp();
  p.prefetch_queue = 2;
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    // The first is eight hints, which leave one a cycle: one more has room until then.
    for (std::uint64_t i = 0; i < 6; ++i) w.prefetch(kBase + i * 8192 * kKiB, 8192 * kKiB);
    w.compute(2000);
    co_await w.drain();
  });
  rig.run_clean();
  const GpuStats& s = rig.gpu.stats();
  EXPECT_EQ(s.prefetches, 6U);
  EXPECT_EQ(s.hints, 6U * 8);
  EXPECT_EQ(s.hints_dropped, 4U * 8);
  ASSERT_EQ(rig.recorder.hints.size(), 2U * 8);
  for (std::uint64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(rig.recorder.hints[i].hint, (Hint{kBase + i * 1024 * kKiB, 4096}));
  }
}

TEST(Prefetch, NothingWaitsForItNotEvenTheEnd) {
  GpuParams p = one_warp();
  p.fabric_cycles = 300;
  const auto ends = [&](bool hints) {
    Rig rig(p);
    std::array<std::uint64_t, 3> at{};
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      if (hints) {
        w.prefetch(kBase, 4096 * kKiB);
      } else {
        w.compute();
      }
      co_await w.fence();
      at[0] = cycle(rig.engine.now());
      co_await w.barrier();
      at[1] = cycle(rig.engine.now());
      if (hints) {
        w.prefetch(kBase, 4096 * kKiB);
      } else {
        w.compute();
      }
    });
    rig.run_clean();  // every record is back in its pool
    at[2] = cycle(rig.engine.now());
    const GpuStats& s = rig.gpu.stats();
    EXPECT_EQ(s.hints, hints ? 8U : 0U);
    EXPECT_EQ(s.hints - s.hints_dropped, rig.recorder.hints.size());
    EXPECT_EQ(s.hints_dropped, hints ? 4U : 0U);  // those of the second, 150 cycles from the bus
    return at;
  };
  EXPECT_EQ(ends(true), ends(false));
}

TEST(Prefetch, TheNextKernelStillHasTheHintsOfTheOneBefore) {
  GpuParams p = one_warp();
  p.fabric_cycles = 100;
  Rig rig(p);
  rig.gpu.launch([](Warp& w) -> WarpTask {
    w.prefetch(kBase, 256);
    co_return;
  });
  rig.gpu.launch([](Warp& w) -> WarpTask {
    w.compute();
    co_return;
  });
  rig.run_clean();
  EXPECT_EQ(hints_of(rig), (std::vector<Hint>{{kBase, 1}}));
}

TEST(Prefetch, IsNoLoadAndNoStore) {
  // A warp whose loads are all in flight still issues it, and it takes none of them.
  GpuParams p = one_warp();
  p.loads_per_warp = 1;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    auto value = w.load(x, w.consecutive(0), w.full_mask());
    w.prefetch(x, 16, 16);
    w.prefetch(x, 32, 16);
    EXPECT_EQ((co_await value)[3], 3U);
  });
  rig.run_clean();
  const GpuStats& s = rig.gpu.stats();
  EXPECT_EQ(s.loads, 1U);
  EXPECT_EQ(s.stores, 0U);
  EXPECT_EQ(s.instructions(), 3U);
  EXPECT_EQ(rig.recorder.log.size(), 1U);
  ASSERT_EQ(rig.recorder.hints.size(), 2U);
  EXPECT_LT(cycle(rig.recorder.hints[1].at), 100U);
}

TEST(Prefetch, QueueSizesOutOfRangeAreRefused) {
  GpuParams p;
  for (const U32 depth : {0U, 257U}) {
    p.prefetch_queue = depth;
    EXPECT_THROW(validate(p), InputError) << depth;
  }
}

}  // namespace
}  // namespace cxlgpu
