// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A top with a context of its own goes by what is said for all (tests/common/verilated_main.cpp):
// the values of state without reset, and whether the RTL's assertions are on.
#include <gtest/gtest.h>

#include "tb/coverage.hpp"

namespace cxlgpu {
namespace {

TEST(OwnContext, GoesByTheDefaultContext) {
  VerilatedContext& all = *Verilated::defaultContextp();
  for (const bool on : {false, true}) {
    all.assertOn(on);
    all.randReset(on ? 2 : 0);
    all.randSeed(on ? 7 : 8);
    OwnContext own;
    EXPECT_EQ(own.assertOn(), on);
    EXPECT_EQ(own.randReset(), all.randReset());
    EXPECT_EQ(own.randSeed(), all.randSeed());
  }
}

}  // namespace
}  // namespace cxlgpu
