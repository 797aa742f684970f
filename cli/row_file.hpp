// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A file of CSV rows that a run writes while it goes.
//
// Purpose: a row costs little more than its characters; it is made where it leaves from.
// Shapes:  one row at a time, from row() to end(): cells, each with the comma behind it, of which
//          end() makes the last one the end of the line. A row has at most kLongestRow characters.
// Errors:  as of flits::CompressedFile.
#pragma once

#include <array>
#include <bit>
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

  class Row {
   public:
    [[gnu::always_inline]] void number(std::uint64_t value) {
      if (value < 10) {
        *at_++ = static_cast<char>('0' + value);
      } else if (value < kEight) {
        up_to_eight(value);
      } else if (value < kEight * kEight) {
        up_to_eight(value / kEight);
        put(eight(static_cast<std::uint32_t>(value % kEight)), 0);
      } else {
        at_ = std::to_chars(at_, at_ + kLongestNumber, value).ptr;
      }
      *at_++ = ',';
    }
    void hexadecimal(std::uint64_t value) {
      *at_++ = '0';
      *at_++ = 'x';
      for (int shift = value == 0 ? 0 : (std::bit_width(value) - 1) & ~3; shift >= 0; shift -= 4) {
        *at_++ = "0123456789abcdef"[value >> shift & 15];
      }
      *at_++ = ',';
    }
    void text(std::string_view text) {
      std::memcpy(at_, text.data(), text.size());
      at_ += text.size();
      *at_++ = ',';
    }

   private:
    friend class RowFile;
    explicit Row(char* at) : at_(at) {}

    // Four digits at a time as one word: a third of the instructions of std::to_chars.
    static constexpr std::uint64_t kFour = 10'000, kEight = kFour * kFour;
    static constexpr std::size_t kLongestNumber = 20;
    static constexpr std::array<std::uint16_t, 100> kPairs = [] {  // 00 to 99, as in memory
      std::array<std::uint16_t, 100> pairs{};
      for (unsigned i = 0; i < pairs.size(); ++i) {
        pairs[i] = static_cast<std::uint16_t>(('0' + i / 10) | ('0' + i % 10) << 8);
      }
      return pairs;
    }();
    static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");

    static std::uint32_t four(std::uint32_t value) {
      return kPairs[value / 100] | std::uint32_t{kPairs[value % 100]} << 16;
    }
    static std::uint64_t eight(std::uint32_t value) {
      return four(value / kFour) | std::uint64_t{four(value % kFour)} << 32;
    }
    template <typename Word>
    static unsigned leading_zeros(Word word) {  // in bits; one digit stays
      constexpr auto kZeros = static_cast<Word>(0x3030303030303030);
      constexpr Word kLast = Word{1} << (8 * sizeof(Word) - 8);
      return static_cast<unsigned>(std::countr_zero((word ^ kZeros) | kLast)) & ~7U;
    }
    [[gnu::always_inline]] void up_to_eight(std::uint64_t value) {
      if (value < kFour) {
        const std::uint32_t word = four(static_cast<std::uint32_t>(value));
        put(word, leading_zeros(word));
      } else {
        const std::uint64_t word = eight(static_cast<std::uint32_t>(value));
        put(word, leading_zeros(word));
      }
    }
    template <typename Word>
    void put(Word word, unsigned skip) {
      word >>= skip;
      std::memcpy(at_, &word, sizeof word);  // what is too much is written over
      at_ += sizeof word - skip / 8;
    }

    char* at_;
  };

  RowFile(const std::string& path, std::string_view header)
      : file_(path), buffer_(kBlockBytes + kLongestRow, '\0'), end_(buffer_.data()) {
    file_.write(std::string(header) + '\n');
  }
  [[nodiscard]] Row row() { return Row(end_); }
  void end(const Row& row) {
    end_ = row.at_;
    end_[-1] = '\n';
    if (static_cast<std::size_t>(end_ - buffer_.data()) >= kBlockBytes) flush();
  }
  void close() {
    flush();
    file_.publish();
  }

 private:
  static constexpr std::size_t kBlockBytes = 1u << 18;

  void flush() {
    file_.write({buffer_.data(), end_});
    end_ = buffer_.data();
  }

  flits::CompressedFile file_;
  std::string buffer_;
  char* end_;  // of the rows in it
};

}  // namespace cxlgpu
