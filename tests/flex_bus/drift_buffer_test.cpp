// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// drift_buffer in lockstep with its twin at two sets of sizes.
#include "refmodel/flex_bus/drift_buffer.hpp"

#include "Vdrift_buffer.h"
#include "tests/flex_bus/buffer_ports.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kBuffers = 2;  // as in drift_buffer_tb.sv
std::array<DriftBuffer, kBuffers> make_twins() {
  return {DriftBuffer(4, 2), DriftBuffer(8, 3)};
}

void compare(Lockstep& run, const Vdrift_buffer& rtl, const std::array<DriftBuffer, kBuffers>& twin,
             const std::array<DriftBuffer::In, kBuffers>& in) {
  for (unsigned g = 0; g < kBuffers; ++g) compare_buffer(run, rtl, g, 4, twin[g].eval(in[g]));
}

TEST(DriftBuffer, Lockstep) {
  Lockstep run("flex_bus/drift_buffer", 0xD1F7);
  const Cycles cycles(200000);
  Random random(run.seed());
  Clocked<Vdrift_buffer> rtl;
  rtl.reset();
  auto twin = make_twins();
  std::array<DriftBuffer::In, kBuffers> in;
  std::array<LaneWords, kBuffers> words;
  std::array<Rates, kBuffers> rates;
  std::array<std::uint64_t, kBuffers> overflow{}, underflow{}, read{};
  while (cycles.next(run)) {
    for (unsigned g = 0; g < kBuffers; ++g) {
      rates[g].phase(random);
      in[g].clear = random.below(300) == 0;
      in[g].write.reset();
      if (rates[g].write(random)) in[g].write = words[g].next(random);
      in[g].read = rates[g].read(random);
      drive_buffer(*rtl, g, in[g]);
    }
    rtl.settle();
    compare(run, *rtl, twin, in);
    for (unsigned g = 0; g < kBuffers; ++g) {
      const DriftBuffer::Out out = twin[g].eval(in[g]);
      overflow[g] += out.overflow;
      underflow[g] += out.underflow;
      read[g] += out.word.has_value();
    }
    rtl.edge();
    for (unsigned g = 0; g < kBuffers; ++g) twin[g].clock(in[g]);
    if (random.below(5000) == 0) {
      twin = make_twins();
      rtl->rst_ni = 0;
      rtl.settle();
      compare(run, *rtl, twin, in);
      rtl.reset();
    }
  }
  if (!cycles.full(run)) return;
  for (unsigned g = 0; g < kBuffers; ++g) {
    EXPECT_GT(overflow[g], 300u);
    EXPECT_GT(underflow[g], 300u);
    EXPECT_GT(read[g], 50000u);
  }
}

}  // namespace
}  // namespace cxlgpu::test
