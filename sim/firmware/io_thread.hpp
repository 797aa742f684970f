// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Configuration and memory requests of one root port, for firmware that runs beside traffic.
//
// Purpose: drives the port's CXL.io access registers and waits for answers, one register access of
//          a FirmwareThread at a time. IoPort makes the same requests at once.
// Units:   byte addresses in memory space; configuration addresses as in IoRequest.
// Errors:  InputError that names port and register if a request that must succeed does not.
// Source:  regs/io_access.yaml; PCI Express Base 5.0, 7.2.2.
#pragma once

#include <cstdint>

#include "common/io_port.hpp"
#include "sim/firmware/firmware_task.hpp"

namespace cxlgpu {

// A value: a task keeps what it needs of it.
class IoThread {
 public:
  IoThread(FirmwareThread& thread, unsigned port) : thread_(&thread), port_(port) {}

  [[nodiscard]] unsigned number() const { return port_; }
  [[nodiscard]] FirmwareThread& thread() const { return *thread_; }
  [[nodiscard]] FirmwareTask<IoResponse> request(const IoRequest& request) const {
    return make_request(thread_, port_, request);
  }

  // These must succeed.
  [[nodiscard]] FirmwareTask<std::uint32_t> succeed(const IoRequest& request) const {
    return make_succeed(thread_, port_, request);
  }
  [[nodiscard]] FirmwareTask<std::uint32_t> read(std::uint64_t address) const {
    return succeed({.op = IoOp::kMemRd, .addr = address, .enables = kAllBytes});
  }
  [[nodiscard]] FirmwareTask<std::uint32_t> write(std::uint64_t address,
                                                  std::uint32_t value) const {
    return succeed({.op = IoOp::kMemWr, .addr = address, .enables = kAllBytes, .data = value});
  }
  // Of a function in configuration space, whole registers.
  [[nodiscard]] FirmwareTask<std::uint32_t> config_read(std::uint64_t address) const {
    return succeed({.op = IoOp::kCfgRd0, .addr = address, .enables = kAllBytes});
  }
  [[nodiscard]] FirmwareTask<std::uint32_t> config_write(std::uint64_t address,
                                                         std::uint32_t value) const {
    return succeed({.op = IoOp::kCfgWr0, .addr = address, .enables = kAllBytes, .data = value});
  }

  static constexpr unsigned kAllBytes = 0xf;

 private:
  static FirmwareTask<IoResponse> make_request(FirmwareThread* thread, unsigned port,
                                               IoRequest request);
  static FirmwareTask<std::uint32_t> make_succeed(FirmwareThread* thread, unsigned port,
                                                  IoRequest request);

  FirmwareThread* thread_;
  unsigned port_;
};

}  // namespace cxlgpu
