// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two RTL controllers with CXL.cache back to back, the protocol checker on both wires.
#include "tests/cache/pair_bench.hpp"

namespace cxlgpu::test {
namespace {

using K = flits::MessageKind;

std::uint64_t cycles() {
  return from_environment("CXLGPU_CYCLES", 25000);
}

// Runs the load, lets everything arrive, then looks whether every credit has come home.
void soak(std::uint64_t own_seed, const PairLoad& load, unsigned least_percent = 0) {
  const std::uint64_t seed = from_environment("CXLGPU_SEED", own_seed);
  PairBench bench(seed, load);
  bench.run(cycles());
  std::array<std::array<std::uint64_t, kChannels>, 2> got{};
  for (unsigned end = 0; end < 2; ++end) {
    for (unsigned c = 0; c < kChannels; ++c) {
      got[end][c] = bench.delivered(end, static_cast<Channel>(c));
      // Nobody starves: a share of the cycles.
      EXPECT_GE(got[end][c] * 100, cycles() * least_percent) << "end " << end << " channel " << c;
    }
  }
  bench.drain();
  bench.checker().finish();
  ASSERT_EQ(bench.problem(), "") << "seed " << seed;
  EXPECT_EQ(bench.checker().finding_count(), 0u);
  static constexpr std::array<std::array<K, kChannels>, 2> kSentTo{
      {{K::S2mNdr, K::S2mDrs, K::D2hReq, K::D2hRsp, K::D2hDh},
       {K::M2sReq, K::M2sRwd, K::H2dReq, K::H2dRsp, K::H2dDh}}};
  for (unsigned end = 0; end < 2; ++end) {
    for (unsigned c = 0; c < kChannels; ++c) {
      EXPECT_EQ(bench.checker().credits(kSentTo[end][c]), PairBench::kRxDepth[end][c])
          << flits::name(kSentTo[end][c]);
    }
  }
  if (load.error_ppm != 0) {
    EXPECT_GT(bench.damaged(), 10u);
  }
  std::printf(
      "to host: NDR %llu DRS %llu Req %llu Rsp %llu Data %llu, ",
      static_cast<unsigned long long>(got[0][0]), static_cast<unsigned long long>(got[0][1]),
      static_cast<unsigned long long>(got[0][2]), static_cast<unsigned long long>(got[0][3]),
      static_cast<unsigned long long>(got[0][4]));
  std::printf(
      "to device: Req %llu RwD %llu Req %llu Rsp %llu Data %llu; %llu damaged\n",
      static_cast<unsigned long long>(got[1][0]), static_cast<unsigned long long>(got[1][1]),
      static_cast<unsigned long long>(got[1][2]), static_cast<unsigned long long>(got[1][3]),
      static_cast<unsigned long long>(got[1][4]), static_cast<unsigned long long>(bench.damaged()));
}

// A field that both pools want names them in turn: 12 of mem leave as 8 and 4, 5 of cache as 4
// and 1.
TEST(CachePair, CreditFieldsAlternate) {
  PairBench bench(9, {});
  bench.run(600);
  ASSERT_EQ(bench.problem(), "");
  const std::vector<unsigned> data{8 + 4, 3, 8 + 3, 1}, req{8 + 4, 4, 8 + 3};
  EXPECT_EQ(bench.data_codes, data);
  EXPECT_EQ(bench.req_codes, req);
}

constexpr std::array<unsigned, kChannels> kFull{100, 100, 100, 100, 100};
constexpr std::array<unsigned, kChannels> kSome{20, 15, 15, 20, 15};

TEST(CachePair, EverythingAtOnceNobodyStarves) {
  soak(1, {.host = kFull, .device = kFull}, 5);
}

TEST(CachePair, Stalls) {
  soak(2, {.host = kSome, .device = kSome, .link_stall = {40, 30}, .rx_stall = {50, 50}});
}

TEST(CachePair, SlowReceivers) {
  soak(3, {.host = kFull, .device = kFull, .link_stall = {10, 10}, .rx_stall = {90, 90}});
}

TEST(CachePair, Damage) {
  soak(4, {.host = kSome,
           .device = kSome,
           .link_stall = {20, 20},
           .rx_stall = {20, 20},
           .error_ppm = 5000});
}

TEST(CachePair, DamageAtFullLoad) {
  soak(5, {.host = kFull,
           .device = kFull,
           .partial = 60,
           .rx_stall = {30, 30},
           .error_ppm = 2000,
           .mdh_disable = true});
}

TEST(CachePair, SnoopsAndResponsesOnly) {
  soak(6, {.host = {0, 0, 60, 60, 0},
           .device = {0, 0, 60, 60, 0},
           .rx_stall = {0, 60},
           .error_ppm = 1000});
}

TEST(CachePair, CacheWithoutMem) {
  soak(7, {.host = {0, 0, 30, 30, 30}, .device = {0, 0, 30, 30, 30}, .error_ppm = 1000});
}

TEST(CachePair, MemWithoutCache) {
  soak(8, {.host = {40, 30, 0, 0, 0}, .device = {}, .error_ppm = 1000});
}

}  // namespace
}  // namespace cxlgpu::test
