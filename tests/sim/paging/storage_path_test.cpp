// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The software before drives: costs by formula, threads, splitting.
#include "sim/paging/storage_path.hpp"

#include <gtest/gtest.h>

#include "sim/paging/drive_store.hpp"
#include "sim/paging/host_store.hpp"
#include "tests/sim/paging/configured.hpp"

namespace cxlgpu {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr Time us{1'000'000};

class StoragePathTest : public ::testing::Test {
 protected:
  [[nodiscard]] static StripedDrives drives(const std::string& name = "znand",
                                            unsigned number = 1) {
    const MediaConfig config = part(name);
    return {config, 128 * kMiB, number, 128 * 1024, nvme_link(config.interface), 1024};
  }
  // An I/O of a fresh drive by itself, at a time: its DRAM is refreshed by the clock.
  static Time alone(std::uint64_t bytes, Time from) {
    StripedDrives fresh = drives();
    fresh.submit({0, false, 0, bytes}, from);
    for (Time at;;) {
      at = fresh.next_event();
      fresh.advance(at);
      if (fresh.take()) return at - from;
    }
  }
  static Time finish(StoragePath& path) {
    for (Time at;;) {
      at = path.next_event();
      if (path.advance(at)) return at;
    }
  }
  static Time finish(PageStore& store) {
    for (Time at;;) {
      at = store.next_event();
      if (store.advance(at)) return at;
    }
  }
};

TEST_F(StoragePathTest, OneRequestIsTheSumOfItsParts) {
  StripedDrives d = drives();
  StoragePath path({us * 70, us * 3, us * 60, 16 * kMiB, 4}, d);
  path.start(false, {{0, 4 * kPageBytes, {}}}, Time{});
  EXPECT_EQ(finish(path), us * 133 + alone(4 * kPageBytes, us * 73));
  EXPECT_EQ(path.stats().registering, us * 130);
  EXPECT_EQ(path.stats().software, us * 3);
  EXPECT_EQ(path.stats().drive, alone(4 * kPageBytes, us * 73));
  EXPECT_EQ(path.stats().bytes_read, 4 * kPageBytes);
}

TEST_F(StoragePathTest, AThreadBringsOneRequestToItsEnd) {
  const auto time = [](unsigned threads) {
    StripedDrives d = drives();
    StoragePath path({us * 70, us * 3, us * 60, 16 * kMiB, threads}, d);
    std::vector<StorageRequest> requests;
    for (std::uint64_t i = 0; i < 6; ++i) requests.push_back({2 * i * kPageBytes, kPageBytes, {}});
    path.start(false, requests, Time{});
    return finish(path);
  };
  const Time one = us * 133 + alone(kPageBytes, us * 73);
  EXPECT_EQ(time(1).ps, 6 * one.ps);
  // At once, they meet at the link: one page after the other.
  const Time meet = nvme_link("pcie3x4").transfer(kPageBytes);
  EXPECT_GE(time(6), one);
  EXPECT_LE(time(6).ps, one.ps + 5 * meet.ps);
  EXPECT_GE(time(3).ps, 2 * one.ps);
  EXPECT_LE(time(3).ps, 2 * one.ps + 4 * meet.ps);
}

TEST_F(StoragePathTest, LargeRequestsAreSplitAt16MiB) {
  const DirectIoConfig gds = configured("vadd-znand-gds").paging.gds;
  ASSERT_EQ(gds.max_io_bytes, 16 * kMiB);
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 33 * kMiB / kPageBytes; ++page) pages.push_back(page);
  const auto move = [&](const DirectIoConfig& io, std::size_t count) {
    StripedDrives d = drives();
    DriveStore store(io, d);
    store.begin_in(std::span(pages).first(count), Time{});
    const Time end = finish(store);
    EXPECT_EQ(store.stats().storage, end);
    EXPECT_EQ(store.stats().requests, 1u);
    EXPECT_EQ(store.stats().bytes_read, count * kPageBytes);
    return std::pair{store.stats(), end};
  };
  EXPECT_EQ(move(gds, 16 * kMiB / kPageBytes).first.ios, 1u);
  EXPECT_EQ(move(gds, 16 * kMiB / kPageBytes + 1).first.ios, 2u);
  const auto [split, split_end] = move(gds, 33 * kMiB / kPageBytes);
  EXPECT_EQ(split.ios, 3u);
  EXPECT_EQ(split.software.ps, 3 * gds.io_ps);
  EXPECT_EQ(split.registering.ps, gds.register_ps + gds.deregister_ps);
  EXPECT_EQ(split_end, split.registering + split.software + split.drive) << "one after the other";
  DirectIoConfig whole = gds;
  whole.max_io_bytes = 64 * kMiB;
  const auto [at_once, end] = move(whole, 33 * kMiB / kPageBytes);
  EXPECT_EQ(at_once.ios, 1u);
  EXPECT_LT(end, split_end);
}

TEST_F(StoragePathTest, PagesThatFollowEachOtherAreOneRequest) {
  StripedDrives d = drives();
  DriveStore store(configured("vadd-znand-phoenix").paging.phoenix, d);
  const std::vector<std::uint64_t> pages = {3, 4, 5, 7, 9, 10};
  store.begin_in(pages, Time{});
  finish(store);
  EXPECT_EQ(store.stats().requests, 3u);
  EXPECT_EQ(store.stats().bytes_read, 6 * kPageBytes);
}

// Table 1 of the Phoenix paper from the parameters that it gave: 64 KiB, P5800X.
TEST_F(StoragePathTest, RegistrationIsTable1) {
  const PagingConfig paging = configured("vadd-pram-gds").paging;
  for (const bool phoenix : {false, true}) {
    StripedDrives d = drives("pram");
    DriveStore store(phoenix ? paging.phoenix : paging.gds, d);
    std::vector<std::uint64_t> pages(16);
    for (std::uint64_t i = 0; i < 16; ++i) pages[i] = i;
    store.begin_in(pages, Time{});
    const Time end = finish(store);
    const double software = store.stats().registering.ns() / 1000;
    EXPECT_NEAR(software, phoenix ? (73.8 + 60.5) * (1 - 0.703) : 73.8 + 60.5, 0.01);
    EXPECT_EQ(store.stats().software, phoenix ? Time{} : Time{3'400'000});
    EXPECT_EQ(end, store.stats().registering + store.stats().software + store.stats().drive);
    RecordProperty(phoenix ? "phoenix_drive_ns" : "gds_drive_ns",
                   std::to_string(store.stats().drive.ns()));
  }
}

TEST_F(StoragePathTest, HostMemoryIsFilledOnceByBlocks) {
  const RunConfig config = configured("vadd-znand-uvm");
  StripedDrives d = drives();
  std::vector<std::uint8_t> bytes(kMiB, 0x5a);
  d.poke(0, bytes);
  HostStore store(config.paging.pcie, config.paging.host_fill, kMiB, &d);
  const GpuLink link(config.paging.pcie);
  const auto copy = [&link](const std::vector<std::uint64_t>& pages, bool in) {
    return link
        .copy(
            pages, [](std::uint64_t page) { return page; }, in)
        .time;
  };
  const std::uint64_t block = config.paging.host_fill.readahead_bytes / kPageBytes;
  const std::vector<std::uint64_t> first = {1, 2, block};  // two blocks, one fault after the other
  store.begin_in(first, Time{});
  Time at = finish(store);
  EXPECT_EQ(store.stats().ios, 2u);
  EXPECT_EQ(store.stats().bytes_read, 2 * block * kPageBytes);
  EXPECT_EQ(store.stats().software.ps, 2 * config.paging.host_fill.page_fault_ps);
  EXPECT_EQ(at, store.stats().software + store.stats().drive + copy(first, true));
  EXPECT_EQ(store.stats().storage, store.stats().software + store.stats().drive);

  const std::vector<std::uint64_t> again = {3, block + 1};
  store.begin_in(again, at);
  EXPECT_EQ(finish(store), at + copy(again, true)) << "there already";
  at += copy(again, true);
  EXPECT_EQ(store.stats().ios, 2u);

  std::vector<std::uint8_t> page(kPageBytes, 0x17), there(kPageBytes);
  const std::vector<PageOut> out = {{2, page}};
  store.begin_out(out, at);
  EXPECT_EQ(finish(store), at + copy({2}, false));
  store.peek(2 * kPageBytes, there);
  EXPECT_EQ(there, page);
  EXPECT_EQ(store.stats().bytes_written, 0u) << "host memory keeps it";
  d.peek(2 * kPageBytes, there);
  EXPECT_EQ(there[0], 0x5a);
}

}  // namespace
}  // namespace cxlgpu
