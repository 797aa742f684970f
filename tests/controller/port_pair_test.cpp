// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two RTL ports (controller and ARB/MUX) back to back over a faulty link, a few seconds of what
// `make link-soak` runs for long. Assertions of the RTL are compiled in here.
#include "Vport_pair.h"
#include "tests/common/lockstep.hpp"
#include "tests/controller/link_soak.hpp"
#include "tests/coverage/functional_gtest.hpp"

namespace cxlgpu::test {
namespace {

using Model = VerilatedPair<Vport_pair>;

std::uint64_t flits() {
  return from_environment("CXLGPU_FLITS", 60000);
}

SoakRow soak(std::uint64_t own_seed, unsigned flight, const std::vector<SoakPhase>& phases) {
  const std::uint64_t seed = from_environment("CXLGPU_SEED", own_seed);
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  TestCoverage faults(coverage::wire_faults());
  Model model;
  SoakRun run(model,
              {.seed = seed,
               .flight = flight,
               .recovery_cycles = 60,
               .replay = fmt::format("CXLGPU_SEED={} CXLGPU_FLITS={} controller_port_pair_test "
                                     "--gtest_filter={}.{}",
                                     seed, flits(), test->test_suite_name(), test->name())});
  if (faults.on()) {
    run.pair().set_on_fault([&faults](auto flit, auto fault, auto moment) {
      faults.hit({static_cast<unsigned>(flit), static_cast<unsigned>(fault),
                  static_cast<unsigned>(moment)});
    });
  }
  run.run(phases);
  for (const std::string& problem : run.pair().problems()) ADD_FAILURE() << problem;
  SoakRow sum;
  for (SoakRow& row : run.rows()) {
    EXPECT_GT(row.messages, row.flits[0] / 2000) << "hardly anything got through";
    sum.add(row);
  }
  fmt::print("{} flits, {} messages, {} of CXL.io, {} retries, {} Recoveries, {} ALMPs, {} cut, ",
             sum.flits[0] + sum.flits[1], sum.messages, sum.ports.io_sent, sum.retries,
             sum.recoveries, sum.ports.almps, sum.cuts);
  fmt::print("{} times in L1\n", sum.ports.naps);
  for (unsigned cause = 0; cause < kCauses; ++cause) {
    fmt::print("  {} {}\n", kCauseNames[cause], sum.ports.causes[cause]);
  }
  return sum;
}

TEST(PortPair, Clean) {
  const SoakRow row = soak(1, 10, {{.rates = {}, .flits = flits()}});
  EXPECT_EQ(row.recoveries, 0u);
  EXPECT_EQ(row.retries, 0u);
}

TEST(PortPair, Naps) {
  const SoakRow row = soak(2, 10, {{.rates = {.nap = 1e-3}, .flits = flits()}});
  EXPECT_GT(row.ports.naps, flits() / 2000);
  EXPECT_GT(row.ports.sleeps, flits() / 10000);
}

// The physical layer and the upper layers ask for Recovery, also in the middle of retries.
TEST(PortPair, Recovery) {
  const SoakRow row = soak(3, 3,
                           {{.rates = {.recovery = 1e-3, .request = 1e-3}, .flits = flits()},
                            {.rates = {.bit_error = 1e-5, .recovery = 1e-3}, .flits = flits()}});
  EXPECT_GT(row.recoveries, flits() / 1000);
}

// After every Recovery the ALMPs run, and a third of them arrives damaged.
TEST(PortPair, CutAlmps) {
  SoakRow row = soak(
      4, 25,
      {{.rates = {.recovery = 5e-4, .swap = 1e-4, .cut = 0.3, .nap = 2e-4}, .flits = flits()}});
  EXPECT_GT(row.cuts, flits() / 1000);
  EXPECT_GT(row.cut_times.size(), 10u);
}

// The first ALMPs of all too, which may reach the device before its own L0.
TEST(PortPair, CutFromTheFirst) {
  std::uint64_t damaged = 0;
  for (std::uint64_t seed = 100; seed < 160; ++seed) {
    const unsigned flight = 2 + static_cast<unsigned>(seed % 5);
    damaged += soak(seed, flight, {{.rates = {.cut = 0.3}, .flits = 200}}).cuts;
  }
  EXPECT_GT(damaged, 60u);
}

TEST(PortPair, Everything) {
  const SoakRow row =
      soak(5, 10,
           {{.rates = {.bit_error = 2e-5,
                       .drop = 1e-4,
                       .duplicate = 1e-4,
                       .recovery = 1e-4,
                       .swap = 1e-4,
                       .cut = 0.1,
                       .request = 1e-4,
                       .nap = 2e-4},
             .flits = flits()},
            {.rates = {.bit_error = 1e-4, .cut = 0.1, .nap = 1e-4}, .flits = flits()}});
  EXPECT_GT(row.ports.io_sent, 1000u);
  EXPECT_GT(row.cuts, 50u);
}

// Faults so frequent that they meet Recoveries, naps and each other.
TEST(PortPair, FaultUponFault) {
  const SoakRow row = soak(
      6, 10,
      {{.rates = {.bit_error = 5e-6,
                  .drop = 1e-2,
                  .duplicate = 1e-2,
                  .recovery = 1e-3,
                  .swap = 1e-3,
                  .cut = 0.02,
                  .request = 1e-3,
                  .nap = 2e-3},
        .flits = flits()},
       {.rates = {.drop = 3e-3, .duplicate = 3e-3, .recovery = 5e-3, .request = 5e-3, .nap = 5e-3},
        .flits = flits()}});
  EXPECT_GT(row.recoveries, flits() / 1000);
  EXPECT_GT(row.ports.naps, 20u);
}

// Wrong protocol IDs while a low power state is requested, of CXL.io too.
TEST(PortPair, WrongIdsUponNaps) {
  const SoakRow row = soak(7, 10, {{.rates = {.swap = 3e-3, .nap = 1e-2}, .flits = flits()}});
  EXPECT_GT(row.recoveries, flits() / 1000);
  EXPECT_GT(row.ports.io_sent, 1000u);
}

}  // namespace
}  // namespace cxlgpu::test
