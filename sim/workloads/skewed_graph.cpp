// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/skewed_graph.hpp"

#include <algorithm>

namespace cxlgpu {

Graph skewed_graph(const WorkloadParams& params) {
  if (!params.file.empty()) return read_graph(params.file);
  Graph graph;
  Random random(params.seed);
  graph.first_edges.reserve(params.size + 1);
  for (std::uint64_t node = 0; node < params.size; ++node) {
    const auto first = static_cast<std::ptrdiff_t>(graph.targets.size());
    const std::uint64_t edges = 1 + zipf(random, 4ULL * params.degree);
    for (std::uint64_t e = 0; e < edges; ++e) {
      const std::uint64_t target = spread(zipf(random, params.size), params.size);
      graph.targets.push_back(static_cast<std::uint32_t>(target));
    }
    std::sort(graph.targets.begin() + first, graph.targets.end());
    if (graph.edges() > Graph::kMaxEdges) {
      throw InputError(
          "workload.size: the graph would have 2^32 edges or more; lower size or degree");
    }
    graph.first_edges.push_back(static_cast<std::uint32_t>(graph.edges()));
  }
  return graph;
}

}  // namespace cxlgpu
