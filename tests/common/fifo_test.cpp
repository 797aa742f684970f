// common/fifo in lockstep with a queue (its twin is std::deque: nothing shorter would say more).
#include <deque>

#include "Vfifo.h"
#include "tests/common/lockstep.hpp"

namespace cxlgpu::test {
namespace {

TEST(Fifo, Lockstep) {
  constexpr std::size_t kDepth = 4;  // the RTL's defaults: 4 entries of 8 bits
  Lockstep run("common/fifo", 9);
  Random random(run.seed());
  Clocked<Vfifo> rtl;
  std::deque<std::uint8_t> twin;
  rtl.reset();
  unsigned push_percent = 50, pop_percent = 50;
  while (run.next()) {
    if (run.cycle() % 64 == 0) {
      push_percent = random.pick(std::array{0u, 30u, 70u, 100u});
      pop_percent = random.pick(std::array{0u, 30u, 70u, 100u});
    }
    const bool in_valid = random.percent(push_percent);
    const bool out_ready = random.percent(pop_percent);
    const auto data = static_cast<std::uint8_t>(random.bits(8));
    rtl->in_valid_i = in_valid;
    rtl->in_data_i = data;
    rtl->out_ready_i = out_ready;
    rtl.settle();
    const bool in_ready = twin.size() < kDepth;
    const bool out_valid = !twin.empty();
    run.check("in_ready_o", rtl->in_ready_o, in_ready);
    run.check("out_valid_o", rtl->out_valid_o, out_valid);
    run.check("count_o", rtl->count_o, twin.size());
    if (out_valid) run.check("out_data_o", rtl->out_data_o, twin.front());
    rtl.edge();
    if (out_valid && out_ready) twin.pop_front();
    if (in_valid && in_ready) twin.push_back(data);
  }
}

}  // namespace
}  // namespace cxlgpu::test
