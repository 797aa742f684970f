// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Groups of coincidences: two events in one cycle, by the state of the table or queue they meet in.
//
// Purpose: of n events make the n(n-1)/2 pairs, each "one + other" with the event that is listed
//          first in front, and say which of them cannot be (`Apart`).
// Shapes:  axes {state, pair}. Pair k of events i < j counts (0,1), (0,2), .. (1,2), ..
// Errors:  a name that is no event is an assert in every build type.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>

#include "tests/coverage/functional.hpp"

namespace cxlgpu::coverage {

// No event of `first` meets one of `second` ("*": any other) in these states (as in Impossible).
struct Apart {
  std::string_view states;
  std::vector<std::string_view> first, second;
  Reason reason;
};

inline std::size_t pair_number(std::size_t i, std::size_t j, std::size_t events) {
  return i * events - i * (i + 1) / 2 + (j - i - 1);
}

// `group` has all but axes and declarations.
inline Group pairs(Group group, const Axis& states, const std::vector<std::string_view>& events,
                   const std::vector<Apart>& apart) {
  auto words = std::make_shared<std::deque<std::string>>();
  const auto named = [](const std::vector<std::string_view>& some, std::string_view event) {
    return some.front() == "*" || std::find(some.begin(), some.end(), event) != some.end();
  };
  Axis axis{"pair", {}};
  std::vector<std::string> means(apart.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      const std::string& name =
          words->emplace_back(std::string(events[i]) + " + " + std::string(events[j]));
      axis.values.push_back(name);
      for (std::size_t k = 0; k < apart.size(); ++k) {
        const Apart& a = apart[k];
        if ((named(a.first, events[i]) && named(a.second, events[j])) ||
            (named(a.first, events[j]) && named(a.second, events[i]))) {
          means[k] += (means[k].empty() ? "" : "|") + name;
        }
      }
    }
  }
  group.axes = {states, std::move(axis)};
  for (std::size_t k = 0; k < apart.size(); ++k) {
    group.impossible.push_back(
        {{apart[k].states, words->emplace_back(std::move(means[k]))}, apart[k].reason});
  }
  group.words = std::move(words);
  return group;
}

}  // namespace cxlgpu::coverage
