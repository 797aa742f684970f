// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// pread, pwrite and io_uring: what they move, what they refuse, what they take.
#include "sim/io/host_kernel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/io/io_uring.hpp"
#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

TEST(HostKernel, AReadIsTheSumOfItsSteps) {
  IoRig rig;
  rig.device.poke(8192, numbered(8192, 7));
  const int fd = rig.kernel.open({4096, 64 * kKiB});
  std::vector<std::uint8_t> memory(8192);
  const std::uint64_t at = rig.kernel.memory().map(memory);
  const Time took = rig.run([&]() -> HostThread {
    EXPECT_EQ(co_await rig.kernel.pread(fd, at, 8192, 4096), 8192);
    co_return Done{};
  });
  EXPECT_EQ(took, kUs * (1 + 2 + 3) + rig.device.time(8192));
  EXPECT_EQ(memory, numbered(8192, 7));
  EXPECT_EQ(rig.host.steps().of(IoStep::Transfer).time, rig.device.time(8192));
}

TEST(HostKernel, RefusesAsTheSystemCallDoes) {
  IoRig rig;
  const int fd = rig.kernel.open({0, 64 * kKiB, false, true});
  std::vector<std::uint8_t> memory(64 * kKiB);
  const std::uint64_t at = rig.kernel.memory().map(memory);
  rig.run([&]() -> HostThread {
    HostKernel& k = rig.kernel;
    EXPECT_EQ(co_await k.pread(fd + 1, at, 4096, 0), -EBADF);
    EXPECT_EQ(co_await k.pread(0, at, 4096, 0), -EBADF);
    EXPECT_EQ(co_await k.pwrite(fd, at, 4096, 0), -EBADF);  // read only
    EXPECT_EQ(co_await k.pread(fd, at + 512, 4096, 0), -EINVAL);
    EXPECT_EQ(co_await k.pread(fd, at, 4097, 0), -EINVAL);
    EXPECT_EQ(co_await k.pread(fd, at, 4096, 2048), -EINVAL);
    EXPECT_EQ(co_await k.pread(fd, at + 60 * kKiB, 8192, 0), -EFAULT);
    EXPECT_EQ(co_await k.pread(fd, at, 8192, 60 * kKiB), 4096);  // as far as the file goes
    EXPECT_EQ(co_await k.pread(fd, at, 4096, 64 * kKiB), 0);
    EXPECT_EQ(k.close(fd), 0);
    EXPECT_EQ(k.close(fd), -EBADF);
    EXPECT_EQ(co_await k.pread(fd, at, 4096, 0), -EBADF);
    co_return Done{};
  });
  EXPECT_EQ(rig.device.sizes, std::vector<std::uint64_t>{4096});  // nothing refused got there
}

TEST(HostKernel, AnIoMovesNoMoreThanTheKernelsMost) {
  IoRig rig;
  const std::uint64_t bytes = 2048 * kMiB;
  const int fd = rig.kernel.open({0, bytes});
  const HostKernel::Checked checked =
      rig.kernel.check(fd, false, ByteMap::Bytes(static_cast<std::uint8_t*>(nullptr), bytes), 0);
  EXPECT_EQ(checked.error, 0);
  EXPECT_EQ(checked.io.memory.size(), 0x7ffff000U);
}

TEST(IoUring, HasAllInFlightForOneCall) {
  IoRig rig;
  rig.device.poke(0, numbered(64 * kKiB, 1));
  const int fd = rig.kernel.open({0, 64 * kKiB});
  std::vector<std::uint8_t> memory(64 * kKiB);
  const std::uint64_t at = rig.kernel.memory().map(memory);
  IoUring ring(rig.kernel, 16);
  std::set<std::uint64_t> seen;
  const Time took = rig.run([&]() -> HostThread {
    for (std::uint64_t i = 0; i < 16; ++i) {
      EXPECT_TRUE(ring.prep({false, fd, at + i * 4096, 4096, i * 4096, i}));
    }
    EXPECT_FALSE(ring.prep({false, fd, at, 4096, 0, 99}));
    EXPECT_EQ(co_await ring.submit(), 16);
    for (unsigned i = 0; i < 16; ++i) {
      const IoUringCqe cqe = co_await ring.wait_cqe();
      EXPECT_EQ(cqe.res, 4096);
      seen.insert(cqe.user_data);
    }
    co_return Done{};
  });
  // One call, 16 ways through the kernel, the last drive access; the call to wait is over before
  // it.
  EXPECT_EQ(took, kUs * (1 + 16 * 5) + rig.device.time(4096));
  EXPECT_EQ(rig.device.most, 3U);  // 11 us each, one more every 5
  EXPECT_EQ(seen.size(), 16U);
  EXPECT_EQ(memory, numbered(64 * kKiB, 1));
}

TEST(IoUring, CompletesWhatFailsWithItsError) {
  IoRig rig;
  const int fd = rig.kernel.open({0, 64 * kKiB});
  std::vector<std::uint8_t> memory(8192);
  const std::uint64_t at = rig.kernel.memory().map(memory);
  IoUring ring(rig.kernel, 8);
  std::map<std::uint64_t, std::int64_t> results;
  rig.run([&]() -> HostThread {
    ring.prep({false, fd, at, 4096, 0, 1});
    ring.prep({false, fd, at + 1, 4096, 0, 2});
    ring.prep({false, fd, at + 8192, 4096, 0, 3});
    ring.prep({false, 77, at, 4096, 0, 4});
    ring.prep({false, fd, at, 4096, 64 * kKiB, 5});
    EXPECT_EQ(co_await ring.submit(), 5);
    for (unsigned i = 0; i < 5; ++i) {
      const IoUringCqe cqe = co_await ring.wait_cqe();
      results[cqe.user_data] = cqe.res;
    }
    co_return Done{};
  });
  EXPECT_EQ(results, (std::map<std::uint64_t, std::int64_t>{
                         {1, 4096}, {2, -EINVAL}, {3, -EFAULT}, {4, -EBADF}, {5, 0}}));
}

// Any mix of reads and writes, one after the other, against a plain copy of the file.
RC_GTEST_PROP(HostKernel, ContentsAreThoseOfAPlainFile, ()) {
  constexpr std::uint64_t kPages = 16;
  struct Op {
    bool is_write;
    std::uint64_t page, pages, from;
  };
  const auto ops = *rc::gen::container<std::vector<Op>>(rc::gen::construct<Op>(
      rc::gen::arbitrary<bool>(), rc::gen::inRange<std::uint64_t>(0, kPages),
      rc::gen::inRange<std::uint64_t>(1, kPages), rc::gen::inRange<std::uint64_t>(0, kPages)));
  IoRig rig;
  std::vector<std::uint8_t> file = numbered(kPages * 4096, 3);
  rig.device.poke(8192, file);
  const int fd = rig.kernel.open({8192, kPages * 4096});
  std::vector<std::uint8_t> memory = numbered(2 * kPages * 4096, 5), expected = memory;
  const std::uint64_t at = rig.kernel.memory().map(memory);
  rig.run([&]() -> HostThread {
    for (const Op& op : ops) {
      const std::uint64_t bytes = std::min(op.pages, kPages - op.page) * 4096;
      const auto copy = [&](auto& from, std::uint64_t f, auto& to, std::uint64_t t) {
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(f), bytes,
                    to.begin() + static_cast<std::ptrdiff_t>(t));
      };
      const std::uint64_t buffer = op.from * 4096, offset = op.page * 4096;
      if (op.is_write) {
        const auto moved = co_await rig.kernel.pwrite(fd, at + buffer, op.pages * 4096, offset);
        EXPECT_EQ(moved, static_cast<std::int64_t>(bytes));
        copy(expected, buffer, file, offset);
      } else {
        const auto moved = co_await rig.kernel.pread(fd, at + buffer, op.pages * 4096, offset);
        EXPECT_EQ(moved, static_cast<std::int64_t>(bytes));
        copy(file, offset, expected, buffer);
      }
    }
    co_return Done{};
  });
  RC_ASSERT(memory == expected);
  std::vector<std::uint8_t> there(kPages * 4096);
  rig.device.peek(8192, there);
  RC_ASSERT(there == file);
}

}  // namespace
}  // namespace cxlgpu
