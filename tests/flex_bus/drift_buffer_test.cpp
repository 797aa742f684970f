// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// drift_buffer in lockstep with its twin at two sets of sizes.
#include "refmodel/flex_bus/drift_buffer.hpp"

#include "Vdrift_buffer.h"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_flex_bus.hpp"
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

coverage::DriftFill fill(unsigned count, unsigned depth, bool primed) {
  using enum coverage::DriftFill;
  if (!primed) return FillsUp;
  if (count == 0) return Empty;
  if (count == depth) return Full;
  return count == depth - 1 ? OneFree : Some;
}

TEST(DriftBuffer, Lockstep) {
  TestCoverage counts(coverage::drift_pairs());
  std::array<bool, kBuffers> primed{};
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
      const unsigned depth = 4u << g, prime = 2 + g;
      primed[g] = primed[g] || out.count >= prime;
      counts.hit({g, in[g].write ? 1u : 0u, in[g].read ? 1u : 0u, in[g].clear ? 1u : 0u,
                  static_cast<unsigned>(fill(out.count, depth, primed[g]))});
      if (in[g].clear) primed[g] = false;
      overflow[g] += out.overflow;
      underflow[g] += out.underflow;
      read[g] += out.word.has_value();
    }
    rtl.edge();
    for (unsigned g = 0; g < kBuffers; ++g) twin[g].clock(in[g]);
    if (random.below(5000) == 0) {
      twin = make_twins();
      primed = {};
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

// A clear in the same cycle as a word that comes or is asked, at every level: the buffer is as new
// after it, and gives nothing until it has filled up again.
TEST(DriftBuffer, ClearMeetsEverything) {
  TestCoverage counts(coverage::drift_pairs());
  Lockstep run("flex_bus/drift_buffer", 0);
  Clocked<Vdrift_buffer> rtl;
  rtl.reset();
  auto twin = make_twins();
  std::array<DriftBuffer::In, kBuffers> in;
  for (unsigned g = 0; g < kBuffers; ++g) {
    const unsigned depth = 4u << g, prime = 2 + g;
    bool primed = false;
    const auto step = [&](const DriftBuffer::In& now) {
      in[g] = now;
      for (unsigned h = 0; h < kBuffers; ++h) drive_buffer(*rtl, h, in[h]);
      rtl.settle();
      compare(run, *rtl, twin, in);
      const DriftBuffer::Out out = twin[g].eval(in[g]);
      primed |= out.count >= prime;
      counts.hit({g, in[g].write ? 1u : 0u, in[g].read ? 1u : 0u, in[g].clear ? 1u : 0u,
                  static_cast<unsigned>(fill(out.count, depth, primed))});
      if (in[g].clear) primed = false;
      rtl.edge();
      for (unsigned h = 0; h < kBuffers; ++h) twin[h].clock(in[h]);
      return out;
    };
    const LaneWord word{false, 0, 0x1234'5678};
    for (const bool filled : {false, true}) {
      for (unsigned level = 0; level <= depth; ++level) {
        if (!filled && level >= prime) continue;
        for (unsigned meets = 0; meets < 4; ++meets) {
          step({.clear = true});
          for (unsigned i = 0; i < (filled ? depth : level); ++i) step({.write = word});
          for (unsigned i = level; filled && i < depth; ++i) step({.read = true});
          EXPECT_EQ(step({}).count, level);
          DriftBuffer::In at_clear{.clear = true, .read = meets >= 2};
          if (meets % 2 != 0) at_clear.write = word;
          step(at_clear);
          DriftBuffer::Out out = step({.read = true});
          EXPECT_EQ(out.count, 0u);
          EXPECT_FALSE(out.word || out.overflow || out.underflow);
          for (unsigned i = 0; i < prime; ++i) {
            EXPECT_FALSE(step({.write = word, .read = true}).word);
          }
          EXPECT_TRUE(step({.read = true}).word);
        }
      }
    }
    in[g] = {};
  }
  EXPECT_TRUE(run.ok());
}

}  // namespace
}  // namespace cxlgpu::test
