// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workload io on each stack: every byte, every mode, times in closed form, faults that it must see.
#include "sim/io/io_job.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

struct StackMode {
  const char* name;
  std::unique_ptr<IoStack> (*make)(const IoStackParts&);
};
constexpr StackMode kMmap = {"mmap", make_mmap_stack};
constexpr std::array<StackMode, 3> kStacks = {
    {{"phoenix", make_phoenix_stack}, {"gds", make_gds_stack}, {"posix", make_posix_stack}}};

PcieConfig link() {
  PcieConfig pcie;
  pcie.lanes = pcie.measured_lanes = 16;
  pcie.to_gpu_gb_s = pcie.from_gpu_gb_s = 4.096;  // 4 KiB a microsecond
  pcie.to_gpu_setup_ps = pcie.from_gpu_setup_ps = 6 * kUs.ps;
  return pcie;
}

struct JobRig : IoRig {
  JobRig(const StackMode& stack, const IoWork& work, const IoHostConfig& costs = io_costs())
      : IoRig(costs),
        its(stack.make({kernel, gpu, config, pcie})),
        job(kernel, gpu, *its, work, make_equal_ios(work)) {}
  void go() {
    job.fill(device);
    run([&]() { return job.run(); });
    job.check_file(device);
  }
  PcieConfig pcie = link();
  std::unique_ptr<IoStack> its;
  IoJob job;
};

IoWork work(IoMode mode, std::uint64_t bytes, std::uint64_t count, unsigned threads = 1) {
  IoWork w;
  w.mode = mode;
  w.bytes = bytes;
  w.count = count;
  w.threads = threads;
  w.seed = 11;
  return w;
}

// Any work that a stack does, done right: every byte checked, none wrong, no call failed.
RC_GTEST_PROP(IoJob, MovesEveryByteOnEveryStack, ()) {
  const StackMode& stack = kStacks[*rc::gen::inRange<std::size_t>(0, 3)];
  IoWork w =
      work(static_cast<IoMode>(*rc::gen::inRange(0, 4)),
           4096 * *rc::gen::inRange<std::uint64_t>(1, 40), *rc::gen::inRange<std::uint64_t>(1, 40));
  w.threads = *rc::gen::inRange<unsigned>(1, static_cast<unsigned>(w.count) + 1);
  w.group = *rc::gen::inRange<unsigned>(1, 9);
  w.operation = static_cast<IoOperation>(*rc::gen::inRange(0, 2));
  w.registration = static_cast<IoRegistration>(*rc::gen::inRange(0, 2));
  w.order = static_cast<IoOrder>(*rc::gen::inRange(0, 2));
  IoHostConfig costs = io_costs();
  costs.gds.chunk_bytes = 65536;
  costs.gds.batch_buffer_bytes = 1 << 20;
  costs.gds.batch = 4;
  JobRig rig(stack, w, costs);
  if (rig.its->without(w.mode) != nullptr) return;
  rig.go();
  const IoResult& r = rig.job.result();
  if (w.mode == IoMode::Batch && stack.make == make_gds_stack && w.bytes > costs.gds.chunk_bytes) {
    RC_ASSERT(r.failed == w.count);  // cuFile's batches have no longer I/Os
    return;
  }
  RC_ASSERT(rig.job.problems().empty());
  RC_ASSERT(r.ios == w.count);
  RC_ASSERT(r.failed == 0U);
  RC_ASSERT(r.bytes == w.count * w.bytes);
  RC_ASSERT(r.bytes_checked == w.count * w.bytes);
  RC_ASSERT(r.bytes_wrong == 0U);
  const StepBook& steps = rig.host.steps();
  RC_ASSERT(steps.of(IoStep::Register).count == steps.of(IoStep::Deregister).count);
  RC_ASSERT(steps.of(IoStep::Register).count ==
            (w.registration == IoRegistration::Each
                 ? w.count
                 : std::uint64_t{w.threads} * (w.mode == IoMode::Sync ? 1 : w.group)));
}

TEST(IoJob, OneThreadsTimesAreSums) {
  const std::uint64_t n = 5, bytes = 8192;
  const Time drive = FixedDevice(kUs * 10).time(bytes);
  const auto measured = [&](const StackMode& stack, IoRegistration registration) {
    IoWork w = work(IoMode::Sync, bytes, n);
    w.registration = registration;
    JobRig rig(stack, w);
    rig.go();
    EXPECT_TRUE(rig.job.problems().empty());
    EXPECT_EQ(rig.job.result().latency, rig.job.result().measured());
    return rig.job.result().measured();
  };
  EXPECT_EQ(measured(kStacks[0], IoRegistration::Once), (kUs * 6 + drive) * n);
  EXPECT_EQ(measured(kStacks[0], IoRegistration::Each), (kUs * (6 + 17 + 13) + drive) * n);
  EXPECT_EQ(measured(kStacks[1], IoRegistration::Once), (kUs * 13 + drive) * n);
  EXPECT_EQ(measured(kStacks[1], IoRegistration::Each), (kUs * (13 + 52 + 42) + drive) * n);
  EXPECT_EQ(measured(kStacks[2], IoRegistration::Once), (kUs * (6 + 8) + drive) * n);
  EXPECT_EQ(measured(kStacks[2], IoRegistration::Each), (kUs * (6 + 8 + 9 + 8) + drive) * n);
}

TEST(IoJob, GroupsAreAsTheirModeSays) {
  const std::uint64_t n = 8;
  const Time drive = FixedDevice(kUs * 10).time(4096);
  const auto measured = [&](const StackMode& stack, IoMode mode) {
    IoWork w = work(mode, 4096, n);
    w.group = n;
    JobRig rig(stack, w);
    rig.go();
    EXPECT_TRUE(rig.job.problems().empty());
    EXPECT_EQ(rig.job.result().groups, 1U);
    return rig.job.result().measured();
  };
  EXPECT_EQ(measured(kStacks[0], IoMode::Batch), kUs * (1 + 5 * n) + drive);
  EXPECT_EQ(measured(kStacks[0], IoMode::Async), kUs * (6 * n) + drive);
  EXPECT_EQ(measured(kStacks[0], IoMode::Stream), (kUs * (11 + 6) + drive) * n);
  EXPECT_EQ(measured(kStacks[1], IoMode::Batch), kUs + (kUs * 12 + drive) * n);
  EXPECT_EQ(measured(kStacks[1], IoMode::Stream), (kUs * (11 + 13) + drive) * n);
}

TEST(IoJob, ALongBatchIsAsManyCallsAsItsLimitTakes) {
  IoWork w = work(IoMode::Batch, 4096, 600);
  w.group = 600;
  JobRig gds(kStacks[1], w), phoenix(kStacks[0], w);
  gds.go();
  phoenix.go();
  EXPECT_TRUE(gds.job.problems().empty());
  EXPECT_EQ(gds.host.steps().of(IoStep::Syscall).count, 3U);
  // One to hand all over, and one to wait for each of the three that are still in flight then.
  EXPECT_EQ(phoenix.host.steps().of(IoStep::Syscall).count, 4U);
}

TEST(IoJob, StacksSayWhatTheyHaveNot) {
  const IoWork w = work(IoMode::Sync, 4096, 1);
  for (const StackMode& stack : kStacks) {
    JobRig rig(stack, w);
    EXPECT_EQ(rig.its->without(IoMode::Sync), nullptr);
    EXPECT_EQ(rig.its->without(IoMode::Batch), nullptr);
    EXPECT_EQ(rig.its->without(IoMode::Async) != nullptr, stack.make == make_gds_stack);
    EXPECT_EQ(rig.its->without(IoMode::Stream) != nullptr, stack.make == make_posix_stack);
    if (stack.make != make_posix_stack) {
      EXPECT_NE(rig.its->without(IoMode::Mmap), nullptr);
    }
  }
  JobRig mapped(kMmap, work(IoMode::Mmap, 4096, 1));
  EXPECT_EQ(mapped.its->without(IoMode::Mmap), nullptr);
  EXPECT_NE(mapped.its->without(IoMode::Sync), nullptr);
}

TEST(IoJob, AnErrorOfTheInterfaceIsOfEveryIo) {
  for (const auto& [stack, error] :
       {std::pair{&kStacks[0], -EINVAL}, {&kStacks[1], -5022}, {&kStacks[2], -EINVAL}}) {
    JobRig rig(*stack, work(IoMode::Sync, 6144, 7));
    rig.go();
    EXPECT_EQ(rig.job.result().failed, 7U) << stack->name;
    EXPECT_EQ(rig.job.result().bytes, 0U);
    ASSERT_EQ(rig.job.problems().size(), 4U);  // of seven
    EXPECT_EQ(rig.job.problems()[0], fmt::format("read of 6144 bytes at 0 returned {}", error));
    EXPECT_TRUE(rig.device.sizes.empty());
  }
}

// A drive that gives one byte of the file wrong.
TEST(IoJob, SeesAWrongByteOfARead) {
  for (const StackMode& stack : kStacks) {
    JobRig rig(stack, work(IoMode::Sync, 8192, 4));
    rig.job.fill(rig.device);
    std::array<std::uint8_t, 1> byte{};
    rig.device.peek(20000, byte);
    byte[0] ^= 0x10;
    rig.device.poke(20000, byte);
    rig.run([&]() { return rig.job.run(); });
    EXPECT_EQ(rig.job.result().bytes_wrong, 1U) << stack.name;
    ASSERT_EQ(rig.job.problems().size(), 1U);
    EXPECT_EQ(rig.job.problems()[0].rfind("byte 20000 of the file is ", 0), 0U);
  }
}

TEST(IoJob, SeesAWrongByteOfAWrite) {
  IoWork w = work(IoMode::Sync, 8192, 4);
  w.operation = IoOperation::Write;
  JobRig rig(kStacks[0], w);
  rig.job.fill(rig.device);
  rig.run([&]() { return rig.job.run(); });
  std::array<std::uint8_t, 1> byte{};
  rig.device.peek(30000, byte);
  byte[0] ^= 1;
  rig.device.poke(30000, byte);
  rig.job.check_file(rig.device);
  EXPECT_EQ(rig.job.result().bytes_wrong, 1U);
  ASSERT_EQ(rig.job.problems().size(), 1U);
}

// Ten pages are windows of 4, 4 and 2. Each is handed over in 5 us and takes the drive 14, 14 and
// 12; a copy takes 6, 6 and 3, and the window after it comes meanwhile. Then all crosses the link.
TEST(IoJob, AMappedFilesWindowsComeWhileTheOneBeforeIsCopied) {
  JobRig rig(kMmap, work(IoMode::Mmap, 10 * 4096, 3));
  rig.go();
  EXPECT_TRUE(rig.job.problems().empty());
  EXPECT_EQ(rig.job.result().bytes_checked, 30U * 4096);
  const std::uint64_t first = 5 + 14, second = first + 5 + 14, third = second + 5 + 12;
  EXPECT_EQ(rig.job.result().measured(), kUs * (3 * (third + 3 + 6 + 10)));
  EXPECT_EQ(rig.device.most, 1U);
  EXPECT_EQ(rig.host.steps().of(IoStep::PageFault).count, 3U * 5);
}

TEST(IoJob, AMappedFileIsReadFromAnyPlaceAndNotWritten) {
  JobRig any(kMmap, work(IoMode::Mmap, 5003, 23));
  any.go();
  EXPECT_TRUE(any.job.problems().empty());
  EXPECT_EQ(any.job.result().bytes_checked, 23U * 5003);
  IoWork w = work(IoMode::Mmap, 4096, 2);
  w.operation = IoOperation::Write;
  JobRig write(kMmap, w);
  write.go();
  EXPECT_EQ(write.job.result().failed, 2U);
  EXPECT_EQ(write.job.problems()[0], fmt::format("write of 4096 bytes at 0 returned {}", -EINVAL));
}

TEST(IoJob, RandomOrderReadsEachPlaceOnce) {
  IoWork w = work(IoMode::Sync, 4096, 97);
  w.order = IoOrder::Random;
  JobRig rig(kStacks[0], w);
  rig.go();
  EXPECT_TRUE(rig.job.problems().empty());
  EXPECT_EQ(rig.job.result().bytes_checked, 97U * 4096);
}

TEST(IoJob, CopiesOfOneLinkWaitForEachOther) {
  IoWork w = work(IoMode::Sync, 4096, 8, 8);
  JobRig rig(kStacks[2], w);
  rig.go();
  // All reads end at one time, then eight copies of 7 us.
  const Time drive = rig.device.time(4096);
  EXPECT_EQ(rig.job.result().measured(), kUs * 6 + drive + kUs * 7 * 8);
  EXPECT_EQ(rig.host.steps().of(IoStep::LinkWait).time, kUs * 7 * 28);
}

}  // namespace
}  // namespace cxlgpu
