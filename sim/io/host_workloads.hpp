// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workloads that are programs of the host, and no kernels: names and sizes, for people.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cxlgpu {

struct HostWorkloadKind {
  std::string_view name, about, size_counts;
  std::uint64_t default_size, min_size, max_size;
};

inline constexpr std::array<HostWorkloadKind, 1> kHostWorkloads = {
    {{"io", "a program that reads a file into GPU memory, or writes it out of it", "I/Os", 256, 1,
      1ULL << 27}}};

// Null: no workload of the host.
constexpr const HostWorkloadKind* host_workload(std::string_view name) {
  for (const HostWorkloadKind& kind : kHostWorkloads) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace cxlgpu
