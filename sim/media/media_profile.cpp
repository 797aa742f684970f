// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/media/media_profile.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "sim/media/make_media.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kSlots = 256;                    // for reads that are fills
constexpr std::uint64_t kIdleReads = 20000;              // several hundred refreshes
constexpr std::uint64_t kLeast = 20000, kMost = 200000;  // requests a point
constexpr double kPointNs = 60000;                       // simulated time of a point, between these

double gb_s(std::uint64_t bytes, Time took) {
  return took.ps == 0 ? 0 : static_cast<double>(bytes) / took.ns();
}

// The reads of one measurement and the part that they go to; a fresh part each time.
class Reads {
 public:
  Reads(const MediaConfig& config, std::uint32_t bytes, AccessPattern pattern, std::uint32_t seed)
      : bytes_(bytes), pattern_(pattern), random_(seed), lines_(config.capacity() / bytes) {
    MediaShape shape;
    shape.capacity = config.capacity();
    if (bytes > kLineBytes) {
      shape.slots = kSlots;
      shape.line_bytes = bytes;
    }
    part_ = make_media(config, shape);
    command_.op = bytes > kLineBytes ? MediaOp::Fill : MediaOp::Read;
  }

  Media& part() { return *part_; }
  [[nodiscard]] bool room(Time now) const { return part_->can_accept(now, command_.op); }
  void send(std::uint16_t id, Time now) {
    const std::uint64_t line =
        pattern_ == AccessPattern::Random ? random_() % lines_ : sent_ % lines_;
    command_.id = id;
    command_.dpa = line * bytes_;
    command_.slot = static_cast<std::uint32_t>(sent_++ % kSlots);
    part_->submit(command_, now);
  }
  // Exponential, at least 1 ps.
  Time gap(double mean_ps) {
    const double u = static_cast<double>((random_() >> 11) + 1) * 0x1p-53;
    return Time{static_cast<std::uint64_t>(-std::log(u) * mean_ps) + 1};
  }

 private:
  std::uint32_t bytes_;
  AccessPattern pattern_;
  std::mt19937_64 random_;
  std::uint64_t lines_, sent_ = 0;
  std::unique_ptr<Media> part_;
  MediaCommand command_;
};

Time idle_latency(const MediaConfig& config, std::uint32_t bytes, std::uint32_t seed) {
  Reads reads(config, bytes, AccessPattern::Random, seed);
  Time now;
  for (std::uint64_t i = 0; i < kIdleReads; ++i) {
    reads.send(0, now);
    while (!reads.part().take(now)) now = std::max(now, reads.part().next_event());
  }
  return Time{now.ps / kIdleReads};
}

// `offered_gb_s` 0: as much as the part's queue takes.
LoadPoint load(const MediaConfig& config, std::uint32_t bytes, AccessPattern pattern,
               std::uint32_t seed, std::uint64_t count, double offered_gb_s) {
  Reads reads(config, bytes, pattern, seed);
  const double mean_ps = offered_gb_s == 0 ? 0 : bytes / offered_gb_s * 1000;
  std::vector<Time> arrived;  // by id
  std::vector<std::uint16_t> free;
  std::vector<Time> latencies;
  const std::uint64_t skip = count / 10;
  latencies.reserve(count - skip);
  Time now, arrival, from;
  std::uint64_t sent = 0, got = 0;
  while (got < count) {
    const bool room = sent < count && reads.room(now);
    if (room && arrival <= now) {
      if (free.empty()) {
        free.push_back(static_cast<std::uint16_t>(arrived.size()));
        arrived.emplace_back();
      }
      const std::uint16_t id = free.back();
      free.pop_back();
      arrived[id] = mean_ps == 0 ? now : arrival;
      reads.send(id, now);
      ++sent;
      if (mean_ps != 0) arrival += reads.gap(mean_ps);
      continue;
    }
    if (const auto answer = reads.part().take(now)) {
      if (got == skip) from = now;
      if (got++ >= skip) latencies.push_back(now - arrived[answer->id]);
      free.push_back(answer->id);
      continue;
    }
    const Time event = reads.part().next_event();
    now = std::max(now, room ? std::min(event, arrival) : event);
  }
  LoadPoint point;
  point.offered_gb_s = offered_gb_s;
  point.reached_gb_s = gb_s((count - skip - 1) * bytes, now - from);
  std::uint64_t sum = 0;
  for (const Time t : latencies) sum += t.ps;
  point.mean = Time{sum / latencies.size()};
  const auto p99 = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() * 99 / 100);
  std::nth_element(latencies.begin(), p99, latencies.end());
  point.p99 = *p99;
  return point;
}

LoadCurve curve_of(const MediaConfig& config, std::uint32_t bytes, AccessPattern pattern,
                   std::uint32_t seed) {
  LoadCurve curve;
  curve.most_gb_s = load(config, bytes, pattern, seed, kMost, 0).reached_gb_s;
  // From 1 GB/s, or a twentieth of a slow part's most.
  std::vector<double> offered = {std::min(1.0, curve.most_gb_s / 20)};
  for (const unsigned percent : {10u, 20u, 30u, 40u, 50u, 60u, 70u, 80u, 90u, 95u, 100u}) {
    const double rate = curve.most_gb_s * percent / 100;
    if (rate > offered.back()) offered.push_back(rate);
  }
  for (const double rate : offered) {
    const auto count = static_cast<std::uint64_t>(kPointNs * rate / bytes);
    curve.points.push_back(
        load(config, bytes, pattern, seed, std::clamp(count, kLeast, kMost), rate));
  }
  return curve;
}

}  // namespace

std::vector<MediaProfile> profile_media(const MediaConfig& config, std::uint32_t seed) {
  std::vector<std::uint32_t> sizes = {static_cast<std::uint32_t>(kLineBytes)};
  if (const auto* flash = std::get_if<FlashConfig>(&config.params)) {
    sizes.push_back(std::min<std::uint32_t>(4096, flash->page_bytes));
  }
  std::vector<MediaProfile> profiles;
  for (const std::uint32_t bytes : sizes) {
    MediaProfile& p = profiles.emplace_back();
    p.bytes = bytes;
    p.idle = idle_latency(config, bytes, seed);
    p.random = curve_of(config, bytes, AccessPattern::Random, seed);
    p.stream = curve_of(config, bytes, AccessPattern::Stream, seed);
  }
  return profiles;
}

double pin_gb_s(const DramConfig& c) {
  return c.sub_channels * (c.sub_channel_bits / 8.0) * static_cast<double>(c.data_rate_mtps) / 1000;
}

double refreshed_gb_s(const DramConfig& c) {
  return pin_gb_s(c) * (1 - c.tRFC.ns() / c.tREFI.ns());
}

}  // namespace cxlgpu
