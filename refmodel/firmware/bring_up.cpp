#include "refmodel/firmware/bring_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "refmodel/common/input_error.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint32_t kGlobalControl = 0x04;
constexpr std::uint32_t kHdmEnable = 1u << 1;
constexpr std::uint32_t kLockOnCommit = 1u << 8;
constexpr std::uint32_t kCommit = 1u << 9;
constexpr std::uint32_t kCommitted = 1u << 10;
constexpr std::uint32_t kHostOnly = 1u << 12;
constexpr std::uint32_t kVendorBlock = 0x800;
constexpr std::uint32_t kNoClip = 15;

struct Decoder {
  RegisterBus& bus;
  RegisterSpace space;
  unsigned index;
  unsigned number;

  void set(std::uint32_t offset, std::uint32_t value) const {
    bus.write(space, index, 0x20 * number + offset, value);
  }
};

void program(const Decoder& decoder, const HdmRange& range, std::uint64_t targets_or_skip) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  decoder.set(0x10, low(range.base));
  decoder.set(0x14, high(range.base));
  decoder.set(0x18, low(range.size));
  decoder.set(0x1c, high(range.size));
  decoder.set(0x24, low(targets_or_skip));
  decoder.set(0x28, high(targets_or_skip));
  const auto granularity = static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8);
  const auto ways = static_cast<std::uint32_t>(std::countr_zero(range.ports.size()));
  const std::uint32_t control = granularity | ways << 4 | kLockOnCommit | kHostOnly;
  decoder.set(0x20, control);
  decoder.set(0x20, control | kCommit);
  const std::uint32_t seen =
      decoder.bus.read(decoder.space, decoder.index, 0x20 * decoder.number + 0x20);
  if ((seen & kCommitted) == 0) {
    throw InputError(
        fmt::format("key 'hdm.ranges': {} decoder {} did not commit (control 0x{:x}); "
                    "check base, size and ports of the range at 0x{:x}",
                    decoder.space == RegisterSpace::HostBridge ? "host bridge" : "endpoint",
                    decoder.number, seen, range.base));
  }
}

std::uint32_t clip_log2(const RunConfig& config) {
  std::uint32_t clip = kNoClip;
  for (const HdmRange& range : config.hdm) {
    if (range.ports.size() > 1) {
      clip = std::min(clip, static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8));
    }
  }
  return clip;
}

std::uint32_t pack_thresholds(const std::vector<std::uint64_t>& values) {
  return static_cast<std::uint32_t>(values[0] | values[1] << 8 | values[2] << 16);
}

}  // namespace

void bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts) {
  for (unsigned port = 0; port < config.ports; ++port) {
    unsigned number = 0;
    for (const HdmRange& range : config.hdm) {
      if (std::find(range.ports.begin(), range.ports.end(), port) == range.ports.end()) continue;
      program({bus, RegisterSpace::Endpoint, port, number++}, range, 0);
    }
    bus.write(RegisterSpace::Endpoint, port, kGlobalControl, kHdmEnable);
    const std::uint32_t length = config.root_port.spec_length ? 1 : 0;
    bus.write(RegisterSpace::Endpoint, port, kVendorBlock,
              (parts.internal_dram ? 1u : 0u) | length << 1);
    bus.write(RegisterSpace::Endpoint, port, kVendorBlock + 4, parts.cache_sets_log2);
    bus.write(RegisterSpace::Endpoint, port, kVendorBlock + 8,
              pack_thresholds(config.endpoint.ingress_thresholds));
    bus.write(RegisterSpace::Endpoint, port, kVendorBlock + 12,
              pack_thresholds(config.endpoint.mshr_thresholds));
    bus.write(
        RegisterSpace::RootPort, port, kVendorBlock,
        static_cast<std::uint32_t>(config.root_port.policy) | length << 4 | clip_log2(config) << 8);
  }
  unsigned number = 0;
  for (const HdmRange& range : config.hdm) {
    std::uint64_t targets = 0;
    for (std::size_t way = 0; way < range.ports.size(); ++way) {
      targets |= std::uint64_t{kPortNumberBase + range.ports[way]} << (8 * way);
    }
    program({bus, RegisterSpace::HostBridge, 0, number++}, range, targets);
  }
}

}  // namespace cxlgpu
