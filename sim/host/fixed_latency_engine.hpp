// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The simplest engine: a flat memory behind a fixed or random latency.
//
// Purpose: drives the GPU model and the trace replay in tests and benchmarks, and stands for an
//          ideal memory. Requests take effect in the order taken; only answers are timed.
// Units:   latencies in picoseconds.
// Rules:   one request a clock edge; with backpressure a request is refused with the given
//          probability, and always while max_outstanding are in flight.
// Errors:  none.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "common/engine.hpp"
#include "common/splitmix.hpp"
#include "sim/host/scoreboard.hpp"

namespace cxlgpu {

struct FixedLatencyParams {
  Time latency{300'000};
  Time jitter{0};  // uniform 0..jitter is added to each latency
  std::uint32_t refuse_percent = 0;
  std::uint32_t max_outstanding = 65536;
  std::uint64_t seed = 1;
};

class FixedLatencyEngine : public Engine {
 public:
  explicit FixedLatencyEngine(const FixedLatencyParams& params = {});

  [[nodiscard]] Time now() const override { return now_; }
  bool submit(const MemRequest& request) override;
  std::optional<MemResponse> take() override;
  void advance_to(Time t) override;

  [[nodiscard]] FlatMemory& memory() { return memory_; }

 private:
  struct Due {
    Time at;
    std::uint64_t order;
    std::uint32_t slot;
    bool operator>(const Due& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  [[nodiscard]] Time next_event() const;

  FixedLatencyParams params_;
  FlatMemory memory_;
  Time now_;
  Time last_taken_ = Time::never();
  Time refused_ = Time::never();
  SplitMix random_;
  std::uint64_t order_ = 0;
  std::vector<MemResponse> slots_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace cxlgpu
