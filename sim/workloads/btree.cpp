// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// btree: keys looked up in a B+ tree.
//
// Purpose: a pointer chase: where a level is read is known once the level above has been, and each
//          lane goes its own way. Upper levels are hot, leaves are not.
// Shapes:  size keys in a tree of nodes of 16: a line of keys, and a line of children or, in a
// leaf,
//          of values, 4 bytes each. Nodes lie in no order, as in a tree that grew by insertions.
//          size queries: a key by Zipf's law, or (one in eight) the number behind it, which is
//          none. A lane does one query, in each node by bisection.
// Source:  Comer 1979; Rodinia's b+tree takes a block a query, here it is a lane.
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kFan = 16;

class BTree : public Workload {
 public:
  explicit BTree(const WorkloadParams& params) : Workload(params) {
    for (std::uint64_t nodes = size(); nodes > 1 || levels_.empty();) {
      nodes = (nodes + kFan - 1) / kFan;
      levels_.push_back(nodes);
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, out_, "out", [&](std::uint64_t i) {
      const auto [place, there] = query(i);
      return there ? value(place) : kNone;
    });
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  // Ascending and even.
  [[nodiscard]] std::uint32_t key(std::uint64_t i) const {
    return static_cast<std::uint32_t>(8 * i + 2 * Random(params().seed, i).below(4));
  }
  [[nodiscard]] std::uint32_t value(std::uint64_t i) const {
    return static_cast<std::uint32_t>(Random(~params().seed, i).below(kNone));
  }
  [[nodiscard]] std::pair<std::uint64_t, bool> query(std::uint64_t i) const {
    Random random(params().seed, (size() + i) * kDraws);
    const bool there = random.below(8) != 0;
    return {spread(zipf(random, size()), size()), there};
  }
  [[nodiscard]] std::uint64_t nodes() const { return keys_.size / kFan; }
  void place(Allocator& allocator) override {
    std::uint64_t nodes = 0;
    for (const std::uint64_t of_level : levels_) nodes += of_level;
    keys_ = allocator.alloc<std::uint32_t>(nodes * kFan);
    below_ = allocator.alloc<std::uint32_t>(nodes * kFan);
    queries_ = allocator.alloc<std::uint32_t>(size());
    out_ = allocator.alloc<std::uint32_t>(size());
  }
  void fill(Backdoor& memory) override;
  WarpTask kernel(Warp& w) const override;

  std::vector<std::uint64_t> levels_;  // nodes of each, leaves first
  DeviceArray<std::uint32_t> keys_, below_, queries_, out_;
};

void BTree::fill(Backdoor& memory) {
  std::vector<std::uint32_t> keys(keys_.size, kNone), below(below_.size, kNone);
  std::uint64_t first_of_level = 0, first_below = 0, reach = 1;  // keys under an entry
  for (const std::uint64_t of_level : levels_) {
    const std::uint64_t entries = (size() + reach - 1) / reach;
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      const std::uint64_t node = spread(first_of_level + entry / kFan, nodes());
      keys[node * kFan + entry % kFan] = key(entry * reach);
      below[node * kFan + entry % kFan] =
          reach == 1 ? value(entry)
                     : static_cast<std::uint32_t>(spread(first_below + entry, nodes()));
    }
    first_below = first_of_level;
    first_of_level += of_level;
    reach *= kFan;
  }
  copy_to_device(memory, keys_, keys);
  copy_to_device(memory, below_, below);
  fill_array(memory, queries_, [&](std::uint64_t i) {
    const auto [place, there] = query(i);
    return key(place) + (there ? 0 : 1);
  });
  fill_array(memory, out_, [](std::uint64_t) { return 1U; });
}

// Instructions besides the accesses: 6 a query (two addresses, root, pointer, counter, branch); 5
// for each of four bisections (place, address, compare, select, step); 3 a level (address of the
// child, counter, branch); 4 at the leaf (is it the key: address, compare, select).
WarpTask BTree::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto at = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    const Lanes<std::uint32_t> query = co_await w.load(queries_, at, mask);
    w.compute(6);
    auto next = w.map([&](unsigned) {
      return static_cast<std::uint32_t>(spread(nodes() - 1, nodes()));  // the root is placed last
    });
    Lanes<std::uint64_t> entry{};
    for (std::size_t level = levels_.size(); level-- > 0;) {
      entry = w.map([&](unsigned i) { return std::uint64_t{next[i]} * kFan; });
      for (std::uint64_t step = kFan / 2; step != 0; step /= 2) {
        const auto middle = w.map([&](unsigned i) { return entry[i] + step; });
        const Lanes<std::uint32_t> there = co_await w.load(keys_, middle, mask);
        w.compute(5);
        for_lanes(mask, [&](unsigned i) {
          if (there[i] <= query[i]) entry[i] = middle[i];
        });
      }
      w.compute(3);
      if (level != 0) next = co_await w.load(below_, entry, mask);
    }
    auto keys = w.load(keys_, entry, mask);
    auto values = w.load(below_, entry, mask);
    const auto [key, value] = co_await all(keys, values);
    w.compute(4);
    w.store(out_, at, w.map([&](unsigned i) { return key[i] == query[i] ? value[i] : kNone; }),
            mask);
  }
}

}  // namespace

WorkloadKind btree_workload() {
  return {"btree",     "keys looked up in a B+ tree", "keys, and queries", 1 << 15, 2, 1 << 28,
          &make<BTree>};
}

}  // namespace cxlgpu
