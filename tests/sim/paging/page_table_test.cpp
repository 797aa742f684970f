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

struct Naive {
  std::list<ResidentPage> pages;  // the oldest first

  std::list<ResidentPage>::iterator find(std::uint64_t page) {
    return std::find_if(pages.begin(), pages.end(),
                        [page](const ResidentPage& p) { return p.page == page; });
  }
};

void same(const ResidentPage& a, const ResidentPage& b) {
  RC_ASSERT(a.page == b.page);
  RC_ASSERT(a.frame == b.frame);
  RC_ASSERT(a.dirty == b.dirty);
  RC_ASSERT(a.used == b.used);
  RC_ASSERT(a.prefetched == b.prefetched);
}

RC_GTEST_PROP(PageTable, IsTheListSearchedFromEndToEnd, ()) {
  const auto frames = *rc::gen::inRange<std::uint32_t>(1, 12);
  PageTable table(kPages, frames);
  Naive naive;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
      300, rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange<std::uint64_t>(0, kPages)));
  for (const auto& [what, page] : steps) {
    auto there = naive.find(page);
    RC_ASSERT(table.frame_of(page).has_value() == (there != naive.pages.end()));
    if (there == naive.pages.end()) {
      if (what == 4) continue;
      if (naive.pages.size() == frames) {
        same(table.evict(), naive.pages.front());
        naive.pages.pop_front();
      }
      const bool prefetched = what == 0;
      const std::uint32_t frame = table.map(page, prefetched);
      for (const ResidentPage& p : naive.pages) RC_ASSERT(p.frame != frame);
      RC_ASSERT(frame < frames);
      naive.pages.push_back({page, frame, false, false, prefetched});
    } else if (what < 3) {
      table.access(there->frame, what == 2);
      there->used = true;
      there->dirty |= what == 2;
    } else if (what == 3) {
      table.touch(there->frame);
      naive.pages.splice(naive.pages.end(), naive.pages, there);
    } else {
      table.clean(there->frame);
      there->dirty = false;
    }
    RC_ASSERT(table.free_frames() == frames - naive.pages.size());
  }
  const std::vector<ResidentPage> all = table.resident();
  RC_ASSERT(all.size() == naive.pages.size());
  for (const ResidentPage& p : all) same(p, *naive.find(p.page));
  RC_ASSERT(std::is_sorted(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.page < b.page; }));
  for (const ResidentPage& p : naive.pages) same(table.evict(), p);
}

}  // namespace
}  // namespace cxlgpu
