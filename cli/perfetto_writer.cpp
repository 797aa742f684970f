// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/perfetto_writer.hpp"

#include <bit>
#include <cassert>
#include <cstring>

namespace cxlgpu {

namespace {

constexpr std::uint64_t kSequence = 1;

// Field numbers of the schema.
namespace trace {
constexpr unsigned kPacket = 1;
}
namespace trace_packet {
constexpr unsigned kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace trace_packet
namespace interned_data {
constexpr unsigned kEventNames = 2;
}
namespace event_name {
constexpr unsigned kIid = 1, kName = 2;
}
namespace track_descriptor {
constexpr unsigned kUuid = 1, kName = 2, kParentUuid = 5, kChildOrdering = 11,
                   kSiblingOrderRank = 12;
constexpr std::uint64_t kExplicit = 3;
}  // namespace track_descriptor
namespace track_event {
constexpr unsigned kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11, kFlowIds = 47,
                   kTerminatingFlowIds = 48;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3;
}  // namespace track_event
namespace debug_annotation {
constexpr unsigned kUintValue = 3, kPointerValue = 7, kName = 10;
}

// Protocol Buffers' encoding: a key of field number and wire type, then the value. Each of these
// writes from a place on and returns what follows.
constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2;

char* varint(char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}
template <unsigned Field, unsigned Type>
char* key(char* to) {
  constexpr unsigned kKey = Field << 3 | Type;
  static_assert(kKey < 1u << 14);
  if constexpr (kKey < 0x80) {
    *to = static_cast<char>(kKey);
    return to + 1;
  } else {
    to[0] = static_cast<char>(kKey | 0x80);
    to[1] = static_cast<char>(kKey >> 7);
    return to + 2;
  }
}
template <unsigned Field>
char* number(char* to, std::uint64_t value) {
  return varint(key<Field, kVarint>(to), value);
}
template <unsigned Field, std::uint64_t Value>
char* constant(char* to) {
  static_assert(Value < 0x80);
  to = key<Field, kVarint>(to);
  *to = static_cast<char>(Value);
  return to + 1;
}
template <unsigned Field>
char* fixed(char* to, std::uint64_t value) {
  static_assert(std::endian::native == std::endian::little, "as the encoding has it");
  to = key<Field, kFixed64>(to);
  std::memcpy(to, &value, sizeof value);
  return to + sizeof value;
}
char* flow_of(char* to, std::uint64_t flow, bool ends_flow) {
  if (flow == 0) return to;
  return ends_flow ? fixed<track_event::kTerminatingFlowIds>(to, flow)
                   : fixed<track_event::kFlowIds>(to, flow);
}

// The length of what follows, filled in when that is written: below 128.
class Length {
 public:
  explicit Length(char*& to) : at_(to) { ++to; }
  void set(const char* end) const { *at_ = static_cast<char>(end - at_ - 1); }

 private:
  char* at_;
};

// ... of two bytes, even if one would do, which the encoding allows.
class WideLength {
 public:
  explicit WideLength(char*& to) : at_(to) { to += 2; }
  void set(const char* end) const {
    const auto size = static_cast<std::size_t>(end - at_ - 2);
    at_[0] = static_cast<char>(size | 0x80);
    at_[1] = static_cast<char>(size >> 7);
  }

 private:
  char* at_;
};

// A message of any length.
class Fields {
 public:
  Fields& put(unsigned field, std::uint64_t value) {
    put_varint(field << 3 | kVarint);
    put_varint(value);
    return *this;
  }
  Fields& put(unsigned field, std::string_view value) {
    put_varint(field << 3 | kBytes);
    put_varint(value.size());
    all_ += value;
    return *this;
  }
  [[nodiscard]] std::string_view all() const { return all_; }

 private:
  void put_varint(std::uint64_t value) {
    std::array<char, 10> bytes;
    all_.append(bytes.data(), varint(bytes.data(), value));
  }

  std::string all_;
};

}  // namespace

PerfettoWriter::PerfettoWriter(const std::string& path)
    : file_(path), buffer_(kBlockBytes + kMostOfSlice, '\0'), end_(buffer_.data()) {
  tracks_.emplace_back();  // the root, on which nothing is
  packet(Fields().put(trace_packet::kSequenceFlags, trace_packet::kStateCleared).all());
  flush();
}

// A packet that is not of a slice.
void PerfettoWriter::packet(std::string_view fields) {
  const std::string whole =
      std::string(fields) + std::string(Fields().put(trace_packet::kSequenceId, kSequence).all());
  const Fields framed = Fields().put(trace::kPacket, whole);
  flush();
  file_.write(framed.all());
}

PerfettoWriter::Track PerfettoWriter::track(std::string_view name, Track parent,
                                            std::uint64_t rank) {
  const auto uuid = static_cast<Track>(tracks_.size());
  Fields descriptor;
  descriptor.put(track_descriptor::kUuid, uuid).put(track_descriptor::kName, name);
  if (parent != kRoot) descriptor.put(track_descriptor::kParentUuid, parent);
  descriptor.put(track_descriptor::kChildOrdering, track_descriptor::kExplicit)
      .put(track_descriptor::kSiblingOrderRank, rank);
  packet(Fields().put(trace_packet::kTrackDescriptor, descriptor.all()).all());

  TrackPieces& pieces = tracks_.emplace_back();
  char* at = pieces.begin.bytes.data();
  at = number<track_event::kTrackUuid>(at, uuid);
  pieces.begin.size = static_cast<std::size_t>(at - pieces.begin.bytes.data());
  at = pieces.end.bytes.data();
  at = constant<trace_packet::kSequenceFlags, trace_packet::kNeedsState>(at);
  at = constant<trace_packet::kSequenceId, kSequence>(at);
  at = key<trace_packet::kTrackEvent, kBytes>(at);
  const Length of_event(at);
  at = constant<track_event::kType, track_event::kEnd>(at);
  at = number<track_event::kTrackUuid>(at, uuid);
  of_event.set(at);
  pieces.end.size = static_cast<std::size_t>(at - pieces.end.bytes.data());
  return uuid;
}

PerfettoWriter::Name PerfettoWriter::name(std::string_view text) {
  const Name id = ++names_;
  Fields entry, data;
  entry.put(event_name::kIid, id).put(event_name::kName, text);
  data.put(interned_data::kEventNames, entry.all());
  packet(Fields().put(trace_packet::kInternedData, data.all()).all());
  return id;
}

namespace {

char* piece(char* to, const std::array<char, 16>& bytes, std::size_t size) {
  std::memcpy(to, bytes.data(), bytes.size());  // what is too much is written over
  return to + size;
}

}  // namespace

inline char* PerfettoWriter::time(char* to, Time at) {
  const std::uint64_t ns = at.ps / 1000;
  if (ns != last_ns_) {
    last_ns_ = ns;
    char* const end = number<trace_packet::kTimestamp>(last_time_.bytes.data(), ns);
    last_time_.size = static_cast<std::size_t>(end - last_time_.bytes.data());
  }
  return piece(to, last_time_.bytes, last_time_.size);
}

inline char* PerfettoWriter::end(char* to, Track track, Time at) {
  to = key<trace::kPacket, kBytes>(to);
  const Length of_packet(to);
  to = time(to, at);
  const Piece& on = tracks_[track].end;
  to = piece(to, on.bytes, on.size);
  of_packet.set(to);
  return to;
}

void PerfettoWriter::slice(const Slice& slice) {
  char* to = key<trace::kPacket, kBytes>(end_);
  const Length of_packet(to);
  to = time(to, slice.from);
  to = constant<trace_packet::kSequenceFlags, trace_packet::kNeedsState>(to);
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackEvent, kBytes>(to);
  const Length of_event(to);
  to = constant<track_event::kType, track_event::kBegin>(to);
  const Piece& on = tracks_[slice.track].begin;
  to = piece(to, on.bytes, on.size);
  to = number<track_event::kNameIid>(to, slice.name);
  to = flow_of(to, slice.flow, slice.ends_flow);
  of_event.set(to);
  of_packet.set(to);
  advance(end(to, slice.track, slice.to));
}

// A begin, or a point in time; `type`.
char* PerfettoWriter::with_notes(char* to, std::uint64_t type, const Slice& slice, Notes notes) {
  assert(notes.size() <= kMostNotes);
  to = key<trace::kPacket, kBytes>(to);
  const WideLength of_packet(to);
  to = time(to, slice.from);
  to = constant<trace_packet::kSequenceFlags, trace_packet::kNeedsState>(to);
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackEvent, kBytes>(to);
  const WideLength of_event(to);
  to = number<track_event::kType>(to, type);
  const Piece& on = tracks_[slice.track].begin;
  to = piece(to, on.bytes, on.size);
  to = number<track_event::kNameIid>(to, slice.name);
  to = flow_of(to, slice.flow, slice.ends_flow);
  for (const Note& note : notes) {
    assert(note.name.size() <= kLongestNoteName);
    to = key<track_event::kDebugAnnotations, kBytes>(to);
    const Length of_note(to);
    to = note.address ? number<debug_annotation::kPointerValue>(to, note.value)
                      : number<debug_annotation::kUintValue>(to, note.value);
    to = key<debug_annotation::kName, kBytes>(to);
    to = varint(to, note.name.size());
    std::memcpy(to, note.name.data(), note.name.size());
    to += note.name.size();
    of_note.set(to);
  }
  of_event.set(to);
  of_packet.set(to);
  return to;
}

void PerfettoWriter::slice(const Slice& slice, Notes notes) {
  char* const to = with_notes(end_, track_event::kBegin, slice, notes);
  advance(end(to, slice.track, slice.to));
}

void PerfettoWriter::instant(Track track, Name name, Time at, Notes notes) {
  const Slice point = {.track = track, .name = name, .from = at, .to = at};
  advance(with_notes(end_, track_event::kInstant, point, notes));
}

void PerfettoWriter::close() {
  flush();
  file_.publish();
}

void PerfettoWriter::flush() {
  file_.write({buffer_.data(), end_});
  end_ = buffer_.data();
}

}  // namespace cxlgpu
