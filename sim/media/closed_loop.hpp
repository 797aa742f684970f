// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A host that keeps a fixed number of requests outstanding at a media part.
//
// Purpose: figures at a queue depth, as drives are tested. One request of 4 KiB or 128 KiB is as
//          many commands of the media port as the part's page asks for, in order of address; it is
//          done when all are.
// Shapes:  4 KiB pieces, or pages where those are smaller: Fill of a slot for reads, WriteBack for
//          writes. 64 B requests are Read and Write.
// Timing:  a request waits for places in the part's queue, which is in its latency. With a
//          HostInterface its times lie before and after, and the link's transfers one by one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "common/media_port.hpp"
#include "sim/media/host_interface.hpp"
#include "sim/media/media_config.hpp"

namespace cxlgpu {

struct LoopShape {
  bool write = false, stream = false;  // stream: consecutive addresses, else uniform
  std::uint32_t bytes = 4096;          // of a request
  std::uint32_t depth = 1;
};

struct LoopResult {
  Time mean, p99;  // of the requests that were completed
  double per_second = 0;
  std::uint32_t bytes = 0;
  [[nodiscard]] double gb_s() const { return per_second * bytes / 1e9; }
};

class ClosedLoop {
 public:
  static constexpr std::uint32_t kSlots = 512;

  // Bytes of one command of a request of `bytes`.
  [[nodiscard]] static std::uint32_t piece_bytes(const MediaConfig& config, std::uint32_t bytes);

  ClosedLoop(const MediaConfig& config, const LoopShape& shape, std::uint32_t seed,
             const HostInterface& host = {});
  // The next `count` requests to be completed; those after them are in flight when it returns.
  LoopResult run(std::uint64_t count);
  [[nodiscard]] const Media& part() const { return *part_; }

 private:
  struct Request {
    Time began;
    std::uint64_t address = 0;
    std::uint32_t left = 0;
  };
  struct Arrival {
    Time at;
    std::uint32_t request;
  };

  void begin(std::uint32_t request, Time now);
  bool submit_piece();
  [[nodiscard]] Time next_time() const;

  LoopShape shape_;
  HostInterface host_;
  std::uint32_t piece_, pieces_;
  std::unique_ptr<Media> part_;
  std::mt19937_64 random_;
  std::uint64_t places_, sequence_ = 0;
  Time now_, link_free_;
  std::vector<Request> requests_;
  std::deque<Arrival> arriving_;   // at the media, in order of time
  std::uint32_t sent_pieces_ = 0;  // of the first of them
  std::deque<Arrival> leaving_;    // done at the media, completed at the host later; in order
  std::vector<std::uint32_t> by_id_;
  std::vector<std::uint16_t> free_ids_;
  std::uint32_t slot_ = 0;
};

}  // namespace cxlgpu
