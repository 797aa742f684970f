// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// radix: radix sort of keys with payloads, least significant digit first.
//
// Purpose: phases that change: a stream that is counted, a short scan, a stream dealt to sixteen
//          growing runs; then back over all that was just written.
// Shapes:  size elements of key and payload, 4 bytes each, in two buffers used in turn. Each of
//          `iterations` passes sorts by a digit of 4 bits, and keys have as many digits. A tile of
//          512 elements is one warp's. Counts lie digit by digit: that of a tile at
//          [digit * tiles + tile]. The payload is the element's place at first, so that it shows
//          whether equal keys keep their order. A pass counts, scans in two steps, deals out; all
//          warps meet after each.
// Source:  Satish, Harris, Garland 2009, with digits of 4 bits.
#include <numeric>

#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kDigits = 16, kTile = 512;

class RadixSort : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    const Buffer& last = buffers_[passes() % 2];
    if (auto wrong =
            difference(memory, last.keys, "key", [&](std::uint64_t i) { return key(order[i]); })) {
      return wrong;
    }
    return difference(memory, last.payloads, "payload", [&](std::uint64_t i) { return order[i]; });
  }

 private:
  struct Buffer {
    DeviceArray<std::uint32_t> keys, payloads;
  };
  [[nodiscard]] std::uint64_t passes() const { return params().iterations; }
  [[nodiscard]] std::uint64_t tiles() const { return (size() + kTile - 1) / kTile; }
  [[nodiscard]] std::uint32_t key(std::uint64_t i) const {
    return static_cast<std::uint32_t>(Random(params().seed, i).below(1ULL << (4 * passes())));
  }
  void place(Allocator& allocator) override {
    for (Buffer& buffer : buffers_) {
      buffer.keys = allocator.alloc<std::uint32_t>(size());
      buffer.payloads = allocator.alloc<std::uint32_t>(size());
    }
    counts_ = allocator.alloc<std::uint32_t>(kDigits * tiles());
    totals_ = allocator.alloc<std::uint32_t>(kDigits);
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, buffers_[0].keys, [&](std::uint64_t i) { return key(i); });
    fill_array(memory, buffers_[0].payloads,
               [](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
    for (const auto& array : {buffers_[1].keys, buffers_[1].payloads, counts_, totals_}) {
      fill_array(memory, array, [](std::uint64_t) { return ~0U; });
    }
  }
  // Pieces of one digit's counts, width() at a time.
  [[nodiscard]] Lanes<std::uint64_t> counts_of(const Warp& w, std::uint64_t digit,
                                               std::uint64_t tile) const {
    return w.consecutive(digit * tiles() + tile);
  }
  WarpTask kernel(Warp& w) const override;

  std::array<Buffer, 2> buffers_;
  DeviceArray<std::uint32_t> counts_, totals_;
};

// Instructions besides the accesses. Per vector of keys: 2 for the digit, 20 for its rank among the
// vector's and the count of each digit (four ballots, the lanes that agree in all, two population
// counts), 3 for pointer, counter, branch; where it is dealt out 4 for two addresses. A vector's
// scan: 2 a step of log2(width), 4 besides.
WarpTask RadixSort::kernel(Warp& w) const {
  const std::uint64_t width = w.width();
  const WorkRange work = share(w, tiles() * width);  // a vector of work is a tile
  const auto scan_steps = static_cast<std::uint32_t>(std::bit_width(width) - 1);
  for (std::uint64_t pass = 0; pass < passes(); ++pass) {
    const Buffer &in = buffers_[pass % 2], &out = buffers_[(pass + 1) % 2];
    const auto digit = [&](std::uint32_t key) { return key >> (4 * pass) & (kDigits - 1); };

    for (std::uint64_t at = work.first; at < work.end; at += work.stride) {
      const std::uint64_t tile = at / width, end = std::min(size(), (tile + 1) * kTile);
      std::array<std::uint32_t, kDigits> counts{};
      for (std::uint64_t i = tile * kTile; i < end; i += width) {
        const LaneMask mask = lanes_below(w, i, end);
        const Lanes<std::uint32_t> keys = co_await w.load(in.keys, w.consecutive(i), mask);
        w.compute(2 + 20 + 3);
        for_lanes(mask, [&](unsigned lane) { ++counts[digit(keys[lane])]; });
      }
      for (std::uint64_t d = 0; d < kDigits; d += width) {
        w.compute(2);
        w.store(counts_, w.map([&](unsigned lane) { return (d + lane) * tiles() + tile; }),
                w.map([&](unsigned lane) { return d + lane < kDigits ? counts[d + lane] : 0; }),
                lanes_below(w, d, kDigits));
      }
    }
    co_await w.barrier();

    for (std::uint64_t d = w.id(); d < kDigits; d += w.count()) {
      Lanes<std::uint32_t> total{};
      for (std::uint64_t tile = 0; tile < tiles(); tile += width) {
        const LaneMask mask = lanes_below(w, tile, tiles());
        const Lanes<std::uint32_t> count = co_await w.load(counts_, counts_of(w, d, tile), mask);
        w.compute(4);
        for_lanes(mask, [&](unsigned lane) { total[0] += count[lane]; });
      }
      w.compute(2 * scan_steps);
      w.store(totals_, w.consecutive(d), total, lane_bit(0));
    }
    co_await w.barrier();

    for (std::uint64_t d = w.id(); d < kDigits; d += w.count()) {
      std::uint32_t before = 0;  // elements whose place is in front
      for (std::uint64_t other = 0; other < d; other += width) {
        const LaneMask mask = lanes_below(w, other, d);
        const Lanes<std::uint32_t> total = co_await w.load(totals_, w.consecutive(other), mask);
        w.compute(4 + 2 * scan_steps);
        for_lanes(mask, [&](unsigned lane) { before += total[lane]; });
      }
      for (std::uint64_t tile = 0; tile < tiles(); tile += width) {
        const LaneMask mask = lanes_below(w, tile, tiles());
        const auto at = counts_of(w, d, tile);
        Lanes<std::uint32_t> count = co_await w.load(counts_, at, mask);
        w.compute(4 + 2 * scan_steps);
        for_lanes(mask, [&](unsigned lane) {
          before += count[lane];
          count[lane] = before - count[lane];
        });
        w.store(counts_, at, count, mask);
      }
    }
    co_await w.barrier();

    for (std::uint64_t at = work.first; at < work.end; at += work.stride) {
      const std::uint64_t tile = at / width, end = std::min(size(), (tile + 1) * kTile);
      std::array<std::uint32_t, kDigits> next{};
      for (std::uint64_t d = 0; d < kDigits; d += width) {
        const LaneMask mask = lanes_below(w, d, kDigits);
        w.compute(2);
        const Lanes<std::uint32_t> first = co_await w.load(
            counts_, w.map([&](unsigned lane) { return (d + lane) * tiles() + tile; }), mask);
        for_lanes(mask, [&](unsigned lane) { next[d + lane] = first[lane]; });
      }
      for (std::uint64_t i = tile * kTile; i < end; i += width) {
        const LaneMask mask = lanes_below(w, i, end);
        auto keys = w.load(in.keys, w.consecutive(i), mask);
        auto payloads = w.load(in.payloads, w.consecutive(i), mask);
        const auto [key, payload] = co_await all(keys, payloads);
        w.compute(2 + 20 + 3 + 4);
        Lanes<std::uint32_t> place{};
        for_lanes(mask, [&](unsigned lane) { place[lane] = next[digit(key[lane])]++; });
        w.store(out.keys, place, key, mask);
        w.store(out.payloads, place, payload, mask);
      }
    }
    co_await w.barrier();
  }
}

}  // namespace

WorkloadKind radix_workload() {
  return {"radix",
          "radix sort of keys with payloads",
          "elements",
          40 << 10,
          2,
          1ULL << 30,
          &make<RadixSort>,
          {.default_value = 4, .min = 1, .max = 8, .counts = "digits of 4 bits"}};
}

}  // namespace cxlgpu
