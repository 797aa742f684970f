// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The host's part: it brings the controller up and creates the GPU's queues, then is out of the
// way.
//
// Purpose: firmware as a driver does it, by MMIO and an admin queue in host memory alone.
// Order:   CAP and VS; CC.EN 0 and RDY 0; AQA, ASQ, ACQ; CC with EN, RDY; Identify controller
//          and the namespace; number of queues; CQ and SQ of each pair.
// Errors:  what the controller refuses is the result of the step: why(), in one line.
// Source:  Linux, drivers/nvme/host/pci.c (nvme_pci_configure_admin_queue,
//          nvme_setup_io_queues) and core.c (nvme_enable_ctrl): the steps and their order.
#pragma once

#include <cstdint>
#include <string>

#include "sim/nvme/bus.hpp"
#include "sim/nvme/controller.hpp"
#include "sim/nvme/plan.hpp"

namespace cxlgpu::nvme {

class HostDriver {
 public:
  HostDriver(Controller& controller, KvBus& bus, FlatMemory& host, std::uint64_t own_base);

  // False: why() says what the controller refused.
  bool bring_up();
  bool create(const QueueRings& rings);
  // The same of a queue with other flags than a driver's, for tests.
  struct Answer {
    Status status = Status::Success;
    std::uint32_t result = 0;
    bool there = false;  // else none came within the limit
  };
  Answer command(Sqe sqe);
  // Into the admin queue, its doorbell rung; its identifier.
  std::uint16_t post(Sqe sqe);
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] Time now() const { return now_; }
  // Lets bus and controller do what is due up to then.
  void advance(Time to);

  [[nodiscard]] std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  // Where Identify and Get Log Page put their data.
  [[nodiscard]] std::uint64_t page() const { return own_base_ + 2 * kPage; }
  bool wait(std::uint32_t bits, std::uint32_t value);  // of CSTS; false: not within CAP.TO
  bool enable(std::uint32_t entries);
  bool disable();

 private:
  static constexpr std::uint32_t kEntries = 32;
  bool fail(const std::string& what);

  Controller& controller_;
  KvBus& bus_;
  FlatMemory& host_;
  std::uint64_t own_base_;
  std::uint32_t entries_ = kEntries, tail_ = 0, head_ = 0;
  bool phase_ = true;
  std::uint16_t next_ = 0;
  Time now_;
  std::string why_;
};

}  // namespace cxlgpu::nvme
