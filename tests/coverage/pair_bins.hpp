// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Counts the pairs of events of one cycle into a group made by coverage::pairs().
//
// Errors:  another number of events than the group has is an assert in every build type.
#pragma once

#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pair_groups.hpp"

namespace cxlgpu::test {

class PairBins {
 public:
  explicit PairBins(coverage::Group group) : counts_(std::move(group)) {}
  [[nodiscard]] bool on() const { return counts_.on(); }
  // The events of this cycle in the order of the group, and the state before its edge.
  template <typename State>
  void look(State state, std::initializer_list<bool> happens) {
    if (!counts_.on()) return;
    const bool* event = happens.begin();
    for (std::size_t i = 0; i < happens.size(); ++i) {
      for (std::size_t j = i + 1; event[i] && j < happens.size(); ++j) {
        if (!event[j]) continue;
        counts_.hit({static_cast<unsigned>(state),
                     static_cast<unsigned>(coverage::pair_number(i, j, happens.size()))});
      }
    }
  }

 private:
  TestCoverage counts_;
};

}  // namespace cxlgpu::test
