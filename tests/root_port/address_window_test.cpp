// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// address_window: the rule against the RTL on random windows, and cases worked by hand on the RTL's
// outputs.
#include "refmodel/root_port/address_window.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "Vaddress_window.h"
#include "tests/common/bits.hpp"
#include "tests/common/lockstep.hpp"
#include "tests/common/requirement.hpp"

namespace cxlgpu {
namespace {

using test::Lockstep;
using test::Random;

// Of address_window_tb.sv: as in a root port, the least and the most of one, one of each.
enum class Size : std::uint8_t { RootPort, Small, Large, Least };
constexpr unsigned mem_entries(Size size) {
  constexpr std::array<unsigned, 4> kEntries{30, 2, 62, 1};
  return kEntries[static_cast<unsigned>(size)];
}
constexpr unsigned sr_entries(Size size) {
  constexpr std::array<unsigned, 4> kEntries{32, 4, 64, 1};
  return kEntries[static_cast<unsigned>(size)];
}
constexpr unsigned kMemEntries = mem_entries(Size::RootPort);
constexpr unsigned kSrEntries = sr_entries(Size::RootPort);
constexpr std::uint64_t kLines = std::uint64_t{1} << 46;

struct Entries {
  std::vector<std::uint64_t> line;
  std::uint64_t valid = 0;
  [[nodiscard]] LineTable table() const { return {line.data(), valid}; }
  [[nodiscard]] std::vector<std::uint64_t> dense() const {
    std::vector<std::uint64_t> out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if ((valid >> i) & 1) out.push_back(line[i]);
    }
    return out;
  }
};

// Anything, or one of the 64 lines around the load, ends of the address space included.
std::uint64_t line_near(Random& random, std::uint64_t line) {
  if (random.percent(10)) return random.bits(46);
  return (line + kLines + random.below(65) - 32) % kLines;
}

Entries random_entries(Random& random, unsigned count, std::uint64_t line) {
  Entries e;
  for (unsigned i = 0; i < count; ++i) e.line.push_back(line_near(random, line));
  // Few at times: with many on both sides there is no direction.
  const auto filled =
      static_cast<unsigned>(random.percent(30) ? random.below(8) : random.below(101));
  for (unsigned i = 0; i < count; ++i) {
    e.valid |= std::uint64_t{random.percent(filled)} << i;
  }
  return e;
}

std::uint64_t random_load(Random& random) {
  if (random.percent(10)) return random.below(40);
  if (random.percent(10)) return kLines - 1 - random.below(40);
  return random.bits(46);
}

void run_in_lockstep(Size size, std::uint64_t seed, std::uint64_t cycles) {
  Lockstep lockstep("root_port/address_window", seed, cycles);
  Random random(lockstep.seed());
  Covered<Vaddress_window> top;
  Vaddress_window& rtl = *top;
  rtl.size_i = static_cast<unsigned>(size);
  std::array<std::uint64_t, 4> lengths{};
  while (lockstep.next()) {
    const std::uint64_t line = random_load(random);
    const auto gran = static_cast<Gran>(random.below(6));
    const auto rule = static_cast<WindowRule>(random.below(3));
    const bool directional = rule != WindowRule::Paper;
    const auto clip = static_cast<unsigned>(random.percent(50) ? kNoClip : random.bits(4));
    const Entries mem = random_entries(random, mem_entries(size), line);
    const Entries sr = random_entries(random, sr_entries(size), line);
    const bool valid = random.percent(90);
    rtl.valid_i = valid;
    rtl.line_i = line;
    rtl.gran_i = static_cast<unsigned>(gran);
    rtl.directional_i = directional;
    rtl.around_i = directional ? rule == WindowRule::Around : random.percent(50);
    rtl.clip_log2_i = clip;
    test::set_bits(rtl.mem_valid_i, 0, mem_entries(size), mem.valid);
    test::set_bits(rtl.sr_valid_i, 0, sr_entries(size), sr.valid);
    for (unsigned i = 0; i < mem_entries(size); ++i) {
      test::set_bits(rtl.mem_line_i, 46 * i, 46, mem.line[i]);
    }
    for (unsigned i = 0; i < sr_entries(size); ++i) {
      test::set_bits(rtl.sr_line_i, 46 * i, 46, sr.line[i]);
    }
    rtl.eval();
    const GranuleRun run = compute_window(line, gran, rule, mem.table(), sr.table(), clip);
    lockstep.check("first_o", rtl.first_o, valid ? run.first : line / 4);
    lockstep.check("len_o", rtl.len_o, valid ? run.len : 0);
    EXPECT_EQ(run, compute_window(line, gran, rule, mem.dense(), sr.dense(), clip));
    EXPECT_LE(run.first, line / 4);
    EXPECT_GE(run.first + run.len, line / 4);
    ++lengths[run.len];
  }
  if (lockstep.cycle() > 25000) {
    for (std::uint64_t n : lengths) EXPECT_GT(n, lockstep.cycle() / 200);
  }
}

TEST(AddressWindow, AgreesWithRtl) {
  test::shows("sr", "The RTL's window is that of its twin for any queues",
              "docs/blocks/root_port/address_window.md");
  run_in_lockstep(Size::RootPort, 0xadd, 200'000);
}

TEST(AddressWindow, SmallAgreesWithRtl) {
  run_in_lockstep(Size::Small, 0xade, 50'000);
}

TEST(AddressWindow, LargeAgreesWithRtl) {
  run_in_lockstep(Size::Large, 0xadf, 50'000);
}

TEST(AddressWindow, LeastAgreesWithRtl) {
  run_in_lockstep(Size::Least, 0xae0, 50'000);
}

using Lines = std::vector<std::uint64_t>;

// The RTL's window by hand: entries from the lowest on, or up to the highest, which must not
// matter; those without valid hold lines that would count.
GranuleRun window(std::uint64_t line, Gran gran, bool directional, const Lines& mem,
                  const Lines& sr, unsigned clip = kNoClip, bool around = false) {
  Covered<Vaddress_window> top;
  Vaddress_window& rtl = *top;
  GranuleRun run;
  for (const bool high : {false, true}) {
    rtl.valid_i = 1;
    rtl.line_i = line;
    rtl.gran_i = static_cast<unsigned>(gran);
    rtl.directional_i = directional;
    rtl.around_i = around;
    rtl.clip_log2_i = clip;
    const auto fill = [&](auto& valid, auto& lines, unsigned entries, const Lines& held) {
      const std::size_t from = high ? entries - held.size() : 0;
      for (unsigned i = 0; i < entries; ++i) {
        const bool there = i >= from && i < from + held.size();
        test::set_bits(valid, i, 1, there);
        test::set_bits(lines, 46 * i, 46, there ? held[i - from] : line + i % 9 - 4);
      }
    };
    fill(rtl.mem_valid_i, rtl.mem_line_i, kMemEntries, mem);
    fill(rtl.sr_valid_i, rtl.sr_line_i, kSrEntries, sr);
    rtl.eval();
    const GranuleRun now{rtl.first_o, rtl.len_o};
    if (high) {
      EXPECT_EQ(now, run) << "places of the entries matter";
    }
    run = now;
  }
  return run;
}

TEST(AddressWindow, ByHand) {
  // Load at line 402: granule 100, third line of it.
  // 256 B: lines [398, 406) -> granules [(400)/4, (408)/4) = [100, 102).
  EXPECT_EQ(window(402, Gran::B256, false, {}, {}), (GranuleRun{100, 1}));
  EXPECT_EQ(window(402, Gran::B64, false, {}, {}), (GranuleRun{100, 1}));
  EXPECT_EQ(window(402, Gran::Halted, false, {}, {}), (GranuleRun{100, 1}));
  // 512 B: [394, 410) -> [99, 103): four granules.
  EXPECT_EQ(window(402, Gran::B512, false, {}, {}), (GranuleRun{99, 3}));
  // 768 B: [390, 414) -> [98, 104): six; the upper four, but the load's own stays: [100, 104).
  EXPECT_EQ(window(402, Gran::B768, false, {}, {}), (GranuleRun{100, 3}));
  // 1024 B: [386, 418) -> [97, 105): s = min(max(97, 101), 100) = 100, e = 104.
  EXPECT_EQ(window(402, Gran::B1024, false, {}, {}), (GranuleRun{100, 3}));
}

TEST(AddressWindow, PaperCountsEveryEntry) {
  test::shows("sr",
              "In the paper's window each memory queue entry moves the start and each SR queue "
              "entry the end by a line",
              "docs/blocks/root_port/address_window.md");
  // 512 B at 402: [394, 410). Three mem entries anywhere: start 397 -> (399)/4 = 99.
  EXPECT_EQ(window(402, Gran::B512, false, {1, 2, 3}, {}), (GranuleRun{99, 3}));
  // Four: 398 -> 100.
  EXPECT_EQ(window(402, Gran::B512, false, {1, 2, 3, 4}, {}), (GranuleRun{100, 2}));
  // Five sr entries: end 405 -> (407)/4 = 101.
  EXPECT_EQ(window(402, Gran::B512, false, {1, 2, 3, 4}, {9, 9, 9, 9, 9}), (GranuleRun{100, 0}));
  // Many: start stops at the load, end just behind it.
  const Lines many(30, 7);
  EXPECT_EQ(window(402, Gran::B1024, false, many, many), (GranuleRun{100, 0}));
  // The load is the last line of its granule and start = line rounds up past it: 403 -> 101.
  EXPECT_EQ(window(403, Gran::B256, false, many, {}), (GranuleRun{100, 1}));
}

TEST(AddressWindow, DirectionalCountsInsideAndOnTheSide) {
  test::shows("sr", "In the directional window only entries inside it and on their side count",
              "docs/blocks/root_port/address_window.md");
  // 512 B at 400: [392, 408) -> [98, 102). Mem counts in [392, 400), sr in (400, 408).
  EXPECT_EQ(window(400, Gran::B512, true, {391, 400, 401, 407}, {}), (GranuleRun{98, 3}));
  EXPECT_EQ(window(400, Gran::B512, true, {392, 399}, {}), (GranuleRun{99, 2}));
  EXPECT_EQ(window(400, Gran::B512, true, {}, {400, 408, 399}), (GranuleRun{98, 3}));
  // end 408 - 3 = 405 -> 101.
  EXPECT_EQ(window(400, Gran::B512, true, {}, {401, 405, 407}), (GranuleRun{98, 2}));
}

// Around: from where the queues say that the loads come, and to both sides if they say nothing.
TEST(AddressWindow, AroundFollowsTheQueues) {
  const auto around = [](std::uint64_t line, Gran gran, const Lines& mem, const Lines& sr,
                         unsigned clip = kNoClip) {
    return window(line, gran, true, mem, sr, clip, true);
  };
  // 1 KiB at 400: [384, 416) -> granules [96, 104), eight. Nothing known: two on either side.
  EXPECT_EQ(around(400, Gran::B1024, {}, {}), (GranuleRun{98, 3}));
  EXPECT_EQ(around(400, Gran::B768, {}, {}), (GranuleRun{98, 3}));
  EXPECT_EQ(around(400, Gran::B512, {}, {}), (GranuleRun{98, 3}));
  EXPECT_EQ(around(403, Gran::B256, {}, {}), (GranuleRun{100, 1}));
  // Entries elsewhere, and on the load's line, tell no direction.
  EXPECT_EQ(around(400, Gran::B1024, {383, 400, 416, 7}, {383, 400, 416, 7}), (GranuleRun{98, 3}));
  // Rising: prior loads below or later ones above; what remains is ahead.
  EXPECT_EQ(around(400, Gran::B1024, {399}, {}), (GranuleRun{100, 3}));
  EXPECT_EQ(around(400, Gran::B1024, {}, {401}), (GranuleRun{100, 3}));
  // Fourteen later ones: [384, 402) -> [96, 101), the upper four.
  EXPECT_EQ(around(400, Gran::B1024, {}, Lines(14, 415)), (GranuleRun{97, 3}));
  // Falling: prior loads above or later ones below; what remains is behind, with its own.
  EXPECT_EQ(around(403, Gran::B1024, {404}, {}), (GranuleRun{97, 3}));
  EXPECT_EQ(around(403, Gran::B1024, {}, {402}), (GranuleRun{97, 3}));
  // From 400, [384, 415): the lower four [96, 100) and then its own in the place of the last.
  EXPECT_EQ(around(400, Gran::B1024, {401}, {}), (GranuleRun{97, 3}));
  // 512 B at 402, [394, 410): eight later ones below start it at the load, which rounds to its own.
  EXPECT_EQ(around(402, Gran::B512, {}, Lines(6, 394)), (GranuleRun{100, 2}));
  // Five prior ones above: end 405 -> 101.
  EXPECT_EQ(around(402, Gran::B512, Lines(5, 409), {}), (GranuleRun{99, 1}));
  // Both ways: no direction, and nobody counts.
  EXPECT_EQ(around(400, Gran::B1024, Lines(9, 390), Lines(9, 391)), (GranuleRun{98, 3}));
  EXPECT_EQ(around(400, Gran::B1024, {390, 410}, {}), (GranuleRun{98, 3}));
  EXPECT_EQ(around(400, Gran::B1024, {}, {390, 410}), (GranuleRun{98, 3}));
  // The chunk comes last: [100, 104) has two of the four.
  EXPECT_EQ(around(400, Gran::B1024, {}, {}, 2), (GranuleRun{100, 1}));
  EXPECT_EQ(around(412, Gran::B1024, {413}, {}, 2), (GranuleRun{100, 3}));
  // Ends of the address space.
  EXPECT_EQ(around(0, Gran::B1024, {}, {}), (GranuleRun{0, 3}));
  EXPECT_EQ(around(4, Gran::B1024, {}, {}), (GranuleRun{0, 3}));
  EXPECT_EQ(around(kLines - 1, Gran::B1024, {}, {}), (GranuleRun{kLines / 4 - 4, 3}));
  EXPECT_EQ(around(kLines - 8, Gran::B1024, {kLines - 7}, {}), (GranuleRun{kLines / 4 - 5, 3}));
  // It is sr's: sr-paper does not mind.
  EXPECT_EQ(window(400, Gran::B1024, false, {}, {}, kNoClip, true), (GranuleRun{100, 3}));
}

TEST(AddressWindow, ClippedToTheChunk) {
  test::shows("sr", "A window stays in the interleave chunk of its load",
              "docs/blocks/root_port/address_window.md");
  const auto clipped = [](std::uint64_t line, unsigned clip) {
    return window(line, Gran::B512, false, {}, {}, clip);
  };
  // 512 B at 402: granules [99, 103), the load's is 100.
  EXPECT_EQ(clipped(402, kNoClip), (GranuleRun{99, 3}));
  EXPECT_EQ(clipped(402, 0), (GranuleRun{100, 0}));
  EXPECT_EQ(clipped(402, 1), (GranuleRun{100, 1}));
  EXPECT_EQ(clipped(402, 2), (GranuleRun{100, 2}));
  EXPECT_EQ(clipped(402, 3), (GranuleRun{99, 3}));  // chunk [96, 104)
  EXPECT_EQ(clipped(398, 1), (GranuleRun{98, 1}));  // [98, 102), the load's is 99
  // Every chunk: 1024 B at the first and at the last line of one, [-4, 4) and [-3, 5) granules
  // around.
  for (unsigned clip = 0; clip < 15; ++clip) {
    const std::uint64_t chunk = std::uint64_t{1} << clip, first = 5 * chunk, last = 6 * chunk - 1;
    const std::uint64_t most = std::min<std::uint64_t>(chunk, 4);
    EXPECT_EQ(window(4 * first, Gran::B1024, false, {}, {}, clip),
              (GranuleRun{first, static_cast<unsigned>(most - 1)}))
        << clip;
    // The upper four are its own granule and three behind the chunk's end.
    EXPECT_EQ(window(4 * last + 3, Gran::B1024, false, {}, {}, clip), (GranuleRun{last, 0}))
        << clip;
    // With all loads of the SR queue nothing is ahead, and the chunk ends what is before.
    EXPECT_EQ(window(4 * last, Gran::B1024, false, {}, Lines(kSrEntries, 7), clip),
              (GranuleRun{last - (most - 1), static_cast<unsigned>(most - 1)}))
        << clip;
  }
}

TEST(AddressWindow, EndsOfTheAddressSpace) {
  test::shows("sr", "A window does not wrap at the ends of the address space",
              "docs/blocks/root_port/address_window.md");
  EXPECT_EQ(window(0, Gran::B1024, false, {}, {}), (GranuleRun{0, 3}));
  EXPECT_EQ(window(3, Gran::B256, false, {}, {}), (GranuleRun{0, 1}));
  EXPECT_EQ(window(kLines - 1, Gran::B256, false, {}, {}), (GranuleRun{kLines / 4 - 1, 0}));
  EXPECT_EQ(window(kLines - 1, Gran::B1024, false, {}, {}), (GranuleRun{kLines / 4 - 4, 3}));
  // With nothing ahead the start side alone: from line 0 there is none, from line 5 [0, 6).
  const Lines many(kSrEntries, 7);
  for (const Gran gran : {Gran::B256, Gran::B512, Gran::B768, Gran::B1024}) {
    EXPECT_EQ(window(0, gran, false, {}, many), (GranuleRun{0, 0}));
    EXPECT_EQ(window(5, gran, false, {}, many), (GranuleRun{0, 1}));
  }
}

}  // namespace
}  // namespace cxlgpu
