// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The figures of a part that data sheets and standards publish, measured on our model of it.
//
// Purpose: what `cxlgpu media` holds against the `published:` list of a part's file.
// Shapes:  64 B at the media port; of flash also 4 KiB and 128 KiB requests in a closed loop, once
//          at the media port and once with the drive's interface before and after it.
// Writes:  "burst" and idle writes find the write buffer empty; all others are counted after twice
//          its size has been written. "fresh" is a drive without data, "full" one whose whole
//          logical space random writes have filled: random writes in the steady state, sequential
//          ones over the tenth of one pass that follows.
// Full:    pages programmed a page written are those of a die of the part's own geometry; a page's
//          time is measured on a channel of it that amplifies nearly the same, and taken to that
//          amplification in proportion between the fresh drive's and the measured (full_drive.hpp).
// Units:   base units of published.hpp. Writes amplify by (moved pages / the user's) + 1.
// Errors:  InputError of make_media.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/media/closed_loop.hpp"
#include "sim/media/full_drive.hpp"
#include "sim/media/media_config.hpp"
#include "sim/media/media_profile.hpp"
#include "sim/media/published.hpp"

namespace cxlgpu {

struct MeasuredFigure {
  std::string name;
  Quantity quantity = Quantity::Latency;
  double media = 0;
  std::optional<double> drive;  // with the interface
  // Of a closed loop: mean latency in ns.
  std::optional<double> media_latency, drive_latency;
};

struct FullDrive {
  double write_amplification = 0;       // random writes
  double sequential_amplification = 0;  // in the tenth of a sequential pass that follows
  double merges = 0;   // pages read to complete a program, for each of the user's pages
  DieWrites die;       // what they were counted on
  bool whole = false;  // the drive itself was written over; of `die` nothing is set
  // What was timed.
  std::uint64_t bytes = 0;                                  // logical
  std::uint32_t channels = 0, blocks = 0, block_pages = 0;  // blocks of a die, all planes
};

struct MediaFigures {
  std::vector<MeasuredFigure> figures;  // in the order of figure_names()
  std::optional<FullDrive> full;
};

// `host`: nullptr if the part names no interface. `profiles`: of profile_media().
[[nodiscard]] MediaFigures measure_figures(const MediaConfig& config,
                                           const std::vector<MediaProfile>& profiles,
                                           const HostInterface* host, std::uint32_t seed);

// ---- the comparison ----------------------------------------------------------------------------

struct Comparison {
  PublishedFigure published;
  std::optional<double> ours;  // with the interface, if both have it; nothing if not measured here
  // Ours less the published, of the published.
  [[nodiscard]] double difference() const { return *ours / published.value - 1; }
  [[nodiscard]] bool far() const { return ours && (difference() > 0.1 || difference() < -0.1); }
  [[nodiscard]] bool unexplained() const { return far() && published.why.empty(); }
};
[[nodiscard]] std::vector<Comparison> compare(const MediaConfig& config,
                                              const MediaFigures& figures);

}  // namespace cxlgpu
