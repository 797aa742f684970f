// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// profiler: the twin in lockstep with the RTL, and the RTL's counters by hand, to their width.
#include "refmodel/root_port/profiler.hpp"

#include <array>

#include "Vprofiler.h"
#include "Vprofiler___024root.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

TEST(Profiler, LockstepWithRtl) {
  Lockstep lockstep("root_port/profiler", 0x9f);
  Random random(lockstep.seed());
  Clocked<Vprofiler> rtl;
  Profiler twin;
  test::TestCoverage pairs(coverage::profiler_pairs());
  rtl.reset();
  while (lockstep.next()) {
    Profiler::In in;
    in.load = random.percent(40);
    in.store = !in.load && random.percent(50);  // the SR queue takes one a cycle
    in.spec = random.percent(20);
    in.rsp_valid = random.percent(50);
    in.dev_load = static_cast<DevLoad>(random.bits(2));
    rtl->load_i = in.load;
    rtl->store_i = in.store;
    rtl->spec_i = in.spec;
    rtl->rsp_valid_i = in.rsp_valid;
    rtl->dev_load_i = static_cast<unsigned>(in.dev_load);
    rtl.settle();
    const Profiler::Out out = twin.eval(in);
    lockstep.check("lc_rsp_valid_o", rtl->lc_rsp_valid_o, out.rsp_valid);
    lockstep.check("lc_dev_load_o", rtl->lc_dev_load_o, static_cast<unsigned>(out.dev_load));
    lockstep.check("loads_o", rtl->loads_o, out.counters.loads);
    lockstep.check("stores_o", rtl->stores_o, out.counters.stores);
    lockstep.check("specs_o", rtl->specs_o, out.counters.specs);
    for (unsigned i = 0; i < 4; ++i) {
      lockstep.check("rsp_count_o", test::get_bits(rtl->rsp_count_o, 32 * i, 32),
                     out.counters.responses[i]);
    }
    pairs.hit({in.load    ? 1u
               : in.store ? 2u
                          : 0u,
               in.spec, in.rsp_valid ? 1u + static_cast<unsigned>(in.dev_load) : 0u});
    twin.clock(in);
    rtl.edge();
    if (random.below(5000) == 0) {
      rtl.reset();
      twin = Profiler();
    }
  }
}

// Which counters one cycle's events move, in every combination: each by one, and no other.
TEST(Profiler, EveryEventCountsOnce) {
  test::shows("qos", "Every response's DevLoad is counted and reaches load control",
              "docs/blocks/root_port/profiler.md");
  Clocked<Vprofiler> rtl;
  rtl.reset();
  std::array<std::uint32_t, 7> expected{};  // loads, stores, MemSpecRd, by DevLoad
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned request = 0; request < 3; ++request) {
      for (const bool spec : {false, true}) {
        for (unsigned response = 0; response < 5; ++response) {
          rtl->load_i = request == 1;
          rtl->store_i = request == 2;
          rtl->spec_i = spec;
          rtl->rsp_valid_i = response != 0;
          rtl->dev_load_i = response != 0 ? response - 1 : round;
          rtl.settle();
          EXPECT_EQ(rtl->lc_rsp_valid_o, response != 0);
          if (response != 0) {
            EXPECT_EQ(rtl->lc_dev_load_o, response - 1);
            ++expected[3 + response - 1];
          }
          if (request != 0) ++expected[request - 1];
          expected[2] += spec;
          rtl.edge();
          EXPECT_EQ(rtl->loads_o, expected[0]);
          EXPECT_EQ(rtl->stores_o, expected[1]);
          EXPECT_EQ(rtl->specs_o, expected[2]);
          for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(rtl->rsp_count_o[i], expected[3 + i]);
        }
      }
    }
  }
}

// The carry into each bit of each counter, and the wrap.
TEST(Profiler, CountersToTheirWidth) {
  Clocked<Vprofiler> rtl;
  rtl.reset();
  for (unsigned counter = 0; counter < 7; ++counter) {
    for (unsigned bit = 0; bit <= 32; ++bit) {
      const auto start = static_cast<std::uint32_t>((std::uint64_t{1} << bit) - 1);
      auto& root = *rtl->rootp;
      root.profiler__DOT__loads_q = root.profiler__DOT__stores_q = root.profiler__DOT__specs_q =
          start;
      for (unsigned i = 0; i < 4; ++i) root.profiler__DOT__rsp_count_q[i] = start;
      rtl->load_i = counter == 0;
      rtl->store_i = counter == 1;
      rtl->spec_i = counter == 2;
      rtl->rsp_valid_i = counter > 2;
      rtl->dev_load_i = counter > 2 ? counter - 3 : 0;
      rtl.edge();
      rtl->load_i = rtl->store_i = rtl->spec_i = rtl->rsp_valid_i = 0;
      rtl.edge();
      const std::array<std::uint32_t, 7> now{
          rtl->loads_o,        rtl->stores_o,       rtl->specs_o,       rtl->rsp_count_o[0],
          rtl->rsp_count_o[1], rtl->rsp_count_o[2], rtl->rsp_count_o[3]};
      for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(now[i], start + (i == counter)) << i << " " << bit;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
