// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One workload on a GPU with a fixed-latency engine, run and verified.
#pragma once

#include "sim/workloads/workload.hpp"
#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {

inline GpuStats verified(std::string_view name, const WorkloadParams& params) {
  auto workload = make_workload(name, params);
  Rig rig({}, {}, local_bytes_for(workload->data_set_bytes()));
  workload->setup(rig.allocator, rig.memory);
  EXPECT_EQ(rig.allocator.used(), workload->data_set_bytes());
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory).value_or(""), "") << name;
  return rig.gpu.stats();
}

inline std::string refusal(std::string_view name, const WorkloadParams& params) {
  try {
    (void)make_workload(name, params);
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}

}  // namespace cxlgpu
