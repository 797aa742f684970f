// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// elastic_buffer in lockstep with its twin at three sets of sizes, and by hand what becomes of a
// stream between clocks 600 ppm apart.
#include "refmodel/flex_bus/elastic_buffer.hpp"

#include "Velastic_buffer.h"
#include "tests/coverage/functional_gtest.hpp"
#include "tests/coverage/pairs_flex_bus.hpp"
#include "tests/flex_bus/buffer_ports.hpp"

namespace cxlgpu::test {
namespace {

// As in elastic_buffer_tb.sv.
constexpr std::array<ElasticBuffer::Sizes, 3> kSizes{{{8, 4, 3, 5}, {16, 8, 7, 9}, {4, 2, 1, 3}}};

class Buffers {
 public:
  Lockstep run{"flex_bus/elastic_buffer", 0xE1A};
  std::array<ElasticBuffer::In, kSizes.size()> in;
  std::array<ElasticBuffer::Out, kSizes.size()> out;

  Buffers() { reset(); }
  void step() {
    for (unsigned g = 0; g < kSizes.size(); ++g) drive_buffer(*rtl_, g, in[g]);
    rtl_.settle();
    compare();
    rtl_.edge();
    for (unsigned g = 0; g < kSizes.size(); ++g) twin_[g].clock(in[g]);
  }
  void reset() {
    for (unsigned g = 0; g < kSizes.size(); ++g) twin_[g] = ElasticBuffer(kSizes[g]);
    rtl_->rst_ni = 0;
    rtl_.settle();
    compare();
    rtl_.reset();
  }

 private:
  void compare() {
    for (unsigned g = 0; g < kSizes.size(); ++g) {
      out[g] = twin_[g].eval(in[g]);
      compare_buffer(run, *rtl_, g, 5, out[g]);
      run.check("added_o", get_bits(rtl_->added_o, g, 1), out[g].added);
      run.check("removed_o", get_bits(rtl_->removed_o, g, 1), out[g].removed);
    }
  }
  Clocked<Velastic_buffer> rtl_;
  std::array<ElasticBuffer, kSizes.size()> twin_;
};

// Which of the two SKP words in a row may be removed or doubled is told from outside.
class Meets {
 public:
  Meets(TestCoverage& counts, unsigned g) : counts_(counts), sizes_(kSizes[g]) {}
  void look(const ElasticBuffer::In& in, const ElasticBuffer::Out& out) {
    using enum coverage::ElasticFill;
    primed_ |= out.count >= sizes_.prime;
    const bool second = written_ && in.write && !in.write->start && in.write->data == kSkpWord;
    const auto comes = !in.write ? coverage::LaneIn::None
                       : second  ? coverage::LaneIn::SecondSkp
                                 : coverage::LaneIn::Word;
    const auto asked = !in.read ? coverage::LaneAsk::None
                       : read_  ? coverage::LaneAsk::AfterSkp
                                : coverage::LaneAsk::Asked;
    const auto fill = !primed_                    ? FillsUp
                      : out.count == 0            ? Empty
                      : out.count == sizes_.depth ? Full
                      : out.count < sizes_.low    ? Low
                      : out.count > sizes_.high   ? High
                                                  : Level;
    if (sizes_.depth != 16) {
      counts_.hit({sizes_.depth == 8 ? 1u : 0u, static_cast<unsigned>(comes),
                   static_cast<unsigned>(asked), in.clear ? 1u : 0u, static_cast<unsigned>(fill)});
    }
    // An added word begins no set, nor does one follow it.
    if (out.word) read_ = out.word->starts_set(kSkpWord);
    if (in.write) written_ = in.write->starts_set(kSkpWord);
    if (in.clear) read_ = written_ = primed_ = false;
  }
  void reset() { read_ = written_ = primed_ = false; }
  [[nodiscard]] bool after_skp() const { return read_; }

 private:
  TestCoverage& counts_;
  ElasticBuffer::Sizes sizes_;
  bool primed_ = false, written_ = false, read_ = false;
};

TEST(ElasticBuffer, Lockstep) {
  TestCoverage counts(coverage::elastic_pairs());
  std::array<Meets, kSizes.size()> meets{Meets(counts, 0), Meets(counts, 1), Meets(counts, 2)};
  Buffers buffers;
  const Cycles cycles(200000);
  Random random(buffers.run.seed());
  std::array<LaneWords, kSizes.size()> words;
  std::array<Rates, kSizes.size()> rates;
  struct Met {
    std::uint64_t added = 0, removed = 0, overflow = 0, underflow = 0;
  };
  std::array<Met, kSizes.size()> met;
  while (cycles.next(buffers.run)) {
    for (unsigned g = 0; g < kSizes.size(); ++g) {
      rates[g].phase(random);
      ElasticBuffer::In& in = buffers.in[g];
      in.clear = random.below(300) == 0;
      in.write.reset();
      if (rates[g].write(random)) in.write = words[g].next(random);
      in.read = rates[g].read(random);
    }
    buffers.step();
    for (unsigned g = 0; g < kSizes.size(); ++g) {
      meets[g].look(buffers.in[g], buffers.out[g]);
      met[g].added += buffers.out[g].added;
      met[g].removed += buffers.out[g].removed;
      met[g].overflow += buffers.out[g].overflow;
      met[g].underflow += buffers.out[g].underflow;
    }
    if (random.below(5000) == 0) {
      buffers.reset();
      for (Meets& m : meets) m.reset();
    }
  }
  if (!cycles.full(buffers.run)) return;
  for (const Met& m : met) {
    EXPECT_GT(m.added, 300u);
    EXPECT_GT(m.removed, 300u);
    EXPECT_GT(m.overflow, 300u);
    EXPECT_GT(m.underflow, 300u);
  }
}

// A clear in the same cycle as anything else, at every level: the buffer is as new after it, and
// gives nothing until it has filled up again.
TEST(ElasticBuffer, ClearMeetsEverything) {
  TestCoverage counts(coverage::elastic_pairs());
  constexpr auto kSecondSkp = coverage::LaneIn::SecondSkp;
  constexpr LaneWord kData{false, 0, 0x1234'5678}, kFirstSkp{true, kSyncOrderedSet, kSkpWord},
      kSkp{false, 0, kSkpWord};
  Buffers buffers;
  for (unsigned g = 0; g < kSizes.size(); ++g) {
    const unsigned depth = kSizes[g].depth, prime = kSizes[g].prime;
    Meets meets(counts, g);
    ElasticBuffer::In& in = buffers.in[g];
    const auto step = [&](const ElasticBuffer::In& now) {
      in = now;
      buffers.step();
      meets.look(in, buffers.out[g]);
      return buffers.out[g];
    };
    const auto held = [&] { return step({}).count; };
    const auto is_new = [&] {
      ElasticBuffer::Out out = step({.read = true});
      EXPECT_EQ(out.count, 0u);
      EXPECT_FALSE(out.word || out.added || out.removed || out.overflow || out.underflow);
      for (unsigned i = 0; i < prime; ++i) EXPECT_FALSE(step({.write = kData, .read = true}).word);
      EXPECT_TRUE(step({.read = true}).word);
    };
    for (const auto comes : {coverage::LaneIn::None, coverage::LaneIn::Word, kSecondSkp}) {
      const LaneWord last = comes == kSecondSkp ? kFirstSkp : kData;
      ElasticBuffer::In at_clear{.clear = true};
      if (comes != coverage::LaneIn::None) at_clear.write = comes == kSecondSkp ? kSkp : kData;
      for (const bool asked : {false, true}) {
        at_clear.read = asked;
        for (unsigned level = comes == kSecondSkp ? 1 : 0; level < prime; ++level) {
          step({.clear = true});  // it fills up
          for (unsigned i = 1; i < level; ++i) step({.write = kData});
          if (level > 0) step({.write = last});
          step(at_clear);
          is_new();
        }
        for (const bool after : {false, true}) {
          if (after && !asked) continue;
          for (unsigned level = 0; level <= depth; ++level) {
            const LaneWord word = after ? kFirstSkp : kData;
            step({.clear = true});
            for (unsigned i = 0; i < depth; ++i) step({.write = word});
            step({.read = true});
            step({.write = comes == kSecondSkp ? kFirstSkp : word});
            // Down to this level. At a low one an SKP word is added after each that is read.
            for (unsigned i = 0; i < 3 * depth; ++i) {
              if (held() == level && meets.after_skp() == after) break;
              step({.read = true});
            }
            EXPECT_EQ(held(), level);
            EXPECT_EQ(meets.after_skp(), after);
            step(at_clear);
            is_new();
          }
        }
      }
    }
    in = {};
  }
}

// A stream with an SKP set every 374 blocks, written at one rate and read at another.
struct Passage {
  std::uint64_t added = 0, removed = 0, slips = 0, wrong = 0, words = 0;
};
Passage pass(std::int64_t reader_ppm) {
  Buffers buffers;
  Random random(buffers.run.seed());
  Passage passage;
  std::deque<std::uint32_t> data;  // what is owed, without SKP words
  // Both sides take 64 of 65 cycles, the reader by its own clock.
  std::int64_t write_phase = 0, read_phase = 0;
  std::uint64_t n = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    ElasticBuffer::In& in = buffers.in[0];
    in.write.reset();
    if ((write_phase += 64'000'000) >= 65'000'000) {
      write_phase -= 65'000'000;
      const std::uint64_t at = n++ % 1500;  // 374 data blocks, then the set
      LaneWord word{at % 4 == 0, at % 4 == 0 ? kSyncData : 0u,
                    static_cast<std::uint32_t>(random.bits(31))};
      if (at >= 1496) {
        word.data = at == 1499 ? kSkpEndWord : kSkpWord;
        if (at == 1496) word.sync = kSyncOrderedSet;
      }
      if (word.data != kSkpWord) data.push_back(word.data);
      in.write = word;
    }
    in.read = (read_phase += 64 * (1'000'000 + reader_ppm)) >= 65'000'000;
    if (in.read) read_phase -= 65'000'000;
    buffers.step();
    const ElasticBuffer::Out& out = buffers.out[0];
    if (out.word && out.word->data != kSkpWord) {
      ++passage.words;
      passage.wrong += data.empty() || data.front() != out.word->data;
      if (!data.empty()) data.pop_front();
    }
    passage.added += out.added;
    passage.removed += out.removed;
    passage.slips += out.overflow + out.underflow;
  }
  return passage;
}

TEST(ElasticBuffer, KeepsUpWith600Ppm) {
  for (const int ppm : {-600, 0, 600}) {
    SCOPED_TRACE(ppm);
    const Passage p = pass(ppm);
    EXPECT_EQ(p.slips, 0u);
    EXPECT_EQ(p.wrong, 0u);
    EXPECT_GT(p.words, 190000u);
    // 200000 cycles * 600 ppm = 120 words' time, less what the buffer itself takes up.
    EXPECT_EQ(p.added > 100, ppm > 0);
    EXPECT_EQ(p.removed > 100, ppm < 0);
    if (ppm == 0) {
      EXPECT_EQ(p.added + p.removed, 0u);
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
