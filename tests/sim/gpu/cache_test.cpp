// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// L1, LLC and coalescing, seen through the requests that leave the GPU and its counters.
#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

TEST(Coalescing, OneVectorInALineIsOneRequest) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
    for (unsigned i = 0; i < w.width(); ++i) EXPECT_EQ(v[i], i);
  });
  rig.run_clean();
  ASSERT_EQ(rig.recorder.log.size(), 1U);
  EXPECT_EQ(rig.recorder.log[0].request.addr, x.base);
  EXPECT_EQ(rig.gpu.stats().l1_misses, 1U);
  EXPECT_EQ(rig.gpu.stats().loads, 1U);
}

TEST(Coalescing, ScatteredLanesAreOneRequestALine) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(1024));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    // Lanes 0, 2, 4, 6 in one line, lanes 1, 3 in another, 5 and 7 in their own.
    Lanes<U64> index{0, 100, 3, 101, 15, 512, 1, 1000};
    const auto v = co_await w.load(x, index, w.full_mask());
    for (unsigned i = 0; i < w.width(); ++i) EXPECT_EQ(v[i], index[i]);
    // Masked-off lanes make no request and give zero.
    const auto u = co_await w.load(x, w.map([](unsigned i) { return 700 + 16 * i; }), 0b101);
    EXPECT_EQ(u[0], 700U);
    EXPECT_EQ(u[1], 0U);
    EXPECT_EQ(u[2], 732U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.recorder.log.size(), 4U + 2U);
}

TEST(Coalescing, AccessWithoutLanesIsNoInstruction) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto v = co_await w.load(x, w.consecutive(0), 0);
    w.store(x, w.consecutive(0), Lanes<U32>{}, 0);
    EXPECT_EQ(v[0], 0U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().instructions(), 0U);
  EXPECT_TRUE(rig.recorder.log.empty());
}

TEST(L1, HitsMergesAndLatency) {
  GpuParams p = one_warp();
  Rig rig(p);
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    auto a = w.load(x, w.consecutive(0), w.full_mask());
    auto b = w.load(x, w.consecutive(8), w.full_mask());  // same line: merges
    const auto [u, v] = co_await all(a, b);
    EXPECT_EQ(u[3], 3U);
    EXPECT_EQ(v[3], 11U);
    const auto c = co_await w.load(x, w.consecutive(4), w.full_mask());  // hit
    EXPECT_EQ(c[0], 4U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().l1_misses, 1U);
  EXPECT_EQ(rig.gpu.stats().l1_merges, 1U);
  EXPECT_EQ(rig.gpu.stats().l1_hits, 1U);
  EXPECT_EQ(rig.recorder.log.size(), 1U);
}

TEST(L1, LoadLatenciesAreThoseOfTheParameters) {
  // An LLC hit takes 146 ns and local memory 340 ns with the defaults, an L1 hit 20 and one issue.
  GpuParams p = one_warp();
  Rig rig(p, {}, 4096);
  const auto x = rig.array(iota<U32>(64));
  std::vector<U64> at;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (int i = 0; i < 2; ++i) {
      at.push_back(rig.engine.now().ps);
      (void)co_await w.load(x, w.consecutive(0), w.full_mask());
    }
    at.push_back(rig.engine.now().ps);
    (void)co_await w.load_l2(x, w.consecutive(0), w.full_mask());
    at.push_back(rig.engine.now().ps);
  });
  rig.run_clean();
  EXPECT_TRUE(rig.recorder.log.empty());
  EXPECT_EQ(rig.gpu.stats().local_reads, 1U);
  ASSERT_EQ(at.size(), 4U);
  EXPECT_NEAR(static_cast<double>(at[1] - at[0]), 340e3, 3e3);
  EXPECT_NEAR(static_cast<double>(at[2] - at[1]), 20e3, 3e3);
  EXPECT_NEAR(static_cast<double>(at[3] - at[2]), 146e3, 3e3);
}

TEST(L1, FewMissRegistersOnlySlowDown) {
  GpuParams p = one_warp();
  p.l1.mshrs = 1;
  p.l1.merges = 1;
  p.llc.mshrs = 1;
  p.llc.merges = 1;
  p.llc.write_buffer = 1;
  p.llc_queue = 1;
  p.lsu_queue = 1;
  p.loads_per_warp = 1;
  Rig rig(p);
  auto workload = make_workload("vadd", {.size = 3000});
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
}

TEST(Llc, StoreMissAllocatesWithoutFetchAndWritesBackItsBytes) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(2), w.map([](unsigned i) { return 100 + i; }), 0b0110);
    co_await w.drain();
  });
  rig.run_clean();
  ASSERT_EQ(rig.recorder.log.size(), 1U);  // the write-back of the final flush
  const MemRequest& r = rig.recorder.log[0].request;
  EXPECT_TRUE(r.is_write);
  EXPECT_EQ(r.byte_enable, 0xffULL << 12);
  EXPECT_EQ(rig.gpu.stats().hdm_writes_partial, 1U);
  const auto result = copy_from_device(rig.memory, x);
  EXPECT_EQ(result[2], 2U);
  EXPECT_EQ(result[3], 101U);
  EXPECT_EQ(result[4], 102U);
  EXPECT_EQ(result[5], 5U);
}

TEST(Llc, PartialStoresOfALineMergeToAFullWriteBack) {
  Rig rig(one_warp());
  const auto x = rig.array(std::vector<std::uint8_t>(64, 7));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (unsigned part = 0; part < 8; ++part) {
      w.store(x, w.map([&](unsigned i) { return part + 8 * i; }),
              w.map([&](unsigned i) { return static_cast<std::uint8_t>(part + 8 * i); }),
              w.full_mask());
    }
    co_await w.drain();
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().hdm_writes_full, 1U);
  EXPECT_EQ(rig.gpu.stats().llc_store_allocations, 1U);
  EXPECT_EQ(rig.gpu.stats().llc_store_hits, 7U);
  EXPECT_EQ(rig.gpu.stats().hdm_reads, 0U);
  EXPECT_EQ(copy_from_device(rig.memory, x), iota<std::uint8_t>(64));
}

TEST(Llc, LoadOfAPartlyValidLineFetchesAndMerges) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(0), w.map([](unsigned) { return 1000U; }), 0b1);
    const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(v[0], 1000U);
    EXPECT_EQ(v[1], 1U);
    EXPECT_EQ(v[7], 7U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().llc_partial_fetches, 1U);
  EXPECT_EQ(rig.recorder.count(false), 1U);
  EXPECT_EQ(copy_from_device(rig.memory, x)[0], 1000U);
}

TEST(Llc, BypassLoadOfValidBytesNeedsNoFetch) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(0), w.map([](unsigned i) { return 50 + i; }), w.full_mask());
    const auto v = co_await w.load_l2(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(v[5], 55U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.recorder.count(false), 0U);
  EXPECT_EQ(rig.gpu.stats().llc_load_hits, 1U);
}

TEST(Llc, MissesOfTwoCoresToALineMerge) {
  GpuParams p = one_warp();
  p.cores = 2;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(v[5], 5U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.recorder.count(false), 1U);
  EXPECT_EQ(rig.gpu.stats().llc_load_misses, 1U);
  EXPECT_EQ(rig.gpu.stats().llc_merges, 1U);
}

TEST(Llc, EvictionWritesBackAndALaterLoadSeesIt) {
  GpuParams p = one_warp();
  p.llc.size_bytes = 1024;  // 16 lines
  p.llc.ways = 2;
  p.l1.size_bytes = 256;
  FixedLatencyParams latency;
  latency.jitter = Time{2'000'000};
  Rig rig(p, latency);
  const auto x = rig.array(iota<U32>(4096));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U64 base = 0; base < 4096; base += 8) {
      w.store(x, w.consecutive(base), w.map([&](unsigned i) { return U32(base + i) * 3; }),
              w.full_mask());
      co_await w.drain();
    }
    for (U64 base = 0; base < 4096; base += 8) {
      const auto v = co_await w.load(x, w.consecutive(base), w.full_mask());
      EXPECT_EQ(v[7], (base + 7) * 3);
    }
  });
  rig.run_clean();
  EXPECT_EQ(rig.recorder.count(true), 256U);
  EXPECT_GE(rig.recorder.count(false), 240U);
  EXPECT_EQ(copy_from_device(rig.memory, x)[4095], 4095U * 3);
}

TEST(Order, StoreAfterPendingLoadDoesNotReachBackAndIsSeenLater) {
  Rig rig(one_warp());
  const auto x = rig.array(iota<U32>(16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    auto before = w.load(x, w.consecutive(0), w.full_mask());
    w.store(x, w.consecutive(0), w.map([](unsigned) { return 99U; }), w.full_mask());
    auto after = w.load(x, w.consecutive(0), w.full_mask());
    const auto [u, v] = co_await all(before, after);
    EXPECT_EQ(u[2], 2U);
    EXPECT_EQ(v[2], 99U);
    const auto again = co_await w.load(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(again[2], 99U);
  });
  rig.run_clean();
}

TEST(Order, BusIsOfferedAtMostOneRequestACycle) {
  Rig rig;
  auto workload = make_workload("vadd", {.size = 20000});
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  rig.run_clean();
  const auto& log = rig.recorder.log;
  for (std::size_t i = 1; i < log.size(); ++i) EXPECT_GT(log[i].at, log[i - 1].at);
  EXPECT_EQ(log.size(), rig.gpu.stats().engine_requests());
}

// Every lane of every warp owns elements strewn over lines that it shares with others. Whatever
// the caches do, a lane's loads see its own last store, and memory ends up with it.
enum class Gathering { None, Buffer, WriteBack };

template <typename T>
void own_data_is_coherent(std::uint64_t seed, OpKind kind, Gathering gathering, WritePolicy llc) {
  Random random(seed);
  GpuParams p;
  p.cores = 1 + static_cast<std::uint32_t>(random.below(4));
  p.warps = 1 + static_cast<std::uint32_t>(random.below(4));
  p.l1.size_bytes = 512;
  p.l1.ways = 2;
  p.l1.mshrs = 1 + static_cast<std::uint32_t>(random.below(4));
  p.l1.merges = 1 + static_cast<std::uint32_t>(random.below(3));
  p.l1.hit_latency_cycles = 1 + static_cast<std::uint32_t>(random.below(30));
  p.llc.size_bytes = 1024;
  p.llc.ways = 2;
  p.llc.mshrs = 1 + static_cast<std::uint32_t>(random.below(6));
  p.llc.merges = 1 + static_cast<std::uint32_t>(random.below(3));
  p.llc.write_buffer = 1 + static_cast<std::uint32_t>(random.below(4));
  p.llc.banks = 1 + static_cast<std::uint32_t>(random.below(4));
  p.llc.hit_latency_cycles = 1 + static_cast<std::uint32_t>(random.below(100));
  p.llc.fill_latency_cycles = 1 + static_cast<std::uint32_t>(random.below(100));
  p.llc_queue = 1 + static_cast<std::uint32_t>(random.below(5));
  p.l1.replacement = static_cast<Replacement>(random.below(4));
  p.llc.replacement = static_cast<Replacement>(random.below(4));
  p.llc.write = llc;
  p.scheduler = static_cast<Scheduler>(random.below(2));
  p.units.alu = 1 + static_cast<std::uint32_t>(random.below(3));
  p.l1.write = gathering == Gathering::WriteBack ? WritePolicy::Back : WritePolicy::Through;
  p.store_buffer = gathering == Gathering::Buffer ? 1 + static_cast<U32>(random.below(6)) : 0;
  FixedLatencyParams latency;
  latency.latency = Time{20'000};
  latency.jitter = Time{random.below(1'000'000)};
  latency.refuse_percent = static_cast<std::uint32_t>(random.below(60));
  latency.seed = seed;
  const U64 owners = std::uint64_t{p.cores} * p.warps * p.threads;
  constexpr U64 kEach = 24;
  Rig rig(p, latency, random.below(2) * 512);
  const auto x = rig.array(iota<T>(owners * kEach));
  std::vector<T> expected = iota<T>(owners * kEach);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    Random dice(seed * 1000 + w.id());
    const auto pick = [&] {
      return w.map([&](unsigned i) { return dice.below(kEach) * owners + w.id() * w.width() + i; });
    };
    for (int round = 0; round < 60; ++round) {
      std::vector<LoadHandle<T>> handles;
      std::vector<Lanes<T>> wanted;
      std::vector<LaneMask> masks;
      for (U64 n = dice.below(8); n > 0; --n) {
        const Lanes<U64> index = pick();
        const LaneMask mask = static_cast<LaneMask>(dice.next()) & w.full_mask();
        switch (dice.below(3)) {
          case 0: {
            const auto value = w.map([&](unsigned) { return static_cast<T>(dice.next()); });
            w.store(x, index, value, mask);
            for (unsigned i = 0; i < w.width(); ++i) {
              if (has_lane(mask, i)) expected[index[i]] = value[i];
            }
            break;
          }
          case 1: {
            handles.push_back(kind == OpKind::LoadL2 && dice.below(2) == 0
                                  ? w.load_l2(x, index, mask)
                                  : w.load(x, index, mask));
            wanted.push_back(w.map([&](unsigned i) { return expected[index[i]]; }));
            masks.push_back(mask);
            break;
          }
          default:
            if constexpr (sizeof(T) >= 4) {
              if (kind == OpKind::Atomic) {
                const auto value = w.map([&](unsigned) { return static_cast<T>(dice.next()); });
                wanted.push_back(w.map([&](unsigned i) { return expected[index[i]]; }));
                masks.push_back(mask);
                handles.push_back(w.atomic_add(x, index, value, mask));
                for (unsigned i = 0; i < w.width(); ++i) {
                  if (has_lane(mask, i)) expected[index[i]] = expected[index[i]] + value[i];
                }
              }
            }
            w.compute(static_cast<std::uint32_t>(dice.below(4)));
        }
      }
      if (dice.below(4) != 0) {
        co_await w.loads();
        for (std::size_t h = 0; h < handles.size(); ++h) {
          const Lanes<T> got = handles[h].get();
          for (unsigned i = 0; i < w.width(); ++i) {
            if (!has_lane(masks[h], i)) continue;
            EXPECT_EQ(got[i], wanted[h][i]) << "seed " << seed;
          }
        }
      }  // else the handles are dropped with their accesses in flight
      if (round % 20 == 19) co_await w.barrier();
      if (round % 7 == 6) co_await w.fence();
    }
  });
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, x), expected) << "seed " << seed;
  EXPECT_EQ(rig.gpu.stats().slots(), p.cores * rig.gpu.stats().cycles) << "seed " << seed;
}

TEST(Order, OwnDataIsCoherentUnderRandomPrograms) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    for (const Gathering gathering : {Gathering::None, Gathering::Buffer, Gathering::WriteBack}) {
      for (const WritePolicy llc : {WritePolicy::Back, WritePolicy::Through}) {
        own_data_is_coherent<std::uint8_t>(seed, OpKind::Load, gathering, llc);
        own_data_is_coherent<std::uint16_t>(seed, OpKind::LoadL2, gathering, llc);
        own_data_is_coherent<std::uint32_t>(seed, OpKind::Atomic, gathering, llc);
        own_data_is_coherent<std::uint64_t>(seed, OpKind::Atomic, gathering, llc);
      }
    }
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace cxlgpu
