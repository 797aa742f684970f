// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/host/trace_profile.hpp"

#include <algorithm>
#include <bit>

#include "common/splitmix.hpp"

namespace cxlgpu {

namespace {

constexpr std::uint64_t kLinesPerPage = 64, kGranule = 256;

bool counts(std::uint64_t page, unsigned zeros) {
  return (mix_bits(page) & ((std::uint64_t{1} << zeros) - 1)) == 0;
}

std::size_t stride_bin(std::uint64_t from, std::uint64_t to) {
  if (to == from) return 0;
  if (to == from + 1) return 1;
  if (to + 1 == from) return 2;
  const std::uint64_t lines = to > from ? to - from : from - to;
  constexpr std::array<std::uint64_t, 5> kMost = {16, 64, 1024, 16384, 262144};
  std::size_t bin = 3;
  for (const std::uint64_t most : kMost) {
    if (lines <= most) return bin;
    ++bin;
  }
  return bin;
}

}  // namespace

void TraceProfile::touch(std::uint64_t line) {
  const std::uint64_t page = line / kLinesPerPage;
  if (!counts(page, left_out_)) return;
  pages_[page] |= std::uint64_t{1} << line % kLinesPerPage;
  while (pages_.size() > kMostPages) {
    ++left_out_;
    std::erase_if(pages_, [this](const auto& one) { return !counts(one.first, left_out_); });
  }
}

std::uint64_t TraceProfile::touched_bytes() const {
  std::uint64_t lines = 0;
  for (const auto& [page, held] : pages_) lines += static_cast<std::uint64_t>(std::popcount(held));
  return (lines * kLineBytes) << left_out_;
}

void TraceProfile::follow(std::uint64_t line) {
  Stream* oldest = &followed_.front();
  for (Stream& stream : followed_) {
    if (stream.length != 0 && line - stream.line + 1 <= 2) {  // at it or beside it
      stream.used = requests();
      if (line == stream.line) return;
      stream.line = line;
      ++stream.length;
      if (stream.length == kShortest) {
        ++streams;
        in_streams += kShortest;
      } else if (stream.length > kShortest) {
        ++in_streams;
      }
      return;
    }
    if (stream.used < oldest->used) oldest = &stream;
  }
  *oldest = {line, requests(), 1};
}

void TraceProfile::add(const TraceRecord& record) {
  if (record.hint_granules != 0) {
    ++hints;
    hinted_bytes += record.hint_granules * kGranule;
    return;
  }
  const std::uint64_t line = record.addr / kLineBytes;
  if (requests() != 0) {
    ++strides[stride_bin(last_line_, line)];
    if (record.cycle < last_cycle_of_one_) ++steps_back;
  }
  last_line_ = line;
  last_cycle_of_one_ = record.cycle;
  if (record.is_write) {
    ++stores;
    if (record.byte_enable != kAllBytes) ++partial_stores;
  } else {
    ++loads;
  }
  bytes += static_cast<std::uint64_t>(std::popcount(record.byte_enable));
  first = std::min(first, record.addr);
  end = std::max(end, record.addr + kLineBytes);
  first_cycle = std::min(first_cycle, record.cycle);
  last_cycle = std::max(last_cycle, record.cycle);
  touch(line);
  follow(line);
}

}  // namespace cxlgpu
