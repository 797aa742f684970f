// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Kernels with data: what a scenario's first word names.
//
// Purpose: sets up input in device memory, runs on the GPU model, and checks the result against a
//          plain computation on the CPU. Made by name; list.inc names them all.
// Shapes:  one size parameter per workload, its WorkloadKind says what it counts; the same
//          parameters give the same bytes everywhere.
// Errors:  make_workload() throws InputError for an unknown name or a size out of range; setup()
//          when memory is too small. verify() returns what is wrong in one line.
//
// Order:   make_workload, data_set_bytes (sizes local memory), setup, launch, run, verify. After a
//          loss of power: make_workload, setup, verify_recovered, recover, run, verify.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpm/log_kind.hpp"
#include "sim/gpm/region.hpp"
#include "sim/gpu/device_array.hpp"
#include "sim/gpu/gpu.hpp"
#include "sim/gpu/gpu_config.hpp"
#include "sim/host/backdoor.hpp"
#include "sim/nvme/kv_config.hpp"
#include "sim/workloads/data.hpp"

namespace cxlgpu {

struct WorkloadParams {
  std::uint64_t size = 0;  // 0: the workload's default
  std::uint64_t seed = 1;
  Distribution distribution = Distribution::Chunked;
  std::uint32_t unroll = 2;         // steps of its loop that a warp has in flight
  std::uint32_t degree = 6;         // mean degree of the graph (bfs)
  std::uint32_t store_percent = 0;  // steps that store (seq, around, rand)
  std::uint32_t warps = 64;         // of the GPU, for scratch (rsum)
  std::uint64_t iterations = 0;     // 0: the workload's default
  std::string file = {};            // input, for workloads that read one
  // Of those that give hints (moe, kvdecode).
  bool hints = true;
  std::uint32_t hint_accuracy = 100;   // per cent of them that name what is read (moe)
  std::uint32_t hint_ahead = 8;        // pages (kvdecode)
  std::uint32_t compute_per_line = 0;  // further instructions for each line read
  std::uint32_t layers = 8, experts = 8, top_k = 2;  // of the model (moe)
  std::uint32_t kv_heads = 2, head_size = 64;        // of the model (kvdecode); bytes
  // Of those that persist.
  std::uint32_t threads = 8;           // of a warp, for logs that have an entry a thread
  LogKind log = LogKind::Hcl;          // of gpkvs, gpkvs95, gpdb-update and hcl
  std::uint32_t log_partitions = 8;    // of the conventional one
  std::uint32_t checkpoint_every = 5;  // time steps or passes
  // The host persists the whole piece when a kernel has ended: no log, one copy of a checkpoint.
  bool assisted = false;
  gpm::Fault persist_fault = gpm::Fault::None;  // for tests
  nvme::KvWork kv{};                            // of kvput and kvget
};
inline constexpr std::uint32_t kMaxUnroll = 8;

struct WorkloadKind;
namespace nvme {
struct KvPlan;
}

class Workload {
 public:
  explicit Workload(const WorkloadParams& params) : params_(params) {}
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  [[nodiscard]] std::uint64_t size() const { return params_.size; }
  // Bytes of all arrays as the allocator places them.
  [[nodiscard]] std::uint64_t data_set_bytes() const { return data_set_bytes_; }
  // Of these what persists, from the first array to the end of the last.
  [[nodiscard]] std::uint64_t persistent_bytes() const { return persistent_bytes_; }
  void setup(Allocator& allocator, Backdoor& memory) {
    place(allocator);
    fill(memory);
  }
  // Allocates the arrays; make_workload has called it before, to measure them.
  virtual void place(Allocator& allocator) = 0;
  // Writes the input, and into the output what no result is.
  virtual void fill(Backdoor& memory) = 0;
  // Queues the kernels, kernel() alone unless it says otherwise; the workload must outlive the run.
  virtual void launch(Gpu& gpu) {
    gpu.launch([this](Warp& w) { return kernel(w); });
  }
  // Of a workload that persists. After a loss of power: fill() has been called again, which leaves
  // persistent memory alone; goes on from what is there, to the same result.
  [[nodiscard]] virtual bool persists() const { return false; }
  virtual void recover(Gpu& gpu) { launch(gpu); }
  // Of memory as a loss of power left it: what holds at every moment.
  [[nodiscard]] virtual std::optional<std::string> verify_recovered(const Backdoor&) const {
    return std::nullopt;
  }
  // Of one that rings an NVMe controller: where its queues are. It must outlive the run.
  virtual nvme::KvPlan* kv_plan() { return nullptr; }
  // After the run: compares the result in memory with the CPU's.
  [[nodiscard]] virtual std::optional<std::string> verify(const Backdoor& memory) const = 0;

 protected:
  [[nodiscard]] const WorkloadParams& params() const { return params_; }
  // This warp's share of n pieces of work.
  [[nodiscard]] WorkRange share(const Warp& w, std::uint64_t n) const {
    return w.work(n, params_.distribution);
  }

 private:
  friend std::unique_ptr<Workload> make_workload(const WorkloadKind& kind,
                                                 const WorkloadParams& params);
  virtual WarpTask kernel(Warp& w) const;  // need not be there if launch() is its own

  WorkloadParams params_;
  std::uint64_t data_set_bytes_ = 0, persistent_bytes_ = 0;
};

// The second parameter of an iterative workload; max 0: it has none.
struct Iterations {
  std::uint64_t default_value = 0, min = 0, max = 0;
  std::string_view counts = {};
};

// A workload's row in the registry; NAME's file defines `WorkloadKind NAME_workload()`.
struct WorkloadKind {
  std::string_view name, about, size_counts;  // for people, one line together
  std::uint64_t default_size, min_size, max_size;
  std::unique_ptr<Workload> (*make)(const WorkloadParams&);
  Iterations iterations = {};
  bool reads_file = false;  // workload.file; its size is then the file's
};

template <typename W>
std::unique_ptr<Workload> make(const WorkloadParams& params) {
  return std::make_unique<W>(params);
}

std::unique_ptr<Workload> make_workload(std::string_view name, const WorkloadParams& params = {});
std::unique_ptr<Workload> make_workload(const WorkloadKind& kind, const WorkloadParams& params);
std::vector<WorkloadKind> workload_kinds();
std::vector<std::string> workload_names();
std::vector<std::string> persistent_workload_names();  // of those that persist

}  // namespace cxlgpu
