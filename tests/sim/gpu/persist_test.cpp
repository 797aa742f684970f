// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Coroutines within coroutines, and persist() against an engine of fixed latency.
#include <map>
#include <stdexcept>

#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

// ---------------------------------------------------------------- coroutines within coroutines

WarpTask add_one(Warp& w, DeviceArray<U32> x, U64 i, U32& out) {
  const auto v = co_await w.load(x, w.uniform(i), lane_bit(0));
  w.compute(1);
  out = v[0] + 1;
}

WarpTask add_levels(Warp& w, DeviceArray<U32> x, unsigned levels, U32& out) {
  if (levels == 0) {
    co_await add_one(w, x, 0, out);
    co_return;
  }
  U32 inner = 0;
  co_await add_levels(w, x, levels - 1, inner);
  U32 more = 0;
  co_await add_one(w, x, 1, more);
  out = inner + more;
}

TEST(SubTask, RunsWithinItsAwaiterToAnyDepth) {
  Rig rig;
  const auto x = rig.array(std::vector<U32>{10, 100});
  std::map<U32, U32> results;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    U32 out = 0;
    co_await add_levels(w, x, w.id() % 7, out);
    results[w.id()] = out;
  });
  rig.run_clean();
  ASSERT_EQ(results.size(), 64U);
  for (const auto& [id, out] : results) EXPECT_EQ(out, 11 + id % 7 * 101) << id;
}

WarpTask nothing(Warp&) {
  co_return;
}

TEST(SubTask, OneThatDoesNotWaitCostsNoTimeAndNoStack) {
  const auto cycles_with = [](unsigned tasks) {
    Rig rig(one_warp());
    rig.gpu.launch([=](Warp& w) -> WarpTask {
      for (unsigned i = 0; i < tasks; ++i) co_await nothing(w);
      w.compute(10);
      co_await w.drain();
    });
    rig.run_clean();
    return rig.gpu.stats().cycles;
  };
  EXPECT_EQ(cycles_with(0), cycles_with(20000));
}

WarpTask throws_behind_a_load(Warp& w, DeviceArray<U32> x) {
  co_await w.load(x, w.uniform(0), lane_bit(0));
  throw std::runtime_error("inner");
}

TEST(SubTask, ItsExceptionIsThrownWhereItIsAwaited) {
  Rig rig(one_warp());
  const auto x = rig.array(std::vector<U32>{1});
  bool caught = false, after = false;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    try {
      co_await throws_behind_a_load(w, x);
    } catch (const std::runtime_error& e) {
      caught = std::string(e.what()) == "inner";
    }
    U32 out = 0;
    co_await add_one(w, x, 0, out);
    after = out == 2;
  });
  rig.run_clean();
  EXPECT_TRUE(caught);
  EXPECT_TRUE(after);
}

TEST(SubTask, AnExceptionThatNobodyCatchesLeavesTheRun) {
  Rig rig(one_warp());
  const auto x = rig.array(std::vector<U32>{1});
  rig.gpu.launch([&](Warp& w) -> WarpTask { co_await throws_behind_a_load(w, x); });
  EXPECT_THROW(run(rig.gpu, rig.checked), std::runtime_error);
}

// ----------------------------------------------------------------------------------- persist

// The second half of HDM persists; answers take 300 ns.
struct PersistRig {
  static constexpr U64 kBase = 1ULL << 32, kSize = 1ULL << 20, kPersistent = kBase + kSize / 2;
  static GpuParams with_range(GpuParams p, bool through = true) {
    p.persist.base = kPersistent;
    p.persist.bytes = kSize / 2;
    p.persist.through = through;
    return p;
  }
  explicit PersistRig(const GpuParams& params, const FixedLatencyParams& latency = {})
      : map{kBase, kSize, 4096, kPersistent},
        gpu(params, map),
        engine(latency),
        recorder(engine),
        checked(recorder),
        hdm(engine.memory(), checked.shadow()),
        memory(gpu.local_memory(), hdm, map),
        allocator(map) {
    allocator.leave_local();
  }
  void run_clean() {
    ASSERT_EQ(run(gpu, checked, Time{10'000'000'000'000}).status, RunStatus::Done);
    EXPECT_TRUE(checked.clean());
    EXPECT_EQ(gpu.live_operations(), 0U);
  }
  // When the writes of a line were put on the bus.
  [[nodiscard]] std::vector<std::pair<Time, U64>> writes(U64 line) const {
    std::vector<std::pair<Time, U64>> found;
    for (const auto& record : recorder.log) {
      if (record.request.is_write && record.request.addr == line) {
        found.push_back({record.at, record.request.byte_enable});
      }
    }
    return found;
  }

  SystemMapParams map;
  Gpu gpu;
  FixedLatencyEngine engine;
  RecordingEngine recorder;
  CheckedEngine checked;
  TeeBackdoor hdm;
  SystemMemory memory;
  Allocator allocator;
};

std::vector<GpuParams> store_paths() {
  GpuParams plain = one_warp(), back = plain, buffered = plain, through = plain;
  back.l1.write = WritePolicy::Back;
  buffered.store_buffer = 4;
  through.llc.write = WritePolicy::Through;
  return {plain, back, buffered, through};
}

TEST(Persist, WaitsForTheAnswersOfItsStoresWhateverTheCaches) {
  for (const GpuParams& params : store_paths()) {
    PersistRig rig(PersistRig::with_range(params));
    const auto x = rig.allocator.alloc_persistent<U32>(64);
    EXPECT_EQ(x.base, PersistRig::kPersistent);
    bool safe = false;
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      w.store(x, w.consecutive(0), w.map([](unsigned i) { return 7 + i; }), w.full_mask());
      w.store(x, w.consecutive(32), w.map([](unsigned i) { return 9 + i; }), w.full_mask());
      safe = co_await w.persist();
      // It is in memory, not in a cache.
      EXPECT_EQ(rig.writes(x.base).size(), 1U);
      EXPECT_EQ(rig.writes(x.base + 128).size(), 1U);
    });
    rig.run_clean();
    EXPECT_TRUE(safe);
    const GpuStats& stats = rig.gpu.stats();
    EXPECT_EQ(stats.persists, 1U);
    EXPECT_EQ(stats.persist_lines, 2U);
    EXPECT_EQ(stats.persist_bytes, 2U * 8 * 4);
    EXPECT_GT(stats.persist_cycles, 300U);
    EXPECT_EQ(stats.persist_longest, stats.persist_cycles);
    EXPECT_EQ(rig.writes(x.base).at(0).second, 0xffffffffU) << "the stored bytes alone";
  }
}

TEST(Persist, OfNothingIsAFenceAndOfVolatileMemoryToo) {
  PersistRig rig(PersistRig::with_range(one_warp()));
  const auto x = rig.allocator.alloc<U32>(64);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    EXPECT_TRUE(co_await w.persist());
    w.store(x, w.consecutive(0), w.map([](unsigned i) { return i; }), w.full_mask());
    EXPECT_TRUE(co_await w.persist());
    EXPECT_EQ(rig.writes(x.base).size(), 0U) << "it stays in the LLC";
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().persist_lines, 0U);
  EXPECT_LT(rig.gpu.stats().persist_longest, 300U);
}

TEST(Persist, WhereCachesSurviveItIsAFence) {
  PersistRig rig(PersistRig::with_range(one_warp(), false));
  const auto x = rig.allocator.alloc_persistent<U32>(64);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.consecutive(0), w.map([](unsigned i) { return i; }), w.full_mask());
    EXPECT_TRUE(co_await w.persist());
    EXPECT_EQ(rig.writes(x.base).size(), 0U);
  });
  rig.run_clean();
}

TEST(Persist, WaitsForAtomics) {
  PersistRig rig(PersistRig::with_range(one_warp()));
  const auto x = rig.allocator.alloc_persistent<U32>(16);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    (void)w.atomic_add(x, w.uniform(3), w.map([](unsigned) { return 1U; }), w.full_mask());
    EXPECT_TRUE(co_await w.persist());
    const auto writes = rig.writes(x.base);
    EXPECT_EQ(writes.size(), 1U);
    if (!writes.empty()) {
      EXPECT_EQ(writes[0].second, 0xf000U);
    }
  });
  rig.run_clean();
  EXPECT_EQ(copy_from_device(rig.memory, x)[3], 8U);
}

// Two warps, one line: each waits for the write that has its bytes.
TEST(Persist, WarpsOfOneLineShareItsWriteAndItsEnd) {
  GpuParams params = one_warp();
  params.warps = 4;
  params.persist.gather_cycles = 100;
  PersistRig rig(PersistRig::with_range(params));
  const auto x = rig.allocator.alloc_persistent<U32>(16);
  std::vector<U64> took;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    w.store(x, w.uniform(w.id()), w.map([&](unsigned) { return 100 + w.id(); }), lane_bit(0));
    EXPECT_TRUE(co_await w.persist());
    EXPECT_EQ(rig.writes(x.base).size(), 1U);
  });
  rig.run_clean();
  EXPECT_EQ(rig.writes(x.base).at(0).second, 0xffffU);
  EXPECT_EQ(rig.gpu.stats().persist_gathered, 3U);
  EXPECT_EQ(rig.gpu.stats().persists, 4U);
  for (U32 i = 0; i < 4; ++i) EXPECT_EQ(copy_from_device(rig.memory, x)[i], 100 + i);
}

TEST(Persist, WithoutGatheringEveryStoreIsAWrite) {
  GpuParams params = one_warp();
  params.persist.gather_cycles = 0;
  PersistRig rig(PersistRig::with_range(params));
  const auto x = rig.allocator.alloc_persistent<U32>(16);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U32 i = 0; i < 3; ++i) {
      w.store(x, w.uniform(i), w.map([&](unsigned) { return i; }), lane_bit(0));
    }
    co_await w.persist();
  });
  rig.run_clean();
  EXPECT_EQ(rig.writes(x.base).size(), 3U);
}

// A full line goes at once, however long the window.
TEST(Persist, AFullLineDoesNotWait) {
  const auto longest = [](unsigned elements) {
    GpuParams params = one_warp();
    params.persist.gather_cycles = 5000;
    PersistRig rig(PersistRig::with_range(params));
    const auto x = rig.allocator.alloc_persistent<U64>(8);
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      w.store(x, w.consecutive(0), w.map([](unsigned i) { return U64{i}; }),
              w.active({0, elements, 1}, 0));
      co_await w.persist();
    });
    rig.run_clean();
    return rig.gpu.stats().persist_longest;
  };
  EXPECT_LT(longest(8), 1000U);
  EXPECT_GT(longest(7), 5000U);
}

// The load's line is not in the LLC, but a store to it is being gathered there.
TEST(Persist, ALoadSeesWhatIsBeingGathered) {
  for (const GpuParams& path : store_paths()) {
    GpuParams params = path;
    params.persist.gather_cycles = 3000;
    PersistRig rig(PersistRig::with_range(params));
    const auto x = rig.allocator.alloc_persistent<U32>(16);
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      w.store(x, w.uniform(5), w.map([](unsigned) { return 77U; }), lane_bit(0));
      const auto v = co_await w.load(x, w.consecutive(0), w.full_mask());
      EXPECT_EQ(v[5], 77U);
      const auto again = co_await w.load_l2(x, w.consecutive(0), w.full_mask());
      EXPECT_EQ(again[5], 77U);
      co_await w.persist();
    });
    rig.run_clean();
    EXPECT_EQ(copy_from_device(rig.memory, x)[5], 77U);
  }
}

// Random stores of many warps to few lines: what memory has at the end is what each thought.
TEST(Persist, RandomStoresOfManyWarpsArriveByteByByte) {
  for (const GpuParams& path : store_paths()) {
    GpuParams params = path;
    params.cores = 2;
    params.warps = 4;
    params.llc.write_buffer = 4;  // often full
    params.persist.gather_cycles = 24;
    FixedLatencyParams latency;
    latency.jitter = Time{200'000};
    PersistRig rig(PersistRig::with_range(params), latency);
    const U64 lines = 4;
    const auto x = rig.allocator.alloc_persistent<std::uint8_t>(lines * 64);
    std::vector<std::uint8_t> expected(x.size, 0);
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      for (unsigned round = 0; round < 40; ++round) {
        // Bytes of its own in every line.
        const U64 line = (w.id() * 7 + round * 5) % lines;
        const U64 at = line * 64 + w.id() * 8;
        const LaneMask mask = (w.id() * 37 + round * 11) & 0xff;
        const auto value = w.map([&](unsigned lane) {
          return static_cast<std::uint8_t>(1 + round * 8 + lane + w.id());
        });
        w.store(x, w.consecutive(at), value, mask);
        for (unsigned lane = 0; lane < 8; ++lane) {
          if (has_lane(mask, lane)) expected[at + lane] = value[lane];
        }
        if (round % 3 == 0) {
          EXPECT_TRUE(co_await w.persist());
          std::vector<std::uint8_t> seen(8);
          rig.engine.memory().peek(x.address(at), seen);
          for (unsigned lane = 0; lane < 8; ++lane) {
            if (has_lane(mask, lane)) {
              EXPECT_EQ(seen[lane], value[lane]);
            }
          }
        }
        const auto v = co_await w.load(x, w.consecutive(at), w.full_mask());
        for (unsigned lane = 0; lane < 8; ++lane) EXPECT_EQ(v[lane], expected[at + lane]);
      }
      co_await w.drain();
    });
    rig.run_clean();
    EXPECT_EQ(copy_from_device(rig.memory, x), expected);
  }
}

// Gives errors for writes of one line.
class Refusing : public Engine {
 public:
  Refusing(Engine& inner, U64 line) : inner_(inner), line_(line) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override {
    if (!inner_.submit(request)) return false;
    if (request.is_write && request.addr == line_) ids_.insert({request.id, 1});
    return true;
  }
  std::optional<MemResponse> take() override {
    auto response = inner_.take();
    if (response && response->is_write && ids_.erase(response->id) != 0) response->error = true;
    return response;
  }
  void advance_to(Time t) override { inner_.advance_to(t); }

 private:
  Engine& inner_;
  U64 line_;
  std::map<U32, int> ids_;
};

TEST(Persist, ARefusedWriteIsToldOnceAndToItsWarpAlone) {
  GpuParams params = one_warp();
  params.warps = 2;
  PersistRig rig(PersistRig::with_range(params));
  const auto x = rig.allocator.alloc_persistent<U32>(64);
  Refusing engine(rig.engine, x.base);
  std::map<U32, std::vector<bool>> safe;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U32 round = 0; round < 2; ++round) {
      const U64 at = round == 0 && w.id() == 0 ? 0 : 32 + w.id();
      w.store(x, w.uniform(at), w.map([](unsigned) { return 1U; }), lane_bit(0));
      safe[w.id()].push_back(co_await w.persist());
    }
  });
  ASSERT_EQ(run(rig.gpu, engine, Time{1'000'000'000}).status, RunStatus::Done);
  EXPECT_EQ(safe[0], (std::vector<bool>{false, true}));
  EXPECT_EQ(safe[1], (std::vector<bool>{true, true}));
  EXPECT_EQ(rig.gpu.stats().persists_refused, 1U);
}

TEST(Persist, ARangeOfItsOwnForTheAllocator) {
  Allocator allocator({.hdm_base = 1 << 20,
                       .hdm_size = 1 << 20,
                       .local_bytes = 0,
                       .persistent_base = (1 << 20) + (1 << 19)});
  EXPECT_EQ(allocator.alloc<U32>(16).base, 1U << 20);
  EXPECT_EQ(allocator.alloc_persistent<U32>(10).base, (1U << 20) + (1U << 19));
  EXPECT_EQ(allocator.alloc_persistent<U32>(1).base, (1U << 20) + (1U << 19) + 256);
  EXPECT_THROW((void)allocator.alloc<std::uint8_t>(1 << 19), InputError);
  EXPECT_THROW((void)allocator.alloc_persistent<std::uint8_t>(1 << 19), InputError);
}

}  // namespace
}  // namespace cxlgpu
