// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// credit_return in lockstep with its twin: start, freed (0 to 2) and sent in every combination.
#include "refmodel/controller/credit_return.hpp"

#include "Vcredit_return.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"

namespace cxlgpu::test {
namespace {

TEST(CreditReturn, Lockstep) {
  test::shows("link", "Every freed entry is returned as a credit exactly once",
              "docs/blocks.md, credit_return");
  Lockstep run("controller/credit_return", 2);
  Random random(run.seed());
  Clocked<Vcredit_return> rtl;
  CreditReturn twin(32);  // the RTL's default Init
  rtl.reset();
  unsigned sent_percent = 20, most = 0;
  while (run.next()) {
    if (run.cycle() % 3000 == 0) sent_percent = random.pick(std::array{0u, 1u, 5u, 20u, 100u});
    const CreditReturn::Out out = twin.eval();
    CreditReturn::In in{.start = random.below(4000) == 0,
                        .freed = random.pick(std::array{0u, 0u, 1u, 1u, 2u}),
                        .sent = random.percent(sent_percent)};
    rtl->start_i = in.start;
    rtl->freed_i = in.freed;
    rtl->sent_i = in.sent;
    rtl.settle();
    run.check("code_o", rtl->code_o, out.code);
    run.check("pending_o", rtl->pending_o, out.pending);
    most = std::max(most, out.pending);
    rtl.edge();
    twin.clock(in);
    if (random.below(8000) == 0) {
      rtl.reset();
      twin = CreditReturn(32);
    }
  }
  if (run.cycle() > 100000) {
    EXPECT_EQ(most, 1023u);
  }
}

}  // namespace
}  // namespace cxlgpu::test
