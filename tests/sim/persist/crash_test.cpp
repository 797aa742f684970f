// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Workloads and library under every loss of power: recovered, and each fault put in is found.
#include "sim/gpm/checkpoint.hpp"
#include "sim/gpm/log.hpp"
#include "sim/workloads/recovery.hpp"
#include "tests/sim/persist/litmus.hpp"
#include "tests/sim/persist/persist_machine.hpp"

namespace cxlgpu {
namespace {

using gpm::Fault;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Sets = std::vector<std::string>;

// ------------------------------------------------------------------------------------------- ps

struct Walked {
  WalkResult result;
  std::string what;  // of the failure
};

// `recover_all`: else only the machine's own states are recovered, of the others the invariant is
// looked at.
Walked walk_ps(const std::string& scenario, U64 blocks, Fault fault, const WalkOptions& options,
               bool recover_all, const Sets& sets = {}) {
  PersistMachine machine(scenario, sets);
  WorkloadParams params;
  params.size = blocks;
  params.persist_fault = fault;
  const auto make = [&] { return make_workload("ps", params); };
  const auto workload = make();
  workload->setup(machine.allocator, machine.memory);
  workload->launch(machine.gpu);
  machine.run_clean();
  EXPECT_EQ(workload->verify(machine.memory).value_or(""), "");
  Walked walked;
  walked.result = machine.walk(options, [&](const FlatMemory& left, bool own) {
    return recovery_problem(make, gpu_of(machine.config), machine.map, left, own || recover_all);
  });
  EXPECT_EQ(walked.result.broken, 0U);
  if (walked.result.failure) walked.what = walked.result.failure->what;
  return walked;
}

TEST(PrefixSum, EveryLossOfPowerIsRecoveredInEveryDomain) {
  for (const char* domain : {"media", "buffer", "device", "host"}) {
    const Walked walked = walk_ps("ps-pram-gpm", 8, Fault::None, {.states = 32}, true,
                                  {std::string("persist.domain=") + domain});
    EXPECT_EQ(walked.what, "") << domain << ", point " << walked.result.failure->point;
    EXPECT_GE(walked.result.points, 8U * 2 * 3) << domain;
  }
}

TEST(PrefixSum, EveryLossOfPowerOfSixtyFourBlocksIsRecovered) {
  const Walked walked = walk_ps("ps-pram-gpm", 64, Fault::None, {.states = 8}, false);
  EXPECT_EQ(walked.what, "");
  EXPECT_EQ(walked.result.points, walked.result.events + 1);
  EXPECT_GE(walked.result.events, 64U * 6 * 3);
  EXPECT_GT(walked.result.most_free, 8U);
}

TEST(PrefixSum, RandomLossesOfALargerRun) {
  const Walked walked =
      walk_ps("ps-znand-gpm", 256, Fault::None, {.points = 60, .states = 8}, true);
  EXPECT_EQ(walked.what, "");
}

TEST(PrefixSum, FaultMarkBeforeDataIsFound) {
  EXPECT_NE(walk_ps("ps-pram-gpm", 8, Fault::MarkBeforeData, {.states = 16}, false).what, "");
}

TEST(PrefixSum, FaultNoPersistBeforeMarkIsFound) {
  EXPECT_NE(walk_ps("ps-pram-gpm", 8, Fault::NoPersistBeforeMark, {}, false).what, "");
}

TEST(PrefixSum, FaultNameBeforeHeaderIsFound) {
  EXPECT_NE(walk_ps("ps-pram-gpm", 2, Fault::StateWithEntry, {}, false).what, "");
}

// What recovery throws away it may not count as done.
TEST(PrefixSum, FaultClearsAtRecoveryIsFound) {
  EXPECT_NE(walk_ps("ps-pram-gpm", 8, Fault::ClearsAtRecovery, {.states = 4}, true).what, "");
}

// Power lost within a recovery: the second run begins with what the first left.
TEST(PrefixSum, EveryLossOfPowerWithinARecoveryIsRecovered) {
  WorkloadParams params;
  params.size = 8;
  const auto make = [&] { return make_workload("ps", params); };
  FlatMemory left;
  {
    PersistMachine machine("ps-pram-gpm");
    const auto workload = make();
    workload->setup(machine.allocator, machine.memory);
    workload->launch(machine.gpu);
    machine.run_clean();
    CrashStates states(machine.journal(), machine.before);
    states.go_to(machine.journal().events().size() / 2);
    left.copy(states.sure());
    states.write_to(left, states.choices(1, 1).front());
  }
  PersistMachine machine("ps-pram-gpm");
  machine.before.copy(left);
  for (const U64 page : left.pages()) {
    std::array<std::uint8_t, FlatMemory::kPageBytes> bytes;
    left.peek(page, bytes);
    machine.memory.poke(page, bytes);
  }
  const auto workload = make();
  workload->setup(machine.allocator, machine.memory);
  EXPECT_EQ(workload->verify_recovered(machine.memory).value_or(""), "");
  workload->recover(machine.gpu);
  machine.run_clean();
  EXPECT_EQ(workload->verify(machine.memory).value_or(""), "");
  const WalkResult result = machine.walk({.states = 16}, [&](const FlatMemory& m, bool) {
    return recovery_problem(make, gpu_of(machine.config), machine.map, m, true);
  });
  EXPECT_FALSE(result.failure) << result.failure->what;
  EXPECT_LT(result.events, 8U * 6 * 3) << "what was done is passed over";
}

// ---------------------------------------------------------------------------------- the library

Sets small() {
  return {"gpu.cores=2", "gpu.warps=2"};
}

// What is on new memory before anything is made there.
void poke_garbage(PersistMachine& machine, U64 base, U64 bytes) {
  std::vector<std::uint8_t> garbage(bytes);
  for (U64 i = 0; i < bytes; ++i) garbage[i] = static_cast<std::uint8_t>(1 + i * 7 % 250);
  machine.before.poke(base, garbage);
  machine.memory.poke(base, garbage);
}

gpm::Header header_in(const FlatMemory& memory, U64 base) {
  gpm::LineWords words;
  memory.peek(base, {reinterpret_cast<std::uint8_t*>(words.data()), kLineBytes});
  return gpm::line_from<gpm::Header>(words);
}

template <typename T>
T at(const FlatMemory& memory, U64 address) {
  T value;
  memory.peek(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
  return value;
}

constexpr U32 kEntries = 3, kWarps = 4;
U32 word_of(U32 warp, U64 lane, U64 entry, U64 word) {
  return static_cast<U32>(1000000 * (warp + 1) + 10000 * (lane + 1) + 100 * (entry + 1) + word);
}
gpm::Chunks entry_of(const Warp& w, U64 entry, U64 words) {
  gpm::Chunks chunks;
  for (U64 k = 0; k < words; ++k) {
    chunks.push_back(w.map([&](unsigned lane) { return word_of(w.id(), lane, entry, k); }));
  }
  return chunks;
}

// Warp 0 makes the log; each then inserts, and after each insert says so in a line of its own.
WalkResult walk_hcl(Fault fault, bool garbage) {
  PersistMachine machine("ps-pram-gpm", small());
  const gpm::HclShape shape{.entry_bytes = 12, .warps = kWarps, .lanes = 8, .capacity = kEntries};
  const auto room = machine.allocator.alloc_persistent<U32>(shape.bytes() / 4);
  const auto said = machine.allocator.alloc_persistent<U32>(kWarps * 16);
  if (garbage) poke_garbage(machine, room.base, room.bytes());
  const gpm::HclLog log(room.base, shape, fault);
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 0) co_await log.gpmlog_create_hcl(w);
  });
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = false;
    co_await log.gpmlog_open(w, ok);
    EXPECT_TRUE(ok);
    for (U32 e = 0; e < kEntries; ++e) {
      co_await log.gpmlog_insert(w, entry_of(w, e, shape.chunks()), w.full_mask(), ok);
      EXPECT_TRUE(ok);
      w.store(said, w.uniform(w.id() * 16), w.map([&](unsigned) { return e + 1; }), lane_bit(0));
      co_await w.persist();
    }
    co_await log.gpmlog_insert(w, entry_of(w, 0, shape.chunks()), w.full_mask(), ok);
    EXPECT_FALSE(ok) << "it is full";
    for (U32 e = 0; e < kEntries; ++e) {
      gpm::Chunks read;
      LaneMask there = 0;
      co_await log.gpmlog_read(w, e, read, there);
      EXPECT_EQ(there, w.full_mask());
      for (U64 k = 0; k < shape.chunks(); ++k) {
        for (unsigned lane = 0; lane < 8; ++lane) {
          EXPECT_EQ(read[k][lane], word_of(w.id(), lane, e, k));
        }
      }
    }
  });
  machine.run_clean();
  return machine.walk({.states = 48}, [&](const FlatMemory& m, bool) -> std::optional<std::string> {
    if (!header_in(m, room.base).valid(gpm::Kind::HclLog)) return std::nullopt;
    for (U32 warp = 0; warp < kWarps; ++warp) {
      for (unsigned lane = 0; lane < 8; ++lane) {
        const U32 tail = at<U32>(m, log.tail_address(warp, lane));
        if (tail > kEntries) return "a tail beyond the log";
        if (tail < at<U32>(m, said.address(warp * 16))) return "an insert that ended is lost";
        for (U64 e = 0; e < tail; ++e) {
          for (U64 k = 0; k < shape.chunks(); ++k) {
            if (at<U32>(m, log.chunk_address(warp, e, k, lane)) != word_of(warp, lane, e, k)) {
              return "an entry that is not whole";
            }
          }
        }
      }
    }
    return std::nullopt;
  });
}

TEST(HclLog, EveryEntryThatItsTailNamesIsWhole) {
  const WalkResult result = walk_hcl(Fault::None, true);
  EXPECT_FALSE(result.failure) << result.failure->what << " at " << result.failure->point;
  EXPECT_GT(result.events, kWarps * kEntries * 4 * 3U);
}
TEST(HclLog, ALaneWithoutRoomIsSaid) {
  PersistMachine machine("ps-pram-gpm", {"gpu.cores=1", "gpu.warps=1"});
  const gpm::HclShape shape{.entry_bytes = 4, .warps = 1, .lanes = 8, .capacity = 1};
  const gpm::HclLog log(machine.allocator.alloc_persistent<U32>(shape.bytes() / 4).base, shape);
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = false;
    co_await log.gpmlog_create_hcl(w);
    co_await log.gpmlog_insert(w, entry_of(w, 0, 1), 0x0f, ok);
    EXPECT_TRUE(ok);
    co_await log.gpmlog_insert(w, entry_of(w, 1, 1), w.full_mask(), ok);
    EXPECT_FALSE(ok) << "four had none";
    gpm::Chunks read;
    LaneMask there = 0;
    co_await log.gpmlog_read(w, 0, read, there);
    EXPECT_EQ(there, w.full_mask());
    for (unsigned lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(read[0][lane], word_of(w.id(), lane, lane < 4 ? 0 : 1, 0));
    }
  });
  machine.run_clean();
}
TEST(HclLog, FaultNoPersistBeforeTailIsFound) {
  EXPECT_TRUE(walk_hcl(Fault::NoPersistBeforeTail, false).failure);
}
TEST(HclLog, FaultTailBeforeDataIsFound) {
  EXPECT_TRUE(walk_hcl(Fault::TailBeforeData, false).failure);
}
TEST(HclLog, FaultNoPersistAfterTailIsFound) {
  EXPECT_TRUE(walk_hcl(Fault::NoPersistAfterTail, false).failure);
}
TEST(HclLog, FaultHeaderBeforeTheTailsAreClearedIsFound) {
  EXPECT_TRUE(walk_hcl(Fault::StateWithEntry, true).failure);
}

// All into two partitions, so that warps meet at a lock.
WalkResult walk_conv(Fault fault, bool garbage, const Sets& more = {}) {
  Sets sets = small();
  sets.insert(sets.end(), more.begin(), more.end());
  PersistMachine machine("ps-pram-gpm", sets);
  const U32 per_partition = 2 * 2 * 8;
  const gpm::ConvShape shape{.entry_bytes = 40, .partitions = 2, .capacity = per_partition};
  const auto room = machine.allocator.alloc_persistent<U32>(shape.bytes() / 4);
  const auto said = machine.allocator.alloc_persistent<U32>(kWarps * 16);
  const auto locks = machine.allocator.alloc<U32>(2);
  if (garbage) poke_garbage(machine, room.base, room.bytes());
  const gpm::ConvLog log(room.base, shape, locks, fault);
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 0) co_await log.gpmlog_create_conv(w);
  });
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = false;
    co_await log.gpmlog_open(w, ok);
    EXPECT_TRUE(ok);
    for (U32 e = 0; e < 2; ++e) {
      co_await log.gpmlog_insert(w, entry_of(w, e, 10), w.full_mask(), -1, ok);
      EXPECT_TRUE(ok);
      w.store(said, w.uniform(w.id() * 16), w.map([&](unsigned) { return e + 1; }), lane_bit(0));
      co_await w.persist();
    }
  });
  machine.run_clean();
  return machine.walk({.states = 12}, [&](const FlatMemory& m, bool) -> std::optional<std::string> {
    if (!header_in(m, room.base).valid(gpm::Kind::ConvLog)) return std::nullopt;
    std::map<U32, U32> found;  // by warp
    for (U32 p = 0; p < 2; ++p) {
      const U32 head = at<U32>(m, log.head_address(p));
      if (head > per_partition) return "a head beyond the log";
      for (U64 e = 0; e < head; ++e) {
        const U32 first = at<U32>(m, log.word_address(p, e, 0));
        for (U64 k = 1; k < 10; ++k) {
          if (at<U32>(m, log.word_address(p, e, k)) != first + k) return "an entry is not whole";
        }
        ++found[first / 1000000 - 1];
      }
    }
    for (U32 warp = 0; warp < kWarps; ++warp) {
      if (found[warp] < 8 * at<U32>(m, said.address(warp * 16))) return "an entry is lost";
    }
    return std::nullopt;
  });
}

TEST(ConvLog, EveryEntryBelowItsHeadIsWhole) {
  const WalkResult result = walk_conv(Fault::None, true);
  EXPECT_FALSE(result.failure) << result.failure->what << " at " << result.failure->point;
}
TEST(ConvLog, FaultNoPersistBeforeHeadIsFound) {
  EXPECT_TRUE(walk_conv(Fault::NoPersistBeforeTail, false).failure);
}
TEST(ConvLog, FaultHeadBeforeDataIsFound) {
  EXPECT_TRUE(walk_conv(Fault::TailBeforeData, false).failure);
}
TEST(ConvLog, FaultNoPersistAfterHeadIsFound) {
  // On a short link the head is safe before the lock is open.
  EXPECT_TRUE(walk_conv(Fault::NoPersistAfterTail, false, {"link.flight_ps=1000000"}).failure);
}

TEST(ConvLog, EntriesOfAPartitionAreReadALaneEach) {
  PersistMachine machine("ps-pram-gpm", {"gpu.cores=1", "gpu.warps=1"});
  const gpm::ConvShape shape{.entry_bytes = 12, .partitions = 3, .capacity = 11};
  const auto room = machine.allocator.alloc_persistent<U32>(shape.bytes() / 4);
  const gpm::ConvLog log(room.base, shape, machine.allocator.alloc<U32>(3));
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = false;
    U32 head = 9;
    co_await log.gpmlog_create_conv(w);
    co_await log.gpmlog_insert(w, entry_of(w, 0, 3), w.full_mask(), 2, ok);
    EXPECT_TRUE(ok);
    co_await log.gpmlog_insert(w, entry_of(w, 1, 3), 0x92, 2, ok);
    EXPECT_TRUE(ok);
    co_await log.gpmlog_insert(w, entry_of(w, 2, 3), 1, 2, ok);
    EXPECT_FALSE(ok) << "it is full";
    co_await log.gpmlog_head(w, 2, head);
    EXPECT_EQ(head, 11U);
    co_await log.gpmlog_head(w, 1, head);
    EXPECT_EQ(head, 0U);
    const std::array<unsigned, 11> lane_of = {0, 1, 2, 3, 4, 5, 6, 7, 1, 4, 7};
    for (const U32 first : {0U, 3U, 10U, 11U}) {
      gpm::Chunks read;
      LaneMask there = 0;
      co_await log.gpmlog_read(w, 2, first, read, there);
      EXPECT_EQ(there, LaneMask{0xff} >> (first > 3 ? first - 3 : 0));
      for (unsigned i = 0; i < 8 && first + i < 11; ++i) {
        for (U64 k = 0; k < 3; ++k) {
          EXPECT_EQ(read[k][i], word_of(0, lane_of[first + i], first + i < 8 ? 0 : 1, k));
        }
      }
    }
  });
  machine.run_clean();
}

// Each warp a group; of two arrays, and three checkpoints.
WalkResult walk_checkpoint(Fault fault, bool garbage) {
  PersistMachine machine("ps-pram-gpm", small());
  constexpr U32 kSteps = 3, kWords = 24;
  const gpm::CheckpointShape shape{.groups = kWarps, .copy_bytes = kWords * 4};
  const auto room = machine.allocator.alloc_persistent<U32>(shape.bytes() / 4);
  const auto said = machine.allocator.alloc_persistent<U32>(kWarps * 16);
  const auto data = machine.allocator.alloc<U32>(kWarps * kWords);
  if (garbage) poke_garbage(machine, room.base, room.bytes());
  gpm::Checkpoint checkpoint(room.base, shape, fault);
  for (U32 g = 0; g < kWarps; ++g) {
    checkpoint.gpmcp_register(g, {data.address(g * kWords), 8});
    checkpoint.gpmcp_register(g, {data.address(g * kWords + 8), kWords - 8});
  }
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 0) co_await checkpoint.gpmcp_create(w);
  });
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = false;
    co_await checkpoint.gpmcp_open(w, ok);
    EXPECT_TRUE(ok);
    if (fault == Fault::None) {
      co_await checkpoint.gpmcp_restore(w, w.id(), ok);
      EXPECT_FALSE(ok) << "there is none yet";
    }
    for (U32 step = 1; step <= kSteps; ++step) {
      for (U64 i = 0; i < kWords; i += 8) {
        w.store(data, w.consecutive(w.id() * kWords + i),
                w.map([&](unsigned lane) { return word_of(w.id(), step, 0, i + lane); }),
                w.full_mask());
      }
      co_await checkpoint.gpmcp_checkpoint(w, w.id(), ok);
      EXPECT_TRUE(ok);
      w.store(said, w.uniform(w.id() * 16), w.map([&](unsigned) { return step; }), lane_bit(0));
      co_await w.persist();
    }
    if (fault != Fault::None) co_return;
    w.store(data, w.consecutive(w.id() * kWords), w.map([](unsigned) { return 0U; }),
            w.full_mask());
    co_await checkpoint.gpmcp_restore(w, w.id(), ok);
    EXPECT_TRUE(ok);
    const auto v = co_await w.load_l2(data, w.consecutive(w.id() * kWords), w.full_mask());
    EXPECT_EQ(v[5], word_of(w.id(), kSteps, 0, 5));
  });
  machine.run_clean();
  return machine.walk({.states = 32}, [&](const FlatMemory& m, bool) -> std::optional<std::string> {
    if (!header_in(m, room.base).valid(gpm::Kind::Checkpoint)) return std::nullopt;
    for (U32 g = 0; g < kWarps; ++g) {
      auto line = at<gpm::GroupLine>(m, checkpoint.line_address(g));
      if (fault == Fault::PackedIndex) {
        const U32 byte = at<U32>(m, checkpoint.line_address(0) + g / 4 * 4) >> g % 4 * 8 & 0xff;
        line = gpm::GroupLine{};
        line.sequence = byte >> 1;
        line.which = byte & 1;
        line.crc = line.own_crc();
      }
      const bool there = line.valid() || (fault == Fault::NoCrcCheck && line.sequence != 0);
      const U64 sequence = there ? line.sequence : 0;
      if (sequence < at<U32>(m, said.address(g * 16))) return "a checkpoint is lost";
      if (sequence > kSteps) return "a checkpoint that nobody made";
      for (U64 i = 0; i < kWords && sequence != 0; ++i) {
        if (at<U32>(m, checkpoint.copy_address(g, line.which) + i * 4) !=
            word_of(g, sequence, 0, i)) {
          return "a copy is not whole";
        }
      }
    }
    return std::nullopt;
  });
}

TEST(Checkpoint, TheCopyThatCountsIsWhole) {
  const WalkResult result = walk_checkpoint(Fault::None, true);
  EXPECT_FALSE(result.failure) << result.failure->what << " at " << result.failure->point;
}
TEST(Checkpoint, FaultIndexBeforeCopyIsFound) {
  EXPECT_TRUE(walk_checkpoint(Fault::IndexBeforeCopy, false).failure);
}
TEST(Checkpoint, FaultPackedIndexIsFound) {
  EXPECT_TRUE(walk_checkpoint(Fault::PackedIndex, false).failure);
}
TEST(Checkpoint, FaultNoCrcCheckIsFoundOnMemoryThatIsNotNew) {
  EXPECT_TRUE(walk_checkpoint(Fault::NoCrcCheck, true).failure);
}
TEST(Checkpoint, OfAllWarpsDoesNotCountIfOneOfThemIsRefused) {
  PersistMachine machine("ps-pram-gpm", small());
  const gpm::CheckpointShape shape{.groups = 1, .copy_bytes = 1024};
  const auto room = machine.allocator.alloc_persistent<U32>(shape.bytes() / 4);
  const auto data = machine.allocator.alloc<U32>(256), refused = machine.allocator.alloc<U32>(1);
  fill_array(machine.memory, data, [](U64 i) { return static_cast<U32>(i); });
  fill_array(machine.memory, refused, [](U64) { return 0U; });
  gpm::Checkpoint checkpoint(room.base, shape);
  checkpoint.gpmcp_register(0, data);
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    if (w.id() == 0) co_await checkpoint.gpmcp_create(w);
  });
  machine.run_clean();
  unsigned safe = 0;
  RefusesOne refusing(machine.engine);
  machine.gpu.launch([&](Warp& w) -> WarpTask {
    bool ok = true;
    co_await checkpoint.gpmcp_checkpoint_all(w, 0, refused, ok);
    safe += ok ? 1 : 0;
  });
  EXPECT_EQ(run(machine.gpu, refusing, Time{10'000'000'000}).status, RunStatus::Done);
  EXPECT_EQ(safe, 0U) << "all are told";
  gpm::LineWords line;
  machine.memory.peek(checkpoint.line_address(0),
                      {reinterpret_cast<std::uint8_t*>(line.data()), kLineBytes});
  EXPECT_FALSE(gpm::line_from<gpm::GroupLine>(line).valid());
}
TEST(Checkpoint, AGroupThatIsTooLargeIsRefused) {
  gpm::Checkpoint checkpoint(0, {.groups = 1, .copy_bytes = 64});
  EXPECT_THROW(checkpoint.gpmcp_register(0, {0, 17}), InputError);
}

// ------------------------------------------------------------------------------------ directory

TEST(Directory, NamesAreFoundAgainFreedAndUsedAgain) {
  PersistMachine machine("ps-pram-gpm", {"gpu.cores=1", "gpu.warps=1"});
  const auto directory = machine.allocator.alloc_persistent<U32>(gpm::kDirectoryBytes / 4);
  const U64 base = directory.base;
  machine.gpu.launch([=](Warp& w) -> WarpTask {
    gpm::Mapped m;
    co_await gpm::gpm_map(w, base, "a", gpm::Kind::Region, {100, 10}, false, m);
    EXPECT_FALSE(m.ok);
    co_await gpm::gpm_map(w, base, "a", gpm::Kind::Region, {100, 10}, true, m);
    EXPECT_TRUE(m.ok && m.created);
    co_await gpm::gpm_map(w, base, "b", gpm::Kind::HclLog, {200, 20}, true, m);
    co_await gpm::gpm_map(w, base, "a", gpm::Kind::Region, {300, 30}, true, m);
    EXPECT_TRUE(m.ok && !m.created && m.place.base == 100 && m.place.bytes == 10);
    co_await gpm::gpm_unmap(w, base, "a");
    co_await gpm::gpm_map(w, base, "a", gpm::Kind::Region, {300, 30}, false, m);
    EXPECT_FALSE(m.ok);
    co_await gpm::gpm_map(w, base, "b", gpm::Kind::HclLog, {0, 0}, false, m);
    EXPECT_TRUE(m.ok && m.place.base == 200);
    co_await gpm::gpm_map(w, base, "c", gpm::Kind::Region, {400, 40}, true, m);
    EXPECT_TRUE(m.ok && m.created);
    for (U64 i = 0; i < 62; ++i) {
      const std::string name = "n" + std::to_string(i);
      co_await gpm::gpm_map(w, base, name, gpm::Kind::Region, {i, i}, true, m);
      EXPECT_TRUE(m.ok) << name;
    }
    co_await gpm::gpm_map(w, base, "full", gpm::Kind::Region, {1, 1}, true, m);
    EXPECT_FALSE(m.ok);
  });
  machine.run_clean();
}

}  // namespace
}  // namespace cxlgpu
