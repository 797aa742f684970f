// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// cfd: flow on an unstructured mesh, Rodinia's euler3d.
//
// Purpose: gathers through an index of neighbours, many values an element, stores of all of them.
// Shapes:  size elements (cfd_mesh.hpp), `iterations` time steps of three stages: step sizes, then
// a
//          stage's fluxes and its new values, a kernel each. Structure of arrays, variable v of
//          element e at [v * size + e]. One step by default: every stage does the same accesses,
//          and a step has each kernel in it.
// Start:   far field, every variable disturbed by up to 5 %.
// cfdcp:   the same with checkpoints of all five variables every few time steps, each of which is a
//          kernel of its own.
#include "sim/workloads/cfd_mesh.hpp"
#include "sim/workloads/euler.hpp"
#include "sim/workloads/iterative.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {
namespace {

using euler::kVars;
using euler::State;

// Arrays and kernels of both.
class CfdFlow {
 public:
  explicit CfdFlow(const WorkloadParams& params) : params_(params) {}
  void place(Allocator& allocator);
  void fill(Backdoor& memory) const;
  [[nodiscard]] DeviceArray<float> now() const { return now_; }
  WarpTask begin_step(Warp& w) const;
  WarpTask fluxes(Warp& w) const;
  WarpTask advance(Warp& w, unsigned stage) const;
  // On the CPU.
  [[nodiscard]] std::vector<State> first() const;
  void advance(std::vector<State>& now, const CfdMesh& mesh) const;
  [[nodiscard]] CfdMesh mesh() const { return make_cfd_mesh(size(), params_.seed); }

 private:
  [[nodiscard]] std::uint64_t size() const { return params_.size; }
  [[nodiscard]] WorkRange share(const Warp& w, std::uint64_t n) const {
    return w.work(n, params_.distribution);
  }
  struct Handles {
    std::array<LoadHandle<float>, kVars> v;
  };

  [[nodiscard]] float start(std::uint64_t i) const {
    const float part = static_cast<float>(Random(params_.seed, i).below(1 << 20)) * 0x1p-20F;
    const State far = euler::far_field();
    // Momentum across the flow is none, and is disturbed by parts of that along it.
    const float scale = i / size() == 2 || i / size() == 3 ? far[1] : far[i / size()];
    return far[i / size()] + 0.1F * (part - 0.5F) * scale;
  }

  [[nodiscard]] Lanes<std::uint64_t> at(Warp& w, unsigned part, std::uint64_t base) const {
    return w.map([&](unsigned i) { return part * size() + base + i; });
  }
  [[nodiscard]] Handles load_state(Warp& w, const Lanes<std::uint64_t>& element,
                                   LaneMask mask) const {
    Handles h;
    for (unsigned v = 0; v < kVars; ++v) {
      h.v[v] = w.load(now_, w.map([&](unsigned i) { return v * size() + element[i]; }), mask);
    }
    return h;
  }
  static Lanes<State> states(
      const std::tuple<Lanes<float>, Lanes<float>, Lanes<float>, Lanes<float>, Lanes<float>>& v) {
    Lanes<State> out;
    for (unsigned i = 0; i < kMaxLanes; ++i) {
      out[i] = {std::get<0>(v)[i], std::get<1>(v)[i], std::get<2>(v)[i], std::get<3>(v)[i],
                std::get<4>(v)[i]};
    }
    return out;
  }

  WorkloadParams params_;
  DeviceArray<std::int32_t> neighbours_;
  DeviceArray<float> normals_, half_surface_, now_, before_, flux_, step_;
};

void CfdFlow::place(Allocator& allocator) {
  const std::uint64_t n = size();
  neighbours_ = allocator.alloc<std::int32_t>(CfdMesh::kFaces * n);
  normals_ = allocator.alloc<float>(3 * CfdMesh::kFaces * n);
  half_surface_ = allocator.alloc<float>(n);
  now_ = allocator.alloc<float>(kVars * n);
  before_ = allocator.alloc<float>(kVars * n);
  flux_ = allocator.alloc<float>(kVars * n);
  step_ = allocator.alloc<float>(n);
}

void CfdFlow::fill(Backdoor& memory) const {
  const CfdMesh made = mesh();
  copy_to_device(memory, neighbours_, made.neighbours);
  copy_to_device(memory, normals_, made.normals);
  copy_to_device(memory, half_surface_, made.half_surface);
  fill_array(memory, now_, [&](std::uint64_t i) { return start(i); });
  for (const auto& array : {before_, flux_, step_}) {
    fill_array(memory, array, [](std::uint64_t) { return -1.0F; });
  }
}

// The counts of the three kernels are instructions besides loads and stores, as GCC 12 -O2
// -ffp-contract=off makes them for RV32IMAF of the plain loops, with split and join where lanes
// part. Registers that it spills are left out: a flux needs more than 32 values at a time, and a
// GPU has more registers.

// Keeps the values and works out the step: 34 an element (19 of floating point, five divisions and
// two roots among them, 12 addresses, loop).
WarpTask CfdFlow::begin_step(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const Handles own = load_state(w, w.consecutive(base), mask);
    auto surface = w.load(half_surface_, w.consecutive(base), mask);
    const auto values = co_await all(own.v[0], own.v[1], own.v[2], own.v[3], own.v[4]);
    const Lanes<float> half = co_await surface;
    const Lanes<State> u = states(values);
    w.compute(34);
    Lanes<float> step{};
    for (LaneMask m = mask; m != 0; m &= m - 1) {
      const unsigned i = first_lane(m);
      step[i] = euler::step_factor(u[i], half[i]);
    }
    for (unsigned v = 0; v < kVars; ++v) {
      w.store(before_, at(w, v, base), w.map([&](unsigned i) { return u[i][v]; }), mask);
    }
    w.store(step_, w.consecutive(base), step, mask);
  }
}

// 49 an element (its own flow; at the end addresses and loop), 10 a face (addresses, inner or not
// with split and join, loop), and more for the kinds of face that a warp's lanes have: 108 inner,
// 47 open, 7 wall, 2 if there is one of the last two (split, join).
WarpTask CfdFlow::fluxes(Warp& w) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const Handles own_values = load_state(w, w.consecutive(base), mask);
    const Lanes<State> u = states(co_await all(own_values.v[0], own_values.v[1], own_values.v[2],
                                               own_values.v[3], own_values.v[4]));
    w.compute(42);
    Lanes<euler::Flow> own;
    for (unsigned i = 0; i < w.width(); ++i) own[i] = euler::flow_of(u[i]);
    Lanes<State> sum{};
    for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
      w.compute(7);
      auto neighbour = w.load(neighbours_, at(w, face, base), mask);
      auto nx = w.load(normals_, at(w, face * 3, base), mask);
      auto ny = w.load(normals_, at(w, face * 3 + 1, base), mask);
      auto nz = w.load(normals_, at(w, face * 3 + 2, base), mask);
      const auto [other, x, y, z] = co_await all(neighbour, nx, ny, nz);
      LaneMask inner = 0, open = 0, wall = 0;
      for (LaneMask m = mask; m != 0; m &= m - 1) {
        const unsigned i = first_lane(m);
        (other[i] >= 0 ? inner : other[i] == CfdMesh::kWall ? wall : open) |= lane_bit(i);
      }
      if (inner != 0) {
        Lanes<std::uint64_t> element{};
        for (LaneMask m = inner; m != 0; m &= m - 1) {
          element[first_lane(m)] = static_cast<std::uint64_t>(other[first_lane(m)]);
        }
        const Handles there = load_state(w, element, inner);
        const Lanes<State> beyond =
            states(co_await all(there.v[0], there.v[1], there.v[2], there.v[3], there.v[4]));
        w.compute(108);
        for (LaneMask m = inner; m != 0; m &= m - 1) {
          const unsigned i = first_lane(m);
          euler::add_inner_face(sum[i], own[i], euler::flow_of(beyond[i]), {x[i], y[i], z[i]});
        }
      }
      if ((open | wall) != 0) w.compute(2);
      if (open != 0) w.compute(47);
      for (LaneMask m = open; m != 0; m &= m - 1) {
        const unsigned i = first_lane(m);
        euler::add_open_face(sum[i], own[i], {x[i], y[i], z[i]});
      }
      if (wall != 0) w.compute(7);
      for (LaneMask m = wall; m != 0; m &= m - 1) {
        const unsigned i = first_lane(m);
        euler::add_wall(sum[i], own[i], {x[i], y[i], z[i]});
      }
      w.compute(3);
    }
    w.compute(7);
    for (unsigned v = 0; v < kVars; ++v) {
      w.store(flux_, at(w, v, base), w.map([&](unsigned i) { return sum[i][v]; }), mask);
    }
  }
}

// 30 an element: a division, five products and sums, 16 addresses, loop.
WarpTask CfdFlow::advance(Warp& w, unsigned stage) const {
  const WorkRange range = share(w, size());
  for (std::uint64_t base = range.first; base < range.end; base += range.stride) {
    const LaneMask mask = w.active(range, base);
    const Lanes<float> step = co_await w.load(step_, w.consecutive(base), mask);
    w.compute(10);
    for (unsigned v = 0; v < kVars; ++v) {
      auto before = w.load(before_, at(w, v, base), mask);
      auto flux = w.load(flux_, at(w, v, base), mask);
      const auto [u, f] = co_await all(before, flux);
      w.compute(4);
      Lanes<float> next{};
      for (unsigned i = 0; i < w.width(); ++i) {
        next[i] = u[i] + euler::stage_factor(step[i], stage) * f[i];
      }
      w.store(now_, at(w, v, base), next, mask);
    }
  }
}

std::vector<State> CfdFlow::first() const {
  std::vector<State> now(size());
  for (std::uint64_t e = 0; e < size(); ++e) {
    for (unsigned v = 0; v < kVars; ++v) now[e][v] = start(v * size() + e);
  }
  return now;
}

void CfdFlow::advance(std::vector<State>& now, const CfdMesh& mesh) const {
  const std::uint64_t n = size();
  const std::vector<State> before = now;
  std::vector<State> flux(n);
  std::vector<float> factor(n);
  for (std::uint64_t e = 0; e < n; ++e) {
    factor[e] = euler::step_factor(now[e], mesh.half_surface[e]);
  }
  for (unsigned stage = 0; stage < euler::kStages; ++stage) {
    for (std::uint64_t e = 0; e < n; ++e) {
      const euler::Flow own = euler::flow_of(now[e]);
      State sum{};
      for (unsigned face = 0; face < CfdMesh::kFaces; ++face) {
        const float* const first = &mesh.normals[face * 3 * n + e];
        const euler::Vec normal = {first[0], first[n], first[2 * n]};
        const std::int32_t other = mesh.neighbours[face * n + e];
        if (other >= 0) {
          euler::add_inner_face(sum, own, euler::flow_of(now[static_cast<std::uint64_t>(other)]),
                                normal);
        } else if (other == CfdMesh::kWall) {
          euler::add_wall(sum, own, normal);
        } else {
          euler::add_open_face(sum, own, normal);
        }
      }
      flux[e] = sum;
    }
    for (std::uint64_t e = 0; e < n; ++e) {
      for (unsigned v = 0; v < kVars; ++v) {
        now[e][v] = before[e][v] + euler::stage_factor(factor[e], stage) * flux[e][v];
      }
    }
  }
}

class Cfd : public Workload {
 public:
  explicit Cfd(const WorkloadParams& params) : Workload(params), flow_(params) {}
  void launch(Gpu& gpu) override {
    for (std::uint64_t step = 0; step < params().iterations; ++step) {
      gpu.launch([this](Warp& w) { return flow_.begin_step(w); });
      for (unsigned stage = 0; stage < euler::kStages; ++stage) {
        gpu.launch([this](Warp& w) { return flow_.fluxes(w); });
        gpu.launch([this, stage](Warp& w) { return flow_.advance(w, stage); });
      }
    }
  }
  [[nodiscard]] std::optional<std::string> verify(const Backdoor& memory) const override {
    const std::uint64_t n = size();
    const CfdMesh mesh = flow_.mesh();
    std::vector<State> now = flow_.first();
    for (std::uint64_t step = 0; step < params().iterations; ++step) flow_.advance(now, mesh);
    const auto finite = [&](std::uint64_t i) { return std::isfinite(now[i % n][i / n]); };
    for (std::uint64_t i = 0; i < kVars * n; ++i) {
      if (!finite(i)) return fmt::format("the flow blows up at element {}", i % n);
    }
    return difference(memory, flow_.now(), "variables",
                      [&](std::uint64_t i) { return now[i % n][i / n]; });
  }

 private:
  void place(Allocator& allocator) override { flow_.place(allocator); }
  void fill(Backdoor& memory) override { flow_.fill(memory); }

  CfdFlow flow_;
};

class CfdCheckpointed : public IterativeWorkload {
 public:
  explicit CfdCheckpointed(const WorkloadParams& params)
      : IterativeWorkload(params), flow_(params), mesh_(flow_.mesh()) {}

 private:
  void place_data(Allocator& allocator) override { flow_.place(allocator); }
  void fill_data(Backdoor& memory) override { flow_.fill(memory); }
  [[nodiscard]] std::vector<DeviceArray<U32>> state() const override {
    return {words_of(flow_.now())};
  }
  [[nodiscard]] std::string piece() const override { return "cfdcp"; }
  WarpTask step(Warp& w, U64) const override {
    co_await flow_.begin_step(w);
    for (unsigned stage = 0; stage < euler::kStages; ++stage) {
      co_await w.barrier();
      co_await flow_.fluxes(w);
      co_await w.barrier();
      co_await flow_.advance(w, stage);
    }
  }
  [[nodiscard]] static StateWords words_from(const std::vector<State>& now) {
    StateWords words(kVars * now.size());
    for (U64 i = 0; i < words.size(); ++i) {
      words[i] = bits_of(now[i % now.size()][i / now.size()]);
    }
    return words;
  }
  [[nodiscard]] StateWords start() const override { return words_from(flow_.first()); }
  void advance(StateWords& words, U64) const override {
    std::vector<State> now(size());
    for (U64 i = 0; i < words.size(); ++i) now[i % size()][i / size()] = float_of(words[i]);
    flow_.advance(now, mesh_);
    words = words_from(now);
  }

  CfdFlow flow_;
  CfdMesh mesh_;
};

}  // namespace

WorkloadKind cfd_workload() {
  return {"cfd",      "flow on an unstructured mesh, in time steps",
          "elements", 3 << 11,
          1,          1ULL << 26,
          &make<Cfd>, {.default_value = 1, .min = 1, .max = 10000, .counts = "time steps"}};
}

WorkloadKind cfdcp_workload() {
  return {"cfdcp",
          "the same with checkpoints",
          "elements",
          1 << 11,
          1,
          1ULL << 24,
          &make<CfdCheckpointed>,
          {.default_value = 5, .min = 1, .max = 10000, .counts = "time steps"}};
}

}  // namespace cxlgpu
