// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// dev_load: the twin in lockstep with the RTL, and the rule by hand.
#include "refmodel/endpoint/dev_load.hpp"

#include "Vdev_load.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"
#include "tests/endpoint/load_types.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr auto kTasks = static_cast<std::size_t>(LoadSource::Tasks);

std::uint8_t seven_bits(Random& random) {
  return static_cast<std::uint8_t>(random.bits(random.percent(50) ? 4 : 7));
}

LoadMeasure random_measure(Random& random) {
  LoadMeasure m;
  for (auto& t : m.thresholds) t = seven_bits(random);
  if (random.percent(80)) m.margin = seven_bits(random);  // up to beyond every value
  return m;
}

LoadSettings random_control(Random& random) {
  LoadSettings control;
  for (auto& m : control.measure) m = random_measure(random);
  control.measure[kTasks].margin = 0;
  control.throughput_reduction = random.percent(70);
  control.egress_enable = random.percent(80);
  control.egress_moderate = static_cast<std::uint8_t>(random.below(101));
  control.egress_severe = static_cast<std::uint8_t>(random.below(128));
  control.interval = random.pick(std::array<std::uint8_t, 6>{0, 1, 1, 2, 8, 31});
  return control;
}

// Most of the time on a threshold or beside it, or where a margin ends.
unsigned random_value(Random& random, const LoadMeasure& m, unsigned width) {
  const unsigned limit = 1u << width;
  if (random.percent(30)) return static_cast<unsigned>(random.bits(width));
  unsigned value = random.pick(m.thresholds) + limit + static_cast<unsigned>(random.below(3)) - 1;
  if (random.percent(50)) value -= m.margin;
  return value % limit;
}

TEST(DevLoad, LockstepWithRtl) {
  test::shows("qos", "The RTL reports the DevLoad of its twin in every cycle",
              "docs/blocks/endpoint/dev_load.md");
  Lockstep lockstep("endpoint/dev_load", 0xd31);
  Random random(lockstep.seed());
  Clocked<Vdev_load> rtl;
  DevLoadMeter twin;
  rtl.reset();
  DevLoadMeter::In in;
  unsigned stalls = 0, changes = 2;  // percent, and of 1000 cycles
  std::array<std::array<std::uint64_t, 4>, kLoadSources + 1> seen{};
  std::uint64_t held = 0;
  unsigned most = 0;
  while (lockstep.next()) {
    if (random.below(1000) < changes) {
      in.control = random_control(random);
      stalls = static_cast<unsigned>(random.pick(std::array{0, 1, 10, 30, 60, 100}));
      changes = static_cast<unsigned>(random.pick(std::array{1, 2, 20, 200}));
    }
    in.ingress = random_value(random, in.control.measure[0], 8);
    in.mshrs = random_value(random, in.control.measure[1], 8);
    in.media.backlog = static_cast<std::uint8_t>(random_value(random, in.control.measure[2], 7));
    in.media.tasks = static_cast<std::uint8_t>(random_value(random, in.control.measure[3], 7));
    in.stalled = random.percent(stalls);
    rtl->ingress_i = in.ingress;
    rtl->mshr_i = in.mshrs;
    rtl->media_i = test::media_status_bits(in.media);
    rtl->stalled_i = in.stalled;
    test::set_load_control(rtl->control_i, in.control);
    rtl.settle();
    const DevLoadMeter::Out out = twin.eval(in);
    lockstep.check("dev_load_o", rtl->dev_load_o, static_cast<unsigned>(out.dev_load));
    lockstep.check("status_o", rtl->status_o, test::load_status_bits(out.status));
    for (std::size_t m = 0; m < kLoadSources; ++m) ++seen[m][out.status.level[m]];
    ++seen[kLoadSources][out.status.egress];
    most = std::max<unsigned>(most, out.status.backpressure);
    const std::array<unsigned, 3> values = {in.ingress, in.mshrs, in.media.backlog};
    twin.clock(in);
    for (std::size_t m = 0; m < values.size(); ++m) {
      const unsigned up =
          thresholds_reached(std::min(values[m], 127u), in.control.measure[m].thresholds);
      held += twin.status(in.control).level[m] > up;
    }
    rtl.edge();
    if (random.below(20000) == 0) {
      twin = DevLoadMeter();
      rtl.reset();
    }
  }
  if (lockstep.cycle() > 100000) {
    for (std::size_t m = 0; m <= kLoadSources; ++m) {
      for (std::size_t level = 0; level < 4; ++level) {
        if (m == kLoadSources && level == 1) continue;  // egress has no such level
        EXPECT_GT(seen[m][level], 500u) << "measure " << m << " level " << level;
      }
    }
    EXPECT_EQ(seen[kLoadSources][1], 0u);
    EXPECT_GT(held, 10000u) << "no margin holds a level";
    EXPECT_EQ(most, 100u);
  }
}

// The RTL in the place of its twin: what is expected of it below is written by hand.
class RtlMeter {
 public:
  RtlMeter() { rtl_.reset(); }
  void clock(const DevLoadMeter::In& in) {
    rtl_->ingress_i = in.ingress;
    rtl_->mshr_i = in.mshrs;
    rtl_->media_i = test::media_status_bits(in.media);
    rtl_->stalled_i = in.stalled;
    test::set_load_control(rtl_->control_i, in.control);
    rtl_.settle();
    rtl_.edge();
  }
  // Of the registers, with today's control.
  DevLoadMeter::Out eval(const DevLoadMeter::In& in) {
    test::set_load_control(rtl_->control_i, in.control);
    rtl_.settle();
    DevLoadMeter::Out out;
    out.dev_load = static_cast<DevLoad>(rtl_->dev_load_o);
    out.status.backpressure = static_cast<std::uint8_t>(test::get_bits(rtl_->status_o, 0, 7));
    return out;
  }

 private:
  Clocked<Vdev_load> rtl_;
};

// One measure, the others out of the way.
class OneMeasure {
 public:
  explicit OneMeasure(LoadSource which, const LoadMeasure& m) : which_(which) {
    for (auto& other : in_.control.measure) other.thresholds = {127, 127, 127};
    in_.control.measure[static_cast<std::size_t>(which)] = m;
    in_.control.throughput_reduction = true;
  }
  DevLoad after(unsigned value) {
    const auto small = static_cast<std::uint8_t>(value);
    switch (which_) {
      case LoadSource::Ingress:
        in_.ingress = value;
        break;
      case LoadSource::Mshr:
        in_.mshrs = value;
        break;
      case LoadSource::Backlog:
        in_.media.backlog = small;
        break;
      case LoadSource::Tasks:
        in_.media.tasks = small;
        break;
    }
    meter_.clock(in_);
    return meter_.eval(in_).dev_load;
  }
  DevLoadMeter::In in_;

 private:
  LoadSource which_;
  RtlMeter meter_;
};

TEST(DevLoad, CountsThresholdsOfEachMeasure) {
  test::shows(
      "qos",
      "DevLoad is the largest of the loads of ingress queue, fills and media, by thresholds "
      "in registers",
      "CXL 2.0, 3.3.2 (QoS telemetry); docs/blocks/endpoint/dev_load.md");
  for (const LoadSource which :
       {LoadSource::Ingress, LoadSource::Mshr, LoadSource::Backlog, LoadSource::Tasks}) {
    OneMeasure one(which, {{4, 12, 24}, 0});
    EXPECT_EQ(one.after(3), DevLoad::Light);
    EXPECT_EQ(one.after(4), DevLoad::Optimal);
    EXPECT_EQ(one.after(11), DevLoad::Optimal);
    EXPECT_EQ(one.after(24), DevLoad::Severe);  // at once
    EXPECT_EQ(one.after(23), DevLoad::Moderate);
    EXPECT_EQ(one.after(0), DevLoad::Light);
  }
  OneMeasure odd(LoadSource::Ingress, {{0, 9, 9}, 0});
  EXPECT_EQ(odd.after(0), DevLoad::Optimal);
  OneMeasure many(LoadSource::Mshr, {{1, 2, 127}, 0});
  EXPECT_EQ(many.after(128), DevLoad::Severe);  // as 127
}

TEST(DevLoad, FallsOnlyBelowTheMargin) {
  test::shows("qos", "DevLoad falls only when a measure is more than a margin under its threshold",
              "docs/blocks/endpoint/dev_load.md");
  OneMeasure one(LoadSource::Backlog, {{4, 12, 24}, 3});
  EXPECT_EQ(one.after(23), DevLoad::Moderate);  // no margin on the way up
  EXPECT_EQ(one.after(24), DevLoad::Severe);
  EXPECT_EQ(one.after(21), DevLoad::Severe);
  EXPECT_EQ(one.after(20), DevLoad::Moderate);
  EXPECT_EQ(one.after(23), DevLoad::Moderate);
  EXPECT_EQ(one.after(9), DevLoad::Moderate);
  EXPECT_EQ(one.after(8), DevLoad::Optimal);
  EXPECT_EQ(one.after(1), DevLoad::Optimal);
  EXPECT_EQ(one.after(0), DevLoad::Light);
  EXPECT_EQ(one.after(3), DevLoad::Light);
  EXPECT_EQ(one.after(30), DevLoad::Severe);
  EXPECT_EQ(one.after(0), DevLoad::Light);  // all levels in one cycle
}

TEST(DevLoad, MarginsBeyondEveryValueKeepTheLevel) {
  OneMeasure one(LoadSource::Ingress, {{100, 120, 127}, 127});
  EXPECT_EQ(one.after(99), DevLoad::Light);
  EXPECT_EQ(one.after(127), DevLoad::Severe);
  EXPECT_EQ(one.after(0), DevLoad::Severe);
  one.in_.control.measure[0].margin = 120;  // 120 + 127 would be more than seven bits hold
  EXPECT_EQ(one.after(127), DevLoad::Severe);
  EXPECT_EQ(one.after(7), DevLoad::Severe);
  EXPECT_EQ(one.after(6), DevLoad::Moderate);
}

TEST(DevLoad, TasksCountOnlyIfThroughputReductionIsOn) {
  test::shows("qos", "DevLoad announces a temporary throughput reduction if that is enabled",
              "CXL 2.0, 3.3.2 (temporary throughput reduction); docs/blocks/endpoint/dev_load.md");
  OneMeasure one(LoadSource::Tasks, {{1, 2, 3}, 0});
  EXPECT_EQ(one.after(3), DevLoad::Severe);
  one.in_.control.throughput_reduction = false;
  EXPECT_EQ(one.after(3), DevLoad::Light);
}

LoadSettings egress_only(std::uint8_t interval) {
  LoadSettings control;
  for (auto& m : control.measure) m.thresholds = {127, 127, 127};
  control.egress_enable = true;
  control.egress_moderate = 10;
  control.egress_severe = 25;
  control.interval = interval;
  return control;
}

TEST(DevLoad, EgressCongestionIsTheShareOfSamples) {
  test::shows("qos", "DevLoad reports egress port congestion by per cent of the last samples",
              "CXL 2.0, 3.3.4 (egress port congestion); docs/blocks/endpoint/dev_load.md");
  RtlMeter meter;
  DevLoadMeter::In in;
  in.control = egress_only(1);
  const auto run = [&](unsigned cycles, bool stalled) {
    in.stalled = stalled;
    for (unsigned i = 0; i < cycles; ++i) meter.clock(in);
    return meter.eval(in);
  };
  EXPECT_EQ(run(9, true).dev_load, DevLoad::Light);
  EXPECT_EQ(run(1, true).dev_load, DevLoad::Moderate);
  EXPECT_EQ(run(14, true).dev_load, DevLoad::Moderate);
  EXPECT_EQ(run(1, true).dev_load, DevLoad::Severe);
  EXPECT_EQ(run(75, false).status.backpressure, 25u);
  EXPECT_EQ(run(1, false).dev_load, DevLoad::Moderate);  // the first sample has left
  EXPECT_EQ(run(14, false).status.backpressure, 10u);
  EXPECT_EQ(run(1, false).dev_load, DevLoad::Light);
  EXPECT_EQ(run(9, false).status.backpressure, 0u);
  EXPECT_EQ(run(100, true).status.backpressure, 100u);
  in.control.egress_enable = false;
  EXPECT_EQ(run(1, true).status.backpressure, 0u);
}

TEST(DevLoad, EgressSamplesAreAnIntervalApart) {
  for (const unsigned interval : {0u, 1u, 2u, 8u, 31u}) {
    RtlMeter meter;
    DevLoadMeter::In in;
    in.control = egress_only(static_cast<std::uint8_t>(interval));
    in.stalled = true;
    const unsigned cycles = 50 * interval + 1;
    for (unsigned i = 0; i < cycles; ++i) meter.clock(in);
    EXPECT_EQ(meter.eval(in).status.backpressure, interval == 0 ? 0u : 51u) << interval;
  }
}

TEST(DevLoad, ThresholdsOfZeroNeedASample) {
  RtlMeter meter;
  DevLoadMeter::In in;
  in.control = egress_only(4);
  in.control.egress_moderate = in.control.egress_severe = 0;
  meter.clock(in);
  EXPECT_EQ(meter.eval(in).dev_load, DevLoad::Light);
  in.stalled = true;
  meter.clock(in);
  EXPECT_EQ(meter.eval(in).dev_load, DevLoad::Severe);
}

// The RTL alone, by hand: the levels of two receive FIFOs come to more than 127.
TEST(DevLoad, ALongIngressIsNoShortOne) {
  Clocked<Vdev_load> rtl;
  rtl.reset();
  LoadSettings control;
  for (auto& m : control.measure) m.thresholds = {127, 127, 127};
  control.measure[0].thresholds = {4, 12, 126};
  test::set_load_control(rtl->control_i, control);
  const auto load = [&rtl](unsigned ingress) {
    rtl->ingress_i = ingress;
    rtl.edge();
    return static_cast<unsigned>(rtl->dev_load_o);
  };
  EXPECT_EQ(load(125), 2u);
  for (const unsigned ingress : {126u, 127u, 128u, 129u, 190u, 253u, 254u}) {
    EXPECT_EQ(load(3), 0u);
    EXPECT_EQ(load(ingress), 3u) << ingress;
  }
}

// What the event-driven model does between two ticks gives the registers of clocking every cycle.
TEST(DevLoad, SkippedCyclesChangeNothing) {
  Random random(0x51c);
  for (unsigned round = 0; round < 20000; ++round) {
    DevLoadMeter every, skipping;
    DevLoadMeter::In in;
    in.control = random_control(random);
    for (unsigned run = 0; run < 4; ++run) {
      in.ingress = random_value(random, in.control.measure[0], 5);
      in.mshrs = random_value(random, in.control.measure[1], 7);
      in.media.backlog = static_cast<std::uint8_t>(random_value(random, in.control.measure[2], 7));
      in.stalled = random.percent(50);
      every.clock(in);
      skipping.clock(in);
      in.stalled = false;
      in.ingress = random_value(random, in.control.measure[0], 5);  // after what the tick took
      const auto length =
          static_cast<unsigned>(random.percent(10) ? random.below(5000) : random.below(40));
      for (unsigned c = 0; c < length; ++c) {
        in.ingress += random.percent(20);
        in.media.backlog -= in.media.backlog > 0 && random.percent(20);
        in.media.tasks = seven_bits(random);
        every.clock(in);
        if (c == 0 || c + 1 == length) {
          skipping.clock_levels(in.ingress, in.mshrs, in.media, in.control);
        }
      }
      skipping.egress().pass(length, in.control);
      ASSERT_EQ(every.status(in.control), skipping.status(in.control)) << round;
    }
  }
}

}  // namespace
}  // namespace cxlgpu
