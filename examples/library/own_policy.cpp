// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A policy of speculative reads of one's own: after two loads in rising order, the next three
// granules of 256 B. Loads of consecutive lines from Z-NAND are then found in internal DRAM.
#include <cstdio>
#include <cxlgpu/cxlgpu.hpp>

namespace {

using namespace cxlgpu;

class NextThree : public Prefetcher {
 public:
  void learn(const LoadSeen& load) override {
    rising_ = load.line == last_ + 1 || load.granule() == last_ / kLinesOfGranule + 1;
    last_ = load.line;
  }
  void predict(std::vector<std::uint64_t>& to) override {
    for (int step = 1; rising_ && step <= 3; ++step) {
      put_beside(last_ / kLinesOfGranule, step, to);
    }
  }
  void flush() override { rising_ = false; }
  unsigned state_bits() const override { return kGranuleBits + 2 + 1; }

 private:
  std::uint64_t last_ = 0;
  bool rising_ = false;
};

// Loads of consecutive lines, each after the one before.
Statistics run(const std::string& policy) {
  Registry registry;
  registry.add_policy("next-three", [](unsigned) { return std::make_unique<NextThree>(); });
  Machine machine({.scenario = "trace-znand-cxl",
                   .sets = {"root_port.policy=" + policy},
                   .registry = &registry});
  for (std::uint64_t line = 0; line < 512; ++line) {
    machine.submit({.address = machine.address_base() + line * kLineBytes});
    while (!machine.take()) machine.advance();
    machine.advance_to(machine.now() + kCycle * 2000);  // the kernel computes for 2 us
  }
  return machine.statistics();
}

}  // namespace

int main() {
  try {
    const Statistics off = run("off"), own = run("next-three");
    std::printf("mean load: off %.1f ns, next-three %.1f ns; of %llu lines filled %llu useful\n",
                off.loads.mean.ns(), own.loads.mean.ns(),
                static_cast<unsigned long long>(own.speculation.filled),
                static_cast<unsigned long long>(own.speculation.useful));
    return own.speculation.useful > 0 && own.loads.mean < off.loads.mean ? 0 : 1;
  } catch (const cxlgpu::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
