// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Lets an engine go on after the last response until speculation has come to an end.
//
// Purpose: MemSpecRd are in flight when the last load is answered, and more wait for a fill to end;
//          the endpoints' counters are whole, and alike in every engine, once all have left.
// Units:   simulated time in picoseconds.
// Errors:  none: it ends at the limit, or at once if responses wait to be taken.
#pragma once

#include <algorithm>
#include <vector>

#include "common/engine.hpp"
#include "common/media_port.hpp"

namespace cxlgpu {

inline constexpr Time kQuietLimit{20'000'000'000};  // 20 ms
// Without a command at any media: longer than a MemSpecRd takes to it, a retried flit included.
inline constexpr Time kQuiet = kCycle * 512;

inline void run_until_quiet(Engine& engine, const std::vector<Media*>& media) {
  const Time limit = engine.now() + kQuietLimit;
  Time busy = engine.now();  // last seen
  while (engine.now() < limit && engine.now() - busy < kQuiet) {
    const Time before = engine.now();
    engine.advance_to(before + kCycle * 32);
    if (engine.now() == before) return;
    // An answer that is due and not taken waits for a link that is down.
    const bool idle = std::ranges::all_of(media, [&](const Media* part) {
      return part->next_event() == Time::never() || part->next_event() <= engine.now();
    });
    if (!idle) busy = engine.now();
  }
}

}  // namespace cxlgpu
