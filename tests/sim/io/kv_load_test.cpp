// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which I/Os load a KV-cache trace: layouts, merging, batches; and every byte of them on each
// stack.
#include "sim/io/kv_load.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/io/io_job.hpp"
#include "tests/sim/io/io_rig.hpp"

namespace cxlgpu {
namespace {

using Requests = std::vector<std::vector<std::uint64_t>>;
struct At {
  std::uint64_t offset, bytes;  // in parts of a block
  bool operator==(const At&) const = default;
};

// A part of a block is 64 KiB.
std::vector<std::vector<At>> groups(const KvLoadWork& work, const Requests& requests,
                                    std::uint64_t blocks) {
  KvLoadPlan plan(work, requests, blocks);
  std::vector<std::vector<At>> all;
  std::vector<IoSpan> group;
  std::uint64_t ios = 0, bytes = 0;
  for (plan.next(0, group); !group.empty(); plan.next(0, group)) {
    all.emplace_back();
    EXPECT_LE(group.size(), plan.buffers().size());
    for (std::size_t i = 0; i < group.size(); ++i) {
      EXPECT_LE(group[i].bytes, plan.buffers()[i]);
      EXPECT_LE(group[i].offset + group[i].bytes, plan.file_bytes());
      all.back().push_back({group[i].offset >> 16, group[i].bytes >> 16});
      bytes += group[i].bytes;
    }
    ios += group.size();
  }
  EXPECT_EQ(ios, plan.ios());
  EXPECT_EQ(bytes, plan.bytes());
  return all;
}

TEST(KvLoad, ABlocksPartIsWhatItsNumbersTake) {
  KvLoadWork work;
  EXPECT_EQ(work.part_bytes(), 65536U);  // 16 tokens, keys and values, 8 heads of 128, 2 bytes
  work.latent_percent = 25;
  EXPECT_EQ(work.part_bytes(), 16384U);
  work.bits = 8;
  EXPECT_EQ(work.part_bytes(), 8192U);
  work.bits = 4;
  work.tokens = 512;
  EXPECT_EQ(work.part_bytes(), 131072U);
}

TEST(KvLoad, NeighboursAreOneIoUpToItsLimit) {
  const Requests requests = {{4, 5, 6, 9, 8}, {}, {7}};
  KvLoadWork work;
  using All = std::vector<std::vector<At>>;
  EXPECT_EQ(groups(work, requests, 10), (All{{{4, 3}, {9, 1}, {8, 1}}, {{7, 1}}}));
  work.merge_bytes = 131072 + 65535;
  EXPECT_EQ(groups(work, requests, 10), (All{{{4, 2}, {6, 1}, {9, 1}, {8, 1}}, {{7, 1}}}));
  work.merge_bytes = 0;
  EXPECT_EQ(groups(work, requests, 10), (All{{{4, 1}, {5, 1}, {6, 1}, {9, 1}, {8, 1}}, {{7, 1}}}));
  work.batch = 2;
  EXPECT_EQ(groups(work, requests, 10),
            (All{{{4, 1}, {5, 1}}, {{6, 1}, {9, 1}}, {{8, 1}}, {{7, 1}}}));
}

TEST(KvLoad, LayersLieAsTheLayoutSays) {
  const Requests requests = {{1, 2}};
  KvLoadWork work;
  work.layers = 3;
  using All = std::vector<std::vector<At>>;
  EXPECT_EQ(groups(work, requests, 5), (All{{{1, 2}}, {{6, 2}}, {{11, 2}}}));
  work.layout = KvLayout::Block;
  EXPECT_EQ(groups(work, requests, 5), (All{{{3, 1}, {6, 1}}, {{4, 1}, {7, 1}}, {{5, 1}, {8, 1}}}));
  work.layout = KvLayout::Whole;
  EXPECT_EQ(groups(work, requests, 5), (All{{{3, 6}}}));
  work.merge_bytes = 0;
  EXPECT_EQ(groups(work, requests, 5), (All{{{3, 3}, {6, 3}}}));
}

// Whatever is loaded, by whatever stack: each byte is checked, none is wrong, and what is loaded is
// each part of each block once.
RC_GTEST_PROP(KvLoad, EveryStackLoadsEveryByte, ()) {
  KvLoadWork work;
  work.latent_percent = 25;
  work.bits = 8;
  work.layers = *rc::gen::inRange(1u, 4u);
  work.layout = static_cast<KvLayout>(*rc::gen::inRange(0, 3));
  work.merge_bytes = *rc::gen::element<std::uint64_t>(0, 20000, 1 << 20);
  work.batch = *rc::gen::inRange(1u, 9u);
  const std::uint64_t blocks = *rc::gen::inRange<std::uint64_t>(1, 30);
  const auto requests = *rc::gen::resize(
      12, rc::gen::container<Requests>(rc::gen::container<std::vector<std::uint64_t>>(
              rc::gen::inRange<std::uint64_t>(0, blocks))));
  std::uint64_t references = 0;
  for (const auto& request : requests) references += request.size();
  RC_PRE(references > 0U);
  for (const auto make : {make_phoenix_stack, make_gds_stack, make_posix_stack}) {
    IoHostConfig costs = io_costs();
    costs.gds.batch = 5;
    costs.gds.batch_in_flight = *rc::gen::inRange(1u, 4u);
    IoRig rig(costs);
    PcieConfig pcie;
    pcie.lanes = pcie.measured_lanes = 16;
    pcie.to_gpu_gb_s = pcie.from_gpu_gb_s = 4.096;
    const auto stack = make({rig.kernel, rig.gpu, rig.config, pcie});
    IoWork how;
    how.mode = IoMode::Batch;
    IoJob job(rig.kernel, rig.gpu, *stack, how,
              std::make_unique<KvLoadPlan>(work, requests, blocks));
    job.fill(rig.device);
    rig.run([&]() { return job.run(); });
    RC_ASSERT(job.problems().empty());
    RC_ASSERT(job.result().bytes_wrong == 0U);
    RC_ASSERT(job.result().bytes_checked == references * work.layers * 8192);
    RC_ASSERT(job.result().ios == job.plan().ios());
  }
}

// A drive that gives one byte of the file wrong: of a block that is loaded, and of one that is not.
TEST(KvLoad, SeesAWrongByteOfWhatItLoads) {
  for (const auto& [offset, wrong] : {std::pair<std::uint64_t, std::uint64_t>{70000, 1}, {10, 0}}) {
    IoRig rig;
    const PcieConfig pcie;
    const auto stack = make_phoenix_stack({rig.kernel, rig.gpu, rig.config, pcie});
    IoWork how;
    how.mode = IoMode::Batch;
    IoJob job(rig.kernel, rig.gpu, *stack, how,
              std::make_unique<KvLoadPlan>(KvLoadWork{}, Requests{{1, 3}}, 4));
    job.fill(rig.device);
    std::array<std::uint8_t, 1> byte{};
    rig.device.peek(offset, byte);
    byte[0] ^= 0x10;
    rig.device.poke(offset, byte);
    rig.run([&]() { return job.run(); });
    EXPECT_EQ(job.result().bytes_wrong, wrong);
    EXPECT_EQ(job.problems().size(), wrong);
  }
}

}  // namespace
}  // namespace cxlgpu
