// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// bfsp: breadth-first search of a road network by queues, durable level by level.
//
// Purpose: many levels of few nodes: small scattered stores, and persists that all wait for.
// Shapes:  size nodes on a grid, joined to their neighbours but for one road in eight; or the graph
//          of workload.file. Persistent: cost of each node; the order in which they were found;
//          where each level ends in it; the number of levels done, a line of its own. The graph,
//          who found a node, and the queue's end are volatile.
// Kernels: one. A level: lanes take nodes of the last one; a neighbour without a cost of a level
// that
//          is done is claimed, gets its cost and a place in the order; persist; all meet; the
//          level's end, persist, the level is done, persist; all meet. A cost alone claims nothing:
//          a level that was cut short leaves costs whose nodes are in no queue.
// Source:  GPM (S. Pandey et al., ASPLOS 2022) persists costs and order each level, on the road
//          network of the USA; search by queues as in Chai.
#include "sim/workloads/graph_search.hpp"
#include "sim/workloads/persistent.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;

constexpr U32 kFar = 0xffff'ffff;  // cost of a node that was not found

Graph roads(const WorkloadParams& params) {
  if (!params.file.empty()) return read_graph(params.file);
  const U64 n = params.size;
  U64 edge = 1;
  while (edge * edge < n) ++edge;
  // Whether the road from a node to the right (0) or down (1) is there.
  const auto open = [&](U64 node, U64 which) {
    return Random(params.seed, node * 2 + which).below(8) != 0;
  };
  Graph graph;
  for (U64 node = 0; node < n; ++node) {
    const auto join = [&](bool there, U64 to) {
      if (there) graph.targets.push_back(static_cast<U32>(to));
    };
    const bool right = node % edge + 1 < edge && node + 1 < n, down = node + edge < n;
    join(right && open(node, 0), node + 1);
    join(down && open(node, 1), node + edge);
    join(node % edge != 0 && open(node - 1, 0), node - 1);
    join(node >= edge && open(node - edge, 1), node - edge);
    graph.first_edges.push_back(static_cast<U32>(graph.edges()));
  }
  return graph;
}

class RoadSearch : public PersistentWorkload {
 public:
  RoadSearch(const WorkloadParams& params, Graph graph)
      : PersistentWorkload(params),
        graph_(std::move(graph)),
        root_(root_of(graph_, params)),
        level_(levels_of(graph_, root_)) {}
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    return difference(memory, cost_, "cost",
                      [&](U64 node) { return static_cast<U32>(level_[node]); });
  }

 private:
  void place_volatile(Allocator& allocator) override {
    first_ = allocator.alloc<U32>(graph_.first_edges.size());
    target_ = allocator.alloc<U32>(std::max<U64>(graph_.edges(), 1));
    claimed_ = allocator.alloc<U32>(graph_.nodes());
    end_ = allocator.alloc<U32>(kLineBytes / 4);
  }
  void place_persistent(Allocator& allocator) override {
    done_ = allocator.alloc_persistent<U64>(kLineBytes / 8);
    ends_ = allocator.alloc_persistent<U32>(graph_.nodes() + 2);
    order_ = allocator.alloc_persistent<U32>(graph_.nodes());
    cost_ = allocator.alloc_persistent<U32>(graph_.nodes());
  }
  void fill_volatile(Backdoor& memory) override {
    fill_array(memory, first_, [&](U64 i) { return graph_.first_edges[i]; });
    fill_array(memory, target_, [&](U64 i) { return i < graph_.edges() ? graph_.targets[i] : 0U; });
    fill_array(memory, claimed_, [](U64) { return 0U; });
    fill_array(memory, end_, [](U64) { return 0U; });
  }
  WarpTask create(Warp& w) const override;
  WarpTask reopen(Warp&, bool&) const override { co_return; }
  void launch_work(Gpu& gpu) override {
    gpu.launch([this](Warp& w) { return search(w); });
  }
  [[nodiscard]] std::optional<std::string> holds(const Backdoor& memory) const override;
  [[nodiscard]] std::string piece() const override { return "bfsp"; }

  [[nodiscard]] Lanes<U32> same(const Warp& w, U64 value) const {
    return w.map([=](unsigned) { return static_cast<U32>(value); });
  }
  // Where the last level that is done begins and ends.
  struct Front {
    U64 level = 0;
    U32 first = 0, end = 0;
  };
  WarpTask search(Warp& w) const;
  WarpTask load_front(Warp& w, Front& front) const;
  WarpTask expand(Warp& w, U64 level, U64 at, LaneMask mask) const;
  WarpTask claim(Warp& w, U64 level, Lanes<U32> node, LaneMask mask) const;
  WarpTask end_level(Warp& w, U64 level) const;

  Graph graph_;
  U32 root_;
  std::vector<std::int32_t> level_;
  DeviceArray<U32> first_, target_, claimed_, end_, ends_, order_, cost_;
  DeviceArray<U64> done_;
};

WarpTask RoadSearch::create(Warp& w) const {
  for (U64 i = U64{w.id()} * w.width(); i < cost_.size; i += U64{w.count()} * w.width()) {
    w.store(cost_, w.consecutive(i),
            w.map([&](unsigned lane) { return i + lane == root_ ? 0 : kFar; }),
            w.active({0, cost_.size, 1}, i));
  }
  if (w.id() == 0) {
    store_word(w, done_, 0, 0);
    w.store(order_, w.uniform(0), same(w, root_), lane_bit(0));
    w.store(ends_, w.uniform(0), same(w, 0), lane_bit(0));
    w.store(ends_, w.uniform(1), same(w, 1), lane_bit(0));
  }
  co_await w.persist();
}

WarpTask RoadSearch::load_front(Warp& w, Front& front) const {
  co_await load_word(w, done_, 0, front.level);
  auto first = w.load_l2(ends_, w.uniform(front.level), lane_bit(0));
  auto end = w.load_l2(ends_, w.uniform(front.level + 1), lane_bit(0));
  const auto [f, e] = co_await all(first, end);
  front.first = f[0];
  front.end = e[0];
  w.compute(4);
}

WarpTask RoadSearch::claim(Warp& w, U64 level, Lanes<U32> node, LaneMask mask) const {
  const auto cost = co_await w.load_l2(cost_, node, mask);
  w.compute(3);
  const bool by_cost = fault() == Fault::MarkAsClaim;
  mask = lanes_where(mask, [&](unsigned i) { return by_cost ? cost[i] == kFar : cost[i] > level; });
  if (mask == 0) co_return;
  const auto before = co_await w.atomic_cas(claimed_, node, same(w, 0), same(w, level + 1), mask);
  const LaneMask won = lanes_where(mask, [&](unsigned i) { return before[i] == 0; });
  w.compute(2);
  if (won == 0) co_return;
  const auto place = co_await w.atomic_add(end_, w.uniform(0), same(w, 1), won);
  w.store(cost_, node, same(w, level + 1), won);
  w.store(order_, place, node, won);
}

WarpTask RoadSearch::expand(Warp& w, U64 level, U64 at, LaneMask mask) const {
  const auto node = co_await w.load_l2(order_, w.consecutive(at), mask);
  auto firsts = w.load(first_, node, mask);
  auto ends =
      w.load(first_, w.map([&](unsigned i) { return has_lane(mask, i) ? node[i] + 1 : 0; }), mask);
  const auto [first, end] = co_await all(firsts, ends);
  const Lanes<U32> from = first, to = end;
  for (U32 e = 0;; ++e) {
    const LaneMask more = lanes_where(mask, [&](unsigned i) { return from[i] + e < to[i]; });
    w.compute(3);
    if (more == 0) break;
    const auto next =
        co_await w.load(target_, w.map([&](unsigned i) { return from[i] + e; }), more);
    co_await claim(w, level, next, more);
  }
}

WarpTask RoadSearch::end_level(Warp& w, U64 level) const {
  const auto end = co_await w.load_l2(end_, w.uniform(0), lane_bit(0));
  if (fault() == Fault::MarkBeforeData) {
    store_word(w, done_, 0, level + 1);
    co_await w.persist();
  }
  w.store(ends_, w.uniform(level + 2), end, lane_bit(0));
  if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
  if (fault() != Fault::MarkBeforeData) store_word(w, done_, 0, level + 1);
  co_await w.persist();
}

WarpTask RoadSearch::search(Warp& w) const {
  Front front;
  co_await load_front(w, front);
  if (w.id() == 0) {
    w.store(end_, w.uniform(0), same(w, front.end), lane_bit(0));
    co_await w.fence();
  }
  co_await w.barrier();
  while (front.first < front.end) {
    const U64 step = U64{w.count()} * w.width();
    for (U64 at = front.first + U64{w.id()} * w.width(); at < front.end; at += step) {
      co_await expand(w, front.level, at, w.active({0, front.end, 1}, at));
    }
    if (fault() != Fault::NoPersistBeforeMark) co_await w.persist();
    co_await w.barrier();
    if (w.id() == 0) co_await end_level(w, front.level);
    co_await w.split();
    co_await load_front(w, front);
  }
}

std::optional<std::string> RoadSearch::holds(const Backdoor& memory) const {
  const U64 done = word_at<U64>(memory, done_.base);
  if (done >= graph_.nodes()) return fmt::format("{} levels are done", done);
  std::vector<bool> found(graph_.nodes());
  U32 at = 0;
  for (U64 level = 0; level <= done; ++level) {
    const U32 end = word_at<U32>(memory, ends_.address(level + 1));
    if (end < at || end > graph_.nodes()) return fmt::format("level {} ends at {}", level, end);
    for (; at < end; ++at) {
      const U32 node = word_at<U32>(memory, order_.address(at));
      if (node >= graph_.nodes() || found[node] ||
          level_[node] != static_cast<std::int32_t>(level)) {
        return fmt::format("place {} of the order has node {}, not one of level {}", at, node,
                           level);
      }
      found[node] = true;
    }
  }
  for (U64 node = 0; node < graph_.nodes(); ++node) {
    const U32 cost = word_at<U32>(memory, cost_.address(node));
    const auto level = static_cast<U32>(level_[node]);
    const bool early = cost == done + 1 && level == cost;  // of the level in progress
    if (level_[node] >= 0 && level <= done ? cost == level && found[node] : cost == kFar || early) {
      continue;
    }
    return fmt::format("after {} levels the cost of node {} is {}, of level {}", done, node, cost,
                       level_[node]);
  }
  return std::nullopt;
}

std::unique_ptr<Workload> make_search(const WorkloadParams& params) {
  Graph graph = roads(params);
  WorkloadParams filled = params;
  filled.size = graph.nodes();
  return std::make_unique<RoadSearch>(filled, std::move(graph));
}

}  // namespace

WorkloadKind bfsp_workload() {
  return {.name = "bfsp",
          .about = "search of a road network, durable level by level",
          .size_counts = "nodes of the graph",
          .default_size = 9 << 10,
          .min_size = 2,
          .max_size = Graph::kMaxNodes,
          .make = make_search,
          .reads_file = true};
}

}  // namespace cxlgpu
