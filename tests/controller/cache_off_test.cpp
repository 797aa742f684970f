// cxl_controller without CXL.cache in lockstep with its twin while its cache ports are wiggled:
// they change nothing, and their outputs are 0.
#include "Vcache_off.h"
#include "tests/controller/mem_traffic.hpp"
#include "tests/controller/rtl_ends.hpp"

namespace cxlgpu::test {
namespace {

using RtlEnds = RtlEndsOf<Vcache_off>;

TEST(CacheOff, Lockstep) {
  Lockstep run("controller/cache_off", 78);
  RtlEnds ends(run, RtlEnds::Source::kTwin);
  LinkHarness h(ends, run);
  h.load = {.nd = {60, 60}, .wd = {40, 40}, .link_stall = {20, 20}, .rx_stall = {20, 20}};
  h.load.flit_error_ppm = 1000;
  h.steps(from_environment("CXLGPU_CYCLES", 100000));
  EXPECT_TRUE(h.initialised());
  EXPECT_GT(h.delivered(), run.cycle() / 10);
}

}  // namespace
}  // namespace cxlgpu::test
