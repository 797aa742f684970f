// Configuration and memory requests on the link of one root port.
//
// Purpose: drives the port's CXL.io access registers; waits for the link and for answers.
// Units:   byte offsets in the configuration space of the device at the end of the link, byte
//          addresses in memory space.
// Errors:  InputError that names port, device and register if the link stays down or a request that
//          must succeed does not.
// Source:  regs/io_access.yaml; PCI Express Base 5.0, 7.2.2.
#pragma once

#include <cstdint>

#include "refmodel/cxl_io/io_requester.hpp"
#include "refmodel/firmware/register_bus.hpp"

namespace cxlgpu {

class IoPort {
 public:
  IoPort(RegisterBus& bus, unsigned port) : bus_(bus), port_(port) {}

  [[nodiscard]] unsigned number() const { return port_; }
  // Waits for the data link of CXL.io.
  [[nodiscard]] bool wait_for_link();
  IoResponse request(const IoRequest& request);

  // These must succeed.
  std::uint32_t config_read(std::uint32_t offset);
  std::uint32_t config_read16(std::uint32_t offset);
  void config_write(std::uint32_t offset, std::uint32_t value);
  std::uint32_t read(std::uint64_t address);
  void write(std::uint64_t address, std::uint32_t value);

  // Configuration address of a register of the device, function 0, on the bus behind this port.
  [[nodiscard]] std::uint64_t config_address(std::uint32_t offset) const {
    return std::uint64_t{port_ + 1} << 20 | offset;
  }

 private:
  static constexpr unsigned kAllBytes = 0xf;

  void set(std::uint32_t offset, std::uint32_t value) {
    bus_.write(RegisterSpace::RootPort, port_, offset, value);
  }
  std::uint32_t get(std::uint32_t offset) {
    return bus_.read(RegisterSpace::RootPort, port_, offset);
  }
  std::uint32_t succeed(const IoRequest& request);

  RegisterBus& bus_;
  unsigned port_;
};

}  // namespace cxlgpu
