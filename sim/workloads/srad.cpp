// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// srad: speckle-reducing anisotropic diffusion of a picture, durable row by row.
//
// Purpose: streams of rows that are persisted as they are computed: a run goes on with the rows
// that
//          are not there.
// Shapes:  size is the edge n of a picture of 4-byte elements, `iterations` steps. Persistent: two
//          pictures, from one of which a step makes the other; the matrix of coefficients; for each
//          of its rows and of the new picture's a mark of 8 bytes, the step that it is of, eight to
//          a line; the number of steps done in a line of its own. The input is volatile.
// Kernels: a step is one: how the reference area (16 x 16 at most) varies, by one warp; rows of
//          coefficients; rows of the new picture; the step is done. A row: its elements, persist,
//          its mark, persist. At the edge an element is its own neighbour.
// Source:  formulae of Rodinia's srad; GPM (S. Pandey et al., ASPLOS 2022) persists picture and
//          coefficients in place.
#include <cmath>

#include "sim/workloads/persistent.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;

constexpr float kLambda = 0.5F;

struct Around {
  float own = 0, up = 0, down = 0, left = 0, right = 0;
};

float coefficient(const Around& a, float q0) {
  const float up = a.up - a.own, down = a.down - a.own;
  const float left = a.left - a.own, right = a.right - a.own;
  const float gradient = (up * up + down * down + left * left + right * right) / (a.own * a.own);
  const float laplace = (up + down + left + right) / a.own;
  const float scale = 1.0F + 0.25F * laplace;
  const float q = (0.5F * gradient - 0.0625F * laplace * laplace) / (scale * scale);
  const float c = 1.0F / (1.0F + (q - q0) / (q0 * (1.0F + q0)));
  return std::min(std::max(c, 0.0F), 1.0F);
}

float diffused(const Around& a, float own, float down, float right) {
  const float sum = own * (a.up - a.own) + down * (a.down - a.own) + own * (a.left - a.own) +
                    right * (a.right - a.own);
  return a.own + 0.25F * kLambda * sum;
}

// Of the reference area.
class Variation {
 public:
  void add(float value) {
    sum_ += value;
    squares_ += value * value;
    n_ += 1.0F;
  }
  [[nodiscard]] float q0() const {
    const float mean = sum_ / n_;
    return (squares_ / n_ - mean * mean) / (mean * mean);
  }

 private:
  float sum_ = 0, squares_ = 0, n_ = 0;
};

class Srad : public PersistentWorkload {
 public:
  using PersistentWorkload::PersistentWorkload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const Pictures expected = after(params().iterations);
    return difference(memory, picture_[params().iterations % 2], "picture",
                      [&](U64 i) { return expected.now[i]; });
  }

 private:
  struct Pictures {
    std::vector<float> now, coefficients, next;  // the last two of the step that follows
  };

  void place_volatile(Allocator& allocator) override {
    input_ = allocator.alloc<float>(size() * size());
    q0_ = allocator.alloc<float>(kLineBytes / 4);
  }
  void place_persistent(Allocator& allocator) override {
    done_ = allocator.alloc_persistent<U64>(kLineBytes / 8);
    coefficient_marks_ = allocator.alloc_persistent<U64>(size());
    row_marks_ = allocator.alloc_persistent<U64>(size());
    coefficients_ = allocator.alloc_persistent<float>(input_.size);
    for (auto& picture : picture_) picture = allocator.alloc_persistent<float>(input_.size);
  }
  void fill_volatile(Backdoor& memory) override {
    fill_array(memory, input_, [&](U64 i) { return first(i); });
    fill_array(memory, q0_, [](U64) { return 0.0F; });
  }
  WarpTask create(Warp& w) const override;
  WarpTask reopen(Warp&, bool&) const override { co_return; }
  void launch_work(Gpu& gpu) override {
    for (U64 i = 0; i < params().iterations; ++i) {
      gpu.launch([this, i](Warp& w) { return step(w, i); });
    }
  }
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override;
  [[nodiscard]] std::string piece() const override { return "srad"; }

  [[nodiscard]] float first(U64 i) const {
    const U64 speckle = Random(params().seed, i).below(64), row = i / size(), column = i % size();
    return std::exp(static_cast<float>(64 + (row / 8 + column / 8) % 2 * 96 + speckle) / 255.0F);
  }
  [[nodiscard]] U64 area() const { return std::min<U64>(size(), 16); }
  [[nodiscard]] U64 before(U64 x) const { return x == 0 ? 0 : x - 1; }
  [[nodiscard]] U64 behind(U64 x) const { return std::min(x + 1, size() - 1); }
  [[nodiscard]] Around around(const std::vector<float>& v, U64 r, U64 c) const {
    const auto at = [&](U64 row, U64 column) { return v[row * size() + column]; };
    return {at(r, c), at(before(r), c), at(behind(r), c), at(r, before(c)), at(r, behind(c))};
  }
  [[nodiscard]] Pictures after(U64 steps) const;
  void advance(Pictures& pictures) const;

  WarpTask step(Warp& w, U64 number) const;
  WarpTask find_q0(Warp& w, U64 number) const;
  template <typename RowOf>
  WarpTask rows(Warp& w, DeviceArray<U64> marks, U64 number, RowOf row_of) const;
  WarpTask coefficient_row(Warp& w, U64 row, U64 number, float q0) const;
  WarpTask new_row(Warp& w, U64 row, U64 number) const;
  template <typename I>
  WarpTask load_around(Warp& w, DeviceArray<float> from, U64 row, I columns, LaneMask mask,
                       Lanes<Around>& out) const;

  DeviceArray<float> input_, q0_, coefficients_;
  std::array<DeviceArray<float>, 2> picture_;
  DeviceArray<U64> done_, coefficient_marks_, row_marks_;
};

void Srad::advance(Pictures& p) const {
  Variation variation;
  for (U64 i = 0; i < area() * area(); ++i) {
    variation.add(p.now[i / area() * size() + i % area()]);
  }
  p.coefficients.resize(p.now.size());
  p.next.resize(p.now.size());
  for (U64 i = 0; i < p.now.size(); ++i) {
    p.coefficients[i] = coefficient(around(p.now, i / size(), i % size()), variation.q0());
  }
  for (U64 i = 0; i < p.now.size(); ++i) {
    const U64 r = i / size(), c = i % size();
    p.next[i] =
        diffused(around(p.now, r, c), p.coefficients[i], p.coefficients[behind(r) * size() + c],
                 p.coefficients[r * size() + behind(c)]);
  }
}

Srad::Pictures Srad::after(U64 steps) const {
  Pictures pictures;
  for (U64 i = 0; i < size() * size(); ++i) pictures.now.push_back(first(i));
  for (U64 i = 0; i < steps; ++i) {
    advance(pictures);
    pictures.now.swap(pictures.next);
  }
  advance(pictures);
  return pictures;
}

WarpTask Srad::create(Warp& w) const {
  for (const DeviceArray<U64>& marks : {coefficient_marks_, row_marks_}) {
    for (U64 i = U64{w.id()} * w.width(); i < marks.size; i += U64{w.count()} * w.width()) {
      w.store(marks, w.consecutive(i), w.map([](unsigned) { return U64{0}; }),
              w.active({0, marks.size, 1}, i));
    }
  }
  if (w.id() == 0) store_word(w, done_, 0, 0);
  co_await copy_words(w, {input_.base, input_.size}, {picture_[0].base, input_.size});
  co_await w.persist();
}

// One warp; the sum is in the order of the elements.
WarpTask Srad::find_q0(Warp& w, U64 number) const {
  Variation variation;
  for (U64 row = 0; row < area(); ++row) {
    for (U64 c = 0; c < area(); c += w.width()) {
      const LaneMask mask = w.active({0, area(), 1}, c);
      const auto v = co_await w.load(picture_[number % 2], w.consecutive(row * size() + c), mask);
      w.compute(2 + 5, Unit::Fpu);
      for_lanes(mask, [&](unsigned i) { variation.add(v[i]); });
    }
  }
  w.compute(5, Unit::Fpu);
  const float q0 = variation.q0();
  w.store(q0_, w.uniform(0), w.map([q0](unsigned) { return q0; }), lane_bit(0));
}

template <typename I>
WarpTask Srad::load_around(Warp& w, DeviceArray<float> from, U64 row, I columns, LaneMask mask,
                           Lanes<Around>& out) const {
  const U64 n = size();
  const auto load = [&](U64 r, auto&& column) {
    return w.load(from, w.map([&](unsigned i) { return r * n + column(columns[i]); }), mask);
  };
  const auto same = [](U64 c) { return c; };
  auto own = load(row, same), up = load(before(row), same), down = load(behind(row), same);
  auto left = load(row, [&](U64 c) { return before(c); });
  auto right = load(row, [&](U64 c) { return behind(c); });
  const auto [o, u, d, l, r] = co_await all(own, up, down, left, right);
  for (unsigned i = 0; i < w.width(); ++i) out[i] = {o[i], u[i], d[i], l[i], r[i]};
}

WarpTask Srad::coefficient_row(Warp& w, U64 row, U64 number, float q0) const {
  for (U64 c = 0; c < size(); c += w.width()) {
    const LaneMask mask = w.active({0, size(), 1}, c);
    const auto columns = w.map([&](unsigned i) { return std::min(c + i, size() - 1); });
    Lanes<Around> around;
    co_await load_around(w, picture_[number % 2], row, columns, mask, around);
    w.compute(26, Unit::Fpu);
    w.compute(5, Unit::Sfu);  // divisions
    w.compute(8);             // edges, pointers, loop
    w.store(coefficients_, w.consecutive(row * size() + c), w.map([&](unsigned i) {
      return has_lane(mask, i) ? coefficient(around[i], q0) : 0.0F;
    }),
            mask);
  }
}

WarpTask Srad::new_row(Warp& w, U64 row, U64 number) const {
  const U64 n = size();
  for (U64 c = 0; c < n; c += w.width()) {
    const LaneMask mask = w.active({0, n, 1}, c);
    const auto columns = w.map([&](unsigned i) { return std::min(c + i, n - 1); });
    auto owns = w.load(coefficients_, w.consecutive(row * n + c), mask);
    auto downs = w.load(coefficients_, w.consecutive(behind(row) * n + c), mask);
    auto rights = w.load(coefficients_,
                         w.map([&](unsigned i) { return row * n + behind(columns[i]); }), mask);
    Lanes<Around> around;
    co_await load_around(w, picture_[number % 2], row, columns, mask, around);
    const auto [own, down, right] = co_await all(owns, downs, rights);
    const Lanes<float> o = own, d = down, r = right;
    w.compute(14, Unit::Fpu);
    w.compute(8);
    w.store(picture_[(number + 1) % 2], w.consecutive(row * n + c),
            w.map([&](unsigned i) { return diffused(around[i], o[i], d[i], r[i]); }), mask);
  }
}

// Rows whose mark says that they are not of this step.
template <typename RowOf>
WarpTask Srad::rows(Warp& w, DeviceArray<U64> marks, U64 number, RowOf row_of) const {
  for (U64 row = w.id(); row < size(); row += w.count()) {
    U64 mark = 0;
    co_await load_word(w, marks, row, mark);
    w.compute(2);
    if (mark == number + 1) continue;
    if (fault() == Fault::MarkBeforeData) {
      store_word(w, marks, row, number + 1);
      co_await w.persist();
    }
    co_await row_of(row);
    if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
    if (fault() != Fault::MarkBeforeData) store_word(w, marks, row, number + 1);
    co_await w.persist();
  }
}

WarpTask Srad::step(Warp& w, U64 number) const {
  U64 done = 0;
  co_await load_word(w, done_, 0, done);
  if (done != number) co_return;
  if (w.id() == 0) co_await find_q0(w, number);
  co_await w.barrier();
  const float q0 = (co_await w.load_l2(q0_, w.uniform(0), lane_bit(0)))[0];
  co_await rows(w, coefficient_marks_, number,
                [&](U64 row) { return coefficient_row(w, row, number, q0); });
  co_await w.barrier();
  co_await rows(w, row_marks_, number, [&](U64 row) { return new_row(w, row, number); });
  co_await w.barrier();
  if (w.id() != 0) co_return;
  store_word(w, done_, 0, number + 1);
  co_await w.persist();
}

std::optional<std::string> Srad::holds(const Backdoor& memory) const {
  const U64 done = word_at<U64>(memory, done_.base), n = size();
  if (done > params().iterations) return fmt::format("{} steps are done", done);
  const Pictures expected = after(done);
  const auto row_differs = [&](const DeviceArray<float>& array, const std::vector<float>& wanted,
                               U64 row) {
    for (U64 i = row * n; i < (row + 1) * n; ++i) {
      if (word_at<float>(memory, array.address(i)) != wanted[i]) return true;
    }
    return false;
  };
  for (U64 row = 0; row < n; ++row) {
    if (row_differs(picture_[done % 2], expected.now, row)) {
      return fmt::format("row {} of the picture after {} steps is wrong", row, done);
    }
    const U64 mark = word_at<U64>(memory, coefficient_marks_.address(row));
    const U64 row_mark = word_at<U64>(memory, row_marks_.address(row));
    if (mark > done + 1 || row_mark > mark) return fmt::format("row {} has the mark {}", row, mark);
    if (mark == done + 1 && row_differs(coefficients_, expected.coefficients, row)) {
      return fmt::format("row {} of step {}'s coefficients is marked and wrong", row, mark);
    }
    if (row_mark == done + 1 && row_differs(picture_[(done + 1) % 2], expected.next, row)) {
      return fmt::format("row {} of step {}'s picture is marked and wrong", row, row_mark);
    }
  }
  return std::nullopt;
}

}  // namespace

WorkloadKind srad_workload() {
  return {"srad",
          "a picture without its speckle, durable row by row",
          "edge of the picture",
          144,
          2,
          1 << 13,
          make<Srad>,
          {.default_value = 2, .min = 1, .max = 100000, .counts = "steps"}};
}

}  // namespace cxlgpu
