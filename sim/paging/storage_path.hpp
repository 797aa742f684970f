// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The host's software between a set of pages and its drives: threads that each bring one request
// of contiguous bytes to its end before they take the next.
//
// Timing:  a request: registration of its buffer; then its I/Os of at most max_io_bytes, one after
//          the other, each the software's time and then the drives'; then deregistration. A set of
//          requests is done when the last is.
// Rules:   one set at a time; advance() at every next_event().
// Errors:  preconditions are asserted.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/media/event_queue.hpp"
#include "sim/paging/page_store.hpp"
#include "sim/paging/striped_drives.hpp"

namespace cxlgpu {

struct PathCosts {
  Time registration, software, deregistration;
  std::uint64_t max_io_bytes = 0;
  unsigned threads = 1;
};

struct StorageRequest {
  std::uint64_t address = 0, bytes = 0;  // whole pages
  std::vector<std::uint8_t> data;        // of a write
};

class StoragePath {
 public:
  StoragePath(const PathCosts& costs, StripedDrives& drives) : costs_(costs), drives_(drives) {}

  // Precondition: none in flight, at least one request.
  void start(bool is_write, std::vector<StorageRequest> requests, Time now);
  [[nodiscard]] Time next_event() const { return std::min(events_.next(), drives_.next_event()); }
  // True: all are done, told once.
  bool advance(Time now);
  // Requests, I/Os, bytes and the sums of times.
  [[nodiscard]] const StoreStats& stats() const { return stats_; }

 private:
  enum class Step : std::uint8_t { Registered, Issue, Deregistered };
  struct Due {
    Step step;
    std::uint32_t request;
  };
  struct State {
    std::uint64_t sent = 0;
    std::uint32_t parts_left = 0;
    Time issued;
  };

  void begin_next(Time now);
  void step(const Due& due, Time now);
  void part_done(std::uint32_t request, Time now);

  PathCosts costs_;
  StripedDrives& drives_;
  bool is_write_ = false;
  std::vector<StorageRequest> requests_;
  std::vector<State> states_;
  std::uint32_t begun_ = 0, ended_ = 0;
  EventQueue<Due> events_;
  StoreStats stats_;
};

}  // namespace cxlgpu
