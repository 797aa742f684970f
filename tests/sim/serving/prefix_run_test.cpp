// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Requests whose prefixes are fetched: times by closed forms, and every byte.
#include "sim/serving/prefix_run.hpp"

#include <gtest/gtest.h>

#include "tests/sim/multipath/copy_rig.hpp"

namespace cxlgpu {
namespace {

constexpr double kNear = 2e-3;  // us
constexpr std::uint64_t kPart = 4096;

// Blocks of two layers of 4 KiB; computing is nearly nothing, but `layer_us` by choice of the rate.
PrefixWork small() {
  PrefixWork work;
  work.model = {2, 64, 96, 4, 2, 64, 1000, 16};
  work.tokens = 8;
  work.gpu = {1e6, 1e6};
  return work;
}

PrefixPlan planned(const PrefixWork& work, std::vector<KvRequest> requests) {
  KvTrace trace;
  trace.shared = true;
  trace.requests = std::move(requests);
  return plan_prefixes(work, trace);
}

std::vector<PrefixResult::One> ran(PrefixRun& run) {
  FixedLatencyEngine clock;
  run.begin();
  EXPECT_EQ(cxlgpu::run(run, clock).status, RunStatus::Done);
  EXPECT_TRUE(run.problems().empty()) << run.problems().front();
  EXPECT_EQ(run.result().bytes_checked, run.plan().fetched * 2 * kPart);
  EXPECT_EQ(run.result().bytes, run.result().bytes_checked);
  return run.result().requests;
}

MultipathConfig machine() {
  MultipathConfig config = round_machine(2);
  config.pcie_gb_s = 4.096;  // a part is 1 us
  config.setup_h2d_ps = 3 * kPsPerUs;
  return config;
}

double us(Time time) {
  return time.ns() / 1000;
}

const std::vector<KvRequest> kTwice = {{{0, 1, 2}, 24, 1, 0}, {{0, 1, 2, 3}, 32, 1, 0}};

TEST(PrefixRun, WhatIsFetchedIsSetUpAndBytesOfEachCopy) {
  PrefixWork work = small();
  work.overhead_us = 10;
  const auto run = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Direct, machine());
  const auto ones = ran(*run);
  ASSERT_EQ(ones.size(), 2U);
  EXPECT_NEAR(us(ones[0].fetched), 0, kNear);
  EXPECT_FALSE(ones[0].hit);
  EXPECT_NEAR(us(ones[0].first_token), 10, 0.01);
  EXPECT_TRUE(ones[1].hit);
  EXPECT_NEAR(us(ones[1].fetched), 3 * (3 + 2), kNear);
  EXPECT_NEAR(us(ones[1].first_token), 10 + 3 * (3 + 2), 0.01);
  EXPECT_EQ(run->result().calls, 3U);
  EXPECT_EQ(run->links()[0].direct, 6 * kPart);
}

TEST(PrefixRun, ByMmaAShortCopyIsNativeAndALongOneUsesBothLinks) {
  PrefixWork work = small();
  MultipathConfig links = machine();
  links.fallback_h2d_bytes = 3 * kPart;
  links.chunk_bytes = kPart;
  links.callback_ps = 11 * kPsPerUs;
  links.release_ps = 7 * kPsPerUs;
  const auto alone = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Mma, links);
  EXPECT_NEAR(us(ran(*alone)[1].fetched), 3 * (3 + 2), kNear);
  EXPECT_EQ(alone->native(), 3U);
  work.merge_bytes = 6 * kPart;
  const auto merged = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Mma, links);
  // Three chunks a link, then over the peer link, which is fast.
  EXPECT_NEAR(us(ran(*merged)[1].fetched), 11 + 3 * (3 + 1) + 7, 0.01);
  EXPECT_EQ(merged->links()[1].relayed, 3 * kPart);
  EXPECT_EQ(merged->chunks(), 6U);
}

// A layer is computed in 20 us, and its copies take 12: behind the first all of it is hidden.
TEST(PrefixRun, OverlapHidesWhatIsFetchedBehindTheFirstLayer) {
  PrefixWork work = small();
  work.layout = KvLayout::Block;
  const double operations = layer_operations(work.model, 8, 24);
  work.gpu.tflops = operations / (20.0 * kPsPerUs);
  const Time head = prefill_time(work, 8, 24).head;
  for (const bool overlap : {false, true}) {
    work.overlap = overlap;
    const auto run = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Direct, machine());
    const auto ones = ran(*run);
    EXPECT_NEAR(us(ones[1].fetched), 2 * 12, kNear);
    EXPECT_NEAR(us(ones[1].first_token), (overlap ? 12 : 24) + 2 * 20 + us(head), 0.01);
    EXPECT_NEAR(us(ones[1].computed), 2 * 20 + us(head), 0.01);
  }
}

TEST(PrefixRun, ARequestWaitsForTheOneBeforeIt) {
  PrefixWork work = small();
  work.arrivals = PrefixArrivals::Trace;
  work.overhead_us = 10;
  std::vector<KvRequest> requests = {{{0}, 8, 1, 100}, {{0, 1}, 16, 1, 104}, {{0, 1}, 16, 1, 500}};
  const auto run = make_prefix_copies(work, planned(work, requests), CopyScheme::Direct, machine());
  const auto ones = ran(*run);
  EXPECT_NEAR(us(ones[0].queued), 0, kNear);
  EXPECT_NEAR(us(ones[1].queued), 6, 0.01);
  EXPECT_NEAR(us(ones[1].first_token), 6 + 10 + 5, 0.02);
  EXPECT_NEAR(us(ones[2].queued), 0, kNear);
  EXPECT_NEAR(us(run->result().end), 500 + 10 + 2 * 5, 0.02);
}

TEST(PrefixRun, ALinkThatIsLostIsMadeUpForByMmaAlone) {
  PrefixWork work = small();
  work.merge_bytes = 1 << 20;
  MultipathConfig links = machine();
  links.chunk_bytes = kPart;
  links.down_at_us = 4;
  const auto mma = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Mma, links);
  ran(*mma);
  EXPECT_GT(mma->links()[0].lost + mma->links()[1].relayed, 3 * kPart);
  const auto direct = make_prefix_copies(work, planned(work, kTwice), CopyScheme::Direct, links);
  FixedLatencyEngine clock;
  direct->begin();
  cxlgpu::run(*direct, clock);
  ASSERT_EQ(direct->problems().size(), 1U);
  EXPECT_NE(direct->problems()[0].find("request 1: 24576 of 24576 bytes are not copied"),
            std::string::npos)
      << direct->problems()[0];
}

// A slot that another block has come into is found, byte by byte.
TEST(PrefixServer, WhatIsNotTheBlockThatWasAskedForIsWrong) {
  PrefixWork work = small();
  const PrefixPlan plan = planned(work, kTwice);
  PrefixServer server(work, plan);
  server.begin(Time{});
  server.end(Time{});
  server.begin(Time{});
  std::vector<std::uint8_t> bytes(2 * kPart);
  server.fill(0, bytes);
  server.check(0, bytes);
  EXPECT_EQ(server.result().bytes_wrong, 0U);
  bytes[5000] ^= 1;
  server.check(0, bytes);
  EXPECT_EQ(server.result().bytes_wrong, 1U);
  server.fill(2 * kPart, bytes);  // of block 1
  server.check(0, bytes);
  EXPECT_GT(server.result().bytes_wrong, 2 * kPart * 9 / 10);
  EXPECT_NE(server.problems()[0].find("request 1: 1 of 4096 bytes of block 0, layer 1"),
            std::string::npos)
      << server.problems()[0];
}

}  // namespace
}  // namespace cxlgpu
