// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A file of CSV rows that a run writes while it goes.
//
// Purpose: a row costs little more than its characters; it is made where it leaves from.
// Shapes:  cells, each with the comma behind it, then end_row(), which makes the last one the end
//          of the line. A row has at most kLongestRow characters.
// Errors:  as of flits::CompressedFile.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "flits/compressed_file.hpp"

namespace cxlgpu {

class RowFile {
 public:
  static constexpr std::size_t kLongestRow = 1024;

  RowFile(const std::string& path, std::string_view header)
      : file_(path), buffer_(kBlockBytes + kLongestRow, '\0'), at_(buffer_.data()) {
    file_.write(std::string(header) + '\n');
  }
  // Two digits at a time from behind: half the instructions of std::to_chars.
  void number(std::uint64_t value) {
    std::array<char, 2 * kLongestNumber> digits{};
    char* const end = digits.data() + kLongestNumber;
    char* first = end;
    for (; value >= 100; value /= 100) {
      first -= 2;
      std::memcpy(first, kPairs.data() + 2 * (value % 100), 2);
    }
    if (value >= 10) {
      first -= 2;
      std::memcpy(first, kPairs.data() + 2 * value, 2);
    } else {
      *--first = static_cast<char>('0' + value);
    }
    std::memcpy(at_, first, kLongestNumber);  // what is too much is written over
    at_ += end - first;
    *at_++ = ',';
  }
  void hexadecimal(std::uint64_t value) {
    *at_++ = '0';
    *at_++ = 'x';
    at_ = std::to_chars(at_, at_ + kLongestNumber, value, 16).ptr;
    *at_++ = ',';
  }
  void text(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    *at_++ = ',';
  }
  void end_row() {
    at_[-1] = '\n';
    if (static_cast<std::size_t>(at_ - buffer_.data()) >= kBlockBytes) flush();
  }
  void close() {
    flush();
    file_.publish();
  }

 private:
  static constexpr std::size_t kBlockBytes = 1u << 18, kLongestNumber = 20;
  static constexpr std::array<char, 200> kPairs = [] {  // 00 to 99
    std::array<char, 200> pairs{};
    for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
      pairs[2 * i] = static_cast<char>('0' + i / 10);
      pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return pairs;
  }();

  void flush() {
    file_.write({buffer_.data(), at_});
    at_ = buffer_.data();
  }

  flits::CompressedFile file_;
  std::string buffer_;
  char* at_;
};

}  // namespace cxlgpu
