// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// bridge_t of cxl_io_pkg as the twins' Bridge, and back.
//
// Units:   bits; the first field of the struct is the highest.
// Source:  docs/blocks/cxl_io/io_route.md.
#pragma once

#include <string>

#include "refmodel/cxl_io/port_config_space.hpp"
#include "tests/common/bits.hpp"

namespace cxlgpu::test {

inline constexpr unsigned kBridgeBits = 306;

// visit(name, width, field) for all fields, the lowest first.
template <typename AnyBridge, typename Visit>
void bridge_fields(AnyBridge& b, Visit visit) {
  visit("alt_pre_limit", 44u, b.alt_windows.pre_limit);
  visit("alt_pre_base", 44u, b.alt_windows.pre_base);
  visit("alt_mem_limit", 12u, b.alt_windows.mem_limit);
  visit("alt_mem_base", 12u, b.alt_windows.mem_base);
  visit("alt_bus_limit", 8u, b.alt_bus_limit);
  visit("alt_bus_base", 8u, b.alt_bus_base);
  visit("alt", 1u, b.alt);
  visit("pre_limit", 44u, b.windows.pre_limit);
  visit("pre_base", 44u, b.windows.pre_base);
  visit("mem_limit", 12u, b.windows.mem_limit);
  visit("mem_base", 12u, b.windows.mem_base);
  visit("subordinate", 8u, b.subordinate);
  visit("secondary", 8u, b.secondary);
  visit("bar0", 48u, b.bar0);
  visit("mem_space", 1u, b.mem_space);
}

template <typename Port>
void set_bridge(Port& port, const Bridge& bridge) {
  unsigned at = 0;
  bridge_fields(bridge, [&](const char*, unsigned width, std::uint64_t value) {
    set_bits(port, at, width, value);
    at += width;
  });
}

template <typename Run, typename Port>
void check_bridge(Run& run, const Port& port, unsigned at, const Bridge& bridge) {
  bridge_fields(bridge, [&](const char* name, unsigned width, std::uint64_t value) {
    const std::string field = std::string("bridge_o.") + name;
    run.check(field.c_str(), get_bits(port, at, width), value);
    at += width;
  });
}

}  // namespace cxlgpu::test
