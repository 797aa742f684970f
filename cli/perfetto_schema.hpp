// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The field numbers of Perfetto's published schema that a timeline has, under their names there,
// and Protocol Buffers' encoding of a key and of a number.
//
// Source: protos/perfetto/trace of the Perfetto project; "Encoding" of the Protocol Buffers
//         documentation.
#pragma once

#include <cstdint>

namespace cxlgpu::perfetto {

namespace trace {
inline constexpr unsigned kPacket = 1;
}
namespace trace_packet {
inline constexpr unsigned kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                          kSequenceFlags = 13, kTrackDescriptor = 60;
inline constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace trace_packet
namespace interned_data {
inline constexpr unsigned kEventNames = 2;
}
namespace event_name {
inline constexpr unsigned kIid = 1, kName = 2;
}
namespace track_descriptor {
inline constexpr unsigned kUuid = 1, kName = 2, kParentUuid = 5, kChildOrdering = 11,
                          kSiblingOrderRank = 12;
inline constexpr std::uint64_t kExplicit = 3;
}  // namespace track_descriptor
namespace track_event {
inline constexpr unsigned kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                          kFlowIds = 47, kTerminatingFlowIds = 48;
inline constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3;
}  // namespace track_event
namespace debug_annotation {
inline constexpr unsigned kUintValue = 3, kPointerValue = 7, kName = 10;
}

// A key: the field's number and what its value is.
inline constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2;
constexpr unsigned key(unsigned field, unsigned type) {
  return field << 3 | type;
}
// ... of a field from 16 on, as its two bytes stand in memory.
constexpr std::uint16_t long_key(unsigned field, unsigned type) {
  const unsigned plain = key(field, type);
  return static_cast<std::uint16_t>((plain & 0x7f) | 0x80 | plain >> 7 << 8);
}
// A number below 2^56 as a varint of eight bytes, or of fewer: seven bits a byte, and what says
// that another follows is not set.
constexpr std::uint64_t sevens(std::uint64_t value) {
  value = (value & 0x0fff'ffff) | (value & 0x00ff'ffff'f000'0000) << 4;
  value = (value & 0x0000'3fff'0000'3fff) | (value & 0x0fff'c000'0fff'c000) << 2;
  return (value & 0x007f'007f'007f'007f) | (value & 0x3f80'3f80'3f80'3f80) << 1;
}
// What says it, in a varint of so many bytes.
template <unsigned Bytes>
constexpr std::uint64_t more() {
  return 0x8080'8080'8080'8080 >> 8 * (9 - Bytes);
}

}  // namespace cxlgpu::perfetto
