// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What kind of trace a trace is: how much, where, in what order.
//
// Purpose: `cxlgpu trace info`: whether a trace is what one thinks, and what of a machine it can
//          use. No machine is simulated.
// Units:   lines of 64 bytes, bytes, cycles of the trace.
// Shapes:  memory has one size, some 20 MB. The bytes touched are exact up to kMostPages pages of
//          4 KiB; beyond that they are counted in a share of the pages, chosen by a hash (adaptive
//          sampling), and off by some tenths of a percent.
//          A stream: kShortest requests or more, each to a line beside the one before it in the
//          stream; kFollowed are followed at a time, and the one without a request for longest is
//          given up for a new one. A request to the line where a stream stands is none of it.
// Errors:  none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "sim/host/trace_reader.hpp"

namespace cxlgpu {

class TraceProfile {
 public:
  static constexpr std::size_t kMostPages = 1u << 18;
  static constexpr std::size_t kFollowed = 64, kShortest = 4;
  // From one request to the next: how many lines on.
  static constexpr std::array<std::string_view, 9> kStrides = {
      "same line", "next line", "line before", "up to 1 KiB", "up to 4 KiB",
      "to 64 KiB", "to 1 MiB",  "to 16 MiB",   "farther"};

  void add(const TraceRecord& record);

  std::uint64_t loads = 0, stores = 0, partial_stores = 0;
  std::uint64_t hints = 0, hinted_bytes = 0;
  std::uint64_t bytes = 0;                           // asked for by loads and stores
  std::uint64_t first = ~std::uint64_t{0}, end = 0;  // addresses
  std::uint64_t first_cycle = ~std::uint64_t{0}, last_cycle = 0;
  std::uint64_t steps_back = 0;  // requests whose cycle is below that of the one before
  std::uint64_t streams = 0, in_streams = 0;
  std::array<std::uint64_t, kStrides.size()> strides{};

  [[nodiscard]] std::uint64_t requests() const { return loads + stores; }
  [[nodiscard]] std::uint64_t touched_bytes() const;
  [[nodiscard]] bool touched_is_exact() const { return left_out_ == 0; }

 private:
  struct Stream {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t used = 0;  // the request
    std::uint64_t length = 0;
  };
  void touch(std::uint64_t line);
  void follow(std::uint64_t line);

  std::uint64_t last_line_ = 0, last_cycle_of_one_ = 0;
  std::array<Stream, kFollowed> followed_;
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;  // lines of each
  unsigned left_out_ = 0;  // a page counts if so many bits of its hash are 0
};

}  // namespace cxlgpu
