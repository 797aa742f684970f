// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/perfetto_writer.hpp"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cstring>

namespace cxlgpu {

using namespace perfetto;

namespace {

constexpr std::uint64_t kSequence = 1;

// Each of these writes from a place on and returns what follows.
char* varint(char* to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}
template <unsigned Field, unsigned Type>
char* key(char* to) {
  constexpr unsigned kKey = perfetto::key(Field, Type);
  static_assert(kKey < 1u << 14);
  if constexpr (kKey < 0x80) {
    *to = static_cast<char>(kKey);
    return to + 1;
  } else {
    constexpr std::uint16_t kLong = long_key(Field, Type);
    std::memcpy(to, &kLong, sizeof kLong);
    return to + sizeof kLong;
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
template <unsigned Field>
char* text(char* to, std::string_view value) {
  to = varint(key<Field, perfetto::kBytes>(to), value.size());
  return to + value.copy(to, value.size());
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
    put_varint(perfetto::key(field, kVarint));
    put_varint(value);
    return *this;
  }
  Fields& put(unsigned field, std::string_view value) {
    put_varint(perfetto::key(field, kBytes));
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
    : file_(path), buffer_(kMostOfBlock, '\0'), end_(buffer_.data()), notes_(notes_pattern()) {
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
  const Track uuid = tracks_++;
  if (uuid >= kMostTracks) {
    throw flits::OutputError(
        fmt::format("a timeline of more than {} tracks cannot be written; "
                    "give --timeline-every",
                    kMostTracks));
  }
  assert(name.size() <= kLongestName);
  char* to = key<trace::kPacket, perfetto::kBytes>(end_);
  const WideLength of_packet(to);
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackDescriptor, perfetto::kBytes>(to);
  const WideLength of_descriptor(to);
  to = number<track_descriptor::kUuid>(to, uuid);
  to = text<track_descriptor::kName>(to, name);
  if (parent != kRoot) to = number<track_descriptor::kParentUuid>(to, parent);
  to = constant<track_descriptor::kChildOrdering, track_descriptor::kExplicit>(to);
  to = number<track_descriptor::kSiblingOrderRank>(to, rank);
  of_descriptor.set(to);
  of_packet.set(to);
  advance(to);
  return uuid;
}

namespace {

// Of as many bytes as are left for it.
template <unsigned Field, std::size_t Bytes>
char* padded(char* to, std::uint64_t value) {
  to = key<Field, kVarint>(to);
  for (std::size_t i = 1; i < Bytes; ++i, value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

}  // namespace

// The times, the flow and the name are left for Flow to put.
PerfettoWriter::Pattern PerfettoWriter::pattern(Track track) {
  Pattern made;
  char* const begin = made.bytes.data();
  [[maybe_unused]] const auto at = [begin](std::size_t place) { return begin + place; };
  char* to = key<trace::kPacket, perfetto::kBytes>(begin);
  {
    const Length of_packet(to);
    to = constant<trace_packet::kSequenceFlags, trace_packet::kNeedsState>(to);
    to = padded<trace_packet::kTimestamp, kStampBytes>(to, 0);
    assert(to == at(Pattern::kBeginStamp + kStampBytes));
    to = constant<trace_packet::kSequenceId, kSequence>(to);
    to = key<trace_packet::kTrackEvent, perfetto::kBytes>(to);
    const Length of_event(to);
    assert(to == at(Pattern::kFlowKey));
    to = fixed<track_event::kFlowIds>(to, 0);
    to = number<track_event::kNameIid>(to, 0);
    assert(to == at(Pattern::kName + 1));
    to = constant<track_event::kType, track_event::kBegin>(to);
    to = padded<track_event::kTrackUuid, kTrackBytes>(to, track);
    of_event.set(to);
    of_packet.set(to);
  }
  assert(to == at(Pattern::kEnd));
  to = key<trace::kPacket, perfetto::kBytes>(to);
  const Length of_packet(to);
  to = padded<trace_packet::kTimestamp, kStampBytes>(to, 0);
  assert(to == at(Pattern::kEndStamp + kStampBytes));
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackEvent, perfetto::kBytes>(to);
  const Length of_event(to);
  to = constant<track_event::kType, track_event::kEnd>(to);
  to = padded<track_event::kTrackUuid, kTrackBytes>(to, track);
  of_event.set(to);
  of_packet.set(to);
  assert(to == at(Pattern::kBytes));
  return made;
}

PerfettoWriter::Name PerfettoWriter::name(std::string_view text) {
  const Name id = ++names_;
  Fields entry, data;
  entry.put(event_name::kIid, id).put(event_name::kName, text);
  data.put(interned_data::kEventNames, entry.all());
  packet(Fields().put(trace_packet::kInternedData, data.all()).all());
  return id;
}

[[gnu::noinline]] void PerfettoWriter::open_window(std::uint64_t ns) {
  std::array<char, sizeof(std::uint64_t)> bytes{};
  char* to = bytes.data() + kStampBytes;
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  key<trace_packet::kTrackEvent, perfetto::kBytes>(to);
  std::uint64_t behind = 0;
  std::memcpy(&behind, bytes.data(), sizeof behind);
  window_ = ns / kWindow * kWindow;
  window_word_ = behind | perfetto::sevens(window_) | perfetto::more<kStampBytes>();
}

// A begin, or a point in time; `type`.
char* PerfettoWriter::with_notes(char* to, std::uint64_t type, const Slice& slice, Notes notes) {
  assert(notes.size() <= kMostNotes);
  to = key<trace::kPacket, kBytes>(to);
  const WideLength of_packet(to);
  to = number<trace_packet::kTimestamp>(to, slice.from.ps / 1000);
  to = constant<trace_packet::kSequenceFlags, trace_packet::kNeedsState>(to);
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackEvent, kBytes>(to);
  const WideLength of_event(to);
  to = number<track_event::kType>(to, type);
  to = number<track_event::kTrackUuid>(to, slice.track);
  to = number<track_event::kNameIid>(to, slice.name);
  to = flow_of(to, slice.flow, slice.ends_flow);
  for (const Note& note : notes) {
    assert(note.name.size() <= kLongestNoteName);
    to = key<track_event::kDebugAnnotations, kBytes>(to);
    const Length of_note(to);
    to = note.address ? number<debug_annotation::kPointerValue>(to, note.value)
                      : number<debug_annotation::kUintValue>(to, note.value);
    to = text<debug_annotation::kName>(to, note.name);
    of_note.set(to);
  }
  of_event.set(to);
  of_packet.set(to);
  return to;
}

void PerfettoWriter::slice(const Slice& slice, Notes notes) {
  char* to = with_notes(end_, track_event::kBegin, slice, notes);
  to = key<trace::kPacket, perfetto::kBytes>(to);
  const Length of_packet(to);
  to = number<trace_packet::kTimestamp>(to, slice.to.ps / 1000);
  to = constant<trace_packet::kSequenceId, kSequence>(to);
  to = key<trace_packet::kTrackEvent, perfetto::kBytes>(to);
  const Length of_event(to);
  to = constant<track_event::kType, track_event::kEnd>(to);
  to = number<track_event::kTrackUuid>(to, slice.track);
  of_event.set(to);
  of_packet.set(to);
  advance(to);
}

namespace {

template <unsigned Field, std::size_t Bytes>
char* note(char* to, std::string_view name) {
  to = key<track_event::kDebugAnnotations, perfetto::kBytes>(to);
  const Length of_note(to);
  to = padded<Field, Bytes>(to, 0);
  to = text<debug_annotation::kName>(to, name);
  of_note.set(to);
  return to;
}

}  // namespace

PerfettoWriter::NotesPattern PerfettoWriter::notes_pattern() {
  NotesPattern made;
  char* to = made.data();
  to = note<debug_annotation::kUintValue, kStampBytes>(to, "request");
  to = note<debug_annotation::kPointerValue, kAddressBytes>(to, "address");
  to = note<debug_annotation::kUintValue, kStampBytes>(to, "latency_ns");
  assert(to == made.data() + made.size());
  return made;
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
