// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/recovery.hpp"

#include <fmt/format.h>

#include "sim/host/fixed_latency_engine.hpp"
#include "sim/host/run.hpp"
#include "sim/persist/host_images.hpp"

namespace cxlgpu {

std::optional<std::string> recovery_problem(const MakeWorkload& make, const GpuParams& params,
                                            const SystemMapParams& map, const FlatMemory& left,
                                            bool run_it) {
  FixedLatencyEngine engine({.latency = Time{20'000}});
  engine.memory().copy(left);
  const std::unique_ptr<Workload> workload = make();
  Gpu gpu(params, map);
  SystemMemory memory(gpu.local_memory(), engine.memory(), map);
  if (map.staged_bytes != 0) load_staged(map, left, memory);
  Allocator allocator(map);
  workload->setup(allocator, memory);
  if (auto wrong = workload->verify_recovered(memory)) return wrong;
  if (!run_it) return std::nullopt;
  workload->recover(gpu);
  constexpr Time kLimit{10'000'000'000'000};
  if (const RunResult result = run(gpu, engine, kLimit); result.status != RunStatus::Done) {
    return fmt::format("the recovery does not end: {}", to_string(result.status));
  }
  if (auto wrong = workload->verify_recovered(memory)) return "after recovery: " + *wrong;
  if (auto wrong = workload->verify(memory)) return "after recovery: " + *wrong;
  return std::nullopt;
}

}  // namespace cxlgpu
