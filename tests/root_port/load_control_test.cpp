// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// load_control: the twin in lockstep with the RTL, and the RTL's table by hand.
#include "refmodel/root_port/load_control.hpp"

#include "Vload_control.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_root_port.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

TEST(LoadControl, LockstepWithRtl) {
  test::shows("sr", "The RTL's load control is in the state of its twin in every cycle",
              "docs/blocks/root_port/load_control.md");
  Lockstep lockstep("root_port/load_control", 0x10ad);
  Random random(lockstep.seed());
  Clocked<Vload_control> rtl;
  LoadControl twin;
  test::TestCoverage pairs(coverage::load_control_pairs());
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
    pairs.hit(
        {in.rsp_valid ? 1u + static_cast<unsigned>(in.dev_load) : 0u, in.clear, rtl->state_o});
    twin.clock(in);
    rtl.edge();
    if (random.below(5000) == 0) {
      rtl.reset();
      twin = LoadControl();
    }
  }
}

// The RTL alone; the numbers are those of the page.
class ByHand : public ::testing::Test {
 protected:
  enum State : unsigned { k64, k256, k512, k768, k1024, kHalted };
  enum Level : unsigned { kLight, kOptimal, kModerate, kSevere };

  ByHand() { rtl.reset(); }
  void respond(Level load, bool clear = false) {
    rtl->rsp_valid_i = 1;
    rtl->dev_load_i = load;
    rtl->clear_i = clear;
    rtl.edge();
    rtl->rsp_valid_i = rtl->clear_i = 0;
    rtl.settle();
  }
  void clear() {
    rtl->clear_i = 1;
    rtl.edge();
    rtl->clear_i = 0;
    rtl.settle();
  }
  void go_to(State state) {
    respond(kSevere);
    for (unsigned i = k64; state != kHalted && i <= static_cast<unsigned>(state); ++i) {
      respond(kLight);
    }
    ASSERT_EQ(rtl->state_o, state);
  }
  Clocked<Vload_control> rtl;
};

TEST_F(ByHand, Table) {
  test::shows("sr",
              "Light moves the granularity up one step, optimal leaves it, moderate moves it down "
              "one, severe halts until light",
              "docs/blocks/root_port/load_control.md");
  struct Row {
    State now, light, moderate;
  };
  constexpr Row kRows[] = {{k64, k256, k64},    {k256, k512, k64},    {k512, k768, k256},
                           {k768, k1024, k512}, {k1024, k1024, k768}, {kHalted, k64, kHalted}};
  for (const Row& row : kRows) {
    const State expected[] = {row.light, row.now, row.moderate, kHalted};
    for (const Level load : {kLight, kOptimal, kModerate, kSevere}) {
      go_to(row.now);
      respond(load);
      EXPECT_EQ(rtl->state_o, expected[load]) << row.now << " " << load;
      EXPECT_EQ(rtl->level_o, load);
      // Without a response it stays, whatever stands on the wires.
      for (unsigned other = 0; other < 4; ++other) {
        rtl->dev_load_i = other;
        rtl.edge();
        EXPECT_EQ(rtl->state_o, expected[load]);
        EXPECT_EQ(rtl->level_o, load);
      }
    }
  }
}

TEST_F(ByHand, StartsAt256) {
  test::shows("sr", "Speculation starts at 256 B, and again at 256 B when the policy is written",
              "docs/blocks/root_port/load_control.md");
  EXPECT_EQ(rtl->state_o, k256);
  EXPECT_EQ(rtl->level_o, kLight);
  for (const State state : {k64, k256, k512, k768, k1024, kHalted}) {
    go_to(state);
    clear();
    EXPECT_EQ(rtl->state_o, k256);
    EXPECT_EQ(rtl->level_o, kLight);
    // A response in the cycle of the write is of before.
    for (const Level load : {kLight, kOptimal, kModerate, kSevere}) {
      go_to(state);
      respond(load, true);
      EXPECT_EQ(rtl->state_o, k256) << state << " " << load;
      EXPECT_EQ(rtl->level_o, kLight);
    }
  }
}

}  // namespace
}  // namespace cxlgpu
