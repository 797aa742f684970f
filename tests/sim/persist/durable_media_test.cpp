// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Durable completion in front of a part: what enters the domain, and a write that the part refuses.
#include "sim/persist/durable_media.hpp"

#include <memory>

#include "sim/media/flash_media.hpp"
#include "tests/sim/media/media_test_util.hpp"

namespace cxlgpu {
namespace {

using media_test::flash_config;
using media_test::next_answer;

struct Watcher : EntryWatcher {
  void entered(unsigned, std::uint64_t dpa, const Line&, std::uint64_t, Time at) override {
    seen.emplace_back(dpa, at);
  }
  std::vector<std::pair<std::uint64_t, Time>> seen;
};

struct Rig {
  static constexpr std::uint64_t kCapacity = 1 << 20;
  explicit Rig(PersistDomain domain) : durable(flash, &flash, 0, 0, domain) {
    durable.watch(&watcher);
  }
  MediaCommand write(std::uint64_t dpa, MediaOp op, Durable level) {
    MediaCommand command;
    command.op = op;
    command.dpa = dpa;
    command.id = 5;
    command.durable = level;
    command.data.fill(7);
    return command;
  }
  FlashConfig config = flash_config();
  FlashMedia flash{config, kCapacity, 8, 256};
  DurableMedia durable;
  Watcher watcher;
};

TEST(DurableMedia, AWriteIsInBeforeItIsAnswered) {
  Rig rig(PersistDomain::Buffer);
  rig.durable.submit(rig.write(4096, MediaOp::Write, Durable::Buffered), Time{0});
  const auto [answer, at] = next_answer(rig.durable);
  EXPECT_EQ(answer.id, 5);
  EXPECT_FALSE(answer.error);
  ASSERT_EQ(rig.watcher.seen.size(), 1U);
  EXPECT_EQ(rig.watcher.seen[0].first, 4096U);
  EXPECT_LE(rig.watcher.seen[0].second, at);
}

// The internal DRAM takes it, the part does not: the answer is one, with an error, and comes at
// once in the domain of programmed pages, too, though no page will ever be programmed.
TEST(DurableMedia, AWriteThatThePartRefusesIsAnsweredWithAnErrorAndNeverEnters) {
  for (const PersistDomain domain : {PersistDomain::Buffer, PersistDomain::Media}) {
    const bool media = domain == PersistDomain::Media;
    for (const MediaOp op : {MediaOp::Write, MediaOp::ArrayWrite}) {
      Rig rig(domain);
      MediaCommand command =
          rig.write(Rig::kCapacity, op, media ? Durable::Programmed : Durable::Buffered);
      rig.durable.submit(command, Time{0});
      const auto [answer, at] = next_answer(rig.durable);
      EXPECT_EQ(answer.op, op);
      EXPECT_EQ(answer.id, 5);
      EXPECT_TRUE(answer.error);
      EXPECT_TRUE(rig.watcher.seen.empty());
      EXPECT_FALSE(rig.durable.take(at + Time{1'000'000'000}));
      // The place in the table is free again.
      command = rig.write(0, MediaOp::Write, Durable::Buffered);
      rig.durable.submit(command, at + Time{1'000'000'000});
      EXPECT_FALSE(next_answer(rig.durable, at + Time{1'000'000'000}).first.error);
    }
  }
}

}  // namespace
}  // namespace cxlgpu
