// cxl_controller, host and device, against its twin.
#include "tests/controller/rtl_ends.hpp"

namespace cxlgpu::test {
namespace {

using Source = RtlEnds::Source;

// Random traffic, stalls, latencies and errors; a new mix every few thousand cycles.
void random_mix(LinkHarness& h, Random& random, unsigned worst_ppm) {
  const auto percent = [&random] { return random.pick(std::array{0u, 5u, 30u, 100u}); };
  h.load.nd = {percent(), percent()};
  h.load.wd = {percent(), percent()};
  h.load.partial = percent();
  h.load.link_stall = {random.pick(std::array{0u, 0u, 30u, 53u}),
                       random.pick(std::array{0u, 0u, 53u})};
  h.load.rx_stall = {random.pick(std::array{0u, 20u, 95u}), random.pick(std::array{0u, 20u, 95u})};
  h.load.flit_error_ppm = random.pick(std::array{0u, worst_ppm / 10, worst_ppm});
  h.latency = {static_cast<unsigned>(random.below(60)), static_cast<unsigned>(random.below(60))};
}

void lockstep(std::uint64_t seed, unsigned worst_ppm) {
  Lockstep run("controller/cxl_controller", seed);
  RtlEnds ends(run, Source::kTwin);
  LinkHarness h(ends, run);
  Random random(run.seed() + 1);
  while (h.ok() && run.cycle() < from_environment("CXLGPU_CYCLES", 60000)) {
    random_mix(h, random, worst_ppm);
    h.mdh_disable = {false, random.percent(30)};
    h.steps(500 + random.below(3000));
  }
  EXPECT_TRUE(h.initialised());
}

TEST(CxlController, LockstepClean) {
  lockstep(11, 0);
}
TEST(CxlController, LockstepNoisy) {
  lockstep(12, 2000);
}
TEST(CxlController, LockstepVeryNoisy) {
  lockstep(13, 50000);
}

}  // namespace
}  // namespace cxlgpu::test
