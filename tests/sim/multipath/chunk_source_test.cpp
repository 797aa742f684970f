// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which chunk a link copies next: each once, its own GPU's first, the longest queue, never idle.
#include "sim/multipath/chunk_source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

namespace cxlgpu {
namespace {

MultipathConfig machine(unsigned gpus) {
  MultipathConfig config;
  config.gpus = gpus;
  return config;
}

std::vector<MicroTask> tasks(std::uint64_t copy, unsigned gpu, unsigned count) {
  std::vector<MicroTask> all;
  for (unsigned i = 0; i < count; ++i) all.push_back({copy, gpu, 100ULL * i, 100});
  return all;
}

std::vector<unsigned> all_links(unsigned gpus) {
  std::vector<unsigned> links;
  for (unsigned i = 0; i < gpus; ++i) links.push_back(i);
  return links;
}

TEST(PullScheduler, OwnFirstThenTheLongest) {
  PullScheduler scheduler(machine(3));
  scheduler.submit(tasks(0, 0, 2), all_links(3));
  scheduler.submit(tasks(1, 1, 3), all_links(3));
  EXPECT_EQ(scheduler.pull(0)->gpu, 0U);
  EXPECT_EQ(scheduler.pull(2)->gpu, 1U);  // 3 against 1
  EXPECT_EQ(scheduler.pull(2)->gpu, 1U);  // 2 against 1
  EXPECT_FALSE(scheduler.pull(2));        // two are outstanding
  scheduler.complete(2);
  const unsigned any = scheduler.pull(2)->gpu;  // 1 against 1
  EXPECT_LT(any, 2U);
  EXPECT_EQ(scheduler.pull(0)->gpu, 1 - any);
  EXPECT_FALSE(scheduler.pull(1));
}

TEST(PullScheduler, PriorityIsBeforeTheLongestAndBehindItsOwn) {
  MultipathConfig config = machine(3);
  config.relay = RelayOrder::Priority;
  config.priority_gpu = 0;
  PullScheduler scheduler(config);
  scheduler.submit(tasks(0, 0, 1), all_links(3));
  scheduler.submit(tasks(1, 1, 5), all_links(3));
  EXPECT_EQ(scheduler.pull(1)->gpu, 1U);
  EXPECT_EQ(scheduler.pull(2)->gpu, 0U);
  EXPECT_EQ(scheduler.pull(2)->gpu, 1U);
}

TEST(PullScheduler, WithoutDirectFirstItsOwnIsOneOfAll) {
  MultipathConfig config = machine(2);
  config.direct_first = false;
  PullScheduler scheduler(config);
  scheduler.submit(tasks(0, 0, 1), all_links(2));
  scheduler.submit(tasks(1, 1, 3), all_links(2));
  EXPECT_EQ(scheduler.pull(0)->gpu, 1U);
}

TEST(PullScheduler, ALinkTakesOnlyCopiesItIsAPathOf) {
  PullScheduler scheduler(machine(4));
  scheduler.submit(tasks(0, 0, 4), {0, 1});
  EXPECT_FALSE(scheduler.pull(2));
  EXPECT_TRUE(scheduler.pull(1));
}

TEST(PullScheduler, WhatIsGivenBackIsNextAndGoesElsewhere) {
  PullScheduler scheduler(machine(2));
  scheduler.submit(tasks(0, 0, 3), all_links(2));
  const MicroTask first = *scheduler.pull(0);
  EXPECT_TRUE(scheduler.close(0).empty());
  EXPECT_TRUE(scheduler.give_back(0, first));
  EXPECT_FALSE(scheduler.pull(0));
  EXPECT_EQ(*scheduler.pull(1), first);
  EXPECT_EQ(scheduler.close(1).size(), 2U);  // no link is left
  EXPECT_FALSE(scheduler.give_back(1, first));
  EXPECT_EQ(scheduler.submit(tasks(1, 0, 2), all_links(2)).size(), 2U);
}

// Against lists that the test keeps itself, in any order of calls.
TEST(PullScheduler, EveryChunkOnceInOrderAndNoLinkIdle) {
  EXPECT_TRUE(rc::check([] {
    const auto gpus = *rc::gen::inRange(1U, 6U);
    MultipathConfig config = machine(gpus);
    config.queue_depth = *rc::gen::inRange(1U, 4U);
    config.direct_first = *rc::gen::arbitrary<bool>();
    PullScheduler scheduler(config);
    std::map<unsigned, std::vector<MicroTask>> queues;  // as they should be
    std::map<unsigned, std::vector<MicroTask>> out;     // by link
    std::vector<bool> closed(gpus, false);
    std::size_t given = 0, completed = 0, lost = 0;
    std::uint64_t copies = 0;
    const auto steps = *rc::gen::inRange(20, 200);
    for (int step = 0; step < steps; ++step) {
      const auto link = *rc::gen::inRange(0U, gpus);
      switch (*rc::gen::inRange(0, 8)) {
        case 0: {
          const auto more = tasks(copies++, link, *rc::gen::inRange(1U, 8U));
          given += more.size();
          const std::size_t unserved = scheduler.submit(more, all_links(gpus)).size();
          lost += unserved;
          if (unserved == 0) {
            queues[link].insert(queues[link].end(), more.begin(), more.end());
          }
          break;
        }
        case 1:
          if (out[link].empty()) break;
          scheduler.complete(link);
          out[link].erase(out[link].begin());
          ++completed;
          break;
        case 2:
          if (closed[link] || *rc::gen::inRange(0, 6) != 0) break;
          closed[link] = true;
          lost += scheduler.close(link).size();
          if (std::all_of(closed.begin(), closed.end(), [](bool c) { return c; })) queues.clear();
          for (const MicroTask& task : out[link]) {
            if (scheduler.give_back(link, task)) {
              queues[task.gpu].insert(queues[task.gpu].begin(), task);
            } else {
              ++lost;
            }
          }
          out[link].clear();
          break;
        default: {
          const auto task = scheduler.pull(link);
          std::size_t longest = 0;
          for (auto& [gpu, queue] : queues) longest = std::max(longest, queue.size());
          const bool room = !closed[link] && out[link].size() < config.queue_depth;
          RC_ASSERT(task.has_value() == (room && longest != 0));
          if (!task) break;
          std::vector<MicroTask>& from = queues[task->gpu];
          RC_ASSERT(!from.empty() && from.front() == *task);
          if (config.direct_first && !queues[link].empty()) {
            RC_ASSERT(task->gpu == link);
          } else {
            RC_ASSERT(from.size() == longest);
          }
          from.erase(from.begin());
          out[link].push_back(*task);
          RC_ASSERT(scheduler.outstanding(link) == out[link].size());
          RC_ASSERT(out[link].size() <= config.queue_depth);
        }
      }
    }
    std::size_t left = 0;
    for (unsigned gpu = 0; gpu < gpus; ++gpu) {
      RC_ASSERT(scheduler.queued(gpu) == queues[gpu].size());
      left += queues[gpu].size() + out[gpu].size();
    }
    RC_ASSERT(given == completed + lost + left);
  }));
}

TEST(StaticSplit, EachPathHasItsShareOfEachRound) {
  MultipathConfig config = machine(4);
  config.static_split = {1, 2};
  StaticSplit split(config);
  split.submit(tasks(0, 3, 9), {3, 0, 1});
  std::map<unsigned, std::vector<std::uint64_t>> shares;
  for (unsigned link = 0; link < 4; ++link) {
    while (const auto task = split.pull(link)) shares[link].push_back(task->offset / 100);
  }
  EXPECT_EQ(shares[3], (std::vector<std::uint64_t>{0, 3, 6}));
  EXPECT_EQ(shares[0], (std::vector<std::uint64_t>{1, 2, 4, 5, 7, 8}));
  EXPECT_TRUE(shares[1].empty());
}

TEST(StaticSplit, NoOtherLinkTakesWhatOneLoses) {
  StaticSplit split(machine(2));
  split.submit(tasks(0, 0, 4), {0, 1});
  const MicroTask one = *split.pull(1);
  EXPECT_EQ(split.close(1).size(), 1U);
  EXPECT_FALSE(split.give_back(1, one));
  EXPECT_FALSE(split.pull(1));
  EXPECT_TRUE(split.pull(0));
  EXPECT_EQ(split.submit(tasks(1, 0, 4), {0, 1}).size(), 2U);
}

}  // namespace
}  // namespace cxlgpu
