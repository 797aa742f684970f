// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_join: the twin in lockstep with the RTL, under any inputs and between a bus and ports,
// and the rules of its page by hand.
#include "tests/common/requirement.hpp"
#include "tests/host_bridge/persist_join_bench.hpp"

namespace cxlgpu {
namespace {

using test::Bus;
using test::JoinPair;
using test::JoinSize;
using test::Random;
using In = JoinPair::In;
using Out = JoinPair::Out;

// Any bus, any ports that answer what they were asked.
void any_inputs(JoinPair& pair) {
  Random random(pair.lockstep.seed());
  unsigned requests = 50, takes = 50, bus = 50, ways = 50, asks = 50, answers = 50;
  std::uint64_t owed = 0, errors = 0, told = 0, cleared = 0;
  bool offered = false;
  std::uint16_t id = 0;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 300 == 1) {
      for (unsigned* p : {&requests, &takes, &bus, &ways, &asks, &answers}) {
        *p = random.percent(40) ? 100u : static_cast<unsigned>(random.below(101));
      }
      if (random.percent(20)) {  // answers wait while the next round is in progress
        requests = 20, takes = 5, asks = answers = 20;
      }
    }
    const auto some = [&](unsigned percent) {
      return random.percent(percent) ? pair.all
                                     : random.bits(pair.size.ports) & random.bits(pair.size.ports);
    };
    const Out out = pair.look();
    In in;
    if (!offered) id = static_cast<std::uint16_t>(random.bits(16));
    in.persist_valid = offered || random.percent(requests);
    in.persist_id = id;
    in.persist_rsp_ready = random.percent(takes);
    in.bus_valid = random.percent(bus);
    in.bus_ready = random.percent(50);
    in.way_valid = random.bits(pair.size.ports);
    in.way_ready = some(ways);
    in.lost = random.below(500) == 0;
    in.clear_error = random.percent(20);
    in.port_req_ready = some(asks);
    in.port_rsp_valid = owed & some(answers) & (random.percent(answers) ? pair.all : 0);
    if (random.below(100) == 0) errors = random.bits(pair.size.ports);
    in.port_rsp_error = errors;
    const Out now = pair.step(in);
    cleared += now.clear;
    told += now.persist_rsp_valid && now.persist_rsp_error && in.persist_rsp_ready;
    offered = in.persist_valid && !out.persist_ready;
    owed = (owed & ~(in.port_rsp_valid & out.port_rsp_ready)) |
           (out.port_req_valid & in.port_req_ready);
    if (random.below(4000) == 0) {
      pair.reset();
      owed = 0;
      offered = false;
    }
  }
  if (pair.lockstep.cycle() > 20'000) {
    EXPECT_GT(told, 50u);
    EXPECT_GT(cleared, 20u);
    EXPECT_GT(pair.stalls(), 100u);
  }
}

TEST(PersistJoin, LockstepWithRtl) {
  test::shows("order", "The RTL's persist join is in the state of its twin in every cycle",
              "docs/blocks/host_bridge/persist_join.md");
  JoinPair pair(test::kTwoPorts, 0x7013);
  any_inputs(pair);
}
TEST(PersistJoin, LockstepAtOneOfEach) {
  JoinPair pair(test::kOneOfEach, 0x7014);
  any_inputs(pair);
}
TEST(PersistJoin, LockstepAtFourPorts) {
  JoinPair pair(test::kFourPorts, 0x7015, 60'000);
  any_inputs(pair);
}
TEST(PersistJoin, LockstepAtMostPorts) {
  JoinPair pair(test::kMostPorts, 0x7016);
  any_inputs(pair);
}

void between_bus_and_ports(JoinSize size, std::uint64_t seed) {
  JoinPair pair(size, seed, 20'000);
  Random random(pair.lockstep.seed());
  Bus bus(pair);
  unsigned stores = 50, moves = 50, ways = 50, requests = 10, takes = 50, latency = 10;
  while (pair.lockstep.next()) {
    if (pair.lockstep.cycle() % 200 == 1) {
      for (unsigned* p : {&stores, &moves, &ways, &takes}) {
        *p = 20 + static_cast<unsigned>(random.below(81));
      }
      requests = random.pick(std::array{1u, 10u, 100u});
      latency = random.pick(std::array{1u, 10u, 40u});
    }
    Bus::Acts acts;
    if (random.percent(stores)) {
      acts.store = static_cast<unsigned>(random.below(size.ports));
      if (random.below(300) == 0) acts.store = size.ports;
    }
    acts.bus_moves = random.percent(moves);
    acts.way_ready = random.percent(ways) ? pair.all : random.bits(size.ports);
    if (random.percent(requests)) acts.request = static_cast<std::uint16_t>(random.bits(16));
    acts.takes = random.percent(takes);
    acts.fails = random.below(500) == 0;
    acts.clear = random.percent(50);
    acts.latency = 1 + static_cast<unsigned>(random.below(latency));
    acts.trackers = random.percent(50) ? pair.all : random.bits(size.ports);
    bus.cycle(acts);
  }
  EXPECT_GT(bus.answered(), pair.lockstep.cycle() / 100);
  EXPECT_GT(bus.errors(), 0u);
}

TEST(PersistJoin, AnsweredBehindAllThatTheBusAccepted) {
  test::shows("order",
              "A persist request of the system is answered when every store that the bus accepted "
              "before it, of any "
              "port, is done, and told if one failed or found no port",
              "docs/blocks/host_bridge/persist_join.md");
  between_bus_and_ports(test::kTwoPorts, 0xb051);
  between_bus_and_ports(test::kOneOfEach, 0xb052);
  between_bus_and_ports(test::kFourPorts, 0xb053);
  between_bus_and_ports(test::kMostPorts, 0xb054);
}

// Stores without an end, and requests, each offered as soon as there is room: nobody waits for more
// than two rounds.
TEST(PersistJoin, ConstantLatency) {
  test::shows("order",
              "With stores of L cycles without an end, persist requests wait for two rounds at "
              "most, however many "
              "are held",
              "docs/blocks/host_bridge/persist_join.md");
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    JoinPair pair(test::kTwoPorts, latency, 20'000);
    Bus bus(pair);
    while (pair.lockstep.next() && pair.lockstep.cycle() < 20 * latency + 400) {
      Bus::Acts acts;
      acts.store = static_cast<unsigned>(pair.lockstep.cycle() % 2);
      acts.latency = latency;
      acts.request = static_cast<std::uint16_t>(pair.lockstep.cycle());
      bus.cycle(acts);
    }
    EXPECT_GT(bus.answered(), 30u);
    // A round is the way to the ports, 4 cycles, and L; 16 answers go out between.
    EXPECT_LE(bus.longest(), 2 * (latency + 4 + 16));
    EXPECT_GE(bus.longest(), latency + 4);
  }
}

// By hand. Each line is a cycle; ports answer when told to.
class ByHand : public ::testing::Test {
 protected:
  static In request(std::uint16_t id) {
    In in = idle();
    in.persist_valid = true;
    in.persist_id = id;
    return in;
  }
  static In idle() {
    In in;
    in.persist_rsp_ready = true;
    in.port_req_ready = 3;
    return in;
  }
  static In answer(std::uint64_t ports, std::uint64_t errors = 0) {
    In in = idle();
    in.port_rsp_valid = ports;
    in.port_rsp_error = errors;
    return in;
  }
  JoinPair pair;  // of two ports
};

TEST_F(ByHand, FiveCyclesWithAnIdleBus) {
  pair.step(request(0xabcd));
  EXPECT_EQ(pair.step(idle()).port_req_valid, 0u);
  EXPECT_EQ(pair.step(idle()).port_req_valid, 0u);
  EXPECT_EQ(pair.step(idle()).port_req_valid, 3u);  // n + 3
  EXPECT_EQ(pair.step(answer(3)).port_rsp_ready, 3u);
  const Out out = pair.step(idle());
  EXPECT_TRUE(out.persist_rsp_valid);
  EXPECT_EQ(out.persist_rsp_id, 0xabcd);
  EXPECT_FALSE(out.persist_rsp_error);
  EXPECT_EQ(out.port_rsp_ready, 0u);
  EXPECT_FALSE(pair.step(idle()).persist_rsp_valid);
}

TEST_F(ByHand, WaitsForWhatWaitsInFrontAndOnTheWay) {
  test::shows("order",
              "What waits in front of the host bridge or of a port when a persist request comes "
              "leaves first; what "
              "comes to a way that was free is not waited for",
              "docs/blocks/host_bridge/persist_join.md");
  In in = request(1);
  in.bus_valid = true;  // a store of before, stalled
  pair.step(in);
  for (unsigned i = 0; i < 5; ++i) {
    in = idle();
    in.bus_valid = true;
    EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  }
  in.bus_ready = true;  // f: it goes to port 0, whose way is free: port 1's is not
  in.way_valid = 2;
  EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  in = idle();
  in.way_valid = 3;  // f + 1: stalled, both
  EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  in.way_ready = 1;  // the store is taken by port 0
  EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  in.way_valid = 3;  // another one comes behind it: not waited for
  in.way_ready = 0;
  EXPECT_EQ(pair.step(in).port_req_valid, 1u);
  EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  in.way_valid = 0;  // port 1's has left in the cycle before
  EXPECT_EQ(pair.step(in).port_req_valid, 0u);
  EXPECT_EQ(pair.step(in).port_req_valid, 2u);
}

TEST_F(ByHand, ThoseThatComeMeanwhileShareTheNextRound) {
  test::shows("order",
              "Persist requests that come during a round share the next one, and all are answered "
              "in the order in "
              "which they came, with the error of their round",
              "docs/blocks/host_bridge/persist_join.md");
  pair.step(request(1));
  pair.step(request(2));  // the first one's round begins here: this is of the next
  pair.step(request(3));
  pair.step(idle());
  pair.step(answer(1, 1));  // an error of port 0
  pair.step(idle());
  pair.step(answer(2));
  Out out = pair.step(idle());
  EXPECT_TRUE(out.persist_rsp_valid && out.persist_rsp_error);
  EXPECT_EQ(out.persist_rsp_id, 1);
  EXPECT_FALSE(pair.step(idle()).persist_rsp_valid);
  EXPECT_EQ(pair.step(idle()).port_req_valid, 3u);
  pair.step(answer(3));
  for (const unsigned id : {2u, 3u}) {
    out = pair.step(idle());
    EXPECT_TRUE(out.persist_rsp_valid && !out.persist_rsp_error);
    EXPECT_EQ(out.persist_rsp_id, id);
  }
  EXPECT_FALSE(pair.step(idle()).persist_rsp_valid);
}

TEST_F(ByHand, ARoundGoesOnWhileAnswersAreStalled) {
  pair.step(request(1));
  pair.step(request(2));
  pair.step(idle());
  pair.step(idle());
  pair.step(answer(3));
  const auto stalled = [](In in) {
    in.persist_rsp_ready = false;
    return in;
  };
  EXPECT_EQ(pair.step(stalled(idle())).persist_rsp_id, 1);
  pair.step(stalled(idle()));
  EXPECT_EQ(pair.step(stalled(idle())).port_req_valid, 3u);
  pair.step(stalled(answer(3)));
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(pair.step(stalled(idle())).persist_rsp_id, 1);
  EXPECT_EQ(pair.step(idle()).persist_rsp_id, 1);
  EXPECT_FALSE(pair.step(idle()).persist_rsp_valid);  // the round ends
  EXPECT_EQ(pair.step(idle()).persist_rsp_id, 2);
}

TEST_F(ByHand, ALostStoreIsToldUntilCleared) {
  test::shows("order",
              "A store that no root port serves is told to every persist request until errors are "
              "cleared, which "
              "happens only when no request is held",
              "docs/blocks/host_bridge/persist_join.md");
  In in = idle();
  in.lost = true;
  pair.step(in);
  const auto ask = [&](std::uint16_t id) {
    pair.step(request(id));
    In clear = idle();
    clear.clear_error = true;
    EXPECT_FALSE(pair.step(clear).clear) << "a request is held";
    pair.step(idle());
    pair.step(idle());
    pair.step(answer(3));
    const Out out = pair.step(idle());
    EXPECT_TRUE(out.persist_rsp_valid);
    return out.persist_rsp_error;
  };
  EXPECT_TRUE(ask(1));
  EXPECT_TRUE(ask(2));
  in = request(3);
  in.clear_error = true;
  EXPECT_FALSE(pair.step(in).clear) << "one is offered";
  for (unsigned i = 0; i < 3; ++i) pair.step(idle());
  pair.step(answer(3));
  EXPECT_TRUE(pair.step(idle()).persist_rsp_error);
  in = idle();
  in.clear_error = in.lost = true;
  EXPECT_TRUE(pair.step(in).clear);
  EXPECT_TRUE(pair.step(idle()).error) << "setting wins";
  in.lost = false;
  EXPECT_TRUE(pair.step(in).clear);
  EXPECT_FALSE(pair.step(idle()).error);
  EXPECT_FALSE(ask(4));
}

TEST_F(ByHand, HoldsSixteen) {
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_TRUE(pair.step(request(static_cast<std::uint16_t>(i))).persist_ready);
  }
  EXPECT_FALSE(pair.step(request(99)).persist_ready);
  EXPECT_FALSE(pair.step([] {
                     In in = answer(3);
                     in.persist_valid = true;
                     in.persist_id = 99;
                     return in;
                   }())
                   .persist_ready);
  EXPECT_FALSE(pair.step(request(99)).persist_ready);  // the answer of the first one is taken
  EXPECT_TRUE(pair.step(request(99)).persist_ready);
}

}  // namespace
}  // namespace cxlgpu
