// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a host with several GPUs has of links, and which of them a copy runs over.
//
// Shapes:  GPU g is of node g / gpus_per_node. Each way by itself: a GPU's PCIe link; the links of
// a
//          node together; host memory of a node; the way between two nodes, one for each pair; a
//          GPU's side of the peer fabric, out and in, which joins all GPUs.
// Errors:  none.
#pragma once

#include <vector>

#include "sim/multipath/flow_network.hpp"
#include "sim/multipath/multipath_config.hpp"

namespace cxlgpu {

class Topology {
 public:
  using Route = std::vector<FlowNetwork::LinkId>;

  // Adds its links to the network.
  Topology(const MultipathConfig& config, FlowNetwork& network);

  // Between host memory of a node and a GPU, over that GPU's own link.
  [[nodiscard]] Route host(CopyDirection direction, unsigned gpu, unsigned node) const;
  [[nodiscard]] Route peer(unsigned from, unsigned to) const;
  [[nodiscard]] FlowNetwork::LinkId pcie(CopyDirection direction, unsigned gpu) const {
    return pcie_[way(direction)][gpu];
  }
  [[nodiscard]] FlowNetwork::LinkId peer_out(unsigned gpu) const { return peer_out_[gpu]; }
  [[nodiscard]] double pcie_gb_s(unsigned gpu) const;
  // Links that copies of this GPU use, as many as `paths`: its own, then those of its node, then
  // the others, by number.
  [[nodiscard]] std::vector<unsigned> paths(unsigned gpu) const;

 private:
  static std::size_t way(CopyDirection direction) { return static_cast<std::size_t>(direction); }

  MultipathConfig config_;
  std::vector<FlowNetwork::LinkId> pcie_[2], node_[2], memory_[2];  // by direction
  std::vector<FlowNetwork::LinkId> cross_;                          // from node * nodes + to node
  std::vector<FlowNetwork::LinkId> peer_out_, peer_in_;
};

}  // namespace cxlgpu
