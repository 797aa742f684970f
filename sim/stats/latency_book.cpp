// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/stats/latency_book.hpp"

#include <algorithm>
#include <utility>

namespace cxlgpu {

namespace {

template <typename Each>
void for_each_stage(const RequestRecord& record, const Each& each) {
  Time before = record.time(Stage::SysAccept);
  for (std::size_t stage = 1; stage < kPathStages; ++stage) {
    if (record.at[stage] == Time::never()) continue;
    each(stage, (record.at[stage] - before).ps);
    before = record.at[stage];
  }
}

}  // namespace

inline void LatencyBook::note(Time accepted, Time latency) {
  ++count_;
  if (folded()) return count(accepted.ps, latency.ps);
  latencies_.push_back(latency.ps);
  accepted_.push_back(accepted.ps);
}

void LatencyBook::add(const RequestRecord& record) {
  note(record.time(Stage::SysAccept), record.latency());
  for_each_stage(record, [this](std::size_t stage, std::uint64_t in) { stage_sum_[stage] += in; });
}

StageTimes LatencyBook::add_timed(const RequestRecord& record) {
  note(record.time(Stage::SysAccept), record.latency());
  StageTimes times{};
  for_each_stage(record, [&](std::size_t stage, std::uint64_t in) {
    stage_sum_[stage] += in;
    times[stage] = in;
  });
  return times;
}

void LatencyBook::add(const LatencyBook& other) {
  for (std::size_t stage = 0; stage < kPathStages; ++stage) {
    stage_sum_[stage] += other.stage_sum_[stage];
  }
  count_ += other.count_;
  if (other.folded()) fold();
  if (!folded()) {
    latencies_.insert(latencies_.end(), other.latencies_.begin(), other.latencies_.end());
    accepted_.insert(accepted_.end(), other.accepted_.begin(), other.accepted_.end());
    return;
  }
  for (std::size_t i = 0; i < other.latencies_.size(); ++i) {
    count(other.accepted_[i], other.latencies_[i]);
  }
  if (!other.folded()) return;
  while (shift_ < other.shift_) widen();
  for (std::size_t part = 0; part < kBins; ++part) {
    parts_[part >> (shift_ - other.shift_)].add(other.parts_[part]);
  }
}

void LatencyBook::fold() {
  if (folded()) return;
  parts_.resize(kBins);
  const auto latencies = std::exchange(latencies_, {}), accepted = std::exchange(accepted_, {});
  for (std::size_t i = 0; i < latencies.size(); ++i) count(accepted[i], latencies[i]);
}

void LatencyBook::widen() {
  for (std::size_t part = 0; part < kBins; ++part) {
    LatencyCounts from = std::move(parts_[part]);
    parts_[part] = {};
    parts_[part / 2].add(from);
  }
  ++shift_;
}

void LatencyBook::count(std::uint64_t accepted, std::uint64_t latency) {
  while (accepted >> shift_ >= kBins) widen();
  parts_[accepted >> shift_].add(latency);
}

LatencyCounts LatencyBook::whole() const {
  LatencyCounts all;
  for (const LatencyCounts& part : parts_) all.add(part);
  return all;
}

Percentiles LatencyBook::percentiles() const {
  return folded() ? whole().percentiles() : percentiles_of(latencies_);
}

std::vector<Percentiles> LatencyBook::series(const TimeBins& bins) const {
  std::vector<Percentiles> all;
  if (folded()) {
    std::vector<LatencyCounts> counts(bins.count);
    for (std::size_t part = 0; part < kBins; ++part) {
      counts[bins.of(Time{part << shift_})].add(parts_[part]);
    }
    for (const LatencyCounts& part : counts) all.push_back(part.percentiles());
    return all;
  }
  std::vector<std::vector<std::uint64_t>> parts(bins.count);
  for (std::size_t i = 0; i < latencies_.size(); ++i) {
    parts[bins.of(Time{accepted_[i]})].push_back(latencies_[i]);
  }
  for (std::vector<std::uint64_t>& part : parts) all.push_back(percentiles_of(std::move(part)));
  return all;
}

std::array<std::uint64_t, LatencyBins::kCount> LatencyBook::histogram() const {
  std::array<std::uint64_t, LatencyBins::kCount> counts{};
  for (const std::uint64_t latency : latencies_) ++counts[LatencyBins::of(latency)];
  const std::vector<std::uint64_t> fine = whole().counts();
  for (std::size_t bin = 0; bin < fine.size(); ++bin) {
    counts[LatencyBins::of(FineLatencyBins::least(bin))] += fine[bin];
  }
  return counts;
}

std::array<double, kPathStages> LatencyBook::stage_means_ps() const {
  std::array<double, kPathStages> means{};
  for (std::size_t stage = 0; stage < kPathStages && count_ != 0; ++stage) {
    means[stage] = static_cast<double>(stage_sum_[stage]) / static_cast<double>(count_);
  }
  return means;
}

}  // namespace cxlgpu
