// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/serving/prefix_plan.hpp"

#include <algorithm>
#include <unordered_set>

#include "sim/io/kv_load.hpp"
#include "sim/workloads/data.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kPsPerUs = 1'000'000;

std::uint64_t distinct(const KvTrace& trace) {
  std::unordered_set<std::uint64_t> all;
  for (const KvRequest& request : trace.requests) {
    all.insert(request.blocks.begin(), request.blocks.end());
  }
  return all.size();
}

}  // namespace

PrefixPlan plan_prefixes(const PrefixWork& work, const KvTrace& trace) {
  PrefixPlan plan;
  plan.slots = work.cache_blocks != 0 ? work.cache_blocks : distinct(trace);
  PrefixCache cache(plan.slots);
  for (const KvRequest& from : trace.requests) {
    PrefixRequest request;
    request.at = Time{from.at_us * kPsPerUs};
    request.blocks = from.blocks;
    request.slots = cache.find(request.blocks);
    request.held = std::min(request.slots.size() * work.tokens, from.input_tokens - 1);
    request.fresh = from.input_tokens - request.held;
    request.placed = cache.insert(request.blocks);
    plan.blocks += request.blocks.size();
    plan.fetched += request.slots.size();
    plan.requests.push_back(std::move(request));
  }
  plan.evicted = cache.evicted();
  return plan;
}

KvTrace drawn_prefix_trace(const PrefixWork& work, std::uint64_t requests) {
  struct Document {
    std::uint64_t tokens;
    unsigned turns = 0;
    std::vector<std::uint64_t> blocks;  // that are full
  };
  const PrefixDrawn& drawn = work.drawn;
  std::vector<Document> open((requests + drawn.turns - 1) / drawn.turns,
                             Document{drawn.context, 0, {}});
  KvTrace trace;
  trace.shared = true;
  Random random(work.seed);
  for (std::uint64_t i = 0; i < requests; ++i) {
    const std::uint64_t turn = random.below(open.size());
    Document& document = open[turn];
    document.tokens += drawn.question;
    while (document.blocks.size() < document.tokens / work.tokens) {
      document.blocks.push_back(trace.blocks++);
    }
    KvRequest& request = trace.requests.emplace_back();
    request.at_us = i * drawn.gap_us;
    request.input_tokens = document.tokens;
    request.blocks = document.blocks;
    // A block that is not full is another one once there is more in it.
    if (document.tokens % work.tokens != 0) request.blocks.push_back(trace.blocks++);
    trace.references += request.blocks.size();
    if (++document.turns == drawn.turns) open.erase(open.begin() + static_cast<long>(turn));
  }
  return trace;
}

std::vector<PrefixGroup> fetch_groups(const PrefixWork& work, const PrefixPlan& plan,
                                      const PrefixRequest& request) {
  const KvLoadWork kv = work.kv();
  KvLoadPlan load(kv, {request.slots}, plan.slots);
  std::vector<PrefixGroup> groups;
  std::vector<IoSpan> spans;
  for (load.next(0, spans); !spans.empty(); load.next(0, spans)) {
    const std::uint64_t part = spans.front().offset / kv.part_bytes();
    unsigned layer = kv.layers - 1;
    if (kv.layout == KvLayout::Layer) layer = static_cast<unsigned>(part / plan.slots);
    if (kv.layout == KvLayout::Block) layer = static_cast<unsigned>(part % kv.layers);
    groups.push_back({spans, layer});
  }
  return groups;
}

}  // namespace cxlgpu
