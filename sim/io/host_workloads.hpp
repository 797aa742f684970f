// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workloads that are programs of the host, and no kernels: names and sizes, for people.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/paging/paging_config.hpp"

namespace cxlgpu {

constexpr bool fetches_prefixes(MemoryKind kind) {
  return runs_io(kind) || runs_copies(kind);
}

struct HostWorkloadKind {
  std::string_view name, about, size_counts;
  std::uint64_t default_size, min_size, max_size;
  std::string_view does, ways;         // to end sentences
  bool (*runs_on)(MemoryKind memory);  // of whose configurations these ways are
};

inline constexpr std::array<HostWorkloadKind, 5> kHostWorkloads = {
    {{"io", "a program that reads a file into GPU memory, or writes it out of it", "I/Os", 256, 1,
      1ULL << 27, "moves a file", "phoenix, gds or posix", runs_io},
     {"kvload", "a program that loads the blocks of a KV-cache trace into GPU memory",
      "requests of the trace, from the first on; 0 of a file: all", 16, 1, 1ULL << 24,
      "loads from a file", "phoenix, gds or posix", runs_io},
     {"modelload", "a program that loads a model's tensors into GPU memory",
      "tensors of the file, from the first on; 0 of a file: all", 27, 1, 1ULL << 24,
      "loads from a file", "phoenix, gds or posix", runs_io},
     {"copy", "programs that copy between host memory and GPUs", "copies of each GPU", 1, 1,
      1ULL << 20, "copies from host memory", "mma, static or direct", runs_copies},
     {"prefix", "a language model that fetches prefixes of its requests from a cache",
      "requests, of a trace from the first on; 0 of a file: all", 8, 1, 1ULL << 24,
      "fetches from host memory or a file", "mma, static, direct, phoenix, gds or posix",
      fetches_prefixes}}};

// Null: no workload of the host.
constexpr const HostWorkloadKind* host_workload(std::string_view name) {
  for (const HostWorkloadKind& kind : kHostWorkloads) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace cxlgpu
