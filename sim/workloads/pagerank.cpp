// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// pagerank: rank of each node of a graph, pushed along its edges.
//
// Purpose: an atomic to an unforeseen place for each edge, and a phase of streams between: the same
//          edges again in every iteration.
// Shapes:  a skewed graph (skewed_graph.hpp) of size nodes, or that of workload.file. Ranks are of
//          64 bits in fixed point, the mean at 2^32, so that their sum does not depend on its
//          order. In each of `iterations` every node adds an equal share of its rank to each of its
//          targets; then a node's rank is an eighth of the mean plus seven eighths of what it got.
// Source:  Page, Brin, Motwani, Winograd 1999 (damping 0.85; here 7 / 8).
#include "sim/workloads/divergence.hpp"
#include "sim/workloads/skewed_graph.hpp"

namespace cxlgpu {
namespace {

class PageRank : public Workload {
 public:
  PageRank(const WorkloadParams& params, Graph graph)
      : Workload(params), graph_(std::move(graph)) {}
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size();
    std::vector<std::uint64_t> rank(n), got(n);
    for (std::uint64_t node = 0; node < n; ++node) rank[node] = first_rank(node);
    for (std::uint64_t pass = 0; pass < params().iterations; ++pass) {
      std::fill(got.begin(), got.end(), 0);
      for (std::uint64_t node = 0; node < n; ++node) {
        const std::uint32_t first = graph_.first_edges[node], end = graph_.first_edges[node + 1];
        for (std::uint32_t e = first; e < end; ++e) {
          got[graph_.targets[e]] += rank[node] / (end - first);
        }
      }
      for (std::uint64_t node = 0; node < n; ++node) rank[node] = ranked(got[node]);
    }
    return difference(memory, rank_, "rank", [&](std::uint64_t node) { return rank[node]; });
  }

 private:
  static constexpr std::uint64_t kMean = 1ULL << 32;
  static std::uint64_t ranked(std::uint64_t got) { return kMean / 8 + got / 8 * 7; }
  [[nodiscard]] std::uint64_t first_rank(std::uint64_t node) const {
    return kMean / 2 + Random(params().seed, node).below(kMean);
  }
  void place(Allocator& allocator) override {
    first_ = allocator.alloc<std::uint32_t>(size() + 1);
    targets_ = allocator.alloc<std::uint32_t>(graph_.edges());
    rank_ = allocator.alloc<std::uint64_t>(size());
    got_ = allocator.alloc<std::uint64_t>(size());
  }
  void fill(Backdoor& memory) override {
    copy_to_device(memory, first_, graph_.first_edges);
    copy_to_device(memory, targets_, graph_.targets);
    fill_array(memory, rank_, [&](std::uint64_t node) { return first_rank(node); });
    fill_array(memory, got_, [](std::uint64_t) { return std::uint64_t{0}; });
  }
  WarpTask kernel(Warp& w) const override;

  Graph graph_;
  DeviceArray<std::uint32_t> first_, targets_;
  DeviceArray<std::uint64_t> rank_, got_;
};

// Instructions besides the accesses: 10 a node that pushes (addresses, degree, division, pointer,
// loop) and 8 one that gathers (shifts, product, sum, pointers, loop); 7 an edge (which lanes go
// on: compare, predicate, branch; address, edge, pointer, back).
WarpTask PageRank::kernel(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t pass = 0; pass < params().iterations; ++pass) {
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto node = w.consecutive(base);
      const LaneMask mask = w.active(range, base);
      auto first = w.load(first_, node, mask);
      auto last = w.load(first_, w.map([&](unsigned i) { return node[i] + 1; }), mask);
      auto own = w.load(rank_, node, mask);
      auto [edge, end, rank] = co_await all(first, last, own);
      w.compute(9);
      w.compute(1, Unit::Sfu);
      const auto part = w.map([&](unsigned i) {
        return edge[i] < end[i] ? rank[i] / (end[i] - edge[i]) : std::uint64_t{0};
      });
      for (;;) {
        const LaneMask busy = lanes_where(mask, [&](unsigned i) { return edge[i] < end[i]; });
        if (busy == 0) break;
        const Lanes<std::uint32_t> target = co_await w.load(targets_, edge, busy);
        w.compute(7);
        w.atomic_add(got_, target, part, busy);
        for_lanes(busy, [&](unsigned i) { ++edge[i]; });
      }
    }
    co_await w.barrier();
    for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
      const auto node = w.consecutive(base);
      const LaneMask mask = w.active(range, base);
      const Lanes<std::uint64_t> got = co_await w.load(got_, node, mask);
      w.compute(8);
      w.store(rank_, node, w.map([&](unsigned i) { return ranked(got[i]); }), mask);
      w.store(got_, node, Lanes<std::uint64_t>{}, mask);
    }
    co_await w.barrier();
  }
}

}  // namespace

WorkloadKind pagerank_workload() {
  return {.name = "pagerank",
          .about = "ranks of a graph's nodes, pushed along its edges by atomics",
          .size_counts = "nodes of the graph",
          .default_size = 3 << 12,
          .min_size = 2,
          .max_size = Graph::kMaxNodes,
          .make = &make_on_skewed_graph<PageRank>,
          .iterations = {.default_value = 2, .min = 1, .max = 100, .counts = "iterations"},
          .reads_file = true};
}

}  // namespace cxlgpu
