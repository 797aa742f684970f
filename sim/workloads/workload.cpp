// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/workloads/workload.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace cxlgpu {

#define WORKLOAD(name) WorkloadKind name##_workload();
#include "sim/workloads/list.inc"
#undef WORKLOAD

namespace {

void check(const WorkloadKind& kind, const std::string& key, std::uint64_t value, std::uint64_t low,
           std::uint64_t high) {
  if (value < low || value > high) {
    throw InputError(fmt::format("workload.{}: {} is not in {}..{} for {}; choose a value that is",
                                 key, value, low, high, kind.name));
  }
}

void check_file(const WorkloadKind& kind, const WorkloadParams& params) {
  if (!kind.reads_file) {
    throw InputError(
        fmt::format("workload.file: {} reads no file; leave workload.file out", kind.name));
  }
  if (params.size != 0) {
    throw InputError(
        fmt::format("workload.size: {} takes its size from workload.file; leave one of the two out",
                    kind.name));
  }
}

}  // namespace

WarpTask Workload::kernel(Warp&) const {
  throw std::logic_error("a workload has neither kernel() nor launch() of its own");
}

std::vector<WorkloadKind> workload_kinds() {
#define WORKLOAD(name) name##_workload(),
  return {
#include "sim/workloads/list.inc"
  };
#undef WORKLOAD
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const WorkloadKind& kind : workload_kinds()) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> persistent_workload_names() {
  std::vector<std::string> names;
  for (const WorkloadKind& kind : workload_kinds()) {
    if (make_workload(kind.name)->persists()) names.emplace_back(kind.name);
  }
  return names;
}

std::unique_ptr<Workload> make_workload(const WorkloadKind& kind, const WorkloadParams& params) {
  WorkloadParams filled = params;
  if (filled.file.empty()) {
    if (filled.size == 0) filled.size = kind.default_size;
    check(kind, fmt::format("size ({})", kind.size_counts), filled.size, kind.min_size,
          kind.max_size);
  } else {
    check_file(kind, filled);
  }
  const Iterations& most = kind.iterations;
  if (most.max == 0 && filled.iterations != 0) {
    throw InputError(
        fmt::format("workload.iterations: {} has none; leave workload.iterations out", kind.name));
  }
  if (filled.iterations == 0) filled.iterations = most.default_value;
  check(kind, fmt::format("iterations ({})", most.counts), filled.iterations, most.min, most.max);
  check(kind, "unroll", filled.unroll, 1, kMaxUnroll);
  check(kind, "degree", filled.degree, 1, 64);
  check(kind, "store_percent", filled.store_percent, 0, 100);
  check(kind, "hint_accuracy", filled.hint_accuracy, 0, 100);
  check(kind, "hint_ahead", filled.hint_ahead, 0, 1024);
  check(kind, "compute_per_line", filled.compute_per_line, 0, 100000);
  check(kind, "layers", filled.layers, 1, 128);
  check(kind, "experts", filled.experts, 1, 256);
  check(kind, "top_k", filled.top_k, 1, filled.experts);
  check(kind, "kv_heads", filled.kv_heads, 1, 64);
  check(kind, "head_size", filled.head_size, 64, 512);
  check(kind, "log_partitions", filled.log_partitions, 1, 1024);
  check(kind, "checkpoint_every", filled.checkpoint_every, 1, 10000);
  check(kind, "kv_batch", filled.kv.batch, 1, 65535);
  check(kind, "kv_value_bytes", filled.kv.value_bytes, 16, 2 << 20);
  if (filled.kv.interface == nvme::Interface::Blocks && filled.kv.value_bytes % 4096 != 0) {
    throw InputError(
        fmt::format("workload.kv_value_bytes: {} are not whole blocks; use a multiple of 4096",
                    filled.kv.value_bytes));
  }
  if (filled.head_size % 64 != 0) {
    throw InputError(fmt::format("workload.head_size: {} is no multiple of 64; choose one that is",
                                 filled.head_size));
  }
  std::unique_ptr<Workload> workload = kind.make(filled);
  Allocator everything({.hdm_base = 0, .hdm_size = 1ULL << 62, .local_bytes = 0});
  workload->place(everything);
  workload->data_set_bytes_ = everything.used();
  constexpr std::uint64_t kHalf = 1ULL << 61;
  Allocator apart(
      {.hdm_base = 0, .hdm_size = 2 * kHalf, .local_bytes = 0, .persistent_base = kHalf});
  workload->place(apart);
  workload->persistent_bytes_ = apart.persistent_extent();
  return workload;
}

std::unique_ptr<Workload> make_workload(std::string_view name, const WorkloadParams& params) {
  for (const WorkloadKind& kind : workload_kinds()) {
    if (kind.name == name) return make_workload(kind, params);
  }
  throw InputError(fmt::format("workload: '{}' is unknown; choose one of: {}", name,
                               fmt::join(workload_names(), ", ")));
}

}  // namespace cxlgpu
