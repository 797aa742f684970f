// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What a loss of power may leave of small kernels: for each the state that must never be seen, and
// without the persist that it can be.
#include "tests/sim/persist/litmus.hpp"

namespace cxlgpu {
namespace {

// ------------------------------------------------------------------------------------------- L1

TEST(Litmus, L1StoreBehindAPersistIsNeverThereWithoutTheStoreBefore) {
  for (const char* name : kDomains) {
    for (const char* scenario : {"ps-pram-gpm", "ps-znand-gpm"}) {
      for (const U64 apart : {kLineWords, kPortWords}) {
        PersistMachine machine(scenario, domain(name));
        const Seen seen = message_passing(machine, Order::Persist, apart);
        EXPECT_FALSE(seen.forbidden) << scenario << " " << name << " " << apart;
        EXPECT_TRUE(seen.none && seen.all) << scenario << " " << name;
        EXPECT_GE(seen.points, 7U);
        EXPECT_EQ(seen.broken, 0U) << "a completion before the bytes were safe";
      }
    }
  }
}

TEST(Litmus, L1WithoutThePersistOrWithAFenceForItIsSeenTheOtherWayRound) {
  for (const char* name : {"media", "buffer", "device"}) {
    for (const Order order : {Order::Nothing, Order::Fence}) {
      PersistMachine machine("ps-pram-gpm", slow(domain(name)));
      EXPECT_TRUE(message_passing(machine, order, kPortWords).forbidden) << name;
    }
  }
}

TEST(Litmus, L1WhereCachesSurviveAFenceIsEnough) {
  PersistMachine machine("ps-pram-gpm-eadr", domain("host"));
  EXPECT_FALSE(message_passing(machine, Order::Fence, kPortWords).forbidden);
}

TEST(Litmus, L1OnDramThatIsBackedUp) {
  PersistMachine machine("ps-dram-gpm", domain("device"));
  EXPECT_FALSE(message_passing(machine, Order::Persist, kPortWords).forbidden);
}

TEST(Litmus, L1OnAnEndpointThatAnswersAtItsInternalDramIsSeenTheOtherWayRound) {
  for (const char* name : {"media", "buffer"}) {
    PersistMachine machine("ps-pram-gpm", domain(name),
                           [](Media& media) { return std::make_unique<EarlyAnswers>(media); });
    const Seen seen = message_passing(machine, Order::Persist, kPortWords);
    EXPECT_GT(seen.broken, 0U) << name;
    // A page takes so long that the state itself is seen.
    EXPECT_EQ(seen.forbidden, std::string(name) == "media");
  }
}

// ------------------------------------------------------------------------------------------- L2

TEST(Litmus, L2AFlagBehindAPersistOrdersTheStoresOfTwoWarps) {
  for (const char* name : kDomains) {
    PersistMachine machine("ps-pram-gpm", domain(name));
    const Seen seen = through_a_flag(machine, Order::Persist);
    EXPECT_FALSE(seen.forbidden) << name;
    EXPECT_TRUE(seen.none && seen.all) << name;
  }
  for (const char* name : {"media", "buffer", "device"}) {
    PersistMachine machine("ps-pram-gpm", slow(domain(name)));
    EXPECT_TRUE(through_a_flag(machine, Order::Fence).forbidden) << name;
  }
}

// ------------------------------------------------------------------------------------------- L3

TEST(Litmus, L3AnUndoEntryIsThereBeforeWhatItUndoes) {
  for (const char* name : kDomains) {
    PersistMachine machine("ps-pram-gpm", domain(name));
    EXPECT_FALSE(undo_fails(machine, true, Order::Persist)) << name;
    PersistMachine wrong("ps-pram-gpm", domain(name));
    EXPECT_TRUE(undo_fails(wrong, false, Order::Persist)) << name << ": in place before the entry";
  }
  PersistMachine machine("ps-pram-gpm", slow(domain("buffer")));
  EXPECT_TRUE(undo_fails(machine, true, Order::Fence));
}

// ------------------------------------------------------------------------------------------- L4

TEST(Litmus, L4BytesOfTwoWarpsInALineAreBothKept) {
  for (const char* name : kDomains) {
    for (const char* gather : {"0", "16", "400"}) {
      Sets sets = domain(name);
      sets.push_back(std::string("gpu.persist_gather_cycles=") + gather);
      PersistMachine machine("ps-pram-gpm", sets);
      const WalkResult result = bytes_of_two_warps(machine);
      EXPECT_FALSE(result.failure) << name << " " << gather << " point " << result.failure->point;
    }
  }
}

// -------------------------------------------------------------------------------------- L5, L8

TEST(Litmus, L5OneOfTwoLinksGoesDownAndComesBack) {
  for (const char* name : {"media", "buffer", "device"}) {
    Sets sets = domain(name);
    sets.insert(sets.end(), {"link.down_at_us=3", "link.down_for_us=4", "link.port=1"});
    PersistMachine machine("ps-pram-gpm", sets);
    EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 12, true)) << name;
    ASSERT_NE(machine.engine.outage(), nullptr);
    EXPECT_TRUE(machine.engine.outage()->recovered()) << "the link was down while it ran";
    PersistMachine without("ps-pram-gpm", sets);
    EXPECT_FALSE(pairs_in_order(without, Order::Nothing, 12, true)) << name;
  }
}

TEST(Litmus, L5NarrowLinks) {
  Sets sets = domain("buffer");
  sets.push_back("link.lanes=1");
  PersistMachine machine("ps-pram-gpm", sets);
  EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 6));
}

TEST(Litmus, L8BitErrorsAndReplay) {
  for (const char* name : {"media", "buffer", "device"}) {
    Sets sets = domain(name);
    sets.insert(sets.end(), {"link.bit_error_rate_m2s=1e-3", "link.bit_error_rate_s2m=1e-3"});
    PersistMachine machine("ps-pram-gpm", sets);
    EXPECT_TRUE(pairs_in_order(machine, Order::Persist, 12)) << name;
    EXPECT_NE(machine.engine.first_damage(), Time::never());
  }
}

// ------------------------------------------------------------------------------------------- L6

TEST(Litmus, L6DeterministicStoreDoesNotGoWithAPersistentRange) {
  EXPECT_THROW((void)persist_config("ps-pram-gpm", {"root_port.ds=true"}), InputError);
}

// ------------------------------------------------------------------------------------------- L9

TEST(Litmus, L9APersistOverARefusedWriteIsAnsweredAndSaysSo) {
  PersistMachine machine("ps-pram-gpm", domain("buffer"));
  refused_write(machine);
}

}  // namespace
}  // namespace cxlgpu
