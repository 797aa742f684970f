// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The hint queue: MemSpecRd made of the granules that a kernel's hints name.
//
// Purpose: gathers granules that follow each other into a run of at most four, of one KiB, and
//          offers it when the pause after the last MemSpecRd is over. The pause goes by how many
//          granules that one requested and by the load that the endpoint reports.
// Units:   granules (address[51:8]), cycles.
// Errors:  none.
// Source:  docs/blocks/root_port/hint_queue.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/counters.hpp"
#include "common/opcodes.hpp"
#include "common/policy.hpp"

namespace cxlgpu {

class HintQueue {
 public:
  struct In {
    bool enable = false;
    bool len_en = false;                     // MemSpecRd carry a length
    std::array<std::uint8_t, 4> interval{};  // by level: log2 of the pause after one granule
    DevLoad level = DevLoad::Light;          // of the last response
    bool in_valid = false;
    std::uint64_t granule = 0;
    bool hint_ready = false;
  };
  struct Out {
    bool in_ready = false;
    bool hint_valid = false;
    GranuleRun run;  // with hint_valid, else 0
    HintCounters counters;
  };
  [[nodiscard]] Out eval(const In& in) const {
    Out out;
    out.in_ready = !in.enable || !run_ || joins(in);
    out.hint_valid = in.enable && offered_;
    if (out.hint_valid) out.run = *run_;
    out.counters = counters_;
    return out;
  }
  void clock(const In& in) {
    const Out now = eval(in);
    const bool comes = in.in_valid && now.in_ready;
    if (comes) ++counters_.granules;
    if (!in.enable) {
      if (comes) ++counters_.dropped;
      if (run_) counters_.dropped += size();
      run_.reset();
      open_ = offered_ = false;
    } else if (now.hint_valid && in.hint_ready) {
      ++counters_.issued;
      taken_ = size();
      since_taken_ = 0;
      run_.reset();
      offered_ = false;
    } else if (comes) {
      gather(in);
    } else if (in.in_valid) {
      open_ = false;  // one that does not join waits
    }
    pass(in);
  }

 private:
  static constexpr std::uint32_t kIdle = 16;           // cycles that close a run
  static constexpr std::uint32_t kLongest = 4u << 15;  // pause
  static constexpr std::uint64_t kLastOfKib = 3;       // granule[1:0]

  [[nodiscard]] unsigned size() const { return run_->len + 1; }
  [[nodiscard]] bool joins(const In& in) const {
    return open_ && in.len_en && in.granule == run_->first + size();
  }
  [[nodiscard]] std::uint32_t pause(const In& in) const {
    return taken_ << in.interval[static_cast<std::size_t>(in.level)];
  }
  void gather(const In& in) {
    if (run_) {
      ++run_->len;
    } else {
      run_ = GranuleRun{in.granule, 0};
    }
    open_ = in.len_en && (in.granule & kLastOfKib) != kLastOfKib;
    idle_ = 0;
  }
  // The end of the cycle.
  void pass(const In& in) {
    since_taken_ = std::min(since_taken_ + 1, kLongest);
    if (!run_) return;
    if (open_ && !in.in_valid && ++idle_ == kIdle) open_ = false;
    if (!open_ && since_taken_ >= pause(in)) offered_ = true;
  }

  std::optional<GranuleRun> run_;
  bool open_ = false, offered_ = false;  // only with a run, never both
  std::uint32_t idle_ = 0;               // cycles in a row without a granule, the run open
  unsigned taken_ = 0;                   // granules of the last MemSpecRd
  std::uint32_t since_taken_ = kLongest;
  HintCounters counters_;
};

}  // namespace cxlgpu
