// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// credit_tx in lockstep with its twin: grants of every code, use up to what is there, saturation.
#include "refmodel/controller/credit_tx.hpp"

#include "Vcredit_tx.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu::test {
namespace {

TEST(CreditTx, Lockstep) {
  test::shows("link", "Credits are counted as received and spent, never below zero",
              "docs/blocks/controller/credit_tx.md");
  Lockstep run("controller/credit_tx", 1);
  Random random(run.seed());
  Clocked<Vcredit_tx> rtl;
  CreditTx twin;
  rtl.reset();
  unsigned grant_percent = 50;
  while (run.next()) {
    if (run.cycle() % 500 == 0) grant_percent = random.pick(std::array{0u, 5u, 50u, 100u});
    const unsigned avail = twin.eval().avail;
    CreditTx::In in{.start = random.below(5000) == 0,
                    .add_valid = random.percent(grant_percent),
                    .add_code = static_cast<unsigned>(random.bits(3)),
                    .use = std::min(avail, static_cast<unsigned>(random.below(3)))};
    rtl->start_i = in.start;
    rtl->add_valid_i = in.add_valid;
    rtl->add_code_i = in.add_code;
    rtl->use_i = in.use;
    rtl.settle();
    run.check("avail_o", rtl->avail_o, avail);
    rtl.edge();
    twin.clock(in);
    if (random.below(2000) == 0) {
      rtl.reset();
      twin = CreditTx();
    }
  }
}

// Every count that matters, every grant with every use and with a start: counts to their width.
TEST(CreditTx, GrantsMeetUses) {
  PairBins pairs(coverage::credit_tx_pairs());
  constexpr std::array<unsigned, 8> kGrants{0, 1, 2, 4, 8, 16, 32, 64};
  Clocked<Vcredit_tx> rtl;
  rtl.reset();
  const auto cycle = [&](bool start, bool add, unsigned code, unsigned use) {
    rtl->start_i = start;
    rtl->add_valid_i = add;
    rtl->add_code_i = code;
    rtl->use_i = use;
    rtl.edge();
  };
  for (unsigned avail = 0; avail < 1024; avail += avail < 70 || avail >= 950 ? 1 : 37) {
    for (unsigned code = 0; code < 9; ++code) {  // 8: no grant
      for (unsigned use = 0; use <= std::min(avail, 2u); ++use) {
        for (const bool start : {false, true}) {
          cycle(true, false, 0, 0);
          for (unsigned left = avail; left > 0;) {
            unsigned c = 7;
            while (kGrants[c] > left) --c;
            cycle(false, true, c, 0);
            left -= kGrants[c];
          }
          ASSERT_EQ(rtl->avail_o, avail);
          const auto level = avail == 0      ? coverage::CountLevel::None
                             : avail == 1    ? coverage::CountLevel::One
                             : avail == 1023 ? coverage::CountLevel::Most
                                             : coverage::CountLevel::Some;
          pairs.look(level, {code < 8, use == 1, use == 2, start});
          cycle(start, code < 8, code & 7, use);
          const unsigned sum = avail - use + (code < 8 ? kGrants[code] : 0);
          ASSERT_EQ(rtl->avail_o, start ? 0 : std::min(sum, 1023u))
              << avail << " code " << code << " use " << use;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
