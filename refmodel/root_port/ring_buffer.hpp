// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The ring buffer: which granules MemSpecRd recently requested, and which of their lines were
// wanted since.
//
// Purpose: suppresses a second MemSpecRd for what one already covers, and tells what came of the
//          first. Four banks (granule mod 4) of sets x ways, first in first out in each set; sets
//          are picked by an XOR hash.
// Units:   granules (address[51:8]); lines (address[51:6]), four a granule.
// Shapes:  sets: a power of two; ways: at least 1. A run has four granules at most, each of a bank
//          of its own.
// Errors:  none.
// Source:  docs/blocks/root_port/ring_buffer.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/policy.hpp"
#include "common/rtl_sizes.hpp"

namespace cxlgpu {

class RingBuffer {
 public:
  static constexpr std::size_t kBanks = 4;

  explicit RingBuffer(unsigned sets = kDefaultRtl.ring_entries / 16, unsigned ways = 4)
      : sets_(sets),
        ways_(ways),
        held_(kBanks * sets * ways, kEmpty),
        used_(kBanks * sets * ways),
        next_(kBanks * sets) {}

  [[nodiscard]] bool contains(std::uint64_t granule) const { return place_of(granule).there; }

  // The granule is here, and a load wanted this line of it or it was asked for.
  [[nodiscard]] bool line_used(std::uint64_t line) const {
    const Place place = place_of(line / kLines);
    return place.there && is_used(place, line);
  }

  // A load wants the line: whether it is the first to want it of a granule that is here.
  bool use(std::uint64_t line) {
    const Place place = place_of(line / kLines);
    if (!place.there || is_used(place, line)) return false;
    used_[place.at] |= bit_of(line);
    return true;
  }
  [[nodiscard]] bool would_use(std::uint64_t line) const {
    const Place place = place_of(line / kLines);
    return place.there && !is_used(place, line);
  }

  // What a MemSpecRd taken makes known.
  struct Recorded {
    unsigned useful = 0, useless = 0;  // granules overwritten, with a used line and without one
    bool own_use = false;              // its own line is used, and was not
  };
  // Every granule of the run, unless it is there already; `own` is the line that it is asked for.
  Recorded record(GranuleRun run, std::uint64_t own) {
    Recorded told;
    for (unsigned i = 0; i <= run.len; ++i) {
      const std::uint64_t granule = (run.first + i) & kGranuleMask;
      const Place place = place_of(granule);
      tell(place, granule, own, told);
      if (!place.there) {
        held_[place.at] = granule;
        used_[place.at] = 0;
        std::uint32_t& next = next_[set_of(granule)];
        next = next + 1 == ways_ ? 0 : next + 1;
      }
      if (granule == own / kLines) used_[place.at] |= bit_of(own);
    }
    return told;
  }
  [[nodiscard]] Recorded would_record(GranuleRun run, std::uint64_t own) const {
    Recorded told;
    for (unsigned i = 0; i <= run.len; ++i) {
      const std::uint64_t granule = (run.first + i) & kGranuleMask;
      tell(place_of(granule), granule, own, told);
    }
    return told;
  }

  void flush() {
    std::fill(held_.begin(), held_.end(), kEmpty);
    std::fill(next_.begin(), next_.end(), 0);
  }

  // Cycle-exact.
  struct In {
    std::uint64_t granule = 0;
    bool use = false;   // never with record
    unsigned line = 0;  // of the granule
    bool record = false;
    std::uint64_t first = 0;
    unsigned len = 0;
    std::uint64_t own_granule = 0;
    unsigned own = 0;  // its line
    bool flush = false;
  };
  struct Out {
    bool hit = false, line_hit = false;
    bool first_use = false, own_use = false;
    unsigned useful = 0, useless = 0;
  };
  [[nodiscard]] Out eval(const In& in) const {
    Out out{.hit = contains(in.granule), .line_hit = line_used(in.granule * kLines + in.line)};
    if (in.flush) return out;
    out.first_use = in.use && would_use(in.granule * kLines + in.line);
    if (in.record) {
      const Recorded told = would_record({in.first, in.len}, in.own_granule * kLines + in.own);
      out.own_use = told.own_use;
      out.useful = told.useful;
      out.useless = told.useless;
    }
    return out;
  }
  void clock(const In& in) {
    if (in.flush) {
      flush();
    } else if (in.record) {
      record({in.first, in.len}, in.own_granule * kLines + in.own);
    } else if (in.use) {
      use(in.granule * kLines + in.line);
    }
  }

 private:
  static constexpr unsigned kLines = 4;  // of a granule
  static constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << 44) - 1;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  // Where a granule is, or else what it overwrites.
  struct Place {
    std::size_t at = 0;
    bool there = false;
  };

  [[nodiscard]] std::size_t set_of(std::uint64_t granule) const {
    const std::uint64_t hash = (granule >> 2) ^ (granule >> 8) ^ (granule >> 14);
    return (granule % kBanks) * sets_ + (hash & (sets_ - 1));
  }
  [[nodiscard]] Place place_of(std::uint64_t granule) const {
    const std::size_t set = set_of(granule);
    const std::size_t first = set * ways_;
    for (std::size_t way = first; way < first + ways_; ++way) {
      if (held_[way] == granule) return {way, true};
    }
    return {first + next_[set], false};
  }
  [[nodiscard]] static std::uint8_t bit_of(std::uint64_t line) {
    return static_cast<std::uint8_t>(1u << line % kLines);
  }
  [[nodiscard]] bool is_used(Place place, std::uint64_t line) const {
    return (used_[place.at] & bit_of(line)) != 0;
  }
  void tell(Place place, std::uint64_t granule, std::uint64_t own, Recorded& told) const {
    if (granule == own / kLines) told.own_use = !place.there || !is_used(place, own);
    if (place.there || held_[place.at] == kEmpty) return;
    ++(used_[place.at] != 0 ? told.useful : told.useless);
  }

  std::size_t sets_, ways_;
  std::vector<std::uint64_t> held_;  // [bank][set][way]
  std::vector<std::uint8_t> used_;   // a bit for each line of those; of an empty one anything
  std::vector<std::uint32_t> next_;  // way that is written next, [bank][set]
};

}  // namespace cxlgpu
