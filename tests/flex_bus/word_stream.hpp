// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Words as a receiver sees them: streams with every kind of interval, and every kind of fault.
//
// Purpose: stimulus for flex_bus_rx. Streams are put together from bytes, apart from the
//          transmitter and its twin.
// Units:   blocks of four words; faults in percent of flits, ordered sets or words.
// Errors:  none; illegal streams are what it is for.
// Source:  docs/blocks/flex_bus/README.md.
#pragma once

#include <deque>
#include <vector>

#include "refmodel/flex_bus/protocol_id.hpp"
#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {

inline constexpr std::array<std::uint8_t, 8> kIdCodes{0xFF, 0xD2, 0x55, 0x87,
                                                      0xCC, 0x1E, 0x99, 0x4B};

class WordStream {
 public:
  WordStream(unsigned lanes, Random& random) : lanes_(lanes), random_(random) {}

  // A new stream from its SDS on.
  void restart(bool bypass, unsigned fault_percent) {
    bypass_ = bypass;
    fault_ = fault_percent;
    words_.clear();
    intervals_ = 0;
  }
  Word next() {
    while (words_.empty()) extend();
    Word word = words_.front();
    words_.pop_front();
    return word;
  }

  // The parts, for streams by hand.
  static void append_set(std::deque<Word>& to, std::uint32_t first, std::uint32_t middle,
                         unsigned middles, std::uint32_t last, bool start) {
    Word word{.valid = true, .start = start, .sync = start ? kSyncOrderedSet : 0u, .lane = {}};
    word.lane.fill(first);
    to.push_back(word);
    word.start = false;
    word.sync = 0;
    word.lane.fill(middle);
    for (unsigned i = 0; i < middles; ++i) to.push_back(word);
    word.lane.fill(last);
    to.push_back(word);
  }
  static void append_sds(std::deque<Word>& to) {
    append_set(to, kSdsFirstWord, kSdsWord, 2, kSdsWord, true);
  }
  // Bytes of whole words; with headers at every fourth unless bypass.
  static void append_bytes(std::deque<Word>& to, unsigned lanes,
                           const std::vector<std::uint8_t>& bytes, bool bypass) {
    for (std::size_t at = 0; at < bytes.size(); at += 4 * lanes) {
      Word word{.valid = true, .start = false, .sync = 0, .lane = {}};
      word.start = !bypass && at / (4 * lanes) % kBlockWords == 0;
      if (word.start) word.sync = kSyncData;
      for (unsigned k = 0; k < 4 * lanes; ++k) word.set_byte(lanes, k, bytes[at + k]);
      to.push_back(word);
    }
  }

 private:
  bool fault() { return random_.below(1000) < fault_; }

  void extend() {
    if (intervals_ == 0) {
      intervals_ = 1 + static_cast<unsigned>(random_.below(5));
      for (std::uint64_t i = random_.below(6); i > 0; --i) words_.push_back(noise());
      append_sds(words_);
      if (random_.below(50) == 0) words_.pop_back();
    }
    --intervals_;
    const std::size_t begin = words_.size();
    interval();
    skp();
    for (std::size_t i = begin; i < words_.size(); ++i) word_fault(i);
  }

  Word noise() {
    Word word{.valid = true,
              .start = random_.percent(50),
              .sync = static_cast<unsigned>(random_.bits(2)),
              .lane = {}};
    word.lane.fill(tricky_data(random_));
    if (random_.percent(50)) word.lane[random_.below(lanes_)] = tricky_data(random_);
    return word;
  }

  void interval() {
    const bool whole = bypass_ || random_.percent(20);
    const std::size_t blocks = whole ? 17 : 1 + random_.below(20);
    const std::size_t total = blocks * 16 * lanes_;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < total) flit(bytes, total - bytes.size());
    if (fault()) bytes.resize(total - 16 * lanes_);  // the SKP set comes a block early
    append_bytes(words_, lanes_, bytes, bypass_);
  }

  void flit(std::vector<std::uint8_t>& bytes, std::size_t room) {
    const std::size_t size = std::min<std::size_t>(room, 68);
    auto kind = static_cast<FlitKind>(random_.below(4));
    bool eds = room <= 68;
    if (size < 68 && !fault()) kind = FlitKind::kNull;
    if (fault()) eds = !eds;
    std::uint8_t a = static_cast<std::uint8_t>(protocol_code(kind, eds)), b = a;
    if (fault()) damage(a, b);
    for (std::size_t i = 0; i < size; ++i) {
      bytes.push_back(i == 0 ? a : i == 1 ? b : static_cast<std::uint8_t>(random_.bits(8)));
    }
  }
  void damage(std::uint8_t& a, std::uint8_t& b) {
    std::uint8_t& one = random_.percent(50) ? a : b;
    switch (random_.below(4)) {
      case 0:
        one = static_cast<std::uint8_t>(one ^ 1u << random_.below(8));
        break;
      case 1:
        one = random_.pick(kIdCodes);
        break;
      case 2:
        a = b = random_.pick(kIdCodes);
        break;
      default:
        a = static_cast<std::uint8_t>(random_.bits(8));
        b = static_cast<std::uint8_t>(random_.bits(8));
        break;
    }
  }

  void skp() {
    const unsigned middles = static_cast<unsigned>(random_.below(fault() ? 7 : 5));
    const auto end = static_cast<std::uint32_t>(random_.bits(24) << 8) | 0xE1;
    const std::size_t first = words_.size();
    append_set(words_, kSkpWord, kSkpWord, middles, end, true);
    if (fault()) words_[first].sync = static_cast<unsigned>(random_.bits(2));
  }

  void word_fault(std::size_t i) {
    Word& word = words_[i];
    // With bypass the headers say nothing inside a stream.
    if (bypass_ && random_.percent(5)) {
      word.start = random_.percent(50);
      word.sync = static_cast<unsigned>(random_.bits(2));
    }
    if (random_.below(20) != 0 || !fault()) return;
    switch (random_.below(6)) {
      case 0:
        word.start = !word.start;
        break;
      case 1:
        word.sync = static_cast<unsigned>(random_.bits(2));
        break;
      case 2:
        word = noise();
        break;
      case 3:
        word.lane[random_.below(lanes_)] = tricky_data(random_);
        break;
      case 4:
        words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(i), noise());
        break;
      default:
        words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
    }
  }

  unsigned lanes_;
  Random& random_;
  bool bypass_ = false;
  unsigned fault_ = 0;
  unsigned intervals_ = 0;  // left in this stream
  std::deque<Word> words_;
};

}  // namespace cxlgpu::test
