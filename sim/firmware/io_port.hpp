// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration and memory requests of one root port, each made at once.
//
// Purpose: the requests of IoThread, and other tasks of firmware, over a RegisterBus.
// Units:   byte addresses in memory space; configuration addresses as in IoRequest.
// Errors:  InputError that names port and register if a request that must succeed does not.
// Source:  regs/io_access.yaml; PCI Express Base 5.0, 7.2.2.
#pragma once

#include <cstdint>

#include "common/io_port.hpp"
#include "common/register_bus.hpp"
#include "sim/firmware/io_thread.hpp"

namespace cxlgpu {

class IoPort {
 public:
  IoPort(RegisterBus& bus, unsigned port) : bus_(&bus), port_(port) {}

  [[nodiscard]] unsigned number() const { return port_; }
  // What `make` makes of an IoThread, a task, run to its end.
  template <typename Make>
  auto run(const Make& make) const {
    FirmwareThread thread;
    return run_at_once(*bus_, thread, make(IoThread(thread, port_)));
  }
  IoResponse request(const IoRequest& request) const {
    return run([&](const IoThread& io) { return io.request(request); });
  }

  // These must succeed.
  std::uint32_t succeed(const IoRequest& request) const {
    return run([&](const IoThread& io) { return io.succeed(request); });
  }
  std::uint32_t read(std::uint64_t address) const {
    return run([&](const IoThread& io) { return io.read(address); });
  }
  void write(std::uint64_t address, std::uint32_t value) const {
    run([&](const IoThread& io) { return io.write(address, value); });
  }

  static constexpr unsigned kAllBytes = IoThread::kAllBytes;

 private:
  RegisterBus* bus_;
  unsigned port_;
};

}  // namespace cxlgpu
