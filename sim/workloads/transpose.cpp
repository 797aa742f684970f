// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// transpose: a square matrix turned over, tile by tile.
//
// Purpose: as many stores as loads, of which one side goes along rows and the other down columns:
//          every line of a tile is a row's pitch away from the next.
// Shapes:  size rows and columns of 4 bytes, two matrices row by row. A tile of 16 x 16 is one
//          warp's: 16 loads of a line's length, lanes exchange, 16 stores of a line's length.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kTile = 16;

class Transpose : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size();
    return difference(memory, out_, "out",
                      [&](std::uint64_t i) { return value(i % n * n + i / n); });
  }

 private:
  [[nodiscard]] std::uint32_t value(std::uint64_t i) const {
    return static_cast<std::uint32_t>(Random(params().seed, i).next());
  }
  void place(Allocator& allocator) override {
    in_ = allocator.alloc<std::uint32_t>(size() * size());
    out_ = allocator.alloc<std::uint32_t>(size() * size());
  }
  void fill(Backdoor& memory) override {
    fill_array(memory, in_, [&](std::uint64_t i) { return value(i); });
    fill_array(memory, out_, [](std::uint64_t) { return 0U; });
  }
  WarpTask kernel(Warp& w) const override;

  DeviceArray<std::uint32_t> in_, out_;
};

// Instructions besides the accesses: 4 for each load and store (address, bound with split and
// join), 4 for each vector that lanes exchange, 12 a tile (its row and column by division, loop).
WarpTask Transpose::kernel(Warp& w) const {
  const std::uint64_t n = size(), width = w.width(), across = (n + kTile - 1) / kTile;
  const WorkRange tiles = share(w, across * across * width);  // a vector of work is a tile
  for (std::uint64_t piece = tiles.first; piece < tiles.end; piece += tiles.stride) {
    const std::uint64_t tile = piece / width;
    const std::uint64_t row = tile / across * kTile, column = tile % across * kTile;
    const std::uint64_t rows = std::min(kTile, n - row), columns = std::min(kTile, n - column);
    std::array<LoadHandle<std::uint32_t>, kTile * kTile> loads;
    w.compute(12, Unit::Alu);
    for (std::uint64_t y = 0; y < rows; ++y) {
      for (std::uint64_t x = 0; x < columns; x += width) {
        w.compute(4);
        loads[y * kTile + x] =
            w.load(in_, w.consecutive((row + y) * n + column + x), lanes_below(w, x, columns));
      }
    }
    std::array<std::uint32_t, kTile * kTile> held{};
    for (std::uint64_t y = 0; y < rows; ++y) {
      for (std::uint64_t x = 0; x < columns; x += width) {
        const Lanes<std::uint32_t> values = co_await loads[y * kTile + x];
        for_lanes(lanes_below(w, x, columns),
                  [&](unsigned i) { held[(x + i) * kTile + y] = values[i]; });
      }
    }
    for (std::uint64_t x = 0; x < columns; ++x) {
      for (std::uint64_t y = 0; y < rows; y += width) {
        w.compute(4 + 4);
        w.store(out_, w.consecutive((column + x) * n + row + y),
                w.map([&](unsigned i) { return y + i < kTile ? held[x * kTile + y + i] : 0; }),
                lanes_below(w, y, rows));
      }
    }
    co_await w.drain();
  }
}

}  // namespace

WorkloadKind transpose_workload() {
  return {"transpose",     "matrix transposition by tiles", "rows and columns", 288, 2, 1 << 15,
          &make<Transpose>};
}

}  // namespace cxlgpu
