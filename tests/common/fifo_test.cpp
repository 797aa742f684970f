// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// common/fifo in lockstep with a queue (its twin is std::deque: nothing shorter would say more).
#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "Vfifo.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu::test {
namespace {

// One of the FIFOs of fifo_tb.sv; the others get nothing meanwhile.
void lockstep_at(std::size_t depth) {
  SCOPED_TRACE("Depth " + std::to_string(depth));
  const std::size_t lane = std::min<std::size_t>(depth - 1, 5);
  PairBins pairs(coverage::queue_pairs());
  Lockstep run("common/fifo", 9);
  Random random(run.seed());
  Clocked<Vfifo> rtl;
  std::deque<std::uint64_t> twin;
  rtl.reset();
  unsigned push_percent = 50, pop_percent = 50;
  while (run.next()) {
    if (run.cycle() % 64 == 0) {
      push_percent = random.pick(std::array{0u, 30u, 70u, 100u});
      pop_percent = random.pick(std::array{0u, 30u, 70u, 100u});
    }
    const bool in_valid = random.percent(push_percent);
    const bool out_ready = random.percent(pop_percent);
    const std::uint64_t data = random.bits(8);
    set_bits(rtl->in_valid_i, lane, 1, in_valid);
    set_bits(rtl->in_data_i, 8 * lane, 8, data);
    set_bits(rtl->out_ready_i, lane, 1, out_ready);
    rtl.settle();
    const bool in_ready = twin.size() < depth;
    const bool out_valid = !twin.empty();
    run.check("in_ready_o", get_bits(rtl->in_ready_o, lane, 1), in_ready);
    run.check("out_valid_o", get_bits(rtl->out_valid_o, lane, 1), out_valid);
    run.check("count_o", get_bits(rtl->count_o, 6 * lane, 6), twin.size());
    if (out_valid) run.check("out_data_o", get_bits(rtl->out_data_o, 8 * lane, 8), twin.front());
    using enum coverage::QueueState;
    pairs.look(!out_valid ? FifoEmpty
               : in_ready ? FifoSome
                          : FifoFull,
               {in_valid, false, false, out_ready, false, false});
    rtl.edge();
    if (out_valid && out_ready) twin.pop_front();
    if (in_valid && in_ready) twin.push_back(data);
    if (random.below(1000) == 0) {
      rtl.reset();
      twin.clear();
    }
  }
}

TEST(Fifo, Lockstep) {
  for (const std::size_t depth : {1u, 2u, 3u, 4u, 5u, 32u}) lockstep_at(depth);
}

}  // namespace
}  // namespace cxlgpu::test
