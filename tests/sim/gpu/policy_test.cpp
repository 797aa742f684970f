// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Replacement and write policies of the caches, the store buffer.
#include "sim/gpu/replacement.hpp"
#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// ---- replacement -------------------------------------------------------------------------------

constexpr U64 kFour = 0b1111;

ReplacementOrder filled(Replacement policy) {
  ReplacementOrder order(policy, 1, 4, 7);
  for (std::size_t way = 0; way < 4; ++way) order.fill(way);
  return order;
}

TEST(Replacement, LruTakesTheOneUsedLongestAgo) {
  ReplacementOrder order = filled(Replacement::Lru);
  order.use(0);
  EXPECT_EQ(order.victim(0, kFour), 1U);
  order.use(1);
  EXPECT_EQ(order.victim(0, kFour), 2U);
  EXPECT_EQ(order.victim(0, 0b1011), 3U);
}

TEST(Replacement, FifoForgetsUses) {
  ReplacementOrder order = filled(Replacement::Fifo);
  order.use(0);
  EXPECT_EQ(order.victim(0, kFour), 0U);
  order.fill(0);
  EXPECT_EQ(order.victim(0, kFour), 1U);
}

// The tree of four: after uses of 0 and 2 the root points at the half of 0, and that node at 1,
// where LRU would say 1 too; after 0, 2, 1 it points at 3 although 3 is not the oldest of all.
TEST(Replacement, PlruFollowsItsTree) {
  ReplacementOrder order = filled(Replacement::Plru);
  EXPECT_EQ(order.victim(0, kFour), 0U);
  order.use(0);
  EXPECT_EQ(order.victim(0, kFour), 2U);  // LRU: 1
  order.use(2);
  EXPECT_EQ(order.victim(0, kFour), 1U);
  order.use(1);
  EXPECT_EQ(order.victim(0, kFour), 3U);
  EXPECT_EQ(order.victim(0, 0b0111), 0U);  // 3 is not allowed: the next, and round
}

TEST(Replacement, RandomIsEvenAndTheSameForASeed) {
  ReplacementOrder order(Replacement::Random, 1, 4, 7), same(Replacement::Random, 1, 4, 7),
      other(Replacement::Random, 1, 4, 8);
  std::array<int, 4> count{};
  int equal = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t way = order.victim(0, 0b1101);
    ++count[way];
    ASSERT_EQ(way, same.victim(0, 0b1101));
    equal += way == other.victim(0, 0b1101);
  }
  EXPECT_EQ(count[1], 0);
  for (const int way : {0, 2, 3}) EXPECT_NEAR(count[way], 4000 / 3.0, 150);
  EXPECT_LT(equal, 2000);
}

// A loop over one line more than a set's ways: LRU and FIFO miss every time, random does not.
// With a line that is used again and again, LRU keeps it, FIFO loses it once a round of the set.
GpuStats loop_over(Replacement policy, U64 lines, bool favourite, bool llc) {
  GpuParams p = one_warp();
  p.l1.size_bytes = 4 * 64;  // one set
  p.l1.replacement = policy;
  if (llc) {
    p.llc.size_bytes = 4 * 64;
    p.llc.ways = 4;
    p.llc.replacement = policy;
  }
  Rig rig(p);
  const auto x = rig.array(iota<U32>(16 * 64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto read = [&](U64 line) {
      return llc ? w.load_l2(x, w.consecutive(16 * line), w.full_mask())
                 : w.load(x, w.consecutive(16 * line), w.full_mask());
    };
    for (int round = 0; round < 100; ++round) {
      for (U64 line = 1; line <= lines; ++line) {
        (void)co_await read(line);
        if (favourite) (void)co_await read(0);
      }
    }
  });
  rig.run_clean();
  return rig.gpu.stats();
}

TEST(Replacement, LoopsOverASetByFormula) {
  for (const bool llc : {false, true}) {
    const auto misses = [llc](Replacement policy, U64 lines, bool favourite) {
      const GpuStats s = loop_over(policy, lines, favourite, llc);
      return llc ? s.llc_load_misses : s.l1_misses;
    };
    for (const Replacement policy :
         {Replacement::Lru, Replacement::Fifo, Replacement::Plru, Replacement::Random}) {
      EXPECT_EQ(misses(policy, 4, false), 4U);  // they fit
    }
    EXPECT_EQ(misses(Replacement::Lru, 5, false), 500U);
    EXPECT_EQ(misses(Replacement::Fifo, 5, false), 500U);
    EXPECT_LT(misses(Replacement::Random, 5, false), 350U);
    EXPECT_LT(misses(Replacement::Plru, 5, false), 500U);
    EXPECT_EQ(misses(Replacement::Lru, 4, true), 400U + 1);  // the favourite stays
    // Each miss takes the oldest; the favourite is that after three others came in, and comes back.
    EXPECT_GT(misses(Replacement::Fifo, 4, true), 480U);
  }
}

// ---- write-back L1 -----------------------------------------------------------------------------

GpuParams writing_back() {
  GpuParams p = one_warp();
  p.l1.write = WritePolicy::Back;
  return p;
}

U64 stores_at_llc(const GpuStats& s) {
  return s.llc_store_hits + s.llc_store_allocations;
}

// 8 lines, written 16 words each by two instructions, ten times over, then a fence.
GpuStats rewrite(const GpuParams& p, bool fence_each_round) {
  Rig rig(p);
  const auto x = rig.array(std::vector<U32>(128, 0));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U32 round = 1; round <= 10; ++round) {
      for (U64 at = 0; at < 128; at += 8) {
        w.store(x, w.consecutive(at), w.map([&](unsigned i) { return U32(at + i) * round; }),
                w.full_mask());
      }
      if (fence_each_round) co_await w.fence();
    }
    co_await w.fence();
  });
  rig.run_clean();
  for (U32 i = 0; i < 128; ++i) EXPECT_EQ(copy_from_device(rig.memory, x)[i], i * 10);
  return rig.gpu.stats();
}

TEST(WriteBack, ALineGoesOnceAFence) {
  EXPECT_EQ(stores_at_llc(rewrite(one_warp(), false)), 160U);
  EXPECT_EQ(stores_at_llc(rewrite(writing_back(), false)), 8U);
  EXPECT_EQ(stores_at_llc(rewrite(writing_back(), true)), 80U);
  EXPECT_EQ(rewrite(writing_back(), false).stores_gathered, 160U - 8);
}

TEST(WriteBack, EvictionTakesTheDirtyBytesAlone) {
  GpuParams p = writing_back();
  p.l1.size_bytes = 4 * 64;
  p.l1.ways = 4;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(16 * 16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U64 line = 0; line < 5; ++line) {
      w.store(x, w.consecutive(16 * line), w.map([](unsigned) { return 7U; }), 0b11);
    }
    co_await w.drain();
    // Past the L1: what was evicted, and only that, is there without a fence.
    co_await w.load_l2(x, w.consecutive(16 * 10), w.full_mask());
    EXPECT_EQ(stores_at_llc(rig.gpu.stats()), 1U);
  });
  rig.run_clean();
  EXPECT_EQ(stores_at_llc(rig.gpu.stats()), 5U);
  const auto got = copy_from_device(rig.memory, x);
  for (U32 i = 0; i < 16 * 16; ++i) EXPECT_EQ(got[i], i / 16 < 5 && i % 16 < 2 ? 7 : i);
}

TEST(WriteBack, LoadOfStoredBytesHitsOfOthersGoesThroughTheLlc) {
  Rig rig(writing_back());
  const auto x = rig.array(iota<U32>(16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(0), w.map([](unsigned i) { return 100 + i; }), w.full_mask());
    const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(v[7], 107U);
    EXPECT_EQ(rig.gpu.stats().l1_hits, 1U);
    EXPECT_EQ(stores_at_llc(rig.gpu.stats()), 0U);
    const auto u = co_await w.load(x, w.consecutive(4), w.full_mask());
    EXPECT_EQ(u[3], 107U);
    EXPECT_EQ(u[4], 8U);
    EXPECT_EQ(rig.gpu.stats().l1_misses, 1U);
    EXPECT_EQ(stores_at_llc(rig.gpu.stats()), 1U);
  });
  rig.run_clean();
}

// ---- store buffer ------------------------------------------------------------------------------

GpuParams buffered(U32 lines) {
  GpuParams p = one_warp();
  p.store_buffer = lines;
  return p;
}

TEST(StoreBuffer, GathersALinesStoresUntilItsPlaceIsWanted) {
  // Each line's two stores stand together; with n lines the n-th later store pushes it out.
  EXPECT_EQ(stores_at_llc(rewrite(buffered(1), false)), 80U);
  EXPECT_EQ(stores_at_llc(rewrite(buffered(7), false)), 80U);
  EXPECT_EQ(stores_at_llc(rewrite(buffered(8), false)), 8U);
  EXPECT_EQ(stores_at_llc(rewrite(buffered(8), true)), 80U);
}

// What sends which of two buffered lines to the LLC.
TEST(StoreBuffer, DrainRules) {
  enum class Cause { None, Load, LoadOther, LoadL2, Atomic, Fence, Barrier, CoreBarrier };
  const auto left_after = [](Cause cause) {
    Rig rig(buffered(4));
    const auto x = rig.array(std::vector<U32>(16 * 8, 0));
    U64 written = 0;
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      const auto one = w.map([](unsigned) { return 1U; });
      w.store(x, w.consecutive(0), one, w.full_mask());
      w.store(x, w.consecutive(16), one, w.full_mask());
      switch (cause) {
        case Cause::None:
          break;
        case Cause::Load: {
          const auto v = co_await w.load(x, w.consecutive(4), w.full_mask());
          EXPECT_EQ(v[3], 1U);
          EXPECT_EQ(v[4], 0U);
          break;
        }
        case Cause::LoadOther:
          (void)co_await w.load(x, w.consecutive(32), w.full_mask());
          break;
        case Cause::LoadL2:
          EXPECT_EQ((co_await w.load_l2(x, w.consecutive(16), w.full_mask()))[0], 1U);
          break;
        case Cause::Atomic:
          (void)co_await w.atomic_add(x, w.consecutive(48), one, w.full_mask());
          break;
        case Cause::Fence:
          co_await w.fence();
          break;
        case Cause::Barrier:
          co_await w.barrier();
          break;
        case Cause::CoreBarrier:
          co_await w.core_barrier();
          break;
      }
      // Long enough for everything in flight to arrive.
      w.compute(2000);
      co_await w.drain();
      written = stores_at_llc(rig.gpu.stats());
    });
    rig.run_clean();
    EXPECT_EQ(stores_at_llc(rig.gpu.stats()), 2U);  // the kernel's end
    return 2 - written;
  };
  EXPECT_EQ(left_after(Cause::None), 2U);
  EXPECT_EQ(left_after(Cause::LoadOther), 2U);
  EXPECT_EQ(left_after(Cause::CoreBarrier), 2U);
  EXPECT_EQ(left_after(Cause::Load), 1U);
  EXPECT_EQ(left_after(Cause::LoadL2), 1U);
  EXPECT_EQ(left_after(Cause::Atomic), 0U);
  EXPECT_EQ(left_after(Cause::Fence), 0U);
  EXPECT_EQ(left_after(Cause::Barrier), 0U);
}

TEST(StoreBuffer, WorkloadsComeOutRight) {
  for (const std::string name : {"vadd", "bfs"}) {
    for (const GpuParams& one : {buffered(4), writing_back()}) {
      GpuParams p = one;
      p.cores = p.warps = 8;
      FixedLatencyParams latency;
      latency.jitter = Time{1'000'000};
      latency.refuse_percent = 30;
      Rig rig(p, latency, 4096);
      auto workload = make_workload(name, {.size = 4001});
      workload->setup(rig.allocator, rig.memory);
      workload->launch(rig.gpu);
      rig.run_clean();
      EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
      EXPECT_EQ(rig.gpu.stats().slots(), p.cores * rig.gpu.stats().cycles);
    }
  }
}

// ---- write-through LLC -------------------------------------------------------------------------

GpuParams writing_through() {
  GpuParams p = one_warp();
  p.llc.write = WritePolicy::Through;
  return p;
}

// Two stores of a line are two writes, each with its own bytes, and leave no line behind.
TEST(WriteThrough, EachStoreIsAWriteOfItsBytesAndAllocatesNoLine) {
  Rig rig(writing_through());
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(2), w.map([](unsigned i) { return 100 + i; }), 0b0110);
    w.store(x, w.consecutive(2), w.map([](unsigned i) { return 200 + i; }), 0b1100);
    co_await w.drain();
    w.compute(2000);  // both are with memory long before the kernel's end
    co_await w.drain();
    EXPECT_EQ(rig.recorder.count(true), 2U);
    const auto v = co_await w.load_l2(x, w.consecutive(0), w.full_mask());
    EXPECT_EQ(v, (Lanes<U32>{0, 1, 2, 101, 202, 203, 6, 7}));
    EXPECT_EQ(rig.recorder.count(false), 1U);
  });
  rig.run_clean();
  ASSERT_EQ(rig.recorder.log.size(), 3U);  // nothing is left to write back
  EXPECT_EQ(rig.recorder.log[0].request.byte_enable, 0xffULL << 12);
  EXPECT_EQ(rig.recorder.log[1].request.byte_enable, 0xffULL << 16);
  EXPECT_EQ(rig.gpu.stats().llc_store_passed, 2U);
  EXPECT_EQ(rig.gpu.stats().llc_store_allocations, 0U);
  EXPECT_EQ(rig.gpu.stats().hdm_writes_partial, 2U);
  EXPECT_EQ(copy_from_device(rig.memory, x)[4], 202U);
}

TEST(WriteThrough, AStoreChangesALineThatIsThereAndMemory) {
  for (const std::uint64_t local : {0, 4096}) {
    Rig rig(writing_through(), {}, local);
    const auto x = rig.array(iota<U32>(64));
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      (void)co_await w.load_l2(x, w.consecutive(0), w.full_mask());
      w.store(x, w.consecutive(0), w.map([](unsigned i) { return 50 + i; }), 0b11);
      const auto v = co_await w.load_l2(x, w.consecutive(0), w.full_mask());
      EXPECT_EQ(v, (Lanes<U32>{50, 51, 2, 3, 4, 5, 6, 7}));
      const auto u = co_await w.atomic_add(x, w.consecutive(1), w.map([](unsigned) { return 1U; }),
                                           w.full_mask());
      EXPECT_EQ(u[0], 51U);
      w.compute(2000);
      co_await w.drain();
      const GpuStats& now = rig.gpu.stats();
      EXPECT_EQ(now.local_writes_partial + now.hdm_writes_partial, 2U);
    });
    rig.run_clean();
    const GpuStats& s = rig.gpu.stats();
    EXPECT_EQ(s.llc_store_hits, 1U);
    EXPECT_EQ(s.llc_load_misses, 1U);
    EXPECT_EQ(local != 0 ? s.local_writes_partial : s.hdm_writes_partial, 2U);
    EXPECT_EQ(s.hdm_writes_full + s.local_writes_full, 0U);
    const auto got = copy_from_device(rig.memory, x);
    for (U32 i = 0; i < 16; ++i) {
      EXPECT_EQ(got[i], (i < 2 ? 50 + i : i) + (i >= 1 && i < 9 ? 1 : 0)) << i;
    }
  }
}

// A store behind a fetch of its line: the loads before it have the old bytes, those after it the
// new ones, in GPU memory too, where a write is there at once.
TEST(WriteThrough, LoadsAndStoresOfALineKeepTheirOrder) {
  for (const std::uint64_t local : {0, 4096}) {
    Rig rig(writing_through(), {}, local);
    const auto x = rig.array(iota<U32>(16));
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      const auto nines = w.map([](unsigned) { return 99U; });
      auto first = w.load_l2(x, w.consecutive(0), w.full_mask());
      w.store(x, w.consecutive(0), nines, 0b1);
      auto between = w.load_l2(x, w.consecutive(0), w.full_mask());
      auto sum = w.atomic_add(x, w.consecutive(0), w.map([](unsigned) { return 1U; }), 0b11);
      w.store(x, w.consecutive(1), nines, 0b1);
      auto last = w.load_l2(x, w.consecutive(0), w.full_mask());
      co_await w.loads();
      EXPECT_EQ(first.get(), (Lanes<U32>{0, 1, 2, 3, 4, 5, 6, 7}));
      EXPECT_EQ(between.get()[0], 99U);
      EXPECT_EQ(sum.get()[0], 99U);
      EXPECT_EQ(sum.get()[1], 1U);
      EXPECT_EQ(last.get(), (Lanes<U32>{100, 99, 2, 3, 4, 5, 6, 7}));
    });
    rig.run_clean();
    EXPECT_EQ(copy_from_device(rig.memory, x)[0], 100U);
    EXPECT_EQ(copy_from_device(rig.memory, x)[1], 99U);
    EXPECT_EQ(rig.recorder.count(true), local != 0 ? 0U : 3U);
  }
}

// No more writes in flight than the buffer has entries, and as many as it has.
TEST(WriteThrough, TheBufferBoundsTheWritesUnderWay) {
  constexpr U64 kStores = 40;
  const auto cycles = [&](U32 entries) {
    GpuParams p = writing_through();
    p.llc.write_buffer = entries;
    Rig rig(p, {.latency = Time{1'000'000}});
    const auto x = rig.array(iota<U32>(16 * kStores));
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      for (U64 n = 0; n < kStores; ++n) {
        w.store(x, w.consecutive(16 * n), w.map([](unsigned) { return 1U; }), w.full_mask());
      }
      co_await w.drain();
    });
    rig.run_clean();
    const auto& log = rig.recorder.log;
    EXPECT_EQ(log.size(), kStores);
    for (std::size_t i = entries; i < log.size(); ++i) {
      EXPECT_GE(log[i].at, log[i - entries].at + Time{1'000'000}) << entries << " entries, " << i;
    }
    EXPECT_EQ(rig.gpu.stats().llc_stall_write_buffer == 0, entries >= kStores) << entries;
    return rig.gpu.stats().cycles;
  };
  // A microsecond for each round of the buffer, and what the first store takes to come there.
  for (const U32 entries : {1U, 2U, 4U, 8U, 40U}) {
    const U64 rounds = (kStores + entries - 1) / entries;
    EXPECT_NEAR(static_cast<double>(cycles(entries)), static_cast<double>(1000 * rounds), 200.0)
        << entries;
  }
}

TEST(WriteThrough, WorkloadsComeOutRight) {
  for (const std::string name : {"vadd", "bfs"}) {
    for (const U32 entries : {1U, 3U, 64U}) {
      GpuParams p = writing_through();
      p.cores = p.warps = 8;
      p.llc.write_buffer = entries;
      FixedLatencyParams latency;
      latency.jitter = Time{1'000'000};
      latency.refuse_percent = 30;
      Rig rig(p, latency, 4096);
      auto workload = make_workload(name, {.size = 4001});
      workload->setup(rig.allocator, rig.memory);
      workload->launch(rig.gpu);
      rig.run_clean();
      EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
      EXPECT_EQ(rig.gpu.stats().slots(), p.cores * rig.gpu.stats().cycles);
      EXPECT_EQ(rig.gpu.stats().llc_store_allocations, 0U);
    }
  }
}

TEST(Params, WhatDoesNotGoTogetherIsRefused) {
  const auto message = [](const GpuParams& p) -> std::string {
    try {
      validate(p);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  GpuParams p = writing_back();
  p.store_buffer = 4;
  EXPECT_NE(message(p).find("gpu.store_buffer"), std::string::npos);
  p = {};
  p.l1.ways = 3;
  p.l1.size_bytes = 3 * 64 * 4;
  EXPECT_EQ(message(p), "");
  p.l1.replacement = Replacement::Plru;
  EXPECT_NE(message(p).find("gpu.l1.replacement"), std::string::npos);
  p = {};
  p.units.sfu = 0;
  EXPECT_NE(message(p).find("gpu.latency.sfu"), std::string::npos);
  p = {};
  p.scratchpad.banks = 65;
  EXPECT_NE(message(p).find("gpu.scratchpad_banks"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
