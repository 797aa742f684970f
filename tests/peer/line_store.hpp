// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Memory of the device: lines with their poison (12.2.3: tracked per 64 bytes) and their metadata.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "messages.hpp"

namespace peer {

struct StoredLine {
  Line data{};
  bool poison = false;
  uint8_t meta = 0;
};

class LineStore {
 public:
  const StoredLine& read(uint64_t dpa) const {
    static const StoredLine kFresh;
    const auto found = lines_.find(dpa >> 6);
    return found == lines_.end() ? kFresh : found->second;
  }
  StoredLine& at(uint64_t dpa) { return lines_[dpa >> 6]; }
  void clear() { lines_.clear(); }

 private:
  std::unordered_map<uint64_t, StoredLine> lines_;
};

}  // namespace peer
