// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Loads and stores at random through the library, and the same as a trace for the command: both
// must come to the same latencies.
//
// Usage: requests MACHINE.yaml TRACE.csv
#include <cmath>
#include <cstdio>
#include <cxlgpu/cxlgpu.hpp>

namespace {

using namespace cxlgpu;

struct Sum {
  std::array<double, kRequestStages> load_ns{};  // by stage
  unsigned loads = 0, stores = 0, wrong = 0;
};

void take_all(Machine& machine, Sum& sum) {
  while (const std::optional<Response> response = machine.take()) {
    Time parts{0};
    for (const Time part : response->stages) parts += part;
    sum.wrong += response->error || parts != response->latency();
    if (response->is_write) {
      ++sum.stores;
    } else {
      ++sum.loads;
      for (std::size_t i = 0; i < kRequestStages; ++i) {
        sum.load_ns[i] += response->stages[i].ns();
      }
    }
  }
}

int run(const char* yaml, const char* csv) {
  Machine machine(yaml);
  std::FILE* trace = std::fopen(csv, "w");
  if (trace == nullptr) throw Error(csv, "cannot be written", "name another file");
  std::fputs("cycle,rw,addr,bytes\n", trace);
  Sum sum;
  std::uint64_t random = 1;
  for (unsigned i = 0; i < 2000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t line = (random >> 33) % 4096;
    const bool store = random >> 62 == 0;
    const Time at = kCycle * (7 * i);
    while (machine.now() < at) {
      machine.advance_to(at);
      take_all(machine, sum);
    }
    const std::uint64_t address = machine.address_base() + line * kLineBytes;
    while (!machine.submit({.tag = i, .address = address, .is_write = store})) {
      machine.advance();
      take_all(machine, sum);
    }
    std::fprintf(trace, "%u,%c,0x%llx,64\n", 7 * i, store ? 'W' : 'R',
                 static_cast<unsigned long long>(line * kLineBytes));
  }
  std::fclose(trace);
  while (machine.outstanding() != 0) {
    machine.advance();
    take_all(machine, sum);
  }

  const Statistics s = machine.statistics();
  std::printf("loads %u, mean %llu ps, p99 %llu ps; stores %u, mean %llu ps\n", sum.loads,
              static_cast<unsigned long long>(s.loads.mean.ps),
              static_cast<unsigned long long>(s.loads.p99.ps), sum.stores,
              static_cast<unsigned long long>(s.stores.mean.ps));
  for (std::size_t i = 1; i < kRequestStages; ++i) {
    const std::string name(stage_names()[i]);
    sum.wrong += std::abs(sum.load_ns[i] / sum.loads - s.loads.stage_mean_ns[i]) > 0.001;
    std::printf("  %-13s %8.1f ns\n", name.c_str(), s.loads.stage_mean_ns[i]);
  }
  std::printf("DevLoad light %llu, optimal %llu, moderate %llu, severe %llu\n",
              static_cast<unsigned long long>(s.dev_loads[0]),
              static_cast<unsigned long long>(s.dev_loads[1]),
              static_cast<unsigned long long>(s.dev_loads[2]),
              static_cast<unsigned long long>(s.dev_loads[3]));
  return sum.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: requests MACHINE.yaml TRACE.csv\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const cxlgpu::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
