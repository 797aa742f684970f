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
#include <cassert>
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
      if (value < kMillion) {
        small(static_cast<std::uint32_t>(value));
      } else if (value < kMillion * kThousand) {
        const std::uint64_t millions = value / kMillion;
        first(millions);
        six(static_cast<std::uint32_t>(value - millions * kMillion));
      } else {
        at_ = longer(at_, value);
      }
    }
    [[gnu::always_inline]] void below_thousand(std::uint32_t value) {
      first(value);
      *at_++ = ',';
    }
    // Below a million.
    [[gnu::always_inline]] void small(std::uint32_t value) {
      if (value < kThousand) {
        below_thousand(value);
      } else {
        up_to_six(value);
      }
    }
    // ... with all its six digits.
    [[gnu::always_inline]] void six(std::uint32_t value) {
      const std::uint32_t thousands = value / kThousand;
      put(kThree[thousands], 3);
      put(kThree[value - thousands * kThousand], 4);
    }
    void hexadecimal(std::uint64_t value) {
      *at_++ = '0';
      *at_++ = 'x';
      at_ += hexadecimal(at_, value);
      *at_++ = ',';
    }
    // The digits, to a place of 16; how many they are.
    [[gnu::always_inline]] static std::size_t hexadecimal(char* to, std::uint64_t value) {
      const auto digits = static_cast<std::size_t>(std::bit_width(value | 1) + 3) / 4;
      const Sixteen text = nibbles(value << (64 - 4 * digits));
      std::memcpy(to, &text, sizeof text);
      return digits;
    }
    void text(std::string_view text) {
      std::memcpy(at_, text.data(), text.size());
      at_ += text.size();
      *at_++ = ',';
    }
    // What comes next is of the same cell.
    void join() { --at_; }
    // Characters that come again, of a cell or several and with the commas that are in them: all
    // of `bytes` is copied, and `size` of it stays.
    template <std::size_t Bytes>
    [[gnu::always_inline]] void piece(const std::array<char, Bytes>& bytes, std::size_t size) {
      std::memcpy(at_, bytes.data(), Bytes);
      at_ += size;
    }

   private:
    friend class RowFile;
    explicit Row(char* at) : at_(at) {}

    // Three digits at a time, as one word from a table: no division a digit.
    static constexpr std::uint32_t kThousand = 1000, kMillion = kThousand * kThousand;
    static constexpr std::size_t kLongestNumber = 20;
    using Table = std::array<std::uint32_t, kThousand>;
    static_assert(std::endian::native == std::endian::little, "the first digit is the lowest byte");
    static constexpr Table kThree = [] {  // 000 to 999, a comma behind each
      Table table{};
      for (std::uint32_t i = 0; i < kThousand; ++i) {
        table[i] = ('0' + i / 100) | ('0' + i / 10 % 10) << 8 | ('0' + i % 10) << 16 |
                   std::uint32_t{','} << 24;
      }
      return table;
    }();
    static constexpr Table kFirst = [] {  // 0 to 999, and how many digits they are in the last byte
      Table table{};
      for (std::uint32_t i = 0; i < kThousand; ++i) {
        const std::uint32_t digits = i < 10 ? 1 : i < 100 ? 2 : 3;
        table[i] = (kThree[i] & 0xffffff) >> 8 * (3 - digits) | digits << 24;
      }
      return table;
    }();

    template <typename Word>
    void put(Word word, std::size_t size) {
      std::memcpy(at_, &word, sizeof word);  // what is too much is written over
      at_ += size;
    }
    [[gnu::always_inline]] void first(std::uint64_t value) {
      put(kFirst[value], kFirst[value] >> 24);
    }
    [[gnu::always_inline]] void up_to_six(std::uint32_t value) {
      const std::uint32_t thousands = value / kThousand;
      first(thousands);
      put(kThree[value - thousands * kThousand], 4);
    }
    // All at once, the first digit first.
    using Sixteen [[gnu::vector_size(16)]] = std::uint8_t;
    using Words [[gnu::vector_size(16)]] = std::uint64_t;
    [[gnu::always_inline]] static Sixteen nibbles(std::uint64_t value) {
      const auto bytes = reinterpret_cast<Sixteen>(Words{__builtin_bswap64(value), 0});
      const Sixteen low = bytes & 15,
                    high = reinterpret_cast<Sixteen>(reinterpret_cast<Words>(bytes) >> 4) & 15;
      const Sixteen all = __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                                  21, 6, 22, 7, 23);
      return all + '0' + ((all > 9) & ('a' - '0' - 10));
    }
    // No member: a row whose place is known here alone stays in a register.
    [[gnu::noinline]] static char* longer(char* at, std::uint64_t value) {
      constexpr std::uint64_t kBillion = std::uint64_t{kMillion} * kThousand;
      if (value >= kBillion * kThousand) {
        at = std::to_chars(at, at + kLongestNumber, value).ptr;
        *at++ = ',';
        return at;
      }
      Row row(at);
      const std::uint64_t millions = value / kMillion;
      row.up_to_six(static_cast<std::uint32_t>(millions));
      row.join();
      row.six(static_cast<std::uint32_t>(value - millions * kMillion));
      return row.at_;
    }

    char* at_;
  };

  RowFile(const std::string& path, std::string_view header)
      : file_(path), buffer_(kBlockBytes + kLongestRow, '\0'), end_(buffer_.data()) {
    file_.write(std::string(header) + '\n');
  }
  [[nodiscard]] Row row() { return Row(end_); }
  void end(const Row& row) {
    if (end_full(row)) [[unlikely]]
      flush();
  }
  // For whoever has its last call to do: whether flush() has to come next.
  [[nodiscard, gnu::always_inline]] bool end_full(const Row& row) {
    char* const end = row.at_;
    end[-1] = '\n';
    end_ = end;
    return end >= full_;
  }
  void flush() {
    file_.write({buffer_.data(), end_});
    end_ = buffer_.data();
  }
  void close() {
    flush();
    file_.publish();
  }

 private:
  static constexpr std::size_t kBlockBytes = 1u << 18;

  flits::CompressedFile file_;
  std::string buffer_;
  char* end_;  // of the rows in it
  const char* const full_ = buffer_.data() + kBlockBytes;
};

}  // namespace cxlgpu
