// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The endpoint behind a host that does what ours never does (host_bench.hpp): opcodes, poison,
// links that fall, and its errors in configuration space and RAS, each alone.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "tests/common/environment.hpp"
#include "tests/common/requirement.hpp"
#include "tests/endpoint/host_bench.hpp"
#include "tests/endpoint/traffic.hpp"

namespace cxlgpu::test {
namespace {

void use_dram(HostBench& bench, unsigned sets_log2) {
  bench.memory_write(kVendor + (regs::ep::kSets - regs::ep::kBlock), sets_log2);
  bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
}
Line line_of(unsigned byte) {
  Line line;
  line.fill(static_cast<std::uint8_t>(byte));
  return line;
}

// Stores do not wait for fills; at most `lines` lines are there in part.
void use_open_lines(HostBench& bench, unsigned lines) {
  if (lines != 0) bench.bins.begin();
  bench.memory_write(kVendor + (regs::ep::kOpen - regs::ep::kBlock), lines);
}

class Endpoint : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(InternalDram, Endpoint, ::testing::Bool());

TEST_P(Endpoint, AnswersAllOpcodes) {
  HostBench bench(GetParam() ? 11 : 12);
  if (GetParam()) use_dram(bench, 3);
  bench.media_percent = 60;
  traffic(bench, {.requests = 4000, .poisoned = 20});
  const auto& commands = bench.media.commands;
  EXPECT_EQ(commands[static_cast<unsigned>(MediaOp::Fill)] > 0, GetParam());
  EXPECT_EQ(commands[static_cast<unsigned>(MediaOp::Read)] > 0, !GetParam());
}

// Latency is random above; here it is the same for every command.
TEST_P(Endpoint, ServesAtConstantLatency) {
  for (const unsigned latency : {1u, 10u, 100u, 400u}) {
    SCOPED_TRACE(latency);
    HostBench bench(GetParam() ? 13 : 14);
    if (GetParam()) use_dram(bench, 3);
    bench.media_latency = latency;
    traffic(bench, {.requests = 1000, .holds = latency == 10, .poisoned = 20});
    // Few at a time, over lines that fight for their places.
    for (const unsigned most : {1u, 2u, 3u, 8u}) {
      SCOPED_TRACE(most);
      HostBench narrow(15 + most);
      if (GetParam()) use_dram(narrow, 0);
      narrow.media_latency = latency;
      traffic(narrow, {.requests = 400, .poisoned = 20, .most = most, .lines = 80});
    }
  }
}

TEST_P(Endpoint, WaitsForAHostThatTakesNothing) {
  HostBench bench(GetParam() ? 21 : 22);
  if (GetParam()) bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  traffic(bench, {.requests = 6000, .holds = true});
}

void use_durable(HostBench& bench, std::uint64_t units, Durable level) {
  const auto at = [](std::uint32_t offset) { return kVendor + (offset - regs::ep::kBlock); };
  bench.memory_write(at(regs::ep::kPersistentFrom), units);
  bench.memory_write(at(regs::ep::kDurable), static_cast<unsigned>(level));
  bench.persists_from = units * kRange;
  bench.level = level;
}
constexpr std::array kLevels = {Durable::Off, Durable::Buffered, Durable::Programmed};

// Half of the lines persist, few enough to be evicted and filled all the time.
TEST_P(Endpoint, CompletesAWriteThatPersistsWhenItIsSafe) {
  for (const Durable level : kLevels) {
    for (const unsigned open : {0u, 8u}) {
      for (const unsigned latency : {0u, 1u, 40u, 300u}) {
        SCOPED_TRACE(::testing::Message() << "level " << static_cast<unsigned>(level) << ", open "
                                          << open << ", latency " << latency);
        HostBench bench(400 + 10 * static_cast<unsigned>(level) + open, 2 * kRange);
        if (GetParam()) use_dram(bench, 0);
        if (open != 0) bench.memory_write(kVendor + (regs::ep::kOpen - regs::ep::kBlock), open);
        use_durable(bench, 1, level);
        bench.media_latency = bench.durable_latency = latency;
        bench.media_percent = latency == 0 ? 60 : 100;
        traffic(bench, {.requests = latency > 100 ? 300u : 1000u,
                        .holds = latency == 0,
                        .poisoned = 10,
                        .lines = 160,
                        .partial = 50,
                        .upper = kRange});
        const auto& durable = bench.media.durable;
        EXPECT_EQ(durable[1] + durable[2], bench.safe_writes) << "each once, and no other";
        EXPECT_EQ(durable[static_cast<unsigned>(level)], bench.safe_writes);
        EXPECT_EQ(bench.safe_writes > 20, level != Durable::Off);
        if (HasFailure()) return;
      }
    }
  }
}

// By hand: which line is the first, whatever it meets; bytes of two writes.
TEST_P(Endpoint, PersistsFromTheUnitOn) {
  for (const Durable level : kLevels) {
    for (const std::uint64_t units : {0u, 1u, 2u, 3u, 4u, 0xff'ffffu}) {
      SCOPED_TRACE(::testing::Message() << static_cast<unsigned>(level) << " from " << units);
      HostBench bench(500 + units % 16, 4 * kRange);
      if (GetParam()) use_dram(bench, 3);
      use_durable(bench, units, level);
      std::uint64_t persist = 0;
      for (const std::uint64_t unit : {0, 1, 2, 3}) {
        for (const std::uint64_t at : {unit * kRange, (unit + 1) * kRange - kLineBytes}) {
          bench.write(at, line_of(1), 0xff);          // a miss, which waits for its fill
          bench.write(at, line_of(2), 0xff00, true);  // a hit
          Line both = line_of(1);
          merge_bytes(both, line_of(2), 0xff00);
          merge_bytes(both, line_of(0), ~std::uint64_t{0xffff});
          const HostBench::Answer answer = bench.read(at);
          EXPECT_EQ(answer.data, both);
          EXPECT_TRUE(answer.poison);
          if (unit < units || level == Durable::Off) continue;
          persist += 2;
          const BenchMedia::Left& left = bench.media.left(level, at / kLineBytes, ~0ull);
          EXPECT_EQ(left.bytes, 0xffffu);
          EXPECT_EQ(left.data, both);
        }
      }
      EXPECT_EQ(bench.safe_writes, persist);
      EXPECT_EQ(bench.media.durable[1] + bench.media.durable[2], persist);
    }
  }
}

// The page's times by hand: the answer of the media is offered in its own cycle, a durable one as
// any, and a load of the line, taken behind it, does not wait for it.
TEST_P(Endpoint, DurabilityCostsWhatTheMediaTake) {
  std::array<std::uint64_t, 3> took{};
  for (const Durable level : kLevels) {
    HostBench bench(600, 2 * kRange);
    if (GetParam()) use_dram(bench, 3);
    use_durable(bench, 1, level);
    bench.media_latency = 20;
    bench.durable_latency = 501;
    bench.read(kRange);  // the line is there
    for (unsigned i = 0; i < 200; ++i) bench.cycle();
    const std::uint64_t began = bench.now();
    const unsigned store = bench.send(kRange, line_of(7), kAllBytes, false);
    for (unsigned i = 0; i < 60; ++i) bench.cycle();
    const unsigned load = bench.send(M2sReqOpcode::MemRd, kRange);
    bench.settle();
    const HostBench::Answer stored = bench.await(store), loaded = bench.await(load);
    EXPECT_EQ(loaded.data, line_of(7)) << "the media act in the order of commands";
    took[static_cast<unsigned>(level)] = stored.at - began;
    EXPECT_EQ(stored.at > loaded.at, level != Durable::Off);
  }
  EXPECT_EQ(took[1], took[2]);
  // The host's ends of the wire take every other cycle.
  EXPECT_NEAR(static_cast<double>(took[1] - took[0]), 501, 1);
}

// The mark of a line, by every kind of write and by what must leave it alone.
TEST_P(Endpoint, KeepsPoisonOfALine) {
  test::shows("order",
              "A device keeps poison per 64 bytes until the line is written whole and clean",
              "CXL 2.0, 12.2.3");
  constexpr std::uint64_t kLower = 0xffff'ffff, kLine = 5 * kLineBytes;
  HostBench bench(71);
  if (GetParam()) use_dram(bench, 3);
  const auto expect = [&](const Line& data, bool poison, const char* why) {
    const HostBench::Answer answer = bench.read(kLine);
    EXPECT_EQ(answer.data, data) << why;
    EXPECT_EQ(answer.poison, poison) << why;
    for (const std::uint64_t beside : {4, 6, 7}) {
      EXPECT_FALSE(bench.read(beside * kLineBytes).poison) << why << ", line " << beside;
    }
  };
  Line mixed = line_of(2);
  bench.write(kLine, line_of(1));
  expect(line_of(1), false, "clean");
  bench.write(kLine, line_of(2), kAllBytes, true);
  expect(line_of(2), true, "poisoned whole");
  expect(line_of(2), true, "a read leaves the mark");
  bench.write(kLine, line_of(3), kLower);
  merge_bytes(mixed, line_of(3), kLower);
  expect(mixed, true, "clean in part");
  bench.write(kLine, line_of(4), ~kLower);
  merge_bytes(mixed, line_of(4), ~kLower);
  expect(mixed, true, "clean in the other part: a line is clean by one write alone");
  bench.await(bench.send(M2sReqOpcode::MemInv, kLine));
  bench.await(bench.send(M2sReqOpcode::MemInvNT, kLine));
  bench.send(M2sReqOpcode::MemSpecRd, 4 * kLineBytes);
  expect(mixed, true, "no data");
  bench.write(kLine, line_of(5));
  expect(line_of(5), false, "clean whole");
  bench.write(kLine, line_of(6), kLower, true);
  mixed = line_of(5);
  merge_bytes(mixed, line_of(6), kLower);
  expect(mixed, true, "poisoned in part");
  bench.write(kLine, line_of(7), kAllBytes, true);
  expect(line_of(7), true, "poisoned again");
  bench.write(kLine, line_of(8));
  expect(line_of(8), false, "clean whole again");
  bench.write(kLine, line_of(9), 0, true);
  expect(line_of(8), true, "poisoned, no byte of it");
  bench.write(kLine, line_of(9), 0);
  expect(line_of(8), true, "clean, no byte of it");
}

// With media that answer nothing, MemSpecRd start fills while at least an eighth of the MSHRs is
// free; the rest are for loads, each of which starts its fill.
TEST(EndpointAlone, MemSpecRdLeaveMshrsToLoads) {
  constexpr unsigned kMshrs = 128, kReserve = kMshrs / 8, kGranule = 256;
  constexpr unsigned kSpeculated = kMshrs - kReserve + 1;  // the last one is taken with 16 free
  HostBench bench(73);
  use_dram(bench, 8);  // a way for each
  bench.media_answers = false;
  const auto cycles = [&bench](unsigned n) {
    for (unsigned i = 0; i < n; ++i) bench.cycle();
  };
  std::uint64_t granule = 0;
  for (; granule < 200; ++granule) {
    bench.send(M2sReqOpcode::MemSpecRd, granule * kGranule);
    cycles(4);
  }
  cycles(2000);
  EXPECT_EQ(bench.media.count(MediaOp::Fill), kSpeculated);
  for (unsigned load = 1; load < kReserve; ++load) {
    bench.send(M2sReqOpcode::MemRd, granule++ * kGranule);
    cycles(500);
    EXPECT_EQ(bench.media.count(MediaOp::Fill), kSpeculated + load);
  }
  bench.media_answers = true;
  bench.settle();
}

// The mark goes with the data: out of the internal DRAM, and in again by a demand or by MemSpecRd.
TEST(EndpointAlone, PoisonGoesOutAndInWithItsLine) {
  HostBench bench(72);
  use_dram(bench, 0);  // one set of eight
  const auto evict = [&bench] {
    const std::uint64_t before = bench.media.count(MediaOp::Fill);
    for (unsigned round = 0; round < 2; ++round) {
      for (std::uint64_t granule = 100; granule < 116; ++granule) bench.read(granule * 256);
    }
    EXPECT_GE(bench.media.count(MediaOp::Fill), before + 16);
  };
  const auto expect = [&bench](std::uint64_t bad, const char* why) {
    for (std::uint64_t line = 0; line < 4; ++line) {
      const HostBench::Answer answer = bench.read(line * kLineBytes);
      EXPECT_EQ(answer.poison, (bad >> line & 1) != 0) << why << ", line " << line;
      EXPECT_EQ(answer.data, line_of(16 + static_cast<unsigned>(line))) << why;
    }
  };
  for (unsigned line = 0; line < 4; ++line) {
    bench.write(line * kLineBytes, line_of(16 + line), kAllBytes, line == 1 || line == 2);
  }
  expect(0b0110, "in the internal DRAM");
  evict();
  EXPECT_EQ(bench.media.count(MediaOp::WriteBack), 1u);
  expect(0b0110, "back from the media");
  bench.write(1 * kLineBytes, line_of(17));
  bench.write(3 * kLineBytes, line_of(19), 1, true);
  expect(0b1100, "one cleared, one marked in part");
  evict();
  expect(0b1100, "back again: the media's old marks are gone");
  evict();
  bench.send(M2sReqOpcode::MemSpecRd, 0);
  for (unsigned i = 0; i < 500; ++i) bench.cycle();
  const std::uint64_t fills = bench.media.count(MediaOp::Fill);
  expect(0b1100, "brought by MemSpecRd");
  EXPECT_EQ(bench.media.count(MediaOp::Fill), fills) << "they were hits";
}

// Requests that wait for one fill: each line's own mark, whatever waits beside it.
TEST(EndpointAlone, PoisonOfWritesThatWaitForAFill) {
  for (const unsigned latency : {0u, 1u, 100u}) {
    HostBench bench(73);
    bench.media_latency = latency;
    for (unsigned line = 0; line < 8; ++line) {  // past the internal DRAM
      bench.write(line * kLineBytes, line_of(line), kAllBytes, line % 4 == 2 || line % 4 == 3);
    }
    use_dram(bench, 3);
    bench.media_answers = false;
    std::vector<unsigned> tags;
    for (const std::uint64_t granule : {0, 4}) {
      tags.push_back(bench.send(M2sReqOpcode::MemRd, granule * kLineBytes));
      tags.push_back(bench.send((granule + 1) * kLineBytes, line_of(50), 0xff, true));
      tags.push_back(bench.send((granule + 2) * kLineBytes, line_of(51), 0xff, false));
      tags.push_back(bench.send((granule + 3) * kLineBytes, line_of(52), kAllBytes, false));
    }
    for (unsigned i = 0; i < 300; ++i) bench.cycle();
    EXPECT_EQ(bench.media.under_way(), 2u) << "two fills, nothing else";
    EXPECT_TRUE(bench.answers.empty());
    bench.media_answers = true;
    EXPECT_FALSE(bench.await(tags[0]).poison);
    for (const unsigned tag : tags) {
      if (tag != tags[0]) bench.await(tag);
    }
    for (const std::uint64_t granule : {0, 4}) {
      for (std::uint64_t line = 0; line < 4; ++line) {
        EXPECT_EQ(bench.read((granule + line) * kLineBytes).poison, line == 1 || line == 2)
            << "line " << granule + line;
      }
    }
  }
}

// A message of an opcode that a Type 3 device does not know: an error of RAS, no answer, no access;
// and its place in the receive FIFO is free again.
TEST_P(Endpoint, RefusesUnknownOpcodes) {
  namespace ras = regs::ras;
  test::shows("order", "An opcode that is not known is neither performed nor answered, and logged",
              "CXL 2.0, 8.2.5.9.1");
  HostBench bench(81);
  if (GetParam()) use_dram(bench, 3);
  bench.memory_write(kRas + ras::kUncorMask, 0);
  bench.write(0, line_of(1));
  const auto commands = bench.media.commands;
  const auto refused = [&](unsigned opcode) {
    for (unsigned i = 0; i < 300; ++i) bench.cycle();
    EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), ras::kUncorStatusEncoding.mask())
        << "opcode " << opcode;
    bench.memory_write(kRas + ras::kUncorStatus, ~0u);
  };
  for (unsigned opcode = 0; opcode < 16; ++opcode) {
    if (opcode <= 2 || opcode == 8 || opcode == 9) continue;  // those of a Type 3 device
    for (unsigned n = 0; n < 5; ++n) bench.send_unknown_req(opcode, 0);
    refused(opcode);
    bench.send_unknown_req(opcode, 2 * kRange);  // no decoder has it
    refused(opcode);
  }
  for (unsigned opcode = 0; opcode < 16; ++opcode) {
    if (opcode == 1 || opcode == 2) continue;
    for (unsigned n = 0; n < 5; ++n) bench.send_unknown_rwd(opcode, 0, line_of(2));
    refused(opcode);
  }
  EXPECT_EQ(bench.media.commands, commands);
  EXPECT_EQ(bench.strange, 0u);
  EXPECT_EQ(bench.read(0).data, line_of(1));
  // It is logged with its flit, whatever stands still behind the link: the media takes one more
  // request, the command FIFO four, E1 holds the sixth, and the seventh waits before it.
  bench.media_percent = 0;
  const std::uint64_t kinds = GetParam() ? 256 : kLineBytes;
  for (unsigned n = 1; n <= 7; ++n) bench.send(M2sReqOpcode::MemRd, n * kinds);
  bench.send_unknown_req(3, 0);
  refused(3);
  bench.media_percent = 100;
  bench.settle();
  bench.media_percent = 0;
  for (unsigned n = 11; n <= 16; ++n) bench.send(M2sReqOpcode::MemRd, n * kinds);
  bench.send_unknown_req(3, 0);
  refused(3);
  bench.media_percent = 100;
  bench.settle();
}

// Audit: a read waits in the media, the link falls and comes up, and the host reads another line
// with the same tag.
TEST_P(Endpoint, AnswersOnlyTheSessionThatAsked) {
  test::shows("order", "No answer to a request of an old link goes out on the next",
              "docs/blocks/endpoint/endpoint.md");
  HostBench bench(91);
  if (GetParam()) use_dram(bench, 3);
  bench.write(0x1000, line_of(0xaa));
  bench.write(0x2000, line_of(0xbb));
  if (GetParam()) {
    // Out of the internal DRAM again: reads that wait for fills.
    for (std::uint64_t granule = 1000; granule < 1200; ++granule) bench.read(granule * 256);
  }
  bench.media_answers = false;
  EXPECT_EQ(bench.send(M2sReqOpcode::MemRd, 0x1000), 0u);
  for (unsigned i = 0; i < 300; ++i) bench.cycle();
  EXPECT_EQ(bench.media.under_way(), 1u);
  bench.lose_link();
  bench.set_up();
  EXPECT_EQ(bench.send(M2sReqOpcode::MemRd, 0x2000), 0u);
  for (unsigned i = 0; i < 300; ++i) bench.cycle();
  bench.media_answers = true;
  EXPECT_EQ(bench.await(0).data, line_of(0xbb));
  bench.settle();
}

// The same with the read not even looked up: the media takes no command, and the command FIFO is
// full of fills that nobody waits for.
TEST(EndpointAlone, AnswersOnlyTheSessionThatAskedBehindFills) {
  HostBench bench(92);
  use_dram(bench, 3);
  bench.write(0x1000, line_of(0xaa));
  bench.write(0x2000, line_of(0xbb));
  bench.media_percent = 0;
  for (std::uint64_t granule = 100; granule < 108; ++granule) {
    bench.send(M2sReqOpcode::MemSpecRd, granule * 256);
  }
  for (unsigned i = 0; i < 200; ++i) bench.cycle();
  EXPECT_EQ(bench.send(M2sReqOpcode::MemRd, 0x1000), 0u);
  for (unsigned i = 0; i < 200; ++i) bench.cycle();
  bench.lose_link();
  bench.set_up();
  EXPECT_EQ(bench.send(M2sReqOpcode::MemRd, 0x2000), 0u);
  for (unsigned i = 0; i < 1000; ++i) bench.cycle();
  bench.media_percent = 100;
  EXPECT_EQ(bench.await(0).data, line_of(0xbb));
  bench.settle();
}

struct Holds {
  const char* what;
  unsigned media_percent, take_percent;
};

// The link falls in every cycle of a batch of requests, which then stand in every place that there
// is; the next session uses their tags, and its writes come after theirs. Every other time it uses
// them at once, when nothing is decoded yet, else the media waits until it has asked.
TEST_P(Endpoint, ForgetsWhateverWasAsked) {
  constexpr unsigned kReads = 12, kWrites = 6, kNone = 4;
  for (const Holds& holds : {Holds{"nothing", 100, 100}, Holds{"the media's commands", 3, 100},
                             Holds{"the host's answers", 100, 0}}) {
    for (const unsigned latency : {0u, 1u, 10u, 100u, 400u}) {
      SCOPED_TRACE(::testing::Message() << holds.what << ", latency " << latency);
      HostBench bench(100 + latency);
      if (GetParam()) use_dram(bench, 2);
      bench.media_latency = latency;
      std::map<std::uint64_t, Line> memory;
      const auto write = [&](std::uint64_t line, unsigned byte) {
        memory[line] = line_of(byte);
        return bench.send(line * kLineBytes, memory[line], kAllBytes, false);
      };
      for (unsigned line = 0; line < 160; ++line) {
        write(line, line);
        while (bench.busy()) bench.cycle();
        bench.answers.clear();
      }
      const unsigned rounds = holds.take_percent == 0 ? 6 : 1;  // enough for all places to fill
      // The night takes each step of seven, the day every other one.
      const unsigned every = test::volume() == 1 ? 2 : 1;
      const unsigned last = latency == 400 ? 900 : 400, step = every * (latency == 400 ? 43 : 7);
      bool at_once = false;
      for (unsigned after = 0; after <= last && !HasFailure(); after += step) {
        at_once = !at_once;
        bench.media_percent = holds.media_percent;
        bench.take_percent = holds.take_percent;
        const std::uint64_t old_lines = bench.random.below(64);
        const unsigned value = static_cast<unsigned>(bench.random.below(256));
        for (unsigned n = 0; n < rounds * kReads; ++n) {
          bench.send(M2sReqOpcode::MemRd, (old_lines + n % 80) * kLineBytes);
        }
        for (unsigned n = 0; n < kWrites; ++n) {
          bench.send((80 + n) * kLineBytes, line_of(value), 0xff00ff, false);
        }
        for (unsigned n = 0; n < rounds * kNone; ++n) {
          bench.send(M2sReqOpcode::MemInv, n * kLineBytes);
          bench.send(M2sReqOpcode::MemRd, 2 * kRange + n * kLineBytes);  // no decoder has it
        }
        bench.send(M2sReqOpcode::MemSpecRd, old_lines * kLineBytes & ~std::uint64_t{255});
        for (unsigned i = 0; i < after; ++i) bench.cycle();
        bench.lose_link();
        bench.take_percent = 100;
        bench.media_percent = at_once ? 100 : 0;
        if (at_once) {
          std::vector<unsigned> missed;
          for (unsigned n = 0; n < kReads; ++n) {
            missed.push_back(bench.send(M2sReqOpcode::MemRd, (100 + n) * kLineBytes));
          }
          for (const unsigned tag : missed) EXPECT_EQ(bench.await(tag).data, line_of(0xff)) << tag;
        }
        bench.set_up();

        // Tags from 0 again: writes where writes were, and reads of other lines.
        std::map<unsigned, std::uint64_t> reads;
        std::vector<unsigned> writes;
        for (unsigned n = 0; n < kWrites / 2; ++n) {
          writes.push_back(write(80 + n, value + 1));
        }
        for (unsigned n = 0; n < 2 * kReads; ++n) {
          const std::uint64_t line = 90 + bench.random.below(70);
          reads[bench.send(M2sReqOpcode::MemRd, line * kLineBytes)] = line;
        }
        if (!at_once) {
          for (unsigned i = 0; i < 100; ++i) bench.cycle();
          bench.media_percent = 100;
        }
        for (const unsigned tag : writes) EXPECT_FALSE(bench.await(tag).drs);
        for (const auto& [tag, line] : reads) {
          const HostBench::Answer answer = bench.await(tag);
          EXPECT_TRUE(answer.drs);
          EXPECT_EQ(answer.data, memory[line]) << "tag " << tag << ", line " << line;
        }
        for (unsigned n = 0; n < kWrites; ++n) {
          const Line found = bench.read((80 + n) * kLineBytes).data;
          Line& now = memory[80 + n];
          Line whole = now;
          merge_bytes(whole, line_of(value), 0xff00ff);
          if (n < kWrites / 2) {
            EXPECT_EQ(found, now) << "an old write came after a new one";
          } else {
            EXPECT_TRUE(found == now || found == whole) << "half a write";
          }
          now = found;
        }
        while (!bench.media.empty()) bench.cycle();
        for (unsigned i = 0; i < 100; ++i) bench.cycle();
        EXPECT_EQ(bench.strange, 0u) << "link down after " << after;
      }
      // What was written and answered is there, dirty in the internal DRAM or not.
      for (const auto& [line, data] : memory) EXPECT_EQ(bench.read(line * kLineBytes).data, data);
    }
  }
}

// Mem_Enable 0: every request of CXL.mem is a decode miss (CXL 2.0, 8.1.3.2). With it the DVSEC
// range decodes until HDM Decoder Enable is set (8.1.3.8), and again without.
TEST(EndpointAlone, DecodesAsDvsecAndDecodersSay) {
  HostBench bench(33);
  constexpr std::uint64_t kBase = 0x10'0000'0000, kLine5 = 5 * kLineBytes, kLine7 = 7 * kLineBytes;
  Line ones;
  ones.fill(0xff);
  const auto read = [&bench](std::uint64_t address) {
    const unsigned tag = bench.send(M2sReqOpcode::MemRd, address);
    bench.settle();
    const HostBench::Answer answer = bench.answers[tag];
    bench.answers.clear();
    EXPECT_TRUE(answer.drs);
    return answer.data;
  };
  const auto write = [&bench](std::uint64_t address, const Line& data) {
    const unsigned tag = bench.send(address, data, kAllBytes, false);
    bench.settle();
    EXPECT_TRUE(bench.answers.contains(tag) && !bench.answers[tag].drs);
    bench.answers.clear();
  };
  const auto decoders = [&bench](bool on) {
    bench.memory_write(kHdm + regs::hdm::kGlobalControl,
                       on ? regs::hdm::kGlobalControlEnable.mask() : 0);
  };
  const Line first = random_line(bench.random), second = random_line(bench.random);
  write(kLine5, first);
  EXPECT_EQ(read(kLine5), first);

  const auto before = bench.media.commands;
  bench.config_write(kCxlControl, 0);
  write(kLine5, second);
  EXPECT_EQ(read(kLine5), ones);
  decoders(false);
  write(kLine5, second);
  EXPECT_EQ(read(kLine5), ones);
  EXPECT_EQ(read(0), ones);  // where the range begins
  EXPECT_EQ(bench.media.commands, before);

  bench.config_write(kRange1Base, kBase >> 32);
  bench.config_write(kCxlControl, kMemEnable);
  EXPECT_EQ(read(kLine5), ones);
  EXPECT_EQ(read(kBase + kLine5), first);
  write(kBase + kLine7, second);
  EXPECT_EQ(read(kBase + (std::uint64_t{128} << 28) - kLineBytes), Line{});  // its last line
  EXPECT_EQ(read(kBase + (std::uint64_t{128} << 28)), ones);
  EXPECT_EQ(read(kBase - kLineBytes), ones);

  decoders(true);
  EXPECT_EQ(read(kBase + kLine7), ones);
  EXPECT_EQ(read(kLine7), second);
  decoders(false);
  EXPECT_EQ(read(kBase + kLine7), second);

  // Every bit of a base counts; of range 2, which HDM_Count leaves out, none is there.
  constexpr std::uint32_t kRange2Base = kRange1Base + 0x10;
  for (unsigned bit = 28; bit < 64; ++bit) {
    SCOPED_TRACE(bit);
    const std::uint64_t base = std::uint64_t{1} << bit;
    const auto high = static_cast<std::uint32_t>(base >> 32);
    const auto low = static_cast<std::uint32_t>(base);
    bench.config_write(kRange1Base, high);
    bench.config_write(kRange1Base + 4, low);
    bench.config_write(kRange2Base, high);
    bench.config_write(kRange2Base + 4, low);
    EXPECT_EQ(bench.config_read(kRange1Base), high);
    EXPECT_EQ(bench.config_read(kRange1Base + 4), low);
    EXPECT_EQ(bench.config_read(kRange2Base), 0u);
    EXPECT_EQ(bench.config_read(kRange2Base + 4), 0u);
    EXPECT_EQ(read(kLine7), ones);
    if (bit < 52) {
      EXPECT_EQ(read(base + kLine7), second);
    }
  }
}

// MemInv and MemInvNT are answered without the media.
TEST(EndpointAlone, InvalidationsTouchNoMedia) {
  HostBench bench(31);
  for (unsigned i = 0; i < 40; ++i) {
    bench.send(i % 2 == 0 ? M2sReqOpcode::MemInv : M2sReqOpcode::MemInvNT, i * kLineBytes);
  }
  bench.settle();
  for (const auto& [tag, answer] : bench.answers) EXPECT_FALSE(answer.drs) << "tag " << tag;
  EXPECT_EQ(bench.answers.size(), 40u);
  for (const std::uint64_t n : bench.media.commands) EXPECT_EQ(n, 0u);
}

// Lines in part: docs/blocks/endpoint/README.md.
TEST(EndpointAlone, OpenLinesUnderAllTraffic) {
  test::shows("order", "Data and poison are right whatever stores, loads and fills meet in a line",
              "docs/blocks/endpoint/README.md");
  for (const unsigned open : {1u, 4u, 64u}) {
    for (const unsigned latency : {0u, 1u, 400u}) {
      SCOPED_TRACE(::testing::Message() << open << " open, latency " << latency);
      HostBench bench(81 + open + latency);
      use_dram(bench, 3);
      use_open_lines(bench, open);
      bench.media_latency = latency;
      bench.media_percent = 70;
      traffic(bench, {.requests = 1500, .holds = latency == 1, .poisoned = 20});
      // A few sets full of open lines.
      HostBench narrow(91 + open + latency);
      use_dram(narrow, 0);
      use_open_lines(narrow, open);
      narrow.media_latency = latency;
      traffic(narrow, {.requests = 800, .poisoned = 20, .lines = 120});
      // Little more than there is room for: stores and loads meet fills.
      HostBench few(101 + open + latency);
      use_dram(few, 0);
      use_open_lines(few, open);
      few.media_latency = latency;
      traffic(few, {.requests = latency == 0 && open != 1 ? 16000u : 800u,
                    .poisoned = 30,
                    .lines = 40,
                    .partial = 60,
                    .writes = 50});
    }
  }
}

class OpenBench : public HostBench {
 public:
  explicit OpenBench(std::uint64_t seed, unsigned sets_log2 = 3, unsigned open = 8)
      : HostBench(seed) {
    use_dram(*this, sets_log2);
    use_open_lines(*this, open);
  }
  std::uint64_t fills() const { return media.count(MediaOp::Fill); }
  void pass(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) cycle();
  }
};

TEST(EndpointAlone, OpenLineTakesStoresAndServesWhatItHolds) {
  OpenBench bench(101);
  bench.write(0x1000, line_of(1));
  bench.write(0x1040, line_of(2), 0xffff'ffff);
  EXPECT_EQ(bench.read(0x1000).data, line_of(1));
  bench.write(0x1040, line_of(3), ~std::uint64_t{0xffff'ffff});
  Line both = line_of(3);
  merge_bytes(both, line_of(2), 0xffff'ffff);
  EXPECT_EQ(bench.read(0x1040).data, both);
  EXPECT_EQ(bench.fills(), 0u);
  EXPECT_EQ(bench.read(0x1080).data, line_of(0));
  EXPECT_EQ(bench.fills(), 1u);
  EXPECT_EQ(bench.read(0x1000).data, line_of(1)) << "the fill keeps what is held";
  EXPECT_EQ(bench.read(0x1040).data, both);
}

TEST(EndpointAlone, OpenLineThatIsWholeNeedsNoFill) {
  OpenBench bench(102, 0);
  for (unsigned line = 0; line < 4; ++line) bench.write(line * kLineBytes, line_of(line + 1));
  bench.pass(20);
  // Eight more, and it is evicted: written back by itself, and filled for the load alone.
  for (unsigned g = 1; g <= 8; ++g) {
    for (unsigned line = 0; line < 4; ++line) {
      bench.write((4 * g + line) * kLineBytes, line_of(16 * g + line));
    }
  }
  EXPECT_EQ(bench.fills(), 0u);
  EXPECT_EQ(bench.media.count(MediaOp::WriteBack), 1u);
  for (unsigned line = 0; line < 4; ++line) {
    EXPECT_EQ(bench.read(line * kLineBytes).data, line_of(line + 1));
  }
  EXPECT_EQ(bench.fills(), 1u);
}

TEST(EndpointAlone, OpenLineWhoseFillFailsKeepsItsStores) {
  test::shows("order", "A fill that fails takes nothing from stores that were answered",
              "docs/blocks/endpoint/README.md");
  OpenBench bench(103);
  bench.media.fail_fills = true;
  bench.write(0x1000, line_of(1));
  bench.write(0x1040, line_of(2), 0xff);
  EXPECT_TRUE(bench.read(0x1080).poison);
  EXPECT_EQ(bench.read(0x1000).data, line_of(1));
  EXPECT_FALSE(bench.read(0x1000).poison);
  EXPECT_TRUE(bench.read(0x1040).poison) << "half of it never came";
  bench.write(0x1040, line_of(3));
  EXPECT_FALSE(bench.read(0x1040).poison);
}

TEST(EndpointAlone, OpenLinesBeyondTheirNumberAreFilledBehind) {
  OpenBench bench(104, 3, 2);
  for (unsigned g = 0; g < 6; ++g) {
    bench.write(g * std::uint64_t{256}, line_of(g + 1), 0xff);
    bench.pass(100);
    EXPECT_EQ(bench.fills(), g < 2 ? 0u : g - 1) << g;
  }
}

TEST(EndpointAlone, OpenSetIsFilledForADemandThatIsBlocked) {
  OpenBench bench(105, 0, 64);
  for (unsigned g = 0; g < 8; ++g) bench.write(g * std::uint64_t{256}, line_of(g + 1), 0xff);
  bench.pass(1000);
  EXPECT_EQ(bench.fills(), 0u);
  bench.write(8 * 256, line_of(9), 0xff);
  EXPECT_GT(bench.fills(), 0u);
  for (unsigned g = 0; g < 9; ++g) {
    Line want{};
    merge_bytes(want, line_of(g + 1), 0xff);
    EXPECT_EQ(bench.read(g * std::uint64_t{256}).data, want) << g;
  }
}

TEST(EndpointAlone, OpenLineIsFilledForMemSpecRd) {
  OpenBench bench(106);
  bench.write(0x1000, line_of(1), 0xff);
  bench.send(M2sReqOpcode::MemSpecRd, 0x1000);
  bench.pass(400);
  EXPECT_EQ(bench.fills(), 1u);
  Line want{};
  merge_bytes(want, line_of(1), 0xff);
  EXPECT_EQ(bench.read(0x1000).data, want);
  EXPECT_EQ(bench.fills(), 1u);
}

TEST(EndpointAlone, OpenLinesOutliveTheirLink) {
  OpenBench bench(107);
  bench.write(0x1000, line_of(1), 0xff);
  bench.lose_link();
  bench.set_up();
  EXPECT_EQ(bench.fills(), 0u);
  Line want{};
  merge_bytes(want, line_of(1), 0xff);
  EXPECT_EQ(bench.read(0x1000).data, want);
}

TEST(EndpointAlone, OpenLinesAreNoneWithoutThem) {
  OpenBench bench(108, 3, 0);
  for (unsigned line = 0; line < 4; ++line) bench.write(line * kLineBytes, line_of(line + 1));
  EXPECT_EQ(bench.fills(), 1u);
}

// What waits to be asked for is forgotten when the internal DRAM goes off: each granule is told,
// and none is filled when it comes on again.
TEST(EndpointAlone, ForgetsMemSpecRdWithoutItsDram) {
  HostBench bench(35);
  const auto fills = [&bench] {
    return bench.media.commands[static_cast<unsigned>(MediaOp::Fill)];
  };
  const auto pass = [&bench] {
    for (unsigned i = 0; i < 1000; ++i) bench.cycle();
  };
  bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  bench.media_percent = 0;
  for (unsigned i = 0; i < 30; ++i) bench.send(M2sReqOpcode::MemSpecRd, i * std::uint64_t{256});
  pass();
  bench.memory_write(kVendor, 0);
  bench.media_percent = 100;
  pass();
  const std::uint64_t before = fills();
  EXPECT_GT(before, 0u);
  EXPECT_GT(bench.forgotten, 0u);
  EXPECT_EQ(before + bench.forgotten, 30u);
  bench.memory_write(kVendor, regs::ep::kControlDramEnable.mask());
  pass();
  EXPECT_EQ(fills(), before);
  bench.send(M2sReqOpcode::MemSpecRd, std::uint64_t{100} * 256);
  pass();
  EXPECT_EQ(fills(), before + 1);
}

// Poison in a write: a correctable error, told as the mask says. Poison_Enabled cannot be cleared
// in a device (CXL 2.0, 8.2.5.9.5), so it never is an uncorrectable one.
TEST(EndpointAlone, PoisonedWrites) {
  namespace ras = regs::ras;
  test::shows("order",
              "A poisoned write is a correctable error in the endpoint's RAS and Device Status",
              "CXL 2.0, 8.2.5.9");
  HostBench bench(41);
  const auto poisoned = [&bench](std::uint64_t line) {
    bench.send(line * kLineBytes, random_line(bench.random), kAllBytes, true);
    bench.settle();
    bench.answers.clear();
  };
  EXPECT_EQ(bench.device_status(), 0u);
  poisoned(1);  // masked: no status, no log, no signal
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), 0u);
  EXPECT_EQ(bench.device_status(), 0u);
  bench.memory_write(kRas + ras::kCorMask, 0);
  EXPECT_EQ(bench.device_status(), 0u);  // what was masked is not told later
  poisoned(2);
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), ras::kCorStatusMemPoison.mask());
  EXPECT_EQ(bench.device_status(), kCorrectable);
  bench.memory_write(kRas + ras::kUncorMask, 0);
  for (const std::uint32_t severity : {~0u, 0u}) {
    bench.memory_write(kRas + ras::kControl, 0);
    EXPECT_EQ(bench.memory_read(kRas + ras::kControl), ras::kControlPoisonEnabled.mask());
    bench.memory_write(kRas + ras::kUncorSeverity, severity);
    bench.memory_write(kRas + ras::kCorStatus, ~0u);
    poisoned(0x1234);
    EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), ras::kCorStatusMemPoison.mask());
    EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), 0u);
    for (unsigned word = 0; word < 16; ++word) {
      EXPECT_EQ(bench.memory_read(kRas + ras::kHeaderLog + 4 * word), 0u) << "word " << word;
    }
    EXPECT_EQ(bench.device_status(), kCorrectable);
  }
}

// A write that waits has not been taken: status that software has cleared stays clear until it is.
// CXL 2.0, 8.2.5.9.
TEST(EndpointAlone, PoisonedWritesAreReportedWhenTaken) {
  namespace ras = regs::ras;
  HostBench bench(42);
  bench.memory_write(kRas + ras::kCorMask, 0);
  bench.media_percent = 0;
  for (unsigned n = 0; n < 60; ++n) bench.send(n * kLineBytes, line_of(n), kAllBytes, true);
  for (unsigned i = 0; i < 2000; ++i) bench.cycle();
  bench.memory_write(kRas + ras::kCorStatus, ~0u);
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), 0u);
  bench.media_percent = 100;
  bench.settle();
  EXPECT_EQ(bench.memory_read(kRas + ras::kCorStatus), ras::kCorStatusMemPoison.mask());
}

// What the host must not say on CXL.cachemem: an uncorrectable error of the endpoint, with the
// flit.
TEST(EndpointAlone, ViolationsOfTheLinkLayer) {
  namespace ras = regs::ras;
  test::shows("link", "The endpoint's RAS reports violations of the link layer, with their flit",
              "CXL 2.0, 4.2.7, 8.2.5.9");
  HostBench bench(43);
  const flits::RetryAck unasked{.num_retry = 3, .wr_ptr = 9, .eseq = 1, .num_free_buf = 77};
  const flits::RetryReq not_held{200, 1, 0};
  const flits::InitParam second{2, 128};
  const auto say = [&bench](const flits::Control& what) {
    for (unsigned k = 0; k < 5; ++k) bench.inject_mem(control_payload(flits::RetryFrame{}));
    bench.inject_mem(control_payload(what));
  };
  say(unasked);  // masked
  EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), 0u);
  EXPECT_EQ(bench.device_status(), 0u);
  bench.memory_write(kRas + ras::kUncorMask, ~ras::kUncorStatusEncoding.mask());
  for (const flits::Control& what :
       {flits::Control{unasked}, flits::Control{not_held}, flits::Control{second}}) {
    say(what);
    EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), ras::kUncorStatusEncoding.mask());
    EXPECT_EQ(bench.memory_read(kRas + ras::kControl) & 0x3f, 9u);
    const Payload bad = control_payload(what);
    for (unsigned word = 0; word < 16; ++word) {
      std::uint32_t expected;
      std::memcpy(&expected, bad.data() + 4 * word, 4);
      EXPECT_EQ(bench.memory_read(kRas + ras::kHeaderLog + 4 * word), expected) << "word " << word;
    }
    EXPECT_EQ(bench.device_status(), kFatal);
    bench.memory_write(kRas + ras::kUncorStatus, ~0u);
  }
}

// The endpoint sends nothing before its host has spoken; then the link comes up.
TEST(EndpointAlone, SilentUntilItsHostSpeaks) {
  test::shows("link", "An endpoint sends nothing before its host has spoken", "CXL 2.0, 5.1.2.2");
  Clocked<Vendpoint> rtl;
  rtl.reset();
  rtl->phy_up_i = 1;
  rtl->link_tx_ready_i = 1;
  for (unsigned i = 0; i < 20000; ++i) {
    rtl.settle();
    ASSERT_EQ(rtl->link_tx_valid_o, 0) << "cycle " << i;
    rtl.edge();
  }
  HostBench bench(44);  // a host that speaks first
  EXPECT_EQ(bench.first_sender, 0u) << "the first flit of the link is the host's";
}

// Errors of CXL.io's data link alone.
TEST(EndpointAlone, ErrorsOfCxlIo) {
  HostBench bench(51);
  EXPECT_EQ(bench.device_status(), 0u);
  IoFlit damaged = make_flit(AckNak{false, 1});
  damaged[6] ^= 1;
  bench.inject(damaged);
  EXPECT_EQ(bench.device_status(), kCorrectable);
  bench.inject(AckNak{false, 2500});  // of a TLP that was never sent
  EXPECT_EQ(bench.device_status(), kFatal);
}

// Where a packet may begin stands what begins none; with the rest of the flit it is lost.
TEST(EndpointAlone, FramingErrorsAskForRecovery) {
  namespace aer = regs::aer;
  test::shows("link", "A DW that is no token is a receiver error and asks for Recovery",
              "PCI Express 5.0, 4.2.2.3.3");
  HostBench bench(53);
  const auto status = [&bench] {
    const std::uint32_t found = bench.config_read(kAer + aer::kCorStatus);
    bench.config_write(kAer + aer::kCorStatus, found);
    return found;
  };
  EXPECT_EQ(status(), 0u);
  // No token; a TLP whose frame CRC is wrong; the end of a packet that has not begun.
  for (const std::uint32_t dw : {0x1234'5678u, 0x0050'005fu, 0xc0c0'c0c0u}) {
    SCOPED_TRACE(::testing::Message() << std::hex << dw);
    for (const unsigned at : {0u, 9u}) {
      bench.retrains = 0;
      IoFlit flit{};
      std::memcpy(flit.data() + 4 * at, &dw, 4);
      std::memcpy(flit.data() + 4 * at + 4, make_flit(AckNak{false, 2500}).data(), 8);
      bench.inject(flit);
      for (unsigned i = 0; i < 1000; ++i) bench.cycle();
      EXPECT_GT(bench.retrains, 0u);
      EXPECT_EQ(bench.device_status(), kCorrectable);
      EXPECT_EQ(status(), aer::kCorStatusReceiver.mask() | aer::kCorStatusBadTlp.mask());
    }
  }
  // A damaged packet is none.
  bench.retrains = 0;
  IoFlit damaged = make_flit(AckNak{false, 1});
  damaged[6] ^= 1;
  bench.inject(damaged);
  for (unsigned i = 0; i < 1000; ++i) bench.cycle();
  EXPECT_EQ(bench.retrains, 0u);
  EXPECT_EQ(status(), aer::kCorStatusBadDllp.mask());
}

// The offsets of the link's registers in their block are offsets of HDM decoders too.
TEST(EndpointAlone, HdmDecodersAreNoLinkRegisters) {
  HostBench bench(46);
  for (const std::uint64_t offset : {regs::link::kCapability, regs::link::kRxCredit + 4}) {
    const std::uint64_t at = kComponents + 0x300 + offset;
    const std::uint32_t before = bench.memory_read(at);
    EXPECT_NE(before, 0u) << offset;
    bench.memory_write(kHdm + 0x80 + offset, 0);
    EXPECT_EQ(bench.memory_read(at), before) << offset;
  }
}

// Each register that a link down resets and software can write, and of each room of those that it
// does not reset one.
TEST(EndpointAlone, LinkDownResetsTheDevice) {
  namespace aer = regs::aer;
  namespace mailbox = regs::mailbox;
  namespace ras = regs::ras;
  test::shows("link",
              "Link down resets the device: configuration space, mailbox and HDM decoders; sticky "
              "bits stay",
              "PCI Express 5.0, 2.9.1, 7.4; CXL 2.0, 8.1.3");
  constexpr std::uint64_t kMailbox = kBar + 0x2'0000, kLink = kComponents + 0x300;
  constexpr std::uint32_t kViralEnable = 1u << 14, kViralStatus = 1u << 30;
  HostBench bench(47);
  use_dram(bench, 3);
  bench.write(0x1000, line_of(0xaa));
  // Viral by an error of its own.
  bench.config_write(kCxlControl, kMemEnable | kViralEnable);
  bench.memory_write(kRas + ras::kUncorMask, 0);
  for (unsigned k = 0; k < 5; ++k) bench.inject_mem(control_payload(flits::RetryFrame{}));
  bench.inject_mem(control_payload(flits::InitParam{2, 128}));
  EXPECT_EQ(bench.memory_read(kRas + ras::kUncorStatus), ras::kUncorStatusEncoding.mask());

  struct Register {
    const char* name;
    std::uint64_t at;  // below 1000h: in configuration space
    std::uint32_t value, after;
  };
  // The power state goes last: no memory space in D3hot.
  const std::vector<Register> registers{
      {"AER, correctable mask", kAer + aer::kCorMask, 0x41, 0x41},
      {"AER, uncorrectable status", kAer + aer::kUncorStatus, 0, aer::kUncorStatusInternal.mask()},
      {"DVSEC 0, control and status", kCxlControl, kMemEnable | kViralEnable | 2, kViralStatus | 2},
      {"range 1, base", kRange1Base, 0x10, 0},
      {"Flex Bus port status: no error of protocol IDs", 0x14c, 0, 0x3e'0000},
      {"interrupt line", 0x3c, 0x5a, 0},
      {"Device Control and Status", kDevice, 0xf, 0},
      {"Link Control", 0x50, 0x40, 0x1085'0000},
      {"RAS, uncorrectable mask", kRas + ras::kUncorMask, 0, 0},
      {"RAS, uncorrectable status", kRas + ras::kUncorStatus, 0, ras::kUncorStatusEncoding.mask()},
      {"link, capability", kLink + regs::link::kCapability, 0xff02, 0x80'ff22},
      {"link, credits to give, low", kLink + regs::link::kRxCredit, 0xc000'0000, 0xc000'0000},
      {"link, credits to give, high", kLink + regs::link::kRxCredit + 4, 0x0f05, 0x0f05},
      {"link, ack timer", kLink + regs::link::kAckTimer, 0x3044, 0x3044},
      {"link, defeature", kLink + regs::link::kDefeature, 1, 1},
      {"ARB/MUX, weight of io", kBar + regs::arb_mux::kIoWeight, 0x30, 0x10},
      {"ARB/MUX, weight of cachemem", kBar + regs::arb_mux::kCmWeight, 0x50, 0x10},
      {"HDM decoder, control", kHdm + regs::hdm::kGlobalControl, 2, 0},
      {"HDM decoder, size", kHdm + regs::hdm::kDec + regs::hdm::kDecSizeLow, 0, 0},
      {"mailbox, command", kMailbox + mailbox::kCommand, 0x4000, 0},
      {"mailbox, payload", kMailbox + mailbox::kPayload + 8, 0xabcd, 0},
      {"vendor, sets", kVendor + (regs::ep::kSets - regs::ep::kBlock), 3, 3},
      {"vendor, control", kVendor, regs::ep::kControlDramEnable.mask(),
       regs::ep::kControlDramEnable.mask()},
      {"power state", 0x84, 3, 8},
  };
  const auto read = [&bench](const Register& r) {
    return r.at < 0x1000 ? bench.config_read(static_cast<std::uint32_t>(r.at))
                         : bench.memory_read(r.at);
  };
  for (const Register& r : registers) {
    if (r.at < 0x1000) {
      bench.config_write(static_cast<std::uint32_t>(r.at), r.value);
    } else {
      bench.memory_write(r.at, r.value);
    }
  }
  bench.lose_link();
  for (unsigned i = 0; i < 5000; ++i) bench.cycle();
  EXPECT_EQ(bench.config_read(kBar0), 4u);
  EXPECT_EQ(bench.config_read(kCommand) & 0xffff, 0u);
  for (const Register& r : registers) {
    if (r.at < 0x1000) {
      EXPECT_EQ(read(r), r.after) << r.name;
    }
  }
  const auto commands = bench.media.commands;
  EXPECT_EQ(bench.read(0x1000).data, line_of(0xff)) << "nothing is decoded";
  EXPECT_EQ(bench.media.commands, commands);
  bench.config_write(kBar0, kBar);
  bench.config_write(kCommand, 2);
  for (const Register& r : registers) {
    if (r.at >= 0x1000) {
      EXPECT_EQ(read(r), r.after) << r.name;
    }
  }
  bench.set_up();
  EXPECT_EQ(bench.read(0x1000).data, line_of(0xaa)) << "the memory stays";
  // Recovery is no link down.
  bench.retrains = 0;
  IoFlit bad{};
  bad[0] = 0x55;
  bench.inject(bad);
  for (unsigned i = 0; i < 1000; ++i) bench.cycle();
  EXPECT_GT(bench.retrains, 0u);
  EXPECT_EQ(bench.config_read(kBar0), kBar | 4);
  EXPECT_EQ(bench.read(0x1000).data, line_of(0xaa));
}

// A completion that the host never acknowledges is sent again, and the fourth Nak in a row without
// progress asks for Recovery.
TEST(EndpointAlone, ReplaysWithoutEndAskForRecovery) {
  HostBench bench(61);
  bench.retrains = 0;
  bench.deaf = true;
  bench.ask({IoOp::kCfgRd0, 0, 0xf, 0});
  for (unsigned i = 0; i < 400; ++i) bench.cycle();
  for (unsigned n = 0; n < 30000 && bench.retrains == 0; ++n) bench.cycle();
  EXPECT_GT(bench.retrains, 0u);
  bench.deaf = false;
  for (unsigned i = 0; i < 4000; ++i) bench.cycle();
  EXPECT_EQ(bench.device_status(), kCorrectable);
}

}  // namespace
}  // namespace cxlgpu::test
