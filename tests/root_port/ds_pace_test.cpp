// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// ds_pace: the twin in lockstep with the RTL, and the RTL by hand against the rules of the page.
#include "refmodel/root_port/ds_pace.hpp"

#include "Vds_pace.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_ds.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

TEST(DsPace, LockstepWithRtl) {
  test::shows("ds", "The RTL's pace releases deferred stores in the cycles in which its twin does",
              "docs/blocks/root_port/ds_pace.md");
  Lockstep lockstep("root_port/ds_pace", 0xdbace);
  Random random(lockstep.seed());
  Clocked<Vds_pace> rtl;
  DsPace twin;
  rtl.reset();
  DsPace::In in;
  unsigned longest = 4, percent_sent = 5, percent_rsp = 3, percent_light = 0;
  std::uint64_t seen[2][2] = {};  // direct, flush
  std::uint64_t turns[2] = {};    // of the end that goes first: to the newest, to the oldest
  bool oldest = false;
  test::TestCoverage pairs(coverage::ds_pace_pairs());
  while (lockstep.next()) {
    if (lockstep.cycle() % 1000 == 0) {
      longest = static_cast<unsigned>(random.pick(std::array{2u, 5u, 8u, 15u}));
      percent_sent = static_cast<unsigned>(random.pick(std::array{0u, 1u, 10u, 60u}));
    }
    if (lockstep.cycle() % 1000 == 500) {
      percent_rsp = random.pick(std::array{3u, 3u, 30u, 90u});
      percent_light = random.pick(std::array{0u, 0u, 97u, 100u});
    }
    const bool often = percent_rsp > 3;
    in.rsp_valid = random.percent(percent_rsp);
    in.dev_load = static_cast<DevLoad>(random.percent(percent_light) ? 0 : random.bits(2));
    // Every longer pause comes to its end at times.
    in.sent = longest == 15 ? random.below(40'000) == 0 : random.percent(percent_sent);
    const auto before = in.interval;
    if (random.percent(often ? 20 : 1)) {
      for (auto& interval : in.interval) {
        interval = static_cast<std::uint8_t>(random.below(longest + 1));
      }
    }
    rtl->rsp_valid_i = in.rsp_valid;
    rtl->dev_load_i = static_cast<unsigned>(in.dev_load);
    rtl->sent_i = in.sent;
    rtl->interval_i = static_cast<std::uint16_t>(in.interval[0] | in.interval[1] << 4 |
                                                 in.interval[2] << 8 | in.interval[3] << 12);
    rtl.settle();
    const DsPace::Out out = twin.eval(in);
    lockstep.check("direct_o", rtl->direct_o, out.direct);
    lockstep.check("flush_o", rtl->flush_o, out.flush);
    lockstep.check("oldest_o", rtl->oldest_o, out.oldest);
    ++seen[out.direct][out.flush];
    turns[out.oldest] += out.oldest != oldest;
    oldest = out.oldest;
    pairs.hit({in.rsp_valid ? 1u + static_cast<unsigned>(in.dev_load) : 0u, in.sent,
               in.interval != before, out.direct, out.flush});
    twin.clock(in);
    rtl.edge();
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = DsPace();
    }
  }
  if (lockstep.cycle() > 100'000) {
    for (const auto& row : seen) {
      for (const std::uint64_t n : row) EXPECT_GT(n, 5000u);
    }
    for (const std::uint64_t n : turns) EXPECT_GT(n, lockstep.cycle() / 2000);
  }
}

// The longest pauses, and the counter's end, cycle by cycle.
TEST(DsPace, LongPausesWithRtl) {
  Lockstep lockstep("root_port/ds_pace", 0);
  Clocked<Vds_pace> rtl;
  DsPace twin;
  rtl.reset();
  DsPace::In in;
  in.interval = {15, 14, 13, 12};
  rtl->interval_i = 0xcdef;
  for (std::uint64_t n = 0; n < 140'000 && lockstep.next(); ++n) {
    in.sent = n == 0 || n == 70'000;
    rtl->sent_i = in.sent;
    in.rsp_valid = n % 3 == 0 && n > 72'000;  // each level in turn
    in.dev_load = static_cast<DevLoad>(n / 3 % 4);
    rtl->rsp_valid_i = in.rsp_valid;
    rtl->dev_load_i = static_cast<unsigned>(in.dev_load);
    rtl.settle();
    lockstep.check("flush_o", rtl->flush_o, twin.eval(in).flush);
    if (n == 32'768 || n == 32'769) {  // the longest pause ends in the second
      EXPECT_EQ(twin.eval(in).flush, n == 32'769);
    }
    twin.clock(in);
    rtl.edge();
  }
}

// The RTL by hand; no twin.
class Pace {
 public:
  Pace() { rtl_.reset(); }
  void set_interval(unsigned level, unsigned log2) {
    test::set_bits(rtl_->interval_i, 4 * level, 4, log2);
  }
  void hear(DevLoad load) {
    rtl_->rsp_valid_i = 1;
    rtl_->dev_load_i = static_cast<unsigned>(load);
    clock();
    rtl_->rsp_valid_i = 0;
    rtl_->dev_load_i = 3 - static_cast<unsigned>(load);  // without a response it means nothing
  }
  void hear(DevLoad load, unsigned times) {
    for (unsigned n = 0; n < times; ++n) hear(load);
  }
  void send() {
    rtl_->sent_i = 1;
    clock();
    rtl_->sent_i = 0;
  }
  void clock() {
    rtl_.settle();
    rtl_.edge();
  }
  bool direct() {
    rtl_.settle();
    return rtl_->direct_o != 0;
  }
  bool flush() {
    rtl_.settle();
    return rtl_->flush_o != 0;
  }
  bool oldest() {
    rtl_.settle();
    return rtl_->oldest_o != 0;
  }

 private:
  Clocked<Vds_pace> rtl_;
};

TEST(DsPace, DirectWhileTheEndpointIsAtEase) {
  test::shows("ds",
              "A store goes to the endpoint at once while its load is light or optimal, else it is "
              "deferred",
              "docs/blocks/root_port/ds_pace.md");
  Pace pace;
  EXPECT_TRUE(pace.direct());  // nothing heard yet
  const auto after = [&](DevLoad load) {
    pace.hear(load);
    pace.clock();  // without a response the level stays
    pace.send();
    return pace.direct();
  };
  EXPECT_TRUE(after(DevLoad::Light));
  EXPECT_FALSE(after(DevLoad::Moderate));
  EXPECT_TRUE(after(DevLoad::Optimal));
  EXPECT_FALSE(after(DevLoad::Severe));
  EXPECT_TRUE(after(DevLoad::Light));
}

TEST(DsPace, TheOldestFirstWhileTheEndpointWorks) {
  test::shows("ds",
              "The oldest deferred store goes first if the endpoint's load was above light in one "
              "of the last 64 responses, else the newest",
              "docs/blocks/root_port/ds_pace.md");
  for (const DevLoad load : {DevLoad::Optimal, DevLoad::Moderate, DevLoad::Severe}) {
    SCOPED_TRACE(static_cast<unsigned>(load));
    Pace pace;
    EXPECT_FALSE(pace.oldest());  // none heard yet
    pace.hear(DevLoad::Light, 3);
    EXPECT_FALSE(pace.oldest());
    // Of four responses, then of 64 the first.
    for (unsigned n = 0; n < 2; ++n) {
      pace.hear(load);
      EXPECT_TRUE(pace.oldest());
      pace.hear(DevLoad::Light, 63);
      EXPECT_TRUE(pace.oldest());
    }
    // Neither time nor a write is a response.
    for (unsigned n = 0; n < 1000; ++n) pace.clock();
    pace.send();
    EXPECT_TRUE(pace.oldest());
    pace.hear(DevLoad::Light);
    EXPECT_FALSE(pace.oldest());
    pace.hear(DevLoad::Light, 200);
    EXPECT_FALSE(pace.oldest());
    // Two of them: the later one counts.
    pace.hear(load);
    pace.hear(DevLoad::Light, 30);
    pace.hear(load);
    pace.hear(DevLoad::Light, 63);
    EXPECT_TRUE(pace.oldest());
    pace.hear(DevLoad::Light);
    EXPECT_FALSE(pace.oldest());
  }
}

TEST(DsPace, PausesByLevelAndNeverForEver) {
  test::shows("qos",
              "Deferred stores are sent with a pause that the endpoint's load chooses; every level "
              "releases one in bounded time",
              "docs/blocks/root_port/ds_pace.md");
  for (unsigned level = 0; level < 4; ++level) {
    for (unsigned log2 = 0; log2 < 16; log2 += level == 3 ? 1 : 5) {
      Pace pace;
      // The other levels have another pause.
      for (unsigned other = 0; other < 4; ++other) {
        pace.set_interval(other, other == level ? log2 : (log2 + 7) % 16);
      }
      pace.hear(static_cast<DevLoad>(level));
      EXPECT_TRUE(pace.flush());  // after reset
      pace.send();
      unsigned cycles = 0;
      while (!pace.flush() && cycles < 100'000) {
        pace.clock();
        ++cycles;
      }
      EXPECT_EQ(cycles, log2 == 0 ? 0u : 1u << log2);
      for (unsigned n = 0; n < 70'000; n += 1) pace.clock();  // it does not wrap
      EXPECT_TRUE(pace.flush());
    }
  }
}

}  // namespace
}  // namespace cxlgpu
