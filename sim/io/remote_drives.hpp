// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Drives of a server, behind a network.
//
// Timing:  half a round trip; the server's software; its drives; half a round trip. The payload
//          crosses the network before that (write) or after it (read): each way carries one at a
//          time. The server has a thread for each I/O.
// Errors:  none.
#pragma once

#include <deque>
#include <vector>

#include "sim/io/io_config.hpp"
#include "sim/io/io_device.hpp"
#include "sim/media/event_queue.hpp"

namespace cxlgpu {

class RemoteDrives : public IoDevice {
 public:
  // `server`: its software for each I/O. `drives` outlives this.
  RemoteDrives(StripedDrives& drives, const IoNetwork& network, Time server)
      : drives_(drives), network_(network), server_(server) {}

  std::uint32_t submit(const DriveIo& io, Time now) override;
  [[nodiscard]] Time next_event() const override {
    return std::min(events_.next(), drives_.next_event());
  }
  void advance(Time now) override;
  std::optional<std::uint32_t> take() override;
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    drives_.poke(address, bytes);
  }
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    drives_.peek(address, bytes);
  }

 private:
  struct Under {
    DriveIo io;
    std::uint32_t parts_left = 0;
  };
  struct Due {
    bool at_drives = false;  // else at the host again
    std::uint32_t index = 0;
  };
  [[nodiscard]] Time half() const { return Time{network_.round_trip_ps / 2}; }
  // When a payload that is ready at `at` has crossed.
  [[nodiscard]] Time cross(Time at, std::uint64_t bytes, Time& free) const;

  StripedDrives& drives_;
  IoNetwork network_;
  Time server_;
  std::vector<Under> under_;
  std::vector<std::uint32_t> free_;
  EventQueue<Due> events_;
  std::deque<std::uint32_t> finished_;
  Time to_server_free_, from_server_free_;
};

}  // namespace cxlgpu
