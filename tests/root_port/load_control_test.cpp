// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// load_control: the twin in lockstep with the RTL, and its table by hand.
#include "refmodel/root_port/load_control.hpp"

#include "Vload_control.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

TEST(LoadControl, LockstepWithRtl) {
  test::shows("sr", "The RTL's load control is in the state of its twin in every cycle",
              "docs/blocks.md, load_control");
  Lockstep lockstep("root_port/load_control", 0x10ad);
  Random random(lockstep.seed());
  Clocked<Vload_control> rtl;
  LoadControl twin;
  rtl.reset();
  unsigned bias = 0;
  while (lockstep.next()) {
    if (lockstep.cycle() % 64 == 0) bias = static_cast<unsigned>(random.bits(2));
    LoadControl::In in;
    in.clear = random.percent(3);
    in.rsp_valid = random.percent(60);
    in.dev_load = static_cast<DevLoad>(random.percent(40) ? bias : random.bits(2));
    rtl->clear_i = in.clear;
    rtl->rsp_valid_i = in.rsp_valid;
    rtl->dev_load_i = static_cast<unsigned>(in.dev_load);
    rtl.settle();
    lockstep.check("state_o", rtl->state_o, static_cast<unsigned>(twin.eval(in).state));
    lockstep.check("level_o", rtl->level_o, static_cast<unsigned>(twin.eval(in).level));
    twin.clock(in);
    rtl.edge();
    if (random.below(5000) == 0) {
      rtl.reset();
      twin = LoadControl();
    }
  }
}

TEST(LoadControl, Table) {
  test::shows("sr",
              "Light moves the granularity up one step, optimal leaves it, moderate moves it down "
              "one, severe halts until light",
              "docs/blocks.md, load_control");
  using G = Gran;
  struct Row {
    G now, light, moderate;
  };
  const Row rows[] = {{G::B64, G::B256, G::B64},     {G::B256, G::B512, G::B64},
                      {G::B512, G::B768, G::B256},   {G::B768, G::B1024, G::B512},
                      {G::B1024, G::B1024, G::B768}, {G::Halted, G::B64, G::Halted}};
  for (const Row& row : rows) {
    EXPECT_EQ(next_gran(row.now, DevLoad::Light), row.light);
    EXPECT_EQ(next_gran(row.now, DevLoad::Optimal), row.now);
    EXPECT_EQ(next_gran(row.now, DevLoad::Moderate), row.moderate);
    EXPECT_EQ(next_gran(row.now, DevLoad::Severe), G::Halted);
  }
}

TEST(LoadControl, StartsAt256AndReportsChanges) {
  test::shows("sr", "Speculation starts at 256 B and starts anew when the policy is written",
              "docs/blocks.md, load_control");
  LoadControl control;
  EXPECT_EQ(control.state(), Gran::B256);
  EXPECT_FALSE(control.on_response(DevLoad::Optimal));
  EXPECT_TRUE(control.on_response(DevLoad::Severe));
  EXPECT_FALSE(control.on_response(DevLoad::Moderate));
  EXPECT_TRUE(control.on_response(DevLoad::Light));
  EXPECT_EQ(control.state(), Gran::B64);
  control.clear();
  EXPECT_EQ(control.state(), Gran::B256);
}

}  // namespace
}  // namespace cxlgpu
