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
#include <vector>

#include "common/time.hpp"

namespace cxlgpu {

class GrowingBins {
 public:
  static constexpr std::size_t kBins = 512;
  enum class Kind : std::uint8_t { Sum, Peak };

  explicit GrowingBins(const std::vector<Kind>& curves) {
    for (const Kind kind : curves) curves_.push_back({kind, {}});
  }

  void add(std::size_t curve, Time at, double value) {
    double& bin = curves_[curve].bins[index(at)];
    bin = curves_[curve].kind == Kind::Sum ? bin + value : std::max(bin, value);
  }
  // Picoseconds of [from, to) that lie in each bin, times `value`.
  void span(std::size_t curve, Time from, Time to, double value = 1) {
    if (to <= from) return;
    const std::size_t last = index(to);
    auto& bins = curves_[curve].bins;
    for (std::size_t bin = from.ps >> shift_; bin <= last; ++bin) {
      const std::uint64_t begin = std::max<std::uint64_t>(from.ps, bin << shift_);
      const std::uint64_t end = std::min<std::uint64_t>(to.ps, (bin + 1) << shift_);
      bins[bin] += value * static_cast<double>(end - begin);
    }
  }
  [[nodiscard]] Time width() const { return Time{std::uint64_t{1} << shift_}; }
  // Those up to the last that was touched.
  [[nodiscard]] std::size_t count() const { return used_; }
  [[nodiscard]] double at(std::size_t curve, std::size_t bin) const {
    return curves_[curve].bins[bin];
  }

 private:
  static constexpr unsigned kFirstShift = 14;  // 16 ns

  struct Curve {
    Kind kind;
    std::array<double, kBins> bins{};
  };

  std::size_t index(Time at) {
    while (at.ps >> shift_ >= kBins) grow();
    const std::size_t bin = at.ps >> shift_;
    used_ = std::max(used_, bin + 1);
    return bin;
  }
  void grow() {
    for (Curve& curve : curves_) {
      for (std::size_t i = 0; i < kBins / 2; ++i) {
        const double a = curve.bins[2 * i], b = curve.bins[2 * i + 1];
        curve.bins[i] = curve.kind == Kind::Sum ? a + b : std::max(a, b);
      }
      std::fill(curve.bins.begin() + kBins / 2, curve.bins.end(), 0.0);
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
    if (seen_++ % every_ != 0) return;
    if (kept_.size() == kMost) {
      for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMost / 2);
      every_ *= 2;
      if ((seen_ - 1) % every_ != 0) return;
    }
    kept_.push_back(value);
  }
  [[nodiscard]] const std::vector<T>& kept() const { return kept_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

 private:
  std::vector<T> kept_;
  std::uint64_t seen_ = 0, every_ = 1;
};

}  // namespace cxlgpu
