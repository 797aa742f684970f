// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/graph_search.hpp"

#include <algorithm>

namespace cxlgpu {

void GraphSearch::place(Allocator& allocator, const Graph& graph) {
  const std::uint64_t n = graph.nodes();
  first = allocator.alloc<std::uint32_t>(n + 1);
  target = allocator.alloc<std::uint32_t>(graph.edges());
  frontier = allocator.alloc<std::uint8_t>(n);
  marked = allocator.alloc<std::uint8_t>(n);
  visited = allocator.alloc<std::uint8_t>(n);
  level = allocator.alloc<std::int32_t>(n);
  changed = allocator.alloc<std::uint32_t>(3);
}

void GraphSearch::fill(Backdoor& memory, const Graph& graph, std::uint32_t root) const {
  copy_to_device(memory, first, graph.first_edges);
  copy_to_device(memory, target, graph.targets);
  fill_array(memory, marked, [](std::uint64_t) { return std::uint8_t{0}; });
  for (const auto& flags : {frontier, visited}) {
    fill_array(memory, flags, [&](std::uint64_t i) { return std::uint8_t{i == root}; });
  }
  fill_array(memory, level, [&](std::uint64_t i) { return i == root ? 0 : -1; });
  fill_array(memory, changed, [](std::uint64_t) { return 0U; });
}

WarpTask graph_search(Warp& w, GraphSearch arrays, Distribution distribution) {
  const WorkRange range = w.work(arrays.level.size, distribution);
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
      const Lanes<std::uint8_t> in_frontier = co_await w.load(arrays.frontier, node, all_lanes);
      w.compute(6);  // in the frontier: compare, split, join; pointer, counter, branch
      const LaneMask expand = lanes_where(all_lanes, in_frontier, true);
      if (expand == 0) continue;
      w.compute(3);  // addresses of node and first edge, next level
      auto begin_load = w.load(arrays.first, node, expand);
      auto end_load = w.load(arrays.first, w.map([&](unsigned i) { return node[i] + 1; }), expand);
      w.store(arrays.frontier, node, zero, expand);
      Lanes<std::uint32_t> edge = co_await begin_load;
      const Lanes<std::uint32_t> end = co_await end_load;
      for (;;) {
        LaneMask busy = 0;
        for (LaneMask m = expand; m != 0; m &= m - 1) {
          const unsigned i = first_lane(m);
          if (edge[i] < end[i]) busy |= lane_bit(i);
        }
        w.compute(3);  // edges left: compare, predicate, branch
        if (busy == 0) break;
        const Lanes<std::uint32_t> next = co_await w.load(arrays.target, edge, busy);
        w.compute();  // address of the flag
        const Lanes<std::uint8_t> seen = co_await w.load(arrays.visited, next, busy);
        w.compute(3);  // not visited: compare, split, join
        const LaneMask fresh = lanes_where(busy, seen, false);
        w.compute(fresh == 0 ? 0 : 3);  // addresses of level and mark
        w.store(arrays.level, next, w.map([&](unsigned) { return depth + 1; }), fresh);
        w.store(arrays.marked, next, one, fresh);
        for (LaneMask m = busy; m != 0; m &= m - 1) ++edge[first_lane(m)];
        w.compute(2);  // edge, pointer
      }
    }
    co_await w.barrier();

    // Advance: the marked nodes are the next frontier.
    const auto flag = static_cast<std::uint64_t>(depth % 3);
    LaneMask any = 0;
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto node = w.consecutive(base);
      const LaneMask all_lanes = w.active(range, base);
      const Lanes<std::uint8_t> is_marked = co_await w.load(arrays.marked, node, all_lanes);
      w.compute(6);  // marked: compare, split, join; pointer, counter, branch
      const LaneMask fresh = lanes_where(all_lanes, is_marked, true);
      any |= fresh;
      w.compute(fresh == 0 ? 0 : 2);  // addresses of the flags
      w.store(arrays.frontier, node, one, fresh);
      w.store(arrays.visited, node, one, fresh);
      w.store(arrays.marked, node, zero, fresh);
    }
    const Lanes<std::uint64_t> at = w.map([&](unsigned) { return flag; });
    const Lanes<std::uint32_t> set = w.map([](unsigned) { return 1U; });
    if (any != 0) w.store(arrays.changed, at, set, lane_bit(0));
    // The flag of the next level was last read before the barrier above.
    if (w.id() == 0) {
      const Lanes<std::uint64_t> next = w.map([&](unsigned) { return (flag + 1) % 3; });
      w.store(arrays.changed, next, Lanes<std::uint32_t>{}, lane_bit(0));
    }
    co_await w.barrier();
    const Lanes<std::uint32_t> changed = co_await w.load_l2(arrays.changed, at, lane_bit(0));
    w.compute();
    if (changed[0] == 0) break;
  }
}

Graph graph_of(const WorkloadParams& params) {
  if (!params.file.empty()) return read_graph(params.file);
  Graph graph;
  Random random(params.seed);
  graph.first_edges.reserve(params.size + 1);
  for (std::uint64_t node = 0; node < params.size; ++node) {
    const std::uint64_t degree = 1 + random.below(2 * params.degree - 1);
    for (std::uint64_t e = 0; e < degree; ++e) {
      graph.targets.push_back(static_cast<std::uint32_t>(random.below(params.size)));
    }
    if (graph.edges() > Graph::kMaxEdges) {
      throw InputError(
          "workload.size: the graph would have 2^32 edges or more; lower size or degree");
    }
    graph.first_edges.push_back(static_cast<std::uint32_t>(graph.edges()));
  }
  return graph;
}

std::uint32_t root_of(const Graph& graph, const WorkloadParams& params) {
  if (params.file.empty()) return 0;
  std::uint32_t root = 0;
  for (std::uint32_t node = 1; node < graph.nodes(); ++node) {
    if (graph.degree(node) > graph.degree(root)) root = node;
  }
  return root;
}

std::vector<std::int32_t> levels_of(const Graph& graph, std::uint32_t root) {
  std::vector<std::int32_t> level(graph.nodes(), -1);
  std::vector<std::uint32_t> queue{root};
  level[root] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t node = queue[head];
    for (std::uint32_t e = graph.first_edges[node]; e < graph.first_edges[node + 1]; ++e) {
      const std::uint32_t next = graph.targets[e];
      if (level[next] != -1) continue;
      level[next] = level[node] + 1;
      queue.push_back(next);
    }
  }
  return level;
}

}  // namespace cxlgpu
