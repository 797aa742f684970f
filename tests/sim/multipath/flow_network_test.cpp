// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Shared links: times that can be worked out by hand, and what max-min fair shares always are.
#include "sim/multipath/flow_network.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace cxlgpu {
namespace {

using Link = FlowNetwork::LinkId;
using Flow = FlowNetwork::FlowId;
constexpr double kAll = FlowNetwork::kNoLimit;

// Up to the end of all that ends.
void run(FlowNetwork& network) {
  while (network.next_event() != Time::never()) network.advance(network.next_event());
}

TEST(FlowNetwork, OneFlowTakesItsBytesOverTheRate) {
  FlowNetwork network;
  const Link link = network.add_link(50);
  Time end;
  network.start({link}, 1e6, kAll, [&] { end = network.now(); });
  run(network);
  EXPECT_EQ(end.ps, 20'000'000U);  // 1 MB at 50 bytes a ns
  EXPECT_DOUBLE_EQ(network.carried(link), 1e6);
}

// The second comes when the first has half of its bytes: each has half the link from then on.
TEST(FlowNetwork, TwoShareALinkFromWhenTheSecondComes) {
  FlowNetwork network;
  const Link link = network.add_link(10);
  Time first, second;
  network.start({link}, 2000, kAll, [&] { first = network.now(); });
  EXPECT_EQ(network.next_event().ps, 200'000U);
  network.advance(Time{100'000});
  network.start({link}, 2000, kAll, [&] { second = network.now(); });
  run(network);
  EXPECT_EQ(first.ps, 300'000U);   // 1000 more at 5
  EXPECT_EQ(second.ps, 400'000U);  // 1000 at 5, 1000 at 10
}

// What the narrow link leaves of the wide one, the other has.
TEST(FlowNetwork, WhatOneCannotUseTheOtherHas) {
  FlowNetwork network;
  const Link wide = network.add_link(100), narrow = network.add_link(30);
  const Flow both = network.start({wide, narrow}, 1e6, kAll, [] {});
  const Flow alone = network.start({wide}, 1e6, kAll, [] {});
  EXPECT_DOUBLE_EQ(network.rate(both), 30);
  EXPECT_DOUBLE_EQ(network.rate(alone), 70);
  const Flow modest = network.start({wide}, 1e6, 5, [] {});
  EXPECT_DOUBLE_EQ(network.rate(modest), 5);
  EXPECT_DOUBLE_EQ(network.rate(alone), 65);
  EXPECT_TRUE(network.stop(both));
  EXPECT_FALSE(network.stop(both));
  EXPECT_DOUBLE_EQ(network.rate(alone), 95);
}

TEST(FlowNetwork, AFlowWithoutEndNeverEnds) {
  FlowNetwork network;
  const Link link = network.add_link(10);
  const Flow others = network.start({link}, FlowNetwork::kEndless, kAll, [] { FAIL(); });
  EXPECT_EQ(network.next_event(), Time::never());
  Time end;
  network.start({link}, 1000, kAll, [&] { end = network.now(); });
  run(network);
  EXPECT_EQ(end.ps, 200'000U);
  EXPECT_DOUBLE_EQ(network.moved(others), 1000);
  EXPECT_DOUBLE_EQ(network.rate(others), 10);
}

// Max-min: no link is over its rate, and a flow that could have more is at its own most, or has a
// full link on which nobody has more than it.
TEST(FlowNetwork, SharesAreMaxMinFairAndBytesAreKept) {
  EXPECT_TRUE(rc::check([] {
    FlowNetwork network;
    const auto links = *rc::gen::inRange(1, 7);
    std::vector<double> rates;
    for (int i = 0; i < links; ++i) {
      rates.push_back(*rc::gen::inRange(1, 200));
      network.add_link(rates.back());
    }
    struct Made {
      std::vector<Link> over;
      double bytes, most;
      Flow id;
    };
    std::vector<Made> made;
    const auto flows = *rc::gen::inRange(1, 10);
    std::size_t ended = 0;
    double given = 0;
    for (int i = 0; i < flows; ++i) {
      Made one;
      for (int link = 0; link < links; ++link) {
        if (*rc::gen::arbitrary<bool>()) one.over.push_back(static_cast<Link>(link));
      }
      if (one.over.empty()) one.over.push_back(0);
      one.bytes = *rc::gen::inRange(1, 1'000'000);
      one.most = *rc::gen::arbitrary<bool>() ? *rc::gen::inRange(1, 300) : kAll;
      one.id = network.start(one.over, one.bytes, one.most, [&ended] { ++ended; });
      given += one.bytes * static_cast<double>(one.over.size());
      made.push_back(one);
    }
    std::vector<double> used(links, 0), greatest(links, 0);
    for (const Made& one : made) {
      for (const Link link : one.over) {
        used[link] += network.rate(one.id);
        greatest[link] = std::max(greatest[link], network.rate(one.id));
      }
    }
    constexpr double kNear = 1e-9;
    for (int link = 0; link < links; ++link) RC_ASSERT(used[link] <= rates[link] * (1 + kNear));
    for (const Made& one : made) {
      const double rate = network.rate(one.id);
      RC_ASSERT(rate > 0);
      bool limited = rate >= one.most * (1 - kNear);
      for (const Link link : one.over) {
        limited |= used[link] >= rates[link] * (1 - kNear) && greatest[link] <= rate * (1 + kNear);
      }
      RC_ASSERT(limited);
    }
    run(network);
    RC_ASSERT(ended == made.size());
    double carried = 0;
    for (int link = 0; link < links; ++link) carried += network.carried(static_cast<Link>(link));
    RC_ASSERT(std::abs(carried - given) <= 1e-6 * given);
  }));
}

}  // namespace
}  // namespace cxlgpu
