// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The workload of examples/own-workload is a real one: it is compiled and run here.
#include "examples/own-workload/scale.cpp"
#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

TEST(OwnWorkload, RunsAndIsVerified) {
  for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
    for (const std::uint64_t size : {0, 5001}) {
      const auto workload = make_workload(scale_workload(), {.size = size, .distribution = d});
      Rig rig({}, {}, local_bytes_for(workload->data_set_bytes()));
      workload->setup(rig.allocator, rig.memory);
      EXPECT_NE(workload->verify(rig.memory), std::nullopt);
      workload->launch(rig.gpu);
      rig.run_clean();
      EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
      EXPECT_EQ(rig.gpu.stats().computes, 5 * rig.gpu.stats().stores);
    }
  }
  EXPECT_THROW((void)make_workload(scale_workload(), {.size = 1ULL << 31}), InputError);
}

}  // namespace
}  // namespace cxlgpu
