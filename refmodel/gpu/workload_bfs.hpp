// bfs: level-synchronous breadth-first search of a random directed graph.
//
// Purpose: the irregular, store-intensive workload: flags of one byte, scattered reads and writes.
// Shapes:  size nodes, CSR (first edges, size + 1 words; targets, one word an edge). Out-degrees
//          are uniform in 1..2*degree-1, targets uniform. A node's level is its distance from node
//          0, -1 if it cannot be reached. One lane a node; two phases and two barriers a level:
//          expand the frontier, then make the marked nodes the next one.
// Errors:  see Workload.
#pragma once

#include "refmodel/gpu/workload.hpp"

namespace cxlgpu {

class Bfs : public Workload {
 public:
  explicit Bfs(const WorkloadParams& params);
  [[nodiscard]] std::string_view name() const override { return "bfs"; }
  [[nodiscard]] std::uint64_t size() const override { return params_.size; }
  [[nodiscard]] std::uint64_t edges() const { return targets_.size(); }
  [[nodiscard]] std::uint64_t data_set_bytes() const override;
  void setup(Allocator& allocator, Backdoor& memory) override;
  void launch(Gpu& gpu) override;
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

 private:
  WarpTask kernel(Warp& w) const;

  WorkloadParams params_;
  std::vector<std::uint32_t> first_edges_, targets_;  // the graph, host copy
  DeviceArray<std::uint32_t> first_, target_;
  DeviceArray<std::uint8_t> frontier_, marked_, visited_;
  DeviceArray<std::int32_t> level_;
  DeviceArray<std::uint32_t> changed_;  // three flags, used in turn
};

}  // namespace cxlgpu
