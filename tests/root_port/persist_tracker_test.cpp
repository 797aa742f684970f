// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_tracker: the twin in lockstep with the RTL, under any entries and under a port's stores,
// and the rules of its page by hand.
#include <deque>

#include "tests/common/requirement.hpp"
#include "tests/root_port/persist_tracker_bench.hpp"

namespace cxlgpu {
namespace {

using test::Random;
using test::Stores;
using test::TrackerPair;
using test::TrackerSize;
using In = TrackerPair::In;
using Out = TrackerPair::Out;

// Any holder: of entries it knows how many are outstanding, by parity.
void any_entries(TrackerPair& pair) {
  Random random(pair.lockstep.seed());
  const unsigned change =
      300 + 2 * pair.size.entries;  // cycles of the same rates: long enough to fill it
  std::array<std::uint64_t, 2> count{};
  unsigned stores = 50, dones = 50, requests = 20, takes = 50, errors = 0;
  bool offered = false;
  std::uint64_t full = 0, answered = 0, failed = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % change == 1) {
      for (unsigned* p : {&stores, &dones, &takes}) {
        *p = random.percent(30) ? 100u : static_cast<unsigned>(random.below(101));
      }
      if (random.percent(20)) dones = 0;
      requests = random.pick(std::array{1u, 10u, 100u});
      errors = random.pick(std::array{0u, 0u, 1u, 30u});
    }
    const Out out = pair.look();
    In in;
    std::array<std::uint64_t, 2> left = count;
    for (unsigned d = 0; d < pair.size.dones; ++d) {
      if (!random.percent(dones)) continue;
      unsigned set = static_cast<unsigned>(random.bits(2));
      for (unsigned p = 0; p < 2; ++p) {
        if (left[p] == 0) set &= ~(1u << p);
        left[p] -= set >> p & 1;
      }
      in.done[d] = {.valid = true, .set = set, .error = random.percent(errors)};
    }
    const bool room = count[out.store_parity] < pair.size.entries ||
                      left[out.store_parity] < count[out.store_parity];
    in.store = room && random.percent(stores);
    full += !room;
    in.fail = random.below(1000) < errors;
    in.req_valid = offered || random.percent(requests);
    in.rsp_ready = random.percent(takes);
    in.clear_error = !in.req_valid && out.req_ready && random.percent(30);
    pair.step(in);
    offered = in.req_valid && !out.req_ready;
    count = left;
    count[out.store_parity] += in.store;
    answered += out.rsp_valid && in.rsp_ready;
    failed += out.rsp_valid && in.rsp_ready && out.rsp_error;
    if (random.below(10 * change) == 0) {
      pair.reset();
      count = {};
      offered = false;
    }
  }
  if (pair.lockstep.cycle() > 20'000) {
    EXPECT_GT(answered, 500u);
    EXPECT_GT(failed, 20u);
    EXPECT_GT(full, 20u);
    EXPECT_GT(pair.stalls(), 20u);
  }
}

TEST(PersistTracker, LockstepWithRtl) {
  test::shows("order", "The RTL's persist tracker is in the state of its twin in every cycle",
              "docs/blocks/root_port/persist_tracker.md");
  TrackerPair pair(test::kDefault, 0x9e51);
  any_entries(pair);
}
TEST(PersistTracker, LockstepAtOneEntry) {
  TrackerPair pair(test::kLeast, 0x9e52);
  any_entries(pair);
}
TEST(PersistTracker, LockstepAtFourDones) {
  TrackerPair pair(test::kSmall, 0x9e53);
  any_entries(pair);
}
TEST(PersistTracker, LockstepAtAPortsSize) {
  TrackerPair pair(test::kPort, 0x9e54, 100'000);
  any_entries(pair);
}

// A port's stores, with what the endpoint has of them.
void stores_of_a_port(TrackerSize size, bool join, std::uint64_t seed) {
  TrackerPair pair(size, seed, 30'000);
  Random random(pair.lockstep.seed());
  Stores stores(pair, {.join = join});
  const unsigned lines = size.entries <= 5 ? 3 : 16;
  unsigned rate = 50, sends = 50, answers = 50;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 200 == 1) {
      for (unsigned* p : {&rate, &sends, &answers}) *p = static_cast<unsigned>(random.below(101));
    }
    const auto line = [&](unsigned percent) {
      return random.percent(percent) ? std::optional(static_cast<unsigned>(random.below(lines)))
                                     : std::nullopt;
    };
    Stores::Acts acts;
    acts.store = line(rate);
    acts.send = line(sends);
    acts.answer = line(answers);
    acts.refused = random.below(500) == 0;
    acts.request = random.percent(5);
    acts.take = random.percent(80);
    acts.clear = random.percent(2);
    stores.cycle(acts);
  }
  EXPECT_EQ(stores.early(), 0u);
  EXPECT_EQ(stores.late(), 0u);
  EXPECT_GT(stores.answered(), pair.lockstep.cycle() / 300);
}

TEST(PersistTracker, AnsweredWhenAllBeforeIsThere) {
  test::shows("order",
              "A persist request is answered in the first cycle in which every store before it is "
              "done, whatever "
              "stores come meanwhile",
              "docs/blocks/root_port/persist_tracker.md");
  stores_of_a_port(test::kDefault, false, 0x5701);
  stores_of_a_port(test::kSmall, false, 0x5702);
}
TEST(PersistTracker, AnsweredWhenAllThatJoinedIsThere) {
  test::shows("order",
              "A persist request waits for stores that join a slot, and join it again while its "
              "write is on the way, and no "
              "cycle longer",
              "docs/blocks/root_port/persist_tracker.md");
  stores_of_a_port(test::kDefault, true, 0x5703);
  stores_of_a_port(test::kSmall, true, 0x5704);
  stores_of_a_port(test::kPort, true, 0x5705);
}

// A constant number of stores outstanding, each done after a constant time: a request waits for the
// last store before it and not longer, and one behind another for two.
TEST(PersistTracker, ConstantLatency) {
  test::shows("order",
              "With stores done after L cycles a persist request waits for L, and behind another "
              "one for two times L, "
              "however many stores follow",
              "docs/blocks/root_port/persist_tracker.md");
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    for (const unsigned most : {1u, 32u, 255u}) {
      TrackerPair pair(test::kDefault, latency, 20'000);
      struct Going {
        std::uint64_t until;
        unsigned parity;
      };
      std::deque<Going> going;
      std::uint64_t taken = 0, longest = 0, answered = 0;
      bool held = false;
      while (pair.lockstep.next() && pair.lockstep.cycle() < 20 * latency + 200) {
        const std::uint64_t now = pair.lockstep.cycle();
        const Out out = pair.look();
        In in;
        in.rsp_ready = in.req_valid = true;  // the next one is always offered
        if (!going.empty() && going.front().until == now) {
          in.done[0] = {.valid = true, .set = 1u << going.front().parity, .error = false};
          going.pop_front();
        }
        in.store = going.size() < most;
        if (in.store) going.push_back({now + latency, out.store_parity});
        if (held && out.rsp_valid) {
          longest = std::max(longest, now - taken);
          ++answered;
          held = false;
        } else if (!held && out.req_ready) {
          held = true;
          taken = now;
        }
        pair.step(in);
      }
      EXPECT_EQ(longest, latency + 1) << most << " stores outstanding";
      EXPECT_GE(answered, 10u);
    }
  }
}

// By hand. Each line is a cycle.
class ByHand : public ::testing::Test {
 protected:
  struct Now {
    bool store = false;
    int done = -1;  // parities
    bool error = false, fail = false, clear = false, request = false, take = true;
    int also = -1;  // a second entry
  };
  Out cycle(const Now& now) {
    In in;
    in.store = now.store;
    if (now.done >= 0) in.done[0] = {true, static_cast<unsigned>(now.done), now.error};
    if (now.also >= 0) in.done[1] = {true, static_cast<unsigned>(now.also), false};
    in.fail = now.fail;
    in.clear_error = now.clear;
    in.req_valid = now.request;
    in.rsp_ready = now.take;
    return pair.step(in);
  }
  TrackerPair pair;
};

TEST_F(ByHand, NothingOutstanding) {
  Out out = cycle({.request = true});
  EXPECT_TRUE(out.req_ready);
  EXPECT_EQ(out.store_parity, 0u);
  out = cycle({});
  EXPECT_TRUE(out.rsp_valid);
  EXPECT_FALSE(out.rsp_error || out.waiting || out.req_ready);
  EXPECT_EQ(out.store_parity, 1u);
  out = cycle({});
  EXPECT_FALSE(out.rsp_valid);
  EXPECT_TRUE(out.req_ready);
}

TEST_F(ByHand, WaitsForTheStoreOfItsCycleAndForNoneBehind) {
  cycle({.store = true, .request = true});      // parity 0, before the request
  EXPECT_TRUE(cycle({.store = true}).waiting);  // parity 1, behind it
  EXPECT_TRUE(cycle({.store = true}).waiting);
  EXPECT_TRUE(cycle({.done = 2}).waiting);  // of one behind
  EXPECT_TRUE(cycle({.done = 1}).waiting);  // the one before
  const Out out = cycle({});
  EXPECT_TRUE(out.rsp_valid && !out.waiting);
  // The next one waits for the store that is left.
  EXPECT_TRUE(cycle({.request = true}).req_ready);
  EXPECT_TRUE(cycle({.done = 2}).waiting);
  EXPECT_TRUE(cycle({}).rsp_valid);
}

TEST_F(ByHand, TheSecondWaitsForTwo) {
  cycle({.store = true, .request = true});
  EXPECT_FALSE(cycle({.store = true, .request = true}).req_ready);  // offered: not taken yet
  EXPECT_FALSE(cycle({.done = 1, .request = true}).req_ready);
  EXPECT_FALSE(cycle({.request = true}).req_ready);  // the first is answered
  EXPECT_TRUE(cycle({.store = true, .request = true}).req_ready);
  EXPECT_TRUE(cycle({.done = 2, .also = 2}).waiting);  // both stores since the first
  EXPECT_TRUE(cycle({}).rsp_valid);
}

TEST_F(ByHand, AnEntryOfBothParities) {
  cycle({.store = true, .request = true});
  cycle({.store = true});  // joins the same slot
  EXPECT_TRUE(cycle({.done = 3}).waiting);
  EXPECT_TRUE(cycle({}).rsp_valid);
  cycle({.request = true});
  EXPECT_TRUE(cycle({}).rsp_valid) << "the younger one was done with it";
}

// store, send, store to the same line, done, request: the request waits for the second store alone.
TEST_F(ByHand, ASetMovesWithItsWrite) {
  test::shows("order",
              "A slot that is sent keeps nothing of its set: a store that joins it afterwards is "
              "waited for",
              "docs/blocks/root_port/persist_tracker.md");
  const std::array<Stores::Acts, 5> acts{
      {{.store = 7}, {.send = 7}, {.store = 7}, {.answer = 7}, {.request = true}}};
  Stores stores(pair, {});
  for (const Stores::Acts& now : acts) stores.cycle(now);
  for (unsigned i = 0; i < 20; ++i) EXPECT_TRUE(stores.cycle({}).waiting);
  stores.cycle({.send = 7});
  stores.cycle({.answer = 7});
  EXPECT_TRUE(stores.cycle({}).rsp_valid);
  EXPECT_EQ(stores.early(), 0u);

  TrackerPair other;
  Stores faulty(other, {.join = true, .leave_the_set = true});
  for (const Stores::Acts& now : acts) faulty.cycle(now);
  EXPECT_TRUE(faulty.cycle({}).rsp_valid) << "left behind, the set lets the answer come early";
  EXPECT_EQ(faulty.early(), 1u);
}

TEST_F(ByHand, AnErrorIsToldToAllUntilCleared) {
  test::shows("order",
              "A store that failed is told to every persist request until software clears it, and "
              "no request goes "
              "without an answer",
              "docs/blocks/root_port/persist_tracker.md");
  cycle({.store = true});
  cycle({.done = 1, .error = true});
  EXPECT_TRUE(cycle({}).error);
  for (unsigned i = 0; i < 3; ++i) {  // whoever asks
    cycle({.request = true});
    const Out out = cycle({});
    EXPECT_TRUE(out.rsp_valid && out.rsp_error);
  }
  EXPECT_TRUE(cycle({.clear = true}).error);
  EXPECT_FALSE(cycle({.request = true}).error);
  EXPECT_FALSE(cycle({}).rsp_error);
}

TEST_F(ByHand, SettingWinsOverClearing) {
  test::shows("order", "An error of the cycle in which errors are cleared is kept",
              "docs/blocks/root_port/persist_tracker.md");
  cycle({.store = true});
  cycle({.done = 1, .error = true, .clear = true});
  EXPECT_TRUE(cycle({.fail = true, .clear = true}).error);
  EXPECT_TRUE(cycle({.clear = true}).error);
  EXPECT_FALSE(cycle({}).error);
}

TEST_F(ByHand, OfAnEntryThatDoesNotPersistNothingCounts) {
  cycle({.store = true});
  cycle({.done = 0, .error = true});
  EXPECT_FALSE(cycle({.request = true}).error);
  EXPECT_TRUE(cycle({.done = 1}).waiting);
  EXPECT_FALSE(cycle({}).rsp_error);
}

TEST_F(ByHand, FailsWhileAnsweredAndAfter) {
  cycle({.store = true, .request = true});
  cycle({.store = true});
  cycle({.store = true, .done = 1});
  // Offered and stalled: what fails now is the next one's.
  EXPECT_TRUE(cycle({.done = 2, .error = true, .take = false}).rsp_valid);
  const Out out = cycle({.take = false});
  EXPECT_TRUE(out.rsp_valid && out.error && !out.rsp_error);
  EXPECT_FALSE(cycle({}).rsp_error);
  cycle({.request = true});
  cycle({.done = 2});
  EXPECT_TRUE(cycle({}).rsp_error);
  // A younger one that fails before: told, rather once too often.
  cycle({.clear = true});
  cycle({.store = true, .request = true});
  cycle({.store = true});
  cycle({.done = 2, .error = true});  // parity of behind, of this request
  cycle({.done = 1});
  EXPECT_TRUE(cycle({}).rsp_error);
}

TEST_F(ByHand, ViralFailsWhatIsAsked) {
  cycle({.fail = true, .request = true});
  EXPECT_TRUE(cycle({}).rsp_error);
}

}  // namespace
}  // namespace cxlgpu
