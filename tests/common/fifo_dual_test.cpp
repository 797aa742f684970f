// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// common/fifo_dual: the twin in lockstep with the RTL at four depths, and its corners by hand.
#include "refmodel/common/fifo_dual.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "Vfifo_dual.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/coverage/pair_bins.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::get_bits;
using test::Lockstep;
using test::Random;
using test::set_bits;

using Twin = FifoDual<std::uint32_t>;

// RTL and twin of one depth (2..5, 32); the other FIFOs of fifo_dual_tb.sv get nothing.
class Pair {
 public:
  explicit Pair(std::size_t depth) : depth_(depth), twin_(depth) { rtl_.reset(); }

  Lockstep lockstep{"common/fifo_dual", 0xf2};

  [[nodiscard]] std::size_t count() const { return twin_.eval({}).count; }

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  Twin::Out step(const Twin::In& in) {
    const std::size_t g = lane();
    set_bits(rtl_->clear_i, g, 1, in.clear);
    set_bits(rtl_->in_valid_i, 2 * g, 1, in.valid[0]);
    set_bits(rtl_->in_valid_i, 2 * g + 1, 1, in.valid[1]);
    set_bits(rtl_->in_data0_i, 32 * g, 32, in.data[0]);
    set_bits(rtl_->in_data1_i, 32 * g, 32, in.data[1]);
    set_bits(rtl_->out_take_i, 2 * g, 2, in.take);
    const Twin::Out out = compare(in);
    if (!lockstep.ok()) return out;
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = Twin(depth_);
    rtl_->rst_ni = 0;
    compare({});
    rtl_.reset();
  }

 private:
  Twin::Out compare(const Twin::In& in) {
    const std::size_t g = lane();
    rtl_.settle();
    const Twin::Out out = twin_.eval(in);
    lockstep.check("in_ready_o[0]", get_bits(rtl_->in_ready_o, 2 * g, 1), out.ready[0]);
    lockstep.check("in_ready_o[1]", get_bits(rtl_->in_ready_o, 2 * g + 1, 1), out.ready[1]);
    lockstep.check("out_valid_o[0]", get_bits(rtl_->out_valid_o, 2 * g, 1), out.valid[0]);
    lockstep.check("out_valid_o[1]", get_bits(rtl_->out_valid_o, 2 * g + 1, 1), out.valid[1]);
    if (out.valid[0])
      lockstep.check("out_data0_o", get_bits(rtl_->out_data0_o, 32 * g, 32), out.data[0]);
    if (out.valid[1])
      lockstep.check("out_data1_o", get_bits(rtl_->out_data1_o, 32 * g, 32), out.data[1]);
    lockstep.check("count_o", get_bits(rtl_->count_o, 6 * g, 6), out.count);
    return out;
  }

  [[nodiscard]] std::size_t lane() const { return std::min<std::size_t>(depth_ - 2, 4); }

  std::size_t depth_;
  Twin twin_;
  Clocked<Vfifo_dual> rtl_;
};

void lockstep_at(std::size_t depth) {
  SCOPED_TRACE("Depth " + std::to_string(depth));
  test::PairBins pairs(coverage::queue_pairs());
  Pair pair(depth);
  Random random(pair.lockstep.seed());
  unsigned push = 50, pop = 50;  // percent
  std::uint64_t half_taken = 0, clears_with_push = 0, full = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 64 == 0) {
      push = random.pick(std::array{10u, 40u, 70u, 100u});
      pop = random.pick(std::array{10u, 40u, 70u, 100u});
    }
    Twin::In in;
    in.clear = random.percent(2);
    in.valid[0] = random.percent(push);
    in.valid[1] = in.valid[0] && random.percent(push);
    for (auto& d : in.data) d = static_cast<std::uint32_t>(random.bits(32));
    if (random.percent(pop)) {
      const std::uint64_t most = std::min<std::uint64_t>(pair.count(), 2);
      in.take = static_cast<unsigned>(random.percent(50) ? most : random.below(most + 1));
    }
    using enum coverage::QueueState;
    const std::size_t count = pair.count();
    pairs.look(
        count == 0           ? DualEmpty
        : count == depth     ? DualFull
        : count + 1 == depth ? DualOneLeft
        : count == 1         ? DualOne
                             : DualSome,
        {in.valid[0] && !in.valid[1], in.valid[1], false, in.take == 1, in.take == 2, in.clear});
    const Twin::Out out = pair.step(in);
    half_taken += in.valid[1] && out.ready[0] && !out.ready[1];
    clears_with_push += in.clear && in.valid[0];
    full += !out.ready[0];
    if (random.below(5000) == 0) pair.reset();
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(half_taken, 1000u);
    EXPECT_GT(clears_with_push, 1000u);
    EXPECT_GT(full, 1000u);
  }
}

TEST(FifoDual, LockstepWithRtl) {
  for (const std::size_t depth : {2u, 3u, 4u, 5u, 32u}) lockstep_at(depth);
}

Twin::In push2(std::uint32_t a, std::uint32_t b, unsigned take = 0) {
  return {.clear = false, .valid = {true, true}, .data = {a, b}, .take = take};
}
Twin::In take(unsigned n) {
  return {.clear = false, .valid = {}, .data = {}, .take = n};
}

TEST(FifoDual, KeepsOrderAcrossTheWrapOfAnOddDepth) {
  Pair pair(5);
  pair.step(push2(0, 1));
  for (unsigned i = 2; i < 60; i += 2) {
    const auto word = static_cast<std::uint32_t>(i);
    const auto next = static_cast<std::uint32_t>(i + 1);
    const Twin::Out out = pair.step(push2(word, next, 2));
    EXPECT_EQ(out.count, 2u);
    EXPECT_EQ(out.data[0], i - 2);
    EXPECT_EQ(out.data[1], i - 1);
  }
}

TEST(FifoDual, OnePlaceLeftTakesWordZeroOnly) {
  Pair pair(5);
  pair.step(push2(1, 2));
  pair.step(push2(3, 4));
  // A word that leaves makes no room in its own cycle.
  Twin::Out out = pair.step(push2(5, 6, 2));
  EXPECT_TRUE(out.ready[0]);
  EXPECT_FALSE(out.ready[1]);
  out = pair.step(take(2));
  EXPECT_EQ(out.count, 3u);
  EXPECT_EQ(out.data[0], 3);
  EXPECT_EQ(out.data[1], 4);
  out = pair.step(take(1));
  EXPECT_EQ(out.count, 1u);
  EXPECT_EQ(out.data[0], 5);
  EXPECT_EQ(pair.step({}).count, 0u);
}

TEST(FifoDual, FullDropsBothThoughTwoLeave) {
  Pair pair(2);
  pair.step(push2(1, 2));
  pair.step(push2(3, 4, 2));
  EXPECT_EQ(pair.step({}).count, 0u);
}

TEST(FifoDual, ClearWinsOverPushAndTake) {
  Pair pair(5);
  pair.step(push2(1, 2));
  Twin::In in = push2(3, 4, 1);
  in.clear = true;
  const Twin::Out out = pair.step(in);
  EXPECT_EQ(out.count, 2u);  // the clear cycle still shows the state
  EXPECT_EQ(out.data[0], 1);
  EXPECT_EQ(pair.step(push2(5, 6)).count, 0u);
  EXPECT_EQ(pair.step({}).data[0], 5);
}

}  // namespace
}  // namespace cxlgpu
