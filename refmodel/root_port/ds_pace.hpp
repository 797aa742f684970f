// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// When deferred stores may go to their endpoint, and which first, by what it says of its load.
//
// Purpose: the level is the DevLoad of the last response. An endpoint at ease is written to at
//          once; a busy one only after a pause that its level chooses, but never never: without a
//          write it could not say that it is better. The oldest goes first where the endpoint has
//          worked.
// Units:   cycles; responses.
// Errors:  none.
// Source:  docs/blocks/root_port/ds_pace.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/opcodes.hpp"

namespace cxlgpu {

class DsPace {
 public:
  struct In {
    bool rsp_valid = false;
    DevLoad dev_load = DevLoad::Light;
    bool sent = false;                       // a write went to the endpoint
    std::array<std::uint8_t, 4> interval{};  // by level: log2 of the pause, 0: none
  };
  struct Out {
    bool direct = false;  // a new store may go at once
    bool flush = false;   // a deferred one may go now
    bool oldest = false;  // and the oldest first, else the newest
  };
  [[nodiscard]] Out eval(const In& in) const {
    return {level_ == DevLoad::Light || level_ == DevLoad::Optimal,
            since_sent_ >= pause(in.interval[static_cast<std::size_t>(level_)]), worked_ != 0};
  }
  void clock(const In& in) {
    if (in.rsp_valid) {
      level_ = in.dev_load;
      worked_ = worked_ << 1 | std::uint64_t{level_ != DevLoad::Light};
    }
    since_sent_ = in.sent ? 0 : std::min(since_sent_ + 1, kLongest);
  }

 private:
  static constexpr std::uint32_t kLongest = 65'535;
  [[nodiscard]] static std::uint32_t pause(unsigned log2) { return log2 == 0 ? 0 : 1u << log2; }

  DevLoad level_ = DevLoad::Light;
  std::uint64_t worked_ = 0;  // of the last responses, bit 0 the last: above light
  std::uint32_t since_sent_ = kLongest;
};

}  // namespace cxlgpu
