// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which blocks of prefixes a cache holds, and in which of its slots; the least recently used go.
//
// Purpose: the rule alone, without time or data.
// Rules:   a prefix is found from its first block on, up to the first that is not there. Of one
//          request the front is more recently used than the end, since an end is of no use without
//          its front. A request evicts none of its own blocks: what has no room is not put in.
// Errors:  none.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

namespace cxlgpu {

class PrefixCache {
 public:
  struct Placed {
    std::uint64_t block = 0, slot = 0;
    bool operator==(const Placed&) const = default;
  };

  // Precondition: a slot.
  explicit PrefixCache(std::uint64_t slots) : slots_(slots) {}

  // Slots of the blocks that are there, which are used now.
  std::vector<std::uint64_t> find(std::span<const std::uint64_t> blocks);
  // Puts in what is not there; all of them are used now.
  std::vector<Placed> insert(std::span<const std::uint64_t> blocks);

  [[nodiscard]] std::uint64_t size() const { return where_.size(); }
  [[nodiscard]] std::uint64_t evicted() const { return evicted_; }

 private:
  void use(std::span<const std::uint64_t> blocks);

  std::uint64_t slots_, evicted_ = 0;
  std::list<Placed> order_;  // the most recently used first
  std::unordered_map<std::uint64_t, std::list<Placed>::iterator> where_;
};

}  // namespace cxlgpu
