// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/multipath/topology.hpp"

#include <algorithm>

namespace cxlgpu {

Topology::Topology(const MultipathConfig& config, FlowNetwork& network) : config_(config) {
  const unsigned nodes = config_.nodes();
  for (std::size_t way = 0; way < 2; ++way) {
    for (unsigned gpu = 0; gpu < config_.gpus; ++gpu) {
      pcie_[way].push_back(network.add_link(pcie_gb_s(gpu)));
    }
    for (unsigned node = 0; node < nodes; ++node) {
      node_[way].push_back(network.add_link(config_.node_gb_s));
      memory_[way].push_back(network.add_link(config_.memory_gb_s));
    }
  }
  for (unsigned pair = 0; pair < nodes * nodes; ++pair) {
    cross_.push_back(network.add_link(config_.cross_gb_s));
  }
  for (unsigned gpu = 0; gpu < config_.gpus; ++gpu) {
    peer_out_.push_back(network.add_link(config_.peer_gb_s));
    peer_in_.push_back(network.add_link(config_.peer_gb_s));
  }
}

double Topology::pcie_gb_s(unsigned gpu) const {
  const std::vector<std::uint64_t>& percent = config_.pcie_percent;
  return config_.pcie_gb_s * (gpu < percent.size() ? static_cast<double>(percent[gpu]) / 100 : 1.0);
}

Topology::Route Topology::host(CopyDirection direction, unsigned gpu, unsigned node) const {
  const std::size_t w = way(direction);
  const unsigned own = config_.node_of(gpu);
  Route route = {pcie_[w][gpu], node_[w][own], memory_[w][node]};
  if (own != node) {
    const bool to_gpu = direction == CopyDirection::ToGpu;
    const unsigned from = to_gpu ? node : own, to = to_gpu ? own : node;
    route.push_back(cross_[from * config_.nodes() + to]);
  }
  return route;
}

Topology::Route Topology::peer(unsigned from, unsigned to) const {
  return {peer_out_[from], peer_in_[to]};
}

std::vector<unsigned> Topology::paths(unsigned gpu) const {
  std::vector<unsigned> order(config_.gpus);
  for (unsigned i = 0; i < config_.gpus; ++i) order[i] = i;
  const auto far = [&](unsigned other) {
    return other == gpu ? 0 : config_.node_of(other) == config_.node_of(gpu) ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return far(a) < far(b); });
  order.resize(std::min<std::size_t>(order.size(), config_.paths));
  return order;
}

}  // namespace cxlgpu
