// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Deterministic store's part of GPU memory: contents by port, latency, bandwidth, and what it
// refuses.
#include "sim/gpu/ds_region.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace cxlgpu {
namespace {

constexpr std::uint64_t kBase = 0x40000000;

std::uint64_t line_at(unsigned port, unsigned slot) {
  return DsRegion::base_of(kBase, port) / kLineBytes + slot;
}
LmRequest read(unsigned index) {
  LmRequest request;
  request.kind = LmKind::Flush;
  request.index = index;
  return request;
}
LmRequest write(std::uint8_t byte, std::uint64_t enable = kAllBytes) {
  LmRequest request;
  request.write = true;
  request.byte_enable = enable;
  request.data.fill(byte);
  return request;
}
Time cycle(std::uint64_t n) {
  return kCycle * n;
}

// Latency 100 cycles; a line takes `cycles_a_line`.
DsRegion region(unsigned cycles_a_line) {
  return {{.latency_ps = 100'000,
           .bytes_per_cycle = static_cast<std::uint32_t>(kLineBytes) / cycles_a_line},
          kBase,
          2};
}

TEST(DsRegion, WritesAreDoneWhenTakenAndReadsAnsweredInOrder) {
  DsRegion r = region(1);
  EXPECT_TRUE(r.offer(0, line_at(0, 5), write(0xaa), cycle(0)));
  EXPECT_TRUE(r.offer(0, line_at(0, 5), write(0xbb, 0xf0), cycle(1)));
  EXPECT_TRUE(r.offer(1, line_at(1, 5), write(0xcc), cycle(2)));
  EXPECT_TRUE(r.offer(0, line_at(0, 5), read(3), cycle(3)));
  EXPECT_TRUE(r.offer(0, line_at(0, 6), read(4), cycle(4)));
  EXPECT_TRUE(r.offer(0, line_at(0, 5), write(0xdd), cycle(5)));  // the read saw what was before
  EXPECT_EQ(r.next_answer(0), cycle(104));
  EXPECT_EQ(r.answer(0, cycle(103)), nullptr);
  EXPECT_EQ(r.answer(1, cycle(500)), nullptr);
  for (int again = 0; again < 2; ++again) {
    const LmResponse* first = r.answer(0, cycle(104));
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->kind, LmKind::Flush);
    EXPECT_EQ(first->index, 3u);
    EXPECT_EQ(first->data[3], 0xaa);
    EXPECT_EQ(first->data[4], 0xbb);
    EXPECT_EQ(first->data[8], 0xaa);
  }
  r.answer_taken(0);
  EXPECT_EQ(r.answer(0, cycle(104)), nullptr);
  ASSERT_NE(r.answer(0, cycle(105)), nullptr);
  EXPECT_EQ(r.answer(0, cycle(105))->index, 4u);
  EXPECT_EQ(r.answer(0, cycle(105))->data, Line{});
  r.answer_taken(0);
  EXPECT_EQ(r.next_answer(0), Time::never());
}

TEST(DsRegion, PortsShareTheBandwidthInTurn) {
  DsRegion r = region(4);
  unsigned taken[2] = {0, 0};
  for (std::uint64_t now = 0; now < 400; ++now) {
    for (unsigned port = 0; port < 2; ++port) {
      taken[port] += r.offer(port, line_at(port, 0), write(1), cycle(now));
    }
  }
  EXPECT_EQ(taken[0], 50u);
  EXPECT_EQ(taken[1], 50u);
}

TEST(DsRegion, FullBandwidthTakesBothPortsInACycle) {
  DsRegion r({.latency_ps = 1000, .bytes_per_cycle = 128}, kBase, 2);
  for (std::uint64_t now = 0; now < 10; ++now) {
    for (unsigned port = 0; port < 2; ++port) {
      EXPECT_TRUE(r.offer(port, line_at(port, 0), write(1), cycle(now)));
    }
  }
}

TEST(DsRegion, ReadsAreBounded) {
  DsRegion r = region(1);
  std::uint64_t now = 0;
  while (r.offer(0, line_at(0, 0), read(0), cycle(now))) ++now;
  EXPECT_EQ(now, DsRegion::kMaxReads);
  EXPECT_TRUE(r.offer(1, line_at(1, 0), read(0), cycle(now)));  // the other port's are its own
  EXPECT_TRUE(r.offer(0, line_at(0, 0), write(1), cycle(now + 1)));
  r.answer_taken(0);
  EXPECT_TRUE(r.offer(0, line_at(0, 0), read(0), cycle(now + 2)));
}

TEST(DsRegion, LinesOfOthersAreRefused) {
  DsRegion r = region(1);
  const unsigned lines = DsRegion::kPortBytes / kLineBytes;
  EXPECT_NO_THROW(r.offer(0, line_at(0, lines - 1), write(1), cycle(0)));
  EXPECT_THROW(r.offer(0, line_at(1, 0), write(1), cycle(1)), std::logic_error);
  EXPECT_THROW(r.offer(1, line_at(0, lines - 1), write(1), cycle(1)), std::logic_error);
  EXPECT_THROW(r.offer(0, line_at(0, 0) - 1, write(1), cycle(1)), std::logic_error);
}

}  // namespace
}  // namespace cxlgpu
