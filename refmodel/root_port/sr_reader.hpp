// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
// The SR reader: decides for each load whether and what to speculate.
//
// Purpose: takes the loads of the SR queue one by one, asks policy, load control and ring buffer or
//          stream table, and offers a MemSpecRd if they say so. Counts what became of them.
// Units:   lines (address[51:6]) for loads, granules (address[51:8]) for what is requested.
// Errors:  none.
// Source:  docs/blocks/root_port/sr_reader.md.
#pragma once

#include <cstdint>
#include <optional>

#include "common/counters.hpp"
#include "common/opcodes.hpp"
#include "common/policy.hpp"
#include "refmodel/root_port/address_window.hpp"
#include "refmodel/root_port/ring_buffer.hpp"
#include "refmodel/root_port/stream_table.hpp"

namespace cxlgpu {

// Why a queue entry needs no MemSpecRd, or that it does; tests in this order.
enum class SrVerdict : std::uint8_t { Store, Off, Halted, Covered, Issue };

// How software has set the reader, beside the policy.
struct SrModes {
  bool length_enabled = false;
  bool match_start = false;  // a load is covered only by a MemSpecRd for its own granule
  bool spec_64b = false;     // the load's line alone, no length
  bool around = false;       // the window of policy sr
  unsigned clip_log2 = kNoClip;
  unsigned other_ways = 0;
  [[nodiscard]] bool with_length() const { return length_enabled && !spec_64b; }
};

[[nodiscard]] SrVerdict sr_verdict(bool is_load, std::uint64_t line, SrPolicy policy, Gran gran,
                                   const RingBuffer& ring, bool by_line);

class SrReader {
 public:
  // `cap`: granules of the longest MemSpecRd, 1..4; the RTL has four.
  explicit SrReader(unsigned cap = kMaxRun) : cap_(cap), streams_(kStreamSets, cap) {}

  // Untimed: look() at the entry the queue's reader stands on, then move that reader on. After
  // Issue the caller asks for window() until the memory queue has room, then calls issued().
  SrVerdict look(bool is_load, std::uint64_t line, unsigned slot, SrPolicy policy, Gran gran,
                 const SrModes& modes, bool at_head, DevLoad level, RingBuffer& ring);
  [[nodiscard]] bool issuing() const { return chosen_.has_value(); }
  // The region after is known already or not to be requested: it takes a cycle to find that, then
  // give_up().
  [[nodiscard]] bool gives_up() const {
    return issuing() && wants_next() && (streams_.next_known() || !streams_.sends_next());
  }
  void give_up();
  // What a MemSpecRd of this run asks for where it has no length.
  [[nodiscard]] std::uint64_t line_of(GranuleRun run) const {
    return has_own(run) ? chosen_->line : run.first * kGranuleLines;
  }
  // `loads`: every load of the SR queue; the chosen one is left out here.
  [[nodiscard]] GranuleRun window(const SrModes& modes, LineTable mem, LineTable loads) const;
  void issued(GranuleRun run, bool match_start, RingBuffer& ring);
  // The SR queue's head left `slot`.
  void slot_left(unsigned slot) {
    if (chosen_ && slot == chosen_->slot) chosen_->queued = false;
  }
  // The ring was flushed in the cycle that began with these counters: what it told does not count.
  void ring_flushed(const SrCounters& before) {
    counters_.lines_used = before.lines_used;
    counters_.useful_granules = before.useful_granules;
    counters_.useless_granules = before.useless_granules;
  }
  void flush_streams() { streams_.flush(); }
  void use_stream_sets(unsigned sets_log2) { streams_.use_sets(sets_log2); }  // with a flush
  [[nodiscard]] const SrCounters& counters() const { return counters_; }
  // Of the chosen load, while issuing.
  [[nodiscard]] unsigned slot() const { return chosen_->slot; }

 private:
  static constexpr unsigned kStreamSets = 64;
  static constexpr unsigned kGranuleLines = 4;
  struct Choice {
    std::uint64_t line;
    unsigned slot;
    SrPolicy policy;
    Gran gran;
    StreamTable::Ask ask;  // of policy stream
    bool queued = true;    // since the choice its slot was never empty
    [[nodiscard]] std::uint64_t granule() const { return line / kGranuleLines; }
  };
  [[nodiscard]] bool wants_next() const {
    return chosen_->ask.kind == StreamTable::Ask::Kind::Next;
  }
  [[nodiscard]] bool has_own(GranuleRun run) const {
    return chosen_->granule() - run.first <= run.len;
  }

  unsigned cap_;
  std::optional<Choice> chosen_{};  // none: free
  StreamTable streams_;
  SrCounters counters_{};
};

// Cycle-exact: the reader with its ring buffer and stream table.
class SrReaderBlock {
 public:
  explicit SrReaderBlock(unsigned ring_sets = 64, unsigned ring_ways = 4)
      : ring_(ring_sets, ring_ways) {}
  void use_stream_sets(unsigned sets_log2) { reader_.use_stream_sets(sets_log2); }

  struct In {
    SrPolicy policy = SrPolicy::Off;
    SrModes modes;
    Gran gran = Gran::B256;
    DevLoad level = DevLoad::Light;
    bool flush = false;  // ring buffer and stream table
    bool rd_valid = false, rd_is_load = false;
    std::uint64_t rd_line = 0;
    unsigned rd_index = 0;
    bool rd_head = false;
    LineTable loads, mem;
    bool spec_ready = false;
  };
  struct Out {
    bool rd_next = false;
    bool spec_valid = false;  // without it run and spec_line are 0
    GranuleRun run;
    std::uint64_t spec_line = 0;
    SrCounters counters;
  };
  [[nodiscard]] Out eval(const In& in) const;
  void clock(const In& in);

 private:
  RingBuffer ring_;
  SrReader reader_;
};

}  // namespace cxlgpu
