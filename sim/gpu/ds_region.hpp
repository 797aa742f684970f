// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The part of GPU local memory that deterministic store of the root ports has for itself.
//
// Purpose: contents of each port's region, and when it takes a request and answers a read. Every
//          engine of a run has one of its own.
// Timing:  latency and bandwidth of the GPU's local memory (LocalMemoryParams). It contends with
//          the ports alone, not with what the GPU itself does there. A write is done when it is
//          taken; reads are answered in order, each port for itself. Of ports that wait, the one
//          that waits longest goes first.
// Units:   picoseconds on clock edges; lines (address[51:6] of local memory).
// Shapes:  port p has the 256 KiB from base + p * 256 KiB on.
// Errors:  std::logic_error for a line outside of the port's region.
// Source:  docs/blocks/root_port/deterministic_store.md.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "common/local_memory_port.hpp"
#include "common/request.hpp"
#include "common/time.hpp"
#include "sim/gpu/gpu_config.hpp"

namespace cxlgpu {

class DsRegion {
 public:
  static constexpr std::uint64_t kPortBytes = 256 * 1024;
  static constexpr std::size_t kMaxReads = 32;  // a port, more than an engine asks for

  // Byte address of a port's region.
  [[nodiscard]] static constexpr std::uint64_t base_of(std::uint64_t base, unsigned port) {
    return base + port * kPortBytes;
  }

  DsRegion(const LocalMemoryParams& params, std::uint64_t base, unsigned ports);

  // The port offers this in the cycle that begins now; true if it is taken. Once a cycle and port,
  // and again in each cycle until it is taken.
  bool offer(unsigned port, std::uint64_t line, const LmRequest& request, Time now);
  // The answer that is there in the cycle that begins now; it stays until it is taken.
  [[nodiscard]] const LmResponse* answer(unsigned port, Time now) const;
  void answer_taken(unsigned port) { ports_[port].answers.pop_front(); }
  // When there is one.
  [[nodiscard]] Time next_answer(unsigned port) const;

 private:
  struct Answer {
    Time at;
    LmResponse response;
  };
  struct Port {
    std::vector<Line> lines;
    std::deque<Answer> answers;  // of reads taken
    Time waits_since = Time::never();
  };
  [[nodiscard]] bool is_next(const Port& port) const;

  LocalMemoryParams params_;
  std::uint64_t base_;
  std::vector<Port> ports_;
  Time free_at_{0};  // of the bandwidth
};

}  // namespace cxlgpu
