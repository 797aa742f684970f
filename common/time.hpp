// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Simulated time.
//
// Purpose: one strong type for points in time and durations, so that picoseconds are never mixed
//          with cycles or identifiers by accident.
// Units:   picoseconds, 64 bits (213 days).
// Errors:  none; arithmetic wraps only past 2^64 ps.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace cxlgpu {

struct Time {
  std::uint64_t ps = 0;

  constexpr auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time other) {
    ps += other.ps;
    return *this;
  }
  friend constexpr Time operator+(Time a, Time b) { return Time{a.ps + b.ps}; }
  friend constexpr Time operator-(Time a, Time b) { return Time{a.ps - b.ps}; }
  friend constexpr Time operator*(Time a, std::uint64_t n) { return Time{a.ps * n}; }

  // "Never": later than every event.
  static constexpr Time never() { return Time{std::numeric_limits<std::uint64_t>::max()}; }
  [[nodiscard]] constexpr double ns() const { return static_cast<double>(ps) / 1000.0; }
};

// The clock of the root complex and the endpoints: 1 GHz nominal.
inline constexpr Time kCycle{1000};

// First clock edge at or after t.
constexpr Time ceil_to_cycle(Time t) {
  return Time{(t.ps + kCycle.ps - 1) / kCycle.ps * kCycle.ps};
}

}  // namespace cxlgpu
