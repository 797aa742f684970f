// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// GPU memory as a pool of pages: times by formula, batches, replacement, contents.
#include "sim/paging/paged_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "sim/host/run.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/paging/drive_store.hpp"
#include "sim/paging/host_store.hpp"
#include "tests/sim/paging/configured.hpp"
#include "tests/system/random_traffic.hpp"

namespace cxlgpu {
namespace {

constexpr Time us{1'000'000};
constexpr std::uint64_t kBase = 1ULL << 32;

// Moves that take a time each, and remembers what was moved.
class FakeStore : public PageStore {
 public:
  Time in = us * 10, out = us * 4;
  std::vector<std::vector<std::uint64_t>> brought, taken;

  void begin_in(std::span<const std::uint64_t> pages, Time now) override {
    EXPECT_EQ(end_, Time::never());
    EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end()));
    brought.emplace_back(pages.begin(), pages.end());
    end_ = now + in;
  }
  void begin_out(std::span<const PageOut> pages, Time now) override {
    EXPECT_EQ(end_, Time::never());
    taken.emplace_back();
    for (const PageOut& page : pages) {
      EXPECT_EQ(page.bytes.size(), kPageBytes);
      taken.back().push_back(page.page);
      memory_.poke(page.page * kPageBytes, page.bytes);
    }
    end_ = now + out;
  }
  [[nodiscard]] Time next_event() const override { return end_; }
  bool advance(Time now) override {
    EXPECT_GE(now, end_);
    end_ = Time::never();
    return true;
  }
  [[nodiscard]] StoreStats stats() const override { return {}; }
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    memory_.poke(address, bytes);
  }
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    memory_.peek(address, bytes);
  }

 private:
  FlatMemory memory_;
  Time end_ = Time::never();
};

PagedEngineParams params(std::uint64_t pages, std::uint32_t frames) {
  PagedEngineParams p;
  p.base = kBase;
  p.bytes = pages * kPageBytes;
  p.frames = frames;
  p.memory.latency_ps = 266'000;
  p.faults.fault_ps = (us * 2).ps;
  p.faults.host_runtime_ps = (us * 100).ps;
  p.faults.fetch_ps = (us * 5).ps;
  p.faults.batch_faults = 256;
  p.faults.prefetch_bytes = kPageBytes;
  return p;
}

class PagedEngineTest : public ::testing::Test {
 protected:
  FakeStore store_;

  static void ask(PagedEngine& engine, std::uint32_t id, std::uint64_t page,
                  bool is_write = false) {
    MemRequest request;
    request.id = id;
    request.addr = kBase + page * kPageBytes + id % 64 * kLineBytes;
    request.is_write = is_write;
    request.data.fill(static_cast<std::uint8_t>(id + 1));
    ASSERT_TRUE(engine.submit(request));
  }
  // When each id is answered, until nothing is left.
  static std::map<std::uint32_t, Time> answers(PagedEngine& engine) {
    std::map<std::uint32_t, Time> at;
    for (;;) {
      const Time before = engine.now();
      engine.advance_to(Time::never());
      bool any = false;
      while (const auto response = engine.take()) {
        at[response->id] = engine.now();
        any = true;
      }
      if (!any && engine.now() == before) return at;
    }
  }
  static Time answer(PagedEngine& engine, std::uint64_t page, bool is_write = false) {
    ask(engine, 7, page, is_write);
    return answers(engine).at(7);
  }
};

// fault, batch, move, GPU memory (266 ns and 64 B at 256 B a cycle, to the next edge).
TEST_F(PagedEngineTest, AFaultIsTheSumOfItsParts) {
  PagedEngine engine(params(8, 4), store_);
  const Time line = ceil_to_cycle(Time{266'000 + 250});
  EXPECT_EQ(answer(engine, 3), us * 2 + us * 100 + us * 10 + line);
  const Time now = engine.now();
  EXPECT_EQ(answer(engine, 3), now + line) << "resident";
  EXPECT_EQ(engine.stats().faults, 1u);
  EXPECT_EQ(engine.stats().raising, us * 2);
  EXPECT_EQ(engine.stats().runtime, us * 100);
  EXPECT_EQ(engine.stats().bringing, us * 10);
  EXPECT_EQ(engine.stats().evicting, Time{});
  EXPECT_EQ(engine.stats().waiting, us * 112);
}

TEST_F(PagedEngineTest, EvictionComesBeforeThePage) {
  PagedEngine engine(params(8, 1), store_);
  answer(engine, 3, true);
  const Time now = engine.now();
  const Time line = ceil_to_cycle(Time{266'000 + 250});
  EXPECT_EQ(answer(engine, 4), now + us * 2 + us * 100 + us * 4 + us * 10 + line);
  EXPECT_EQ(engine.stats().evicting, us * 4);
}

TEST_F(PagedEngineTest, FaultsUntilTheFetchAreOneBatch) {
  PagedEngine engine(params(64, 32), store_);
  ask(engine, 0, 0);
  ask(engine, 1, 1);
  ask(engine, 2, 1);          // the same page: no fault of its own
  engine.advance_to(us * 5);  // in the buffer at 7 us, when it is fetched
  ask(engine, 3, 2);
  engine.advance_to(us * 5 + kCycle);  // a cycle too late
  ask(engine, 4, 3);
  answers(engine);
  ASSERT_EQ(store_.brought.size(), 2u);
  EXPECT_EQ(store_.brought[0], (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(store_.brought[1], (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(engine.stats().faults, 4u);
  EXPECT_EQ(engine.stats().waited, 5u);
  EXPECT_EQ(engine.stats().batches, 2u);
  EXPECT_EQ(engine.stats().raising, us * 2) << "the second batch begins with the first one's end";
}

TEST_F(PagedEngineTest, ABatchHasItsLimit) {
  for (const auto& [faults, frames] : {std::pair{5U, 32U}, {256U, 5U}}) {
    store_.brought.clear();
    PagedEngineParams p = params(64, frames);
    p.faults.batch_faults = faults;
    PagedEngine engine(p, store_);
    for (std::uint32_t i = 0; i < 12; ++i) ask(engine, i, i);
    const auto at = answers(engine);
    ASSERT_EQ(store_.brought.size(), 3u);
    EXPECT_EQ(store_.brought[0].size(), 5u);
    EXPECT_EQ(store_.brought[1].size(), 5u);
    EXPECT_EQ(store_.brought[2].size(), 2u);
    // 110 us from batch to batch, four lines a cycle at the end.
    EXPECT_EQ(at.at(5) - at.at(0), us * 110);
    EXPECT_EQ(at.at(11) - at.at(1), us * 220);
  }
}

TEST_F(PagedEngineTest, OnlyDirtyPagesGoBack) {
  PagedEngine engine(params(16, 4), store_);
  for (const std::uint64_t page : {0, 1, 2, 3}) answer(engine, page, page % 2 == 1);
  for (const std::uint64_t page : {8, 9, 10, 11}) answer(engine, page);
  std::vector<std::uint64_t> gone;
  for (const auto& pages : store_.taken) gone.insert(gone.end(), pages.begin(), pages.end());
  EXPECT_EQ(gone, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(engine.stats().evicted, 4u);
  EXPECT_EQ(engine.stats().pages_out, 2u);
  answer(engine, 9, true);
  store_.taken.clear();
  const Time before = engine.now();
  engine.drain();
  EXPECT_EQ(store_.taken, (std::vector<std::vector<std::uint64_t>>{{9}}));
  EXPECT_EQ(engine.now(), before + us * 4);
  EXPECT_EQ(engine.stats().draining, us * 4);
  store_.taken.clear();
  engine.drain();
  EXPECT_TRUE(store_.taken.empty()) << "clean by now";
}

TEST_F(PagedEngineTest, TheOldestGoesByMigrationOrByAccess) {
  for (const bool by_access : {false, true}) {
    PagedEngineParams p = params(16, 3);
    p.faults.evict_by_access = by_access;
    PagedEngine engine(p, store_);
    for (const std::uint64_t page : {0, 1, 2, 0, 5}) answer(engine, page);
    const std::uint64_t faults = engine.stats().faults;
    answer(engine, 0);
    EXPECT_EQ(engine.stats().faults, by_access ? faults : faults + 1);
    answer(engine, 1);
    EXPECT_EQ(engine.stats().faults, by_access ? faults + 1 : faults + 2) << "went for 5, or for 0";
  }
}

TEST_F(PagedEngineTest, AnAlignedBlockComesWithAPage) {
  PagedEngineParams p = params(22, 10);
  p.faults.prefetch_bytes = 4 * kPageBytes;
  PagedEngine engine(p, store_);
  ask(engine, 0, 5);
  ask(engine, 1, 21);  // a block that ends with the data
  answers(engine);
  EXPECT_EQ(store_.brought.back(), (std::vector<std::uint64_t>{4, 5, 6, 7, 20, 21}));
  EXPECT_EQ(engine.stats().prefetched, 4u);
  const std::uint64_t faults = engine.stats().faults;
  answer(engine, 6);
  EXPECT_EQ(engine.stats().faults, faults) << "it came along";
  // Three faults and what of their blocks fits ten frames: 4 gone, which is not there twice.
  for (std::uint32_t i = 0; i < 3; ++i) ask(engine, i, 8 + 4 * i);
  answers(engine);
  EXPECT_EQ(store_.brought.back(),
            (std::vector<std::uint64_t>{8, 9, 10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(engine.stats().useless, 3u) << "4, 7 and 20, but not 6";
  engine.drain();
  EXPECT_EQ(engine.stats().useless, 3u + 7u);
}

TEST_F(PagedEngineTest, AFaultOfAPageThatComesAlongIsStale) {
  PagedEngineParams p = params(16, 8);
  p.faults.prefetch_bytes = 2 * kPageBytes;
  PagedEngine engine(p, store_);
  ask(engine, 0, 0);
  engine.advance_to(us * 50);
  ask(engine, 1, 1);
  const auto at = answers(engine);
  EXPECT_EQ(at.at(0), at.at(1)) << "both go on when the batch ends";
  EXPECT_EQ(engine.stats().stale, 1u);
  EXPECT_EQ(engine.stats().batches, 1u);
  // Behind one that is not.
  ask(engine, 0, 4);
  engine.advance_to(engine.now() + us * 50);
  ask(engine, 1, 9);
  ask(engine, 2, 5);
  answers(engine);
  EXPECT_EQ(store_.brought.back(), (std::vector<std::uint64_t>{8, 9}));
  EXPECT_EQ(engine.stats().stale, 2u);
}

// Pages that a batch brought, as runs of neighbours.
std::vector<std::pair<std::uint64_t, std::uint64_t>> runs(const std::vector<std::uint64_t>& pages) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const std::uint64_t page : pages) {
    if (all.empty() || all.back().second != page) all.emplace_back(page, page);
    all.back().second = page + 1;
  }
  return all;
}
using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// As the driver is: 64 KiB, 51 % of up to 2 MiB, memory in chunks of 2 MiB that go whole.
PagedEngineParams as_driver(std::uint64_t pages, std::uint32_t frames) {
  PagedEngineParams p = params(pages, frames);
  p.faults.prefetch = PagePrefetch::Density;
  p.faults.prefetch_bytes = 16 * kPageBytes;
  p.faults.evict_bytes = 512 * kPageBytes;
  p.faults.evict_all = true;
  return p;
}

// 64 KiB apart, one at a time, over two blocks: six faults in each, at 0, 1, 2, 4, 8 and 16.
TEST_F(PagedEngineTest, DensityBringsMoreTheMoreIsThere) {
  PagedEngine engine(as_driver(1024, 1024), store_);
  for (std::uint64_t page = 0; page < 1024; page += 16) answer(engine, page);
  std::vector<Runs> brought;
  for (const auto& pages : store_.brought) brought.push_back(runs(pages));
  EXPECT_EQ(brought, (std::vector<Runs>{{{0, 16}},
                                        {{16, 32}},
                                        {{32, 64}},
                                        {{64, 128}},
                                        {{128, 256}},
                                        {{256, 512}},
                                        {{512, 528}},
                                        {{528, 544}},
                                        {{544, 576}},
                                        {{576, 640}},
                                        {{640, 768}},
                                        {{768, 1024}}}));
  EXPECT_EQ(engine.stats().faults, 12u);
  EXPECT_EQ(engine.stats().blocks, 12u);
  EXPECT_EQ(engine.stats().prefetched, 1024u - 12);
  EXPECT_EQ(engine.stats().evicted, 0u);
}

// A batch has faults of two blocks: each grows by what is there of its own.
TEST_F(PagedEngineTest, DensityIsOfEachBlock) {
  PagedEngineParams p = as_driver(1024, 1024);
  p.faults.block_ps = (us * 20).ps;
  PagedEngine engine(p, store_);
  answer(engine, 513);  // 64 KiB of the second
  const Time line = ceil_to_cycle(Time{266'000 + 250});
  const Time before = engine.now();
  for (const std::uint32_t id : {0U, 1U, 2U}) {
    ask(engine, id, std::array<std::uint64_t, 3>{530, 7, 5}[id]);
  }
  const auto at = answers(engine);
  EXPECT_EQ(runs(store_.brought.back()), (Runs{{0, 16}, {528, 544}}));
  EXPECT_EQ(engine.stats().blocks, 1u + 2);
  EXPECT_EQ(at.at(0), before + us * 2 + us * (100 + 2 * 20) + us * 10 + line)
      << "the host serves two blocks";
}

TEST_F(PagedEngineTest, AChunkGoesWholeWithAllItHas) {
  PagedEngineParams p = as_driver(3 * 512, 2 * 512 + 511);  // two chunks
  p.faults.block_ps = (us * 20).ps;
  PagedEngine engine(p, store_);
  answer(engine, 0, true);
  answer(engine, 512);
  answer(engine, 100);  // the first is now the one that was migrated to last
  EXPECT_TRUE(store_.taken.empty());
  const Time line = ceil_to_cycle(Time{266'000 + 250});
  const Time before = engine.now();
  EXPECT_EQ(answer(engine, 1024), before + us * 2 + us * (100 + 20 + 20) + us * 4 + us * 10 + line)
      << "a block, and a chunk that goes";
  ASSERT_EQ(store_.taken.size(), 1u);
  EXPECT_EQ(runs(store_.taken[0]), (Runs{{512, 528}})) << "clean, and copied";
  EXPECT_EQ(engine.stats().evicted, 16u);
  answer(engine, 512);
  ASSERT_EQ(store_.taken.size(), 2u);
  EXPECT_EQ(runs(store_.taken[1]), (Runs{{0, 16}, {96, 112}}));
  EXPECT_EQ(engine.stats().pages_out, 48u);
  engine.drain();
  EXPECT_EQ(store_.taken.size(), 2u) << "nothing is dirty";
}

// 16 pages come, and where one chunk is all there is 16 are copied out before that.
TEST_F(PagedEngineTest, TheHostTakesItsTimeForEachPage) {
  PagedEngineParams p = as_driver(2 * 512, 512);
  p.faults.page_ps = us.ps;
  PagedEngine engine(p, store_);
  const Time line = ceil_to_cycle(Time{266'000 + 250});
  EXPECT_EQ(answer(engine, 0), us * (2 + 100 + 16 + 10) + line);
  EXPECT_EQ(engine.stats().runtime, us * 116);
  const Time before = engine.now();
  EXPECT_EQ(answer(engine, 512), before + us * (2 + 100 + 16 + 16 + 4 + 10) + line);
  EXPECT_EQ(engine.stats().runtime, us * (116 + 132));
  EXPECT_EQ(engine.stats().evicting, us * 4);
}

TEST_F(PagedEngineTest, OnlyDirtyPagesOfAChunkAreCopiedWhereTheHostKeepsTheirs) {
  PagedEngineParams p = as_driver(1024, 512);
  p.faults.evict_all = false;
  PagedEngine engine(p, store_);
  answer(engine, 0);
  answer(engine, 20, true);
  answer(engine, 512);
  EXPECT_EQ(store_.taken, (std::vector<std::vector<std::uint64_t>>{{20}}));
  EXPECT_EQ(engine.stats().evicted, 32u);
}

// A batch never evicts what it brings, though its chunk is the oldest, and takes no more chunks
// than there are.
TEST_F(PagedEngineTest, ABatchKeepsItsOwnChunks) {
  PagedEngineParams p = as_driver(4 * 512, 2 * 512);
  PagedEngine engine(p, store_);
  answer(engine, 0);
  answer(engine, 512);
  ask(engine, 0, 64);  // of the oldest chunk
  ask(engine, 1, 1024);
  ask(engine, 2, 1536);  // a third chunk: the next batch
  answers(engine);
  ASSERT_EQ(store_.brought.size(), 4u);
  ASSERT_FALSE(store_.taken.empty());
  EXPECT_EQ(runs(store_.brought[2]), (Runs{{64, 80}, {1024, 1040}}));
  EXPECT_EQ(runs(store_.taken[0]), (Runs{{512, 528}}));
  EXPECT_EQ(runs(store_.brought[3]), (Runs{{1536, 1552}}));
}

TEST_F(PagedEngineTest, MemoryOfLessThanAChunkIsRefused) {
  EXPECT_NO_THROW(PagedEngine(as_driver(1024, 512), store_));
  EXPECT_THROW(PagedEngine(as_driver(1024, 511), store_), InputError);
  // Data that ends within a block, and memory for all of it.
  PagedEngine all(as_driver(512 + 7, 512 + 7), store_);
  answer(all, 0);
  answer(all, 512);
  EXPECT_EQ(all.stats().evicted, 0u);
  EXPECT_NO_THROW(PagedEngine(as_driver(7, 7), store_));
}

TEST_F(PagedEngineTest, OutsideTheRangeIsAnError) {
  PagedEngine engine(params(4, 2), store_);
  MemRequest request;
  request.addr = kBase + 4 * kPageBytes;
  ASSERT_TRUE(engine.submit(request));
  engine.advance_to(Time::never());
  const auto response = engine.take();
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(response->error);
  EXPECT_THROW(PagedEngine(params(4, 0), store_), InputError);
}

// With every page resident nothing is left of paging: line by line the time of GPU memory itself.
TEST_F(PagedEngineTest, AResidentLineCostsWhatGpuMemoryCosts) {
  PagedEngineParams p = params(16, 16);
  p.memory.part = std::get<DramConfig>(part("hbm3").params);
  p.memory.part->sub_channels = 8;
  PagedEngine engine(p, store_);
  for (std::uint64_t page = 0; page < 16; ++page) answer(engine, page);
  SystemMapParams map;
  map.hdm_base = map.local_bytes = 16 * kPageBytes;
  LocalMemory alone(p.memory, map);
  std::mt19937 random(5);
  const Time from = ceil_to_cycle(engine.now() + us * 100);  // refresh has closed every row
  std::map<std::uint32_t, Time> expected;
  std::uint32_t id = 0;
  for (std::uint64_t cycle = 0; cycle < 200; ++cycle) {
    engine.advance_to(from + kCycle * cycle);
    ASSERT_EQ(engine.now(), from + kCycle * cycle);  // the first answer comes later than the last
    for (unsigned n = random() % 4; n > 0; --n, ++id) {
      const bool is_write = random() % 3 == 0;
      ask(engine, id, random() % 16, is_write);
    }
  }
  // Frames were handed out in order of the first access: page i in frame i.
  random.seed(5);
  id = 0;
  const std::uint64_t first = from.ps / kCycle.ps;
  for (std::uint64_t cycle = first; cycle < first + 200 || expected.size() < id; ++cycle) {
    while (const auto token = alone.take(cycle)) expected[*token] = kCycle * cycle;
    if (cycle >= first + 200) continue;
    for (unsigned n = random() % 4; n > 0; --n, ++id) {
      const bool is_write = random() % 3 == 0;
      alone.submit(cycle, random() % 16 * kPageBytes + id % 64 * kLineBytes,
                   is_write ? DramAccess::Write : DramAccess::Read, id);
    }
  }
  EXPECT_EQ(answers(engine), expected);
}

// A kernel whose pages are all there takes what it takes in GPU memory, the bus to the engine
// being as wide.
TEST_F(PagedEngineTest, AKernelOnResidentPagesTakesWhatItTakesInGpuMemory) {
  WorkloadParams vadd_params;
  vadd_params.size = 8192;
  GpuParams gpu_params;
  SystemMapParams map;
  map.hdm_base = kBase;
  const auto cycles = [&](Engine& engine, Backdoor& behind, std::uint64_t local_bytes) {
    map.local_bytes = local_bytes;
    const auto vadd = make_workload("vadd", vadd_params);
    Gpu gpu(gpu_params, map);
    SystemMemory memory(gpu.local_memory(), behind, map);
    Allocator allocator(map);
    vadd->setup(allocator, memory);
    vadd->launch(gpu);
    EXPECT_EQ(run(gpu, engine).status, RunStatus::Done);
    if (auto* paged = dynamic_cast<PagedEngine*>(&engine)) paged->drain();
    EXPECT_EQ(vadd->verify(memory), std::nullopt);
    return gpu.stats().cycles;
  };
  const std::uint64_t pages = 3 * vadd_params.size * sizeof(float) / kPageBytes;
  FlatMemory nothing;
  PagedEngine nobody(params(1, 1), store_);
  const std::uint64_t in_gpu_memory = cycles(nobody, nothing, pages * kPageBytes);
  EXPECT_EQ(nobody.stats().accesses, 0u);

  // The data is there before the pages are brought, and the kernel begins after that.
  FakeStore store;
  PagedEngineParams p = params(pages, static_cast<std::uint32_t>(pages));
  p.memory = gpu_params.local;
  PagedEngine engine(p, store);
  class Warmed : public Backdoor {
   public:
    Warmed(PagedEngine& engine, std::uint64_t pages) : engine_(engine), left_(pages) {}
    void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override {
      engine_.poke(hpa, bytes);
      left_ -= bytes.size() / kPageBytes;
      for (std::uint64_t page = 0; left_ == 0 && page < engine_pages; ++page) answer(engine_, page);
    }
    void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override {
      engine_.peek(hpa, bytes);
    }
    std::uint64_t engine_pages = 0;

   private:
    PagedEngine& engine_;
    std::uint64_t left_;
  } warmed(engine, pages);
  warmed.engine_pages = pages;
  EXPECT_EQ(cycles(engine, warmed, 0), in_gpu_memory);
  EXPECT_EQ(engine.stats().faults, pages);
}

TEST_F(PagedEngineTest, IdleTimeCostsNothing) {
  store_.in = Time{3'600'000'000'000'000};  // an hour
  PagedEngine engine(params(4, 2), store_);
  ask(engine, 0, 0);
  int advances = 0;
  while (!engine.take()) {
    engine.advance_to(Time::never());
    ASSERT_LT(++advances, 10);
  }
  EXPECT_GT(engine.now(), store_.in);
}

// Loads and stores, full and partial, over four times the memory: every load right, and the store
// has all of it in the end.
TEST(PagedEngineContents, RandomTrafficOverEveryStore) {
  for (const std::string scenario : {"vadd-dram-uvm", "vadd-znand-uvm", "vadd-znand-gds",
                                     "vadd-nand-phoenix", "vadd-pram-gds", "vadd-dram-gds"}) {
    SCOPED_TRACE(scenario);
    const RunConfig config = configured(scenario);
    const MediaConfig medium = part(config.media);
    const PcieConfig& pcie = config.paging.pcie;
    StripedDrives drives(medium, 1 << 20, 2, 4 * kPageBytes,
                         nvme_link(medium.interface.empty() ? pcie.dram_drive : medium.interface),
                         pcie.queue_depth);
    std::unique_ptr<PageStore> store;
    if (config.memory == MemoryKind::Uvm) {
      store = std::make_unique<HostStore>(pcie, config.paging.host_fill, 64 * kPageBytes,
                                          config.media == "dram" ? nullptr : &drives);
    } else {
      store = std::make_unique<DriveStore>(config.paging.direct(config.memory), drives);
    }
    PagedEngineParams p = params(64, 16);
    p.faults.prefetch_bytes = 2 * kPageBytes;
    if (scenario == "vadd-dram-uvm") {
      p.faults.prefetch = PagePrefetch::Density;
      p.faults.evict_bytes = 4 * kPageBytes;
      p.faults.evict_all = true;
    }
    PagedEngine engine(p, *store);
    CheckedEngine checked(engine);
    std::mt19937 random(11);
    std::vector<std::uint8_t> bytes(64 * kPageBytes);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    engine.poke(kBase, bytes);
    checked.shadow().poke(kBase, bytes);
    RandomTraffic::Options options;
    options.base = kBase;
    options.lines = 64 * kPageBytes / kLineBytes;
    options.requests = 4000;
    RandomTraffic traffic(options);
    EXPECT_EQ(run(traffic, checked).status, RunStatus::Done);
    EXPECT_TRUE(checked.clean());
    EXPECT_EQ(checked.outstanding(), 0u);
    EXPECT_GT(engine.stats().pages_out, 20u);
    engine.drain();
    std::vector<std::uint8_t> there(bytes.size());
    engine.peek(kBase, there);
    checked.shadow().peek(kBase, bytes);
    EXPECT_EQ(there, bytes);
    const StoreStats s = store->stats();
    if (config.memory == MemoryKind::Uvm) {
      EXPECT_EQ(s.pushed_bytes, (engine.stats().pages_in + engine.stats().pages_out) * kPageBytes);
    } else {
      EXPECT_EQ(s.bytes_read, engine.stats().pages_in * kPageBytes);
      EXPECT_EQ(s.bytes_written, engine.stats().pages_out * kPageBytes);
    }
    // Every moment of a move is a store's or a link's.
    EXPECT_EQ(s.storage + s.transfer,
              engine.stats().evicting + engine.stats().bringing + engine.stats().draining);
  }
}

}  // namespace
}  // namespace cxlgpu
