// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What an NVMe controller stands between: the bus that it masters, and what keeps values.
//
// Purpose: ports, so that controller, bus and store are built and tested one by one.
// Shapes:  requests carry a tag, which comes back; tags of requests in flight differ. next_event()
//          is never later than the next answer. `now` never falls.
// Errors:  answers; nothing is thrown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/time.hpp"
#include "sim/nvme/spec.hpp"

namespace cxlgpu::nvme {

class DmaPort {
 public:
  struct Done {
    std::uint32_t tag = 0;
    bool error = false;  // no memory that the device may read
    std::vector<std::uint8_t> data{};
  };
  virtual ~DmaPort() = default;
  // Of memory as it is when the request gets there: behind all writes before it.
  virtual void read(std::uint32_t tag, std::uint64_t address, std::uint32_t bytes, Time now) = 0;
  // Posted: seen in the order of the calls. False: dropped, since the device may not write there.
  virtual bool write(std::uint64_t address, std::span<const std::uint8_t> bytes, Time now) = 0;
  virtual std::optional<Done> take(Time now) = 0;
  [[nodiscard]] virtual Time next_event() const = 0;
};

struct StoreRequest {
  enum class Op : std::uint8_t { Store, Retrieve, List, Delete, Exist, ReadBlocks, WriteBlocks };
  Op op = Op::Retrieve;
  std::uint32_t tag = 0;
  std::uint32_t space = 0;  // namespace
  Key key;
  bool only_if_there = false, only_if_new = false;
  std::uint64_t address = 0;          // of blocks, in bytes
  std::uint64_t bytes = 0;            // room of a Retrieve or List; of ReadBlocks
  std::vector<std::uint8_t> value{};  // of a Store, of WriteBlocks
};
struct StoreAnswer {
  std::uint32_t tag = 0;
  Status status = Status::Success;  // of a Delete KeyNotThere too: whether that is one is not here
  std::uint32_t length = 0;         // of the value that is kept
  std::vector<std::uint8_t> value{};
};

class StorePort {
 public:
  virtual ~StorePort() = default;
  virtual void submit(StoreRequest request, Time now) = 0;
  virtual std::optional<StoreAnswer> take(Time now) = 0;
  [[nodiscard]] virtual Time next_event() const = 0;
  // Of one namespace; for Identify.
  [[nodiscard]] virtual std::uint64_t used_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t room_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t block_bytes() const = 0;  // 0: there are no blocks

  // At no time: contents before a run, and after it.
  virtual void preload(const Key& key, std::span<const std::uint8_t> value) = 0;
  [[nodiscard]] virtual std::optional<std::vector<std::uint8_t>> peek(const Key& key) const = 0;
};

}  // namespace cxlgpu::nvme
