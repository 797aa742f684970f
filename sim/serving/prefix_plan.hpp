// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What each request of workload prefix finds in the cache, and what it puts there.
//
// Purpose: requests are served one after the other in the order of the trace, so this does not hang
//          on time: it is known before the run.
// Rules:   a request looks its blocks up when it begins, and all of them are in the cache when it
//          ends, as far as there is room. At least its last token is computed.
// Errors:  none.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/time.hpp"
#include "sim/io/io_plan.hpp"
#include "sim/io/kv_trace.hpp"
#include "sim/serving/prefix_cache.hpp"
#include "sim/serving/prefix_config.hpp"

namespace cxlgpu {

struct PrefixRequest {
  Time at;                            // when it arrives, of PrefixArrivals::Trace
  std::uint64_t fresh = 0, held = 0;  // tokens that are computed, that are fetched
  std::vector<std::uint64_t> blocks;  // all of it
  std::vector<std::uint64_t> slots;   // of the first ones, which are fetched
  std::vector<PrefixCache::Placed> placed;
};

struct PrefixPlan {
  std::vector<PrefixRequest> requests;
  std::uint64_t slots = 0;  // of the cache
  std::uint64_t blocks = 0, fetched = 0, evicted = 0;
};

// Precondition: each request has input tokens, and a block for every work.tokens of them.
PrefixPlan plan_prefixes(const PrefixWork& work, const KvTrace& trace);

// Turns over documents: each asks `question` tokens more behind all that its document had before.
// Documents take turns as drawn from the seed. Precondition: a token in a document.
KvTrace drawn_prefix_trace(const PrefixWork& work, std::uint64_t requests);

// What is handed over at once, and the layer whose last part it has; of KvLayout::Whole the last.
struct PrefixGroup {
  std::vector<IoSpan> spans;
  unsigned layer = 0;
};
// Of a request that fetches something, in order. The last group of a layer is its last part.
std::vector<PrefixGroup> fetch_groups(const PrefixWork& work, const PrefixPlan& plan,
                                      const PrefixRequest& request);

}  // namespace cxlgpu
