#include "refmodel/firmware/bring_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "refmodel/common/input_error.hpp"
#include "refmodel/common/registers.hpp"

namespace cxlgpu {

namespace ep = regs::ep;
namespace hdm = regs::hdm;
namespace rp = regs::rp;
namespace timeout = regs::timeout;

namespace {

constexpr std::uint32_t kNoClip = 15;
constexpr std::uint32_t kTimeoutValue = 2;  // 5 to 10 ms

struct Decoder {
  RegisterBus& bus;
  RegisterSpace space;
  unsigned index;
  unsigned number;

  [[nodiscard]] std::uint32_t address(std::uint32_t offset) const {
    return hdm::kDec + hdm::kDecStride * number + offset;
  }
  void set(std::uint32_t offset, std::uint32_t value) const {
    bus.write(space, index, address(offset), value);
  }
};

void program(const Decoder& decoder, const HdmRange& range, std::uint64_t targets_or_skip) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  decoder.set(hdm::kDecBaseLow, low(range.base));
  decoder.set(hdm::kDecBaseHigh, high(range.base));
  decoder.set(hdm::kDecSizeLow, low(range.size));
  decoder.set(hdm::kDecSizeHigh, high(range.size));
  decoder.set(hdm::kDecListLow, low(targets_or_skip));
  decoder.set(hdm::kDecListHigh, high(targets_or_skip));
  const auto granularity = static_cast<std::uint32_t>(std::countr_zero(range.granularity) - 8);
  const auto ways = static_cast<std::uint32_t>(std::countr_zero(range.ports.size()));
  const std::uint32_t control = hdm::kDecControlIg.put(granularity) | hdm::kDecControlIw.put(ways) |
                                hdm::kDecControlLock.mask() | hdm::kDecControlHostOnly.mask();
  decoder.set(hdm::kDecControl, control);
  decoder.set(hdm::kDecControl, control | hdm::kDecControlCommit.mask());
  const std::uint32_t seen =
      decoder.bus.read(decoder.space, decoder.index, decoder.address(hdm::kDecControl));
  if (!hdm::kDecControlCommitted.is_set(seen)) {
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

std::uint32_t pack(const std::vector<std::uint64_t>& values,
                   const std::array<regs::Field, 3>& fields) {
  std::uint32_t packed = 0;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    packed |= fields[k].put(static_cast<std::uint32_t>(values[k]));
  }
  return packed;
}

}  // namespace

void bring_up(RegisterBus& bus, const RunConfig& config, const EndpointParts& parts) {
  for (unsigned port = 0; port < config.ports; ++port) {
    unsigned number = 0;
    for (const HdmRange& range : config.hdm) {
      if (std::find(range.ports.begin(), range.ports.end(), port) == range.ports.end()) continue;
      program({bus, RegisterSpace::Endpoint, port, number++}, range, 0);
    }
    bus.write(RegisterSpace::Endpoint, port, hdm::kGlobalControl, hdm::kGlobalControlEnable.mask());
    const std::uint32_t length = config.root_port.spec_length ? 1 : 0;
    bus.write(RegisterSpace::Endpoint, port, ep::kControl,
              ep::kControlDramEnable.put(parts.internal_dram) | ep::kControlLenEnable.put(length));
    bus.write(RegisterSpace::Endpoint, port, ep::kSets, ep::kSetsLog2.put(parts.cache_sets_log2));
    bus.write(RegisterSpace::Endpoint, port, ep::kIngressTh,
              pack(config.endpoint.ingress_thresholds,
                   {ep::kIngressThTh0, ep::kIngressThTh1, ep::kIngressThTh2}));
    bus.write(
        RegisterSpace::Endpoint, port, ep::kMshrTh,
        pack(config.endpoint.mshr_thresholds, {ep::kMshrThTh0, ep::kMshrThTh1, ep::kMshrThTh2}));
    bus.write(RegisterSpace::RootPort, port, rp::kPolicy,
              rp::kPolicySelect.put(static_cast<std::uint32_t>(config.root_port.policy)) |
                  rp::kPolicyLenEnable.put(length) | rp::kPolicyClipLog2.put(clip_log2(config)));
    bus.write(RegisterSpace::RootPort, port, timeout::kControl,
              timeout::kControlMemValue.put(kTimeoutValue) | timeout::kControlMemEnable.mask() |
                  timeout::kControlMemIsolation.mask() | timeout::kControlMemLinkDown.mask());
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
