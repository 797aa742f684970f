// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Issue: scheduler, latencies of the units, slots that add up, figures of a GPU engineer.
#include "tests/sim/gpu/gpu_rig.hpp"

namespace cxlgpu {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

GpuParams one_core(U32 warps) {
  GpuParams p;
  p.cores = 1;
  p.warps = warps;
  return p;
}

// The order in which warps come to a point of their program is that of issue.
std::vector<U32> order_of_issue(Scheduler scheduler, U32 warps = 3) {
  GpuParams p = one_core(warps);
  p.scheduler = scheduler;
  Rig rig(p);
  std::vector<U32> order;
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (int i = 0; i < 3; ++i) {
      w.compute();
      co_await w.drain();
      order.push_back(w.id());
    }
  });
  rig.run_clean();
  return order;
}

TEST(Scheduler, LooseRoundRobinTakesTurns) {
  EXPECT_EQ(order_of_issue(Scheduler::Lrr), (std::vector<U32>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
}

TEST(Scheduler, GreedyStaysThenTakesTheOldest) {
  EXPECT_EQ(order_of_issue(Scheduler::Gto), (std::vector<U32>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

// Turns and age go by number beyond 64 warps, too.
TEST(Scheduler, OfEveryWarpOfALargeCore) {
  for (const U32 warps : {64U, 65U, 200U, 256U}) {
    const std::vector<U32> turns = order_of_issue(Scheduler::Lrr, warps);
    const std::vector<U32> greedy = order_of_issue(Scheduler::Gto, warps);
    ASSERT_EQ(turns.size(), 3U * warps);
    ASSERT_EQ(greedy.size(), 3U * warps);
    for (U32 i = 0; i < 3 * warps; ++i) {
      ASSERT_EQ(turns[i], i % warps) << warps;
      ASSERT_EQ(greedy[i], i / 3) << warps;
    }
  }
}

// Warp 0's result is there while warp 1 issues: greedy goes on with 1, and back to 0 when 1 waits.
TEST(Scheduler, GreedyGoesOnWhenAnOlderOneIsReadyAgain) {
  for (const Scheduler scheduler : {Scheduler::Lrr, Scheduler::Gto}) {
    GpuParams p = one_core(2);
    p.scheduler = scheduler;
    p.units.fpu = 3;
    Rig rig(p);
    std::vector<U32> order;
    rig.gpu.launch([&](Warp& w) -> WarpTask {
      if (w.id() == 0) w.compute(1, Unit::Fpu);
      for (int i = 0; i < 4; ++i) {
        w.compute();
        co_await w.drain();
        order.push_back(w.id());
      }
    });
    rig.run_clean();
    EXPECT_EQ(order, scheduler == Scheduler::Gto ? (std::vector<U32>{1, 1, 1, 1, 0, 0, 0, 0})
                                                 : (std::vector<U32>{1, 1, 0, 1, 0, 1, 0, 0}));
  }
}

// Slots of one warp from its first instruction to its last.
GpuStats alone(const GpuParams& p, const std::function<void(Warp&)>& program) {
  Rig rig(p);
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    program(w);
    co_await w.drain();
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().slots(), p.cores * rig.gpu.stats().cycles);
  return rig.gpu.stats();
}

TEST(Latency, AGroupIssuesBackToBackAndTheNextWaits) {
  GpuParams p = one_warp();
  p.units = {.alu = 1, .mul = 3, .fpu = 5, .sfu = 17};
  for (const Unit unit : {Unit::Alu, Unit::Mul, Unit::Fpu, Unit::Sfu}) {
    const U64 latency = p.units.latency(unit);
    const GpuStats s = alone(p, [unit](Warp& w) {
      w.compute(10, unit);
      w.compute(1, Unit::Alu);
    });
    EXPECT_EQ(s.issue_cycles, 11U);
    EXPECT_EQ(s.stall_result_cycles, latency - 1);
    EXPECT_EQ(s.unit_computes[static_cast<std::size_t>(unit)], unit == Unit::Alu ? 11U : 10U);
  }
}

TEST(Latency, OfAChainEachWaitsForTheOneBefore) {
  GpuParams p = one_warp();
  p.units.fpu = 6;
  const GpuStats s = alone(p, [](Warp& w) {
    w.compute_chain(10, Unit::Fpu);
    w.compute();
  });
  EXPECT_EQ(s.issue_cycles, 11U);
  EXPECT_EQ(s.stall_result_cycles, 10U * 5);
}

TEST(Latency, AStoreWaitsForItsValueALoadInFrontDoesNot) {
  GpuParams p = one_warp();
  p.units.sfu = 40;
  Rig rig(p);
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    auto load = w.load(x, w.consecutive(0), w.full_mask());
    w.compute(1, Unit::Sfu);
    w.store(x, w.consecutive(32), Lanes<U32>{}, w.full_mask());
    co_await w.drain();
    EXPECT_FALSE(load.done());  // a fetch takes longer than the division
    (void)co_await load;
  });
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().stall_result_cycles, 39U);
}

// n warps of which each issues once a latency: together one a cycle, as soon as n reaches it.
TEST(Latency, OtherWarpsHideIt) {
  for (const U32 warps : {1U, 2U, 4U, 8U}) {
    GpuParams p = one_core(warps);
    p.units.fpu = 4;
    const GpuStats s = alone(p, [](Warp& w) { w.compute_chain(100, Unit::Fpu); });
    EXPECT_EQ(s.issue_cycles, 100U * warps);
    // After each round of the warps, the rest of the latency; nothing waits for the last round.
    EXPECT_EQ(s.stall_result_cycles, warps < 4 ? 99U * (4 - warps) : 0U);
  }
}

TEST(Slots, EachCauseByFormula) {
  GpuParams p = one_core(2);
  p.units.mul = 9;
  p.barrier_cycles = 50;
  const GpuStats s = alone(p, [](Warp& w) {
    if (w.id() == 0) w.compute(3, Unit::Mul);
    w.compute(5);
  });
  EXPECT_EQ(s.issue_cycles, 13U);
  // Behind warp 0's third come 8 slots without a result; warp 1, two behind, has 3 for them.
  EXPECT_EQ(s.stall_result_cycles, 9U - 1 - 3);
  EXPECT_EQ(s.stall_barrier_cycles + s.stall_lsu_cycles + s.stall_memory_cycles, 0U);
}

// A run begun later is the same run, so many cycles later.
TEST(Slots, AStartIsWaitedForOnce) {
  for (const U32 start : {0U, 1U, 7U, 1000U}) {
    GpuParams p = one_core(2);
    p.launch_cycles = 5;
    Rig at_once(p);
    p.start_cycles = start;
    Rig later(p);
    for (Rig* rig : {&at_once, &later}) {
      for (int kernel = 0; kernel < 2; ++kernel) {
        rig->gpu.launch([](Warp& w) -> WarpTask {
          w.compute_chain(100, Unit::Fpu);
          co_await w.drain();
        });
      }
      rig->run_clean();
    }
    EXPECT_EQ(later.gpu.stats().cycles, at_once.gpu.stats().cycles + start);
    EXPECT_EQ(later.gpu.stats().issue_cycles, at_once.gpu.stats().issue_cycles);
  }
}

TEST(Slots, BarrierAndLsu) {
  GpuParams p = one_core(1);
  p.barrier_cycles = 50;
  Rig rig(p);
  rig.gpu.launch([](Warp& w) -> WarpTask { co_await w.barrier(); });
  rig.run_clean();
  // The slot after the barrier's own to that in which it opens.
  EXPECT_EQ(rig.gpu.stats().stall_barrier_cycles, 50U);

  p = one_core(1);
  p.lsu_queue = 1;
  Rig full(p);
  const auto x = full.array(iota<U32>(16 * 8 * 4));
  full.gpu.launch([&](Warp& w) -> WarpTask {
    // Eight lanes in eight lines: the unit is at it for eight cycles.
    for (U64 n = 0; n < 4; ++n) {
      w.store(x, w.map([&](unsigned i) { return 16 * (8 * n + i); }), Lanes<U32>{}, w.full_mask());
    }
    co_await w.drain();
  });
  full.run_clean();
  // A cycle's request leaves before that cycle's issue: 7 slots lost before each but the first.
  EXPECT_EQ(full.gpu.stats().stall_lsu_cycles, 3U * 7);
}

TEST(Slots, AddUpToCoresTimesCycles) {
  for (const std::string name : {"vadd", "bfs"}) {
    for (const Scheduler scheduler : {Scheduler::Lrr, Scheduler::Gto}) {
      GpuParams p;
      p.scheduler = scheduler;
      p.units.alu = 3;
      Rig rig(p);
      auto workload = make_workload(name, {.size = 3000});
      workload->setup(rig.allocator, rig.memory);
      workload->launch(rig.gpu);
      rig.run_clean();
      const GpuStats& s = rig.gpu.stats();
      EXPECT_EQ(s.slots(), p.cores * s.cycles) << name;
      EXPECT_EQ(s.issue_cycles, s.instructions() + s.syncs);
      EXPECT_GT(s.stall_memory_cycles, 0U);
      EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
    }
  }
}

TEST(Slots, ASecondRunAddsUpToo) {
  Rig rig(one_core(2));
  const Kernel kernel = [](Warp& w) -> WarpTask {
    w.compute(100);
    co_return;
  };
  rig.gpu.launch(kernel);
  rig.run_clean();
  const U64 first = rig.gpu.stats().cycles;
  rig.engine.advance_to(rig.engine.now() + Time{1'000'000});  // nobody's slots
  rig.gpu.launch(kernel);
  rig.run_clean();
  EXPECT_EQ(rig.gpu.stats().cycles, 2 * first);
  EXPECT_EQ(rig.gpu.stats().slots(), 2 * first);
}

TEST(Figures, LanesAndResidence) {
  GpuParams p = one_core(4);
  Rig rig(p);
  const auto x = rig.array(iota<U32>(64));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 3) co_return;  // ends as it begins
    w.compute(10, Unit::Alu, 0b111);
    w.compute(5);
    w.store(x, w.consecutive(0), Lanes<U32>{}, 0b1);
    co_await w.drain();
  });
  rig.run_clean();
  const GpuStats& s = rig.gpu.stats();
  EXPECT_EQ(s.thread_instructions, 3U * (10 * 3 + 5 * 8 + 1));
  EXPECT_EQ(s.instructions(), 3U * 16);
  // Three warps stay from launch until their store is answered, one not a cycle.
  const U64 at_work = s.cycles - s.idle_cycles;
  EXPECT_LE(s.warp_cycles, 3 * at_work + 3);
  EXPECT_GE(s.warp_cycles, 3 * at_work - 3);
}

// Little's law: misses of a known latency, one after the other or m at a time.
TEST(Figures, OutstandingMissesAreTheirLatencyOverTheRun) {
  FixedLatencyParams latency;
  latency.latency = Time{1'000'000};
  Rig rig(one_warp(), latency);
  const auto x = rig.array(iota<U32>(64 * 16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U64 n = 0; n < 20; ++n) {
      (void)co_await w.load(x, w.consecutive(16 * n), w.full_mask());
    }
  });
  rig.run_clean();
  const auto cycles = static_cast<double>(rig.gpu.stats().llc_miss_cycles);
  EXPECT_NEAR(cycles, 20 * 1000, 20 * 2);
}

// N misses through m registers take N/m latencies, whichever cache they belong to.
void misses_come_in_waves(GpuParams p, U64 registers) {
  FixedLatencyParams latency;
  latency.latency = Time{10'000'000};
  p.loads_per_warp = 64;
  Rig rig(p, latency);
  constexpr U64 kMisses = 48;
  const auto x = rig.array(iota<U32>(kMisses * 16));
  rig.gpu.launch([&](Warp& w) -> WarpTask {
    for (U64 n = 0; n < kMisses; ++n) {
      (void)w.load(x, w.consecutive(16 * n), w.full_mask());
    }
    co_await w.loads();
  });
  rig.run_clean();
  const U64 waves = kMisses / registers;
  EXPECT_GE(rig.gpu.stats().cycles, waves * 10'000);
  EXPECT_LE(rig.gpu.stats().cycles, waves * (10'000 + 300));
}

TEST(MissRegisters, BoundMissesUnderWay) {
  for (const U32 n : {1U, 2U, 4U, 8U, 16U}) {
    GpuParams p = one_warp();
    p.l1.mshrs = n;
    misses_come_in_waves(p, n);
    p = one_warp();
    p.l1.mshrs = 64;
    p.llc.mshrs = n;
    misses_come_in_waves(p, n);
    p = one_warp();
    p.l1.mshrs = p.llc.mshrs = 64;
    p.loads_per_warp = 64;
    misses_come_in_waves(p, 48);
  }
}

// One host call of step() for each thing that happens, none for cycles in which nothing does.
TEST(Cost, WaitingForArithmeticIsNotTicked) {
  GpuParams p = one_warp();
  p.units.sfu = 1000;
  Rig rig(p);
  rig.gpu.launch([](Warp& w) -> WarpTask {
    w.compute_chain(50, Unit::Sfu);
    w.compute();
    co_return;
  });
  U64 steps = 0;
  while (!rig.gpu.done()) {
    rig.gpu.step(rig.checked);
    ++steps;
    if (!rig.gpu.done()) rig.checked.advance_to(rig.gpu.next_event());
  }
  EXPECT_GT(rig.gpu.stats().cycles, 50'000U);
  EXPECT_LT(steps, 50U * 4);
}

}  // namespace
}  // namespace cxlgpu
