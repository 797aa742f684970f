// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Several drives as one: RAID 0.
//
// Shapes:  stripe i of stripe_bytes lies on drive i modulo their number.
// Errors:  an address past the drives is a programming error (asserted).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/paging/drive.hpp"

namespace cxlgpu {

class StripedDrives : public Backdoor {
 public:
  // `capacity`: of all together.
  StripedDrives(const MediaConfig& part, std::uint64_t capacity, unsigned drives,
                std::uint64_t stripe_bytes, const HostInterface& host, unsigned depth);

  // One I/O, in as many parts as it has stripes; take() gives the token back once for each.
  // Returns how many.
  std::uint32_t submit(const DriveIo& io, Time now);
  [[nodiscard]] Time next_event() const;
  void advance(Time now);
  std::optional<std::uint32_t> take();
  [[nodiscard]] Time queued() const;
  [[nodiscard]] std::vector<MediaCounters> counters() const;

  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override;

 private:
  struct Place {
    std::size_t drive = 0;
    std::uint64_t address = 0, left = 0;  // left: bytes to the end of the stripe
  };
  [[nodiscard]] Place place(std::uint64_t address) const;

  std::uint64_t stripe_bytes_;
  std::vector<std::unique_ptr<Drive>> drives_;
};

}  // namespace cxlgpu
