// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The scoreboard of every run: a flat memory that only the initiator's side writes, and an engine
// wrapper that holds each response against it.
//
// Purpose: level 3 of verification. The shadow follows submission order, which is the order the
//          root port guarantees for requests to one line; a read's expected data is what the
//          shadow held when the read was taken.
// Shapes:  records keep address, both lines, time and id of the first `max_records` mismatches.
// Errors:  none thrown; everything is counted. A run is clean if clean() and outstanding() == 0.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/engine.hpp"
#include "sim/host/backdoor.hpp"

namespace cxlgpu {

// Sparse byte-addressed memory; bytes never written read as zero.
class FlatMemory : public Backdoor {
 public:
  void poke(std::uint64_t hpa, std::span<const std::uint8_t> bytes) override;
  void peek(std::uint64_t hpa, std::span<std::uint8_t> bytes) const override;
  // addr must be line aligned.
  [[nodiscard]] Line read_line(std::uint64_t addr) const;
  void write_line(std::uint64_t addr, const Line& data, std::uint64_t byte_enable = kAllBytes);
  // What `from` has at `begin` and beyond; both page by page.
  void copy(const FlatMemory& from, std::uint64_t begin = 0);
  // Where pages begin that were ever written, rising.
  [[nodiscard]] std::vector<std::uint64_t> pages() const;
  static constexpr std::uint64_t kPageBytes = 4096;

 private:
  using Page = std::array<std::uint8_t, kPageBytes>;

  [[nodiscard]] const Page* find(std::uint64_t page) const;
  Page& touch(std::uint64_t page);

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};
  mutable Page* last_ = nullptr;  // pages never move or go away
};

struct Mismatch {
  Time at;         // when the response was taken
  Time submitted;  // when the request was taken
  std::uint32_t id = 0;
  std::uint64_t addr = 0;
  Line expected{};
  Line got{};
};

// One line for a person: time, id, address, first differing byte, both values.
std::string to_string(const Mismatch& mismatch);

class CheckedEngine : public Engine {
 public:
  explicit CheckedEngine(Engine& inner, std::size_t max_records = 16)
      : inner_(inner), max_records_(max_records) {}

  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override;
  std::optional<MemResponse> take() override;
  bool hint(const Hint& hint) override { return inner_.hint(hint); }
  void advance_to(Time t) override { inner_.advance_to(t); }
  [[nodiscard]] unsigned lines_per_cycle() const override { return inner_.lines_per_cycle(); }

  // Initial contents must be poked here as well as into the system.
  [[nodiscard]] FlatMemory& shadow() { return shadow_; }
  [[nodiscard]] const FlatMemory& shadow() const { return shadow_; }

  [[nodiscard]] std::uint64_t reads() const { return reads_; }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
  // Reads whose data differed.
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  // Unknown, repeated or too large ids, and answers of the wrong kind.
  [[nodiscard]] std::uint64_t id_errors() const { return id_errors_; }
  // Responses flagged as errors; their data is not compared.
  [[nodiscard]] std::uint64_t error_responses() const { return error_responses_; }
  // When the first of all these was, never: none.
  [[nodiscard]] Time first_error() const { return first_error_; }
  [[nodiscard]] const std::vector<Mismatch>& records() const { return records_; }
  [[nodiscard]] bool clean() const {
    return mismatches_ == 0 && id_errors_ == 0 && error_responses_ == 0;
  }

 private:
  static constexpr std::uint32_t kIds = kRootPortIds;
  struct Pending {
    bool valid = false;
    bool is_write = false;
    std::uint64_t addr = 0;
    Time submitted;
    Line expected{};
  };

  // One more of what is counted below.
  void count(std::uint64_t& errors) {
    ++errors;
    first_error_ = std::min(first_error_, inner_.now());
  }

  Engine& inner_;
  std::size_t max_records_;
  FlatMemory shadow_;
  std::vector<Pending> pending_;
  std::vector<Mismatch> records_;
  std::uint64_t reads_ = 0, writes_ = 0, outstanding_ = 0;
  std::uint64_t mismatches_ = 0, id_errors_ = 0, error_responses_ = 0;
  Time first_error_ = Time::never();
};

}  // namespace cxlgpu
