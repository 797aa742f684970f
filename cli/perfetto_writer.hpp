// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A trace as Perfetto has it: tracks, slices on them, arrows between slices.
//
// Purpose: the few messages that a timeline needs, written as they come, in memory of one size.
// Units:   Perfetto counts nanoseconds; picoseconds are rounded down to them.
// Shapes:  a stream of `Trace.packet`. Tracks stand in a tree of their own, under no process,
//          siblings by their rank. Slices of a track must not overlap, and begin in the
//          order of their calls. Slices of one flow are joined in the order of their begin.
// Errors:  as of flits::CompressedFile.
// Source:  the published schema, protos/perfetto/trace of the Perfetto project; its field numbers
//          stand in perfetto_writer.cpp under their names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/time.hpp"
#include "flits/compressed_file.hpp"

namespace cxlgpu {

class PerfettoWriter {
 public:
  using Track = std::uint64_t;
  static constexpr Track kRoot = 0;

  struct Note {  // shown beside a slice
    std::string_view name;
    std::uint64_t value;
    bool address = false;
  };
  struct Slice {
    Track track;
    std::string_view name;
    Time from, to;
    std::uint64_t flow = 0;  // 0: of none
    bool ends_flow = false;
  };

  explicit PerfettoWriter(const std::string& path);
  // Siblings of one name are lanes of one track.
  Track track(std::string_view name, Track parent, std::uint64_t rank);
  void slice(const Slice& slice, const std::vector<Note>& notes = {});
  // At a point in time.
  void instant(Track track, std::string_view name, Time at, const std::vector<Note>& notes = {});
  void close();

 private:
  std::uint64_t name_id(std::string_view name);
  void event(Time at, std::uint64_t type, Track track);
  void packet(const std::string& fields);
  void flush();

  flits::CompressedFile file_;
  std::string buffer_;
  std::string event_, fields_;  // of the packet that is made, empty between
  std::uint64_t tracks_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> names_;  // told once, then by number
};

}  // namespace cxlgpu
