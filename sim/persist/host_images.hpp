// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Where a host keeps the piece of a kernel in memory that persists: two images, which take turns.
//
// Purpose: a loss of power while one is written leaves the other. Which counts is found again by
//          sums, so that an image and its line are made durable together.
// Layout:  room for blocks of a file system's journal; two images, each a line {magic 8, sequence
// 8,
//          bytes 8, CRC-32 of the bytes, CRC-32 of all that}, then the bytes.
// Shapes:  whole lines.
// Errors:  newest() gives nothing if neither image is whole.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/request.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/host/backdoor.hpp"

namespace cxlgpu {

class HostImages {
 public:
  static constexpr std::uint64_t kJournalBytes = 64 << 10;
  HostImages(std::uint64_t base, std::uint64_t bytes) : base_(base), bytes_(bytes) {}

  [[nodiscard]] std::uint64_t journal() const { return base_; }
  // The line of image sequence % 2; its bytes follow.
  [[nodiscard]] std::uint64_t image(std::uint64_t sequence) const {
    return base_ + kJournalBytes + sequence % 2 * step();
  }
  // All that is needed from the base on.
  [[nodiscard]] std::uint64_t room() const { return kJournalBytes + 2 * step(); }
  // The line of an image and its bytes.
  [[nodiscard]] std::vector<std::uint8_t> make(std::uint64_t sequence,
                                               const std::vector<std::uint8_t>& bytes) const;
  struct Found {
    std::uint64_t sequence = 0;
    std::vector<std::uint8_t> bytes;
  };
  // The whole one of the highest sequence.
  [[nodiscard]] std::optional<Found> newest(const Backdoor& memory) const;

 private:
  [[nodiscard]] std::uint64_t step() const { return (bytes_ + kLineBytes + 4095) / 4096 * 4096; }
  std::uint64_t base_, bytes_;
};

// What kernels of a host that persists for them find in GPU memory: the newest image, or nothing.
void load_staged(const SystemMapParams& map, const Backdoor& persistent, Backdoor& memory);

}  // namespace cxlgpu
