// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// embed: rows of an embedding table, gathered and summed bag by bag.
//
// Purpose: short runs at places that only data tell: two lines a row, rows by fame, next to a
// stream
//          of row numbers that tells them well ahead.
// Shapes:  a table of size rows of 32 values of 4 bytes; size / 8 bags (1 or more) of 1 to
//          8 * degree - 1 rows, as many by chance; rows by Zipf's law, the frequent ones all over
//          the table. A warp takes a bag, lanes along the row; `unroll` rows are loaded before the
//          first is added.
// Source:  Naumov et al. 2019 (DLRM): embedding bags with sum.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kValues = 32;

class Embedding : public Workload {
 public:
  explicit Embedding(const WorkloadParams& params) : Workload(params) {
    Random random(params.seed);
    const std::uint64_t bags = std::max<std::uint64_t>(1, size() / 8);
    for (std::uint64_t bag = 0; bag < bags; ++bag) {
      const std::uint64_t count = 1 + random.below(8ULL * params.degree - 1);
      for (std::uint64_t k = 0; k < count; ++k) {
        rows_of_.push_back(static_cast<std::uint32_t>(spread(zipf(random, size()), size())));
      }
      first_of_.push_back(static_cast<std::uint32_t>(rows_of_.size()));
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      float sum = 0;
      for (std::uint32_t k = first_of_[i / kValues]; k < first_of_[i / kValues + 1]; ++k) {
        sum += value(rows_of_[k] * kValues + i % kValues);
      }
      return sum;
    });
  }

 private:
  // Whole numbers small enough for every sum to be exact.
  [[nodiscard]] float value(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 14));
  }
  void place(Allocator& allocator) override {
    table_ = allocator.alloc<float>(size() * kValues);
    first_ = allocator.alloc<std::uint32_t>(first_of_.size());
    rows_ = allocator.alloc<std::uint32_t>(rows_of_.size());
    out_ = allocator.alloc<float>((first_of_.size() - 1) * kValues);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, table_, [&](std::uint64_t i) { return value(i); });
    copy_to_device(memory, first_, first_of_);
    copy_to_device(memory, rows_, rows_of_);
    fill_array(memory, out_, [](std::uint64_t) { return -1.0F; });
  }
  WarpTask kernel(Warp& w) const override;

  std::vector<std::uint32_t> first_of_{0}, rows_of_;
  DeviceArray<float> table_, out_;
  DeviceArray<std::uint32_t> first_, rows_;
};

// Instructions besides the accesses: 10 a bag (addresses, sums cleared, loop), 2 a row (address)
// and a sum for each vector of it, 3 a turn (pointer, counter, branch).
WarpTask Embedding::kernel(Warp& w) const {
  const std::uint64_t width = w.width(), unroll = params().unroll;
  const std::uint64_t bags = first_of_.size() - 1;
  const WorkRange range = share(w, bags * width);  // a vector of work is a bag
  for (std::uint64_t piece = range.first; piece < range.end; piece += range.stride) {
    const std::uint64_t bag = piece / width;
    const auto at = [&](std::uint64_t i) { return w.map([&](unsigned) { return i; }); };
    auto first = w.load(first_, at(bag), w.full_mask());
    auto last = w.load(first_, at(bag + 1), w.full_mask());
    const auto [begins, ends] = co_await all(first, last);
    w.compute(10);
    std::array<float, kValues> sums{};
    for (std::uint64_t k = begins[0]; k < ends[0]; k += unroll) {
      const std::uint64_t count = std::min<std::uint64_t>(unroll, ends[0] - k);
      std::array<LoadHandle<std::uint32_t>, kMaxUnroll> rows;
      for (std::uint64_t j = 0; j < count; ++j) rows[j] = w.load(rows_, at(k + j), w.full_mask());
      std::array<std::array<LoadHandle<float>, kValues>, kMaxUnroll> values;
      for (std::uint64_t j = 0; j < count; ++j) {
        const std::uint64_t row = (co_await rows[j])[0];
        w.compute(2);
        for (std::uint64_t v = 0; v < kValues; v += width) {
          values[j][v] =
              w.load(table_, w.consecutive(row * kValues + v), lanes_below(w, v, kValues));
        }
      }
      for (std::uint64_t j = 0; j < count; ++j) {
        for (std::uint64_t v = 0; v < kValues; v += width) {
          const Lanes<float> part = co_await values[j][v];
          w.compute(1, Unit::Fpu);
          for_lanes(lanes_below(w, v, kValues), [&](unsigned i) { sums[v + i] += part[i]; });
        }
      }
      w.compute(3);
    }
    for (std::uint64_t v = 0; v < kValues; v += width) {
      w.store(out_, w.consecutive(bag * kValues + v),
              w.map([&](unsigned i) { return v + i < kValues ? sums[v + i] : 0; }),
              lanes_below(w, v, kValues));
    }
  }
}

}  // namespace

WorkloadKind embed_workload() {
  return {"embed",
          "rows of an embedding table, summed by bags",
          "rows of the table",
          1 << 12,
          2,
          1 << 23,
          &make<Embedding>};
}

}  // namespace cxlgpu
