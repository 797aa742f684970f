// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Copies over many links: times by closed forms, every byte once, links that are lost or shared.
#include "sim/multipath/copy_run.hpp"

#include <rapidcheck.h>

#include <cmath>

#include "tests/sim/multipath/copy_rig.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kMB = 1'000'000;
constexpr double kNear = 1e-3;  // us

void price(MultipathConfig& config) {
  config.setup_h2d_ps = 3 * kPsPerUs;
  config.setup_d2h_ps = 2 * kPsPerUs;
  config.peer_setup_ps = 2 * kPsPerUs;
  config.callback_ps = 11 * kPsPerUs;
  config.release_ps = 7 * kPsPerUs;
}

TEST(CopyRun, ANativeCopyIsSetUpAndBytes) {
  CopyParams params = round_copy(CopyScheme::Direct, 4, 5 * kMB);
  price(params.machine);
  EXPECT_NEAR(clean(params).us(), 3 + 100, kNear);
  params.work.direction = CopyDirection::FromGpu;
  EXPECT_NEAR(clean(params).us(), 2 + 100, kNear);
  params.work.count = 3;
  EXPECT_NEAR(clean(params).us(), 3 * (2 + 100), kNear);
}

// A link: n chunks of set-up and bytes, behind the call-back, before the release.
TEST(CopyRun, OnePathIsChunksAndTheDummyTask) {
  CopyParams params = round_copy(CopyScheme::Mma, 4, 5 * kMB);
  price(params.machine);
  params.machine.paths = 1;
  const CopyRan all = clean(params);
  EXPECT_NEAR(all.us(), 11 + 50 * (3 + 2) + 7, kNear);
  EXPECT_EQ(all.result.chunks, 50U);
  EXPECT_EQ(all.result.links[0].direct, 5 * kMB);
}

// Two links that share nothing: half of the chunks each; the last of the relay goes on to its GPU.
TEST(CopyRun, TwoPathsHalveIt) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 5 * kMB);
  price(params.machine);
  params.machine.peer_gb_s = 100;  // 1 us a chunk, less than the link's 2
  const CopyRan all = clean(params);
  EXPECT_NEAR(all.us(), 11 + 25 * (3 + 2) + (2 + 1) + 7, kNear);
  EXPECT_EQ(all.result.links[0].direct, 5 * kMB / 2);
  EXPECT_EQ(all.result.links[1].relayed, 5 * kMB / 2);
  params.work.direction = CopyDirection::FromGpu;  // there the first of the relay comes from it
  EXPECT_NEAR(clean(params).us(), 11 + (2 + 1) + 25 * (2 + 2) + 7, kNear);
}

// One pipeline has a bubble while a chunk goes on to its GPU: by itself it takes link and peer.
TEST(CopyRun, ASecondPipelineFillsTheBubble) {
  CopyParams params = round_copy(CopyScheme::Static, 2, 5 * kMB);
  params.machine.static_split = {0, 1};
  params.machine.peer_gb_s = 50;
  params.machine.pipelines = 1;
  EXPECT_NEAR(clean(params).us(), 50 * (2 + 2), kNear);
  params.machine.pipelines = 2;
  EXPECT_NEAR(clean(params).us(), 50 * 2 + 2, kNear);
}

// Between the end of a chunk and its being seen a queue of one has nothing to do.
TEST(CopyRun, AQueueOfTwoHidesWhatAThreadTakes) {
  CopyParams params = round_copy(CopyScheme::Mma, 1, 5 * kMB);
  params.machine.issue_ps = kPsPerUs / 2;
  params.machine.sync_ps = kPsPerUs;
  params.machine.queue_depth = 1;
  EXPECT_NEAR(clean(params).us(), 50 * (0.5 + 2 + 1), kNear);
  params.machine.queue_depth = 2;
  EXPECT_NEAR(clean(params).us(), 0.5 + 50 * 2 + 1, kNear);
}

// Links of a node carry no more together than the node does, those of the other come over the
// cross.
TEST(CopyRun, NodesAndWhatIsBetweenThemLimit) {
  CopyParams params = round_copy(CopyScheme::Mma, 8, 40 * kMB);
  params.machine.gpus_per_node = 4;
  params.machine.node_gb_s = 160;
  params.machine.cross_gb_s = 40;
  params.machine.chunk_bytes = 20'000;  // so that those behind the cross hold little at the end
  EXPECT_NEAR(clean(params).gb_s(0), 160 + 40, 3);
  params.machine.paths = 4;
  EXPECT_NEAR(clean(params).gb_s(0), 160, 2);
  params.work.node = "1";  // all of it over the cross
  EXPECT_NEAR(clean(params).gb_s(0), 40, 1);
  params.work.node = "0";
  params.machine.memory_gb_s = 70;
  EXPECT_NEAR(clean(params).gb_s(0), 70, 2);
}

TEST(CopyRun, ShortCopiesAreNative) {
  CopyParams params = round_copy(CopyScheme::Mma, 4, kMB);
  price(params.machine);
  params.machine.fallback_h2d_bytes = kMB;
  params.machine.fallback_d2h_bytes = kMB + 1;
  EXPECT_EQ(clean(params).result.native, 0U);
  params.work.direction = CopyDirection::FromGpu;
  const CopyRan all = clean(params);
  EXPECT_EQ(all.result.native, 1U);
  EXPECT_NEAR(all.us(), 2 + 20, kNear);
}

// Whatever the machine: every byte, once; at most queue_depth outstanding; no sooner than the links
// can, and, with no cost but bytes, no later than by what one link holds when the others run dry.
TEST(CopyRun, EveryByteOnceAndNoLinkIdle) {
  EXPECT_TRUE(rc::check([] {
    const auto gpus = *rc::gen::inRange(1U, 6U);
    CopyParams params = round_copy(CopyScheme::Mma, gpus, *rc::gen::inRange(1, 3'000'000));
    MultipathConfig& machine = params.machine;
    machine.chunk_bytes = *rc::gen::inRange(10'000, 400'000);
    machine.queue_depth = *rc::gen::inRange(1U, 5U);
    machine.pipelines = *rc::gen::inRange(2U, 4U);
    machine.pcie_percent =
        *rc::gen::container<std::vector<std::uint64_t>>(gpus, rc::gen::inRange(20, 101));
    params.work.direction = *rc::gen::element(CopyDirection::ToGpu, CopyDirection::FromGpu);
    params.work.gpus = {*rc::gen::inRange(0U, gpus)};
    params.work.seed = *rc::gen::inRange(1, 1000);
    const CopyRan all = clean(params);
    double together = 0, slowest = 50;
    for (const std::uint64_t percent : machine.pcie_percent) {
      const double rate = 50 * static_cast<double>(percent) / 100;
      together += rate;
      slowest = std::min(slowest, rate);
    }
    const double ideal = static_cast<double>(params.work.bytes) / together / 1000;
    const double held = static_cast<double>(machine.chunk_bytes) / slowest / 1000;
    RC_ASSERT(all.us() >= ideal * 0.999);
    RC_ASSERT(all.us() <= ideal + (machine.queue_depth + 1) * held + 0.1);
    for (const CopyResult::Link& link : all.result.links) {
      RC_ASSERT(link.most_outstanding <= machine.queue_depth);
    }
  }));
}

TEST(CopyRun, CopiesOfAllGpusNeedNoRelay) {
  CopyParams params = round_copy(CopyScheme::Mma, 4, 4 * kMB);
  params.work.gpus = {0, 1, 2, 3};
  const CopyRan all = clean(params);
  for (const CopyResult::Link& link : all.result.links) EXPECT_EQ(link.relayed, 0U);
  params.machine.direct_first = false;
  std::uint64_t relayed = 0;
  for (const CopyResult::Link& link : clean(params).result.links) relayed += link.relayed;
  EXPECT_GT(relayed, 8 * kMB);
}

TEST(CopyRun, TheFirstToEndHelpsTheOthers) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 4 * kMB);
  params.machine.pcie_percent = {100, 50};
  params.work.gpus = {0, 1};
  const CopyRan all = clean(params);
  EXPECT_GT(all.result.links[0].relayed, kMB / 2);
  EXPECT_EQ(all.result.links[1].relayed, 0U);
  EXPECT_NEAR(all.us(), 8e3 / 75, 5);
}

// Two programs have a link between them, and the others' links too.
TEST(CopyRun, TwoEnginesShareFairly) {
  CopyParams params = round_copy(CopyScheme::Mma, 4, 20 * kMB);
  params.work.gpus = {0, 1};
  params.work.engines = CopyEngines::Each;
  const CopyRan all = clean(params);
  EXPECT_NEAR(all.gb_s(0), 100, 3);
  EXPECT_NEAR(all.gb_s(1), 100, 3);
  EXPECT_GT(all.result.links[0].relayed, 4 * kMB);  // one engine for both would relay nothing here
  params.work.engines = CopyEngines::Shared;
  EXPECT_LT(clean(params).result.links[0].relayed, kMB);
}

TEST(CopyRun, OthersHaveHalfOfTheirLinkAndNothingOfAnother) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 20 * kMB);
  params.work.background = {0, 100};
  const CopyRan all = clean(params);
  const double us = all.us();
  EXPECT_NEAR(static_cast<double>(all.result.links[0].direct) / us / 1000, 50, 2);
  EXPECT_NEAR(static_cast<double>(all.result.links[1].relayed) / us / 1000, 25, 2);
  EXPECT_NEAR(all.result.links[1].background / us / 1000, 25, 1);
  EXPECT_EQ(all.result.links[0].background, 0);
  params.work.background = {0, 30};  // that is all they want
  const CopyRan modest = clean(params);
  EXPECT_NEAR(modest.result.links[1].background / modest.us() / 1000, 15, 0.1);
  // From 20 us to 40.
  params.work.background = {100};
  params.work.background_from_us = 20;
  params.work.background_until_us = 40;
  EXPECT_NEAR(clean(params).result.links[0].background, 20 * 25'000, 1000);
}

// A link that waits after its queue was full leaves more of it to others.
TEST(CopyRun, APauseIsForOthers) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 20 * kMB);
  params.work.background = {0, 100};
  const CopyRan keen = clean(params);
  params.machine.pause_ps = 8 * kPsPerUs;
  const CopyRan modest = clean(params);
  const auto share = [](const CopyRan& one) { return one.result.links[1].background / one.us(); };
  EXPECT_GT(share(modest), 1.2 * share(keen));
}

// As long as the slower share; pulled it is as long as both links together take.
TEST(CopyRun, AStaticSplitFitsOneCaseAlone) {
  const auto us = [](CopyScheme scheme, std::vector<std::uint64_t> split, bool shared) {
    CopyParams params = round_copy(scheme, 2, 30 * kMB);
    params.machine.static_split = std::move(split);
    if (shared) params.work.background = {100};
    return clean(params).us();
  };
  EXPECT_NEAR(us(CopyScheme::Static, {1, 1}, false), 15e3 / 50, 3);
  EXPECT_NEAR(us(CopyScheme::Static, {1, 2}, false), 20e3 / 50, 3);
  EXPECT_NEAR(us(CopyScheme::Static, {1, 1}, true), 15e3 / 25, 3);
  EXPECT_NEAR(us(CopyScheme::Static, {1, 2}, true), 10e3 / 25, 3);
  EXPECT_NEAR(us(CopyScheme::Mma, {1}, false), 30e3 / 100, 5);
  EXPECT_NEAR(us(CopyScheme::Mma, {1}, true), 30e3 / 75, 8);
}

TEST(CopyRun, PeerTrafficOfOthersIsSharedWithRelays) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 20 * kMB);
  params.machine.peer_gb_s = 400;
  params.machine.paths = 1;
  params.work.peer = {1, 0};
  const CopyRan alone = clean(params);
  EXPECT_NEAR(alone.result.peer_bytes / alone.us() / 1000, 400, 1);
  params.machine.paths = 2;
  const CopyRan relays = clean(params);
  EXPECT_NEAR(relays.result.peer_bytes / relays.us() / 1000, 350, 5);
}

// A link is lost in the middle: the rest comes over the others, and it is said.
TEST(CopyRun, ALostLinkLosesNoByte) {
  EXPECT_TRUE(rc::check([] {
    const auto gpus = *rc::gen::inRange(2U, 6U);
    CopyParams params = round_copy(CopyScheme::Mma, gpus, *rc::gen::inRange(500'000, 4'000'000));
    price(params.machine);
    params.machine.issue_ps = kPsPerUs;
    params.machine.sync_ps = kPsPerUs;
    params.machine.chunk_bytes = *rc::gen::inRange(20'000, 200'000);
    params.machine.down_gpu = *rc::gen::inRange(0U, gpus);
    params.machine.down_at_us = *rc::gen::inRange(1, 60);
    params.work.count = *rc::gen::inRange(1, 3);
    params.work.direction = *rc::gen::element(CopyDirection::ToGpu, CopyDirection::FromGpu);
    const CopyRan all = clean(params);
    const CopyResult::Link& lost = all.result.links[params.machine.down_gpu];
    RC_ASSERT(all.result.link_lost ==
              (all.result.ended >= Time{params.machine.down_at_us * kPsPerUs}));
    RC_ASSERT(all.result.again == lost.lost);
    RC_ASSERT(lost.direct + lost.relayed <=
              50'000 * params.machine.down_at_us + params.machine.chunk_bytes);
  }));
}

TEST(CopyRun, WithoutALinkThatIsLeftACopyFails) {
  for (const CopyScheme scheme : {CopyScheme::Direct, CopyScheme::Static, CopyScheme::Mma}) {
    CopyParams params = round_copy(scheme, 2, 5 * kMB);
    if (scheme == CopyScheme::Mma) params.machine.paths = 1;
    params.machine.down_at_us = 20;
    params.work.count = 2;
    const CopyRan all = ran(params);
    EXPECT_EQ(all.status, RunStatus::Done);
    EXPECT_EQ(all.result.failed, 2U);
    EXPECT_EQ(all.result.again, 0U);
    ASSERT_EQ(all.problems.size(), 2U);
    EXPECT_NE(all.problems[0].find("copy 1 of GPU 0"), std::string::npos) << all.problems[0];
    EXPECT_NE(all.problems[1].find("no link is left"), std::string::npos) << all.problems[1];
  }
}

// ---- rules that are wrong ----------------------------------------------------------------------

class Wrong : public PullScheduler {
 public:
  enum class How : std::uint8_t { Lost, Replaced };
  Wrong(const MultipathConfig& config, How how) : PullScheduler(config), how_(how) {}
  std::optional<MicroTask> pull(unsigned link) override {
    auto task = PullScheduler::pull(link);
    if (!task || ++pulled_ != 5) {
      if (task && how_ != How::Lost) last_ = *task;
      return task;
    }
    if (how_ == How::Replaced) return last_;  // by one that has been copied
    complete(link);                           // nobody copies it
    return PullScheduler::pull(link);
  }

 private:
  How how_;
  unsigned pulled_ = 0;
  MicroTask last_;
};

CopyRan wrong(Wrong::How how) {
  CopyParams params = round_copy(CopyScheme::Mma, 2, 5 * kMB);
  params.source = [how](const MultipathConfig& config) {
    return std::make_unique<Wrong>(config, how);
  };
  return ran(params);
}

TEST(CopyRun, AChunkThatIsLostIsFound) {
  const CopyRan all = wrong(Wrong::How::Lost);
  EXPECT_NE(all.status, RunStatus::Done);
  EXPECT_EQ(all.result.copies, 0U);
}

TEST(CopyRun, AChunkInPlaceOfAnotherIsFound) {
  const CopyRan all = wrong(Wrong::How::Replaced);
  EXPECT_EQ(all.status, RunStatus::Done);
  EXPECT_GT(all.result.bytes_wrong, 99'000U);  // some are what was there before
  EXPECT_EQ(all.result.bytes_twice, 100'000U);
  ASSERT_EQ(all.problems.size(), 2U);
  EXPECT_NE(all.problems[0].find("expected"), std::string::npos);
}

}  // namespace
}  // namespace cxlgpu
