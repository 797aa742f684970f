// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The ways between GPU, host memory and the NVMe controller.
//
// Purpose: the device's link to the GPU's root port (CXL.io beside CXL.mem), and the GPU's link to
//          the host. The controller masters the first (DmaPort) and reaches GPU memory and the host
//          window; the GPU reaches the controller's BAR and the host window by loads and stores.
// Shapes:  a link is two directions; a message takes its place in each on its way when it gets
//          there, so that what goes one way keeps its order: posted writes, and reads behind them.
//          TLPs of at most 256 B of data and read requests of at most 512 B. On the device's link a
//          TLP takes whole flits; flits of CXL.mem are not counted against it.
// Timing:  device's link: flits, flight, `port_ps` for both ends. Host's link: bytes over
//          `host_gb_s`, half of `host_read_ps` each way. GPU memory: at the LLC as it is; a read
//          that the LLC cannot serve takes `local_ps` more. Inbound accesses occupy no bank of it.
// Bridge:  with `poll_ps`, doorbells are words of memory that the host looks at so often and passes
//          on to the controller, as emulations do.
// Errors:  addresses of neither memory are refused: what the device may reach is these two windows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/engine.hpp"
#include "common/pipe.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/host/scoreboard.hpp"
#include "sim/media/event_queue.hpp"
#include "sim/nvme/controller.hpp"
#include "sim/nvme/ports.hpp"

namespace cxlgpu::nvme {

struct BusParams {
  Time flit{2125}, flight{2000}, port{11000};
  Time host_read{1'057'000}, host_write{505'000};
  double host_gb_s = 51.3;
  Time local{266'000};  // GPU memory, from the LLC and back
  Time edge{0};         // from root port to LLC
  std::uint64_t local_base = 0, local_bytes = 0;
  std::uint64_t host_base = 0, host_bytes = 0;
  std::uint64_t bar_base = 0;
  Time poll{0};  // 0: no bridge
  std::uint64_t shadow = 0;
};

struct BusCounters {
  std::uint64_t mmio_writes = 0, mmio_reads = 0;      // of the GPU
  std::uint64_t host_writes = 0, host_reads = 0;      // of the GPU, of host memory; lines
  std::uint64_t device_writes = 0, device_reads = 0;  // bytes, of both memories
  std::uint64_t refused = 0;                          // of the device
  std::uint64_t polls = 0;
};

// GPU memory as the port of the device sees it; null of a bus without a GPU.
class KvBus final : public DmaPort {
 public:
  KvBus(const BusParams& params, FlatMemory& host, Gpu* gpu);
  void attach(Controller& controller) { controller_ = &controller; }
  // What has been on the links is over: a new time begins.
  void begin_run();

  // The device.
  void read(std::uint32_t tag, std::uint64_t address, std::uint32_t bytes, Time now) override;
  bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Time now) override;
  std::optional<Done> take(Time now) override;
  [[nodiscard]] Time next_event() const override;

  // The GPU.
  [[nodiscard]] bool mine(std::uint64_t address) const {
    return in_host(address) || in_bar(address);
  }
  void submit(const MemRequest& request, Time now);  // precondition: mine()
  std::optional<MemResponse> answer(Time now);
  // Everything that is due.
  void step(Time now);
  // Of a store to the BAR, or of the host's, until it is in the controller.
  [[nodiscard]] Time to_device() const { return params_.flit + params_.flight + params_.port; }
  [[nodiscard]] Time to_host() const { return Time{params_.host_read.ps / 2}; }
  [[nodiscard]] const BusCounters& counters() const { return counters_; }

 private:
  enum class Hop : std::uint8_t {
    RootWrite,  // at the GPU's root port, from the device
    RootRead,
    GpuWrite,  // at the LLC
    GpuRead,
    HostWrite,  // in host memory
    HostRead,
    RootData,  // data of a read, on their way back to the device
    Answer,    // to the GPU
    Mmio,      // at the controller
    MmioRead,
    Poll,    // the bridge looks
    Looked,  // ... and has seen GPU memory
    Ring     // ... and tells the controller
  };
  struct Message {
    Hop hop = Hop::RootWrite;
    bool of_gpu = false;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0, tag = 0;
    std::vector<std::uint8_t> data{};
    MemRequest request{};
    MemResponse response{};
  };
  // A direction of a link.
  struct Lane {
    Time free;
    Time after(Time at, Time takes) {
      free = std::max(free, at) + takes;
      return free;
    }
  };

  [[nodiscard]] bool in_host(std::uint64_t a) const {
    return a - params_.host_base < params_.host_bytes;
  }
  [[nodiscard]] bool in_gpu(std::uint64_t a) const {
    return gpu_ != nullptr && a - params_.local_base < params_.local_bytes;
  }
  [[nodiscard]] bool in_bar(std::uint64_t a) const { return a - params_.bar_base < reg::kBarBytes; }
  [[nodiscard]] bool reaches(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] Time flits(std::uint64_t bytes) const;
  [[nodiscard]] Time host_bytes(std::uint64_t bytes) const;
  void send(Time at, Message message);
  void arrive(Message message, Time now);
  void to_host_link(Message message, Hop hop, std::uint64_t bytes, Time now);
  void gather(Message message, Time now);
  void poll(Time now);
  void ring_changed(const std::vector<std::uint8_t>& shadow, Time now);

  BusParams params_;
  FlatMemory& host_;
  Gpu* gpu_;
  Controller* controller_ = nullptr;
  BusCounters counters_;
  Lane up_, down_, host_up_, host_down_;
  EventQueue<std::uint32_t> events_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  struct Reading {
    Done done;
    std::uint32_t left = 0;  // bytes
    std::uint64_t begin = 0;
    bool busy = false;
  };
  std::vector<Reading> reading_;
  std::vector<std::uint32_t> free_reads_;
  EventQueue<std::uint32_t> done_;
  EventQueue<std::uint32_t> to_gpu_;  // messages
  std::vector<std::uint8_t> shadow_;  // as the bridge saw it last
};

}  // namespace cxlgpu::nvme
