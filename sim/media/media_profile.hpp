// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of a media part by itself, without link and endpoint.
//
// Purpose: the figures that a user holds against a data sheet: idle latency, latency against load,
//          most bandwidth. Reads only.
// Shapes:  64 B reads of the media port; for a flash part also reads of a page, 4 KiB at most,
//          which the port has as Fill of a slot of that size in the internal DRAM (so its write is
//          part of them).
// Load:    open loop: arrivals with exponential gaps of a seeded generator, uniform addresses or
//          consecutive ones; latency counts from the arrival, so waiting for a place in the part's
//          queue is in it. The first tenth of the requests is not counted.
// Units:   GB/s are 10^9 bytes/s.
// Errors:  InputError of make_media.
#pragma once

#include <cstdint>
#include <vector>

#include "common/time.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

enum class AccessPattern : std::uint8_t { Random, Stream };

struct LoadPoint {
  double offered_gb_s = 0, reached_gb_s = 0;
  Time mean, p99;
};

struct LoadCurve {
  double most_gb_s = 0;  // with the part's queue always full
  std::vector<LoadPoint> points;
};

struct MediaProfile {
  std::uint32_t bytes = 0;  // of a read
  Time idle;                // mean of random reads, each sent when the one before is answered
  LoadCurve random, stream;
};

// One profile for each size of read.
[[nodiscard]] std::vector<MediaProfile> profile_media(const MediaConfig& config,
                                                      std::uint32_t seed);

// Bandwidth of the data pins, and of them what all-bank refresh leaves (same-bank refresh leaves
// more, by how well the rest fills in).
[[nodiscard]] double pin_gb_s(const DramConfig& config);
[[nodiscard]] double refreshed_gb_s(const DramConfig& config);

}  // namespace cxlgpu
