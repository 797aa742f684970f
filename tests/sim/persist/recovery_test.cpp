// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The workloads that persist under every loss of power: recovered, and each fault put in is found.
#include "sim/workloads/recovery.hpp"

#include <fmt/format.h>

#include "tests/common/environment.hpp"
#include "tests/sim/persist/persist_machine.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;
using U64 = std::uint64_t;

struct Small {
  std::string name;
  U64 size = 0, iterations = 0;
  LogKind log = LogKind::Hcl;
};

std::string text_of(const Small& small) {
  return small.name + (small.log == LogKind::Hcl ? "" : ", conventional");
}

// Of each kind the smallest that has a bit of everything, on four warps.
std::vector<Small> smalls() {
  constexpr LogKind kConventional = LogKind::Conventional;
  return {{"gpkvs", 8, 2},
          {"gpkvs", 8, 2, kConventional},
          {"gpkvs95", 28, 2},
          {"gpdb-insert", 4, 2},
          {"gpdb-update", 40, 2},
          {"gpdb-update", 40, 2, kConventional},
          {"persist", 64},
          {"hcl", 2},
          {"hcl", 1, 0, kConventional},
          {"hs", 6, 4},
          {"blk", 20, 4},
          {"cfdcp", 8, 4},
          {"dnn", 2, 4},
          {"srad", 6, 2},
          {"bfsp", 25}};
}
Small small_of(const std::string& name, LogKind log = LogKind::Hcl) {
  for (const Small& small : smalls()) {
    if (small.name == name && small.log == log) return small;
  }
  throw std::logic_error(name);
}

// One machine, and what makes the workload for it.
struct Case {
  Case(const Small& small, const std::string& set, Fault fault, bool garbage = false)
      : machine(small.name + "-pram-gpm", {"gpu.cores=2", "gpu.warps=2", set}), name(small.name) {
    params.size = small.size;
    params.iterations = small.iterations;
    params.log = small.log;
    params.log_partitions = 2;
    params.checkpoint_every = 2;
    params.warps = machine.config.gpu.cores * machine.config.gpu.warps;
    params.threads = machine.config.gpu.threads;
    params.persist_fault = fault;
    if (garbage) {
      std::vector<std::uint8_t> bytes(1 << 16);
      for (U64 i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(1 + i * 7 % 250);
      machine.before.poke(machine.map.persistent_base, bytes);
      machine.memory.poke(machine.map.persistent_base, bytes);
    }
  }
  [[nodiscard]] std::unique_ptr<Workload> make() const { return make_workload(name, params); }
  // `left`: begins with it, as a recovery.
  void run(const FlatMemory* left = nullptr) {
    workload = make();
    if (left != nullptr) {
      machine.before.copy(*left);
      for (const U64 page : left->pages()) {
        std::array<std::uint8_t, FlatMemory::kPageBytes> bytes;
        left->peek(page, bytes);
        machine.memory.poke(page, bytes);
      }
    }
    workload->setup(machine.allocator, machine.memory);
    if (left != nullptr) {
      workload->recover(machine.gpu);
    } else {
      workload->launch(machine.gpu);
    }
    machine.run_clean();
  }
  // Before the piece has its name all of it is made again: one state a point is enough there.
  // `run`: of all states; else only the invariant of those that have the name.
  WalkResult walk(const WalkOptions& options, bool run = true) {
    const U64 name = machine.map.persistent_base + gpm::Entry::kStateWord * 4;
    const auto made = [this] { return make(); };
    return machine.walk(options, [&, made](const FlatMemory& memory, bool own) {
      std::uint32_t there = 0;
      memory.peek(name, {reinterpret_cast<std::uint8_t*>(&there), sizeof there});
      const bool passed_over = there != 1 && !(own && run);
      return passed_over
                 ? std::nullopt
                 : recovery_problem(made, gpu_of(machine.config), machine.map, memory, own || run);
    });
  }
  // The machine's own state after so many events.
  FlatMemory left_at(std::size_t point) {
    CrashStates states(machine.journal(), machine.before);
    states.go_to(point);
    FlatMemory left;
    left.copy(states.sure());
    states.write_to(left, states.choices(1, 1).front());
    return left;
  }

  PersistMachine machine;
  std::string name;
  WorkloadParams params;
  std::unique_ptr<Workload> workload;
};

std::string what_of(const WalkResult& result) {
  if (!result.failure) return "";
  return fmt::format("{} at {}.{}, in flight {}", result.failure->what, result.failure->point,
                     result.failure->state, result.failure->in_flight);
}

void expect_recovered(const Small& small, const std::string& domain, const WalkOptions& options,
                      bool garbage = false) {
  SCOPED_TRACE(text_of(small) + ", " + domain);
  Case run(small, "persist.domain=" + domain, Fault::None, garbage);
  run.run();
  EXPECT_EQ(run.workload->verify(run.machine.memory).value_or(""), "");
  const WalkResult result = run.walk(options);
  EXPECT_EQ(result.broken, 0U);
  EXPECT_EQ(what_of(result), "");
  EXPECT_TRUE(options.points != 0 || result.points == result.events + 1);
  EXPECT_GT(result.events, 20U);
}

TEST(Recovery, EveryLossOfPowerIsRecoveredWithABufferThatSurvives) {
  for (const Small& small : smalls()) expect_recovered(small, "buffer", {.states = 2});
}
TEST(Recovery, EveryLossOfPowerIsRecoveredWithADeviceThatSurvives) {
  for (const Small& small : smalls()) expect_recovered(small, "device", {.states = 2});
}
TEST(Recovery, LossesOfPowerInTheOtherDomains) {
  const U64 points = 20 * test::volume();
  for (const Small& small : smalls()) {
    expect_recovered(small, "host", {.points = points, .states = 2});
    if (small.name == "gpkvs" || small.name == "hs") {
      expect_recovered(small, "media", {.points = points, .states = 2});
    }
  }
}
TEST(Recovery, LossesOfPowerOnMemoryThatIsNotNew) {
  const U64 points = 20 * test::volume();
  for (const Small& small : smalls()) {
    expect_recovered(small, "buffer", {.points = points, .states = 3}, true);
  }
}
TEST(Recovery, RandomLossesOfLargerRuns) {
  const U64 points = 10 * test::volume();
  for (const Small& small : smalls()) {
    Small larger = small;
    larger.size *= small.name == "hcl" ? 2 : 4;
    expect_recovered(larger, "buffer", {.points = points, .states = 3});
  }
}

// Power lost within a recovery: the second run begins with what the first left.
WalkResult walk_recovery(const Small& small, Fault fault, std::size_t part,
                         const WalkOptions& options) {
  Case first(small, "persist.domain=buffer", fault);
  first.run();
  const FlatMemory left = first.left_at(first.machine.journal().events().size() * part / 16);
  Case second(small, "persist.domain=buffer", fault);
  second.run(&left);
  if (fault == Fault::None) {
    EXPECT_EQ(second.workload->verify(second.machine.memory).value_or(""), "");
    EXPECT_LT(second.machine.journal().events().size(), first.machine.journal().events().size())
        << "what was done is passed over";
  }
  return second.walk(options);
}

TEST(Recovery, LossesOfPowerWithinARecoveryAreRecovered) {
  for (const Small& small : smalls()) {
    SCOPED_TRACE(text_of(small));
    EXPECT_EQ(what_of(walk_recovery(small, Fault::None, 15,
                                    {.points = 20 * test::volume(), .states = 3})),
              "");
  }
}

struct Wrong {
  Small small;
  Fault fault;
};

std::vector<Wrong> wrongs() {
  constexpr LogKind kConventional = LogKind::Conventional;
  std::vector<Wrong> all;
  for (const Fault fault :
       {Fault::InPlaceBeforeUndo, Fault::NoPersistBeforeMark, Fault::LogDroppedFirst,
        Fault::KeepsOldLog, Fault::StateWithEntry, Fault::TailBeforeData,
        Fault::NoPersistBeforeTail, Fault::NoPersistAfterTail}) {
    all.push_back({small_of("gpkvs"), fault});
    all.push_back({small_of("gpdb-update"), fault});
  }
  for (const Fault fault : {Fault::TailBeforeData, Fault::NoPersistBeforeTail}) {
    all.push_back({small_of("gpkvs", kConventional), fault});
    all.push_back({small_of("gpdb-update", kConventional), fault});
    all.push_back({small_of("hcl"), fault});
    all.push_back({small_of("hcl", kConventional), fault});
  }
  for (const Fault fault : {Fault::InPlaceBeforeUndo, Fault::NoPersistBeforeMark,
                            Fault::LogDroppedFirst, Fault::TailBeforeData, Fault::StateWithEntry}) {
    all.push_back({small_of("gpdb-insert"), fault});
  }
  for (const char* name : {"hs", "blk", "cfdcp", "dnn"}) {
    for (const Fault fault :
         {Fault::IndexBeforeCopy, Fault::NoPersistBeforeTail, Fault::ClearsAtRecovery}) {
      all.push_back({small_of(name), fault});
    }
  }
  for (const Fault fault :
       {Fault::MarkBeforeData, Fault::NoPersistBeforeMark, Fault::StateWithEntry}) {
    all.push_back({small_of("srad"), fault});
    all.push_back({small_of("bfsp"), fault});
  }
  all.push_back({small_of("bfsp"), Fault::MarkAsClaim});
  all.push_back({small_of("persist"), Fault::NoPersistAfterMark});
  return all;
}

TEST(Recovery, EachFaultIsFound) {
  for (const Wrong& wrong : wrongs()) {
    SCOPED_TRACE(fmt::format("{}, fault {}", text_of(wrong.small), static_cast<int>(wrong.fault)));
    // On a short link what is not waited for is safe before what follows is sent.
    Case run(wrong.small, "link.flight_ps=1000000", wrong.fault);
    run.run();
    const WalkResult result = run.walk({.states = 8}, false);
    EXPECT_TRUE(result.failure) << "after " << result.states << " states";
  }
}

// What an undo leaves is seen when power is lost again before the batch is done.
TEST(Recovery, UndoToEmptyIsFound) {
  for (const Small& small : smalls()) {
    if (small.name != "gpkvs" && !small.name.starts_with("gpdb")) continue;
    SCOPED_TRACE(text_of(small));
    bool found = false;
    for (std::size_t part = 10; part < 16 && !found; ++part) {
      found = walk_recovery(small, Fault::UndoToEmpty, part, {.states = 2}).failure.has_value();
    }
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace cxlgpu
