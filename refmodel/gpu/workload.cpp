#include "refmodel/gpu/workload.hpp"

#include <fmt/format.h>

#include <array>

#include "refmodel/gpu/workload_bfs.hpp"
#include "refmodel/gpu/workload_vadd.hpp"

namespace cxlgpu {
namespace {

struct Entry {
  std::string_view name;
  std::uint64_t default_size, min_size, max_size;
  std::unique_ptr<Workload> (*make)(const WorkloadParams&);
};

template <typename W>
std::unique_ptr<Workload> make(const WorkloadParams& params) {
  return std::make_unique<W>(params);
}

constexpr std::array kEntries = {
    Entry{"bfs", 1 << 14, 2, 1ULL << 27, &make<Bfs>},
    Entry{"vadd", 1 << 16, 1, 1ULL << 32, &make<VectorAdd>},
};

void check(std::string_view name, const char* key, std::uint64_t value, std::uint64_t low,
           std::uint64_t high) {
  if (value < low || value > high) {
    throw InputError(fmt::format("workload.{}: {} is not in {}..{} for {}; choose a value that is",
                                 key, value, low, high, name));
  }
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Workload> make_workload(std::string_view name, const WorkloadParams& params) {
  for (const Entry& entry : kEntries) {
    if (entry.name != name) continue;
    WorkloadParams filled = params;
    if (filled.size == 0) filled.size = entry.default_size;
    check(name, "size", filled.size, entry.min_size, entry.max_size);
    check(name, "unroll", filled.unroll, 1, 4);
    check(name, "degree", filled.degree, 1, 64);
    return entry.make(filled);
  }
  throw InputError(fmt::format("workload: '{}' is unknown; choose one of: {}", name,
                               fmt::join(workload_names(), ", ")));
}

}  // namespace cxlgpu
