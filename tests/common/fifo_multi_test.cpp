// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// fifo_multi against a queue: up to four words in a cycle, drops without room, clear.
#include <deque>
#include <set>

#include "Vfifo_multi.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kDepth = 7, kIn = 4;

TEST(FifoMulti, Lockstep) {
  PairBins pairs(coverage::queue_pairs());
  Lockstep run("common/fifo_multi", 85);
  Random random(run.seed());
  Clocked<Vfifo_multi> rtl;
  rtl->clear_i = rtl->in_valid_i = rtl->out_ready_i = 0;
  rtl.reset();
  std::deque<std::uint8_t> queue;
  std::set<std::pair<std::size_t, unsigned>> seen;  // level, words offered
  unsigned push = 2, pop = 50;
  while (run.next()) {
    if (run.cycle() % 128 == 0) {
      push = static_cast<unsigned>(random.below(kIn + 1));
      pop = static_cast<unsigned>(random.below(101));
    }
    const auto offered = static_cast<unsigned>(random.below(push + 1));
    std::array<std::uint8_t, kIn> data{};
    for (unsigned i = 0; i < kIn; ++i) {
      data[i] = static_cast<std::uint8_t>(random.bits(8));
      set_bits(rtl->in_data_i, 8 * i, 8, data[i]);
    }
    rtl->in_valid_i = (1u << offered) - 1;
    rtl->out_ready_i = random.percent(pop);
    rtl->clear_i = random.below(100) == 0;
    rtl.settle();
    const std::size_t level = queue.size();
    seen.insert({level, offered});
    using enum coverage::QueueState;
    pairs.look(
        level == 0             ? MultiEmpty
        : level == kDepth      ? MultiFull
        : level + kIn > kDepth ? MultiFewLeft
                               : MultiSome,
        {offered == 1, offered == 2, offered > 2, rtl->out_ready_i != 0, false, rtl->clear_i != 0});
    run.check("count_o", rtl->count_o, level);
    run.check("out_valid_o", rtl->out_valid_o, level > 0);
    if (level > 0) run.check("out_data_o", rtl->out_data_o, queue.front());
    for (unsigned k = 0; k < kIn; ++k) {
      run.check("in_ready_o", get_bits(rtl->in_ready_o, k, 1), level + k < kDepth);
    }
    if (level > 0 && rtl->out_ready_i) queue.pop_front();
    for (unsigned k = 0; k < offered && level + k < kDepth; ++k) queue.push_back(data[k]);
    if (rtl->clear_i) queue.clear();
    rtl.edge();
    if (random.below(1000) == 0) {
      rtl.reset();
      queue.clear();
    }
  }
  if (run.cycle() < 100000) return;
  EXPECT_EQ(seen.size(), (kDepth + 1) * (kIn + 1));
}

}  // namespace
}  // namespace cxlgpu::test
