// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/persist/crash_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

namespace cxlgpu {

namespace {

std::vector<std::size_t> points_of(std::size_t events, const WalkOptions& options) {
  std::vector<std::size_t> points;
  if (options.only) return {std::min(*options.only, events)};
  if (options.points == 0 || options.points > events) {
    for (std::size_t n = 0; n <= events; ++n) points.push_back(n);
    return points;
  }
  std::mt19937_64 random(options.seed);
  std::set<std::size_t> drawn = {0, events};
  while (drawn.size() < std::max<std::size_t>(options.points, 2)) {
    drawn.insert(random() % (events + 1));
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace

WalkResult walk_crashes(const Journal& journal, const FlatMemory& before,
                        const WalkOptions& options, const CrashCheck& check) {
  WalkResult result;
  result.events = journal.events().size();
  CrashStates states(journal, before);
  for (const std::size_t point : points_of(result.events, options)) {
    states.go_to(point);
    ++result.points;
    if (options.at) options.at(point);
    result.most_free = std::max(result.most_free, states.free_writes());
    result.broken = std::max(result.broken, states.broken_promises());
    std::size_t number = 0;
    for (const CrashStates::Choice& choice : states.choices(options.states, options.seed)) {
      FlatMemory memory;
      memory.copy(states.sure());
      states.write_to(memory, choice);
      ++result.states;
      if (const auto wrong = check(memory, number == 0)) {
        result.failure = {point, number, states.text(choice), *wrong};
        return result;
      }
      ++number;
    }
  }
  return result;
}

}  // namespace cxlgpu
