// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Scratchpad, its bank conflicts, and the barrier of a core's warps.
#include <numeric>

#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// Stride s over b banks, t lanes, 4 B words: the lanes fall on b / gcd(s, b) banks.
TEST(Scratchpad, ConflictsOfAStrideByFormula) {
  for (const U32 banks : {1U, 4U, 8U, 16U}) {
    for (const U32 stride : {0U, 1U, 2U, 3U, 4U, 8U, 16U}) {
      GpuParams p = one_warp();
      p.threads = 16;
      p.scratchpad.banks = banks;
      Rig rig(p);
      U64 ps = 0;
      rig.gpu.launch([&](Warp& w) -> WarpTask {
        const auto a = w.shared<U32>(1024);
        const U64 before = rig.engine.now().ps;
        (void)co_await w.load(a, w.map([&](unsigned i) { return i * stride; }), w.full_mask());
        ps = rig.engine.now().ps - before;
      });
      rig.run_clean();
      // With stride 0 every lane wants the same word: one access.
      const U32 spread = stride == 0 ? 1 : banks / std::gcd(stride, banks);
      const U32 words = stride == 0 ? 1 : 16;
      const U32 cycles = (words + spread - 1) / spread;
      EXPECT_EQ(rig.gpu.stats().scratch_conflict_cycles, cycles - 1) << banks << " " << stride;
      EXPECT_EQ(rig.gpu.stats().scratch_accesses, 1U);
      // From launch: a cycle to issue, one to the unit, then the latency and the conflicts.
      EXPECT_EQ(ps / 1000, 2 + p.scratchpad.latency_cycles + cycles - 1);
      EXPECT_TRUE(rig.recorder.log.empty());
      EXPECT_EQ(rig.gpu.stats().l1_hits + rig.gpu.stats().l1_misses, 0U);
    }
  }
}

TEST(Scratchpad, EightByteElementsAreTwoWordsEach) {
  GpuParams p = one_warp();  // 8 lanes, 8 banks
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto a = w.shared<double>(64);
    w.store(a, w.consecutive(0), w.map([](unsigned i) { return i * 0.5; }), w.full_mask());
    const auto v = co_await w.load(a, w.consecutive(1), w.full_mask());
    EXPECT_EQ(v[2], 1.5);
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().scratch_conflict_cycles, 2U);  // 16 words over 8 banks, twice
}

TEST(Scratchpad, ConflictsHoldUpTheUnit) {
  GpuParams p = one_warp();
  p.scratchpad.banks = 1;
  p.lsu_queue = 1;
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto a = w.shared<U32>(64);
    for (int n = 0; n < 10; ++n) w.store(a, w.consecutive(0), Lanes<U32>{}, w.full_mask());
    co_await w.fence();
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().scratch_conflict_cycles, 10U * 7);
  // Access n begins when n-1 is over; its place in the queue was free one issue before.
  EXPECT_EQ(rig.gpu.stats().stall_lsu_cycles, 8U * 7);
}

TEST(Scratchpad, OfEachCoreItsOwnAndOfElementsEverySize) {
  GpuParams p;
  p.cores = 3;
  p.warps = 1;
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto bytes = w.shared<std::uint8_t>(64);
    const auto halves = w.shared<std::int16_t>(64, bytes.end());
    EXPECT_EQ(halves.base, 64U);
    w.store(bytes, w.consecutive(0), w.map([&](unsigned i) { return std::uint8_t(w.id() + i); }),
            w.full_mask());
    w.store(halves, w.consecutive(0), w.map([](unsigned i) { return std::int16_t(-int(i)); }),
            w.full_mask());
    auto a = w.load(bytes, w.consecutive(0), w.full_mask());
    auto b = w.load(halves, w.consecutive(0), w.full_mask());
    const auto [u, v] = co_await all(a, b);
    EXPECT_EQ(u[5], w.id() + 5);
    EXPECT_EQ(v[5], -5);
  });
  rig.run_clean();
}

TEST(Scratchpad, ArraysPastItsEndAreRefused) {
  Rig rig(one_warp());
  rig.gpu.launch([](Warp& w) -> WarpTask {
    (void)w.shared<U32>(4096);  // all of it
    (void)w.shared<U32>(4096, 4);
    co_return;
  });
  try {
    run(rig.gpu, rig.checked);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("gpu.scratchpad_bytes"), std::string::npos);
  }
}

TEST(CoreBarrier, OpensWhenTheCoresWarpsAreThere) {
  GpuParams p;
  p.cores = 2;
  p.warps = 4;
  Rig rig(p);
  std::vector<U64> opened(8);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 7) co_return;  // one that has finished is not waited for
    w.compute(w.id() < 4 ? 10 : 1000);
    co_await w.core_barrier();
    opened[w.id()] = rig.engine.now().ps / 1000;
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().core_barriers, 2U);
  EXPECT_EQ(rig.gpu.stats().barriers, 0U);
  // Launch in cycle 1, then a slot for each instruction and each barrier; it opens in the next.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(opened[i], 1U + 4 * 11 + 1);
  for (int i = 4; i < 7; ++i) EXPECT_EQ(opened[i], 1U + 3 * 1001 + 1);
}

TEST(CoreBarrier, PassesStoresBetweenWarpsWithoutAFlush) {
  for (const U32 buffer : {0U, 4U}) {
    for (const WritePolicy write : {WritePolicy::Through, WritePolicy::Back}) {
      if (buffer != 0 && write == WritePolicy::Back) continue;
      GpuParams p;
      p.cores = 2;
      p.store_buffer = buffer;
      p.l1.write = write;
      FixedLatencyParams latency;
      latency.jitter = Time{2'000'000};
      Rig rig(p, latency);
      const auto x = rig.array(std::vector<U32>(16 * 8, 0));
      rig.gpu.launch([&](Warp& w) -> WarpTask {
        const U32 first = w.id() / 8 * 8;
        for (U32 round = 1; round < 10; ++round) {
          w.store(x, w.consecutive(U64{w.id()} * 8),
                  w.map([&](unsigned) { return round * w.id(); }), w.full_mask());
          co_await w.core_barrier();
          const U32 other = first + (w.id() + round) % 8;
          const auto v = co_await w.load(x, w.consecutive(U64{other} * 8), w.full_mask());
          EXPECT_EQ(v[7], round * other);
          co_await w.core_barrier();
        }
      });
      rig.run_clean();
      EXPECT_EQ(rig.gpu.stats().core_barriers, 2U * 18);
    }
  }
}

// C = A x B of integers below 256: every sum is exact. A core has a tile of C, its 8 warps a row
// of it each; tiles of A and B pass through the scratchpad. Tiles of B lie with `pitch` words a
// row: read along the row, they conflict only where lanes share a bank.
void tiled_gemm(U32 n, U32 banks) {
  constexpr U32 kTile = 8;
  GpuParams p;
  p.cores = 2;
  p.scratchpad.banks = banks;
  p.units.fpu = 4;
  Rig rig(p);
  Random random(n);
  std::vector<float> a(n * n), b(n * n), expected(n * n, 0);
  for (float& v : a) v = static_cast<float>(random.below(256));
  for (float& v : b) v = static_cast<float>(random.below(256));
  for (U32 i = 0; i < n; ++i) {
    for (U32 k = 0; k < n; ++k) {
      for (U32 j = 0; j < n; ++j) expected[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  const auto da = rig.array(a), db = rig.array(b), dc = rig.array(std::vector<float>(n * n, -1));
  const U32 tiles = n / kTile;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    const auto ta = w.shared<float>(kTile * kTile);
    const auto tb = w.shared<float>(kTile * kTile, ta.end());
    const U32 row = w.id() % 8;
    const auto mask = w.full_mask();
    for (U32 tile = w.id() / 8; tile < tiles * tiles; tile += 2) {
      const U32 ti = tile / tiles * kTile, tj = tile % tiles * kTile;
      Lanes<float> sum{};
      for (U32 k = 0; k < n; k += kTile) {
        auto la = w.load(da, w.consecutive((ti + row) * n + k), mask);
        auto lb = w.load(db, w.consecutive((k + row) * n + tj), mask);
        const auto [va, vb] = co_await all(la, lb);
        w.store(ta, w.consecutive(row * kTile), va, mask);
        w.store(tb, w.consecutive(row * kTile), vb, mask);
        co_await w.core_barrier();
        for (U32 kk = 0; kk < kTile; ++kk) {
          auto x = w.load(ta, w.map([&](unsigned) { return row * kTile + kk; }), mask);
          auto y = w.load(tb, w.consecutive(kk * kTile), mask);
          const auto [vx, vy] = co_await all(x, y);
          w.compute(1, Unit::Fpu);
          for (unsigned i = 0; i < w.width(); ++i) sum[i] += vx[i] * vy[i];
        }
        co_await w.core_barrier();
      }
      w.store(dc, w.consecutive((ti + row) * n + tj), sum, mask);
    }
  });
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, dc), expected);
  const GpuStats& s = rig.gpu.stats();
  const U64 steps = U64{tiles} * tiles * tiles;  // tile times tile
  EXPECT_EQ(s.core_barriers, 2 * steps);
  // Per step and warp: 2 stores and 8 rows of B of 8 neighbouring words; 8 broadcasts of A's.
  EXPECT_EQ(s.scratch_accesses, steps * 8 * (2 + 16));
  EXPECT_EQ(s.scratch_conflict_cycles, steps * 8 * (2 + 8) * (kTile / std::min(banks, kTile) - 1));
  EXPECT_EQ(s.unit_computes[static_cast<std::size_t>(Unit::Fpu)], steps * 8 * 8);
  EXPECT_EQ(s.slots(), p.cores * s.cycles);
  // Each tile of A and B is loaded once a step: the caches see nothing else.
  EXPECT_EQ(s.l1_hits + s.l1_misses + s.l1_merges, steps * 16);
}

TEST(Scratchpad, TiledGemmIsExactAndItsConflictsAreKnown) {
  for (const U32 banks : {1U, 2U, 4U, 8U, 16U}) tiled_gemm(32, banks);
}

// A warp waits for its core's barrier while another of the core is at that of all: neither opens.
TEST(CoreBarrier, OneThatCannotOpenIsReportedAsStuck) {
  GpuParams p = one_warp();
  p.warps = 2;
  Rig rig(p);
  rig.gpu.launch([](Warp& w) -> WarpTask {
    if (w.id() == 0) {
      co_await w.core_barrier();
    } else {
      co_await w.barrier();
    }
  });
  EXPECT_NE(run(rig.gpu, rig.checked, Time{1'000'000'000}).status, RunStatus::Done);
}

}  // namespace
}  // namespace cxlgpu
