// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A trace as Perfetto has it: tracks, slices on them, arrows between slices.
//
// Purpose: the few messages that a timeline needs, written as they come, in memory of one size.
// Units:   Perfetto counts nanoseconds; picoseconds are rounded down to them.
// Shapes:  a stream of `Trace.packet`. Tracks stand in a tree of their own, under no process,
//          siblings by their rank. Slices of a track must not overlap, and begin in the
//          order of their calls. Slices of one flow are joined in the order of their begin.
// Rules:   what many slices have in common is encoded once, as a Pattern of one size, and a
//          slice is that, copied, with its times in it: a run may have tens of them a request.
//          Numbers in it have as many bytes as the longest, which the encoding allows.
// Errors:  as of flits::CompressedFile.
// Source:  cli/perfetto_schema.hpp
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include "cli/perfetto_schema.hpp"
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

  // Slices of a track, begin and end.
  class Pattern {
   private:
    friend class PerfettoWriter;
    // Where in it what stands; perfetto_writer.cpp puts it there.
    static constexpr std::size_t kBeginStamp = 5, kFlowKey = 14, kFlow = 16, kName = 25, kEnd = 32,
                                 kEndStamp = 35, kBytes = 50;
    static constexpr std::size_t kPacketLength = 1, kEventLength = 13;
    std::array<char, kBytes> bytes;
  };
  // A time, as it stands in a pattern, of at most kLatest nanoseconds.
  class Stamp {
   private:
    friend class PerfettoWriter;
    explicit Stamp(std::uint64_t word) : word_(word) {}
    std::uint64_t word_;
  };
  static constexpr unsigned kStampBytes = 5, kAddressBytes = 8, kTrackBytes = 3;
  static constexpr std::uint64_t kLatest = (std::uint64_t{1} << 7 * kStampBytes) - 1;
  // What is beside a request; numbers up to kLatest, an address up to kLastAddress.
  struct RequestNotes {
    std::uint64_t request, address, latency_ns;
  };
  static constexpr std::uint64_t kLastAddress = (std::uint64_t{1} << 7 * kAddressBytes) - 1;
  using NotesPattern = std::array<char, 57>;
  // Slices of one flow and name, one after the other, at most kMostOfFlow; then end().
  class Flow {
   public:
    void slice(const Pattern& on, Stamp from, Stamp to);
    // The first, of kMostNames names.
    void slice(const Pattern& on, Stamp from, Stamp to, const RequestNotes& notes);

   private:
    friend class PerfettoWriter;
    Flow(char* at, std::uint64_t number, Name name, const NotesPattern& notes)
        : at_(at), number_(number), name_(name), notes_(notes) {}
    void put(const Pattern& on, Stamp from);

    char* at_;
    char* last_ = nullptr;
    std::uint64_t number_;
    Name name_;
    const NotesPattern& notes_;
  };
  static constexpr std::size_t kMostOfFlow = 16;
  static constexpr Name kMostNames = 127;

  explicit PerfettoWriter(const std::string& path);
  // Siblings of one name are lanes of one track. A name has at most kLongestName characters.
  Track track(std::string_view name, Track parent, std::uint64_t rank);
  [[nodiscard]] static Pattern pattern(Track track);
  // Of slices; one call a name.
  Name name(std::string_view text);
  [[nodiscard]] Stamp stamp(std::uint64_t ns);
  [[nodiscard]] Flow flow(std::uint64_t number, Name name) const {
    return {end_, number, name, notes_};
  }
  void end(const Flow& flow);
  // In the midst of a flow, before something else is written and after it.
  void pause(const Flow& flow) { end_ = flow.at_; }
  void go_on(Flow& flow) const {
    flow.at_ = end_;
    flow.last_ = nullptr;  // it may have been written out
  }
  void slice(const Slice& slice, Notes notes = {});
  // At a point in time.
  void instant(Track track, Name name, Time at, Notes notes);
  void close();

 private:
  static constexpr std::size_t kLongestName = 256;
  static constexpr std::size_t kBlockBytes = 1u << 18, kMostOfSlice = 512;
  static constexpr std::size_t kMostOfBlock = kBlockBytes + kMostOfSlice + 64 * kMostOfFlow;
  static constexpr Track kMostTracks = 1u << 7 * kTrackBytes;
  static constexpr std::uint64_t kWindow = 1u << 14;  // of nanoseconds: two bytes
  static constexpr std::uint16_t kFlowEnds =
      perfetto::long_key(perfetto::track_event::kTerminatingFlowIds, perfetto::kFixed64);

  char* with_notes(char* to, std::uint64_t type, const Slice& slice, Notes notes);
  void advance(char* end) {
    end_ = end;
    if (static_cast<std::size_t>(end_ - buffer_.data()) >= kBlockBytes) flush();
  }
  void packet(std::string_view fields);
  void open_window(std::uint64_t ns);
  static NotesPattern notes_pattern();
  void flush();

  flits::CompressedFile file_;
  std::string buffer_;
  char* end_;         // of what stands in it
  Track tracks_ = 1;  // the root, on which nothing is
  Name names_ = 0;
  NotesPattern notes_;
  // Of a stamp all but the last two bytes of its time are most often those of the one before.
  std::uint64_t window_ = kLatest + 1, window_word_ = 0;  // in none yet
};

// Inline: they are less than their calls.
inline PerfettoWriter::Stamp PerfettoWriter::stamp(std::uint64_t ns) {
  std::uint64_t low = ns - window_;
  if (low >= kWindow) [[unlikely]] {
    open_window(ns);
    low = ns - window_;
  }
  return Stamp(window_word_ | (low & 0x7f) | (low & 0x3f80) << 1);
}

inline void PerfettoWriter::Flow::put(const Pattern& on, Stamp from) {
  std::memcpy(at_, on.bytes.data(), on.bytes.size());
  std::memcpy(at_ + Pattern::kBeginStamp, &from.word_, sizeof from.word_);
  std::memcpy(at_ + Pattern::kFlow, &number_, sizeof number_);
  at_[Pattern::kName] = static_cast<char>(name_);
  last_ = at_;
}

inline void PerfettoWriter::Flow::slice(const Pattern& on, Stamp from, Stamp to) {
  put(on, from);
  std::memcpy(at_ + Pattern::kEndStamp, &to.word_, sizeof to.word_);
  at_ += Pattern::kBytes;
}

// The event is the last in its packet, and the notes are the last in it.
inline void PerfettoWriter::Flow::slice(const Pattern& on, Stamp from, Stamp to,
                                        const RequestNotes& notes) {
  constexpr std::size_t kRequest = 3, kAddress = 20, kLatency = 40;
  constexpr auto kSize = static_cast<char>(NotesPattern{}.size());
  const auto number = [](char* to, std::uint64_t value) {
    const std::uint64_t word = perfetto::sevens(value) | perfetto::more<kStampBytes>();
    std::memcpy(to, &word, kStampBytes);
  };
  put(on, from);
  at_[Pattern::kPacketLength] += kSize;
  at_[Pattern::kEventLength] += kSize;
  at_ += Pattern::kEnd;
  std::memcpy(at_, notes_.data(), notes_.size());
  number(at_ + kRequest, notes.request);
  const std::uint64_t address = perfetto::sevens(notes.address) | perfetto::more<kAddressBytes>();
  std::memcpy(at_ + kAddress, &address, sizeof address);
  number(at_ + kLatency, notes.latency_ns);
  at_ += notes_.size();
  std::memcpy(at_, on.bytes.data() + Pattern::kEnd, Pattern::kBytes - Pattern::kEnd);
  std::memcpy(at_ + Pattern::kEndStamp - Pattern::kEnd, &to.word_, sizeof to.word_);
  at_ += Pattern::kBytes - Pattern::kEnd;
}

inline void PerfettoWriter::end(const Flow& flow) {
  if (flow.last_ != nullptr)
    std::memcpy(flow.last_ + Pattern::kFlowKey, &kFlowEnds, sizeof kFlowEnds);
  advance(flow.at_);
}

}  // namespace cxlgpu
