// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// bfs: level-synchronous breadth-first search of a directed graph.
//
// Purpose: the irregular, store-intensive workload: flags of one byte, scattered reads and writes.
// Shapes:  size nodes, or the graph of workload.file; graph_search.hpp says the rest.
#include "sim/workloads/graph_search.hpp"

namespace cxlgpu {
namespace {

class Bfs : public Workload {
 public:
  Bfs(const WorkloadParams& params, Graph graph)
      : Workload(params), graph_(std::move(graph)), root_(root_of(graph_, params)) {}
  void place(Allocator& allocator) override { arrays_.place(allocator, graph_); }
  void fill(Backdoor& memory) override { arrays_.fill(memory, graph_, root_); }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::vector<std::int32_t> level = levels_of(graph_, root_);
    return difference(memory, arrays_.level, "level",
                      [&](std::uint64_t node) { return level[node]; });
  }

 private:
  WarpTask kernel(Warp& w) const override {
    return graph_search(w, arrays_, params().distribution);
  }

  Graph graph_;
  std::uint32_t root_;
  GraphSearch arrays_;
};

}  // namespace

WorkloadKind bfs_workload() {
  return {.name = "bfs",
          .about = "breadth-first search",
          .size_counts = "nodes of the graph",
          .default_size = 1 << 14,
          .min_size = 2,
          .max_size = Graph::kMaxNodes,
          .make = &make_on_graph<Bfs>,
          .reads_file = true};
}

}  // namespace cxlgpu
