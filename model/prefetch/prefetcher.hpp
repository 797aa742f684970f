// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a published prefetcher is to a root port: it meets loads and names granules.
//
// Purpose: the common face of the policies that the event-driven model alone has, to measure the
//          policies of the RTL against. Each is told of every load as the reader of the SR queue
//          meets it, and knows no program counter: a port sees addresses alone.
// Units:   granules (256 B) and lines (64 B) of a port, numbered as if its interleave chunks lay
//          side by side (PortSpace); clock cycles.
// Errors:  none.
// Source:  that of each policy in its file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/policy.hpp"

namespace cxlgpu {

inline constexpr std::uint64_t kLinesOfGranule = 4;
inline constexpr unsigned kGranuleBits = 44;  // of an address, as the next
inline constexpr std::uint64_t kGranules = std::uint64_t{1} << kGranuleBits;

struct LoadSeen {
  std::uint64_t line = 0;
  // Nothing covered its granule, or no load had used what did: what a cache's prefetcher trains
  // on, a miss or the first hit of a prefetched block.
  bool first = false;
  std::uint64_t cycle = 0;
  [[nodiscard]] std::uint64_t granule() const { return line / kLinesOfGranule; }
};

class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  virtual void learn(const LoadSeen& load) = 0;
  // Of the load learnt last: granules to prefetch, the most wanted first, are put behind `to`.
  // Not asked while load control has halted: then none of them is in the policy's books.
  virtual void predict(std::vector<std::uint64_t>& to) = 0;
  // A load that nothing covered was answered after so many cycles.
  virtual void fetch_took(std::uint64_t /*cycles*/) {}
  virtual void flush() = 0;
  [[nodiscard]] virtual unsigned state_bits() const = 0;  // without the ring
};

// Of policy Own: one for the root port of that number.
using MakePrefetcher = std::function<std::unique_ptr<Prefetcher>(unsigned port)>;

// Null: of the RTL, or Own.
[[nodiscard]] std::unique_ptr<Prefetcher> make_prefetcher(SrPolicy policy);

// Puts granule + steps behind `to`, if there is one.
inline void put_beside(std::uint64_t granule, std::int64_t steps, std::vector<std::uint64_t>& to) {
  const std::uint64_t there = granule + static_cast<std::uint64_t>(steps);
  if (there < kGranules) to.push_back(there);
}

}  // namespace cxlgpu
