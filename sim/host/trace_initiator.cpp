// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/trace_initiator.hpp"

#include <algorithm>
#include <cstring>

#include "common/splitmix.hpp"

namespace cxlgpu {

namespace {

class ListSource : public TraceSource {
 public:
  explicit ListSource(std::vector<TraceRecord> records) : records_(std::move(records)) {}
  std::optional<TraceRecord> next() override {
    return next_ < records_.size() ? std::optional(records_[next_++]) : std::nullopt;
  }

 private:
  std::vector<TraceRecord> records_;
  std::size_t next_ = 0;
};

}  // namespace

TraceInitiator::Ids TraceInitiator::make_ids(std::uint32_t first, std::uint32_t count) {
  Ids ids;
  ids.first = first;
  ids.since.resize(count);
  for (std::uint32_t i = count; i > 0; --i) ids.free.push_back(first + i - 1);
  return ids;
}

TraceInitiator::TraceInitiator(std::vector<TraceRecord> records, const TraceReplayParams& params)
    : TraceInitiator(nullptr, records.size(), params) {
  source_ = std::make_unique<ListSource>(std::move(records));
  head_ = source_->next();
}

TraceInitiator::TraceInitiator(std::unique_ptr<TraceSource> source,
                               std::optional<std::uint64_t> records,
                               const TraceReplayParams& params)
    : source_(std::move(source)), records_(records), params_(params) {
  constexpr std::uint32_t kLimit = 1U << 15;  // both kinds share the 16-bit identifiers
  for (const std::uint32_t n : {params.max_outstanding_reads, params.max_outstanding_writes}) {
    if (n == 0 || n > kLimit) {
      throw InputError("trace: outstanding limit " + std::to_string(n) +
                       " is not in 1..32768; choose one that is");
    }
  }
  if (params.offset % kLineBytes != 0) {
    throw InputError("trace: offset is not a multiple of 64; align it to a line");
  }
  reads_ = make_ids(0, params.max_outstanding_reads);
  writes_ = make_ids(params.max_outstanding_reads, params.max_outstanding_writes);
  if (source_) head_ = source_->next();
}

Line TraceInitiator::write_data(std::uint64_t addr, std::uint64_t ordinal, std::uint64_t seed) {
  Line line;
  SplitMix random(addr ^ (ordinal * 0xd1342543de82ef95ULL) ^ (seed << 1));
  for (std::size_t i = 0; i < kLineBytes; i += 8) {
    const std::uint64_t bytes = random.next();
    std::memcpy(line.data() + i, &bytes, 8);
  }
  return line;
}

void TraceInitiator::take_responses(Engine& engine) {
  while (const auto response = engine.take()) {
    Ids& ids = response->is_write ? writes_ : reads_;
    const std::uint32_t index = response->id - ids.first;
    if (response->error) ++stats_.errors;
    if (index >= ids.since.size()) continue;  // not ours; the scoreboard counts it
    if (!response->is_write) stats_.total_read_latency += engine.now() - ids.since[index];
    ids.free.push_back(response->id);
    --ids.busy;
  }
}

// One a cycle.
bool TraceInitiator::hint(Engine& engine, const TraceRecord& record) {
  const Time now = engine.now();
  if (hinted_ == now) return false;
  if (!engine.hint({record.addr + params_.offset, record.hint_granules})) return false;
  hinted_ = now;
  ++stats_.hints;
  return true;
}

void TraceInitiator::step(Engine& engine) {
  take_responses(engine);
  const Time now = engine.now();
  if (!started_) {
    started_ = true;
    start_ = now;
  }
  next_ = Time::never();
  for (; head_ && head_->hint_granules != 0; issued()) {
    if (earliest(now) > now || !hint(engine, *head_)) {
      next_ = std::max(earliest(now), now + kCycle);
      return;
    }
  }
  if (!head_) return;
  const TraceRecord record = *head_;
  if (earliest(now) > now) {
    next_ = earliest(now);
    return;
  }
  Ids& ids = record.is_write ? writes_ : reads_;
  if (ids.free.empty()) return;  // only a response helps

  MemRequest request;
  request.id = ids.free.back();
  request.is_write = record.is_write;
  request.addr = record.addr + params_.offset;
  if (record.is_write) {
    request.byte_enable = record.byte_enable;
    request.data = write_data(request.addr, ordinal_, params_.seed);
  }
  if (!engine.submit(request)) {  // the engine's next event says when to offer it again
    ++stats_.refused;
    return;
  }
  ids.free.pop_back();
  ids.since[request.id - ids.first] = now;
  ++ids.busy;
  ++(record.is_write ? stats_.writes : stats_.reads);
  if (record.is_write && record.byte_enable != kAllBytes) ++stats_.partial_writes;
  ++ordinal_;
  issued();
  if (head_) next_ = now + kCycle;
}

}  // namespace cxlgpu
