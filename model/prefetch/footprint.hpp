// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Policy footprint: which granules of a region were loaded after it was met at this place.
//
// Purpose: spatial memory streaming. The first load of a region of 2 KiB, its trigger, opens a
//          generation, in a filter of 32; the first load of another granule moves it to the
//          accumulation table, 64 entries, where the granules loaded are gathered. When it ends,
//          they are written to the pattern history under the place of the trigger. A trigger whose
//          place has a pattern prefetches it at once. A region that a single granule was loaded of
//          leaves no pattern.
// Adapted: the publication's key is program counter and place; a port has the place alone, in lines
//          of 64 B, 32 of them. There a generation ends when the cache loses a line of it, which a
//          port does not see: here it ends when the accumulation table needs its entry.
// Units:   granules of a port, but the place.
// Errors:  none.
// Source:  S. Somogyi, T. F. Wenisch, A. Ailamaki, B. Falsafi, A. Moshovos, "Spatial Memory
//          Streaming", ISCA 2006 (regions of 2 KiB, 32 and 64 entries).
#pragma once

#include <array>

#include "model/prefetch/lru_table.hpp"
#include "model/prefetch/prefetcher.hpp"

namespace cxlgpu {

class FootprintPrefetcher final : public Prefetcher {
 public:
  static constexpr unsigned kRegion = 8, kPlaces = kRegion * kLinesOfGranule;
  static constexpr unsigned kFilter = 32, kAccumulation = 64;
  static constexpr unsigned kRegionBits = kGranuleBits - 3, kPlaceBits = 5;
  static constexpr unsigned kStateBits =
      lru_bits(kFilter, kRegionBits, kPlaceBits) +
      lru_bits(kAccumulation, kRegionBits, kPlaceBits + kRegion) + kPlaces * kRegion;

  void learn(const LoadSeen& load) override {
    region_ = load.granule() / kRegion;
    const auto place = static_cast<std::uint8_t>(load.line % kPlaces);
    asked_ = 0;
    if (Generation* open = accumulation_.use(region_)) {
      open->loaded |= bit_of(place);
    } else if (const Generation* begun = filter_.use(region_)) {
      if ((begun->loaded & bit_of(place)) != 0) return;
      const Generation grown{begun->place,
                             static_cast<std::uint8_t>(begun->loaded | bit_of(place))};
      filter_.drop(region_);
      accumulation_.make(region_, [this](const Generation& g) { history_[g.place] = g.loaded; }) =
          grown;
    } else {
      filter_.make(region_) = {place, bit_of(place)};
      asked_ = static_cast<std::uint8_t>(history_[place] & ~bit_of(place));
    }
  }
  void predict(std::vector<std::uint64_t>& to) override {
    for (unsigned i = 0; i < kRegion; ++i) {
      if ((asked_ >> i & 1) != 0) to.push_back(region_ * kRegion + i);
    }
  }
  void flush() override { *this = {}; }
  [[nodiscard]] unsigned state_bits() const override { return kStateBits; }

 private:
  struct Generation {
    std::uint8_t place = 0;   // line of the region, of its trigger
    std::uint8_t loaded = 0;  // granules
  };
  [[nodiscard]] static std::uint8_t bit_of(unsigned place) {
    return static_cast<std::uint8_t>(1u << place / kLinesOfGranule);
  }

  LruTable<Generation, kFilter> filter_;  // by region, as the next
  LruTable<Generation, kAccumulation> accumulation_;
  std::array<std::uint8_t, kPlaces> history_{};  // granules, by place of the trigger; 0: none
  std::uint64_t region_ = 0;                     // of the last load, as the next
  std::uint8_t asked_ = 0;
};

}  // namespace cxlgpu
