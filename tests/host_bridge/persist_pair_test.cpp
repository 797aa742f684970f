// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// persist_join and the trackers of two ports, RTL alone: litmus kernels with a loss of power in
// every cycle. What a kernel's stores left at the endpoints is looked at after each cycle; the
// state that the persist forbids must be there without it.
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "Vpersist_pair.h"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Clocked;
using test::Random;

// A kernel's step: a store of a name to a port, or a persist. Steps go on as the bus takes them,
// the one behind a persist when it is answered.
struct Step {
  char name;      // 0: persist
  unsigned port;  // of two; 2: nobody's
  unsigned latency = 5;
  bool refused = false;
};
constexpr Step kPersist{0, 0};

class Machine {
 public:
  Machine() { rtl_.reset(); }

  // One cycle; ways[p]: port p takes what waits for it.
  void cycle(std::array<bool, 2> ways = {true, true}) {
    ++now_;
    rtl_->lost_i = lost_;
    rtl_->done_i = rtl_->done_error_i = rtl_->done_set_i = 0;
    for (unsigned p = 0; p < 2; ++p) {
      std::vector<Going>& going = going_[p];
      // One is done a cycle: the first that is due, in no order otherwise.
      const auto due = std::find_if(going.begin(), going.end(),
                                    [&](const Going& store) { return store.done <= now_; });
      if (due != going.end()) {
        rtl_->done_i |= 1u << p;
        rtl_->done_set_i |= 1u << (2 * p + due->parity);
        rtl_->done_error_i |= static_cast<unsigned>(due->store.refused) << p;
        if (!due->store.refused) there_.insert(due->store.name);
        going.erase(due);
      }
    }
    rtl_->bus_valid_i = front_.has_value();
    const bool moves = front_ && (front_->port == 2 || !ways_[front_->port] || ways[front_->port]);
    rtl_->bus_ready_i = moves;
    rtl_->way_valid_i = rtl_->way_ready_i = 0;
    for (unsigned p = 0; p < 2; ++p) {
      rtl_->way_valid_i |= static_cast<unsigned>(ways_[p].has_value()) << p;
      rtl_->way_ready_i |= static_cast<unsigned>(ways[p]) << p;
    }
    const bool persist = !steps_.empty() && steps_.front().name == 0 && !asked_;
    rtl_->persist_valid_i = persist;
    rtl_->persist_id_i = 7;
    rtl_.settle();
    const bool taken = persist && rtl_->persist_ready_o;
    if (rtl_->persist_rsp_valid_o) {
      EXPECT_TRUE(asked_);
      EXPECT_EQ(rtl_->persist_rsp_id_o, 7);
      answers_.push_back(rtl_->persist_rsp_error_o != 0);
      asked_ = false;
      steps_.pop_front();
    }
    if (taken) asked_ = true;
    for (unsigned p = 0; p < 2; ++p) {
      if (!ways_[p] || !ways[p]) continue;
      going_[p].push_back({*ways_[p], now_ + ways_[p]->latency, rtl_->store_parity_o >> p & 1u});
      ways_[p].reset();
    }
    lost_ = moves && front_->port == 2;
    if (moves) {
      if (!lost_) ways_[front_->port] = front_;
      front_.reset();
    }
    if (!front_ && !steps_.empty() && steps_.front().name != 0 && !asked_ && !taken) {
      front_ = steps_.front();
      steps_.pop_front();
    }
    rtl_.edge();
  }
  void run(const std::vector<Step>& steps) { steps_.assign(steps.begin(), steps.end()); }
  void fail(unsigned port, bool on) { rtl_->fail_i = on ? 1u << port : 0u; }
  void clear_error() {
    rtl_->clear_error_i = 1;
    cycle();
    rtl_->clear_error_i = 0;
  }
  [[nodiscard]] bool there(char name) const { return there_.contains(name); }
  [[nodiscard]] bool ended() const { return steps_.empty(); }
  [[nodiscard]] const std::vector<bool>& answers() const { return answers_; }  // with error?

 private:
  struct Going {
    Step store;
    std::uint64_t done;
    unsigned parity;
  };
  Clocked<Vpersist_pair> rtl_;
  std::deque<Step> steps_;
  std::optional<Step> front_;
  std::array<std::optional<Step>, 2> ways_;
  std::array<std::vector<Going>, 2> going_;
  std::set<char> there_;
  std::vector<bool> answers_;
  std::uint64_t now_ = 0;
  bool asked_ = false, lost_ = false;
};

// Cycles in which y is there and x is not; a cycle is a crash point.
struct Crashes {
  unsigned forbidden = 0, points = 0, both = 0;
};
Crashes crash_everywhere(const std::vector<Step>& steps, unsigned stalled_port = 2,
                         unsigned stalled_for = 0) {
  Machine machine;
  machine.run(steps);
  Crashes crashes;
  for (; crashes.points < 300; ++crashes.points) {
    std::array<bool, 2> ways{true, true};
    if (stalled_port < 2) ways[stalled_port] = crashes.points >= stalled_for;
    machine.cycle(ways);
    crashes.forbidden += machine.there('y') && !machine.there('x');
    crashes.both += machine.there('y') && machine.there('x');
  }
  EXPECT_TRUE(machine.ended());
  return crashes;
}

// x = 1; persist; y = 1, behind one port or two, whatever the latencies.
TEST(PersistPair, L1StoreBehindAPersistIsNotThereBefore) {
  test::shows("order",
              "x = 1; persist; y = 1: no loss of power leaves y without x, of one port and of two, "
              "in any cycle; "
              "without the persist one does",
              "docs/blocks/host_bridge/persist_join.md");
  unsigned without = 0;
  for (const unsigned x : {0u, 1u}) {
    for (const unsigned y : {0u, 1u}) {
      for (const unsigned slow : {1u, 2u, 7u, 100u}) {
        for (const unsigned fast : {1u, 3u}) {
          const Crashes with = crash_everywhere({{'x', x, slow}, kPersist, {'y', y, fast}});
          EXPECT_EQ(with.forbidden, 0u) << x << y << " " << slow << " " << fast;
          EXPECT_GT(with.both, 0u);
          without += crash_everywhere({{'x', x, slow}, {'y', y, fast}}).forbidden;
        }
      }
    }
  }
  EXPECT_GT(without, 300u) << "the forbidden state is within reach";
}

// Port 0 takes nothing for a long time, as in Recovery: x waits on its way when the persist comes.
TEST(PersistPair, L5APortInRecovery) {
  test::shows("order", "The same with x waiting in front of a port whose link is in Recovery",
              "docs/blocks/host_bridge/persist_join.md");
  const std::vector<Step> steps{{'x', 0, 3}, kPersist, {'y', 1, 1}};
  for (const unsigned cycles : {1u, 2u, 3u, 4u, 5u, 50u, 200u}) {
    EXPECT_EQ(crash_everywhere(steps, 0, cycles).forbidden, 0u) << cycles;
    EXPECT_GT(crash_everywhere(steps, 0, cycles).both, 0u) << cycles;
  }
  EXPECT_GT(crash_everywhere({{'x', 0, 3}, {'y', 1, 1}}, 0, 50).forbidden, 0u);
}

// Others' stores before, between and behind; x is any of them.
TEST(PersistPair, L1InTraffic) {
  test::Lockstep run("host_bridge/persist_pair", 0x11a3, 400);
  Random random(run.seed());
  unsigned without = 0;
  while (run.next()) {
    std::vector<Step> steps;
    const auto others = [&](unsigned most) {
      for (std::uint64_t i = random.below(most); i > 0; --i) {
        steps.push_back({'o', static_cast<unsigned>(random.below(2)),
                         1 + static_cast<unsigned>(random.below(40))});
      }
    };
    others(8);
    steps.push_back(
        {'x', static_cast<unsigned>(random.below(2)), 1 + static_cast<unsigned>(random.below(40))});
    others(4);
    const std::size_t at = steps.size();
    steps.push_back(kPersist);
    steps.push_back({'y', static_cast<unsigned>(random.below(2)), 1});
    const unsigned port = static_cast<unsigned>(random.below(3));
    const unsigned stalled = static_cast<unsigned>(random.below(60));
    EXPECT_EQ(crash_everywhere(steps, port, stalled).forbidden, 0u) << run.cycle();
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at));
    without += crash_everywhere(steps, port, stalled).forbidden;
  }
  EXPECT_GT(without, run.cycle());
}

// The host refuses x, no port serves it, the port is viral: answered, with error, and y may wait
// for it.
TEST(PersistPair, L9AnErrorIsAnswered) {
  test::shows("order",
              "A persist over a refused write, a store that no port serves or a viral port is "
              "answered with error, and "
              "without once errors are cleared",
              "docs/blocks/host_bridge/persist_join.md");
  const auto persist = [](Machine& machine, const std::vector<Step>& steps) {
    const std::size_t before = machine.answers().size();
    machine.run(steps);
    for (unsigned i = 0; i < 60 && machine.answers().size() == before; ++i) machine.cycle();
    EXPECT_EQ(machine.answers().size(), before + 1) << "no answer";
    return machine.answers().size() > before && machine.answers().back();
  };
  for (const unsigned port : {0u, 1u, 2u}) {
    Machine machine;
    EXPECT_FALSE(persist(machine, {{'o', 0}, {'o', 1}, kPersist}));
    EXPECT_TRUE(persist(machine, {{'x', port, 5, true}, kPersist}));
    EXPECT_TRUE(persist(machine, {kPersist})) << "another requester";
    machine.clear_error();
    EXPECT_FALSE(persist(machine, {{'o', 0}, kPersist}));
  }
  for (const unsigned port : {0u, 1u}) {
    Machine machine;
    machine.fail(port, true);
    EXPECT_TRUE(persist(machine, {{'x', port}, kPersist}));
    machine.clear_error();
    EXPECT_TRUE(persist(machine, {kPersist})) << "still viral";
    machine.fail(port, false);
    machine.clear_error();
    EXPECT_FALSE(persist(machine, {kPersist}));
  }
}

// Five cycles, as the page says of an idle bus.
TEST(PersistPair, IdleInFive) {
  Machine machine;
  machine.run({kPersist});
  for (unsigned i = 0; i < 5; ++i) {  // n to n + 4
    machine.cycle();
    EXPECT_TRUE(machine.answers().empty()) << i;
  }
  machine.cycle();
  EXPECT_EQ(machine.answers().size(), 1u);
}

}  // namespace
}  // namespace cxlgpu
