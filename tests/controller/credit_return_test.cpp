// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// credit_return in lockstep with its twin: start, freed (0 to 2) and sent in every combination.
#include "refmodel/controller/credit_return.hpp"

#include "Vcredit_return.h"
#include "tests/common/requirement.hpp"
#include "tests/controller/ports.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu::test {
namespace {

TEST(CreditReturn, Lockstep) {
  test::shows("link", "Every freed entry is returned as a credit exactly once",
              "docs/blocks/controller/credit_return.md");
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
                        .held = random.pick(std::array{0u, 0u, 1u, 31u, 32u}),
                        .freed = random.pick(std::array{0u, 0u, 1u, 1u, 2u}),
                        .sent = random.percent(sent_percent)};
    rtl->start_i = in.start;
    rtl->held_i = in.held;
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

// What software holds back is not handed out when a link starts, and at no other time (CXL 2.0,
// 8.2.5.11.3).
TEST(CreditReturn, HeldAtTheStartAlone) {
  Clocked<Vcredit_return> rtl;
  rtl.reset();
  for (unsigned held = 0; held <= 32; ++held) {
    rtl->held_i = held;
    rtl->start_i = 1;
    rtl.settle();
    rtl.edge();
    rtl->start_i = 0;
    rtl->freed_i = 1;
    rtl.settle();
    ASSERT_EQ(rtl->pending_o, 32 - held);
    rtl.edge();
    rtl->freed_i = 0;
    rtl.settle();
    ASSERT_EQ(rtl->pending_o, 33 - held);
  }
}

// The code offered is the largest that is pending; what is freed in the cycle in which it leaves is
// not lost, and nothing is counted above 1023. The RTL starts with 32.
TEST(CreditReturn, FreedMeetsReturned) {
  PairBins pairs(coverage::credit_return_pairs());
  Clocked<Vcredit_return> rtl;
  rtl.reset();
  const auto cycle = [&](bool start, unsigned freed, bool sent) {
    rtl->start_i = start;
    rtl->freed_i = freed;
    rtl->sent_i = sent;
    rtl.settle();
    rtl.edge();
    rtl->sent_i = 0;
    rtl.settle();
  };
  for (unsigned pending = 0; pending < 1024; pending += pending < 70 || pending >= 950 ? 1 : 53) {
    for (unsigned freed = 0; freed < 3; ++freed) {
      for (const bool sent : {false, true}) {
        for (const bool start : {false, true}) {
          cycle(true, 0, false);
          if (pending < 32) cycle(false, 0, true);  // all 32 leave
          for (unsigned n = pending < 32 ? 0 : 32; n < pending; n += n + 1 < pending ? 2 : 1) {
            cycle(false, n + 1 < pending ? 2 : 1, false);
          }
          ASSERT_EQ(rtl->pending_o, pending);
          unsigned code = 0, count = 0;  // 1, 2, 4, .. 64
          for (unsigned c = 1; c < 8 && 1u << (c - 1) <= pending; ++c)
            code = c, count = 1u << (c - 1);
          ASSERT_EQ(rtl->code_o, code) << pending;
          const auto level = pending == 0      ? coverage::CountLevel::None
                             : pending == 1    ? coverage::CountLevel::One
                             : pending == 1023 ? coverage::CountLevel::Most
                                               : coverage::CountLevel::Some;
          pairs.look(level, {freed == 1, freed == 2, sent, start});
          cycle(start, freed, sent);
          const unsigned sum = pending + freed - (sent ? count : 0);
          ASSERT_EQ(rtl->pending_o, start ? 32 : std::min(sum, 1023u))
              << pending << " freed " << freed << " sent " << sent;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
