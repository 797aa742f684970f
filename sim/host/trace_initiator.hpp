// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Replays a memory trace on an engine.
//
// Purpose: real traffic without the machine that made it. Order is kept; a request leaves no
//          earlier than its cycle, and waits while too many of its kind are in flight. A full
//          window of one kind holds back everything behind it. A hint leaves in its place among
//          them, beside the request that follows it: one a cycle, no part of any window.
// Units:   the trace's cycles are cycles of kCycle, counted from the first step.
// Shapes:  address = trace address + offset. Written bytes follow from address, position
//          among the requests of the trace and seed alone, so that two runs write the same.
//          A record is asked for when the one before it has been issued.
// Errors:  InputError for bad options, and in step() that of the source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/engine.hpp"
#include "sim/host/trace_reader.hpp"

namespace cxlgpu {

struct TraceReplayParams {
  std::uint64_t offset = 0;                   // added to every address; usually the HDM base
  std::uint32_t max_outstanding_reads = 128;  // as in the GPU the traces were taken from
  std::uint32_t max_outstanding_writes = 128;
  bool use_cycles = true;  // false: as fast as order and limits allow
  std::uint64_t seed = 1;
};

struct TraceReplayStats {
  std::uint64_t reads = 0, writes = 0, partial_writes = 0;
  std::uint64_t refused = 0;  // offers that the system bus did not take
  std::uint64_t errors = 0;   // error responses
  std::uint64_t hints = 0;
  Time total_read_latency;  // taken to answered, sum over reads
};

class TraceInitiator : public Initiator {
 public:
  // `records`: how many the source has, if that is known.
  TraceInitiator(std::unique_ptr<TraceSource> source, std::optional<std::uint64_t> records,
                 const TraceReplayParams& params);
  TraceInitiator(std::vector<TraceRecord> records, const TraceReplayParams& params);

  void step(Engine& engine) override;
  [[nodiscard]] Time next_event() const override { return next_; }
  [[nodiscard]] bool done() const override {
    return !head_ && reads_.busy == 0 && writes_.busy == 0;
  }

  [[nodiscard]] const TraceReplayStats& stats() const { return stats_; }
  // Requests and hints that have been issued.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  // Those that have not, if it is known, and the cycle from which the first of them may be.
  [[nodiscard]] std::optional<std::uint64_t> remaining() const {
    if (!head_) return 0;
    return records_ ? std::optional(*records_ - position_) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> next_cycle() const {
    return head_ ? std::optional(head_->cycle) : std::nullopt;
  }

  // The bytes that the write at position `ordinal` of the trace's requests carries.
  static Line write_data(std::uint64_t addr, std::uint64_t ordinal, std::uint64_t seed);

 private:
  // Identifiers of one kind of request, [first, first + size).
  struct Ids {
    std::uint32_t first = 0;
    std::uint32_t busy = 0;
    std::vector<std::uint32_t> free;
    std::vector<Time> since;
  };
  static Ids make_ids(std::uint32_t first, std::uint32_t count);
  void take_responses(Engine& engine);
  bool hint(Engine& engine, const TraceRecord& record);
  [[nodiscard]] Time earliest(Time now) const {
    return params_.use_cycles ? start_ + kCycle * head_->cycle : now;
  }
  void issued() {
    ++position_;
    head_ = source_->next();
  }

  std::unique_ptr<TraceSource> source_;
  std::optional<std::uint64_t> records_;  // of it
  std::optional<TraceRecord> head_;       // the next one
  TraceReplayParams params_;
  TraceReplayStats stats_;
  std::uint64_t position_ = 0;
  std::uint64_t ordinal_ = 0;  // requests before it
  Ids reads_, writes_;
  bool started_ = false;
  Time start_, next_;
  Time hinted_ = Time::never();  // the last hint
};

}  // namespace cxlgpu
