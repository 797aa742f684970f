// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a strict peer saw the other side do against the standard.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace peer {

class Violations {
 public:
  void at(uint64_t cycle) { cycle_ = cycle; }

  // `clause` is the clause of CXL 2.0 (or of PCIe 5.0, with that name in front) that is broken.
  void add(std::string_view clause, std::string_view what) {
    ++count_;
    if (lines_.size() < kKept) {
      lines_.push_back("cycle " + std::to_string(cycle_) + ": " + std::string(what) +
                       " (CXL 2.0, " + std::string(clause) + ")");
    }
  }

  const std::vector<std::string>& lines() const { return lines_; }
  uint64_t count() const { return count_; }
  void clear() {
    lines_.clear();
    count_ = 0;
  }

 private:
  static constexpr size_t kKept = 200;  // one fault at the other side may repeat in every flit

  uint64_t cycle_ = 0;
  uint64_t count_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace peer
