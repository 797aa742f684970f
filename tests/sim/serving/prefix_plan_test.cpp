// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What requests find and put into the cache, what is fetched together, and how long the rest is
// computed.
#include "sim/serving/prefix_plan.hpp"

#include <gtest/gtest.h>

#include "sim/serving/prefill_time.hpp"

namespace cxlgpu {
namespace {

using Blocks = std::vector<std::uint64_t>;

PrefixWork small() {
  PrefixWork work;
  work.model = {2, 64, 96, 4, 2, 64, 1000, 16};
  work.tokens = 8;  // a layer's part: 8 tokens, keys and values, 2 heads of 64, 2 bytes: 4 KiB
  return work;
}

KvTrace trace_of(const std::vector<std::pair<std::uint64_t, Blocks>>& requests) {
  KvTrace trace;
  trace.shared = true;
  for (const auto& [tokens, blocks] : requests) {
    trace.requests.push_back({blocks, tokens, 1, 0});
  }
  return trace;
}

TEST(PrefixPlan, ARequestFetchesWhatOnesBeforeItHaveAndComputesTheRest) {
  const KvTrace trace = trace_of({{20, {0, 1, 2}}, {24, {0, 1, 3}}, {16, {0, 1}}, {8, {7}}});
  const PrefixPlan plan = plan_prefixes(small(), trace);
  EXPECT_EQ(plan.slots, 5U);
  EXPECT_EQ(plan.blocks, 9U);
  EXPECT_EQ(plan.fetched, 4U);
  EXPECT_EQ(plan.evicted, 0U);
  EXPECT_EQ(plan.requests[0].fresh, 20U);
  EXPECT_EQ(plan.requests[1].slots, (Blocks{0, 1}));
  EXPECT_EQ(plan.requests[1].held, 16U);
  EXPECT_EQ(plan.requests[1].fresh, 8U);
  EXPECT_EQ(plan.requests[2].held, 15U);  // all of it is there, and its last token is computed
  EXPECT_EQ(plan.requests[2].fresh, 1U);
  EXPECT_EQ(plan.requests[3].held, 0U);
}

TEST(PrefixPlan, ASmallCacheForgets) {
  const KvTrace trace = trace_of({{16, {0, 1}}, {16, {2, 3}}, {16, {0, 1}}, {16, {0, 1}}});
  PrefixWork work = small();
  work.cache_blocks = 2;
  const PrefixPlan plan = plan_prefixes(work, trace);
  EXPECT_EQ(plan.fetched, 2U);
  EXPECT_EQ(plan.evicted, 4U);
}

TEST(PrefixPlan, DrawnRequestsGrowTheirDocument) {
  PrefixWork work = small();
  work.drawn = {80, 3, 12, 5};
  const KvTrace trace = drawn_prefix_trace(work, 6);
  const PrefixPlan plan = plan_prefixes(work, trace);
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const PrefixRequest& request = plan.requests[i];
    const std::uint64_t tokens = request.fresh + request.held;
    EXPECT_EQ(request.at.ps, i * 5'000'000);
    EXPECT_EQ((tokens - 80) % 12, 0U);
    EXPECT_EQ(request.blocks.size(), (tokens + 7) / 8);
    first += tokens == 92;
    EXPECT_EQ(request.held, tokens == 92 ? 0U : (tokens - 12) / 8 * 8);
  }
  EXPECT_EQ(first, 2U);
}

TEST(PrefixPlan, ALayerIsThereWithItsLastGroup) {
  PrefixWork work = small();
  const PrefixPlan plan = plan_prefixes(work, trace_of({{24, {5, 6, 7}}, {25, {5, 6, 7, 8}}}));
  const PrefixRequest& request = plan.requests[1];
  const auto told = [&] {
    std::vector<std::vector<std::uint64_t>> all;
    for (const PrefixGroup& group : fetch_groups(work, plan, request)) {
      all.push_back({group.layer});
      for (const IoSpan& span : group.spans) {
        all.back().push_back(span.offset / 4096);
        all.back().push_back(span.bytes / 4096);
      }
    }
    return all;
  };
  using All = std::vector<std::vector<std::uint64_t>>;
  EXPECT_EQ(told(), (All{{1, 0, 2, 2, 2, 4, 2}}));
  work.layout = KvLayout::Block;
  EXPECT_EQ(told(), (All{{0, 0, 1, 2, 1, 4, 1}, {1, 1, 1, 3, 1, 5, 1}}));
  work.layout = KvLayout::Layer;  // of four slots each
  EXPECT_EQ(told(), (All{{0, 0, 1, 1, 1, 2, 1}, {1, 4, 1, 5, 1, 6, 1}}));
  work.merge_bytes = 8192;
  work.batch = 1;
  EXPECT_EQ(told(), (All{{0, 0, 2}, {0, 2, 1}, {1, 4, 2}, {1, 6, 1}}));
}

// Operations one token and one head at a time.
TEST(PrefillTime, IsOperationsOverTheRate) {
  PrefixWork work = small();
  const ModelShape& m = work.model;
  double operations = 0;
  for (unsigned token = 0; token < 5; ++token) {
    operations += 2.0 * 64 * 256 + 2 * (2.0 * 64 * 128) + 2.0 * 256 * 64 + 3 * (2.0 * 64 * 96);
    for (unsigned head = 0; head < 4; ++head) {
      for (unsigned other = 0; other <= 7 + token; ++other) operations += 2.0 * 64 + 2.0 * 64;
    }
  }
  EXPECT_EQ(layer_operations(m, 5, 7), operations);
  EXPECT_EQ(layer_weights(m), 64.0 * 256 + 2 * 64 * 128 + 256 * 64 + 3 * 64 * 96);
  work.gpu = {0.001, 1e6};  // 10^9 operations a second
  EXPECT_NEAR(static_cast<double>(prefill_time(work, 5, 7).layer.ps), operations * 1000, 1);
  EXPECT_NEAR(static_cast<double>(prefill_time(work, 5, 7).head.ps), 2 * 64 * 1000.0 * 1000, 1);
  work.gpu = {1e6, 1};  // a byte a nanosecond: weights, keys and values
  const double bytes = 2 * layer_weights(m) + 12 * 2 * 2 * 64 * 2;
  EXPECT_NEAR(static_cast<double>(prefill_time(work, 5, 7).layer.ps), bytes * 1000, 1);
  EXPECT_NEAR(static_cast<double>(prefill_time(work, 5, 7).head.ps), 2 * 64 * 1000 * 1000.0, 1);
}

// A model's numbers, as its page counts them: 7.62 billion, of which the vocabulary twice.
TEST(PrefillTime, TheDefaultShapeHasItsModelsWeights) {
  const ModelShape m;
  const double all =
      m.layers * layer_weights(m) + 2.0 * m.hidden * static_cast<double>(m.vocabulary);
  EXPECT_NEAR(all, 7.616e9, 0.001e9);
  EXPECT_EQ(PrefixWork{}.block_bytes(), 512U * 57344);  // a token's 56 KiB
}

}  // namespace
}  // namespace cxlgpu
