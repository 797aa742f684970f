// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The hint queue of the event-driven model beside the twin, which is clocked in every cycle: the
// model is asked only in cycles in which something comes, changes or waits, and in those that it
// named before. What it sleeps through must be nothing.
#include "model/hint_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "refmodel/root_port/hint_queue.hpp"
#include "tests/common/lockstep.hpp"

namespace cxlgpu {
namespace {

using test::Random;

unsigned pace(const HintQueue::In& in) {
  return in.interval[static_cast<std::size_t>(in.level)];
}

// Cycle by cycle as root port and host bridge use the model.
class Pair {
 public:
  // The settings of a cycle; as they are written in it, before all else.
  void write(const HintQueue::In& in) {
    if (pace(in) != pace(in_)) model_.pace_changes(pace(in_), now_);
    if (in.enable != in_.enable || in.len_en != in_.len_en || pace(in) != pace(in_)) next_ = now_;
    in_ = in;
  }
  // The rest of the cycle. Whether a granule that came was taken.
  bool step(bool comes, std::uint64_t granule, bool takes) {
    in_.in_valid = comes;
    in_.granule = granule;
    in_.hint_ready = takes;
    const HintQueue::Out out = twin_.eval(in_);
    awake_ = comes || next_ <= now_;
    bool taken = false;
    if (comes) {
      taken = !in_.enable || model_.can_take(granule, in_.len_en, now_);
      EXPECT_EQ(out.in_ready, taken) << "in_ready";
      if (!taken) {
        model_.blocked(now_);
      } else if (in_.enable) {
        model_.come(granule, in_.len_en, now_);
      } else {
        model_.drop_new();
      }
    }
    if (awake_) act(out);
    EXPECT_TRUE(awake_ || !out.hint_valid) << "an offer is slept through";
    if (awake_) plan();
    twin_.clock(in_);
    const HintCounters &a = twin_.eval(in_).counters, &b = model_.counters();
    EXPECT_EQ(a.granules, b.granules) << "granules";
    EXPECT_EQ(a.issued, b.issued) << "issued";
    EXPECT_EQ(a.dropped, b.dropped) << "dropped";
    return taken;
  }
  // Another load from the next cycle on, heard in this one, which is then not slept through.
  void hear(DevLoad level) {
    if (!awake_ || level == in_.level) return;
    const unsigned before = pace(in_);
    in_.level = level;
    model_.pace_changes(before, now_ + kCycle);
    plan();
  }
  void end() { now_ += kCycle; }
  [[nodiscard]] const HintQueue::In& in() const { return in_; }
  [[nodiscard]] bool waits() const { return twin_.eval(in_).hint_valid; }
  [[nodiscard]] bool awake() const { return awake_; }

 private:
  void act(const HintQueue::Out& out) {
    if (!model_.held()) return;
    if (!in_.enable) return model_.drop_held();
    const bool offered = model_.offered(pace(in_), now_);
    EXPECT_EQ(out.hint_valid, offered) << "hint_valid";
    if (!offered) return;
    EXPECT_EQ(out.run.first, model_.run().first) << "first";
    EXPECT_EQ(out.run.len, model_.run().len) << "len";
    if (in_.hint_ready) model_.taken(now_);
  }
  void plan() {
    next_ = model_.held() ? std::max(now_ + kCycle, model_.offer_from(pace(in_))) : Time::never();
  }

  HintQueue twin_;
  HintQueueModel model_;
  HintQueue::In in_;
  Time now_ = kCycle * 1000;
  Time next_ = Time::never();
  bool awake_ = false;
};

TEST(HintQueueModel, BesideTheTwin) {
  const std::uint64_t seed = test::from_environment("CXLGPU_SEED", 0x5c1f);
  Random random(seed);
  Pair pair;
  unsigned comes = 50, takes = 50, jumps = 10, heard = 1, written = 1;  // percent
  bool offered = false;                                                 // a granule
  std::uint64_t granule = 0, slept = 0, stalled_and_heard = 0;
  for (unsigned cycle = 0; cycle < 400'000; ++cycle) {
    ASSERT_FALSE(HasFailure()) << "cycle " << cycle << ", seed " << seed;
    if (cycle % 500 == 0) {
      comes = random.pick(std::array{100u, 50u, 10u, 3u, 1u});
      takes = random.pick(std::array{100u, 100u, 50u, 10u, 2u});
      jumps = random.pick(std::array{0u, 5u, 30u, 100u});
      heard = random.pick(std::array{0u, 2u, 20u});
      written = random.pick(std::array{0u, 0u, 1u, 10u});
    }
    HintQueue::In in = pair.in();
    if (cycle == 0 || random.percent(written)) {
      in.enable = random.percent(85);
      in.len_en = random.percent(75);
      for (std::uint8_t& log2 : in.interval) log2 = static_cast<std::uint8_t>(random.below(10));
    }
    pair.write(in);
    if (!offered && random.percent(comes)) {
      offered = true;
      granule = random.percent(jumps) ? random.bits(12) : granule + 1;
    }
    const bool waits = pair.waits();
    const bool ready = random.percent(takes);
    if (pair.step(offered, granule, ready)) offered = false;
    slept += !pair.awake();
    if (random.percent(heard)) {
      stalled_and_heard += waits && !ready;
      pair.hear(static_cast<DevLoad>(random.bits(2)));
    }
    pair.end();
  }
  EXPECT_GT(slept, 50'000u);
  EXPECT_GT(stalled_and_heard, 1000u);
}

// What is offered stays so until it is taken, however long a pause is requested meanwhile.
TEST(HintQueueModel, AnOfferOutlastsTheLoad) {
  HintQueueModel queue;
  Time now = kCycle * 1000;
  queue.come(3, true, now);
  now += kCycle;
  ASSERT_TRUE(queue.offered(0, now));
  queue.taken(now);
  queue.come(7, true, now + kCycle);
  now += kCycle * 2;
  ASSERT_TRUE(queue.offered(0, now));
  queue.pace_changes(0, now + kCycle);
  EXPECT_LE(queue.offer_from(15), now);
  EXPECT_TRUE(queue.offered(15, now + kCycle));
}

}  // namespace
}  // namespace cxlgpu
