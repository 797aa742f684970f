// bfs: level-synchronous breadth-first search of a random directed graph.
//
// Purpose: the irregular, store-intensive workload: flags of one byte, scattered reads and writes.
// Shapes:  size nodes, CSR (first edges, size + 1 words; targets, one word an edge). Out-degrees
//          are uniform in 1..2*degree-1, targets uniform. A node's level is its distance from node
//          0, -1 if it cannot be reached. One lane a node; two phases and two barriers a level:
//          expand the frontier, then make the marked nodes the next one.
#include "refmodel/workloads/workload.hpp"

namespace cxlgpu {
namespace {

class Bfs : public Workload {
 public:
  explicit Bfs(const WorkloadParams& params);
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  void place(Allocator& allocator) override;
  void fill(Backdoor& memory) override;
  WarpTask kernel(Warp& w) const override;

  std::vector<std::uint32_t> first_edges_, targets_;  // the graph, host copy
  DeviceArray<std::uint32_t> first_, target_;
  DeviceArray<std::uint8_t> frontier_, marked_, visited_;
  DeviceArray<std::int32_t> level_;
  DeviceArray<std::uint32_t> changed_;  // three flags, used in turn
};

Bfs::Bfs(const WorkloadParams& params) : Workload(params) {
  Random random(params.seed);
  first_edges_.reserve(params.size + 1);
  first_edges_.push_back(0);
  for (std::uint64_t node = 0; node < params.size; ++node) {
    const std::uint64_t degree = 1 + random.below(2 * params.degree - 1);
    for (std::uint64_t e = 0; e < degree; ++e) {
      targets_.push_back(static_cast<std::uint32_t>(random.below(params.size)));
    }
    if (targets_.size() > 0xffff'ffffULL) {
      throw InputError("workload.size: bfs would have 2^32 edges or more; lower size or degree");
    }
    first_edges_.push_back(static_cast<std::uint32_t>(targets_.size()));
  }
}

void Bfs::place(Allocator& allocator) {
  const std::uint64_t n = size();
  first_ = allocator.alloc<std::uint32_t>(n + 1);
  target_ = allocator.alloc<std::uint32_t>(targets_.size());
  frontier_ = allocator.alloc<std::uint8_t>(n);
  marked_ = allocator.alloc<std::uint8_t>(n);
  visited_ = allocator.alloc<std::uint8_t>(n);
  level_ = allocator.alloc<std::int32_t>(n);
  changed_ = allocator.alloc<std::uint32_t>(3);
}

void Bfs::fill(Backdoor& memory) {
  const std::uint64_t n = size();
  copy_to_device(memory, first_, first_edges_);
  copy_to_device(memory, target_, targets_);
  std::vector<std::uint8_t> flags(n, 0);
  copy_to_device(memory, marked_, flags);
  flags[0] = 1;
  copy_to_device(memory, frontier_, flags);
  copy_to_device(memory, visited_, flags);
  std::vector<std::int32_t> level(n, -1);
  level[0] = 0;
  copy_to_device(memory, level_, level);
  copy_to_device(memory, changed_, std::vector<std::uint32_t>(3, 0));
}

WarpTask Bfs::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  const auto lanes_where = [&](LaneMask among, const Lanes<std::uint8_t>& flag, bool set) {
    LaneMask mask = 0;
    for (LaneMask m = among; m != 0; m &= m - 1) {
      if ((flag[first_lane(m)] != 0) == set) mask |= lane_bit(first_lane(m));
    }
    return mask;
  };
  const Lanes<std::uint8_t> zero{}, one = w.map([](unsigned) { return std::uint8_t{1}; });

  for (std::int32_t depth = 0;; ++depth) {
    // Expand: mark the unvisited neighbours of the frontier.
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto node = w.consecutive(base);
      const LaneMask all_lanes = w.active(range, base);
      const Lanes<std::uint8_t> in_frontier = co_await w.load(frontier_, node, all_lanes);
      w.compute();
      const LaneMask expand = lanes_where(all_lanes, in_frontier, true);
      if (expand == 0) continue;
      auto begin_load = w.load(first_, node, expand);
      auto end_load = w.load(first_, w.map([&](unsigned i) { return node[i] + 1; }), expand);
      w.store(frontier_, node, zero, expand);
      Lanes<std::uint32_t> edge = co_await begin_load;
      const Lanes<std::uint32_t> end = co_await end_load;
      for (;;) {
        LaneMask busy = 0;
        for (LaneMask m = expand; m != 0; m &= m - 1) {
          const unsigned i = first_lane(m);
          if (edge[i] < end[i]) busy |= lane_bit(i);
        }
        w.compute();
        if (busy == 0) break;
        const Lanes<std::uint32_t> next = co_await w.load(target_, edge, busy);
        const Lanes<std::uint8_t> seen = co_await w.load(visited_, next, busy);
        w.compute();
        const LaneMask fresh = lanes_where(busy, seen, false);
        w.store(level_, next, w.map([&](unsigned) { return depth + 1; }), fresh);
        w.store(marked_, next, one, fresh);
        for (LaneMask m = busy; m != 0; m &= m - 1) ++edge[first_lane(m)];
        w.compute();
      }
    }
    co_await w.barrier();

    // Advance: the marked nodes are the next frontier.
    const auto flag = static_cast<std::uint64_t>(depth % 3);
    LaneMask any = 0;
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto node = w.consecutive(base);
      const LaneMask all_lanes = w.active(range, base);
      const Lanes<std::uint8_t> is_marked = co_await w.load(marked_, node, all_lanes);
      w.compute();
      const LaneMask fresh = lanes_where(all_lanes, is_marked, true);
      any |= fresh;
      w.store(frontier_, node, one, fresh);
      w.store(visited_, node, one, fresh);
      w.store(marked_, node, zero, fresh);
    }
    const Lanes<std::uint64_t> at = w.map([&](unsigned) { return flag; });
    const Lanes<std::uint32_t> set = w.map([](unsigned) { return 1U; });
    if (any != 0) w.store(changed_, at, set, lane_bit(0));
    // The flag of the next level was last read before the barrier above.
    if (w.id() == 0) {
      const Lanes<std::uint64_t> next = w.map([&](unsigned) { return (flag + 1) % 3; });
      w.store(changed_, next, Lanes<std::uint32_t>{}, lane_bit(0));
    }
    co_await w.barrier();
    const Lanes<std::uint32_t> changed = co_await w.load_l2(changed_, at, lane_bit(0));
    w.compute();
    if (changed[0] == 0) break;
  }
}

std::optional<std::string> Bfs::verify(const Backdoor& memory) const {
  std::vector<std::int32_t> expected(size(), -1);
  std::vector<std::uint32_t> queue{0};
  expected[0] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t node = queue[head];
    for (std::uint32_t e = first_edges_[node]; e < first_edges_[node + 1]; ++e) {
      if (expected[targets_[e]] != -1) continue;
      expected[targets_[e]] = expected[node] + 1;
      queue.push_back(targets_[e]);
    }
  }
  return difference(memory, level_, "level", [&](std::uint64_t node) { return expected[node]; });
}

}  // namespace

WorkloadKind bfs_workload() {
  return {"bfs", "breadth-first search", "nodes of the graph", 1 << 14, 2, 1ULL << 27, &make<Bfs>};
}

}  // namespace cxlgpu
