// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which way of a set makes room: true or tree LRU, first in first out, random.
//
// Purpose: the order kept for every set of a cache; the cache itself knows what is in a way.
// Shapes:  ways are numbered from 0; `allowed` is one bit a way.
// Rules:   LRU and FIFO are stamps, renewed at every use or at a fill alone. PLRU is the binary
//          tree over a power of two of ways: each node points at its half that was not used last;
//          where the way it points at is not allowed, the next one is, and so round. Random draws
//          evenly from the allowed ways, the same ones for the same seed.
// Errors:  none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/gpu/gpu_config.hpp"

namespace cxlgpu {

class ReplacementOrder {
 public:
  ReplacementOrder(Replacement policy, std::size_t sets, std::size_t ways, std::uint64_t seed)
      : policy_(policy),
        ways_(ways),
        all_ways_(ways == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways) - 1),
        random_(seed * 2 + 1),
        stamps_(policy == Replacement::Lru || policy == Replacement::Fifo ? sets * ways : 0),
        trees_(policy == Replacement::Plru ? sets : 0) {}

  // `index` counts the ways of all sets, set by set.
  void use(std::size_t index) {
    if (policy_ == Replacement::Lru) {
      stamps_[index] = ++clock_;
    } else if (policy_ == Replacement::Plru) {
      point_away(trees_[index / ways_], index % ways_);
    }
  }
  void fill(std::size_t index) {
    if (policy_ == Replacement::Fifo) {
      stamps_[index] = ++clock_;
    } else {
      use(index);
    }
  }
  // Precondition: `allowed` is not empty.
  [[nodiscard]] std::size_t victim(std::size_t set, std::uint64_t allowed) {
    if (policy_ == Replacement::Plru) return pointed_at(trees_[set], allowed);
    if (policy_ == Replacement::Random) return drawn(allowed);
    const std::uint64_t* stamps = &stamps_[set * ways_];
    std::size_t oldest = 0;
    std::uint64_t least = ~std::uint64_t{0};
    if (allowed == all_ways_) {
      for (std::size_t way = 0; way < ways_; ++way) {
        const bool older = stamps[way] < least;
        least = older ? stamps[way] : least;
        oldest = older ? way : oldest;
      }
      return oldest;
    }
    for (std::size_t way = 0; way < ways_; ++way) {
      // One that is not allowed is younger than any.
      const std::uint64_t stamp = stamps[way] | (((allowed >> way) & 1) - 1);
      if (stamp < least) {
        least = stamp;
        oldest = way;
      }
    }
    return oldest;
  }

 private:
  // Node n's children are 2n and 2n+1, the root is 1; bit n set: it points at the upper half.
  void point_away(std::uint64_t& tree, std::size_t way) const {
    std::size_t node = 1;
    for (std::size_t half = ways_ / 2; half != 0; half /= 2) {
      const bool upper = (way & half) != 0;
      tree = upper ? tree & ~(std::uint64_t{1} << node) : tree | (std::uint64_t{1} << node);
      node = 2 * node + (upper ? 1 : 0);
    }
  }
  [[nodiscard]] std::size_t pointed_at(std::uint64_t tree, std::uint64_t allowed) const {
    std::size_t node = 1;
    while (node < ways_) node = 2 * node + ((tree >> node) & 1);
    const std::size_t way = node - ways_;
    const std::uint64_t from_way = allowed & (~std::uint64_t{0} << way);
    return static_cast<std::size_t>(std::countr_zero(from_way != 0 ? from_way : allowed));
  }
  [[nodiscard]] std::size_t drawn(std::uint64_t allowed) {
    random_ ^= random_ << 13;  // xorshift64
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    std::uint64_t left = (random_ >> 11) % static_cast<std::uint64_t>(std::popcount(allowed));
    for (; left > 0; --left) allowed &= allowed - 1;
    return static_cast<std::size_t>(std::countr_zero(allowed));
  }

  Replacement policy_;
  std::size_t ways_;
  std::uint64_t all_ways_;  // one bit each
  std::uint64_t random_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> stamps_;  // by way: when it was used or filled
  std::vector<std::uint64_t> trees_;   // by set
};

}  // namespace cxlgpu
