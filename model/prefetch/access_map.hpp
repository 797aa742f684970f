// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Policy access-map: strides matched in a map of what was accessed.
//
// Purpose: a zone of 16 KiB has a map, two bits a granule: untouched, accessed, prefetched, or
//          prefetched and accessed since. With the first load of granule t, t + k is a candidate if
//          it is untouched and both t - k and t - 2k were accessed, t - k if t + k and t + 2k were.
//          The nearest candidates, at most four, are prefetched.
// Adapted: four at once, as far as one MemSpecRd goes, and DevLoad, in place of the publication's
//          control of the degree by epochs. 64 maps. What a zone without a map holds is untouched.
// Units:   granules of a port.
// Errors:  none.
// Source:  Y. Ishii, M. Inaba, K. Hiraki, "Access Map Pattern Matching for Data Cache Prefetch",
//          ICS 2009.
#pragma once

#include <array>

#include "model/prefetch/lru_table.hpp"
#include "model/prefetch/prefetcher.hpp"

namespace cxlgpu {

class AccessMapPrefetcher final : public Prefetcher {
 public:
  static constexpr unsigned kMaps = 64, kZoneBits = 6, kZone = 1u << kZoneBits;
  static constexpr unsigned kFarthest = kZone / 2, kDegree = 4;
  static constexpr unsigned kStateBits = lru_bits(kMaps, kGranuleBits - kZoneBits, 2 * kZone);

  void learn(const LoadSeen& load) override {
    at_ = load.granule();
    State& state = maps_.make(at_ >> kZoneBits).state[at_ % kZone];
    new_ = state == State::Untouched || state == State::Prefetched;
    if (state == State::Untouched) state = State::Accessed;
    if (state == State::Prefetched) state = State::Success;
  }
  void predict(std::vector<std::uint64_t>& to) override {
    if (!new_) return;
    const std::size_t end = to.size() + kDegree;
    for (std::int64_t k = 1; k <= kFarthest; ++k) {
      for (const std::int64_t step : {k, -k}) {
        if (to.size() == end) return;
        if (accessed(-step) && accessed(-2 * step) && state_of(step) == State::Untouched) {
          ask(step, to);
        }
      }
    }
  }
  void flush() override { maps_.flush(); }
  [[nodiscard]] unsigned state_bits() const override { return kStateBits; }

 private:
  enum class State : std::uint8_t { Untouched, Accessed, Prefetched, Success };
  struct Map {
    std::array<State, kZone> state{};
  };

  [[nodiscard]] std::uint64_t beside(std::int64_t step) const {
    return at_ + static_cast<std::uint64_t>(step);
  }
  [[nodiscard]] State state_of(std::int64_t step) const {
    const Map* map = maps_.find(beside(step) >> kZoneBits);
    return map != nullptr ? map->state[beside(step) % kZone] : State::Untouched;
  }
  [[nodiscard]] bool accessed(std::int64_t step) const {
    const State state = state_of(step);
    return state == State::Accessed || state == State::Success;
  }
  void ask(std::int64_t step, std::vector<std::uint64_t>& to) {
    put_beside(at_, step, to);
    if (Map* map = maps_.find(beside(step) >> kZoneBits)) {
      map->state[beside(step) % kZone] = State::Prefetched;
    }
  }

  LruTable<Map, kMaps> maps_;  // by zone
  std::uint64_t at_ = 0;       // of the last load, as the next
  bool new_ = false;
};

}  // namespace cxlgpu
