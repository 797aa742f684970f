// Kernels with data: what a scenario's first word names.
//
// Purpose: sets up input in device memory, runs on the GPU model, and checks the result against a
//          plain computation on the CPU. Made by name through a registry.
// Shapes:  one size parameter per workload (vadd: elements, bfs: nodes); the same parameters give
//          the same bytes everywhere.
// Errors:  make_workload() throws InputError for an unknown name or a size out of range; setup()
//          when memory is too small. verify() returns what is wrong in one line.
//
// Order:   make_workload, data_set_bytes (sizes local memory), setup, launch, run, verify.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refmodel/gpu/device_array.hpp"
#include "refmodel/gpu/gpu.hpp"
#include "refmodel/gpu/gpu_config.hpp"
#include "refmodel/host/backdoor.hpp"

namespace cxlgpu {

struct WorkloadParams {
  std::uint64_t size = 0;  // 0: the workload's default
  std::uint64_t seed = 1;
  Distribution distribution = Distribution::Chunked;
  std::uint32_t unroll = 2;  // independent vectors a warp has under way (vadd)
  std::uint32_t degree = 6;  // mean degree of the graph (bfs)
};

class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Bytes of all arrays as the allocator places them.
  [[nodiscard]] virtual std::uint64_t data_set_bytes() const = 0;
  // Places the arrays and writes the input.
  virtual void setup(Allocator& allocator, Backdoor& memory) = 0;
  // Queues the kernels; the workload must outlive the run.
  virtual void launch(Gpu& gpu) = 0;
  // After the run: compares the result in memory with the CPU's.
  [[nodiscard]] virtual std::optional<std::string> verify(const Backdoor& memory) const = 0;
};

std::unique_ptr<Workload> make_workload(std::string_view name, const WorkloadParams& params = {});
std::vector<std::string> workload_names();

// Bytes that arrays of these lengths take, each rounded up to lines.
constexpr std::uint64_t placed_bytes(std::initializer_list<std::uint64_t> bytes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t b : bytes) sum += line_of(b + kLineBytes - 1);
  return sum;
}

// The workloads' random numbers: splitmix64, the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace cxlgpu
