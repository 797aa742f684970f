// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Copies over the GPU's link: by formula, and against the copies they come from.
#include "sim/paging/gpu_link.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/sim/paging/configured.hpp"

namespace cxlgpu {
namespace {

GpuLink::Copy copy(const GpuLink& link, const std::vector<std::uint64_t>& pages, bool to_gpu) {
  return link.copy(
      pages, [](std::uint64_t page) { return page; }, to_gpu);
}

TEST(GpuLink, PushesOfOneBlockShareASetUp) {
  PcieConfig pcie = configured("vadd-dram-uvm").paging.pcie;
  pcie.push_bytes = 4 * kPageBytes;
  pcie.lanes = 8;
  pcie.measured_lanes = 16;
  pcie.to_gpu_gb_s = 8.192;  // 4.096 on half of the lanes: a page in 1 us
  pcie.from_gpu_gb_s = 4.096;
  pcie.to_gpu_setup_ps = 7'000'000;
  pcie.from_gpu_setup_ps = 5'000'000;
  const GpuLink link(pcie);
  const GpuLink::Copy in = copy(link, {0, 3, 4, 5, 11, 12}, true);  // blocks 0 0 1 1 2 3
  EXPECT_EQ(in.pushes, 4u);
  EXPECT_EQ(in.bytes, 6 * kPageBytes);
  EXPECT_EQ(in.time.ps, 4 * 7'000'000u + 6 * 1'000'000u);
  EXPECT_EQ(copy(link, {9}, false).time.ps, 5'000'000u + 2'000'000u);
}

// configs/host/pcie.yaml says that two figures a direction give all five that were measured.
TEST(GpuLink, IsTheMeasuredLinkOnItsLanes) {
  PcieConfig pcie = configured("vadd-dram-uvm").paging.pcie;
  pcie.lanes = pcie.measured_lanes;
  pcie.push_bytes = 1ULL << 40;  // one copy each
  const GpuLink link(pcie);
  struct Measured {
    std::uint64_t kib;
    double to_us, from_us;
  };
  for (const Measured& m : {Measured{4, 3.9, 2.9},
                            {64, 4.9, 3.9},
                            {1024, 22.6, 21.8},
                            {16 * 1024, 306, 306},
                            {1024 * 1024, 19300, 19400}}) {
    std::vector<std::uint64_t> pages(m.kib / 4);
    std::iota(pages.begin(), pages.end(), 0);
    EXPECT_NEAR(copy(link, pages, true).time.ns() / 1000, m.to_us, 0.03 * m.to_us) << m.kib;
    EXPECT_NEAR(copy(link, pages, false).time.ns() / 1000, m.from_us, 0.03 * m.from_us) << m.kib;
  }
}

}  // namespace
}  // namespace cxlgpu
