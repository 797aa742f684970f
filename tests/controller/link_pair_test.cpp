// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Two RTL controllers back to back over a faulty link, a few seconds of what `make link-soak` runs
// for long. Assertions of the RTL are compiled in here.
#include "Vlink_pair.h"
#include "tests/common/lockstep.hpp"
#include "tests/controller/link_soak.hpp"

namespace cxlgpu::test {
namespace {

using Model = VerilatedPair<Vlink_pair>;

void soak(const PairOptions& options, const std::vector<SoakPhase>& phases) {
  Model model;
  SoakRun run(model, options);
  run.run(phases);
  for (const std::string& problem : run.pair().problems()) ADD_FAILURE() << problem;
  for (SoakRow& row : run.rows()) {
    // At 1e-4 most of the wire is spent on retries that wait for their timeout.
    EXPECT_GT(row.messages, row.flits[0] / 2000) << "hardly anything got through";
    EXPECT_GE(row.retries, row.bad > 20 ? 1u : 0u);
    std::printf("BER %.0e: %llu flits, %llu messages, %llu bad, %llu retries, %llu timeouts\n",
                row.bit_error, static_cast<unsigned long long>(row.flits[0] + row.flits[1]),
                static_cast<unsigned long long>(row.messages),
                static_cast<unsigned long long>(row.bad),
                static_cast<unsigned long long>(row.retries),
                static_cast<unsigned long long>(row.timeouts));
  }
}

std::uint64_t flits() {
  return from_environment("CXLGPU_FLITS", 100000);
}
std::uint64_t seed(std::uint64_t own) {
  return from_environment("CXLGPU_SEED", own);
}

TEST(LinkPair, Clean) {
  soak({.seed = seed(1)}, {{.rates = {}, .flits = flits()}});
}

TEST(LinkPair, BitErrors) {
  soak({.seed = seed(2)}, {{.rates = {.bit_error = 1e-6}, .flits = flits()},
                           {.rates = {.bit_error = 1e-5}, .flits = flits()},
                           {.rates = {.bit_error = 1e-4}, .flits = flits()}});
}

TEST(LinkPair, DropsAndDuplicates) {
  soak({.seed = seed(3), .flight = 40},
       {{.rates = {.drop = 1e-3, .duplicate = 1e-3}, .flits = flits()}});
}

// The physical layer retrains on its own account, also in the middle of retries.
TEST(LinkPair, Recovery) {
  soak({.seed = seed(4), .recovery_cycles = 50},
       {{.rates = {.recovery = 1e-3}, .flits = flits()},
        {.rates = {.bit_error = 1e-5, .recovery = 1e-3}, .flits = flits()}});
}

TEST(LinkPair, Everything) {
  soak({.seed = seed(5), .flight = 3},
       {{.rates = {.bit_error = 2e-5, .drop = 1e-4, .duplicate = 1e-4, .recovery = 1e-4},
         .flits = flits()}});
}

}  // namespace
}  // namespace cxlgpu::test
