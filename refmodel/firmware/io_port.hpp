// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration and memory requests of one root port.
//
// Purpose: drives the port's CXL.io access registers and waits for answers.
// Units:   byte addresses in memory space; configuration addresses as in IoRequest.
// Errors:  InputError that names port and register if a request that must succeed does not.
// Source:  regs/io_access.yaml; PCI Express Base 5.0, 7.2.2.
#pragma once

#include <cstdint>

#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/firmware/register_bus.hpp"

namespace cxlgpu {

class IoPort {
 public:
  IoPort(RegisterBus& bus, unsigned port) : bus_(&bus), port_(port) {}

  [[nodiscard]] unsigned number() const { return port_; }
  IoResponse request(const IoRequest& request);

  // These must succeed.
  std::uint32_t succeed(const IoRequest& request);
  std::uint32_t read(std::uint64_t address);
  void write(std::uint64_t address, std::uint32_t value);

  static constexpr unsigned kAllBytes = 0xf;

 private:
  void set(std::uint32_t offset, std::uint32_t value) {
    bus_->write(RegisterSpace::RootPort, port_, offset, value);
  }
  std::uint32_t get(std::uint32_t offset) {
    return bus_->read(RegisterSpace::RootPort, port_, offset);
  }

  RegisterBus* bus_;
  unsigned port_;
};

}  // namespace cxlgpu
