// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A trace as Perfetto has it: tracks, slices on them, arrows between slices.
//
// Purpose: the few messages that a timeline needs, written as they come, in memory of one size.
// Units:   Perfetto counts nanoseconds; picoseconds are rounded down to them.
// Shapes:  a stream of `Trace.packet`. Tracks stand in a tree of their own, under no process,
//          siblings by their rank. Slices of a track must not overlap, and begin in the
//          order of their calls. Slices of one flow are joined in the order of their begin.
// Rules:   a slice is written where it will stand, and what is the same in many of them is kept
//          encoded: a run may have tens of them a request.
// Errors:  as of flits::CompressedFile.
// Source:  the published schema, protos/perfetto/trace of the Perfetto project; its field numbers
//          stand in perfetto_writer.cpp under their names.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/time.hpp"
#include "flits/compressed_file.hpp"

namespace cxlgpu {

class PerfettoWriter {
 public:
  using Track = std::uint32_t;
  using Name = std::uint32_t;
  static constexpr Track kRoot = 0;

  struct Note {  // shown beside a slice
    std::string_view name;
    std::uint64_t value;
    bool address = false;
  };
  using Notes = std::initializer_list<Note>;  // at most kMostNotes, of short names
  static constexpr std::size_t kMostNotes = 4, kLongestNoteName = 16;
  struct Slice {
    Track track = kRoot;
    Name name = 0;
    Time from{0}, to{0};
    std::uint64_t flow = 0;  // 0: of none
    bool ends_flow = false;
  };

  explicit PerfettoWriter(const std::string& path);
  // Siblings of one name are lanes of one track.
  Track track(std::string_view name, Track parent, std::uint64_t rank);
  // Of slices; one call a name.
  Name name(std::string_view text);
  void slice(const Slice& slice);
  void slice(const Slice& slice, Notes notes);
  // At a point in time.
  void instant(Track track, Name name, Time at, Notes notes);
  void close();

 private:
  static constexpr std::size_t kBlockBytes = 1u << 18, kMostOfSlice = 512;

  // A few bytes, copied all at once.
  struct Piece {
    std::array<char, 16> bytes;
    std::size_t size = 0;
  };
  struct TrackPieces {
    Piece begin, end;  // of a slice on it: fields of its event, and what follows the time
  };

  char* time(char* to, Time at);
  char* end(char* to, Track track, Time at);
  char* with_notes(char* to, std::uint64_t type, const Slice& slice, Notes notes);
  void advance(char* end) {
    end_ = end;
    if (static_cast<std::size_t>(end_ - buffer_.data()) >= kBlockBytes) flush();
  }
  void packet(std::string_view fields);
  void flush();

  flits::CompressedFile file_;
  std::string buffer_;
  char* end_;  // of what stands in it
  std::vector<TrackPieces> tracks_;
  std::uint32_t names_ = 0;
  // A slice often begins where another ends.
  std::uint64_t last_ns_ = ~std::uint64_t{0};
  Piece last_time_;
};

}  // namespace cxlgpu
