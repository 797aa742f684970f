// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What host bridge and endpoints make of addresses, against arithmetic of the test's own.
//
// Purpose: for ranges over whole media, every address goes to one place, every place has one
// address. Units:   bytes. Errors:  GoogleTest failures that name the address. Source:
// CXL 2.0, 8.2.5.12.20.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "sim/firmware/hdm.hpp"

namespace cxlgpu::test {

struct Translation {
  // Root port that the host bridge sends an address to.
  std::function<std::optional<unsigned>(std::uint64_t hpa)> route;
  // DPA in the endpoint of a port.
  std::function<std::optional<std::uint64_t>(unsigned port, std::uint64_t hpa)> translate;
};

// The address of a byte of media: the other way round, by counting.
inline std::uint64_t address_of(const std::vector<HdmRange>& ranges, unsigned port,
                                std::uint64_t dpa) {
  for (const HdmRange& range : ranges) {
    const std::uint64_t share = range.size / range.ports.size();
    for (std::size_t way = 0; way < range.ports.size(); ++way) {
      if (range.ports[way] != port) continue;
      if (dpa < share) {
        const std::uint64_t chunk = dpa / range.granularity * range.ports.size() + way;
        return range.base + chunk * range.granularity + dpa % range.granularity;
      }
      dpa -= share;
    }
  }
  ADD_FAILURE() << "no address for " << dpa << " of port " << port;
  return 0;
}

inline void expect_translation(const Translation& system, const std::vector<HdmRange>& ranges,
                               const std::vector<std::uint64_t>& sizes) {
  std::mt19937_64 rng(1);
  for (unsigned port = 0; port < sizes.size(); ++port) {
    std::vector<std::uint64_t> dpas{0, 64, 256, 1024, 16384, sizes[port] - 64, sizes[port] / 2};
    for (unsigned i = 0; i < 200; ++i) dpas.push_back(rng() % sizes[port] & ~std::uint64_t{63});
    for (const std::uint64_t dpa : dpas) {
      const std::uint64_t hpa = address_of(ranges, port, dpa);
      EXPECT_EQ(system.route(hpa), port) << std::hex << "at 0x" << hpa;
      EXPECT_EQ(system.translate(port, hpa), dpa) << "port " << port << std::hex << " at 0x" << hpa;
    }
  }
  for (const std::uint64_t hpa :
       {ranges.front().base - 64, ranges.back().base + ranges.back().size}) {
    EXPECT_FALSE(system.route(hpa).has_value()) << std::hex << "0x" << hpa;
  }
}

}  // namespace cxlgpu::test
