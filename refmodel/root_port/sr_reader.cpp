// Copyright cxlgpu contributors. SPDX-License-Identifier: Apache-2.0
#include "refmodel/root_port/sr_reader.hpp"

namespace cxlgpu {

SrVerdict sr_verdict(bool is_load, std::uint64_t line, SrPolicy policy, Gran gran,
                     const RingBuffer& ring, bool by_line) {
  if (!is_load) return SrVerdict::Store;
  if (policy == SrPolicy::Off || policy > SrPolicy::Stream) return SrVerdict::Off;
  if (policy == SrPolicy::Naive) return SrVerdict::Issue;
  if (gran == Gran::Halted) return SrVerdict::Halted;
  const bool covered = by_line ? ring.line_used(line) : ring.contains(line / 4);
  return covered ? SrVerdict::Covered : SrVerdict::Issue;
}

SrVerdict SrReader::look(bool is_load, std::uint64_t line, unsigned slot, SrPolicy policy,
                         Gran gran, const SrModes& modes, bool at_head, DevLoad level,
                         RingBuffer& ring) {
  StreamTable::Ask ask;
  SrVerdict verdict;
  if (is_load && policy == SrPolicy::Stream) {
    ask = streams_.look(line, {.at_head = at_head,
                               .level = static_cast<unsigned>(level),
                               .length_enabled = modes.with_length(),
                               .clip_log2 = modes.clip_log2,
                               .other_ways = modes.other_ways});
    verdict = ask.kind != StreamTable::Ask::Kind::Nothing ? SrVerdict::Issue
              : level == DevLoad::Severe                  ? SrVerdict::Halted
                                                          : SrVerdict::Covered;
  } else {
    verdict = sr_verdict(is_load, line, policy, gran, ring, modes.spec_64b);
  }
  counters_.loads_seen += is_load;
  counters_.halt_suppressed += verdict == SrVerdict::Halted;
  counters_.ring_suppressed += verdict == SrVerdict::Covered;
  counters_.score_suppressed += ask.held;
  if (verdict == SrVerdict::Store || verdict == SrVerdict::Off) return verdict;
  counters_.lines_used += ring.use(line);
  if (verdict == SrVerdict::Issue) chosen_ = {line, slot, policy, gran, ask};
  return verdict;
}

void SrReader::give_up() {
  if (!streams_.next_known()) {
    streams_.add();
    ++counters_.score_suppressed;
  }
  chosen_.reset();
}

GranuleRun SrReader::window(const SrModes& modes, LineTable mem, LineTable loads) const {
  const auto& [line, slot, policy, gran, ask, queued] = *chosen_;
  const GranuleRun own{chosen_->granule(), 0};
  if (policy == SrPolicy::Stream) return wants_next() ? streams_.next() : ask.run;
  if (policy == SrPolicy::Naive || !modes.with_length()) return own;
  GranuleRun run;
  if (policy == SrPolicy::Dyn) {
    run = clip_to_chunk({own.first, granules_of(gran) - 1}, line, modes.clip_log2);
  } else {
    const WindowRule rule = policy == SrPolicy::SrPaper ? WindowRule::Paper
                            : modes.around              ? WindowRule::Around
                                                        : WindowRule::Ahead;
    if (queued) loads.valid &= ~(std::uint64_t{1} << slot);
    run = compute_window(line, gran, rule, mem, loads, modes.clip_log2);
  }
  return shorten(run, own.first, cap_);
}

void SrReader::issued(GranuleRun run, bool match_start, RingBuffer& ring) {
  const auto& [line, slot, policy, gran, ask, queued] = *chosen_;
  ++counters_.issued;
  counters_.requested += run.len + 1;
  counters_.issued_late += has_own(run) && !queued;
  if (wants_next()) streams_.add();
  const bool alone = match_start && policy != SrPolicy::Naive && policy != SrPolicy::Stream;
  const RingBuffer::Recorded told =
      ring.record(alone ? GranuleRun{chosen_->granule(), 0} : run, line);
  counters_.lines_used += told.own_use;
  counters_.useful_granules += told.useful;
  counters_.useless_granules += told.useless;
  chosen_.reset();
}

SrReaderBlock::Out SrReaderBlock::eval(const In& in) const {
  Out out;
  out.rd_next = in.rd_valid && !reader_.issuing();
  out.counters = reader_.counters();
  if (reader_.issuing() && !reader_.gives_up()) {
    out.spec_valid = true;
    out.run = reader_.window(in.modes, in.mem, in.loads);
    out.spec_line = reader_.line_of(out.run);
  }
  return out;
}

void SrReaderBlock::clock(const In& in) {
  const SrCounters before = reader_.counters();
  if (reader_.issuing()) {
    const unsigned slot = reader_.slot();
    if ((in.loads.valid >> slot & 1) == 0) reader_.slot_left(slot);
    if (reader_.gives_up()) {
      reader_.give_up();
    } else if (in.spec_ready) {
      reader_.issued(reader_.window(in.modes, in.mem, in.loads), in.modes.match_start, ring_);
    }
  } else if (in.rd_valid) {
    reader_.look(in.rd_is_load, in.rd_line, in.rd_index, in.policy, in.gran, in.modes, in.rd_head,
                 in.level, ring_);
  }
  if (in.flush) {
    ring_.flush();
    reader_.flush_streams();
    reader_.ring_flushed(before);
  }
}

}  // namespace cxlgpu
