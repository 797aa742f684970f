// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Programs an HDM decoder, a twin or the RTL, through its registers, for tests.
#pragma once

#include <cstdint>

#include "refmodel/host_bridge/hdm_decoder.hpp"

namespace cxlgpu::test {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kHdmChunk = 256 * kMiB;

inline constexpr std::uint32_t kHdmLock = 1u << 8, kHdmCommit = 1u << 9, kHdmCommitted = 1u << 10,
                               kHdmError = 1u << 11, kHdmHostOnly = 1u << 12;

constexpr std::uint32_t hdm_base(unsigned n) {
  return 0x20 * n + 0x10;
}
constexpr std::uint32_t hdm_size(unsigned n) {
  return 0x20 * n + 0x18;
}
constexpr std::uint32_t hdm_control(unsigned n) {
  return 0x20 * n + 0x20;
}
constexpr std::uint32_t hdm_list(unsigned n) {
  return 0x20 * n + 0x24;
}

struct HdmRange {
  std::uint64_t base = 0, size = 0;
  unsigned iw = 0, ig = 0;
  std::uint64_t list = 0;  // targets (host bridge) or DPA skip (device)
  bool lock = false;
};

template <typename Decoder>  // has write() and read()
void write_pair(Decoder& d, std::uint32_t offset, std::uint64_t value) {
  d.write(offset, static_cast<std::uint32_t>(value));
  d.write(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

// The order that the specification asks of software; true if the decoder committed.
template <typename Decoder>
bool program(Decoder& d, unsigned n, const HdmRange& r) {
  d.write(hdm_control(n), 0);
  write_pair(d, hdm_base(n), r.base);
  write_pair(d, hdm_size(n), r.size);
  write_pair(d, hdm_list(n), r.list);
  const std::uint32_t control = r.ig | r.iw << 4 | kHdmHostOnly | (r.lock ? kHdmLock : 0);
  d.write(hdm_control(n), control);
  d.write(hdm_control(n), control | kHdmCommit);
  return (d.read(hdm_control(n)) & kHdmCommitted) != 0;
}

inline HdmDecoder device_decoder() {
  HdmDecoder d(HdmDecoder::Role::Device);
  d.write(0x04, 2);
  return d;
}
inline HdmDecoder host_decoder() {
  return HdmDecoder(HdmDecoder::Role::HostBridge);
}

}  // namespace cxlgpu::test
