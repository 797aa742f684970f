// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// nw: Needleman-Wunsch alignment of two sequences, after Rodinia's nw.
//
// Purpose: a wavefront: blocks of a diagonal are independent, the next diagonal needs them all. So
//          the places that are read jump by almost a row from warp to warp, and few warps work.
// Shapes:  two sequences of size letters, one byte each, the second a copy of the first with one
//          letter in five another; a matrix of (size + 1)^2 scores of 4 bytes, row by row, of which
//          row 0 and column 0 are input. A warp takes a block of 16 x 16: it loads the row above,
//          the column on the left and its letters, and stores 16 rows. All warps meet after each
//          diagonal of blocks. The way back is left to the host, as Rodinia leaves it.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBlock = 16;

class NeedlemanWunsch : public Workload {
 public:
  using Workload::Workload;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size(), pitch = n + 1;
    std::vector<std::int32_t> score(pitch * pitch);
    for (std::uint64_t i = 0; i < score.size(); ++i) {
      const std::uint64_t y = i / pitch, x = i % pitch;
      score[i] = y == 0 || x == 0 ? border(y + x)
                                  : best(score[i - pitch - 1], score[i - pitch], score[i - 1],
                                         letter(0, x - 1) == letter(1, y - 1));
    }
    return difference(memory, score_, "score", [&](std::uint64_t i) { return score[i]; });
  }

 private:
  static constexpr std::int32_t kGap = 2, kSame = 3, kOther = -1, kNone = 1 << 30;
  static std::int32_t border(std::uint64_t gaps) { return -kGap * static_cast<std::int32_t>(gaps); }
  static std::int32_t best(std::int32_t corner, std::int32_t above, std::int32_t left, bool same) {
    return std::max({corner + (same ? kSame : kOther), above - kGap, left - kGap});
  }
  [[nodiscard]] std::uint8_t letter(unsigned sequence, std::uint64_t i) const {
    Random random(params().seed, i * kDraws);
    const std::uint64_t first = random.below(4), other = random.below(20);
    return static_cast<std::uint8_t>("ACGT"[sequence == 1 && other < 4 ? other : first]);
  }
  void place(Allocator& allocator) override {
    for (auto& sequence : sequences_) sequence = allocator.alloc<std::uint8_t>(size());
    score_ = allocator.alloc<std::int32_t>((size() + 1) * (size() + 1));
  }
  void fill(Backdoor& memory) override {
    for (unsigned s = 0; s < 2; ++s) {
      fill_array(memory, sequences_[s], [&](std::uint64_t i) { return letter(s, i); });
    }
    fill_array(memory, score_, [&](std::uint64_t i) {
      const std::uint64_t y = i / (size() + 1), x = i % (size() + 1);
      return y == 0 || x == 0 ? border(y + x) : kNone;
    });
  }
  WarpTask kernel(Warp& w) const override;

  std::array<DeviceArray<std::uint8_t>, 2> sequences_;  // along a row, down a column
  DeviceArray<std::int32_t> score_;
};

// Instructions besides the accesses: 16 a block (its place, addresses, loop) and 2 for each vector
// loaded or stored; 14 for each of a block's 31 diagonals and vectors of it (letters compared, two
// maxima with split and join, the neighbours' scores exchanged).
WarpTask NeedlemanWunsch::kernel(Warp& w) const {
  const std::uint64_t n = size(), pitch = n + 1, width = w.width();
  const std::uint64_t blocks = (n + kBlock - 1) / kBlock, vectors = (kBlock + width - 1) / width;
  for (std::uint64_t diagonal = 0; diagonal < 2 * blocks - 1; ++diagonal) {
    const std::uint64_t first = diagonal < blocks ? 0 : diagonal - blocks + 1;  // row of blocks
    const std::uint64_t count = std::min(diagonal, blocks - 1) - first + 1;
    const WorkRange range = share(w, count * width);
    for (std::uint64_t piece = range.first; piece < range.end; piece += range.stride) {
      const std::uint64_t down = first + piece / width;
      const std::uint64_t y0 = down * kBlock, x0 = (diagonal - down) * kBlock;
      const std::uint64_t rows = std::min(kBlock, n - y0), columns = std::min(kBlock, n - x0);
      std::array<LoadHandle<std::int32_t>, kBlock> above, left;
      std::array<LoadHandle<std::uint8_t>, kBlock> across, along;
      w.compute(16);
      auto corner = w.load(score_, w.consecutive(y0 * pitch + x0), lane_bit(0));
      for (std::uint64_t i = 0; i < kBlock; i += width) {
        w.compute(4 * 2);
        const LaneMask in_row = lanes_below(w, i, columns), in_column = lanes_below(w, i, rows);
        above[i] = w.load(score_, w.consecutive(y0 * pitch + x0 + 1 + i), in_row);
        left[i] = w.load(score_, w.map([&](unsigned k) { return (y0 + 1 + i + k) * pitch + x0; }),
                         in_column);
        across[i] = w.load(sequences_[0], w.consecutive(x0 + i), in_row);
        along[i] = w.load(sequences_[1], w.consecutive(y0 + i), in_column);
      }
      std::array<std::array<std::int32_t, kBlock + 1>, kBlock + 1> score{};
      std::array<std::array<std::uint8_t, kBlock>, 2> letters{};
      score[0][0] = (co_await corner)[0];
      for (std::uint64_t i = 0; i < kBlock; i += width) {
        const auto [top, side, row, column] = co_await all(above[i], left[i], across[i], along[i]);
        for (std::uint64_t k = 0; k < width && i + k < kBlock; ++k) {
          score[0][i + k + 1] = top[k];
          score[i + k + 1][0] = side[k];
          letters[0][i + k] = row[k];
          letters[1][i + k] = column[k];
        }
      }
      w.compute(static_cast<std::uint32_t>((rows + columns - 1) * vectors * 14));
      for (std::uint64_t y = 0; y < rows; ++y) {
        for (std::uint64_t x = 0; x < columns; ++x) {
          score[y + 1][x + 1] =
              best(score[y][x], score[y][x + 1], score[y + 1][x], letters[0][x] == letters[1][y]);
        }
        for (std::uint64_t x = 0; x < columns; x += width) {
          w.compute(2);
          w.store(score_, w.consecutive((y0 + y + 1) * pitch + x0 + 1 + x),
                  w.map([&](unsigned i) { return x + i < kBlock ? score[y + 1][x + i + 1] : 0; }),
                  lanes_below(w, x, columns));
        }
      }
      co_await w.drain();
    }
    co_await w.barrier();
  }
}

}  // namespace

WorkloadKind nw_workload() {
  return {"nw",
          "alignment of two sequences, block by block along diagonals",
          "letters of each",
          400,
          2,
          1 << 15,
          &make<NeedlemanWunsch>};
}

}  // namespace cxlgpu
