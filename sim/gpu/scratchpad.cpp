// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/scratchpad.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

namespace cxlgpu {

Scratchpad::Scratchpad(const ScratchpadParams& params)
    : banks_(params.banks), bytes_(params.size_bytes) {}

std::uint32_t Scratchpad::access(MemOp& op, LaneMask lanes) {
  for (LaneMask m = lanes; m != 0; m &= m - 1) {
    const unsigned lane = first_lane(m);
    assert(op.addr[lane] + op.bytes <= bytes_.size());
    std::uint8_t* at = bytes_.data() + op.addr[lane];
    if (is_store(op.kind)) {
      std::memcpy(at, &op.value[std::size_t{lane} * op.bytes], op.bytes);
    } else {
      std::memcpy(&op.value[std::size_t{lane} * op.bytes], at, op.bytes);
    }
  }
  return cycles(op, lanes);
}

std::uint32_t Scratchpad::cycles(const MemOp& op, LaneMask lanes) const {
  constexpr std::size_t kMostWords = std::size_t{kMaxLanes} * 2;  // 8 B elements are two
  std::array<std::uint64_t, kMostWords> words;
  std::size_t count = 0;
  for (LaneMask m = lanes; m != 0; m &= m - 1) {
    const std::uint64_t at = op.addr[first_lane(m)];
    const std::uint64_t last = (at + op.bytes - 1) / ScratchpadParams::kWordBytes;
    for (std::uint64_t w = at / ScratchpadParams::kWordBytes; w <= last; ++w) words[count++] = w;
  }
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(words.begin(), end);
  const auto distinct = std::unique(words.begin(), end);
  std::array<std::uint32_t, 64> load{};
  std::uint32_t most = 1;
  for (auto w = words.begin(); w != distinct; ++w) most = std::max(most, ++load[*w % banks_]);
  return most;
}

}  // namespace cxlgpu
