// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The stream table: which streams a root port's loads are made of, and what to ask for next.
//
// Purpose: tells streams apart by region (1 KiB) and direction, predicts the rest of a region
//          once its loads have an order, and what follows on this port at the last granule: whole
//          regions if a MemSpecRd has a length and they are one port's, else single granules. It
//          remembers about as much as the internal DRAM holds: what it forgets before
//          a load came was wasted. While too much is wasted, predictions are judged but not asked
//          for.
// Units:   lines (address[51:6]), granules (address[51:8]), regions (address[51:10]).
// Shapes:  sets a power of two, or fewer by use_sets(); four ways.
// Errors:  add() of a region that has an entry is a programming error (asserted).
// Source:  docs/blocks/root_port/stream_table.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/policy.hpp"

namespace cxlgpu {

class StreamTable {
 public:
  static constexpr unsigned kGranules = 4;  // of a region

  // `cap`: granules that are requested at once, 1..4; the RTL has 4. What is predicted ends there
  // too; the rest of a region is predicted by the loads that come to what was requested.
  explicit StreamTable(unsigned sets = 64, unsigned cap = kGranules)
      : cap_(cap), set_mask_(sets - 1), entries_(std::size_t{sets} * kWays), trees_(sets) {}

  // Before the first look or with a flush.
  void use_sets(unsigned sets_log2) {
    set_mask_ = std::min(std::size_t{1} << sets_log2, trees_.size()) - 1;
  }

  // What a look goes by, beside the line.
  struct View {
    bool at_head = false;  // the load goes by itself
    unsigned level = 0;    // DevLoad of the last response
    bool length_enabled = false;
    unsigned clip_log2 = 15;  // interleave chunk in granules, 15 none
    unsigned other_ways = 0;  // of the interleave set
  };
  struct Ask {
    enum class Kind : std::uint8_t { Nothing, Run, Next } kind = Kind::Nothing;
    GranuleRun run;     // Run only
    bool held = false;  // something new is predicted and not requested
  };
  Ask look(std::uint64_t line, const View& view) {
    const Plan plan = plan_look(line, view);
    apply(plan);
    return plan.ask;
  }
  [[nodiscard]] Ask would_ask(std::uint64_t line, const View& view) const {
    return plan_look(line, view).ask;
  }

  // What the last ask of kind Next meant: of a region as much as is requested, what a stream in its
  // direction comes to first.
  [[nodiscard]] GranuleRun next() const {
    if (!next_.whole) return {next_.granule, 0};
    const std::uint64_t first = next_.granule & ~std::uint64_t{kGranules - 1};
    return {first + (next_.up ? 0 : kGranules - cap_), cap_ - 1};
  }
  [[nodiscard]] bool next_known() const { return find(next_.granule / kGranules).there; }
  [[nodiscard]] bool knows(std::uint64_t line) const {  // its region is in the table
    return find(line / (4 * kGranules)).there;
  }
  [[nodiscard]] bool sends_next() const { return sends(scores_.next); }
  void add();  // it is predicted, and requested if sends_next()

  void flush();  // the region of next() stays

  // Cycle-exact.
  struct In {
    bool flush = false;
    bool look = false;  // never with next
    std::uint64_t line = 0;
    View view{};
    bool next = false, add = false;
  };
  struct Out {
    bool ask = false, kind_next = false, held = false;
    GranuleRun run;
    bool next_hit = false, next_send = false;
    GranuleRun next;
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  static constexpr unsigned kWays = 4;
  static constexpr int kMaxScore = 63, kSends = 32, kWaste = 2;
  static constexpr unsigned kMaxConf = 7;
  static constexpr unsigned kSevere = 3, kNoClip = 15, kRegionLog2 = 2;
  static constexpr std::uint64_t kGranuleMask = (std::uint64_t{1} << 44) - 1;
  static constexpr std::uint64_t kNoRegion = ~std::uint64_t{0};

  struct Entry {
    std::uint64_t region = kNoRegion;
    bool seen = false;
    bool dir_known = false, up = false, by_next = false, asked = false;
    std::uint8_t last = 0, conf = 0;
    std::uint8_t mask = 0;  // granules requested or loaded
    std::uint8_t spec = 0;  // predicted, not loaded since
  };
  struct Scores {          // of what was predicted recently
    int ext = kMaxScore;   // the rest of a region
    int next = kMaxScore;  // the region after
    int& of(const Entry& entry) { return entry.by_next ? next : ext; }
  };
  struct Place {
    std::size_t set = 0;
    unsigned way = 0;
    bool there = false;
  };
  struct Next {
    std::uint64_t granule = 0;  // that the stream comes to
    bool up = false, whole = true;
    std::uint8_t conf = 0;
  };
  struct Plan {
    Place place;
    Entry entry;
    Scores scores;
    Ask ask;
    Next next;  // with Kind::Next
  };

  [[nodiscard]] Place find(std::uint64_t region) const;
  [[nodiscard]] Scores without_victim(const Place& place) const;
  [[nodiscard]] static bool sends(int score) { return score >= kSends; }
  [[nodiscard]] Plan plan_look(std::uint64_t line, const View& view) const;
  // Whole regions are requested, else single granules.
  [[nodiscard]] static bool asks_whole(const View& view) {
    return view.length_enabled && view.clip_log2 >= kRegionLog2;
  }
  [[nodiscard]] static unsigned own_granules(unsigned k, const View& view);
  [[nodiscard]] static bool is_last(unsigned k, bool up, const View& view);
  [[nodiscard]] static std::uint64_t following(std::uint64_t granule, bool up, const View& view);
  [[nodiscard]] unsigned ahead_of(const Entry& e, unsigned k, bool own, const View& view) const;
  void apply(const Plan& plan);
  void put(const Place& place, const Entry& entry);

  unsigned cap_;
  std::uint64_t set_mask_;
  std::vector<Entry> entries_;  // [set][way]
  std::vector<std::uint8_t> trees_;
  Scores scores_;
  Next next_;
};

}  // namespace cxlgpu
