// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// credit_tx in lockstep with its twin: grants of every code, use up to what is there, saturation.
#include "refmodel/controller/credit_tx.hpp"

#include "Vcredit_tx.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

TEST(CreditTx, Lockstep) {
  test::shows("link", "Credits are counted as received and spent, never below zero",
              "docs/blocks.md, credit_tx");
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

}  // namespace
}  // namespace cxlgpu::test
