// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// fft: Fourier transform of 2^size points in place, radix 2, decimation in time.
//
// Purpose: strides of every power of two: bit reversal scatters, then each pass doubles the
// distance
//          of what it joins, and reads the twiddle factors at a stride that halves.
// Shapes:  real and imaginary parts apart, 4 bytes each, 2^size of them; 2^(size - 1) twiddle
//          factors. A lane does one butterfly; all warps meet after bit reversal and each pass.
// Source:  Cooley and Tukey 1965.
#include <cmath>

#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

struct Complex {
  float re = 0, im = 0;
};

// The two results of a butterfly of `a` and `b` with twiddle factor `t`.
std::pair<Complex, Complex> butterfly(Complex a, Complex b, Complex t) {
  const Complex p{b.re * t.re - b.im * t.im, b.re * t.im + b.im * t.re};
  return {{a.re + p.re, a.im + p.im}, {a.re - p.re, a.im - p.im}};
}

class Fft : public Workload {
 public:
  explicit Fft(const WorkloadParams& params) : Workload(params), twiddles_(points() / 2) {
    // e^(-2 pi i k / n) of a power of two k is the square root of that of 2 k; the others are
    // products. Roots and products are the same everywhere, sines are not.
    double re = -1, im = 0;  // k = n / 2
    std::vector<std::array<double, 2>> exact(twiddles_.size(), {1, 0});
    for (std::uint64_t k = points() / 4; k != 0; k /= 2) {
      const double half = std::sqrt((1 + re) / 2);
      im = re == -1 ? -1 : im / (2 * half);
      re = half;
      for (std::uint64_t i = k; i < exact.size(); i += 2 * k) {
        for (std::uint64_t j = i; j < i + k; ++j) {
          const auto [x, y] = exact[j];
          exact[j] = {x * re - y * im, x * im + y * re};
        }
      }
    }
    for (std::uint64_t k = 0; k < exact.size(); ++k) {
      twiddles_[k] = {static_cast<float>(exact[k][0]), static_cast<float>(exact[k][1])};
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<Complex> x(points());
    for (std::uint64_t i = 0; i < points(); ++i) {
      const std::uint64_t from = reversed(i);
      x[i] = {value(2 * from), value(2 * from + 1)};
    }
    for (std::uint64_t half = 1; half < points(); half *= 2) {
      for (std::uint64_t first = 0; first < points(); first += 2 * half) {
        for (std::uint64_t k = 0; k < half; ++k) {
          Complex &a = x[first + k], &b = x[first + k + half];
          std::tie(a, b) = butterfly(a, b, twiddles_[k * (points() / (2 * half))]);
        }
      }
    }
    if (auto wrong = difference(memory, re_, "re", [&](std::uint64_t i) { return x[i].re; })) {
      return wrong;
    }
    return difference(memory, im_, "im", [&](std::uint64_t i) { return x[i].im; });
  }

 private:
  [[nodiscard]] std::uint64_t points() const { return 1ULL << size(); }
  [[nodiscard]] std::uint64_t reversed(std::uint64_t i) const {
    std::uint64_t r = 0;
    for (std::uint64_t bit = 0; bit < size(); ++bit) r |= (i >> bit & 1) << (size() - 1 - bit);
    return r;
  }
  [[nodiscard]] float value(std::uint64_t i) const {  // in [-1, 1)
    return static_cast<float>(Random(params().seed, i).below(1 << 24)) * 0x1p-23F - 1.0F;
  }
  void place(Allocator& allocator) override {
    re_ = allocator.alloc<float>(points());
    im_ = allocator.alloc<float>(points());
    twiddle_re_ = allocator.alloc<float>(points() / 2);
    twiddle_im_ = allocator.alloc<float>(points() / 2);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, re_, [&](std::uint64_t i) { return value(2 * i); });
    fill_array(memory, im_, [&](std::uint64_t i) { return value(2 * i + 1); });
    fill_array(memory, twiddle_re_, [&](std::uint64_t k) { return twiddles_[k].re; });
    fill_array(memory, twiddle_im_, [&](std::uint64_t k) { return twiddles_[k].im; });
  }
  WarpTask kernel(Warp& w) const override;

  std::vector<Complex> twiddles_;
  DeviceArray<float> re_, im_, twiddle_re_, twiddle_im_;
};

// Instructions besides the accesses. Bit reversal of a machine without an instruction for it: 24 a
// vector (five steps of shift, mask and or, less a word's swap; is it to be swapped, with split and
// join; addresses, loop). A butterfly: ten of floating point, 14 for places and addresses, 3 for
// pointer, counter, branch. A pass: 5 (distances, counter, branch).
WarpTask Fft::kernel(Warp& w) const {
  const WorkRange all_points = share(w, points());
  for (std::uint64_t base = all_points.first; base < all_points.end; base += all_points.stride) {
    const auto at = w.consecutive(base);
    Lanes<std::uint64_t> other{};
    for_lanes(w.active(all_points, base), [&](unsigned i) { other[i] = reversed(at[i]); });
    const LaneMask swap =
        lanes_where(w.active(all_points, base), [&](unsigned i) { return at[i] < other[i]; });
    w.compute(24);
    auto re_here = w.load(re_, at, swap), im_here = w.load(im_, at, swap);
    auto re_there = w.load(re_, other, swap), im_there = w.load(im_, other, swap);
    const auto [a, b, c, d] = co_await all(re_here, im_here, re_there, im_there);
    w.store(re_, at, c, swap);
    w.store(im_, at, d, swap);
    w.store(re_, other, a, swap);
    w.store(im_, other, b, swap);
  }
  co_await w.barrier();
  const WorkRange range = share(w, points() / 2);
  for (std::uint64_t half = 1; half < points(); half *= 2) {
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const LaneMask mask = w.active(range, base);
      Lanes<std::uint64_t> at{}, other{}, factor{};
      for_lanes(mask, [&](unsigned i) {
        const std::uint64_t k = (base + i) % half;
        at[i] = (base + i) / half * 2 * half + k;
        other[i] = at[i] + half;
        factor[i] = k * (points() / (2 * half));
      });
      auto re_a = w.load(re_, at, mask), im_a = w.load(im_, at, mask);
      auto re_b = w.load(re_, other, mask), im_b = w.load(im_, other, mask);
      auto re_t = w.load(twiddle_re_, factor, mask), im_t = w.load(twiddle_im_, factor, mask);
      auto [ar, ai, br, bi, tr, ti] = co_await all(re_a, im_a, re_b, im_b, re_t, im_t);
      w.compute(10, Unit::Fpu);
      w.compute(14 + 3);
      for (unsigned i = 0; i < w.width(); ++i) {
        const auto [x, y] = butterfly({ar[i], ai[i]}, {br[i], bi[i]}, {tr[i], ti[i]});
        ar[i] = x.re;
        ai[i] = x.im;
        br[i] = y.re;
        bi[i] = y.im;
      }
      w.store(re_, at, ar, mask);
      w.store(im_, at, ai, mask);
      w.store(re_, other, br, mask);
      w.store(im_, other, bi, mask);
    }
    w.compute(5);
    co_await w.barrier();
  }
}

}  // namespace

WorkloadKind fft_workload() {
  return {"fft", "Fourier transform, radix 2, in place", "2^size points", 15, 10, 26, &make<Fft>};
}

}  // namespace cxlgpu
