// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/perfetto_writer.hpp"

namespace cxlgpu {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;
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

// Protocol Buffers' encoding: a key of field number and wire type, then the value.
constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2;

void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}
void put(std::string& to, unsigned field, std::uint64_t value) {
  put_varint(to, field << 3 | kVarint);
  put_varint(to, value);
}
void put_fixed(std::string& to, unsigned field, std::uint64_t value) {
  put_varint(to, field << 3 | kFixed64);
  for (unsigned shift = 0; shift < 64; shift += 8) to += static_cast<char>(value >> shift);
}
void put(std::string& to, unsigned field, std::string_view bytes) {
  put_varint(to, field << 3 | kBytes);
  put_varint(to, bytes.size());
  to += bytes;
}

std::string track_event_of(std::uint64_t type, PerfettoWriter::Track track) {
  std::string event;
  put(event, track_event::kType, type);
  put(event, track_event::kTrackUuid, track);
  return event;
}

void put_notes(std::string& event, const std::vector<PerfettoWriter::Note>& notes) {
  for (const PerfettoWriter::Note& note : notes) {
    std::string annotation;
    put(annotation, note.address ? debug_annotation::kPointerValue : debug_annotation::kUintValue,
        note.value);
    put(annotation, debug_annotation::kName, note.name);
    put(event, track_event::kDebugAnnotations, annotation);
  }
}

}  // namespace

PerfettoWriter::PerfettoWriter(const std::string& path) : file_(path) {
  std::string fields;
  put(fields, trace_packet::kSequenceFlags, trace_packet::kStateCleared);
  packet(fields);
  flush();
}

void PerfettoWriter::packet(const std::string& fields) {
  std::string whole = fields;
  put(whole, trace_packet::kSequenceId, kSequence);
  put(buffer_, trace::kPacket, whole);
  if (buffer_.size() >= kBlockBytes) flush();
}

PerfettoWriter::Track PerfettoWriter::track(std::string_view name, Track parent,
                                            std::uint64_t rank) {
  const Track uuid = ++tracks_;
  std::string descriptor, fields;
  put(descriptor, track_descriptor::kUuid, uuid);
  put(descriptor, track_descriptor::kName, name);
  if (parent != kRoot) put(descriptor, track_descriptor::kParentUuid, parent);
  put(descriptor, track_descriptor::kChildOrdering, track_descriptor::kExplicit);
  put(descriptor, track_descriptor::kSiblingOrderRank, rank);
  put(fields, trace_packet::kTrackDescriptor, descriptor);
  packet(fields);
  return uuid;
}

std::uint64_t PerfettoWriter::name_id(std::string_view name) {
  const auto [at, is_new] = names_.try_emplace(std::string(name), names_.size() + 1);
  if (is_new) {
    std::string entry, data, fields;
    put(entry, event_name::kIid, at->second);
    put(entry, event_name::kName, name);
    put(data, interned_data::kEventNames, entry);
    put(fields, trace_packet::kInternedData, data);
    packet(fields);
  }
  return at->second;
}

void PerfettoWriter::event(Time at, const std::string& track_event) {
  std::string fields;
  put(fields, trace_packet::kTimestamp, at.ps / 1000);
  put(fields, trace_packet::kSequenceFlags, trace_packet::kNeedsState);
  put(fields, trace_packet::kTrackEvent, track_event);
  packet(fields);
}

void PerfettoWriter::slice(const Slice& slice, const std::vector<Note>& notes) {
  const std::uint64_t name = name_id(slice.name);
  std::string begin = track_event_of(track_event::kBegin, slice.track);
  put(begin, track_event::kNameIid, name);
  if (slice.flow != 0) {
    put_fixed(begin, slice.ends_flow ? track_event::kTerminatingFlowIds : track_event::kFlowIds,
              slice.flow);
  }
  put_notes(begin, notes);
  event(slice.from, begin);
  event(slice.to, track_event_of(track_event::kEnd, slice.track));
}

void PerfettoWriter::instant(Track track, std::string_view name, Time at,
                             const std::vector<Note>& notes) {
  const std::uint64_t id = name_id(name);
  std::string event_fields = track_event_of(track_event::kInstant, track);
  put(event_fields, track_event::kNameIid, id);
  put_notes(event_fields, notes);
  event(at, event_fields);
}

void PerfettoWriter::close() {
  flush();
  file_.publish();
}

void PerfettoWriter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

}  // namespace cxlgpu
