// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the host's block layer hands an I/O to: drives of its own, or a server's.
//
// Rules:   addresses and bytes are whole pages of 4 KiB. take() gives an I/O's token back as often
//          as submit() returned. advance() at every next_event(), not past it. The bytes of a write
//          stay until it is done; contents are read by the backdoor once a read is done.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/media_port.hpp"
#include "common/time.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/paging/striped_drives.hpp"

namespace cxlgpu {

class IoDevice : public Backdoor {
 public:
  virtual std::uint32_t submit(const DriveIo& io, Time now) = 0;
  [[nodiscard]] virtual Time next_event() const = 0;
  virtual void advance(Time now) = 0;
  virtual std::optional<std::uint32_t> take() = 0;
};

// The host's own. `drives` outlives it.
class LocalDrives : public IoDevice {
 public:
  explicit LocalDrives(StripedDrives& drives) : drives_(drives) {}
  std::uint32_t submit(const DriveIo& io, Time now) override { return drives_.submit(io, now); }
  [[nodiscard]] Time next_event() const override { return drives_.next_event(); }
  void advance(Time now) override { drives_.advance(now); }
  std::optional<std::uint32_t> take() override { return drives_.take(); }
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    drives_.poke(address, bytes);
  }
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    drives_.peek(address, bytes);
  }

 private:
  StripedDrives& drives_;
};

}  // namespace cxlgpu
