// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// moe and kvdecode: their instructions, what they hint, and that hints change no result.
#include <map>
#include <set>

#include "tests/sim/workloads/workload_rig.hpp"

namespace cxlgpu {
namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;  // first and last byte
constexpr std::uint64_t kBase = 1ULL << 32, kRowBytes = 3 * kLineBytes;

struct Seen {
  GpuStats stats;
  std::vector<RecordingEngine::Hinted> hints;
  std::vector<RecordingEngine::Record> log;
};

// All of CXL memory belongs to what the workload puts there.
Seen observed(std::string_view name, const WorkloadParams& params, const GpuParams& gpu = {}) {
  auto workload = make_workload(name, params);
  Rig rig(gpu, {}, 1 << 20);
  workload->setup(rig.allocator, rig.memory);
  EXPECT_EQ(rig.allocator.used(), workload->data_set_bytes());
  workload->launch(rig.gpu);
  rig.run_clean();
  EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
  return {rig.gpu.stats(), std::move(rig.recorder.hints), std::move(rig.recorder.log)};
}

TEST(Moe, InstructionsAreThoseOfTheKernel) {
  const GpuStats s = verified("moe", {.size = 64, .iterations = 1, .layers = 3});
  const std::uint64_t warps = 64, rows = 3 * 2 * 64;
  // The token; of each layer 8 routers, twice but in the last, and by each warp the scores and 8
  // vectors of the sums; rows of three lines; what hints name.
  EXPECT_EQ(s.loads, warps + 8 * 5 + 3 * warps * (1 + 8) + 3 * rows + 2 * 2);
  EXPECT_EQ(s.stores, 8U * 5 + 1);
  EXPECT_EQ(s.atomics, 3 * warps * 8);  // two rows a warp
  EXPECT_EQ(s.prefetches, 2U * 2);
  EXPECT_EQ(s.barriers, 2U * 3);
  EXPECT_EQ(s.computes, 8 * (5 * 5 + 3 * 3) + 3 * warps * 2 * (1 + 3) + 2 * 2 * 3 +
                            rows * (2 * 5 + 3 + 8) + 3 * warps * 3 + 3 * warps * 3 * 8);
  const GpuStats more =
      verified("moe", {.size = 64, .iterations = 1, .compute_per_line = 7, .layers = 3});
  EXPECT_EQ(more.computes - s.computes, rows * 3 * 7);
}

TEST(Moe, ReadsWholeExpertsAndNothingElseFromCxl) {
  const Seen s = observed("moe", {.size = 40, .layers = 4, .experts = 16, .top_k = 3});
  std::map<std::uint64_t, unsigned> lines;  // read of each expert
  for (const auto& record : s.log) {
    EXPECT_FALSE(record.request.is_write);
    ++lines[(record.request.addr - kBase) / (40 * kRowBytes)];
  }
  EXPECT_GE(lines.size(), 4U * 3);
  EXPECT_LE(lines.size(), 2U * 4 * 3);
  for (const auto& [expert, n] : lines) EXPECT_EQ(n % (40 * 3), 0U) << expert;
}

// With which share of the experts named a layer ahead are those that the layer reads.
double accuracy(std::uint32_t percent, std::uint64_t seed) {
  const std::uint64_t rows = 4, bytes = rows * kRowBytes, layers = 32, tokens = 8;
  GpuParams gpu;
  gpu.llc.size_bytes = 4096;  // no expert is still there when it is chosen again
  const Seen s = observed("moe",
                          {.size = rows,
                           .seed = seed,
                           .iterations = tokens,
                           .hint_accuracy = percent,
                           .layers = layers},
                          gpu);
  EXPECT_EQ(s.hints.size(), tokens * (layers - 1) * 2);
  std::uint64_t right = 0;
  for (const auto& [at, hint] : s.hints) {
    EXPECT_EQ(hint.granules, bytes / 256);
    const std::uint64_t expert = (hint.addr - kBase) / bytes;
    EXPECT_EQ((hint.addr - kBase) % bytes, 0U);
    // Is it read before the token is over, that is before its layer's turn has passed?
    for (const auto& record : s.log) {
      if (record.at < at) continue;
      const std::uint64_t read = (record.request.addr - kBase) / bytes;
      if (read / 8 > expert / 8 || read / 8 + 1 < expert / 8) break;
      if (read != expert) continue;
      ++right;
      break;
    }
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(s.hints.size());
}

TEST(Moe, HintsAreRightAsOftenAsTheKeySays) {
  EXPECT_EQ(accuracy(100, 1), 100.0);
  EXPECT_EQ(accuracy(0, 1), 0.0);
  EXPECT_NEAR(accuracy(40, 2), 40.0, 6.5);  // three deviations of 496 draws
  EXPECT_NEAR(accuracy(80, 3), 80.0, 5.5);
}

TEST(Moe, HintsComeBeforeTheLayerThatTheySpeakOf) {
  const std::uint64_t rows = 128, bytes = rows * kRowBytes;
  const Seen s = observed("moe", {.size = rows, .iterations = 1});
  ASSERT_EQ(s.hints.size(), 7U * 2);
  for (const auto& [at, hint] : s.hints) {
    const std::uint64_t layer = (hint.addr - kBase) / bytes / 8;
    std::uint64_t before = 0;  // loads of the layer that gives the hint
    for (const auto& record : s.log) {
      const std::uint64_t read = (record.request.addr - kBase) / bytes / 8;
      EXPECT_TRUE(read < layer || record.at > at);
      before += read + 1 == layer && record.at < at ? 1 : 0;
    }
    EXPECT_LT(before, rows * 3) << "of " << rows * 2 * 3;  // the 128 of the LLC, and some
  }
}

// An expert that does not end with a granule: all of it is named, and no granule beside it.
TEST(Moe, AHintIsTheGranulesOfAnExpert) {
  for (const std::uint32_t rows : {1U, 3U, 5U, 22U}) {
    SCOPED_TRACE(rows);
    const std::uint64_t bytes = rows * kRowBytes, layers = 4, experts = 6;
    const Seen s = observed(
        "moe", {.size = rows, .iterations = 3, .layers = layers, .experts = experts, .top_k = 3});
    ASSERT_EQ(s.hints.size(), 3U * (layers - 1) * 3);
    for (const auto& [at, hint] : s.hints) {
      EXPECT_EQ(hint.addr % 256, 0U);
      // The one expert of which this is the first granule, of layer 1 or later.
      bool named = false;
      for (std::uint64_t expert = experts; expert < layers * experts; ++expert) {
        const std::uint64_t first = (kBase + expert * bytes) / 256;
        const std::uint64_t last = (kBase + (expert + 1) * bytes - 1) / 256;
        named |= hint.addr / 256 == first && hint.granules == last - first + 1;
      }
      EXPECT_TRUE(named) << hint.addr - kBase << ", " << hint.granules;
    }
  }
}

// Each expert that a layer chooses is named once, and no hint names one twice.
TEST(Moe, AllThatIsChosenIsNamed) {
  const std::uint64_t rows = 4, bytes = rows * kRowBytes;
  for (const std::uint32_t top_k : {1U, 2U, 5U}) {
    SCOPED_TRACE(top_k);
    const Seen s =
        observed("moe", {.size = rows, .iterations = 1, .layers = 6, .experts = 8, .top_k = top_k});
    std::set<std::uint64_t> named, read;
    for (const auto& [at, hint] : s.hints) {
      EXPECT_TRUE(named.insert((hint.addr - kBase) / bytes).second);
    }
    for (const auto& record : s.log) read.insert((record.request.addr - kBase) / bytes);
    std::erase_if(read, [](std::uint64_t expert) { return expert < 8; });  // the first layer
    EXPECT_EQ(named, read);
  }
}

TEST(Moe, WithoutHintsNothingIsNamed) {
  const Seen s = observed("moe", {.size = 16, .hints = false});
  EXPECT_EQ(s.stats.prefetches, 0U);
  EXPECT_EQ(s.hints.size(), 0U);
}

TEST(Moe, OtherShapes) {
  verified("moe", {.size = 3, .layers = 1});
  verified("moe", {.size = 5, .iterations = 3, .layers = 2, .experts = 1, .top_k = 1});
  verified("moe", {.size = 5, .unroll = 8, .layers = 3, .experts = 4, .top_k = 4});
  verified("moe", {.size = 7, .hint_accuracy = 50, .layers = 2, .experts = 128, .top_k = 8});
}

TEST(KvDecode, InstructionsAreThoseOfTheKernel) {
  // One sequence of one page, whole or not, of one head.
  const GpuStats s = verified("kvdecode", {.size = 1, .unroll = 1, .iterations = 1, .kv_heads = 1});
  const std::uint64_t tokens = (s.loads - 3 - 4 - 1) / 2;
  EXPECT_GE(tokens, 1U);
  EXPECT_LE(tokens, 16U);
  EXPECT_EQ(s.loads, 3 + 4 + 1 + 2 * tokens);
  EXPECT_EQ(s.stores, 4U * 64 / 8);
  EXPECT_EQ(s.prefetches, 2U);
  EXPECT_EQ(s.computes, 10 + 2 + 4 + tokens * (4 * (5 + 4 + 8) + 3) + 32);
  const GpuStats more = verified(
      "kvdecode", {.size = 1, .unroll = 1, .iterations = 1, .compute_per_line = 5, .kv_heads = 1});
  EXPECT_EQ(more.computes - s.computes, tokens * 2 * 5);
}

TEST(KvDecode, EachPageIsHintedOnceAheadOfItsRead) {
  for (const std::uint32_t ahead : {0U, 1U, 8U, 1000U}) {
    const Seen s = observed("kvdecode", {.size = 64, .iterations = 4, .hint_ahead = ahead});
    const std::uint64_t part = 16 * 64;  // bytes: keys or values of a head
    std::set<std::uint64_t> hinted;
    for (const auto& [at, hint] : s.hints) {
      EXPECT_EQ(hint.granules, part / 256);
      EXPECT_TRUE(hinted.insert((hint.addr - kBase) / part).second) << "twice";
    }
    EXPECT_EQ(hinted.size() + s.stats.hints_dropped, 64U * 2 * 2);
    std::map<std::uint64_t, Time> first;
    for (const auto& record : s.log) first.emplace((record.request.addr - kBase) / part, record.at);
    EXPECT_EQ(first.size(), 64U * 2 * 2);
    std::uint64_t before = 0;
    for (const auto& [at, hint] : s.hints) {
      before += at < first.at((hint.addr - kBase) / part) ? 1 : 0;
    }
    EXPECT_TRUE(ahead == 0 || before > 64U * 2 * 2 * 9 / 10) << ahead << ": " << before;
  }
}

// With one warp all is in order: a head's parts of a sequence's pages are named in the order in
// which they are read, keys before values, and those of a page just before the page hint_ahead
// before it.
TEST(KvDecode, HintsAreTheBlockTableAheadOfTheReads) {
  const std::uint64_t part = 16 * 64, values = 48 * 2 * part;  // 48 pages of two heads
  for (const std::uint64_t ahead : {0U, 1U, 3U, 100U}) {
    SCOPED_TRACE(ahead);
    GpuParams gpu = one_warp();
    gpu.prefetch_queue = 256;
    const Seen s = observed(
        "kvdecode",
        {.size = 48, .unroll = 1, .iterations = 3, .hint_ahead = static_cast<std::uint32_t>(ahead)},
        gpu);
    ASSERT_EQ(s.hints.size(), 48U * 2 * 2);
    std::vector<std::uint64_t> named, read;  // parts of keys
    std::map<std::uint64_t, Time> named_at, read_at;
    for (std::size_t i = 0; i < s.hints.size(); i += 2) {
      const auto& [at, keys] = s.hints[i];
      EXPECT_EQ(s.hints[i + 1].hint.addr, keys.addr + values);
      named.push_back((keys.addr - kBase) / part);
      named_at.emplace(named.back(), at);
    }
    for (const auto& record : s.log) {
      const std::uint64_t at = (record.request.addr - kBase) / part;
      if (at < 48 * 2 && read_at.emplace(at, record.at).second) read.push_back(at);
    }
    EXPECT_EQ(named, read);
    // A piece, all pages of a sequence of one head, ends where the head is another.
    for (std::size_t i = 0, end = 0; i < read.size(); ++i) {
      for (; end <= i; ++end) {
        while (end + 1 < read.size() && read[end + 1] % 2 == read[end] % 2) ++end;
      }
      std::size_t known = 0;  // named before this one is read
      while (known < named.size() && named_at.at(named[known]) <= read_at.at(read[i])) ++known;
      EXPECT_EQ(known, std::min<std::size_t>(end, i + 1 + ahead)) << i;
    }
  }
}

TEST(KvDecode, PagesOfASequenceAreScattered) {
  const Seen s = observed("kvdecode", {.size = 64, .iterations = 2, .kv_heads = 1}, one_warp());
  std::vector<std::uint64_t> pages;
  for (const auto& record : s.log) {
    const std::uint64_t page = (record.request.addr - kBase) / (16 * 64);
    if (page < 64 && (pages.empty() || pages.back() != page)) pages.push_back(page);
  }
  EXPECT_EQ(std::set<std::uint64_t>(pages.begin(), pages.end()).size(), 64U);
  unsigned neighbours = 0;
  for (std::size_t i = 1; i < pages.size(); ++i) neighbours += pages[i] == pages[i - 1] + 1 ? 1 : 0;
  EXPECT_LT(neighbours, 8U);
}

TEST(KvDecode, WithoutHintsNothingIsNamed) {
  const Seen s = observed("kvdecode", {.size = 40, .hints = false});
  EXPECT_EQ(s.stats.prefetches, 0U);
}

TEST(KvDecode, OtherShapes) {
  verified("kvdecode", {.size = 3, .iterations = 7, .kv_heads = 1});
  verified("kvdecode", {.size = 20, .unroll = 8, .iterations = 1, .hint_ahead = 3});
  verified("kvdecode", {.size = 9, .iterations = 2, .kv_heads = 8, .head_size = 128});
}

// A bit of the weights, the router, keys or values that comes wrong is seen in the result.
TEST(Hinting, AWrongBitOfTheInputIsSeen) {
  for (const char* name : {"moe", "kvdecode"}) {
    unsigned seen = 0;
    constexpr unsigned kPlaces = 24;
    for (unsigned i = 0; i < kPlaces; ++i) {
      auto workload = make_workload(name, {.size = 4, .iterations = 4, .layers = 2});
      Rig rig;
      workload->setup(rig.allocator, rig.memory);
      const std::uint64_t bytes = workload->data_set_bytes();
      const std::uint64_t at = kBase + bytes / 2 + bytes / 2 * i / kPlaces;
      std::array<std::uint8_t, 1> byte{};
      rig.memory.peek(at, byte);
      byte[0] ^= 0x40;
      rig.memory.poke(at, byte);
      workload->launch(rig.gpu);
      rig.run_clean();
      seen += workload->verify(rig.memory).has_value() ? 1 : 0;
    }
    EXPECT_GT(seen, kPlaces / 3) << name;
  }
}

// The comparison looks at every byte of the result, and at nothing else.
TEST(Hinting, EachByteOfTheResultIsCompared) {
  const auto compared = [](std::string_view name, const WorkloadParams& params) {
    auto workload = make_workload(name, params);
    Rig rig;
    workload->setup(rig.allocator, rig.memory);
    workload->launch(rig.gpu);
    rig.run_clean();
    EXPECT_EQ(workload->verify(rig.memory).value_or(""), "");
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < workload->data_set_bytes(); ++i) {
      std::array<std::uint8_t, 1> byte{};
      rig.memory.peek(kBase + i, byte);
      byte[0] ^= 1;
      rig.memory.poke(kBase + i, byte);
      seen += workload->verify(rig.memory).has_value() ? 1 : 0;
      byte[0] ^= 1;
      rig.memory.poke(kBase + i, byte);
    }
    return seen;
  };
  // Scores of each layer and, early, of the next; the state.
  EXPECT_EQ(compared("moe", {.size = 1, .iterations = 2, .layers = 3, .experts = 4}),
            2U * 3 * 4 * 4 * 2 + 2 * 64);
  EXPECT_EQ(compared("kvdecode", {.size = 2, .iterations = 1, .kv_heads = 1}), 4U * 64 * 4);
}

TEST(Hinting, ParametersOutOfRangeAreRefused) {
  EXPECT_NE(refusal("moe", {.hint_accuracy = 101}).find("workload.hint_accuracy"),
            std::string::npos);
  EXPECT_NE(refusal("moe", {.experts = 4, .top_k = 5}).find("workload.top_k: 5 is not in 1..4"),
            std::string::npos);
  for (const WorkloadParams& bad : std::vector<WorkloadParams>{{.layers = 0},
                                                               {.layers = 129},
                                                               {.experts = 257},
                                                               {.hint_ahead = 1025},
                                                               {.kv_heads = 65},
                                                               {.head_size = 32},
                                                               {.head_size = 96}}) {
    EXPECT_NE(refusal("kvdecode", bad), "taken");
  }
}

TEST(Hinting, WhatLeavesLocalMemoryIsNotCountedTwice) {
  Allocator a({.hdm_base = 1 << 20, .hdm_size = 1 << 20, .local_bytes = 4096});
  (void)a.alloc<std::uint32_t>(10);
  a.leave_local();
  EXPECT_EQ(a.alloc<std::uint32_t>(16).base, 1U << 20);
  a.leave_local();
  EXPECT_EQ(a.alloc<std::uint32_t>(16).base, (1U << 20) + 64);
  EXPECT_EQ(a.used(), 3U * 64);
}

}  // namespace
}  // namespace cxlgpu
