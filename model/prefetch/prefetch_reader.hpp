// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The reader of the SR queue for the policies that the event-driven model alone has.
//
// Purpose: what SrReader is for those of the RTL. It meets each load once, one a cycle, and asks
// the
//          prefetcher. Of a load it offers its own granule, as policy stream does, unless the ring
//          has it or the load is at the head; then the granules predicted that the ring has not. Of
//          these, neighbours in one interleave chunk go as one MemSpecRd of up to four granules,
//          with length enabled. Each MemSpecRd takes two cycles, as there; the next load is met
//          after the last. While load control has halted, or the last response was severe, loads
//          are learnt and nothing is begun. With MemSpecRd of 64 B only the own line is requested.
// Units:   lines and granules as on the bus; clock cycles.
// Errors:  none.
// Source:  docs/blocks/root_port/sr_reader.md for what is common; each prefetcher in its file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/counters.hpp"
#include "common/opcodes.hpp"
#include "common/policy.hpp"
#include "model/prefetch/port_space.hpp"
#include "model/prefetch/prefetcher.hpp"
#include "refmodel/root_port/ring_buffer.hpp"
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {

class PrefetchReader {
 public:
  // `cap`: granules of the longest MemSpecRd, 1..4.
  PrefetchReader(std::unique_ptr<Prefetcher> policy, unsigned cap)
      : policy_(std::move(policy)), cap_(cap) {}

  struct Load {
    std::uint64_t line = 0;
    unsigned slot = 0;
    bool at_head = false;
    bool halted = false;  // load control has, or the last response was severe
    std::uint64_t cycle = 0;
  };
  void look(const Load& load, const SrModes& modes, RingBuffer& ring);

  [[nodiscard]] bool issuing() const { return !runs_.empty(); }
  // The cycle between two MemSpecRd of one load; rest() is that cycle.
  [[nodiscard]] bool rests() const { return rests_; }
  void rest() { rests_ = false; }
  [[nodiscard]] GranuleRun run() const { return runs_.front(); }
  // Of a MemSpecRd without length: the load's, or the first of another granule.
  [[nodiscard]] std::uint64_t line() const { return holds_own(run()) ? line_ : run().first << 2; }
  // What is offered is taken. Halted: the load's others are given up.
  void issued(bool halted, RingBuffer& ring);

  void slot_left(unsigned slot) {
    if (slot == slot_) slot_held_ = false;
  }
  void answered(std::uint64_t line, std::uint64_t cycle);  // a load, by the endpoint
  void flush() { policy_->flush(); }
  // As SrReader's.
  void ring_flushed(const SrCounters& before) {
    counters_.lines_used = before.lines_used;
    counters_.useful_granules = before.useful_granules;
    counters_.useless_granules = before.useless_granules;
  }
  [[nodiscard]] const SrCounters& counters() const { return counters_; }

 private:
  struct Timed {
    std::uint64_t line = 0, cycle = 0;
  };
  static constexpr std::uint64_t kLongest = 65535;  // cycles that are timed

  [[nodiscard]] bool holds_own(GranuleRun run) const { return (line_ >> 2) - run.first <= run.len; }
  void time(std::uint64_t line, std::uint64_t cycle);
  void gather(const Load& load, const SrModes& modes, const RingBuffer& ring, bool own);
  void make_runs(const SrModes& modes);

  std::unique_ptr<Prefetcher> policy_;
  unsigned cap_;
  std::vector<std::uint64_t> wanted_;  // granules, of the port and then of the bus
  std::vector<GranuleRun> runs_;       // to be offered, in order
  bool rests_ = false;
  std::uint64_t line_ = 0;  // of the load
  unsigned slot_ = 0;
  bool slot_held_ = false;
  std::optional<Timed> timed_;  // a load that nothing covered
  SrCounters counters_;
};

}  // namespace cxlgpu
