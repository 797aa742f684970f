// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workloads that need nothing but memory: all but those that ring an NVMe controller.
#pragma once

#include <vector>

#include "sim/workloads/workload.hpp"

namespace cxlgpu {

inline std::vector<WorkloadKind> kernel_kinds() {
  std::vector<WorkloadKind> kinds = workload_kinds();
  std::erase_if(kinds, [](const WorkloadKind& kind) {
    return make_workload(kind, {})->kv_plan() != nullptr;
  });
  return kinds;
}

}  // namespace cxlgpu
