// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The workload that the guide shows is a real one: it is compiled and run here, and the guide shows
// this very file.
#include <fstream>
#include <sstream>

#include "tests/gpu/gpu_rig.hpp"
#include "tests/workloads/scale_example.inc"

namespace cxlgpu {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(CXLGPU_SOURCE_DIR + ("/" + path));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

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

TEST(OwnWorkload, StandsInTheGuideAsItIs) {
  const std::string guide = read_text("docs/guide.md");
  const std::string example = read_text("tests/workloads/scale_example.inc");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(guide.find("```cpp\n" + example + "```\n"), std::string::npos)
      << "copy tests/workloads/scale_example.inc into the section 'A workload of your own'";
}

}  // namespace
}  // namespace cxlgpu
