// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "cli/perfetto_writer.hpp"

#include <array>

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
  std::array<char, 10> bytes;
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7) bytes[size++] = static_cast<char>(value | 0x80);
  bytes[size++] = static_cast<char>(value);
  to.append(bytes.data(), size);
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
  constexpr std::size_t kOfSequence = 2;  // a key and a small number
  put_varint(buffer_, trace::kPacket << 3 | kBytes);
  put_varint(buffer_, fields.size() + kOfSequence);
  buffer_ += fields;
  put(buffer_, trace_packet::kSequenceId, kSequence);
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
  const auto known = names_.find(name);
  if (known != names_.end()) return known->second;
  const std::uint64_t id = names_.size() + 1;
  names_.emplace(name, id);
  std::string entry, data, fields;
  put(entry, event_name::kIid, id);
  put(entry, event_name::kName, name);
  put(data, interned_data::kEventNames, entry);
  put(fields, trace_packet::kInternedData, data);
  packet(fields);
  return id;
}

// What stands in event_ is of the type, on the track.
void PerfettoWriter::event(Time at, std::uint64_t type, Track track) {
  put(event_, track_event::kType, type);
  put(event_, track_event::kTrackUuid, track);
  fields_.clear();
  put(fields_, trace_packet::kTimestamp, at.ps / 1000);
  put(fields_, trace_packet::kSequenceFlags, trace_packet::kNeedsState);
  put(fields_, trace_packet::kTrackEvent, event_);
  packet(fields_);
  event_.clear();
}

void PerfettoWriter::slice(const Slice& slice, const std::vector<Note>& notes) {
  put(event_, track_event::kNameIid, name_id(slice.name));
  if (slice.flow != 0) {
    put_fixed(event_, slice.ends_flow ? track_event::kTerminatingFlowIds : track_event::kFlowIds,
              slice.flow);
  }
  put_notes(event_, notes);
  event(slice.from, track_event::kBegin, slice.track);
  event(slice.to, track_event::kEnd, slice.track);
}

void PerfettoWriter::instant(Track track, std::string_view name, Time at,
                             const std::vector<Note>& notes) {
  put(event_, track_event::kNameIid, name_id(name));
  put_notes(event_, notes);
  event(at, track_event::kInstant, track);
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
