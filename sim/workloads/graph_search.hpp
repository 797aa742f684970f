// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Breadth-first search of a directed graph: arrays, kernel, and what the result must be.
//
// Purpose: what bfs is the whole of and gnn begins with.
// Shapes:  the graph in compressed rows, first edges and targets of one word each; flags of one
//          byte a node; a node's level is its distance from the root, -1 if it cannot be reached.
//          One lane a node; two phases and two barriers a level: expand the frontier, then make the
//          marked nodes the next one.
// Errors:  graph_of() throws InputError for a file that holds no graph (read_graph) and for more
//          than 2^32 - 1 edges.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/gpu/device_array.hpp"
#include "sim/gpu/warp.hpp"
#include "sim/host/graph_reader.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

struct GraphSearch {
  DeviceArray<std::uint32_t> first, target;
  DeviceArray<std::uint8_t> frontier, marked, visited;
  DeviceArray<std::int32_t> level;
  DeviceArray<std::uint32_t> changed;  // three flags, used in turn

  void place(Allocator& allocator, const Graph& graph);
  void fill(Backdoor& memory, const Graph& graph, std::uint32_t root) const;
};
WarpTask graph_search(Warp& w, GraphSearch arrays, Distribution distribution);

// The graph of workload.file, or a random one: out-degrees uniform in 1..2*degree-1, targets
// uniform.
Graph graph_of(const WorkloadParams& params);
// Node 0 of a random graph; of one from a file, of which no node is like the others, the first one
// with the most edges.
std::uint32_t root_of(const Graph& graph, const WorkloadParams& params);
std::vector<std::int32_t> levels_of(const Graph& graph, std::uint32_t root);

// For a workload whose size is its graph's number of nodes.
template <typename W>
std::unique_ptr<Workload> make_on_graph(const WorkloadParams& params) {
  Graph graph = graph_of(params);
  WorkloadParams filled = params;
  filled.size = graph.nodes();
  return std::make_unique<W>(filled, std::move(graph));
}

}  // namespace cxlgpu
