// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Curves over a run of any length, in memory of one size.
//
// Purpose: bins whose width doubles whenever the run outgrows them.
// Units:   bins of 2^shift ps from time 0 on, at most kBins of them.
// Shapes:  a curve of sums adds what neighbours hold when they become one, one of peaks takes the
//          greater.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/time.hpp"

namespace cxlgpu {

class GrowingBins {
 public:
  static constexpr std::size_t kBins = 256;
  enum class Kind : std::uint8_t { Sum, Peak };

  explicit GrowingBins(const std::vector<Kind>& curves) {
    for (const Kind kind : curves) curves_.push_back({.kind = kind});
  }

  void add(std::size_t curve, Time at, double value) {
    const std::size_t i = index(at);
    Curve& to = curves_[curve];
    to.used = std::max(to.used, i + 1);
    to.bins[i] = to.kind == Kind::Sum ? to.bins[i] + value : std::max(to.bins[i], value);
  }
  // Picoseconds of [from, to) that lie in each bin, times `value`; of a curve that add() leaves
  // alone. What begins and what ends is kept, so that it costs the same however many bins it is.
  void span(std::size_t curve, Time from, Time to, double value = 1) {
    if (to <= from) return;
    const std::size_t last = index(to), first = from.ps >> shift_;
    Curve& c = curves_[curve];
    c.used = std::max(c.used, last + 1);
    c.spans = true;
    c.net[first] += value;
    c.bins[first] -= value * number(from);
    c.net[last] -= value;
    c.bins[last] += value * number(to);
  }
  [[nodiscard]] Time width() const { return Time{std::uint64_t{1} << shift_}; }
  // Those up to the last that was touched.
  [[nodiscard]] std::size_t count() const { return used_; }
  [[nodiscard]] double at(std::size_t curve, std::size_t bin) const {
    const Curve& c = curves_[curve];
    if (!c.spans) return c.bins[bin];
    double open = 0;  // at the beginning of the bin
    for (std::size_t i = 0; i < bin; ++i) open += c.net[i];
    const double end = number(width() * (bin + 1));
    return std::max(0.0, open * number(width()) + c.net[bin] * end + c.bins[bin]);
  }

 private:
  static constexpr unsigned kFirstShift = 16;  // 66 ns

  struct Curve {
    Kind kind = Kind::Sum;
    std::size_t used = 0;  // bins up to the last that was touched
    bool spans = false;
    std::array<double, kBins> bins{}, net{};
  };

  static double number(Time t) { return static_cast<double>(static_cast<std::int64_t>(t.ps)); }
  std::size_t index(Time at) {
    while (at.ps >> shift_ >= kBins) grow();
    const std::size_t bin = at.ps >> shift_;
    used_ = std::max(used_, bin + 1);
    return bin;
  }
  static void merge(std::array<double, kBins>& bins, std::size_t pairs, Kind kind) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const double a = std::exchange(bins[2 * i], 0), b = std::exchange(bins[2 * i + 1], 0);
      bins[i] = kind == Kind::Sum ? a + b : std::max(a, b);
    }
  }
  void grow() {
    for (Curve& curve : curves_) {
      curve.used = (curve.used + 1) / 2;
      merge(curve.bins, curve.used, curve.kind);
      if (curve.spans) merge(curve.net, curve.used, Kind::Sum);
    }
    used_ = (used_ + 1) / 2;
    ++shift_;
  }

  std::vector<Curve> curves_;
  unsigned shift_ = kFirstShift;
  std::size_t used_ = 0;
};

// Every n-th of what is offered, spread over all of it however much comes: at most kMost.
template <typename T, std::size_t kMost>
class SpreadSample {
 public:
  void offer(const T& value) {
    if ((seen_++ & (every_ - 1)) != 0) return;
    if (kept_.size() == kMost) {
      for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMost / 2);
      every_ *= 2;
      if (((seen_ - 1) & (every_ - 1)) != 0) return;
    }
    kept_.push_back(value);
  }
  [[nodiscard]] const std::vector<T>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

 private:
  std::vector<T> kept_;
  std::uint64_t seen_ = 0, every_ = 1;  // a power of two
};

}  // namespace cxlgpu
