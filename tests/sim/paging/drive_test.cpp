// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// A drive: times by formula, queue depth, contents.
#include "sim/paging/drive.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sim/host/scoreboard.hpp"
#include "sim/media/closed_loop.hpp"
#include "sim/paging/striped_drives.hpp"
#include "tests/sim/paging/configured.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

// When each token is done; runs until nothing is in flight.
template <typename Device>
std::vector<std::pair<std::uint32_t, Time>> finish(Device& drive) {
  std::vector<std::pair<std::uint32_t, Time>> done;
  for (Time at = drive.next_event(); at != Time::never(); at = std::max(at, drive.next_event())) {
    drive.advance(at);
    while (const auto token = drive.take()) done.emplace_back(*token, at);
    if (drive.next_event() == Time::never()) break;
  }
  return done;
}

std::string link_of(const MediaConfig& config) {
  return config.interface.empty() ? "pcie4x4" : config.interface;
}

TEST(Drive, ALoneReadIsInterfaceMediaAndLink) {
  for (const std::string name : {"znand", "nand", "pram", "dram"}) {
    SCOPED_TRACE(name);
    const MediaConfig config = part(name);
    const HostInterface host = nvme_link(link_of(config));
    Drive drive(config, 16 * kMiB, host, 8), media(config, 16 * kMiB, {}, 8);
    drive.submit({1, false, 8 * kPageBytes, kPageBytes}, Time{});
    media.submit({1, false, 8 * kPageBytes, kPageBytes}, host.before_read);  // refresh tells
    const auto with = finish(drive), without = finish(media);
    ASSERT_EQ(with.size(), 1u);
    ASSERT_EQ(without.size(), 1u);
    EXPECT_GT(without[0].second, host.before_read);
    EXPECT_EQ(with[0].second, without[0].second + host.transfer(kPageBytes) + host.after);
  }
}

// The figures of `cxlgpu media` stand for these drives too.
TEST(Drive, OneAfterTheOtherIsTheClosedLoopOfDepthOne) {
  const MediaConfig config = part("znand");
  const HostInterface host = nvme_link("pcie3x4");
  const double loop = ClosedLoop(config, {.bytes = 4096, .depth = 1}, 1, host).run(200).mean.ns();
  Drive drive(config, 64 * kMiB, host, 1);
  std::mt19937_64 random(3);
  for (std::uint32_t i = 0; i < 200; ++i) {
    drive.submit({i, false, random() % (64 * kMiB / kPageBytes) * kPageBytes, kPageBytes}, Time{});
  }
  const auto done = finish(drive);
  ASSERT_EQ(done.size(), 200u);
  EXPECT_NEAR(done.back().second.ns() / 200, loop, 0.03 * loop);
}

TEST(Drive, NoMoreThanTheDepthIsUnderWay) {
  const MediaConfig config = part("znand");
  const HostInterface host = nvme_link("pcie3x4");
  std::map<unsigned, Time> ends, queued;
  for (const unsigned depth : {1U, 4U, 64U}) {
    Drive drive(config, 64 * kMiB, host, depth);
    // Page i lies on another die than its neighbours.
    for (std::uint32_t i = 0; i < 64; ++i) {
      drive.submit({i, false, i * kPageBytes, kPageBytes}, Time{});
    }
    const auto done = finish(drive);
    ASSERT_EQ(done.size(), 64u);
    ends[depth] = done.back().second;
    queued[depth] = drive.queued();
  }
  // Alone each takes 5.36 us before and after the media and link.
  EXPECT_GT(ends[1].ps, 3 * ends[4].ps);
  EXPECT_GT(ends[4].ps, 2 * ends[64].ps);
  EXPECT_GT(queued[1].ps, queued[4].ps);
  EXPECT_EQ(queued[64].ps, 0u);
}

// Either way: the media alone would be faster.
TEST(Drive, TheLinkCarriesOneTransferAtATime) {
  const HostInterface host = nvme_link("pcie3x4");
  const std::vector<std::uint8_t> bytes(16 * kPageBytes, 1);
  for (const bool is_write : {false, true}) {
    Drive drive(part("znand"), 64 * kMiB, host, 64);
    for (std::uint32_t i = 0; i < 16; ++i) {
      drive.submit({i, is_write, i * bytes.size(), bytes.size(), bytes.data()}, Time{});
    }
    const auto done = finish(drive);
    ASSERT_EQ(done.size(), 16u);
    const Time transfers = host.transfer(bytes.size()) * 16;
    EXPECT_GE(done.back().second, transfers + (is_write ? host.before_write : host.before_read));
    EXPECT_LT(done.back().second.ps, 2 * transfers.ps);
  }
}

// Writes that wait for room at the part hold up no read of other bytes; of the same bytes they do.
TEST(Drive, ReadsPassWritesThatWait) {
  const MediaConfig config = part("znand");
  const HostInterface host = nvme_link("pcie3x4");
  const std::vector<std::uint8_t> bytes(kPageBytes, 1);
  constexpr std::uint32_t kWrites = 6000, kRead = kWrites, kSame = kWrites + 1;
  Drive drive(config, 64 * kMiB, host, kWrites + 2);
  // More than the write buffer holds, so that they wait for programs.
  for (std::uint32_t i = 0; i < kWrites; ++i) {
    drive.submit({i, true, i * kPageBytes, kPageBytes, bytes.data()}, Time{});
  }
  const Time behind{7000000000};  // all have crossed the link by then
  while (drive.next_event() < behind) drive.advance(drive.next_event());
  while (drive.take()) {
  }
  drive.submit({kRead, false, 60 * kMiB, kPageBytes}, behind);
  drive.submit({kSame, false, (kWrites - 1) * kPageBytes, kPageBytes}, behind);
  std::map<std::uint32_t, Time> done;
  for (const auto& [token, at] : finish(drive)) done[token] = at;
  ASSERT_TRUE(done.contains(kWrites - 1));  // writes were waiting
  // The die may be programming, and the page's transfer waits for others on its channel.
  const auto& flash = std::get<FlashConfig>(config.params);
  EXPECT_LT(done[kRead] - behind, host.before_read + host.after + (flash.tPROG + flash.tR) * 2);
  // It goes to the part after the write of the same bytes, which goes when the one has ended that
  // is the part's queue of writes before it.
  EXPECT_GE(done[kSame], done[kWrites - 1 - flash.write_queue_depth] - host.after);
  std::vector<std::uint8_t> there(kPageBytes);
  drive.peek((kWrites - 1) * kPageBytes, there);
  EXPECT_EQ(there, bytes);
}

TEST(Drive, WhatIsWrittenIsRead) {
  for (const std::string name : {"znand", "nand", "pram", "dram"}) {
    SCOPED_TRACE(name);
    const MediaConfig config = part(name);
    StripedDrives drives(config, 8 * kMiB, 3, 4 * kPageBytes, nvme_link(link_of(config)), 16);
    FlatMemory flat;
    std::mt19937_64 random(7);
    const auto fill = [&random](std::vector<std::uint8_t>& bytes) {
      for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    };
    std::vector<std::uint8_t> bytes(kMiB), there;
    fill(bytes);
    drives.poke(100, bytes);
    flat.poke(100, bytes);
    Time at;
    for (int round = 0; round < 120; ++round) {
      // A write and a read of pages that do not meet, but did in other rounds.
      const std::uint64_t pages = 1 + random() % 9, first = random() % 100;
      const std::uint64_t other = (first + pages + random() % 90) % 109;
      if (other + 2 > first && other < first) continue;
      bytes.resize(pages * kPageBytes);
      fill(bytes);
      flat.poke(first * kPageBytes, bytes);
      std::uint32_t left =
          drives.submit({1, true, first * kPageBytes, bytes.size(), bytes.data()}, at);
      EXPECT_EQ(left, (first + pages - 1) / 4 - first / 4 + 1) << "stripes";
      left += drives.submit({2, false, other * kPageBytes, 2 * kPageBytes}, at);
      while (left > 0) {
        at = std::max(at, drives.next_event());
        ASSERT_NE(at, Time::never());
        drives.advance(at);
        while (drives.take()) --left;
      }
      for (const std::uint64_t page : {first, first + pages - 1, other, random() % 109}) {
        there.resize(kPageBytes);
        std::vector<std::uint8_t> expected(kPageBytes);
        drives.peek(page * kPageBytes, there);
        flat.peek(page * kPageBytes, expected);
        ASSERT_EQ(there, expected) << "page " << page;
      }
    }
  }
}

}  // namespace
}  // namespace cxlgpu
