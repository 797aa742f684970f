// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Threads of a host: work, drives, locks, meetings, streams.
#include "sim/io/host.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <stdexcept>

#include "sim/io/cuda_stream.hpp"
#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

TEST(HostThreads, WorkTakesItsTimeAndIsBooked) {
  IoRig rig;
  const Time took = rig.run([&]() -> HostThread {
    co_await rig.host.work(IoStep::Register, kUs * 3);
    co_await rig.host.work(IoStep::Register, kUs * 4);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * 7);
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).count, 2U);
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).time, kUs * 7);
}

TEST(HostThreads, RunBesideEachOther) {
  IoRig rig;
  const auto thread = [&]() -> HostThread {
    co_await rig.host.work(IoStep::State, kUs * 5);
    co_return Done{};
  };
  EXPECT_EQ(rig.run({thread, thread, thread}), kUs * 5);
  EXPECT_EQ(rig.host.steps().of(IoStep::State).time, kUs * 15);
}

TEST(HostThreads, WhatAThreadThrowsLeavesTheHost) {
  IoRig rig;
  rig.host.start([](Host& host) -> HostThread {
    co_await host.work(IoStep::State, kUs);
    throw std::runtime_error("thrown");
  }(rig.host));
  EXPECT_THROW(rig.host.advance(kUs), std::runtime_error);
  EXPECT_TRUE(rig.host.done());
}

RC_GTEST_PROP(HostLock, LetsOneInAtATimeInTheOrderOfAsking, ()) {
  const auto arrivals = *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, 40U));
  const auto holds =
      *rc::gen::container<std::vector<unsigned>>(arrivals.size(), rc::gen::inRange(1U, 9U));
  IoRig rig;
  HostLock lock(rig.host, IoStep::LockWait);
  std::vector<std::size_t> order;
  std::vector<std::function<HostThread()>> threads;
  unsigned inside = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    threads.push_back([&, i]() -> HostThread {
      co_await rig.host.work(IoStep::State, kUs * arrivals[i]);
      co_await lock.acquire();
      RC_ASSERT(++inside == 1U);
      order.push_back(i);
      co_await rig.host.work(IoStep::State, kUs * holds[i]);
      --inside;
      lock.release();
      co_return Done{};
    });
  }
  const Time took = rig.run(threads);
  // The same by a queue on paper.
  std::vector<std::size_t> expected(arrivals.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::size_t a, std::size_t b) { return arrivals[a] < arrivals[b]; });
  Time free, waited;
  for (const std::size_t i : expected) {
    const Time came = kUs * arrivals[i], began = std::max(free, came);
    waited += began - came;
    free = began + kUs * holds[i];
  }
  RC_ASSERT(order == expected);
  RC_ASSERT(took == free);
  RC_ASSERT(rig.host.steps().of(IoStep::LockWait).time == waited);
}

TEST(Meeting, GoesOnWhenAllAreThere) {
  IoRig rig;
  Meeting meeting(rig.host, 3);
  std::vector<Time> went;
  std::vector<std::function<HostThread()>> threads;
  for (unsigned i = 1; i <= 3; ++i) {
    threads.push_back([&, i]() -> HostThread {
      co_await rig.host.work(IoStep::State, kUs * i);
      meeting.arrive();
      co_await meeting.wait();
      went.push_back(rig.host.now());
      co_return Done{};
    });
  }
  rig.run(threads);
  EXPECT_EQ(went, std::vector<Time>(3, kUs * 3));
}

TEST(CudaStream, RunsFunctionsOneAfterTheOtherInTheirOrder) {
  IoRig rig;
  CudaStream stream(rig.host, kUs * 11);
  std::vector<unsigned> order;
  std::vector<Time> ends;
  const Time took = rig.run([&]() -> HostThread {
    for (unsigned i = 0; i < 3; ++i) {
      stream.cudaLaunchHostFunc([&, i]() -> Task<Done> {
        co_await rig.host.work(IoStep::State, kUs * (3 - i));  // a later one would end first
        order.push_back(i);
        ends.push_back(rig.host.now());
        co_return Done{};
      });
    }
    EXPECT_TRUE(order.empty());  // putting in takes no time
    co_await stream.cudaStreamSynchronize();
    co_return Done{};
  });
  EXPECT_EQ(order, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(ends, (std::vector<Time>{kUs * 14, kUs * 27, kUs * 39}));
  EXPECT_EQ(took, kUs * 39);
  EXPECT_EQ(rig.host.steps().of(IoStep::Callback).count, 3U);
}

TEST(CudaStream, AnEmptyOneIsWaitedForInNoTime) {
  IoRig rig;
  CudaStream stream(rig.host, kUs * 11);
  EXPECT_EQ(rig.run([&]() -> HostThread {
    co_await stream.cudaStreamSynchronize();
    co_return Done{};
  }),
            Time{});
}

TEST(ByteMap, FindsWhatLiesWithinOneRange) {
  ByteMap map(0x10000, 4096);
  std::vector<std::uint8_t> a(8192), b(4096);
  const std::uint64_t at_a = map.map(a), at_b = map.map(b);
  EXPECT_EQ(at_a % 4096, 0U);
  EXPECT_GT(at_b, at_a + a.size());  // a hole between them
  EXPECT_EQ(map.find(at_a + 4096, 4096)->data(), a.data() + 4096);
  EXPECT_FALSE(map.find(at_a + 4096, 4097));
  EXPECT_FALSE(map.find(at_a - 1, 1));
  EXPECT_FALSE(map.find(at_a + a.size() + 1, 0));
  EXPECT_FALSE(map.find(at_b, ~std::uint64_t{0}));  // no overflow
  EXPECT_TRUE(map.unmap(at_a));
  EXPECT_FALSE(map.unmap(at_a));
  EXPECT_FALSE(map.find(at_a, 1));
  EXPECT_TRUE(map.find(at_b, 1));
}

TEST(DeviceMemory, IsAllocatedByName) {
  IoRig rig;
  const Time took = rig.run([&]() -> HostThread {
    std::uint64_t a = 0, b = 0;
    EXPECT_EQ(co_await rig.gpu.cudaMalloc(&a, 100), DeviceMemory::kSuccess);
    EXPECT_EQ(co_await rig.gpu.cudaMalloc(&b, 4096), DeviceMemory::kSuccess);
    EXPECT_EQ(a % (2 * kMiB), 0U);
    EXPECT_NE(a, b);
    EXPECT_TRUE(rig.gpu.find(a, 100));
    EXPECT_FALSE(rig.gpu.find(a, 101));
    EXPECT_EQ(co_await rig.gpu.cudaMalloc(&b, 0), DeviceMemory::kInvalidValue);
    EXPECT_EQ(co_await rig.gpu.cudaFree(a + 1), DeviceMemory::kInvalidValue);
    EXPECT_EQ(co_await rig.gpu.cudaFree(a), DeviceMemory::kSuccess);
    EXPECT_EQ(co_await rig.gpu.cudaFree(a), DeviceMemory::kInvalidValue);
    EXPECT_FALSE(rig.gpu.find(a, 1));
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * (4 + 4 + 5));
}

}  // namespace
}  // namespace cxlgpu
