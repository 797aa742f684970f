// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A directed graph whose degrees follow a power law, as those of web pages and people do.
//
// Purpose: rows of uneven length and targets of uneven fame, for spmv and pagerank.
// Shapes:  size nodes. A node has 1 + r edges, r by Zipf's law below 4 * degree (at 6: seven edges
//          in the mean); a target has its rank by Zipf's law, and ranks lie all over the nodes.
//          Targets of a node ascend and may be there more than once. Or the graph of workload.file.
// Errors:  InputError for a file that holds no graph (read_graph) and for more than 2^32 - 1 edges.
#pragma once

#include "sim/host/graph_reader.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

Graph skewed_graph(const WorkloadParams& params);

// For a workload whose size is its graph's number of nodes.
template <typename W>
std::unique_ptr<Workload> make_on_skewed_graph(const WorkloadParams& params) {
  Graph graph = skewed_graph(params);
  WorkloadParams filled = params;
  filled.size = graph.nodes();
  return std::make_unique<W>(filled, std::move(graph));
}

}  // namespace cxlgpu
