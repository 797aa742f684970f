// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host whose drive takes a time by formula, for tests of the software before it.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "sim/host/scoreboard.hpp"
#include "sim/io/cufile.hpp"
#include "sim/io/host_kernel.hpp"
#include "sim/io/io_stack.hpp"
#include "sim/io/phxfs.hpp"
#include "sim/media/event_queue.hpp"

namespace cxlgpu {

constexpr Time kUs{1'000'000};
constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

// Each I/O takes `fixed` and its bytes at 4 KiB a microsecond, all at the same time.
class FixedDevice : public IoDevice {
 public:
  explicit FixedDevice(Time fixed) : fixed_(fixed) {}
  [[nodiscard]] Time time(std::uint64_t bytes) const { return fixed_ + kUs * (bytes / 4096); }

  std::uint32_t submit(const DriveIo& io, Time now) override {
    sizes.push_back(io.bytes);
    most = std::max(most, ++in_flight_);
    events_.push(now + time(io.bytes), io);
    return 1;
  }
  [[nodiscard]] Time next_event() const override { return events_.next(); }
  void advance(Time now) override {
    while (events_.next() <= now) {
      const DriveIo io = events_.pop();
      if (io.is_write) memory_.poke(io.address, {io.data, io.bytes});
      done_.push_back(io.token);
      --in_flight_;
    }
  }
  std::optional<std::uint32_t> take() override {
    if (done_.empty()) return std::nullopt;
    const std::uint32_t token = done_.front();
    done_.pop_front();
    return token;
  }
  void poke(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    memory_.poke(address, bytes);
  }
  void peek(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    memory_.peek(address, bytes);
  }

  std::vector<std::uint64_t> sizes;  // of all I/Os, as they came
  unsigned most = 0;                 // in flight

 private:
  Time fixed_;
  unsigned in_flight_ = 0;
  FlatMemory memory_;
  EventQueue<DriveIo> events_;
  std::deque<std::uint32_t> done_;
};

// Whole microseconds, each another, so that a sum says what it is made of.
inline IoHostConfig io_costs() {
  IoHostConfig c;
  c.kernel = {.syscall_ps = kUs.ps, .file_system_ps = 2 * kUs.ps, .block_ps = 3 * kUs.ps};
  c.malloc_ps = 4 * kUs.ps;
  c.free_ps = 5 * kUs.ps;
  c.callback_ps = 11 * kUs.ps;
  c.gds.setup = {.open_ps = 1000 * kUs.ps,
                 .close_ps = 2000 * kUs.ps,
                 .handle_ps = 300 * kUs.ps,
                 .handle_close_ps = 100 * kUs.ps,
                 .register_ps = 50 * kUs.ps,
                 .register_page_ps = kUs.ps,
                 .deregister_ps = 40 * kUs.ps,
                 .deregister_page_ps = kUs.ps};
  c.gds.state_ps = 7 * kUs.ps;
  c.gds.lock_ps = 5 * kUs.ps;
  c.gds.chunk_bytes = 16 * kMiB;
  c.gds.batch = 256;
  c.gds.batch_buffer_bytes = kMiB;
  c.phoenix.setup = {.open_ps = 20 * kUs.ps,
                     .close_ps = 10 * kUs.ps,
                     .register_ps = 17 * kUs.ps,
                     .register_page_ps = 0,
                     .deregister_ps = 13 * kUs.ps,
                     .deregister_page_ps = 0};
  c.phoenix.mapping_bytes = 1024 * kMiB;
  c.phoenix.page_bytes = 64 * kKiB;
  c.posix.register_ps = 9 * kUs.ps;
  c.posix.deregister_ps = 8 * kUs.ps;
  c.mmap = {.readahead_bytes = 16 * kKiB,
            .fault_around_bytes = 8 * kKiB,
            .fault_ps = kUs.ps,
            .copy_gb_s = 4.096};  // 4 KiB a microsecond
  return c;
}

struct IoRig {
  explicit IoRig(const IoHostConfig& costs = io_costs(), Time fixed = kUs * 10)
      : config(costs),
        device(fixed),
        host(device),
        kernel(host, config.kernel),
        gpu(host, Time{config.malloc_ps}, Time{config.free_ps}),
        phxfs(kernel, gpu, config.phoenix),
        cufile(kernel, gpu, config.gds) {}

  // Runs threads to their end; how long that took.
  Time run(std::vector<std::function<HostThread()>> threads) {
    const Time begin = host.now();
    for (const auto& thread : threads) host.start(thread());
    while (!host.done()) host.advance(host.next_event());
    return host.now() - begin;
  }
  Time run(std::function<HostThread()> thread) {
    return run(std::vector<std::function<HostThread()>>{std::move(thread)});
  }

  IoHostConfig config;
  FixedDevice device;
  Host host;
  HostKernel kernel;
  DeviceMemory gpu;
  Phxfs phxfs;
  CuFile cufile;
};

inline std::vector<std::uint8_t> numbered(std::uint64_t bytes, std::uint64_t seed) {
  std::vector<std::uint8_t> all(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    all[i] = static_cast<std::uint8_t>((i + seed) * 2654435761 >> 13);
  }
  return all;
}

}  // namespace cxlgpu
