// The figures of a part that data sheets and standards publish, measured on our model of it.
//
// Purpose: what `cxlgpu media` holds against the `published:` list of a part's file.
// Shapes:  64 B at the media port; of flash also 4 KiB and 128 KiB requests in a closed loop, once
//          at the media port and once with the drive's interface before and after it.
// Writes:  "burst" and idle writes find the write buffer empty; all others are counted after twice
//          its size has been written. "fresh" is a drive without data, "full" one whose whole
//          logical space random writes have filled, counted when write amplification no longer
//          changes (random), or over the tenth of one pass that follows (sequential).
// Scaled:  a full drive of this size takes too long. One of a quarter of its channels stands in,
//          with that share of its buffer and queues, as many dies a channel and blocks a die, but
//          blocks of fewer pages (tBERS shrinks with them, so that an erased page costs the same).
//          Channels do not hinder each other: its rate counts four times. Smaller blocks amplify
//          less, 7 % at 36 pages of 1 536.
// Units:   base units of published.hpp. Writes amplify by (moved pages / the user's) + 1.
// Errors:  InputError of make_media.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "refmodel/media/closed_loop.hpp"
#include "refmodel/media/media_config.hpp"
#include "refmodel/media/media_profile.hpp"
#include "refmodel/media/published.hpp"

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
  std::uint64_t bytes = 0;        // logical, of the drive that was measured
  std::uint32_t block_pages = 0;  // its, of one plane
  std::uint32_t channels = 0;     // its
  bool scaled = false;
  double write_amplification = 0;  // random writes
  double merges = 0;               // pages read to complete a program, for each of the user's pages
  double written = 0;              // times the logical space, until it was steady
};

struct MediaFigures {
  std::vector<MeasuredFigure> figures;  // in the order of figure_names()
  std::optional<FullDrive> full;
};

// `host`: nullptr if the part names no interface. `profiles`: of profile_media().
[[nodiscard]] MediaFigures measure_figures(const MediaConfig& config,
                                           const std::vector<MediaProfile>& profiles,
                                           const HostInterface* host, std::uint32_t seed);

// The drive that stands for a full one of `config`, which has a translation layer.
[[nodiscard]] MediaConfig full_drive(const MediaConfig& config);

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
