// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A DRAM endpoint's media: DDR5 by default, any part that DramConfig describes.
//
// Purpose: Media for CXL memory expanders; there is no internal DRAM array, so ArrayRead,
//          ArrayWrite, Fill and WriteBack are answered with an error.
// Timing:  see dram_controller.hpp. Reads are answered when their data is back, writes when their
//          data has been transferred. Errors are answered front + back after submit.
// Status:  backlog counts an access until its first command to the bank, or its column command, is
//          issued; errors never.
// Queue:   queue_depth commands from submit to take: an answer that is not taken holds its place.
// next_event(): never later than the next answer; it may be earlier, take() then gives nothing and
//          next_event() moves on.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "common/media_port.hpp"
#include "sim/media/dram_controller.hpp"
#include "sim/media/media_config.hpp"
#include "sim/media/sparse_store.hpp"

namespace cxlgpu {

class Ddr5Media final : public Media {
 public:
  // Precondition: capacity <= config.capacity (make_media checks it).
  Ddr5Media(const DramConfig& config, std::uint64_t capacity);

  [[nodiscard]] bool can_accept(Time now, MediaOp op) const override;
  void submit(const MediaCommand& command, Time now) override;
  std::optional<MediaResponse> take(Time now) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] const MediaCounters& counters() const override;
  MediaStatus status(Time now) override { return status_(dram_.waiting(now), 0); }
  // At most all of them wait, and each is one request.
  [[nodiscard]] std::uint32_t commands_of_backlog(std::uint8_t backlog) const override {
    return (backlog * dram_.banks() + 15) / 16;
  }
  [[nodiscard]] Line peek(std::uint64_t dpa) const override { return store_.read_line(dpa); }
  void poke(std::uint64_t dpa, std::span<const std::uint8_t> bytes) override {
    store_.write(dpa, bytes);
  }

 private:
  struct Failed {
    Time at;
    MediaResponse response;
  };

  DramConfig config_;
  std::uint64_t capacity_;
  DramController dram_;
  StatusOf status_;
  SparseStore store_;
  std::vector<MediaResponse> pool_;  // answers to be, by token
  std::vector<std::uint32_t> free_;
  std::deque<Failed> failed_;
  mutable MediaCounters counters_;  // row counters are fetched when asked for
};

}  // namespace cxlgpu
