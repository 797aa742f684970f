// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/controller/almp_codec.hpp"

namespace cxlgpu {
namespace {

constexpr unsigned kBytes = 4, kCopies = 4;
constexpr std::uint8_t kVlsmState = 0x08;  // byte 1

}  // namespace

CrcFlit encode_almp(const Almp& almp) {
  CrcFlit flit;
  for (unsigned copy = 0; copy < kCopies; ++copy) {
    std::uint8_t* bytes = &flit.payload[kBytes * copy];
    bytes[1] = kVlsmState;
    bytes[2] = static_cast<std::uint8_t>((almp.request ? 0x80 : 0) | unsigned(almp.code));
    bytes[3] = static_cast<std::uint8_t>(almp.link);
  }
  return flit;
}

AlmpReading read_almp(const CrcFlit& flit) {
  const std::uint8_t* first = flit.payload.data();
  AlmpReading reading;
  for (unsigned copy = 1; copy < kCopies; ++copy) {
    reading.damaged |= std::memcmp(first, first + kBytes * copy, kBytes) != 0;
  }
  reading.almp = {.link = static_cast<AlmpLink>(first[3] & 0xF),
                  .request = (first[2] & 0x80) != 0,
                  .code = static_cast<VlsmCode>(first[2] & 0xF)};
  const bool known = reading.almp.link == AlmpLink::kIo || reading.almp.link == AlmpLink::kCachemem;
  reading.malformed = first[0] != 0 || first[1] != kVlsmState || (first[2] & 0x70) != 0 ||
                      (first[3] & 0xF0) != 0 || !known;
  return reading;
}

}  // namespace cxlgpu
