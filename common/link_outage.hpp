// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A link that goes down once and comes back: when, and what became of it.
//
// Purpose: what the engines and the report say of an outage (configuration: link.down_at_us,
//          link.down_for_us, link.port).
// Units:   times of the run.
#pragma once

#include <cstdint>

#include "common/time.hpp"

namespace cxlgpu {

struct LinkOutage {
  unsigned port = 0;
  Time down_at = Time::never(), up_at = Time::never();  // of the PHY
  Time recovered_at = Time::never();                    // firmware has given the port back
  std::uint64_t replayed_reads = 0, replayed_writes = 0;
  std::uint64_t held = 0;  // requests that were submitted in between and issued after it
  [[nodiscard]] bool began() const { return down_at != Time::never(); }
  [[nodiscard]] bool recovered() const { return recovered_at != Time::never(); }
};

}  // namespace cxlgpu
