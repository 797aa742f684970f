// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Reads a directed graph from a file into compressed sparse rows.
//
// Purpose: graphs that a person brings, for the graph workloads.
// Shapes:  told apart by the first line, plain or gzip:
//          Matrix Market  "%%MatrixMarket matrix coordinate pattern|real|integer
//          general|symmetric",
//                         square; entry (i, j) is the edge i -> j, of a symmetric one j -> i, too;
//                         values are checked and not kept
//          edge list      "u v" a line, # and % begin comments (as SNAP's files have them); node
//                         numbers may have gaps and are renumbered in their order
//          Edges of a node stay in the order of the file; nothing is sorted or made unique.
// Units:   memory grows with what the file holds, 8 bytes an edge while it is read; the counts of a
//          header alone allocate nothing.
// Errors:  InputError "FILE:LINE: what; what to do".
// Source:  Matrix Market exchange formats, NIST (Boisvert, Pozo, Remington 1996).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/input_error.hpp"

namespace cxlgpu {

struct Graph {
  static constexpr std::uint64_t kMaxNodes = 1ULL << 27;
  static constexpr std::uint64_t kMaxEdges = 0xffff'ffffULL;  // an index is one 32-bit word

  std::vector<std::uint32_t> first_edges{0};  // node n: [first_edges[n], first_edges[n + 1])
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::uint64_t nodes() const { return first_edges.size() - 1; }
  [[nodiscard]] std::uint64_t edges() const { return targets.size(); }
  [[nodiscard]] std::uint32_t degree(std::uint64_t node) const {
    return first_edges[node + 1] - first_edges[node];
  }
};

Graph read_graph(const std::string& path);

}  // namespace cxlgpu
