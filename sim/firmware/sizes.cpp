// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/firmware/sizes.hpp"

#include <map>
#include <utility>

#include "common/rtl_sizes.hpp"
#include "sim/config/config_keys.hpp"

namespace cxlgpu {

namespace {

constexpr unsigned kPages = 15;  // of root ports, beside that of the host bridge

}  // namespace

unsigned count_root_ports(RegisterBus& bus) {
  unsigned ports = 0;
  while (ports < kPages && bus.read(RegisterSpace::RootPort, ports, regs::rp::kSrCap) != 0) ++ports;
  return ports;
}

void check_port_count(RegisterBus& bus, const RunConfig& config) {
  const unsigned ports = count_root_ports(bus);
  if (ports != 0 && ports < config.ports) check_size(config, *rtl_size_of("system.ports"), ports);
}

void check_sizes(const RunConfig& config, const ReadRegister& root_port,
                 const ReadRegister& endpoint) {
  std::map<std::pair<RtlSize::Page, std::uint32_t>, std::uint32_t> known;  // each is read once
  for (const RtlSize& size : kRtlSizes) {
    if (size.page == RtlSize::Page::None || size.key.empty()) continue;
    const auto [at, is_new] = known.try_emplace({size.page, size.offset});
    if (is_new) {
      at->second = (size.page == RtlSize::Page::RootPort ? root_port : endpoint)(size.offset);
    }
    const std::uint64_t value = size.field.get(at->second) * size.scale;
    if (value != 0) check_size(config, size, value);
  }
}

}  // namespace cxlgpu
