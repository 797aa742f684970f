// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// sort, path, gauss, cfd, gnn and mri: their instructions are those of their kernels, and their
// iterations are as many as asked for.
#include "tests/sim/workloads/workload_rig.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kWarps = 64;  // of eight lanes

TEST(Iterative, SortComparesEveryPair) {
  const GpuStats s = verified("sort", {.size = 64});
  EXPECT_EQ(s.loads, 8U * (1 + 64));
  EXPECT_EQ(s.stores, 8U);
  EXPECT_GE(s.computes, 8U * (15 + 64 * 10 + 8 * 2));  // every element is equal to itself
  EXPECT_LE(s.computes, 8U * (15 + 64 * 12));
}

TEST(Iterative, PathGoesDownAllRows) {
  for (const std::uint64_t rows : {2, 20, 33}) {
    const GpuStats s = verified("path", {.size = kWarps * 8, .iterations = rows});
    const std::uint64_t cells = kWarps * (rows - 1);
    EXPECT_EQ(s.loads, 4 * cells);
    EXPECT_EQ(s.stores, cells);
    EXPECT_EQ(s.computes, (25 + 4) * cells);
    EXPECT_EQ(s.barriers, rows - 1);
  }
}

TEST(Iterative, GaussHasATriangleOfRows) {
  const std::uint64_t n = 8;
  const GpuStats s = verified("gauss", {.size = n});
  const std::uint64_t pivots = n - 1, rows = n * (n - 1) / 2;
  EXPECT_EQ(s.loads, 2 * pivots + 5 * rows);
  EXPECT_EQ(s.stores, pivots + 2 * rows);
  EXPECT_EQ(s.computes, pivots * (kWarps * (15 + 20) + 5) + rows * (13 + 7));
}

TEST(Iterative, CfdStoresEveryVariableEveryStage) {
  for (const std::uint64_t steps : {1, 3}) {
    const GpuStats s = verified("cfd", {.size = 512, .iterations = steps});
    EXPECT_EQ(s.stores, kWarps * steps * (6 + 3 * (5 + 5)));
    // Every element has four faces, most of them inner ones.
    const std::uint64_t rest = kWarps * steps * (6 + 3 * (5 + 4 * 4 + 11));
    EXPECT_GT(s.loads, rest + kWarps * steps * 3 * 3 * 5);
    EXPECT_LE(s.loads, rest + kWarps * steps * 3 * 4 * 5);
  }
}

TEST(Iterative, GnnIsItsPartsOneAfterTheOther) {
  const GpuStats one = verified("gnn", {.size = 301, .iterations = 1});
  const GpuStats two = verified("gnn", {.size = 301, .iterations = 2});
  const GpuStats search = verified("bfs", {.size = 301});
  const std::uint64_t vectors = 38, sums = (301 * 16 + 7) / 8;
  EXPECT_EQ(two.loads - one.loads, one.loads - search.loads);
  EXPECT_EQ(one.stores - search.stores, vectors * 16 + sums + vectors * 16);
}

TEST(Iterative, MriSortsLinesThenSmooths) {
  const GpuStats s = verified("mri", {.size = 30});
  EXPECT_EQ(s.loads, 128U * (1 + 32 + 1) + 30 * 4 * 18);
  EXPECT_EQ(s.stores, 128U + 30 * 4);
}

// Memory that gives one wrong bit of the input is seen: in turn at places all over the data set,
// but for indices, which must stay in range.
TEST(Iterative, AWrongBitOfTheInputIsSeen) {
  struct Tried {
    const char* name;
    unsigned from_percent, byte;  // where values begin, byte of a word that matters in them
  };
  for (const Tried& tried : {Tried{"sort", 0, 0}, Tried{"path", 0, 0}, Tried{"gauss", 0, 2},
                             Tried{"cfd", 50, 2}, Tried{"gnn", 15, 2}, Tried{"mri", 0, 2}}) {
    unsigned seen = 0;
    constexpr unsigned kPlaces = 24;
    for (unsigned i = 0; i < kPlaces; ++i) {
      auto workload = make_workload(tried.name, {.size = 97});
      Rig rig;
      workload->setup(rig.allocator, rig.memory);
      const std::uint64_t words = workload->data_set_bytes() / 4;
      const std::uint64_t first = words * tried.from_percent / 100;
      const std::uint64_t word = first + (words - first) * i / kPlaces;
      const std::uint64_t at = rig.map.hdm_base + word * 4 + tried.byte;
      std::array<std::uint8_t, 1> byte{};
      rig.memory.peek(at, byte);
      byte[0] ^= 1;
      rig.memory.poke(at, byte);
      workload->launch(rig.gpu);
      rig.run_clean();
      seen += workload->verify(rig.memory).has_value() ? 1 : 0;
    }
    EXPECT_GE(seen, kPlaces / 8) << tried.name;
  }
}

TEST(Iterative, IterationsOutOfRangeAreRefused) {
  for (const WorkloadKind& kind : workload_kinds()) {
    const std::uint64_t many = kind.iterations.max + 1;
    const std::string text = refusal(kind.name, {.iterations = many});
    EXPECT_NE(text.find("workload.iterations"), std::string::npos) << kind.name << ": " << text;
    EXPECT_NE(text.find("; "), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_NE(refusal("path", {.iterations = 1}), "taken");
}

}  // namespace
}  // namespace cxlgpu
