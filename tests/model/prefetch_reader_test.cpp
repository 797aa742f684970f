// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// What the reader of the model's own policies makes of a prediction: MemSpecRd as those of the
// RTL's reader, whatever the policy. The policy here predicts what the test says.
#include "model/prefetch/prefetch_reader.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cxlgpu {
namespace {

struct Told {
  std::vector<LoadSeen> loads;
  std::vector<std::uint64_t> predicts, took;
  unsigned asked = 0, flushes = 0;
};

class Scripted final : public Prefetcher {
 public:
  explicit Scripted(Told& told) : told_(told) {}
  void learn(const LoadSeen& load) override { told_.loads.push_back(load); }
  void predict(std::vector<std::uint64_t>& to) override {
    ++told_.asked;
    to.insert(to.end(), told_.predicts.begin(), told_.predicts.end());
  }
  void fetch_took(std::uint64_t cycles) override { told_.took.push_back(cycles); }
  void flush() override { ++told_.flushes; }
  [[nodiscard]] unsigned state_bits() const override { return 0; }

 private:
  Told& told_;
};

struct PrefetchReading : ::testing::Test {
  using Runs = std::vector<GranuleRun>;

  // Of a load of the granule's first line: what is offered, each taken.
  Runs runs_of(std::uint64_t granule, bool at_head = false) {
    reader.look({.line = 4 * granule, .slot = 3, .at_head = at_head}, modes, ring);
    return take_all();
  }
  Runs take_all() {
    Runs runs;
    while (reader.issuing()) {
      runs.push_back(reader.run());
      lines.push_back(reader.line());
      reader.issued(false, ring);
      EXPECT_EQ(reader.rests(), reader.issuing()) << "a cycle between two of a load";
      reader.rest();
    }
    return runs;
  }

  Told told;
  RingBuffer ring;
  SrModes modes{.length_enabled = true};
  PrefetchReader reader{std::make_unique<Scripted>(told), 4};
  std::vector<std::uint64_t> lines;
};

TEST_F(PrefetchReading, TheOwnGranuleFirstThenWhatIsPredicted) {
  told.predicts = {200, 300};
  EXPECT_EQ(runs_of(100), (Runs{{100, 0}, {200, 0}, {300, 0}}));
  EXPECT_EQ(runs_of(100), (Runs{})) << "the ring has all of them";
  EXPECT_EQ(reader.counters().ring_suppressed, 1u);
  told.predicts = {201, 300};
  EXPECT_EQ(runs_of(101, true), (Runs{{201, 0}})) << "the head goes by itself";
  EXPECT_EQ(runs_of(101), (Runs{{101, 0}}));
  told.predicts = {102};
  EXPECT_EQ(runs_of(102, true), (Runs{})) << "predicted or not";
  EXPECT_EQ(runs_of(102), (Runs{{102, 0}})) << "once";
  const SrCounters& counts = reader.counters();
  EXPECT_EQ(counts.loads_seen, 6u);
  EXPECT_EQ(counts.issued, 6u);
  EXPECT_EQ(counts.requested, 6u);
  EXPECT_EQ(counts.lines_used, 3u) << "of 100 to 102, each once";
}

TEST_F(PrefetchReading, NeighboursGoTogetherUpToFour) {
  told.predicts = {104, 101, 103, 102, 98, 99, 110};
  EXPECT_EQ(runs_of(100), (Runs{{100, 3}, {104, 0}, {98, 1}, {110, 0}}));
  EXPECT_EQ(reader.counters().requested, 8u);
  ring.flush();
  told.predicts = {97, 98, 99};
  EXPECT_EQ(runs_of(100), (Runs{{97, 3}}));
}

TEST_F(PrefetchReading, ARunEndsWithItsChunkAndStepsOverTheOtherPorts) {
  modes.clip_log2 = 2;  // chunks of four granules
  told.predicts = {101, 102, 103, 104, 105};
  EXPECT_EQ(runs_of(100), (Runs{{100, 3}, {104, 1}}));
  told.predicts = {203, 204, 205, 201};
  EXPECT_EQ(runs_of(202), (Runs{{201, 2}, {204, 1}}));
  // Three ports; chunk 25, of granules 100 to 103, is chunk 8 of the port at place 1.
  ring.flush();
  told.loads.clear();
  modes.other_ways = 2;
  told.predicts = {34, 35, 36, 37, 31};
  EXPECT_EQ(runs_of(101), (Runs{{101, 2}, {112, 1}, {91, 0}}));
  EXPECT_EQ(told.loads.at(0).granule(), 33u);
  // Chunks of a granule: no runs.
  ring.flush();
  modes.clip_log2 = 0;
  told.predicts = {34, 35};
  EXPECT_EQ(runs_of(101), (Runs{{101, 0}, {104, 0}, {107, 0}}));
}

TEST_F(PrefetchReading, WithoutLengthEachGoesAlone) {
  modes.length_enabled = false;
  told.predicts = {101};
  reader.look({.line = 402}, modes, ring);
  EXPECT_EQ(take_all(), (Runs{{100, 0}, {101, 0}}));
  EXPECT_EQ(lines, (std::vector<std::uint64_t>{402, 404}))
      << "the load's line; the granule's first";
}

TEST_F(PrefetchReading, Of64BytesOnlyTheOwnLineIsRequested) {
  modes.spec_64b = true;
  told.predicts = {101};
  EXPECT_EQ(runs_of(100), (Runs{{100, 0}}));
  EXPECT_EQ(runs_of(100), (Runs{}));
  reader.look({.line = 401}, modes, ring);
  EXPECT_EQ(take_all(), (Runs{{100, 0}})) << "the line is another";
  EXPECT_EQ(told.asked, 0u);
}

TEST_F(PrefetchReading, HaltedItLearnsAndBeginsNothing) {
  told.predicts = {200};
  reader.look({.line = 400, .halted = true}, modes, ring);
  EXPECT_FALSE(reader.issuing());
  EXPECT_EQ(told.loads.size(), 1u);
  EXPECT_EQ(told.asked, 0u) << "else the policy's books would have it";
  EXPECT_EQ(reader.counters().halt_suppressed, 1u);
  EXPECT_EQ(reader.counters().ring_suppressed, 0u);
  // On the way: what is offered goes, the rest does not.
  reader.look({.line = 400}, modes, ring);
  ASSERT_TRUE(reader.issuing());
  reader.issued(true, ring);
  EXPECT_FALSE(reader.issuing());
  EXPECT_FALSE(reader.rests());
  EXPECT_FALSE(ring.contains(200));
}

TEST_F(PrefetchReading, FirstIsAMissOrTheFirstHit) {
  const auto first = [&](std::uint64_t line) {
    reader.look({.line = line}, modes, ring);
    take_all();
    return told.loads.back().first;
  };
  EXPECT_TRUE(first(400));
  EXPECT_FALSE(first(400));
  EXPECT_FALSE(first(401));
  told.predicts = {150};
  EXPECT_TRUE(first(800));
  told.predicts.clear();
  EXPECT_TRUE(first(602)) << "prefetched, not loaded yet";
  EXPECT_FALSE(first(603));
}

TEST_F(PrefetchReading, WhatNothingCoveredIsTimed) {
  const auto look = [&](std::uint64_t line, std::uint64_t cycle) {
    reader.look({.line = line, .cycle = cycle}, modes, ring);
    take_all();
  };
  look(400, 1000);
  look(800, 1100);  // one at a time
  reader.answered(800, 1500);
  EXPECT_TRUE(told.took.empty());
  reader.answered(400, 1600);
  EXPECT_EQ(told.took, std::vector<std::uint64_t>{600});
  look(401, 1700);  // covered
  reader.answered(401, 1800);
  EXPECT_EQ(told.took.size(), 1u);
  look(1200, 2000);  // never answered
  look(1600, 2000 + 65535);
  look(2000, 2000 + 65536);
  reader.answered(2000, 2000 + 65536 + 50);
  EXPECT_EQ(told.took, (std::vector<std::uint64_t>{600, 50}));
}

TEST_F(PrefetchReading, ItCountsWhatTheRingTells) {
  reader.look({.line = 400, .slot = 3}, modes, ring);
  reader.slot_left(2);
  reader.issued(false, ring);
  EXPECT_EQ(reader.counters().issued_late, 0u);
  reader.look({.line = 800, .slot = 3}, modes, ring);
  reader.slot_left(3);
  reader.issued(false, ring);
  EXPECT_EQ(reader.counters().issued_late, 1u);
  // 2048 granules predicted and loaded, then as many that are not. The ring keeps the last 1024.
  for (const bool loaded : {true, false}) {
    for (std::uint64_t i = 0; i < 2048; ++i) {
      const std::uint64_t granule = (loaded ? 20 : 40) * 1024 + i;
      told.predicts = {granule};
      runs_of(1, true);
      told.predicts.clear();
      if (loaded) runs_of(granule, true);
    }
  }
  const SrCounters& counts = reader.counters();
  EXPECT_EQ(counts.requested, 2u + 4096);
  EXPECT_EQ(counts.useful_granules, 2u + 2048);
  EXPECT_EQ(counts.useless_granules, 1024u);
  EXPECT_EQ(counts.lines_used, 2u + 2048);
}

TEST(PortSpace, ThereAndBack) {
  for (const unsigned log2 : {0u, 2u, 6u, 15u}) {
    for (const unsigned ways : {1u, 2u, 3u, 4u, 12u}) {
      const PortSpace space(log2, ways - 1);
      std::uint64_t last = 0;
      bool begun = false;
      for (std::uint64_t granule = 5000; granule < 9000; ++granule) {
        // Those of the port that serves granule 5000.
        const bool all = log2 == 15 || ways == 1;
        if (!all && (granule >> log2) % ways != (std::uint64_t{5000} >> log2) % ways) continue;
        const std::uint64_t own = space.to_port(granule);
        ASSERT_EQ(space.to_bus(own, 5000), granule);
        if (begun) {
          ASSERT_EQ(own, last + 1) << "without holes";
        }
        begun = true;
        last = own;
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu
