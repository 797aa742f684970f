// The L1 of a core: tags, data and miss registers.
//
// Purpose: write-through, no write allocate, not coherent with the other L1s; invalidated as a
//          whole at barriers. The core decides what happens when; this class only keeps state.
// Shapes:  lines of 64 B; least recently used way is replaced; the set index is hashed so that
//          streams a power of two apart do not share a set.
// Rules:   a store or atomic to a line that is being filled makes that fill stale: it still answers
//          the loads that were before the store, but is not kept, and later loads ask again. At
//          most one fill of a line is not stale.
// Errors:  none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "refmodel/common/line_filter.hpp"
#include "refmodel/common/request.hpp"
#include "refmodel/gpu/gpu_config.hpp"
#include "refmodel/gpu/mem_op.hpp"

namespace cxlgpu {

class L1Cache {
 public:
  struct Waiter {
    MemOp* op;
    LaneMask lanes;
  };
  struct Mshr {
    std::uint64_t line = 0;
    bool stale = false;
    std::vector<Waiter> waiters;
  };

  explicit L1Cache(const L1Params& params);

  // The line's data, or null; counts as a use.
  [[nodiscard]] Line* find(std::uint64_t line);
  void fill(std::uint64_t line, const Line& data);
  void invalidate(std::uint64_t line);
  void invalidate_all() { ++epoch_; }

  // A fill of the line that is under way and not stale.
  [[nodiscard]] std::optional<std::uint16_t> find_mshr(std::uint64_t line) const;
  [[nodiscard]] bool mshr_free() const { return !free_.empty(); }
  [[nodiscard]] std::uint16_t allocate_mshr(std::uint64_t line);  // precondition: mshr_free()
  void release_mshr(std::uint16_t index);
  [[nodiscard]] Mshr& mshr(std::uint16_t index) { return mshrs_[index]; }
  void make_stale(std::uint64_t line);

 private:
  struct Way {
    std::uint64_t line = 0;
    std::uint32_t epoch = 0;  // valid if equal to epoch_
    std::uint32_t used = 0;
  };
  [[nodiscard]] std::size_t set_of(std::uint64_t line) const;
  [[nodiscard]] std::optional<std::size_t> way_of(std::uint64_t line) const;

  std::size_t ways_, set_mask_;
  unsigned set_bits_;
  std::uint32_t epoch_ = 1, clock_ = 0;
  std::vector<Way> tags_;
  std::vector<Line> data_;
  std::vector<Mshr> mshrs_;
  std::vector<std::uint16_t> free_, busy_;
  LineFilter filling_;  // lines of the busy ones
};

// Set index of a line: the low bits, with higher bits folded in. sets = 2^bits.
constexpr std::size_t hashed_set(std::uint64_t line, unsigned bits) {
  const std::uint64_t n = line / kLineBytes;
  if (bits == 0) return 0;
  return static_cast<std::size_t>((n ^ (n >> bits) ^ (n >> (2 * bits)) ^ (n >> (3 * bits))) &
                                  ((std::uint64_t{1} << bits) - 1));
}

}  // namespace cxlgpu
