// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// btree, embed, fft, hist, join, merge, nw, pagerank, radix, spmv, transpose and tridiag: their
// instructions are those of their kernels, their data follow the laws that they name, and each goes
// through memory as it says.
#include <complex>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "sim/workloads/skewed_graph.hpp"
#include "tests/sim/workloads/workload_rig.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kWarps = 64;  // of eight lanes

TEST(Traffic, InstructionsAreThoseOfTheKernel) {
  const auto expect = [](const GpuStats& s, std::uint64_t loads, std::uint64_t stores,
                         std::uint64_t atomics, std::uint64_t computes, std::uint64_t barriers) {
    EXPECT_EQ(s.loads, loads);
    EXPECT_EQ(s.stores, stores);
    EXPECT_EQ(s.atomics, atomics);
    EXPECT_EQ(s.computes, computes);
    EXPECT_EQ(s.barriers, barriers);
  };
  {
    SCOPED_TRACE("hist");  // 64 warps of 16 vectors each, in pairs
    expect(verified("hist", {.size = 8192}), 1024, 0, 1024, 1024 + 3 * 512, 0);
  }
  {
    SCOPED_TRACE("transpose");  // four tiles, of 16 rows of two vectors each
    expect(verified("transpose", {.size = 32}), 4 * 32, 4 * 32, 0, 4 * (12 + 32 * 4 + 32 * 8), 0);
  }
  {
    SCOPED_TRACE("nw");  // four blocks on three diagonals; 31 diagonals of two vectors in a block
    expect(verified("nw", {.size = 32}), 4 * (1 + 2 * 4), 4 * 32, 0,
           4 * (16 + 2 * 8 + 31 * 2 * 14 + 32 * 2), 3);
  }
  {
    SCOPED_TRACE("tridiag");  // a vector a warp, ten equations in pairs
    expect(verified("tridiag", {.size = 512, .iterations = 10}), kWarps * 10 * (4 + 2),
           kWarps * 10 * (2 + 1), 0, kWarps * (6 + 10 * 10 + 5 * 2 + 10 * 4 + 5 * 2), 0);
  }
  {
    SCOPED_TRACE("btree");  // 16 leaves and their root
    expect(verified("btree", {.size = 256}), 32 * (1 + 2 * 4 + 1 + 2), 32, 0,
           32 * (6 + 2 * (4 * 5 + 3) + 4), 0);
  }
  {
    // A tile a warp: 64 vectors. Totals of the digits in front: one vector for each of eight
    // digits, two for each of seven.
    SCOPED_TRACE("radix");
    const std::uint64_t vectors = 4096, counts = 16 * 8, totals = 8 + 7 * 2;
    expect(verified("radix", {.size = 32768, .iterations = 3}),
           3 * (vectors + counts + totals + counts + kWarps * 2 + 2 * vectors),
           3 * (kWarps * 2 + 16 + counts + 2 * vectors), 0,
           3 * (vectors * 25 + kWarps * 4 + counts * 4 + 16 * 6 + totals * 10 + counts * 10 +
                kWarps * 4 + vectors * 29),
           12);
  }
}

// Steps of a warp whose eight lanes each go along the edges of a node.
std::uint64_t steps_over(const Graph& graph) {
  std::uint64_t steps = 0;
  for (std::uint64_t first = 0; first < graph.nodes(); first += 8) {
    std::uint32_t most = 0;
    for (std::uint64_t node = first; node < std::min(first + 8, graph.nodes()); ++node) {
      most = std::max(most, graph.degree(node));
    }
    steps += most;
  }
  return steps;
}

TEST(Traffic, GraphKernelsTakeTheirLongestRow) {
  const WorkloadParams params{.size = 512, .iterations = 2};
  const std::uint64_t steps = steps_over(skewed_graph(params));
  const GpuStats spmv = verified("spmv", {.size = 512});
  EXPECT_EQ(spmv.loads, 2 * kWarps + 3 * steps);
  EXPECT_EQ(spmv.stores, kWarps);
  EXPECT_EQ(spmv.computes, 8 * kWarps + 10 * steps);
  const GpuStats rank = verified("pagerank", params);
  EXPECT_EQ(rank.loads, 2 * (3 * kWarps + steps + kWarps));
  EXPECT_EQ(rank.atomics, 2 * steps);
  EXPECT_EQ(rank.stores, 2 * 2 * kWarps);
  EXPECT_EQ(rank.barriers, 4U);
}

TEST(Traffic, ShapesFollowTheData) {
  const GpuStats fft = verified("fft", {.size = 10});
  EXPECT_EQ(fft.barriers, 11U);
  // Of 128 vectors 64 begin with a bit 0 and have a partner further up; some others do.
  const std::uint64_t butterflies = 10 * 64;
  EXPECT_GE(fft.stores, 4 * (butterflies + 64));
  EXPECT_LE(fft.stores, 4 * (butterflies + 128));
  EXPECT_EQ(fft.loads, fft.stores + 2 * butterflies);

  const GpuStats join = verified("join", {.size = 512});
  EXPECT_GE(join.atomics, 64U);  // a vector of tuples has one try at least
  EXPECT_LE(join.atomics, 64U * 12);
  EXPECT_GE(join.stores, 64U + 128U);
  EXPECT_GE(join.loads, 2 * 64U + 3 * 128U);

  const GpuStats embed = verified("embed", {.size = 64});  // eight bags, rows of four vectors
  EXPECT_EQ(embed.stores, 8U * 4);
  EXPECT_EQ((embed.loads - 16) % 5, 0U);

  const GpuStats merge = verified("merge", {.size = 2048});  // 16 vectors of runs of 32
  EXPECT_EQ(merge.stores, 16U * 32);
  EXPECT_GE(merge.loads, 16U * (2 + 31));
  EXPECT_LE(merge.loads, 16U * (2 * 12 + 2 + 2 * 31));
}

TEST(Traffic, ZipfDrawsOctavesEquallyOften) {
  Random random(5);
  std::map<int, unsigned> octaves;
  constexpr unsigned kDrawn = 100'000;
  for (unsigned i = 0; i < kDrawn; ++i) {
    const std::uint64_t rank = zipf(random, 1023);
    ASSERT_LT(rank, 1023U);
    ++octaves[std::bit_width(rank + 1) - 1];
  }
  ASSERT_EQ(octaves.size(), 10U);
  for (const auto& [octave, times] : octaves) EXPECT_NEAR(times, kDrawn / 10, 400) << octave;
  for (const std::uint64_t n : {1, 2, 3, 1000}) EXPECT_LT(zipf(random, n), n);
}

TEST(Traffic, SpreadIsOneToOne) {
  for (const std::uint64_t n : {1, 2, 3, 16, 1000, 4096}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t rank = 0; rank < n; ++rank) places.insert(spread(rank, n));
    EXPECT_EQ(places.size(), n);
    EXPECT_LT(*places.rbegin(), n);
  }
}

TEST(Traffic, SkewedGraphHasAPowerLaw) {
  const Graph graph = skewed_graph({.size = 1 << 14});
  std::vector<std::uint32_t> in(graph.nodes());
  std::uint32_t most = 0;
  for (std::uint64_t node = 0; node < graph.nodes(); ++node) {
    const auto begin = graph.targets.begin() + graph.first_edges[node];
    EXPECT_TRUE(std::is_sorted(begin, begin + graph.degree(node)));
    EXPECT_GE(graph.degree(node), 1U);
    most = std::max(most, graph.degree(node));
  }
  EXPECT_EQ(most, 24U);
  const double mean = static_cast<double>(graph.edges()) / static_cast<double>(graph.nodes());
  // Ranks of octaves 0 to 3, and the 9 of 16 of octave 4 that are below 24.
  EXPECT_NEAR(mean, 1 + (1.5 + 4.5 + 10.5 + 19 * 9. / 16) / (4 + 9. / 16), 0.2);
  for (const std::uint32_t target : graph.targets) ++in[target];
  std::sort(in.rbegin(), in.rend());
  // The first of n ranks has one draw in as many octaves as n has, the first 127 half of them.
  const auto edges = static_cast<double>(graph.edges());
  EXPECT_NEAR(in[0] / edges, 1.0 / 15, 0.01);
  EXPECT_NEAR(std::accumulate(in.begin(), in.begin() + 127, 0.0) / edges, 0.49, 0.03);
}

// Reads and writes of one warp behind caches that keep next to nothing, from `begin` on.
std::vector<MemRequest> requests(std::string_view name, const WorkloadParams& params) {
  GpuParams gpu = one_warp();
  gpu.l1.size_bytes = 1024;
  gpu.llc.size_bytes = 4096;
  gpu.llc.write = WritePolicy::Through;
  auto workload = make_workload(name, params);
  Rig rig(gpu);
  workload->setup(rig.allocator, rig.memory);
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory), std::nullopt) << name;
  std::vector<MemRequest> all;
  for (const auto& record : rig.recorder.log) all.push_back(record.request);
  return all;
}

constexpr std::uint64_t kBase = 1ULL << 32;

TEST(Traffic, TridiagGoesUpThenDown) {
  constexpr std::uint64_t kRows = 40, kRow = 64 * 16;  // 256 systems, so a row is 1 KiB
  std::vector<std::int64_t> rows;                      // of the right sides, as they are written
  for (const MemRequest& r : requests("tridiag", {.size = 256, .iterations = kRows})) {
    const std::uint64_t at = r.addr - kBase;
    if (!r.is_write || at < 3 * kRows * kRow || at % kRow != 0 || (r.byte_enable & 1) == 0)
      continue;
    rows.push_back(static_cast<std::int64_t>(at / kRow % kRows));
  }
  ASSERT_EQ(rows.size(), 2 * kRows);  // systems 0 to 7
  for (std::uint64_t i = 0; i < kRows; ++i) {
    EXPECT_EQ(rows[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(rows[kRows + i], static_cast<std::int64_t>(kRows - 1 - i));
  }
}

TEST(Traffic, TransposeLoadsAlongRowsAndStoresDownColumns) {
  constexpr std::uint64_t kEdge = 64, kMatrix = kEdge * kEdge * 4;
  std::vector<std::uint64_t> reads, writes;
  for (const MemRequest& r : requests("transpose", {.size = kEdge})) {
    (r.is_write ? writes : reads).push_back(r.addr - kBase);
  }
  const std::vector<std::uint64_t> first(reads.begin(), reads.begin() + 32);
  for (std::uint64_t i = 0; i < 32; ++i) {  // the second tile is beside the first, a line on
    EXPECT_EQ(first[i], i % 16 * kEdge * 4 + i / 16 * 64) << i;
  }
  ASSERT_EQ(writes.size(), 2 * kMatrix / 64);  // of half a line each
  for (std::uint64_t i = 0; i < 64; ++i) {     // it is written below the first
    EXPECT_EQ(writes[i], kMatrix + i / 2 * kEdge * 4) << i;
  }
}

TEST(Traffic, BtreeWaitsForALevelBeforeTheNext) {
  constexpr std::uint64_t kKeys = 4096, kNodes = 256 + 16 + 1, kLine = 64;
  std::map<std::uint64_t, unsigned> lines;
  std::uint64_t first_node = ~0ULL;
  for (const MemRequest& r : requests("btree", {.size = kKeys})) {
    const std::uint64_t line = (r.addr - kBase) / kLine;
    if (r.is_write || line >= kNodes) continue;
    if (first_node == ~0ULL) first_node = line;
    ++lines[line];
  }
  EXPECT_EQ(first_node, spread(kNodes - 1, kNodes)) << "a search begins at the root";
  EXPECT_GT(lines.size(), kNodes * 3 / 4) << "queries reach most leaves";
}

// Arrays of `n` floats one behind the other, as they are before and after a run.
using Arrays = std::vector<std::vector<float>>;
std::pair<Arrays, Arrays> before_and_after(std::string_view name, const WorkloadParams& params,
                                           std::uint64_t n, unsigned arrays) {
  auto workload = make_workload(name, params);
  Rig rig;
  workload->setup(rig.allocator, rig.memory);
  const auto read = [&] {
    Arrays values;
    for (unsigned a = 0; a < arrays; ++a) {
      values.push_back(copy_from_device(rig.memory, DeviceArray<float>{kBase + a * n * 4, n}));
    }
    return values;
  };
  const Arrays before = read();
  workload->launch(rig.gpu);
  rig.run_clean();
  return {before, read()};
}

// Not by the kernel's arithmetic, which verify() shares: by the definition.
TEST(Traffic, FftIsTheFourierTransform) {
  constexpr std::uint64_t kPoints = 1024;
  const auto [in, out] = before_and_after("fft", {.size = 10}, kPoints, 2);
  for (std::uint64_t k = 0; k < kPoints; k += 13) {
    std::complex<double> sum;
    for (std::uint64_t i = 0; i < kPoints; ++i) {
      const double turn = -2 * std::numbers::pi * static_cast<double>(i * k % kPoints) / kPoints;
      sum += std::complex<double>(in[0][i], in[1][i]) * std::polar(1.0, turn);
    }
    EXPECT_NEAR(out[0][k], sum.real(), 1e-4) << k;
    EXPECT_NEAR(out[1][k], sum.imag(), 1e-4) << k;
  }
}

TEST(Traffic, TridiagSolvesItsEquations) {
  constexpr std::uint64_t kSystems = 32, kRows = 20, kAll = kSystems * kRows;
  const auto [in, out] =
      before_and_after("tridiag", {.size = kSystems, .iterations = kRows}, kAll, 4);
  const auto x = [&](std::uint64_t at) { return at < kAll ? out[3][at] : 0.0F; };
  for (std::uint64_t at = 0; at < kAll; ++at) {
    const float left =
        in[0][at] * x(at - kSystems) + in[1][at] * x(at) + in[2][at] * x(at + kSystems);
    EXPECT_NEAR(left, in[3][at], 1e-5) << at;
  }
}

// Fewest work, one more, and what is no multiple of anything.
TEST(Traffic, SmallAndOddSizes) {
  for (const char* name : {"btree", "embed", "hist", "join", "merge", "nw", "pagerank", "radix",
                           "spmv", "transpose", "tridiag"}) {
    for (const std::uint64_t size : {2, 3, 15, 16, 17, 31, 257}) {
      for (const Distribution d : {Distribution::Chunked, Distribution::Interleaved}) {
        verified(name, {.size = size, .seed = size, .distribution = d, .unroll = 8});
      }
    }
  }
  for (const std::uint64_t size : {11, 12, 13}) verified("fft", {.size = size, .seed = size});
  for (const std::uint64_t passes : {1, 8}) verified("radix", {.size = 700, .iterations = passes});
  for (const std::uint64_t n : {2, 3, 9}) verified("tridiag", {.size = 9, .iterations = n});
  for (const std::uint32_t degree : {1, 64}) {
    for (const char* name : {"embed", "pagerank", "spmv"}) {
      verified(name, {.size = 100, .degree = degree});
    }
  }
}

// Memory that gives one wrong bit of the input is seen; indices are left alone, which must stay in
// range.
TEST(Traffic, AWrongBitOfTheInputIsSeen) {
  struct Tried {
    const char* name;
    std::uint64_t size;
    unsigned from_percent, to_percent, byte;  // where values lie, byte of a word that matters
  };
  for (const Tried& tried :
       {Tried{"fft", 10, 0, 60, 3}, Tried{"hist", 100, 0, 60, 0}, Tried{"merge", 97, 0, 45, 0},
        Tried{"embed", 97, 0, 80, 2}, Tried{"nw", 97, 0, 2, 0}, Tried{"radix", 97, 0, 30, 0},
        Tried{"transpose", 97, 0, 45, 0}, Tried{"tridiag", 97, 0, 95, 2},
        Tried{"join", 97, 5, 15, 0}, Tried{"spmv", 97, 50, 80, 2}}) {
    unsigned seen = 0;
    constexpr unsigned kPlaces = 24;
    for (unsigned i = 0; i < kPlaces; ++i) {
      auto workload = make_workload(tried.name, {.size = tried.size});
      Rig rig;
      workload->setup(rig.allocator, rig.memory);
      const std::uint64_t words = workload->data_set_bytes() / 4;
      const std::uint64_t first = words * tried.from_percent / 100;
      const std::uint64_t end = words * tried.to_percent / 100;
      const std::uint64_t word = first + (end - first) * i / kPlaces;
      const std::uint64_t at = kBase + word * 4 + tried.byte;
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

}  // namespace
}  // namespace cxlgpu
