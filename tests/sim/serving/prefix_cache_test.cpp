// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A cache of prefixes: what is found, what goes, in whose slot; and against a rule that looks
// through all blocks each time.
#include "sim/serving/prefix_cache.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace cxlgpu {
namespace {

using Blocks = std::vector<std::uint64_t>;
using Placed = std::vector<PrefixCache::Placed>;

TEST(PrefixCache, APrefixEndsAtTheFirstBlockThatIsNotThere) {
  PrefixCache cache(8);
  EXPECT_EQ(cache.find(Blocks{1, 2}), Blocks{});
  EXPECT_EQ(cache.insert(Blocks{1, 2, 3}), (Placed{{1, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(cache.find(Blocks{1, 2, 9, 3}), (Blocks{0, 1}));
  EXPECT_EQ(cache.find(Blocks{2, 3}), (Blocks{1, 2}));
  EXPECT_EQ(cache.find(Blocks{9, 1}), Blocks{});
}

TEST(PrefixCache, TheLeastRecentlyUsedGoesAndOfOneRequestTheEndBeforeTheFront) {
  PrefixCache cache(4);
  cache.insert(Blocks{1, 2});
  cache.insert(Blocks{3, 4});
  EXPECT_EQ(cache.find(Blocks{1, 2}), (Blocks{0, 1}));              // now 3 and 4 are older
  EXPECT_EQ(cache.insert(Blocks{5}), (Placed{{5, 3}}));             // 4, the end of its request
  EXPECT_EQ(cache.insert(Blocks{6, 7}), (Placed{{6, 2}, {7, 1}}));  // 3, then 2
  EXPECT_EQ(cache.find(Blocks{1, 2}), Blocks{0});
  EXPECT_EQ(cache.evicted(), 3U);
}

TEST(PrefixCache, ARequestEvictsNoneOfItsOwn) {
  PrefixCache cache(3);
  cache.insert(Blocks{8, 9});
  EXPECT_EQ(cache.insert(Blocks{1, 2, 3, 4, 5}), (Placed{{1, 2}, {2, 1}, {3, 0}}));
  EXPECT_EQ(cache.find(Blocks{1, 2, 3, 4, 5}), (Blocks{2, 1, 0}));
  EXPECT_EQ(cache.size(), 3U);
}

// The rule by looking through everything.
struct Plain {
  struct Entry {
    std::uint64_t slot, used;
  };
  std::uint64_t slots, now = 0, evicted = 0;
  std::map<std::uint64_t, Entry> all;

  void use(const Blocks& blocks) {
    for (std::size_t i = blocks.size(); i-- > 0;) {
      const auto at = all.find(blocks[i]);
      if (at != all.end()) at->second.used = ++now;
    }
  }
  Blocks find(const Blocks& blocks) {
    Blocks found;
    for (const std::uint64_t block : blocks) {
      if (!all.contains(block)) break;
      found.push_back(all.at(block).slot);
    }
    use(Blocks(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(found.size())));
    return found;
  }
  void insert(const Blocks& blocks) {
    use(blocks);
    const std::set<std::uint64_t> own(blocks.begin(), blocks.end());
    for (const std::uint64_t block : blocks) {
      if (all.contains(block)) continue;
      std::uint64_t slot = all.size();
      if (slot == slots) {
        auto oldest = all.end();
        for (auto at = all.begin(); at != all.end(); ++at) {
          if (own.contains(at->first)) continue;
          if (oldest == all.end() || at->second.used < oldest->second.used) oldest = at;
        }
        if (oldest == all.end()) break;
        slot = oldest->second.slot;
        all.erase(oldest);
        ++evicted;
      }
      all[block] = {slot, ++now};
    }
    use(blocks);
  }
};

RC_GTEST_PROP(PrefixCache, IsThePlainRule, ()) {
  const auto slots = *rc::gen::inRange<std::uint64_t>(1, 12);
  PrefixCache cache(slots);
  Plain plain{slots, 0, 0, {}};
  const auto requests = *rc::gen::container<std::vector<Blocks>>(
      rc::gen::container<Blocks>(rc::gen::inRange<std::uint64_t>(0, 16)));
  for (const Blocks& blocks : requests) {
    RC_ASSERT(cache.find(blocks) == plain.find(blocks));
    for (const PrefixCache::Placed& placed : cache.insert(blocks)) {
      RC_ASSERT(placed.slot < slots);
    }
    plain.insert(blocks);
    RC_ASSERT(cache.size() == plain.all.size());
    RC_ASSERT(cache.evicted() == plain.evicted);
  }
}

}  // namespace
}  // namespace cxlgpu
