// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A GPU on a checked fixed-latency engine, with every request and hint recorded.
//
// Purpose: the bench of the GPU model's tests.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/workloads/workload.hpp"

namespace cxlgpu {

class RecordingEngine : public Engine {
 public:
  struct Record {
    Time at;
    MemRequest request;
  };
  explicit RecordingEngine(Engine& inner) : inner_(inner) {}
  [[nodiscard]] Time now() const override { return inner_.now(); }
  bool submit(const MemRequest& request) override {
    if (!inner_.submit(request)) return false;
    log.push_back({now(), request});
    return true;
  }
  std::optional<MemResponse> take() override { return inner_.take(); }
  bool hint(const Hint& hint) override {
    if (refuse_hints != 0 && ++offered_ % refuse_hints != 0) return false;
    hints.push_back({now(), hint});
    return true;
  }
  void advance_to(Time t) override { inner_.advance_to(t); }

  [[nodiscard]] std::size_t count(bool is_write) const {
    std::size_t n = 0;
    for (const Record& r : log) n += r.request.is_write == is_write;
    return n;
  }
  std::vector<Record> log;
  struct Hinted {
    Time at;
    Hint hint;
  };
  std::vector<Hinted> hints;
  unsigned refuse_hints = 0;  // all but each that many-th offer

 private:
  Engine& inner_;
  unsigned offered_ = 0;
};

struct Rig {
  explicit Rig(const GpuParams& params = {}, const FixedLatencyParams& latency = {},
               std::uint64_t local_bytes = 0)
      : map{1ULL << 32, 1ULL << 28, local_bytes},
        gpu(params, map),
        engine(latency),
        recorder(engine),
        checked(recorder),
        hdm(engine.memory(), checked.shadow()),
        memory(gpu.local_memory(), hdm, map),
        allocator(map) {}

  // Runs to the end and expects a clean one.
  void run_clean() {
    const RunResult result = run(gpu, checked, Time{10'000'000'000'000});
    EXPECT_EQ(result.status, RunStatus::Done) << to_string(result.status);
    EXPECT_TRUE(checked.clean());
    for (const Mismatch& m : checked.records()) ADD_FAILURE() << to_string(m);
    EXPECT_EQ(checked.outstanding(), 0U);
    EXPECT_EQ(gpu.live_operations(), 0U);
    EXPECT_EQ(gpu.stats().response_errors, 0U);
  }

  template <typename T>
  DeviceArray<T> array(const std::vector<T>& values) {
    const auto a = allocator.alloc<T>(values.size());
    copy_to_device(memory, a, values);
    return a;
  }

  SystemMapParams map;
  Gpu gpu;
  FixedLatencyEngine engine;
  RecordingEngine recorder;
  CheckedEngine checked;
  TeeBackdoor hdm;
  SystemMemory memory;
  Allocator allocator;
};

// One core, one warp of eight lanes, fast and simple to reason about.
inline GpuParams one_warp() {
  GpuParams p;
  p.cores = 1;
  p.warps = 1;
  return p;
}

template <typename T>
std::vector<T> iota(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(i);
  return v;
}

}  // namespace cxlgpu
