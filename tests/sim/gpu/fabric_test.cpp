// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The way from the LLC to the system bus and back.
#include "sim/gpu/fabric.hpp"

#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
constexpr std::size_t kLines = 24;

// Cycles from a warp's start to its end, loading `kLines` lines of HDM or local memory; `parallel`
// asks for eight at a time, else each waits for the one before.
std::uint64_t cycles(std::uint32_t fabric, std::uint64_t local_bytes, bool parallel) {
  GpuParams p = one_warp();
  p.fabric_cycles = fabric;
  Rig rig(p, {}, local_bytes);
  const auto x = rig.array(iota<U32>(16 * kLines));
  std::uint64_t begin = 0, end = 0;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    begin = rig.engine.now().ps;
    for (std::size_t line = 0; line < kLines; line += 8) {
      std::array<LoadHandle<U32>, 8> loads;
      for (std::size_t i = 0; i < 8; ++i) {
        loads[i] = w.load(x, w.consecutive(16 * (line + i)), w.full_mask());
        if (!parallel) (void)co_await loads[i];
      }
      for (std::size_t i = 0; i < 8; ++i) {
        const Lanes<U32> got = co_await loads[i];
        EXPECT_EQ(got[3], 16 * (line + i) + 3);
      }
    }
    end = rig.engine.now().ps;
  });
  rig.run_clean();
  return (end - begin) / kCycle.ps;
}

TEST(Fabric, EachAccessBeyondTheLlcPaysItAndManyPayAtOnce) {
  for (const std::uint32_t fabric : {1U, 2U, 7U, 217U}) {
    SCOPED_TRACE(fabric);
    EXPECT_EQ(cycles(fabric, 0, false), cycles(0, 0, false) + kLines * fabric);
    EXPECT_EQ(cycles(fabric, 0, true), cycles(0, 0, true) + kLines / 8 * fabric);
  }
}

TEST(Fabric, LocalMemoryHasItInItsOwnLatency) {
  EXPECT_EQ(cycles(217, 1 << 16, false), cycles(0, 1 << 16, false));
}

TEST(Fabric, OddCycleIsSpentOnTheWayThere) {
  Fabric fabric(5);
  fabric.send({}, 10);
  EXPECT_FALSE(fabric.request_due(12));
  EXPECT_TRUE(fabric.request_due(13));
  fabric.answer({}, 20);
  EXPECT_EQ(fabric.next_response(), 22U);
  EXPECT_FALSE(fabric.response_due(21));
}

TEST(Fabric, BusOrderAndRateAreKept) {
  GpuParams p;
  p.fabric_cycles = 40;
  Rig rig(p);
  auto workload = make_workload("vadd", {.size = 4096});
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory), std::nullopt);
  for (std::size_t i = 1; i < rig.recorder.log.size(); ++i) {
    ASSERT_LT(rig.recorder.log[i - 1].at, rig.recorder.log[i].at);
  }
}

}  // namespace
}  // namespace cxlgpu
