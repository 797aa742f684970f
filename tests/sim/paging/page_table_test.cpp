// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Page table and replacement against a list that is searched from end to end.
#include "sim/paging/page_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <list>

namespace cxlgpu {
namespace {

constexpr std::uint64_t kPages = 40;

struct NaiveChunk {
  std::uint64_t run = 0;
  std::list<ResidentPage> pages;
};

struct Naive {
  std::list<NaiveChunk> chunks;  // the oldest first

  ResidentPage* find(std::uint64_t page) {
    for (NaiveChunk& chunk : chunks) {
      for (ResidentPage& p : chunk.pages) {
        if (p.page == page) return &p;
      }
    }
    return nullptr;
  }
  std::list<NaiveChunk>::iterator of_run(std::uint64_t run) {
    return std::find_if(chunks.begin(), chunks.end(),
                        [run](const NaiveChunk& c) { return c.run == run; });
  }
  void make_newest(std::uint64_t run) { chunks.splice(chunks.end(), chunks, of_run(run)); }
  std::vector<ResidentPage> evict() {
    std::vector<ResidentPage> gone(chunks.front().pages.begin(), chunks.front().pages.end());
    std::sort(gone.begin(), gone.end(),
              [](const ResidentPage& a, const ResidentPage& b) { return a.page < b.page; });
    chunks.pop_front();
    return gone;
  }
};

void same(const ResidentPage& a, const ResidentPage& b) {
  RC_ASSERT(a.page == b.page);
  RC_ASSERT(a.frame == b.frame);
  RC_ASSERT(a.dirty == b.dirty);
  RC_ASSERT(a.used == b.used);
  RC_ASSERT(a.prefetched == b.prefetched);
}

void same(const std::vector<ResidentPage>& a, const std::vector<ResidentPage>& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) same(a[i], b[i]);
}

RC_GTEST_PROP(PageTable, IsTheListSearchedFromEndToEnd, ()) {
  const auto chunk_pages = std::uint32_t{1} << *rc::gen::inRange(0, 4);
  const auto chunks = *rc::gen::inRange<std::uint32_t>(1, 12);
  PageTable table(kPages, chunks * chunk_pages, chunk_pages);
  RC_ASSERT(table.chunks() == chunks);
  Naive naive;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
      300, rc::gen::pair(rc::gen::inRange(0, 6), rc::gen::inRange<std::uint64_t>(0, kPages)));
  for (const auto& [what, page] : steps) {
    ResidentPage* there = naive.find(page);
    RC_ASSERT(table.frame_of(page).has_value() == (there != nullptr));
    const std::uint64_t run = page / chunk_pages;
    RC_ASSERT(table.run_of(page) == run);
    RC_ASSERT(table.has_chunk(run) == (naive.of_run(run) != naive.chunks.end()));
    if (what == 5) {
      if (!table.has_chunk(run)) continue;
      table.touch_run(run);
      naive.make_newest(run);
    } else if (there == nullptr) {
      if (what == 4) continue;
      if (naive.of_run(run) == naive.chunks.end()) {
        if (naive.chunks.size() == chunks) same(table.evict(), naive.evict());
        naive.chunks.push_back({run, {}});
      }
      const bool prefetched = what == 0;
      const std::uint32_t frame = table.map(page, prefetched);
      RC_ASSERT(frame < table.frames());
      RC_ASSERT(frame % chunk_pages == page % chunk_pages);
      for (const NaiveChunk& c : naive.chunks) {
        for (const ResidentPage& p : c.pages) {
          RC_ASSERT((p.frame / chunk_pages == frame / chunk_pages) == (c.run == run));
        }
      }
      naive.of_run(run)->pages.push_back({page, frame, false, false, prefetched});
      naive.make_newest(run);
    } else if (what < 3) {
      table.access(there->frame, what == 2);
      there->used = true;
      there->dirty |= what == 2;
    } else if (what == 3) {
      table.touch(there->frame);
      naive.make_newest(run);
    } else {
      table.clean(there->frame);
      there->dirty = false;
    }
    RC_ASSERT(table.free_chunks() == chunks - naive.chunks.size());
  }
  const std::vector<ResidentPage> all = table.resident();
  RC_ASSERT(std::is_sorted(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.page < b.page; }));
  std::size_t resident = 0;
  for (const NaiveChunk& c : naive.chunks) resident += c.pages.size();
  RC_ASSERT(all.size() == resident);
  for (const ResidentPage& p : all) same(p, *naive.find(p.page));
  while (!naive.chunks.empty()) same(table.evict(), naive.evict());
}

// 2 MiB for a single page: what the driver's root chunks cost a scattered access.
TEST(PageTable, AChunkIsTakenByItsFirstPageAndGoesWhole) {
  PageTable table(4 * 512, 2 * 512, 512);
  EXPECT_EQ(table.map(3, false), 3u);
  EXPECT_EQ(table.free_chunks(), 1u);
  EXPECT_EQ(table.map(511, true), 511u) << "in the same chunk";
  EXPECT_EQ(table.map(512 + 7, false), 512u + 7);
  EXPECT_EQ(table.free_chunks(), 0u);
  table.map(4, false);  // migrated later than all of the second chunk
  const std::vector<ResidentPage> second = table.evict();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].page, 512u + 7);
  std::vector<std::uint64_t> pages;
  for (const ResidentPage& page : table.evict()) pages.push_back(page.page);
  EXPECT_EQ(pages, (std::vector<std::uint64_t>{3, 4, 511}));
  EXPECT_EQ(table.free_chunks(), 2u);
}

}  // namespace
}  // namespace cxlgpu
