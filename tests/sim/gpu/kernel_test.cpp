// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The programming interface: masks, barriers, fences, atomics, several kernels, work distribution.
#include <stdexcept>

#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(Work, EveryPieceOnceInBothDistributions) {
  GpuParams p;
  p.cores = 2;
  p.warps = 3;
  for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
    for (const U64 n : {0ULL, 1ULL, 7ULL, 48ULL, 49ULL, 1000ULL}) {
      Rig rig(p);
      std::vector<int> times(n, 0);
      rig.gpu.launch([&](Warp& w) -> WarpTask {
        const WorkRange r = w.work(n, d);
        for (U64 base = r.first; base < r.end; base += r.stride) {
          for (unsigned i = 0; i < w.width(); ++i) {
            if (has_lane(w.active(r, base), i)) ++times[base + i];
          }
        }
        co_return;
      });
      rig.run_clean();
      EXPECT_EQ(times, std::vector<int>(n, 1));
    }
  }
}

TEST(Barrier, EveryStoreIsVisibleBehindItAndL1sAreInvalid) {
  FixedLatencyParams latency;
  latency.jitter = Time{500'000};
  Rig rig({}, latency);
  const U64 n = 64 * 8;
  const auto x = rig.array(std::vector<U32>(n, 0));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const U64 mine = U64{w.id()} * w.width();
    for (U32 round = 1; round <= 4; ++round) {
      w.store(x, w.consecutive(mine), w.map([&](unsigned) { return round * 1000 + w.id(); }),
              w.full_mask());
      co_await w.barrier();
      const U32 other = (w.id() + round * 13) % w.count();
      const auto v = co_await w.load(x, w.consecutive(U64{other} * w.width()), w.full_mask());
      EXPECT_EQ(v[3], round * 1000 + other);
      co_await w.barrier();
    }
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().barriers, 8U);
}

TEST(Barrier, WarpsThatHaveFinishedAreNotWaitedFor) {
  Rig rig;
  int released = 0;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() % 2 == 0) co_return;
    co_await w.barrier();
    ++released;
  });
  rig.run_clean();
  EXPECT_EQ(released, 32);
  EXPECT_EQ(rig.gpu.stats().barriers, 1U);
}

TEST(Fence, MessagePassesBetweenCores) {
  GpuParams p = one_warp();
  p.cores = 2;
  FixedLatencyParams latency;
  latency.jitter = Time{3'000'000};
  Rig rig(p, latency);
  const auto data = rig.array(std::vector<U32>(64, 1));
  const auto flag = rig.array(std::vector<U32>(1, 0));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const Lanes<U64> zero{};
    if (w.id() == 0) {
      // A pending fetch of the line delays the store; the fence waits for it.
      auto pending = w.load_l2(data, w.consecutive(8), w.full_mask());
      w.store(data, w.consecutive(0), w.map([](unsigned) { return 42U; }), w.full_mask());
      co_await w.fence();
      w.store(flag, zero, w.map([](unsigned) { return 1U; }), lane_bit(0));
      (void)co_await pending;
    } else {
      for (;;) {
        const auto f = co_await w.load_l2(flag, zero, lane_bit(0));
        if (f[0] != 0) break;
      }
      const auto v = co_await w.load_l2(data, w.consecutive(0), w.full_mask());
      EXPECT_EQ(v[0], 42U);
      EXPECT_EQ(v[7], 42U);
    }
  });
  rig.run_clean();
}

TEST(Fence, WaitsUntilTheStoreTookEffect) {
  Rig rig(one_warp());
  const auto x = rig.array(std::vector<U32>(16, 1));
  std::uint64_t before = 0, after = 0;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    before = rig.engine.now().ps;
    w.store(x, w.consecutive(0), Lanes<U32>{}, w.full_mask());
    co_await w.fence();
    after = rig.engine.now().ps;
  });
  rig.run_clean();
  EXPECT_NEAR(static_cast<double>(after - before), 146e3, 3e3);  // to the LLC and back
}

TEST(Atomics, AddCountsEveryLaneOfEveryWarp) {
  FixedLatencyParams latency;
  latency.jitter = Time{100'000};
  Rig rig({}, latency);
  const auto counter = rig.array(std::vector<U64>(4, 10));
  std::vector<int> seen(64 * 8 * 5, 0);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (int i = 0; i < 5; ++i) {
      const auto old = co_await w.atomic_add(counter, Lanes<U64>{},
                                             w.map([](unsigned) { return U64{1}; }), w.full_mask());
      for (unsigned lane = 0; lane < w.width(); ++lane) ++seen.at(old[lane] - 10);
    }
  });
  rig.run_clean();
  EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));  // each value was handed out once
  EXPECT_EQ(copy_from_device(rig.memory, counter),
            (std::vector<U64>{10 + seen.size(), 10, 10, 10}));
}

TEST(Atomics, MinCasAndTheirSigns) {
  Rig rig(one_warp());
  const auto s = rig.array(std::vector<std::int32_t>(8, 5));
  const auto u = rig.array(std::vector<U32>(8, 5));
  const auto c = rig.array(std::vector<U32>{0, 1, 2, 3, 0, 1, 2, 3});
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto at = w.consecutive(0);
    const auto all_lanes = w.full_mask();
    auto a = w.atomic_min(s, at, w.map([](unsigned i) { return int(i) - 4; }), all_lanes);
    auto b = w.atomic_min(u, at, w.map([](unsigned i) { return U32(i) - 4; }), all_lanes);
    auto d = w.atomic_cas(c, at, w.map([](unsigned) { return 2U; }),
                          w.map([](unsigned i) { return 70 + i; }), all_lanes);
    const auto [x, y, z] = co_await all(a, b, d);
    EXPECT_EQ(x[0], 5);
    EXPECT_EQ(y[0], 5U);
    EXPECT_EQ(z[3], 3U);
    // An ordinary load after an atomic of the same warp sees it, although the L1 had the line.
    const auto v = co_await w.load(c, at, all_lanes);
    EXPECT_EQ(v[2], 72U);
    w.atomic_add(c, at, w.map([](unsigned) { return 1U; }), all_lanes);  // result not wanted
    const auto t = co_await w.load(c, at, all_lanes);
    EXPECT_EQ(t[2], 73U);
  });
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, s),
            (std::vector<std::int32_t>{-4, -3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(copy_from_device(rig.memory, u), (std::vector<U32>{5, 5, 5, 5, 0, 1, 2, 3}));
  EXPECT_EQ(copy_from_device(rig.memory, c), (std::vector<U32>{1, 2, 73, 4, 1, 2, 77, 4}));
}

// Every warp sees what another stored, with room for few of the requests that meet at the LLC.
TEST(Scale, CoresAndWarpsBeyond64) {
  for (const auto& [cores, warps] :
       {std::pair{256U, 3U}, std::pair{65U, 1U}, std::pair{2U, 256U}}) {
    GpuParams p;
    p.cores = cores;
    p.warps = warps;
    p.llc.mshrs = 4;
    p.llc.write_buffer = 4;
    Rig rig(p);
    const U64 count = U64{cores} * warps;
    const auto mine = rig.array(std::vector<U64>(count * 8));
    const auto sums = rig.array(std::vector<U64>(count));
    const auto total = rig.array(std::vector<U64>(1));
    rig.gpu.launch([&, n = count](Warp& w) -> WarpTask {
      const Lanes<U64> own = w.map([&](unsigned) { return U64{w.id()}; });
      const Lanes<U64> line = w.map([&](unsigned) { return U64{w.id()} * 8; });
      w.store(mine, line, own, lane_bit(0));
      co_await w.barrier();
      const Lanes<U64> other = w.map([&](unsigned) { return (w.id() + 97) % n * 8; });
      const Lanes<U64> seen = co_await w.load(mine, other, lane_bit(0));
      w.store(sums, own, seen, lane_bit(0));
      w.atomic_add(total, Lanes<U64>{}, w.map([](unsigned) { return U64{1}; }), lane_bit(0));
    });
    rig.run_clean();
    const auto got = copy_from_device(rig.memory, sums);
    for (U64 i = 0; i < count; ++i) ASSERT_EQ(got[i], (i + 97) % count);
    EXPECT_EQ(copy_from_device(rig.memory, total)[0], count);
    EXPECT_EQ(rig.gpu.stats().slots(), cores * rig.gpu.stats().cycles);
  }
}

// The cores take turns at the one bank of the LLC: of a burst from each, none is served a second
// time before the last had its first.
TEST(Scale, TheLlcServes256CoresInTurn) {
  GpuParams p;
  p.cores = 256;
  p.warps = 1;
  p.llc.banks = 1;
  Rig rig(p);
  const auto array = rig.array(std::vector<U32>(256 * 2 * 16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U32 k = 0; k < 2; ++k) {
      const Lanes<U64> at = w.map([&](unsigned) { return U64{(k * 256 + w.id()) * 16}; });
      auto handle = w.load(array, at, lane_bit(0));
    }
    co_await w.loads();
  });
  rig.run_clean();
  ASSERT_EQ(rig.recorder.count(false), 512U);
  std::vector<U32> first, second;  // where in the order each core's two came
  for (const auto& record : rig.recorder.log) {
    const U64 line = (record.request.addr - array.base) / kLineBytes;
    (line < 256 ? first : second).push_back(static_cast<U32>(line % 256));
    if (line >= 256) {
      EXPECT_EQ(first.size(), 256U) << line;
    }
  }
  EXPECT_EQ(second.size(), 256U);
}

template <typename T>
void lanes_come_out_right(unsigned threads) {
  GpuParams p = one_warp();
  p.threads = threads;
  Rig rig(p);
  constexpr U64 kSize = 256;
  std::vector<T> held(kSize);
  for (U64 i = 0; i < kSize; ++i) held[i] = static_cast<T>(3 * i + 1);
  const auto array = rig.array(held);
  const LaneMask all = threads == kMaxLanes ? ~LaneMask{0} : lane_bit(threads) - 1;
  // Where each lane goes: up from the start of a line, from within, over its end; the same, down,
  // every other, all but one the same.
  const std::vector<std::function<U64(U64)>> places = {[](U64 i) { return i; },
                                                       [](U64 i) { return i + 3; },
                                                       [](U64 i) { return i + 60; },
                                                       [](U64) { return 5; },
                                                       [](U64 i) { return 100 - i; },
                                                       [](U64 i) { return 2 * i + 1; },
                                                       [](U64 i) { return i == 3 ? 9U : 8U; },
                                                       [](U64 i) { return i ^ 1; }};
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    T value = 1;
    for (const auto& place : places) {
      for (const LaneMask mask : {all, all & 0x5555'5555U, all & ~lane_bit(0)}) {
        if (mask == 0) continue;
        const Lanes<U64> at = w.map([&](unsigned i) { return place(i); });
        const Lanes<T> seen = co_await w.load(array, at, mask);
        Lanes<T> stored{};
        for (unsigned i = 0; i < kMaxLanes; ++i) {
          EXPECT_EQ(seen[i], has_lane(mask, i) ? held[at[i]] : T{0}) << i;
        }
        for (LaneMask m = mask; m != 0; m &= m - 1) {
          held[at[first_lane(m)]] = stored[first_lane(m)] = ++value;
        }
        w.store(array, at, stored, mask);
        const Lanes<T> again = co_await w.load_l2(array, at, mask);
        for (unsigned i = 0; i < threads; ++i) {
          EXPECT_EQ(again[i], has_lane(mask, i) ? held[at[i]] : T{0}) << i;
        }
      }
    }
  });
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, array), held);
}

TEST(Lanes, ComeOutRightWhereverTheyGo) {
  for (const unsigned threads : {1U, 5U, 8U, 16U, 24U, 32U}) {
    SCOPED_TRACE(threads);
    lanes_come_out_right<std::uint8_t>(threads);
    lanes_come_out_right<std::uint16_t>(threads);
    lanes_come_out_right<std::uint32_t>(threads);
    lanes_come_out_right<std::uint64_t>(threads);
    lanes_come_out_right<std::int32_t>(threads);
  }
}

TEST(Issue, ArithmeticTakesOneSlotACycleSharedByWarps) {
  GpuParams p;
  p.cores = 1;
  p.warps = 4;
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.compute(100);
    co_await w.drain();
    w.compute(50);
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().computes, 600U);
  EXPECT_EQ(rig.gpu.stats().issue_cycles, 600U);
  EXPECT_NEAR(static_cast<double>(rig.gpu.stats().cycles), 600.0, 6.0);
}

TEST(Issue, CoreCyclesAddUp) {
  Rig rig;
  auto workload = make_workload("bfs", {.size = 2000});
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  rig.run_clean();
  const GpuStats& s = rig.gpu.stats();
  const U64 busy =
      s.issue_cycles + s.stall_memory_cycles + s.stall_lsu_cycles + s.stall_barrier_cycles;
  EXPECT_LE(busy, 8 * (s.cycles - s.flush_cycles));
  EXPECT_GE(busy, 7 * (s.cycles - s.flush_cycles));
  EXPECT_EQ(s.issue_cycles, s.instructions() + s.syncs);
}

TEST(Launch, KernelsRunOneAfterTheOther) {
  Rig rig;
  const U64 n = 4096;
  const auto x = rig.array(iota<U32>(n));
  for (U32 factor : {3U, 5U, 7U}) {
    rig.gpu.launch([&, factor](Warp& w) -> WarpTask {
      // Each kernel deals the work differently, so that it reads what other cores wrote.
      const auto how = factor == 5 ? Distribution::Interleaved : Distribution::Chunked;
      const WorkRange r = w.work(n, how);
      for (U64 base = r.first; base < r.end; base += r.stride) {
        const auto at = w.consecutive(base);
        const auto v = co_await w.load(x, at, w.active(r, base));
        w.store(x, at, w.map([&](unsigned i) { return v[i] * factor; }), w.active(r, base));
      }
    });
  }
  rig.run_clean();
  const auto result = copy_from_device(rig.memory, x);
  for (U64 i = 0; i < n; ++i) ASSERT_EQ(result[i], i * 105);
}

TEST(Launch, ASecondRunGoesOnWhereTheFirstEnded) {
  Rig rig;
  const auto x = rig.array(std::vector<U32>(8, 1));
  const Kernel twice = [&](Warp& w) -> WarpTask {
    if (w.id() != 0) co_return;
    const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
    w.store(x, w.consecutive(0), w.map([&](unsigned i) { return v[i] * 2; }), w.full_mask());
  };
  rig.gpu.launch(twice);
  rig.run_clean();
  rig.gpu.launch(twice);
  EXPECT_FALSE(rig.gpu.done());
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, x), std::vector<U32>(8, 4));
  const std::size_t requests = rig.recorder.log.size();
  rig.gpu.launch([](Warp& w) -> WarpTask {
    w.compute();
    co_return;
  });
  rig.run_clean();
  EXPECT_EQ(rig.recorder.log.size(), requests);  // nothing is dirty any more
}

TEST(Launch, NothingToRunIsDoneAtOnce) {
  Rig rig;
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats(), GpuStats{});
}

TEST(Launch, AnExceptionLeavesTheRun) {
  Rig rig;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.compute(10);
    co_await w.drain();
    if (w.id() == 5) throw std::runtime_error("kernel");
  });
  EXPECT_THROW(run(rig.gpu, rig.checked), std::runtime_error);
}

TEST(Launch, AGpuCanBeDestroyedInTheMiddleOfARun) {
  FixedLatencyParams never;
  never.latency = Time{1ULL << 60};
  Rig rig({}, never);
  auto workload = make_workload("vadd", {.size = 5000});
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  EXPECT_EQ(run(rig.gpu, rig.checked, Time{1'000'000'000}).status, RunStatus::TimeLimit);
  EXPECT_GT(rig.gpu.live_operations(), 0U);
}

TEST(Params, BadOnesAreRefusedWithTheirKey) {
  const auto refused = [](const GpuParams& p, const SystemMapParams& m, const std::string& key) {
    try {
      Gpu gpu(p, m);
      ADD_FAILURE() << key << " accepted";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(key), std::string::npos) << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  };
  GpuParams p;
  p.threads = 33;
  refused(p, {}, "gpu.threads");
  p = {};
  p.l1.size_bytes = 5000;
  refused(p, {}, "gpu.l1.size_bytes");
  p = {};
  p.llc.mshrs = 0;
  refused(p, {}, "gpu.llc.mshrs");
  SystemMapParams m;
  m.local_bytes = m.hdm_base + 64;
  refused({}, m, "gpu.map.local_bytes");
  m = {};
  m.hdm_base = 100;
  refused({}, m, "gpu.map");
  m = {};
  m.hdm_size = 4096;
  m.local_bytes = 0;
  Allocator allocator(m);
  EXPECT_EQ(allocator.alloc<U32>(1024).base, m.hdm_base);
  EXPECT_THROW((void)allocator.alloc<U32>(1), InputError);
}

}  // namespace
}  // namespace cxlgpu
