// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Policy best-offset: the one offset that would have been in time most often.
//
// Purpose: a load that is the first of its granule X tests one offset d of the list: if X - d is
//          among the recent requests, d scores. After the list has been gone through, a round is
//          over; a phase ends with a round in which a score reached kScoreMax, or with round
//          kRoundMax. The best score's offset, of equal ones the first, is then used, unless its
//          score is kBadScore or less: then nothing is prefetched in the next phase. X + d is.
//          A granule enters the recent requests when a prefetch made at its load would be there.
// Adapted: a port sees no fill of a MemSpecRd, so X enters as many cycles after its load as the
//          last load that nothing covered took; it waits in a queue of 128. There are no pages at
//          a port, so an offset crosses none.
// Units:   granules of a port; clock cycles.
// Errors:  none.
// Source:  P. Michaud, "Best-Offset Hardware Prefetching", HPCA 2016: list (1 to 256 without prime
//          factors over 5), table of 256 tags of 12 bits with its index, 31, 100 and 1.
#pragma once

#include <array>

#include "common/ring_queue.hpp"
#include "model/prefetch/prefetcher.hpp"

namespace cxlgpu {

// Those to 256 without a prime factor over 5.
inline constexpr std::size_t kBestOffsets = 52;
[[nodiscard]] constexpr std::array<std::uint16_t, kBestOffsets> best_offset_list() {
  std::array<std::uint16_t, kBestOffsets> list{};
  std::size_t n = 0;
  for (std::uint16_t i = 1; i <= 256; ++i) {
    unsigned rest = i;
    for (const unsigned prime : {2u, 3u, 5u}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) list[n++] = i;
  }
  return list;
}

class BestOffsetPrefetcher final : public Prefetcher {
 public:
  static constexpr unsigned kOffsets = kBestOffsets;
  static constexpr unsigned kRecent = 256, kTagBits = 12;
  static constexpr unsigned kScoreMax = 31, kRoundMax = 100, kBadScore = 1;
  static constexpr unsigned kDelayed = 128, kCycleBits = 16;
  static constexpr unsigned kStateBits = kRecent * (1 + kTagBits)  // recent requests
                                         + kOffsets * 5 + 6 + 7    // scores, offset, round
                                         + 8 + 1                   // offset in use
                                         + kDelayed * (8 + kTagBits + kCycleBits) + 2 * 7 + 1 +
                                         kCycleBits + (kGranuleBits + 2 + kCycleBits + 1);

  void learn(const LoadSeen& load) override {
    first_ = load.first;
    if (!first_) return;
    at_ = load.granule();
    while (!delayed_.empty() && delayed_.front().cycle + latency_ <= load.cycle) enter();
    test();
    if (delayed_.size() == kDelayed) enter();
    delayed_.push({at_, load.cycle});
  }
  void predict(std::vector<std::uint64_t>& to) override {
    if (first_ && offset_ != 0) put_beside(at_, offset_, to);
  }
  void fetch_took(std::uint64_t cycles) override { latency_ = cycles; }
  void flush() override { *this = {}; }
  [[nodiscard]] unsigned state_bits() const override { return kStateBits; }

  [[nodiscard]] unsigned offset() const { return offset_; }  // in use; 0: none

 private:
  static constexpr auto kList = best_offset_list();
  struct Waiting {
    std::uint64_t granule = 0, cycle = 0;
  };

  [[nodiscard]] static std::size_t index_of(std::uint64_t granule) {
    return (granule ^ granule >> 8) % kRecent;
  }
  [[nodiscard]] static std::int32_t tag_of(std::uint64_t granule) {
    return static_cast<std::int32_t>(granule >> 8 & ((1u << kTagBits) - 1));
  }
  void enter() {
    const std::uint64_t granule = delayed_.front().granule;
    delayed_.pop();
    recent_[index_of(granule)] = tag_of(granule) + 1;
  }
  void test() {
    const std::uint64_t base = at_ - kList[tested_];
    if (at_ >= kList[tested_] && recent_[index_of(base)] == tag_of(base) + 1) {
      if (++score_[tested_] == kScoreMax) reached_ = true;
    }
    if (++tested_ < kOffsets) return;
    tested_ = 0;
    if (++round_ == kRoundMax || reached_) end_phase();
  }
  void end_phase() {
    std::size_t best = 0;
    for (std::size_t i = 1; i < kOffsets; ++i) {
      if (score_[i] > score_[best]) best = i;
    }
    offset_ = score_[best] > kBadScore ? kList[best] : 0;
    score_ = {};
    round_ = 0;
    reached_ = false;
  }

  std::array<std::int32_t, kRecent> recent_{};  // tag + 1; 0: none
  std::array<std::uint8_t, kOffsets> score_{};
  unsigned tested_ = 0, round_ = 0;
  bool reached_ = false;
  unsigned offset_ = 1;  // until the first phase is over
  RingQueue<Waiting, kDelayed> delayed_;
  std::uint64_t latency_ = 0;
  std::uint64_t at_ = 0;  // of the last load, as the next
  bool first_ = false;
};

}  // namespace cxlgpu
