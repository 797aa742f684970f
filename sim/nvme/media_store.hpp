// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The key-value store and the blocks on the medium that serves CXL.mem.
//
// Purpose: an index from key to granules of 4 KiB of an area of the part behind the HDM ranges; and
//          an area of blocks behind it. Bytes go through the part's own queues, so that flash
//          timing, write buffer and translation count: reads by the page (of at most a granule),
//          writes by the line.
// Rules:   a value is never written in place: a Store takes new granules, and the key is theirs
//          when the part has answered all its writes, in the part's domain of persistence. The old
//          ones are free when who still reads them has ended. Readers thus see a value whole.
//          Nothing orders requests in flight together, but each of them acts in one instant: a
//          Store when its key becomes that of its value, with its condition true in that instant; a
//          Delete, Exist, List or Retrieve when it is submitted. Of two Stores "only if new" of a
//          key one succeeds.
//          Requests that touch no byte are answered at once; the index itself takes no time here
//          (ControllerParams::command_ps has it) and is kept as translation maps are.
//          Commands of requests take turns, so that pages of different dies are sensed together.
//          Bytes of the last line of a value beyond its end are zero.
// List:    keys in order of their bytes, shorter first, from the first that is not before the one
//          given; each with its length and zeros up to a multiple of four.
// Errors:  CapacityExceeded if there is no room. An error of the part: Unrecovered.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/nvme/kv_config.hpp"
#include "sim/nvme/ports.hpp"
#include "sim/nvme/shared_media.hpp"

namespace cxlgpu::nvme {

struct MediaArea {
  std::uint64_t key_base = 0, key_bytes = 0;  // DPA, whole granules
  std::uint64_t block_base = 0, block_bytes = 0;
};

class MediaStore final : public StorePort {
 public:
  static constexpr std::uint64_t kGranule = 4096;

  MediaStore(SharedMedia& media, const MediaArea& area, StoreFault fault = StoreFault::None);

  void submit(StoreRequest request, Time now) override;
  std::optional<StoreAnswer> take(Time now) override;
  [[nodiscard]] Time next_event() const override;
  [[nodiscard]] std::uint64_t used_bytes() const override {
    return area_.key_bytes - free_.size() * kGranule;
  }
  [[nodiscard]] std::uint64_t room_bytes() const override { return area_.key_bytes; }
  [[nodiscard]] std::uint64_t block_bytes() const override { return area_.block_bytes; }
  void preload(const Key& key, std::span<const std::uint8_t> value) override;
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> peek(const Key& key) const override;
  // Blocks, likewise.
  void preload_block(std::uint64_t address, std::span<const std::uint8_t> bytes);
  [[nodiscard]] std::vector<std::uint8_t> peek_block(std::uint64_t address,
                                                     std::uint64_t bytes) const;

 private:
  // Granules of a value; free again when nobody has it.
  struct Value {
    std::vector<std::uint64_t> granules;  // DPA
    std::uint32_t length = 0;
    [[nodiscard]] std::uint64_t at(std::uint64_t offset) const {
      return granules[offset / kGranule] + offset % kGranule;
    }
  };
  using Held = std::shared_ptr<Value>;
  struct Job {
    StoreRequest request;
    Held value;  // what is read, or written
    StoreAnswer answer;
    std::uint64_t bytes = 0;           // to move
    std::uint64_t sent = 0, done = 0;  // lines
    bool busy = false;
  };

  [[nodiscard]] Held new_value(std::uint64_t bytes);
  // Of a Store, by the index as it is.
  [[nodiscard]] Status condition(const StoreRequest& request) const;
  void list(const StoreRequest& request, StoreAnswer& answer) const;
  void work(StoreRequest request, Held value, std::uint64_t bytes, Time now);
  void pump(Time now);
  bool send(std::uint32_t index, Time now);
  [[nodiscard]] std::uint64_t read_lines(const Job& job, std::uint64_t offset) const;
  void came(const SharedMedia::Answer& answer);
  void end(Job& job);
  [[nodiscard]] std::vector<std::uint8_t> bytes_at(const Value& value) const;
  void write_at(const Value& value, std::span<const std::uint8_t> bytes);

  SharedMedia& media_;
  MediaArea area_;
  StoreFault fault_;
  std::vector<std::uint64_t> free_;  // granules
  std::map<Key, Held> index_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_jobs_;
  std::deque<std::uint32_t> sending_;  // jobs with commands left, in turn
  std::deque<StoreAnswer> answers_;
  Time answered_;  // when the oldest of these came to be
  Time asked_;
};

}  // namespace cxlgpu::nvme
