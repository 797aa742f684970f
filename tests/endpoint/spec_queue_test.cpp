// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// spec_queue: the twin in lockstep with the RTL, and its corners by hand.
#include "refmodel/endpoint/spec_queue.hpp"

#include <array>
#include <deque>

#include "Vspec_queue.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/offer.hpp"
#include "tests/common/requirement.hpp"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_endpoint.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Lockstep;
using test::Random;

constexpr unsigned kDepth = 128;

class Pair {
 public:
  Pair() { rtl_.reset(); }

  Lockstep lockstep{"endpoint/spec_queue", 0x59ec};

  // One cycle: outputs compared, then the edge. The outputs are those before the edge.
  SpecQueue::Out step(const SpecQueue::In& in) {
    rtl_->in_valid_i = in.valid;
    rtl_->in_first_i = in.message.first;
    rtl_->in_len_i = in.message.len;
    rtl_->out_ready_i = in.out_ready;
    const SpecQueue::Out out = compare(in);
    if (!lockstep.ok()) return out;
    twin_.clock(in);
    rtl_.edge();
    return out;
  }
  // The reset is asynchronous: the outputs follow it before any edge.
  void reset() {
    twin_ = SpecQueue(kDepth);
    rtl_->rst_ni = 0;
    offer_.forget();
    compare({});
    rtl_.reset();
  }

 private:
  SpecQueue::Out compare(const SpecQueue::In& in) {
    rtl_.settle();
    const SpecQueue::Out out = twin_.eval(in);
    lockstep.check("in_ready_o", rtl_->in_ready_o, out.in_ready);
    lockstep.check("out_valid_o", rtl_->out_valid_o, out.valid);
    if (out.valid) lockstep.check("out_granule_o", rtl_->out_granule_o, out.granule);
    offer_.look(rtl_->out_valid_o, in.out_ready, rtl_->out_granule_o);
    return out;
  }

  test::Offer offer_{"out_granule_o"};
  SpecQueue twin_{kDepth};
  Clocked<Vspec_queue> rtl_;
};

TEST(SpecQueue, LockstepWithRtl) {
  Pair pair;
  Random random(pair.lockstep.seed());
  unsigned push = 50, pop = 50;  // percent
  std::uint64_t lost = 0, granules = 0;
  test::TestCoverage pairs(coverage::spec_queue_pairs());
  std::deque<unsigned> left;  // granules that each message held has yet to give
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 128 == 0) {
      push = random.pick(std::array{5u, 20u, 40u, 100u});
      pop = random.pick(std::array{0u, 30u, 70u, 100u});
    }
    SpecQueue::In in;
    in.valid = random.percent(push);
    in.message.first =
        random.percent(30) ? SpecQueue::kGranules - 1 - random.below(4) : random.bits(44);
    in.message.len = static_cast<unsigned>(random.bits(2));
    in.out_ready = random.percent(pop);
    const SpecQueue::Out out = pair.step(in);
    lost += in.valid && !out.in_ready;
    granules += out.valid && in.out_ready;
    const auto comes = !in.valid      ? coverage::SpecIn::None
                       : out.in_ready ? coverage::SpecIn::Taken
                                      : coverage::SpecIn::NoRoom;
    ASSERT_EQ(out.valid, !left.empty());
    const auto goes = !out.valid          ? coverage::SpecOut::None
                      : !in.out_ready     ? coverage::SpecOut::Stalled
                      : left.front() == 1 ? coverage::SpecOut::Last
                                          : coverage::SpecOut::Granule;
    const std::size_t held = left.size();
    const unsigned level = held < 2             ? static_cast<unsigned>(held)
                           : held < kDepth - 1  ? 2u
                           : held == kDepth - 1 ? 3u
                                                : 4u;
    pairs.hit({static_cast<unsigned>(comes), static_cast<unsigned>(goes), level});
    if (goes == coverage::SpecOut::Granule) --left.front();
    if (goes == coverage::SpecOut::Last) left.pop_front();
    if (comes == coverage::SpecIn::Taken) left.push_back(in.message.len + 1);
    if (random.below(5000) == 0) {
      pair.reset();
      left.clear();
    }
  }
  if (pair.lockstep.cycle() > 100000) {
    EXPECT_GT(lost, 1000u);
    EXPECT_GT(granules, 10000u);
  }
}

SpecQueue::In push(std::uint64_t first, unsigned len, bool out_ready = false) {
  return {.valid = true, .message = {first, len}, .out_ready = out_ready};
}
constexpr SpecQueue::In kTake{.valid = false, .message = {}, .out_ready = true};

TEST(SpecQueue, GranulesWrapAndFollowWithoutAGap) {
  Pair pair;
  EXPECT_FALSE(pair.step(push(SpecQueue::kGranules - 2, 3, true)).valid);  // no bypass
  EXPECT_EQ(pair.step(push(7, 0)).granule, SpecQueue::kGranules - 2);      // stalled
  EXPECT_EQ(pair.step(push(9, 1, true)).granule, SpecQueue::kGranules - 2);
  for (const std::uint64_t granule : {SpecQueue::kGranules - 1, std::uint64_t{0}, std::uint64_t{1},
                                      std::uint64_t{7}, std::uint64_t{9}, std::uint64_t{10}}) {
    const SpecQueue::Out out = pair.step(kTake);
    EXPECT_TRUE(out.valid);
    EXPECT_EQ(out.granule, granule);
  }
  EXPECT_FALSE(pair.step(kTake).valid);
}

TEST(SpecQueue, FullLosesTheInputThoughTheHeadLeaves) {
  test::shows("sr", "A MemSpecRd that finds no room is dropped and never stalls the link",
              "docs/blocks/endpoint/spec_queue.md");
  Pair pair;
  for (unsigned i = 0; i < kDepth; ++i) EXPECT_TRUE(pair.step(push(100 * i, i == 0)).in_ready);
  EXPECT_FALSE(pair.step(push(5000, 0, true)).in_ready);  // the head's first granule of two
  EXPECT_FALSE(pair.step(push(6000, 0, true)).in_ready);  // its last: the head leaves
  EXPECT_TRUE(pair.step({}).in_ready);
  for (unsigned i = 1; i < kDepth; ++i) EXPECT_EQ(pair.step(kTake).granule, 100 * i);
  EXPECT_FALSE(pair.step({}).valid);
}

TEST(SpecQueue, ResetForgetsTheStep) {
  Pair pair;
  pair.step(push(50, 3));
  pair.step(kTake);
  EXPECT_EQ(pair.step(kTake).granule, 51u);
  pair.reset();
  pair.step(push(80, 1));
  EXPECT_EQ(pair.step(kTake).granule, 80u);
  EXPECT_EQ(pair.step(kTake).granule, 81u);
  EXPECT_FALSE(pair.step(kTake).valid);
}

}  // namespace
}  // namespace cxlgpu
