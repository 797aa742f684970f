// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// gnn: a graph network on the part of a graph that a search reaches.
//
// Purpose: the composition bfs + vadd + gemm: irregular, then streaming, then dense, on one data
//          set.
// Shapes:  size nodes, or the graph of workload.file; 16 features a node, feature f of node v at
//          [f * size + v]. bfs finds the nodes that the root reaches. Then, in each of `iterations`
//          layers: every node reached gathers the sum of its neighbours' features; vadd adds it to
//          its own; gemm multiplies by the layer's 16 x 16 weights. Nothing between layers, as in
//          simplified graph convolution. Two layers by default, as graph convolution networks have.
// Source:  Xu et al. 2019 (GIN: own features plus the sum of the neighbours'), Wu et al. 2019
// (SGC).
#include "sim/workloads/graph_search.hpp"
#include "sim/workloads/kernels.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kFeatures = 16;

// Instructions besides loads and stores, as GCC 12 -O2 -ffp-contract=off makes them for RV32IMAF of
// the plain loop, with what parts the lanes: 44 a node (16 sums cleared, 15 addresses of results,
// reached or not with split and join, an edge or not, addresses of the edges, pointers and loop),
// 66 an edge (16 sums, 47 for the addresses of 16 features, edge, loop, which lanes go on).
WarpTask gather(Warp& w, GraphSearch graph, DeviceArray<float> from, DeviceArray<float> to,
                Distribution distribution) {
  const std::uint64_t n = graph.level.size;
  const WorkRange range = w.work(n, distribution);
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const auto node = w.consecutive(base);
    const LaneMask mask = w.active(range, base);
    const Lanes<std::int32_t> level = co_await w.load(graph.level, node, mask);
    w.compute(44);
    LaneMask reached = 0;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
      if (level[first_lane(m)] >= 0) reached |= lane_bit(first_lane(m));
    }
    auto first = w.load(graph.first, node, reached);
    auto last = w.load(graph.first, w.map([&](unsigned i) { return node[i] + 1; }), reached);
    auto [edge, end] = co_await all(first, last);
    std::array<Lanes<float>, kFeatures> sum{};
    for (;;) {
      LaneMask busy = 0;
      for (LaneMask m = reached; m != 0; m &= m - 1) {
        if (edge[first_lane(m)] < end[first_lane(m)]) busy |= lane_bit(first_lane(m));
      }
      if (busy == 0) break;
      const Lanes<std::uint32_t> neighbour = co_await w.load(graph.target, edge, busy);
      std::array<LoadHandle<float>, kFeatures> feature;
      for (std::uint64_t f = 0; f < kFeatures; ++f) {
        feature[f] = w.load(from, w.map([&](unsigned i) { return f * n + neighbour[i]; }), busy);
      }
      w.compute(66);
      for (std::uint64_t f = 0; f < kFeatures; ++f) {
        const Lanes<float> value = co_await feature[f];
        for (LaneMask m = busy; m != 0; m &= m - 1) sum[f][first_lane(m)] += value[first_lane(m)];
      }
      for (LaneMask m = busy; m != 0; m &= m - 1) ++edge[first_lane(m)];
    }
    for (std::uint64_t f = 0; f < kFeatures; ++f) {
      w.store(to, w.map([&](unsigned i) { return f * n + node[i]; }), sum[f], mask);
    }
  }
}

class GraphNetwork : public Workload {
 public:
  GraphNetwork(const WorkloadParams& params, Graph graph)
      : Workload(params), graph_(std::move(graph)), root_(root_of(graph_, params)) {}

  void place(Allocator& allocator) override {
    const std::uint64_t values = size() * kFeatures;
    search_.place(allocator, graph_);
    for (auto& array : features_) array = allocator.alloc<float>(values);
    gathered_ = allocator.alloc<float>(values);
    joined_ = allocator.alloc<float>(values);
    for (std::uint64_t layer = 0; layer < layers(); ++layer) {
      weights_[layer] = allocator.alloc<float>(kFeatures * kFeatures);
    }
  }
  void fill(Backdoor& memory) override {
    search_.fill(memory, graph_, root_);
    fill_array(memory, features_[0], [&](std::uint64_t i) { return feature(i); });
    for (const auto& array : {features_[1], gathered_, joined_}) {
      fill_array(memory, array, [](std::uint64_t) { return -1.0F; });
    }
    for (std::uint64_t layer = 0; layer < layers(); ++layer) {
      fill_array(memory, weights_[layer], [&](std::uint64_t i) { return weight(layer, i); });
    }
  }
  void launch(Gpu& gpu) override {
    const Distribution how = params().distribution;
    gpu.launch([this, how](Warp& w) { return graph_search(w, search_, how); });
    for (std::uint64_t layer = 0; layer < layers(); ++layer) {
      const DeviceArray<float> in = features_[layer % 2], out = features_[(layer + 1) % 2];
      gpu.launch([=, this](Warp& w) { return gather(w, search_, in, gathered_, how); });
      const VectorSum sum{in, gathered_, joined_, params().unroll};
      gpu.launch([=](Warp& w) { return vector_sum(w, sum, how); });
      const MatrixProduct product{joined_,   weights_[layer], out, size(), kFeatures,
                                  kFeatures, params().unroll};
      gpu.launch([=](Warp& w) { return matrix_product(w, product, how); });
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override;

  static constexpr std::uint64_t kMostLayers = 8;

 private:
  [[nodiscard]] std::uint64_t layers() const { return params().iterations; }
  // In [-1, 1).
  [[nodiscard]] float random(std::uint64_t i) const {
    return static_cast<float>(Random(params().seed, i).below(1 << 24)) * 0x1p-23F - 1.0F;
  }
  [[nodiscard]] float feature(std::uint64_t i) const { return random(i); }
  [[nodiscard]] float weight(std::uint64_t layer, std::uint64_t i) const {
    return random((size() + layer * kFeatures) * kFeatures + i);
  }

  Graph graph_;
  std::uint32_t root_;
  GraphSearch search_;
  std::array<DeviceArray<float>, 2> features_;  // before and after a layer, in turn
  DeviceArray<float> gathered_, joined_;
  std::array<DeviceArray<float>, kMostLayers> weights_;
};

std::optional<std::string> GraphNetwork::verify(const Backdoor& memory) const {
  const std::uint64_t n = size();
  const std::vector<std::int32_t> level = levels_of(graph_, root_);
  if (auto wrong = difference(memory, search_.level, "level",
                              [&](std::uint64_t node) { return level[node]; })) {
    return wrong;
  }
  std::vector<float> features(n * kFeatures), joined(n * kFeatures);
  for (std::uint64_t i = 0; i < features.size(); ++i) features[i] = feature(i);
  for (std::uint64_t layer = 0; layer < layers(); ++layer) {
    for (std::uint64_t i = 0; i < joined.size(); ++i) {
      const std::uint64_t node = i % n;
      float sum = 0;
      for (std::uint32_t e = graph_.first_edges[node];
           level[node] >= 0 && e < graph_.first_edges[node + 1]; ++e) {
        sum += features[i - node + graph_.targets[e]];
      }
      joined[i] = features[i] + sum;
    }
    for (std::uint64_t i = 0; i < features.size(); ++i) {
      float sum = 0;
      for (std::uint64_t k = 0; k < kFeatures; ++k) {
        sum += joined[k * n + i % n] * weight(layer, i / n * kFeatures + k);
      }
      features[i] = sum;
    }
  }
  return difference(memory, features_[layers() % 2], "feature",
                    [&](std::uint64_t i) { return features[i]; });
}

}  // namespace

WorkloadKind gnn_workload() {
  return {.name = "gnn",
          .about = "graph network: bfs, then gather, vadd and gemm a layer",
          .size_counts = "nodes of the graph",
          .default_size = 21 << 7,
          .min_size = 2,
          .max_size = Graph::kMaxNodes,
          .make = &make_on_graph<GraphNetwork>,
          .iterations = {.default_value = 2,
                         .min = 1,
                         .max = GraphNetwork::kMostLayers,
                         .counts = "layers"},
          .reads_file = true};
}

}  // namespace cxlgpu
