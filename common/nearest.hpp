// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Which of several names a mistyped one may have meant.
//
// Purpose: the suggestion in messages about keys, scenarios, media and machines.
// Source:  optimal string alignment distance: insert, delete, replace, swap of neighbours cost one
//          each, and no letter is edited twice (Damerau 1964).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cxlgpu {

[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

// The nearest of `names`, the first of equals; empty if none is near: more than a third of the
// letters, at least one, would be wrong. A name without dots also stands for one that ends in it.
[[nodiscard]] inline std::string nearest(std::string_view given,
                                         const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 100;  // longer than any name: not a mistyped one
  if (given.empty() || given.size() > kLongest) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& name : names) {
    const bool ends = given.find('.') == std::string_view::npos && name.ends_with(given) &&
                      name.size() > given.size() && name[name.size() - given.size() - 1] == '.';
    const std::size_t distance = ends ? 0 : edit_distance(given, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

// "did you mean gpu.cores? ", to stand before what else can be done, or nothing.
[[nodiscard]] inline std::string did_you_mean(std::string_view given,
                                              const std::vector<std::string>& names) {
  const std::string name = nearest(given, names);
  return name.empty() ? "" : "did you mean " + name + "? ";
}

}  // namespace cxlgpu
