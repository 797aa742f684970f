// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which I/Os load a model, and every byte of them on each stack.
#include "sim/io/model_load.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/io/io_job.hpp"
#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

Safetensors model(std::uint64_t header, const std::vector<std::uint64_t>& bytes) {
  Safetensors all;
  for (const std::uint64_t one : bytes) {
    all.tensors.push_back({"t", header, one});
    header += one;
  }
  return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> ios(ModelLoadPlan plan) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  std::vector<IoSpan> group;
  for (plan.next(0, group); !group.empty(); plan.next(0, group)) {
    EXPECT_EQ(group.size(), 1U);
    all.emplace_back(group[0].offset, group[0].bytes);
  }
  return all;
}

TEST(ModelLoad, DirectIoHasThePagesThatATensorHasAPartOf) {
  using All = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  const Safetensors some = model(1000, {100, 8192, 50000});
  EXPECT_EQ(ios({some, false, 1 << 20}), (All{{1000, 100}, {1100, 8192}, {9292, 50000}}));
  EXPECT_EQ(ios({some, true, 1 << 20}), (All{{0, 4096}, {0, 12288}, {8192, 53248}}));
  EXPECT_EQ(ios({some, true, 32768}), (All{{0, 4096}, {0, 12288}, {8192, 32768}, {40960, 20480}}));
  const ModelLoadPlan plan(some, true, 32768);
  EXPECT_EQ(plan.file_bytes(), 59292U);
  EXPECT_EQ(plan.bytes(), 4096U + 12288 + 53248);
  EXPECT_EQ(plan.ios(), 4U);
  EXPECT_EQ(plan.buffers(), (std::vector<std::uint64_t>{4096, 12288, 32768, 20480}));
}

// A buffer is as long as its tensor, so a short tensor is not registered like the longest.
TEST(ModelLoad, EachTensorsOwnBytesAreRegistered) {
  IoRig rig;
  const PcieConfig pcie;
  const auto stack = make_gds_stack({rig.kernel, rig.gpu, rig.config, pcie});
  IoWork how;
  how.registration = IoRegistration::Each;
  IoJob job(rig.kernel, rig.gpu, *stack, how,
            std::make_unique<ModelLoadPlan>(model(0, {4096, 40960, 8192}), true, 65536));
  job.fill(rig.device);
  rig.run([&]() { return job.run(); });
  EXPECT_TRUE(job.problems().empty());
  EXPECT_EQ(rig.host.steps().of(IoStep::Register).time, kUs * (3 * 50 + 1 + 10 + 2));
  EXPECT_EQ(rig.host.steps().of(IoStep::Deregister).time, kUs * (3 * 40 + 1 + 10 + 2));
  EXPECT_EQ(rig.host.steps().of(IoStep::Allocate).count, 3U);
}

RC_GTEST_PROP(ModelLoad, EveryStackLoadsEveryByte, ()) {
  const auto bytes =
      *rc::gen::nonEmpty(rc::gen::resize(12, rc::gen::container<std::vector<std::uint64_t>>(
                                                 rc::gen::inRange<std::uint64_t>(1, 90000))));
  const Safetensors all = model(*rc::gen::inRange<std::uint64_t>(8, 9000), bytes);
  PcieConfig pcie;
  pcie.lanes = pcie.measured_lanes = 16;
  pcie.to_gpu_gb_s = pcie.from_gpu_gb_s = 4.096;
  for (const auto make : {make_phoenix_stack, make_gds_stack, make_mmap_stack}) {
    const bool mapped = make == make_mmap_stack;
    IoRig rig;
    const auto stack = make({rig.kernel, rig.gpu, rig.config, pcie});
    IoWork how;
    how.mode = mapped ? IoMode::Mmap : IoMode::Sync;
    how.registration = IoRegistration::Each;
    auto plan = std::make_unique<ModelLoadPlan>(all, !mapped, 65536);
    const std::uint64_t expected = plan->bytes();
    IoJob job(rig.kernel, rig.gpu, *stack, how, std::move(plan));
    job.fill(rig.device);
    rig.run([&]() { return job.run(); });
    RC_ASSERT(job.problems().empty());
    RC_ASSERT(job.result().bytes_wrong == 0U);
    RC_ASSERT(job.result().bytes_checked == expected);
  }
}

}  // namespace
}  // namespace cxlgpu
