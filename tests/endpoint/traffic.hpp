// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// Random requests over the host's bench, each answer compared with flat memory and its marks.
//
// Purpose: reads, writes, invalidations and MemSpecRd, few or many at a time.
// Units:   lines of 64 bytes.
// Errors:  GoogleTest failures.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "tests/endpoint/host_bench.hpp"

namespace cxlgpu::test {

// Requests of one line follow each other's answers; else all at once.
struct Traffic {
  unsigned requests;
  bool holds = false;       // the host takes no answer, now and then
  unsigned poisoned = 0;    // per cent of the writes
  unsigned most = kTags;    // unanswered at a time
  unsigned lines = 2000;    // that are used
  unsigned partial = 30;    // per cent of the writes
  unsigned writes = 0;      // per cent of the requests; beyond them 3 of 8
  std::uint64_t upper = 0;  // the second half of the lines lies from this address on
};
inline void traffic(HostBench& bench, const Traffic& kind) {
  std::map<std::uint64_t, Line> memory;
  std::map<std::uint64_t, bool> bad;
  struct Expected {
    std::uint64_t line;
    bool drs;
    Line data;
    bool poison = false;
  };
  std::map<unsigned, Expected> expected;
  std::map<std::uint64_t, bool> in_use;
  const auto check = [&] {
    for (auto& [tag, answer] : bench.answers) {
      const auto it = expected.find(tag);
      ASSERT_NE(it, expected.end());
      EXPECT_EQ(answer.drs, it->second.drs) << "tag " << tag;
      if (answer.drs) {
        EXPECT_EQ(answer.data, it->second.data) << "line " << it->second.line;
        EXPECT_EQ(answer.poison, it->second.poison) << "line " << it->second.line;
      }
      in_use.erase(it->second.line);
      expected.erase(it);
    }
    bench.answers.clear();
  };
  for (unsigned sent = 0; sent < kind.requests && !::testing::Test::HasFailure();) {
    if (kind.holds && bench.random.below(400) == 0) {  // long enough for all places to fill
      bench.take_percent = 0;
      for (unsigned i = 0; i < 1500; ++i) bench.cycle();
      bench.take_percent = 100;
    }
    check();
    const std::uint64_t line = bench.random.below(kind.lines);
    if (bench.unanswered() >= kind.most || !bench.free_tag() || in_use[line] ||
        bench.random.percent(30)) {
      bench.cycle();
      continue;
    }
    ++sent;
    const bool moved = kind.upper != 0 && line >= kind.lines / 2;
    const std::uint64_t address =
        moved ? kind.upper + (line - kind.lines / 2) * kLineBytes : line * kLineBytes;
    Line& now = memory[line];
    unsigned tag = 0;
    switch (bench.random.percent(kind.writes) ? 7 : bench.random.below(8)) {
      case 0:
      case 1:
        tag = bench.send(M2sReqOpcode::MemRd, address);
        expected[tag] = {line, true, now, bad[line]};
        break;
      case 2:
        tag = bench.send(M2sReqOpcode::MemRdData, address);
        expected[tag] = {line, true, now, bad[line]};
        break;
      case 3:
        tag = bench.send(bench.random.bits(1) != 0 ? M2sReqOpcode::MemInv : M2sReqOpcode::MemInvNT,
                         address);
        expected[tag] = {line, false, {}};
        break;
      case 4:
        bench.send(M2sReqOpcode::MemSpecRd, address & ~std::uint64_t{255});
        continue;
      default: {
        const Line data = random_line(bench.random);
        const std::uint64_t enables =
            bench.random.percent(kind.partial) ? bench.random.bits(64) : kAllBytes;
        const bool poison = bench.random.percent(kind.poisoned);
        tag = bench.send(address, data, enables, poison);
        merge_bytes(now, data, enables);
        if (poison || enables == kAllBytes) bad[line] = poison;
        expected[tag] = {line, false, {}};
      }
    }
    in_use[line] = true;
  }
  bench.settle();
  check();
  EXPECT_TRUE(expected.empty());
}

}  // namespace cxlgpu::test
