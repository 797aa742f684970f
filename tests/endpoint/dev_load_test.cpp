// dev_load: the twin in lockstep with the RTL, and the rule by hand.
#include "refmodel/endpoint/dev_load.hpp"

#include "Vdev_load.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

LoadThresholds random_thresholds(Random& random) {
  LoadThresholds th{};
  for (auto& t : th) t = static_cast<std::uint8_t>(random.bits(random.percent(50) ? 4 : 7));
  return th;
}

// Half of the time on a threshold or beside it.
unsigned random_level(Random& random, const LoadThresholds& th) {
  if (random.percent(50)) return static_cast<unsigned>(random.bits(7));
  return (random.pick(th) + 127u + static_cast<unsigned>(random.below(3))) % 128;
}

TEST(DevLoad, LockstepWithRtl) {
  test::shows("qos", "The RTL reports the DevLoad of its twin in every cycle",
              "docs/blocks.md, dev_load");
  Lockstep lockstep("endpoint/dev_load", 0xd31);
  Random random(lockstep.seed());
  Clocked<Vdev_load> rtl;
  DevLoadMeter twin;
  rtl.reset();
  DevLoadMeter::In in;
  while (lockstep.next()) {
    if (random.percent(2)) {
      in.thresholds = {random_thresholds(random), random_thresholds(random)};
    }
    in.ingress = random_level(random, in.thresholds.ingress);
    in.mshrs = random_level(random, in.thresholds.mshr);
    rtl->ingress_i = in.ingress;
    rtl->mshr_i = in.mshrs;
    for (unsigned i = 0; i < 3; ++i) {
      test::set_bits(rtl->ingress_th_i, 7 * i, 7, in.thresholds.ingress[i]);
      test::set_bits(rtl->mshr_th_i, 7 * i, 7, in.thresholds.mshr[i]);
    }
    rtl.settle();
    lockstep.check("dev_load_o", rtl->dev_load_o, static_cast<unsigned>(twin.eval(in).dev_load));
    twin.clock(in);
    rtl.edge();
  }
}

TEST(DevLoad, CountsThresholdsAndTakesTheLarger) {
  test::shows(
      "qos",
      "DevLoad is the larger of the loads of ingress queue and fills, by thresholds in registers",
      "CXL 2.0, 3.3.2 (QoS telemetry); docs/blocks.md, dev_load");
  const DevLoadThresholds th{{4, 12, 24}, {16, 32, 48}};
  EXPECT_EQ(dev_load(0, 0, th), DevLoad::Light);
  EXPECT_EQ(dev_load(3, 15, th), DevLoad::Light);
  EXPECT_EQ(dev_load(4, 0, th), DevLoad::Optimal);
  EXPECT_EQ(dev_load(11, 16, th), DevLoad::Optimal);
  EXPECT_EQ(dev_load(12, 16, th), DevLoad::Moderate);
  EXPECT_EQ(dev_load(0, 47, th), DevLoad::Moderate);
  EXPECT_EQ(dev_load(0, 48, th), DevLoad::Severe);
  EXPECT_EQ(dev_load(24, 0, th), DevLoad::Severe);
  EXPECT_EQ(dev_load(0, 0, {{0, 9, 9}, {9, 9, 9}}), DevLoad::Optimal);
}

}  // namespace
}  // namespace cxlgpu
