// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// One copy engine: set-up and bytes, one after the other, what a destination holds, a lost link.
#include "sim/multipath/copy_engine.hpp"

#include <gtest/gtest.h>

#include "tests/sim/multipath/copy_rig.hpp"

namespace cxlgpu {
namespace {

struct CopyEngineTest : ::testing::Test {
  MultipathConfig config = round_machine(2);
  CopyHost host{config};
  CopyEngine engine{host, Time{3 * kPsPerUs}};
  Topology::Route route = host.topology().host(CopyDirection::ToGpu, 0, 0);
  std::vector<std::pair<std::uint64_t, bool>> ends;  // us, copied

  void submit(const std::vector<std::uint8_t>& from, std::vector<std::uint8_t>& to,
              CopyEngine& by) {
    by.submit({route, from, to,
               [this](bool copied) { ends.emplace_back(host.now().ps / kPsPerUs, copied); }});
  }
  void to(std::uint64_t us) { host.advance(Time{us * kPsPerUs}); }
};

TEST_F(CopyEngineTest, OneAfterTheOtherEachWithItsSetUp) {
  std::vector<std::uint8_t> from(100'000, 7), to1(100'000, 1), to2(100'000, 1);
  submit(from, to1, engine);
  submit(from, to2, engine);
  to(4);
  EXPECT_NE(to1[50'000], 1);  // it runs: neither what was there nor what comes
  EXPECT_NE(to1[50'000], 7);
  EXPECT_EQ(to2[50'000], 1);
  to(100);
  EXPECT_EQ(ends, (std::vector<std::pair<std::uint64_t, bool>>{{5, true}, {10, true}}));
  EXPECT_EQ(to1, from);
  EXPECT_EQ(to2, from);
}

// A set-up of one program does not keep the other's bytes, but the link is shared.
TEST_F(CopyEngineTest, EnginesOfTwoProgramsShareTheLink) {
  CopyEngine other(host, Time{3 * kPsPerUs});
  std::vector<std::uint8_t> from(100'000, 7), to1(100'000), to2(100'000);
  submit(from, to1, engine);
  submit(from, to2, other);
  to(100);
  EXPECT_EQ(ends, (std::vector<std::pair<std::uint64_t, bool>>{{7, true}, {7, true}}));
}

TEST_F(CopyEngineTest, ALostLinkEndsWhatRunsAndWhatComes) {
  std::vector<std::uint8_t> from(100'000, 7), to1(100'000), to2(100'000), to3(100'000);
  submit(from, to1, engine);
  submit(from, to2, engine);
  host.after(Time{4 * kPsPerUs}, [&] { engine.fail(); });
  host.after(Time{6 * kPsPerUs}, [&] { submit(from, to3, engine); });
  to(100);
  ASSERT_EQ(ends.size(), 3U);
  for (const auto& [at, copied] : ends) EXPECT_FALSE(copied);
  EXPECT_EQ(ends[0].first, 4U);
  EXPECT_EQ(ends[1].first, 4U);
  EXPECT_EQ(ends[2].first, 6U);
  EXPECT_NE(to1, from);
  EXPECT_EQ(host.next_event(), Time::never());
}

}  // namespace
}  // namespace cxlgpu
