// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The four calls of libPhoenix, and plain reads after them.
#include "sim/io/phxfs.hpp"

#include <gtest/gtest.h>

#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

TEST(Phxfs, AReadGoesStraightIntoGpuMemory) {
  IoRig rig;
  rig.device.poke(0, numbered(64 * kKiB, 9));
  const int fd = rig.kernel.open({0, 64 * kKiB});
  std::uint64_t gpu = 0;
  const Time took = rig.run([&]() -> HostThread {
    co_await rig.gpu.cudaMalloc(&gpu, 64 * kKiB);
    EXPECT_EQ(co_await rig.phxfs.phxfs_open(0), 0);
    std::array<std::uint64_t, 1> target{};
    EXPECT_EQ(co_await rig.phxfs.phxfs_regmem(0, gpu, 64 * kKiB, target), 0);
    EXPECT_EQ(co_await rig.kernel.pread(fd, target[0], 64 * kKiB, 0), 64 * 1024);
    EXPECT_EQ(co_await rig.phxfs.phxfs_deregmem(0, gpu, 64 * kKiB), 0);
    EXPECT_EQ(co_await rig.phxfs.phxfs_close(0), 0);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * (4 + 20 + 17 + 1 + 2 + 3 + 13 + 10) + rig.device.time(64 * kKiB));
  const auto got = *rig.gpu.find(gpu, 64 * kKiB);
  EXPECT_TRUE(std::ranges::equal(got, numbered(64 * kKiB, 9)));
}

TEST(Phxfs, RefusesAsTheLibraryDoes) {
  IoRig rig;
  rig.run([&]() -> HostThread {
    Phxfs& p = rig.phxfs;
    constexpr std::uint64_t kPage = 64 * kKiB;
    std::uint64_t gpu = 0;
    std::array<std::uint64_t, 1> target{};
    co_await rig.gpu.cudaMalloc(&gpu, 4 * kPage);
    EXPECT_EQ(co_await p.phxfs_open(1), -ENODEV);
    EXPECT_EQ(co_await p.phxfs_close(0), -1);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu, kPage, target), -EINVAL);  // not open
    EXPECT_EQ(co_await p.phxfs_open(0), 0);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu, 0, target), -EINVAL);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu, 4096, target), -EINVAL);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu + 4096, kPage, target), -EINVAL);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu, kPage, {}), -EINVAL);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu + 4 * kPage, kPage, target), -EINVAL);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu, 2 * kPage, target), 0);
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu + kPage, 2 * kPage, target), -EINVAL);  // overlaps
    EXPECT_EQ(co_await p.phxfs_regmem(0, gpu + 2 * kPage, 2 * kPage, target), 0);    // beside it
    EXPECT_EQ(co_await p.phxfs_deregmem(0, gpu, kPage), -1);
    EXPECT_EQ(co_await p.phxfs_deregmem(0, gpu + kPage, kPage), -1);
    EXPECT_EQ(co_await p.phxfs_close(0), 0);
    EXPECT_EQ(co_await p.phxfs_close(0), -1);
    co_return Done{};
  });
}

TEST(Phxfs, TheSameRegistrationAgainIsCounted) {
  IoRig rig;
  rig.run([&]() -> HostThread {
    std::uint64_t gpu = 0;
    std::array<std::uint64_t, 1> a{}, b{};
    co_await rig.gpu.cudaMalloc(&gpu, 64 * kKiB);
    co_await rig.phxfs.phxfs_open(0);
    EXPECT_EQ(co_await rig.phxfs.phxfs_regmem(0, gpu, 64 * kKiB, a), 0);
    EXPECT_EQ(co_await rig.phxfs.phxfs_regmem(0, gpu, 64 * kKiB, b), 0);
    EXPECT_EQ(a, b);
    EXPECT_EQ(co_await rig.phxfs.phxfs_deregmem(0, gpu, 64 * kKiB), 0);
    EXPECT_TRUE(rig.kernel.memory().find(a[0], 1));
    EXPECT_EQ(co_await rig.phxfs.phxfs_deregmem(0, gpu, 64 * kKiB), 0);
    EXPECT_FALSE(rig.kernel.memory().find(a[0], 1));
    EXPECT_EQ(co_await rig.phxfs.phxfs_deregmem(0, gpu, 64 * kKiB), -1);
    co_return Done{};
  });
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).count, 1U);
  EXPECT_EQ(rig.host.steps().of(IoStep::Deregister).count, 1U);
}

TEST(Phxfs, ALongBufferHasAMappingForEachPartOfIt) {
  IoHostConfig costs = io_costs();
  costs.phoenix.mapping_bytes = 256 * kKiB;
  costs.phoenix.setup.register_page_ps = kUs.ps;
  IoRig rig(costs);
  rig.device.poke(0, numbered(640 * kKiB, 2));
  const int fd = rig.kernel.open({0, 640 * kKiB});
  std::uint64_t gpu = 0;
  rig.run([&]() -> HostThread {
    co_await rig.gpu.cudaMalloc(&gpu, 640 * kKiB);
    co_await rig.phxfs.phxfs_open(0);
    std::array<std::uint64_t, 3> target{};
    EXPECT_EQ(co_await rig.phxfs.phxfs_regmem(0, gpu, 640 * kKiB, std::span(target).first(2)),
              -EINVAL);
    EXPECT_EQ(co_await rig.phxfs.phxfs_regmem(0, gpu, 640 * kKiB, target), 0);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint64_t bytes = i < 2 ? 256 * kKiB : 128 * kKiB;
      EXPECT_EQ(co_await rig.kernel.pread(fd, target[i], bytes, i * 256 * kKiB),
                static_cast<std::int64_t>(bytes));
      EXPECT_EQ(co_await rig.kernel.pread(fd, target[i] + bytes, 4096, 0), -EFAULT);
    }
    co_return Done{};
  });
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).count, 3U);
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).time, kUs * (3 * 17 + 160));
  EXPECT_TRUE(std::ranges::equal(*rig.gpu.find(gpu, 640 * kKiB), numbered(640 * kKiB, 2)));
}

TEST(Phxfs, TheLastCloseUnmapsAll) {
  IoRig rig;
  rig.run([&]() -> HostThread {
    std::uint64_t gpu = 0;
    std::array<std::uint64_t, 1> target{};
    co_await rig.gpu.cudaMalloc(&gpu, 64 * kKiB);
    co_await rig.phxfs.phxfs_open(0);
    co_await rig.phxfs.phxfs_open(0);
    co_await rig.phxfs.phxfs_regmem(0, gpu, 64 * kKiB, target);
    EXPECT_EQ(co_await rig.phxfs.phxfs_close(0), 0);
    EXPECT_TRUE(rig.kernel.memory().find(target[0], 1));
    EXPECT_EQ(co_await rig.phxfs.phxfs_close(0), 0);
    EXPECT_FALSE(rig.kernel.memory().find(target[0], 1));
    co_return Done{};
  });
}

}  // namespace
}  // namespace cxlgpu
