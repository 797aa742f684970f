// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// lane_deskew in lockstep with its twin at every width: lanes with skew, SKP sets of different
// lengths, lanes that stop or run away, and damaged words.
#include "refmodel/flex_bus/lane_deskew.hpp"

#include "Vlane_deskew.h"
#include "tests/coverage/pair_bins.hpp"
#include "tests/coverage/pairs_flex_bus.hpp"
#include "tests/flex_bus/ports.hpp"

namespace cxlgpu::test {
namespace {

constexpr unsigned kWidths = 4;
constexpr unsigned lanes_of(unsigned g) {
  return 2u << g;
}
LaneDeskew make_twin(unsigned g) {
  return LaneDeskew(lanes_of(g), g == 1 ? 4 : 8);
}

// Lanes of one stream, each with its own delay.
class LaneStream {
 public:
  LaneStream(unsigned lanes, Random& random) : random_(random), pending_(lanes) {}

  void session(bool bypass) {
    bypass_ = bypass;
    for (auto& lane : pending_) lane.clear();
    fault_ = random_.pick(std::array{0u, 1u, 5u, 30u});
    skew_ = random_.pick(std::array{0u, 1u, 2u, 2u, 3u, 12u});
    rate_ = random_.pick(std::array{50u, 98u, 100u});
    stalls_ = random_.pick(std::array{0u, 0u, 2u});
    fresh_ = true;
  }
  void drive(LaneDeskew::In& in) {
    std::size_t most = 0;
    for (const auto& lane : pending_) most = std::max(most, lane.size());
    if (most < 8) {
      extend();
      for (const auto& lane : pending_) most = std::max(most, lane.size());
    }
    // Now and then one lane stands still, until it has none left or is that far behind.
    if (still_ == 0 && random_.percent(stalls_)) {
      still_ = 2 + random_.below(20);
      still_lane_ = random_.below(pending_.size());
    }
    if (still_ > 0) --still_;
    for (std::size_t l = 0; l < pending_.size(); ++l) {
      auto& lane = pending_[l];
      in.lane[l].reset();
      if (still_ > 0 && l == still_lane_) continue;
      // No lane is more than skew_ words ahead of the last.
      if (lane.empty() || lane.size() + skew_ < most || !random_.percent(rate_)) continue;
      in.lane[l] = lane.front();
      lane.pop_front();
      if (random_.below(20000) < fault_) spoil(*in.lane[l]);
    }
  }

 private:
  void all(bool start, unsigned sync, std::uint32_t data) {
    for (auto& lane : pending_) lane.push_back({start, start ? sync : 0, data});
  }
  void extend() {
    const std::uint64_t what = fresh_ ? 0 : 1 + random_.below(100);
    fresh_ = false;
    if (what < 6) {  // a new stream
      for (std::uint64_t i = random_.below(4); i > 0; --i) {
        all(random_.percent(50), static_cast<unsigned>(random_.bits(2)), tricky_data(random_));
      }
      all(true, kSyncOrderedSet, kSdsFirstWord);
      for (unsigned i = 0; i < 3; ++i) all(false, 0, kSdsWord);
    } else if (what < 30) {  // an SKP set, its length each lane's own
      const unsigned spread = random_.pick(std::array{1u, 2u, 3u});
      for (auto& lane : pending_) {
        lane.push_back({!bypass_, bypass_ ? 0 : kSyncOrderedSet, kSkpWord});
        for (std::uint64_t i = random_.below(spread) + (3 - spread); i > 0; --i) {
          lane.push_back({false, 0, kSkpWord});
        }
        lane.push_back({false, 0, static_cast<std::uint32_t>(random_.bits(24) << 8) | 0xE1});
      }
    } else {  // a data block
      for (unsigned i = 0; i < kBlockWords; ++i) {
        for (auto& lane : pending_) {
          const bool start = i == 0 && !bypass_;
          const bool tricky = random_.percent(3);
          lane.push_back(
              {start, start ? kSyncData : 0u,
               tricky ? tricky_data(random_) : static_cast<std::uint32_t>(random_.bits(32))});
        }
      }
    }
  }
  void spoil(LaneWord& word) {
    switch (random_.below(3)) {
      case 0:
        word.start = !word.start;
        break;
      case 1:
        word.sync = static_cast<unsigned>(random_.bits(2));
        break;
      default:
        word.data = tricky_data(random_);
        break;
    }
  }

  Random& random_;
  std::vector<std::deque<LaneWord>> pending_;
  bool bypass_ = false, fresh_ = true;
  unsigned fault_ = 0, skew_ = 0, rate_ = 100, stalls_ = 0;
  std::uint64_t still_ = 0, still_lane_ = 0;
};

class Deskews {
 public:
  Lockstep run{"flex_bus/lane_deskew", 0xDE5};
  std::array<LaneDeskew::In, kWidths> in;
  std::array<LaneDeskew::Out, kWidths> out;

  Deskews() { reset(); }
  void step() {
    for (unsigned g = 0; g < kWidths; ++g) apply(g);
    rtl_.settle();
    compare();
    rtl_.edge();
    for (unsigned g = 0; g < kWidths; ++g) clock(g);
  }
  void reset() {
    for (unsigned g = 0; g < kWidths; ++g) twin_[g] = make_twin(g);
    rtl_->rst_ni = 0;
    rtl_.settle();
    compare();
    rtl_.reset();
  }

 private:
  void apply(unsigned g) {
    set_bits(rtl_->clear_i, g, 1, in[g].clear);
    set_bits(rtl_->bypass_i, g, 1, in[g].bypass);
    for (unsigned l = 0; l < lanes_of(g); ++l) {
      const auto& word = in[g].lane[l];
      set_bits(rtl_->in_valid_i, 16 * g + l, 1, word.has_value());
      if (!word) continue;  // what was there stays
      set_bits(rtl_->in_start_i, 16 * g + l, 1, word->start);
      set_bits(rtl_->in_sync_i, 32 * g + 2 * l, 2, word->sync);
      rtl_->in_data_i[16 * g + l] = word->data;
    }
  }
  // The twin's edge, and what met in the cycle before it.
  void clock(unsigned g) {
    const LaneDeskew before = twin_[g];
    twin_[g].clock(in[g]);
    const LaneDeskew& after = twin_[g];
    const unsigned depth = g == 1 ? 4 : 8;
    bool empty = false, some = false, full = false, drops = false;
    for (unsigned l = 0; l < lanes_of(g); ++l) {
      const std::size_t held = before.held(l);
      const bool comes = in[g].lane[l].has_value();
      empty |= comes && held == 0;
      some |= comes && held > 0 && held < depth;
      full |= comes && held == depth;
      drops |= after.held(l) < held + (comes && held < depth ? 1 : 0);
    }
    const bool word = out[g].word.valid;
    const unsigned state = (g == 1 ? 0 : 3) + (!out[g].aligned ? 0 : before.in_skp() ? 2 : 1);
    pairs_.look(state, {empty, some, full, word, drops && !word && !in[g].clear,
                        after.eval(in[g]).lost, in[g].clear});
  }
  void compare() {
    for (unsigned g = 0; g < kWidths; ++g) {
      out[g] = twin_[g].eval(in[g]);
      run.check("out_valid_o", get_bits(rtl_->out_valid_o, g, 1), out[g].word.valid);
      if (out[g].word.valid) {
        run.check("out_start_o", get_bits(rtl_->out_start_o, g, 1), out[g].word.start);
        run.check("out_sync_o", get_bits(rtl_->out_sync_o, 2 * g, 2), out[g].word.sync);
        for (unsigned l = 0; l < lanes_of(g); ++l) {
          run.check("out_data_o", rtl_->out_data_o[16 * g + l], out[g].word.lane[l]);
        }
      }
      run.check("aligned_o", get_bits(rtl_->aligned_o, g, 1), out[g].aligned);
      run.check("lost_o", get_bits(rtl_->lost_o, g, 1), out[g].lost);
      if (!run.ok()) {
        ADD_FAILURE() << lanes_of(g) << " lanes, bypass " << in[g].bypass;
        return;
      }
    }
  }

  PairBins pairs_{coverage::deskew_pairs()};
  Clocked<Vlane_deskew> rtl_;
  std::vector<LaneDeskew> twin_{kWidths, LaneDeskew(2)};
};

TEST(LaneDeskew, Lockstep) {
  Deskews deskew;
  const Cycles cycles(100000);
  Random random(deskew.run.seed());
  std::vector<LaneStream> stream;
  for (unsigned g = 0; g < kWidths; ++g) stream.emplace_back(lanes_of(g), random);
  std::array<std::uint64_t, kWidths> left{}, words{}, lost{};
  while (cycles.next(deskew.run)) {
    for (unsigned g = 0; g < kWidths; ++g) {
      LaneDeskew::In& in = deskew.in[g];
      in.clear = left[g] == 0;
      if (in.clear) {  // the mode may change with it
        in.bypass = random.percent(30);
        stream[g].session(in.bypass);
        left[g] = 1 + random.below(random.pick(std::array{60u, 1500u, 1500u}));
      }
      --left[g];
      stream[g].drive(in);
    }
    deskew.step();
    for (unsigned g = 0; g < kWidths; ++g) {
      words[g] += deskew.out[g].word.valid;
      lost[g] += deskew.out[g].lost;
    }
    if (random.below(5000) == 0) deskew.reset();
  }
  if (!cycles.full(deskew.run)) return;
  for (unsigned g = 0; g < kWidths; ++g) {
    EXPECT_GT(words[g], 10000u) << lanes_of(g);
    EXPECT_GT(lost[g], 100u) << lanes_of(g);
  }
}

// One lane is silent in an SKP set until the others have no room left: the alignment is lost, also
// if its word comes in this very cycle. A clear in this cycle forgets that there was any.
TEST(LaneDeskew, SkpSetRunsOver) {
  constexpr LaneWord kSkp{true, kSyncOrderedSet, kSkpWord}, kEnd{false, 0, kSkpEndWord};
  Deskews deskew;
  for (unsigned g = 0; g < kWidths; ++g) {
    for (const bool clear : {false, true}) {
      LaneDeskew::In& in = deskew.in[g];
      const auto step = [&](std::optional<LaneWord> first, std::optional<LaneWord> others) {
        for (unsigned l = 0; l < lanes_of(g); ++l) in.lane[l] = l == 0 ? first : others;
        deskew.step();
        in.clear = false;
        return deskew.out[g];
      };
      in.clear = true;
      step(std::nullopt, std::nullopt);
      for (unsigned i = 0; i < 4; ++i) {
        const LaneWord word{i == 0, i == 0 ? kSyncOrderedSet : 0,
                            i == 0 ? kSdsFirstWord : kSdsWord};
        step(word, word);
      }
      step(kSkp, kSkp);
      const unsigned depth = g == 1 ? 4 : 8;
      for (unsigned i = 0; i < depth; ++i) EXPECT_FALSE(step(std::nullopt, kEnd).lost);
      in.clear = clear;
      EXPECT_TRUE(step(kEnd, kEnd).aligned);
      const LaneDeskew::Out out = step(std::nullopt, std::nullopt);
      EXPECT_EQ(out.lost, !clear);
      EXPECT_FALSE(out.aligned);
      for (unsigned l = 0; l < lanes_of(g); ++l) in.lane[l].reset();
    }
  }
}

// Two words of skew between any two lanes and SKP sets of three to five words in any mixture: all
// data come out, in order, and every set leaves as two words.
TEST(LaneDeskew, TakesSkewAndSkpLengths) {
  Deskews deskew;
  Random random(deskew.run.seed());
  for (unsigned g = 0; g < kWidths; ++g) {
    if (g == 1) continue;  // queues too small for this
    for (unsigned round = 0; round < 20; ++round) {
      const unsigned lanes = lanes_of(g);
      std::vector<std::vector<LaneWord>> lane(lanes);
      for (unsigned l = 0; l < lanes; ++l) {
        const auto block = [&](unsigned sync, std::initializer_list<std::uint32_t> data) {
          for (const std::uint32_t d : data) {
            const bool start = d == *data.begin();
            lane[l].push_back({start, start ? sync : 0, d});
          }
        };
        block(kSyncOrderedSet, {kSdsFirstWord, kSdsWord, kSdsWord, kSdsWord});
        for (std::uint32_t b = 0; b < 40; ++b) {
          block(kSyncData, {b << 8, b << 8 | 1, b << 8 | 2, b << 8 | 3});
          if (b % 8 != 7) continue;
          // A set of three words before or after, so that the lanes stay within their skew.
          lane[l].push_back({true, kSyncOrderedSet, kSkpWord});
          const bool longer = random.percent(50);
          for (unsigned i = 0; i < (longer ? 4 : 1); ++i) lane[l].push_back({false, 0, kSkpWord});
          lane[l].push_back({false, 0, kSkpEndWord});
          block(kSyncData, {0xAA00, 0xAA01, 0xAA02, 0xAA03});
          lane[l].push_back({true, kSyncOrderedSet, kSkpWord});
          for (unsigned i = 0; i < (longer ? 1 : 4); ++i) lane[l].push_back({false, 0, kSkpWord});
          lane[l].push_back({false, 0, kSkpEndWord});
        }
      }
      std::vector<unsigned> skew(lanes);
      for (unsigned& s : skew) s = static_cast<unsigned>(random.below(3));
      deskew.in[g].clear = true;
      deskew.step();
      deskew.in[g].clear = false;
      std::vector<std::uint32_t> got;
      unsigned sets = 0, ends = 0;
      std::vector<std::size_t> at(lanes);
      for (unsigned t = 0; t < 2 * lane[0].size(); ++t) {
        for (unsigned l = 0; l < lanes; ++l) {
          deskew.in[g].lane[l].reset();
          // The pauses for headers, here one in nine, let the queues run dry after a set.
          if (t < skew[l] || (t - skew[l]) % 9 == 8 || at[l] == lane[l].size()) continue;
          deskew.in[g].lane[l] = lane[l][at[l]++];
        }
        deskew.step();
        const Word& word = deskew.out[g].word;
        EXPECT_FALSE(deskew.out[g].lost);
        if (!word.valid) continue;
        for (unsigned l = 1; l < lanes; ++l) ASSERT_EQ(word.lane[l], word.lane[0]);
        sets += word.lane[0] == kSkpWord;
        ends += word.lane[0] == kSkpEndWord;
        if (word.lane[0] < 0x8000) got.push_back(word.lane[0]);
      }
      EXPECT_EQ(sets, 10u);
      EXPECT_EQ(ends, 10u);
      std::vector<std::uint32_t> want;
      for (std::uint32_t b = 0; b < 40; ++b) {
        for (std::uint32_t i = 0; i < 4; ++i) want.push_back(b << 8 | i);
      }
      std::erase(got, kSkpEndWord);
      EXPECT_EQ(got, want) << lanes << " lanes";
    }
  }
}

}  // namespace
}  // namespace cxlgpu::test
