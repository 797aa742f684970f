// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Policy stride: a reference prediction table, keyed by zone.
//
// Purpose: each zone of 16 KiB has an entry with its last granule, a stride and one of four states.
//          A step that is the stride is correct. Initial leads to steady if correct, else to
//          transient; transient to steady, else to no prediction; steady to steady, else to
//          initial; no prediction to transient, else to itself. An incorrect step becomes the
//          stride, but out of steady. No prediction predicts nothing, steady four strides ahead,
//          the others one.
// Adapted: published is the program counter as key; zones, and loads of the granule of the last as
//          no step, stand for it. The lookahead of the publication's second scheme is a distance
//          here, four granules, as far as one MemSpecRd goes. A table of 64, direct-mapped.
// Units:   granules of a port.
// Errors:  none.
// Source:  T.-F. Chen, J.-L. Baer, "Effective Hardware-Based Data Prefetching for High-Performance
//          Processors", IEEE Trans. Computers 44(5), 1995 (table, states); S. Palacharla, R. E.
//          Kessler, "Evaluating Stream Buffers as a Secondary Cache Replacement", ISCA 1994
//          (strides by zone, without a program counter).
#pragma once

#include <array>

#include "model/prefetch/prefetcher.hpp"

namespace cxlgpu {

class StridePrefetcher final : public Prefetcher {
 public:
  static constexpr unsigned kEntries = 64, kZoneBits = 6;  // log2 of the granules of a zone
  static constexpr int kAhead = 4;
  // Valid, zone, last granule, stride and its sign, state.
  static constexpr unsigned kStateBits =
      kEntries * (1 + (kGranuleBits - kZoneBits) + kZoneBits + (kZoneBits + 1) + 2);

  void learn(const LoadSeen& load) override {
    const std::uint64_t granule = load.granule(), zone = granule >> kZoneBits;
    Entry& e = entries_[(zone ^ zone >> 6) % kEntries];
    at_ = granule;
    stride_ = ahead_ = 0;
    if (!e.valid || e.last >> kZoneBits != zone) {
      e = {.valid = true, .last = granule};
      return;
    }
    const auto step = static_cast<std::int64_t>(granule - e.last);
    if (step == 0) return;
    const bool correct = step == e.stride;
    if (!correct && e.state != State::Steady) e.stride = step;
    e.state = next(e.state, correct);
    e.last = granule;
    stride_ = e.stride;
    ahead_ = e.state == State::None ? 0 : e.state == State::Steady ? kAhead : 1;
  }
  void predict(std::vector<std::uint64_t>& to) override {
    if (stride_ == 0) return;
    for (int i = 1; i <= ahead_; ++i) put_beside(at_, i * stride_, to);
  }
  void flush() override {
    entries_ = {};
    ahead_ = 0;
  }
  [[nodiscard]] unsigned state_bits() const override { return kStateBits; }

 private:
  enum class State : std::uint8_t { Initial, Transient, Steady, None };
  struct Entry {
    bool valid = false;
    std::uint64_t last = 0;
    std::int64_t stride = 0;
    State state = State::Initial;
  };

  [[nodiscard]] static State next(State state, bool correct) {
    switch (state) {
      case State::Initial:
        return correct ? State::Steady : State::Transient;
      case State::Transient:
        return correct ? State::Steady : State::None;
      case State::Steady:
        return correct ? State::Steady : State::Initial;
      default:
        return correct ? State::Transient : State::None;
    }
  }

  std::array<Entry, kEntries> entries_{};
  std::uint64_t at_ = 0;  // of the last load, as the next two
  std::int64_t stride_ = 0;
  int ahead_ = 0;
};

}  // namespace cxlgpu
