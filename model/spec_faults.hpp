// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Faults of MemSpecRd on their way over a link: what arrives in the place of each.
//
// Purpose: a MemSpecRd may be lost, come twice or come late, and no data may depend on it. The
//          messages themselves all go over the wire, so that credits and time stay as they are;
//          the fault is in what they ask for. One object a link, the same rule for every engine.
// Shapes:  Asked: what a MemSpecRd asks for; `lost` asks for what nobody maps.
// Rules:   at most one of the three is on (ConfigLoader checks it); counts are of the MemSpecRd of
//          the link, from 1:
//          drop_every n: every n-th is lost;
//          duplicate_every n: in place of every n-th the one before comes a second time;
//          delay_by n: each comes in the place of the n-th after it, n are always in flight.
// Errors:  none.
#pragma once

#include <cstdint>
#include <deque>

namespace cxlgpu {

struct SpecFaultOptions {
  unsigned drop_every = 0, duplicate_every = 0, delay_by = 0;  // 0: never
  [[nodiscard]] bool on() const { return drop_every + duplicate_every + delay_by != 0; }
};

template <typename Asked>
class SpecFaults {
 public:
  SpecFaults(const SpecFaultOptions& options, const Asked& lost)
      : options_(options), lost_(lost), late_(options.delay_by, lost), before_(lost) {}

  [[nodiscard]] bool on() const { return options_.on(); }
  // What arrives in place of the next MemSpecRd, which asks for `sent`.
  Asked next(const Asked& sent) {
    ++count_;
    if (is_nth(options_.drop_every)) return lost_;
    if (is_nth(options_.duplicate_every)) return before_;
    late_.push_back(sent);
    before_ = late_.front();
    late_.pop_front();
    return before_;
  }

 private:
  [[nodiscard]] bool is_nth(unsigned every) const { return every != 0 && count_ % every == 0; }

  SpecFaultOptions options_;
  Asked lost_;
  std::deque<Asked> late_;
  Asked before_;  // what arrived last
  std::uint64_t count_ = 0;
};

}  // namespace cxlgpu
